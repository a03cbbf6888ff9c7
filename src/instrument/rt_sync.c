/* rt_sync.c: which synchronisation orders what.
 *
 * A release puts what the thread knows into an object and begins a new epoch; an acquire adds what the object knows to
 * the thread. Mutex: unlock and lock. Reader-writer lock: readers learn from writers, writers from both; two readers
 * are not ordered. Semaphore: a post adds, a wait learns. Barrier: arriving adds to this generation, leaving learns it.
 * Waiting for a condition variable is an unlock and a lock; signals order nothing.
 *
 * A mutex's object is only touched by who holds the mutex, so it needs no lock of its own. */
#include "instrument/rt_client.h"
#include "instrument/rt_core.h"

void
hd_rt_learn_all(const hd_rt_clocks *c)
{
  hd_rt_clocks_take(hd_rt_here.self->known, c);
  hd_rt_here.learnt = hd_rt_here.epoch;
}

static inline void
release(hd_rt_object *o)
{
  hd_rt_clocks *c = &o->release;
  uint32_t e = hd_rt_here.epoch, learnt = hd_rt_here.learnt;
  /* A copy that we made ourselves since we last learnt something differs in our own clock alone. */
  if (HD_RT_LIKELY(c->owner - learnt <= e - learnt))
    c->owner = e;
  else
    hd_rt_clocks_copy(c, hd_rt_here.known, hd_rt_slots_used, e);
  hd_rt_tick();
}

void
hd_rt_release_into(hd_rt_object *o)
{
  release(o);
}

void
hd_rt_release_join(hd_rt_object *o)
{
  if (!o->release.n)
    hd_rt_clocks_copy(&o->release, hd_rt_here.known, hd_rt_slots_used, hd_rt_here.epoch);
  else
    hd_rt_clocks_join(&o->release, hd_rt_here.known, hd_rt_slots_used);
  hd_rt_tick();
}

/* ---- mutexes ---- */

static inline hd_rt_object *
object(uintptr_t p)
{
  hd_rt_object *o = hd_rt_object_find(p, 0);
  return HD_RT_LIKELY(o != NULL) ? o : hd_rt_object_make(p, 0);
}

/* Who released it last needs not look. */
static inline void
learn(const hd_rt_object *o)
{
  if ((o->release.owner ^ hd_rt_here.epoch) & HD_RT_SLOT_MASK)
    hd_rt_learn(&o->release);
}

void
hd_rt_mutex_locked_all(uintptr_t p)
{
  hd_rt_enter();
  hd_rt_object *o = object(p);
  if (o->holder == hd_rt_here.self->id)
    o->depth++;
  else
  {
    o->holder = hd_rt_here.self->id;
    o->depth = 1;
    learn(o);
  }
  hd_rt_leave();
}

/* All that a thread did is before whoever gets a robust mutex from it. A client was told when it ended. */
void
hd_rt_mutex_inherited(uintptr_t p)
{
  if (hd_rt_client_now)
    return;
  hd_rt_enter();
  hd_rt_object *o = object(p);
  if (o->holder && o->holder != hd_rt_here.self->id && o->holder <= hd_rt_thread_count())
  {
    hd_rt_words_max(hd_rt_here.self->known, hd_rt_thread_get(o->holder)->known, hd_rt_slots_used);
    hd_rt_here.learnt = hd_rt_here.epoch;
  }
  hd_rt_leave();
}

void
hd_rt_mutex_unlock_all(uintptr_t p)
{
  hd_rt_enter();
  hd_rt_object *o = object(p);
  if (o->holder != hd_rt_here.self->id || --o->depth == 0)
  {
    o->holder = 0;
    release(o);
  }
  hd_rt_leave();
}

uint32_t
hd_rt_mutex_wait(uintptr_t p)
{
  if (HD_RT_UNLIKELY(hd_rt_client_now != NULL))
    return hd_rt_client_wait(p);
  hd_rt_enter();
  hd_rt_object *o = object(p);
  uint32_t depth = o->holder == hd_rt_here.self->id ? o->depth : 1;
  o->holder = 0;
  release(o);
  hd_rt_leave();
  return depth;
}

void
hd_rt_mutex_woken(uintptr_t p, uint32_t depth)
{
  if (HD_RT_UNLIKELY(hd_rt_client_now != NULL))
  {
    hd_rt_client_woken(p, depth);
    return;
  }
  hd_rt_enter();
  hd_rt_object *o = object(p);
  o->holder = hd_rt_here.self->id;
  o->depth = depth;
  learn(o);
  hd_rt_leave();
}

/* ---- reader-writer locks ---- */

static hd_rt_object *
readers(hd_rt_object *o)
{
  if (!__atomic_load_n(&o->other, __ATOMIC_ACQUIRE)) /* acquire: pairs with the store below */
  {
    hd_rt_acquire(&o->lock);
    if (!o->other)
      __atomic_store_n(&o->other, hd_rt_object_new()->self, __ATOMIC_RELEASE); /* release: the object is there */
    hd_rt_release(&o->lock);
  }
  return hd_rt_object_get(o->other);
}

