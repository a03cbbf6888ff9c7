/* stepped.c: generated code for any controller, on threads that are made here and change places where the program says:
 * before every access to the controller's word, and in every system call, which are made here as well.
 *
 *   cc -DCONTROLLER='"rw.h"' -DNAME=rw -DGENERATED='"rw_fast.h"' stepped.c
 *   stepped RUNS SEED
 *
 * Each thread takes random edges of the interface, as in stress.c, and who goes on is drawn at every step; sleepers
 * stir for no reason, deadlines pass and threads are cancelled. Every now and then all go on that can, until each is
 * between two actions or asleep. Then what was proved of the wake-ups must be true to the letter: nobody sleeps while a
 * guard of its action holds. In a program that runs a wake-up which was forgotten is mostly made good by the next one;
 * here it is found. The same seed is the same run. */
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

/* ---- what the generated code is compiled with ---- */

static void stepped_step(void);
static bool stepped_fails(void); /* a weak swap may fail for no reason */
static long stepped_syscall(long number, ...);
static int stepped_time(struct timespec *now);
static void stepped_push(void (*cancelled)(void *), void *context);

/* A macro is not expanded in itself, so these end as the compiler's own. */
#define __atomic_load_n(p, o) (stepped_step(), __atomic_load_n(p, o))
#define __atomic_store_n(p, v, o) (stepped_step(), __atomic_store_n(p, v, o))
#define __atomic_add_fetch(p, v, o) (stepped_step(), __atomic_add_fetch(p, v, o))
#define __atomic_sub_fetch(p, v, o) (stepped_step(), __atomic_sub_fetch(p, v, o))
#define __atomic_and_fetch(p, v, o) (stepped_step(), __atomic_and_fetch(p, v, o))
#define __atomic_exchange_n(p, v, o) (stepped_step(), __atomic_exchange_n(p, v, o))
#define __atomic_compare_exchange_n(p, old, v, weak, o, f)                                                             \
  (stepped_step(), (weak) && stepped_fails() ? (*(old) = __atomic_load_n(p, f), false)                                 \
                                             : __atomic_compare_exchange_n(p, old, v, weak, o, f))
#define __builtin_ia32_pause() ((void) 0)
#define sched_yield() stepped_step()
#define timespec_get(t, base) stepped_time(t)
#define syscall stepped_syscall
#define pthread_setcanceltype(type, old) ((void) (type), *(old) = 0)
#undef pthread_cleanup_push
#undef pthread_cleanup_pop
#define pthread_cleanup_push(cancelled, context)                                                                       \
  do                                                                                                                   \
  {                                                                                                                    \
  stepped_push(cancelled, context)
#define pthread_cleanup_pop(run)                                                                                       \
  (void) (run);                                                                                                        \
  }                                                                                                                    \
  while (0)

#define HD_CONTROLLER_GENERATED GENERATED
#include CONTROLLER

#include "readings.inc"

/* ---- threads ---- */

enum
{
  MOST_THREADS = 6,
  MOST_EDGES = 256,
  STACK = 65536,
  ROUNDS = 60,          /* of a run: some steps, and then all go on until they sleep or are between two actions */
  STEPS = 400,          /* of a round, at most */
  MOST_STEPS = 30000000 /* until all do that */
};

enum where
{
  BETWEEN, /* two actions */
  GOING,
  ASLEEP
};

typedef struct walker
{
  ucontext_t context;
  char *stack;
  enum where where;
  int state;
  int action; /* the one that it waits for or executes */
  /* asleep: */
  const uint32_t *word;
  uint32_t queues;
  bool timed;
  int answer; /* of the system call; 0: it was woken */
  bool cancelled;
  void (*cleanup)(void *);
  void *cleanup_context;
} walker;

static NAME controller;
static walker walkers[MOST_THREADS];
static int nwalkers;
static walker *current;
static ucontext_t scheduler;
static uint64_t dice;
static unsigned seldom; /* a thread is left at one step of so many */
static unsigned long run_seed;

static unsigned
draw(unsigned n)
{
  dice = dice * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (unsigned) (dice >> 33) % n;
}

