/* atomized.c: the multiset judged by its own code, run alone (section 4.4 of the VYRD paper).
 *
 * The implementation is compiled into this file without annotations; the table below says how to call it.
 *
 *   cc -shared -fPIC -I../../include atomized.c -o multiset-atomized.so -pthread */
#define HEDDLE_OFF
#include "multiset.c"

#include <heddle/atomized.h>

#include "replica.h"

static bool
run_insert(void *m, const hd_op *op, hd_value *ret)
{
  *ret = hd_bool(multiset_insert(m, (int) op->args[0].i));
  return true;
}

static bool
run_insert_pair(void *m, const hd_op *op, hd_value *ret)
{
  *ret = hd_bool(multiset_insert_pair(m, (int) op->args[0].i, (int) op->args[1].i));
  return true;
}

static bool
run_delete(void *m, const hd_op *op, hd_value *ret)
{
  *ret = hd_bool(multiset_delete(m, (int) op->args[0].i));
  return true;
}

static bool
run_look_up(void *m, const hd_op *op, hd_value *ret)
{
  *ret = hd_bool(multiset_look_up(m, (int) op->args[0].i));
  return true;
}

/* An insertion fails also where it alone would find room: another one has reserved the slots for a moment. And Delete
 * that found nothing changed nothing. */
static bool
failed(const hd_op *op)
{
  return !op->ret.u;
}

static const hd_atomized_method methods[] = {
    {"Insert", HD_MUTATOR, "i", 'b', run_insert, .contention = failed},
    {"InsertPair", HD_MUTATOR, "ii", 'b', run_insert_pair, .contention = failed},
    {"Delete", HD_MUTATOR, "i", 'b', run_delete, .unchanged = failed},
    {"LookUp", HD_OBSERVER, "i", 'b', run_look_up, .contention = NULL},
};

static void *
create(const hd_value *config, size_t n)
{
  multiset *m = multiset_new((multiset_options){.slots = n > 0 ? (int) config[0].i : 0});
  if (!m)
    abort();
  return m;
}

static void
destroy(void *m)
{
  multiset_free(m);
}

static void *
copy(const void *object)
{
  const multiset *m = object;
  multiset *c = create((hd_value[]){hd_int(m->n)}, 1);
  for (int i = 0; i < m->n; i++)
  {
    c->slots[i].elt = m->slots[i].elt;
    c->slots[i].valid = m->slots[i].valid;
  }
  return c;
}

static bool
view(const void *object, hd_value key, hd_value *out)
{
  const multiset *m = object;
  uint64_t times = 0;
  for (int i = 0; i < m->n; i++)
    times += m->slots[i].valid && m->slots[i].elt == key.i;
  *out = hd_uint(times);
  return times > 0;
}

static void
keys(const void *object, hd_keys *all)
{
  const multiset *m = object;
  for (int i = 0; i < m->n; i++)
    if (m->slots[i].valid)
      hd_touch(all, hd_int(m->slots[i].elt));
}

HD_ATOMIZED(.name = "multiset", .methods = methods, .nmethods = 4, .create = create, .destroy = destroy, .clone = copy,
            .view = view, .keys = keys, .replica = &replica);
