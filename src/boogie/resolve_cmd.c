/* resolve_cmd.c: what the names in commands and blocks mean. */
#include <string.h>

#include "boogie/typing.h"

/* {:id "name"} may be given once. */
static void
add_statement_id(hd_boogie_resolver *r, const hd_boogie_cmd *c)
{
  const char *id = hd_boogie_attr_text(c->attrs, "id");
  if (!id)
    return;
  if (hd_boogie_table_get(r->ids, id, strlen(id)))
    hd_boogie_resolve_error(r, c->at, "more than one statement with same id: %s", id);
  else
    hd_boogie_table_set(r->ids, id, strlen(id), (void *) id);
}

hd_boogie_var *
hd_boogie_target_var(const hd_boogie_expr *target)
{
  while (target->kind == HD_BOOGIE_SELECT)
    target = target->args.items[0];
  return target->u.id.var;
}

/* An assumption variable may only be made stronger, and only once. */
static void
check_assumption(hd_boogie_resolver *r, const hd_boogie_cmd *c, const hd_boogie_expr *target,
                 const hd_boogie_expr *value)
{
  hd_boogie_var *v = target->kind == HD_BOOGIE_VAR ? target->u.id.var : NULL;
  if (!v || !hd_boogie_attr_flag(v->attrs, "assumption"))
    return;
  const hd_boogie_expr *first = value->kind == HD_BOOGIE_AND ? value->args.items[0] : NULL;
  if (!first || first->kind != HD_BOOGIE_VAR || strcmp(first->u.id.name, v->name) != 0)
    hd_boogie_resolve_error(r, c->at,
                            "RHS of assignment to assumption variable %s must match expression \"%s && <boolean "
                            "expression>\"",
                            v->name, v->name);
  else
  {
    for (size_t i = 0; i < r->assumed.n; i++)
      if (r->assumed.items[i] == v)
      {
        hd_boogie_resolve_error(r, c->at, "assumption variable may not be assigned to more than once");
        return;
      }
    HD_BOOGIE_ADD(r->program, r->assumed, v);
  }
}

static void
resolve_assign(hd_boogie_resolver *r, hd_boogie_cmd *c)
{
  size_t n = c->targets.n;
  if (n != c->values.n)
    hd_boogie_resolve_error(r, c->at, "number of left-hand sides does not match number of right-hand sides");
  for (size_t i = 0; i < n; i++)
    hd_boogie_resolve_expr(r, c->targets.items[i]);
  for (size_t i = 0; i < c->values.n; i++)
    hd_boogie_resolve_expr(r, c->values.items[i]);
  for (size_t i = 0; i < n; i++)
    for (size_t j = i + 1; j < n; j++)
    {
      const hd_boogie_var *v = hd_boogie_target_var(c->targets.items[i]);
      if (v && v == hd_boogie_target_var(c->targets.items[j]))
        hd_boogie_resolve_error(r, c->targets.items[j]->at,
                                "variable %s is assigned more than once in parallel assignment", v->name);
    }
  for (size_t i = 0; i < n && i < c->values.n; i++)
    check_assumption(r, c, c->targets.items[i], c->values.items[i]);
}

static void
resolve_call(hd_boogie_resolver *r, hd_boogie_cmd *c)
{
  hd_boogie_resolve_attrs(r, c->attrs);
  const hd_boogie_callable *callee = hd_boogie_find_callable(r, c->name);
  c->proc = callee ? callee->proc : NULL;
  if (!c->proc)
    hd_boogie_resolve_error(r, c->at, "call to undeclared procedure: %s", c->name);
  for (size_t i = 0; i < c->values.n; i++)
    hd_boogie_resolve_expr(r, c->values.items[i]);
  for (size_t i = 0; i < c->targets.n; i++)
  {
    hd_boogie_resolve_expr(r, c->targets.items[i]);
    const hd_boogie_var *v = c->targets.items[i]->u.id.var;
    for (size_t j = 0; v && j < i; j++)
      if (c->targets.items[j]->u.id.var == v)
      {
        hd_boogie_resolve_error(r, c->at, "left-hand side of call command contains variable twice: %s", v->name);
        break;
      }
  }
  const hd_boogie_proc *proc = c->proc;
  if (!proc)
    return;
  if (c->values.n != proc->ins.n)
    hd_boogie_resolve_error(r, c->at, "wrong number of arguments in call to %s: %zu", c->name, c->values.n);
  else if (c->targets.n != proc->outs.n)
    hd_boogie_resolve_error(r, c->at, "wrong number of result variables in call to %s: %zu", c->name, c->targets.n);
  else if (c->is_async && proc->outs.n)
    hd_boogie_resolve_error(r, c->at, "a procedure called asynchronously cannot have output parameters");
  else
    add_statement_id(r, c);
}

