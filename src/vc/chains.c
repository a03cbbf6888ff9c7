/* chains.c: which blocks are one with the block before them. */
#include "vc/internal.h"

uint32_t
hd_vc_chain_index(const chain *h, const hd_boogie_block *b)
{
  return h->index[b->id - h->smallest];
}

const hd_boogie_block *
hd_vc_chain_next(const chain *h, const hd_boogie_block *b)
{
  const hd_boogie_transfer *t = &b->transfer;
  if (t->kind != HD_BOOGIE_GOTO || t->targets.n != 1 || h->several[hd_vc_chain_index(h, t->targets.items[0])])
    return NULL;
  return t->targets.items[0];
}

chain
hd_vc_chains(condition *c, const hd_boogie_blocks *blocks)
{
  size_t n = blocks->n, depth = 0, edges = 1;
  chain h = {.smallest = UINT32_MAX};
  uint32_t largest = 0;
  for (size_t i = 0; i < n; i++)
  {
    const hd_boogie_block *b = blocks->items[i];
    h.smallest = b->id < h.smallest ? b->id : h.smallest;
    largest = b->id > largest ? b->id : largest;
    edges += b->transfer.kind == HD_BOOGIE_GOTO ? b->transfer.targets.n : 0;
  }
  h.index = hd_vc_alloc(c, ((size_t) largest - h.smallest + 1) * sizeof *h.index);
  h.several = hd_vc_alloc(c, n);
  h.reachable = hd_vc_alloc(c, n);
  h.inside = hd_vc_alloc(c, n);
  for (size_t i = 0; i < n; i++)
    h.index[blocks->items[i]->id - h.smallest] = (uint32_t) i;
  uint32_t *stack = hd_vc_alloc(c, edges * sizeof *stack);
  stack[depth++] = 0;
  while (depth)
  {
    uint32_t i = stack[--depth];
    const hd_boogie_transfer *t = &blocks->items[i]->transfer;
    if (h.reachable[i])
    {
      h.several[i] = 1;
      continue;
    }
    h.reachable[i] = 1;
    for (size_t j = 0; t->kind == HD_BOOGIE_GOTO && j < t->targets.n; j++)
      stack[depth++] = hd_vc_chain_index(&h, t->targets.items[j]);
  }
  for (size_t i = 0; i < n; i++)
    if (h.reachable[i] && hd_vc_chain_next(&h, blocks->items[i]))
      h.inside[hd_vc_chain_index(&h, hd_vc_chain_next(&h, blocks->items[i]))] = 1;
  return h;
}
