/* instrument.c: a copy of a yielding procedure becomes sequential code that checks itself.
 *
 * Blocks are cut so that whatever ends a fragment is the first command of its block. From the block before it an edge
 * leads to the block YieldChecker, which checks the fragment that ends and goes no further; all share one, so that what
 * is checked stands there once. Returns lead to ReturnChecker.
 *
 * A loop in which a fragment may end forgets what its fragments before were compared with. So a fragment ends on each
 * edge into its head, too: it is checked, snapshots are taken, and the head assumes that they are what was taken. */
#include "civl/copies.h"

static const hd_boogie_place generated = {.file = ""};

bool
hd_civl_ends_fragment(const layer_copies *l, const hd_boogie_cmd *cmd)
{
  return cmd->kind == HD_BOOGIE_YIELD || cmd->kind == HD_BOOGIE_PAR
         || (cmd->kind == HD_BOOGIE_CALL && hd_civl_table_get(&l->is_yield, cmd->proc));
}

void
hd_civl_assign_all(hd_boogie_program *p, const hd_boogie_vars *targets, const hd_boogie_exprs *values,
                   hd_boogie_cmds *out)
{
  if (targets->n == 0)
    return;
  hd_boogie_cmd *cmd = hd_boogie_new_cmd(p, HD_BOOGIE_ASSIGN, generated);
  for (size_t i = 0; i < targets->n; i++)
  {
    HD_BOOGIE_ADD(p, cmd->targets, hd_boogie_use(p, targets->items[i]));
    HD_BOOGIE_ADD(p, cmd->values, values->items[i]);
  }
  HD_BOOGIE_ADD(p, *out, cmd);
}

/* ---- what there is ---- */

/* Loops in which a fragment may end, and those that dominate one. Inner ones first. */
static void
find_heads(body *b, const hd_boogie_graph *g)
{
  hd_boogie_program *p = b->layer->c->program;
  for (size_t head = g->n; head-- > 0;)
  {
    bool ends = false;
    if (!g->is_head[head])
      continue;
    for (size_t i = 0; i < b->heads.n && !ends; i++)
      ends = hd_boogie_graph_dominates(g, head, hd_boogie_graph_number(g, b->heads.items[i]));
    for (size_t i = 0; i < g->n && !ends; i++)
      for (size_t k = 0; k < g->nodes[i]->cmds.n && !ends; k++)
        ends = hd_civl_ends_fragment(b->layer, g->nodes[i]->cmds.items[k]) && hd_boogie_graph_in_loop(g, head, i);
    if (ends)
      HD_BOOGIE_ADD(p, b->heads, g->nodes[head]);
  }
}

static void
find_yields(body *b)
{
  hd_boogie_program *p = b->layer->c->program;
  for (size_t i = 0; i < b->impl->blocks.n; i++)
  {
    const hd_boogie_cmds *cmds = &b->impl->blocks.items[i]->cmds;
    for (size_t k = 0; k < cmds->n; k++)
    {
      if (cmds->items[k]->kind != HD_BOOGIE_YIELD)
        continue;
      yield_point y = {.yield = cmds->items[k]};
      for (size_t j = k + 1; j < cmds->n; j++)
      {
        hd_boogie_cmd *cmd = cmds->items[j];
        if ((cmd->kind != HD_BOOGIE_ASSERT && cmd->kind != HD_BOOGIE_ASSUME)
            || hd_civl_table_get(&b->layer->gates, cmd))
          break;
        HD_BOOGIE_ADD(p, y.predicates, cmd);
      }
      HD_BOOGIE_ADD(p, b->yields, y);
    }
  }
}

static const yield_point *
point_of(const body *b, const hd_boogie_cmd *yield)
{
  for (size_t i = 0; i < b->yields.n; i++)
    if (b->yields.items[i].yield == yield)
      return &b->yields.items[i];
  HD_CHECK(false);
  return NULL;
}

/* ---- snapshots of the globals ---- */

static void
make_snapshots(body *b)
{
  hd_boogie_program *p = b->layer->c->program;
  const hd_boogie_vars *globals = &b->layer->c->globals;
  for (size_t i = 0; i < globals->n; i++)
  {
    const hd_boogie_var *g = globals->items[i];
    HD_BOOGIE_ADD(
        p, b->snapshots,
        hd_boogie_new_var(p, HD_BOOGIE_LOCAL, generated, hd_boogie_text(p, "og_global_old_%s", g->name), g->type));
  }
}

