/* engine.c: the walk over gaps and ticks (docs/rules.md 3.2).
 *
 * As long as every commit is exact there is one configuration: its state is changed in place, and an observer is tested
 * when it starts and after each change until some state accepts it (Fig. 7 of the VYRD paper). Only while a window is
 * open do the operations go through the search. */
#include "refine/internal.h"

#include <stdlib.h>
#include <string.h>

/* ---- how far the walk may go ---- */

/* The first gap that cannot be closed while O's fate, return or block end is not known (docs/rules.md 5.2). */
static uint64_t
blocks_at(const op *o)
{
  if (o->flags & OP_COMMITTED)
    return o->flags & OP_WINDOW ? o->window : o->commit;
  return o->call;
}

static uint64_t
bound(const hd_refine *r)
{
  uint64_t g = r->frontier;
  for (const op *o = r->waiting; o; o = o->waiting_next)
    if (blocks_at(o) < g)
      g = blocks_at(o);
  const hd_log_object *object = hd_log_object_get(r->log, r->object);
  if (object && object->lost_at && object->lost_at - 1 < g)
    g = object->lost_at - 1; /* an operation that was not logged may have taken effect from here on */
  return g;
}

/* ---- verdicts ---- */

bool
refine_violation(hd_refine *r, hd_finding_kind kind, op *failing, uint64_t position)
{
  if (r->aftermath.active)
  {
    diagnose_view_end(r); /* the first finding stands */
    return false;
  }
  if (r->search.bad_spec)
  {
    const op *o = r->search.bad_op;
    char *what = o ? describe_op(r, o) : hd_text("an operation");
    char *where = o ? describe_place(r, o->call_site) : hd_text("the log");
    refine_bad_spec(
        r, o, o ? o->call_site : 0,
        hd_text("specification '%s': %s (%s, called at %s)", r->spec->name, r->search.bad_spec, what, where));
    free(what);
    free(where);
    return false;
  }
  if (r->search.stopped)
    return refine_incomplete(
        r, hd_text("the search was given up at tick %llu: %s", (unsigned long long) (position / 2), r->search.stopped));
  if (r->unsure)
    return refine_incomplete(
        r, hd_text("at tick %llu something cannot be explained, but an operation that never returned may explain it, "
                   "and without outcomes() in the specification its effect is unknown",
                   (unsigned long long) (position / 2)));
  if (kind == HD_FOUND_OBSERVER && failing && (failing->flags & OP_WOULD_CHANGE))
    kind = HD_FOUND_ANNOTATION;
  finding_make(r, kind, position, failing);
  r->result.verdict = HD_VIOLATED;
  r->decided = true;
  diagnose(r, failing);
  return false;
}

static bool
bad_spec_seen(hd_refine *r, op *o)
{
  return r->search.bad_spec ? refine_violation(r, HD_FOUND_BAD_SPEC, o, 0) : true;
}

/* ---- observers, one configuration ---- */

static void
judged(hd_refine *r, op *o)
{
  o->flags |= OP_JUDGED;
  if (o->flags & OP_OBSERVER)
    r->result.stats.observers++;
  else
    r->result.stats.uncommitted++;
}

static bool
gap_single(hd_refine *r, op *arrivals, uint64_t g)
{
  const void *state = search_state(&r->search);
  op **link = &r->active;
  op *o = *link;
  if (r->state_changed)
    while (o)
    {
      if (search_test(&r->search, state, o) == HD_SAME)
      {
        *link = o->next;
        judged(r, o);
      }
      else
        link = &o->next;
      o = *link;
    }
  while (arrivals)
  {
    o = arrivals;
    arrivals = o->next;
    if (search_test(&r->search, state, o) == HD_SAME)
      judged(r, o);
    else
    {
      o->next = r->active;
      r->active = o;
    }
  }
  r->state_changed = false;
  if (HD_UNLIKELY(r->search.bad_spec != NULL))
    return bad_spec_seen(r, NULL);
  for (o = r->active; o; o = o->next)
    if (o->end == g)
      return refine_violation(r, HD_FOUND_OBSERVER, o, op_end_position(o));
  return true;
}

