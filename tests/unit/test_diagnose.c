/* test_diagnose.c: whose fault it is, which annotation, and the smallest reason (docs/rules.md, section 6): on scripts
 * with a known answer, and on random logs against all orders tried by brute force.
 *
 * HEDDLE_CASES=n   how many random cases (default 220000)
 * HEDDLE_SEED=n    only the case with this number */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "oracle/cases.h"
#include "script/brute.h"
#include "script/expect.h"
#include "settings.h"

static subject multiset, queue, stack, reg, counter;

static int
set_up(void **state)
{
  subjects_begin(state);
  multiset = subject_of(MODEL_MULTISET, SPEC_NO_VIEW);
  queue = subject_of(MODEL_QUEUE, SPEC_NO_VIEW);
  stack = subject_of(MODEL_STACK, SPEC_NO_VIEW);
  reg = subject_of(MODEL_REGISTER, SPEC_NO_VIEW);
  counter = subject_of(MODEL_COUNTER, SPEC_NO_VIEW);
  return 0;
}

/* A number list of lines; the operations that explain the finding were called there, and no others. */
static void
explained_by(script_answer *a, const char *text, const unsigned *lines, size_t n)
{
  size_t explains = 0;
  for (size_t i = 0; i < a->finding->nops; i++)
    explains += a->finding->ops[i].explains;
  bool good = a->finding->explanation_minimal && explains == n;
  for (size_t i = 0; i < n; i++)
  {
    const hd_op_info *o = script_op(a, lines[i]);
    good = good && o && o->explains;
  }
  expect(a, text, good);
}

static void
blamed(script_answer *a, const char *text, hd_blame blame)
{
  expect(a, text, a->finding->blame == blame);
}

/* The only repair is to widen the commit of the operation that was called in LINE. */
static void
repaired_by(script_answer *a, const char *text, unsigned line, const char *suggestion)
{
  const hd_op_info *o = script_op(a, line);
  expect(a, text, a->finding->nrepairs == 1 && (!o || a->finding->repairs[0] == o->number));
  expect(a, text, has_parts(a->finding->suggestion, suggestion));
}

/* ---- the annotation is wrong ---- */

/* A reader without a lock sees the new value before the writer has logged its commit. */
static void
test_register_exact(void **state)
{
  (void) state;
  static const char text[] = "T1 call write 5\n"
                             "%s"
                             "T3 call write 3\n" /* a tick: T1 had called before T2 returned, that is sure */
                             "T3 commit\n"
                             "T3 return\n"
                             "T2 call read\n"
                             "T2 return 5\n"
                             "T1 commit\n"
                             "T1 return\n";
  char script[400];
  snprintf(script, sizeof script, text, "");
  script_answer a = violation(&reg, script, HD_FOUND_OBSERVER, 5, "read() = 5 (thread 2, returned at script:6)");
  blamed(&a, script, HD_BLAME_ANNOTATION);
  repaired_by(&a, script, 1,
              "write(5) (thread 1) took effect before its commit at script:7 (tick 1): open a window (HD_WINDOW) "
              "before its effect");
  explained_by(&a, script, (unsigned[]){5}, 1);
  script_done(&a);
  snprintf(script, sizeof script, text, "T1 window\n");
  holds(&reg, script);
}

/* A CAS stack: the order of the commits is not that of the exchanges. */
static void
test_stack_exact(void **state)
{
  (void) state;
  static const char text[] = "T1 call push 1\n"
                             "%s"
                             "T2 call push 2\n"
                             "T2 commit\n"
                             "T2 return\n"
                             "T1 commit\n"
                             "T1 return\n"
                             "T3 call pop\n"
                             "T3 commit\n"
                             "T3 return 2\n";
  char script[400];
  snprintf(script, sizeof script, text, "");
  script_answer a = violation(&stack, script, HD_FOUND_COMMIT, 7, "pop() = 2 (thread 3, committed at script:8)");
  blamed(&a, script, HD_BLAME_ANNOTATION);
  expect(&a, script, a.finding->nrepairs == 1);
  expect(&a, script, has_parts(a.finding->suggestion, "push(1) (thread 1) took effect before its commit at script:5"));
  script_done(&a);
  snprintf(script, sizeof script, text, "T1 window\n");
  holds(&stack, script);
}

