/* process.h: inside src/smt: a program that answers on its standard output what it is asked on its standard input. */
#ifndef HD_SMT_PROCESS_H
#define HD_SMT_PROCESS_H

#include <sys/types.h>

#include "base/base.h"

typedef struct hd_smt_process
{
  pid_t pid; /* 0: it does not run */
  int input, output;
  hd_string heard; /* what it has printed and nobody has taken */
  hd_string to_say;
  size_t said;   /* bytes of to_say that are on their way */
  double worked; /* processor seconds of those that were killed here */
} hd_smt_process;

typedef enum hd_smt_hearing
{
  HD_SMT_HEARD, /* the mark has come: HEARD has everything before it, and ends there */
  HD_SMT_WAITS, /* not yet */
  HD_SMT_DIED   /* it ended, or its pipe broke */
} hd_smt_hearing;

/* Start ARGV, which is looked for in PATH. False: *ERROR is an errno. The process dies with the calling thread. */
bool hd_smt_process_start(hd_smt_process *p, const char *const *argv, int *error);
void hd_smt_process_kill(hd_smt_process *p); /* and forget what it said */
/* Send TEXT, when there is room; what was sent before and not read yet goes first. */
void hd_smt_process_say(hd_smt_process *p, const char *text);
/* Wait until one of the N processes has printed a line MARK, or DEADLINE (monotonic seconds). The result of each is in
 * RESULTS; it returns when any is not WAITS, or all are WAITS after the deadline. */
void hd_smt_process_wait(hd_smt_process **p, size_t n, const char *mark, double deadline, hd_smt_hearing *results);
double hd_smt_process_now(void);
/* Processor seconds of this one and of those that were killed here before. */
double hd_smt_process_worked(const hd_smt_process *p);

#endif
