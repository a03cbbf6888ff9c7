/* rt_thread.c: threads and the slots that stand for them in words.
 *
 * A slot is a line of events that follow each other. A thread takes another one when its clock is used up, and then
 * knows the last clock of the old one. The slot of a thread that ended is given to a new one whose creator knows all
 * that the old one did: for everybody else that is as if the old thread went on. So neither makes or hides an order.
 * When there is no such slot left (of 1,023 threads, nobody knows that one has ended: they were detached), a new thread
 * gets the slot of the one that ended first, and counts as lost. It seems to know what that one did; so it learns what
 * that one knew as well, for whoever knows an epoch is taken to know all that was known then (hd_rt_clocks.owner).
 * Races with all this may be missed, and none is seen that is not there. */
#include "instrument/rt_client.h"
#include "instrument/rt_core.h"

enum
{
  THREADS = 1 << 17,
  TENANTS = 8 /* of a slot that are remembered, for reports */
};

__thread hd_rt_local hd_rt_here __attribute__((tls_model("initial-exec"), aligned(64)));
uint32_t hd_rt_shared_homes;
bool hd_rt_accesses_count = true;

typedef struct tenant
{
  uint32_t from; /* clock */
  hd_rt_thread *thread;
} tenant;

static struct
{
  uint32_t last; /* clock of an ended thread; 0: the slot is in use */
  uint64_t end;  /* of that thread: counted */
  uint32_t n;
  tenant tenants[TENANTS];
} slots[HD_RT_SLOTS];
static hd_rt_lock lock; /* of all here */
static hd_rt_thread *threads;
static uint64_t ends; /* of threads, so far */
static uint32_t count, live_at_home[HD_RT_PLANES];
/* How many slots of each home plane were given out. Slot 0 never is: only what nobody wrote has a word 0. */
static uint32_t fresh[HD_RT_PLANES] = {1};

bool
hd_rt_threads_start(void)
{
  threads = hd_rt_map(sizeof(hd_rt_thread) * (size_t) THREADS, 4096);
  return threads != NULL;
}

uint32_t
hd_rt_thread_count(void)
{
  return __atomic_load_n(&count, __ATOMIC_RELAXED);
}

hd_rt_thread *
hd_rt_thread_get(uint32_t id)
{
  return id && id <= hd_rt_thread_count() ? &threads[id] : NULL;
}

uint32_t
hd_rt_thread_position(hd_rt_thread *t)
{
  hd_rt_enter();
  hd_rt_acquire(&lock);
  uint32_t at = t->position;
  if (t->local) /* it cannot end meanwhile: that takes the lock */
    at = (uint32_t) (__atomic_load_n(&t->local->history, __ATOMIC_RELAXED) - t->ring);
  hd_rt_release(&lock);
  hd_rt_leave();
  return at;
}

uint32_t
hd_rt_thread_depth(hd_rt_thread *t)
{
  hd_rt_enter();
  hd_rt_acquire(&lock);
  uint32_t depth = t->local ? __atomic_load_n(&t->local->depth, __ATOMIC_RELAXED) & (HD_RT_DEPTH - 1) : 0;
  hd_rt_release(&lock);
  hd_rt_leave();
  return depth;
}

hd_rt_thread *
hd_rt_thread_of(uint32_t word)
{
  uint32_t s = hd_rt_slot(word), clock = hd_rt_clock(word);
  uint32_t n = __atomic_load_n(&slots[s].n, __ATOMIC_ACQUIRE); /* acquire: pairs with settle() */
  for (uint32_t i = n; i > 0 && i + TENANTS > n; i--)
    if (slots[s].tenants[(i - 1) % TENANTS].from <= clock)
      return slots[s].tenants[(i - 1) % TENANTS].thread;
  return NULL;
}

static void
count_homes(void)
{
  uint32_t shared = 0;
  for (unsigned k = 0; k < HD_RT_PLANES; k++)
    shared |= live_at_home[k] > 1;
  __atomic_store_n(&hd_rt_shared_homes, shared, __ATOMIC_RELAXED);
}

