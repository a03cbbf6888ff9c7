/* rt_threads.c: threads of the program: who they are, where they begin and end, who joins them. */
#include "instrument/rt_children.h"
#include "instrument/rt_runtime.h"

#include <errno.h>
#include <limits.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

HD_RT_DECLARE(pthread_create);
HD_RT_DECLARE(pthread_join);
HD_RT_DECLARE(pthread_tryjoin_np);
HD_RT_DECLARE(pthread_timedjoin_np);
HD_RT_DECLARE(pthread_clockjoin_np);
HD_RT_DECLARE(pthread_detach);
HD_RT_DECLARE(pthread_setname_np);

/* ---- by handle ---- */

enum
{
  BUCKETS = 1024
};
static hd_rt_thread *buckets[BUCKETS];
static hd_rt_lock lock;

static hd_rt_thread **
bucket(pthread_t handle)
{
  return &buckets[(handle >> 8 ^ handle >> 20) % BUCKETS];
}

hd_rt_thread *
hd_rt_handle_find(pthread_t handle)
{
  hd_rt_enter();
  hd_rt_acquire(&lock);
  hd_rt_thread *t = *bucket(handle);
  while (t && t->handle != handle)
    t = t->next;
  hd_rt_release(&lock);
  hd_rt_leave();
  return t;
}

static void
forget_handle(hd_rt_thread *t)
{
  hd_rt_enter();
  hd_rt_acquire(&lock);
  for (hd_rt_thread **p = bucket(t->handle); *p; p = &(*p)->next)
    if (*p == t)
    {
      *p = t->next;
      break;
    }
  hd_rt_release(&lock);
  hd_rt_leave();
}

/* Both the creator and the new thread may come first. */
void
hd_rt_launched(hd_rt_thread *t, pthread_t handle)
{
  hd_rt_enter();
  hd_rt_acquire(&lock);
  if (!t->handle)
  {
    t->handle = handle;
    t->next = *bucket(handle);
    *bucket(handle) = t;
  }
  hd_rt_release(&lock);
  hd_rt_leave();
}

void
hd_rt_joined(hd_rt_thread *t)
{
  (void) HD_RT_TELL(join, t, hd_rt_here.place);
  hd_rt_thread_join(t);
  forget_handle(t);
}

void
hd_rt_detached(hd_rt_thread *t)
{
  forget_handle(t);
}

/* ---- begin and end ---- */

static pthread_key_t key;
static hd_rt_pool launches = {.size = sizeof(hd_rt_launch), .max = 1 << 16};

/* The last of a thread's destructors: it puts itself off until there are no more rounds. */
static void
at_end(void *rounds)
{
  if ((uintptr_t) rounds < PTHREAD_DESTRUCTOR_ITERATIONS)
    pthread_setspecific(key, (void *) ((uintptr_t) rounds + 1));
  else
    hd_rt_threads_end();
}

bool
hd_rt_threads_key(void)
{
  launches.base = hd_rt_map((size_t) launches.size * launches.max, 4096);
  return launches.base && pthread_key_create(&key, at_end) == 0;
}

void
hd_rt_threads_end(void)
{
  hd_rt_thread *t = hd_rt_here.self;
  if (!t)
    return;
  (void) HD_RT_TELL(end);
  hd_rt_thread_leave();
}

/* The stack, and the thread's own variables above it, may have belonged to another thread. */
void
hd_rt_threads_know_stack(hd_rt_thread *t)
{
  pthread_attr_t attributes;
  void *low;
  size_t size;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0)
    return;
  if (pthread_attr_getstack(&attributes, &low, &size) == 0)
  {
    t->stack_low = (uintptr_t) low;
    t->stack_high = (uintptr_t) low + size;
  }
  pthread_attr_destroy(&attributes);
}

hd_rt_launch *
hd_rt_launch_new(uintptr_t start_routine, uintptr_t pc)
{
  hd_rt_thread *t = hd_rt_thread_new();
  if (!t)
    return NULL;
  t->start_routine = start_routine;
  hd_rt_history_stack(pc, t->created, sizeof t->created / sizeof *t->created);
  uint32_t number = hd_rt_pool_take(&launches);
  if (!number)
  {
    hd_rt_thread_unused(t);
    return NULL;
  }
  hd_rt_launch *l = hd_rt_pool_get(&launches, number);
  l->thread = t;
  (void) HD_RT_TELL(create, t, pc);
  return l;
}

