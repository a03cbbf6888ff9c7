/* sim.h: small implementations whose every look, tick, memory access, lock and unlock is one step of a random
 * scheduler.
 *
 * An implementation's method is a function that does one step each time it is called and returns true when it is done.
 * Where it goes on is kept in the thread's LINE (a switch that jumps into the body), so locals live in sim_thread. Each
 * STEP is a point at which other threads may run; ACQUIRE is one step that waits until the lock is free. */
#ifndef ORACLE_SIM_H
#define ORACLE_SIM_H

#include "trace.h"

enum
{
  SIM_THREADS = 4,
  SIM_OPS = 4, /* of one thread */
  SIM_LOCKS = SLOTS + 1,
  LOCK_SCAN = SLOTS,
};

typedef enum annotation
{
  ANNOTATE_EXACT,
  ANNOTATE_WINDOW,
  ANNOTATE_NOCOMMIT
} annotation;

typedef enum flaw
{
  FLAW_NONE,
  FLAW_UNLOCKED_FIND, /* multiset: the buggy FindSlot of paper 000, Fig. 5 */
  FLAW_LATE_UNDO,     /* multiset: the failed InsertPair frees its slot and ticks afterwards */
  FLAW_EXACT_DELETE,  /* multiset: an exact commit in Delete while LookUp goes slot by slot: right, wrongly annotated */
  FLAW_LOST_MOVE,     /* multiset: compress forgets to make the moved element valid */
  FLAW_NO_BLOCK,      /* multiset: InsertPair's writes are logged outside a block */
  FLAW_EXACT_STORE,   /* register, counter: exact commits with readers that take no lock */
  FLAW_TWO_COPIES,    /* register: regular, not atomic */
  FLAW_LOST_UPDATE,   /* counter, stack: a store instead of a compare-and-swap */
  FLAW_EARLY_PEEK,    /* queue: dequeue chooses its element before it locks */
  FLAW_COUNT
} flaw;

typedef struct sim_op
{
  bool internal;
  unsigned method;
  hd_value args[MODEL_ARGS];
  annotation annotation;
} sim_op;

typedef struct sim_thread
{
  unsigned id;
  int line, main_line; /* where the method and the thread go on */
  unsigned nops, at;
  sim_op op[SIM_OPS];
  model_return ret;
  bool committed;
  /* locals of methods */
  int i, j, low, high, old, node, next;
  bool found;
} sim_thread;

typedef struct sim
{
  trace *t;
  uint64_t random;
  flaw flaw;
  bool locked;        /* register, counter: by lock, else by compare-and-swap */
  bool scan_lock;     /* multiset: those who scan exclude each other and compress */
  bool old_values;    /* writes are logged with what they overwrite */
  bool commit_return; /* commits carry the return value */
  unsigned nthreads;
  sim_thread thread[SIM_THREADS];
  unsigned lock[SIM_LOCKS]; /* owner, or 0 */
  int cell[2];              /* register, counter */
  int elt[SLOTS];           /* multiset; 0: empty, else element + 1 */
  bool valid[SLOTS];
  int top, value[NODES], next[NODES], nodes; /* stack: 0 or node + 1 */
  int queue[16], head, tail;
  bool (*method)(struct sim *s, sim_thread *h);
} sim;

#define SIM_BEGIN                                                                                                      \
  switch (h->line)                                                                                                     \
  {                                                                                                                    \
  case 0:
#define SIM_END }
#define STEP                                                                                                           \
  do                                                                                                                   \
  {                                                                                                                    \
    h->line = __LINE__;                                                                                                \
    return false;                                                                                                      \
  case __LINE__:;                                                                                                      \
  } while (0)
#define ACQUIRE(l)                                                                                                     \
  do                                                                                                                   \
  {                                                                                                                    \
    h->line = __LINE__;                                                                                                \
    return false;                                                                                                      \
  case __LINE__:                                                                                                       \
    if (s->lock[l])                                                                                                    \
      return false;                                                                                                    \
    s->lock[l] = h->id;                                                                                                \
  } while (0)
#define RELEASE(l)                                                                                                     \
  do                                                                                                                   \
  {                                                                                                                    \
    h->line = __LINE__;                                                                                                \
    return false;                                                                                                      \
  case __LINE__:                                                                                                       \
    s->lock[l] = 0;                                                                                                    \
  } while (0)

static inline const sim_op *
sim_current(const sim_thread *h)
{
  return &h->op[h->at];
}

void sim_return(sim_thread *h, hd_value v);
void sim_window(sim *s, sim_thread *h); /* if the operation is annotated with one */
void sim_commit(sim *s, sim_thread *h); /* if the operation is annotated */
void sim_block_begin(sim *s, sim_thread *h);
void sim_block_end(sim *s, sim_thread *h);
void sim_write(sim *s, sim_thread *h, unsigned var, int value, int old);

bool sim_multiset(sim *s, sim_thread *h);
bool sim_cell(sim *s, sim_thread *h); /* register and counter */
bool sim_stack(sim *s, sim_thread *h);
bool sim_queue(sim *s, sim_thread *h);

/* ---- generators ---- */

/* A run of a right implementation with right annotations. */
void simulate_right(trace *t, uint64_t seed);
/* A run with a flaw of the implementation or of its annotations; it may or may not show. */
void simulate_wrong(trace *t, uint64_t seed);
/* The same with this flaw. */
void simulate_flaw(trace *t, uint64_t seed, flaw f);

#endif
