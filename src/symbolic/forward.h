/* forward.h: the states that can be reached, exactly. */
#ifndef HD_SYMBOLIC_FORWARD_H
#define HD_SYMBOLIC_FORWARD_H

#include "symbolic/system.h"

/* All states that can be reached, and no others. NULL: they were not found within the bounds; FAILED may be set. */
isl_set *hd_symbolic_forward(hd_symbolic_system *s);

/* What the proofs of a system rest on, while they rest on something else. */
typedef struct hd_symbolic_ground
{
  isl_set *base, *inside, *excluded;
  hd_control_set base_rows;
  hd_control_conjunction *excluded_rows;
  size_t nexcluded, excluded_cap;
} hd_symbolic_ground;

/* REACHED is what hd_symbolic_forward found. From now on it is the base and all of INSIDE, and proofs rest on it and on
 * nothing that was excluded before; BEFORE gets what they have rested on. False: it cannot be written down for a proof,
 * and nothing has changed. */
bool hd_symbolic_stand_on(hd_symbolic_system *s, __isl_take isl_set *reached, hd_symbolic_ground *before);
/* Go back to BEFORE, or, if STAY, forget it. */
void hd_symbolic_step_back(hd_symbolic_system *s, hd_symbolic_ground *before, bool stay);

/* F is AG of something without temporal operators: the states of INSIDE in which that is false. NULL: it is not. */
isl_set *hd_symbolic_violations(const hd_symbolic_system *s, const hd_control_formula *f);

#endif
