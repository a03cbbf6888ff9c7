/* copies_body.c: a yielding procedure and its code at a layer: specifications and assertions of other layers are gone,
 * calls go to what the callee is there. */
#include "civl/copies.h"

#include <string.h>

static hd_boogie_attr *
without_layers(hd_boogie_program *p, hd_boogie_attr *attrs)
{
  static const char *const keys[]
      = {"yields", "layer", "refines", "atomic", "right", "left", "both", "terminates", "yield_assert"};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    attrs = hd_boogie_attr_without(p, attrs, keys[i]);
  return attrs;
}

static bool
is_true(const hd_boogie_expr *e)
{
  return e->kind == HD_BOOGIE_LIT_BOOL && e->u.truth;
}

/* ---- procedures ---- */

/* Of COPIES, made from ORIGINALS one by one, those that are there at the layer. */
static void
keep_specs(layer_copies *l, const hd_boogie_specs *originals, hd_boogie_specs *copies)
{
  size_t kept = 0;
  for (size_t i = 0; i < originals->n; i++)
  {
    const layer_list *layers = originals->items[i]->is_free ? NULL : hd_civl_spec_layers(l->c, originals->items[i]);
    if ((!layers || hd_civl_layers_have(layers, l->layer)) && !is_true(copies->items[i]->expr))
      copies->items[kept++] = copies->items[i];
  }
  copies->n = kept;
}

static void
modify_all(layer_copies *l, hd_boogie_proc *proc)
{
  hd_boogie_program *p = l->c->program;
  proc->modifies = (hd_boogie_exprs){0};
  for (size_t i = 0; i < l->c->globals.n; i++)
    HD_BOOGIE_ADD(p, proc->modifies, hd_boogie_use(p, l->c->globals.items[i]));
}

/* An empty procedure, inlined: the outputs of a skip procedure may be anything. */
static hd_boogie_proc *
dummy_of(layer_copies *l, hd_boogie_proc *proc)
{
  hd_boogie_program *p = l->c->program;
  hd_boogie_proc *dummy = hd_civl_table_get(l->dummies, proc);
  if (dummy)
    return dummy;
  const char *name = hd_boogie_text(p, "skip_dummy_%s", proc->name);
  hd_boogie_subst *s = hd_boogie_subst_new();
  dummy = hd_boogie_copy_proc(p, proc, name, s);
  hd_boogie_subst_free(s);
  dummy->requires = dummy->ensures = (hd_boogie_specs){0};
  dummy->modifies = (hd_boogie_exprs){0};
  dummy->attrs = NULL;
  hd_boogie_impl *impl = hd_boogie_new_impl(p, (hd_boogie_place){.file = proc->at.file}, name, dummy);
  for (size_t i = 0; i < dummy->ins.n; i++)
    HD_BOOGIE_ADD(p, impl->ins, hd_boogie_copy_var(p, dummy->ins.items[i], dummy->ins.items[i]->name));
  for (size_t i = 0; i < dummy->outs.n; i++)
    HD_BOOGIE_ADD(p, impl->outs, hd_boogie_copy_var(p, dummy->outs.items[i], dummy->outs.items[i]->name));
  hd_boogie_block *only = hd_boogie_new_block(p, impl->at, "_init");
  only->transfer.kind = HD_BOOGIE_RETURN;
  only->transfer.at = impl->at;
  HD_BOOGIE_ADD(p, impl->blocks, only);
  hd_civl_add_helper(l->c, dummy, impl);
  hd_civl_table_set(p, l->dummies, proc, dummy);
  return dummy;
}

