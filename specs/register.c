/* register: one value. The first configuration value is the initial one, else it is nil.
 *   read → v    write v    cas old new → true if the value was OLD and is now NEW */
#include "builtin.h"

#include <stdlib.h>

enum
{
  READ,
  WRITE,
  CAS
};

static const hd_method methods[] = {
    [READ] = {"read", HD_OBSERVER, "", '*'},
    [WRITE] = {"write", HD_MUTATOR, "*", '*'},
    [CAS] = {"cas", HD_MUTATOR, "**", 'b'},
};

static void *
create(const hd_value *config, size_t n)
{
  hd_value *s = hd_alloc(sizeof *s);
  *s = n > 0 ? keep_value(config[0]) : hd_nil();
  return s;
}

static void
destroy(void *s)
{
  drop_value(*(hd_value *) s);
  free(s);
}

static hd_step
test(const void *s, const hd_op *op)
{
  hd_value now = *(const hd_value *) s;
  switch (op->method)
  {
  case READ:
    return hd_value_equal(op->ret, now) ? HD_SAME : HD_REJECT;
  case WRITE:
    if (!is_done(op->ret))
      return HD_REJECT;
    return hd_value_equal(op->args[0], now) ? HD_SAME : HD_CHANGED;
  default: /* CAS */
    if (!is_number(op->ret, hd_value_equal(op->args[0], now)))
      return HD_REJECT;
    return op->ret.u && !hd_value_equal(op->args[1], now) ? HD_CHANGED : HD_SAME;
  }
}

static hd_step
apply(void *s, const hd_op *op, hd_keys *touched)
{
  hd_step step = test(s, op);
  if (step == HD_CHANGED)
  {
    hd_value new = keep_value(op->args[op->nargs - 1]);
    drop_value(*(hd_value *) s);
    *(hd_value *) s = new;
    hd_touch(touched, hd_nil());
  }
  return step;
}

static void *
copy(const void *s)
{
  return create(s, 1);
}

static bool
equal(const void *a, const void *b)
{
  return hd_value_equal(*(const hd_value *) a, *(const hd_value *) b);
}

static uint64_t
hash(const void *s)
{
  return hd_value_hash(*(const hd_value *) s);
}

static size_t
outcomes(const void *s, const hd_op *op, hd_value *ret, size_t max)
{
  hd_value now = *(const hd_value *) s;
  switch (op->method)
  {
  case READ:
    return outcome(now, ret, max);
  case WRITE:
    return outcome(hd_nil(), ret, max);
  default: /* CAS */
    return outcome(hd_bool(hd_value_equal(op->args[0], now)), ret, max);
  }
}

/* The view has one key: nil. */
static bool
view(const void *s, hd_value key, hd_value *out)
{
  *out = *(const hd_value *) s;
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
  if (op->method == WRITE)
    return HD_ANYONE | (is_done(op->ret) ? HD_BLIND : 0);
  return HD_ANYONE | (op->method == CAS && is_number(op->ret, 0) ? HD_LOOKS : 0);
}

const hd_spec hd_specs_register
    = BUILTIN(.name = "register", .nmethods = NMETHODS, .traits = traits, .create = create, .destroy = destroy,
              .apply = apply, .test = test, .copy = copy, .equal = equal, .hash = hash, .outcomes = outcomes,
              .view = view, .keys = keys);
