/* Judging controllers for any number of threads: verdicts, proofs, traces, options, and what is not known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "little/judged.h"
#include "recheck/recheck.h"
#include "symbolic/symbolic.h"

#define EXAMPLES TEST_SOURCE_ROOT "/examples/controllers/"

/* Threads count up to size and down again. */
#define BUFFER                                                                                                         \
  "CONST(size, size >= 1) INT(n, 0) STATE(idle)\n"                                                                     \
  "BLOCKING(put) WHEN(n < size) DO(n++) END BLOCKING(get) WHEN(n > 0) DO(n--) END\n"                                   \
  "EDGE(idle, put, idle) EDGE(idle, get, idle)\n"

static const hd_control_options any_number = {.most_threads = UINT64_MAX};

static judged
judge_with(const char *part, hd_control_options options)
{
  return judged_by(hd_symbolic_verify, part, options);
}

static judged
judge(const char *part)
{
  return judge_with(part, any_number);
}

/* Every proof is accepted, as it is and after it was written and read. Returns how many there are. */
static size_t
recheck(const hd_controller *c, const hd_control_result *r)
{
  hd_string text = {0}, said = {0};
  hd_arena *arena = hd_arena_new();
  hd_certificate_write(&text, c, r->certificate);
  const hd_control_certificate *again = hd_certificate_parse(c, "certificate", text.text, text.length, arena, &said);
  if (!again)
    fail_msg("%s\n%s", said.text, text.text);
  size_t proved[2] = {0};
  for (int i = 0; i < 2; i++)
  {
    hd_recheck_result *checked = hd_recheck_run(c, i ? again : r->certificate, 0);
    hd_string_clear(&said);
    hd_recheck_text(&said, c, checked, false);
    if (checked->verdict != HD_HOLDS)
      fail_msg("%s\n%s", said.text, text.text);
    for (size_t k = 0; k < checked->n; k++)
    {
      assert_true(checked->claims[k].status == HD_RECHECK_PROVED || checked->claims[k].status == HD_RECHECK_ABSENT);
      proved[i] += checked->claims[k].status == HD_RECHECK_PROVED;
    }
    hd_recheck_free(checked);
  }
  assert_int_equal(proved[0], proved[1]);
  hd_arena_free(arena);
  hd_string_free(&text);
  hd_string_free(&said);
  return proved[0];
}

/* ---- the examples ---- */

/* Every property holds; whether a deadlock is reachable differs. */
static const struct
{
  const char *name;
  bool deadlock;
} examples[] = {
    {"airport", false},
    {"barber", true},  /* a barber without customers */
    {"barrier", true}, /* too few threads */
    {"barrier_reusable", true},
    {"bb", false},
    {"bb_mutex", false},
    {"bb_rw", false},
    {"bridge", false},
    {"latch", false},
    {"mutex", false},
    {"rcu", false},
    {"rw", false},
    {"rw_fair", false},
    {"rw_writers", false},
    {"semaphore", false},
    {"semaphore_weighted", false},
    {"water", true}, /* too few atoms */
};

static void
the_examples_hold_for_any_number_of_threads(void **state)
{
  (void) state;
  for (size_t i = 0; i < sizeof examples / sizeof *examples; i++)
  {
    hd_string path = {0}, messages = {0};
    hd_string_printf(&path, EXAMPLES "%s.h", examples[i].name);
    judged j = {.c = hd_control_read(path.text, &messages)};
    assert_non_null(j.c);
    j.r = hd_symbolic_verify(j.c, &any_number, &messages);
    assert_non_null(j.r);
    for (size_t s = 0; s < j.c->nspecs; s++)
      if (j.r->answers[s].verdict != HD_HOLDS)
        fail_msg("%s: %s: %s", examples[i].name, j.c->specs[s].name,
                 j.r->answers[s].incomplete ? j.r->answers[s].incomplete : "violated");
    assert_int_equal(j.r->verdict, HD_HOLDS);
    assert_true(j.r->symbolic && j.r->complete);
    assert_int_equal(j.r->most_threads, UINT64_MAX);
    if (j.r->deadlock.found != examples[i].deadlock || j.r->no_deadlock == examples[i].deadlock)
      fail_msg("%s: deadlock", examples[i].name);
    assert_int_equal(recheck(j.c, j.r), j.c->nspecs + !examples[i].deadlock);
    end(j);
    hd_string_free(&path);
    hd_string_free(&messages);
  }
}