static void
take_snapshots(body *b, hd_boogie_cmds *out)
{
  hd_boogie_program *p = b->layer->c->program;
  const hd_boogie_vars *globals = &b->layer->c->globals;
  hd_boogie_exprs now = {0};
  for (size_t i = 0; i < globals->n; i++)
    HD_BOOGIE_ADD(p, now, hd_boogie_use(p, globals->items[i]));
  hd_civl_assign_all(p, &b->snapshots, &now, out);
}

static void
assume_snapshots(body *b, hd_boogie_cmds *out)
{
  hd_boogie_program *p = b->layer->c->program;
  const hd_boogie_vars *globals = &b->layer->c->globals;
  for (size_t i = 0; i < globals->n; i++)
  {
    hd_boogie_expr *same
        = hd_boogie_eq(p, hd_boogie_use(p, globals->items[i]), hd_boogie_use(p, b->snapshots.items[i]));
    HD_BOOGIE_ADD(p, *out, hd_boogie_assume(p, generated, same));
  }
}

/* ---- blocks ---- */

static void
add_target(hd_boogie_program *p, hd_boogie_block *from, hd_boogie_block *to)
{
  for (size_t i = 0; i < from->transfer.targets.n; i++)
    if (from->transfer.targets.items[i] == to)
      return;
  HD_BOOGIE_ADD(p, from->transfer.targets, to);
}

static hd_boogie_block *
new_block(hd_boogie_program *p, const char *label, hd_boogie_block *next)
{
  hd_boogie_block *block = hd_boogie_new_block(p, generated, label);
  block->transfer.kind = next ? HD_BOOGIE_GOTO : HD_BOOGIE_RETURN;
  block->transfer.at = generated;
  if (next)
    HD_BOOGIE_ADD(p, block->transfer.targets, next);
  return block;
}

/* Cut the block before each command that ends a fragment. PARTS get what is cut off. Returns the part at the end. */
static hd_boogie_block *
cut(body *b, hd_boogie_block *block, hd_boogie_blocks *parts)
{
  hd_boogie_program *p = b->layer->c->program;
  hd_boogie_block *last = block;
  size_t end = block->cmds.n, count = 0;
  for (size_t i = block->cmds.n; i-- > 0;)
  {
    if (!hd_civl_ends_fragment(b->layer, block->cmds.items[i]))
      continue;
    hd_boogie_block *part = hd_boogie_new_block(p, block->at, hd_boogie_text(p, "%s_%zu", block->label, count++));
    for (size_t k = i; k < end; k++)
      HD_BOOGIE_ADD(p, part->cmds, block->cmds.items[k]);
    part->transfer = block->transfer;
    block->transfer = (hd_boogie_transfer){.kind = HD_BOOGIE_GOTO, .at = block->at};
    HD_BOOGIE_ADD(p, block->transfer.targets, part);
    HD_BOOGIE_ADD(p, *parts, part);
    last = last == block ? part : last;
    end = i;
  }
  block->cmds.n = end;
  return last;
}

/* The fragment may end after BLOCK. */
static bool
ends_after(const body *b, const hd_boogie_block *block)
{
  for (size_t i = 0; i < block->transfer.targets.n; i++)
  {
    const hd_boogie_block *next = block->transfer.targets.items[i];
    if (next->cmds.n > 0 && hd_civl_ends_fragment(b->layer, next->cmds.items[0]))
      return true;
  }
  return false;
}

/* ---- what ends a fragment ---- */

/* The fragment that begins after ORIGIN. */
static void
begin_fragment(body *b, const void *origin, hd_boogie_cmds *out)
{
  take_snapshots(b, out);
  hd_civl_refine_snapshot(b, out);
  hd_civl_interfere_update(b, origin, out);
}

static void
havoc_globals(body *b, hd_boogie_place at, hd_boogie_cmds *out)
{
  hd_boogie_program *p = b->layer->c->program;
  const hd_boogie_vars *globals = &b->layer->c->globals;
  if (globals->n == 0)
    return;
  hd_boogie_cmd *havoc = hd_boogie_new_cmd(p, HD_BOOGIE_HAVOC, at);
  for (size_t i = 0; i < globals->n; i++)
    HD_BOOGIE_ADD(p, havoc->targets, hd_boogie_use(p, globals->items[i]));
  HD_BOOGIE_ADD(p, *out, havoc);
  hd_civl_refine_assume(b, out);
}

