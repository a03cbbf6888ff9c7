/* oracle.h: does a log refine its specification? By brute force, from the definitions.
 *
 * The statement that is decided: all operations can be put in one order such that each has a place inside its interval
 * of the clock, the specification accepts every step with the return that the log shows, and at every quiet comparison
 * point the view of the specification equals the view of a replica that is rebuilt from scratch. */
#ifndef ORACLE_H
#define ORACLE_H

#include "trace.h"

typedef enum oracle_reason
{
  REASON_NONE = 0,
  REASON_COMMIT = 1,   /* an exact commit is rejected */
  REASON_OBSERVER = 2, /* no state allows the return of an observer or of a mutator that returned uncommitted */
  REASON_ORDER = 4,    /* a window ended and its operation could not be placed */
  REASON_VIEW = 8,
  REASON_OLD_VALUE = 16,
  REASON_OVERLAP = 32,
  REASON_ANNOTATION = 64,
} oracle_reason;

typedef struct oracle_answer
{
  bool violated;
  bool incomplete;   /* the log does not say enough; exclusive with VIOLATED */
  bool views_cut;    /* a committed block never ended: the comparisons from there on were left out */
  bool unsure;       /* violated only by overwritten values or overlaps while a window or an unfinished block was
                        open, which a checker may leave unjudged */
  unsigned reasons;  /* mask of oracle_reason: how the attempts that came furthest failed */
  uint32_t gap;      /* the first gap by whose end (with the tick that ends it) no explanation is left */
  bool place_open;   /* overwritten values were judged while a window was open: a checker may notice later */
  bool at_end;       /* found by the comparison after the last tick */
  uint32_t blamed;   /* mask of operations (numbered by their calls in the log) that failed there */
  int first_blamed;  /* the record of the call of the only blamed operation, or -1 */
  unsigned nops;     /* operations, without internal tasks */
  unsigned nspans;   /* of them, with a window or without annotation */
  unsigned nlookers; /* of them, observers and mutators that returned uncommitted */
  unsigned npending; /* of them, not returned */
  bool busy_end;     /* at the end an operation or an internal task was in progress */
  unsigned compared; /* comparison points, reached or not */
} oracle_answer;

typedef enum oracle_time
{
  ORACLE_STAMPS,   /* what the log says: ticks and looks */
  ORACLE_REAL_TIME /* the true order of all records */
} oracle_time;

oracle_answer oracle_judge(const trace *t, oracle_time time);

#endif
