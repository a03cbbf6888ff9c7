/* internal.h: the structures that the files of src/refine share.
 *
 * How a check runs: intake.c turns events into operations and puts each tick into the table of ticks; engine.c walks
 * the ticks in order, as far as the frontier and the open operations allow; search.c holds the configurations while
 * windows are open; replica.c rebuilds the implementation's state and compares views; tail.c keeps the latest
 * operations and a state before them; diagnose.c and finding.c turn a failure into an explanation.
 *
 * An operation is owned by the tail from its call until it is released there. All other pointers to it (thread stacks,
 * ticks, lists, slots of the search) are gone by then: it is released only when it was returned (or given up) and
 * judged. */
#ifndef HD_REFINE_INTERNAL_H
#define HD_REFINE_INTERNAL_H

#include "refine/refine.h"

/* ---- operations ---- */

enum op_flags
{
  OP_RETURNED = 1u << 0,
  OP_EXCEPTIONAL = 1u << 1,
  OP_COMMITTED = 1u << 2,
  OP_WINDOW = 1u << 3,   /* its (latest) window began at WINDOW */
  OP_NOCOMMIT = 1u << 4, /* its window is the whole operation */
  OP_INTERNAL = 1u << 5,
  OP_RET_KNOWN = 1u << 6, /* by its return, or by a commit that carried it */
  OP_BLOCK_OPEN = 1u << 7,
  OP_OBSERVER = 1u << 8,      /* its method is an observer */
  OP_JUDGED = 1u << 9,        /* the engine is done with it */
  OP_GONE = 1u << 10,         /* abandoned, or its thread or the log ended: it will never return */
  OP_ENDED = 1u << 11,        /* no event of it will come any more */
  OP_WOULD_CHANGE = 1u << 12, /* returned without a commit, and some state accepts it only with a change */
  OP_CALL_TICKED = 1u << 13,
  OP_END_TICKED = 1u << 14,
  OP_COUNTED = 1u << 15, /* its window is among those that are open where the engine is */
};

typedef struct op op;

/* One logged write or coarse-grained action. */
typedef struct logged_write
{
  uint64_t var; /* or the kind of a replay */
  hd_value value, old;
  uint64_t position; /* of its look, or of its tick */
  uint32_t site;
  bool has_old, replay;
} logged_write;

/* Writes that take effect together. */
typedef struct block
{
  op *owner;       /* NULL: a write outside any operation, or of one that is gone */
  uint64_t number; /* of the operation, 0: none */
  uint32_t thread;
  uint32_t site;
  size_t nwrites, cap;
  logged_write *writes;
} block;

struct op
{
  /* What every operation needs, in one line of the cache. */
  op *next;                   /* in a list of the engine: to be activated, active */
  op *outer;                  /* the operation on this object in which it is nested, in the same thread */
  uint64_t call, commit, end; /* stamps; positions by op_*_position */
  uint32_t flags;
  uint32_t thread, method;
  int32_t slot;  /* in the search, or -1 */
  uint32_t mode; /* enum search_mode while it has a slot */
  uint32_t nargs;

  op *waiting_next, *waiting_prev; /* operations whose fate or return is not known yet */
  uint64_t number;
  uint64_t returned_at; /* the latest number when it returned: what its thread called later has a greater one */
  uint64_t window;      /* stamp */
  uint32_t call_site, window_site, commit_site, return_site; /* places */
  block *block;                                              /* open commit block */
  block *commit_block;                                       /* the block that its commit fell into */
  const char *task;                                          /* internal: its name */
  hd_value ret;
  hd_value *args; /* inline_args, or allocated */
  hd_value inline_args[3];
};

/* Positions (docs/rules.md 1.1). */
static inline uint64_t
look_position(uint64_t n)
{
  return 2 * n;
}
static inline uint64_t
tick_position(uint64_t n)
{
  return 2 * n + 1;
}
static inline uint64_t
op_call_position(const op *o)
{
  return 2 * o->call + ((o->flags & OP_CALL_TICKED) != 0);
}
static inline uint64_t
op_end_position(const op *o)
{
  return 2 * o->end + ((o->flags & OP_END_TICKED) != 0);
}

