/* recorder.c: the command's side of a recording (instrument/rt_record.h is the program's): answers the program, writes
 * the chunks that it filled, and in the end what it could not see. recorder_names.c says what things are called. */
#include "cli/recorder.h"
#include "cli/recorder_names.h"
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

typedef struct recorder
{
  const hd_recorder_options *o;
  hd_recorder_result *result;
  hd_record_shared *shared;
  int fd, socket;
  hd_trace_writer *writer;
  hd_symbols *symbols;
  hd_string line;
  bool in_maps, answered, quit, refused;
  int pid;
  function *functions;
  size_t nfunctions, functions_cap, nranges;
  hd_recorder_names *naming;
  hd_children *children;
  uint32_t *written; /* chunks of each stream */
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
  {
    const char *like = hd_symbols_suggest_function(r->symbols, function);
    fprintf(stderr, "%s: %s has no function '%s'", r->o->command, r->o->program[0], function);
    if (like)
      fprintf(stderr, "; did you mean '%s'?", like);
    fputc('\n', stderr);
  }
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
    hd_recorder_name_thread(r->naming, thread, start);
  }
  else if (sscanf(line, "quit %" SCNu64, &n) == 1 && (int) n == r->pid)
    r->quit = true;
  else
    hd_children_take(r->children, line);
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

/* ---- the end ---- */

static void
tell_children(recorder *r)
{
  hd_string sentences[2] = {{0}, {0}}; /* losses, notes */
  hd_children_tell(r->children, HD_CHILDREN_RECORDING, &sentences[0], &sentences[1]);
  for (int i = 0; i < 2; i++)
  {
    for (const char *line = sentences[i].length ? sentences[i].text : ""; *line;)
    {
      size_t length = strcspn(line, "\n");
      note(r, i == 0, "%.*s", (int) length, line);
      line += length + 1;
    }
    hd_string_free(&sentences[i]);
  }
}

static void
tell_losses(recorder *r, const hd_watched *w)
{
  static const char *const what[HD_RECORD_LOSSES] = {
      [HD_RECORD_LOST_THREADS] = "%u threads were too many to be recorded",
      [HD_RECORD_LOST_PLACES] = "%u events are at places that are not told: there are too many of these",
      [HD_RECORD_LOST_OBJECTS] = "%u events of locks are of too many locks to be told apart",
      [HD_RECORD_LOST_DEPTH] = "calls were nested too deep to follow, %u times",
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
  tell_children(r);
  char *end = hd_watched_end(w);
  if (hd_children_became(r->children))
  {
    if (end)
      note(r, false, "%s", end);
  }
  else if (!r->quit && WIFSIGNALED(w->status))
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
  hd_recorder_name(r->naming, r->shared);
  tell_losses(r, w);
  if (r->quit)
    hd_trace_writer_whole(r->writer, r->shared->order);
}

static void
clean(recorder *r)
{
  for (size_t i = 0; i < r->nfunctions; i++)
    free((char *) r->functions[i].name);
  free(r->written);
  free(r->functions);
  hd_recorder_names_free(r->naming);
  hd_children_free(r->children);
  if (r->shared && r->shared != MAP_FAILED)
    munmap(r->shared, sizeof *r->shared);
  if (r->fd >= 0)
    close(r->fd);
  hd_string_free(&r->line);
  hd_symbols_free(r->symbols);
}

hd_recorder_result
hd_recorder_run(const hd_recorder_options *o)
{
  hd_recorder_result result = {.whole = true, .status = HD_INCOMPLETE};
  recorder r = {.o = o, .result = &result, .fd = -1, .symbols = hd_symbols_new(), .children = hd_children_new()};
  hd_trace_names *names = hd_trace_names_new();
  r.naming = hd_recorder_names_new(r.symbols, names);
  if (!share(&r))
  {
    fprintf(stderr, "%s: no memory can be shared with the program: %s\n", o->command, strerror(errno));
    clean(&r);
    hd_trace_names_free(names);
    return result;
  }
  r.writer = hd_trace_writer_new(o->out, HD_TRACE_BINARY, names);
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
  hd_trace_names_free(names);
  return result;
}
