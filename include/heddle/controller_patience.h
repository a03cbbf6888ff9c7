/* controller_patience.h: what a thread does before it sleeps, for generated controllers (controller_packed.h): let a
 * moment pass, give its processor away, nap. How long, and whether at all, each thread learns from what came of it. */
#ifndef HEDDLE_CONTROLLER_PATIENCE_H
#define HEDDLE_CONTROLLER_PATIENCE_H

#include <sched.h>
#include <time.h>

#include <heddle/controller_futex.h>

enum
{
  HD_CONTROLLER_LONGEST_MOMENT = 255, /* pauses, and one: 3 to 12 microseconds */
  HD_CONTROLLER_MOMENT_TRIES = 8,     /* at the end of one, if the last was worth it */
  HD_CONTROLLER_FEWEST_LOOKS = 2,
  HD_CONTROLLER_FIRST_LOOKS = 16,
  HD_CONTROLLER_MOST_LOOKS = 256,
  HD_CONTROLLER_LOOK = 128,          /* pauses in one, at most: 2 to 7 microseconds */
  HD_CONTROLLER_GIVES_WAY = 10,      /* pauses for one who looks */
  HD_CONTROLLER_HOLD_BACK = 128,     /* pauses before one is woken, at most: 2 to 7 microseconds */
  HD_CONTROLLER_MORE_LOOKS = 4,      /* where the processor is busy, and nobody sleeps */
  HD_CONTROLLER_LONG_YIELD = 500000, /* nanoseconds: that was a thread which computes */
  HD_CONTROLLER_MOST_NAPS = 16,      /* in a row, and then it sleeps: at most 4 milliseconds with the slack of timers */
  HD_CONTROLLER_SHORTEST_NAP = 20000,
  HD_CONTROLLER_LONGEST_NAP = 160000, /* nanoseconds */
  HD_CONTROLLER_LOOKS_OF_NAP = 16,    /* after one, at most */
  HD_CONTROLLER_MOST_WITHOUT = 4095
};

/* What a thread goes without after it was wrong: LEFT times now, and more often when it is wrong again. */
typedef struct hd_controller_lesson
{
  uint32_t left, last;
} hd_controller_lesson;

/* What a thread has learnt. */
typedef struct hd_controller_patience
{
  uint32_t looks;  /* before it sleeps, at most; 0: nothing is known yet */
  uint32_t moment; /* pauses before it waits at all */
  uint32_t nap;    /* nanoseconds of the next */
  hd_controller_lesson looking, napping, holding;
} hd_controller_patience;
static HD_CC_UNUSED __thread hd_controller_patience hd_controller_own;
static HD_CC_UNUSED uint32_t hd_controller_quickest; /* yield of an idle processor: nanoseconds, and 1; 0: unknown */
/* The one processor of all who have waited so far, and 1; UINT32_MAX: there are several; 0: nobody has. */
static HD_CC_UNUSED uint32_t hd_controller_processor;

/* Between two looks at a word that others need. */
static inline void
hd_controller_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#else
  __asm__ volatile("");
#endif
}

/* Another thread was quicker with its swap. Who tries again at once takes the word away from it while it may still need
 * it; so each failure lets it go for longer, for TURNS now. Returns the next TURNS. */
static HD_CC_UNUSED __attribute__((noinline)) unsigned
hd_controller_lost(unsigned turns)
{
  for (unsigned i = 0; i < turns; i++)
    hd_controller_pause();
  return turns < 64 ? 2 * turns : turns;
}

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

/* Are there several processors? */
static HD_CC_UNUSED bool
hd_controller_may_look(void)
{
  return __atomic_load_n(&hd_controller_processor, __ATOMIC_RELAXED) == UINT32_MAX; /* relaxed: a hint */
}

/* What the calling thread has learnt. */
static HD_CC_UNUSED hd_controller_patience *
hd_controller_learnt(void)
{
  hd_controller_patience *own = &hd_controller_own;
  if (own->looks == 0)
  {
    own->looks = HD_CONTROLLER_FIRST_LOOKS;
    own->nap = HD_CONTROLLER_SHORTEST_NAP;
    hd_controller_find_processor();
  }
  return own;
}

static HD_CC_UNUSED void
hd_controller_learn(hd_controller_lesson *lesson, bool wrong, uint32_t times)
{
  if (!wrong)
    lesson->last /= 2;
  else
  {
    if (lesson->last < HD_CONTROLLER_MOST_WITHOUT)
      lesson->last = times * lesson->last + times - 1;
    lesson->left = lesson->last;
  }
}

/* Has the thread been wrong often enough to go without this time? */
static HD_CC_UNUSED bool
hd_controller_goes_without(hd_controller_lesson *lesson)
{
  if (lesson->left == 0)
    return false;
  lesson->left--;
  return true;
}

/* Give the processor away; how many nanoseconds did that take? IDLE: nobody else had use for it. */
static HD_CC_UNUSED int64_t
hd_controller_yield(bool *idle)
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
  *idle = took >= 0 && took <= 3 * quickest;
  return took;
}

/* A nap is over. LATE: what the thread waits for has become possible meanwhile. */
static HD_CC_UNUSED void
hd_controller_learn_of_nap(hd_controller_patience *own, bool late)
{
  if (late && own->nap > HD_CONTROLLER_SHORTEST_NAP)
    own->nap /= 2;
  else if (!late && own->nap < HD_CONTROLLER_LONGEST_NAP)
    own->nap *= 2;
  hd_controller_learn(&own->napping, late, 2);
}

#endif
