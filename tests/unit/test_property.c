/* test_property.c: the checker against the brute-force oracle on numbered random cases.
 *
 * HEDDLE_CASES=n   how many cases (default 400000; fewer for slow builds)
 * HEDDLE_FIRST=n   the number of the first case (default 0): other numbers are other cases
 * HEDDLE_SEED=n    print and judge only the case with this number */
#include "oracle/cases.h"
#include "oracle/shrink.h"
#include "oracle/sim.h"
#include "oracle/specs.h"
#include "settings.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

enum
{
  DEFAULT_CASES = 400000,
  SHOWN = 5, /* disagreements printed */
};

static trace the_trace;
static uint64_t
cases(void)
{
  return setting("HEDDLE_CASES", DEFAULT_CASES);
}

/* The ways in which one case is given to the checker. */
static feed_plan
plan_of(uint64_t *random, unsigned turn)
{
  uint64_t r = hd_random(random);
  feed_plan plan = {.random = random, .orderly = r % 8 == 0, .test = r >> 8 & 1};
  plan.options.no_diagnosis = (r >> 16) % 8 != 0;
  if (turn > 0)
  {
    plan.options.eager = r >> 24 & 1;
    plan.options.view = r >> 25 & 1 ? HD_VIEW_FULL : HD_VIEW_TOUCHED;
    plan.options.paranoid = (r >> 26) % 8 == 0;
  }
  return plan;
}

typedef struct tally
{
  unsigned cases, holds, violated, incomplete, windows, views, pending, lookers, internal, blocks_at_once, nested;
  unsigned disagreements, reasons[7];
} tally;

static void
count_shape(tally *c, const trace *t, const oracle_answer *a)
{
  unsigned depth[TRACE_THREADS] = {0}, blocks = 0;
  bool internal = false, at_once = false, nested = false;
  for (size_t i = 0; i < t->n; i++)
  {
    const trace_record *r = &t->record[i];
    internal = internal || r->kind == HD_K_INTERNAL_BEGIN;
    blocks += r->kind == HD_K_BLOCK_BEGIN;
    blocks -= r->kind == HD_K_BLOCK_END;
    at_once = at_once || blocks > 1;
    if (r->kind == HD_K_CALL || r->kind == HD_K_CALL_NOCOMMIT)
      nested = nested || ++depth[r->thread] > 1;
    if (r->kind == HD_K_RETURN || r->kind == HD_K_RETURN_EXC || r->kind == HD_K_ABANDON)
      depth[r->thread]--;
  }
  c->cases++;
  c->violated += a->violated;
  c->incomplete += a->incomplete;
  c->holds += !a->violated && !a->incomplete;
  c->windows += a->nspans > 0;
  c->views += a->compared > 0;
  c->pending += a->npending > 0;
  c->lookers += a->nlookers > 0;
  c->internal += internal;
  c->blocks_at_once += at_once;
  c->nested += nested;
  for (unsigned i = 0; i < 7; i++)
    c->reasons[i] += a->violated && a->reasons >> i & 1;
}

static const char *wanted; /* the disagreement that is being made smaller; null: any, or a crash */

/* Does any of some ways to give it to the checker disagree with the oracle? */
static bool
trouble(const trace *t)
{
  oracle_answer a = oracle_judge(t, ORACLE_STAMPS);
  for (uint64_t i = 0, random = ~t->seed; i < 12; i++)
  {
    feed_plan plan = plan_of(&random, (unsigned) i % 2);
    feed_result f = feed_check(t, &plan);
    const char *what = case_compare(t, &a, &f);
    if (what && (!wanted || !strcmp(what, wanted)))
      return true;
  }
  return false;
}

/* Show the case, smaller if it can be, in one of the ways that disagree. */
static void
show(const trace *original)
{
  static trace t;
  t = *original;
  if (strcmp(t.family, "misused") != 0 && strcmp(t.family, "tick missing") != 0)
    shrink(&t, trouble);
  oracle_answer a = oracle_judge(&t, ORACLE_STAMPS);
  trace_print(&t);
  fflush(stdout);
  for (uint64_t i = 0, random = ~t.seed; i < 12; i++)
  {
    feed_plan plan = plan_of(&random, (unsigned) i % 2);
    feed_result f = feed_check(&t, &plan);
    const char *what = case_compare(&t, &a, &f);
    if (what && (!wanted || !strcmp(what, wanted)))
    {
      case_print(&t, &a, &f, &plan, what);
      return;
    }
  }
}

static void
judge(tally *c, const trace *t, const oracle_answer *a, const feed_plan *plan, bool file)
{
  feed_result f = file ? feed_check_file(t, plan) : feed_check(t, plan);
  const char *what = case_compare(t, a, &f);
  if (!what || c->disagreements++ >= SHOWN)
    return;
  case_print(t, a, &f, plan, what);
  printf("\n---- the same, smaller:\n");
  wanted = what;
  show(t);
}

