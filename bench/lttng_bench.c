/* lttng_bench.c: what an LTTng-UST tracepoint costs with the payload of a call; a program of its own, so that bench_log
 * has nothing of LTTng in it. bench_log runs it and reads its figures.
 *
 *   bench_log_lttng ROUNDS EVENTS       prints a line per round: ns per event with 1 thread, with 2 threads
 *
 * The session daemon is one of our own, in a temporary home that is removed afterwards; as root we go on as nobody, for
 * root's daemon would be the system's. A program looks for its daemon when it starts, so this one starts the daemon
 * first and then itself again. Buffers are overwritten when they are full: no event is refused, no disk waited for. */
#define _GNU_SOURCE
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "lttng_provider.h"

#include <grp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pthread_barrier_t barrier;
static size_t events;

static double
now_ns(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double) t.tv_sec * 1e9 + (double) t.tv_nsec;
}

static void *
run_thread(void *arg)
{
  double *ns = arg;
  lttng_ust_tracepoint(heddle_bench, call, 1, 2, 0);
  pthread_barrier_wait(&barrier);
  double t = now_ns();
  for (size_t i = 0; i < events; i++)
    lttng_ust_tracepoint(heddle_bench, call, 1, 2, i);
  *ns = (now_ns() - t) / (double) events;
  return NULL;
}

static double
run_round(unsigned threads)
{
  pthread_t other;
  double ns[2] = {0};
  pthread_barrier_init(&barrier, NULL, threads);
  if (threads == 2)
    pthread_create(&other, NULL, run_thread, &ns[1]);
  run_thread(&ns[0]);
  if (threads == 2)
    pthread_join(other, NULL);
  pthread_barrier_destroy(&barrier);
  return (ns[0] + ns[1]) / threads;
}

static int
sh(const char *command)
{
  int status = system(command);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void
stop_daemon(void)
{
  sh("lttng destroy bench >/dev/null 2>&1");
  sh("pid=$(cat \"$LTTNG_HOME/.lttng/lttng-sessiond.pid\" 2>/dev/null) && kill \"$pid\" "
     "&& while kill -0 \"$pid\" 2>/dev/null; do sleep 0.1; done");
  sh("rm -rf \"$LTTNG_HOME\"");
}

/* Does not return if all went well. */
static void
start_daemon(char **argv)
{
  char home[] = "/tmp/heddle-lttng-XXXXXX";
  if (geteuid() == 0 && (setgroups(0, NULL) != 0 || setgid(65534) != 0 || setuid(65534) != 0))
    return;
  if (!mkdtemp(home))
    return;
  setenv("LTTNG_HOME", home, 1);
  setenv("LTTNG_UST_REGISTER_TIMEOUT", "-1", 1); /* wait for the daemon before main */
  if (sh("cd / && lttng-sessiond --daemonize --no-kernel >/dev/null 2>&1 && lttng create bench --snapshot >/dev/null "
         "2>&1 "
         "&& lttng enable-channel -u ring --subbuf-size=1M --num-subbuf=4 --overwrite >/dev/null 2>&1 "
         "&& lttng enable-event -u 'heddle_bench:*' -c ring >/dev/null 2>&1 && lttng start >/dev/null 2>&1")
      == 0)
  {
    setenv("HEDDLE_BENCH_LTTNG", "1", 1);
    execv("/proc/self/exe", argv);
  }
  stop_daemon();
}

int
main(int argc, char **argv)
{
  if (argc != 3)
    return 2;
  if (!getenv("HEDDLE_BENCH_LTTNG"))
  {
    start_daemon(argv);
    fprintf(stderr, "bench_log_lttng: LTTng could not be started\n");
    return 1;
  }
  events = strtoul(argv[2], NULL, 10);
  if (!lttng_ust_tracepoint_enabled(heddle_bench, call))
    fprintf(stderr, "bench_log_lttng: the tracepoint is not switched on\n");
  else
    for (int i = 0; i < atoi(argv[1]); i++)
    {
      double one = run_round(1), two = run_round(2);
      printf("%.3f %.3f\n", one, two);
    }
  stop_daemon();
  return 0;
}
