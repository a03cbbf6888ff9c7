/* rt_object.c: the runtime's own memory, vectors of clocks, and the objects that synchronise, found by their address:
 * each 8 bytes have the number of the first of a chain, mostly of one. */
#define _GNU_SOURCE
#include "instrument/rt_core.h"

#include <sched.h>
#include <sys/mman.h>

uint32_t hd_rt_generation = 1;
uint32_t hd_rt_lost[HD_RT_LOSSES];

void
hd_rt_lock_slow(hd_rt_lock *lock)
{
  for (unsigned i = 0;; i++)
  {
    uint32_t old = __atomic_load_n(lock, __ATOMIC_RELAXED);
    /* acquire: pairs with the release in hd_rt_release. Of another generation: its holder is in another process. */
    if ((old == 0 || old != hd_rt_generation)
        && __atomic_compare_exchange_n(lock, &old, hd_rt_generation, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
      return;
    if (i < 64)
      __builtin_ia32_pause();
    else
      sched_yield(); /* the holder may be preempted */
  }
}

void *
hd_rt_map(size_t size, size_t align)
{
  size_t all = size + (align > 4096 ? align : 0);
  char *p = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED)
    return NULL;
  char *start = (char *) (((uintptr_t) p + align - 1) & ~(align - 1));
  if (start > p)
    munmap(p, (size_t) (start - p));
  if (start + size < p + all)
    munmap(start + size, (size_t) (p + all - (start + size)));
  return start;
}

/* ---- pools ---- */

uint32_t
hd_rt_pool_take(hd_rt_pool *pool)
{
  hd_rt_enter();
  hd_rt_acquire(&pool->lock);
  uint32_t number = pool->free;
  if (number)
    pool->free = *(uint32_t *) hd_rt_pool_get(pool, number);
  else if (pool->used + 1 < pool->max)
    number = ++pool->used;
  hd_rt_release(&pool->lock);
  if (number)
  {
    uint64_t *p = hd_rt_pool_get(pool, number);
    for (uint32_t i = 0; i < pool->size / 8; i++)
      p[i] = 0;
  }
  hd_rt_leave();
  return number;
}

void
hd_rt_pool_give(hd_rt_pool *pool, uint32_t number)
{
  hd_rt_enter();
  hd_rt_acquire(&pool->lock);
  *(uint32_t *) hd_rt_pool_get(pool, number) = pool->free;
  pool->free = number;
  hd_rt_release(&pool->lock);
  hd_rt_leave();
}

/* ---- clocks ---- */

typedef uint32_t quad __attribute__((vector_size(16), aligned(16)));
typedef int32_t signed_quad __attribute__((vector_size(16), aligned(16)));

enum
{
  CLASSES = 4
};
static hd_rt_pool words[CLASSES] = {
    {.size = 16 * 4, .max = 1u << 22},
    {.size = 64 * 4, .max = 1u << 20},
    {.size = 256 * 4, .max = 1u << 19},
    {.size = HD_RT_SLOTS * 4, .max = 1u << 17},
};
uint32_t hd_rt_slots_used = 4;

void
hd_rt_words_max(uint32_t *to, const uint32_t *from, uint32_t n)
{
  for (uint32_t i = 0; i < n; i += 4)
  {
    signed_quad a = *(signed_quad *) (to + i), b = *(const signed_quad *) (from + i), more = b > a;
    *(signed_quad *) (to + i) = (a & ~more) | (b & more);
  }
}

static void
words_copy(uint32_t *to, const uint32_t *from, uint32_t n)
{
  for (uint32_t i = 0; i < n; i += 4)
    *(quad *) (to + i) = *(const quad *) (from + i);
}

static hd_rt_pool *
pool_of(uint32_t cap)
{
  return &words[(31 - __builtin_clz(cap)) / 2 - 2]; /* 16, 64, 256, 1024 */
}

/* Others may be reading the old words (rt_full.c): these are not given back. They are a third of the new ones at most.
 */
bool
hd_rt_clocks_grow(hd_rt_clocks *c, uint32_t n)
{
  if (HD_RT_LIKELY(n <= c->cap))
    return true;
  uint32_t cap = 16;
  while (cap < n)
    cap *= 4;
  hd_rt_pool *pool = pool_of(cap);
  uint32_t number = hd_rt_pool_take(pool);
  if (!number)
  {
    hd_rt_lost[HD_RT_LOST_OBJECTS]++;
    return false;
  }
  uint32_t *p = hd_rt_pool_get(pool, number);
  words_copy(p, c->words, c->n);
  __atomic_store_n(&c->words, p, __ATOMIC_RELEASE); /* release: pairs with the address dependency in unknown_clock */
  c->cap = cap;
  return true;
}

void
hd_rt_clocks_copy(hd_rt_clocks *to, const uint32_t *from, uint32_t n, uint32_t owner)
{
  if (!hd_rt_clocks_grow(to, n))
  {
    n = to->cap;
    owner = 0;
  }
  words_copy(to->words, from, n);
  for (uint32_t i = n; i < to->n; i++)
    to->words[i] = 0;
  to->n = n;
  to->owner = owner;
}

void
hd_rt_clocks_join(hd_rt_clocks *to, const uint32_t *from, uint32_t n)
{
  if (!hd_rt_clocks_grow(to, n))
    n = to->cap;
  if (to->owner)
    to->words[hd_rt_slot(to->owner)] = hd_rt_clock(to->owner);
  for (uint32_t i = to->n; i < n; i++)
    to->words[i] = 0;
  if (to->n < n)
    to->n = n;
  hd_rt_words_max(to->words, from, n);
  to->owner = 0;
}

void
hd_rt_clocks_take(uint32_t *to, const hd_rt_clocks *from)
{
  uint32_t slot = hd_rt_slot(from->owner), clock = hd_rt_clock(from->owner);
  hd_rt_words_max(to, from->words, from->n);
  if (to[slot] < clock)
    to[slot] = clock;
}

void
hd_rt_clocks_clear(hd_rt_clocks *c)
{
  for (uint32_t i = 0; i < c->n; i++)
    c->words[i] = 0;
  c->n = 0;
  c->owner = 0;
}

void
hd_rt_clocks_free(hd_rt_clocks *c)
{
  if (c->cap)
  {
    hd_rt_pool *pool = pool_of(c->cap);
    hd_rt_pool_give(pool, (uint32_t) (((char *) c->words - pool->base) / pool->size));
  }
  *c = (hd_rt_clocks){0};
}

/* ---- objects ---- */

static hd_rt_pool objects = {.size = sizeof(hd_rt_object), .max = 1u << 24};
hd_rt_object *hd_rt_object_base;

bool
hd_rt_objects_start(void)
{
  objects.base = hd_rt_map((size_t) objects.size * objects.max, 4096);
  for (unsigned i = 0; i < CLASSES; i++)
    if (!(words[i].base = hd_rt_map((size_t) words[i].size * words[i].max, 4096)))
      return false;
  hd_rt_object_base = (hd_rt_object *) (void *) objects.base;
  return objects.base != NULL;
}

uint32_t
hd_rt_objects_count(void)
{
  return __atomic_load_n(&objects.used, __ATOMIC_RELAXED);
}

hd_rt_object *
hd_rt_object_new(void)
{
  uint32_t number = hd_rt_pool_take(&objects);
  if (!number)
  {
    hd_rt_lost[HD_RT_LOST_OBJECTS]++;
    return hd_rt_object_base;
  }
  hd_rt_object *o = hd_rt_object_get(number);
  o->self = number;
  return o;
}

void
hd_rt_object_free(hd_rt_object *o)
{
  if (o == hd_rt_object_base)
    return;
  hd_rt_clocks_free(&o->release);
  hd_rt_clocks_free(&o->reads);
  hd_rt_clocks_free(&o->writes);
  if (o->other)
    hd_rt_object_free(hd_rt_object_get(o->other));
  hd_rt_pool_give(&objects, o->self);
}

hd_rt_object *
hd_rt_object_make(uintptr_t p, uint32_t size)
{
  hd_rt_object *o = hd_rt_object_find(p, size);
  if (HD_RT_LIKELY(o != NULL))
    return o;
  hd_rt_lock *lock = hd_rt_stripe(p);
  hd_rt_enter();
  hd_rt_acquire(lock);
  o = hd_rt_object_find(p, size);
  if (!o)
  {
    o = hd_rt_object_new();
    if (o != hd_rt_object_base)
    {
      o->address = p;
      o->size = size;
      o->next = *hd_rt_objects(p);
      __atomic_store_n(hd_rt_objects(p), o->self, __ATOMIC_RELEASE); /* release: what it points to is there */
    }
  }
  hd_rt_release(lock);
  hd_rt_leave();
  return o;
}

void
hd_rt_object_drop(uintptr_t p)
{
  uint32_t *first = hd_rt_objects(p);
  if (HD_RT_LIKELY(!hd_rt_load(first)))
    return;
  hd_rt_lock *lock = hd_rt_stripe(p);
  hd_rt_enter();
  hd_rt_acquire(lock);
  uint32_t i = *first;
  hd_rt_store(first, 0);
  hd_rt_release(lock);
  while (i)
  {
    hd_rt_object *o = hd_rt_object_get(i);
    i = o->next;
    hd_rt_object_free(o);
  }
  hd_rt_leave();
}
