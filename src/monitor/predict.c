/* predict.c: sync-preserving races (Mathur, Pavlogiannis and Viswanathan, POPL 2021), in one pass, and some others.
 *
 * Two conflicting accesses race if what stands before each of them in its thread, closed under the order of threads,
 * start and join, what reads saw, and finished critical sections, contains neither of them: then that set in the order
 * of the trace, followed by the two, is an execution of the program.
 *
 * The accesses of one thread to a cell are kept in a list. For the thread of a later access, and its kind, one pointer
 * walks this list: the set for a pair grows with both of its accesses, so an access that once was in it always will be.
 * Of accesses between which the thread acquired nothing and learnt nothing only the last is kept: if an earlier one
 * races, so does it. A pair under a common lock needs no set: it cannot race.
 *
 * Where there is none it is tried whether the thread of an earlier access can be put off (reverse.h).
 *
 * Kinds beyond the paper: atomics bring in what they read and do not race among themselves; pends bring in the posts
 * before them, wakes the signals, leaving a barrier its arrivals; sections for reading do not exclude each other. */
#include "monitor/cells.h"
#include "monitor/ideal.h"
#include "monitor/locksets.h"
#include "monitor/monitor.h"
#include "monitor/order.h"
#include "monitor/reverse.h"

#include <stdlib.h>
#include <string.h>

/* Kinds of accesses. */
enum
{
  IS_WRITE = 1,
  IS_ATOMIC = 2,
  ACCESS_KINDS = 4
};

typedef struct entry
{
  vector *v; /* what the thread had brought in before */
  uint64_t number;
  uint32_t position, segment, lockset, location, stack;
  uint8_t access, kind;
} entry;

/* Where a thread's accesses of one kind stand in the list of another. */
typedef struct walker
{
  ideal *ideal;      /* NULL: none was needed yet */
  uint32_t consumed; /* accesses up to this position cannot race with what comes */
  size_t at;         /* index of the first one after it, or a little beyond */
} walker;

typedef struct walkers
{
  walker of[ACCESS_KINDS];
} walkers;

/* The accesses of one thread to a cell. */
typedef struct slot
{
  uint32_t thread;
  entry *entries;
  size_t n, cap;
  walkers *others; /* in the lists of other slots, by their index */
  size_t nothers, others_cap;
} slot;

typedef struct cell
{
  known last_write;
  slot *slots;
  size_t n, cap;
} cell;

typedef struct predict_thread
{
  hd_monitor_held held;
  uint32_t segment;
} predict_thread;

struct hd_monitor_predict
{
  hd_monitor_race_sink sink;
  order *order; /* positions */
  cells *cells;
  cell *state;
  size_t state_cap;
  hd_monitor_locksets *locksets;
  hd_trace_ids lock_ids;
  predict_thread *threads;
  size_t nthreads, threads_cap;
  section_table sections;
  bool puts_off;
  reverse *reverse;
};

/* ---- cells ---- */

static cell *
get_cell(hd_monitor_predict *m, uint32_t i)
{
  if (i >= m->state_cap)
    hd_grow_zero(&m->state, &m->state_cap, (size_t) i + 1, sizeof *m->state);
  return &m->state[i];
}

static void
clear_cell(void *context, uint32_t i)
{
  hd_monitor_predict *m = context;
  if (i >= m->state_cap)
    return;
  cell *c = &m->state[i];
  hd_monitor_reverse_forget(m->reverse, i);
  for (size_t s = 0; s < c->n; s++)
  {
    for (size_t j = 0; j < c->slots[s].n; j++)
      hd_monitor_vector_drop(c->slots[s].entries[j].v);
    for (size_t j = 0; j < c->slots[s].nothers; j++)
      for (int k = 0; k < ACCESS_KINDS; k++)
        hd_monitor_ideal_free(c->slots[s].others[j].of[k].ideal);
    free(c->slots[s].entries);
    free(c->slots[s].others);
  }
  free(c->slots);
  known_drop(&c->last_write);
  *c = (cell){0};
}

static slot *
get_slot(cell *c, uint32_t thread)
{
  for (size_t i = 0; i < c->n; i++)
    if (c->slots[i].thread == thread)
      return &c->slots[i];
  HD_PUSH(c->slots, c->n, c->cap, (slot){.thread = thread});
  return &c->slots[c->n - 1];
}

