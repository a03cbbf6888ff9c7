/* Mistakes in controller files: each is reported at its place, with what is allowed; several in one run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "little/fixture.h"

#define VARIABLES "INT(n, 0) INT(m, 0) BOOL(b, false) ENUM(p, on, (on, off)) ENUM(q, up, (up, down)) CONST(k, k > 0)\n"
#define REST                                                                                                           \
  "\nSTATE(idle) STATE(inside) BLOCKING(enter) WHEN(true) DO() END EDGE(idle, enter, inside) EDGE(inside, enter, "     \
  "idle)"
#define GUARD(g) VARIABLES "BLOCKING(a) WHEN(" g ") DO() END EDGE(idle, a, idle)" REST
#define UPDATE(u) VARIABLES "BLOCKING(a) WHEN(true) DO(" u ") END EDGE(idle, a, idle)" REST
#define PROPERTY(s) VARIABLES "SPEC(s, " s ")" REST

/* A part and how its first message goes on after "t.h:". */
static const struct
{
  const char *part, *message;
} mistakes[] = {
    /* names */
    {"INT(n)" REST, "6:6: error: the initial value is missing; the form is INT(name, 0)"},
    {"INT(n,)" REST, "6:7: error: the initial value is missing"},
    {"BOOL(n)" REST, "6:7: error: the initial value is missing; the form is BOOL(name, false)"},
    {"ENUM(n, (a, b))" REST, "6:9: error: the initial value is missing; the form is ENUM(name, start"},
    {"ENUM(n, a)" REST, "6:10: error: the list of values is missing"},
    {"ENUM(n, c, (a, b))" REST, "6:9: error: 'c' is declared nowhere"},
    {"CONST(n)" REST, "6:8: error: the assumption is missing"},
    {"INT(n, 0) INT(n, 1)" REST, "6:15: error: 'n' is declared twice: it is a variable already, from line 6"},
    {"INT(n, 0) ENUM(p, n, (n, o))" REST, "6:23: error: 'n' is declared twice"},
    {"STATE(a) STATE(a)" REST, "6:16: error: 'a' is declared twice: it is an interface state already"},
    {"SPEC(a, true) SPEC(a, true)" REST, "6:20: error: 'a' is declared twice: it is a property already"},
    {"SPEC(a, true) SPEC_FAIR(a, true)" REST, "6:25: error: 'a' is declared twice: it is a property already"},
    {"SPEC_FAIR(a)" REST, "6:12: error: the formula is missing; the form is SPEC_FAIR(name, AF(condition))"},
    {"SPEC_FIAR(a, true)" REST, "6:1: error: there is no declaration 'SPEC_FIAR'; did you mean 'SPEC_FAIR'?"},
    {"BLOCKING(a) WHEN(true) DO() END NONBLOCKING(a) WHEN(true) DO() END" REST, "6:45: error: 'a' is declared twice"},
    {"INT(while, 0)" REST, "6:5: error: expected a name, but 'while' is a keyword; choose another name"},
    {"INT(END, 0)" REST, "6:5: error: expected a name, but 'END' is a keyword"},
    {"INT(AG, 0)" REST, "6:5: error: expected a name, but 'AG' is a keyword"},
    {"INT(hd_lock, 0)" REST, "6:5: error: the name 'hd_lock' is not free"},
    {"INT(3, 0)" REST, "6:5: error: expected a name before '3'"},
    {"STAET(a)" REST, "6:1: error: there is no declaration 'STAET'; did you mean 'STATE'?"},
    {"FUNCTION(a)" REST, "6:1: error: there is no declaration 'FUNCTION'; allowed are CONST, ASSUME"},
    {"; INT(n, 0)" REST, "6:1: error: expected a declaration before ';'"},
    /* numbers */
    {"INT(n, 2147483648)" REST, "6:8: error: 2147483648 is too large for an int; the largest number is 2147483647"},
    {"INT(n, 99999999999999999999999999)" REST, "6:8: error: 99999999999999999999999999 is too large"},
    {"INT(n, 010)" REST, "6:8: error: 010 has a zero in front"},
    {"INT(n, 1u)" REST, "6:8: error: '1u' is no number here"},
    {"INT(n, 2147483647 * 2147483647 * 2147483647 * 2)" REST, "6:8: error: the numbers in this become too large"},
    /* the interface */
    {"EDGE(idle, enter, nowhere)" REST, "6:19: error: 'nowhere' is declared nowhere, but here must be an interface"},
    {"EDGE(idel, enter, idle)" REST, "6:6: error: 'idel' is declared nowhere; did you mean 'idle'?"},
    {"EDGE(idle, leave, idle)" REST, "6:12: error: 'leave' is declared nowhere, but here must be an action"},
    {"EDGE(enter, idle, idle)" REST, "6:6: error: 'enter' is an action, but here must be an interface state"},
    {"EDGE(idle, enter)" REST, "6:17: error: the state where it ends is missing; the form is EDGE(from, action, to)"},
    {"EDGE(idle, enter, idle, idle)" REST, "6:23: error: this is one argument too many"},
    {"EDGE(idle, enter, inside)" REST, "7:63: error: this edge is declared twice; the first is in line 6"},
    {"INT(n, 0)", "7:1: error: there is no interface state"},
    {"STATE(a)", "7:1: error: there is no action"},
    {"STATE(a) BLOCKING(b) WHEN(true) DO() END", "7:1: error: there is no edge"},
    {"THREADS(1)" REST, "6:9: error: expected >=, >, ==, <= or < before '1'"},
    {"THREADS(>= n)" REST, "6:12: error: expected a number before 'n'"},
    {"THREADS(< 0)" REST, "6:1: error: there cannot be fewer than 0 threads"},
    {"THREADS(>= 1) THREADS(>= 2)" REST, "6:15: error: THREADS stands in a file once"},
    /* actions */
    {"BLOCKING(a) DO() END" REST, "6:13: error: this DO has no guard; write WHEN(condition) before it"},
    {"BLOCKING(a) END" REST, "6:1: error: action 'a' has no guard"},
    {"BLOCKING(a) WHEN(true) END" REST, "6:24: error: the last guard of 'a' has no DO"},
    {"BLOCKING(a) WHEN(true) WHEN(true) DO() END" REST, "6:24: error: the guard before this one has no DO"},
    {"BLOCKING(a) WHEN(true) DO()" REST, "7:1: error: expected WHEN, DO or END before 'STATE'; action 'a' of line 6"},
    {"WHEN(true) DO()" REST, "6:1: error: WHEN stands outside an action"},
    {"BLOCKING(a) WHEN((true) DO() END" REST, "6:25: error: expected ')' before 'DO' to close WHEN( of line 6"},
    {"BLOCKING(a) WHEN(true)) DO() END" REST, "6:23: error: expected WHEN, DO or END before ')'"},
    /* guards */
    {GUARD("n"), "7:18: error: a guard must be a bool, but this is an int; write a comparison such as n != 0"},
    {GUARD("x > 0"), "7:18: error: 'x' is declared nowhere"},
    {GUARD("idle > 0"), "7:18: error: 'idle' is an interface state, but here must be a value"},
    {GUARD("n = 1"), "7:20: error: '=' assigns, which is allowed in DO(...) alone; '==' compares"},
    {GUARD("n++ > 1"), "7:19: error: '++' changes a variable"},
    {GUARD("b == 1"), "7:20: error: what is compared must be of one type, but they are a bool and an int"},
    {GUARD("p == up"), "7:20: error: what is compared must be of one type, but they are a value of ENUM 'p' and"},
    {GUARD("p < on"), "7:18: error: the values of an ENUM have no order"},
    {GUARD("b + 1 > 0"), "7:18: error: the left side must be an int, but this is a bool; write b ? 1 : 0"},
    {GUARD("!n"), "7:19: error: what ! negates must be a bool, but this is an int"},
    {GUARD("b && n"), "7:23: error: the right side must be a bool, but this is an int"},
    {GUARD("0 < n < 3"), "7:24: error: comparisons do not chain in C; write a < b && b < c"},
    {GUARD("n ? b : b"), "7:18: error: the condition before ? must be a bool"},
    {GUARD("b ? n : b"), "7:20: error: both results of ?: must be of one type"},
    {GUARD("n * m > 0"), "7:20: error: this product is not linear: one of its factors must be a number"},
    {GUARD("k * n > 0"), "7:20: error: this product is not linear"},
    {GUARD("n / 2 > 0"), "7:20: error: '/' is not allowed; allowed are + - * with a number, comparisons"},
    {GUARD("n % 2 == 0"), "7:20: error: '%' is not allowed"},
    {GUARD("b & b"), "7:20: error: '&' is not allowed (did you mean '&&'?)"},
    {GUARD("f(n) > 1"), "7:18: error: 'f' cannot be called"},
    {GUARD("count(idle) > 1"), "7:18: error: count(idle) is known to the checker, not to the code"},
    {GUARD("AG(b)"), "7:18: error: AG is allowed in a SPEC alone"},
    {GUARD("IMPLIES(b, b)"), "7:18: error: IMPLIES is allowed in a SPEC alone; write !p || q"},
    {GUARD("n > "), "7:22: error: expected a value before ')'"},
    {GUARD("(n > 1"), "7:26: error: expected ')' before 'DO'"},
    {GUARD("n > 'a'"), "7:22: error: a controller has no strings and no characters"},
    {GUARD("n > @"), "7:22: error: '@' has no meaning in a controller"},
    {GUARD("n > \xc3\xa4"), "7:22: error: the byte 0xc3 has no meaning"},
    /* updates */
    {UPDATE("n = b"), "7:31: error: what is assigned must be an int, but this is a bool"},
    {UPDATE("p = up"), "7:31: error: what is assigned must be a value of ENUM 'p', but this is a value of ENUM 'q'"},
    {UPDATE("b++"), "7:28: error: 'b' is no int; only ints are counted up and down"},
    {UPDATE("k = 1"), "7:27: error: 'k' cannot be assigned: it is a constant"},
    {UPDATE("on = off"), "7:27: error: 'on' cannot be assigned: it is a value of an ENUM"},
    {UPDATE("z = 1"), "7:27: error: 'z' is declared nowhere"},
    {UPDATE("n *= 2"), "7:29: error: '*=' is not linear; allowed are =, +=, -=, ++ and --"},
    {UPDATE("n = n * n"), "7:33: error: this product is not linear"},
    {UPDATE("n = m = 0"), "7:33: error: one assignment at a time"},
    {UPDATE("n = m++"), "7:32: error: one assignment at a time"},
    {UPDATE("n == 1"), "7:29: error: expected an assignment to 'n' before '=='"},
    {UPDATE("n = 1 m = 2"), "7:33: error: expected ',' or ';' or the ')' of DO before 'm'"},
    {UPDATE("1 = n"), "7:27: error: expected a variable to assign to before '1'"},
    /* assumptions and initial values */
    {"INT(n, 0) ASSUME(n > 0)" REST, "6:18: error: 'n' is a variable; assumptions are about constants alone"},
    {"INT(n, 0) INT(m, n)" REST, "6:18: error: 'n' is a variable; initial values are linear expressions over const"},
    {"CONST(k, true) BOOL(b, k > 1)" REST, "6:24: error: the initial value of a BOOL is true or false"},
    {"CONST(k, true) INT(b, k > 1 ? 1 : 2)" REST, "6:23: error: initial values are linear expressions over constants"},
    {"CONST(k, k)" REST, "6:10: error: an assumption must be a bool"},
    /* properties */
    {PROPERTY("!AG(b)"), "7:10: error: what ! negates must be a bool, but this is a temporal formula"},
    {PROPERTY("IMPLIES(AG(b), b)"), "7:17: error: the left side of IMPLIES must be a bool, but this is a temporal"},
    {PROPERTY("AG(b) == b"), "7:9: error: what is compared must be a bool, but this is a temporal formula"},
    {PROPERTY("AG(n)"), "7:12: error: a formula must be a bool, but this is an int"},
    {PROPERTY("AG(x == n)"), "7:12: error: 'x' is declared nowhere"},
    {PROPERTY("AG(RIGID(x, x == n))"), "7:12: error: RIGID stands around the whole formula"},
    {PROPERTY("RIGID(n, AG(n == 0))"), "7:15: error: 'n' has a meaning already"},
    {PROPERTY("AU(b)"), "7:13: error: AU takes two formulas, so a ',' must stand before ')'"},
    {PROPERTY("AG(b, b)"), "7:13: error: AG takes one formula"},
    {PROPERTY("AG b"), "7:9: error: AG needs a formula in brackets"},
    {PROPERTY("AG(count(nowhere) > 0)"), "7:18: error: 'nowhere' is declared nowhere, but here must be an interface"},
    /* lines of the preprocessor */
    {"#define X\nINT(n, 0)" REST, "6:1: error: the controller part has no preprocessor lines; move '#define X'"},
    {"#if 1\nINT(n, 0)\n#endif" REST, "6:1: error: the controller part has no preprocessor lines; move '#if 1'"},
};

