/* A function that returns early and forgets to unlock; the other thread only tries to lock, and goes on without. Right:
 * every way out unlocks. */
#include <pthread.h>

#include "order.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int orders, failures;

static int
take_order(int amount)
{
  pthread_mutex_lock(&lock);
  orders++;
  if (amount < 0)
  {
#ifdef RIGHT
    pthread_mutex_unlock(&lock);
#endif
    return -1;
  }
  pthread_mutex_unlock(&lock);
  return 0;
}

static void *
bad_customer(void *argument)
{
  take_order(-1);
  done();
  return argument;
}

int
main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, bad_customer, NULL);
  after(1);
  int busy = pthread_mutex_trylock(&lock);
  orders++;
  if (busy)
    failures++;
  else
    pthread_mutex_unlock(&lock);
  pthread_join(thread, NULL);
  return 0;
}
