/* knowledge.c: making, joining and dropping what is known. */
#include <stdlib.h>
#include <string.h>

#include "mttl/knowledge.h"

void
hd_mttl_entry_drop(hd_mttl_entry *e)
{
  if (e && atomic_fetch_sub_explicit(&e->references, 1, memory_order_acq_rel) == 1)
    free(e);
}

void
hd_mttl_drop(hd_mttl_knowledge *k)
{
  if (!k || atomic_fetch_sub_explicit(&k->references, 1, memory_order_acq_rel) != 1)
    return;
  for (uint32_t i = 0; i < k->nthreads; i++)
    hd_mttl_entry_drop(k->entries[i]);
  free(k);
}

hd_mttl_knowledge *
hd_mttl_knowledge_new(uint32_t nthreads, size_t nshared)
{
  /* One block: values first, they have the strictest alignment. */
  size_t head = (sizeof(hd_mttl_knowledge) + 15) / 16 * 16, values = nshared * sizeof(hd_mttl_shared);
  size_t entries = nthreads * sizeof(hd_mttl_entry *), seen = nthreads * sizeof(uint32_t);
  char *block = hd_alloc_zero(head + values + entries + seen);
  hd_mttl_knowledge *k = (hd_mttl_knowledge *) block;
  atomic_init(&k->references, 1);
  k->nthreads = nthreads;
  k->shared = (hd_mttl_shared *) (block + head);
  k->entries = (hd_mttl_entry **) (block + head + values);
  k->seen = (uint32_t *) (block + head + values + entries);
  return k;
}

hd_mttl_knowledge *
hd_mttl_knowledge_copy(const hd_mttl_knowledge *k, uint32_t nthreads, size_t nshared)
{
  hd_mttl_knowledge *copy = hd_mttl_knowledge_new(nthreads > k->nthreads ? nthreads : k->nthreads, nshared);
  copy->own = k->own;
  copy->c = k->c;
  for (uint32_t i = 0; i < k->nthreads; i++)
  {
    copy->entries[i] = hd_mttl_entry_keep(k->entries[i]);
    copy->seen[i] = k->seen[i];
  }
  memcpy(copy->shared, k->shared, nshared * sizeof *copy->shared);
  return copy;
}

bool
hd_mttl_knowledge_merge(hd_mttl_knowledge **into, const hd_mttl_knowledge *from, size_t nshared, uint32_t except)
{
  hd_mttl_knowledge *to = *into;
  bool changed = false;
  if (from->nthreads > to->nthreads)
  {
    *into = hd_mttl_knowledge_copy(to, from->nthreads, nshared);
    hd_mttl_drop(to);
    to = *into;
  }
  for (uint32_t i = 0; i < from->nthreads; i++)
  {
    hd_mttl_entry *e = from->entries[i];
    to->seen[i] = from->seen[i] > to->seen[i] ? from->seen[i] : to->seen[i];
    if (i == except || !e || (to->entries[i] && to->entries[i]->version >= e->version))
      continue;
    hd_mttl_entry_drop(to->entries[i]);
    to->entries[i] = hd_mttl_entry_keep(e);
    changed = true;
  }
  if (from->own != HD_MTTL_OF_NOBODY && from->c > to->seen[from->own])
    to->seen[from->own] = from->c;
  for (size_t i = 0; i < nshared; i++)
    if (from->shared[i].version > to->shared[i].version)
    {
      to->shared[i] = from->shared[i];
      changed = true;
    }
  return changed;
}
