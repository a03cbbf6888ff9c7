/* rt_property.c: the client that judges a program by properties: events of its threads become events of the monitors.
 *
 * The compilers' hooks come before an access. So the value of a write to a variable whose value is asked for is read at
 * the thread's next event of any kind, before that event, and the write counts there (rt_property_memory.c). */
#include "instrument/rt_property.h"

#include <string.h>

enum
{
  THREADS = 1 << 17 /* as rt_thread.c */
};

hd_rt_properties hd_rt_all;
__thread hd_rt_knower *hd_rt_me __attribute__((tls_model("initial-exec")));
static hd_rt_knower **knowers; /* by id */

hd_rt_knower *
hd_rt_knower_get(uint32_t id)
{
  return id < THREADS ? __atomic_load_n(&knowers[id], __ATOMIC_ACQUIRE) : NULL; /* acquire: pairs with make_knower() */
}

uint32_t
hd_rt_present_stack(uintptr_t *frames, uint32_t max)
{
  const hd_rt_knower *me = hd_rt_me;
  if (!me)
    return 0;
  if (HD_RT_LIKELY(!me->saved))
    return (uint32_t) hd_rt_history_stack(me->pc, frames, max);
  uint32_t n = me->saved->nframes < max ? me->saved->nframes : max;
  memcpy(frames, me->saved->frames, n * sizeof *frames);
  return n;
}

/* For events that others may hear of. */
static bool
where(void *context, hd_mttl_thread *t, hd_mttl_stack *stack)
{
  const hd_rt_knower *me = hd_rt_me;
  (void) context, (void) t;
  if (HD_RT_UNLIKELY(!me))
    return false;
  uint32_t depth = hd_rt_client_depth();
  stack->pc = me->pc;
  stack->innermost = &hd_rt_here.frames[depth].pc;
  stack->step = -(ptrdiff_t) (sizeof(hd_rt_frame) / sizeof(uintptr_t));
  stack->n = depth;
  if (HD_RT_UNLIKELY(me->saved != NULL))
    *stack = (hd_mttl_stack){me->saved->frames[0], me->saved->frames + 1, 1, me->saved->nframes - 1};
  return true;
}

/* ---- threads ---- */

static void
check_name(hd_rt_knower *me)
{
  char name[sizeof me->name];
  if (HD_RT_LIKELY(__builtin_memcmp(me->name, me->self->name, sizeof name) == 0))
    return;
  memcpy(name, me->self->name, sizeof name);
  name[sizeof name - 1] = 0;
  memcpy(me->name, name, sizeof name);
  for (uint32_t i = 0; i < hd_rt_all.nfiles; i++)
    hd_mttl_thread_name(me->t[i], name);
}

void
hd_rt_event_catch_up(hd_rt_knower *me)
{
  if (hd_rt_all.named)
    check_name(me);
  if (me->innermost)
    hd_rt_rules_leave(me, hd_rt_client_depth());
}

/* The name by which a file knows threads that begin at START; NULL: none does. */
static const char *
start_name(uint32_t file, uintptr_t start)
{
  for (size_t i = 0; i < hd_rt_all.nstarts; i++)
    if (hd_rt_all.starts[i].file == file && start >= hd_rt_all.starts[i].low && start < hd_rt_all.starts[i].high)
      return hd_rt_all.files[file].f->names[hd_rt_all.starts[i].index].means;
  return NULL;
}

static hd_rt_knower *
make_knower(hd_rt_thread *t, hd_rt_knower *parent)
{
  hd_rt_knower *k = hd_alloc_zero(sizeof *k);
  k->self = t;
  for (uint32_t i = 0; i < hd_rt_all.nfiles; i++)
  {
    const char *name = parent ? start_name(i, t->start_routine) : "main";
    k->t[i] = hd_mttl_thread_new(hd_rt_all.files[i].m, parent ? parent->t[i] : NULL, name);
    hd_rt_all.files[i].ids[hd_mttl_thread_number(k->t[i])] = t->id;
  }
  __atomic_store_n(&knowers[t->id], k, __ATOMIC_RELEASE); /* release: pairs with hd_rt_knower_get */
  return k;
}

static void
free_knower(hd_rt_knower *k)
{
  for (uint32_t i = 0; i < hd_rt_all.nfiles; i++)
  {
    hd_mttl_thread_free(k->t[i]);
    hd_mttl_object_clear(&k->token[i]);
    hd_mttl_object_clear(&k->fenced[i]);
    hd_mttl_object_clear(&k->loaded[i]);
  }
  hd_rt_heap_give(k);
}

static void
create(hd_rt_thread *t, uintptr_t pc)
{
  if (hd_rt_event_begin(pc))
    make_knower(t, hd_rt_me);
  hd_rt_event_end();
}

static void
uncreate(hd_rt_thread *t)
{
  hd_rt_knower *k = hd_rt_knower_get(t->id);
  if (!k)
    return;
  knowers[t->id] = NULL;
  free_knower(k);
}

static void
begin(void)
{
  hd_rt_me = hd_rt_knower_get(hd_rt_here.self->id);
  hd_rt_event_end();
}

