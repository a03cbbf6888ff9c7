/* Conditions of small programs, and what the solver says about them: one test for each thing that a condition is made
 * of, with a variant that holds and one that does not. The z3 in PATH is asked. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "answers/answers.h"

static void
test_assertions(void **state)
{
  (void) state;
  answers_check("procedure P(x: int) { assert x <= x + 1; }", "P ok");
  answers_check("procedure P(x: int)\n{ var y: int;\ny := x;\nassert y > x;\nassert y > x + 1; }", "P 4");
  answers_check("procedure P(x: int)\n{ if (*) { assert x > 0;\n} else {\nassert x > 1;\n} assert x > 0; }", "P 2 4");
  answers_check("procedure P(x: int)\n{\nassert {:subsumption 0} x == 2;\nassert x == 2; }", "P 3 4");
  answers_check("procedure P() { assume false; assert false; }", "P ok");
  answers_check("procedure {:verify false} P() { assert false; } procedure {:inline 1} Q() { assert false; }", "");
}

static void
test_limit_of_failures(void **state)
{
  (void) state;
  const char *text = "procedure P(x: int)\n{ goto A, B, C, D;\nA: assert x > 1; return;\nB: assert x > 2; return;\n"
                     "C: assert x > 3; return;\nD: assert x > 4; return; }";
  hd_vc_options two = {.seconds = 20, .errors = 2};
  hd_string out = {0};
  answers_check(text, "P 3 4 5 6");
  answers_of(text, &two, &out);
  assert_int_equal(strlen(out.text), strlen("P 3 4"));
  hd_string_free(&out);
}

static void
test_contracts(void **state)
{
  (void) state;
#define CALLEE                                                                                                         \
  "var g: int; procedure Q(n: int) returns (r: int);\n requires n > 0;\n modifies g;\n ensures g == old(g) + n;\n"     \
  " free ensures r > n;\n"
  answers_check(CALLEE "procedure P() modifies g; { var r: int; call r := Q(2); assert g == old(g) + 2 && r > 2; }",
                "P ok");
  answers_check(CALLEE "procedure P(k: int) modifies g; {\n var r: int;\n call r := Q(k);\n assert r > 7; }", "P 8 9");
  answers_check(CALLEE
                "procedure P() modifies g; { var r: int; call r := Q(1); call r := Q(1); assert g == old(g) + 2; }",
                "P ok");
  answers_check(
      "var g: int; procedure P()\n modifies g;\n ensures g > old(g);\n{ if (*) {\n return;\n }\n g := g + 1; }", "P 5");
  answers_check(
      "var g: int where g >= 0; procedure P() modifies g; { var x: int where x > g; havoc g; assert g >= 0; havoc x; "
      "assert x > g; }",
      "P ok");
  answers_check(
      "procedure Q() returns (r: int where r > 5); procedure P() { var x: int; call x := Q(); assert x > 5; }", "P ok");
}

static void
test_loops(void **state)
{
  (void) state;
#define LOOP(invariant)                                                                                                \
  "procedure P(n: int)\n requires n >= 0; {\n var i: int, s: int;\n i, s := 0, 0;\n while (i < n)\n invariant i <= "   \
  "n;\n invariant " invariant ";\n { i := i + 1; s := s + 2; }\n assert s == 2 * n; }"
  answers_check(LOOP("s == 2 * i"), "P ok");
  answers_check(LOOP("s >= 2 * i"), "P 9");
  answers_check(LOOP("s == i"), "P 7 9");
  answers_check(LOOP("s == 2 * i + 1"), "P 7");
  answers_check(
      "procedure P() { var i, j: int; i := 0; while (*) invariant i >= 0; { j := 0; while (j < 3) invariant i >= 0 && "
      "j >= 0; { j := j + 1; i := i + j; } } assert i >= 0; }",
      "P ok");
  answers_check("procedure P()\n{ goto A, B;\nA: goto B;\nB: goto A; }",
                "P 3: the loop at label A can be entered at more than one place");
}

static void
test_inline_procedures(void **state)
{
  (void) state;
  const char *text = "var g: int;\nprocedure {:inline 1} Add(n: int) returns (r: int)\n modifies g;\n{ g := g + n; "
                     "r := old(g);\n assert n > 0; }\n"
                     "procedure P() modifies g;\n{ var a, b: int; call a := Add(1); call b := Add(2);\n"
                     " assert a == old(g) && b == a + 1 && g == a + 3;\n call a := Add(0); }";
  answers_check(text, "P 5");
  /* What is beyond the depth is taken by its contract, not as impossible. */
  answers_check(
      "procedure {:inline 1} R(n: int) { if (n > 0) { call R(n - 1); } }\nprocedure P()\n{ call R(5);\n assert "
      "false; }",
      "P 4");
}