/* A commit that comes before the effect. */
static void
test_early_commit(void **state)
{
  (void) state;
  static const char script[] = "T1 call write 5\n"
                               "T1 commit\n"
                               "T2 call read\n"
                               "T2 return 0\n"
                               "T2 call swap 3\n"
                               "T2 commit\n"
                               "T2 return 0\n"
                               "T1 return\n";
  script_answer a = violation(&reg, script, HD_FOUND_OBSERVER, 3, "read() = 0");
  blamed(&a, script, HD_BLAME_ANNOTATION);
  repaired_by(&a, script, 1,
              "write(5) (thread 1) took effect after its commit at script:2 (tick 0): the commit comes "
              "too early");
  script_done(&a);
}

/* R11: x is in every state that exact commits allow, and LookUp says that it is not there. */
static void
test_delete_and_lookup(void **state)
{
  (void) state;
  static const char text[] = "T1 call insert 1\n"
                             "T1 commit\n"
                             "T1 return true\n"
                             "T1 %s delete 1\n"
                             "%s"
                             "T2 call lookup 1\n"
                             "T3 call insert 1\n"
                             "T3 commit\n"
                             "T3 return true\n"
                             "%s"
                             "T1 return true\n"
                             "T2 return false\n";
  char script[400];
  snprintf(script, sizeof script, text, "call", "", "T1 commit\n");
  script_answer a = violation(&multiset, script, HD_FOUND_OBSERVER, 5, "lookup(1) = false (thread 2");
  blamed(&a, script, HD_BLAME_ANNOTATION);
  repaired_by(&a, script, 4, "delete(1) = true (thread 1) took effect before its commit at script:9|HD_WINDOW");
  script_done(&a);
  snprintf(script, sizeof script, text, "call", "T1 window\n", "T1 commit\n");
  holds(&multiset, script);
  snprintf(script, sizeof script, text, "nocommit", "", "");
  holds(&multiset, script);
}

/* ---- the implementation is wrong ---- */

static void
test_lost_update(void **state)
{
  (void) state;
  static const char script[] = "T1 call inc\n"
                               "T1 commit\n"
                               "T1 return 1\n"
                               "T1 call get\n"
                               "T1 return 1\n"
                               "T1 call inc\n"
                               "T2 call inc\n"
                               "T1 commit\n"
                               "T2 commit\n"
                               "T1 return 2\n"
                               "T2 return 2\n";
  script_answer a = violation(&counter, script, HD_FOUND_COMMIT, 7, "inc() = 2 (thread 2|allows 3");
  blamed(&a, script, HD_BLAME_IMPLEMENTATION);
  /* Two increments returned 2; what came before does not matter. */
  explained_by(&a, script, (unsigned[]){6, 7}, 2);
  script_done(&a);
}

static void
test_double_dequeue(void **state)
{
  (void) state;
  static const char script[] = "T1 call enqueue 10\n"
                               "T1 commit\n"
                               "T1 return\n"
                               "T1 call enqueue 20\n"
                               "T1 commit\n"
                               "T1 return\n"
                               "T2 call dequeue\n"
                               "T3 call dequeue\n"
                               "T2 commit\n"
                               "T3 commit\n"
                               "T2 return 10\n"
                               "T3 return 10\n";
  script_answer a = violation(&queue, script, HD_FOUND_COMMIT, 8, "dequeue() = 10 (thread 3");
  blamed(&a, script, HD_BLAME_IMPLEMENTATION);
  explained_by(&a, script, (unsigned[]){7, 8}, 2);
  script_done(&a);
}

