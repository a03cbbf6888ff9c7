/* walk.c: visiting all expressions of something, and what commands change. */
#include "boogie/boogie.h"

static void walk_blocks(const hd_boogie_blocks *blocks, hd_boogie_expr_visitor *visit, void *context, bool in_old);

static void
walk(hd_boogie_expr *e, hd_boogie_expr_visitor *visit, void *context, bool in_old)
{
  if (!visit(context, e, in_old))
    return;
  bool inside = in_old || e->kind == HD_BOOGIE_OLD;
  switch (e->kind)
  {
  case HD_BOOGIE_FORALL:
  case HD_BOOGIE_EXISTS:
  case HD_BOOGIE_LAMBDA:
    for (hd_boogie_trigger *t = e->u.binder->triggers; t; t = t->next)
      for (size_t i = 0; i < t->exprs.n; i++)
        walk(t->exprs.items[i], visit, context, inside);
    break;
  case HD_BOOGIE_CODE:
    walk_blocks(&e->u.binder->blocks, visit, context, inside);
    break;
  default:
    break;
  }
  for (size_t i = 0; i < e->args.n; i++)
    walk(e->args.items[i], visit, context, inside);
}

static void
walk_all(const hd_boogie_exprs *list, hd_boogie_expr_visitor *visit, void *context, bool in_old)
{
  for (size_t i = 0; i < list->n; i++)
    walk(list->items[i], visit, context, in_old);
}

static void
walk_cmd(const hd_boogie_cmd *c, hd_boogie_expr_visitor *visit, void *context, bool in_old)
{
  if (c->expr)
    walk(c->expr, visit, context, in_old);
  walk_all(&c->targets, visit, context, in_old);
  walk_all(&c->values, visit, context, in_old);
  for (size_t i = 0; i < c->calls.n; i++)
    walk_cmd(c->calls.items[i], visit, context, in_old);
}

static void
walk_blocks(const hd_boogie_blocks *blocks, hd_boogie_expr_visitor *visit, void *context, bool in_old)
{
  for (size_t i = 0; i < blocks->n; i++)
  {
    const hd_boogie_block *b = blocks->items[i];
    for (size_t j = 0; j < b->cmds.n; j++)
      walk_cmd(b->cmds.items[j], visit, context, in_old);
    if (b->transfer.expr)
      walk(b->transfer.expr, visit, context, in_old);
  }
}

void
hd_boogie_walk_expr(hd_boogie_expr *e, hd_boogie_expr_visitor *visit, void *context)
{
  walk(e, visit, context, false);
}

void
hd_boogie_walk_cmd(hd_boogie_cmd *c, hd_boogie_expr_visitor *visit, void *context)
{
  walk_cmd(c, visit, context, false);
}

void
hd_boogie_walk_blocks(const hd_boogie_blocks *blocks, hd_boogie_expr_visitor *visit, void *context)
{
  walk_blocks(blocks, visit, context, false);
}

static bool
look_for_old(void *context, hd_boogie_expr *e, bool in_old)
{
  bool *found = context;
  (void) in_old;
  *found |= e->kind == HD_BOOGIE_OLD;
  return !*found;
}

bool
hd_boogie_has_old(const hd_boogie_expr *e)
{
  bool found = false;
  walk((hd_boogie_expr *) e, look_for_old, &found, false); /* the visitor changes nothing */
  return found;
}

void
hd_boogie_cmd_modifies(hd_boogie_program *p, const hd_boogie_cmd *c, hd_boogie_vars *out)
{
  for (size_t i = 0; i < c->calls.n; i++)
    hd_boogie_cmd_modifies(p, c->calls.items[i], out);
  if (c->kind == HD_BOOGIE_CALL && c->is_async)
    return;
  for (size_t i = 0; i < c->targets.n; i++)
    HD_BOOGIE_ADD(p, *out, hd_boogie_target_var(c->targets.items[i]));
  for (size_t i = 0; c->proc && i < c->proc->modifies.n; i++)
    HD_BOOGIE_ADD(p, *out, c->proc->modifies.items[i]->u.id.var);
}
