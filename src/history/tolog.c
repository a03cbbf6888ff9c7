/* tolog.c: a history becomes a log. The order of its lines is the object's clock.
 *
 * A log says at the call whether a mutator carries an annotation, and has no calls that did not happen; a history
 * says both later. So the log is written on the assumption that all mutators are of one kind, and what each operation
 * turns out to be is kept in two bits; if the assumption was wrong, the history is read a second time.
 *
 *   mutator with a commit     call looks, commit ticks, return ticks
 *   ... with a window         the window ticks too
 *   mutator without either    call ticks (HD_K_CALL_NOCOMMIT), return ticks
 *   observer                  call looks, return ticks
 *   failed                    left out
 *   never returned            call, then HD_K_ABANDON
 *
 * Every return ticks, also where that of a program would look: so each call lies on one side of it, as in the history,
 * and nothing of the order of the lines is lost. Lines are too many to be sites: each record has its own (HD_K_LINE),
 * and the sites are one for each method and kind of record.
 *
 * A process is a thread of the log. A thread needs a chunk of its own, so beyond LIVE_THREADS those that have nothing
 * open end, and go on as new ones if their process comes back. */
#include "history/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "log/build.h"

enum
{
  LIVE_THREADS = 1024,
  IN_MEMORY = 4 << 20, /* bytes of a history whose log is not worth a file on a disk */
};

typedef enum kind
{
  PLAIN,
  ANNOTATED, /* has a window or a commit */
  FAILED,
} kind;

typedef struct object
{
  hd_value key; /* owned */
  uint32_t id;
  uint64_t ticks;
} object;

typedef struct process
{
  uint32_t thread; /* 0: none now */
  uint32_t live;   /* where it stands among the live ones */
  uint32_t object; /* of its open operation: index */
  kind assumed;
  bool open, annotated;
} process;

typedef struct converter
{
  hd_history *h;
  const hd_spec *spec;
  bool ignore_commits;
  bool uncommitted; /* some mutator has no commit */
  const int *cancel;
  uint64_t steps;
  hd_log_build *build;

  uint8_t *kinds; /* by operation, four to a byte */
  size_t nkinds, cap_kinds;
  bool known;    /* KINDS is complete: the second time */
  bool mistaken; /* an assumption was wrong: nothing is written any more */
  kind assumed;

  object *objects;
  size_t nobjects, cap_objects;
  uint32_t *index; /* hash table over the objects' keys: 1 + index, 0: free */
  size_t index_size;

  process *processes; /* by slot */
  size_t nprocesses, cap_processes;
  uint32_t *live; /* slots that have a thread */
  size_t nlive, cap_live, hand;
  uint32_t threads;

  uint32_t *sites; /* [HD_K_COUNT][VARIANTS], 0: not made yet */
  size_t variants; /* a method, or whether there is a value */
} converter;

/* ---- what operations are ---- */

static void
set_kind(converter *c, uint64_t number, kind k)
{
  size_t byte = number / 4;
  if (byte >= c->nkinds)
  {
    hd_grow(&c->kinds, &c->cap_kinds, byte + 1, 1);
    memset(c->kinds + c->nkinds, 0, byte + 1 - c->nkinds);
    c->nkinds = byte + 1;
  }
  unsigned shift = number % 4 * 2;
  c->kinds[byte] = (uint8_t) ((c->kinds[byte] & ~(3u << shift)) | k << shift);
}

static kind
get_kind(const converter *c, uint64_t number)
{
  return number / 4 < c->nkinds ? (kind) (c->kinds[number / 4] >> number % 4 * 2 & 3) : PLAIN;
}

/* ---- objects, threads, sites ---- */

static uint32_t
new_object(converter *c, const hd_history_op *op)
{
  object o = {.key = op->has_object ? op->object : hd_nil()};
  hd_string name = {0};
  if (o.key.type == HD_STR && o.key.length > 0)
    hd_string_add_n(&name, o.key.s, o.key.length);
  else if (op->has_object)
    hd_value_print(&name, o.key, 64);
  else
    hd_string_add(&name, c->h->head.object ? c->h->head.object : c->spec->name);
  hd_value initial;
  bool has_initial = hd_history_initial(c->h, &initial);
  o.id = hd_log_build_object(c->build, c->spec->name, name.text, &initial, has_initial);
  hd_string_free(&name);
  if (o.key.type >= HD_STR)
    o.key.s = hd_strndup(o.key.s, o.key.length);
  HD_PUSH(c->objects, c->nobjects, c->cap_objects, o);
  return (uint32_t) c->nobjects - 1;
}

