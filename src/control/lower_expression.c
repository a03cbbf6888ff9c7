/* lower_expression.c: expressions as sets of points and as linear cases (lower.h). */
#include "control/lower.h"

/* ---- numbers ---- */

static hd_control_choices
single(const hd_control_context *x, hd_control_linear value)
{
  hd_control_choice *one = hd_arena_alloc(x->b->arena, sizeof *one);
  *one = (hd_control_choice){hd_control_true(x->b), value};
  return (hd_control_choices){1, one};
}

/* Every pair of cases, P * a + Q * b. */
static hd_control_choices
combine(const hd_control_context *x, int64_t p, hd_control_choices a, int64_t q, hd_control_choices b)
{
  hd_control_choices out = {0, hd_arena_alloc(x->b->arena, (a.n * b.n + 1) * sizeof *out.items)};
  for (size_t i = 0; i < a.n; i++)
    for (size_t j = 0; j < b.n; j++)
    {
      hd_control_set when = hd_control_and(x->b, &a.items[i].when, &b.items[j].when);
      if (when.n == 0)
        continue;
      if (out.n == HD_CONTROL_MOST_CASES)
      {
        x->b->trouble = x->b->trouble ? x->b->trouble : "this has too many cases, more than 256";
        return out;
      }
      out.items[out.n++]
          = (hd_control_choice){when, hd_control_combine(x->b, p, &a.items[i].value, q, &b.items[j].value)};
    }
  return out;
}

static hd_control_linear
named(const hd_control_context *x, const hd_control_expression *e)
{
  switch (e->symbol.kind)
  {
  case SYMBOL_CONSTANT:
    return hd_control_dimension(x->b, e->symbol.index);
  case SYMBOL_VARIABLE:
    return x->map[e->symbol.index];
  case SYMBOL_VALUE:
    return hd_control_number(e->symbol.index);
  case SYMBOL_RIGID:
    return hd_control_dimension(x->b, hd_control_rigid_dimension(x->c, e->symbol.index));
  case SYMBOL_STATE:
    return hd_control_dimension(x->b, hd_control_counter_dimension(x->c, e->symbol.index));
  default:
    HD_CHECK(!"kind of name");
    return hd_control_number(0);
  }
}

static hd_control_choices
conditional(const hd_control_context *x, const hd_control_expression *e)
{
  hd_control_choices yes = hd_control_lower_number(x, e->b), no = hd_control_lower_number(x, e->c);
  hd_control_set conditions[] = {hd_control_lower_condition(x, e->a, true), hd_control_lower_condition(x, e->a, false)};
  hd_control_choices out = {0, hd_arena_alloc(x->b->arena, (yes.n + no.n + 1) * sizeof *out.items)};
  for (int side = 0; side < 2; side++)
  {
    const hd_control_choices *from = side == 0 ? &yes : &no;
    for (size_t i = 0; i < from->n; i++)
    {
      hd_control_set when = hd_control_and(x->b, &conditions[side], &from->items[i].when);
      if (when.n)
        out.items[out.n++] = (hd_control_choice){when, from->items[i].value};
    }
  }
  if (out.n > HD_CONTROL_MOST_CASES && !x->b->trouble)
    x->b->trouble = "this has too many cases, more than 256";
  return out;
}

hd_control_choices
hd_control_lower_number(const hd_control_context *x, const hd_control_expression *e)
{
  if (x->b->trouble)
    return single(x, hd_control_number(0));
  switch (e->kind)
  {
  case EXPR_NUMBER:
    return single(x, hd_control_number(e->number));
  case EXPR_NAME:
  case EXPR_COUNT:
    return single(x, named(x, e));
  case EXPR_NEGATE:
    return combine(x, -1, hd_control_lower_number(x, e->a), 0, single(x, hd_control_number(0)));
  case EXPR_ADD:
    return combine(x, 1, hd_control_lower_number(x, e->a), 1, hd_control_lower_number(x, e->b));
  case EXPR_SUBTRACT:
    return combine(x, 1, hd_control_lower_number(x, e->a), -1, hd_control_lower_number(x, e->b));
  case EXPR_MULTIPLY:
  {
    hd_control_choices a = hd_control_lower_number(x, e->a), b = hd_control_lower_number(x, e->b);
    bool left = a.n == 1 && a.items[0].value.n == 0; /* types.c has seen that one of them is a number */
    int64_t factor = left ? a.items[0].value.constant : b.n ? b.items[0].value.constant : 0;
    return combine(x, factor, left ? b : a, 0, single(x, hd_control_number(0)));
  }
  case EXPR_CONDITIONAL:
    return conditional(x, e);
  default:
    HD_CHECK(!"kind of number");
    return single(x, hd_control_number(0));
  }
}