/* T lives in slot S from CLOCK on. Under the lock. */
static void
settle(hd_rt_thread *t, uint32_t s, uint32_t clock)
{
  slots[s].last = 0;
  slots[s].tenants[slots[s].n % TENANTS] = (tenant){clock, t};
  __atomic_store_n(&slots[s].n, slots[s].n + 1, __ATOMIC_RELEASE); /* release: pairs with hd_rt_thread_of */
  t->slot = s;
  t->known[s] = clock;
  live_at_home[s % HD_RT_PLANES]++;
  count_homes();
}

static void
vacate(uint32_t s, uint32_t clock)
{
  slots[s].last = clock;
  slots[s].end = ++ends;
  live_at_home[s % HD_RT_PLANES]--;
  count_homes();
}

/* The slot that has been free for the longest time; HD_RT_SLOTS: none is. */
static uint32_t
oldest_slot(void)
{
  uint32_t oldest = HD_RT_SLOTS;
  for (uint32_t s = 0; s < hd_rt_slots_used; s++)
    if (slots[s].last && slots[s].last + 1 < HD_RT_CLOCK_MAX
        && (oldest == HD_RT_SLOTS || slots[s].end < slots[oldest].end))
      oldest = s;
  return oldest;
}

/* T gets the slot of an ended thread of which it knows nothing. False: all threads that have slots live. */
static bool
succeed(hd_rt_thread *t)
{
  const uint32_t s = oldest_slot();
  if (s == HD_RT_SLOTS)
    return false;
  hd_rt_words_max(t->known, slots[s].tenants[(slots[s].n - 1) % TENANTS].thread->known, hd_rt_slots_used);
  settle(t, s, slots[s].last + 1);
  hd_rt_lost[HD_RT_LOST_THREAD]++;
  return true;
}

/* A slot for T, of an ended thread if T knows all that it did, else one that nobody had; in a home plane with as few
 * others as possible. The last resort is that of any ended thread. */
static bool
find_slot(hd_rt_thread *t)
{
  uint32_t best = HD_RT_SLOTS, load = UINT32_MAX, home = 0;
  if (hd_rt_client_now)
  {
    settle(t, HD_RT_PLANES, 1); /* slots are the race detector's: for others all threads have one, at plane R0 */
    return true;
  }
  for (uint32_t s = 0; s < hd_rt_slots_used; s++)
    if (slots[s].last && slots[s].last + 1 < HD_RT_CLOCK_MAX && t->known[s] >= slots[s].last
        && live_at_home[s % HD_RT_PLANES] < load)
    {
      best = s;
      load = live_at_home[s % HD_RT_PLANES];
    }
  for (uint32_t k = 1; k < HD_RT_PLANES; k++)
    if (live_at_home[k] < live_at_home[home])
      home = k;
  if (best < HD_RT_SLOTS && (load == live_at_home[home] || fresh[home] >= HD_RT_SLOTS / HD_RT_PLANES))
  {
    settle(t, best, slots[best].last + 1);
    return true;
  }
  for (uint32_t k = 0; fresh[home] >= HD_RT_SLOTS / HD_RT_PLANES && k < HD_RT_PLANES; k++)
    home = k;
  if (fresh[home] >= HD_RT_SLOTS / HD_RT_PLANES)
    return succeed(t);
  uint32_t s = fresh[home]++ * HD_RT_PLANES + home, used = (s / 4 + 1) * 4;
  if (used > hd_rt_slots_used)
    __atomic_store_n(&hd_rt_slots_used, used, __ATOMIC_RELAXED);
  settle(t, s, 1);
  return true;
}

hd_rt_thread *
hd_rt_thread_new(void)
{
  hd_rt_thread *me = hd_rt_here.self, *t = NULL;
  hd_rt_enter();
  hd_rt_acquire(&lock);
  if (count + 1 < THREADS)
  {
    t = &threads[count + 1];
    for (uint32_t i = 0; me && i < hd_rt_slots_used; i++)
      t->known[i] = me->known[i];
    if (find_slot(t))
    {
      t->id = ++count;
      t->parent = me ? me->id : 0;
      t->alive = 1;
    }
    else
      t = NULL;
  }
  if (!t)
    hd_rt_lost[HD_RT_LOST_THREAD]++; /* nothing that it does is seen */
  hd_rt_release(&lock);
  if (t && !hd_rt_history_new(t))
  {
    hd_rt_thread_unused(t);
    t = NULL;
  }
  if (t && me)
    hd_rt_tick();
  hd_rt_leave();
  return t;
}

