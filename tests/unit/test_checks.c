/* test_checks.c: specifications that are wrong or do not fit the log, atomized ones, and the check of all objects of a
 * log at once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "script/expect.h"

static subject multiset, reg;

static int
set_up(void **state)
{
  subjects_begin(state);
  multiset = subject_of(MODEL_MULTISET, SPEC_PLAIN);
  reg = subject_of(MODEL_REGISTER, SPEC_NO_VIEW);
  return 0;
}

/* ---- the log does not fit the specification ---- */

static void
test_methods(void **state)
{
  (void) state;
  refused(&reg, "T1 call increment 5\n",
          "script:1: the log calls method 'increment', which specification 'register' does not know|(it knows: write, "
          "cas, swap, read)");
  refused(&reg, "T1 call write\n",
          "script:1: the log calls write with 0 arguments, specification 'register' declares 1");
  refused(&reg, "T1 call cas 1\n", "calls cas with 1 argument, specification 'register' declares 2");
  refused(&reg, "T1 call cas 1 \"two\"\n",
          "script:1: argument 2 of cas is \"two\" (string), specification 'register' declares a signed integer");
  refused(&reg, "T1 call write nil\n", "argument 1 of write is nil");
  refused(&reg, "T1 call read\nT1 return \"five\"\n",
          "script:2: read returned \"five\" (string), specification 'register' declares a signed integer");
  refused(&reg, "T1 call read\nT1 return\n", "script:2: read returned nil");
  refused(&reg, "T1 call cas 0 1\nT1 commit\nT1 return 2\n", "script:3: cas returned 2|declares a boolean");
  refused(&reg, "T1 call write 1\nT1 commit ret 4\nT1 return\n", "script:2: write returned 4|declares nil");
  /* Numbers are converted where the value allows it. */
  holds(&reg, "T1 call write true\nT1 commit\nT1 return\n"
              "T1 call read\nT1 return 1u\n"
              "T1 call cas 1u 2\nT1 commit\nT1 return 1\n");
  refused(&reg, "T1 call write 9223372036854775808u\n", "argument 1 of write is 9223372036854775808");
}

/* An exception may be of any type. */
static void
test_exception_type(void **state)
{
  (void) state;
  violated(&reg, "T1 call cas 0 1\nT1 raise \"broken\"\n", HD_FOUND_OBSERVER, 1, "cas(0, 1) raised \"broken\"");
}

/* ---- specifications that cannot or do not do what is needed ---- */

static hd_spec
without_copy(void)
{
  hd_spec spec = *reg.spec;
  spec.copy = NULL;
  spec.equal = NULL;
  spec.hash = NULL;
  return spec;
}

static void
test_no_copy(void **state)
{
  (void) state;
  hd_spec spec = without_copy();
  subject s = reg;
  s.spec = &spec;
  /* Exact commits need none, even to find something; only the diagnosis does. */
  holds(&s, "T1 call write 1\nT1 commit\nT1 return\nT2 call read\nT2 return 1\n");
  script_answer a = violation(&s, "T1 call write 1\nT1 commit\nT1 return\nT2 call read\nT2 return 0\n",
                              HD_FOUND_OBSERVER, 4, "read() = 0");
  assert_int_equal(a.finding->blame, HD_BLAME_UNDECIDED);
  assert_true(has_parts(a.finding->why, "no copy()"));
  script_done(&a);
  refused(&s, "T1 call write 1\nT1 window\nT1 commit\nT1 return\n",
          "specification 'register' has no copy(): it is needed because write has a commit window");
  refused(&s, "T1 nocommit write 1\nT1 return\n", "specification 'register' has no copy()");
  refused(&s, "T1 call cas 1 2\nT1 return false\n",
          "specification 'register': a mutator returned without a commit, and to judge it the specification needs "
          "test() or copy() (cas(1, 2) = false, called at script:1)");
  incomplete(&s, "T1 call swap 1\nT1 commit\n", "has no copy() to try what it may have returned");
  /* test() serves as well. */
  spec.test = specs_get(MODEL_REGISTER, SPEC_NO_VIEW | SPEC_WITH_TEST)->test;
  holds(&s, "T1 call cas 1 2\nT1 return false\n");
  s.options.paranoid = true;
  refused(&s, "T1 call read\nT1 return 0\n", "specification 'register' lacks copy(), which --paranoid needs");
}

