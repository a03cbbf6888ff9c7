/* cycle.c: the cycle of blocks behind a violation: the graph of the transactions of a window, and the shortest way from
 * a block back to itself. Time and memory are linear in the window. */
#include "monitor/cells.h"
#include "monitor/monitor.h"

#include <stdlib.h>
#include <string.h>

typedef struct edge
{
  uint32_t node, next; /* where it leads; the next edge of the same source, + 1 */
  uint32_t from, to;   /* events, as indices into the window */
} edge;

typedef struct node
{
  uint32_t first;     /* edge, + 1 */
  uint32_t begin;     /* event, + 1; 0: no block */
  uint32_t came_by;   /* edge, + 1 */
  uint32_t came_from; /* node */
} node;

typedef struct events
{
  uint32_t *items; /* + 1 where 0 means none */
  size_t n, cap;
} events;

/* The last event that all later ones follow, and those since that the next such one follows. */
typedef struct shared
{
  uint32_t write; /* event, + 1 */
  events reads;
  uint32_t gathering; /* of a barrier: the newest, + 1 */
} shared;

typedef struct shared_table
{
  shared *items;
  size_t n, cap;
  hd_trace_ids ids;
} shared_table;

typedef struct cycle_thread
{
  uint32_t last;      /* event, + 1: what it does comes after it */
  uint32_t block;     /* node, + 1 */
  uint32_t gathering; /* where it arrived last, + 1 */
} cycle_thread;

/* One generation of a barrier. */
typedef struct gathering
{
  events arrivals;
  bool full;
} gathering;

typedef struct graph
{
  const hd_trace_event *window;
  uint32_t *node_of; /* by event */
  node *nodes;
  size_t nnodes, nodes_cap;
  edge *edges;
  size_t nedges, edges_cap;
  cells *cells;
  shared_table variables, locks, objects;
  gathering *gatherings;
  size_t ngatherings, gatherings_cap;
  cycle_thread *threads;
  size_t nthreads, threads_cap;
} graph;

static void
reset(shared *s)
{
  free(s->reads.items);
  *s = (shared){0};
}

static shared *
at(shared_table *t, uint32_t i)
{
  if (i >= t->n)
  {
    hd_grow(&t->items, &t->cap, (size_t) i + 1, sizeof *t->items);
    memset(t->items + t->n, 0, (t->cap - t->n) * sizeof *t->items);
    t->n = t->cap;
  }
  return &t->items[i];
}

static void
clear_variable(void *context, uint32_t i)
{
  reset(at(context, i));
}

static void
copy_variable(void *context, uint32_t from, uint32_t to)
{
  shared_table *t = context;
  at(t, from > to ? from : to);
  t->items[to].write = t->items[from].write;
  for (size_t i = 0; i < t->items[from].reads.n; i++)
    HD_PUSH(t->items[to].reads.items, t->items[to].reads.n, t->items[to].reads.cap, t->items[from].reads.items[i]);
}

static void
free_table(shared_table *t)
{
  for (size_t i = 0; i < t->n; i++)
    reset(&t->items[i]);
  free(t->items);
  hd_trace_ids_free(&t->ids);
}

/* FROM is an event + 1, or 0. */
static void
connect(graph *g, uint32_t from, uint32_t to)
{
  if (from == 0 || g->node_of[from - 1] == g->node_of[to])
    return;
  node *n = &g->nodes[g->node_of[from - 1]];
  HD_PUSH(g->edges, g->nedges, g->edges_cap, (edge){g->node_of[to], n->first, from - 1, to});
  n->first = (uint32_t) g->nedges;
}

static void
connect_all(graph *g, const events *from, uint32_t to)
{
  for (size_t i = 0; i < from->n; i++)
    connect(g, from->items[i], to);
}

static void
use(graph *g, shared *s, uint32_t i, bool write)
{
  connect(g, s->write, i);
  if (!write)
  {
    HD_PUSH(s->reads.items, s->reads.n, s->reads.cap, i + 1);
    return;
  }
  connect_all(g, &s->reads, i);
  s->reads.n = 0;
  s->write = i + 1;
}

static cycle_thread *
get_thread(graph *g, uint32_t thread)
{
  while (g->nthreads <= thread)
    HD_PUSH(g->threads, g->nthreads, g->threads_cap, (cycle_thread){0});
  return &g->threads[thread];
}

static void
arrive(graph *g, const hd_trace_event *e, shared *s, uint32_t i)
{
  if (s->gathering == 0 || g->gatherings[s->gathering - 1].full)
  {
    HD_PUSH(g->gatherings, g->ngatherings, g->gatherings_cap, (gathering){0});
    s->gathering = (uint32_t) g->ngatherings;
  }
  gathering *now = &g->gatherings[s->gathering - 1];
  HD_PUSH(now->arrivals.items, now->arrivals.n, now->arrivals.cap, i + 1);
  now->full = now->arrivals.n == e->size;
  get_thread(g, e->thread)->gathering = s->gathering;
}

static void
use_object(graph *g, const hd_trace_event *e, uint32_t i)
{
  shared *s = at(&g->objects, hd_trace_ids_get(&g->objects.ids, e->target));
  uint32_t mine = get_thread(g, e->thread)->gathering;
  if (e->kind == HD_TRACE_POST)
    HD_PUSH(s->reads.items, s->reads.n, s->reads.cap, i + 1);
  else if (e->kind == HD_TRACE_PEND)
    connect_all(g, &s->reads, i);
  else if (e->kind == HD_TRACE_ARRIVE)
    arrive(g, e, s, i);
  else if (e->kind == HD_TRACE_LEAVE && mine > 0)
  {
    g->gatherings[mine - 1].full = true;
    connect_all(g, &g->gatherings[mine - 1].arrivals, i);
  }
}

