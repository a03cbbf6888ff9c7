/* search.h: the search over configurations, for one part of an object. Private to src/linear. */
#ifndef HD_LINEAR_SEARCH_H
#define HD_LINEAR_SEARCH_H

#include "linear/linear.h"

/* The operations of one part, and time. */
typedef struct linear_part
{
  const hd_spec *spec;
  const hd_value *config;
  size_t nconfig;
  const hd_linear_op *ops;
  const uint32_t *index; /* operation i is OPS[INDEX[i]]; NULL: OPS[i] */
  uint32_t n;
  const uint32_t *events; /* in order: 2 * operation + (1 if it is its end); a pending operation has no end */
  uint32_t nevents;
  const uint32_t *moments; /* of the events, on a scale that all parts share; NULL: 1, 2, ... */
  /* The keys that operation i concerns: KEYS[KEY_FIRST[i] .. KEY_FIRST[i + 1] - 1]; none: all of them.
   * NULL: all operations concern the same. */
  const uint32_t *key_first, *keys;
  uint32_t nkeys; /* numbers of keys are below it */
  /* Not NULL, and true of STATE: no look accepts it, and only blind operations leave it. One key only. */
  bool (*lost)(const void *state);
} linear_part;

static inline const hd_linear_op *
part_op(const linear_part *part, uint32_t i)
{
  return &part->ops[part->index ? part->index[i] : i];
}

static inline uint64_t
part_moment(const linear_part *part, uint32_t event)
{
  return part->moments ? part->moments[event] : (uint64_t) event + 1;
}

/* The operations of one part lie far from each other: fetch one before it is needed. */
static inline void
part_fetch(const linear_part *part, uint32_t i)
{
  const hd_linear_op *o = part_op(part, i);
  __builtin_prefetch(o);
  __builtin_prefetch(&o->ret);
}

/* Whoever wants to know how things stand where an operation ends. */
typedef struct linear_watcher
{
  uint32_t op;
  void (*state)(struct linear_watcher *w, const void *state); /* each configuration's, before it ends */
  void (*returned)(struct linear_watcher *w, hd_value ret);   /* each return with which it is placed */
} linear_watcher;

typedef struct linear_limits
{
  uint32_t rules;
  uint64_t max_configurations;
  uint64_t *steps;         /* applications that all parts may still make together (atomic), or NULL */
  const int *cancel;       /* or NULL */
  bool leave;              /* once cancelled, leave memory to the end of the process */
  const uint64_t *give_up; /* not NULL: what ends at or after this moment does not matter any more (atomic) */
  linear_watcher *watcher; /* or NULL */
} linear_limits;

typedef struct linear_found
{
  hd_linear_answer answer;
  const char *stopped;
  uint32_t failing;   /* operation; violated */
  uint32_t explained; /* events, in order, that are explained */
  uint64_t applications, peak, made;
} linear_found;

void hd_linear_search(const linear_part *part, const linear_limits *limits, linear_found *found);

/* ---- configurations (search_config.c) ---- */

typedef struct linear_state
{
  void *s;
  uint64_t hash;
  uint32_t refs;
} linear_state;

/* A state, and a status for each open operation: placed, optional (it may have happened and may still happen), or
 * neither: still to come. PLACED and OPTIONAL have a bit for each slot and exclude each other. */
typedef struct linear_config
{
  linear_state *state;
  uint64_t hash;
  bool flash;      /* a blind write was placed here that nobody saw: a step that depends on the state must follow */
  uint64_t bits[]; /* words of PLACED, then words of OPTIONAL */
} linear_config;

typedef struct linear_configs
{
  linear_config **list;
  size_t n, cap;
} linear_configs;

/* Configurations and states come from large chunks, which are given back all at once: a search that is cancelled has
 * millions of them. */
typedef struct linear_pool
{
  const hd_spec *spec;
  size_t words;
  const int *cancel;         /* or NULL */
  struct linear_chunk *last; /* chunks, linked */
  linear_config *free;       /* linked through STATE */
  linear_state *free_states; /* linked through S */
  linear_config **table;     /* of one closure */
  size_t table_size, table_used;
} linear_pool;

linear_config *hd_linear_config_new(linear_pool *p, linear_state *state_taken, const uint64_t *bits);
void hd_linear_config_free(linear_pool *p, linear_config *c);
linear_state *hd_linear_state_new(linear_pool *p, void *taken);
void hd_linear_state_rehash(const linear_pool *p, linear_state *st);
void hd_linear_configs_clear(linear_pool *p, linear_configs *cs);
/* Forget what the table holds. */
void hd_linear_table_clear(linear_pool *p);
/* True if nothing in the table can do all that C can; now C is there. UNOBLIGED: slots that never have to be placed. */
bool hd_linear_table_add(linear_pool *p, linear_config *c, const uint64_t *unobliged);
/* Remove the configurations that are equal to another one or, if DOMINANCE, that another one makes superfluous; not all
 * of them if the caller cancels. LOOKS has the bits of the open operations that cannot change the state. */
void hd_linear_configs_reduce(linear_pool *p, linear_configs *cs, bool dominance, const uint64_t *looks,
                              const uint64_t *unobliged);
void hd_linear_pool_done(linear_pool *p);

static inline uint64_t *
config_placed(linear_config *c)
{
  return c->bits;
}
static inline uint64_t *
config_optional(const linear_pool *p, linear_config *c)
{
  return c->bits + p->words;
}
static inline bool
bit_get(const uint64_t *bits, uint32_t i)
{
  return bits[i >> 6] >> (i & 63) & 1;
}
static inline void
bit_set(uint64_t *bits, uint32_t i)
{
  bits[i >> 6] |= 1ull << (i & 63);
}
static inline void
bit_clear(uint64_t *bits, uint32_t i)
{
  bits[i >> 6] &= ~(1ull << (i & 63));
}

#endif
