/* controller_packed.h: generated controllers whose variables fit one word of eight bytes: an action is one
 * compare-and-swap, and who cannot go on sleeps.
 *
 * Each blocking action has a queue and a bit in the low half of the word, the wait bit. The rules, which heddle control
 * generate proves of every controller together with the controller's own guards (docs/controllers.md):
 *
 *   - A thread sets the wait bit of its action only in a word in which no guard of the action holds, and sleeps only
 *     while the bit is set.
 *   - Whoever makes a guard of the action true clears the bit in the same swap, and then wakes: one sleeper, or all.
 *   - Where one is woken, the woken thread is responsible for the others. When it leaves, by executing the action, by a
 *     deadline or by cancellation, it wakes the next if a guard holds then, and sets the bit again if none does.
 *   - There, a thread that is still looking before it sleeps, or naps, may clear the bit, too: then it is the one who
 *     was woken.
 *
 * So whenever a guard holds and somebody sleeps, some thread is on its way to the sleepers or awake in their place. The
 * sleepers watch the low half of the word alone, and the kernel looks at it again before it lets them sleep.
 *
 * After its swap an action does not touch the controller any more, also when it wakes: another thread may destroy the
 * controller as soon as its own action has returned. All swaps and loads of the slow path are sequentially consistent;
 * the count of those who wait relies on it. */
#ifndef HEDDLE_CONTROLLER_PACKED_H
#define HEDDLE_CONTROLLER_PACKED_H

#include <sched.h>
#include <time.h>

#include <heddle/controller_futex.h>

/* A variable is SHIFT bits from the right and WIDTH wide; it is never negative there. */
#define HD_CC_FIELD(word, shift, width) ((word) >> (shift) & ((UINT64_C(1) << (width)) - 1))
/* What a word grows by when the variable there grows by MORE. */
#define HD_CC_MORE(more, shift) ((uint64_t) (int64_t) (more) << (shift))
/* A word with all of an int, which may be negative, at SHIFT. */
#define HD_CC_WHOLE(word, shift, value)                                                                                \
  (((word) & ~(UINT64_C(0xffffffff) << (shift))) | (uint64_t) (uint32_t) (value) << (shift))
#define HD_CC_RARELY(e) __builtin_expect(!!(e), 0)

/* Execute an action on *WORD if one of its guards holds, with the wait bits cleared of the queues that *WAKE then has.
 * False: no guard holds, and nothing was changed. */
typedef bool hd_controller_step_packed(const void *controller, uint64_t *word, uint32_t *wake);

/* What waiting has to know of a blocking action. */
typedef struct hd_controller_packed
{
  hd_controller_step_packed *step;
  bool (*can)(const void *controller, uint64_t word); /* a guard holds; NULL: this queue is always woken as a whole */
  bool chain;     /* a guard may hold after the action was executed: who was woken looks, and wakes the next */
  uint32_t queue; /* its wait bit */
  uint32_t all;   /* the wait bits of all queues that are woken as a whole */
} hd_controller_packed;

