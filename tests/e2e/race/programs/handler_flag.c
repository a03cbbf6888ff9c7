/* A handler sets a flag that a thread polls: volatile sig_atomic_t is for one thread and its handler; right: an atomic.
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

#include "order.h"

#ifdef RIGHT
static atomic_int stop;
#else
static volatile sig_atomic_t stop;
#endif

static void
on_signal(int sig)
{
  stop = sig;
}

static void *
work(void *argument)
{
  after(1);
  while (!stop)
    ;
  return argument;
}

int
main(void)
{
  pthread_t thread;
  signal(SIGUSR1, on_signal);
  pthread_create(&thread, NULL, work, NULL);
  raise(SIGUSR1);
  done();
  pthread_join(thread, NULL);
  return 0;
}
