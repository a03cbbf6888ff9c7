/* A million blocks of memory, most of which live to the end; wrong: one of them is written by two threads. */
#include <pthread.h>
#include <stdlib.h>

#include "order.h"

typedef struct node
{
  struct node *next;
  long value;
} node;

enum
{
  NODES = 500000
};
static node *lists[2];
static long *last;

static void *
work(void *argument)
{
  node **list = argument;
  for (long i = 0; i < NODES; i++)
  {
    node *n = malloc(sizeof *n);
    n->value = i;
    n->next = *list;
    *list = n;
    if (i % 8 == 0)
    {
      *list = n->next;
      free(n);
    }
  }
  return NULL;
}

static void *
touch(void *argument)
{
  *last = 2;
  done();
  return argument;
}

int
main(void)
{
  pthread_t threads[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&threads[i], NULL, work, &lists[i]);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
  last = malloc(sizeof *last);
  pthread_create(&threads[0], NULL, touch, NULL);
#ifdef RIGHT
  pthread_join(threads[0], NULL);
  *last = 3;
#else
  after(1);
  *last = 3;
  pthread_join(threads[0], NULL);
#endif
  return 0;
}
