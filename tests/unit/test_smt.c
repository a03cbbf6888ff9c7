/* Terms, their text, solvers that work and programs that are none, and the cache. The z3 in PATH is asked. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "smt/smt.h"

static const hd_smt_tactic plain = {.name = "plain", .case_split = 3};

static const hd_smt_term *
number(hd_smt *u, const char *digits)
{
  return hd_smt_number(u, digits, hd_smt_basic(u, HD_SMT_INT));
}

static const hd_smt_term *
integer(hd_smt *u, const char *name)
{
  return hd_smt_constant(u, name, hd_smt_basic(u, HD_SMT_INT));
}

static const hd_smt_term *
two(hd_smt *u, hd_smt_op op, const hd_smt_term *a, const hd_smt_term *b)
{
  return hd_smt_make(u, op, 2, (const hd_smt_term *[]){a, b});
}

/* What z3 says about the terms; its errors fail the test. */
static hd_smt_reply
decide(const hd_smt *u, const hd_smt_term *const *terms, size_t n)
{
  hd_string text = {0};
  hd_smt_solver *s = hd_smt_solver_new(HD_SMT_Z3, NULL);
  hd_smt_print(&text, u, terms, n);
  hd_smt_reply reply = hd_smt_solver_ask(s, text.text, &plain, 20);
  if (reply == HD_SMT_FAILED)
    fail_msg("%s\n%s", hd_smt_solver_error(s), text.text);
  hd_smt_solver_free(s);
  hd_string_free(&text);
  return reply;
}

static void
test_equal_terms_are_one(void **state)
{
  (void) state;
  hd_smt *u = hd_smt_new();
  const hd_smt_term *x = integer(u, "x"), *y = integer(u, "x");
  assert_ptr_not_equal(x, y); /* two constants that asked for one name */
  assert_string_not_equal(x->symbol->name, y->symbol->name);
  assert_ptr_equal(two(u, HD_SMT_ADD, x, y), two(u, HD_SMT_ADD, x, y));
  assert_ptr_equal(number(u, "7"), number(u, "7"));
  const hd_smt_sort *a = hd_smt_array(u, x->sort, x->sort);
  assert_ptr_equal(a, hd_smt_array(u, x->sort, x->sort));
  hd_smt_free(u);
}

static void
test_simplification(void **state)
{
  (void) state;
  hd_smt *u = hd_smt_new();
  const hd_smt_term *t = hd_smt_true(u), *f = hd_smt_false(u), *x = integer(u, "x");
  const hd_smt_term *p = two(u, HD_SMT_LT, x, number(u, "3"));
  assert_ptr_equal(hd_smt_and(u, t, p), p);
  assert_ptr_equal(hd_smt_and(u, f, p), f);
  assert_ptr_equal(hd_smt_or(u, f, p), p);
  assert_ptr_equal(hd_smt_not(u, hd_smt_not(u, p)), p);
  assert_ptr_equal(hd_smt_implies(u, p, p), t);
  assert_ptr_equal(hd_smt_equal(u, number(u, "1"), number(u, "2")), f);
  assert_ptr_equal(two(u, HD_SMT_GE, number(u, "0"), number(u, "0")), t);
  assert_ptr_equal(two(u, HD_SMT_SUB, number(u, "2"), number(u, "5")),
                   hd_smt_make(u, HD_SMT_MINUS, 1, (const hd_smt_term *[]){number(u, "3")}));
  const hd_smt_sort *map = hd_smt_array(u, x->sort, x->sort);
  const hd_smt_term *m = hd_smt_constant(u, "m", map);
  const hd_smt_term *w = hd_smt_make(u, HD_SMT_STORE, 3, (const hd_smt_term *[]){m, number(u, "1"), x});
  assert_ptr_equal(hd_smt_select(u, w, number(u, "1")), x);
  assert_ptr_equal(hd_smt_select(u, w, number(u, "2")), hd_smt_select(u, m, number(u, "2")));
  assert_ptr_equal(hd_smt_select(u, hd_smt_const_array(u, map, x), number(u, "9")), x);
  hd_smt_free(u);
}

