/* random_private.h: the state of the random log writer; shared by random_log.c (what threads do) and random_truth.c
 * (what honest operations return and write, and who holds which variable). */
#ifndef ORACLE_RANDOM_PRIVATE_H
#define ORACLE_RANDOM_PRIVATE_H

#include "trace.h"

enum
{
  VALUES = 3,
  MAX_WRITES = 8, /* twice the variables of the models used here, and one more */
};

typedef enum plan
{
  PLAN_LOOK, /* an observer, or a mutator that means to return uncommitted */
  PLAN_EXACT,
  PLAN_WINDOW,
  PLAN_NOCOMMIT,
  PLAN_INTERNAL,
} plan;

typedef struct activity
{
  plan plan;
  unsigned method;
  hd_value args[MODEL_ARGS];
  bool windowed; /* a PLAN_LOOK that opens a window, which its return cancels */
  bool blocked;  /* wants a block */
  bool honest;
  bool in_block, block_done, window, committed, decided, effective, locked;
  model_return ret;
  unsigned nwrites, written;
  unsigned var[MAX_WRITES];
  int8_t value[MAX_WRITES];
  int8_t old[MAX_WRITES]; /* what an honest write overwrites */
} activity;

typedef struct writer
{
  trace *t;
  uint64_t random;
  model_state truth;
  unsigned nthreads, left; /* operations still to start */
  unsigned honesty;        /* percent */
  unsigned p_window, p_nocommit, p_uncommitted, p_block, p_internal, p_nested, p_abandon, p_commit_return, p_exception;
  unsigned p_return_tick;     /* where it need not */
  bool protect;               /* blocks hold their variables */
  bool careful;               /* every write of a mutator is in its block: honest logs hold with views, too */
  bool old;                   /* writes carry the value overwritten */
  unsigned owner[MODEL_VARS]; /* thread that holds the variable, or 0 */
  unsigned depth[TRACE_THREADS];
  activity stack[TRACE_THREADS][TRACE_DEPTH];
} writer;

static inline unsigned
writer_pick(writer *w, unsigned n)
{
  return (unsigned) (hd_random(&w->random) % n);
}

static inline bool
writer_chance(writer *w, unsigned percent)
{
  return writer_pick(w, 100) < percent;
}

/* What operation A would return now. SAME: only if nothing changes by it; false: nothing can be returned so. */
bool writer_truthful_return(writer *w, const activity *a, bool same, model_return *ret);
/* The writes that bring the replica from the truth to AFTER, and the values that they overwrite. */
void writer_decide_writes(writer *w, activity *a, const model_state *after);
void writer_decide_old_values(const writer *w, activity *a);
/* The return and the writes of A. */
void writer_decide(writer *w, activity *a);
/* The moment of effect. */
void writer_take_effect(writer *w, activity *a);

/* Could THREAD hold all variables now? Take them; give back what A does not need; give back all. */
bool writer_can_lock(writer *w, unsigned thread);
bool writer_lock(writer *w, unsigned thread, activity *a);
void writer_narrow(writer *w, unsigned thread, const activity *a);
void writer_unlock(writer *w, unsigned thread, activity *a);

#endif
