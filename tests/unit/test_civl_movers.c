/* Checks between actions: which are made at which layer, and what a solver says about them. The z3 in PATH is asked. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "civl/civl.h"
#include "civl/programs.h"
#include "vc/vc.h"

static void
print_verdict(hd_vc_prover *prover, const hd_civl_task *t, hd_string *out)
{
  hd_vc_result *r = hd_vc_prove(prover, t->impl);
  hd_string_printf(out, "%s: %s", t->impl->name, r->outcome == HD_VC_PROVED ? "holds" : "fails");
  for (size_t i = 0; i < r->nfailures; i++)
  {
    const hd_vc_assertion *a = r->failures[i].assertion;
    hd_boogie_place at = a->related.line ? a->related : a->at;
    hd_string_printf(out, " at %u,%u: %s", at.line, at.column, a->related_message ? a->related_message : a->message);
  }
  hd_string_add(out, "\n");
  hd_vc_result_free(r);
}

/* EXPECTED has a line for each check, in their order. */
static void
expect_checks(const char *program, const hd_civl_options *options, const char *expected)
{
  hd_boogie_messages m = {0};
  hd_boogie_program *p = read_program(program, &m);
  hd_civl *c = hd_civl_transform(p, options, &m);
  hd_string out = {0};
  if (!c)
    hd_boogie_messages_print(&m, &out);
  else
  {
    hd_vc_program *vp = hd_vc_program_new(p);
    hd_vc_options how = {0};
    hd_vc_prover *prover = hd_vc_prover_new(vp, &how);
    for (size_t i = 0; i < hd_civl_tasks(c); i++)
      print_verdict(prover, hd_civl_task_at(c, i), &out);
    hd_vc_prover_free(prover);
    hd_vc_program_free(vp);
  }
  assert_string_equal(out.length ? out.text : "", expected);
  hd_string_free(&out);
  hd_boogie_messages_free(&m);
  hd_boogie_program_free(p);
}

static const hd_civl_options plain;

#define TID                                                                                                            \
  "type Tid; const nobody: Tid;\n"                                                                                     \
  "function {:builtin \"MapConst\"} none(bool): [Tid]bool;\n"                                                          \
  "function {:inline} {:linear \"tid\"} one(x: Tid): [Tid]bool { none(false)[x := true] }\n"                           \
  "function {:inline} {:linear \"tid\"} all(x: [Tid]bool): [Tid]bool { x }\n"

/* Acquire is a right mover, release a left mover, and what the lock protects is a both mover, because two threads have
 * different identifiers. */
static void
test_lock(void **state)
{
  (void) state;
  expect_checks(TID "var {:layer 0, 2} lock: Tid; var {:layer 0, 2} n: int;\n"
                    "procedure {:right} {:layer 1} Acquire({:linear \"tid\"} t: Tid) modifies lock;\n"
                    "{ assert t != nobody; assume lock == nobody; lock := t; }\n"
                    "procedure {:left} {:layer 1} Release({:linear \"tid\"} t: Tid) modifies lock;\n"
                    "{ assert t != nobody && lock == t; lock := nobody; }\n"
                    "procedure {:both} {:layer 1} Add({:linear \"tid\"} t: Tid) modifies n;\n"
                    "{ assert t != nobody && lock == t; n := n + 1; }\n",
                &plain,
                "CommutativityChecker_Acquire_1_Acquire_1: holds\n"
                "CommutativityChecker_Acquire_1_Release_1: holds\n"
                "GatePreservationChecker_Release_1_Acquire_1: holds\n"
                "GatePreservationChecker_Add_1_Acquire_1: holds\n"
                "CommutativityChecker_Release_1_Release_1: holds\n"
                "GatePreservationChecker_Release_1_Release_1: holds\n"
                "FailurePreservationChecker_Release_1_Release_1: holds\n"
                "FailurePreservationChecker_Add_1_Release_1: holds\n"
                "GatePreservationChecker_Add_1_Release_1: holds\n"
                "CommutativityChecker_Add_1_Add_1: holds\n"
                "LinearityChecker_Acquire_1: holds\n"
                "LinearityChecker_Release_1: holds\n"
                "LinearityChecker_Add_1: holds\n");
}

/* The same without linear identifiers: two threads may be the same one. */
static void
test_not_linear(void **state)
{
  (void) state;
  expect_checks("var {:layer 0, 2} lock: int; var {:layer 0, 2} n: int;\n"
                "procedure {:left} {:layer 1} Release(t: int) modifies lock;\n"
                "{ assert t != 0 && lock == t; lock := 0; }\n",
                &plain,
                "CommutativityChecker_Release_1_Release_1: holds\n"
                "GatePreservationChecker_Release_1_Release_1: fails at 3,3: Gate of Release_1 not preserved by "
                "Release_1\n"
                "FailurePreservationChecker_Release_1_Release_1: holds\n");
}

