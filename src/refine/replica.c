/* replica.c: the implementation's state, rebuilt from the log, and its comparison with the specification's.
 *
 * Besides the views it watches the log itself (docs/rules.md 4.3): a write that carries the value it replaced must find
 * that value in the replica, and no variable may be written by another thread inside the hold that a commit block has
 * on it. */
#include "refine/internal.h"

#include <stdlib.h>
#include <string.h>

#define MIN_WRITERS 16
#define MAX_WRITERS 4096 /* keys whose last writers are remembered at most; with more the latest win */
#define MAX_DIFFERENCES 16

void
replica_init(hd_refine *r, const hd_log_object *object)
{
  replica *p = &r->replica;
  p->ops = r->spec->replica;
  p->r = p->ops->create(object ? object->config : NULL, object ? object->nconfig : 0);
  keyset_init(&p->keys);
  keyset_init(&p->one);
  p->writers = hd_alloc_zero(MIN_WRITERS * sizeof *p->writers);
  p->writers_size = MIN_WRITERS;
}

static void
writer_clear(writer_entry *w)
{
  for (size_t i = 0; i < w->n; i++)
    value_disown(w->last[i].w.value);
  if (w->n)
    value_disown(w->key);
  w->n = 0;
}

void
replica_done(hd_refine *r)
{
  replica *p = &r->replica;
  if (!p->ops)
    return;
  p->ops->destroy(p->r);
  keyset_done(&p->keys);
  keyset_done(&p->one);
  for (size_t i = 0; i < p->writers_size; i++)
    writer_clear(&p->writers[i]);
  free(p->writers);
  free(p->holds);
}

static void
grow_writers(replica *p)
{
  size_t size = p->writers_size * 2;
  writer_entry *larger = hd_alloc_zero(size * sizeof *larger);
  for (size_t i = 0; i < p->writers_size; i++)
    if (p->writers[i].n)
      larger[p->writers[i].hash & (size - 1)] = p->writers[i]; /* one bit more: no two meet */
  free(p->writers);
  p->writers = larger;
  p->writers_size = size;
}

static void
remember_writer(replica *p, hd_value key, const block *b, const logged_write *w, uint64_t position)
{
  uint64_t hash = hd_value_hash(key);
  writer_entry *e = &p->writers[hash & (p->writers_size - 1)];
  while (e->n && e->hash != hash && p->writers_size < MAX_WRITERS)
  {
    grow_writers(p);
    e = &p->writers[hash & (p->writers_size - 1)];
  }
  if (e->n && (e->hash != hash || !hd_value_equal(e->key, key)))
    writer_clear(e);
  if (!e->n)
  {
    e->key = value_own(key);
    e->hash = hash;
  }
  if (e->n == 3)
    value_disown(e->last[--e->n].w.value);
  memmove(&e->last[1], &e->last[0], e->n * sizeof e->last[0]);
  e->last[0].w = *w;
  e->last[0].w.value = value_own(w->value);
  e->last[0].w.position = position;
  e->last[0].thread = b->thread;
  e->last[0].op = b->number;
  e->n++;
}

static char *
variable_name(const hd_refine *r, uint64_t var)
{
  char name[128];
  if (r->spec->replica->name)
    r->spec->replica->name(var, name, sizeof name);
  else
    snprintf(name, sizeof name, "variable %llu", (unsigned long long) var);
  return hd_text("%s", name);
}

/* ---- 4.3: overlapping holds ---- */

