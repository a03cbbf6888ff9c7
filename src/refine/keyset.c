/* keyset.c: sets of view keys, filled by specifications and replicas through hd_touch. Small sets are searched one by
 * one, large ones through a table of indices. Strings are copied into the set's arena. */
#include "refine/internal.h"

#include <stdlib.h>
#include <string.h>

#define SMALL 8

static size_t
find(const keyset *k, hd_value key, bool *found)
{
  if (k->n <= SMALL)
  {
    for (size_t i = 0; i < k->n; i++)
      if (hd_value_equal(k->keys[i], key))
      {
        *found = true;
        return i;
      }
    *found = false;
    return 0;
  }
  size_t mask = k->table_size - 1, at = hd_value_hash(key) & mask;
  while (k->table[at] && !hd_value_equal(k->keys[k->table[at] - 1], key))
    at = (at + 1) & mask;
  *found = k->table[at] != 0;
  return at;
}

static void
rebuild(keyset *k)
{
  size_t size = 64;
  while (size < k->n * 4)
    size *= 2;
  if (size > k->table_size)
  {
    free(k->table);
    k->table = hd_alloc_array(size, sizeof *k->table);
    k->table_size = size;
  }
  memset(k->table, 0, k->table_size * sizeof *k->table);
  for (size_t i = 0; i < k->n; i++)
  {
    size_t mask = k->table_size - 1, at = hd_value_hash(k->keys[i]) & mask;
    while (k->table[at])
      at = (at + 1) & mask;
    k->table[at] = (uint32_t) i + 1;
  }
}

static void
add(hd_keys *keys, hd_value key)
{
  keyset *k = (keyset *) keys;
  bool found;
  size_t at = find(k, key, &found);
  if (found)
    return;
  if (key.type >= HD_STR && key.length)
  {
    char *copy = hd_arena_alloc(k->arena, key.length);
    memcpy(copy, key.p, key.length);
    key.p = copy;
  }
  HD_PUSH(k->keys, k->n, k->cap, key);
  if (k->n == SMALL + 1 || (k->n > SMALL && k->n * 2 > k->table_size))
    rebuild(k);
  else if (k->n > SMALL)
    k->table[at] = (uint32_t) k->n;
}

void
keyset_init(keyset *k)
{
  *k = (keyset){.base.add = add, .arena = hd_arena_new()};
}

void
keyset_clear(keyset *k)
{
  if (!k->n)
    return;
  k->n = 0;
  hd_arena_reset(k->arena);
}

void
keyset_done(keyset *k)
{
  free(k->keys);
  free(k->table);
  if (k->arena)
    hd_arena_free(k->arena);
  *k = (keyset){0};
}

bool
keyset_has(const keyset *k, hd_value key)
{
  bool found;
  find(k, key, &found);
  return found;
}
