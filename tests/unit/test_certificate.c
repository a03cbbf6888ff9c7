/* The text of certificates: what is written can be read, and mistakes are reported at their places. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "control/certificate.h"
#include "little/fixture.h"

static const char controller[]
    = "CONST(size, size >= 1) THREADS(>= 1)\n"
      "INT(count, size) BOOL(busy, false) ENUM(phase, fill, (fill, drain)) STATE(idle) STATE(inside)\n"
      "BLOCKING(enter) WHEN(!busy) DO(busy = true) END NONBLOCKING(leave) WHEN(true) DO(busy = false) END\n"
      "EDGE(idle, enter, inside) EDGE(inside, leave, idle)\n"
      "SPEC(excl, AG(count(inside) <= 1))\n"
      "SPEC(same, RIGID(x, AG(IMPLIES(count == x, AX(count == x)))))\n"
      "SPEC(ends, AG(IMPLIES(busy, AF(!busy))))\n";

static hd_controller *
model(void)
{
  hd_string messages = {0};
  hd_controller *c = fixture_parse(controller, &messages);
  if (!c)
    fail_msg("%s", messages.text);
  hd_string_free(&messages);
  return c;
}

/* The first four lines, and REST. */
static hd_string
text_of(const hd_controller *c, const char *rest)
{
  hd_string text = {0};
  hd_string_printf(&text, "heddle certificate 1\ncontroller t\nmodel %016llx\nthreads 1..\n%s",
                   (unsigned long long) hd_certificate_digest(c), rest);
  return text;
}

static const char whole[]
    = "fair\nconstant size 2\n"
      "\nproperty same\ninvariant\n  | true\nnode 0 # AG(IMPLIES(count == x, AX(count == x)))\n"
      "  | true\nnode 3 # AX(count == x)\n  | count - x == 0\n  | size - count + x >= 2\n"
      "\nproperty ends\ninvariant\n"
      "  | busy - count(inside) == 0 && 3*size - count <= -2 && phase == drain\n  | busy == false\n"
      "without\n  | count <= -1\n  | size - 2*count == 5\n"
      "node 0 # AG(IMPLIES(busy, AF(!busy)))\n  | true\n"
      "node 3 # AF(!busy)\n  | busy == true\nstage\n  | busy == true\nrank 2*count(inside) - 1\n"
      "rank 3\nhelpful inside leave idle\nstage\n"
      "\ndeadlock\ninvariant\n"
      "\nend\n";

/* Read and written again, a certificate in its canonical form is the same. */
static void
written_as_it_was_read(void **state)
{
  (void) state;
  hd_controller *c = model();
  hd_arena *arena = hd_arena_new();
  hd_string text = text_of(c, whole), messages = {0}, again = {0};
  const hd_control_certificate *x = hd_certificate_parse(c, "c", text.text, text.length, arena, &messages);
  if (!x)
    fail_msg("%s", messages.text);
  assert_null(x->proofs[0]);
  assert_int_equal(x->proofs[2]->nodes[3].nstages, 2);
  assert_int_equal(x->proofs[2]->nodes[3].stages[0].helpful, 1);
  assert_int_equal(x->proofs[2]->nodes[3].stages[1].helpful, -1);
  assert_int_equal(x->most_threads, UINT64_MAX);
  hd_certificate_write(&again, c, x);
  assert_string_equal(text.text, again.text);
  hd_string_free(&text);
  hd_string_free(&messages);
  hd_string_free(&again);
  hd_arena_free(arena);
  hd_control_free(c);
}

/* The two ways of writing mean the same. */
static void
the_same(const char *one, const char *other)
{
  hd_controller *c = model();
  hd_arena *arena = hd_arena_new();
  hd_string messages = {0}, out[2] = {{0}, {0}};
  const char *const ways[2] = {one, other};
  for (int i = 0; i < 2; i++)
  {
    hd_string rest = {0};
    hd_string_printf(&rest, "property same\ninvariant\n%s\nend\n", ways[i]);
    hd_string text = text_of(c, rest.text);
    const hd_control_certificate *x = hd_certificate_parse(c, "c", text.text, text.length, arena, &messages);
    if (!x)
      fail_msg("%s", messages.text);
    hd_certificate_write(&out[i], c, x);
    hd_string_free(&text);
    hd_string_free(&rest);
  }
  assert_string_equal(out[0].text, out[1].text);
  hd_string_free(&out[0]);
  hd_string_free(&out[1]);
  hd_string_free(&messages);
  hd_arena_free(arena);
  hd_control_free(c);
}

static void
ways_to_write_it(void **state)
{
  (void) state;
  the_same("| count < size", "| count - size + 1 <= 0");
  the_same("| count > size", "| count >= size + 1");
  the_same("| phase == drain && busy == true", "|phase==1&&busy==1 # a comment");
}

static void
mistake(const char *rest, const char *message)
{
  hd_controller *c = model();
  hd_arena *arena = hd_arena_new();
  hd_string messages = {0}, text = text_of(c, rest);
  if (hd_certificate_parse(c, "c", text.text, text.length, arena, &messages))
    fail_msg("no mistake is found in\n%s", text.text);
  if (!strstr(messages.text, message))
    fail_msg("'%s' is not in\n%s", message, messages.text);
  hd_string_free(&text);
  hd_string_free(&messages);
  hd_arena_free(arena);
  hd_control_free(c);
}

