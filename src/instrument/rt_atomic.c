/* rt_atomic.c: C11 atomics: which operations order what, and their races with plain accesses.
 *
 * A location has an object for each size that is used there. RELEASE is what whoever reads the value with acquire
 * learns: a release store replaces it, a release read-modify-write adds to it (the release sequence goes on), a relaxed
 * store sets it to what was known at the thread's last release fence, unless the thread released there before (C11: its
 * own stores go on with its release sequence). What a relaxed load sees is learnt at the next acquire fence. seq_cst is
 * taken for acq_rel, consume for acquire.
 *
 * READS and WRITES have the last operation of each slot, for plain accesses to compare with; the flag A in W says that
 * there are such. The operation itself happens under the object's lock, so that its place among the others is the one
 * that the clocks say; VERSION lets loads that bring nothing new do without. */
#include "instrument/rt_client.h"
#include "instrument/rt_core.h"

static inline __attribute__((always_inline)) bool
acquires(int order)
{
  return order != __ATOMIC_RELAXED && order != __ATOMIC_RELEASE;
}

static inline __attribute__((always_inline)) bool
releases(int order)
{
  return order >= __ATOMIC_RELEASE;
}

void
hd_rt_atomic_begin(hd_rt_atomic *a, uintptr_t p, uint32_t size, uintptr_t pc)
{
  hd_rt_enter();
  if (HD_RT_UNLIKELY(hd_rt_client_now != NULL))
  {
    *a = (hd_rt_atomic){NULL, p, pc, size};
    hd_rt_acquire(hd_rt_stripe(p));
    return;
  }
  hd_rt_object *o = hd_rt_object_find(p, size);
  *a = (hd_rt_atomic){HD_RT_LIKELY(o != NULL) ? o : hd_rt_object_make(p, size), p, pc, size};
  hd_rt_acquire(&a->object->lock);
  __atomic_store_n(&a->object->version, a->object->version + 1, __ATOMIC_RELAXED);
  __atomic_thread_fence(__ATOMIC_RELEASE); /* odd before anything changes: pairs with hd_rt_atomic_peeked */
}

static inline __attribute__((always_inline)) void
end(hd_rt_atomic *a)
{
  /* release: pairs with the first load in hd_rt_atomic_peek */
  __atomic_store_n(&a->object->version, a->object->version + 1, __ATOMIC_RELEASE);
  hd_rt_release(&a->object->lock);
  hd_rt_leave();
}

/* The operation is a client's business, not ours. */
static bool
told(hd_rt_atomic *a, hd_rt_atomic_kind kind, int order)
{
  if (HD_RT_LIKELY(a->object != NULL))
    return false;
  if (hd_rt_client_now->atomic)
    hd_rt_client_now->atomic(kind, a->p, a->size, order, a->pc);
  hd_rt_release(hd_rt_stripe(a->p));
  hd_rt_leave();
  return true;
}

/* ---- plain accesses ---- */

static void
report(const hd_rt_atomic *a, uintptr_t p, uint32_t bytes, uint32_t old, bool write, bool read)
{
  uint32_t kind = HD_RT_ATOMIC | (write ? HD_RT_WRITE : HD_RT_READ);
  hd_rt_race race = {p, bytes, a->size, kind, a->pc, old, read ? HD_RT_READ : HD_RT_WRITE};
  if (hd_rt_on_race)
    hd_rt_on_race(&race);
}

/* The bytes of granule G that A covers. */
static unsigned
covered(const hd_rt_atomic *a, uintptr_t g)
{
  unsigned mask = 0;
  for (unsigned b = 0; b < 4; b++)
    mask |= (unsigned) (g + b - a->p < a->size) << b;
  return mask;
}

