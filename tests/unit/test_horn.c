/* The second opinion: what z3 says to answers that are right and to answers that are wrong, and programs that are not
 * z3. The z3 in PATH is asked.
 *
 * HEDDLE_HORN_CASES=n   how many random controllers are compared (default 20)
 * HEDDLE_HORN_SEED=n    only this one, with its text */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "horn/horn.h"
#include "horn/solver.h"
#include "little/judged.h"
#include "little/little.h"
#include "settings.h"
#include "symbolic/symbolic.h"

/* MOST is UINT64_MAX: by proofs. */
static judged
judge(const char *part, uint64_t most)
{
  hd_control_options options = {.most_threads = most};
  judged j = judged_by(most == UINT64_MAX ? hd_symbolic_verify : hd_control_verify, part, options);
  if (most != UINT64_MAX)
    hd_symbolic_add_equalities(j.c, &options, j.r);
  return j;
}

static const hd_control_second *
second(const judged *j, const char *spec)
{
  for (size_t i = 0; i < j->c->nspecs; i++)
    if (strcmp(j->c->specs[i].name, spec) == 0)
      return &j->r->answers[i].second;
  fail_msg("there is no '%s'", spec);
  return NULL;
}

static bool
is_incomplete_because(const judged *j, const char *text)
{
  return j->r->verdict == HD_INCOMPLETE && !j->r->complete && j->r->incomplete && strstr(j->r->incomplete, text);
}

/* ---- z3 itself ---- */

#define FORMULAS                                                                                                       \
  "SPEC(h_excl, AG(!busy || nR == 0))\n"                                                                               \
  "SPEC(h_counts, AG(nR == count(reading) && count(writing) <= 1))\n"                                                  \
  "SPEC(h_start, nR == 0 && !busy)\n"                                                                                  \
  "SPEC(h_next, AX(nR <= 1))\n"                                                                                        \
  "SPEC(h_next_two, AX(AX(nR <= 2)))\n"                                                                                \
  "SPEC(h_rigid, RIGID(x, AG(IMPLIES(nR == x, AX(nR >= x - 1 && nR <= x + 1)))))\n"                                    \
  "SPEC(h_nested, AG(IMPLIES(nR == 5, AX(AG(nR >= 0)))))\n"                                                            \
  "SPEC(h_either, AG(AX(nR <= 1) || AX(!busy)))\n"                                                                     \
  "SPEC(h_some, AG(nR >= 0) || AG(nR == 7))\n"                                                                         \
  "SPEC(v_few, AG(nR <= 2))\n"                                                                                         \
  "SPEC(v_start, nR == 1)\n"                                                                                           \
  "SPEC(v_next, AX(nR == 1))\n"                                                                                        \
  "SPEC(v_next_two, AX(AX(nR <= 1)))\n"                                                                                \
  "SPEC(v_rigid, RIGID(x, AG(IMPLIES(nR == x, AX(nR >= x)))))\n"                                                       \
  "SPEC(v_nested, AG(IMPLIES(nR == 2, AX(AG(nR >= 1)))))\n"                                                            \
  "SPEC(v_both, AG(nR <= 1) || AG(!busy))\n"                                                                           \
  "SPEC(v_step, AG(AX(!busy) || AX(nR == 0)))\n"                                                                       \
  "SPEC(n_ends, AG(IMPLIES(busy, AF(!busy))))\n"                                                                       \
  "SPEC(n_until, AG(IMPLIES(busy, AU(busy, !busy))))\n"

/* All properties that begin with h_ hold, with v_ are violated, with n_ are no questions for z3. */
static void
check_formulas(const char *part, uint64_t most)
{
  judged j = judge(part, most);
  hd_horn_cross_check(j.c, j.r, &(hd_horn_options){0});
  for (size_t i = 0; i < j.c->nspecs; i++)
  {
    const char *name = j.c->specs[i].name;
    const hd_control_answer *a = &j.r->answers[i];
    hd_control_opinion wanted = name[0] == 'n' ? HD_CONTROL_NOT_ASKED : HD_CONTROL_AGREES;
    if (a->second.opinion != wanted || (wanted == HD_CONTROL_AGREES && a->second.holds != (name[0] == 'h')))
      fail_msg("%s: opinion %d, holds %d, %s", name, a->second.opinion, a->second.holds,
               a->second.text ? a->second.text : "");
  }
  assert_int_equal(j.r->deadlock_second.opinion, HD_CONTROL_AGREES);
  assert_int_equal(j.r->verdict, HD_VIOLATED);
  end(j);
}

