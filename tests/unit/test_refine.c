/* test_refine.c: the rules of the check, each as a short script: I/O refinement, windows, operations that never
 * returned, wrong annotations. Views and blocks: test_refine_views.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../../specs/specs.h"
#include "script/expect.h"

static subject multiset, queue, stack, reg, counter;

static int
set_up(void **state)
{
  (void) state;
  specs_alive = 0; /* whatever a test that failed left behind */
  multiset = subject_of(MODEL_MULTISET, SPEC_NO_VIEW);
  queue = subject_of(MODEL_QUEUE, SPEC_NO_VIEW);
  stack = subject_of(MODEL_STACK, SPEC_NO_VIEW);
  reg = subject_of(MODEL_REGISTER, SPEC_NO_VIEW);
  counter = subject_of(MODEL_COUNTER, SPEC_NO_VIEW);
  return 0;
}

static int
tear_down(void **state)
{
  (void) state;
  assert_int_equal(specs_alive, 0);
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
           HD_FOUND_OBSERVER, 3, "pop() (thread 1, returned at script:5): no state between its call and its return allows that");
  /* The return value says that something changed. */
  script_answer a = violation(&multiset,
                              "T1 call insert 5\n"
                              "T1 return true\n",
                              HD_FOUND_ANNOTATION, 1,
                              "missing commit: insert(5) = true (thread 1, returned at script:2)");
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
    snprintf(headline, sizeof headline, "wrong annotation at script:2: %s|(thread 3, in insert(1))",
             cases[i].headline);
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

/* ---- windows ---- */

static void
test_window(void **state)
{
  (void) state;
  /* It took effect somewhere between: before or after the read. */
  for (int read = 0; read < 2; read++)
  {
    char text[200];
    snprintf(text, sizeof text,
             "T1 call write 1\n"
             "T1 window\n"
             "T2 call read\n"
             "T2 return %d\n"
             "T1 commit\n"
             "T1 return\n",
             read);
    holds(&reg, text);
  }
  violated(&reg,
           "T1 call write 1\n"
           "T1 window\n"
           "T2 call read\n"
           "T2 return 2\n"
           "T1 commit\n"
           "T1 return\n",
           HD_FOUND_OBSERVER, 3, "read() = 2 (thread 2, returned at script:4)");
  /* Not before the window, not after it. */
  violated(&reg,
           "T1 call write 1\n"
           "T2 call read\n"
           "T2 return 1\n"
           "T1 window\n"
           "T1 commit\n"
           "T1 return\n",
           HD_FOUND_OBSERVER, 2, "read() = 1");
  violated(&reg,
           "T1 call write 1\n"
           "T1 window\n"
           "T1 commit\n"
           "T2 call read\n"
           "T2 return 0\n"
           "T1 return\n",
           HD_FOUND_OBSERVER, 4, "read() = 0");
}

/* R1: new value, then old value, between two ticks; the return of the first read must tick. */
static void
test_inverted_reads(void **state)
{
  (void) state;
  violated(&reg,
           "T1 call write 1\n"
           "T1 window\n"
           "T2 call read\n"
           "T2 return 1\n"
           "T3 call read\n"
           "T3 return 0\n"
           "T1 commit\n"
           "T1 return\n",
           HD_FOUND_OBSERVER, 5, "read() = 0 (thread 3, returned at script:6)");
  holds(&reg, "T1 call write 1\n"
              "T1 window\n"
              "T2 call read\n"
              "T3 call read\n"
              "T2 return 1\n"
              "T3 return 0\n"
              "T1 commit\n"
              "T1 return\n");
}

/* Overlapping windows: any order, but one. */
static void
test_two_windows(void **state)
{
  (void) state;
  static const char both[] = "T1 call push 1\n"
                             "T2 call push 2\n"
                             "T1 window\n"
                             "T2 window\n"
                             "T1 commit\n"
                             "T2 commit\n"
                             "T1 return\n"
                             "T2 return\n"
                             "T1 call pop\n"
                             "T1 commit\n"
                             "T1 return %d\n"
                             "T1 call pop\n"
                             "T1 commit\n"
                             "T1 return %d\n";
  char text[400];
  snprintf(text, sizeof text, both, 1, 2);
  holds(&stack, text);
  snprintf(text, sizeof text, both, 2, 1);
  holds(&stack, text);
  snprintf(text, sizeof text, both, 1, 1);
  violated(&stack, text, HD_FOUND_COMMIT, 12, "pop() = 1 (thread 1, committed at script:13)");
  /* One after the other: not any order. */
  violated(&stack,
           "T1 call push 1\n"
           "T1 window\n"
           "T1 commit\n"
           "T1 return\n"
           "T2 call push 2\n"
           "T2 window\n"
           "T2 commit\n"
           "T2 return\n"
           "T1 call pop\n"
           "T1 window\n"
           "T1 commit\n"
           "T1 return 1\n",
           HD_FOUND_ORDER, 9, "pop() = 1 (thread 1, script:11): no order of the operations whose windows overlap");
}

