/* again.c: a second reading of a log, for objects that the first one could not settle.
 *
 * The search over orders is given up where too many are possible: a queue that nobody annotated, the question whose
 * fault a wrong dequeue is. For the usual objects there are algorithms that need no search (special.h); they want all
 * operations at once, so the log is read once more and only those objects' operations are kept: their intervals,
 * arguments and returns.
 *
 * Two questions are answered. As annotated: the check was incomplete, does it hold? Whole: it is violated and
 * undecided, would another order inside the calls and returns explain it? A "no" there is certain: the implementation
 * is wrong. */
#include "refine/again.h"

#include <stdlib.h>
#include <string.h>

static bool
special_fits(const hd_refine *r)
{
  return r->spec->standard && hd_special_knows(r->spec);
}

bool
again_wanted(const hd_refine *r)
{
  const hd_refine_result *result = &r->result;
  const hd_finding *f = &result->finding;
  if (r->options.cancel && __atomic_load_n(r->options.cancel, __ATOMIC_RELAXED))
    return false;
  if (result->verdict == HD_INCOMPLETE)
    return (special_fits(r) || r->spec->key) && r->spec->copy && r->search.stopped && !r->views;
  bool by_returns = f->kind == HD_FOUND_COMMIT || f->kind == HD_FOUND_OBSERVER || f->kind == HD_FOUND_ORDER;
  return result->verdict == HD_VIOLATED && by_returns && f->blame == HD_BLAME_UNDECIDED && r->spec->copy
         && !r->options.no_diagnosis;
}

HD_GIVE again *
again_new(hd_refine *r)
{
  again *a = hd_alloc_zero(sizeof *a);
  a->r = r;
  return a;
}

void
again_free(HD_TAKE again *a)
{
  if (!a)
    return;
  for (size_t i = 0; i < a->n; i++)
  {
    value_disown(a->ops[i].op.arg);
    value_disown(a->ops[i].op.arg2);
    value_disown(a->ops[i].op.ret);
  }
  free(a->ops);
  free(a->tops);
  free(a);
}

/* ---- gathering ---- */

