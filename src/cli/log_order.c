/* log_order.c: see log_order.h. Memory: what lies above the frontier, as in a check. */
#include "cli/log_order.h"

#include <stdlib.h>
#include <string.h>

/* An event that waits; the values and their bytes are in the same block. */
typedef struct waiting
{
  uint64_t position, number; /* NUMBER: order of arrival */
  hd_ordered *ordered;
} waiting;

typedef struct queue
{
  waiting *items;
  size_t n, cap;
  uint64_t frontier;
} queue;

typedef struct frame
{
  uint64_t position;
  const char *method;
} frame;

typedef struct thread
{
  frame frames[HD_MAX_DEPTH];
  uint32_t depth;
} thread;

struct hd_log_order
{
  const hd_log *log;
  hd_ordered_sink sink;
  void *context;
  uint64_t number;
  queue *queues; /* by object */
  size_t nqueues, cap_queues;
  thread **threads; /* by number */
  size_t nthreads, cap_threads;
};

static hd_ordered *
copy(const hd_event *e)
{
  size_t size = sizeof(hd_ordered) + e->nvalues * sizeof(hd_value);
  for (uint32_t i = 0; i < e->nvalues; i++)
    if (e->values[i].type >= HD_STR)
      size += e->values[i].length;
  hd_ordered *o = hd_alloc(size);
  hd_value *values = (hd_value *) (o + 1);
  char *bytes = (char *) (values + e->nvalues);
  o->event = *e;
  o->event.values = values;
  for (uint32_t i = 0; i < e->nvalues; i++)
  {
    values[i] = e->values[i];
    if (values[i].type >= HD_STR)
    {
      memcpy(bytes, values[i].p, values[i].length);
      values[i].p = bytes;
      bytes += values[i].length;
    }
  }
  return o;
}

static queue *
get_queue(hd_log_order *order, uint32_t object)
{
  while (order->nqueues <= object)
    HD_PUSH(order->queues, order->nqueues, order->cap_queues, (queue){0});
  return &order->queues[object];
}

static thread *
get_thread(hd_log_order *order, uint32_t number)
{
  while (order->nthreads <= number)
    HD_PUSH(order->threads, order->nthreads, order->cap_threads, NULL);
  if (!order->threads[number])
    order->threads[number] = hd_alloc_zero(sizeof(thread));
  return order->threads[number];
}

static bool
opens(uint32_t kind)
{
  return kind == HD_K_CALL || kind == HD_K_CALL_NOCOMMIT || kind == HD_K_INTERNAL_BEGIN;
}

static bool
closes(uint32_t kind)
{
  return kind == HD_K_RETURN || kind == HD_K_RETURN_EXC || kind == HD_K_INTERNAL_END || kind == HD_K_ABANDON;
}

static bool
stands_alone(uint32_t kind)
{
  return kind == HD_K_MISUSE || kind == HD_K_OBJECT_END || (kind >= HD_K_FREE_WRITE && kind <= HD_K_FREE_REPLAY);
}

static bool
take_event(void *context, const hd_event *e)
{
  hd_log_order *order = context;
  thread *t = get_thread(order, e->thread);
  queue *q = get_queue(order, e->object);
  const hd_log_site *site = hd_log_site_get(order->log, e->site);
  hd_ordered *o = copy(e);
  frame *f = stands_alone(e->kind) || opens(e->kind) || t->depth == 0 ? NULL : &t->frames[t->depth - 1];
  o->position = e->stamped ? 2 * e->stamp + e->ticked : f ? f->position : 2 * q->frontier;
  o->method = opens(e->kind) && site ? site->method : f ? f->method : "";
  if (f)
    f->position = o->position;
  if (opens(e->kind) && t->depth < HD_MAX_DEPTH)
    t->frames[t->depth++] = (frame){.position = o->position, .method = o->method};
  else if (closes(e->kind) && t->depth > 0)
    t->depth--;
  HD_PUSH(q->items, q->n, q->cap, (waiting){.position = o->position, .number = order->number++, .ordered = o});
  return true;
}

static int
by_position(const void *a, const void *b)
{
  const waiting *x = a, *y = b;
  if (x->position != y->position)
    return x->position < y->position ? -1 : 1;
  return x->number < y->number ? -1 : x->number > y->number;
}

static void
hand_on(hd_log_order *order, queue *q, uint64_t below)
{
  size_t ready = 0;
  for (size_t i = 0; i < q->n; i++)
    if (q->items[i].position < below)
    {
      waiting w = q->items[i];
      q->items[i] = q->items[ready];
      q->items[ready++] = w;
    }
  if (ready)
    qsort(q->items, ready, sizeof *q->items, by_position);
  for (size_t i = 0; i < ready; i++)
  {
    order->sink(order->context, q->items[i].ordered);
    free(q->items[i].ordered);
  }
  q->n -= ready;
  if (q->n)
    memmove(q->items, q->items + ready, q->n * sizeof *q->items);
}

static void
take_frontier(void *context, uint32_t object, uint64_t f)
{
  hd_log_order *order = context;
  queue *q = get_queue(order, object);
  q->frontier = f > HD_CLOCK_TICKS ? HD_CLOCK_TICKS : f;
  hand_on(order, q, f > HD_CLOCK_TICKS ? UINT64_MAX : 2 * f);
}

hd_log_order *
hd_log_order_new(const hd_log *log, hd_ordered_sink sink, void *context)
{
  hd_log_order *order = hd_alloc_zero(sizeof *order);
  order->log = log;
  order->sink = sink;
  order->context = context;
  return order;
}

void
hd_log_order_flush(hd_log_order *order)
{
  for (size_t i = 0; i < order->nqueues; i++)
    hand_on(order, &order->queues[i], UINT64_MAX);
}

void
hd_log_order_free(hd_log_order *order)
{
  for (size_t i = 0; i < order->nqueues; i++)
  {
    for (size_t k = 0; k < order->queues[i].n; k++)
      free(order->queues[i].items[k].ordered);
    free(order->queues[i].items);
  }
  for (size_t i = 0; i < order->nthreads; i++)
    free(order->threads[i]);
  free(order->queues);
  free(order->threads);
  free(order);
}

hd_log_sink
hd_log_order_sink(hd_log_order *order)
{
  return (hd_log_sink){.context = order, .event = take_event, .frontier = take_frontier};
}
