/* views.c: when writes take effect and when views are compared (docs/rules.md 4.1, R4).
 *
 * With one configuration writes go straight into the replica. With several, each configuration remembers its own
 * order of writes; as soon as one configuration is left its writes are made, and where several are left at a quiet tick
 * (no window open) each gets a replica of its own and those whose view differs are dropped. What had to wait for a
 * quiet tick is counted, and the longest wait is kept for the answer. */
#include "refine/internal.h"

#include <stdlib.h>

static bool
quiet(const hd_refine *r)
{
  return r->clock_open == 0;
}

/* The log ends inside the block of O's commit: what else it would have written is not known. */
bool
views_cut_at(const op *o)
{
  return (o->flags & OP_COMMITTED) && (o->flags & OP_BLOCK_OPEN) && (o->flags & OP_GONE);
}

bool
views_write(hd_refine *r, tick *t, uint64_t g)
{
  block *b = t->block;
  t->block = NULL;
  if (!b)
    return true;
  if (r->views_cut)
  {
    block_release(r, b);
    return true;
  }
  if (r->search.nconfigs == 1)
  {
    bool ok = replica_apply(r, b, tick_position(g), true);
    block_release(r, b);
    return ok;
  }
  search_note(&r->search, b, g);
  HD_PUSH(r->held, r->nheld, r->held_cap, b);
  return true;
}

void
views_forget(hd_refine *r)
{
  search_forget_steps(&r->search);
  for (size_t i = 0; i < r->nheld; i++)
    block_release(r, r->held[i]);
  r->nheld = 0;
}

/* Is every old value in B what configuration C has in its variable? Where coarse-grained actions are in play nobody can
 * say. */
static bool
old_values_fit(const hd_refine *r, const config *c, const block *b)
{
  const hd_replica *ops = r->replica.ops;
  if (c->steps && c->steps->replays)
    return true;
  for (size_t i = 0; i < b->nwrites; i++)
  {
    const logged_write *w = &b->writes[i], *before = NULL;
    if (w->replay)
      return true;
    if (!w->has_old)
      continue;
    for (size_t k = i; k-- > 0 && !before;)
      if (b->writes[k].var == w->var)
        before = &b->writes[k];
    if (!before)
      before = search_last_write(c->steps, w->var);
    hd_value now = before ? before->value : hd_nil();
    if (!before && !ops->read(r->replica.r, w->var, &now))
      continue;
    if (!hd_value_equal(now, w->old))
      return false;
  }
  return true;
}

/* B takes effect at a quiet tick: configurations in which the variables hold other values than it replaced are not what
 * happened. If it was none of them the first one is kept, for the finding. */
void
views_drop_by_old_values(hd_refine *r, const block *b)
{
  search *s = &r->search;
  if (s->nconfigs < 2 || r->clock_open || r->clock_closing || !r->replica.ops->read)
    return;
  size_t fitting = 0;
  for (size_t c = 0; c < s->nconfigs; c++)
    fitting += old_values_fit(r, s->configs[c], b);
  for (size_t c = s->nconfigs; c-- > 0;)
    if (fitting ? !old_values_fit(r, s->configs[c], b) : c > 0)
      search_remove(s, c);
}

/* The steps of a configuration, oldest first. */
static const step **
in_order(const step *newest, size_t *n)
{
  *n = 0;
  for (const step *s = newest; s; s = s->before)
    if (s->block)
      ++*n;
  const step **list = hd_alloc_array(*n ? *n : 1, sizeof *list);
  size_t i = *n;
  for (const step *s = newest; s; s = s->before)
    if (s->block)
      list[--i] = s;
  return list;
}

bool
views_flush(hd_refine *r)
{
  if (r->views_cut || r->search.nconfigs != 1 || !r->search.configs[0]->steps)
    return true;
  size_t n;
  const step **list = in_order(r->search.configs[0]->steps, &n);
  bool ok = true;
  for (size_t i = 0; i < n && ok; i++)
    ok = replica_apply(r, list[i]->block,
                       list[i]->op && (list[i]->op->flags & OP_WINDOW) ? look_position(list[i]->gap)
                                                                       : tick_position(list[i]->gap),
                       r->certain);
  free(list);
  if (ok)
    views_forget(r);
  return ok;
}

