/* order.h: a controller for the tests with everything that the language has: two constants, assumptions, all types,
 * overlapping guards, every form of assignment. */
#if !defined CONTROLLER_ORDER_H || defined HD_CONTROLLER_PASS
#define CONTROLLER_ORDER_H
#ifndef HD_CONTROLLER_PASS
#define HD_CONTROLLER order
#define HD_CONTROLLER_FILE "controller/order.h"
#include <heddle/controller.h>
#else /* clang-format off */

CONST(low, low >= 0)
CONST(high, true)
ASSUME(low < high)
THREADS(>= 1)
INT(level, (low + high) - low)
INT(steps, 0)
BOOL(even, true)
ENUM(mode, slow, (off, slow, fast))

STATE(begun) STATE(left) STATE(right)

// The first guard that holds wins; the second would hold as well.
NONBLOCKING(pick)
  WHEN(level > low)  DO(level--, steps += 1)
  WHEN(level >= low) DO(level = level + 100)
END
NONBLOCKING(none) WHEN(level == low - 1) DO(level = 0) END   /* never */
NONBLOCKING(again) WHEN(true) DO() END
NONBLOCKING(change)
  WHEN(mode == slow) DO(mode = fast; even = !even; steps = level > low ? 7 : 8;)
  WHEN(mode == fast) DO(mode = off; ++steps; steps -= 1)
END
BLOCKING(back) WHEN(mode == off) DO(mode = slow) END

EDGE(begun, pick, left) EDGE(begun, pick, right) // which of the two, only the next call shows
EDGE(left, change, left) EDGE(right, again, begun) EDGE(left, none, begun) EDGE(begun, back, begun)

SPEC(anything, RIGID(x, AG(IMPLIES(level == x, AU(true, AX(level >= x - 1))))))

#endif
#endif
