/* search_config.c: configurations: made, compared, thrown away.
 *
 * States are shared between configurations; whoever changes one copies it first. The memory of a configuration depends
 * on how many operations are open at one time, never on the length of the history. */
#include "linear/search.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* ---- memory ---- */

enum
{
  FIRST_CHUNK = 1 << 12,
  LARGEST_CHUNK = 1 << 20,
};

typedef struct linear_chunk
{
  struct linear_chunk *before;
  size_t used, size;
  _Alignas(max_align_t) unsigned char bytes[];
} linear_chunk;

/* Memory that lives as long as the pool. */
static void *
pool_take(linear_pool *p, size_t size)
{
  size = (size + sizeof(void *) - 1) & ~(sizeof(void *) - 1);
  linear_chunk *k = p->last;
  if (!k || k->size - k->used < size)
  {
    size_t room = k ? 2 * k->size : FIRST_CHUNK;
    room = room > LARGEST_CHUNK ? LARGEST_CHUNK : room;
    room = room < size ? size : room;
    k = hd_alloc(sizeof *k + room);
    *k = (linear_chunk){.before = p->last, .size = room};
    p->last = k;
  }
  k->used += size;
  return k->bytes + k->used - size;
}

static bool
pool_cancelled(const linear_pool *p)
{
  return p->cancel && __atomic_load_n(p->cancel, __ATOMIC_RELAXED) != 0;
}

linear_state *
hd_linear_state_new(linear_pool *p, void *taken)
{
  linear_state *st = p->free_states;
  if (st)
    p->free_states = st->s;
  else
    st = pool_take(p, sizeof *st);
  *st = (linear_state){.s = taken, .refs = 1};
  hd_linear_state_rehash(p, st);
  return st;
}

void
hd_linear_state_rehash(const linear_pool *p, linear_state *st)
{
  st->hash = p->spec->hash ? hd_mix(p->spec->hash(st->s)) : 0;
}

linear_config *
hd_linear_config_new(linear_pool *p, linear_state *state_taken, const uint64_t *bits)
{
  linear_config *c = p->free;
  if (c)
    p->free = (linear_config *) (void *) c->state;
  else
    c = pool_take(p, sizeof *c + 2 * p->words * sizeof *c->bits);
  c->state = state_taken;
  c->hash = 0;
  c->flash = false;
  if (bits)
    memcpy(c->bits, bits, 2 * p->words * sizeof *bits);
  else
    memset(c->bits, 0, 2 * p->words * sizeof *bits);
  return c;
}

void
hd_linear_config_free(linear_pool *p, linear_config *c)
{
  if (--c->state->refs == 0)
  {
    p->spec->destroy(c->state->s);
    c->state->s = p->free_states;
    p->free_states = c->state;
  }
  c->state = (linear_state *) (void *) p->free;
  p->free = c;
}

void
hd_linear_configs_clear(linear_pool *p, linear_configs *cs)
{
  for (size_t i = 0; i < cs->n; i++)
    hd_linear_config_free(p, cs->list[i]);
  cs->n = 0;
}

void
hd_linear_pool_done(linear_pool *p)
{
  while (p->last)
  {
    linear_chunk *k = p->last;
    p->last = k->before;
    free(k);
  }
  free(p->table);
}

/* ---- equal ones ---- */

static bool
states_equal(const linear_pool *p, const linear_state *a, const linear_state *b)
{
  return a == b || (a->hash == b->hash && p->spec->equal && p->spec->equal(a->s, b->s));
}

static uint64_t
hash(const linear_pool *p, const linear_config *c, const uint64_t *unobliged)
{
  /* Without equal() only the very same state is the same. */
  uint64_t h = p->spec->equal ? c->state->hash : hd_mix((uint64_t) (uintptr_t) c->state);
  for (size_t i = 0; i < 2 * p->words; i++)
    h = hd_mix(h ^ (c->bits[i] & ~unobliged[i % p->words]));
  return h ^ c->flash;
}

/* The same, but that A has placed no more of the UNOBLIGED ones than B: A can do all that B can. */
static bool
covers(const linear_pool *p, const linear_config *a, const linear_config *b, const uint64_t *unobliged)
{
  if (a->hash != b->hash || a->flash != b->flash)
    return false;
  for (size_t i = 0; i < p->words; i++)
  {
    uint64_t placed = a->bits[i] ^ b->bits[i], optional = a->bits[p->words + i] ^ b->bits[p->words + i];
    if (((placed | optional) & ~unobliged[i]) || (a->bits[i] & ~b->bits[i] & unobliged[i]))
      return false;
  }
  return states_equal(p, a->state, b->state);
}

enum
{
  SMALL_TABLE = 64,
};

static void
table_make(linear_pool *p, size_t size)
{
  free(p->table);
  p->table = hd_alloc_zero(size * sizeof *p->table);
  p->table_size = size;
}

void
hd_linear_table_clear(linear_pool *p)
{
  if (!p->table_size || p->table_size > 64 * (p->table_used + SMALL_TABLE)) /* one large closure must not slow all */
    table_make(p, SMALL_TABLE);
  else if (p->table_used)
    memset(p->table, 0, p->table_size * sizeof *p->table);
  p->table_used = 0;
}

