/* monitor.h: the state of a monitor and of its threads, inside. */
#ifndef HD_MTTL_MONITOR_H
#define HD_MTTL_MONITOR_H

#include <string.h>

#include "mttl/knowledge.h"
#include "mttl/program.h"
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
  hd_mttl_changes depends;  /* on what */
  const hd_mttl_cell *cell; /* of the property */
} hd_mttl_part;

/* Items that are nothing but a copy. */
typedef enum hd_mttl_shape
{
  HD_MTTL_COMPUTED,
  HD_MTTL_COPY_LOCAL, /* of a variable of the thread */
  HD_MTTL_COPY_ITEM   /* of an item without parameters, of the thread that the one parameter is */
} hd_mttl_shape;

/* A number that grows with each run of a routine (routine.c). */
typedef struct hd_mttl_growth
{
  int64_t *at;
  int64_t by;
} hd_mttl_growth;
enum
{
  HD_MTTL_GROWTHS = 16
};

/* Knowledge that a thread passed on after it had set a variable at some place, for when it does so again (parcels.c).
 */
typedef struct hd_mttl_variant
{
  uint64_t place; /* a number for the place; modulo HD_MTTL_VARIANTS that of the variant */
  uint64_t era;   /* of the thread; 0: there is none */
  int32_t set;    /* the variable, */
  hd_mttl_type type;
  hd_mttl_knowledge *k;
  hd_mttl_value *of; /* by number among the SOURCES: what they were */
} hd_mttl_variant;
enum
{
  HD_MTTL_VARIANTS = 4
};

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
  bool *of_parameter;    /* by cell: it has one parameter, and asks that thread and nothing else */
  hd_mttl_shape *shapes; /* by cell */
  uint32_t *source;      /* by cell: the variable of the thread that it is a copy of, for the thread itself, or */
  uint32_t *sources;     /* those variables, NSOURCES                                          UINT32_MAX */
  size_t nsources;
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
  union
  {
    hd_mttl_front front; /* READY: until something is set, or K changes */
    uint32_t number;
  };
  hd_mttl_monitor *m;
  hd_mttl_value *locals; /* by variable */
  hd_mttl_plan *plans;   /* by variable */
  uint32_t planned;      /* how often there was something new of others, or new programs */
  uint32_t unchanged;    /* steps since something was heard of others; from the second on there are programs */
  /* What T passes on about itself: */
  bool renew;          /* an item has changed at the present event */
  bool unpublished;    /* ... or at an earlier one, and what T passes on about itself not yet */
  bool at_present;     /* ... which is the present one, of which only EVENT knows what it was, */
  bool unplaced;       /* ... whose stack has not been looked at yet (hd_mttl_settle) */
  bool internal;       /* the present event sets a variable */
  bool unseen;         /* formulas see nothing of the present event */
  bool quiet;          /* the last judgement left every bit as it was, and no property was false */
  bool still;          /* ... and formulas saw nothing of the event */
  uint64_t c;          /* the last number of its knowledge: counted when that or what T passes on changes */
  uint64_t clock;      /* the largest of an origin that it knows: counted when what T passes on changes */
  uint64_t era;        /* how often K changed in more than what T passes on by plans */
  hd_mttl_event event; /* that led to the present state */
  hd_mttl_variant variants[HD_MTTL_VARIANTS];
  uint64_t nplaces;                        /* how many there were; so the oldest variant is replaced */
  uint64_t place;                          /* of what was settled last, or 0 */
  uint64_t missed;                         /* the era in which make_variant was last needed */
  const hd_mttl_rule *const *followed;     /* the rules that were the last of which all was simple, */
  uint64_t followed_at;                    /* at this place */
  hd_mttl_growth growths[HD_MTTL_GROWTHS]; /* of the routine */
  uint32_t ngrowths;
  bool light; /* of what T passes on about itself, FRONT has what was passed on last, not K */
  bool fresh; /* K has changed since it was passed on */
  bool alive;
  hd_mttl_knowledge *k; /* what it knows; nobody else has it while FRESH */
  uint64_t *seen;       /* by thread: the largest C of its knowledge that is in K; at least K's own numbers */
  uint32_t nseen;
  uint32_t radix;                /* of the tables: threads that parameters range over, and 1 */
  hd_mttl_retired retired;       /* what was K before, and others have */
  hd_mttl_table *tables;         /* by cell */
  hd_mttl_origin origin;         /* of what is unpublished, if that is not at present */
  hd_mttl_changes changed;       /* what formulas ask for, since the last judgement */
  uint32_t names;                /* NNAMED then */
  hd_mttl_program *programs;     /* by part */
  uint32_t slots[HD_MTTL_SLOTS]; /* who stands for a thread variable: thread + 1; 0: nobody that is known */
};

