/* property_events.c: the events of a trace, as src/mttl takes them (docs/mttl.md, section 6).
 *
 * A lock is a location: taking and releasing it for writing are writes, for reading they are reads, so that readers do
 * not order each other; the events are no accesses for op and loc. Memory is judged byte by byte: what overlaps is
 * ordered, and nothing else. Traces have no values: what was written is undefined afterwards. */
#include "cli/property_feed.h"

#include <stdlib.h>
#include <string.h>

/* ---- what is touched ---- */

static hd_mttl_location *
get_place(hd_trace_ids *ids, hd_mttl_location ***list, size_t *n, size_t *cap, uint64_t key)
{
  uint32_t id = hd_trace_ids_get(ids, key);
  if (id == *n)
    HD_PUSH(*list, *n, *cap, hd_alloc_zero(sizeof(hd_mttl_location)));
  return (*list)[id];
}

static hd_mttl_location *
get_byte(hd_feed *f, uint64_t address)
{
  size_t before = f->nbytes;
  hd_mttl_location *p = get_place(&f->byte_ids, &f->bytes, &f->nbytes, &f->bytes_cap, address);
  if (f->nbytes > before)
    HD_PUSH(f->byte_keys, f->nkeys, f->keys_cap, address);
  return p;
}

static hd_mttl_object *
get_object(hd_trace_ids *ids, hd_mttl_object **list, size_t *n, size_t *cap, uint64_t key)
{
  uint32_t id = hd_trace_ids_get(ids, key);
  if (id == *n)
    HD_PUSH(*list, *n, *cap, (hd_mttl_object){0});
  return &(*list)[id];
}

static int32_t
find_name(const char *const *list, size_t n, const char *name)
{
  for (size_t i = 0; name && i < n; i++)
    if (strcmp(list[i], name) == 0)
      return (int32_t) i;
  return -1;
}

static int32_t
find_variable(hd_feed *f, const hd_trace_event *e)
{
  const char *name = hd_trace_names_get(f->names, e->size ? HD_TRACE_ADDRESS : HD_TRACE_VARIABLE, e->target);
  f->nameless = f->nameless || !name;
  for (size_t i = 0; name && i < f->f->nvariables; i++)
    if (f->f->variables[i].shared && strcmp(f->f->variables[i].name, name) == 0)
    {
      f->met[i] = true;
      return (int32_t) i;
    }
  return -1;
}

/* ---- threads ---- */

static hd_feed_thread *
get_thread(hd_feed *f, uint64_t number, hd_mttl_thread *parent)
{
  while (f->nthreads <= number)
    HD_PUSH(f->threads, f->nthreads, f->threads_cap, (hd_feed_thread){0});
  if (!f->threads[number].t)
  {
    const char *name = hd_trace_names_get(f->names, HD_TRACE_THREAD, number);
    HD_PUSH(f->trace_thread, f->nnumbers, f->numbers_cap, (uint32_t) number);
    f->threads[number].t = hd_mttl_thread_new(f->m, parent, name);
  }
  return &f->threads[number];
}

/* ---- events ---- */

static void
follow_rules(hd_feed *f, hd_mttl_thread *t, hd_mttl_moment moment, const char *name)
{
  for (size_t i = 0; name && i < f->f->nrules; i++)
  {
    const hd_mttl_rule *rule = &f->f->rules[i];
    if (rule->moment == moment && strcmp(rule->name, name) == 0)
      hd_mttl_follow(t, &rule, 1, 0);
  }
}

static void
lock_event(hd_feed *f, hd_mttl_thread *t, const hd_trace_event *e)
{
  const char *name = hd_trace_names_get(f->names, HD_TRACE_LOCK, e->target);
  hd_mttl_location *x = get_place(&f->lock_ids, &f->locks, &f->nlocks, &f->locks_cap, e->target);
  hd_mttl_event out = HD_MTTL_NO_EVENT;
  out.lock = find_name(f->f->locks, f->f->nlocks, name);
  out.taken = e->kind == HD_TRACE_ACQUIRE || e->kind == HD_TRACE_ACQUIRE_SHARED;
  if (!out.taken)
    follow_rules(f, t, HD_MTTL_UNLOCK, name);
  if (e->kind == HD_TRACE_ACQUIRE || e->kind == HD_TRACE_RELEASE)
    hd_mttl_writes(t, &x, 1, &out);
  else
    hd_mttl_reads(t, &x, 1, &out);
  if (out.taken)
    follow_rules(f, t, HD_MTTL_LOCK, name);
}

