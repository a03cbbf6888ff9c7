/* bench_hot.c: what an event costs in a buffer that is used again, as in a ring that a reader empties: no fresh pages,
 * no cold lines. bench_log.c has the other end: bursts into a log that grows.
 *
 * Each round logs a few thousand events into one chunk, and puts the thread's pointer back behind the clock: the chunk
 * is zeroed as a reader would. Medians over the rounds, and the middle half; the floor is one 8-byte store appended
 * through a pointer and a bound in the thread's memory, in the same rounds. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <heddle/heddle.h>

enum
{
  EVENTS = 1200, /* at most 32 bytes each: they fit a chunk */
  NEST = 50,     /* calls are timed without their returns, this many on top of each other */
  ROUNDS = 1001
};

static hd_object the_object;
static __thread struct
{
  char *volatile cur, *volatile end;
} buffer;
static char memory[EVENTS * 8];

static double
now_ns(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double) t.tv_sec * 1e9 + (double) t.tv_nsec;
}

/* ---- what is timed ---- */

static void
floor_append(hd_object *o)
{
  (void) o;
  buffer.cur = memory;
  buffer.end = memory + sizeof memory;
  for (size_t i = 0; i < EVENTS; i++)
  {
    char *p = buffer.cur;
    if (p + 8 > buffer.end)
      abort();
    buffer.cur = p + 8;
    *(volatile uint64_t *) (void *) p = i;
  }
}

static void
calls(hd_object *o)
{
  hd_open *top = hd_thread_local.top;
  for (size_t i = 0; i < EVENTS; i += NEST)
  {
    for (size_t k = 0; k < NEST; k++)
      HD_CALL(o, "call", k);
    hd_thread_local.top = top;
  }
}

static void
observers(hd_object *o)
{
  for (size_t i = 0; i < EVENTS; i += 2)
  {
    HD_CALL(o, "look", i);
    HD_RETURN(o, i);
  }
}

static void
writes(hd_object *o)
{
  for (size_t i = 0; i < EVENTS; i++)
    HD_WRITE(o, 1, i);
}

static void
commits(hd_object *o)
{
  hd_open *top = hd_thread_local.top;
  for (size_t i = 0; i < EVENTS; i++)
  {
    HD_COMMIT(o);
    top->flags = 0;
  }
}

static void
mutators(hd_object *o)
{
  for (size_t i = 0; i < EVENTS; i += 3)
  {
    HD_CALL(o, "insert", i);
    HD_COMMIT(o);
    HD_RETURN(o, true);
  }
}

typedef struct bench_case
{
  const char *name;
  void (*body)(hd_object *o);
  enum
  {
    OUTSIDE,
    IN_OPERATION,
    IN_BLOCK
  } where;
} bench_case;

static const bench_case cases[] = {
    {"one 8-byte store, appended: the floor", floor_append, OUTSIDE},
    {"call, nested", calls, OUTSIDE},
    {"observer: call and return, per event", observers, OUTSIDE},
    {"write in a block", writes, IN_BLOCK},
    {"commit", commits, IN_OPERATION},
    {"mutator: call, commit and return, per event", mutators, OUTSIDE},
};
enum
{
  NCASES = sizeof cases / sizeof *cases
};

static double
time_round(const bench_case *c)
{
  hd_object *o = &the_object;
  char *begin = hd_thread_local.cur;
  if (c->where != OUTSIDE)
    HD_CALL(o, "around");
  if (c->where == IN_BLOCK)
    HD_BLOCK_BEGIN(o);
  double start = now_ns();
  c->body(o);
  double ns = (now_ns() - start) / EVENTS;
  if (c->where == IN_BLOCK)
    HD_BLOCK_END(o);
  if (c->where != OUTSIDE)
    HD_RETURN(o);
  if (hd_thread_local.cur > begin)
    memset(begin, 0, (size_t) (hd_thread_local.cur - begin));
  hd_thread_local.cur = begin;
  return ns;
}

static int
compare(const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;
  return (x > y) - (x < y);
}

int
main(void)
{
  char folder[] = "/tmp/heddle-bench-hot-XXXXXX", path[64];
  if (!mkdtemp(folder))
    return 2;
  snprintf(path, sizeof path, "%s/log", folder);
  if (!hd_start(&(hd_options){.path = path}))
  {
    fprintf(stderr, "bench_hot: %s\n", hd_error());
    return 2;
  }
  hd_object_init(&the_object, "bench", "hot");
  HD_CALL(&the_object, "attach"); /* takes the chunk */
  HD_RETURN(&the_object);
  static double ns[NCASES][ROUNDS];
  for (int r = 0; r < ROUNDS; r++)
    for (size_t c = 0; c < NCASES; c++)
      ns[c][r] = time_round(&cases[c]);
  hd_stop();
  unlink(path);
  rmdir(folder);
  puts("| event | ns, median | middle half | of the floor |\n| --- | --- | --- | --- |");
  for (size_t c = 0; c < NCASES; c++)
  {
    qsort(ns[c], ROUNDS, sizeof ns[c][0], compare);
    printf("| %s | %.2f | %.2f .. %.2f | %.1f |\n", cases[c].name, ns[c][ROUNDS / 2], ns[c][ROUNDS / 4],
           ns[c][ROUNDS * 3 / 4], ns[c][ROUNDS / 2] / ns[0][ROUNDS / 2]);
  }
  return 0;
}
