/* search_slots.c: what the rules of the search know of the open operations. */
#include "linear/search_slots.h"

#include <stdlib.h>
#include <string.h>

/* ---- before the search ---- */

static uint8_t
kind_of(const hd_spec *spec, const hd_linear_op *o, uint32_t rules)
{
  bool unknown = o->pending || o->any_ret;
  hd_op view = linear_view(o);
  view.unknown = unknown;
  uint32_t traits = spec->traits ? spec->traits(&view) : 0;
  bool looks = spec->methods[o->method].role == HD_OBSERVER || (traits & HD_LOOKS) || o->unchanged;
  if (looks && o->pending)
    return LINEAR_SKIPPED;
  char ret = spec->methods[o->method].ret;
  if (unknown && ret != 'n' && ret != 'b' && !spec->outcomes)
    return LINEAR_UNKNOWABLE;
  uint8_t kind = traits & HD_ANYONE ? LINEAR_ANYONE : 0;
  if (o->unchanged || (looks && !unknown && (rules & HD_LINEAR_LOOKS)))
    return kind | LINEAR_LOOKS;
  kind |= traits & (HD_TOTAL | HD_BLIND) ? LINEAR_TOTAL : 0;
  return kind | (traits & HD_BLIND ? LINEAR_BLIND : 0);
}

/* How many operations are open at one time, at most. */
static uint32_t
most_open(const linear_slots *t, const linear_part *part)
{
  uint32_t open = 0, most = 1;
  for (uint32_t e = 0; e < part->nevents; e++)
  {
    if (t->kind[part->events[e] >> 1] & (LINEAR_SKIPPED | LINEAR_UNKNOWABLE))
      continue;
    open += part->events[e] & 1 ? UINT32_MAX : 1;
    most = open > most ? open : most;
  }
  return most;
}

enum
{
  AHEAD = 16,            /* operations that are fetched before they are needed */
  ALL_KEYS = UINT32_MAX, /* how many keys an operation has that concerns the whole object */
};

static uint32_t
nkeys(const linear_slots *t, uint32_t op)
{
  if (t->whole)
    return 1;
  uint32_t n = t->key_first[op + 1] - t->key_first[op];
  return n ? n : ALL_KEYS;
}

/* The same, one for the whole object. */
static uint32_t
key_count(const linear_slots *t, uint32_t op)
{
  return nkeys(t, op) == ALL_KEYS ? 1 : nkeys(t, op);
}

/* What is known of a key where the walk back through time has arrived. */
typedef struct ahead
{
  uint32_t readers; /* open operations on it that are not blind */
  uint32_t first;   /* where the next of them starts */
  uint32_t hidden;  /* where the first blind write that starts later ends */
} ahead;

static void
pass_event(ahead *a, bool is_end, bool blind, uint32_t event, uint32_t end)
{
  if (is_end)
    a->readers += !blind;
  else if (blind)
    a->hidden = end < a->hidden ? end : a->hidden;
  else
  {
    a->readers--;
    a->first = event;
  }
}

/* The keys of OP, or what stands for all of them. */
static ahead *
key_ahead(const linear_slots *t, ahead *keys, ahead *all, uint32_t op, uint32_t k)
{
  return t->whole ? &keys[0] : nkeys(t, op) == ALL_KEYS ? all : &keys[t->keys[t->key_first[op] + k]];
}

/* Which blind writes nobody can see if they take effect at their ends: until a later write has certainly hidden them,
 * nothing that depends on the state is open. One walk, backwards. */
