/* set: elements, each at most once.
 *   add x → true if it is new    remove x → true if it was there    contains x → true or false */
#include "builtin.h"

enum
{
  ADD,
  REMOVE,
  CONTAINS
};

static const hd_method methods[] = {
    [ADD] = {"add", HD_MUTATOR, "*", '*'},
    [REMOVE] = {"remove", HD_MUTATOR, "*", '*'},
    [CONTAINS] = {"contains", HD_OBSERVER, "*", 'b'},
};

static hd_step
test(const void *s, const hd_op *op)
{
  bool there = hd_specs_table_get(s, op->args[0]);
  switch (op->method)
  {
  case ADD:
    if (!says(op->ret, !there))
      return HD_REJECT;
    return there ? HD_SAME : HD_CHANGED;
  case REMOVE:
    if (!says(op->ret, there))
      return HD_REJECT;
    return there ? HD_CHANGED : HD_SAME;
  default: /* CONTAINS */
    return is_number(op->ret, there) ? HD_SAME : HD_REJECT;
  }
}

static hd_step
apply(void *s, const hd_op *op, hd_keys *touched)
{
  hd_step step = test(s, op);
  if (step == HD_CHANGED)
  {
    if (op->method == ADD)
      hd_specs_table_put(s, op->args[0], hd_bool(true));
    else
      hd_specs_table_remove(s, op->args[0]);
    hd_touch(touched, op->args[0]);
  }
  return step;
}

static bool
key(const hd_op *op, hd_keys *parts)
{
  hd_touch(parts, op->args[0]);
  return true;
}

static size_t
outcomes(const void *s, const hd_op *op, hd_value *ret, size_t max)
{
  bool there = hd_specs_table_get(s, op->args[0]);
  return outcome(hd_bool(op->method == ADD ? !there : there), ret, max);
}

/* The view of an element that is there is true. */
static bool
view(const void *s, hd_value key, hd_value *out)
{
  *out = hd_bool(true);
  return hd_specs_table_get(s, key);
}

static void
keys(const void *s, hd_keys *all)
{
  hd_specs_table_keys(s, all);
}

static uint32_t
traits(const hd_op *op)
{
  if (op->method == CONTAINS)
    return HD_ANYONE;
  return HD_ANYONE | (is_nil(op->ret) ? HD_BLIND : 0) | (is_number(op->ret, 0) ? HD_LOOKS : 0);
}

const hd_spec hd_specs_set
    = BUILTIN(.name = "set", .nmethods = NMETHODS, .traits = traits, .create = hd_specs_table_create,
              .destroy = hd_specs_table_destroy, .apply = apply, .test = test, .copy = hd_specs_table_copy,
              .equal = hd_specs_table_equal, .hash = hd_specs_table_hash, .key = key, .outcomes = outcomes,
              .view = view, .keys = keys);
