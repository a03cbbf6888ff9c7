/* keyed.c: a map of numbers with operations on several keys. */
#include "naive/keyed.h"

#include <stdlib.h>
#include <string.h>

#include "base/base.h"

enum
{
  GET,
  PUT,
  COPY,
  SUM,
  SIZE,
  CLEAR,
  ZERO
};

static const hd_method methods[] = {
    [GET] = {"get", HD_OBSERVER, "i", 'i'},   [PUT] = {"put", HD_MUTATOR, "ii", 'n'},
    [COPY] = {"copy", HD_MUTATOR, "ii", 'n'}, [SUM] = {"sum", HD_OBSERVER, "ii", 'i'},
    [SIZE] = {"size", HD_OBSERVER, "", 'i'},  [CLEAR] = {"clear", HD_MUTATOR, "", 'n'},
    [ZERO] = {"zero", HD_MUTATOR, "ii", 'n'},
};

typedef struct numbers
{
  int64_t of[NAIVE_KEYS];
} numbers;

static void *
create(const hd_value *config, size_t n)
{
  (void) config, (void) n;
  return hd_alloc_zero(sizeof(numbers));
}

static void *
copy(const void *s)
{
  numbers *c = hd_alloc(sizeof *c);
  *c = *(const numbers *) s;
  return c;
}

static bool
equal(const void *a, const void *b)
{
  return memcmp(a, b, sizeof(numbers)) == 0;
}

static uint64_t
hash(const void *s)
{
  return hd_hash_bytes(s, sizeof(numbers));
}

/* What an observer sees. */
static int64_t
look(const numbers *s, const hd_op *op)
{
  int64_t size = 0;
  switch (op->method)
  {
  case GET:
    return s->of[op->args[0].i];
  case SUM:
    return s->of[op->args[0].i] + s->of[op->args[1].i];
  default: /* SIZE */
    for (size_t i = 0; i < NAIVE_KEYS; i++)
      size += s->of[i] != 0;
    return size;
  }
}

static hd_step
apply(void *s, const hd_op *op, hd_keys *touched)
{
  (void) touched;
  numbers *now = s, before = *now;
  if (methods[op->method].role == HD_OBSERVER)
    return hd_value_equal(op->ret, hd_int(look(now, op))) ? HD_SAME : HD_REJECT;
  if (op->ret.type != HD_NIL)
    return HD_REJECT;
  if (op->method == PUT)
    now->of[op->args[0].i] = op->args[1].i;
  else if (op->method == COPY)
    now->of[op->args[1].i] = now->of[op->args[0].i];
  else if (op->method == ZERO)
    now->of[op->args[0].i] = now->of[op->args[1].i] = 0;
  else
    memset(now, 0, sizeof *now);
  return equal(now, &before) ? HD_SAME : HD_CHANGED;
}

static bool
key(const hd_op *op, hd_keys *parts)
{
  if (op->method == SIZE || op->method == CLEAR)
    return false;
  hd_touch(parts, op->args[0]);
  if (op->method != GET && op->method != PUT)
    hd_touch(parts, op->args[1]);
  return true;
}

static size_t
outcomes(const void *s, const hd_op *op, hd_value *ret, size_t max)
{
  if (max > 0)
    ret[0] = methods[op->method].role == HD_OBSERVER ? hd_int(look(s, op)) : hd_nil();
  return 1;
}

static uint32_t
traits(const hd_op *op)
{
  bool blind = op->method == PUT || op->method == CLEAR || op->method == ZERO;
  bool accepted = op->ret.type == HD_NIL;
  return HD_ANYONE | (blind && accepted ? HD_BLIND : 0) | (op->method == COPY && accepted ? HD_TOTAL : 0);
}

static const hd_spec spec = {.abi = HD_SPEC_ABI,
                             .size = sizeof(hd_spec),
                             .name = "keyed",
                             .methods = methods,
                             .nmethods = sizeof methods / sizeof *methods,
                             .create = create,
                             .destroy = free,
                             .apply = apply,
                             .copy = copy,
                             .equal = equal,
                             .hash = hash,
                             .key = key,
                             .outcomes = outcomes,
                             .traits = traits};

const naive_object naive_keyed = {.name = "keyed",
                                  .methods = {{"get", "k", 'c', 6},
                                              {"put", "kv", 'd', 8},
                                              {"copy", "kk", 'd', 3},
                                              {"sum", "kk", 'c', 3},
                                              {"size", "", 'c', 2},
                                              {"clear", "", 'd', 3},
                                              {"zero", "kk", 'd', 3}},
                                  .spec = &spec};
