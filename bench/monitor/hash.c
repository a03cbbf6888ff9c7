/* hash.c: a hash table with a lock for each of 64 parts; threads look up, insert and remove. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum
{
  PARTS = 64,
  BUCKETS = 4096,
  KEYS = 20000,
  THREADS = 2
};

typedef struct entry
{
  struct entry *next;
  uint64_t key, value;
} entry;

static entry *buckets[BUCKETS];
static pthread_mutex_t locks[PARTS];
static unsigned long rounds = 1500000;

static uint64_t
next_random(uint64_t *state)
{
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state;
}

static void *
work(void *argument)
{
  uint64_t state = (uint64_t) (uintptr_t) argument * 0x9e3779b97f4a7c15ull + 1, sum = 0;
  for (unsigned long i = 0; i < rounds; i++)
  {
    uint64_t key = next_random(&state) % KEYS;
    unsigned b = (unsigned) (key * 2654435761u % BUCKETS);
    pthread_mutex_lock(&locks[b % PARTS]);
    entry **p = &buckets[b];
    while (*p && (*p)->key != key)
      p = &(*p)->next;
    unsigned what = (unsigned) (next_random(&state) % 10);
    if (*p && what == 0)
    {
      entry *gone = *p;
      *p = gone->next;
      free(gone);
    }
    else if (*p)
      sum += ++(*p)->value;
    else if (what < 3)
    {
      entry *e = malloc(sizeof *e);
      e->key = key;
      e->value = i;
      e->next = buckets[b];
      buckets[b] = e;
    }
    pthread_mutex_unlock(&locks[b % PARTS]);
  }
  return (void *) (uintptr_t) sum;
}

int
main(int argc, char **argv)
{
  if (argc > 1)
    rounds = rounds * strtoul(argv[1], NULL, 10) / 100;
  pthread_t threads[THREADS];
  for (int i = 0; i < PARTS; i++)
    pthread_mutex_init(&locks[i], NULL);
  for (uintptr_t i = 0; i < THREADS; i++)
    pthread_create(&threads[i], NULL, work, (void *) (i + 1));
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  puts("done");
  return 0;
}
