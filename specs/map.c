/* map: keys with values.
 *   get k → value, or nil, -1 or "" if K is absent    put k v    append k v    del k → true if K was there
 * append joins strings (or byte strings); an absent key counts as empty. */
#include "builtin.h"

#include <stdlib.h>
#include <string.h>

enum
{
  GET,
  PUT,
  APPEND,
  DEL
};

static const hd_method methods[] = {
    [GET] = {"get", HD_OBSERVER, "*", '*'},
    [PUT] = {"put", HD_MUTATOR, "**", '*'},
    [APPEND] = {"append", HD_MUTATOR, "**", '*'},
    [DEL] = {"del", HD_MUTATOR, "*", '*'},
};

static bool
is_text(hd_value v)
{
  return v.type == HD_STR || v.type == HD_BYTES;
}

static hd_step
test(const void *s, const hd_op *op)
{
  const hd_value *now = hd_specs_table_get(s, op->args[0]);
  switch (op->method)
  {
  case GET:
    if (now)
      return hd_value_equal(op->ret, *now) ? HD_SAME : HD_REJECT;
    return is_none(op->ret) || (is_text(op->ret) && op->ret.length == 0) ? HD_SAME : HD_REJECT;
  case PUT:
    if (!is_done(op->ret))
      return HD_REJECT;
    return now && hd_value_equal(op->args[1], *now) ? HD_SAME : HD_CHANGED;
  case APPEND:
    if (!is_done(op->ret) || !is_text(op->args[1]) || (now && now->type != op->args[1].type))
      return HD_REJECT;
    return now && op->args[1].length == 0 ? HD_SAME : HD_CHANGED;
  default: /* DEL */
    if (!says(op->ret, now))
      return HD_REJECT;
    return now ? HD_CHANGED : HD_SAME;
  }
}

static void
append(table *t, hd_value key, hd_value more)
{
  const hd_value *now = hd_specs_table_get(t, key);
  size_t length = now ? now->length : 0;
  char *joined = hd_alloc(length + more.length + 1);
  if (length > 0)
    memcpy(joined, now->s, length);
  memcpy(joined + length, more.s, more.length);
  hd_specs_table_put(t, key, (hd_value){.type = more.type, .length = (uint32_t) length + more.length, .s = joined});
  free(joined);
}

static hd_step
apply(void *s, const hd_op *op, hd_keys *touched)
{
  bool put = op->method == PUT && is_done(op->ret); /* one look at the table is enough */
  hd_step step = !put ? test(s, op) : hd_specs_table_put(s, op->args[0], op->args[1]) ? HD_CHANGED : HD_SAME;
  if (step == HD_CHANGED)
  {
    if (op->method == APPEND)
      append(s, op->args[0], op->args[1]);
    else if (op->method == DEL)
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
  const hd_value *now = hd_specs_table_get(s, op->args[0]);
  hd_op done = *op;
  switch (op->method)
  {
  case GET:
    return outcome(now ? *now : hd_nil(), ret, max);
  case DEL:
    return outcome(hd_bool(now), ret, max);
  default: /* PUT, APPEND */
    done.ret = hd_nil();
    return test(s, &done) == HD_REJECT ? 0 : outcome(hd_nil(), ret, max);
  }
}

static bool
view(const void *s, hd_value key, hd_value *out)
{
  const hd_value *now = hd_specs_table_get(s, key);
  *out = now ? *now : hd_nil();
  return now;
}

static void
keys(const void *s, hd_keys *all)
{
  hd_specs_table_keys(s, all);
}

static uint32_t
traits(const hd_op *op)
{
  if (op->method == PUT)
    return HD_ANYONE | (is_done(op->ret) ? HD_BLIND : 0);
  if (op->method == DEL)
    return HD_ANYONE | (is_nil(op->ret) ? HD_BLIND : 0) | (is_number(op->ret, 0) ? HD_LOOKS : 0);
  return HD_ANYONE;
}

const hd_spec hd_specs_map
    = BUILTIN(.name = "map", .nmethods = NMETHODS, .traits = traits, .create = hd_specs_table_create,
              .destroy = hd_specs_table_destroy, .apply = apply, .test = test, .copy = hd_specs_table_copy,
              .equal = hd_specs_table_equal, .hash = hd_specs_table_hash, .key = key, .outcomes = outcomes,
              .view = view, .keys = keys);
