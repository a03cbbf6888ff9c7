/* oracle_private.h: a log taken apart into operations, blocks and writes (parse.c), their places in time
 * (slots.c), the replica (replica.c), and the search over them (oracle.c). */
#ifndef ORACLE_PRIVATE_H
#define ORACLE_PRIVATE_H

#include "oracle.h"

enum
{
  ORACLE_OPS = 32,
  ORACLE_BLOCKS = 48,
};

typedef struct parsed_op
{
  bool internal, nocommit, observer;
  unsigned thread, method;
  const hd_value *args;
  int call, window, commit, end; /* records, or -1; WINDOW: the last one before the commit */
  int block;                     /* the block that its commit fell into, or -1 */
  bool has_ret;                  /* by its return, or by its commit */
  model_return ret;
} parsed_op;

typedef struct parsed_block
{
  unsigned thread;
  int op;
  int begin, end; /* records; END is -1 if it never ended */
  int effect;     /* the record at which its writes take effect: the commit in it, or its end; -1: none (yet) */
  bool committed;
} parsed_block;

typedef struct parsed
{
  const trace *log;
  unsigned nops, nblocks;
  parsed_op op[ORACLE_OPS];
  parsed_block block[ORACLE_BLOCKS];
  int op_of[TRACE_RECORDS];     /* the operation that a record belongs to, or -1 */
  int block_of[TRACE_RECORDS];  /* for writes: the block, or -1 */
  int effect_of[TRACE_RECORDS]; /* the block that takes effect at this record, or -1 */
  int opens[TRACE_RECORDS];     /* +1: opens a window, -1: ends one */
  bool misused;                 /* two commits, or a misuse record */
  bool old_values;
} parsed;

void oracle_parse(parsed *p, const trace *t);
/* Two holds of a variable, or a hold and an unblocked write, of different threads strictly overlap. STRICT: blocks that
 * never ended, and blocks of operations with a window or without annotation, do not count. */
bool oracle_overlap(const parsed *p, bool strict);

static inline bool
parsed_is_write(const trace_record *r)
{
  return r->kind == HD_K_WRITE || r->kind == HD_K_WRITE_OLD || r->kind == HD_K_FREE_WRITE
         || r->kind == HD_K_FREE_WRITE_OLD;
}

typedef enum form
{
  FREE,
  EXACT,
  SPAN,
  LOOKER
} form;

typedef struct interval
{
  form form;
  bool required;        /* a span that ended */
  bool unknown;         /* its return is not known and cannot be asked for */
  uint32_t first, last; /* slots; an exact one: LAST is its boundary */
} interval;

typedef struct visited
{
  uint64_t run;
  model_state state;
  uint32_t slot, placed, satisfied;
  model_replica replica;
} visited;

enum
{
  TABLE = 1 << 15
};

typedef struct search
{
  parsed p;
  oracle_time time;
  interval at[ORACLE_OPS];
  uint32_t nslots; /* boundaries are 0 .. nslots-2 */
  int boundary[TRACE_RECORDS];
  bool compare[TRACE_RECORDS];     /* views are compared after this boundary */
  bool open_before[TRACE_RECORDS]; /* a window is open before this boundary */
  bool windows;                    /* there are windows at all */
  bool compare_end;
  bool missing;          /* a tick is missing: nothing is known from there on */
  uint32_t views_until;  /* first boundary whose replica is not known */
  uint32_t unknown_from; /* first slot in which an operation of unknown return might take effect */

  uint32_t pending_from; /* first slot in which a span whose writes are not all known might take effect */
  bool lenient;          /* judge no overwritten value from there on, nor while a window is open */

  unsigned npath; /* spans placed so far, in order */
  uint8_t path_op[ORACLE_OPS];
  uint32_t path_slot[ORACLE_OPS];

  bool stopped; /* an operation of unknown return must have taken effect */
  uint32_t furthest;
  unsigned reasons;
  uint32_t blamed;
  bool at_end;
  uint64_t run;
  visited table[TABLE];
  unsigned used;
} search;

/* ---- slots.c ---- */
void oracle_find_boundaries(search *s);
void oracle_find_intervals(search *s);
/* Needs the boundaries. */
void oracle_find_comparisons(search *s);

/* ---- replica.c ---- */

/* The replica from nothing: unblocked writes at their own places, each block whole where it takes effect, the block of
 * a span where the span was placed. Up to the spans placed in slot LAST, and with PASSED also the boundary after it.
 * False: an overwritten value is not as the log says. A span that never ended, or whose block never did, may have
 * written what the log does not show: once one is placed, overwritten values cannot be judged. */
bool oracle_replica(const search *s, uint32_t last, bool passed, model_replica *r);
/* Do all keys of the view agree, and does the invariant hold? */
bool oracle_views_agree(const search *s, const model_state *state, const model_replica *r);

#endif
