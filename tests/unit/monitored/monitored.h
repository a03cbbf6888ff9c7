/* monitored.h: small random traces, and slow, obvious judges of them that share nothing with src/monitor. */
#ifndef TEST_MONITORED_H
#define TEST_MONITORED_H

#include "trace/trace.h"

enum
{
  MOST_EVENTS = 48,
  MOST_THREADS = 5,
  MEMORY = 0x1000, /* addresses from here on are bits 0 .. 23 of a mask; variables by number are bits 32 .. */
};

typedef struct small_trace
{
  hd_trace_event events[MOST_EVENTS];
  size_t n;
} small_trace;

/* What may occur in it. */
typedef struct make_options
{
  unsigned threads, variables, locks, length;
  bool careful; /* mostly under locks */
  bool blocks;  /* atomic ones */
  bool more;    /* reader-writer locks, atomics, fences, semaphores, barriers, conditions */
  bool memory;  /* overlapping accesses, and memory that is freed and allocated */
} make_options;

void monitored_make(small_trace *t, const make_options *options, uint64_t *seed);
make_options monitored_options(uint64_t *seed, bool small);
void monitored_print(const small_trace *t, hd_string *out); /* in STD, to look at */

/* ---- judges ---- */

bool monitored_conflict(const small_trace *t, size_t i, size_t j); /* accesses of different threads */
/* Bit I of RACY: event I is in a happens-before race with an earlier one. */
uint64_t monitored_hb(const small_trace *t, bool (*ordered)[MOST_EVENTS][MOST_EVENTS]);
/* Sync-preserving races by the closure of docs/monitor.md. */
uint64_t monitored_closure(const small_trace *t);
/* The same by trying all reorderings. For small traces of RAPID's kinds. ANY_ORDER: also of the sections of a lock. */
uint64_t monitored_reorder(const small_trace *t, bool any_order);
/* NULL: the first PREFIX[T] events of each thread, in order, can be executed, and FIRST and SECOND (indices) are next.
 * PUT_OFF is not 0: those of FIRST's thread from this one on after all others. */
const char *monitored_validate(const small_trace *t, const uint32_t *prefix, size_t nthreads, size_t first,
                               size_t second, uint32_t put_off);
bool monitored_serialisable(const small_trace *t);
bool monitored_deadlock(const small_trace *t);

#endif
