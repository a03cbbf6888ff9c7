/* test_special.c: the special algorithms on chosen cases: the patterns that they name, and cases in which an obvious
 * rule is wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "linear/special.h"
#include "specs/specs.h"

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

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_patterns),
      cmocka_unit_test(test_repeated),
      cmocka_unit_test(test_key),
      cmocka_unit_test(test_pitfalls),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
