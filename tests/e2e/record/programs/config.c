/* Two threads write to the same variable; by chance each of them takes a lock between the two. Right: inside of it. */
#include <pthread.h>
#include <stddef.h>

#include "order.h"

int config;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *
early(void *argument)
{
#ifndef RIGHT
  config = 1;
#endif
  pthread_mutex_lock(&lock);
#ifdef RIGHT
  config = 1;
#endif
  pthread_mutex_unlock(&lock);
  done();
  return argument;
}

static void *
late(void *argument)
{
  after(1);
  pthread_mutex_lock(&lock);
#ifdef RIGHT
  config = 2;
#endif
  pthread_mutex_unlock(&lock);
#ifndef RIGHT
  config = 2;
#endif
  return argument;
}

int
main(void)
{
  pthread_t one, two;
  pthread_create(&one, NULL, early, NULL);
  pthread_create(&two, NULL, late, NULL);
  pthread_join(one, NULL);
  pthread_join(two, NULL);
  return 0;
}
