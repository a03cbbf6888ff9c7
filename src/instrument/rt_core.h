/* rt_core.h: what the files of the race detector share, below the hooks.
 *
 *   rt_full.c     an access that the middle path (rt_shadow.h) does not settle
 *   rt_range.c    accesses of many bytes
 *   rt_sets.c     reads that are not ordered among each other and share a home plane
 *   rt_object.c   synchronisation objects: vector clocks, by address
 *   rt_sync.c     what locks, semaphores, barriers, threads do to the clocks
 *   rt_atomic.c   what atomic operations do
 *   rt_thread.c   threads and slots
 *   rt_memory.c   where memory begins and ends its life
 *   rt_history.c  what a thread did last: stacks of earlier accesses
 *   rt_layout.c   maps the planes
 *
 * Locks spin, then yield. Order: an object's lock, then a stripe (by address, for the full path), then a pool's.
 * Whoever holds one is inside the runtime (hd_rt_enter), where signals wait; so a handler never waits for what it
 * interrupted. A lock's value is the process's generation: in the child of a fork what other threads held is free. */
#ifndef HD_RT_CORE_H
#define HD_RT_CORE_H

#include "instrument/rt_shadow.h"

#include <pthread.h>

#pragma GCC visibility push(hidden)

/* ---- locks ---- */

typedef uint32_t hd_rt_lock; /* 0: free */
extern uint32_t hd_rt_generation;
void hd_rt_lock_slow(hd_rt_lock *lock);

static inline void
hd_rt_acquire(hd_rt_lock *lock)
{
  uint32_t zero = 0;
  if (HD_RT_UNLIKELY(!__atomic_compare_exchange_n(lock, &zero, hd_rt_generation, false, __ATOMIC_ACQUIRE,
                                                  __ATOMIC_RELAXED))) /* acquire: pairs with the release below */
    hd_rt_lock_slow(lock);
}

static inline void
hd_rt_release(hd_rt_lock *lock)
{
  __atomic_store_n(lock, 0, __ATOMIC_RELEASE); /* release: pairs with the acquire above */
}

void hd_rt_deliver(void); /* the signals that waited, and what a client has to do outside */

