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
 *   - There, a thread that is still awake may become the keeper of the queue, if nobody is: it sets another bit, the
 *     keeper bit. As long as that is set the wait bit stays, and nobody is woken. The keeper gives its bit up in the
 *     swap with which it leaves or goes to sleep, and wakes the next if the wait bit is set and a guard holds then.
 *     It waits for the same action, or for another one of which a guard holds whenever one of theirs does: it can go on
 *     itself then. Where the word has no room for keeper bits it clears the wait bit instead, and is then as if it had
 *     been woken.
 *
 * So whenever a guard holds and somebody sleeps, some thread is on its way to the sleepers or awake in their place. The
 * sleepers watch the low half of the word alone, and the kernel looks at it again before it lets them sleep.
 *
 * After its swap an action does not touch the controller any more, also when it wakes: another thread may destroy the
 * controller as soon as its own action has returned. All swaps and loads of the slow path are sequentially consistent;
 * the count of those who wait relies on it. */
#ifndef HEDDLE_CONTROLLER_PACKED_H
#define HEDDLE_CONTROLLER_PACKED_H

#include <heddle/controller_patience.h>

/* A variable is SHIFT bits from the right and WIDTH wide; it is never negative there. */
#define HD_CC_FIELD(word, shift, width) ((word) >> (shift) & ((UINT64_C(1) << (width)) - 1))
/* What a word grows by when the variable there grows by MORE. */
#define HD_CC_MORE(more, shift) ((uint64_t) (int64_t) (more) << (shift))
/* A word with all of an int, which may be negative, at SHIFT. */
#define HD_CC_WHOLE(word, shift, value)                                                                                \
  (((word) & ~(UINT64_C(0xffffffff) << (shift))) | (uint64_t) (uint32_t) (value) << (shift))
#define HD_CC_RARELY(e) __builtin_expect(!!(e), 0)

/* The lowest bit of the word: somebody looks at it, on a processor that has nothing else to do. Who makes a guard true
 * then clears it, and lets that thread go first. It is no more than a hint. */
#define HD_CONTROLLER_WATCHED UINT32_C(1)

/* A guard of a queue has become true in the word OLD: its wait bit, if somebody is to be woken, and whether one who
 * looks is to go first. KEEPS is 0 where there is no keeper. */
static inline HD_CC_INLINE uint32_t
hd_controller_called(uint64_t old, uint32_t waits, uint32_t keeps)
{
  return (uint32_t) old & (((old & keeps) == 0 ? waits : 0) | HD_CONTROLLER_WATCHED);
}

/* Execute an action on *WORD if one of its guards holds, with the bits cleared that *WAKE then has: wait bits, and
 * HD_CONTROLLER_WATCHED. False: no guard holds, and nothing was changed. */
typedef bool hd_controller_step_packed(const void *controller, uint64_t *word, uint32_t *wake);

/* A guard of an action holds. */
typedef bool hd_controller_can_packed(const void *controller, uint64_t word);

/* A queue in which one sleeper is woken. */
typedef struct hd_controller_packed_queue
{
  hd_controller_can_packed *can;
  uint32_t waits, keeps; /* its wait bit and its keeper bit */
} hd_controller_packed_queue;

/* What waiting has to know of a blocking action. */
typedef struct hd_controller_packed
{
  hd_controller_step_packed *step;
  hd_controller_can_packed *can;          /* NULL: this queue is always woken as a whole */
  const hd_controller_packed_queue *kept; /* those that a thread may keep which waits here */
  uint32_t nkept;
  bool returns;    /* who leaves may be back at once: a thread alone can go round as often as it likes */
  bool shares;     /* several threads may have the controller at the same time */
  bool chain;      /* when one has executed the action, the next may */
  uint32_t queue;  /* its wait bit */
  uint32_t keeper; /* its keeper bit; 0: there is none */
  uint32_t all;    /* the wait bits of all queues that are woken as a whole */
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
  for (unsigned i = 0; wake == HD_CONTROLLER_WATCHED && i < HD_CONTROLLER_GIVES_WAY; i++)
    hd_controller_pause();
  if ((wake & all) != 0)
    hd_controller_futex_wake(half, INT_MAX, wake & all);
  for (uint32_t ones = wake & ~(all | HD_CONTROLLER_WATCHED); ones != 0; ones &= ones - 1)
    hd_controller_futex_wake(half, 1, ones & -ones);
}

