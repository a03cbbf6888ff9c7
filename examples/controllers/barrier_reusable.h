/* barrier_reusable.h: a barrier that closes again: limit threads come in, then the gate opens and all of them leave,
 * then the next limit threads may come. */
#if !defined BARRIER_REUSABLE_H || defined HD_CONTROLLER_PASS
#define BARRIER_REUSABLE_H
#ifndef HD_CONTROLLER_PASS
#define HD_CONTROLLER barrier_reusable
#define HD_CONTROLLER_FILE "barrier_reusable.h"
#include <heddle/controller.h>
#else /* clang-format off */

CONST(limit, limit >= 1)
INT(inside, 0)
BOOL(open, false)

STATE(idle) STATE(waiting)

BLOCKING(enter)
  WHEN(!open && inside + 1 < limit)  DO(inside = inside + 1)
  WHEN(!open && inside + 1 >= limit) DO(inside = inside + 1; open = true)
END
BLOCKING(leave)
  WHEN(open && inside > 1)  DO(inside = inside - 1)
  WHEN(open && inside <= 1) DO(inside = inside - 1; open = false)
END

EDGE(idle, enter, waiting) EDGE(waiting, leave, idle)

SPEC(bounded, AG(inside >= 0 && inside <= limit))
SPEC(all, AG(inside == count(waiting)))
SPEC(holds, RIGID(x, AG(IMPLIES(!open && inside == x, AX(inside >= x)))))
SPEC(closes, AG(IMPLIES(open, AF(!open))))

#endif
#endif
