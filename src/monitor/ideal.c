/* ideal.c: the closure of Mathur, Pavlogiannis and Viswanathan (Optimal Prediction of Synchronization-Preserving Races,
 * POPL 2021, section 4) for sets that grow.
 *
 * Of each lock only the latest exclusive section in the set may be open, and shared ones after it; so a new section is
 * compared with these alone, the earlier one is closed, and every section is looked at once in the life of a set. */
#include "monitor/ideal.h"

#include <stdlib.h>
#include <string.h>

/* A section: its thread, and its number there. */
typedef struct ref
{
  uint32_t thread, index;
} ref;

typedef struct lock_state
{
  bool has_last;
  ref last;    /* the latest exclusive one */
  ref *shared; /* shared ones after it */
  size_t nshared, shared_cap;
} lock_state;

struct ideal
{
  uint32_t *prefix; /* by thread */
  uint32_t *looked; /* sections of the thread that were looked at */
  size_t n, prefix_cap, looked_cap;
  bool changed;
  hd_trace_ids lock_ids;
  lock_state *locks;
  size_t nlocks, locks_cap;
};

ideal *
hd_monitor_ideal_new(void)
{
  return hd_alloc_zero(sizeof(ideal));
}

void
hd_monitor_ideal_free(ideal *i)
{
  if (!i)
    return;
  for (size_t l = 0; l < i->nlocks; l++)
    free(i->locks[l].shared);
  free(i->locks);
  free(i->prefix);
  free(i->looked);
  hd_trace_ids_free(&i->lock_ids);
  free(i);
}

const uint32_t *
hd_monitor_ideal_prefix(const ideal *i, size_t *nthreads)
{
  *nthreads = i->n;
  return i->prefix;
}

uint64_t
hd_monitor_ideal_looked(const ideal *i)
{
  uint64_t sum = 0;
  for (size_t t = 0; t < i->n; t++)
    sum += i->looked[t];
  return sum;
}

static void
widen(ideal *i, size_t n)
{
  if (n <= i->n)
    return;
  hd_grow(&i->prefix, &i->prefix_cap, n, sizeof *i->prefix);
  hd_grow(&i->looked, &i->looked_cap, n, sizeof *i->looked);
  memset(i->prefix + i->n, 0, (n - i->n) * sizeof *i->prefix);
  memset(i->looked + i->n, 0, (n - i->n) * sizeof *i->looked);
  i->n = n;
}

static void
lift(ideal *i, uint32_t thread, uint32_t position)
{
  if (position <= i->prefix[thread])
    return;
  i->prefix[thread] = position;
  i->changed = true;
}

void
hd_monitor_ideal_add(ideal *i, const vector *v, uint32_t thread, uint32_t position)
{
  widen(i, v && v->n > thread ? v->n : (size_t) thread + 1);
  /* A vector's entry for its own thread may lag behind; POSITION is right. */
  for (uint32_t t = 0; v && t < v->n; t++)
    if (t != thread)
      lift(i, t, v->clock[t]);
  lift(i, thread, position);
}

static const section *
get(const section_table *all, ref r)
{
  return &all->threads[r.thread].items[r.index];
}

/* The release of R must be in the set. */
static void
finish(ideal *i, const section_table *all, ref r)
{
  const section *s = get(all, r);
  if (s->released > 0)
    hd_monitor_ideal_add(i, s->v, r.thread, s->released);
  else
    lift(i, r.thread, UINT32_MAX); /* nothing of this thread can be put off */
}

static void
look_shared(ideal *i, const section_table *all, lock_state *l, ref r)
{
  if (l->has_last && get(all, r)->number < get(all, l->last)->number)
  {
    finish(i, all, r);
    return;
  }
  if (l->has_last)
    finish(i, all, l->last);
  HD_PUSH(l->shared, l->nshared, l->shared_cap, r);
}

static void
look_exclusive(ideal *i, const section_table *all, lock_state *l, ref r)
{
  uint64_t number = get(all, r)->number;
  if (l->has_last && number < get(all, l->last)->number)
  {
    finish(i, all, r);
    return;
  }
  if (l->has_last)
    finish(i, all, l->last);
  l->has_last = true;
  l->last = r;
  size_t kept = 0;
  for (size_t s = 0; s < l->nshared; s++)
    if (get(all, l->shared[s])->number < number)
      finish(i, all, l->shared[s]);
    else
      l->shared[kept++] = l->shared[s];
  l->nshared = kept;
  if (kept > 0)
    finish(i, all, r);
}

void
hd_monitor_ideal_close(ideal *i, const section_table *all)
{
  while (i->changed)
  {
    i->changed = false;
    for (uint32_t t = 0; t < i->n && t < all->n; t++)
      for (; i->looked[t] < all->threads[t].n; i->looked[t]++)
      {
        ref r = {t, i->looked[t]};
        const section *s = get(all, r);
        if (s->position > i->prefix[t])
          break;
        uint32_t id = hd_trace_ids_get(&i->lock_ids, s->lock);
        if (id == i->nlocks)
          HD_PUSH(i->locks, i->nlocks, i->locks_cap, (lock_state){0});
        (s->shared ? look_shared : look_exclusive)(i, all, &i->locks[id], r);
      }
  }
}