static void
every_mistake_has_a_place(void **state)
{
  (void) state;
  size_t wrong = 0;
  for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++)
  {
    hd_string messages = {0};
    hd_controller *c = fixture_parse(mistakes[i].part, &messages);
    if (c || !messages.text || strncmp(messages.text, "t.h:", 4) != 0
        || strncmp(messages.text + 4, mistakes[i].message, strlen(mistakes[i].message)) != 0)
    {
      print_error("expected t.h:%s\ngot      %s\nfor\n%s\n", mistakes[i].message, messages.text, mistakes[i].part);
      wrong++;
    }
    hd_control_free(c);
    hd_string_free(&messages);
  }
  assert_int_equal(wrong, 0);
}

static size_t
lines(const char *text)
{
  size_t n = 0;
  for (; *text; text++)
    n += *text == '\n';
  return n;
}

/* One mistake is one message, also where it could drag others along. */
static void
mistakes_do_not_spread(void **state)
{
  (void) state;
  static const char *const parts[] = {
      "INTT(x, 0) BLOCKING(a) WHEN(x > 0) DO(x = x + 1) END" REST,
      "INT(x) BLOCKING(a) WHEN(x > 0) DO(x = x + 1) END" REST,
      "BLOCKING(a) WHEN(y > 0 && y < 3) DO(y++) END" REST,
      "STAET(gone) EDGE(gone, enter, idle) SPEC(p, AG(count(gone) > 0))" REST,
      GUARD("n / 2 > 0 && )("),
      "INT(END, 0)" REST,
      "BLOCKING(a) WHEN(true) DO(" REST,
  };
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
  {
    hd_string messages = {0};
    assert_null(fixture_parse(parts[i], &messages));
    size_t n = lines(messages.text), allowed = i == 6 ? 2 : 1; /* DO( has neither ) nor END */
    if (n > allowed)
      fail_msg("%s for\n%s", messages.text, parts[i]);
    hd_string_free(&messages);
  }
}

