/* span.c: the affine space that points span, in exact arithmetic, and the points of small instances. */
#include <stdlib.h>
#include <string.h>

#include "control/explore.h"
#include "symbolic/span.h"

enum
{
  STATES = 300,   /* of an instance that is walked through */
  INSTANCES = 12, /* values of the constants */
  THREADS = 4     /* numbers of threads, from the least */
};

/* The column of a dimension of the control space: constants and counters before variables, so that equations say what a
 * variable is. */
static size_t
column_of(const hd_symbolic_span *x, size_t d)
{
  const hd_controller *c = x->s->c;
  return d < c->nconstants ? 1 + d : d < c->nconstants + c->nvariables ? 1 + d + c->nstates : 1 + d - c->nvariables;
}

void
hd_symbolic_span_init(hd_symbolic_span *x, const hd_symbolic_system *s)
{
  *x = (hd_symbolic_span){.s = s, .width = hd_control_rigid_dimension(s->c, 0) + 1};
  x->rows = calloc(x->width * x->width, sizeof *x->rows);
  x->pivots = calloc(x->width, sizeof *x->pivots);
  HD_CHECK(x->rows && x->pivots);
}

void
hd_symbolic_span_free(hd_symbolic_span *x)
{
  free(x->rows);
  free(x->pivots);
}

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
eliminate(hd_symbolic_span *x, __int128 *row, const __int128 *pivot, size_t at)
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

void
hd_symbolic_span_add(hd_symbolic_span *x, const int64_t *point)
{
  if (x->overflowed || x->n == x->width)
    return;
  __int128 *row = x->rows + x->n * x->width;
  memset(row, 0, x->width * sizeof *row);
  row[0] = 1;
  for (size_t d = 0; d + 1 < x->width; d++)
    row[column_of(x, d)] = point[d];
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
equation(hd_symbolic_span *x, size_t free_column, hd_control_linear *out)
{
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
  hd_control_term *terms = hd_arena_alloc(x->s->arena, x->width * sizeof *terms);
  *out = (hd_control_linear){(int64_t) factors[0], 0, terms};
  bool fits = factors[0] <= INT32_MAX && factors[0] >= INT32_MIN;
  for (size_t d = 0; d + 1 < x->width; d++)
  {
    __int128 f = factors[column_of(x, d)];
    fits = fits && f <= INT32_MAX && f >= INT32_MIN;
    if (f)
      terms[out->n++] = (hd_control_term){(uint32_t) d, (int64_t) f};
  }
  free(factors);
  return fits;
}

void
hd_symbolic_span_equations(hd_symbolic_span *x)
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
  x->equations = list;
  x->nequations = x->overflowed ? 0 : n;
}

bool
hd_symbolic_span_keeps(const hd_symbolic_span *x, const hd_control_linear *l, const hd_symbolic_step *step)
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
        value = row[column_of(x, d)];
      else
      {
        const hd_control_linear *after = &step->after[d - c->nconstants];
        value = row[0] * after->constant;
        for (size_t m = 0; m < after->n; m++)
          value += row[column_of(x, after->terms[m].dimension)] * after->terms[m].factor;
      }
      sum += value * l->terms[k].factor;
    }
    if (sum != 0)
      return false;
  }
  return true;
}

isl_set *
hd_symbolic_span_set(const hd_symbolic_span *x)
{
  isl_set *all = hd_symbolic_universe(x->s);
  for (size_t i = 0; i < x->nequations; i++)
    all = isl_set_intersect(all,
                            isl_set_from_basic_set(isl_aff_zero_basic_set(hd_symbolic_aff(x->s, &x->equations[i]))));
  return all;
}

isl_set *
hd_symbolic_not_zero(const hd_symbolic_system *s, const hd_control_linear *l, __isl_keep isl_multi_aff *map)
{
  isl_set *zero = isl_set_from_basic_set(isl_aff_zero_basic_set(hd_symbolic_aff(s, l)));
  isl_set *other = isl_set_complement(zero);
  return map ? isl_set_preimage_multi_aff(other, isl_multi_aff_copy(map)) : other;
}

void
hd_symbolic_walk(const hd_symbolic_system *s, hd_symbolic_visit visit, void *context)
{
  const hd_controller *c = s->c;
  hd_arena *arena = hd_arena_new();
  const int64_t *const *instances;
  size_t n;
  hd_string ignored = {0};
  hd_control_seen seen;
  hd_control_seen_init(&seen, c, arena);
  int64_t *point = calloc(hd_control_dimensions(c) + 1, sizeof *point);
  HD_CHECK(point);
  if (hd_control_instances(c, s->bindings, s->nbindings, arena, &instances, &n, &ignored))
    for (size_t i = 0; i < n && i < INSTANCES; i++)
      for (uint64_t t = s->least_threads; t < s->least_threads + THREADS && t <= s->most_threads; t++)
      {
        hd_control_graph *g = hd_control_graph_new(c, t, instances[i], STATES, &seen, arena, NULL, NULL);
        memcpy(point, instances[i], c->nconstants * sizeof *point);
        for (size_t k = 0; k < g->n; k++)
        {
          const int32_t *state = hd_control_graph_state(g, k);
          for (size_t v = 0; v < g->width; v++)
            point[c->nconstants + v] = state[v];
          visit(context, point);
        }
        hd_control_graph_free(g);
      }
  free(point);
  hd_string_free(&ignored);
  hd_arena_free(arena);
}
