/* src/replay: traces executed on the controller's code: right ones, wrong ones, and those that cannot be executed; and
 * the traces of random small controllers, which tests the model against the code.
 *
 * HEDDLE_REPLAY_CASES=n   how many random controllers (default 12) */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "little/little.h"
#include "replay/driver.h"
#include "replay/replay.h"

static char folder[] = "/tmp/heddle-test-replay-XXXXXX";

static const hd_replay_options options = {.include = TEST_SOURCE_ROOT "/include"};

/* A controller file with this part, read. */
static hd_controller *
make(const char *name, const char *front, const char *part)
{
  hd_string text = {0}, path = {0}, messages = {0};
  hd_string_printf(&path, "%s/%s.h", folder, name);
  hd_string_printf(&text,
                   "%s\n#ifndef HD_CONTROLLER_PASS\n#define HD_CONTROLLER %s\n#define HD_CONTROLLER_FILE \"%s.h\"\n"
                   "#include <heddle/controller.h>\n#else\n%s\n#endif\n",
                   front, name, name, part);
  FILE *f = fopen(path.text, "w");
  assert_non_null(f);
  fputs(text.text, f);
  assert_int_equal(fclose(f), 0);
  hd_controller *c = hd_control_read(path.text, &messages);
  if (!c)
    fail_msg("%s", messages.text);
  hd_string_free(&text);
  hd_string_free(&path);
  hd_string_free(&messages);
  return c;
}

static void
done(hd_controller *c, hd_control_result *r)
{
  unlink(c->path);
  hd_control_result_free(r);
  hd_control_free(c);
}

static hd_control_result *
verify(const hd_controller *c, uint64_t threads)
{
  hd_string error = {0};
  hd_control_options o = {.least_threads = threads, .most_threads = threads};
  hd_control_result *r = hd_control_verify(c, &o, &error);
  assert_non_null(r);
  hd_string_free(&error);
  return r;
}

/* Every way in which a trace may end, and every kind of step. */
static const char all_ends[] = "CONST(k, k == 2) INT(n, k) BOOL(b, false) ENUM(p, red, (red, green))\n"
                               "STATE(a) STATE(z) STATE(gone)\n"
                               "BLOCKING(down) WHEN(n > 0) DO(n--; p = n == 0 ? green : red) END\n"
                               "NONBLOCKING(flip) WHEN(b) DO(b = false) WHEN(n == k) DO(b = true) END\n"
                               "BLOCKING(quit) WHEN(p == green && n == 0) DO() END\n"
                               "BLOCKING(never) WHEN(n > 9) DO() END\n"
                               "EDGE(a, down, z) EDGE(z, flip, z) EDGE(z, quit, gone) EDGE(a, never, gone)\n"
                               "EDGE(z, down, gone)\n"
                               "SPEC(state, AG(p == red))\n"
                               "SPEC(looping, AF(count(gone) > 0))\n"
                               "SPEC(idles, AG(AX(n != 1 || count(z) == 0)))\n"
                               "SPEC(finished, AF(n < 0))\n";

static void
good_traces_are_the_same(void **state)
{
  (void) state;
  hd_controller *c = make("ends", "", all_ends);
  bool seen[4] = {false};
  for (uint64_t threads = 1; threads <= 3; threads++)
  {
    hd_control_result *r = verify(c, threads);
    hd_replay_run(c, r, &options);
    for (size_t i = 0; i <= c->nspecs; i++)
    {
      const hd_control_finding *f = i < c->nspecs ? &r->answers[i].violation : &r->deadlock;
      if (!f->found)
        continue;
      if (f->replay != HD_CONTROL_REPLAY_SAME)
        fail_msg("%zu with %llu threads: %s", i, (unsigned long long) threads, f->replay_text);
      assert_null(f->replay_text);
      seen[f->trace.end] = true;
    }
    assert_int_equal(r->verdict, HD_VIOLATED);
    assert_null(r->compiler);
    hd_control_result_free(r);
  }
  assert_true(seen[HD_CONTROL_END_STATE] && seen[HD_CONTROL_END_DEADLOCK] && seen[HD_CONTROL_END_LOOP]);
  done(c, NULL);
}

