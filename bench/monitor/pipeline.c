/* pipeline.c: three stages, joined by bounded queues with condition variables; each item is a block of memory. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
  ROOM = 64,
  WORDS = 64
};

typedef struct queue
{
  pthread_mutex_t lock;
  pthread_cond_t not_empty, not_full;
  unsigned first, n;
  uint32_t *items[ROOM];
} queue;

static queue first, second;
static unsigned long rounds = 300000;

static void
put(queue *q, uint32_t *item)
{
  pthread_mutex_lock(&q->lock);
  while (q->n == ROOM)
    pthread_cond_wait(&q->not_full, &q->lock);
  q->items[(q->first + q->n++) % ROOM] = item;
  pthread_cond_signal(&q->not_empty);
  pthread_mutex_unlock(&q->lock);
}

static uint32_t *
get(queue *q)
{
  pthread_mutex_lock(&q->lock);
  while (q->n == 0)
    pthread_cond_wait(&q->not_empty, &q->lock);
  uint32_t *item = q->items[q->first++ % ROOM];
  q->n--;
  pthread_cond_signal(&q->not_full);
  pthread_mutex_unlock(&q->lock);
  return item;
}

static void *
produce(void *argument)
{
  (void) argument;
  for (unsigned long i = 0; i < rounds; i++)
  {
    uint32_t *item = malloc(WORDS * sizeof *item);
    memset(item, 0, WORDS * sizeof *item);
    item[i % WORDS] = (uint32_t) i;
    put(&first, item);
  }
  put(&first, NULL);
  return NULL;
}

static void *
change(void *argument)
{
  (void) argument;
  for (uint32_t *item; (item = get(&first)) != NULL; put(&second, item))
    for (unsigned i = 1; i < WORDS; i++)
      item[i] += item[i - 1] * 3;
  put(&second, NULL);
  return NULL;
}

int
main(int argc, char **argv)
{
  if (argc > 1)
    rounds = rounds * strtoul(argv[1], NULL, 10) / 100;
  queue *queues[] = {&first, &second};
  for (int i = 0; i < 2; i++)
  {
    pthread_mutex_init(&queues[i]->lock, NULL);
    pthread_cond_init(&queues[i]->not_empty, NULL);
    pthread_cond_init(&queues[i]->not_full, NULL);
  }
  pthread_t producer, changer;
  pthread_create(&producer, NULL, produce, NULL);
  pthread_create(&changer, NULL, change, NULL);
  uint32_t sum = 0;
  for (uint32_t *item; (item = get(&second)) != NULL; free(item))
    for (unsigned i = 0; i < WORDS; i++)
      sum += item[i];
  pthread_join(producer, NULL);
  pthread_join(changer, NULL);
  printf("%u\n", sum);
  return 0;
}
