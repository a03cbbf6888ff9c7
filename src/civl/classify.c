/* classify.c: what each global variable, procedure and local variable of a layered program is, and the order of all
 * checks of layers. Each step looks at the whole program before the next one starts, and messages come in that order.
 */
#include <string.h>

#include "civl/layers.h"

/* ---- global variables ---- */

static void
classify_globals(hd_civl *c)
{
  hd_boogie_program *p = c->program;
  c->n_ranges = c->n_layers = p->n_vars;
  c->global_ranges = hd_boogie_alloc(p, p->n_vars * sizeof *c->global_ranges);
  c->local_layers = hd_boogie_alloc(p, p->n_vars * sizeof *c->local_layers);
  for (size_t i = 0; i < p->n_vars; i++)
  {
    c->global_ranges[i] = (layer_range){LAYER_MIN, LAYER_MAX};
    c->local_layers[i] = LAYER_MIN;
  }
  for (size_t i = 0; i < p->decls.n; i++)
  {
    const hd_boogie_decl *d = &p->decls.items[i];
    if (d->kind != HD_BOOGIE_DECL_VAR || d->var->kind != HD_BOOGIE_GLOBAL)
      continue;
    c->global_ranges[d->var->id] = hd_civl_read_range(c, d->var->attrs, d->var->at);
    HD_BOOGIE_ADD(p, c->globals, d->var);
  }
}

/* ---- introduction procedures: no {:yields}, no mover type ---- */

static void
check_introduction_use(hd_civl *c, const introduction *in, const hd_boogie_expr *use)
{
  const hd_boogie_var *v = use->u.id.var;
  if (v->kind == HD_BOOGIE_GLOBAL && !range_inside(in->range, hd_civl_global_range(c, v)))
    hd_civl_error(c, use->at, "Shared variable is not accessible in introduction procedure");
}

static void
check_introduction_call(hd_civl *c, const introduction *in, const hd_boogie_cmd *call)
{
  const introduction *callee = hd_civl_introduction_of(c, call->proc);
  if (!callee)
    hd_civl_error(c, call->at, "Introduction procedure can only call an introduction procedure");
  else if (!range_inside(in->range, callee->range))
    hd_civl_error(c, call->at, "Caller layers must be subset of callee layers");
}

static void
check_introduction_cmd(hd_civl *c, const introduction *in, const hd_boogie_cmd *cmd)
{
  for (size_t i = 0; i < cmd->calls.n; i++)
    check_introduction_cmd(c, in, cmd->calls.items[i]);
  if (cmd->kind == HD_BOOGIE_PAR)
    return;
  if (cmd->kind == HD_BOOGIE_CALL)
    check_introduction_call(c, in, cmd);
  hd_boogie_exprs uses = {0};
  hd_civl_uses_of_cmd(c->program, &uses, cmd);
  for (size_t i = 0; i < uses.n; i++)
    check_introduction_use(c, in, uses.items[i]);
}

static void
check_introduction_specs(hd_civl *c, const introduction *in, const hd_boogie_specs *specs)
{
  hd_boogie_exprs uses = {0};
  for (size_t i = 0; i < specs->n; i++)
    hd_civl_uses_of_expr(c->program, &uses, specs->items[i]->expr);
  for (size_t i = 0; i < uses.n; i++)
    check_introduction_use(c, in, uses.items[i]);
}

static void
check_introduction_body(hd_civl *c, const introduction *in, const hd_boogie_impl *impl)
{
  for (size_t i = 0; i < impl->blocks.n; i++)
    for (size_t j = 0; j < impl->blocks.items[i]->cmds.n; j++)
      check_introduction_cmd(c, in, impl->blocks.items[i]->cmds.items[j]);
  check_introduction_specs(c, in, &in->proc->ensures);
  for (size_t i = 0; i < in->proc->modifies.n; i++)
    check_introduction_use(c, in, in->proc->modifies.items[i]);
  check_introduction_specs(c, in, &in->proc->requires);
}

static void
classify_introductions(hd_civl *c)
{
  hd_boogie_program *p = c->program;
  for (size_t i = 0; i < p->decls.n; i++)
  {
    const hd_boogie_decl *d = &p->decls.items[i];
    mover m;
    if (d->kind != HD_BOOGIE_DECL_PROC || hd_civl_is_yielding(d->proc) || hd_civl_read_mover(c, d->proc->attrs, &m))
      continue;
    hd_boogie_proc *proc = d->proc;
    introduction *in = hd_boogie_alloc(p, sizeof *in);
    *in = (introduction){.proc = proc, .leaky = proc->modifies.n || proc->outs.n};
    in->range = hd_civl_read_range(c, proc->attrs, proc->at);
    for (size_t j = 0; j < proc->modifies.n; j++)
    {
      const hd_boogie_expr *g = proc->modifies.items[j];
      if (hd_civl_global_range(c, g->u.id.var).lower != in->range.lower)
        hd_civl_error(c, g->at, "Introduction procedures can modify shared variables only on their introduction layer");
    }
    HD_BOOGIE_ADD(p, c->introductions, in);
    hd_civl_table_set(p, &c->proc_introduction, proc, in);
  }
  if (c->messages->errors)
    return;
  for (size_t i = 0; i < p->decls.n; i++)
  {
    const hd_boogie_decl *d = &p->decls.items[i];
    const introduction *in = d->kind == HD_BOOGIE_DECL_IMPL ? hd_civl_introduction_of(c, d->impl->proc) : NULL;
    if (in)
      check_introduction_body(c, in, d->impl);
  }
}

