/* again.c: an object's operations all at once, for what the walk along the log does not settle.
 *
 * The walk (engine.c) keeps every order that is still possible, and gives up where there are too many: a queue that
 * nobody annotated, the question whose fault a wrong dequeue is. src/linear knows better ways, but wants all operations
 * at hand: so the log is read once more, and of the objects in question the operations are kept: their intervals,
 * arguments and returns. A history without commits goes this way at once.
 *
 * Two questions are answered. As annotated: does it hold? Whole: it is violated and undecided, would another order
 * inside the calls and returns explain it? A "no" there is certain: the implementation is wrong. */
#include "refine/again.h"

#include <stdlib.h>
#include <string.h>

bool
again_wanted(const hd_refine *r)
{
  const hd_refine_result *result = &r->result;
  const hd_finding *f = &result->finding;
  if (refine_cancelled(r) || !r->spec->copy)
    return false;
  if (result->verdict == HD_INCOMPLETE)
    return r->search.stopped && !r->views;
  bool by_returns = f->kind == HD_FOUND_COMMIT || f->kind == HD_FOUND_OBSERVER || f->kind == HD_FOUND_ORDER;
  return result->verdict == HD_VIOLATED && by_returns && f->blame == HD_BLAME_UNDECIDED && !r->options.no_diagnosis;
}

HD_GIVE again *
again_new(hd_refine *r)
{
  again *a = hd_alloc_zero(sizeof *a);
  a->r = r;
  a->texts = hd_arena_new();
  return a;
}

void
again_free(HD_TAKE again *a)
{
  if (!a)
    return;
  hd_arena_free(a->texts);
  free(a->ops);
  free(a->more);
  free(a->tops);
  free(a);
}

/* ---- gathering ---- */

static void
tops_grow(again *a)
{
  size_t old_size = a->tops_size;
  top *old = a->tops;
  a->tops_size = old_size ? old_size * 2 : 64;
  a->tops = hd_alloc_zero(a->tops_size * sizeof *a->tops);
  for (size_t i = 0; i < old_size; i++)
    if (old[i].thread)
    {
      size_t k = hd_mix(old[i].thread) & (a->tops_size - 1);
      while (a->tops[k].thread)
        k = (k + 1) & (a->tops_size - 1);
      a->tops[k] = old[i];
    }
  free(old);
}

static top *
top_get(again *a, uint32_t thread)
{
  if (a->ntops * 2 >= a->tops_size)
    tops_grow(a);
  size_t mask = a->tops_size - 1, k = hd_mix(thread) & mask;
  while (a->tops[k].thread && a->tops[k].thread != thread)
    k = (k + 1) & mask;
  if (!a->tops[k].thread)
  {
    a->tops[k] = (top){.thread = thread};
    a->ntops++;
  }
  return &a->tops[k];
}

static uint64_t
position(const hd_event *e)
{
  return 2 * e->stamp + e->ticked;
}

static hd_value
keep(again *a, hd_value v)
{
  if (v.type < HD_STR)
    return v;
  char *text = hd_arena_alloc(a->texts, v.length + 1u);
  memcpy(text, v.p, v.length);
  text[v.length] = '\0';
  v.p = text;
  return v;
}

static void
take_args(again *a, const hd_event *e, hd_linear_op *o)
{
  const char *letters = a->r->spec->methods[o->method].args;
  if (e->nvalues != a->r->arity[o->method] || e->nvalues > UINT8_MAX)
  {
    a->unfit = true;
    return;
  }
  hd_value *args = o->args;
  if (e->nvalues > 2)
    o->many = args = hd_arena_alloc(a->texts, e->nvalues * sizeof *args);
  for (uint32_t k = 0; k < e->nvalues; k++)
  {
    hd_value v = e->values[k];
    a->unfit |= !hd_value_convert(&v, letters[k]);
    args[k] = keep(a, v);
  }
  o->nargs = (uint8_t) e->nvalues;
}

static void
call(again *a, const hd_event *e, top *t)
{
  uint32_t method;
  if (!refine_find_method(a->r, e, &method) || a->n == UINT32_MAX / 4)
  {
    a->unfit = true;
    return;
  }
  hd_linear_op o = {.method = method, .thread = e->thread, .id = a->n, .start = position(e)};
  take_args(a, e, &o);
  bool nocommit = e->kind == HD_K_CALL_NOCOMMIT;
  gathered g = {.outer = t->index,
                .call = o.start,
                .call_site = hd_event_place(e),
                .nocommit = nocommit,
                .windowed = nocommit,
                .observer = a->r->spec->methods[method].role == HD_OBSERVER};
  HD_PUSH(a->ops, a->n, a->ops_cap, o);
  a->n--;
  HD_PUSH(a->more, a->n, a->more_cap, g);
  t->index = (uint32_t) a->n;
}

