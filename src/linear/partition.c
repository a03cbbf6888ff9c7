/* partition.c: the parts of a history that do not concern each other.
 *
 * The specification says which keys an operation concerns; operations that share a key, directly or through others,
 * are of one part (union-find). An object of which each part is linearizable is linearizable: the parts are objects of
 * their own (locality). An operation that concerns the whole object joins everything. */
#include "linear/partition.h"

#include <stdlib.h>
#include <string.h>

#include "linear/search_slots.h"

/* ---- keys get numbers ---- */

typedef struct key_entry
{
  uint64_t hash;
  uint32_t number; /* + 1; 0: free */
} key_entry;

enum
{
  SMALL = 256, /* numbers below it are found without hashing */
};

typedef struct key_table
{
  hd_keys base; /* first: the specification gets a pointer to it */
  key_entry *entries;
  size_t size;
  hd_value *values; /* by number */
  size_t n, cap;
  hd_arena *arena; /* texts: what the specification passes may be gone */
  uint32_t *list;  /* numbers of the keys of one operation after the other */
  size_t nlist, list_cap;
  size_t from;           /* where those of the present operation begin */
  uint32_t small[SMALL]; /* by key: its number + 1, or 0 */
} key_table;

static void
table_grow(key_table *t)
{
  size_t old_size = t->size;
  key_entry *old = t->entries;
  t->size = old_size ? old_size * 2 : 64;
  t->entries = hd_alloc_zero(t->size * sizeof *t->entries);
  for (size_t i = 0; i < old_size; i++)
    if (old[i].number)
    {
      size_t k = old[i].hash & (t->size - 1);
      while (t->entries[k].number)
        k = (k + 1) & (t->size - 1);
      t->entries[k] = old[i];
    }
  free(old);
}

static uint32_t
number_of(key_table *t, hd_value key)
{
  if (t->n * 2 >= t->size)
    table_grow(t);
  uint64_t hash = hd_value_hash(key);
  size_t k = hash & (t->size - 1);
  for (; t->entries[k].number; k = (k + 1) & (t->size - 1))
    if (t->entries[k].hash == hash && hd_value_equal(t->values[t->entries[k].number - 1], key))
      return t->entries[k].number - 1;
  if (key.type == HD_STR || key.type == HD_BYTES)
  {
    char *text = hd_arena_alloc(t->arena, key.length + 1u);
    memcpy(text, key.s, key.length);
    key.s = text;
  }
  HD_PUSH(t->values, t->n, t->cap, key);
  t->entries[k] = (key_entry){hash, (uint32_t) t->n};
  return (uint32_t) t->n - 1;
}

/* Out of line, so that the usual way need not save registers. */
static __attribute__((noinline)) void
add_any_key(key_table *t, hd_value key)
{
  uint32_t *small = key.type == HD_INT && key.u < SMALL ? &t->small[key.u] : NULL;
  uint32_t number = small && *small ? *small - 1 : number_of(t, key);
  if (small)
    *small = number + 1;
  for (size_t i = t->from; i < t->nlist; i++)
    if (t->list[i] == number)
      return;
  HD_PUSH(t->list, t->nlist, t->list_cap, number);
}

static void
add_key(hd_keys *keys, hd_value key)
{
  key_table *t = (key_table *) keys;
  bool small = key.type == HD_INT && key.u < SMALL;
  if (HD_LIKELY(small && t->small[key.u] && t->nlist == t->from
                && t->nlist < t->list_cap)) /* the only one, and known */
    t->list[t->nlist++] = t->small[key.u] - 1;
  else
    add_any_key(t, key);
}

/* The keys of all operations: FIRST has N + 1 places. True: none concerns the whole object. */
static bool
gather(key_table *t, const hd_spec *spec, const special_job *order, uint32_t *first)
{
  bool apart = true;
  uint32_t n = order->n;
  for (uint32_t i = 0; i < n; i++)
  {
    if (job_stops(order, i))
      n = i;
    first[i] = (uint32_t) (t->from = t->nlist);
    hd_op view = linear_view(&order->ops[i]);
    if (!spec->key(&view, &t->base) || t->nlist == t->from)
    {
      t->nlist = t->from; /* no key stands for all of them */
      apart = false;
    }
  }
  first[n] = (uint32_t) t->nlist;
  return apart;
}

static void
table_done(key_table *t)
{
  free(t->entries);
  free(t->values);
  free(t->list);
  hd_arena_free(t->arena);
}

/* ---- union-find over keys ---- */

static uint32_t
root(uint32_t *parent, uint32_t k)
{
  while (parent[k] != k)
    k = parent[k] = parent[parent[k]];
  return k;
}

/* PART[i]: the part of operation i, numbered in the order of their first operations. Returns how many there are. */
static uint32_t
number_parts(const key_table *t, const uint32_t *first, uint32_t n, uint32_t *part)
{
  uint32_t *parent = hd_alloc_array(t->n + 1, sizeof *parent), *number = hd_alloc_array(t->n + 1, sizeof *number);
  for (uint32_t k = 0; k < t->n; k++)
    parent[k] = k, number[k] = UINT32_MAX;
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t k = first[i] + 1; k < first[i + 1]; k++)
      parent[root(parent, t->list[k])] = root(parent, t->list[first[i]]);
  uint32_t nparts = 0;
  for (uint32_t i = 0; i < n; i++)
  {
    uint32_t r = root(parent, t->list[first[i]]);
    if (number[r] == UINT32_MAX)
      number[r] = nparts++;
    part[i] = number[r];
  }
  free(parent);
  free(number);
  return nparts;
}

