/* rcu.h: the grace period of read-copy-update: synchronising waits for the readers that were there when it began, and
 * not for later ones. Readers are even or odd; a new period sends later readers to the other side. A reader takes the
 * side that is open: while (!rcu_even_enter_try(c) && !rcu_odd_enter_try(c)) continue; and leaves by the exit of that
 * side. An update calls begin and end one after the other. */
#if !defined RCU_H || defined HD_CONTROLLER_PASS
#define RCU_H
#ifndef HD_CONTROLLER_PASS
#define HD_CONTROLLER rcu
#define HD_CONTROLLER_FILE "rcu.h"
#include <heddle/controller.h>
#else /* clang-format off */

INT(even, 0)       // readers of each side
INT(odd, 0)
BOOL(grace, false) // a grace period is on
ENUM(side, side_even, (side_even, side_odd)) // where new readers go

STATE(idle) STATE(even_reading) STATE(odd_reading) STATE(synchronizing)

BLOCKING(even_enter)   WHEN(side == side_even) DO(even = even + 1) END
BLOCKING(odd_enter)    WHEN(side == side_odd)  DO(odd = odd + 1)   END
NONBLOCKING(even_exit) WHEN(true)              DO(even = even - 1) END
NONBLOCKING(odd_exit)  WHEN(true)              DO(odd = odd - 1)   END

BLOCKING(begin) WHEN(!grace) DO(grace = true; side = side == side_even ? side_odd : side_even) END
BLOCKING(end)
  WHEN(side == side_odd && even == 0) DO(grace = false)
  WHEN(side == side_even && odd == 0) DO(grace = false)
END

EDGE(idle, even_enter, even_reading) EDGE(even_reading, even_exit, idle)
EDGE(idle, odd_enter, odd_reading)   EDGE(odd_reading, odd_exit, idle)
EDGE(idle, begin, synchronizing)     EDGE(synchronizing, end, idle)

SPEC(one, AG(count(synchronizing) <= 1))
SPEC(only_leave, RIGID(x, AG(IMPLIES(grace && side == side_odd && even == x, AX(even <= x)))))
SPEC(gone, AG(IMPLIES(!grace && side == side_odd, even == 0)))
SPEC(gone_too, AG(IMPLIES(!grace && side == side_even, odd == 0)))
// It ends, unless new readers come in; if every thread that can always go on does, it ends even then.
SPEC(ends, AG(IMPLIES(grace && side == side_odd, AF(!grace || odd > 0))))
SPEC(ends_too, AG(IMPLIES(grace && side == side_even, AF(!grace || even > 0))))
SPEC_FAIR(over, AG(IMPLIES(grace, AF(!grace))))

#endif
#endif
