/* actions.c: atomic actions: their declarations, their bodies, and what they leave to be done later (pending asyncs).
 */
#include <string.h>

#include "civl/layers.h"

/* ---- declarations ---- */

/* The only implementation of PROC, or null with a message. */
static hd_boogie_impl *
find_body(hd_civl *c, const hd_boogie_proc *proc)
{
  const impl_list *all = hd_civl_impls_of(c, proc);
  if (!all->n)
    hd_civl_error(c, proc->at, "Atomic action specification missing");
  if (all->n > 1)
    hd_civl_error(c, proc->at, "More then one atomic action specification provided");
  return all->n == 1 ? all->items[0] : NULL;
}

static bool
has_cycle(const hd_boogie_impl *impl)
{
  hd_boogie_graph *g = hd_boogie_graph_new(&impl->blocks);
  bool cycle = !g->reducible;
  for (size_t i = 0; i < g->n; i++)
    cycle |= g->is_head[i];
  hd_boogie_graph_free(g);
  return cycle;
}

/* How many asserts the body begins with; others are errors. */
static size_t
find_gate(hd_civl *c, const hd_boogie_impl *impl)
{
  const hd_boogie_cmds *first = &impl->blocks.items[0]->cmds;
  size_t gate = 0;
  while (gate < first->n && first->items[gate]->kind == HD_BOOGIE_ASSERT)
    gate++;
  for (size_t i = 0; i < impl->blocks.n; i++)
  {
    const hd_boogie_cmds *cmds = &impl->blocks.items[i]->cmds;
    for (size_t j = i ? 0 : gate; j < cmds->n; j++)
      if (cmds->items[j]->kind == HD_BOOGIE_ASSERT)
        hd_civl_error(c, cmds->items[j]->at, "Assert is only allowed in the gate of an atomic action");
  }
  return gate;
}

void
hd_civl_classify_actions(hd_civl *c)
{
  hd_boogie_program *p = c->program;
  for (size_t i = 0; i < p->decls.n; i++)
  {
    const hd_boogie_decl *d = &p->decls.items[i];
    mover m = MOVER_ATOMIC;
    if (d->kind != HD_BOOGIE_DECL_PROC || hd_civl_is_yielding(d->proc) || !hd_civl_read_mover(c, d->proc->attrs, &m))
      continue;
    hd_boogie_proc *proc = d->proc;
    layer_range range = hd_civl_read_range(c, proc->attrs, proc->at);
    if (proc->requires.n + proc->ensures.n)
      hd_civl_error(c, proc->at, "Atomic action can not have preconditions or postconditions");
    if (proc->type_params.n)
      hd_civl_error(c, proc->at, "Atomic action can not have type parameters");
    hd_boogie_impl *impl = find_body(c, proc);
    if (!impl)
      continue;
    hd_civl_prune(p, impl);
    if (has_cycle(impl))
    {
      hd_civl_error(c, proc->at, "Atomic action specification can not have loops");
      continue;
    }
    action *a = hd_boogie_alloc(p, sizeof *a);
    *a = (action){.number = c->actions.n, .proc = proc, .impl = impl, .mover = m, .range = range};
    a->gate_length = find_gate(c, impl);
    for (size_t j = 0; j < proc->ins.n; j++) /* linear or not: written on the procedure only */
      impl->ins.items[j]->attrs = proc->ins.items[j]->attrs;
    for (size_t j = 0; j < proc->outs.n; j++)
      impl->outs.items[j]->attrs = proc->outs.items[j]->attrs;
    HD_BOOGIE_ADD(p, c->actions, a);
    hd_civl_table_set(p, &c->proc_action, proc, a);
  }
}

/* ---- bodies ---- */

