/* order.h: the order that synchronisation makes: a vector clock for each thread and each synchronisation object.
 * Private to src/monitor. */
#ifndef HD_MONITOR_ORDER_H
#define HD_MONITOR_ORDER_H

#include "monitor/vector.h"
#include "trace/trace.h"

typedef struct order_thread
{
  vector *v;                   /* what it knows of others */
  uint32_t clock;              /* its own, from 1; moves after each publication */
  known fence;                 /* what it knew at its last release fence */
  vector *seen;                /* of relaxed loads: an acquire fence would take it */
  struct gathering *gathering; /* at a barrier, where it arrived last */
} order_thread;

typedef enum order_mode
{
  ORDER_ALL,      /* happens-before */
  ORDER_SEGMENTS, /* without locks, atomics and fences: what orders in every schedule */
  /* The same, with condition variables, for who adds what reads bring in: clocks are positions, from 1, and
   * hd_monitor_order_tick moves them. */
  ORDER_POSITIONS
} order_mode;

typedef struct order order;
HD_GIVE order *hd_monitor_order_new(order_mode mode);
void hd_monitor_order_free(HD_TAKE order *o);
/* What the event takes from others, before it happens, and what it gives to them, after. */
void hd_monitor_order_before(order *o, const hd_trace_event *e);
void hd_monitor_order_after(order *o, const hd_trace_event *e);
void hd_monitor_order_tick(order *o, uint32_t thread);
/* THREAD learns K. True: it was new. */
bool hd_monitor_order_take(order *o, uint32_t thread, const known *k);
/* Until the next event. */
const order_thread *hd_monitor_order_thread(order *o, uint32_t thread);

/* Is what happened in the thread OTHER at its CLOCK ordered before what THREAD, which is T, does now? */
static inline bool
order_knows(const order_thread *t, uint32_t thread, uint32_t other, uint32_t clock)
{
  return other == thread || clock <= vector_get(t->v, other);
}

#endif