static inline void
hd_rt_enter(void)
{
  hd_rt_here.inside++;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

static inline void
hd_rt_leave(void)
{
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  if (--hd_rt_here.inside == 0 && HD_RT_UNLIKELY(hd_rt_here.waiting | hd_rt_here.acting))
    hd_rt_deliver();
}

/* ---- memory of the runtime ---- */

/* SIZE bytes without reservation, zero; NULL: the system has none. ALIGN is a power of two, at least a page. */
void *hd_rt_map(size_t size, size_t align);

/* Records of one size, numbered from 1, in a mapping that never moves. */
typedef struct hd_rt_pool
{
  hd_rt_lock lock;
  uint32_t size, max; /* bytes of a record; how many at most */
  uint32_t used, free;
  char *base;
} hd_rt_pool;
uint32_t hd_rt_pool_take(hd_rt_pool *pool); /* zeroed; 0: there is none left */
void hd_rt_pool_give(hd_rt_pool *pool, uint32_t number);
static inline void *
hd_rt_pool_get(const hd_rt_pool *pool, uint32_t number)
{
  return pool->base + (size_t) number * pool->size;
}

/* What did not fit; told at the end. */
enum hd_rt_loss
{
  HD_RT_LOST_THREAD,  /* more threads at once, or that nobody knows to have ended, than slots */
  HD_RT_LOST_CLOCK,   /* more releases than clocks */
  HD_RT_LOST_READS,   /* more sets of reads than there is room for */
  HD_RT_LOST_OBJECTS, /* more synchronisation objects */
  HD_RT_LOSSES
};
extern uint32_t hd_rt_lost[HD_RT_LOSSES];

/* ---- clocks ---- */

/* A vector of clocks by slot; words from N on are 0. OWNER: the epoch of the one release that this is a copy of, so
 * that whoever knows that epoch knows all of it; 0: there is none such. The word of the owner's slot may be an older
 * one of that slot: OWNER counts. */
typedef struct hd_rt_clocks
{
  uint32_t *words;
  uint32_t n, cap;
  uint32_t owner;
} hd_rt_clocks;

extern uint32_t hd_rt_slots_used; /* a multiple of 4, never shrinks */

void hd_rt_clocks_copy(hd_rt_clocks *to, const uint32_t *from, uint32_t n, uint32_t owner);
void hd_rt_clocks_join(hd_rt_clocks *to, const uint32_t *from, uint32_t n);
void hd_rt_clocks_take(uint32_t *to, const hd_rt_clocks *from); /* what FROM has is added to a vector of all slots */
void hd_rt_clocks_clear(hd_rt_clocks *c);
void hd_rt_clocks_free(hd_rt_clocks *c);
bool hd_rt_clocks_grow(hd_rt_clocks *c, uint32_t n);
void hd_rt_words_max(uint32_t *to, const uint32_t *from, uint32_t n);

/* ---- threads ---- */

typedef struct hd_rt_thread
{
  uint32_t slot, id; /* numbered from 1, never reused */
  uint32_t parent;
  uint32_t alive, joined;
  int kernel_id;
  pthread_t handle;
  char name[16];
  uintptr_t stack_low, stack_high;
  uintptr_t start_routine;
  uintptr_t created[16]; /* the stack that created it, innermost first */
  uint64_t *ring;        /* history; NULL: given to another thread */
  hd_rt_frame *frames;
  hd_rt_local *local;        /* of the thread while it lives */
  uint32_t position;         /* in the ring, of a thread that ended */
  struct hd_rt_thread *next; /* in the table by handle (rt_threads.c) */
  uint32_t seen_n, fenced_n, fenced_owner;
  uint32_t known[HD_RT_SLOTS] __attribute__((aligned(16)));
  /* Atomics: what relaxed loads saw, for the next acquire fence; what was known at the last release fence. */
  uint32_t seen[HD_RT_SLOTS], fenced[HD_RT_SLOTS];
} hd_rt_thread;

/* The thread whose epoch W is, or NULL. */
hd_rt_thread *hd_rt_thread_of(uint32_t word);
hd_rt_thread *hd_rt_thread_get(uint32_t id);
uint32_t hd_rt_thread_count(void);
uint32_t hd_rt_thread_position(hd_rt_thread *t); /* in its history */
uint32_t hd_rt_thread_depth(hd_rt_thread *t);    /* of its calls; 0: not known any more */
/* A new thread of the calling one, which knows what that knows; NULL: there is no slot. The first call makes the first.
 */
hd_rt_thread *hd_rt_thread_new(void);
void hd_rt_thread_attach(hd_rt_thread *t); /* the caller is T from now on */
void hd_rt_thread_leave(void);             /* the caller is nobody: its last release */
void hd_rt_thread_join(hd_rt_thread *t);   /* T left */
void hd_rt_thread_unused(hd_rt_thread *t); /* T could not be started */
void hd_rt_thread_load(void);              /* hd_rt_here from hd_rt_here.self: slot or clock changed */
void hd_rt_tick_slow(void);                /* the clock is used up */
/* E is the next epoch: of the same slot. */
static inline void
hd_rt_tick_to(uint32_t e)
{
  hd_rt_local *l = &hd_rt_here;
  l->self->known[e >> HD_RT_CLOCK_BITS] = hd_rt_clock(e);
  l->pair = (uint64_t) e << 32 | e;
  l->epoch = e;
}
/* A release was made: the next epoch. */
static inline void
hd_rt_tick(void)
{
  uint32_t e = hd_rt_here.epoch + 1;
  if (HD_RT_UNLIKELY(hd_rt_clock(e) >= HD_RT_CLOCK_MAX))
    hd_rt_tick_slow();
  else
    hd_rt_tick_to(e);
}
bool hd_rt_threads_start(void);
void hd_rt_threads_forked(void); /* only the calling thread is left */

/* ---- objects ---- */

typedef struct hd_rt_object
{
  hd_rt_lock lock;
  uint32_t version; /* atomics: odd while the clocks change */
  uint32_t next;    /* in the chain of the 8 bytes */
  uint32_t self;    /* its number */
  uintptr_t address;
  uint32_t size;              /* of an atomic; 0: a lock or the like */
  uint32_t holder, depth;     /* of a mutex: id of the thread, how often */
  uint32_t other;             /* number of an object: readers of a lock; the generation of a barrier */
  hd_rt_clocks release;       /* up to here one line of the cache: all that a lock needs */
  hd_rt_clocks reads, writes; /* of an atomic: by slot, the last such operation; OWNER is not used */
  uint32_t heads;             /* of an atomic: how many of */
  union
  {
    uint16_t head[4]; /* the slots that released to it since its clocks were replaced; more: HEADS is 5 */
    struct
    {
      uint32_t count, arrived; /* of a barrier */
    };
  };
} hd_rt_object;
_Static_assert(sizeof(hd_rt_object) == 128, "two lines of the cache, and a shift to find it");

extern hd_rt_object *hd_rt_object_base; /* by number; 0 is for when there are no more: whoever uses it is ordered */
static inline hd_rt_object *
hd_rt_object_get(uint32_t number)
{
  return &hd_rt_object_base[number];
}
/* Is it a mutex that the calling thread holds, once? One comparison of two fields at a time. */
static inline bool
hd_rt_object_is_held(const hd_rt_object *o)
{
  uint64_t size_and_holder;
  __builtin_memcpy(&size_and_holder, &o->size, sizeof size_and_holder);
  return HD_RT_LIKELY(size_and_holder == (uint64_t) hd_rt_here.id << 32) && HD_RT_LIKELY(o->depth == 1);
}
/* NULL: there is none. */
static inline hd_rt_object *
hd_rt_object_find(uintptr_t p, uint32_t size)
{
  for (uint32_t i = __atomic_load_n(hd_rt_objects(p), __ATOMIC_ACQUIRE); i;) /* acquire: pairs with hd_rt_object_make */
  {
    hd_rt_object *o = hd_rt_object_get(i);
    if (HD_RT_LIKELY(o->address == p && o->size == size))
      return o;
    i = o->next;
  }
  return NULL;
}
hd_rt_object *hd_rt_object_make(uintptr_t p, uint32_t size); /* finds or makes; never NULL */
hd_rt_object *hd_rt_object_new(void);
void hd_rt_object_free(hd_rt_object *o);
void hd_rt_object_drop(uintptr_t p); /* all that begin in the 8 bytes of P */
bool hd_rt_objects_start(void);
uint32_t hd_rt_objects_count(void); /* their numbers are up to this one */

/* ---- synchronisation: of the calling thread ---- */

void hd_rt_learn_all(const hd_rt_clocks *c);
/* What C knows is before us. One release has one epoch: who knows the epoch knows all that was known then. */
static inline void
hd_rt_learn(const hd_rt_clocks *c)
{
  if (c->owner ? !hd_rt_known(c->owner) : c->n != 0)
    hd_rt_learn_all(c);
}
void hd_rt_release_into(hd_rt_object *o); /* what we know replaces what O knows; then the next epoch */
void hd_rt_release_join(hd_rt_object *o); /* ... is added to it */
struct hd_rt_client;
extern const struct hd_rt_client *hd_rt_client_now; /* rt_client.h; NULL: none, or the race detector */
extern void (*hd_rt_client_on_lock)(uintptr_t p),
    (*hd_rt_client_on_unlock)(uintptr_t p); /* NULL with it, as the next */
extern void (*hd_rt_client_on_call)(void);  /* a function was entered */
extern void (*hd_rt_client_on_access)(uintptr_t p, size_t n, bool write, uintptr_t pc);
/* Has the client nothing to do with the calling thread before its next event? */
static inline bool
hd_rt_client_is_swift(void)
{
  return (~hd_rt_here.depth & (HD_RT_DEPTH - 1)) < hd_rt_here.swift;
}
/* No client has clocks. So it has a place for the thread that gave up a lock last, and whose knowledge that lock has
 * alone: if it takes it again while it is swift, that brings nothing. 0: the client wants to hear of it each time. */
static inline uint32_t *
hd_rt_client_giver(hd_rt_object *o)
{
  return &o->release.owner;
}
void hd_rt_mutex_locked_all(uintptr_t p);
void hd_rt_mutex_unlock_all(uintptr_t p);
void hd_rt_mutex_inherited(uintptr_t p); /* it is about to be locked; its last owner ended with it */
/* A mutex was locked. Few instructions if it is one that we released last. */
static inline __attribute__((always_inline)) void
hd_rt_mutex_locked(uintptr_t p)
{
  hd_rt_object *o = hd_rt_object_get(hd_rt_load(hd_rt_objects(p)));
  void (*on_lock)(uintptr_t) = hd_rt_client_on_lock;
  if (HD_RT_UNLIKELY(on_lock != NULL))
  {
    if (HD_RT_LIKELY(o->address == p && !o->size && !o->holder && *hd_rt_client_giver(o) == hd_rt_here.id
                     && hd_rt_client_is_swift()))
    {
      o->holder = hd_rt_here.id;
      o->depth = 1;
      hd_rt_here.held++;
    }
    else
      on_lock(p);
    return;
  }
  if (HD_RT_LIKELY(o->address == p && !o->size && !o->holder
                   && !((o->release.owner ^ hd_rt_here.epoch) & HD_RT_SLOT_MASK)))
  {
    o->holder = hd_rt_here.id;
    o->depth = 1;
  }
  else
    hd_rt_mutex_locked_all(p);
}
/* Before it is unlocked. Few if nothing was learnt since our last release: then the copy that the object has differs in
 * our own clock alone. */
static inline __attribute__((always_inline)) void
hd_rt_mutex_unlock(uintptr_t p)
{
  void (*on_unlock)(uintptr_t) = hd_rt_client_on_unlock;
  if (HD_RT_UNLIKELY(on_unlock != NULL))
  {
    on_unlock(p);
    return;
  }
  hd_rt_local *l = &hd_rt_here;
  hd_rt_object *o = hd_rt_object_get(hd_rt_load(hd_rt_objects(p)));
  uint32_t e = l->epoch, learnt = l->learnt;
  if (HD_RT_LIKELY(o->address == p && hd_rt_object_is_held(o) && o->release.owner - learnt <= e - learnt
                   && hd_rt_clock(e + 1) < HD_RT_CLOCK_MAX))
  {
    hd_rt_enter();
    o->holder = 0;
    o->release.owner = e;
    hd_rt_tick_to(e + 1);
    hd_rt_leave();
  }
  else
    hd_rt_mutex_unlock_all(p);
}
uint32_t hd_rt_mutex_wait(uintptr_t p); /* before a wait; the answer is for _woken */
void hd_rt_mutex_woken(uintptr_t p, uint32_t depth);
void hd_rt_rwlock_read_locked(uintptr_t p);
void hd_rt_rwlock_write_locked(uintptr_t p);
void hd_rt_rwlock_unlock(uintptr_t p);
void hd_rt_post(uintptr_t p); /* semaphores, once: a release that adds */
void hd_rt_pend(uintptr_t p); /* ... and what acquires it */
void hd_rt_barrier_init(uintptr_t p, uint32_t count);
uint32_t hd_rt_barrier_arrive(uintptr_t p); /* the answer is for _leave */
void hd_rt_barrier_leave(uint32_t generation);
void hd_rt_forget(uintptr_t p); /* the object there was destroyed */
void hd_rt_fence(int order);

/* ---- atomics ---- */

/* An atomic operation: begin, do it, end. ORDER is the C11 one; A comparison that fails is a load. */
typedef struct hd_rt_atomic
{
  hd_rt_object *object;
  uintptr_t p, pc;
  uint32_t size;
} hd_rt_atomic;
void hd_rt_atomic_begin(hd_rt_atomic *a, uintptr_t p, uint32_t size, uintptr_t pc);
void hd_rt_atomic_load(hd_rt_atomic *a, int order);
void hd_rt_atomic_store(hd_rt_atomic *a, int order);
void hd_rt_atomic_modify(hd_rt_atomic *a, int order);
/* A load that brings nothing new needs no lock: begin; the load; if still true, it is done. */
bool hd_rt_atomic_peek(uintptr_t p, uint32_t size, int order, hd_rt_object **o, uint32_t *version);
static inline bool
hd_rt_atomic_peeked(const hd_rt_object *o, uint32_t version)
{
  __atomic_signal_fence(__ATOMIC_SEQ_CST); /* x86 keeps loads in order */
  return __atomic_load_n(&o->version, __ATOMIC_RELAXED) == version;
}

/* ---- full path ---- */

/* The stripe of an address. */
hd_rt_lock *hd_rt_stripe(uintptr_t p);
/* Cells: a granule's words or a byte's. STRIDE: from one plane of reads to the next. */
typedef struct hd_rt_cell
{
  uint32_t *w;
  uintptr_t first, stride;
} hd_rt_cell;
static inline uint32_t *
hd_rt_cell_reads(hd_rt_cell c, unsigned plane)
{
  return (uint32_t *) (c.first + plane * c.stride);
}
static inline hd_rt_cell
hd_rt_granule_cell(uintptr_t p)
{
  return (hd_rt_cell){hd_rt_w(p), (uintptr_t) hd_rt_r(p, 0), -HD_RT_DOWN(1)};
}
static inline hd_rt_cell
hd_rt_byte_cell(uintptr_t p)
{
  return (hd_rt_cell){hd_rt_wb(p), (uintptr_t) hd_rt_rb(p, 0), HD_RT_BYTE_STEP};
}
/* What an access must not be unordered with: the answer is the word of one that it is, or 0. *READ: that was a read. */
uint32_t hd_rt_cell_conflict(hd_rt_cell c, bool write, bool *read);

/* ---- sets of reads: under the stripe ---- */
bool hd_rt_sets_start(void);
uint32_t hd_rt_set_add(uint32_t word,
                       uint32_t epoch);   /* a set of what was in WORD and EPOCH; what the caller knows goes */
uint32_t hd_rt_set_unknown(uint32_t set); /* a read in it that the caller does not know, or 0 */
uint32_t hd_rt_set_copy(uint32_t set);
void hd_rt_set_free(uint32_t set);

/* ---- memory ---- */

void hd_rt_memory_new(uintptr_t p, size_t n, uintptr_t pc,
                      bool written);             /* a new life; WRITTEN: by the caller, as malloc */
void hd_rt_memory_forget(uintptr_t p, size_t n); /* as if never touched; drops whole pages */
/* A block of memory that malloc or the like gave out; remembered when it is free, until the memory is used again. */
typedef struct hd_rt_block_info
{
  uint64_t size;
  uintptr_t start;
  uint32_t thread, freed_by; /* 0: not freed */
  uintptr_t pcs[4];          /* where, innermost first */
} hd_rt_block_info;
bool hd_rt_blocks_start(void);
void hd_rt_block_new(uintptr_t p, size_t n, uintptr_t pc);
void hd_rt_block_freed(uintptr_t p);
const hd_rt_block_info *hd_rt_block_find(uintptr_t p, uintptr_t *start); /* the one that P lies in, or NULL */
/* For who looks at all of them: 1 a block, 0 none, -1 there are no more. */
int hd_rt_block_by_number(uint32_t number, hd_rt_block_info *b);
void hd_rt_granule_clear(uintptr_t g); /* R, bytes, sets of one granule; under the stripe */

/* ---- layout ---- */

bool hd_rt_layout_fits(void); /* do all mappings lie in the windows? */
bool hd_rt_layout_map(void);
static inline bool
hd_rt_inside_windows(uintptr_t p)
{
  return (p >= HD_RT_EXE_LOW && p < HD_RT_EXE_HIGH) || (p >= HD_RT_MAP_LOW && p < HD_RT_MAP_HIGH);
}

/* ---- history ---- */

bool hd_rt_history_new(hd_rt_thread *t);
void hd_rt_history_give(hd_rt_thread *t); /* T ended: its history may be taken by a later thread, the oldest first */
/* The stack of the last access of T to P in the epoch WORD, innermost first, and its size in bytes (0: unknown).
 * Returns how many frames; 0: it is too long ago. The first is where the access is. */
size_t hd_rt_history_find(hd_rt_thread *t, uint32_t word, uintptr_t p, uintptr_t *pcs, size_t max, size_t *size);
size_t hd_rt_history_stack(uintptr_t pc, uintptr_t *pcs, size_t max); /* of the caller, now */

/* ---- races ---- */

enum hd_rt_kind
{
  HD_RT_READ = 0,
  HD_RT_WRITE = 1,
  HD_RT_ATOMIC = 2
};
typedef struct hd_rt_race
{
  uintptr_t p;         /* the first of the bytes in question, */
  uint32_t bytes;      /* and how many */
  uint32_t size, kind; /* of the access that completed the race: enum hd_rt_kind, together */
  uintptr_t pc;
  uint32_t old, old_kind; /* its epoch: of the other one */
} hd_rt_race;
extern void (*hd_rt_on_race)(const hd_rt_race *race);

#pragma GCC visibility pop

#endif
