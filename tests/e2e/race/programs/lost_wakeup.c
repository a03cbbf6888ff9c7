/* A queue whose length is looked at without the lock before waiting: the wake-up may come between. Right: with it, in a
 * loop. */
#include <pthread.h>

#include "order.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static struct
{
  int length, jobs[8];
} queue;

static void *
producer(void *argument)
{
  pthread_mutex_lock(&lock);
  queue.jobs[queue.length++] = 5;
  pthread_mutex_unlock(&lock);
  pthread_cond_signal(&filled);
  done();
  return argument;
}

static int
take(void)
{
#ifdef RIGHT
  pthread_mutex_lock(&lock);
  while (queue.length == 0)
    pthread_cond_wait(&filled, &lock);
#else
  if (queue.length == 0)
  {
    pthread_mutex_lock(&lock);
    pthread_cond_wait(&filled, &lock);
    pthread_mutex_unlock(&lock);
  }
  pthread_mutex_lock(&lock);
#endif
  int job = queue.jobs[--queue.length];
  pthread_mutex_unlock(&lock);
  return job;
}

int
main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, producer, NULL);
  after(1);
  int job = take();
  pthread_join(thread, NULL);
  return job != 5;
}