static void
commit(again *a, const hd_event *e, size_t i)
{
  gathered *g = &a->more[i];
  if (g->observer)
    return;
  if (g->committed)
    a->unfit = true;
  g->committed = true;
  g->commit_site = hd_event_place(e);
  a->ops[i].end = position(e);
  if (!g->windowed)
    a->ops[i].start = a->ops[i].end;
}

/* The return value, at the return or before it at the commit; if both give one it must be the same. */
static void
take_return(again *a, const hd_event *e, size_t i, bool exceptional)
{
  hd_linear_op *o = &a->ops[i];
  gathered *g = &a->more[i];
  hd_value v = e->nvalues ? e->values[0] : hd_nil();
  bool typed = exceptional || hd_value_convert(&v, a->r->spec->methods[o->method].ret);
  if (!typed || (g->ret_known && (o->exceptional != exceptional || !hd_value_equal(v, o->ret))))
    a->unfit = true;
  else if (!g->ret_known)
  {
    o->ret = keep(a, v);
    o->exceptional = exceptional;
  }
  g->ret_known = true;
}

bool
again_event(again *a, const hd_event *e)
{
  a->events++;
  if (a->unfit)
    return false;
  a->ticks += e->stamped && e->ticked;
  top *t = top_get(a, e->thread);
  size_t i = t->index - 1;
  gathered *g = t->index ? &a->more[i] : NULL;
  switch (e->kind)
  {
  case HD_K_CALL:
  case HD_K_CALL_NOCOMMIT:
    if (e->stamped)
      call(a, e, t);
    return !a->unfit;
  case HD_K_WINDOW:
    if (g && e->stamped)
    {
      g->windowed = true;
      g->window_site = hd_event_place(e);
      if (!g->committed)
        a->ops[i].start = position(e);
    }
    return true;
  case HD_K_COMMIT:
  case HD_K_COMMIT_RET:
  case HD_K_COMMIT_EXC:
    if (g && e->stamped)
      commit(a, e, i);
    if (g && e->stamped && e->kind != HD_K_COMMIT)
      take_return(a, e, i, e->kind == HD_K_COMMIT_EXC);
    return true;
  case HD_K_RETURN:
  case HD_K_RETURN_EXC:
    if (g && e->stamped)
    {
      take_return(a, e, i, e->kind == HD_K_RETURN_EXC);
      g->returned = true;
      g->finish = position(e);
      g->return_site = hd_event_place(e);
      t->index = g->outer;
    }
    return true;
  case HD_K_ABANDON:
    if (g)
      t->index = g->outer;
    return true;
  case HD_K_MISUSE:
  case HD_K_INTERNAL_BEGIN:
    a->unfit = true;
    return false;
  default:
    return true;
  }
}

/* ---- as annotated, and whole ---- */

/* Let operation I be as annotated. False: nobody can have seen it. */
static bool
annotate(again *a, size_t i)
{
  const gathered *g = &a->more[i];
  hd_linear_op *o = &a->ops[i];
  bool commits = g->committed && !g->observer;
  o->any_ret = commits && !g->ret_known;
  o->pending = !commits && !g->returned;
  o->unchanged = g->returned && !commits && !g->observer && !g->nocommit;
  if (!commits)
    o->end = g->finish;
  /* A window that no commit ended, but a return: it had no effect. */
  if (g->observer || o->unchanged)
    o->start = g->call;
  return !o->pending || (g->windowed && !g->observer);
}

/* All operations as annotated, *N of them. The result is A's own unless some of them do not count. */
static hd_linear_op *
annotated(again *a, size_t *n)
{
  size_t unseen = 0;
  for (size_t i = 0; i < a->n; i++)
    unseen += !annotate(a, i);
  *n = a->n - unseen;
  if (unseen == 0)
    return a->ops;
  hd_linear_op *out = hd_alloc_array(*n ? *n : 1, sizeof *out);
  for (size_t i = 0, k = 0; i < a->n; i++)
    if (annotate(a, i))
      out[k++] = a->ops[i];
  return out;
}

