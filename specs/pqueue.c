/* pqueue: values that leave in ascending order; without a bound; a value may be there more than once.
 *   insert v    delmin → the smallest value, or nil or -1 if the queue is empty
 * nil is no value: it cannot be put in. Numbers are below all strings, strings compare byte by byte. */
#include "builtin.h"

#include <stdlib.h>
#include <string.h>

enum
{
  INSERT,
  DELMIN
};

static const hd_method methods[] = {
    [INSERT] = {"insert", HD_MUTATOR, "*", '*'},
    [DELMIN] = {"delmin", HD_MUTATOR, "", '*'},
};

typedef struct heap
{
  hd_value *values; /* values[(i - 1) / 2] <= values[i] */
  size_t n, capacity;
  uint64_t sum; /* of the hashes: independent of the order */
} heap;

static int
rank(hd_value v)
{
  return v.type == HD_NIL ? 0 : v.type < HD_STR ? 1 : v.type == HD_STR ? 2 : 3;
}

static int
compare(hd_value a, hd_value b)
{
  if (rank(a) != rank(b))
    return rank(a) - rank(b);
  if (rank(a) >= 2)
  {
    size_t n = a.length < b.length ? a.length : b.length;
    int c = n > 0 ? memcmp(a.p, b.p, n) : 0;
    return c != 0 ? c : (a.length > b.length) - (a.length < b.length);
  }
  bool a_negative = a.type == HD_INT && a.i < 0, b_negative = b.type == HD_INT && b.i < 0;
  if (a_negative != b_negative)
    return b_negative - a_negative;
  return rank(a) == 0 ? 0 : (a.u > b.u) - (a.u < b.u);
}

static int
compare_for_sort(const void *a, const void *b)
{
  return compare(*(const hd_value *) a, *(const hd_value *) b);
}

static void
insert(heap *h, hd_value v)
{
  HD_PUSH(h->values, h->n, h->capacity, v);
  size_t i = h->n - 1;
  for (; i > 0 && compare(v, h->values[(i - 1) / 2]) < 0; i = (i - 1) / 2)
    h->values[i] = h->values[(i - 1) / 2];
  h->values[i] = keep_value(v);
  h->sum += hd_value_hash(v);
}

static void
delete_min(heap *h)
{
  h->sum -= hd_value_hash(h->values[0]);
  drop_value(h->values[0]);
  hd_value v = h->values[--h->n];
  size_t i = 0;
  for (size_t child; (child = 2 * i + 1) < h->n; i = child)
  {
    if (child + 1 < h->n && compare(h->values[child + 1], h->values[child]) < 0)
      child++;
    if (compare(v, h->values[child]) <= 0)
      break;
    h->values[i] = h->values[child];
  }
  h->values[i] = v;
}

static void *
create(const hd_value *config, size_t n)
{
  (void) config, (void) n;
  return hd_alloc_zero(sizeof(heap));
}

static void
destroy(void *s)
{
  heap *h = s;
  for (size_t i = 0; i < h->n; i++)
    drop_value(h->values[i]);
  free(h->values);
  free(h);
}

static hd_step
test(const void *s, const hd_op *op)
{
  const heap *h = s;
  if (op->method == INSERT)
    return is_done(op->ret) && !is_nil(op->args[0]) ? HD_CHANGED : HD_REJECT;
  if (h->n == 0)
    return is_none(op->ret) ? HD_SAME : HD_REJECT;
  return hd_value_equal(op->ret, h->values[0]) ? HD_CHANGED : HD_REJECT;
}

static hd_step
apply(void *s, const hd_op *op, hd_keys *touched)
{
  (void) touched;
  hd_step step = test(s, op);
  if (step == HD_CHANGED && op->method == INSERT)
    insert(s, op->args[0]);
  else if (step == HD_CHANGED)
    delete_min(s);
  return step;
}

static void *
copy(const void *s)
{
  const heap *h = s;
  heap *c = hd_alloc(sizeof *c);
  *c = (heap){.values = hd_alloc_array(h->n, sizeof *h->values), .n = h->n, .capacity = h->n, .sum = h->sum};
  for (size_t i = 0; i < h->n; i++)
    c->values[i] = keep_value(h->values[i]);
  return c;
}

static hd_value *
sorted(const heap *h)
{
  hd_value *v = hd_alloc_array(h->n, sizeof *v);
  if (h->n > 0)
  {
    memcpy(v, h->values, h->n * sizeof *v);
    qsort(v, h->n, sizeof *v, compare_for_sort);
  }
  return v;
}

static bool
equal(const void *a, const void *b)
{
  const heap *x = a, *y = b;
  if (x->n != y->n || x->sum != y->sum)
    return false;
  if (x->n == 0)
    return true;
  hd_value *p = sorted(x), *q = sorted(y);
  bool same = true;
  for (size_t i = 0; same && i < x->n; i++)
    same = hd_value_equal(p[i], q[i]);
  free(p);
  free(q);
  return same;
}

static uint64_t
hash(const void *s)
{
  const heap *h = s;
  return hd_mix(h->sum + h->n);
}

static size_t
outcomes(const void *s, const hd_op *op, hd_value *ret, size_t max)
{
  const heap *h = s;
  if (op->method == INSERT && is_nil(op->args[0]))
    return 0;
  return outcome(op->method == INSERT || h->n == 0 ? hd_nil() : h->values[0], ret, max);
}

static hd_value
item(const void *values, size_t i)
{
  return ((const hd_value *) values)[i];
}

/* In the order in which they would leave. */
static void
show(const void *s, char *out, size_t n)
{
  hd_value *values = sorted(s);
  hd_specs_show_list(out, n, values, ((const heap *) s)->n, item);
  free(values);
}

static uint32_t
traits(const hd_op *op)
{
  return HD_ANYONE | (op->method != INSERT && is_nil(op->ret) && !op->unknown ? HD_LOOKS : 0);
}

const hd_spec hd_specs_pqueue = BUILTIN(.name = "pqueue", .nmethods = NMETHODS, .traits = traits, .show = show,
                                        .create = create, .destroy = destroy, .apply = apply, .test = test,
                                        .copy = copy, .equal = equal, .hash = hash, .outcomes = outcomes);
