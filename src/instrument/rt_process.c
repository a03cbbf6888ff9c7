/* rt_process.c: fork, and signals that arrive while the thread is inside the runtime: these wait until it leaves, since
 * their handlers may synchronise and access memory like any other code. */
#include "instrument/rt_children.h"
#include "instrument/rt_runtime.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

HD_RT_DECLARE(sigaction);
HD_RT_DECLARE(fork);
HD_RT_DECLARE(_exit);
HD_RT_DECLARE(quick_exit);

/* ---- signals ---- */

enum
{
  SIGNALS = 65,
  WAITING = 8
};

static struct sigaction handlers[SIGNALS]; /* the program's */
static __thread struct
{
  uint64_t mask; /* which wait */
  siginfo_t info[WAITING];
} waiting __attribute__((tls_model("initial-exec")));

/* Not inlined: reports leave out what begins with hd_rt_. */
static __attribute__((noinline)) void
hd_rt_call_handler(int sig, siginfo_t *info, void *context)
{
  struct sigaction *h = &handlers[sig];
  int saved = errno;
  if (h->sa_flags & SA_SIGINFO)
    h->sa_sigaction(sig, info, context);
  else if (h->sa_handler != SIG_DFL && h->sa_handler != SIG_IGN)
    h->sa_handler(sig);
  errno = saved;
}

/* Signals that the interrupted instruction itself caused cannot wait. */
static bool
synchronous(int sig)
{
  return sig == SIGSEGV || sig == SIGBUS || sig == SIGFPE || sig == SIGILL || sig == SIGTRAP || sig == SIGABRT
         || sig == SIGSYS;
}

static void
arrived(int sig, siginfo_t *info, void *context)
{
  if (!hd_rt_here.inside || synchronous(sig))
  {
    hd_rt_call_handler(sig, info, context);
    return;
  }
  if (waiting.mask >> (sig - 1) & 1)
    return; /* as for any signal that is pending already */
  if (hd_rt_here.waiting == WAITING)
  {
    hd_rt_call_handler(sig, info, context);
    return;
  }
  waiting.mask |= 1ull << (sig - 1);
  waiting.info[hd_rt_here.waiting] = *info;
  hd_rt_here.waiting++;
}

void
hd_rt_deliver(void)
{
  sigset_t all, before;
  if (hd_rt_here.acting)
  {
    hd_rt_here.acting = 0;
    if (hd_rt_client_now && hd_rt_client_now->act)
      hd_rt_client_now->act();
  }
  sigfillset(&all);
  while (hd_rt_here.waiting)
  {
    pthread_sigmask(SIG_BLOCK, &all, &before);
    siginfo_t info = waiting.info[--hd_rt_here.waiting];
    waiting.mask &= ~(1ull << (info.si_signo - 1));
    sigset_t during = before;
    sigorset(&during, &before, &handlers[info.si_signo].sa_mask);
    if (!(handlers[info.si_signo].sa_flags & SA_NODEFER))
      sigaddset(&during, info.si_signo);
    pthread_sigmask(SIG_SETMASK, &during, NULL);
    hd_rt_call_handler(info.si_signo, &info, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
  }
}

static bool
is_function(const struct sigaction *a)
{
  return (a->sa_flags & SA_SIGINFO) || (a->sa_handler != SIG_DFL && a->sa_handler != SIG_IGN);
}

HD_RT_WRAP(int, sigaction)(int sig, const struct sigaction *new, struct sigaction *old)
{
  if (!hd_rt_on() || sig < 1 || sig >= SIGNALS)
    return HD_RT_REAL(sigaction)(sig, new, old);
  struct sigaction before = handlers[sig], real_before, ours;
  if (new)
  {
    ours = *new;
    if (is_function(new))
    {
      handlers[sig] = *new;
      ours.sa_sigaction = arrived;
      ours.sa_flags |= SA_SIGINFO;
    }
  }
  int result = HD_RT_REAL(sigaction)(sig, new ? &ours : NULL, &real_before);
  if (result != 0)
    handlers[sig] = before;
  else if (old)
    *old = (real_before.sa_flags & SA_SIGINFO) && real_before.sa_sigaction == arrived ? before : real_before;
  return result;
}

#ifdef HD_RT_STATIC
#define SIGACTION __wrap_sigaction
#define FORK __wrap_fork
#else
#define SIGACTION sigaction
#define FORK fork
#endif

static sighandler_t
handle(int sig, sighandler_t handler, int flags)
{
  struct sigaction new = {.sa_handler = handler, .sa_flags = flags}, old;
  return SIGACTION(sig, &new, &old) == 0 ? old.sa_handler : SIG_ERR;
}

HD_RT_WRAP(sighandler_t, signal)(int sig, sighandler_t handler)
{
  return handle(sig, handler, SA_RESTART);
}

/* What signal is under -std=c11. */
HD_RT_WRAP(sighandler_t, __sysv_signal)(int sig, sighandler_t handler)
{
  return handle(sig, handler, (int) SA_RESETHAND | SA_NODEFER);
}

/* ---- fork ---- */

/* In the child, before anything of the program runs there: also where the C library itself forks, as daemon does. */
static void
forked(void)
{
  hd_rt_enter();
  hd_rt_generation++; /* what others held is free */
  hd_rt_threads_forked();
  hd_rt_children_forked();
  if (hd_rt_client_now && hd_rt_running)
  {
    if (hd_rt_client_now->forked)
      hd_rt_client_now->forked();
    hd_rt_running = false;
    hd_rt_record_nothing();
  }
  hd_rt_leave();
}

void
hd_rt_process_start(void)
{
  pthread_atfork(NULL, NULL, forked);
}

HD_RT_WRAP(pid_t, fork)(void)
{
  if (!hd_rt_on())
    return HD_RT_REAL(fork)();
  hd_rt_enter();
  pid_t child = HD_RT_REAL(fork)();
  if (child >= 0)
    hd_rt_children_count(child > 0 ? 1 : -1);
  hd_rt_leave();
  return child;
}

/* A child that borrows its parent's memory would go on as one of its threads; so it gets its own. */
HD_RT_WRAP(pid_t, vfork)(void)
{
  return FORK();
}

/* ---- ends that run no handlers: what is left to tell is told ---- */

static void
say_the_end(void)
{
  hd_rt_children_end();
  hd_rt_report_end();
  hd_rt_client_quit();
}

HD_RT_WRAP(void, _exit)(int status)
{
  say_the_end();
  HD_RT_REAL(_exit)(status);
  __builtin_unreachable();
}

HD_RT_WRAP(void, _Exit)(int status)
{
  say_the_end();
  HD_RT_REAL(_exit)(status);
  __builtin_unreachable();
}

HD_RT_WRAP(void, quick_exit)(int status)
{
  say_the_end();
  HD_RT_REAL(quick_exit)(status);
  __builtin_unreachable();
}
