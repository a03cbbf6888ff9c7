/* library.c: a program for each property that comes with Heddle, done right and done wrong.
 *
 *   heddle-cc -g -O1 library.c -o library
 *   heddle monitor --property mutex.mttl -- ./library mutex wrong
 *
 * The first word says which: race, atomicity, mutex, lock, init, order; the second one, right or wrong. A counter with
 * relaxed operations, which order nothing, makes the two threads take turns: each run is the same. */
#include <heddle/monitor.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

volatile int x, y, ready;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;
static bool right;

static atomic_int turn;

static void
await(int n)
{
  while (atomic_load_explicit(&turn, memory_order_relaxed) < n)
    ;
}

static void
next(void)
{
  atomic_fetch_add_explicit(&turn, 1, memory_order_relaxed);
}

/* ---- both threads change x ---- */

static void
change(void)
{
  if (right)
    pthread_mutex_lock(&m);
  x++;
  if (right)
    pthread_mutex_unlock(&m);
}

static void *
race(void *first)
{
  await(first ? 0 : 1);
  change();
  next();
  return NULL;
}

/* ---- one thread moves money from x to y, the other one adds them up ---- */

static void *
atomicity(void *moves)
{
  static pthread_mutex_t all = PTHREAD_MUTEX_INITIALIZER;
  if (right)
    pthread_mutex_lock(&all);
  hd_internal("atomic", 1);
  if (moves)
  {
    x -= 10;
    next();
    if (!right)
      await(2);
    y += 10;
  }
  else
  {
    if (!right)
      await(1);
    printf("%d\n", x + y);
    next();
  }
  hd_internal("atomic", 0);
  if (right)
    pthread_mutex_unlock(&all);
  return NULL;
}

/* ---- both are inside ---- */

static void *
mutex(void *first)
{
  pthread_mutex_t *mine = right || first ? &m : &other;
  if (!first)
    await(1);
  pthread_mutex_lock(mine);
  hd_internal("inside", true);
  x = first ? 1 : 2;
  next();
  if (first && !right)
    await(2);
  hd_internal("inside", false);
  pthread_mutex_unlock(mine);
  return NULL;
}

/* ---- x is touched with its lock, or with another one ---- */

static void *
lock(void *first)
{
  pthread_mutex_t *mine = right || first ? &m : &other;
  if (!first)
    await(1);
  pthread_mutex_lock(mine);
  x++;
  pthread_mutex_unlock(mine);
  next();
  return NULL;
}

/* ---- x is written before it is read, or is not ---- */

static void *
init(void *writes)
{
  await((writes != NULL) == right ? 0 : 1);
  pthread_mutex_lock(&m);
  if (writes)
    x = 1;
  else
    printf("%d\n", x);
  pthread_mutex_unlock(&m);
  next();
  return NULL;
}

/* ---- the first thread says that it is ready, under the lock or not; the others use x ---- */

static void *
use(void *unused)
{
  await(1);
  if (right)
    pthread_mutex_lock(&m);
  x++;
  if (right)
    pthread_mutex_unlock(&m);
  return unused;
}

static void
order(void)
{
  pthread_t t;
  pthread_create(&t, NULL, use, NULL);
  pthread_mutex_lock(&m);
  ready = 1;
  pthread_mutex_unlock(&m);
  next();
  pthread_join(t, NULL);
}

int
main(int argc, char **argv)
{
  static const struct
  {
    const char *name;
    void *(*run)(void *);
  } all[] = {{"race", race}, {"atomicity", atomicity}, {"mutex", mutex}, {"lock", lock}, {"init", init}};
  right = argc > 2 && strcmp(argv[2], "right") == 0;
  if (argc > 1 && strcmp(argv[1], "order") == 0)
    order();
  for (size_t i = 0; argc > 1 && i < sizeof all / sizeof *all; i++)
    if (strcmp(argv[1], all[i].name) == 0)
    {
      pthread_t a, b;
      pthread_create(&a, NULL, all[i].run, &right);
      pthread_create(&b, NULL, all[i].run, NULL);
      pthread_join(a, NULL);
      pthread_join(b, NULL);
    }
  return 0;
}
