/* graph.c: the graph of an implementation's blocks: order, dominators (Cooper, Harvey and Kennedy), natural loops, and
 * whether every cycle is one. */
#include <stdlib.h>
#include <string.h>

#include "boogie/boogie.h"

static int
by_address(const void *x, const void *y)
{
  const hd_boogie_block *a = *(hd_boogie_block *const *) x, *b = *(hd_boogie_block *const *) y;
  return a < b ? -1 : a > b;
}

/* Where B is among the blocks sorted by address. */
static size_t
find(const hd_boogie_graph *g, const hd_boogie_block *b)
{
  hd_boogie_block *const *found = bsearch(&b, g->sorted, g->n_sorted, sizeof *g->sorted, by_address);
  HD_CHECK(found); /* a goto stays inside its list of blocks */
  return (size_t) (found - g->sorted);
}

typedef struct frame
{
  hd_boogie_block *block;
  size_t next;
} frame;

/* Depth-first from the entry, with a stack of its own; NODES gets the postorder reversed. */
static void
order_blocks(hd_boogie_graph *g, hd_boogie_block *entry)
{
  bool *seen = hd_alloc_zero((g->n_sorted + 1) * sizeof *seen);
  frame *stack = hd_alloc_array(g->n_sorted + 1, sizeof *stack);
  size_t depth = 0, place = g->n_sorted;
  hd_boogie_block **post = hd_alloc_array(g->n_sorted + 1, sizeof *post);
  stack[depth++] = (frame){.block = entry};
  seen[find(g, entry)] = true;
  while (depth)
  {
    frame *top = &stack[depth - 1];
    const hd_boogie_blocks *targets = &top->block->transfer.targets;
    /* From the last target on, so that the first one comes first in the reversed order. */
    if (top->next < targets->n)
    {
      hd_boogie_block *b = targets->items[targets->n - 1 - top->next++];
      size_t i = find(g, b);
      if (!seen[i])
      {
        seen[i] = true;
        stack[depth++] = (frame){.block = b};
      }
    }
    else
    {
      post[--place] = top->block;
      depth--;
    }
  }
  g->n = g->n_sorted - place;
  g->nodes = hd_alloc_array(g->n + 1, sizeof *g->nodes);
  memcpy(g->nodes, post + place, g->n * sizeof *post);
  for (size_t i = 0; i < g->n_sorted; i++)
    g->number[i] = SIZE_MAX;
  for (size_t i = 0; i < g->n; i++)
    g->number[find(g, g->nodes[i])] = i;
  free(post);
  free(stack);
  free(seen);
}

static void
link_blocks(hd_boogie_graph *g)
{
  g->successors = hd_alloc_zero((g->n + 1) * sizeof *g->successors);
  g->n_successors = hd_alloc_zero((g->n + 1) * sizeof *g->n_successors);
  g->predecessors = hd_alloc_zero((g->n + 1) * sizeof *g->predecessors);
  g->n_predecessors = hd_alloc_zero((g->n + 1) * sizeof *g->n_predecessors);
  for (size_t i = 0; i < g->n; i++)
  {
    const hd_boogie_blocks *targets = &g->nodes[i]->transfer.targets;
    g->successors[i] = hd_alloc_array(targets->n + 1, sizeof **g->successors);
    for (size_t j = 0; j < targets->n; j++)
    {
      size_t k = g->number[find(g, targets->items[j])];
      bool known = false;
      for (size_t m = 0; m < g->n_successors[i]; m++)
        known |= g->successors[i][m] == k;
      if (known)
        continue;
      g->successors[i][g->n_successors[i]++] = k;
      g->n_predecessors[k]++;
    }
  }
  for (size_t i = 0; i < g->n; i++)
  {
    g->predecessors[i] = hd_alloc_array(g->n_predecessors[i] + 1, sizeof **g->predecessors);
    g->n_predecessors[i] = 0;
  }
  for (size_t i = 0; i < g->n; i++)
    for (size_t j = 0; j < g->n_successors[i]; j++)
    {
      size_t k = g->successors[i][j];
      g->predecessors[k][g->n_predecessors[k]++] = i;
    }
}

static size_t
common_dominator(const hd_boogie_graph *g, size_t a, size_t b)
{
  while (a != b)
  {
    while (a > b)
      a = g->dominator[a];
    while (b > a)
      b = g->dominator[b];
  }
  return a;
}

static void
find_dominators(hd_boogie_graph *g)
{
  g->dominator = hd_alloc_array(g->n + 1, sizeof *g->dominator);
  for (size_t i = 0; i < g->n; i++)
    g->dominator[i] = i ? SIZE_MAX : 0;
  for (bool changed = true; changed;)
  {
    changed = false;
    for (size_t i = 1; i < g->n; i++)
    {
      size_t best = SIZE_MAX;
      for (size_t j = 0; j < g->n_predecessors[i]; j++)
      {
        size_t p = g->predecessors[i][j];
        if (g->dominator[p] != SIZE_MAX)
          best = best == SIZE_MAX ? p : common_dominator(g, p, best);
      }
      changed |= g->dominator[i] != best;
      g->dominator[i] = best;
    }
  }
}

