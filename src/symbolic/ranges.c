/* ranges.c: the model's integers have no bounds, those of C have. A variable that stays between numbers, constants or
 * the number of threads is safe as long as these are; for any other, overflow is not excluded. */
#include <inttypes.h>
#include <string.h>

#include "symbolic/backward.h"
#include "symbolic/ranges.h"

#include <isl/ilp.h>

typedef struct finding
{
  hd_symbolic_system *s;
  hd_arena *arena;
  unsigned long operations;
  size_t dimension; /* the variable */
} finding;

static const char *
keep(hd_arena *arena, hd_string *s)
{
  char *text = memcpy(hd_arena_alloc(arena, s->length + 1), s->text, s->length + 1);
  hd_string_free(s);
  return text;
}

/* SIGN times the variable, minus SIGN times OTHER and minus SIGN times NUMBER, is at least 1: beyond the bound. */
static bool
never_beyond(finding *x, int sign, const size_t *others, size_t n, int64_t number)
{
  hd_control_linear l = {-sign * number - 1, n + 1, NULL};
  hd_control_term *terms = hd_arena_alloc(x->s->arena, (n + 1) * sizeof *terms);
  terms[0] = (hd_control_term){(uint32_t) x->dimension, sign};
  for (size_t i = 0; i < n; i++)
    terms[i + 1] = (hd_control_term){(uint32_t) others[i], -sign};
  l.terms = terms;
  hd_symbolic_allow(x->s, x->operations);
  return hd_symbolic_exclude(x->s, isl_set_from_basic_set(hd_symbolic_half(x->s, &l))) == HD_SYMBOLIC_CLOSED;
}

/* A number beyond which the variable does not go, as far as INSIDE says it. */
static const char *
number_bound(finding *x, int sign)
{
  hd_control_term term = {(uint32_t) x->dimension, 1};
  hd_control_linear l = {0, 1, &term};
  hd_symbolic_allow(x->s, x->operations);
  isl_aff *aff = hd_symbolic_aff(x->s, &l);
  isl_val *v = sign > 0 ? isl_set_max_val(x->s->inside, aff) : isl_set_min_val(x->s->inside, aff);
  hd_string text = {0};
  if (v && isl_val_is_int(v) == isl_bool_true)
    hd_string_printf(&text, "%ld", isl_val_get_num_si(v));
  isl_val_free(v);
  isl_aff_free(aff);
  return text.length ? keep(x->arena, &text) : NULL;
}

static const char *
bound(finding *x, int sign)
{
  const hd_controller *c = x->s->c;
  const char *number = number_bound(x, sign);
  if (number)
    return number;
  if (sign < 0)
    return never_beyond(x, -1, NULL, 0, 0) ? "0" : NULL;
  for (size_t i = 0; i < c->nconstants; i++)
    if (never_beyond(x, 1, &i, 1, 0))
      return c->constants[i].name;
  size_t *counters = hd_arena_alloc(x->s->arena, (c->nstates + 1) * sizeof *counters);
  for (size_t i = 0; i < c->nstates; i++)
    counters[i] = hd_control_counter_dimension(c, i);
  return never_beyond(x, 1, counters, c->nstates, 0) ? "threads" : NULL;
}

const hd_control_range *
hd_symbolic_ranges(hd_symbolic_system *s, hd_arena *arena, unsigned long operations)
{
  const hd_controller *c = s->c;
  hd_control_range *ranges = hd_arena_alloc(arena, (c->nvariables + 1) * sizeof *ranges);
  for (size_t i = 0; i < c->nvariables; i++)
  {
    finding x = {s, arena, operations, hd_control_variable_dimension(c, i)};
    ranges[i] = (hd_control_range){NULL, NULL};
    if (c->variables[i].type == HD_CONTROL_INT)
      ranges[i] = (hd_control_range){bound(&x, -1), bound(&x, 1)};
  }
  return ranges;
}
