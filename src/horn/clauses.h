/* clauses.h: inside src/horn: questions for a solver. */
#ifndef HD_HORN_CLAUSES_H
#define HD_HORN_CLAUSES_H

#include "horn/model.h"

/* NULL, or why no question can be made of F. */
const char *hd_horn_obstacle(const hd_control_formula *f);
/* Clauses that have a solution if and only if F holds in every start: "sat" means that it does. F has no obstacle. */
void hd_horn_property(hd_string *out, const hd_horn_model *m, const hd_control_formula *f);
/* Clauses that have a solution if and only if no deadlock is reachable. */
void hd_horn_no_deadlock(hd_string *out, const hd_horn_model *m);
/* A formula without relations that has no solution if every step keeps the equalities and all starts have them: "unsat"
 * means that they can be relied on. */
void hd_horn_kept(hd_string *out, const hd_horn_model *m);

#endif
