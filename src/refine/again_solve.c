/* again_solve.c: what a second reading settles by search: with all operations at hand, from the object's first state.
 *
 * Whose fault a violation is that came late: the operations that concern the same parts of the object as the failing
 * one are put in order anew, over their calls and returns. And an object whose operations each concern one part: the
 * parts are independent, and one after the other they are small. */
#include "refine/again.h"

#include <stdlib.h>
#include <string.h>

/* The operation in the form that the rest of the engine uses. ARGS: room for two. */
op
again_op(const gathered *g, hd_value *args)
{
  args[0] = g->op.arg;
  args[1] = g->op.arg2;
  op o = {.number = g->op.id + 1,
          .returned_at = g->returned_at,
          .thread = g->thread,
          .method = g->op.method,
          .nargs = g->nargs,
          .args = args,
          .ret = g->op.ret,
          .slot = -1,
          .call = g->call / 2,
          .end = g->finish / 2,
          .call_site = g->call_site,
          .commit_site = g->commit_site,
          .return_site = g->return_site};
  o.flags = (g->call % 2 ? OP_CALL_TICKED : 0) | (g->finish % 2 ? OP_END_TICKED : 0);
  o.flags |= (g->returned ? OP_RETURNED | OP_RET_KNOWN : 0) | (g->nocommit ? OP_NOCOMMIT : 0);
  o.flags |= (g->observer ? OP_OBSERVER : 0) | (g->committed ? OP_COMMITTED : 0) | (g->windowed ? OP_WINDOW : 0);
  o.commit = g->committed ? g->op.end / 2 : 0;
  o.window = g->windowed ? g->op.start / 2 : 0;
  return o;
}

/* ---- whose fault, from the very beginning ---- */

#define MAX_SOLVED 1000000      /* operations */
#define SOLVE_STEPS 20000000ull /* applications of the specification */

/* Which operations concern the same parts of the object as the failing one, directly or through others. */
static void
mark_parts(const hd_refine *r, const op *ops, size_t n, size_t failing, bool *concerned)
{
  keyset parts, one;
  keyset_init(&parts);
  keyset_init(&one);
  hd_op view = op_view(&ops[failing]);
  bool all = !r->spec->key || !r->spec->key(&view, &parts.base);
  for (size_t before = 0; !all && before != parts.n;)
  {
    before = parts.n;
    for (size_t i = 0; i < n && !all; i++)
    {
      if (concerned[i])
        continue;
      keyset_clear(&one);
      view = op_view(&ops[i]);
      all = !r->spec->key(&view, &one.base);
      for (size_t k = 0; k < one.n && !concerned[i]; k++)
        concerned[i] = keyset_has(&parts, one.keys[k]);
      for (size_t k = 0; k < one.n && concerned[i]; k++)
        hd_touch(&parts.base, one.keys[k]);
    }
  }
  for (size_t i = 0; all && i < n; i++)
    concerned[i] = true;
  keyset_done(&parts);
  keyset_done(&one);
}

/* The operations over their calls and returns, as far as they matter at position UNTIL. */
static size_t
make_items(const again *a, op *ops, const bool *concerned, uint64_t until, item *items)
{
  size_t n = 0;
  for (size_t i = 0; i < a->n; i++)
  {
    const gathered *g = &a->ops[i];
    bool ended = g->returned && g->finish <= until;
    if (!concerned[i] || g->call > until || (g->observer && !ended))
      continue;
    items[n++] = (item){.op = &ops[i],
                        .low = g->call,
                        .high = g->finish,
                        .open_end = !ended,
                        .mode = g->observer ? MODE_OBSERVE
                                : ended     ? MODE_MUST
                                            : MODE_MAY};
  }
  return n;
}

void
again_settle_blame(again *a)
{
  hd_refine *r = a->r;
  hd_finding *f = &r->result.finding;
  size_t failing = SIZE_MAX;
  for (size_t i = 0; i < f->nops; i++)
    if (f->ops[i].failing)
      failing = (size_t) f->ops[i].number - 1;
  if (failing >= a->n || a->n > MAX_SOLVED)
    return;
  const gathered *bad = &a->ops[failing];
  uint64_t until = bad->returned && bad->finish > f->position ? bad->finish : f->position;
  op *ops = hd_alloc_array(a->n, sizeof *ops);
  hd_value(*args)[2] = hd_alloc_array(a->n, sizeof *args);
  bool *concerned = hd_alloc_zero(a->n);
  for (size_t i = 0; i < a->n; i++)
    ops[i] = again_op(&a->ops[i], args[i]);
  mark_parts(r, ops, a->n, failing, concerned);
  const hd_log_object *object = hd_log_object_get(r->log, r->object);
  void *state = r->spec->create(object ? object->config : NULL, object ? object->nconfig : 0);
  problem p = {.spec = r->spec,
               .state = state,
               .items = hd_alloc_array(a->n, sizeof *p.items),
               .budget = SOLVE_STEPS,
               .cancel = r->options.cancel,
               .strict = true};
  p.n = make_items(a, ops, concerned, until, p.items);
  answer strict = solve(&p);
  problem_clear_order(&p);
  p.strict = false;
  answer lenient = strict == ANSWER_NONE ? solve(&p) : strict;
  problem_clear_order(&p);
  if (strict == ANSWER_FITS || lenient == ANSWER_NONE)
  {
    bool wrong = lenient == ANSWER_NONE;
    f->blame = wrong ? HD_BLAME_IMPLEMENTATION : HD_BLAME_ANNOTATION;
    free(f->why);
    f->why = text_printf("%s order of %s operations, inside their calls and returns, explains what they returned",
                         wrong ? "no" : "another", wrong ? "the" : "the same");
  }
  r->spec->destroy(state);
  free(p.items);
  free(ops);
  free(args);
  free(concerned);
}

