/* barrier.h: nobody leaves before limit threads have come. It opens once; barrier_reusable.h closes again. */
#if !defined BARRIER_H || defined HD_CONTROLLER_PASS
#define BARRIER_H
#ifndef HD_CONTROLLER_PASS
#define HD_CONTROLLER barrier
#define HD_CONTROLLER_FILE "barrier.h"
#include <heddle/controller.h>
#else /* clang-format off */

CONST(limit, limit >= 1)
INT(count, 0) // threads that have come

STATE(idle) STATE(cs) STATE(gone) // cs: at the barrier

NONBLOCKING(enter) WHEN(true)           DO(count = count + 1) END
BLOCKING(leave)    WHEN(count >= limit) DO()                  END

EDGE(idle, enter, cs) EDGE(cs, leave, gone)

SPEC(holds, RIGID(x, AG(IMPLIES(count(cs) == x && count < limit, AX(count(cs) >= x))))) // Table 1, BARRIER
SPEC(closed, AG(IMPLIES(count < limit, count(gone) == 0)))
SPEC(opens, AG(IMPLIES(count >= limit, AF(count(cs) == 0))))

#endif
#endif
