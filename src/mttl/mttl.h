/* mttl.h: multithreaded temporal logic: properties that each thread judges by what it can know.
 *
 * The logic is that of Sen, Vardhan, Agha and Rosu, "Decentralized Runtime Analysis of Multithreaded Applications"; the
 * reading, where the paper leaves one open, is that of docs/mttl.md. An event belongs to a thread; it follows the
 * earlier events of its thread, earlier accesses of the same location unless both are reads, and releases of an object
 * that it acquires. A thread knows the events before its own in that order and no others. @j(F) is F in the latest
 * state of thread j that is known, over j's own history. Verdicts depend on that order alone: they are the same for
 * every schedule that keeps it.
 *
 * Threads: a property file is read-only once it is read. Of a monitor, each thread uses its own hd_mttl_thread; a place
 * or an object is used by one thread at a time (its caller holds a lock). */
#ifndef HD_MTTL_H
#define HD_MTTL_H

#include <stdatomic.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/base.h"

/* ---- values ---- */

typedef enum hd_mttl_type
{
  HD_MTTL_BOOL,
  HD_MTTL_INT,
  HD_MTTL_REAL,
  HD_MTTL_STRING,
  HD_MTTL_LOC,      /* a piece of memory; two are equal when they overlap */
  HD_MTTL_UNDEFINED /* of a value alone: after a division by zero, of memory that was freed; no comparison holds */
} hd_mttl_type;

typedef struct hd_mttl_value
{
  hd_mttl_type type;
  uint32_t size; /* HD_MTTL_LOC: bytes */
  union
  {
    int64_t number; /* of booleans, too; HD_MTTL_LOC: the first byte */
    double real;
    const char *text; /* lives as long as the property file or the program */
  };
} hd_mttl_value;

bool hd_mttl_same(hd_mttl_value a, hd_mttl_value b);
void hd_mttl_print_value(hd_string *out, hd_mttl_value v);

/* ---- property files ---- */

typedef struct hd_mttl_place
{
  uint32_t line, column;
} hd_mttl_place;

/* A variable: shared by the program's threads, or each thread's own. */
typedef struct hd_mttl_variable
{
  const char *name; /* "accounts[2].balance" */
  hd_mttl_place place;
  bool shared;
  bool tracked; /* shared: its value occurs in a formula, not only that it is read or written */
  hd_mttl_type type;
  hd_mttl_value initial; /* shared: until the first write is known; undefined: as the program has it at the start */
} hd_mttl_variable;

/* A thread with a name of its own. */
typedef struct hd_mttl_name
{
  const char *name;  /* in the file */
  const char *means; /* the name that pthread_setname_np gave it, or its start routine; NULL: it has a number */
  uint32_t number;   /* from 0, in the order of creation */
} hd_mttl_name;

typedef enum hd_mttl_action
{
  HD_MTTL_EACH, /* report every violation */
  HD_MTTL_ONCE, /* report the first one */
  HD_MTTL_STOP, /* report it and end the program */
  HD_MTTL_ABORT,
  HD_MTTL_CALL /* and call a function of the program */
} hd_mttl_action;

typedef struct hd_mttl_property
{
  const char *name;
  hd_mttl_place place;
  const char *text; /* the formula, as written */
  hd_mttl_action action;
  const char *function; /* HD_MTTL_CALL */
  uint32_t cell;        /* its value */
} hd_mttl_property;

typedef enum hd_mttl_moment
{
  HD_MTTL_ENTER,
  HD_MTTL_EXIT,
  HD_MTTL_LOCK,
  HD_MTTL_UNLOCK
} hd_mttl_moment;

/* "on enter f: busy = true": an internal event when something happens in the program. */
typedef struct hd_mttl_rule
{
  hd_mttl_place place;
  hd_mttl_moment moment;
  const char *name; /* of the function or the lock */
  uint32_t variable;
  const struct hd_mttl_node *value;
  enum
  {
    HD_MTTL_SET_COMPUTED, /* VALUE is what it says: */
    HD_MTTL_SET_CONSTANT,
    HD_MTTL_SET_COPY, /* of the variable FROM of the thread */
    HD_MTTL_SET_SUM   /* of that and of the constant, both integers */
  } how;
  uint32_t from;
  hd_mttl_value constant;
} hd_mttl_rule;

