/* watch.c: obeys the time limit inside long computations of isl, which look at the clock nowhere: a thread waits for
 * the deadline and tells isl to give up. From then on every computation fails at once. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "symbolic/system.h"

struct hd_symbolic_watch
{
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  bool over;
  struct timespec deadline;
  isl_ctx *ctx;
};

static void *
wait_for_deadline(void *argument)
{
  hd_symbolic_watch *w = argument;
  int status = 0;
  pthread_mutex_lock(&w->lock);
  while (!w->over && status != ETIMEDOUT)
    status = pthread_cond_timedwait(&w->changed, &w->lock, &w->deadline);
  if (!w->over)
    isl_ctx_abort(w->ctx);
  pthread_mutex_unlock(&w->lock);
  return NULL;
}

void
hd_symbolic_limit(hd_symbolic_system *s, double seconds)
{
  s->deadline = hd_symbolic_now() + seconds;
  hd_symbolic_watch *w = hd_alloc_zero(sizeof *w);
  time_t whole = (time_t) s->deadline;
  w->deadline = (struct timespec){whole, (long) ((s->deadline - (double) whole) * 1e9)};
  w->ctx = s->ctx;
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_mutex_init(&w->lock, NULL);
  pthread_cond_init(&w->changed, &attributes);
  pthread_condattr_destroy(&attributes);
  if (pthread_create(&w->thread, NULL, wait_for_deadline, w) == 0)
    s->watch = w;
  else
    free(w); /* then the clock is only looked at between computations */
}

void
hd_symbolic_unwatch(hd_symbolic_system *s)
{
  hd_symbolic_watch *w = s->watch;
  if (!w)
    return;
  pthread_mutex_lock(&w->lock);
  w->over = true;
  pthread_cond_signal(&w->changed);
  pthread_mutex_unlock(&w->lock);
  pthread_join(w->thread, NULL);
  pthread_cond_destroy(&w->changed);
  pthread_mutex_destroy(&w->lock);
  free(w);
  s->watch = NULL;
}
