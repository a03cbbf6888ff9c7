/* explain.c: why a property is false: the parts that made it so, with their values. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "mttl/monitor.h"

enum
{
  DEEP = 12 /* lines within lines */
};

void
hd_mttl_print_value(hd_string *out, hd_mttl_value v)
{
  switch (v.type)
  {
  case HD_MTTL_BOOL:
    hd_string_add(out, v.number ? "true" : "false");
    break;
  case HD_MTTL_INT:
    hd_string_printf(out, "%" PRId64, v.number);
    break;
  case HD_MTTL_REAL:
    hd_string_printf(out, "%.15g", v.real);
    break;
  case HD_MTTL_STRING:
    hd_string_printf(out, "\"%s\"", v.text);
    break;
  case HD_MTTL_LOC:
    if (v.size)
      hd_string_printf(out, "%u byte%s at 0x%" PRIx64, v.size, v.size == 1 ? "" : "s", (uint64_t) v.number);
    else
      hd_string_add(out, "none");
    break;
  case HD_MTTL_UNDEFINED:
    hd_string_add(out, "undefined");
    break;
  }
}

void
hd_mttl_print_source(hd_string *out, const char *text, size_t n)
{
  bool quoted = false, blank = false;
  for (size_t i = 0; i < n; i++)
  {
    if (!quoted && (text[i] == '#' || (text[i] == '/' && i + 1 < n && text[i + 1] == '/')))
      while (i < n && text[i] != '\n')
        i++;
    if (i == n)
      break;
    if (!quoted && strchr(" \t\n\r\v\f", text[i]))
    {
      blank = true;
      continue;
    }
    if (blank)
      hd_string_add(out, " ");
    blank = false;
    if (text[i] == '\\' && quoted && i + 1 < n)
      hd_string_add_n(out, &text[i++], 1);
    else if (text[i] == '"')
      quoted = !quoted;
    hd_string_add_n(out, &text[i], 1);
  }
}

typedef struct explaining
{
  hd_string *out;
  hd_mttl_thread *t;
  uint32_t slots[HD_MTTL_SLOTS];
  bool *asked; /* by thread: the explanation speaks of it */
} explaining;

static void explain(explaining *x, const hd_mttl_node *n, int depth);

/* Is N what an event does, here or elsewhere? */
static bool
is_op(const hd_mttl_monitor *m, const hd_mttl_node *n)
{
  while (n->kind == HD_MTTL_REMOTE)
    n = m->f->cells[n->index].a;
  return n->kind == HD_MTTL_OP;
}

static void
line(explaining *x, const hd_mttl_node *n, int depth, const char *note)
{
  hd_string_printf(x->out, "%*s", 2 * depth, "");
  hd_mttl_print_source(x->out, n->text, n->length);
  hd_string_add(x->out, ": ");
  const hd_mttl_monitor *m = x->t->m;
  hd_mttl_value v = hd_mttl_evaluate(m, x->t, n, x->slots);
  if (v.type == HD_MTTL_LOC && v.size && m->print_location)
    m->print_location(m->context, x->out, (uint64_t) v.number, v.size);
  else if (v.type == HD_MTTL_INT && is_op(m, n))
    hd_string_add(x->out, v.number == HD_MTTL_R ? "R" : v.number == HD_MTTL_W ? "W" : "none");
  else
    hd_mttl_print_value(x->out, v);
  hd_string_printf(x->out, "%s\n", note);
}

/* The thread for which the body of N is what makes N so; 0: none in particular. */
static uint32_t
deciding(explaining *x, const hd_mttl_node *n)
{
  const hd_mttl_knowledge *k = x->t->k;
  bool forall = n->kind == HD_MTTL_FORALL;
  for (uint32_t who = 1; who <= k->nthreads; who++)
  {
    if (!hd_mttl_entry_of(k, who - 1) || (n->tid.kind == HD_MTTL_SLOT && x->slots[n->tid.index] == who))
      continue;
    x->slots[n->index] = who;
    if ((hd_mttl_evaluate(x->t->m, x->t, n->a, x->slots).number != 0) != forall)
      return who;
  }
  x->slots[n->index] = 0;
  return 0;
}

static void
speak_of(explaining *x, uint32_t who)
{
  if (who > 0 && who <= x->t->k->nthreads)
    x->asked[who - 1] = true;
}

