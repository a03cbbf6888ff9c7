/* test_refine.c: the rules of the check, each as a short script: exact commits, observers, mutators without a commit,
 * wrong annotations, nesting, many threads. Commit windows and what never returned: test_refine_windows.c; views and
 * blocks: test_refine_views.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../../specs/specs.h"
#include "script/expect.h"

static subject multiset, queue, stack, counter;

static int
set_up(void **state)
{
  subjects_begin(state);
  multiset = subject_of(MODEL_MULTISET, SPEC_NO_VIEW);
  queue = subject_of(MODEL_QUEUE, SPEC_NO_VIEW);
  stack = subject_of(MODEL_STACK, SPEC_NO_VIEW);
  counter = subject_of(MODEL_COUNTER, SPEC_NO_VIEW);
  return 0;
}

/* ---- exact commits ---- */

/* The witness is the order of commits, not of calls or returns. */
static void
test_commit_order(void **state)
{
  (void) state;
  holds(&queue, "T1 call enqueue 1\n"
                "T2 call enqueue 2\n"
                "T2 commit\n"
                "T1 commit\n"
                "T1 return\n"
                "T2 return\n"
                "T1 call dequeue\n"
                "T1 commit\n"
                "T1 return 2\n");
  violated(&queue,
           "T1 call enqueue 1\n"
           "T2 call enqueue 2\n"
           "T2 commit\n"
           "T1 commit\n"
           "T1 return\n"
           "T2 return\n"
           "T1 call dequeue\n"
           "T1 commit\n"
           "T1 return 1\n",
           HD_FOUND_COMMIT, 7, "dequeue() = 1 (thread 1, committed at script:8)|the specification allows 2");
}

/* The return value comes after the commit: the check waits for it. */
static void
test_look_ahead(void **state)
{
  (void) state;
  holds(&queue, "T1 call enqueue 7\n"
                "T1 commit\n"
                "T2 call dequeue\n"
                "T2 commit\n"
                "T3 call dequeue\n"
                "T3 commit\n"
                "T1 return\n"
                "T3 return nil\n"
                "T2 return 7\n");
  violated(&queue,
           "T1 call enqueue 7\n"
           "T1 commit\n"
           "T2 call dequeue\n"
           "T2 commit\n"
           "T3 call dequeue\n"
           "T3 commit\n"
           "T1 return\n"
           "T3 return 7\n"
           "T2 return nil\n",
           HD_FOUND_COMMIT, 3, "dequeue() (thread 2, committed at script:4)|the specification allows 7");
}

/* Fig. 7: an observer may claim any state between its call and its return, and no other. */
static void
test_observer_window(void **state)
{
  (void) state;
  static const char during[] = "T1 call insert 5\n"
                               "T2 call lookup 5\n"
                               "T1 commit\n"
                               "T1 return true\n"
                               "T1 call delete 5\n"
                               "T1 commit\n"
                               "T1 return true\n";
  char text[400];
  for (int found = 0; found < 2; found++)
  {
    snprintf(text, sizeof text, "%sT2 return %s\n", during, found ? "true" : "false");
    holds(&multiset, text);
  }
  violated(&multiset,
           "T1 call insert 5\n"
           "T1 commit\n"
           "T2 call lookup 5\n"
           "T3 call lookup 6\n"
           "T1 return true\n"
           "T1 call insert 6\n"
           "T1 commit\n"
           "T1 return true\n"
           "T3 return true\n"
           "T2 return false\n",
           HD_FOUND_OBSERVER, 3, "lookup(5) = false (thread 2, returned at script:10)|expects true");
  /* The effect came before the call, or after the return. */
  violated(&multiset,
           "T1 call insert 5\n"
           "T2 call lookup 5\n"
           "T2 return true\n"
           "T1 commit\n"
           "T1 return true\n",
           HD_FOUND_OBSERVER, 2, "lookup(5) = true (thread 2, returned at script:3)|expects false");
  violated(&multiset,
           "T1 call insert 5\n"
           "T1 commit\n"
           "T1 return true\n"
           "T1 call delete 5\n"
           "T1 commit\n"
           "T2 call lookup 5\n"
           "T2 return true\n",
           HD_FOUND_OBSERVER, 6, "lookup(5) = true");
}