/* A sum of 2^60 terms has 60 different subterms, and so many names. */
static void
test_text_is_linear(void **state)
{
  (void) state;
  hd_smt *u = hd_smt_new();
  const hd_smt_term *x = integer(u, "x"), *sum = x;
  for (int i = 0; i < 60; i++)
    sum = two(u, HD_SMT_ADD, sum, sum);
  const hd_smt_term *claim = hd_smt_not(u, two(u, HD_SMT_GE, sum, x));
  const hd_smt_term *both[] = {claim, two(u, HD_SMT_GE, x, number(u, "0"))};
  hd_string text = {0};
  hd_smt_print(&text, u, both, 2);
  assert_true(text.length < 4000);
  hd_string_free(&text);
  assert_int_equal(decide(u, both, 2), HD_SMT_UNSAT);
  hd_smt_free(u);
}

/* The same under a quantifier: names are given inside it, and end with it. */
static void
test_lets_under_quantifiers(void **state)
{
  (void) state;
  hd_smt *u = hd_smt_new();
  const hd_smt_sort *ints = hd_smt_basic(u, HD_SMT_INT);
  const hd_smt_symbol *f = hd_smt_function(u, "f", ints, 1, &ints), *v = hd_smt_bound(u, "v", ints, 0);
  const hd_smt_symbol *w = hd_smt_bound(u, "w", ints, 1);
  const hd_smt_term *tv = hd_smt_apply(u, v, 0, NULL), *tw = hd_smt_apply(u, w, 0, NULL);
  const hd_smt_term *fv = hd_smt_apply(u, f, 1, &tv), *sum = fv;
  for (int i = 0; i < 40; i++)
    sum = two(u, HD_SMT_ADD, sum, sum);
  const hd_smt_term *fw = hd_smt_apply(u, f, 1, &tw);
  hd_smt_pattern pw = {.n = 1, .terms = &fw}, pv = {.n = 1, .terms = &fv};
  hd_smt_quantifier inner = {.nvars = 1, .vars = &w, .npatterns = 1, .patterns = &pw, .weight = 0};
  const hd_smt_term *low
      = hd_smt_quantify(u, HD_SMT_FORALL, &inner, two(u, HD_SMT_LE, two(u, HD_SMT_MUL, fw, number(u, "0")), sum));
  hd_smt_quantifier outer = {.nvars = 1, .vars = &v, .npatterns = 1, .patterns = &pv, .weight = -1};
  const hd_smt_term *all[] = {
      hd_smt_quantify(u, HD_SMT_FORALL, &outer, low),
      hd_smt_quantify(u, HD_SMT_FORALL, &outer, two(u, HD_SMT_LE, sum, sum->args[0])),
      hd_smt_not(u, hd_smt_equal(u, hd_smt_apply(u, f, 1, (const hd_smt_term *[]){number(u, "5")}), number(u, "0")))};
  assert_int_equal(all[0]->levels, 0);
  hd_string text = {0};
  hd_smt_print(&text, u, all, 3);
  assert_true(text.length < 6000);
  hd_string_free(&text);
  assert_int_equal(decide(u, all, 3), HD_SMT_UNSAT);
  hd_smt_free(u);
}

static void
test_names_of_any_kind(void **state)
{
  (void) state;
  hd_smt *u = hd_smt_new();
  static const char *const names[]
      = {"select", "and", "a b", "x#1", "|", "\\", "$3", "@a", ".b", "1x", "Int", "true", ""};
  const hd_smt_term *all[sizeof names / sizeof *names];
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    all[i] = hd_smt_equal(u, integer(u, names[i]), integer(u, names[i]));
  assert_int_equal(decide(u, all, sizeof names / sizeof *names), HD_SMT_SAT);
  hd_smt_free(u);
}

