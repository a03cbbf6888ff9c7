/* rt_client.c: hands events on to the client, and keeps for it who holds which lock.
 *
 * A lock's object (rt_object.c) has its holder, how often it was taken, and in HEADS a number of its own. It is only
 * touched by who holds the lock, so what it says is right. A lock that somebody gives up who does not hold it, which
 * some programs do to hand it over, becomes another one, and ARRIVED says that taking it brings in what came before. */
#include "instrument/rt_client.h"
#include "instrument/rt_core.h"

const hd_rt_client *hd_rt_client_now;
void (*hd_rt_client_on_lock)(uintptr_t p), (*hd_rt_client_on_unlock)(uintptr_t p);
void (*hd_rt_client_on_call)(void);
void (*hd_rt_client_on_access)(uintptr_t p, size_t n, bool write, uintptr_t pc);

static uint32_t last_number;

/* ---- accesses, calls, threads ---- */

void
hd_rt_client_tell_access(uintptr_t p, size_t n, bool write, uintptr_t pc)
{
  if (HD_RT_UNLIKELY(hd_rt_here.inside || !hd_rt_client_now->access))
    return;
  hd_rt_enter();
  hd_rt_client_now->access(p, n, write, pc);
  hd_rt_leave();
}

void
hd_rt_client_tell_fence(int order)
{
  hd_rt_enter();
  hd_rt_client_now->fence(order);
  hd_rt_leave();
}

void
hd_rt_client_tell_create(hd_rt_thread *t, uintptr_t pc)
{
  hd_rt_enter();
  hd_rt_client_now->create(t, pc);
  hd_rt_leave();
}

void
hd_rt_client_tell_uncreate(hd_rt_thread *t)
{
  hd_rt_enter();
  hd_rt_client_now->uncreate(t);
  hd_rt_leave();
}

void
hd_rt_client_tell_begin(void)
{
  hd_rt_enter();
  hd_rt_client_now->begin();
  hd_rt_delay(HD_RT_DELAY_BEGIN);
  hd_rt_leave();
}

static void release_all(void);

/* A thread that ends gives up what it still holds: the next owner of a robust mutex comes after it. Nobody gets any
 * other. */
void
hd_rt_client_tell_end(void)
{
  hd_rt_enter();
  if (HD_RT_UNLIKELY(hd_rt_here.held))
    release_all();
  hd_rt_client_now->end();
  hd_rt_leave();
}

void
hd_rt_client_tell_join(hd_rt_thread *t, uintptr_t pc)
{
  hd_rt_enter();
  hd_rt_client_now->join(t, pc);
  hd_rt_leave();
}

/* Called for each call, because the history of a thread with a client ends where it begins. */
void
hd_rt_client_call(void)
{
  const hd_rt_frame *f = &hd_rt_here.frames[hd_rt_client_depth()];
  if (!hd_rt_client_now->enter)
    return;
  hd_rt_enter();
  hd_rt_delay(HD_RT_DELAY_OTHER);
  hd_rt_client_now->enter(hd_rt_client_entered(f), f->pc);
  hd_rt_leave();
}

/* Objects that lay in memory that ends are gone. */
void
hd_rt_client_tell_memory(uintptr_t p, size_t n, bool begins, uintptr_t pc)
{
  enum
  {
    BIG = 256 * 1024 /* beyond, what looks like an object there later may be an old one */
  };
  if (!begins && n < BIG)
    for (uintptr_t g = p & ~7ull; g < p + n; g += 8)
      if (HD_RT_UNLIKELY(hd_rt_load(hd_rt_objects(g)) != 0))
        hd_rt_client_gone(g);
  hd_rt_enter();
  hd_rt_client_now->memory(p, n, begins, pc);
  hd_rt_leave();
}

/* ---- objects ---- */

static void
tell(hd_rt_event event, const hd_rt_object *o, uint32_t count)
{
  if (event != HD_RT_EV_GONE)
    hd_rt_delay(HD_RT_DELAY_OTHER);
  if (hd_rt_client_now->sync)
    hd_rt_client_now->sync(event, o->address, o->heads, count, hd_rt_here.place);
}

static uint32_t
new_number(void)
{
  return __atomic_add_fetch(&last_number, 1, __ATOMIC_RELAXED);
}