/* Returns how many commands it stands for. */
static size_t
replace_yield(body *b, hd_boogie_cmd *yield, hd_boogie_cmds *out)
{
  hd_boogie_program *p = b->layer->c->program;
  const hd_boogie_cmds *predicates = &point_of(b, yield)->predicates;
  for (size_t i = 0; i < predicates->n; i++)
    HD_BOOGIE_ADD(p, *out, predicates->items[i]);
  havoc_globals(b, yield->at, out);
  begin_fragment(b, yield, out);
  for (size_t i = 0; i < predicates->n; i++)
    HD_BOOGIE_ADD(p, *out, hd_boogie_assume(p, generated, predicates->items[i]->expr));
  return 1 + predicates->n;
}

static void
replace_call(body *b, hd_boogie_cmd *call, hd_boogie_cmds *out)
{
  hd_boogie_program *p = b->layer->c->program;
  hd_boogie_cmd *made = call;
  if (call->kind == HD_BOOGIE_PAR)
    made = hd_civl_join_par(b->layer, call);
  else if (call->is_async)
  {
    made = hd_boogie_new_cmd(p, HD_BOOGIE_CALL, call->at);
    made->attrs = call->attrs;
    made->values = call->values;
    made->targets = call->targets;
    made->proc = hd_civl_async_target(b->layer, call);
    made->name = made->proc->name;
  }
  HD_BOOGIE_ADD(p, *out, made);
  if (!call->is_async && b->layer->c->globals.n > 0)
    hd_civl_refine_assume(b, out);
  begin_fragment(b, call, out);
}

static void
replace_first(body *b, hd_boogie_block *block)
{
  hd_boogie_program *p = b->layer->c->program;
  if (block->cmds.n == 0 || !hd_civl_ends_fragment(b->layer, block->cmds.items[0]))
    return;
  hd_boogie_cmd *first = block->cmds.items[0];
  hd_boogie_cmds cmds = {0};
  size_t done = 1;
  hd_civl_refine_update(b, &cmds);
  if (first->kind == HD_BOOGIE_YIELD)
    done = replace_yield(b, first, &cmds);
  else
    replace_call(b, first, &cmds);
  for (size_t i = done; i < block->cmds.n; i++)
    HD_BOOGIE_ADD(p, cmds, block->cmds.items[i]);
  block->cmds = cmds;
}

/* ---- loops ---- */

/* On the edge from FROM (its block at the end is LAST) to the head of loop NUMBER the fragment ends. */
static void
cut_edge(body *b, const hd_boogie_block *from, hd_boogie_block *last, size_t number, bool back,
         hd_boogie_block *checker)
{
  hd_boogie_program *p = b->layer->c->program;
  hd_boogie_block *head = b->heads.items[number];
  bool there = false; /* not if there are two edges and this is the second */
  for (size_t i = 0; i < last->transfer.targets.n; i++)
    there = there || last->transfer.targets.items[i] == head;
  if (!there)
    return;
  hd_boogie_block *edge = new_block(p, hd_boogie_text(p, "%s_to_%s", from->label, head->label), head);
  hd_civl_refine_update(b, &edge->cmds);
  begin_fragment(b, head, &edge->cmds);
  if (!back)
    hd_civl_refine_save(b, number, &edge->cmds);
  for (size_t i = 0; i < last->transfer.targets.n; i++)
    if (last->transfer.targets.items[i] == head)
      last->transfer.targets.items[i] = edge;
  add_target(p, last, checker);
  HD_BOOGIE_ADD(p, b->impl->blocks, edge);
}

static void
begin_head(body *b, size_t number)
{
  hd_boogie_program *p = b->layer->c->program;
  hd_boogie_block *head = b->heads.items[number];
  hd_boogie_cmds cmds = {0};
  assume_snapshots(b, &cmds);
  hd_civl_interfere_assume(b, head, &cmds);
  hd_civl_refine_head(b, number, &cmds);
  for (size_t i = 0; i < head->cmds.n; i++)
    HD_BOOGIE_ADD(p, cmds, head->cmds.items[i]);
  head->cmds = cmds;
}

