/* resolve_expr.c: what the names in expressions and attributes mean. Guards of if and while are shared by two commands
 * and are resolved twice, as in the reference, so that their errors come twice, too. */
#include <string.h>

#include "boogie/typing.h"

void
hd_boogie_resolve_attrs(hd_boogie_resolver *r, hd_boogie_attr *attrs)
{
  for (hd_boogie_attr *a = attrs; a; a = a->next)
  {
    if ((!strcmp(a->key, "minimize") || !strcmp(a->key, "maximize")) && a->args.n != 1)
      hd_boogie_resolve_error(r, a->at, "attributes :minimize and :maximize accept only one argument");
    if (!strcmp(a->key, "verified_under") && a->args.n != 1)
      hd_boogie_resolve_error(r, a->at, "attribute :verified_under accepts only one argument");
    for (size_t i = 0; i < a->args.n; i++)
      if (a->args.items[i].expr)
        hd_boogie_resolve_expr(r, a->args.items[i].expr);
  }
}

static void
resolve_var(hd_boogie_resolver *r, hd_boogie_expr *e)
{
  if (e->u.id.var)
    return;
  const char *name = e->u.id.name;
  size_t n = strlen(name);
  hd_boogie_var *v = hd_boogie_table_get(r->locals, name, n);
  if (!v)
    v = hd_boogie_table_get(r->globals, name, n);
  e->u.id.var = v;
  if (!v)
    hd_boogie_resolve_error(r, e->at, "undeclared identifier: %s", name);
  else if (r->state == HD_BOOGIE_STATELESS && v->kind == HD_BOOGIE_GLOBAL)
    hd_boogie_resolve_error(r, e->at, "cannot refer to a global variable in this context: %s", name);
}

/* What may not be in a trigger. */
static void
check_in_trigger(hd_boogie_resolver *r, const hd_boogie_expr *e)
{
  switch (e->kind)
  {
  case HD_BOOGIE_EQ:
    hd_boogie_resolve_error(r, e->at, "equality is not allowed in triggers");
    break;
  case HD_BOOGIE_LT:
  case HD_BOOGIE_LE:
  case HD_BOOGIE_GT:
  case HD_BOOGIE_GE:
    hd_boogie_resolve_error(r, e->at, "arithmetic comparisons are not allowed in triggers");
    break;
  case HD_BOOGIE_NOT:
  case HD_BOOGIE_AND:
  case HD_BOOGIE_OR:
  case HD_BOOGIE_IMPLIES:
  case HD_BOOGIE_IFF:
    hd_boogie_resolve_error(r, e->at, "boolean operators are not allowed in triggers");
    break;
  default:
    break;
  }
}

/* (forall x :: (forall y :: e)) without triggers is one quantifier. */
static void
merge_quantifiers(hd_boogie_resolver *r, hd_boogie_expr *e)
{
  hd_boogie_binder *b = e->u.binder;
  while (!b->triggers && e->args.items[0]->kind == e->kind && !e->args.items[0]->u.binder->triggers)
  {
    const hd_boogie_expr *inner = e->args.items[0];
    const hd_boogie_binder *c = inner->u.binder;
    for (size_t i = 0; i < c->type_params.n; i++)
      HD_BOOGIE_ADD(r->program, b->type_params, c->type_params.items[i]);
    for (size_t i = 0; i < c->bound.n; i++)
      HD_BOOGIE_ADD(r->program, b->bound, c->bound.items[i]);
    hd_boogie_attr **end = &b->attrs;
    while (*end)
      end = &(*end)->next;
    *end = c->attrs;
    e->args.items[0] = inner->args.items[0];
  }
}

typedef struct mention
{
  const hd_boogie_var *var;
  bool found;
} mention;

static bool
look_for_var(void *context, hd_boogie_expr *e, bool in_old)
{
  mention *m = context;
  (void) in_old;
  m->found |= e->kind == HD_BOOGIE_VAR && e->u.id.var == m->var;
  return !m->found;
}

static void
resolve_triggers(hd_boogie_resolver *r, hd_boogie_binder *b)
{
  for (hd_boogie_trigger *t = b->triggers; t; t = t->next)
  {
    size_t before = r->errors;
    r->in_trigger = true;
    for (size_t i = 0; i < t->exprs.n; i++)
    {
      hd_boogie_expr *e = t->exprs.items[i];
      hd_boogie_resolve_expr(r, e);
      if (e->kind == HD_BOOGIE_VAR)
        hd_boogie_resolve_error(r, e->at, "a matching pattern must be more than just a variable by itself: %s",
                                e->u.id.name);
    }
    r->in_trigger = false;
    for (size_t i = 0; t->positive && r->errors == before && i < b->bound.n; i++)
    {
      mention m = {.var = b->bound.items[i]};
      for (size_t j = 0; j < t->exprs.n; j++)
        hd_boogie_walk_expr(t->exprs.items[j], look_for_var, &m);
      if (!m.found)
      {
        hd_boogie_resolve_error(r, t->at, "trigger must mention all quantified variables, but does not mention: %s",
                                m.var->name);
        before = r->errors; /* the others are looked for, too */
      }
    }
  }
}

