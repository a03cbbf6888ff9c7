/* span.h: the affine space that points span, and its equations. */
#ifndef HD_SYMBOLIC_SPAN_H
#define HD_SYMBOLIC_SPAN_H

#include "symbolic/system.h"

/* Rows in reduced echelon form over the columns 1, constants, counters, variables. */
typedef struct hd_symbolic_span
{
  const hd_symbolic_system *s;
  size_t width, n;
  __int128 *rows;  /* N of WIDTH, each without a common divisor */
  size_t *pivots;  /* of the rows */
  bool overflowed; /* numbers became too large: nothing is concluded */
  /* What is 0 on all of it; made by hd_symbolic_span_equations. */
  size_t nequations;
  const hd_control_linear *equations;
} hd_symbolic_span;

void hd_symbolic_span_init(hd_symbolic_span *x, const hd_symbolic_system *s);
void hd_symbolic_span_free(hd_symbolic_span *x);
void hd_symbolic_span_add(hd_symbolic_span *x, const int64_t *point);
/* Find all equations. None if something overflowed. */
void hd_symbolic_span_equations(hd_symbolic_span *x);
/* Is LINEAR 0 after STEP from any point of the span? */
bool hd_symbolic_span_keeps(const hd_symbolic_span *x, const hd_control_linear *l, const hd_symbolic_step *step);
/* The space: all points that the equations allow, integers alone. */
isl_set *hd_symbolic_span_set(const hd_symbolic_span *x);

/* Where LINEAR, after the step of MAP if there is one, is not 0. */
isl_set *hd_symbolic_not_zero(const hd_symbolic_system *s, const hd_control_linear *l, __isl_keep isl_multi_aff *map);

/* The reachable states of a few small instances, one after the other. */
typedef void (*hd_symbolic_visit)(void *context, const int64_t *point);
void hd_symbolic_walk(const hd_symbolic_system *s, hd_symbolic_visit visit, void *context);

#endif
