/* special_parts.h: what the files special_*.c share; private to them.
 *
 * Time: the starts and ends of all operations, numbered 1, 2, ... in their order. A pending operation ends at INF
 * (job_inf), a value that is never taken leaves at NEVER, one later. Gap g lies between event g and event g + 1; an
 * operation [s,e] covers the gaps s .. e-1 and takes effect in one of them. */
#ifndef HD_LINEAR_SPECIAL_PARTS_H
#define HD_LINEAR_SPECIAL_PARTS_H

#include "base/base.h"
#include "linear/special.h"

#define NONE UINT32_MAX

typedef enum special_role
{
  ROLE_READ,
  ROLE_WRITE,
  ROLE_CAS,
  ROLE_APPEND,
  ROLE_DEL,
  ROLE_ADD,
  ROLE_REMOVE,
  ROLE_CONTAINS,
  ROLE_INC,
  ROLE_DEC,
  ROLE_PLUS, /* add n */
  ROLE_GET,
  ROLE_PUT,
  ROLE_TAKE,
} special_role;

/* Of the methods of SPEC; NULL: there is no algorithm for it. */
const special_role *hd_special_roles(const hd_spec *spec);

typedef struct special_block special_block;
typedef struct special_chunk special_chunk;

/* One decision. */
typedef struct special_job
{
  const hd_spec *spec;
  const special_role *roles; /* by method */
  const hd_linear_op *ops;
  uint32_t n;
  const hd_value *config;
  size_t nconfig;
  const int *cancel;
  uint64_t steps, max_steps;
  size_t max_configurations, peak;
  uint32_t rules_off;       /* of enum hd_linear_rules */
  hd_linear_violation *why; /* or NULL */
  bool cut;                 /* more operations show the violation than there is room for */

  uint32_t nevents;
  uint32_t *events;      /* by time: 2 * operation + (1 if it is its end) */
  bool in_order;         /* the operations lie in the order of their starts in EVENTS */
  uint32_t *start, *end; /* by operation */

  void *memory; /* the caller's, which may be used, or NULL */
  size_t memory_size;
  special_block *blocks; /* memory: given back in the reverse order */
  size_t nblocks, blocks_cap;
  special_chunk *chunk, *spare;
} special_job;

static inline uint32_t
job_inf(const special_job *job)
{
  return job->nevents + 1;
}
static inline uint32_t
job_never(const special_job *job)
{
  return job->nevents + 2;
}
static inline special_role
job_role(const special_job *job, uint32_t op)
{
  return job->roles[job->ops[op].method];
}
static inline bool
job_cancelled(const special_job *job)
{
  return job->cancel && __atomic_load_n(job->cancel, __ATOMIC_RELAXED) != 0;
}

/* In a loop, at I: every now and then, does the caller want us to stop? */
static inline bool
job_stops(const special_job *job, uint32_t i)
{
  return HD_UNLIKELY(i % 65536 == 65535) && job_cancelled(job);
}

/* ---- memory that belongs to the job: zeroed, or not ---- */
void *hd_special_zeroed(special_job *job, size_t n, size_t size);
void *hd_special_array(special_job *job, size_t n, size_t size);
void hd_special_release(special_job *job, size_t mark); /* all blocks above MARK, a former nblocks */
void hd_special_end(special_job *job);                  /* all of them */

/* ---- time: fills nevents and events; the second also start and end. SPECIAL_HOLDS: done ---- */
special_answer hd_special_events(special_job *job);
special_answer hd_special_order(special_job *job);

/* ---- what values say, as the built-in specifications understand them ---- */
static inline bool
value_is(hd_value v, int64_t n)
{
  return v.type != HD_NIL && v.type < HD_STR && v.i == n && (n >= 0 || v.type == HD_INT);
}
static inline bool
value_done(hd_value v)
{
  return v.type == HD_NIL || value_is(v, 1);
}
static inline bool
value_none(hd_value v)
{
  return v.type == HD_NIL || value_is(v, -1);
}
/* What get of a map returns if the key is not there. */
static inline bool
value_absent(hd_value v)
{
  return value_none(v) || (v.type >= HD_STR && v.length == 0);
}

/* ---- values by number: 0, 1, ... in the order in which they are added ---- */
typedef struct special_range
{
  uint64_t n;
  bool other; /* something that is no number, or a large one */
  int64_t low, high;
} special_range;

typedef struct special_values
{
  hd_value *values; /* NULL: dense */
  uint32_t n;
  uint32_t *table; /* number + 1; 0: free */
  bool numbers;    /* from LOW on, of 64 bits with a sign */
  bool dense;      /* ... in a small range: TABLE is indexed by value - LOW; else a hash table */
  int64_t low;
  uint64_t size; /* of TABLE; a power of two for a hash table */
} special_values;

