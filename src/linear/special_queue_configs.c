/* special_queue_configs.c: configurations of a queue with unknown removals: which values and removals are used, and how
 * one leads to others; see special_queue_unknown.c. */
#include "linear/special_queue_unknown.h"

#include <stdlib.h>
#include <string.h>

static int
compare(const void *a, const void *b)
{
  const config *x = a, *y = b;
  if (x->first != y->first)
    return x->first < y->first ? -1 : 1;
  if (x->used != y->used)
    return x->used < y->used ? -1 : 1;
  if (x->nextra != y->nextra)
    return x->nextra < y->nextra ? -1 : 1;
  return memcmp(x->extra, y->extra, x->nextra * sizeof *x->extra);
}

/* Of two that differ in nothing else: whoever has used less of what nobody is obliged to use, and saw the queue empty
 * later, can do all that the other one can. */
static void
reduce(sweep *s)
{
  configs *cs = &s->then;
  if (cs->n < 2)
    return;
  qsort(cs->list, cs->n, sizeof *cs->list, compare);
  size_t n = 0, group = 0;
  for (size_t i = 0; i < cs->n; i++)
  {
    const config *c = &cs->list[i];
    group = n > 0 && compare(&cs->list[n - 1], c) == 0 ? group : n;
    bool superfluous = false;
    for (size_t k = group; k < n && !superfluous; k++)
    {
      const config *o = &cs->list[k];
      superfluous = o->flush >= c->flush && o->pending <= c->pending && o->maybe <= c->maybe;
    }
    if (!superfluous)
      cs->list[n++] = *c;
  }
  s->work += cs->n;
  cs->n = n;
}

void
hd_special_queue_keep(sweep *s, const config *c)
{
  if (s->then.n >= s->job->max_configurations)
    s->full = true;
  else
    HD_PUSH(s->then.list, s->then.n, s->then.cap, *c);
  s->work++;
}

/* What THEN holds is now. */
void
hd_special_queue_turn(sweep *s)
{
  reduce(s);
  configs swap = s->now;
  s->now = s->then;
  s->then = swap;
  s->then.n = 0;
  if (s->now.n > s->job->peak)
    s->job->peak = s->now.n;
}

/* ---- taking values ---- */

bool
hd_special_queue_is_taken(const config *c, uint32_t i)
{
  for (uint32_t k = 0; k < c->nextra && i >= c->first; k++)
    if (c->extra[k] == i)
      return true;
  return i < c->first;
}

/* The place in RELEASED of the first candidate that is not below I. */
static uint32_t
released_from(const sweep *s, uint32_t i)
{
  uint32_t low = 0, high = s->nreleased;
  while (low < high)
  {
    uint32_t middle = low + (high - low) / 2;
    if (s->released[middle] < i)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static void
take(sweep *s, config *c, uint32_t i)
{
  if (i > c->first)
  {
    uint32_t k = c->nextra;
    if (k == MAX_EXTRA)
    {
      s->full = true;
      return;
    }
    for (; k > 0 && c->extra[k - 1] > i; k--)
      c->extra[k] = c->extra[k - 1];
    c->extra[k] = i;
    c->nextra++;
    return;
  }
  uint32_t k = 0;
  for (c->first++; k < c->nextra && c->extra[k] == c->first; k++)
    c->first++;
  c->nextra -= k;
  memmove(c->extra, c->extra + k, c->nextra * sizeof *c->extra);
}

/* Take the best value that is released. False: there is none. */
bool
hd_special_queue_take_best(sweep *s, config *c)
{
  uint32_t k = released_from(s, c->first);
  while (k < s->nreleased && hd_special_queue_is_taken(c, s->released[k]))
    k++;
  if (k < s->nreleased)
    take(s, c, s->released[k]);
  else if (c->maybe < s->nmaybe)
    c->maybe++;
  else
    return false;
  return true;
}

/* The removals that may take the next value: slots, MAX_OPEN for a pending removal. Who must still be explained, or who
 * need not be but ends earlier. Returns how many. */
static unsigned
takers(const sweep *s, const config *c, unsigned which[2])
{
  const uint32_t *end = s->job->end;
  unsigned must = MAX_OPEN, may = MAX_OPEN, n = 0;
  for (unsigned i = 0, seen = 0; seen < s->nopen; i++)
  {
    if (s->open[i] == NONE)
      continue;
    seen++;
    if (c->used >> i & 1)
      continue;
    unsigned *best = needs_flush(s, c, i) ? &must : &may;
    if (*best == MAX_OPEN || end[s->open[i]] < end[s->open[*best]])
      *best = i;
  }
  if (must < MAX_OPEN)
    which[n++] = must;
  if (may < MAX_OPEN && (must == MAX_OPEN || end[s->open[may]] < end[s->open[must]]))
    which[n++] = may;
  if (n == 0 && c->pending < s->npending)
    which[n++] = MAX_OPEN;
  return n;
}

/* From C on, take all candidates below UPTO; then the queue was empty at the gap FLUSH, if that is not 0. Keep what
 * comes of it. */
void
hd_special_queue_take_all(sweep *s, config c, uint32_t upto, uint32_t flush)
{
  while (c.first < upto)
  {
    unsigned which[2], n = takers(s, &c, which);
    if (n == 0 || s->full)
    {
      s->blamed = c.first;
      return;
    }
    uint32_t i = c.first;
    for (unsigned k = n; k-- > 0;)
    {
      config next = c;
      if (which[k] == MAX_OPEN)
        next.pending++;
      else
        next.used |= 1ull << which[k];
      take(s, &next, i);
      if (k > 0)
        hd_special_queue_take_all(s, next, upto, flush);
      else
        c = next;
    }
  }
  if (flush > c.flush)
    c.flush = flush;
  hd_special_queue_keep(s, &c);
}
