/* bb_rw.h: a bounded buffer with a reader-writer lock, as one controller: producers and consumers are the writers, each
 * alone and only if there is room or something; readers look at the buffer together and change nothing. */
#if !defined BB_RW_H || defined HD_CONTROLLER_PASS
#define BB_RW_H
#ifndef HD_CONTROLLER_PASS
#define HD_CONTROLLER bb_rw
#define HD_CONTROLLER_FILE "bb_rw.h"
#include <heddle/controller.h>
#else /* clang-format off */

CONST(size, size >= 1)
INT(count, 0)     // things in the buffer
INT(nR, 0)        // readers inside
BOOL(busy, false) // a producer or a consumer is inside

STATE(idle) STATE(reading) STATE(writing)

BLOCKING(r_enter)       WHEN(!busy)                            DO(nR = nR + 1)                    END
NONBLOCKING(r_exit)     WHEN(true)                             DO(nR = nR - 1)                    END
BLOCKING(produce_enter) WHEN(nR == 0 && !busy && count < size) DO(busy = true; count = count + 1) END
BLOCKING(consume_enter) WHEN(nR == 0 && !busy && count > 0)    DO(busy = true; count = count - 1) END
NONBLOCKING(w_exit)     WHEN(true)                             DO(busy = false)                   END

EDGE(idle, r_enter, reading)       EDGE(reading, r_exit, idle)
EDGE(idle, produce_enter, writing) EDGE(idle, consume_enter, writing) EDGE(writing, w_exit, idle)

SPEC(still, RIGID(x, AG(IMPLIES(nR > 0 && count == x, AX(count == x))))) // Table 1, BB-RW
SPEC(bounded, AG(count >= 0 && count <= size))
SPEC(excl, AG(!busy || nR == 0))
SPEC(ends, AG(IMPLIES(busy, AF(!busy))))

#endif
#endif
