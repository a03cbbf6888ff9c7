/* ranking.c: lexicographic linear rankings.
 *
 * What can serve as a rank is what is known to be at least 0 on the region: the constraints of its hull. For each of
 * them and each step that stays in the region, the most by which the step can raise it is a number (or there is none).
 * A rank is a combination of them, with weights that are not negative, that no remaining step raises and some step
 * lowers; the steps it lowers are done with, and the next rank is for the others. Single constraints are tried first;
 * only if none serves is a combination looked for, as a point of the polyhedron of all weights. */
#include <stdlib.h>
#include <string.h>

#include "symbolic/eventually.h"

#include <isl/constraint.h>
#include <isl/ilp.h>
#include <isl/point.h>
#include <isl/space.h>

enum
{
  UNBOUNDED = INT32_MAX, /* the step may raise it by any amount */
  MOST_WEIGHT = 64
};

typedef struct ranking
{
  hd_symbolic_system *s;
  hd_arena *arena;
  size_t ncandidates, nsteps;
  const hd_control_linear **candidates;
  int64_t *rise;   /* by step and candidate: the most by which it rises */
  bool *remaining; /* by step: has to become smaller and does not yet */
  bool *strict;    /* by step: has to become smaller; else it must never become larger */
} ranking;

static hd_control_linear
from_dense(hd_arena *arena, const int64_t *dense, size_t dimensions)
{
  hd_control_term *terms = hd_arena_alloc(arena, (dimensions + 1) * sizeof *terms);
  hd_control_linear l = {dense[dimensions], 0, terms};
  for (size_t d = 0; d < dimensions; d++)
    if (dense[d])
      terms[l.n++] = (hd_control_term){(uint32_t) d, dense[d]};
  return l;
}

static void
add_to_dense(int64_t *dense, size_t dimensions, int64_t factor, const hd_control_linear *l)
{
  dense[dimensions] += factor * l->constant;
  for (size_t i = 0; i < l->n; i++)
    dense[l->terms[i].dimension] += factor * l->terms[i].factor;
}

/* The most by which STEP can raise F in the states of WHERE. */
static int64_t
rise_of(ranking *r, const hd_control_linear *f, const hd_symbolic_step *step, __isl_keep isl_set *where)
{
  const hd_controller *c = r->s->c;
  size_t dimensions = hd_control_dimensions(c), first = c->nconstants, own = c->nvariables + c->nstates;
  int64_t *change = calloc(dimensions + 1, sizeof *change);
  HD_CHECK(change);
  add_to_dense(change, dimensions, -1, f);
  change[dimensions] += f->constant;
  for (size_t i = 0; i < f->n; i++)
  {
    size_t d = f->terms[i].dimension;
    if (d >= first && d < first + own)
      add_to_dense(change, dimensions, f->terms[i].factor, &step->after[d - first]);
    else
      change[d] += f->terms[i].factor;
  }
  hd_control_linear l = from_dense(r->arena, change, dimensions);
  free(change);
  if (l.n == 0)
    return l.constant;
  isl_aff *aff = hd_symbolic_aff(r->s, &l);
  isl_val *most = isl_set_max_val(where, aff);
  isl_aff_free(aff);
  int64_t rise = UNBOUNDED;
  if (most && isl_val_is_int(most) == isl_bool_true && isl_val_cmp_si(most, UNBOUNDED) < 0
      && isl_val_cmp_si(most, -UNBOUNDED) > 0)
    rise = isl_val_get_num_si(most);
  isl_val_free(most);
  return rise;
}

/* Does WEIGHTS raise no step that counts? Then *LOWERED is how many of the remaining ones it lowers. */
static bool
serves(const ranking *r, const int64_t *weights, size_t *lowered, bool *lowers)
{
  *lowered = 0;
  for (size_t t = 0; t < r->nsteps; t++)
  {
    int64_t sum = 0;
    lowers[t] = false;
    if (!r->remaining[t] && r->strict[t])
      continue; /* an earlier rank falls */
    for (size_t j = 0; j < r->ncandidates; j++)
      if (weights[j])
      {
        if (r->rise[t * r->ncandidates + j] == UNBOUNDED)
          return false;
        sum += weights[j] * r->rise[t * r->ncandidates + j];
      }
    if (sum > 0)
      return false;
    lowers[t] = r->remaining[t] && sum < 0;
    *lowered += lowers[t];
  }
  return *lowered > 0;
}

/* A combination of several candidates, as a point of the polyhedron of weights. */
static bool
combine(ranking *r, int64_t *weights)
{
  isl_ctx *ctx = r->s->ctx;
  isl_space *space = isl_space_set_alloc(ctx, 0, (unsigned) r->ncandidates);
  isl_local_space *local = isl_local_space_from_space(isl_space_copy(space));
  isl_basic_set *b = isl_basic_set_universe(space);
  isl_constraint *together = isl_constraint_alloc_inequality(isl_local_space_copy(local));
  isl_constraint *most = isl_constraint_alloc_inequality(isl_local_space_copy(local));
  together = isl_constraint_set_constant_si(together, -1);
  most = isl_constraint_set_constant_si(most, MOST_WEIGHT);
  int64_t *sums = calloc(r->ncandidates + 1, sizeof *sums);
  HD_CHECK(sums);
  for (size_t t = 0; t < r->nsteps; t++)
  {
    if (!r->remaining[t] && r->strict[t])
      continue;
    isl_constraint *k = isl_constraint_alloc_inequality(isl_local_space_copy(local));
    for (size_t j = 0; j < r->ncandidates; j++)
    {
      int64_t rise = r->rise[t * r->ncandidates + j];
      if (rise == UNBOUNDED)
        b = isl_basic_set_fix_si(b, isl_dim_set, (unsigned) j, 0);
      else
      {
        k = isl_constraint_set_coefficient_si(k, isl_dim_set, (int) j, (int) -rise);
        sums[j] -= r->remaining[t] ? rise : 0;
      }
    }
    b = isl_basic_set_add_constraint(b, k);
  }
  for (size_t j = 0; j < r->ncandidates; j++)
  {
    b = isl_basic_set_lower_bound_val(b, isl_dim_set, (unsigned) j, isl_val_zero(ctx));
    together = isl_constraint_set_coefficient_si(together, isl_dim_set, (int) j, (int) sums[j]);
    most = isl_constraint_set_coefficient_si(most, isl_dim_set, (int) j, -1);
  }
  b = isl_basic_set_add_constraint(isl_basic_set_add_constraint(b, together), most);
  isl_local_space_free(local);
  free(sums);
  isl_point *p = isl_basic_set_sample_point(b);
  bool found = p && isl_point_is_void(p) == isl_bool_false;
  for (size_t j = 0; j < r->ncandidates && found; j++)
  {
    isl_val *v = isl_point_get_coordinate_val(p, isl_dim_set, (int) j);
    weights[j] = isl_val_get_num_si(v);
    isl_val_free(v);
  }
  isl_point_free(p);
  return found;
}

