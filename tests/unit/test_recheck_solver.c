/* The solver of src/recheck against trying all points of a box.
 *
 * HEDDLE_SOLVER_CASES=n   how many problems are compared (default 20000)
 * HEDDLE_SOLVER_SEED=n    only this one */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "recheck/solver.h"
#include "settings.h"

enum
{
  MOST_DIMENSIONS = 4,
  BOX = 3 /* -BOX .. BOX */
};

static int64_t
between(uint64_t *random, int64_t low, int64_t high)
{
  return low + (int64_t) (hd_random(random) % (uint64_t) (high - low + 1));
}

/* ---- making problems ---- */

static int64_t large; /* not 0: numbers up to this */

static hd_control_atom
random_atom(hd_arena *arena, uint64_t *random, size_t ndimensions, int64_t size)
{
  hd_control_term *terms = hd_arena_alloc(arena, (ndimensions + 1) * sizeof *terms);
  hd_control_linear l = {.constant = between(random, -3 * size, 3 * size), .terms = terms};
  for (size_t d = 0; d < ndimensions; d++)
  {
    int64_t factor = hd_random(random) % 3 == 0 ? 0 : between(random, -size, size);
    if (factor)
      terms[l.n++] = (hd_control_term){(uint32_t) d, factor};
  }
  return (hd_control_atom){hd_random(random) % 4 == 0 ? HD_CONTROL_ZERO : HD_CONTROL_NOT_NEGATIVE, l};
}

static hd_control_set
random_set(hd_arena *arena, uint64_t *random, size_t ndimensions, size_t most, int64_t size)
{
  size_t n = (size_t) between(random, 1, (int64_t) most);
  hd_control_conjunction *all = hd_arena_alloc(arena, n * sizeof *all);
  for (size_t i = 0; i < n; i++)
  {
    size_t m = (size_t) between(random, hd_random(random) % 20 ? 1 : 0, 3);
    hd_control_atom *atoms = hd_arena_alloc(arena, (m + 1) * sizeof *atoms);
    for (size_t k = 0; k < m; k++)
      atoms[k] = random_atom(arena, random, ndimensions, size);
    all[i] = (hd_control_conjunction){m, atoms};
  }
  return (hd_control_set){n, all};
}

static hd_control_atom
bound_atom(hd_arena *arena, size_t dimension, int64_t factor, int64_t constant)
{
  hd_control_term *term = hd_arena_alloc(arena, sizeof *term);
  *term = (hd_control_term){(uint32_t) dimension, factor};
  return (hd_control_atom){HD_CONTROL_NOT_NEGATIVE, {.constant = constant, .n = 1, .terms = term}};
}

typedef struct made
{
  hd_solver_problem p;
  hd_control_set in[8], out[8];
  size_t nin, nout;
} made;

static void
make(made *m, uint64_t seed, bool boxed)
{
  uint64_t random = seed;
  *m = (made){.p.arena = hd_arena_new()};
  hd_arena *arena = m->p.arena;
  size_t n = m->p.ndimensions = (size_t) between(&random, 1, MOST_DIMENSIONS);
  int64_t size = large ? large : between(&random, 1, 4);
  m->nin = (size_t) between(&random, 0, 4);
  m->nout = (size_t) between(&random, 0, 5);
  for (size_t d = 0; boxed && d < n; d++)
  {
    hd_solver_add_atom(&m->p, bound_atom(arena, d, 1, BOX));
    hd_solver_add_atom(&m->p, bound_atom(arena, d, -1, BOX));
  }
  for (size_t i = 0; i < m->nin; i++)
  {
    m->in[i] = random_set(arena, &random, n, 3, size);
    hd_solver_add(&m->p, m->in[i]);
  }
  for (size_t i = 0; i < m->nout; i++)
  {
    m->out[i] = random_set(arena, &random, n, 3, size);
    hd_solver_exclude(&m->p, &m->out[i]);
  }
}

static void
unmake(made *m)
{
  hd_solver_free(&m->p);
  hd_arena_free(m->p.arena);
}

/* ---- the slow and obvious answer ---- */

static bool
good(const made *m, const int64_t *point)
{
  bool yes = true;
  for (size_t i = 0; yes && i < m->nin; i++)
    yes = hd_control_contains(&m->in[i], point);
  for (size_t i = 0; yes && i < m->nout; i++)
    yes = !hd_control_contains(&m->out[i], point);
  return yes;
}

