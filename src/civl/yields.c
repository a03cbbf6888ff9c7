/* yields.c: yield sufficiency: whether every path of a yielding procedure has yields where it needs them.
 *
 * The code of an implementation at one layer is a graph of places (beginnings of blocks, commands, transfers) whose
 * edges are labelled with what a command does to shared state there. Two automata must simulate it. The bracket
 * automaton says that shared state is touched only between the first and the last yield of a path. The atomicity
 * automaton says that between two yields there are right movers, at most one action that is no mover, then left movers
 * (Lipton): such a stretch can be taken for one step. */
#include <stdlib.h>
#include <string.h>

#include "civl/yields.h"

static const simulation_edge bracket[] = {
    {BEFORE, BEFORE, P}, {BEFORE, INSIDE, Y}, {BEFORE, AFTER, Y},  {INSIDE, INSIDE, Y},
    {INSIDE, INSIDE, B}, {INSIDE, INSIDE, R}, {INSIDE, INSIDE, L}, {INSIDE, INSIDE, A},
    {INSIDE, INSIDE, P}, {INSIDE, INSIDE, I}, {INSIDE, AFTER, Y},  {AFTER, AFTER, P},
};

static const simulation_edge atomicity[] = {
    {RM, RM, P}, {RM, RM, I}, {RM, RM, B}, {RM, RM, R}, {RM, RM, Y}, {RM, LM, L},
    {RM, LM, A}, {LM, LM, P}, {LM, LM, I}, {LM, LM, B}, {LM, LM, L}, {LM, RM, Y},
};

typedef struct checker
{
  hd_civl *c;
  uint64_t **reaches; /* mover procedures that a mover procedure calls, also through others: bits by number, or null */
} checker;

/* ---- labels ---- */

static uint8_t
label_of_mover(mover m)
{
  static const uint8_t labels[] = {[MOVER_ATOMIC] = A, [MOVER_RIGHT] = R, [MOVER_LEFT] = L, [MOVER_BOTH] = B};
  return labels[m];
}

static uint8_t
label_of_call(const yields_graph *g, const hd_boogie_cmd *call)
{
  const yielding *callee = hd_civl_yielding_of(g->c, call->proc);
  if (!callee)
    return I;
  if (callee->layer < g->layer)
    return label_of_mover(callee->mover);
  if (call->is_async)
    return L;
  return is_mover_at(callee, g->layer) ? label_of_mover(callee->mover) : Y;
}

static uint8_t
label_of_parallel(const yields_graph *g, const hd_boogie_cmd *par)
{
  bool left = true, right = true;
  for (size_t i = 0; i < par->calls.n; i++)
  {
    const yielding *callee = hd_civl_yielding_of(g->c, par->calls.items[i]->proc);
    if (callee->layer >= g->layer)
      return Y;
    left &= mover_is_left(callee->mover);
    right &= mover_is_right(callee->mover);
  }
  return left ? (right ? B : L) : right ? R : A;
}

static uint8_t
label_of(const yields_graph *g, const hd_boogie_cmd *cmd)
{
  switch (cmd->kind)
  {
  case HD_BOOGIE_CALL:
    return label_of_call(g, cmd);
  case HD_BOOGIE_PAR:
    return label_of_parallel(g, cmd);
  case HD_BOOGIE_YIELD:
    return Y;
  default:
    return P;
  }
}

/* ---- the graph ---- */

static void
add_edge(yields_graph *g, uint32_t from, uint8_t label, uint32_t to)
{
  HD_PUSH(g->edges, g->n_edges, g->cap, (simulation_edge){.from = from, .to = to, .label = label});
}

static void
make_edges(yields_graph *g, const uint32_t *node_of_block)
{
  g->n_edges = 0;
  for (size_t i = 0; i < g->impl->blocks.n; i++)
  {
    const hd_boogie_block *b = g->impl->blocks.items[i];
    uint32_t node = g->first[i];
    add_edge(g, node, P, node + 1);
    node++;
    for (size_t j = 0; j < b->cmds.n; j++, node++)
      add_edge(g, node, label_of(g, b->cmds.items[j]), node + 1);
    for (size_t j = 0; j < b->transfer.targets.n; j++)
      add_edge(g, node, P, node_of_block[b->transfer.targets.items[j]->id]);
  }
}

static uint32_t
transfer_node(const yields_graph *g, size_t block)
{
  return g->first[block] + 1 + (uint32_t) g->impl->blocks.items[block]->cmds.n;
}