/* ---- the general case ---- */

/* Observers that wait in the list go into slots of the search, or back when no window is open any more. */
static void
list_to_slots(hd_refine *r)
{
  while (r->active)
  {
    op *o = r->active;
    r->active = o->next;
    search_open(&r->search, o, MODE_OBSERVE);
  }
}

static void
slots_to_list(hd_refine *r)
{
  search *s = &r->search;
  if (r->nwindows || r->nmay || s->nconfigs != 1 || !s->nopen)
    return;
  op *drop[64];
  while (s->nopen)
  {
    size_t n = 0;
    for (size_t i = 0; i < s->nslots && n < 64; i++)
      if (s->slots[i])
      {
        op *o = s->slots[i];
        bool done = s->configs[0]->done[i >> 6] >> (i & 63) & 1;
        if (done)
          judged(r, o);
        else
        {
          o->next = r->active;
          r->active = o;
        }
        drop[n++] = o;
      }
    search_drop(s, drop, n);
  }
  r->state_changed = false; /* all that is listed was tested in the present state */
}

static bool
is_exact(const tick *t)
{
  return t && t->kind == TICK_COMMIT && !(t->op->flags & OP_WINDOW);
}

static bool
ends_window(const tick *t)
{
  return t && ((t->kind == TICK_COMMIT && (t->op->flags & OP_WINDOW)) || t->kind == TICK_CLOSE);
}

/* Which of NEED cannot be met: alone if one alone cannot, else the one whose end is at the tick. */
static op *
culprit(hd_refine *r, op *const *need, size_t n, uint64_t g)
{
  for (size_t i = 0; i < n && n > 1; i++)
    if (!search_close(&r->search, &need[i], 1, true, g))
      return need[i];
  return need[n - 1];
}

static bool
gap_general(hd_refine *r, tick *t, op *arrivals, uint64_t g)
{
  search *s = &r->search;
  while (arrivals)
  {
    op *o = arrivals;
    arrivals = o->next;
    search_open(s, o, MODE_OBSERVE);
  }
  if (s->bad_spec)
    return bad_spec_seen(r, NULL);
  op **need = NULL;
  size_t n = 0, cap = 0;
  for (size_t i = 0; i < s->nslots; i++)
    if (s->slots[i] && s->slots[i]->mode == MODE_OBSERVE && !(s->slots[i]->flags & OP_NOCOMMIT)
        && s->slots[i]->end == g)
      HD_PUSH(need, n, cap, s->slots[i]);
  if (ends_window(t))
    HD_PUSH(need, n, cap, t->op);
  /* A tick that changes the state fixes an order, and so does one that writes what an open operation writes too:
   * whatever may come before it must be tried now. */
  bool all = is_exact(t) || (r->views && t && t->block && search_writes_meet(s, t->block));
  bool ok = true;
  if (n || all)
  {
    ok = search_close(s, need, n, all, g);
    if (!ok)
    {
      op *bad = n ? culprit(r, need, n, g) : NULL;
      hd_finding_kind kind = bad && op_observes(bad) ? HD_FOUND_OBSERVER : HD_FOUND_ORDER;
      refine_violation(r, kind, bad,
                       bad ? (ends_window(t) && bad == t->op ? tick_position(g) : op_end_position(bad)) : 0);
    }
    else
    {
      for (size_t i = 0; i < n; i++)
        if (!ends_window(t) || need[i] != t->op)
          judged(r, need[i]);
        else
          need[i]->flags |= OP_JUDGED;
      search_drop(s, need, n);
    }
  }
  free(need);
  return ok;
}

/* ---- ticks ---- */

/* Can O, with what it returned, change no state? Then it is done as soon as a state accepts it. Its writes, if there
 * are views, must have a place all the same. */
static bool
only_looks(const hd_refine *r, const op *o)
{
  if (o->flags & OP_OBSERVER)
    return true;
  hd_op view = op_view(o);
  return (o->flags & OP_RET_KNOWN) && !r->views && r->spec->traits && (r->spec->traits(&view) & HD_LOOKS);
}

