/* controller.h: concurrency controllers. A synchronisation policy is written as guarded commands in a header of its
 * own, and including that header makes it a type with functions; nobody writes a mutex or a condition variable.
 *
 *   #ifndef HD_CONTROLLER_PASS                           rw.h, the controller file
 *   #  define HD_CONTROLLER rw
 *   #  define HD_CONTROLLER_FILE "rw.h"
 *   #  include <heddle/controller.h>
 *   #else
 *   INT(nR, 0)
 *   BOOL(busy, false)
 *   STATE(idle) STATE(reading) STATE(writing)
 *   BLOCKING(r_enter)   WHEN(!busy)            DO(nR = nR + 1)  END
 *   NONBLOCKING(r_exit) WHEN(true)             DO(nR = nR - 1)  END
 *   BLOCKING(w_enter)   WHEN(nR == 0 && !busy) DO(busy = true)  END
 *   NONBLOCKING(w_exit) WHEN(true)             DO(busy = false) END
 *   EDGE(idle, r_enter, reading)  EDGE(reading, r_exit, idle)
 *   EDGE(idle, w_enter, writing)  EDGE(writing, w_exit, idle)
 *   SPEC(excl, AG(!busy || nR == 0))
 *   #endif
 *
 *   void rw_init(rw *c);                                 and an int for each CONST; aborts if an assumption is broken
 *   void rw_destroy(rw *c);                              nobody is inside an action, nobody will be
 *   void rw_r_enter(rw *c);                              a blocking action: waits until one of its guards holds
 *   bool rw_r_enter_until(rw *c, const struct timespec *deadline);   CLOCK_MONOTONIC; false: too late, nothing happened
 *   bool rw_r_enter_try(rw *c);                          false: no guard holds, nothing happened
 *   bool rw_r_exit(rw *c);                               a nonblocking action; false: no guard held, nothing changed
 *   int rw_next_state(int state, int action);            the interface: the state after it, -1: not allowed
 *   enum rw_state_id { rw_state_idle, ... };             enum rw_action_id { rw_action_r_enter, ... };
 *
 * An action takes effect at once and alone: the first command whose guard holds. A blocking action is a cancellation
 * point only while it waits; a cancelled one did nothing. Everything is static inline: any number of controllers,
 * instances and source files. C and C++, gcc and clang; link with -pthread. The folder of the controller file must be
 * in the include path (-I). docs/controllers.md has every word of the language, the check of the interface at run time
 * (-DHD_CHECK_INTERFACE, HD_DATA) and how generated code takes the place of this one (HD_CONTROLLER_GENERATED).
 *
 * This file has no include guard: every inclusion turns one controller file into code. The controller file is read once
 * for each HD_CC_PASS below (controller_pass.h), each time with another meaning of its words. */
#include <heddle/controller_run.h>

#ifdef HD_CONTROLLER

#ifndef HD_CONTROLLER_FILE
#error "a controller file defines HD_CONTROLLER_FILE, its own name, before it includes <heddle/controller.h>"
#elif !__has_include(HD_CONTROLLER_FILE)
#error "HD_CONTROLLER_FILE is not found: give the compiler the folder of the controller file with -I"
#endif

/* These words belong to the language from here to the end of this file; somebody else's would change its meaning. */
#if defined CONST || defined ASSUME || defined THREADS
#error "CONST, ASSUME or THREADS is a macro already: include the controller before the header that defines it"
#endif
#if defined INT || defined BOOL || defined ENUM
#error "INT, BOOL or ENUM is a macro already: include the controller before the header that defines it"
#endif
#if defined BLOCKING || defined NONBLOCKING || defined WHEN || defined DO || defined END
#error "BLOCKING, NONBLOCKING, WHEN, DO or END is a macro already: include the controller before what defines it"
#endif
#if defined STATE || defined EDGE || defined SPEC || defined SPEC_FAIR
#error "STATE, EDGE, SPEC or SPEC_FAIR is a macro already: include the controller before the header that defines it"
#endif

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow" /* a variable of a controller may be called like something of the program */
#ifdef HD_CONTROLLER_GENERATED
#pragma GCC diagnostic ignored "-Woverlength-strings" /* the text of the controller */
#ifdef __clang__
#pragma clang diagnostic ignored "-Wparentheses-equality" /* if ((n == 0)), where the file has WHEN((n == 0)) */
#endif
#endif

