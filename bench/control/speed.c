/* speed.c: how long threads take with a lock. tools/run-bench-control-speed compiles it for each lock of locks.inc in
 * each form: POSIX's, the controller as it is, and the controller with generated code.
 *
 *   speed THREADS WRITES YIELDS CHANCE SECONDS
 *
 * Threads enter, write or read, and leave, for so many seconds, each of them a write with a chance of WRITES in 100.
 * Inside they give the processor away YIELDS times, so that others come and have to wait, with a chance of CHANCE in
 * 100. Prints the nanoseconds of one operation, of all threads together. */
#include <limits.h>
#include <sched.h>
#include <stdatomic.h>
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
static int threads, writes, yields, chance;
static long data;
static atomic_bool over; /* the seconds are */
#ifdef LOCK_IN_ROUNDS
static atomic_long rounds = LONG_MAX;
#endif
static double starts[MOST_THREADS];
static long done[MOST_THREADS]; /* operations of each */

static double
now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double) t.tv_sec * 1e9 + (double) t.tv_nsec;
}

/* With a chance of PERCENT? The upper bits of the state. */
static inline bool
happens(uint64_t *random, int percent)
{
  *random = *random * 6364136223846793005u + 1442695040888963407u;
  return (int) ((*random >> 33) % 100) < percent;
}

static inline void
work(uint64_t *random)
{
  if (chance < 100 && !happens(random, chance))
    return;
  for (int i = 0; i < yields; i++)
    sched_yield();
}

/* Shall the calling thread, which has done N operations, do another? At a barrier all must do the same number: the
 * first thread says which round is the last before it comes to it, and who has passed that round knows. All of it is
 * relaxed: the barrier orders ROUNDS, and OVER need not be. */
static inline bool
goes_on(uintptr_t me, long n)
{
#ifdef LOCK_IN_ROUNDS
  if (me == 0 && atomic_load_explicit(&over, memory_order_relaxed))
    atomic_store_explicit(&rounds, n < rounds ? n + 1 : rounds, memory_order_relaxed);
  return n < atomic_load_explicit(&rounds, memory_order_relaxed);
#else
  (void) me, (void) n;
  return !atomic_load_explicit(&over, memory_order_relaxed);
#endif
}

static void *
run(void *number)
{
  const uintptr_t me = (uintptr_t) number;
  uint64_t random = me * 7919u + 7920u;
  long sum = 0, n = 0;
  pthread_barrier_wait(&go);
  starts[me] = now();
  for (; goes_on(me, n); n++)
  {
    if (!happens(&random, writes))
    {
      lock_read_enter(&the_lock);
      sum += data;
      work(&random);
      lock_read_exit(&the_lock);
    }
    else
    {
      lock_enter(&the_lock);
      data = (long) random;
      work(&random);
      lock_exit(&the_lock);
    }
  }
  done[me] = n;
  return (void *) (uintptr_t) sum;
}

int
main(int argc, char **argv)
{
  pthread_t ids[MOST_THREADS];
  if (argc != 6 || (threads = atoi(argv[1])) < 1 || threads > MOST_THREADS)
  {
    fputs("usage: speed THREADS WRITES YIELDS CHANCE SECONDS\n", stderr);
    return 2;
  }
  writes = atoi(argv[2]);
  yields = atoi(argv[3]);
  chance = atoi(argv[4]);
  const double seconds = atof(argv[5]);
  const struct timespec length = {(time_t) seconds, (long) ((seconds - (double) (time_t) seconds) * 1e9)};
  lock_init(&the_lock, threads);
  pthread_barrier_init(&go, NULL, (unsigned) threads + 1); /* and who measures */
  for (int i = 0; i < threads; i++)
    if (pthread_create(&ids[i], NULL, run, (void *) (uintptr_t) i) != 0)
      return 2;
  pthread_barrier_wait(&go);
  nanosleep(&length, NULL);
  atomic_store_explicit(&over, true, memory_order_relaxed); /* relaxed: see goes_on() */
  const double end = now();
  double start = end;
  long operations = 0;
  for (int i = 0; i < threads; i++)
  {
    pthread_join(ids[i], NULL);
    start = starts[i] < start ? starts[i] : start; /* the first may be far before who measures is back */
    operations += done[i];
  }
  printf("%.1f\n", (end - start) / (double) operations);
  return 0;
}