/* ---- equalities case by case ---- */

/* A barrier for size threads, with even and odd rounds; THEN is which round comes after an odd one. */
#define ALL "count(even) + count(at_even) + count(odd) + count(at_odd)"
#define ROUNDS(then)                                                                                                   \
  "CONST(size, size >= 1) INT(come, 0) BOOL(second, false)\n"                                                          \
  "STATE(even) STATE(at_even) STATE(odd) STATE(at_odd)\n"                                                              \
  "NONBLOCKING(come_even) WHEN(come + 1 < size) DO(come++) WHEN(true) DO(come = 0; second = true) END\n"               \
  "BLOCKING(pass_even) WHEN(second) DO() END\n"                                                                        \
  "NONBLOCKING(come_odd) WHEN(come + 1 < size) DO(come++) WHEN(true) DO(come = 0; second = " then ") END\n"            \
  "BLOCKING(pass_odd) WHEN(!second) DO() END\n"                                                                        \
  "EDGE(even, come_even, at_even) EDGE(at_even, pass_even, odd)\n"                                                     \
  "EDGE(odd, come_odd, at_odd) EDGE(at_odd, pass_odd, even)\n"

static void
equalities_may_depend_on_the_case(void **state)
{
  (void) state;
  static const char together[]
      = ROUNDS("false") "SPEC(ahead, AG(IMPLIES(" ALL " <= size && !second, count(odd) == 0)))"
                        "SPEC(again, AG(IMPLIES(" ALL " <= size && second, count(even) == 0)))"
                        "SPEC_FAIR(opens, AG(IMPLIES(" ALL " == size && !second, AF(second))))";
  judged j = judge(together);
  for (size_t i = 0; i < 3; i++)
    assert_int_equal(j.r->answers[i].verdict, HD_HOLDS);
  assert_non_null(strstr(j.r->answers[0].how, "cases"));
  assert_int_equal(recheck(j.c, j.r), 3);
  end(j);
  /* With one thread too many somebody can be left behind; and if the rounds do not alternate nobody comes back. */
  j = judge(ROUNDS("false") "SPEC(ahead, AG(IMPLIES(" ALL " <= size + 1 && !second, count(odd) == 0)))");
  assert_int_equal(j.r->answers[0].verdict, HD_VIOLATED);
  end(j);
  j = judge(ROUNDS("true") "SPEC_FAIR(opens, AG(IMPLIES(" ALL " == size && second, AF(!second))))");
  assert_int_equal(j.r->answers[0].verdict, HD_VIOLATED);
  end(j);
}

/* ---- what is violated ---- */