bool
hd_boogie_graph_dominates(const hd_boogie_graph *g, size_t a, size_t b)
{
  while (b > a)
    b = g->dominator[b];
  return a == b;
}

static int
by_number(const void *x, const void *y)
{
  size_t a = *(const size_t *) x, b = *(const size_t *) y;
  return a < b ? -1 : a > b;
}

typedef struct loop_search
{
  size_t *stack, *found, *seen_for; /* SEEN_FOR: 1 + the last head whose loop a block was put into */
} loop_search;

/* The natural loop of HEAD: blocks from which a back edge is reached without passing HEAD. */
static void
find_loop(hd_boogie_graph *g, size_t head, loop_search *s)
{
  size_t n = 0, found = 0;
  for (size_t j = 0; j < g->n_predecessors[head]; j++)
    if (hd_boogie_graph_dominates(g, head, g->predecessors[head][j]))
      s->stack[n++] = g->predecessors[head][j];
  if (!n)
    return;
  g->is_head[head] = true;
  s->found[found++] = head;
  s->seen_for[head] = head + 1;
  while (n)
  {
    size_t b = s->stack[--n];
    if (s->seen_for[b] == head + 1)
      continue;
    s->seen_for[b] = head + 1;
    s->found[found++] = b;
    for (size_t j = 0; j < g->n_predecessors[b]; j++)
      s->stack[n++] = g->predecessors[b][j];
  }
  qsort(s->found, found, sizeof *s->found, by_number);
  g->n_loops[head] = found;
  g->loops[head] = hd_alloc_array(found, sizeof **g->loops);
  memcpy(g->loops[head], s->found, found * sizeof *s->found);
  for (size_t j = 0; j < found; j++) /* outer heads have smaller numbers, so the last one wins */
    g->inner_head[s->found[j]] = head;
}

bool
hd_boogie_graph_in_loop(const hd_boogie_graph *g, size_t head, size_t b)
{
  return g->n_loops[head] && bsearch(&b, g->loops[head], g->n_loops[head], sizeof b, by_number);
}

static void
find_loops(hd_boogie_graph *g)
{
  size_t edges = 0;
  g->reducible = true;
  g->irreducible = SIZE_MAX;
  g->is_head = hd_alloc_zero((g->n + 1) * sizeof *g->is_head);
  g->inner_head = hd_alloc_array(g->n + 1, sizeof *g->inner_head);
  g->loops = hd_alloc_zero((g->n + 1) * sizeof *g->loops);
  g->n_loops = hd_alloc_zero((g->n + 1) * sizeof *g->n_loops);
  for (size_t i = 0; i < g->n; i++)
  {
    edges += g->n_predecessors[i];
    g->inner_head[i] = SIZE_MAX;
    for (size_t j = 0; j < g->n_successors[i]; j++) /* in this order only retreating edges go back */
      if (g->successors[i][j] <= i && !hd_boogie_graph_dominates(g, g->successors[i][j], i) && g->reducible)
      {
        g->reducible = false;
        g->irreducible = g->successors[i][j];
      }
  }
  loop_search s = {.stack = hd_alloc_array(2 * edges + 1, sizeof *s.stack),
                   .found = hd_alloc_array(g->n + 1, sizeof *s.found),
                   .seen_for = hd_alloc_zero((g->n + 1) * sizeof *s.seen_for)};
  for (size_t i = 0; i < g->n; i++)
    find_loop(g, i, &s);
  free(s.stack);
  free(s.found);
  free(s.seen_for);
}

hd_boogie_graph *
hd_boogie_graph_new(const hd_boogie_blocks *blocks)
{
  hd_boogie_graph *g = hd_alloc_zero(sizeof *g);
  g->n_sorted = blocks->n;
  g->sorted = hd_alloc_array(blocks->n + 1, sizeof *g->sorted);
  g->number = hd_alloc_array(blocks->n + 1, sizeof *g->number);
  if (blocks->n)
  {
    memcpy(g->sorted, blocks->items, blocks->n * sizeof *g->sorted);
    qsort(g->sorted, blocks->n, sizeof *g->sorted, by_address);
    order_blocks(g, blocks->items[0]);
  }
  link_blocks(g);
  find_dominators(g);
  find_loops(g);
  return g;
}

void
hd_boogie_graph_free(hd_boogie_graph *g)
{
  if (!g)
    return;
  for (size_t i = 0; i < g->n; i++)
  {
    free(g->successors[i]);
    free(g->predecessors[i]);
    free(g->loops[i]);
  }
  free(g->nodes);
  free(g->sorted);
  free(g->number);
  free(g->successors);
  free(g->n_successors);
  free(g->predecessors);
  free(g->n_predecessors);
  free(g->dominator);
  free(g->is_head);
  free(g->inner_head);
  free(g->loops);
  free(g->n_loops);
  free(g);
}

size_t
hd_boogie_graph_number(const hd_boogie_graph *g, const hd_boogie_block *b)
{
  hd_boogie_block *const *found = bsearch(&b, g->sorted, g->n_sorted, sizeof *g->sorted, by_address);
  return found ? g->number[found - g->sorted] : SIZE_MAX;
}