/* An observer whose window holds a hundred states. */
static void
test_long_observer(void **state)
{
  (void) state;
  hd_string text = {0};
  hd_string_add(&text, "T2 call get\n");
  for (int i = 1; i <= 100; i++)
    hd_string_printf(&text, "T1 call inc\nT1 commit\nT1 return %d\n", i);
  size_t end = text.length;
  for (int get = -1; get <= 101; get += get == 2 ? 97 : 1)
  {
    text.length = end;
    hd_string_printf(&text, "T2 return %d\n", get);
    if (get >= 0 && get <= 100)
      holds(&counter, text.text);
    else
      violated(&counter, text.text, HD_FOUND_OBSERVER, 1, "get() = ");
  }
  hd_string_free(&text);
}

/* Nondeterministic, but not once the return value is known. */
static void
test_insert_pair_may_fail(void **state)
{
  (void) state;
  holds(&multiset, "T1 call insert_pair 5 7\n"
                   "T1 return false\n"
                   "T1 call lookup 5\n"
                   "T1 return false\n"
                   "T1 call insert_pair 5 7\n"
                   "T1 commit\n"
                   "T1 return true\n"
                   "T1 call lookup 7\n"
                   "T1 return true\n"
                   "T1 call insert_pair 1 2\n"
                   "T1 commit\n"
                   "T1 return false\n"
                   "T1 call lookup 1\n"
                   "T1 return false\n");
  violated(&multiset,
           "T1 call insert_pair 5 7\n"
           "T1 commit\n"
           "T1 return true\n"
           "T1 call lookup 7\n"
           "T1 return false\n",
           HD_FOUND_OBSERVER, 4, "lookup(7) = false|expects true");
}

static void
test_exceptions(void **state)
{
  (void) state;
  holds(&stack, "T1 call pop\n"
                "T1 raise 7\n"
                "T1 call push 3\n"
                "T1 commit\n"
                "T1 return\n"
                "T1 call pop\n"
                "T1 commit\n"
                "T1 return 3\n"
                "T1 call pop\n"
                "T1 commit raise 7\n"
                "T1 raise 7\n");
  violated(&stack,
           "T1 call push 3\n"
           "T1 commit\n"
           "T1 return\n"
           "T1 call pop\n"
           "T1 raise 7\n",
           HD_FOUND_OBSERVER, 4, "pop() raised 7 (thread 1, returned at script:5)");
  /* An exception is not the return of the same value, and may be of any type. */
  violated(&multiset, "T1 call insert 1\nT1 raise 1\n", HD_FOUND_OBSERVER, 1, "insert(1) raised 1");
  violated(&multiset, "T1 call insert 1\nT1 commit\nT1 raise \"no room\"\n", HD_FOUND_COMMIT, 1,
           "insert(1) raised \"no room\" (thread 1, committed at script:2)");
}

/* The return value in the commit's record: no look-ahead. */
static void
test_commit_with_return(void **state)
{
  (void) state;
  holds(&queue, "T1 call enqueue 1\n"
                "T1 commit ret nil\n"
                "T1 return\n"
                "T1 call dequeue\n"
                "T1 commit ret 1\n"
                "T1 return 1\n");
  violated(&queue,
           "T1 call enqueue 1\n"
           "T1 commit\n"
           "T1 return\n"
           "T1 call dequeue\n"
           "T1 commit ret 2\n",
           HD_FOUND_COMMIT, 4, "dequeue() = 2 (thread 1, committed at script:5)|allows 1");
  violated(&queue,
           "T1 call enqueue 1\n"
           "T1 commit\n"
           "T1 return\n"
           "T1 call dequeue\n"
           "T1 commit ret 1\n"
           "T1 return 2\n",
           HD_FOUND_ANNOTATION, 4,
           "wrong annotation at script:6: the return value is not the one that the commit of dequeue() = 1");
  violated(&queue,
           "T1 call dequeue\n"
           "T1 commit ret nil\n"
           "T1 raise nil\n",
           HD_FOUND_ANNOTATION, 1, "script:3: the return value is not the one");
}

/* ---- mutators without a commit ---- */

