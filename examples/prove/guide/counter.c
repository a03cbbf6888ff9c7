/* counter.c: requests are counted in rounds of LIMIT. Any thread that sees a full round takes it off the counter.
 * The program is wrong, and its test passes: see docs/prove-guide.md. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

enum
{
  LIMIT = 1000,
  THREADS = 4,
  EACH = 100000
};

static atomic_bool word; /* the lock */
static atomic_int hits;  /* of this round: never negative, says who reads it */
static int rounds;

static void
acquire(void)
{
  bool expected = false;
  while (!atomic_compare_exchange_weak(&word, &expected, true))
    expected = false;
}

static void
release(void)
{
  atomic_store(&word, false);
}

static void
increment(void)
{
  acquire();
  int v = hits;
  hits = v + 1;
  release();
}

static void
wrap(void)
{
  if (hits < LIMIT)
    return; /* nearly always: the lock is not worth it */
  acquire();
  int v = hits;
  hits = v - LIMIT;
  rounds++;
  release();
}

static void *
serve(void *arg)
{
  for (int i = 0; i < EACH; i++)
  {
    increment();
    wrap();
  }
  return arg;
}

int
main(void)
{
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++)
    pthread_create(&threads[i], NULL, serve, NULL);
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  bool right = rounds * LIMIT + hits == THREADS * EACH;
  puts(right ? "passed" : "failed");
  return !right;
}