/* Paper 000, Fig. 6: two InsertPairs took the same slot, and an element is lost. */
static void
test_figure_6(void **state)
{
  (void) state;
  static const char script[] = "T1 call insert_pair 5 7\n"
                               "T2 call insert_pair 6 8\n"
                               "T1 commit\n"
                               "T1 return true\n"
                               "T2 commit\n"
                               "T2 return true\n"
                               "T3 call lookup 8\n"
                               "T3 return true\n"
                               "T3 call lookup 5\n"
                               "T3 return false\n";
  script_answer a = violation(&multiset, script, HD_FOUND_OBSERVER, 9, "lookup(5) = false (thread 3|expects true");
  blamed(&a, script, HD_BLAME_IMPLEMENTATION);
  explained_by(&a, script, (unsigned[]){1, 9}, 2);
  script_done(&a);
}

/* ---- the stamps cannot tell ---- */

static void
test_tie(void **state)
{
  (void) state;
  /* write(5) returned and read was called between the same two ticks: which came first? */
  static const char script[] = "T1 call write 5\n"
                               "T1 commit\n"
                               "T1 return\n"
                               "T2 call read\n"
                               "T2 return 0\n";
  script_answer a = violation(&reg, script, HD_FOUND_OBSERVER, 4, "read() = 0");
  blamed(&a, script, HD_BLAME_UNDECIDED);
  assert_true(has_parts(a.finding->why, "an order exists only if two operations overlapped|HD_CALL_NOCOMMIT"));
  script_done(&a);
  /* A tick between them, or the same thread: they did not overlap. */
  static const char decided[] = "T1 call write 5\n"
                                "T1 commit\n"
                                "T1 return\n"
                                "T3 call write 5\n"
                                "T3 commit\n"
                                "T2 call read\n"
                                "T2 return 0\n"
                                "T3 return\n";
  a = violation(&reg, decided, HD_FOUND_OBSERVER, 6, "read() = 0");
  blamed(&a, decided, HD_BLAME_IMPLEMENTATION);
  script_done(&a);
  static const char same[] = "T1 call write 5\nT1 commit\nT1 return\nT1 call read\nT1 return 0\n";
  a = violation(&reg, same, HD_FOUND_OBSERVER, 4, "read() = 0");
  blamed(&a, same, HD_BLAME_IMPLEMENTATION);
  script_done(&a);
}

/* ---- against brute force ---- */

enum
{
  DEFAULT_CASES = 220000, /* a tenth of them is violated by what an operation returned */
};

typedef struct tally
{
  unsigned judged, blame[4], explained, sizes, repairs;
} tally;

/* The operation of LOG that the finding's operation O is. */
static size_t
index_of(const script_answer *a, const brute_log *log, const hd_op_info *o)
{
  unsigned line = script_line(a, o->call_site);
  for (size_t i = 0; i < log->n; i++)
    if (log->ops[i].record + 1 == line)
      return i;
  fail_msg("the finding shows an operation that is not in the log");
  return 0;
}

/* What is wrong with the diagnosis A of LOG, or NULL. */
static const char *
examine(const script_answer *a, const brute_log *log, tally *c)
{
  const hd_finding *f = a->finding;
  const hd_op_info *failing = script_failing(a);
  if (!failing)
    return "no operation fails, or more than one";
  brute_question q = {.until = f->position, .wide = UINT32_MAX};
  if (failing->returned && failing->end > q.until)
    q.until = failing->end;
  c->judged++;
  c->blame[f->blame]++;
  bool strict = brute_order_exists(log, &q);
  q.ties = true;
  bool lenient = brute_order_exists(log, &q);
  if ((f->blame == HD_BLAME_IMPLEMENTATION) != !lenient)
    return lenient ? "the implementation is blamed, but an order exists"
                   : "no order exists, but the implementation is "
                     "not blamed";
  if (f->blame == HD_BLAME_ANNOTATION && !strict)
    return "the annotation is blamed, but an order exists only if a tie is inverted, or none";

  uint32_t explains = 0, repairs = 0;
  for (size_t i = 0; i < f->nops; i++)
    if (f->ops[i].explains)
      explains |= 1u << index_of(a, log, &f->ops[i]);
  if (f->explanation_minimal)
  {
    uint32_t without = explains & ~(1u << index_of(a, log, failing));
    c->explained++;
    c->sizes += (unsigned) __builtin_popcount(explains);
    q.wide = f->blame == HD_BLAME_IMPLEMENTATION ? UINT32_MAX : 0;
    q.forgiven = ~explains;
    if (brute_order_exists(log, &q))
      return "what is called the explanation explains nothing: with the others forgiven there is an order";
    for (uint32_t rest = without; rest; rest &= rest - 1)
    {
      q.forgiven = ~explains | (rest & -rest);
      if (!brute_order_exists(log, &q))
        return "the explanation is not minimal";
    }
  }
  q.forgiven = 0;
  for (size_t i = 0; i < f->nrepairs; i++)
    for (size_t k = 0; k < f->nops; k++)
      if (f->ops[k].number == f->repairs[i])
        repairs |= 1u << index_of(a, log, &f->ops[k]);
  if (f->nrepairs && (unsigned) __builtin_popcount(repairs) == f->nrepairs)
  {
    c->repairs++;
    q.wide = repairs;
    if (!brute_order_exists(log, &q))
      return "the repair repairs nothing";
  }
  return NULL;
}

