/* rt_waits.c: condition variables, semaphores, barriers and once of POSIX.
 *
 * Waiting for a condition variable gives the mutex up and takes it again, however it ends; a thread that is cancelled
 * there has it too when its cleanup handlers run (this file is compiled with -fexceptions for that). */
#include "instrument/rt_runtime.h"

#include <errno.h>
#include <semaphore.h>

HD_RT_DECLARE(pthread_cond_wait);
HD_RT_DECLARE(pthread_cond_timedwait);
HD_RT_DECLARE(pthread_cond_clockwait);
HD_RT_DECLARE(pthread_cond_signal);
HD_RT_DECLARE(pthread_cond_broadcast);
HD_RT_DECLARE(sem_init);
HD_RT_DECLARE(sem_destroy);
HD_RT_DECLARE(sem_post);
HD_RT_DECLARE(sem_wait);
HD_RT_DECLARE(sem_trywait);
HD_RT_DECLARE(sem_timedwait);
HD_RT_DECLARE(sem_clockwait);
HD_RT_DECLARE(pthread_barrier_init);
HD_RT_DECLARE(pthread_barrier_destroy);
HD_RT_DECLARE(pthread_barrier_wait);
HD_RT_DECLARE(pthread_once);

typedef struct given_up
{
  pthread_mutex_t *mutex;
  pthread_cond_t *condition;
  uint32_t depth;
  uintptr_t place;
} given_up;

static given_up
about_to_wait(pthread_cond_t *condition, pthread_mutex_t *mutex, uintptr_t place)
{
  if (hd_rt_client_now)
    hd_rt_client_object(HD_RT_EV_WAIT, (uintptr_t) condition);
  return (given_up){mutex, condition, hd_rt_mutex_wait((uintptr_t) mutex), place};
}

static void
take_again(given_up *g)
{
  if (!g->mutex || !hd_rt_on_at(g->place))
    return;
  hd_rt_mutex_woken((uintptr_t) g->mutex, g->depth);
  if (hd_rt_client_now)
    hd_rt_client_object(HD_RT_EV_WAKE, (uintptr_t) g->condition);
}

/* An error other than a time-out comes before anything was given up; taking again changes nothing then. */
#define WAIT(call)                                                                                                     \
  __attribute__((cleanup(take_again))) given_up g = {0};                                                               \
  if (hd_rt_on())                                                                                                      \
    g = about_to_wait(condition, mutex, HD_RT_PLACE);                                                                  \
  return call

/* Their oldest version has another layout; dlsym may give it. */
#define VERSION "GLIBC_2.3.2"

HD_RT_WRAP(int, pthread_cond_wait)(pthread_cond_t *condition, pthread_mutex_t *mutex)
{
  WAIT(HD_RT_REAL_VERSION(pthread_cond_wait, VERSION)(condition, mutex));
}

HD_RT_WRAP(int, pthread_cond_timedwait)
(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *until)
{
  WAIT(HD_RT_REAL_VERSION(pthread_cond_timedwait, VERSION)(condition, mutex, until));
}

HD_RT_WRAP(int, pthread_cond_clockwait)
(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock, const struct timespec *until)
{
  WAIT(HD_RT_REAL(pthread_cond_clockwait)(condition, mutex, clock, until));
}

/* To wake somebody orders nothing: the mutex does. */
#define WAKE(event, call)                                                                                              \
  if (hd_rt_on() && hd_rt_client_now)                                                                                  \
    hd_rt_client_object(event, (uintptr_t) condition);                                                                 \
  return call

HD_RT_WRAP(int, pthread_cond_signal)(pthread_cond_t *condition)
{
  WAKE(HD_RT_EV_SIGNAL, HD_RT_REAL_VERSION(pthread_cond_signal, VERSION)(condition));
}

HD_RT_WRAP(int, pthread_cond_broadcast)(pthread_cond_t *condition)
{
  WAKE(HD_RT_EV_BROADCAST, HD_RT_REAL_VERSION(pthread_cond_broadcast, VERSION)(condition));
}

/* ---- semaphores ---- */

#define PEND(call)                                                                                                     \
  int result = call;                                                                                                   \
  if (result == 0 && hd_rt_on())                                                                                       \
    hd_rt_pend((uintptr_t) semaphore);                                                                                 \
  return result

HD_RT_WRAP(int, sem_init)(sem_t *semaphore, int shared, unsigned value)
{
  if (hd_rt_on())
    hd_rt_forget((uintptr_t) semaphore);
  return HD_RT_REAL(sem_init)(semaphore, shared, value);
}

HD_RT_WRAP(int, sem_destroy)(sem_t *semaphore)
{
  if (hd_rt_on())
    hd_rt_forget((uintptr_t) semaphore);
  return HD_RT_REAL(sem_destroy)(semaphore);
}

HD_RT_WRAP(int, sem_post)(sem_t *semaphore)
{
  if (hd_rt_on())
    hd_rt_post((uintptr_t) semaphore);
  return HD_RT_REAL(sem_post)(semaphore);
}

HD_RT_WRAP(int, sem_wait)(sem_t *semaphore)
{
  PEND(HD_RT_REAL(sem_wait)(semaphore));
}

HD_RT_WRAP(int, sem_trywait)(sem_t *semaphore)
{
  PEND(HD_RT_REAL(sem_trywait)(semaphore));
}

HD_RT_WRAP(int, sem_timedwait)(sem_t *semaphore, const struct timespec *until)
{
  PEND(HD_RT_REAL(sem_timedwait)(semaphore, until));
}

HD_RT_WRAP(int, sem_clockwait)(sem_t *semaphore, clockid_t clock, const struct timespec *until)
{
  PEND(HD_RT_REAL(sem_clockwait)(semaphore, clock, until));
}

/* ---- barriers ---- */

HD_RT_WRAP(int, pthread_barrier_init)
(pthread_barrier_t *barrier, const pthread_barrierattr_t *attributes, unsigned count)
{
  if (hd_rt_on())
    hd_rt_barrier_init((uintptr_t) barrier, count);
  return HD_RT_REAL(pthread_barrier_init)(barrier, attributes, count);
}

HD_RT_WRAP(int, pthread_barrier_destroy)(pthread_barrier_t *barrier)
{
  int error = HD_RT_REAL(pthread_barrier_destroy)(barrier); /* waits for those who are still inside */
  if (hd_rt_on())
    hd_rt_forget((uintptr_t) barrier);
  return error;
}

HD_RT_WRAP(int, pthread_barrier_wait)(pthread_barrier_t *barrier)
{
  uint32_t generation = hd_rt_on() ? hd_rt_barrier_arrive((uintptr_t) barrier) : 0;
  int result = HD_RT_REAL(pthread_barrier_wait)(barrier);
  if (hd_rt_on() && generation)
    hd_rt_barrier_leave(generation);
  return result;
}

/* ---- once ---- */

static __thread struct
{
  void (*routine)(void);
  pthread_once_t *once;
} current __attribute__((tls_model("initial-exec")));

static void
run_once(void)
{
  pthread_once_t *once = current.once; /* the routine may call pthread_once itself */
  current.routine();
  if (hd_rt_on())
    hd_rt_post((uintptr_t) once);
}

HD_RT_WRAP(int, pthread_once)(pthread_once_t *once, void (*routine)(void))
{
  if (!hd_rt_on())
    return HD_RT_REAL(pthread_once)(once, routine);
  __typeof__(current) before = current;
  current.routine = routine;
  current.once = once;
  int error = HD_RT_REAL(pthread_once)(once, run_once);
  current = before;
  if (!error)
    hd_rt_pend((uintptr_t) once);
  return error;
}
