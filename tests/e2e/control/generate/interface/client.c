#define HD_CONTROLLER_GENERATED "rw_fast.h"
#include "rw.h"

static rw lock;

static void
leave_twice(void)
{
  rw_r_enter(&lock);
  printf("%d inside\n", (int) lock.nR);
  fflush(stdout);
  rw_r_exit(&lock);
  rw_r_exit(&lock);
}

int
main(void)
{
  rw_init(&lock);
  leave_twice();
  return 0;
}
