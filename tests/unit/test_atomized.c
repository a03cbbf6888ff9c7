/* test_atomized.c: specifications made from an implementation keep the contract of spec.h, with clone; and what
 * atomized.h promises without. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "atomized/tank.h"

extern hd_spec test_atomized_no_clone;

static void *
copy(const void *object)
{
  hd_value litres = hd_int(((const tank *) object)->litres);
  return create(&litres, 1);
}

static bool
view(const void *object, hd_value key, hd_value *out)
{
  *out = hd_int(((const tank *) object)->litres);
  return key.type == HD_NIL;
}

static void
keys(const void *object, hd_keys *all)
{
  (void) object;
  hd_touch(all, hd_nil());
  hd_touch(all, hd_nil()); /* twice: nothing may depend on it */
}

static void
touch(const hd_op *op, hd_keys *touched)
{
  (void) op;
  hd_touch(touched, hd_nil());
}

HD_ATOMIZED(.name = "tank", .methods = methods, .nmethods = 5, .create = create, .destroy = free, .clone = copy,
            .view = view, .keys = keys, .touch = touch);

static hd_op
make(uint32_t method, const hd_value *argument, hd_value ret)
{
  return (hd_op){.method = method, .nargs = argument != NULL, .thread = 1, .args = argument, .ret = ret};
}

static void
test_with_clone(void **state)
{
  (void) state;
  const hd_spec *s = &heddle_spec;
  assert_int_equal(s->abi, HD_SPEC_ABI);
  assert_int_equal(s->nmethods, 5);
  assert_string_equal(s->methods[FILL].name, "fill");
  assert_non_null(s->copy);
  hd_value four = hd_int(4), seven = hd_int(7);
  void *a = s->create(NULL, 0);

  hd_op op = make(FILL, &four, hd_bool(true));
  assert_int_equal(s->test(a, &op), HD_CHANGED);
  assert_int_equal(s->apply(a, &op, NULL), HD_CHANGED);
  op = make(FILL, &seven, hd_bool(true)); /* does not fit */
  assert_int_equal(s->test(a, &op), HD_REJECT);
  assert_int_equal(s->apply(a, &op, NULL), HD_REJECT);
  op = make(FILL, &four, hd_bool(false)); /* contention */
  assert_int_equal(s->test(a, &op), HD_SAME);
  assert_int_equal(s->apply(a, &op, NULL), HD_SAME);
  op = make(LEVEL, NULL, hd_int(4)); /* nothing of the above was kept */
  assert_int_equal(s->apply(a, &op, NULL), HD_SAME);
  op = make(EMPTY, NULL, hd_int(9)); /* empties the tank, then turns out wrong: taken back */
  for (int i = 0; i < 3; i++)
    assert_int_equal(s->apply(a, &op, NULL), HD_REJECT);
  op = make(NAME, NULL, hd_str("rather empty"));
  assert_int_equal(s->apply(a, &op, NULL), HD_SAME);
  op = make(BURST, NULL, hd_str("wet"));
  assert_int_equal(s->apply(a, &op, NULL), HD_REJECT); /* it was exceptional */
  op.exceptional = true;
  assert_int_equal(s->apply(a, &op, NULL), HD_SAME);

  void *b = s->copy(a);
  assert_true(s->equal(a, b));
  assert_int_equal(s->hash(a), s->hash(b));
  op = make(EMPTY, NULL, hd_int(4));
  assert_int_equal(s->apply(b, &op, NULL), HD_CHANGED);
  assert_false(s->equal(a, b));
  assert_true(s->hash(a) != s->hash(b));
  op = make(EMPTY, NULL, hd_int(0));
  assert_int_equal(s->test(b, &op), HD_SAME);
  assert_int_equal(s->test(a, &op), HD_REJECT);

  hd_value ret[2];
  op = make(FILL, &four, hd_nil());
  assert_int_equal(s->outcomes(a, &op, ret, 2), 2);
  assert_true(ret[0].u == 1 && ret[1].u == 0);
  op = make(FILL, &seven, hd_nil());
  assert_int_equal(s->outcomes(a, &op, ret, 2), 1);
  assert_true(ret[0].u == 0);
  op = make(EMPTY, NULL, hd_nil());
  assert_int_equal(s->outcomes(a, &op, ret, 2), 1);
  assert_true(ret[0].i == 4);
  op = make(NAME, NULL, hd_nil());
  assert_true(s->outcomes(a, &op, ret, 2) > 2);
  op = make(LEVEL, NULL, hd_int(4)); /* asking for outcomes changed nothing */
  assert_int_equal(s->apply(a, &op, NULL), HD_SAME);
  s->destroy(a);
  s->destroy(b);
}

static void
test_without_clone(void **state)
{
  (void) state;
  const hd_spec *s = &test_atomized_no_clone;
  assert_null(s->copy);
  assert_null(s->outcomes);
  hd_value four = hd_int(4), config = hd_int(1);
  void *a = s->create(&config, 1);
  hd_op fill_it = make(FILL, &four, hd_bool(true)), look = make(LEVEL, NULL, hd_int(5));
  assert_int_equal(s->apply(a, &fill_it, NULL), HD_CHANGED);
  assert_int_equal(s->apply(a, &look, NULL), HD_SAME);
  look.ret = hd_int(6);
  assert_int_equal(s->apply(a, &look, NULL), HD_REJECT); /* an observer spoils nothing */
  look.ret = hd_int(5);
  assert_int_equal(s->apply(a, &look, NULL), HD_SAME);

  /* Judged by the return alone. */
  hd_op op = make(FILL, &four, hd_bool(false));
  assert_int_equal(s->test(a, &op), HD_SAME);
  op = make(EMPTY, NULL, hd_int(0));
  assert_int_equal(s->test(a, &op), HD_SAME);
  op = make(EMPTY, NULL, hd_int(5));
  assert_int_equal(s->test(a, &op), HD_CHANGED);
  assert_int_equal(s->apply(a, &look, NULL), HD_SAME);

  op = make(EMPTY, NULL, hd_int(3));
  assert_int_equal(s->apply(a, &op, NULL), HD_REJECT);
  assert_int_equal(s->apply(a, &fill_it, NULL), HD_REJECT); /* spoilt */
  assert_int_equal(s->apply(a, &look, NULL), HD_REJECT);
  s->destroy(a);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_with_clone),
      cmocka_unit_test(test_without_clone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
