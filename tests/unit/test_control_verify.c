/* Judging controllers for given numbers of threads: verdicts, traces, notes, bounds, playing and drawing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "little/judged.h"

static judged
judge_with(const char *part, hd_control_options options)
{
  return judged_by(hd_control_verify, part, options);
}

static judged
judge(const char *part, uint64_t least, uint64_t most)
{
  return judge_with(part, (hd_control_options){.least_threads = least, .most_threads = most});
}

static bool
has_note(const judged *j, const char *kind, const char *text)
{
  for (size_t i = 0; i < j->r->nnotes; i++)
    if (strcmp(j->r->notes[i].kind, kind) == 0 && strstr(j->r->notes[i].text, text))
      return true;
  return false;
}

static void
a_right_lock_holds(void **state)
{
  (void) state;
  judged j
      = judge(RIGHT "SPEC(excl, AG(!busy || nR == 0)) SPEC(live, AG(IMPLIES(busy, AF(!busy))))\n"
                    "SPEC(count, AG(nR == count(reading))) SPEC(step, RIGID(x, AG(IMPLIES(nR == x, AX(nR >= x - 1)))))",
              0, 4);
  assert_int_equal(j.r->verdict, HD_HOLDS);
  assert_int_equal(j.r->nnotes, 0);
  assert_false(j.r->deadlock.found);
  end(j);
}

static void
a_wrong_lock_is_shown_with_fewest_threads(void **state)
{
  (void) state;
  judged j = judge(RW("!busy") "SPEC(excl, AG(!busy || nR == 0))", 1, 4);
  const hd_control_finding *f = &j.r->answers[0].violation;
  assert_int_equal(j.r->verdict, HD_VIOLATED);
  assert_int_equal(f->threads, 2);
  assert_int_equal(f->trace.n, 3);
  assert_int_equal(f->trace.end, HD_CONTROL_END_STATE);
  assert_int_equal(f->trace.steps[1].thread, 1);
  assert_int_equal(f->trace.steps[2].thread, 2);
  assert_string_equal(f->trace.reason, "'!busy || nR == 0' is false");
  hd_string text = {0}, json = {0};
  hd_control_result_text(&text, j.c, j.r, false);
  assert_non_null(strstr(text.text, "     2       2  w_enter  idle -> writing     9  busy = true\n"));
  assert_non_null(strstr(text.text, "'excl' is violated with 2 threads:"));
  assert_non_null(strstr(text.text, "Checked with 1 to 2 threads"));
  hd_control_result_json(&json, j.c, j.r);
  assert_non_null(strstr(json.text, "\"any_number\":false"));
  assert_non_null(strstr(json.text, "\"end\":\"state\""));
  hd_string_free(&text);
  hd_string_free(&json);
  end(j);
}

static void
liveness_fails_by_a_loop_or_a_deadlock(void **state)
{
  (void) state;
  judged j = judge(RIGHT "SPEC(writer, AF(busy)) SPEC(until, AU(nR <= 1, busy))", 1, 1);
  const hd_control_trace *t = &j.r->answers[0].violation.trace;
  assert_int_equal(t->end, HD_CONTROL_END_LOOP);
  assert_int_equal(t->loop, 0);
  assert_int_equal(t->n, 3); /* enter, leave, and so on */
  assert_int_equal(j.r->answers[1].verdict, HD_VIOLATED);
  end(j);
  /* The same with two threads: nR becomes 2 before anybody writes. */
  j = judge(RIGHT "SPEC(until, AU(nR <= 1, busy))", 2, 2);
  t = &j.r->answers[0].violation.trace;
  assert_int_equal(t->end, HD_CONTROL_END_STATE);
  assert_int_equal(t->n, 3);
  assert_string_equal(t->reason, "'nR <= 1' is false before 'busy' has become true");
  end(j);
  j = judge("INT(n, 0) STATE(a) STATE(b) BLOCKING(go) WHEN(n < 1) DO(n++) END EDGE(a, go, b) EDGE(b, go, a)\n"
            "SPEC(p, AF(n == 2)) SPEC(next, AG(AX(n == 1)))",
            1, 1);
  assert_int_equal(j.r->answers[0].violation.trace.end, HD_CONTROL_END_DEADLOCK);
  /* A path that ends has no next state, so nothing is wrong with it. */
  assert_int_equal(j.r->answers[1].verdict, HD_HOLDS);
  assert_true(j.r->deadlock.found);
  assert_int_equal(j.r->deadlocks, 1);
  end(j);
  j = judge("STATE(a) STATE(b) BLOCKING(go) WHEN(true) DO() END EDGE(a, go, b) SPEC(p, AF(count(b) == 2))", 1, 2);
  assert_int_equal(j.r->answers[0].violation.trace.end, HD_CONTROL_END_FINISHED);
  assert_int_equal(j.r->answers[0].violation.threads, 1);
  assert_false(j.r->deadlock.found);
  end(j);
}

