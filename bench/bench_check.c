/* bench_check.c: how fast logs are judged offline, and how time and memory grow with their length.
 *
 * Four simulated threads work on a multiset of about a thousand elements (a third of the operations each insert, delete
 * and look); every mutator has an exact commit and, for view refinement, a commit block with one write. The logs are
 * made with hd_log_build; each is judged in a process of its own, by one thread, five times (once for the longest).
 * Medians. */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "log/log.h"
#include "refine/refine.h"
#include "specs/specs.h"

#define THREADS 4
#define ELEMENTS 1024

/* ---- making a log ---- */

enum
{
  CALL,
  BLOCK_BEGIN,
  WRITE,
  COMMIT,
  BLOCK_END,
  RETURN,
  IDLE
};
enum
{
  INSERT,
  DELETE,
  CONTAINS
};

typedef struct worker
{
  int at, method;
  uint64_t element;
  int64_t ret;
} worker;

typedef struct maker
{
  hd_log_build *build;
  uint32_t object, call_site[3], return_site, commit_site, begin_site, end_site, write_site;
  uint64_t ticks, random;
  int64_t count[ELEMENTS];
  bool views;
} maker;

static void
put(maker *m, uint32_t thread, uint32_t kind, uint32_t site, bool stamped, bool ticked, const hd_value *values,
    uint32_t n)
{
  hd_event e = {.kind = (uint8_t) kind,
                .thread = thread,
                .object = m->object,
                .site = site,
                .stamped = stamped,
                .ticked = ticked,
                .stamp = m->ticks,
                .values = values,
                .nvalues = n};
  hd_log_build_event(m->build, &e);
  m->ticks += ticked;
}

/* The next event of W; true: its operation is over. */
static bool
advance(maker *m, worker *w, uint32_t thread)
{
  bool mutator = w->method != CONTAINS;
  hd_value values[2];
  switch (w->at)
  {
  case CALL:
    values[0] = hd_uint(w->element);
    put(m, thread, HD_K_CALL, m->call_site[w->method], true, false, values, 1);
    w->at = mutator ? (m->views ? BLOCK_BEGIN : COMMIT) : RETURN;
    if (!mutator)
      w->ret = m->count[w->element] > 0;
    break;
  case BLOCK_BEGIN:
    put(m, thread, HD_K_BLOCK_BEGIN, m->begin_site, false, false, NULL, 0);
    w->at = WRITE;
    break;
  case WRITE: /* and the commit at once: the lock is held */
  case COMMIT:
  {
    int64_t *count = &m->count[w->element];
    w->ret = w->method == INSERT || *count > 0;
    *count += w->method == INSERT ? 1 : *count > 0 ? -1 : 0;
    if (w->at == WRITE)
    {
      values[0] = hd_uint(w->element);
      values[1] = hd_int(*count);
      put(m, thread, HD_K_WRITE, m->write_site, true, false, values, 2);
    }
    put(m, thread, HD_K_COMMIT, m->commit_site, true, true, NULL, 0);
    w->at = w->at == WRITE ? BLOCK_END : RETURN;
    break;
  }
  case BLOCK_END:
    put(m, thread, HD_K_BLOCK_END, m->end_site, false, false, NULL, 0);
    w->at = RETURN;
    break;
  default:
    values[0] = hd_bool(w->ret);
    put(m, thread, HD_K_RETURN, m->return_site, true, false, values, 1);
    w->at = IDLE;
    return true;
  }
  return false;
}

static void
make_log(const char *path, uint64_t operations, bool views)
{
  char *error = NULL;
  maker m = {.build = hd_log_build_new(path, &error), .views = views, .random = 1};
  if (!m.build)
  {
    fprintf(stderr, "bench_check: %s\n", error);
    exit(1);
  }
  m.object = hd_log_build_object(m.build, "multiset", "m", NULL, 0);
  static const char *const names[] = {"insert", "delete", "contains"};
  const uint8_t one[] = {HD_UINT}, truth[] = {HD_BOOL}, two[] = {HD_UINT, HD_INT};
  for (int i = 0; i < 3; i++)
    m.call_site[i] = hd_log_build_site(m.build, HD_K_CALL, names[i], "multiset.c", names[i], 10, one, 1);
  m.return_site = hd_log_build_site(m.build, HD_K_RETURN, "", "multiset.c", "f", 20, truth, 1);
  m.commit_site = hd_log_build_site(m.build, HD_K_COMMIT, "", "multiset.c", "f", 15, NULL, 0);
  m.begin_site = hd_log_build_site(m.build, HD_K_BLOCK_BEGIN, "", "multiset.c", "f", 13, NULL, 0);
  m.end_site = hd_log_build_site(m.build, HD_K_BLOCK_END, "", "multiset.c", "f", 16, NULL, 0);
  m.write_site = hd_log_build_site(m.build, HD_K_WRITE, "", "multiset.c", "f", 14, two, 2);
  worker workers[THREADS];
  for (int i = 0; i < THREADS; i++)
    workers[i] = (worker){.at = IDLE};
  uint64_t started = 0, done = 0;
  while (done < operations)
  {
    uint32_t t = hd_random(&m.random) % THREADS;
    worker *w = &workers[t];
    if (w->at == IDLE)
    {
      if (started == operations)
        continue;
      started++;
      *w = (worker){.at = CALL, .method = (int) (hd_random(&m.random) % 3), .element = hd_random(&m.random) % ELEMENTS};
    }
    done += advance(&m, w, t + 1);
  }
  if (!hd_log_build_close(m.build, true, &error))
  {
    fprintf(stderr, "bench_check: %s\n", error);
    exit(1);
  }
}

