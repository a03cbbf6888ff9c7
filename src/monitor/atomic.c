/* atomic.c: conflict-serialisability of atomic blocks, in one pass with vector clocks, as AeroDrome (Mathur and
 * Viswanathan, ASPLOS 2020).
 *
 * A transaction is a block, or an event outside of blocks. One comes before another if an event of it comes before a
 * conflicting event of the other, or one of the same thread. A cycle of transactions is a violation. A clock says which
 * transactions come before: C[u] is the version of thread u, a number that moves whenever what u knows changes and when
 * a block of u begins or ends. A block that learns something that comes after its own beginning is on a cycle.
 *
 * What comes before a block also comes before all that comes after the block, even where that was read while the block
 * had not learnt it yet. So who learns from an open block is noted: threads as its subscribers, which get the rest when
 * it ends; clocks as pending, which get it when they are used. Both cost a join for each block that is learnt from
 * while it is open, and nothing otherwise. */
#include "monitor/blocks.h"

#include <stdlib.h>
#include <string.h>

/* ---- cells and objects ---- */

static void
drop_gathering(gathering *g)
{
  if (!g || --g->refs > 0)
    return;
  hd_monitor_stamps_drop(&g->stamps);
  free(g->stamps.items);
  free(g);
}

static cell *
get_cell(hd_monitor_atomic *m, uint32_t i)
{
  if (i >= m->state_cap)
    hd_grow_zero(&m->state, &m->state_cap, (size_t) i + 1, sizeof *m->state);
  return &m->state[i];
}

static void
clear_cell(void *context, uint32_t i)
{
  hd_monitor_atomic *m = context;
  if (i >= m->state_cap)
    return;
  hd_monitor_stamp_drop(&m->state[i].write);
  hd_monitor_stamps_drop(&m->state[i].reads);
  free(m->state[i].reads.items);
  m->state[i] = (cell){0};
}

static void
copy_cell(void *context, uint32_t from, uint32_t to)
{
  hd_monitor_atomic *m = context;
  get_cell(m, from > to ? from : to);
  cell *a = &m->state[from], *b = &m->state[to];
  b->write = hd_monitor_stamp_copy(&a->write);
  for (size_t i = 0; i < a->reads.n; i++)
    HD_PUSH(b->reads.items, b->reads.n, b->reads.cap, hd_monitor_stamp_copy(&a->reads.items[i]));
}

static sync *
get_sync(sync_table *t, uint64_t target)
{
  uint32_t id = hd_trace_ids_get(&t->ids, target);
  if (id == t->n)
    HD_PUSH(t->items, t->n, t->cap, (sync){0});
  return &t->items[id];
}

static void
free_table(sync_table *t)
{
  for (size_t i = 0; i < t->n; i++)
  {
    hd_monitor_stamp_drop(&t->items[i].one);
    hd_monitor_stamps_drop(&t->items[i].many);
    drop_gathering(t->items[i].gathering);
    free(t->items[i].many.items);
  }
  free(t->items);
  hd_trace_ids_free(&t->ids);
}

hd_monitor_atomic *
hd_monitor_atomic_new(hd_monitor_unserial_sink sink)
{
  hd_monitor_atomic *m = hd_alloc_zero(sizeof *m);
  m->sink = sink;
  m->cells = hd_monitor_cells_new((cell_user){m, copy_cell, clear_cell});
  return m;
}

void
hd_monitor_atomic_finish(hd_monitor_atomic *m)
{
  while (m->oldest)
    hd_monitor_blocks_end(m, m->oldest->thread);
  for (size_t i = 0; i < m->state_cap; i++)
    clear_cell(m, (uint32_t) i);
  free(m->state);
  free_table(&m->locks);
  free_table(&m->objects);
  for (size_t i = 0; i < m->nthreads; i++)
  {
    hd_monitor_snapshot_drop(m->threads[i].s);
    hd_monitor_stamp_drop(&m->threads[i].start);
    drop_gathering(m->threads[i].gathering);
  }
  free(m->threads);
  free(m->queue);
  hd_monitor_cells_free(m->cells);
  free(m);
}

/* ---- events ---- */

static void
access_cells(hd_monitor_atomic *m, const hd_trace_event *e, bool write, bool create)
{
  const uint32_t *list;
  size_t n = hd_monitor_cells_get(m->cells, e->target, e->size, create, &list);
  for (size_t i = 0; i < n; i++)
  {
    cell *c = get_cell(m, list[i]);
    hd_monitor_blocks_learn(m, e->thread, &c->write);
    if (write)
      hd_monitor_blocks_learn_all(m, e->thread, &c->reads);
  }
  for (size_t i = 0; i < n; i++)
  {
    cell *c = get_cell(m, list[i]);
    if (!write)
    {
      hd_monitor_blocks_publish_into(m, e->thread, &c->reads);
      continue;
    }
    hd_monitor_blocks_publish(m, e->thread, &c->write);
    hd_monitor_stamps_drop(&c->reads); /* who comes after the write comes after them */
  }
}

