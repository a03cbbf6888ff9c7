/* controller_monitor_futex.h: a lock and queues for controller_monitor.h, made of Linux' futexes: a lock of four bytes,
 * and for each blocking action a number that grows with every wake-up. Threads are woken when the lock is free again,
 * so that they find it free; that needs addresses alone, because the controller may be gone by then. */
#ifndef HEDDLE_CONTROLLER_MONITOR_FUTEX_H
#define HEDDLE_CONTROLLER_MONITOR_FUTEX_H

#include <heddle/controller_futex.h>
#include <heddle/controller_monitor.h>

/* The record of a controller begins with one of these, and then has the queues. */
typedef struct hd_controller_futex_base
{
  uint32_t lock;
} hd_controller_futex_base;

typedef struct hd_controller_futex_queue
{
  hd_controller_row row;
  uint32_t wakes; /* so far; changed under the lock, watched by sleepers */
} hd_controller_futex_queue;

static inline hd_controller_futex_queue *
hd_controller_futex_queues(void *controller)
{
  return (hd_controller_futex_queue *) (void *) ((hd_controller_futex_base *) controller + 1);
}

static HD_CC_UNUSED void
hd_controller_monitor_init(void *controller, unsigned queues)
{
  for (unsigned i = 0; i < queues; i++)
  {
    hd_controller_futex_queue *q = &hd_controller_futex_queues(controller)[i];
    q->row.waiting = 0;
    q->row.calls = false;
    q->wakes = 0;
  }
  __atomic_store_n(&((hd_controller_futex_base *) controller)->lock, 0, __ATOMIC_SEQ_CST);
}

static HD_CC_UNUSED void
hd_controller_monitor_lock(void *controller)
{
  hd_controller_futex_lock(&((hd_controller_futex_base *) controller)->lock);
}

static HD_CC_UNUSED void
hd_controller_monitor_unlock(void *controller)
{
  hd_controller_futex_unlock(&((hd_controller_futex_base *) controller)->lock);
}

static HD_CC_UNUSED void
hd_controller_monitor_call(void *controller, uint64_t wake, uint64_t all)
{
  (void) all;
  for (unsigned i = 0; i < 64 && wake >> i != 0; i++)
    if ((wake >> i & 1) != 0)
      __atomic_add_fetch(&hd_controller_futex_queues(controller)[i].wakes, 1, __ATOMIC_SEQ_CST);
}

static HD_CC_UNUSED void
hd_controller_monitor_wake(void *controller, uint64_t wake, uint64_t all)
{
  for (unsigned i = 0; i < 64 && wake >> i != 0; i++)
    if ((wake >> i & 1) != 0)
      hd_controller_futex_wake(&hd_controller_futex_queues(controller)[i].wakes, (all >> i & 1) != 0 ? INT_MAX : 1,
                               FUTEX_BITSET_MATCH_ANY);
}

typedef struct hd_controller_futex_sleeper
{
  void *controller;
  uint64_t (*leave)(void *);
  void *visit;
} hd_controller_futex_sleeper;

/* A cancelled waiter does not have the lock. Whom it wakes, it wakes alone: it is one of a queue that is woken one by
 * one. */
static HD_CC_UNUSED void
hd_controller_monitor_cancelled(void *sleeper)
{
  hd_controller_futex_sleeper *s = (hd_controller_futex_sleeper *) sleeper;
  hd_controller_monitor_lock(s->controller);
  const uint64_t wake = s->leave(s->visit);
  hd_controller_monitor_call(s->controller, wake, 0);
  hd_controller_monitor_unlock(s->controller);
  hd_controller_monitor_wake(s->controller, wake, 0);
}

static HD_CC_UNUSED bool
hd_controller_monitor_sleep(void *controller, unsigned queue, const struct timespec *deadline,
                            uint64_t (*leave)(void *), void *visit)
{
  hd_controller_futex_sleeper sleeper = {controller, leave, visit};
  uint32_t *wakes = &hd_controller_futex_queues(controller)[queue].wakes;
  const uint32_t seen = __atomic_load_n(wakes, __ATOMIC_SEQ_CST);
  hd_controller_monitor_unlock(controller);
  const bool in_time = hd_controller_futex_sleep(wakes, seen, FUTEX_BITSET_MATCH_ANY, deadline,
                                                 hd_controller_monitor_cancelled, &sleeper);
  hd_controller_monitor_lock(controller);
  return in_time;
}

static HD_CC_UNUSED hd_controller_row *
hd_controller_monitor_row(void *controller, unsigned queue)
{
  return &hd_controller_futex_queues(controller)[queue].row;
}

static const hd_controller_monitor hd_controller_futex HD_CC_UNUSED
    = {hd_controller_monitor_lock, hd_controller_monitor_unlock, hd_controller_monitor_sleep,
       hd_controller_monitor_call, hd_controller_monitor_wake,   hd_controller_monitor_row};

#endif
