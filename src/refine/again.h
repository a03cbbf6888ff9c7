/* again.h: an object's operations all at once, for what the walk along the log does not settle. Private to src/refine.
 */
#ifndef HD_REFINE_AGAIN_H
#define HD_REFINE_AGAIN_H

#include "linear/linear.h"
#include "refine/internal.h"

typedef struct again again;

/* What the log says of an operation, beside its hd_linear_op. */
typedef struct gathered
{
  size_t outer;                          /* 1 + the index of the operation in which it is nested, 0: none */
  uint64_t call, finish, window, commit; /* positions */
  uint32_t call_site, window_site, commit_site, return_site;
  bool observer, nocommit, committed, windowed, returned, ret_known;
} gathered;

typedef struct top
{
  uint32_t thread; /* 0: free */
  uint32_t index;  /* 1 + the innermost open operation */
} top;

struct again
{
  hd_refine *r;
  hd_linear_op *ops; /* the id is the index */
  gathered *more;
  size_t n, ops_cap, more_cap;
  hd_arena *texts; /* of the values */
  top *tops;       /* by thread */
  size_t ntops, tops_size;
  uint64_t events, ticks; /* seen */
  bool unfit;             /* something in the log that cannot be said here */
};

/* May a second reading settle what R left open? After finish. */
bool again_wanted(const hd_refine *r);
HD_GIVE again *again_new(hd_refine *r);
void again_free(HD_TAKE again *a);
/* The object's events. False: nothing can be settled. */
bool again_event(again *a, const hd_event *e);
/* Everything was read: put the answer into R's result. */
void again_settle(again *a);

/* again_explain.c */
/* OPS, N of them, judged as annotated, have no order; RESULT says where. Put the finding into R's result. */
void again_explain(again *a, const hd_linear_op *ops, size_t n, const hd_linear_options *options,
                   const hd_linear_result *result);
/* Whose fault is the violation at operation FAILING: the finding's blame. */
void again_blame(const again *a, uint64_t failing);
HD_GIVE char *again_describe(const again *a, uint64_t id); /* method(args) = ret */

/* again.c */
/* The operations over their calls and returns, whatever their commits say; what is not returned by position UNTIL may
 * or may not have happened. STRICT: of two looks of one number the return came first; else their order is open. */
HD_GIVE hd_linear_op *again_whole(const again *a, uint64_t until, bool strict, size_t *n);
hd_linear_options again_options(const again *a);

#endif
