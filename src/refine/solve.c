/* solve.c: can these operations, each with a place inside its interval of positions, be put in one order that the
 * specification accepts (docs/rules.md 2.1)? The same search as the engine's, driven by a sorted list of intervals
 * instead of ticks. */
#include "refine/internal.h"

#include <stdlib.h>
#include <string.h>

enum happening
{
  OPENS,
  POINT,
  CLOSES,
};

typedef struct happen
{
  uint64_t position;
  uint32_t rank;
  uint32_t item;
  enum happening what;
} happen;

static int
earlier(const void *a, const void *b)
{
  const happen *x = a, *y = b;
  if (x->position != y->position)
    return x->position < y->position ? -1 : 1;
  if (x->rank != y->rank)
    return x->rank < y->rank ? -1 : 1;
  if (x->item != y->item)
    return x->item < y->item ? -1 : 1;
  return (int) x->what - (int) y->what;
}

/* What the operations looked like before the search used them. */
typedef struct saved
{
  uint32_t flags;
  int32_t slot;
  uint32_t mode;
} saved;

static saved *
borrow(problem *p)
{
  saved *list = hd_alloc_array(p->n ? p->n : 1, sizeof *list);
  for (size_t i = 0; i < p->n; i++)
  {
    op *o = p->items[i].op;
    list[i] = (saved){o->flags, o->slot, o->mode};
    o->slot = -1;
    if (p->items[i].any)
      o->flags &= ~(uint32_t) (OP_RET_KNOWN | OP_EXCEPTIONAL);
  }
  return list;
}

static void
give_back(problem *p, saved *list)
{
  for (size_t i = 0; i < p->n; i++)
  {
    op *o = p->items[i].op;
    o->flags = list[i].flags;
    o->slot = list[i].slot;
    o->mode = list[i].mode;
  }
  free(list);
}

void
problem_clear_order(problem *p)
{
  free(p->order);
  free(p->order_gap);
  p->order = NULL;
  p->order_gap = NULL;
  p->norder = 0;
}

static void
keep_order(problem *p, const config *c)
{
  problem_clear_order(p);
  size_t n = 0;
  for (const step *s = c->steps; s; s = s->before)
    n++;
  p->order = hd_alloc_array(n ? n : 1, sizeof *p->order);
  p->order_gap = hd_alloc_array(n ? n : 1, sizeof *p->order_gap);
  p->norder = n;
  for (const step *s = c->steps; s; s = s->before)
  {
    p->order[--n] = s->op;
    p->order_gap[n] = s->gap;
  }
}

static bool
end_state_fits(problem *p, search *s, uint64_t gap)
{
  if (!p->keys)
  {
    keep_order(p, s->configs[0]);
    return true;
  }
  /* Whatever may still be placed may be placed now. */
  if (s->nopen && !search_close(s, NULL, 0, true, gap))
    return false;
  for (size_t i = 0; i < s->nconfigs; i++)
    if (replica_agrees(p->spec, s->configs[i]->state->s, p->replica, p->keys))
    {
      keep_order(p, s->configs[i]);
      return true;
    }
  return false;
}

static size_t
list_happenings(const problem *p, happen *list)
{
  size_t n = 0;
  for (size_t i = 0; i < p->n; i++)
  {
    const item *it = &p->items[i];
    /* Strict, at one position: first what ends there, then what begins and ends there, one after the other, then what
     * begins. */
    bool instant = !it->open_end && it->low == it->high;
    uint32_t opens = p->strict ? (instant ? 1 : 2) : 0, closes = p->strict ? (instant ? 1 : 0) : 2;
    if (it->point)
      list[n++] = (happen){it->low, 1, (uint32_t) i, POINT};
    else
    {
      list[n++] = (happen){it->low, opens, (uint32_t) i, OPENS};
      if (!it->open_end)
        list[n++] = (happen){it->high, closes, (uint32_t) i, CLOSES};
    }
  }
  qsort(list, n, sizeof *list, earlier);
  return n;
}

answer
solve(problem *p)
{
  saved *list = borrow(p);
  happen *happenings = hd_alloc_array(2 * p->n + 1, sizeof *happenings);
  size_t n = list_happenings(p, happenings);
  search s;
  search_init(&s, p->spec, p->spec->copy(p->state));
  s.keep_steps = s.thread_order = true;
  s.budget = p->budget;
  s.cancel = p->cancel;
  s.max_configs = 100000;
  s.extra_returns = p->returns;
  s.nextra = p->nreturns;
  bool fits = true;
  uint64_t last = 0;
  for (size_t i = 0; i < n && fits && !s.stopped && !s.bad_spec; i++)
  {
    item *it = &p->items[happenings[i].item];
    uint64_t gap = (happenings[i].position + 1) / 2;
    last = gap;
    switch (happenings[i].what)
    {
    case OPENS:
      search_open(&s, it->op, it->mode);
      break;
    case POINT:
      fits = (s.nopen == 0 || search_close(&s, NULL, 0, true, gap)) && search_point(&s, it->op, gap);
      break;
    case CLOSES:
      if (it->mode != MODE_MAY)
        fits = search_close(&s, &it->op, 1, false, gap);
      else
        fits = search_close(&s, NULL, 0, true, gap); /* the last chance to place it */
      if (fits)
        search_drop(&s, &it->op, 1);
      break;
    }
  }
  if (fits && !s.stopped && !s.bad_spec)
    fits = end_state_fits(p, &s, last);
  answer a = s.stopped || s.bad_spec ? ANSWER_STOPPED : fits ? ANSWER_FITS : ANSWER_NONE;
  p->budget = s.budget;
  search_done(&s);
  free(happenings);
  give_back(p, list);
  return a;
}