/* What is declared an observer changes nothing. */
static hd_step
writes_as_it_reads(void *p, const hd_op *op, hd_keys *touched)
{
  if (op->method != REG_READ)
    return specs_get(MODEL_REGISTER, SPEC_NO_VIEW)->apply(p, op, touched);
  return HD_CHANGED;
}

static void
test_observer_changes(void **state)
{
  (void) state;
  hd_spec spec = *reg.spec;
  spec.apply = writes_as_it_reads;
  subject s = reg;
  s.spec = &spec;
  refused(&s, "T1 call read\nT1 return 0\n",
          "changes the state for a method that is declared an observer (read() = 0, called at script:1)");
}

/* ---- --paranoid ---- */

/* Wraps the multiset: one way to be wrong at a time, each at insert(2) only. */
static enum {
  FAITHFUL,
  DIFFERENT_STATES,
  DIFFERENT_ANSWERS,
  REJECTS_AND_CHANGES,
  SAME_AND_CHANGES,
  FORGETS_A_KEY,
} sin;

static hd_step
sinful_apply(void *p, const hd_op *op, hd_keys *touched)
{
  static unsigned turn;
  const hd_spec *right = specs_get(MODEL_MULTISET, SPEC_PLAIN);
  hd_value other = hd_int(0);
  hd_op more = *op;
  more.args = &other;
  if (sin == FAITHFUL || op->method != MS_INSERT || op->args[0].i != 2 || !op->ret.u)
    return right->apply(p, op, touched);
  switch (sin)
  {
  case DIFFERENT_STATES:
    return right->apply(p, turn++ % 2 ? op : &more, touched);
  case DIFFERENT_ANSWERS:
    return turn++ % 2 ? HD_REJECT : right->apply(p, op, touched);
  case REJECTS_AND_CHANGES:
    right->apply(p, op, touched);
    return HD_REJECT;
  case SAME_AND_CHANGES:
    right->apply(p, op, touched);
    return HD_SAME;
  default:
    right->apply(p, &more, NULL);
    return right->apply(p, op, touched);
  }
}

static hd_step
wrong_test(const void *p, const hd_op *op)
{
  return op->method == MS_INSERT && op->ret.u ? HD_SAME
                                              : specs_get(MODEL_MULTISET, SPEC_PLAIN | SPEC_WITH_TEST)->test(p, op);
}

static uint64_t
address_hash(const void *s)
{
  return (uint64_t) (uintptr_t) s;
}

static void
test_paranoid(void **state)
{
  (void) state;
  static const struct
  {
    int sin;
    const char *message;
  } cases[] = {
      {DIFFERENT_STATES, "apply() leads from two copies of one state to different states"},
      {DIFFERENT_ANSWERS, "apply() answers differently on two copies of one state"},
      {REJECTS_AND_CHANGES, "apply() rejects the operation but changes the state"},
      {SAME_AND_CHANGES, "apply() says HD_SAME but changes the state"},
      {FORGETS_A_KEY, "apply() changes the view of key 0 without hd_touch"},
  };
  /* The wrong step is found where it is made: at an exact commit, in a window, in a whole operation. */
  static const char *const ways[] = {
      "T1 call insert 2\nT1 block\nT1 write 2 1\nT1 commit\nT1 end\nT1 return true\n",
      "T1 call insert 2\nT1 window\nT1 block\nT1 write 2 1\nT1 commit\nT1 end\nT1 return true\n",
      "T1 nocommit insert 2\nT1 return true\n",
      "T2 call insert 1\nT2 window\nT1 call insert 2\nT1 block\nT1 write 2 1\nT1 commit\nT1 end\nT1 return true\n",
  };
  hd_spec spec = *multiset.spec;
  spec.apply = sinful_apply;
  subject s = multiset;
  s.spec = &spec;
  s.options.paranoid = true;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++)
    {
      char message[200];
      sin = cases[i].sin;
      snprintf(message, sizeof message,
               "specification 'multiset': %s|insert(2) = true, called at script:", cases[i].message);
      refused(&s, ways[w], message);
    }
  sin = FAITHFUL;
  holds(&s, ways[0]);
  spec.test = wrong_test;
  refused(&s, ways[0], "test() and apply() answer differently (insert(2) = true, called at script:1)");
  spec.test = NULL;
  spec.hash = address_hash;
  refused(&s, ways[0], "hash() differs for equal states");
}

