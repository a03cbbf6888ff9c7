/* The reader of controller files and the model that it makes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "little/fixture.h"

#define REST                                                                                                           \
  "\nSTATE(idle) STATE(inside)\n"                                                                                      \
  "BLOCKING(enter) WHEN(true) DO() END EDGE(idle, enter, inside) EDGE(inside, enter, idle)\n"

static hd_controller *
good(const char *part)
{
  hd_string messages = {0};
  hd_controller *c = fixture_parse(part, &messages);
  if (!c || messages.length)
    fail_msg("%s for\n%s", messages.text, part);
  hd_string_free(&messages);
  return c;
}

static void
the_dump_has(const char *part, const char *what)
{
  hd_controller *c = good(part);
  hd_string dump = {0};
  hd_control_dump(&dump, c);
  if (!strstr(dump.text, what))
    fail_msg("'%s' is not in\n%s", what, dump.text);
  hd_string_free(&dump);
  hd_control_free(c);
}

static void
everything_is_read(void **state)
{
  (void) state;
  hd_controller *c = good("CONST(size, size >= 1) CONST(limit, true) ASSUME(size <= limit) THREADS(>= 2)\n"
                          "INT(n, 2 * size - 1) BOOL(busy, true) ENUM(phase, drain, (fill, drain))\n"
                          "STATE(idle) STATE(in)\n"
                          "BLOCKING(enter) WHEN(n > 0 && !busy) DO(n--, busy = true) WHEN(n < 0) DO(n = 0;) END\n"
                          "NONBLOCKING(leave) WHEN(phase == fill) DO(phase = drain; ++n) END\n"
                          "EDGE(idle, enter, in) EDGE(in, leave, idle)\n"
                          "SPEC(a, AG(IMPLIES(busy, AF(!busy)))) SPEC(b, RIGID(x, AU(n == x, count(in) >= 1)))");
  assert_string_equal(c->name, "t");
  assert_int_equal(c->nconstants, 2);
  assert_int_equal(c->nvariables, 3);
  assert_int_equal(c->nstates, 2);
  assert_int_equal(c->nactions, 2);
  assert_int_equal(c->nedges, 2);
  assert_int_equal(c->nspecs, 2);
  assert_int_equal(c->nrigid, 1);
  assert_int_equal(c->least_threads, 2);
  assert_true(c->most_threads == UINT64_MAX);
  assert_int_equal(c->variables[2].type, HD_CONTROL_ENUM);
  assert_int_equal(c->variables[2].start.constant, 1);
  assert_int_equal(c->variables[0].start.terms[0].factor, 2);
  assert_true(c->actions[0].blocking && !c->actions[1].blocking);
  assert_int_equal(c->actions[0].place.line, 9);
  assert_int_equal(c->actions[0].place.column, 10);
  assert_int_equal(c->actions[0].commands[1].place.column, 59);
  assert_string_equal(c->actions[0].commands[0].guard_text, "n > 0 && !busy");
  assert_string_equal(c->specs[1].text, "RIGID(x, AU(n == x, count(in) >= 1))");
  assert_int_equal(c->specs[1].formula->kind, HD_CONTROL_AU);
  hd_control_free(c);
}

static void
comments_and_joined_lines_are_blanks(void **state)
{
  (void) state;
  hd_controller *c = good("/* INT(a, 0)\n#endif\n*/ INT(n, // 1)\n 0) BO\\\nOL(b,\\\n false)" REST);
  assert_int_equal(c->nvariables, 2);
  assert_string_equal(c->variables[1].name, "b");
  assert_int_equal(c->variables[1].place.line, 10);
  assert_int_equal(c->variables[1].place.column, 4);
  hd_control_free(c);
}

static void
other_text_is_left_alone(void **state)
{
  (void) state;
  static const char file[] = "// it's #ifndef HD_CONTROLLER_PASS\n#include <stdio.h>\n#ifdef X\n#else\n#endif\n"
                             "static const char *s = \"/* \";\n"
                             "#if !defined ( HD_CONTROLLER_PASS )\r\n# define HD_CONTROLLER /* name */ t\r\n"
                             "#ifdef Y\n#else\n#endif\n"
                             "# define HD_CONTROLLER_FILE \"a/t.h\"\r\n#else /* here */\r\n"
                             "STATE(idle) BLOCKING(go) WHEN(true) DO() END EDGE(idle, go, idle)\r\n#endif\n"
                             "int x = 0x; /* no end is no matter of ours, but it is C's */\n";
  hd_string messages = {0};
  hd_controller *c = hd_control_parse("b/t.h", file, sizeof file - 1, &messages);
  if (!c)
    fail_msg("%s", messages.text);
  assert_int_equal(messages.length, 0);
  assert_string_equal(c->name, "t");
  hd_control_free(c);
  hd_string_free(&messages);
}

