/* stack.c: a stack without locks (Treiber's), with commit windows around the compare-and-swap, and the ABA mistake.
 *
 * Nodes come from a fixed array and are used again. A pop that reads the head and its successor, and is then overtaken,
 * must not succeed if the same node has meanwhile left and come back with another successor; so each change of the head
 * carries a new tag. With --bug the tag is left out.
 *
 *   HEDDLE_LOG=s.hlog ./cas-stack [--bug] [--threads N] [--calls N] [--nodes N]
 *   heddle check s.hlog --spec stack */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <heddle/heddle.h>

#define NONE UINT32_MAX /* no node */

typedef struct node
{
  _Atomic int value;
  _Atomic uint32_t next; /* index of a node, or NONE */
} node;

/* The top of a list: a tag in the upper half, the index of the first node or NONE in the lower. */
typedef _Atomic uint64_t top;

static struct
{
  hd_object object;
  top head;
  top free;
  node *nodes;
} stack;

static bool bug;
static int threads = 4, calls = 10000, nodes = 8;

/* The next value of a top that was OLD: another first node and a new tag. */
static uint64_t
changed(uint64_t old, uint32_t first, bool tagged)
{
  uint64_t tag = (old >> 32) + tagged;
  return tag << 32 | first;
}

/* ---- the free nodes: the same algorithm, never wrong and not checked ---- */

static uint32_t
take_free(void)
{
  uint64_t old = atomic_load(&stack.free);
  while ((uint32_t) old != NONE)
    if (atomic_compare_exchange_weak(&stack.free, &old, changed(old, stack.nodes[(uint32_t) old].next, true)))
      return (uint32_t) old;
  return NONE;
}

static void
give_free(uint32_t n)
{
  uint64_t old = atomic_load(&stack.free);
  do
    stack.nodes[n].next = (uint32_t) old;
  while (!atomic_compare_exchange_weak(&stack.free, &old, changed(old, n, true)));
}

/* ---- the stack ----
 * Each attempt opens the window anew: it takes effect, if at all, between HD_WINDOW and HD_COMMIT. */

static void
push(uint32_t n, int value)
{
  HD_CALL(&stack.object, "push", value);
  stack.nodes[n].value = value;
  uint64_t old = atomic_load(&stack.head);
  for (;;)
  {
    stack.nodes[n].next = (uint32_t) old;
    HD_WINDOW(&stack.object);
    if (atomic_compare_exchange_weak(&stack.head, &old, changed(old, n, !bug)))
      break;
  }
  HD_COMMIT(&stack.object);
  HD_RETURN(&stack.object);
}

/* -1: the stack was empty. Then there is no commit: it only observed. */
static int
pop(void)
{
  HD_CALL(&stack.object, "pop");
  uint64_t old = atomic_load(&stack.head);
  int value = -1;
  while ((uint32_t) old != NONE)
  {
    node *n = &stack.nodes[(uint32_t) old];
    uint32_t next = n->next;
    value = n->value;
    if (bug)
      sched_yield(); /* so that the bug shows after some hundred calls */
    HD_WINDOW(&stack.object);
    if (atomic_compare_exchange_weak(&stack.head, &old, changed(old, next, !bug)))
    {
      HD_COMMIT(&stack.object);
      give_free((uint32_t) old);
      break;
    }
    value = -1;
  }
  HD_RETURN(&stack.object, value);
  return value;
}

/* ---- the test ---- */

static void *
run(void *argument)
{
  unsigned number = (unsigned) (uintptr_t) argument, random = number;
  for (int i = 0; i < calls; i++)
  {
    uint32_t n = rand_r(&random) % 2 ? take_free() : NONE;
    if (n != NONE)
      push(n, (int) number * 1000000 + i % 1000000); /* no value twice, or not soon */
    else
      pop();
  }
  return NULL;
}

int
main(int argc, char **argv)
{
  for (int i = 1; i < argc; i++)
    if (strcmp(argv[i], "--bug") == 0)
      bug = true;
    else if (strcmp(argv[i], "--threads") == 0 && i + 1 < argc)
      threads = atoi(argv[++i]);
    else if (strcmp(argv[i], "--calls") == 0 && i + 1 < argc)
      calls = atoi(argv[++i]);
    else if (strcmp(argv[i], "--nodes") == 0 && i + 1 < argc)
      nodes = atoi(argv[++i]);
    else
    {
      fputs("usage: cas-stack [--bug] [--threads N] [--calls N] [--nodes N]\n", stderr);
      return 2;
    }
  if (threads < 1 || threads > 1000 || calls < 0 || nodes < 1)
  {
    fputs("cas-stack: --threads wants 1 to 1000, --calls at least 0, --nodes at least 1\n", stderr);
    return 2;
  }

  stack.nodes = calloc((size_t) nodes, sizeof *stack.nodes);
  pthread_t *ids = calloc((size_t) threads, sizeof *ids);
  if (!stack.nodes || !ids)
    return 2;
  stack.head = stack.free = NONE;
  for (int i = nodes - 1; i >= 0; i--)
    give_free((uint32_t) i);

  hd_object_init(&stack.object, "stack", "S");
  for (int i = 0; i < threads; i++)
    pthread_create(&ids[i], NULL, run, (void *) (uintptr_t) (i + 1));
  for (int i = 0; i < threads; i++)
    pthread_join(ids[i], NULL);
  hd_object_destroy(&stack.object);
  free(ids);
  free(stack.nodes);
  printf("%d threads made %d calls each\n", threads, calls);
  return 0;
}
