/* monitor.h: the state of a monitor and of its threads, inside. */
#ifndef HD_MTTL_MONITOR_H
#define HD_MTTL_MONITOR_H

#include "mttl/knowledge.h"
#include "mttl/syntax.h"

/* Where the values of a cell are: one for each choice of its parameters. */
typedef struct hd_mttl_table
{
  hd_mttl_value *now; /* at the present state */
  uint8_t *bits;      /* of temporal operators: what the next state needs */
  bool settled;       /* they were left as they were when it was last computed */
} hd_mttl_table;

/* A property is true when all its parts are. */
typedef struct hd_mttl_part
{
  const hd_mttl_node *node;
  hd_mttl_changes depends; /* on what */
} hd_mttl_part;

struct hd_mttl_monitor
{
  const hd_mttl_file *f;
  hd_mttl_report *report;
  hd_mttl_print_location *print_location; /* NULL: as a number */
  hd_mttl_where *where;                   /* NULL: nobody asks */
  void *context;
  atomic_uint nthreads;
  hd_mttl_value *start; /* of every variable */
  uint32_t *shared_of;  /* of a variable: its number among the tracked ones */
  size_t nshared;
  hd_mttl_value *before; /* of every cell, before anything happened: nobody is known, whoever it is */
  uint32_t *items;       /* cells, by number among the items */
  /* Where the values of an item begin in an entry: a polynomial in the radix of the entry, DEGREE + 1 numbers for each,
   * the constant one first. One item more than there are: how many values there are. */
  uint32_t *offsets;
  uint32_t degree;
  bool *of_parameter;       /* by cell: it has one parameter, and asks that thread and nothing else */
  hd_mttl_changes *depends; /* by cell: on what */
  hd_mttl_part *parts;      /* of the properties */
  size_t *first_part;       /* by cell, and behind the last; where the parts of one end, those of the next begin */
  atomic_uint *named;       /* by name: thread + 1; 0: none yet */
  atomic_uint nnamed;       /* how often that has changed */
  bool plain;               /* every event is judged, also where nothing can change */
  bool uses_op, uses_loc;   /* what formulas see of an event, ... */
  bool *used;               /* ... which variables of threads have values that they ask for, ... */
  bool *flagged;            /* ... and which variables they ask for read() or write() of */
};

struct hd_mttl_thread
{
  hd_mttl_monitor *m;
  uint32_t number;
  bool alive;
  hd_mttl_value *locals; /* by variable */
  hd_mttl_knowledge *k;  /* what it knows; nobody else has it while FRESH */
  uint32_t *seen;        /* by thread: the largest C of its knowledge that is in K; at least K's own numbers */
  uint32_t nseen;
  hd_mttl_retired retired;       /* what was K before, and others have */
  bool fresh;                    /* K has changed since it was passed on */
  uint32_t radix;                /* of the tables: threads that parameters range over, and 1 */
  hd_mttl_table *tables;         /* by cell */
  hd_mttl_event event;           /* that led to the present state */
  hd_mttl_origin before;         /* of the entry that the present event replaced */
  bool replaced;                 /* ... if it did */
  bool quiet;                    /* the last judgement left every bit as it was, and no property was false */
  bool still;                    /* ... and formulas saw nothing of that event */
  bool renew;                    /* an item has changed, and what T passes on not yet */
  hd_mttl_changes changed;       /* what formulas ask for, since the last judgement */
  uint32_t names;                /* NNAMED then */
  uint32_t slots[HD_MTTL_SLOTS]; /* who stands for a thread variable: thread + 1; 0: nobody that is known */
};

/* The value of N at T's present state; or, T being NULL, before anything happened. */
hd_mttl_value hd_mttl_evaluate(const hd_mttl_monitor *m, hd_mttl_thread *t, const hd_mttl_node *n, uint32_t *slots);
bool hd_mttl_truth(const hd_mttl_monitor *m, hd_mttl_thread *t, const hd_mttl_node *n, uint32_t *slots);
/* Where the values of ITEM begin in an entry of RADIX. */
static inline size_t
hd_mttl_item_offset(const hd_mttl_monitor *m, size_t item, uint32_t radix)
{
  const uint32_t *c = m->offsets + item * (m->degree + 1);
  size_t at = c[m->degree];
  for (uint32_t k = m->degree; k-- > 0;)
    at = at * radix + c[k];
  return at;
}
/* The thread that TID means, plus 1; 0: nobody that is known. */
uint32_t hd_mttl_thread_of(const hd_mttl_monitor *m, hd_mttl_tid tid, const uint32_t *slots);
/* K is about to change: make it T's alone, and the next one. */
void hd_mttl_own(hd_mttl_thread *t);
/* T knows what is in K, too. */
void hd_mttl_learn(hd_mttl_thread *t, const hd_mttl_knowledge *k);
/* Every cell of T at its new state, the bits, T's entry, and reports. */
void hd_mttl_step(hd_mttl_thread *t);

/* T's knowledge, for others: it is not changed any more. */
static inline hd_mttl_knowledge *
hd_mttl_pass_on(hd_mttl_thread *t)
{
  t->fresh = false;
  return hd_mttl_hand_out(t->k);
}

/* The other way round: T finds K where nobody has it any more. */
static inline void
hd_mttl_give_back(hd_mttl_thread *t, hd_mttl_knowledge *k)
{
  if (!k || k->own != t->number)
    hd_mttl_drop(k);
  else
  {
    k->credit++;
    if (k != t->k && hd_mttl_is_back(k))
      hd_mttl_retired_free(&t->retired, k);
  }
}

static inline bool
hd_mttl_has_seen(const hd_mttl_thread *t, const hd_mttl_knowledge *k)
{
  if (!k || k == t->k || k->own == t->number)
    return true;
  return k->own != HD_MTTL_OF_NOBODY && k->own < t->nseen && t->seen[k->own] >= k->c;
}

/* The judgement depends on the bits, on what is known, on the thread's variables and on what is seen of the event. If
 * they are as they were at the last one, and that one left the bits alone, this one would say the same again. */
static inline bool
hd_mttl_is_same(const hd_mttl_thread *t)
{
  /* acquire: pairs with the release where names are given */
  return !t->changed && t->names == atomic_load_explicit(&t->m->nnamed, memory_order_acquire);
}

/* Is an event of which formulas see nothing, and which brings nothing, the same as none at all? */
static inline bool
hd_mttl_is_idle(const hd_mttl_thread *t)
{
  return t->still && hd_mttl_is_same(t);
}

#endif
