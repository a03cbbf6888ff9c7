/* loops.c: cuts the graph at the heads of its loops: an invariant is asserted on the edges that enter the head and on
 * those that come back, what the loop changes gets any values at the head, and the edges back are gone.
 *
 * Dominators as Cooper, Harvey and Kennedy compute them: by intersection, in reverse postorder, until nothing changes.
 */
#include <string.h>

#include "vc/internal.h"

/* Reverse postorder of what node 0 reaches. NUMBER[i]: the place of node i, or UINT32_MAX. */
static void
compute_order(condition *c, uint32_t *number)
{
  size_t n = c->nnodes, depth = 0, done = 0;
  uint32_t *stack = hd_vc_alloc(c, n * sizeof *stack);
  size_t *next = hd_vc_alloc(c, n * sizeof *next);
  uint8_t *seen = hd_vc_alloc(c, n);
  uint32_t *post = hd_vc_alloc(c, n * sizeof *post);
  stack[depth++] = 0;
  seen[0] = 1;
  while (depth)
  {
    uint32_t x = stack[depth - 1];
    const node *v = &c->nodes[x];
    if (next[x] == v->nto)
    {
      post[done++] = x;
      depth--;
      continue;
    }
    uint32_t y = v->to[next[x]++];
    if (!seen[y])
    {
      seen[y] = 1;
      stack[depth++] = y;
    }
  }
  c->order = hd_vc_alloc(c, n * sizeof *c->order);
  c->norder = done;
  memset(number, 0xff, n * sizeof *number);
  for (size_t i = 0; i < done; i++)
  {
    c->order[i] = post[done - 1 - i];
    number[c->order[i]] = (uint32_t) i;
  }
}

/* IDOM by place in the order. */
static void
compute_dominators(condition *c, const uint32_t *number, uint32_t *idom)
{
  memset(idom, 0xff, c->norder * sizeof *idom);
  idom[0] = 0;
  for (bool changed = true; changed;)
  {
    changed = false;
    for (size_t i = 1; i < c->norder; i++)
    {
      const node *v = &c->nodes[c->order[i]];
      uint32_t best = UINT32_MAX;
      for (size_t j = 0; j < v->nfrom; j++)
      {
        uint32_t p = number[v->from[j]];
        if (p == UINT32_MAX || idom[p] == UINT32_MAX)
          continue;
        if (best == UINT32_MAX)
        {
          best = p;
          continue;
        }
        while (p != best)
        {
          while (p > best)
            p = idom[p];
          while (best > p)
            best = idom[best];
        }
      }
      changed = changed || best != idom[i];
      idom[i] = best;
    }
  }
}

static bool
dominates(const uint32_t *idom, uint32_t a, uint32_t b)
{
  while (b > a)
    b = idom[b];
  return a == b;
}

/* Mark in INSIDE the nodes of the loop with HEAD whose edge back comes from TAIL. */
static void
mark_loop(condition *c, uint32_t head, uint32_t tail, const uint32_t *number, uint8_t *inside)
{
  uint32_t *stack = hd_vc_alloc(c, (c->nnodes + 1) * sizeof *stack);
  size_t depth = 0;
  inside[head] = 1;
  if (!inside[tail])
  {
    inside[tail] = 1;
    stack[depth++] = tail;
  }
  while (depth)
  {
    const node *v = &c->nodes[stack[--depth]];
    for (size_t i = 0; i < v->nfrom; i++)
      if (number[v->from[i]] != UINT32_MAX && !inside[v->from[i]])
      {
        inside[v->from[i]] = 1;
        stack[depth++] = v->from[i];
      }
  }
}

/* Assert the first K commands of HEAD, its invariant, at the end of node N. */
static void
assert_invariant(condition *c, uint32_t n, uint32_t head, size_t k, hd_boogie_reason reason)
{
  for (size_t i = 0; i < k; i++)
  {
    const command x = c->nodes[head].commands[i];
    if (x.kind != ASSERT)
      continue;
    hd_vc_assertion a = c->assertions[x.assertion];
    a.reason = reason;
    ADD(c, c->assertions, c->nassertions, c->assertions_cap, a);
    command *copy = hd_vc_command(c, n, ASSERT, x.frame);
    copy->expr = x.expr;
    copy->assertion = (uint32_t) c->nassertions - 1;
  }
}

static void
replace(uint32_t *list, size_t n, uint32_t old, uint32_t new)
{
  for (size_t i = 0; i < n; i++)
    if (list[i] == old)
      list[i] = new;
}

static void
take_out(uint32_t *list, size_t *n, uint32_t old)
{
  size_t k = 0;
  for (size_t i = 0; i < *n; i++)
    if (list[i] != old)
      list[k++] = list[i];
  *n = k;
}

/* What the nodes INSIDE (before the graph was changed: COUNT of them) may change gets any values at the start of HEAD.
 */
