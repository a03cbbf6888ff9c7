/* special.h: histories of the usual objects, judged without a search.
 *
 * A register, set, counter, queue, stack or priority queue can be judged in (almost) linear time if its values are
 * unique, also with operations that never returned; the rules and their proofs are at the head of each special_*.c.
 * Private to src/refine. Threads: one per call. */
#ifndef HD_REFINE_SPECIAL_H
#define HD_REFINE_SPECIAL_H

#include <heddle/spec.h>

/* One operation. It took effect between START and END: its call and its return, or its commit window if that is
 * known; an exact commit is a window of one instant. X really precedes Y if X's END lies before Y's START; equal
 * numbers overlap. Numbers that are dense (not much above the number of events) and different are handled fastest. */
typedef struct special_op
{
  uint32_t method; /* index into the specification's methods */
  bool pending;    /* never returned: it may be left out, RET and END mean nothing. One that committed is not pending,
                      and none that this interface can say: search */
  hd_value arg, arg2, ret;
  uint64_t start, end;
  uint64_t id; /* the caller's, for the violation */
} special_op;

typedef enum special_answer
{
  SPECIAL_HOLDS,
  SPECIAL_VIOLATED,
  SPECIAL_NOT_FIT, /* not of the kind that is decided here: search */
  SPECIAL_STOPPED, /* a limit was reached, or the caller cancelled: unknown */
} special_answer;

typedef enum special_pattern
{
  SPECIAL_FROM_NOWHERE,     /* a value was taken or read that nobody put in */
  SPECIAL_TOO_EARLY,        /* ... before it was put in */
  SPECIAL_TAKEN_TWICE,      /* one value was taken, or replaced by cas, by two operations */
  SPECIAL_ORDER_INVERTED,   /* values left in an order that the object does not have */
  SPECIAL_EMPTY_WHILE_FULL, /* "empty", and something was inside all the time */
  SPECIAL_OVERWRITTEN,      /* a value was seen that had been overwritten, or not yet been written */
  SPECIAL_CIRCLE,           /* cas operations that need each other's values */
  SPECIAL_WRONG_ANSWER,     /* add, remove or contains answered what the set cannot have answered */
  SPECIAL_WRONG_COUNT,      /* a counter's value that it did not have at that time */
} special_pattern;

enum
{
  SPECIAL_SHOWN = 64,
};

typedef struct special_violation
{
  special_pattern pattern;
  bool alone; /* no order explains the operations shown even if all others are left out; those that put in what is
                 taken or read are among them */
  size_t nids;
  uint64_t ids[SPECIAL_SHOWN]; /* of the operations that show it */
  char sentence[512];
} special_violation;

typedef struct special_options
{
  const hd_value *config; /* of the object: the initial value of registers and counters */
  size_t nconfig;
  uint64_t max_steps; /* for the search among pending removals of stacks and priority queues; 0: the default */
  const int *cancel;  /* not NULL: stop once it is not 0 (read atomically) */
  uint64_t *steps;    /* not NULL: how many steps were made is added here */
} special_options;

/* Does some order of OPS explain what they returned? SPEC is one of the built-in specifications (specs/), known by its
 * name and methods: do not ask for another one that only looks like it. OPTIONS and WHY may be NULL; WHY is filled if
 * the answer is SPECIAL_VIOLATED. */
special_answer hd_special_decide(const hd_spec *spec, const special_op *ops, size_t n, const special_options *options,
                                 special_violation *why);
/* Is there an algorithm for SPEC at all? */
bool hd_special_knows(const hd_spec *spec);

#endif