static void
pass_barrier(hd_monitor_atomic *m, const hd_trace_event *e)
{
  sync *s = get_sync(&m->objects, e->target);
  atomic_thread *t = hd_monitor_blocks_thread(m, e->thread);
  if (e->kind == HD_TRACE_LEAVE)
  {
    if (t->gathering)
    {
      m->inside -= t->inside;
      t->inside = false;
      for (block *open = m->oldest; open; open = open->after)
      {
        open->reach = t->gathering->first < open->reach ? t->gathering->first : open->reach;
        open->window = open->reach < open->window ? open->reach : open->window;
        open->whole = open->window < open->whole ? open->window : open->whole;
      }
      t->gathering->full = true; /* one has left: all have arrived */
      hd_monitor_blocks_learn_all(m, e->thread, &t->gathering->stamps);
    }
    return;
  }
  if (!s->gathering || s->gathering->full)
  {
    drop_gathering(s->gathering);
    s->gathering = hd_alloc_zero(sizeof *s->gathering);
    s->gathering->refs = 1;
    s->gathering->first = e->number;
  }
  m->barriers = true;
  m->inside += !t->inside;
  t->inside = true;
  drop_gathering(t->gathering);
  t->gathering = s->gathering;
  t->gathering->refs++;
  t->gathering->full = ++t->gathering->arrived == e->size; /* never, if the size is not known */
  hd_monitor_blocks_publish_into(m, e->thread, &t->gathering->stamps);
}

static void
use_lock(hd_monitor_atomic *m, const hd_trace_event *e)
{
  sync *s = get_sync(&m->locks, e->target);
  switch (e->kind)
  {
  case HD_TRACE_ACQUIRE:
    hd_monitor_blocks_learn(m, e->thread, &s->one);
    hd_monitor_blocks_learn_all(m, e->thread, &s->many);
    break;
  case HD_TRACE_ACQUIRE_SHARED:
    hd_monitor_blocks_learn(m, e->thread, &s->one);
    break;
  case HD_TRACE_RELEASE:
    hd_monitor_blocks_publish(m, e->thread, &s->one);
    hd_monitor_stamps_drop(&s->many);
    break;
  default:
    hd_monitor_blocks_publish_into(m, e->thread, &s->many);
    break;
  }
}

static void
start_thread(hd_monitor_atomic *m, uint32_t thread, uint32_t new)
{
  hd_monitor_blocks_thread(m, thread > new ? thread : new);
  hd_monitor_blocks_publish(m, thread, &m->threads[new].start);
  hd_monitor_blocks_learn(m, new, &m->threads[new].start);
}

static void
join_thread(hd_monitor_atomic *m, uint32_t thread, uint32_t old)
{
  stamp k = {0};
  hd_monitor_blocks_thread(m, thread > old ? thread : old);
  if (m->threads[old].acted)
  {
    hd_monitor_blocks_publish(m, old, &k);
    hd_monitor_blocks_learn(m, thread, &k);
    hd_monitor_stamp_drop(&k);
  }
  else /* there is no transaction of it: this one comes after the one that started it, which may be itself */
    hd_monitor_blocks_learn(m, thread, &m->threads[old].start);
}

void
hd_monitor_atomic_event(hd_monitor_atomic *m, const hd_trace_event *e)
{
  m->now = hd_monitor_place_of(e);
  hd_monitor_blocks_thread(m, e->thread)->acted = true;
  switch (e->kind)
  {
  case HD_TRACE_READ:
  case HD_TRACE_ATOMIC_LOAD:
    access_cells(m, e, false, true);
    break;
  case HD_TRACE_WRITE:
  case HD_TRACE_ATOMIC_STORE:
  case HD_TRACE_ATOMIC_RMW:
    access_cells(m, e, true, true);
    break;
  case HD_TRACE_ALLOC:
  case HD_TRACE_FREE:
    if (e->kind == HD_TRACE_FREE)
      access_cells(m, e, true, false);
    hd_monitor_cells_renew(m->cells, e->target, e->size);
    break;
  case HD_TRACE_ACQUIRE:
  case HD_TRACE_ACQUIRE_SHARED:
  case HD_TRACE_RELEASE:
  case HD_TRACE_RELEASE_SHARED:
    use_lock(m, e);
    break;
  case HD_TRACE_FORK:
    start_thread(m, e->thread, (uint32_t) e->target);
    break;
  case HD_TRACE_JOIN:
    join_thread(m, e->thread, (uint32_t) e->target);
    break;
  case HD_TRACE_BEGIN:
    hd_monitor_blocks_begin(m, e->thread);
    break;
  case HD_TRACE_END:
    hd_monitor_blocks_end(m, e->thread);
    break;
  case HD_TRACE_POST:
    hd_monitor_blocks_publish_into(m, e->thread, &get_sync(&m->objects, e->target)->many);
    break;
  case HD_TRACE_PEND:
    hd_monitor_blocks_learn_all(m, e->thread, &get_sync(&m->objects, e->target)->many);
    break;
  case HD_TRACE_ARRIVE:
  case HD_TRACE_LEAVE:
    pass_barrier(m, e);
    break;
  default:
    break;
  }
}
