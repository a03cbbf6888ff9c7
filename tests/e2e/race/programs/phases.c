/* One barrier between the phases is not enough if a phase overwrites what the others still read; right: there are two.
 */
#include <pthread.h>

#include "order.h"

static pthread_barrier_t barrier;
static int now[2], sums[2];

static void
phase(int me)
{
  now[me]++;
  pthread_barrier_wait(&barrier);
  if (me == 1)
    after(1); /* the other one is ahead */
  sums[me] = now[0] + now[1];
#ifdef RIGHT
  if (me == 0)
    done();
  pthread_barrier_wait(&barrier);
  now[me]++;
#else
  now[me]++;
  if (me == 0)
    done();
#endif
}

static void *
second(void *argument)
{
  phase(1);
  return argument;
}

int
main(void)
{
  pthread_t thread;
  pthread_barrier_init(&barrier, NULL, 2);
  pthread_create(&thread, NULL, second, NULL);
  phase(0);
  pthread_join(thread, NULL);
  return sums[0] + sums[1] == 0;
}
