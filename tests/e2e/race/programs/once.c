/* Initialisation by pthread_once; wrong: somebody does not call it. */
#include <pthread.h>

#include "order.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int table[8];

static void
fill(void)
{
  for (int i = 0; i < 8; i++)
    table[i] = i;
}

static void *
work(void *argument)
{
  after(1);
#ifdef RIGHT
  pthread_once(&once, fill);
#endif
  return table[5] ? argument : NULL;
}

int
main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  pthread_once(&once, fill);
  done();
  pthread_join(thread, NULL);
  return 0;
}