static void
test_functions_and_axioms(void **state)
{
  (void) state;
  answers_check("function f(int): int; axiom (forall x: int :: {f(x)} f(x) > x); procedure P() { assert f(3) > 2; }",
                "P ok");
  answers_check("function {:inline} f(x: int): int { x + 1 } function g(x: int): int { f(x) + 1 }\n"
                "procedure P() { assert g(1) == 3; }",
                "P ok");
  answers_check("type T; const unique a, b: T; const c: T; procedure P()\n{ assert a != b;\n assert a != c; }", "P 3");
  /* An axiom that shares no name with the procedure is not left out when it matters. */
  answers_check("type T; const a, b: T; axiom a != b; procedure P() { assert (exists x, y: T :: x != y); }", "P ok");
  answers_check("procedure P(x: int, y: int) { var z: bool; z := (var t := x + y; t == y + x); assert z; }", "P ok");
}

static void
test_maps_and_lambdas(void **state)
{
  (void) state;
  answers_check(
      "procedure P(m: [int]int) { var n: [int]int; n := m[3 := 4]; n[5] := 6; assert n[3] == 4 && n[5] == 6 && n[7] == "
      "m[7]; }",
      "P ok");
  answers_check(
      "procedure P(i: int) { var m: [int,bool]int; m[i, true] := 1; m[i, false] := 2; assert m[i, true] == 1; }",
      "P ok");
  answers_check(
      "procedure P(a: int, b: int) { var f, g: [int]int; f := (lambda x: int :: x + a); g := (lambda y: int :: y + "
      "b);\n"
      "assert f[2] == 2 + a;\nassert a == b ==> f == g;\nassert f == g; }",
      "P 4?");
  answers_check("procedure P(k: int) { assert (lambda x, y: int :: x + y + k)[1, 2] == 3 + k; }", "P ok");
#define SETS                                                                                                           \
  "function {:builtin \"MapConst\"} All(bool): [int]bool; function {:builtin \"MapOr\"} Or([int]bool, [int]bool): "    \
  "[int]bool; function {:builtin \"MapNot\"} Not([int]bool): [int]bool;\n"
  answers_check(SETS "procedure P(a: [int]bool) { assert Or(a, Not(a)) == All(true); }", "P ok");
  answers_check(SETS "procedure P(a: [int]bool)\n{ assert Or(a, a) == All(true); }", "P 3");
}

static void
test_without_array_theory(void **state)
{
  (void) state;
  hd_vc_options options = {.seconds = 20, .no_array_theory = true};
  answers_check_with("procedure P(m: [int]int) { var n: [int]int; n := m[3 := 4]; assert n[3] == 4 && n[5] == m[5]; }",
                     &options, "P ok");
  answers_check_with(SETS "procedure P(a: [int]bool, i: int) { assert Or(a, Not(a))[i] && All(true)[i]; }", &options,
                     "P ok");
  answers_check_with("procedure P(m: [int]int)\n{ assert m[1 := m[1]] == m; }", &options, "P 2?");
}

static void
test_datatypes(void **state)
{
  (void) state;
#define LIST                                                                                                           \
  "type {:datatype} List; function {:constructor} nil(): List; function {:constructor} cons(head: int, tail: List): "  \
  "List;\n"
  answers_check(LIST "procedure P(l: List) { assert is#nil(l) || is#cons(l); assert head#cons(cons(4, l)) == 4; }",
                "P ok");
  answers_check(LIST "procedure P(l: List)\n{ assert is#cons(l); }", "P 3");
}

