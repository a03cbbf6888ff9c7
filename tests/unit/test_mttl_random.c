/* test_mttl_random.c: src/mttl against the definition (mttlref/) on random executions and formulas: every verdict of
 * every property at every state of every thread, with and without the short cuts, also of another execution of the same
 * order.
 *
 * HEDDLE_CASES=n   how many executions, each with four properties (default 30000)
 * HEDDLE_SEED=n    only this one */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mttlref/mttlref.h"

static uint64_t
number(const char *name, uint64_t otherwise)
{
  const char *text = getenv(name);
  return text ? strtoull(text, NULL, 10) : otherwise;
}

typedef struct totals
{
  uint64_t pairs, states, broken;
} totals;

static void
fail_case(uint64_t seed, const ref_trace *t, const char *text, const ref_verdicts *want, const ref_verdicts *got)
{
  hd_string s = {0};
  ref_print_trace(&s, t);
  hd_string_add(&s, text);
  for (uint32_t i = 0; i < t->nthreads; i++)
    for (uint32_t k = 0; k < REF_EVENTS; k++)
      if (want->broken[i][k] != got->broken[i][k])
        hd_string_printf(&s, "thread %u, event %u: properties that are false: bits %x, not %x\n", i, k + 1,
                         want->broken[i][k], got->broken[i][k]);
  print_error("%s", s.text);
  fail_msg("HEDDLE_SEED=%" PRIu64, seed);
}

static void
run_case(uint64_t seed, totals *sum)
{
  static ref_file f;
  ref_trace t, other;
  ref_order o;
  ref_verdicts want, got;
  hd_string text = {0}, messages = {0};
  uint64_t state = seed;
  ref_make_trace(&t, &state);
  ref_make_file(&f, &t, &state);
  ref_print_file(&text, &f, &t);
  hd_mttl_file *file = hd_mttl_parse("random", text.text, text.length, &messages);
  if (!file)
    fail_msg("HEDDLE_SEED=%" PRIu64 "\n%s%s", seed, text.text, messages.text);
  ref_make_order(&o, &t);
  ref_expect(&want, &t, &o, &f);
  ref_feed(&got, &t, file, true, seed % 16 == 0);
  if (memcmp(&want, &got, sizeof want) != 0)
    fail_case(seed, &t, text.text, &want, &got);
  ref_feed(&got, &t, file, false, false);
  if (memcmp(&want, &got, sizeof want) != 0)
    fail_case(seed, &t, text.text, &want, &got);
  ref_reorder(&other, &t, &o, &state);
  ref_feed(&got, &other, file, seed % 2, false);
  /* Threads that are created in another order have other numbers. */
  bool same = true;
  for (uint32_t i = 0, next = t.from_start; i < other.n; i++)
    if (other.events[i].kind == REF_CREATE)
      same = same && other.events[i].target == next++;
  if (same && memcmp(&want, &got, sizeof want) != 0)
    fail_case(seed, &other, text.text, &want, &got);
  sum->pairs += f.nproperties;
  for (uint32_t i = 0; i < t.nthreads; i++)
    for (uint32_t k = 0; k < o.count[i]; k++)
    {
      sum->states += f.nproperties;
      sum->broken += (uint64_t) __builtin_popcount(want.broken[i][k]);
    }
  hd_mttl_free(file);
  hd_string_free(&text);
  hd_string_free(&messages);
}

static void
test_random(void **unused)
{
  (void) unused;
  totals sum = {0};
  if (getenv("HEDDLE_SEED"))
  {
    run_case(number("HEDDLE_SEED", 0), &sum);
    return;
  }
  uint64_t cases = number("HEDDLE_CASES", 30000);
  for (uint64_t seed = 1; seed <= cases; seed++)
    run_case(seed, &sum);
  print_message("# %" PRIu64 " pairs of an execution and a property, %" PRIu64 " verdicts, %" PRIu64 " violations\n",
                sum.pairs, sum.states, sum.broken);
  assert_true(sum.broken > sum.states / 10 && sum.broken < sum.states / 10 * 9);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_random)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
