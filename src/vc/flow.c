/* flow.c: an implementation as a flow graph. Calls become what their contracts say, or the body of the callee where it
 * is {:inline n}; pre- and postconditions become assumptions and assertions at both ends.
 *
 * Labels and places of what is put in follow the reference, because they are what a path shows. */
#include <string.h>

#include "vc/internal.h"

enum
{
  NO_EXIT = UINT32_MAX /* of a code expression */
};

static uint32_t
new_assertion(condition *c, hd_vc_assertion a)
{
  ADD(c, c->assertions, c->nassertions, c->assertions_cap, a);
  return (uint32_t) c->nassertions - 1;
}

static frame *
new_frame(condition *c, bool keeps_old, const types *types)
{
  frame *f = hd_vc_alloc(c, sizeof *f);
  f->types = types;
  f->outer = c->globals;
  f->keeps_old = keeps_old;
  return f;
}

/* E: NULL: nothing, but a path shows the block. */
static void
assume(condition *c, uint32_t n, const frame *f, const hd_boogie_expr *e)
{
  hd_vc_command(c, n, ASSUME, f)->expr = e;
}

static void
assert_(condition *c, uint32_t n, const frame *f, const hd_boogie_expr *e, hd_vc_assertion a)
{
  uint32_t number = new_assertion(c, a);
  command *x = hd_vc_command(c, n, ASSERT, f);
  x->expr = e;
  x->assertion = number;
}

/* One assignment to whole instances; a value is an expression in F, or a source. */
static void
assign(condition *c, uint32_t n, const frame *f, uint32_t target, const hd_boogie_expr *value, uint32_t source)
{
  command *x = hd_vc_command(c, n, ASSIGN, f);
  x->n = 1;
  x->targets = hd_vc_alloc(c, sizeof *x->targets);
  x->sources = hd_vc_alloc(c, sizeof *x->sources);
  x->values = hd_vc_alloc(c, sizeof *x->values);
  x->places = hd_vc_alloc(c, sizeof *x->places);
  *x->targets = target;
  *x->sources = source;
  *x->values = value;
}

static uint32_t
target_instance(condition *c, const frame *f, const hd_boogie_expr *place)
{
  bool initial;
  while (place->kind == HD_BOOGIE_SELECT || place->kind == HD_BOOGIE_COERCE)
    place = place->args.items[0];
  uint32_t i = place->kind == HD_BOOGIE_VAR ? hd_vc_lookup(f, place->u.id.var, false, &initial) : NOT_AN_INSTANCE;
  if (i == NOT_AN_INSTANCE)
    hd_vc_unsupported(c, place->at, "this cannot be assigned to");
  return i;
}

static void
add_assign(condition *c, uint32_t n, const frame *f, const hd_boogie_cmd *cmd)
{
  size_t k = cmd->targets.n;
  command *x = hd_vc_command(c, n, ASSIGN, f);
  x->n = k;
  x->targets = hd_vc_alloc(c, k * sizeof *x->targets);
  x->sources = hd_vc_alloc(c, k * sizeof *x->sources);
  x->values = hd_vc_alloc(c, k * sizeof *x->values);
  x->places = hd_vc_alloc(c, k * sizeof *x->places);
  for (size_t i = 0; i < k; i++)
  {
    x->targets[i] = target_instance(c, f, cmd->targets.items[i]);
    x->places[i] = cmd->targets.items[i]->kind == HD_BOOGIE_VAR ? NULL : cmd->targets.items[i];
    x->values[i] = cmd->values.items[i];
  }
}

static void
add_havoc(condition *c, uint32_t n, const frame *f, const hd_boogie_cmd *cmd)
{
  uint32_t *targets = hd_vc_alloc(c, cmd->targets.n * sizeof *targets);
  for (size_t i = 0; i < cmd->targets.n; i++)
    targets[i] = target_instance(c, f, cmd->targets.items[i]);
  hd_vc_havoc(c, n, cmd->targets.n, targets);
}

/* Keep what the callee's modifies clause names, for old() in its contract. */
static void
snapshot(condition *c, uint32_t n, frame *f, const hd_boogie_proc *proc, const char *prefix)
{
  for (size_t i = 0; i < proc->modifies.n; i++)
  {
    const hd_boogie_var *g = proc->modifies.items[i]->u.id.var;
    bool initial;
    uint32_t now = hd_vc_lookup(c->globals, g, false, &initial);
    uint32_t old = hd_vc_instance(c, g, hd_vc_text(c, "%s%s", prefix, g->name), f, false);
    assign(c, n, f, old, NULL, now);
    hd_vc_bind_old(c, f, g, old);
  }
}

