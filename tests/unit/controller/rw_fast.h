/* rw_fast.h: what a generator might make of examples/controllers/rw.h, written by hand: two conditions, and only those
 * who can go on are woken. It shows what HD_CONTROLLER_GENERATED must define. Included by controller.h, where
 * rw_action_* and the types of enumerations are known. */
#ifndef CONTROLLER_RW_FAST_H
#define CONTROLLER_RW_FAST_H

#include <heddle/controller_run.h>

typedef struct rw
{
  pthread_mutex_t lock;
  pthread_cond_t readers, writers;
  HD_CONTROLLER_MEMBERS
  int nR;
  bool busy;
  bool fast; /* this record has other members than the plain one */
} rw;

static inline void
hd_rw_init(rw *c)
{
  pthread_mutex_t unused;
  hd_controller_init_lock(&c->lock, &c->readers);
  hd_controller_init_lock(&unused, &c->writers);
  pthread_mutex_destroy(&unused);
  c->nR = 0;
  c->busy = false;
  c->fast = true;
}

static inline void
hd_rw_destroy(rw *c)
{
  pthread_cond_destroy(&c->writers);
  pthread_cond_destroy(&c->readers);
  pthread_mutex_destroy(&c->lock);
}

static inline bool
hd_rw_enter(rw *c, bool writer, bool wait, const struct timespec *deadline)
{
  bool late = !wait;
  pthread_mutex_lock(&c->lock);
  while (c->busy || (writer && c->nR > 0))
  {
    if (late)
    {
      pthread_mutex_unlock(&c->lock);
      return false;
    }
    late = !hd_controller_wait(&c->lock, writer ? &c->writers : &c->readers, deadline);
  }
  if (writer)
    c->busy = true;
  else
    c->nR++;
  pthread_mutex_unlock(&c->lock);
  return true;
}

static inline bool
hd_rw_exit(rw *c, bool writer)
{
  pthread_mutex_lock(&c->lock);
  if (writer)
  {
    c->busy = false;
    pthread_cond_broadcast(&c->readers);
  }
  else
    c->nR--;
  if (c->nR == 0)
    pthread_cond_broadcast(&c->writers);
  pthread_mutex_unlock(&c->lock);
  return true;
}

static inline bool
hd_rw_wait_r_enter(rw *c, const struct timespec *deadline)
{
  return hd_rw_enter(c, false, true, deadline);
}

static inline bool
hd_rw_try_r_enter(rw *c)
{
  return hd_rw_enter(c, false, false, NULL);
}

static inline bool
hd_rw_wait_w_enter(rw *c, const struct timespec *deadline)
{
  return hd_rw_enter(c, true, true, deadline);
}

static inline bool
hd_rw_try_w_enter(rw *c)
{
  return hd_rw_enter(c, true, false, NULL);
}

static inline bool
hd_rw_now_r_exit(rw *c)
{
  return hd_rw_exit(c, false);
}

static inline bool
hd_rw_now_w_exit(rw *c)
{
  return hd_rw_exit(c, true);
}

#endif
