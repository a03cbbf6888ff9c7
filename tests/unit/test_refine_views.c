/* test_refine_views.c: view refinement, each rule as a short script: commit blocks, internal tasks, invariants, writes
 * that are not protected, and where comparisons are put off (docs/rules.md, section 4).
 *
 * The multiset's replica has a variable for each element, which holds how often it is there; the stack's replica is a
 * linked list: variable 0 is the top, variables 1 + 2i and 2 + 2i are value and next of node i (nodes are stored plus
 * one). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "script/expect.h"

static subject multiset, stack, reg;

static int
set_up(void **state)
{
  subjects_begin(state);
  multiset = subject_of(MODEL_MULTISET, SPEC_PLAIN);
  stack = subject_of(MODEL_STACK, SPEC_PLAIN);
  reg = subject_of(MODEL_REGISTER, SPEC_PLAIN);
  return 0;
}

static void
test_view(void **state)
{
  (void) state;
  holds(&multiset, "T1 call insert 1\n"
                   "T1 block\n"
                   "T1 write 1 1\n"
                   "T1 commit\n"
                   "T1 end\n"
                   "T1 return true\n");
  script_answer a
      = violation(&multiset,
                  "T1 call insert 1\n"
                  "T1 block\n"
                  "T1 write 2 1\n"
                  "T1 commit\n"
                  "T1 end\n"
                  "T1 return true\n",
                  HD_FOUND_VIEW, 1, "the states differ at the commit of insert(1) = true (thread 1, script:4): key ");
  assert_int_equal(a.finding->ndifferences, 2);
  assert_int_equal(a.finding->blame, HD_BLAME_IMPLEMENTATION);
  for (size_t i = 0; i < 2; i++)
  {
    const hd_key_difference *d = &a.finding->differences[i];
    bool one = d->key.i == 1;
    assert_true(d->spec_has == one && d->replica_has == !one);
    assert_int_equal(d->nwriters, one ? 0 : 1);
    if (!one)
    {
      assert_int_equal(script_line(&a, d->writers[0].site), 3);
      assert_int_equal(d->writers[0].value.i, 1);
      assert_int_equal(d->writers[0].thread, 1);
    }
  }
  script_done(&a);
}

/* The comparison is made although the return value is right, and long before it would show in one. */
static void
test_view_before_returns(void **state)
{
  (void) state;
  static const char text[] = "T1 call insert 1\n"
                             "T1 commit\n"
                             "T1 return true\n"
                             "T1 call insert 2\n"
                             "T1 commit\n"
                             "T1 return true\n"
                             "T1 call lookup 1\n"
                             "T1 return false\n";
  violated(&multiset, text, HD_FOUND_VIEW, 1, "key 1 is 1 in the specification, absent in the implementation");
  subject io = multiset;
  io.options.view = HD_VIEW_OFF;
  violated(&io, text, HD_FOUND_OBSERVER, 7, "lookup(1) = false");
}

/* A block is one step at its commit, also for what is written after the commit. */
static void
test_blocks(void **state)
{
  (void) state;
  holds(&multiset, "T1 call insert_pair 1 2\n"
                   "T1 block\n"
                   "T1 write 1 1\n"
                   "T1 commit\n"
                   "T2 call insert 0\n"
                   "T2 block\n"
                   "T2 write 0 1\n"
                   "T2 commit\n"
                   "T1 write 2 1\n"
                   "T1 end\n"
                   "T2 end\n"
                   "T2 return true\n"
                   "T1 return true\n");
  /* Without the block the first write is seen at the other's commit. */
  violated(&multiset,
           "T1 call insert_pair 1 2\n"
           "T1 write 1 1\n"
           "T2 call insert 0\n"
           "T2 block\n"
           "T2 write 0 1\n"
           "T2 commit\n"
           "T2 end\n"
           "T1 write 2 1\n"
           "T1 commit\n"
           "T1 return true\n"
           "T2 return true\n",
           HD_FOUND_VIEW, 3,
           "the states differ at the commit of insert(0) = true (thread 2, script:6): key 1 is absent in the "
           "specification, 1 in the implementation");
}

