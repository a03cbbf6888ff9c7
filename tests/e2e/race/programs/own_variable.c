/* The address of a thread's own variable is handed to another thread; right: a copy of it is. */
#include <pthread.h>

#include "order.h"

static _Thread_local struct
{
  int hits, misses;
} statistics;
static int *hits_of_worker;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int copy;

static void *
worker(void *argument)
{
  pthread_mutex_lock(&lock);
  hits_of_worker = &statistics.hits;
  pthread_mutex_unlock(&lock);
  done();
  after(2);
  statistics.hits++;
  pthread_mutex_lock(&lock);
  copy = statistics.hits;
  pthread_mutex_unlock(&lock);
  done();
  after(4);
  return argument;
}

int
main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  after(1);
  pthread_mutex_lock(&lock);
  int *p = hits_of_worker;
  pthread_mutex_unlock(&lock);
  done();
  after(3);
#ifdef RIGHT
  pthread_mutex_lock(&lock);
  int seen = copy;
  pthread_mutex_unlock(&lock);
  (void) p;
#else
  int seen = *p;
#endif
  done();
  pthread_join(thread, NULL);
  return seen != 1;
}
