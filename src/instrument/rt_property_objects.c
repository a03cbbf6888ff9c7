/* rt_property_objects.c: how knowledge moves through what synchronises.
 *
 *   mutex, spin lock         lock acquires, unlock releases: as if both wrote it
 *   reader-writer lock       readers read it, writers write it: readers do not order each other
 *   condition variable       nothing: the mutex does
 *   semaphore, once, pipe    a post adds to what a wait learns
 *   barrier                  arriving adds to this generation, leaving learns it
 *   atomic                   as its memory order says; fences as C11 has them. Its own value moves with every operation
 *   create, end and join     rt_property.c
 *
 * What a mutex knows is a baton: only who holds the mutex touches it, so it needs no lock of its own. A mutex that is
 * given up by somebody else than its holder is told of as a post, and as waits before it is taken (rt_client.h): that
 * goes through the part that semaphores use, under the lock.
 *
 * An object is found by its address: in plane R3 4 bytes have the number of the first of a chain. Objects are never
 * taken out of it: one that is gone knows nothing any more, and is used again for the next one there. */
#include "instrument/rt_property.h"

#include <pthread.h>
#include <semaphore.h>

enum
{
  GENERATIONS = 4, /* of a barrier that are kept apart */
  MAKING = 256     /* locks for making objects, by address */
};

/* What all but mutexes need; under the lock of the object. */
typedef struct inside
{
  hd_mttl_location *places; /* of a reader-writer lock: by file */
  uint32_t *versions;       /* of an atomic: of its value, by file */
  uint32_t generation, arrived;
  hd_mttl_object objects[]; /* by file; of a barrier by generation, then by file */
} inside;

/* Small: programs have many mutexes, and use them often. */
typedef struct object
{
  uintptr_t address;
  uint32_t next;
  hd_rt_lock lock;
  bool atomic;
  bool remarkable;        /* as a lock: some file names it, or others than its holder gave it up */
  inside *inside;         /* NULL: it was a mutex so far */
  hd_mttl_baton batons[]; /* of a mutex: by file */
} object;

/* Relaxed: a program in which others than the holder give up a lock has an order of its own, or none. */
static inline bool
is_remarkable(const object *o)
{
  return __atomic_load_n(&o->remarkable, __ATOMIC_RELAXED);
}

static hd_rt_pool pool = {.max = 1u << 24};
static hd_rt_lock making[MAKING];

bool
hd_rt_objects_watch(void)
{
  pool.size = (uint32_t) (sizeof(object) + hd_rt_all.nfiles * sizeof(hd_mttl_baton));
  pool.base = hd_rt_map((size_t) pool.size * pool.max, 4096);
  return pool.base != NULL;
}

static object *
find(uintptr_t p, bool atomic)
{
  for (uint32_t i = __atomic_load_n(hd_rt_r(p, 3), __ATOMIC_ACQUIRE); i;) /* acquire: pairs with make() */
  {
    object *o = hd_rt_pool_get(&pool, i);
    if (HD_RT_LIKELY(o->address == p && o->atomic == atomic))
      return o;
    i = o->next;
  }
  return NULL;
}

/* NULL: there is no more room. */
static object *
make(uintptr_t p, bool atomic)
{
  object *o = find(p, atomic);
  if (HD_RT_LIKELY(o != NULL))
    return o;
  hd_rt_lock *lock = &making[p / 4 % MAKING];
  hd_rt_acquire(lock);
  o = find(p, atomic);
  uint32_t number = o ? 0 : hd_rt_pool_take(&pool);
  if (number)
  {
    o = hd_rt_pool_get(&pool, number);
    o->address = p;
    o->atomic = atomic;
    o->next = *hd_rt_r(p, 3);
    for (size_t i = 0; i < hd_rt_all.nlocks; i++)
      o->remarkable = o->remarkable || (p >= hd_rt_all.locks[i].low && p < hd_rt_all.locks[i].high);
    __atomic_store_n(hd_rt_r(p, 3), number, __ATOMIC_RELEASE); /* release: what it points to is there */
  }
  else if (!o)
    hd_rt_lost[HD_RT_LOST_OBJECTS]++;
  hd_rt_release(lock);
  return o;
}

