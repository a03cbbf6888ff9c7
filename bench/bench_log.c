/* bench_log.c: what logging costs, per event, beside the least it could cost and beside LTTng-UST. One run, one table.
 *
 *   bench_log [--rounds N] [--no-lttng] [--no-instructions]      (bench_log_lttng beside it: lttng_bench.c)
 *
 * Each figure is the median over rounds of a burst of events into chunks that the helper thread has made ready, as in a
 * program that does other things too; the spread is that of the middle half of the rounds. "sustained" is a loop that
 * does nothing but log and so outruns the helper: it then shows the price of fresh pages.
 *
 * Instructions are counted with valgrind (callgrind) on this same program, less those of the empty loop. */
#define _GNU_SOURCE
#include <heddle/heddle.h>

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench_off.h"
#include "log/writer.h"

enum
{
  BURST = 200000,
  LONG_BURST = 4000000,
  MAX_ROUNDS = 200,
};

static hd_object objects[2];
static char log_path[64];
static char *floor_memory;
static const size_t floor_size = 12u << 20;

/* What a thread of a burst has. */
typedef struct work
{
  hd_object *object;
  char *memory;
  size_t n;
  double ns;
  void (*body)(struct work *);
  pthread_barrier_t *barrier;
} work;

static double
now_ns(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double) t.tv_sec * 1e9 + (double) t.tv_nsec;
}

/* ---- the bodies ---- */

static void
body_empty(work *w)
{
  for (size_t i = 0; i < w->n; i++)
    __asm__ volatile("" ::"r"(i));
}

/* One store through a pointer and a bound that live in the thread's memory, as any buffered logger must do. */
static __thread struct
{
  char *volatile cur, *volatile end;
} buffer;

static void
body_append_8(work *w)
{
  buffer.cur = w->memory;
  buffer.end = w->memory + floor_size / 2;
  for (size_t i = 0; i < w->n; i++)
  {
    char *p = buffer.cur;
    if (p + 8 > buffer.end)
      abort();
    buffer.cur = p + 8;
    *(volatile uint64_t *) (void *) p = i;
  }
}

static void
body_store_8(work *w)
{
  uint64_t *p = (uint64_t *) (void *) w->memory;
  for (size_t i = 0; i < w->n; i++)
    ((volatile uint64_t *) p)[i] = i;
}

/* A plain store of as many bytes as a call with one argument has. */
static void
body_store_24(work *w)
{
  volatile uint64_t *p = (volatile uint64_t *) (void *) w->memory;
  for (size_t i = 0; i < w->n; i++, p += 3)
    p[0] = i, p[1] = i, p[2] = i;
}

static void
body_fetch_add(work *w)
{
  static uint64_t words[2][8];
  uint64_t *word = words[w->object == &objects[1]];
  for (size_t i = 0; i < w->n; i++)
    __atomic_fetch_add(word, 1, __ATOMIC_ACQ_REL);
}

/* The thread's first event makes it known to the log. */
static void
attach(work *w)
{
  HD_CALL(w->object, "attach");
  HD_RETURN(w->object);
}

/* Calls are timed without their returns, and the other way round: after each NEST of them the stack of open operations
 * is put back by hand. */
enum
{
  NEST = 50
};

static void
body_call(work *w)
{
  hd_object *const object = w->object;
  const size_t n = w->n;
  attach(w);
  hd_open *top = hd_thread_local.top;
  for (size_t i = 0; i < n; i += NEST)
  {
    for (size_t k = 0; k < NEST; k++)
      HD_CALL(object, "call", k);
    hd_thread_local.top = top;
  }
}

static void
body_return(work *w)
{
  hd_object *const object = w->object;
  const size_t n = w->n;
  attach(w);
  hd_open *base = hd_thread_local.top;
  for (size_t k = 0; k < NEST; k++)
    HD_CALL(object, "call");
  hd_open *top = hd_thread_local.top;
  for (size_t i = 0; i < n; i += NEST)
  {
    hd_thread_local.top = top;
    for (size_t k = 0; k < NEST; k++)
      HD_RETURN(object, k);
  }
  hd_thread_local.top = base;
}

static void
body_commit(work *w)
{
  hd_object *const object = w->object;
  const size_t n = w->n;
  HD_CALL(object, "call");
  hd_open *top = hd_thread_local.top;
  for (size_t i = 0; i < n; i++)
  {
    HD_COMMIT(object);
    top->flags = 0;
  }
  HD_RETURN(object);
}