static void
resolve_binder(hd_boogie_resolver *r, hd_boogie_expr *e)
{
  hd_boogie_binder *b = e->u.binder;
  if (e->kind != HD_BOOGIE_LAMBDA)
    merge_quantifiers(r, e);
  if (r->in_trigger)
    hd_boogie_resolve_error(r, e->at, "quantifiers are not allowed in triggers");
  size_t binders = r->binders.n, scope = hd_boogie_scope_open(r);
  bool in_trigger = r->in_trigger;
  hd_boogie_add_binders(r, &b->type_params);
  hd_boogie_types types = {0};
  for (size_t i = 0; i < b->bound.n; i++)
  {
    hd_boogie_var *v = b->bound.items[i];
    hd_boogie_scope_add(r, v);
    v->type = hd_boogie_resolve_type(r, v->type);
    HD_BOOGIE_ADD(r->program, types, v->type);
  }
  hd_boogie_resolve_attrs(r, b->attrs);
  resolve_triggers(r, b);
  r->in_trigger = in_trigger;
  hd_boogie_resolve_expr(r, e->args.items[0]);
  hd_boogie_scope_close(r, scope);
  hd_boogie_sort_type_params(r->program, &b->type_params, &types);
  r->binders.n = binders;
}

static void
resolve_let(hd_boogie_resolver *r, hd_boogie_expr *e)
{
  hd_boogie_binder *b = e->u.binder;
  size_t values = e->args.n - 1;
  if (b->bound.n != values)
    hd_boogie_resolve_error(r, e->at, "number of left-hand sides does not match number of right-hand sides");
  for (size_t i = 0; i < values; i++)
    hd_boogie_resolve_expr(r, e->args.items[i]);
  size_t scope = hd_boogie_scope_open(r);
  for (size_t i = 0; i < b->bound.n; i++)
    hd_boogie_scope_add(r, b->bound.items[i]);
  hd_boogie_resolve_attrs(r, b->attrs);
  hd_boogie_resolve_expr(r, e->args.items[values]);
  hd_boogie_scope_close(r, scope);
}

static void
resolve_code(hd_boogie_resolver *r, hd_boogie_expr *e)
{
  hd_boogie_binder *b = e->u.binder;
  size_t scope = hd_boogie_scope_open(r);
  hd_boogie_resolve_locals(r, &b->bound);
  hd_boogie_table *outside = r->blocks;
  hd_boogie_resolve_blocks(r, &b->blocks, NULL, r->state);
  r->blocks = outside;
  hd_boogie_scope_close(r, scope);
}

void
hd_boogie_resolve_expr(hd_boogie_resolver *r, hd_boogie_expr *e)
{
  switch (e->kind)
  {
  case HD_BOOGIE_VAR:
    resolve_var(r, e);
    return;
  case HD_BOOGIE_FORALL:
  case HD_BOOGIE_EXISTS:
  case HD_BOOGIE_LAMBDA:
    resolve_binder(r, e);
    return;
  case HD_BOOGIE_LET:
    resolve_let(r, e);
    return;
  case HD_BOOGIE_CODE:
    resolve_code(r, e);
    return;
  case HD_BOOGIE_BOUNDS:
    hd_boogie_resolve_error(r, e->at, "bitvector bounds in illegal position");
    return;
  case HD_BOOGIE_OLD:
    if (r->state != HD_BOOGIE_TWO)
      hd_boogie_resolve_error(r, e->at, "old expressions allowed only in two-state contexts");
    break;
  case HD_BOOGIE_APPLY:
    if (!e->u.call.function)
    {
      const hd_boogie_callable *c = hd_boogie_find_callable(r, e->u.call.name);
      e->u.call.function = c ? c->function : NULL;
      if (!e->u.call.function)
        hd_boogie_resolve_error(r, e->at, "use of undeclared function: %s", e->u.call.name);
    }
    break;
  case HD_BOOGIE_COERCE:
    e->u.coerced.type = hd_boogie_resolve_type(r, e->u.coerced.type);
    break;
  default:
    if (r->in_trigger)
      check_in_trigger(r, e);
    break;
  }
  for (size_t i = 0; i < e->args.n; i++)
    hd_boogie_resolve_expr(r, e->args.items[i]);
}
