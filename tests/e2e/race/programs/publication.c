/* A message whose address is handed over by a relaxed store; right: by a release store. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "order.h"

typedef struct message
{
  int number;
  char text[12];
} message;
static _Atomic(message *) mailbox;

#ifdef RIGHT
#define PUT memory_order_release
#define TAKE memory_order_acquire
#else
#define PUT memory_order_relaxed
#define TAKE memory_order_relaxed
#endif

static void *
work(void *argument)
{
  after(1);
  message *m = atomic_load_explicit(&mailbox, TAKE);
  return m->number == 7 ? argument : NULL;
}

int
main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  message *m = calloc(1, sizeof *m);
  m->number = 7;
  atomic_store_explicit(&mailbox, m, PUT);
  done();
  pthread_join(thread, NULL);
  return 0;
}