static hold *
hold_get(replica *p, uint64_t var)
{
  if (p->nholds * 2 >= p->holds_size)
  {
    size_t old_size = p->holds_size;
    hold *old = p->holds;
    p->holds_size = old_size ? old_size * 2 : 256;
    p->holds = hd_alloc_zero(p->holds_size * sizeof *p->holds);
    for (size_t i = 0; i < old_size; i++)
      if (old[i].used)
      {
        size_t k = hd_mix(old[i].var) & (p->holds_size - 1);
        while (p->holds[k].used)
          k = (k + 1) & (p->holds_size - 1);
        p->holds[k] = old[i];
      }
    free(old);
  }
  size_t mask = p->holds_size - 1, k = hd_mix(var) & mask;
  while (p->holds[k].used && p->holds[k].var != var)
    k = (k + 1) & mask;
  if (!p->holds[k].used)
  {
    p->holds[k] = (hold){.var = var, .used = true};
    p->nholds++;
  }
  return &p->holds[k];
}

static bool
overlap(hd_refine *r, const block *b, const logged_write *w, uint32_t other_thread, uint32_t other_site,
        uint64_t position)
{
  op *o = b->owner;
  refine_violation(r, HD_FOUND_OVERLAP, o, position);
  hd_finding *f = &r->result.finding;
  if (f->kind != HD_FOUND_OVERLAP)
    return false;
  char *name = variable_name(r, w->var), *here = describe_place(r, w->site), *there = describe_place(r, other_site);
  free(f->headline);
  f->headline
      = hd_text("%s was written by thread %u at %s and by thread %u at %s at the same time: it is not protected, "
                "so the commit block around it is not one atomic step",
                name, b->thread, here, other_thread, there);
  free(f->suggestion);
  f->suggestion = hd_text("hold the lock of %s from its first write in the block to the block's end", name);
  f->site = w->site;
  free(name);
  free(here);
  free(there);
  return false;
}

/* Positions are odd for ticks and even for looks; looks of one number are unordered, so an overlap must be strict. */
static bool
check_hold(hd_refine *r, const block *b, const logged_write *w, uint64_t commit)
{
  hold *h = hold_get(&r->replica, w->var);
  bool blocked = w->position % 2 == 0;
  uint64_t low = blocked && w->position < commit ? w->position : blocked ? commit : w->position;
  uint64_t high = blocked && w->position > commit ? w->position : blocked ? commit : w->position;
  for (int i = 0; i < 2; i++)
    if (h->end[i] > low && h->thread[i] != b->thread)
      return overlap(r, b, w, h->thread[i], h->site[i], commit);
  if (blocked && h->write_at > low && h->write_at < high && h->write_thread != b->thread)
    return overlap(r, b, w, h->write_thread, h->write_site, commit);
  if (!blocked)
  {
    h->write_at = w->position;
    h->write_thread = b->thread;
    h->write_site = w->site;
    return true;
  }
  if (h->thread[0] == b->thread)
  {
    if (high > h->end[0])
      h->end[0] = high, h->site[0] = w->site;
  }
  else if (high > h->end[0])
  {
    h->end[1] = h->end[0], h->thread[1] = h->thread[0], h->site[1] = h->site[0];
    h->end[0] = high, h->thread[0] = b->thread, h->site[0] = w->site;
  }
  else if (high > h->end[1] || h->thread[1] == b->thread)
    h->end[1] = high > h->end[1] ? high : h->end[1], h->thread[1] = b->thread, h->site[1] = w->site;
  return true;
}

/* ---- applying ---- */

/* While a window is open an operation that dies in it may have written what the log does not show: old values are
 * compared where none is open. */
static bool
check_old(hd_refine *r, const block *b, const logged_write *w, uint64_t position)
{
  const replica *p = &r->replica;
  hd_value now = hd_nil();
  if (!w->has_old || r->clock_open || r->clock_closing || !p->ops->read || !p->ops->read(p->r, w->var, &now)
      || hd_value_equal(now, w->old))
    return true;
  hd_string had = {0}, knew = {0};
  hd_value_print(&had, w->old, 40);
  hd_value_print(&knew, now, 40);
  char *name = variable_name(r, w->var), *here = describe_place(r, w->site);
  refine_violation(r, HD_FOUND_OLD_VALUE, b->owner, position);
  hd_finding *f = &r->result.finding;
  if (f->kind == HD_FOUND_OLD_VALUE)
  {
    free(f->headline);
    f->headline
        = hd_text("the write to %s at %s (thread %u) replaced %s, but the log says that it held %s: a write to it "
                  "is not logged, or not protected",
                  name, here, b->thread, had.text, knew.text);
    f->site = w->site;
    f->expected = hd_text("%s", knew.text);
    f->actual = hd_text("%s", had.text);
  }
  free(name);
  free(here);
  hd_string_free(&had);
  hd_string_free(&knew);
  return false;
}

