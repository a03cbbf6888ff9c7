/* ranges.h: between what the integer variables stay. */
#ifndef HD_SYMBOLIC_RANGES_H
#define HD_SYMBOLIC_RANGES_H

#include "symbolic/system.h"

/* One for each variable, in ARENA. OPERATIONS: how much work isl may have with each question. */
const hd_control_range *hd_symbolic_ranges(hd_symbolic_system *s, hd_arena *arena, unsigned long operations);

#endif
