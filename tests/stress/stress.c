/* stress.c: threads that walk through the interface of any controller at random, as hard as they can.
 *
 *   cc -DCONTROLLER='"rw.h"' -DNAME=rw [-DGENERATED='"rw_fast.h"'] stress.c
 *   stress RUNS SEED [THREADS]
 *   stress 0 SEED            one thread tries actions, and prints what became of each: the same for every form
 *
 * Each thread takes random edges; it waits, tries, or waits with a deadline that is often too early, and dawdles in
 * between. Now and then one is cancelled; so are all when nobody is left who could help those who wait, which random
 * walks soon come to. Cancelled threads go on as new ones where they were. What is checked:
 *
 *   - nobody sleeps although a guard of its action holds: a watchdog looks when nothing moves any more, and says who
 *     waits for what in which state;
 *   - threads are never in states together that exclude each other (rules.inc);
 *   - at the end of a run every property of the form AG(predicate) holds for the variables and for where the threads
 *     are, so no action was lost or executed twice.
 *
 * The controller's file is read with meanings of its words that are made in readings.inc, as controller.h does it. */
#ifdef GENERATED
#define HD_CONTROLLER_GENERATED GENERATED
#endif
#include CONTROLLER

#include <sched.h>
#include <stddef.h>
#include <string.h>

extern int nanosleep(const struct timespec *, struct timespec *);
extern int clock_gettime(__clockid_t, struct timespec *);

enum
{
  MOST_THREADS = 64,
  MOST_EDGES = 256,
  ACTIONS_OF_A_RUN = 4000,
  LIVES = 40,    /* how often all threads are cancelled and begin again */
  PATIENCE = 200 /* looks, of 25 ms each, before a sleeper with a guard that holds is given up */
};

#include "readings.inc"

/* ---- walking ---- */

typedef struct walker
{
  pthread_t id;
  unsigned random;
  int state;  /* atomic */
  int action; /* atomic: that it waits for without a deadline; -1: none */
  int done;   /* atomic */
} walker;

static NAME controller;
static walker walkers[MOST_THREADS];
static int nwalkers;
static int inside[sizeof state_names / sizeof *state_names]; /* atomic: threads that are certainly in a state */
static long executed;                                        /* atomic */

static void dump(const char *what) __attribute__((noreturn));

#define LOAD(x) __atomic_load_n(&(x), __ATOMIC_SEQ_CST)
#define STORE(x, v) __atomic_store_n(&(x), v, __ATOMIC_SEQ_CST)

static unsigned
draw(walker *w, unsigned n)
{
  w->random = w->random * 1664525u + 1013904223u;
  return (w->random >> 16) % n;
}

static void
dawdle(walker *w)
{
  const unsigned how = draw(w, 16);
  if (how < 6)
    sched_yield();
  else if (how == 6)
    nanosleep(&(struct timespec){.tv_nsec = (long) draw(w, 50) * 1000}, NULL);
  else
    for (volatile unsigned i = draw(w, 200); i > 0; i--)
      continue;
}

/* MOST(state, n): at most n threads are there; APART(a, b): not at once in both. Of two states one is HERE, where the
 * caller is: who is in a third one could see somebody leave the first and another come to the second. */
