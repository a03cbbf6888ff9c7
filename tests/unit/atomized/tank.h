/* tank.h: a small implementation to be atomized: a tank of ten litres. Included by test_atomized.c, which gives it a
 * clone, and by no_clone.c, which does not. */
#ifndef TEST_ATOMIZED_TANK_H
#define TEST_ATOMIZED_TANK_H

#include <stdlib.h>

#include <heddle/atomized.h>

typedef struct tank
{
  int64_t litres;
} tank;

enum
{
  FILL,
  EMPTY,
  LEVEL,
  NAME,
  BURST
};

/* fill n → true if it fits; alone it fails only if it does not fit, under contention at any time */
static bool
fill(void *object, const hd_op *op, hd_value *ret)
{
  tank *t = object;
  bool fits = t->litres + op->args[0].i <= 10;
  t->litres += fits ? op->args[0].i : 0;
  *ret = hd_bool(fits);
  return true;
}

/* empty → how much there was */
static bool
empty(void *object, const hd_op *op, hd_value *ret)
{
  (void) op;
  tank *t = object;
  *ret = hd_int(t->litres);
  t->litres = 0;
  return true;
}

static bool
level(void *object, const hd_op *op, hd_value *ret)
{
  (void) op;
  *ret = hd_int(((tank *) object)->litres);
  return true;
}

static bool
name(void *object, const hd_op *op, hd_value *ret)
{
  (void) op;
  *ret = hd_str(((tank *) object)->litres > 5 ? "rather full" : "rather empty");
  return true;
}

/* burst: ends exceptionally unless it is empty, and changes nothing */
static bool
burst(void *object, const hd_op *op, hd_value *ret)
{
  (void) op;
  bool none = ((tank *) object)->litres == 0;
  *ret = none ? hd_nil() : hd_str("wet");
  return none;
}

static bool
is_false(const hd_op *op)
{
  return !op->ret.u;
}

static bool
is_exception(const hd_op *op)
{
  return op->exceptional;
}

static const hd_atomized_method methods[] = {
    [FILL] = {"fill", HD_MUTATOR, "i", 'b', fill, .contention = is_false},
    [EMPTY] = {"empty", HD_MUTATOR, "", 'i', empty, .unchanged = is_false},
    [LEVEL] = {"level", HD_OBSERVER, "", 'i', level, NULL, NULL},
    [NAME] = {"name", HD_OBSERVER, "", 's', name, NULL, NULL},
    [BURST] = {"burst", HD_MUTATOR, "", '*', burst, .unchanged = is_exception},
};

static inline void *
create(const hd_value *config, size_t n)
{
  tank *t = malloc(sizeof *t);
  if (!t)
    abort();
  t->litres = n > 0 ? config[0].i : 0;
  return t;
}

#endif