static void
test_left_mover_blocks(void **state)
{
  (void) state;
  expect_checks(
      "var {:layer 0, 2} x: int;\n"
      "procedure {:left} {:layer 1} Wait() { assume x > 0; }\n"
      "procedure {:left} {:layer 1} Either() returns (r: int) { havoc r; assume r > x; }\n"
      "procedure {:left} {:layer 1} Gated() { assert x > 3; if (*) { assume x < 0; } else { assume x > 2; } }\n",
      &plain,
      "NonBlockingChecker_Wait_1: fails at 2,30: Non-blocking check for Wait_1 failed\n"
      "NonBlockingChecker_Either_1: holds\n"
      "NonBlockingChecker_Gated_1: holds\n");
}

/* Layer by layer: an action that is not there any more does not disturb; both ends of a range are checked. */
static void
test_layers(void **state)
{
  (void) state;
  expect_checks("var {:layer 0, 3} x: int;\n"
                "procedure {:right} {:layer 2, 3} Read() returns (r: int) { r := x; }\n"
                "procedure {:atomic} {:layer 1, 2} Write(v: int) modifies x; { x := v; }\n",
                &plain,
                "CommutativityChecker_Read_2_Write_2: fails at 2,34: Commutativity check between Read_2 and Write_2 "
                "failed\n");
  expect_checks("var {:layer 0, 3} x: int; var {:layer 0, 3} y: int;\n"
                "procedure {:both} {:layer 1, 3} Count() modifies x; { x := x + 1; }\n"
                "procedure {:atomic} {:layer 1, 2} Other() modifies y; { y := y + 1; }\n"
                "procedure {:atomic} {:layer 3} Even() modifies x; { assert x > 0; x := 2 * x; }\n",
                &plain,
                "CommutativityChecker_Count_3_Even_3: fails at 2,33: Commutativity check between Count_3 and Even_3 "
                "failed\n"
                "GatePreservationChecker_Even_3_Count_3: holds\n"
                "CommutativityChecker_Even_3_Count_3: fails at 4,32: Commutativity check between Even_3 and Count_3 "
                "failed\n"
                "FailurePreservationChecker_Even_3_Count_3: fails at 4,32: Gate failure of Even_3 not preserved by "
                "Count_3\n");
}

static void
test_trusted(void **state)
{
  (void) state;
  hd_civl_options trusting = {.trust_movers = true};
  expect_checks("var {:layer 0, 3} x: int;\n"
                "procedure {:both} {:layer 1} A(v: int) modifies x; { x := v; }\n",
                &trusting, "");
}

/* Permissions that were consumed are free to appear elsewhere: nothing may be concluded from them afterwards. */
static void
test_consumed(void **state)
{
  (void) state;
  expect_checks(TID "var {:layer 0, 2} {:linear \"tid\"} pool: [Tid]bool; var {:layer 0, 2} n: int;\n"
                    "procedure {:atomic} {:layer 1} Put({:linear_in \"tid\"} t: Tid) modifies pool, n;\n"
                    "{ assert !pool[t]; pool[t] := true; n := n + 1; }\n"
                    "procedure {:right} {:layer 1} Count() returns (r: int) { r := n; }\n",
                &plain,
                "CommutativityChecker_Count_1_Put_1: fails at 8,31: Commutativity check between Count_1 and Put_1 "
                "failed\n"
                "LinearityChecker_Put_1: holds\n");
}

static void
test_linearity(void **state)
{
  (void) state;
  expect_checks(
      TID "var {:layer 0, 2} {:linear \"tid\"} pool: [Tid]bool;\n"
          "procedure {:atomic} {:layer 1} Take() returns ({:linear \"tid\"} t: Tid) modifies pool;\n"
          "{ assume pool[t]; pool[t] := false; }\n"
          "procedure {:atomic} {:layer 1} Double() returns ({:linear \"tid\"} t: Tid) modifies pool;\n"
          "{ assume pool[t]; pool := pool; }\n"
          "procedure {:atomic} {:layer 1} Lose({:linear_in \"tid\"} t: Tid) { }\n"
          "procedure {:atomic} {:layer 1} Back({:linear_out \"tid\"} t: Tid) modifies pool;\n"
          "{ assert pool[t]; pool[t] := false; }\n"
          "procedure {:atomic} {:layer 1} Swap({:linear_in \"tid\"} a: Tid, {:linear_in \"tid\"} b: Tid)\n"
          "returns ({:linear \"tid\"} c: Tid, {:linear \"tid\"} d: Tid) { c, d := b, a; }\n"
          "procedure {:atomic} {:layer 1} Copy({:linear_in \"tid\"} a: Tid, {:linear_in \"tid\"} b: Tid)\n"
          "returns ({:linear \"tid\"} c: Tid, {:linear \"tid\"} d: Tid) { c, d := a, a; }\n",
      &plain,
      "LinearityChecker_Take_1: holds\n"
      "LinearityChecker_Double_1: fails at 8,32: Linearity invariant for domain tid is not preserved by Double_1.\n"
      "LinearityChecker_Back_1: holds\n"
      "LinearityChecker_Swap_1: holds\n"
      "LinearityChecker_Copy_1: fails at 15,32: Linearity invariant for domain tid is not preserved by Copy_1.\n");
}

