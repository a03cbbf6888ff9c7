/* special.h: histories of the usual objects, judged (almost) without a search.
 *
 * A register, set, counter, queue, stack or priority queue can be judged in (almost) linear time if its values are
 * unique, also with operations that never returned; a register whose values repeat by a search that mostly keeps one to
 * three configurations; one key of a map as a register. The rules and their proofs are at the head of each special_*.c.
 * Private to src/linear. Threads: one per call. */
#ifndef HD_LINEAR_SPECIAL_H
#define HD_LINEAR_SPECIAL_H

#include "linear/linear.h"

typedef enum special_answer
{
  SPECIAL_HOLDS,
  SPECIAL_VIOLATED,
  SPECIAL_NOT_FIT, /* not of the kind that is decided here: search */
  SPECIAL_STOPPED, /* a limit was reached, or the caller cancelled: unknown */
} special_answer;

typedef struct special_options
{
  const hd_value *config; /* of the object: the initial value of registers and counters */
  size_t nconfig;
  /* Limits for what is a search after all, registers whose values repeat and pending removals of stacks and priority
   * queues: steps beyond what histories usually need, and configurations at one time. 0: the default. */
  uint64_t max_steps, max_configurations;
  uint32_t rules_off; /* for tests: HD_LINEAR_DOMINANCE, HD_LINEAR_LOOKAHEAD */
  const int *cancel;  /* not NULL: stop once it is not 0 (read atomically) */
  uint64_t *steps;    /* not NULL: how many steps were made is added here */
  uint64_t *peak;     /* not NULL: raised to the greatest number of configurations at one time */
  void *memory;       /* not NULL: MEMORY_SIZE bytes that may be used while the call lasts */
  size_t memory_size;
} special_options;

/* Does some order of OPS explain what they returned? SPEC is one of the built-in specifications (specs/), known by its
 * name and methods: do not ask for another one that only looks like it. OPTIONS and WHY may be NULL; WHY is filled if
 * the answer is SPECIAL_VIOLATED. */
special_answer hd_special_decide(const hd_spec *spec, const hd_linear_op *ops, size_t n, const special_options *options,
                                 hd_linear_violation *why);
/* Is there an algorithm for SPEC at all? */
bool hd_special_knows(const hd_spec *spec);
/* Does it take the object as a whole, or one key only? */
bool hd_special_takes_all(const hd_spec *spec);
/* Could it decide a history with O in it? A quick look. */
bool hd_special_may_fit(const hd_spec *spec, const hd_linear_op *o);

#endif
