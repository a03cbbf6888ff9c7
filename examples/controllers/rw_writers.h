/* rw_writers.h: readers and writers where writers go first: no reader comes in while a writer waits, so readers can
 * starve but writers cannot. */
#if !defined RW_WRITERS_H || defined HD_CONTROLLER_PASS
#define RW_WRITERS_H
#ifndef HD_CONTROLLER_PASS
#define HD_CONTROLLER rw_writers
#define HD_CONTROLLER_FILE "rw_writers.h"
#include <heddle/controller.h>
#else /* clang-format off */

INT(nR, 0)        // readers inside
BOOL(busy, false) // a writer is inside
INT(waiting, 0)   // writers that have asked and are not inside yet

STATE(idle) STATE(reading) STATE(asking) STATE(writing)

BLOCKING(r_enter)    WHEN(!busy && waiting == 0) DO(nR = nR + 1)                       END
NONBLOCKING(r_exit)  WHEN(true)                  DO(nR = nR - 1)                       END
NONBLOCKING(w_ask)   WHEN(true)                  DO(waiting = waiting + 1)             END
BLOCKING(w_enter)    WHEN(nR == 0 && !busy)      DO(busy = true; waiting = waiting - 1) END
NONBLOCKING(w_exit)  WHEN(true)                  DO(busy = false)                      END

EDGE(idle, r_enter, reading) EDGE(reading, r_exit, idle)
EDGE(idle, w_ask, asking)    EDGE(asking, w_enter, writing) EDGE(writing, w_exit, idle)

SPEC(excl, AG(IMPLIES(busy, nR == 0)))
SPEC(first, RIGID(x, AG(IMPLIES(waiting > 0 && nR == x, AX(nR <= x)))))
SPEC(ends, AG(IMPLIES(busy, AF(!busy))))
SPEC(served, AG(IMPLIES(waiting > 0, AF(busy))))

#endif
#endif
