/* rw.h: readers and writers: any number of readers, or one writer. Readers that keep coming can keep writers out;
 * rw_writers.h and rw_fair.h prevent that. */
#if !defined RW_H || defined HD_CONTROLLER_PASS
#define RW_H
#ifndef HD_CONTROLLER_PASS
#define HD_CONTROLLER rw
#define HD_CONTROLLER_FILE "rw.h"
#include <heddle/controller.h>
#else /* clang-format off */

INT(nR, 0)        // readers inside
BOOL(busy, false) // a writer is inside

STATE(idle) STATE(reading) STATE(writing)

BLOCKING(r_enter)   WHEN(!busy)            DO(nR = nR + 1)  END
NONBLOCKING(r_exit) WHEN(true)             DO(nR = nR - 1)  END
BLOCKING(w_enter)   WHEN(nR == 0 && !busy) DO(busy = true)  END
NONBLOCKING(w_exit) WHEN(true)             DO(busy = false) END

EDGE(idle, r_enter, reading) EDGE(reading, r_exit, idle)
EDGE(idle, w_enter, writing) EDGE(writing, w_exit, idle)

SPEC(excl, AG(IMPLIES(busy, nR == 0)))   // Table 1, RW-1
SPEC(ends, AG(IMPLIES(busy, AF(!busy)))) // Table 1, RW-2
SPEC(apart, AG(count(writing) <= 1 && (count(writing) == 0 || count(reading) == 0)))

#endif
#endif
