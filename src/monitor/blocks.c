/* blocks.c: what transactions know of each other: clocks that are shared until somebody changes them, open blocks and
 * their subscribers. atomic.c has the idea. */
#include "monitor/blocks.h"

#include <stdlib.h>
#include <string.h>

/* ---- snapshots ---- */

static uint32_t
get_clock(const snapshot *s, uint32_t thread)
{
  return s && thread < s->n ? s->clock[thread] : 0;
}

static snapshot *
share(snapshot *s)
{
  if (s)
    s->refs++;
  return s;
}

/* Free a snapshot that nobody holds; blocks that nobody holds then are put before DEAD. */
static block *
free_snapshot(snapshot *s, block *dead)
{
  for (size_t i = 0; i < s->npending; i++)
    if (--s->pending[i]->refs == 0)
    {
      s->pending[i]->after = dead;
      dead = s->pending[i];
    }
  free(s->pending);
  free(s->clock);
  free(s);
  return dead;
}

/* Blocks hold snapshots that hold blocks, in long chains: hence no recursion. */
static void
free_blocks(block *dead)
{
  while (dead)
  {
    block *b = dead;
    dead = b->after;
    if (b->final && --b->final->refs == 0)
      dead = free_snapshot(b->final, dead);
    free(b->subscribers);
    free(b);
  }
}

void
hd_monitor_snapshot_drop(snapshot *s)
{
  if (s && --s->refs == 0)
    free_blocks(free_snapshot(s, NULL));
}

static void
drop_block(block *b)
{
  if (b && --b->refs == 0)
  {
    b->after = NULL;
    free_blocks(b);
  }
}

static snapshot *
own(snapshot **p, uint32_t n)
{
  snapshot *old = *p;
  if (old && old->refs == 1 && old->n >= n)
    return old;
  uint32_t have = old ? old->n : 0, size = have > n ? have : n;
  snapshot *s = hd_alloc_zero(sizeof *s);
  s->refs = 1;
  s->n = size;
  s->clock = hd_alloc_zero(((size_t) size + 1) * sizeof *s->clock);
  if (have > 0)
    memcpy(s->clock, old->clock, have * sizeof *s->clock);
  for (size_t i = 0; old && i < old->npending; i++)
  {
    old->pending[i]->refs++;
    HD_PUSH(s->pending, s->npending, s->pending_cap, old->pending[i]);
  }
  hd_monitor_snapshot_drop(old);
  return *p = s;
}

void
hd_monitor_stamp_drop(stamp *k)
{
  hd_monitor_snapshot_drop(k->s);
  drop_block(k->block);
  *k = (stamp){0};
}

stamp
hd_monitor_stamp_copy(const stamp *k)
{
  if (k->block)
    k->block->refs++;
  return (stamp){share(k->s), k->block, k->thread, k->version, k->place};
}

void
hd_monitor_stamps_drop(stamps *list)
{
  for (size_t i = 0; i < list->n; i++)
    hd_monitor_stamp_drop(&list->items[i]);
  list->n = 0;
}

/* ---- threads ---- */

atomic_thread *
hd_monitor_blocks_thread(hd_monitor_atomic *m, uint32_t thread)
{
  while (m->nthreads <= thread)
    HD_PUSH(m->threads, m->nthreads, m->threads_cap, (atomic_thread){.version = 1});
  return &m->threads[thread];
}

static void
move_version(atomic_thread *t)
{
  HD_CHECK(++t->version != 0);
  t->changed = false;
}

void
hd_monitor_blocks_publish(hd_monitor_atomic *m, uint32_t thread, stamp *k)
{
  atomic_thread *t = hd_monitor_blocks_thread(m, thread);
  if (t->changed)
    move_version(t);
  if (k->version == t->version && k->thread == thread && k->block == t->block)
  {
    k->place = m->now;
    return;
  }
  hd_monitor_stamp_drop(k);
  *k = (stamp){share(t->s), t->block, thread, t->version, m->now};
  if (t->block)
    t->block->refs++;
}

void
hd_monitor_blocks_publish_into(hd_monitor_atomic *m, uint32_t thread, stamps *list)
{
  size_t i = 0;
  while (i < list->n && list->items[i].thread != thread)
    i++;
  if (i == list->n)
    HD_PUSH(list->items, list->n, list->cap, (stamp){0});
  hd_monitor_blocks_publish(m, thread, &list->items[i]);
}

static void
subscribe(hd_monitor_atomic *m, uint32_t thread, block *b)
{
  atomic_thread *t = hd_monitor_blocks_thread(m, thread);
  for (size_t i = 0; t->s && i < t->s->npending; i++)
    if (t->s->pending[i] == b)
      return;
  snapshot *s = own(&t->s, 1);
  b->refs++;
  HD_PUSH(s->pending, s->npending, s->pending_cap, b);
  HD_PUSH(b->subscribers, b->nsubscribers, b->subscribers_cap, thread);
  t->changed = true;
}