static void
several_mistakes_are_shown_in_order(void **state)
{
  (void) state;
  hd_string messages = {0}, many = {0};
  assert_null(fixture_parse("INT(a)\nINT(b, 0)\nSPEC(p, AG(c > 0))\nINT(b, 1)\nEDGE(x, y, z)" REST, &messages));
  assert_int_equal(lines(messages.text), 6);
  const char *at = messages.text;
  for (unsigned line = 6; line <= 10; line++)
  {
    char place[16];
    if (line == 7)
      continue;
    snprintf(place, sizeof place, "t.h:%u:", line);
    assert_non_null(at = strstr(at, place));
  }
  for (int i = 0; i < 50; i++)
    hd_string_add(&many, "INT(a, x / 2) ");
  hd_string_clear(&messages);
  assert_null(fixture_parse(many.text, &messages));
  assert_non_null(strstr(messages.text, "more errors are not shown"));
  hd_string_free(&messages);
  hd_string_free(&many);
}

static void
a_whole_file_may_be_wrong(void **state)
{
  (void) state;
  static const struct
  {
    const char *file, *message;
  } files[] = {
      {"", "f.h:1:1: error: this is no controller file: it has no '#ifndef HD_CONTROLLER_PASS'"},
      {"#ifndef HD_CONTROLLER_PASS\n#define HD_CONTROLLER a\n#endif\n", "f.h:1:1: error: there is no controller part"},
      {"#ifndef HD_CONTROLLER_PASS\n#else\nSTATE(a)\n#endif", "f.h:1:1: error: the controller has no name"},
      {"#ifndef HD_CONTROLLER_PASS\n#define HD_CONTROLLER 1 2\n#else\n#endif", "f.h:2:1: error: HD_CONTROLLER must be"},
      {"#ifndef HD_CONTROLLER_PASS\n#define HD_CONTROLLER a\n#else\nSTATE(a)",
       "f.h:4:9: error: the controller part has "
       "no #endif; its #ifndef is in line 1"},
      {"#ifndef HD_CONTROLLER_PASS\n#define HD_CONTROLLER a\n#else\n/* STATE(a)\n#endif\n",
       "f.h:4:1: error: this comment has no end; close it with */"},
      {"#ifndef HD_CONTROLLER_PASS\n#define HD_CONTROLLER a\n#define HD_CONTROLLER_FILE \"g.h\"\n#else\n#endif\n",
       "f.h:3:1: warning: HD_CONTROLLER_FILE is \"g.h\", but this file is f.h"},
  };
  for (size_t i = 0; i < sizeof files / sizeof *files; i++)
  {
    hd_string messages = {0};
    assert_null(hd_control_parse("f.h", files[i].file, strlen(files[i].file), &messages));
    if (strncmp(messages.text, files[i].message, strlen(files[i].message)) != 0)
      fail_msg("expected %s\ngot      %s", files[i].message, messages.text);
    hd_string_free(&messages);
  }
  hd_string messages = {0};
  assert_null(hd_control_read("/nonexistent/t.h", &messages));
  assert_non_null(strstr(messages.text, "/nonexistent/t.h: error: cannot be read: "));
  hd_string_free(&messages);
}