static top *
top_get(again *a, uint32_t thread)
{
  if (a->ntops * 2 >= a->tops_size)
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

static void
call(again *a, const hd_event *e, top *t)
{
  uint32_t method;
  if (!refine_find_method(a->r, e, &method) || e->nvalues > 2)
  {
    a->unfit = true;
    return;
  }
  gathered g = {.outer = t->index, .nargs = e->nvalues, .call = position(e), .thread = e->thread, .call_site = e->site};
  g.op.method = method;
  g.op.id = a->n;
  const char *letters = a->r->spec->methods[method].args;
  hd_value args[2] = {hd_nil(), hd_nil()};
  a->unfit = e->nvalues != strlen(letters);
  for (uint32_t k = 0; k < e->nvalues && !a->unfit; k++)
  {
    args[k] = e->values[k];
    a->unfit = !refine_convert(&args[k], letters[k]);
  }
  if (a->unfit)
    return;
  g.op.arg = value_own(args[0]);
  g.op.arg2 = value_own(args[1]);
  g.op.start = g.call;
  g.observer = a->r->spec->methods[method].role == HD_OBSERVER;
  g.nocommit = g.windowed = e->kind == HD_K_CALL_NOCOMMIT;
  HD_PUSH(a->ops, a->n, a->cap, g);
  t->index = a->n;
}

static void
commit(again *a, const hd_event *e, gathered *g)
{
  if (g->observer)
    return;
  if (g->committed)
    a->unfit = true;
  g->committed = true;
  g->commit_site = e->site;
  g->op.end = position(e);
  if (!g->windowed)
    g->op.start = g->op.end;
}

/* The return value, at the return or before it at the commit; if both give one it must be the same. */
static void
take_return(again *a, const hd_event *e, gathered *g)
{
  hd_value v = e->nvalues ? e->values[0] : hd_nil();
  if (!refine_convert(&v, a->r->spec->methods[g->op.method].ret) || (g->ret_known && !hd_value_equal(v, g->op.ret)))
    a->unfit = true;
  else if (!g->ret_known)
    g->op.ret = value_own(v);
  g->ret_known = true;
}

static void
returned(again *a, const hd_event *e, gathered *g)
{
  take_return(a, e, g);
  g->returned = true;
  g->returned_at = a->n;
  g->finish = position(e);
  g->return_site = e->site;
  if (!g->committed)
    g->op.end = g->finish;
}

bool
again_event(again *a, const hd_event *e)
{
  if (a->unfit)
    return false;
  a->ticks += e->stamped && e->ticked;
  top *t = top_get(a, e->thread);
  gathered *g = t->index ? &a->ops[t->index - 1] : NULL;
  switch (e->kind)
  {
  case HD_K_CALL:
  case HD_K_CALL_NOCOMMIT:
    if (e->stamped)
      call(a, e, t);
    return !a->unfit;
  case HD_K_WINDOW:
    if (g && e->stamped)
      g->windowed = true, g->op.start = position(e);
    return true;
  case HD_K_COMMIT:
  case HD_K_COMMIT_RET:
    if (g && e->stamped)
      commit(a, e, g);
    if (g && e->stamped && e->kind == HD_K_COMMIT_RET)
      take_return(a, e, g);
    return true;
  case HD_K_RETURN:
    if (g && e->stamped)
    {
      returned(a, e, g);
      t->index = g->outer;
    }
    return true;
  case HD_K_ABANDON:
    if (g)
    {
      g->gone = true;
      t->index = g->outer;
    }
    return true;
  case HD_K_RETURN_EXC:
  case HD_K_COMMIT_EXC:
  case HD_K_MISUSE:
  case HD_K_INTERNAL_BEGIN:
    a->unfit = true; /* nothing that the usual objects do */
    return false;
  default:
    return true;
  }
}

/* ---- deciding ---- */

/* The operations as annotated. False: one of them is not of a kind that can be said. */
bool
again_annotated(const again *a, special_op *out, size_t *n)
{
  *n = 0;
  for (size_t i = 0; i < a->n; i++)
  {
    const gathered *g = &a->ops[i];
    if (!g->returned && g->committed)
      return false; /* it took effect, with a return that nobody knows */
    if (!g->returned && (g->observer || !g->windowed))
      continue; /* nobody can have seen it */
    if (g->returned && !g->committed && !g->observer && !g->nocommit)
      return false; /* it must have left the state as it was: not a thing that can be said here */
    out[*n] = g->op;
    out[(*n)++].pending = !g->returned;
  }
  return true;
}

static void
whole(const again *a, special_op *out, size_t *n)
{
  *n = 0;
  for (size_t i = 0; i < a->n; i++)
  {
    const gathered *g = &a->ops[i];
    if (!g->returned && g->observer)
      continue;
    out[*n] = g->op;
    out[*n].start = g->call;
    out[*n].end = g->finish;
    out[(*n)++].pending = !g->returned;
  }
}

static void
show(again *a, const gathered *g, bool failing)
{
  hd_value args[2];
  op o = again_op(g, args);
  finding_add_op(a->r, &a->r->result.finding, &o, failing, true);
}

void
again_put_answer(again *a, special_answer answer, const special_violation *why)
{
  hd_refine_result *result = &a->r->result;
  if (answer != SPECIAL_HOLDS && answer != SPECIAL_VIOLATED)
    return;
  free(result->incomplete);
  result->incomplete = NULL;
  result->checked_to = a->r->shown;
  result->verdict = answer == SPECIAL_HOLDS ? HD_HOLDS : HD_VIOLATED;
  if (answer == SPECIAL_HOLDS)
    return;
  hd_finding *f = &result->finding;
  *f = (hd_finding){.kind = HD_FOUND_ORDER,
                    .blame = HD_BLAME_IMPLEMENTATION,
                    .headline = text_printf("%s", why->sentence),
                    .explanation_minimal = why->alone,
                    .why = text_printf("no order of the operations explains what they returned")};
  for (size_t i = 0; i < why->nids; i++)
  {
    const gathered *g = &a->ops[why->ids[i]];
    show(a, g, i + 1 == why->nids);
    if (i + 1 == why->nids)
      f->position = g->finish;
  }
}

void
again_settle(again *a)
{
  hd_refine *r = a->r;
  const hd_log_object *object = hd_log_object_get(r->log, r->object);
  /* A tick that is not in the log may be an effect: then nothing is settled. */
  if (a->unfit || !object || a->ticks != object->ticks - object->first)
    return;
  special_op *ops = hd_alloc_array(a->n ? a->n : 1, sizeof *ops);
  size_t n = 0;
  special_options options = {.config = object->config, .nconfig = object->nconfig, .cancel = r->options.cancel};
  special_violation why;
  if (r->result.verdict == HD_INCOMPLETE)
  {
    special_answer answer = SPECIAL_NOT_FIT;
    if (special_fits(r) && again_annotated(a, ops, &n))
      answer = hd_special_decide(r->spec, ops, n, &options, &why);
    if (answer == SPECIAL_HOLDS || answer == SPECIAL_VIOLATED)
      again_put_answer(a, answer, &why);
    else
      again_settle_by_parts(a);
  }
  else
  {
    whole(a, ops, &n);
    hd_finding *f = &r->result.finding;
    if (special_fits(r) && hd_special_decide(r->spec, ops, n, &options, &why) == SPECIAL_VIOLATED)
    {
      f->blame = HD_BLAME_IMPLEMENTATION;
      free(f->why);
      f->why = text_printf(
          "no order of the operations, inside their calls and returns, explains what they returned: %s", why.sentence);
    }
    else
      again_settle_blame(a);
  }
  free(ops);
}
