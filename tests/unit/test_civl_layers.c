/* Layered programs: every message of the check of layers at its place, and what classification makes of good ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "civl/internal.h"
#include "civl/programs.h"

static void
test_messages(void **state)
{
  (void) state;
  check_programs(TEST_SOURCE_ROOT, "layers", &(hd_civl_options){0});
}

static hd_boogie_program *
read_good(const char *text)
{
  hd_boogie_messages m = {0};
  hd_boogie_options options = {0};
  hd_boogie_program *p = hd_boogie_read_text("program", text, strlen(text), &options, &m);
  assert_non_null(p);
  hd_boogie_messages_free(&m);
  return p;
}

static hd_civl *
classify_good(hd_boogie_program *p)
{
  static hd_boogie_messages none;
  none = (hd_boogie_messages){0};
  hd_civl *c = hd_boogie_alloc(p, sizeof *c);
  c->program = p;
  c->messages = &none;
  hd_civl_classify(c);
  assert_int_equal(none.errors, 0);
  return c;
}

static void
assert_body(const hd_boogie_impl *impl, const char *expected)
{
  hd_string text = {0};
  for (size_t i = 0; i < impl->blocks.n; i++)
    for (size_t j = 0; j < impl->blocks.items[i]->cmds.n; j++)
      hd_boogie_print_cmd(impl->blocks.items[i]->cmds.items[j], 0, &text);
  hd_string_add(&text, "");
  assert_string_equal(text.text, expected);
  hd_string_free(&text);
}

/* Sets of a copy, as text. */
static void
assert_set(const var_set *s, const char *expected)
{
  hd_string text = {0};
  hd_string_add(&text, "");
  for (size_t i = 0; i < s->list.n; i++)
    hd_string_printf(&text, "%s%s", i ? " " : "", s->list.items[i]->name);
  assert_string_equal(text.text, expected);
  hd_string_free(&text);
}

static void
test_versions(void **state)
{
  (void) state;
  hd_boogie_program *p = read_good("var {:layer 0,9} x:int; var {:layer 0,9} y:int; var {:layer 0,9} z:int;\n"
                                   "procedure {:right} {:layer 2,4} A(i:int) returns (r:int) modifies x;\n"
                                   "{ var l:int; assert y > i; assert (forall j:int :: j > z); assume z > 0; l := i;\n"
                                   "  x := l + (if (exists j:int :: j == x) then 1 else 2); r := l; }\n"
                                   "procedure {:yields} {:layer 3} S() { yield; }\n");
  hd_civl *c = classify_good(p);
  assert_int_equal(c->action_layers.n, 3);
  assert_int_equal(c->refinement_layers.n, 1);
  assert_null(c->pending_asyncs);
  const action *a = c->actions.items[0];
  assert_int_equal(a->gate_length, 2);
  assert_null(hd_civl_copy_at(c, a, 5));
  const action_copy *copy = hd_civl_copy_at(c, a, 3);
  assert_string_equal(copy->proc->name, "A_3");
  assert_int_equal(copy->gate.n, 2);
  assert_true(copy->has_assume);
  assert_set(&copy->gate_globals, "y z");
  assert_set(&copy->body_globals, "z x");
  assert_set(&copy->modified, "x");
  assert_body(copy->impl, "assume z > 0;\nl := i;\nx := l + (if (exists j: int :: j == x) then 1 else 2);\nr := l;\n");
  assert_string_equal(copy->second.ins.items[0]->name, "second_i");
  hd_boogie_impl renamed_body = {.blocks = copy->second.blocks};
  assert_body(&renamed_body, "assume z > 0;\nsecond_l := second_i;\n"
                             "x := second_l + (if (exists second_j: int :: second_j == x) then 1 else 2);\n"
                             "second_r := second_l;\n");
  hd_boogie_program_free(p);
}

