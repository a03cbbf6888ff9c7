/* semaphore_weighted.h: a semaphore of which a thread takes one unit or two at once. */
#if !defined SEMAPHORE_WEIGHTED_H || defined HD_CONTROLLER_PASS
#define SEMAPHORE_WEIGHTED_H
#ifndef HD_CONTROLLER_PASS
#define HD_CONTROLLER semaphore_weighted
#define HD_CONTROLLER_FILE "semaphore_weighted.h"
#include <heddle/controller.h>
#else /* clang-format off */

CONST(limit, limit >= 2)
INT(units, limit) // that are free

STATE(idle) STATE(one) STATE(two)

BLOCKING(acquire_one)    WHEN(units >= 1) DO(units = units - 1) END
BLOCKING(acquire_two)    WHEN(units >= 2) DO(units = units - 2) END
NONBLOCKING(release_one) WHEN(true)       DO(units = units + 1) END
NONBLOCKING(release_two) WHEN(true)       DO(units = units + 2) END

EDGE(idle, acquire_one, one) EDGE(one, release_one, idle)
EDGE(idle, acquire_two, two) EDGE(two, release_two, idle)

SPEC(bounded, AG(units >= 0 && units <= limit))
SPEC(all, AG(units + count(one) + 2 * count(two) == limit))
SPEC(returns, AG(IMPLIES(units == 0, AF(units > 0))))

#endif
#endif
