/* cell.h: one value that operations look at, replace and change: a register, a counter, one key of a map or set.
 * Private to stream.c and cell.c. */
#ifndef HD_LINEAR_CELL_H
#define HD_LINEAR_CELL_H

#include "linear/special_parts.h"

/* The value of a key that is not there, and of a register without one. No operation writes it as a number. */
#define CELL_ABSENT INT64_MIN

/* What an operation needs, and what it makes of it: it accepts ANY value, or A alone, or (UNLESS) all but A; afterwards
 * KEEP & (what was there) + B is there, with KEEP all ones or 0. So no step needs a branch that could be mispredicted.
 */
typedef struct cell_op
{
  int64_t a, b, keep;
  bool any, unless;
  uint8_t slot; /* while it is open */
} cell_op;

/* It cannot change anything: it looks. */
static inline bool
cell_looks(const cell_op *o)
{
  return o->keep != 0 && o->b == 0;
}

/* What an operation returned: -1, 0, 1, another number; nothing; or it never returned. */
enum
{
  CELL_MINUS,
  CELL_FALSE,
  CELL_TRUE,
  CELL_NUMBER,
  CELL_NIL,
  CELL_NEVER,
  CELL_RETURNS,
};

/* What an operation does that returned such a thing. Masks are all ones or 0: A of the cell_op is A, plus what it
 * returned if A_RET, plus its first argument if A_FIRST; B the same way. There is a row of rules for each kind of
 * operation: a branch for each of them would mostly be mispredicted. */
typedef struct cell_rule
{
  int64_t a, a_ret, a_first;
  int64_t b, b_ret, b_first, b_second;
  int8_t keep;
  bool any, unless;
  bool fit; /* else it is not for cells */
} cell_rule;

/* The rules for an operation with ROLE; of a MAP, -1 says that a key is not there. NULL: it is not for cells. */
const cell_rule *hd_cell_rules(special_role role, bool map);

/* What an operation did by RULES: its arguments are FIRST and SECOND (without the key); RETURN is one of the above, and
 * RET the number. False: not for cells. */
static inline bool
cell_understand(const cell_rule *rules, int64_t first, int64_t second, unsigned returned, int64_t ret, cell_op *out)
{
  const cell_rule *r = &rules[returned];
  out->any = r->any;
  out->unless = r->unless;
  out->keep = r->keep;
  out->a = (int64_t) ((uint64_t) r->a + (uint64_t) (ret & r->a_ret) + (uint64_t) (first & r->a_first));
  out->b = (int64_t) ((uint64_t) r->b + (uint64_t) (ret & r->b_ret) + (uint64_t) (first & r->b_first)
                      + (uint64_t) (second & r->b_second));
  return r->fit;
}

/* Does O accept *VALUE? Then *VALUE becomes what is there afterwards. */
static inline bool
cell_step(const cell_op *o, int64_t *value)
{
  int64_t now = *value, after = (int64_t) ((uint64_t) (now & o->keep) + (uint64_t) o->b);
  bool fits = o->any | ((now == o->a) ^ o->unless);
  *value = fits ? after : now;
  return fits;
}

/* ---- episodes: operations on one cell, from one moment at which none is open to the next ---- */

enum
{
  CELL_VALUES = 256,      /* that are possible at one time; also the configurations of the search */
  EPISODE_LONGEST = 2048, /* operations */
};

typedef struct episode
{
  struct episode *next; /* of those that are free */
  cell_op *ops;         /* in the order of their calls */
  size_t n, ops_cap;
  uint32_t *events; /* in order: 2 * operation + (1 if it is the return) */
  size_t nevents, events_cap;
} episode;

/* One way in which what was called up to now can have taken effect. */
typedef struct cell_configuration
{
  int64_t value;
  uint64_t placed;   /* by slot: took effect and has not returned */
  uint64_t optional; /* by slot: may have taken effect unseen, or may yet */
  bool flash;        /* what came last was seen by nobody; only inside a chain */
} cell_configuration;

typedef struct cell_search
{
  cell_configuration *now, *next, *work; /* CELL_VALUES of each */
  size_t nnow, nnext, nwork;
  uint64_t effort;
} cell_search;

/* The values that are possible after E if those of S->now (S->nnow of them, nothing placed) are before: in S->now.
 * Operations without a return may be left out. False: there is none, or this is too much: too many configurations, or
 * more than 64 operations open at one time, or it takes long. */
bool hd_cell_run(cell_search *s, episode *e);

#endif
