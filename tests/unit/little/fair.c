/* fair.c: small controllers under weak fairness, taken at its word (little.h): every thread has a name here, and a path
 * that goes on for ever is fair if for each thread and each edge, again and again, the thread cannot take the edge or
 * takes a step. Paths that stay in a set for ever are found by the fixpoint of Emerson and Lei, not by components. */
#include <stdlib.h>
#include <string.h>

#include "little/little.h"

typedef struct arc
{
  int from, to, thread;
} arc;

typedef struct fair
{
  const little_graph *g;
  arc *arcs;
  int n;
  long x;
} fair;

typedef struct set
{
  bool in[LITTLE_MOST];
} set;

static int
number_of(const little_graph *g, const little_state *s)
{
  int i = 0;
  while (memcmp(&g->states[i], s, sizeof *s) != 0)
    i++;
  return i;
}

static void
make_arcs(fair *x)
{
  const little_graph *g = x->g;
  x->arcs = hd_alloc_array((size_t) (g->n * g->threads * g->c->nedges) + 1, sizeof *x->arcs);
  for (int i = 0; i < g->n; i++)
    for (int t = 0; t < g->threads; t++)
      for (int e = 0; e < g->c->nedges; e++)
      {
        little_state after;
        if (little_step(g->c, &g->states[i], t, e, &after))
          x->arcs[x->n++] = (arc){i, number_of(g, &after), t};
      }
}

/* Add to GOAL what reaches it through ALONG. */
static void
close_backwards(const fair *x, const set *along, set *goal)
{
  for (bool more = true; more;)
  {
    more = false;
    for (int i = x->n - 1; i >= 0; i--)
    {
      const arc *a = &x->arcs[i];
      if (goal->in[a->to] && along->in[a->from] && !goal->in[a->from])
        goal->in[a->from] = more = true;
    }
  }
}

/* Where a fair path begins that stays in REGION for ever. */
static set
stays_for_ever(const fair *x, const set *region)
{
  const little_graph *g = x->g;
  set z = *region;
  for (bool more = true; more;)
  {
    more = false;
    for (int t = 0; t < g->threads; t++)
      for (int e = 0; e < g->c->nedges; e++)
      {
        /* A step or more inside leads to a state of Z where T cannot take E, or ends with a step of T into Z. */
        set reach = {{0}};
        for (int i = 0; i < x->n; i++)
        {
          const arc *a = &x->arcs[i];
          little_state after;
          if (region->in[a->from] && z.in[a->to]
              && (a->thread == t || !little_step(g->c, &g->states[a->to], t, e, &after)))
            reach.in[a->from] = true;
        }
        close_backwards(x, region, &reach);
        for (int i = 0; i < g->n; i++)
          if (z.in[i] && !reach.in[i])
          {
            z.in[i] = false;
            more = true;
          }
      }
  }
  return z;
}

/* Where a fair maximal path begins that stays in REGION. */
static set
stays(const fair *x, const set *region)
{
  set s = stays_for_ever(x, region);
  for (int i = 0; i < x->g->n; i++)
    if (region->in[i] && x->g->nsuccessors[i] == 0)
      s.in[i] = true;
  close_backwards(x, region, &s);
  return s;
}

static bool
is_temporal(const little_expr *e)
{
  return e && (strchr("XFGU", e->kind) || is_temporal(e->a) || is_temporal(e->b));
}

static set
where(const fair *x, const little_expr *e)
{
  const little_graph *g = x->g;
  set out = {{0}}, a = {{0}}, b = {{0}};
  if (!is_temporal(e))
  {
    for (int i = 0; i < g->n; i++)
      out.in[i] = little_true(g->c, e, &g->states[i], g->threads, x->x);
    return out;
  }
  a = where(x, e->a);
  if (e->b)
    b = where(x, e->b);
  if (e->kind == '&' || e->kind == '|' || e->kind == 'I')
  {
    for (int i = 0; i < g->n; i++)
      out.in[i] = e->kind == '&' ? a.in[i] && b.in[i] : e->kind == '|' ? a.in[i] || b.in[i] : !a.in[i] || b.in[i];
    return out;
  }
  /* BAD: where a fair path begins that shows the opposite. */
  set all, bad = {{0}}, along = {{0}};
  memset(&all, 1, sizeof all);
  set can_go_on = stays(x, &all);
  if (e->kind == 'X')
  {
    for (int i = 0; i < x->n; i++)
      if (!a.in[x->arcs[i].to] && can_go_on.in[x->arcs[i].to])
        bad.in[x->arcs[i].from] = true;
  }
  else if (e->kind == 'G')
  {
    for (int i = 0; i < g->n; i++)
      bad.in[i] = !a.in[i] && can_go_on.in[i];
    close_backwards(x, &all, &bad);
  }
  else
  {
    const set *come = e->kind == 'U' ? &b : &a;
    for (int i = 0; i < g->n; i++)
      along.in[i] = !come->in[i];
    bad = stays(x, &along);
    for (int i = 0; i < g->n && e->kind == 'U'; i++)
      bad.in[i] = bad.in[i] || (!a.in[i] && !b.in[i] && can_go_on.in[i]);
    close_backwards(x, &along, &bad);
  }
  for (int i = 0; i < g->n; i++)
    out.in[i] = !bad.in[i];
  return out;
}

bool
little_holds_fairly(const little_graph *g, int spec, long x)
{
  fair f = {.g = g, .x = x};
  make_arcs(&f);
  set s = where(&f, g->c->specs[spec]);
  free(f.arcs);
  return s.in[0];
}