/* Trees of forests of trees. */
static void
test_datatypes(void **state)
{
  (void) state;
  hd_smt *u = hd_smt_new();
  const hd_smt_sort *tree = hd_smt_named(u, "Tree"), *forest = hd_smt_named(u, "Forest");
  hd_smt_datatype *t = hd_smt_datatype_new(u, tree, 1), *f = hd_smt_datatype_new(u, forest, 2);
  hd_smt_constructor_set(u, t, 0, "node", 1, (const char *[]){"children"}, &forest);
  hd_smt_constructor_set(u, f, 0, "nil", 0, NULL, NULL);
  hd_smt_constructor_set(u, f, 1, "cons", 2, (const char *[]){"head", "tail"}, (const hd_smt_sort *[]){tree, forest});
  const hd_smt_term *x = hd_smt_constant(u, "x", tree);
  const hd_smt_term *children = hd_smt_apply(u, t->constructors[0].fields[0], 1, &x);
  const hd_smt_term *first = hd_smt_apply(u, f->constructors[1].fields[0], 1, &children);
  const hd_smt_term *all[] = {hd_smt_apply(u, f->constructors[1].is, 1, &children), hd_smt_equal(u, first, x)};
  assert_int_equal(decide(u, all, 1), HD_SMT_SAT);
  assert_int_equal(decide(u, all, 2), HD_SMT_UNSAT);
  hd_smt_free(u);
}

static void
check_value(const char *text, const char *expected)
{
  hd_arena *arena = hd_arena_new();
  hd_string out = {0};
  const hd_smt_sexp *x = hd_smt_parse(arena, &text);
  assert_non_null(x);
  hd_smt_show_value(&out, x, 60);
  assert_string_equal(out.text, expected);
  hd_string_free(&out);
  hd_arena_free(arena);
}

static void
test_values(void **state)
{
  (void) state;
  check_value("(- 5)", "-5");
  check_value("T!val!2", "T#2");
  check_value("(store (store ((as const (Array Int Int)) 0) 1 2) (- 3) 4)", "[-3 := 4, 1 := 2, else 0]");
  check_value("(cons 1 |a b|)", "cons(1, a b)");
  check_value("(lambda ((x Int)) x)", "[...]");
  check_value("#x0f", "15bv8");
  check_value("#b101", "5bv3");
  check_value("(_ bv5 8)", "5bv8");
  check_value("#xffffffffffffffffffff", "1208925819614629174706175bv80");
  check_value("(store ((as const (Array (_ BitVec 8) Bool)) false) #x80 true)", "[128bv8 := true, else false]");
}

/* The notation is the program's: the exponent is one of 16. */
static void
test_values_of_floats(void **state)
{
  (void) state;
  check_value("(fp #b0 #x7f #b00000000000000000000000)", "0x1.0e0f24e8");
  check_value("(fp (_ bv0 1) (_ bv128 8) (_ bv6291456 23))", "0x3.8e0f24e8");
  check_value("(fp #b1 #x00 #b00000000000000000000000)", "-0x0.0e0f24e8");
  check_value("(fp #b0 #x00 #b00000000000000000000001)", "0x0.000008e-32f24e8");
  check_value("(fp #b0 #xfe #b11111111111111111111111)", "0xf.fffffe31f24e8");
  check_value("(fp #b1 (_ bv1008 11) (_ bv0 52))", "-0x2.0e-4f53e11");
  check_value("(_ NaN 8 24)", "0NaN24e8");
  check_value("(_ -oo 11 53)", "0-oo53e11");
  check_value("(_ -zero 8 24)", "-0x0.0e0f24e8");
}

static void
test_broken_answers(void **state)
{
  (void) state;
  hd_arena *arena = hd_arena_new();
  const char *broken[] = {"(a", "\"x", ")", ""};
  for (size_t i = 0; i < 4; i++)
    assert_null(hd_smt_parse(arena, &broken[i]));
  hd_arena_free(arena);
}

static void
test_questions_one_after_the_other(void **state)
{
  (void) state;
  hd_smt_solver *s = hd_smt_solver_new(HD_SMT_Z3, NULL);
  const char *first = "(declare-fun x () Int)(declare-fun f () Bool)(assert (=> f (> x 3)))(assert (or f (< x 0)))";
  for (int i = 0; i < 3; i++)
  {
    assert_int_equal(hd_smt_solver_ask(s, first, &plain, 10), HD_SMT_SAT);
    assert_non_null(hd_smt_solver_values(s, "x f"));
    assert_int_equal(hd_smt_solver_more(s, "(assert (not f))(assert (> x 1))", 10), HD_SMT_UNSAT);
  }
  /* An error is one, and does not spoil what follows. */
  assert_int_equal(hd_smt_solver_ask(s, "(assert nonsense)", &plain, 10), HD_SMT_FAILED);
  assert_non_null(strstr(hd_smt_solver_error(s), "nonsense"));
  assert_int_equal(hd_smt_solver_ask(s, first, &plain, 10), HD_SMT_SAT);
  assert_non_null(hd_smt_solver_version(s));
  hd_smt_solver_free(s);
}

