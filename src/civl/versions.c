/* versions.c: the copies of each action for the layers at which it is available.
 *
 * In the copy for layer n an async call is resolved: if the procedure that it starts disappears below n, its action
 * happens at once (the body is put in, without its gate); otherwise it stays pending (pending.c). */
#include "civl/layers.h"

typedef struct maker
{
  hd_civl *c;
  size_t layer; /* its number in action_layers */
  hd_boogie_subst *originals, *first, *second;
} maker;

/* ---- the copy ---- */

static void
resolve_async(hd_boogie_rewriter *r, hd_boogie_cmd *copy, const hd_boogie_cmd *original, hd_boogie_cmds *out)
{
  const maker *m = r->context;
  if (copy->kind == HD_BOOGIE_CALL)
  {
    const yielding *target = hd_civl_yielding_of(m->c, original->proc);
    bool now = target->layer < m->c->action_layers.items[m->layer];
    copy->proc = now ? target->refined->copies[m->layer]->proc : target->add_pending;
    copy->name = copy->proc->name;
    copy->is_async = false;
  }
  HD_BOOGIE_ADD(r->program, *out, copy);
}

static void
make_proc(maker *m, action *a)
{
  hd_boogie_program *p = m->c->program;
  action_copy *copy = hd_boogie_alloc(p, sizeof *copy);
  copy->action = a;
  copy->layer = m->c->action_layers.items[m->layer];
  copy->proc = hd_boogie_copy_proc(p, a->proc, hd_boogie_text(p, "%s_%d", a->proc->name, copy->layer), m->originals);
  a->copies[m->layer] = copy;
}

static void
make_impl(maker *m, action *a)
{
  hd_boogie_program *p = m->c->program;
  action_copy *copy = a->copies[m->layer];
  hd_boogie_rewriter r = {.program = p, .cmd = resolve_async, .context = m};
  copy->impl = hd_boogie_copy_impl(p, a->impl, copy->proc->name, copy->proc, &r, m->originals);
  hd_boogie_cmds all = copy->impl->blocks.items[0]->cmds, rest = {0};
  for (size_t i = 0; i < all.n; i++)
    if (i < a->gate_length)
      HD_BOOGIE_ADD(p, copy->gate, all.items[i]);
    else
      HD_BOOGIE_ADD(p, rest, all.items[i]);
  copy->impl->blocks.items[0]->cmds = rest;
  hd_civl_add_helper(m->c, copy->proc, copy->impl);
}

/* ---- with other names ---- */

static hd_boogie_vars
rename_vars(hd_boogie_program *p, hd_boogie_subst *s, const hd_boogie_vars *vars, hd_boogie_var_kind kind,
            const char *prefix)
{
  hd_boogie_vars out = {0};
  for (size_t i = 0; i < vars->n; i++)
  {
    const hd_boogie_var *v = vars->items[i];
    hd_boogie_var *w
        = hd_boogie_new_var(p, kind, (hd_boogie_place){0}, hd_boogie_text(p, "%s%s", prefix, v->name), v->type);
    if (kind != HD_BOOGIE_LOCAL)
      w->attrs = v->attrs;
    hd_boogie_subst_set_var(s, p, v, w);
    HD_BOOGIE_ADD(p, out, w);
  }
  return out;
}

static renamed
rename_copy(hd_boogie_program *p, hd_boogie_subst *s, const action_copy *copy, const char *prefix)
{
  renamed n = {0};
  n.ins = rename_vars(p, s, &copy->impl->ins, HD_BOOGIE_IN, prefix);
  n.outs = rename_vars(p, s, &copy->impl->outs, HD_BOOGIE_OUT, prefix);
  n.locals = rename_vars(p, s, &copy->impl->locals, HD_BOOGIE_LOCAL, prefix);
  hd_boogie_rewriter r = {.program = p, .subst = s, .bound_prefix = prefix};
  for (size_t i = 0; i < copy->gate.n; i++)
    HD_BOOGIE_ADD(p, n.gate, hd_boogie_rewrite_cmd(&r, copy->gate.items[i]));
  n.blocks = hd_boogie_rewrite_blocks(&r, &copy->impl->blocks);
  for (size_t i = 0; i < n.blocks.n; i++)
    n.blocks.items[i]->label = hd_boogie_text(p, "%s%s", prefix, n.blocks.items[i]->label);
  return n;
}

