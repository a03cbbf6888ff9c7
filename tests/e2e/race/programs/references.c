/* A reference count that is decremented with relaxed order: who frees may not see what the others did. Right: acquire
 * and release. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "order.h"

#ifdef RIGHT
#define ORDER memory_order_acq_rel
#else
#define ORDER memory_order_relaxed
#endif

typedef struct document
{
  atomic_int references;
  int words;
} document;

static void
drop(document *d)
{
  if (atomic_fetch_sub_explicit(&d->references, 1, ORDER) == 1)
    free(d);
}

static void *
reader(void *argument)
{
  document *d = argument;
  d->words++;
  drop(d);
  done();
  return NULL;
}

int
main(void)
{
  pthread_t thread;
  document *d = malloc(sizeof *d);
  atomic_init(&d->references, 2);
  d->words = 0;
  pthread_create(&thread, NULL, reader, d);
  after(1);
  drop(d);
  pthread_join(thread, NULL);
  return 0;
}