static void
havoc_loop(condition *c, uint32_t head, const uint8_t *inside, size_t count, size_t k)
{
  uint8_t *changed = hd_vc_alloc(c, c->ninstances);
  uint32_t *targets = hd_vc_alloc(c, c->ninstances * sizeof *targets);
  size_t n = 0;
  for (size_t i = 0; i < count; i++)
    for (size_t j = 0; inside[i] && j < c->nodes[i].n; j++)
    {
      const command *x = &c->nodes[i].commands[j];
      for (size_t t = 0; (x->kind == ASSIGN || x->kind == HAVOC) && t < x->n; t++)
        changed[x->targets[t]] = 1;
    }
  for (uint32_t i = 0; i < c->ninstances; i++)
    if (changed[i])
      targets[n++] = i;
  node *v = &c->nodes[head];
  command *rest = v->commands;
  size_t nrest = v->n;
  v->commands = NULL;
  v->n = v->cap = 0;
  hd_vc_havoc(c, head, n, targets);
  for (size_t i = 0; i < v->n; i++)
  {
    v->commands[i].at = v->at;
    v->commands[i].loop = true;
  }
  for (size_t i = 0; i < nrest; i++)
  {
    command *x = hd_vc_command(c, head, rest[i].kind, rest[i].frame);
    *x = rest[i];
    if (i < k)
    {
      x->kind = ASSUME;
      x->silent = true;
    }
  }
}

static void
cut(condition *c, uint32_t head, const uint8_t *back, const uint8_t *inside, size_t count)
{
  size_t k = 0;
  while (k < c->nodes[head].n && c->nodes[head].commands[k].kind <= ASSUME)
    k++;
  size_t nfrom = c->nodes[head].nfrom;
  uint32_t *from = memcpy(hd_vc_alloc(c, nfrom * sizeof *from), c->nodes[head].from, nfrom * sizeof *from);
  for (size_t i = 0; i < nfrom; i++)
  {
    uint32_t p = from[i];
    bool is_back = p < count && back[p];
    if (c->nodes[p].nto > 1)
    {
      uint32_t between = hd_vc_node(c, c->nodes[p].label, c->nodes[p].at, true);
      replace(c->nodes[p].to, c->nodes[p].nto, head, between);
      ADD(c, c->nodes[between].from, c->nodes[between].nfrom, c->nodes[between].from_cap, p);
      ADD(c, c->nodes[between].to, c->nodes[between].nto, c->nodes[between].to_cap, head);
      replace(c->nodes[head].from, c->nodes[head].nfrom, p, between);
      p = between;
    }
    assert_invariant(c, p, head, k, is_back ? HD_BOOGIE_LOOP_KEPT : HD_BOOGIE_LOOP_ENTRY);
    if (is_back)
    {
      take_out(c->nodes[p].to, &c->nodes[p].nto, head);
      take_out(c->nodes[head].from, &c->nodes[head].nfrom, p);
    }
  }
  havoc_loop(c, head, inside, count, k);
}

void
hd_vc_cut_loops(condition *c)
{
  size_t n = c->nnodes; /* cutting adds nodes, which are in no loop any more */
  uint32_t *number = hd_vc_alloc(c, n * sizeof *number);
  compute_order(c, number);
  /* What cannot be reached is no predecessor. */
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; number[i] == UINT32_MAX && j < c->nodes[i].nto; j++)
      take_out(c->nodes[c->nodes[i].to[j]].from, &c->nodes[c->nodes[i].to[j]].nfrom, (uint32_t) i);
  uint32_t *idom = hd_vc_alloc(c, c->norder * sizeof *idom);
  compute_dominators(c, number, idom);
  uint8_t **loops = hd_vc_alloc(c, n * sizeof *loops), **backs = hd_vc_alloc(c, n * sizeof *backs);
  for (size_t i = 0; i < c->norder; i++)
  {
    const node *v = &c->nodes[c->order[i]];
    for (size_t j = 0; j < v->nto; j++)
    {
      uint32_t head = v->to[j];
      if (number[head] > i)
        continue;
      if (!dominates(idom, number[head], (uint32_t) i))
        hd_vc_unsupported(c, c->nodes[head].at, "the loop at label %s can be entered at more than one place",
                          c->nodes[head].label);
      if (!loops[head])
      {
        loops[head] = hd_vc_alloc(c, n);
        backs[head] = hd_vc_alloc(c, n);
      }
      backs[head][c->order[i]] = 1;
      mark_loop(c, head, c->order[i], number, loops[head]);
    }
  }
  /* The outermost first or last makes no difference: an invariant is a copy, and a loop is known as it was written. */
  for (size_t i = 0; i < n; i++)
    if (loops[i])
      cut(c, (uint32_t) i, backs[i], loops[i], n);
  number = hd_vc_alloc(c, c->nnodes * sizeof *number);
  compute_order(c, number);
  for (size_t i = 0; i < c->nnodes; i++)
    for (size_t j = 0; number[i] == UINT32_MAX && j < c->nodes[i].nto; j++)
      take_out(c->nodes[c->nodes[i].to[j]].from, &c->nodes[c->nodes[i].to[j]].nfrom, (uint32_t) i);
}