static void
it_agrees_for_a_few_threads(void **state)
{
  (void) state;
  check_formulas(RIGHT FORMULAS, 4);
}

static void
it_agrees_for_any_number(void **state)
{
  (void) state;
  check_formulas(RIGHT FORMULAS, UINT64_MAX);
}

/* Guards in order, cases of a conditional, enumerations, constants, nonblocking actions of which no guard holds. */
static void
it_knows_the_whole_model(void **state)
{
  (void) state;
  const char *part = "CONST(k, k >= 2) ASSUME(k <= 9) INT(n, k) INT(missed, 0) ENUM(p, x, (x, y, z))\n"
                     "STATE(a) STATE(b)\n"
                     "BLOCKING(go) WHEN(n > 1) DO(n = n - 1; p = n > 1 ? x : y) WHEN(n > 0) DO(n = -5; p = z) END\n"
                     "NONBLOCKING(back) WHEN(p == z && missed == 0) DO(missed = 0 - 1 - missed) END\n"
                     "EDGE(a, go, b) EDGE(b, back, a)\n"
                     "SPEC(h_order, AG(n >= 1 || n == -5)) SPEC(h_case, AG(IMPLIES(p == y, n <= 1)))\n"
                     "SPEC(h_missed, AG(missed >= -1 && missed <= 0)) SPEC(v_last, AG(n >= 0))\n"
                     "SPEC(v_p, AG(p != y)) SPEC(v_once, AG(missed == 0)) SPEC(h_threads, AG(count(a) >= 0))\n"
                     "SPEC(v_k, AG(n < 9))\n";
  judged j = judge(part, UINT64_MAX);
  assert_true(j.r->deadlock.found);
  end(j);
  check_formulas(part, UINT64_MAX);
}

static void
bindings_and_ranges_are_part_of_the_question(void **state)
{
  (void) state;
  hd_string messages = {0};
  hd_controller *c = fixture_parse("CONST(k, true) INT(n, k) STATE(a) STATE(b) NONBLOCKING(go) WHEN(true) DO(n++) END\n"
                                   "EDGE(a, go, b) SPEC(three, AG(n >= 3)) SPEC(five, AG(n <= 5))",
                                   &messages);
  assert_non_null(c);
  hd_control_binding k = {"k", 3};
  hd_control_options options = {.least_threads = 1, .most_threads = 2, .nbindings = 1, .bindings = &k};
  for (int symbolic = 0; symbolic < 2; symbolic++)
  {
    hd_control_result *r
        = symbolic ? hd_symbolic_verify(c, &options, &messages) : hd_control_verify(c, &options, &messages);
    assert_non_null(r);
    hd_horn_cross_check(c, r, &(hd_horn_options){.nbindings = 1, .bindings = &k});
    assert_int_equal(r->verdict, HD_HOLDS);
    for (size_t i = 0; i < c->nspecs; i++)
      assert_int_equal(r->answers[i].second.opinion, HD_CONTROL_AGREES);
    hd_control_result_free(r);
  }
  hd_control_free(c);
  hd_string_free(&messages);
}

/* ---- answers that are wrong ---- */

static void
a_wrong_proof_is_noticed(void **state)
{
  (void) state;
  judged j = judge(RW("!busy") "SPEC(excl, AG(!busy || nR == 0)) SPEC(apart, AG(count(writing) <= 1))", UINT64_MAX);
  assert_int_equal(j.r->answers[0].verdict, HD_VIOLATED);
  j.r->answers[0].verdict = HD_HOLDS;
  j.r->answers[0].violation.found = false;
  j.r->verdict = HD_HOLDS;
  hd_horn_cross_check(j.c, j.r, &(hd_horn_options){0});
  assert_int_equal(second(&j, "excl")->opinion, HD_CONTROL_DISAGREES);
  assert_false(second(&j, "excl")->holds);
  assert_int_equal(second(&j, "apart")->opinion, HD_CONTROL_AGREES);
  assert_int_equal(j.r->answers[0].verdict, HD_INCOMPLETE);
  assert_true(is_incomplete_because(&j, "disagree"));
  hd_string text = {0};
  hd_control_result_text(&text, j.c, j.r, true);
  assert_non_null(strstr(text.text, "z3 DISAGREES: it says that this is violated"));
  assert_non_null(strstr(text.text, "heddle says that it holds, and z3 that it is violated"));
  hd_string_free(&text);
  end(j);
}

