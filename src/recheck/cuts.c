/* cuts.c: inequalities that all integers fulfil and the present values do not (Gomory's cuts).
 *
 * A row says x = sum of a_j x_j. Let each x_j be its present value v_j plus or minus t_j, where t_j >= 0 if v_j is the
 * lower or the upper bound. Then x = v + sum of c_j t_j with c_j = a_j or -a_j, where v, the present value of x, is no
 * integer. As x and all t_j are integers, the sum of frac(-c_j) t_j differs from frac(v) by an integer; it is not
 * negative, so it is at least frac(v). Now all t_j are 0, and it is less. Only those t_j count whose c_j is no integer,
 * so the others need no bound. */
#include <stdlib.h>

#include "recheck/simplex.h"

enum
{
  LARGEST_FACTOR = 1 << 20 /* cuts with larger numbers cause more trouble than they save */
};

static rational
fraction(rational a)
{
  int64_t rest = a.n % a.d;
  return (rational){rest < 0 ? rest + a.d : rest, a.d};
}

/* 1: V stands at its lower bound; -1: at its upper one; 0: neither. */
static int
stands(const simplex_variable *v)
{
  if (v->bounds[LOWER].given && rational_compare(v->value, v->bounds[LOWER].value) == 0)
    return 1;
  return v->bounds[UPPER].given && rational_compare(v->value, v->bounds[UPPER].value) == 0 ? -1 : 0;
}

/* A sum over the dimensions. */
typedef struct weights
{
  rational *factors, constant;
} weights;

/* Add FACTOR * variable. */
static void
add(simplex *s, weights *w, size_t variable, rational factor)
{
  const simplex_variable *v = &s->variables[variable];
  bool *o = &s->overflow;
  if (variable < s->ndimensions)
    w->factors[variable] = rational_add(w->factors[variable], factor, o);
  for (size_t i = 0; variable >= s->ndimensions && i < v->form.n; i++)
  {
    rational *to = &w->factors[v->form.terms[i].dimension];
    *to = rational_add(*to, rational_times(factor, rational_of(v->form.terms[i].factor), o), o);
  }
}

/* W >= 0 as a fact. False: its numbers are too large, or it has no terms. */
static bool
make_fact(simplex *s, const weights *w, simplex_fact *fact)
{
  __int128 scale = 1;
  for (size_t d = 0; d <= s->ndimensions; d++)
  {
    int64_t below = d < s->ndimensions ? w->factors[d].d : w->constant.d;
    scale = scale / (__int128) wide_gcd((unsigned __int128) scale, (unsigned __int128) below) * below;
    if (scale > LARGEST_FACTOR)
      return false;
  }
  hd_control_term *terms = hd_alloc_array(s->ndimensions + 1, sizeof *terms);
  __int128 constant = w->constant.n * (scale / w->constant.d);
  hd_control_linear l = {.constant = (int64_t) constant, .terms = terms};
  bool good = constant < INT64_MAX / 4 && constant > -(INT64_MAX / 4);
  for (size_t d = 0; good && d < s->ndimensions; d++)
    if (w->factors[d].n)
    {
      __int128 factor = w->factors[d].n * (scale / w->factors[d].d);
      good = factor < LARGEST_FACTOR && factor > -LARGEST_FACTOR;
      terms[l.n++] = (hd_control_term){(uint32_t) d, (int64_t) factor};
    }
  good = good && hd_simplex_fact_of(s, &l, fact);
  free(terms);
  return good;
}

/* The cut that row R makes. */
static bool
cut_of(simplex *s, size_t r, weights *w, simplex_fact *fact, decisions *reason)
{
  bool *o = &s->overflow;
  *reason = (decisions){0};
  for (size_t d = 0; d < s->ndimensions; d++)
    w->factors[d] = rational_of(0);
  w->constant = rational_negative(fraction(s->variables[s->row_variable[r]].value));
  for (size_t j = 0; j < s->ndimensions; j++)
  {
    rational a = s->cells[r * s->ndimensions + j];
    const simplex_variable *v = &s->variables[s->column_variable[j]];
    int at = stands(v);
    if (v->value.d != 1 || (a.d != 1 && at == 0))
      return false;
    rational part = fraction(at > 0 ? rational_negative(a) : a); /* of -c, where c is a or -a */
    if (part.n == 0)
      continue;
    /* part * t, where t is x - v or v - x */
    rational signed_part = at > 0 ? part : rational_negative(part);
    add(s, w, s->column_variable[j], signed_part);
    w->constant = rational_add(w->constant, rational_negative(rational_times(signed_part, v->value, o)), o);
    decisions_unite(reason, &v->bounds[at > 0 ? LOWER : UPPER].reason);
  }
  return !*o && make_fact(s, w, fact);
}

bool
hd_simplex_cut(simplex *s, simplex_fact *fact, decisions *reason)
{
  weights w = {.factors = hd_alloc_array(s->ndimensions + 1, sizeof *w.factors)};
  bool found = false;
  for (size_t r = 0; !found && r < s->nrows; r++)
    if (s->variables[s->row_variable[r]].value.d != 1)
      found = cut_of(s, r, &w, fact, reason);
  free(w.factors);
  return found && !s->overflow;
}
