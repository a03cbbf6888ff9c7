/* barber.h: the sleeping barber: customers wait on chairs, the barber calls one at a time into the one barber's chair
 * and sleeps when nobody waits. A customer who finds no chair and does not want to stand calls barber_sit_try and goes.
 */
#if !defined BARBER_H || defined HD_CONTROLLER_PASS
#define BARBER_H
#ifndef HD_CONTROLLER_PASS
#define HD_CONTROLLER barber
#define HD_CONTROLLER_FILE "barber.h"
#include <heddle/controller.h>
#else /* clang-format off */

CONST(chairs, chairs >= 1)
INT(waiting, 0)      // customers on chairs that are not called yet
BOOL(open, false)    // somebody is the barber
ENUM(seat, empty, (empty, called, occupied, done)) // the barber's chair

STATE(outside) STATE(barber) STATE(cutting) STATE(seated) STATE(in_chair)

BLOCKING(open_shop)   WHEN(!open)                         DO(open = true)                          END
BLOCKING(next)        WHEN(waiting > 0 && seat == empty)  DO(waiting = waiting - 1; seat = called) END
BLOCKING(finish)      WHEN(seat == occupied)              DO(seat = done)                          END

BLOCKING(sit)         WHEN(waiting < chairs)              DO(waiting = waiting + 1)                END
BLOCKING(take_seat)   WHEN(seat == called)                DO(seat = occupied)                      END
BLOCKING(go)          WHEN(seat == done)                  DO(seat = empty)                         END

EDGE(outside, open_shop, barber) EDGE(barber, next, cutting)         EDGE(cutting, finish, barber)
EDGE(outside, sit, seated)       EDGE(seated, take_seat, in_chair)   EDGE(in_chair, go, outside)

SPEC(bounded, AG(waiting >= 0 && waiting <= chairs))
SPEC(one_barber, AG(count(barber) + count(cutting) <= 1))
SPEC(one_customer, AG(count(in_chair) <= 1))
SPEC(cut, AG(IMPLIES(seat == called, AF(seat == empty))))

#endif
#endif
