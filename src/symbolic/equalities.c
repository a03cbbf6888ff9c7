/* equalities.c: the linear equalities that hold in every reachable state, such as nR == count(reading): the strongest
 * that every step keeps within the ranges of the variables.
 *
 * The states that are known to be possible span an affine space; its equations are the candidates (Karr's analysis,
 * with points in place of generators of sets). First a few small instances are walked through, which finds nearly all
 * of the space for nothing. Then every candidate is tried against the start and every step: most are kept for a reason
 * that linear algebra sees, for the others isl is asked for a state of the candidate space whose successor leaves
 * it. Such a successor joins the span, and the space grows by one dimension; it cannot grow more often than there are
 * dimensions. Where nothing leaves the space any more, it is an invariant. */
#include <stdlib.h>
#include <string.h>

#include "control/explore.h"
#include "symbolic/system.h"

enum
{
  STATES = 300,   /* of an instance that is walked through */
  INSTANCES = 12, /* values of the constants */
  THREADS = 4     /* numbers of threads, from the least */
};

/* The span: rows in reduced echelon form over the columns 1, constants, counters, variables. */
typedef struct span
{
  hd_symbolic_system *s;
  size_t width, n;
  __int128 *rows;  /* N of WIDTH, each without a common divisor */
  size_t *pivots;  /* of the rows */
  size_t *column;  /* of a dimension of the control space */
  bool overflowed; /* numbers became too large: nothing is concluded */
} span;

static __int128
divisor(__int128 a, __int128 b)
{
  while (b)
  {
    __int128 r = a % b;
    a = b;
    b = r;
  }
  return a < 0 ? -a : a;
}

static void
normalise(__int128 *row, size_t width)
{
  __int128 d = 0;
  for (size_t i = 0; i < width; i++)
    d = divisor(row[i], d);
  for (size_t i = 0; i < width && d > 1; i++)
    row[i] /= d;
}

/* ROW := ROW without its entry in the column of PIVOT, which has its pivot there. */
static void
eliminate(span *x, __int128 *row, const __int128 *pivot, size_t at)
{
  __int128 a = pivot[at], b = row[at];
  if (b == 0)
    return;
  for (size_t i = 0; i < x->width; i++)
  {
    __int128 p, q;
    if (__builtin_mul_overflow(row[i], a, &p) || __builtin_mul_overflow(pivot[i], b, &q)
        || __builtin_sub_overflow(p, q, &row[i]))
    {
      x->overflowed = true;
      return;
    }
  }
  normalise(row, x->width);
}

static void
add_point(span *x, const int64_t *point)
{
  const hd_controller *c = x->s->c;
  if (x->overflowed || x->n == x->width)
    return;
  __int128 *row = x->rows + x->n * x->width;
  memset(row, 0, x->width * sizeof *row);
  row[0] = 1;
  for (size_t d = 0; d < hd_control_rigid_dimension(c, 0); d++)
    row[x->column[d]] = point[d];
  for (size_t i = 0; i < x->n; i++)
    eliminate(x, row, x->rows + i * x->width, x->pivots[i]);
  size_t at = 0;
  while (at < x->width && row[at] == 0)
    at++;
  if (at == x->width || x->overflowed)
    return;
  for (size_t i = 0; i < x->n; i++)
    eliminate(x, x->rows + i * x->width, row, at);
  x->pivots[x->n++] = at;
}

