/* bodies.c: what stands in the bodies of yielding procedures: calls between layers, accesses to shared variables. */
#include "civl/layers.h"

typedef struct body /* the implementation that is looked at */
{
  hd_civl *c;
  const yielding *y;
  const hd_boogie_impl *impl;
  /* After an assert without layers accesses are not complained about until the next specification: the first mistake
   * is the one to mend. */
  bool forgiving;
} body;

static void
check_shared(const body *b, const hd_boogie_exprs *uses)
{
  for (size_t i = 0; !b->forgiving && i < uses->n; i++)
  {
    const hd_boogie_var *v = uses->items[i]->u.id.var;
    if (v->kind != HD_BOOGIE_GLOBAL)
      continue;
    hd_civl_error(b->c, uses->items[i]->at,
                  "Shared variable can be accessed only in introduction procedures, atomic actions, and "
                  "specifications");
    hd_boogie_note_add(b->c->messages, v->at,
                       "write an action that uses %s, a procedure without body that refines the action, and call it",
                       v->name);
  }
}

/* ---- calls of yielding procedures: caller's layer C, callee's layer E ---- */

static void
check_async_free(const body *b, const hd_boogie_cmd *call, const yielding *callee)
{
  if (b->y->kind == YIELDING_ACTION)
    return;
  if (call->is_async && callee->layer > b->y->layer)
    hd_civl_error(b->c, call->at, "Disappearing layer of caller cannot be lower than that of callee");
  else if (callee->kind == YIELDING_ACTION && callee->refined->async_free > b->y->layer)
    hd_civl_error(b->c, call->at, "Disappearing layer of caller cannot be lower than async-free layer of callee");
}

static void
check_action_callee(const body *b, const hd_boogie_cmd *call, const yielding *callee)
{
  int32_t C = b->y->layer, E = callee->layer;
  if (C == E || (C < E && !call->is_async))
    hd_civl_error(b->c, call->at, "The layer of the caller must be greater than the layer of the callee");
  else if (C < E && hd_civl_inputs_layer(b->c, callee->proc) > C)
    hd_civl_error(b->c, call->at, "Target of a pending async must have all input variables introduced");
  if (callee->refined->range.upper < C)
    hd_civl_error(b->c, call->at, "The callee is not available in the caller procedure");
}

static bool
is_output(const hd_boogie_impl *impl, const hd_boogie_var *v)
{
  for (size_t i = 0; i < impl->outs.n; i++)
    if (impl->outs.items[i] == v)
      return true;
  return false;
}

static void
check_skip_callee(const body *b, const hd_boogie_cmd *call, const yielding *callee)
{
  int32_t C = b->y->layer, E = callee->layer;
  if (b->y->kind == YIELDING_MOVER && C <= E)
    hd_civl_error(b->c, call->at, "The layer of the caller must be greater than the layer of the callee");
  else if (C < E)
    hd_civl_error(b->c, call->at, "The layer of the caller must be greater than or equal to the layer of the callee");
  else if (C == E) /* the callee may give any outputs, which the refinement check would not see */
    for (size_t i = 0; i < call->targets.n; i++)
      if (is_output(b->impl, hd_boogie_target_var(call->targets.items[i])))
        hd_civl_error(b->c, call->at,
                      "An output variable of the enclosing implementation cannot be used as output argument for this "
                      "call");
}

static void
check_inputs(const body *b, const hd_boogie_cmd *call)
{
  for (size_t i = 0; i < call->values.n; i++)
  {
    int32_t formal = hd_civl_local_layer(b->c, call->proc->ins.items[i]);
    hd_boogie_exprs uses = {0};
    hd_civl_uses_of_expr(b->c->program, &uses, call->values.items[i]);
    check_shared(b, &uses);
    for (size_t j = 0; j < uses.n; j++)
    {
      const hd_boogie_var *v = uses.items[j]->u.id.var;
      int32_t actual = hd_civl_local_layer(b->c, v);
      if (v->kind != HD_BOOGIE_GLOBAL && actual > formal)
        hd_civl_error(b->c, uses.items[j]->at,
                      "Variable %s introduced on layer %d can not be passed to formal parameter introduced on layer %d",
                      v->name, actual, formal);
    }
  }
}

