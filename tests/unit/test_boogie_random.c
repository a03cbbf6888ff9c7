/* test_boogie_random.c: random programs. What a grammar makes is printed and read back as the same; blocks made from
 * structured code have the executions that the structured code has, found by trying all choices in both; and copies of
 * a program's parts print as the originals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "boogie/boogie.h"

static uint64_t seed;

static size_t
pick(size_t n)
{
  return (size_t) (hd_random(&seed) % n);
}

/* ---- random well-typed programs ---- */
typedef enum sort
{
  INT,
  BOOL,
  MAP, /* [int]bool */
  REAL,
  BITS /* bv8 */
} sort;

static void expression(hd_string *s, sort t, unsigned depth);

static void
operands(hd_string *s, sort t, const char *op, unsigned depth)
{
  hd_string_add(s, "(");
  expression(s, t, depth);
  hd_string_printf(s, " %s ", op);
  expression(s, t, depth);
  hd_string_add(s, ")");
}

static void
leaf(hd_string *s, sort t)
{
  static const char *const leaves[][4] = {
      [INT] = {"g", "12345678901234567890", "c", "x"},
      [BOOL] = {"true", "b", "false", "p"},
      [MAP] = {"m", "k", "m[1 := b]", "k"},
      [REAL] = {"1.5", "2e-3", "r", "r"},
      [BITS] = {"7bv8", "v", "v", "(2bv4 ++ v[6:2])"},
  };
  hd_string_add(s, leaves[t][pick(4)]);
}

static void
int_expression(hd_string *s, unsigned depth)
{
  static const char *const ops[] = {"+", "-", "*", "div", "mod"};
  switch (pick(6))
  {
  case 0:
    hd_string_add(s, "-");
    expression(s, INT, depth);
    break;
  case 1:
    hd_string_add(s, "f(");
    expression(s, INT, depth);
    hd_string_add(s, ", ");
    expression(s, BOOL, depth);
    hd_string_add(s, ")");
    break;
  case 2:
    hd_string_add(s, "int(");
    expression(s, REAL, depth);
    hd_string_add(s, ")");
    break;
  case 3:
    hd_string_add(s, "(if ");
    expression(s, BOOL, depth);
    hd_string_add(s, " then ");
    expression(s, INT, depth);
    hd_string_add(s, " else ");
    expression(s, INT, depth);
    hd_string_add(s, ")");
    break;
  case 4:
    hd_string_add(s, "open(wrap(");
    expression(s, INT, depth);
    hd_string_add(s, ") : Box int)");
    break;
  default:
    operands(s, INT, ops[pick(5)], depth);
  }
}

static void
quantifier(hd_string *s, unsigned depth)
{
  static unsigned number; /* nested ones must not use one name twice */
  unsigned n = number++;
  hd_string_printf(s, "(%s {:a %u} q%u: int, z%u: %s :: {:weight 3} ", pick(2) ? "forall" : "exists", n, n, n,
                   pick(2) ? "T" : "<a>[Box a]a");
  if (pick(2))
    hd_string_printf(s, "{ f(q%u, z%u != z%u) } ", n, n, n);
  hd_string_printf(s, "q%u > ", n);
  expression(s, INT, depth);
  hd_string_add(s, ")");
}

static void
bool_expression(hd_string *s, unsigned depth)
{
  static const char *const logic[] = {"&&", "||", "==>", "<==>", "<=="}, *const relations[]
                                                                         = {"<", "<=", ">", ">=", "==", "!="};
  switch (pick(7))
  {
  case 0:
    hd_string_add(s, "!");
    expression(s, BOOL, depth);
    break;
  case 1:
    operands(s, BOOL, logic[pick(5)], depth);
    break;
  case 2:
    operands(s, pick(2) ? INT : REAL, relations[pick(6)], depth);
    break;
  case 3:
    operands(s, pick(2) ? MAP : BITS, relations[4 + pick(2)], depth);
    break;
  case 4:
    expression(s, MAP, depth);
    hd_string_add(s, "[");
    expression(s, INT, depth);
    hd_string_add(s, "]");
    break;
  case 5:
    quantifier(s, depth);
    break;
  default:
    hd_string_add(s, "old(");
    expression(s, BOOL, depth);
    hd_string_add(s, ")");
  }
}

