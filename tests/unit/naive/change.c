/* change.c: a case is changed at random, and a case that shows something is made smaller. */
#include "naive/cases.h"

#include <string.h>

hd_value
naive_plausible(const naive_case *c, uint32_t method, uint64_t *random)
{
  const naive_call *other = c->n > 0 ? &c->ops[naive_below(random, c->n)] : NULL;
  const naive_method *of_other = other ? naive_method_get(c->object, other->method) : NULL;
  char ret = naive_method_get(c->object, method)->ret;
  switch (ret)
  {
  case 'd':
    return naive_chance(random, 75) ? hd_nil() : hd_bool(naive_chance(random, 90));
  case 'b':
    if (naive_spec(c->object)->methods[method].ret == '*' && naive_chance(random, 4))
      return hd_nil();
    return hd_bool(naive_chance(random, 50));
  case 'c':
    return hd_int((int64_t) naive_below(random, 5) - 1);
  case 'm':
    return naive_chance(random, 40) ? hd_nil() : hd_int((int64_t) naive_below(random, 6) - 2);
  default:
    if (of_other && of_other->ret == ret && naive_chance(random, 30))
      return other->ret;
    for (uint32_t k = 0; other && k < other->nargs; k++)
      if (of_other->args[k] == 'v' || of_other->args[k] == 't')
        return other->args[k];
    return naive_chance(random, 80) ? hd_nil() : hd_int((int64_t) naive_below(random, 4) - 1);
  }
}

/* An event comes earlier or later, as far as its own thread allows. */
static void
move_event(naive_case *c, uint64_t *random)
{
  size_t i = naive_below(random, c->nevents), low = i, high = i;
  naive_event e = c->events[i];
  uint32_t lane = c->ops[e.op].lane;
  while (low > 0 && c->ops[c->events[low - 1].op].lane != lane)
    low--;
  while (high + 1 < c->nevents && c->ops[c->events[high + 1].op].lane != lane)
    high++;
  size_t to = low + naive_below(random, high - low + 1);
  if (to < i)
    memmove(&c->events[to + 1], &c->events[to], (i - to) * sizeof e);
  else
    memmove(&c->events[i], &c->events[i + 1], (to - i) * sizeof e);
  c->events[to] = e;
}

/* Do they return the same kind of thing? */
static bool
alike(const naive_case *c, const naive_call *a, const naive_call *b)
{
  const hd_method *methods = naive_spec(c->object)->methods;
  return naive_method_get(c->object, a->method)->ret == naive_method_get(c->object, b->method)->ret
         && methods[a->method].ret == methods[b->method].ret;
}

void
naive_mutate(naive_case *c, uint64_t *random)
{
  if (c->n == 0)
    return;
  naive_call *a = &c->ops[naive_below(random, c->n)], *b = &c->ops[naive_below(random, c->n)];
  hd_value swap = a->ret;
  switch (naive_below(random, 8))
  {
  case 0:
  case 1:
    for (int tries = 0; tries < 6 && hd_value_equal(a->ret, swap); tries++)
      a->ret = naive_plausible(c, a->method, random);
    break;
  case 2:
  case 3:
    for (int tries = 0; tries < 6 && (hd_value_equal(a->ret, b->ret) || !alike(c, a, b)); tries++)
      b = &c->ops[naive_below(random, c->n)];
    if (alike(c, a, b))
    {
      a->ret = b->ret;
      b->ret = swap;
    }
    break;
  default:
    for (uint64_t n = 1 + naive_below(random, 3); n > 0; n--)
      move_event(c, random);
  }
}

static void
drop(naive_case *c, size_t op)
{
  size_t n = 0;
  for (size_t i = 0; i < c->nevents; i++)
    if (c->events[i].op != op)
    {
      c->events[n] = c->events[i];
      c->events[n++].op -= c->events[i].op > op;
    }
  c->nevents = n;
  memmove(&c->ops[op], &c->ops[op + 1], (c->n - op - 1) * sizeof *c->ops);
  c->n--;
}

void
naive_shrink(naive_case *c, bool (*still)(const naive_case *c))
{
  for (size_t i = 0; i < c->n;)
  {
    naive_case smaller = *c;
    drop(&smaller, i);
    if (still(&smaller))
    {
      *c = smaller;
      i = 0;
    }
    else
      i++;
  }
}
