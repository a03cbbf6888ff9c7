/* rt_c11.c: <threads.h>. glibc makes them of its POSIX functions without calling those by name. */
#include "instrument/rt_children.h"
#include "instrument/rt_runtime.h"

#include <threads.h>

HD_RT_DECLARE(thrd_create);
HD_RT_DECLARE(thrd_join);
HD_RT_DECLARE(thrd_detach);
HD_RT_DECLARE(mtx_init);
HD_RT_DECLARE(mtx_destroy);
HD_RT_DECLARE(mtx_lock);
HD_RT_DECLARE(mtx_trylock);
HD_RT_DECLARE(mtx_timedlock);
HD_RT_DECLARE(mtx_unlock);
HD_RT_DECLARE(cnd_wait);
HD_RT_DECLARE(cnd_timedwait);
HD_RT_DECLARE(cnd_signal);
HD_RT_DECLARE(cnd_broadcast);
HD_RT_DECLARE(call_once);

HD_RT_WRAP(int, thrd_create)(thrd_t *thread, thrd_start_t run, void *argument)
{
  hd_rt_launch *l = hd_rt_on() ? hd_rt_launch_new((uintptr_t) run, HD_RT_PLACE) : NULL;
  if (!l)
  {
    hd_rt_children_thread();
    return HD_RT_REAL(thrd_create)(thread, run, argument);
  }
  l->run_c11 = run;
  l->argument = argument;
  hd_rt_thread *t = l->thread;
  int result = HD_RT_REAL(thrd_create)(thread, hd_rt_launch_run_c11, l);
  if (result != thrd_success)
    hd_rt_launch_failed(l);
  else
    hd_rt_launched(t, *thread);
  return result;
}

HD_RT_WRAP(int, thrd_join)(thrd_t thread, int *value)
{
  hd_rt_thread *t = hd_rt_on() ? hd_rt_handle_find(thread) : NULL;
  int result = HD_RT_REAL(thrd_join)(thread, value);
  if (result == thrd_success && t)
    hd_rt_joined(t);
  return result;
}

HD_RT_WRAP(int, thrd_detach)(thrd_t thread)
{
  hd_rt_thread *t = hd_rt_on() ? hd_rt_handle_find(thread) : NULL;
  int result = HD_RT_REAL(thrd_detach)(thread);
  if (result == thrd_success && t)
    hd_rt_detached(t);
  return result;
}

HD_RT_WRAP(int, mtx_init)(mtx_t *p, int type)
{
  if (hd_rt_on())
    hd_rt_forget((uintptr_t) p);
  return HD_RT_REAL(mtx_init)(p, type);
}

HD_RT_WRAP(void, mtx_destroy)(mtx_t *p)
{
  if (hd_rt_on())
    hd_rt_forget((uintptr_t) p);
  HD_RT_REAL(mtx_destroy)(p);
}

#define ACQUIRE(call)                                                                                                  \
  int result = call;                                                                                                   \
  if (result == thrd_success && hd_rt_on())                                                                            \
    hd_rt_mutex_locked((uintptr_t) p);                                                                                 \
  return result

HD_RT_WRAP(int, mtx_lock)(mtx_t *p)
{
  ACQUIRE(HD_RT_REAL(mtx_lock)(p));
}

HD_RT_WRAP(int, mtx_trylock)(mtx_t *p)
{
  int result = HD_RT_REAL(mtx_trylock)(p);
  if (result == thrd_success && hd_rt_on())
  {
    hd_rt_here.tried = 1;
    hd_rt_mutex_locked((uintptr_t) p);
    hd_rt_here.tried = 0;
  }
  return result;
}

HD_RT_WRAP(int, mtx_timedlock)(mtx_t *restrict p, const struct timespec *restrict until)
{
  ACQUIRE(HD_RT_REAL(mtx_timedlock)(p, until));
}

HD_RT_WRAP(int, mtx_unlock)(mtx_t *p)
{
  if (hd_rt_on())
    hd_rt_mutex_unlock((uintptr_t) p);
  return HD_RT_REAL(mtx_unlock)(p);
}

#define WAIT(call)                                                                                                     \
  uint32_t depth = hd_rt_on() ? about_to_wait(condition, mutex) : 0;                                                   \
  int result = call;                                                                                                   \
  if (depth && hd_rt_on())                                                                                             \
    woken(condition, mutex, depth);                                                                                    \
  return result

static uint32_t
about_to_wait(cnd_t *condition, mtx_t *mutex)
{
  if (hd_rt_client_now)
    hd_rt_client_object(HD_RT_EV_WAIT, (uintptr_t) condition);
  return hd_rt_mutex_wait((uintptr_t) mutex);
}

static void
woken(cnd_t *condition, mtx_t *mutex, uint32_t depth)
{
  hd_rt_mutex_woken((uintptr_t) mutex, depth);
  if (hd_rt_client_now)
    hd_rt_client_object(HD_RT_EV_WAKE, (uintptr_t) condition);
}

HD_RT_WRAP(int, cnd_wait)(cnd_t *condition, mtx_t *mutex)
{
  WAIT(HD_RT_REAL(cnd_wait)(condition, mutex));
}

HD_RT_WRAP(int, cnd_timedwait)(cnd_t *restrict condition, mtx_t *restrict mutex, const struct timespec *restrict until)
{
  WAIT(HD_RT_REAL(cnd_timedwait)(condition, mutex, until));
}

/* To wake somebody orders nothing: the mutex does. */
#define WAKE(event, call)                                                                                              \
  if (hd_rt_on() && hd_rt_client_now)                                                                                  \
    hd_rt_client_object(event, (uintptr_t) condition);                                                                 \
  return call

HD_RT_WRAP(int, cnd_signal)(cnd_t *condition)
{
  WAKE(HD_RT_EV_SIGNAL, HD_RT_REAL(cnd_signal)(condition));
}

HD_RT_WRAP(int, cnd_broadcast)(cnd_t *condition)
{
  WAKE(HD_RT_EV_BROADCAST, HD_RT_REAL(cnd_broadcast)(condition));
}

static __thread struct
{
  void (*routine)(void);
  once_flag *flag;
} current __attribute__((tls_model("initial-exec")));

static void
run_once(void)
{
  once_flag *flag = current.flag; /* the routine may call call_once itself */
  current.routine();
  if (hd_rt_on())
    hd_rt_post((uintptr_t) flag);
}

HD_RT_WRAP(void, call_once)(once_flag *flag, void (*routine)(void))
{
  if (!hd_rt_on())
  {
    HD_RT_REAL(call_once)(flag, routine);
    return;
  }
  __typeof__(current) before = current;
  current.routine = routine;
  current.flag = flag;
  HD_RT_REAL(call_once)(flag, run_once);
  current = before;
  hd_rt_pend((uintptr_t) flag);
}