static void
test_pending(void **state)
{
  (void) state;
  hd_boogie_program *p
      = read_good("var {:layer 0,9} x:int;\n"
                  "procedure {:left} {:layer 2,4} A(i:int) { async call Q(i + 1); async call Q(i); }\n"
                  "procedure {:left} {:layer 3,4} B(k:int) modifies x; { assert k > 0; x := old(x) + k; }\n"
                  "procedure {:yields} {:layer 2} {:refines \"B\"} Q(k:int) { yield; }\n"
                  "procedure {:yields} {:layer 1} {:refines \"A\"} P(i:int) { yield; async call Q(i); yield; }\n");
  hd_civl *c = classify_good(p);
  const action *a = c->actions.items[0];
  assert_int_equal(a->async_free, 3);
  assert_non_null(c->pending_asyncs);
  assert_set(&hd_civl_copy_at(c, a, 2)->modified, "pendingAsyncMultiset");
  /* At layer 3 the started action happens at once, with its own old state, and without its gate. */
  const action_copy *copy = hd_civl_copy_at(c, a, 3);
  assert_set(&copy->modified, "x");
  assert_body(copy->impl, "inline$B_3$0$k := i + 1;\ninline$B_3$0$x := x;\nx := inline$B_3$0$x + inline$B_3$0$k;\n"
                          "inline$B_3$1$k := i;\ninline$B_3$1$x := x;\nx := inline$B_3$1$x + inline$B_3$1$k;\n");
  assert_int_equal(copy->gate.n, 0);
  hd_boogie_program_free(p);
}

static void
test_kinds(void **state)
{
  (void) state;
  hd_boogie_program *p = read_good(
      "var {:layer 1,3} g:int;\n"
      "procedure {:both} {:layer 2,3} A() { }\n"
      "procedure {:yields} {:layer 1} {:refines \"A\"} P() { yield; }\n"
      "procedure {:yields} {:layer 2} {:right} {:terminates} M() modifies g; { }\n"
      "procedure {:yields} {:layer 2} S({:layer 1} i:int) returns ({:layer 2} o:int) requires {:layer 2,1} i > 0;\n"
      "{ var {:layer 2} l:int; yield; call I(l); call l := J(); assert {:layer 1} i > 0; yield; }\n"
      "procedure {:layer 0,3} I(i:int) { }\n"
      "procedure {:layer 2} J() returns (o:int) { o := g; }\n");
  hd_civl *c = classify_good(p);
  const yielding *P = c->yieldings.items[0], *M = c->yieldings.items[1], *S = c->yieldings.items[2];
  assert_int_equal(P->kind, YIELDING_ACTION);
  assert_ptr_equal(P->refined, c->actions.items[0]);
  assert_int_equal(P->mover, MOVER_BOTH);
  assert_int_equal(M->kind, YIELDING_MOVER);
  assert_true(M->terminates);
  assert_set(&M->modifies, "g");
  assert_true(is_mover_at(M, 2));
  assert_int_equal(S->kind, YIELDING_SKIP);
  assert_int_equal(S->mover, MOVER_BOTH);
  const layer_list *l = hd_civl_spec_layers(c, S->proc->requires.items[0]);
  assert_int_equal(l->n, 2);
  assert_int_equal(l->items[0], 1);
  const hd_boogie_impl *impl = c->yielding_impls.items[2].impl;
  assert_int_equal(hd_civl_local_layer(c, impl->ins.items[0]), 1);
  assert_int_equal(hd_civl_local_layer(c, impl->outs.items[0]), 2);
  assert_int_equal(hd_civl_local_layer(c, impl->locals.items[0]), 2);
  assert_int_equal(hd_civl_global_range(c, c->globals.items[0]).upper, 3);
  const hd_boogie_cmds *cmds = &impl->blocks.items[0]->cmds;
  assert_false(hd_civl_call_exists(c, cmds->items[1], 2, 1));
  assert_true(hd_civl_call_exists(c, cmds->items[1], 2, 2));
  assert_false(hd_civl_call_exists(c, cmds->items[2], 2, 1));
  assert_int_equal(hd_civl_assert_layers(c, cmds->items[3])->n, 1);
  assert_false(hd_civl_introduction_of(c, cmds->items[1]->proc)->leaky);
  assert_true(hd_civl_introduction_of(c, cmds->items[2]->proc)->leaky);
  hd_boogie_program_free(p);
}

static void
test_explained(void **state)
{
  (void) state;
  for (int i = 0; i < HD_CIVL_CHECKS; i++)
  {
    hd_civl_check found;
    assert_true(hd_civl_check_named(hd_civl_check_name((hd_civl_check) i), &found));
    assert_int_equal(found, i);
    size_t lines = 0;
    for (const char *s = hd_civl_check_explained((hd_civl_check) i); *s; s++)
      lines += *s == '\n';
    assert_int_equal(lines, 5);
  }
  hd_civl_check found;
  assert_false(hd_civl_check_named("nothing", &found));
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_messages), cmocka_unit_test(test_versions),  cmocka_unit_test(test_pending),
      cmocka_unit_test(test_kinds),    cmocka_unit_test(test_explained),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
