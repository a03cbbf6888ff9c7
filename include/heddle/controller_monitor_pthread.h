/* controller_monitor_pthread.h: a lock and queues for controller_monitor.h, made of POSIX threads: a mutex, and a
 * condition for each blocking action. Wake-ups are given under the lock. */
#ifndef HEDDLE_CONTROLLER_MONITOR_PTHREAD_H
#define HEDDLE_CONTROLLER_MONITOR_PTHREAD_H

#include <heddle/controller_monitor.h>

/* The record of a controller begins with one of these, and then has the queues. */
typedef struct hd_controller_pthread_base
{
  pthread_mutex_t lock;
} hd_controller_pthread_base;

typedef struct hd_controller_pthread_queue
{
  pthread_cond_t condition;
  hd_controller_row row;
} hd_controller_pthread_queue;

static inline hd_controller_pthread_queue *
hd_controller_pthread_queues(void *controller)
{
  return (hd_controller_pthread_queue *) (void *) ((hd_controller_pthread_base *) controller + 1);
}

static HD_CC_UNUSED void
hd_controller_pthread_init(void *controller, unsigned queues)
{
  hd_controller_pthread_base *base = (hd_controller_pthread_base *) controller;
  if (pthread_mutex_init(&base->lock, NULL) != 0)
    abort(); /* only where a lock needs memory or another resource: not on Linux */
  for (unsigned i = 0; i < queues; i++)
  {
    hd_controller_pthread_queue *q = &hd_controller_pthread_queues(controller)[i];
    hd_controller_init_condition(&q->condition);
    q->row.waiting = 0;
    q->row.calls = false;
  }
}

static HD_CC_UNUSED void
hd_controller_pthread_destroy(void *controller, unsigned queues)
{
  for (unsigned i = 0; i < queues; i++)
    pthread_cond_destroy(&hd_controller_pthread_queues(controller)[i].condition);
  pthread_mutex_destroy(&((hd_controller_pthread_base *) controller)->lock);
}

static HD_CC_UNUSED void
hd_controller_pthread_lock(void *controller)
{
  pthread_mutex_lock(&((hd_controller_pthread_base *) controller)->lock);
}

static HD_CC_UNUSED void
hd_controller_pthread_unlock(void *controller)
{
  pthread_mutex_unlock(&((hd_controller_pthread_base *) controller)->lock);
}

static HD_CC_UNUSED void
hd_controller_pthread_call(void *controller, uint64_t wake, uint64_t all)
{
  for (unsigned i = 0; wake >> i != 0 && i < 64; i++)
  {
    if ((wake >> i & 1) == 0)
      continue;
    if ((all >> i & 1) != 0)
      pthread_cond_broadcast(&hd_controller_pthread_queues(controller)[i].condition);
    else
      pthread_cond_signal(&hd_controller_pthread_queues(controller)[i].condition);
  }
}

static HD_CC_UNUSED void
hd_controller_pthread_wake(void *controller, uint64_t wake, uint64_t all)
{
  (void) controller;
  (void) wake;
  (void) all;
}

typedef struct hd_controller_pthread_sleeper
{
  void *controller;
  uint64_t (*leave)(void *);
  void *visit;
} hd_controller_pthread_sleeper;

/* A cancelled waiter has the lock again. Whom it wakes, it wakes alone: it is one of a queue that is woken one by one.
 */
static HD_CC_UNUSED void
hd_controller_pthread_cancelled(void *sleeper)
{
  hd_controller_pthread_sleeper *s = (hd_controller_pthread_sleeper *) sleeper;
  hd_controller_pthread_call(s->controller, s->leave(s->visit), 0);
  hd_controller_pthread_unlock(s->controller);
}

/* Not inline: pthread_cleanup_push may be made of setjmp. */
static HD_CC_UNUSED __attribute__((noinline)) bool
hd_controller_pthread_sleep(void *controller, unsigned queue, const struct timespec *deadline,
                            uint64_t (*leave)(void *), void *visit)
{
  hd_controller_pthread_sleeper sleeper = {controller, leave, visit};
  pthread_cond_t *condition = &hd_controller_pthread_queues(controller)[queue].condition;
  pthread_mutex_t *lock = &((hd_controller_pthread_base *) controller)->lock;
  volatile int error = 0;
  pthread_cleanup_push(hd_controller_pthread_cancelled, &sleeper);
  if (deadline == NULL)
    pthread_cond_wait(condition, lock);
  else
    error = pthread_cond_timedwait(condition, lock, deadline);
  pthread_cleanup_pop(0);
  return error == 0;
}

static HD_CC_UNUSED hd_controller_row *
hd_controller_pthread_row(void *controller, unsigned queue)
{
  return &hd_controller_pthread_queues(controller)[queue].row;
}

static const hd_controller_monitor hd_controller_pthread HD_CC_UNUSED
    = {hd_controller_pthread_lock, hd_controller_pthread_unlock, hd_controller_pthread_sleep,
       hd_controller_pthread_call, hd_controller_pthread_wake,   hd_controller_pthread_row};

#endif
