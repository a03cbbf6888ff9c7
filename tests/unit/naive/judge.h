/* judge.h: cases become a log, each an object of it, and the log is judged as `heddle check` does it. */
#ifndef NAIVE_JUDGE_H
#define NAIVE_JUDGE_H

#include "naive/cases.h"

#include "refine/refine.h"

typedef struct naive_verdict
{
  hd_verdict verdict, first; /* after the second reading if there was one; after the first */
  hd_blame blame;
  char text[200]; /* the headline, or why it is incomplete */
} naive_verdict;

typedef struct naive_judging
{
  uint64_t max_configurations;
  bool diagnosis;
  bool in_earnest; /* what the second reading leaves open is searched without that limit */
  unsigned workers;
} naive_judging;

/* A folder for files; must be called first. */
void naive_judge_start(const char *folder);
void naive_judge_stop(void);
void naive_log_write(const naive_case *cases, size_t n);
/* The log that was written last: a verdict for each of its N cases. */
void naive_log_judge(const naive_judging *how, size_t n, naive_verdict *verdicts);

#endif
