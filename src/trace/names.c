/* names.c: the names of threads, variables, locks and places, and dense numbers for 64-bit keys. */
#include "trace/trace.h"

#include <stdlib.h>
#include <string.h>

/* ---- numbers for keys: open addressing, a value of 0 is an empty slot ---- */

static size_t
find_slot(const hd_trace_ids *ids, uint64_t key)
{
  size_t i = hd_mix(key + 1) & (ids->cap - 1);
  while (ids->values[i] != 0 && ids->keys[i] != key)
    i = (i + 1) & (ids->cap - 1);
  return i;
}

bool
hd_trace_ids_find(const hd_trace_ids *ids, uint64_t key, uint32_t *id)
{
  if (ids->cap == 0)
    return false;
  size_t i = find_slot(ids, key);
  *id = ids->values[i] - 1;
  return ids->values[i] != 0;
}

uint32_t
hd_trace_ids_get(hd_trace_ids *ids, uint64_t key)
{
  if ((size_t) ids->n * 2 >= ids->cap)
  {
    hd_trace_ids old = *ids;
    ids->cap = old.cap ? old.cap * 2 : 64;
    ids->keys = hd_alloc_array(ids->cap, sizeof *ids->keys);
    ids->values = hd_alloc_zero(ids->cap * sizeof *ids->values);
    for (size_t i = 0; i < old.cap; i++)
      if (old.values[i] != 0)
      {
        size_t slot = find_slot(ids, old.keys[i]);
        ids->keys[slot] = old.keys[i];
        ids->values[slot] = old.values[i];
      }
    free(old.keys);
    free(old.values);
  }
  size_t i = find_slot(ids, key);
  if (ids->values[i] == 0)
  {
    HD_CHECK(ids->n < UINT32_MAX - 1);
    ids->keys[i] = key;
    ids->values[i] = ++ids->n;
  }
  return ids->values[i] - 1;
}

void
hd_trace_ids_free(hd_trace_ids *ids)
{
  free(ids->keys);
  free(ids->values);
  *ids = (hd_trace_ids){0};
}

/* ---- names ---- */

typedef struct name
{
  uint64_t target;
  const char *text;
  bool plain;
} name;

typedef struct stack
{
  const uint32_t *locations;
  size_t n;
} stack;

typedef struct class_names
{
  hd_trace_ids ids;   /* target -> index into NAMES */
  hd_trace_ids texts; /* hashes of the texts */
  name *names;
  size_t n, cap;
} class_names;

struct hd_trace_names
{
  hd_arena *texts;
  class_names classes[HD_TRACE_CLASSES];
  hd_trace_ids location_ids, stack_ids;
  hd_trace_location *locations;
  uint32_t *location_numbers, *stack_numbers;
  stack *stacks;
  size_t nlocations, locations_cap, nlocation_numbers, location_numbers_cap, nstacks, stacks_cap, nstack_numbers,
      stack_numbers_cap;
};

hd_trace_names *
hd_trace_names_new(void)
{
  hd_trace_names *n = hd_alloc_zero(sizeof *n);
  n->texts = hd_arena_new();
  return n;
}

void
hd_trace_names_free(hd_trace_names *n)
{
  if (!n)
    return;
  for (int i = 0; i < HD_TRACE_CLASSES; i++)
  {
    hd_trace_ids_free(&n->classes[i].ids);
    hd_trace_ids_free(&n->classes[i].texts);
    free(n->classes[i].names);
  }
  hd_trace_ids_free(&n->location_ids);
  hd_trace_ids_free(&n->stack_ids);
  free(n->locations);
  free(n->location_numbers);
  free(n->stacks);
  free(n->stack_numbers);
  hd_arena_free(n->texts);
  free(n);
}

static const char *
keep(hd_trace_names *n, const char *text, size_t length)
{
  char *copy = hd_arena_alloc(n->texts, length + 1);
  memcpy(copy, text, length);
  copy[length] = 0;
  return copy;
}

