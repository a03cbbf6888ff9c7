/* modes.h: equalities that hold case by case. */
#ifndef HD_SYMBOLIC_MODES_H
#define HD_SYMBOLIC_MODES_H

#include "symbolic/system.h"

/* A set of states that contains the starts and is closed under every step: in each case (of the values of booleans and
 * enumerations, and of numbers that never change) what satisfies the equalities of that case. NULL: it was not found
 * within the bounds, or says no more than is known. */
isl_set *hd_symbolic_modes(hd_symbolic_system *s);

#endif