static void
check_outputs(const body *b, const hd_boogie_cmd *call)
{
  for (size_t i = 0; i < call->targets.n; i++)
  {
    hd_boogie_expr *target = call->targets.items[i];
    hd_boogie_exprs uses = {0};
    hd_civl_uses_of_expr(b->c->program, &uses, target);
    check_shared(b, &uses);
    if (hd_civl_local_layer(b->c, hd_boogie_target_var(target)) < hd_civl_local_layer(b->c, call->proc->outs.items[i]))
      hd_civl_error(b->c, target->at,
                    "Formal return parameter of call must be introduced no later than the actual parameter");
  }
}

static void
check_yielding_call(const body *b, const hd_boogie_cmd *call, const yielding *callee)
{
  check_async_free(b, call, callee);
  if (callee->kind == YIELDING_ACTION)
    check_action_callee(b, call, callee);
  else if (callee->kind == YIELDING_SKIP)
    check_skip_callee(b, call, callee);
  else if (b->y->layer != callee->layer)
    hd_civl_error(b->c, call->at, "The layer of the caller must be equal to the layer of the callee");
  if (call->is_async && !mover_is_left(callee->mover))
    hd_civl_error(b->c, call->at, "Target of async call must be a left mover");
  check_inputs(b, call);
  check_outputs(b, call);
}

/* ---- calls of introduction procedures ---- */

static void
check_introduction_call(const body *b, const hd_boogie_cmd *call, const introduction *callee)
{
  hd_civl *c = b->c;
  if (!range_contains(callee->range, b->y->layer))
  {
    hd_civl_error(c, call->at, "Called introduction procedure %s is not available at layer %d", callee->proc->name,
                  b->y->layer);
    return;
  }
  if (callee->leaky) /* exists only at the caller's layer, where all inputs are introduced */
  {
    for (size_t i = 0; i < call->targets.n; i++)
    {
      const hd_boogie_var *v = hd_boogie_target_var(call->targets.items[i]);
      if (hd_civl_local_layer(c, v) != b->y->layer)
        hd_civl_error(c, call->targets.items[i]->at, "Output variable %s must be introduced at layer %d", v->name,
                      b->y->layer);
    }
    return;
  }
  /* Exists as soon as everything that it reads does. */
  int32_t *from = hd_boogie_alloc(c->program, sizeof *from);
  *from = callee->range.lower;
  hd_boogie_exprs uses = {0};
  for (size_t i = 0; i < call->values.n; i++)
    hd_civl_uses_of_expr(c->program, &uses, call->values.items[i]);
  check_shared(b, &uses);
  for (size_t i = 0; i < uses.n; i++)
  {
    int32_t l = hd_civl_local_layer(c, uses.items[i]->u.id.var);
    *from = l > *from ? l : *from;
  }
  hd_civl_table_set(c->program, &c->call_layers, call, from);
}

/* ---- commands ---- */

static void
check_call(const body *b, const hd_boogie_cmd *call)
{
  const yielding *y = hd_civl_yielding_of(b->c, call->proc);
  const introduction *in = hd_civl_introduction_of(b->c, call->proc);
  if (y)
    check_yielding_call(b, call, y);
  else if (in)
    check_introduction_call(b, call, in);
  else
    hd_civl_error(b->c, call->at, "A yielding procedure can only call yielding or introduction procedures");
}