static void
the_end_of_everything_is_the_same(void **state)
{
  (void) state;
  hd_controller *c = make("once", "",
                          "INT(n, 0) STATE(a) STATE(b) NONBLOCKING(go) WHEN(n < 1) DO(n++) END EDGE(a, go, b)\n"
                          "SPEC(two, AF(n == 2))");
  hd_control_result *r = verify(c, 2);
  hd_replay_run(c, r, &options);
  assert_int_equal(r->answers[0].violation.trace.end, HD_CONTROL_END_FINISHED);
  assert_int_equal(r->answers[0].violation.trace.steps[2].command, -1);
  assert_int_equal(r->answers[0].violation.replay, HD_CONTROL_REPLAY_SAME);
  done(c, r);
}

/* ---- wrong traces ---- */

static const char turns[] = "INT(n, 0) ENUM(who, left, (left, right)) STATE(a) STATE(b)\n"
                            "BLOCKING(in) WHEN(who == left) DO(n++; who = right) END\n"
                            "NONBLOCKING(out) WHEN(n > 0) DO(n--) END\n"
                            "EDGE(a, in, b) EDGE(b, out, a)\n"
                            "SPEC(p, AG(n < 1))\nSPEC(q, AF(n > 1))\n";

typedef void breaker(hd_control_finding *f);

/* Break the first trace by HOW; the code must notice, with TEXT. */
static void
must_differ(breaker *how, const char *text)
{
  hd_controller *c = make("turns", "", turns);
  hd_control_result *r = verify(c, 2);
  assert_int_equal(r->answers[0].verdict, HD_VIOLATED);
  how(&r->answers[0].violation);
  hd_replay_run(c, r, &options);
  const hd_control_finding *f = &r->answers[0].violation;
  assert_int_equal(f->replay, HD_CONTROL_REPLAY_DIFFERS);
  assert_string_equal(f->replay_text, text);
  assert_int_equal(r->answers[0].verdict, HD_INCOMPLETE);
  assert_false(r->complete);
  /* The other one is as it should be, and so the whole is violated. */
  assert_int_equal(r->answers[1].violation.replay, HD_CONTROL_REPLAY_SAME);
  assert_int_equal(r->verdict, HD_VIOLATED);
  hd_string out = {0};
  hd_control_result_text(&out, c, r, true);
  assert_non_null(strstr(out.text, "DIFFERENT on the controller's code: "));
  assert_non_null(strstr(out.text, text));
  hd_string_clear(&out);
  hd_control_result_json(&out, c, r);
  assert_non_null(strstr(out.text, "\"replay\":{\"outcome\":\"different\",\"text\":\""));
  hd_string_free(&out);
  done(c, r);
}

static int32_t *
values(hd_control_finding *f, size_t step)
{
  return (int32_t *) f->trace.steps[step].values;
}

static hd_control_step *
step(hd_control_finding *f, size_t i)
{
  return (hd_control_step *) &f->trace.steps[i];
}

static void
wrong_value(hd_control_finding *f)
{
  values(f, 1)[0] = 7;
}

static void
wrong_enumeration(hd_control_finding *f)
{
  values(f, 1)[1] = 0;
}

static void
wrong_start(hd_control_finding *f)
{
  values(f, 0)[0] = 3;
}

static void
wrong_guard(hd_control_finding *f)
{
  step(f, 1)->command = -1;
}

static void
wrong_edge(hd_control_finding *f)
{
  step(f, 1)->edge = 1;
}

static void
no_deadlock(hd_control_finding *f)
{
  f->trace.end = HD_CONTROL_END_DEADLOCK;
}

static void
not_finished(hd_control_finding *f)
{
  f->trace.end = HD_CONTROL_END_FINISHED;
}

static void
no_loop(hd_control_finding *f)
{
  f->trace.end = HD_CONTROL_END_LOOP;
  f->trace.loop = 0;
}

static void
wrong_traces_differ(void **state)
{
  (void) state;
  must_differ(wrong_value, "after step 1, in of thread 1, n is 1 in the code and 7 in the trace");
  must_differ(wrong_enumeration, "after step 1, in of thread 1, who is right in the code and left in the trace");
  must_differ(wrong_start, "after the start, n is 0 in the code and 3 in the trace");
  must_differ(wrong_guard, "in step 1, in of thread 1, a guard holds in the code and none does in the trace");
  must_differ(wrong_edge, "the interface of the code does not allow step 1, out of thread 1");
  must_differ(no_deadlock, "after the last step thread 1 can go on by out in the code");
  must_differ(not_finished, "after the last step thread 1 can go on by out in the code");
  must_differ(no_loop,
              "after step 1, in of thread 1, n is 1 in the code and 0 after step 0, to which the trace returns");
}

