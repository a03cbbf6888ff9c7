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

#include "symbolic/span.h"

static void
visit(void *context, const int64_t *point)
{
  hd_symbolic_span_add(context, point);
}

/* Find a state of the span that has to be in it and is not: of the start, or after a step. */
static bool
find_leaving(hd_symbolic_system *s, hd_symbolic_span *x, int64_t *point, int64_t *after)
{
  const hd_controller *c = s->c;
  for (size_t i = 0; i < x->nequations; i++)
    if (hd_symbolic_sample(
            s, isl_set_intersect(isl_set_copy(s->start), hd_symbolic_not_zero(s, &x->equations[i], NULL)), after)
        != 0)
      return true;
  isl_set *here = isl_set_intersect(isl_set_copy(s->domain), hd_symbolic_span_set(x));
  bool found = false;
  for (size_t t = 0; t < s->nsteps && !found; t++)
    for (size_t i = 0; i < x->nequations && !found; i++)
    {
      if (hd_symbolic_span_keeps(x, &x->equations[i], &s->steps[t]))
        continue;
      isl_set *leaves = isl_set_intersect(isl_set_copy(here), isl_set_copy(s->steps[t].guard));
      leaves = isl_set_intersect(leaves, hd_symbolic_not_zero(s, &x->equations[i], s->steps[t].map));
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
  size_t all = hd_control_dimensions(s->c);
  hd_symbolic_span x;
  hd_symbolic_span_init(&x, s);
  int64_t *points = calloc(2 * all + 1, sizeof *points);
  HD_CHECK(points);
  hd_symbolic_walk(s, visit, &x);
  do
    hd_symbolic_span_equations(&x);
  while (!x.overflowed && !hd_symbolic_over(s) && find_leaving(s, &x, points, points + all)
         && (hd_symbolic_span_add(&x, points + all), true));
  if (x.overflowed || hd_symbolic_over(s))
    x.nequations = 0;
  s->equalities = x.equations;
  s->nequalities = x.nequations;
  isl_set_free(s->base);
  isl_set_free(s->inside);
  s->base = isl_set_coalesce(isl_set_intersect(isl_set_copy(s->domain), hd_symbolic_span_set(&x)));
  s->inside = isl_set_copy(s->base);
  if (!hd_symbolic_to_set(s, s->base, s->arena, &s->base_rows) && !hd_symbolic_over(s))
    s->failed = "the invariant is too large to be written";
  hd_symbolic_span_free(&x);
  free(points);
}
