/* explicit.c: certificates whose sets are lists of states, for one number of threads (oracle.h). */
#include <string.h>

#include "recheck/oracle.h"

static size_t
number_of(oracle_graph *g, const oracle_point *p)
{
  for (size_t i = 0; i < g->n; i++)
    if (memcmp(&g->states[i], p, sizeof *p) == 0)
      return i;
  if (g->n == ORACLE_STATES)
  {
    g->too_large = true;
    return 0;
  }
  g->states[g->n] = *p;
  return g->n++;
}

void
oracle_explore(oracle_graph *g, const hd_controller *c, const int64_t *constants, int64_t threads)
{
  oracle_point start;
  oracle_step steps[ORACLE_STEPS];
  memset(&start, 0, sizeof start);
  for (size_t i = 0; i < c->nconstants; i++)
    start.at[i] = constants[i];
  for (size_t v = 0; v < c->nvariables; v++)
    start.at[hd_control_variable_dimension(c, v)] = (int64_t) hd_control_value(&c->variables[v].start, start.at);
  start.at[hd_control_counter_dimension(c, 0)] = threads;
  g->n = 0;
  g->too_large = false;
  number_of(g, &start);
  for (size_t i = 0; i < g->n && !g->too_large; i++)
  {
    g->nsuccessors[i] = oracle_steps(c, &g->states[i], steps);
    for (size_t k = 0; k < g->nsuccessors[i]; k++)
      g->successors[i][k] = number_of(g, &steps[k].after);
  }
}

/* Those states of which WHICH says so (NULL: all). */
static hd_control_set
list(const hd_controller *c, const oracle_graph *g, const bool *which, hd_arena *arena)
{
  size_t n = 0, first = 0, end = hd_control_rigid_dimension(c, 0);
  hd_control_conjunction *all = hd_arena_alloc(arena, (g->n + 1) * sizeof *all);
  for (size_t i = 0; i < g->n; i++)
  {
    if (which && !which[i])
      continue;
    hd_control_atom *atoms = hd_arena_alloc(arena, (end + 1) * sizeof *atoms);
    for (size_t d = first; d < end; d++)
    {
      hd_control_term *term = hd_arena_alloc(arena, sizeof *term);
      *term = (hd_control_term){(uint32_t) d, 1};
      atoms[d] = (hd_control_atom){HD_CONTROL_ZERO, {.constant = -g->states[i].at[d], .n = 1, .terms = term}};
    }
    all[n++] = (hd_control_conjunction){end, atoms};
  }
  return (hd_control_set){n, all};
}

/* ---- true proofs ---- */

typedef struct prover
{
  const hd_controller *c;
  const oracle_graph *g;
  hd_arena *arena;
  hd_control_proof_node *nodes;
} prover;

static bool
all_successors(const oracle_graph *g, size_t i, const bool *set)
{
  for (size_t k = 0; k < g->nsuccessors[i]; k++)
    if (!set[g->successors[i][k]])
      return false;
  return true;
}

/* Round after round, the states that are added become a stage. */
static void
reach(const prover *x, const hd_control_formula *f, const bool *hold, const bool *goal, bool *set)
{
  const oracle_graph *g = x->g;
  hd_control_stage *stages = hd_arena_alloc(x->arena, (g->n + 1) * sizeof *stages);
  hd_control_proof_node *node = &x->nodes[f->number];
  memcpy(set, goal, g->n);
  for (bool more = true; more;)
  {
    bool added[ORACLE_STATES] = {0};
    more = false;
    for (size_t i = 0; i < g->n; i++)
      if (!set[i] && (!hold || hold[i]) && g->nsuccessors[i] && all_successors(g, i, set))
        added[i] = more = true;
    for (size_t i = 0; i < g->n; i++)
      set[i] |= added[i];
    if (more)
      stages[node->nstages++] = (hd_control_stage){.states = list(x->c, g, added, x->arena), .helpful = -1};
  }
  node->stages = stages;
}

