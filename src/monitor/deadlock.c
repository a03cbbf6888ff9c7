/* deadlock.c: cycles in which threads may wait for each other's locks (Goodlock, with gates and segments).
 *
 * A dependency says that a thread acquired a lock while it held others. Dependencies of different threads form a cycle
 * if each wants a lock that the next one holds. It is left out if no schedule can show it: if two of its threads hold a
 * lock in common (a gate: one of them must wait before), or if starting and joining threads, barriers or semaphores
 * order two of the acquisitions. Readers of one lock do not wait for each other; locks that were only tried are waited
 * for by nobody. */
#include "monitor/locksets.h"
#include "monitor/monitor.h"
#include "monitor/order.h"

#include <stdlib.h>
#include <string.h>

enum
{
  MOST_STEPS = 4000000, /* of the search for cycles */
  LONGEST = 16          /* threads in a cycle */
};

typedef struct dependency
{
  uint32_t thread, lock, lockset, clock;
  bool shared; /* it wants the lock for reading */
  vector *v;   /* with CLOCK: its segment */
  hd_monitor_place at;
  size_t held; /* places of the locks that it holds: index into HELD */
  uint32_t nheld;
} dependency;

typedef struct held_place
{
  uint32_t lock;
  hd_monitor_place at;
} held_place;

typedef struct numbers
{
  uint32_t *items;
  size_t n, cap;
} numbers;

typedef struct deadlock_thread
{
  hd_monitor_held held;
  hd_monitor_place *places; /* by mark */
  size_t n, cap;
} deadlock_thread;

struct hd_monitor_deadlock
{
  hd_monitor_deadlock_sink sink;
  order *order;
  hd_monitor_locksets *locksets;
  hd_trace_ids lock_ids, seen;
  uint64_t *targets; /* of locks */
  size_t ntargets, targets_cap;
  deadlock_thread *threads;
  size_t nthreads, threads_cap;
  dependency *dependencies;
  size_t n, cap;
  held_place *held;
  size_t nheld, held_cap;
  /* The search. */
  numbers *holders;    /* by lock: dependencies that hold it */
  uint32_t *component; /* by lock */
  uint32_t path[LONGEST];
  size_t depth, steps;
};

hd_monitor_deadlock *
hd_monitor_deadlock_new(hd_monitor_deadlock_sink sink)
{
  hd_monitor_deadlock *m = hd_alloc_zero(sizeof *m);
  m->sink = sink;
  m->order = hd_monitor_order_new(ORDER_SEGMENTS);
  m->locksets = hd_monitor_locksets_new();
  return m;
}

static deadlock_thread *
get_thread(hd_monitor_deadlock *m, uint32_t thread)
{
  while (m->nthreads <= thread)
    HD_PUSH(m->threads, m->nthreads, m->threads_cap, (deadlock_thread){0});
  return &m->threads[thread];
}

static uint32_t
get_lock(hd_monitor_deadlock *m, uint64_t target)
{
  uint32_t id = hd_trace_ids_get(&m->lock_ids, target);
  if (id == m->ntargets)
    HD_PUSH(m->targets, m->ntargets, m->targets_cap, target);
  return id;
}

static void
add_dependency(hd_monitor_deadlock *m, const hd_trace_event *e, deadlock_thread *t, uint32_t lock, bool shared)
{
  const order_thread *o = hd_monitor_order_thread(m->order, e->thread);
  dependency d = {.thread = e->thread,
                  .lock = lock,
                  .lockset = hd_monitor_locksets_of(m->locksets, &t->held),
                  .clock = o->clock,
                  .shared = shared,
                  .v = o->v,
                  .at = hd_monitor_place_of(e)};
  /* A vector that a dependency holds does not change: equal pointers are equal segments. */
  uint64_t key[] = {d.thread, d.lock, d.lockset, d.clock, shared, (uintptr_t) d.v, e->location};
  uint32_t before = m->seen.n;
  if (hd_trace_ids_get(&m->seen, hd_hash_bytes(key, sizeof key)) != before)
    return;
  vector_share(d.v);
  d.held = m->nheld;
  d.nheld = (uint32_t) t->held.n;
  for (size_t i = 0; i < t->held.n; i++)
    HD_PUSH(m->held, m->nheld, m->held_cap, (held_place){t->held.items[i].lock, t->places[t->held.items[i].mark]});
  HD_PUSH(m->dependencies, m->n, m->cap, d);
}

