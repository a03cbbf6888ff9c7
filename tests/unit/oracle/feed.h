/* feed.h: giving a trace to the checker under test, in many ways. */
#ifndef ORACLE_FEED_H
#define ORACLE_FEED_H

#include "trace.h"

#include "refine/refine.h"

typedef struct feed_plan
{
  hd_refine_options options;
  bool test;        /* the specification offers test() */
  bool orderly;     /* records arrive in real time, else in any order that keeps each thread's */
  uint64_t *random; /* arrival and frontiers; null: orderly, no frontier before the end */
} feed_plan;

typedef struct feed_result
{
  hd_verdict verdict;
  hd_finding_kind kind;
  hd_blame blame;
  uint64_t position;
  unsigned nfailing; /* operations that the finding names */
  uint32_t failing_thread;
  uint64_t failing_call; /* position */
  char headline[200];
  char incomplete[200];
  uint64_t view_comparisons, configurations_peak;
} feed_result;

/* A directory for files; must be called first. */
void feed_start(const char *directory);
void feed_stop(void);
/* Straight into the checker. */
feed_result feed_check(const trace *t, const feed_plan *plan);
/* Through a log file, built and read back. */
feed_result feed_check_file(const trace *t, const feed_plan *plan);

#endif