/* ---- names: the values of enumerations, the actions, the states ---- */

#define HD_CONTROLLER_PASS HD_CC_PASS_VALUES
#include <heddle/controller_pass.h>

enum HD_CC_NAME(_action_id)
{
#define HD_CONTROLLER_PASS HD_CC_PASS_ACTION_NAMES
#include <heddle/controller_pass.h>
  HD_CC_INNER(_actions)
};

enum HD_CC_NAME(_state_id)
{
#define HD_CONTROLLER_PASS HD_CC_PASS_STATE_NAMES
#include <heddle/controller_pass.h>
  HD_CC_INNER(_states)
};

HD_CC_ASSERT(HD_CC_INNER(_actions) >= 1, "a controller has at least one action: BLOCKING or NONBLOCKING");
HD_CC_ASSERT(HD_CC_INNER(_states) >= 1, "a controller has at least one STATE: the first is where threads begin");
HD_CC_ASSERT(HD_CC_INNER(_states) <= 64, "a controller has at most 64 states");

/* ---- the record, and what an action does: generated, or the plain form with one lock and one condition ----
 *
 * Either defines struct rw with HD_CONTROLLER_MEMBERS in it, hd_rw_init and hd_rw_destroy, for each blocking action
 * hd_rw_wait_r_enter (with a deadline or NULL) and hd_rw_try_r_enter, for each nonblocking one hd_rw_now_r_exit. */

#ifdef HD_CONTROLLER_GENERATED
#include HD_CONTROLLER_GENERATED
#else

typedef struct HD_CONTROLLER
{
  pthread_mutex_t hd_lock;
  pthread_cond_t hd_wake; /* broadcast whenever a variable has changed */
  HD_CONTROLLER_MEMBERS
#define HD_CONTROLLER_PASS HD_CC_PASS_MEMBERS
#include <heddle/controller_pass.h>
} HD_CONTROLLER;

static inline void
HD_CC_INNER(_init)(HD_CONTROLLER *hd_c_
#define HD_CONTROLLER_PASS HD_CC_PASS_PARAMETERS
#include <heddle/controller_pass.h>
)
{
#define HD_CONTROLLER_PASS HD_CC_PASS_ASSUMPTIONS
#include <heddle/controller_pass.h>
#define HD_CONTROLLER_PASS HD_CC_PASS_INITIAL
#include <heddle/controller_pass.h>
  hd_controller_init_lock(&hd_c_->hd_lock, &hd_c_->hd_wake);
}

static inline void
HD_CC_INNER(_destroy)(HD_CONTROLLER *hd_c_)
{
  pthread_cond_destroy(&hd_c_->hd_wake);
  pthread_mutex_destroy(&hd_c_->hd_lock);
}

/* Execute the first command of the action whose guard holds; the lock is held. The action is a constant wherever this
 * is inlined, so that one case of the switch remains. */
static inline HD_CC_INLINE hd_controller_step
HD_CC_INNER(_step)(HD_CONTROLLER *hd_c_, const int hd_action_)
{
  hd_controller_step hd_step_ = HD_CONTROLLER_NO_GUARD;
#define HD_CONTROLLER_PASS HD_CC_PASS_LOAD
#include <heddle/controller_pass.h>
  switch (hd_action_)
  {
#define HD_CONTROLLER_PASS HD_CC_PASS_COMMANDS
#include <heddle/controller_pass.h>
  }
  if (hd_step_ != HD_CONTROLLER_NO_GUARD)
  {
#define HD_CONTROLLER_PASS HD_CC_PASS_STORE
#include <heddle/controller_pass.h>
  }
  return hd_step_;
}

