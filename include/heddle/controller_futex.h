/* controller_futex.h: sleeping and waking on Linux, for generated controllers. A thread sleeps on a word of four bytes
 * as long as the word has the value that the thread has seen; sleepers and wake-ups carry a set of queues, and a
 * wake-up reaches those alone that share a queue with it. Waking needs the address of the word and not the word: the
 * controller may be gone by then. */
#ifndef HEDDLE_CONTROLLER_FUTEX_H
#define HEDDLE_CONTROLLER_FUTEX_H

#ifndef __linux__
#error "this code was generated for Linux; heddle control generate --backend=pthread makes it for other systems"
#endif

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <heddle/controller_run.h>

/* glibc hides it from a program that asks for ISO C alone (-std=c11). */
#if defined __GLIBC__ && !defined __USE_MISC
extern long syscall(long number, ...) __attribute__((__nothrow__));
#endif
#if !defined SYS_futex && defined SYS_futex_time64
#define SYS_futex SYS_futex_time64
#endif

/* Wake HOW_MANY of those who sleep on WORD in one of the QUEUES. errno stays as it is. */
static inline void
hd_controller_futex_wake(const uint32_t *word, int how_many, uint32_t queues)
{
  const int saved = errno;
  syscall(SYS_futex, word, FUTEX_WAKE_BITSET | FUTEX_PRIVATE_FLAG, how_many, NULL, NULL, queues);
  errno = saved;
}

/* Wait on WORD in QUEUES while it is SEEN, as HOW says and at most until UNTIL (NULL: no end). False: that time has
 * come, or is none. A cancellation point: if the thread is cancelled, it may have been woken just before, and
 * CANCELLED(CONTEXT) is called to hand that on. Cancellation is asynchronous during the system call alone. Not inline:
 * pthread_cleanup_push may be made of setjmp. */
static HD_CC_UNUSED __attribute__((noinline)) bool
hd_controller_futex_wait(int how, const uint32_t *word, uint32_t seen, uint32_t queues, const struct timespec *until,
                         void (*cancelled)(void *), void *context)
{
  const int saved = errno;
  volatile bool late = false;
  int type, ignored;
  pthread_cleanup_push(cancelled, context);
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &type);
  const long result = syscall(SYS_futex, word, how | FUTEX_PRIVATE_FLAG, seen, until, NULL, queues);
  pthread_setcanceltype(type, &ignored);
  late = result != 0 && errno != EAGAIN && errno != EINTR; /* ETIMEDOUT, or a time that is none */
  pthread_cleanup_pop(0);
  errno = saved;
  return !late;
}

/* Sleep until woken, for no reason, or until DEADLINE; the rest is as above. */
static inline bool
hd_controller_futex_sleep(const uint32_t *word, uint32_t seen, uint32_t queues, const struct timespec *deadline,
                          void (*cancelled)(void *), void *context)
{
  return hd_controller_futex_wait(FUTEX_WAIT_BITSET, word, seen, queues, deadline, cancelled, context);
}

/* Sleep for NANOSECONDS, less than a second, where nobody wakes; CANCELLED and CONTEXT are as above. */
static HD_CC_UNUSED void
hd_controller_futex_nap(uint32_t nanoseconds, void (*cancelled)(void *), void *context)
{
  const uint32_t nobody = 0;
  const struct timespec time = {0, (long) nanoseconds}; /* from now: FUTEX_WAIT differs in that */
  hd_controller_futex_wait(FUTEX_WAIT, &nobody, 0, 0, &time, cancelled, context);
}

/* A lock of four bytes: 0 free, 1 taken, 2 taken and somebody may sleep. */
static inline void
hd_controller_futex_lock(uint32_t *lock)
{
  uint32_t seen = 0;
  if (__atomic_compare_exchange_n(lock, &seen, 1, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
    return;
  const int saved = errno;
  while (__atomic_exchange_n(lock, 2, __ATOMIC_SEQ_CST) != 0)
    syscall(SYS_futex, lock, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, 2, NULL, NULL, 0);
  errno = saved;
}

static inline void
hd_controller_futex_unlock(uint32_t *lock)
{
  if (__atomic_exchange_n(lock, 0, __ATOMIC_SEQ_CST) == 2)
    hd_controller_futex_wake(lock, 1, FUTEX_BITSET_MATCH_ANY);
}

#endif
