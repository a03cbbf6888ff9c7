/* bench_off.c: the loop of bench_log with macros that are compiled away. */
#define HEDDLE_OFF
#include <heddle/heddle.h>

#include "bench_off.h"

/* As in bench_log.c. */
struct work
{
  hd_object *object;
  char *memory;
  size_t n;
};

void
bench_off(struct work *w)
{
  for (size_t i = 0; i < w->n; i++)
  {
    HD_CALL(w->object, "call", i);
    __asm__ volatile("" ::"r"(i));
  }
}
