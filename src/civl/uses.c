/* uses.c: where variables occur, in the order in which the checks of layers speak about them: of a quantifier the body
 * before the triggers, of an assignment each target before its value, of a call the inputs before the outputs. */
#include "civl/layers.h"

static void uses_of_blocks(hd_boogie_program *p, hd_boogie_exprs *out, const hd_boogie_blocks *blocks);

/* The last one first. */
static void
uses_of_triggers(hd_boogie_program *p, hd_boogie_exprs *out, const hd_boogie_trigger *first)
{
  HD_BOOGIE_LIST(const hd_boogie_trigger *) all = {0};
  for (const hd_boogie_trigger *t = first; t; t = t->next)
    HD_BOOGIE_ADD(p, all, t);
  while (all.n)
  {
    const hd_boogie_trigger *t = all.items[--all.n];
    for (size_t i = 0; i < t->exprs.n; i++)
      hd_civl_uses_of_expr(p, out, t->exprs.items[i]);
  }
}

void
hd_civl_uses_of_expr(hd_boogie_program *p, hd_boogie_exprs *out, hd_boogie_expr *e)
{
  if (e->kind == HD_BOOGIE_VAR)
    HD_BOOGIE_ADD(p, *out, e);
  if (e->kind == HD_BOOGIE_LET)
    hd_civl_uses_of_expr(p, out, e->args.items[e->args.n - 1]);
  for (size_t i = 0; i < e->args.n - (e->kind == HD_BOOGIE_LET); i++)
    hd_civl_uses_of_expr(p, out, e->args.items[i]);
  if (e->kind == HD_BOOGIE_FORALL || e->kind == HD_BOOGIE_EXISTS)
    uses_of_triggers(p, out, e->u.binder->triggers);
  if (e->kind == HD_BOOGIE_CODE)
    uses_of_blocks(p, out, &e->u.binder->blocks);
}

void
hd_civl_uses_of_cmd(hd_boogie_program *p, hd_boogie_exprs *out, const hd_boogie_cmd *c)
{
  if (c->expr)
    hd_civl_uses_of_expr(p, out, c->expr);
  if (c->kind == HD_BOOGIE_ASSIGN)
    for (size_t i = 0; i < c->targets.n; i++)
    {
      hd_civl_uses_of_expr(p, out, c->targets.items[i]);
      hd_civl_uses_of_expr(p, out, c->values.items[i]);
    }
  else
  {
    for (size_t i = 0; i < c->values.n; i++)
      hd_civl_uses_of_expr(p, out, c->values.items[i]);
    for (size_t i = 0; i < c->targets.n; i++)
      hd_civl_uses_of_expr(p, out, c->targets.items[i]);
  }
  for (size_t i = 0; i < c->calls.n; i++)
    hd_civl_uses_of_cmd(p, out, c->calls.items[i]);
}

static void
uses_of_blocks(hd_boogie_program *p, hd_boogie_exprs *out, const hd_boogie_blocks *blocks)
{
  for (size_t i = 0; i < blocks->n; i++)
  {
    const hd_boogie_block *b = blocks->items[i];
    for (size_t j = 0; j < b->cmds.n; j++)
      hd_civl_uses_of_cmd(p, out, b->cmds.items[j]);
    if (b->transfer.expr)
      hd_civl_uses_of_expr(p, out, b->transfer.expr);
  }
}

static void
keep_globals(hd_boogie_program *p, var_set *s, const hd_boogie_exprs *uses)
{
  for (size_t i = 0; i < uses->n; i++)
    if (uses->items[i]->u.id.var->kind == HD_BOOGIE_GLOBAL)
      hd_civl_set_add(p, s, uses->items[i]->u.id.var);
}

void
hd_civl_globals_of_expr(hd_boogie_program *p, var_set *s, hd_boogie_expr *e)
{
  hd_boogie_exprs uses = {0};
  hd_civl_uses_of_expr(p, &uses, e);
  keep_globals(p, s, &uses);
}

void
hd_civl_globals_of_blocks(hd_boogie_program *p, var_set *s, const hd_boogie_blocks *blocks)
{
  hd_boogie_exprs uses = {0};
  uses_of_blocks(p, &uses, blocks);
  keep_globals(p, s, &uses);
}
