/* atomized.h: the implementation itself as the specification (section 4.4 of the VYRD paper).
 *
 * Where nobody has written down what an object does, its own code, run by one thread alone, says it. This header makes
 * a specification from it: a table with one `run` function for each method, which calls the implementation, and
 *
 *   HD_ATOMIZED(.name = "multiset", .methods = methods, .nmethods = 4, .create = create, .destroy = destroy, ...);
 *
 * Build it as a shared library together with the implementation, and name it with --spec:
 *
 *   cc -shared -fPIC -DHEDDLE_OFF atomized.c -o atomized.so        (atomized.c includes or is linked with the code)
 *
 * -DHEDDLE_OFF keeps this instance out of the log. Where the code cannot be compiled a second time, let each `run` call
 * hd_pause() first and hd_resume() last. Nothing else is needed: this header has no library behind it.
 *
 * What it does not find: a mistake that the code also makes alone. It compares the object with itself without
 * concurrency, so it finds what concurrency breaks.
 *
 * How an operation is judged. The log gives its arguments and its return value.
 *   1. `contention(op)` says that contention alone can cause this return (InsertPair fails because others hold the room
 *      for a moment). Such an operation is accepted without running it, and the state stays as it is.
 *   2. Otherwise the method is run on the instance, and the two returns must be equal.
 *   3. A mutator's accepted step counts as HD_SAME if `unchanged(op)` says that this return leaves the state as it was
 *      (Delete found nothing), else as HD_CHANGED.
 * The return decides both, so declare them narrowly: a return that contention() accepts is never checked.
 *
 * With `clone` the specification keeps every rule of spec.h. A run cannot be taken back, so there are two instances
 * in step: a mutator runs on the first; if the returns agree it runs on the second too; if not, the second takes over
 * and its clone becomes the new second. Each mutator runs twice, and a clone is made only after a rejection.
 *
 * Without `clone` there is one instance, and
 *   - windows, methods without a commit and the diagnosis of a violation are not available (they need copies);
 *   - a mutator that returned without a commit is judged by its return alone: contention() and unchanged() are accepted
 *     unseen, any other return means that its commit is missing;
 *   - a rejected mutator spoils the instance, and all that follow are rejected. With exact commits a rejection is the
 *     violation that ends the check, so nothing is judged wrongly.
 *
 * Copies are compared by `equal` and `hash`, or by the view if it is given with `keys`: two instances with the same
 * view must then behave alike. Without either no two copies count as equal: still right, but a search cannot merge what
 * it has seen before.
 *
 * One specification per source file. C only. */
#ifndef HEDDLE_ATOMIZED_H
#define HEDDLE_ATOMIZED_H

#include <stdlib.h>

#include <heddle/spec.h>

/* One method. NAME, ROLE, ARGS and RET: as in hd_method. */
typedef struct hd_atomized_method
{
  const char *name;
  hd_role role;
  const char *args;
  char ret;
  /* Call the implementation with OP's arguments and put what it returns into *RET (borrowed until the next call).
   * False: it ended exceptionally, with *RET as the exception. An observer must leave the object as it is. */
  bool (*run)(void *object, const hd_op *op, hd_value *ret);
  bool (*contention)(const hd_op *op); /* optional: none */
  bool (*unchanged)(const hd_op *op);  /* optional: none */
} hd_atomized_method;

typedef struct hd_atomized
{
  const char *name; /* the type of the objects, as in hd_object_init */
  const hd_atomized_method *methods;
  size_t nmethods; /* at most HD_ATOMIZED_METHODS */
  void *(*create)(const hd_value *config, size_t n);
  void (*destroy)(void *object);
  /* The rest is optional. */
  void *(*clone)(const void *object);
  bool (*equal)(const void *a, const void *b);
  uint64_t (*hash)(const void *object);
  bool (*key)(const hd_op *op, hd_keys *parts);
  /* The view, as in hd_spec. TOUCH: the keys whose view OP may change; if it is missing, OP's arguments are the keys.
   */
  bool (*view)(const void *object, hd_value key, hd_value *out);
  void (*keys)(const void *object, hd_keys *all);
  void (*touch)(const hd_op *op, hd_keys *touched);
  const hd_replica *replica;
} hd_atomized;

#define HD_ATOMIZED_METHODS 64

/* Defines heddle_spec, which is put together when the library is loaded. */
#define HD_ATOMIZED(...)                                                                                               \
  static const hd_atomized hd_atomized_this = {__VA_ARGS__};                                                           \
  __attribute__((visibility("default"))) extern hd_spec heddle_spec;                                                   \
  hd_spec heddle_spec;                                                                                                 \
  static void __attribute__((constructor)) hd_atomized_load(void)                                                      \
  {                                                                                                                    \
    hd_atomized_make(&heddle_spec);                                                                                    \
  }                                                                                                                    \
  _Static_assert(1, "a semicolon follows")

/* ---- What HD_ATOMIZED is made of ---- */