typedef struct hd_mttl_file
{
  hd_arena *arena; /* of everything here */
  const char *path;
  const char *text; /* all of it */
  size_t length;
  bool everything; /* all memory passes knowledge on, not only what is named: "shared *", op, loc */
  size_t nvariables, nnames, nproperties, nrules, nfunctions, nlocks, ncells, nitems;
  const hd_mttl_variable *variables;
  const hd_mttl_name *names;
  const hd_mttl_property *properties;
  const hd_mttl_rule *rules;
  const char *const *functions;                       /* that at() names */
  const char *const *locks;                           /* that lock() and unlock() name */
  const hd_mttl_place *function_places, *lock_places; /* where they are first named */
  const struct hd_mttl_cell *cells;
} hd_mttl_file;

/* The properties in TEXT, N bytes; PATH is for messages. NULL: there are mistakes, and MESSAGES has a line "PATH:LINE:
 * COLUMN: error: ..." for each. */
HD_GIVE hd_mttl_file *hd_mttl_parse(const char *path, const char *text, size_t n, hd_string *messages);
HD_GIVE hd_mttl_file *hd_mttl_read(const char *path, hd_string *messages);
void hd_mttl_free(HD_TAKE hd_mttl_file *f);

/* ---- monitoring ---- */

enum
{
  HD_MTTL_FRAMES = 12 /* of the stack of an event that others may hear of */
};

typedef struct hd_mttl_monitor hd_mttl_monitor;
typedef struct hd_mttl_thread hd_mttl_thread;

/* A property is false at an event of THREAD, for the first time or again. Called by that thread. */
typedef void hd_mttl_report(void *context, hd_mttl_thread *thread, const hd_mttl_property *property);

HD_GIVE hd_mttl_monitor *hd_mttl_monitor_new(HD_KEEP const hd_mttl_file *f, hd_mttl_report *report, void *context);
/* For explanations, with the context of the reports: how people call the SIZE bytes at LOC. */
typedef void hd_mttl_print_location(void *context, hd_string *out, uint64_t loc, uint32_t size);
void hd_mttl_monitor_locations(hd_mttl_monitor *m, hd_mttl_print_location *print);
/* For tests: judge every event, also where it can change nothing. */
void hd_mttl_monitor_plain(hd_mttl_monitor *m);
/* VARIABLE is VALUE at the start; before there are threads. */
void hd_mttl_monitor_start(hd_mttl_monitor *m, uint32_t variable, hd_mttl_value value);
void hd_mttl_monitor_free(HD_TAKE hd_mttl_monitor *m); /* after its threads, places and objects */

/* What a thread passes on: knowledge, or what that became when its owner set once more the variable that it had set
 * last before, at the same place, to another number. */
typedef struct hd_mttl_parcel
{
  _Alignas(16) uint64_t stamp; /* whose, and which; 0: none */
  int64_t number;
  struct hd_mttl_knowledge *knowledge;
} hd_mttl_parcel;
enum
{
  HD_MTTL_STAMP_THREAD = 44 /* from this bit on a stamp has the thread's number; below, a number that only grows */
};

/* Who has read a location since it was written last. A list that becomes too short is kept until the location is
 * cleared: somebody may be about to store there (hd_mttl_reads_again). */
typedef struct hd_mttl_readers
{
  struct hd_mttl_readers *shorter;
  hd_mttl_parcel parcels[];
} hd_mttl_readers;

/* What is known at a shared location or through a synchronisation object. Zero is the start. */
typedef struct hd_mttl_location
{
  hd_mttl_parcel written; /* by the last writer, right after it */
  hd_mttl_readers *readers;
  uint32_t nreaders, readers_cap;
} hd_mttl_location;

typedef struct hd_mttl_object
{
  struct hd_mttl_knowledge *knowledge;
} hd_mttl_object;

/* The same for what one thread at a time has, such as a mutex: who gives it puts in a parcel, who takes it learns what
 * is in that. It needs no other lock; if two threads use one at once, which a program at fault may bring about, nothing
 * breaks, and what is known is what one of them gave, or that with the other's number. */
typedef struct hd_mttl_baton
{
  _Atomic uint64_t stamp; /* as in a parcel */
  struct hd_mttl_knowledge *_Atomic knowledge;
  _Atomic int64_t number;
} hd_mttl_baton;

/* What an event is, for op, loc, read(), write(), lock(), unlock() and at(). */
typedef enum hd_mttl_op
{
  HD_MTTL_NONE,
  HD_MTTL_R,
  HD_MTTL_W
} hd_mttl_op;