/* A mutator that returned without a commit must leave the state as it was, like an observer. */
static inline bool
op_observes(const op *o)
{
  return (o->flags & OP_OBSERVER) || ((o->flags & OP_RETURNED) && !(o->flags & (OP_COMMITTED | OP_NOCOMMIT)));
}

/* ---- ticks ---- */

enum tick_kind
{
  TICK_MISSING = 0,
  TICK_NOTHING, /* a return that ticked, an object's end: nothing happens to the state */
  TICK_COMMIT,  /* of OP, exact or the end of its window */
  TICK_WINDOW,  /* OP's window opens */
  TICK_OPEN,    /* call of a nocommit operation */
  TICK_CLOSE,   /* its return */
  TICK_WRITE,   /* a write outside a block, as a block of one */
  TICK_BLOCK,   /* the end of a block without a commit */
  TICK_TASK,    /* the end of an internal task */
};

typedef struct tick
{
  uint32_t kind;
  uint32_t site;
  op *op;
  block *block;
  op *arrivals;            /* observers whose call looked at this number: they start in this gap */
  uint32_t calls, returns; /* operations that were called and that returned in this gap or at this tick */
} tick;

/* ---- the search ---- */

enum search_mode
{
  MODE_MUST,    /* has to be placed before it is closed */
  MODE_OBSERVE, /* some state must accept it unchanged */
  MODE_MAY,     /* may be placed or not; never closed */
};

typedef struct state
{
  void *s;
  uint32_t refs;
} state;

/* What happened in a configuration, newest first: for the replica and for the order that a diagnosis shows. */
typedef struct step
{
  const struct step *before;
  op *op;       /* placed or committed here; NULL: only writes */
  block *block; /* its writes, or NULL */
  uint64_t gap;
  uint64_t effect; /* hash of what all writes up to here did to the variables together */
  bool replays;    /* there are coarse-grained actions among them: their order matters */
} step;

typedef struct config
{
  state *state;
  const step *steps;
  uint64_t hash;
  uint64_t done[]; /* a bit per slot: placed, or satisfied */
} config;

typedef struct search
{
  const hd_spec *spec;
  size_t words; /* of DONE */
  size_t nslots, slots_cap, nopen;
  op **slots;    /* NULL: free */
  uint64_t *may; /* a bit per slot: the operation is optional */
  config **configs;
  size_t nconfigs, configs_cap;
  hd_arena *arena; /* steps */
  bool keep_steps;
  bool eager;
  bool keep_effects; /* configurations whose writes left other values are different */
  bool thread_order; /* equal looks of one thread keep their order; in the engine no two of them matter */
  bool paranoid;     /* every step of the specification is checked first */
  uint64_t max_configs;
  uint64_t budget;      /* applications that may still be made; UINT64_MAX: no limit */
  const int *cancel;    /* see hd_refine_options */
  const char *stopped;  /* why the search gave up, or NULL */
  const char *bad_spec; /* what the specification did wrong, or NULL */
  const op *bad_op;
  char *bad_text;   /* what BAD_SPEC points to, if it was made */
  hd_keys *touched; /* where applications report keys, or NULL */
  uint64_t applications, made, peak;
  /* tables of the closure, reused */
  config **table;
  size_t table_size;
  config **work;
  size_t nwork, work_cap;
  hd_value *extra_returns; /* for operations whose return is open: values that occur in the log */
  size_t nextra;
} search;

void search_init(search *s, const hd_spec *spec, void *state_taken);
void search_done(search *s);
/* One configuration, nothing open: the state may be used directly. */
static inline bool
search_single(const search *s)
{
  return s->nconfigs == 1 && s->nopen == 0;
}
static inline void *
search_state(const search *s)
{
  return s->configs[0]->state->s;
}
/* From the next gap on O may be placed (or satisfied). MARK what the present states satisfy already. */
void search_open(search *s, op *o, enum search_mode mode);
/* End of GAP: each of NEED must be done; with ALL every reachable configuration is kept, else those that first meet the
 * need. False: none does (the configurations stay as they were), or the search was stopped. */
