/* mttlref.h: small random executions, random formulas, and what the formulas are by the definition: the order of the
 * events is closed by brute force, and a formula is evaluated at a state by looking at all states that it speaks of.
 * Shares nothing with src/mttl, which gets the formulas as text. */
#ifndef TEST_MTTLREF_H
#define TEST_MTTLREF_H

#include "mttl/mttl.h"

enum
{
  REF_EVENTS = 32, /* bits of a mask */
  REF_THREADS = 5,
  REF_LOCATIONS = 3, /* x0, x1 are of type int, x2 is of type bool */
  REF_OBJECTS = 2,   /* m0, m1 */
  REF_LOCALS = 2,    /* int a, bool b */
  REF_FUNCTIONS = 2, /* f0, f1 */
  REF_PROPERTIES = 4,
  REF_VARIABLES = 5, /* thread variables of a property */
  REF_NODES = 600,
};

typedef enum ref_kind
{
  REF_INTERNAL, /* TARGET: the local that gets VALUE */
  REF_ENTER,    /* TARGET: the function */
  REF_READ,     /* TARGET: the location */
  REF_WRITE,
  REF_RELEASE, /* TARGET: the object */
  REF_REPLACE,
  REF_ACQUIRE,
  REF_CREATE, /* TARGET: the thread; its START follows at once */
  REF_START,
  REF_EXIT,
  REF_JOIN,
} ref_kind;

typedef struct ref_value
{
  bool undefined;
  int64_t number; /* of a location: its number, or -1 */
} ref_value;

typedef struct ref_event
{
  ref_kind kind;
  uint32_t thread, target;
  ref_value value;
} ref_event;

typedef struct ref_trace
{
  uint32_t nthreads, from_start; /* the others are created */
  int64_t shared[REF_LOCATIONS], local[REF_LOCALS];
  uint32_t size[REF_LOCATIONS]; /* bytes from 8 times the number on: 8, or 16, which overlaps the next one */
  size_t n;
  ref_event events[REF_EVENTS];
} ref_trace;

typedef enum ref_op
{
  /* conditions */
  REF_TRUE,
  REF_FALSE,
  REF_NOT,
  REF_AND,
  REF_OR,
  REF_IMPLIES,
  REF_IFF,
  REF_PREV,
  REF_ONCE,
  REF_ALWAYS,
  REF_SINCE,
  REF_FORALL, /* INDEX: the variable; WHO: the one that is left out, -1: none */
  REF_EXISTS,
  REF_AT_FORMULA, /* WHO */
  REF_READS,      /* INDEX: the location */
  REF_WRITES,
  REF_LOCKS, /* INDEX: the object */
  REF_UNLOCKS,
  REF_ENTERS,
  REF_LIVES,
  REF_LOCAL_BOOL,
  REF_SHARED_BOOL,
  REF_EQ, /* of numbers */
  REF_NE,
  REF_LT,
  REF_LE,
  REF_GT,
  REF_GE,
  REF_BOOL_EQ,
  REF_BOOL_NE,
  REF_LOC_EQ,
  REF_LOC_NE,
  /* numbers */
  REF_NUMBER, /* INDEX */
  REF_LOCAL_INT,
  REF_SHARED_INT, /* INDEX: the location */
  REF_EVENT_OP,
  REF_ADD,
  REF_SUB,
  REF_MUL,
  REF_DIV,
  REF_REM,
  REF_NEG,
  REF_AT_NUMBER, /* WHO */
  /* locations */
  REF_LOC,
  REF_AT_LOC, /* WHO */
} ref_op;

typedef struct ref_node
{
  ref_op op;
  int index;
  int who; /* a variable; 100 and more: thread number WHO - 100 */
  const struct ref_node *a, *b;
} ref_node;

typedef struct ref_file
{
  size_t nproperties;
  int owner[REF_PROPERTIES]; /* as in WHO; 0: forall */
  const ref_node *body[REF_PROPERTIES];
  size_t nnodes;
  ref_node nodes[REF_PROPERTIES * REF_NODES];
  bool names; /* threads from the start have names in the text */
} ref_file;

/* ---- make.c, print.c ---- */

void ref_make_trace(ref_trace *t, uint64_t *seed);
void ref_make_file(ref_file *f, const ref_trace *t, uint64_t *seed);
void ref_print_trace(hd_string *out, const ref_trace *t);
void ref_print_file(hd_string *out, const ref_file *f, const ref_trace *t);

/* ---- judge.c: the definition ---- */

typedef struct ref_order
{
  uint32_t past[REF_EVENTS]; /* of an event: it and what comes before it, one bit each */
  uint32_t count[REF_THREADS];
  uint32_t event[REF_THREADS][REF_EVENTS]; /* the K-th event of a thread, from 0 */
} ref_order;

void ref_make_order(ref_order *o, const ref_trace *t);
/* FORMULA at the state of THREAD after its first K events; WHO stands for each thread variable. */
ref_value ref_judge(const ref_trace *t, const ref_order *o, const ref_node *formula, uint32_t thread, uint32_t k,
                    uint32_t *who);
/* A random execution of the same order. */
void ref_reorder(ref_trace *out, const ref_trace *t, const ref_order *o, uint64_t *seed);

/* ---- feed.c: through src/mttl ---- */

typedef struct ref_verdicts
{
  uint8_t broken[REF_THREADS][REF_EVENTS]; /* at the K-th event of a thread: properties that are false, one bit each */
} ref_verdicts;

void ref_expect(ref_verdicts *v, const ref_trace *t, const ref_order *o, const ref_file *f);
/* PLAIN: every event is judged, also where it can change nothing. */
void ref_feed(ref_verdicts *v, const ref_trace *t, const hd_mttl_file *f, bool plain, bool explain);

#endif