/* What the copy reads and changes. The modifies clause counts as read, too. */
static void
find_globals(hd_boogie_program *p, action_copy *copy)
{
  for (size_t i = 0; i < copy->gate.n; i++)
    hd_civl_globals_of_expr(p, &copy->gate_globals, copy->gate.items[i]->expr);
  hd_civl_globals_of_blocks(p, &copy->body_globals, &copy->impl->blocks);
  for (size_t i = 0; i < copy->proc->modifies.n; i++)
    hd_civl_set_add(p, &copy->body_globals, copy->proc->modifies.items[i]->u.id.var);
  for (size_t i = 0; i < copy->impl->blocks.n; i++)
    for (size_t j = 0; j < copy->impl->blocks.items[i]->cmds.n; j++)
    {
      const hd_boogie_cmd *cmd = copy->impl->blocks.items[i]->cmds.items[j];
      copy->has_assume |= cmd->kind == HD_BOOGIE_ASSUME;
      for (size_t k = 0; k < cmd->targets.n; k++)
      {
        hd_boogie_var *v = hd_boogie_target_var(cmd->targets.items[k]);
        if (v->kind == HD_BOOGIE_GLOBAL)
          hd_civl_set_add(p, &copy->modified, v);
      }
    }
}

/* What was put in for asyncs may change more than the action's own clause says. */
static void
complete_modifies(hd_boogie_program *p, action_copy *copy)
{
  var_set listed = {0};
  for (size_t i = 0; i < copy->proc->modifies.n; i++)
    hd_civl_set_add(p, &listed, copy->proc->modifies.items[i]->u.id.var);
  for (size_t i = 0; i < copy->modified.list.n; i++)
    if (!hd_civl_set_has(&listed, copy->modified.list.items[i]))
      HD_BOOGIE_ADD(p, copy->proc->modifies, hd_boogie_use(p, copy->modified.list.items[i]));
}

/* ---- a layer ---- */

static void
make_layer(maker *m)
{
  hd_civl *c = m->c;
  hd_boogie_program *p = c->program;
  int32_t layer = c->action_layers.items[m->layer];
  HD_BOOGIE_LIST(action *) here = {0};
  for (size_t i = 0; i < c->actions.n; i++)
    if (range_contains(c->actions.items[i]->range, layer))
      HD_BOOGIE_ADD(p, here, c->actions.items[i]);
  for (size_t i = 0; i < here.n; i++)
    make_proc(m, here.items[i]);
  for (size_t i = 0; i < here.n; i++)
    make_impl(m, here.items[i]);
  if (c->pending_asyncs)
  {
    /* The bodies as they are before anything is put in: that changes their blocks. */
    table bodies = {0};
    for (size_t i = 0; i < here.n; i++)
    {
      hd_boogie_impl *body = hd_boogie_alloc(p, sizeof *body);
      *body = *here.items[i]->copies[m->layer]->impl;
      hd_boogie_rewriter r = {.program = p};
      body->blocks = hd_boogie_rewrite_blocks(&r, &body->blocks);
      hd_civl_table_set(p, &bodies, body->proc, body);
    }
    for (size_t i = 0; i < c->yieldings.n; i++)
    {
      hd_boogie_proc *adder = c->yieldings.items[i]->add_pending;
      if (adder)
        hd_civl_table_set(p, &bodies, adder, hd_civl_table_get(&c->adders, adder));
    }
    for (size_t i = 0; i < here.n; i++)
      hd_civl_inline_calls(p, here.items[i]->copies[m->layer]->impl, &bodies);
  }
  for (size_t i = 0; i < here.n; i++)
  {
    action_copy *copy = here.items[i]->copies[m->layer];
    copy->first = rename_copy(p, m->first, copy, "first_");
    copy->second = rename_copy(p, m->second, copy, "second_");
    find_globals(p, copy);
    complete_modifies(p, copy);
  }
}

void
hd_civl_make_versions(hd_civl *c)
{
  for (size_t i = 0; i < c->actions.n; i++)
    c->actions.items[i]->copies = hd_boogie_alloc(c->program, c->action_layers.n * sizeof *c->actions.items[i]->copies);
  /* One map for all copies: they share no variables, and a map is as large as the largest of their numbers. */
  maker m = {.c = c};
  m.originals = hd_boogie_subst_new();
  m.first = hd_boogie_subst_new();
  m.second = hd_boogie_subst_new();
  for (m.layer = 0; m.layer < c->action_layers.n; m.layer++)
    make_layer(&m);
  hd_boogie_subst_free(m.originals);
  hd_boogie_subst_free(m.first);
  hd_boogie_subst_free(m.second);
}
