/* property_feed.h: the state of judging a trace by properties; between property_trace.c and property_events.c. */
#ifndef HD_CLI_PROPERTY_FEED_H
#define HD_CLI_PROPERTY_FEED_H

#include "cli/property_trace.h"

enum
{
  HD_FEED_WORD = 8 /* bytes that a variable has whose target is a number */
};

typedef struct hd_feed_thread
{
  hd_mttl_thread *t;
  hd_mttl_object token;            /* for who joins it */
  hd_mttl_object released, loaded; /* at its last release fence; by its relaxed loads, for an acquire fence */
  uint64_t blocks;                 /* that have begun */
  unsigned generation;             /* of the barrier at which it arrived */
} hd_feed_thread;

typedef struct hd_feed_barrier
{
  uint64_t generation, arrived;
  bool left;
  hd_mttl_object now[2]; /* of this generation and the one before, by their last bit */
} hd_feed_barrier;

typedef struct hd_feed
{
  hd_property_run *run;
  const hd_mttl_file *f;
  const hd_trace_names *names;
  hd_mttl_monitor *m;
  const hd_trace_event *e; /* the present one */
  int64_t atomic;          /* the local of that name, or -1 */
  bool *met;               /* by variable: it was accessed */
  bool nameless;           /* something was accessed that the trace has no name for */
  hd_feed_thread *threads; /* by number in the trace */
  size_t nthreads, threads_cap;
  uint32_t *trace_thread; /* by number in the monitor */
  size_t nnumbers, numbers_cap;
  hd_trace_ids byte_ids, variable_ids, lock_ids, atomic_ids, object_ids;
  uint64_t *byte_keys; /* by number */
  size_t nkeys, keys_cap;
  hd_mttl_location **bytes, **variables, **locks;
  size_t nbytes, bytes_cap, nvariables, variables_cap, nlocks, locks_cap;
  hd_mttl_object *atomics, *objects;
  size_t natomics, atomics_cap, nobjects, objects_cap;
  hd_feed_barrier *barriers; /* by number among the objects */
  size_t nbarriers, barriers_cap;
  hd_mttl_location **touched;
  size_t ntouched, touched_cap;
} hd_feed;

/* Of the location of a variable whose target is a number. */
#define HD_FEED_NUMBER (1ull << 63)

void hd_feed_take(hd_feed *f, const hd_trace_event *e);

#endif
