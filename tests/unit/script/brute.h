/* brute.h: is there an order? By trying all of them, from the definitions of docs/rules.md, section 6.
 *
 * Knows nothing of src/refine: it reads the operations of a trace, puts each on an interval of positions and looks for
 * an order in which every model step is possible. */
#ifndef SCRIPT_BRUTE_H
#define SCRIPT_BRUTE_H

#include "oracle/trace.h"

enum
{
  BRUTE_OPS = 32,
};

/* An operation of a trace. Positions: tick k is 2k+1, a look that reads n is 2n. */
typedef struct brute_op
{
  unsigned record; /* of its call */
  unsigned end_record;
  unsigned thread, method;
  const hd_value *args;
  bool observer, nocommit, window, committed, returned, knows_return;
  uint64_t call, window_at, commit_at, end;
  model_return ret;
} brute_op;

typedef struct brute_log
{
  const model *model;
  size_t n;
  brute_op ops[BRUTE_OPS];
} brute_log;

/* False: too many operations. */
bool brute_read(brute_log *log, const trace *t);

/* How the operations are taken; sets of them are masks by index. */
typedef struct brute_question
{
  uint64_t until;    /* what was called later does not matter, what ends later is open */
  uint32_t wide;     /* over [call, return]; the others as annotated */
  uint32_t forgiven; /* may happen or not, with any return */
  bool ties;         /* of two looks that read the same, the order may be either */
} brute_question;

bool brute_order_exists(const brute_log *log, const brute_question *q);

/* The trace as a script (script.h), line i + 1 is record i. */
void brute_print_script(hd_string *out, const trace *t);

#endif