/* ---- the replica: a variable per element ---- */

static void *
replica_create(const hd_value *config, size_t n)
{
  (void) config, (void) n;
  return calloc(ELEMENTS, sizeof(int64_t));
}

static void
replica_write(void *r, uint64_t var, hd_value v, hd_keys *touched)
{
  ((int64_t *) r)[var % ELEMENTS] = v.i;
  hd_touch(touched, hd_uint(var));
}

static bool
replica_view(const void *r, hd_value key, hd_value *out)
{
  *out = hd_int(((const int64_t *) r)[key.u % ELEMENTS]);
  return out->i > 0;
}

static const hd_replica replica
    = {.create = replica_create, .destroy = free, .write = replica_write, .view = replica_view};

/* ---- judging ---- */

typedef struct figures
{
  double seconds;
  long kib;
  uint64_t events;
} figures;

static double
now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); /* one thread: its time on a core */
  return (double) t.tv_sec + (double) t.tv_nsec / 1e9;
}

static figures
judge(const char *path, bool views)
{
  int fds[2];
  if (pipe(fds) != 0)
    exit(1);
  fflush(NULL);
  pid_t child = fork();
  if (child == 0)
  {
    hd_spec spec = *hd_specs_find("multiset");
    spec.replica = &replica;
    const hd_spec *specs[] = {&spec};
    char *error = NULL;
    double start = now();
    hd_log *log = hd_log_open(path, &error);
    hd_refine_options options = {.view = views ? HD_VIEW_TOUCHED : HD_VIEW_OFF};
    hd_checks *checks = hd_checks_new(log, specs, 1, &options, 1, NULL, 0);
    hd_log_sink sink = hd_checks_sink(checks);
    hd_log_read(log, &sink);
    bool holds = hd_checks_finish(checks, NULL) == HD_HOLDS;
    figures f = {.seconds = now() - start, .events = hd_checks_events(checks)};
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    f.kib = usage.ru_maxrss;
    if (!holds || write(fds[1], &f, sizeof f) != sizeof f)
      _exit(1);
    _exit(0);
  }
  figures f = {0};
  int status;
  if (child < 0 || read(fds[0], &f, sizeof f) != sizeof f || waitpid(child, &status, 0) != child || status != 0)
  {
    fprintf(stderr, "bench_check: a right log was not judged to hold\n");
    exit(1);
  }
  close(fds[0]);
  close(fds[1]);
  return f;
}

static int
by_time(const void *a, const void *b)
{
  double x = ((const figures *) a)->seconds, y = ((const figures *) b)->seconds;
  return x < y ? -1 : x > y;
}

int
main(int argc, char **argv)
{
  uint64_t longest = argc > 1 ? strtoull(argv[1], NULL, 10) : 10000000;
  const char *folder = getenv("TMPDIR");
  char path[4096];
  snprintf(path, sizeof path, "%s/heddle-bench-check-%ld.hlog", folder && *folder ? folder : "/tmp", (long) getpid());
  puts("| check | operations | events | median | operations per second | ns per event | spread | peak memory |");
  puts("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
  for (int views = 0; views < 2; views++)
    for (uint64_t n = 10000; n <= longest; n *= 10)
    {
      make_log(path, n, views);
      figures runs[5];
      size_t nruns = n >= 10000000 ? 3 : 5;
      for (size_t i = 0; i < nruns; i++)
        runs[i] = judge(path, views);
      qsort(runs, nruns, sizeof *runs, by_time);
      figures f = runs[nruns / 2];
      printf("| %s | %llu | %llu | %.3f s | %.2f million | %.1f | %.0f %% | %.1f MiB |\n",
             views ? "I/O and view" : "I/O", (unsigned long long) n, (unsigned long long) f.events, f.seconds,
             (double) n / f.seconds / 1e6, f.seconds * 1e9 / (double) f.events,
             (runs[nruns - 1].seconds - runs[0].seconds) / f.seconds * 100, (double) f.kib / 1024);
      fflush(stdout);
      unlink(path);
    }
  return 0;
}
