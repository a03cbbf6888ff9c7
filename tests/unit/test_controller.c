/* test_controller.c: what controller.h makes of a controller file: real threads, waiting with a deadline, cancellation,
 * several controllers and instances, and the language itself. Counts only: nothing here depends on time. */
#include "rw.h"
#include "mutex.h"
#include "bb_mutex.h"
#include "barrier_reusable.h"
#include "barber.h"
#include "latch.h"
#include "controller/order.h"

#if defined CONST || defined ASSUME || defined THREADS || defined INT || defined BOOL || defined ENUM
#error "a word of the language is still a macro"
#endif
#if defined STATE || defined BLOCKING || defined NONBLOCKING || defined WHEN || defined DO || defined END
#error "a word of the language is still a macro"
#endif
#if defined EDGE || defined SPEC || defined HD_CONTROLLER || defined HD_CONTROLLER_FILE || defined HD_CONTROLLER_PASS
#error "a word of the language is still a macro"
#endif

#include "controller/stress.inc"
#include "controller/other.h"

#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum
{
  THREADS = 8,
};

static int
rounds(int otherwise)
{
  return getenv("HEDDLE_TEST_SANITIZED") != NULL ? otherwise / 10 : otherwise;
}

static void
run_threads(int n, void *(*function)(void *), void *arg)
{
  pthread_t ids[64];
  for (int i = 0; i < n; i++)
    assert_int_equal(pthread_create(&ids[i], NULL, function, arg), 0);
  for (int i = 0; i < n; i++)
    pthread_join(ids[i], NULL);
}

/* ---- threads ---- */

static mutex guard;
static long total;

static void *
add(void *arg)
{
  const int n = *(const int *) arg;
  for (int i = 0; i < n; i++)
  {
    mutex_acquire(&guard);
    const long before = total;
    if (i % 16 == 0)
      sched_yield(); /* gives the others time to come in, if they can */
    total = before + 1;
    mutex_release(&guard);
  }
  return NULL;
}

static void
mutual_exclusion(void **state)
{
  (void) state;
  int n = rounds(20000);
  total = 0;
  mutex_init(&guard);
  run_threads(THREADS, add, &n);
  mutex_destroy(&guard);
  assert_int_equal(total, (long) THREADS * n);
}

static void
readers_and_writers(void **state)
{
  (void) state;
  for (unsigned seed = 1; seed <= 5; seed++)
  {
    rw c;
    rw_init(&c);
    const int bad = rw_stress_run(&c, THREADS, rounds(4000), seed);
    if (bad != 0)
      fail_msg("%d times with seed %u", bad, seed);
    assert_int_equal(c.nR, 0);
    assert_false(c.busy);
    rw_destroy(&c);
  }
}

enum
{
  ROOM = 3,
};
static bb_mutex buffer;
static int items[ROOM], nitems;
static atomic_long produced, consumed;

static void *
produce(void *arg)
{
  for (int i = 1; i <= *(const int *) arg; i++)
  {
    bb_mutex_produce_acquire(&buffer);
    items[nitems++] = i;
    bb_mutex_release(&buffer);
    produced += i;
  }
  return NULL;
}

static void *
consume(void *arg)
{
  for (int i = 1; i <= *(const int *) arg; i++)
  {
    bb_mutex_consume_acquire(&buffer);
    consumed += items[--nitems];
    bb_mutex_release(&buffer);
  }
  return NULL;
}

static void *
produce_or_consume(void *arg)
{
  static atomic_int next;
  return next++ % 2 == 0 ? produce(arg) : consume(arg);
}

static void
bounded_buffer(void **state)
{
  (void) state;
  int n = rounds(3000);
  bb_mutex_init(&buffer, ROOM);
  run_threads(THREADS, produce_or_consume, &n);
  assert_int_equal(buffer.count, 0);
  assert_int_equal(nitems, 0);
  assert_int_equal(produced, consumed);
  assert_int_equal(produced, (long) THREADS / 2 * n * (n + 1) / 2);
  bb_mutex_destroy(&buffer);
}

static barrier_reusable gate;
static atomic_int arrived;
static atomic_int early;