static bool
open_window(hd_refine *r, op *o)
{
  search *s = &r->search;
  bool returned = (o->flags & OP_RET_KNOWN) != 0;
  bool ends = (o->flags & (OP_COMMITTED | OP_RETURNED)) != 0;
  if (!ends && (o->flags & OP_OBSERVER))
  {
    o->flags |= OP_JUDGED; /* it never returned: it constrains nothing */
    return true;
  }
  r->views_cut |= views_cut_at(o);
  if (!s->spec->copy)
    return refine_bad_spec(r, o, o->window_site,
                           hd_text("specification '%s' has no copy(): it is needed because %s has a commit window",
                                   r->spec->name, r->spec->methods[o->method].name));
  if (!returned && !op_has_outcomes(s, o))
  {
    if (ends)
      return refine_incomplete(r, hd_text("%s by thread %u committed and never returned, and the specification has no "
                                          "outcomes() that would say what it may have returned",
                                          r->spec->methods[o->method].name, o->thread));
    r->unsure = true;
    o->flags |= OP_JUDGED;
    return true;
  }
  list_to_slots(r);
  search_open(s, o, only_looks(r, o) ? MODE_OBSERVE : ends ? MODE_MUST : MODE_MAY);
  if (ends)
    r->nwindows++;
  else
    r->nmay++;
  return true;
}

static bool
exact_commit(hd_refine *r, op *o, uint64_t g)
{
  search *s = &r->search;
  if (HD_UNLIKELY(!(o->flags & OP_RET_KNOWN) && !op_has_outcomes(s, o)))
    return refine_incomplete(r,
                             hd_text("%s by thread %u committed at tick %llu and never returned, and the specification "
                                     "has no outcomes() that would say what it may have returned",
                                     r->spec->methods[o->method].name, o->thread, (unsigned long long) g));
  if (HD_LIKELY(search_single(s) && (o->flags & OP_RET_KNOWN)))
  {
    hd_op view = op_view(o);
    if (HD_UNLIKELY(r->options.paranoid) && search_doubts(s, search_state(s), o, &view))
      return bad_spec_seen(r, o);
    s->applications++;
    hd_step step = r->spec->apply(search_state(s), &view, s->touched);
    if (HD_UNLIKELY(step == HD_REJECT))
      return refine_violation(r, HD_FOUND_COMMIT, o, tick_position(g));
    r->state_changed |= step == HD_CHANGED;
    o->flags |= OP_JUDGED;
    return true;
  }
  if (!(o->flags & OP_RET_KNOWN) && !s->spec->copy)
    return refine_incomplete(r,
                             hd_text("%s by thread %u committed at tick %llu and never returned, and the specification "
                                     "has no copy() to try what it may have returned",
                                     r->spec->methods[o->method].name, o->thread, (unsigned long long) g));
  if (search_single(s))
    list_to_slots(r);
  if (!search_point(s, o, g))
    return refine_violation(r, HD_FOUND_COMMIT, o, tick_position(g));
  o->flags |= OP_JUDGED;
  r->state_changed = true;
  return true;
}

/* The clock's own count of open windows (docs/rules.md 1.2): views are compared where it is 0. A second window of an
 * operation replaces the first and counts once; what never ends stays open. */
static bool
ends_open_window(hd_refine *r, const tick *t)
{
  op *o = t->op;
  if (!o)
    return false;
  bool opens = t->kind == TICK_WINDOW || t->kind == TICK_OPEN;
  if (opens && !(o->flags & OP_COUNTED))
  {
    o->flags |= OP_COUNTED;
    r->clock_open++;
    return false;
  }
  bool cancels = t->kind == TICK_NOTHING && (o->flags & OP_RETURNED) && !(o->flags & OP_COMMITTED);
  if (!(t->kind == TICK_COMMIT || t->kind == TICK_CLOSE || cancels) || !(o->flags & OP_COUNTED))
    return false;
  o->flags &= ~(uint32_t) OP_COUNTED;
  r->clock_open--;
  return true;
}

