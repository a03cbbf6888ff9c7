/* speed.c: how long threads take with a lock. tools/run-bench-control-speed compiles it for each lock of locks.inc in
 * each form: POSIX's, the controller as it is, and the controller with generated code.
 *
 *   speed THREADS WRITES YIELDS OPERATIONS
 *
 * Threads enter, write or read, and leave: so many operations, all threads together, each of them a write with a chance
 * of WRITES in 100. Inside they give the processor away YIELDS times, so that others come and have to wait. Prints the
 * nanoseconds of one operation, of all threads together. */
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "locks.inc"

enum
{
  MOST_THREADS = 256
};

static lock the_lock;
static pthread_barrier_t go;
static int threads, writes, yields;
static long operations; /* of each thread */
static long data;
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

static void *
run(void *number)
{
  const uintptr_t me = (uintptr_t) number;
  unsigned random = (unsigned) me * 7919u + 7920u;
  long sum = 0;
  pthread_barrier_wait(&go);
  starts[me] = now();
  for (long i = 0; i < operations; i++)
  {
    random = random * 1664525u + 1013904223u;
    if ((int) ((random >> 16) % 100) >= writes)
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
  return (void *) (uintptr_t) sum;
}

int
main(int argc, char **argv)
{
  pthread_t ids[MOST_THREADS];
  if (argc != 5 || (threads = atoi(argv[1])) < 1 || threads > MOST_THREADS)
  {
    fputs("usage: speed THREADS WRITES YIELDS OPERATIONS\n", stderr);
    return 2;
  }
  writes = atoi(argv[2]);
  yields = atoi(argv[3]);
  operations = (atol(argv[4]) + threads - 1) / threads;
  lock_init(&the_lock, threads);
  pthread_barrier_init(&go, NULL, (unsigned) threads);
  for (int i = 0; i < threads; i++)
    if (pthread_create(&ids[i], NULL, run, (void *) (uintptr_t) i) != 0)
      return 2;
  double start = 0, end = 0;
  for (int i = 0; i < threads; i++)
  {
    pthread_join(ids[i], NULL);
    start = i == 0 || starts[i] < start ? starts[i] : start;
    end = i == 0 || ends[i] > end ? ends[i] : end;
  }
  printf("%.1f\n", (end - start) / (double) (operations * threads));
  return 0;
}
