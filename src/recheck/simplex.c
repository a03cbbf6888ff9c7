/* simplex.c: the general simplex method with bounds that come and go (simplex.h). The choice of Bland (always the first
 * variable that will do) makes it end. */
#include <stdlib.h>
#include <string.h>

#include "recheck/simplex.h"

void
hd_simplex_init(simplex *s, size_t ndimensions)
{
  *s = (simplex){.ndimensions = ndimensions, .table_size = 64};
  s->table = hd_alloc_zero(s->table_size * sizeof *s->table);
  s->column_variable = hd_alloc_array(ndimensions + 1, sizeof *s->column_variable);
  for (size_t i = 0; i < ndimensions; i++)
  {
    simplex_variable v = {.value = {0, 1}, .at = i};
    HD_PUSH(s->variables, s->n, s->cap, v);
    s->column_variable[i] = i;
  }
}

void
hd_simplex_free(simplex *s)
{
  for (size_t i = s->ndimensions; i < s->n; i++)
    free((void *) s->variables[i].form.terms);
  free(s->variables);
  free(s->cells);
  free(s->row_variable);
  free(s->column_variable);
  free(s->table);
  free(s->trail);
  *s = (simplex){0};
}

static rational *
row(const simplex *s, size_t i)
{
  return s->cells + i * s->ndimensions;
}

/* ---- forms ---- */

static uint64_t
hash_form(const hd_control_term *terms, size_t n)
{
  uint64_t h = n;
  for (size_t i = 0; i < n; i++)
    h = hd_mix(hd_mix(h + terms[i].dimension) ^ (uint64_t) terms[i].factor);
  return h;
}

static bool
same_form(const hd_control_linear *form, const hd_control_term *terms, size_t n)
{
  if (form->n != n)
    return false;
  for (size_t i = 0; i < n; i++)
    if (form->terms[i].dimension != terms[i].dimension || form->terms[i].factor != terms[i].factor)
      return false;
  return true;
}

static rational
value_of(simplex *s, const hd_control_linear *form)
{
  rational sum = rational_of(0);
  for (size_t i = 0; i < form->n; i++)
    sum = rational_add(
        sum,
        rational_times(rational_of(form->terms[i].factor), s->variables[form->terms[i].dimension].value, &s->overflow),
        &s->overflow);
  return sum;
}

/* Give a form its row: express it by the variables that are not basic now. */
static void
add_row(simplex *s, size_t variable)
{
  simplex_variable *v = &s->variables[variable];
  hd_grow(&s->cells, &s->cells_cap, (s->nrows + 1) * s->ndimensions, sizeof *s->cells);
  v->at = s->nrows;
  HD_PUSH(s->row_variable, s->nrows, s->row_cap, variable);
  rational *r = row(s, v->at);
  bool *o = &s->overflow;
  for (size_t j = 0; j < s->ndimensions; j++)
    r[j] = rational_of(0);
  v->value = value_of(s, &v->form);
  for (size_t i = 0; i < v->form.n; i++)
  {
    const simplex_variable *d = &s->variables[v->form.terms[i].dimension];
    rational factor = rational_of(v->form.terms[i].factor);
    if (!d->basic)
      r[d->at] = rational_add(r[d->at], factor, o);
    else
      for (size_t j = 0; j < s->ndimensions; j++)
        if (row(s, d->at)[j].n)
          r[j] = rational_add(r[j], rational_times(factor, row(s, d->at)[j], o), o);
  }
}

static void
grow_table(simplex *s)
{
  free(s->table);
  s->table_size *= 2;
  s->table = hd_alloc_zero(s->table_size * sizeof *s->table);
  for (size_t i = s->ndimensions; i < s->n; i++)
  {
    const hd_control_linear *f = &s->variables[i].form;
    size_t at = hash_form(f->terms, f->n) & (s->table_size - 1);
    while (s->table[at])
      at = (at + 1) & (s->table_size - 1);
    s->table[at] = i + 1;
  }
}

/* The variable of a form; takes TERMS, which were allocated, if it is new, and frees them if not. */
static size_t
variable_of(simplex *s, HD_TAKE hd_control_term *terms, size_t n)
{
  size_t at = hash_form(terms, n) & (s->table_size - 1);
  for (; s->table[at]; at = (at + 1) & (s->table_size - 1))
    if (same_form(&s->variables[s->table[at] - 1].form, terms, n))
    {
      free(terms);
      return s->table[at] - 1;
    }
  simplex_variable v = {.basic = true, .at = SIZE_MAX, .value = {0, 1}, .form = {.n = n, .terms = terms}};
  s->table[at] = s->n + 1;
  HD_PUSH(s->variables, s->n, s->cap, v);
  if (s->n * 2 > s->table_size)
    grow_table(s);
  return s->n - 1;
}

