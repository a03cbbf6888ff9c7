/* modes.c: equalities that hold case by case, such as: in even rounds come == count(at_even), in odd ones
 * come == count(at_odd).
 *
 * The states are cut into cases: by the values of booleans and enumerations, and by what properties say about numbers
 * that never change (the constants and the number of all threads), because a property that speaks of at most limit
 * threads needs only what holds then. Each case has an affine space of its own (equalities.c has one for all); a state
 * of one case whose successor is in another case, but not in its space, makes that grow. Where nothing grows any more
 * the spaces together are closed under every step. */
#include <stdlib.h>
#include <string.h>

#include "symbolic/modes.h"
#include "symbolic/span.h"

enum
{
  MOST_CASES = 48,
  MOST_FIXED = 2 /* forms whose sign is looked at */
};

typedef struct mode
{
  isl_set *where; /* the case itself */
  isl_set *set;   /* the states of it that are known to be possible, and all of the space between them; NULL: none */
  hd_symbolic_span span;
  bool grown; /* since the steps out of it were looked at */
} mode;

typedef struct modes
{
  hd_symbolic_system *s;
  size_t nvariables;
  const uint32_t *variables; /* booleans and enumerations */
  size_t nfixed;
  hd_control_linear fixed[MOST_FIXED];
  size_t n;
  mode *cases;
  int64_t *point, *after; /* scratch */
} modes;

/* ---- which cases there are ---- */

static size_t
values(const hd_control_variable *v)
{
  return v->type == HD_CONTROL_BOOL ? 2 : v->type == HD_CONTROL_ENUM ? v->nvalues : 0;
}

/* Does no step change L? Then it speaks of constants, and of all states of the interface alike. */
static bool
never_changes(const hd_controller *c, const hd_control_linear *l)
{
  size_t counters = 0, first = hd_control_counter_dimension(c, 0);
  int64_t factor = 0;
  for (size_t i = 0; i < l->n; i++)
  {
    size_t d = l->terms[i].dimension;
    if (d < c->nconstants)
      continue;
    if (d < first || d >= first + c->nstates || (counters > 0 && l->terms[i].factor != factor))
      return false;
    factor = l->terms[i].factor;
    counters++;
  }
  return counters == c->nstates;
}

static bool
same(const hd_control_linear *a, const hd_control_linear *b, int64_t sign)
{
  bool equal = a->n == b->n && a->constant == sign * b->constant;
  for (size_t i = 0; i < a->n && equal; i++)
    equal = a->terms[i].dimension == b->terms[i].dimension && a->terms[i].factor == sign * b->terms[i].factor;
  return equal;
}

static void
add_fixed(modes *x, const hd_control_linear *l)
{
  if (!never_changes(x->s->c, l))
    return;
  for (size_t i = 0; i < x->nfixed; i++)
    if (same(&x->fixed[i], l, 1) || same(&x->fixed[i], l, -1))
      return;
  if (x->nfixed < MOST_FIXED)
    x->fixed[x->nfixed++] = *l;
}

static void
find_fixed(modes *x, const hd_control_formula *f)
{
  if (!f)
    return;
  if (f->kind == HD_CONTROL_PREDICATE)
    for (size_t i = 0; i < f->holds.n; i++)
      for (size_t k = 0; k < f->holds.conjunctions[i].n; k++)
        add_fixed(x, &f->holds.conjunctions[i].atoms[k].linear);
  find_fixed(x, f->left);
  find_fixed(x, f->right);
}

/* The signs of a form: -1, 0, 1. */
#define SIGNS 3

static size_t
case_of(const modes *x, const int64_t *point)
{
  const hd_controller *c = x->s->c;
  size_t k = 0;
  for (size_t i = 0; i < x->nvariables; i++)
    k = k * values(&c->variables[x->variables[i]]) + (size_t) point[c->nconstants + x->variables[i]];
  for (size_t i = 0; i < x->nfixed; i++)
  {
    __int128 value = hd_control_value(&x->fixed[i], point);
    k = k * SIGNS + (value < 0 ? 0 : value == 0 ? 1 : 2);
  }
  return k;
}

