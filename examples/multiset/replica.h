/* replica.h: the array of the implementation, as the log says that it was written, and what it holds.
 *
 * Included by the two specifications of the multiset: spec.c and atomized.c. */
#ifndef MULTISET_REPLICA_H
#define MULTISET_REPLICA_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <heddle/spec.h>

typedef struct array
{
  size_t n;
  struct
  {
    int64_t elt; /* 0: empty */
    bool valid;
  } slots[];
} array;

/* CONFIG: the number of slots. */
static void *
replica_create(const hd_value *config, size_t n)
{
  size_t slots = n > 0 && config[0].u < 1 << 20 ? config[0].u : 0;
  array *a = calloc(1, sizeof *a + slots * sizeof *a->slots);
  if (!a)
    abort();
  a->n = slots;
  return a;
}

static void *
replica_copy(const void *r)
{
  const array *a = r;
  size_t size = sizeof *a + a->n * sizeof *a->slots;
  void *b = malloc(size);
  if (!b)
    abort();
  return memcpy(b, a, size);
}

/* Variable 2i is slots[i].elt, variable 2i+1 is slots[i].valid. An element that is not valid is not in the view; its
 * key is touched all the same, so that reports name the write that replaced it. */
static void
replica_write(void *r, uint64_t var, hd_value v, hd_keys *touched)
{
  array *a = r;
  size_t i = var / 2;
  if (i >= a->n)
    return;
  hd_touch(touched, hd_int(a->slots[i].elt));
  if (var % 2)
    a->slots[i].valid = v.u;
  else
  {
    a->slots[i].elt = v.i;
    hd_touch(touched, v);
  }
}

static bool
replica_read(const void *r, uint64_t var, hd_value *v)
{
  const array *a = r;
  if (var / 2 >= a->n)
    return false;
  *v = var % 2 ? hd_bool(a->slots[var / 2].valid) : hd_int(a->slots[var / 2].elt);
  return true;
}

static bool
replica_view(const void *r, hd_value key, hd_value *out)
{
  const array *a = r;
  uint64_t times = 0;
  for (size_t i = 0; i < a->n; i++)
    times += a->slots[i].valid && a->slots[i].elt == key.i;
  *out = hd_uint(times);
  return times > 0;
}

static void
replica_keys(const void *r, hd_keys *all)
{
  const array *a = r;
  for (size_t i = 0; i < a->n; i++)
    if (a->slots[i].valid)
      hd_touch(all, hd_int(a->slots[i].elt));
}

static const char *
replica_invariant(const void *r)
{
  const array *a = r;
  for (size_t i = 0; i < a->n; i++)
    if (a->slots[i].valid && a->slots[i].elt == 0)
      return "a slot is valid but empty";
  return NULL;
}

static void
replica_name(uint64_t var, char *out, size_t n)
{
  snprintf(out, n, "A[%llu].%s", (unsigned long long) var / 2, var % 2 ? "valid" : "elt");
}

static const hd_replica replica = {
    .create = replica_create,
    .destroy = free,
    .copy = replica_copy,
    .write = replica_write,
    .read = replica_read,
    .view = replica_view,
    .keys = replica_keys,
    .invariant = replica_invariant,
    .name = replica_name,
};

#endif
