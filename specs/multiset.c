/* multiset: elements, each any number of times.
 *   insert x → true, or false: nothing was inserted    delete x → true if one was there, and is gone
 *   count x → how many    contains x → true or false */
#include "builtin.h"

enum
{
  INSERT,
  DELETE,
  COUNT,
  CONTAINS
};

static const hd_method methods[] = {
    [INSERT] = {"insert", HD_MUTATOR, "*", '*'},
    [DELETE] = {"delete", HD_MUTATOR, "*", '*'},
    [COUNT] = {"count", HD_OBSERVER, "*", 'i'},
    [CONTAINS] = {"contains", HD_OBSERVER, "*", 'b'},
};

/* The state maps an element to how often it is there; elements that are not there have no entry. */
static int64_t
count(const void *s, hd_value x)
{
  const hd_value *n = hd_specs_table_get(s, x);
  return n ? n->i : 0;
}

static hd_step
test(const void *s, const hd_op *op)
{
  int64_t n = count(s, op->args[0]);
  switch (op->method)
  {
  case INSERT:
    if (is_number(op->ret, 0))
      return HD_SAME;
    return is_done(op->ret) ? HD_CHANGED : HD_REJECT;
  case DELETE:
    if (!says(op->ret, n > 0))
      return HD_REJECT;
    return n > 0 ? HD_CHANGED : HD_SAME;
  case COUNT:
    return is_number(op->ret, n) ? HD_SAME : HD_REJECT;
  default: /* CONTAINS */
    return is_number(op->ret, n > 0) ? HD_SAME : HD_REJECT;
  }
}

static hd_step
apply(void *s, const hd_op *op, hd_keys *touched)
{
  hd_step step = test(s, op);
  if (step == HD_CHANGED)
  {
    int64_t n = count(s, op->args[0]) + (op->method == INSERT ? 1 : -1);
    if (n > 0)
      hd_specs_table_put(s, op->args[0], hd_int(n));
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
  int64_t n = count(s, op->args[0]);
  switch (op->method)
  {
  case INSERT:
    if (max > 1)
      ret[1] = hd_bool(false);
    outcome(hd_bool(true), ret, max);
    return 2;
  case COUNT:
    return outcome(hd_int(n), ret, max);
  default: /* DELETE, CONTAINS */
    return outcome(hd_bool(n > 0), ret, max);
  }
}

/* The view of an element is how often it is there. */
static bool
view(const void *s, hd_value key, hd_value *out)
{
  *out = hd_int(count(s, key));
  return out->i > 0;
}

static void
keys(const void *s, hd_keys *all)
{
  hd_specs_table_keys(s, all);
}

static uint32_t
traits(const hd_op *op)
{
  return HD_ANYONE | (is_number(op->ret, 0) ? HD_LOOKS : 0);
}

const hd_spec hd_specs_multiset
    = BUILTIN(.name = "multiset", .nmethods = NMETHODS, .traits = traits, .create = hd_specs_table_create,
              .destroy = hd_specs_table_destroy, .apply = apply, .test = test, .copy = hd_specs_table_copy,
              .equal = hd_specs_table_equal, .hash = hd_specs_table_hash, .key = key, .outcomes = outcomes,
              .view = view, .keys = keys);
