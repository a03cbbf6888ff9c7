/* table.c: tables by pointer, sets of variables, and lists of layers. */
#include <string.h>

#include "civl/layers.h"

/* ---- tables: open addressing, never more than half full ---- */

static size_t
slot_of(const table *t, const void *key)
{
  size_t mask = t->cap - 1, i = hd_mix((uint64_t) (uintptr_t) key) & mask;
  while (t->keys[i] && t->keys[i] != key)
    i = (i + 1) & mask;
  return i;
}

void
hd_civl_table_set(hd_boogie_program *p, table *t, const void *key, void *value)
{
  if (2 * (t->n + 1) > t->cap)
  {
    table old = *t;
    t->cap = old.cap ? 2 * old.cap : 16;
    t->keys = hd_boogie_alloc(p, t->cap * sizeof *t->keys);
    t->values = hd_boogie_alloc(p, t->cap * sizeof *t->values);
    for (size_t i = 0; i < old.cap; i++)
      if (old.keys[i])
      {
        size_t s = slot_of(t, old.keys[i]);
        t->keys[s] = old.keys[i];
        t->values[s] = old.values[i];
      }
  }
  size_t s = slot_of(t, key);
  t->n += !t->keys[s];
  t->keys[s] = key;
  t->values[s] = value;
}

void *
hd_civl_table_get(const table *t, const void *key)
{
  return t->cap ? t->values[slot_of(t, key)] : NULL;
}

/* ---- sets of variables ---- */

bool
hd_civl_set_has(const var_set *s, const hd_boogie_var *v)
{
  return v->id / 64 < s->words && s->bits[v->id / 64] >> v->id % 64 & 1;
}

void
hd_civl_set_add(hd_boogie_program *p, var_set *s, hd_boogie_var *v)
{
  if (hd_civl_set_has(s, v))
    return;
  size_t words = v->id / 64 + 1;
  if (words > s->words)
  {
    words = words < 2 * s->words ? 2 * s->words : words;
    uint64_t *bits = hd_boogie_alloc(p, words * sizeof *bits);
    if (s->words)
      memcpy(bits, s->bits, s->words * sizeof *bits);
    s->bits = bits;
    s->words = words;
  }
  s->bits[v->id / 64] |= UINT64_C(1) << v->id % 64;
  HD_BOOGIE_ADD(p, s->list, v);
}

void
hd_civl_set_add_all(hd_boogie_program *p, var_set *s, const var_set *other)
{
  for (size_t i = 0; i < other->list.n; i++)
    hd_civl_set_add(p, s, other->list.items[i]);
}

bool
hd_civl_set_meets(const var_set *a, const var_set *b)
{
  for (size_t i = 0; i < a->words && i < b->words; i++)
    if (a->bits[i] & b->bits[i])
      return true;
  return false;
}

/* ---- layers ---- */

bool
hd_civl_layers_have(const layer_list *l, int32_t layer)
{
  for (size_t i = 0; i < l->n; i++)
    if (l->items[i] == layer)
      return true;
  return false;
}

void
hd_civl_layers_add(hd_boogie_program *p, layer_list *l, int32_t layer)
{
  size_t i = l->n;
  while (i && l->items[i - 1] > layer)
    i--;
  if (i && l->items[i - 1] == layer)
    return;
  HD_BOOGIE_ADD(p, *l, layer);
  memmove(l->items + i + 1, l->items + i, (l->n - 1 - i) * sizeof *l->items);
  l->items[i] = layer;
}