static void
look_slowly(const hd_rt_atomic *a, uintptr_t g, bool write)
{
  hd_rt_lock *lock = hd_rt_stripe(g);
  hd_rt_acquire(lock);
  bool read;
  uint32_t old, w = __atomic_fetch_or(hd_rt_w(g), HD_RT_A, __ATOMIC_RELAXED);
  if (!(w & HD_RT_B))
  {
    if ((old = hd_rt_cell_conflict(hd_rt_granule_cell(g), write, &read)) != 0)
      report(a, g < a->p ? a->p : g, (unsigned) __builtin_popcount(covered(a, g)), old, write, read);
  }
  else
    for (unsigned b = 0, mask = covered(a, g); b < 4; b++)
      if ((mask >> b & 1) && (old = hd_rt_cell_conflict(hd_rt_byte_cell(g + b), write, &read)) != 0)
        report(a, g + b, 1, old, write, read);
  hd_rt_release(lock);
}

/* Is the word of a plain read of both granules, or of one (ONE), known? */
static inline __attribute__((always_inline)) bool
reads_known(uintptr_t g, unsigned plane, bool one)
{
  uint64_t rr = one ? hd_rt_load(hd_rt_r(g, plane)) : hd_rt_load_pair(hd_rt_r(g, plane));
  uint32_t r = (uint32_t) rr;
  return !(r & HD_RT_S) && hd_rt_known(r) && (one || rr >> 32 == r);
}

/* Is it clear at a glance that the operation is ordered after the plain accesses to 4 (ONE) or 8 bytes at G? */
static inline __attribute__((always_inline)) bool
all_known(uintptr_t g, bool write, bool one)
{
  uint64_t ww = one ? hd_rt_load(hd_rt_w(g)) : hd_rt_load_pair(hd_rt_w(g));
  uint32_t w = (uint32_t) ww;
  if (HD_RT_LIKELY(ww == (one ? HD_RT_A : (uint64_t) HD_RT_A << 32 | HD_RT_A)))
    return true; /* there were none */
  if ((w & (HD_RT_A | HD_RT_B)) != HD_RT_A || !hd_rt_known(w) || (!one && ww >> 32 != w))
    return false;
  if (!write)
    return true;
  if (!(w & HD_RT_S))
    return reads_known(g, hd_rt_slot(w) % HD_RT_PLANES, one);
  for (unsigned k = 0; k < HD_RT_PLANES; k++)
    if (!reads_known(g, k, one))
      return false;
  return true;
}

/* Is the operation ordered after the plain accesses that it conflicts with? */
static inline __attribute__((always_inline)) void
look_at_plain(const hd_rt_atomic *a, bool write)
{
  if (a->size == 8 && all_known(a->p & ~7ull, write, false))
    return;
  for (uintptr_t g = a->p & ~3ull; g < a->p + a->size; g += 4)
    if (!all_known(g, write, true))
      look_slowly(a, g, write);
}

/* Enter the operation for plain accesses to come. */
static inline __attribute__((always_inline)) void
enter(const hd_rt_atomic *a, hd_rt_clocks *c)
{
  uint32_t slot = hd_rt_slot(hd_rt_here.epoch), clock = hd_rt_clock(hd_rt_here.epoch);
  if (slot >= c->n)
  {
    if (!hd_rt_clocks_grow(c, (slot + 4) & ~3u))
      return;
    __atomic_store_n(&c->n, (slot + 4) & ~3u, __ATOMIC_RELAXED); /* the new words are zero */
  }
  if (c->words[slot] == clock)
    return;
  hd_rt_store(&c->words[slot], clock);
  hd_rt_note(a->p, (unsigned) __builtin_ctz(a->size), a->pc);
}

/* ---- what is ordered ---- */

static inline __attribute__((always_inline)) void
learn(hd_rt_object *o, int order)
{
  if (acquires(order))
    hd_rt_learn(&o->release);
  else if (o->release.n && !(o->release.owner && hd_rt_known(o->release.owner)))
  {
    hd_rt_thread *t = hd_rt_here.self;
    hd_rt_clocks_take(t->seen, &o->release);
    if (t->seen_n < o->release.n)
      t->seen_n = o->release.n;
  }
}

static bool
is_head(const hd_rt_object *o)
{
  uint32_t slot = hd_rt_slot(hd_rt_here.epoch);
  if (o->heads > 4)
    return true;
  for (uint32_t i = 0; i < o->heads; i++)
    if (o->head[i] == slot)
      return true;
  return false;
}