static void
check_pending(hd_civl *c, const action *a, const hd_boogie_cmd *call)
{
  if (!call->is_async)
  {
    hd_civl_error(c, call->at, "Call command not allowed inside an atomic action");
    return;
  }
  if (a->mover != MOVER_ATOMIC && a->mover != MOVER_LEFT)
    hd_civl_error(c, call->at, "Atomic action with pending async must have mover type atomic or left");
  const yielding *target = hd_civl_yielding_of(c, call->proc);
  if (!target || target->kind != YIELDING_ACTION)
  {
    hd_civl_error(c, call->at, "Target of a pending async must be an action procedure");
    return;
  }
  if (!mover_is_left(target->mover))
    hd_civl_error(c, call->at, "Target of async call must be a left mover");
  if (target->refined->range.upper < a->range.upper)
    hd_civl_error(c, call->at, "Callee disappears before caller");
  if (hd_civl_inputs_layer(c, target->proc) > a->range.lower)
    hd_civl_error(c, call->at, "Target of a pending async must have all input variables introduced");
}

/* x := {:backward} e says what x was; then e must not speak of x. */
static void
check_backward(hd_civl *c, const hd_boogie_cmd *cmd)
{
  if (cmd->kind != HD_BOOGIE_ASSIGN || !hd_boogie_attr_flag(cmd->attrs, "backward"))
    return;
  var_set targets = {0};
  hd_boogie_exprs uses = {0};
  bool again = false;
  for (size_t i = 0; i < cmd->targets.n; i++)
  {
    hd_civl_set_add(c->program, &targets, hd_boogie_target_var(cmd->targets.items[i]));
    hd_civl_uses_of_expr(c->program, &uses, cmd->values.items[i]);
    again |= cmd->targets.items[i]->kind != HD_BOOGIE_VAR; /* the rest of a map stays: it stands on the right side */
  }
  for (size_t i = 0; i < uses.n; i++)
    again |= hd_civl_set_has(&targets, uses.items[i]->u.id.var);
  if (again)
    hd_civl_error(c, cmd->at, "A backward assignment whose target appears on its right side is not supported");
}

static void
check_action_cmd(hd_civl *c, const action *a, const hd_boogie_cmd *cmd)
{
  check_backward(c, cmd);
  for (size_t i = 0; i < cmd->calls.n; i++)
    check_action_cmd(c, a, cmd->calls.items[i]);
  if (cmd->kind == HD_BOOGIE_PAR)
    return;
  if (cmd->kind == HD_BOOGIE_CALL)
    check_pending(c, a, cmd);
  hd_boogie_exprs uses = {0};
  hd_civl_uses_of_cmd(c->program, &uses, cmd);
  for (size_t i = 0; i < uses.n; i++)
  {
    const hd_boogie_var *v = uses.items[i]->u.id.var;
    if (v->kind != HD_BOOGIE_GLOBAL)
      continue;
    /* A variable that is introduced at layer n is visible to actions from n+1 on. */
    layer_range range = hd_civl_global_range(c, v);
    if (range_inside(a->range, range) && range.lower != a->range.lower)
      continue;
    hd_civl_error(c, uses.items[i]->at, "Shared variable %s is not available in atomic action specification", v->name);
    hd_boogie_note_add(c->messages, v->at, "%s is there at %s%s; %s is an action of %s", v->name,
                       hd_civl_range_text(c, range),
                       range_inside(a->range, range) ? ", and for actions not at the first" : "", a->proc->name,
                       hd_civl_range_text(c, a->range));
  }
}

void
hd_civl_check_actions(hd_civl *c)
{
  for (size_t i = 0; i < c->actions.n; i++)
  {
    const action *a = c->actions.items[i];
    for (size_t j = 0; j < a->impl->blocks.n; j++)
      for (size_t k = 0; k < a->impl->blocks.items[j]->cmds.n; k++)
        check_action_cmd(c, a, a->impl->blocks.items[j]->cmds.items[k]);
  }
}

/* ---- from which layer on an action leaves nothing behind; cycles ---- */

