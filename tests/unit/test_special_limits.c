/* test_special_limits.c: the special algorithms at their limits: too few steps, a caller who cancels, long histories.
 */
#include "brute/histories.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/base.h"
#include "specs/specs.h"

/* A register history that can be explained, but has very many configurations: at the return of one write each of
 * HARD others, whose values open reads wait for, may or may not have been there just before, and later reads wait for
 * them, too. */
enum
{
  HARD = 40,
};

static size_t
make_hard(hd_linear_op ops[4 * HARD])
{
  size_t n = 0;
  for (unsigned i = 0; i < HARD; i++)
  {
    ops[n++] = (hd_linear_op){.method = 1, .args[0] = hd_int(i), .start = 1 + i, .end = 9000 + i};
    ops[n++] = (hd_linear_op){.method = 1, .args[0] = hd_int(i), .start = 8000 + i, .end = 9500 + i};
    ops[n++] = (hd_linear_op){.method = 0, .ret = hd_int(i), .start = 100 + i, .end = 7000 + 2 * i};
    ops[n++] = (hd_linear_op){.method = 0, .ret = hd_int(i), .start = 300 + i, .end = 7001 + 2 * i};
  }
  ops[1] = (hd_linear_op){.method = 1, .args[0] = hd_int(999), .start = 200, .end = 250};
  for (size_t i = 0; i < n; i++)
    ops[i].id = i;
  return n;
}

/* A stack of which two pops never returned, and one found nothing. */
static const hd_linear_op too_few[] = {{.method = 0, .args[0] = {.type = HD_INT, .i = 1}, .start = 1, .end = 2},
                                       {.method = 0, .args[0] = {.type = HD_INT, .i = 2}, .start = 3, .end = 4},
                                       {.method = 1, .start = 5, .pending = true},
                                       {.method = 1, .start = 6, .pending = true},
                                       {.method = 1, .start = 7, .end = 8}};

/* Far too little for the searches: unknown, not a guess. */
static void
test_limit(void **state)
{
  (void) state;
  special_options options = {.max_steps = 1};
  const hd_spec *stack = hd_specs_find("stack");
  assert_int_equal(hd_special_decide(stack, too_few, 5, &options, NULL), SPECIAL_STOPPED);
  assert_int_equal(hd_special_decide(stack, too_few, 5, NULL, NULL), SPECIAL_HOLDS);
  hd_linear_op ops[4 * HARD];
  size_t n = make_hard(ops);
  const hd_spec *spec = hd_specs_find("register");
  assert_int_equal(hd_special_decide(spec, ops, n, &options, NULL), SPECIAL_STOPPED);
  options = (special_options){.max_configurations = 1000};
  assert_int_equal(hd_special_decide(spec, ops, n, &options, NULL), SPECIAL_STOPPED);
}

/* ---- cancelling ---- */

static int cancelled;

static void *
cancel(void *begun)
{
  while (!__atomic_load_n((int *) begun, __ATOMIC_ACQUIRE)) /* acquire: pairs with the release in test_cancel() */
    sched_yield();
  __atomic_store_n(&cancelled, 1, __ATOMIC_RELAXED);
  return NULL;
}

static void
test_cancel(void **state)
{
  (void) state;
  special_options options = {.cancel = &cancelled};
  /* From the beginning, whatever the object. */
  cancelled = 1;
  for (flavour f = 0; f < FLAVOURS; f++)
  {
    history h;
    history_plan plan = {.flavour = f, .n = 1000, .clients = 4, .inserts = 50, .amount = 1, .values = 10};
    uint64_t random = 5;
    history_simulate(&h, &plan, &random);
    assert_int_equal(hd_special_decide(h.spec, h.ops, h.n, &options, NULL), SPECIAL_STOPPED);
    history_free(&h);
  }
  /* In the middle of a search that would take years. */
  hd_linear_op ops[4 * HARD];
  size_t n = make_hard(ops);
  options.max_steps = UINT64_MAX / 2;
  options.max_configurations = 1 << 20;
  int begun = 0;
  pthread_t thread;
  cancelled = 0;
  assert_int_equal(pthread_create(&thread, NULL, cancel, &begun), 0);
  __atomic_store_n(&begun, 1, __ATOMIC_RELEASE); /* pairs with the acquire in cancel() */
  assert_int_equal(hd_special_decide(hd_specs_find("register"), ops, n, &options, NULL), SPECIAL_STOPPED);
  pthread_join(thread, NULL);
}

/* A queue that cancels after many steps, and counts what is done after that. */
enum
{
  BEFORE_CANCEL = 50000,
  AFTER_CANCEL = 4096,
};

static unsigned steps_done;

static hd_step
cancelling_test(const void *state, const hd_op *op)
{
  if (++steps_done == BEFORE_CANCEL)
    cancelled = 1;
  return hd_specs_find("queue")->test(state, op);
}