static void
use_memory(graph *g, const hd_trace_event *e, uint32_t i)
{
  const uint32_t *list;
  bool write = e->kind != HD_TRACE_READ && e->kind != HD_TRACE_ATOMIC_LOAD;
  if (e->kind != HD_TRACE_ALLOC)
  {
    size_t n = hd_monitor_cells_get(g->cells, e->target, e->size, e->kind != HD_TRACE_FREE, &list);
    for (size_t c = 0; c < n; c++)
      use(g, at(&g->variables, list[c]), i, write);
  }
  if (e->kind == HD_TRACE_ALLOC || e->kind == HD_TRACE_FREE)
    hd_monitor_cells_renew(g->cells, e->target, e->size);
}

static void
add_event(graph *g, uint32_t i)
{
  const hd_trace_event *e = &g->window[i];
  cycle_thread *t = get_thread(g, e->thread);
  if (e->kind == HD_TRACE_BEGIN || t->block == 0)
    HD_PUSH(g->nodes, g->nnodes, g->nodes_cap, (node){.begin = e->kind == HD_TRACE_BEGIN ? i + 1 : 0});
  if (e->kind == HD_TRACE_BEGIN)
    t->block = (uint32_t) g->nnodes;
  g->node_of[i] = t->block ? t->block - 1 : (uint32_t) g->nnodes - 1;
  connect(g, t->last, i);
  t->last = i + 1;
  if (e->kind == HD_TRACE_END)
    t->block = 0;
  switch (hd_trace_kind_get(e->kind)->class)
  {
  case HD_TRACE_VARIABLE:
    use_memory(g, e, i);
    break;
  case HD_TRACE_LOCK:
    use(g, at(&g->locks, hd_trace_ids_get(&g->locks.ids, e->target)), i,
        e->kind == HD_TRACE_ACQUIRE || e->kind == HD_TRACE_RELEASE);
    break;
  case HD_TRACE_OBJECT:
    use_object(g, e, i);
    break;
  case HD_TRACE_THREAD:
    if (e->kind == HD_TRACE_FORK)
      get_thread(g, (uint32_t) e->target)->last = i + 1;
    else
      connect(g, get_thread(g, (uint32_t) e->target)->last, i);
    break;
  default:
    break;
  }
}

/* Breadth first from START until an edge leads back to it; returns that edge, + 1. */
static uint32_t
search(graph *g, uint32_t start)
{
  uint32_t *queue = hd_alloc_array(g->nnodes, sizeof *queue), found = 0;
  size_t head = 0, tail = 0;
  for (queue[tail++] = start; head < tail && found == 0; head++)
    for (uint32_t e = g->nodes[queue[head]].first; e != 0 && found == 0; e = g->edges[e - 1].next)
    {
      node *n = &g->nodes[g->edges[e - 1].node];
      if (g->edges[e - 1].node == start || n->came_by == 0)
      {
        n->came_by = e;
        n->came_from = queue[head];
        if (g->edges[e - 1].node == start)
          found = e;
        else
          queue[tail++] = g->edges[e - 1].node;
      }
    }
  free(queue);
  return found;
}

static size_t
collect(const graph *g, uint32_t start, hd_monitor_step **steps)
{
  size_t n = 0;
  uint32_t at_node = start;
  do
    n++, at_node = g->nodes[at_node].came_from;
  while (at_node != start);
  *steps = hd_alloc_zero(n * sizeof **steps);
  for (size_t i = n; i > 0; i--)
  {
    const node *to = &g->nodes[at_node];
    const edge *e = &g->edges[to->came_by - 1];
    uint32_t begin = g->nodes[to->came_from].begin;
    (*steps)[i - 1] = (hd_monitor_step){.from = g->window[e->from], .to = g->window[e->to]};
    if (begin > 0)
      (*steps)[i - 1].begin = g->window[begin - 1];
    at_node = to->came_from;
  }
  return n;
}

size_t
hd_monitor_cycle(const hd_trace_event *window, size_t n, uint64_t begin, hd_monitor_step **steps)
{
  HD_CHECK(n < UINT32_MAX / 2);
  graph g = {.window = window, .node_of = hd_alloc_array(n + 1, sizeof *g.node_of)};
  g.cells = hd_monitor_cells_new((cell_user){&g.variables, copy_variable, clear_variable});
  uint32_t start = UINT32_MAX;
  for (uint32_t i = 0; i < n; i++)
  {
    add_event(&g, i);
    if (window[i].number == begin)
      start = g.node_of[i];
  }
  *steps = NULL;
  size_t count = start != UINT32_MAX && search(&g, start) != 0 ? collect(&g, start, steps) : 0;
  hd_monitor_cells_free(g.cells);
  free_table(&g.variables);
  free_table(&g.locks);
  free_table(&g.objects);
  free(g.node_of);
  free(g.nodes);
  free(g.edges);
  free(g.threads);
  for (size_t i = 0; i < g.ngatherings; i++)
    free(g.gatherings[i].arrivals.items);
  free(g.gatherings);
  return count;
}
