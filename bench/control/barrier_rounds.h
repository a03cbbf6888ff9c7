/* barrier_rounds.h: a barrier for limit threads that pass it again and again, in even and odd rounds: who has passed may
 * come to the next round while others still leave this one, so each thread waits once a round, as in pthread_barrier. */
#if !defined BARRIER_ROUNDS_H || defined HD_CONTROLLER_PASS
#define BARRIER_ROUNDS_H
#ifndef HD_CONTROLLER_PASS
#define HD_CONTROLLER barrier_rounds
#define HD_CONTROLLER_FILE "barrier_rounds.h"
#include <heddle/controller.h>
#else /* clang-format off */

CONST(limit, limit >= 1)
INT(come, 0)     // threads that have come in this round
BOOL(odd, false) // which round it is

STATE(before_even) STATE(at_even) STATE(before_odd) STATE(at_odd)

NONBLOCKING(come_even)
  WHEN(come + 1 < limit)  DO(come = come + 1)
  WHEN(come + 1 >= limit) DO(come = 0; odd = true)
END
BLOCKING(pass_even) WHEN(odd) DO() END
NONBLOCKING(come_odd)
  WHEN(come + 1 < limit)  DO(come = come + 1)
  WHEN(come + 1 >= limit) DO(come = 0; odd = false)
END
BLOCKING(pass_odd) WHEN(!odd) DO() END

EDGE(before_even, come_even, at_even) EDGE(at_even, pass_even, before_odd)
EDGE(before_odd, come_odd, at_odd)    EDGE(at_odd, pass_odd, before_even)

// With more than limit threads one that is slow could miss a round.
SPEC(even, AG(IMPLIES(!odd && count(before_even) + count(at_even) + count(before_odd) + count(at_odd) <= limit,
                      count(before_odd) == 0)))
SPEC(odd, AG(IMPLIES(odd && count(before_even) + count(at_even) + count(before_odd) + count(at_odd) <= limit,
                     count(before_even) == 0)))
SPEC_FAIR(opens, AG(IMPLIES(!odd && count(before_even) + count(at_even) + count(before_odd) + count(at_odd) == limit,
                            AF(odd))))

#endif
#endif
