/* table.c: a hash table from values to values, with a hash of the whole that does not depend on the order of the
 * entries. Linear probing; removal moves later entries back, so no marks of removed entries remain. */
#include "builtin.h"

#include <stdlib.h>
#include <string.h>

static uint64_t
key_hash(hd_value key)
{
  return hd_value_hash(key) | 1; /* 0 marks a free entry */
}

/* KEY is a hash already, and mixing once is enough: a number stands for itself. */
static inline uint64_t
entry_hash(uint64_t key, hd_value value)
{
  uint64_t v = HD_LIKELY(value.type != HD_NIL && value.type < HD_STR) ? value.u : hd_value_hash_other(value);
  return hd_mix(key * 0x9e3779b97f4a7c15ull + v);
}

static size_t
texts_of(hd_value v)
{
  return v.type >= HD_STR;
}

/* Out of line: most values are numbers of one kind. */
static __attribute__((noinline)) bool
equal_otherwise(hd_value a, hd_value b)
{
  return hd_value_equal(a, b);
}

static inline bool
equal(hd_value a, hd_value b)
{
  if (HD_LIKELY(a.type == b.type && a.type != HD_NIL && a.type < HD_STR))
    return a.u == b.u;
  return equal_otherwise(a, b);
}

/* The entry of KEY, or the free one where it would go. The table has a free entry. */
static inline table_entry *
probe(const table *t, uint64_t hash, hd_value key)
{
  size_t i = hash >> 1 & (t->capacity - 1);
  while (t->entries[i].hash && !(t->entries[i].hash == hash && equal(t->entries[i].key, key)))
    i = (i + 1) & (t->capacity - 1);
  return &t->entries[i];
}

const hd_value *
hd_specs_table_get(const table *t, hd_value key)
{
  if (t->n == 0)
    return NULL;
  const table_entry *e = probe(t, key_hash(key), key);
  return e->hash ? &e->value : NULL;
}

static void
grow(table *t)
{
  table old = *t;
  t->capacity = old.capacity ? 2 * old.capacity : 16;
  t->entries = hd_alloc_zero(t->capacity * sizeof *t->entries);
  for (size_t i = 0; i < old.capacity; i++)
    if (old.entries[i].hash)
      *probe(t, old.entries[i].hash, old.entries[i].key) = old.entries[i];
  free(old.entries);
}

bool
hd_specs_table_put(table *t, hd_value key, hd_value value)
{
  if (4 * (t->n + 1) > 3 * t->capacity)
    grow(t);
  uint64_t hash = key_hash(key);
  table_entry *e = probe(t, hash, key);
  if (e->hash && equal(e->value, value))
    return false;
  hd_value kept = keep_value(value);
  t->texts += texts_of(kept);
  if (e->hash)
  {
    t->sum -= entry_hash(hash, e->value);
    t->texts -= texts_of(e->value);
    drop_value(e->value);
    e->value = kept;
  }
  else
  {
    *e = (table_entry){hash, keep_value(key), kept};
    t->texts += texts_of(key);
    t->n++;
  }
  t->sum += entry_hash(hash, kept);
  return true;
}

void
hd_specs_table_remove(table *t, hd_value key)
{
  if (t->n == 0)
    return;
  table_entry *e = probe(t, key_hash(key), key);
  if (!e->hash)
    return;
  t->sum -= entry_hash(e->hash, e->value);
  t->n--;
  t->texts -= texts_of(e->key) + texts_of(e->value);
  drop_value(e->key);
  drop_value(e->value);
  size_t mask = t->capacity - 1, hole = (size_t) (e - t->entries);
  for (size_t i = (hole + 1) & mask; t->entries[i].hash; i = (i + 1) & mask)
  {
    size_t home = t->entries[i].hash >> 1 & mask;
    if (((i - home) & mask) >= ((i - hole) & mask)) /* the hole lies between its home and its place */
    {
      t->entries[hole] = t->entries[i];
      hole = i;
    }
  }
  t->entries[hole].hash = 0;
}

void
hd_specs_table_keys(const table *t, hd_keys *all)
{
  for (size_t i = 0; i < t->capacity; i++)
    if (t->entries[i].hash)
      hd_touch(all, t->entries[i].key);
}

void *
hd_specs_table_create(const hd_value *config, size_t n)
{
  (void) config, (void) n;
  return hd_alloc_zero(sizeof(table));
}

void
hd_specs_table_destroy(void *s)
{
  table *t = s;
  for (size_t i = 0; i < t->capacity && t->texts > 0; i++)
    if (t->entries[i].hash)
    {
      drop_value(t->entries[i].key);
      drop_value(t->entries[i].value);
    }
  free(t->entries);
  free(t);
}

void *
hd_specs_table_copy(const void *s)
{
  const table *t = s;
  table *c = hd_alloc(sizeof *c);
  *c = *t;
  if (t->capacity == 0)
    return c;
  c->entries = hd_alloc_array(t->capacity, sizeof *t->entries);
  memcpy(c->entries, t->entries, t->capacity * sizeof *t->entries);
  for (size_t i = 0; i < c->capacity && c->texts > 0; i++)
    if (c->entries[i].hash)
    {
      c->entries[i].key = keep_value(c->entries[i].key);
      c->entries[i].value = keep_value(c->entries[i].value);
    }
  return c;
}

bool
hd_specs_table_equal(const void *a, const void *b)
{
  const table *x = a, *y = b;
  if (x->n != y->n || x->sum != y->sum)
    return false;
  for (size_t i = 0; i < x->capacity; i++)
    if (x->entries[i].hash)
    {
      const hd_value *v = hd_specs_table_get(y, x->entries[i].key);
      if (!v || !hd_value_equal(*v, x->entries[i].value))
        return false;
    }
  return true;
}

uint64_t
hd_specs_table_hash(const void *t)
{
  return ((const table *) t)->sum;
}