static inline const uint32_t *
hd_controller_low_half(const uint64_t *word)
{
  return (const uint32_t *) (const void *) word + (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
}

static HD_CC_UNUSED __attribute__((noinline)) void
hd_controller_packed_wake(const uint64_t *word, uint32_t wake, uint32_t all)
{
  const uint32_t *half = hd_controller_low_half(word);
  if ((wake & all) != 0)
    hd_controller_futex_wake(half, INT_MAX, wake & all);
  for (uint32_t ones = wake & ~all; ones != 0; ones &= ones - 1)
    hd_controller_futex_wake(half, 1, ones & -ones);
}

/* Another thread was quicker with its swap. Who tries again at once takes the word away from it while it may still need
 * it; so each failure lets it go for longer, for TURNS now. Returns the next TURNS. */
static HD_CC_UNUSED __attribute__((noinline)) unsigned
hd_controller_packed_lost(unsigned turns)
{
  for (unsigned i = 0; i < turns; i++)
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#else
    __asm__ volatile("");
#endif
  return turns < 64 ? 2 * turns : turns;
}

/* An action that does not wait. False: no guard holds. */
static inline HD_CC_INLINE bool
hd_controller_packed_now(hd_controller_step_packed *step, const void *controller, uint64_t *word, uint32_t all)
{
  /* acquire: pairs with the swaps; who is told that nothing can be done also knows what was done before */
  uint64_t old = __atomic_load_n(word, __ATOMIC_ACQUIRE), next;
  uint32_t wake;
  unsigned turns = 32; /* up to a microsecond: the word need not go to and fro for each action */
  for (;;)
  {
    next = old;
    wake = 0;
    if (HD_CC_RARELY(!step(controller, &next, &wake)))
      return false;
    if (!HD_CC_RARELY(!__atomic_compare_exchange_n(word, &old, next, true, __ATOMIC_SEQ_CST, __ATOMIC_ACQUIRE)))
      break;
    turns = hd_controller_packed_lost(turns);
    old = __atomic_load_n(word, __ATOMIC_ACQUIRE); /* acquire: as above */
  }
  if (HD_CC_RARELY(wake != 0))
    hd_controller_packed_wake(word, wake, all);
  return true;
}

/* A thread that waits for an action. */
typedef struct hd_controller_packed_visit
{
  const hd_controller_packed *action;
  const void *controller;
  uint64_t *word;
  uint32_t *waiting; /* how many threads are in here for this action */
  bool slept;
  uint32_t looks; /* that it may still take before it sleeps, */
  uint32_t more;  /* and that, if nobody sleeps */
  uint32_t naps;  /* that it may still take */
} hd_controller_packed_visit;

static inline bool
hd_controller_swap(uint64_t *word, uint64_t *old, uint64_t next)
{
  return __atomic_compare_exchange_n(word, old, next, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

/* The thread gives up. A wake-up that it may have been given belongs to the others. */
static HD_CC_UNUSED void
hd_controller_packed_leave(void *visit)
{
  const hd_controller_packed_visit *v = (const hd_controller_packed_visit *) visit;
  const hd_controller_packed *a = v->action;
  if (__atomic_sub_fetch(v->waiting, 1, __ATOMIC_SEQ_CST) == 0 || a->can == NULL)
    return;
  uint64_t old = __atomic_load_n(v->word, __ATOMIC_SEQ_CST);
  while ((old & a->queue) == 0)
  {
    if (a->can(v->controller, old))
    {
      hd_controller_packed_wake(v->word, a->queue, a->all);
      return;
    }
    if (hd_controller_swap(v->word, &old, old | a->queue))
      return;
  }
}

/* ---- looking before sleeping ----
 *
 * Most of what a thread waits for is over sooner than it could fall asleep and be woken. So it gives the processor away
 * and looks again, as long as its processor has nothing else to do: whether it has shows in how long it takes to get it
 * back. While it looks nobody need be woken, for it stands in for those who sleep. How often it looks at most, and
 * whether at all, depends on what came of it before. Where processors are busy it looks a few times if nobody sleeps
 * yet: who is waited for may be the next one there. */

enum
{
  HD_CONTROLLER_FEWEST_LOOKS = 8,
  HD_CONTROLLER_FIRST_LOOKS = 64,
  HD_CONTROLLER_MOST_LOOKS = 1024, /* half a millisecond */
  HD_CONTROLLER_MORE_LOOKS = 4,    /* of who comes, where its processor is busy, and nobody sleeps */
  HD_CONTROLLER_MOST_PASSES = 15,  /* when it comes, ... */
  HD_CONTROLLER_MOST_WOKEN = 1,    /* ... and when it was woken */
  HD_CONTROLLER_MOST_NAPS = 16,    /* in a row, and then it sleeps: at most 4 milliseconds with the slack of timers */
  HD_CONTROLLER_SHORTEST_NAP = 20000,
  HD_CONTROLLER_LONGEST_NAP = 160000, /* nanoseconds */
  HD_CONTROLLER_LOOKS_OF_NAP = 64,    /* after one, at most */
  HD_CONTROLLER_MOST_WITHOUT_NAP = 1023
};

/* What a thread has learnt about it; PASS and PASSES: of when it comes, and of when it was woken. */
typedef struct hd_controller_patience
{
  uint32_t looks;                 /* at most; 0: nothing is known yet */
  uint32_t pass[2], passes[2];    /* so many waits are left that pass without a look; so many there were of them */
  uint32_t without_nap, withouts; /* the same of naps */
  uint32_t nap;                   /* nanoseconds of the next */
} hd_controller_patience;
static HD_CC_UNUSED __thread hd_controller_patience hd_controller_own;
static HD_CC_UNUSED uint32_t hd_controller_quickest; /* yield of an idle processor: nanoseconds, and 1; 0: unknown */
/* The one processor of all who have waited so far, and 1; UINT32_MAX: there are several; 0: nobody has. */
static HD_CC_UNUSED uint32_t hd_controller_processor;

/* The calling thread waits for the first time: on which processors may it run? If all have the same one, looking only
 * keeps who is waited for from going on. */
static HD_CC_UNUSED void
hd_controller_find_processor(void)
{
  unsigned char may[512]; /* 4096 processors; it is an array of words, of any size */
  uint32_t place = UINT32_MAX, before = 0;
  const int saved = errno;
  const long n = syscall(SYS_sched_getaffinity, 0, sizeof may, may);
  errno = saved;
  for (long i = 0, bits = 0; i < 8 * n; i++)
    if (may[i / 8] >> i % 8 & 1)
      place = bits++ == 0 ? (uint32_t) i + 1 : UINT32_MAX;
  /* relaxed: no more than a hint */
  if (!__atomic_compare_exchange_n(&hd_controller_processor, &before, place, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)
      && before != place)
    __atomic_store_n(&hd_controller_processor, UINT32_MAX, __ATOMIC_RELAXED);
}

/* Give the processor away. False: somebody else had use for it. */
static HD_CC_UNUSED bool
hd_controller_yield(void)
{
  struct timespec before, after;
  timespec_get(&before, TIME_UTC); /* the one clock that ISO C has */
  sched_yield();
  timespec_get(&after, TIME_UTC);
  const int64_t took = (int64_t) (after.tv_sec - before.tv_sec) * 1000000000 + (after.tv_nsec - before.tv_nsec);
  /* relaxed: no more than a hint */
  int64_t quickest = (int64_t) __atomic_load_n(&hd_controller_quickest, __ATOMIC_RELAXED) - 1;
  if (took >= 0 && took < 1000000 && (quickest < 0 || took < quickest))
  {
    quickest = took;
    __atomic_store_n(&hd_controller_quickest, (uint32_t) took + 1, __ATOMIC_RELAXED);
  }
  /* There and back would be two changes of threads, and something between them. */
  return took >= 0 && took <= 3 * quickest;
}

/* V is about to sleep, for the first time or again: how often may it look or nap before? TIMED: never late. */
static HD_CC_UNUSED void
hd_controller_packed_hope(hd_controller_packed_visit *v, bool timed)
{
  hd_controller_patience *own = &hd_controller_own;
  if (own->looks == 0)
  {
    own->looks = HD_CONTROLLER_FIRST_LOOKS;
    own->nap = HD_CONTROLLER_SHORTEST_NAP;
    hd_controller_find_processor();
  }
  v->looks = 0;
  v->naps = 0;
  if (__atomic_load_n(&hd_controller_processor, __ATOMIC_RELAXED) != UINT32_MAX) /* relaxed: a hint */
    return;
  if (own->pass[v->slept] > 0)
    own->pass[v->slept]--;
  else
    v->looks = timed ? (uint32_t) HD_CONTROLLER_FEWEST_LOOKS : own->looks;
  if (v->slept && v->action->chain && !timed)
    v->naps = HD_CONTROLLER_MOST_NAPS;
}

/* May somebody sleep in the queue of V? Where one is woken, the bit says nothing: others may look. */
static HD_CC_UNUSED bool
hd_controller_packed_sleeps(const hd_controller_packed_visit *v, uint64_t word)
{
  /* relaxed: no more than a hint */
  return v->action->can != NULL ? __atomic_load_n(v->waiting, __ATOMIC_RELAXED) > 1 : (word & v->action->queue) != 0;
}

/* The action cannot be executed in the word *OLD. Look at it again, which *OLD is then; false: sleep. */
static HD_CC_UNUSED bool
hd_controller_packed_look(hd_controller_packed_visit *v, uint64_t *old)
{
  hd_controller_patience *own = &hd_controller_own;
  const hd_controller_packed *a = v->action;
  const bool slept = v->slept;
  if (v->looks == 0)
  {
    if (v->more == 0 || hd_controller_packed_sleeps(v, *old))
      return false;
    v->more--;
    sched_yield();
    *old = __atomic_load_n(v->word, __ATOMIC_SEQ_CST);
    return true;
  }
  if (a->can != NULL && (*old & a->queue) != 0 && !hd_controller_swap(v->word, old, *old & ~(uint64_t) a->queue))
    return true;
  if (hd_controller_yield())
  {
    own->passes[slept] = 0;
    if (--v->looks == 0 && own->looks > HD_CONTROLLER_FEWEST_LOOKS)
      own->looks /= 2; /* in vain */
  }
  else
  {
    const uint32_t most = slept ? HD_CONTROLLER_MOST_WOKEN : HD_CONTROLLER_MOST_PASSES;
    own->passes[slept] = own->passes[slept] < most ? 2 * own->passes[slept] + 1 : most;
    own->pass[slept] = own->passes[slept];
    v->looks = 0;
  }
  *old = __atomic_load_n(v->word, __ATOMIC_SEQ_CST);
  return true;
}

/* ---- napping ----
 *
 * Who was woken and comes too late need not ask to be woken at the next chance, where it may well be too late again:
 * if several threads may be inside, as with a semaphore, one that leaves is back sooner than one that was woken is
 * there, and each time pays for waking it. So it naps: like one who looks it stands in for those who sleep, but leaves
 * the processor to others, and nobody wakes it. If a guard holds when it is up again, it may have been late: then it
 * goes without for a while. */

/* The action cannot be executed in the word *OLD. Nap, and look at it again, which *OLD is then; false: sleep. */
static HD_CC_UNUSED bool
hd_controller_packed_nap(hd_controller_packed_visit *v, uint64_t *old)
{
  hd_controller_patience *own = &hd_controller_own;
  const hd_controller_packed *a = v->action;
  if (v->naps == 0 || __atomic_load_n(v->waiting, __ATOMIC_RELAXED) < 2) /* relaxed: no more than a hint */
    return false;
  if (own->without_nap > 0)
  {
    own->without_nap--;
    v->naps = 0;
    return false;
  }
  if ((*old & a->queue) != 0 && !hd_controller_swap(v->word, old, *old & ~(uint64_t) a->queue))
    return true;
  v->naps--;
  hd_controller_futex_nap(own->nap, hd_controller_packed_leave, v);
  *old = __atomic_load_n(v->word, __ATOMIC_SEQ_CST);
  if (a->can(v->controller, *old))
  {
    if (own->nap > HD_CONTROLLER_SHORTEST_NAP)
      own->nap /= 2;
    if (own->withouts < HD_CONTROLLER_MOST_WITHOUT_NAP)
      own->withouts = 2 * own->withouts + 1;
    own->without_nap = own->withouts;
  }
  else
  {
    if (own->nap < HD_CONTROLLER_LONGEST_NAP)
      own->nap *= 2;
    own->withouts /= 2;
  }
  v->looks = own->looks < HD_CONTROLLER_LOOKS_OF_NAP ? own->looks : (uint32_t) HD_CONTROLLER_LOOKS_OF_NAP;
  return true;
}

/* An action that waits until a guard holds. False: DEADLINE (NULL: none) has passed. */
static HD_CC_UNUSED __attribute__((noinline)) bool
hd_controller_packed_wait(const hd_controller_packed *a, const void *controller, uint64_t *word, uint32_t *waiting,
                          const struct timespec *deadline)
{
  hd_controller_packed_visit visit = {a, controller, word, waiting, false, 0, HD_CONTROLLER_MORE_LOOKS, 0};
  bool late = false;
  hd_controller_packed_hope(&visit, deadline != NULL);
  __atomic_add_fetch(waiting, 1, __ATOMIC_SEQ_CST);
  uint64_t old = __atomic_load_n(word, __ATOMIC_SEQ_CST);
  for (;;)
  {
    uint64_t next = old;
    uint32_t wake = 0;
    if (a->step(controller, &next, &wake))
    {
      /* It is no longer counted when it swaps: whoever counts looks for sleepers, and this one is awake. */
      if (__atomic_sub_fetch(waiting, 1, __ATOMIC_SEQ_CST) != 0 && a->can != NULL)
      {
        if (a->chain && a->can(controller, next))
        {
          next &= ~(uint64_t) a->queue;
          wake |= a->queue;
        }
        else
          next |= a->queue;
      }
      if (hd_controller_swap(word, &old, next))
      {
        if (wake != 0)
          hd_controller_packed_wake(word, wake, a->all);
        if (visit.looks > 0 && hd_controller_own.looks < HD_CONTROLLER_MOST_LOOKS)
          hd_controller_own.looks *= 2; /* it was worth it */
        return true;
      }
      __atomic_add_fetch(waiting, 1, __ATOMIC_SEQ_CST);
      continue;
    }
    if (late)
    {
      hd_controller_packed_leave(&visit);
      return false;
    }
    if (hd_controller_packed_look(&visit, &old) || hd_controller_packed_nap(&visit, &old))
      continue;
    if ((old & a->queue) == 0)
    {
      if (!hd_controller_swap(word, &old, old | a->queue))
        continue;
      old |= a->queue;
    }
    late = !hd_controller_futex_sleep(hd_controller_low_half(word), (uint32_t) old, a->queue, deadline,
                                      hd_controller_packed_leave, &visit);
    visit.slept = true;
    visit.more = 0;
    hd_controller_packed_hope(&visit, deadline != NULL);
    old = __atomic_load_n(word, __ATOMIC_SEQ_CST); /* also when late: a guard may hold by now */
  }
}

/* A variable has become too large for its part of the word. Going on would change other variables. */
static HD_CC_UNUSED __attribute__((noinline, cold)) void
hd_controller_too_large(const char *controller, const char *variable, int value, int most)
{
  fprintf(stderr,
          "heddle: %s: %s is %d, but the generated code has room for 0 to %d; use the controller without it, or "
          "generate with --backend=pthread\n",
          controller, variable, value, most);
  abort();
}

#endif
