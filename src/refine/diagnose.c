/* diagnose.c: whose fault is it, which annotation, and what is the shortest reason (docs/rules.md, section 6).
 *
 * 1. Run the operations of the tail again, each over [call, return] instead of its commit. If no order explains the
 * returns, the implementation is wrong. If one does, the commit annotation is suspect; if only one that inverts two
 *    looks of equal number does, the stamps cannot tell.
 * 2. Annotation suspect: the smallest set of commits that, widened, makes the check pass.
 * 3. The minimal explanation: operations are forgiven one by one (they may happen or not, with any return) as long as
 * there is still no order; what is left explains the failure. */
#include "refine/internal.h"

#include <stdlib.h>
#include <string.h>

#define DEFAULT_STEPS 500000
#define MAX_EXPLAINED 48 /* operations that the deletion pass is tried on */
#define MAX_SHOWN 12
#define MAX_RETURNS 32

typedef struct diagnosis
{
  hd_refine *r;
  op *failing;
  uint64_t until; /* position of the failure: what was called later does not matter */
  const checkpoint *start;
  op **ops; /* that took place from START to UNTIL, in the order of calls */
  size_t n, cap;
  uint64_t steps, budget;        /* applications of the specification: for one question, and left */
  hd_value returns[MAX_RETURNS]; /* that occur in the log */
  size_t nreturns;
  const keyset *keys; /* views: what must be explained */
} diagnosis;

/* ---- the operations in question ---- */

static bool
belongs(const diagnosis *d, const op *o)
{
  if ((o->flags & OP_INTERNAL) || op_call_position(o) > d->until)
    return false;
  if ((o->flags & OP_RETURNED) && o->end < d->start->gap)
    return false;
  if (d->start->quiescent || o == d->failing || o->call >= d->start->gap)
    return true;
  /* It was open where we start. If it had committed its effect is in the state, if it observes it may have been
   * satisfied. */
  return !op_observes(o) && !((o->flags & OP_COMMITTED) && o->commit < d->start->gap);
}

/* Numbers follow the order in which calls were read, which is each thread's own order. */
static int
by_call(const void *a, const void *b)
{
  const op *x = *(op *const *) a, *y = *(op *const *) b;
  if (op_call_position(x) != op_call_position(y))
    return op_call_position(x) < op_call_position(y) ? -1 : 1;
  return x->number < y->number ? -1 : x->number > y->number;
}

static void
gather(diagnosis *d, const checkpoint *start)
{
  d->start = start;
  d->n = 0;
  for (size_t i = 0; i < d->r->tail.n; i++)
    if (belongs(d, d->r->tail.ops[i]))
      HD_PUSH(d->ops, d->n, d->cap, d->r->tail.ops[i]);
  if (d->n)
    qsort(d->ops, d->n, sizeof *d->ops, by_call);
  d->nreturns = 0;
  for (size_t i = 0; i < d->n && d->nreturns < MAX_RETURNS; i++)
  {
    if (!(d->ops[i]->flags & OP_RET_KNOWN))
      continue;
    size_t k = 0;
    while (k < d->nreturns && !hd_value_equal(d->returns[k], d->ops[i]->ret))
      k++;
    if (k == d->nreturns)
      d->returns[d->nreturns++] = d->ops[i]->ret;
  }
}

/* The parts of the object that O concerns; false: all. */
static bool
parts_of(const hd_refine *r, const op *o, keyset *parts)
{
  hd_op view = op_view(o);
  return r->spec->key && r->spec->key(&view, &parts->base);
}

static bool
share_part(const hd_refine *r, const op *a, const op *b)
{
  keyset x, y;
  keyset_init(&x);
  keyset_init(&y);
  bool shared = !parts_of(r, a, &x) || !parts_of(r, b, &y);
  for (size_t i = 0; i < x.n && !shared; i++)
    shared = keyset_has(&y, x.keys[i]);
  keyset_done(&x);
  keyset_done(&y);
  return shared;
}

/* ---- intervals ---- */

static bool
ended_before(const op *o, uint64_t position)
{
  return (o->flags & OP_RETURNED) && op_end_position(o) <= position;
}

