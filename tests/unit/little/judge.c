/* judge.c: what a small controller does, taken at its word (little.h).
 *
 * AF and AU follow every path until it ends, repeats, or shows what it must; that is slow and has no fixpoint in it. */
#include <stdlib.h>
#include <string.h>

#include "little/little.h"

enum
{
  LARGEST = 100000, /* a variable beyond this: the graph is taken to be too large */
  RIGID_RANGE = 30
};

static long
value(const little *c, const little_expr *e, const long *variables, const long *counts, long x)
{
#define A value(c, e->a, variables, counts, x)
#define B value(c, e->b, variables, counts, x)
  switch (e->kind)
  {
  case 'n':
  case 'e':
    return e->number;
  case 'k':
    return e->number ? c->m : c->k;
  case 'x':
    return x;
  case 'v':
    return variables[e->number];
  case 'c':
    return counts[e->number];
  case 't':
    return 1;
  case 'f':
    return 0;
  case '~':
    return -A;
  case '!':
    return !A;
  case '+':
    return A + B;
  case '-':
    return A - B;
  case '*':
    return A * B;
  case '<':
    return A < B;
  case 'l':
    return A <= B;
  case '>':
    return A > B;
  case 'g':
    return A >= B;
  case '=':
    return A == B;
  case '#':
    return A != B;
  case '&':
    return A && B;
  case '|':
    return A || B;
  case '?':
    return A ? B : value(c, e->c, variables, counts, x);
  case 'I':
    return !A || B;
  default:
    abort();
  }
#undef A
#undef B
}

bool
little_true_at(const little *c, const little_expr *e, const long *variables, const long *counts, long x)
{
  return value(c, e, variables, counts, x) != 0;
}

bool
little_true(const little *c, const little_expr *e, const little_state *s, int threads, long x)
{
  long counts[LITTLE_STATES] = {0};
  for (int t = 0; t < threads; t++)
    counts[s->threads[t]]++;
  return little_true_at(c, e, s->variables, counts, x);
}

bool
little_step(const little *c, const little_state *s, int t, int edge, little_state *after)
{
  const little_action *a = &c->actions[c->edges[edge][1]];
  if (s->threads[t] != c->edges[edge][0])
    return false;
  *after = *s;
  int k = 0;
  while (k < a->n && !value(c, a->commands[k].guard, s->variables, NULL, 0))
    k++;
  if (k == a->n && a->blocking)
    return false;
  for (int i = 0; k < a->n && i < a->commands[k].n; i++)
  {
    const little_assignment *set = &a->commands[k].assignments[i];
    long v = value(c, set->value, after->variables, NULL, 0), *target = &after->variables[set->variable];
    *target = set->op == '=' ? v : set->op == '+' ? *target + v : *target - v;
  }
  after->threads[t] = c->edges[edge][2];
  return true;
}

/* ---- the graph ---- */

static int
number_of(little_graph *g, const little_state *s, int depth)
{
  for (int i = 0; i < g->n; i++)
    if (memcmp(&g->states[i], s, sizeof *s) == 0)
      return i;
  bool large = g->n == LITTLE_MOST;
  for (int v = 0; v < LITTLE_VARIABLES; v++)
    large = large || s->variables[v] > LARGEST || s->variables[v] < -LARGEST;
  if (large)
  {
    g->too_large = true;
    return 0;
  }
  g->states[g->n] = *s;
  g->depth[g->n] = depth;
  return g->n++;
}

void
little_explore(little_graph *g, const little *c, int threads)
{
  little_state start;
  memset(&start, 0, sizeof start); /* it is compared byte by byte */
  memset(g, 0, sizeof *g);
  g->c = c;
  g->threads = threads;
  for (int v = 0; v < LITTLE_VARIABLES; v++)
    start.variables[v] = c->start[v] + (c->starts_at_k[v] ? c->k : 0);
  number_of(g, &start, 0);
  for (int i = 0; i < g->n && !g->too_large; i++)
  {
    g->successors[i] = hd_alloc_array((size_t) (threads * c->nedges) + 1, sizeof(int));
    for (int t = 0; t < threads; t++)
      for (int e = 0; e < c->nedges; e++)
      {
        little_state after;
        if (little_step(c, &g->states[i], t, e, &after))
          g->successors[i][g->nsuccessors[i]++] = number_of(g, &after, g->depth[i] + 1);
      }
  }
}

