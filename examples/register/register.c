/* register.c: an atomic variable that is written and read without a lock, and the annotation it needs.
 *
 * The store makes the new value visible at once, and no lock keeps readers away until the commit is logged. So a
 * reader can return the new value before the writer has logged anything. HD_WINDOW before the store says that the write
 * takes effect somewhere between there and HD_COMMIT. With --exact the window is left out: the program is as right as
 * before, but its annotation is not, and heddle says so.
 *
 *   HEDDLE_LOG=r.hlog ./register [--exact] [--threads N] [--calls N]
 *   heddle check r.hlog --spec register */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <heddle/heddle.h>

static struct
{
  hd_object object;
  _Atomic int value; /* initially 0 */
} reg;

static bool exact;
static int threads = 4, calls = 10000;

/* With --exact: let other threads run, so that it shows soon what is wrong. */
static void
pause_here(void)
{
  if (exact)
    sched_yield();
}

static int
read_value(void)
{
  HD_CALL(&reg.object, "read");
  int value = atomic_load(&reg.value);
  HD_RETURN(&reg.object, value);
  return value;
}

static void
write_value(int value)
{
  HD_CALL(&reg.object, "write", value);
  if (!exact)
  {
    HD_WINDOW(&reg.object);
  }
  pause_here();
  atomic_store(&reg.value, value);
  pause_here();
  HD_COMMIT(&reg.object);
  HD_RETURN(&reg.object);
}

/* If the comparison fails it returns without a commit: it changed nothing, and its window is forgotten. */
static bool
compare_and_set(int old, int new)
{
  HD_CALL(&reg.object, "cas", old, new);
  if (!exact)
  {
    HD_WINDOW(&reg.object);
  }
  pause_here();
  bool done = atomic_compare_exchange_strong(&reg.value, &old, new);
  pause_here();
  HD_COMMIT_IF(done, &reg.object);
  HD_RETURN(&reg.object, done);
  return done;
}

static void *
run(void *argument)
{
  unsigned random = (unsigned) (uintptr_t) argument;
  for (int i = 0; i < calls; i++)
  {
    int value = rand_r(&random) % 100;
    switch (rand_r(&random) % 4)
    {
    case 0:
      write_value(value);
      break;
    case 1:
      compare_and_set(read_value(), value);
      break;
    default:
      read_value();
    }
  }
  return NULL;
}

int
main(int argc, char **argv)
{
  for (int i = 1; i < argc; i++)
    if (strcmp(argv[i], "--exact") == 0)
      exact = true;
    else if (strcmp(argv[i], "--threads") == 0 && i + 1 < argc)
      threads = atoi(argv[++i]);
    else if (strcmp(argv[i], "--calls") == 0 && i + 1 < argc)
      calls = atoi(argv[++i]);
    else
    {
      fputs("usage: register [--exact] [--threads N] [--calls N]\n", stderr);
      return 2;
    }
  if (threads < 1 || calls < 0)
  {
    fputs("register: --threads wants at least 1 and --calls at least 0\n", stderr);
    return 2;
  }

  hd_value initial = hd_int(0);
  hd_object_init_config(&reg.object, "register", "R", &initial, 1);
  pthread_t *ids = calloc((size_t) threads, sizeof *ids);
  for (int i = 0; ids && i < threads; i++)
    pthread_create(&ids[i], NULL, run, (void *) (uintptr_t) (i + 1));
  for (int i = 0; ids && i < threads; i++)
    pthread_join(ids[i], NULL);
  free(ids);
  hd_object_destroy(&reg.object);
  printf("%d threads made %d calls each\n", threads, calls);
  return 0;
}
