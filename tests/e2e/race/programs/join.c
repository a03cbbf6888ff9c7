/* The result of a thread is used before it is joined; right: after. */
#include <pthread.h>

#include "order.h"

static long result;

static void *
work(void *argument)
{
  result = 42;
  done();
  return argument;
}

int
main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  after(1);
#ifdef RIGHT
  pthread_join(thread, NULL);
  return result != 42;
#else
  long got = result;
  pthread_join(thread, NULL);
  return got != 42;
#endif
}
