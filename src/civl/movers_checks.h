/* movers_checks.h: the checks between actions, one procedure each. Private to movers*.c. */
#ifndef HD_CIVL_MOVERS_CHECKS_H
#define HD_CIVL_MOVERS_CHECKS_H

#include "civl/movers.h"

/* A and then B can also be done as B and then A, with the same result. */
void hd_civl_check_commutativity(hd_civl *c, const action_copy *a, const action_copy *b);
/* Where A and BY may both be started, A may still be started after BY. */
void hd_civl_check_gate(hd_civl *c, const action_copy *a, const action_copy *by);
/* Where A fails and BY may be started, A still fails after BY. */
void hd_civl_check_failure(hd_civl *c, const action_copy *a, const action_copy *by);
/* Where A may be started it has a run. */
void hd_civl_check_non_blocking(hd_civl *c, const action_copy *a);

#endif
