/* linear_flow.c: which linear variables are available where, by data flow over an implementation's blocks.
 *
 * A variable is available while the thread may use its permissions. The sets only shrink at joins (intersection), so
 * the walk ends; a block whose set shrank is walked again, and what is wrong in it is said again, as the reference
 * does. */
#include "civl/linear.h"

#include <stdlib.h>
#include <string.h>

typedef struct flow
{
  hd_civl *c;
  hd_boogie_impl *impl;
  hd_boogie_vars vars; /* linear ones that this code can see; sets have a bit for each. Globals first */
  size_t n_globals, words;
  size_t *number; /* 1 + number in VARS, by id */
  table starts;   /* blocks to their sets */
  table queued;   /* blocks that wait, to themselves */
  hd_boogie_blocks stack;
  uint64_t *now;
} flow;

/* ---- sets ---- */

static void
number_vars(flow *f, const hd_boogie_vars *vars)
{
  for (size_t i = 0; i < vars->n; i++)
    if (hd_civl_linear_name(f->c, vars->items[i]))
    {
      HD_BOOGIE_ADD(f->c->program, f->vars, vars->items[i]);
      f->number[vars->items[i]->id] = f->vars.n;
    }
}

static bool
has(const flow *f, const uint64_t *set, const hd_boogie_var *v)
{
  size_t n = f->number[v->id];
  return n && (set[(n - 1) / 64] >> (n - 1) % 64 & 1);
}

static void
put(const flow *f, uint64_t *set, const hd_boogie_var *v, bool in)
{
  size_t n = f->number[v->id];
  if (n == 0) /* a constant, which never holds anything */
    return;
  uint64_t bit = UINT64_C(1) << (n - 1) % 64;
  set[(n - 1) / 64] = in ? set[(n - 1) / 64] | bit : set[(n - 1) / 64] & ~bit;
}

static uint64_t *
copy_set(const flow *f, const uint64_t *set)
{
  uint64_t *copy = hd_boogie_alloc(f->c->program, f->words * sizeof *copy);
  memcpy(copy, set, f->words * sizeof *copy);
  return copy;
}

/* Remember the locals and parameters of SET for a command or a loop head. */
static void
keep(const flow *f, const void *key, const uint64_t *set)
{
  hd_boogie_program *p = f->c->program;
  hd_boogie_vars *kept = hd_boogie_alloc(p, sizeof *kept);
  for (size_t i = f->n_globals; i < f->vars.n; i++)
    if (has(f, set, f->vars.items[i]))
      HD_BOOGIE_ADD(p, *kept, f->vars.items[i]);
  hd_civl_table_set(p, &f->c->linear->available, key, kept);
}

/* ---- commands ---- */

static void
need_globals(const flow *f, const uint64_t *set, hd_boogie_place at, const char *where)
{
  for (size_t i = 0; i < f->n_globals; i++)
    if (!has(f, set, f->vars.items[i]))
      hd_civl_error(f->c, at, "Global variable %s must be available at a %s", f->vars.items[i]->name, where);
}

static bool
is_use(const hd_boogie_expr *e, const hd_boogie_var *v)
{
  return e->kind == HD_BOOGIE_VAR && e->u.id.var == v;
}

/* V is not available any more after CMD. */
static bool
takes(const flow *f, const hd_boogie_cmd *cmd, const hd_boogie_var *v)
{
  if (cmd->kind == HD_BOOGIE_ASSIGN)
    for (size_t i = 0; i < cmd->targets.n; i++)
      if (is_use(cmd->values.items[i], v) && hd_civl_linear_name(f->c, hd_boogie_target_var(cmd->targets.items[i])))
        return true;
  if (cmd->kind == HD_BOOGIE_CALL)
    for (size_t i = 0; i < cmd->proc->ins.n; i++)
    {
      linear_kind kind = hd_civl_linear_kind(f->c, cmd->proc->ins.items[i]);
      if ((kind == LINEAR_IN || (cmd->is_async && kind != LINEAR_NOT)) && is_use(cmd->values.items[i], v))
        return true;
    }
  for (size_t i = 0; i < cmd->calls.n; i++)
    if (takes(f, cmd->calls.items[i], v))
      return true;
  return false;
}