static void
test_uncommitted(void **state)
{
  (void) state;
  /* Nothing changed: judged as an observer over the whole call. */
  holds(&stack, "T1 call pop\n"
                "T2 call push 1\n"
                "T2 commit\n"
                "T2 return\n"
                "T1 return nil\n");
  violated(&stack,
           "T2 call push 1\n"
           "T2 commit\n"
           "T1 call pop\n"
           "T2 return\n"
           "T1 return nil\n",
           HD_FOUND_OBSERVER, 3,
           "pop() (thread 1, returned at script:5): no state between its call and its return allows that");
  /* The return value says that something changed. */
  script_answer a
      = violation(&multiset,
                  "T1 call insert 5\n"
                  "T1 return true\n",
                  HD_FOUND_ANNOTATION, 1, "missing commit: insert(5) = true (thread 1, returned at script:2)");
  assert_int_equal(a.finding->blame, HD_BLAME_ANNOTATION);
  assert_true(has_parts(a.finding->suggestion, "HD_COMMIT|HD_CALL_NOCOMMIT"));
  script_done(&a);
  violated(&stack,
           "T1 call push 1\n"
           "T1 commit\n"
           "T1 return\n"
           "T2 call pop\n"
           "T2 return 1\n",
           HD_FOUND_ANNOTATION, 4, "missing commit: pop() = 1 (thread 2");
}

static void
test_second_commit(void **state)
{
  (void) state;
  script_answer a = violation(&multiset,
                              "T1 call insert 5\n"
                              "T1 commit\n"
                              "T1 commit\n"
                              "T1 return true\n",
                              HD_FOUND_ANNOTATION, 1,
                              "wrong annotation at script:3: insert(5)|(thread 1) commits a second time; it had "
                              "committed at script:2");
  assert_int_equal(a.finding->blame, HD_BLAME_ANNOTATION);
  assert_true(has_parts(a.finding->suggestion, "HD_COMMIT_IF"));
  assert_int_equal(script_line(&a, a.finding->site), 3);
  script_done(&a);
}