/* The same for a mutex, which the runtime knows. */
static inline object *
make_mutex(uintptr_t p)
{
  hd_rt_object *known = hd_rt_object_find(p, 0);
  if (HD_RT_UNLIKELY(!known))
    return make(p, false);
  object *o = __atomic_load_n(hd_rt_client_slot(known), __ATOMIC_ACQUIRE); /* acquire: pairs with the release below */
  if (HD_RT_UNLIKELY(!o))
  {
    o = make(p, false);
    __atomic_store_n(hd_rt_client_slot(known), o, __ATOMIC_RELEASE); /* release: pairs with the acquire above */
  }
  return o;
}

static inside *
inside_of(object *o)
{
  if (HD_RT_LIKELY(o->inside != NULL))
    return o->inside;
  o->inside = hd_alloc_zero(sizeof *o->inside + GENERATIONS * hd_rt_all.nfiles * sizeof *o->inside->objects);
  o->inside->places = hd_alloc_zero(hd_rt_all.nfiles * sizeof *o->inside->places);
  o->inside->versions = hd_alloc_zero(hd_rt_all.nfiles * sizeof *o->inside->versions);
  return o->inside;
}

static void
forget(object *o)
{
  for (uint32_t i = 0; i < hd_rt_all.nfiles; i++)
    hd_mttl_baton_clear(&o->batons[i]);
  hd_rt_acquire(&o->lock);
  inside *in = o->inside;
  for (uint32_t i = 0; in && i < GENERATIONS * hd_rt_all.nfiles; i++)
    hd_mttl_object_clear(&in->objects[i]);
  for (uint32_t i = 0; in && i < hd_rt_all.nfiles; i++)
    hd_mttl_location_clear(&in->places[i]);
  if (in)
    in->generation = in->arrived = 0;
  hd_rt_release(&o->lock);
}

void
hd_rt_objects_free(uintptr_t p, size_t n)
{
  for (uintptr_t g = p & ~3ull; g < p + n; g += 4)
    for (uint32_t i = hd_rt_load(hd_rt_r(g, 3)); i; i = ((object *) hd_rt_pool_get(&pool, i))->next)
      forget(hd_rt_pool_get(&pool, i));
}

/* ---- locks and the like ---- */

static inline void
lock_event(hd_mttl_event *e, const char *doing, const object *o, uint32_t size, uint32_t file, bool taken)
{
  uintptr_t p = o->address;
  hd_rt_event_of(e, doing, p, size);
  e->taken = taken;
  for (size_t i = 0; i < hd_rt_all.nlocks; i++)
    if (hd_rt_all.locks[i].file == file && p >= hd_rt_all.locks[i].low && p < hd_rt_all.locks[i].high)
      e->lock = (int32_t) hd_rt_all.locks[i].index;
}