static inline bool
value_number(hd_value v, int64_t *number)
{
  *number = v.i;
  return v.type == HD_INT || ((v.type == HD_UINT || v.type == HD_BOOL) && v.u <= INT64_MAX);
}
/* Say, before the table is made, that V will be added. */
static inline void
range_include(special_range *r, hd_value v)
{
  int64_t i;
  r->other |= !value_number(v, &i);
  r->low = r->n == 0 || i < r->low ? i : r->low;
  r->high = r->n == 0 || i > r->high ? i : r->high;
  r->n++;
}
void hd_special_values_open(special_job *job, special_values *t, const special_range *range);
uint32_t hd_special_values_add(special_values *t, hd_value v, bool *fresh);
uint32_t hd_special_values_find(const special_values *t, hd_value v); /* NONE: it was never added */

/* ---- a heap of operations by their ends (a skew heap: no memory but two links an operation) ---- */
typedef struct special_heap
{
  const uint32_t *end;
  uint32_t *left, *right; /* operation + 1; 0: none */
} special_heap;
void hd_special_heap_open(special_job *job, special_heap *h);
void hd_special_heap_push(special_job *job, special_heap *h, uint32_t *root, uint32_t op);
uint32_t hd_special_heap_pop(special_job *job, special_heap *h, uint32_t *root); /* not empty */

/* ---- sorting ---- */
typedef struct special_keyed
{
  uint64_t key;
  uint32_t what;
} special_keyed;
/* Sort the N entries of A by keys, of which the greatest is LARGEST; equal ones keep their order. SPARE has room for as
 * many. Returns the one of the two that is sorted (or not, if the caller cancels). */
special_keyed *hd_special_sort(special_job *job, special_keyed *a, special_keyed *spare, uint32_t n, uint64_t largest);