bool
hd_simplex_fact_of(simplex *s, const hd_control_linear *linear, simplex_fact *fact)
{
  if (linear->n == 0)
    return false;
  uint64_t divisor = 0;
  for (size_t i = 0; i < linear->n; i++)
  {
    int64_t f = linear->terms[i].factor;
    divisor = (uint64_t) wide_gcd(divisor, f < 0 ? -(uint64_t) f : (uint64_t) f);
  }
  /* sign * divisor * form + constant >= 0, where the form begins with a positive factor */
  __int128 d = divisor;
  bool negative = linear->terms[0].factor < 0;
  __int128 k = linear->constant, quotient = (negative ? k : -k) / d, rest = (negative ? k : -k) % d;
  quotient += negative ? -(rest < 0) : rest > 0; /* at most: round down; at least: round up */
  fact->side = negative ? UPPER : LOWER;
  if (!rational_fits(quotient))
  {
    s->overflow = true;
    quotient = 0;
  }
  fact->value = (int64_t) quotient;
  if (linear->n == 1)
  {
    fact->variable = linear->terms[0].dimension;
    return true;
  }
  hd_control_term *terms = hd_alloc_array(linear->n, sizeof *terms);
  for (size_t i = 0; i < linear->n; i++)
  {
    __int128 f = linear->terms[i].factor / d * (negative ? -1 : 1);
    if (!rational_fits(f))
    {
      s->overflow = true;
      f = 1;
    }
    terms[i] = (hd_control_term){linear->terms[i].dimension, (int64_t) f};
  }
  fact->variable = variable_of(s, terms, linear->n);
  return true;
}

/* ---- bounds ---- */

static bool
below(const simplex_variable *v)
{
  return v->bounds[LOWER].given && rational_compare(v->value, v->bounds[LOWER].value) < 0;
}

static bool
above(const simplex_variable *v)
{
  return v->bounds[UPPER].given && rational_compare(v->value, v->bounds[UPPER].value) > 0;
}

/* Give a variable that is not basic another value; the basic ones follow. */
static void
move(simplex *s, size_t variable, rational value)
{
  simplex_variable *v = &s->variables[variable];
  bool *o = &s->overflow;
  rational change = rational_add(value, rational_negative(v->value), o);
  v->value = value;
  for (size_t i = 0; i < s->nrows; i++)
    if (row(s, i)[v->at].n)
    {
      simplex_variable *b = &s->variables[s->row_variable[i]];
      b->value = rational_add(b->value, rational_times(row(s, i)[v->at], change, o), o);
    }
}

bool
hd_simplex_true(simplex *s, simplex_fact fact)
{
  const simplex_variable *v = &s->variables[fact.variable];
  int order = rational_compare(v->at == SIZE_MAX ? value_of(s, &v->form) : v->value, fact.value);
  return fact.side == LOWER ? order >= 0 : order <= 0;
}

bool
hd_simplex_assert(simplex *s, simplex_fact fact, const decisions *reason, decisions *conflict)
{
  if (s->variables[fact.variable].at == SIZE_MAX)
    add_row(s, fact.variable);
  simplex_variable *v = &s->variables[fact.variable];
  bound *b = &v->bounds[fact.side];
  if (b->given && (fact.side == LOWER ? b->value >= fact.value : b->value <= fact.value))
    return true;
  if (hd_simplex_excluded(s, fact))
  {
    *conflict = *reason;
    decisions_unite(conflict, &v->bounds[!fact.side].reason);
    return false;
  }
  simplex_undo undo = {fact.variable, fact.side, *b};
  HD_PUSH(s->trail, s->ntrail, s->trail_cap, undo);
  *b = (bound){true, fact.value, *reason};
  if (!v->basic && (below(v) || above(v)))
    move(s, fact.variable, rational_of(fact.value));
  return true;
}

void
hd_simplex_release(simplex *s, size_t mark)
{
  /* Values need no repair: wider bounds contain them. */
  while (s->ntrail > mark)
  {
    const simplex_undo *u = &s->trail[--s->ntrail];
    s->variables[u->variable].bounds[u->side] = u->old;
  }
}

/* ---- pivoting ---- */

