/* fair.c: weak fairness: a thread that can always take an action takes one at last.
 *
 * Threads have no names in the graph of states, so fairness is said of the edges (p, a, q) of the interface: a path
 * that goes on for ever is fair if for each of them, again and again, either the edge cannot be taken (nobody is in p,
 * or a is blocking and no guard of it holds), or some thread leaves p, by whichever edge. That is the same as fairness
 * to each thread, because a path of states leaves open which thread leaves p, and can be taken to mean the one that
 * has been there for longest: then a thread that stays in p for ever sees only finitely many leave, and so each of its
 * edges must be impossible again and again. The other way round, where an edge stays possible and nobody leaves p,
 * there is a thread in p that could always go on and never does. A path that ends is fair: nobody can go on there.
 *
 * Every finite path is the beginning of a fair one: try the edges in turn for ever, and take each that is possible at
 * its turn. So fairness changes nothing about AX and AG; it is AF and AU that need it (actl.c).
 *
 * A fair path that stays inside a set of states goes in the end round a strongly connected part of it in which each
 * edge is impossible in some state, or a step leaves p; and there is a fair path in each such part: a tour that passes
 * by all of these places. */
#include <stdlib.h>
#include <string.h>

#include "control/explore.h"

void
hd_control_graph_label(hd_control_graph *g)
{
  if (g->edges)
    return;
  g->edges = hd_alloc_array(g->ntargets + 1, sizeof *g->edges);
  for (size_t i = 0; i < g->expanded; i++)
  {
    /* The search took the edges in this order. */
    size_t at = g->first[i];
    hd_control_stepper_load(&g->stepper, hd_control_graph_state(g, i));
    for (size_t e = 0; e < g->c->nedges; e++)
    {
      int32_t command;
      if (hd_control_stepper_take(&g->stepper, e, &command, NULL))
        g->edges[at++] = (uint32_t) e;
    }
    HD_CHECK(at == g->first[i + 1]);
  }
}

/* ---- what a tour must pass by ---- */

typedef struct needs
{
  const hd_control_graph *g;
  bool *left;       /* by interface state: a thread has left it */
  bool *impossible; /* by edge: it could not be taken in some state */
} needs;

static void
needs_init(needs *x, const hd_control_graph *g)
{
  *x = (needs){g, hd_alloc_array(g->c->nstates + 1, sizeof(bool)), hd_alloc_array(g->c->nedges + 1, sizeof(bool))};
}

static void
needs_clear(needs *x)
{
  memset(x->left, 0, x->g->c->nstates);
  memset(x->impossible, 0, x->g->c->nedges);
}

static void
needs_free(needs *x)
{
  free(x->left);
  free(x->impossible);
}

static bool
is_open(const needs *x, size_t edge)
{
  return !x->impossible[edge] && !x->left[x->g->c->edges[edge].from];
}

static bool
are_met(const needs *x)
{
  for (size_t e = 0; e < x->g->c->nedges; e++)
    if (is_open(x, e))
      return false;
  return true;
}

/* Is something that is open met in STATE? With NOTE it is open no more. The targets of a state are in the order of the
 * edges. */
static bool
look_at_state(needs *x, uint32_t state, bool note)
{
  const hd_control_graph *g = x->g;
  size_t k = g->first[state];
  bool some = false;
  for (size_t e = 0; e < g->c->nedges; e++)
    if (k < g->first[state + 1] && g->edges[k] == e)
      k++;
    else
    {
      some = some || is_open(x, e);
      x->impossible[e] = x->impossible[e] || note;
    }
  return some;
}

/* The same for a step, by the number of its target. */
static bool
look_at_step(needs *x, size_t step, bool note)
{
  uint32_t from = x->g->c->edges[x->g->edges[step]].from;
  bool some = false;
  for (size_t e = 0; e < x->g->c->nedges && !some; e++)
    some = x->g->c->edges[e].from == from && is_open(x, e);
  x->left[from] = x->left[from] || note;
  return some;
}

/* ---- strongly connected parts: Tarjan's algorithm, with a stack of its own ---- */

typedef struct parts
{
  hd_control_graph *g;
  const uint8_t *inside;
  uint32_t *number, *low; /* NUMBER is 0 where the search has not been */
  uint32_t *at;           /* the next step of a state that is on the way */
  uint32_t *way, *stack;
  size_t nway, nstack;
  uint32_t numbers, fair;
  uint32_t *component;
  needs needs;
} parts;

static void
enter(parts *x, uint32_t s)
{
  x->number[s] = x->low[s] = ++x->numbers;
  x->at[s] = 0;
  x->way[x->nway++] = s;
  x->stack[x->nstack++] = s;
}

/* The states from BEGIN to the end of the stack are a part. Is it fair? */
static void
judge_part(parts *x, size_t begin)
{
  const hd_control_graph *g = x->g;
  uint32_t id = x->fair + 1;
  bool goes_round = false;
  needs_clear(&x->needs);
  for (size_t i = begin; i < x->nstack; i++)
    x->component[x->stack[i]] = id;
  for (size_t i = begin; i < x->nstack; i++)
  {
    uint32_t s = x->stack[i];
    look_at_state(&x->needs, s, true);
    for (size_t k = g->first[s]; k < g->first[s + 1]; k++)
      if (x->component[g->targets[k]] == id)
      {
        goes_round = true;
        look_at_step(&x->needs, k, true);
      }
  }
  if (goes_round && are_met(&x->needs))
    x->fair = id;
  else
    for (size_t i = begin; i < x->nstack; i++)
      x->component[x->stack[i]] = 0;
  for (size_t i = begin; i < x->nstack; i++)
    x->number[x->stack[i]] = UINT32_MAX; /* in no part that is still open */
  x->nstack = begin;
}

