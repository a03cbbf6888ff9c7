/* monitor.h: what a program says to the monitor of properties that watches it (heddle monitor --property,
 * docs/mttl.md).
 *
 * Include it anywhere, in C11 or C++11. Without a monitor, and in a program that was not built with heddle-cc, all of
 * this does nothing; nothing needs to be linked.
 *
 *   hd_internal("atomic", 1)     an event of the calling thread: its variable 'atomic' of the property files is 1 now
 *   hd_on_violation(f, context)  f is called, in the thread and at the event, when a property is violated and the
 * action is to call (report call, --on-violation=call)
 *
 * Threads: any thread may call any of this at any time. */
#ifndef HEDDLE_MONITOR_H
#define HEDDLE_MONITOR_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C"
{
#endif

  /* What a recovery function is told. The texts are valid while it runs. */
  typedef struct hd_monitor_violation
  {
    const char *property; /* its name */
    const char *file;     /* where it is written */
    unsigned line;
    const char *formula;
    const char *reason; /* lines: the parts that made it false, with their values */
    unsigned thread;    /* numbered from 0, as in property files */
  } hd_monitor_violation;
  typedef void hd_monitor_recovery(const hd_monitor_violation *violation, void *context);

  /* In the runtime that heddle-cc links. */
  extern void hd_monitor_set_int(const char *name, int64_t value) __attribute__((weak));
  extern void hd_monitor_set_real(const char *name, double value) __attribute__((weak));
  extern void hd_monitor_set_text(const char *name, const char *value) __attribute__((weak));
  extern void hd_monitor_on_violation(hd_monitor_recovery *recovery, void *context) __attribute__((weak));

  static inline void
  hd_internal_int(const char *name, int64_t value)
  {
    if (hd_monitor_set_int)
      hd_monitor_set_int(name, value);
  }

  static inline void
  hd_internal_real(const char *name, double value)
  {
    if (hd_monitor_set_real)
      hd_monitor_set_real(name, value);
  }

  static inline void
  hd_internal_text(const char *name, const char *value)
  {
    if (hd_monitor_set_text)
      hd_monitor_set_text(name, value);
  }

  /* The last one that was given counts; NULL: none. */
  static inline void
  hd_on_violation(hd_monitor_recovery *recovery, void *context)
  {
    if (hd_monitor_on_violation)
      hd_monitor_on_violation(recovery, context);
  }

#ifdef __cplusplus
}

template <typename T>
static inline void
hd_internal(const char *name, T value)
{
  hd_internal_int(name, (int64_t) value);
}
static inline void
hd_internal(const char *name, double value)
{
  hd_internal_real(name, value);
}
static inline void
hd_internal(const char *name, float value)
{
  hd_internal_real(name, value);
}
static inline void
hd_internal(const char *name, const char *value)
{
  hd_internal_text(name, value);
}
static inline void
hd_internal(const char *name, char *value)
{
  hd_internal_text(name, value);
}
#else
/* VALUE is an integer or truth value, a floating number, or a string, which is copied. */
#define hd_internal(name, value)                                                                                       \
  _Generic((value), float                                                                                              \
           : hd_internal_real, double                                                                                  \
           : hd_internal_real, char *                                                                                  \
           : hd_internal_text, const char *                                                                            \
           : hd_internal_text, default                                                                                 \
           : hd_internal_int)((name), (value))
#endif

#endif
