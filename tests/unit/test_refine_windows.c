/* test_refine_windows.c: the rules of the check, each as a short script: commit windows, operations without annotation,
 * operations that never returned, and what is missing in a log. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "script/expect.h"

static subject stack, reg;

static int
set_up(void **state)
{
  subjects_begin(state);
  stack = subject_of(MODEL_STACK, SPEC_NO_VIEW);
  reg = subject_of(MODEL_REGISTER, SPEC_NO_VIEW);
  return 0;
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

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(test_##name, set_up, subjects_end)
  const struct CMUnitTest tests[] = {
      T(window),  T(inverted_reads), T(two_windows), T(cancelled_and_replaced), T(nocommit),
      T(pending), T(abandoned),      T(no_outcomes), T(missing_tick),           T(lost),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
