/* test_histories_random.c: random small histories of all built-in specifications, exact commits, windows, none and
 * mixed, judged through a log as `heddle check` does it, against all orders tried one by one.
 *
 * HEDDLE_CASES=n   how many cases (default 400000; fewer for slow builds)
 * HEDDLE_FIRST=n   the number of the first case (default 0): other numbers are other cases
 * HEDDLE_SEED=n    print and judge only the case with this number */
#include "naive/judge.h"
#include "settings.h"

#include <inttypes.h>
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
  BATCH = 100, /* cases in one log */
  MAX_OPS = 8,
  MAX_LANES = 4,
  SHOWN = 5, /* disagreements printed */
  NORMAL = 5000,
};

static void
make_case(naive_case *c, uint64_t seed)
{
  uint64_t random = hd_mix(seed + 1);
  naive_plan plan = {
      .object = &naive_objects[seed % NAIVE_OBJECTS],
      .notes = (naive_notes) (seed / NAIVE_OBJECTS % NAIVE_NOTES),
      .lanes = 1 + (unsigned) naive_below(&random, MAX_LANES),
      .unique = naive_chance(&random, 50),
      .wild = naive_chance(&random, 20),
      .pending = naive_chance(&random, 50) ? 2 + (unsigned) naive_below(&random, 12) : 0,
  };
  uint64_t a = naive_below(&random, MAX_OPS), b = naive_below(&random, MAX_OPS);
  plan.n = 1 + (a > b ? a : b);
  if (plan.n > 3 && plan.lanes < 2)
    plan.lanes = 2 + (unsigned) naive_below(&random, MAX_LANES - 1);
  if (plan.wild) /* hardly anything explains a long one */
    plan.n = 1 + plan.n % 5;
  naive_make(c, &plan, &random);
  if (!plan.wild)
    for (uint64_t k = naive_chance(&random, 15) ? 0 : 1 + naive_below(&random, 3); k > 0; k--)
      naive_mutate(c, &random);
}

typedef struct tally
{
  unsigned cases, holds, violated, pending, low_first, low_left;
} tally;

static bool
explained(const naive_case *c, bool real_time)
{
  naive_op ops[NAIVE_OPS];
  size_t n = naive_intervals(c, real_time, ops);
  return naive_explained(naive_spec(c->object), c->config, c->nconfig, ops, n);
}

static bool
explained_whole(const naive_case *c)
{
  naive_op ops[NAIVE_OPS];
  size_t n = naive_whole(c, ops);
  return naive_explained(naive_spec(c->object), c->config, c->nconfig, ops, n);
}

/* An observer that commits gives less exact stamps (docs/rules.md 8). */
static bool
stamps_are_exact(const naive_case *c)
{
  for (size_t i = 0; i < c->nevents; i++)
    if (c->events[i].kind == NAIVE_COMMIT
        && naive_spec(c->object)->methods[c->ops[c->events[i].op].method].role == HD_OBSERVER)
      return false;
  return true;
}

static bool
has_pending(const naive_case *c)
{
  size_t returned = 0;
  for (size_t i = 0; i < c->nevents; i++)
    returned += c->events[i].kind == NAIVE_RETURN;
  return returned < c->n;
}

/* ---- one case ---- */

/* What is wrong with V, or NULL. */
static const char *
compare(const naive_case *c, bool holds, const naive_verdict *v, bool may_be_incomplete)
{
  if (v->verdict == HD_INCOMPLETE)
    return may_be_incomplete ? NULL : "incomplete";
  if (v->verdict == HD_BAD_INPUT)
    return "bad input";
  /* The order of one thread's own operations is known even where stamps are not exact. */
  if (v->verdict == HD_VIOLATED && holds && !stamps_are_exact(c))
    holds = explained(c, true);
  if (holds != (v->verdict == HD_HOLDS))
    return holds ? "an order exists, but it is called a violation" : "no order exists, but it is accepted";
  if (v->verdict == HD_VIOLATED && v->blame == HD_BLAME_IMPLEMENTATION && explained_whole(c))
    return "the implementation is blamed, but without the commits an order exists";
  return NULL;
}

static naive_judging
normal(bool diagnosis)
{
  return (naive_judging){.max_configurations = NORMAL, .diagnosis = diagnosis, .in_earnest = true, .workers = 1};
}

static naive_judging
low(uint64_t limit)
{
  return (naive_judging){.max_configurations = limit, .workers = 1};
}

/* The case alone in a log, in all ways. */
static const char *
trouble(const naive_case *c)
{
  bool holds = explained(c, false);
  if (stamps_are_exact(c) && holds != explained(c, true))
    return "positions and real time disagree";
  naive_log_write(c, 1);
  const char *problem = NULL;
  for (unsigned i = 0; i < 5 && !problem; i++)
  {
    naive_judging how = i < 2 ? normal(i == 1) : low(i - 1);
    naive_verdict v;
    naive_log_judge(&how, 1, &v);
    problem = compare(c, holds, &v, i >= 2);
  }
  return problem;
}

static bool
is_trouble(const naive_case *c)
{
  return trouble(c) != NULL;
}

