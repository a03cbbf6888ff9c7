#include "rw.h"
#include "two.h"

void
leave(rw *c)
{
  rw_r_exit(c);
}
