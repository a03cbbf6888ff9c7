/* A recursive mutex; wrong: the inner unlock is one too many. */
#define _GNU_SOURCE
#include <pthread.h>

#include "order.h"

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static int depth;

static void *
work(void *argument)
{
  pthread_mutex_lock(&lock);
  pthread_mutex_lock(&lock);
  depth++;
  pthread_mutex_unlock(&lock);
#ifndef RIGHT
  pthread_mutex_unlock(&lock);
#endif
  depth++;
#ifdef RIGHT
  pthread_mutex_unlock(&lock);
#endif
  return argument;
}

int
main(void)
{
  pthread_t one, two;
  pthread_create(&one, NULL, work, NULL);
  pthread_create(&two, NULL, work, NULL);
  pthread_join(one, NULL);
  pthread_join(two, NULL);
  return depth != 4;
}
