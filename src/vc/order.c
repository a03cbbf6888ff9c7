/* order.c: the order <: of constants. Each sort on which it is used has an order of its own: a partial order, about
 * which `extends`, `unique` and `complete` at constants say more, with the reference's axioms:
 *
 *   const c: T extends p, q    c is below p and q, next to each of them; what else is above c is above p or q
 *   const c: T extends unique p    what is below c is below no other child of p: one step down from p leads to c
 *   const c: T ... complete    what is below c is c, or below one of its children */
#include "vc/internal.h"

static const hd_smt_symbol *
find(const order *list, size_t n, const hd_smt_sort *sort)
{
  for (size_t i = 0; i < n; i++)
    if (list[i].sort == sort)
      return list[i].symbol;
  return NULL;
}

static const hd_smt_term *
bound(condition *c, const hd_smt_sort *sort, uint32_t index, const hd_smt_symbol **var)
{
  static const char *const names[] = {"x", "y", "z"};
  *var = hd_vc_bound(c, names[index], sort, 0, index);
  return hd_smt_apply(c->u, *var, 0, NULL);
}

static void
assert_forall(condition *c, size_t n, const hd_smt_symbol **vars, size_t npattern, const hd_smt_term **pattern,
              const hd_smt_term *body)
{
  hd_smt_pattern p = {.n = npattern, .terms = pattern};
  hd_smt_quantifier q = {.nvars = n, .vars = vars, .npatterns = 1, .patterns = &p, .weight = -1};
  hd_vc_assert(c, hd_smt_quantify(c->u, HD_SMT_FORALL, &q, body));
}

static const hd_smt_term *
below(condition *c, const hd_smt_symbol *f, const hd_smt_term *a, const hd_smt_term *b)
{
  return hd_smt_apply(c->u, f, 2, (const hd_smt_term *[]){a, b});
}

/* The order of SORT, with what makes it one. */
static const hd_smt_symbol *
order_of(condition *c, const hd_smt_sort *sort)
{
  const hd_smt_symbol *f = find(c->orders, c->norders, sort), *vars[3];
  if (f)
    return f;
  f = hd_smt_function(c->u, "<:", hd_smt_basic(c->u, HD_SMT_BOOL), 2, (const hd_smt_sort *[]){sort, sort});
  ADD(c, c->orders, c->norders, c->orders_cap, (order){.sort = sort, .symbol = f});
  const hd_smt_term *x = bound(c, sort, 0, &vars[0]), *y = bound(c, sort, 1, &vars[1]);
  const hd_smt_term *z = bound(c, sort, 2, &vars[2]);
  const hd_smt_term *xx = below(c, f, x, x), *xy = below(c, f, x, y), *yz = below(c, f, y, z), *yx = below(c, f, y, x);
  assert_forall(c, 1, vars, 1, &xx, xx);
  assert_forall(c, 3, vars, 2, (const hd_smt_term *[]){xy, yz},
                hd_smt_implies(c->u, hd_smt_and(c->u, xy, yz), below(c, f, x, z)));
  assert_forall(c, 2, vars, 2, (const hd_smt_term *[]){xy, yx},
                hd_smt_implies(c->u, hd_smt_and(c->u, xy, yx), hd_smt_equal(c->u, x, y)));
  return f;
}

const hd_smt_term *
hd_vc_below(condition *c, const hd_smt_term *a, const hd_smt_term *b)
{
  return below(c, order_of(c, a->sort), a, b);
}

/* The function that leads one step down from a parent to the child that something is below of. */
static const hd_smt_symbol *
step_down(condition *c, const hd_smt_sort *sort)
{
  const hd_smt_symbol *f = find(c->steps_down, c->nsteps_down, sort);
  if (f)
    return f;
  f = hd_smt_function(c->u, "oneStep", sort, 2, (const hd_smt_sort *[]){sort, sort});
  ADD(c, c->steps_down, c->nsteps_down, c->steps_down_cap, (order){.sort = sort, .symbol = f});
  return f;
}