static void
test_other_solver(void **state)
{
  (void) state;
  hd_smt_solver *s[] = {hd_smt_solver_new(HD_SMT_Z3, NULL), hd_smt_solver_new(HD_SMT_CVC5, NULL)};
  const char *texts[]
      = {"(declare-fun x () Int)(assert (= (* 2 x) 7))", "(declare-fun x () Int)(assert (= (* 2 x) 7))"};
  if (hd_smt_solver_version(s[1]))
    for (int i = 0; i < 2; i++)
    {
      size_t winner;
      assert_int_equal(hd_smt_solver_ask(s[1], texts[1], &plain, 10), HD_SMT_UNSAT);
      assert_int_equal(hd_smt_solver_race(s, 2, texts, &plain, 10, &winner), HD_SMT_UNSAT);
    }
  else
    assert_non_null(strstr(hd_smt_solver_error(s[1]), "not installed"));
  hd_smt_solver_free(s[0]);
  hd_smt_solver_free(s[1]);
}

/* A script that is called as z3 is. */
static char *
script(const char *folder, const char *name, const char *text)
{
  hd_string path = {0};
  hd_string_printf(&path, "%s/%s", folder, name);
  FILE *f = fopen(path.text, "w");
  assert_non_null(f);
  fprintf(f, "#!/bin/sh\n%s\n", text);
  fclose(f);
  assert_int_equal(chmod(path.text, 0755), 0);
  return path.text;
}

static void
check_bad(const char *program, double seconds, hd_smt_reply expected, const char *words)
{
  hd_smt_solver *s = hd_smt_solver_new(HD_SMT_Z3, program);
  for (int i = 0; i < 2; i++)
  {
    assert_int_equal(hd_smt_solver_ask(s, "(assert true)\n", &plain, seconds), expected);
    if (words && !strstr(hd_smt_solver_error(s), words))
      fail_msg("'%s' is not in '%s'", words, hd_smt_solver_error(s));
  }
  hd_smt_solver_free(s);
}

static void
test_programs_that_are_no_solvers(void **state)
{
  (void) state;
  char folder[] = "/tmp/heddle-smt-XXXXXX";
  assert_non_null(mkdtemp(folder));
  char *dies = script(folder, "dies", "echo bad luck; exit 1"), *mute = script(folder, "mute", "exit 0");
  char *deaf = script(folder, "deaf", "while read -r line; do :; done");
  char *echo = script(folder, "echo", "cat");
  check_bad("/nowhere/z3", 1, HD_SMT_FAILED, "not installed");
  check_bad("/etc/passwd", 1, HD_SMT_FAILED, "cannot be started");
  check_bad(dies, 1, HD_SMT_FAILED, "bad luck");
  check_bad(mute, 1, HD_SMT_FAILED, "ended unexpectedly");
  check_bad(echo, 1, HD_SMT_FAILED, "says");
  hd_smt_solver *s = hd_smt_solver_new(HD_SMT_Z3, deaf);
  assert_int_equal(hd_smt_solver_ask(s, "", &plain, 0.01), HD_SMT_TIMEOUT);
  hd_smt_solver_free(s);
  char *all[] = {dies, mute, deaf, echo};
  for (size_t i = 0; i < 4; i++)
  {
    unlink(all[i]);
    free(all[i]);
  }
  rmdir(folder);
}