/* A macro changes what the file means: no longer the model that was verified. */
static void
other_code_differs(void **state)
{
  (void) state;
  hd_controller *c
      = make("turns", "#include <stdbool.h>\n#undef true\n#define true 0",
             "INT(n, 0) STATE(a) NONBLOCKING(go) WHEN(true) DO(n = 1) END EDGE(a, go, a) SPEC(p, AG(n < 1))");
  hd_control_result *r = verify(c, 1);
  hd_replay_run(c, r, &options);
  assert_int_equal(r->answers[0].violation.replay, HD_CONTROL_REPLAY_DIFFERS);
  assert_int_equal(r->verdict, HD_INCOMPLETE);
  assert_non_null(strstr(r->incomplete, "macro"));
  done(c, r);
}

/* The code ends its process: an assumption about constants is broken. */
static void
death_is_a_difference(void **state)
{
  (void) state;
  hd_controller *c = make("turns", "",
                          "CONST(k, k >= 1) INT(n, k) STATE(a) NONBLOCKING(go) WHEN(true) DO(n++) END\n"
                          "EDGE(a, go, a) SPEC(p, AG(n < 3))");
  hd_control_result *r = verify(c, 1);
  static const int64_t wrong[] = {0};
  r->answers[0].violation.constants = wrong;
  hd_replay_run(c, r, &options);
  assert_int_equal(r->answers[0].violation.replay, HD_CONTROL_REPLAY_DIFFERS);
  assert_non_null(strstr(r->answers[0].violation.replay_text, "the code ends its process"));
  done(c, r);
}

/* ---- what cannot be executed ---- */

static void
obstacles_are_named(void **state)
{
  (void) state;
  hd_controller *c = make("turns", "", turns);
  hd_control_result *r = verify(c, 2);
  hd_replay_run(c, r, &(hd_replay_options){.compiler = "/nowhere/cc -O2", .include = options.include});
  assert_int_equal(r->verdict, HD_VIOLATED);
  assert_int_equal(r->answers[0].violation.replay, HD_CONTROL_NOT_REPLAYED);
  assert_non_null(strstr(r->answers[0].violation.replay_text, "there is no C compiler '/nowhere/cc'"));
  r->answers[0].violation.threads = 2000;
  hd_replay_run(c, r, &options);
  assert_non_null(strstr(r->answers[0].violation.replay_text, "2000 threads"));
  assert_int_equal(r->answers[1].violation.replay, HD_CONTROL_REPLAY_SAME);
  done(c, r);

  c = make("turns", "#error no", turns);
  r = verify(c, 2);
  hd_replay_run(c, r, &options);
  assert_int_equal(r->verdict, HD_VIOLATED);
  assert_int_equal(r->answers[0].violation.replay, HD_CONTROL_NOT_REPLAYED);
  assert_non_null(strstr(r->answers[0].violation.replay_text, "does not compile"));
  assert_non_null(strstr(r->compiler, "#error no"));
  unlink(c->path);
  hd_replay_run(c, r, &options);
  assert_non_null(strstr(r->answers[0].violation.replay_text, "cannot be found"));
  done(c, r);
}

static void
strange_lines_are_left_out(void **state)
{
  (void) state;
  hd_controller *c = make("turns", "", turns);
  hd_control_result *r = verify(c, 2);
  const hd_control_finding *findings[] = {&r->answers[0].violation};
  static const char *const lines[] = {"",
                                      "hello",
                                      "0",
                                      "1 same",
                                      "0 same 1",
                                      "0 value 1 0",
                                      "0 value 9 0 1",
                                      "0 value 1 9 1",
                                      "0 guard 0 1",
                                      "0 guard -1 1",
                                      "0 edge 7",
                                      "0 goes 1 9",
                                      "0 died",
                                      "0 loop 9 1",
                                      "0 loop 1",
                                      "0 threads",
                                      "0 what 1",
                                      "-1 same"};
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
  {
    size_t trace;
    char *about;
    bool unable;
    if (hd_replay_read_line(lines[i], c, findings, 1, &trace, &about, &unable))
      fail_msg("'%s' was taken for an answer", lines[i]);
  }
  done(c, r);
}

