/* rt_memory.c: memory that begins a new life carries nothing over: its words, bytes, sets and objects are cleared. No
 * order is added between the end of one life and the beginning of the next.
 *
 * A block from malloc counts as written by who allocated it, so that a pointer that is handed over without
 * synchronisation is found. Big blocks lose their shadow by the page instead. */
#define _GNU_SOURCE
#include "instrument/rt_client.h"
#include "instrument/rt_core.h"

#include <sys/mman.h>

enum
{
  BIG = 256 * 1024,
  PAGE = 4096
};

typedef uint32_t quad __attribute__((vector_size(16), aligned(4), may_alias));

static hd_rt_pool blocks = {.size = sizeof(hd_rt_block_info), .max = 1u << 26};

static bool
zero(quad q)
{
  q |= __builtin_shufflevector(q, q, 2, 3, 0, 1);
  return (q[0] | q[1]) == 0;
}

static void
clear_granule(uintptr_t g, uint32_t word)
{
  hd_rt_lock *lock = hd_rt_stripe(g);
  if (!(g & 7))
    hd_rt_object_drop(g);
  hd_rt_enter();
  hd_rt_acquire(lock);
  hd_rt_granule_clear(g);
  hd_rt_store(hd_rt_w(g), word);
  hd_rt_release(lock);
  hd_rt_leave();
}

/* The block that began here is gone for good. */
static void
drop_block(uintptr_t g)
{
  uint32_t *word = hd_rt_block(g), number = *word;
  if (number)
  {
    *word = 0;
    hd_rt_pool_give(&blocks, number);
  }
}

/* 16 bytes that are nothing special. */
static bool
clear_quad(uintptr_t g, uint32_t word)
{
  quad w = *(quad *) hd_rt_w(g), objects = *(quad *) hd_rt_objects(g);
  quad r0 = *(quad *) hd_rt_r(g, 0), r1 = *(quad *) hd_rt_r(g, 1), r2 = *(quad *) hd_rt_r(g, 2),
       r3 = *(quad *) hd_rt_r(g, 3);
  if (!zero((w & (HD_RT_A | HD_RT_B)) | (objects & (quad){~0u, 0, ~0u, 0}) | ((r0 | r1 | r2 | r3) & HD_RT_S)))
    return false;
  *(quad *) hd_rt_w(g) = (quad){word, word, word, word};
  if (!zero(r0))
    *(quad *) hd_rt_r(g, 0) = (quad){0};
  if (!zero(r1))
    *(quad *) hd_rt_r(g, 1) = (quad){0};
  if (!zero(r2))
    *(quad *) hd_rt_r(g, 2) = (quad){0};
  if (!zero(r3))
    *(quad *) hd_rt_r(g, 3) = (quad){0};
  if (!zero(objects))
  {
    drop_block(g);
    drop_block(g + 8);
  }
  return true;
}

static void
clear(uintptr_t p, size_t n, uint32_t word)
{
  uintptr_t g = p & ~3ull, end = (p + n + 3) & ~3ull;
  while (g < end)
  {
    if (!(g & 7) && g + 16 <= end && clear_quad(g, word))
    {
      g += 16;
      continue;
    }
    if (!(g & 7))
      drop_block(g);
    clear_granule(g, word);
    g += 4;
  }
}

/* The whole pages between. */
static void
drop(uintptr_t from, uintptr_t to)
{
  from = (from + PAGE - 1) & ~(uintptr_t) (PAGE - 1);
  to &= ~(uintptr_t) (PAGE - 1);
  if (from < to)
    madvise((void *) from, to - from, MADV_DONTNEED);
}

void
hd_rt_memory_forget(uintptr_t p, size_t n)
{
  uintptr_t end = p + n;
  if (!n || !hd_rt_inside_windows(p) || !hd_rt_inside_windows(end - 1)
      || HD_RT_TELL(memory, p, n, true, hd_rt_here.place))
    return;
  if (n < 4 * PAGE)
  {
    clear(p, n, 0);
    return;
  }
  /* A page of a plane may hold words of what lies beside: so the ends are cleared word by word. */
  clear(p, PAGE, 0);
  clear(end - PAGE, PAGE, 0);
  for (unsigned k = 1; k <= 6; k++)
    drop(p - HD_RT_DOWN(k), end - HD_RT_DOWN(k));
  drop((uintptr_t) hd_rt_wb(p), (uintptr_t) hd_rt_wb(end - 1) + 4);
  for (unsigned k = 0; k < HD_RT_PLANES; k++)
    drop((uintptr_t) hd_rt_rb(p, k), (uintptr_t) hd_rt_rb(end - 1, k) + 4);
}

void
hd_rt_memory_new(uintptr_t p, size_t n, uintptr_t pc, bool written)
{
  if (HD_RT_TELL(memory, p, n, true, pc))
    return;
  if (n >= BIG)
    hd_rt_memory_forget(p, n);
  else if (n)
  {
    clear(p, n, written ? hd_rt_here.epoch : 0);
    if (written)
    {
      hd_rt_note(p, HD_RT_SIZE_RANGE, pc);
      hd_rt_note(p + n - 1, HD_RT_SIZE_LAST, pc);
    }
  }
}

/* ---- blocks ---- */

bool
hd_rt_blocks_start(void)
{
  blocks.base = hd_rt_map((size_t) blocks.size * blocks.max, PAGE);
  return blocks.base != NULL;
}

void
hd_rt_block_new(uintptr_t p, size_t n, uintptr_t pc)
{
  drop_block(p);
  uint32_t number = hd_rt_pool_take(&blocks);
  if (!number)
    return;
  hd_rt_block_info *b = hd_rt_pool_get(&blocks, number);
  b->size = n;
  b->start = p;
  b->thread = hd_rt_here.self->id;
  hd_rt_history_stack(pc, b->pcs, sizeof b->pcs / sizeof *b->pcs);
  hd_rt_store(hd_rt_block(p), number);
}

void
hd_rt_block_freed(uintptr_t p)
{
  uint32_t number = hd_rt_load(hd_rt_block(p));
  if (number)
    ((hd_rt_block_info *) hd_rt_pool_get(&blocks, number))->freed_by = hd_rt_here.self->id;
}

int
hd_rt_block_by_number(uint32_t number, hd_rt_block_info *b)
{
  if (number > __atomic_load_n(&blocks.used, __ATOMIC_RELAXED))
    return -1;
  *b = *(const hd_rt_block_info *) hd_rt_pool_get(&blocks, number);
  /* A record that was given back may hold anything. */
  return hd_rt_inside_windows(b->start) && !(b->start & 7) && hd_rt_load(hd_rt_block(b->start)) == number;
}

const hd_rt_block_info *
hd_rt_block_find(uintptr_t p, uintptr_t *start)
{
  enum
  {
    FAR = 64 << 20
  };
  for (uintptr_t g = p & ~7ull; p - g < FAR && hd_rt_inside_windows(g); g -= 8)
  {
    uint32_t number = hd_rt_load(hd_rt_block(g));
    if (!number)
      continue;
    const hd_rt_block_info *b = hd_rt_pool_get(&blocks, number);
    *start = g;
    return p - g < b->size ? b : NULL;
  }
  return NULL;
}