static void
expression(hd_string *s, sort t, unsigned depth)
{
  if (!depth || !pick(4))
    leaf(s, t);
  else if (t == INT)
    int_expression(s, depth - 1);
  else if (t == BOOL)
    bool_expression(s, depth - 1);
  else if (t == MAP)
  {
    hd_string_add(s, "(lambda i: int :: ");
    leaf(s, BOOL);
    hd_string_add(s, " || i == 3)[");
    expression(s, INT, depth - 1);
    hd_string_add(s, " := ");
    expression(s, BOOL, depth - 1);
    hd_string_add(s, "]");
  }
  else if (t == REAL)
    operands(s, REAL, pick(2) ? "/" : "**", depth - 1);
  else
    leaf(s, t);
}

static void
statement(hd_string *s, unsigned depth)
{
  switch (pick(10))
  {
  case 0:
    hd_string_add(s, "assert {:layer 1, 2} ");
    expression(s, BOOL, 3);
    break;
  case 1:
    hd_string_add(s, "m[");
    expression(s, INT, 2);
    hd_string_add(s, "], y := ");
    expression(s, BOOL, 2);
    hd_string_add(s, ", ");
    expression(s, INT, 2);
    break;
  case 2:
    hd_string_add(s, "havoc g, b");
    break;
  case 3:
    hd_string_add(s, "call {:t} y := P(");
    expression(s, INT, 2);
    hd_string_add(s, ", p)");
    break;
  case 4:
    hd_string_add(s, pick(2) ? "async call Q()" : "par y := P(x, p) | Q()");
    break;
  case 5:
    hd_string_add(s, "yield");
    break;
  case 6:
    hd_string_add(s, "if (");
    expression(s, BOOL, 2);
    hd_string_add(s, ") {\n");
    for (size_t i = pick(3); depth && i; i--)
      statement(s, depth - 1);
    hd_string_add(s, pick(2) ? "} else {}\n" : "}\n");
    return;
  case 7:
    hd_string_add(s, "while (*) invariant true; free invariant {:x} p; {\n");
    for (size_t i = pick(3); depth && i; i--)
      statement(s, depth - 1);
    hd_string_add(s, pick(2) ? "break; }\n" : "}\n");
    return;
  case 8:
    hd_string_add(s, "assume ");
    expression(s, BOOL, 4);
    break;
  default:
    hd_string_add(s, "y := ");
    expression(s, INT, 3);
  }
  hd_string_add(s, ";\n");
}

static void
program(hd_string *s)
{
  hd_string_add(s, "type T; type Box a; type S = [int]bool; type {:datatype} D;\n"
                   "function {:constructor} C(first: int, second: S): D; const unique c: int; const k: S;\n"
                   "var {:layer 0, 9} g: int; var b: bool where b; var m: S; var r: real; var v: bv8;\n"
                   "function f(i: int, j: bool): int; function wrap<a>(x: a): Box a; function open<a>(x: Box a): a;\n");
  hd_string_add(s, "function {:inline} h(x: int, p: bool): int { ");
  hd_string_add(s, pick(2) ? "x + 1 }\n" : "(if p then x else f(x, !p)) }\n");
  hd_string_add(s, "function e(x: int): bool { x == first#C(C(x, k)) && is#C(C(x, k)) }\naxiom e(c);\n");
  hd_string_add(
      s, "procedure {:yields} Q();\nprocedure {:yields} {:layer 1} P({:linear \"d\"} x: int, p: bool) returns (y: "
         "int);\n  requires ");
  hd_string_add(s, "p;\n  modifies g, b, m;\n  ensures ");
  expression(s, BOOL, 4);
  hd_string_add(s, ";\nimplementation {:yields} P(x: int, p: bool) returns (y: int)\n{\n  var l: <a>[Box a]a;\n");
  for (size_t i = pick(6); i; i--)
    statement(s, 2);
  hd_string_add(s, "}\n");
}

static hd_boogie_program *
read_or_fail(uint64_t start, const hd_string *text)
{
  hd_boogie_options options = {0};
  hd_boogie_messages m = {0};
  hd_boogie_program *p = hd_boogie_read_text("random.bpl", text->text, text->length, &options, &m);
  if (!p)
  {
    hd_string out = {0};
    hd_boogie_messages_print(&m, &out);
    fail_msg("seed %llu: %s\n%s", (unsigned long long) start, out.text, text->text);
  }
  hd_boogie_messages_free(&m);
  return p;
}