static void
move(hd_rt_event event, object *o, uint32_t file, uint32_t count)
{
  hd_rt_knower *me = hd_rt_me;
  hd_mttl_thread *t = me->t[file];
  inside *in = inside_of(o);
  hd_mttl_object *object = &in->objects[file];
  hd_mttl_location *place = &in->places[file];
  hd_mttl_event e;
  switch (event)
  {
  case HD_RT_EV_STRAY_UNLOCK:
    lock_event(&e, "unlocks", o, sizeof(pthread_mutex_t), file, false);
    hd_mttl_release(t, object, &e);
    break;
  case HD_RT_EV_READ_LOCK:
  case HD_RT_EV_READ_UNLOCK:
    lock_event(&e, event == HD_RT_EV_READ_LOCK ? "locks, to read," : "unlocks, after reading,", o,
               sizeof(pthread_rwlock_t), file, event == HD_RT_EV_READ_LOCK);
    hd_mttl_reads(t, &place, 1, &e);
    break;
  case HD_RT_EV_WRITE_LOCK:
  case HD_RT_EV_WRITE_UNLOCK:
    lock_event(&e, event == HD_RT_EV_WRITE_LOCK ? "locks" : "unlocks", o, sizeof(pthread_rwlock_t), file,
               event == HD_RT_EV_WRITE_LOCK);
    hd_mttl_writes(t, &place, 1, &e);
    break;
  case HD_RT_EV_POST:
    hd_rt_event_of(&e, "posts to", o->address, sizeof(sem_t));
    hd_mttl_release(t, object, &e);
    break;
  case HD_RT_EV_PEND:
    hd_rt_event_of(&e, "has waited for", o->address, sizeof(sem_t));
    hd_mttl_acquire(t, object, &e);
    break;
  case HD_RT_EV_ARRIVE:
    if (file == 0 && in->arrived >= count && count > 0)
    {
      in->generation = (in->generation + 1) % GENERATIONS;
      in->arrived = 0;
      for (uint32_t i = 0; i < hd_rt_all.nfiles; i++)
        hd_mttl_object_clear(&in->objects[in->generation * hd_rt_all.nfiles + i]);
    }
    in->arrived += file == 0;
    me->generation = in->generation;
    hd_rt_event_of(&e, "arrives at", o->address, sizeof(pthread_barrier_t));
    hd_mttl_release(t, &in->objects[in->generation * hd_rt_all.nfiles + file], &e);
    break;
  case HD_RT_EV_LEAVE:
    hd_rt_event_of(&e, "leaves", o->address, sizeof(pthread_barrier_t));
    hd_mttl_acquire(t, &in->objects[me->generation * hd_rt_all.nfiles + file], &e);
    break;
  default: /* condition variables */
    hd_rt_event_of(&e,
                   event == HD_RT_EV_WAIT   ? "waits for"
                   : event == HD_RT_EV_WAKE ? "is woken up by"
                                            : "signals",
                   o->address, sizeof(pthread_cond_t));
    hd_mttl_local(t, &e);
    break;
  }
}

static void
mutex_event(hd_rt_event event, object *o)
{
  bool takes = event == HD_RT_EV_LOCK;
  for (uint32_t i = 0; i < hd_rt_all.nfiles; i++)
  {
    hd_mttl_thread *t = hd_rt_me->t[i];
    hd_mttl_baton *b = &o->batons[i];
    if (HD_RT_LIKELY(!is_remarkable(o) && (takes ? hd_mttl_take_quietly(t, b) : hd_mttl_give_quietly(t, b))))
      continue;
    hd_mttl_event e;
    lock_event(&e, takes ? "locks" : "unlocks", o, sizeof(pthread_mutex_t), i, takes);
    if (takes)
      hd_mttl_take(t, b, &e);
    else
      hd_mttl_give(t, b, &e);
  }
}

/* Most events of mutexes bring nothing: to find that out is all. Whatever the runtime keeps of mutexes is kept here as
 * in rt_client.c. Who was the last to give it, and is swift, does not even come here to lock it (rt_core.h). */

/* The object of a mutex of which nobody has to be told more than its batons are; else NULL. */
static inline object *
unremarkable(hd_rt_object *known)
{
  object *o = __atomic_load_n(hd_rt_client_slot(known), __ATOMIC_ACQUIRE); /* acquire: pairs with make_mutex() */
  return HD_RT_LIKELY(o != NULL) && HD_RT_LIKELY(!is_remarkable(o)) ? o : NULL;
}

static bool
take_quietly(hd_rt_object *known, uintptr_t p)
{
  if (known->address != p || (known->size | known->holder) || !hd_rt_client_is_swift())
    return false;
  const object *o = unremarkable(known);
  for (uint32_t i = 0; i < hd_rt_all.nfiles; i++)
    if (!o || !hd_mttl_take_quietly(hd_rt_me->t[i], &o->batons[i]))
      return false;
  known->holder = hd_rt_here.id;
  known->depth = 1;
  hd_rt_here.held++;
  return true;
}