static void
the_first_guard_that_holds_is_taken(void **state)
{
  (void) state;
  judged j = judge("INT(n, 0) STATE(a) NONBLOCKING(go) WHEN(n < 2) DO(n++) WHEN(n < 3) DO(n = 0) END EDGE(a, go, a)\n"
                   "SPEC(p, AG(n <= 2)) SPEC(q, AG(IMPLIES(n == 1, AX(n == 2))))",
                   1, 1);
  assert_int_equal(j.r->verdict, HD_HOLDS);
  assert_true(has_note(&j, "overlap", "this guard and the one of line 6 both hold when n = 0"));
  end(j);
  /* A last WHEN(true) is an else. */
  j = judge("INT(n, 0) STATE(a) NONBLOCKING(go) WHEN(n < 2) DO(n++) WHEN(true) DO(n = 0) END EDGE(a, go, a)", 1, 1);
  assert_false(has_note(&j, "overlap", ""));
  end(j);
}

static void
a_nonblocking_action_moves_on(void **state)
{
  (void) state;
  judged j = judge("INT(n, 0) STATE(a) STATE(b) NONBLOCKING(go) WHEN(n > 0) DO(n--) END EDGE(a, go, b)\n"
                   "SPEC(p, AF(count(b) == 1 && n == 0)) SPEC(q, AG(count(b) == 0))",
                   1, 1);
  assert_int_equal(j.r->answers[0].verdict, HD_HOLDS);
  assert_int_equal(j.r->answers[1].violation.trace.steps[1].command, -1);
  hd_string text = {0};
  hd_control_result_text(&text, j.c, j.r, false);
  assert_non_null(strstr(text.text, "go (no guard holds)"));
  hd_string_free(&text);
  end(j);
}

static void
odd_things_are_noted(void **state)
{
  (void) state;
  judged j = judge("INT(n, 0) STATE(a) STATE(b) STATE(lost)\n"
                   "BLOCKING(never) WHEN(n > 5) DO(n = 0) END\n"
                   "BLOCKING(go) WHEN(n <= 0) DO() WHEN(n == 1) DO(n = 7) END\n"
                   "BLOCKING(unused) WHEN(true) DO() END BLOCKING(far) WHEN(true) DO() END\n"
                   "EDGE(a, go, b) EDGE(b, go, a) EDGE(b, never, a) EDGE(lost, far, a)\n"
                   "SPEC(p, AG(IMPLIES(n > 3, AF(n == 0)))) SPEC(q, AG(IMPLIES(n == 0, n < 1)))",
                   1, 2);
  assert_int_equal(j.r->verdict, HD_HOLDS);
  assert_true(has_note(&j, "dead-action", "'never' is dead: no guard of it is ever true, and whoever calls it waits"));
  assert_true(has_note(&j, "dead-action", "'far' is dead: no thread ever reaches a state that allows it"));
  assert_true(has_note(&j, "unused-action", "'unused'"));
  assert_true(has_note(&j, "guard-never-false", "the guard 'n <= 0' of 'go' is never false: nobody ever waits for it"));
  assert_true(has_note(&j, "dead-command", "this command of 'go' is never executed: a guard before it is always true"));
  assert_true(has_note(&j, "unreachable-state", "'lost'"));
  assert_true(has_note(&j, "vacuous", "'p' holds vacuously: 'n > 3' is never true"));
  assert_true(j.r->answers[0].vacuous && !j.r->answers[1].vacuous);
  end(j);
  j = judge("STATE(a) BLOCKING(go) WHEN(true) DO() END EDGE(a, go, a)", 1, 1);
  assert_true(has_note(&j, "no-property", "SPEC"));
  end(j);
}

#define ENDLESS "INT(n, 0) STATE(a) BLOCKING(go) WHEN(true) DO(n++) END EDGE(a, go, a)\n"

