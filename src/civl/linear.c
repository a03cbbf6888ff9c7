/* linear.c: what is linear, and formulas about the permissions that variables hold (the note on CIVL, "Linear types").
 */
#include "civl/linear.h"

#include <string.h>

typedef struct qualifier
{
  const char *name;
  linear_kind kind;
} qualifier;

static qualifier
of_attributes(const hd_boogie_var *v)
{
  static const struct
  {
    const char *key;
    linear_kind kind;
  } keys[] = {{"linear", LINEAR}, {"linear_in", LINEAR_IN}, {"linear_out", LINEAR_OUT}};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
  {
    const char *name = hd_boogie_attr_text(v->attrs, keys[i].key);
    if (name)
      return (qualifier){name, keys[i].kind};
  }
  return (qualifier){NULL, LINEAR_NOT};
}

static qualifier
qualifier_of(const hd_civl *c, const hd_boogie_var *v)
{
  const qualifier *known = hd_civl_table_get(&c->linear->of_formal, v);
  qualifier q = known ? *known : of_attributes(v);
  if (q.name && v->kind == HD_BOOGIE_GLOBAL)
    q.kind = LINEAR;
  return q;
}

const char *
hd_civl_linear_name(const hd_civl *c, const hd_boogie_var *v)
{
  return qualifier_of(c, v).name;
}

linear_kind
hd_civl_linear_kind(const hd_civl *c, const hd_boogie_var *v)
{
  return qualifier_of(c, v).kind;
}

linear_domain *
hd_civl_linear_domain(const hd_civl *c, const hd_boogie_var *v)
{
  const char *name = hd_civl_linear_name(c, v);
  for (size_t i = 0; name && i < c->linear->domains.n; i++)
    if (strcmp(c->linear->domains.items[i]->name, name) == 0)
      return c->linear->domains.items[i];
  return NULL;
}

void
hd_civl_linear_formals(hd_civl *c, const hd_boogie_impl *impl)
{
  const hd_boogie_vars *of_impl[] = {&impl->ins, &impl->outs}, *of_proc[] = {&impl->proc->ins, &impl->proc->outs};
  for (size_t k = 0; k < 2; k++)
    for (size_t i = 0; i < of_impl[k]->n; i++)
    {
      qualifier q = of_attributes(of_proc[k]->items[i]);
      if (!q.name)
        continue;
      qualifier *kept = hd_boogie_alloc(c->program, sizeof *kept);
      *kept = q;
      if (k == 1)
        kept->kind = LINEAR;
      hd_civl_table_set(c->program, &c->linear->of_formal, of_impl[k]->items[i], kept);
    }
}

bool
hd_civl_is_action_code(const hd_civl *c, const hd_boogie_proc *proc)
{
  return hd_civl_table_get(&c->linear->action_procs, proc) != NULL;
}

const hd_boogie_vars *
hd_civl_available(const hd_civl *c, const void *cmd_or_block)
{
  static const hd_boogie_vars none = {0};
  const hd_boogie_vars *vars = hd_civl_table_get(&c->linear->available, cmd_or_block);
  return vars ? vars : &none;
}

/* ---- formulas ---- */

bool
hd_civl_is_true(const hd_boogie_expr *e)
{
  return e->kind == HD_BOOGIE_LIT_BOOL && e->u.truth;
}

hd_boogie_expr *
hd_civl_collect(const hd_civl *c, const linear_domain *d, hd_boogie_var *v)
{
  for (size_t i = 0; i < d->collectors.n; i++)
    if (hd_boogie_type_equal(d->collectors.items[i]->ins.items[0]->type, v->type))
    {
      hd_boogie_exprs args = {0};
      HD_BOOGIE_ADD(c->program, args, hd_boogie_use(c->program, v));
      return hd_boogie_apply(c->program, d->collectors.items[i], &args);
    }
  HD_CHECK(!"a linear variable without a collector passed the check");
  return NULL;
}

