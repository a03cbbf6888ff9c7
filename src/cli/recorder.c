/* recorder.c: the command's side of a recording (instrument/rt_record.h is the program's): answers the program, writes
 * the chunks that it filled, and in the end says what places, stacks, objects, memory and threads are called. */
#include "cli/recorder.h"
#include "cli/watched.h"
#include "instrument/instrument.h"
#include "instrument/rt_record.h"
#include "trace/trace.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct function
{
  const char *name;
  size_t first, n; /* of its ranges among those that the program was told */
} function;

typedef struct routine
{
  char *name;
  uint32_t threads;
} routine;

typedef struct recorder
{
  const hd_recorder_options *o;
  hd_recorder_result *result;
  hd_record_shared *shared;
  int fd, socket;
  hd_trace_writer *writer;
  hd_trace_names *names;
  hd_symbols *symbols;
  hd_string line;
  bool in_maps, answered, quit, refused;
  int pid;
  function *functions;
  size_t nfunctions, functions_cap, nranges;
  routine *routines; /* start routines, and how many threads each has */
  size_t nroutines, routines_cap;
  uint32_t locations; /* numbers that are given out */
  uint32_t *written;  /* chunks of each stream */
} recorder;

static void note(recorder *r, bool loss, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* A sentence for the user. LOSS: the trace is not all that happened, and says so itself. */
static void
note(recorder *r, bool loss, const char *format, ...)
{
  va_list args;
  hd_string s = {0};
  va_start(args, format);
  hd_string_vprintf(&s, format, args);
  va_end(args);
  if (loss)
  {
    hd_trace_writer_loss(r->writer, s.text);
    r->result->whole = false;
  }
  hd_string_printf(loss ? &r->result->losses : &r->result->notes, "%s\n", s.text);
  hd_string_free(&s);
}

/* ---- the answer ---- */

static void
refuse(recorder *r, const char *function, size_t inlined)
{
  if (inlined > 0)
    fprintf(stderr,
            "%s: every call of '%s' was inlined, so nobody sees where it begins; build the program with "
            "heddle-cc -fno-inline, or mark the function __attribute__((noinline))\n",
            r->o->command, function);
  else
    fprintf(stderr, "%s: %s has no function '%s'\n", r->o->command, r->o->program[0], function);
  r->refused = true;
}

static void
look_up(recorder *r, hd_string *answer, char *name)
{
  hd_symbols_range ranges[64];
  size_t inlined, n = hd_symbols_functions(r->symbols, name, ranges, 64, &inlined);
  if (n == 0 || r->nranges + n > HD_RECORD_BLOCKS)
  {
    refuse(r, name, inlined);
    return;
  }
  HD_PUSH(r->functions, r->nfunctions, r->functions_cap, (function){name, r->nranges, n});
  r->nranges += n;
  for (size_t i = 0; i < n; i++)
    hd_string_printf(answer, "block %" PRIu64 " %" PRIu64 "\n", ranges[i].low, ranges[i].high);
  if (inlined > 0)
    note(r, true,
         "'%s' was inlined at %zu place%s, where its executions are not seen; heddle-cc -fno-inline keeps all calls",
         name, inlined, inlined == 1 ? "" : "s");
}

/* Only now the program's addresses are known. It waits for us. */
static void
answer(recorder *r)
{
  hd_string s = {0};
  hd_string_printf(&s, "client record\nmemory %d\n", r->fd);
  r->answered = true;
  if (r->o->schedule)
    hd_string_printf(&s, "delays %" PRIu64 "\n", r->o->schedule);
  char *list = r->o->functions ? hd_strndup(r->o->functions, strlen(r->o->functions)) : NULL;
  for (char *rest = list, *name; (name = strsep(&rest, ","));)
    if (*name && !r->refused)
      look_up(r, &s, hd_strndup(name, strlen(name)));
  free(list);
  hd_string_add(&s, "go\n");
  if (r->refused)
    kill(r->pid, SIGKILL); /* it has done nothing yet */
  else
    for (size_t done = 0; done < s.length;)
    {
      ssize_t n = send(r->socket, s.text + done, s.length - done, MSG_NOSIGNAL);
      if (n <= 0 && errno != EINTR)
        break;
      done += n > 0 ? (size_t) n : 0;
    }
  hd_string_free(&s);
}

/* ---- what the program says ---- */

/* "worker-2": the second thread that began there. */
static void
name_thread(recorder *r, uint32_t thread, uint64_t start)
{
  hd_symbols_frame frame = {0};
  hd_string s = {0};
  if (start)
    hd_symbols_frames(r->symbols, start + 1, &frame, 1);
  size_t i = 0;
  while (frame.function && i < r->nroutines && strcmp(r->routines[i].name, frame.function) != 0)
    i++;
  if (frame.function && i == r->nroutines)
    HD_PUSH(r->routines, r->nroutines, r->routines_cap,
            (routine){hd_strndup(frame.function, strlen(frame.function)), 0});
  if (thread == 0)
    hd_string_add(&s, "main");
  else if (frame.function)
    hd_string_printf(&s, "%s-%u", frame.function, ++r->routines[i].threads);
  if (s.length)
    hd_trace_names_set(r->names, HD_TRACE_THREAD, thread, s.text, s.length);
  hd_string_free(&s);
}

static void
take_line(recorder *r, const char *line)
{
  uint64_t n, start;
  uint32_t thread;
  if (r->in_maps)
  {
    if (*line)
      hd_symbols_map(r->symbols, line);
    r->in_maps = *line != 0;
    if (!r->in_maps && !r->answered)
      answer(r);
  }
  else if (strcmp(line, "maps") == 0)
    r->in_maps = true;
  else if (sscanf(line, "hello %" SCNu64, &n) == 1 && !r->pid)
    r->pid = (int) n;
  else if (sscanf(line, "thread %" SCNu32 " %" SCNu64 " %" SCNu64, &thread, &n, &start) == 3)
  {
    r->result->threads++;
    name_thread(r, thread, start);
  }
  else if (sscanf(line, "quit %" SCNu64, &n) == 1 && (int) n == r->pid)
    r->quit = true;
}

static void
take(void *context, const char *bytes, size_t n)
{
  recorder *r = context;
  for (size_t i = 0; i < n; i++)
    if (bytes[i] == '\n')
    {
      hd_string_add(&r->line, "");
      take_line(r, r->line.text ? r->line.text : "");
      hd_string_clear(&r->line);
    }
    else
      hd_string_add_n(&r->line, bytes + i, 1);
}

static void
start(void *context, int socket)
{
  ((recorder *) context)->socket = socket;
}

/* ---- chunks ---- */

/* The chunk is written if it is the next of its stream: another one may have become full while we looked elsewhere. */
static bool
write_chunk(recorder *r, size_t i)
{
  const hd_record_chunk *c = &r->shared->chunks[i];
  uint64_t filled = __atomic_load_n(&c->filled, __ATOMIC_ACQUIRE); /* acquire: pairs with event_end in rt_record.c */
  uint32_t length = (uint32_t) filled;
  if (c->stream >= HD_TRACE_MAX_THREADS || length > HD_RECORD_PAYLOAD)
    return true; /* no program of ours wrote this */
  if (c->sequence != r->written[c->stream])
    return false;
  if (length == 0)
    return true; /* it is the last of its stream */
  r->written[c->stream]++;
  r->result->events += filled >> 32;
  hd_trace_writer_piece(r->writer, &(hd_trace_piece){.stream = c->stream,
                                                     .sequence = c->sequence,
                                                     .thread = c->stream,
                                                     .order = c->order,
                                                     .count = filled >> 32,
                                                     .payload = c->payload,
                                                     .length = length});
  return true;
}

/* All chunks that are in this state; returns how many were written. */
static uint32_t
write_chunks(recorder *r, enum hd_record_state state)
{
  hd_record_shared *s = r->shared;
  uint32_t given = 0, before;
  do
  {
    before = given;
    for (size_t i = 0; i < HD_RECORD_CHUNKS; i++)
      /* acquire: pairs with chunk_give in rt_record.c */
      if (__atomic_load_n(&s->state[i], __ATOMIC_ACQUIRE) == state && write_chunk(r, i))
      {
        __atomic_store_n(&s->state[i], HD_RECORD_FREE, __ATOMIC_RELEASE); /* release: we are done with it */
        given++;
      }
  } while (given > before);
  return given;
}

static void
drain(void *context)
{
  recorder *r = context;
  hd_record_shared *s = r->shared;
  uint32_t given = write_chunks(r, HD_RECORD_FULL);
  if (hd_trace_writer_error(r->writer))
    __atomic_store_n(&s->stopped, 1, __ATOMIC_RELAXED); /* no sense in going on */
  if (!given)
    return;
  __atomic_fetch_add(&s->freed, given, __ATOMIC_RELEASE); /* release: pairs with chunk_take in rt_record.c */
  syscall(SYS_futex, &s->freed, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* ---- names ---- */

/* What calls main and start routines is nothing to tell. */
static bool
is_library(const hd_symbols_frame *f)
{
  const char *slash = f->module ? strrchr(f->module, '/') : NULL;
  return slash && (strncmp(slash, "/libc.so", 8) == 0 || strncmp(slash, "/ld-linux", 9) == 0);
}

/* The place of PC gets number ID, and what it was inlined into the numbers in MORE, innermost first. False: it lies in
 * the C library. */
static bool
name_place(recorder *r, uint32_t id, uint64_t pc, uint32_t *more, size_t max)
{
  hd_symbols_frame frames[16];
  size_t n = hd_symbols_frames(r->symbols, pc, frames, 16), count = 0;
  for (size_t i = 0; i < n && count < max; i++)
  {
    hd_string text = {0};
    hd_trace_location where
        = {.file = frames[i].file, .function = frames[i].function, .line = (uint32_t) frames[i].line};
    if (!frames[i].file && !frames[i].function)
    {
      const char *slash = frames[i].module ? strrchr(frames[i].module, '/') : NULL;
      hd_string_printf(&text, "%s+0x%" PRIx64, slash ? slash + 1 : "?", slash ? frames[i].offset : pc);
      where.function = text.text;
    }
    uint32_t number = i == 0 ? id : ++r->locations;
    hd_trace_names_set_location(r->names, number, where);
    if (i > 0)
      more[count++] = number;
    hd_string_free(&text);
  }
  return n > 0 && !is_library(&frames[0]);
}

static void
name_places(recorder *r)
{
  enum
  {
    DEEPEST = 64,
    INLINED = 8
  };
  const hd_record_shared *s = r->shared;
  uint32_t nplaces = s->nplaces < HD_RECORD_PLACES ? s->nplaces : HD_RECORD_PLACES - 1;
  uint32_t nstacks = s->nstacks < HD_RECORD_STACKS ? s->nstacks : HD_RECORD_STACKS - 1;
  uint32_t(*inlined)[INLINED] = hd_alloc_zero(((size_t) nplaces + 1) * sizeof *inlined);
  r->locations = nplaces;
  bool *ours = hd_alloc_zero((size_t) nplaces + 1);
  for (uint32_t i = 1; i <= nplaces; i++)
    ours[i] = name_place(r, i, s->places[i], inlined[i], INLINED);
  for (uint32_t i = 1; i <= nstacks; i++)
  {
    uint32_t list[DEEPEST], n = 0;
    for (uint64_t node = s->stacks[i]; n < DEEPEST;)
    {
      uint32_t place = (uint32_t) node, up = (uint32_t) (node >> 32);
      if (place == 0 || place > nplaces || up >= i)
        break;
      if (!up && !ours[place])
        break;
      list[n++] = place;
      for (unsigned k = 0; k < INLINED && inlined[place][k] && n < DEEPEST; k++)
        list[n++] = inlined[place][k];
      if (!up)
        break;
      node = s->stacks[up];
    }
    hd_trace_names_set_stack(r->names, i, list, n);
  }
  free(ours);
  free(inlined);
}

/* Of locks and the like. Where two have the same name, the second is another one at the same place. */
static void
name_objects(recorder *r)
{
  const hd_record_shared *s = r->shared;
  for (uint32_t i = 1; i <= s->nobjects && i < HD_RECORD_OBJECTS; i++)
  {
    uint64_t address = s->objects[i] & ((1ull << 47) - 1);
    hd_string name = {0};
    hd_symbols_frame where;
    if (!hd_symbols_data(r->symbols, address, 4, &name, &where))
      hd_string_printf(&name, "0x%" PRIx64, address);
    char *inside = strstr(name.text, ".__"); /* what the C library has in it */
    size_t length = inside ? (size_t) (inside - name.text) : name.length;
    hd_trace_names_set(r->names, HD_TRACE_LOCK, i, name.text, length);
    hd_trace_names_set(r->names, HD_TRACE_OBJECT, i, name.text, length);
    hd_string_free(&name);
  }
}

static void
name_addresses(recorder *r)
{
  const hd_record_shared *s = r->shared;
  for (uint32_t i = 1; i <= s->naddresses && i < HD_RECORD_ADDRESSES; i++)
  {
    uint64_t address = s->addresses[i] & ((1ull << 47) - 1);
    hd_string name = {0};
    hd_symbols_frame where;
    if (hd_symbols_data(r->symbols, address, s->addresses[i] >> 47, &name, &where))
      hd_trace_names_set(r->names, HD_TRACE_ADDRESS, address, name.text, name.length);
    hd_string_free(&name);
  }
}

/* ---- the end ---- */

static void
tell_losses(recorder *r, const hd_watched *w)
{
  static const char *const what[HD_RECORD_LOSSES] = {
      [HD_RECORD_LOST_THREADS] = "%u threads were too many to be recorded",
      [HD_RECORD_LOST_PLACES] = "%u events are at places that are not told: there are too many of these",
      [HD_RECORD_LOST_OBJECTS] = "%u events of locks are of too many locks to be told apart",
      [HD_RECORD_LOST_DEPTH] = "calls were nested too deep to follow, %u times",
      [HD_RECORD_LOST_FORK] = "the program forked (%u times): its children are not in the trace",
  };
  const hd_record_shared *s = r->shared;
  for (unsigned i = 0; i < HD_RECORD_LOSSES; i++)
    if (s->lost[i] && what[i] && (i != HD_RECORD_LOST_DEPTH || r->nranges))
    {
      hd_string text = {0};
      hd_string_printf(&text, what[i], s->lost[i]);
      note(r, i != HD_RECORD_LOST_PLACES, "%s", text.text);
      hd_string_free(&text);
    }
  for (size_t i = 0; i < r->nfunctions; i++)
  {
    uint64_t entered = 0;
    for (size_t k = 0; k < r->functions[i].n; k++)
      entered += s->entered[r->functions[i].first + k];
    if (entered == 0)
      note(r, true, "'%s' was never called", r->functions[i].name);
  }
  char *end = hd_watched_end(w);
  if (!r->quit && WIFSIGNALED(w->status))
    note(r, true, "%s: its last moments may be missing", end);
  else if (!r->quit)
    note(r, true, "the program ended without leaving main or calling exit: its last moments may be missing");
  else if (end)
    note(r, false, "%s", end);
  free(end);
}

static bool
share(recorder *r)
{
  r->fd = memfd_create("heddle-record", 0);
  if (r->fd < 0 || ftruncate(r->fd, sizeof *r->shared) != 0)
    return false;
  r->shared = mmap(NULL, sizeof *r->shared, PROT_READ | PROT_WRITE, MAP_SHARED, r->fd, 0);
  if (r->shared == MAP_FAILED)
    return false;
  r->shared->version = HD_RECORD_VERSION;
  r->written = hd_alloc_zero(HD_TRACE_MAX_THREADS * sizeof *r->written);
  return true;
}

static void
finish(recorder *r, const hd_watched *w)
{
  /* Whoever is still there, such as a child that holds the memory, has nothing more to say. */
  __atomic_store_n(&r->shared->stopped, 1, __ATOMIC_SEQ_CST);
  drain(r);
  write_chunks(r, HD_RECORD_OPEN);
  name_places(r);
  name_objects(r);
  name_addresses(r);
  tell_losses(r, w);
  if (r->quit)
    hd_trace_writer_whole(r->writer, r->shared->order);
}

static void
clean(recorder *r)
{
  for (size_t i = 0; i < r->nfunctions; i++)
    free((char *) r->functions[i].name);
  for (size_t i = 0; i < r->nroutines; i++)
    free(r->routines[i].name);
  free(r->written);
  free(r->functions);
  free(r->routines);
  if (r->shared && r->shared != MAP_FAILED)
    munmap(r->shared, sizeof *r->shared);
  if (r->fd >= 0)
    close(r->fd);
  hd_string_free(&r->line);
  hd_symbols_free(r->symbols);
  hd_trace_names_free(r->names);
}

hd_recorder_result
hd_recorder_run(const hd_recorder_options *o)
{
  hd_recorder_result result = {.whole = true, .status = HD_INCOMPLETE};
  recorder r = {.o = o, .result = &result, .fd = -1, .symbols = hd_symbols_new(), .names = hd_trace_names_new()};
  if (!share(&r))
  {
    fprintf(stderr, "%s: no memory can be shared with the program: %s\n", o->command, strerror(errno));
    clean(&r);
    return result;
  }
  r.writer = hd_trace_writer_new(o->out, HD_TRACE_BINARY, r.names);
  hd_watched w = {.command = o->command,
                  .program = o->program,
                  .variable = "HEDDLE_CLIENT_FD",
                  .context = &r,
                  .start = start,
                  .take = take,
                  .idle = drain};
  bool ran = hd_watched_run(&w);
  if (r.refused)
    result.status = HD_BAD_INPUT;
  else if (ran && !r.shared->owner)
    result.status = hd_watched_silent(&w);
  else if (ran)
  {
    result.spoke = true;
    finish(&r, &w);
  }
  if (!hd_trace_writer_finish(r.writer))
    result.error = errno;
  clean(&r);
  return result;
}