HD_GIVE hd_linear_op *
again_whole(const again *a, uint64_t until, bool strict, size_t *n)
{
  hd_linear_op *out = hd_alloc_array(a->n ? a->n : 1, sizeof *out);
  *n = 0;
  for (size_t i = 0; i < a->n; i++)
  {
    const gathered *g = &a->more[i];
    bool ended = g->returned && g->finish <= until;
    if (g->call > until || (g->observer && !ended))
      continue;
    hd_linear_op *o = &out[(*n)++];
    *o = a->ops[i];
    o->pending = !ended;
    o->unchanged = o->any_ret = false;
    o->start = g->call;
    o->end = g->finish;
    if (!strict)
      continue;
    /* At one number: first what ends there, then what begins and ends there, then what begins. */
    bool instant = ended && g->call == g->finish;
    o->start = 4 * g->call + (instant ? 1 : 3);
    o->end = 4 * g->finish + (instant ? 2 : 0);
  }
  return out;
}

/* ---- deciding ---- */

hd_linear_options
again_options(const again *a)
{
  const hd_refine *r = a->r;
  const hd_log_object *object = hd_log_object_get(r->log, r->object);
  return (hd_linear_options){.config = object ? object->config : NULL,
                             .nconfig = object ? object->nconfig : 0,
                             .jobs = r->options.jobs,
                             .rules = HD_LINEAR_ALL & ~(r->options.no_partition ? HD_LINEAR_PARTITION : 0u),
                             .cancel = r->options.cancel,
                             .leave = r->options.leave};
}

/* What the walk would have counted. */
static void
count(again *a, const hd_linear_result *result)
{
  hd_refine_stats *stats = &a->r->result.stats;
  stats->applications += result->applications;
  stats->configurations_made += result->configurations_made;
  if (result->configurations_peak > stats->configurations_peak)
    stats->configurations_peak = result->configurations_peak;
  if (!a->r->options.whole)
    return;
  stats->events = a->events;
  stats->ticks = a->ticks;
  stats->operations = a->n;
  for (size_t i = 0; i < a->n; i++)
  {
    const gathered *g = &a->more[i];
    stats->returned += g->returned;
    stats->commits += g->committed;
    stats->windows += g->windowed && !g->nocommit;
    stats->observers += g->observer;
    stats->uncommitted += g->nocommit && !g->observer;
  }
  stats->pending = stats->operations - stats->returned;
}

static void
settle_annotated(again *a)
{
  hd_refine *r = a->r;
  size_t n;
  hd_linear_op *ops = annotated(a, &n);
  hd_linear_options options = again_options(a);
  hd_linear_result result;
  hd_linear_decide(r->spec, ops, n, &options, &result);
  count(a, &result);
  free(r->result.incomplete);
  r->result.incomplete = NULL;
  r->decided = true;
  r->search.stopped = NULL;
  r->result.checked_to = r->options.whole ? a->ticks : r->shown;
  switch (result.answer)
  {
  case HD_LINEAR_HOLDS:
    r->result.verdict = HD_HOLDS;
    break;
  case HD_LINEAR_VIOLATED:
    r->result.verdict = HD_VIOLATED;
    r->result.checked_to = result.legal_until / 2;
    again_explain(a, ops, n, &options, &result);
    break;
  case HD_LINEAR_UNKNOWN:
    r->result.verdict = HD_INCOMPLETE;
    r->result.checked_to = result.legal_until / 2;
    r->result.incomplete = hd_linear_unknown_text(r->spec, a->ops, a->n, &result);
    break;
  }
  if (ops != a->ops)
    free(ops);
}

/* A violation whose cause is undecided: would another order inside the calls and returns explain it? */
static void
settle_blame(again *a)
{
  const hd_finding *f = &a->r->result.finding;
  for (size_t i = 0; i < f->nops; i++)
    if (f->ops[i].failing && f->ops[i].number - 1 < a->n)
    {
      again_blame(a, f->ops[i].number - 1);
      return;
    }
}

void
again_settle(again *a)
{
  hd_refine *r = a->r;
  const hd_log_object *object = hd_log_object_get(r->log, r->object);
  /* A tick that is not in the log may be an effect: then nothing is settled. */
  if (a->unfit || !object || a->ticks != object->ticks - object->first)
  {
    if (r->options.whole)
      refine_incomplete(r,
                        hd_text("the log is not complete: %llu of %llu ticks are in it", (unsigned long long) a->ticks,
                                (unsigned long long) (object ? object->ticks - object->first : 0)));
    return;
  }
  if (r->options.whole || r->result.verdict == HD_INCOMPLETE)
    settle_annotated(a);
  else
    settle_blame(a);
}
