/* vector.c: vector clocks (vector.h). */
#include "monitor/vector.h"

#include <stdlib.h>
#include <string.h>

void
hd_monitor_vector_drop(vector *v)
{
  if (v && --v->refs == 0)
    free(v);
}

void
hd_monitor_vector_own(vector **v, uint32_t n)
{
  vector *old = *v;
  if (old && old->refs == 1 && old->n >= n)
    return;
  /* Rounded up, not doubled: lengths spread from vector to vector, and doubling would feed on itself. */
  uint32_t size = old && old->n > n ? old->n : (n + 7) & ~7u;
  vector *new = hd_alloc(sizeof *new + size * sizeof *new->clock);
  uint32_t have = old ? old->n : 0;
  new->refs = 1;
  new->n = size;
  if (have > 0)
    memcpy(new->clock, old->clock, have * sizeof *new->clock);
  memset(new->clock + have, 0, (size - have) * sizeof *new->clock);
  hd_monitor_vector_drop(old);
  *v = new;
}

void
hd_monitor_vector_set(vector **v, uint32_t i, uint32_t clock)
{
  hd_monitor_vector_own(v, i + 1);
  (*v)->clock[i] = clock;
}

bool
hd_monitor_vector_join(vector **v, const vector *w, uint32_t skip)
{
  if (!w || w == *v)
    return false;
  uint32_t i = 0;
  for (; i < w->n; i++)
    if (i != skip && w->clock[i] > vector_get(*v, i))
      break;
  if (i == w->n)
    return false;
  hd_monitor_vector_own(v, w->n);
  uint32_t *clock = (*v)->clock, kept = skip < w->n ? clock[skip] : 0;
  for (; i < w->n; i++)
    clock[i] = clock[i] > w->clock[i] ? clock[i] : w->clock[i];
  if (skip < w->n)
    clock[skip] = kept;
  return true;
}