bool search_close(search *s, op *const *need, size_t nneed, bool all, uint64_t gap);
/* O takes effect now, in every configuration. False: all reject it (they stay as they were), or stopped. */
bool search_point(search *s, op *o, uint64_t gap);
/* Does an operation that may still be placed write a variable that B writes? */
bool search_writes_meet(const search *s, const block *b);
/* The last write to VAR in the steps up to ST, NULL: none. */
const logged_write *search_last_write(const step *st, uint64_t var);
/* A step that concerns the replica alone. */
void search_note(search *s, block *b, uint64_t gap);
void search_note_one(search *s, size_t config, block *b, uint64_t gap);
/* Drop an operation that is done in all configurations (or does not matter any more), and merge. */
void search_drop(search *s, op *const *ops, size_t n);
/* Let equal configurations be one. */
void search_merge(search *s);
/* Remove configuration I. */
void search_remove(search *s, size_t i);
void search_forget_steps(search *s);
/* Paranoid: does the specification break a promise when VIEW, of O, is applied to STATE? Then BAD_SPEC says which. */
bool search_doubts(search *s, const void *state, const op *o, const hd_op *view);
/* What the specification says of O in STATE, without changing it. */
hd_step search_test(search *s, const void *state, op *o);
hd_op op_view(const op *o);
/* The returns that O may have in STATE if its return is not known; 0: cannot tell. */
size_t search_outcomes(search *s, const void *state, const op *o, hd_value *out, size_t max);
bool op_has_outcomes(const search *s, const op *o);
#define MAX_OUTCOMES 64

/* effects.c */
/* Did both lists leave the same values? */
bool effects_equal(const step *a, const step *b);
/* ST, whose list is otherwise complete, also makes the writes of B. */
void effects_add(step *st, const block *b);

/* ---- keys ---- */

typedef struct keyset
{
  hd_keys base; /* first: the specification gets a pointer to it */
  size_t n, cap;
  hd_value *keys;
  uint32_t *table; /* index + 1, once there are many */
  size_t table_size;
  hd_arena *arena;
} keyset;

void keyset_init(keyset *k);
void keyset_clear(keyset *k);
void keyset_done(keyset *k);
bool keyset_has(const keyset *k, hd_value key);

/* ---- replica ---- */

typedef struct writer_entry
{
  hd_value key; /* owned copy */
  uint64_t hash;
  size_t n;
  struct
  {
    logged_write w; /* value owned */
    uint32_t thread;
    uint64_t op;
  } last[3]; /* newest first */
} writer_entry;

typedef struct hold
{
  uint64_t var;
  bool used;
  /* the latest hold ends, of two different threads, and the latest write outside a block */
  uint64_t end[2], write_at;
  uint32_t thread[2], write_thread, site[2], write_site;
} hold;

typedef struct replica
{
  const hd_replica *ops; /* NULL: no views */
  void *r;
  keyset keys;           /* touched since the last comparison */
  keyset one;            /* touched by the write in hand */
  writer_entry *writers; /* direct-mapped */
  size_t writers_size;
  hold *holds;
  size_t nholds, holds_size;
} replica;

/* ---- tail ---- */

typedef struct checkpoint
{
  bool valid, quiescent;
  void *state;
  uint64_t gap;
} checkpoint;

typedef struct tail
{
  op **ops; /* in the order of calls as they arrived */
  size_t n, cap;
  checkpoint old, fresh;
  size_t interval;  /* operations between checkpoints */
  size_t released;  /* operations that were left when some were released last */
  uint64_t last_ns; /* time of the last checkpoint */
} tail;

/* ---- the check ---- */

typedef struct thread
{
  uint32_t number;
  bool used;
  op *top;
  uint64_t last; /* stamp */
} thread;

#define DIRECT_THREADS 1024

/* Which method the calls of a place in the source are of, for the places used last. */
#define PLACES 32
typedef struct method_place
{
  uint32_t site;
  uint32_t method; /* index + 1; 0: free */
} method_place;

struct hd_refine
{
  const hd_spec *spec;
  const hd_log *log;
  uint32_t object;
  hd_refine_options options;
  hd_refine_result result;
  bool decided; /* a verdict is reached */

