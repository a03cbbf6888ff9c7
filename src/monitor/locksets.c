/* locksets.c: sets of locks (locksets.h): sorted arrays, each kept once. */
#include "monitor/locksets.h"
#include "trace/trace.h"

#include <stdlib.h>
#include <string.h>

typedef struct lockset
{
  uint32_t *codes; /* 2 * lock + shared, ascending */
  size_t n;
} lockset;

struct hd_monitor_locksets
{
  hd_trace_ids ids; /* hash of the codes -> number */
  lockset *sets;
  size_t n, cap;
  uint32_t *codes; /* of the set that is looked up */
  size_t codes_cap;
};

void
hd_monitor_held_add(hd_monitor_held *h, hd_monitor_held_lock l)
{
  HD_PUSH(h->items, h->n, h->cap, l);
  h->known = false;
}

bool
hd_monitor_held_remove(hd_monitor_held *h, uint32_t lock, uint32_t *mark)
{
  for (size_t i = h->n; i > 0; i--)
    if (h->items[i - 1].lock == lock)
    {
      *mark = h->items[i - 1].mark;
      memmove(h->items + i - 1, h->items + i, (h->n - i) * sizeof *h->items);
      h->n--;
      h->known = false;
      return true;
    }
  return false;
}

hd_monitor_locksets *
hd_monitor_locksets_new(void)
{
  return hd_alloc_zero(sizeof(hd_monitor_locksets));
}

void
hd_monitor_locksets_free(hd_monitor_locksets *s)
{
  for (size_t i = 0; i < s->n; i++)
    free(s->sets[i].codes);
  free(s->sets);
  free(s->codes);
  hd_trace_ids_free(&s->ids);
  free(s);
}

uint32_t
hd_monitor_locksets_of(hd_monitor_locksets *s, hd_monitor_held *h)
{
  if (h->n == 0)
    return 0;
  if (h->known)
    return h->set;
  hd_grow(&s->codes, &s->codes_cap, h->n, sizeof *s->codes);
  size_t bytes = h->n * sizeof *s->codes;
  for (size_t i = 0; i < h->n; i++)
  {
    uint32_t code = 2 * h->items[i].lock + h->items[i].shared;
    size_t j = i;
    for (; j > 0 && s->codes[j - 1] > code; j--)
      s->codes[j] = s->codes[j - 1];
    s->codes[j] = code;
  }
  h->known = true;
  for (uint64_t key = hd_hash_bytes(s->codes, bytes);; key++)
  {
    uint32_t id = hd_trace_ids_get(&s->ids, key);
    h->set = id + 1;
    if (id == s->n)
    {
      uint32_t *copy = hd_alloc(bytes);
      memcpy(copy, s->codes, bytes);
      HD_PUSH(s->sets, s->n, s->cap, (lockset){copy, h->n});
      return h->set;
    }
    if (s->sets[id].n == h->n && memcmp(s->sets[id].codes, s->codes, bytes) == 0)
      return h->set;
  }
}

const uint32_t *
hd_monitor_locksets_get(const hd_monitor_locksets *s, uint32_t set, size_t *n)
{
  *n = set > 0 ? s->sets[set - 1].n : 0;
  return set > 0 ? s->sets[set - 1].codes : NULL;
}

bool
hd_monitor_locksets_exclude(const hd_monitor_locksets *s, uint32_t a, uint32_t b)
{
  if (a == 0 || b == 0)
    return false;
  const lockset *x = &s->sets[a - 1], *y = &s->sets[b - 1];
  for (size_t i = 0, j = 0; i < x->n && j < y->n;)
  {
    uint32_t p = x->codes[i] / 2, q = y->codes[j] / 2;
    if (p == q && !(x->codes[i] & y->codes[j] & 1))
      return true;
    i += p <= q;
    j += q <= p;
  }
  return false;
}

bool
hd_monitor_locksets_has(const hd_monitor_locksets *s, uint32_t set, uint32_t lock, bool *shared)
{
  size_t n;
  const uint32_t *codes = hd_monitor_locksets_get(s, set, &n);
  for (size_t i = 0; i < n; i++)
    if (codes[i] / 2 == lock)
    {
      *shared = codes[i] & 1;
      return true;
    }
  return false;
}
