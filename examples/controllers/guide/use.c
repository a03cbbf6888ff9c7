/* use.c: the test of homemade.c with the controller, and with two threads that reload. */
#ifdef FAST
#define HD_CONTROLLER_GENERATED "table_fast.h"
#endif
#include "table.h"

#include <assert.h>
#include <pthread.h>
#include <stdio.h>

enum
{
  READERS = 4,
  WRITERS = 2,
  ROUNDS = 20000
};

static table lock;
static int left, right;

static void *
look(void *unused)
{
  for (int i = 0; i < ROUNDS; i++)
  {
    table_r_enter(&lock);
    assert(left == right);
    table_r_exit(&lock);
  }
  return unused;
}

static void *
reload(void *unused)
{
  for (int i = 0; i < ROUNDS; i++)
  {
    table_w_ask(&lock);
    table_w_enter(&lock);
    left++;
    right++;
    table_w_exit(&lock);
  }
  return unused;
}

int
main(void)
{
  pthread_t threads[READERS + WRITERS];
  table_init(&lock);
  for (int i = 0; i < READERS + WRITERS; i++)
    pthread_create(&threads[i], NULL, i < READERS ? look : reload, NULL);
  for (int i = 0; i < READERS + WRITERS; i++)
    pthread_join(threads[i], NULL);
  assert(left == WRITERS * ROUNDS && right == WRITERS * ROUNDS);
  table_destroy(&lock);
  puts("passed");
}
