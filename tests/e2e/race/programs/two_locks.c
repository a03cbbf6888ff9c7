/* Two locks, and each thread believes that its own guards the balance; right: there is one. */
#include <pthread.h>

#include "order.h"

static pthread_mutex_t deposits = PTHREAD_MUTEX_INITIALIZER;
#ifdef RIGHT
#define withdrawals deposits
#else
static pthread_mutex_t withdrawals = PTHREAD_MUTEX_INITIALIZER;
#endif
static long balance = 100;

static void *
deposit(void *argument)
{
  pthread_mutex_lock(&deposits);
  balance += 10;
  pthread_mutex_unlock(&deposits);
  done();
  return argument;
}

int
main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, deposit, NULL);
  after(1);
  pthread_mutex_lock(&withdrawals);
  balance -= 10;
  pthread_mutex_unlock(&withdrawals);
  pthread_join(thread, NULL);
  return 0;
}
