/* test_mttl_baton.c: batons and the quiet ways of src/mttl against objects in a monitor without short cuts: random
 * executions of threads that take and give mutexes, write variables and set their own, with everything that each
 * property says.
 *
 * HEDDLE_SEED=n    only this one */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mttl/mttl.h"

enum
{
  THREADS = 3,
  MUTEXES = 4,
  VARIABLES = 2,
  EVENTS = 400,
  CASES = 300
};

static const char text[] = "shared int x = 0, y = 0; local int v = 0;\n"
                           "property near: forall i: @i( x <= y + 3 && y <= x + 3 && x >= 0 ) report each;\n"
                           "property same: forall i: @i( v > 0 -> !(exists j != i: (v == @j(@i(v)))) ) report each;\n"
                           "property last: forall i: @i( (prev (x <= 5)) || once (y > 4 && x > 4) ) report each;\n"
                           "property never: @1( false ) report each;\n";

typedef struct side
{
  hd_mttl_monitor *m;
  hd_mttl_thread *t[THREADS];
  hd_mttl_location places[VARIABLES];
  hd_mttl_object objects[MUTEXES];
  hd_mttl_baton batons[MUTEXES];
  uint64_t said; /* a digest of what was reported, and where */
} side;

static void
report(void *context, hd_mttl_thread *t, const hd_mttl_property *property)
{
  side *s = context;
  s->said = (s->said ^ (property->place.line * 16 + hd_mttl_thread_number(t) + 1)) * 0x9e3779b97f4a7c15ull;
}

static uint64_t
next_random(uint64_t *state)
{
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state;
}

static void
start(side *s, const hd_mttl_file *f, bool plain)
{
  memset(s, 0, sizeof *s);
  s->m = hd_mttl_monitor_new(f, report, s);
  if (plain)
    hd_mttl_monitor_plain(s->m);
  for (unsigned i = 0; i < THREADS; i++)
    s->t[i] = hd_mttl_thread_new(s->m, i ? s->t[0] : NULL, NULL);
}

static void
stop(side *s)
{
  for (unsigned i = 0; i < THREADS; i++)
    hd_mttl_thread_free(s->t[i]);
  for (unsigned i = 0; i < VARIABLES; i++)
    hd_mttl_location_clear(&s->places[i]);
  for (unsigned i = 0; i < MUTEXES; i++)
  {
    hd_mttl_object_clear(&s->objects[i]);
    hd_mttl_baton_clear(&s->batons[i]);
  }
  hd_mttl_monitor_free(s->m);
}

static void
use_mutex(side *plain, side *quiet, unsigned t, unsigned m, bool takes)
{
  hd_mttl_event e = HD_MTTL_NO_EVENT;
  if (takes)
  {
    hd_mttl_acquire(plain->t[t], &plain->objects[m], &e);
    if (!hd_mttl_take_again(quiet->t[t], &quiet->batons[m]) && !hd_mttl_take_quietly(quiet->t[t], &quiet->batons[m]))
      hd_mttl_take(quiet->t[t], &quiet->batons[m], &e);
    return;
  }
  hd_mttl_release(plain->t[t], &plain->objects[m], &e);
  if (!hd_mttl_give_quietly(quiet->t[t], &quiet->batons[m]))
    hd_mttl_give(quiet->t[t], &quiet->batons[m], &e);
}

static void
touch(side *s, unsigned t, unsigned x, bool writes, int64_t value)
{
  hd_mttl_location *place = &s->places[x];
  hd_mttl_event e = HD_MTTL_NO_EVENT;
  e.op = writes ? HD_MTTL_W : HD_MTTL_R;
  e.variable = (int32_t) x;
  e.value = (hd_mttl_value){.type = HD_MTTL_INT, .number = value};
  if (writes)
    hd_mttl_writes(s->t[t], &place, 1, &e);
  else
    hd_mttl_reads(s->t[t], &place, 1, &e);
}

static void
run_case(const hd_mttl_file *f, uint64_t seed, uint64_t *said)
{
  side plain, quiet;
  uint64_t state = seed * 0x9e3779b97f4a7c15ull + 1;
  int holder[MUTEXES];
  start(&plain, f, true);
  start(&quiet, f, false);
  for (unsigned i = 0; i < MUTEXES; i++)
    holder[i] = -1;
  for (unsigned i = 0; i < EVENTS; i++)
  {
    uint64_t r = next_random(&state);
    unsigned t = r % THREADS, m = r >> 8 & (MUTEXES - 1), x = r >> 16 & (VARIABLES - 1);
    int64_t value = (int64_t) (r >> 24 & 7);
    if (holder[m] < 0 || holder[m] == (int) t)
    {
      use_mutex(&plain, &quiet, t, m, holder[m] < 0);
      holder[m] = holder[m] < 0 ? (int) t : -1;
    }
    else if (r >> 32 & 1)
    {
      touch(&plain, t, x, r >> 33 & 1, value);
      touch(&quiet, t, x, r >> 33 & 1, value);
    }
    else
    {
      hd_mttl_value v = {.type = HD_MTTL_INT, .number = value};
      hd_mttl_internal(plain.t[t], VARIABLES, v);
      hd_mttl_internal(quiet.t[t], VARIABLES, v);
    }
    if (plain.said != quiet.said)
      fail_msg("HEDDLE_SEED=%" PRIu64 ": at event %u of thread %u", seed, i, t);
  }
  *said ^= quiet.said;
  stop(&plain);
  stop(&quiet);
}

static void
test_batons(void **unused)
{
  (void) unused;
  hd_string messages = {0};
  hd_mttl_file *f = hd_mttl_parse("batons", text, strlen(text), &messages);
  const char *only = getenv("HEDDLE_SEED");
  uint64_t said = 0;
  if (!f)
    fail_msg("%s", messages.text);
  for (uint64_t seed = only ? strtoull(only, NULL, 10) : 1, n = only ? 1 : CASES; n > 0; n--, seed++)
    run_case(f, seed, &said);
  assert_true(said != 0);
  hd_mttl_free(f);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_batons)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
