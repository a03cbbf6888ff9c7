/* verify.h: check a running program from inside, on a verification thread. Link with -lheddle-verify -lheddle.
 *
 *   hd_verify_start(&(hd_verify_options){.specs = (const hd_spec *[]){&my_spec}, .nspecs = 1, .violation = say});
 *   hd_object_init(...);                             objects that are made from now on are checked
 *   ... the program runs ...
 *   int status = hd_verify_stop();                   0 holds, 1 violated, 2 bad specification, 3 incomplete
 *
 * The thread reads the log while it is written, as `heddle run` does from outside. It does not log. Where logging is
 * not running, hd_verify_start starts it with a temporary file whose chunks are used again and again; where it is
 * (HEDDLE_LOG, hd_start), that log is read and kept. */
#ifndef HEDDLE_VERIFY_H
#define HEDDLE_VERIFY_H

#include <heddle/spec.h>

typedef struct hd_verify_options
{
  const hd_spec *const *specs; /* matched with the types of objects by name; must stay valid */
  size_t nspecs;
  bool io_only;  /* do not compare views */
  bool paranoid; /* check the specification too */
  /* Called once for each object that stops refining its specification, by the verification thread: HEADLINE is one
   * line, TEXT the whole explanation. Both belong to the caller. The program goes on meanwhile. May be NULL. */
  void (*violation)(void *context, const char *object, const char *headline, const char *text);
  void *context;
} hd_verify_options;

#define HD_VERIFY_API __attribute__((visibility("default")))

/* Start the verification thread. NULL: it runs; else why not, valid until the next call. One at a time. */
HD_VERIFY_API const char *hd_verify_start(const hd_verify_options *options);

/* Judge what has been logged so far, end the thread and return the verdict as an exit status (above). Operations that
 * are still open count as never returned. -1: none was running. */
HD_VERIFY_API int hd_verify_stop(void);

#endif
