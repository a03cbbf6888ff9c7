/* order.c: happens-before, from the events that synchronise.
 *
 *   mutex            release -> later acquire
 *   rwlock           exclusive release -> later acquire; shared release -> later exclusive acquire
 *   start, join      start -> everything of the thread -> join
 *   barrier          arrive -> leave of the same generation
 *   semaphore        post -> later pend
 *   condition        nothing: the mutex carries the order (ORDER_POSITIONS: signal -> later wake)
 *   atomics, fences  as C11 has it: a release store starts a release sequence that read-modify-writes continue and
 * other stores break; fences before relaxed stores and after relaxed loads count */
#include "monitor/order.h"

#include <stdlib.h>

/* One generation of a barrier: who arrives, until all have. */
typedef struct gathering
{
  uint32_t refs, arrived;
  bool full; /* who arrives now belongs to the next one */
  vector *sum;
} gathering;

typedef struct sync
{
  known one;            /* the last that replaced everything */
  vector *sum;          /* what was added since, or readers' releases */
  gathering *gathering; /* a barrier's newest */
} sync;

typedef struct sync_table
{
  hd_trace_ids ids;
  sync *syncs;
  size_t n, cap;
} sync_table;

struct order
{
  order_mode mode;
  bool locks; /* locks and atomics count */
  order_thread *threads;
  size_t nthreads, threads_cap;
  sync_table locks_table, objects, atomics[2]; /* atomics: named, addresses */
};

order *
hd_monitor_order_new(order_mode mode)
{
  order *o = hd_alloc_zero(sizeof *o);
  o->mode = mode;
  o->locks = mode == ORDER_ALL;
  return o;
}

static void
drop_gathering(gathering *g)
{
  if (!g || --g->refs > 0)
    return;
  hd_monitor_vector_drop(g->sum);
  free(g);
}

static void
free_table(sync_table *t)
{
  for (size_t i = 0; i < t->n; i++)
  {
    known_drop(&t->syncs[i].one);
    hd_monitor_vector_drop(t->syncs[i].sum);
    drop_gathering(t->syncs[i].gathering);
  }
  free(t->syncs);
  hd_trace_ids_free(&t->ids);
}

void
hd_monitor_order_free(order *o)
{
  if (!o)
    return;
  for (size_t i = 0; i < o->nthreads; i++)
  {
    hd_monitor_vector_drop(o->threads[i].v);
    hd_monitor_vector_drop(o->threads[i].seen);
    known_drop(&o->threads[i].fence);
    drop_gathering(o->threads[i].gathering);
  }
  free(o->threads);
  free_table(&o->locks_table);
  free_table(&o->objects);
  free_table(&o->atomics[0]);
  free_table(&o->atomics[1]);
  free(o);
}

static order_thread *
get_thread(order *o, uint32_t thread)
{
  while (o->nthreads <= thread)
    HD_PUSH(o->threads, o->nthreads, o->threads_cap, (order_thread){.clock = o->mode != ORDER_POSITIONS});
  return &o->threads[thread];
}

const order_thread *
hd_monitor_order_thread(order *o, uint32_t thread)
{
  return get_thread(o, thread);
}

static sync *
get_sync(sync_table *t, uint64_t target)
{
  uint32_t id = hd_trace_ids_get(&t->ids, target);
  if (id == t->n)
    HD_PUSH(t->syncs, t->n, t->cap, (sync){0});
  return &t->syncs[id];
}

/* ---- taking ---- */

bool
hd_monitor_order_take(order *o, uint32_t thread, const known *k)
{
  order_thread *t = get_thread(o, thread);
  if (k->clock == 0 || order_knows(t, thread, k->thread, k->clock))
    return false;
  hd_monitor_vector_join(&t->v, k->v, k->thread);
  hd_monitor_vector_set(&t->v, k->thread, k->clock);
  return true;
}

void
hd_monitor_order_tick(order *o, uint32_t thread)
{
  HD_CHECK(++get_thread(o, thread)->clock != 0);
}

static void
take_vector(order *o, uint32_t thread, const vector *v)
{
  hd_monitor_vector_join(&get_thread(o, thread)->v, v, thread);
}

static void
take_sync(order *o, uint32_t thread, const sync *s)
{
  hd_monitor_order_take(o, thread, &s->one);
  take_vector(o, thread, s->sum);
}

/* ---- giving ---- */

static known
publish(order *o, uint32_t thread)
{
  order_thread *t = get_thread(o, thread);
  known k = {vector_share(t->v), thread, t->clock};
  if (o->mode != ORDER_POSITIONS)
    HD_CHECK(++t->clock != 0);
  return k;
}

static void
add_known(vector **sum, const known *k)
{
  if (k->clock == 0)
    return;
  hd_monitor_vector_join(sum, k->v, k->thread);
  if (vector_get(*sum, k->thread) < k->clock)
    hd_monitor_vector_set(sum, k->thread, k->clock);
}

static void
replace(sync *s, HD_TAKE known k)
{
  known_drop(&s->one);
  hd_monitor_vector_drop(s->sum);
  s->sum = NULL;
  s->one = k;
}

static void
add_published(order *o, uint32_t thread, vector **sum)
{
  known k = publish(o, thread);
  add_known(sum, &k);
  known_drop(&k);
}

static known
share_known(const known *k)
{
  return (known){vector_share(k->v), k->thread, k->clock};
}

/* ---- atomics ---- */

static bool
acquires(uint8_t order)
{
  return order == HD_TRACE_CONSUME || order == HD_TRACE_ACQUIRES || order >= HD_TRACE_ACQ_REL;
}