/* What the runtime refuses it logs, and the check tells. */
static void
test_misuse(void **state)
{
  (void) state;
  static const struct
  {
    const char *code, *headline;
  } cases[] = {
      {"other-object", "the innermost open operation of the thread is not on this object, or the thread has none"},
      {"nested-block", "a commit block begins inside a commit block"},
      {"no-block", "a commit block ends that was not begun"},
      {"open-block", "the operation returns inside its commit block"},
      {"second-commit", "the operation commits a second time"},
      {"window-after-commit", "a commit window opens after the commit"},
      {"internal", "an internal task neither commits nor returns"},
      {"too-deep", "too many operations are open in one thread"},
      {"nocommit", "a commit window inside an operation that was called with HD_CALL_NOCOMMIT"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
  {
    char text[200], headline[200];
    snprintf(text, sizeof text, "T3 call insert 1\nT3 misuse %s\nT3 commit\nT3 return true\n", cases[i].code);
    snprintf(headline, sizeof headline, "wrong annotation at script:2: %s|(thread 3, in insert(1))", cases[i].headline);
    violated(&multiset, text, HD_FOUND_ANNOTATION, 1, headline);
    snprintf(text, sizeof text, "T3 misuse %s\n", cases[i].code);
    snprintf(headline, sizeof headline, "wrong annotation at script:1: %s|(thread 3, in no operation)",
             cases[i].headline);
    violated(&multiset, text, HD_FOUND_ANNOTATION, 0, headline);
  }
  /* What came before it in the order of ticks is judged first. */
  violated(&multiset,
           "T1 call lookup 1\n"
           "T1 return true\n"
           "T2 call insert 1\n"
           "T2 commit\n"
           "T2 misuse second-commit\n"
           "T2 return true\n",
           HD_FOUND_OBSERVER, 1, "lookup(1) = true");
}

/* ---- nesting ---- */

/* Two objects with a clock each; what is called inside may be on another one. */
static void
test_nested_objects(void **state)
{
  (void) state;
  holds(&queue, "object A queue\n"
                "object B queue\n"
                "T1.A call enqueue 1\n"
                "T1.B call enqueue 2\n"
                "T2.B call dequeue\n"
                "T1.B commit\n"
                "T2.B commit\n"
                "T1.B return\n"
                "T1.A commit\n"
                "T1.A return\n"
                "T2.B return 2\n"
                "T2.A call dequeue\n"
                "T2.A commit\n"
                "T2.A return 1\n");
  script_answer a = judge(&queue, "object A queue\n"
                                  "object B queue\n"
                                  "T1.A call enqueue 1\n"
                                  "T1.B call dequeue\n"
                                  "T1.B commit\n"
                                  "T1.B return 1\n"
                                  "T1.A commit\n"
                                  "T1.A return\n");
  assert_int_equal(a.verdict, HD_VIOLATED);
  assert_int_equal(a.nresults, 2);
  assert_int_equal(a.results[0]->verdict, HD_HOLDS);
  assert_int_equal(a.results[1]->finding.kind, HD_FOUND_COMMIT);
  assert_string_equal(a.results[1]->object, "B");
  script_done(&a);
}

/* Paper 000, section 3.2: an operation inside another on the same object, by the same thread. */
static void
test_recursion(void **state)
{
  (void) state;
  holds(&queue, "T1 call enqueue 1\n"
                "T1 call enqueue 2\n"
                "T1 commit\n"
                "T1 return\n"
                "T1 commit\n"
                "T1 call peek\n"
                "T1 return 2\n"
                "T1 return\n"
                "T1 call dequeue\n"
                "T1 commit\n"
                "T1 return 2\n");
  violated(&queue,
           "T1 call enqueue 1\n"
           "T1 call enqueue 2\n"
           "T1 commit\n"
           "T1 return\n"
           "T1 commit\n"
           "T1 call peek\n"
           "T1 return 1\n"
           "T1 return\n",
           HD_FOUND_OBSERVER, 6, "peek() = 1 (thread 1, returned at script:7)");
  /* Both over their whole length: the inner one lies inside the outer one, either way round. */
  holds(&queue, "T1 nocommit enqueue 1\n"
                "T1 nocommit enqueue 2\n"
                "T1 return\n"
                "T1 return\n"
                "T1 call dequeue\n"
                "T1 commit\n"
                "T1 return 1\n"
                "T1 call dequeue\n"
                "T1 commit\n"
                "T1 return 2\n");
}

/* ---- many threads; the counter of the models counts to 127 only ---- */

static subject
big_counter(void)
{
  return (subject){.spec = hd_specs_find("counter"), .config = hd_int(0)};
}

static void
test_many_threads(void **state)
{
  (void) state;
  hd_string text = {0};
  for (int i = 1; i <= 3000; i++)
    hd_string_printf(&text, "T%d call inc\nT%d commit\nT%d return %d\nT%d call get\nT%d return %d\n", i, i, i, i, i, i,
                     i == 2999 ? 2998 : i);
  subject big = big_counter();
  script_answer a
      = violation(&big, text.text, HD_FOUND_OBSERVER, 5 * 2998 + 4, "get() = 2998 (thread 2999|expects 2999");
  assert_int_equal(a.result->stats.observers, 2998);
  assert_int_equal(a.result->stats.open_peak, 1);
  script_done(&a);
  hd_string_free(&text);
}

/* All of them open at once. */
static void
test_many_open(void **state)
{
  (void) state;
  hd_string text = {0};
  for (int i = 1; i <= 2000; i++)
    hd_string_printf(&text, "T%d call inc\n", i);
  for (int i = 1; i <= 2000; i++)
    hd_string_printf(&text, "T%d commit\n", 2001 - i);
  for (int i = 1; i <= 2000; i++)
    hd_string_printf(&text, "T%d return %d\n", i, 2001 - i);
  subject big = big_counter();
  holds(&big, text.text);
  hd_string_free(&text);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(test_##name, set_up, subjects_end)
  const struct CMUnitTest tests[] = {
      T(commit_order),   T(look_ahead),         T(observer_window), T(long_observer), T(insert_pair_may_fail),
      T(exceptions),     T(commit_with_return), T(uncommitted),     T(second_commit), T(misuse),
      T(nested_objects), T(recursion),          T(many_threads),    T(many_open),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
