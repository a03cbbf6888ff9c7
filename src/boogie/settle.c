/* settle.c: when all types are checked, what was inferred is written into the program: no expression keeps an unknown
 * type or a synonym at its top, and type arguments are complete. A type argument that nothing determines becomes int,
 * with a warning. */
#include "boogie/checker.h"

static void
settle_args(hd_boogie_checker *c, hd_boogie_place at, const hd_boogie_types *params, hd_boogie_types *args)
{
  for (size_t i = 0; i < args->n; i++)
  {
    bool ambiguous = false;
    args->items[i] = hd_boogie_settle_type(c, args->items[i], &ambiguous);
    if (ambiguous)
      hd_boogie_message_add(c->messages, HD_BOOGIE_PHASE_CHECK, false, at,
                            "type parameter %s is ambiguous, instantiating to %s",
                            i < params->n ? params->items[i]->name : "?", hd_boogie_show_type(c, args->items[i]));
  }
}

static void settle_attrs(hd_boogie_checker *c, hd_boogie_attr *attrs);

static bool
settle_expr(void *context, hd_boogie_expr *e, bool in_old)
{
  hd_boogie_checker *c = context;
  (void) in_old;
  switch (e->kind)
  {
  case HD_BOOGIE_APPLY:
    settle_args(c, e->at, &e->u.call.function->type_params, &e->u.call.type_args);
    break;
  case HD_BOOGIE_SELECT:
  case HD_BOOGIE_STORE:
  {
    const hd_boogie_type *map = e->args.items[0]->type ? hd_boogie_expand(e->args.items[0]->type) : NULL;
    if (map)
      settle_args(c, e->at, &map->params, &e->u.call.type_args);
    break;
  }
  case HD_BOOGIE_LET:
    for (size_t i = 0; i < e->u.binder->bound.n; i++)
      if (e->u.binder->bound.items[i]->type)
        e->u.binder->bound.items[i]->type = hd_boogie_settle_type(c, e->u.binder->bound.items[i]->type, NULL);
    break;
  case HD_BOOGIE_FORALL:
  case HD_BOOGIE_EXISTS:
  case HD_BOOGIE_LAMBDA:
    settle_attrs(c, e->u.binder->attrs);
    break;
  default:
    break;
  }
  if (e->type)
    e->type = hd_boogie_settle_type(c, e->type, NULL);
  return true;
}

static void
settle_attrs(hd_boogie_checker *c, hd_boogie_attr *attrs)
{
  for (hd_boogie_attr *a = attrs; a; a = a->next)
    for (size_t i = 0; i < a->args.n; i++)
      if (a->args.items[i].expr)
        hd_boogie_walk_expr(a->args.items[i].expr, settle_expr, c);
}

static void
settle_vars(hd_boogie_checker *c, const hd_boogie_vars *vars)
{
  for (size_t i = 0; i < vars->n; i++)
  {
    settle_attrs(c, vars->items[i]->attrs);
    if (vars->items[i]->where)
      hd_boogie_walk_expr(vars->items[i]->where, settle_expr, c);
  }
}

static void
settle_cmd(hd_boogie_checker *c, hd_boogie_cmd *cmd)
{
  settle_attrs(c, cmd->attrs);
  hd_boogie_walk_cmd(cmd, settle_expr, c);
  if (cmd->proc)
    settle_args(c, cmd->at, &cmd->proc->type_params, &cmd->type_args);
  for (size_t i = 0; i < cmd->calls.n; i++)
    settle_args(c, cmd->at, &cmd->calls.items[i]->proc->type_params, &cmd->calls.items[i]->type_args);
}

static void
settle_specs(hd_boogie_checker *c, const hd_boogie_specs *specs)
{
  for (size_t i = 0; i < specs->n; i++)
    hd_boogie_walk_expr(specs->items[i]->expr, settle_expr, c);
}

static void
settle_impl(hd_boogie_checker *c, hd_boogie_impl *impl)
{
  settle_attrs(c, impl->attrs);
  settle_vars(c, &impl->locals);
  for (size_t i = 0; i < impl->blocks.n; i++)
    for (size_t j = 0; j < impl->blocks.items[i]->cmds.n; j++)
      settle_cmd(c, impl->blocks.items[i]->cmds.items[j]);
}

void
hd_boogie_settle(hd_boogie_checker *c)
{
  for (size_t i = 0; i < c->program->decls.n; i++)
  {
    const hd_boogie_decl *d = &c->program->decls.items[i];
    switch (d->kind)
    {
    case HD_BOOGIE_DECL_TYPE:
      settle_attrs(c, d->type->attrs);
      break;
    case HD_BOOGIE_DECL_VAR:
    {
      hd_boogie_var *v = d->var;
      hd_boogie_vars one = {.items = &v, .n = 1, .cap = 1};
      settle_vars(c, &one);
      for (size_t j = 0; j < v->parents.n; j++)
        hd_boogie_walk_expr(v->parents.items[j].parent, settle_expr, c);
      break;
    }
    case HD_BOOGIE_DECL_FUNCTION:
      settle_attrs(c, d->function->attrs);
      if (d->function->body)
        hd_boogie_walk_expr(d->function->body, settle_expr, c);
      break;
    case HD_BOOGIE_DECL_AXIOM:
      settle_attrs(c, d->axiom->attrs);
      hd_boogie_walk_expr(d->axiom->expr, settle_expr, c);
      break;
    case HD_BOOGIE_DECL_PROC:
      settle_attrs(c, d->proc->attrs);
      settle_vars(c, &d->proc->ins);
      settle_vars(c, &d->proc->outs);
      settle_specs(c, &d->proc->requires);
      settle_specs(c, &d->proc->ensures);
      for (size_t j = 0; j < d->proc->modifies.n; j++)
        hd_boogie_walk_expr(d->proc->modifies.items[j], settle_expr, c);
      break;
    case HD_BOOGIE_DECL_IMPL:
      settle_impl(c, d->impl);
      break;
    }
  }
}
