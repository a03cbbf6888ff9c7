/* yields.h: the code of an implementation at one layer as a graph for the two automata of yields.c. Private to yields.c
 * and yields_why.c. */
#ifndef HD_CIVL_YIELDS_H
#define HD_CIVL_YIELDS_H

#include "civl/layers.h"
#include "civl/simulation.h"

enum label
{
  Y, /* yield */
  B, /* both mover */
  L, /* left mover */
  R, /* right mover */
  A, /* action that is no mover */
  P, /* local */
  I  /* introduction */
};

enum /* bracket automaton */
{
  BEFORE,
  INSIDE,
  AFTER
};

enum /* atomicity automaton: right movers, left movers */
{
  RM,
  LM
};

#define STATE(s) (UINT32_C(1) << (s))

typedef struct yields_graph
{
  hd_civl *c;
  const yielding *y;
  const hd_boogie_impl *impl;
  const uint32_t *first; /* of the block at each place in IMPL: its own node, then its commands, then the transfer */
  const uint8_t *is_head;
  int32_t layer;
  uint32_t n_nodes;
  simulation_edge *edges;
  size_t n_edges, cap;
} yields_graph;

/* The error about G was added: notes that say where a path does not fit the automaton, whose states that are allowed at
 * each node are ALLOWED. */
void hd_civl_why_bracket(const yields_graph *g, const simulation_edge *automaton, size_t n, const uint32_t *allowed);
void hd_civl_why_atomicity(const yields_graph *g, const simulation_edge *automaton, size_t n, const uint32_t *allowed);

#endif
