/* formula.h: proves a formula for all reachable states of a set. */
#ifndef HD_SYMBOLIC_FORMULA_H
#define HD_SYMBOLIC_FORMULA_H

#include "control/certificate.h"
#include "symbolic/system.h"

typedef struct hd_symbolic_proving
{
  hd_symbolic_system *s;
  hd_arena *arena; /* of the proof */
  const hd_control_spec *spec;
  bool fair;
  hd_control_proof_node *nodes; /* by the number of the formula */
  bool suspect;                 /* a start was found that may lead to a violation */
  int64_t *start;               /* then this one: all dimensions */
  const char *reason;           /* why it was not proved */
} hd_symbolic_proving;

/* Prove the property of X. X must have its system, arena, spec, fair and start; the rest is filled in. NULL: it was not
 * proved. */
const hd_control_proof *hd_symbolic_prove(hd_symbolic_proving *x);
/* Prove that no state is reachable in which threads wait and none can go on. */
const hd_control_proof *hd_symbolic_prove_no_deadlock(hd_symbolic_system *s, hd_arena *arena);

#endif
