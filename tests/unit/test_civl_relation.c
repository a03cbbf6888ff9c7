/* Transition relations of actions that are written here: what is eliminated, guessed and refused. Random ones are in
 * test_civl_relation_random.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "civl/programs.h"
#include "civl/relation.h"

static void
expect_formula(const char *program, const char *const *frame_names, size_t n, bool enabled_only, const char *expected)
{
  hd_boogie_program *p = read_program(program, NULL);
  hd_boogie_vars frame = {0};
  for (size_t i = 0; i < n; i++)
    HD_BOOGIE_ADD(p, frame, hd_boogie_find_var(p, frame_names[i]));
  relation_question q = {.first = code_of(impl_named(p, "A")), .frame = &frame, .enabled_only = enabled_only};
  hd_boogie_expr *e = hd_civl_relation(p, &q);
  hd_string out = {0};
  hd_boogie_print_expr(e, &out);
  assert_string_equal(out.text, expected);
  hd_string_free(&out);
  hd_boogie_program_free(p);
}

static void
test_eliminates(void **state)
{
  (void) state;
  static const char *const frame[] = {"x", "y"};
  /* A local is gone; y is not touched. */
  expect_formula("var x, y: int; procedure A() modifies x; { var l: int; l := x + 1; x := l + l; }", frame, 2, false,
                 "x == old(x) + 1 + (old(x) + 1) && old(y) == y");
  /* A havocked global of the state after needs no quantifier. */
  expect_formula("var x, y: int; procedure A() modifies x; { havoc x; assume x > y; }", frame, 2, false,
                 "x > old(y) && old(y) == y");
  /* Two writes: only the last one is seen. */
  expect_formula("var x, y: int; procedure A() modifies x; { x := 1; x := x + y; }", frame, 2, false,
                 "x == 1 + old(y) && old(y) == y");
  /* Whether there is a run: the state after does not matter. */
  expect_formula("var x, y: int; procedure A() modifies x; { assume x > 0; x := y; }", frame, 2, true, "x > 0");
}

/* The state between two actions is bound; with a guess it is replaced. */
static void
test_guess(void **state)
{
  (void) state;
  hd_boogie_program *p = read_program("var x: int; function f(a: int, b: int): int;"
                                      "procedure A(i: int) modifies x; { havoc x; assume x > i; }"
                                      "procedure B(j: int) modifies x; { assume x > j; havoc x; }",
                                      NULL);
  hd_boogie_vars frame = {0};
  HD_BOOGIE_ADD(p, frame, hd_boogie_find_var(p, "x"));
  relation_question q = {.first = code_of(impl_named(p, "A")), .second = code_of(impl_named(p, "B")), .frame = &frame};
  hd_string out = {0};
  hd_boogie_print_expr(hd_civl_relation(p, &q), &out);
  assert_string_equal(out.text, "(exists x#1: int :: x#1 > i && x#1 > j)");

  hd_boogie_exprs args = {0}, guesses = {0};
  HD_BOOGIE_ADD(p, args, hd_boogie_old(p, hd_boogie_use(p, frame.items[0])));
  HD_BOOGIE_ADD(p, args, hd_boogie_use(p, frame.items[0]));
  HD_BOOGIE_ADD(p, guesses, hd_boogie_apply(p, hd_boogie_find_function(p, "f"), &args));
  HD_BOOGIE_ADD(p, guesses, hd_boogie_int(p, 7));
  const hd_boogie_var *guessed[] = {frame.items[0]};
  q.guessed = guessed;
  q.guesses = &guesses;
  q.n_guessed = 1;
  hd_string_clear(&out);
  hd_boogie_print_expr(hd_civl_relation(p, &q), &out);
  assert_string_equal(out.text, "(f(old(x), x) > i && f(old(x), x) > j) || (7 > i && 7 > j)");
  hd_string_free(&out);
  hd_boogie_program_free(p);
}

/* START, N times LINE, and a closing brace. */
static void
expect_too_large(const char *start, const char *line, size_t n)
{
  hd_string s = {0};
  hd_string_add(&s, start);
  for (size_t i = 0; i < n; i++)
    hd_string_add(&s, line);
  hd_string_add(&s, "}\n");
  hd_boogie_program *p = read_program(s.text, NULL);
  hd_boogie_vars frame = {0};
  HD_BOOGIE_ADD(p, frame, hd_boogie_find_var(p, "x"));
  relation_question q = {.first = code_of(impl_named(p, "A")), .frame = &frame};
  assert_null(hd_civl_relation(p, &q));
  hd_boogie_program_free(p);
  hd_string_free(&s);
}

static void
test_too_large(void **state)
{
  (void) state;
  const char *start = "var x: int; procedure A() modifies x; {\n";
  expect_too_large(start, "if (*) { x := x + 1; }\n", 17);
  expect_too_large(start, "x := x + x;\n", 60);
  expect_too_large(start, "x := x + 1;\n", 15000);
  expect_too_large(start, "x := 1;\n", 20000);
  expect_too_large(start, "x := 1; if (false) { }\n", 10000);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_eliminates),
      cmocka_unit_test(test_guess),
      cmocka_unit_test(test_too_large),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
