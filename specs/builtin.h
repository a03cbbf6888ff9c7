/* builtin.h: what the built-in specifications share. Private to this folder.
 *
 * Each specification answers in test() and makes the step in apply(), which asks test() first; so the two agree and a
 * rejection changes nothing. Hashes are kept up to date by each step and cost nothing to ask for. */
#ifndef HD_SPECS_BUILTIN_H
#define HD_SPECS_BUILTIN_H

#include <heddle/spec.h>
#include <stdlib.h>

#include "base/base.h"

extern const hd_spec hd_specs_counter, hd_specs_lock, hd_specs_map, hd_specs_multiset, hd_specs_pqueue, hd_specs_queue,
    hd_specs_register, hd_specs_set, hd_specs_stack;

#define BUILTIN(...)                                                                                                   \
  {                                                                                                                    \
    .abi = HD_SPEC_ABI, .size = sizeof(hd_spec), .methods = methods, .standard = true, __VA_ARGS__                     \
  }
#define NMETHODS (sizeof methods / sizeof *methods)

/* ---- returns ---- */

static inline bool
is_nil(hd_value v)
{
  return v.type == HD_NIL;
}

/* hd_value_equal(v, hd_int(n)), shorter. */
static inline bool
is_number(hd_value v, int64_t n)
{
  return v.type != HD_NIL && v.type < HD_STR && v.i == n && (n >= 0 || v.type == HD_INT);
}

/* "It is done": nothing, or true. */
static inline bool
is_done(hd_value v)
{
  return is_nil(v) || is_number(v, 1);
}

/* "There is nothing": nil or -1. */
static inline bool
is_none(hd_value v)
{
  return is_nil(v) || is_number(v, -1);
}

/* Does V say B? Saying nothing fits both. */
static inline bool
says(hd_value v, bool b)
{
  return is_nil(v) || is_number(v, b);
}

/* ---- one outcome ---- */
static inline size_t
outcome(hd_value v, hd_value *ret, size_t max)
{
  if (max > 0)
    ret[0] = v;
  return 1;
}

/* ---- values that outlive the call that brought them ---- */
static inline HD_GIVE hd_value
keep_value(hd_value v)
{
  if (HD_UNLIKELY(v.type >= HD_STR))
    v.s = hd_strndup(v.s, v.length);
  return v;
}

static inline void
drop_value(HD_TAKE hd_value v)
{
  if (HD_UNLIKELY(v.type >= HD_STR))
    free((void *) v.p);
}

/* COUNT values as [1, 2, ...]; ITEM gives one of them. For show(). */
void hd_specs_show_list(char *out, size_t n, const void *s, size_t count, hd_value (*item)(const void *s, size_t i));

/* ---- table: key -> value, both of any kind; open addressing ---- */
typedef struct table_entry
{
  uint64_t hash; /* of the key; 0: free */
  hd_value key, value;
} table_entry;

typedef struct table
{
  table_entry *entries;
  size_t n, capacity; /* a power of two, or 0 */
  uint64_t sum;       /* over all entries: independent of their order */
  size_t texts;       /* keys and values that own memory */
} table;

const hd_value *hd_specs_table_get(const table *t, hd_value key); /* NULL: absent; valid until the next change */
/* Copies both. False: it was there already. */
bool hd_specs_table_put(table *t, hd_value key, hd_value value);
void hd_specs_table_remove(table *t, hd_value key);
void hd_specs_table_keys(const table *t, hd_keys *all);
/* For specifications whose whole state is one table. */
void *hd_specs_table_create(const hd_value *config, size_t n);
void hd_specs_table_destroy(void *t);
void *hd_specs_table_copy(const void *t);
bool hd_specs_table_equal(const void *a, const void *b);
uint64_t hd_specs_table_hash(const void *t);

/* ---- sequence: a ring of values that can be taken from both ends ---- */
typedef struct sequence
{
  hd_value *values;
  size_t first, n, capacity; /* a power of two, or 0 */
  uint64_t hash, power;      /* sum of hash(value i) * BASE^i; BASE^n */
} sequence;

hd_value hd_specs_sequence_first(const sequence *q); /* not empty; borrowed */
hd_value hd_specs_sequence_last(const sequence *q);
void hd_specs_sequence_append(sequence *q, hd_value v); /* copies V */
void hd_specs_sequence_drop_first(sequence *q);
void hd_specs_sequence_drop_last(sequence *q);
/* For specifications whose whole state is one sequence. */
void *hd_specs_sequence_create(const hd_value *config, size_t n);
void hd_specs_sequence_destroy(void *q);
void *hd_specs_sequence_copy(const void *q);
bool hd_specs_sequence_equal(const void *a, const void *b);
uint64_t hd_specs_sequence_hash(const void *q);
void hd_specs_sequence_show(const void *q, char *out, size_t n);

#endif