/* An action from lock to unlock. Broadcasting under the lock lets another thread destroy the controller as soon as its
 * own action has returned. */
static inline HD_CC_INLINE bool
HD_CC_INNER(_run)(HD_CONTROLLER *hd_c_, const int hd_action_, const bool hd_wait_, const struct timespec *hd_deadline_)
{
  bool hd_late_ = !hd_wait_;
  pthread_mutex_lock(&hd_c_->hd_lock);
  hd_controller_step hd_step_ = HD_CC_INNER(_step)(hd_c_, hd_action_);
  while (hd_step_ == HD_CONTROLLER_NO_GUARD && !hd_late_)
  {
    hd_late_ = !hd_controller_wait(&hd_c_->hd_lock, &hd_c_->hd_wake, hd_deadline_);
    hd_step_ = HD_CC_INNER(_step)(hd_c_, hd_action_); /* also when late: it may hold by now */
  }
  if (hd_step_ == HD_CONTROLLER_CHANGED)
    pthread_cond_broadcast(&hd_c_->hd_wake);
  pthread_mutex_unlock(&hd_c_->hd_lock);
  return hd_step_ != HD_CONTROLLER_NO_GUARD;
}

#define HD_CONTROLLER_PASS HD_CC_PASS_PLAIN
#include <heddle/controller_pass.h>

#endif /* HD_CONTROLLER_GENERATED */

/* ---- what users call ---- */

static inline int
HD_CC_NAME(_next_state)(int hd_state_, int hd_action_)
{
#define HD_CONTROLLER_PASS HD_CC_PASS_NEXT
#include <heddle/controller_pass.h>
  return -1;
}

#ifdef HD_CHECK_INTERFACE
static const hd_controller_edge HD_CC_INNER(_edge_table)[] = {
#define HD_CONTROLLER_PASS HD_CC_PASS_EDGES
#include <heddle/controller_pass.h>
    {-1, -1, -1}};
static const char *const HD_CC_INNER(_action_table)[] = {
#define HD_CONTROLLER_PASS HD_CC_PASS_ACTION_TEXTS
#include <heddle/controller_pass.h>
};
static const char *const HD_CC_INNER(_state_table)[] = {
#define HD_CONTROLLER_PASS HD_CC_PASS_STATE_TEXTS
#include <heddle/controller_pass.h>
};
static const hd_controller_interface HD_CC_INNER(_interface) HD_CC_UNUSED = {
    HD_CC_TEXT(HD_CONTROLLER), HD_CONTROLLER_FILE,   HD_CC_INNER(_action_table), HD_CC_INNER(_actions),
    HD_CC_INNER(_state_table), HD_CC_INNER(_states), HD_CC_INNER(_edge_table)};
#endif

static inline void
HD_CC_NAME(_init)(HD_CONTROLLER *hd_c_
#define HD_CONTROLLER_PASS HD_CC_PASS_PARAMETERS
#include <heddle/controller_pass.h>
)
{
  HD_CC_INNER(_init)
  (hd_c_
#define HD_CONTROLLER_PASS HD_CC_PASS_ARGUMENTS
#include <heddle/controller_pass.h>
  );
  HD_CC_BORN(hd_c_);
}

static inline void
HD_CC_NAME(_destroy)(HD_CONTROLLER *hd_c_)
{
  HD_CC_INNER(_destroy)(hd_c_);
}

#define HD_CONTROLLER_PASS HD_CC_PASS_PUBLIC
#include <heddle/controller_pass.h>

#pragma GCC diagnostic pop

#undef HD_CONTROLLER
#undef HD_CONTROLLER_FILE
#undef HD_CONTROLLER_GENERATED

#endif /* HD_CONTROLLER */