static bool
do_tick(hd_refine *r, tick *t, uint64_t g)
{
  op *o = t->op;
  bool ended = r->clock_closing = ends_open_window(r, t);
  if (r->views)
  {
    const block *b = t->kind == TICK_COMMIT ? o->commit_block : t->block;
    if (b && !replica_watch(r, b, tick_position(g)))
      return false;
    r->certain = false;
    if (b && (t->kind != TICK_COMMIT || !(o->flags & OP_WINDOW)) && !r->views_cut)
      views_drop_by_old_values(r, b);
    if (!views_flush(r)) /* the gap may have left one configuration */
      return false;
    r->certain = r->search.nconfigs == 1;
  }
  switch (t->kind)
  {
  case TICK_COMMIT:
    if (o->flags & OP_WINDOW)
      r->nwindows--;
    else
    {
      bool direct = search_single(&r->search) && (o->flags & OP_RET_KNOWN);
      if (!exact_commit(r, o, g))
        return false;
      if (r->views && direct && o->commit_block && !r->views_cut && !views_cut_at(o)
          && !replica_apply(r, o->commit_block, tick_position(g), true))
        return false;
    }
    break;
  case TICK_CLOSE:
    r->nwindows--;
    break;
  case TICK_WINDOW:
    /* A later window of the operation replaces this one; a return without a commit cancels it (R3). */
    if (o->window == g && !((o->flags & OP_RETURNED) && !(o->flags & OP_COMMITTED)) && !open_window(r, o))
      return false;
    break;
  case TICK_OPEN:
    if (!open_window(r, o))
      return false;
    break;
  case TICK_WRITE:
  case TICK_BLOCK:
    if (!views_write(r, t, g))
      return false;
    break;
  case TICK_TASK:
    o->flags |= OP_JUDGED;
    break;
  default:
    break;
  }
  if (r->views && !views_after(r, o, ended ? TICK_CLOSE : t->kind, g))
    return false;
  slots_to_list(r);
  return true;
}

bool
refine_cancelled(const hd_refine *r)
{
  return r->options.cancel && __atomic_load_n(r->options.cancel, __ATOMIC_RELAXED);
}

bool
refine_advance(hd_refine *r)
{
  if (r->decided)
    return false;
  uint64_t end = bound(r);
  while (r->base < end && r->base < r->highest)
  {
    uint64_t g = r->base;
    if (HD_UNLIKELY(r->annotation && g > r->annotation_gap))
      break;
    if (HD_UNLIKELY(refine_cancelled(r)))
      return refine_incomplete(r, hd_text("it was given up at tick %llu: a limit was reached", (unsigned long long) g));
    tick *t = &r->ticks[g & (r->ticks_size - 1)];
    if (t->kind == TICK_MISSING)
      break;
    if (HD_UNLIKELY(r->tail.n - r->tail.released >= r->tail.interval) && !r->aftermath.active)
      tail_step(r, r->open_here == 0);
    op *arrivals = t->arrivals;
    t->arrivals = NULL;
    if (!(search_single(&r->search) ? gap_single(r, arrivals, g) : gap_general(r, t, arrivals, g)))
      return false;
    if (!do_tick(r, t, g))
      return false;
    r->open_here += t->calls - t->returns;
    memset(t, 0, sizeof *t);
    r->base = g + 1;
    r->result.stats.ticks++;
    if (HD_UNLIKELY(r->aftermath.active) && diagnose_view_ready(r))
    {
      diagnose_view_end(r);
      return false;
    }
  }
  if (r->annotation && r->base > r->annotation_gap)
  {
    if (r->aftermath.active)
    {
      diagnose_view_end(r); /* the first finding stands */
      return false;
    }
    finding_take_annotation(r);
    return false;
  }
  return true;
}

bool
refine_last_gap(hd_refine *r)
{
  uint64_t g = r->base;
  op *arrivals = NULL;
  if (r->ticks_size)
  {
    tick *t = &r->ticks[g & (r->ticks_size - 1)];
    arrivals = t->arrivals;
    t->arrivals = NULL;
  }
  if (!(search_single(&r->search) ? gap_single(r, arrivals, g) : gap_general(r, NULL, arrivals, g)))
    return false;
  return !r->views || views_end(r, g);
}
