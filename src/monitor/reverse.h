/* reverse.h: races that another order of critical sections shows. Private to src/monitor.
 *
 * Of two accesses the earlier one, FIRST, may stand in or behind a critical section that this run did before another
 * one of the same lock, which the later access, SECOND, needs. Then no sync-preserving execution has the two side by
 * side. But perhaps the thread of FIRST can be put off: all that SECOND needs is done first, and then what that thread
 * does from there up to FIRST. That is an execution of the program if
 *
 *   - the set of what SECOND needs is closed as for sync-preserving races (ideal.h), and contains neither of the two;
 *   - the events that are put off bring in nothing that is not in that set, or put off themselves;
 *   - each of their reads sees the write that it saw in the trace: if that is in the set no later write of the variable
 * is;
 *   - the locks that they acquire are free when the set is done.
 *
 * Events that are put off are accesses that are not atomic, acquisitions, releases, allocations (whose memory is
 * another one then, as it is in any run) and what neither gives nor takes anything; if there are others, or too many to
 * be remembered, nothing is said. */
#ifndef HD_MONITOR_REVERSE_H
#define HD_MONITOR_REVERSE_H

#include "monitor/ideal.h"

typedef struct reverse reverse;
HD_GIVE reverse *hd_monitor_reverse_new(void);
void hd_monitor_reverse_free(HD_TAKE reverse *r);

/* What THREAD does at POSITION. CELL: of cells.h; LOCK: as in the sections. */
void hd_monitor_reverse_read(reverse *r, uint32_t thread, uint32_t position, uint32_t cell);
void hd_monitor_reverse_write(reverse *r, uint32_t thread, uint32_t position, uint32_t cell, uint64_t number);
void hd_monitor_reverse_acquire(reverse *r, uint32_t thread, uint32_t position, uint32_t lock, bool shared);
void hd_monitor_reverse_release(reverse *r, uint32_t thread, uint32_t position, uint32_t lock, bool shared);
void hd_monitor_reverse_bar(reverse *r, uint32_t thread, uint32_t position); /* something that cannot be put off */
/* A cell is another variable from now on, or only a part of it. */
void hd_monitor_reverse_forget(reverse *r, uint32_t cell);

/* An access. */
typedef struct reverse_side
{
  uint32_t thread, position;
  const vector *v; /* what the thread had brought in before */
  uint32_t location;
} reverse_side;

/* Can FIRST's thread be put off from some position on, so that the two are side by side? Returns the set of what comes
 * before, with the events that are put off, and *FROM is the position of the first of these; NULL: no, or that is not
 * known. */
HD_GIVE ideal *hd_monitor_reverse_try(reverse *r, const section_table *all, reverse_side first, reverse_side second,
                                      uint32_t *from);

#endif