/* ---- the two checks ---- */

/* The states of the bracket automaton that are allowed at each node. */
static void
allow_bracket(const yields_graph *g, uint32_t *sim)
{
  for (uint32_t i = 0; i < g->n_nodes; i++)
    sim[i] = STATE(BEFORE) | STATE(INSIDE) | STATE(AFTER);
  sim[g->first[0]] = STATE(BEFORE);
  for (size_t i = 0; i < g->impl->blocks.n; i++)
    if (g->impl->blocks.items[i]->transfer.kind == HD_BOOGIE_RETURN)
      sim[transfer_node(g, i)] = STATE(AFTER);
}

static void
check_bracket(const yields_graph *g, uint32_t *sim)
{
  allow_bracket(g, sim);
  hd_civl_simulation(g->n_nodes, g->edges, g->n_edges, 3, bracket, sizeof bracket / sizeof *bracket, sim, sim);
  if (sim[g->first[0]])
    return;
  hd_civl_error(g->c, g->impl->at,
                "Implementation %s fails bracket check at layer %d. All code that accesses global variables must be "
                "bracketed by yields.",
                g->impl->name, g->layer);
  allow_bracket(g, sim);
  hd_civl_why_bracket(g, bracket, sizeof bracket / sizeof *bracket, sim);
}

static bool
is_terminating_head(const yields_graph *g, const hd_boogie_block *b)
{
  for (size_t i = 0; i < b->cmds.n; i++)
  {
    const hd_boogie_cmd *cmd = b->cmds.items[i];
    if (cmd->kind == HD_BOOGIE_ASSERT && hd_boogie_attr_flag(cmd->attrs, "terminates")
        && hd_civl_layers_have(hd_civl_assert_layers(g->c, cmd), g->layer))
      return true;
  }
  return false;
}

/* A call of a mover procedure that may call the caller again, and does not say that this ends. */
static bool
may_recur(const checker *k, const yields_graph *g, const hd_boogie_cmd *cmd)
{
  const yielding *callee = cmd->kind == HD_BOOGIE_CALL ? hd_civl_yielding_of(g->c, cmd->proc) : NULL;
  if (!callee || callee->kind != YIELDING_MOVER || callee->terminates)
    return false;
  const uint64_t *r = k->reaches[callee->number];
  return callee == g->y || (r && r[g->y->number / 64] >> g->y->number % 64 & 1);
}

/* The states of the atomicity automaton that are allowed at each node; where ends_right, every path must end among
 * right movers. */
static void
allow_atomicity(const checker *k, const yields_graph *g, bool ends_right, uint32_t *sim)
{
  for (uint32_t i = 0; i < g->n_nodes; i++)
    sim[i] = STATE(RM) | STATE(LM);
  /* What need not end must not come after the one step of a transaction: that would have to end. */
  for (size_t i = 0; i < g->impl->blocks.n; i++)
  {
    const hd_boogie_block *b = g->impl->blocks.items[i];
    if (g->is_head[i] && !is_terminating_head(g, b))
      sim[g->first[i]] = STATE(RM);
    for (size_t j = 0; is_mover_at(g->y, g->layer) && j < b->cmds.n; j++)
      if (may_recur(k, g, b->cmds.items[j]))
        sim[g->first[i] + 1 + j] = STATE(RM);
    if (ends_right && b->transfer.kind == HD_BOOGIE_RETURN)
      sim[transfer_node(g, i)] = STATE(RM);
  }
}

static void
simulate_atomicity(const checker *k, const yields_graph *g, bool ends_right, uint32_t *sim)
{
  allow_atomicity(k, g, ends_right, sim);
  hd_civl_simulation(g->n_nodes, g->edges, g->n_edges, 2, atomicity, sizeof atomicity / sizeof *atomicity, sim, sim);
}

/* A mover procedure at its own layer. The reference asks for RM at the ends after the simulation, where every state
 * simulates an end: it takes right movers followed by left ones for a right mover. Here they are held to it. */
static bool
is_declared_mover(const checker *k, const yields_graph *g, uint32_t *sim)
{
  simulate_atomicity(k, g, false, sim);
  uint32_t start = sim[g->first[0]];
  if (!start || (mover_is_left(g->y->mover) && !(start & STATE(LM))))
    return false;
  if (!mover_is_right(g->y->mover))
    return true;
  simulate_atomicity(k, g, true, sim);
  return sim[g->first[0]] & STATE(RM);
}