static isl_set *
where_sign(const hd_symbolic_system *s, const hd_control_linear *l, size_t sign)
{
  hd_control_linear less = {l->constant - 1, l->n, l->terms};
  switch (sign)
  {
  case 0:
    return isl_set_complement(isl_set_from_basic_set(hd_symbolic_half(s, l)));
  case 1:
    return isl_set_from_basic_set(isl_aff_zero_basic_set(hd_symbolic_aff(s, l)));
  default:
    return isl_set_from_basic_set(hd_symbolic_half(s, &less));
  }
}

/* The states of case K. */
static isl_set *
where_case(const modes *x, size_t k)
{
  const hd_controller *c = x->s->c;
  isl_set *set = isl_set_copy(x->s->base);
  for (size_t i = x->nfixed; i-- > 0; k /= SIGNS)
    set = isl_set_intersect(set, where_sign(x->s, &x->fixed[i], k % SIGNS));
  for (size_t i = x->nvariables; i-- > 0;)
  {
    size_t n = values(&c->variables[x->variables[i]]);
    set = isl_set_fix_si(set, isl_dim_set, x->variables[i], (int) (k % n));
    k /= n;
  }
  return set;
}

/* False: there are too many, or one alone. */
static bool
find_cases(modes *x)
{
  const hd_controller *c = x->s->c;
  uint32_t *variables = hd_arena_alloc(x->s->arena, (c->nvariables + 1) * sizeof *variables);
  x->variables = variables;
  x->n = 1;
  for (uint32_t v = 0; v < c->nvariables; v++)
    if (values(&c->variables[v]) > 1 && x->n * values(&c->variables[v]) <= MOST_CASES)
    {
      variables[x->nvariables++] = v;
      x->n *= values(&c->variables[v]);
    }
  for (size_t i = 0; i < c->nspecs; i++)
    find_fixed(x, c->specs[i].formula);
  size_t fixed = 0;
  while (fixed < x->nfixed && x->n * SIGNS <= MOST_CASES)
  {
    x->n *= SIGNS;
    fixed++;
  }
  x->nfixed = fixed;
  if (x->n < 2)
    return false;
  x->cases = hd_alloc_array(x->n, sizeof *x->cases);
  for (size_t k = 0; k < x->n; k++)
  {
    x->cases[k] = (mode){.where = where_case(x, k)};
    hd_symbolic_span_init(&x->cases[k].span, x->s);
  }
  return true;
}

/* ---- their spaces ---- */

static void
add(void *context, const int64_t *point)
{
  modes *x = context;
  mode *m = &x->cases[case_of(x, point)];
  size_t before = m->span.n;
  hd_symbolic_span_add(&m->span, point);
  m->grown = m->grown || m->span.n > before;
}

/* Is there a state in SET? POINT is one. */
static bool
some(modes *x, __isl_take isl_set *set)
{
  int found = hd_symbolic_sample(x->s, set, x->point);
  if (found < 0 && !hd_symbolic_over(x->s))
    x->s->failed = "a set could not be looked at";
  return found == 1;
}

/* States of INTO, which lie in the case M after STEP (NULL: as they are), that are not in the space of M then: one of
 * them in POINT. */
static bool
leaves(modes *x, const mode *m, const mode *from, __isl_keep isl_set *into, const hd_symbolic_step *step)
{
  if (m->span.n == 0)
    return some(x, isl_set_copy(into));
  for (size_t i = 0; i < m->span.nequations; i++)
  {
    if (step && hd_symbolic_span_keeps(&from->span, &m->span.equations[i], step))
      continue;
    isl_set *bad = hd_symbolic_not_zero(x->s, &m->span.equations[i], step ? step->map : NULL);
    if (some(x, isl_set_intersect(isl_set_copy(into), bad)))
      return true;
  }
  return false;
}

