/* broken.c: a specification with one thing wrong, by the macro that is defined; RIGHT: nothing. */
#include <stdlib.h>

#include <heddle/spec.h>

static hd_step
apply(void *s, const hd_op *op, hd_keys *touched)
{
  (void) touched;
  if (op->ret.i != *(int *) s + 1)
    return HD_REJECT;
  ++*(int *) s;
  return HD_CHANGED;
}

static void *
create(const hd_value *config, size_t n)
{
  (void) config, (void) n;
  return calloc(1, sizeof(int));
}

static uint64_t
hash(const void *s)
{
  return (uint64_t) * (const int *) s;
}

static bool
view(const void *s, hd_value key, hd_value *out)
{
  (void) s, (void) key, (void) out;
  return false;
}

static void
replica_write(void *r, uint64_t var, hd_value v, hd_keys *touched)
{
  (void) r, (void) var, (void) v, (void) touched;
}

static const hd_replica whole = {.create = create, .destroy = free, .write = replica_write, .view = view};
static const hd_replica without_view = {.create = create, .destroy = free, .write = replica_write};

static const hd_method methods[] = {
#if defined LETTER
    {"inc", HD_MUTATOR, "q", 'i'},
#elif defined RET
    {"inc", HD_MUTATOR, ""},
#elif defined TWICE
    {"inc", HD_MUTATOR, "", 'i'},
    {"inc", HD_OBSERVER, "", 'i'},
#elif defined ARITY
    {"inc", HD_MUTATOR, "iiiiiiiii", 'i'},
#else
    {"inc", HD_MUTATOR, "", 'i'},
#endif
};

#ifndef NONE
__attribute__((visibility("default"))) const hd_spec heddle_spec = {
#ifdef ABI
    .abi = HD_SPEC_ABI + 1,
#else
    .abi = HD_SPEC_ABI,
#endif
#ifdef SIZE
    .size = sizeof(hd_spec) + 8,
#else
    .size = sizeof(hd_spec),
#endif
#ifndef NAME
    .name = "counter",
#endif
#ifndef METHODS
    .methods = methods,
    .nmethods = sizeof methods / sizeof *methods,
#endif
    .create = create,
    .destroy = free,
#ifndef APPLY
    .apply = apply,
#endif
#ifdef HASH
    .hash = hash,
#endif
#ifdef REPLICA
    .replica = &without_view,
    .view = view,
#endif
#ifdef VIEW
    .replica = &whole,
#endif
};
#endif