static const hd_boogie_var *
parent(const hd_boogie_var *v, size_t i)
{
  return v->parents.items[i].parent->u.id.var;
}

static void
describe_parents(condition *c, const hd_boogie_var *v)
{
  hd_smt *u = c->u;
  const hd_smt_term *me = hd_vc_constant(c, v);
  const hd_smt_symbol *f = order_of(c, me->sort), *var;
  const hd_smt_term *w = bound(c, me->sort, 0, &var), *above = below(c, f, me, w), *is_me = hd_smt_equal(u, me, w);
  const hd_smt_term *least = is_me;
  for (size_t i = 0; i < v->parents.n; i++)
  {
    const hd_smt_term *p = hd_vc_constant(c, parent(v, i)), *under = below(c, f, w, p);
    hd_vc_assert(c, hd_smt_not(u, hd_smt_equal(u, me, p)));
    hd_vc_assert(c, below(c, f, me, p));
    assert_forall(c, 1, &var, 2, (const hd_smt_term *[]){above, under},
                  hd_smt_implies(u, hd_smt_and(u, above, under), hd_smt_or(u, is_me, hd_smt_equal(u, p, w))));
    least = hd_smt_or(u, least, below(c, f, p, w));
    if (!v->parents.items[i].unique)
      continue;
    const hd_smt_term *child = below(c, f, w, me);
    const hd_smt_term *down = hd_smt_apply(u, step_down(c, me->sort), 2, (const hd_smt_term *[]){p, w});
    assert_forall(c, 1, &var, 1, &child, hd_smt_implies(u, child, hd_smt_equal(u, down, me)));
  }
  assert_forall(c, 1, &var, 1, &above, hd_smt_implies(u, above, least));
}

static void
describe_children(condition *c, const hd_boogie_var *v)
{
  const hd_boogie_program *p = c->program->program;
  hd_smt *u = c->u;
  const hd_smt_term *me = hd_vc_constant(c, v);
  const hd_smt_symbol *f = order_of(c, me->sort), *var;
  const hd_smt_term *w = bound(c, me->sort, 0, &var), *under = below(c, f, w, me), *all = hd_smt_equal(u, me, w);
  for (size_t i = 0; i < p->decls.n; i++)
  {
    const hd_boogie_var *d = p->decls.items[i].kind == HD_BOOGIE_DECL_VAR ? p->decls.items[i].var : NULL;
    for (size_t j = 0; d && j < d->parents.n; j++)
      if (parent(d, j) == v)
        all = hd_smt_or(u, all, below(c, f, w, hd_vc_constant(c, d)));
  }
  assert_forall(c, 1, &var, 1, &under, hd_smt_implies(u, under, all));
}

/* What V says may matter: it occurs, or a parent does, or something is compared in its type. */
static bool
matters(condition *c, const hd_boogie_var *v)
{
  bool used = c->constants[v->id] || find(c->orders, c->norders, hd_vc_sort(c, NULL, v->type, v->at));
  for (size_t i = 0; i < v->parents.n; i++)
    used = used || c->constants[parent(v, i)->id];
  return used;
}

bool
hd_vc_order_axioms(condition *c, uint8_t *added, size_t *left_out)
{
  const hd_boogie_program *p = c->program->program;
  bool more = false;
  *left_out = 0;
  for (size_t i = 0; i < p->decls.n; i++)
  {
    const hd_boogie_var *v = p->decls.items[i].kind == HD_BOOGIE_DECL_VAR ? p->decls.items[i].var : NULL;
    if (!v || added[i] || !(v->extends || v->complete))
      continue;
    if (!c->all_axioms && !matters(c, v))
    {
      ++*left_out;
      continue;
    }
    added[i] = 1;
    more = true;
    if (v->extends)
      describe_parents(c, v);
    if (v->complete)
      describe_children(c, v);
  }
  return more;
}
