/* controller_run.h: what the code of every controller shares: names, waiting, and the hooks of the interface check.
 * controller.h includes it; generated controllers may use what stands here too. */
#ifndef HEDDLE_CONTROLLER_RUN_H
#define HEDDLE_CONTROLLER_RUN_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <heddle/controller_macros.h>

typedef enum hd_controller_step
{
  HD_CONTROLLER_NO_GUARD, /* nothing happened */
  HD_CONTROLLER_SAME,     /* a command was executed, all variables are as before */
  HD_CONTROLLER_CHANGED,
} hd_controller_step;

#ifdef HD_CHECK_INTERFACE
#include <heddle/controller_check.h>
#else
/* A record has these members in addition: none. */
#define HD_CONTROLLER_MEMBERS
#define HD_CC_OUTER
#define HD_CC_GENERATED_FUNCTION static inline
#define HD_CC_BORN(c)
#define HD_CC_BEFORE(c, action)
#define HD_CC_AFTER(c, action, did)
/* The calling thread touches data that controller C, a NAME *, protects: allowed in the given states of the interface
 * alone. Nothing, and nothing is evaluated, unless the program is compiled with -DHD_CHECK_INTERFACE. */
#define HD_DATA(c, name, ...) ((void) sizeof(c))
#endif

/* glibc hides these from a program that asks for ISO C alone (-std=c11). */
#if defined __GLIBC__ && !defined __USE_XOPEN2K
extern int pthread_condattr_setclock(pthread_condattr_t *attributes, __clockid_t clock)
    __attribute__((__nothrow__, __nonnull__(1)));
#endif
#ifdef CLOCK_MONOTONIC
#define HD_CC_CLOCK CLOCK_MONOTONIC
#else
#define HD_CC_CLOCK 1
#endif

/* An assumption about the constants of a controller does not hold. Nothing that is proved of the controller would be
 * true, so this ends the program. CONSTANT may be NULL. */
static inline void
hd_controller_assumption(const char *controller, const char *assumption, const char *constant, int value)
{
  if (constant != NULL)
    fprintf(stderr, "heddle: %s_init: the controller assumes %s, but %s is %d\n", controller, assumption, constant,
            value);
  else
    fprintf(stderr, "heddle: %s_init: the controller assumes %s, which is false\n", controller, assumption);
  abort();
}

/* A condition whose deadlines are on CLOCK_MONOTONIC. */
static inline void
hd_controller_init_condition(pthread_cond_t *condition)
{
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, HD_CC_CLOCK);
  if (pthread_cond_init(condition, &attributes) != 0)
    abort(); /* only where it needs memory or another resource: not on Linux */
  pthread_condattr_destroy(&attributes);
}

static inline void
hd_controller_init_lock(pthread_mutex_t *lock, pthread_cond_t *condition)
{
  hd_controller_init_condition(condition);
  if (pthread_mutex_init(lock, NULL) != 0)
    abort();
}

static inline void
hd_controller_unlock(void *lock)
{
  pthread_mutex_unlock((pthread_mutex_t *) lock);
}

/* Wait with LOCK held until CONDITION is signalled; DEADLINE NULL: for as long as it takes. False: the deadline has
 * passed, or is none. Not inline, and without variables: pthread_cleanup_push may be made of setjmp. A cancelled
 * waiter leaves the lock unlocked; it has changed nothing, and since wake-ups are broadcast it has taken none away. */
static HD_CC_UNUSED __attribute__((noinline)) bool
hd_controller_wait(pthread_mutex_t *lock, pthread_cond_t *condition, const struct timespec *deadline)
{
  volatile int error = 0;
  pthread_cleanup_push(hd_controller_unlock, lock);
  if (deadline == NULL)
    pthread_cond_wait(condition, lock);
  else
    error = pthread_cond_timedwait(condition, lock, deadline);
  pthread_cleanup_pop(0);
  return error == 0;
}

#endif