/* Every implementation and procedure of P copied: the copies print the same. */
static void
check_copies(uint64_t start, hd_boogie_program *p)
{
  hd_boogie_subst *s = hd_boogie_subst_new();
  for (size_t i = 0, n = p->decls.n; i < n; i++)
  {
    hd_boogie_decl d = p->decls.items[i], copy = d;
    hd_string a = {0}, b = {0};
    if (d.kind == HD_BOOGIE_DECL_PROC)
      copy.proc = hd_boogie_copy_proc(p, d.proc, d.proc->name, s);
    else if (d.kind == HD_BOOGIE_DECL_IMPL)
      copy.impl = hd_boogie_copy_impl(p, d.impl, d.impl->name, d.impl->proc, NULL, s);
    else
      continue;
    hd_boogie_print_decl(&d, &a);
    hd_boogie_print_decl(&copy, &b);
    if (strcmp(a.text, b.text) != 0)
      fail_msg("seed %llu: the copy differs\n%s\n%s", (unsigned long long) start, a.text, b.text);
    hd_string_free(&a);
    hd_string_free(&b);
  }
  hd_boogie_subst_free(s);
}

static void
test_round_trip(void **state)
{
  (void) state;
  for (uint64_t start = 1; start <= 400; start++)
  {
    hd_string text = {0}, first = {0}, second = {0};
    seed = start;
    program(&text);
    hd_boogie_program *p = read_or_fail(start, &text);
    hd_boogie_print_program(p, &first);
    hd_boogie_program *q = read_or_fail(start, &first);
    hd_boogie_print_program(q, &second);
    if (strcmp(first.text, second.text) != 0)
      fail_msg("seed %llu:\n%s\n%s", (unsigned long long) start, first.text, second.text);
    check_copies(start, p);
    hd_boogie_program_free(p);
    hd_boogie_program_free(q);
    hd_string_free(&text);
    hd_string_free(&first);
    hd_string_free(&second);
  }
}

/* ---- blocks against structured code ---- */
enum
{
  CHOICES = 7, /* bits that decide where an execution goes */
  STEPS = 60
};

typedef struct run
{
  unsigned bits, used, steps;
  char trace[STEPS + 1]; /* a letter for each assert */
} run;

typedef enum outcome
{
  ON,
  LEFT, /* by break */
  RETURNED,
  CUT /* no choices or steps left */
} outcome;

static bool
choose(run *r, bool *cut)
{
  *cut = r->used == CHOICES;
  return !*cut && (r->bits >> r->used++ & 1);
}

static bool
step(run *r, const hd_boogie_cmds *cmds)
{
  for (size_t i = 0; i < cmds->n; i++)
  {
    if (r->steps == STEPS)
      return false;
    if (cmds->items[i]->kind == HD_BOOGIE_ASSERT)
      r->trace[r->steps++] = (char) ('a' + atoi(cmds->items[i]->expr->args.items[0]->u.lit.text));
  }
  return true;
}

static outcome execute(run *r, const hd_boogie_stmts *stmts, const char **leave);

/* A break arrives at B's statement. */
static bool
arrives(const hd_boogie_big_block *b, const char *label)
{
  return label ? !strcmp(label, b->label) : b->structured->kind == HD_BOOGIE_WHILE;
}

static outcome
execute_structured(run *r, const hd_boogie_big_block *b, const char **leave)
{
  const hd_boogie_structured *s = b->structured;
  outcome o = ON;
  bool cut;
  if (s->kind == HD_BOOGIE_BREAK)
  {
    *leave = s->label;
    return LEFT;
  }
  if (s->kind == HD_BOOGIE_WHILE)
    while (o == ON && choose(r, &cut))
      o = execute(r, s->body, leave);
  else
    for (; s; s = s->else_if)
    {
      if (choose(r, &cut))
      {
        o = execute(r, s->body, leave);
        break;
      }
      if (!cut && s->else_body)
        o = execute(r, s->else_body, leave);
    }
  if (r->used == CHOICES)
    return CUT;
  return o == LEFT && arrives(b, *leave) ? ON : o;
}