static void
table_put(linear_pool *p, linear_config *c)
{
  size_t i = c->hash & (p->table_size - 1);
  while (p->table[i])
    i = (i + 1) & (p->table_size - 1);
  p->table[i] = c;
}

bool
hd_linear_table_add(linear_pool *p, linear_config *c, const uint64_t *unobliged)
{
  c->hash = hash(p, c, unobliged);
  for (size_t i = c->hash & (p->table_size - 1); p->table[i]; i = (i + 1) & (p->table_size - 1))
    if (covers(p, p->table[i], c, unobliged))
      return false;
  if (++p->table_used * 2 > p->table_size)
  {
    size_t size = p->table_size;
    linear_config **old = p->table;
    p->table = NULL;
    table_make(p, size * 2);
    for (size_t i = 0; i < size; i++)
      if (old[i])
        table_put(p, old[i]);
    free(old);
  }
  table_put(p, c);
  return true;
}

/* ---- superfluous ones ---- */

/* A can do whatever B can: the states are equal, and each open operation is optional in A, or has the same status in
 * both, or only looks and is done in A. */
static bool
dominates(const linear_pool *p, linear_config *a, linear_config *b, const uint64_t *looks)
{
  const uint64_t *pa = config_placed(a), *pb = config_placed(b);
  const uint64_t *oa = config_optional(p, a), *ob = config_optional(p, b);
  for (size_t i = 0; i < p->words; i++)
    if (((pa[i] ^ pb[i]) & ~oa[i] & ~(pa[i] & looks[i])) || (ob[i] & ~oa[i]))
      return false;
  return states_equal(p, a->state, b->state);
}

enum
{
  POLL_EVERY = 1 << 12, /* configurations */
};

static void
drop_equal(linear_pool *p, linear_configs *cs, const uint64_t *unobliged)
{
  hd_linear_table_clear(p);
  size_t n = 0;
  bool cancelled = false;
  for (size_t i = 0; i < cs->n; i++)
  {
    if (i % POLL_EVERY == POLL_EVERY - 1)
      cancelled = pool_cancelled(p);
    if (cancelled || hd_linear_table_add(p, cs->list[i], unobliged))
      cs->list[n++] = cs->list[i];
    else
      hd_linear_config_free(p, cs->list[i]);
  }
  cs->n = n;
}

/* ---- sorting by state ---- */

typedef struct keyed
{
  uint64_t hash;
  linear_config *config;
} keyed;

static int
by_hash(const void *a, const void *b)
{
  uint64_t x = ((const keyed *) a)->hash, y = ((const keyed *) b)->hash;
  return x < y ? -1 : x > y;
}

/* The hashes lie together: a configuration and its state are far away from those of others. */
static void
sort_by_state(linear_configs *cs)
{
  keyed *all = hd_alloc_array(cs->n, sizeof *all);
  for (size_t i = 0; i < cs->n; i++)
    all[i] = (keyed){cs->list[i]->state->hash, cs->list[i]};
  qsort(all, cs->n, sizeof *all, by_hash);
  for (size_t i = 0; i < cs->n; i++)
    cs->list[i] = all[i].config;
  free(all);
}

enum
{
  FEW = 24,        /* configurations that are compared each with each */
  NEIGHBOURS = 64, /* of one state, beyond that: compared with so many */
};

/* Compare configuration I with REACH later ones, or until another STATE begins if they are sorted. */
static void
drop_around(linear_pool *p, linear_configs *cs, size_t i, size_t reach, bool sorted, const uint64_t *looks)
{
  for (size_t k = i + 1; cs->list[i] && k < cs->n && k - i <= reach; k++)
  {
    if (!cs->list[k])
      continue;
    if (cs->list[i]->state->hash != cs->list[k]->state->hash)
    {
      if (sorted)
        return;
      continue;
    }
    size_t drop = dominates(p, cs->list[i], cs->list[k], looks)   ? k
                  : dominates(p, cs->list[k], cs->list[i], looks) ? i
                                                                  : SIZE_MAX;
    if (drop == SIZE_MAX)
      continue;
    hd_linear_config_free(p, cs->list[drop]);
    cs->list[drop] = NULL;
  }
}

void
hd_linear_configs_reduce(linear_pool *p, linear_configs *cs, bool dominance, const uint64_t *looks,
                         const uint64_t *unobliged)
{
  if (cs->n < 2)
    return;
  if (cs->n > FEW || !dominance)
    drop_equal(p, cs, unobliged);
  if (!dominance || cs->n < 2 || (cs->n > POLL_EVERY && pool_cancelled(p)))
    return;
  bool sorted = cs->n > FEW;
  if (sorted)
    sort_by_state(cs);
  for (size_t i = 0; i < cs->n; i++)
  {
    if (i % POLL_EVERY == POLL_EVERY - 1 && pool_cancelled(p))
      break;
    drop_around(p, cs, i, sorted ? NEIGHBOURS : cs->n, sorted, looks);
  }
  size_t n = 0;
  for (size_t i = 0; i < cs->n; i++)
    if (cs->list[i])
      cs->list[n++] = cs->list[i];
  cs->n = n;
}