static void
test_cache(void **state)
{
  (void) state;
  char folder[] = "/tmp/heddle-cache-XXXXXX";
  assert_non_null(mkdtemp(folder));
  hd_string notes = {0}, command = {0};
  hd_smt_cache *c = hd_smt_cache_open(folder, &notes);
  assert_non_null(c);
  assert_false(hd_smt_cache_has(c, "(assert p)", "z3", "4.8.12", &notes));
  hd_smt_cache_add(c, "(assert p)", "z3", "4.8.12", &notes);
  assert_true(hd_smt_cache_has(c, "(assert p)", "z3", "4.8.12", &notes));
  assert_false(hd_smt_cache_has(c, "(assert q)", "z3", "4.8.12", &notes));
  assert_false(hd_smt_cache_has(c, "(assert p)", "z3", "4.8.13", &notes));
  assert_false(hd_smt_cache_has(c, "(assert p)", "cvc5", "4.8.12", &notes));
  assert_int_equal(notes.length, 0);
  hd_string_printf(&command, "for f in %s/*; do echo x >>$f; done", folder);
  assert_int_equal(system(command.text), 0);
  assert_false(hd_smt_cache_has(c, "(assert p)", "z3", "4.8.12", &notes));
  assert_non_null(strstr(notes.text, "damaged"));
  hd_smt_cache_add(c, "(assert p)", "z3", "4.8.12", &notes);
  assert_true(hd_smt_cache_has(c, "(assert p)", "z3", "4.8.12", &notes));
  hd_smt_cache_close(c);
  hd_string_clear(&command);
  hd_string_printf(&command, "rm -r %s", folder);
  assert_int_equal(system(command.text), 0);
  hd_string_clear(&notes);
  assert_null(hd_smt_cache_open("/nowhere/at/all", &notes));
  assert_non_null(strstr(notes.text, "cannot be made"));
  hd_string_free(&notes);
  hd_string_free(&command);
}

/* ---- what was proved in a run ---- */

enum
{
  ROUNDS = 400,
  TEXTS = 100
};

typedef struct crowd
{
  hd_smt_proved *proved;
  atomic_uint asked[TEXTS]; /* how often it was for somebody to find out */
  atomic_uint wrong;        /* answers */
} crowd;

/* Texts whose number is a multiple of 5 cannot be proved. */
static void *
ask_often(void *argument)
{
  crowd *c = argument;
  for (unsigned i = 0; i < ROUNDS; i++)
  {
    unsigned k = i * 37 % TEXTS;
    char text[20];
    size_t n = (size_t) snprintf(text, sizeof text, "(assert p%u)", k);
    if (hd_smt_proved_before(c->proved, text, n))
      atomic_fetch_add(&c->wrong, k % 5 == 0);
    else
    {
      atomic_fetch_add(&c->asked[k], 1);
      hd_smt_proved_settle(c->proved, text, n, k % 5 != 0);
    }
  }
  return NULL;
}

static void
test_proved_in_this_run(void **state)
{
  (void) state;
  crowd c = {.proved = hd_smt_proved_new()};
  pthread_t threads[3];
  for (size_t i = 0; i < 3; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, ask_often, &c), 0);
  for (size_t i = 0; i < 3; i++)
    pthread_join(threads[i], NULL);
  assert_int_equal(c.wrong, 0);
  /* What is proved is asked once, by whomever; what is not, every time. */
  for (unsigned k = 0; k < TEXTS; k++)
    assert_int_equal(c.asked[k], k % 5 ? 1 : 3 * (ROUNDS / TEXTS));
  hd_smt_proved_free(c.proved);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_equal_terms_are_one),
      cmocka_unit_test(test_simplification),
      cmocka_unit_test(test_text_is_linear),
      cmocka_unit_test(test_lets_under_quantifiers),
      cmocka_unit_test(test_names_of_any_kind),
      cmocka_unit_test(test_datatypes),
      cmocka_unit_test(test_values),
      cmocka_unit_test(test_values_of_floats),
      cmocka_unit_test(test_broken_answers),
      cmocka_unit_test(test_questions_one_after_the_other),
      cmocka_unit_test(test_other_solver),
      cmocka_unit_test(test_programs_that_are_no_solvers),
      cmocka_unit_test(test_cache),
      cmocka_unit_test(test_proved_in_this_run),
  };
  return cmocka_run_group_tests_name("smt", tests, NULL, NULL);
}
