/* stack.c: a lock-free stack (Treiber) over an array of nodes, with a counter against reuse in its head. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum
{
  THREADS = 2,
  NODES = 1024
};

static struct
{
  _Atomic uint32_t next;
  uint32_t value;
} nodes[NODES];
static _Atomic uint64_t head, spare;
static unsigned long rounds = 2000000;

static void
push(_Atomic uint64_t *stack, uint32_t node)
{
  uint64_t old = atomic_load_explicit(stack, memory_order_relaxed), new;
  do
  {
    atomic_store_explicit(&nodes[node].next, (uint32_t) old, memory_order_relaxed);
    new = ((old >> 32) + 1) << 32 | node;
  } while (!atomic_compare_exchange_weak_explicit(stack, &old, new, memory_order_acq_rel, memory_order_relaxed));
}

static uint32_t
pop(_Atomic uint64_t *stack)
{
  uint64_t old = atomic_load_explicit(stack, memory_order_acquire), new;
  do
  {
    if (!(uint32_t) old)
      return 0;
    uint32_t next = atomic_load_explicit(&nodes[(uint32_t) old].next, memory_order_relaxed);
    new = ((old >> 32) + 1) << 32 | next;
  } while (!atomic_compare_exchange_weak_explicit(stack, &old, new, memory_order_acq_rel, memory_order_acquire));
  return (uint32_t) old;
}

static void *
work(void *argument)
{
  uint64_t sum = 0;
  for (unsigned long i = 0; i < rounds; i++)
  {
    uint32_t node = pop(i % 2 ? &head : &spare);
    if (!node)
      continue;
    nodes[node].value += (uint32_t) i;
    sum += nodes[node].value;
    push(i % 3 ? &head : &spare, node);
  }
  return (void *) ((uintptr_t) argument + sum);
}

int
main(int argc, char **argv)
{
  if (argc > 1)
    rounds = rounds * strtoul(argv[1], NULL, 10) / 100;
  for (uint32_t i = 1; i < NODES; i++)
    push(&spare, i);
  pthread_t threads[THREADS];
  for (uintptr_t i = 0; i < THREADS; i++)
    pthread_create(&threads[i], NULL, work, (void *) i);
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  puts("done");
  return 0;
}
