/* test_linear.c: hd_linear_decide against all orders tried one by one, against itself with fewer rules, and against
 * itself on histories that are changed in ways of which the effect is known (docs/linear.md).
 *
 * HEDDLE_CASES=n   how many cases a test has at most (default: each its own number; fewer for slow builds)
 * HEDDLE_FIRST=n   the number of the first case of each test (default 0)
 * HEDDLE_SEED=n    judge only the case with this number; in the test that HEDDLE_TEST names, else in each */
#include "naive/ask.h"
#include "naive/keyed.h"
#include "naive/rewrite.h"
#include "settings.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum
{
  SPECIAL_CASES = 110000,
  RULES_CASES = 70000,
  KEYED_CASES = 45000,
  CHANGED_CASES = 40000,
  SHOWN = 3, /* disagreements printed */
};

/* ---- running many cases ---- */

/* What is wrong with case SEED, or NULL; H is the history that shows it. */
typedef const char *(*case_judge)(uint64_t seed, naive_history *h);

static void
run_cases(const char *name, uint64_t n, case_judge judge)
{
  uint64_t only = setting("HEDDLE_SEED", UINT64_MAX), first = setting("HEDDLE_FIRST", 0);
  uint64_t most = setting("HEDDLE_CASES", UINT64_MAX);
  const char *wanted = getenv("HEDDLE_TEST");
  unsigned wrong = 0;
  if (only != UINT64_MAX)
  {
    if (wanted && strcmp(wanted, name) != 0)
      return;
    first = only;
    n = 1;
  }
  for (uint64_t seed = first; seed < first + (n < most ? n : most); seed++)
  {
    static naive_history h;
    naive_start();
    const char *problem = judge(seed, &h);
    if (!problem)
      continue;
    print_message("# %s; make it again with HEDDLE_TEST=%s HEDDLE_SEED=%" PRIu64 "\n", problem, name, seed);
    naive_history_print(&h);
    wrong++;
    assert_true(wrong < SHOWN);
  }
  assert_int_equal(wrong, 0);
}

/* ---- comparing with all orders ---- */

static hd_linear_options the_options; /* with which a history is made smaller */

static hd_linear_answer
truth(const naive_history *h)
{
  return naive_history_explained(h) ? HD_LINEAR_HOLDS : HD_LINEAR_VIOLATED;
}

/* Is what the answer says about the place of the failure right? */
static const char *
check_failing(const naive_history *h, const hd_linear_result *r, bool limited)
{
  naive_history cut;
  naive_history_cut(h, r->legal_until, false, false, &cut);
  if (!naive_history_explained(&cut))
    return "legal_until lies behind the failure";
  if (r->answer != HD_LINEAR_VIOLATED)
    return NULL;
  const naive_op *failing = NULL;
  for (size_t i = 0; i < h->n; i++)
    if (1000 + h->ops[i].id == r->failing)
      failing = &h->ops[i];
  if (r->failing == UINT64_MAX) /* a part that fails earlier may have been given up */
    return limited ? NULL : "the failing operation was not determined";
  if (!failing || failing->optional)
    return "the failing operation is not there, or never ended";
  if (failing->end != r->legal_until)
    return "legal_until is not where the failing operation ends";
  /* The algorithms without search know nothing of what ends later; the search knows what will be returned, and so may
   * see earlier that nothing fits. */
  naive_history_cut(h, failing->end, true, true, &cut);
  return naive_history_explained(&cut) ? "with the end of the failing operation it can still be explained" : NULL;
}

static const char *
check_with(const naive_history *h, const hd_linear_options *options, bool with_place)
{
  hd_linear_result r = naive_history_ask(h, options);
  bool limited = options->max_configurations || options->max_steps;
  if (r.answer == HD_LINEAR_UNKNOWN)
    return !limited ? "unknown" : with_place ? check_failing(h, &r, limited) : NULL;
  if (r.answer != truth(h))
    return r.answer == HD_LINEAR_HOLDS ? "no order exists, but it is accepted" : "an order exists, but it is rejected";
  return r.answer == HD_LINEAR_VIOLATED && with_place ? check_failing(h, &r, limited) : NULL;
}

