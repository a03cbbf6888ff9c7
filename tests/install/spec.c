/* spec.c: the counter of heddle-spec(7). */
#include <heddle/spec.h>
#include <stdlib.h>

enum
{
  ADD,
  GET
};
static const hd_method methods[] = {
    {"add", HD_MUTATOR, "i", 'n'},
    {"get", HD_OBSERVER, "", 'i'},
};

static void *
create(const hd_value *config, size_t n)
{
  (void) config, (void) n;
  return calloc(1, sizeof(int64_t));
}

static hd_step
apply(void *s, const hd_op *op, hd_keys *touched)
{
  int64_t *total = s;
  (void) touched;
  if (op->method == GET)
    return op->ret.i == *total ? HD_SAME : HD_REJECT;
  *total += op->args[0].i;
  return HD_CHANGED;
}

HD_SPEC(.name = "counter", .methods = methods, .nmethods = 2, .create = create, .destroy = free, .apply = apply);
