/* treap.c: a treap with strings as keys under one lock; nodes come from malloc and go with free. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
  KEYS = 4000,
  THREADS = 2
};

typedef struct node
{
  struct node *left, *right;
  uint32_t priority, value;
  char key[16];
} node;

static node *root;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long rounds = 300000;

static uint64_t
next_random(uint64_t *state)
{
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state;
}

static int
compare(const char *a, const char *b)
{
  while (*a && *a == *b)
    a++, b++;
  return (unsigned char) *a - (unsigned char) *b;
}

static node *
rotate_right(node *n)
{
  node *l = n->left;
  n->left = l->right;
  l->right = n;
  return l;
}

static node *
rotate_left(node *n)
{
  node *r = n->right;
  n->right = r->left;
  r->left = n;
  return r;
}

static node *
insert(node *n, const char *key, uint32_t priority)
{
  if (!n)
  {
    n = malloc(sizeof *n);
    n->left = n->right = NULL;
    n->priority = priority;
    n->value = 1;
    strcpy(n->key, key);
    return n;
  }
  int order = compare(key, n->key);
  if (order == 0)
    n->value++;
  else if (order < 0)
  {
    n->left = insert(n->left, key, priority);
    if (n->left->priority > n->priority)
      n = rotate_right(n);
  }
  else
  {
    n->right = insert(n->right, key, priority);
    if (n->right->priority > n->priority)
      n = rotate_left(n);
  }
  return n;
}

static node *
merge(node *a, node *b)
{
  if (!a || !b)
    return a ? a : b;
  if (a->priority > b->priority)
  {
    a->right = merge(a->right, b);
    return a;
  }
  b->left = merge(a, b->left);
  return b;
}

static node *
erase(node *n, const char *key)
{
  if (!n)
    return NULL;
  int order = compare(key, n->key);
  if (order < 0)
    n->left = erase(n->left, key);
  else if (order > 0)
    n->right = erase(n->right, key);
  else
  {
    node *rest = merge(n->left, n->right);
    free(n);
    return rest;
  }
  return n;
}

static uint32_t
find(const char *key)
{
  for (node *n = root; n;)
  {
    int order = compare(key, n->key);
    if (order == 0)
      return n->value;
    n = order < 0 ? n->left : n->right;
  }
  return 0;
}

static void *
work(void *argument)
{
  uint64_t state = (uint64_t) (uintptr_t) argument * 0x9e3779b97f4a7c15ull + 1, sum = 0;
  for (unsigned long i = 0; i < rounds; i++)
  {
    char key[16];
    snprintf(key, sizeof key, "key%u", (unsigned) (next_random(&state) % KEYS));
    unsigned what = (unsigned) (next_random(&state) % 10);
    pthread_mutex_lock(&lock);
    if (what < 2)
      root = insert(root, key, (uint32_t) next_random(&state));
    else if (what == 2)
      root = erase(root, key);
    else
      sum += find(key);
    pthread_mutex_unlock(&lock);
  }
  return (void *) (uintptr_t) sum;
}

int
main(int argc, char **argv)
{
  if (argc > 1)
    rounds = rounds * strtoul(argv[1], NULL, 10) / 100;
  pthread_t threads[THREADS];
  for (uintptr_t i = 0; i < THREADS; i++)
    pthread_create(&threads[i], NULL, work, (void *) (i + 1));
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  puts("done");
  return 0;
}
