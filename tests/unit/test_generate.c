/* test_generate.c: who wakes whom, the proofs of the wake-ups, and where variables go, for the examples and for random
 * controllers.
 *
 * HEDDLE_GENERATE_CASES=n   how many random controllers (default 60)
 * HEDDLE_GENERATE_SEED=n    only this one, with its text */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "generate/brute.h"
#include "generate/plan.h"
#include "little/little.h"
#include "settings.h"

#define EXAMPLES TEST_SOURCE_ROOT "/examples/controllers/"
static const char *const examples[] = {"airport", "barber",     "barrier",   "barrier_reusable",
                                       "bb",      "bb_mutex",   "bb_rw",     "bridge",
                                       "latch",   "mutex",      "rcu",       "rw",
                                       "rw_fair", "rw_writers", "semaphore", "semaphore_weighted",
                                       "water"};

static void
read_text(hd_string *text, const char *path)
{
  char part[1000];
  size_t n;
  FILE *f = fopen(path, "r");
  assert_non_null(f);
  while ((n = fread(part, 1, sizeof part, f)) > 0)
    hd_string_add_n(text, part, n);
  fclose(f);
}

static hd_generate_plan *
plan_of(const char *name, hd_controller **c)
{
  hd_string path = {0}, text = {0}, messages = {0};
  hd_string_printf(&path, EXAMPLES "%s.h", name);
  read_text(&text, path.text);
  *c = hd_control_parse(path.text, text.text, text.length, &messages);
  assert_non_null(*c);
  hd_generate_plan *p = hd_generate_plan_new(*c, text.text, text.length, &messages);
  assert_non_null(p);
  hd_string_free(&path);
  hd_string_free(&text);
  hd_string_free(&messages);
  return p;
}

static size_t
action_of(const hd_controller *c, const char *name)
{
  for (size_t a = 0; a < c->nactions; a++)
    if (strcmp(c->actions[a].name, name) == 0)
      return a;
  fail_msg("no action %s", name);
  return 0;
}

/* WAKER's first command wakes WOKEN: "never", "always", or a condition. */
static void
expect(const hd_generate_plan *p, const char *waker, const char *woken, const char *when)
{
  const hd_generate_wake *w
      = &p->wakes[p->first_command[action_of(p->c, waker)] * p->nqueues + p->queue_of[action_of(p->c, woken)]];
  const char *got = w->when == HD_GENERATE_NEVER ? "never" : w->when == HD_GENERATE_ALWAYS ? "always" : w->test;
  if (strcmp(got, when) != 0)
    fail_msg("%s: %s wakes %s: %s, not %s", p->c->name, waker, woken, got, when);
}

static void
readers_and_writers(void **state)
{
  (void) state;
  hd_controller *c;
  hd_generate_plan *p = plan_of("rw", &c);
  expect(p, "r_enter", "r_enter", "never");
  expect(p, "r_enter", "w_enter", "never");
  expect(p, "r_exit", "r_enter", "never");
  expect(p, "r_exit", "w_enter", "nR == 0");
  expect(p, "w_enter", "r_enter", "never");
  expect(p, "w_enter", "w_enter", "never");
  expect(p, "w_exit", "r_enter", "always");
  expect(p, "w_exit", "w_enter", "always");
  assert_int_equal(p->queues[0].rule, HD_GENERATE_ALL);
  assert_int_equal(p->queues[1].rule, HD_GENERATE_ONE);
  hd_generate_plan_free(p);
  hd_control_free(c);
}

static void
bounded_buffer(void **state)
{
  (void) state;
  hd_controller *c;
  hd_generate_plan *p = plan_of("bb_mutex", &c);
  expect(p, "release", "produce_acquire", "count < size");
  expect(p, "release", "consume_acquire", "count > 0");
  expect(p, "produce_acquire", "consume_acquire", "never");
  hd_generate_plan_free(p);
  hd_control_free(c);
  p = plan_of("bb", &c);
  expect(p, "produce", "consume", "always"); /* it was empty */
  expect(p, "consume", "produce", "always");
  assert_int_equal(p->queues[0].rule, HD_GENERATE_CHAIN);
  hd_generate_plan_free(p);
  hd_control_free(c);
}

/* Try P with up to four threads and small constants. */
static void
try_small(brute_tally *t, const hd_generate_plan *p, int most)
{
  int64_t constants[4] = {0};
  for (int i = 0; i < 16; i++)
  {
    constants[0] = i % 4;
    constants[1] = i / 4;
    if (p->c->nconstants > 2 || (p->c->nconstants < 2 && i / 4 > 0) || (p->c->nconstants < 1 && i > 0)
        || !hd_control_contains(&p->c->assumption, constants))
      continue;
    for (int threads = 1; threads <= most; threads++)
      brute_try(t, p, threads, constants);
  }
}

