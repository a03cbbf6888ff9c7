/* judged.h: controllers written in a test, and what one of the engines says of them, with cmocka. */
#ifndef TEST_LITTLE_JUDGED_H
#define TEST_LITTLE_JUDGED_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "little/fixture.h"

/* A reader-writer lock; writers wait for GUARD. */
#define RW(guard)                                                                                                      \
  "INT(nR, 0) BOOL(busy, false) STATE(idle) STATE(reading) STATE(writing)\n"                                           \
  "BLOCKING(r_enter) WHEN(!busy) DO(nR = nR + 1) END\n"                                                                \
  "NONBLOCKING(r_exit) WHEN(true) DO(nR = nR - 1) END\n"                                                               \
  "BLOCKING(w_enter) WHEN(" guard ") DO(busy = true) END\n"                                                            \
  "NONBLOCKING(w_exit) WHEN(true) DO(busy = false) END\n"                                                              \
  "EDGE(idle, r_enter, reading) EDGE(reading, r_exit, idle) EDGE(idle, w_enter, writing) EDGE(writing, w_exit, "       \
  "idle)\n"
#define RIGHT RW("nR == 0 && !busy")

typedef struct judged
{
  hd_controller *c;
  hd_control_result *r;
} judged;

typedef hd_control_result *(*judging)(const hd_controller *c, const hd_control_options *options, hd_string *messages);

static inline judged
judged_by(judging verify, const char *part, hd_control_options options)
{
  hd_string messages = {0};
  judged j = {.c = fixture_parse(part, &messages)};
  if (!j.c)
    fail_msg("%s for\n%s", messages.text, part);
  j.r = verify(j.c, &options, &messages);
  if (!j.r)
    fail_msg("%s for\n%s", messages.text, part);
  hd_string_free(&messages);
  return j;
}

static inline void
end(judged j)
{
  hd_control_result_free(j.r);
  hd_control_free(j.c);
}

#endif