static hd_rt_object *
object(uintptr_t p)
{
  hd_rt_object *o = hd_rt_object_find(p, 0);
  if (HD_RT_UNLIKELY(!o))
    o = hd_rt_object_make(p, 0);
  if (HD_RT_UNLIKELY(!__atomic_load_n(&o->heads, __ATOMIC_RELAXED)))
  {
    uint32_t zero = 0;
    __atomic_compare_exchange_n(&o->heads, &zero, new_number(), false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  }
  return o;
}

void
hd_rt_client_set(const hd_rt_client *client)
{
  hd_rt_client_now = client;
  hd_rt_client_on_lock = !client ? NULL : client->locked ? client->locked : hd_rt_client_locked;
  hd_rt_client_on_call = !client ? NULL : client->call ? client->call : hd_rt_client_call;
  hd_rt_client_on_access = !client ? NULL : client->touch ? client->touch : hd_rt_client_tell_access;
  hd_rt_client_on_unlock = !client ? NULL : client->unlock ? client->unlock : hd_rt_client_unlock;
}

void
hd_rt_client_locked(uintptr_t p)
{
  hd_rt_enter();
  hd_rt_object *o = object(p);
  if (o->holder == hd_rt_here.self->id)
    o->depth++;
  else
  {
    if (HD_RT_UNLIKELY(o->holder))
      o->heads = new_number(); /* who held it is dead, or it was made anew unseen */
    o->holder = hd_rt_here.self->id;
    o->depth = 1;
    hd_rt_here.held++;
    if (HD_RT_UNLIKELY(o->arrived))
      tell(HD_RT_EV_PEND, o, 0);
    tell(HD_RT_EV_LOCK, o, hd_rt_here.tried);
  }
  hd_rt_leave();
}

static void
give_up(hd_rt_object *o)
{
  tell(HD_RT_EV_UNLOCK, o, 0);
  o->holder = 0;
  hd_rt_here.held--; /* it may be less than 0 if somebody else gave up one of ours: then what is left is looked for */
}

static void
release_all(void)
{
  for (uint32_t i = 1, n = hd_rt_objects_count(); i <= n; i++)
  {
    hd_rt_object *o = hd_rt_object_get(i);
    if (o->holder == hd_rt_here.self->id && !o->size && hd_rt_object_find(o->address, 0) == o)
      give_up(o);
  }
}

void
hd_rt_client_unlock(uintptr_t p)
{
  hd_rt_enter();
  hd_rt_object *o = object(p);
  if (o->holder != hd_rt_here.self->id)
  {
    /* From here on it is another lock, which knows what was done before. */
    tell(HD_RT_EV_STRAY_UNLOCK, o, 0);
    o->heads = new_number();
    o->holder = o->depth = 0;
    o->arrived = 1;
    *hd_rt_client_giver(o) = 0;
    tell(HD_RT_EV_POST, o, 0);
  }
  else if (--o->depth == 0)
    give_up(o);
  hd_rt_leave();
}

uint32_t
hd_rt_client_wait(uintptr_t mutex)
{
  hd_rt_enter();
  hd_rt_object *o = object(mutex);
  uint32_t depth = o->holder == hd_rt_here.self->id ? o->depth : 0;
  if (depth)
    give_up(o);
  hd_rt_leave();
  return depth;
}

void
hd_rt_client_woken(uintptr_t mutex, uint32_t depth)
{
  if (!depth)
    return;
  hd_rt_enter();
  hd_rt_object *o = object(mutex);
  o->holder = hd_rt_here.self->id;
  o->depth = depth;
  hd_rt_here.held++;
  tell(HD_RT_EV_LOCK, o, 0);
  hd_rt_leave();
}

/* Who reads is not kept: an unlock by who does not write is a reader's. Readers that take it again do so in any order,
 * which is nothing to a client either. */
void
hd_rt_client_read_locked(uintptr_t p)
{
  hd_rt_enter();
  tell(HD_RT_EV_READ_LOCK, object(p), hd_rt_here.tried);
  hd_rt_leave();
}

void
hd_rt_client_write_locked(uintptr_t p)
{
  hd_rt_enter();
  hd_rt_object *o = object(p);
  o->holder = hd_rt_here.self->id;
  tell(HD_RT_EV_WRITE_LOCK, o, hd_rt_here.tried);
  hd_rt_leave();
}

void
hd_rt_client_rwlock_unlock(uintptr_t p)
{
  hd_rt_enter();
  hd_rt_object *o = object(p);
  bool writes = o->holder == hd_rt_here.self->id;
  tell(writes ? HD_RT_EV_WRITE_UNLOCK : HD_RT_EV_READ_UNLOCK, o, 0);
  if (writes)
    o->holder = 0;
  hd_rt_leave();
}

void
hd_rt_client_object(hd_rt_event event, uintptr_t p)
{
  hd_rt_enter();
  tell(event, object(p), 0);
  hd_rt_leave();
}

void
hd_rt_client_barrier_init(uintptr_t p, uint32_t count)
{
  hd_rt_client_gone(p);
  hd_rt_enter();
  object(p)->count = count;
  hd_rt_leave();
}

/* Where the thread waits. The barrier may be gone before it has left. */
static __thread struct
{
  uintptr_t p;
  uint32_t number, count;
} barrier __attribute__((tls_model("initial-exec")));

/* The answer, for _leave, only says that there was something to tell. */
uint32_t
hd_rt_client_arrive(uintptr_t p)
{
  hd_rt_enter();
  hd_rt_object *o = object(p);
  barrier.p = p;
  barrier.number = o->heads;
  barrier.count = o->count;
  tell(HD_RT_EV_ARRIVE, o, o->count);
  hd_rt_leave();
  return 1;
}

void
hd_rt_client_leave(uint32_t number)
{
  (void) number;
  hd_rt_enter();
  hd_rt_delay(HD_RT_DELAY_OTHER);
  if (hd_rt_client_now->sync)
    hd_rt_client_now->sync(HD_RT_EV_LEAVE, barrier.p, barrier.number, barrier.count, hd_rt_here.place);
  hd_rt_leave();
}

void
hd_rt_client_gone(uintptr_t p)
{
  hd_rt_enter();
  for (uint32_t i = hd_rt_load(hd_rt_objects(p)); i; i = hd_rt_object_get(i)->next)
    tell(HD_RT_EV_GONE, hd_rt_object_get(i), 0);
  hd_rt_leave();
  hd_rt_object_drop(p);
}