/* ---- the violation ---- */
void hd_special_show(special_job *job, uint32_t op);
/* Says what is wrong; %-formats of printf. Returns SPECIAL_VIOLATED. */
special_answer hd_special_violated(special_job *job, hd_linear_pattern pattern, bool alone, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* A value, or an operation, as text; valid until the job ends. */
const char *hd_special_value_text(special_job *job, hd_value v);
const char *hd_special_op_text(special_job *job, uint32_t op);
const char *hd_special_keep_text(special_job *job, HD_TAKE hd_string *s);

/* ---- containers: what queue, stack and priority queue share ---- */

/* Per value: put in during [e1,e2], taken during [d1,d2], tightened so that e2 <= d2 and e1 <= d1; certainly inside
 * (its core) in the gaps e2 .. d1-1 if e2 < d1. Never taken: d1 = d2 = NEVER; taken by a pending operation: d2 = INF.
 */
typedef struct special_span
{
  uint32_t put, take; /* operations; TAKE is NONE if no completed operation took the value */
  uint32_t e1, e2, d1, d2;
} special_span;

typedef struct special_container
{
  special_values values;
  uint32_t n;
  special_span *spans;         /* by value */
  uint32_t *value;             /* of an operation, or NONE: it says empty, is pending without effect, or is dropped */
  uint32_t nempty, *empty;     /* completed removals that found nothing, in order of their starts */
  uint32_t npending, *pending; /* pending removals, in order of their starts */
  uint32_t nunknown, *unknown; /* removals that took effect and may have taken anything, in order of their starts */
  uint32_t nleft, *left;       /* values never taken by a completed operation, put in completely, by e2 */
  uint32_t nmaybe, *maybe;     /* values that are dropped, in order of their e1 */
} special_container;

/* SPECIAL_HOLDS: prepared; else the answer. A value that is put in by a pending operation and never taken is dropped:
 * its PUT is NONE and it has no core. */
special_answer hd_special_container_open(special_job *job, special_container *c);

static inline bool
has_core(const special_container *c, uint32_t v)
{
  return c->spans[v].put != NONE && c->spans[v].e2 < c->spans[v].d1;
}
/* The value whose core begins at time T, or NONE. */
static inline uint32_t
core_begins(const special_job *job, const special_container *c, uint32_t t)
{
  uint32_t v = job->events[t] & 1 ? c->value[job->events[t] >> 1] : NONE;
  return v != NONE && c->spans[v].e2 == t && has_core(c, v) ? v : NONE;
}

/* The first of the removals that found nothing although something was inside all the time, or NONE. */
uint32_t hd_special_container_empty(special_job *job, const special_container *c);
/* V as text. */
const char *hd_special_container_text(special_job *job, const special_container *c, uint32_t v);
/* Show the operations of V. */
void hd_special_show_value(special_job *job, const special_container *c, uint32_t v);
/* Show a few values whose cores cover the gaps FROM .. TO-1: they do. RANK not NULL: only values of a rank below LIMIT.
 * SHOW is called for each; returns how many. */
typedef void special_shower(special_job *job, const special_container *c, uint32_t v);
uint32_t hd_special_show_cover(special_job *job, const special_container *c, uint32_t from, uint32_t to,
                               const uint32_t *rank, uint32_t limit, special_shower *show);
special_answer hd_special_empty_violated(special_job *job, const special_container *c, uint32_t empty, bool alone,
                                         special_shower *show);

/* ---- removals that never returned, for stack and priority queue (special_pending.c) ---- */

/* What keeps a check from passing. */
typedef struct special_failure
{
  uint32_t empty; /* this removal found nothing, or NONE */
  uint32_t value; /* the removal of this value has no place (priority queue), or NONE */
  uint32_t *rest; /* these values cannot be put in order (stack), or NULL; belongs to the job */
  uint32_t nrest;
} special_failure;

typedef struct special_pending
{
  special_container *c;
  /* Is the container explained as it stands? */
  bool (*check)(special_job *job, struct special_pending *p, special_failure *failure);
  /* Fill in the violation that FAILURE shows. ALONE as in the violation. */
  special_answer (*explain)(special_job *job, struct special_pending *p, const special_failure *failure, bool alone);
  /* FAILURE has a rest: make it smaller, if that can be done soon. Look at what happened around T first. */
  void (*narrow)(special_job *job, struct special_pending *p, special_failure *failure, uint32_t t);
  const uint32_t *rank; /* priority queue: of values; else NULL */
  /* For removals of which no value is known. ORDER has the values LEFT of the container, the likeliest to be taken
   * first; ALLOWED, by place in UNKNOWN, how many of them, from the front, such a removal can have taken; DEADLINE, by
   * value: the removal of a value in LEFT must begin before it (NEVER: it need not be taken). */
  const uint32_t *order, *allowed;
  uint32_t *deadline;
  bool *out;  /* by value: may not be given to a pending removal (any more) */
  bool *used; /* by pending removal */
} special_pending;

special_answer hd_special_pending_decide(special_job *job, special_pending *p);
special_answer hd_special_pending_unknown(special_job *job, special_pending *p);

/* Least values behind a place: an entry at PLACE counts for all places up to it (special_pending_choices.c). */
typedef struct special_least
{
  uint32_t n, *least;
} special_least;
void hd_special_least_open(special_job *job, special_least *t, uint32_t n); /* places 0 .. N-1 */
void hd_special_least_add(special_job *job, special_least *t, uint32_t place, uint32_t what);
uint32_t hd_special_least_from(special_job *job, const special_least *t, uint32_t place); /* NONE: nothing */

/* ---- registers: what each operation wrote or saw (special_register.c) ---- */

typedef enum register_kind
{
  REGISTER_NOTHING, /* nobody can tell whether it took effect */
  REGISTER_LOOKS,
  REGISTER_WRITES,
  REGISTER_SWAPS, /* a successful or pending cas */
} register_kind;

typedef struct special_register
{
  special_values values; /* number i there is value i + 1 here */
  hd_value initial;      /* value 0 */
  uint32_t n;            /* values */
  uint8_t *kind;         /* of each operation */
  uint32_t *value;       /* of each operation: what it wrote, else what it saw */
  uint32_t *saw;         /* of a cas: what it saw */
  uint32_t *writer;      /* by value: the last operation in the caller's order that wrote it, or NONE */
  uint32_t nwritten;     /* values but for the initial one that somebody wrote */
  uint32_t ncas;
  bool repeated; /* some value is written twice, or is the initial one */
} special_register;

/* The initial value, or one that was written, as text. */
const char *hd_special_register_text(special_job *job, const special_register *r, uint32_t number);
special_answer hd_special_from_nowhere(special_job *job, uint32_t op);
/* Without a value that repeats; without a cas. What a read saw was written. */
special_answer hd_special_zones(special_job *job, const special_register *r);
special_answer hd_special_lazy(special_job *job, special_register *r);

/* ---- the algorithms ---- */
special_answer hd_special_register(special_job *job);
special_answer hd_special_map(special_job *job);
special_answer hd_special_append(special_job *job); /* a map of one key, with append */
special_answer hd_special_set(special_job *job);
special_answer hd_special_counter(special_job *job);
special_answer hd_special_queue(special_job *job);
special_answer hd_special_queue_unknown(special_job *job, const special_container *c); /* its UNKNOWN is not empty */
special_answer hd_special_stack(special_job *job);
special_answer hd_special_pqueue(special_job *job);

#endif
