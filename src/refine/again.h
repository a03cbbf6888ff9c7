/* again.h: a second reading for objects that the search could not settle. Private to src/refine. */
#ifndef HD_REFINE_AGAIN_H
#define HD_REFINE_AGAIN_H

#include "refine/internal.h"
#include "refine/special.h"

typedef struct again again;

typedef struct gathered
{
  special_op op;
  size_t outer; /* 1 + the index of the operation in which it is nested, 0: none */
  uint32_t nargs;
  uint64_t call, finish; /* positions of its call and return */
  size_t returned_at;    /* operations that had been called then */
  uint32_t thread, call_site, commit_site, return_site;
  bool observer, nocommit, committed, windowed, returned, ret_known, gone;
} gathered;

typedef struct top
{
  uint32_t thread; /* 0: free */
  size_t index;    /* 1 + the innermost open operation */
} top;

struct again
{
  hd_refine *r;
  gathered *ops;
  size_t n, cap;
  top *tops; /* by thread */
  size_t ntops, tops_size;
  uint64_t ticks; /* seen */
  bool unfit;     /* something in the log that the algorithms do not know */
};

/* May a second reading settle what R left open? After finish. */
bool again_wanted(const hd_refine *r);
HD_GIVE again *again_new(hd_refine *r);
void again_free(HD_TAKE again *a);
/* The object's events, once more. False: nothing can be settled. */
bool again_event(again *a, const hd_event *e);
/* Everything was read: put the answer into R's result. */
void again_settle(again *a);

/* The operations as annotated: OUT has room for all, *N is how many matter. False: one of them cannot be said. */
bool again_annotated(const again *a, special_op *out, size_t *n);
/* The check was incomplete; this is the answer. */
void again_put_answer(again *a, special_answer answer, const special_violation *why);

/* again_solve.c */
op again_op(const gathered *g, hd_value *args); /* in the form that the rest of the engine uses; ARGS: room for two */
void again_settle_blame(again *a);
void again_settle_by_parts(again *a);

#endif