/* O over its whole length. False: it constrains nothing. */
static bool
whole_item(const diagnosis *d, op *o, item *it)
{
  bool ended = ended_before(o, d->until);
  if ((o->flags & OP_OBSERVER) && !ended)
    return false;
  *it = (item){.op = o,
               .low = op_call_position(o),
               .high = op_end_position(o),
               .open_end = !ended,
               .mode = o->flags & OP_OBSERVER ? MODE_OBSERVE
                       : ended                ? MODE_MUST
                                              : MODE_MAY};
  return true;
}

/* O as annotated. */
static bool
annotated_item(const diagnosis *d, op *o, item *it)
{
  bool ended = ended_before(o, d->until);
  if (op_observes(o))
  {
    if (!ended)
      return false;
    /* In the gaps from its call's to its return's. */
    *it = (item){.op = o, .low = 2 * o->call, .high = 2 * o->end, .mode = MODE_OBSERVE};
    return true;
  }
  bool committed = (o->flags & OP_COMMITTED) && tick_position(o->commit) <= d->until;
  if (o->flags & OP_WINDOW)
  {
    bool closed = committed || (ended && (o->flags & OP_NOCOMMIT));
    *it = (item){.op = o,
                 .low = tick_position(o->window),
                 .high = committed ? tick_position(o->commit) : op_end_position(o),
                 .open_end = !closed,
                 .mode = closed ? MODE_MUST : MODE_MAY};
    return tick_position(o->window) <= d->until;
  }
  *it = (item){
      .op = o, .low = tick_position(o->commit), .high = tick_position(o->commit), .point = true, .mode = MODE_MUST};
  return committed;
}

static bool
open_at(const op *o, uint64_t position)
{
  return !ended_before(o, position);
}

/* ---- asking ---- */

enum widening
{
  WIDEN_ALL,
  WIDEN_ENDED, /* views: what has not returned stays as annotated */
  WIDEN_SOME,  /* those in the list */
};

static bool
among(const op *o, op *const *list, size_t n)
{
  for (size_t i = 0; i < n; i++)
    if (list[i] == o)
      return true;
  return false;
}

static answer
ask(diagnosis *d, problem *p, enum widening widening, op *const *some, size_t nsome, bool strict)
{
  *p = (problem){.spec = d->r->spec,
                 .state = d->start->state,
                 .items = hd_alloc_array(d->n ? d->n : 1, sizeof(item)),
                 .strict = strict,
                 .keys = d->keys,
                 .replica = d->r->replica.r,
                 .budget = d->budget,
                 .cancel = d->r->options.cancel,
                 .returns = d->returns,
                 .nreturns = d->nreturns};
  for (size_t i = 0; i < d->n; i++)
  {
    op *o = d->ops[i];
    bool wide = widening == WIDEN_ALL || (widening == WIDEN_ENDED && !open_at(o, d->until))
                || (widening == WIDEN_SOME && among(o, some, nsome));
    if (wide ? whole_item(d, o, &p->items[p->n]) : annotated_item(d, o, &p->items[p->n]))
      p->n++;
  }
  answer a = solve(p);
  d->budget = p->budget;
  free(p->items);
  p->items = NULL;
  return a;
}

/* ---- where to start ----
 *
 * The longer the stretch, the more certain the answer and the longer the search: it is tried on the last operations
 * first, from a gap in which nothing was open, with the state that the annotated order gives there. */

typedef struct stretch
{
  checkpoint start;
  bool own; /* the state was made here */
} stretch;

static int
by_effect(const void *a, const void *b)
{
  const op *x = *(op *const *) a, *y = *(op *const *) b;
  uint64_t at_x = x->flags & OP_COMMITTED ? x->commit : x->end, at_y = y->flags & OP_COMMITTED ? y->commit : y->end;
  return at_x < at_y ? -1 : at_x > at_y;
}

/* The state in gap GAP if the operations since FROM took effect in the order of their commits; NULL: they cannot have.
 */