/* All threads that are asked in N, which is not gone into. */
static void
speak_of_all(explaining *x, const hd_mttl_node *n)
{
  if (!n)
    return;
  if (n->kind == HD_MTTL_REMOTE)
    speak_of(x, hd_mttl_thread_of(x->t->m, n->tid, x->slots));
  if (n->kind == HD_MTTL_REMOTE || n->kind == HD_MTTL_TEMPORAL)
  {
    speak_of_all(x, x->t->m->f->cells[n->index].a);
    speak_of_all(x, x->t->m->f->cells[n->index].b);
  }
  speak_of_all(x, n->a);
  speak_of_all(x, n->b);
}

static void
explain_parts(explaining *x, const hd_mttl_node *n, int depth)
{
  bool value = hd_mttl_evaluate(x->t->m, x->t, n, x->slots).number != 0;
  bool a = n->a && hd_mttl_evaluate(x->t->m, x->t, n->a, x->slots).number != 0;
  bool b = n->b && hd_mttl_evaluate(x->t->m, x->t, n->b, x->slots).number != 0;
  switch (n->kind)
  {
  case HD_MTTL_AND: /* false: what is false is to blame */
    if (value || !a)
      explain(x, n->a, depth);
    if (value || (!b && a))
      explain(x, n->b, depth);
    break;
  case HD_MTTL_OR:
    if (!value || a)
      explain(x, n->a, depth);
    if (!value || (b && !a))
      explain(x, n->b, depth);
    break;
  default:
    explain(x, n->a, depth); /* where there is one */
    explain(x, n->b, depth);
    break;
  }
}

static void
explain(explaining *x, const hd_mttl_node *n, int depth)
{
  if (!n || depth > DEEP || (depth > 0 && n->kind == HD_MTTL_CONST))
    return;
  if (n->kind == HD_MTTL_FORALL || n->kind == HD_MTTL_EXISTS)
  {
    uint32_t who = deciding(x, n), before = x->slots[n->index];
    hd_string note = {0};
    if (who)
      hd_string_printf(&note, ", because of thread %u", who - 1);
    x->slots[n->index] = 0;
    line(x, n, depth, note.text ? note.text : "");
    x->slots[n->index] = before;
    hd_string_free(&note);
    speak_of(x, who);
    if (who)
      explain(x, n->a, depth + 1);
    x->slots[n->index] = 0;
    return;
  }
  line(x, n, depth, n->kind == HD_MTTL_REMOTE ? " (as far as is known here)" : "");
  if (n->kind != HD_MTTL_REMOTE && n->kind != HD_MTTL_TEMPORAL)
    explain_parts(x, n, depth + 1);
  else
    speak_of_all(x, n);
}

/* The answer: whom the explanation speaks of. */
static HD_GIVE bool *
explain_property(hd_string *out, hd_mttl_thread *t, const hd_mttl_property *property)
{
  const hd_mttl_cell *cell = &t->m->f->cells[property->cell];
  explaining x = {.out = out, .t = t, .asked = hd_alloc_zero(t->k->nthreads)};
  if (cell->self >= 0)
    x.slots[cell->self] = t->number + 1;
  explain(&x, cell->a, 0);
  return x.asked;
}

void
hd_mttl_explain(hd_string *out, hd_mttl_thread *t, const hd_mttl_property *property)
{
  free(explain_property(out, t, property));
}

static int
by_clock(const void *a, const void *b)
{
  uint64_t x = ((const hd_mttl_witness *) a)->origin->clock, y = ((const hd_mttl_witness *) b)->origin->clock;
  return x < y ? -1 : x > y;
}

size_t
hd_mttl_witnesses(hd_mttl_thread *t, const hd_mttl_property *property, hd_mttl_witness *out, size_t max)
{
  hd_string text = {0};
  hd_mttl_settle(t);
  if (t->light)
    hd_mttl_catch_up(t, 0);
  bool *asked = explain_property(&text, t, property);
  size_t n = 0;
  for (uint32_t i = 0; i < t->k->nthreads && n < max; i++)
  {
    bool own = i == t->number;
    const hd_mttl_entry *e = hd_mttl_entry_of(t->k, i);
    const hd_mttl_origin *origin = own && t->unpublished ? &t->origin : e ? &e->origin : NULL;
    if ((asked[i] || own) && origin && origin->clock > 0)
      out[n++] = (hd_mttl_witness){i, origin};
  }
  qsort(out, n, sizeof *out, by_clock);
  free(asked);
  hd_string_free(&text);
  return n;
}