static const hd_atomized hd_atomized_this; /* HD_ATOMIZED defines it */

typedef struct hd_atomized_state
{
  void *object;
  void *second; /* in step with OBJECT; NULL: not made yet, or no clone */
  bool spoilt;  /* no clone, and a rejected mutator ran on OBJECT */
} hd_atomized_state;

static inline void *
hd_atomized_wrap(void *object)
{
  hd_atomized_state *s = (hd_atomized_state *) malloc(sizeof *s);
  if (!s)
    abort();
  s->object = object;
  s->second = NULL;
  s->spoilt = false;
  return s;
}

static inline void *
hd_atomized_create(const hd_value *config, size_t n)
{
  return hd_atomized_wrap(hd_atomized_this.create(config, n));
}

static inline void
hd_atomized_destroy(void *state)
{
  hd_atomized_state *s = (hd_atomized_state *) state;
  hd_atomized_this.destroy(s->object);
  if (s->second)
    hd_atomized_this.destroy(s->second);
  free(s);
}

static inline void *
hd_atomized_copy(const void *state)
{
  return hd_atomized_wrap(hd_atomized_this.clone(((const hd_atomized_state *) state)->object));
}

static inline bool
hd_atomized_contention(const hd_op *op)
{
  const hd_atomized_method *m = &hd_atomized_this.methods[op->method];
  return m->contention && m->contention(op);
}

/* Run OP on OBJECT: does it return what the log says? */
static inline bool
hd_atomized_run(void *object, const hd_op *op)
{
  hd_value ret = hd_nil();
  bool normal = hd_atomized_this.methods[op->method].run(object, op, &ret);
  return normal != op->exceptional && hd_value_equal(ret, op->ret);
}

/* What an accepted OP did. */
static inline hd_step
hd_atomized_step(const hd_op *op)
{
  const hd_atomized_method *m = &hd_atomized_this.methods[op->method];
  return m->role == HD_OBSERVER || (m->unchanged && m->unchanged(op)) ? HD_SAME : HD_CHANGED;
}

static inline hd_step
hd_atomized_apply(void *state, const hd_op *op, hd_keys *touched)
{
  hd_atomized_state *s = (hd_atomized_state *) state;
  if (hd_atomized_contention(op))
    return HD_SAME;
  if (s->spoilt)
    return HD_REJECT;
  if (hd_atomized_this.methods[op->method].role == HD_OBSERVER)
    return hd_atomized_run(s->object, op) ? HD_SAME : HD_REJECT;

  if (!s->second && hd_atomized_this.clone)
    s->second = hd_atomized_this.clone(s->object);
  if (!hd_atomized_run(s->object, op))
  {
    if (s->second)
    {
      hd_atomized_this.destroy(s->object);
      s->object = s->second;
      s->second = NULL;
    }
    else
      s->spoilt = true;
    return HD_REJECT;
  }
  if (s->second)
    hd_atomized_run(s->second, op);

  hd_step step = hd_atomized_step(op);
  if (step == HD_CHANGED && hd_atomized_this.touch)
    hd_atomized_this.touch(op, touched);
  else if (step == HD_CHANGED)
    for (uint32_t i = 0; i < op->nargs; i++)
      hd_touch(touched, op->args[i]);
  return step;
}

static inline hd_step
hd_atomized_test(const void *state, const hd_op *op)
{
  const hd_atomized_state *s = (const hd_atomized_state *) state;
  if (hd_atomized_contention(op))
    return HD_SAME;
  if (s->spoilt)
    return HD_REJECT;
  if (hd_atomized_this.methods[op->method].role == HD_OBSERVER)
    return hd_atomized_run(s->object, op) ? HD_SAME : HD_REJECT;
  if (!hd_atomized_this.clone)
    return hd_atomized_step(op);
  void *trial = hd_atomized_this.clone(s->object);
  bool accepted = hd_atomized_run(trial, op);
  hd_atomized_this.destroy(trial);
  return accepted ? hd_atomized_step(op) : HD_REJECT;
}

/* What a run alone would return, and what contention can cause. Only booleans can be tried one by one, and a text
 * would die with the trial: then there may be more than we can say. */
static inline size_t
hd_atomized_outcomes(const void *state, const hd_op *op, hd_value *ret, size_t max)
{
  const hd_atomized_state *s = (const hd_atomized_state *) state;
  void *trial = hd_atomized_this.clone(s->object);
  hd_value alone = hd_nil();
  const hd_atomized_method *m = &hd_atomized_this.methods[op->method];
  bool normal = m->run(trial, op, &alone);
  hd_atomized_this.destroy(trial);
  if (!normal || alone.type >= HD_STR || (m->contention && m->ret != 'b'))
    return max + 1;
  if (max > 0)
    ret[0] = alone;
  hd_op other = *op;
  other.exceptional = false;
  other.ret = hd_bool(!alone.u);
  if (!m->contention || !m->contention(&other))
    return 1;
  if (max > 1)
    ret[1] = other.ret;
  return 2;
}