static void
add_head(hd_rt_object *o)
{
  if (is_head(o))
    return;
  if (o->heads < 4)
    o->head[o->heads] = (uint16_t) hd_rt_slot(hd_rt_here.epoch);
  o->heads++;
}

/* What a relaxed write hands on: the knowledge of the last release fence. */
static void
add_fenced(hd_rt_object *o)
{
  const hd_rt_thread *t = hd_rt_here.self;
  if (t->fenced_n && !o->release.n)
    hd_rt_clocks_copy(&o->release, t->fenced, t->fenced_n, t->fenced_owner);
  else if (t->fenced_n)
    hd_rt_clocks_join(&o->release, t->fenced, t->fenced_n);
}

void
hd_rt_atomic_load(hd_rt_atomic *a, int order)
{
  if (told(a, HD_RT_ATOMIC_LOAD, order))
    return;
  look_at_plain(a, false);
  enter(a, &a->object->reads);
  learn(a->object, order);
  end(a);
}

void
hd_rt_atomic_store(hd_rt_atomic *a, int order)
{
  hd_rt_object *o = a->object;
  if (told(a, HD_RT_ATOMIC_STORE, order))
    return;
  look_at_plain(a, true);
  enter(a, &o->writes);
  if (releases(order))
  {
    o->heads = 0;
    add_head(o);
    hd_rt_release_into(o);
  }
  else
  {
    if (!is_head(o))
    {
      hd_rt_clocks_clear(&o->release);
      o->heads = 0;
    }
    add_fenced(o);
  }
  end(a);
}

void
hd_rt_atomic_modify(hd_rt_atomic *a, int order)
{
  hd_rt_object *o = a->object;
  if (told(a, HD_RT_ATOMIC_MODIFY, order))
    return;
  look_at_plain(a, true);
  enter(a, &o->writes);
  learn(o, order);
  if (releases(order))
  {
    add_head(o);
    /* Who knows all that the object knows replaces it: then it is the copy of one release again. */
    if (acquires(order) || (o->release.owner && hd_rt_known(o->release.owner)))
      hd_rt_release_into(o);
    else
      hd_rt_release_join(o);
  }
  else
    add_fenced(o);
  end(a);
}

bool
hd_rt_atomic_peek(uintptr_t p, uint32_t size, int order, hd_rt_object **object, uint32_t *version)
{
  hd_rt_object *o = hd_rt_object_find(p, size);
  if (!o)
    return false;
  *object = o;
  *version = __atomic_load_n(&o->version, __ATOMIC_ACQUIRE); /* acquire: pairs with end() */
  uint32_t slot = hd_rt_slot(hd_rt_here.epoch);
  if ((*version & 1) || slot >= o->reads.n || hd_rt_load(&o->reads.words[slot]) != hd_rt_clock(hd_rt_here.epoch))
    return false;
  uint32_t owner = o->release.owner;
  if (!o->release.n || (owner && hd_rt_known(owner)))
    return true;
  return !acquires(order) && owner && hd_rt_here.self->seen[hd_rt_slot(owner)] >= hd_rt_clock(owner);
}

void
hd_rt_fence(int order)
{
  if (HD_RT_TELL(fence, order))
    return;
  hd_rt_thread *t = hd_rt_here.self;
  hd_rt_enter();
  if (acquires(order))
  {
    hd_rt_words_max(t->known, t->seen, t->seen_n);
    hd_rt_here.learnt = hd_rt_here.epoch;
    for (uint32_t i = 0; i < t->seen_n; i++)
      t->seen[i] = 0;
    t->seen_n = 0;
  }
  if (releases(order))
  {
    uint32_t n = hd_rt_slots_used;
    for (uint32_t i = 0; i < n; i++)
      t->fenced[i] = t->known[i];
    t->fenced_n = n;
    t->fenced_owner = hd_rt_here.epoch;
    hd_rt_tick();
  }
  hd_rt_leave();
}
