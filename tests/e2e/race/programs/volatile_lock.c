/* volatile does not make a lock; right: an atomic flag does. */
#include <pthread.h>
#include <stdatomic.h>

#include "order.h"

static int shared;
#ifdef RIGHT
static atomic_flag held = ATOMIC_FLAG_INIT;

static void
lock(void)
{
  while (atomic_flag_test_and_set_explicit(&held, memory_order_acquire))
    ;
}

static void
unlock(void)
{
  atomic_flag_clear_explicit(&held, memory_order_release);
}
#else
static volatile int held;

static void
lock(void)
{
  while (held)
    ;
  held = 1;
}

static void
unlock(void)
{
  held = 0;
}
#endif

static void *
work(void *argument)
{
  lock();
  shared++;
  unlock();
  done();
  return argument;
}

int
main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  after(1);
  lock();
  shared++;
  unlock();
  pthread_join(thread, NULL);
  return 0;
}
