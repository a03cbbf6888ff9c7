/* sinful.c: a counter whose apply() is not deterministic (MOODY) or does not say what it touches (CARELESS), or
 * that boasts of what is not true (BOASTFUL). */
#include <stdlib.h>

#include <heddle/spec.h>

typedef struct counter
{
  int64_t n, mood;
} counter;

static void *
create(const hd_value *config, size_t n)
{
  (void) config, (void) n;
  return calloc(1, sizeof(counter));
}

static hd_step
apply(void *s, const hd_op *op, hd_keys *touched)
{
  counter *c = s;
  if (op->ret.i != c->n + 1)
    return HD_REJECT;
  c->n++;
#ifdef MOODY
  static int64_t mood;
  c->mood = ++mood;
#endif
#ifndef CARELESS
  hd_touch(touched, hd_str("value"));
#endif
  (void) touched;
  return HD_CHANGED;
}

static void *
copy(const void *s)
{
  counter *c = malloc(sizeof *c);
  *c = *(const counter *) s;
  return c;
}

static bool
equal(const void *a, const void *b)
{
  const counter *x = a, *y = b;
  return x->n == y->n && x->mood == y->mood;
}

static bool
view(const void *s, hd_value key, hd_value *out)
{
  (void) key;
  *out = hd_int(((const counter *) s)->n);
  return true;
}

static void
keys(const void *s, hd_keys *all)
{
  (void) s;
  hd_touch(all, hd_str("value"));
}

/* The replica knows nothing: no key of it is ever touched. */
static void
ignore(void *r, uint64_t var, hd_value v, hd_keys *touched)
{
  (void) r, (void) var, (void) v, (void) touched;
}

#ifdef CARELESS
static const hd_replica replica
    = {.create = create, .destroy = free, .copy = copy, .write = ignore, .view = view, .keys = keys};
#endif

static const hd_method methods[] = {{"inc", HD_MUTATOR, "", 'i'}};

#ifdef BOASTFUL
static uint32_t
traits(const hd_op *op)
{
  (void) op;
  return HD_LOOKS;
}
#endif

HD_SPEC(.name = "counter", .methods = methods, .nmethods = 1, .create = create, .destroy = free, .apply = apply,
        .copy = copy, .equal = equal, .view = view, .keys = keys,
#ifdef CARELESS
        .replica = &replica,
#endif
#ifdef BOASTFUL
        .traits = traits,
#endif
);
