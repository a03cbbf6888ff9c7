/* airport.h: the ground traffic of an airport with two runways, after Yavuz-Kahveci and Bultan (ISSTA 2002): 13
 * variables, 20 actions, 15 states. Planes land on 16R, cross 16L on the taxiways C3 to C8, reach their gates over B2,
 * B7, B9, B10 and B11, and take off from 16L. A taxiway and a runway hold one plane each. */
#if !defined AIRPORT_H || defined HD_CONTROLLER_PASS
#define AIRPORT_H
#ifndef HD_CONTROLLER_PASS
#define HD_CONTROLLER airport
#define HD_CONTROLLER_FILE "airport.h"
#include <heddle/controller.h>
#else /* clang-format off */

// Airplanes on each runway and each taxiway.
INT(numRW16R, 0) INT(numRW16L, 0)
INT(numC3, 0) INT(numC4, 0) INT(numC5, 0) INT(numC6, 0) INT(numC7, 0) INT(numC8, 0)
INT(numB2, 0) INT(numB7, 0) INT(numB9, 0) INT(numB10, 0) INT(numB11, 0)

STATE(arFlow) STATE(touchDown)
STATE(taxiC3) STATE(taxiC4) STATE(taxiC5) STATE(taxiC6) STATE(taxiC7) STATE(taxiC8)
STATE(taxiB2) STATE(taxiB7) STATE(taxiB9) STATE(taxiB10) STATE(taxiB11)
STATE(parked) STATE(takeOff)

// A plane lands on 16R and leaves it over one of C3 to C8.
BLOCKING(reqLand) WHEN(numRW16R == 0) DO(numRW16R = numRW16R + 1) END
BLOCKING(exitRW3) WHEN(numC3 == 0) DO(numRW16R = numRW16R - 1; numC3 = numC3 + 1) END
BLOCKING(exitRW4) WHEN(numC4 == 0) DO(numRW16R = numRW16R - 1; numC4 = numC4 + 1) END
BLOCKING(exitRW5) WHEN(numC5 == 0) DO(numRW16R = numRW16R - 1; numC5 = numC5 + 1) END
BLOCKING(exitRW6) WHEN(numC6 == 0) DO(numRW16R = numRW16R - 1; numC6 = numC6 + 1) END
BLOCKING(exitRW7) WHEN(numC7 == 0) DO(numRW16R = numRW16R - 1; numC7 = numC7 + 1) END
BLOCKING(exitRW8) WHEN(numC8 == 0) DO(numRW16R = numRW16R - 1; numC8 = numC8 + 1) END

// It crosses 16L if nobody takes off there, and taxis on over one of the Bs to its gate.
BLOCKING(crossRW3) WHEN(numRW16L == 0 && numB2 == 0) DO(numC3 = numC3 - 1; numB2 = numB2 + 1) END
BLOCKING(crossRW4) WHEN(numRW16L == 0 && numB7 == 0) DO(numC4 = numC4 - 1; numB7 = numB7 + 1) END
BLOCKING(crossRW5) WHEN(numRW16L == 0 && numB9 == 0) DO(numC5 = numC5 - 1; numB9 = numB9 + 1) END
BLOCKING(crossRW6) WHEN(numRW16L == 0 && numB10 == 0) DO(numC6 = numC6 - 1; numB10 = numB10 + 1) END
BLOCKING(crossRW7) WHEN(numRW16L == 0 && numB10 == 0) DO(numC7 = numC7 - 1; numB10 = numB10 + 1) END
BLOCKING(crossRW8) WHEN(numRW16L == 0 && numB11 == 0) DO(numC8 = numC8 - 1; numB11 = numB11 + 1) END

NONBLOCKING(park2)  WHEN(true) DO(numB2 = numB2 - 1) END
NONBLOCKING(park7)  WHEN(true) DO(numB7 = numB7 - 1) END
NONBLOCKING(park9)  WHEN(true) DO(numB9 = numB9 - 1) END
NONBLOCKING(park10) WHEN(true) DO(numB10 = numB10 - 1) END
NONBLOCKING(park11) WHEN(true) DO(numB11 = numB11 - 1) END

// It takes off from 16L if that is free and nobody is about to cross it.
BLOCKING(reqTakeOff)
  WHEN(numRW16L == 0 && numC3 + numC4 + numC5 + numC6 + numC7 + numC8 == 0)
  DO(numRW16L = numRW16L + 1)
END
NONBLOCKING(leave) WHEN(true) DO(numRW16L = numRW16L - 1) END

EDGE(arFlow, reqLand, touchDown)
EDGE(touchDown, exitRW3, taxiC3) EDGE(taxiC3, crossRW3, taxiB2)
EDGE(touchDown, exitRW4, taxiC4) EDGE(taxiC4, crossRW4, taxiB7)
EDGE(touchDown, exitRW5, taxiC5) EDGE(taxiC5, crossRW5, taxiB9)
EDGE(touchDown, exitRW6, taxiC6) EDGE(taxiC6, crossRW6, taxiB10)
EDGE(touchDown, exitRW7, taxiC7) EDGE(taxiC7, crossRW7, taxiB10)
EDGE(touchDown, exitRW8, taxiC8) EDGE(taxiC8, crossRW8, taxiB11)
EDGE(taxiB2, park2, parked)
EDGE(taxiB7, park7, parked)
EDGE(taxiB9, park9, parked)
EDGE(taxiB10, park10, parked)
EDGE(taxiB11, park11, parked)
EDGE(parked, reqTakeOff, takeOff) EDGE(takeOff, leave, arFlow)

SPEC(runways, AG(numRW16R <= 1 && numRW16L <= 1)) // Table 1, AIRPORT
SPEC(taxiways, AG(numC3 <= 1 && numC4 <= 1 && numC5 <= 1 && numC6 <= 1 && numC7 <= 1 && numC8 <= 1))
SPEC(gates, AG(numB2 <= 1 && numB7 <= 1 && numB9 <= 1 && numB10 <= 1 && numB11 <= 1))
SPEC(crossing, RIGID(x, AG(IMPLIES(numRW16L > 0 && numC3 == x, AX(numC3 >= x)))))
SPEC(lifts, AG(IMPLIES(numRW16L == 1, AF(numRW16L == 0))))

#endif
#endif