/* The basic variable of row R and the one of column C change places. */
static void
pivot(simplex *s, size_t r, size_t c)
{
  rational *top = row(s, r);
  bool *o = &s->overflow;
  rational factor = top[c];
  for (size_t j = 0; j < s->ndimensions; j++)
    if (j != c && top[j].n)
      top[j] = rational_negative(rational_divide(top[j], factor, o));
  top[c] = rational_divide(rational_of(1), factor, o);
  for (size_t i = 0; i < s->nrows; i++)
  {
    rational *other = row(s, i), k = other[c];
    if (i == r || k.n == 0)
      continue;
    for (size_t j = 0; j < s->ndimensions; j++)
      if (j != c && top[j].n)
        other[j] = rational_add(other[j], rational_times(k, top[j], o), o);
    other[c] = rational_times(k, top[c], o);
  }
  size_t out = s->row_variable[r], in = s->column_variable[c];
  s->row_variable[r] = in;
  s->column_variable[c] = out;
  s->variables[in].basic = true;
  s->variables[in].at = r;
  s->variables[out].basic = false;
  s->variables[out].at = c;
  s->pivots++;
}

/* Can the variable in a column move so that a basic variable with this FACTOR rises? */
static bool
may_raise(const simplex_variable *v, rational factor)
{
  bool up = factor.n > 0;
  const bound *b = &v->bounds[up ? UPPER : LOWER];
  return !b->given || (up ? rational_compare(v->value, b->value) < 0 : rational_compare(v->value, b->value) > 0);
}

/* The bounds that keep the basic variable of row R from reaching its bound SIDE. */
static void
explain(const simplex *s, size_t r, int side, decisions *conflict)
{
  *conflict = s->variables[s->row_variable[r]].bounds[side].reason;
  for (size_t j = 0; j < s->ndimensions; j++)
  {
    rational f = row(s, r)[j];
    if (f.n == 0)
      continue;
    bool up = (side == LOWER) == (f.n > 0);
    decisions_unite(conflict, &s->variables[s->column_variable[j]].bounds[up ? UPPER : LOWER].reason);
  }
}

bool
hd_simplex_check(simplex *s, decisions *conflict)
{
  while (!s->overflow)
  {
    size_t first = SIZE_MAX;
    for (size_t i = 0; i < s->nrows; i++)
    {
      size_t v = s->row_variable[i];
      if (v < first && (below(&s->variables[v]) || above(&s->variables[v])))
        first = v;
    }
    if (first == SIZE_MAX)
      return true;
    const simplex_variable *bad = &s->variables[first];
    int side = below(bad) ? LOWER : UPPER;
    size_t r = bad->at, enters = SIZE_MAX;
    for (size_t j = 0; j < s->ndimensions; j++)
    {
      rational f = row(s, r)[j];
      size_t v = s->column_variable[j];
      if (f.n && v < enters && may_raise(&s->variables[v], side == LOWER ? f : rational_negative(f)))
        enters = v;
    }
    if (enters == SIZE_MAX)
    {
      explain(s, r, side, conflict);
      return false;
    }
    rational target = rational_of(bad->bounds[side].value);
    pivot(s, r, s->variables[enters].at);
    move(s, first, target);
  }
  return false;
}

/* ---- divisibility ---- */

static bool
fixed(const simplex_variable *v)
{
  return v->bounds[LOWER].given && v->bounds[UPPER].given && v->bounds[LOWER].value == v->bounds[UPPER].value;
}

/* Row R, times the denominators: the sum over all variables of integer factors is 0. With the fixed ones as a constant,
 * the greatest common divisor of the other factors must divide it. */
static bool
row_indivisible(simplex *s, size_t r, decisions *conflict)
{
  __int128 scale = 1;
  for (size_t j = 0; j < s->ndimensions; j++)
  {
    int64_t d = row(s, r)[j].d;
    scale = scale / (__int128) wide_gcd((unsigned __int128) scale, (unsigned __int128) d) * d;
    if (!rational_fits(scale))
      return false; /* this row says nothing then */
  }
  unsigned __int128 divisor = 0;
  __int128 constant = 0;
  *conflict = (decisions){0};
  for (size_t j = 0; j <= s->ndimensions; j++)
  {
    bool last = j == s->ndimensions;
    const simplex_variable *v = &s->variables[last ? s->row_variable[r] : s->column_variable[j]];
    __int128 factor = last ? -scale : row(s, r)[j].n * (scale / row(s, r)[j].d);
    if (factor == 0)
      continue;
    if (!fixed(v))
      divisor = wide_gcd(divisor, (unsigned __int128) (factor < 0 ? -factor : factor));
    else
    {
      __int128 part;
      if (__builtin_mul_overflow(factor, (__int128) v->bounds[LOWER].value, &part)
          || __builtin_add_overflow(constant, part, &constant))
        return false;
      decisions_unite(conflict, &v->bounds[LOWER].reason);
      decisions_unite(conflict, &v->bounds[UPPER].reason);
    }
  }
  return divisor > 1 && constant % (__int128) divisor != 0;
}

bool
hd_simplex_indivisible(simplex *s, decisions *conflict)
{
  for (size_t r = 0; r < s->nrows; r++)
    if (row_indivisible(s, r, conflict))
      return true;
  return false;
}
