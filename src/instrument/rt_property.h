/* rt_property.h: what the files of the monitor of properties share: the client (rt_client.h) that judges a program by
 * MTTL (src/mttl) while it runs.
 *
 *   rt_property.c          events of the program become events of the monitors
 *   rt_property_rules.c    calls of functions that rules and formulas name
 *   rt_property_memory.c   which memory is watched, and what its variables are worth
 *   rt_property_objects.c  locks, semaphores, atomics and so on
 *   rt_property_setup.c    the settings that the command sends
 *   rt_property_internal.c <heddle/monitor.h>: what the program itself says
 *   rt_property_report.c   what is violated goes to the command; then the action
 *   rt_property_heap.c     memory for all that
 *
 * Nothing is global: a thread computes its own formulas; knowledge moves through locations and objects, each under a
 * lock of its own, which nobody holds while waiting for another. The one list that all share is that of strings, where
 * a value that is a string is looked up. There is a monitor for each property file; the files do not know each other.
 */
#ifndef HD_RT_PROPERTY_H
#define HD_RT_PROPERTY_H

#include "instrument/rt_property_base.h"

#include "instrument/rt_client.h"
#include "instrument/rt_core.h"
#include "mttl/mttl.h"

#pragma GCC visibility push(hidden)

enum
{
  HD_RT_FILES = 16,     /* of properties */
  HD_RT_MARKS = 32,     /* calls of hd_internal that a thread remembers, at most: a power of two */
  HD_RT_OPEN = 64,      /* calls of functions that rules name, within each other */
  HD_RT_VIOLATIONS = 8, /* at one event */
  HD_RT_LINE = 64       /* bytes of memory under one lock, when all is watched */
};

/* A place of the program: data or code. */
typedef struct hd_rt_area
{
  uintptr_t low, high;
  uint32_t file, index; /* what it is: by the list that it is in */
} hd_rt_area;

/* A shared variable. */
typedef struct hd_rt_watch
{
  hd_rt_area area;
  char kind;              /* of value: 'i' signed, 'u' unsigned, 'b' a truth value, 'f' floating, 'c' characters, 's' a
                             pointer to them */
  uint32_t bits, from;    /* of a bit-field, how many, from which on; 0: it is none */
  bool tracked;           /* its value is asked for */
  bool whole;             /* it is an aligned integer of 8 bytes */
  bool mute;              /* formulas see nothing of its accesses */
  bool alone;             /* nothing else is watched in its granules */
  bool simple;            /* both, and it is not watched because all memory is */
  hd_rt_lock lock;        /* of what follows */
  hd_mttl_location place; /* what is known there */
  hd_mttl_value last;     /* tracked: what was written last */
  uint64_t unseen;        /* ... how often it was something else when it was read */
} hd_rt_watch;

typedef struct hd_rt_file
{
  hd_mttl_file *f;
  hd_mttl_monitor *m;
  uint64_t *count; /* by property: how often it was violated */
  uint32_t *ids;   /* of threads, by their numbers in the monitor */
} hd_rt_file;

/* What the rules of a file order. */
typedef struct hd_rt_order
{
  uint32_t file;
  const hd_mttl_rule **rules;
  size_t nrules, rules_cap;
} hd_rt_order;

/* What a piece of the program's code means. */
typedef struct hd_rt_meaning
{
  uint32_t *entered;          /* functions that at() names: in the list of them all */
  hd_rt_order *enter, *leave; /* what is to be done when it is entered, left */
  size_t nentered, nenter, nleave;
  hd_rt_order again; /* left and entered, if there is nothing else to do then, and that in one file; else of no rules */
} hd_rt_meaning;

