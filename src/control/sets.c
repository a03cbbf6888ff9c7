/* sets.c: linear expressions and lists of conjunctions (sets.h). */
#include <string.h>

#include "control/sets.h"

/* ---- linear expressions ---- */

hd_control_linear
hd_control_number(int64_t constant)
{
  return (hd_control_linear){.constant = constant};
}

hd_control_linear
hd_control_dimension(hd_control_builder *b, size_t dimension)
{
  hd_control_term *t = hd_arena_alloc(b->arena, sizeof *t);
  *t = (hd_control_term){.dimension = (uint32_t) dimension, .factor = 1};
  return (hd_control_linear){.n = 1, .terms = t};
}

static int64_t
weigh(hd_control_builder *b, int64_t x, int64_t p, int64_t y, int64_t q)
{
  /* Half the range, so that negation and the step to the next integer never leave it. */
  __int128 sum = (__int128) x * p + (__int128) y * q;
  if (sum > INT64_MAX / 4 || sum < -(INT64_MAX / 4))
  {
    if (!b->trouble)
      b->trouble = "the numbers in this become too large";
    return 0;
  }
  return (int64_t) sum;
}

hd_control_linear
hd_control_combine(hd_control_builder *b, int64_t x, const hd_control_linear *a, int64_t y,
                   const hd_control_linear *other)
{
  hd_control_term *terms = hd_arena_alloc(b->arena, (a->n + other->n + 1) * sizeof *terms);
  size_t n = 0, i = 0, j = 0;
  while (i < a->n || j < other->n)
  {
    bool left = j == other->n || (i < a->n && a->terms[i].dimension <= other->terms[j].dimension);
    bool right = i == a->n || (j < other->n && other->terms[j].dimension <= a->terms[i].dimension);
    uint32_t dimension = left ? a->terms[i].dimension : other->terms[j].dimension;
    int64_t factor = weigh(b, x, left ? a->terms[i].factor : 0, y, right ? other->terms[j].factor : 0);
    i += left;
    j += right;
    if (factor)
      terms[n++] = (hd_control_term){dimension, factor};
  }
  return (hd_control_linear){weigh(b, x, a->constant, y, other->constant), n, terms};
}

static bool
same_factors(const hd_control_linear *a, const hd_control_linear *b, int64_t sign)
{
  if (a->n != b->n)
    return false;
  for (size_t i = 0; i < a->n; i++)
    if (a->terms[i].dimension != b->terms[i].dimension || a->terms[i].factor != sign * b->terms[i].factor)
      return false;
  return true;
}

__int128
hd_control_value(const hd_control_linear *linear, const int64_t *point)
{
  __int128 sum = linear->constant;
  for (size_t i = 0; i < linear->n; i++)
    sum += (__int128) linear->terms[i].factor * point[linear->terms[i].dimension];
  return sum;
}

bool
hd_control_contains(const hd_control_set *set, const int64_t *point)
{
  for (size_t i = 0; i < set->n; i++)
  {
    const hd_control_conjunction *k = &set->conjunctions[i];
    size_t j = 0;
    for (; j < k->n; j++)
    {
      __int128 v = hd_control_value(&k->atoms[j].linear, point);
      if (k->atoms[j].relation == HD_CONTROL_ZERO ? v != 0 : v < 0)
        break;
    }
    if (j == k->n)
      return true;
  }
  return false;
}

/* ---- atoms ---- */

typedef enum truth
{
  NEVER,
  ALWAYS,
  DEPENDS
} truth;

static int64_t
gcd(int64_t a, int64_t b)
{
  a = a < 0 ? -a : a;
  b = b < 0 ? -b : b;
  while (b)
  {
    int64_t r = a % b;
    a = b;
    b = r;
  }
  return a;
}

static int64_t
divide_down(int64_t a, int64_t b)
{
  return a / b - (a % b < 0);
}

