/* Yield sufficiency: messages, and the simulation against two obvious computations on random graphs.
 *
 * HEDDLE_SIMULATION_CASES=n   how many random graphs (default 20000)
 * HEDDLE_SIMULATION_SEED=n    only this one */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "civl/programs.h"
#include "civl/simulation.h"

enum
{
  NODES = 12,
  STATES = 4,
  EDGES = 40,
  LABELS = 4
};

typedef struct random_case
{
  uint32_t nodes, states;
  simulation_edge edges[EDGES], automaton[EDGES];
  size_t n_edges, n_automaton;
  uint32_t allowed[NODES];
  bool deterministic;
} random_case;

static random_case
make_case(uint64_t seed)
{
  uint64_t s = seed;
  random_case c = {0};
  c.nodes = 1 + (uint32_t) (hd_random(&s) % NODES);
  c.states = 1 + (uint32_t) (hd_random(&s) % STATES);
  c.deterministic = hd_random(&s) % 2;
  c.n_edges = hd_random(&s) % (2 * c.nodes + 1);
  for (size_t i = 0; i < c.n_edges; i++)
    c.edges[i] = (simulation_edge){.from = (uint32_t) (hd_random(&s) % c.nodes),
                                   .to = (uint32_t) (hd_random(&s) % c.nodes),
                                   .label = (uint8_t) (hd_random(&s) % LABELS)};
  bool taken[STATES][LABELS] = {0};
  size_t wanted = hd_random(&s) % EDGES;
  for (size_t i = 0; i < wanted; i++)
  {
    simulation_edge e = {.from = (uint32_t) (hd_random(&s) % c.states),
                         .to = (uint32_t) (hd_random(&s) % c.states),
                         .label = (uint8_t) (hd_random(&s) % LABELS)};
    if (c.deterministic && taken[e.from][e.label])
      continue;
    taken[e.from][e.label] = true;
    c.automaton[c.n_automaton++] = e;
  }
  for (uint32_t v = 0; v < c.nodes; v++)
    c.allowed[v] = hd_random(&s) % 3 ? UINT32_MAX : (uint32_t) hd_random(&s);
  return c;
}

/* Remove pairs until nothing changes. */
static void
by_fixpoint(const random_case *c, uint32_t *sim)
{
  for (uint32_t v = 0; v < c->nodes; v++)
    sim[v] = c->allowed[v] & ((UINT32_C(1) << c->states) - 1);
  for (bool changed = true; changed;)
  {
    changed = false;
    for (size_t i = 0; i < c->n_edges; i++)
      for (uint32_t b = 0; b < c->states; b++)
      {
        const simulation_edge *e = &c->edges[i];
        bool answered = false;
        for (size_t j = 0; j < c->n_automaton; j++)
          answered
              |= c->automaton[j].from == b && c->automaton[j].label == e->label && sim[e->to] >> c->automaton[j].to & 1;
        if (answered || !(sim[e->from] >> b & 1))
          continue;
        sim[e->from] &= ~(UINT32_C(1) << b);
        changed = true;
      }
  }
}

/* With a deterministic automaton: every path of the graph from V must have a run from B; all paths are followed. */
static bool
has_run(const random_case *c, uint32_t v, uint32_t b, bool visited[NODES][STATES])
{
  if (!(c->allowed[v] >> b & 1))
    return false;
  if (visited[v][b])
    return true;
  visited[v][b] = true;
  for (size_t i = 0; i < c->n_edges; i++)
  {
    if (c->edges[i].from != v)
      continue;
    bool step = false;
    for (size_t j = 0; j < c->n_automaton; j++)
      if (c->automaton[j].from == b && c->automaton[j].label == c->edges[i].label)
        step = has_run(c, c->edges[i].to, c->automaton[j].to, visited);
    if (!step)
      return false;
  }
  return true;
}

static void
check_case(uint64_t seed)
{
  random_case c = make_case(seed);
  uint32_t expected[NODES], given[NODES];
  by_fixpoint(&c, expected);
  hd_civl_simulation(c.nodes, c.edges, c.n_edges, c.states, c.automaton, c.n_automaton, c.allowed, given);
  for (uint32_t v = 0; v < c.nodes; v++)
  {
    if (expected[v] != given[v])
      fail_msg("HEDDLE_SIMULATION_SEED=%llu: node %u has the states %x, not %x", (unsigned long long) seed, v, given[v],
               expected[v]);
    for (uint32_t b = 0; c.deterministic && b < c.states; b++)
    {
      bool visited[NODES][STATES] = {0};
      if (has_run(&c, v, b, visited) != (given[v] >> b & 1))
        fail_msg("HEDDLE_SIMULATION_SEED=%llu: node %u, state %u: paths say otherwise", (unsigned long long) seed, v,
                 b);
    }
  }
}

static void
test_random_graphs(void **state)
{
  (void) state;
  const char *one = getenv("HEDDLE_SIMULATION_SEED"), *many = getenv("HEDDLE_SIMULATION_CASES");
  if (one)
    check_case(strtoull(one, NULL, 10));
  for (uint64_t seed = 1; !one && seed <= (many ? strtoull(many, NULL, 10) : 20000); seed++)
    check_case(seed);
}

/* A long line and a large loop: each edge is looked at a few times only. */
static void
test_large_graph(void **state)
{
  (void) state;
  enum
  {
    LONG = 300000
  };
  simulation_edge *edges = hd_alloc_array(LONG, sizeof *edges);
  uint32_t *sim = hd_alloc_array(LONG, sizeof *sim);
  for (uint32_t i = 0; i < LONG; i++)
  {
    edges[i] = (simulation_edge){.from = i, .to = (i + 1) % LONG, .label = i == LONG - 1};
    sim[i] = UINT32_MAX;
  }
  const simulation_edge automaton[] = {{0, 0, 0}, {0, 1, 1}, {1, 1, 0}};
  hd_civl_simulation(LONG, edges, LONG, 2, automaton, 3, sim, sim);
  for (uint32_t i = 0; i < LONG; i++) /* the second time round there is no way with label 1 */
    assert_int_equal(sim[i], 0);
  free(edges);
  free(sim);
}

static void
test_messages(void **state)
{
  (void) state;
  check_programs(TEST_SOURCE_ROOT, "yields", &(hd_civl_options){0});
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random_graphs),
      cmocka_unit_test(test_large_graph),
      cmocka_unit_test(test_messages),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