/* What the command sent. Read-only once the program runs, but for locks and what they guard. */
typedef struct hd_rt_properties
{
  hd_rt_file files[HD_RT_FILES];
  uint32_t nfiles;
  bool everything;      /* some file watches all memory */
  hd_rt_watch *watches; /* by address */
  size_t nwatches, watches_cap;
  hd_rt_area *locks, *functions, *rules, *starts, *calls; /* INDEX: in the lists of the file */
  size_t nlocks, locks_cap, nfunctions, functions_cap, nrules, rules_cap, nstarts, starts_cap, ncalls, calls_cap;
  bool named;              /* some file knows threads by their names */
  bool lock_rules;         /* some rule is about locks */
  bool attentive;          /* one of the two: no event may be passed over unseen */
  uintptr_t *bounds;       /* sorted: where functions that are named begin and end */
  size_t nbounds;          /* ... */
  hd_rt_meaning *meanings; /* of the code from each to the next one */
  bool *entered;           /* by FUNCTIONS: some thread came there */
  bool too_deep;           /* more calls were open than HD_RT_OPEN: their ends were not seen */
  bool ended;              /* the program, by us */
  bool nobody;             /* a function was to be called, and there was none */
  uint64_t wrong_types;    /* values that hd_internal gave to variables of another type */
  enum
  {
    HD_RT_AS_FILE, /* as each property says */
    HD_RT_CONTINUE,
    HD_RT_STOP,
    HD_RT_ABORT,
    HD_RT_CALL
  } action;
} hd_rt_properties;
extern hd_rt_properties hd_rt_all;

/* A write whose value is not known yet: the compiler's hook comes before it. */
typedef struct hd_rt_pending
{
  hd_rt_watch *watch;
  uintptr_t p; /* what is written */
  uint32_t n, nframes;
  uintptr_t frames[HD_MTTL_FRAMES]; /* then, innermost first */
} hd_rt_pending;

/* A property was false at an event of the thread: told when the event is over. */
typedef struct hd_rt_violation
{
  uint32_t file;
  const hd_mttl_property *property;
  uint32_t thread;
  hd_string text, reason; /* for the command, empty: it is not told again; for the program */
} hd_rt_violation;

/* A call of a function that a rule or formula names, and that is not over. */
typedef struct hd_rt_open
{
  uint32_t depth;
  const hd_rt_meaning *meaning;
  uintptr_t pc, from; /* in it, early; where it was called */
  uint64_t place;     /* for hd_mttl_follow; 0: it is not known */
} hd_rt_open;

/* A call of hd_internal that was made, with a name that means one variable, an integer. */
typedef struct hd_rt_mark
{
  uintptr_t pc; /* 0: none */
  uint32_t file, variable;
  uint64_t words[2], mask[2]; /* the name, its end included */
  uint64_t place;             /* for hd_mttl_internal_again, if the stack is this: */
  uint32_t depth;
  uintptr_t frames[HD_MTTL_FRAMES - 1]; /* innermost first */
} hd_rt_mark;

typedef struct hd_rt_knower
{
  hd_rt_thread *self;
  hd_mttl_thread *t[HD_RT_FILES];
  hd_mttl_object token[HD_RT_FILES];  /* for who joins it */
  hd_mttl_object fenced[HD_RT_FILES]; /* at its last release fence */
  hd_mttl_object loaded[HD_RT_FILES]; /* by relaxed loads, for an acquire fence */
  hd_rt_lock lock;                    /* of TOKEN */
  uintptr_t pc;                       /* of the present event */
  uint32_t generation;                /* of the barrier at which it arrived */
  char name[16];                      /* that the monitors know */
  uint32_t npending, pending_cap, nopen, nviolations;
  uint32_t innermost;         /* the depth of the last of the OPEN calls; 0: there is none */
  bool acting;                /* in a function that was called because of a violation */
  const hd_rt_pending *saved; /* the present event is this one: its stack is known from then */
  hd_rt_pending *pending;
  hd_rt_mark marks[HD_RT_MARKS];
  uint32_t nmarks; /* how many there were */
  hd_rt_open open[HD_RT_OPEN];
  hd_rt_violation violations[HD_RT_VIOLATIONS];
} hd_rt_knower;

/* Of the calling thread; NULL: it is not watched. */
extern __thread hd_rt_knower *hd_rt_me __attribute__((tls_model("initial-exec")));
hd_rt_knower *hd_rt_knower_get(uint32_t id);
/* The stack of the present event. Returns how many frames. */
uint32_t hd_rt_present_stack(uintptr_t *frames, uint32_t max);

void hd_rt_memory_settle(void); /* pending writes */
/* A thread's next event begins: it gets its name, and calls that are over are left. */
void hd_rt_event_catch_up(hd_rt_knower *me);
/* E is nothing but this, for people: DOING something to what is at P, of SIZE bytes. */
static inline void
hd_rt_event_of(hd_mttl_event *e, const char *doing, uintptr_t p, uint32_t size)
{
  /* Field by field: to build it and copy it then is slower than the rest of many events. */
  e->op = HD_MTTL_NONE;
  e->loc = p;
  e->size = size;
  e->variable = e->lock = e->function = e->set = -1;
  e->taken = false;
  e->value.type = HD_MTTL_UNDEFINED;
  e->doing = doing;
}

