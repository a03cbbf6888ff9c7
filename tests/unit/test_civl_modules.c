/* Modules: ownership, and what need not be checked between them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "civl/programs.h"

static void
test_messages(void **state)
{
  (void) state;
  check_programs(TEST_SOURCE_ROOT, "modules", &(hd_civl_options){.modules = true});
}

/* Two counters that have nothing to do with each other, and one who uses both at a higher layer. */
#define COUNTER(m, x)                                                                                                  \
  "var {:module \"" m "\"} {:owner \"main\", 2} {:layer 0,3} " x ": int;\n"                                            \
  "procedure {:both} {:layer 1,2} A" x "() modifies " x "; { " x " := " x " + 1; }\n"                                  \
  "procedure {:yields} {:layer 0} {:refines \"A" x "\"} P" x "();\n"                                                   \
  "procedure {:yields} {:layer 1} {:refines \"A" x "\"} {:module \"" m "\"} Q" x "()\n"                                \
  "{ yield; assert {:layer 1} " x " > 0; call P" x "(); yield; assert {:layer 1} " x " > 0; }\n"
static const char program[] = COUNTER("a", "x")
    COUNTER("b", "y") "procedure {:atomic} {:layer 3} Both() modifies x, y; { x := x + 1; y := y + 1; }\n"
                      "procedure {:yields} {:layer 2} {:refines \"Both\"} {:module \"main\"} R()\n"
                      "{ yield; assert {:layer 2} x == x; call Qx(); call Qy(); yield; }\n";

static size_t
count_tasks(const hd_civl_options *options, size_t *skipped, const char *module)
{
  hd_boogie_messages m = {0};
  hd_boogie_program *p = hd_boogie_read_text("p", program, strlen(program), &(hd_boogie_options){0}, &m);
  assert_non_null(p);
  hd_civl *c = hd_civl_transform(p, options, &m);
  assert_non_null(c);
  size_t n = hd_civl_tasks(c);
  *skipped = hd_civl_counted(c).skipped_pairs;
  for (size_t i = 0; module && i < n; i++)
    assert_string_equal(hd_civl_task_at(c, i)->module, module);
  /* What is not wanted is not proved. */
  size_t proved = 0;
  for (size_t i = 0; i < p->decls.n; i++)
  {
    const hd_boogie_decl *d = &p->decls.items[i];
    if (d->kind != HD_BOOGIE_DECL_IMPL || hd_boogie_attr_find(d->impl->attrs, "inline"))
      continue;
    bool wanted = !hd_boogie_attr_find(d->impl->attrs, "verify");
    assert_int_equal(hd_civl_task_of(c, d->impl) != NULL, wanted);
    proved += wanted;
  }
  assert_int_equal(proved, n);
  hd_boogie_program_free(p);
  hd_boogie_messages_free(&m);
  return n;
}

static void
test_fewer_checks(void **state)
{
  (void) state;
  size_t skipped, all, whole = count_tasks(&(hd_civl_options){0}, &skipped, NULL);
  assert_int_equal(skipped, 0);
  assert_int_equal(count_tasks(&(hd_civl_options){.modules = true}, &skipped, NULL), whole);
  /* At layer 1 Qx and R against Qy's yields, Qy and R against Qx's. */
  assert_int_equal(skipped, 4);
  all = count_tasks(&(hd_civl_options){.modules = true, .only_module = "a"}, &skipped, "a");
  all += count_tasks(&(hd_civl_options){.modules = true, .only_module = "b"}, &skipped, "b");
  all += count_tasks(&(hd_civl_options){.modules = true, .only_module = "main"}, &skipped, "main");
  assert_int_equal(all, whole);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_messages),
      cmocka_unit_test(test_fewer_checks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
