/* semaphore.h: a counting semaphore: at most limit threads hold a unit. */
#if !defined SEMAPHORE_H || defined HD_CONTROLLER_PASS
#define SEMAPHORE_H
#ifndef HD_CONTROLLER_PASS
#define HD_CONTROLLER semaphore
#define HD_CONTROLLER_FILE "semaphore.h"
#include <heddle/controller.h>
#else /* clang-format off */

CONST(limit, limit >= 1)
INT(units, limit) // that are free

STATE(idle) STATE(holding)

BLOCKING(acquire)    WHEN(units > 0) DO(units = units - 1) END
NONBLOCKING(release) WHEN(true)      DO(units = units + 1) END

EDGE(idle, acquire, holding) EDGE(holding, release, idle)

SPEC(bounded, AG(units >= 0 && units <= limit))
SPEC(all, AG(units + count(holding) == limit))
SPEC(returns, AG(IMPLIES(units == 0, AF(units > 0))))

#endif
#endif