/* The state between the two actions is what the witness says, and nothing else: a wrong one proves nothing. */
#define WITNESSED(value)                                                                                               \
  "var {:layer 0, 2} x: int;\n"                                                                                        \
  "function {:inline} {:witness \"x A B 1\"} w(x: int, x': int, first_i: int, second_j: int): int { " value " }\n"     \
  "procedure {:right} {:layer 1} A(i: int) modifies x; { assume x > i; havoc x; }\n"                                   \
  "procedure {:atomic} {:layer 1} B(j: int) modifies x; { havoc x; assume x > j; }\n"
#define AA_FAILS "CommutativityChecker_A_1_A_1: fails at 3,31: Commutativity check between A_1 and A_1 failed\n"

static void
test_witness(void **state)
{
  (void) state;
  expect_checks(WITNESSED("(if first_i > second_j then first_i else second_j) + 1"), &plain,
                AA_FAILS "CommutativityChecker_A_1_B_1: holds\n");
  expect_checks(WITNESSED("first_i + 1"), &plain,
                AA_FAILS
                "CommutativityChecker_A_1_B_1: fails at 3,31: Commutativity check between A_1 and B_1 failed\n");
}

static void
test_where(void **state)
{
  (void) state;
  expect_checks("var {:layer 0, 2} x: int where x > 0;\n"
                "procedure {:atomic} {:layer 1} A() modifies x;\n"
                "{ var l: int where l > 0;\n"
                "  havoc x; }\n",
                &plain,
                "p.bpl:3:7: error: A where clause in an atomic action is not supported\n"
                "p.bpl:4:3: error: Havoc of the variable x with a where clause is not supported in an atomic action\n");
}

/* ---- words ---- */

static void
expect_words(const hd_civl_task *t, const char *meaning, const char *variable, const char *label, const char *step)
{
  hd_string out = {0};
  assert_true(hd_civl_task_meaning(t, &out));
  assert_string_equal(out.text, meaning);
  hd_string_clear(&out);
  hd_civl_task_variable(t, "first_x", &out);
  assert_string_equal(out.text, variable);
  hd_string_clear(&out);
  assert_true(hd_civl_task_step(t, label, &out));
  assert_string_equal(out.text, step);
  hd_string_free(&out);
}

static void
test_words(void **state)
{
  (void) state;
  hd_civl_task t = {.check = HD_CIVL_COMMUTATIVITY, .layered = true, .layer = 3, .subject = "Put_3", .other = "Get"};
  expect_words(&t, "Put_3 and then Get can end in a state in which Get and then Put_3 cannot end, at layer 3",
               "x of Put_3", "inline$Put_3_3$0$anon0", "in Put_3");
  t.other = "Put_3";
  expect_words(&t, "two steps of Put_3 can end in a state in which they cannot end in the other order, at layer 3",
               "x of the first Put_3", "inline$Put_3_3$1$Entry", "the second Put_3 begins");
  t.check = HD_CIVL_GATE_PRESERVATION;
  expect_words(&t, "the gate of Put_3 holds before a step of another one and fails after it, at layer 3",
               "x of the first Put_3", "inline$Put_3_3$0$Return", "Put_3 ends");
  t.check = HD_CIVL_LINEARITY;
  t.other = "tid";
  expect_words(&t, "Put_3 leaves a permission more often than it was given, at layer 3", "first_x",
               "inline$Put_3_3$0$Return", "Put_3 ends");
  hd_string out = {0};
  t.check = HD_CIVL_SEQUENTIAL;
  assert_false(hd_civl_task_meaning(&t, &out));
  assert_false(hd_civl_task_step(&t, "anon0", &out));
  hd_string_free(&out);
}

/* More than 65,536 ways through two actions: refused, not left out. */
static void
test_too_many_paths(void **state)
{
  (void) state;
  hd_string s = {0};
  hd_string_add(&s, "var {:layer 0, 2} x: int;\nprocedure {:both} {:layer 1} A(i: int) modifies x; {\n");
  for (int i = 0; i < 9; i++)
    hd_string_add(&s, "if (i > x) { x := x + 1; }\n");
  hd_string_add(&s, "}\n");
  expect_checks(s.text, &plain,
                "p.bpl:2:30: error: the transition relation of A is too large (it may have 65536 paths); split the "
                "action or write it with fewer branches\n");
  hd_string_free(&s);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_lock),
      cmocka_unit_test(test_not_linear),
      cmocka_unit_test(test_left_mover_blocks),
      cmocka_unit_test(test_layers),
      cmocka_unit_test(test_trusted),
      cmocka_unit_test(test_consumed),
      cmocka_unit_test(test_linearity),
      cmocka_unit_test(test_witness),
      cmocka_unit_test(test_where),
      cmocka_unit_test(test_too_many_paths),
      cmocka_unit_test(test_words),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
