/* knowledge.c: making, joining and dropping what is known. */
#include <stdlib.h>
#include <string.h>

#include "mttl/knowledge.h"

/* ---- counting ---- */

void
hd_mttl_entry_drop(hd_mttl_entry *e)
{
  /* Also acquire: who frees it does so after everybody who had it. */
  if (e && atomic_fetch_sub_explicit(&e->references, 1, memory_order_acq_rel) == 1)
    free(e);
}

static hd_mttl_people *
people_keep(hd_mttl_people *p)
{
  if (p)
    atomic_fetch_add_explicit(&p->references, 1, memory_order_relaxed);
  return p;
}

static void
people_drop(hd_mttl_people *p)
{
  if (!p || atomic_fetch_sub_explicit(&p->references, 1, memory_order_acq_rel) != 1)
    return;
  for (uint32_t i = 0; i < p->n; i++)
    hd_mttl_entry_drop(p->entries[i]);
  free(p);
}

static void
destroy(hd_mttl_knowledge *k)
{
  hd_mttl_entry_drop(k->mine);
  people_drop(k->people);
  free(k);
}

static void
drop(hd_mttl_knowledge *k, uint32_t references)
{
  if (atomic_fetch_sub_explicit(&k->references, references, memory_order_acq_rel) == references)
    destroy(k);
}

void
hd_mttl_drop(hd_mttl_knowledge *k)
{
  if (k)
    drop(k, 1);
}

void
hd_mttl_take_credit(hd_mttl_knowledge *k)
{
  atomic_fetch_add_explicit(&k->references, HD_MTTL_CREDIT, memory_order_relaxed);
  k->credit = HD_MTTL_CREDIT;
}

/* Nobody has K any more. */
static void
put_by(hd_mttl_retired *r, hd_mttl_knowledge *k)
{
  enum
  {
    SPARE = 64
  };
  if (r->nspare >= SPARE)
  {
    destroy(k);
    return;
  }
  k->next = r->spare;
  r->spare = k;
  r->nspare++;
}

void
hd_mttl_retired_back(hd_mttl_retired *r, hd_mttl_knowledge *k)
{
  *(k->previous ? &k->previous->next : &r->first) = k->next;
  if (k->next)
    k->next->previous = k->previous;
  r->n--;
  put_by(r, k);
}

void
hd_mttl_retire(hd_mttl_retired *r, hd_mttl_knowledge *k)
{
  enum
  {
    FEW = 64
  };
  k->credit++;
  if (hd_mttl_is_back(k))
  {
    put_by(r, k);
    return;
  }
  k->previous = NULL;
  k->next = r->first;
  if (k->next)
    k->next->previous = k;
  r->first = k;
  if (++r->n < r->sweep)
    return;
  for (hd_mttl_knowledge *i = r->first, *next; i; i = next)
  {
    next = i->next;
    if (hd_mttl_is_back(i))
      hd_mttl_retired_back(r, i);
  }
  r->sweep = 2 * r->n + FEW; /* so that it costs a constant for each */
}

void
hd_mttl_retired_leave(hd_mttl_retired *r)
{
  while (r->first)
  {
    hd_mttl_knowledge *k = r->first;
    r->first = k->next;
    drop(k, k->credit);
  }
  while (r->spare)
  {
    hd_mttl_knowledge *k = r->spare;
    r->spare = k->next;
    destroy(k);
  }
}

/* ---- making ---- */

/* Nothing is in it yet but for its head. */
static hd_mttl_knowledge *
make(uint32_t own, uint32_t nthreads, size_t nshared)
{
  /* One block: values first, they have the strictest alignment. */
  size_t head = (sizeof(hd_mttl_knowledge) + 15) / 16 * 16, values = nshared * sizeof(hd_mttl_shared);
  char *block = hd_alloc(head + values + nthreads * sizeof(uint64_t));
  hd_mttl_knowledge *k = (hd_mttl_knowledge *) block;
  k->credit = own == HD_MTTL_OF_NOBODY ? 0 : HD_MTTL_CREDIT;
  atomic_init(&k->references, k->credit + 1);
  k->own = own;
  k->c = 0;
  k->nthreads = nthreads;
  k->clock = 0;
  k->mine = NULL;
  k->people = NULL;
  k->shared = (hd_mttl_shared *) (block + head);
  k->seen = (uint64_t *) (block + head + values);
  return k;
}

hd_mttl_knowledge *
hd_mttl_knowledge_new(uint32_t own, uint32_t nthreads, size_t nshared)
{
  hd_mttl_knowledge *k = make(own, nthreads, nshared);
  memset(k->shared, 0, nshared * sizeof *k->shared);
  memset(k->seen, 0, nthreads * sizeof *k->seen);
  return k;
}