/* What is too deep or has too many cases is refused; nothing overflows. */
static void
too_much_is_refused(void **state)
{
  (void) state;
  hd_string part = {0}, messages = {0};
  hd_string_add(&part, "SPEC(deep, ");
  for (int i = 0; i < 100000; i++)
    hd_string_add(&part, "(");
  hd_string_add(&part, "true");
  assert_null(fixture_parse(part.text, &messages));
  assert_non_null(strstr(messages.text, "operators and brackets inside each other"));
  hd_string_clear(&part);
  hd_string_clear(&messages);
  hd_string_add(&part, "STATE(s) ");
  for (int i = 0; i < 12; i++)
    hd_string_printf(&part, "INT(a%d, 0) ", i);
  hd_string_add(&part, "BLOCKING(a) WHEN(true");
  for (int i = 0; i < 12; i++)
    hd_string_printf(&part, " && a%d != 0", i);
  hd_string_add(&part, ") DO() END EDGE(s, a, s)");
  assert_null(fixture_parse(part.text, &messages));
  assert_non_null(strstr(messages.text, "this has too many cases, more than 256; split it into simpler parts"));
  hd_string_free(&part);
  hd_string_free(&messages);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_mistake_has_a_place),
      cmocka_unit_test(mistakes_do_not_spread),
      cmocka_unit_test(several_mistakes_are_shown_in_order),
      cmocka_unit_test(a_whole_file_may_be_wrong),
      cmocka_unit_test(too_much_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
