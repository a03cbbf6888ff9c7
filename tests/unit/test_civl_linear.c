/* Linear types: what the check says about declarations, commands and data flow, and what is put into programs that
 * pass. The messages and columns are those of Boogie 2.4.1. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "civl/civl.h"
#include "civl/linear.h"
#include "civl/programs.h"

#define T_AND_COLLECTOR "type T;\nfunction {:linear \"d\"} cd(a: T): [int]bool;\n"

static void
expect_messages(const char *program, const char *expected)
{
  hd_boogie_messages m = {0};
  hd_boogie_program *p = read_program(program, &m);
  hd_civl_options options = {0};
  hd_civl *c = hd_civl_transform(p, &options, &m);
  hd_string out = {0};
  hd_boogie_messages_reference(&m, "p.bpl", &out);
  assert_string_equal(out.length ? out.text : "", expected);
  assert_true((c == NULL) == (expected[0] != 0));
  hd_string_free(&out);
  hd_boogie_messages_free(&m);
  hd_boogie_program_free(p);
}

static void
test_declarations(void **state)
{
  (void) state;
  expect_messages("type T;\n"
                  "function {:linear \"d\"} c1(a: T): [int]bool;\n"
                  "function {:linear \"d\"} c2(a: T): [int]bool;\n"
                  "function {:linear \"d\"} c3(a: int, b: int): [int]bool;\n"
                  "function {:linear \"d\"} c4(a: bool): [int]int;\n"
                  "function {:linear \"d\"} c5(a: [int]T): bool;\n"
                  "var {:linear \"d\"} g: int;\n"
                  "var {:linear_in \"d\"} h: T;\n"
                  "procedure {:atomic} {:layer 1} A({:linear \"e\"} x: T) returns ({:linear_out \"d\"} y: T) { }\n"
                  "procedure P({:linear_out \"d\"} i: T) returns ({:linear_in \"d\"} o: T)\n"
                  "{\n"
                  "  var {:linear_out \"d\"} l: T;\n"
                  "  l := i;\n"
                  "  o := l;\n"
                  "}\n",
                  "p.bpl(3,23): Error: A collector for domain for input type has already been defined\n"
                  "p.bpl(4,23): Error: Linear domain collector should have one input and one output parameter\n"
                  "p.bpl(5,23): Error: Output of a linear domain collector should be of set type\n"
                  "p.bpl(6,23): Error: Output of a linear domain collector should be of set type\n"
                  "p.bpl(9,80): Error: Variable must be declared linear (as opposed to linear_in or linear_out)\n"
                  "p.bpl(10,62): Error: Variable must be declared linear (as opposed to linear_in or linear_out)\n"
                  "p.bpl(12,24): Error: Variable must be declared linear (as opposed to linear_in or linear_out)\n"
                  "p.bpl(12,24): Error: Variable must be declared linear (as opposed to linear_in or linear_out)\n"
                  "p.bpl(12,24): Error: Variable must be declared linear (as opposed to linear_in or linear_out)\n"
                  "p.bpl(10,62): Error: Variable must be declared linear (as opposed to linear_in or linear_out)\n"
                  "p.bpl(9,80): Error: Variable must be declared linear (as opposed to linear_in or linear_out)\n"
                  "p.bpl(7,18): Error: Missing collector for linear variable g\n"
                  "p.bpl(9,47): Error: Missing collector for linear variable x\n"
                  "13 type checking errors detected in p.bpl\n");
}

/* Formulas about a domain need one type of sets. The reference does not ask. */
static void
test_collectors(void **state)
{
  (void) state;
  expect_messages("function {:linear \"d\"} ci(a: int): [int]bool;\n"
                  "function {:linear \"d\"} cb(a: bool): [bool]bool;\n",
                  "p.bpl(2,23): Error: The collectors of domain d must give sets of the same type\n"
                  "1 type checking errors detected in p.bpl\n");
}

static void
test_assignments(void **state)
{
  (void) state;
  expect_messages(T_AND_COLLECTOR "function {:linear \"d\"} cm(a: [int]T): [int]bool;\n"
                                  "function {:linear \"e\"} ce(a: T): [int]bool;\n"
                                  "procedure P({:linear_in \"d\"} a: T, {:linear_in \"e\"} b: T, c: T)\n"
                                  "{\n"
                                  "  var {:linear \"d\"} x, y: T;\n"
                                  "  var {:linear \"d\"} n: [int]T;\n"
                                  "  n[3] := a;\n"
                                  "  x := n[3];\n"
                                  "  x := c;\n"
                                  "  x := b;\n"
                                  "  x, y := a, a;\n"
                                  "}\n",
                  "p.bpl(9,7): Error: Only simple assignment allowed on linear variable n\n"
                  "p.bpl(10,4): Error: Only variable can be assigned to linear variable x\n"
                  "p.bpl(11,4): Error: Only linear variable can be assigned to linear variable x\n"
                  "p.bpl(12,4): Error: Linear variable of domain e cannot be assigned to linear variable of domain d\n"
                  "p.bpl(13,7): Error: Linear variable a can occur only once in the right-hand-side of an assignment\n"
                  "5 type checking errors detected in p.bpl\n");
}