/* ---- part by part ---- */

/* An operation and the part of the object that it concerns, by the hash of the part's name. */
typedef struct placed
{
  uint64_t hash;
  size_t index;
} placed;

static int
by_part(const void *a, const void *b)
{
  const placed *x = a, *y = b;
  if (x->hash != y->hash)
    return x->hash < y->hash ? -1 : 1;
  return x->index < y->index ? -1 : x->index > y->index;
}

/* Each operation with its part; false: one of them concerns several, or all. Parts whose hashes are equal are judged
 * together, which is slower and as right. */
static bool
find_parts(const again *a, const op *ops, placed *list)
{
  if (!a->r->spec->key)
    return false;
  keyset one;
  keyset_init(&one);
  bool single = true;
  for (size_t i = 0; i < a->n && single; i++)
  {
    keyset_clear(&one);
    hd_op view = op_view(&ops[i]);
    single = a->r->spec->key(&view, &one.base) && one.n == 1;
    if (single)
      list[i] = (placed){hd_value_hash(one.keys[0]), i};
  }
  keyset_done(&one);
  return single;
}

/* Operation I as annotated. */
static item
annotated_item(const again *a, op *ops, size_t i)
{
  const gathered *g = &a->ops[i];
  bool point = g->committed && !g->windowed;
  return (item){.op = &ops[i],
                .low = g->observer ? g->call : g->op.start,
                .high = g->observer ? g->finish : g->op.end,
                .point = point,
                .open_end = !g->returned,
                .mode = g->observer   ? MODE_OBSERVE
                        : g->returned ? MODE_MUST
                                      : MODE_MAY};
}

static answer
solve_part(const again *a, op *ops, const placed *list, size_t n, uint64_t *budget)
{
  const hd_refine *r = a->r;
  const hd_log_object *object = hd_log_object_get(r->log, r->object);
  problem p = {.spec = r->spec,
               .state = r->spec->create(object ? object->config : NULL, object ? object->nconfig : 0),
               .items = hd_alloc_array(n, sizeof *p.items),
               .budget = *budget,
               .cancel = r->options.cancel};
  for (size_t i = 0; i < n; i++)
  {
    const gathered *g = &a->ops[list[i].index];
    if (g->returned || (!g->observer && g->windowed))
      p.items[p.n++] = annotated_item(a, ops, list[i].index);
  }
  answer result = solve(&p);
  *budget = p.budget;
  problem_clear_order(&p);
  r->spec->destroy((void *) (uintptr_t) p.state);
  free(p.items);
  return result;
}

/* The object's parts, one after the other: each is an object of its own (linearizability is local). */
void
again_settle_by_parts(again *a)
{
  special_op *unused = hd_alloc_array(a->n ? a->n : 1, sizeof *unused);
  size_t n;
  bool sayable = again_annotated(a, unused, &n);
  free(unused);
  if (!sayable || a->n > MAX_SOLVED)
    return;
  op *ops = hd_alloc_array(a->n, sizeof *ops);
  hd_value(*args)[2] = hd_alloc_array(a->n, sizeof *args);
  placed *list = hd_alloc_array(a->n, sizeof *list);
  for (size_t i = 0; i < a->n; i++)
    ops[i] = again_op(&a->ops[i], args[i]);
  uint64_t budget = SOLVE_STEPS;
  answer worst = ANSWER_STOPPED;
  const gathered *shown = NULL;
  if (find_parts(a, ops, list))
  {
    worst = ANSWER_FITS;
    qsort(list, a->n, sizeof *list, by_part);
    for (size_t i = 0, end; i < a->n && worst != ANSWER_NONE; i = end)
    {
      for (end = i + 1; end < a->n && list[end].hash == list[i].hash;)
        end++;
      answer part = solve_part(a, ops, list + i, end - i, &budget);
      if (part == ANSWER_NONE)
        shown = &a->ops[list[i].index];
      if (part != ANSWER_FITS)
        worst = part;
    }
  }
  if (worst == ANSWER_FITS || worst == ANSWER_NONE)
  {
    special_violation why = {.nids = 1};
    if (shown)
    {
      hd_string key = {0};
      hd_value_print(&key, shown->op.arg, 40);
      snprintf(why.sentence, sizeof why.sentence, "no order explains what the operations on %s returned", key.text);
      hd_string_free(&key);
      why.ids[0] = shown->op.id;
    }
    again_put_answer(a, worst == ANSWER_FITS ? SPECIAL_HOLDS : SPECIAL_VIOLATED, &why);
  }
  free(ops);
  free(args);
  free(list);
}
