/* latch.h: a countdown latch: threads pass when start steps have been counted down. */
#if !defined LATCH_H || defined HD_CONTROLLER_PASS
#define LATCH_H
#ifndef HD_CONTROLLER_PASS
#define HD_CONTROLLER latch
#define HD_CONTROLLER_FILE "latch.h"
#include <heddle/controller.h>
#else /* clang-format off */

CONST(start, start >= 0)
THREADS(>= 1)
INT(left, start)

STATE(idle) STATE(through)

NONBLOCKING(count_down) WHEN(left > 0)  DO(left = left - 1) END // false: it was open already
BLOCKING(pass)          WHEN(left == 0) DO()                END

EDGE(idle, count_down, idle)  EDGE(idle, pass, through)  EDGE(through, count_down, through)

SPEC(bounded, AG(left >= 0 && left <= start))
SPEC(holds, AG(IMPLIES(count(through) > 0, left == 0)))
SPEC(opens, AF(left == 0))
SPEC(stays, AG(IMPLIES(left == 0, AG(left == 0))))

#endif
#endif
