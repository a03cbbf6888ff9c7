/* test_specs.c: the contract of spec.h, kept by every built-in specification under random operations; and what each
 * of them accepts and rejects in small examples. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "../../specs/specs.h"
#include "base/base.h"

/* ---- the keys that a step touched ---- */

typedef struct key_list
{
  hd_keys keys;
  hd_value list[256];
  size_t n;
} key_list;

static void
key_add(hd_keys *keys, hd_value key)
{
  key_list *l = (key_list *) keys;
  assert_true(l->n < 256);
  l->list[l->n++] = key;
}

static bool
key_in(const key_list *l, hd_value key)
{
  for (size_t i = 0; i < l->n; i++)
    if (hd_value_equal(l->list[i], key))
      return true;
  return false;
}

/* ---- random operations ---- */

static hd_value
any_value(uint64_t *random)
{
  static const char *const texts[] = {"", "a", "b", "ab"};
  switch (hd_random(random) % 10)
  {
  case 0:
    return hd_nil();
  case 1:
    return hd_bool(hd_random(random) % 2);
  case 2:
    return hd_uint(hd_random(random) % 4);
  case 3:
  case 4:
    return hd_str(texts[hd_random(random) % 4]);
  default:
    return hd_int((int64_t) (hd_random(random) % 6) - 1);
  }
}

static void
any_op(const hd_spec *spec, uint64_t *random, hd_op *op, hd_value *args)
{
  *op = (hd_op){.method = (uint32_t) (hd_random(random) % spec->nmethods), .thread = 1 + hd_random(random) % 3};
  const hd_method *m = &spec->methods[op->method];
  op->nargs = (uint32_t) strlen(m->args);
  op->args = args;
  for (uint32_t i = 0; i < op->nargs; i++)
    args[i] = m->args[i] == 'i' ? hd_int((int64_t) (hd_random(random) % 6) - 1) : any_value(random);
  op->ret = m->ret == 'b'   ? hd_bool(hd_random(random) % 2)
            : m->ret == 'i' ? hd_int((int64_t) (hd_random(random) % 6) - 1)
                            : any_value(random);
}

/* A return value that the state allows, more often than chance would find one. */
static void
likely_ret(const hd_spec *spec, const void *s, uint64_t *random, hd_op *op)
{
  hd_value ret[4];
  size_t n = spec->outcomes(s, op, ret, 4);
  assert_true(n <= 4);
  if (n > 0 && hd_random(random) % 3)
    op->ret = ret[hd_random(random) % n];
}

#define STEPS 20000

