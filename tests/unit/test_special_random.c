/* test_special_random.c: the special algorithms against all orders tried one by one, on numbered random cases.
 *
 * HEDDLE_CASES=n   how many cases (default 400000; fewer for slow builds)
 * HEDDLE_SEED=n    print and judge only the case with this number */
#include "brute/enumerate.h"
#include "brute/histories.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/base.h"
#include "settings.h"
#include "specs/specs.h"

enum
{
  DEFAULT_CASES = 400000,
  MAX_OPS = 12,
};

/* ---- random cases ---- */

typedef struct tally
{
  unsigned cases, holds, violated, not_fit, too_many, pending, unknown, shown, alone,
      patterns[HD_LINEAR_WRONG_COUNT + 1];
} tally;

static void
make_case(history *h, uint64_t seed, flavour *f)
{
  uint64_t random = hd_mix(seed + 1);
  history_plan plan = {
      .flavour = (flavour) (seed % FLAVOURS),
      .n = 1 + hd_random(&random) % MAX_OPS,
      .clients = 1 + (unsigned) (hd_random(&random) % 5),
      .pending = hd_random(&random) % 2 ? 15 + (unsigned) (hd_random(&random) % 26) : 0,
      .narrow = hd_random(&random) % 4 == 0 ? 50 : 0,
      .inserts = 45 + (unsigned) (hd_random(&random) % 20),
      .spread = (unsigned) (hd_random(&random) % 4),
  };
  static const int64_t amounts[] = {1, -1, 3, -5, 1};
  plan.amount = amounts[hd_random(&random) % 5];
  if (plan.flavour == FLAVOUR_REPEATED || (plan.flavour == FLAVOUR_KEY && hd_random(&random) % 4 != 0))
    plan.values = 1 + (unsigned) (hd_random(&random) % 4);
  *f = plan.flavour;
  history_simulate(h, &plan, &random);
  unsigned kind = (unsigned) (hd_random(&random) % 8);
  if (kind <= 1)
    history_scatter(h, &random);
  for (unsigned i = 0; i < (kind > 2 ? kind - 2 : 0); i++)
    history_mutate(h, &random);
  if (hd_random(&random) % 4 != 0 && plan.values == 0)
    history_mend(h);
  if (hd_random(&random) % 8 == 0)
    history_blur(h);
}

static const hd_linear_op *
find_op(const history *h, uint64_t id)
{
  for (size_t i = 0; i < h->n; i++)
    if (h->ops[i].id == id)
      return &h->ops[i];
  return NULL;
}

static size_t
nargs(const history *h, const hd_linear_op *o)
{
  return strlen(h->spec->methods[o->method].args);
}

static bool
is_shown(const hd_linear_op *shown, size_t n, const hd_linear_op *o)
{
  for (size_t i = 0; i < n; i++)
    if (shown[i].id == o->id)
      return true;
  return false;
}

/* Does O, of a register or a map's key, write in any case? */
static bool
overwrites(const history *h, const hd_linear_op *o)
{
  const char *name = h->spec->methods[o->method].name;
  return !o->pending
         && (strcmp(name, "write") == 0 || strcmp(name, "put") == 0
             || (strcmp(name, "del") == 0 && o->ret.type == HD_NIL));
}

/* Can PUT not be where TAKE has its value from, because it came later, or was overwritten by one of SHOWN? */
static bool
is_out_of_question(const history *h, const hd_linear_op *shown, size_t n, const hd_linear_op *put,
                   const hd_linear_op *take)
{
  if (put->start > take->end)
    return true;
  for (size_t i = 0; i < n; i++)
    if (overwrites(h, &shown[i]) && !put->pending && put->end < shown[i].start && shown[i].end < take->start)
      return true;
  return false;
}

/* Registers and containers: is a value taken or read by one of SHOWN, and put in by an operation that is not shown? */
static bool
hides_writer(const history *h, const hd_linear_op *shown, size_t n)
{
  bool map = strcmp(h->spec->name, "map") == 0;
  if (strcmp(h->spec->name, "set") == 0)
    return false;
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < h->n && nargs(h, &shown[i]) == (map ? 1 : 0) && !shown[i].pending && !shown[i].any_ret; k++)
    {
      const hd_linear_op *o = &h->ops[k];
      size_t args = nargs(h, o);
      if (args == 0 || (map && args == 1))
        continue;
      if (hd_value_equal(args == 1 ? o->args[0] : o->args[1], shown[i].ret) && !is_shown(shown, n, o)
          && !is_out_of_question(h, shown, n, o, &shown[i]))
        return true;
    }
  return false;
}