static void
find_unread(linear_slots *t, const linear_part *part)
{
  uint32_t n = t->whole ? 1 : part->nkeys;
  ahead *keys = hd_alloc_array(n, sizeof *keys), all = {.first = UINT32_MAX, .hidden = UINT32_MAX};
  uint32_t *end = hd_alloc_array(part->n ? part->n : 1, sizeof *end);
  for (uint32_t k = 0; k < n; k++)
    keys[k] = all;
  memset(end, 0xff, part->n * sizeof *end);
  for (uint32_t e = 0; e < part->nevents; e++)
    if (part->events[e] & 1)
      end[part->events[e] >> 1] = e;
  /* What never ends is open to the very end. */
  for (uint32_t i = 0; i < part->n; i++)
    for (uint32_t k = 0; end[i] == UINT32_MAX && !(t->kind[i] & (LINEAR_SKIPPED | LINEAR_BLIND)) && k < key_count(t, i);
         k++)
      key_ahead(t, keys, &all, i, k)->readers++;
  for (uint32_t e = part->nevents; e-- > 0;)
  {
    uint32_t op = part->events[e] >> 1;
    bool blind = t->kind[op] & LINEAR_BLIND, is_end = part->events[e] & 1;
    if (t->kind[op] & LINEAR_SKIPPED)
      continue;
    const ahead *a = key_ahead(t, keys, &all, op, 0);
    uint32_t first = a->first < all.first ? a->first : all.first;
    uint32_t hidden = a->hidden < all.hidden ? a->hidden : all.hidden;
    if (is_end && blind && nkeys(t, op) == 1 && a->readers + all.readers == 0 && first >= hidden)
      t->kind[op] |= LINEAR_UNREAD;
    for (uint32_t k = 0; k < key_count(t, op); k++)
      pass_event(key_ahead(t, keys, &all, op, k), is_end, blind, e, end[op]);
  }
  free(keys);
  free(end);
}

void
hd_linear_slots_init(linear_slots *t, const linear_part *part, uint32_t rules)
{
  *t = (linear_slots){.symmetry = (rules & HD_LINEAR_SYMMETRY) != 0,
                      .whole = part->keys == NULL,
                      .key_first = part->key_first,
                      .keys = part->keys};
  t->kind = hd_alloc_array(part->n ? part->n : 1, sizeof *t->kind);
  t->slot = hd_alloc_array(part->n ? part->n : 1, sizeof *t->slot);
  for (uint32_t i = 0; i < part->n; i++)
  {
    if (i + AHEAD < part->n)
      part_fetch(part, i + AHEAD);
    t->kind[i] = kind_of(part->spec, part_op(part, i), rules);
  }
  if (rules & HD_LINEAR_LOOKAHEAD)
    find_unread(t, part);
  t->words = (most_open(t, part) + 63) / 64;
  size_t slots = t->words * 64;
  t->op = hd_alloc_array(slots, sizeof *t->op);
  uint64_t *words = hd_alloc_zero((6 + 3 * slots) * t->words * sizeof *words);
  t->open = words;
  t->looks = t->open + t->words;
  t->blind = t->looks + t->words;
  t->multi = t->blind + t->words;
  t->pending = t->multi + t->words;
  t->total = t->pending + t->words;
  t->touches = t->total + t->words;
  t->hides = t->touches + slots * t->words;
  t->before = t->hides + slots * t->words;
}

void
hd_linear_slots_done(linear_slots *t)
{
  free(t->kind);
  free(t->slot);
  free(t->op);
  free(t->open);
}

/* ---- open and close ---- */

static bool
has_key(const linear_slots *t, uint32_t op, uint32_t key)
{
  for (uint32_t i = t->key_first[op]; i < t->key_first[op + 1]; i++)
    if (t->keys[i] == key)
      return true;
  return false;
}

/* How many keys of A are keys of B. */
static uint32_t
shared_keys(const linear_slots *t, uint32_t a, uint32_t b)
{
  if (t->whole || nkeys(t, b) == ALL_KEYS)
    return nkeys(t, a);
  if (nkeys(t, a) == ALL_KEYS)
    return nkeys(t, b);
  uint32_t n = 0;
  for (uint32_t i = t->key_first[a]; i < t->key_first[a + 1]; i++)
    n += has_key(t, b, t->keys[i]);
  return n;
}

static bool
equal_ops(const hd_linear_op *a, const hd_linear_op *b, uint8_t kind)
{
  if (a->method != b->method || a->nargs != b->nargs || a->pending != b->pending || a->any_ret != b->any_ret
      || a->exceptional != b->exceptional || (a->thread != b->thread && !(kind & LINEAR_ANYONE)))
    return false;
  for (uint32_t i = 0; i < a->nargs; i++)
    if (!hd_value_equal(hd_linear_args(a)[i], hd_linear_args(b)[i]))
      return false;
  return a->pending || a->any_ret || hd_value_equal(a->ret, b->ret);
}