static void
access_event(hd_feed *f, hd_mttl_thread *t, const hd_trace_event *e, bool writes)
{
  hd_mttl_event out = HD_MTTL_NO_EVENT;
  f->ntouched = 0;
  if (e->size == 0)
    HD_PUSH(f->touched, f->ntouched, f->touched_cap,
            get_place(&f->variable_ids, &f->variables, &f->nvariables, &f->variables_cap, e->target));
  for (uint32_t i = 0; i < e->size; i++)
    HD_PUSH(f->touched, f->ntouched, f->touched_cap, get_byte(f, e->target + i));
  out.op = writes ? HD_MTTL_W : HD_MTTL_R;
  out.variable = find_variable(f, e);
  out.size = e->size ? e->size : HD_FEED_WORD;
  out.loc = e->size ? e->target : e->target * HD_FEED_WORD | HD_FEED_NUMBER;
  if (writes)
    hd_mttl_writes(t, f->touched, f->ntouched, &out);
  else
    hd_mttl_reads(t, f->touched, f->ntouched, &out);
}

/* Calls ACT for each byte of E's memory that was touched, by its number. */
static void
each_byte(hd_feed *f, const hd_trace_event *e, void (*act)(hd_feed *f, uint32_t byte))
{
  uint32_t id;
  if (e->size < f->nkeys)
  {
    for (uint32_t i = 0; i < e->size; i++)
      if (hd_trace_ids_find(&f->byte_ids, e->target + i, &id))
        act(f, id);
    return;
  }
  for (uint32_t i = 0; i < f->nkeys; i++)
    if (f->byte_keys[i] - e->target < e->size)
      act(f, i);
}

static void
touch_byte(hd_feed *f, uint32_t byte)
{
  HD_PUSH(f->touched, f->ntouched, f->touched_cap, f->bytes[byte]);
}

static void
clear_byte(hd_feed *f, uint32_t byte)
{
  hd_mttl_location_clear(f->bytes[byte]);
}

/* Memory begins or ends its life: to end it is to write it, and nothing is known there afterwards. */
static void
memory_event(hd_feed *f, hd_mttl_thread *t, const hd_trace_event *e)
{
  hd_mttl_event out = HD_MTTL_NO_EVENT;
  f->ntouched = 0;
  if (e->kind == HD_TRACE_FREE && e->size)
  {
    each_byte(f, e, touch_byte);
    out.op = HD_MTTL_W;
    out.loc = e->target;
    out.size = e->size;
  }
  hd_mttl_writes(t, f->touched, f->ntouched, &out);
  each_byte(f, e, clear_byte);
}

static void
atomic_event(hd_feed *f, hd_feed_thread *t, const hd_trace_event *e)
{
  bool acquires = e->order != HD_TRACE_RELAXED && e->order != HD_TRACE_RELEASES;
  bool releases = e->order == HD_TRACE_RELEASES || e->order == HD_TRACE_ACQ_REL || e->order == HD_TRACE_SEQ_CST;
  if (e->kind == HD_TRACE_FENCE)
  {
    hd_mttl_exchange(t->t, &t->loaded, acquires, false, &HD_MTTL_NO_EVENT);
    if (releases)
      hd_mttl_replace(t->t, &t->released, &HD_MTTL_NO_EVENT);
    return;
  }
  hd_mttl_object *o = get_object(&f->atomic_ids, &f->atomics, &f->natomics, &f->atomics_cap, e->target);
  int32_t variable = find_variable(f, e);
  if (variable >= 0 && e->kind != HD_TRACE_ATOMIC_LOAD)
    hd_mttl_assume(t->t, (uint32_t) variable, (hd_mttl_value){.type = HD_MTTL_UNDEFINED});
  if (e->kind != HD_TRACE_ATOMIC_STORE && !acquires)
    hd_mttl_remember(t->t, &t->loaded, o);
  if (e->kind == HD_TRACE_ATOMIC_LOAD)
    hd_mttl_exchange(t->t, o, acquires, false, &HD_MTTL_NO_EVENT);
  else if (e->kind == HD_TRACE_ATOMIC_RMW)
    hd_mttl_exchange(t->t, o, acquires, releases, &HD_MTTL_NO_EVENT);
  else if (releases)
    hd_mttl_replace(t->t, o, &HD_MTTL_NO_EVENT);
  else
  {
    hd_mttl_local(t->t, &HD_MTTL_NO_EVENT);
    hd_mttl_object_copy(o, &t->released);
  }
  if (e->kind == HD_TRACE_ATOMIC_RMW && !releases)
    hd_mttl_object_join(f->m, o, &t->released); /* a release fence before it */
}

