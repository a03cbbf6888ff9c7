/* steps.h: histories in tests, and what was read of them as text. */
#ifndef TEST_HISTORIES_STEPS_H
#define TEST_HISTORIES_STEPS_H

#include "history/history.h"

/* A history that is TEXT and is called "h" in messages. */
hd_history *history_from_text(const char *text, hd_history_form form, char **error);

typedef struct history_dump
{
  hd_string text;
  bool skip_never;
  const char *failed; /* by operation: not 0 */
  size_t nfailed;
} history_dump;

/* A sink, with a history_dump: one line for each step: what, the process, the operation, arguments or the result. */
bool history_dump_step(void *context, const hd_history_op *op);
void history_add_value(hd_string *s, hd_value v);

#endif