/* Is one of WAKE in a queue that is not woken as a whole? */
static inline HD_CC_INLINE bool
hd_controller_packed_wakes_one(uint32_t wake, uint32_t all)
{
  return (wake & ~(all | HD_CONTROLLER_WATCHED)) != 0;
}

/* An action is about to wake a sleeper, for nobody is awake in its place. Often somebody is about to be: who entered
 * before has just given that up, and who left before is coming again. To wake a third one then does no good: it finds
 * the processors busy, and until one of the three sleeps again each takes them away from the others. So if there are
 * several processors the action waits a little for them, unless that was in vain lately. Returns the word. */
static HD_CC_UNUSED uint64_t
hd_controller_packed_hold_back(hd_controller_step_packed *step, const void *controller, const uint64_t *word,
                               uint32_t all, uint64_t old)
{
  hd_controller_lesson *own = &hd_controller_own.holding;
  bool wakes = true;
  if (!hd_controller_may_look() || hd_controller_goes_without(own))
    return old;
  for (unsigned i = 0; i < HD_CONTROLLER_HOLD_BACK && wakes; i++)
  {
    hd_controller_pause();
    const uint64_t now = __atomic_load_n(word, __ATOMIC_ACQUIRE); /* acquire: as in hd_controller_packed_now */
    if (now == old)
      continue;
    uint64_t next = old = now;
    uint32_t wake = 0;
    wakes = step(controller, &next, &wake) && hd_controller_packed_wakes_one(wake, all);
  }
  hd_controller_learn(own, wakes, 2);
  return old;
}

static bool hd_controller_packed_rouse(hd_controller_step_packed *step, const void *controller, uint64_t *word,
                                       uint32_t all, uint64_t old);

/* An action that does not wait, in a word that was OLD. False: no guard holds. HELD_BACK: it has been. */
static inline HD_CC_INLINE bool
hd_controller_packed_from(hd_controller_step_packed *step, const void *controller, uint64_t *word, uint32_t all,
                          uint64_t old, bool held_back)
{
  uint64_t next;
  uint32_t wake;
  unsigned turns = 32; /* up to a microsecond: the word need not go to and fro for each action */
  for (;;)
  {
    next = old;
    wake = 0;
    if (HD_CC_RARELY(!step(controller, &next, &wake)))
      return false;
    if (!held_back && HD_CC_RARELY(hd_controller_packed_wakes_one(wake, all)))
      return hd_controller_packed_rouse(step, controller, word, all, old);
    if (!HD_CC_RARELY(!__atomic_compare_exchange_n(word, &old, next, true, __ATOMIC_SEQ_CST, __ATOMIC_ACQUIRE)))
      break;
    turns = hd_controller_lost(turns);
    old = __atomic_load_n(word, __ATOMIC_ACQUIRE); /* acquire: as in hd_controller_packed_now */
  }
  if (HD_CC_RARELY(wake != 0))
    hd_controller_packed_wake(word, wake, all);
  return true;
}

/* The same where it would wake a sleeper. */
static HD_CC_UNUSED __attribute__((noinline)) bool
hd_controller_packed_rouse(hd_controller_step_packed *step, const void *controller, uint64_t *word, uint32_t all,
                           uint64_t old)
{
  old = hd_controller_packed_hold_back(step, controller, word, all, old);
  return hd_controller_packed_from(step, controller, word, all, old, true);
}

