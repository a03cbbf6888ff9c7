/* trace.c: reads a counterexample: which assertion fails, the way to it, and what the variables are on this way. */
#include <stdlib.h>
#include <string.h>

#include "vc/internal.h"

enum
{
  MOST_VALUE = 200 /* bytes of a value that are shown */
};

/* A list of constants to ask for, and the answers. */
typedef struct inquiry
{
  const hd_smt_term **terms;
  size_t n, cap;
  const hd_smt_sexp *answers; /* the list of pairs, or NULL */
} inquiry;

static void
ask_for(condition *c, inquiry *q, const hd_smt_term *t, const uint8_t *used)
{
  if (t && t->op == HD_SMT_APPLY && t->nargs == 0 && used[t->symbol->id])
    ADD(c, q->terms, q->n, q->cap, t);
}

static bool
inquire(hd_smt_solver *s, hd_arena *arena, inquiry *q)
{
  hd_string text = {0};
  for (size_t i = 0; i < q->n; i++)
  {
    hd_string_add(&text, i ? " " : "");
    hd_smt_print_name(&text, q->terms[i]->symbol->name);
  }
  const char *got = q->n ? hd_smt_solver_values(s, text.text) : NULL;
  hd_string_free(&text);
  const hd_smt_sexp *list = got ? hd_smt_parse(arena, &got) : NULL;
  q->answers = list && !list->word && list->n == q->n ? list : NULL;
  return q->answers;
}

static const hd_smt_sexp *
answer(const inquiry *q, const hd_smt_term *t)
{
  for (size_t i = 0; q->answers && i < q->n; i++)
    if (q->terms[i] == t)
    {
      const hd_smt_sexp *pair = &q->answers->items[i];
      return !pair->word && pair->n == 2 ? &pair->items[1] : NULL;
    }
  return NULL;
}

/* ---- the way ---- */

typedef struct truths /* by term: true in the model */
{
  uint8_t *is_true;
} truths;

static bool
holds(const truths *m, const hd_smt_term *t)
{
  return t && (t->op == HD_SMT_TRUE || m->is_true[t->id]);
}

static bool
read_truths(condition *c, hd_smt_solver *s, hd_arena *arena, const uint8_t *used, truths *m)
{
  inquiry q = {0};
  for (size_t i = 0; i < c->nassertions; i++)
    ask_for(c, &q, c->steps[i].fail, used);
  for (size_t i = 0; i < c->norder; i++)
  {
    const node *v = &c->nodes[c->order[i]];
    ask_for(c, &q, v->reach, used);
    for (size_t j = 0; j < v->nto; j++)
      ask_for(c, &q, v->edges[j].taken, used);
  }
  if (!inquire(s, arena, &q))
    return false;
  m->is_true = hd_vc_alloc(c, hd_smt_size(c->u));
  for (size_t i = 0; i < q.n; i++)
  {
    const hd_smt_sexp *pair = &q.answers->items[i];
    const hd_smt_sexp *value = !pair->word && pair->n == 2 ? &pair->items[1] : NULL;
    m->is_true[q.terms[i]->id] = value && value->word && strcmp(value->word, "true") == 0;
  }
  return true;
}

/* Follow the way from the start to the assertion that fails, which is the fact *LAST of the last node. */
static bool
follow(condition *c, const truths *m, uint32_t *way, size_t *n, size_t *last)
{
  uint32_t at = 0;
  *n = 0;
  for (;;)
  {
    const node *v = &c->nodes[at];
    way[(*n)++] = at;
    for (size_t i = 0; i < v->nfacts; i++)
      if (v->facts[i].assertion != NOT_AN_INSTANCE && holds(m, c->steps[v->facts[i].assertion].fail))
      {
        *last = i;
        return true;
      }
    size_t next = SIZE_MAX;
    for (size_t i = 0; i < v->nto && next == SIZE_MAX; i++)
    {
      const node *s = &c->nodes[v->to[i]];
      bool taken = v->edges[i].taken ? holds(m, v->edges[i].taken)
                   : s->reach        ? holds(m, s->reach)
                                     : s->formula->op != HD_SMT_FALSE;
      if (taken)
        next = i;
    }
    if (next == SIZE_MAX)
      return false;
    at = v->to[next];
  }
}

/* ---- values ---- */

static const char *
keep(hd_arena *arena, const char *text)
{
  size_t n = strlen(text) + 1;
  return memcpy(hd_arena_alloc(arena, n), text, n);
}

static void
add_value(hd_arena *arena, hd_vc_value *values, size_t *n, const char *name, const hd_smt_term *t, const inquiry *q)
{
  hd_string text = {0};
  const hd_smt_sexp *x = answer(q, t);
  const char *literal = t->text;
  if (!x && t->op == HD_SMT_NUMBER)
    x = hd_smt_parse(arena, &literal);
  if (x)
    hd_smt_show_value(&text, x, MOST_VALUE);
  else if (t->op == HD_SMT_MINUS)
    hd_string_printf(&text, "-%s", t->args[0]->text);
  else if (t->op == HD_SMT_TRUE || t->op == HD_SMT_FALSE)
    hd_string_add(&text, t->op == HD_SMT_TRUE ? "true" : "false");
  else
    return; /* the condition does not depend on it */
  values[(*n)++] = (hd_vc_value){.name = keep(arena, name), .value = keep(arena, text.text)};
  hd_string_free(&text);
}