static void
body_write(work *w)
{
  hd_object *const object = w->object;
  const size_t n = w->n;
  HD_CALL(object, "call");
  HD_BLOCK_BEGIN(object);
  for (size_t i = 0; i < n; i++)
    HD_WRITE(object, 1, i);
  HD_BLOCK_END(object);
  HD_RETURN(object);
}

static void
body_write_tick(work *w)
{
  hd_object *const object = w->object;
  const size_t n = w->n;
  HD_CALL(object, "call");
  for (size_t i = 0; i < n; i++)
    HD_WRITE(object, 1, i);
  HD_RETURN(object);
}

static void
body_window(work *w)
{
  hd_object *const object = w->object;
  const size_t n = w->n;
  HD_CALL(object, "call");
  for (size_t i = 0; i < n; i += 2)
  {
    HD_WINDOW(object);
    HD_COMMIT(object);
    hd_thread_local.top->flags = 0;
  }
  HD_RETURN(object);
}

static void
body_string(work *w)
{
  hd_object *const object = w->object;
  const size_t n = w->n;
  attach(w);
  hd_open *top = hd_thread_local.top;
  for (size_t i = 0; i < n; i++)
  {
    HD_CALL(object, "call", "twelve bytes");
    hd_thread_local.top = top;
  }
}

static void
body_block(work *w)
{
  hd_object *const object = w->object;
  const size_t n = w->n;
  HD_CALL(object, "call");
  for (size_t i = 0; i < n; i += 2)
  {
    HD_BLOCK_BEGIN(object);
    hd_thread_local.top->flags |= HD_OPEN_COMMITTED;
    HD_BLOCK_END(object);
    hd_thread_local.top->flags = 0;
  }
  HD_RETURN(object);
}

/* A whole mutator: call, commit, return; three events. */
static void
body_mutator(work *w)
{
  hd_object *const object = w->object;
  const size_t n = w->n;
  for (size_t i = 0; i < n; i += 3)
  {
    HD_CALL(object, "insert", i);
    HD_COMMIT(object);
    HD_RETURN(object, true);
  }
}

static void
body_off(work *w)
{
  hd_object *const object = w->object;
  const size_t n = w->n;
  for (size_t i = 0; i < n; i++)
    HD_CALL(object, "call", i);
}

/* ---- running ---- */

typedef enum mode
{
  PLAIN, /* no log */
  LOGGED,
  LTTNG /* another program: bench_log_lttng */
} mode;

typedef struct bench_case
{
  const char *name, *note;
  void (*body)(work *);
  mode mode;
  int threads;
  bool shared; /* all threads on one object */
  size_t n;
} bench_case;

static const bench_case cases[] = {
    {"one 8-byte store, appended", "the floor: pointer and bound in the thread's memory", body_append_8, PLAIN, 1,
     false, BURST},
    {"one 8-byte store", "into an array", body_store_8, PLAIN, 1, false, BURST},
    {"three 8-byte stores", "into an array; as many bytes as a call", body_store_24, PLAIN, 1, false, BURST},
    {"fetch_add", "the floor of a commit", body_fetch_add, PLAIN, 1, false, BURST},
    {"call, 1 argument", "", body_call, LOGGED, 1, false, BURST},
    {"return, 1 value", "", body_return, LOGGED, 1, false, BURST},
    {"write in a block", "", body_write, LOGGED, 1, false, BURST},
    {"commit", "", body_commit, LOGGED, 1, false, BURST},
    {"write outside a block", "ticks", body_write_tick, LOGGED, 1, false, BURST},
    {"window, commit", "per event", body_window, LOGGED, 1, false, BURST},
    {"block begin, block end", "per event", body_block, LOGGED, 1, false, BURST},
    {"call, string of 12 bytes", "", body_string, LOGGED, 1, false, BURST},
    {"mutator (call, commit, return)", "per event", body_mutator, LOGGED, 1, false, BURST},
    {"call, 2 threads", "own objects", body_call, LOGGED, 2, false, BURST},
    {"return, 2 threads", "own objects", body_return, LOGGED, 2, false, BURST},
    {"write in a block, 2 threads", "own objects", body_write, LOGGED, 2, false, BURST},
    {"commit, 2 threads", "own objects", body_commit, LOGGED, 2, false, BURST},
    {"call, 2 threads", "one object", body_call, LOGGED, 2, true, BURST},
    {"commit, 2 threads", "one object", body_commit, LOGGED, 2, true, BURST},
    {"mutator, sustained", "fresh pages", body_mutator, LOGGED, 1, false, LONG_BURST},
    {"call, logging not started", "off", body_off, PLAIN, 1, false, BURST},
    {"call, -DHEDDLE_OFF", "off", bench_off, PLAIN, 1, false, BURST},
    {"LTTng-UST, 1 thread", "tracepoint, same payload as a call", NULL, LTTNG, 1, false, BURST},
    {"LTTng-UST, 2 threads", "tracepoint, same payload as a call", NULL, LTTNG, 2, false, BURST},
};

