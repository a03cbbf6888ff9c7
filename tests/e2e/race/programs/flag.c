/* "It is only a flag": a plain variable that tells a thread to stop; right: an atomic one. */
#include <pthread.h>
#include <stdatomic.h>

#include "order.h"

#ifdef RIGHT
static atomic_int stop;
#else
static volatile int stop;
#endif

static void *
work(void *argument)
{
  while (!stop)
    done();
  return argument;
}

int
main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  after(1);
  stop = 1;
  pthread_join(thread, NULL);
  return 0;
}
