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
} hd_mttl_table;

struct hd_mttl_monitor
{
  const hd_mttl_file *f;
  hd_mttl_report *report;
  hd_mttl_print_location *print_location; /* NULL: as a number */
  void *context;
  atomic_uint nthreads;
  hd_mttl_value *start; /* of every variable */
  uint32_t *shared_of;  /* of a variable: its number among the tracked ones */
  size_t nshared;
  hd_mttl_value *before;  /* of every cell, before anything happened: nobody is known, whoever it is */
  uint32_t *items;        /* cells, by number among the items */
  atomic_uint *named;     /* by name: thread + 1; 0: none yet */
  atomic_uint nnamed;     /* how often that has changed */
  bool plain;             /* every event is judged, also where nothing can change */
  bool uses_op, uses_loc; /* what formulas see of an event, ... */
  bool *flagged;          /* ... and which variables they ask for read() or write() of */
};

struct hd_mttl_thread
{
  hd_mttl_monitor *m;
  uint32_t number;
  bool alive;
  hd_mttl_value *locals;         /* by variable */
  hd_mttl_knowledge *k;          /* what it knows; nobody else has it while FRESH */
  bool fresh;                    /* K has changed since it was passed on */
  uint32_t radix;                /* of the tables: threads that parameters range over, and 1 */
  hd_mttl_table *tables;         /* by cell */
  hd_mttl_event event;           /* that led to the present state */
  bool quiet;                    /* the last judgement left every bit as it was, and no property was false */
  bool news;                     /* something that formulas ask for has changed since */
  uint32_t names;                /* NNAMED then */
  uint32_t slots[HD_MTTL_SLOTS]; /* who stands for a thread variable: thread + 1; 0: nobody that is known */
};

/* The value of N at T's present state; or, T being NULL, before anything happened. */
hd_mttl_value hd_mttl_evaluate(const hd_mttl_monitor *m, hd_mttl_thread *t, const hd_mttl_node *n, uint32_t *slots);
/* K is about to change: make it T's alone, and the next one. */
void hd_mttl_own(hd_mttl_thread *t);
/* Every cell of T at its new state, the bits, T's entry, and reports. */
void hd_mttl_step(hd_mttl_thread *t);

#endif