typedef struct hd_mttl_event
{
  hd_mttl_op op;
  uint64_t loc; /* of the access, with the generation of the memory */
  uint32_t size;
  int32_t variable;    /* a shared one that the file knows, or -1 */
  int32_t lock;        /* that was taken or released, or -1 */
  bool taken;          /* LOCK: taken */
  int32_t function;    /* that was entered, or -1 */
  int32_t set;         /* a thread's own variable that was, to VALUE, or -1 */
  hd_mttl_value value; /* of a write to a tracked variable */
  const char *doing;   /* for people: "locks", "posts"; NULL: what stands above. Its object is at LOC */
} hd_mttl_event;

#define HD_MTTL_NO_EVENT                                                                                               \
  ((hd_mttl_event){.variable = -1, .lock = -1, .function = -1, .set = -1, .value = {.type = HD_MTTL_UNDEFINED}})

/* The event at which what a thread passes on became what it is. Of two that are ordered the later one has the larger
 * CLOCK. */
typedef struct hd_mttl_origin
{
  uint64_t clock;
  hd_mttl_event event;
  uint32_t nframes;
  uintptr_t frames[HD_MTTL_FRAMES]; /* where, innermost first */
} hd_mttl_origin;
/* A stack as it is: at PC; then N frames, from INNERMOST on each STEP words after the one before. */
typedef struct hd_mttl_stack
{
  uintptr_t pc;
  const uintptr_t *innermost;
  ptrdiff_t step;
  uint32_t n;
} hd_mttl_stack;
/* Called by THREAD, with the context of the reports: where it is. False: that is not known. */
typedef bool hd_mttl_where(void *context, hd_mttl_thread *thread, hd_mttl_stack *stack);
void hd_mttl_monitor_where(hd_mttl_monitor *m, hd_mttl_where *where);

/* A thread that PARENT (NULL: it was there from the start) creates; NAME is its name or start routine, or NULL. PARENT
 * knows it from now on, and it knows what PARENT does. */
HD_GIVE hd_mttl_thread *hd_mttl_thread_new(hd_mttl_monitor *m, hd_mttl_thread *parent, const char *name);
/* It gets NAME later. */
void hd_mttl_thread_name(hd_mttl_thread *t, const char *name);
uint32_t hd_mttl_thread_number(const hd_mttl_thread *t);
void hd_mttl_thread_free(HD_TAKE hd_mttl_thread *t); /* what is known of it remains known */

/* Events. E says what the event is besides. */
void hd_mttl_internal(hd_mttl_thread *t, uint32_t variable, hd_mttl_value value);
/* The same. PLACE, from the last time that T did this where it is now; 0: that is not known. Returns it for the next
 * time. */
uint64_t hd_mttl_internal_again(hd_mttl_thread *t, uint32_t variable, hd_mttl_value value, uint64_t place);
void hd_mttl_local(hd_mttl_thread *t, const hd_mttl_event *e); /* nothing but E */
/* What the rules say, as internal events one by one. PLACE, from the last time that T was where it is now; 0: that is
 * not known. Returns it for the next time. */
uint64_t hd_mttl_follow(hd_mttl_thread *t, const hd_mttl_rule *const *rules, size_t n, uint64_t place);
/* An access of N locations at once. */
void hd_mttl_reads(hd_mttl_thread *t, hd_mttl_location *const *x, size_t n, const hd_mttl_event *e);
void hd_mttl_writes(hd_mttl_thread *t, hd_mttl_location *const *x, size_t n, const hd_mttl_event *e);
/* The same for one location whose value nobody asks for, and an event of which formulas see nothing. False: nothing was
 * done, for it would change something for T, and the whole is needed. */
bool hd_mttl_reads_quietly(hd_mttl_thread *t, hd_mttl_location *x);
bool hd_mttl_writes_quietly(hd_mttl_thread *t, hd_mttl_location *x);
/* Do formulas ask for the value of the shared VARIABLE, or whether it is read or written? */
bool hd_mttl_asks_for(const hd_mttl_monitor *m, uint32_t variable);
/* No event: the shared VARIABLE is VALUE now, by an access that orders nothing. */
void hd_mttl_assume(hd_mttl_thread *t, uint32_t variable, hd_mttl_value value);
/* No event: VALUE is what T read or wrote by an atomic operation on VARIABLE; *VERSION is the variable's, for all. */
void hd_mttl_coherent(hd_mttl_thread *t, uint32_t variable, uint32_t *version, hd_mttl_value value, bool writes);
void hd_mttl_release(hd_mttl_thread *t, hd_mttl_object *o, const hd_mttl_event *e);
/* The same, and O forgets what it had: a store, where an addition to what is there is not meant. */
void hd_mttl_replace(hd_mttl_thread *t, hd_mttl_object *o, const hd_mttl_event *e);
void hd_mttl_acquire(hd_mttl_thread *t, hd_mttl_object *o, const hd_mttl_event *e);
/* One event that acquires first and releases then, or one of them, or none. */
void hd_mttl_exchange(hd_mttl_thread *t, hd_mttl_object *o, bool acquires, bool releases, const hd_mttl_event *e);
/* The same for an event of which formulas see nothing. False: nothing was done, for it would change something for T,
 * and the whole is needed. */