/* Change X is the last of its instance among those of V before N. */
static bool
is_last(const node *v, size_t x, size_t n)
{
  for (size_t i = x + 1; i < n; i++)
    if (v->changes[i].instance == v->changes[x].instance)
      return false;
  return true;
}

/* What V's changes give, at its end or before its fact FACTS. */
static void
add_values(condition *c, hd_arena *arena, hd_vc_step *step, const node *v, size_t facts, const inquiry *q)
{
  size_t n = 0;
  while (n < v->nchanges && v->changes[n].facts <= facts)
    n++;
  step->values = hd_arena_alloc(arena, (n + 1) * sizeof *step->values);
  for (size_t i = 0; i < n; i++)
    if (c->instances[v->changes[i].instance].shown && is_last(v, i, n))
      add_value(arena, step->values, &step->nvalues, c->instances[v->changes[i].instance].name, v->changes[i].term, q);
}

/* The statements of V, at its end or before its fact FACTS, with what each of them changes. */
static void
add_lines(condition *c, hd_arena *arena, hd_vc_step *step, const node *v, size_t facts, const inquiry *q)
{
  size_t n = 0;
  while (n < v->nmarks && v->marks[n].facts <= facts)
    n++;
  bool before = v->nchanges && (!n || v->marks[0].changes); /* changes that belong to no statement */
  step->lines = hd_arena_alloc(arena, (n + 1) * sizeof *step->lines);
  for (size_t i = 0; i < n + before; i++)
  {
    const mark *m = i < before ? NULL : &v->marks[i - before];
    size_t first = m ? m->changes : 0, end = i + 1 < n + before ? v->marks[i + 1 - before].changes : v->nchanges;
    hd_vc_line line = {0};
    if (m)
      line = (hd_vc_line){.at = m->at, .loop = m->loop, .inlined = m->inlined ? keep(arena, m->inlined) : NULL};
    while (end > first && v->changes[end - 1].facts > facts)
      end--;
    line.values = hd_arena_alloc(arena, (end - first + 1) * sizeof *line.values);
    for (size_t k = first; k < end; k++)
      if (is_last(v, k, end))
        add_value(arena, line.values, &line.nvalues, c->instances[v->changes[k].instance].name, v->changes[k].term, q);
    if (!m || !m->silent)
      step->lines[step->nlines++] = line;
  }
}

bool
hd_vc_trace(condition *c, hd_smt_solver *s, hd_arena *arena, hd_vc_failure *failure, uint32_t *assertion)
{
  hd_vc_show(c);
  uint8_t *used = hd_smt_used(c->u, c->asserted, c->nasserted);
  uint32_t *way = hd_vc_alloc(c, c->norder * sizeof *way);
  size_t n = 0, last = 0;
  truths m;
  bool good = read_truths(c, s, arena, used, &m) && follow(c, &m, way, &n, &last);
  inquiry q = {0};
  for (size_t i = 0; good && i < n; i++)
    for (size_t j = 0; j < c->nodes[way[i]].nchanges; j++)
      ask_for(c, &q, c->nodes[way[i]].changes[j].term, used);
  free(used);
  if (!good)
    return false;
  inquire(s, arena, &q);
  *assertion = c->nodes[way[n - 1]].facts[last].assertion;
  hd_vc_assertion *copy = hd_arena_alloc(arena, sizeof *copy);
  *copy = c->assertions[*assertion];
  if (copy->inlined)
    copy->inlined = keep(arena, copy->inlined);
  *failure = (hd_vc_failure){.assertion = copy, .at = copy->at};
  failure->steps = hd_arena_alloc(arena, n * sizeof *failure->steps);
  for (size_t i = 0; i < n; i++)
  {
    const node *v = &c->nodes[way[i]];
    hd_vc_step step = {.at = v->shown_at, .label = v->shown_label ? keep(arena, v->shown_label) : NULL};
    add_values(c, arena, &step, v, i + 1 < n ? SIZE_MAX : last, &q);
    add_lines(c, arena, &step, v, i + 1 < n ? SIZE_MAX : last, &q);
    if (step.label || step.nvalues || step.nlines)
      failure->steps[failure->nsteps++] = step;
    if (v->returns && copy->reason == HD_BOOGIE_POSTCONDITION)
      failure->at = v->return_at;
  }
  return true;
}

/* ---- order ---- */

static int
compare_places(hd_boogie_place a, hd_boogie_place b)
{
  if (a.line != b.line)
    return a.line < b.line ? -1 : 1;
  return a.column < b.column ? -1 : a.column > b.column;
}

static int
compare(const void *p, const void *q)
{
  const hd_vc_failure *a = p, *b = q;
  int order = compare_places(a->at, b->at);
  if (!order && a->nsteps != b->nsteps)
    order = a->nsteps < b->nsteps ? -1 : 1;
  for (size_t i = 0; !order && i < a->nsteps; i++)
    order = compare_places(a->steps[i].at, b->steps[i].at);
  if (!order && a->assertion->message && b->assertion->message)
    order = strcmp(a->assertion->message, b->assertion->message);
  return order ? order : compare_places(a->assertion->related, b->assertion->related);
}

void
hd_vc_sort_failures(hd_vc_failure *failures, size_t n)
{
  if (n)
    qsort(failures, n, sizeof *failures, compare);
}