/* Bring ATOM into its form. */
static truth
normalise(hd_control_builder *b, hd_control_atom *atom)
{
  hd_control_linear *l = &atom->linear;
  bool zero = atom->relation == HD_CONTROL_ZERO;
  if (l->n == 0)
    return (zero ? l->constant == 0 : l->constant >= 0) ? ALWAYS : NEVER;
  int64_t divisor = 0;
  for (size_t i = 0; i < l->n; i++)
    divisor = gcd(divisor, l->terms[i].factor);
  HD_CHECK(divisor > 0); /* no factor is 0 */
  if (zero && l->constant % divisor != 0)
    return NEVER;
  bool flip = zero && l->terms[0].factor < 0;
  if (divisor == 1 && !flip)
    return DEPENDS;
  hd_control_term *terms = hd_arena_alloc(b->arena, l->n * sizeof *terms);
  for (size_t i = 0; i < l->n; i++)
    terms[i] = (hd_control_term){l->terms[i].dimension, (flip ? -1 : 1) * (l->terms[i].factor / divisor)};
  l->terms = terms;
  l->constant = flip ? -(l->constant / divisor) : divide_down(l->constant, divisor);
  return DEPENDS;
}

/* Add ATOM, in its form, to ATOMS, which has room for one more. False: they exclude each other. */
static bool
add_atom(hd_control_atom *atoms, size_t *n, hd_control_atom atom)
{
  for (size_t i = 0; i < *n; i++)
  {
    hd_control_atom *old = &atoms[i];
    bool equal = same_factors(&old->linear, &atom.linear, 1), opposite = same_factors(&old->linear, &atom.linear, -1);
    if (!equal && !opposite)
      continue;
    if (old->relation == HD_CONTROL_ZERO || atom.relation == HD_CONTROL_ZERO)
    {
      /* The equality f + c == 0 fixes f at -c; what the other says about f is then decided. */
      const hd_control_atom *fix = old->relation == HD_CONTROL_ZERO ? old : &atom, *o = fix == old ? &atom : old;
      int64_t value = (equal ? -fix->linear.constant : fix->linear.constant) + o->linear.constant;
      if (o->relation == HD_CONTROL_ZERO ? value != 0 : value < 0)
        return false;
      if (fix == old)
        return true;
      *old = atom; /* stronger than what was there; others with these factors are looked at below */
      for (size_t k = i + 1; k < *n;)
        if (same_factors(&atoms[k].linear, &atom.linear, 1) || same_factors(&atoms[k].linear, &atom.linear, -1))
        {
          int64_t sign = same_factors(&atoms[k].linear, &atom.linear, 1) ? 1 : -1;
          if (-sign * atom.linear.constant + atoms[k].linear.constant < 0)
            return false;
          memmove(&atoms[k], &atoms[k + 1], (--*n - k) * sizeof *atoms);
        }
        else
          k++;
      return true;
    }
    if (equal)
    {
      if (atom.linear.constant < old->linear.constant)
        old->linear = atom.linear;
      else
        return true;
      /* The tighter one may now exclude its opposite. */
      for (size_t k = 0; k < *n; k++)
        if (same_factors(&atoms[k].linear, &atom.linear, -1) && atoms[k].linear.constant + atom.linear.constant < 0)
          return false;
      return true;
    }
    /* f >= -c and f <= d */
    if (old->linear.constant + atom.linear.constant < 0)
      return false;
  }
  atoms[(*n)++] = atom;
  return true;
}

/* ---- lists of conjunctions ---- */

hd_control_set
hd_control_false(void)
{
  return (hd_control_set){0};
}

hd_control_set
hd_control_true(hd_control_builder *b)
{
  hd_control_conjunction *k = hd_arena_alloc(b->arena, sizeof *k);
  *k = (hd_control_conjunction){0};
  return (hd_control_set){1, k};
}

bool
hd_control_is_true(const hd_control_set *s)
{
  return s->n == 1 && s->conjunctions[0].n == 0;
}

static hd_control_set
single(hd_control_builder *b, hd_control_relation relation, const hd_control_linear *l)
{
  hd_control_atom *atom = hd_arena_alloc(b->arena, sizeof *atom);
  *atom = (hd_control_atom){relation, *l};
  switch (normalise(b, atom))
  {
  case NEVER:
    return hd_control_false();
  case ALWAYS:
    return hd_control_true(b);
  case DEPENDS:
    break;
  }
  hd_control_conjunction *k = hd_arena_alloc(b->arena, sizeof *k);
  *k = (hd_control_conjunction){1, atom};
  return (hd_control_set){1, k};
}

