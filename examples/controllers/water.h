/* water.h: two hydrogen atoms and one oxygen atom come together, bond, and leave; the next three may come when all of
 * them have gone. */
#if !defined WATER_H || defined HD_CONTROLLER_PASS
#define WATER_H
#ifndef HD_CONTROLLER_PASS
#define HD_CONTROLLER water
#define HD_CONTROLLER_FILE "water.h"
#include <heddle/controller.h>
#else /* clang-format off */

INT(hydrogen, 0) // atoms inside
INT(oxygen, 0)
ENUM(phase, gather, (gather, bond))

STATE(free) STATE(h_inside) STATE(o_inside)

BLOCKING(h_enter)
  WHEN(phase == gather && hydrogen == 1 && oxygen == 1)          DO(hydrogen = hydrogen + 1; phase = bond)
  WHEN(phase == gather && hydrogen < 2 && hydrogen + oxygen < 2) DO(hydrogen = hydrogen + 1)
END
BLOCKING(o_enter)
  WHEN(phase == gather && hydrogen == 2 && oxygen == 0) DO(oxygen = oxygen + 1; phase = bond)
  WHEN(phase == gather && hydrogen < 2 && oxygen == 0)  DO(oxygen = oxygen + 1)
END
BLOCKING(h_leave)
  WHEN(phase == bond) DO(hydrogen = hydrogen - 1; phase = hydrogen + oxygen == 0 ? gather : bond)
END
BLOCKING(o_leave)
  WHEN(phase == bond) DO(oxygen = oxygen - 1; phase = hydrogen + oxygen == 0 ? gather : bond)
END

EDGE(free, h_enter, h_inside) EDGE(h_inside, h_leave, free)
EDGE(free, o_enter, o_inside) EDGE(o_inside, o_leave, free)

SPEC(ratio, AG(hydrogen >= 0 && hydrogen <= 2 && oxygen >= 0 && oxygen <= 1))
SPEC(whole, AG(IMPLIES(hydrogen == 2 && oxygen == 1, phase == bond)))
SPEC(stays, RIGID(x, AG(IMPLIES(phase == gather && hydrogen + oxygen == x, AX(hydrogen + oxygen >= x)))))
SPEC(parts, AG(IMPLIES(phase == bond, AF(phase == gather))))

#endif
#endif
