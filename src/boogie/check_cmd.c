/* check_cmd.c: the types of commands, and what they may assign. */
#include "boogie/checker.h"

static bool mutable(const hd_boogie_var *v)
{
  return v->kind == HD_BOOGIE_GLOBAL || v->kind == HD_BOOGIE_LOCAL || v->kind == HD_BOOGIE_OUT;
}

static bool
in_frame(const hd_boogie_checker *c, const hd_boogie_var *v)
{
  for (size_t i = 0; c->frame && i < c->frame->modifies.n; i++)
    if (c->frame->modifies.items[i]->u.id.var == v)
      return true;
  return false;
}

static void
check_assigned(hd_boogie_checker *c, const hd_boogie_cmd *cmd)
{
  hd_boogie_vars vars = {0};
  hd_boogie_cmd_modifies(c->program, cmd, &vars);
  for (size_t i = 0; i < vars.n; i++)
  {
    const hd_boogie_var *v = vars.items[i];
    if (!mutable(v))
      hd_boogie_check_error(c, cmd->at, "command assigns to an immutable variable: %s", v->name);
    else if (!c->options->infer_modifies && v->kind == HD_BOOGIE_GLOBAL && !c->yields && !in_frame(c, v))
    {
      hd_boogie_check_error(c, cmd->at,
                            "command assigns to a global variable that is not in the enclosing procedure's modifies "
                            "clause: %s",
                            v->name);
      if (c->frame)
        hd_boogie_note_add(c->messages, c->frame->at, "%s needs: modifies %s; or use --infer-modifies", c->frame->name,
                           v->name);
    }
  }
}

/* A variable, or a map at some indices. */
static void
check_target(hd_boogie_checker *c, hd_boogie_expr *e)
{
  if (e->kind != HD_BOOGIE_SELECT)
  {
    hd_boogie_check_expr(c, e);
    return;
  }
  check_target(c, e->args.items[0]);
  for (size_t i = 1; i < e->args.n; i++)
    hd_boogie_check_expr(c, e->args.items[i]);
  e->type = hd_boogie_check_select(c, e, e->args.n - 1, "map assignment");
  if (!e->type)
    e->type = hd_boogie_unknown(c, "type_checking_error");
}

static void
check_assign(hd_boogie_checker *c, hd_boogie_cmd *cmd)
{
  for (size_t i = 0; i < cmd->targets.n; i++)
    check_target(c, cmd->targets.items[i]);
  for (size_t i = 0; i < cmd->values.n; i++)
    hd_boogie_check_expr(c, cmd->values.items[i]);
  check_assigned(c, cmd);
  for (size_t i = 0; i < cmd->targets.n; i++)
  {
    hd_boogie_type *left = cmd->targets.items[i]->type, *right = cmd->values.items[i]->type;
    if (!hd_boogie_unify(c, left, right))
      hd_boogie_check_error(c, cmd->targets.items[i]->at,
                            "mismatched types in assignment command (cannot assign %s to %s)",
                            hd_boogie_show_type(c, right), hd_boogie_show_type(c, left));
  }
}

static bool
yields(const hd_boogie_proc *proc)
{
  return hd_boogie_attr_flag(proc->attrs, "yields");
}

