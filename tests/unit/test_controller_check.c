/* test_controller_check.c: -DHD_CHECK_INTERFACE: what is reported and what is not. The lines of a report are compared
 * in tests/e2e/control/pattern, where it is printed. */
#define HD_CHECK_INTERFACE
#include "rw.h"
#include "latch.h"
#include "controller/order.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static struct
{
  int n;
  unsigned instance, thread;
  char controller[32], state[64], action[32], allowed[128], text[1024];
} seen;

static void
see(const hd_controller_violation *v)
{
  seen.n++;
  seen.instance = v->instance;
  seen.thread = v->thread;
  snprintf(seen.controller, sizeof seen.controller, "%s", v->controller);
  snprintf(seen.state, sizeof seen.state, "%s", v->state);
  snprintf(seen.action, sizeof seen.action, "%s", v->action != NULL ? v->action : "data");
  snprintf(seen.allowed, sizeof seen.allowed, "%s", v->allowed);
  snprintf(seen.text, sizeof seen.text, "%s", v->text);
}

static int
begin(void **state)
{
  (void) state;
  memset(&seen, 0, sizeof seen);
  hd_controller_on_violation(see);
  return 0;
}

static int
end(void **state)
{
  (void) state;
  hd_controller_on_violation(NULL);
  return 0;
}

static void
in_a_thread(void *(*function)(void *), void *arg)
{
  pthread_t id;
  assert_int_equal(pthread_create(&id, NULL, function, arg), 0);
  pthread_join(id, NULL);
}

static void
forbidden_call(void **state)
{
  (void) state;
  rw a, b;
  rw_init(&a);
  rw_init(&b);
  rw_r_enter(&b);
  rw_r_enter(&a);
  rw_r_exit(&a);
  assert_int_equal(seen.n, 0);
  rw_w_exit(&a);
  assert_int_equal(seen.n, 1);
  assert_int_equal(seen.instance, b.hd_instance - 1);
  assert_string_equal(seen.controller, "rw");
  assert_string_equal(seen.state, "idle");
  assert_string_equal(seen.action, "w_exit");
  assert_string_equal(seen.allowed, "r_enter, w_enter");
  rw_r_exit(&b); /* the other instance is not concerned */
  assert_int_equal(seen.n, 1);
  rw_destroy(&b);
  rw_destroy(&a);
}

static void
lines(void **state)
{
  (void) state;
  rw c;
  char here[64], before[64];
  rw_init(&c);
  snprintf(before, sizeof before, "test_controller_check.c:%d, in lines\n", __LINE__ + 1);
  rw_w_enter(&c);
  snprintf(here, sizeof here, "test_controller_check.c:%d, in lines\n", __LINE__ + 1);
  rw_r_exit(&c);
  assert_int_equal(seen.n, 1);
  if (strstr(seen.text, "compile with -g and have addr2line") == NULL) /* there may be no addr2line */
  {
    assert_non_null(strstr(seen.text, here));
    assert_non_null(strstr(seen.text, before));
  }
  rw_destroy(&c);
}

static void *
only_exit(void *c)
{
  rw_r_exit(c);
  return NULL;
}

/* A thread's state is its own, and a new thread begins anew although the system gives it an old thread's identity. */
static void
threads_come_and_go(void **state)
{
  (void) state;
  rw c;
  rw_init(&c);
  rw_r_enter(&c);
  unsigned last = 0;
  for (int i = 0; i < 50; i++)
  {
    in_a_thread(only_exit, &c);
    assert_int_equal(seen.n, i + 1);
    assert_true(seen.thread > last);
    last = seen.thread;
    assert_string_equal(seen.state, "idle");
    assert_non_null(strstr(seen.text, "has not called"));
  }
  rw_r_exit(&c);
  assert_int_equal(seen.n, 50);
  rw_destroy(&c);
}

/* More instances than a table has at first, many of them in turn at the same address. */
static void
many_instances(void **state)
{
  (void) state;
  enum
  {
    MANY = 500
  };
  static rw all[MANY];
  for (int i = 0; i < MANY; i++)
  {
    rw_init(&all[i]);
    if (i % 2 == 0)
      rw_r_enter(&all[i]);
  }
  for (int i = 0; i < 10000; i++)
  {
    rw passing;
    rw_init(&passing);
    rw_w_enter(&passing);
    if (i % 3 == 0)
      rw_w_exit(&passing); /* or left behind: the next one must not inherit that */
    rw_destroy(&passing);
  }
  for (int i = 0; i < MANY; i++)
  {
    if (i % 2 == 1)
      rw_w_enter(&all[i]);
    if (i % 2 == 0)
      rw_r_exit(&all[i]);
    else
      rw_w_exit(&all[i]);
    rw_destroy(&all[i]);
  }
  assert_int_equal(seen.n, 0);
}