void
hd_rt_objects_locked(uintptr_t p)
{
  hd_rt_enter();
  bool done = take_quietly(hd_rt_object_get(hd_rt_load(hd_rt_objects(p))), p);
  hd_rt_leave();
  if (!done)
    hd_rt_client_locked(p);
}

static inline bool
may_be_quiet(const hd_rt_object *known, uintptr_t p)
{
  return HD_RT_LIKELY(known->address == p && hd_rt_object_is_held(known) && hd_rt_client_is_swift());
}

static inline void
given(hd_rt_object *known)
{
  *hd_rt_client_giver(known) = hd_rt_here.id;
  known->holder = known->depth = 0;
  hd_rt_here.held--;
}

static bool
give_quietly(hd_rt_object *known, uintptr_t p)
{
  object *o = may_be_quiet(known, p) ? unremarkable(known) : NULL;
  for (uint32_t i = 0; i < hd_rt_all.nfiles; i++)
    if (!o || !hd_mttl_give_quietly(hd_rt_me->t[i], &o->batons[i]))
      return false; /* what was given already is the same when it is given again */
  given(known);
  return true;
}

static __attribute__((noinline)) void
unlock_otherwise(uintptr_t p)
{
  hd_rt_enter();
  bool done = give_quietly(hd_rt_object_get(hd_rt_load(hd_rt_objects(p))), p);
  hd_rt_leave();
  if (!done)
    hd_rt_client_unlock(p);
}

/* That we were the last to give it says all that unremarkable() does. A signal that comes in between is no harm: what
 * its handler does is after this, and a parcel that is another one then is not taken. */
void
hd_rt_objects_unlock(uintptr_t p)
{
  hd_rt_object *known = hd_rt_object_get(hd_rt_load(hd_rt_objects(p)));
  if (HD_RT_LIKELY(may_be_quiet(known, p) && *hd_rt_client_giver(known) == hd_rt_here.id))
  {
    object *o = *hd_rt_client_slot(known);
    const hd_rt_knower *me = hd_rt_me;
    /* Mostly there is one file. */
    bool given = hd_mttl_give_again(me->t[0], &o->batons[0]);
    for (uint32_t i = 1; HD_RT_UNLIKELY(i < hd_rt_all.nfiles) && given; i++)
      given = hd_mttl_give_again(me->t[i], &o->batons[i]);
    if (HD_RT_LIKELY(given))
    {
      known->holder = known->depth = 0;
      hd_rt_here.held--;
      return;
    }
  }
  unlock_otherwise(p);
}

void
hd_rt_objects_mutex(hd_rt_event event, uintptr_t p)
{
  object *o = make_mutex(p);
  if (HD_RT_UNLIKELY(!o))
    return;
  if (HD_RT_UNLIKELY(hd_rt_all.lock_rules) && event == HD_RT_EV_UNLOCK)
    hd_rt_follow(HD_MTTL_UNLOCK, p);
  mutex_event(event, o);
  hd_rt_object *known = hd_rt_object_find(p, 0);
  if (known && event == HD_RT_EV_UNLOCK)
    *hd_rt_client_giver(known) = is_remarkable(o) ? 0 : hd_rt_here.id;
  if (HD_RT_UNLIKELY(hd_rt_all.lock_rules) && event == HD_RT_EV_LOCK)
    hd_rt_follow(HD_MTTL_LOCK, p);
}