/* One random run over all rules of the contract. */
static void
run(const hd_spec *spec, uint64_t seed)
{
  uint64_t random = seed;
  void *s = spec->create(NULL, 0);
  hd_value args[8];
  hd_op op;
  for (int i = 0; i < STEPS; i++)
  {
    if (i % 50 == 0) /* now and then from a fresh state, which is small */
    {
      spec->destroy(s);
      s = spec->create(NULL, 0);
    }

    void *before = spec->copy(s), *twin = spec->copy(s);
    any_op(spec, &random, &op, args);
    likely_ret(spec, before, &random, &op);
    assert_true(spec->equal(before, s));
    assert_int_equal(spec->hash(before), spec->hash(s));

    hd_step said = spec->test(s, &op);
    assert_true(spec->equal(before, s));
    key_list touched = {.keys.add = key_add};
    hd_step step = spec->apply(s, &op, &touched.keys);
    assert_int_equal(said, step);
    assert_int_equal(spec->apply(twin, &op, NULL), step);
    assert_true(spec->equal(twin, s) && spec->equal(s, twin));
    assert_int_equal(spec->hash(twin), spec->hash(s));
    if (step == HD_CHANGED)
      assert_false(spec->equal(before, s) || spec->equal(s, before));
    else
      assert_true(spec->equal(before, s) && spec->equal(s, before) && spec->hash(before) == spec->hash(s));
    if (spec->methods[op.method].role == HD_OBSERVER)
      assert_int_not_equal(step, HD_CHANGED);

    uint32_t traits = spec->traits(&op);
    if (traits & HD_LOOKS)
      assert_int_not_equal(step, HD_CHANGED);
    if (traits & (HD_BLIND | HD_TOTAL))
      assert_int_not_equal(step, HD_REJECT);
    if ((traits & HD_BLIND) && !spec->key)
    {
      void *fresh = spec->create(NULL, 0);
      spec->apply(fresh, &op, NULL);
      assert_true(spec->equal(fresh, s));
      spec->destroy(fresh);
    }
    hd_op other = op;
    other.thread++;
    if (traits & HD_ANYONE)
      assert_int_equal(spec->test(before, &other), step);

    hd_value ret[4];
    size_t n = spec->outcomes(before, &op, ret, 4);
    for (size_t k = 0; k < n; k++)
    {
      hd_op tried = op;
      tried.ret = ret[k];
      assert_int_not_equal(spec->test(before, &tried), HD_REJECT);
    }
    assert_int_equal(spec->outcomes(before, &op, NULL, 0), n);
    if (step != HD_REJECT)
      assert_true(n > 0);

    if (spec->view)
    {
      key_list all = {.keys.add = key_add};
      spec->keys(before, &all.keys);
      spec->keys(s, &all.keys);
      for (size_t k = 0; k < all.n; k++)
      {
        hd_value old, new;
        bool had = spec->view(before, all.list[k], &old), has = spec->view(s, all.list[k], &new);
        if (had != has || (had && !hd_value_equal(old, new)))
          assert_true(key_in(&touched, all.list[k]));
      }
    }
    key_list parts = {.keys.add = key_add};
    if (spec->key && spec->key(&op, &parts.keys))
      for (size_t k = 0; k < touched.n; k++)
        assert_true(key_in(&parts, touched.list[k]));
    spec->destroy(before);
    spec->destroy(twin);
  }
  spec->destroy(s);
}

static void
test_contract(void **state)
{
  (void) state;
  const char *given = getenv("HEDDLE_TEST_SEED");
  uint64_t seed = given ? strtoull(given, NULL, 0) : (uint64_t) time(NULL);
  for (size_t i = 0; hd_specs_get(i); i++)
  {
    print_message("%s: HEDDLE_TEST_SEED=%llu\n", hd_specs_get(i)->name, (unsigned long long) seed);
    run(hd_specs_get(i), seed);
  }
}

/* ---- small examples ---- */

static hd_step
step(const hd_spec *spec, void *s, const char *method, hd_value ret, size_t nargs, ...)
{
  hd_value args[8];
  va_list list;
  va_start(list, nargs);
  for (size_t i = 0; i < nargs; i++)
    args[i] = va_arg(list, hd_value);
  va_end(list);
  for (size_t m = 0; m < spec->nmethods; m++)
    if (strcmp(spec->methods[m].name, method) == 0)
    {
      hd_op op = {.method = (uint32_t) m, .nargs = (uint32_t) nargs, .thread = 1, .args = args, .ret = ret};
      assert_int_equal(nargs, strlen(spec->methods[m].args));
      return spec->apply(s, &op, NULL);
    }
  fail_msg("%s has no method %s", spec->name, method);
  return HD_REJECT;
}

static void
test_registry(void **state)
{
  (void) state;
  for (size_t i = 0; hd_specs_get(i); i++)
  {
    const hd_spec *spec = hd_specs_get(i);
    assert_ptr_equal(hd_specs_find(spec->name), spec);
    assert_int_equal(spec->abi, HD_SPEC_ABI);
    assert_int_equal(spec->size, sizeof(hd_spec));
    if (i > 0)
      assert_true(strcmp(hd_specs_get(i - 1)->name, spec->name) < 0);
  }
  assert_null(hd_specs_find("heap"));
  assert_null(hd_specs_get(1000));
}

