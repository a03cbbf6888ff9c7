/* trace.h: an execution as a sequence of log records in real time, stamped by the rules of the commit clock.
 *
 * Generators call record_... at the moment at which a thread looks at the clock or ticks it; the stamps follow the
 * table "who ticks, who looks" and nothing else. The order of the records is the real time that the stamps stand for.
 */
#ifndef ORACLE_TRACE_H
#define ORACLE_TRACE_H

#include "log/log.h"
#include "model.h"

enum
{
  TRACE_RECORDS = 512,
  TRACE_THREADS = 5, /* numbers 1 .. 4 */
  TRACE_DEPTH = 4,
};

typedef struct trace_record
{
  uint8_t kind; /* enum hd_kind */
  uint8_t thread;
  uint8_t method; /* of calls and internal tasks */
  bool ticked, stamped;
  uint32_t stamp;
  uint8_t nvalues;
  hd_value values[3];
} trace_record;

/* What a thread knows of its innermost open operation or internal task. */
typedef struct trace_frame
{
  bool internal, nocommit, window, committed, block, block_committed;
} trace_frame;

typedef struct trace
{
  const model *model;
  model_kind kind;
  uint64_t seed; /* to make it again */
  const char *family;
  bool outcomes; /* the specification offers outcomes() */
  bool views;
  bool right; /* made by a right implementation with right annotations */
  size_t n;
  uint32_t ticks;
  unsigned open; /* windows */
  unsigned depth[TRACE_THREADS];
  trace_frame frame[TRACE_THREADS][TRACE_DEPTH];
  trace_record record[TRACE_RECORDS];
} trace;

void trace_start(trace *t, model_kind kind, bool views);

void record_call(trace *t, unsigned thread, unsigned method, const hd_value *args, bool nocommit);
void record_return(trace *t, unsigned thread, model_return ret);
/* The same by a thread that saw an open window when it looked, although none may be open by now; or in a log that was
 * made of a history, where every return ticks. */
void record_return_tick(trace *t, unsigned thread, model_return ret);
void record_window(trace *t, unsigned thread);
void record_commit(trace *t, unsigned thread);
void record_commit_return(trace *t, unsigned thread, model_return ret);
void record_block_begin(trace *t, unsigned thread);
void record_block_end(trace *t, unsigned thread);
void record_write(trace *t, unsigned thread, unsigned var, int64_t value);
void record_write_old(trace *t, unsigned thread, unsigned var, int64_t value, int64_t old);
void record_internal_begin(trace *t, unsigned thread);
void record_internal_end(trace *t, unsigned thread);
void record_abandon(trace *t, unsigned thread);
void record_misuse(trace *t, unsigned thread, unsigned what);
void record_object_end(trace *t, unsigned thread);

/* The innermost open operation of THREAD, or null. */
trace_frame *trace_top(trace *t, unsigned thread);
/* Keep the first N records, as if the log had been cut then. */
void trace_cut(trace *t, size_t n);
/* In a form for people. */
void trace_print(const trace *t);

/* ---- generators ---- */

/* Random operations with random annotations and positions, without an implementation. */
void random_log(trace *t, uint64_t seed);
/* The same with writes and blocks that do not protect their variables, and old values. */
void random_unprotected(trace *t, uint64_t seed);

#endif
