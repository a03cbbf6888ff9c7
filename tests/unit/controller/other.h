/* other.h: what other.c does with a controller that test_controller.c made. */
#ifndef CONTROLLER_OTHER_H
#define CONTROLLER_OTHER_H

#include <stdbool.h>

struct rw;
/* Whether a writer could enter; it leaves at once. */
bool other_try_write(struct rw *c);

#endif