static void
index_insert(converter *c, uint32_t i)
{
  size_t at = hd_value_hash(c->objects[i].key) & (c->index_size - 1);
  while (c->index[at])
    at = (at + 1) & (c->index_size - 1);
  c->index[at] = i + 1;
}

/* The object of OP: an index. The one without a key is found under nil, which is no key. */
static uint32_t
object_of(converter *c, const hd_history_op *op)
{
  hd_value key = op->has_object ? op->object : hd_nil();
  for (size_t at = hd_value_hash(key) & (c->index_size - 1); c->index[at]; at = (at + 1) & (c->index_size - 1))
    if (hd_value_equal(c->objects[c->index[at] - 1].key, key))
      return c->index[at] - 1;
  uint32_t i = new_object(c, op);
  if (c->nobjects * 2 > c->index_size)
  {
    free(c->index);
    c->index_size *= 2;
    c->index = hd_alloc_zero(c->index_size * sizeof *c->index);
    for (uint32_t k = 0; k < i; k++)
      index_insert(c, k);
  }
  index_insert(c, i);
  return i;
}

static void
end_thread(converter *c, process *p)
{
  hd_log_build_thread_end(c->build, p->thread);
  p->thread = 0;
  uint32_t last = c->live[--c->nlive];
  c->live[p->live] = last;
  c->processes[last].live = p->live;
}

/* End one thread that has nothing open, if there is one. A lock knows its holder by the thread, so there they stay. */
static void
end_idle_thread(converter *c)
{
  if (c->nlive < LIVE_THREADS || strcmp(c->spec->name, "lock") == 0)
    return;
  for (size_t i = 0; i < LIVE_THREADS; i++)
  {
    c->hand = c->hand + 1 < c->nlive ? c->hand + 1 : 0;
    process *p = &c->processes[c->live[c->hand]];
    if (p->open)
      continue;
    end_thread(c, p);
    return;
  }
}

static process *
process_of(converter *c, const hd_history_op *op)
{
  while (c->nprocesses <= op->slot)
    HD_PUSH(c->processes, c->nprocesses, c->cap_processes, (process){0});
  process *p = &c->processes[op->slot];
  if (p->thread || c->mistaken)
    return p;
  end_idle_thread(c);
  p->thread = ++c->threads;
  p->live = (uint32_t) c->nlive;
  HD_PUSH(c->live, c->nlive, c->cap_live, op->slot);
  char name[48];
  snprintf(name, sizeof name, "process %" PRId64, op->process);
  hd_log_build_set_thread_name(c->build, p->thread, name);
  return p;
}

/* VARIANT tells sites of one kind apart. */
static uint32_t
site(converter *c, uint8_t kind, uint32_t variant, const char *method, uint32_t nvalues)
{
  static const uint8_t types[HD_SITE_VALUES] = {HD_TYPE_DYNAMIC, HD_TYPE_DYNAMIC, HD_TYPE_DYNAMIC, HD_TYPE_DYNAMIC,
                                                HD_TYPE_DYNAMIC, HD_TYPE_DYNAMIC, HD_TYPE_DYNAMIC, HD_TYPE_DYNAMIC};
  uint32_t *known = &c->sites[kind * c->variants + variant];
  if (*known == 0)
    *known = hd_log_build_site(c->build, kind, method, c->h->path, "", 0, types, nvalues);
  return *known;
}