static void
resolve_par(hd_boogie_resolver *r, hd_boogie_cmd *c)
{
  hd_boogie_vars seen = {0};
  hd_boogie_resolve_attrs(r, c->attrs);
  for (size_t i = 0; i < c->calls.n; i++)
    resolve_call(r, c->calls.items[i]);
  for (size_t i = 0; i < c->calls.n; i++)
    for (size_t j = 0; j < c->calls.items[i]->targets.n; j++)
    {
      const hd_boogie_expr *e = c->calls.items[i]->targets.items[j];
      bool twice = false;
      for (size_t k = 0; k < seen.n; k++)
        twice |= seen.items[k] == e->u.id.var;
      if (twice)
        hd_boogie_resolve_error(r, c->at, "left-hand side of parallel call command contains variable twice: %s",
                                e->u.id.name);
      else
        HD_BOOGIE_ADD(r->program, seen, e->u.id.var);
    }
}

static void
resolve_cmd(hd_boogie_resolver *r, hd_boogie_cmd *c)
{
  switch (c->kind)
  {
  case HD_BOOGIE_ASSERT:
  case HD_BOOGIE_ASSUME:
    hd_boogie_resolve_attrs(r, c->attrs);
    hd_boogie_resolve_expr(r, c->expr);
    add_statement_id(r, c);
    break;
  case HD_BOOGIE_HAVOC:
    for (size_t i = 0; i < c->targets.n; i++)
      hd_boogie_resolve_expr(r, c->targets.items[i]);
    break;
  case HD_BOOGIE_ASSIGN:
    resolve_assign(r, c);
    break;
  case HD_BOOGIE_CALL:
    resolve_call(r, c);
    break;
  case HD_BOOGIE_PAR:
    resolve_par(r, c);
    break;
  case HD_BOOGIE_YIELD:
    break;
  }
}

static void
resolve_transfer(hd_boogie_resolver *r, hd_boogie_transfer *t)
{
  t->targets.n = 0;
  for (size_t i = 0; i < t->labels.n; i++)
  {
    hd_boogie_block *b = hd_boogie_table_get(r->blocks, t->labels.items[i], strlen(t->labels.items[i]));
    if (b)
      HD_BOOGIE_ADD(r->program, t->targets, b);
    else
      hd_boogie_resolve_error(r, t->at, "goto to unknown block: %s", t->labels.items[i]);
  }
  if (t->kind == HD_BOOGIE_RETURN_EXPR && t->expr)
    hd_boogie_resolve_expr(r, t->expr);
}

void
hd_boogie_resolve_blocks(hd_boogie_resolver *r, const hd_boogie_blocks *blocks, hd_boogie_attr *attrs,
                         hd_boogie_state state)
{
  r->blocks = hd_boogie_table_new();
  for (size_t i = 0; i < blocks->n; i++)
  {
    hd_boogie_block *b = blocks->items[i];
    size_t n = strlen(b->label);
    if (hd_boogie_table_get(r->blocks, b->label, n))
      hd_boogie_resolve_error(r, b->at, "more than one declaration of block name: %s", b->label);
    else
      hd_boogie_table_set(r->blocks, b->label, n, b);
  }
  hd_boogie_resolve_attrs(r, attrs);
  hd_boogie_state outside = r->state;
  r->state = state;
  for (size_t i = 0; i < blocks->n; i++)
  {
    hd_boogie_block *b = blocks->items[i];
    for (size_t j = 0; j < b->cmds.n; j++)
      resolve_cmd(r, b->cmds.items[j]);
    resolve_transfer(r, &b->transfer);
  }
  r->state = outside;
  hd_boogie_table_free(r->blocks);
  r->blocks = NULL;
}