static outcome
execute(run *r, const hd_boogie_stmts *stmts, const char **leave)
{
  for (size_t i = 0; i < stmts->blocks.n; i++)
  {
    const hd_boogie_big_block *b = stmts->blocks.items[i];
    if (!step(r, &b->cmds))
      return CUT;
    if (b->transfer)
      return RETURNED;
    outcome o = b->structured ? execute_structured(r, b, leave) : ON;
    if (o != ON)
      return o;
  }
  return ON;
}

static outcome
execute_blocks(run *r, const hd_boogie_block *b)
{
  for (;;)
  {
    if (!step(r, &b->cmds) || r->used == CHOICES)
      return CUT;
    if (b->transfer.kind == HD_BOOGIE_RETURN)
      return RETURNED;
    bool cut;
    size_t n = b->transfer.targets.n;
    b = b->transfer.targets.items[n == 2 && choose(r, &cut)];
  }
}

/* Statements inside the one labelled AROUND - 1, if there is one. */
static void
skeleton(hd_string *s, unsigned depth, unsigned *labels, bool inside, unsigned around)
{
  for (size_t i = 1 + pick(3); i; i--)
  {
    hd_string_printf(s, "assert 0 < %zu;", pick(20));
    size_t kind = depth ? pick(5) : 4;
    unsigned label = (*labels)++;
    bool labelled = kind < 4 && pick(2);
    if (labelled)
      hd_string_printf(s, " L%u: ", label);
    unsigned inner = labelled ? label + 1 : around;
    if (kind < 2)
    {
      hd_string_add(s, kind ? "if (*) { " : "while (*) { ");
      skeleton(s, depth - 1, labels, inside || !kind, inner);
      hd_string_add(s, "} ");
      if (kind && pick(2))
      {
        hd_string_add(s, "else ");
        hd_string_add(s, pick(2) ? "if (*) {} else { " : "{ ");
        skeleton(s, depth - 1, labels, inside, inner);
        hd_string_add(s, "} ");
      }
    }
    else if (kind == 2 && inside)
      hd_string_add(s, "if (*) { break; } ");
    else if (kind == 3 && around && pick(2))
      hd_string_printf(s, "if (*) { break L%u; } ", around - 1);
    else if (kind == 3)
      hd_string_add(s, "if (*) { return; } ");
  }
}

static int
by_text(const void *x, const void *y)
{
  return strcmp(*(char *const *) x, *(char *const *) y);
}

/* The complete executions, each once, as one text. */
static void
executions(const hd_boogie_impl *impl, bool blocks, hd_string *out)
{
  char *traces[1 << CHOICES];
  size_t n = 0;
  for (unsigned bits = 0; bits < 1u << CHOICES; bits++)
  {
    run r = {.bits = bits};
    const char *leave = NULL;
    outcome o = blocks ? execute_blocks(&r, impl->blocks.items[0]) : execute(&r, impl->structured, &leave);
    if (o != CUT && r.used < CHOICES)
      traces[n++] = hd_strndup(r.trace, strlen(r.trace));
  }
  qsort(traces, n, sizeof *traces, by_text);
  for (size_t i = 0; i < n; i++)
  {
    if (!i || strcmp(traces[i - 1], traces[i]) != 0)
      hd_string_printf(out, "%s\n", traces[i]);
  }
  for (size_t i = 0; i < n; i++)
    free(traces[i]);
}

static void
test_blocks(void **state)
{
  size_t compared = 0;
  (void) state;
  for (uint64_t start = 1; start <= 400; start++)
  {
    hd_string text = {0}, a = {0}, b = {0};
    unsigned labels = 0;
    seed = start;
    hd_string_add(&text, "procedure P() { ");
    skeleton(&text, 3, &labels, false, 0);
    hd_string_add(&text, "}");
    hd_boogie_program *p = read_or_fail(start, &text);
    executions(p->decls.items[1].impl, false, &a);
    executions(p->decls.items[1].impl, true, &b);
    if (a.length != b.length || (a.length && strcmp(a.text, b.text) != 0))
      fail_msg("seed %llu: %s\nstructured:\n%s\nblocks:\n%s", (unsigned long long) start, text.text,
               a.length ? a.text : "", b.length ? b.text : "");
    compared += a.length > 0;
    hd_boogie_program_free(p);
    hd_string_free(&text);
    hd_string_free(&a);
    hd_string_free(&b);
  }
  assert_true(compared > 200);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_round_trip),
      cmocka_unit_test(test_blocks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