static inline void
hd_mttl_put_event(hd_mttl_event *to, const hd_mttl_event *from)
{
  _Static_assert(sizeof *to % sizeof(uint64_t) == 0, "by words");
  for (size_t i = 0; i < sizeof *to; i += sizeof(uint64_t))
  {
    uint64_t word;
    memcpy(&word, (const char *) from + i, sizeof word);
    __asm__("" : "+r"(word));
    memcpy((char *) to + i, &word, sizeof word);
  }
}

/* hd_mttl_same, for what is mostly a number. */
static inline bool
hd_mttl_equal(const hd_mttl_value *a, const hd_mttl_value *b)
{
  if (a->type == b->type && (a->type == HD_MTTL_INT || a->type == HD_MTTL_BOOL))
    return a->number == b->number;
  return hd_mttl_same(*a, *b);
}

/* RULES were followed as a whole, V is what T passes on since then, and nothing else is left to do: if there is a
 * routine for them, T is in it. */
void hd_mttl_routine_enter(hd_mttl_thread *t, const hd_mttl_variant *v, const hd_mttl_rule *const *rules, size_t n);
/* Before more of T is looked at than its front, or anything changes. */
void hd_mttl_routine_leave_all(hd_mttl_thread *t);
static inline void
hd_mttl_routine_leave(hd_mttl_thread *t)
{
  if (t->front.routine.rules)
    hd_mttl_routine_leave_all(t);
}

/* The value of N at T's present state; or, T being NULL, before anything happened. */
hd_mttl_value hd_mttl_evaluate(const hd_mttl_monitor *m, hd_mttl_thread *t, const hd_mttl_node *n, uint32_t *slots);
bool hd_mttl_truth(const hd_mttl_monitor *m, hd_mttl_thread *t, const hd_mttl_node *n, uint32_t *slots);
/* Where T has the value of N, which asks another thread or is a temporal operator. */
const hd_mttl_value *hd_mttl_kept(const hd_mttl_monitor *m, const hd_mttl_thread *t, const hd_mttl_node *n,
                                  const uint32_t *slots);
/* Programs for what is known of others now, of the parts that can have one. */
void hd_mttl_program_make(hd_mttl_thread *t);
void hd_mttl_program_free(hd_mttl_thread *t);
/* The plan for VARIABLE, whose programs are made. Are they all true? */
void hd_mttl_plan_make(hd_mttl_thread *t, uint32_t variable);
bool hd_mttl_plan_run(const hd_mttl_thread *t, hd_mttl_plan *plan, uint32_t variable);
/* What T passes on about itself is another from the present event on, the last of N at which it changed. */
static inline void
hd_mttl_note_origin(hd_mttl_thread *t, uint64_t n)
{
  t->front.ready = false;
  t->renew = false;
  t->unpublished = t->at_present = t->unplaced = true;
  t->c += n;
  t->clock += n;
  t->origin.clock = t->clock;
}
/* Where that was is in ORIGIN; or T is light, and has a parcel. */
void hd_mttl_settle_all(hd_mttl_thread *t);
static inline void
hd_mttl_settle(hd_mttl_thread *t)
{
  if (t->unplaced)
    hd_mttl_settle_all(t);
}
/* The present event of T makes way for the next one. */
static inline void
hd_mttl_leave_event(hd_mttl_thread *t)
{
  if (!t->at_present)
    return;
  hd_mttl_put_event(&t->origin.event, &t->event);
  t->at_present = false;
}
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
/* K is about to change: make it T's alone, and the next one. RENEWING: its entry is (hd_mttl_retired_copy). */
void hd_mttl_own(hd_mttl_thread *t, bool renewing);
/* T has a copy of K in its place, with room for N threads, of the same number. */
void hd_mttl_replace_own(hd_mttl_thread *t, uint32_t n, bool renewing);
/* T knows what is in K, too; or in P. */
void hd_mttl_learn(hd_mttl_thread *t, const hd_mttl_knowledge *k);
void hd_mttl_learn_parcel(hd_mttl_thread *t, const hd_mttl_parcel *p);
/* Every cell of T at its new state, the bits, T's entry, and reports. */
void hd_mttl_step(hd_mttl_thread *t);