/* The knower itself stays for who joins, with its token. */
static void
end(void)
{
  hd_rt_knower *me = hd_rt_me;
  if (hd_rt_event_begin(hd_rt_here.place))
  {
    hd_rt_rules_leave(me, 0);
    hd_rt_acquire(&me->lock);
    for (uint32_t i = 0; i < hd_rt_all.nfiles; i++)
      hd_mttl_exits(me->t[i], &me->token[i]);
    hd_rt_release(&me->lock);
    hd_rt_report_act(); /* the thread will not leave the runtime as itself */
    hd_rt_me = NULL;
    for (uint32_t i = 0; i < hd_rt_all.nfiles; i++)
    {
      hd_mttl_thread_free(me->t[i]);
      me->t[i] = NULL;
      hd_mttl_object_clear(&me->fenced[i]);
      hd_mttl_object_clear(&me->loaded[i]);
    }
    hd_rt_heap_give(me->pending);
    me->pending = NULL;
  }
  hd_rt_event_end();
  hd_rt_heap_end();
}

static void
join(hd_rt_thread *t, uintptr_t pc)
{
  hd_rt_knower *k = hd_rt_knower_get(t->id);
  if (!k || !hd_rt_event_begin(pc))
    return;
  hd_mttl_event e;
  hd_rt_event_of(&e, "joins a thread", 0, 0);
  hd_rt_acquire(&k->lock);
  for (uint32_t i = 0; i < hd_rt_all.nfiles; i++)
  {
    hd_mttl_acquire(hd_rt_me->t[i], &k->token[i], &e);
    hd_mttl_object_clear(&k->token[i]);
  }
  hd_rt_release(&k->lock);
  hd_rt_event_end();
}

/* ---- memory, objects ---- */

static void
life(uintptr_t p, size_t n, bool begins, uintptr_t pc)
{
  if (hd_rt_all.everything && hd_rt_event_begin(pc))
    hd_rt_memory_life(p, n, begins);
  if (!begins)
    hd_rt_objects_free(p, n);
  hd_rt_event_end();
}

static void
atomic(hd_rt_atomic_kind kind, uintptr_t p, size_t n, int order, uintptr_t pc)
{
  if (hd_rt_event_begin(pc))
    hd_rt_objects_atomic(kind, p, n, order);
  hd_rt_event_end();
}

static void
fence(int order)
{
  if (hd_rt_event_begin(hd_rt_here.place))
    hd_rt_objects_fence(order);
  hd_rt_event_end();
}

static void
synchronise(hd_rt_event event, uintptr_t p, uint32_t id, uint32_t count, uintptr_t pc)
{
  (void) id;
  if (event == HD_RT_EV_LOCK || event == HD_RT_EV_UNLOCK)
  {
    if (hd_rt_event_begin(pc))
      hd_rt_objects_mutex(event, p);
  }
  else if (event == HD_RT_EV_GONE || hd_rt_event_begin(pc))
    hd_rt_objects_event(event, p, count);
  hd_rt_event_end();
}

static void
quit(void)
{
  if (hd_rt_all.ended)
    return;
  if (hd_rt_event_begin(hd_rt_here.place))
    hd_rt_report_act();
  hd_rt_event_end();
  hd_rt_report_count();
}

/* ---- start ---- */

static bool
start(void)
{
  knowers = hd_rt_map(THREADS * sizeof *knowers, 4096);
  hd_rt_setup_end();
  hd_rt_rules_watch();
  hd_rt_all.attentive = hd_rt_all.named || hd_rt_all.lock_rules || hd_rt_delays;
  if (!knowers || !hd_rt_memory_watch() || !hd_rt_objects_watch())
    return false;
  for (uint32_t i = 0; i < hd_rt_all.nfiles; i++)
  {
    hd_rt_file *file = &hd_rt_all.files[i];
    file->m = hd_mttl_monitor_new(file->f, hd_rt_report_violation, file);
    file->count = hd_alloc_zero(file->f->nproperties * sizeof *file->count);
    file->ids = hd_rt_map(THREADS * sizeof *file->ids, 4096);
    if (!file->ids)
      return false;
    hd_mttl_monitor_locations(file->m, hd_rt_report_location);
    hd_mttl_monitor_where(file->m, where);
  }
  for (size_t i = 0; i < hd_rt_all.nwatches; i++)
  {
    hd_rt_watch *w = &hd_rt_all.watches[i];
    const hd_mttl_file *f = hd_rt_all.files[w->area.file].f;
    w->mute = !hd_mttl_asks_for(hd_rt_all.files[w->area.file].m, w->area.index);
    w->simple = w->mute && w->alone && !hd_rt_all.everything;
    if (w->tracked)
      w->last = hd_rt_watch_value(w);
    if (w->tracked && f->variables[w->area.index].initial.type == HD_MTTL_UNDEFINED)
      hd_mttl_monitor_start(hd_rt_all.files[w->area.file].m, w->area.index, w->last);
  }
  hd_rt_me = make_knower(hd_rt_here.self, NULL);
  hd_rt_accesses_count = hd_rt_all.everything || hd_rt_all.nwatches > 0;
  hd_rt_watch_accesses(hd_rt_accesses_count);
  hd_rt_event_end();
  return true;
}

const hd_rt_client hd_rt_property = {.name = "property",
                                     .setting = hd_rt_setup_line,
                                     .start = start,
                                     .access = hd_rt_memory_access,
                                     .touch = hd_rt_memory_touch,
                                     .atomic = atomic,
                                     .fence = fence,
                                     .sync = synchronise,
                                     .locked = hd_rt_objects_locked,
                                     .unlock = hd_rt_objects_unlock,
                                     .create = create,
                                     .uncreate = uncreate,
                                     .begin = begin,
                                     .end = end,
                                     .join = join,
                                     .enter = hd_rt_rules_enter,
                                     .call = hd_rt_rules_call,
                                     .memory = life,
                                     .act = hd_rt_report_act,
                                     .quit = quit};