static void
a_search_without_end_is_incomplete(void **state)
{
  (void) state;
  hd_control_options small = {.least_threads = 1, .most_threads = 1, .states = 100};
  judged j = judge_with(ENDLESS "SPEC(low, AG(n < 1000)) SPEC(some, AF(n == 50)) SPEC(far, AF(n == 5000))", small);
  assert_int_equal(j.r->verdict, HD_INCOMPLETE);
  assert_int_equal(j.r->answers[0].verdict, HD_INCOMPLETE);
  assert_int_equal(j.r->answers[1].verdict, HD_INCOMPLETE);
  assert_int_equal(j.r->answers[2].verdict, HD_INCOMPLETE);
  assert_non_null(
      strstr(j.r->incomplete, "there are more than 100 states (--states); 'n' has reached 99 and was still"));
  end(j);
  /* What is found before the end is sure. */
  j = judge_with(ENDLESS "SPEC(low, AG(n < 10)) SPEC(next, AX(n == 2)) SPEC(until, AU(n < 5, n > 8))", small);
  assert_int_equal(j.r->verdict, HD_VIOLATED);
  for (int i = 0; i < 3; i++)
    assert_int_equal(j.r->answers[i].verdict, HD_VIOLATED);
  assert_int_equal(j.r->answers[0].violation.trace.n, 11);
  assert_int_equal(j.r->answers[2].violation.trace.n, 6);
  end(j);
  j = judge("INT(n, 1) STATE(a) BLOCKING(go) WHEN(true) DO(n = 10 * n) END EDGE(a, go, a) SPEC(p, AG(n > 0))", 1, 1);
  assert_int_equal(j.r->verdict, HD_INCOMPLETE);
  assert_non_null(strstr(j.r->incomplete, "'n' leaves the range of int"));
  end(j);
}

static void
constants_take_what_is_assumed(void **state)
{
  (void) state;
#define BUFFER                                                                                                         \
  "CONST(size, size >= 1) CONST(low, low >= 0) ASSUME(low < size) INT(n, low) STATE(s)\n"                              \
  "BLOCKING(put) WHEN(n < size) DO(n++) END BLOCKING(get) WHEN(n > low) DO(n--) END EDGE(s, put, s) EDGE(s, get, s)\n"
  judged j = judge(BUFFER "SPEC(p, AG(n <= size && n >= low)) SPEC(q, AG(n <= 2))", 1, 1);
  assert_int_equal(j.r->ninstances, 6);
  assert_int_equal(j.r->answers[0].verdict, HD_HOLDS);
  assert_int_equal(j.r->answers[1].violation.constants[0], 3);
  assert_int_equal(j.r->answers[1].violation.constants[1], 0);
  end(j);
  hd_control_binding size = {"size", 7}, wrong = {"size", 0}, other = {"seize", 1};
  hd_control_options o = {.least_threads = 1, .most_threads = 1, .nbindings = 1, .bindings = &size};
  j = judge_with(BUFFER "SPEC(q, AG(n <= 6))", o);
  assert_int_equal(j.r->answers[0].violation.constants[0], 7);
  assert_int_equal(j.r->ninstances, 4);
  hd_string error = {0};
  o.bindings = &wrong;
  assert_null(hd_control_verify(j.c, &o, &error));
  assert_non_null(strstr(error.text, "no values from 0 to 3"));
  hd_string_clear(&error);
  o.bindings = &other;
  assert_null(hd_control_verify(j.c, &o, &error));
  assert_string_equal(error.text, "t.h has no constant 'seize'; it has size, low");
  hd_string_free(&error);
  end(j);
}

static void
threads_keep_to_what_the_file_says(void **state)
{
  (void) state;
  hd_string messages = {0};
  hd_controller *c = fixture_parse("THREADS(> 1)\n" RIGHT, &messages);
  assert_non_null(c);
  assert_null(hd_control_verify(c, &(hd_control_options){.least_threads = 1, .most_threads = 2}, &messages));
  assert_non_null(strstr(messages.text, "at least 2 threads"));
  hd_control_free(c);
  hd_string_free(&messages);
}

static void
a_deadlock_can_be_forbidden(void **state)
{
  (void) state;
  const char *part = "BOOL(b, false) STATE(a) STATE(c) BLOCKING(go) WHEN(!b) DO(b = true) END EDGE(a, go, c)\n"
                     "SPEC(p, AG(true))";
  judged j = judge(part, 2, 2);
  assert_int_equal(j.r->verdict, HD_HOLDS);
  assert_true(j.r->deadlock.found);
  end(j);
  j = judge_with(part, (hd_control_options){.least_threads = 2, .most_threads = 2, .forbid_deadlock = true});
  assert_int_equal(j.r->verdict, HD_VIOLATED);
  end(j);
}

