/* Two workers add to a total under a lock, and main prints it; it has joined only the second one, which by chance came
 * after the first. Right: both. */
#include <pthread.h>
#include <stdio.h>

#include "order.h"

int total;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *
early(void *argument)
{
  pthread_mutex_lock(&lock);
  total = 1;
  pthread_mutex_unlock(&lock);
  done();
  return argument;
}

static void *
late(void *argument)
{
  after(1);
  pthread_mutex_lock(&lock);
  total = 2;
  pthread_mutex_unlock(&lock);
  return argument;
}

int
main(void)
{
  pthread_t one, two;
  pthread_create(&one, NULL, early, NULL);
  pthread_create(&two, NULL, late, NULL);
#ifdef RIGHT
  pthread_join(one, NULL);
#endif
  pthread_join(two, NULL);
  printf("%d\n", total);
#ifndef RIGHT
  pthread_join(one, NULL);
#endif
  return 0;
}
