/* rt_locks.c: mutexes, reader-writer locks and spin locks of POSIX. An acquire is recorded after the real one, a
 * release before it, so that nobody comes between. What fails records nothing. */
#include "instrument/rt_runtime.h"

#include <errno.h>

HD_RT_DECLARE(pthread_mutex_lock);
HD_RT_DECLARE(pthread_mutex_trylock);
HD_RT_DECLARE(pthread_mutex_timedlock);
HD_RT_DECLARE(pthread_mutex_clocklock);
HD_RT_DECLARE(pthread_mutex_unlock);
HD_RT_DECLARE(pthread_mutex_init);
HD_RT_DECLARE(pthread_mutex_destroy);
HD_RT_DECLARE(pthread_rwlock_rdlock);
HD_RT_DECLARE(pthread_rwlock_tryrdlock);
HD_RT_DECLARE(pthread_rwlock_timedrdlock);
HD_RT_DECLARE(pthread_rwlock_clockrdlock);
HD_RT_DECLARE(pthread_rwlock_wrlock);
HD_RT_DECLARE(pthread_rwlock_trywrlock);
HD_RT_DECLARE(pthread_rwlock_timedwrlock);
HD_RT_DECLARE(pthread_rwlock_clockwrlock);
HD_RT_DECLARE(pthread_rwlock_unlock);
HD_RT_DECLARE(pthread_rwlock_init);
HD_RT_DECLARE(pthread_rwlock_destroy);
HD_RT_DECLARE(pthread_spin_lock);
HD_RT_DECLARE(pthread_spin_trylock);
HD_RT_DECLARE(pthread_spin_unlock);
HD_RT_DECLARE(pthread_spin_init);
HD_RT_DECLARE(pthread_spin_destroy);

/* The mutex is ours also if its last owner died (EOWNERDEAD: robust ones). */
#define ACQUIRE(call, record)                                                                                          \
  if (HD_RT_LIKELY(!hd_rt_running)) /* first, so that this needs no stack frame */                                     \
    return call;                                                                                                       \
  int error = call;                                                                                                    \
  if ((HD_RT_LIKELY(error == 0) || error == EOWNERDEAD) && hd_rt_on())                                                 \
  {                                                                                                                    \
    if (HD_RT_UNLIKELY(error))                                                                                         \
      hd_rt_mutex_inherited((uintptr_t) p);                                                                            \
    record((uintptr_t) p);                                                                                             \
  }                                                                                                                    \
  return error
#define RELEASE(call, record)                                                                                          \
  if (hd_rt_on())                                                                                                      \
    record((uintptr_t) p);                                                                                             \
  return call
/* The same of a call that never waits. */
#define TRY(call, record)                                                                                              \
  int error = call;                                                                                                    \
  if ((error == 0 || error == EOWNERDEAD) && hd_rt_on())                                                               \
  {                                                                                                                    \
    if (HD_RT_UNLIKELY(error))                                                                                         \
      hd_rt_mutex_inherited((uintptr_t) p);                                                                            \
    hd_rt_here.tried = 1;                                                                                              \
    record((uintptr_t) p);                                                                                             \
    hd_rt_here.tried = 0;                                                                                              \
  }                                                                                                                    \
  return error
/* A new object has nothing of what was there before, nor has what comes after it. */
#define RENEW(call)                                                                                                    \
  if (hd_rt_on())                                                                                                      \
    hd_rt_forget((uintptr_t) p);                                                                                       \
  return call

HD_RT_WRAP(int, pthread_mutex_lock)(pthread_mutex_t *p)
{
  ACQUIRE(HD_RT_REAL(pthread_mutex_lock)(p), hd_rt_mutex_locked);
}

HD_RT_WRAP(int, pthread_mutex_trylock)(pthread_mutex_t *p)
{
  TRY(HD_RT_REAL(pthread_mutex_trylock)(p), hd_rt_mutex_locked);
}

HD_RT_WRAP(int, pthread_mutex_timedlock)(pthread_mutex_t *p, const struct timespec *until)
{
  ACQUIRE(HD_RT_REAL(pthread_mutex_timedlock)(p, until), hd_rt_mutex_locked);
}

HD_RT_WRAP(int, pthread_mutex_clocklock)(pthread_mutex_t *p, clockid_t clock, const struct timespec *until)
{
  ACQUIRE(HD_RT_REAL(pthread_mutex_clocklock)(p, clock, until), hd_rt_mutex_locked);
}