/* The search looks often enough whether it is to stop, also where one event leads to very many configurations. */
static void
test_cancel_search(void **state)
{
  (void) state;
  enum
  {
    MANY = 24,
  };
  hd_spec spec = *hd_specs_find("queue");
  spec.standard = false;
  spec.test = cancelling_test;
  hd_linear_op ops[2 * MANY];
  for (unsigned i = 0; i < MANY; i++)
  {
    ops[i] = (hd_linear_op){.nargs = 1, .args[0] = hd_int(i), .start = 1 + i, .end = 1000 + i, .id = i};
    ops[MANY + i]
        = (hd_linear_op){.method = 2, .ret = hd_int(MANY - 1 - i), .start = 500 + i, .end = 2000 + i, .id = MANY + i};
  }
  hd_linear_options options = {.rules = HD_LINEAR_ALL, .cancel = &cancelled};
  hd_linear_result result;
  steps_done = 0;
  cancelled = 0;
  hd_linear_decide(&spec, ops, 2 * MANY, &options, &result);
  assert_int_equal(result.answer, HD_LINEAR_UNKNOWN);
  assert_true(steps_done >= BEFORE_CANCEL);
  assert_true(steps_done < BEFORE_CANCEL + AFTER_CANCEL);
}

/* Whatever is asked after the caller has cancelled makes no more than a few steps an operation: every long loop looks.
 */
static void
test_cancel_steps(void **state)
{
  (void) state;
  cancelled = 1;
  for (flavour f = 0; f < FLAVOURS; f++)
  {
    history h;
    uint64_t random = 5, steps = 0;
    history_plan plan = {.flavour = f, .n = 200000, .clients = 4, .inserts = 50, .amount = 1, .values = 10};
    plan.unknown = f >= FLAVOUR_QUEUE ? 1 : 0;
    history_simulate(&h, &plan, &random);
    special_options options = {.cancel = &cancelled, .steps = &steps};
    assert_int_equal(hd_special_decide(h.spec, h.ops, h.n, &options, NULL), SPECIAL_STOPPED);
    assert_true(steps <= h.n);
    history_free(&h);
  }
  cancelled = 0;
}

/* ---- growth ---- */

/* Steps for N operations of a right history, with a few pending ones where that is decided in one go. */
static uint64_t
steps_for(flavour f, size_t n, unsigned spread, unsigned unknown)
{
  uint64_t random = 42 + n, steps = 0;
  bool pending = f != FLAVOUR_STACK && f != FLAVOUR_PQUEUE;
  history_plan plan = {.flavour = f,
                       .n = n,
                       .clients = 16,
                       .pending = pending ? 1 : 0,
                       .unknown = unknown,
                       .inserts = 50,
                       .spread = spread,
                       .amount = 1,
                       .values = f == FLAVOUR_REPEATED ? 10 : 0};
  history h;
  history_simulate(&h, &plan, &random);
  for (size_t i = 0; i < h.n && f == FLAVOUR_CAS; i++) /* one cas in a hundred fails: not fit */
    h.ops[i].pending |= h.ops[i].method == 2 && h.ops[i].ret.u == 0;
  for (size_t i = 0; i < h.n && f == FLAVOUR_KEY; i++) /* nor is del → true */
    if (h.ops[i].method == 3 && h.ops[i].ret.u == 1)
      h.ops[i].ret = hd_nil();
  special_options options = {.config = h.config, .nconfig = h.nconfig, .steps = &steps};
  hd_linear_violation why = {0};
  special_answer answer = hd_special_decide(h.spec, h.ops, h.n, &options, &why);
  if (answer != SPECIAL_HOLDS)
    print_message("%s: answer %d: %s\n", flavour_names[f], (int) answer, why.sentence);
  assert_int_equal(answer, SPECIAL_HOLDS);
  history_free(&h);
  return steps;
}

static void
test_growth(void **state)
{
  (void) state;
  const size_t small = 1 << 12, large = 1 << 16;
  for (flavour f = 0; f < FLAVOURS; f++)
    for (unsigned way = 0; way < (f >= FLAVOUR_QUEUE ? 3 : 2); way++) /* the last one: some removals are unknown */
    {
      double a = (double) steps_for(f, small, way % 2, way / 2) / (double) small;
      double b = (double) steps_for(f, large, way % 2, way / 2) / (double) large;
      /* Linear; for the stack, and for unknown removals, with a logarithm, which has grown by a third. */
      /* With values that repeat it depends on the history, and on how many pending writes there are. */
      assert_true(b <= a * (f == FLAVOUR_REPEATED ? 2 : f == FLAVOUR_STACK || way == 2 ? 1.5 : 1.2) + 1);
      assert_true(b <= (f == FLAVOUR_STACK ? 200 : 60));
    }
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_limit),        cmocka_unit_test(test_cancel), cmocka_unit_test(test_cancel_search),
      cmocka_unit_test(test_cancel_steps), cmocka_unit_test(test_growth),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