static bool
one_case(uint64_t seed, tally *c)
{
  static trace t;
  static brute_log log;
  case_make(&t, seed);
  t.views = false;
  t.outcomes = true;
  if (strcmp(t.family, "misused") == 0 || strcmp(t.family, "tick missing") == 0 || !brute_read(&log, &t)
      || feed_check(&t, &(feed_plan){.options.no_diagnosis = true}).verdict != HD_VIOLATED)
    return true;
  hd_string text = {0};
  brute_print_script(&text, &t);
  subject s = subject_of(t.kind, SPEC_NO_VIEW);
  script_answer a = judge(&s, text.text ? text.text : "");
  const char *wrong = NULL;
  hd_finding_kind kind = a.finding->kind;
  if (a.verdict == HD_VIOLATED && (kind == HD_FOUND_COMMIT || kind == HD_FOUND_OBSERVER || kind == HD_FOUND_ORDER))
    wrong = examine(&a, &log, c);
  if (wrong)
  {
    print_message("%s; make it again with HEDDLE_SEED=%llu\n", wrong, (unsigned long long) seed);
    show_answer(&a, text.text);
  }
  script_done(&a);
  hd_string_free(&text);
  return !wrong;
}

static void
test_random(void **state)
{
  (void) state;
  tally c = {0};
  unsigned wrong = 0;
  uint64_t only = setting("HEDDLE_SEED", UINT64_MAX), n = setting("HEDDLE_CASES", DEFAULT_CASES);
  if (only != UINT64_MAX)
  {
    assert_true(one_case(only, &c));
    return;
  }
  for (uint64_t seed = 0; seed < n && wrong < 5; seed++)
    wrong += !one_case(seed, &c);
  print_message("%u diagnoses: %u implementation, %u annotation, %u undecided; %u explanations of %.2f operations; %u "
                "repairs\n",
                c.judged, c.blame[HD_BLAME_IMPLEMENTATION], c.blame[HD_BLAME_ANNOTATION], c.blame[HD_BLAME_UNDECIDED],
                c.explained, c.explained ? (double) c.sizes / c.explained : 0, c.repairs);
  assert_int_equal(wrong, 0);
  /* No class may die out unnoticed. */
  assert_true(c.judged > n / 11);
  assert_true(c.blame[HD_BLAME_IMPLEMENTATION] > c.judged / 2);
  assert_true(c.blame[HD_BLAME_ANNOTATION] > c.judged / 10);
  assert_true(c.blame[HD_BLAME_UNDECIDED] > c.judged / 40);
  assert_true(c.explained > c.judged / 2);
}

int
main(void)
{
  char directory[] = "/tmp/heddle-diagnose-XXXXXX";
  if (!mkdtemp(directory))
    return 1;
  feed_start(directory);
#define T(name) cmocka_unit_test_setup_teardown(test_##name, set_up, subjects_end)
  const struct CMUnitTest tests[] = {
      T(register_exact), T(stack_exact), T(early_commit), T(delete_and_lookup), T(lost_update), T(double_dequeue),
      T(figure_6),       T(tie),         T(random),
  };
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  feed_stop();
  rmdir(directory);
  return failed;
}