static void
failed_attempts_do_not_move(void **state)
{
  (void) state;
  rw c;
  rw_init(&c);
  c.busy = true; /* as if another thread were writing */
  const struct timespec past = {.tv_sec = 0, .tv_nsec = 0};
  assert_false(rw_r_enter_try(&c));
  assert_false(rw_w_enter_until(&c, &past));
  c.busy = false;
  rw_r_enter(&c);
  rw_r_exit(&c);
  assert_int_equal(seen.n, 0);
  rw_destroy(&c);

  order o; /* a nonblocking action moves the thread also if no guard held */
  order_init(&o, 0, 1);
  order_pick(&o);
  assert_false(order_none(&o));
  order_pick(&o);
  assert_int_equal(seen.n, 0);
  order_destroy(&o);
}

/* Two edges with the same action from one state: either may be meant until a call shows which. */
static void
undetermined_interface(void **state)
{
  (void) state;
  order o;
  order_init(&o, 0, 9);
  order_pick(&o);  /* left or right */
  order_again(&o); /* it was right */
  order_pick(&o);
  order_change(&o); /* it was left */
  assert_int_equal(seen.n, 0);
  order_again(&o);
  assert_int_equal(seen.n, 1);
  assert_string_equal(seen.state, "left");
  order_pick(&o);
  order_pick(&o);
  assert_int_equal(seen.n, 2);
  assert_string_equal(seen.state, "left or right");
  assert_string_equal(seen.allowed, "none, again, change");
  order_destroy(&o);
}

static void
data(void **state)
{
  (void) state;
  rw c;
  rw_init(&c);
  rw_r_enter(&c);
  HD_DATA(&c, rw, reading, writing);
  assert_int_equal(seen.n, 0);
  HD_DATA(&c, rw, writing);
  assert_int_equal(seen.n, 1);
  assert_string_equal(seen.action, "data");
  assert_string_equal(seen.state, "reading");
  assert_string_equal(seen.allowed, "writing");
  rw_r_exit(&c);
  HD_DATA(&c, rw, reading, writing);
  assert_int_equal(seen.n, 2);
  assert_string_equal(seen.state, "idle");
  assert_string_equal(seen.allowed, "reading, writing");
  rw_destroy(&c);
}

static pthread_key_t late_key;

static void
exit_late(void *c)
{
  rw_r_exit(c);
}

static void *
enter_and_end(void *c)
{
  rw_r_enter(c);
  pthread_setspecific(late_key, c);
  return NULL;
}

/* Destructors of thread-specific data run in any order; one of them may release what the thread holds. */
static void
released_by_a_destructor(void **state)
{
  (void) state;
  rw c;
  rw_init(&c);
  assert_int_equal(pthread_key_create(&late_key, exit_late), 0);
  in_a_thread(enter_and_end, &c);
  assert_int_equal(seen.n, 0);
  assert_int_equal(c.nR, 0);
  pthread_key_delete(late_key);
  rw_destroy(&c);
}

static void
enter_after_all(void *c)
{
  rw_r_enter(c);
  rw_r_exit(c);
}

static void *
write_cancelled(void *c)
{
  pthread_cleanup_push(enter_after_all, c);
  rw_w_enter(c);
  rw_w_exit(c);
  pthread_cleanup_pop(0);
  return NULL;
}

/* A cancelled waiter is where it was: its cleanup handlers may use the controller. */
static void
cancelled(void **state)
{
  (void) state;
  rw c;
  rw_init(&c);
  rw_r_enter(&c);
  pthread_t id;
  void *result;
  assert_int_equal(pthread_create(&id, NULL, write_cancelled, &c), 0);
  pthread_cancel(id);
  pthread_join(id, &result);
  assert_ptr_equal(result, PTHREAD_CANCELED);
  rw_r_exit(&c);
  assert_int_equal(seen.n, 0);
  assert_int_equal(c.nR, 0);
  rw_destroy(&c);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(forbidden_call, begin, end),
      cmocka_unit_test_setup_teardown(lines, begin, end),
      cmocka_unit_test_setup_teardown(threads_come_and_go, begin, end),
      cmocka_unit_test_setup_teardown(many_instances, begin, end),
      cmocka_unit_test_setup_teardown(failed_attempts_do_not_move, begin, end),
      cmocka_unit_test_setup_teardown(undetermined_interface, begin, end),
      cmocka_unit_test_setup_teardown(data, begin, end),
      cmocka_unit_test_setup_teardown(released_by_a_destructor, begin, end),
      cmocka_unit_test_setup_teardown(cancelled, begin, end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
