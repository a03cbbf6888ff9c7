/* writer.h: what the files of the writer share. The writer is the library inside the program that is checked.
 *
 *   writer_start.c   start, stop, environment, exit, fork
 *   writer_chunk.c   the file: segments and chunks
 *   writer_helper.c  the thread that prepares segments ahead and seals full chunks
 *   writer_table.c   sites, objects, threads: the log's tables
 *   writer_thread.c  a thread's buffer: attach, take room, refill, end
 *   writer_stamp.c   stamps that the inline path leaves to us
 *   writer_event.c   what each macro does when the inline path (heddle/fast.h) does not apply
 *
 * Ground rules: nothing here calls exit, prints (but for HEDDLE_VERBOSE) or calls malloc. Two locks, in this order:
 * hd_writer_lock (tables, threads, start and stop) and hd_writer.grow_lock (segments). Both are held with all signals
 * blocked, since a handler may log. Whoever logs takes neither as long as its chunk has room.
 *
 * A log is never unmapped where a thread may still write: threads that log while another one stops the log, or while
 * the program exits, write into memory that exists and is read by nobody. */
#ifndef HD_LOG_WRITER_H
#define HD_LOG_WRITER_H

#include <heddle/heddle.h>

#include <pthread.h>
#include <signal.h>

#include "log/format.h"

#define HD_SEGMENT_UNITS 64u
#define HD_SEGMENT_SIZE ((size_t) HD_SEGMENT_UNITS * HD_LOG_UNIT)
#define HD_SEGMENTS (1u << 18) /* 1 TiB */

/* Room that is kept behind the last record of a chunk: long stamps (one for the last record, and one for each macro
 * that was interrupted by the handler that wrote the last record), the end of the thread, the begin of the next thread
 * that is given the chunk, and the link to the next chunk. */
#define HD_CHUNK_STAMPS (4 * 16)
#define HD_CHUNK_SLACK (HD_CHUNK_STAMPS + 16 + 24 + 16)

#define HD_LIKELY_(e) __builtin_expect(!!(e), 1)
#define HD_UNLIKELY_(e) __builtin_expect(!!(e), 0)

typedef struct hd_segment
{
  char *base;       /* atomic; NULL: not mapped */
  uint64_t retired; /* atomic, a bit for each unit: its chunk is full */
  uint64_t sealed;  /* helper only */
} hd_segment;

/* One log. Made by hd_start and never freed: threads may hold it. */
typedef struct hd_writer
{
  hd_log_header *header;
  int fd;
  uint32_t number;      /* of this log among those of the process, from 1; hd_object.log */
  uint32_t policy;      /* atomic; becomes spill when the reader dies */
  uint32_t limit_units; /* 0: none */
  uint32_t ahead_units;
  bool recycle; /* a reader gives units back: nothing is sealed or unmapped */

  uint64_t next;  /* atomic: next unit that was never handed out; HD_WRITER_CLOSED */
  uint32_t ready; /* atomic: units below this are mapped and on the disk; a multiple of HD_SEGMENT_UNITS */
  uint32_t full;  /* atomic: the file cannot grow */
  hd_segment *segments;
  pthread_mutex_t grow_lock;
  uint32_t moving; /* atomic: threads that are just going on in another chunk */
  uint32_t left;   /* atomic: chunks left by their threads so far */
  uint32_t nspare; /* atomic; with grow_lock: units skipped by a chunk of several units */
  uint32_t spare[HD_SEGMENT_UNITS];

  /* Tables, under hd_writer_lock. */
  hd_chunk_header *table, *clocks;
  size_t table_used; /* bytes of payload */
  uint32_t table_unit;
  uint32_t clocks_used; /* slots */
  uint32_t clocks_unit;
  uint32_t nobjects, nthreads;

  pthread_t helper;
  bool has_helper;
  uint32_t wake;     /* futex: the helper has something to do */
  uint32_t sleeping; /* atomic: it waits on the futex */
  uint32_t stop;     /* atomic */
  char path[4096];   /* of the file, for hd_path */
  uint32_t idle;     /* atomic: the value of WAKE at which it found nothing to do, plus one */
} hd_writer;

#define HD_WRITER_CLOSED (1ull << 63)

/* The chunk that a thread writes. */
typedef struct hd_part
{
  char *begin; /* NULL: none */
  char *limit; /* records end before this; HD_CHUNK_SLACK bytes follow */
  uint32_t unit;
} hd_part;

