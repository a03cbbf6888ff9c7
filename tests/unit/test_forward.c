/* The set of all reachable states: the same as what explicit search finds, for a few threads and all small constants;
 * and what can be proved with it alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "control/explore.h"
#include "little/fixture.h"
#include "little/little.h"
#include "recheck/recheck.h"
#include "symbolic/forward.h"
#include "symbolic/symbolic.h"

#include <isl/point.h>

#define EXAMPLES TEST_SOURCE_ROOT "/examples/controllers/"

enum
{
  THREADS = 3,
  INSTANCES = 4,
  STATES = 2000,
  OPERATIONS = 500000
};

static isl_stat
count_point(__isl_take isl_point *point, void *context)
{
  size_t *left = context;
  isl_point_free(point);
  if (*left == 0)
    return isl_stat_error;
  (*left)--;
  return isl_stat_ok;
}

/* The part of REACHED with this number of threads and these constants, and with 0 for all rigid variables. */
static isl_set *
instance_of(const hd_symbolic_system *s, isl_set *reached, uint64_t threads, const int64_t *constants)
{
  const hd_controller *c = s->c;
  hd_control_term *terms = hd_arena_alloc(s->arena, c->nstates * sizeof *terms);
  for (size_t i = 0; i < c->nstates; i++)
    terms[i] = (hd_control_term){(uint32_t) hd_control_counter_dimension(c, i), 1};
  hd_control_atom sum = {HD_CONTROL_ZERO, {-(int64_t) threads, c->nstates, terms}};
  hd_control_conjunction conjunction = {1, &sum};
  isl_set *here = isl_set_intersect(hd_symbolic_set(s, &(hd_control_set){1, &conjunction}), isl_set_copy(reached));
  for (size_t i = 0; i < c->nconstants + c->nrigid; i++)
    here = isl_set_fix_val(here, isl_dim_param, (unsigned) i,
                           isl_val_int_from_si(s->ctx, i < c->nconstants ? constants[i] : 0));
  return here;
}

/* REACHED, as far as it is about these constants and this number of threads, is what explicit search finds. False: that
 * is too much. */
static bool
compare_instance(hd_symbolic_system *s, isl_set *reached, uint64_t threads, const int64_t *constants, const char *what)
{
  const hd_controller *c = s->c;
  hd_arena *arena = hd_arena_new();
  hd_control_seen seen;
  hd_control_set rows;
  hd_control_seen_init(&seen, c, arena);
  hd_control_graph *g = hd_control_graph_new(c, threads, constants, STATES, &seen, arena, NULL, NULL);
  bool complete = g->n < STATES && hd_symbolic_to_set(s, reached, arena, &rows);
  int64_t *point = hd_arena_alloc(arena, (hd_control_dimensions(c) + 1) * sizeof *point);
  memset(point, 0, (hd_control_dimensions(c) + 1) * sizeof *point);
  memcpy(point, constants, c->nconstants * sizeof *point);
  for (size_t i = 0; i < g->n && complete; i++)
  {
    for (size_t k = 0; k < g->width; k++)
      point[c->nconstants + k] = hd_control_graph_state(g, i)[k];
    if (!hd_control_contains(&rows, point))
      fail_msg("%s: explicit search finds more with %d threads", what, (int) threads);
  }
  isl_set *here = instance_of(s, reached, threads, constants);
  size_t left = g->n;
  if (complete
      && (isl_set_is_bounded(here) != isl_bool_true || isl_set_foreach_point(here, count_point, &left) != isl_stat_ok
          || left > 0))
    fail_msg("%s: explicit search finds less with %d threads", what, (int) threads);
  isl_set_free(here);
  hd_control_graph_free(g);
  hd_arena_free(arena);
  return complete;
}

/* The reachable states of C are exact. Returns how many instances showed it; -1: they were not found. */
static int
compare(const hd_controller *c, const char *what)
{
  hd_arena *arena = hd_arena_new();
  hd_symbolic_system *s = hd_symbolic_system_new(arena, c, c->least_threads, c->most_threads, NULL, 0);
  hd_symbolic_allow(s, OPERATIONS);
  hd_symbolic_find_equalities(s);
  isl_set *reached = hd_symbolic_forward(s);
  const int64_t *const *instances;
  size_t n;
  hd_string ignored = {0};
  int compared = reached ? 0 : -1;
  hd_symbolic_allow(s, 0);
  if (reached && hd_control_instances(c, NULL, 0, arena, &instances, &n, &ignored))
    for (size_t i = 0; i < n && i < INSTANCES; i++)
      for (uint64_t t = c->least_threads; t <= c->least_threads + THREADS; t++)
        compared += compare_instance(s, reached, t, instances[i], what);
  hd_string_free(&ignored);
  isl_set_free(reached);
  hd_symbolic_system_free(s);
  hd_arena_free(arena);
  return compared;
}