/* Keys touched outside blocks are carried to the next comparison, whoever commits there. */
static void
test_keys_are_carried(void **state)
{
  (void) state;
  script_answer a = violation(&multiset,
                              "T3 write 1 1\n"
                              "T1 call lookup 2\n"
                              "T1 return false\n"
                              "T2 call insert 0\n"
                              "T2 block\n"
                              "T2 write 0 1\n"
                              "T2 commit\n"
                              "T2 end\n"
                              "T2 return true\n",
                              HD_FOUND_VIEW, 4, "key 1 is absent in the specification, 1 in the implementation");
  assert_int_equal(script_line(&a, a.finding->differences[0].writers[0].site), 1);
  assert_int_equal(a.finding->differences[0].writers[0].thread, 3);
  script_done(&a);
  /* And compared at the end at the latest. */
  violated(&multiset, "T3 write 1 1\n", HD_FOUND_VIEW, 0,
           "the states differ at the end of the log: key 1 is absent in the specification, 1 in the implementation");
}

/* An internal task must leave the view as it was, at the end of each of its blocks. */
static void
test_tasks(void **state)
{
  (void) state;
  subject slots = subject_of(MODEL_MULTISET_SLOTS, SPEC_PLAIN);
  static const char insert[] = "T1 call insert 1\n"
                               "T1 block\n"
                               "T1 write 2 2\n" /* slot 1: element 1, valid */
                               "T1 write 3 1\n"
                               "T1 commit\n"
                               "T1 end\n"
                               "T1 return true\n";
  char text[600];
  snprintf(text, sizeof text,
           "%s"
           "T2 task compress\n"
           "T2 block\n"
           "T2 write 0 2\n"
           "T2 write 1 1\n"
           "T2 write 3 0\n"
           "T2 end\n"
           "T2 endtask\n",
           insert);
  holds(&slots, text);
  snprintf(text, sizeof text,
           "%s"
           "T2 task compress\n"
           "T2 block\n"
           "T2 write 0 2\n"
           "T2 write 3 0\n"
           "T2 end\n"
           "T2 endtask\n",
           insert);
  script_answer a = violation(&slots, text, HD_FOUND_INTERNAL, 8,
                              "internal task compress (thread 2|changed the view: key 1 is 1 in the specification, "
                              "absent in the implementation");
  assert_true(script_failing(&a)->internal);
  assert_int_equal(a.finding->blame, HD_BLAME_IMPLEMENTATION);
  script_done(&a);
  /* In two blocks that are one step together only. */
  snprintf(text, sizeof text,
           "%s"
           "T2 task compress\n"
           "T2 block\n"
           "T2 write 0 2\n"
           "T2 write 1 1\n"
           "T2 end\n"
           "T2 block\n"
           "T2 write 3 0\n"
           "T2 end\n"
           "T2 endtask\n",
           insert);
  violated(&slots, text, HD_FOUND_INTERNAL, 8, "key 1 is 1 in the specification, 2 in the implementation");
}

static const char *
no_element_twice(const void *r)
{
  hd_value v;
  return multiset.spec->replica->read(r, 1, &v) && v.i > 1 ? "element 1 is there twice" : NULL;
}

static void
test_invariant(void **state)
{
  (void) state;
  hd_replica strict = *multiset.spec->replica;
  strict.invariant = no_element_twice;
  hd_spec spec = *multiset.spec;
  spec.replica = &strict;
  subject s = multiset;
  s.spec = &spec;
  script_answer a = violation(&s,
                              "T1 call insert_pair 1 1\n"
                              "T1 block\n"
                              "T1 write 1 1\n"
                              "T1 write 1 2\n"
                              "T1 commit\n"
                              "T1 end\n"
                              "T1 return true\n",
                              HD_FOUND_INVARIANT, 1,
                              "the invariant does not hold after insert_pair(1, 1) = true (thread 1): element 1 is "
                              "there twice");
  assert_int_equal(a.finding->blame, HD_BLAME_IMPLEMENTATION);
  assert_int_equal(script_line(&a, a.finding->site), 5);
  script_done(&a);
  /* Between the steps it need not hold. */
  holds(&s, "T1 call insert 1\n"
            "T1 block\n"
            "T1 write 1 2\n"
            "T1 write 1 1\n"
            "T1 commit\n"
            "T1 end\n"
            "T1 return true\n");
}

