/* spec.h: what a specification is.
 *
 * A specification is a sequential, atomic description of an object in C: a state and a function that says whether an
 * operation with the arguments and the return value that the log shows is possible in that state, and makes the step.
 * Build it as a shared library (cc -shared -fPIC spec.c -o spec.so) and name it with --spec. Loading a specification
 * runs its code: load none that you would not run.
 *
 * Threads: one specification state is used by one thread at a time; different states by different threads.
 * A specification must not keep mutable globals. */
#ifndef HEDDLE_SPEC_H
#define HEDDLE_SPEC_H

#include <heddle/value.h>

#define HD_SPEC_ABI 1

/* The answer of apply. */
typedef enum hd_step
{
  HD_REJECT,  /* not possible in this state with this return value; the state is as before */
  HD_SAME,    /* possible, and the state is as before */
  HD_CHANGED, /* possible, and the state has changed */
} hd_step;

typedef enum hd_role
{
  HD_OBSERVER, /* never changes the state; needs no commit */
  HD_MUTATOR,
} hd_role;

/* A method of the object. ARGS has one letter for each argument, RET is one letter:
 * i signed, u unsigned, b boolean, s string, y byte string, n nil (for RET: returns nothing), * anything.
 * Numbers are converted where the value allows it (an int 0 or 1 serves as a boolean). */
typedef struct hd_method
{
  const char *name;
  hd_role role;
  const char *args;
  char ret;
} hd_method;

/* What is true of an operation with its arguments and its return value in every state: makes the search for an order
 * fast. Saying less than is true costs time, saying more makes answers wrong (--paranoid looks for it). */
typedef enum hd_trait
{
  HD_LOOKS = 1u << 0,  /* a state that accepts it stays as it is: a failed compare-and-swap, "it was not there" */
  HD_BLIND = 1u << 1,  /* every state accepts it, and what it concerns is then the same whatever it was: a write */
  HD_ANYONE = 1u << 2, /* it does not matter which thread calls it */
  HD_TOTAL = 1u << 3,  /* every state accepts it; HD_BLIND says so, too */
} hd_trait;

/* One operation, as the log shows it. */
typedef struct hd_op
{
  uint32_t method; /* index into the specification's methods */
  uint32_t nargs;
  uint32_t thread;
  bool exceptional; /* it ended exceptionally, with RET as the exception */
  bool unknown;     /* it never returned, RET is nil; for traits() alone */
  const hd_value *args;
  hd_value ret;
} hd_op;

/* A set of view keys under construction. A null pointer may be passed to hd_touch: nobody wants to know. */
typedef struct hd_keys hd_keys;
struct hd_keys
{
  void (*add)(hd_keys *keys, hd_value key);
};

/* Say that the view of KEY may have changed, also if KEY has left the view. */
static inline void
hd_touch(hd_keys *keys, hd_value key)
{
  if (keys)
    keys->add(keys, key);
}

/* The implementation's state, rebuilt from the writes in the log. */
typedef struct hd_replica
{
  void *(*create)(const hd_value *config, size_t n);
  void (*destroy)(void *r);
  void *(*copy)(const void *r); /* needed where commit windows overlap */

  /* Variable VAR now holds V. The replica must copy what a string points to. */
  void (*write)(void *r, uint64_t var, hd_value v, hd_keys *touched);
  /* The value of VAR, false if the replica does not know it; compared with the old values in the log. Optional. */
  bool (*read)(const void *r, uint64_t var, hd_value *v);
  /* A coarse-grained action (HD_REPLAY). False: KIND is unknown or the payload is malformed. Optional. */
  bool (*replay)(void *r, uint64_t kind, hd_value payload, hd_keys *touched);
  /* The view of KEY; false: KEY is absent. */
  bool (*view)(const void *r, hd_value key, hd_value *out);
  /* All keys that are present: for --view=full and --paranoid. Optional. */
  void (*keys)(const void *r, hd_keys *all);
  /* NULL: holds; else what is wrong. Checked wherever views are compared. Optional. */
  const char *(*invariant)(const void *r);
  /* The name of a variable for messages ("A[3].elt"): writes at most N bytes with the final zero. Optional. */
  void (*name)(uint64_t var, char *out, size_t n);
} hd_replica;

typedef struct hd_spec
{
  uint32_t abi;  /* HD_SPEC_ABI */
  uint32_t size; /* sizeof(hd_spec) */

  const char *name; /* the type of the objects that it specifies, as in hd_object_init */
  const hd_method *methods;
  size_t nmethods;

  /* A new state. CONFIG: the values given to hd_object_init. */
  void *(*create)(const hd_value *config, size_t n);
  void (*destroy)(void *s);
  /* Make the step OP, or reject it. Deterministic: the state and OP decide the answer and the next state. */
  hd_step (*apply)(void *s, const hd_op *op, hd_keys *touched);
  /* What apply would answer, without doing it. Optional: without it a copy of the state is made and thrown away
   * to judge a mutator that returned without a commit. */
  hd_step (*test)(const void *s, const hd_op *op);

  /* Needed where more than one order is possible: windows, missing commits, diagnosis. */
  void *(*copy)(const void *s);
  bool (*equal)(const void *a, const void *b);
  uint64_t (*hash)(const void *s);

  /* Optional. Adds (with hd_touch) the parts of the object that OP concerns: it neither depends on the others nor
   * changes them. False: the whole object. Its parts are the keys of its view, if it has one. */
  bool (*key)(const hd_op *op, hd_keys *parts);
  /* Optional. The return values that OP may have in S, at most MAX; for operations that never returned.
   * Not needed for methods that return nil or a boolean. An answer above MAX: there are more. */
  size_t (*outcomes)(const void *s, const hd_op *op, hd_value *ret, size_t max);

  /* Optional. Which of hd_trait are true of OP; 0: nothing is known. Observers have HD_LOOKS by their role. */
  uint32_t (*traits)(const hd_op *op);

  /* Optional. The state in words, for reports: writes at most N bytes with the final zero. Without it reports show what
   * keys() and view() say. */
  void (*show)(const void *s, char *out, size_t n);

  /* View refinement. */
  bool (*view)(const void *s, hd_value key, hd_value *out); /* false: KEY is absent */
  void (*keys)(const void *s, hd_keys *all);
  const hd_replica *replica;

  /* Set by the specifications that are built into Heddle alone: faster algorithms know what they mean. */
  bool standard;
} hd_spec;

/* Defines the specification that the shared library exports:
 *   HD_SPEC(.name = "counter", .methods = methods, .nmethods = 2, .create = create, ...); */
#define HD_SPEC(...)                                                                                                   \
  __attribute__((visibility("default"))) extern const hd_spec heddle_spec;                                             \
  const hd_spec heddle_spec = {.abi = HD_SPEC_ABI, .size = sizeof(hd_spec), __VA_ARGS__}

#endif