/* The list of K, for it alone and with room for N threads. */
static hd_mttl_people *
own_people(hd_mttl_knowledge *k, uint32_t n)
{
  hd_mttl_people *old = k->people;
  /* acquire: pairs with the release in people_drop(): who had it has read it */
  if (old && old->n >= n && atomic_load_explicit(&old->references, memory_order_acquire) == 1)
    return old;
  uint32_t had = old ? old->n : 0;
  n = n > had ? n : had;
  hd_mttl_people *p = hd_alloc(sizeof *p + n * sizeof *p->entries);
  atomic_init(&p->references, 1);
  p->n = n;
  for (uint32_t i = 0; i < n; i++)
    p->entries[i] = i < had ? hd_mttl_entry_keep(old->entries[i]) : NULL;
  people_drop(old);
  return k->people = p;
}

void
hd_mttl_know(hd_mttl_knowledge *k, uint32_t i, hd_mttl_entry *e)
{
  hd_mttl_people *p = own_people(k, i + 1);
  hd_mttl_entry_drop(p->entries[i]);
  p->entries[i] = e;
}

hd_mttl_knowledge *
hd_mttl_knowledge_copy(const hd_mttl_knowledge *k, uint32_t own, uint32_t nthreads, size_t nshared)
{
  nthreads = nthreads > k->nthreads ? nthreads : k->nthreads;
  hd_mttl_knowledge *copy = make(own, nthreads, nshared);
  copy->c = k->c;
  copy->clock = k->clock;
  copy->people = people_keep(k->people);
  if (own == k->own)
    copy->mine = hd_mttl_entry_keep(k->mine);
  else if (k->mine)
    hd_mttl_know(copy, k->own, hd_mttl_entry_keep(k->mine));
  memcpy(copy->shared, k->shared, nshared * sizeof *copy->shared);
  memcpy(copy->seen, k->seen, k->nthreads * sizeof *copy->seen);
  memset(copy->seen + k->nthreads, 0, (nthreads - k->nthreads) * sizeof *copy->seen);
  return copy;
}

hd_mttl_knowledge *
hd_mttl_retired_copy(hd_mttl_retired *r, const hd_mttl_knowledge *k, uint32_t nthreads, size_t nshared, bool renewing)
{
  hd_mttl_knowledge *spare = r->spare;
  if (!spare || spare->nthreads != (nthreads > k->nthreads ? nthreads : k->nthreads))
    return hd_mttl_knowledge_copy(k, k->own, nthreads, nshared);
  r->spare = spare->next;
  r->nspare--;
  spare->credit--; /* one reference is that of the thread itself */
  spare->c = k->c;
  spare->clock = k->clock;
  if (spare->people != k->people)
  {
    people_drop(spare->people);
    spare->people = people_keep(k->people);
  }
  if (!renewing && spare->mine != k->mine)
  {
    hd_mttl_entry_drop(spare->mine);
    spare->mine = hd_mttl_entry_keep(k->mine);
  }
  for (size_t i = 0; i < nshared; i++)
    spare->shared[i] = k->shared[i];
  return spare;
}

/* ---- joining ---- */

static bool
is_newer(const hd_mttl_entry *e, const hd_mttl_entry *than)
{
  return e && e != than && (!than || than->version < e->version);
}

bool
hd_mttl_knowledge_newer(const hd_mttl_knowledge *from, const hd_mttl_knowledge *than, size_t nshared, uint32_t except)
{
  for (size_t i = 0; i < nshared; i++)
    if (from->shared[i].version > than->shared[i].version)
      return true;
  if (from->own != except && is_newer(from->mine, hd_mttl_entry_of(than, from->own)))
    return true;
  for (uint32_t i = 0; i < from->nthreads && from->people != than->people; i++)
    if (i != except && is_newer(hd_mttl_entry_of(from, i), hd_mttl_entry_of(than, i)))
      return true;
  return false;
}

hd_mttl_changes
hd_mttl_knowledge_merge(hd_mttl_knowledge *to, const hd_mttl_knowledge *from, size_t nshared, uint32_t except)
{
  hd_mttl_changes changes = 0;
  to->clock = from->clock > to->clock ? from->clock : to->clock;
  for (uint32_t i = 0; i < from->nthreads; i++)
    to->seen[i] = from->seen[i] > to->seen[i] ? from->seen[i] : to->seen[i];
  if (from->own != HD_MTTL_OF_NOBODY && from->c > to->seen[from->own])
    to->seen[from->own] = from->c;
  bool alike = from->people == to->people; /* then only what FROM's owner passes on can be new */
  for (uint32_t i = alike ? from->own : 0; i < from->nthreads; i = alike ? UINT32_MAX : i + 1)
  {
    hd_mttl_entry *e = hd_mttl_entry_of(from, i);
    if (i == except || !is_newer(e, hd_mttl_entry_of(to, i)))
      continue;
    hd_mttl_know(to, i, hd_mttl_entry_keep(e));
    changes |= HD_MTTL_CHANGED_OTHERS;
  }
  for (size_t i = 0; i < nshared; i++)
    if (from->shared[i].version > to->shared[i].version)
    {
      to->shared[i] = from->shared[i];
      changes |= HD_MTTL_CHANGED_SHARED(i);
    }
  return changes;
}
