/* Data that is read without the lock, once. */
#include "rw.h"

static rw lock;
static int value;

static int
get(void)
{
  HD_DATA(&lock, rw, reading, writing);
  return value;
}

static void
set(int to)
{
  HD_DATA(&lock, rw, writing);
  value = to;
}

int
main(void)
{
  rw_init(&lock);
  rw_w_enter(&lock);
  set(get() + 1);
  rw_w_exit(&lock);
  rw_r_enter(&lock);
  const int seen = get();
  rw_r_exit(&lock);
  set(seen + 1);
  rw_destroy(&lock);
  return 0;
}