/* What SLOT and OTHER, both open, mean to each other. */
static void
relate(linear_slots *t, const linear_part *part, uint32_t slot, uint32_t other)
{
  uint32_t x = t->op[slot], y = t->op[other];
  if (shared_keys(t, x, y) == 0)
    return;
  bit_set(t->touches + slot * t->words, other);
  bit_set(t->touches + other * t->words, slot);
  if (bit_get(t->blind, slot) && bit_get(t->total, other) && shared_keys(t, y, x) == nkeys(t, y))
    bit_set(t->hides + slot * t->words, other);
  if (bit_get(t->blind, other) && bit_get(t->total, slot) && shared_keys(t, x, y) == nkeys(t, x))
    bit_set(t->hides + other * t->words, slot);
  const hd_linear_op *a = part_op(part, x), *b = part_op(part, y);
  bool looks = bit_get(t->looks, slot) || bit_get(t->looks, other);
  if (!t->symmetry || looks || !equal_ops(a, b, t->kind[x]))
    return;
  bool later = a->pending ? x > y : a->end != b->end ? a->end > b->end : x > y;
  if (later)
    bit_set(t->before + slot * t->words, other);
  else
    bit_set(t->before + other * t->words, slot);
}

uint32_t
hd_linear_slot_open(linear_slots *t, const linear_part *part, uint32_t op)
{
  size_t w = 0;
  while (!~t->open[w])
    w++;
  uint32_t slot = (uint32_t) (w * 64) + (uint32_t) __builtin_ctzll(~t->open[w]);
  t->used = slot >= t->used ? slot + 1 : t->used;
  t->slot[op] = slot;
  t->op[slot] = op;
  if (t->kind[op] & LINEAR_LOOKS)
    bit_set(t->looks, slot);
  if (t->kind[op] & LINEAR_BLIND)
    bit_set(t->blind, slot);
  if (t->kind[op] & LINEAR_TOTAL)
    bit_set(t->total, slot);
  if (nkeys(t, op) > 1)
    bit_set(t->multi, slot);
  if (part_op(part, op)->pending)
    bit_set(t->pending, slot);
  bit_set(t->touches + slot * t->words, slot);
  for (w = 0; w < t->words; w++)
    for (uint64_t rest = t->open[w]; rest; rest &= rest - 1)
      relate(t, part, slot, (uint32_t) (w * 64) + (uint32_t) __builtin_ctzll(rest));
  bit_set(t->open, slot);
  t->nopen++;
  return slot;
}

void
hd_linear_slot_close(linear_slots *t, uint32_t slot)
{
  t->nopen--;
  bit_clear(t->open, slot);
  bit_clear(t->looks, slot);
  bit_clear(t->blind, slot);
  bit_clear(t->multi, slot);
  bit_clear(t->pending, slot);
  bit_clear(t->total, slot);
  for (size_t w = 0; w < t->words; w++)
    for (uint64_t rest = t->touches[slot * t->words + w]; rest; rest &= rest - 1)
    {
      uint32_t other = (uint32_t) (w * 64) + (uint32_t) __builtin_ctzll(rest);
      bit_clear(t->hides + other * t->words, slot);
      bit_clear(t->before + other * t->words, slot);
      if (other != slot)
        bit_clear(t->touches + other * t->words, slot);
    }
  memset(t->touches + slot * t->words, 0, t->words * sizeof *t->touches);
  memset(t->hides + slot * t->words, 0, t->words * sizeof *t->hides);
  memset(t->before + slot * t->words, 0, t->words * sizeof *t->before);
}

bool
hd_linear_slot_component(const linear_slots *t, uint32_t slot, bool connected, uint64_t *out)
{
  bool several = false;
  if (!connected || t->whole)
    memcpy(out, t->open, t->words * sizeof *out);
  else
  {
    memcpy(out, t->touches + slot * t->words, t->words * sizeof *out);
    for (bool grown = true; grown;)
    {
      grown = false;
      for (uint32_t i = 0; i < t->used; i++)
        for (size_t w = 0; bit_get(out, i) && w < t->words; w++)
        {
          uint64_t more = t->touches[i * t->words + w] & ~out[w];
          grown |= more != 0;
          out[w] |= more;
        }
    }
  }
  for (size_t w = 0; w < t->words; w++)
    several |= (out[w] & t->multi[w]) != 0;
  return several;
}