/* Has ME something to do before its next event? */
static inline bool
hd_rt_event_is_behind(const hd_rt_knower *me)
{
  return me->npending || me->innermost > hd_rt_client_depth() || hd_rt_all.named;
}

/* An event begins. False: nothing is watched here. */
static inline bool
hd_rt_event_begin(uintptr_t pc)
{
  hd_rt_knower *me = hd_rt_me;
  if (HD_RT_UNLIKELY(!me))
    return false;
  if (HD_RT_UNLIKELY(hd_rt_event_is_behind(me)))
  {
    hd_rt_memory_settle();
    me->pc = pc;
    hd_rt_event_catch_up(me);
  }
  me->pc = pc;
  return true;
}

/* An event is over. Whatever is not watched is passed over in the hooks, and so are mutexes that bring nothing, while
 * nothing that any other event would have to know is left to do. */
static inline void
hd_rt_event_end(void)
{
  const hd_rt_knower *me = hd_rt_me;
  bool pending = me && me->npending, swift = me && !pending && !hd_rt_all.attentive;
  for (uint32_t i = 0; swift && i < hd_rt_all.nfiles; i++)
    swift = hd_mttl_is_idle_at_once(me->t[i]);
  hd_rt_here.pair = pending || hd_rt_all.everything ? ~0ull : 0;
  hd_rt_here.swift = swift ? HD_RT_DEPTH - me->innermost : 0;
}

/* ---- rules ---- */

void hd_rt_rules_watch(void);                             /* the areas are complete */
void hd_rt_follow(hd_mttl_moment moment, uintptr_t p);    /* the rules of kind MOMENT for what is at P */
void hd_rt_rules_enter(uintptr_t pc, uintptr_t from);     /* a function (rt_client.h) */
void hd_rt_rules_call(void);                              /* the same */
void hd_rt_rules_leave(hd_rt_knower *me, uint32_t depth); /* calls that were open beyond DEPTH are over */

/* ---- memory ---- */

bool hd_rt_memory_watch(void); /* the watches are complete; false: there is no memory for them */
void hd_rt_memory_access(uintptr_t p, size_t n, bool write, uintptr_t pc); /* rt_client.h */
void hd_rt_memory_touch(uintptr_t p, size_t n, bool write, uintptr_t pc);  /* the same */
void hd_rt_memory_life(uintptr_t p, size_t n, bool begins);
hd_mttl_value hd_rt_watch_value(const hd_rt_watch *w);
/* The watches that N bytes from P on touch: the first, and the next one; NULL: there is none. */
hd_rt_watch *hd_rt_watch_find(uintptr_t p, size_t n, hd_rt_watch *after);
const char *hd_rt_text_keep(const char *text, size_t n); /* the same for the same text, for good */

/* ---- objects ---- */

bool hd_rt_objects_watch(void);
void hd_rt_objects_mutex(hd_rt_event event, uintptr_t p); /* LOCK, UNLOCK */
void hd_rt_objects_locked(uintptr_t p);                   /* rt_client.h */
void hd_rt_objects_unlock(uintptr_t p);
void hd_rt_objects_event(hd_rt_event event, uintptr_t p, uint32_t count);
void hd_rt_objects_atomic(hd_rt_atomic_kind kind, uintptr_t p, size_t n, int order);
void hd_rt_objects_fence(int order);
void hd_rt_objects_free(uintptr_t p, size_t n); /* the memory is gone, with all atomics in it */

/* ---- settings, variables of threads ---- */

bool hd_rt_setup_line(const char *line);
void hd_rt_setup_end(void); /* all have come */
void hd_rt_internal_number(const char *name, int64_t value, uintptr_t pc);

/* ---- reports ---- */

void hd_rt_report_violation(void *file, hd_mttl_thread *t, const hd_mttl_property *property);
void hd_rt_report_location(void *file, hd_string *out, uint64_t loc, uint32_t size);
void hd_rt_report_act(void);   /* tell what was violated at this event, and do what is to be done then */
void hd_rt_report_count(void); /* at the end */
void hd_rt_report_recovery(void *function, void *context); /* hd_on_violation */

#pragma GCC visibility pop

#endif
