/* An array is made bigger while another thread reads it; right: under a lock. */
#include <pthread.h>
#include <stdlib.h>

#include "order.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *numbers;

static void *
grow(void *argument)
{
#ifdef RIGHT
  pthread_mutex_lock(&lock);
#else
  after(1);
#endif
  numbers = realloc(numbers, 1000 * sizeof *numbers);
#ifdef RIGHT
  pthread_mutex_unlock(&lock);
#endif
  done();
  return argument;
}

int
main(void)
{
  pthread_t thread;
  numbers = calloc(10, sizeof *numbers);
  pthread_create(&thread, NULL, grow, NULL);
#ifdef RIGHT
  pthread_mutex_lock(&lock);
#endif
  int seen = numbers[7];
#ifdef RIGHT
  pthread_mutex_unlock(&lock);
#endif
  done();
  pthread_join(thread, NULL);
  pthread_mutex_destroy(&lock);
  return seen;
}