/* ---- all of it ---- */

static void
rewire(body *b, const hd_boogie_graph *g)
{
  hd_boogie_program *p = b->layer->c->program;
  hd_boogie_impl *impl = b->impl;
  hd_boogie_blocks parts = {0};
  hd_boogie_block **last = hd_boogie_alloc(p, (g->n ? g->n : 1) * sizeof *last); /* by number in the graph */
  for (size_t i = 0; i < g->n; i++)
    last[i] = cut(b, g->nodes[i], &parts);
  for (size_t i = 0; i < parts.n; i++)
    HD_BOOGIE_ADD(p, impl->blocks, parts.items[i]);
  hd_boogie_block *checker = new_block(p, "YieldChecker", NULL), *end = new_block(p, "ReturnChecker", NULL);
  hd_civl_refine_check(b, &checker->cmds);
  hd_civl_interfere_check(b, &checker->cmds);
  HD_BOOGIE_ADD(p, checker->cmds, hd_boogie_assume(p, generated, hd_boogie_bool(p, false)));
  hd_civl_refine_update(b, &end->cmds);
  hd_civl_refine_final(b, &end->cmds);
  for (size_t i = 0; i < impl->blocks.n; i++)
  {
    hd_boogie_block *block = impl->blocks.items[i];
    if (block->transfer.kind == HD_BOOGIE_GOTO)
    {
      if (ends_after(b, block))
        add_target(p, block, checker);
      continue;
    }
    block->transfer.kind = HD_BOOGIE_GOTO;
    block->transfer.targets = (hd_boogie_blocks){0};
    HD_BOOGIE_ADD(p, block->transfer.targets, end);
  }
  for (size_t i = 0; i < impl->blocks.n; i++)
    replace_first(b, impl->blocks.items[i]);
  for (size_t i = 0; i < b->heads.n; i++)
  {
    size_t head = hd_boogie_graph_number(g, b->heads.items[i]);
    for (size_t k = 0; k < g->n_predecessors[head]; k++)
    {
      size_t from = g->predecessors[head][k];
      cut_edge(b, g->nodes[from], last[from], i, hd_boogie_graph_dominates(g, head, from), checker);
    }
    begin_head(b, i);
  }
  HD_BOOGIE_ADD(p, impl->blocks, checker);
  HD_BOOGIE_ADD(p, impl->blocks, end);
}

static void
add_start(body *b)
{
  hd_boogie_program *p = b->layer->c->program;
  hd_boogie_blocks blocks = {0};
  hd_boogie_block *start = new_block(p, "og_init", b->impl->blocks.items[0]);
  take_snapshots(b, &start->cmds);
  hd_civl_refine_init(b, &start->cmds);
  hd_civl_interfere_init(b, &start->cmds);
  /* No loop with a yield begins at the entry, for the yields must be bracketed; one without can, before a loop that has
   * one. */
  for (size_t i = 0; i < b->heads.n; i++)
    if (b->heads.items[i] == b->impl->blocks.items[0])
      hd_civl_refine_save(b, i, &start->cmds);
  HD_BOOGIE_ADD(p, blocks, start);
  for (size_t i = 0; i < b->impl->blocks.n; i++)
    HD_BOOGIE_ADD(p, blocks, b->impl->blocks.items[i]);
  b->impl->blocks = blocks;
}

void
hd_civl_instrument(layer_copies *l, const copied_impl *copy)
{
  hd_boogie_program *p = l->c->program;
  body b = {.layer = l, .yielding = copy->from->yielding, .from = copy->from->impl, .impl = copy->impl};
  hd_civl_prune(p, b.impl);
  hd_boogie_graph *g = hd_boogie_graph_new(&b.impl->blocks);
  make_snapshots(&b);
  find_heads(&b, g);
  find_yields(&b);
  hd_civl_interfere_begin(&b);
  hd_civl_refine_begin(&b);
  rewire(&b, g);
  add_start(&b);
  for (size_t i = 0; i < b.snapshots.n; i++)
    HD_BOOGIE_ADD(p, b.impl->locals, b.snapshots.items[i]);
  hd_boogie_graph_free(g);
}
