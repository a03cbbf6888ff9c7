/* simulation.h: which states of a small automaton simulate the nodes of a large labelled graph. */
#ifndef HD_CIVL_SIMULATION_H
#define HD_CIVL_SIMULATION_H

#include "base/base.h"

enum
{
  SIMULATION_STATES = 32, /* of the automaton, at most: a set of them is a word */
  SIMULATION_LABELS = 16
};

/* FROM and TO are nodes (of the graph) or states (of the automaton). */
typedef struct simulation_edge
{
  uint32_t from, to;
  uint8_t label;
} simulation_edge;

/* The greatest relation in which state b simulates node a only if b is in ALLOWED[a] and every edge a -l-> a' has an
 * edge b -l-> b' with b' simulating a'. Bit b of SIM[a] says whether b simulates a; ALLOWED may be SIM.
 * Time: O(nodes · edges) with the states and edges of the automaton counted in. */
void hd_civl_simulation(uint32_t n_nodes, const simulation_edge *edges, size_t n_edges, uint32_t n_states,
                        const simulation_edge *automaton, size_t n_automaton, const uint32_t *allowed, uint32_t *sim);

#endif
