/* rt_full.c: accesses that the middle path does not settle: races, granules that are accessed in parts, atomics beside
 * plain accesses, reads that need a set. Under the stripe of the granule, so that only middle paths of other threads
 * interfere. */
#include "instrument/rt_client.h"
#include "instrument/rt_core.h"

typedef struct access
{
  uintptr_t p, pc;
  uint32_t size;
  bool write;
} access;

enum
{
  NSTRIPES = 256
};
static struct
{
  hd_rt_lock lock;
  char pad[60];
} stripes[NSTRIPES];

void (*hd_rt_on_race)(const hd_rt_race *race);

hd_rt_lock *
hd_rt_stripe(uintptr_t p)
{
  return &stripes[(p >> 3 ^ p >> 12) % NSTRIPES].lock;
}

static void
report(const access *a, uintptr_t p, uint32_t bytes, uint32_t old, uint32_t old_kind)
{
  hd_rt_race race = {p, bytes, a->size, a->write ? HD_RT_WRITE : HD_RT_READ, a->pc, old & ~HD_RT_FLAGS, old_kind};
  if (hd_rt_on_race)
    hd_rt_on_race(&race);
}

static uint32_t
unknown_read(uint32_t r)
{
  if (r & HD_RT_S)
    return hd_rt_set_unknown(r);
  return hd_rt_known(r) ? 0 : r;
}

uint32_t
hd_rt_cell_conflict(hd_rt_cell c, bool write, bool *read)
{
  uint32_t w = hd_rt_load(c.w), r;
  *read = false;
  if (!hd_rt_known(w))
    return w & ~HD_RT_FLAGS;
  if (!write)
    return 0;
  *read = true;
  if (!(w & HD_RT_S))
    return unknown_read(hd_rt_load(hd_rt_cell_reads(c, hd_rt_slot(w) % HD_RT_PLANES)));
  for (unsigned k = 0; k < HD_RT_PLANES; k++)
    if ((r = unknown_read(hd_rt_load(hd_rt_cell_reads(c, k)))) != 0)
      return r;
  return 0;
}

/* ---- atomics beside plain accesses ---- */

static uint32_t
unknown_clock(const hd_rt_clocks *c)
{
  const uint32_t *words = __atomic_load_n(&c->words, __ATOMIC_RELAXED);
  uint32_t n = __atomic_load_n(&c->n, __ATOMIC_RELAXED);
  for (uint32_t s = 0; words && s < n; s++)
  {
    uint32_t clock = hd_rt_load(&words[s]);
    if (clock > hd_rt_here.known[s])
      return hd_rt_epoch(s, clock);
  }
  return 0;
}

/* The atomic operations that overlap the bytes MASK of granule G. */
static void
look_at_atomics(const access *a, uintptr_t g, unsigned mask)
{
  for (unsigned back = 0; back <= 8; back += 8) /* 16 bytes may begin 8 earlier */
    for (uint32_t i = hd_rt_load(hd_rt_objects(g - back)); i;)
    {
      const hd_rt_object *o = hd_rt_object_get(i);
      unsigned covered = 0;
      for (unsigned b = 0; b < 4; b++)
        covered |= (unsigned) (g + b - o->address < o->size) << b;
      if (covered & mask)
      {
        uint32_t old = unknown_clock(&o->writes), kind = HD_RT_ATOMIC | HD_RT_WRITE;
        if (!old && a->write)
        {
          old = unknown_clock(&o->reads);
          kind = HD_RT_ATOMIC | HD_RT_READ;
        }
        if (old)
          report(a, g + (unsigned) __builtin_ctz(covered & mask), (unsigned) __builtin_popcount(covered & mask), old,
                 kind);
      }
      i = o->next;
    }
}

/* ---- granules in parts ---- */

/* From now on the words of the bytes count. A set of reads becomes one for each byte: they go separate ways. */
static void
split(uintptr_t g, uint32_t w)
{
  for (unsigned b = 0; b < 4; b++)
    hd_rt_store(hd_rt_wb(g + b), w & ~(HD_RT_A | HD_RT_B));
  for (unsigned k = 0; k < HD_RT_PLANES; k++)
  {
    uint32_t *r_word = hd_rt_r(g, k), r = hd_rt_load(r_word);
    if (!r)
      continue; /* the bytes' words are zero */
    for (unsigned b = 0; b < 4; b++)
      hd_rt_store(hd_rt_rb(g + b, k), r & HD_RT_S ? hd_rt_set_copy(r) : r);
    if (r & HD_RT_S)
    {
      hd_rt_store(r_word, 0);
      hd_rt_set_free(r);
    }
  }
  hd_rt_store(hd_rt_w(g), HD_RT_B | (w & HD_RT_A));
}

static void
clear_bytes(uintptr_t g)
{
  for (unsigned b = 0; b < 4; b++)
    hd_rt_store(hd_rt_wb(g + b), 0);
  for (unsigned k = 0; k < HD_RT_PLANES; k++)
    for (unsigned b = 0; b < 4; b++)
    {
      uint32_t *r_word = hd_rt_rb(g + b, k), r = hd_rt_load(r_word);
      if (r & HD_RT_S)
        hd_rt_set_free(r);
      if (r)
        hd_rt_store(r_word, 0);
    }
}