static void
conditions_are_lists_of_conjunctions(void **state)
{
  (void) state;
  the_dump_has("INT(n, 0) STATE(s) BLOCKING(a) WHEN(2 * n > 3) DO() END EDGE(s, a, s)", "guard { +1*n -2 >= 0 }");
  the_dump_has("INT(n, 0) STATE(s) BLOCKING(a) WHEN(!(n > 1 && n < 4)) DO() END EDGE(s, a, s)",
               "guard { -1*n +1 >= 0 or +1*n -4 >= 0 }");
  the_dump_has("INT(n, 0) STATE(s) BLOCKING(a) WHEN(n != 2) DO() END EDGE(s, a, s)",
               "guard { +1*n -3 >= 0 or -1*n +1 >= 0 }");
  the_dump_has("INT(n, 0) STATE(s) BLOCKING(a) WHEN(n > 1 && n < 1) DO() END EDGE(s, a, s)", "guard { }");
  the_dump_has("INT(n, 0) STATE(s) BLOCKING(a) WHEN(n > 1 && n > 5 && n <= 9 && n == 7) DO() END EDGE(s, a, s)",
               "guard { +1*n -7 == 0 }");
  the_dump_has("INT(n, 0) STATE(s) BLOCKING(a) WHEN(2 * n == 3) DO() END EDGE(s, a, s)", "guard { }");
  the_dump_has("ENUM(p, x, (x, y, z)) STATE(s) BLOCKING(a) WHEN(p != x) DO() END EDGE(s, a, s)",
               "guard { +1*p -1 >= 0 }");
  the_dump_has("BOOL(b, true) BOOL(d, true) STATE(s) BLOCKING(a) WHEN(b != d) DO() END EDGE(s, a, s)",
               "guard { +1*b +1*d -1 == 0 }");
  /* The first that holds: the second command needs the negation of the first guard. */
  the_dump_has("INT(n, 0) STATE(s) BLOCKING(a) WHEN(n > 2) DO() WHEN(n > 0) DO() END EDGE(s, a, s)",
               "first { -1*n +2 >= 0 and +1*n -1 >= 0 }");
  the_dump_has("INT(n, 0) STATE(s) NONBLOCKING(a) WHEN(n > 2) DO() WHEN(n < 0) DO() END EDGE(s, a, s)",
               "none { -1*n +2 >= 0 and +1*n +0 >= 0 }");
}

static void
updates_are_simultaneous(void **state)
{
  (void) state;
  the_dump_has("INT(a, 0) INT(b, 0) STATE(s) BLOCKING(x) WHEN(true) DO(a = a + 1; b = 2 * a, a -= b) END EDGE(s, x, s)",
               "{ true } a' = -1*a -1; b' = +2*a +2;");
  the_dump_has("BOOL(b, true) STATE(s) BLOCKING(x) WHEN(true) DO(b = !b) END EDGE(s, x, s)", "{ true } b' = -1*b +1;");
  the_dump_has("INT(n, 0) STATE(s) BLOCKING(x) WHEN(true) DO(n++; n = n > 3 ? 0 : n) END EDGE(s, x, s)",
               "{ +1*n -3 >= 0 } n' = +0;");
  the_dump_has("INT(n, 0) STATE(s) BLOCKING(x) WHEN(true) DO(n++; n = n > 3 ? 0 : n) END EDGE(s, x, s)",
               "{ -1*n +2 >= 0 } n' = +1*n +1;");
  the_dump_has("INT(n, 0) BOOL(b, true) STATE(s) BLOCKING(x) WHEN(true) DO(b = n > 0) END EDGE(s, x, s)",
               "{ +1*n -1 >= 0 } n' = +1*n +0; b' = +1;");
}