static void *
replay_to(const hd_refine *r, const checkpoint *from, uint64_t gap)
{
  op **list = hd_alloc_array(r->tail.n ? r->tail.n : 1, sizeof *list);
  size_t n = 0;
  for (size_t i = 0; i < r->tail.n; i++)
  {
    op *o = r->tail.ops[i];
    if ((o->flags & (OP_INTERNAL | OP_OBSERVER)) || !(o->flags & OP_RET_KNOWN) || op_observes(o))
      continue;
    uint64_t at = o->flags & OP_COMMITTED ? o->commit : o->end;
    if (at >= from->gap && at < gap)
      list[n++] = o;
  }
  qsort(list, n, sizeof *list, by_effect);
  void *state = r->spec->copy(from->state);
  bool ok = true;
  for (size_t i = 0; i < n && ok; i++)
  {
    hd_op view = op_view(list[i]);
    ok = r->spec->apply(state, &view, NULL) != HD_REJECT;
  }
  free(list);
  if (ok)
    return state;
  r->spec->destroy(state);
  return NULL;
}

/* The last gap that has at least WANTED operations behind it and in which nothing was open, or, if there is none among
 * twice as many, just a gap. 0: the operations are fewer. */
static uint64_t
gap_before(const diagnosis *d, size_t wanted, bool *quiescent)
{
  *quiescent = true;
  if (d->n <= wanted)
    return 0;
  /* Walk the operations from the latest call back; a gap just below a call is quiet if all earlier ones ended before
   * it. */
  uint64_t *latest_end = hd_alloc_array(d->n + 1, sizeof *latest_end); /* of the operations before the Ith */
  latest_end[0] = 0;
  for (size_t i = 0; i < d->n; i++)
  {
    uint64_t end = d->ops[i]->flags & OP_RETURNED ? d->ops[i]->end : UINT64_MAX;
    latest_end[i + 1] = latest_end[i] > end ? latest_end[i] : end;
  }
  uint64_t gap = 0;
  for (size_t i = d->n - wanted; i > 0 && d->n - i <= 2 * wanted && !gap; i--)
    if (latest_end[i] < d->ops[i]->call)
      gap = d->ops[i]->call;
  free(latest_end);
  if (gap)
    return gap;
  *quiescent = false;
  return d->ops[d->n - wanted]->call;
}

/* ---- 1. whose fault ---- */

typedef struct trial
{
  answer strict, lenient;
} trial;

static trial
try_orders(diagnosis *d)
{
  enum widening widening = d->keys ? WIDEN_ENDED : WIDEN_ALL;
  problem found = {0};
  trial t = {.strict = ask(d, &found, widening, NULL, 0, true)};
  problem_clear_order(&found);
  t.lenient = t.strict == ANSWER_NONE ? ask(d, &found, widening, NULL, 0, false) : t.strict;
  problem_clear_order(&found);
  return t;
}

/* Are the operations since START that concern the failing one few enough to be forgiven one by one? None is the failing
 * one where the states differ after a task or at the end of the log. */
static bool
fits_explanation(diagnosis *d, const checkpoint *start)
{
  gather(d, start);
  size_t n = 0;
  bool all = !d->failing || (d->failing->flags & OP_INTERNAL);
  for (size_t i = 0; i < d->n && n <= MAX_EXPLAINED; i++)
    n += d->ops[i] == d->failing
         || (!(d->ops[i]->flags & OP_OBSERVER) && (all || share_part(d->r, d->ops[i], d->failing)));
  return n <= MAX_EXPLAINED;
}

/* Try longer and longer stretches until one is explained, or the whole tail is not. Leaves D at the stretch that the
 * explanation should be made on. */