/* A property, and the fewest threads that violate it. */
static const struct
{
  const char *part;
  uint64_t threads;
  hd_control_end end;
} wrong[] = {
    {RW("!busy") "SPEC(excl, AG(!busy || nR == 0))", 2, HD_CONTROL_END_STATE},
    {RW("nR == 0") "SPEC(alone, AG(count(writing) <= 1))", 2, HD_CONTROL_END_STATE},
    {RIGHT "SPEC(few, AG(nR <= 2))", 3, HD_CONTROL_END_STATE},
    {RIGHT "SPEC(few, AG(nR <= 11))", 12, HD_CONTROL_END_STATE},
    {RIGHT "SPEC(written, AF(busy))", 0, HD_CONTROL_END_FINISHED},
    {"THREADS(>= 1) " RIGHT "SPEC(written, AF(busy))", 1, HD_CONTROL_END_LOOP},
    {RIGHT "SPEC(written, AG(IMPLIES(nR == 3, AF(busy))))", 3, HD_CONTROL_END_LOOP},
    {RIGHT "SPEC(until, AG(IMPLIES(nR == 1, AU(nR <= 3, nR == 0))))", 2, HD_CONTROL_END_LOOP},
    {RIGHT "SPEC(step, RIGID(x, AG(IMPLIES(nR == x, AX(nR >= x)))))", 1, HD_CONTROL_END_STATE},
    {RIGHT "SPEC(keeps, AG(IMPLIES(nR == 2, AX(nR != 2 && AX(nR != 2)))))", 2, HD_CONTROL_END_STATE},
    {BUFFER "SPEC(few, AG(n <= 1))", 1, HD_CONTROL_END_STATE},
    {BUFFER "SPEC(few, AG(n <= 6))", 1, HD_CONTROL_END_STATE}, /* with a size that is not looked at first */
};

static void
what_is_wrong_is_shown_with_the_fewest_threads(void **state)
{
  (void) state;
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
  {
    judged j = judge(wrong[i].part);
    const hd_control_answer *a = &j.r->answers[0];
    if (j.r->verdict != HD_VIOLATED || !a->violation.found || a->violation.threads != wrong[i].threads
        || a->violation.trace.end != wrong[i].end)
      fail_msg("verdict %d, %llu threads, end %d: %s for\n%s", (int) j.r->verdict,
               (unsigned long long) a->violation.threads, (int) a->violation.trace.end,
               a->incomplete ? a->incomplete : "", wrong[i].part);
    assert_null(j.r->certificate->proofs[0]);
    end(j);
  }
}

static void
constants_are_found_beyond_the_ones_that_are_tried_first(void **state)
{
  (void) state;
  judged j = judge(BUFFER "SPEC(few, AG(n <= 6))");
  assert_int_equal(j.r->answers[0].violation.constants[0], 7);
  assert_int_equal(j.r->answers[0].violation.trace.n, 8);
  end(j);
}

static void
properties_that_hold_stand_beside_violated_ones(void **state)
{
  (void) state;
  judged j = judge(RW("!busy") "SPEC(excl, AG(!busy || nR == 0)) SPEC(count, AG(nR == count(reading)))");
  assert_int_equal(j.r->verdict, HD_VIOLATED);
  assert_int_equal(j.r->answers[0].verdict, HD_VIOLATED);
  assert_int_equal(j.r->answers[1].verdict, HD_HOLDS);
  assert_int_equal(recheck(j.c, j.r), 2); /* and that there is no deadlock */
  end(j);
}

/* ---- invariants that are no equalities ---- */

static void
inequalities_are_found(void **state)
{
  (void) state;
  static const char *const parts[] = {
      /* Whoever leaves does not say so: nR >= count(reading). */
      "INT(nR, 0) BOOL(busy, false) STATE(idle) STATE(reading) STATE(writing)\n"
      "BLOCKING(r_enter) WHEN(!busy) DO(nR = nR + 1) END NONBLOCKING(r_exit) WHEN(true) DO() END\n"
      "BLOCKING(w_enter) WHEN(nR == 0 && !busy) DO(busy = true) END NONBLOCKING(w_exit) WHEN(true) DO(busy = false) "
      "END\nEDGE(idle, r_enter, reading) EDGE(reading, r_exit, idle) EDGE(idle, w_enter, writing)\n"
      "EDGE(writing, w_exit, idle) SPEC(apart, AG(count(writing) == 0 || count(reading) == 0))",
      /* Not everybody who enters is counted: n <= count(inside). */
      "CONST(most, true) INT(n, 0) STATE(idle) STATE(inside) NONBLOCKING(enter) WHEN(n < most) DO(n++) END\n"
      "NONBLOCKING(leave) WHEN(true) DO(n--) END EDGE(idle, enter, inside) EDGE(inside, leave, idle)\n"
      "SPEC(someone, AG(n <= 0 || count(inside) > 0))",
  };
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
  {
    judged j = judge(parts[i]);
    assert_int_equal(j.r->verdict, HD_HOLDS);
    recheck(j.c, j.r);
    end(j);
  }
}