bool hd_mttl_exchange_quietly(hd_mttl_thread *t, hd_mttl_object *o, bool acquires, bool releases);
void hd_mttl_take(hd_mttl_thread *t, hd_mttl_baton *b, const hd_mttl_event *e);
void hd_mttl_give(hd_mttl_thread *t, hd_mttl_baton *b, const hd_mttl_event *e);
bool hd_mttl_take_quietly(hd_mttl_thread *t, const hd_mttl_baton *b);
/* Rules that a thread has followed at a place, and will follow again (routine.c). */
typedef struct hd_mttl_routine
{
  const hd_mttl_rule *const *rules; /* NULL: it is in no routine */
  uint64_t place;
  uint32_t left, runs; /* of so many times that it may follow them */
  uint64_t changes;    /* of what it passes on, each time */
  int64_t growth;      /* of the number of that */
} hd_mttl_routine;
/* How a thread begins: so much of it is looked at wherever a mutex is taken and given, or a function is called. */
typedef struct hd_mttl_front
{
  uint32_t number;
  bool idle;  /* an event of which formulas see nothing, and which brings nothing, is the same as none at all */
  bool ready; /* PARCEL is what the thread passes on now */
  hd_mttl_parcel parcel;
  hd_mttl_routine routine;
} hd_mttl_front;
/* IDLE, if that can be said without a look at others; until T's next event. */
static inline bool
hd_mttl_is_idle_at_once(const hd_mttl_thread *t)
{
  return ((const hd_mttl_front *) t)->idle;
}
/* hd_mttl_follow of RULES that T follows at PLACE again and again, in an array that has the same rules for good. False:
 * nothing was done, and hd_mttl_follow is needed. */
static inline bool
hd_mttl_follow_again(hd_mttl_thread *t, const hd_mttl_rule *const *rules, uint64_t place)
{
  hd_mttl_front *f = (hd_mttl_front *) t;
  hd_mttl_routine *r = &f->routine;
  if (r->rules != rules || r->place != place || r->left == 0)
    return false;
  r->left--;
  f->parcel.stamp += r->changes;
  f->parcel.number += r->growth;
  return true;
}
/* hd_mttl_take_quietly, for who was mostly the last to give it; false: nothing was found out. */
static inline bool
hd_mttl_take_again(const hd_mttl_thread *t, const hd_mttl_baton *b)
{
  const hd_mttl_front *f = (const hd_mttl_front *) t;
  uint64_t stamp = atomic_load_explicit(&b->stamp, memory_order_relaxed); /* as in hd_mttl_take_quietly */
  return f->idle && stamp >> HD_MTTL_STAMP_THREAD == f->number && stamp != 0;
}
bool hd_mttl_give_quietly(hd_mttl_thread *t, hd_mttl_baton *b);
/* The same for T that is idle, if it was mostly the last to give it, and has learnt nothing since; false: nothing was
 * done. A signal handler may interrupt it and do the same for other batons. */
static inline bool
hd_mttl_give_again(const hd_mttl_thread *t, hd_mttl_baton *b)
{
  const volatile hd_mttl_front *f = (const volatile hd_mttl_front *) t; /* each is read once, in this order */
  bool ready = f->ready;
  uint64_t stamp = f->parcel.stamp;
  int64_t number = f->parcel.number;
  /* All relaxed: whoever takes it is ordered after whoever gave it, by what it is the baton of. */
  if (!ready || atomic_load_explicit(&b->knowledge, memory_order_relaxed) != f->parcel.knowledge
      || f->parcel.stamp != stamp)
    return false;
  atomic_store_explicit(&b->stamp, stamp, memory_order_relaxed);
  atomic_store_explicit(&b->number, number, memory_order_relaxed);
  return true;
}
/* hd_mttl_reads_quietly and _writes_quietly without the caller's lock, while X is not cleared, for T that is idle and
 * finds there what it left itself. If another thread uses X at the same moment, nothing breaks, but the two may learn
 * nothing of each other: the caller has reason to think that none does. */
