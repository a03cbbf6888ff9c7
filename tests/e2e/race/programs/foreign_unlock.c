/* A thread unlocks what another one locked, "because it hangs": a third comes in. Right: who locks unlocks. */
#include <pthread.h>

#include "order.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int jobs;

static void *
slow(void *argument)
{
  pthread_mutex_lock(&lock);
  jobs++;
  done();
#ifdef RIGHT
  pthread_mutex_unlock(&lock);
#else
  after(3);
  jobs++;
#endif
  return argument;
}

static void *
impatient(void *argument)
{
  after(1);
#ifndef RIGHT
  pthread_mutex_unlock(&lock);
#endif
  done();
  return argument;
}

int
main(void)
{
  pthread_t one, two;
  pthread_create(&one, NULL, slow, NULL);
  pthread_create(&two, NULL, impatient, NULL);
  after(2);
  pthread_mutex_lock(&lock);
  jobs++;
  pthread_mutex_unlock(&lock);
  done();
  pthread_join(one, NULL);
  pthread_join(two, NULL);
  return 0;
}
