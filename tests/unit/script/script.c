/* script.c: scripts become logs. A recorder keeps for each thread what it has open and for each object its clock, and
 * stamps the events as the macros of heddle.h do. */
#include "script/script.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "log/build.h"

enum
{
  MAX_OBJECTS = 64,
  MAX_VALUES = 8,
  MAX_WORDS = 12,
};

/* What a thread has open: an operation or an internal task. */
typedef struct frame
{
  unsigned object;
  bool internal, nocommit, window, committed, block, block_committed;
} frame;

typedef struct thread
{
  frame frames[HD_MAX_DEPTH];
  unsigned depth;
} thread;

typedef struct object
{
  const char *name; /* a word of the script, or a literal */
  size_t length;
  uint32_t id;
  uint64_t ticks;
  unsigned open; /* windows */
} object;

typedef struct word
{
  const char *text;
  size_t length;
} word;

typedef struct recorder
{
  const script_names *names;
  hd_log_build *build;
  unsigned line;
  object objects[MAX_OBJECTS];
  unsigned nobjects;
  thread *threads;
  size_t nthreads;
  word words[MAX_WORDS];
  unsigned nwords;
} recorder;

static _Noreturn void
bad(const recorder *r, const char *what)
{
  fprintf(stderr, "%s:%u: error: %s\n", r->names->file, r->line, what);
  exit(2);
}

/* ---- words and values ---- */

static bool
is(const recorder *r, unsigned i, const char *text)
{
  return i < r->nwords && r->words[i].length == strlen(text) && memcmp(r->words[i].text, text, r->words[i].length) == 0;
}

static void
split(recorder *r, const char *line, size_t length)
{
  r->nwords = 0;
  for (size_t at = 0; at < length;)
  {
    if (isspace((unsigned char) line[at]))
    {
      at++;
      continue;
    }
    if (line[at] == '#')
      return;
    size_t start = at;
    char quote = line[at] == '"' || line[at] == '\'' ? line[at] : 0;
    at++;
    while (at < length && (quote ? line[at] != quote : !isspace((unsigned char) line[at])))
      at++;
    if (quote && at++ == length)
      bad(r, "a string has no end");
    if (r->nwords == MAX_WORDS)
      bad(r, "too many words");
    r->words[r->nwords++] = (word){line + start, at - start};
  }
}

static int64_t
number(const recorder *r, word w, bool *is_unsigned)
{
  char text[24], *end;
  if (w.length >= sizeof text)
    bad(r, "a number is too long");
  memcpy(text, w.text, w.length);
  text[w.length] = 0;
  int64_t n = strtoll(text, &end, 10);
  *is_unsigned = *end == 'u';
  if (*is_unsigned)
    n = (int64_t) strtoull(text, &end, 10);
  if (end == text || end[*is_unsigned] != 0)
    bad(r, "neither a number nor true, false, nil, \"text\" or 'bytes'");
  return n;
}

static hd_value
value(const recorder *r, unsigned i)
{
  if (i >= r->nwords)
    bad(r, "a value is missing");
  if (is(r, i, "true") || is(r, i, "false"))
    return hd_bool(r->words[i].text[0] == 't');
  if (is(r, i, "nil"))
    return hd_nil();
  word w = r->words[i];
  if (w.text[0] == '"')
    return (hd_value){.type = HD_STR, .length = (uint32_t) w.length - 2, .s = w.text + 1};
  if (w.text[0] == '\'')
    return hd_bytes(w.text + 1, w.length - 2);
  bool is_unsigned;
  int64_t n = number(r, w, &is_unsigned);
  return is_unsigned ? hd_uint((uint64_t) n) : hd_int(n);
}

/* ---- objects and threads ---- */

static unsigned
add_object(recorder *r, word name, const char *type, const hd_value *config, size_t nconfig)
{
  if (r->nobjects == MAX_OBJECTS)
    bad(r, "too many objects");
  char *text = hd_strndup(name.text, name.length);
  r->objects[r->nobjects] = (object){
      .name = name.text, .length = name.length, .id = hd_log_build_object(r->build, type, text, config, nconfig)};
  free(text);
  return r->nobjects++;
}

static unsigned
find_object(recorder *r, word name)
{
  for (unsigned i = 0; i < r->nobjects; i++)
    if (r->objects[i].length == name.length && memcmp(r->objects[i].name, name.text, name.length) == 0)
      return i;
  bad(r, "no object of this name was declared");
}

/* What is not declared exists once. */
static void
need_object(recorder *r)
{
  if (r->nobjects == 0)
    add_object(r, (word){"M", 1}, r->names->type, r->names->config, r->names->nconfig);
}

static void
declare_object(recorder *r)
{
  if (r->nwords < 3)
    bad(r, "object NAME TYPE [VALUE]...");
  hd_value config[MAX_VALUES];
  size_t n = 0;
  for (unsigned i = 3; i < r->nwords && n < MAX_VALUES; i++)
    config[n++] = value(r, i);
  char *type = hd_strndup(r->words[2].text, r->words[2].length);
  add_object(r, r->words[1], type, n ? config : r->names->config, n ? n : r->names->nconfig);
  free(type);
}

