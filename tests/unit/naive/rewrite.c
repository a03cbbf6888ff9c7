/* rewrite.c: the metamorphic changes of a history. */
#include "naive/rewrite.h"

#include <string.h>

void
naive_history_widen(naive_history *h, uint64_t *random)
{
  if (h->n == 0)
    return;
  naive_op *o = &h->ops[naive_below(random, h->n)];
  uint64_t by = 1 + naive_below(random, 9);
  if (naive_chance(random, 50))
    o->start -= by < o->start ? by : o->start;
  else
    o->end += by;
}

void
naive_history_forget(naive_history *h, uint64_t *random)
{
  if (h->n == 0)
    return;
  naive_op *o = &h->ops[naive_below(random, h->n)];
  o->optional = true;
  o->any_ret = o->unchanged = false;
}

/* "Nothing" (nil and -1) keeps its name. */
static hd_value
other_name(hd_value v)
{
  return v.type == HD_NIL || v.type >= HD_STR || v.i < 0 ? v : hd_int(3 * v.i + 7);
}

void
naive_history_rename(naive_history *h)
{
  bool counts = strcmp(h->spec->name, "counter") == 0;
  for (size_t i = 0; i < h->nconfig && !counts; i++)
    h->config[i] = other_name(h->config[i]);
  for (size_t i = 0; i < h->n; i++)
  {
    naive_op *o = &h->ops[i];
    const naive_method *m = naive_method_get(h->object, o->method);
    for (uint32_t k = 0; k < o->nargs; k++)
      if (m->args[k] != 'a')
        o->args[k] = other_name(o->args[k]);
    if (m->ret == 'v')
      o->ret = other_name(o->ret);
  }
}

static bool
puts_in(const naive_op *o)
{
  return o->nargs == 1;
}

static bool
is_nothing(hd_value v)
{
  return v.type == HD_NIL || hd_value_equal(v, hd_int(-1));
}

/* How many operations put V in, or take it out. */
static unsigned
count(const naive_history *h, bool put, hd_value v)
{
  unsigned n = 0;
  for (size_t i = 0; i < h->n; i++)
    n += puts_in(&h->ops[i]) == put && hd_value_equal(put ? h->ops[i].args[0] : h->ops[i].ret, v);
  return n;
}

/* Has it returned, with what it can have returned, and does it put in or take what no other one does? */
static bool
is_plain(const naive_history *h, const naive_op *o)
{
  if (o->optional || o->any_ret || o->unchanged)
    return false;
  if (puts_in(o))
    return (o->ret.type == HD_NIL || hd_value_equal(o->ret, hd_bool(true))) && count(h, true, o->args[0]) == 1
           && count(h, false, o->args[0]) <= 1;
  return is_nothing(o->ret) || count(h, true, o->ret) == 1;
}

bool
naive_history_reverse(naive_history *h, naive_history *reversed)
{
  const char *put = strcmp(h->spec->name, "queue") == 0 ? "enq" : "push";
  const char *take = strcmp(h->spec->name, "queue") == 0 ? "deq" : "pop";
  uint32_t put_method = naive_method_index(h->spec, put), take_method = naive_method_index(h->spec, take);
  uint64_t last = 0;
  for (size_t i = 0; i < h->n; i++)
  {
    const naive_op *o = &h->ops[i];
    if (!is_plain(h, o))
      return false;
    last = o->end > last ? o->end : last;
  }
  for (size_t i = 0, n = h->n; i < n; i++)
    if (puts_in(&h->ops[i]) && count(h, false, h->ops[i].args[0]) == 0)
    {
      if (h->n == NAIVE_OPS)
        return false;
      h->ops[h->n++] = (naive_op){.method = take_method,
                                  .ret = h->ops[i].args[0],
                                  .start = last + 1,
                                  .end = last + 2,
                                  .id = (unsigned) (100 + i)};
    }
  last += 2;
  *reversed = *h;
  for (size_t i = 0; i < h->n; i++)
  {
    naive_op *o = &reversed->ops[i];
    o->start = last - h->ops[i].end;
    o->end = last - h->ops[i].start;
    if (puts_in(o))
    {
      o->method = take_method;
      o->nargs = 0;
      o->ret = o->args[0];
    }
    else if (!is_nothing(o->ret))
    {
      o->method = put_method;
      o->nargs = 1;
      o->args[0] = o->ret;
      o->ret = hd_nil();
    }
  }
  return true;
}
