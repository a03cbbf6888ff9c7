/* symbolic.h: judges a controller for any number of threads and all values of its constants, by sets of states instead
 * of single ones (isl). What holds comes with a proof that src/recheck can check again; what is violated comes with a
 * trace of the explicit engine (control.h), for the fewest threads that show it.
 *
 * The order of work, and why: docs/controllers.md. */
#ifndef HD_SYMBOLIC_H
#define HD_SYMBOLIC_H

#include "control/certificate.h"
#include "control/control.h"

/* Judge every property of C for OPTIONS' numbers of threads; MOST_THREADS is UINT64_MAX for any number, constants that
 * are not bound have any value that is assumed. NULL: the options do not fit the controller, and *ERROR says why. C
 * must outlive the answer. */
HD_GIVE hd_control_result *hd_symbolic_verify(HD_KEEP const hd_controller *c, const hd_control_options *options,
                                              hd_string *error);

/* Fill in the equalities of R, a result of hd_control_verify for C and OPTIONS: those that hold for its numbers of
 * threads and all values of the constants that are not bound. None, if none are found. */
void hd_symbolic_add_equalities(const hd_controller *c, const hd_control_options *options, hd_control_result *r);

#endif
