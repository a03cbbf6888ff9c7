/* brute.c: reading the operations of a trace and trying all orders of them. */
#include "script/brute.h"

#include <stdlib.h>

#include "base/base.h"

static uint64_t
position(const trace_record *r)
{
  return 2 * (uint64_t) r->stamp + r->ticked;
}

static model_return
return_of(const trace_record *r, bool exceptional)
{
  return (model_return){r->nvalues ? r->values[0] : hd_nil(), exceptional};
}

bool
brute_read(brute_log *log, const trace *t)
{
  /* What each thread has open: indices of operations; internal tasks are -1. */
  int open[TRACE_THREADS][TRACE_DEPTH];
  unsigned depth[TRACE_THREADS] = {0};
  *log = (brute_log){.model = t->model};
  for (unsigned i = 0; i < t->n; i++)
  {
    const trace_record *r = &t->record[i];
    brute_op *o = depth[r->thread] && open[r->thread][depth[r->thread] - 1] >= 0
                      ? &log->ops[open[r->thread][depth[r->thread] - 1]]
                      : NULL;
    switch (r->kind)
    {
    case HD_K_CALL:
    case HD_K_CALL_NOCOMMIT:
      if (log->n == BRUTE_OPS)
        return false;
      log->ops[log->n] = (brute_op){.record = i,
                                    .thread = r->thread,
                                    .method = r->method,
                                    .args = r->values,
                                    .observer = t->model->methods[r->method].role == HD_OBSERVER,
                                    .nocommit = r->kind == HD_K_CALL_NOCOMMIT,
                                    .call = position(r)};
      open[r->thread][depth[r->thread]++] = (int) log->n++;
      break;
    case HD_K_INTERNAL_BEGIN:
      open[r->thread][depth[r->thread]++] = -1;
      break;
    case HD_K_RETURN:
    case HD_K_RETURN_EXC:
      o->returned = o->knows_return = true;
      o->ret = return_of(r, r->kind == HD_K_RETURN_EXC);
      o->end = position(r);
      o->end_record = i;
      depth[r->thread]--;
      break;
    case HD_K_INTERNAL_END:
    case HD_K_ABANDON:
      depth[r->thread]--;
      break;
    case HD_K_WINDOW:
      o->window = true;
      o->window_at = position(r);
      break;
    case HD_K_COMMIT:
    case HD_K_COMMIT_RET:
    case HD_K_COMMIT_EXC:
      if (o->observer)
        break;
      o->committed = true;
      o->commit_at = position(r);
      if (r->kind != HD_K_COMMIT)
      {
        o->knows_return = true;
        o->ret = return_of(r, r->kind == HD_K_COMMIT_EXC);
      }
      break;
    default:
      break;
    }
  }
  return true;
}

/* ---- intervals ---- */

typedef struct element
{
  const brute_op *op;
  uint64_t low, high;
  bool must, same, any; /* has to happen; must change nothing; with any return */
} element;

static bool
wide_element(const brute_op *o, uint64_t until, element *e)
{
  bool ended = o->returned && o->end <= until;
  *e = (element){.op = o, .low = o->call, .high = ended ? o->end : UINT64_MAX, .must = ended, .same = o->observer};
  return ended || !o->observer;
}

static bool
annotated_element(const brute_op *o, uint64_t until, element *e)
{
  bool ended = o->returned && o->end <= until;
  bool committed = o->committed && o->commit_at <= until;
  if (o->observer || (o->returned && !o->committed && !o->nocommit))
  {
    /* The gap of a position is half of it, also that of a return that ticked. */
    *e = (element){.op = o, .low = o->call & ~1ull, .high = o->end & ~1ull, .must = true, .same = true};
    return ended;
  }
  if (o->nocommit && !o->committed)
  {
    *e = (element){.op = o, .low = o->call, .high = ended ? o->end : UINT64_MAX, .must = ended};
    return o->call <= until;
  }
  if (o->window)
  {
    *e = (element){.op = o, .low = o->window_at, .high = committed ? o->commit_at : UINT64_MAX, .must = committed};
    return o->window_at <= until;
  }
  *e = (element){.op = o, .low = o->commit_at, .high = o->commit_at, .must = true};
  return committed;
}

/* Must A have its place before B? */
static bool
before(const element *a, const element *b, bool ties)
{
  if (a->high != b->low)
    return a->high < b->low;
  if (a->op->thread == b->op->thread)
    return a->op->returned && a->op->end_record < b->op->record;
  /* Two that begin and end with the same look: nobody can say. */
  return !ties && a->high != UINT64_MAX && !(a->low == a->high && b->low == b->high);
}

/* ---- trying ---- */

typedef struct visit
{
  uint32_t placed;
  bool used;
  model_state state;
} visit;

typedef struct attempt
{
  const model *model;
  size_t n;
  element elements[BRUTE_OPS];
  uint32_t predecessors[BRUTE_OPS], successors[BRUTE_OPS], must;
  visit *visited;
  size_t nvisited, size;
} attempt;