/* A thread that logs. Lives on after the thread, for the next one, which then goes on in the same chunk. */
typedef struct hd_thread
{
  struct hd_thread *next, **previous; /* list of attached threads, or free list */
  hd_local *local;
  hd_writer *log;
  uint32_t log_number;
  uint32_t number; /* of the thread in the log, from 1 */
  uint32_t ordinal;
  uint64_t tid;
  hd_part part;
  hd_part left; /* the chunk before: a macro that was interrupted may still finish a record there */
  hd_part
      old; /* no room could be had: the last chunk waits for its link. Of an ended thread: the next one goes on there */
  char *tail;    /* ... at this place */
  uint32_t owed; /* operations on top of the reader's stack that ended unlogged */
  uint32_t deep; /* operations above HD_MAX_DEPTH */
  hd_open stack[1 + HD_MAX_DEPTH + 1];
} hd_thread;

/* ---- writer_start.c ---- */
extern uint32_t hd_writer_running;    /* atomic: number of the running log, 0: none */
extern uint64_t hd_writer_first_tick; /* for tests: where the clocks of new objects start */
void hd_writer_block(sigset_t *old);
void hd_writer_unblock(const sigset_t *old);
void hd_writer_lock(sigset_t *old);
void hd_writer_unlock(const sigset_t *old);
hd_writer *hd_writer_current(void); /* under the lock; NULL: none */
void hd_writer_start_pending(void); /* in a forked process: start its own log now, if it is to have one */
uint32_t hd_writer_tid(void);

/* ---- writer_chunk.c ---- */
/* Map segment 0 of a new file. False: errno. */
bool hd_writer_first_segment(hd_writer *w);
/* At least UNITS units shall be ready. POPULATE: bring the pages in. False: the file cannot grow. */
bool hd_writer_grow(hd_writer *w, uint64_t units, bool populate);
typedef enum hd_take_result
{
  HD_TAKEN,
  HD_NO_ROOM,
  HD_WAIT /* the limit is reached and a reader may give units back */
} hd_take_result;
/* A chunk of UNITS units, zero but for its header. *UNIT: where it is. */
hd_take_result hd_writer_take(hd_writer *w, uint32_t kind, uint32_t units, hd_chunk_header **chunk, uint32_t *unit);
/* No more records will be begun in the chunk at UNIT. */
void hd_writer_retire(hd_writer *w, uint32_t unit);
/* Wait, at most 100 ms, until the reader gives something back. */
void hd_writer_wait_reader(hd_writer *w);

/* ---- writer_helper.c ---- */
bool hd_writer_helper_start(hd_writer *w);
void hd_writer_helper_stop(hd_writer *w);
void hd_writer_helper_wake(hd_writer *w);
void hd_writer_helper_wait(hd_writer *w); /* for benches: until everything that is to be kept ready is */
/* Seal every retired chunk whose records are all finished. By the helper, or when it has ended. */
void hd_writer_seal(hd_writer *w);
/* The first byte after the records at P. FINISHED: stop at a record without a stamp. */
char *hd_writer_skip(char *p, const char *end, bool finished);

/* ---- writer_table.c; under the lock ---- */
bool hd_writer_table_site(hd_writer *w, uint32_t id);
bool hd_writer_table_thread(hd_writer *w, const hd_thread *t, const char *name);
bool hd_writer_tables_begin(hd_writer *w); /* object 0, and the sites that are known already */
/* The header of SITE's records; registers it if need be. 0: there are too many sites. Takes the lock. */
uint32_t hd_writer_site(hd_site *site);
/* Types of the values of site ID, for the length of records. */
const uint8_t *hd_writer_site_types(uint32_t id);
size_t hd_writer_values_size(const uint8_t *types, const hd_value *values, uint32_t n);
char *hd_writer_put_values(char *p, const uint8_t *types, const hd_value *values, uint32_t n);

/* ---- writer_thread.c ---- */
extern hd_open hd_writer_off[2];   /* where hd_local.top points while a thread does not log */
void hd_writer_threads_init(void); /* the key whose destructor ends a thread */
void
hd_writer_threads_stop(hd_writer *w); /* under the lock: no thread shall log any more; gives back what can be sealed */
void hd_writer_threads_fork(void);    /* in the child */
hd_thread *hd_writer_attach(void);    /* this thread, in the running log; NULL: none runs */
/* Room for a record of SIZE bytes, or NULL. */
char *hd_writer_reserve(hd_thread *t, size_t size);
/* A record without a stamp: SIZE is 8, 16 or 24. */
void hd_writer_put(char *p, uint32_t header, uint64_t first, uint64_t second, size_t size);

#endif