static bool
still_wrong(const naive_history *h)
{
  return check_with(h, &the_options, true) != NULL;
}

/* As check_with, for the report: says with which rules, and makes the history smaller. */
static const char *
report(naive_history *h, const hd_linear_options *options)
{
  static char text[200];
  the_options = *options;
  if (!still_wrong(h))
    return "the answer is not always the same";
  naive_history_shrink(h, still_wrong);
  snprintf(text, sizeof text, "rules %03" PRIx32 ", %" PRIu64 " configurations, %u jobs: %s", options->rules,
           options->max_configurations, options->jobs, check_with(h, options, true));
  return text;
}

/* All sets of rules: each alone, each left out, all, none; and few configurations. */
static const char *
check_rules(naive_history *h, uint64_t seed)
{
  hd_linear_answer right = truth(h);
  uint32_t sets[40] = {HD_LINEAR_ALL, 0};
  size_t nsets = 2;
  for (uint32_t bit = 1; bit < HD_LINEAR_ALL; bit <<= 1)
  {
    sets[nsets++] = bit;
    sets[nsets++] = HD_LINEAR_ALL & ~bit;
  }
  sets[nsets++] = HD_LINEAR_ALL & ~(HD_LINEAR_SPECIAL | HD_LINEAR_PARTITION);
  sets[nsets++] = (uint32_t) hd_mix(seed) & HD_LINEAR_ALL;
  for (size_t i = 0; i < nsets; i++)
  {
    hd_linear_options options = {.rules = sets[i]};
    hd_linear_result r = naive_history_ask(h, &options);
    bool place = (i < 2 || i == nsets - 1) && r.answer == HD_LINEAR_VIOLATED;
    if (r.answer != right || (place && check_failing(h, &r, false)))
      return report(h, &options);
  }
  hd_linear_options few = {.rules = sets[nsets - 1], .max_configurations = 1 + seed % 4};
  if (check_with(h, &few, true))
    return report(h, &few);
  hd_linear_options two_jobs = {.rules = HD_LINEAR_ALL, .jobs = 2};
  if (seed % 16 == 0 && check_with(h, &two_jobs, true))
    return report(h, &two_jobs);
  return NULL;
}

/* ---- (1) without search, and with it ---- */

/* Objects as they are where the algorithms without search apply. */
static const naive_object special_objects[] = {
    {.name = "register", .initial = true, .methods = {{"read", "", 'v', 5}, {"write", "v", 'd', 4}}},
    {.name = "register",
     .initial = true,
     .methods = {{"read", "", 'v', 4}, {"write", "v", 'd', 3}, {"cas", "vv", 'b', 2}}},
    {.name = "set", .methods = {{"add", "k", 'b', 4}, {"remove", "k", 'b', 3}, {"contains", "k", 'b', 3}}},
    {.name = "counter", .initial = true, .methods = {{"inc", "", 'd', 4}, {"get", "", 'c', 3}}},
    {.name = "counter", .initial = true, .methods = {{"dec", "", 'c', 4}, {"get", "", 'c', 1}}},
    {.name = "queue",
     .methods = {{"enqueue", "v", 'd', 3}, {"enq", "v", 'd', 2}, {"dequeue", "", 'v', 2}, {"deq", "", 'v', 2}}},
    {.name = "stack", .methods = {{"push", "v", 'd', 5}, {"pop", "", 'v', 4}}},
    {.name = "pqueue", .methods = {{"insert", "v", 'd', 5}, {"delmin", "", 'v', 4}}},
    {.name = "map", .methods = {{"get", "k", 'v', 4}, {"put", "kv", 'd', 4}}},
};

enum
{
  SPECIAL_OBJECTS = sizeof special_objects / sizeof *special_objects,
};

typedef struct tally
{
  unsigned cases, special, violated, pending;
} tally;

static tally tallies[SPECIAL_OBJECTS];

static void
count(tally *t, const naive_history *h, const hd_linear_result *r)
{
  bool pending = false;
  for (size_t i = 0; i < h->n; i++)
    pending = pending || h->ops[i].optional;
  t->cases++;
  t->special += r->special_parts > 0;
  t->violated += r->answer == HD_LINEAR_VIOLATED;
  t->pending += pending;
}