static inline HD_CC_INLINE bool
hd_controller_packed_now(hd_controller_step_packed *step, const void *controller, uint64_t *word, uint32_t all)
{
  /* acquire: pairs with the swaps; who is told that nothing can be done also knows what was done before */
  return hd_controller_packed_from(step, controller, word, all, __atomic_load_n(word, __ATOMIC_ACQUIRE), false);
}

/* The word in which the calling thread met others last, and has not been alone since: a hint. */
static HD_CC_UNUSED __thread const uint64_t *hd_controller_company;

/* The calling thread comes, expects ALONE in *WORD, and meets others. Returns the word.
 *
 * If threads do next to nothing inside, to take the word from each other at each action takes longer than to let the
 * other one go round alone for a moment, and be alone then. Whether they do the thread has learnt where it could not go
 * on (hd_controller_packed_in_a_moment). A thread that leaves does not wait here: others may wait for it.
 *
 * Aligned, so that the look and what hangs on it are in one line of code: where a line ended between them, all actions
 * took twice as long (on a Zen 5; the other one's swap is disturbed until the thread has made up its mind). */
static HD_CC_UNUSED __attribute__((noinline, aligned(64))) uint64_t
hd_controller_packed_meet(const uint64_t *word, uint64_t alone)
{
  hd_controller_patience *own = &hd_controller_own;
  for (uint32_t i = 0; i < own->moment; i++)
    hd_controller_pause();
  const uint64_t now = __atomic_load_n(word, __ATOMIC_ACQUIRE); /* acquire: as in hd_controller_packed_now */
  if (now == alone)
    hd_controller_company = NULL;
  else
    own->moment -= (own->moment + 7) / 8; /* half of the time somebody is inside by chance */
  return now;
}

/* The same as hd_controller_packed_now, where the word is ALONE as long as the calling thread is the only one: then
 * nothing has to be loaded before the swap. A wrong guess costs a swap that learns what is there; among readers, who
 * keep each other company, each would be wrong. No wait bit is in ALONE, so nobody is woken.
 * COMES: the action is one that waits. */
static inline HD_CC_INLINE bool
hd_controller_packed_guess(hd_controller_step_packed *step, const void *controller, uint64_t *word, uint32_t all,
                           uint64_t alone, bool comes)
{
  uint64_t old = alone, next = alone;
  uint32_t wake = 0;
  if (HD_CC_RARELY(hd_controller_company == word))
  {
    old = __atomic_load_n(word, __ATOMIC_ACQUIRE); /* acquire: as in hd_controller_packed_now */
    if (old == alone)
      hd_controller_company = NULL;
    return hd_controller_packed_from(step, controller, word, all, old, false);
  }
  if (!step(controller, &next, &wake))
    return hd_controller_packed_now(step, controller, word, all);
  if (!HD_CC_RARELY(!__atomic_compare_exchange_n(word, &old, next, true, __ATOMIC_SEQ_CST, __ATOMIC_ACQUIRE)))
    return true;
  hd_controller_company = word;
  if (comes && hd_controller_own.moment > 0)
    old = hd_controller_packed_meet(word, alone);
  return hd_controller_packed_from(step, controller, word, all, old, false);
}