void
little_graph_free(little_graph *g)
{
  for (int i = 0; i < g->n; i++)
    free(g->successors[i]);
}

int
little_count(const little_graph *g)
{
  int n = 0;
  for (int i = 0; i < g->n; i++)
  {
    bool known = false;
    for (int k = 0; k < i && !known; k++)
    {
      int counts[LITTLE_STATES] = {0};
      for (int t = 0; t < g->threads; t++)
      {
        counts[g->states[i].threads[t]]++;
        counts[g->states[k].threads[t]]--;
      }
      known = memcmp(g->states[i].variables, g->states[k].variables, sizeof g->states[i].variables) == 0;
      for (int s = 0; s < LITTLE_STATES; s++)
        known = known && counts[s] == 0;
    }
    n += !known;
  }
  return n;
}

bool
little_deadlocks(const little_graph *g)
{
  for (int i = 0; i < g->n; i++)
    for (int t = 0; t < g->threads && g->nsuccessors[i] == 0; t++)
      for (int e = 0; e < g->c->nedges; e++)
        if (g->c->edges[e][0] == g->states[i].threads[t])
          return true;
  return false;
}

/* ---- properties ---- */

typedef struct walk
{
  const little_graph *g;
  const little_expr *p, *q; /* p until q; P is NULL: anything */
  char *done;               /* 1: on the path, 2: all paths from here are good */
  long x;
} walk;

static bool holds(const little_graph *g, const little_expr *e, int s, long x);

/* Every path from S reaches q, with p until then. */
static bool
reaches(walk *w, int s)
{
  if (w->done[s] == 2)
    return true;
  if (w->done[s] == 1)
    return false; /* round and round */
  if (holds(w->g, w->q, s, w->x))
  {
    w->done[s] = 2;
    return true;
  }
  if (w->g->nsuccessors[s] == 0 || (w->p && !holds(w->g, w->p, s, w->x)))
    return false;
  w->done[s] = 1;
  for (int i = 0; i < w->g->nsuccessors[s]; i++)
    if (!reaches(w, w->g->successors[s][i]))
      return false;
  w->done[s] = 2;
  return true;
}

/* Every state that can be reached from S has p. */
static bool
stays(walk *w, int s)
{
  if (w->done[s])
    return true;
  w->done[s] = 1;
  if (!holds(w->g, w->p, s, w->x))
    return false;
  for (int i = 0; i < w->g->nsuccessors[s]; i++)
    if (!stays(w, w->g->successors[s][i]))
      return false;
  return true;
}

static bool
is_temporal(const little_expr *e)
{
  return e && (strchr("XFGU", e->kind) || is_temporal(e->a) || is_temporal(e->b));
}

static bool
holds(const little_graph *g, const little_expr *e, int s, long x)
{
  if (!is_temporal(e))
    return little_true(g->c, e, &g->states[s], g->threads, x);
  walk w = {.g = g, .x = x};
  bool result = true;
  switch (e->kind)
  {
  case '&':
    return holds(g, e->a, s, x) && holds(g, e->b, s, x);
  case '|':
    return holds(g, e->a, s, x) || holds(g, e->b, s, x);
  case 'I':
    return !holds(g, e->a, s, x) || holds(g, e->b, s, x);
  case 'X':
    for (int i = 0; i < g->nsuccessors[s]; i++)
      result = result && holds(g, e->a, g->successors[s][i], x);
    return result;
  default:
    w.done = hd_alloc_zero((size_t) g->n);
    w.p = e->kind == 'F' ? NULL : e->a;
    w.q = e->kind == 'F' ? e->a : e->b;
    result = e->kind == 'G' ? stays(&w, s) : reaches(&w, s);
    free(w.done);
    return result;
  }
}

bool
little_holds_at(const little_graph *g, int spec, long x)
{
  return holds(g, g->c->specs[spec], 0, x);
}

bool
little_holds(const little_graph *g, int spec)
{
  if (!g->c->rigid[spec])
    return little_holds_at(g, spec, 0);
  for (long x = -RIGID_RANGE; x <= RIGID_RANGE; x++)
    if (!little_holds_at(g, spec, x))
      return false;
  return true;
}
