/* bridge.h: a bridge with one lane: cars cross it together in one direction. When cars wait at both ends, the ends take
 * turns, one car each. */
#if !defined BRIDGE_H || defined HD_CONTROLLER_PASS
#define BRIDGE_H
#ifndef HD_CONTROLLER_PASS
#define HD_CONTROLLER bridge
#define HD_CONTROLLER_FILE "bridge.h"
#include <heddle/controller.h>
#else /* clang-format off */

INT(east, 0)         // cars on the bridge that go east
INT(west, 0)
INT(waiting_east, 0) // cars that wait to go east
INT(waiting_west, 0)
ENUM(turn, eastward, (eastward, westward)) // who goes first when cars wait at both ends

STATE(away) STATE(e_waiting) STATE(e_crossing) STATE(w_waiting) STATE(w_crossing)

NONBLOCKING(e_arrive) WHEN(true) DO(waiting_east = waiting_east + 1) END
BLOCKING(e_enter)
  WHEN(west == 0 && (turn == eastward || waiting_west == 0))
  DO(waiting_east = waiting_east - 1; east = east + 1; turn = westward)
END
NONBLOCKING(e_exit) WHEN(true) DO(east = east - 1) END

NONBLOCKING(w_arrive) WHEN(true) DO(waiting_west = waiting_west + 1) END
BLOCKING(w_enter)
  WHEN(east == 0 && (turn == westward || waiting_east == 0))
  DO(waiting_west = waiting_west - 1; west = west + 1; turn = eastward)
END
NONBLOCKING(w_exit) WHEN(true) DO(west = west - 1) END

EDGE(away, e_arrive, e_waiting) EDGE(e_waiting, e_enter, e_crossing) EDGE(e_crossing, e_exit, away)
EDGE(away, w_arrive, w_waiting) EDGE(w_waiting, w_enter, w_crossing) EDGE(w_crossing, w_exit, away)

SPEC(one_way, AG(east == 0 || west == 0))
SPEC(east_served, AG(IMPLIES(waiting_east > 0, AF(east > 0))))
SPEC(west_served, AG(IMPLIES(waiting_west > 0, AF(west > 0))))

#endif
#endif
