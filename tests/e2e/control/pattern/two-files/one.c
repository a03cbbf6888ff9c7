/* The thread's state is one for all source files: entered here, left in two.c. */
#include "rw.h"
#include "two.h"

#include <stdio.h>

static void
complain(const hd_controller_violation *v)
{
  printf("%s: thread %u in %s, %s; allowed: %s\n", v->controller, v->thread, v->state, v->action, v->allowed);
}

int
main(void)
{
  rw lock;
  hd_controller_on_violation(complain);
  rw_init(&lock);
  rw_r_enter(&lock);
  leave(&lock);
  leave(&lock);
  rw_destroy(&lock);
  puts("went on");
  return 0;
}