static void
dump(const char *what)
{
  fprintf(stderr, "%s: seed %lu, %d threads: %s\n", CONTROLLER, run_seed, nwalkers, what);
  show(look(&controller));
  for (int i = 0; i < nwalkers; i++)
  {
    const walker *w = &walkers[i];
    fprintf(stderr, "  thread %d: %s, %s%s\n", i + 1, state_names[w->state],
            w->where == BETWEEN  ? "between two actions"
            : w->where == ASLEEP ? "asleep for "
                                 : "going on with ",
            w->where == BETWEEN ? "" : actions[w->action].name);
  }
  exit(1);
}

static void
let_others(void)
{
  swapcontext(&current->context, &scheduler);
}

static void
stepped_step(void)
{
  if (current != NULL && draw(seldom) == 0)
    let_others();
}

static bool
stepped_fails(void)
{
  return draw(16) == 0;
}

/* Mostly the processor is idle, sometimes busy, and sometimes somebody computes. */
static int
stepped_time(struct timespec *now)
{
  static int64_t clock = 1;
  clock += draw(64) == 0 ? 900000 : draw(8) == 0 ? 20000 : 100;
  *now = (struct timespec){clock / 1000000000, clock % 1000000000};
  return 1;
}

static void
stepped_push(void (*cancelled)(void *), void *context)
{
  current->cleanup = cancelled;
  current->cleanup_context = context;
}

static void walk(void);

static void
begin_walker(walker *w)
{
  w->where = BETWEEN;
  getcontext(&w->context);
  w->context.uc_stack.ss_sp = w->stack;
  w->context.uc_stack.ss_size = STACK;
  w->context.uc_link = NULL;
  makecontext(&w->context, walk, 0);
}

/* ---- system calls ---- */

/* The current thread is cancelled, and goes on as a new one where it was. */
static void
cancel(void)
{
  walker *w = current;
  w->cleanup(w->cleanup_context);
  begin_walker(w);
  setcontext(&scheduler);
}

static long
fall_asleep(const uint32_t *word, uint32_t seen, uint32_t queues, bool timed)
{
  walker *w = current;
  stepped_step();
  if (*word != seen)
  {
    errno = EAGAIN;
    return -1;
  }
  w->where = ASLEEP;
  w->word = word;
  w->queues = queues;
  w->timed = timed;
  w->answer = 0;
  let_others();
  if (w->cancelled)
  {
    w->cancelled = false;
    cancel();
  }
  errno = w->answer;
  return w->answer ? -1 : 0;
}

static void
wake(const uint32_t *word, int how_many, uint32_t queues)
{
  for (int first = (int) draw((unsigned) nwalkers), i = 0; i < nwalkers && how_many > 0; i++)
  {
    walker *w = &walkers[(first + i) % nwalkers];
    if (w->where != ASLEEP || w->word != word || (w->queues & queues) == 0)
      continue;
    w->where = GOING;
    how_many--;
  }
}

static long
stepped_syscall(long number, ...)
{
  va_list arguments;
  va_start(arguments, number);
  if (number == SYS_sched_getaffinity)
  {
    va_arg(arguments, int);
    va_arg(arguments, size_t);
    *va_arg(arguments, unsigned char *) = 3; /* processors 0 and 1 */
    va_end(arguments);
    return 1;
  }
  const uint32_t *word = va_arg(arguments, const uint32_t *);
  const int operation = va_arg(arguments, int) & FUTEX_CMD_MASK;
  const uint32_t value = va_arg(arguments, uint32_t);
  const struct timespec *until = va_arg(arguments, const struct timespec *);
  va_arg(arguments, void *);
  const uint32_t queues = va_arg(arguments, uint32_t);
  va_end(arguments);
  if (number != SYS_futex)
    dump("an unknown system call");
  switch (operation)
  {
  case FUTEX_WAKE_BITSET:
    stepped_step();
    wake(word, (int) value, queues);
    return 0;
  case FUTEX_WAIT_BITSET:
    return fall_asleep(word, value, queues, until != NULL);
  case FUTEX_WAIT: /* a nap if there is a time, else somebody has the lock */
    if (until == NULL)
      return fall_asleep(word, value, FUTEX_BITSET_MATCH_ANY, false);
    let_others();
    if (draw(16) == 0)
      cancel();
    errno = ETIMEDOUT;
    return -1;
  default:
    dump("an unknown operation on a futex");
    return 0;
  }
}

