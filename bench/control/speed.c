/* speed.c: how long threads take with a lock. tools/run-bench-control-speed compiles it for each lock of locks.inc in
 * each form: POSIX's, the controller as it is, and the controller with generated code.
 *
 *   speed THREADS WRITES YIELDS OPERATIONS
 *   speed THREADS WRITES YIELDS for MILLISECONDS
 *
 * Threads enter, write or read, and leave. Inside they give the processor away YIELDS times, so that others come and
 * have to wait. In the first form all threads together do so many operations, each of them a write with a chance of
 * WRITES in 100. In the second form WRITES in 100 threads are writers and the others readers, each for good, and do
 * what they can in that time. Prints the nanoseconds of one operation, of all threads together. */
#include <errno.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "locks.inc"

enum
{
  MOST_THREADS = 256
};

static lock the_lock;
static pthread_barrier_t go;
static int threads, writes, yields;
static long operations; /* of each thread; 0: until it is over */
static int over;
static long data, done[MOST_THREADS];
static double starts[MOST_THREADS], ends[MOST_THREADS];

static double
now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double) t.tv_sec * 1e9 + (double) t.tv_nsec;
}

static inline void
work(void)
{
  for (int i = 0; i < yields; i++)
    sched_yield();
}

static inline bool
goes_on(long n)
{
  return operations ? n < operations : !__atomic_load_n(&over, __ATOMIC_RELAXED);
}

static void *
run(void *number)
{
  const uintptr_t me = (uintptr_t) number;
  const bool writer = (int) me * 100 < threads * writes;
  unsigned random = (unsigned) me * 7919u + 7920u;
  long sum = 0, n = 0;
  pthread_barrier_wait(&go);
  starts[me] = now();
  for (; goes_on(n); n++)
  {
    random = random * 1664525u + 1013904223u;
    if (operations ? (int) ((random >> 16) % 100) >= writes : !writer)
    {
      lock_read_enter(&the_lock);
      sum += data;
      work();
      lock_read_exit(&the_lock);
    }
    else
    {
      lock_enter(&the_lock);
      data = (long) random;
      work();
      lock_exit(&the_lock);
    }
  }
  ends[me] = now();
  done[me] = n;
  return (void *) (uintptr_t) sum;
}

static void
let_pass(long milliseconds)
{
  struct timespec left = {milliseconds / 1000, milliseconds % 1000 * 1000000};
  while (nanosleep(&left, &left) != 0 && errno == EINTR)
    continue;
}

int
main(int argc, char **argv)
{
  pthread_t ids[MOST_THREADS];
  bool timed = argc == 6 && strcmp(argv[4], "for") == 0;
  if ((argc != 5 && !timed) || (threads = atoi(argv[1])) < 1 || threads > MOST_THREADS)
  {
    fputs("usage: speed THREADS WRITES YIELDS {OPERATIONS | for MILLISECONDS}\n", stderr);
    return 2;
  }
  writes = atoi(argv[2]);
  yields = atoi(argv[3]);
  operations = timed ? 0 : (atol(argv[4]) + threads - 1) / threads;
  lock_init(&the_lock, threads);
  pthread_barrier_init(&go, NULL, (unsigned) threads);
  for (int i = 0; i < threads; i++)
    if (pthread_create(&ids[i], NULL, run, (void *) (uintptr_t) i) != 0)
      return 2;
  if (timed)
    let_pass(atol(argv[5]));
  __atomic_store_n(&over, 1, __ATOMIC_RELAXED);
  double start = 0, end = 0;
  long all = 0;
  for (int i = 0; i < threads; i++)
  {
    pthread_join(ids[i], NULL);
    start = i == 0 || starts[i] < start ? starts[i] : start;
    end = i == 0 || ends[i] > end ? ends[i] : end;
    all += done[i];
  }
  printf("%.1f\n", (end - start) / (double) all);
  return 0;
}
