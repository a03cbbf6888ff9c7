/* rt_runtime.h: what the files around the detector share: start and end, threads of the program, reports.
 *
 *   rt_start.c     the client is asked for (HEDDLE_RACE) and starts; the end of the program
 *   rt_hooks*.c    what the compilers' instrumentation calls
 *   rt_threads.c   pthread_create, _join and so on
 *   rt_locks.c     mutexes, reader-writer locks, spin locks
 *   rt_waits.c     condition variables, semaphores, barriers, once
 *   rt_c11.c       <threads.h>
 *   rt_malloc.c    malloc and its family; mmap
 *   rt_strings*.c  memcpy, strcmp and so on; rt_print.c: sprintf
 *   rt_io.c        pipes and sockets; rt_io_files.c: files
 *   rt_process.c   fork, signals
 *   rt_report.c    a race becomes lines for the heddle command
 *   rt_where.c     where an address lies, and what points to it
 *
 * Ground rules: without a client every function taken over calls the real one at once. Nothing here calls exit or
 * prints; reports go to a socket that the heddle command reads. */
#ifndef HD_RT_RUNTIME_H
#define HD_RT_RUNTIME_H

#include "instrument/rt_client.h"
#include "instrument/rt_core.h"
#include "instrument/rt_wrap.h"

#pragma GCC visibility push(hidden)

#define HD_RT_PLACE ((uintptr_t) __builtin_return_address(0))

extern bool hd_rt_running; /* a client is */

/* Is anything recorded for the calling thread? Not what the runtime itself does. A static program calls some of the
 * functions taken over before it has thread-local variables: so these come second. PLACE: where the program called. */
static inline bool
hd_rt_on_at(uintptr_t place)
{
  if (HD_RT_LIKELY(!hd_rt_running) || hd_rt_here.epoch == 0 || hd_rt_here.inside != 0)
    return false;
  hd_rt_here.place = place;
  return true;
}
/* In a function that is taken over. */
#define hd_rt_on() hd_rt_on_at(HD_RT_PLACE)

void hd_rt_start(void);

/* While a client calls the C library for itself: nothing is recorded. */
static inline void
hd_rt_pause(void)
{
  hd_rt_enter();
  hd_rt_record_nothing();
}

static inline void
hd_rt_resume(void)
{
  if (hd_rt_here.self)
    hd_rt_thread_load();
  hd_rt_leave();
}

/* ---- threads of the program ---- */

void hd_rt_threads_know_stack(hd_rt_thread *t);
void hd_rt_threads_end(void); /* the calling thread ends */
bool hd_rt_threads_key(void);

/* A start that the caller prepared: T and what to run. */
typedef struct hd_rt_launch
{
  hd_rt_thread *thread;
  void *(*run)(void *);
  int (*run_c11)(void *);
  void *argument;
} hd_rt_launch;
hd_rt_launch *hd_rt_launch_new(uintptr_t start_routine, uintptr_t pc);
void hd_rt_launch_failed(hd_rt_launch *l);
void *hd_rt_launch_run(void *launch); /* in the new thread */
int hd_rt_launch_run_c11(void *launch);
void hd_rt_launched(hd_rt_thread *t, pthread_t handle);
hd_rt_thread *hd_rt_handle_find(pthread_t handle);
void hd_rt_joined(hd_rt_thread *t);
void hd_rt_detached(hd_rt_thread *t); /* its handle is nobody's */

/* ---- reports ---- */

void hd_rt_report_start(int fd, int done);
void hd_rt_report_end(void);
void hd_rt_report_send(const char *bytes, size_t n); /* lines of others */

/* ---- processes ---- */

void hd_rt_process_start(void);

#pragma GCC visibility pop

#endif
