/* monitor.h: what a trace says about races, atomic blocks and deadlocks.
 *
 * Four analyses, each of which is fed the events of a trace one after the other (src/trace; checked by hd_trace_check,
 * and without what that leaves out) and calls back when it finds something. All take time linear in the events, times
 * the threads at worst. They keep what their answer needs of the past, not the events.
 *
 *   hb        happens-before races: pairs that this execution left unordered
 *   predict   pairs that another execution, which this one proves possible, has side by side: all that a
 *             sync-preserving one has, and some that need another order of critical sections
 *   atomic    blocks that no serial order explains
 *   deadlock  cycles in which threads may wait for each other's locks
 *
 * A handle is used by one thread at a time. docs/monitor.md has the definitions. */
#ifndef HD_MONITOR_H
#define HD_MONITOR_H

#include "trace/trace.h"

/* One event as findings show it. */
typedef struct hd_monitor_place
{
  uint64_t number;
  uint32_t thread, location, stack;
  uint8_t kind; /* hd_trace_kind */
} hd_monitor_place;

static inline hd_monitor_place
hd_monitor_place_of(const hd_trace_event *e)
{
  return (hd_monitor_place){e->number, e->thread, e->location, e->stack, e->kind};
}

/* ---- races ---- */

/* SECOND is the racy event, the later one. FIRST is an earlier access that conflicts with it and is not ordered before
 * it; there may be others, but for happens-before races one of each thread that has any at its latest. */
typedef struct hd_monitor_race
{
  hd_monitor_place first, second;
  uint64_t target; /* of the second */
  uint32_t size;
  bool predicted;
  /* Predicted: the reordering. Of thread T the first PREFIX[T] events (of those that were fed), for T < NTHREADS, in
   * the order of the trace, and then FIRST and SECOND, is an execution of the program. Valid during the call.
   * PUT_OFF is not 0: those of FIRST's thread from this one on, counted from 1, come after all others. */
  const uint32_t *prefix;
  size_t nthreads;
  uint32_t put_off;
} hd_monitor_race;

typedef struct hd_monitor_race_sink
{
  void *context;
  void (*race)(void *context, const hd_monitor_race *r); /* all races of one event come one after the other */
} hd_monitor_race_sink;

typedef struct hd_monitor_hb hd_monitor_hb;
HD_GIVE hd_monitor_hb *hd_monitor_hb_new(hd_monitor_race_sink sink);
void hd_monitor_hb_event(hd_monitor_hb *m, const hd_trace_event *e);
void hd_monitor_hb_finish(HD_TAKE hd_monitor_hb *m);

typedef struct hd_monitor_predict hd_monitor_predict;
/* PUTS_OFF: also those for which a thread must be put off; else the sync-preserving ones alone. */
HD_GIVE hd_monitor_predict *hd_monitor_predict_new(hd_monitor_race_sink sink, bool puts_off);
void hd_monitor_predict_event(hd_monitor_predict *m, const hd_trace_event *e);
void hd_monitor_predict_finish(HD_TAKE hd_monitor_predict *m);

/* ---- atomic blocks ---- */

/* A cycle closed: BLOCK, which began at BEGIN, comes before and after OTHER, an event of another thread. Mostly the
 * cycle lies in the events from WINDOW to AT, with which it became known; if not, because a block of it had ended
 * before BEGIN, in those from WHOLE on, which may be many more. */
typedef struct hd_monitor_unserial
{
  hd_monitor_place begin, at, other;
  uint64_t window, whole;
} hd_monitor_unserial;

typedef struct hd_monitor_unserial_sink
{
  void *context;
  void (*unserial)(void *context, const hd_monitor_unserial *u); /* once for each block at most */
} hd_monitor_unserial_sink;

typedef struct hd_monitor_atomic hd_monitor_atomic;
HD_GIVE hd_monitor_atomic *hd_monitor_atomic_new(hd_monitor_unserial_sink sink);
void hd_monitor_atomic_event(hd_monitor_atomic *m, const hd_trace_event *e);
/* Blocks that are open end here. */
void hd_monitor_atomic_finish(HD_TAKE hd_monitor_atomic *m);

/* A step of a cycle of blocks: FROM, of one block, comes before TO, of the next, because of what they share; BEGIN is
 * where the block of FROM began (number 0: FROM stands alone). */
typedef struct hd_monitor_step
{
  hd_trace_event begin, from, to;
} hd_monitor_step;
/* The shortest cycle through the block that BEGIN began among the N events of a window. Returns how many steps it has,
 * 0: there is none; *STEPS is then NULL. */
size_t hd_monitor_cycle(const hd_trace_event *window, size_t n, uint64_t begin, HD_GIVE hd_monitor_step **steps);

/* ---- deadlocks ---- */

/* One thread of a cycle: it acquires WANTED at AT while it holds HELD, which it took at HELD_AT; the next one wants
 * that. */
typedef struct hd_monitor_wait
{
  hd_monitor_place at, held_at;
  uint64_t wanted, held;
} hd_monitor_wait;

typedef struct hd_monitor_deadlock_sink
{
  void *context;
  void (*deadlock)(void *context, const hd_monitor_wait *waits, size_t n);
} hd_monitor_deadlock_sink;

typedef struct hd_monitor_deadlock hd_monitor_deadlock;
HD_GIVE hd_monitor_deadlock *hd_monitor_deadlock_new(hd_monitor_deadlock_sink sink);
void hd_monitor_deadlock_event(hd_monitor_deadlock *m, const hd_trace_event *e);
/* Looks for cycles. False: there are so many ways round that not all were tried. */
bool hd_monitor_deadlock_finish(HD_TAKE hd_monitor_deadlock *m);

/* ---- everything at once, on a trace that can be read twice ---- */

typedef struct hd_monitor_options
{
  bool race, predict, atomic, deadlock;
  bool puts_off;                       /* of predict: see there */
  const hd_suppressions *suppressions; /* of kinds race, race_top, atomic and deadlock; may be NULL */
  bool keep_events;                    /* the numbers of all racy events */
  const char *notes;                   /* sentences, a line each, that reports show as well; may be NULL */
  void *context;
  bool (*go_on)(void *context, uint64_t events); /* now and then; false: stop. NULL: never */
} hd_monitor_options;

typedef struct hd_monitor_findings hd_monitor_findings;
/* Never NULL. Keeps T. */
HD_GIVE hd_monitor_findings *hd_monitor_run(HD_KEEP hd_trace *t, const hd_monitor_options *options);
void hd_monitor_findings_free(HD_TAKE hd_monitor_findings *f);
hd_verdict hd_monitor_verdict(const hd_monitor_findings *f);
/* Not NULL: the trace is malformed; with its place. */
const char *hd_monitor_error(const hd_monitor_findings *f);
/* For people. VERBOSE: everything, else the first of each. QUIET: findings alone. */
void hd_monitor_print_text(hd_string *out, const hd_monitor_findings *f, bool verbose, bool quiet);
void hd_monitor_print_json(hd_string *out, const hd_monitor_findings *f, const char *path, double seconds);
void hd_monitor_print_sarif(hd_string *out, const hd_monitor_findings *f);
/* `hb hb_vars syncp atomic` in one line: yes or no, variables, yes or no, yes or no (yes: serialisable). */
void hd_monitor_print_verdicts(hd_string *out, const hd_monitor_findings *f);

#endif
