/* test_mttl_trace.c: properties over traces: the race property against judges that know nothing of it (monitored/), on
 * random traces. It must alarm if and only if two accesses race; where atomics and other kinds of synchronisation
 * occur, only if (an atomic and a plain access may race, and it does not look at atomics). The atomicity property must
 * not alarm on blocks that a serial order explains.
 *
 * HEDDLE_CASES=n   how many random traces (default 20000)
 * HEDDLE_SEED=n    only this one */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/property_trace.h"
#include "monitored/monitored.h"

static uint64_t
number(const char *name, uint64_t otherwise)
{
  const char *text = getenv(name);
  return text ? strtoull(text, NULL, 10) : otherwise;
}

static hd_mttl_file *
read_property(const char *name)
{
  hd_string path = {0}, messages = {0};
  hd_string_printf(&path, "%s/properties/%s.mttl", TEST_SOURCE_ROOT, name);
  hd_mttl_file *f = hd_mttl_read(path.text, &messages);
  assert_non_null(f);
  hd_string_free(&path);
  return f;
}

static bool
go_on(void *context, uint64_t events)
{
  (void) context, (void) events;
  return true;
}

/* Events with an alarm, one bit each. */
static uint64_t
alarms(const hd_mttl_file *f, const hd_string *text, uint64_t seed)
{
  char *error = NULL;
  hd_string why = {0};
  hd_property_run run;
  uint64_t found = 0;
  hd_trace *t = hd_trace_open_memory(text->length ? text->text : "", text->length, "random", HD_TRACE_STD, &error);
  assert_non_null(t);
  if (!hd_property_trace(&run, f, t, go_on, NULL, &why))
    fail_msg("HEDDLE_SEED=%" PRIu64 ": %s", seed, why.text);
  for (size_t i = 0; i < run.nviolations; i++)
    found |= 1ull << (run.violations[i].event.number - 1);
  hd_property_run_free(&run);
  hd_trace_free(t);
  return found;
}

static void
fail_case(uint64_t seed, const hd_string *text, const char *what)
{
  fputs(text->text, stderr);
  fail_msg("HEDDLE_SEED=%" PRIu64 ": %s", seed, what);
}

/* Is a thread joined that did nothing? It has begun and ended, which is something to a property and nothing to the
 * judge. */
static bool
joins_nothing(const small_trace *t)
{
  for (size_t i = 0; i < t->n; i++)
  {
    bool any = t->events[i].kind != HD_TRACE_JOIN;
    for (size_t k = 0; k < i; k++)
      any = any || t->events[k].thread == t->events[i].target;
    if (!any)
      return true;
  }
  return false;
}

typedef struct totals
{
  uint64_t cases, races, blocks, broken_blocks;
} totals;

static void
run_case(const hd_mttl_file *race, const hd_mttl_file *atomicity, uint64_t seed, totals *sum)
{
  static bool ordered[MOST_EVENTS][MOST_EVENTS];
  uint64_t state = seed;
  small_trace t;
  hd_string text = {0};
  make_options options = monitored_options(&state, false);
  options.more = options.more && seed % 2;
  monitored_make(&t, &options, &state);
  monitored_print(&t, &text);
  uint64_t racy = monitored_hb(&t, &ordered), got = alarms(race, &text, seed);
  /* After a race, memory that is freed and used again may be taken for what it was. */
  if ((options.memory ? got & -got : got) & ~racy)
    fail_case(seed, &text, "an alarm where there is no race");
  if (!options.more && racy && !(got & (racy & -racy)))
    fail_case(seed, &text, "no alarm at the first race");
  bool serialisable = monitored_serialisable(&t);
  got = alarms(atomicity, &text, seed);
  if (got && serialisable && !joins_nothing(&t))
    fail_case(seed, &text, "an alarm although a serial order explains the blocks");
  sum->cases++;
  sum->races += racy != 0;
  sum->blocks += !serialisable;
  sum->broken_blocks += got != 0;
  hd_string_free(&text);
}

static void
test_random(void **unused)
{
  (void) unused;
  totals sum = {0};
  hd_mttl_file *race = read_property("race"), *atomicity = read_property("atomicity");
  uint64_t cases = number("HEDDLE_CASES", 20000);
  if (getenv("HEDDLE_SEED"))
    run_case(race, atomicity, number("HEDDLE_SEED", 0), &sum);
  else
    for (uint64_t seed = 1; seed <= cases; seed++)
      run_case(race, atomicity, seed, &sum);
  print_message("# %" PRIu64 " traces, %" PRIu64 " with races; %" PRIu64 " are not serialisable, of which %" PRIu64
                " were found\n",
                sum.cases, sum.races, sum.blocks, sum.broken_blocks);
  hd_mttl_free(race);
  hd_mttl_free(atomicity);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_random)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