enum
{
  NCASES = sizeof cases / sizeof cases[0]
};

/* Found by callgrind under this name. */
static __attribute__((noinline)) void
run_body(work *w)
{
  w->body(w);
}

static void *
run_thread(void *arg)
{
  work *w = arg;
  size_t n = w->n;
  /* Registers the sites and the thread. */
  w->n = 3;
  w->body(w);
  w->n = n;
  if (w->barrier)
    pthread_barrier_wait(w->barrier);
  double t = now_ns();
  run_body(w);
  w->ns = (now_ns() - t) / (double) n;
  return NULL;
}

/* The floors write memory as a log's: a file's pages, just brought in. */
static void
fresh_floor(void)
{
  if (floor_memory)
    munmap(floor_memory, floor_size);
  int fd = open(log_path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  floor_memory = MAP_FAILED;
  if (fd >= 0 && posix_fallocate(fd, 0, (off_t) floor_size) == 0)
    floor_memory = mmap(NULL, floor_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (floor_memory == MAP_FAILED)
  {
    perror("bench_log: memory for the floors");
    exit(2);
  }
  for (size_t i = 0; i < floor_size; i += 4096)
    *(volatile char *) (floor_memory + i) = 0;
  close(fd);
  unlink(log_path);
}

/* One round: nanoseconds per event, mean over the threads. */
static double
run_round(const bench_case *c)
{
  if (c->mode == LOGGED)
  {
    hd_options options = {.path = log_path, .ahead = c->n == BURST ? (size_t) c->threads * BURST * 44 + (1u << 20) : 0};
    if (!hd_start(&options))
    {
      fprintf(stderr, "bench_log: %s\n", hd_error());
      exit(2);
    }
    hd_object_init(&objects[0], "bench", "a");
    hd_object_init(&objects[1], "bench", "b");
    hd_writer_helper_wait(hd_writer_current());
  }
  else
    fresh_floor();
  work w[2];
  pthread_barrier_t barrier;
  pthread_barrier_init(&barrier, NULL, (unsigned) c->threads);
  for (int i = 0; i < c->threads; i++)
    w[i] = (work){.object = &objects[c->shared ? 0 : i],
                  .memory = floor_memory + (size_t) i * (floor_size / 2),
                  .n = c->n,
                  .body = c->body,
                  .barrier = &barrier};
  pthread_t other;
  if (c->threads == 2)
    pthread_create(&other, NULL, run_thread, &w[1]);
  run_thread(&w[0]);
  double ns = w[0].ns;
  if (c->threads == 2)
  {
    pthread_join(other, NULL);
    ns = (w[0].ns + w[1].ns) / 2;
  }
  pthread_barrier_destroy(&barrier);
  if (c->mode == LOGGED)
  {
    hd_stop();
    unlink(log_path);
  }
  memset(objects, 0, sizeof objects);
  return ns;
}

/* The last two cases, measured by the program beside this one. False: there is none, or no LTTng. */
static bool
run_lttng(int rounds, double *one, double *two)
{
  char path[512], command[600];
  ssize_t n = readlink("/proc/self/exe", path, sizeof path - 16);
  if (n < 0)
    return false;
  path[n] = 0;
  snprintf(command, sizeof command, "%s_lttng", path);
  if (access(command, X_OK) != 0)
    return false;
  snprintf(command, sizeof command, "%s_lttng %d %d", path, rounds, BURST);
  FILE *f = popen(command, "r");
  int got = 0;
  while (f && got < rounds && fscanf(f, "%lf %lf", &one[got], &two[got]) == 2)
    got++;
  return f && pclose(f) == 0 && got == rounds;
}

static int
compare(const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;
  return (x > y) - (x < y);
}

/* ---- instructions ---- */

/* Instructions per event of case C as callgrind sees them, the loop's own included; -1: no figure. */
static double
instructions(int c)
{
  const size_t n = 30000;
  char command[512], line[256];
  snprintf(command, sizeof command,
           "valgrind --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect=run_body /proc/%d/exe --one %d "
           "%zu 2>&1",
           (int) getpid(), c, n);
  FILE *f = popen(command, "r");
  long long count = -1;
  while (f && fgets(line, sizeof line, f))
  {
    char *p = strstr(line, "Collected : ");
    if (p)
      count = atoll(p + 12);
  }
  return f && pclose(f) == 0 && count >= 0 ? (double) count / (double) n : -1;
}

static void
one(int c, size_t n)
{
  bench_case bench = cases[c < 0 ? 0 : c];
  bench.threads = 1;
  bench.n = n;
  if (c < 0)
    bench.body = body_empty;
  run_round(&bench);
}

int
main(int argc, char **argv)
{
  int rounds = 25;
  bool lttng = true, count = true;
  const char *dir = getenv("TMPDIR");
  snprintf(log_path, sizeof log_path, "%.30s/heddle-bench-%d.hlog", dir ? dir : "/tmp", (int) getpid());
  for (int i = 1; i < argc; i++)
    if (strcmp(argv[i], "--rounds") == 0 && i + 1 < argc)
      rounds = atoi(argv[++i]);
    else if (strcmp(argv[i], "--no-lttng") == 0)
      lttng = false;
    else if (strcmp(argv[i], "--no-instructions") == 0)
      count = false;
    else if (strcmp(argv[i], "--one") == 0 && i + 2 < argc)
    {
      one(atoi(argv[i + 1]), strtoul(argv[i + 2], NULL, 10));
      return 0;
    }
    else
    {
      fprintf(stderr, "usage: bench_log [--rounds N] [--no-lttng] [--no-instructions]\n");
      return 2;
    }
  rounds = rounds < 3 ? 3 : rounds > MAX_ROUNDS ? MAX_ROUNDS : rounds;
  if (system("valgrind --version >/dev/null 2>&1") != 0)
    count = false;

  /* All cases in each round, so that a slow moment of the machine is shared by all. */
  static double ns[NCASES][MAX_ROUNDS];
  for (int r = 0; r < rounds; r++)
    for (int c = 0; c < NCASES; c++)
      if (cases[c].mode != LTTNG)
        ns[c][r] = run_round(&cases[c]);
  lttng = lttng && run_lttng(rounds, ns[NCASES - 2], ns[NCASES - 1]);
  double empty = count ? instructions(-1) : -1;
  double least = 0, slowest = 0;
  printf("| event | | ns, median | middle half | of the floor | instructions |\n");
  printf("| --- | --- | --- | --- | --- | --- |\n");
  for (int c = 0; c < NCASES; c++)
  {
    if (cases[c].mode == LTTNG && !lttng)
      continue;
    qsort(ns[c], (size_t) rounds, sizeof(double), compare);
    double median = ns[c][rounds / 2];
    if (c == 0)
      least = median;
    if (cases[c].mode == LTTNG && cases[c].threads == 1)
      slowest = median;
    double n = count && cases[c].threads == 1 && cases[c].n == BURST && cases[c].mode != LTTNG ? instructions(c) : -1;
    char text[32] = "-";
    if (n >= 0 && empty >= 0)
      snprintf(text, sizeof text, "%.1f", n - empty);
    printf("| %s | %s | %.2f | %.2f .. %.2f | %.1f | %s |\n", cases[c].name, cases[c].note, median, ns[c][rounds / 4],
           ns[c][rounds - 1 - rounds / 4], median / least, text);
    fflush(stdout);
  }
  if (slowest > 0)
  {
    printf("\nLTTng-UST takes");
    for (int c = 4; c < 8; c++)
      printf("%s %.0f times as long as a %s", c > 4 ? "," : "", slowest / ns[c][rounds / 2], cases[c].name);
    printf(".\n");
  }
  else
    printf("\nLTTng-UST was not measured: it is not installed, or was switched off.\n");
  return 0;
}