/* Something of BLOCK comes before what THREAD does: all that is known at its end does, or will. */
static void
learn_block(hd_monitor_atomic *m, uint32_t thread, block *b)
{
  if (b->thread == thread)
    return;
  if (b->ended == 0)
    subscribe(m, thread, b);
  else if (get_clock(hd_monitor_blocks_thread(m, thread)->s, b->thread) < b->ended)
    HD_PUSH(m->queue, m->nqueue, m->queue_cap, b);
}

/* THREAD learns what the thread OTHER knew at its VERSION; PLACE is where from. */
static void
learn_one(hd_monitor_atomic *m, uint32_t thread, const snapshot *from, uint32_t other, uint32_t version,
          hd_monitor_place place)
{
  atomic_thread *t = hd_monitor_blocks_thread(m, thread);
  if (other == thread || get_clock(t->s, other) >= version)
    return;
  if (t->block && !t->block->reported && get_clock(from, thread) >= t->block->begun)
  {
    t->block->reported = true;
    m->sink.unserial(m->sink.context, &(hd_monitor_unserial){.begin = t->block->begin,
                                                             .at = m->now,
                                                             .other = place,
                                                             .window = t->block->window,
                                                             .whole = t->block->whole});
  }
  snapshot *s = own(&t->s, from && from->n > other ? from->n : other + 1);
  for (uint32_t i = 0; from && i < from->n; i++)
    if (i != thread && from->clock[i] > s->clock[i])
      s->clock[i] = from->clock[i];
  if (s->clock[other] < version)
    s->clock[other] = version;
  t->changed = true;
  for (size_t i = 0; from && i < from->npending; i++)
    learn_block(m, thread, from->pending[i]);
}

/* Learn from blocks that ended meanwhile, and from what these had learnt from. */
static void
learn_rest(hd_monitor_atomic *m, uint32_t thread, hd_monitor_place place)
{
  while (m->nqueue > 0)
  {
    block *b = m->queue[--m->nqueue];
    learn_one(m, thread, b->final, b->thread, b->ended, place);
  }
}

void
hd_monitor_blocks_learn(hd_monitor_atomic *m, uint32_t thread, const stamp *k)
{
  if (k->version == 0 || k->thread == thread)
    return;
  learn_one(m, thread, k->s, k->thread, k->version, k->place);
  if (k->block)
    learn_block(m, thread, k->block);
  learn_rest(m, thread, k->place);
}

void
hd_monitor_blocks_learn_all(hd_monitor_atomic *m, uint32_t thread, const stamps *list)
{
  for (size_t i = 0; i < list->n; i++)
    hd_monitor_blocks_learn(m, thread, &list->items[i]);
}

/* ---- blocks ---- */

void
hd_monitor_blocks_begin(hd_monitor_atomic *m, uint32_t thread)
{
  atomic_thread *t = hd_monitor_blocks_thread(m, thread);
  if (t->block)
    return;
  move_version(t);
  block *b = hd_alloc_zero(sizeof *b);
  b->refs = 1;
  b->thread = thread;
  b->begun = t->version;
  b->begin = m->now;
  b->before = m->newest;
  *(m->newest ? &m->newest->after : &m->oldest) = b;
  m->newest = b;
  b->window = m->oldest->begin.number;
  b->reach = UINT64_MAX;
  for (size_t i = 0; i < m->nthreads && m->inside > 0; i++)
    if (m->threads[i].inside && m->threads[i].gathering->first < b->reach)
      b->reach = m->threads[i].gathering->first;
  for (block *open = m->barriers ? m->oldest : NULL; open; open = open->after)
    b->window = open->reach < b->window ? open->reach : b->window;
  /* A block that is open may come after one that has ended. */
  b->whole = b->window;
  for (const block *open = b->before; open; open = open->before)
    b->whole = open->whole < b->whole ? open->whole : b->whole;
  t->block = b;
}

void
hd_monitor_blocks_end(hd_monitor_atomic *m, uint32_t thread)
{
  atomic_thread *t = hd_monitor_blocks_thread(m, thread);
  block *b = t->block;
  if (!b)
    return;
  move_version(t);
  b->final = share(t->s);
  b->ended = t->version;
  t->block = NULL;
  *(b->before ? &b->before->after : &m->oldest) = b->after;
  *(b->after ? &b->after->before : &m->newest) = b->before;
  b->before = b->after = NULL;
  for (size_t i = 0; i < b->nsubscribers; i++)
  {
    atomic_thread *u = hd_monitor_blocks_thread(m, b->subscribers[i]);
    snapshot *s = own(&u->s, 1);
    size_t kept = 0;
    for (size_t j = 0; j < s->npending; j++)
      if (s->pending[j] == b)
        drop_block(b);
      else
        s->pending[kept++] = s->pending[j];
    s->npending = kept;
    learn_one(m, b->subscribers[i], b->final, thread, b->ended, b->begin);
    learn_rest(m, b->subscribers[i], b->begin);
  }
  b->nsubscribers = 0;
  drop_block(b);
}