/* What is wrong with WHY, or NULL. */
static const char *
judge_violation(const history *h, const hd_linear_violation *why, tally *t)
{
  hd_linear_op shown[HD_LINEAR_SHOWN];
  for (size_t i = 0; i < why->nids; i++)
  {
    const hd_linear_op *o = find_op(h, why->ids[i]);
    if (!o)
      return "shows an operation that is not there";
    for (size_t k = 0; k < i; k++)
      if (why->ids[k] == why->ids[i])
        return "shows an operation twice";
    shown[i] = *o;
  }
  t->patterns[why->pattern]++;
  if (why->nids == 0 || why->sentence[0] == '\0')
    return "shows nothing";
  t->shown += (unsigned) why->nids;
  if (!why->alone)
    return NULL;
  t->alone++;
  const char *problem = NULL;
  if (hides_writer(h, shown, why->nids))
    problem = "does not show who put a value in";
  else if (enumerate_orders(h->spec, h->config, h->nconfig, shown, why->nids) == ENUMERATED_SOME)
    problem = "shows operations that fit";
  for (size_t i = 0; i < why->nids && problem; i++)
    print_message("%s%llu%s", i == 0 ? "shown: " : " ", (unsigned long long) why->ids[i],
                  i + 1 == why->nids ? "\n" : "");
  return problem;
}

/* Is the answer another one without a rule? */
static const char *
judge_switches(const history *h, special_answer answer)
{
  static const uint32_t off[] = {HD_LINEAR_DOMINANCE, HD_LINEAR_LOOKAHEAD, HD_LINEAR_DOMINANCE | HD_LINEAR_LOOKAHEAD};
  for (size_t i = 0; i < sizeof off / sizeof *off; i++)
  {
    special_options options = {.config = h->config, .nconfig = h->nconfig, .rules_off = off[i]};
    if (hd_special_decide(h->spec, h->ops, h->n, &options, NULL) != answer)
      return "the answer depends on the rules that are used";
  }
  return NULL;
}

/* Is the answer another one with so many operations open that a set of them takes more than one word? Pending writes of
 * a value that is read once, at the end, change nothing. */
static const char *
judge_crowd(const history *h, special_answer answer)
{
  enum
  {
    CROWD = 130,
  };
  bool map = strcmp(h->spec->name, "map") == 0;
  hd_linear_op *ops = hd_alloc_array(h->n + CROWD + 1, sizeof *ops);
  uint64_t random = hd_mix(h->n + h->time), last = 0;
  for (size_t i = 0; i < h->n; i++)
  {
    ops[i] = h->ops[i];
    last = !ops[i].pending && ops[i].end > last ? ops[i].end : last;
  }
  for (size_t i = 0; i <= CROWD; i++)
  {
    hd_linear_op *o = &ops[h->n + i];
    *o = (hd_linear_op){.method = 1, .pending = true, .start = hd_random(&random) % (last + 1), .id = 1000 + i};
    o->args[map] = hd_str("crowd");
    if (map && h->n > 0)
      o->args[0] = h->ops[0].args[0];
    if (i < CROWD)
      continue;
    o->method = 0; /* read or get, after everything else */
    o->pending = false;
    o->start = o->end = last + 1;
    o->ret = hd_str("crowd");
  }
  special_options options = {.config = h->config, .nconfig = h->nconfig};
  special_answer crowded = hd_special_decide(h->spec, ops, h->n + CROWD + 1, &options, NULL);
  free(ops);
  return crowded == answer ? NULL : "the answer depends on how many operations are open";
}