/* ---- walking ---- */

static void
walk(void)
{
  walker *w = current;
  for (;;)
  {
    int possible[MOST_EDGES], n = 0;
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
      if (edges[i].from == w->state)
        possible[n++] = (int) i;
    if (n > 0)
    {
      const walk_edge *e = &edges[possible[draw((unsigned) n)]];
      const unsigned how = draw(4);
      const struct timespec deadline = {1, 0};
      w->where = GOING;
      w->action = e->action;
      if (execute(&controller, e->action, how == 0 ? TRY : how == 1 ? UNTIL : WAIT, &deadline))
        w->state = e->to;
    }
    w->where = BETWEEN;
    let_others();
  }
}

static void
let(walker *w)
{
  current = w;
  swapcontext(&scheduler, &w->context);
  current = NULL;
}

static void
rouse(walker *w, int answer, bool cancelled)
{
  w->where = GOING;
  w->answer = answer;
  w->cancelled = cancelled;
  let(w);
}

/* Everybody goes on until it is between two actions or asleep. */
static void
settle(void)
{
  long steps = 0;
  for (int going = 1; going > 0;)
  {
    going = 0;
    for (int first = (int) draw((unsigned) nwalkers), i = 0; i < nwalkers; i++)
    {
      walker *w = &walkers[(first + i) % nwalkers];
      if (w->where != GOING)
        continue;
      going++;
      let(w);
      if (++steps > MOST_STEPS)
        dump("threads go on for ever");
    }
  }
}

static void
check(void)
{
  int counts[sizeof state_names / sizeof *state_names] = {0};
  const values v = look(&controller);
  for (int i = 0; i < nwalkers; i++)
  {
    counts[walkers[i].state]++;
    if (walkers[i].where == ASLEEP && can(v, walkers[i].action))
      dump("a thread sleeps although a guard of its action holds");
  }
  const char *broken = judge(v, counts);
  if (broken != NULL)
    dump(broken);
}

static void
round_of_steps(void)
{
  bool moved = false;
  for (unsigned n = draw(STEPS); n > 0; n--)
  {
    walker *w = &walkers[draw((unsigned) nwalkers)];
    moved = moved || w->where != ASLEEP;
    if (w->where != ASLEEP)
      let(w);
    else if (w->timed && draw(4) == 0)
      rouse(w, ETIMEDOUT, false);
    else if (draw(64) == 0)
      rouse(w, EINTR, draw(2) == 0);
  }
  settle();
  check();
  for (int i = 0; i < nwalkers && !moved; i++) /* nobody is left who could help */
    if (walkers[i].where == ASLEEP)
      rouse(&walkers[i], EINTR, true);
}

static void
run(unsigned long seed)
{
  static const unsigned how_seldom[] = {1, 2, 4, 16, 64};
  run_seed = seed;
  dice = seed * 2654435761u + 1;
  seldom = how_seldom[draw(sizeof how_seldom / sizeof *how_seldom)];
  nwalkers = 2 + (int) draw(MOST_THREADS - 1);
  hd_controller_own = (hd_controller_patience){0};
  if (!begin(&controller, (unsigned) seed))
    return;
  for (int i = 0; i < nwalkers; i++)
  {
    char *stack = walkers[i].stack ? walkers[i].stack : malloc(STACK);
    if (stack == NULL)
      exit(2);
    walkers[i] = (walker){.stack = stack};
    begin_walker(&walkers[i]);
  }
  for (int i = 0; i < ROUNDS; i++)
    round_of_steps();
}

int
main(int argc, char **argv)
{
  const unsigned long runs = argc > 1 ? strtoul(argv[1], NULL, 10) : 20;
  const unsigned long seed = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;
  for (unsigned long i = 0; i < runs; i++)
    run(seed + i);
  for (int i = 0; i < MOST_THREADS; i++)
    free(walkers[i].stack);
  return 0;
}