/* The record of the line that is being read, OP's. */
static void
event(converter *c, const process *p, const hd_history_op *op, uint8_t kind, uint32_t at, bool ticks,
      const hd_value *values, uint32_t n)
{
  object *o = &c->objects[p->object];
  hd_event e = {.kind = kind,
                .ticked = ticks,
                .stamped = kind != HD_K_ABANDON,
                .thread = p->thread,
                .object = o->id,
                .site = at,
                .line = op->line <= HD_MAX_LINE ? op->line : 0,
                .stamp = o->ticks,
                .nvalues = n,
                .values = values};
  o->ticks += ticks;
  hd_log_build_event(c->build, &e);
}

/* ---- steps ---- */

static bool
is_mutator(const converter *c, const hd_history_op *op)
{
  return c->spec->methods[op->method].role == HD_MUTATOR;
}

static void
call(converter *c, const hd_history_op *op, process *p)
{
  p->assumed = c->known ? get_kind(c, op->number) : c->assumed;
  if (p->assumed == FAILED)
    return;
  bool plain = p->assumed == PLAIN && is_mutator(c, op);
  c->uncommitted |= plain;
  uint8_t kind = plain ? HD_K_CALL_NOCOMMIT : HD_K_CALL;
  p->object = object_of(c, op);
  uint32_t at = site(c, kind, op->method, c->spec->methods[op->method].name, op->nargs);
  event(c, p, op, kind, at, plain, op->args, op->nargs);
}

/* The begin of a window, or a commit, which ends it. */
static void
annotate(converter *c, const hd_history_op *op, process *p)
{
  uint8_t kind = op->step == HD_HISTORY_STEP_WINDOW ? HD_K_WINDOW : HD_K_COMMIT;
  p->annotated = true;
  if (!c->known)
    set_kind(c, op->number, ANNOTATED);
  c->mistaken = c->mistaken || p->assumed != ANNOTATED;
  if (!c->mistaken)
    event(c, p, op, kind, site(c, kind, 0, "", 0), true, NULL, 0);
}

static bool
step(void *context, const hd_history_op *op)
{
  converter *c = context;
  if ((++c->steps & 0xfff) == 0 && c->cancel && __atomic_load_n(c->cancel, __ATOMIC_RELAXED))
    return false;
  process *p = process_of(c, op);
  bool mutator = is_mutator(c, op);
  switch (op->step)
  {
  case HD_HISTORY_STEP_CALL:
    p->open = true;
    p->annotated = false;
    if (!c->mistaken)
      call(c, op, p);
    return true;
  case HD_HISTORY_STEP_WINDOW:
  case HD_HISTORY_STEP_COMMIT:
    if (!c->ignore_commits && mutator && p->assumed != FAILED)
      annotate(c, op, p);
    return true;
  case HD_HISTORY_STEP_FAILED:
    if (!c->known)
      set_kind(c, op->number, FAILED);
    c->mistaken = c->mistaken || p->assumed != FAILED;
    break;
  case HD_HISTORY_STEP_RETURN:
  case HD_HISTORY_STEP_NEVER:
    c->mistaken = c->mistaken || (mutator && p->assumed == ANNOTATED && !p->annotated);
    if (c->mistaken)
      break;
    if (op->step == HD_HISTORY_STEP_RETURN)
      event(c, p, op, HD_K_RETURN, site(c, HD_K_RETURN, op->has_ret, "", op->has_ret), true, &op->ret, op->has_ret);
    else
    {
      event(c, p, op, HD_K_ABANDON, 0, false, NULL, 0);
      end_thread(c, p);
    }
    break;
  }
  p->open = false;
  return true;
}

/* Operations that are open at the end must be what they were taken for, too. */
static void
check_open(converter *c)
{
  for (size_t i = 0; i < c->nprocesses; i++)
    c->mistaken
        = c->mistaken || (c->processes[i].open && c->processes[i].assumed == ANNOTATED && !c->processes[i].annotated);
}

static void
reset(converter *c)
{
  for (size_t i = 0; i < c->nobjects; i++)
    if (c->objects[i].key.type >= HD_STR)
      free((char *) c->objects[i].key.s);
  if (c->index)
    memset(c->index, 0, c->index_size * sizeof *c->index);
  if (c->sites)
    memset(c->sites, 0, HD_K_COUNT * c->variants * sizeof *c->sites);
  c->nobjects = c->nprocesses = c->nlive = c->hand = 0;
  c->threads = 0;
  c->mistaken = c->uncommitted = false;
}