static void
examples_step_by_step(void **state)
{
  (void) state;
  for (size_t i = 0; i < sizeof examples / sizeof *examples; i++)
  {
    hd_controller *c;
    brute_tally t = {0};
    hd_generate_plan *p = plan_of(examples[i], &c);
    try_small(&t, p, 4);
    if (t.forgotten + t.needless > 0 || t.woken == 0)
      fail_msg("%s: %zu of %zu forgotten, %zu needless: %s", examples[i], t.forgotten, t.woken, t.needless, t.what);
    hd_generate_plan_free(p);
    hd_control_free(c);
  }
}

static void
examples_proved(void **state)
{
  (void) state;
  for (size_t i = 0; i < sizeof examples / sizeof *examples; i++)
  {
    hd_controller *c;
    hd_string messages = {0};
    hd_generate_plan *p = plan_of(examples[i], &c);
    if (getenv("HEDDLE_TEST_SANITIZED") == NULL || p->nqueues < 6)
    {
      hd_generate_prove(p, &messages);
      if (messages.length)
        fail_msg("%s", messages.text);
      for (size_t q = 0; q < p->nqueues; q++)
        assert_true(p->queues[q].proved);
    }
    hd_string_free(&messages);
    hd_generate_plan_free(p);
    hd_control_free(c);
  }
}

/* To wake one sleeper whenever a guard becomes true, and no more, is wrong for a semaphore: of two units that are
 * returned one after the other, one stays unused. */
static void
naive_is_refuted(void **state)
{
  (void) state;
  hd_controller *c;
  hd_string text = {0};
  hd_generate_plan *p = plan_of("semaphore", &c);
  assert_int_equal(p->queues[0].rule, HD_GENERATE_CHAIN);
  assert_int_equal(hd_generate_prove_queue(p, 0, &text), HD_HOLDS);
  p->queues[0].rule = HD_GENERATE_ONE;
  assert_int_equal(hd_generate_prove_queue(p, 0, &text), HD_VIOLATED);
  assert_non_null(strstr(text.text, "'awake_' is violated"));
  /* The proof says so, and what could not be proved is woken as a whole. */
  hd_string_clear(&text);
  hd_generate_prove(p, &text);
  assert_int_equal(p->queues[0].rule, HD_GENERATE_ALL);
  assert_true(p->queues[0].proved);
  assert_non_null(strstr(text.text, "note: everybody who waits for 'acquire' is woken"));
  hd_string_free(&text);
  hd_generate_plan_free(p);
  hd_control_free(c);
}

/* A wake-up that is left out is found out. */
static void
forgotten_is_refuted(void **state)
{
  (void) state;
  hd_controller *c;
  hd_string text = {0};
  hd_generate_plan *p = plan_of("rw", &c);
  hd_generate_wake *w = &p->wakes[p->first_command[action_of(c, "r_exit")] * p->nqueues + 1];
  assert_int_equal(w->when, HD_GENERATE_IF);
  w->test = "nR == 1";
  assert_int_equal(hd_generate_prove_queue(p, 1, &text), HD_VIOLATED);
  w->when = HD_GENERATE_NEVER;
  assert_int_equal(hd_generate_prove_queue(p, 1, &text), HD_VIOLATED);
  /* Then there is no proof for waking all either, and every change does. */
  hd_string_clear(&text);
  hd_generate_prove(p, &text);
  assert_true(p->queues[0].proved && !p->queues[1].proved);
  assert_int_equal(p->queues[1].rule, HD_GENERATE_ALL);
  expect(p, "r_enter", "w_enter", "always");
  expect(p, "r_exit", "w_enter", "always");
  expect(p, "w_exit", "r_enter", "always");
  assert_non_null(strstr(text.text, "is woken by every change"));
  hd_string_clear(&text);
  hd_generate_emit(&text, p, &(hd_generate_options){HD_GENERATE_FUTEX, "rw.h", "rw_fast.h"});
  assert_non_null(strstr(text.text, "w_enter: all are woken by every change, because"));
  hd_string_free(&text);
  hd_generate_plan_free(p);
  hd_control_free(c);
}