void
hd_rt_thread_load(void)
{
  hd_rt_local *l = &hd_rt_here;
  const hd_rt_thread *t = l->self;
  uint32_t e = hd_rt_epoch(t->slot, t->known[t->slot]);
  l->known = t->known;
  l->pair = (uint64_t) e << 32 | e;
  l->reads = -HD_RT_DOWN(2 + (uintptr_t) (t->slot % HD_RT_PLANES));
  l->look_reads = l->reads - (uintptr_t) &l->pair;
  l->look_writes = -HD_RT_DOWN(1) - (uintptr_t) &l->pair;
  l->byte_reads = HD_RT_BYTE_BASE(1 + (uintptr_t) (t->slot % HD_RT_PLANES));
  l->unaligned = hd_rt_client_now ? ~(uintptr_t) 0 : 3;
  l->learnt = e;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  l->epoch = e;
  hd_rt_watch_accesses(hd_rt_accesses_count);
}

void
hd_rt_thread_attach(hd_rt_thread *t)
{
  hd_rt_local *l = &hd_rt_here;
  l->self = t;
  l->id = t->id;
  t->local = l;
  l->frames = t->frames;
  l->depth = 0;
  l->history = t->ring;
  l->history_end = t->ring + (hd_rt_client_now ? 0 : HD_RT_HISTORY_WORDS / 2); /* 0: each call is told */
  hd_rt_thread_load();
}

void
hd_rt_thread_leave(void)
{
  hd_rt_thread *t = hd_rt_here.self;
  hd_rt_enter();
  hd_rt_record_nothing();
  hd_rt_here.self = NULL;
  hd_rt_acquire(&lock);
  vacate(t->slot, t->known[t->slot]);
  t->position = (uint32_t) (hd_rt_here.history - t->ring);
  t->local = NULL;
  /* release: what we know is what a join learns */
  __atomic_store_n(&t->alive, 0, __ATOMIC_RELEASE);
  hd_rt_release(&lock);
  hd_rt_history_give(t);
  hd_rt_leave();
}

void
hd_rt_thread_unused(hd_rt_thread *t)
{
  hd_rt_enter();
  hd_rt_acquire(&lock);
  vacate(t->slot, t->known[t->slot]);
  t->alive = 0;
  hd_rt_release(&lock);
  if (t->ring)
    hd_rt_history_give(t);
  hd_rt_leave();
}

void
hd_rt_thread_join(hd_rt_thread *t)
{
  hd_rt_thread *me = hd_rt_here.self;
  hd_rt_enter();
  hd_rt_words_max(me->known, t->known, hd_rt_slots_used);
  hd_rt_here.learnt = hd_rt_here.epoch;
  t->joined = 1;
  hd_rt_leave();
}

/* Another slot, which nobody knows of yet. If there is none, later releases cannot be told from this one: orders are
 * seen that are not there, so that races may be missed. */
void
hd_rt_tick_slow(void)
{
  hd_rt_thread *t = hd_rt_here.self;
  hd_rt_acquire(&lock);
  uint32_t old = t->slot;
  vacate(old, HD_RT_CLOCK_MAX); /* for good */
  if (!find_slot(t))
  {
    settle(t, old, t->known[old]);
    hd_rt_lost[HD_RT_LOST_CLOCK]++;
  }
  hd_rt_release(&lock);
  hd_rt_thread_load();
}

/* The child has a copy of the memory: whatever others did to it is done, and nobody goes on with it. */
void
hd_rt_threads_forked(void)
{
  hd_rt_local *l = &hd_rt_here;
  for (uint32_t id = 1; id <= count; id++)
    if (&threads[id] != l->self)
    {
      if (l->self)
        hd_rt_words_max(l->self->known, threads[id].known, hd_rt_slots_used);
      l->learnt = l->epoch;
      threads[id].alive = 0;
      threads[id].local = NULL; /* where it was when the process forked is not known */
    }
}