/* Begin the log: under PATH, or, if that is NULL, in FD, which is emptied. */
static hd_log_build *
begin(const char *path, int fd, char **error)
{
  if (path)
    return hd_log_build_new(path, error);
  int own = ftruncate(fd, 0) == 0 ? fcntl(fd, F_DUPFD_CLOEXEC, 0) : -1;
  if (own >= 0)
    return hd_log_build_new_fd(own, "temporary log in TMPDIR");
  hd_string s = {0};
  hd_string_printf(&s, "temporary log in TMPDIR: error: %s", strerror(errno));
  *error = s.text;
  return NULL;
}

/* Write the log on the present assumption. */
static bool
attempt(converter *c, const char *path, int fd, char **error)
{
  reset(c);
  c->build = begin(path, fd, error);
  if (!c->build)
    return false;
  char *problem = NULL;
  bool good = hd_history_read(c->h, c->spec, step, c, &problem);
  check_open(c);
  if (!good || c->mistaken)
  {
    hd_log_build_discard(c->build);
    *error = problem;
    return good;
  }
  if (c->nobjects == 0) /* a history of nothing is about an object, too */
    object_of(c, &(hd_history_op){0});
  return hd_log_build_close(c->build, true, error);
}

/* The specification must be able to start with the initial value. */
static bool
check_initial(hd_history *h, const hd_spec *spec, char **error)
{
  hd_value initial;
  if (!hd_history_initial(h, &initial) || strcmp(spec->name, "counter") != 0 || initial.type == HD_INT)
    return true;
  hd_string s = {0};
  hd_string_printf(&s, "%s:1:1: error: a counter starts with a whole number", h->path);
  *error = s.text;
  return false;
}

static bool
write_log(hd_history *h, const hd_spec *spec, const hd_history_options *options, const char *path, int fd, char **error)
{
  converter c = {.h = h, .spec = spec, .ignore_commits = options && options->ignore_commits, .index_size = 64};
  c.cancel = options ? options->cancel : NULL;
  *error = NULL;
  c.variants = spec->nmethods + 2;
  if (!check_initial(h, spec, error))
    return false;
  c.index = hd_alloc_zero(c.index_size * sizeof *c.index);
  c.sites = hd_alloc_zero(HD_K_COUNT * c.variants * sizeof *c.sites);
  c.assumed = h->form == HD_HISTORY_SYNTHETIC && !c.ignore_commits ? ANNOTATED : PLAIN;
  bool good = attempt(&c, path, fd, error);
  if (good && c.mistaken)
  {
    c.known = true;
    good = attempt(&c, path, fd, error);
    HD_CHECK(!good || !c.mistaken);
  }
  if (options && options->uncommitted)
    *options->uncommitted = c.uncommitted;
  reset(&c);
  free(c.kinds);
  free(c.objects);
  free(c.index);
  free(c.processes);
  free(c.live);
  free(c.sites);
  return good;
}

bool
hd_history_write_log(hd_history *h, const hd_spec *spec, const hd_history_options *options, const char *path,
                     char **error)
{
  return write_log(h, spec, options, path, -1, error);
}

hd_log *
hd_history_open(const char *path, hd_history_form form, const hd_spec *spec, const hd_history_options *options,
                char **error)
{
  hd_history *h = hd_history_new(path, form, error);
  if (!h)
    return NULL;
  hd_log *log = NULL;
  struct stat s;
  bool small = fstat(h->in.fd, &s) == 0 && s.st_size <= IN_MEMORY;
  int fd = small ? memfd_create("heddle log", MFD_CLOEXEC) : -1;
  if (fd < 0)
    fd = hd_history_temporary();
  if (fd < 0)
  {
    hd_string text = {0};
    hd_string_printf(&text,
                     "%s: error: no temporary log can be made (set TMPDIR to a folder that can be written to): %s",
                     path, strerror(errno));
    *error = text.text;
  }
  else if (write_log(h, spec, options, NULL, fd, error))
    log = hd_log_open_fd(fd, path, error);
  else
    close(fd);
  hd_history_free(h);
  return log;
}