static bool
apply_write(const hd_replica *ops, void *replica, const logged_write *w, hd_keys *touched)
{
  if (w->replay)
    return ops->replay && ops->replay(replica, w->var, w->value, touched);
  ops->write(replica, w->var, w->value, touched);
  return true;
}

bool
replica_apply_plain(const hd_replica *ops, void *replica, const block *b, hd_keys *touched)
{
  for (size_t i = 0; i < b->nwrites; i++)
    if (!apply_write(ops, replica, &b->writes[i], touched))
      return false;
  return true;
}

/* --paranoid: a write may change the view of those keys only that it declares. */
static bool
check_touched(hd_refine *r, const void *before, const logged_write *w)
{
  replica *p = &r->replica;
  keyset all;
  keyset_init(&all);
  p->ops->keys(before, &all.base);
  p->ops->keys(p->r, &all.base);
  bool ok = true;
  for (size_t i = 0; i < all.n && ok; i++)
  {
    hd_value a = hd_nil(), b = hd_nil();
    bool had = p->ops->view(before, all.keys[i], &a), has = p->ops->view(p->r, all.keys[i], &b);
    if (had == has && (!had || hd_value_equal(a, b)))
      continue;
    if (keyset_has(&p->one, all.keys[i]))
      continue;
    hd_string key = {0};
    hd_value_print(&key, all.keys[i], 40);
    char *name = variable_name(r, w->var), *here = describe_place(r, w->site);
    ok = refine_bad_spec(
        r, NULL, w->site,
        hd_text("specification '%s': the replica's %s() for the write to %s (%s) changes the view of key "
                "%s without hd_touch",
                r->spec->name, w->replay ? "replay" : "write", name, here, key.text));
    free(name);
    free(here);
    hd_string_free(&key);
  }
  keyset_done(&all);
  return ok;
}

bool
replica_watch(hd_refine *r, const block *b, uint64_t position)
{
  /* What a window's commit makes visible is not protected by a lock: holds mean nothing there. */
  if (b->owner && (b->owner->flags & OP_WINDOW) && b->owner->commit_block == b)
    return true;
  for (size_t i = 0; i < b->nwrites; i++)
    if (!b->writes[i].replay && !check_hold(r, b, &b->writes[i], position))
      return false;
  return true;
}

bool
replica_apply(hd_refine *r, const block *b, uint64_t position, bool certain)
{
  replica *p = &r->replica;
  for (size_t i = 0; i < b->nwrites; i++)
  {
    const logged_write *w = &b->writes[i];
    if (certain && !check_old(r, b, w, position))
      return false;
    void *before = r->options.paranoid && p->ops->copy && p->ops->keys ? p->ops->copy(p->r) : NULL;
    keyset_clear(&p->one);
    if (!apply_write(p->ops, p->r, w, &p->one.base))
    {
      char *here = describe_place(r, w->site);
      bool never = refine_bad_spec(r, b->owner, w->site,
                                   hd_text("%s: specification '%s' cannot replay an action of kind %llu", here,
                                           r->spec->name, (unsigned long long) w->var));
      free(here);
      return never;
    }
    if (before)
    {
      bool ok = check_touched(r, before, w);
      p->ops->destroy(before);
      if (!ok)
        return false;
    }
    for (size_t k = 0; k < p->one.n; k++)
    {
      hd_touch(&p->keys.base, p->one.keys[k]);
      remember_writer(p, p->one.keys[k], b, w, position);
    }
  }
  return true;
}

