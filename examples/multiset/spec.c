/* spec.c: what the multiset must do, one operation at a time (Fig. 1 and section 2.1 of the VYRD paper).
 *
 * The state is the content: a sorted array of elements, with repetitions. The view of an element is how often it is in
 * the content; replica.h computes the same from the slots that the implementation wrote.
 *
 *   cc -shared -fPIC -I../../include spec.c -o multiset.so */
#include <stdlib.h>
#include <string.h>

#include <heddle/spec.h>

#include "replica.h"

enum
{
  INSERT,
  INSERT_PAIR,
  DELETE,
  LOOK_UP
};

static const hd_method methods[] = {
    [INSERT] = {"Insert", HD_MUTATOR, "i", 'b'},
    [INSERT_PAIR] = {"InsertPair", HD_MUTATOR, "ii", 'b'},
    [DELETE] = {"Delete", HD_MUTATOR, "i", 'b'},
    [LOOK_UP] = {"LookUp", HD_OBSERVER, "i", 'b'},
};

/* ---- the state ---- */

typedef struct content
{
  size_t n, capacity;
  int64_t *elements; /* sorted */
} content;

static void *
create(const hd_value *config, size_t n)
{
  (void) config, (void) n;
  return calloc(1, sizeof(content));
}

static void
destroy(void *s)
{
  free(((content *) s)->elements);
  free(s);
}

/* The first place whose element is not below X. */
static size_t
place(const content *c, int64_t x)
{
  size_t low = 0, high = c->n;
  while (low < high)
  {
    size_t middle = low + (high - low) / 2;
    if (c->elements[middle] < x)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static size_t
count(const content *c, int64_t x)
{
  size_t first = place(c, x), end = first;
  while (end < c->n && c->elements[end] == x)
    end++;
  return end - first;
}

static void
add(content *c, int64_t x)
{
  if (c->n == c->capacity)
  {
    c->capacity = c->capacity ? 2 * c->capacity : 16;
    c->elements = realloc(c->elements, c->capacity * sizeof *c->elements);
    if (!c->elements)
      abort();
  }
  size_t i = place(c, x);
  memmove(c->elements + i + 1, c->elements + i, (c->n - i) * sizeof *c->elements);
  c->elements[i] = x;
  c->n++;
}

static void
take(content *c, int64_t x)
{
  size_t i = place(c, x);
  c->n--;
  memmove(c->elements + i, c->elements + i + 1, (c->n - i) * sizeof *c->elements);
}

/* ---- the operations ---- */

static hd_step
test(const void *s, const hd_op *op)
{
  bool done = op->ret.u;
  switch (op->method)
  {
  case INSERT:
  case INSERT_PAIR: /* either may fail, and then changes nothing */
    return done ? HD_CHANGED : HD_SAME;
  case DELETE:
    if (done != (count(s, op->args[0].i) > 0))
      return HD_REJECT;
    return done ? HD_CHANGED : HD_SAME;
  default: /* LOOK_UP */
    return done == (count(s, op->args[0].i) > 0) ? HD_SAME : HD_REJECT;
  }
}

static hd_step
apply(void *s, const hd_op *op, hd_keys *touched)
{
  hd_step step = test(s, op);
  if (step == HD_CHANGED)
    for (uint32_t i = 0; i < op->nargs; i++)
    {
      (op->method == DELETE ? take : add)(s, op->args[i].i);
      hd_touch(touched, op->args[i]);
    }
  return step;
}

static bool
key(const hd_op *op, hd_keys *parts)
{
  for (uint32_t i = 0; i < op->nargs; i++)
    hd_touch(parts, op->args[i]);
  return true;
}

/* ---- for searches over orders ---- */

static void *
copy(const void *s)
{
  content *c = calloc(1, sizeof *c);
  if (!c)
    abort();
  for (size_t i = 0; i < ((const content *) s)->n; i++)
    add(c, ((const content *) s)->elements[i]);
  return c;
}

static bool
equal(const void *a, const void *b)
{
  const content *x = a, *y = b;
  return x->n == y->n && (x->n == 0 || memcmp(x->elements, y->elements, x->n * sizeof *x->elements) == 0);
}

static uint64_t
hash(const void *s)
{
  const content *c = s;
  uint64_t h = c->n;
  for (size_t i = 0; i < c->n; i++)
    h = (h ^ (uint64_t) c->elements[i]) * 0x9e3779b97f4a7c15u, h ^= h >> 29;
  return h;
}

/* ---- the view: element -> how often ---- */

static bool
view(const void *s, hd_value key, hd_value *out)
{
  *out = hd_uint(count(s, key.i));
  return out->u > 0;
}

static void
keys(const void *s, hd_keys *all)
{
  const content *c = s;
  for (size_t i = 0; i < c->n; i++)
    hd_touch(all, hd_int(c->elements[i]));
}

HD_SPEC(.name = "multiset", .methods = methods, .nmethods = 4, .create = create, .destroy = destroy, .apply = apply,
        .test = test, .copy = copy, .equal = equal, .hash = hash, .key = key, .view = view, .keys = keys,
        .replica = &replica);
