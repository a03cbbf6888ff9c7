/* blocks.h: what transactions know of each other (atomic.c has the idea): threads, their open blocks, and stamps of
 * what a thread knew. Private to src/monitor. */
#ifndef HD_MONITOR_BLOCKS_H
#define HD_MONITOR_BLOCKS_H

#include "monitor/cells.h"
#include "monitor/monitor.h"

typedef struct snapshot snapshot;

typedef struct block
{
  uint32_t refs, thread;
  uint32_t begun, ended; /* versions of the thread; ENDED 0: open */
  snapshot *final;       /* what the thread knew at its end */
  hd_monitor_place begin;
  uint64_t window; /* where its cycles lie, see hd_monitor_unserial; */
  uint64_t whole;  /* ... */
  uint64_t reach;  /* the first arrival at barriers that are, or were, left while it is open */
  bool reported;
  uint32_t *subscribers; /* threads */
  size_t nsubscribers, subscribers_cap;
  struct block *before, *after; /* open blocks, in the order in which they began */
} block;

/* Shared until somebody changes it; NULL: nothing. */
struct snapshot
{
  uint32_t refs, n;
  block **pending; /* blocks that were open when they were learnt from */
  size_t npending, pending_cap;
  uint32_t *clock;
};

/* What a thread knew after an event. */
typedef struct stamp
{
  snapshot *s;
  block *block;             /* that was open; NULL: none */
  uint32_t thread, version; /* version 0: there is none */
  hd_monitor_place place;
} stamp;

typedef struct stamps
{
  stamp *items; /* one for each thread at most */
  size_t n, cap;
} stamps;

typedef struct cell
{
  stamp write;
  stamps reads; /* since */
} cell;

/* One generation of a barrier: who arrives, until all have. */
typedef struct gathering
{
  uint32_t refs, arrived;
  bool full;
  uint64_t first; /* the number of the first arrival */
  stamps stamps;
} gathering;

typedef struct sync
{
  stamp one;            /* the last exclusive release */
  stamps many;          /* shared releases, posts */
  gathering *gathering; /* a barrier's newest */
} sync;

typedef struct sync_table
{
  hd_trace_ids ids;
  sync *items;
  size_t n, cap;
} sync_table;

typedef struct atomic_thread
{
  snapshot *s;
  uint32_t version;
  bool changed; /* since the version was published */
  block *block;
  gathering *gathering; /* where it arrived last */
  bool acted;           /* it had an event */
  stamp start;          /* what started it */
  bool inside;          /* and has not left */
} atomic_thread;

struct hd_monitor_atomic
{
  hd_monitor_unserial_sink sink;
  cells *cells;
  cell *state;
  size_t state_cap;
  sync_table locks, objects;
  atomic_thread *threads;
  size_t nthreads, threads_cap;
  block *oldest, *newest; /* that are open */
  bool barriers;          /* there are some */
  size_t inside;          /* threads that are at one */
  block **queue;          /* to learn from, in one call of hd_monitor_blocks_learn */
  size_t nqueue, queue_cap;
  hd_monitor_place now;
};

atomic_thread *hd_monitor_blocks_thread(hd_monitor_atomic *m, uint32_t thread); /* until the next new thread */
/* What the thread knows now, as *K, in place of what was there; or in the list, in place of what it put there. */
void hd_monitor_blocks_publish(hd_monitor_atomic *m, uint32_t thread, stamp *k);
void hd_monitor_blocks_publish_into(hd_monitor_atomic *m, uint32_t thread, stamps *list);
/* The thread learns it. A block of it that is on a cycle now is reported. */
void hd_monitor_blocks_learn(hd_monitor_atomic *m, uint32_t thread, const stamp *k);
void hd_monitor_blocks_learn_all(hd_monitor_atomic *m, uint32_t thread, const stamps *list);
void hd_monitor_blocks_begin(hd_monitor_atomic *m, uint32_t thread);
void hd_monitor_blocks_end(hd_monitor_atomic *m, uint32_t thread);

stamp hd_monitor_stamp_copy(const stamp *k);
void hd_monitor_stamp_drop(stamp *k);
void hd_monitor_stamps_drop(stamps *list);
void hd_monitor_snapshot_drop(HD_TAKE snapshot *s);

#endif