static void
check_states(int here)
{
  (void) here;
#define MOST(state, n)                                                                                                 \
  if (LOAD(inside[OF(_state_##state)]) > (n))                                                                          \
    dump("more than " #n " in " #state);
#define APART(a, b)                                                                                                    \
  if ((here == (int) OF(_state_##a) && LOAD(inside[OF(_state_##b)]) > 0)                                               \
      || (here == (int) OF(_state_##b) && LOAD(inside[OF(_state_##a)]) > 0))                                           \
    dump("somebody in " #a " and in " #b);
#define RULES_(name) RULES_##name
#define RULES(name) RULES_(name)
#include "rules.inc"
  RULES(NAME)
}

static void
end(void *arg)
{
  walker *w = (walker *) arg;
  STORE(w->action, -1);
  STORE(w->done, 1);
}

static void
wander(walker *w)
{
  while (LOAD(executed) < ACTIONS_OF_A_RUN)
  {
    int possible[MOST_EDGES], n = 0;
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
      if (edges[i].from == w->state)
        possible[n++] = (int) i;
    if (n == 0)
      break;
    const walk_edge *e = &edges[possible[draw(w, (unsigned) n)]];
    const unsigned dice = draw(w, 4);
    const enum way way = dice == 0 ? TRY : dice == 1 ? UNTIL : WAIT;
    struct timespec deadline;
    clock_gettime(1, &deadline); /* CLOCK_MONOTONIC */
    deadline.tv_nsec += (long) draw(w, 200) * 1000;
    if (deadline.tv_nsec >= 1000000000)
    {
      deadline.tv_sec++;
      deadline.tv_nsec -= 1000000000;
    }
    __atomic_sub_fetch(&inside[w->state], 1, __ATOMIC_SEQ_CST);
    STORE(w->action, way == WAIT && actions[e->action].blocking ? e->action : -1);
    const bool did = execute(&controller, e->action, way, &deadline);
    STORE(w->action, -1);
    if (did)
    {
      STORE(w->state, e->to);
      __atomic_add_fetch(&executed, 1, __ATOMIC_SEQ_CST);
    }
    __atomic_add_fetch(&inside[w->state], 1, __ATOMIC_SEQ_CST);
    check_states(w->state);
    dawdle(w);
  }
}

static void *
walk(void *arg)
{
  pthread_cleanup_push(end, arg);
  wander((walker *) arg);
  pthread_cleanup_pop(1);
  return NULL;
}

/* ---- the watchdog ---- */

static unsigned long run_seed;

static void
dump(const char *what)
{
  fprintf(stderr, "%s: seed %lu, %d threads: %s\n", CONTROLLER, run_seed, nwalkers, what);
  show(look(&controller));
  for (int i = 0; i < nwalkers; i++)
  {
    const int action = LOAD(walkers[i].action);
    fprintf(stderr, "  thread %d: %s, %s%s\n", i + 1, state_names[LOAD(walkers[i].state)],
            LOAD(walkers[i].done) ? "done"
            : action >= 0         ? "waits for "
                                  : "moves",
            action >= 0 ? actions[action].name : "");
  }
  _Exit(1);
}

/* Wait until everybody is done, or waits for something that cannot happen any more. */
static void
watch(walker *dice)
{
  long before = -1;
  int quiet = 0;
  for (;;)
  {
    int waiting = 0, moving = 0;
    const long now = LOAD(executed);
    for (int i = 0; i < nwalkers; i++)
      if (!LOAD(walkers[i].done))
      {
        waiting += LOAD(walkers[i].action) >= 0;
        moving += LOAD(walkers[i].action) < 0;
      }
    if (waiting + moving == 0)
      return;
    quiet = moving == 0 && now == before ? quiet + 1 : 0;
    before = now;
    if (quiet >= 2)
    {
      const values v = look(&controller);
      bool woken = false;
      for (int i = 0; i < nwalkers; i++)
      {
        const int action = LOAD(walkers[i].action);
        woken = woken || (action >= 0 && can(v, action));
      }
      if (!woken)
        return;
      if (quiet >= PATIENCE)
        dump("a thread sleeps although a guard of its action holds");
    }
    if (quiet == 0 && draw(dice, 8) == 0)
      pthread_cancel(walkers[draw(dice, (unsigned) nwalkers)].id);
    nanosleep(&(struct timespec){.tv_nsec = quiet < 4 ? 300000 : 25000000}, NULL);
  }
}

static void
live(walker *dice)
{
  memset(inside, 0, sizeof inside);
  for (int i = 0; i < nwalkers; i++)
  {
    walkers[i].done = 0;
    inside[walkers[i].state]++;
  }
  for (int i = 0; i < nwalkers; i++)
    if (pthread_create(&walkers[i].id, NULL, walk, &walkers[i]) != 0)
      abort();
  watch(dice);
  for (int i = 0; i < nwalkers; i++)
    if (!LOAD(walkers[i].done))
      pthread_cancel(walkers[i].id);
  for (int i = 0; i < nwalkers; i++)
    pthread_join(walkers[i].id, NULL);
}

static void
run(unsigned long seed, int threads)
{
  walker dice = {.random = (unsigned) seed};
  int counts[sizeof state_names / sizeof *state_names] = {0};
  run_seed = seed;
  nwalkers = threads;
  executed = 0;
  if (!begin(&controller, (unsigned) seed))
    return;
  for (int i = 0; i < threads; i++)
    walkers[i] = (walker){.random = (unsigned) seed * 7919u + (unsigned) i * 104729u + 1, .action = -1};
  for (int i = 0; i < LIVES && executed < ACTIONS_OF_A_RUN; i++)
    live(&dice);
  for (int i = 0; i < threads; i++)
    counts[walkers[i].state]++;
  const char *broken = judge(look(&controller), counts);
  if (broken != NULL)
    dump(broken);
  OF(_destroy)(&controller);
}

static void
sequence(unsigned long seed)
{
  walker dice = {.random = (unsigned) seed};
  if (!begin(&controller, (unsigned) seed))
    return;
  for (int i = 0; i < 2000; i++)
  {
    const walk_edge *e = &edges[draw(&dice, sizeof edges / sizeof *edges)];
    if (e->from != dice.state)
      continue;
    const bool did = execute(&controller, e->action, TRY, NULL);
    fprintf(stderr, "%s: %s\n", actions[e->action].name, did ? "yes" : "no");
    show(look(&controller));
    if (did)
      dice.state = e->to;
  }
}

int
main(int argc, char **argv)
{
  const int runs = argc > 1 ? atoi(argv[1]) : 5;
  const unsigned long seed = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;
  if (runs == 0)
    sequence(seed);
  for (int i = 0; i < runs; i++)
    run(seed + (unsigned long) i,
        argc > 3 ? atoi(argv[3]) : 2 + (int) ((seed + (unsigned long) i) * 2654435761u >> 16) % 11);
  return 0;
}