/* The equation that gives column FREE, which has no pivot, from the others; false: its numbers are too large. */
static bool
equation(span *x, size_t free_column, hd_control_linear *out)
{
  const hd_controller *c = x->s->c;
  size_t dimensions = hd_control_rigid_dimension(c, 0);
  __int128 common = 1;
  for (size_t i = 0; i < x->n; i++)
  {
    __int128 a = x->rows[i * x->width + x->pivots[i]];
    common = common / divisor(common, a) * (a < 0 ? -a : a);
    if (common > INT32_MAX)
      return false;
  }
  __int128 *factors = calloc(x->width, sizeof *factors);
  HD_CHECK(factors);
  factors[free_column] = common;
  for (size_t i = 0; i < x->n; i++)
  {
    const __int128 *row = x->rows + i * x->width;
    factors[x->pivots[i]] = -row[free_column] * (common / row[x->pivots[i]]);
  }
  normalise(factors, x->width);
  hd_control_term *terms = hd_arena_alloc(x->s->arena, (dimensions + 1) * sizeof *terms);
  *out = (hd_control_linear){(int64_t) factors[0], 0, terms};
  bool fits = factors[0] <= INT32_MAX && factors[0] >= INT32_MIN;
  for (size_t d = 0; d < dimensions; d++)
  {
    __int128 f = factors[x->column[d]];
    fits = fits && f <= INT32_MAX && f >= INT32_MIN;
    if (f)
      terms[out->n++] = (hd_control_term){(uint32_t) d, (int64_t) f};
  }
  free(factors);
  return fits;
}

/* All equations of the span. */
static void
find_equations(span *x)
{
  hd_control_linear *list = hd_arena_alloc(x->s->arena, (x->width + 1) * sizeof *list);
  size_t n = 0;
  for (size_t column = 1; column < x->width; column++)
  {
    bool pivot = false;
    for (size_t i = 0; i < x->n; i++)
      pivot = pivot || x->pivots[i] == column;
    if (!pivot && !equation(x, column, &list[n++]))
      x->overflowed = true;
  }
  x->s->equalities = list;
  x->s->nequalities = x->overflowed ? 0 : n;
}

/* Add the states of small instances. */
static void
walk(span *x)
{
  const hd_controller *c = x->s->c;
  hd_arena *arena = hd_arena_new();
  const int64_t *const *instances;
  size_t n;
  hd_string ignored = {0};
  hd_control_seen seen;
  hd_control_seen_init(&seen, c, arena);
  int64_t *point = calloc(hd_control_dimensions(c) + 1, sizeof *point);
  HD_CHECK(point);
  if (hd_control_instances(c, x->s->bindings, x->s->nbindings, arena, &instances, &n, &ignored))
    for (size_t i = 0; i < n && i < INSTANCES; i++)
      for (uint64_t t = x->s->least_threads; t < x->s->least_threads + THREADS && t <= x->s->most_threads; t++)
      {
        hd_control_graph *g = hd_control_graph_new(c, t, instances[i], STATES, &seen, arena, NULL, NULL);
        memcpy(point, instances[i], c->nconstants * sizeof *point);
        for (size_t k = 0; k < g->n; k++)
        {
          const int32_t *state = hd_control_graph_state(g, k);
          for (size_t v = 0; v < g->width; v++)
            point[c->nconstants + v] = state[v];
          add_point(x, point);
        }
        hd_control_graph_free(g);
      }
  free(point);
  hd_string_free(&ignored);
  hd_arena_free(arena);
}

static isl_set *
equal_to_zero(const hd_symbolic_system *s)
{
  isl_set *all = hd_symbolic_universe(s);
  for (size_t i = 0; i < s->nequalities; i++)
    all = isl_set_intersect(all, isl_set_from_basic_set(isl_aff_zero_basic_set(hd_symbolic_aff(s, &s->equalities[i]))));
  return all;
}

/* Where LINEAR, after the step of MAP if there is one, is not 0. */
static isl_set *
not_zero(const hd_symbolic_system *s, const hd_control_linear *l, __isl_keep isl_multi_aff *map)
{
  isl_set *zero = isl_set_from_basic_set(isl_aff_zero_basic_set(hd_symbolic_aff(s, l)));
  isl_set *other = isl_set_complement(zero);
  return map ? isl_set_preimage_multi_aff(other, isl_multi_aff_copy(map)) : other;
}