static void
check_call(hd_boogie_checker *c, hd_boogie_cmd *cmd)
{
  const hd_boogie_proc *proc = cmd->proc;
  hd_boogie_check_attrs(c, cmd->attrs);
  for (size_t i = 0; i < cmd->values.n; i++)
    hd_boogie_check_expr(c, cmd->values.items[i]);
  for (size_t i = 0; i < cmd->targets.n; i++)
    hd_boogie_check_expr(c, cmd->targets.items[i]);
  check_assigned(c, cmd);
  cmd->type_args.n = 0;
  for (size_t i = 0; i < proc->type_params.n; i++)
    HD_BOOGIE_ADD(c->program, cmd->type_args, hd_boogie_unknown(c, proc->type_params.items[i]->name));
  for (size_t i = 0; i < cmd->values.n; i++)
  {
    hd_boogie_type *formal = proc->ins.items[i]->type, *actual = cmd->values.items[i]->type;
    hd_boogie_type *t = hd_boogie_type_substitute(c->program, formal, &proc->type_params, &cmd->type_args);
    if (!hd_boogie_unify(c, t, actual))
      hd_boogie_check_error(c, cmd->values.items[i]->at,
                            "invalid type for argument %zu in call to %s: %s (expected: %s)", i, cmd->name,
                            hd_boogie_show_type(c, actual), hd_boogie_show_type(c, formal));
  }
  for (size_t i = 0; i < cmd->targets.n; i++)
  {
    hd_boogie_type *actual = cmd->targets.items[i]->type;
    hd_boogie_type *t
        = hd_boogie_type_substitute(c->program, proc->outs.items[i]->type, &proc->type_params, &cmd->type_args);
    if (!hd_boogie_unify(c, t, actual))
      hd_boogie_check_error(c, cmd->targets.items[i]->at,
                            "invalid type for out-parameter %zu in call to %s: %s (expected: %s)", i, cmd->name,
                            hd_boogie_show_type(c, actual), hd_boogie_show_type(c, t));
  }
  if (!c->options->infer_modifies && cmd->is_async && !yields(proc))
    hd_boogie_check_error(c, cmd->at, "target procedure of an async call must yield");
}

static void
check_par(hd_boogie_checker *c, hd_boogie_cmd *cmd)
{
  hd_boogie_check_attrs(c, cmd->attrs);
  if (!c->options->infer_modifies)
  {
    if (!c->yields)
      hd_boogie_check_error(c, cmd->at, "enclosing procedure of a parallel call must yield");
    for (size_t i = 0; i < cmd->calls.n; i++)
      if (!yields(cmd->calls.items[i]->proc))
        hd_boogie_check_error(c, cmd->calls.items[i]->at, "target procedure of a parallel call must yield");
  }
  for (size_t i = 0; i < cmd->calls.n; i++)
    check_call(c, cmd->calls.items[i]);
}

void
hd_boogie_check_cmd(hd_boogie_checker *c, hd_boogie_cmd *cmd)
{
  switch (cmd->kind)
  {
  case HD_BOOGIE_ASSERT:
  case HD_BOOGIE_ASSUME:
    hd_boogie_check_attrs(c, cmd->attrs);
    hd_boogie_check_expr(c, cmd->expr);
    if (!hd_boogie_unify(c, cmd->expr->type, c->program->bool_type))
      hd_boogie_check_error(c, cmd->at, "an %s expression must be of type bool (got: %s)",
                            cmd->kind == HD_BOOGIE_ASSERT ? "asserted" : "assumed",
                            hd_boogie_show_type(c, cmd->expr->type));
    break;
  case HD_BOOGIE_HAVOC:
    for (size_t i = 0; i < cmd->targets.n; i++)
      hd_boogie_check_expr(c, cmd->targets.items[i]);
    check_assigned(c, cmd);
    break;
  case HD_BOOGIE_ASSIGN:
    check_assign(c, cmd);
    break;
  case HD_BOOGIE_CALL:
    check_call(c, cmd);
    break;
  case HD_BOOGIE_PAR:
    check_par(c, cmd);
    break;
  case HD_BOOGIE_YIELD:
    if (!c->options->infer_modifies && !c->yields)
      hd_boogie_check_error(c, cmd->at, "enclosing procedure of a yield command must yield");
    break;
  }
}

void
hd_boogie_check_blocks(hd_boogie_checker *c, const hd_boogie_blocks *blocks)
{
  for (size_t i = 0; i < blocks->n; i++)
  {
    hd_boogie_block *b = blocks->items[i];
    for (size_t j = 0; j < b->cmds.n; j++)
      hd_boogie_check_cmd(c, b->cmds.items[j]);
    hd_boogie_expr *e = b->transfer.expr;
    if (!e)
      continue;
    hd_boogie_check_expr(c, e);
    if (!hd_boogie_unify(c, e->type, c->program->bool_type))
      hd_boogie_check_error(c, b->transfer.at, "a return expression must be of type bool (got: %s)",
                            hd_boogie_show_type(c, e->type));
  }
}