static const char *
judge_case(const history *h, flavour f, uint64_t seed, tally *t)
{
  hd_linear_violation why;
  special_options options = {.config = h->config, .nconfig = h->nconfig};
  special_answer answer = hd_special_decide(h->spec, h->ops, h->n, &options, &why);
  t->cases++;
  bool pending = false, unknown = false;
  for (size_t i = 0; i < h->n; i++)
  {
    pending |= h->ops[i].pending;
    unknown |= h->ops[i].any_ret;
  }
  t->pending += pending;
  t->unknown += unknown;
  if (answer == SPECIAL_STOPPED)
    return "stopped";
  if (answer == SPECIAL_NOT_FIT)
  {
    t->not_fit++;
    return NULL;
  }
  if (hd_special_decide(h->spec, h->ops, h->n, &options, NULL) != answer)
    return "the answer depends on whether it is explained";
  const char *problem = judge_switches(h, answer);
  if (!problem && (f == FLAVOUR_REPEATED || f == FLAVOUR_KEY) && seed / FLAVOURS % 8 == 0)
    problem = judge_crowd(h, answer);
  if (problem)
    return problem;
  enumerated orders = enumerate_orders(h->spec, h->config, h->nconfig, h->ops, h->n);
  if (orders == ENUMERATED_TOO_MANY)
  {
    t->too_many++;
    return NULL;
  }
  bool explained = orders == ENUMERATED_SOME;
  *(answer == SPECIAL_HOLDS ? &t->holds : &t->violated) += 1;
  if (explained != (answer == SPECIAL_HOLDS))
    return explained ? "an order exists, but the algorithm found none" : "no order exists, but the algorithm accepts";
  return explained ? NULL : judge_violation(h, &why, t);
}

static void
test_random(void **state)
{
  (void) state;
  uint64_t only = setting("HEDDLE_SEED", UINT64_MAX), n = setting("HEDDLE_CASES", DEFAULT_CASES);
  tally tallies[FLAVOURS] = {0};
  unsigned wrong = 0;
  for (uint64_t seed = only == UINT64_MAX ? 0 : only; seed < (only == UINT64_MAX ? n : only + 1); seed++)
  {
    history h;
    flavour f;
    make_case(&h, seed, &f);
    const char *problem = judge_case(&h, f, seed, &tallies[f]);
    if (problem || only != UINT64_MAX)
    {
      print_message("%s: %s; make it again with HEDDLE_SEED=%llu\n", flavour_names[f], problem ? problem : "right",
                    (unsigned long long) seed);
      history_print(&h);
    }
    history_free(&h);
    wrong += problem != NULL;
    assert_true(wrong < 5);
  }
  assert_int_equal(wrong, 0);
  for (flavour f = 0; f < FLAVOURS && only == UINT64_MAX; f++)
  {
    const tally *t = &tallies[f];
    print_message("%-20s %u cases, %u with pending, %u with unknown: %u hold, %u violated (%.1f shown, %u alone), "
                  "%u not fit, %u too many\n",
                  flavour_names[f], t->cases, t->pending, t->unknown, t->holds, t->violated,
                  t->violated > 0 ? (double) t->shown / t->violated : 0.0, t->alone, t->not_fit, t->too_many);
    print_message("%-20s nowhere %u, early %u, twice %u, inverted %u, empty %u, overwritten %u, circle %u\n", "",
                  t->patterns[HD_LINEAR_FROM_NOWHERE], t->patterns[HD_LINEAR_TOO_EARLY],
                  t->patterns[HD_LINEAR_TAKEN_TWICE], t->patterns[HD_LINEAR_ORDER_INVERTED],
                  t->patterns[HD_LINEAR_EMPTY_WHILE_FULL], t->patterns[HD_LINEAR_OVERWRITTEN],
                  t->patterns[HD_LINEAR_CIRCLE]);
    if (n < 8000)
      continue;
    if (f >= FLAVOUR_QUEUE) /* the patterns that the algorithms are about */
      assert_true(t->patterns[HD_LINEAR_ORDER_INVERTED] >= t->cases / 100
                  && t->patterns[HD_LINEAR_EMPTY_WHILE_FULL] >= t->cases / 100);
    /* The cases are of the kind that the algorithms are for; and they are not all of one verdict. */
    assert_true(t->not_fit <= t->cases / 20 && t->too_many <= t->cases / 100);
    assert_true(t->holds >= t->cases / 5 && t->violated >= t->cases / 8);
    assert_true(t->pending >= t->cases / 4);
  }
}

