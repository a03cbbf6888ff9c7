/* solver.h: whether there are integers that lie in several sets at once (docs of the method: solver.c).
 *
 * A problem is a list of sets, each a union of conjunctions of linear (in)equalities; a point is wanted that lies in
 * all of them. The answer is exact: a point (which has been put into every set again before it is returned), or that
 * there is none. Where the work is too much or numbers become too large, the answer is that it is not known. */
#ifndef HD_RECHECK_SOLVER_H
#define HD_RECHECK_SOLVER_H

#include "control/control.h"

enum
{
  HD_SOLVER_WORK = 200000, /* pivots and branches */
  HD_SOLVER_SPLITS = 100   /* between integers, one inside the other */
};

typedef enum hd_solver_answer
{
  HD_SOLVER_NONE, /* there is no such point */
  HD_SOLVER_POINT,
  HD_SOLVER_UNKNOWN
} hd_solver_answer;

typedef struct hd_solver_problem
{
  hd_arena *arena; /* for what is added; not owned */
  size_t ndimensions;
  hd_control_set *sets;
  size_t n, cap;
  bool too_large; /* a number did not fit: the answer will be that it is not known */
} hd_solver_problem;

/* Forget all sets. */
void hd_solver_clear(hd_solver_problem *p);
void hd_solver_free(hd_solver_problem *p);
/* The point lies in SET, which is not copied. */
void hd_solver_add(hd_solver_problem *p, hd_control_set set);
void hd_solver_add_atom(hd_solver_problem *p, hd_control_atom atom);
/* The point does not lie in SET. */
void hd_solver_exclude(hd_solver_problem *p, const hd_control_set *set);
/* The point does not lie in SET, or else one of the N atoms OR holds. */
void hd_solver_exclude_or(hd_solver_problem *p, const hd_control_set *set, const hd_control_atom * or, size_t n);

/* POINT has room for all dimensions. WORK bounds the pivots and branches; 0: the default. */
hd_solver_answer hd_solver_solve(const hd_solver_problem *p, uint64_t work, int64_t *point);

#endif