static void
check_call(condition *c, const hd_boogie_cmd *cmd)
{
  if (cmd->is_async)
    hd_vc_unsupported(c, cmd->at, "an asynchronous call can be verified in a layered program alone");
}

/* What the type parameters of the procedure that CMD calls, and of its body if there is one, stand for. */
static const types *
callee_types(condition *c, const frame *f, const hd_boogie_cmd *cmd, const hd_boogie_impl *body)
{
  const type **args = hd_vc_type_args(c, f->types, &cmd->type_args);
  const types *env = hd_vc_types(c, NULL, &cmd->proc->type_params, args);
  return body ? hd_vc_types(c, env, &body->type_params, args) : env;
}

/* The call as its contract says. */
static void
add_call(condition *c, uint32_t n, const frame *f, const hd_boogie_cmd *cmd, const char *inlined)
{
  const hd_boogie_proc *proc = cmd->proc;
  check_call(c, cmd);
  frame *callee = new_frame(c, true, callee_types(c, f, cmd, NULL));
  for (size_t i = 0; i < proc->ins.n; i++)
  {
    const hd_boogie_var *in = proc->ins.items[i];
    uint32_t v = hd_vc_instance(c, in, hd_vc_text(c, "call.%s.%s", proc->name, in->name), callee, false);
    hd_vc_bind(c, callee, in, v);
    assign(c, n, f, v, cmd->values.items[i], 0);
  }
  for (size_t i = 0; i < proc->requires.n; i++)
  {
    const hd_boogie_spec *s = proc->requires.items[i];
    if (s->is_free || cmd->is_free)
      continue;
    hd_vc_assertion a = {.reason = HD_BOOGIE_PRECONDITION,
                         .at = cmd->at,
                         .related = s->at,
                         .message = cmd->message,
                         .related_message = s->message,
                         .said = hd_boogie_attr_text(s->attrs, "msg"),
                         .inlined = inlined};
    assert_(c, n, callee, s->expr, a);
  }
  snapshot(c, n, callee, proc, "old.");
  uint32_t *changed = hd_vc_alloc(c, (proc->modifies.n + proc->outs.n) * sizeof *changed);
  size_t nchanged = 0;
  for (size_t i = 0; i < proc->modifies.n; i++)
  {
    bool initial;
    changed[nchanged++] = hd_vc_lookup(c->globals, proc->modifies.items[i]->u.id.var, false, &initial);
  }
  for (size_t i = 0; i < proc->outs.n; i++)
  {
    const hd_boogie_var *out = proc->outs.items[i];
    uint32_t v = hd_vc_instance(c, out, hd_vc_text(c, "call.%s.%s", proc->name, out->name), callee, false);
    hd_vc_bind(c, callee, out, v);
    changed[nchanged++] = v;
  }
  hd_vc_havoc(c, n, nchanged, changed);
  for (size_t i = 0; i < proc->ensures.n; i++)
    assume(c, n, callee, proc->ensures.items[i]->expr);
  for (size_t i = 0; i < cmd->targets.n; i++)
    if (cmd->targets.items[i])
    {
      bool initial;
      assign(c, n, f, target_instance(c, f, cmd->targets.items[i]), NULL,
             hd_vc_lookup(callee, proc->outs.items[i], false, &initial));
    }
}

/* How often the body may be put in place of a call of itself; -1: it is not to be put in. */
static int64_t
inline_depth(const hd_boogie_impl *impl)
{
  int64_t n = -1;
  if (!hd_boogie_attr_int(impl->proc->attrs, "inline", &n))
    hd_boogie_attr_int(impl->attrs, "inline", &n);
  return n;
}

static uint32_t add_blocks(condition *c, const frame *f, const hd_boogie_blocks *blocks, const char *prefix,
                           uint32_t exit, const char *inlined);

static uint32_t
body_instance(condition *c, const hd_boogie_var *decl, const char *name, const frame *f)
{
  uint32_t k = hd_vc_instance(c, decl, name, f, false);
  c->instances[k].local = true;
  return k;
}

