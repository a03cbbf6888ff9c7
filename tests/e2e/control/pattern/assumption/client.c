/* Constants that break what a controller assumes of them. */
#include "semaphore.h"

#include <stdlib.h>

int
main(int argc, char **argv)
{
  semaphore s;
  semaphore_init(&s, argc > 1 ? atoi(argv[1]) : 1);
  semaphore_acquire(&s);
  semaphore_release(&s);
  semaphore_destroy(&s);
  return 0;
}