static bool
special_differs(const naive_history *h)
{
  hd_linear_options with = {.rules = HD_LINEAR_ALL}, without = {.rules = HD_LINEAR_ALL & ~HD_LINEAR_SPECIAL};
  hd_linear_result a = naive_history_ask(h, &with), b = naive_history_ask(h, &without);
  return a.answer != b.answer || a.answer == HD_LINEAR_UNKNOWN;
}

/* A random history of PLAN, changed a little in most cases. */
static void
make_history(naive_history *h, const naive_plan *plan, uint64_t *random)
{
  naive_case c;
  naive_make(&c, plan, random);
  for (uint64_t k = naive_below(random, 4); k > 0; k--)
    naive_mutate(&c, random);
  naive_history_from(h, &c, naive_chance(random, 50));
}

static const char *
judge_special(uint64_t seed, naive_history *h)
{
  uint64_t random = hd_mix(seed + 1);
  naive_plan plan = {
      .object = &special_objects[seed % SPECIAL_OBJECTS],
      .notes = naive_chance(&random, 70) ? NAIVE_NONE : NAIVE_MIXED,
      .n = 2 + naive_below(&random, 11),
      .lanes = 2 + (unsigned) naive_below(&random, NAIVE_LANES - 1),
      .unique = true,
      .calm = true,
      .wild = naive_chance(&random, 5),
      .pending = naive_chance(&random, 50) ? 2 + (unsigned) naive_below(&random, 10) : 0,
  };
  make_history(h, &plan, &random);
  hd_linear_options options = {.rules = HD_LINEAR_ALL};
  hd_linear_result r = naive_history_ask(h, &options);
  count(&tallies[seed % SPECIAL_OBJECTS], h, &r);
  if (!special_differs(h))
    return NULL;
  naive_history_shrink(h, special_differs);
  return truth(h) == naive_history_ask(h, &options).answer ? "the search is wrong"
                                                           : "an algorithm without search is wrong";
}

static void
test_special(void **state)
{
  (void) state;
  memset(tallies, 0, sizeof tallies);
  run_cases("special", SPECIAL_CASES, judge_special);
  for (size_t i = 0; i < SPECIAL_OBJECTS && setting("HEDDLE_SEED", UINT64_MAX) == UINT64_MAX; i++)
  {
    const tally *t = &tallies[i];
    print_message("# %-10s %u cases, %u with pending: %u violated, %u decided without search\n",
                  special_objects[i].name, t->cases, t->pending, t->violated, t->special);
    assert_true(t->special >= t->cases / 3 && t->violated >= t->cases / 10);
  }
}

/* ---- (2) each rule of the search ---- */

static tally rules_tally;

static const char *
judge_rules(uint64_t seed, naive_history *h)
{
  uint64_t random = hd_mix(seed + 1);
  naive_plan plan = {
      .object = &naive_objects[seed % NAIVE_OBJECTS],
      .notes = naive_chance(&random, 60) ? NAIVE_NONE : (naive_notes) naive_below(&random, NAIVE_NOTES),
      .n = 2 + naive_below(&random, 8),
      .lanes = 2 + (unsigned) naive_below(&random, NAIVE_LANES - 1),
      .unique = naive_chance(&random, 30),
      .calm = naive_chance(&random, 50),
      .wild = naive_chance(&random, 10),
      .pending = naive_chance(&random, 50) ? 2 + (unsigned) naive_below(&random, 10) : 0,
  };
  make_history(h, &plan, &random);
  count(&rules_tally, h, &(hd_linear_result){.answer = truth(h)});
  return check_rules(h, seed);
}

static void
test_rules(void **state)
{
  (void) state;
  rules_tally = (tally){0};
  run_cases("rules", RULES_CASES, judge_rules);
  print_message("# %u cases, %u with pending: %u violated\n", rules_tally.cases, rules_tally.pending,
                rules_tally.violated);
}

/* ---- (3) operations on several keys ---- */