/* What PROC, which has not disappeared, is at the layer. */
static hd_boogie_proc *
copy_of(layer_copies *l, const yielding *y)
{
  hd_boogie_program *p = l->c->program;
  hd_boogie_subst *s = hd_boogie_subst_new();
  hd_boogie_proc *copy = hd_boogie_copy_proc(p, y->proc, hd_boogie_text(p, "%s_%d", y->proc->name, (int) l->layer), s);
  hd_boogie_subst_free(s);
  copy->attrs = without_layers(p, copy->attrs);
  keep_specs(l, &y->proc->requires, &copy->requires);
  keep_specs(l, &y->proc->ensures, &copy->ensures);
  hd_civl_table_set(p, &l->procs, y->proc, copy);
  if (is_mover_at(y, l->layer))
  {
    copy->modifies = (hd_boogie_exprs){0};
    for (size_t i = 0; i < y->modifies.list.n; i++)
      HD_BOOGIE_ADD(p, copy->modifies, hd_boogie_use(p, y->modifies.list.items[i]));
  }
  else
  {
    modify_all(l, copy);
    hd_civl_table_set(p, &l->is_yield, copy, copy);
  }
  return copy;
}

hd_boogie_proc *
hd_civl_proc_at(layer_copies *l, hd_boogie_proc *proc)
{
  const yielding *y = hd_civl_yielding_of(l->c, proc);
  if (!y)
    return proc;
  if (l->layer > y->layer)
  {
    action_copy *action = y->kind == YIELDING_ACTION ? hd_civl_copy_at(l->c, y->refined, l->layer) : NULL;
    return action ? action->proc : y->kind == YIELDING_SKIP ? dummy_of(l, proc) : proc;
  }
  hd_boogie_proc *copy = hd_civl_table_get(&l->procs, proc);
  return copy ? copy : copy_of(l, y);
}

/* ---- code ---- */

/* Who copies which body. */
typedef struct copying
{
  layer_copies *l;
  const yielding *caller;
} copying;

static void
set_callee(hd_boogie_cmd *call, hd_boogie_proc *proc)
{
  call->proc = proc;
  call->name = proc->name;
}

/* Before the call of an action: its gate, which has to hold where the caller disappears and is known to hold below, as
 * it was proved there or will be. */
static void
add_gate(const copying *x, const yielding *callee, const hd_boogie_cmd *call, hd_boogie_cmds *out)
{
  layer_copies *l = x->l;
  hd_boogie_program *p = l->c->program;
  const action_copy *action = callee->layer < l->layer ? hd_civl_copy_at(l->c, callee->refined, l->layer) : NULL;
  if (!action || action->gate.n == 0)
    return;
  hd_boogie_subst *s = hd_boogie_subst_new();
  for (size_t i = 0; i < action->impl->ins.n; i++)
    hd_boogie_subst_set(s, action->impl->ins.items[i], call->values.items[i]);
  for (size_t i = 0; i < action->gate.n; i++)
  {
    const hd_boogie_cmd *gate = action->gate.items[i];
    hd_boogie_expr *e = hd_boogie_substitute(p, s, gate->expr);
    hd_boogie_cmd *cmd
        = l->layer == x->caller->layer ? hd_boogie_assert(p, gate->at, e) : hd_boogie_assume(p, gate->at, e);
    cmd->attrs = gate->attrs;
    hd_civl_table_set(p, &l->gates, cmd, cmd);
    HD_BOOGIE_ADD(p, *out, cmd);
  }
  hd_boogie_subst_free(s);
}

/* CALL is a copy of ORIGINAL, ORIGIN what it was made from. */
static void
add_call(const copying *x, hd_boogie_cmd *call, const hd_boogie_cmd *original, const hd_boogie_cmd *origin,
         hd_boogie_cmds *out)
{
  layer_copies *l = x->l;
  hd_boogie_program *p = l->c->program;
  const yielding *callee = hd_civl_yielding_of(l->c, original->proc);
  if (!callee)
  {
    if (!hd_civl_call_exists(l->c, original, x->caller->layer, l->layer))
      return;
  }
  else
  {
    if (callee->kind == YIELDING_ACTION)
      add_gate(x, callee, call, out);
    set_callee(call, hd_civl_proc_at(l, original->proc));
    if (call->is_async && (callee->layer < l->layer || is_mover_at(callee, l->layer)))
      call->is_async = false;
    else if (call->is_async && x->caller->layer == l->layer && callee->layer > l->layer)
    {
      /* The caller becomes an action, which remembers what it still has to do. */
      set_callee(call, callee->add_pending);
      call->is_async = false;
    }
  }
  hd_civl_table_set(p, &l->origins, call, (void *) (uintptr_t) origin);
  HD_BOOGIE_ADD(p, *out, call);
}