static void
test_register(void **state)
{
  (void) state;
  const hd_spec *spec = hd_specs_find("register");
  hd_value initial = hd_int(-1);
  void *s = spec->create(&initial, 1);
  assert_int_equal(step(spec, s, "read", hd_int(-1), 0), HD_SAME);
  assert_int_equal(step(spec, s, "read", hd_nil(), 0), HD_REJECT);
  assert_int_equal(step(spec, s, "write", hd_nil(), 1, hd_int(7)), HD_CHANGED);
  assert_int_equal(step(spec, s, "cas", hd_bool(true), 2, hd_int(6), hd_int(8)), HD_REJECT);
  assert_int_equal(step(spec, s, "cas", hd_bool(false), 2, hd_int(6), hd_int(8)), HD_SAME);
  assert_int_equal(step(spec, s, "cas", hd_int(1), 2, hd_int(7), hd_str("long enough to be kept")), HD_CHANGED);
  assert_int_equal(step(spec, s, "read", hd_str("long enough to be kept"), 0), HD_SAME);
  spec->destroy(s);
  s = spec->create(NULL, 0);
  assert_int_equal(step(spec, s, "read", hd_nil(), 0), HD_SAME);
  spec->destroy(s);
}

static void
test_containers(void **state)
{
  (void) state;
  const hd_spec *spec = hd_specs_find("queue");
  void *s = spec->create(NULL, 0);
  assert_int_equal(step(spec, s, "deq", hd_int(-1), 0), HD_SAME);
  assert_int_equal(step(spec, s, "dequeue", hd_nil(), 0), HD_SAME);
  assert_int_equal(step(spec, s, "enq", hd_nil(), 1, hd_int(1)), HD_CHANGED);
  assert_int_equal(step(spec, s, "enqueue", hd_bool(true), 1, hd_int(2)), HD_CHANGED);
  assert_int_equal(step(spec, s, "deq", hd_int(-1), 0), HD_REJECT);
  assert_int_equal(step(spec, s, "deq", hd_int(2), 0), HD_REJECT);
  assert_int_equal(step(spec, s, "deq", hd_int(1), 0), HD_CHANGED);
  assert_int_equal(step(spec, s, "deq", hd_int(2), 0), HD_CHANGED);
  assert_int_equal(step(spec, s, "deq", hd_int(2), 0), HD_REJECT);
  spec->destroy(s);

  spec = hd_specs_find("stack");
  s = spec->create(NULL, 0);
  assert_int_equal(step(spec, s, "pop", hd_int(-1), 0), HD_SAME);
  assert_int_equal(step(spec, s, "push", hd_nil(), 1, hd_int(1)), HD_CHANGED);
  assert_int_equal(step(spec, s, "push", hd_nil(), 1, hd_int(2)), HD_CHANGED);
  assert_int_equal(step(spec, s, "pop", hd_int(1), 0), HD_REJECT);
  assert_int_equal(step(spec, s, "pop", hd_int(2), 0), HD_CHANGED);
  spec->destroy(s);

  spec = hd_specs_find("pqueue");
  s = spec->create(NULL, 0);
  for (int i = 0; i < 100; i++)
    assert_int_equal(step(spec, s, "insert", hd_nil(), 1, hd_int(i * 37 % 100 - 50)), HD_CHANGED);
  assert_int_equal(step(spec, s, "delmin", hd_int(0), 0), HD_REJECT);
  for (int i = 0; i < 100; i++)
    assert_int_equal(step(spec, s, "delmin", hd_int(i - 50), 0), HD_CHANGED);
  assert_int_equal(step(spec, s, "delmin", hd_nil(), 0), HD_SAME);
  spec->destroy(s);
}

