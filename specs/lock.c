/* lock: held by one thread or by none; not recursive.
 *   acquire    release    try → true if it took the lock, false if it was held
 * A lock is released by the thread that holds it. */
#include "builtin.h"

#include <stdlib.h>

enum
{
  ACQUIRE,
  RELEASE,
  TRY
};

static const hd_method methods[] = {
    [ACQUIRE] = {"acquire", HD_MUTATOR, "", '*'},
    [RELEASE] = {"release", HD_MUTATOR, "", '*'},
    [TRY] = {"try", HD_MUTATOR, "", 'b'},
};

typedef struct lock
{
  bool held;
  uint32_t holder; /* 0 if not held */
} lock;

static void *
create(const hd_value *config, size_t n)
{
  (void) config, (void) n;
  return hd_alloc_zero(sizeof(lock));
}

static void *
copy(const void *s)
{
  lock *c = hd_alloc(sizeof *c);
  *c = *(const lock *) s;
  return c;
}

static hd_step
test(const void *s, const hd_op *op)
{
  const lock *l = s;
  switch (op->method)
  {
  case ACQUIRE:
    return is_done(op->ret) && !l->held ? HD_CHANGED : HD_REJECT;
  case RELEASE:
    return is_done(op->ret) && l->held && l->holder == op->thread ? HD_CHANGED : HD_REJECT;
  default: /* TRY */
    if (!is_number(op->ret, !l->held))
      return HD_REJECT;
    return l->held ? HD_SAME : HD_CHANGED;
  }
}

static hd_step
apply(void *s, const hd_op *op, hd_keys *touched)
{
  hd_step step = test(s, op);
  if (step == HD_CHANGED)
  {
    *(lock *) s = op->method == RELEASE ? (lock){0} : (lock){true, op->thread};
    hd_touch(touched, hd_nil());
  }
  return step;
}

static bool
equal(const void *a, const void *b)
{
  const lock *x = a, *y = b;
  return x->held == y->held && x->holder == y->holder;
}

static uint64_t
hash(const void *s)
{
  const lock *l = s;
  return hd_mix((uint64_t) l->held << 32 | l->holder);
}

static size_t
outcomes(const void *s, const hd_op *op, hd_value *ret, size_t max)
{
  const lock *l = s;
  switch (op->method)
  {
  case ACQUIRE:
    return l->held ? 0 : outcome(hd_nil(), ret, max);
  case RELEASE:
    return l->held && l->holder == op->thread ? outcome(hd_nil(), ret, max) : 0;
  default: /* TRY */
    return outcome(hd_bool(!l->held), ret, max);
  }
}

/* The view has one key, nil: whether the lock is held. */
static bool
view(const void *s, hd_value key, hd_value *out)
{
  *out = hd_bool(((const lock *) s)->held);
  return is_nil(key);
}

static void
keys(const void *s, hd_keys *all)
{
  (void) s;
  hd_touch(all, hd_nil());
}

static void
show(const void *s, char *out, size_t n)
{
  const lock *l = s;
  if (l->held)
    snprintf(out, n, "held by thread %u", l->holder);
  else
    snprintf(out, n, "free");
}

static uint32_t
traits(const hd_op *op)
{
  return op->method == TRY && is_number(op->ret, 0) ? HD_LOOKS | HD_ANYONE : 0;
}

const hd_spec hd_specs_lock = BUILTIN(.name = "lock", .nmethods = NMETHODS, .traits = traits, .show = show,
                                      .create = create, .destroy = free, .apply = apply, .test = test, .copy = copy,
                                      .equal = equal, .hash = hash, .outcomes = outcomes, .view = view, .keys = keys);