hd_control_set
hd_control_not_negative(hd_control_builder *b, const hd_control_linear *l)
{
  return single(b, HD_CONTROL_NOT_NEGATIVE, l);
}

hd_control_set
hd_control_zero(hd_control_builder *b, const hd_control_linear *l)
{
  return single(b, HD_CONTROL_ZERO, l);
}

static bool
same_atom(const hd_control_atom *a, const hd_control_atom *b)
{
  return a->relation == b->relation && a->linear.constant == b->linear.constant
         && same_factors(&a->linear, &b->linear, 1);
}

/* Every atom of WIDE is in NARROW too. */
static bool
covers(const hd_control_conjunction *wide, const hd_control_conjunction *narrow)
{
  for (size_t i = 0; i < wide->n; i++)
  {
    size_t j = 0;
    while (j < narrow->n && !same_atom(&wide->atoms[i], &narrow->atoms[j]))
      j++;
    if (j == narrow->n)
      return false;
  }
  return true;
}

typedef struct collection
{
  hd_control_conjunction items[HD_CONTROL_MOST_CASES];
  size_t n;
} collection;

static bool
collect(hd_control_builder *b, collection *out, hd_control_conjunction k)
{
  for (size_t i = 0; i < out->n; i++)
    if (covers(&out->items[i], &k))
      return true;
  size_t keep = 0;
  for (size_t i = 0; i < out->n; i++)
    if (!covers(&k, &out->items[i]))
      out->items[keep++] = out->items[i];
  out->n = keep;
  if (out->n == HD_CONTROL_MOST_CASES)
  {
    if (!b->trouble)
      b->trouble = "this has too many cases, more than 256";
    return false;
  }
  out->items[out->n++] = k;
  return true;
}

static hd_control_set
finish(hd_control_builder *b, const collection *c)
{
  if (c->n == 0)
    return hd_control_false();
  hd_control_conjunction *items = hd_arena_alloc(b->arena, c->n * sizeof *items);
  memcpy(items, c->items, c->n * sizeof *items);
  return (hd_control_set){c->n, items};
}

hd_control_set
hd_control_and(hd_control_builder *b, const hd_control_set *x, const hd_control_set *y)
{
  if (b->trouble)
    return hd_control_false();
  if (hd_control_is_true(x))
    return *y;
  if (hd_control_is_true(y))
    return *x;
  collection out = {.n = 0};
  for (size_t i = 0; i < x->n; i++)
    for (size_t j = 0; j < y->n; j++)
    {
      const hd_control_conjunction *p = &x->conjunctions[i], *q = &y->conjunctions[j];
      hd_arena_mark mark = hd_arena_get_mark(b->arena);
      hd_control_atom *atoms = hd_arena_alloc(b->arena, (p->n + q->n + 1) * sizeof *atoms);
      size_t n = p->n;
      bool good = true;
      if (n)
        memcpy(atoms, p->atoms, n * sizeof *atoms);
      for (size_t k = 0; good && k < q->n; k++)
        good = add_atom(atoms, &n, q->atoms[k]);
      if (!good)
        hd_arena_release(b->arena, mark);
      else if (!collect(b, &out, (hd_control_conjunction){n, atoms}))
        return hd_control_false();
    }
  return finish(b, &out);
}

hd_control_set
hd_control_or(hd_control_builder *b, const hd_control_set *x, const hd_control_set *y)
{
  if (b->trouble)
    return hd_control_false();
  collection out = {.n = 0};
  for (size_t i = 0; i < x->n; i++)
    if (!collect(b, &out, x->conjunctions[i]))
      return hd_control_false();
  for (size_t i = 0; i < y->n; i++)
    if (!collect(b, &out, y->conjunctions[i]))
      return hd_control_false();
  return finish(b, &out);
}