/* Instances for the variables of a body that is put in. */
static frame *
body_frame(condition *c, const hd_boogie_impl *impl, const types *types, const char *prefix)
{
  frame *f = new_frame(c, true, types);
  for (size_t i = 0; i < impl->ins.n; i++)
  {
    const hd_boogie_var *v = impl->ins.items[i];
    uint32_t k = body_instance(c, v, hd_vc_text(c, "%s$%s", prefix, v->name), f);
    hd_vc_bind(c, f, v, k);
    hd_vc_bind(c, f, impl->proc->ins.items[i], k);
  }
  for (size_t i = 0; i < impl->outs.n; i++)
  {
    const hd_boogie_var *v = impl->outs.items[i];
    uint32_t k = body_instance(c, impl->proc->outs.items[i], hd_vc_text(c, "%s$%s", prefix, v->name), f);
    hd_vc_bind(c, f, v, k);
    hd_vc_bind(c, f, impl->proc->outs.items[i], k);
  }
  for (size_t i = 0; i < impl->locals.n; i++)
  {
    const hd_boogie_var *v = impl->locals.items[i];
    hd_vc_bind(c, f, v, body_instance(c, v, hd_vc_text(c, "%s$%s", prefix, v->name), f));
  }
  return f;
}

/* Put the body of IMPL in place of the call at the end of node FROM; the answer is the node after it, without a label.
 */
static uint32_t
add_body(condition *c, uint32_t from, const frame *f, const hd_boogie_cmd *cmd, const hd_boogie_impl *impl)
{
  const hd_boogie_proc *proc = impl->proc;
  const char *prefix = hd_vc_text(c, "inline$%s$%u", proc->name, c->inlined[proc->id]++);
  check_call(c, cmd);
  frame *body = body_frame(c, impl, callee_types(c, f, cmd, impl), prefix);
  uint32_t entry = hd_vc_node(c, hd_vc_text(c, "%s$Entry", prefix), impl->at, false);
  uint32_t leave = hd_vc_node(c, hd_vc_text(c, "%s$Return", prefix), impl->at, false);
  bool initial;
  hd_vc_edge(c, from, entry);
  for (size_t i = 0; i < impl->ins.n; i++)
    assign(c, entry, f, hd_vc_lookup(body, impl->ins.items[i], false, &initial), cmd->values.items[i], 0);
  for (size_t i = 0; i < proc->requires.n; i++)
  {
    const hd_boogie_spec *s = proc->requires.items[i];
    hd_vc_assertion a = {.reason = HD_BOOGIE_PRECONDITION,
                         .at = cmd->at,
                         .related = s->at,
                         .message = cmd->message,
                         .related_message = s->message,
                         .said = hd_boogie_attr_text(s->attrs, "msg"),
                         .inlined = proc->name};
    if (s->is_free)
      assume(c, entry, body, NULL);
    else
      assert_(c, entry, body, s->expr, a);
  }
  uint32_t *fresh = hd_vc_alloc(c, (impl->locals.n + impl->outs.n) * sizeof *fresh);
  size_t nfresh = 0;
  for (size_t i = 0; i < impl->locals.n; i++)
    fresh[nfresh++] = hd_vc_lookup(body, impl->locals.items[i], false, &initial);
  for (size_t i = 0; i < impl->outs.n; i++)
    fresh[nfresh++] = hd_vc_lookup(body, impl->outs.items[i], false, &initial);
  hd_vc_havoc(c, entry, nfresh, fresh);
  snapshot(c, entry, body, proc, hd_vc_text(c, "%s$old.", prefix));
  c->depth[proc->id]++;
  const char *inside = c->inside;
  hd_vc_edge(c, entry, add_blocks(c, body, &impl->blocks, hd_vc_text(c, "%s$", prefix), leave, proc->name));
  c->here = cmd->at;
  c->inside = inside;
  c->depth[proc->id]--;
  for (size_t i = 0; i < proc->ensures.n; i++)
  {
    const hd_boogie_spec *s = proc->ensures.items[i];
    hd_vc_assertion a = {.reason = HD_BOOGIE_POSTCONDITION,
                         .at = impl->at,
                         .related = s->at,
                         .related_message = s->message,
                         .said = hd_boogie_attr_text(s->attrs, "msg"),
                         .inlined = proc->name};
    if (s->is_free)
      assume(c, leave, body, NULL);
    else
      assert_(c, leave, body, s->expr, a);
  }
  for (size_t i = 0; i < cmd->targets.n; i++)
    if (cmd->targets.items[i])
      assign(c, leave, f, target_instance(c, f, cmd->targets.items[i]), NULL,
             hd_vc_lookup(body, impl->outs.items[i], false, &initial));
  uint32_t next = hd_vc_node(c, NULL, impl->at, false);
  hd_vc_edge(c, leave, next);
  return next;
}