static hd_blame
blame(diagnosis *d, const checkpoint *whole, stretch *s, char **why)
{
  static const size_t lengths[] = {24, 96, 0};
  const char *what = d->keys ? "the state" : "what they returned";
  size_t explained = 0; /* operations of the longest stretch that has no order */
  bool ties = false, whole_fails = false;
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
  {
    checkpoint start = *whole;
    bool own = false;
    gather(d, whole);
    if (lengths[i])
    {
      bool quiescent;
      uint64_t gap = gap_before(d, lengths[i], &quiescent);
      void *state = gap > whole->gap ? replay_to(d->r, whole, gap) : NULL;
      if (!state)
        continue; /* the whole tail is the next one */
      start = (checkpoint){.valid = true, .quiescent = quiescent, .gap = gap, .state = state};
      own = true;
    }
    d->budget = d->steps;
    gather(d, &start);
    trial t = try_orders(d);
    bool none = t.lenient == ANSWER_NONE;
    /* The explanation is made on the shortest stretch without an order, a repair on the one with one. */
    if ((none && !explained) || t.strict == ANSWER_FITS || !s->start.valid)
    {
      if (s->own)
        d->r->spec->destroy(s->start.state);
      *s = (stretch){.start = start, .own = own};
    }
    else if (own)
      d->r->spec->destroy(start.state);
    if (t.strict == ANSWER_FITS)
    {
      gather(d, &s->start);
      *why = blame_text(HD_BLAME_ANNOTATION, true, d->keys != NULL);
      return HD_BLAME_ANNOTATION;
    }
    ties |= t.lenient == ANSWER_FITS;
    if (none)
      explained = d->n;
    whole_fails |= none && start.quiescent && start.gap == whole->gap && whole->quiescent;
  }
  if (whole_fails && fits_explanation(d, whole))
  {
    /* Nothing need be taken as given. */
    if (s->own)
      d->r->spec->destroy(s->start.state);
    *s = (stretch){.start = *whole};
  }
  gather(d, &s->start);
  if (whole_fails)
  {
    *why = blame_text(HD_BLAME_IMPLEMENTATION, true, d->keys != NULL);
    return HD_BLAME_IMPLEMENTATION;
  }
  if (ties)
    *why = ties_text();
  else if (explained)
    *why = hd_text(
        "no order of the last %zu operations explains %s; an earlier commit may be at fault, but more orders than "
        "could be tried are possible there",
        explained, what);
  else
    *why = hd_text("more orders are possible than could be tried");
  return HD_BLAME_UNDECIDED;
}

/* ---- 2. which annotation ---- */

static bool
has_commit(const diagnosis *d, const op *o)
{
  return !(o->flags & (OP_OBSERVER | OP_NOCOMMIT)) && op_call_position(o) <= d->until;
}

static void
set_repairs(diagnosis *d, op *const *ops, size_t n, const problem *found)
{
  hd_finding *f = &d->r->result.finding;
  f->repairs = hd_alloc_array(n, sizeof *f->repairs);
  f->nrepairs = n;
  hd_string s = {0};
  for (size_t i = 0; i < n; i++)
  {
    const op *o = ops[i];
    f->repairs[i] = o->number;
    size_t place = 0;
    while (place < found->norder && found->order[place] != o)
      place++;
    bool placed = place < found->norder;
    char *what = describe_op(d->r, o);
    char *at = describe_place(d->r, o->commit_site ? o->commit_site : o->return_site);
    if (s.text)
      hd_string_add(&s, "; ");
    if (!(o->flags & OP_COMMITTED))
      hd_string_printf(&s, "%s (thread %u) changed the object without a commit: mark it before its return at %s", what,
                       o->thread, at);
    else if (placed && found->order_gap[place] <= o->commit)
      hd_string_printf(
          &s,
          "%s (thread %u) took effect before its commit at %s (tick %llu): open a window (HD_WINDOW) before "
          "its effect, before tick %llu at the latest",
          what, o->thread, at, (unsigned long long) o->commit, (unsigned long long) found->order_gap[place]);
    else
      hd_string_printf(
          &s,
          "%s (thread %u) took effect after its commit at %s (tick %llu): the commit comes too early; move it "
          "behind the effect and open a window (HD_WINDOW) before it",
          what, o->thread, at, (unsigned long long) o->commit);
    free(what);
    free(at);
  }
  free(f->suggestion);
  f->suggestion = s.text;
}

static bool
try_repair(diagnosis *d, op *const *ops, size_t n)
{
  problem p;
  bool fits = ask(d, &p, WIDEN_SOME, ops, n, true) == ANSWER_FITS;
  if (fits)
    set_repairs(d, ops, n, &p);
  problem_clear_order(&p);
  return fits;
}

