/* "Initialise once" with a flag of one's own; right: under a lock. */
#include <pthread.h>
#include <stdbool.h>

#include "order.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool ready;
static int table[4];

static int
look_up(int i)
{
#ifdef RIGHT
  pthread_mutex_lock(&lock);
#endif
  if (!ready)
  {
    for (int k = 0; k < 4; k++)
      table[k] = k * k;
    ready = true;
  }
#ifdef RIGHT
  pthread_mutex_unlock(&lock);
#endif
  return table[i];
}

static void *
work(void *argument)
{
  look_up(1);
  done();
  return argument;
}

int
main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  after(1);
  int seen = look_up(2);
  pthread_join(thread, NULL);
  pthread_mutex_destroy(&lock);
  return seen != 4;
}
