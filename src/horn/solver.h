/* solver.h: inside src/horn: one question and its answer. */
#ifndef HD_HORN_SOLVER_H
#define HD_HORN_SOLVER_H

#include "base/base.h"
#include "replay/process.h"

typedef enum hd_horn_reply
{
  HD_HORN_SAT,
  HD_HORN_UNSAT,
  HD_HORN_UNKNOWN, /* the solver does not know, or the time was over */
  HD_HORN_MISSING, /* there is no such program */
  HD_HORN_FAILED,  /* it could not be asked, or what it says is no answer */
  HD_HORN_STOPPED  /* a signal came */
} hd_horn_reply;

/* What the solver's output OUT means; FAILED adds to *WHY. Any line about an error spoils the whole: z3 prints an
 * answer to what it has understood of a question. */
hd_horn_reply hd_horn_read(const char *out, hd_string *why);

/* Ask the program SOLVER the question TEXT, for at most SECONDS; PATH is a file of SCRATCH. *WHY says what failed,
 * without a full stop. */
hd_horn_reply hd_horn_ask(hd_replay_scratch *scratch, const char *path, const char *solver, const hd_string *text,
                          double seconds, hd_string *why);

#endif
