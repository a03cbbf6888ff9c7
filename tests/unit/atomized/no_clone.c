/* no_clone.c: the tank without a clone function. */
#define heddle_spec test_atomized_no_clone
#include "tank.h"

HD_ATOMIZED(.name = "tank", .methods = methods, .nmethods = 5, .create = create, .destroy = free);
