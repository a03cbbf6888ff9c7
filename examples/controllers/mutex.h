/* mutex.h: mutual exclusion: at most one thread is in cs. */
#if !defined MUTEX_H || defined HD_CONTROLLER_PASS
#define MUTEX_H
#ifndef HD_CONTROLLER_PASS
#define HD_CONTROLLER mutex
#define HD_CONTROLLER_FILE "mutex.h"
#include <heddle/controller.h>
#else /* clang-format off */

BOOL(busy, false)

STATE(idle) STATE(cs)

BLOCKING(acquire)    WHEN(!busy) DO(busy = true)  END
NONBLOCKING(release) WHEN(true)  DO(busy = false) END

EDGE(idle, acquire, cs) EDGE(cs, release, idle)

SPEC(excl, AG(count(cs) >= 0 && count(cs) <= 1)) // Table 1, MUTEX
SPEC(ends, AG(IMPLIES(busy, AF(!busy))))

#endif
#endif