static void
acquire(hd_monitor_deadlock *m, const hd_trace_event *e)
{
  deadlock_thread *t = get_thread(m, e->thread);
  uint32_t lock = get_lock(m, e->target);
  bool shared = e->kind == HD_TRACE_ACQUIRE_SHARED;
  if (t->held.n > 0 && !(e->flags & HD_TRACE_TRIED))
    add_dependency(m, e, t, lock, shared);
  if (t->held.n == 0)
    t->n = 0; /* nobody refers to the places any more */
  hd_monitor_held_add(&t->held, (hd_monitor_held_lock){lock, (uint32_t) t->n, shared});
  HD_PUSH(t->places, t->n, t->cap, hd_monitor_place_of(e));
}

void
hd_monitor_deadlock_event(hd_monitor_deadlock *m, const hd_trace_event *e)
{
  uint32_t mark;
  hd_monitor_order_before(m->order, e);
  if (e->kind == HD_TRACE_ACQUIRE || e->kind == HD_TRACE_ACQUIRE_SHARED)
    acquire(m, e);
  else if (e->kind == HD_TRACE_RELEASE || e->kind == HD_TRACE_RELEASE_SHARED)
    hd_monitor_held_remove(&get_thread(m, e->thread)->held, get_lock(m, e->target), &mark);
  hd_monitor_order_after(m->order, e);
}

/* ---- the search ---- */

/* Strongly connected components of the locks, from held to wanted (Tarjan, without recursion): a cycle lies in one. */
typedef struct tarjan
{
  uint32_t *index, *low, *stack, *calls;
  size_t *edge;
  size_t nstack, ncalls;
  uint32_t next;
} tarjan;

static void
open_lock(tarjan *t, uint32_t lock)
{
  t->index[lock] = t->low[lock] = ++t->next;
  t->stack[t->nstack++] = lock;
  t->calls[t->ncalls++] = lock;
}

static void
close_lock(hd_monitor_deadlock *m, tarjan *t, uint32_t lock)
{
  if (t->low[lock] == t->index[lock])
    for (uint32_t other = UINT32_MAX; other != lock;)
    {
      other = t->stack[--t->nstack];
      m->component[other] = lock + 1;
    }
  if (--t->ncalls > 0)
  {
    uint32_t caller = t->calls[t->ncalls - 1];
    t->low[caller] = t->low[lock] < t->low[caller] ? t->low[lock] : t->low[caller];
  }
}

static void
find_components(hd_monitor_deadlock *m)
{
  size_t n = m->ntargets;
  tarjan t = {.index = hd_alloc_zero((n + 1) * sizeof(uint32_t)),
              .low = hd_alloc_zero((n + 1) * sizeof(uint32_t)),
              .stack = hd_alloc_array(n + 1, sizeof(uint32_t)),
              .calls = hd_alloc_array(n + 1, sizeof(uint32_t)),
              .edge = hd_alloc_zero((n + 1) * sizeof(size_t))};
  for (uint32_t root = 0; root < n; root++)
  {
    if (t.index[root] == 0)
      open_lock(&t, root);
    while (t.ncalls > 0)
    {
      uint32_t lock = t.calls[t.ncalls - 1];
      if (t.edge[lock] == m->holders[lock].n)
      {
        close_lock(m, &t, lock);
        continue;
      }
      uint32_t wanted = m->dependencies[m->holders[lock].items[t.edge[lock]++]].lock;
      if (t.index[wanted] == 0)
        open_lock(&t, wanted);
      else if (m->component[wanted] == 0 && t.index[wanted] < t.low[lock])
        t.low[lock] = t.index[wanted];
    }
  }
  free(t.index);
  free(t.low);
  free(t.stack);
  free(t.calls);
  free(t.edge);
}

