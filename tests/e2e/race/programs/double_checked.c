/* Double-checked locking: the first look at the pointer is plain; right: atomic. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "order.h"

#ifdef RIGHT
static _Atomic(int *) instance;
#else
static int *instance;
#endif
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int *
get(void)
{
  if (!instance)
  {
    pthread_mutex_lock(&lock);
    if (!instance)
    {
      int *new = malloc(sizeof *new);
      *new = 42;
      instance = new;
    }
    pthread_mutex_unlock(&lock);
  }
  return instance;
}

static void *
work(void *argument)
{
  after(1);
  return *get() == 42 ? argument : NULL;
}

int
main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  get();
  done();
  pthread_join(thread, NULL);
  return 0;
}
