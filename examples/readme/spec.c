#include <heddle/spec.h>
#include <stdlib.h>

static const hd_method methods[] = {{"draw", HD_MUTATOR, "", 'i'}}; /* returns an integer */

static void *create(const hd_value *config, size_t n) {
  (void) config, (void) n;
  return calloc(1, sizeof(int64_t));
}

static hd_step apply(void *state, const hd_op *op, hd_keys *touched) {
  int64_t *next = state;
  (void) touched;
  if (op->ret.i != *next) return HD_REJECT; /* draw must return the next number ... */
  ++*next;
  return HD_CHANGED; /* ... and leave the one after it */
}

/* With these Heddle can try other orders, and say why something went wrong. */
static void *copy(const void *s) { return memcpy(malloc(sizeof(int64_t)), s, sizeof(int64_t)); }
static bool equal(const void *a, const void *b) { return memcmp(a, b, sizeof(int64_t)) == 0; }
static uint64_t hash(const void *s) { return *(const uint64_t *) s; }

HD_SPEC(.name = "tickets", .methods = methods, .nmethods = 1, .create = create, .destroy = free,
        .apply = apply, .copy = copy, .equal = equal, .hash = hash);