static void
renew(modes *x, mode *m)
{
  isl_set_free(m->set);
  m->set = NULL;
  if (m->span.n == 0)
    return;
  hd_symbolic_span_equations(&m->span);
  m->set = isl_set_intersect(isl_set_copy(m->where), hd_symbolic_span_set(&m->span));
  if (m->span.overflowed)
    x->s->failed = "numbers became too large";
}

/* Add the starts that are not there. */
static void
add_starts(modes *x)
{
  for (size_t k = 0; k < x->n; k++)
  {
    isl_set *into = isl_set_intersect(isl_set_copy(x->s->start), isl_set_copy(x->cases[k].where));
    while (!hd_symbolic_over(x->s) && leaves(x, &x->cases[k], NULL, into, NULL))
    {
      add(x, x->point);
      renew(x, &x->cases[k]);
    }
    isl_set_free(into);
  }
}

/* Add what STEP leads to from the case M. */
static void
follow(modes *x, const mode *m, const hd_symbolic_step *step)
{
  const hd_controller *c = x->s->c;
  isl_set *from = isl_set_intersect(isl_set_copy(m->set), isl_set_copy(step->guard));
  for (size_t k = 0; k < x->n && !hd_symbolic_over(x->s) && !isl_set_plain_is_empty(from); k++)
  {
    isl_set *target = isl_set_preimage_multi_aff(isl_set_copy(x->cases[k].where), isl_multi_aff_copy(step->map));
    isl_set *into = isl_set_intersect(isl_set_copy(from), target);
    while (!hd_symbolic_over(x->s) && !isl_set_is_empty(into) && leaves(x, &x->cases[k], m, into, step))
    {
      memcpy(x->after, x->point, hd_control_dimensions(c) * sizeof *x->after);
      for (size_t v = 0; v < c->nvariables + c->nstates; v++)
        x->after[c->nconstants + v] = (int64_t) hd_control_value(&step->after[v], x->point);
      add(x, x->after);
      renew(x, &x->cases[k]);
    }
    isl_set_free(into);
  }
  isl_set_free(from);
}

static void
close_all(modes *x)
{
  bool grown = true;
  while (grown && !hd_symbolic_over(x->s))
  {
    grown = false;
    for (size_t k = 0; k < x->n && !hd_symbolic_over(x->s); k++)
      if (x->cases[k].grown)
      {
        grown = true;
        x->cases[k].grown = false;
        /* A copy of what it was: it may grow while its own steps are looked at, and then comes again. */
        mode now = x->cases[k];
        now.set = isl_set_copy(now.set);
        for (size_t t = 0; t < x->s->nsteps && !x->cases[k].grown; t++)
          follow(x, &now, &x->s->steps[t]);
        isl_set_free(now.set);
      }
  }
}

isl_set *
hd_symbolic_modes(hd_symbolic_system *s)
{
  size_t all = hd_control_dimensions(s->c);
  modes x = {.s = s};
  if (!find_cases(&x))
    return NULL;
  x.point = hd_alloc_array(2 * all + 1, sizeof *x.point);
  x.after = x.point + all;
  hd_symbolic_walk(s, add, &x);
  for (size_t k = 0; k < x.n; k++)
    renew(&x, &x.cases[k]);
  add_starts(&x);
  close_all(&x);
  isl_set *result = hd_symbolic_over(s) ? NULL : hd_symbolic_nothing(s);
  for (size_t k = 0; k < x.n; k++)
  {
    if (result && x.cases[k].set)
      result = isl_set_union(result, isl_set_copy(x.cases[k].set));
    isl_set_free(x.cases[k].where);
    isl_set_free(x.cases[k].set);
    hd_symbolic_span_free(&x.cases[k].span);
  }
  free(x.cases);
  free(x.point);
  result = result ? isl_set_coalesce(result) : NULL;
  if (hd_symbolic_over(s) || !result || isl_set_is_subset(s->inside, result))
  {
    isl_set_free(result);
    return NULL;
  }
  return result;
}