static bool
compare_each(hd_refine *r, op *o, enum tick_kind kind, uint64_t position)
{
  search *s = &r->search;
  const hd_replica *ops = r->replica.ops;
  if (!ops->copy)
    return refine_bad_spec(r, o, 0,
                           hd_text("specification '%s': its replica has no copy(), which is needed where commit "
                                   "windows overlap",
                                   r->spec->name));
  size_t total = s->nconfigs;
  void **replicas = hd_alloc_array(total, sizeof *replicas);
  bool *good = hd_alloc_array(total, sizeof *good);
  size_t agreeing = 0;
  for (size_t c = 0; c < total; c++)
  {
    size_t n;
    const step **list = in_order(s->configs[c]->steps, &n);
    replicas[c] = ops->copy(r->replica.r);
    for (size_t i = 0; i < n; i++)
      replica_apply_plain(ops, replicas[c], list[i]->block, &r->replica.keys.base);
    free(list);
    if (r->options.view == HD_VIEW_FULL && r->spec->keys)
      r->spec->keys(s->configs[c]->state->s, &r->replica.keys.base);
    if (r->options.view == HD_VIEW_FULL && ops->keys)
      ops->keys(replicas[c], &r->replica.keys.base);
  }
  r->result.stats.view_comparisons++;
  r->result.stats.keys_compared += r->replica.keys.n * total;
  size_t shown = 0; /* if none is left: the one to report, best one in which only the invariant fails */
  for (size_t c = total; c-- > 0;)
  {
    good[c] = replica_agrees(r->spec, s->configs[c]->state->s, replicas[c], &r->replica.keys);
    if (good[c])
      shown = c;
    good[c] = good[c] && (!ops->invariant || !ops->invariant(replicas[c]));
    agreeing += good[c];
  }
  for (size_t c = total; c-- > 0;)
    if (agreeing ? !good[c] : c != shown)
      search_remove(s, c);
  bool ok;
  if (agreeing)
  {
    keyset_clear(&r->replica.keys);
    search_merge(s);
    ok = views_flush(r);
  }
  else
    ok = views_flush(r) && replica_compare(r, o, kind, position, search_state(s));
  for (size_t c = 0; c < total; c++)
    ops->destroy(replicas[c]);
  free(replicas);
  free(good);
  return ok;
}

static bool
compare(hd_refine *r, op *o, enum tick_kind kind, uint64_t position)
{
  return r->search.nconfigs == 1 ? replica_compare(r, o, kind, position, search_state(&r->search))
                                 : compare_each(r, o, kind, position);
}

/* ---- waiting ---- */

/* O's window was open up to tick G: it may be the one to name. */
static void
wait_name(hd_refine *r, const op *o, uint64_t g)
{
  hd_view_wait *w = &r->view_wait;
  bool whole = (o->flags & OP_NOCOMMIT) != 0;
  uint64_t begin = whole ? o->call : o->window, from = begin > w->from ? begin : w->from;
  if (g <= from || g - from <= r->view_wait_window)
    return;
  r->view_wait_window = g - from;
  w->method = r->spec->methods[o->method].name;
  w->number = o->number;
  w->thread = o->thread;
  w->site = whole ? o->call_site : o->window_site;
}

static void
wait_begin(hd_refine *r, uint64_t g)
{
  r->view_waits = true;
  r->view_wait = (hd_view_wait){.from = g};
  r->view_wait_window = 0;
}

static void
wait_end(hd_refine *r, uint64_t g, bool to_end)
{
  if (!r->view_waits)
    return;
  r->view_waits = false;
  r->view_wait.to = g;
  r->view_wait.to_end = to_end;
  const hd_view_wait *longest = &r->result.wait;
  if (!longest->method || g - r->view_wait.from > longest->to - longest->from)
    r->result.wait = r->view_wait;
}

/* The log ends after tick G and some window has not: name it rather than one that has. */
static void
wait_for_good(hd_refine *r, uint64_t g)
{
  r->view_wait_window = 0;
  for (size_t i = 0; i < r->tail.n && r->view_waits; i++)
    if (r->tail.ops[i]->flags & OP_COUNTED)
      wait_name(r, r->tail.ops[i], g + 1);
  wait_end(r, g, true);
}

bool
views_after(hd_refine *r, op *o, enum tick_kind kind, uint64_t g)
{
  if (kind == TICK_COMMIT && views_cut_at(o))
    r->views_cut = true;
  if (r->views_cut)
    return true;
  if (kind == TICK_CLOSE && r->view_waits)
    wait_name(r, o, g);
  if (r->search.nconfigs > 1 && r->nheld)
    search_merge(&r->search);
  if (!views_compact(r, false))
    return false;
  if (!views_flush(r))
    return false;
  if (kind != TICK_COMMIT && kind != TICK_CLOSE && kind != TICK_BLOCK && kind != TICK_TASK)
    return true;
  if (!quiet(r))
  {
    r->result.stats.views_skipped++;
    if (!r->view_waits)
      wait_begin(r, g);
    return true;
  }
  wait_end(r, g, false);
  return compare(r, o, kind, tick_position(g));
}

/* Comparisons were due, and not one was made: this is no check of views. */
static bool
nothing_compared(hd_refine *r)
{
  const hd_view_wait *w = &r->result.wait;
  char *where = describe_place(r, w->site);
  char *why = w->method
                  ? hd_text("no state was compared: the window that %s (thread %u) opened at %s never ended, and "
                            "nobody knows whether the operation took effect; only the returns were judged",
                            w->method, w->thread, where)
                  : hd_text("no state was compared: some window was open, or the log ended in a block, wherever it "
                            "was due; only the returns were judged");
  free(where);
  return refine_incomplete(r, why);
}

bool
views_end(hd_refine *r, uint64_t g)
{
  r->certain = false;
  if (!views_flush(r))
    return false;
  bool waits = r->view_waits;
  if (g)
    wait_for_good(r, g - 1);
  if (!r->replica.keys.n && r->search.nconfigs == 1 && !waits)
    return true;
  if (r->views_cut || !quiet(r) || r->open_count)
  {
    if (waits && !r->result.stats.view_comparisons)
      return nothing_compared(r);
    r->views_unfinished = true;
    return true;
  }
  return compare(r, NULL, TICK_NOTHING, look_position(g));
}