#if !defined(__SSE2__) || defined(__SANITIZE_THREAD__)
#define HD_MTTL_AT_ONCE 0 /* both say false */
#elif defined(__has_feature)
#define HD_MTTL_AT_ONCE !__has_feature(thread_sanitizer)
#else
#define HD_MTTL_AT_ONCE 1
#endif
/* *P gets the stamp and the number of MINE. One store: what a processor with AVX does at once if it is aligned. */
static inline void
hd_mttl_restamp(hd_mttl_parcel *p, const hd_mttl_parcel *mine)
{
#if HD_MTTL_AT_ONCE
  _mm_store_si128((__m128i *) (void *) p, _mm_load_si128((const __m128i *) (const void *) mine));
#else
  p->stamp = mine->stamp;
  p->number = mine->number;
#endif
}
/* Did T leave P there, of the same knowledge that it passes on now? */
static inline bool
hd_mttl_left(const hd_mttl_front *f, const hd_mttl_parcel *p)
{
  const volatile hd_mttl_parcel *now = p; /* others may be there */
  return now->stamp >> HD_MTTL_STAMP_THREAD == f->number && now->knowledge == f->parcel.knowledge;
}
static inline bool
hd_mttl_writes_again(const hd_mttl_thread *t, hd_mttl_location *x)
{
  const hd_mttl_front *f = (const hd_mttl_front *) t;
  if (!HD_MTTL_AT_ONCE || !f->ready || !hd_mttl_left(f, &x->written))
    return false;
  /* What it left as a reader is in what it leaves as a writer: it may stay, and mostly T reads again. */
  const uint32_t n = *(const volatile uint32_t *) &x->nreaders;
  hd_mttl_readers *readers = *(hd_mttl_readers *volatile *) &x->readers; /* with room for N or more */
  if (n > 1 || (n == 1 && *(const volatile uint64_t *) &readers->parcels[0].stamp >> HD_MTTL_STAMP_THREAD != f->number))
    return false;
  hd_mttl_restamp(&x->written, &f->parcel);
  return true;
}
static inline bool
hd_mttl_reads_again(const hd_mttl_thread *t, hd_mttl_location *x)
{
  const hd_mttl_front *f = (const hd_mttl_front *) t;
  /* From others there was something to learn, which it has learnt if it has read since. */
  const uint32_t n = *(const volatile uint32_t *) &x->nreaders;
  hd_mttl_readers *readers = *(hd_mttl_readers *volatile *) &x->readers; /* as above */
  if (!HD_MTTL_AT_ONCE || !f->ready)
    return false;
  for (uint32_t i = 0; i < n; i++)
    if (hd_mttl_left(f, &readers->parcels[i]))
    {
      hd_mttl_restamp(&readers->parcels[i], &f->parcel);
      return true;
    }
  return false;
}
/* T has ended: alive is false, and TOKEN, if any, is released for whoever joins it. */
void hd_mttl_exits(hd_mttl_thread *t, hd_mttl_object *token);

void hd_mttl_location_copy(hd_mttl_location *x,
                           const hd_mttl_location *from); /* X is zero; part of FROM is on its own */
void hd_mttl_location_clear(hd_mttl_location *x);         /* memory is freed and used again: nothing is known there */
void hd_mttl_object_clear(hd_mttl_object *o);
void hd_mttl_baton_clear(hd_mttl_baton *b);
/* No events: O has what FROM has, or that too: for what fences do to earlier and later accesses. */
void hd_mttl_object_copy(hd_mttl_object *o, const hd_mttl_object *from);
void hd_mttl_object_join(const hd_mttl_monitor *m, hd_mttl_object *o, const hd_mttl_object *from);
/* The same, for T to acquire O later: what T knows already is left out. */
void hd_mttl_remember(hd_mttl_thread *t, hd_mttl_object *o, const hd_mttl_object *from);

/* For people: PROPERTY, which is false at T's present state, with the values of its parts. */
void hd_mttl_explain(hd_string *out, hd_mttl_thread *t, const hd_mttl_property *property);

/* One step of a schedule that shows it, as far as T knows: an event of a thread that the explanation speaks of. */
typedef struct hd_mttl_witness
{
  uint32_t thread;
  const hd_mttl_origin *origin; /* valid until T's next event */
} hd_mttl_witness;
/* Those that led to PROPERTY being false at T's present state, in an order that respects what comes after what; the
 * present event itself comes after all of them. Returns how many, at most MAX. */
size_t hd_mttl_witnesses(hd_mttl_thread *t, const hd_mttl_property *property, hd_mttl_witness *out, size_t max);
/* T's present event. */
const hd_mttl_event *hd_mttl_present(const hd_mttl_thread *t);

#endif