/* ---- comparing ---- */

static bool
same_view(const hd_spec *spec, const void *state, const void *replica, hd_value key, hd_key_difference *d)
{
  hd_value a = hd_nil(), b = hd_nil();
  bool in_spec = spec->view(state, key, &a), in_replica = spec->replica->view(replica, key, &b);
  if (in_spec == in_replica && (!in_spec || hd_value_equal(a, b)))
    return true;
  if (d)
    *d = (hd_key_difference){.key = value_own(key),
                             .spec_has = in_spec,
                             .replica_has = in_replica,
                             .spec_value = value_own(a),
                             .replica_value = value_own(b)};
  return false;
}

bool
replica_agrees(const hd_spec *spec, const void *state, const void *replica, const keyset *keys)
{
  for (size_t i = 0; i < keys->n; i++)
    if (!same_view(spec, state, replica, keys->keys[i], NULL))
      return false;
  return true;
}

static void
add_writers(hd_refine *r, hd_key_difference *d)
{
  uint64_t hash = hd_value_hash(d->key);
  const writer_entry *e = &r->replica.writers[hash & (r->replica.writers_size - 1)];
  if (!e->n || e->hash != hash || !hd_value_equal(e->key, d->key))
    return;
  d->writers = hd_alloc_array(e->n, sizeof *d->writers);
  d->nwriters = e->n;
  for (size_t i = 0; i < e->n; i++)
    d->writers[i] = (hd_writer_info){.thread = e->last[i].thread,
                                     .site = e->last[i].w.site,
                                     .position = e->last[i].w.position,
                                     .op = e->last[i].op,
                                     .variable = variable_name(r, e->last[i].w.var),
                                     .value = value_own(e->last[i].w.value)};
}

static void
all_keys(hd_refine *r, const void *state, keyset *all)
{
  if (r->spec->keys)
    r->spec->keys(state, &all->base);
  if (r->spec->replica->keys)
    r->spec->replica->keys(r->replica.r, &all->base);
  for (size_t i = 0; i < r->replica.keys.n; i++)
    hd_touch(&all->base, r->replica.keys.keys[i]);
}

bool
replica_compare(hd_refine *r, op *o, enum tick_kind kind, uint64_t position, const void *state)
{
  replica *p = &r->replica;
  if (r->aftermath.active)
  {
    keyset_clear(&p->keys);
    return true;
  }
  keyset full;
  const keyset *keys = &p->keys;
  bool whole = r->options.view == HD_VIEW_FULL;
  if (whole)
  {
    keyset_init(&full);
    all_keys(r, state, &full);
    keys = &full;
  }
  r->result.stats.view_comparisons++;
  r->result.stats.keys_compared += keys->n;
  hd_key_difference found[MAX_DIFFERENCES];
  size_t n = 0;
  for (size_t i = 0; i < keys->n && n < MAX_DIFFERENCES; i++)
    if (!same_view(r->spec, state, p->r, keys->keys[i], &found[n]))
      n++;
  if (whole)
    keyset_done(&full);
  if (n)
  {
    bool task = kind == TICK_TASK || (o && (o->flags & OP_INTERNAL));
    hd_key_difference *list = hd_alloc_array(n, sizeof *list);
    memcpy(list, found, n * sizeof *list);
    for (size_t i = 0; i < n; i++)
      add_writers(r, &list[i]);
    r->view_differences = list;
    r->nview_differences = n;
    return diagnose_view_begin(r, o, task ? HD_FOUND_INTERNAL : HD_FOUND_VIEW, position);
  }
  keyset_clear(&p->keys);
  if (p->ops->invariant)
  {
    const char *wrong = p->ops->invariant(p->r);
    if (wrong)
    {
      r->invariant_text = wrong;
      return refine_violation(r, HD_FOUND_INVARIANT, o, position);
    }
  }
  return true;
}