/* ---- conditions ---- */

/* The number of values of the dimension D, 0: any integer. */
static int64_t
range(const hd_control_context *x, size_t d)
{
  size_t first = x->c->nconstants;
  if (d < first || d >= first + x->c->nvariables)
    return 0;
  const hd_control_variable *v = &x->c->variables[d - first];
  return v->type == HD_CONTROL_BOOL ? 2 : v->type == HD_CONTROL_ENUM ? (int64_t) v->nvalues : 0;
}

static hd_control_set
at_least(const hd_control_context *x, const hd_control_linear *l, int64_t sign, int64_t least)
{
  hd_control_linear bound = hd_control_number(least);
  hd_control_linear difference = hd_control_combine(x->b, sign, l, -1, &bound);
  return hd_control_not_negative(x->b, &difference);
}

/* l != 0: below or above. Where a variable has few values, one side may be empty: that saves cases. */
static hd_control_set
not_zero(const hd_control_context *x, const hd_control_linear *l)
{
  hd_control_set above = at_least(x, l, 1, 1), below = at_least(x, l, -1, 1);
  int64_t values = l->n == 1 ? range(x, l->terms[0].dimension) : 0;
  int64_t factor = l->n == 1 ? l->terms[0].factor : 0;
  if (values && (factor == 1 || factor == -1))
  {
    /* The greatest and the least value that l has. */
    int64_t greatest = l->constant + (factor == 1 ? values - 1 : 0),
            least = l->constant - (factor == 1 ? 0 : values - 1);
    if (greatest <= 0)
      above = hd_control_false();
    if (least >= 0)
      below = hd_control_false();
    if (greatest < 0 || least > 0)
      return hd_control_true(x->b);
  }
  return hd_control_or(x->b, &above, &below);
}

/* l RELATION 0 */
static hd_control_set
related(const hd_control_context *x, expression_kind kind, const hd_control_linear *l)
{
  switch (kind)
  {
  case EXPR_LESS:
    return at_least(x, l, -1, 1);
  case EXPR_LESS_EQUAL:
    return at_least(x, l, -1, 0);
  case EXPR_GREATER:
    return at_least(x, l, 1, 1);
  case EXPR_GREATER_EQUAL:
    return at_least(x, l, 1, 0);
  case EXPR_EQUAL:
    return hd_control_zero(x->b, l);
  default:
    return not_zero(x, l);
  }
}

static expression_kind
opposite(expression_kind kind)
{
  switch (kind)
  {
  case EXPR_LESS:
    return EXPR_GREATER_EQUAL;
  case EXPR_LESS_EQUAL:
    return EXPR_GREATER;
  case EXPR_GREATER:
    return EXPR_LESS_EQUAL;
  case EXPR_GREATER_EQUAL:
    return EXPR_LESS;
  case EXPR_EQUAL:
    return EXPR_NOT_EQUAL;
  default:
    return EXPR_EQUAL;
  }
}

static hd_control_set
comparison(const hd_control_context *x, const hd_control_expression *e, bool wanted)
{
  expression_kind kind = wanted ? e->kind : opposite(e->kind);
  hd_control_choices difference = combine(x, 1, hd_control_lower_number(x, e->a), -1, hd_control_lower_number(x, e->b));
  hd_control_set out = hd_control_false();
  for (size_t i = 0; i < difference.n; i++)
  {
    hd_control_set one = related(x, kind, &difference.items[i].value);
    one = hd_control_and(x->b, &difference.items[i].when, &one);
    out = hd_control_or(x->b, &out, &one);
  }
  return out;
}