/* Walkers start anew: what they know can be found again. */
static void
copy_cell(void *context, uint32_t from, uint32_t to)
{
  hd_monitor_predict *m = context;
  get_cell(m, from > to ? from : to);
  cell *a = &m->state[from], *b = &m->state[to];
  hd_monitor_reverse_forget(m->reverse, from);
  hd_monitor_reverse_forget(m->reverse, to);
  b->last_write = (known){vector_share(a->last_write.v), a->last_write.thread, a->last_write.clock};
  for (size_t s = 0; s < a->n; s++)
  {
    slot *copy = get_slot(b, a->slots[s].thread);
    for (size_t j = 0; j < a->slots[s].n; j++)
    {
      vector_share(a->slots[s].entries[j].v);
      HD_PUSH(copy->entries, copy->n, copy->cap, a->slots[s].entries[j]);
    }
  }
}

hd_monitor_predict *
hd_monitor_predict_new(hd_monitor_race_sink sink, bool puts_off)
{
  hd_monitor_predict *m = hd_alloc_zero(sizeof *m);
  m->sink = sink;
  m->order = hd_monitor_order_new(ORDER_POSITIONS);
  m->cells = hd_monitor_cells_new((cell_user){m, copy_cell, clear_cell});
  m->locksets = hd_monitor_locksets_new();
  m->puts_off = puts_off;
  m->reverse = hd_monitor_reverse_new();
  return m;
}

void
hd_monitor_predict_finish(hd_monitor_predict *m)
{
  for (size_t i = 0; i < m->state_cap; i++)
    clear_cell(m, (uint32_t) i);
  free(m->state);
  for (size_t t = 0; t < m->sections.n; t++)
  {
    for (size_t i = 0; i < m->sections.threads[t].n; i++)
      hd_monitor_vector_drop(m->sections.threads[t].items[i].v);
    free(m->sections.threads[t].items);
  }
  for (size_t t = 0; t < m->nthreads; t++)
    free(m->threads[t].held.items);
  free(m->sections.threads);
  free(m->threads);
  hd_monitor_locksets_free(m->locksets);
  hd_monitor_reverse_free(m->reverse);
  hd_trace_ids_free(&m->lock_ids);
  hd_monitor_cells_free(m->cells);
  hd_monitor_order_free(m->order);
  free(m);
}

static predict_thread *
get_thread(hd_monitor_predict *m, uint32_t thread)
{
  while (m->nthreads <= thread)
    HD_PUSH(m->threads, m->nthreads, m->threads_cap, (predict_thread){0});
  while (m->sections.n <= thread)
    HD_PUSH(m->sections.threads, m->sections.n, m->sections.cap, (sections){0});
  return &m->threads[thread];
}

/* ---- accesses ---- */

static bool
conflict(uint8_t a, uint8_t b)
{
  return ((a | b) & IS_WRITE) && !(a & b & IS_ATOMIC);
}

/* Does NEW conflict with all that OLD conflicts with? */
static bool
supersedes(uint8_t new, uint8_t old)
{
  return new == IS_WRITE || new == old || old == IS_ATOMIC;
}

static void
report(hd_monitor_predict *m, const entry *x, uint32_t thread, const hd_trace_event *e, const ideal *i,
       uint32_t put_off)
{
  hd_monitor_race r = {.first = {x->number, thread, x->location, x->stack, x->kind},
                       .second = hd_monitor_place_of(e),
                       .target = e->target,
                       .size = e->size,
                       .predicted = true,
                       .put_off = put_off};
  r.prefix = hd_monitor_ideal_prefix(i, &r.nthreads);
  m->sink.race(m->sink.context, &r);
}

