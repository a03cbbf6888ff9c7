/* replay.h: traces of controllers, executed on the controllers' own code.
 *
 * What is violated in the model is shown to the user as a trace; before that, the trace is executed: a small C program
 * is written that includes the controller file (driver.c), compiled, and run with real threads
 * (include/heddle/controller_replay.h). If the code does something else than the trace, Heddle or its headers have a
 * mistake, and the violation is not believed.
 *
 * Signals that would end heddle meanwhile do so after what was started has ended and the temporary folder is gone. One
 * thread. */
#ifndef HD_REPLAY_H
#define HD_REPLAY_H

#include "base/base.h"
#include "control/control.h"

typedef struct hd_replay_options
{
  const char *compiler; /* and arguments, separated by blanks; NULL: what $CC says, or cc */
  const char *include;  /* the folder of heddle/controller.h; NULL: where Heddle is installed, or its source */
} hd_replay_options;

/* Execute every trace of R, which is about C, and fill in what came of it. A property whose trace the code does not
 * follow is not violated but incomplete, and so may be R. Arguments of $CPPFLAGS are given to the compiler too. */
void hd_replay_run(const hd_controller *c, hd_control_result *r, const hd_replay_options *o);

/* Give TEXT to the program ARGV (ends with NULL; looked for in PATH), and get what it prints in OUT. False: it could
 * not be started, failed or printed nothing; then OUT is as it was. */
bool hd_replay_filter(const char *const *argv, const char *text, hd_string *out);

#endif
