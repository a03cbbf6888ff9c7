/* Fences around relaxed operations; wrong: without the one on the writer's side. */
#include <pthread.h>
#include <stdatomic.h>

#include "order.h"

static int payload;
static atomic_int flag;

static void *
work(void *argument)
{
  after(1);
  while (!atomic_load_explicit(&flag, memory_order_relaxed))
    ;
  atomic_thread_fence(memory_order_acquire);
  return payload == 5 ? argument : NULL;
}

int
main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  payload = 5;
#ifdef RIGHT
  atomic_thread_fence(memory_order_release);
#endif
  atomic_store_explicit(&flag, 1, memory_order_relaxed);
  done();
  pthread_join(thread, NULL);
  return 0;
}
