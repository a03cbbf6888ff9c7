/* ideal.h: sets of events that can be executed alone, in the order of the trace: prefixes of the threads' sequences
 * that are closed under what prediction needs. Private to src/monitor. */
#ifndef HD_MONITOR_IDEAL_H
#define HD_MONITOR_IDEAL_H

#include "monitor/vector.h"
#include "trace/trace.h"

/* A critical section. The first event of a thread is at position 1. */
typedef struct section
{
  uint64_t number; /* of the event that acquires, in the trace */
  uint32_t position, lock;
  uint32_t released; /* position of the release; 0: it is still open */
  bool shared;
  vector *v; /* what the release brings in */
} section;

/* Of one thread, in its order. */
typedef struct sections
{
  section *items;
  size_t n, cap;
} sections;

typedef struct section_table
{
  sections *threads;
  size_t n, cap;
} section_table;

typedef struct ideal ideal;
HD_GIVE ideal *hd_monitor_ideal_new(void);
void hd_monitor_ideal_free(HD_TAKE ideal *i);
/* Add what V brings in, and the first POSITION events of THREAD. */
void hd_monitor_ideal_add(ideal *i, const vector *v, uint32_t thread, uint32_t position);
/* Add what the locks need: of two sections on a lock of which one is exclusive, the earlier must be over. */
void hd_monitor_ideal_close(ideal *i, const section_table *all);
/* How many events of each thread are in it. */
const uint32_t *hd_monitor_ideal_prefix(const ideal *i, size_t *nthreads);
/* How many sections were looked at for it. */
uint64_t hd_monitor_ideal_looked(const ideal *i);
static inline uint32_t
ideal_position(const ideal *i, uint32_t thread)
{
  size_t n;
  const uint32_t *prefix = hd_monitor_ideal_prefix(i, &n);
  return thread < n ? prefix[thread] : 0;
}

#endif