static void
variables_have_room(void **state)
{
  (void) state;
  for (size_t i = 0; i < sizeof examples / sizeof *examples; i++)
  {
    hd_controller *c;
    hd_generate_plan *p = plan_of(examples[i], &c);
    hd_generate_field fields[16];
    bool keepers;
    assert_true(hd_generate_layout(p, fields, &keepers)); /* all of them fit one word */
    size_t nbits = HD_GENERATE_WAIT_BITS + p->nqueues;
    for (size_t q = 0; q < p->nqueues && keepers; q++)
      nbits += p->queues[q].rule != HD_GENERATE_ALL;
    assert_true(keepers || strcmp(c->name, "rw_fair") == 0 || strcmp(c->name, "bridge") == 0); /* four counters */
    uint64_t taken = (UINT64_C(1) << nbits) - 1;
    for (size_t v = 0; v < c->nvariables; v++)
    {
      uint64_t mask = ((UINT64_C(1) << fields[v].width) - 1) << fields[v].shift;
      assert_true(fields[v].shift + fields[v].width <= 64 && (taken & mask) == 0);
      taken |= mask;
      const hd_generate_range *r = &p->ranges[v];
      if (r->has_most)
        assert_true((uint64_t) (r->most - fields[v].least) < UINT64_C(1) << fields[v].width);
    }
    hd_generate_plan_free(p);
    hd_control_free(c);
  }
}

/* What was proved of a protocol is not refuted by looking at all states with few threads. */
static void
check_proof(const hd_generate_plan *p, size_t queue, uint64_t seed, const char *controller)
{
  hd_string text = {0}, messages = {0};
  hd_generate_protocol(&text, p, queue);
  hd_controller *c = hd_control_parse("protocol.h", text.text, text.length, &messages);
  if (!c)
    fail_msg("seed %llu: the protocol has mistakes:\n%s\n%s\n%s", (unsigned long long) seed, messages.text, text.text,
             controller);
  hd_control_options options = {.least_threads = 1, .most_threads = 3, .states = 20000};
  hd_control_result *r = hd_control_verify(c, &options, &messages);
  /* none: no small constants are assumed */
  if (r && r->answers[c->nspecs - 1].verdict == HD_VIOLATED)
    fail_msg("seed %llu: proved, but violated:\n%s\n%s", (unsigned long long) seed, text.text, controller);
  hd_control_result_free(r);
  hd_control_free(c);
  hd_string_free(&text);
  hd_string_free(&messages);
}

static void
random_controllers(void **state)
{
  (void) state;
  uint64_t only = setting("HEDDLE_GENERATE_SEED", 0);
  uint64_t cases = setting("HEDDLE_GENERATE_CASES", getenv("HEDDLE_TEST_SANITIZED") ? 10 : 60);
  size_t queues = 0, proved = 0, woken = 0, needless = 0;
  for (uint64_t seed = only ? only : 1; seed <= (only ? only : cases); seed++)
  {
    little l;
    uint64_t random = seed;
    hd_string text = {0}, messages = {0};
    if (seed % 4 == 0)
      little_make(&l, &random);
    else
      little_make_orderly(&l, &random);
    little_print(&text, &l, &random);
    if (only)
      print_message("%s\n", text.text);
    hd_controller *c = hd_control_parse("little.h", text.text, text.length, &messages);
    hd_generate_plan *p = c ? hd_generate_plan_new(c, text.text, text.length, &messages) : NULL;
    if (p)
    {
      brute_tally t = {0};
      try_small(&t, p, 3);
      woken += t.woken;
      needless += t.needless;
      if (t.forgotten)
        fail_msg("seed %llu: %s\n%s", (unsigned long long) seed, t.what, text.text);
      hd_string_clear(&messages);
      hd_generate_prove(p, &messages);
      for (size_t q = 0; q < p->nqueues; q++)
      {
        queues++;
        proved += p->queues[q].proved && !p->queues[q].refuge;
        if (p->queues[q].proved)
          check_proof(p, q, seed, text.text);
      }
    }
    hd_generate_plan_free(p);
    hd_control_free(c);
    little_free(&l);
    hd_string_free(&text);
    hd_string_free(&messages);
  }
  print_message("# %zu queues, %zu proved; %zu steps that wake, %zu that wake for nothing\n", queues, proved, woken,
                needless);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(readers_and_writers),   cmocka_unit_test(bounded_buffer),
      cmocka_unit_test(examples_step_by_step), cmocka_unit_test(examples_proved),
      cmocka_unit_test(naive_is_refuted),      cmocka_unit_test(forgotten_is_refuted),
      cmocka_unit_test(variables_have_room),   cmocka_unit_test(random_controllers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
