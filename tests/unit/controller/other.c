/* other.c: a second source file that uses the same controller, for test_controller.c. */
#include "rw.h"

#include "controller/other.h"

bool
other_try_write(struct rw *c)
{
  if (!rw_w_enter_try(c))
    return false;
  rw_w_exit(c);
  return true;
}