static bool
some_point(const made *m, size_t dimension, int64_t *point)
{
  if (dimension == m->p.ndimensions)
    return good(m, point);
  for (point[dimension] = -BOX; point[dimension] <= BOX; point[dimension]++)
    if (some_point(m, dimension + 1, point))
      return true;
  return false;
}

static uint64_t
compare(uint64_t seed, bool boxed, uint64_t work)
{
  made m;
  int64_t point[MOST_DIMENSIONS + 1], other[MOST_DIMENSIONS + 1];
  make(&m, seed, boxed);
  hd_solver_answer answer = hd_solver_solve(&m.p, work, point);
  bool there = some_point(&m, 0, other);
  if (answer == HD_SOLVER_POINT && !good(&m, point))
    fail_msg("seed %llu: the point is not in all sets", (unsigned long long) seed);
  if (answer == HD_SOLVER_NONE && there)
    fail_msg("seed %llu: there is a point", (unsigned long long) seed);
  if (boxed && !work && !large && answer != (there ? HD_SOLVER_POINT : HD_SOLVER_NONE))
    fail_msg("seed %llu: %d, but a point is %sthere", (unsigned long long) seed, answer, there ? "" : "not ");
  unmake(&m);
  return answer == HD_SOLVER_UNKNOWN;
}

static void
as_all_points_say(void **state)
{
  (void) state;
  uint64_t only = setting("HEDDLE_SOLVER_SEED", 0), n = setting("HEDDLE_SOLVER_CASES", 20000);
  for (uint64_t i = 1; i <= n; i++)
    if (!only || i == only)
      compare(i, true, 0);
}

/* Numbers that do not fit any more: mostly not known, never wrong. */
static void
with_large_numbers(void **state)
{
  (void) state;
  uint64_t only = setting("HEDDLE_SOLVER_SEED", 0), n = setting("HEDDLE_SOLVER_CASES", 20000) / 4, unknown = 0;
  for (uint64_t i = 1; i <= n; i++)
    for (large = 1000; large < INT64_MAX / 4000 && (!only || i == only); large *= 1000)
      unknown += compare(i, i % 2, i % 3 ? 0 : 1 + i % 23);
  large = 0;
  assert_true(only || unknown > 0);
}

/* Whatever is left undone, what is said is right. */
static void
with_little_work(void **state)
{
  (void) state;
  uint64_t only = setting("HEDDLE_SOLVER_SEED", 0), n = setting("HEDDLE_SOLVER_CASES", 20000), unknown = 0;
  for (uint64_t i = 1; i <= n; i++)
    if (!only || i == only)
      unknown += compare(i, i % 2, 1 + i % 23);
  assert_true(only || (unknown > n / 100 && unknown < n / 2));
}

/* Without a box nothing bounds the search for integers but its own limits. What it does not know must be rare. */
static void
without_a_box(void **state)
{
  (void) state;
  uint64_t only = setting("HEDDLE_SOLVER_SEED", 0), n = setting("HEDDLE_SOLVER_CASES", 20000), unknown = 0;
  for (uint64_t i = 1; i <= n; i++)
    if (!only || i == only)
      unknown += compare(i, false, 0);
  print_message("%llu of %llu are not known\n", (unsigned long long) unknown, (unsigned long long) n);
  assert_true(only || unknown * 100 <= n);
}

/* ---- single problems ---- */

typedef struct row
{
  int64_t factors[3], constant;
  hd_control_relation relation;
} row;

static hd_solver_answer
solve(const row *rows, size_t n, uint64_t work)
{
  hd_solver_problem p = {.arena = hd_arena_new(), .ndimensions = 3};
  int64_t point[3];
  for (size_t i = 0; i < n; i++)
  {
    hd_control_term *terms = hd_arena_alloc(p.arena, 3 * sizeof *terms);
    hd_control_linear l = {.constant = rows[i].constant, .terms = terms};
    for (uint32_t d = 0; d < 3; d++)
      if (rows[i].factors[d])
        terms[l.n++] = (hd_control_term){d, rows[i].factors[d]};
    hd_solver_add_atom(&p, (hd_control_atom){rows[i].relation, l});
  }
  hd_solver_answer answer = hd_solver_solve(&p, work, point);
  hd_solver_free(&p);
  hd_arena_free(p.arena);
  return answer;
}

