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
 * The controller's file is read with meanings of its words that are made here, as controller.h does it. */
#ifdef GENERATED
#define HD_CONTROLLER_GENERATED GENERATED
#endif
#include CONTROLLER

#include <sched.h>
#include <stddef.h>
#include <string.h>

#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)
#define OF(tail) PASTE(NAME, tail)
#define INNER(tail) PASTE(PASTE(hd_, NAME), tail)

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

/* ---- the controller's file, read in other ways ----
 *
 * words.inc takes the meanings of the last reading away; WORD_x says of which words there will be new ones. */

#define HD_CONTROLLER_PASS 1000

typedef struct walk_edge
{
  int from, action, to;
} walk_edge;

#define WORD_REST
#include "words.inc"
#define STATE(...)
#define EDGE(from, action, to) {OF(_state_##from), OF(_action_##action), OF(_state_##to)},
#define SPEC(...)
static const walk_edge edges[] = {
#include CONTROLLER
};

#define WORD_ACTIONS
#include "words.inc"
#define BLOCKING(name) {#name, true},
#define NONBLOCKING(name) {#name, false},
#define END
static const struct
{
  const char *name;
  bool blocking;
} actions[] = {
#include CONTROLLER
};

#define WORD_REST
#include "words.inc"
#define STATE(name) #name,
#define EDGE(...)
#define SPEC(...)
static const char *const state_names[] = {
#include CONTROLLER
};

enum way
{
  WAIT,
  TRY,
  UNTIL
};

/* Execute ACTION; false: it was not possible or came too late. */
#define WORD_ACTIONS
#include "words.inc"
#define BLOCKING(name)                                                                                                 \
  case OF(_action_##name):                                                                                             \
    if (way == WAIT)                                                                                                   \
      OF(_##name)(c);                                                                                                  \
    return way == WAIT || (way == TRY ? OF(_##name##_try)(c) : OF(_##name##_until)(c, deadline));
#define NONBLOCKING(name)                                                                                              \
  case OF(_action_##name):                                                                                             \
    OF(_##name)(c);                                                                                                    \
    return true;
#define END
static bool
execute(NAME *c, int action, enum way way, const struct timespec *deadline)
{
  (void) way;
  (void) deadline;
  switch (action)
  {
#include CONTROLLER
  }
  return false;
}

/* Choose values of the constants, and begin. False: they are not as is assumed. */
#define WORD_NUMBERS
#include "words.inc"
#define CONST(name, ...)                                                                                               \
  int name = 1 + (int) (seed >> 3 & 3);                                                                                \
  seed = seed * 5 + 1;                                                                                                 \
  while (!(__VA_ARGS__))                                                                                               \
    name++;
#undef ASSUME
#define ASSUME(...)                                                                                                    \
  if (!(__VA_ARGS__))                                                                                                  \
    return false;
#define INT(...)
#define BOOL(...)
#define ENUM(...)
static bool
begin(NAME *c, unsigned seed)
{
  (void) seed;
#include CONTROLLER
#undef ASSUME
#define ASSUME(...)
#undef CONST
#define CONST(name, ...) , name
  OF(_init)
  (c
#include CONTROLLER
  );
  return true;
}

/* A copy of the variables, for when nobody moves any more. ThreadSanitizer cannot know that and is not asked. */
#define WORD_NUMBERS
#include "words.inc"
#define CONST(name, ...) int name;
#define INT(name, ...) int name;
#define BOOL(name, ...) int name;
#define ENUM(name, ...) int name;
typedef struct values
{
#include CONTROLLER
  char none;
} values;

#define WORD_NUMBERS
#include "words.inc"
#define CONST(name, ...) v.name = (int) c->name;
#define INT(name, ...) v.name = (int) c->name;
#define BOOL(name, ...) v.name = (int) c->name;
#define ENUM(name, ...) v.name = (int) c->name;
static __attribute__((no_sanitize("thread"), noinline)) values
look(const NAME *c)
{
  values v = {0};
  (void) c;
#include CONTROLLER
  return v;
}

#define LIST_(...) __VA_ARGS__
#define LOCAL_(name)                                                                                                   \
  const int name = v.name;                                                                                             \
  (void) name;
#define ENUM_(name, list)                                                                                              \
  enum                                                                                                                 \
  {                                                                                                                    \
    LIST_ list                                                                                                         \
  };                                                                                                                   \
  LOCAL_(name)

/* Does a guard of ACTION hold? */
#define WORD_NUMBERS
#define WORD_ACTIONS
#include "words.inc"
#define CONST(name, ...) LOCAL_(name)
#define INT(name, ...) LOCAL_(name)
#define BOOL(name, ...) LOCAL_(name)
#define ENUM(name, initial, list) ENUM_(name, list)
#define BLOCKING(name)                                                                                                 \
  if (action == OF(_action_##name))                                                                                    \
  {
#define NONBLOCKING(name) BLOCKING(name)
#undef WHEN
#define WHEN(...) holds = holds || (__VA_ARGS__);
#define END }
static bool
can(values v, int action)
{
  bool holds = false;
#include CONTROLLER
  return holds;
}

/* A property that does not hold, as far as that is about one state; NULL: there is none. */
#define WORD_NUMBERS
#define WORD_REST
#include "words.inc"
#define CONST(name, ...) LOCAL_(name)
#define INT(name, ...) LOCAL_(name)
#define BOOL(name, ...) LOCAL_(name)
#define ENUM(name, initial, list) ENUM_(name, list)
#define STATE(...)
#define EDGE(...)
#define AG(...) (__VA_ARGS__)
#define AX(...) true
#define AF(...) true
#define AU(...) true
#define RIGID(...) true
#define IMPLIES(a, ...) (!(a) || (__VA_ARGS__))
#define count(state) counts[OF(_state_##state)]
#define SPEC(name, ...)                                                                                                \
  if (!(__VA_ARGS__))                                                                                                  \
    broken = #name " does not hold";
static const char *
judge(values v, const int *counts)
{
  const char *broken = NULL;
  (void) counts;
#include CONTROLLER
  return broken;
}
#undef count

#define WORD_NUMBERS
#include "words.inc"
#define SHOW_(name) fprintf(stderr, "  %s = %d\n", #name, v.name);
#define CONST(name, ...) SHOW_(name)
#define INT(name, ...) SHOW_(name)
#define BOOL(name, ...) SHOW_(name)
#define ENUM(name, ...) SHOW_(name)
static void
show(values v)
{
  (void) v;
#include CONTROLLER
}
#include "words.inc"
#undef HD_CONTROLLER_PASS

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