bool
hd_control_lower_bit(const hd_control_context *x, const hd_control_expression *e, hd_control_linear *value)
{
  hd_control_linear one = hd_control_number(1);
  switch (e->kind)
  {
  case EXPR_TRUE:
  case EXPR_FALSE:
    *value = hd_control_number(e->kind == EXPR_TRUE);
    return true;
  case EXPR_NAME:
    *value = named(x, e);
    return true;
  case EXPR_NOT:
    if (!hd_control_lower_bit(x, e->a, value))
      return false;
    *value = hd_control_combine(x->b, -1, value, 1, &one);
    return true;
  default:
    return false;
  }
}

/* (a and b') or (not a and b''), where B' and B'' are given by what is WANTED of them */
static hd_control_set
split(const hd_control_context *x, const hd_control_expression *a, const hd_control_expression *b, bool wanted_b,
      const hd_control_expression *c, bool wanted_c)
{
  hd_control_set yes = hd_control_lower_condition(x, a, true), no = hd_control_lower_condition(x, a, false);
  hd_control_set first = hd_control_lower_condition(x, b, wanted_b),
                 second = hd_control_lower_condition(x, c, wanted_c);
  first = hd_control_and(x->b, &yes, &first);
  second = hd_control_and(x->b, &no, &second);
  return hd_control_or(x->b, &first, &second);
}

/* a == b of booleans, or a != b. */
static hd_control_set
equivalence(const hd_control_context *x, const hd_control_expression *e, bool equal)
{
  hd_control_linear a, b, one = hd_control_number(1);
  if (!hd_control_lower_bit(x, e->a, &a) || !hd_control_lower_bit(x, e->b, &b))
    return split(x, e->a, e->b, equal, e->b, !equal);
  a = hd_control_combine(x->b, 1, &a, equal ? -1 : 1, &b);
  if (!equal)
    a = hd_control_combine(x->b, 1, &a, -1, &one);
  return hd_control_zero(x->b, &a);
}

hd_control_set
hd_control_lower_condition(const hd_control_context *x, const hd_control_expression *e, bool wanted)
{
  hd_control_set a, b;
  hd_control_linear bit, one = hd_control_number(1);
  if (x->b->trouble)
    return hd_control_false();
  switch (e->kind)
  {
  case EXPR_TRUE:
  case EXPR_FALSE:
    return (e->kind == EXPR_TRUE) == wanted ? hd_control_true(x->b) : hd_control_false();
  case EXPR_NAME:
    bit = named(x, e);
    bit = wanted ? hd_control_combine(x->b, 1, &bit, -1, &one) : bit;
    return hd_control_zero(x->b, &bit);
  case EXPR_NOT:
    return hd_control_lower_condition(x, e->a, !wanted);
  case EXPR_AND:
  case EXPR_OR:
    a = hd_control_lower_condition(x, e->a, wanted);
    b = hd_control_lower_condition(x, e->b, wanted);
    return (e->kind == EXPR_AND) == wanted ? hd_control_and(x->b, &a, &b) : hd_control_or(x->b, &a, &b);
  case EXPR_IMPLIES:
    a = hd_control_lower_condition(x, e->a, !wanted);
    b = hd_control_lower_condition(x, e->b, wanted);
    return wanted ? hd_control_or(x->b, &a, &b) : hd_control_and(x->b, &a, &b);
  case EXPR_CONDITIONAL:
    return split(x, e->a, e->b, wanted, e->c, wanted);
  case EXPR_EQUAL:
  case EXPR_NOT_EQUAL:
    if (e->a->type == TYPE_BOOL)
      return equivalence(x, e, (e->kind == EXPR_EQUAL) == wanted);
    return comparison(x, e, wanted);
  default:
    return comparison(x, e, wanted);
  }
}