static const char *
judge_keyed(uint64_t seed, naive_history *h)
{
  /* Mostly without operations that concern everything, so that there are parts. */
  static const naive_object apart = {.name = "keyed",
                                     .methods = {{"get", "k", 'c', 6},
                                                 {"put", "kv", 'd', 8},
                                                 {"copy", "kk", 'd', 3},
                                                 {"sum", "kk", 'c', 3},
                                                 {"zero", "kk", 'd', 2}}};
  naive_object object = seed % 3 ? apart : naive_keyed;
  object.spec = naive_keyed.spec;
  static naive_object kept; /* the history points to it */
  kept = object;
  uint64_t random = hd_mix(seed + 1);
  naive_plan plan = {
      .object = &kept,
      .notes = naive_chance(&random, 60) ? NAIVE_NONE : (naive_notes) naive_below(&random, NAIVE_NOTES),
      .n = 2 + naive_below(&random, 8),
      .lanes = 2 + (unsigned) naive_below(&random, NAIVE_LANES - 1),
      .keys = 2 + (unsigned) naive_below(&random, NAIVE_KEYS - 1),
      .unique = naive_chance(&random, 30),
      .wild = naive_chance(&random, 10),
      .pending = naive_chance(&random, 50) ? 2 + (unsigned) naive_below(&random, 10) : 0,
  };
  make_history(h, &plan, &random);
  count(&rules_tally, h, &(hd_linear_result){.answer = truth(h)});
  return check_rules(h, seed);
}

static void
test_keyed(void **state)
{
  (void) state;
  rules_tally = (tally){0};
  run_cases("keyed", KEYED_CASES, judge_keyed);
  print_message("# %u cases, %u with pending: %u violated\n", rules_tally.cases, rules_tally.pending,
                rules_tally.violated);
}

/* ---- (4) changes of which the effect is known, on longer histories ---- */

static tally changed_tally;

static hd_linear_answer
ask(const naive_history *h, uint32_t rules)
{
  hd_linear_options options = {.rules = rules};
  return naive_history_ask(h, &options).answer;
}

/* With few rules there may be very many configurations: then nothing is said. */
static bool
differs(const naive_history *h, uint32_t rules, hd_linear_answer answer)
{
  hd_linear_options options = {.rules = rules, .max_configurations = 1000};
  hd_linear_answer other = naive_history_ask(h, &options).answer;
  changed_tally.special += other != HD_LINEAR_UNKNOWN;
  return other != answer && other != HD_LINEAR_UNKNOWN;
}

static const char *
judge_changed(uint64_t seed, naive_history *h)
{
  uint64_t random = hd_mix(seed + 1);
  size_t kind = seed % (NAIVE_OBJECTS + SPECIAL_OBJECTS);
  naive_plan plan = {
      .object = kind < NAIVE_OBJECTS ? &naive_objects[kind] : &special_objects[kind - NAIVE_OBJECTS],
      .notes = naive_chance(&random, 50) ? NAIVE_NONE : (naive_notes) naive_below(&random, NAIVE_NOTES),
      .n = 10 + naive_below(&random, 15),
      .lanes = 2 + (unsigned) naive_below(&random, 4),
      .unique = kind >= NAIVE_OBJECTS || naive_chance(&random, 30),
      .calm = kind >= NAIVE_OBJECTS,
      .pending = naive_chance(&random, 50) ? 1 + (unsigned) naive_below(&random, 3) : 0,
  };
  make_history(h, &plan, &random);
  hd_linear_answer first = ask(h, HD_LINEAR_ALL);
  count(&changed_tally, h, &(hd_linear_result){.answer = first});
  if (first == HD_LINEAR_UNKNOWN)
    return "unknown";
  uint32_t bit = 1u << seed / 64 % 9;
  if (differs(h, HD_LINEAR_ALL & ~bit, first) || differs(h, HD_LINEAR_ALL & ~(bit | HD_LINEAR_SPECIAL), first))
    return "the answer differs if a rule is left out";
  if (differs(h, HD_LINEAR_LOOKS, first))
    return "the answer differs if only looks are placed at once";
  naive_history changed = *h, reversed;
  naive_history_widen(&changed, &random);
  if (first == HD_LINEAR_HOLDS && ask(&changed, HD_LINEAR_ALL) != first)
    return "with a wider interval it is no longer explained";
  naive_history_forget(&changed, &random);
  if (first == HD_LINEAR_HOLDS && ask(&changed, HD_LINEAR_ALL) != first)
    return "with an operation that never returned it is no longer explained";
  changed = *h;
  naive_history_rename(&changed);
  if (ask(&changed, HD_LINEAR_ALL) != first)
    return "with other names the answer differs";
  bool mirrored = strcmp(h->spec->name, "queue") == 0 || strcmp(h->spec->name, "stack") == 0;
  if (mirrored && plan.unique && naive_history_reverse(h, &reversed)
      && ask(h, HD_LINEAR_ALL) != ask(&reversed, HD_LINEAR_ALL))
    return "backwards the answer differs";
  return NULL;
}

