/* binders.c: expressions that bind variables: quantifiers, over types too, lets, and lambdas, which become
 * applications of lifted functions (lift.c). */
#include "vc/internal.h"

static bool
occurs(const hd_smt_term *t, const hd_smt_symbol *v)
{
  if (!(t->levels >> v->level & 1))
    return false;
  if (t->symbol == v)
    return true;
  for (uint32_t i = 0; i < t->nargs; i++)
    if (occurs(t->args[i], v))
      return true;
  return false;
}

/* A solver takes it as part of a pattern. */
static bool
is_matchable(const hd_smt_term *t)
{
  if (t->op > HD_SMT_APPLY && t->op < HD_SMT_ADD)
    return false;
  if (t->op == HD_SMT_FORALL || t->op == HD_SMT_EXISTS || (t->op >= HD_SMT_LT && t->op <= HD_SMT_GE))
    return false;
  for (uint32_t i = 0; i < t->nargs; i++)
    if (!is_matchable(t->args[i]))
      return false;
  return true;
}

static bool
is_pattern(const hd_smt_pattern *p, const hd_smt_symbol *const *vars, size_t n)
{
  if (p->negative)
    return p->n == 1;
  for (size_t i = 0; i < p->n; i++)
    if (!p->terms[i]->nargs || !is_matchable(p->terms[i]))
      return false;
  for (size_t i = 0; i < n; i++)
  {
    bool found = false;
    for (size_t j = 0; j < p->n; j++)
      found = found || occurs(p->terms[j], vars[i]);
    if (!found)
      return false;
  }
  return true;
}

/* What is bound: new variables of one level, and the context inside. */
static context
bind(const context *x, const hd_boogie_expr *e, uint32_t level, const hd_smt_symbol **vars)
{
  condition *c = x->c;
  const hd_boogie_vars *bound = &e->u.binder->bound;
  if (level == PARAMETER_LEVEL || level >= HD_SMT_MOST_LEVELS)
    hd_vc_unsupported(c, e->at, "quantifiers are too deep inside each other here");
  scope *names = hd_vc_alloc(c, bound->n * sizeof *names);
  context inside = *x;
  inside.level = level + 1;
  for (size_t i = 0; i < bound->n; i++)
  {
    const hd_boogie_var *v = bound->items[i];
    vars[i] = hd_vc_bound(c, v->name, hd_vc_sort(c, x->types, v->type, e->at), level, (uint32_t) i);
    names[i] = (scope){.var = v, .term = hd_smt_apply(c->u, vars[i], 0, NULL), .next = inside.scope};
    inside.scope = &names[i];
  }
  return inside;
}

/* A quantifier over values; its type parameters have types. */
static const hd_smt_term *
quantify(const context *x, const hd_boogie_expr *e)
{
  condition *c = x->c;
  size_t n = e->u.binder->bound.n, npatterns = 0;
  const hd_smt_symbol **vars = hd_vc_alloc(c, n * sizeof *vars);
  context inside = bind(x, e, x->level, vars);
  inside.universal = x->universal || (n && (e->kind == HD_BOOGIE_FORALL) == x->assumed);
  const hd_smt_term *body = hd_vc_term_in(&inside, e->args.items[0]);
  int64_t weight = -1;
  if (!c->portable)
    hd_boogie_attr_int(e->u.binder->attrs, "weight", &weight);
  for (const hd_boogie_trigger *t = e->u.binder->triggers; t; t = t->next)
    npatterns++;
  hd_smt_pattern *patterns = hd_vc_alloc(c, npatterns * sizeof *patterns);
  npatterns = 0;
  for (const hd_boogie_trigger *t = e->u.binder->triggers; t; t = t->next)
  {
    hd_smt_pattern p = {.n = t->exprs.n, .negative = !t->positive};
    p.terms = hd_vc_alloc(c, p.n * sizeof *p.terms);
    for (size_t i = 0; i < p.n; i++)
      p.terms[i] = hd_vc_plain(&inside, t->exprs.items[i]);
    if (is_pattern(&p, vars, n))
      patterns[npatterns++] = p;
  }
  hd_smt_quantifier q
      = {.nvars = n, .vars = vars, .npatterns = npatterns, .patterns = patterns, .weight = (long) weight};
  return hd_smt_quantify(c->u, e->kind == HD_BOOGIE_FORALL ? HD_SMT_FORALL : HD_SMT_EXISTS, &q, body);
}

/* A quantifier over types. What is assumed for all types, or is to be proved for some, is put down for some; what is to
 * be proved for all types, or assumed for some, for one that nothing is known about. That one type may not depend on
 * values, so inside what is assumed for all values nothing is assumed of it, and nothing proved. */
static const hd_smt_term *
quantify_types(const context *x, const hd_boogie_expr *e)
{
  condition *c = x->c;
  const hd_boogie_types *params = &e->u.binder->type_params;
  bool all = e->kind == HD_BOOGIE_FORALL;
  if (x->mixed)
    hd_vc_unsupported(c, e->at, "a quantifier over types cannot stand inside a value");
  c->type_quantifiers++;
  context inside = *x;
  if (all != x->assumed)
  {
    const type **unknown = hd_vc_alloc(c, params->n * sizeof *unknown);
    for (size_t i = 0; i < params->n; i++)
      unknown[i] = hd_vc_unknown_type(c, params->items[i]->name);
    inside.types = hd_vc_types(c, x->types, params, unknown);
    if (!x->universal)
      return quantify(&inside, e);
    c->weaker = true;
    return x->assumed ? hd_smt_true(c->u) : hd_smt_false(c->u);
  }
  size_t n;
  const type ***lists = hd_vc_choices(x, e, &n);
  const hd_smt_term **parts = hd_vc_alloc(c, n * sizeof *parts);
  for (size_t i = 0; i < n; i++)
  {
    inside.types = hd_vc_types(c, x->types, params, lists[i]);
    parts[i] = quantify(&inside, e);
  }
  return hd_smt_make(c->u, all ? HD_SMT_AND : HD_SMT_OR, n, parts);
}

const hd_smt_term *
hd_vc_lambda(const context *x, const hd_boogie_expr *e)
{
  size_t n = e->u.binder->bound.n;
  if (e->u.binder->type_params.n || !n)
    hd_vc_unsupported(x->c, e->at, "lambda expressions with type parameters are not supported");
  const hd_smt_symbol **vars = hd_vc_alloc(x->c, n * sizeof *vars);
  context inside = bind(x, e, x->level < LAMBDA_LEVEL ? LAMBDA_LEVEL : x->level, vars);
  return hd_vc_lift(x->c, hd_vc_sort(x->c, x->types, e->type, e->at), vars, n, hd_vc_plain(&inside, e->args.items[0]));
}

const hd_smt_term *
hd_vc_let(const context *x, const hd_boogie_expr *e)
{
  size_t n = e->u.binder->bound.n;
  scope *names = hd_vc_alloc(x->c, n * sizeof *names);
  context inside = *x;
  for (size_t i = 0; i < n; i++)
    names[i].term = hd_vc_plain(x, e->args.items[i]);
  for (size_t i = 0; i < n; i++)
  {
    names[i].var = e->u.binder->bound.items[i];
    names[i].next = inside.scope;
    inside.scope = &names[i];
  }
  return hd_vc_term_in(&inside, e->args.items[n]);
}

const hd_smt_term *
hd_vc_quantifier(const context *x, const hd_boogie_expr *e)
{
  return e->u.binder->type_params.n ? quantify_types(x, e) : quantify(x, e);
}