void
hd_rt_objects_event(hd_rt_event event, uintptr_t p, uint32_t count)
{
  object *o = event == HD_RT_EV_GONE ? find(p, false) : make(p, false);
  if (!o)
    return;
  if (event == HD_RT_EV_GONE)
  {
    forget(o);
    return;
  }
  if (hd_rt_all.lock_rules && (event == HD_RT_EV_WRITE_UNLOCK || event == HD_RT_EV_READ_UNLOCK))
    hd_rt_follow(HD_MTTL_UNLOCK, p);
  hd_rt_acquire(&o->lock);
  if (HD_RT_UNLIKELY(event == HD_RT_EV_STRAY_UNLOCK))
    __atomic_store_n(&o->remarkable, true, __ATOMIC_RELAXED); /* pairs with is_remarkable */
  for (uint32_t i = 0; i < hd_rt_all.nfiles; i++)
    move(event, o, i, count);
  hd_rt_release(&o->lock);
  if (hd_rt_all.lock_rules && (event == HD_RT_EV_WRITE_LOCK || event == HD_RT_EV_READ_LOCK))
    hd_rt_follow(HD_MTTL_LOCK, p);
}

/* ---- atomics ---- */

static bool
acquires(int order)
{
  return order != __ATOMIC_RELAXED && order != __ATOMIC_RELEASE;
}

static bool
releases(int order)
{
  return order >= __ATOMIC_RELEASE;
}

static void
operate(hd_rt_atomic_kind kind, object *o, uint32_t size, uint32_t file, int order)
{
  static const char *const words[] = {"loads", "stores to", "changes"};
  hd_mttl_thread *t = hd_rt_me->t[file];
  const hd_mttl_monitor *m = hd_rt_all.files[file].m;
  hd_mttl_object *s = &inside_of(o)->objects[file], *loaded = &hd_rt_me->loaded[file],
                 *fenced = &hd_rt_me->fenced[file];
  bool acquiring = kind != HD_RT_ATOMIC_STORE && acquires(order);
  bool releasing = kind == HD_RT_ATOMIC_MODIFY && releases(order); /* a store replaces what is there */
  hd_mttl_event e;
  if (kind != HD_RT_ATOMIC_STORE && !acquiring)
    hd_mttl_remember(t, loaded, s);
  bool replacing = kind == HD_RT_ATOMIC_STORE && releases(order);
  if (replacing || !hd_mttl_exchange_quietly(t, s, acquiring, releasing))
  {
    hd_rt_event_of(&e, words[kind], o->address, size);
    if (replacing)
      hd_mttl_replace(t, s, &e);
    else
      hd_mttl_exchange(t, s, acquiring, releasing, &e);
  }
  if (kind == HD_RT_ATOMIC_STORE && !replacing)
    hd_mttl_object_copy(s, fenced);
  if (kind == HD_RT_ATOMIC_MODIFY && !releasing)
    hd_mttl_object_join(m, s, fenced);
}

void
hd_rt_objects_atomic(hd_rt_atomic_kind kind, uintptr_t p, size_t n, int order)
{
  object *o = make(p, true);
  if (!o)
    return;
  hd_rt_acquire(&o->lock);
  hd_rt_watch *w = n > 4 || hd_rt_load(hd_rt_w(p)) ? hd_rt_watch_find(p, n, NULL) : NULL;
  for (; w; w = hd_rt_watch_find(p, n, w))
    if (w->tracked)
    {
      hd_mttl_value now = hd_rt_watch_value(w);
      hd_rt_acquire(&w->lock);
      w->last = now;
      hd_rt_release(&w->lock);
      hd_mttl_coherent(hd_rt_me->t[w->area.file], w->area.index, &inside_of(o)->versions[w->area.file], now,
                       kind != HD_RT_ATOMIC_LOAD);
    }
  for (uint32_t i = 0; i < hd_rt_all.nfiles; i++)
    operate(kind, o, (uint32_t) n, i, order);
  hd_rt_release(&o->lock);
}

void
hd_rt_objects_fence(int order)
{
  hd_mttl_event e;
  hd_rt_event_of(&e, "passes a fence", 0, 0);
  for (uint32_t i = 0; i < hd_rt_all.nfiles; i++)
  {
    hd_mttl_exchange(hd_rt_me->t[i], &hd_rt_me->loaded[i], acquires(order), false, &e);
    if (releases(order))
      hd_mttl_replace(hd_rt_me->t[i], &hd_rt_me->fenced[i], &e);
  }
}