static void
test_calls(void **state)
{
  (void) state;
  expect_messages(T_AND_COLLECTOR
                  "function {:linear \"e\"} ce(a: T): [int]bool;\n"
                  "procedure {:yields} {:layer 1} Q({:linear \"d\"} p: T, {:linear_in \"d\"} q: T)\n"
                  "returns ({:linear \"d\"} r: T, s: T);\n"
                  "procedure {:yields} {:layer 1} P({:linear_in \"d\"} a: T, {:linear_in \"e\"} b: T, c: T)\n"
                  "{\n"
                  "  var {:linear \"d\"} x, y, v: T;\n"
                  "  var {:linear \"e\"} z: T;\n"
                  "  var w, u: T;\n"
                  "  yield;\n"
                  "  call x, w := Q(a, y);\n"
                  "  call x, w := Q(a, if true then y else y);\n"
                  "  call x, w := Q(c, y);\n"
                  "  call x, w := Q(b, y);\n"
                  "  call x, w := Q(a, a);\n"
                  "  call z, w := Q(a, y);\n"
                  "  call w, x := Q(a, y);\n"
                  "  par x, w := Q(a, y) | y, u := Q(a, v);\n"
                  "  yield;\n"
                  "}\n",
                  "p.bpl(13,2): Error: Only variable can be passed to linear parameter q\n"
                  "p.bpl(14,2): Error: Only a linear argument can be passed to linear parameter p\n"
                  "p.bpl(15,2): Error: The domains of formal and actual parameters must be the same\n"
                  "p.bpl(16,2): Error: Linear variable a can occur only once as an input parameter\n"
                  "p.bpl(17,2): Error: The domains of formal and actual parameters must be the same\n"
                  "p.bpl(18,2): Error: Only a linear variable can be passed to a linear parameter\n"
                  "p.bpl(19,2): Error: Linear variable a can occur only once as an input parameter of a parallel call\n"
                  "7 type checking errors detected in p.bpl\n");
  expect_messages(T_AND_COLLECTOR "var {:linear \"d\"} g: T;\n"
                                  "procedure Q({:linear \"d\"} p: T) returns ({:linear \"d\"} r: T);\n"
                                  "procedure P({:linear_in \"d\"} a: T)\n"
                                  "modifies g;\n"
                                  "{\n"
                                  "  var {:linear \"d\"} x: T;\n"
                                  "  call x := Q(g);\n"
                                  "  call g := Q(a);\n"
                                  "}\n",
                  "p.bpl(9,2): Error: Only local linear variable can be an actual input parameter of a procedure call\n"
                  "p.bpl(10,2): Error: Only local linear variable can be actual output parameter of a procedure call\n"
                  "2 type checking errors detected in p.bpl\n");
}

static void
test_flow(void **state)
{
  (void) state;
  expect_messages(T_AND_COLLECTOR
                  "var {:linear \"d\"} g: T;\n"
                  "procedure Give({:linear_in \"d\"} p: T);\n"
                  "procedure Take({:linear_out \"d\"} p: T);\n"
                  "procedure Use({:linear \"d\"} p: T);\n"
                  "procedure Make() returns ({:linear \"d\"} p: T);\n"
                  "procedure Twice({:linear_in \"d\"} a: T)\n"
                  "{\n"
                  "  call Give(a);\n"
                  "  call Give(a);\n"
                  "}\n"
                  "procedure Join({:linear_in \"d\"} a: T)\n"
                  "{\n"
                  "  var {:linear \"d\"} x: T;\n"
                  "  if (*) { x := a; }\n"
                  "  call Use(a);\n"
                  "}\n"
                  "procedure Loop({:linear \"d\"} a: T)\n"
                  "{\n"
                  "  while (*) { call Give(a); }\n"
                  "}\n"
                  "procedure Away({:linear \"d\"} a: T) returns ({:linear \"d\"} o: T)\n"
                  "modifies g;\n"
                  "{\n"
                  "  var {:linear \"d\"} x: T;\n"
                  "  x := g;\n"
                  "  call Use(a);\n"
                  "  while (*) { }\n"
                  "  havoc x;\n"
                  "}\n"
                  "procedure Good({:linear_out \"d\"} a: T, {:linear_in \"d\"} b: T) returns ({:linear \"d\"} o: T)\n"
                  "{\n"
                  "  var {:linear \"d\"} x: T;\n"
                  "  call Take(a);\n"
                  "  o := b;\n"
                  "  call x := Make();\n"
                  "  o, x := x, o;\n"
                  "}\n"
                  "procedure {:yields} {:layer 1} Start({:linear \"d\"} p: T);\n"
                  "procedure {:yields} {:layer 1} Main({:linear_in \"d\"} a: T, {:linear \"d\"} b: T)\n"
                  "{\n"
                  "  var {:linear \"d\"} x: T;\n"
                  "  yield;\n"
                  "  async call Start(b);\n"
                  "  par Start(b) | Start(a);\n"
                  "  yield;\n"
                  "}\n",
                  "p.bpl(11,12): Error: unavailable source for a linear read\n"
                  "p.bpl(17,11): Error: unavailable source for a linear read\n"
                  "p.bpl(21,24): Error: unavailable source for a linear read\n"
                  "p.bpl(21,2): Error: Input variable a must be available at a return\n"
                  "p.bpl(28,2): Error: Global variable g must be available at a call\n"
                  "p.bpl(31,0): Error: Global variable g must be available at a return\n"
                  "p.bpl(31,0): Error: Output variable o must be available at a return\n"
                  "p.bpl(29,2): Error: Global variable g must be available at a loop head\n"
                  "p.bpl(46,12): Error: unavailable source for a linear read\n"
                  "p.bpl(48,0): Error: Input variable b must be available at a return\n"
                  "10 type checking errors detected in p.bpl\n");
}

