/* rw_fair.h: readers and writers where nobody starves: when a writer leaves, the readers that wait then come in before
 * the next writer; otherwise a waiting writer keeps new readers out. */
#if !defined RW_FAIR_H || defined HD_CONTROLLER_PASS
#define RW_FAIR_H
#ifndef HD_CONTROLLER_PASS
#define HD_CONTROLLER rw_fair
#define HD_CONTROLLER_FILE "rw_fair.h"
#include <heddle/controller.h>
#else /* clang-format off */

INT(nR, 0)        // readers inside
BOOL(busy, false) // a writer is inside
INT(readers, 0)   // readers that wait
INT(writers, 0)   // writers that wait
INT(batch, 0)     // readers that come in before the next writer

STATE(idle) STATE(r_asking) STATE(reading) STATE(w_asking) STATE(writing)

NONBLOCKING(r_ask) WHEN(true) DO(readers = readers + 1) END
BLOCKING(r_enter)
  WHEN(!busy && batch > 0)                  DO(batch = batch - 1; readers = readers - 1; nR = nR + 1)
  WHEN(!busy && batch == 0 && writers == 0) DO(readers = readers - 1; nR = nR + 1)
END
NONBLOCKING(r_exit) WHEN(true) DO(nR = nR - 1) END

NONBLOCKING(w_ask) WHEN(true) DO(writers = writers + 1) END
BLOCKING(w_enter)
  WHEN(!busy && nR == 0 && batch == 0) DO(busy = true; writers = writers - 1)
END
NONBLOCKING(w_exit) WHEN(true) DO(busy = false; batch = readers) END

EDGE(idle, r_ask, r_asking) EDGE(r_asking, r_enter, reading) EDGE(reading, r_exit, idle)
EDGE(idle, w_ask, w_asking) EDGE(w_asking, w_enter, writing) EDGE(writing, w_exit, idle)

SPEC(excl, AG(IMPLIES(busy, nR == 0)))
SPEC(alone, AG(count(writing) <= 1))
SPEC(known, AG(batch >= 0 && batch <= readers))
SPEC(writer_served, AG(IMPLIES(writers > 0, AF(busy))))
SPEC(reader_served, AG(IMPLIES(readers > 0, AF(nR > 0))))

#endif
#endif
