/* build.h: what only this project's own makers of logs need beyond log.h: cutters and tests. Private to the commands
 * and the tests. */
#ifndef HD_LOG_BUILD_H
#define HD_LOG_BUILD_H

#include "log/log.h"

/* Into the empty file FD, which has no name of its own; NAME is for messages. */
HD_GIVE hd_log_build *hd_log_build_new_fd(HD_TAKE int fd, const char *name);
/* Bytes of payload after which a thread goes on in another chunk, so that tests get many small segments. */
void hd_log_build_set_limit(hd_log_build *b, size_t bytes);
/* What the header says of the program. LOST: something could not be recorded. */
void hd_log_build_set_program(hd_log_build *b, const char *program, uint64_t pid, uint64_t start_ns);
void hd_log_build_set_lost(hd_log_build *b, uint64_t dropped, bool lost);
/* As hd_log_build_object, for an object whose first tick is not 0. */
uint32_t hd_log_build_object_from(hd_log_build *b, const char *type, const char *name, const hd_value *config, size_t n,
                                  uint64_t first);
/* Free without a log: nothing stays of it. */
void hd_log_build_discard(HD_TAKE hd_log_build *b);
/* What was not logged of the object. */
void hd_log_build_set_dropped(hd_log_build *b, uint32_t object, uint64_t lost_at, uint64_t dropped);
/* The object's clock at the end, if the events that were given do not tell. */
void hd_log_build_set_clock(hd_log_build *b, uint32_t object, uint64_t ticks);
void hd_log_build_set_thread_name(hd_log_build *b, uint32_t thread, const char *name);

#endif