/* Is LINEAR 0 after STEP from any point of the span? */
static bool
kept(const span *x, const hd_control_linear *l, const hd_symbolic_step *step)
{
  const hd_controller *c = x->s->c;
  /* It is enough to look at the points that span the space: the value after is linear too. */
  for (size_t i = 0; i < x->n; i++)
  {
    const __int128 *row = x->rows + i * x->width;
    __int128 sum = row[0] * l->constant;
    for (size_t k = 0; k < l->n; k++)
    {
      size_t d = l->terms[k].dimension;
      __int128 value = 0;
      if (d < c->nconstants)
        value = row[x->column[d]];
      else
      {
        const hd_control_linear *after = &step->after[d - c->nconstants];
        value = row[0] * after->constant;
        for (size_t m = 0; m < after->n; m++)
          value += row[x->column[after->terms[m].dimension]] * after->terms[m].factor;
      }
      sum += value * l->terms[k].factor;
    }
    if (sum != 0)
      return false;
  }
  return true;
}

/* Find a state of the span that has to be in it and is not: of the start, or after a step. */
static bool
find_leaving(span *x, int64_t *point, int64_t *after)
{
  hd_symbolic_system *s = x->s;
  const hd_controller *c = s->c;
  for (size_t i = 0; i < s->nequalities; i++)
    if (hd_symbolic_sample(s, isl_set_intersect(isl_set_copy(s->start), not_zero(s, &s->equalities[i], NULL)), after)
        != 0)
      return true;
  isl_set *here = isl_set_intersect(isl_set_copy(s->domain), equal_to_zero(s));
  bool found = false;
  for (size_t t = 0; t < s->nsteps && !found; t++)
    for (size_t i = 0; i < s->nequalities && !found; i++)
    {
      if (kept(x, &s->equalities[i], &s->steps[t]))
        continue;
      isl_set *leaves = isl_set_intersect(isl_set_copy(here), isl_set_copy(s->steps[t].guard));
      leaves = isl_set_intersect(leaves, not_zero(s, &s->equalities[i], s->steps[t].map));
      found = hd_symbolic_sample(s, leaves, point) != 0;
      memcpy(after, point, hd_control_dimensions(c) * sizeof *after);
      for (size_t v = 0; v < c->nvariables + c->nstates && found; v++)
        after[c->nconstants + v] = (int64_t) hd_control_value(&s->steps[t].after[v], point);
    }
  isl_set_free(here);
  return found;
}

void
hd_symbolic_find_equalities(hd_symbolic_system *s)
{
  const hd_controller *c = s->c;
  size_t dimensions = hd_control_rigid_dimension(c, 0), all = hd_control_dimensions(c);
  span x = {.s = s, .width = dimensions + 1};
  x.rows = calloc(x.width * x.width, sizeof *x.rows);
  x.pivots = calloc(x.width, sizeof *x.pivots);
  x.column = calloc(x.width, sizeof *x.column);
  int64_t *points = calloc(2 * all + 1, sizeof *points);
  HD_CHECK(x.rows && x.pivots && x.column && points);
  for (size_t d = 0; d < dimensions; d++)
    x.column[d] = d < c->nconstants                   ? 1 + d
                  : d < c->nconstants + c->nvariables ? 1 + d + c->nstates
                                                      : 1 + d - c->nvariables;
  walk(&x);
  do
    find_equations(&x);
  while (!x.overflowed && !hd_symbolic_over(s) && find_leaving(&x, points, points + all)
         && (add_point(&x, points + all), true));
  if (x.overflowed || hd_symbolic_over(s))
    s->nequalities = 0;
  isl_set_free(s->base);
  isl_set_free(s->inside);
  s->base = isl_set_coalesce(isl_set_intersect(isl_set_copy(s->domain), equal_to_zero(s)));
  s->inside = isl_set_copy(s->base);
  if (!hd_symbolic_to_set(s, s->base, s->arena, &s->base_rows) && !hd_symbolic_over(s))
    s->failed = "the invariant is too large to be written";
  free(x.rows);
  free(x.pivots);
  free(x.column);
  free(points);
}