static bool
visit_first(attempt *a, uint32_t placed, const model_state *s)
{
  if (a->nvisited * 2 >= a->size)
  {
    size_t old_size = a->size;
    visit *old = a->visited;
    a->size = old_size ? 2 * old_size : 256;
    a->nvisited = 0;
    a->visited = hd_alloc_zero(a->size * sizeof *a->visited);
    for (size_t i = 0; i < old_size; i++)
      if (old[i].used)
        visit_first(a, old[i].placed, &old[i].state);
    free(old);
  }
  size_t i = hd_mix(hd_hash_bytes(s, sizeof *s) + placed) & (a->size - 1);
  for (; a->visited[i].used; i = (i + 1) & (a->size - 1))
    if (a->visited[i].placed == placed && memcmp(&a->visited[i].state, s, sizeof *s) == 0)
      return false;
  a->visited[i] = (visit){.placed = placed, .used = true, .state = *s};
  a->nvisited++;
  return true;
}

static bool go_on(attempt *a, uint32_t placed, const model_state *s);

static bool
place(attempt *a, size_t i, uint32_t placed, const model_state *s)
{
  const element *e = &a->elements[i];
  model_return returns[MODEL_OUTCOMES] = {e->op->ret};
  size_t n = 1;
  if (e->any || !e->op->knows_return)
  {
    hd_value values[MODEL_OUTCOMES];
    n = a->model->outcomes(s, e->op->method, e->op->args, values);
    for (size_t k = 0; k < n; k++)
      returns[k] = (model_return){values[k], false};
  }
  for (size_t k = 0; k < n; k++)
  {
    model_state next = *s;
    hd_step step = a->model->apply(&next, e->op->method, e->op->args, returns[k]);
    if (step != HD_REJECT && !(e->same && step == HD_CHANGED) && go_on(a, placed | 1u << i, &next))
      return true;
  }
  return false;
}

static bool
go_on(attempt *a, uint32_t placed, const model_state *s)
{
  if ((placed & a->must) == a->must)
    return true;
  if (!visit_first(a, placed, s))
    return false;
  for (size_t i = 0; i < a->n; i++)
    if (!(placed >> i & 1) && !(a->predecessors[i] & a->must & ~placed) && !(a->successors[i] & placed)
        && place(a, i, placed, s))
      return true;
  return false;
}

bool
brute_order_exists(const brute_log *log, const brute_question *q)
{
  attempt a = {.model = log->model};
  for (size_t i = 0; i < log->n; i++)
  {
    const brute_op *o = &log->ops[i];
    element *e = &a.elements[a.n];
    if (o->call > q->until || !(q->wide >> i & 1 ? wide_element(o, q->until, e) : annotated_element(o, q->until, e)))
      continue;
    if (q->forgiven >> i & 1)
    {
      if (e->same)
        continue;
      e->must = false;
      e->any = true;
    }
    a.n++;
  }
  for (size_t i = 0; i < a.n; i++)
  {
    a.must |= (uint32_t) a.elements[i].must << i;
    for (size_t k = 0; k < a.n; k++)
      if (i != k && before(&a.elements[k], &a.elements[i], q->ties))
      {
        a.predecessors[i] |= 1u << k;
        a.successors[k] |= 1u << i;
      }
  }
  model_state s = {0};
  bool found = go_on(&a, 0, &s);
  free(a.visited);
  return found;
}

/* ---- as a script ---- */

static const char *const words[HD_K_COUNT] = {
    [HD_K_CALL] = "call",
    [HD_K_CALL_NOCOMMIT] = "nocommit",
    [HD_K_RETURN] = "return",
    [HD_K_RETURN_EXC] = "raise",
    [HD_K_COMMIT] = "commit",
    [HD_K_COMMIT_RET] = "commit ret",
    [HD_K_COMMIT_EXC] = "commit raise",
    [HD_K_WINDOW] = "window",
    [HD_K_BLOCK_BEGIN] = "block",
    [HD_K_BLOCK_END] = "end",
    [HD_K_WRITE] = "write",
    [HD_K_WRITE_OLD] = "write",
    [HD_K_FREE_WRITE] = "write",
    [HD_K_FREE_WRITE_OLD] = "write",
    [HD_K_INTERNAL_BEGIN] = "task compress",
    [HD_K_INTERNAL_END] = "endtask",
    [HD_K_OBJECT_END] = "destroy",
    [HD_K_ABANDON] = "abandon",
};

void
brute_print_script(hd_string *out, const trace *t)
{
  for (size_t i = 0; i < t->n; i++)
  {
    const trace_record *r = &t->record[i];
    HD_CHECK(words[r->kind] != NULL);
    hd_string_printf(out, "T%u %s%s", r->thread, words[r->kind],
                     (r->kind == HD_K_RETURN || r->kind == HD_K_RETURN_EXC) && r->ticked ? "!" : "");
    if (r->kind == HD_K_CALL || r->kind == HD_K_CALL_NOCOMMIT)
      hd_string_printf(out, " %s", t->model->methods[r->method].name);
    for (unsigned v = 0; v < r->nvalues; v++)
    {
      hd_string_add(out, " ");
      hd_value_print(out, r->values[v], 40);
    }
    hd_string_add(out, "\n");
  }
}