HD_RT_WRAP(int, pthread_mutex_unlock)(pthread_mutex_t *p)
{
  RELEASE(HD_RT_REAL(pthread_mutex_unlock)(p), hd_rt_mutex_unlock);
}

HD_RT_WRAP(int, pthread_mutex_init)(pthread_mutex_t *p, const pthread_mutexattr_t *attributes)
{
  RENEW(HD_RT_REAL(pthread_mutex_init)(p, attributes));
}

HD_RT_WRAP(int, pthread_mutex_destroy)(pthread_mutex_t *p)
{
  RENEW(HD_RT_REAL(pthread_mutex_destroy)(p));
}

HD_RT_WRAP(int, pthread_rwlock_rdlock)(pthread_rwlock_t *p)
{
  ACQUIRE(HD_RT_REAL(pthread_rwlock_rdlock)(p), hd_rt_rwlock_read_locked);
}

HD_RT_WRAP(int, pthread_rwlock_tryrdlock)(pthread_rwlock_t *p)
{
  TRY(HD_RT_REAL(pthread_rwlock_tryrdlock)(p), hd_rt_rwlock_read_locked);
}

HD_RT_WRAP(int, pthread_rwlock_timedrdlock)(pthread_rwlock_t *p, const struct timespec *until)
{
  ACQUIRE(HD_RT_REAL(pthread_rwlock_timedrdlock)(p, until), hd_rt_rwlock_read_locked);
}

HD_RT_WRAP(int, pthread_rwlock_clockrdlock)(pthread_rwlock_t *p, clockid_t clock, const struct timespec *until)
{
  ACQUIRE(HD_RT_REAL(pthread_rwlock_clockrdlock)(p, clock, until), hd_rt_rwlock_read_locked);
}

HD_RT_WRAP(int, pthread_rwlock_wrlock)(pthread_rwlock_t *p)
{
  ACQUIRE(HD_RT_REAL(pthread_rwlock_wrlock)(p), hd_rt_rwlock_write_locked);
}

HD_RT_WRAP(int, pthread_rwlock_trywrlock)(pthread_rwlock_t *p)
{
  TRY(HD_RT_REAL(pthread_rwlock_trywrlock)(p), hd_rt_rwlock_write_locked);
}

HD_RT_WRAP(int, pthread_rwlock_timedwrlock)(pthread_rwlock_t *p, const struct timespec *until)
{
  ACQUIRE(HD_RT_REAL(pthread_rwlock_timedwrlock)(p, until), hd_rt_rwlock_write_locked);
}

HD_RT_WRAP(int, pthread_rwlock_clockwrlock)(pthread_rwlock_t *p, clockid_t clock, const struct timespec *until)
{
  ACQUIRE(HD_RT_REAL(pthread_rwlock_clockwrlock)(p, clock, until), hd_rt_rwlock_write_locked);
}

HD_RT_WRAP(int, pthread_rwlock_unlock)(pthread_rwlock_t *p)
{
  RELEASE(HD_RT_REAL(pthread_rwlock_unlock)(p), hd_rt_rwlock_unlock);
}

HD_RT_WRAP(int, pthread_rwlock_init)(pthread_rwlock_t *p, const pthread_rwlockattr_t *attributes)
{
  RENEW(HD_RT_REAL(pthread_rwlock_init)(p, attributes));
}

HD_RT_WRAP(int, pthread_rwlock_destroy)(pthread_rwlock_t *p)
{
  RENEW(HD_RT_REAL(pthread_rwlock_destroy)(p));
}

HD_RT_WRAP(int, pthread_spin_lock)(pthread_spinlock_t *p)
{
  ACQUIRE(HD_RT_REAL(pthread_spin_lock)(p), hd_rt_mutex_locked);
}

HD_RT_WRAP(int, pthread_spin_trylock)(pthread_spinlock_t *p)
{
  TRY(HD_RT_REAL(pthread_spin_trylock)(p), hd_rt_mutex_locked);
}

HD_RT_WRAP(int, pthread_spin_unlock)(pthread_spinlock_t *p)
{
  RELEASE(HD_RT_REAL(pthread_spin_unlock)(p), hd_rt_mutex_unlock);
}

HD_RT_WRAP(int, pthread_spin_init)(pthread_spinlock_t *p, int shared)
{
  RENEW(HD_RT_REAL(pthread_spin_init)(p, shared));
}

HD_RT_WRAP(int, pthread_spin_destroy)(pthread_spinlock_t *p)
{
  RENEW(HD_RT_REAL(pthread_spin_destroy)(p));
}
