/* script.h: a log as text, one event a line, for tests that people read.
 *
 *   object M multiset 4            optional: the objects of the log with their configuration; at first "M"
 *   T1 call insert_pair 5 7        HD_CALL               T2 nocommit pop        HD_CALL_NOCOMMIT
 *   T1 window                      HD_WINDOW             T1 block, T1 end       HD_BLOCK_BEGIN, HD_BLOCK_END
 *   T1 write 3 5 [old]             HD_WRITE, HD_ASSIGN; by a thread outside any operation: a free write
 *   T1 replay 1 "text"             HD_REPLAY
 *   T1 commit [ret V | raise V]    HD_COMMIT, HD_COMMIT_RET, HD_COMMIT_EXC
 *   T1 return [V]   T1 raise V     HD_RETURN, HD_RETURN_EXC
 *   T1 task compress, T1 endtask   HD_INTERNAL_BEGIN, HD_INTERNAL_END
 *   T1 abandon   T1 destroy        HD_ABANDON, hd_object_destroy
 *   T1 misuse second-commit        what the runtime logs in place of a macro that makes no sense
 *   T1.B call push 1               on object B; without a name: the object of the innermost open operation, else the
 *                                  first one
 *   tick [B]                       the clock ticks, but the record is lost
 *   lost [B] N                     from here on N operations were not logged
 *   # a comment
 *
 * Values: 5, -5, 5u (unsigned), true, false, nil, "text", 'bytes'. The lines are the real time: a recorder gives each
 * event the stamp that the commit clock gives it (docs/rules.md, table 1.2). "return!" and "raise!" tick, as a return
 * does that saw an open window, and every return in a log made of a history. The line of the script is the source line
 * of the event's site. */
#ifndef SCRIPT_H
#define SCRIPT_H

#include "log/log.h"
#include "refine/refine.h"

/* Write the log of the script TEXT to PATH. Sites are in FILE; an object that is not declared has TYPE and CONFIG.
 * A mistake in the script ends the program with a message. */
typedef struct script_names
{
  const char *file;
  const char *type;
  const hd_value *config;
  size_t nconfig;
} script_names;
void script_write(const char *text, const script_names *names, const char *path);

/* The answer of a check; SCRIPT_DONE frees it. */
typedef struct script_answer
{
  hd_verdict verdict;
  const hd_refine_result *const *results; /* in the order of objects */
  size_t nresults;
  const hd_refine_result *result; /* of the first object */
  const hd_finding *finding;      /* of the first object */
  hd_log *log;
  hd_checks *checks;
} script_answer;

typedef struct script_setup
{
  const hd_spec *const *specs; /* the first one names the type of an object that is not declared */
  size_t nspecs;
  const hd_value *config;
  size_t nconfig;
  hd_refine_options options;
  unsigned workers; /* 0: 1 */
} script_setup;

/* Judge TEXT through a log file, as heddle check does. */
script_answer script_check(const char *text, const script_setup *setup);
void script_done(script_answer *a);

/* The script's line that SITE stands for; 0: none. */
unsigned script_line(const script_answer *a, uint32_t site);
/* The operation that the finding names; NULL: none, or more than one. */
const hd_op_info *script_failing(const script_answer *a);
/* The operation of the finding that was called in LINE; NULL: it is not shown. */
const hd_op_info *script_op(const script_answer *a, unsigned line);

#endif