/* What T passes on about itself becomes what it is: before T's knowledge is passed on, or compared with what was. */
void hd_mttl_publish_all(hd_mttl_thread *t);
/* T's entry in its knowledge, which nobody else has, for RADIX threads: to be written. */
hd_mttl_entry *hd_mttl_own_entry(hd_mttl_thread *t, uint32_t radix);
/* T, which is light, is so no more; with room for N threads. */
void hd_mttl_catch_up(hd_mttl_thread *t, uint32_t n);
static inline void
hd_mttl_publish(hd_mttl_thread *t)
{
  hd_mttl_routine_leave(t);
  if (t->unpublished)
    hd_mttl_publish_all(t);
  else if (t->light)
    hd_mttl_catch_up(t, 0);
}
/* Is V what T passes on since E, but for the number and the place? */
bool hd_mttl_others_differ(const hd_mttl_thread *t, const hd_mttl_variant *v, const hd_mttl_event *e);
static inline bool
hd_mttl_variant_fits(const hd_mttl_thread *t, const hd_mttl_variant *v, const hd_mttl_event *e)
{
  return v->era == t->era && v->set == e->set && v->type == e->value.type
         && (t->m->nsources == 1 || !hd_mttl_others_differ(t, v, e));
}
/* T's knowledge, which is published, for others: it is not changed any more. */
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
      hd_mttl_retired_back(&t->retired, k);
  }
}

/* T's parcel, which is ready, is K, which T owns, with C and NUMBER. */
static inline void
hd_mttl_repack_as(hd_mttl_thread *t, hd_mttl_knowledge *k, uint64_t c, int64_t number)
{
  hd_mttl_parcel *p = &t->front.parcel;
  hd_mttl_knowledge *old = p->knowledge;
  p->stamp = (uint64_t) t->number << HD_MTTL_STAMP_THREAD | c;
  p->number = number;
  if (old == k)
    return;
  p->knowledge = hd_mttl_hand_out(k);
  if (old)
    hd_mttl_give_back(t, old);
}
static inline void
hd_mttl_pack_as(hd_mttl_thread *t, hd_mttl_knowledge *k, uint64_t c, int64_t number)
{
  hd_mttl_repack_as(t, k, c, number);
  t->fresh = false;
  t->front.ready = true;
}
/* It is V with NUMBER, which is what T passes on since the last event that changed that. */
static inline void
hd_mttl_pack_light(hd_mttl_thread *t, const hd_mttl_variant *v, int64_t number)
{
  t->unpublished = t->at_present = t->unplaced = false;
  t->light = true;
  hd_mttl_pack_as(t, v->k, t->c, number);
}
/* What T passes on now, which counts as passed on; its knowledge is T's, to be handed out. */
hd_mttl_parcel hd_mttl_parcel_now(hd_mttl_thread *t);
/* T's parcel is that, and ready. */
void hd_mttl_pack_all(hd_mttl_thread *t);
static inline void
hd_mttl_pack(hd_mttl_thread *t)
{
  if (!t->front.ready)
    hd_mttl_pack_all(t);
}
void hd_mttl_variants_free(hd_mttl_thread *t);

static inline bool
hd_mttl_has_seen(const hd_mttl_thread *t, const hd_mttl_knowledge *k)
{
  if (!k || k == t->k || k->own == t->number)
    return true;
  return k->own != HD_MTTL_OF_NOBODY && k->own < t->nseen && t->seen[k->own] >= k->c;
}

/* Something that formulas ask for is another from here on. */
static inline void
hd_mttl_change(hd_mttl_thread *t, hd_mttl_changes what)
{
  t->changed |= what;
  t->era++;
  t->front.idle = t->front.idle && !what;
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
  return t->front.idle || (t->still && hd_mttl_is_same(t));
}

/* T has been judged. If threads can get names, nobody but the monitor knows whether one has. */
static inline void
hd_mttl_judged(hd_mttl_thread *t)
{
  t->still = t->quiet && !t->m->plain && t->unseen;
  t->front.idle = t->still && !t->changed && t->m->f->nnames == 0;
}

#endif