static void
show(const naive_case *original, uint64_t seed, const char *problem)
{
  naive_case c = *original;
  if (is_trouble(&c))
    naive_shrink(&c, is_trouble);
  bool holds = explained(&c, false);
  print_message("# %s; make it again with HEDDLE_SEED=%" PRIu64 "\n", problem, seed);
  naive_print(&c);
  print_message("# by trying all orders: %s, in real time: %s, over calls and returns: %s\n",
                holds ? "holds" : "violated", explained(&c, true) ? "holds" : "violated",
                explained_whole(&c) ? "holds" : "violated");
  naive_log_write(&c, 1);
  for (unsigned i = 0; i < 5; i++)
  {
    naive_judging how = i < 2 ? normal(i == 1) : low(i - 1);
    naive_verdict v;
    naive_log_judge(&how, 1, &v);
    print_message("# at most %" PRIu64 " configurations: verdict %d, first %d, blame %d: %s\n", how.max_configurations,
                  (int) v.verdict, (int) v.first, (int) v.blame, v.text);
  }
}

/* ---- all cases ---- */

static void
print_tally(const char *name, const tally *t)
{
  print_message(
      "# %-10s %6u cases, %u with pending: %u hold, %u violated (%.0f %%); with few configurations %u went to "
      "the second reading, which left %u open\n",
      name, t->cases, t->pending, t->holds, t->violated, 100.0 * t->violated / (t->cases ? t->cases : 1), t->low_first,
      t->low_left);
}

static tally by_object[NAIVE_OBJECTS], by_notes[NAIVE_NOTES];

static void
count(tally *t, const naive_case *c, bool holds, const naive_verdict *few)
{
  t->cases++;
  *(holds ? &t->holds : &t->violated) += 1;
  t->pending += has_pending(c);
  t->low_first += few->first == HD_INCOMPLETE;
  t->low_left += few->verdict == HD_INCOMPLETE;
}

/* Judge the cases from FIRST on. Returns how many disagree. */
static unsigned
run_batch(uint64_t first, size_t n)
{
  static naive_case cases[BATCH];
  static bool holds[BATCH];
  static naive_verdict verdicts[BATCH], few[BATCH];
  const char *problems[BATCH] = {NULL};
  unsigned wrong = 0;
  current_case = first;
  naive_start();
  for (size_t i = 0; i < n; i++)
  {
    make_case(&cases[i], first + i);
    holds[i] = explained(&cases[i], false);
    if (stamps_are_exact(&cases[i]) && explained(&cases[i], true) != holds[i])
      problems[i] = "positions and real time disagree";
  }
  uint64_t turn = first / BATCH;
  naive_judging how = normal(turn % 8 == 0), with_few = low(1 + turn % 3);
  how.workers = turn % 16 == 1 ? 2 : 1;
  naive_log_write(cases, n);
  naive_log_judge(&how, n, verdicts);
  naive_log_judge(&with_few, n, few);
  for (size_t i = 0; i < n; i++)
  {
    if (!problems[i])
      problems[i] = compare(&cases[i], holds[i], &verdicts[i], false);
    if (!problems[i])
      problems[i] = compare(&cases[i], holds[i], &few[i], true);
    count(&by_object[cases[i].object - naive_objects], &cases[i], holds[i], &few[i]);
    count(&by_notes[cases[i].notes], &cases[i], holds[i], &few[i]);
    wrong += problems[i] != NULL;
  }
  for (size_t i = 0, shown = 0; i < n && shown < SHOWN; i++)
    if (problems[i])
    {
      shown++;
      show(&cases[i], first + i, problems[i]);
    }
  return wrong;
}

static void
test_random(void **state)
{
  (void) state;
  uint64_t only = setting("HEDDLE_SEED", UINT64_MAX);
  say_case_on_crash("HEDDLE_FIRST");
  if (only != UINT64_MAX)
  {
    naive_case c;
    make_case(&c, only);
    naive_print(&c);
    const char *problem = trouble(&c);
    show(&c, only, problem ? problem : "right");
    assert_null(problem);
    return;
  }
  uint64_t first = setting("HEDDLE_FIRST", 0), n = setting("HEDDLE_CASES", DEFAULT_CASES);
  unsigned wrong = 0;
  for (uint64_t at = 0; at < n; at += BATCH)
  {
    wrong += run_batch(first + at, n - at < BATCH ? n - at : BATCH);
    assert_true(wrong < SHOWN);
  }
  for (size_t i = 0; i < NAIVE_OBJECTS; i++)
    print_tally(naive_objects[i].name, &by_object[i]);
  for (size_t i = 0; i < NAIVE_NOTES; i++)
    print_tally(naive_notes_names[i], &by_notes[i]);
  assert_int_equal(wrong, 0);
  for (size_t i = 0; i < NAIVE_OBJECTS && n >= 8000; i++) /* the cases are not all of one verdict */
  {
    const tally *t = &by_object[i];
    assert_true(t->holds >= t->cases / 5 && t->violated >= t->cases / 5 && t->pending >= t->cases / 5);
    /* Few configurations are a reason to read again, hardly one to give up. */
    assert_true(t->low_first >= t->cases / 10 && t->low_left <= t->low_first / 10);
  }
}

int
main(void)
{
  char folder[] = "/tmp/heddle-histories-XXXXXX";
  if (!mkdtemp(folder))
    return 1;
  naive_judge_start(folder);
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_random)};
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  naive_judge_stop();
  rmdir(folder);
  return failed;
}
