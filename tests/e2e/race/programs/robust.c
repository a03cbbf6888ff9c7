/* A thread ends while it holds a robust mutex, and the next one repairs what it left; wrong: that one looks at it
 * before it has the mutex. */
#include <errno.h>
#include <pthread.h>

#include "order.h"

static pthread_mutex_t lock;
static int entries, repaired;

static void *
leave(void *argument)
{
  pthread_mutex_lock(&lock);
  entries++;
  done();
  return argument;
}

static void *
repair(void *argument)
{
  after(1);
#ifndef RIGHT
  if (entries < 0)
    return argument;
#endif
  int error = pthread_mutex_lock(&lock);
  if (error == EOWNERDEAD)
  {
    repaired++;
    entries--;
    pthread_mutex_consistent(&lock);
  }
  pthread_mutex_unlock(&lock);
  return argument;
}

int
main(void)
{
  pthread_t threads[2];
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&lock, &attributes);
  pthread_create(&threads[0], NULL, leave, NULL);
  pthread_create(&threads[1], NULL, repair, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
  return entries != 0 || repaired != 1;
}