static thread *
get_thread(recorder *r, uint32_t number)
{
  if (number >= r->nthreads)
  {
    size_t n = number + 64;
    r->threads = hd_realloc(r->threads, n * sizeof *r->threads);
    memset(r->threads + r->nthreads, 0, (n - r->nthreads) * sizeof *r->threads);
    r->nthreads = n;
  }
  return &r->threads[number];
}

/* "T3" or "T3.B" in the first word. */
static uint32_t
thread_and_object(recorder *r, unsigned *named)
{
  word w = r->words[0];
  size_t digits = 1;
  while (digits < w.length && isdigit((unsigned char) w.text[digits]))
    digits++;
  if (w.text[0] != 'T' || digits == 1)
    bad(r, "a line starts with a thread (T1), object, tick or lost");
  *named = UINT32_MAX;
  if (digits < w.length)
  {
    if (w.text[digits] != '.')
      bad(r, "a thread is T1, or T1.B for an event on object B");
    *named = find_object(r, (word){w.text + digits + 1, w.length - digits - 1});
  }
  return (uint32_t) strtoul(w.text + 1, NULL, 10);
}

/* ---- recording ---- */

static void
look(const object *o, hd_event *e)
{
  e->stamped = true;
  e->stamp = o->ticks;
}

static void
tick(object *o, hd_event *e)
{
  e->stamped = e->ticked = true;
  e->stamp = o->ticks++;
}

static void
add(recorder *r, hd_event *e, const char *method)
{
  uint8_t types[HD_SITE_VALUES];
  memset(types, HD_TYPE_DYNAMIC, sizeof types);
  e->site = hd_log_build_site(r->build, e->kind, method, r->names->file, "script", r->line, types, e->nvalues);
  hd_log_build_event(r->build, e);
}

static void
begin(recorder *r, thread *t, object *o, hd_event *e, frame f)
{
  if (t->depth == HD_MAX_DEPTH)
    bad(r, "too deep");
  if (f.nocommit)
  {
    tick(o, e);
    o->open++;
  }
  else
    look(o, e);
  t->frames[t->depth++] = f;
}

static void
end_operation(thread *t, object *o, hd_event *e, bool must_tick)
{
  frame *f = &t->frames[--t->depth];
  bool own = !f->committed && (f->nocommit || f->window);
  if (own || must_tick || (!f->committed && o->open > 0))
    tick(o, e);
  else
    look(o, e);
  o->open -= own;
}

static void
commit(frame *f, object *o, hd_event *e)
{
  tick(o, e);
  o->open -= f->window && !f->committed;
  f->window = false;
  f->committed = true;
  f->block_committed = f->block;
}

static unsigned
misuse_code(const recorder *r, unsigned i)
{
  static const char *const names[] = {
      [HD_MISUSE_OTHER_OBJECT] = "other-object",   [HD_MISUSE_NESTED_BLOCK] = "nested-block",
      [HD_MISUSE_NO_BLOCK] = "no-block",           [HD_MISUSE_OPEN_BLOCK] = "open-block",
      [HD_MISUSE_SECOND_COMMIT] = "second-commit", [HD_MISUSE_WINDOW_AFTER_COMMIT] = "window-after-commit",
      [HD_MISUSE_INTERNAL] = "internal",           [HD_MISUSE_TOO_DEEP] = "too-deep",
      [HD_MISUSE_NOCOMMIT] = "nocommit",
  };
  for (unsigned code = 1; code < sizeof names / sizeof *names; code++)
    if (is(r, i, names[code]))
      return code;
  bad(r, "no misuse of this name");
}

/* The events inside an operation or task F. False: the word is none of them. */
static bool
inside(recorder *r, thread *t, frame *f, object *o, hd_event *e, hd_value *values)
{
  if (is(r, 1, "commit"))
  {
    bool raise = is(r, 2, "raise");
    e->kind = raise ? HD_K_COMMIT_EXC : is(r, 2, "ret") ? HD_K_COMMIT_RET : HD_K_COMMIT;
    if (e->kind != HD_K_COMMIT)
      values[e->nvalues++] = value(r, 3);
    commit(f, o, e);
  }
  else if (is(r, 1, "window"))
  {
    e->kind = HD_K_WINDOW;
    tick(o, e);
    o->open += !f->window && !f->committed;
    f->window |= !f->committed;
  }
  else if (is(r, 1, "block"))
  {
    e->kind = HD_K_BLOCK_BEGIN;
    f->block = true;
    f->block_committed = false;
  }
  else if (is(r, 1, "end"))
  {
    e->kind = HD_K_BLOCK_END;
    if (!f->block_committed)
      tick(o, e);
    f->block = false;
  }
  else if (is(r, 1, "return") || is(r, 1, "return!") || is(r, 1, "raise") || is(r, 1, "raise!"))
  {
    e->kind = r->words[1].text[1] == 'a' ? HD_K_RETURN_EXC : HD_K_RETURN;
    if (r->nwords > 2)
      values[e->nvalues++] = value(r, 2);
    end_operation(t, o, e, r->words[1].text[r->words[1].length - 1] == '!');
  }
  else if (is(r, 1, "endtask"))
  {
    e->kind = HD_K_INTERNAL_END;
    tick(o, e);
    t->depth--;
  }
  else if (is(r, 1, "abandon"))
  {
    e->kind = HD_K_ABANDON;
    t->depth--;
  }
  else
    return false;
  return true;
}