static bool
ordered(const dependency *a, const dependency *b)
{
  return a->clock <= vector_get(b->v, a->thread) || b->clock <= vector_get(a->v, b->thread);
}

/* Does B hold what A wants, so that A waits? */
static bool
blocks(const hd_monitor_deadlock *m, const dependency *a, const dependency *b)
{
  bool shared;
  return hd_monitor_locksets_has(m->locksets, b->lockset, a->lock, &shared) && !(shared && a->shared);
}

/* Can D be in one cycle with all of the path? */
static bool
fits(const hd_monitor_deadlock *m, const dependency *d)
{
  for (size_t i = 0; i < m->depth; i++)
  {
    const dependency *other = &m->dependencies[m->path[i]];
    if (other->thread == d->thread || hd_monitor_locksets_exclude(m->locksets, other->lockset, d->lockset)
        || ordered(other, d))
      return false;
  }
  return true;
}

static void
report(hd_monitor_deadlock *m)
{
  hd_monitor_wait waits[LONGEST];
  for (size_t i = 0; i < m->depth; i++)
  {
    const dependency *d = &m->dependencies[m->path[i]];
    uint32_t held = m->dependencies[m->path[(i + m->depth - 1) % m->depth]].lock;
    waits[i] = (hd_monitor_wait){.at = d->at, .wanted = m->targets[d->lock], .held = m->targets[held]};
    for (uint32_t h = 0; h < d->nheld; h++)
      if (m->held[d->held + h].lock == held)
        waits[i].held_at = m->held[d->held + h].at;
  }
  m->sink.deadlock(m->sink.context, waits, m->depth);
}

/* Cycles whose first dependency is the first of the path, and in which it is the smallest. */
static void
extend(hd_monitor_deadlock *m)
{
  const dependency *first = &m->dependencies[m->path[0]], *last = &m->dependencies[m->path[m->depth - 1]];
  if (m->depth > 1 && blocks(m, last, first))
  {
    report(m);
    return; /* a longer one would be this one and more */
  }
  const numbers *next = &m->holders[last->lock];
  for (size_t i = 0; i < next->n && m->steps < MOST_STEPS; i++)
  {
    uint32_t candidate = next->items[i];
    const dependency *d = &m->dependencies[candidate];
    m->steps++;
    if (candidate <= m->path[0] || m->component[d->lock] != m->component[last->lock] || !blocks(m, last, d)
        || !fits(m, d))
      continue;
    if (m->depth == LONGEST)
    {
      m->steps = MOST_STEPS; /* not all was tried */
      return;
    }
    m->path[m->depth++] = candidate;
    extend(m);
    m->depth--;
  }
}

bool
hd_monitor_deadlock_finish(hd_monitor_deadlock *m)
{
  m->holders = hd_alloc_zero((m->ntargets + 1) * sizeof *m->holders);
  m->component = hd_alloc_zero((m->ntargets + 1) * sizeof *m->component);
  for (uint32_t i = 0; i < m->n; i++)
    for (uint32_t h = 0; h < m->dependencies[i].nheld; h++)
    {
      numbers *list = &m->holders[m->held[m->dependencies[i].held + h].lock];
      HD_PUSH(list->items, list->n, list->cap, i);
    }
  find_components(m);
  for (uint32_t i = 0; i < m->n && m->steps < MOST_STEPS; i++)
  {
    m->depth = 1;
    m->path[0] = i;
    extend(m);
  }
  bool all = m->steps < MOST_STEPS;
  for (size_t i = 0; i < m->ntargets; i++)
    free(m->holders[i].items);
  for (size_t i = 0; i < m->n; i++)
    hd_monitor_vector_drop(m->dependencies[i].v);
  for (size_t i = 0; i < m->nthreads; i++)
  {
    free(m->threads[i].held.items);
    free(m->threads[i].places);
  }
  free(m->threads);
  free(m->holders);
  free(m->component);
  free(m->dependencies);
  free(m->held);
  free(m->targets);
  hd_trace_ids_free(&m->lock_ids);
  hd_trace_ids_free(&m->seen);
  hd_monitor_locksets_free(m->locksets);
  hd_monitor_order_free(m->order);
  free(m);
  return all;
}