static void
visit(parts *x, uint32_t root)
{
  const hd_control_graph *g = x->g;
  enter(x, root);
  while (x->nway > 0)
  {
    uint32_t s = x->way[x->nway - 1];
    size_t k = g->first[s] + x->at[s];
    if (k < g->first[s + 1])
    {
      uint32_t t = g->targets[k];
      x->at[s]++;
      if (t >= g->expanded || !x->inside[t] || x->number[t] == UINT32_MAX)
        continue;
      if (!x->number[t])
        enter(x, t);
      else if (x->number[t] < x->low[s])
        x->low[s] = x->number[t];
      continue;
    }
    x->nway--;
    if (x->low[s] == x->number[s])
    {
      size_t begin = x->nstack;
      while (x->stack[--begin] != s)
        ;
      judge_part(x, begin);
    }
    else if (x->low[s] < x->low[x->way[x->nway - 1]])
      x->low[x->way[x->nway - 1]] = x->low[s];
  }
}

void
hd_control_fair_parts(hd_control_graph *g, const uint8_t *inside, uint32_t *component)
{
  hd_control_graph_label(g);
  memset(component, 0, g->n * sizeof *component);
  parts x = {.g = g,
             .inside = inside,
             .number = hd_alloc_zero((g->n + 1) * sizeof *x.number),
             .low = hd_alloc_array(g->n + 1, sizeof *x.low),
             .at = hd_alloc_array(g->n + 1, sizeof *x.at),
             .way = hd_alloc_array(g->n + 1, sizeof *x.way),
             .stack = hd_alloc_array(g->n + 1, sizeof *x.stack),
             .component = component};
  needs_init(&x.needs, g);
  for (size_t i = 0; i < g->expanded; i++)
    if (inside[i] && !x.number[i])
      visit(&x, (uint32_t) i);
  needs_free(&x.needs);
  free(x.number);
  free(x.low);
  free(x.at);
  free(x.way);
  free(x.stack);
}

/* ---- a tour ---- */

typedef struct tour
{
  needs needs;
  const uint32_t *component;
  uint32_t *queue;
  size_t *via;    /* by state: the step that led there; SIZE_MAX: none */
  uint32_t *from; /* by state: where that step began */
  uint32_t here;
  size_t *steps, n, cap;
} tour;

/* Go from HERE by the fewest steps, at least one, to something that is open, or to GOAL if nothing is. */
static void
go_on(tour *x, uint32_t goal)
{
  const hd_control_graph *g = x->needs.g;
  bool home = are_met(&x->needs);
  size_t head = 0, n = 0, last = SIZE_MAX;
  uint32_t begin = x->here, end = 0, part = x->component[begin];
  memset(x->via, 0xff, g->n * sizeof *x->via);
  x->queue[n++] = begin;
  while (last == SIZE_MAX)
  {
    HD_CHECK(head < n); /* the part is connected, and fair */
    uint32_t s = x->queue[head++];
    for (size_t k = g->first[s]; k < g->first[s + 1] && last == SIZE_MAX; k++)
    {
      uint32_t t = g->targets[k];
      if (x->component[t] != part)
        continue;
      if (home ? t == goal : look_at_step(&x->needs, k, false) || look_at_state(&x->needs, t, false))
      {
        last = k;
        end = s;
      }
      else if (t != begin && x->via[t] == SIZE_MAX)
      {
        x->via[t] = k;
        x->from[t] = s;
        x->queue[n++] = t;
      }
    }
  }
  size_t length = 1;
  for (uint32_t s = end; s != begin; s = x->from[s])
    length++;
  hd_grow(&x->steps, &x->cap, x->n + length, sizeof *x->steps);
  size_t at = x->n + length;
  x->steps[--at] = last;
  for (uint32_t s = end; s != begin; s = x->from[s])
    x->steps[--at] = x->via[s];
  for (; length > 0; length--)
  {
    size_t step = x->steps[x->n++];
    look_at_step(&x->needs, step, true);
    look_at_state(&x->needs, g->targets[step], true);
  }
  x->here = g->targets[last];
}

size_t *
hd_control_fair_tour(const hd_control_graph *g, const uint32_t *component, uint32_t entry, size_t *n)
{
  tour x = {.component = component,
            .queue = hd_alloc_array(g->n + 1, sizeof *x.queue),
            .via = hd_alloc_array(g->n + 1, sizeof *x.via),
            .from = hd_alloc_array(g->n + 1, sizeof *x.from),
            .here = entry};
  needs_init(&x.needs, g);
  needs_clear(&x.needs);
  look_at_state(&x.needs, entry, true);
  do
    go_on(&x, entry);
  while (x.here != entry || !are_met(&x.needs));
  needs_free(&x.needs);
  free(x.queue);
  free(x.via);
  free(x.from);
  *n = x.n;
  return x.steps;
}