static void
many_threads_wait(void **state)
{
  (void) state;
  uint64_t threads = getenv("HEDDLE_TEST_SANITIZED") ? 50 : HD_CONTROL_MOST_THREADS;
  hd_controller *c = make("turns", "",
                          "INT(n, 2) STATE(a) STATE(b) BLOCKING(go) WHEN(n > 0) DO(n--) END\n"
                          "EDGE(a, go, b) SPEC(p, AG(n > 0))");
  hd_control_result *r = verify(c, threads);
  hd_replay_run(c, r, &options);
  assert_true(r->deadlock.found);
  assert_int_equal(r->deadlock.replay, HD_CONTROL_REPLAY_SAME);
  assert_int_equal(r->answers[0].violation.replay, HD_CONTROL_REPLAY_SAME);
  done(c, r);
}

static void
filters_are_run(void **state)
{
  (void) state;
  hd_string out = {0};
  assert_true(hd_replay_filter((const char *const[]){"cat", NULL}, "abc", &out));
  assert_string_equal(out.text, "abc");
  assert_false(hd_replay_filter((const char *const[]){"/nowhere/cat", NULL}, "abc", &out));
  assert_false(hd_replay_filter((const char *const[]){"false", NULL}, "abc", &out));
  assert_false(hd_replay_filter((const char *const[]){"true", NULL}, "abc", &out));
  assert_string_equal(out.text, "abc");
  hd_string_free(&out);
}

/* ---- random controllers ---- */

/* How many traces of the controller with this number were executed. */
static size_t
one(uint64_t seed)
{
  little l;
  uint64_t random = seed * 77 + 1;
  hd_string text = {0}, path = {0}, messages = {0};
  size_t executed = 0;
  little_make(&l, &random);
  if (seed % 2)
    little_ask_for_progress(&l, &random);
  little_print(&text, &l, &random);
  hd_string_printf(&path, "%s/little.h", folder);
  FILE *f = fopen(path.text, "w");
  assert_non_null(f);
  fputs(text.text, f);
  assert_int_equal(fclose(f), 0);
  hd_controller *c = hd_control_read(path.text, &messages);
  hd_control_binding k = {"k", l.k};
  hd_control_options o
      = {.least_threads = 1, .most_threads = 3, .nbindings = 1, .bindings = &k, .states = 2000, .fair = seed % 3 == 0};
  hd_control_result *r = c ? hd_control_verify(c, &o, &messages) : NULL;
  if (r)
    hd_replay_run(c, r, &options);
  for (size_t i = 0; r && i <= c->nspecs; i++)
  {
    const hd_control_finding *found = i < c->nspecs ? &r->answers[i].violation : &r->deadlock;
    if (found->found && found->replay != HD_CONTROL_REPLAY_SAME)
      fail_msg("seed %llu: %s\n%s%s", (unsigned long long) seed, found->replay_text, r->compiler ? r->compiler : "",
               text.text);
    executed += found->found;
  }
  unlink(path.text);
  hd_control_result_free(r);
  hd_control_free(c);
  hd_string_free(&text);
  hd_string_free(&path);
  hd_string_free(&messages);
  little_free(&l);
  return executed;
}

static void
random_traces_are_the_same(void **state)
{
  (void) state;
  const char *set = getenv("HEDDLE_REPLAY_CASES");
  uint64_t cases = set ? strtoull(set, NULL, 10) : 12;
  size_t executed = 0;
  for (uint64_t seed = 0; seed < cases; seed++)
    executed += one(seed);
  print_message("# %zu traces of %llu controllers\n", executed, (unsigned long long) cases);
  assert_true(executed >= cases);
}

static int
make_folder(void **state)
{
  (void) state;
  return mkdtemp(folder) ? 0 : -1;
}

static int
remove_folder(void **state)
{
  (void) state;
  return rmdir(folder);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(good_traces_are_the_same),
      cmocka_unit_test(the_end_of_everything_is_the_same),
      cmocka_unit_test(wrong_traces_differ),
      cmocka_unit_test(other_code_differs),
      cmocka_unit_test(death_is_a_difference),
      cmocka_unit_test(obstacles_are_named),
      cmocka_unit_test(strange_lines_are_left_out),
      cmocka_unit_test(many_threads_wait),
      cmocka_unit_test(filters_are_run),
      cmocka_unit_test(random_traces_are_the_same),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