static void
precedence_is_that_of_c(void **state)
{
  (void) state;
  static const struct
  {
    const char *source, *printed;
  } cases[] = {
      {"a || b && c", "a || (b && c)"},
      {"(a || b) && c", "(a || b) && c"},
      {"!a == b", "!a == b"},
      {"!(a == b)", "!(a == b)"},
      {"n - (1 - n) == n - 1 - n", "n - (1 - n) == n - 1 - n"},
      {"a ? b : c ? a : b", "a ? b : c ? a : b"},
      {"(a ? b : c) ? a : b", "(a ? b : c) ? a : b"},
      {"n < 1 == (n > 2)", "(n < 1) == (n > 2)"},
      {"-n * 2 + +3 < - -1", "-n * 2 + 3 < -(-1)"},
      {"2 * (n + 1) > 0", "2 * (n + 1) > 0"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
  {
    hd_string part = {0};
    hd_string_printf(&part,
                     "INT(n, 0) BOOL(a, true) BOOL(b, true) BOOL(c, true) STATE(s) BLOCKING(x) WHEN(%s) DO() END "
                     "EDGE(s, x, s)",
                     cases[i].source);
    hd_controller *c = good(part.text);
    assert_string_equal(c->actions[0].commands[0].guard_text, cases[i].printed);
    hd_control_free(c);
    hd_string_free(&part);
  }
}

static void
a_variable_may_be_called_count(void **state)
{
  (void) state;
  hd_controller *c = good("INT(count, 0)" REST "SPEC(p, AG(count == count(idle) - 1))");
  const hd_control_atom *atom = c->specs[0].formula->left->holds.conjunctions[0].atoms;
  assert_int_equal(atom->linear.n, 2);
  assert_int_equal(atom->linear.terms[0].dimension, hd_control_variable_dimension(c, 0));
  assert_int_equal(atom->linear.terms[1].dimension, hd_control_counter_dimension(c, 0));
  hd_control_free(c);
}

static void
the_examples_are_read(void **state)
{
  (void) state;
  static const char *const names[] = {"mutex", "bb", "bb_mutex", "bb_rw", "rw", "barrier", "airport", "rcu"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
  {
    hd_string path = {0}, messages = {0}, text = {0}, first = {0}, second = {0};
    hd_string_printf(&path, "%s/examples/controllers/%s.h", TEST_SOURCE_ROOT, names[i]);
    hd_controller *c = hd_control_read(path.text, &messages);
    if (!c || messages.length)
      fail_msg("%s", messages.text);
    hd_control_print(&text, c);
    hd_controller *again = hd_control_parse(path.text, text.text, text.length, &messages);
    assert_non_null(again);
    hd_control_dump(&first, c);
    hd_control_dump(&second, again);
    assert_string_equal(first.text, second.text);
    hd_control_free(c);
    hd_control_free(again);
    hd_string_free(&path);
    hd_string_free(&messages);
    hd_string_free(&text);
    hd_string_free(&first);
    hd_string_free(&second);
  }
}

static void
properties_may_be_fair(void **state)
{
  (void) state;
  hd_controller *c = good("INT(n, 0)" REST "SPEC(p, AF(n == 1)) SPEC_FAIR(q, AF(n == 1))");
  hd_string out = {0};
  assert_true(!c->specs[0].fair && c->specs[1].fair);
  hd_control_print(&out, c);
  assert_non_null(strstr(out.text, "\nSPEC(p, AF(n == 1))\nSPEC_FAIR(q, AF(n == 1))\n"));
  hd_string_clear(&out);
  hd_control_dump(&out, c);
  assert_non_null(strstr(out.text, "spec q fair "));
  assert_null(strstr(out.text, "spec p fair "));
  hd_string_free(&out);
  hd_control_free(c);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(everything_is_read),
      cmocka_unit_test(comments_and_joined_lines_are_blanks),
      cmocka_unit_test(other_text_is_left_alone),
      cmocka_unit_test(conditions_are_lists_of_conjunctions),
      cmocka_unit_test(updates_are_simultaneous),
      cmocka_unit_test(precedence_is_that_of_c),
      cmocka_unit_test(a_variable_may_be_called_count),
      cmocka_unit_test(the_examples_are_read),
      cmocka_unit_test(properties_may_be_fair),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
