/* show.c: which blocks a path shows. As in the reference, a block without commands (what is left of them after
 * assignments of constants are gone) is left out, and lends its name and place to the block after it if that one has
 * none; the start is called after the first such block. */
#include <string.h>

#include "vc/internal.h"

typedef struct list
{
  uint32_t *items;
  size_t n, cap;
} list;

typedef struct graph
{
  condition *c;
  list *to, *from; /* by node: as left when blocks are taken out */
} graph;

/* It stands in a file. */
static bool
has_place(const node *v)
{
  return v->shown_label && v->shown_at.line;
}

static void
drop(list *l, uint32_t x)
{
  size_t k = 0;
  for (size_t i = 0; i < l->n; i++)
    if (l->items[i] != x)
      l->items[k++] = l->items[i];
  l->n = k;
}

static void
link_to(graph *g, uint32_t p, uint32_t s)
{
  for (size_t i = 0; i < g->to[p].n; i++)
    if (g->to[p].items[i] == s)
      return;
  ADD(g->c, g->to[p].items, g->to[p].n, g->to[p].cap, s);
  ADD(g->c, g->from[s].items, g->from[s].n, g->from[s].cap, p);
}

/* The name that the start gets: of the empty block with a place that all ways from V meet first. */
static uint32_t
name_of(const graph *g, uint32_t v, uint32_t *names)
{
  const node *n = &g->c->nodes[v];
  bool last = g->to[v].n == 0;
  if (n->kept && !(v == 0 && !last))
    return UINT32_MAX;
  if (has_place(n))
    return v;
  uint32_t name = UINT32_MAX;
  for (size_t i = 0; i < g->to[v].n; i++)
  {
    uint32_t other = names[g->to[v].items[i]];
    if (i && other != name)
      return UINT32_MAX;
    name = other;
  }
  return name;
}

static void
take_out(graph *g, uint32_t b, uint32_t start_name)
{
  condition *c = g->c;
  node *v = &c->nodes[b];
  v->absent = true;
  if (has_place(v) && g->to[b].n == 1 && b != start_name)
  {
    node *s = &c->nodes[g->to[b].items[0]];
    if (!has_place(s))
    {
      s->shown_at = v->shown_at;
      s->shown_label = v->shown_label;
    }
  }
  for (size_t i = 0; i < g->from[b].n; i++)
  {
    uint32_t p = g->from[b].items[i];
    drop(&g->to[p], b);
    for (size_t j = 0; j < g->to[b].n; j++)
      link_to(g, p, g->to[b].items[j]);
  }
  for (size_t j = 0; j < g->to[b].n; j++)
    drop(&g->from[g->to[b].items[j]], b);
  v->shown_label = NULL;
}

/* An exit with one way to it is part of the block that returns. */
static void
join_exit(condition *c)
{
  node *exit = &c->nodes[1];
  if (exit->nfrom == 1)
    c->nodes[exit->from[0]].kept += exit->kept;
}

void
hd_vc_show(condition *c)
{
  size_t n = c->nnodes;
  if (c->shown)
    return;
  c->shown = true;
  graph g = {.c = c};
  g.to = hd_vc_alloc(c, n * sizeof *g.to);
  g.from = hd_vc_alloc(c, n * sizeof *g.from);
  uint32_t *names = hd_vc_alloc(c, n * sizeof *names);
  join_exit(c);
  for (size_t i = 0; i < c->norder; i++)
  {
    uint32_t x = c->order[i];
    node *v = &c->nodes[x];
    v->shown_at = v->at;
    v->shown_label = v->hidden ? NULL : v->label;
    /* What says which values meet here stands at the end of the block before. */
    for (size_t j = 0; j < v->nto; j++)
      if (v->nto == 1)
        v->kept += v->edges[j].n;
  }
  for (size_t i = 0; i < c->norder; i++)
    for (size_t j = 0; j < c->nodes[c->order[i]].nto; j++)
      link_to(&g, c->order[i], c->nodes[c->order[i]].to[j]);
  for (size_t i = c->norder; i-- > 0;)
    names[c->order[i]] = name_of(&g, c->order[i], names);
  for (size_t i = c->norder; i-- > 1;)
    if (!c->nodes[c->order[i]].kept)
      take_out(&g, c->order[i], names[0]);
  node *start = &c->nodes[0];
  bool assumes = true;
  for (size_t i = 0; i < start->nfacts; i++)
    assumes = assumes && start->facts[i].assertion == NOT_AN_INSTANCE;
  if (assumes && names[0] != UINT32_MAX)
  {
    start->shown_at = c->nodes[names[0]].at;
    start->shown_label = c->nodes[names[0]].label;
  }
}