hd_boogie_expr *
hd_civl_permissions(const hd_civl *c, const linear_domain *d, const hd_boogie_vars *vars)
{
  hd_boogie_expr *all = hd_civl_linear_apply(c, d, MAP_CONST_BOOL, hd_boogie_bool(c->program, false), NULL, NULL);
  for (size_t i = 0; i < vars->n; i++)
    if (hd_civl_linear_domain(c, vars->items[i]) == d)
      all = hd_civl_linear_apply(c, d, MAP_OR, hd_civl_collect(c, d, vars->items[i]), all, NULL);
  return all;
}

/* SET is contained in { e : partition[e] == number }. */
static hd_boogie_expr *
in_part(const hd_civl *c, const linear_domain *d, hd_boogie_expr *set, hd_boogie_var *partition, size_t number)
{
  hd_boogie_program *p = c->program;
  hd_boogie_expr *same = hd_civl_linear_apply(c, d, MAP_CONST_INT, hd_boogie_int(p, (int64_t) number), NULL, NULL);
  hd_boogie_expr *part = hd_civl_linear_apply(c, d, MAP_EQ, hd_boogie_use(p, partition), same, NULL);
  return hd_boogie_eq(p, hd_civl_linear_apply(c, d, MAP_IMP, set, part, NULL),
                      hd_civl_linear_apply(c, d, MAP_CONST_BOOL, hd_boogie_bool(p, true), NULL, NULL));
}

hd_boogie_expr *
hd_civl_disjoint(const hd_civl *c, const linear_domain *d, hd_boogie_var *hole, const hd_boogie_vars *vars)
{
  hd_boogie_program *p = c->program;
  size_t count = 0;
  for (size_t i = 0; i < vars->n; i++)
    count += hd_civl_linear_domain(c, vars->items[i]) == d;
  if (count == 0 || (!hole && count == 1))
    return hd_boogie_bool(p, true);

  hd_boogie_var *partition = hd_boogie_new_var(p, HD_BOOGIE_BOUND, (hd_boogie_place){.file = ""},
                                               hd_boogie_text(p, "partition_%s", d->name), d->multiset);
  hd_boogie_exprs parts = {0};
  size_t number = 0;
  if (hole)
    HD_BOOGIE_ADD(p, parts, in_part(c, d, hd_boogie_use(p, hole), partition, number++));
  for (size_t i = 0; i < vars->n; i++)
    if (hd_civl_linear_domain(c, vars->items[i]) == d)
      HD_BOOGIE_ADD(p, parts, in_part(c, d, hd_civl_collect(c, d, vars->items[i]), partition, number++));
  hd_boogie_vars bound = {0};
  HD_BOOGIE_ADD(p, bound, partition);
  return hd_boogie_quantify(p, HD_BOOGIE_EXISTS, &bound, NULL, hd_boogie_and(p, &parts));
}

hd_boogie_expr *
hd_civl_all_disjoint(const hd_civl *c, const hd_boogie_vars *vars)
{
  hd_boogie_exprs all = {0};
  for (size_t i = 0; i < c->linear->domains.n; i++)
  {
    hd_boogie_expr *e = hd_civl_disjoint(c, c->linear->domains.items[i], NULL, vars);
    if (!hd_civl_is_true(e))
      HD_BOOGIE_ADD(c->program, all, e);
  }
  return hd_boogie_and(c->program, &all);
}

/* ---- the phases ---- */

void
hd_civl_check_linear(hd_civl *c)
{
  c->linear = hd_boogie_alloc(c->program, sizeof *c->linear);
  for (size_t i = 0; i < c->actions.n; i++)
  {
    const action *a = c->actions.items[i];
    hd_civl_table_set(c->program, &c->linear->action_procs, a->proc, a->proc);
    for (size_t k = 0; k < c->action_layers.n; k++)
      if (a->copies[k])
        hd_civl_table_set(c->program, &c->linear->action_procs, a->copies[k]->proc, a->proc);
  }
  hd_civl_linear_look(c);
}