static void
find_repair(diagnosis *d)
{
  op **candidates = hd_alloc_array(d->n ? d->n : 1, sizeof *candidates);
  size_t n = 0;
  for (size_t i = d->n; i-- > 0;)
    if (has_commit(d, d->ops[i]))
      candidates[n++] = d->ops[i];
  bool done = false;
  for (size_t i = 0; i < n && !done && d->budget; i++)
    done = try_repair(d, &candidates[i], 1);
  /* Pairs and triples among the latest: more than one is rare. */
  size_t near = n < 16 ? n : 16;
  for (size_t i = 0; i < near && !done && d->budget; i++)
    for (size_t k = i + 1; k < near && !done && d->budget; k++)
      done = try_repair(d, (op *[]){candidates[i], candidates[k]}, 2);
  for (size_t i = 0; i < near && !done && d->budget; i++)
    for (size_t k = i + 1; k < near && !done && d->budget; k++)
      for (size_t l = k + 1; l < near && !done && d->budget; l++)
        done = try_repair(d, (op *[]){candidates[i], candidates[k], candidates[l]}, 3);
  free(candidates);
}

/* ---- 3. the minimal explanation ---- */

/* Can the failure be explained if those with FORGIVEN set may happen or not, with any return? */
static answer
ask_forgiven(diagnosis *d, const bool *forgiven, const bool *dropped, bool whole)
{
  problem p = {.spec = d->r->spec,
               .state = d->start->state,
               .items = hd_alloc_array(d->n ? d->n : 1, sizeof(item)),
               .budget = d->budget,
               .cancel = d->r->options.cancel,
               .returns = d->returns,
               .nreturns = d->nreturns};
  for (size_t i = 0; i < d->n; i++)
  {
    item *it = &p.items[p.n];
    if (dropped[i] || !(whole ? whole_item(d, d->ops[i], it) : annotated_item(d, d->ops[i], it)))
      continue;
    if (forgiven[i])
    {
      if (it->mode == MODE_OBSERVE)
        continue;
      it->any = true;
      it->mode = MODE_MAY;
      if (it->point)
      {
        it->point = false;
        it->low--; /* an instant: from just before its tick to the tick */
      }
    }
    p.n++;
  }
  answer a = solve(&p);
  d->budget = p.budget;
  free(p.items);
  problem_clear_order(&p);
  return a;
}

/* What an operation has to do with the failing one: shares an argument with it or, if it has none, its return. */
static bool
related(const op *o, const op *failing)
{
  uint32_t n = failing->nargs ? failing->nargs : 1;
  for (uint32_t i = 0; i < n; i++)
  {
    hd_value v = failing->nargs ? failing->args[i] : failing->ret;
    if (v.type == HD_NIL || v.type == HD_BOOL)
      continue;
    for (uint32_t k = 0; k <= o->nargs; k++)
      if (hd_value_equal(k < o->nargs ? o->args[k] : o->ret, v))
        return true;
  }
  return false;
}

static void
explain(diagnosis *d, bool whole)
{
  hd_refine *r = d->r;
  hd_finding *f = &r->result.finding;
  bool *forgiven = hd_alloc_zero(d->n + 1), *dropped = hd_alloc_zero(d->n + 1);
  /* Observers other than the failing one never change the state, operations on other parts of the object do not concern
   * it. */
  size_t left = 0;
  for (size_t i = 0; i < d->n; i++)
  {
    op *o = d->ops[i];
    dropped[i] = o != d->failing && ((o->flags & OP_OBSERVER) || !share_part(r, o, d->failing));
    left += !dropped[i];
  }
  if (ask_forgiven(d, forgiven, dropped, whole) != ANSWER_NONE)
    memset(dropped, 0, d->n); /* the parts depend on each other after all */
  bool minimal = left <= MAX_EXPLAINED;
  /* With too many to try one by one, those that share nothing with the failing one go first, all at once. */
  if (!minimal)
  {
    for (size_t i = 0; i < d->n; i++)
      forgiven[i] = d->ops[i] != d->failing && !related(d->ops[i], d->failing);
    left = 0;
    for (size_t i = 0; i < d->n; i++)
      left += !dropped[i] && !forgiven[i];
    if (left > MAX_EXPLAINED || ask_forgiven(d, forgiven, dropped, whole) != ANSWER_NONE)
      memset(forgiven, 0, d->n);
    else
      minimal = true;
  }
  if (minimal)
    for (size_t i = d->n; i-- > 0;)
    {
      if (dropped[i] || forgiven[i] || d->ops[i] == d->failing)
        continue;
      forgiven[i] = true;
      answer a = ask_forgiven(d, forgiven, dropped, whole);
      if (a != ANSWER_NONE)
        forgiven[i] = false;
      if (a == ANSWER_STOPPED)
        minimal = false;
    }
  f->explanation_minimal = minimal;
  /* Show the explanation, the failing one last at the latest, and beside it what shares a value with it. */
  size_t shown = 0;
  bool *show = hd_alloc_zero(d->n + 1);
  for (size_t i = 0; i < d->n; i++)
    if (d->ops[i] == d->failing || (minimal && !dropped[i] && !forgiven[i]))
      show[i] = true, shown++;
  for (size_t i = d->n; i-- > 0 && shown < MAX_SHOWN;)
    if (!show[i] && d->failing && related(d->ops[i], d->failing))
      show[i] = true, shown++;
  for (size_t i = 0; i < d->n; i++)
    if (show[i])
      finding_add_op(r, f, d->ops[i], d->ops[i] == d->failing,
                     d->ops[i] == d->failing || (minimal && !dropped[i] && !forgiven[i]));
  free(show);
  free(forgiven);
  free(dropped);
}