/* ---- writes that are not protected (docs/rules.md 4.3) ---- */

static void
test_old_value(void **state)
{
  (void) state;
  holds(&reg, "T1 call write 1\n"
              "T1 block\n"
              "T1 write 0 1 0\n"
              "T1 commit\n"
              "T1 end\n"
              "T1 return\n"
              "T1 call write 2\n"
              "T1 block\n"
              "T1 write 0 2 1\n"
              "T1 commit\n"
              "T1 end\n"
              "T1 return\n");
  script_answer a = violation(&reg,
                              "T1 call write 1\n"
                              "T1 block\n"
                              "T1 write 0 1 0\n"
                              "T1 commit\n"
                              "T1 end\n"
                              "T1 return\n"
                              "T1 call write 2\n"
                              "T1 block\n"
                              "T1 write 0 2 5\n"
                              "T1 commit\n"
                              "T1 end\n"
                              "T1 return\n",
                              HD_FOUND_OLD_VALUE, 7,
                              "the write to variable 0 at script:9 (thread 1) replaced 5, but the log says that it "
                              "held 1");
  assert_int_equal(a.finding->blame, HD_BLAME_UNDECIDED);
  assert_int_equal(script_line(&a, a.finding->site), 9);
  script_done(&a);
}

static void
test_overlap(void **state)
{
  (void) state;
  /* T2 writes the variable inside T1's block. */
  script_answer a = violation(&multiset,
                              "T1 call insert 1\n"
                              "T1 block\n"
                              "T1 write 1 1\n"
                              "T2 call insert 1\n"
                              "T2 write 1 2\n"
                              "T1 commit\n"
                              "T1 end\n"
                              "T1 return true\n"
                              "T2 commit\n"
                              "T2 return true\n",
                              HD_FOUND_OVERLAP, 1,
                              "variable 1 was written by thread 1 at script:3 and by thread 2 at script:5 at the same "
                              "time");
  assert_true(has_parts(a.finding->suggestion, "hold the lock of variable 1"));
  script_done(&a);
  /* Two blocks. */
  violated(&multiset,
           "T1 call insert 1\n"
           "T1 block\n"
           "T1 write 1 1\n"
           "T2 call insert 1\n"
           "T2 block\n"
           "T2 write 1 1\n"
           "T2 commit\n"
           "T2 end\n"
           "T1 commit\n"
           "T1 end\n"
           "T1 return true\n"
           "T2 return true\n",
           HD_FOUND_OVERLAP, 1, "variable 1 was written by thread 1 at script:3 and by thread 2 at script:6");
}

/* ---- windows: compared where none is open (R4) ---- */

static void
test_windows(void **state)
{
  (void) state;
  /* The writes of two pushes, in the order in which the search places them. */
  holds(&stack, "T1 call push 7\n"
                "T2 call push 8\n"
                "T1 window\n"
                "T2 window\n"
                "T1 block\n"
                "T1 write 1 7\n" /* node 0: 7, next node 1; top node 0: T2 came first */
                "T1 write 2 2\n"
                "T1 write 0 1\n"
                "T1 commit\n"
                "T1 end\n"
                "T2 block\n"
                "T2 write 3 8\n"
                "T2 write 4 0\n"
                "T2 write 0 2\n"
                "T2 commit\n"
                "T2 end\n"
                "T1 return\n"
                "T2 return\n");
  script_answer a = violation(&stack,
                              "T1 call push 7\n"
                              "T2 call push 8\n"
                              "T1 window\n"
                              "T2 window\n"
                              "T1 block\n"
                              "T1 write 1 7\n"
                              "T1 write 0 1\n"
                              "T1 commit\n"
                              "T1 end\n"
                              "T2 block\n"
                              "T2 write 3 8\n" /* its node has no next: the other one is lost */
                              "T2 write 0 2\n"
                              "T2 commit\n"
                              "T2 end\n"
                              "T1 return\n"
                              "T2 return\n",
                              HD_FOUND_VIEW, 2, "the states differ at the commit of push(8) (thread 2, script:13)");
  assert_int_equal(a.finding->blame, HD_BLAME_IMPLEMENTATION);
  assert_int_equal(a.result->stats.views_skipped, 1);
  script_done(&a);
}