static void
launch_free(hd_rt_launch *l)
{
  hd_rt_pool_give(&launches, (uint32_t) (((char *) l - launches.base) / (ptrdiff_t) sizeof *l));
}

void
hd_rt_launch_failed(hd_rt_launch *l)
{
  (void) HD_RT_TELL(uncreate, l->thread);
  hd_rt_thread_unused(l->thread);
  launch_free(l);
}

static hd_rt_launch
begin(void *launch)
{
  hd_rt_launch l = *(hd_rt_launch *) launch;
  launch_free(launch);
  hd_rt_thread *t = l.thread;
  t->kernel_id = (int) syscall(SYS_gettid);
  hd_rt_threads_know_stack(t);
  pthread_setspecific(key, (void *) 1);
  hd_rt_launched(t, pthread_self());
  hd_rt_thread_attach(t);
  (void) HD_RT_TELL(begin);
  if (t->stack_high)
    hd_rt_memory_forget(t->stack_low, t->stack_high - t->stack_low);
  return l;
}

void *
hd_rt_launch_run(void *launch)
{
  hd_rt_launch l = begin(launch);
  return l.run(l.argument);
}

int
hd_rt_launch_run_c11(void *launch)
{
  hd_rt_launch l = begin(launch);
  return l.run_c11(l.argument);
}

/* ---- the functions ---- */

HD_RT_WRAP(int, pthread_create)
(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument)
{
  hd_rt_launch *l = hd_rt_on() ? hd_rt_launch_new((uintptr_t) run, HD_RT_PLACE) : NULL;
  if (!l)
  {
    hd_rt_children_thread();
    return HD_RT_REAL(pthread_create)(thread, attributes, run, argument);
  }
  l->run = run;
  l->argument = argument;
  hd_rt_thread *t = l->thread;
  int detached = PTHREAD_CREATE_JOINABLE;
  if (attributes)
    pthread_attr_getdetachstate(attributes, &detached);
  int error = HD_RT_REAL(pthread_create)(thread, attributes, hd_rt_launch_run, l);
  if (error)
    hd_rt_launch_failed(l);
  else if (detached == PTHREAD_CREATE_JOINABLE)
    hd_rt_launched(t, *thread); /* of a detached one the handle may be somebody else's already */
  if (!error)
    hd_rt_delay(HD_RT_DELAY_CREATED);
  return error;
}

#define JOINED(call)                                                                                                   \
  hd_rt_thread *t = hd_rt_on() ? hd_rt_handle_find(thread) : NULL;                                                     \
  int error = call;                                                                                                    \
  if (!error && t)                                                                                                     \
    hd_rt_joined(t);                                                                                                   \
  return error

HD_RT_WRAP(int, pthread_join)(pthread_t thread, void **result)
{
  JOINED(HD_RT_REAL(pthread_join)(thread, result));
}

HD_RT_WRAP(int, pthread_tryjoin_np)(pthread_t thread, void **result)
{
  JOINED(HD_RT_REAL(pthread_tryjoin_np)(thread, result));
}

HD_RT_WRAP(int, pthread_timedjoin_np)(pthread_t thread, void **result, const struct timespec *until)
{
  JOINED(HD_RT_REAL(pthread_timedjoin_np)(thread, result, until));
}

HD_RT_WRAP(int, pthread_clockjoin_np)
(pthread_t thread, void **result, clockid_t clock, const struct timespec *until)
{
  JOINED(HD_RT_REAL(pthread_clockjoin_np)(thread, result, clock, until));
}

HD_RT_WRAP(int, pthread_detach)(pthread_t thread)
{
  hd_rt_thread *t = hd_rt_on() ? hd_rt_handle_find(thread) : NULL;
  int error = HD_RT_REAL(pthread_detach)(thread);
  if (!error && t)
    hd_rt_detached(t);
  return error;
}

HD_RT_WRAP(int, pthread_setname_np)(pthread_t thread, const char *name)
{
  hd_rt_thread *t = hd_rt_on() ? hd_rt_handle_find(thread) : NULL;
  if (hd_rt_on() && pthread_equal(thread, pthread_self()))
    t = hd_rt_here.self;
  for (unsigned i = 0; t && i + 1 < sizeof t->name && (i == 0 || name[i - 1]); i++)
    t->name[i] = name[i];
  return HD_RT_REAL(pthread_setname_np)(thread, name);
}