static void
a_wrong_violation_is_noticed(void **state)
{
  (void) state;
  judged j = judge(RIGHT "SPEC(excl, AG(!busy || nR == 0))", 2);
  j.r->answers[0].verdict = HD_VIOLATED;
  j.r->verdict = HD_VIOLATED;
  hd_horn_cross_check(j.c, j.r, &(hd_horn_options){0});
  assert_int_equal(second(&j, "excl")->opinion, HD_CONTROL_DISAGREES);
  assert_true(second(&j, "excl")->holds);
  assert_true(is_incomplete_because(&j, "disagree"));
  end(j);
}

static void
a_wrong_claim_about_deadlock_is_noticed(void **state)
{
  (void) state;
  judged j = judge("INT(n, 0) STATE(a) STATE(b) BLOCKING(go) WHEN(n < 2) DO(n++) END EDGE(a, go, b)\n"
                   "SPEC(s, AG(n <= 2))",
                   UINT64_MAX);
  assert_true(j.r->deadlock.found);
  j.r->deadlock.found = false;
  j.r->no_deadlock = true;
  hd_horn_cross_check(j.c, j.r, &(hd_horn_options){0});
  assert_int_equal(j.r->deadlock_second.opinion, HD_CONTROL_DISAGREES);
  assert_false(j.r->no_deadlock);
  assert_true(is_incomplete_because(&j, "disagree"));
  end(j);
}

static void
a_wrong_equality_is_noticed_and_not_used(void **state)
{
  (void) state;
  judged j = judge(RIGHT "SPEC(excl, AG(!busy || nR == 0)) SPEC(few, AG(nR <= 1))", 2);
  hd_control_term term = {(uint32_t) hd_control_variable_dimension(j.c, 0), 1};
  hd_control_linear never = {0, 1, &term}; /* nR == 0, which r_enter does not keep */
  j.r->nequalities = 1;
  j.r->equalities = &never;
  hd_horn_cross_check(j.c, j.r, &(hd_horn_options){0});
  assert_int_equal(second(&j, "few")->opinion, HD_CONTROL_AGREES); /* violated */
  assert_false(second(&j, "few")->holds);
  assert_non_null(strstr(j.r->incomplete, "equality"));
  assert_false(j.r->complete);
  end(j);
}

static void
it_may_know_what_was_open(void **state)
{
  (void) state;
  judged j = judge(RIGHT "SPEC(excl, AG(!busy || nR == 0)) SPEC(few, AG(nR <= 1))", 2);
  j.r->answers[0].verdict = j.r->answers[1].verdict = j.r->verdict = HD_INCOMPLETE;
  j.r->answers[0].incomplete = j.r->answers[1].incomplete = j.r->incomplete = "for a test";
  hd_horn_cross_check(j.c, j.r, &(hd_horn_options){0});
  assert_int_equal(second(&j, "excl")->opinion, HD_CONTROL_ALONE);
  assert_true(second(&j, "excl")->holds);
  assert_int_equal(second(&j, "few")->opinion, HD_CONTROL_ALONE);
  assert_false(second(&j, "few")->holds);
  assert_int_equal(j.r->verdict, HD_INCOMPLETE);
  end(j);
}

/* ---- programs that are not z3 ---- */