/* A window that never ends puts the comparison off for ever: the check says so, and whose it is. */
static void
test_unfinished(void **state)
{
  (void) state;
  incomplete(&reg,
             "T1 call write 1\n"
             "T1 window\n"
             "T2 call write 2\n"
             "T2 block\n"
             "T2 write 0 2\n"
             "T2 commit\n"
             "T2 end\n"
             "T2 return\n",
             "no state was compared: the window that write (thread 1) opened at script:2 never ended");
  incomplete(&reg,
             "T2 call write 3\n"
             "T2 block\n"
             "T2 write 0 3\n"
             "T2 commit\n"
             "T2 end\n"
             "T2 return\n"
             "T1 call write 1\n"
             "T1 window\n"
             "T2 call write 2\n"
             "T2 block\n"
             "T2 write 0 2\n"
             "T2 commit\n"
             "T2 end\n"
             "T2 return\n",
             "the last states were not compared, because an operation that never returned may or may not");
}

/* How long comparisons waited, and for whose window. */
static void
test_wait(void **state)
{
  (void) state;
  script_answer a = judge(&reg, "T1 call write 1\n"
                                "T1 window\n" /* tick 0 */
                                "T2 call write 2\n"
                                "T2 window\n" /* tick 1 */
                                "T3 call write 3\n"
                                "T3 block\n"
                                "T3 write 0 3\n"
                                "T3 commit\n" /* tick 2: put off */
                                "T3 end\n"
                                "T3 return\n"
                                "T2 block\n"
                                "T2 write 0 2\n"
                                "T2 commit\n" /* tick 3: put off */
                                "T2 end\n"
                                "T2 return\n"
                                "T1 block\n"
                                "T1 write 0 1\n"
                                "T1 commit\n" /* tick 4: compared */
                                "T1 end\n"
                                "T1 return\n");
  assert_int_equal(a.result->verdict, HD_HOLDS);
  assert_int_equal(a.result->stats.views_skipped, 2);
  assert_true(a.result->stats.view_comparisons > 0);
  const hd_view_wait *w = &a.result->wait;
  assert_int_equal(w->from, 2);
  assert_int_equal(w->to, 4);
  assert_false(w->to_end);
  assert_string_equal(w->method, "write");
  assert_int_equal(w->thread, 1);
  script_done(&a);
}

/* --view=full finds keys that changed without being touched. */
static void
keep_quiet(void *r, uint64_t var, hd_value v, hd_keys *touched)
{
  (void) touched;
  specs_get(MODEL_MULTISET, SPEC_PLAIN)->replica->write(r, var, v, NULL);
}

static void
test_full(void **state)
{
  (void) state;
  hd_replica quiet = *multiset.spec->replica;
  quiet.write = keep_quiet;
  hd_spec spec = *multiset.spec;
  spec.replica = &quiet;
  subject s = multiset;
  s.spec = &spec;
  static const char text[] = "T1 call insert 1\n"
                             "T1 block\n"
                             "T1 write 1 1\n"
                             "T1 write 2 1\n"
                             "T1 commit\n"
                             "T1 end\n"
                             "T1 return true\n";
  holds(&s, text);
  s.options.view = HD_VIEW_FULL;
  violated(&s, text, HD_FOUND_VIEW, 1, "key 2 is absent in the specification, 1 in the implementation");
  s.options.view = HD_VIEW_TOUCHED;
  s.options.paranoid = true;
  refused(&s, text,
          "the replica's write() for the write to variable 1 (script:3) changes the view of key 1 without "
          "hd_touch");
}

static void
test_replay(void **state)
{
  (void) state;
  refused(&multiset,
          "T1 call insert 1\n"
          "T1 block\n"
          "T1 replay 4 \"xyz\"\n"
          "T1 commit\n"
          "T1 end\n"
          "T1 return true\n",
          "script:3: specification 'multiset' cannot replay an action of kind 4");
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(test_##name, set_up, subjects_end)
  const struct CMUnitTest tests[] = {
      T(view),    T(view_before_returns), T(blocks),    T(keys_are_carried),
      T(tasks),   T(invariant),           T(old_value), T(overlap),
      T(windows), T(unfinished),          T(wait),      T(full),
      T(replay),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