/* ---- the witness: the order in which the shown operations committed ---- */

static int
by_commit(const void *a, const void *b)
{
  const hd_op_info *x = *(hd_op_info *const *) a, *y = *(hd_op_info *const *) b;
  return x->commit < y->commit ? -1 : x->commit > y->commit;
}

static void
number_witness(hd_finding *f)
{
  hd_op_info **list = hd_alloc_array(f->nops ? f->nops : 1, sizeof *list);
  size_t n = 0;
  for (size_t i = 0; i < f->nops; i++)
    if (f->ops[i].committed && !f->ops[i].observer)
      list[n++] = &f->ops[i];
  qsort(list, n, sizeof *list, by_commit);
  for (size_t i = 0; i < n; i++)
    list[i]->witness = i + 1;
  free(list);
}

/* ---- the two entrances ---- */

static uint64_t
first_tick(const hd_refine *r)
{
  const hd_log_object *object = hd_log_object_get(r->log, r->object);
  return object ? object->first : 0;
}

static uint64_t
steps_allowed(const hd_refine *r)
{
  return r->options.max_steps ? r->options.max_steps : DEFAULT_STEPS;
}

static char *
no_start(const hd_refine *r)
{
  if (r->options.no_diagnosis)
    return NULL;
  if (!r->spec->copy)
    return hd_text("the specification has no copy(), so other orders could not be tried");
  return hd_text("several states were possible for so long that the operations before are forgotten");
}

void
diagnose(hd_refine *r, op *failing)
{
  hd_finding *f = &r->result.finding;
  hd_finding_kind kind = f->kind;
  bool by_search = kind == HD_FOUND_COMMIT || kind == HD_FOUND_OBSERVER || kind == HD_FOUND_ORDER;
  const checkpoint *start = r->tail.old.valid ? &r->tail.old : r->tail.fresh.valid ? &r->tail.fresh : NULL;
  if (by_search && failing && start)
  {
    diagnosis d = {.r = r, .failing = failing, .until = f->position, .steps = steps_allowed(r)};
    if ((failing->flags & OP_RETURNED) && op_end_position(failing) > d.until)
      d.until = op_end_position(failing); /* its own return is what has to be explained */
    stretch s = {0};
    f->blame = blame(&d, start, &s, &f->why);
    d.budget = d.steps;
    if (f->blame == HD_BLAME_ANNOTATION)
      find_repair(&d);
    d.budget = d.steps;
    /* Unless it is certain that no order exists, what is certain is what the annotations say. */
    explain(&d, f->blame == HD_BLAME_IMPLEMENTATION);
    f->explained_from = s.start.gap > first_tick(r) ? s.start.gap : 0;
    if (s.own)
      r->spec->destroy(s.start.state);
    free(d.ops);
  }
  else
  {
    if (by_search)
    {
      f->blame = HD_BLAME_UNDECIDED;
      f->why = no_start(r);
    }
    else if (kind == HD_FOUND_INVARIANT)
    {
      f->blame = HD_BLAME_IMPLEMENTATION;
      f->why = hd_text("the state rebuilt from the log breaks the invariant between two atomic steps");
    }
    else if (kind == HD_FOUND_OLD_VALUE || kind == HD_FOUND_OVERLAP)
    {
      f->blame = HD_BLAME_UNDECIDED;
      f->why = hd_text("either a lock is missing in the implementation or the annotation of a write is");
    }
    if (failing)
      finding_add_op(r, f, failing, true, true);
  }
  number_witness(f);
}