/* A thread that waits for an action. */
typedef struct hd_controller_packed_visit
{
  const hd_controller_packed *action;
  const void *controller;
  uint64_t *word;
  uint32_t *waiting; /* how many threads are in here for this action */
  uint32_t keeps;    /* the keeper bits that are its own */
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

/* V leaves, in a swap of the word for *NEXT; LAST: nobody else was counted. Who is to be woken then? */
static HD_CC_UNUSED uint32_t
hd_controller_packed_hand_on(const hd_controller_packed_visit *v, uint64_t *next, bool last)
{
  const hd_controller_packed *a = v->action;
  uint32_t wake = 0;
  for (uint32_t i = 0; i < a->nkept; i++)
  {
    const hd_controller_packed_queue *q = &a->kept[i];
    if ((v->keeps & q->keeps) != 0 && (*next & q->waits) != 0 && q->can(v->controller, *next))
      wake |= q->waits;
  }
  *next &= ~(uint64_t) (v->keeps | wake);
  /* Of its own queue it may be the one who was woken, and then the wait bit does not tell whether others sleep. Where
   * it was the keeper that is set. */
  if (last || a->can == NULL || (v->keeps & a->keeper) != 0)
    return wake;
  if ((*next & a->keeper) != 0 || !a->can(v->controller, *next))
  {
    *next |= a->queue;
    return wake;
  }
  *next &= ~(uint64_t) a->queue;
  return wake | a->queue;
}

/* The thread gives up. A wake-up that it may have been given belongs to the others. */
static HD_CC_UNUSED void
hd_controller_packed_leave(void *visit)
{
  const hd_controller_packed_visit *v = (const hd_controller_packed_visit *) visit;
  const hd_controller_packed *a = v->action;
  const bool last = __atomic_sub_fetch(v->waiting, 1, __ATOMIC_SEQ_CST) == 0;
  uint64_t old = __atomic_load_n(v->word, __ATOMIC_SEQ_CST);
  while (v->keeps != 0 || (old & a->queue) == 0)
  {
    uint64_t next = old;
    const uint32_t wake = hd_controller_packed_hand_on(v, &next, last);
    if (next != old && !hd_controller_swap(v->word, &old, next))
      continue;
    if (wake != 0)
      hd_controller_packed_wake(v->word, wake, a->all);
    return;
  }
}

/* ---- looking before sleeping ----
 *
 * Most of what a thread waits for is over sooner than it could fall asleep and be woken. So it gives the processor away
 * and looks again for a while, as long as its processor has nothing else to do: whether it has shows in how long it
 * takes to get it back. While it looks nobody need be woken, for it stands in for those who sleep. How often it looks
 * at most depends on what came of it before. Where processors are busy it looks a few times if nobody sleeps yet: who
 * is waited for may be the next one there.
 *
 * Where several threads may be inside, a thread that leaves and is back at once would always be before the one who
 * looks, whose processor does nothing meanwhile. So it gives way, for as long as it takes to see a change of the word:
 * then both processors are at work. Where one alone may be inside, that would only take longer. */

/* The action cannot be executed right now. Perhaps it could a moment ago, and can in a moment: where threads come and
 * go and do next to nothing inside, it is better to let one of them go on for a while than to take the word away from
 * it. */
static HD_CC_UNUSED bool
hd_controller_packed_in_a_moment(const hd_controller_packed *a, const void *controller, uint64_t *word)
{
  hd_controller_patience *own = &hd_controller_own;
  if (!a->returns)
    return false;
  for (uint32_t i = 0; i <= own->moment; i++)
    hd_controller_pause();
  /* Who goes round has the controller half of the time, so that one look says little. */
  uint32_t tries = own->moment > 0 ? HD_CONTROLLER_MOMENT_TRIES : 1;
  while (!hd_controller_packed_now(a->step, controller, word, a->all))
  {
    if (--tries == 0)
    {
      own->moment /= 2;
      return false;
    }
    hd_controller_pause();
  }
  own->moment = 2 * own->moment + 1;
  if (own->moment > HD_CONTROLLER_LONGEST_MOMENT)
    own->moment = HD_CONTROLLER_LONGEST_MOMENT;
  return true;
}

/* V is about to sleep, for the first time or again: how often may it look or nap before? TIMED: never late. */
static HD_CC_UNUSED void
hd_controller_packed_hope(hd_controller_packed_visit *v, bool timed)
{
  hd_controller_patience *own = hd_controller_learnt();
  const bool may = hd_controller_may_look();
  const bool looks = may && (v->action->returns || !hd_controller_goes_without(&own->looking));
  v->looks = !looks ? 0 : timed ? (uint32_t) HD_CONTROLLER_FEWEST_LOOKS : own->looks;
  v->more = looks && !v->slept ? (uint32_t) HD_CONTROLLER_MORE_LOOKS : 0;
  v->naps = may && !timed && v->slept && v->action->chain ? (uint32_t) HD_CONTROLLER_MOST_NAPS : 0;
}

/* V, which cannot execute its action in *OLD, stays awake in the place of those who sleep. False: *OLD has changed. */
static HD_CC_UNUSED bool
hd_controller_packed_stand_in(hd_controller_packed_visit *v, uint64_t *old)
{
  const hd_controller_packed *a = v->action;
  uint32_t more = 0;
  for (uint32_t i = 0; i < a->nkept; i++)
    if ((*old & (a->kept[i].waits | a->kept[i].keeps)) == a->kept[i].waits)
      more |= a->kept[i].keeps;
  const uint64_t next = a->can != NULL && a->keeper == 0 ? *old & ~(uint64_t) a->queue : *old | more;
  if (next == *old)
    return true;
  if (!hd_controller_swap(v->word, old, next))
    return false;
  *old = next;
  v->keeps |= more;
  return true;
}

/* May somebody sleep in the queue of V? Where one is woken, the bit says nothing: others may look. */
static HD_CC_UNUSED bool
hd_controller_packed_sleeps(const hd_controller_packed_visit *v, uint64_t word)
{
  /* relaxed: no more than a hint */
  return v->action->can != NULL ? __atomic_load_n(v->waiting, __ATOMIC_RELAXED) > 1 : (word & v->action->queue) != 0;
}

/* The word, when the action can be executed in it, or after a while. */
static HD_CC_UNUSED uint64_t
hd_controller_packed_watch(const hd_controller_packed_visit *v)
{
  const hd_controller_packed *a = v->action;
  const bool asks = a->returns && a->shares;
  for (unsigned i = 0;; i++)
  {
    uint64_t word = __atomic_load_n(v->word, __ATOMIC_SEQ_CST), next = word;
    uint32_t wake = 0;
    if (a->step(v->controller, &next, &wake))
      return word;
    if (i == HD_CONTROLLER_LOOK)
      return asks ? __atomic_and_fetch(v->word, ~(uint64_t) HD_CONTROLLER_WATCHED, __ATOMIC_SEQ_CST) : word;
    if (asks && (word & HD_CONTROLLER_WATCHED) == 0)
      hd_controller_swap(v->word, &word, word | HD_CONTROLLER_WATCHED);
    hd_controller_pause();
  }
}

/* Give the processor away. A thread that computes keeps it for milliseconds, while one that sleeps gets it when it is
 * woken. But where threads come and go, that may be one who takes part, and would have to wake who sleeps. */
static HD_CC_UNUSED bool
hd_controller_packed_yield(const hd_controller_packed_visit *v)
{
  bool idle;
  const int64_t took = hd_controller_yield(&idle);
  if (!v->action->returns)
    hd_controller_learn(&hd_controller_own.looking, took > HD_CONTROLLER_LONG_YIELD, 8);
  return idle;
}

/* The action cannot be executed in the word *OLD. Look at it again, which *OLD is then; false: sleep. */
static HD_CC_UNUSED bool
hd_controller_packed_look(hd_controller_packed_visit *v, uint64_t *old)
{
  hd_controller_patience *own = &hd_controller_own;
  if (v->looks == 0)
  {
    if (v->more == 0 || hd_controller_packed_sleeps(v, *old))
      return false;
    v->more--;
    hd_controller_packed_yield(v);
    *old = __atomic_load_n(v->word, __ATOMIC_SEQ_CST);
    return true;
  }
  if (!hd_controller_packed_stand_in(v, old))
    return true;
  const bool idle = hd_controller_packed_yield(v);
  *old = idle ? hd_controller_packed_watch(v) : __atomic_load_n(v->word, __ATOMIC_SEQ_CST);
  v->looks = idle ? v->looks - 1 : 0;
  if (idle && v->looks == 0 && own->looks > HD_CONTROLLER_FEWEST_LOOKS)
    own->looks /= 2; /* in vain */
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
  if (v->naps == 0 || (*old & v->action->keeper & ~v->keeps) != 0 /* somebody else is awake */
      || __atomic_load_n(v->waiting, __ATOMIC_RELAXED) < 2)       /* relaxed: no more than a hint */
    return false;
  if (hd_controller_goes_without(&own->napping))
  {
    v->naps = 0;
    return false;
  }
  if (!hd_controller_packed_stand_in(v, old))
    return true;
  v->naps--;
  hd_controller_futex_nap(own->nap, hd_controller_packed_leave, v);
  *old = __atomic_load_n(v->word, __ATOMIC_SEQ_CST);
  hd_controller_learn_of_nap(own, v->action->can(v->controller, *old));
  v->looks = own->looks < HD_CONTROLLER_LOOKS_OF_NAP ? own->looks : (uint32_t) HD_CONTROLLER_LOOKS_OF_NAP;
  return true;
}

/* ---- waiting ---- */

/* Sleep on the word *OLD, in which the action cannot be executed; then *OLD is what it is now. False: DEADLINE has
 * passed. */
static HD_CC_UNUSED bool
hd_controller_packed_sleep(hd_controller_packed_visit *v, uint64_t *old, const struct timespec *deadline)
{
  const hd_controller_packed *a = v->action;
  if (v->keeps != 0 || (*old & a->queue) == 0)
  {
    /* No guard holds of those whom it kept either. */
    const uint64_t next = (*old & ~(uint64_t) v->keeps) | a->queue;
    if (!hd_controller_swap(v->word, old, next))
      return true;
    *old = next;
    v->keeps = 0;
  }
  const bool late = !hd_controller_futex_sleep(hd_controller_low_half(v->word), (uint32_t) *old, a->queue, deadline,
                                               hd_controller_packed_leave, v);
  v->slept = true;
  hd_controller_packed_hope(v, deadline != NULL);
  *old = __atomic_load_n(v->word, __ATOMIC_SEQ_CST); /* also when late: a guard may hold by now */
  return !late;
}

/* An action that waits until a guard holds. False: DEADLINE (NULL: none) has passed. */
static HD_CC_UNUSED __attribute__((noinline)) bool
hd_controller_packed_wait(const hd_controller_packed *a, const void *controller, uint64_t *word, uint32_t *waiting,
                          const struct timespec *deadline)
{
  if (hd_controller_packed_in_a_moment(a, controller, word))
    return true;
  hd_controller_packed_visit v = {a, controller, word, waiting, 0, false, 0, 0, 0};
  bool late = false;
  hd_controller_packed_hope(&v, deadline != NULL);
  __atomic_add_fetch(waiting, 1, __ATOMIC_SEQ_CST);
  uint64_t old = __atomic_load_n(word, __ATOMIC_SEQ_CST);
  for (;;)
  {
    uint64_t next = old & ~(uint64_t) HD_CONTROLLER_WATCHED; /* it was the one who looked */
    uint32_t wake = 0;
    if (a->step(controller, &next, &wake))
    {
      /* It is no longer counted when it swaps: whoever counts looks for sleepers, and this one is awake. */
      wake |= hd_controller_packed_hand_on(&v, &next, __atomic_sub_fetch(waiting, 1, __ATOMIC_SEQ_CST) == 0);
      if (!hd_controller_swap(word, &old, next))
      {
        __atomic_add_fetch(waiting, 1, __ATOMIC_SEQ_CST);
        continue;
      }
      if (wake != 0)
        hd_controller_packed_wake(word, wake, a->all);
      if (v.looks > 0 && hd_controller_own.looks < HD_CONTROLLER_MOST_LOOKS)
        hd_controller_own.looks *= 2; /* it was worth it */
      return true;
    }
    if (late)
    {
      hd_controller_packed_leave(&v);
      return false;
    }
    if (!hd_controller_packed_look(&v, &old) && !hd_controller_packed_nap(&v, &old))
      late = !hd_controller_packed_sleep(&v, &old, deadline);
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