/* ---- options ---- */

static void
numbers_of_threads_can_be_given(void **state)
{
  (void) state;
  static const struct
  {
    uint64_t least, most;
    hd_verdict verdict;
    uint64_t threads;
  } ranges[] = {
      {0, 2, HD_HOLDS, 0},
      {2, 2, HD_HOLDS, 0},
      {0, 3, HD_VIOLATED, 3},
      {5, 9, HD_VIOLATED, 5},
      {7, UINT64_MAX, HD_VIOLATED, 7},
  };
  for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
  {
    judged j = judge_with(RIGHT "SPEC(few, AG(nR <= 2))",
                          (hd_control_options){.least_threads = ranges[i].least, .most_threads = ranges[i].most});
    assert_int_equal(j.r->verdict, ranges[i].verdict);
    assert_int_equal(j.r->least_threads, ranges[i].least);
    assert_int_equal(j.r->most_threads, ranges[i].most);
    assert_int_equal(j.r->answers[0].violation.threads, ranges[i].threads);
    recheck(j.c, j.r);
    end(j);
  }
}

static void
the_file_says_how_many_threads_there_are(void **state)
{
  (void) state;
  judged j = judge("THREADS(<= 2) " RIGHT "SPEC(few, AG(nR <= 2))");
  assert_int_equal(j.r->verdict, HD_HOLDS);
  assert_int_equal(j.r->most_threads, 2);
  assert_int_equal(recheck(j.c, j.r), 2);
  end(j);
  j = judge("THREADS(>= 1) CONST(size, size >= 1) INT(n, 0) STATE(idle)\n"
            "BLOCKING(put) WHEN(n < size) DO(n++) END EDGE(idle, put, idle) SPEC(full, AF(n == size))");
  assert_int_equal(j.r->verdict, HD_HOLDS); /* with no thread it would not */
  assert_int_equal(j.r->least_threads, 1);
  recheck(j.c, j.r);
  end(j);
}

static void
constants_can_be_given(void **state)
{
  (void) state;
  for (int64_t size = 1; size <= 9; size++)
  {
    hd_control_binding b = {"size", size};
    judged j = judge_with(BUFFER "SPEC(few, AG(n <= 5))",
                          (hd_control_options){.most_threads = UINT64_MAX, .nbindings = 1, .bindings = &b});
    assert_int_equal(j.r->verdict, size <= 5 ? HD_HOLDS : HD_VIOLATED);
    if (size > 5)
      assert_int_equal(j.r->answers[0].violation.constants[0], size);
    recheck(j.c, j.r);
    end(j);
  }
}

static void
options_that_do_not_fit_are_refused(void **state)
{
  (void) state;
  static const hd_control_binding other = {"sise", 2};
  const hd_control_options bad[] = {
      {.least_threads = 3, .most_threads = UINT64_MAX},
      {.most_threads = UINT64_MAX, .nbindings = 1, .bindings = &other},
  };
  static const char *const why[] = {"the range of threads is empty", "has no constant 'sise'"};
  hd_string messages = {0};
  hd_controller *c = fixture_parse("THREADS(<= 2) " BUFFER "SPEC(few, AG(n <= size))", &messages);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
  {
    hd_string_clear(&messages);
    assert_null(hd_symbolic_verify(c, &bad[i], &messages));
    assert_non_null(strstr(messages.text, why[i]));
  }
  hd_control_free(c);
  hd_string_free(&messages);
}

