/* Races on memory of every kind: what it is called. ./names N runs only the Nth. */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "order.h"

typedef struct bucket
{
  int lock;
  struct
  {
    unsigned ready : 1, busy : 2;
    int count;
  } state;
} bucket;

typedef struct table
{
  long size;
  bucket *buckets;
  char *title;
  struct table *next;
} table;

typedef union number
{
  long whole;
  double real;
} number;

static table *tables[2];
static int grid[3][4];
static number numbers[2];
static _Thread_local struct
{
  int depth, calls[4];
} own;
static void *plain, *shared, *pool; /* the pool has tables in pieces of another size */
static table *heads[2];
static char *text;
static table *list;

/* What two threads do. 1: a pointer to it is found by its type alone. */
static void
member(void)
{
  tables[1]->buckets[3].lock++;
}

static void
bits(void)
{
  tables[1]->buckets[2].state.busy++;
}

static void
element(void)
{
  grid[2][1]++;
}

static void
bytes(void)
{
  text[5]++;
}

static void
untyped(void)
{
  ((int *) plain)[6]++;
}

static void
pointed(void)
{
  *(int *) shared += 1;
}

static void
linked(void)
{
  list->next->next->size++;
}

static void
either(void)
{
  numbers[1].real += 1;
}

static void
head(void)
{
  heads[1]->size++;
}

static void (*const steps[])(void)
    = {member, bits, element, bytes, untyped, pointed, pointed, pointed, linked, either, pointed, head, pointed};

static void *
second(void *argument)
{
  after(1);
  steps[(intptr_t) argument]();
  done();
  after(3);
  return NULL;
}

static void *
of_thread(void *argument)
{
  long sum[2] = {0, 1};
  shared = argument ? (void *) &own.calls[2] : (void *) &sum[1];
  done();
  after(2);
  pointed();
  done();
  return sum[0] ? argument : NULL;
}

static void
prepare(void)
{
  tables[1] = calloc(1, sizeof *tables[1]);
  tables[1]->buckets = calloc(8, sizeof(bucket));
  text = malloc(16);
  plain = malloc(64);
  list = calloc(1, sizeof *list);
  list->next = calloc(1, sizeof *list);
  list->next->next = calloc(1, sizeof *list);
}

__attribute__((noinline)) static void
run(int n)
{
  pthread_t thread;
  int local = n;
  prepare();
  pool = calloc(64, 1024);
  for (int i = 0; i < 2; i++)
    heads[i] = (void *) ((char *) pool + 1024 + i * 96);
  if (n == 12) /* a table of which only the pool knows; it is no element behind heads[0] */
    shared = (char *) pool + 10240;
  /* 5: a local variable of this function; 6, 7: of a thread that is still there; 10: what nobody points to by a name */
  if (n == 5)
    shared = &local;
  if (n == 10)
  {
    table *lonely = malloc(3 * sizeof *lonely);
    memset(lonely, 0, 3 * sizeof *lonely);
    shared = &lonely[2].size;
  }
  int step = n == 6 || n == 7 ? 7 : n;
  if (step == 7)
  {
    pthread_create(&thread, NULL, of_thread, n == 7 ? "own" : NULL);
    after(1);
    pointed();
    done();
  }
  else
  {
    pthread_create(&thread, NULL, second, (void *) (intptr_t) step);
    steps[step]();
    done();
    after(2);
    done();
  }
  pthread_join(thread, NULL);
}

int
main(int argc, char **argv)
{
  run(argc > 1 ? atoi(argv[1]) : 0);
  return 0;
}