static void
only_a_plain_answer_counts(void **state)
{
  (void) state;
  static const struct
  {
    const char *out;
    hd_horn_reply reply;
    const char *why;
  } cases[] = {
      {"sat\n", HD_HORN_SAT, NULL},
      {"sat", HD_HORN_SAT, NULL},
      {"unsat\r\n", HD_HORN_UNSAT, NULL},
      {"unknown\n", HD_HORN_UNKNOWN, NULL},
      {"timeout\n", HD_HORN_UNKNOWN, NULL},
      {"", HD_HORN_FAILED, "it says nothing"},
      {"sat\nunsat\n", HD_HORN_FAILED, "it says 'unsat'"},
      {"(error \"line 3 column 9: unknown constant\")\nsat\n", HD_HORN_FAILED,
       "it says '(error \"line 3 column 9: unknown constant\")'"},
      {"sat\n(error \"late\")\n", HD_HORN_FAILED, "it says '(error \"late\")'"},
      {"saturn\n", HD_HORN_FAILED, "it says 'saturn'"},
      {"\n", HD_HORN_FAILED, "it says ''"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
  {
    hd_string why = {0};
    assert_int_equal(hd_horn_read(cases[i].out, &why), cases[i].reply);
    if (cases[i].why)
      assert_string_equal(why.text, cases[i].why);
    else
      assert_int_equal(why.length, 0);
    hd_string_free(&why);
  }
}

/* What SCRIPT, which is called in place of z3, makes of a right lock. */
static judged
pretend(const char *script, double seconds)
{
  char path[] = "/tmp/heddle-horn-XXXXXX";
  int fd = mkstemp(path);
  assert_true(fd >= 0);
  FILE *f = fdopen(fd, "w");
  assert_non_null(f);
  fprintf(f, "#!/bin/sh\n%s\n", script);
  fchmod(fd, 0700);
  fclose(f);
  judged j = judge(RIGHT "SPEC(excl, AG(!busy || nR == 0)) SPEC(live, AG(IMPLIES(busy, AF(!busy))))", UINT64_MAX);
  hd_horn_cross_check(j.c, j.r, &(hd_horn_options){.solver = path, .seconds = seconds});
  unlink(path);
  return j;
}

static void
check_failure(const char *script, const char *text)
{
  judged j = pretend(script, 0);
  assert_int_equal(second(&j, "excl")->opinion, HD_CONTROL_FAILED);
  if (!strstr(second(&j, "excl")->text, text))
    fail_msg("'%s' for %s", second(&j, "excl")->text, script);
  assert_int_equal(second(&j, "live")->opinion, HD_CONTROL_NOT_ASKED);
  assert_int_equal(j.r->answers[0].verdict, HD_HOLDS); /* nobody said otherwise */
  assert_true(is_incomplete_because(&j, "z3 could not be asked about everything"));
  end(j);
}

static void
failures_are_no_answers(void **state)
{
  (void) state;
  check_failure("echo '(error \"no\")'; echo sat", "it says '(error \"no\")'");
  check_failure("echo sat; echo '(error \"no\")'; exit 1", "it says '(error \"no\")'");
  check_failure("echo sat; exit 1", "failed after its answer");
  check_failure("echo 'no such logic' >&2; exit 1", "it says 'no such logic'");
  check_failure("exit 1", "it failed");
  check_failure("exit 0", "it says nothing");
  check_failure("echo hello", "it says 'hello'");
  check_failure("kill -9 $$", "it failed");
}

static void
no_answer_changes_nothing(void **state)
{
  (void) state;
  static const char *const scripts[] = {"echo unknown", "echo timeout; exit 1", "exec sleep 1000"};
  for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++)
  {
    judged j = pretend(scripts[i], 0.5);
    assert_int_equal(second(&j, "excl")->opinion, HD_CONTROL_NO_ANSWER);
    assert_int_equal(j.r->verdict, HD_HOLDS);
    assert_true(j.r->complete);
    hd_string text = {0};
    hd_control_result_text(&text, j.c, j.r, false);
    assert_non_null(strstr(text.text, i == 2 ? "z3 has no answer in 0.5 s\n" : "z3 does not know ("));
    hd_string_free(&text);
    end(j);
  }
}

static void
it_is_believed_when_it_lies(void **state)
{
  (void) state;
  judged j = pretend("echo unsat", 0);
  assert_int_equal(second(&j, "excl")->opinion, HD_CONTROL_DISAGREES);
  assert_true(is_incomplete_because(&j, "disagree"));
  end(j);
}

static void
a_missing_solver_is_said(void **state)
{
  (void) state;
  judged j = judge(RIGHT "SPEC(excl, AG(!busy || nR == 0))", 2);
  hd_horn_cross_check(j.c, j.r, &(hd_horn_options){.solver = "/nowhere/z3"});
  assert_int_equal(second(&j, "excl")->opinion, HD_CONTROL_FAILED);
  assert_string_equal(second(&j, "excl")->text, "it is not installed");
  assert_int_equal(j.r->answers[0].verdict, HD_HOLDS);
  assert_true(is_incomplete_because(&j, "the package is called z3"));
  end(j);
  /* What is violated stays so. */
  j = judge(RIGHT "SPEC(few, AG(nR <= 1))", 2);
  hd_horn_cross_check(j.c, j.r, &(hd_horn_options){.solver = "/nowhere/z3"});
  assert_int_equal(j.r->verdict, HD_VIOLATED);
  assert_false(j.r->complete);
  end(j);
}

/* ---- random ones ---- */

/* The same finite question: every state for up to two threads here, Horn clauses there. */
static void
compare_random(uint64_t seed, bool show, size_t *agreed, size_t *violated, size_t *open)
{
  little l;
  uint64_t random = seed * 0x9E3779B97F4A7C15u + 1;
  hd_string text = {0}, messages = {0};
  little_make(&l, &random);
  if (seed % 2)
    little_vary(&l, &random);
  little_print(&text, &l, &random);
  if (show)
    fputs(text.text, stderr);
  hd_controller *c = hd_control_parse("little.h", text.text, text.length, &messages);
  hd_control_result *r = NULL;
  if (c)
  {
    hd_control_options options = {.least_threads = c->least_threads, .most_threads = c->least_threads + 2};
    r = hd_control_verify(c, &options, &messages);
    if (r)
      hd_symbolic_add_equalities(c, &options, r);
  }
  if (r)
  {
    hd_horn_cross_check(c, r, &(hd_horn_options){.seconds = 1});
    for (size_t i = 0; i <= c->nspecs; i++)
    {
      const hd_control_second *s = i < c->nspecs ? &r->answers[i].second : &r->deadlock_second;
      if (s->opinion == HD_CONTROL_DISAGREES || s->opinion == HD_CONTROL_FAILED)
        fail_msg("seed %llu: opinion %d about property %zu, %s, for\n%s", (unsigned long long) seed, s->opinion, i,
                 s->text ? s->text : "", text.text);
      *agreed += s->opinion == HD_CONTROL_AGREES;
      *violated += s->opinion == HD_CONTROL_AGREES && !s->holds;
      *open += s->opinion == HD_CONTROL_NO_ANSWER;
    }
  }
  hd_control_result_free(r);
  hd_control_free(c);
  hd_string_free(&text);
  hd_string_free(&messages);
  little_free(&l);
}

static void
random_controllers(void **state)
{
  (void) state;
  uint64_t n = setting("HEDDLE_HORN_CASES", 20), one = setting("HEDDLE_HORN_SEED", 0);
  size_t agreed = 0, violated = 0, open = 0;
  for (uint64_t seed = one ? one : 1; seed <= (one ? one : n); seed++)
    compare_random(seed, one != 0, &agreed, &violated, &open);
  print_message("# %llu random controllers: %zu answers agree, %zu of them violated, %zu without an answer\n",
                (unsigned long long) n, agreed, violated, open);
  assert_true(agreed > 0);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_agrees_for_a_few_threads),
      cmocka_unit_test(it_agrees_for_any_number),
      cmocka_unit_test(it_knows_the_whole_model),
      cmocka_unit_test(bindings_and_ranges_are_part_of_the_question),
      cmocka_unit_test(a_wrong_proof_is_noticed),
      cmocka_unit_test(a_wrong_violation_is_noticed),
      cmocka_unit_test(a_wrong_claim_about_deadlock_is_noticed),
      cmocka_unit_test(a_wrong_equality_is_noticed_and_not_used),
      cmocka_unit_test(it_may_know_what_was_open),
      cmocka_unit_test(only_a_plain_answer_counts),
      cmocka_unit_test(failures_are_no_answers),
      cmocka_unit_test(no_answer_changes_nothing),
      cmocka_unit_test(it_is_believed_when_it_lies),
      cmocka_unit_test(a_missing_solver_is_said),
      cmocka_unit_test(random_controllers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
