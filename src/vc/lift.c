/* lift.c: a lambda becomes a function of its largest parts that do not depend on its variables, with an axiom that says
 * what reading the map gives. Its body with parameters in the place of these parts is its identity: equal lambdas are
 * the same function, so that equations between them are seen to hold. */
#include <string.h>

#include "vc/internal.h"

typedef struct lifting
{
  condition *c;
  uint64_t bound;           /* levels from the lambda's on */
  const hd_smt_term **memo; /* by term */
  size_t size;
  const hd_smt_term **holes, **params; /* parts, and the parameters that stand for them */
  size_t n, cap, params_cap;
} lifting;

static const hd_smt_term *
parameter(lifting *l, const hd_smt_term *t)
{
  condition *c = l->c;
  for (size_t i = 0; i < l->n; i++)
    if (l->holes[i] == t)
      return l->params[i];
  const hd_smt_symbol *s = hd_vc_bound(c, "p", t->sort, PARAMETER_LEVEL, (uint32_t) l->n);
  size_t n = l->n;
  ADD(c, l->params, n, l->params_cap, hd_smt_apply(c->u, s, 0, NULL));
  ADD(c, l->holes, l->n, l->cap, t);
  return l->params[l->n - 1];
}

static const hd_smt_term *
abstract(lifting *l, const hd_smt_term *t)
{
  condition *c = l->c;
  if (!(t->levels & l->bound) && !t->quantifier)
    return t->op == HD_SMT_NUMBER || t->op == HD_SMT_TRUE || t->op == HD_SMT_FALSE ? t : parameter(l, t);
  if (!(t->levels & l->bound))
    return parameter(l, t);
  if (t->id < l->size && l->memo[t->id])
    return l->memo[t->id];
  const hd_smt_term **args = hd_vc_alloc(c, t->nargs * sizeof *args);
  for (uint32_t i = 0; i < t->nargs; i++)
    args[i] = abstract(l, t->args[i]);
  hd_smt_quantifier q = {0};
  if (t->quantifier)
  {
    q = *t->quantifier;
    q.patterns = hd_vc_alloc(c, q.npatterns * sizeof *q.patterns);
    for (size_t i = 0; i < q.npatterns; i++)
    {
      const hd_smt_pattern *p = &t->quantifier->patterns[i];
      q.patterns[i] = *p;
      q.patterns[i].terms = hd_vc_alloc(c, p->n * sizeof *p->terms);
      for (size_t j = 0; j < p->n; j++)
        q.patterns[i].terms[j] = abstract(l, p->terms[j]);
    }
  }
  const hd_smt_term *result = hd_smt_rebuild(c->u, t, &q, args);
  if (t->id < l->size)
    l->memo[t->id] = result;
  return result;
}

/* The function that BODY is lifted to, with its axiom if it is new. */
static const hd_smt_symbol *
lifted_symbol(lifting *l, const hd_smt_sort *map, const hd_smt_symbol **vars, size_t n, const hd_smt_term *body)
{
  condition *c = l->c;
  for (size_t i = 0; i < c->nlifted; i++)
    if (c->lifted[i].body == body && c->lifted[i].sort == map)
      return c->lifted[i].symbol;
  const hd_smt_sort **sorts = hd_vc_alloc(c, l->n * sizeof *sorts);
  const hd_smt_symbol **all = hd_vc_alloc(c, (l->n + n) * sizeof *all);
  for (size_t i = 0; i < l->n; i++)
  {
    sorts[i] = l->holes[i]->sort;
    all[i] = l->params[i]->symbol;
  }
  const hd_smt_symbol *f = hd_smt_function(c->u, hd_vc_text(c, "lambda.%zu", c->nlifted), map, l->n, sorts);
  ADD(c, c->lifted, c->nlifted, c->lifted_cap, (lifted){.body = body, .symbol = f, .sort = map});
  const hd_smt_term *read = hd_smt_apply(c->u, f, l->n, l->params);
  for (size_t i = 0; i < n; i++)
  {
    all[l->n + i] = vars[i];
    read = hd_vc_select(c, read, hd_smt_apply(c->u, vars[i], 0, NULL));
  }
  hd_smt_pattern pattern = {.n = 1, .terms = &read};
  hd_smt_quantifier q = {.nvars = l->n + n, .vars = all, .npatterns = 1, .patterns = &pattern, .weight = -1};
  hd_vc_assert(c, hd_smt_quantify(c->u, HD_SMT_FORALL, &q, hd_smt_equal(c->u, read, body)));
  return f;
}

const hd_smt_term *
hd_vc_lift(condition *c, const hd_smt_sort *map, const hd_smt_symbol **vars, size_t n, const hd_smt_term *body)
{
  lifting l = {.c = c, .bound = ~0ull << vars[0]->level, .size = hd_smt_size(c->u)};
  l.memo = hd_vc_alloc(c, l.size * sizeof *l.memo);
  const hd_smt_term *template = abstract(&l, body);
  const hd_smt_symbol *f = lifted_symbol(&l, map, vars, n, template);
  return hd_smt_apply(c->u, f, l.n, l.holes);
}