static inline bool
hd_atomized_view(const void *state, hd_value key, hd_value *out)
{
  return hd_atomized_this.view(((const hd_atomized_state *) state)->object, key, out);
}

static inline void
hd_atomized_keys(const void *state, hd_keys *all)
{
  hd_atomized_this.keys(((const hd_atomized_state *) state)->object, all);
}

/* ---- equality and hash from the view ---- */

typedef struct hd_atomized_compare
{
  hd_keys keys;
  const void *a, *b;
  bool equal;
} hd_atomized_compare;

static inline void
hd_atomized_compare_key(hd_keys *keys, hd_value key)
{
  hd_atomized_compare *c = (hd_atomized_compare *) keys;
  hd_value x = hd_nil(), y = hd_nil();
  bool in_a = hd_atomized_this.view(c->a, key, &x), in_b = hd_atomized_this.view(c->b, key, &y);
  c->equal = c->equal && in_a == in_b && (!in_a || hd_value_equal(x, y));
}

static inline bool
hd_atomized_equal(const void *a, const void *b)
{
  const void *x = ((const hd_atomized_state *) a)->object, *y = ((const hd_atomized_state *) b)->object;
  if (hd_atomized_this.equal)
    return hd_atomized_this.equal(x, y);
  if (!hd_atomized_this.view || !hd_atomized_this.keys)
    return a == b;
  hd_atomized_compare c = {.keys = {hd_atomized_compare_key}, .a = x, .b = y, .equal = true};
  hd_atomized_this.keys(x, &c.keys);
  hd_atomized_this.keys(y, &c.keys);
  return c.equal;
}

/* A key may be announced more than once and in any order; the smallest and the largest hash depend on neither. */
typedef struct hd_atomized_hash_keys
{
  hd_keys keys;
  const void *object;
  uint64_t low, high;
} hd_atomized_hash_keys;

static inline uint64_t
hd_atomized_hash_value(uint64_t h, hd_value v)
{
  if (v.type >= HD_STR)
    for (uint32_t i = 0; i < v.length; i++)
      h = (h ^ (uint8_t) v.s[i]) * 0x100000001b3u;
  else
    h ^= v.type == HD_NIL ? 0x5bd1e995u : v.u; /* equal numbers of different types hash alike */
  h *= 0x9e3779b97f4a7c15u;
  return h ^ h >> 29;
}

static inline void
hd_atomized_hash_key(hd_keys *keys, hd_value key)
{
  hd_atomized_hash_keys *c = (hd_atomized_hash_keys *) keys;
  hd_value value = hd_nil();
  if (!hd_atomized_this.view(c->object, key, &value))
    return;
  uint64_t h = hd_atomized_hash_value(hd_atomized_hash_value(0xcbf29ce484222325u, key), value);
  c->low = h < c->low ? h : c->low;
  c->high = h > c->high ? h : c->high;
}

static inline uint64_t
hd_atomized_hash(const void *state)
{
  const void *object = ((const hd_atomized_state *) state)->object;
  if (hd_atomized_this.hash)
    return hd_atomized_this.hash(object);
  if (hd_atomized_this.equal || !hd_atomized_this.view || !hd_atomized_this.keys)
    return 0;
  hd_atomized_hash_keys c = {.keys = {hd_atomized_hash_key}, .object = object, .low = UINT64_MAX, .high = 0};
  hd_atomized_this.keys(object, &c.keys);
  return c.low ^ c.high * 0x9e3779b97f4a7c15u;
}

static inline void
hd_atomized_make(hd_spec *spec)
{
  static hd_method methods[HD_ATOMIZED_METHODS];
  const hd_atomized *a = &hd_atomized_this;
  if (a->nmethods > HD_ATOMIZED_METHODS)
    abort();
  for (size_t i = 0; i < a->nmethods; i++)
  {
    methods[i].name = a->methods[i].name;
    methods[i].role = a->methods[i].role;
    methods[i].args = a->methods[i].args;
    methods[i].ret = a->methods[i].ret;
  }
  spec->abi = HD_SPEC_ABI;
  spec->size = sizeof *spec;
  spec->name = a->name;
  spec->methods = methods;
  spec->nmethods = a->nmethods;
  spec->create = hd_atomized_create;
  spec->destroy = hd_atomized_destroy;
  spec->apply = hd_atomized_apply;
  spec->test = hd_atomized_test;
  if (a->clone)
  {
    spec->copy = hd_atomized_copy;
    spec->equal = hd_atomized_equal;
    spec->hash = hd_atomized_hash;
    spec->outcomes = hd_atomized_outcomes;
  }
  spec->key = a->key;
  spec->view = a->view ? hd_atomized_view : NULL;
  spec->keys = a->keys ? hd_atomized_keys : NULL;
  spec->replica = a->replica;
}

#endif