static void
one_case(tally *c, uint64_t seed)
{
  trace *t = &the_trace;
  uint64_t random = ~seed;
  current_case = seed;
  case_make(t, seed);
  oracle_answer a = oracle_judge(t, ORACLE_STAMPS);
  count_shape(c, t, &a);
  for (unsigned turn = 0; turn < 2; turn++)
  {
    feed_plan plan = plan_of(&random, turn);
    judge(c, t, &a, &plan, false);
  }
  if (seed % 50 == seed / 50 % 50)
  {
    feed_plan plan = {.random = NULL};
    judge(c, t, &a, &plan, true);
  }
}

static void
test_agreement(void **state)
{
  (void) state;
  tally c = {0};
  uint64_t n = cases(), only = setting("HEDDLE_SEED", UINT64_MAX);
  if (only != UINT64_MAX)
  {
    current_case = only;
    case_make(&the_trace, only);
    trace_print(&the_trace);
    show(&the_trace);
    one_case(&c, only);
    assert_int_equal(c.disagreements, 0);
    return;
  }
  for (uint64_t i = 0, first = setting("HEDDLE_FIRST", 0); i < n; i++)
    one_case(&c, first + i);
  print_message("%u cases: %u hold, %u violated, %u incomplete; windows %u, views compared %u, pending %u, "
                "observers or uncommitted %u, internal tasks %u, two blocks at once %u, nested %u\n",
                c.cases, c.holds, c.violated, c.incomplete, c.windows, c.views, c.pending, c.lookers, c.internal,
                c.blocks_at_once, c.nested);
  print_message("violated by commit %u, observer %u, order %u, view %u, old value %u, overlap %u, annotation %u\n",
                c.reasons[0], c.reasons[1], c.reasons[2], c.reasons[3], c.reasons[4], c.reasons[5], c.reasons[6]);
  assert_int_equal(c.disagreements, 0);
  assert_int_equal(specs_alive, 0);
  /* No class may die out unnoticed. */
  assert_true(c.holds > n / 3);
  assert_true(c.violated > n / 6);
  assert_true(c.incomplete > n / 200);
  assert_true(c.windows > n / 3);
  assert_true(c.views > n / 4);
  assert_true(c.pending > n / 8);
  assert_true(c.lookers > n / 2);
  assert_true(c.internal > n / 20);
  assert_true(c.blocks_at_once > n / 20);
  assert_true(c.nested > n / 100);
  for (unsigned i = 0; i < 7; i++)
    assert_true(c.reasons[i] > n / 200);
}

/* The oracle against itself: right runs hold, stamps decide what real time decides, every flaw shows sometimes. */
static void
test_oracle(void **state)
{
  (void) state;
  trace *t = &the_trace;
  uint64_t n = cases() / 20;
  for (uint64_t seed = 0; seed < n; seed++)
  {
    case_make(t, seed);
    oracle_answer a = oracle_judge(t, ORACLE_STAMPS);
    if (t->right)
      assert_false(a.violated);
    if (!strcmp(t->family, "misused") || !strcmp(t->family, "tick missing"))
      continue; /* their order of records is not the real time any more */
    oracle_answer b = oracle_judge(t, ORACLE_REAL_TIME);
    if (a.violated != b.violated || a.incomplete != b.incomplete)
      trace_print(t);
    assert_int_equal(a.violated, b.violated);
    assert_int_equal(a.incomplete, b.incomplete);
  }
  for (unsigned f = FLAW_NONE + 1; f < FLAW_COUNT; f++)
  {
    unsigned caught = 0;
    for (uint64_t seed = 0; seed < 4000 && f != FLAW_EXACT_DELETE; seed++)
    {
      simulate_flaw(t, seed, f);
      caught += oracle_judge(t, ORACLE_STAMPS).violated;
    }
    if (f != FLAW_EXACT_DELETE) /* too rare for chance: test_delete_and_lookup */
      assert_true(caught > 3);
  }
}

/* The published LookUp against Delete: x in slot 3; Delete passes slot 0, LookUp passes slot 0, Insert fills slot 0 and
 * commits, Delete empties slot 3, LookUp returns false although x is in every state that exact commits allow. */
static void
delete_and_lookup(trace *t, bool window, bool nocommit)
{
  hd_value x = hd_int(1);
  model_return yes = {hd_bool(true), false}, no = {hd_bool(false), false};
  trace_start(t, MODEL_MULTISET_SLOTS, false);
  t->family = "Delete against LookUp";
  record_call(t, 1, MS_INSERT, &x, false);
  record_commit(t, 1);
  record_return(t, 1, yes);
  record_call(t, 1, MS_DELETE, &x, nocommit);
  if (window)
    record_window(t, 1);
  record_call(t, 2, MS_LOOKUP, &x, false);
  record_call(t, 3, MS_INSERT, &x, false);
  record_commit(t, 3);
  record_return(t, 3, yes);
  if (!nocommit)
    record_commit(t, 1);
  record_return(t, 1, yes);
  record_return(t, 2, no);
}