/* Call DO for each target of an async call in A. */
static void
each_pending(const hd_civl *c, action *a, void (*visit)(action *a, const yielding *target, void *context),
             void *context)
{
  for (size_t i = 0; i < a->impl->blocks.n; i++)
    for (size_t j = 0; j < a->impl->blocks.items[i]->cmds.n; j++)
    {
      const hd_boogie_cmd *cmd = a->impl->blocks.items[i]->cmds.items[j];
      if (cmd->kind == HD_BOOGIE_CALL)
        visit(a, hd_civl_yielding_of(c, cmd->proc), context);
    }
}

static void
raise_async_free(action *a, const yielding *target, void *context)
{
  int32_t x = target->layer + 1;
  if (x < target->refined->async_free)
    x = target->refined->async_free;
  if (x <= a->async_free)
    return;
  a->async_free = x;
  *(bool *) context = true;
}

void
hd_civl_find_async_free(hd_civl *c)
{
  for (size_t i = 0; i < c->actions.n; i++)
    c->actions.items[i]->async_free = c->actions.items[i]->range.lower;
  for (bool changed = true; changed;)
  {
    changed = false;
    for (size_t i = 0; i < c->actions.n; i++)
      each_pending(c, c->actions.items[i], raise_async_free, &changed);
  }
}

enum
{
  DEEPEST_CHAIN = 1000, /* of actions that start each other: bodies are put into each other by recursion */
  MOST_STARTED = 20000  /* bodies that are put in at one layer */
};

typedef struct search /* depth first through actions, at one layer */
{
  const hd_civl *c;
  int32_t layer;
  uint8_t *state;    /* by number: 0 new, 1 on the way, 2 done */
  uint32_t *started; /* by number: how many bodies are put into it in the end, cut at MOST_STARTED + 1 */
  uint32_t *height;  /* by number: of the longest chain that it starts */
  uint32_t depth;
  bool cycle, too_deep;
} search;

static void
follow_pending(action *a, const yielding *target, void *context)
{
  search *s = context;
  action *next = target->refined;
  if (s->layer <= target->layer)
    return;
  s->cycle |= s->state[next->number] == 1;
  s->too_deep |= s->depth == DEEPEST_CHAIN;
  /* An action outside the layer has no calls there. */
  if (!s->state[next->number] && range_contains(next->range, s->layer) && !s->too_deep)
  {
    s->state[next->number] = 1;
    s->depth++;
    each_pending(s->c, next, follow_pending, s);
    s->depth--;
    s->state[next->number] = 2;
  }
  if (s->height[a->number] <= s->height[next->number])
    s->height[a->number] = s->height[next->number] + 1;
  s->too_deep |= s->height[a->number] > DEEPEST_CHAIN;
  uint32_t more = 1 + s->started[next->number], *all = &s->started[a->number];
  *all = *all + more > MOST_STARTED ? MOST_STARTED + 1 : *all + more;
}

void
hd_civl_check_cycles(hd_civl *c)
{
  for (size_t i = 0; i < c->action_layers.n; i++)
  {
    search s = {.c = c, .layer = c->action_layers.items[i]};
    s.state = hd_boogie_alloc(c->program, c->actions.n);
    s.started = hd_boogie_alloc(c->program, c->actions.n * sizeof *s.started);
    s.height = hd_boogie_alloc(c->program, c->actions.n * sizeof *s.height);
    for (size_t j = 0, all = 0; j < c->actions.n; j++)
    {
      action *a = c->actions.items[j];
      if (!range_contains(a->range, s.layer))
        continue;
      if (!s.state[j])
      {
        s.state[j] = 1;
        each_pending(c, a, follow_pending, &s);
        s.state[j] = 2;
      }
      all += s.started[j];
      if (!s.cycle && (s.too_deep || all > MOST_STARTED))
      {
        hd_civl_error(c, a->proc->at, "Action %s starts too many others at layer %d", a->proc->name, s.layer);
        break;
      }
    }
    if (s.cycle)
      hd_civl_error(c, (hd_boogie_place){0}, "Atomic actions have cyclic dependency at layer %d", s.layer);
  }
}