static void
add_par(const copying *x, hd_boogie_cmd *par, const hd_boogie_cmd *original, hd_boogie_cmds *out)
{
  layer_copies *l = x->l;
  hd_boogie_program *p = l->c->program;
  int32_t highest = LAYER_MIN;
  for (size_t i = 0; i < original->calls.n; i++)
  {
    int32_t layer = hd_civl_yielding_of(l->c, original->calls.items[i]->proc)->layer;
    highest = layer > highest ? layer : highest;
  }
  if (l->layer > highest) /* actions: one after the other */
  {
    for (size_t i = 0; i < original->calls.n; i++)
      add_call(x, par->calls.items[i], original->calls.items[i], original, out);
    return;
  }
  for (size_t i = 0; i < original->calls.n; i++)
    set_callee(par->calls.items[i], hd_civl_proc_at(l, original->calls.items[i]->proc));
  hd_civl_table_set(p, &l->origins, par, (void *) (uintptr_t) original);
  HD_BOOGIE_ADD(p, *out, par);
}

static void
add_cmd(hd_boogie_rewriter *r, hd_boogie_cmd *copy, const hd_boogie_cmd *original, hd_boogie_cmds *out)
{
  const copying *x = r->context;
  hd_boogie_program *p = r->program;
  const layer_list *layers = NULL;
  switch (copy->kind)
  {
  case HD_BOOGIE_ASSERT:
    layers = hd_civl_assert_layers(x->l->c, original);
    if ((layers && !hd_civl_layers_have(layers, x->l->layer)) || is_true(copy->expr))
      return;
    break;
  case HD_BOOGIE_ASSUME:
    if (is_true(copy->expr))
      return;
    break;
  case HD_BOOGIE_CALL:
    add_call(x, copy, original, original, out);
    return;
  case HD_BOOGIE_PAR:
    add_par(x, copy, original, out);
    return;
  case HD_BOOGIE_YIELD:
    hd_civl_table_set(p, &x->l->origins, copy, (void *) (uintptr_t) original);
    break;
  default:
    break;
  }
  HD_BOOGIE_ADD(p, *out, copy);
}

static void
remember_vars(layer_copies *l, const hd_boogie_vars *from, const hd_boogie_vars *to)
{
  for (size_t i = 0; i < from->n; i++)
    hd_civl_table_set(l->c->program, &l->vars, from->items[i], to->items[i]);
}

hd_boogie_impl *
hd_civl_impl_at(layer_copies *l, const yielding_impl *from)
{
  hd_boogie_program *p = l->c->program;
  hd_boogie_proc *proc = hd_civl_proc_at(l, from->yielding->proc);
  copying x = {l, from->yielding};
  hd_boogie_subst *s = hd_boogie_subst_new();
  hd_boogie_rewriter r = {.program = p, .subst = s, .cmd = add_cmd, .context = &x};
  hd_boogie_impl *impl = hd_boogie_copy_impl(p, from->impl, proc->name, proc, &r, s);
  hd_boogie_subst_free(s);
  impl->attrs = without_layers(p, impl->attrs);
  impl->structured = NULL;
  remember_vars(l, &from->impl->ins, &impl->ins);
  remember_vars(l, &from->impl->outs, &impl->outs);
  remember_vars(l, &from->impl->locals, &impl->locals);
  for (size_t i = 0; i < impl->blocks.n; i++)
    hd_civl_table_set(p, &l->origins, impl->blocks.items[i], from->impl->blocks.items[i]);
  return impl;
}

