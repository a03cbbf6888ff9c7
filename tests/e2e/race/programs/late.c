/* A thread that nobody joins is not done yet when main returns. Right: it is joined. */
#include <pthread.h>

#include "order.h"

static int total;

static void *
add(void *argument)
{
  after(1);
  total++;
  return argument;
}

int
main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, add, NULL);
#ifdef RIGHT
  done();
  pthread_join(thread, NULL);
  total++;
#else
  total++;
  done();
#endif
  return 0;
}