/* R3: a return without a commit cancels the window; a second window replaces the first. */
static void
test_cancelled_and_replaced(void **state)
{
  (void) state;
  holds(&reg, "T1 call cas 1 2\n"
              "T1 window\n"
              "T1 return false\n"
              "T2 call read\n"
              "T2 return 0\n");
  violated(&reg,
           "T1 call cas 1 2\n"
           "T1 window\n"
           "T1 return false\n"
           "T2 call read\n"
           "T2 return 2\n",
           HD_FOUND_OBSERVER, 4, "read() = 2");
  violated(&reg,
           "T1 call cas 0 2\n"
           "T1 window\n"
           "T1 return true\n",
           HD_FOUND_ANNOTATION, 1, "missing commit: cas(0, 2) = true (thread 1, returned at script:3)");
  /* Between the windows it cannot have taken effect. */
  static const char replaced[] = "T1 call write 1\n"
                                 "T1 window\n"
                                 "T2 call read\n"
                                 "T2 return %d\n"
                                 "T1 window\n"
                                 "T2 call read\n"
                                 "T2 return %d\n"
                                 "T1 commit\n"
                                 "T1 return\n";
  char text[400];
  snprintf(text, sizeof text, replaced, 0, 1);
  holds(&reg, text);
  snprintf(text, sizeof text, replaced, 1, 1);
  violated(&reg, text, HD_FOUND_OBSERVER, 3, "read() = 1 (thread 2, returned at script:4)");
}