static void *
meet(void *arg)
{
  const int n = *(const int *) arg;
  for (int i = 1; i <= n; i++)
  {
    atomic_fetch_add(&arrived, 1);
    barrier_reusable_enter(&gate);
    barrier_reusable_leave(&gate);
    if (atomic_load(&arrived) < i * THREADS)
      atomic_fetch_add(&early, 1);
  }
  return NULL;
}

static void
barrier_phases(void **state)
{
  (void) state;
  int n = rounds(300);
  barrier_reusable_init(&gate, THREADS);
  run_threads(THREADS, meet, &n);
  assert_int_equal(early, 0);
  assert_int_equal(gate.inside, 0);
  assert_false(gate.open);
  barrier_reusable_destroy(&gate);
}

/* ---- waiting ---- */

static struct timespec
from_now(long seconds, long nanoseconds)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  t.tv_sec += seconds;
  t.tv_nsec += nanoseconds;
  if (t.tv_nsec >= 1000000000)
  {
    t.tv_sec++;
    t.tv_nsec -= 1000000000;
  }
  return t;
}

static void
try_and_deadlines(void **state)
{
  (void) state;
  rw c;
  rw_init(&c);
  const struct timespec past = {.tv_sec = 0, .tv_nsec = 0}, none = {.tv_sec = 0, .tv_nsec = -1};
  assert_true(rw_r_enter_until(&c, &past)); /* the guard holds: a deadline does not matter */
  assert_true(rw_r_enter_try(&c));
  assert_false(rw_w_enter_try(&c));
  assert_false(rw_w_enter_until(&c, &past));
  assert_false(rw_w_enter_until(&c, &none)); /* no time at all: as if it had passed */
  const struct timespec soon = from_now(0, 3000000);
  assert_false(rw_w_enter_until(&c, &soon));
  const struct timespec now = from_now(0, 0);
  assert_true(now.tv_sec > soon.tv_sec || (now.tv_sec == soon.tv_sec && now.tv_nsec >= soon.tv_nsec));
  assert_int_equal(c.nR, 2);
  assert_false(c.busy);
  assert_true(rw_r_exit(&c));
  assert_true(rw_r_exit(&c));
  assert_true(rw_w_enter_until(&c, &past));
  assert_false(rw_r_enter_try(&c));
  assert_true(rw_w_exit(&c));
  rw_destroy(&c);
}

static rw shared;
static atomic_int entered;

static void *
enter_in_time(void *arg)
{
  (void) arg;
  const struct timespec later = from_now(3600, 0);
  if (rw_w_enter_until(&shared, &later))
  {
    entered++;
    rw_w_exit(&shared);
  }
  return NULL;
}

/* Whether they wait already when the reader leaves is left to chance; they must come in either way. */
static void
woken_before_the_deadline(void **state)
{
  (void) state;
  const int n = rounds(200);
  rw_init(&shared);
  for (int i = 0; i < n; i++)
  {
    pthread_t ids[2];
    rw_r_enter(&shared);
    for (int k = 0; k < 2; k++)
      assert_int_equal(pthread_create(&ids[k], NULL, enter_in_time, NULL), 0);
    rw_r_exit(&shared);
    for (int k = 0; k < 2; k++)
      pthread_join(ids[k], NULL);
  }
  assert_int_equal(entered, 2 * n);
  rw_destroy(&shared);
}

static void *
write_once(void *arg)
{
  (void) arg;
  rw_w_enter(&shared);
  rw_w_exit(&shared);
  return NULL;
}

static void *
write_once_in_time(void *arg)
{
  (void) arg;
  const struct timespec later = from_now(3600, 0);
  rw_w_enter_until(&shared, &later);
  return NULL;
}

/* A reader is inside the whole time, so that every writer waits and is cancelled there; then the controller must be as
 * it was. One of the waiters is left alone: it must still be woken. */