#define SOLVE(work, ...) solve((const row[]){__VA_ARGS__}, sizeof((const row[]){__VA_ARGS__}) / sizeof(row), work)

static void
odd_and_even(void **state)
{
  (void) state;
  const hd_control_relation zero = HD_CONTROL_ZERO, more = HD_CONTROL_NOT_NEGATIVE;
  assert_int_equal(SOLVE(0, {{2, -2, 0}, -1, zero}), HD_SOLVER_NONE);
  /* x + y == 2z + 1 and x == y */
  assert_int_equal(SOLVE(0, {{1, 1, -2}, -1, zero}, {{1, -1, 0}, 0, zero}), HD_SOLVER_NONE);
  assert_int_equal(SOLVE(0, {{1, 1, -2}, -2, zero}, {{1, -1, 0}, 0, zero}), HD_SOLVER_POINT);
  /* 1 <= 3x - 3y <= 2 */
  assert_int_equal(SOLVE(0, {{3, -3, 0}, -1, more}, {{-3, 3, 0}, 2, more}), HD_SOLVER_NONE);
  /* 3x + 6y == 10z + 1 has one: 3*(-3) + 6*0 == 10*(-1) + 1 */
  assert_int_equal(SOLVE(0, {{3, 6, -10}, -1, zero}), HD_SOLVER_POINT);
  /* a triangle without integers inside: 4y >= 1, 4y <= 4x - 1, 4x <= 3 */
  assert_int_equal(SOLVE(0, {{0, 4, 0}, -1, more}, {{4, -4, 0}, -1, more}, {{-4, 0, 0}, 3, more}), HD_SOLVER_NONE);
}

/* z is even and at least 1. The first way of a choice lets it be 1, which is odd: that is the fault of this way alone.
 */
static void
the_other_way(void **state)
{
  (void) state;
  hd_solver_problem p = {.arena = hd_arena_new(), .ndimensions = 4};
  int64_t point[4];
  enum
  {
    X,
    Y,
    Z,
    W
  };
  const hd_control_term even[3] = {{X, 2}, {Y, -2}, {Z, -1}};
  hd_solver_add_atom(&p, (hd_control_atom){HD_CONTROL_ZERO, {.n = 3, .terms = even}});
  hd_solver_add_atom(&p, bound_atom(p.arena, Z, 1, -1));
  const hd_control_atom one[2] = {bound_atom(p.arena, Z, -1, 1), bound_atom(p.arena, W, 1, -1)};
  const hd_control_atom more[2] = {bound_atom(p.arena, Z, 1, -2), bound_atom(p.arena, W, 1, -1)};
  const hd_control_conjunction ways[2] = {{2, one}, {2, more}};
  hd_solver_add(&p, (hd_control_set){2, ways});
  assert_int_equal(hd_solver_solve(&p, 0, point), HD_SOLVER_POINT);
  assert_true(point[Z] >= 2 && point[Z] % 2 == 0 && point[W] >= 1);
  hd_solver_free(&p);
  hd_arena_free(p.arena);
}

/* Too large or too long is not known, and never an answer. */
static void
limits(void **state)
{
  (void) state;
  const hd_control_relation zero = HD_CONTROL_ZERO, more = HD_CONTROL_NOT_NEGATIVE;
  const int64_t p = 1000000007, q = 998244353, large = INT64_MAX / 8;
  assert_int_equal(SOLVE(0, {{p * 7, q * 3, p * q}, 1, more}, {{p * q, -p, q}, -large, more},
                         {{q, p * q, p * 5 - 1}, large, zero}, {{-p * 3, p, p * q - 1}, 17, zero}),
                   HD_SOLVER_UNKNOWN);
  assert_int_equal(SOLVE(1, {{1, 1, 0}, -7, more}, {{1, -1, 0}, -7, more}, {{-1, 0, 1}, -2, zero}), HD_SOLVER_UNKNOWN);
  assert_int_equal(SOLVE(0, {{INT64_MIN, 3, 0}, INT64_MIN, zero}), HD_SOLVER_UNKNOWN);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(as_all_points_say),
      cmocka_unit_test(with_large_numbers),
      cmocka_unit_test(with_little_work),
      cmocka_unit_test(without_a_box),
      cmocka_unit_test(odd_and_even),
      cmocka_unit_test(the_other_way),
      cmocka_unit_test(limits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