/* The commands of B, from node N on; the answer is the node that B ends in. *PARTS: how many calls were replaced since
 * LABEL. */
static uint32_t
add_commands(condition *c, uint32_t n, const frame *f, const hd_boogie_block *b, const char *label, hd_boogie_place at,
             const char *inlined, unsigned *parts)
{
  for (size_t i = 0; i < b->cmds.n; i++)
  {
    const hd_boogie_cmd *cmd = b->cmds.items[i];
    const hd_boogie_impl *body;
    int64_t subsumption;
    c->here = cmd->at;
    c->inside = inlined;
    switch (cmd->kind)
    {
    case HD_BOOGIE_ASSERT:
      assert_(c, n, f, cmd->expr,
              (hd_vc_assertion){.reason = cmd->reason,
                                .forgets = hd_boogie_attr_int(cmd->attrs, "subsumption", &subsumption) && !subsumption,
                                .at = cmd->at,
                                .related = cmd->spec ? cmd->spec->at : cmd->at,
                                .message = cmd->message,
                                .related_message = cmd->spec ? cmd->spec->message : NULL,
                                .said = hd_boogie_attr_text(cmd->attrs, "msg"),
                                .inlined = inlined});
      break;
    case HD_BOOGIE_ASSUME:
      assume(c, n, f, cmd->expr);
      break;
    case HD_BOOGIE_ASSIGN:
      add_assign(c, n, f, cmd);
      break;
    case HD_BOOGIE_HAVOC:
      add_havoc(c, n, f, cmd);
      break;
    case HD_BOOGIE_CALL:
      body = c->program->body[cmd->proc->id];
      if (body && inline_depth(body) > (int64_t) c->depth[cmd->proc->id])
      {
        n = add_body(c, n, f, cmd, body);
        c->nodes[n].label = hd_vc_text(c, "%s$%u", label, ++*parts);
        c->nodes[n].at = at;
      }
      else
        add_call(c, n, f, cmd, inlined);
      break;
    case HD_BOOGIE_PAR:
      hd_vc_unsupported(c, cmd->at, "a parallel call can be verified in a layered program alone");
    case HD_BOOGIE_YIELD:
      hd_vc_unsupported(c, cmd->at, "a yield can be verified in a layered program alone");
    }
  }
  return n;
}

/* Nodes for BLOCKS, whose returns go to EXIT, or end there if there is NO_EXIT. The answer is the first one. */
static uint32_t
add_blocks(condition *c, const frame *f, const hd_boogie_blocks *blocks, const char *prefix, uint32_t exit,
           const char *inlined)
{
  uint32_t *first = hd_vc_alloc(c, blocks->n * sizeof *first), *last = hd_vc_alloc(c, blocks->n * sizeof *last);
  const hd_boogie_block **ends = hd_vc_alloc(c, blocks->n * sizeof *ends);
  chain h = hd_vc_chains(c, blocks);
  for (size_t i = 0; i < blocks->n; i++)
  {
    if (!h.reachable[i] || h.inside[i])
      continue;
    const hd_boogie_block *named = blocks->items[i], *b = named;
    for (const hd_boogie_block *next = b; !named->at.line && next; next = hd_vc_chain_next(&h, next))
      named = next->at.line ? next : named;
    const char *label = hd_vc_text(c, "%s%s", prefix, named->label);
    first[i] = last[i] = hd_vc_node(c, label, named->at, false);
    unsigned parts = 0;
    for (; b; b = hd_vc_chain_next(&h, b))
    {
      last[i] = add_commands(c, last[i], f, b, label, named->at, inlined, &parts);
      ends[i] = b;
    }
  }
  for (size_t i = 0; i < blocks->n; i++)
  {
    if (!ends[i])
      continue;
    const hd_boogie_transfer *t = &ends[i]->transfer;
    if (t->kind == HD_BOOGIE_GOTO)
    {
      for (size_t j = 0; j < t->targets.n; j++)
        hd_vc_edge(c, last[i], first[hd_vc_chain_index(&h, t->targets.items[j])]);
      continue;
    }
    if (t->kind == HD_BOOGIE_RETURN_EXPR)
    {
      if (exit != NO_EXIT)
        hd_vc_unsupported(c, t->at, "a value can be returned in a code expression alone");
      c->nodes[last[i]].returned = t->expr;
      c->nodes[last[i]].returned_frame = f;
    }
    if (exit == NO_EXIT)
      continue;
    c->nodes[last[i]].returns = true;
    c->nodes[last[i]].return_at = t->at;
    hd_vc_edge(c, last[i], exit);
  }
  return first[0];
}