/* Is there an access in the list of OTHER that races with E? */
static bool
walk(hd_monitor_predict *m, walker *w, const slot *other, const hd_trace_event *e, uint8_t access,
     const order_thread *t, uint32_t lockset)
{
  /* What the thread has brought in itself is in every set. */
  uint32_t brought = vector_get(t->v, other->thread);
  if (brought > w->consumed)
    w->consumed = brought;
  /* The end of the list may have changed since. */
  while (w->at > 0 && (w->at > other->n || other->entries[w->at - 1].position > w->consumed))
    w->at--;
  for (; w->at < other->n; w->at++)
  {
    const entry *x = &other->entries[w->at];
    if (x->position <= w->consumed)
      continue;
    if (conflict(x->access, access) && !hd_monitor_locksets_exclude(m->locksets, x->lockset, lockset))
    {
      if (!w->ideal)
        w->ideal = hd_monitor_ideal_new();
      hd_monitor_ideal_add(w->ideal, t->v, e->thread, t->clock - 1);
      hd_monitor_ideal_add(w->ideal, x->v, other->thread, x->position - 1);
      hd_monitor_ideal_close(w->ideal, &m->sections);
      uint32_t reached = ideal_position(w->ideal, other->thread);
      if (x->position > reached)
      {
        report(m, x, other->thread, e, w->ideal, 0);
        return true;
      }
      w->consumed = reached;
    }
    if (x->position > w->consumed)
      w->consumed = x->position;
  }
  return false;
}

/* Is there one, of the last few, if the thread of OTHER is put off? */
static void
put_off(hd_monitor_predict *m, const slot *other, const hd_trace_event *e, uint8_t access, const order_thread *t,
        uint32_t lockset)
{
  enum
  {
    FEW = 4
  };
  uint32_t brought = vector_get(t->v, other->thread), from;
  for (size_t i = other->n; i > 0 && other->n - i < FEW && other->entries[i - 1].position > brought; i--)
  {
    const entry *x = &other->entries[i - 1];
    if (!conflict(x->access, access) || hd_monitor_locksets_exclude(m->locksets, x->lockset, lockset))
      continue;
    ideal *set = hd_monitor_reverse_try(m->reverse, &m->sections,
                                        (reverse_side){other->thread, x->position, x->v, x->location},
                                        (reverse_side){e->thread, t->clock, t->v, e->location}, &from);
    if (!set)
      continue;
    report(m, x, other->thread, e, set, from);
    hd_monitor_ideal_free(set);
    return;
  }
}

static void
remember(predict_thread *t, slot *s, const hd_trace_event *e, uint8_t access, vector *v, uint32_t position,
         uint32_t lockset)
{
  while (s->n > 0 && s->entries[s->n - 1].segment == t->segment && supersedes(access, s->entries[s->n - 1].access))
    hd_monitor_vector_drop(s->entries[--s->n].v);
  HD_PUSH(s->entries, s->n, s->cap,
          (entry){vector_share(v), e->number, position, t->segment, lockset, e->location, e->stack, access, e->kind});
}

static void
access_cell(hd_monitor_predict *m, cell *c, const hd_trace_event *e, uint8_t access)
{
  const order_thread *t = hd_monitor_order_thread(m->order, e->thread);
  predict_thread *p = get_thread(m, e->thread);
  uint32_t lockset = hd_monitor_locksets_of(m->locksets, &p->held);
  slot *own = get_slot(c, e->thread);
  for (size_t i = 0; i < c->n; i++)
  {
    slot *other = &c->slots[i];
    if (other == own || other->n == 0 || other->entries[other->n - 1].position <= vector_get(t->v, other->thread))
      continue;
    while (own->nothers <= i)
      HD_PUSH(own->others, own->nothers, own->others_cap, (walkers){0});
    if (!walk(m, &own->others[i].of[access], other, e, access, t, lockset) && m->puts_off)
      put_off(m, other, e, access, t, lockset);
  }
  remember(p, own, e, access, t->v, t->clock, lockset);
}

/* For later attempts to put the thread off. */
static void
note(hd_monitor_predict *m, const hd_trace_event *e, uint8_t access, bool reads, const uint32_t *list, size_t n)
{
  uint32_t position = hd_monitor_order_thread(m->order, e->thread)->clock;
  if (access & IS_ATOMIC || e->kind == HD_TRACE_FREE)
    hd_monitor_reverse_bar(m->reverse, e->thread, position);
  for (size_t i = 0; i < n; i++)
  {
    if (reads)
      hd_monitor_reverse_read(m->reverse, e->thread, position, list[i]);
    if (access & IS_WRITE)
      hd_monitor_reverse_write(m->reverse, e->thread, position, list[i], e->number);
  }
}

