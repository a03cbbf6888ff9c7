/* A list is walked while another thread takes a node out; right: both under the lock. */
#include <pthread.h>
#include <stdlib.h>

#include "order.h"

typedef struct node
{
  int value;
  struct node *next;
} node;
static node *list;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void
push(int value)
{
  node *n = malloc(sizeof *n);
  n->value = value;
  n->next = list;
  list = n;
}

static void *
sum(void *argument)
{
  int total = 0;
#ifdef RIGHT
  pthread_mutex_lock(&lock);
#endif
  for (node *n = list; n; n = n->next)
    total += n->value;
#ifdef RIGHT
  pthread_mutex_unlock(&lock);
#endif
  done();
  return total ? argument : NULL;
}

int
main(void)
{
  pthread_t thread;
  for (int i = 1; i <= 3; i++)
    push(i);
  pthread_create(&thread, NULL, sum, NULL);
  after(1);
  pthread_mutex_lock(&lock);
  list->next = list->next->next;
  pthread_mutex_unlock(&lock);
  pthread_join(thread, NULL);
  return 0;
}
