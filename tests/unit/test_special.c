/* test_special.c: the special algorithms against all orders tried one by one, on numbered random cases.
 *
 * HEDDLE_CASES=n   how many cases (default 400000; fewer for slow builds)
 * HEDDLE_SEED=n    print and judge only the case with this number */
#include "brute/enumerate.h"
#include "brute/histories.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/base.h"
#include "specs/specs.h"

enum
{
  DEFAULT_CASES = 400000,
  MAX_OPS = 12,
};

static uint64_t
number(const char *variable, uint64_t otherwise)
{
  const char *text = getenv(variable);
  return text && *text ? strtoull(text, NULL, 10) : otherwise;
}

/* ---- random cases ---- */

typedef struct tally
{
  unsigned cases, holds, violated, not_fit, too_many, pending, shown, alone, patterns[HD_LINEAR_WRONG_COUNT + 1];
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
    for (size_t k = 0; k < h->n && nargs(h, &shown[i]) == (map ? 1 : 0) && !shown[i].pending; k++)
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
  for (size_t i = 0; i < h->n; i++)
    if (h->ops[i].pending)
    {
      t->pending++;
      break;
    }
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
  uint64_t only = number("HEDDLE_SEED", UINT64_MAX), n = number("HEDDLE_CASES", DEFAULT_CASES);
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
    print_message("%-20s %u cases, %u with pending: %u hold, %u violated (%.1f shown, %u alone), %u not fit, "
                  "%u too many\n",
                  flavour_names[f], t->cases, t->pending, t->holds, t->violated,
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
  uint64_t only = number("HEDDLE_SEED", UINT64_MAX), n = number("HEDDLE_CASES", DEFAULT_CASES) / 50;
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

/* ---- chosen cases ---- */

typedef struct row
{
  const char *method;
  int64_t arg, arg2;
  uint64_t start, end; /* END 0: pending */
  hd_value ret;
} row;

#define NIL                                                                                                            \
  {                                                                                                                    \
    .type = HD_NIL                                                                                                     \
  }
#define INT(n)                                                                                                         \
  {                                                                                                                    \
    .type = HD_INT, .i = (n)                                                                                           \
  }

static special_answer
ask(const char *spec_name, const row *rows, size_t n, const special_options *options, hd_linear_violation *why)
{
  const hd_spec *spec = hd_specs_find(spec_name);
  hd_linear_op ops[16] = {0};
  for (size_t i = 0; i < n; i++)
  {
    ops[i]
        = (hd_linear_op){.args[0] = hd_int(rows[i].arg), .args[1] = hd_int(rows[i].arg2), .ret = rows[i].ret, .id = i};
    ops[i].start = rows[i].start;
    ops[i].end = rows[i].end;
    ops[i].pending = rows[i].end == 0;
    while (strcmp(spec->methods[ops[i].method].name, rows[i].method) != 0)
      ops[i].method++;
  }
  return hd_special_decide(spec, ops, n, options, why);
}

#define ASK(spec, why, ...) ask(spec, (row[]) __VA_ARGS__, sizeof((row[]) __VA_ARGS__) / sizeof(row), NULL, why)

static const struct
{
  const char *spec, *put, *take;
} containers[] = {{"queue", "enqueue", "dequeue"}, {"stack", "push", "pop"}, {"pqueue", "insert", "delmin"}};

static void
test_patterns(void **state)
{
  (void) state;
  hd_linear_violation why;
  for (size_t i = 0; i < sizeof containers / sizeof *containers; i++)
  {
    const char *s = containers[i].spec, *put = containers[i].put, *take = containers[i].take;
    /* A value that is never taken is inside after the last event of others, too. */
    assert_int_equal(ASK(s, &why, {{put, 1, 0, 1, 2, NIL}, {take, 0, 0, 3, 4, NIL}}), SPECIAL_VIOLATED);
    assert_int_equal(why.pattern, HD_LINEAR_EMPTY_WHILE_FULL);
    assert_true(why.alone && why.nids == 2);
    assert_int_equal(ASK(s, &why, {{put, 1, 0, 1, 3, NIL}, {take, 0, 0, 2, 4, NIL}}), SPECIAL_HOLDS);
    assert_int_equal(ASK(s, &why, {{take, 0, 0, 2, 4, INT(9)}}), SPECIAL_VIOLATED);
    assert_int_equal(why.pattern, HD_LINEAR_FROM_NOWHERE);
    assert_int_equal(why.nids, 1);
    assert_int_equal(ASK(s, &why, {{take, 0, 0, 1, 2, INT(9)}, {put, 9, 0, 3, 4, NIL}}), SPECIAL_VIOLATED);
    assert_int_equal(why.pattern, HD_LINEAR_TOO_EARLY);
    assert_int_equal(ASK(s, &why, {{put, 9, 0, 1, 2, NIL}, {take, 0, 0, 3, 4, INT(9)}, {take, 0, 0, 5, 6, INT(9)}}),
                     SPECIAL_VIOLATED);
    assert_int_equal(why.pattern, HD_LINEAR_TAKEN_TWICE);
    assert_int_equal(why.nids, 3);
    assert_string_equal(why.sentence, "9 was put in once and taken twice");
  }
  assert_int_equal(ASK("queue", &why,
                       {{"enq", 1, 0, 1, 2, NIL},
                        {"enq", 2, 0, 3, 4, NIL},
                        {"enq", 3, 0, 5, 6, NIL},
                        {"deq", 0, 0, 7, 8, INT(2)},
                        {"deq", 0, 0, 9, 10, INT(1)}}),
                   SPECIAL_VIOLATED);
  assert_int_equal(why.pattern, HD_LINEAR_ORDER_INVERTED);
  assert_int_equal(why.nids, 4);
  assert_string_equal(why.sentence, "1 was put in before 2, but 2 was taken before 1");
  assert_int_equal(ASK("stack", &why,
                       {{"push", 1, 0, 1, 2, NIL},
                        {"push", 2, 0, 3, 4, NIL},
                        {"push", 3, 0, 5, 20, NIL},
                        {"pop", 0, 0, 7, 8, INT(1)},
                        {"pop", 0, 0, 9, 10, INT(2)}}),
                   SPECIAL_VIOLATED);
  assert_int_equal(why.pattern, HD_LINEAR_ORDER_INVERTED);
  assert_int_equal(why.nids, 4);
  assert_int_equal(
      ASK("pqueue", &why, {{"insert", 1, 0, 1, 2, NIL}, {"insert", 2, 0, 3, 4, NIL}, {"delmin", 0, 0, 7, 8, INT(2)}}),
      SPECIAL_VIOLATED);
  assert_int_equal(why.pattern, HD_LINEAR_ORDER_INVERTED);
  assert_int_equal(why.nids, 3);
  assert_int_equal(
      ASK("register", &why, {{"write", 1, 0, 1, 2, NIL}, {"write", 2, 0, 3, 4, NIL}, {"read", 0, 0, 5, 6, INT(1)}}),
      SPECIAL_VIOLATED);
  assert_int_equal(why.pattern, HD_LINEAR_OVERWRITTEN);
  assert_int_equal(why.nids, 3);
  assert_int_equal(
      ASK("register", &why, {{"write", 1, 0, 1, 2, NIL}, {"cas", 1, 2, 3, 4, INT(1)}, {"cas", 1, 3, 5, 6, INT(1)}}),
      SPECIAL_VIOLATED);
  assert_int_equal(why.pattern, HD_LINEAR_TAKEN_TWICE);
  assert_int_equal(ASK("register", &why, {{"cas", 1, 2, 3, 4, INT(1)}, {"cas", 2, 1, 5, 6, INT(1)}}), SPECIAL_VIOLATED);
  assert_int_equal(why.pattern, HD_LINEAR_CIRCLE);
  assert_int_equal(ASK("set", &why, {{"add", 1, 0, 1, 2, INT(1)}, {"contains", 1, 0, 3, 4, INT(0)}}), SPECIAL_VIOLATED);
  assert_int_equal(why.pattern, HD_LINEAR_WRONG_ANSWER);
  assert_int_equal(why.nids, 2);
}

/* Registers whose values repeat. */
static void
test_repeated(void **state)
{
  (void) state;
  hd_linear_violation why;
  assert_int_equal(ASK("register", &why,
                       {{"write", 1, 0, 1, 2, NIL},
                        {"write", 2, 0, 3, 4, NIL},
                        {"read", 0, 0, 5, 6, INT(1)},
                        {"write", 1, 0, 7, 8, NIL}}),
                   SPECIAL_VIOLATED);
  assert_int_equal(why.pattern, HD_LINEAR_OVERWRITTEN);
  assert_true(why.alone && why.nids == 3 && why.ids[2] == 2);
  assert_string_equal(why.sentence,
                      "read() → 1, but write(2) had overwritten this value before it began; it could only be 2");
  assert_int_equal(
      ASK("register", &why, {{"read", 0, 0, 1, 2, INT(1)}, {"write", 1, 0, 3, 4, NIL}, {"write", 1, 0, 5, 6, NIL}}),
      SPECIAL_VIOLATED);
  assert_int_equal(why.pattern, HD_LINEAR_TOO_EARLY);
  assert_true(why.alone && why.nids == 2);
  assert_string_equal(why.sentence, "read() → 1 was over before write(1) began");
  /* One write cannot be seen, hidden and seen again; two can. */
  assert_int_equal(ASK("register", &why,
                       {{"write", 1, 0, 1, 20, NIL},
                        {"write", 2, 0, 2, 20, NIL},
                        {"write", 2, 0, 30, 31, NIL},
                        {"read", 0, 0, 3, 4, INT(1)},
                        {"read", 0, 0, 5, 6, INT(2)},
                        {"read", 0, 0, 7, 8, INT(1)}}),
                   SPECIAL_VIOLATED);
  assert_true(why.alone && why.nids == 5 && why.ids[4] == 5);
  assert_string_equal(why.sentence,
                      "read() → 1: no order of the operations explains it; when it returned, it could only be 2");
  assert_int_equal(ASK("register", &why,
                       {{"write", 1, 0, 1, 20, NIL},
                        {"write", 2, 0, 2, 20, NIL},
                        {"write", 1, 0, 2, 0, NIL},
                        {"read", 0, 0, 3, 4, INT(1)},
                        {"read", 0, 0, 5, 6, INT(2)},
                        {"read", 0, 0, 7, 8, INT(1)}}),
                   SPECIAL_HOLDS);
}

/* One key of a map. */
static void
test_key(void **state)
{
  (void) state;
  hd_linear_violation why;
  hd_value empty = hd_str("");
  row rows[] = {{"get", 7, 0, 1, 2, INT(-1)}, {"get", 7, 0, 3, 4, NIL},     {"del", 7, 0, 5, 6, INT(0)},
                {"put", 7, 1, 7, 8, NIL},     {"get", 7, 0, 9, 10, INT(1)}, {"put", 7, 1, 11, 12, NIL}};
  assert_int_equal(ask("map", rows, 6, NULL, NULL), SPECIAL_HOLDS);
  rows[1].ret = empty;
  assert_int_equal(ask("map", rows, 6, NULL, NULL), SPECIAL_HOLDS);
  rows[4].ret = empty;
  assert_int_equal(ask("map", rows, 6, NULL, &why), SPECIAL_VIOLATED);
  assert_string_equal(why.sentence,
                      "get(7) → \"\", but put(7, 1) had overwritten this value before it began; it could only be 1");
  /* The initial value of a map is not its configuration. */
  hd_value five = hd_int(5);
  special_options options = {.config = &five, .nconfig = 1};
  assert_int_equal(ask("map", rows, 3, &options, NULL), SPECIAL_HOLDS);
  /* A del that does not say what it found, or never returned, writes "absent". */
  assert_int_equal(ASK("map", NULL, {{"put", 7, 1, 1, 2, NIL}, {"del", 7, 0, 3, 4, NIL}, {"get", 7, 0, 5, 6, INT(-1)}}),
                   SPECIAL_HOLDS);
  assert_int_equal(ASK("map", NULL, {{"put", 7, 1, 1, 2, NIL}, {"del", 7, 0, 3, 4, NIL}, {"get", 7, 0, 5, 6, INT(1)}}),
                   SPECIAL_VIOLATED);
  assert_int_equal(ASK("map", NULL, {{"put", 7, 1, 1, 2, NIL}, {"del", 7, 0, 3, 0, NIL}, {"get", 7, 0, 5, 6, INT(-1)}}),
                   SPECIAL_HOLDS);
  /* Two keys, a value that looks like "absent", append, a del that found something: search. */
  assert_int_equal(ASK("map", NULL, {{"put", 7, 1, 1, 2, NIL}, {"put", 8, 1, 3, 4, NIL}}), SPECIAL_NOT_FIT);
  assert_int_equal(ASK("map", NULL, {{"put", 7, -1, 1, 2, NIL}, {"get", 7, 0, 3, 4, NIL}}), SPECIAL_NOT_FIT);
  assert_int_equal(ASK("map", NULL, {{"append", 7, 1, 1, 0, NIL}}), SPECIAL_NOT_FIT);
  assert_int_equal(ASK("map", NULL, {{"put", 7, 1, 1, 2, NIL}, {"del", 7, 0, 3, 4, INT(1)}}), SPECIAL_NOT_FIT);
}

/* Cases in which an obvious rule is wrong. */
static void
test_pitfalls(void **state)
{
  (void) state;
  /* Each get lies between the changes that were over and those that were begun, and yet. */
  assert_int_equal(ASK("counter", NULL,
                       {{"inc", 0, 0, 1, 0, NIL},
                        {"inc", 0, 0, 2, 4, NIL},
                        {"get", 0, 0, 3, 5, INT(2)},
                        {"inc", 0, 0, 7, 8, NIL},
                        {"get", 0, 0, 9, 10, INT(2)}}),
                   SPECIAL_VIOLATED);
  for (size_t i = 0; i < sizeof containers / sizeof *containers; i++)
  {
    const char *s = containers[i].spec, *put = containers[i].put, *take = containers[i].take;
    assert_int_equal(ask(s, NULL, 0, NULL, NULL), SPECIAL_HOLDS);
    assert_int_equal(ASK(s, NULL, {{take, 0, 0, 1, 2, INT(-1)}, {take, 0, 0, 3, 4, NIL}}), SPECIAL_HOLDS);
    assert_int_equal(ASK(s, NULL, {{put, 1, 0, 1, 0, NIL}, {take, 0, 0, 2, 0, NIL}}), SPECIAL_HOLDS);
    /* A pending removal took it, or did nothing; there may be more of them than values. */
    assert_int_equal(
        ASK(s, NULL,
            {{put, 1, 0, 1, 2, NIL}, {take, 0, 0, 3, 0, NIL}, {take, 0, 0, 4, 0, NIL}, {take, 0, 0, 5, 6, NIL}}),
        SPECIAL_HOLDS);
    assert_int_equal(ASK(s, NULL, {{put, 1, 0, 1, 2, NIL}, {take, 0, 0, 3, 0, NIL}, {take, 0, 0, 5, 6, INT(1)}}),
                     SPECIAL_HOLDS);
    /* One pending removal cannot take two values. */
    assert_int_equal(
        ASK(s, NULL,
            {{put, 1, 0, 1, 2, NIL}, {put, 2, 0, 3, 4, NIL}, {take, 0, 0, 5, 0, NIL}, {take, 0, 0, 6, 7, NIL}}),
        SPECIAL_VIOLATED);
    /* An insertion that never returned took effect if its value was taken, else nobody knows. */
    assert_int_equal(ASK(s, NULL, {{put, 1, 0, 1, 0, NIL}, {take, 0, 0, 5, 6, INT(1)}}), SPECIAL_HOLDS);
    assert_int_equal(ASK(s, NULL, {{put, 1, 0, 1, 0, NIL}, {take, 0, 0, 5, 6, NIL}}), SPECIAL_HOLDS);
    /* Values that repeat, or that look like "empty": search. */
    assert_int_equal(ASK(s, NULL, {{put, 1, 0, 1, 2, NIL}, {put, 1, 0, 3, 4, NIL}}), SPECIAL_NOT_FIT);
    assert_int_equal(ASK(s, NULL, {{put, -1, 0, 1, 2, NIL}, {take, 0, 0, 3, 4, INT(-1)}}), SPECIAL_NOT_FIT);
  }
  /* An unobserved pending write can make a cas fail: search. */
  assert_int_equal(ASK("register", NULL, {{"write", 1, 0, 1, 0, NIL}, {"cas", 2, 3, 2, 3, INT(0)}}), SPECIAL_NOT_FIT);
  assert_int_equal(ASK("register", NULL, {{"write", 1, 0, 1, 2, NIL}, {"write", 1, 0, 3, 4, NIL}}), SPECIAL_HOLDS);
  assert_int_equal(
      ASK("register", NULL, {{"write", 1, 0, 1, 2, NIL}, {"write", 1, 0, 3, 4, NIL}, {"cas", 1, 2, 5, 6, INT(1)}}),
      SPECIAL_NOT_FIT);
  assert_int_equal(ASK("register", NULL, {{"read", 0, 0, 1, 2, NIL}, {"write", 1, 0, 3, 4, NIL}}), SPECIAL_HOLDS);
  /* A pending cas is there because a pending cas is there that somebody saw. */
  assert_int_equal(ASK("register", NULL,
                       {{"write", 1, 0, 1, 0, NIL},
                        {"cas", 1, 2, 2, 0, NIL},
                        {"cas", 2, 3, 3, 0, NIL},
                        {"read", 0, 0, 4, 5, INT(3)}}),
                   SPECIAL_HOLDS);
  assert_int_equal(ASK("register", NULL,
                       {{"write", 1, 0, 6, 0, NIL},
                        {"cas", 1, 2, 2, 0, NIL},
                        {"cas", 2, 3, 3, 0, NIL},
                        {"read", 0, 0, 4, 5, INT(3)}}),
                   SPECIAL_VIOLATED);
  /* Results that say nothing, and counters whose amounts differ: search. */
  assert_int_equal(ASK("set", NULL, {{"add", 1, 0, 1, 2, NIL}}), SPECIAL_NOT_FIT);
  assert_int_equal(ASK("counter", NULL, {{"inc", 0, 0, 1, 2, NIL}, {"dec", 0, 0, 3, 4, NIL}}), SPECIAL_NOT_FIT);
  assert_int_equal(ASK("counter", NULL, {{"inc", 0, 0, 1, 2, INT(1)}, {"inc", 0, 0, 3, 4, NIL}}), SPECIAL_NOT_FIT);
  /* Initial values. */
  hd_value five = hd_int(5);
  special_options options = {.config = &five, .nconfig = 1};
  assert_int_equal(ask("register", (row[]){{"read", 0, 0, 1, 2, INT(5)}}, 1, &options, NULL), SPECIAL_HOLDS);
  assert_int_equal(ask("register", (row[]){{"read", 0, 0, 1, 2, NIL}}, 1, &options, NULL), SPECIAL_VIOLATED);
  assert_int_equal(ask("register", (row[]){{"write", 5, 0, 1, 2, NIL}}, 1, &options, NULL), SPECIAL_HOLDS);
  assert_int_equal(ask("counter", (row[]){{"inc", 0, 0, 1, 2, INT(6)}}, 1, &options, NULL), SPECIAL_HOLDS);
  /* Not an object of ours; cancelled. */
  assert_false(hd_special_knows(hd_specs_find("lock")));
  assert_int_equal(ask("lock", NULL, 0, NULL, NULL), SPECIAL_NOT_FIT);
  int cancel = 1;
  options.cancel = &cancel;
  assert_int_equal(ask("queue", NULL, 0, &options, NULL), SPECIAL_STOPPED);
}

/* A register history that can be explained, but has very many configurations: at the return of one write each of
 * HARD others, whose values open reads wait for, may or may not have been there just before, and later reads wait for
 * them, too. */
enum
{
  HARD = 40,
};

static size_t
make_hard(hd_linear_op ops[4 * HARD])
{
  size_t n = 0;
  for (unsigned i = 0; i < HARD; i++)
  {
    ops[n++] = (hd_linear_op){.method = 1, .args[0] = hd_int(i), .start = 1 + i, .end = 9000 + i};
    ops[n++] = (hd_linear_op){.method = 1, .args[0] = hd_int(i), .start = 8000 + i, .end = 9500 + i};
    ops[n++] = (hd_linear_op){.method = 0, .ret = hd_int(i), .start = 100 + i, .end = 7000 + 2 * i};
    ops[n++] = (hd_linear_op){.method = 0, .ret = hd_int(i), .start = 300 + i, .end = 7001 + 2 * i};
  }
  ops[1] = (hd_linear_op){.method = 1, .args[0] = hd_int(999), .start = 200, .end = 250};
  for (size_t i = 0; i < n; i++)
    ops[i].id = i;
  return n;
}

static const row too_few[] = {{"push", 1, 0, 1, 2, NIL},
                              {"push", 2, 0, 3, 4, NIL},
                              {"pop", 0, 0, 5, 0, NIL},
                              {"pop", 0, 0, 6, 0, NIL},
                              {"pop", 0, 0, 7, 8, NIL}};

/* Far too little for the searches: unknown, not a guess. */
static void
test_limit(void **state)
{
  (void) state;
  special_options options = {.max_steps = 1};
  assert_int_equal(ask("stack", too_few, 5, &options, NULL), SPECIAL_STOPPED);
  assert_int_equal(ask("stack", too_few, 5, NULL, NULL), SPECIAL_HOLDS);
  hd_linear_op ops[4 * HARD];
  size_t n = make_hard(ops);
  const hd_spec *spec = hd_specs_find("register");
  assert_int_equal(hd_special_decide(spec, ops, n, &options, NULL), SPECIAL_STOPPED);
  options = (special_options){.max_configurations = 1000};
  assert_int_equal(hd_special_decide(spec, ops, n, &options, NULL), SPECIAL_STOPPED);
}

/* ---- cancelling ---- */

static int cancelled;

static void *
cancel(void *begun)
{
  while (!__atomic_load_n((int *) begun, __ATOMIC_ACQUIRE)) /* acquire: pairs with the release in test_cancel() */
    sched_yield();
  __atomic_store_n(&cancelled, 1, __ATOMIC_RELAXED);
  return NULL;
}

static void
test_cancel(void **state)
{
  (void) state;
  special_options options = {.cancel = &cancelled};
  /* From the beginning, whatever the object. */
  cancelled = 1;
  for (flavour f = 0; f < FLAVOURS; f++)
  {
    history h;
    history_plan plan = {.flavour = f, .n = 1000, .clients = 4, .inserts = 50, .amount = 1, .values = 10};
    uint64_t random = 5;
    history_simulate(&h, &plan, &random);
    assert_int_equal(hd_special_decide(h.spec, h.ops, h.n, &options, NULL), SPECIAL_STOPPED);
    history_free(&h);
  }
  /* In the middle of a search that would take years. */
  hd_linear_op ops[4 * HARD];
  size_t n = make_hard(ops);
  options.max_steps = UINT64_MAX / 2;
  options.max_configurations = 1 << 20;
  int begun = 0;
  pthread_t thread;
  cancelled = 0;
  assert_int_equal(pthread_create(&thread, NULL, cancel, &begun), 0);
  __atomic_store_n(&begun, 1, __ATOMIC_RELEASE); /* pairs with the acquire in cancel() */
  assert_int_equal(hd_special_decide(hd_specs_find("register"), ops, n, &options, NULL), SPECIAL_STOPPED);
  pthread_join(thread, NULL);
}

/* ---- growth ---- */

/* Steps for N operations of a right history, with a few pending ones where that is decided in one go. */
static uint64_t
steps_for(flavour f, size_t n, unsigned spread)
{
  uint64_t random = 42 + n, steps = 0;
  bool pending = f != FLAVOUR_STACK && f != FLAVOUR_PQUEUE;
  history_plan plan = {.flavour = f,
                       .n = n,
                       .clients = 16,
                       .pending = pending ? 1 : 0,
                       .inserts = 50,
                       .spread = spread,
                       .amount = 1,
                       .values = f == FLAVOUR_REPEATED ? 10 : 0};
  history h;
  history_simulate(&h, &plan, &random);
  for (size_t i = 0; i < h.n && f == FLAVOUR_CAS; i++) /* one cas in a hundred fails: not fit */
    h.ops[i].pending |= h.ops[i].method == 2 && h.ops[i].ret.u == 0;
  for (size_t i = 0; i < h.n && f == FLAVOUR_KEY; i++) /* nor is del → true */
    if (h.ops[i].method == 3 && h.ops[i].ret.u == 1)
      h.ops[i].ret = hd_nil();
  special_options options = {.config = h.config, .nconfig = h.nconfig, .steps = &steps};
  hd_linear_violation why = {0};
  special_answer answer = hd_special_decide(h.spec, h.ops, h.n, &options, &why);
  if (answer != SPECIAL_HOLDS)
    print_message("%s: answer %d: %s\n", flavour_names[f], (int) answer, why.sentence);
  assert_int_equal(answer, SPECIAL_HOLDS);
  history_free(&h);
  return steps;
}

static void
test_growth(void **state)
{
  (void) state;
  const size_t small = 1 << 12, large = 1 << 16;
  for (flavour f = 0; f < FLAVOURS; f++)
    for (unsigned spread = 0; spread < 2; spread++)
    {
      double a = (double) steps_for(f, small, spread) / (double) small;
      double b = (double) steps_for(f, large, spread) / (double) large;
      /* Linear; for the stack with a logarithm, which has grown by a third. */
      /* With values that repeat it depends on the history, and on how many pending writes there are. */
      assert_true(b <= a * (f == FLAVOUR_REPEATED ? 2 : f == FLAVOUR_STACK ? 1.5 : 1.2) + 1);
      assert_true(b <= (f == FLAVOUR_STACK ? 200 : 60));
    }
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_patterns), cmocka_unit_test(test_repeated), cmocka_unit_test(test_key),
      cmocka_unit_test(test_pitfalls), cmocka_unit_test(test_limit),    cmocka_unit_test(test_cancel),
      cmocka_unit_test(test_growth),   cmocka_unit_test(test_random),   cmocka_unit_test(test_long),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