static void
barrier_event(hd_feed *f, hd_feed_thread *t, const hd_trace_event *e)
{
  uint32_t id = hd_trace_ids_get(&f->object_ids, e->target);
  while (f->nobjects <= id)
    HD_PUSH(f->objects, f->nobjects, f->objects_cap, (hd_mttl_object){0});
  while (f->nbarriers <= id)
    HD_PUSH(f->barriers, f->nbarriers, f->barriers_cap, (hd_feed_barrier){0});
  hd_feed_barrier *b = &f->barriers[id];
  if (e->kind == HD_TRACE_LEAVE)
  {
    b->left = b->left || t->generation == b->generation % 2;
    hd_mttl_acquire(t->t, &b->now[t->generation], &HD_MTTL_NO_EVENT);
    return;
  }
  /* Complete: a new generation begins. Without a number, when somebody has left. */
  if (e->size ? b->arrived >= e->size : b->left)
  {
    b->generation++;
    b->arrived = 0;
    b->left = false;
    hd_mttl_object_clear(&b->now[b->generation % 2]);
  }
  b->arrived++;
  t->generation = b->generation % 2;
  hd_mttl_release(t->t, &b->now[t->generation], &HD_MTTL_NO_EVENT);
}

static void
block_event(hd_feed *f, hd_feed_thread *t, bool begins)
{
  if (f->atomic < 0)
    return;
  bool boolean = f->f->variables[f->atomic].type == HD_MTTL_BOOL;
  t->blocks += begins;
  int64_t number = !begins ? 0 : boolean ? 1 : (int64_t) t->blocks;
  hd_mttl_internal(t->t, (uint32_t) f->atomic,
                   (hd_mttl_value){.type = boolean ? HD_MTTL_BOOL : HD_MTTL_INT, .number = number});
}

void
hd_feed_take(hd_feed *f, const hd_trace_event *e)
{
  hd_feed_thread *t = get_thread(f, e->thread, NULL);
  hd_mttl_object *o;
  switch ((hd_trace_kind) e->kind)
  {
  case HD_TRACE_READ:
  case HD_TRACE_WRITE:
    access_event(f, t->t, e, e->kind == HD_TRACE_WRITE);
    break;
  case HD_TRACE_ACQUIRE:
  case HD_TRACE_RELEASE:
  case HD_TRACE_ACQUIRE_SHARED:
  case HD_TRACE_RELEASE_SHARED:
    lock_event(f, t->t, e);
    break;
  case HD_TRACE_FORK:
    get_thread(f, e->target, t->t);
    break;
  case HD_TRACE_JOIN:
    if (e->target < f->nthreads && f->threads[e->target].t)
      hd_mttl_exits(f->threads[e->target].t, &f->threads[e->target].token);
    t = get_thread(f, e->target, NULL);
    hd_mttl_acquire(f->threads[e->thread].t, &t->token, &HD_MTTL_NO_EVENT);
    break;
  case HD_TRACE_BEGIN:
  case HD_TRACE_END:
    block_event(f, t, e->kind == HD_TRACE_BEGIN);
    break;
  case HD_TRACE_ATOMIC_LOAD:
  case HD_TRACE_ATOMIC_STORE:
  case HD_TRACE_ATOMIC_RMW:
  case HD_TRACE_FENCE:
    atomic_event(f, t, e);
    break;
  case HD_TRACE_POST:
  case HD_TRACE_PEND:
    o = get_object(&f->object_ids, &f->objects, &f->nobjects, &f->objects_cap, e->target);
    hd_mttl_exchange(t->t, o, e->kind == HD_TRACE_PEND, e->kind == HD_TRACE_POST, &HD_MTTL_NO_EVENT);
    break;
  case HD_TRACE_ARRIVE:
  case HD_TRACE_LEAVE:
    barrier_event(f, t, e);
    break;
  case HD_TRACE_ALLOC:
  case HD_TRACE_FREE:
    memory_event(f, t->t, e);
    break;
  case HD_TRACE_WAIT: /* the mutex carries the order */
  case HD_TRACE_WAKE:
  case HD_TRACE_SIGNAL:
  case HD_TRACE_BROADCAST:
  case HD_TRACE_KINDS:
    hd_mttl_local(t->t, &HD_MTTL_NO_EVENT);
    break;
  }
}
