/* Memory that another thread frees is still used; right: it is not, and that it is soon used again is no race. */
#include <pthread.h>
#include <stdlib.h>

#include "order.h"

static void *
work(void *argument)
{
#ifdef RIGHT
  free(argument);
#else
  long *p = argument;
  long seen = p[3];
  done();
  after(2);
  return seen ? argument : NULL;
#endif
  done();
  after(2);
  return NULL;
}

int
main(void)
{
  pthread_t thread;
  long *p = calloc(8, sizeof *p);
  pthread_create(&thread, NULL, work, p);
  after(1);
#ifdef RIGHT
  long *again = malloc(8 * sizeof *again);
  again[3] = 1;
  free(again);
#else
  free(p);
#endif
  done();
  pthread_join(thread, NULL);
  return 0;
}