static void
check_atomicity(const checker *k, const yields_graph *g, uint32_t *sim)
{
  if (is_mover_at(g->y, g->layer))
  {
    if (!is_declared_mover(k, g, sim))
      hd_civl_error(g->c, g->impl->at, "The atomicity declared for mover procedure is not valid");
    return;
  }
  simulate_atomicity(k, g, false, sim);
  if (sim[g->first[0]])
    return;
  hd_civl_error(g->c, g->impl->at,
                "Implementation %s fails atomicity check at layer %d. Transactions must be separated by yields.",
                g->impl->name, g->layer);
  allow_atomicity(k, g, false, sim);
  hd_civl_why_atomicity(g, atomicity, sizeof atomicity / sizeof *atomicity, sim);
}

/* ---- all implementations, all layers ---- */

static void
check_impl(const checker *k, const yielding_impl *yi)
{
  hd_civl *c = k->c;
  hd_boogie_impl *impl = yi->impl;
  hd_civl_prune(c->program, impl);
  hd_boogie_graph *blocks = hd_boogie_graph_new(&impl->blocks);
  if (!blocks->reducible)
  {
    hd_civl_error(c, impl->at, "Irreducible flow graphs are unsupported.");
    hd_boogie_graph_free(blocks);
    return;
  }
  yields_graph g = {.c = c, .y = yi->yielding, .impl = impl};
  uint32_t *first = hd_alloc_array(impl->blocks.n, sizeof *first);
  uint32_t *node_of_block = hd_alloc_array(c->program->n_blocks, sizeof *node_of_block);
  uint8_t *is_head = hd_alloc_zero(impl->blocks.n);
  for (size_t i = 0; i < impl->blocks.n; i++)
  {
    const hd_boogie_block *b = impl->blocks.items[i];
    node_of_block[b->id] = first[i] = g.n_nodes;
    g.n_nodes += 2 + (uint32_t) b->cmds.n;
    is_head[i] = blocks->is_head[hd_boogie_graph_number(blocks, b)];
  }
  g.first = first;
  g.is_head = is_head;
  uint32_t *sim = hd_alloc_array(g.n_nodes, sizeof *sim);
  for (size_t i = 0; i < c->refinement_layers.n && c->refinement_layers.items[i] <= g.y->layer; i++)
  {
    g.layer = c->refinement_layers.items[i];
    make_edges(&g, node_of_block);
    if (!is_mover_at(g.y, g.layer))
      check_bracket(&g, sim);
    check_atomicity(k, &g, sim);
  }
  free(sim);
  free(g.edges);
  free(first);
  free(node_of_block);
  free(is_head);
  hd_boogie_graph_free(blocks);
}

static void
find_reaches(checker *k)
{
  hd_civl *c = k->c;
  size_t words = c->yieldings.n / 64 + 1;
  k->reaches = hd_boogie_alloc(c->program, (c->yieldings.n + 1) * sizeof *k->reaches);
  for (size_t i = 0; i < c->yielding_impls.n; i++)
  {
    const yielding_impl *yi = &c->yielding_impls.items[i];
    if (yi->yielding->kind != YIELDING_MOVER)
      continue;
    uint64_t **r = &k->reaches[yi->yielding->number];
    if (!*r)
      *r = hd_boogie_alloc(c->program, words * sizeof **r);
    for (size_t j = 0; j < yi->impl->blocks.n; j++)
      for (size_t n = 0; n < yi->impl->blocks.items[j]->cmds.n; n++)
      {
        const hd_boogie_cmd *cmd = yi->impl->blocks.items[j]->cmds.items[n];
        const yielding *callee = cmd->kind == HD_BOOGIE_CALL ? hd_civl_yielding_of(c, cmd->proc) : NULL;
        if (callee && callee->kind == YIELDING_MOVER)
          (*r)[callee->number / 64] |= UINT64_C(1) << callee->number % 64;
      }
  }
  /* Through others (Warshall). */
  for (size_t via = 0; via < c->yieldings.n; via++)
    for (size_t i = 0; k->reaches[via] && i < c->yieldings.n; i++)
      if (k->reaches[i] && k->reaches[i][via / 64] >> via % 64 & 1)
        for (size_t w = 0; w < words; w++)
          k->reaches[i][w] |= k->reaches[via][w];
}

void
hd_civl_check_yields(hd_civl *c)
{
  checker k = {.c = c};
  find_reaches(&k);
  for (size_t i = 0; i < c->yielding_impls.n; i++)
    check_impl(&k, &c->yielding_impls.items[i]);
}