/* V may be available after CMD. */
static bool
gives(const flow *f, const hd_boogie_cmd *cmd, const hd_boogie_var *v)
{
  hd_boogie_vars changed = {0};
  hd_boogie_cmd_modifies(f->c->program, cmd, &changed);
  for (size_t i = 0; i < changed.n; i++)
    if (changed.items[i] == v)
      return true;
  for (size_t i = 0; cmd->kind == HD_BOOGIE_CALL && i < cmd->proc->ins.n; i++)
    if (hd_civl_linear_kind(f->c, cmd->proc->ins.items[i]) == LINEAR_OUT && is_use(cmd->values.items[i], v))
      return true;
  for (size_t i = 0; i < cmd->calls.n; i++)
    if (gives(f, cmd->calls.items[i], v))
      return true;
  return false;
}

/* The error was added that V, which AT uses, is not available: where it goes away, as far as this is seen. */
static void
tell_where_gone(const flow *f, const hd_boogie_var *v, const hd_boogie_cmd *at)
{
  const hd_boogie_cmd *by = NULL;
  bool given = v->kind == HD_BOOGIE_GLOBAL || v->kind == HD_BOOGIE_IN;
  for (size_t i = 0; i < f->impl->blocks.n; i++)
    for (size_t j = 0; j < f->impl->blocks.items[i]->cmds.n; j++)
    {
      const hd_boogie_cmd *cmd = f->impl->blocks.items[i]->cmds.items[j];
      given = given || gives(f, cmd, v);
      if (takes(f, cmd, v) && (!by || by == at))
        by = cmd;
    }
  if (!given)
    hd_boogie_note_add(f->c->messages, v->at, "%s is given no permissions anywhere", v->name);
  else if (by && by != at)
    hd_boogie_note_add(f->c->messages, by->at, "this takes the permissions of %s", v->name);
  else if (by)
    hd_boogie_note_add(f->c->messages, by->at, "this takes the permissions of %s, which it can do once", v->name);
  else
    hd_boogie_note_add(f->c->messages, v->at, "%s has not got permissions on every path to there", v->name);
}

static void
do_assign(const flow *f, const hd_boogie_cmd *cmd)
{
  for (size_t i = 0; i < cmd->targets.n; i++)
  {
    const hd_boogie_expr *source = cmd->values.items[i];
    if (!hd_civl_linear_name(f->c, hd_boogie_target_var(cmd->targets.items[i])))
      continue;
    if (!has(f, f->now, source->u.id.var))
    {
      hd_civl_error(f->c, source->at, "unavailable source for a linear read");
      tell_where_gone(f, source->u.id.var, cmd);
    }
    else
      put(f, f->now, source->u.id.var, false);
  }
  for (size_t i = 0; i < cmd->targets.n; i++)
    put(f, f->now, hd_boogie_target_var(cmd->targets.items[i]), true);
}

static void
do_inputs(const flow *f, const hd_boogie_cmd *call)
{
  for (size_t i = 0; i < call->proc->ins.n; i++)
  {
    linear_kind kind = hd_civl_linear_kind(f->c, call->proc->ins.items[i]);
    const hd_boogie_expr *actual = call->values.items[i];
    if (kind == LINEAR_NOT)
      continue;
    if (has(f, f->now, actual->u.id.var))
    {
      if (call->is_async || kind == LINEAR_IN)
        put(f, f->now, actual->u.id.var, false);
    }
    else if (kind == LINEAR_OUT)
      put(f, f->now, actual->u.id.var, true);
    else
    {
      hd_civl_error(f->c, actual->at, "unavailable source for a linear read");
      tell_where_gone(f, actual->u.id.var, call);
    }
  }
}

static void
do_outputs(const flow *f, const hd_boogie_cmd *call)
{
  for (size_t i = 0; i < call->targets.n; i++)
    put(f, f->now, hd_boogie_target_var(call->targets.items[i]), true);
  for (size_t i = 0; i < call->proc->ins.n; i++)
    if (hd_civl_linear_kind(f->c, call->proc->ins.items[i]) == LINEAR_OUT)
      put(f, f->now, call->values.items[i]->u.id.var, true);
}

static void
do_cmd(const flow *f, const hd_boogie_cmd *cmd)
{
  switch (cmd->kind)
  {
  case HD_BOOGIE_ASSIGN:
    do_assign(f, cmd);
    break;
  case HD_BOOGIE_CALL:
    need_globals(f, f->now, cmd->at, "call");
    do_inputs(f, cmd);
    do_outputs(f, cmd);
    keep(f, cmd, f->now);
    break;
  case HD_BOOGIE_PAR:
    need_globals(f, f->now, cmd->at, "call");
    for (size_t i = 0; i < cmd->calls.n; i++)
      do_inputs(f, cmd->calls.items[i]);
    for (size_t i = 0; i < cmd->calls.n; i++)
      do_outputs(f, cmd->calls.items[i]);
    keep(f, cmd, f->now);
    break;
  case HD_BOOGIE_HAVOC:
    for (size_t i = 0; i < cmd->targets.n; i++)
      put(f, f->now, hd_boogie_target_var(cmd->targets.items[i]), false);
    break;
  case HD_BOOGIE_YIELD:
    need_globals(f, f->now, cmd->at, "yield");
    keep(f, cmd, f->now);
    break;
  default:
    break;
  }
}