/* ---- what is put in ---- */

static void
print_transformed(const char *program, bool no_array_theory, hd_string *out)
{
  hd_boogie_messages m = {0};
  hd_boogie_program *p = read_program(program, &m);
  hd_civl_options options = {.no_array_theory = no_array_theory};
  hd_civl *c = hd_civl_transform(p, &options, &m);
  if (!c)
  {
    hd_boogie_messages_print(&m, out);
    fail_msg("%s for\n%s", out->text, program);
  }
  hd_boogie_print_program(p, out);
  hd_boogie_messages_free(&m);
  hd_boogie_program_free(p);
}

static void
expect_text(const hd_string *all, const char *part)
{
  if (!strstr(all->text, part))
    fail_msg("there is no\n%s\nin\n%s", part, all->text);
}

#define IN_PART(set, number)                                                                                           \
  "linear_d_MapImp(" set ", linear_d_MapEq(partition_d, linear_d_MapConstInt(" number "))) == "                        \
  "linear_d_MapConstBool(true)"
#define DISJOINT(parts) "(exists partition_d: [int]int :: " parts ")"

static void
test_assumptions(void **state)
{
  (void) state;
  hd_string out = {0};
  print_transformed(T_AND_COLLECTOR "var {:linear \"d\"} g: T;\n"
                                    "procedure Q({:linear_in \"d\"} p: T) returns ({:linear \"d\"} r: T);\n"
                                    "procedure P({:linear_in \"d\"} a: T, {:linear \"d\"} b: T)\n"
                                    "{\n"
                                    "  var {:linear \"d\"} x: T;\n"
                                    "  call x := Q(a);\n"
                                    "  while (*) { }\n"
                                    "}\n",
                    false, &out);
  /* The contract: globals with inputs, globals with outputs. */
  expect_text(&out, "free requires " DISJOINT(IN_PART("cd(g)", "0") " && " IN_PART("cd(p)", "1")) ";\n");
  expect_text(&out, "free ensures " DISJOINT(IN_PART("cd(g)", "0") " && " IN_PART("cd(r)", "1")) ";\n");
  /* After the call and at the loop head: a was given away, x came, b stayed; with the hole. */
  expect_text(&out, "assume " DISJOINT(IN_PART("linear_d_hole", "0") " && " IN_PART("cd(b)", "1") " && (" IN_PART(
                        "cd(x)", "2") " && " IN_PART("cd(g)", "3") ")") ";\n");
  expect_text(&out, "call x := Q(a);\n    assume (exists");
  expect_text(&out, "anon2_LoopHead:\n    assume (exists");
  expect_text(&out,
              "function {:builtin \"MapImp\"} linear_d_MapImp(a: [int]bool, b: [int]bool) returns ([int]bool);\n");
  assert_null(strstr(out.text, "axiom"));
  hd_string_clear(&out);
  print_transformed(T_AND_COLLECTOR "procedure P({:linear \"d\"} a: T, {:linear \"d\"} b: T);\n", true, &out);
  expect_text(&out, "function linear_d_MapImp(a: [int]bool, b: [int]bool) returns ([int]bool);\n");
  expect_text(&out, "axiom (forall x: int :: linear_d_MapConstBool(true)[x]);\n");
  expect_text(&out, "axiom (forall a: [int]bool, b: [int]bool :: { linear_d_MapImp(a, b) } "
                    "(forall x: int :: linear_d_MapImp(a, b)[x] == (a[x] ==> b[x])));\n");
  hd_string_free(&out);
}

/* One variable is no claim. */
static void
test_nothing_to_assume(void **state)
{
  (void) state;
  hd_string out = {0};
  print_transformed(T_AND_COLLECTOR "procedure P({:linear \"d\"} a: T, b: T)\n{ call R(); }\nprocedure R();\n", false,
                    &out);
  assert_null(strstr(out.text, "free"));
  expect_text(&out, "call R();\n    assume " DISJOINT(IN_PART("linear_d_hole", "0") " && " IN_PART("cd(a)", "1")));
  hd_string_free(&out);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_declarations),
      cmocka_unit_test(test_collectors),
      cmocka_unit_test(test_assignments),
      cmocka_unit_test(test_calls),
      cmocka_unit_test(test_flow),
      cmocka_unit_test(test_assumptions),
      cmocka_unit_test(test_nothing_to_assume),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