  /* intake */
  thread *threads; /* the first DIRECT_THREADS by number, as far as there are any, then a hash table */
  size_t nthreads;
  thread *others;
  size_t nothers, others_size;
  uint8_t *arity; /* by method */
  method_place places[PLACES];
  tick *ticks; /* ring */
  size_t ticks_size;
  uint64_t base;    /* number of the oldest tick in the ring: the gap in hand */
  uint64_t highest; /* 1 + the greatest tick seen */
  uint64_t shown;   /* the greatest value that any stamp proves the clock to have had */
  op *waiting;      /* list */
  uint64_t frontier;
  uint64_t next_number;
  size_t open_count; /* operations and internal tasks that have begun and not ended, abandoned ones too */
  bool annotation;   /* a finding of the intake that waits for its turn */
  hd_finding annotation_finding;
  uint64_t annotation_gap;

  /* engine */
  search search;
  op *active;         /* observers not satisfied yet, in single mode */
  bool state_changed; /* by the last tick */
  uint64_t open_here; /* operations that are open where the gap in hand begins */
  size_t nwindows;    /* operations in the search that must be placed */
  size_t nmay;        /* that may be */
  size_t clock_open;  /* windows that the clock counts as open */
  bool clock_closing; /* the tick in hand ends one of them */
  bool certain;       /* the order of writes up to the tick in hand is the only possible one */
  bool unsure;        /* an operation that never returned could not be tried */
  replica replica;
  bool views;
  hd_key_difference *view_differences; /* what a comparison found, on its way into the finding */
  size_t nview_differences;
  const char *invariant_text;
  struct
  {
    bool active;
    op *failing;
    op **open; /* were open at the finding */
    size_t nopen, open_cap;
    keyset keys; /* that differed */
  } aftermath;
  bool views_cut;        /* no more comparisons: the log ends inside the block of a commit */
  bool views_unfinished; /* a window that was never closed kept the last comparison from being made */
  bool view_waits;       /* a comparison was put off and not made up for; VIEW_WAIT is since when */
  hd_view_wait view_wait;
  uint64_t view_wait_window; /* ticks of it in which the window of the operation that it names was open */
  block **held;              /* blocks that steps of the search refer to */
  size_t nheld, held_cap;
  tail tail;

  /* memory */
  op *free_ops;
  block *free_blocks;
  size_t nfree_blocks;
};

/* intake.c */
op *op_new(hd_refine *r);
void op_release(hd_refine *r, op *o);
void op_cut(op *o);
block *block_new(hd_refine *r, op *owner, uint32_t thread, uint32_t site);
void block_release(hd_refine *r, block *b);
hd_value value_own(hd_value v);
void value_disown(hd_value v);
tick *tick_at(hd_refine *r, uint64_t n); /* NULL: too far ahead */
void waiting_remove(hd_refine *r, op *o);
bool refine_annotation_error(hd_refine *r, const hd_event *e, const op *o, HD_TAKE char *headline,
                             HD_TAKE char *suggestion); /* true, always: it waits for its place */

/* memory.c */
thread *thread_get(hd_refine *r, uint32_t number); /* valid until the next thread appears */
void thread_forget(hd_refine *r, thread *t);

/* methods.c */
/* false: a finding was made */
bool refine_find_method(hd_refine *r, const hd_event *e, uint32_t *method);
bool refine_take_args(hd_refine *r, const hd_event *e, op *o);
bool refine_take_return(hd_refine *r, const hd_event *e, op *o, bool exceptional);

/* engine.c */
bool refine_advance(hd_refine *r);
bool refine_cancelled(const hd_refine *r);
/* The gap after the last tick. */
bool refine_last_gap(hd_refine *r);
bool refine_violation(hd_refine *r, hd_finding_kind kind, op *failing, uint64_t position); /* false, always */

/* views.c: what the engine does with writes */
bool views_write(hd_refine *r, tick *t, uint64_t g);
bool views_after(hd_refine *r, op *o, enum tick_kind kind, uint64_t g);
void views_forget(hd_refine *r);
/* If one configuration is left, make its writes. */
bool views_flush(hd_refine *r);
bool views_cut_at(const op *o);
/* compact.c: shorten the lists of steps, if they are long or NOW is set: then they refer to no operation any more,
 * unless coarse-grained actions are among them. False: a finding was made. */
bool views_compact(hd_refine *r, bool now);
bool views_compactable(const hd_refine *r);
void views_drop_by_old_values(hd_refine *r, const block *b);
/* Nothing more will come after tick G - 1: compare what is left. */
bool views_end(hd_refine *r, uint64_t g);