static void
test_nocommit(void **state)
{
  (void) state;
  holds(&stack, "T1 nocommit push 1\n"
                "T2 nocommit pop\n"
                "T2 return 1\n"
                "T1 return\n");
  holds(&stack, "T1 nocommit push 1\n"
                "T2 nocommit pop\n"
                "T2 return nil\n"
                "T1 return\n");
  violated(&stack,
           "T1 nocommit push 1\n"
           "T1 return\n"
           "T2 nocommit pop\n"
           "T2 return nil\n",
           HD_FOUND_ORDER, 3, "pop() (thread 2, script:4): no order");
  violated(&stack,
           "T1 nocommit push 1\n"
           "T2 nocommit pop\n"
           "T3 nocommit pop\n"
           "T1 return\n"
           "T2 return 1\n"
           "T3 return 1\n",
           HD_FOUND_ORDER, 3, "pop() = 1 (thread 3");
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

/* ---- operations that never returned ---- */

static void
test_pending(void **state)
{
  (void) state;
  /* An observer constrains nothing; an exact mutator that did not commit was seen by nobody. */
  holds(&reg, "T1 call read\n");
  holds(&reg, "T1 call write 1\nT2 call read\nT2 return 0\n");
  violated(&reg, "T1 call write 1\nT2 call read\nT2 return 1\n", HD_FOUND_OBSERVER, 2, "read() = 1");
  /* Committed: it took effect. */
  holds(&reg, "T1 call write 1\nT1 commit\nT2 call read\nT2 return 1\n");
  violated(&reg, "T1 call write 1\nT1 commit\nT2 call read\nT2 return 0\n", HD_FOUND_OBSERVER, 3, "read() = 0");
  /* With any return that is possible. */
  holds(&reg, "T1 call swap 1\nT1 commit\nT2 call read\nT2 return 1\n");
  violated(&reg, "T1 call cas 0 1\nT1 commit\nT2 call read\nT2 return 0\n", HD_FOUND_OBSERVER, 3, "read() = 0");
  holds(&reg, "T1 call swap 1\nT1 commit ret 0\nT2 call read\nT2 return 1\n");
  violated(&reg, "T1 call swap 1\nT1 commit ret 3\nT2 call read\nT2 return 1\n", HD_FOUND_COMMIT, 1, "swap(1) = 3");
  /* A window or no annotation: at any later place, or not at all. */
  static const char *const open[] = {"T1 call write 1\nT1 window\n", "T1 nocommit write 1\n"};
  for (int i = 0; i < 2; i++)
  {
    char text[400];
    snprintf(text, sizeof text, "%sT2 call read\nT2 return 0\nT2 call read\nT2 return 1\nT2 call read\nT2 return 1\n",
             open[i]);
    holds(&reg, text);
    snprintf(text, sizeof text, "%sT2 call read\nT2 return 1\nT3 call read\nT3 return 0\n", open[i]);
    violated(&reg, text, HD_FOUND_OBSERVER, i ? 4 : 5, "read() = 0 (thread 3");
    snprintf(text, sizeof text, "%sT2 call read\nT2 return 2\n", open[i]);
    violated(&reg, text, HD_FOUND_OBSERVER, i ? 2 : 3, "read() = 2");
  }
}

/* HD_ABANDON: the same, and the thread goes on. */
static void
test_abandoned(void **state)
{
  (void) state;
  holds(&reg, "T1 call write 1\nT1 abandon\nT1 call read\nT1 return 0\n");
  violated(&reg, "T1 call write 1\nT1 abandon\nT1 call read\nT1 return 1\n", HD_FOUND_OBSERVER, 3, "read() = 1");
  holds(&reg, "T1 call write 1\nT1 commit\nT1 abandon\nT1 call read\nT1 return 1\n");
  violated(&reg, "T1 call write 1\nT1 commit\nT1 abandon\nT1 call read\nT1 return 0\n", HD_FOUND_OBSERVER, 4,
           "read() = 0");
  holds(&reg, "T1 call write 1\nT1 window\nT1 abandon\nT1 call read\nT1 return 0\nT1 call read\nT1 return 1\n");
}

/* Without outcomes() nobody can say what a committed operation returned. */
static void
test_no_outcomes(void **state)
{
  (void) state;
  subject poor = subject_of(MODEL_REGISTER, SPEC_NO_VIEW | SPEC_NO_OUTCOMES);
  incomplete(&poor, "T1 call swap 1\nT1 commit\nT2 call read\nT2 return 1\n",
             "swap by thread 1 committed at tick 0 and never returned|no outcomes()");
  incomplete(&poor, "T1 call swap 1\nT1 window\nT1 commit\nT2 call read\nT2 return 1\n",
             "swap by thread 1 committed and never returned|no outcomes()");
  /* Judged up to there. */
  violated(&poor, "T2 call read\nT2 return 1\nT1 call swap 1\nT1 commit\n", HD_FOUND_OBSERVER, 1, "read() = 1");
  /* Booleans and nothing need no outcomes(). */
  holds(&poor, "T1 call write 1\nT1 commit\nT2 call read\nT2 return 1\n");
  holds(&poor, "T1 call cas 0 1\nT1 commit\nT2 call read\nT2 return 1\n");
  /* A window that never ended may explain what nothing else does. */
  holds(&poor, "T1 call swap 1\nT1 window\nT2 call read\nT2 return 0\n");
  incomplete(&poor, "T1 call swap 1\nT1 window\nT2 call read\nT2 return 1\n", "may explain it|outcomes()");
}

/* ---- what is missing in the log ---- */

static void
test_missing_tick(void **state)
{
  (void) state;
  incomplete(&reg,
             "T1 call write 1\nT1 commit\nT1 return\n"
             "tick\n"
             "T2 call read\nT2 return 5\n",
             "tick 1 is missing");
  violated(&reg,
           "T1 call read\nT1 return 5\n"
           "T1 call write 1\nT1 commit\nT1 return\n"
           "tick\n"
           "T2 call read\nT2 return 6\n",
           HD_FOUND_OBSERVER, 1, "read() = 5");
}

static void
test_lost(void **state)
{
  (void) state;
  incomplete(&reg,
             "T1 call write 1\nT1 commit\nT1 return\n"
             "lost 3\n"
             "T1 call write 2\nT1 commit\nT1 return\n"
             "T2 call read\nT2 return 5\n",
             "3 operations on it were not logged, the first after tick 1");
  violated(&reg,
           "T1 call swap 1\nT1 commit\nT1 return 4\n"
           "lost 3\n",
           HD_FOUND_COMMIT, 1, "swap(1) = 4");
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
#define T(name) cmocka_unit_test_setup_teardown(test_##name, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      T(commit_order),
      T(look_ahead),
      T(observer_window),
      T(long_observer),
      T(insert_pair_may_fail),
      T(exceptions),
      T(commit_with_return),
      T(uncommitted),
      T(second_commit),
      T(misuse),
      T(window),
      T(inverted_reads),
      T(two_windows),
      T(cancelled_and_replaced),
      T(nocommit),
      T(nested_objects),
      T(recursion),
      T(pending),
      T(abandoned),
      T(no_outcomes),
      T(missing_tick),
      T(lost),
      T(many_threads),
      T(many_open),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