void
hd_trace_names_set(hd_trace_names *n, hd_trace_class class, uint64_t target, const char *text, size_t length)
{
  HD_CHECK(class < HD_TRACE_CLASSES);
  class_names *c = &n->classes[class];
  if (hd_trace_ids_get(&c->ids, target) != c->n)
    return;
  uint32_t before = c->texts.n;
  bool plain = hd_trace_ids_get(&c->texts, hd_hash_bytes(text, length)) == before && length > 0;
  for (size_t i = 0; i < length; i++)
    plain = plain && (unsigned char) text[i] >= ' ' && !strchr("|(),", text[i]);
  HD_PUSH(c->names, c->n, c->cap, (name){target, keep(n, text, length), plain});
}

const char *
hd_trace_names_get(const hd_trace_names *n, hd_trace_class class, uint64_t target)
{
  uint32_t i;
  return hd_trace_ids_find(&n->classes[class].ids, target, &i) ? n->classes[class].names[i].text : NULL;
}

const char *
hd_trace_names_plain(const hd_trace_names *n, hd_trace_class class, uint64_t target, bool *plain)
{
  uint32_t i;
  if (!hd_trace_ids_find(&n->classes[class].ids, target, &i))
    return NULL;
  *plain = n->classes[class].names[i].plain;
  return n->classes[class].names[i].text;
}

void
hd_trace_names_set_location(hd_trace_names *n, uint32_t id, hd_trace_location where)
{
  if (hd_trace_ids_get(&n->location_ids, id) != n->nlocations)
    return;
  const char **texts[] = {&where.text, &where.file, &where.function};
  for (int i = 0; i < 3; i++)
    if (*texts[i])
      *texts[i] = keep(n, *texts[i], strlen(*texts[i]));
  HD_PUSH(n->locations, n->nlocations, n->locations_cap, where);
  HD_PUSH(n->location_numbers, n->nlocation_numbers, n->location_numbers_cap, id);
}

hd_trace_location
hd_trace_names_location(const hd_trace_names *n, uint32_t id)
{
  uint32_t i;
  return id != 0 && hd_trace_ids_find(&n->location_ids, id, &i) ? n->locations[i] : (hd_trace_location){0};
}

void
hd_trace_names_set_stack(hd_trace_names *n, uint32_t id, const uint32_t *locations, size_t count)
{
  if (hd_trace_ids_get(&n->stack_ids, id) != n->nstacks)
    return;
  uint32_t *copy = hd_arena_alloc(n->texts, count * sizeof *copy + 1);
  memcpy(copy, locations, count * sizeof *copy);
  HD_PUSH(n->stacks, n->nstacks, n->stacks_cap, (stack){copy, count});
  HD_PUSH(n->stack_numbers, n->nstack_numbers, n->stack_numbers_cap, id);
}

const uint32_t *
hd_trace_names_stack(const hd_trace_names *n, uint32_t id, size_t *count)
{
  uint32_t i;
  *count = 0;
  if (id == 0 || !hd_trace_ids_find(&n->stack_ids, id, &i))
    return NULL;
  *count = n->stacks[i].n;
  return n->stacks[i].locations;
}

void
hd_trace_names_visit(const hd_trace_names *n, const hd_trace_name_visitor *v)
{
  for (int i = 0; i < HD_TRACE_CLASSES; i++)
    for (size_t j = 0; j < n->classes[i].n; j++)
      v->name(v->context, (hd_trace_class) i, n->classes[i].names[j].target, n->classes[i].names[j].text);
  for (size_t i = 0; i < n->nlocations; i++)
    v->location(v->context, n->location_numbers[i], n->locations[i]);
  for (size_t i = 0; i < n->nstacks; i++)
    v->stack(v->context, n->stack_numbers[i], n->stacks[i].locations, n->stacks[i].n);
}