static void
write_event(recorder *r, const frame *f, object *o, hd_event *e, hd_value *values)
{
  bool replay = is(r, 1, "replay"), old = r->nwords > 4;
  e->kind = f ? (replay ? HD_K_REPLAY
                 : old  ? HD_K_WRITE_OLD
                        : HD_K_WRITE)
              : (replay ? HD_K_FREE_REPLAY
                 : old  ? HD_K_FREE_WRITE_OLD
                        : HD_K_FREE_WRITE);
  values[e->nvalues++] = hd_uint(value(r, 2).u);
  values[e->nvalues++] = value(r, 3);
  if (old)
    values[e->nvalues++] = value(r, 4);
  if (f && f->block)
    look(o, e);
  else
    tick(o, e);
}

static void
record(recorder *r)
{
  unsigned named;
  uint32_t number = thread_and_object(r, &named);
  thread *t = get_thread(r, number);
  frame *top = t->depth ? &t->frames[t->depth - 1] : NULL;
  unsigned at = named != UINT32_MAX ? named : top ? top->object : 0;
  if (top && top->object != at)
    top = NULL;
  object *o = &r->objects[at];
  hd_value values[MAX_WORDS];
  hd_event e = {.thread = number, .object = o->id, .values = values};
  char *method = hd_strndup("", 0);
  if (is(r, 1, "call") || is(r, 1, "nocommit") || is(r, 1, "task"))
  {
    if (r->nwords < 3)
      bad(r, "a method's name is missing");
    e.kind = is(r, 1, "call") ? HD_K_CALL : is(r, 1, "task") ? HD_K_INTERNAL_BEGIN : HD_K_CALL_NOCOMMIT;
    free(method);
    method = hd_strndup(r->words[2].text, r->words[2].length);
    for (unsigned i = 3; i < r->nwords; i++)
      values[e.nvalues++] = value(r, i);
    begin(r, t, o, &e,
          (frame){.object = at, .internal = e.kind == HD_K_INTERNAL_BEGIN, .nocommit = e.kind == HD_K_CALL_NOCOMMIT});
  }
  else if (is(r, 1, "write") || is(r, 1, "replay"))
    write_event(r, top, o, &e, values);
  else if (is(r, 1, "misuse"))
  {
    e.kind = HD_K_MISUSE;
    values[e.nvalues++] = hd_uint(misuse_code(r, 2));
  }
  else if (is(r, 1, "destroy"))
  {
    e.kind = HD_K_OBJECT_END;
    tick(o, &e);
  }
  else if (!top || !inside(r, t, top, o, &e, values))
    bad(r, top ? "no such event" : "the thread is in no operation on this object, or there is no such event");
  add(r, &e, method);
  free(method);
}

/* "tick [B]" and "lost [B] N" */
static void
lose(recorder *r)
{
  bool ticks = is(r, 0, "tick");
  unsigned words = ticks ? 1 : 2;
  object *o = &r->objects[r->nwords > words ? find_object(r, r->words[1]) : 0];
  bool is_unsigned;
  if (ticks)
    hd_log_build_set_clock(r->build, o->id, ++o->ticks);
  else
  {
    uint64_t n = (uint64_t) number(r, r->words[r->nwords - 1], &is_unsigned);
    hd_log_build_set_dropped(r->build, o->id, 1 + o->ticks, n);
    hd_log_build_set_lost(r->build, n, false);
  }
}

void
script_write(const char *text, const script_names *names, const char *path)
{
  char *error = NULL;
  recorder r = {.names = names, .build = hd_log_build_new(path, &error)};
  if (!r.build)
    bad(&r, error);
  while (*text)
  {
    const char *end = strchrnul(text, '\n');
    r.line++;
    split(&r, text, (size_t) (end - text));
    text = *end ? end + 1 : end;
    if (r.nwords == 0)
      continue;
    if (is(&r, 0, "object"))
    {
      declare_object(&r);
      continue;
    }
    need_object(&r);
    if (is(&r, 0, "tick") || is(&r, 0, "lost"))
      lose(&r);
    else
      record(&r);
  }
  need_object(&r);
  if (!hd_log_build_close(r.build, true, &error))
    bad(&r, error);
  free(r.threads);
}
