/* enumerate.c: depth first over the orders; a set of operations done and a state that were met before lead nowhere. */
#include "brute/enumerate.h"

#include <stdlib.h>
#include <string.h>

#include "base/base.h"

enum
{
  TABLE = 1 << 12, /* lists of what was met */
  OUTCOMES = 4,
  LIMIT = 20000, /* of what was met */
};

typedef struct met
{
  struct met *next;
  uint32_t done;
  void *state;
} met;

typedef struct enumeration
{
  const hd_spec *spec;
  const hd_linear_op *ops;
  size_t n;
  size_t nmet;
  met *table[TABLE];
} enumeration;

/* Takes STATE if it is new. */
static bool
remember(enumeration *e, uint32_t done, void *state)
{
  met **list = &e->table[hd_mix(e->spec->hash(state) + done) % TABLE];
  for (met *m = *list; m; m = m->next)
    if (m->done == done && e->spec->equal(m->state, state))
      return false;
  if (++e->nmet > LIMIT)
    return false;
  met *m = hd_alloc(sizeof *m);
  *m = (met){*list, done, state};
  *list = m;
  return true;
}

static bool explore(enumeration *e, uint32_t done, const void *state);

/* Does some order begin with operation I, returning RET, in STATE? */
static bool
begins(enumeration *e, uint32_t done, const void *state, size_t i, hd_value ret)
{
  const hd_linear_op *o = &e->ops[i];
  hd_value args[2] = {o->args[0], o->args[1]};
  hd_op op
      = {.method = o->method, .nargs = (uint32_t) strlen(e->spec->methods[o->method].args), .args = args, .ret = ret};
  void *next = e->spec->copy(state);
  if (e->spec->apply(next, &op, NULL) == HD_REJECT || !remember(e, done | 1u << i, next))
  {
    e->spec->destroy(next);
    return false;
  }
  return explore(e, done | 1u << i, next);
}

static bool
explore(enumeration *e, uint32_t done, const void *state)
{
  uint64_t deadline = UINT64_MAX;
  bool finished = true;
  for (size_t i = 0; i < e->n; i++)
    if (!(done >> i & 1) && !e->ops[i].pending)
    {
      finished = false;
      deadline = e->ops[i].end < deadline ? e->ops[i].end : deadline;
    }
  if (finished || e->nmet > LIMIT)
    return finished;
  for (size_t i = 0; i < e->n; i++)
  {
    const hd_linear_op *o = &e->ops[i];
    if ((done >> i & 1) || o->start > deadline)
      continue;
    hd_value rets[OUTCOMES] = {o->ret};
    size_t nrets = 1;
    if (o->pending || o->any_ret)
    {
      hd_value args[2] = {o->args[0], o->args[1]};
      hd_op op = {.method = o->method, .nargs = (uint32_t) strlen(e->spec->methods[o->method].args), .args = args};
      nrets = e->spec->outcomes(state, &op, rets, OUTCOMES);
      HD_CHECK(nrets <= OUTCOMES);
    }
    for (size_t k = 0; k < nrets; k++)
      if (begins(e, done, state, i, rets[k]))
        return true;
  }
  return false;
}

enumerated
enumerate_orders(const hd_spec *spec, const hd_value *config, size_t nconfig, const hd_linear_op *ops, size_t n)
{
  static enumeration e; /* large; empty between calls */
  HD_CHECK(n <= 32);
  e.spec = spec;
  e.ops = ops;
  e.n = n;
  e.nmet = 0;
  void *state = spec->create(config, nconfig);
  bool found = explore(&e, 0, state);
  spec->destroy(state);
  for (size_t k = 0; k < TABLE; k++)
    while (e.table[k])
    {
      met *m = e.table[k];
      e.table[k] = m->next;
      spec->destroy(m->state);
      free(m);
    }
  return found ? ENUMERATED_SOME : e.nmet > LIMIT ? ENUMERATED_TOO_MANY : ENUMERATED_NONE;
}