/* ---- views ---- */

bool
diagnose_view_begin(hd_refine *r, op *failing, hd_finding_kind kind, uint64_t position)
{
  hd_finding *f = finding_make(r, kind, position, failing);
  r->result.verdict = HD_VIOLATED;
  r->aftermath.active = true;
  r->aftermath.failing = failing;
  keyset_init(&r->aftermath.keys);
  for (size_t i = 0; i < f->ndifferences; i++)
    hd_touch(&r->aftermath.keys.base, f->differences[i].key);
  for (size_t i = 0; i < r->tail.n; i++)
  {
    op *o = r->tail.ops[i];
    if (op_call_position(o) < f->position && !(o->flags & OP_GONE) && !ended_before(o, f->position))
      HD_PUSH(r->aftermath.open, r->aftermath.nopen, r->aftermath.open_cap, o);
  }
  return true;
}

bool
diagnose_view_ready(const hd_refine *r)
{
  for (size_t i = 0; i < r->aftermath.nopen; i++)
  {
    const op *o = r->aftermath.open[i];
    if (!(o->flags & OP_ENDED) || (!(o->flags & OP_GONE) && o->end >= r->base))
      return false;
  }
  return true;
}

/* Operations that touch one of the keys that differ, the writers, and the one at whose commit it showed. */
static void
show_view_ops(hd_refine *r, hd_finding *f, op *failing)
{
  size_t shown = 0;
  bool *show = hd_alloc_zero(r->tail.n + 1);
  for (size_t i = r->tail.n; i-- > 0 && shown < MAX_SHOWN;)
  {
    op *o = r->tail.ops[i];
    bool wanted = o == failing;
    for (size_t k = 0; k < f->ndifferences && !wanted; k++)
      for (size_t w = 0; w < f->differences[k].nwriters && !wanted; w++)
        wanted = f->differences[k].writers[w].op == o->number;
    if (!wanted && !(o->flags & (OP_INTERNAL | OP_OBSERVER)) && op_call_position(o) <= f->position)
    {
      keyset parts;
      keyset_init(&parts);
      if (parts_of(r, o, &parts))
        wanted = keyset_has(&parts, f->differences[0].key);
      keyset_done(&parts);
    }
    if (wanted)
      show[i] = true, shown++;
  }
  for (size_t i = 0; i < r->tail.n; i++)
    if (show[i])
      finding_add_op(r, f, r->tail.ops[i], r->tail.ops[i] == failing, true);
  free(show);
}

void
diagnose_view_end(hd_refine *r)
{
  hd_finding *f = &r->result.finding;
  op *failing = r->aftermath.failing;
  r->aftermath.active = false;
  r->decided = true;
  const checkpoint *start = r->tail.old.valid ? &r->tail.old : r->tail.fresh.valid ? &r->tail.fresh : NULL;
  if (start && !r->options.no_diagnosis)
  {
    diagnosis d = {.r = r,
                   .failing = failing,
                   .until = look_position(r->base),
                   .steps = steps_allowed(r),
                   .keys = &r->aftermath.keys};
    stretch s = {0};
    f->blame = blame(&d, start, &s, &f->why);
    d.budget = d.steps;
    if (f->blame == HD_BLAME_ANNOTATION)
      find_repair(&d);
    if (f->blame == HD_BLAME_ANNOTATION && !f->suggestion)
      f->suggestion
          = hd_text("the states agree again at tick %llu: a commit block is too small, or a commit stands at the "
                    "wrong end of it",
                    (unsigned long long) r->base);
    if (s.own)
      r->spec->destroy(s.start.state);
    free(d.ops);
  }
  else
  {
    f->blame = HD_BLAME_UNDECIDED;
    f->why = no_start(r);
  }
  show_view_ops(r, f, failing);
  number_witness(f);
  keyset_done(&r->aftermath.keys);
  free(r->aftermath.open);
  r->aftermath.open = NULL;
  r->aftermath.nopen = r->aftermath.open_cap = 0;
}