/* ---- blocks ---- */

static void
at_return(const flow *f, hd_boogie_place at)
{
  need_globals(f, f->now, at, "return");
  for (size_t i = 0; i < f->impl->ins.n; i++)
  {
    const hd_boogie_var *v = f->impl->ins.items[i];
    linear_kind kind = hd_civl_linear_kind(f->c, v);
    if ((kind == LINEAR || kind == LINEAR_OUT) && !has(f, f->now, v))
    {
      hd_civl_error(f->c, at, "Input variable %s must be available at a return", v->name);
      tell_where_gone(f, v, NULL);
      if (kind == LINEAR)
        hd_boogie_note_add(f->c->messages, v->at, "a linear parameter is lent; who may keep it is told by linear_in");
    }
  }
  for (size_t i = 0; i < f->impl->outs.n; i++)
  {
    const hd_boogie_var *v = f->impl->outs.items[i];
    if (hd_civl_linear_name(f->c, v) && !has(f, f->now, v))
      hd_civl_error(f->c, at, "Output variable %s must be available at a return", v->name);
  }
}

static void
queue(flow *f, hd_boogie_block *b)
{
  if (hd_civl_table_get(&f->queued, b))
    return;
  hd_civl_table_set(f->c->program, &f->queued, b, b);
  HD_BOOGIE_ADD(f->c->program, f->stack, b);
}

static void
reach(flow *f, hd_boogie_block *b)
{
  uint64_t *start = hd_civl_table_get(&f->starts, b);
  bool shrank = !start;
  if (!start)
    hd_civl_table_set(f->c->program, &f->starts, b, copy_set(f, f->now));
  else
    for (size_t i = 0; i < f->words; i++)
    {
      shrank |= (start[i] & ~f->now[i]) != 0;
      start[i] &= f->now[i];
    }
  if (shrank)
    queue(f, b);
}

static void
walk(flow *f)
{
  while (f->stack.n)
  {
    hd_boogie_block *b = f->stack.items[--f->stack.n];
    hd_civl_table_set(f->c->program, &f->queued, b, NULL);
    memcpy(f->now, hd_civl_table_get(&f->starts, b), f->words * sizeof *f->now);
    for (size_t i = 0; i < b->cmds.n; i++)
      do_cmd(f, b->cmds.items[i]);
    if (b->transfer.kind == HD_BOOGIE_RETURN)
      at_return(f, b->transfer.at);
    for (size_t i = 0; i < b->transfer.targets.n; i++)
      reach(f, b->transfer.targets.items[i]);
  }
}

static void
look_at_loops(const flow *f)
{
  hd_boogie_graph *g = hd_boogie_graph_new(&f->impl->blocks);
  for (size_t i = 0; g->reducible && i < g->n; i++)
    if (g->is_head[i])
    {
      const uint64_t *start = hd_civl_table_get(&f->starts, g->nodes[i]);
      need_globals(f, start, g->nodes[i]->at, "loop head");
      keep(f, g->nodes[i], start);
    }
  hd_boogie_graph_free(g);
}

void
hd_civl_linear_flow(hd_civl *c, hd_boogie_impl *impl)
{
  flow f = {.c = c, .impl = impl};
  f.number = hd_alloc_zero((c->program->n_vars + 1) * sizeof *f.number);
  number_vars(&f, &c->linear->globals);
  f.n_globals = f.vars.n;
  number_vars(&f, &impl->ins);
  number_vars(&f, &impl->outs);
  number_vars(&f, &impl->locals);
  f.words = f.vars.n / 64 + 1;
  f.now = hd_boogie_alloc(c->program, f.words * sizeof *f.now);
  for (size_t i = 0; i < f.vars.n; i++)
  {
    const hd_boogie_var *v = f.vars.items[i];
    if (v->kind == HD_BOOGIE_GLOBAL || (v->kind == HD_BOOGIE_IN && hd_civl_linear_kind(c, v) != LINEAR_OUT))
      put(&f, f.now, v, true);
  }
  reach(&f, impl->blocks.items[0]);
  walk(&f);
  look_at_loops(&f);
  free(f.number);
}
