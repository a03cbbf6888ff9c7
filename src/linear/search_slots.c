/* search_slots.c: what the rules of the search know of the open operations. */
#include "linear/search_slots.h"

#include <stdlib.h>
#include <string.h>

/* ---- before the search ---- */

static uint8_t
kind_of(const hd_spec *spec, const hd_linear_op *o, uint32_t rules)
{
  bool unknown = o->pending || o->any_ret, observes = spec->methods[o->method].role == HD_OBSERVER;
  if (observes && !unknown && (rules & HD_LINEAR_LOOKS))
    return LINEAR_LOOKS; /* nothing else matters */
  hd_op view = linear_view(o);
  view.unknown = unknown;
  uint32_t traits = spec->traits ? spec->traits(&view) : 0;
  bool looks = observes || (traits & HD_LOOKS) || o->unchanged;
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

uint8_t
hd_linear_kind(linear_slots *t, const linear_part *part, uint32_t op)
{
  if (!(t->kind[op] & LINEAR_KNOWN))
    t->kind[op] |= LINEAR_KNOWN | kind_of(part->spec, part_op(part, op), t->rules);
  return t->kind[op];
}

/* How many operations are open at one time, at most, or a little more. */
static uint32_t
most_open(linear_slots *t, const linear_part *part)
{
  uint32_t open = 0, most = 1;
  for (uint32_t e = 0; e < part->nevents; e++)
  {
    open += 1 - 2 * (part->events[e] & 1);
    most = open > most ? open : most;
  }
  if (most <= 64) /* one word will do, whichever of them get a slot */
    return most;
  open = 0;
  most = 1;
  /* For the moment: 1, it ends; 0, it stays open, unless it never gets a slot. */
  for (uint32_t e = 0; e < part->nevents; e++)
    t->slot[part->events[e] >> 1] = part->events[e] & 1;
  for (uint32_t e = 0; e < part->nevents; e++)
  {
    uint32_t op = part->events[e] >> 1;
    if (t->slot[op] == 0 && (hd_linear_kind(t, part, op) & (LINEAR_SKIPPED | LINEAR_UNKNOWABLE)))
      continue;
    open += part->events[e] & 1 ? UINT32_MAX : 1;
    most = open > most ? open : most;
  }
  return most;
}

enum
{
  ALL_KEYS = UINT32_MAX, /* how many keys an operation has that concerns the whole object */
  LOOKED_AHEAD = 2048,   /* events */
};

static uint32_t
nkeys(const linear_slots *t, uint32_t op)
{
  if (t->whole)
    return 1;
  uint32_t n = t->key_first[op + 1] - t->key_first[op];
  return n ? n : ALL_KEYS;
}

/* The one key of OP; ALL_KEYS: it has several or all, or there are no keys. */
static uint32_t
only_key(const linear_slots *t, uint32_t op)
{
  if (t->whole || t->key_first[op + 1] - t->key_first[op] != 1)
    return ALL_KEYS;
  return t->keys[t->key_first[op]];
}

void
hd_linear_slots_init(linear_slots *t, const linear_part *part, uint32_t rules)
{
  *t = (linear_slots){.rules = rules,
                      .symmetry = (rules & HD_LINEAR_SYMMETRY) != 0,
                      .whole = part->keys == NULL,
                      .key_first = part->key_first,
                      .keys = part->keys};
  t->kind = hd_alloc_zero(part->n ? part->n : 1);
  t->slot = hd_alloc_zero((part->n ? part->n : 1) * sizeof *t->slot);
  t->words = (most_open(t, part) + 63) / 64;
  size_t slots = t->words * 64;
  t->op = hd_alloc_array(slots, sizeof *t->op);
  t->key = hd_alloc_array(slots, sizeof *t->key);
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

/* What is open on a key. */
typedef struct key_use
{
  uint32_t open;
  uint32_t only; /* the operation that has been alone since its start, + 1; 0: there is none */
  uint32_t wide; /* how many operations with other than one key had started then */
} key_use;

void
hd_linear_slots_find_alone(linear_slots *t, const linear_part *part)
{
  if (t->whole)
    return;
  key_use *uses = hd_alloc_zero((part->nkeys + 1) * sizeof *uses);
  uint32_t wide_open = 0, wide_started = 0;
  for (uint32_t e = 0; e < part->nevents; e++)
  {
    uint32_t op = part->events[e] >> 1, ends = part->events[e] & 1, key = only_key(t, op);
    if (HD_UNLIKELY(key == ALL_KEYS))
    {
      wide_open += 1 - 2 * ends;
      wide_started += !ends;
      continue;
    }
    /* No branch: which events are ends nobody can foresee. */
    key_use *use = &uses[key];
    bool starts_alone = (use->open == 0) & (wide_open == 0) & !part_op(part, op)->any_ret;
    bool ends_alone = (use->only == op + 1) & (use->wide == wide_started);
    t->kind[op] |= (ends & ends_alone) ? LINEAR_ALONE : 0;
    use->open += 1 - 2 * ends;
    use->only = ends ? use->only : starts_alone ? op + 1 : 0;
    use->wide = ends ? use->wide : wide_started;
  }
  free(uses);
}

void
hd_linear_slots_done(linear_slots *t)
{
  free(t->kind);
  free(t->slot);
  free(t->op);
  free(t->key);
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
  t->slot[op] = slot;
  t->op[slot] = op;
  uint32_t key = t->key[slot] = only_key(t, op);
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
    {
      uint32_t other = (uint32_t) (w * 64) + (uint32_t) __builtin_ctzll(rest);
      if (key == t->key[other] || key == ALL_KEYS || t->key[other] == ALL_KEYS)
        relate(t, part, slot, other);
    }
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
  {
    for (uint64_t rest = t->touches[slot * t->words + w]; rest; rest &= rest - 1)
    {
      uint32_t other = (uint32_t) (w * 64) + (uint32_t) __builtin_ctzll(rest);
      bit_clear(t->hides + other * t->words, slot);
      bit_clear(t->before + other * t->words, slot);
      if (other != slot)
        bit_clear(t->touches + other * t->words, slot);
    }
    t->touches[slot * t->words + w] = t->hides[slot * t->words + w] = t->before[slot * t->words + w] = 0;
  }
}

/* What touches SLOT, into OUT. True: there was something new. */
static bool
connect(const linear_slots *t, uint32_t slot, uint64_t *out)
{
  bool grown = false;
  for (size_t w = 0; w < t->words; w++)
  {
    uint64_t more = t->touches[slot * t->words + w] & ~out[w];
    grown |= more != 0;
    out[w] |= more;
  }
  return grown;
}

/* The same as below where one word holds all slots, as it mostly does. */
static bool
small_component(const linear_slots *t, uint32_t slot, uint64_t *out)
{
  uint64_t all = t->touches[slot];
  for (uint64_t done = 1ull << slot, rest = all & ~done; rest; rest = all & ~done)
  {
    uint32_t next = (uint32_t) __builtin_ctzll(rest);
    done |= 1ull << next;
    all |= t->touches[next];
  }
  *out = all;
  return (all & t->multi[0]) != 0;
}

bool
hd_linear_slot_component(const linear_slots *t, uint32_t slot, bool connected, uint64_t *out)
{
  bool several = false;
  if (HD_LIKELY(connected && !t->whole && t->words == 1))
    return small_component(t, slot, out);
  if (!connected || t->whole)
    memcpy(out, t->open, t->words * sizeof *out);
  else
  {
    memcpy(out, t->touches + slot * t->words, t->words * sizeof *out);
    for (bool grown = true; grown;)
    {
      grown = false;
      for (size_t v = 0; v < t->words; v++)
        for (uint64_t rest = out[v]; rest; rest &= rest - 1)
          grown |= connect(t, (uint32_t) (v * 64) + (uint32_t) __builtin_ctzll(rest), out);
    }
  }
  for (size_t w = 0; w < t->words; w++)
    several |= (out[w] & t->multi[w]) != 0;
  return several;
}

/* ---- what comes ---- */

/* Nothing that depends on the state is open on its key; walk on until such an operation starts, or until a blind one
 * that started later has ended: by then OP is hidden. */
bool
hd_linear_unread(linear_slots *t, const linear_part *part, uint32_t op, uint32_t event)
{
  uint32_t slot = t->slot[op];
  if (nkeys(t, op) != 1)
    return false;
  for (size_t w = 0; w < t->words; w++)
    if (t->touches[slot * t->words + w] & t->open[w] & ~t->blind[w])
      return false;
  uint32_t key = t->key[slot];
  for (uint32_t e = event + 1; e < part->nevents; e++)
  {
    uint32_t other = part->events[e] >> 1, its = only_key(t, other);
    if (e - event > LOOKED_AHEAD)
      return false;
    if (its != key && its != ALL_KEYS) /* most events concern other keys */
      continue;
    if (shared_keys(t, op, other) == 0 || (hd_linear_kind(t, part, other) & LINEAR_SKIPPED))
      continue;
    bool blind = t->kind[other] & LINEAR_BLIND;
    if (!(part->events[e] & 1) && !blind)
      return false;
    /* What ends here and is not open now has started since. */
    if ((part->events[e] & 1) && blind && !(bit_get(t->open, t->slot[other]) && t->op[t->slot[other]] == other))
      return true;
  }
  return true;
}
