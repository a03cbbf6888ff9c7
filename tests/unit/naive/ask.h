/* ask.h: lists of intervals for hd_linear_decide, and the same lists for the enumeration of orders. */
#ifndef NAIVE_ASK_H
#define NAIVE_ASK_H

#include "naive/cases.h"

#include "linear/linear.h"

typedef struct naive_history
{
  const naive_object *object;
  const hd_spec *spec;
  hd_value config[1];
  size_t nconfig;
  size_t n;
  naive_op ops[NAIVE_OPS];
} naive_history;

/* The intervals of C: positions on its clock, or real time. */
void naive_history_from(naive_history *h, const naive_case *c, bool real_time);
bool naive_history_explained(const naive_history *h);
hd_linear_result naive_history_ask(const naive_history *h, const hd_linear_options *options);
/* The history up to position AT: what had ended before it, or, if WITH, at it, stays; what had begun by then has not
 * returned. FORESEEN: but it is known what it will return. */
void naive_history_cut(const naive_history *h, uint64_t at, bool with, bool foreseen, naive_history *cut);
/* Drop operations as long as STILL says that the history is one that is wanted. */
void naive_history_shrink(naive_history *h, bool (*still)(const naive_history *h));
void naive_history_print(const naive_history *h);

#endif