static void
properties_can_be_chosen(void **state)
{
  (void) state;
  static const char part[] = RW("!busy") "SPEC(excl, AG(!busy || nR == 0)) SPEC(count, AG(nR == count(reading)))\n"
                                         "SPEC(step, RIGID(x, AG(IMPLIES(nR == x, AX(nR <= x + 1)))))";
  static const char *const names[] = {"step", "count"}, *const other[] = {"count", "steps"};
  hd_string messages = {0}, text = {0};
  hd_controller *c = fixture_parse(part, &messages), *whole = fixture_parse(part, &messages);
  assert_false(hd_control_select(c, other, 2, &messages));
  assert_string_equal(messages.text, "t.h has no property 'steps'; did you mean 'step'?");
  assert_int_equal(c->nspecs, 3);
  hd_string_clear(&messages);
  assert_true(hd_control_select(c, names, 2, &messages));
  assert_int_equal(c->nspecs, 2);
  assert_string_equal(c->specs[0].name, "count"); /* in the order of the file */
  hd_control_result *r = hd_symbolic_verify(c, &any_number, &messages);
  assert_int_equal(r->verdict, HD_HOLDS); /* what was left out is violated */
  assert_int_equal(recheck(c, r), 3);
  hd_control_result *small
      = hd_control_verify(c, &(hd_control_options){.least_threads = 2, .most_threads = 2}, &messages);
  assert_int_equal(small->verdict, HD_HOLDS);
  /* The proofs are good for the whole controller too. */
  hd_arena *arena = hd_arena_new();
  hd_certificate_write(&text, c, r->certificate);
  const hd_control_certificate *k = hd_certificate_parse(whole, "k", text.text, text.length, arena, &messages);
  assert_non_null(k);
  hd_recheck_result *again = hd_recheck_run(whole, k, 0);
  assert_int_equal(again->verdict, HD_HOLDS);
  assert_int_equal(again->claims[0].status, HD_RECHECK_ABSENT);
  assert_int_equal(again->claims[2].status, HD_RECHECK_PROVED);
  hd_recheck_free(again);
  hd_arena_free(arena);
  hd_control_result_free(small);
  hd_control_result_free(r);
  hd_control_free(c);
  hd_control_free(whole);
  hd_string_free(&messages);
  hd_string_free(&text);
}

static void
a_deadlock_can_be_forbidden(void **state)
{
  (void) state;
  static const char part[] = "INT(n, 0) STATE(idle) STATE(cs) NONBLOCKING(enter) WHEN(true) DO(n++) END\n"
                             "BLOCKING(leave) WHEN(n >= 3) DO() END EDGE(idle, enter, cs) EDGE(cs, leave, idle)\n"
                             "SPEC(counts, AG(n >= 0))";
  hd_control_options options = any_number;
  judged j = judge_with(part, options);
  assert_int_equal(j.r->verdict, HD_HOLDS);
  assert_true(j.r->deadlock.found && !j.r->no_deadlock);
  assert_int_equal(j.r->deadlock.threads, 1);
  end(j);
  options.forbid_deadlock = true;
  j = judge_with(part, options);
  assert_int_equal(j.r->verdict, HD_VIOLATED);
  end(j);
}

static void
fairness_decides(void **state)
{
  (void) state;
  /* Threads may turn for ever in one state while another one could be left. */
  static const char part[] = "INT(n, 0) STATE(idle) STATE(busy) NONBLOCKING(turn) WHEN(true) DO() END\n"
                             "NONBLOCKING(begin) WHEN(true) DO(n++) END NONBLOCKING(finish) WHEN(true) DO(n--) END\n"
                             "EDGE(idle, turn, idle) EDGE(idle, begin, busy) EDGE(busy, finish, idle)\n"
                             "SPEC(loops, AG(IMPLIES(n == 1, AX(AX(true)) && AF(n != 1))))\n"
                             "SPEC_FAIR(ends, AG(IMPLIES(n == 1, AF(n != 1))))";
  judged j = judge(part);
  assert_int_equal(j.r->answers[0].verdict, HD_VIOLATED);
  assert_int_equal(j.r->answers[1].verdict, HD_HOLDS);
  recheck(j.c, j.r);
  end(j);
  hd_control_options options = any_number;
  options.fair = true;
  j = judge_with(part, options);
  assert_int_equal(j.r->verdict, HD_HOLDS);
  assert_true(j.r->certificate->fair);
  recheck(j.c, j.r);
  end(j);
}