/* ---- local variables and parameters of yielding procedures ---- */

static int32_t
read_local_layer(hd_civl *c, hd_boogie_place at, const hd_boogie_var *v, int32_t procedure)
{
  layer_list l = hd_civl_read_layers(c, v->attrs);
  if (!l.n)
    return LAYER_MIN;
  if (l.n > 1)
    hd_civl_error(c, at, "Incorrect number of layers");
  else if (l.items[0] > procedure)
    hd_civl_error(c, at, "Layer of local variable cannot be greater than the creation layer of enclosing procedure");
  else
    return l.items[0];
  return LAYER_MIN;
}

static void
read_local_layers(hd_civl *c, hd_boogie_place at, const hd_boogie_vars *vars, int32_t procedure)
{
  for (size_t i = 0; i < vars->n; i++)
    c->local_layers[vars->items[i]->id] = read_local_layer(c, at, vars->items[i], procedure);
}

static void
classify_locals(hd_civl *c)
{
  hd_boogie_program *p = c->program;
  for (size_t i = 0; i < c->yieldings.n; i++)
  {
    const yielding *y = c->yieldings.items[i];
    read_local_layers(c, y->proc->at, &y->proc->ins, y->layer);
    read_local_layers(c, y->proc->at, &y->proc->outs, y->layer);
  }
  for (size_t i = 0; i < p->decls.n; i++)
  {
    const hd_boogie_decl *d = &p->decls.items[i];
    yielding *y = d->kind == HD_BOOGIE_DECL_IMPL ? hd_civl_yielding_of(c, d->impl->proc) : NULL;
    if (!y)
      continue;
    HD_BOOGIE_ADD(p, c->yielding_impls, (yielding_impl){y, d->impl});
    read_local_layers(c, d->impl->at, &d->impl->locals, y->layer);
    for (size_t j = 0; j < y->proc->ins.n; j++) /* what an implementation writes on its parameters does not count */
      c->local_layers[d->impl->ins.items[j]->id] = c->local_layers[y->proc->ins.items[j]->id];
    for (size_t j = 0; j < y->proc->outs.n; j++)
      c->local_layers[d->impl->outs.items[j]->id] = c->local_layers[y->proc->outs.items[j]->id];
  }
}

/* ---- layers of the whole ---- */

static void
find_layers(hd_civl *c)
{
  for (size_t i = 0; i < c->yieldings.n; i++)
    hd_civl_layers_add(c->program, &c->refinement_layers, c->yieldings.items[i]->layer);
  for (size_t i = 0; i < c->refinement_layers.n; i++)
    hd_civl_layers_add(c->program, &c->action_layers, c->refinement_layers.items[i]);
  for (size_t i = 0; i < c->actions.n; i++)
  {
    hd_civl_layers_add(c->program, &c->action_layers, c->actions.items[i]->range.lower);
    hd_civl_layers_add(c->program, &c->action_layers, c->actions.items[i]->range.upper);
  }
  /* The refined action is compared as it is one layer above the procedure. */
  for (size_t i = 0; i < c->yieldings.n; i++)
    if (c->yieldings.items[i]->kind == YIELDING_ACTION)
      hd_civl_layers_add(c->program, &c->action_layers, c->yieldings.items[i]->layer + 1);
}

static void
check_spec_layers(hd_civl *c, const hd_boogie_specs *specs)
{
  for (size_t i = 0; i < specs->n; i++)
  {
    const layer_list *l = hd_civl_spec_layers(c, specs->items[i]);
    for (size_t j = 0; l && j < l->n; j++)
      if (!hd_civl_layers_have(&c->refinement_layers, l->items[j]))
        hd_civl_error(c, specs->items[i]->at, "No refinement on layer %d", l->items[j]);
  }
}

void
hd_civl_classify(hd_civl *c)
{
  hd_civl_find_impls(c);
  classify_globals(c);
  classify_introductions(c);
  hd_civl_classify_actions(c);
  hd_civl_classify_yieldings(c);
  classify_locals(c);
  hd_civl_check_actions(c);
  if (c->messages->errors)
    return;

  hd_civl_find_async_free(c);
  find_layers(c);
  for (size_t i = 0; i < c->yieldings.n; i++)
  {
    check_spec_layers(c, &c->yieldings.items[i]->proc->ensures);
    check_spec_layers(c, &c->yieldings.items[i]->proc->requires);
  }
  hd_civl_check_cycles(c);
  if (c->messages->errors)
    return;

  hd_civl_make_pending(c);
  hd_civl_make_versions(c);
  hd_civl_check_bodies(c);
  hd_civl_read_witnesses(c);
}
