/* test_race_slots.c: more threads than the race detector has slots, whose ends nobody knows of.
 *
 * One real thread plays them one after the other. From the moment on when a thread gets the slot of another one of
 * which it knows nothing, races may be missed; but what is ordered must never be told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/base.h"
#include "instrument/rt_core.h"

enum
{
  LATER = 900 /* threads that get slots of others */
};

static uint64_t memory[2] __attribute__((aligned(64)));
static uint64_t shared, own[HD_RT_SLOTS]; /* mutexes; one of them for each slot */
static bool had[HD_RT_SLOTS];
static unsigned alarms;
static hd_rt_local creator;

void
hd_rt_deliver(void)
{
}

static void
on_race(const hd_rt_race *race)
{
  (void) race;
  alarms++;
}

/* The creator waits for nobody, so it knows of no end. */
static hd_rt_thread *
begin(void)
{
  hd_rt_thread *t = hd_rt_thread_new();
  assert_non_null(t);
  creator = hd_rt_here;
  memset(&hd_rt_here, 0, sizeof hd_rt_here);
  hd_rt_thread_attach(t);
  return t;
}

static void
end(void)
{
  hd_rt_thread_leave();
  hd_rt_here = creator;
}

static void
lock_and_unlock(uint64_t *mutex)
{
  hd_rt_mutex_locked((uintptr_t) mutex);
  hd_rt_mutex_unlock((uintptr_t) mutex);
}

/* One thread writes; others learn of it by a mutex and pass it on, each by a mutex of its own, until no slot is left.
 * Who comes then learns of it from the very thread that had its slot: what that one passed on must not be taken for
 * known already. */
static void
test_what_a_slot_passed_on(void **state)
{
  (void) state;
  begin();
  hd_rt_full_write((uintptr_t) &memory[0], 8, 1);
  lock_and_unlock(&shared);
  end();
  while (hd_rt_lost[HD_RT_LOST_THREAD] == 0)
  {
    const hd_rt_thread *t = begin();
    if (hd_rt_lost[HD_RT_LOST_THREAD] == 0)
    {
      lock_and_unlock(&shared);
      lock_and_unlock(&own[t->slot]);
      had[t->slot] = true;
    }
    end();
  }
  unsigned judged = 0;
  for (unsigned i = 0; i < LATER; i++)
  {
    const hd_rt_thread *t = begin();
    if (had[t->slot])
    {
      had[t->slot] = false;
      judged++;
      lock_and_unlock(&own[t->slot]);
      hd_rt_full_read((uintptr_t) &memory[0], 8, 2);
    }
    end();
  }
  assert_true(judged > LATER / 2);
  assert_int_equal(alarms, 0);
}

/* Threads that take the slots of others are watched like all. */
static void
test_races_are_still_found(void **state)
{
  (void) state;
  alarms = 0;
  begin();
  hd_rt_full_write((uintptr_t) &memory[1], 8, 1);
  end();
  begin();
  hd_rt_full_write((uintptr_t) &memory[1], 8, 2);
  end();
  assert_true(alarms > 0);
}

static int
set_up(void **state)
{
  (void) state;
  if (!hd_rt_layout_map() || !hd_rt_threads_start() || !hd_rt_objects_start() || !hd_rt_sets_start())
    return -1;
  hd_rt_on_race = on_race;
  hd_rt_thread_attach(hd_rt_thread_new());
  return 0;
}

int
main(void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  print_message("the shadow of the sanitizer is where ours would be\n");
  return 0;
#endif
  if (!hd_rt_layout_fits())
  {
    print_message("the program does not lie in the windows\n");
    return 0;
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_what_a_slot_passed_on),
      cmocka_unit_test(test_races_are_still_found),
  };
  return cmocka_run_group_tests(tests, set_up, NULL);
}
