/* claims.h: what is said of a small controller besides its properties, against the states that it has. */
#ifndef TEST_LITTLE_CLAIMS_H
#define TEST_LITTLE_CLAIMS_H

#include "control/control.h"
#include "little/little.h"

/* What of the notes, of what is vacuous, and of the ranges of variables in R, the result for M, is wrong, because it is
 * otherwise in a state of G; NULL: nothing. */
const char *little_contradicts(const little_graph *g, const hd_controller *m, const hd_control_result *r);

#endif