/* The next rank; false: there is none. */
static bool
next_rank(ranking *r, hd_control_linear *rank)
{
  int64_t *weights = calloc(r->ncandidates + 1, sizeof *weights);
  bool *lowers = calloc(r->nsteps + 1, sizeof *lowers);
  HD_CHECK(weights && lowers);
  size_t best = SIZE_MAX, most = 0, lowered;
  for (size_t j = 0; j < r->ncandidates; j++)
  {
    weights[j] = 1;
    if (serves(r, weights, &lowered, lowers) && lowered > most)
    {
      best = j;
      most = lowered;
    }
    weights[j] = 0;
  }
  bool found = best != SIZE_MAX;
  if (found)
    weights[best] = 1;
  else
    found = combine(r, weights);
  found = found && serves(r, weights, &lowered, lowers);
  if (found)
  {
    size_t dimensions = hd_control_dimensions(r->s->c);
    int64_t *dense = calloc(dimensions + 1, sizeof *dense);
    HD_CHECK(dense);
    for (size_t j = 0; j < r->ncandidates; j++)
      add_to_dense(dense, dimensions, weights[j], r->candidates[j]);
    *rank = from_dense(r->arena, dense, dimensions);
    free(dense);
    for (size_t t = 0; t < r->nsteps; t++)
      r->remaining[t] = r->remaining[t] && !lowers[t];
  }
  free(weights);
  free(lowers);
  return found;
}

static bool
any_remaining(const ranking *r)
{
  for (size_t t = 0; t < r->nsteps; t++)
    if (r->remaining[t])
      return true;
  return false;
}

/* What is not negative on the whole of REGION. */
static void
find_candidates(ranking *r, __isl_keep isl_set *region)
{
  isl_set *hull = isl_set_from_basic_set(isl_set_simple_hull(isl_set_copy(region)));
  hd_control_set set;
  if (hd_symbolic_to_set(r->s, hull, r->arena, &set) && set.n == 1)
  {
    const hd_control_conjunction *k = &set.conjunctions[0];
    r->candidates = hd_arena_alloc(r->arena, (k->n + 1) * sizeof(void *));
    for (size_t i = 0; i < k->n; i++)
      if (k->atoms[i].relation == HD_CONTROL_NOT_NEGATIVE)
        r->candidates[r->ncandidates++] = &k->atoms[i].linear;
  }
  isl_set_free(hull);
}

bool
hd_symbolic_rank(hd_symbolic_system *s, __isl_keep isl_set *region, int32_t helpful, hd_arena *arena,
                 hd_control_stage *stage)
{
  ranking r = {.s = s, .arena = arena, .nsteps = s->nsteps};
  find_candidates(&r, region);
  size_t cells = r.nsteps * r.ncandidates + 1;
  r.rise = calloc(cells, sizeof *r.rise);
  r.remaining = calloc(r.nsteps + 1, sizeof *r.remaining);
  r.strict = calloc(r.nsteps + 1, sizeof *r.strict);
  HD_CHECK(r.rise && r.remaining && r.strict);
  bool helped = false;
  for (size_t t = 0; t < r.nsteps && !hd_symbolic_over(s); t++)
  {
    const hd_symbolic_step *step = &s->steps[t];
    r.strict[t] = helpful < 0 || s->c->edges[step->edge].from == s->c->edges[helpful].from;
    isl_set *where = isl_set_intersect(isl_set_copy(region), hd_symbolic_before(s, step, region));
    bool stays = isl_set_is_empty(where) != isl_bool_true;
    if (stays)
      for (size_t j = 0; j < r.ncandidates; j++)
        r.rise[t * r.ncandidates + j] = rise_of(&r, r.candidates[j], step, where);
    isl_set_free(where);
    /* A step that does not stay counts as one that has been lowered already, whichever its kind. */
    r.remaining[t] = stays && r.strict[t];
    r.strict[t] = r.strict[t] || !stays;
    helped = helped || r.remaining[t];
  }
  hd_control_linear *ranks = hd_arena_alloc(arena, (r.nsteps + 1) * sizeof *ranks);
  stage->nranks = 0;
  stage->ranks = ranks;
  stage->helpful = helpful;
  bool found = true;
  while (found && !hd_symbolic_over(s) && any_remaining(&r))
    found = next_rank(&r, &ranks[stage->nranks++]);
  free(r.rise);
  free(r.remaining);
  free(r.strict);
  return found && !hd_symbolic_over(s);
}