void
hd_vc_code_graph(condition *c, const frame *f, const hd_boogie_blocks *blocks, bool may_call)
{
  for (size_t i = 0; !may_call && i < blocks->n; i++)
    for (size_t j = 0; j < blocks->items[i]->cmds.n; j++)
      if (blocks->items[i]->cmds.items[j]->kind == HD_BOOGIE_CALL)
        hd_vc_unsupported(c, blocks->items[i]->cmds.items[j]->at,
                          "there are no variables here, so nothing can be called");
  uint32_t start = hd_vc_node(c, "start", (hd_boogie_place){0}, true);
  hd_vc_edge(c, start, add_blocks(c, f, blocks, "", NO_EXIT, NULL));
}

/* Where clauses and preconditions. */
static void
add_start(condition *c, uint32_t n, const frame *f)
{
  const hd_boogie_impl *impl = c->impl;
  for (size_t i = 0; i < c->program->nglobals; i++)
    if (c->program->globals[i]->where)
      assume(c, n, f, c->program->globals[i]->where);
  const hd_boogie_vars *lists[] = {&impl->proc->ins, &impl->proc->outs, &impl->locals};
  for (size_t k = 0; k < 3; k++)
    for (size_t i = 0; i < lists[k]->n; i++)
      if (lists[k]->items[i]->where)
        assume(c, n, f, lists[k]->items[i]->where);
  for (size_t i = 0; i < impl->proc->requires.n; i++)
    assume(c, n, f, impl->proc->requires.items[i]->expr);
}

void
hd_vc_flow(condition *c)
{
  const hd_boogie_impl *impl = c->impl;
  /* Of the type parameters nothing is known. */
  const type **unknown = hd_vc_alloc(c, impl->type_params.n * sizeof *unknown);
  for (size_t i = 0; i < impl->type_params.n; i++)
    unknown[i] = hd_vc_unknown_type(c, impl->type_params.items[i]->name);
  const types *types = hd_vc_types(c, NULL, &impl->type_params, unknown);
  types = hd_vc_types(c, types, &impl->proc->type_params, unknown);
  c->globals = hd_vc_alloc(c, sizeof *c->globals);
  for (size_t i = 0; i < c->program->nglobals; i++)
  {
    const hd_boogie_var *g = c->program->globals[i];
    hd_vc_bind(c, c->globals, g, hd_vc_instance(c, g, g->name, c->globals, true));
  }
  frame *f = new_frame(c, false, types);
  const hd_boogie_vars *lists[] = {&impl->ins, &impl->outs, &impl->locals};
  const hd_boogie_vars *contract[] = {&impl->proc->ins, &impl->proc->outs, NULL};
  for (size_t k = 0; k < 3; k++)
    for (size_t i = 0; i < lists[k]->n; i++)
    {
      const hd_boogie_var *v = lists[k]->items[i];
      uint32_t number = hd_vc_instance(c, contract[k] ? contract[k]->items[i] : v, v->name, f, true);
      hd_vc_bind(c, f, v, number);
      if (contract[k])
        hd_vc_bind(c, f, contract[k]->items[i], number);
    }
  uint32_t start = hd_vc_node(c, "start", impl->at, true), exit = hd_vc_node(c, "exit", impl->at, true);
  add_start(c, start, f);
  hd_vc_edge(c, start, add_blocks(c, f, &impl->blocks, "", exit, NULL));
  c->here = (hd_boogie_place){0};
  for (size_t i = 0; i < impl->proc->ensures.n; i++)
  {
    const hd_boogie_spec *s = impl->proc->ensures.items[i];
    if (!s->is_free)
      assert_(c, exit, f, s->expr,
              (hd_vc_assertion){.reason = HD_BOOGIE_POSTCONDITION,
                                .at = impl->at,
                                .related = s->at,
                                .related_message = s->message,
                                .said = hd_boogie_attr_text(s->attrs, "msg")});
  }
}