static void
check_parallel(const body *b, const hd_boogie_cmd *par)
{
  hd_civl *c = b->c;
  bool all_left = true, all_right = true;
  int32_t highest = LAYER_MIN, of_actions = LAYER_MIN;
  size_t actions = 0;
  for (size_t i = 0; i < par->calls.n; i++)
  {
    const yielding *callee = hd_civl_yielding_of(c, par->calls.items[i]->proc);
    HD_CHECK(callee); /* the reader has seen to it */
    all_left &= mover_is_left(callee->mover);
    all_right &= mover_is_right(callee->mover);
    if (callee->kind == YIELDING_MOVER)
      hd_civl_error(c, par->at, "Mover procedure cannot be part of a parallel call");
    else if (callee->kind == YIELDING_ACTION)
    {
      if (actions++ && of_actions != callee->layer)
        hd_civl_error(c, par->at, "All atomic actions must be introduced at the same layer");
      else
        of_actions = callee->layer;
    }
    highest = callee->layer > highest ? callee->layer : highest;
  }
  if (actions > 1 && !all_left && !all_right)
    hd_civl_error(c, par->at, "The atomic actions in the parallel call must be all right movers or all left movers");
  if (actions && of_actions < highest)
    hd_civl_error(c, par->at, "Atomic actions must be introduced at the highest layer");
  for (size_t i = 0; i < par->calls.n; i++)
    check_call(b, par->calls.items[i]);
}

static void
check_cmd(body *b, const hd_boogie_cmd *cmd)
{
  hd_boogie_exprs uses = {0};
  switch (cmd->kind)
  {
  case HD_BOOGIE_CALL:
    check_call(b, cmd);
    break;
  case HD_BOOGIE_PAR:
    check_parallel(b, cmd);
    break;
  case HD_BOOGIE_YIELD:
    if (b->y->kind == YIELDING_MOVER)
      hd_civl_error(b->c, cmd->at, "A mover procedure cannot contain explicit yield statements");
    break;
  case HD_BOOGIE_ASSERT:
    hd_civl_uses_of_cmd(b->c->program, &uses, cmd);
    b->forgiving = !hd_civl_check_spec(b->c, b->y, cmd, cmd->at, cmd->attrs, &uses);
    break;
  default:
    hd_civl_uses_of_cmd(b->c->program, &uses, cmd);
    check_shared(b, &uses);
  }
}

/* ---- the modifies clause of a mover procedure ---- */

static void
check_modifies_of_call(const body *b, const hd_boogie_cmd *call)
{
  hd_civl *c = b->c;
  var_set modified = {0};
  const yielding *callee = hd_civl_yielding_of(c, call->proc);
  if (callee && callee->kind == YIELDING_ACTION)
  {
    const action_copy *copy = hd_civl_copy_at(c, callee->refined, b->y->layer);
    if (copy)
      modified = copy->modified;
  }
  else if (callee && callee->kind == YIELDING_MOVER)
    modified = callee->modifies;
  else if (!callee)
    for (size_t i = 0; i < call->proc->modifies.n; i++)
      hd_civl_set_add(c->program, &modified, call->proc->modifies.items[i]->u.id.var);
  for (size_t i = 0; i < modified.list.n; i++)
    if (!hd_civl_set_has(&b->y->modifies, modified.list.items[i]))
      hd_civl_error(c, call->at, "Modified variable %s does not appear in modifies clause of mover procedure.",
                    modified.list.items[i]->name);
}

static void
check_modifies(const body *b)
{
  for (size_t i = 0; i < b->impl->blocks.n; i++)
    for (size_t j = 0; j < b->impl->blocks.items[i]->cmds.n; j++)
    {
      const hd_boogie_cmd *cmd = b->impl->blocks.items[i]->cmds.items[j];
      if (cmd->kind == HD_BOOGIE_CALL)
        check_modifies_of_call(b, cmd);
      for (size_t k = 0; k < cmd->calls.n; k++)
        check_modifies_of_call(b, cmd->calls.items[k]);
    }
}

void
hd_civl_check_bodies(hd_civl *c)
{
  bool forgiving = false;
  for (size_t i = 0; i < c->yielding_impls.n; i++)
  {
    const yielding_impl *yi = &c->yielding_impls.items[i];
    body b = {.c = c, .y = yi->yielding, .impl = yi->impl, .forgiving = forgiving};
    for (size_t j = 0; j < yi->impl->blocks.n; j++)
      for (size_t k = 0; k < yi->impl->blocks.items[j]->cmds.n; k++)
        check_cmd(&b, yi->impl->blocks.items[j]->cmds.items[k]);
    forgiving = b.forgiving;
    if (yi->yielding->kind == YIELDING_MOVER)
      check_modifies(&b);
  }
}
