/* bb.h: a bounded buffer: never more than size things in it, never fewer than none. It only counts; bb_mutex.h and
 * bb_rw.h also keep threads apart while they work on what is in the buffer. */
#if !defined BB_H || defined HD_CONTROLLER_PASS
#define BB_H
#ifndef HD_CONTROLLER_PASS
#define HD_CONTROLLER bb
#define HD_CONTROLLER_FILE "bb.h"
#include <heddle/controller.h>
#else /* clang-format off */

CONST(size, size >= 1)
THREADS(>= 1)
INT(count, 0) // things in the buffer

STATE(idle)

BLOCKING(produce) WHEN(count < size) DO(count = count + 1) END
BLOCKING(consume) WHEN(count > 0)    DO(count = count - 1) END

EDGE(idle, produce, idle) EDGE(idle, consume, idle)

SPEC(bounded, AG(count >= 0 && count <= size)) // Table 1, BB
SPEC(drains, AG(IMPLIES(count == size, AF(count < size))))
SPEC(fills, AG(IMPLIES(count == 0, AF(count > 0))))

#endif
#endif