/* Without views the keys do not matter. */
static void
test_paranoid_without_views(void **state)
{
  (void) state;
  hd_spec spec = *multiset.spec;
  spec.apply = sinful_apply;
  subject s = {.spec = &spec, .config = multiset.config, .options = {.paranoid = true, .view = HD_VIEW_OFF}};
  sin = FORGETS_A_KEY;
  holds(&s, "T1 call insert 2\nT1 commit\nT1 return true\n");
  sin = FAITHFUL;
}

/* ---- limits ---- */

static void
test_cancel(void **state)
{
  (void) state;
  int cancel = 1;
  subject s = reg;
  s.options.cancel = &cancel;
  incomplete(&s, "T1 nocommit write 1\nT2 nocommit write 2\nT1 return\nT2 return\n", "a limit was reached");
}

static void
test_max_configurations(void **state)
{
  (void) state;
  subject s = reg;
  s.options.max_configurations = 20;
  hd_string text = {0};
  for (int i = 1; i <= 6; i++)
    hd_string_printf(&text, "T%d nocommit write %d\n", i, i);
  hd_string_add(&text, "T7 call read\nT7 return 9\n");
  for (int i = 1; i <= 6; i++) /* what must take effect is not covered by what has not */
    hd_string_printf(&text, "T%d return\n", i);
  incomplete(&s, text.text, "the search was given up at tick 6: too many configurations");
  s.options.max_configurations = 0;
  violated(&s, text.text, HD_FOUND_OBSERVER, 7, "read() = 9");
  hd_string_free(&text);
}

/* ---- several objects ---- */

static char *
eight_objects(int wrong)
{
  hd_string text = {0};
  for (int i = 0; i < 8; i++)
    hd_string_printf(&text, "object O%d %s %d\n", i, i % 2 ? "register" : "queue",
                     i % 2 ? MODEL_REGISTER : MODEL_QUEUE);
  for (int turn = 1; turn <= 50; turn++)
    for (int i = 0; i < 8; i++)
      if (i % 2)
        hd_string_printf(&text, "T%d.O%d call swap %d\nT%d.O%d commit\nT%d.O%d return %d\n", i + 1, i, turn, i + 1, i,
                         i + 1, i, i == wrong && turn == 40 ? 99 : turn - 1);
      else
        hd_string_printf(&text,
                         "T%d.O%d call enqueue %d\nT%d.O%d commit\nT%d.O%d return\n"
                         "T%d.O%d call dequeue\nT%d.O%d commit\nT%d.O%d return %d\n",
                         i + 1, i, turn, i + 1, i, i + 1, i, i + 1, i, i + 1, i, i + 1, i,
                         i == wrong && turn == 40 ? 99 : turn);
  return text.text;
}

static void
test_objects(void **state)
{
  (void) state;
  const hd_spec *specs[] = {specs_get(MODEL_QUEUE, SPEC_NO_VIEW), specs_get(MODEL_REGISTER, SPEC_NO_VIEW)};
  for (unsigned workers = 1; workers <= 4; workers += 3)
    for (int wrong = -1; wrong < 8; wrong += 3)
    {
      char *text = eight_objects(wrong);
      script_answer a = script_check(text, &(script_setup){.specs = specs, .nspecs = 2, .workers = workers});
      assert_int_equal(a.verdict, wrong >= 0 ? HD_VIOLATED : HD_HOLDS);
      assert_int_equal(a.nresults, 8);
      for (int i = 0; i < 8; i++)
      {
        assert_int_equal(a.results[i]->object_id, i + 1);
        assert_int_equal(a.results[i]->verdict, i == wrong ? HD_VIOLATED : HD_HOLDS);
      }
      script_done(&a);
      free(text);
    }
}

/* An object without a specification is not judged, and the check says which it was. */
static void
test_unmatched(void **state)
{
  (void) state;
  script_answer a = judge(&reg, "object R register\n"
                                "object Q queue\n"
                                "T1.Q call enqueue 1\n"
                                "T1.R call read\n"
                                "T1.R return 0\n");
  assert_int_equal(a.nresults, 1);
  size_t n;
  const uint32_t *ids = hd_checks_unmatched(a.checks, &n);
  assert_int_equal(n, 1);
  assert_int_equal(ids[0], 2);
  script_done(&a);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(test_##name, set_up, subjects_end)
  const struct CMUnitTest tests[] = {
      T(methods), T(exception_type),     T(no_copy), T(observer_changes), T(paranoid), T(paranoid_without_views),
      T(cancel),  T(max_configurations), T(objects), T(unmatched),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
