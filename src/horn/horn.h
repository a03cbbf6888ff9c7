/* horn.h: asks another solver, z3, whether it comes to the same answers.
 *
 * A safety property is violated if a bad state can be reached, which is a question about constrained Horn clauses: one
 * relation for the states that can be reached, a clause for the start and one for every step, and the demand that
 * nothing bad is in it. z3 is run as a program of its own and shares no code with the engines whose answers it is asked
 * about. It is not told their proofs, with one exception: it does not find linear equalities between variables and
 * numbers of threads by itself, so it gets those that were proved, after it has proved them again.
 *
 * Signals that would end heddle meanwhile do so after the solver has ended and the temporary folder is gone. One
 * thread. */
#ifndef HD_HORN_H
#define HD_HORN_H

#include "control/control.h"

typedef struct hd_horn_options
{
  const char *solver; /* a program that is called as z3 is; NULL: the z3 in PATH */
  double seconds;     /* for each question; 0: the default */
  size_t nbindings;   /* constants with one value, as R was told */
  const hd_control_binding *bindings;
} hd_horn_options;

enum
{
  HD_HORN_SECONDS = 20
};

/* Ask about every answer of R, which is about C, and fill in the second opinions. An answer that is not shared is
 * incomplete, and so may be R; R is also incomplete if the solver could not be asked. That it has no answer in time
 * changes nothing. */
void hd_horn_cross_check(const hd_controller *c, hd_control_result *r, const hd_horn_options *o);

#endif