void
hd_rt_granule_clear(uintptr_t g)
{
  if (hd_rt_load(hd_rt_w(g)) & HD_RT_B)
    clear_bytes(g);
  for (unsigned k = 0; k < HD_RT_PLANES; k++)
  {
    uint32_t *r_word = hd_rt_r(g, k), r = hd_rt_load(r_word);
    if (r & HD_RT_S)
      hd_rt_set_free(r);
    if (r)
      hd_rt_store(r_word, 0);
  }
}

/* ---- the access ---- */

/* Somebody's middle path may have come between our look and our store. */
static void
look_again(const access *a, uintptr_t p, uint32_t bytes, uint32_t w, uint32_t now)
{
  if (((w ^ now) & ~HD_RT_FLAGS) && !hd_rt_known(now))
    report(a, p, bytes, now, HD_RT_WRITE);
}

static void
read_cell(const access *a, uintptr_t p, uint32_t bytes, hd_rt_cell c)
{
  uint32_t e = hd_rt_here.epoch, *home = hd_rt_cell_reads(c, hd_rt_slot(e) % HD_RT_PLANES), w = hd_rt_load(c.w);
  if (((w ^ e) & HD_RT_SLOT_MASK) && !(w & HD_RT_S))
    __atomic_fetch_or(c.w, HD_RT_S, __ATOMIC_RELAXED);
  for (;;)
  {
    uint32_t r = hd_rt_load(home), new = (r & HD_RT_S) || !hd_rt_known(r) ? hd_rt_set_add(r, e) : e;
    if (r == e || new == r || __atomic_compare_exchange_n(home, &r, new, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
      break;
    if (new &HD_RT_S) /* a middle path was faster; R was no set, or it would not have changed */
      hd_rt_set_free(new);
  }
  look_again(a, p, bytes, w, hd_rt_load(c.w));
}

static void
cell(const access *a, uintptr_t p, uint32_t bytes, hd_rt_cell c)
{
  uint32_t e = hd_rt_here.epoch, w = hd_rt_load(c.w);
  if (a->write && w == e)
    return;
  bool read;
  uint32_t old = hd_rt_cell_conflict(c, a->write, &read);
  if (old)
    report(a, p, bytes, old, read ? HD_RT_READ : HD_RT_WRITE);
  if (a->write)
    look_again(a, p, bytes, w, __atomic_exchange_n(c.w, e | (w & HD_RT_A), __ATOMIC_SEQ_CST));
  else
    read_cell(a, p, bytes, c);
}

static void
granule(const access *a, uintptr_t g, unsigned mask)
{
  hd_rt_lock *lock = hd_rt_stripe(g);
  hd_rt_enter();
  hd_rt_acquire(lock);
  uint32_t w = hd_rt_load(hd_rt_w(g));
  if (w & HD_RT_A)
    look_at_atomics(a, g, mask);
  if (mask == 15 && !(w & HD_RT_B))
    cell(a, g, 4, hd_rt_granule_cell(g));
  else
  {
    if (!(w & HD_RT_B))
      split(g, w);
    for (unsigned b = 0; b < 4; b++)
      if (mask >> b & 1)
        cell(a, g + b, 1, hd_rt_byte_cell(g + b));
    if (mask == 15 && a->write)
    {
      /* Ordered after all that the bytes recorded, or reported: the granule is one again. */
      clear_bytes(g);
      hd_rt_store(hd_rt_w(g), hd_rt_here.epoch | (w & HD_RT_A));
    }
    else if (mask == 15)
      hd_rt_store(hd_rt_home(g), hd_rt_here.epoch); /* for the fast path alone: the bytes count */
  }
  hd_rt_release(lock);
  hd_rt_leave();
}

static void
full(const access *a)
{
  uintptr_t end = a->p + a->size;
  for (uintptr_t g = a->p & ~3ull; g < end; g += 4)
  {
    unsigned mask = 15;
    if (g < a->p)
      mask &= 15u << (a->p - g);
    if (g + 4 > end)
      mask &= 15u >> (g + 4 - end);
    granule(a, g, mask);
  }
  if (a->size & (a->size - 1))
  {
    hd_rt_note(a->p, HD_RT_SIZE_RANGE, a->pc);
    hd_rt_note(end - 1, HD_RT_SIZE_LAST, a->pc);
  }
  else
    hd_rt_note(a->p, (unsigned) __builtin_ctz(a->size), a->pc);
}

void
hd_rt_full_read(uintptr_t p, size_t n, uintptr_t pc)
{
  if (HD_RT_UNLIKELY(hd_rt_client_on_access != NULL))
    hd_rt_client_on_access(p, n, false, pc);
  else
    full(&(access){p, pc, (uint32_t) n, false});
}

void
hd_rt_full_write(uintptr_t p, size_t n, uintptr_t pc)
{
  if (HD_RT_UNLIKELY(hd_rt_client_on_access != NULL))
    hd_rt_client_on_access(p, n, true, pc);
  else
    full(&(access){p, pc, (uint32_t) n, true});
}
