/* movers_checker.c: procedures with a contract and one block, as all checks of actions are.
 *
 * A procedure and its implementation have formals of their own, so each expression is rewritten for the place where it
 * goes. */
#include "civl/movers.h"

const hd_boogie_place hd_civl_nowhere = {.file = ""};

checker
hd_civl_checker_new(hd_civl *c, const char *name, const char *label, hd_boogie_place at)
{
  hd_boogie_program *p = c->program;
  checker k = {.c = c};
  k.proc = hd_boogie_new_proc(p, hd_civl_nowhere, name);
  k.impl = hd_boogie_new_impl(p, hd_civl_nowhere, name, k.proc);
  k.block = hd_boogie_new_block(p, at, label);
  k.block->transfer = (hd_boogie_transfer){.kind = HD_BOOGIE_RETURN, .at = hd_civl_nowhere};
  HD_BOOGIE_ADD(p, k.impl->blocks, k.block);
  k.in_contract = hd_boogie_subst_new();
  k.in_code = hd_boogie_subst_new();
  return k;
}

static void
add_param(checker *k, hd_boogie_var *v, hd_boogie_var_kind kind)
{
  hd_boogie_program *p = k->c->program;
  hd_boogie_var *of_proc = hd_boogie_copy_var(p, v, v->name), *of_impl = hd_boogie_copy_var(p, v, v->name);
  of_proc->kind = of_impl->kind = kind;
  if (kind == HD_BOOGIE_IN)
  {
    HD_BOOGIE_ADD(p, k->proc->ins, of_proc);
    HD_BOOGIE_ADD(p, k->impl->ins, of_impl);
  }
  else
  {
    HD_BOOGIE_ADD(p, k->proc->outs, of_proc);
    HD_BOOGIE_ADD(p, k->impl->outs, of_impl);
  }
  hd_boogie_subst_set_var(k->in_contract, p, v, of_proc);
  hd_boogie_subst_set_var(k->in_code, p, v, of_impl);
}

void
hd_civl_checker_params(checker *k, const hd_boogie_vars *ins, const hd_boogie_vars *outs)
{
  for (size_t i = 0; i < ins->n; i++)
    add_param(k, ins->items[i], HD_BOOGIE_IN);
  for (size_t i = 0; i < outs->n; i++)
    add_param(k, outs->items[i], HD_BOOGIE_OUT);
}

void
hd_civl_checker_modifies(checker *k, const hd_boogie_vars *globals)
{
  for (size_t i = 0; i < globals->n; i++)
    HD_BOOGIE_ADD(k->c->program, k->proc->modifies, hd_boogie_use(k->c->program, globals->items[i]));
}

static hd_boogie_spec *
clause(const checker *k, hd_boogie_place at, hd_boogie_expr *e, const char *message)
{
  hd_boogie_spec *s = hd_boogie_alloc(k->c->program, sizeof *s);
  *s = (hd_boogie_spec){.at = at, .expr = hd_boogie_substitute(k->c->program, k->in_contract, e), .message = message};
  return s;
}

void
hd_civl_checker_requires(checker *k, hd_boogie_expr *e)
{
  if (!hd_civl_is_true(e))
    HD_BOOGIE_ADD(k->c->program, k->proc->requires, clause(k, hd_civl_nowhere, e, NULL));
}

void
hd_civl_checker_requires_gate(checker *k, const hd_boogie_cmds *gate)
{
  for (size_t i = 0; i < gate->n; i++)
    hd_civl_checker_requires(k, gate->items[i]->expr);
}

void
hd_civl_checker_ensures(checker *k, hd_boogie_place at, hd_boogie_expr *e, const char *message)
{
  HD_BOOGIE_ADD(k->c->program, k->proc->ensures, clause(k, at, e, message));
}

void
hd_civl_checker_assert(checker *k, hd_boogie_place at, hd_boogie_expr *e, const char *message)
{
  hd_boogie_program *p = k->c->program;
  hd_boogie_cmd *cmd = hd_boogie_assert(p, at, hd_boogie_substitute(p, k->in_code, e));
  cmd->message = message;
  HD_BOOGIE_ADD(p, k->block->cmds, cmd);
}

void
hd_civl_checker_call(checker *k, const action_copy *a, const hd_boogie_vars *ins, const hd_boogie_vars *outs)
{
  hd_boogie_program *p = k->c->program;
  hd_boogie_cmd *call = hd_boogie_new_cmd(p, HD_BOOGIE_CALL, hd_civl_nowhere);
  call->proc = a->proc;
  call->name = a->proc->name;
  for (size_t i = 0; i < ins->n; i++)
    HD_BOOGIE_ADD(p, call->values, hd_boogie_substitute(p, k->in_code, hd_boogie_use(p, ins->items[i])));
  for (size_t i = 0; i < outs->n; i++)
    HD_BOOGIE_ADD(p, call->targets, hd_boogie_substitute(p, k->in_code, hd_boogie_use(p, outs->items[i])));
  HD_BOOGIE_ADD(p, k->block->cmds, call);
}

void
hd_civl_checker_done(checker *k, hd_civl_check check, const action_copy *subject, const char *other)
{
  hd_boogie_subst_free(k->in_contract);
  hd_boogie_subst_free(k->in_code);
  hd_civl_add_task(k->c, (hd_civl_task){.impl = k->impl,
                                        .check = check,
                                        .layered = true,
                                        .layer = subject->layer,
                                        .subject = subject->action->proc->name,
                                        .other = other,
                                        .at = subject->action->proc->at,
                                        .unit = k->impl->name});
}