/* ---- calls that do not wait for one callee ---- */

static hd_boogie_proc *
find_joined(const layer_copies *l, const char *name)
{
  for (size_t i = 0; i < l->joined.n; i++)
    if (strcmp(l->joined.items[i].name, name) == 0)
      return l->joined.items[i].proc;
  return NULL;
}

hd_boogie_proc *
hd_civl_async_target(layer_copies *l, const hd_boogie_cmd *call)
{
  hd_boogie_program *p = l->c->program;
  const char *name = hd_boogie_text(p, "DummyAsyncTarget_%s", call->proc->name);
  hd_boogie_proc *target = find_joined(l, name);
  if (target)
    return target;
  hd_boogie_subst *s = hd_boogie_subst_new();
  target = hd_boogie_copy_proc(p, call->proc, name, s);
  hd_boogie_subst_free(s);
  target->ensures = (hd_boogie_specs){0};
  target->modifies = (hd_boogie_exprs){0};
  HD_BOOGIE_ADD(p, l->joined, (named_proc){name, target});
  return target;
}

static void
join_formals(hd_boogie_program *p, const hd_boogie_vars *from, size_t number, hd_boogie_vars *to, hd_boogie_subst *s)
{
  for (size_t i = 0; i < from->n; i++)
  {
    hd_boogie_var *v = from->items[i];
    hd_boogie_var *copy = hd_boogie_copy_var(p, v, hd_boogie_text(p, "og_%zu_%s", number, v->name));
    HD_BOOGIE_ADD(p, *to, copy);
    hd_boogie_subst_set_var(s, p, v, copy);
  }
}

static void
join_specs(hd_boogie_program *p, const hd_boogie_specs *from, hd_boogie_specs *to, const hd_boogie_subst *s)
{
  for (size_t i = 0; i < from->n; i++)
  {
    hd_boogie_spec *spec = hd_boogie_alloc(p, sizeof *spec);
    *spec = *from->items[i];
    spec->expr = hd_boogie_substitute(p, s, spec->expr);
    HD_BOOGIE_ADD(p, *to, spec);
  }
}

hd_boogie_cmd *
hd_civl_join_par(layer_copies *l, const hd_boogie_cmd *par)
{
  hd_boogie_program *p = l->c->program;
  const char *name = "og";
  hd_boogie_cmd *call = hd_boogie_new_cmd(p, HD_BOOGIE_CALL, par->at);
  call->attrs = par->attrs;
  for (size_t i = 0; i < par->calls.n; i++)
  {
    const hd_boogie_cmd *one = par->calls.items[i];
    name = hd_boogie_text(p, "%s_%s", name, one->proc->name);
    for (size_t k = 0; k < one->values.n; k++)
      HD_BOOGIE_ADD(p, call->values, one->values.items[k]);
    for (size_t k = 0; k < one->targets.n; k++)
      HD_BOOGIE_ADD(p, call->targets, one->targets.items[k]);
  }
  hd_boogie_proc *proc = find_joined(l, name);
  if (!proc)
  {
    proc = hd_boogie_new_proc(p, (hd_boogie_place){.file = par->at.file}, name);
    for (size_t i = 0; i < par->calls.n; i++)
    {
      const hd_boogie_proc *one = par->calls.items[i]->proc;
      hd_boogie_subst *s = hd_boogie_subst_new();
      join_formals(p, &one->ins, i, &proc->ins, s);
      join_formals(p, &one->outs, i, &proc->outs, s);
      join_specs(p, &one->requires, &proc->requires, s);
      join_specs(p, &one->ensures, &proc->ensures, s);
      hd_boogie_subst_free(s);
    }
    modify_all(l, proc);
    HD_BOOGIE_ADD(p, l->joined, (named_proc){name, proc});
  }
  set_callee(call, proc);
  return call;
}