static bool
releases(uint8_t order)
{
  return order >= HD_TRACE_RELEASES;
}

static sync *
get_atomic(order *o, const hd_trace_event *e)
{
  return get_sync(&o->atomics[e->size > 0], e->target);
}

static void
atomic_load(order *o, const hd_trace_event *e)
{
  sync *s = get_atomic(o, e);
  if (acquires(e->order))
  {
    take_sync(o, e->thread, s);
    return;
  }
  order_thread *t = get_thread(o, e->thread);
  add_known(&t->seen, &s->one);
  hd_monitor_vector_join(&t->seen, s->sum, VECTOR_NO_SKIP);
}

static void
atomic_store(order *o, const hd_trace_event *e)
{
  order_thread *t = get_thread(o, e->thread);
  replace(get_atomic(o, e), releases(e->order) ? publish(o, e->thread) : share_known(&t->fence));
}

static void
atomic_rmw(order *o, const hd_trace_event *e)
{
  sync *s = get_atomic(o, e);
  order_thread *t = get_thread(o, e->thread);
  if (releases(e->order) && acquires(e->order))
    replace(s, publish(o, e->thread)); /* it has just taken what was there */
  else if (releases(e->order))
    add_published(o, e->thread, &s->sum);
  else
    add_known(&s->sum, &t->fence);
}

static void
fence(order *o, const hd_trace_event *e)
{
  order_thread *t = get_thread(o, e->thread);
  if (acquires(e->order))
    take_vector(o, e->thread, t->seen);
  if (releases(e->order))
  {
    known_drop(&t->fence);
    known k = publish(o, e->thread);
    get_thread(o, e->thread)->fence = k;
  }
}

/* ---- events ---- */

static void
arrive(order *o, const hd_trace_event *e)
{
  sync *s = get_sync(&o->objects, e->target);
  order_thread *t = get_thread(o, e->thread);
  if (!s->gathering || s->gathering->full)
  {
    drop_gathering(s->gathering);
    s->gathering = hd_alloc_zero(sizeof *s->gathering);
    s->gathering->refs = 1;
  }
  drop_gathering(t->gathering);
  t->gathering = s->gathering;
  t->gathering->refs++;
  t->gathering->full = ++t->gathering->arrived == e->size; /* never, if the size is not known */
  add_published(o, e->thread, &t->gathering->sum);
}

static void
leave(order *o, const hd_trace_event *e)
{
  gathering *g = get_thread(o, e->thread)->gathering;
  if (!g)
    return;       /* it never arrived */
  g->full = true; /* one has left: all have arrived */
  take_vector(o, e->thread, g->sum);
}

void
hd_monitor_order_before(order *o, const hd_trace_event *e)
{
  switch (e->kind)
  {
  case HD_TRACE_ACQUIRE:
    if (o->locks)
      take_sync(o, e->thread, get_sync(&o->locks_table, e->target));
    break;
  case HD_TRACE_ACQUIRE_SHARED:
    if (o->locks)
      hd_monitor_order_take(o, e->thread, &get_sync(&o->locks_table, e->target)->one);
    break;
  case HD_TRACE_JOIN:
  {
    /* The thread does nothing more: what it knows now is all. It may have done nothing at all. */
    order_thread *t = get_thread(o, (uint32_t) e->target);
    known k = {t->v, (uint32_t) e->target, t->clock};
    take_vector(o, e->thread, k.v);
    hd_monitor_order_take(o, e->thread, &k);
    break;
  }
  case HD_TRACE_ATOMIC_LOAD:
  case HD_TRACE_ATOMIC_RMW:
    if (o->locks)
      atomic_load(o, e);
    break;
  case HD_TRACE_WAKE:
    if (o->mode == ORDER_POSITIONS)
      take_vector(o, e->thread, get_sync(&o->objects, e->target)->sum);
    break;
  case HD_TRACE_PEND:
    take_vector(o, e->thread, get_sync(&o->objects, e->target)->sum);
    break;
  case HD_TRACE_LEAVE:
    leave(o, e);
    break;
  default:
    break;
  }
}

void
hd_monitor_order_after(order *o, const hd_trace_event *e)
{
  switch (e->kind)
  {
  case HD_TRACE_RELEASE:
    if (o->locks)
      replace(get_sync(&o->locks_table, e->target), publish(o, e->thread));
    break;
  case HD_TRACE_RELEASE_SHARED:
    if (o->locks)
      add_published(o, e->thread, &get_sync(&o->locks_table, e->target)->sum);
    break;
  case HD_TRACE_FORK:
  {
    known k = publish(o, e->thread);
    hd_monitor_order_take(o, (uint32_t) e->target, &k);
    known_drop(&k);
    break;
  }
  case HD_TRACE_ATOMIC_STORE:
    if (o->locks)
      atomic_store(o, e);
    break;
  case HD_TRACE_ATOMIC_RMW:
    if (o->locks)
      atomic_rmw(o, e);
    break;
  case HD_TRACE_FENCE:
    if (o->locks)
      fence(o, e);
    break;
  case HD_TRACE_SIGNAL:
  case HD_TRACE_BROADCAST:
    if (o->mode == ORDER_POSITIONS)
      add_published(o, e->thread, &get_sync(&o->objects, e->target)->sum);
    break;
  case HD_TRACE_POST:
    add_published(o, e->thread, &get_sync(&o->objects, e->target)->sum);
    break;
  case HD_TRACE_ARRIVE:
    arrive(o, e);
    break;
  default:
    break;
  }
}
