/* stack: last in, first out; without a bound.
 *   push v    pop → the newest value, or nil or -1 if the stack is empty
 * nil is no value: it cannot be put in. */
#include "builtin.h"

enum
{
  PUSH,
  POP
};

static const hd_method methods[] = {
    [PUSH] = {"push", HD_MUTATOR, "*", '*'},
    [POP] = {"pop", HD_MUTATOR, "", '*'},
};

static bool
puts_in(const hd_op *op)
{
  return op->nargs == 1;
}

static hd_step
test(const void *s, const hd_op *op)
{
  const sequence *q = s;
  if (puts_in(op))
    return is_done(op->ret) && !is_nil(op->args[0]) ? HD_CHANGED : HD_REJECT;
  if (q->n == 0)
    return is_none(op->ret) ? HD_SAME : HD_REJECT;
  return hd_value_equal(op->ret, hd_specs_sequence_last(q)) ? HD_CHANGED : HD_REJECT;
}

static hd_step
apply(void *s, const hd_op *op, hd_keys *touched)
{
  (void) touched;
  hd_step step = test(s, op);
  if (step == HD_CHANGED && puts_in(op))
    hd_specs_sequence_append(s, op->args[0]);
  else if (step == HD_CHANGED)
    hd_specs_sequence_drop_last(s);
  return step;
}

static size_t
outcomes(const void *s, const hd_op *op, hd_value *ret, size_t max)
{
  const sequence *q = s;
  if (puts_in(op) && is_nil(op->args[0]))
    return 0;
  return outcome(puts_in(op) || q->n == 0 ? hd_nil() : hd_specs_sequence_last(q), ret, max);
}

static uint32_t
traits(const hd_op *op)
{
  return HD_ANYONE | (!puts_in(op) && is_nil(op->ret) && !op->unknown ? HD_LOOKS : 0);
}

const hd_spec hd_specs_stack
    = BUILTIN(.name = "stack", .nmethods = NMETHODS, .traits = traits, .create = hd_specs_sequence_create,
              .destroy = hd_specs_sequence_destroy, .apply = apply, .test = test, .copy = hd_specs_sequence_copy,
              .equal = hd_specs_sequence_equal, .hash = hd_specs_sequence_hash, .show = hd_specs_sequence_show,
              .outcomes = outcomes);