static void
test_delete_and_lookup(void **state)
{
  (void) state;
  for (unsigned way = 0; way < 3; way++)
  {
    uint64_t random = way;
    feed_plan plan = {.random = &random};
    delete_and_lookup(&the_trace, way == 1, way == 2);
    oracle_answer a = oracle_judge(&the_trace, ORACLE_STAMPS);
    feed_result f = feed_check(&the_trace, &plan);
    assert_int_equal(a.violated, way == 0);
    assert_int_equal(f.verdict, way == 0 ? HD_VIOLATED : HD_HOLDS);
    if (way == 0)
      assert_int_equal(f.blame, HD_BLAME_ANNOTATION);
  }
}

/* Every prefix of right runs: no alarm, also when the last record of a thread is torn. */
static void
test_cuts(void **state)
{
  (void) state;
  trace *t = &the_trace;
  for (uint64_t seed = 0; seed < cases() / 100; seed++)
  {
    uint64_t random = seed;
    simulate_right(t, seed);
    t->family = "simulated, right, cut";
    trace_cut(t, hd_random(&random) % (t->n + 1));
    oracle_answer a = oracle_judge(t, ORACLE_STAMPS);
    for (size_t i = t->n, done = 0; i-- > 0 && seed % 3;) /* last records that were announced but not stamped */
    {
      unsigned thread = t->record[i].thread;
      if (!(done >> thread & 1) && t->record[i].stamped && hd_random(&random) & 1)
        t->record[i].stamped = t->record[i].ticked = false;
      done |= (size_t) 1 << thread;
    }
    feed_plan plan = {.random = &random};
    feed_result f = feed_check(t, &plan);
    if (f.verdict == HD_VIOLATED || f.verdict == HD_BAD_INPUT)
      case_print(t, &a, &f, &plan, "a cut of a right run is accused");
    assert_true(f.verdict == HD_HOLDS || f.verdict == HD_INCOMPLETE);
  }
}

/* ---- faults in the feeding: a test that does not see them is blind ---- */

static bool
change_return(trace *t, uint64_t *random)
{
  for (size_t tries = 0; tries < 50; tries++)
  {
    trace_record *r = &t->record[hd_random(random) % t->n];
    if (r->kind == HD_K_RETURN && r->nvalues == 1 && r->values[0].type != HD_NIL)
    {
      r->values[0].u = r->values[0].type == HD_BOOL ? !r->values[0].u : r->values[0].u + 1;
      return true;
    }
  }
  return false;
}

static bool
swap_ticks(trace *t, uint64_t *random)
{
  for (size_t tries = 0; tries < 50; tries++)
  {
    trace_record *a = &t->record[hd_random(random) % t->n], *b = &t->record[hd_random(random) % t->n];
    if (a->ticked && b->ticked && b->stamp == a->stamp + 1 && a->thread != b->thread && a->kind == HD_K_COMMIT
        && b->kind == HD_K_COMMIT)
    {
      uint32_t stamp = a->stamp;
      a->stamp = b->stamp;
      b->stamp = stamp;
      return true;
    }
  }
  return false;
}

static bool
change_write(trace *t, uint64_t *random)
{
  for (size_t tries = 0; tries < 50; tries++)
  {
    trace_record *r = &t->record[hd_random(random) % t->n];
    if (r->kind == HD_K_WRITE)
    {
      r->values[1].i = !r->values[1].i;
      return true;
    }
  }
  return false;
}

static bool
change_argument(trace *t, uint64_t *random)
{
  for (size_t tries = 0; tries < 50; tries++)
  {
    trace_record *r = &t->record[hd_random(random) % t->n];
    if (r->kind == HD_K_CALL && r->nvalues > 0)
    {
      r->values[0].i = (r->values[0].i + 1) % 3;
      return true;
    }
  }
  return false;
}

static void
test_faults_are_seen(void **state)
{
  (void) state;
  static const struct
  {
    const char *name;
    bool (*make)(trace *t, uint64_t *random);
    unsigned percent; /* of the faults that must be seen at least */
  } faults[] = {
      {"a return changed", change_return, 40},
      {"two commits swapped", swap_ticks, 5},
      {"a write changed", change_write, 20},
      {"an argument changed", change_argument, 15},
  };
  trace *t = &the_trace;
  for (size_t k = 0; k < sizeof faults / sizeof *faults; k++)
  {
    unsigned made = 0, seen = 0;
    for (uint64_t seed = 0; seed < 4000; seed++)
    {
      uint64_t random = seed;
      simulate_right(t, seed);
      if (!faults[k].make(t, &random))
        continue;
      made++;
      feed_plan plan = {.random = &random, .options.no_diagnosis = true};
      seen += feed_check(t, &plan).verdict == HD_VIOLATED;
    }
    print_message("%s: seen %u of %u\n", faults[k].name, seen, made);
    assert_true(made > 100);
    assert_true(seen * 100 > made * faults[k].percent);
  }
}

int
main(void)
{
  char directory[] = "/tmp/heddle-property-XXXXXX";
  if (!mkdtemp(directory))
    return 1;
  say_case_on_crash("HEDDLE_SEED");
  feed_start(directory);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_oracle), cmocka_unit_test(test_agreement),       cmocka_unit_test(test_delete_and_lookup),
      cmocka_unit_test(test_cuts),   cmocka_unit_test(test_faults_are_seen),
  };
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  feed_stop();
  rmdir(directory);
  return failed;
}