/* Two rigid variables, and a comparison of both, which is never sure. */
static void
rigid_variables_are_any_number(void **state)
{
  (void) state;
  judged j
      = judge(RIGHT "SPEC(a, RIGID(x, RIGID(y, AG(IMPLIES(nR == x && count(idle) == y, AX(nR <= x + 1 || y < 0))))))\n"
                    "SPEC(b, RIGID(x, RIGID(y, AG(IMPLIES(nR == x && count(idle) == y, AX(count(idle) >= y))))))\n"
                    "SPEC(c, RIGID(x, AG(3 * x != nR + 1))) SPEC(d, RIGID(x, RIGID(y, AG(x <= y || x > y))))",
              2, 2);
  assert_int_equal(j.r->answers[0].verdict, HD_HOLDS);
  assert_int_equal(j.r->answers[1].verdict, HD_VIOLATED);
  assert_int_equal(j.r->answers[2].verdict, HD_VIOLATED);
  assert_int_equal(j.r->answers[2].violation.rigid[0], 1);
  assert_int_equal(j.r->answers[3].verdict, HD_INCOMPLETE);
  end(j);
}

/* What simulate prints for INPUT, or at random. */
static char *
play(const char *part, const char *input, hd_control_play how)
{
  hd_string messages = {0};
  hd_controller *c = fixture_parse(part, &messages);
  assert_non_null(c);
  char *text = NULL;
  size_t n = 0;
  FILE *in = fmemopen((char *) input, strlen(input), "r"), *out = open_memstream(&text, &n);
  assert_int_equal(hd_control_simulate(c, &how, in, out, &messages), HD_HOLDS);
  fclose(in);
  fclose(out);
  hd_control_free(c);
  hd_string_free(&messages);
  return text;
}

static void
the_simulator_takes_choices(void **state)
{
  (void) state;
  char *text = play(RIGHT, "2\n9\nx\n1\nq\n", (hd_control_play){.threads = 2});
  assert_non_null(strstr(text, "  2  w_enter: idle -> writing, line 9, busy = true\n"));
  assert_non_null(strstr(text, "thread 1: w_enter"));
  assert_non_null(strstr(text, "'9' is none of the choices"));
  assert_non_null(strstr(text, "state 2: nR = 0 busy = false | idle 2 reading 0 writing 0"));
  free(text);
  char *one = play(RIGHT, " ", (hd_control_play){.threads = 3, .random = true, .seed = 5, .steps = 30});
  char *two = play(RIGHT, " ", (hd_control_play){.threads = 3, .random = true, .seed = 5, .steps = 30});
  assert_string_equal(one, two);
  assert_non_null(strstr(one, "state 30:"));
  free(one);
  free(two);
  text = play("INT(n, 0) STATE(a) BLOCKING(go) WHEN(n < 1) DO(n++) END EDGE(a, go, a)", "1\n",
              (hd_control_play){.threads = 1});
  assert_non_null(strstr(text, "no step is possible: deadlock"));
  free(text);
}

static void
graphs_are_drawn(void **state)
{
  (void) state;
  hd_string messages = {0}, out = {0};
  hd_controller *c = fixture_parse(RIGHT, &messages);
  hd_control_draw_interface(&out, c, HD_CONTROL_DOT);
  assert_non_null(strstr(out.text, "s0 -> s1 [label=\"r_enter\"];"));
  assert_non_null(strstr(out.text, "s1 -> s0 [label=\"r_exit\", style=dashed];"));
  hd_string_clear(&out);
  hd_control_play how = {.threads = 1, .states = 100};
  assert_int_equal(hd_control_draw_states(&out, c, &how, HD_CONTROL_DOT, &messages), HD_HOLDS);
  assert_non_null(strstr(out.text, "n0 -> n1 [label=\"r_enter\"];"));
  assert_non_null(strstr(out.text, "n2 -> n0 [label=\"w_exit\"];"));
  how.states = 2;
  assert_int_equal(hd_control_draw_states(&out, c, &how, HD_CONTROL_DOT, &messages), HD_INCOMPLETE);
  assert_non_null(strstr(messages.text, "only 2 states are drawn"));
  hd_control_free(c);
  hd_string_free(&out);
  hd_string_free(&messages);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_right_lock_holds),
      cmocka_unit_test(a_wrong_lock_is_shown_with_fewest_threads),
      cmocka_unit_test(liveness_fails_by_a_loop_or_a_deadlock),
      cmocka_unit_test(the_first_guard_that_holds_is_taken),
      cmocka_unit_test(a_nonblocking_action_moves_on),
      cmocka_unit_test(odd_things_are_noted),
      cmocka_unit_test(a_search_without_end_is_incomplete),
      cmocka_unit_test(constants_take_what_is_assumed),
      cmocka_unit_test(threads_keep_to_what_the_file_says),
      cmocka_unit_test(a_deadlock_can_be_forbidden),
      cmocka_unit_test(rigid_variables_are_any_number),
      cmocka_unit_test(the_simulator_takes_choices),
      cmocka_unit_test(graphs_are_drawn),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
