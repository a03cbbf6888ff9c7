/* A sequence lock whose data is plain; right: it is atomic, with the fences that belong there. */
#include <pthread.h>
#include <stdatomic.h>

#include "order.h"

static atomic_uint sequence;
#ifdef RIGHT
static atomic_int x, y;
#define GET(v) atomic_load_explicit(&v, memory_order_relaxed)
#define SET(v, n) atomic_store_explicit(&v, n, memory_order_relaxed)
#else
static int x, y;
#define GET(v) v
#define SET(v, n) v = n
#endif

static void *
writer(void *argument)
{
  unsigned s = atomic_load_explicit(&sequence, memory_order_relaxed);
  atomic_store_explicit(&sequence, s + 1, memory_order_relaxed);
  atomic_thread_fence(memory_order_release);
  SET(x, 1);
  done();
  after(2);
  SET(y, 1);
  atomic_store_explicit(&sequence, s + 2, memory_order_release);
  done();
  return argument;
}

static int
read_both(void)
{
  int sum;
  unsigned before, now;
  do
  {
    before = atomic_load_explicit(&sequence, memory_order_acquire);
    sum = GET(x) + GET(y);
    done();
    atomic_thread_fence(memory_order_acquire);
    now = atomic_load_explicit(&sequence, memory_order_relaxed);
    after(3);
  } while (before != now || (before & 1));
  return sum;
}

int
main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, writer, NULL);
  after(1);
  int sum = read_both();
  pthread_join(thread, NULL);
  return sum != 2;
}
