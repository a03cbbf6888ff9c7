/* places.c: how knowledge moves through shared locations.
 *
 * A location keeps the knowledge of its last writer, and that of everybody who has read it since. A reader learns what
 * the writer knew; a writer also learns what the readers knew, who then count no more.
 *
 * Mostly a thread finds there what it left itself, and only its stamp and the number with it are others now: these two
 * are stored at once, without the lock that the caller has for all else (hd_mttl_reads_again). If another thread
 * happens to be there at that moment, in an access that nothing orders with this one, the stamp of one may end up with
 * the knowledge of the other: it counts as not seen, and what is learnt then is that knowledge. */
#include <stdlib.h>

#include "mttl/monitor.h"

static inline hd_mttl_parcel
parcel_at(const hd_mttl_parcel *p)
{
  hd_mttl_parcel now;
  hd_mttl_restamp(&now, p);
  now.knowledge = p->knowledge;
  return now;
}

static inline uint64_t
owner_of(uint64_t stamp)
{
  return stamp >> HD_MTTL_STAMP_THREAD;
}

static inline uint64_t
stamp_at(const hd_mttl_parcel *p)
{
  return *(const volatile uint64_t *) &p->stamp;
}

/* P is what T passes on now. */
static inline void
put_parcel(hd_mttl_thread *t, hd_mttl_parcel *p)
{
  const hd_mttl_parcel *mine = &t->front.parcel;
  hd_mttl_knowledge *old = p->knowledge;
  hd_mttl_restamp(p, mine);
  if (old == mine->knowledge)
    return;
  p->knowledge = hd_mttl_hand_out(mine->knowledge);
  hd_mttl_give_back(t, old);
}

static hd_mttl_readers *
longer(hd_mttl_readers *old, uint32_t n, uint32_t cap)
{
  hd_mttl_readers *r = hd_alloc_zero(sizeof *r + cap * sizeof *r->parcels);
  r->shorter = old;
  for (uint32_t i = 0; i < n; i++)
    r->parcels[i] = old->parcels[i];
  return r;
}

/* X has been read by T, who knows what it knows now. */
static void
enter_reader(hd_mttl_thread *t, hd_mttl_location *x)
{
  uint32_t at = 0;
  hd_mttl_pack(t);
  while (at < x->nreaders && owner_of(stamp_at(&x->readers->parcels[at])) != t->number)
    at++;
  if (at == x->nreaders)
  {
    if (at == x->readers_cap)
    {
      x->readers_cap = at ? 2 * at : 2;
      x->readers = longer(x->readers, at, x->readers_cap);
    }
    x->nreaders++;
  }
  put_parcel(t, &x->readers->parcels[at]);
}

static inline bool
has_seen_stamp(const hd_mttl_thread *t, uint64_t stamp)
{
  uint64_t own = owner_of(stamp), c = stamp & ((1ull << HD_MTTL_STAMP_THREAD) - 1);
  return own == t->number || (own < t->nseen && t->seen[own] >= c);
}

static inline bool
has_seen_parcel(const hd_mttl_thread *t, const hd_mttl_parcel *p)
{
  uint64_t stamp = stamp_at(p);
  return !p->knowledge || (has_seen_stamp(t, stamp) && p->knowledge->own == owner_of(stamp));
}

static void
learn_at(hd_mttl_thread *t, const hd_mttl_parcel *from)
{
  const hd_mttl_parcel p = parcel_at(from);
  if (p.knowledge && p.knowledge->own != owner_of(p.stamp))
    hd_mttl_learn(t, p.knowledge);
  else
    hd_mttl_learn_parcel(t, &p);
}

/* ---- reads ---- */

bool
hd_mttl_reads_quietly(hd_mttl_thread *t, hd_mttl_location *x)
{
  if (!hd_mttl_is_idle(t) || !has_seen_parcel(t, &x->written))
    return false;
  enter_reader(t, x);
  return true;
}

void
hd_mttl_reads(hd_mttl_thread *t, hd_mttl_location *const *x, size_t n, const hd_mttl_event *e)
{
  for (size_t i = 0; i < n; i++)
    learn_at(t, &x[i]->written);
  hd_mttl_local(t, e);
  for (size_t i = 0; i < n; i++)
    enter_reader(t, x[i]);
}

/* ---- writes ---- */

/* T is NULL: nobody does it. */
static void
forget_readers(hd_mttl_thread *t, hd_mttl_location *x)
{
  for (uint32_t i = 0; i < x->nreaders; i++)
  {
    hd_mttl_parcel *p = &x->readers->parcels[i];
    hd_mttl_knowledge *k = p->knowledge;
    p->knowledge = NULL;
    hd_mttl_restamp(p, &(hd_mttl_parcel){0});
    if (t)
      hd_mttl_give_back(t, k);
    else
      hd_mttl_drop(k);
  }
  x->nreaders = 0;
}

/* What T itself left as a reader is in what it leaves as a writer: it may stay, and mostly T reads again. */
static inline bool
may_readers_stay(const hd_mttl_thread *t, const hd_mttl_location *x)
{
  return x->nreaders == 0 || (x->nreaders == 1 && owner_of(stamp_at(&x->readers->parcels[0])) == t->number);
}

/* X has been written by T, who knows what it knows now. */
static void
enter_writer(hd_mttl_thread *t, hd_mttl_location *x)
{
  hd_mttl_pack(t);
  if (!may_readers_stay(t, x))
    forget_readers(t, x);
  put_parcel(t, &x->written);
}

bool
hd_mttl_writes_quietly(hd_mttl_thread *t, hd_mttl_location *x)
{
  bool quiet = hd_mttl_is_idle(t) && has_seen_parcel(t, &x->written);
  for (uint32_t i = 0; i < x->nreaders && quiet; i++)
    quiet = has_seen_parcel(t, &x->readers->parcels[i]);
  if (!quiet)
    return false;
  enter_writer(t, x);
  return true;
}

void
hd_mttl_writes(hd_mttl_thread *t, hd_mttl_location *const *x, size_t n, const hd_mttl_event *e)
{
  for (size_t i = 0; i < n; i++)
  {
    learn_at(t, &x[i]->written);
    for (uint32_t k = 0; k < x[i]->nreaders; k++)
      learn_at(t, &x[i]->readers->parcels[k]);
  }
  if (e->variable >= 0)
    hd_mttl_assume(t, (uint32_t) e->variable, e->value);
  hd_mttl_local(t, e);
  for (size_t i = 0; i < n; i++)
    enter_writer(t, x[i]);
}

/* ---- the life of locations ---- */

void
hd_mttl_location_copy(hd_mttl_location *x, const hd_mttl_location *from)
{
  *x = (hd_mttl_location){.written = from->written, .nreaders = from->nreaders, .readers_cap = from->nreaders};
  hd_mttl_keep(x->written.knowledge);
  if (from->nreaders)
    x->readers = longer(NULL, 0, from->nreaders);
  for (uint32_t i = 0; i < from->nreaders; i++)
  {
    x->readers->parcels[i] = from->readers->parcels[i];
    hd_mttl_keep(x->readers->parcels[i].knowledge);
  }
}

void
hd_mttl_location_clear(hd_mttl_location *x)
{
  forget_readers(NULL, x);
  while (x->readers)
  {
    hd_mttl_readers *r = x->readers;
    x->readers = r->shorter;
    free(r);
  }
  hd_mttl_drop(x->written.knowledge);
  *x = (hd_mttl_location){0};
}
