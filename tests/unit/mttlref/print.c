/* print.c: executions for people, formulas for the parser. */
#include <inttypes.h>

#include "mttlref/mttlref.h"

void
ref_print_trace(hd_string *out, const ref_trace *t)
{
  static const char *const words[] = {"set local", "enter f", "read x", "write x", "release m", "replace m",
                                      "acquire m", "create ", "start ", "exit ",   "join "};
  hd_string_printf(out, "%u threads, the first %u from the start; x0=%" PRId64 " x1=%" PRId64 " x2=%" PRId64 "\n",
                   t->nthreads, t->from_start, t->shared[0], t->shared[1], t->shared[2]);
  for (size_t i = 0; i < t->n; i++)
  {
    const ref_event *e = &t->events[i];
    hd_string_printf(out, "  t%u: %s%u", e->thread, words[e->kind], e->target);
    if (e->kind == REF_WRITE || e->kind == REF_INTERNAL)
      hd_string_printf(out, e->value.undefined ? " undefined" : " = %" PRId64, e->value.number);
    hd_string_add(out, "\n");
  }
}

typedef struct printer
{
  hd_string *out;
  const ref_trace *t;
  bool names;
} printer;

static void
print_thread(printer *p, int who)
{
  if (who < 100)
    hd_string_printf(p->out, "t%d", who);
  else if (p->names && (uint32_t) who - 100 < p->t->from_start)
    hd_string_printf(p->out, "name%d", who - 100);
  else
    hd_string_printf(p->out, "%d", who - 100);
}

static void print(printer *p, const ref_node *n);

static void
between(printer *p, const ref_node *n, const char *sign)
{
  hd_string_add(p->out, "(");
  print(p, n->a);
  hd_string_printf(p->out, " %s ", sign);
  print(p, n->b);
  hd_string_add(p->out, ")");
}

static void
before(printer *p, const ref_node *n, const char *sign)
{
  hd_string_printf(p->out, "(%s ", sign);
  print(p, n->a);
  hd_string_add(p->out, ")");
}

static void
print(printer *p, const ref_node *n)
{
  static const char *const words[] = {
      [REF_TRUE] = "true",
      [REF_FALSE] = "false",
      [REF_NOT] = "!",
      [REF_AND] = "&&",
      [REF_OR] = "||",
      [REF_IMPLIES] = "->",
      [REF_IFF] = "<->",
      [REF_PREV] = "prev",
      [REF_ONCE] = "once",
      [REF_ALWAYS] = "always",
      [REF_SINCE] = "since",
      [REF_FORALL] = "forall",
      [REF_EXISTS] = "exists",
      [REF_READS] = "read(x",
      [REF_WRITES] = "write(x",
      [REF_LOCKS] = "lock(m",
      [REF_UNLOCKS] = "unlock(m",
      [REF_ENTERS] = "at(f",
      [REF_LIVES] = "alive",
      [REF_LOCAL_BOOL] = "b",
      [REF_EQ] = "==",
      [REF_NE] = "!=",
      [REF_LT] = "<",
      [REF_LE] = "<=",
      [REF_GT] = ">",
      [REF_GE] = ">=",
      [REF_BOOL_EQ] = "==",
      [REF_BOOL_NE] = "!=",
      [REF_LOC_EQ] = "==",
      [REF_LOC_NE] = "!=",
      [REF_LOCAL_INT] = "a",
      [REF_EVENT_OP] = "op",
      [REF_ADD] = "+",
      [REF_SUB] = "-",
      [REF_MUL] = "*",
      [REF_DIV] = "/",
      [REF_REM] = "%",
      [REF_NEG] = "-",
      [REF_LOC] = "loc",
  };
  switch (n->op)
  {
  case REF_TRUE:
  case REF_FALSE:
  case REF_LIVES:
  case REF_LOCAL_BOOL:
  case REF_LOCAL_INT:
  case REF_EVENT_OP:
  case REF_LOC:
    hd_string_add(p->out, words[n->op]);
    break;
  case REF_SHARED_BOOL:
  case REF_SHARED_INT:
    hd_string_printf(p->out, "x%d", n->index);
    break;
  case REF_NUMBER:
    hd_string_printf(p->out, "%d", n->index);
    break;
  case REF_READS:
  case REF_WRITES:
  case REF_LOCKS:
  case REF_UNLOCKS:
  case REF_ENTERS:
    hd_string_printf(p->out, "%s%d)", words[n->op], n->index);
    break;
  case REF_FORALL:
  case REF_EXISTS:
    hd_string_printf(p->out, "(%s t%d", words[n->op], n->index);
    if (n->who >= 0)
      hd_string_printf(p->out, " != t%d", n->who);
    hd_string_add(p->out, ": ");
    print(p, n->a);
    hd_string_add(p->out, ")");
    break;
  case REF_AT_FORMULA:
  case REF_AT_NUMBER:
  case REF_AT_LOC:
    hd_string_add(p->out, "@");
    print_thread(p, n->who);
    hd_string_add(p->out, "(");
    print(p, n->a);
    hd_string_add(p->out, ")");
    break;
  case REF_NOT:
  case REF_PREV:
  case REF_ONCE:
  case REF_ALWAYS:
  case REF_NEG:
    before(p, n, words[n->op]);
    break;
  default:
    between(p, n, words[n->op]);
    break;
  }
}

void
ref_print_file(hd_string *out, const ref_file *f, const ref_trace *t)
{
  printer p = {out, t, f->names};
  hd_string_printf(out, "shared int x0 = %" PRId64 ", x1 = %" PRId64 "; shared bool x2 = %" PRId64 ";\n", t->shared[0],
                   t->shared[1], t->shared[2]);
  hd_string_printf(out, "local int a = %" PRId64 "; local bool b = %" PRId64 ";\n", t->local[0], t->local[1]);
  for (uint32_t i = 0; f->names && i < t->from_start; i++)
    hd_string_printf(out, "thread name%u = \"start %u\";\n", i, i);
  for (size_t i = 0; i < f->nproperties; i++)
  {
    hd_string_printf(out, "property p%zu: ", i);
    if (f->owner[i] == 0)
      hd_string_add(out, "forall t0: ");
    hd_string_add(out, "@");
    print_thread(&p, f->owner[i]);
    hd_string_add(out, "(");
    print(&p, f->body[i]);
    hd_string_add(out, ") report each;\n");
  }
}
