/* linear_action.c: linearity checks: an action makes no permissions out of nothing.
 *
 * What goes out (linear and linear_out inputs, outputs, modified globals) is counted as a multiset; it must be
 * contained in what came in (linear and linear_in inputs, modified globals before). Variables that the action does not
 * change need no counting. */
#include "civl/movers.h"

static void
add_of_kind(const hd_civl *c, const hd_boogie_vars *vars, linear_kind a, linear_kind b, hd_boogie_vars *out)
{
  for (size_t i = 0; i < vars->n; i++)
  {
    linear_kind kind = hd_civl_linear_kind(c, vars->items[i]);
    if (kind == a || kind == b)
      HD_BOOGIE_ADD(c->program, *out, vars->items[i]);
  }
}

/* How often each permission of D is in VARS. */
static hd_boogie_expr *
count(const hd_civl *c, const linear_domain *d, const hd_boogie_vars *vars, bool before)
{
  hd_boogie_program *p = c->program;
  hd_boogie_expr *none = hd_civl_linear_apply(c, d, MAP_CONST_INT, hd_boogie_int(p, 0), NULL, NULL), *sum = NULL;
  hd_boogie_expr *once = hd_civl_linear_apply(c, d, MAP_CONST_INT, hd_boogie_int(p, 1), NULL, NULL);
  for (size_t i = 0; i < vars->n; i++)
  {
    if (hd_civl_linear_domain(c, vars->items[i]) != d)
      continue;
    hd_boogie_expr *set = hd_civl_collect(c, d, vars->items[i]);
    hd_boogie_expr *term = hd_civl_linear_apply(c, d, MAP_ITE, before ? hd_boogie_old(p, set) : set, once, none);
    sum = sum ? hd_civl_linear_apply(c, d, MAP_ADD, sum, term, NULL) : term;
  }
  return sum ? sum : none;
}

static void
check_action(hd_civl *c, const action_copy *a)
{
  hd_boogie_program *p = c->program;
  const hd_boogie_impl *impl = a->impl;
  hd_boogie_vars in = {0}, out = {0};
  add_of_kind(c, &impl->ins, LINEAR, LINEAR_OUT, &out);
  add_of_kind(c, &impl->outs, LINEAR, LINEAR_OUT, &out);
  add_of_kind(c, &a->modified.list, LINEAR, LINEAR_OUT, &out);
  if (out.n == 0)
    return;
  add_of_kind(c, &impl->ins, LINEAR, LINEAR_IN, &in);
  add_of_kind(c, &a->modified.list, LINEAR, LINEAR_IN, &in);

  checker k = hd_civl_checker_new(c, hd_boogie_text(p, "LinearityChecker_%s", a->proc->name), "entry", hd_civl_nowhere);
  hd_civl_checker_params(&k, &impl->ins, &impl->outs);
  k.proc->modifies = a->proc->modifies;
  hd_civl_checker_requires_gate(&k, &a->gate);
  HD_BOOGIE_LIST(const linear_domain *) done = {0};
  for (size_t i = 0; i < out.n; i++)
  {
    const linear_domain *d = hd_civl_linear_domain(c, out.items[i]);
    bool again = false;
    for (size_t n = 0; n < done.n; n++)
      again |= done.items[n] == d;
    if (again)
      continue;
    HD_BOOGIE_ADD(p, done, d);
    hd_boogie_expr *fits = hd_civl_linear_apply(c, d, MAP_LE, count(c, d, &out, false), count(c, d, &in, true), NULL);
    hd_boogie_expr *all = hd_civl_linear_apply(c, d, MAP_CONST_BOOL, hd_boogie_bool(p, true), NULL, NULL);
    hd_civl_checker_ensures(
        &k, a->proc->at, hd_boogie_eq(p, fits, all),
        hd_boogie_text(p, "Linearity invariant for domain %s is not preserved by %s.", d->name, a->proc->name));
  }
  hd_civl_checker_call(&k, a, &impl->ins, &impl->outs);
  hd_civl_checker_done(&k, HD_CIVL_LINEARITY, a, done.items[0]->name);
}

void
hd_civl_make_linearity(hd_civl *c)
{
  for (size_t i = 0; i < c->actions.n; i++)
    for (size_t k = 0; k < c->action_layers.n; k++)
      if (c->actions.items[i]->copies[k])
        check_action(c, c->actions.items[i]->copies[k]);
}