/* Longer histories of registers whose values repeat: as long as all orders can still be tried. */
static void
test_long(void **state)
{
  (void) state;
  uint64_t only = setting("HEDDLE_SEED", UINT64_MAX), n = setting("HEDDLE_CASES", DEFAULT_CASES) / 50;
  tally t = {0};
  for (uint64_t seed = only == UINT64_MAX ? 0 : only; seed < (only == UINT64_MAX ? n : only + 1); seed++)
  {
    uint64_t random = hd_mix(seed + 77777);
    history_plan plan = {
        .flavour = seed % 2 ? FLAVOUR_REPEATED : FLAVOUR_KEY,
        .n = 10 + hd_random(&random) % 16,
        .clients = 2 + (unsigned) (hd_random(&random) % 8),
        .pending = hd_random(&random) % 2 ? (unsigned) (hd_random(&random) % 25) : 0,
        .values = 1 + (unsigned) (hd_random(&random) % 5),
    };
    history h;
    history_simulate(&h, &plan, &random);
    for (unsigned i = (unsigned) (hd_random(&random) % 6); i > 0; i--)
      history_mutate(&h, &random);
    const char *problem = judge_case(&h, plan.flavour, seed, &t);
    if (problem || only != UINT64_MAX)
    {
      print_message("long: %s; make it again with HEDDLE_SEED=%llu\n", problem ? problem : "right",
                    (unsigned long long) seed);
      history_print(&h);
    }
    history_free(&h);
    assert_null(problem);
  }
  print_message(
      "long %u cases, %u with pending: %u hold, %u violated (%.1f shown, %u alone), %u not fit, %u too many\n", t.cases,
      t.pending, t.holds, t.violated, t.violated > 0 ? (double) t.shown / t.violated : 0.0, t.alone, t.not_fit,
      t.too_many);
}

/* Containers with removals that took effect, of which nobody knows what they took. */
static void
test_unknown(void **state)
{
  (void) state;
  uint64_t only = setting("HEDDLE_SEED", UINT64_MAX), n = setting("HEDDLE_CASES", DEFAULT_CASES) / 2;
  tally tallies[FLAVOURS] = {0};
  for (uint64_t seed = only == UINT64_MAX ? 0 : only; seed < (only == UINT64_MAX ? n : only + 1); seed++)
  {
    uint64_t random = hd_mix(seed + 55555);
    history_plan plan = {
        .flavour = FLAVOUR_QUEUE + (flavour) (seed % 3),
        .n = 3 + hd_random(&random) % (MAX_OPS - 2),
        .clients = 1 + (unsigned) (hd_random(&random) % 5),
        .pending = hd_random(&random) % 3 == 0 ? 10 + (unsigned) (hd_random(&random) % 20) : 0,
        .unknown = 10 + (unsigned) (hd_random(&random) % 35),
        .narrow = hd_random(&random) % 2 ? 50 : 0,
        .inserts = 45 + (unsigned) (hd_random(&random) % 20),
        .spread = (unsigned) (hd_random(&random) % 4),
    };
    history h;
    history_simulate(&h, &plan, &random);
    if (hd_random(&random) % 4 == 0)
      history_scatter(&h, &random);
    for (unsigned i = (unsigned) (hd_random(&random) % 8); i > 0; i--)
      history_mutate(&h, &random);
    history_mend(&h);
    if (hd_random(&random) % 8 == 0)
      history_blur(&h);
    const char *problem = judge_case(&h, plan.flavour, seed, &tallies[plan.flavour]);
    if (problem || only != UINT64_MAX)
    {
      print_message("unknown: %s; make it again with HEDDLE_SEED=%llu\n", problem ? problem : "right",
                    (unsigned long long) seed);
      history_print(&h);
    }
    history_free(&h);
    assert_null(problem);
  }
  for (flavour f = FLAVOUR_QUEUE; f < FLAVOURS && only == UINT64_MAX; f++)
  {
    const tally *t = &tallies[f];
    print_message("unknown %-12s %u cases, %u with unknown: %u hold, %u violated (%u alone), %u not fit, %u too many\n",
                  flavour_names[f], t->cases, t->unknown, t->holds, t->violated, t->alone, t->not_fit, t->too_many);
    if (n < 8000)
      continue;
    assert_true(t->unknown >= t->cases / 2 && t->not_fit <= t->cases / 20 && t->too_many <= t->cases / 100);
    /* Some are violated only if one asks what the removals can have taken. */
    assert_true(t->violated >= t->cases / 20 && t->violated - t->alone >= t->cases / 200);
  }
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random),
      cmocka_unit_test(test_unknown),
      cmocka_unit_test(test_long),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
