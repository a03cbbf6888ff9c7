/* controller_monitor.h: generated controllers that have a lock and a queue for each blocking action. The rules are
 * those of controller_packed.h, with the lock in place of the swap: a queue's CALLS is its wait bit. */
#ifndef HEDDLE_CONTROLLER_MONITOR_H
#define HEDDLE_CONTROLLER_MONITOR_H

#include <heddle/controller_run.h>

/* The part of a queue that does not depend on how one sleeps. Changed under the lock alone. */
typedef struct hd_controller_row
{
  unsigned waiting; /* threads in here for this action */
  bool calls;       /* somebody sleeps whom nobody else is responsible for: whoever makes a guard true must wake */
} hd_controller_row;

/* Execute an action if one of its guards holds; the lock is held. WAKE: the queues to wake, one bit each; their CALLS
 * is false now. False: no guard holds, and nothing was changed. */
typedef bool hd_controller_step_monitor(void *controller, uint64_t *wake);

/* How one locks, sleeps and wakes. */
typedef struct hd_controller_monitor
{
  void (*lock)(void *controller);
  void (*unlock)(void *controller);
  /* Unlock, sleep in QUEUE, lock. False: the deadline has passed. When the thread is cancelled, LEAVE(VISIT) is called
   * with the lock held, and then the lock is free and who LEAVE wants to wake is woken. */
  bool (*sleep)(void *controller, unsigned queue, const struct timespec *deadline, uint64_t (*leave)(void *),
                void *visit);
  void (*call)(void *controller, uint64_t wake, uint64_t all); /* with the lock held: before */
  void (*wake)(void *controller, uint64_t wake, uint64_t all); /* after the lock was freed */
  hd_controller_row *(*row)(void *controller, unsigned queue);
} hd_controller_monitor;

/* What waiting has to know of a blocking action. */
typedef struct hd_controller_queued
{
  const hd_controller_monitor *monitor;
  hd_controller_step_monitor *step;
  bool (*can)(const void *controller); /* a guard holds; NULL: this queue is always woken as a whole */
  bool chain; /* a guard may hold after the action was executed: who was woken looks, and wakes the next */
  unsigned queue;
  uint64_t all; /* the queues that are woken as a whole */
} hd_controller_queued;

typedef struct hd_controller_queued_visit
{
  const hd_controller_queued *action;
  void *controller;
} hd_controller_queued_visit;

/* The thread is responsible for those who sleep in its queue and goes away. DID: it has just executed the action.
 * Returns whom to wake. */
static HD_CC_UNUSED uint64_t
hd_controller_hand_on(const hd_controller_queued *a, void *controller, bool did)
{
  hd_controller_row *row = a->monitor->row(controller, a->queue);
  if (--row->waiting == 0 || a->can == NULL)
    return 0;
  row->calls = (did && !a->chain) || !a->can(controller);
  return row->calls ? 0 : UINT64_C(1) << a->queue;
}

static HD_CC_UNUSED uint64_t
hd_controller_queued_leave(void *visit)
{
  const hd_controller_queued_visit *v = (const hd_controller_queued_visit *) visit;
  return hd_controller_hand_on(v->action, v->controller, false);
}

/* An action that does not wait. False: no guard holds. */
static inline bool
hd_controller_queued_now(const hd_controller_monitor *m, hd_controller_step_monitor *step, void *controller,
                         uint64_t all)
{
  uint64_t wake = 0;
  m->lock(controller);
  const bool did = step(controller, &wake);
  if (wake != 0)
    m->call(controller, wake, all);
  m->unlock(controller);
  if (wake != 0)
    m->wake(controller, wake, all);
  return did;
}

/* An action that waits until a guard holds. False: DEADLINE (NULL: none) has passed. */
static HD_CC_UNUSED bool
hd_controller_queued_wait(const hd_controller_queued *a, void *controller, const struct timespec *deadline)
{
  const hd_controller_monitor *m = a->monitor;
  hd_controller_queued_visit visit = {a, controller};
  uint64_t wake = 0;
  m->lock(controller);
  bool did = a->step(controller, &wake);
  if (!did)
  {
    hd_controller_row *row = m->row(controller, a->queue);
    bool late = false;
    row->waiting++;
    while (!did && !late)
    {
      row->calls = true;
      late = !m->sleep(controller, a->queue, deadline, hd_controller_queued_leave, &visit);
      did = a->step(controller, &wake); /* also when late: a guard may hold by now */
    }
    wake |= hd_controller_hand_on(a, controller, did);
  }
  if (wake != 0)
    m->call(controller, wake, a->all);
  m->unlock(controller);
  if (wake != 0)
    m->wake(controller, wake, a->all);
  return did;
}

#endif