static void
access_cells(hd_monitor_predict *m, const hd_trace_event *e, uint8_t access, bool reads, bool create)
{
  const uint32_t *list;
  size_t n = hd_monitor_cells_get(m->cells, e->target, e->size, create, &list);
  for (size_t i = 0; i < n; i++)
    access_cell(m, get_cell(m, list[i]), e, access);
  note(m, e, access, reads, list, n);
  bool learnt = false;
  for (size_t i = 0; i < n && reads; i++)
    learnt |= hd_monitor_order_take(m->order, e->thread, &m->state[list[i]].last_write);
  if (learnt)
    get_thread(m, e->thread)->segment++;
  for (size_t i = 0; i < n && (access & IS_WRITE); i++)
  {
    const order_thread *t = hd_monitor_order_thread(m->order, e->thread);
    known_drop(&m->state[list[i]].last_write);
    m->state[list[i]].last_write = (known){vector_share(t->v), e->thread, t->clock};
  }
}

/* ---- locks ---- */

static void
acquire(hd_monitor_predict *m, const hd_trace_event *e, bool shared)
{
  predict_thread *p = get_thread(m, e->thread);
  sections *s = &m->sections.threads[e->thread];
  uint32_t lock = hd_trace_ids_get(&m->lock_ids, e->target);
  uint32_t position = hd_monitor_order_thread(m->order, e->thread)->clock;
  hd_monitor_held_add(&p->held, (hd_monitor_held_lock){lock, (uint32_t) s->n, shared});
  HD_PUSH(s->items, s->n, s->cap, (section){.number = e->number, .position = position, .lock = lock, .shared = shared});
  p->segment++;
  hd_monitor_reverse_acquire(m->reverse, e->thread, position, lock, shared);
}

static void
release(hd_monitor_predict *m, const hd_trace_event *e)
{
  predict_thread *p = get_thread(m, e->thread);
  const order_thread *t = hd_monitor_order_thread(m->order, e->thread);
  uint32_t index;
  if (!hd_monitor_held_remove(&p->held, hd_trace_ids_get(&m->lock_ids, e->target), &index))
    return;
  section *s = &m->sections.threads[e->thread].items[index];
  hd_monitor_reverse_release(m->reverse, e->thread, t->clock, s->lock, s->shared);
  s->released = t->clock;
  s->v = vector_share(t->v);
}

static void
bar(hd_monitor_predict *m, const hd_trace_event *e)
{
  hd_monitor_reverse_bar(m->reverse, e->thread, hd_monitor_order_thread(m->order, e->thread)->clock);
}

void
hd_monitor_predict_event(hd_monitor_predict *m, const hd_trace_event *e)
{
  hd_monitor_order_tick(m->order, e->thread);
  hd_monitor_order_before(m->order, e);
  switch (e->kind)
  {
  case HD_TRACE_READ:
    access_cells(m, e, 0, true, true);
    break;
  case HD_TRACE_WRITE:
    access_cells(m, e, IS_WRITE, false, true);
    break;
  case HD_TRACE_ATOMIC_LOAD:
    access_cells(m, e, IS_ATOMIC, true, true);
    break;
  case HD_TRACE_ATOMIC_STORE:
    access_cells(m, e, IS_ATOMIC | IS_WRITE, false, true);
    break;
  case HD_TRACE_ATOMIC_RMW:
    access_cells(m, e, IS_ATOMIC | IS_WRITE, true, true);
    break;
  case HD_TRACE_FREE:
    access_cells(m, e, IS_WRITE, false, false);
    hd_monitor_cells_renew(m->cells, e->target, e->size);
    break;
  case HD_TRACE_ALLOC:
    hd_monitor_cells_renew(m->cells, e->target, e->size);
    break;
  case HD_TRACE_ACQUIRE:
  case HD_TRACE_ACQUIRE_SHARED:
    acquire(m, e, e->kind == HD_TRACE_ACQUIRE_SHARED);
    break;
  case HD_TRACE_RELEASE:
  case HD_TRACE_RELEASE_SHARED:
    release(m, e);
    break;
  case HD_TRACE_JOIN:
    get_thread(m, e->thread)->segment++;
    break;
  case HD_TRACE_WAKE:
  case HD_TRACE_PEND:
  case HD_TRACE_LEAVE:
    get_thread(m, e->thread)->segment++;
    bar(m, e);
    break;
  case HD_TRACE_FORK:
  case HD_TRACE_BEGIN:
  case HD_TRACE_END:
    break;
  default:
    bar(m, e);
    break;
  }
  hd_monitor_order_after(m->order, e);
}