/* ---- sorting by parts ---- */

/* All is one part, and the operations lie in the order of their starts, as those of a history do: they keep their
 * numbers. False: they do not. */
static bool
keep_events(linear_parts *p, const special_job *order)
{
  if (p->nparts > 1 || !order->in_order)
    return false;
  p->ops = p->moments = NULL;
  p->events = order->events + 1;
  p->first[1] = order->n;
  p->event_first[1] = order->nevents;
  return true;
}

static void
sort_events(linear_parts *p, const uint32_t *part, special_job *order, uint32_t *sorted)
{
  uint32_t n = order->n, nevents = order->nevents;
  const uint32_t *events = order->events;
  p->events = sorted;
  uint32_t *local = hd_special_array(order, n, sizeof *local), *next = hd_alloc_zero((p->nparts + 1) * sizeof *next);
  for (uint32_t i = 0; i < n; i++)
    p->first[part[i] + 1]++;
  for (uint32_t e = 1; e <= nevents; e++)
    p->event_first[part[events[e] >> 1] + 1]++;
  for (uint32_t k = 0; k < p->nparts; k++)
  {
    p->first[k + 1] += p->first[k];
    p->event_first[k + 1] += p->event_first[k];
  }
  uint32_t *filled = hd_alloc_zero((p->nparts + 1) * sizeof *filled);
  for (uint32_t e = 1; e <= nevents; e++)
  {
    uint32_t op = events[e] >> 1, k = part[op];
    if (!(events[e] & 1))
    {
      local[op] = next[k]++;
      p->ops[p->first[k] + local[op]] = op;
    }
    uint32_t at = p->event_first[k] + filled[k]++;
    sorted[at] = 2 * local[op] + (events[e] & 1);
    p->moments[at] = e;
  }
  free(next);
  free(filled);
}

/* The keys of the operations, in the order of P's operations: where those of an operation begin is in FIRST, and then
 * in SORTED. */
static void
sort_keys(linear_parts *p, key_table *t, uint32_t *first, uint32_t n, uint32_t *sorted)
{
  p->nkeys = hd_alloc_zero(p->nparts * sizeof *p->nkeys);
  HD_CHECK(t->list); /* there are more keys than parts */
  if (!p->ops)       /* nothing has moved, and keys are numbered in the order in which they come */
  {
    p->key_first = first;
    p->keys = t->list;
    p->nkeys[0] = (uint32_t) t->n;
    t->list = NULL;
    return;
  }
  p->key_first = sorted;
  p->keys = hd_alloc_array(t->nlist + 1, sizeof *p->keys);
  uint32_t *local = hd_alloc_array(t->n + 1, sizeof *local), at = 0; /* a key is of one part only */
  memset(local, 0xff, (t->n + 1) * sizeof *local);
  for (uint32_t part = 0; part < p->nparts; part++)
    for (uint32_t i = p->first[part]; i < p->first[part + 1]; i++)
    {
      p->key_first[i] = at;
      for (uint32_t k = first[parts_op(p, i)]; k < first[parts_op(p, i) + 1]; k++)
      {
        uint32_t *number = &local[t->list[k]];
        if (*number == UINT32_MAX)
          *number = p->nkeys[part]++;
        p->keys[at++] = *number;
      }
    }
  p->key_first[n] = at;
  free(local);
}

bool
hd_linear_parts_init(linear_parts *p, const hd_spec *spec, special_job *order, bool split)
{
  uint32_t n = order->n;
  *p = (linear_parts){.nparts = 1,
                      .ops = hd_special_array(order, n, sizeof *p->ops),
                      .moments = hd_special_array(order, order->nevents, sizeof *p->moments)};
  uint32_t *sorted = hd_special_array(order, order->nevents, sizeof *sorted);
  uint32_t *first = spec->key ? hd_special_array(order, n, sizeof *first) : NULL;
  uint32_t *sorted_first = spec->key ? hd_special_array(order, n, sizeof *sorted_first) : NULL;
  size_t mark = order->nblocks;
  uint32_t *part = hd_special_array(order, n, sizeof *part);
  key_table t = {.base.add = add_key, .arena = hd_arena_new()};
  if (spec->key)
    hd_grow(&t.list, &t.list_cap, n, sizeof *t.list); /* most operations have one */
  bool apart = spec->key && gather(&t, spec, order, first), go_on = !job_cancelled(order);
  if (go_on && apart && split && n > 0)
    p->nparts = number_parts(&t, first, n, part);
  else
    memset(part, 0, n * sizeof *part);
  p->first = hd_alloc_zero((p->nparts + 1) * sizeof *p->first);
  p->event_first = hd_alloc_zero((p->nparts + 1) * sizeof *p->event_first);
  if (go_on && !keep_events(p, order))
    sort_events(p, part, order, sorted);
  if (go_on && spec->key && p->nparts < t.n)
    sort_keys(p, &t, first, n, sorted_first);
  hd_special_release(order, mark);
  table_done(&t);
  if (!go_on)
    hd_linear_parts_done(p);
  return go_on;
}

void
hd_linear_parts_done(linear_parts *p)
{
  free(p->first);
  free(p->event_first);
  free(p->keys);
  free(p->nkeys);
}