static void
prove(const prover *x, const hd_control_formula *f, bool *set)
{
  const oracle_graph *g = x->g;
  bool a[ORACLE_STATES] = {0}, b[ORACLE_STATES] = {0};
  if (f->left)
    prove(x, f->left, a);
  if (f->right)
    prove(x, f->right, b);
  for (size_t i = 0; i < g->n; i++)
    switch (f->kind)
    {
    case HD_CONTROL_PREDICATE:
      set[i] = hd_control_contains(&f->holds, g->states[i].at);
      break;
    case HD_CONTROL_AND:
      set[i] = a[i] && b[i];
      break;
    case HD_CONTROL_OR:
      set[i] = a[i] || b[i];
      break;
    case HD_CONTROL_IMPLIES:
      set[i] = !a[i] || b[i];
      break;
    case HD_CONTROL_AX:
      set[i] = all_successors(g, i, a);
      break;
    case HD_CONTROL_AG:
      set[i] = a[i];
      break;
    case HD_CONTROL_AF:
    case HD_CONTROL_AU:
      break;
    }
  if (f->kind == HD_CONTROL_AF)
    reach(x, f, NULL, a, set);
  if (f->kind == HD_CONTROL_AU)
    reach(x, f, a, b, set);
  for (bool more = f->kind == HD_CONTROL_AG; more;)
  {
    more = false;
    for (size_t i = 0; i < g->n; i++)
      if (set[i] && !all_successors(g, i, set))
      {
        set[i] = false;
        more = true;
      }
  }
  x->nodes[f->number].states = list(x->c, g, set, x->arena);
}

static hd_control_proof *
new_proof(const hd_controller *c, const oracle_graph *g, const hd_control_spec *spec, hd_control_proof_node **nodes,
          hd_arena *arena)
{
  hd_control_proof *proof = hd_arena_alloc(arena, sizeof *proof);
  *proof = (hd_control_proof){.invariant = list(c, g, NULL, arena)};
  if (spec)
  {
    *nodes = hd_arena_alloc(arena, spec->nodes * sizeof **nodes);
    memset(*nodes, 0, spec->nodes * sizeof **nodes);
    proof->nodes = *nodes;
  }
  return proof;
}

const hd_control_proof *
oracle_prove(const hd_controller *c, const oracle_graph *g, const hd_control_spec *spec, hd_arena *arena)
{
  prover x = {.c = c, .g = g, .arena = arena};
  bool set[ORACLE_STATES] = {0};
  hd_control_proof *proof = new_proof(c, g, spec, &x.nodes, arena);
  prove(&x, spec->formula, set);
  return set[0] ? proof : NULL;
}

const hd_control_proof *
oracle_prove_no_deadlock(const hd_controller *c, const oracle_graph *g, hd_arena *arena)
{
  for (size_t i = 0; i < g->n; i++)
    for (size_t e = 0; g->nsuccessors[i] == 0 && e < c->nedges; e++)
      if (g->states[i].at[hd_control_counter_dimension(c, c->edges[e].from)] > 0)
        return NULL;
  return new_proof(c, g, NULL, NULL, arena);
}

/* ---- pretences ---- */

static void
pretend(const prover *x, const hd_control_formula *f, uint64_t *random)
{
  hd_control_proof_node *node = &x->nodes[f->number];
  bool *which = NULL, some[ORACLE_STATES];
  if (f->kind == HD_CONTROL_PREDICATE) /* where it does hold, so that the mistake is somewhere else */
  {
    which = some;
    for (size_t i = 0; i < x->g->n; i++)
      some[i] = hd_control_contains(&f->holds, x->g->states[i].at);
  }
  node->states = list(x->c, x->g, which, x->arena);
  if (f->kind == HD_CONTROL_AF || f->kind == HD_CONTROL_AU)
  {
    hd_control_stage *stage = hd_arena_alloc(x->arena, sizeof *stage);
    hd_control_linear *ranks = hd_arena_alloc(x->arena, 2 * sizeof *ranks);
    for (size_t i = 0; i < 2; i++)
    {
      hd_control_term *term = hd_arena_alloc(x->arena, sizeof *term);
      term->dimension = (uint32_t) (hd_random(random) % hd_control_rigid_dimension(x->c, 0));
      term->factor = hd_random(random) % 2 ? 1 : -1;
      ranks[i] = (hd_control_linear){.constant = (int64_t) (hd_random(random) % 10), .n = 1, .terms = term};
    }
    *stage = (hd_control_stage){
        .states = list(x->c, x->g, NULL, x->arena), .nranks = hd_random(random) % 3, .ranks = ranks, .helpful = -1};
    node->nstages = 1;
    node->stages = stage;
  }
  if (f->left)
    pretend(x, f->left, random);
  if (f->right)
    pretend(x, f->right, random);
}

const hd_control_proof *
oracle_pretend(const hd_controller *c, const oracle_graph *g, const hd_control_spec *spec, uint64_t *random,
               hd_arena *arena)
{
  prover x = {.c = c, .g = g, .arena = arena};
  hd_control_proof *proof = new_proof(c, g, spec, &x.nodes, arena);
  pretend(&x, spec->formula, random);
  return proof;
}