static void
mistakes_have_places(void **state)
{
  (void) state;
  mistake("", "c:4:12: error: the last line, 'end', is missing");
  mistake("end\n", "c:5:1: error: this certificate proves nothing");
  mistake("proberty excl\nend\n", "c:5:1: error: a line begins with | or a word");
  mistake("property excel\nend\n", "c:5:10: error: 'excel' is not a property of 't'");
  mistake("property excl\nend\n", "c:6:1: error: there is no invariant for property excl above this line");
  mistake("property excl\ninvariant\n|true\nproperty excl\nend\n", "c:8:10: error: there is a proof of 'excl' already");
  mistake("invariant\nend\n", "c:5:1: error: an invariant belongs to a property or to deadlock");
  mistake("property excl\ninvariant\n  | cuont >= 0\nend\n",
          "c:7:5: error: 'cuont' is no constant, variable or value of 't'");
  mistake("property excl\ninvariant\n  | x >= 0\nend\n", "c:7:5: error: 'x' is no constant");
  mistake("property excl\ninvariant\n  | count(outside) >= 0\nend\n",
          "c:7:11: error: 'outside' is not an interface state of 't'");
  mistake("property excl\ninvariant\n  | count = 0\nend\n", "c:7:11: error: a comparison");
  mistake("property excl\ninvariant\n  | count >= 0 || busy == true\nend\n", "c:7:16: error: the line should end here");
  mistake("property excl\ninvariant\n  | count >= 99999999999999999999\nend\n",
          "c:7:14: error: this number is too large");
  mistake("property excl\ninvariant\n  | count >= 2x\nend\n", "c:7:14: error: a whole number should stand here");
  mistake("property excl\ninvariant\n  | true\nwithout\nwithout\nend\n",
          "c:9:1: error: 'without' follows an invariant");
  mistake("property excl\ninvariant\nnode 2\nend\n", "c:7:6: error: the nodes of this property are 0 to 1");
  mistake("property excl\ninvariant\nnode 0\nnode 0\nend\n", "c:8:6: error: node 0 is there already");
  mistake("property excl\ninvariant\nnode 0\nstage\nend\n", "c:8:1: error: only AF and AU have stages");
  mistake("property ends\ninvariant\nnode 3\nrank count\nend\n", "c:8:1: error: a rank belongs to a stage");
  mistake("property ends\ninvariant\nnode 3\nstage\nhelpful inside leave idle\nend\n",
          "c:9:1: error: a helpful edge needs fairness");
  mistake("fair\nproperty ends\ninvariant\nnode 3\nstage\nhelpful idle leave inside\nend\n",
          "c:10:1: error: 't' has no such edge");
  mistake("deadlock\ninvariant\n| true\nnode 0\nend\n", "c:8:1: error: a node belongs to a property");
  mistake("property excl\n  | true\ninvariant\nend\n", "c:6:3: error: nothing that has states stands above this line");
  mistake("deadlock\ninvariant\nend\nend\n", "c:8:1: error: nothing comes after 'end'");
  mistake("constant sise 2\n", "c:5:10: error: the name of a constant of 't' should stand here");
  mistake("constant size 2\nconstant size 2\n", "c:6:1: error: the constant 'size' has a value already");
  mistake("deadlock\ninvariant\nconstant size 2\nend\n", "c:7:1: error: 'constant' stands at the beginning, before");
  mistake("constant size -2\nfair\n", "c:6:1: error: 'fair' stands at the beginning, once");
  mistake("threads 2..\n", "c:5:1: error: 'threads' stands at the beginning, once");
  /* one mistake does not hide the next */
  mistake("property excl\ninvariant\n  | a >= 0\n  | b >= 0\nend\n", "c:8:5: error: 'b' is no constant");
}

static void
other_files_are_refused(void **state)
{
  (void) state;
  static const struct
  {
    const char *text, *message;
  } cases[] = {
      {"", "c:1:1: error: this is not a certificate: it is empty"},
      {"#ifndef X\n", "c:1:1: error:"},
      {"heddle log 1\n", "c:1:1: error: a certificate begins with the line 'heddle certificate 1'"},
      {"heddle certificate 2\n", "c:1:1: error: this is version 2 of the form"},
      {"heddle certificate 1\ncontroller u\n",
       "c:2:1: error: this certificate is for a controller 'u', but t.h has 't'"},
      {"heddle certificate 1\ncontroller t\nmodel 0123456789abcdef\n",
       "c:3:1: error: this certificate is for another version of 't'"},
      {"heddle certificate 1\nmodel 0\n", "c:2:1: error: here comes the line 'controller'"},
  };
  hd_controller *c = model();
  hd_arena *arena = hd_arena_new();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
  {
    hd_string messages = {0};
    assert_null(hd_certificate_parse(c, "c", cases[i].text, strlen(cases[i].text), arena, &messages));
    if (!strstr(messages.text, cases[i].message))
      fail_msg("'%s' is not in\n%s", cases[i].message, messages.text);
    hd_string_free(&messages);
  }
  hd_arena_free(arena);
  hd_control_free(c);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(written_as_it_was_read),
      cmocka_unit_test(ways_to_write_it),
      cmocka_unit_test(mistakes_have_places),
      cmocka_unit_test(other_files_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
