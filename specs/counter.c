/* counter: an integer. The first configuration value is the initial one, else it is 0.
 *   inc → new value    dec → new value    add n → new value    get → value
 * inc, dec and add may also return nothing. Sums wrap around. */
#include "builtin.h"

#include <stdlib.h>

enum
{
  INC,
  DEC,
  ADD,
  GET
};

static const hd_method methods[] = {
    [INC] = {"inc", HD_MUTATOR, "", '*'},
    [DEC] = {"dec", HD_MUTATOR, "", '*'},
    [ADD] = {"add", HD_MUTATOR, "i", '*'},
    [GET] = {"get", HD_OBSERVER, "", 'i'},
};

static void *
create(const hd_value *config, size_t n)
{
  int64_t *s = hd_alloc(sizeof *s);
  *s = n > 0 ? config[0].i : 0;
  return s;
}

static void *
copy(const void *s)
{
  int64_t *c = hd_alloc(sizeof *c);
  *c = *(const int64_t *) s;
  return c;
}

static int64_t
after(const void *s, const hd_op *op)
{
  uint64_t now = (uint64_t) * (const int64_t *) s;
  switch (op->method)
  {
  case INC:
    return (int64_t) (now + 1);
  case DEC:
    return (int64_t) (now - 1);
  case ADD:
    return (int64_t) (now + (uint64_t) op->args[0].i);
  default: /* GET */
    return (int64_t) now;
  }
}

static hd_step
test(const void *s, const hd_op *op)
{
  int64_t value = after(s, op);
  if (!is_number(op->ret, value) && !(op->method != GET && is_nil(op->ret)))
    return HD_REJECT;
  return value == *(const int64_t *) s ? HD_SAME : HD_CHANGED;
}

static hd_step
apply(void *s, const hd_op *op, hd_keys *touched)
{
  hd_step step = test(s, op);
  if (step == HD_CHANGED)
  {
    *(int64_t *) s = after(s, op);
    hd_touch(touched, hd_nil());
  }
  return step;
}

static bool
equal(const void *a, const void *b)
{
  return *(const int64_t *) a == *(const int64_t *) b;
}

static uint64_t
hash(const void *s)
{
  return hd_mix((uint64_t) * (const int64_t *) s);
}

static size_t
outcomes(const void *s, const hd_op *op, hd_value *ret, size_t max)
{
  return outcome(hd_int(after(s, op)), ret, max);
}

/* The view has one key: nil. */
static bool
view(const void *s, hd_value key, hd_value *out)
{
  *out = hd_int(*(const int64_t *) s);
  return is_nil(key);
}

static void
keys(const void *s, hd_keys *all)
{
  (void) s;
  hd_touch(all, hd_nil());
}

static uint32_t
traits(const hd_op *op)
{
  return HD_ANYONE | (op->method == ADD && op->args[0].i == 0 ? HD_LOOKS : 0);
}

const hd_spec hd_specs_counter = BUILTIN(.name = "counter", .nmethods = NMETHODS, .traits = traits, .create = create,
                                         .destroy = free, .apply = apply, .test = test, .copy = copy, .equal = equal,
                                         .hash = hash, .outcomes = outcomes, .view = view, .keys = keys);
