/* simulation.c: the greatest simulation of a labelled graph by an automaton (Henzinger, Henzinger and Kopke, Computing
 * Simulations on Finite and Infinite Graphs, FOCS 1995), with edge labels.
 *
 * When the set of states that simulate a node v shrinks, then for each label l every l-predecessor of v loses the
 * states whose l-edges now all miss the set. A node is looked at again only after its set shrank, so once for each
 * state at most, and a look walks the edges into it: O(states · edges). The automata here have two or three states. */
#include <stdlib.h>
#include <string.h>

#include "civl/simulation.h"
#include "base/base.h"

typedef struct simulation
{
  /* Edges into each node, grouped by target: sources and labels from first[v] to first[v + 1]. */
  size_t *first;
  uint32_t *source;
  uint8_t *label;
  /* Of the automaton: the states with an l-edge to state b, as a set. */
  uint32_t before[SIMULATION_LABELS][SIMULATION_STATES];
  uint32_t labels[SIMULATION_STATES]; /* of the outgoing edges, as a set */
  uint32_t n_states;
} simulation;

static void
group_edges(simulation *s, uint32_t n_nodes, const simulation_edge *edges, size_t n_edges)
{
  s->first = hd_alloc_zero(((size_t) n_nodes + 2) * sizeof *s->first);
  s->source = hd_alloc_array(n_edges + 1, sizeof *s->source);
  s->label = hd_alloc_array(n_edges + 1, sizeof *s->label);
  for (size_t i = 0; i < n_edges; i++)
    s->first[edges[i].to + 2]++;
  for (uint32_t v = 0; v < n_nodes; v++)
    s->first[v + 2] += s->first[v + 1];
  for (size_t i = 0; i < n_edges; i++) /* first[v + 1] runs from the beginning of v's group to its end */
  {
    size_t k = s->first[edges[i].to + 1]++;
    s->source[k] = edges[i].from;
    s->label[k] = edges[i].label;
  }
}

/* The states with an l-edge into SET. */
static uint32_t
states_before(const simulation *s, uint8_t label, uint32_t set)
{
  uint32_t before = 0;
  for (; set; set &= set - 1)
    before |= s->before[label][__builtin_ctz(set)];
  return before;
}

static void
start(const simulation *s, uint32_t n_nodes, const simulation_edge *edges, size_t n_edges, const uint32_t *allowed,
      uint32_t *sim)
{
  uint32_t *labels = hd_alloc_zero(((size_t) n_nodes + 1) * sizeof *labels);
  for (size_t i = 0; i < n_edges; i++)
    labels[edges[i].from] |= UINT32_C(1) << edges[i].label;
  for (uint32_t v = 0; v < n_nodes; v++)
  {
    uint32_t states = 0;
    for (uint32_t b = 0; b < s->n_states; b++)
      if (!(labels[v] & ~s->labels[b]))
        states |= UINT32_C(1) << b;
    sim[v] = states & allowed[v];
  }
  free(labels);
}

void
hd_civl_simulation(uint32_t n_nodes, const simulation_edge *edges, size_t n_edges, uint32_t n_states,
                   const simulation_edge *automaton, size_t n_automaton, const uint32_t *allowed, uint32_t *sim)
{
  HD_CHECK(n_states <= SIMULATION_STATES);
  simulation s = {.n_states = n_states};
  for (size_t i = 0; i < n_automaton; i++)
  {
    HD_CHECK(automaton[i].label < SIMULATION_LABELS);
    s.before[automaton[i].label][automaton[i].to] |= UINT32_C(1) << automaton[i].from;
    s.labels[automaton[i].from] |= UINT32_C(1) << automaton[i].label;
  }
  group_edges(&s, n_nodes, edges, n_edges);
  start(&s, n_nodes, edges, n_edges, allowed, sim);

  /* Nodes whose set shrank since their predecessors were looked at; BEFORE is what it was then. */
  uint32_t *before = hd_alloc_array((size_t) n_nodes + 1, sizeof *before);
  uint32_t *queue = hd_alloc_array((size_t) n_nodes + 1, sizeof *queue);
  uint8_t *queued = hd_alloc_zero((size_t) n_nodes + 1);
  uint32_t all = n_states == 32 ? UINT32_MAX : (UINT32_C(1) << n_states) - 1;
  size_t head = 0, waiting = 0;
  for (uint32_t v = 0; v < n_nodes; v++)
  {
    before[v] = all;
    if (sim[v] == all)
      continue;
    queue[waiting++] = v;
    queued[v] = 1;
  }
  while (waiting)
  {
    uint32_t v = queue[head];
    head = (head + 1) % n_nodes;
    waiting--;
    queued[v] = 0;
    uint32_t remove[SIMULATION_LABELS];
    for (uint8_t l = 0; l < SIMULATION_LABELS; l++)
      remove[l] = states_before(&s, l, before[v]) & ~states_before(&s, l, sim[v]);
    before[v] = sim[v];
    for (size_t k = s.first[v]; k < s.first[v + 1]; k++)
    {
      uint32_t u = s.source[k], left = sim[u] & ~remove[s.label[k]];
      if (left == sim[u])
        continue;
      sim[u] = left;
      if (queued[u])
        continue;
      queue[(head + waiting++) % n_nodes] = u;
      queued[u] = 1;
    }
  }
  free(before);
  free(queue);
  free(queued);
  free(s.first);
  free(s.source);
  free(s.label);
}
