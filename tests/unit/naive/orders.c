/* orders.c: depth first over the orders. A set of operations done and a state that were met before lead nowhere. */
#include "naive/orders.h"

#include <stdlib.h>

#include "base/base.h"

typedef struct met
{
  struct met *next;
  void *state;
} met;

typedef struct enumeration
{
  const hd_spec *spec;
  const naive_op *ops;
  size_t n;
  hd_value returns[3 + 2 * NAIVE_MAX]; /* what an operation can have returned of which that is not known */
  size_t nreturns;
  met *met[1 << NAIVE_MAX]; /* by the set of operations done */
} enumeration;

/* Takes STATE. */
static bool
met_before(enumeration *e, unsigned done, void *state)
{
  for (const met *m = e->met[done]; m; m = m->next)
    if (e->spec->equal(m->state, state))
    {
      e->spec->destroy(state);
      return true;
    }
  met *m = hd_alloc(sizeof *m);
  *m = (met){e->met[done], state};
  e->met[done] = m;
  return false;
}

/* Must some operation that is not done yet come before operation I? */
static bool
too_early(const enumeration *e, unsigned done, size_t i)
{
  for (size_t k = 0; k < e->n; k++)
    if (!(done >> k & 1) && !e->ops[k].optional && e->ops[k].end < e->ops[i].start)
      return true;
  return false;
}

static bool
all_done(const enumeration *e, unsigned done)
{
  for (size_t i = 0; i < e->n; i++)
    if (!(done >> i & 1) && !e->ops[i].optional)
      return false;
  return true;
}

/* Takes STATE. */
static bool
explore(enumeration *e, unsigned done, void *state)
{
  if (met_before(e, done, state))
    return false;
  if (all_done(e, done))
    return true;
  for (size_t i = 0; i < e->n; i++)
  {
    const naive_op *o = &e->ops[i];
    if ((done >> i & 1) || too_early(e, done, i))
      continue;
    bool any = (o->optional && !o->foreseen) || o->any_ret;
    for (size_t k = 0; k < (any ? e->nreturns : 1); k++)
    {
      hd_op op = {.method = o->method,
                  .nargs = o->nargs,
                  .thread = o->thread,
                  .args = o->args,
                  .ret = any ? e->returns[k] : o->ret};
      void *next = e->spec->copy(state);
      hd_step step = e->spec->apply(next, &op, NULL);
      if (step == HD_REJECT || (o->unchanged && step == HD_CHANGED))
        e->spec->destroy(next);
      else if (explore(e, done | 1u << i, next))
        return true;
    }
  }
  return false;
}

static void
add_return(enumeration *e, hd_value v)
{
  for (size_t i = 0; i < e->nreturns; i++)
    if (hd_value_equal(e->returns[i], v))
      return;
  e->returns[e->nreturns++] = v;
}

bool
naive_explained(const hd_spec *spec, const hd_value *config, size_t nconfig, const naive_op *ops, size_t n)
{
  static enumeration e; /* large; nothing is met between calls */
  HD_CHECK(n <= NAIVE_MAX);
  e.spec = spec;
  e.ops = ops;
  e.n = n;
  e.nreturns = 0;
  add_return(&e, hd_nil());
  add_return(&e, hd_bool(false));
  add_return(&e, hd_bool(true));
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < ops[i].nargs; k++)
      add_return(&e, ops[i].args[k]);
  bool found = explore(&e, 0, spec->create(config, nconfig));
  for (size_t done = 0; done < (size_t) 1 << n; done++)
    while (e.met[done])
    {
      met *m = e.met[done];
      e.met[done] = m->next;
      spec->destroy(m->state);
      free(m);
    }
  return found;
}
