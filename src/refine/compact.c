/* compact.c: keeps the lists of steps short while several configurations live on.
 *
 * An operation that died in its window may take effect at any later time, so two configurations can stay until the log
 * ends. Of the writes in their lists only the last one to each variable counts; and what all configurations agree on is
 * certain: it is made in the replica, and only the variables in which they differ stay in their lists. Coarse-grained
 * actions are not understood here: lists that hold one are left as they are. */
#include "refine/internal.h"

#include <stdlib.h>
#include <string.h>

#define LONG_LIST 64 /* steps */

/* The last write to a variable in one configuration, and where it was made. */
typedef struct last
{
  const logged_write *write;
  const block *block;
  uint64_t position;
} last;

typedef struct effect
{
  last *list;
  size_t n, cap;
  uint32_t *table; /* by variable: index + 1 */
  size_t table_size;
} effect;

static size_t
find(const effect *e, uint64_t var)
{
  size_t mask = e->table_size - 1, at = hd_mix(var) & mask;
  while (e->table[at] && e->list[e->table[at] - 1].write->var != var)
    at = (at + 1) & mask;
  return at;
}

static const last *
get(const effect *e, uint64_t var)
{
  size_t at = find(e, var);
  return e->table[at] ? &e->list[e->table[at] - 1] : NULL;
}

static void
gather(effect *e, const step *newest)
{
  size_t writes = 0;
  for (const step *s = newest; s; s = s->before)
    writes += s->block ? s->block->nwrites : 0;
  *e = (effect){.table_size = 16};
  while (e->table_size < writes * 2)
    e->table_size *= 2;
  e->table = hd_alloc_zero(e->table_size * sizeof *e->table);
  for (const step *s = newest; s; s = s->before)
    for (size_t i = s->block ? s->block->nwrites : 0; i-- > 0;)
    {
      const logged_write *w = &s->block->writes[i];
      size_t at = find(e, w->var);
      if (e->table[at])
        continue; /* a later one is there */
      HD_PUSH(e->list, e->n, e->cap,
              (last){w, s->block, s->op && (s->op->flags & OP_WINDOW) ? look_position(s->gap) : tick_position(s->gap)});
      e->table[at] = (uint32_t) e->n;
    }
}

static void
effect_done(effect *e)
{
  free(e->list);
  free(e->table);
}

static bool
agreed(const effect *effects, size_t n, const last *l)
{
  for (size_t c = 1; c < n; c++)
  {
    const last *other = get(&effects[c], l->write->var);
    if (!other || !hd_value_equal(other->write->value, l->write->value))
      return false;
  }
  return true;
}

static block *
block_of(hd_refine *r, const last *l)
{
  block *b = block_new(r, NULL, l->block->thread, l->block->site);
  b->number = l->block->number;
  logged_write w = *l->write;
  w.value = value_own(w.value);
  w.has_old = false; /* it was compared, or could not be */
  w.old = hd_nil();
  HD_PUSH(b->writes, b->nwrites, b->cap, w);
  return b;
}

bool
views_compactable(const hd_refine *r)
{
  const search *s = &r->search;
  for (size_t c = 0; c < s->nconfigs; c++)
    if (s->configs[c]->steps && s->configs[c]->steps->replays)
      return false;
  return true;
}

static bool
too_long(const search *s)
{
  size_t n = 0;
  for (const step *st = s->configs[0]->steps; st && n <= LONG_LIST; st = st->before)
    n++;
  return n > LONG_LIST;
}

bool
views_compact(hd_refine *r, bool now)
{
  search *s = &r->search;
  if (r->views_cut || s->nconfigs < 2 || !(now || too_long(s)) || !views_compactable(r))
    return true;
  size_t n = s->nconfigs;
  effect *effects = hd_alloc_array(n, sizeof *effects);
  for (size_t c = 0; c < n; c++)
    gather(&effects[c], s->configs[c]->steps);

  /* What is kept and what is made is copied first: the lists go. */
  block **made = NULL, **kept = NULL;
  size_t nmade = 0, made_cap = 0, nkept = 0, kept_cap = 0;
  uint64_t *positions = NULL;
  size_t npositions = 0, positions_cap = 0;
  size_t *first_kept = hd_alloc_array(n + 1, sizeof *first_kept);
  for (size_t c = 0; c < n; c++)
  {
    first_kept[c] = nkept;
    for (size_t i = effects[c].n; i-- > 0;)
    {
      const last *l = &effects[c].list[i];
      const last *in_first = get(&effects[0], l->write->var);
      if (!in_first || !agreed(effects, n, in_first))
        HD_PUSH(kept, nkept, kept_cap, block_of(r, l));
      else if (c == 0)
      {
        HD_PUSH(made, nmade, made_cap, block_of(r, l));
        HD_PUSH(positions, npositions, positions_cap, l->position);
      }
    }
  }
  first_kept[n] = nkept;
  views_forget(r);
  bool ok = true;
  for (size_t i = 0; i < nmade; i++)
  {
    ok = ok && replica_apply(r, made[i], positions[i], false);
    block_release(r, made[i]);
  }
  for (size_t c = 0; c < n; c++)
    for (size_t i = first_kept[c]; i < first_kept[c + 1]; i++)
    {
      search_note_one(s, c, kept[i], r->base);
      HD_PUSH(r->held, r->nheld, r->held_cap, kept[i]);
    }
  for (size_t c = 0; c < n; c++)
    effect_done(&effects[c]);
  free(effects);
  free(made);
  free(kept);
  free(positions);
  free(first_kept);
  search_merge(s);
  return ok;
}
