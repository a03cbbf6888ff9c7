/* test_controller_generated.c: HD_CONTROLLER_GENERATED: the functions of a controller made by somebody else, here by
 * hand (controller/rw_fast.h), under the names that users know, also with the interface check. */
#define HD_CHECK_INTERFACE
#define HD_CONTROLLER_GENERATED "controller/rw_fast.h"
#include "rw.h"
#ifdef HD_CONTROLLER_GENERATED
#error "it must be for one controller alone"
#endif
#include "mutex.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include "controller/stress.inc"

#include <cmocka.h>

static void
same_interface(void **state)
{
  (void) state;
  rw c;
  memset(&c, 0, sizeof c);
  rw_init(&c);
  assert_true(c.fast); /* it is the other one */
  rw_r_enter(&c);
  assert_true(rw_r_exit(&c));
  assert_true(rw_w_enter_try(&c));
  assert_true(rw_w_exit(&c));
  const struct timespec past = {.tv_sec = 0, .tv_nsec = 0};
  assert_true(rw_w_enter_until(&c, &past));
  assert_true(rw_w_exit(&c));
  assert_int_equal(rw_next_state(rw_state_idle, rw_action_r_enter), rw_state_reading);
  rw_destroy(&c);

  mutex m;
  mutex_init(&m);
  mutex_acquire(&m);
  assert_true(m.busy);
  mutex_release(&m);
  mutex_destroy(&m);
}

static void
threads(void **state)
{
  (void) state;
  for (unsigned seed = 1; seed <= 3; seed++)
  {
    rw c;
    rw_init(&c);
    const int bad = rw_stress_run(&c, 8, getenv("HEDDLE_TEST_SANITIZED") != NULL ? 300 : 3000, seed);
    if (bad != 0)
      fail_msg("%d times with seed %u", bad, seed);
    rw_destroy(&c);
  }
}

static int violations;

static void
count_violation(const hd_controller_violation *v)
{
  violations++;
  assert_string_equal(v->controller, "rw");
  assert_string_equal(v->action, "w_exit");
  assert_string_equal(v->state, "reading");
}

static void
checked(void **state)
{
  (void) state;
  rw c;
  rw_init(&c);
  hd_controller_on_violation(count_violation);
  rw_r_enter(&c);
  rw_w_exit(&c);
  hd_controller_on_violation(NULL);
  assert_int_equal(violations, 1);
  rw_destroy(&c);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(same_interface),
      cmocka_unit_test(threads),
      cmocka_unit_test(checked),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