static void
reachable_states_of_the_examples_are_exact(void **state)
{
  (void) state;
  static const char *const names[] = {"barrier.h", "bb.h", "bb_mutex.h",   "bb_rw.h",     "latch.h",
                                      "mutex.h",   "rw.h", "rw_writers.h", "semaphore.h", "semaphore_weighted.h"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
  {
    hd_string path = {0}, messages = {0};
    hd_string_printf(&path, "%s%s", EXAMPLES, names[i]);
    hd_controller *c = hd_control_read(path.text, &messages);
    assert_non_null(c);
    if (compare(c, names[i]) < 1)
      fail_msg("%s: the reachable states were not found", names[i]);
    hd_control_free(c);
    hd_string_free(&path);
    hd_string_free(&messages);
  }
}

static void
reachable_states_of_random_controllers_are_exact(void **state)
{
  (void) state;
  int found = 0, all = getenv("HEDDLE_TEST_SANITIZED") ? 10 : 40;
  for (int seed = 1; seed <= all; seed++)
  {
    little l;
    uint64_t random = (uint64_t) seed * 77 + 1;
    hd_string text = {0}, messages = {0}, what = {0};
    if (seed % 3 == 0)
      little_make(&l, &random);
    else
      little_make_orderly(&l, &random);
    if (seed % 2)
      little_vary(&l, &random);
    little_print(&text, &l, &random);
    hd_string_printf(&what, "seed %d\n%s\n", seed, text.text);
    hd_controller *c = hd_control_parse("little.h", text.text, text.length, &messages);
    if (c)
      found += compare(c, what.text) >= 0;
    hd_control_free(c);
    hd_string_free(&text);
    hd_string_free(&messages);
    hd_string_free(&what);
    little_free(&l);
  }
  print_message("# reachable states of %d controllers of %d\n", found, all);
  assert_true(found > all / 3);
}

/* Two lines through the origin: between them lie states that nothing convex excludes, and backwards there is always
 * one more. Which line it is, is a number, so that there are no cases to tell apart (modes.c). */
#define LINES                                                                                                          \
  "INT(a, 0) INT(b, 0) INT(line, 1) STATE(idle)\n"                                                                     \
  "BLOCKING(up) WHEN(line == 1) DO(a++; b++) WHEN(line == 2) DO(a++; b += 2) END\n"                                    \
  "BLOCKING(down) WHEN(line == 1 && a > 0) DO(a--; b--) WHEN(line == 2 && a > 0) DO(a--; b -= 2) END\n"                \
  "BLOCKING(turn) WHEN(a == 0) DO(line = 3 - line) END\n"                                                              \
  "EDGE(idle, up, idle) EDGE(idle, down, idle) EDGE(idle, turn, idle)\n"

static void
what_only_they_prove(void **state)
{
  (void) state;
  hd_string messages = {0};
  hd_controller *c = fixture_parse(LINES "SPEC(apart, AG(!(a == 5 && b == 7))) SPEC(far, AG(a <= 1600))", &messages);
  assert_non_null(c);
  hd_control_options options = {.most_threads = UINT64_MAX, .states = 20000};
  hd_control_result *r = hd_symbolic_verify(c, &options, &messages);
  assert_non_null(r);
  assert_int_equal(r->answers[0].verdict, HD_HOLDS);
  assert_non_null(strstr(r->answers[0].how, "the reachable states"));
  const hd_control_proof *proof = r->certificate->proofs[0];
  assert_int_equal(proof->excluded.n, 0);
  assert_true(proof->invariant.n > 1);
  /* Too far to be found backwards; but a state in which it fails is reachable, and that leads to a trace. */
  assert_int_equal(r->answers[1].verdict, HD_VIOLATED);
  hd_recheck_result *again = hd_recheck_run(c, r->certificate, 0);
  assert_int_equal(again->verdict, HD_HOLDS);
  assert_int_equal(again->claims[0].status, HD_RECHECK_PROVED);
  hd_recheck_free(again);
  hd_control_result_free(r);
  hd_control_free(c);
  hd_string_free(&messages);
}

/* The sums of 1, 2, 3, ... are no union of convex sets: the search ends without an answer, and nothing is concluded. */
static void
what_they_cannot_be_found_for(void **state)
{
  (void) state;
  hd_string messages = {0};
  hd_controller *c = fixture_parse("INT(n, 0) INT(sum, 0) STATE(idle)\n"
                                   "NONBLOCKING(add) WHEN(true) DO(n++; sum += n) END EDGE(idle, add, idle)\n"
                                   "SPEC(not_five, AG(sum != 5))",
                                   &messages);
  assert_non_null(c);
  assert_int_equal(compare(c, "sums"), -1);
  hd_control_free(c);
  hd_string_free(&messages);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reachable_states_of_the_examples_are_exact),
      cmocka_unit_test(reachable_states_of_random_controllers_are_exact),
      cmocka_unit_test(what_only_they_prove),
      cmocka_unit_test(what_they_cannot_be_found_for),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