static void
cancelled_waiters(void **state)
{
  (void) state;
  const int n = rounds(200);
  rw_init(&shared);
  for (int i = 0; i < n; i++)
  {
    pthread_t cancelled[2], stays;
    void *result;
    rw_r_enter(&shared);
    assert_int_equal(pthread_create(&cancelled[0], NULL, write_once, NULL), 0);
    assert_int_equal(pthread_create(&stays, NULL, write_once, NULL), 0);
    assert_int_equal(pthread_create(&cancelled[1], NULL, write_once_in_time, NULL), 0);
    for (int k = 0; k < 2; k++)
    {
      assert_int_equal(pthread_cancel(cancelled[k]), 0);
      pthread_join(cancelled[k], &result);
      assert_ptr_equal(result, PTHREAD_CANCELED);
    }
    assert_true(rw_r_enter_try(&shared)); /* the lock is free and no writer is inside */
    assert_int_equal(shared.nR, 2);
    rw_r_exit(&shared);
    rw_r_exit(&shared);
    pthread_join(stays, &result);
    assert_null(result);
    assert_false(shared.busy);
  }
  rw_destroy(&shared);
}

/* ---- the language ---- */

static void
instances(void **state)
{
  (void) state;
  rw a, b;
  mutex m;
  rw_init(&a);
  rw_init(&b);
  mutex_init(&m);
  rw_w_enter(&a);
  assert_true(rw_w_enter_try(&b));
  assert_true(mutex_acquire_try(&m));
  assert_false(rw_w_enter_try(&a));
  assert_false(mutex_acquire_try(&m));
  rw_w_exit(&b);
  assert_true(other_try_write(&b));
  assert_false(other_try_write(&a));
  mutex_destroy(&m);
  rw_destroy(&b);
  rw_destroy(&a);
}

static void
language(void **state)
{
  (void) state;
  order c;
  order_init(&c, 1, 3);
  assert_int_equal(c.low, 1);
  assert_int_equal(c.high, 3);
  assert_int_equal(c.level, 3);
  assert_true(c.even);
  assert_int_equal(c.mode, order_slow);

  assert_true(order_pick(&c));
  assert_true(order_pick(&c));
  assert_int_equal(c.level, 1);
  assert_int_equal(c.steps, 2);
  assert_true(order_pick(&c)); /* the first guard does not hold any more */
  assert_int_equal(c.level, 101);
  assert_int_equal(c.steps, 2);

  assert_false(order_none(&c));
  assert_int_equal(c.level, 101);
  assert_true(order_again(&c));

  assert_false(order_back_try(&c));
  assert_true(order_change(&c));
  assert_int_equal(c.mode, order_fast);
  assert_false(c.even);
  assert_int_equal(c.steps, 7);
  assert_true(order_change(&c));
  assert_int_equal(c.mode, order_off);
  assert_int_equal(c.steps, 7);
  assert_false(order_change(&c));
  order_back(&c);
  assert_int_equal(c.mode, order_slow);
  order_destroy(&c);
}

static void
nonblocking_says_whether(void **state)
{
  (void) state;
  latch l;
  latch_init(&l, 2);
  assert_false(latch_pass_try(&l));
  assert_true(latch_count_down(&l));
  assert_true(latch_count_down(&l));
  assert_false(latch_count_down(&l));
  latch_pass(&l);
  assert_int_equal(l.left, 0);
  latch_destroy(&l);
}

static void
interface(void **state)
{
  (void) state;
  assert_int_equal(rw_next_state(rw_state_idle, rw_action_r_enter), rw_state_reading);
  assert_int_equal(rw_next_state(rw_state_writing, rw_action_w_exit), rw_state_idle);
  assert_int_equal(rw_next_state(rw_state_writing, rw_action_r_exit), -1);
  assert_int_equal(barber_next_state(barber_state_outside, barber_action_sit), barber_state_seated);
  const enum rw_state_id first = rw_state_idle;
  const enum barber_seat empty = barber_empty;
  assert_int_equal(first, 0);
  assert_int_equal(empty, 0);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(mutual_exclusion),  cmocka_unit_test(readers_and_writers),
      cmocka_unit_test(bounded_buffer),    cmocka_unit_test(barrier_phases),
      cmocka_unit_test(try_and_deadlines), cmocka_unit_test(woken_before_the_deadline),
      cmocka_unit_test(cancelled_waiters), cmocka_unit_test(instances),
      cmocka_unit_test(language),          cmocka_unit_test(nonblocking_says_whether),
      cmocka_unit_test(interface),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