static void
test_changed(void **state)
{
  (void) state;
  changed_tally = (tally){0};
  run_cases("changed", CHANGED_CASES, judge_changed);
  print_message("# %u cases, %u with pending: %u violated; %u times with fewer rules\n", changed_tally.cases,
                changed_tally.pending, changed_tally.violated, changed_tally.special);
}

/* ---- (5) chosen cases ---- */

static naive_history
history_of(const naive_object *object)
{
  return (naive_history){.object = object, .spec = naive_spec(object)};
}

static void
add(naive_history *h, const char *method, hd_value arg, hd_value ret, uint64_t start, uint64_t end)
{
  naive_op o = {.method = naive_method_index(h->spec, method), .thread = 1, .ret = ret, .start = start, .end = end};
  o.nargs = (uint32_t) strlen(h->spec->methods[o.method].args);
  o.args[0] = arg;
  o.id = (unsigned) h->n;
  h->ops[h->n++] = o;
}

static void
test_always(void **state)
{
  (void) state;
  static const struct
  {
    size_t object;
    const char *put, *take;
  } containers[] = {{5, "enqueue", "dequeue"}, {8, "push", "pop"}, {4, "insert", "delmin"}};
  const uint32_t rules[] = {HD_LINEAR_ALL, HD_LINEAR_ALL & ~HD_LINEAR_SPECIAL, 0};
  for (size_t r = 0; r < sizeof rules / sizeof *rules; r++)
  {
    for (size_t i = 0; i < NAIVE_OBJECTS; i++)
    {
      naive_history h = history_of(&naive_objects[i]);
      assert_int_equal(ask(&h, rules[r]), HD_LINEAR_HOLDS); /* nothing happened */
      uint64_t random = 1 + i;
      for (unsigned k = 0; k < 50; k++)
      {
        naive_start();
        naive_plan plan = {.object = &naive_objects[i], .notes = NAIVE_NONE, .n = 1 + k % 9, .lanes = 3, .wild = true};
        make_history(&h, &plan, &random);
        for (size_t m = 0; m < h.n; m++)
        {
          h.ops[m].optional = true;
          h.ops[m].unchanged = false;
        }
        assert_int_equal(ask(&h, rules[r]), HD_LINEAR_HOLDS); /* nothing returned */
      }
    }
    for (size_t i = 0; i < sizeof containers / sizeof *containers; i++)
      for (int said = 0; said < 2; said++)
      {
        const naive_object *object = &naive_objects[containers[i].object];
        const char *put = containers[i].put, *take = containers[i].take;
        hd_value empty = said ? hd_int(-1) : hd_nil();
        naive_history h = history_of(object);
        add(&h, put, hd_int(1), hd_nil(), 1, 2);
        add(&h, take, hd_nil(), empty, 3, 4);
        hd_linear_options options = {.rules = rules[r]};
        hd_linear_result result = naive_history_ask(&h, &options);
        assert_int_equal(result.answer, HD_LINEAR_VIOLATED); /* it was there, and nobody took it */
        assert_int_equal(result.failing, 1001);
        assert_int_equal(result.legal_until, 4);
        h = history_of(object);
        for (uint64_t k = 0; k < 6; k++)
          add(&h, take, hd_nil(), empty, k, k + 1 + k % 3);
        assert_int_equal(ask(&h, rules[r]), HD_LINEAR_HOLDS); /* empty all the time */
      }
  }
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_always), cmocka_unit_test(test_special), cmocka_unit_test(test_rules),
      cmocka_unit_test(test_keyed),  cmocka_unit_test(test_changed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