/* replica.c */
void replica_init(hd_refine *r, const hd_log_object *object);
void replica_done(hd_refine *r);
/* Apply B at tick POSITION; false: a finding was made. CERTAIN: it was the only possible order of writes up to here, so
 * old values can be compared. */
bool replica_apply(hd_refine *r, const block *b, uint64_t position, bool certain);
/* Look for variables that were not protected; once for each block, at its tick. */
bool replica_watch(hd_refine *r, const block *b, uint64_t position);
/* Apply B to one of several replicas, without checks; false: it cannot be replayed. */
bool replica_apply_plain(const hd_replica *ops, void *replica, const block *b, hd_keys *touched);
/* Compare with STATE at POSITION (the commit, task or block end of O); false: a finding was made. */
bool replica_compare(hd_refine *r, op *o, enum tick_kind kind, uint64_t position, const void *state);
bool replica_agrees(const hd_spec *spec, const void *state, const void *replica, const keyset *keys);

/* paranoid.c: which promise does SPEC break when OP is applied to BEFORE? In words, NULL: none. VIEWS: look at the keys
 * too. */
HD_GIVE char *paranoid_step(const hd_spec *spec, const void *before, const hd_op *op, bool views);

/* tail.c */
void tail_init(hd_refine *r);
void tail_add(hd_refine *r, op *o);
/* Perhaps make a checkpoint here. QUIESCENT: no operation is open in the gap in hand. */
void tail_step(hd_refine *r, bool quiescent);
void tail_done(hd_refine *r);

/* finding.c */
hd_finding *finding_make(hd_refine *r, hd_finding_kind kind, uint64_t position, op *failing);
void finding_clear(hd_finding *f);
/* The error of annotation that waited has its turn: it is the verdict. */
void finding_take_annotation(hd_refine *r);
void finding_add_op(hd_refine *r, hd_finding *f, const op *o, bool failing, bool explains);
char *describe_op(hd_refine *r, const op *o);       /* method(args) = ret, to be freed */
char *describe_place(hd_refine *r, uint32_t place); /* file:line */
/* The reason for BLAME. COMMITS: the operations have some; OF_STATE: a view was to be explained, not returns. */
HD_GIVE char *blame_text(hd_blame blame, bool commits, bool of_state);
/* The same for HD_BLAME_UNDECIDED where an order exists, but only one that inverts two looks of equal number. */
HD_GIVE char *ties_text(void);
bool refine_bad_spec(hd_refine *r, const op *o, uint32_t site, HD_TAKE char *headline); /* false, always */
bool refine_incomplete(hd_refine *r, HD_TAKE char *why);                                /* false, always */

/* solve.c: is there an order? Used by the diagnosis on the operations of the tail. */
typedef struct item
{
  op *op;
  uint64_t low, high; /* positions */
  enum search_mode mode;
  bool point;    /* takes effect at LOW exactly */
  bool open_end; /* HIGH does not matter */
  bool any;      /* with any return */
} item;

typedef enum answer
{
  ANSWER_FITS,
  ANSWER_NONE,
  ANSWER_STOPPED,
} answer;

typedef struct problem
{
  const hd_spec *spec;
  const void *state; /* before the first of them */
  item *items;
  size_t n;
  bool strict; /* of two looks of one number the return came first; else their order is open */
  /* The end state must show the view of REPLICA for KEYS; NULL: any end state. */
  const keyset *keys;
  const void *replica;
  uint64_t budget; /* applications that may still be made; counted down */
  const int *cancel;
  hd_value *returns; /* for operations with any return, if the specification has no outcomes() */
  size_t nreturns;
  /* Where FITS: the order found, to be freed, and the gap of each. */
  op **order;
  uint64_t *order_gap;
  size_t norder;
} problem;

answer solve(problem *p);
void problem_clear_order(problem *p);

/* diagnose.c */
void diagnose(hd_refine *r, op *failing);
/* A view differs: the finding is made; who is to blame shows when the operations that are open now have returned. */
bool diagnose_view_begin(hd_refine *r, op *failing, hd_finding_kind kind, uint64_t position);
/* True: all of them have. */
bool diagnose_view_ready(const hd_refine *r);
void diagnose_view_end(hd_refine *r);

#endif