static void
test_sets_and_maps(void **state)
{
  (void) state;
  const hd_spec *spec = hd_specs_find("set");
  void *s = spec->create(NULL, 0);
  assert_int_equal(step(spec, s, "add", hd_int(1), 1, hd_int(5)), HD_CHANGED);
  assert_int_equal(step(spec, s, "add", hd_int(1), 1, hd_int(5)), HD_REJECT);
  assert_int_equal(step(spec, s, "contains", hd_bool(true), 1, hd_uint(5)), HD_SAME);
  assert_int_equal(step(spec, s, "remove", hd_nil(), 1, hd_int(5)), HD_CHANGED);
  assert_int_equal(step(spec, s, "remove", hd_int(0), 1, hd_int(5)), HD_SAME);
  spec->destroy(s);

  spec = hd_specs_find("multiset");
  s = spec->create(NULL, 0);
  assert_int_equal(step(spec, s, "insert", hd_bool(true), 1, hd_str("x")), HD_CHANGED);
  assert_int_equal(step(spec, s, "insert", hd_bool(false), 1, hd_str("x")), HD_SAME);
  assert_int_equal(step(spec, s, "insert", hd_nil(), 1, hd_str("x")), HD_CHANGED);
  assert_int_equal(step(spec, s, "count", hd_int(2), 1, hd_str("x")), HD_SAME);
  assert_int_equal(step(spec, s, "delete", hd_bool(true), 1, hd_str("x")), HD_CHANGED);
  assert_int_equal(step(spec, s, "contains", hd_bool(false), 1, hd_str("x")), HD_REJECT);
  spec->destroy(s);

  spec = hd_specs_find("map");
  s = spec->create(NULL, 0);
  assert_int_equal(step(spec, s, "get", hd_str(""), 1, hd_str("k")), HD_SAME);
  assert_int_equal(step(spec, s, "get", hd_int(-1), 1, hd_str("k")), HD_SAME);
  assert_int_equal(step(spec, s, "append", hd_nil(), 2, hd_str("k"), hd_str("ab")), HD_CHANGED);
  assert_int_equal(step(spec, s, "append", hd_nil(), 2, hd_str("k"), hd_str("c")), HD_CHANGED);
  assert_int_equal(step(spec, s, "get", hd_str("abc"), 1, hd_str("k")), HD_SAME);
  assert_int_equal(step(spec, s, "put", hd_nil(), 2, hd_str("k"), hd_int(4)), HD_CHANGED);
  assert_int_equal(step(spec, s, "append", hd_nil(), 2, hd_str("k"), hd_str("c")), HD_REJECT);
  assert_int_equal(step(spec, s, "get", hd_int(-1), 1, hd_str("k")), HD_REJECT);
  assert_int_equal(step(spec, s, "del", hd_int(1), 1, hd_str("k")), HD_CHANGED);
  assert_int_equal(step(spec, s, "del", hd_int(1), 1, hd_str("k")), HD_REJECT);
  spec->destroy(s);
}

static void
test_counter_and_lock(void **state)
{
  (void) state;
  const hd_spec *spec = hd_specs_find("counter");
  void *s = spec->create(NULL, 0);
  assert_int_equal(step(spec, s, "inc", hd_int(1), 0), HD_CHANGED);
  assert_int_equal(step(spec, s, "inc", hd_int(1), 0), HD_REJECT);
  assert_int_equal(step(spec, s, "add", hd_nil(), 1, hd_int(-5)), HD_CHANGED);
  assert_int_equal(step(spec, s, "get", hd_int(-4), 0), HD_SAME);
  spec->destroy(s);

  spec = hd_specs_find("lock");
  s = spec->create(NULL, 0);
  assert_int_equal(step(spec, s, "release", hd_nil(), 0), HD_REJECT);
  assert_int_equal(step(spec, s, "acquire", hd_nil(), 0), HD_CHANGED);
  assert_int_equal(step(spec, s, "acquire", hd_nil(), 0), HD_REJECT);
  assert_int_equal(step(spec, s, "try", hd_bool(false), 0), HD_SAME);
  assert_int_equal(step(spec, s, "release", hd_nil(), 0), HD_CHANGED);
  assert_int_equal(step(spec, s, "try", hd_bool(true), 0), HD_CHANGED);
  spec->destroy(s);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_registry),   cmocka_unit_test(test_contract),      cmocka_unit_test(test_register),
      cmocka_unit_test(test_containers), cmocka_unit_test(test_sets_and_maps), cmocka_unit_test(test_counter_and_lock),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
