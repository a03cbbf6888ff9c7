/* table_wrong.h: the policy of homemade.c as it is: any number of readers or one writer, and writers that wait go before readers. */
#if !defined TABLE_WRONG_H || defined HD_CONTROLLER_PASS
#define TABLE_WRONG_H
#ifndef HD_CONTROLLER_PASS
#define HD_CONTROLLER table_wrong
#define HD_CONTROLLER_FILE "table_wrong.h"
#include <heddle/controller.h>
#else /* clang-format off */

INT(nR, 0)        // readers inside
BOOL(busy, false) // a writer is inside
INT(waiting, 0)   // writers that wait

STATE(idle) STATE(reading) STATE(asking) STATE(writing)

BLOCKING(r_enter)   WHEN(!busy && waiting == 0) DO(nR = nR + 1) END
NONBLOCKING(r_exit) WHEN(true)                  DO(nR = nR - 1) END
NONBLOCKING(w_ask)  WHEN(true)                  DO(waiting = waiting + 1) END
BLOCKING(w_enter)   WHEN(nR == 0)             DO(waiting = waiting - 1; busy = true) END
NONBLOCKING(w_exit) WHEN(true)                  DO(busy = false) END

EDGE(idle, r_enter, reading) EDGE(reading, r_exit, idle)
EDGE(idle, w_ask, asking) EDGE(asking, w_enter, writing) EDGE(writing, w_exit, idle)

SPEC(excl, AG(IMPLIES(busy, nR == 0)))
SPEC(alone, AG(count(writing) <= 1))
SPEC(served, AG(IMPLIES(waiting > 0, AF(busy))))

#endif
#endif
