/* bb_mutex.h: a bounded buffer with a mutex, as one controller: a producer comes in only if there is room, a consumer
 * only if there is something, and either works on the buffer alone. Two controllers one after the other would not do:
 * whoever takes the mutex first holds it while it waits for room, and whoever counts first counts what is not there
 * yet. */
#if !defined BB_MUTEX_H || defined HD_CONTROLLER_PASS
#define BB_MUTEX_H
#ifndef HD_CONTROLLER_PASS
#define HD_CONTROLLER bb_mutex
#define HD_CONTROLLER_FILE "bb_mutex.h"
#include <heddle/controller.h>
#else /* clang-format off */

CONST(size, size >= 1)
INT(count, 0) // things in the buffer
BOOL(busy, false)

STATE(idle) STATE(cs)

BLOCKING(produce_acquire) WHEN(!busy && count < size) DO(busy = true; count = count + 1) END
BLOCKING(consume_acquire) WHEN(!busy && count > 0)    DO(busy = true; count = count - 1) END
NONBLOCKING(release)      WHEN(true)                  DO(busy = false)                   END

EDGE(idle, produce_acquire, cs) EDGE(idle, consume_acquire, cs) EDGE(cs, release, idle)

SPEC(still, RIGID(x, AG(IMPLIES(count == x && count(cs) > 0, AX(count == x))))) // Table 1, BB-MUTEX
SPEC(bounded, AG(count >= 0 && count <= size))
SPEC(excl, AG(count(cs) <= 1))
SPEC(ends, AG(IMPLIES(busy, AF(!busy))))

#endif
#endif