/* ---- notes ---- */

static bool
has_note(const judged *j, const char *kind, const char *text)
{
  for (size_t i = 0; i < j->r->nnotes; i++)
    if (strcmp(j->r->notes[i].kind, kind) == 0 && strstr(j->r->notes[i].text, text))
      return true;
  return false;
}

static void
what_never_happens_is_noted_only_if_it_is_proved(void **state)
{
  (void) state;
  judged j = judge(BUFFER "STATE(far) BLOCKING(late) WHEN(n >= 9) DO() END BLOCKING(dead) WHEN(n < 0) DO() END\n"
                          "EDGE(idle, late, idle) EDGE(idle, dead, far) SPEC(bounded, AG(n <= size))\n"
                          "SPEC(empty, AG(IMPLIES(n > size, n == 0)))");
  assert_int_equal(j.r->verdict, HD_HOLDS);
  assert_true(has_note(&j, "dead-action", "'dead'"));
  assert_true(has_note(&j, "unreachable-state", "'far'"));
  assert_false(has_note(&j, "dead-action", "'late'")); /* no small instance comes that far */
  assert_true(has_note(&j, "vacuous", "'empty'"));
  end(j);
  j = judge(RIGHT "SPEC(seven, AG(IMPLIES(nR == 7, AX(nR >= 6 && nR <= 8))))");
  assert_int_equal(j.r->verdict, HD_HOLDS);
  assert_int_equal(j.r->nnotes, 0); /* seven threads can read */
  end(j);
}

/* ---- what is not known ---- */

static void
what_is_not_known_is_said(void **state)
{
  (void) state;
  /* It holds, because 7 divides every n; but n grows and shrinks by more and more, and nothing linear says so. */
  static const char part[] = "INT(n, 0) INT(m, 0) STATE(idle) BLOCKING(up) WHEN(true) DO(n = n + m, m = m + 7) END\n"
                             "BLOCKING(down) WHEN(true) DO(n = n - m, m = m - 14) END\n"
                             "EDGE(idle, up, idle) EDGE(idle, down, idle) SPEC(never, AG(n != 1000003))";
  hd_control_options options = any_number;
  options.seconds = 0.2;
  judged j = judge_with(part, options);
  assert_int_equal(j.r->verdict, HD_INCOMPLETE);
  assert_int_equal(j.r->answers[0].verdict, HD_INCOMPLETE);
  assert_non_null(j.r->answers[0].incomplete);
  assert_null(j.r->certificate->proofs[0]);
  assert_false(j.r->complete);
  assert_false(j.r->answers[0].vacuous);
  end(j);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_examples_hold_for_any_number_of_threads),
      cmocka_unit_test(equalities_may_depend_on_the_case),
      cmocka_unit_test(what_is_wrong_is_shown_with_the_fewest_threads),
      cmocka_unit_test(constants_are_found_beyond_the_ones_that_are_tried_first),
      cmocka_unit_test(properties_that_hold_stand_beside_violated_ones),
      cmocka_unit_test(inequalities_are_found),
      cmocka_unit_test(numbers_of_threads_can_be_given),
      cmocka_unit_test(the_file_says_how_many_threads_there_are),
      cmocka_unit_test(constants_can_be_given),
      cmocka_unit_test(options_that_do_not_fit_are_refused),
      cmocka_unit_test(properties_can_be_chosen),
      cmocka_unit_test(a_deadlock_can_be_forbidden),
      cmocka_unit_test(fairness_decides),
      cmocka_unit_test(what_never_happens_is_noted_only_if_it_is_proved),
      cmocka_unit_test(what_is_not_known_is_said),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