void
hd_rt_rwlock_read_locked(uintptr_t p)
{
  if (HD_RT_UNLIKELY(hd_rt_client_now != NULL))
  {
    hd_rt_client_read_locked(p);
    return;
  }
  hd_rt_enter();
  hd_rt_learn(&hd_rt_object_make(p, 0)->release);
  hd_rt_leave();
}

void
hd_rt_rwlock_write_locked(uintptr_t p)
{
  if (HD_RT_UNLIKELY(hd_rt_client_now != NULL))
  {
    hd_rt_client_write_locked(p);
    return;
  }
  hd_rt_enter();
  hd_rt_object *o = hd_rt_object_make(p, 0);
  o->holder = hd_rt_here.self->id;
  hd_rt_learn(&o->release);
  if (o->other)
    hd_rt_learn(&readers(o)->release);
  hd_rt_leave();
}

void
hd_rt_rwlock_unlock(uintptr_t p)
{
  if (HD_RT_UNLIKELY(hd_rt_client_now != NULL))
  {
    hd_rt_client_rwlock_unlock(p);
    return;
  }
  hd_rt_enter();
  hd_rt_object *o = hd_rt_object_make(p, 0);
  if (o->holder == hd_rt_here.self->id)
  {
    o->holder = 0;
    if (o->other)
      hd_rt_clocks_clear(&readers(o)->release);
    hd_rt_release_into(o);
  }
  else
  {
    hd_rt_object *r = readers(o);
    hd_rt_acquire(&r->lock);
    hd_rt_release_join(r);
    hd_rt_release(&r->lock);
  }
  hd_rt_leave();
}

/* ---- semaphores and what is like them ---- */

void
hd_rt_post(uintptr_t p)
{
  if (HD_RT_UNLIKELY(hd_rt_client_now != NULL))
  {
    hd_rt_client_object(HD_RT_EV_POST, p);
    return;
  }
  hd_rt_enter();
  hd_rt_object *o = hd_rt_object_make(p, 0);
  hd_rt_acquire(&o->lock);
  hd_rt_release_join(o);
  hd_rt_release(&o->lock);
  hd_rt_leave();
}

void
hd_rt_pend(uintptr_t p)
{
  if (HD_RT_UNLIKELY(hd_rt_client_now != NULL))
  {
    hd_rt_client_object(HD_RT_EV_PEND, p);
    return;
  }
  hd_rt_enter();
  hd_rt_object *o = hd_rt_object_make(p, 0);
  hd_rt_acquire(&o->lock);
  hd_rt_learn(&o->release);
  hd_rt_release(&o->lock);
  hd_rt_leave();
}

/* ---- barriers: an object for each generation, which the last to leave frees ---- */

void
hd_rt_barrier_init(uintptr_t p, uint32_t n)
{
  if (HD_RT_UNLIKELY(hd_rt_client_now != NULL))
  {
    hd_rt_client_barrier_init(p, n);
    return;
  }
  hd_rt_forget(p);
  hd_rt_object_make(p, 0)->count = n;
}

uint32_t
hd_rt_barrier_arrive(uintptr_t p)
{
  if (HD_RT_UNLIKELY(hd_rt_client_now != NULL))
    return hd_rt_client_arrive(p);
  hd_rt_enter();
  hd_rt_object *o = hd_rt_object_make(p, 0);
  hd_rt_acquire(&o->lock);
  if (!o->other)
  {
    hd_rt_object *g = hd_rt_object_new();
    g->count = o->count;
    o->other = g->self;
  }
  uint32_t generation = o->other;
  hd_rt_object *g = hd_rt_object_get(generation);
  hd_rt_acquire(&g->lock);
  hd_rt_release_join(g);
  hd_rt_release(&g->lock);
  if (++o->arrived >= o->count)
  {
    o->arrived = 0;
    o->other = 0;
  }
  hd_rt_release(&o->lock);
  hd_rt_leave();
  return generation;
}

void
hd_rt_barrier_leave(uint32_t generation)
{
  if (HD_RT_UNLIKELY(hd_rt_client_now != NULL))
  {
    hd_rt_client_leave(generation);
    return;
  }
  hd_rt_enter();
  hd_rt_object *g = hd_rt_object_get(generation);
  hd_rt_acquire(&g->lock);
  hd_rt_learn(&g->release);
  bool last = ++g->arrived >= g->count;
  hd_rt_release(&g->lock);
  if (last && generation)
    hd_rt_object_free(g);
  hd_rt_leave();
}

void
hd_rt_forget(uintptr_t p)
{
  if (HD_RT_UNLIKELY(hd_rt_client_now != NULL))
  {
    hd_rt_client_gone(p);
    return;
  }
  hd_rt_object_drop(p);
}
