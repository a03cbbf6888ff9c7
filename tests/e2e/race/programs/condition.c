/* A condition variable; wrong: the flag is set without the lock. */
#include <pthread.h>

#include "order.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static int flag, value;

static void *
work(void *argument)
{
  pthread_mutex_lock(&lock);
  while (!flag)
  {
    done();
    pthread_cond_wait(&ready, &lock);
  }
  value++;
  pthread_mutex_unlock(&lock);
  return argument;
}

int
main(void)
{
  pthread_t thread;
  value = 1;
  pthread_create(&thread, NULL, work, NULL);
  after(1); /* the thread has looked */
#ifdef RIGHT
  pthread_mutex_lock(&lock);
  flag = 1;
  pthread_mutex_unlock(&lock);
#else
  flag = 1;
  pthread_mutex_lock(&lock); /* so that the thread does not sleep for ever */
  pthread_mutex_unlock(&lock);
#endif
  pthread_cond_broadcast(&ready);
  pthread_join(thread, NULL);
  return value != 2;
}