static void
test_what_is_not_supported(void **state)
{
  (void) state;
  answers_check("procedure P()\n{ var m: <a>[a]int; m := (lambda<a> x: a :: 3); assert m[4] == 3; }",
                "P 2: lambda expressions with type parameters are not supported");
}

/* The way to a failure, and the values on it. */
static void
test_path_and_values(void **state)
{
  (void) state;
  static const char text[] = "var g: int;\nprocedure P(x: int)\n modifies g;\n{\n  g := x + 1;\n  if (x == 7) {\n"
                             "    g := 0 - g;\n    assert g > 0;\n  }\n}\n";
  hd_boogie_messages m = {0};
  hd_boogie_options reading = {0};
  hd_vc_options options = {.seconds = 20};
  hd_boogie_program *p = hd_boogie_read_text("t.bpl", text, sizeof text - 1, &reading, &m);
  assert_non_null(p);
  hd_vc_program *program = hd_vc_program_new(p);
  hd_vc_prover *prover = hd_vc_prover_new(program, &options);
  for (size_t i = 0; i < p->decls.n; i++)
  {
    if (p->decls.items[i].kind != HD_BOOGIE_DECL_IMPL)
      continue;
    hd_vc_result *r = hd_vc_prove(prover, p->decls.items[i].impl);
    assert_int_equal(r->outcome, HD_VC_FAILS);
    const hd_vc_failure *f = &r->failures[0];
    hd_string way = {0};
    for (size_t j = 0; j < f->nsteps; j++)
    {
      hd_string_printf(&way, "%s:", f->steps[j].label ? f->steps[j].label : "");
      for (size_t k = 0; k < f->steps[j].nvalues; k++)
        hd_string_printf(&way, " %s=%s", f->steps[j].values[k].name, f->steps[j].values[k].value);
      hd_string_add(&way, "\n");
    }
    assert_string_equal(way.text, ": x=7\nanon0: g=8\nanon2_Then: g=-8\n");
    /* The same by statements: those that assert are none, and the start has no line. */
    hd_string_clear(&way);
    for (size_t j = 0; j < f->nsteps; j++)
      for (size_t k = 0; k < f->steps[j].nlines; k++)
      {
        const hd_vc_line *l = &f->steps[j].lines[k];
        hd_string_printf(&way, "%u:", l->at.line);
        for (size_t v = 0; v < l->nvalues; v++)
          hd_string_printf(&way, " %s=%s", l->values[v].name, l->values[v].value);
        hd_string_add(&way, "\n");
      }
    assert_string_equal(way.text, "0: x=7\n5: g=8\n6:\n7: g=-8\n");
    assert_int_equal(r->ncounts, 1);
    assert_null(r->counts[0].message);
    hd_string_free(&way);
    hd_vc_result_free(r);
  }
  hd_vc_prover_free(prover);
  hd_vc_program_free(program);
  hd_boogie_program_free(p);
  hd_boogie_messages_free(&m);
}

/* 40 branches one after the other have 2^40 paths. */
static void
test_size_is_linear(void **state)
{
  (void) state;
  hd_string text = {0};
  hd_string_add(&text, "procedure P(a: [int]bool) { var x: int; x := 0;\n");
  for (int i = 0; i < 40; i++)
    hd_string_printf(&text, "if (a[%d]) { x := x + %d; } else { x := x + 1; } assert x > %d;\n", i, i + 1, i);
  hd_string_add(&text, "}");
  answers_check(text.text, "P ok");
  hd_string_free(&text);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_assertions),        cmocka_unit_test(test_limit_of_failures),
      cmocka_unit_test(test_contracts),         cmocka_unit_test(test_loops),
      cmocka_unit_test(test_inline_procedures), cmocka_unit_test(test_functions_and_axioms),
      cmocka_unit_test(test_maps_and_lambdas),  cmocka_unit_test(test_without_array_theory),
      cmocka_unit_test(test_datatypes),         cmocka_unit_test(test_what_is_not_supported),
      cmocka_unit_test(test_path_and_values),   cmocka_unit_test(test_size_is_linear),
  };
  return cmocka_run_group_tests_name("vc", tests, NULL, NULL);
}
