/* rt_history.c: what each thread did last: calls, and accesses when they were first recorded in an epoch.
 *
 * A ring of words in two halves. A call is one word: where it was called from and how deep. An access is two: address
 * and part of the clock; place and depth. Going back from an access, the latest call at each depth below its own gives
 * its stack. Each half begins with the calls that are open. Returns are not recorded: the depth says it all.
 *
 * Whoever reports a race reads another thread's ring while that goes on writing, and so stays away from its oldest
 * words. */
#include "instrument/rt_client.h"
#include "instrument/rt_core.h"

enum
{
  HALF = HD_RT_HISTORY_WORDS / 2,
  KEPT_OPEN = 128, /* open calls that a half begins with, at most */
  SPARE = 256,     /* rings of ended threads that are not given away while others are */
  MARGIN = 64,     /* words that a running thread may overwrite while we look */
  RING_BYTES = HD_RT_HISTORY_WORDS * 8,
  FRAME_BYTES = HD_RT_DEPTH * sizeof(hd_rt_frame)
};

static hd_rt_lock lock;
static hd_rt_thread *ended[4096]; /* oldest first, from FIRST; may have gaps */
static uint32_t first, last;

bool
hd_rt_history_new(hd_rt_thread *t)
{
  hd_rt_thread *old = NULL;
  hd_rt_enter();
  hd_rt_acquire(&lock);
  if (last - first > SPARE)
    old = ended[first++ % 4096];
  hd_rt_release(&lock);
  hd_rt_leave();
  if (old)
  {
    t->ring = old->ring;
    t->frames = old->frames;
    old->ring = NULL;
    for (uint32_t i = 0; i < HD_RT_HISTORY_WORDS && t->ring[i]; i++)
      t->ring[i] = 0;
    return true;
  }
  char *p = hd_rt_map(RING_BYTES + FRAME_BYTES + 4096, RING_BYTES);
  if (!p)
    return false;
  t->ring = (uint64_t *) (void *) p;
  t->frames = (hd_rt_frame *) (void *) (p + RING_BYTES + 4096);
  return true;
}

void
hd_rt_history_give(hd_rt_thread *t)
{
  hd_rt_enter();
  hd_rt_acquire(&lock);
  if (last - first < 4096)
    ended[last++ % 4096] = t;
  hd_rt_release(&lock);
  hd_rt_leave();
}

void
hd_rt_history_turn(void)
{
  hd_rt_local *l = &hd_rt_here;
  uint64_t *ring = l->self->ring;
  if (HD_RT_UNLIKELY(hd_rt_client_on_call != NULL))
  {
    l->history = ring;
    hd_rt_client_on_call();
    return;
  }
  uint64_t *h = l->history_end == ring + HALF ? ring + HALF : ring;
  uint64_t *overshoot = l->history_end;
  while (overshoot < l->history)
    *overshoot++ = 0; /* the second word of an access that crossed the line: its first stays alone */
  uint32_t depth = l->depth & (HD_RT_DEPTH - 1), from = depth > KEPT_OPEN ? depth - KEPT_OPEN : 0;
  l->history_end = h + HALF;
  for (uint32_t d = from + 1; d <= depth; d++)
    *h++ = hd_rt_call_word(l->frames[d].pc, d);
  *h = 0;
  l->history = h;
}

size_t
hd_rt_history_stack(uintptr_t pc, uintptr_t *pcs, size_t max)
{
  size_t n = 0;
  if (n < max)
    pcs[n++] = pc;
  for (uint32_t d = hd_rt_here.depth & (HD_RT_DEPTH - 1); d && n < max; d--)
    pcs[n++] = hd_rt_here.frames[d].pc;
  return n;
}

/* ---- looking back ---- */

/* Word I of the ring, counted back from position AT. */
static uint64_t
back(const hd_rt_thread *t, uint32_t at, uint32_t i)
{
  return __atomic_load_n(&t->ring[(at - 1 - i) % HD_RT_HISTORY_WORDS], __ATOMIC_RELAXED);
}

static uintptr_t
place(uint64_t word)
{
  return (word & ~HD_RT_ENTRY) >> 16;
}

static size_t
stack_before(const hd_rt_thread *t, uint32_t at, uint32_t i, uint64_t access, uintptr_t *pcs, size_t max)
{
  size_t n = 0;
  pcs[n++] = place(access);
  uint32_t depth = access & (HD_RT_DEPTH - 1);
  for (; depth && n < max && i < HD_RT_HISTORY_WORDS - MARGIN; i++)
  {
    uint64_t word = back(t, at, i), before = back(t, at, i + 1);
    if (word & HD_RT_ENTRY)
      continue;
    if (before & HD_RT_ENTRY)
    {
      i++; /* WORD is the second of an access */
      continue;
    }
    if ((word & (HD_RT_DEPTH - 1)) == depth && place(word))
    {
      pcs[n++] = place(word);
      depth--;
    }
  }
  return n;
}

size_t
hd_rt_history_find(hd_rt_thread *t, uint32_t word, uintptr_t p, uintptr_t *pcs, size_t max, size_t *size)
{
  static const uint8_t sizes[] = {1, 2, 4, 8, 16, 0, 0, 0};
  *size = 0;
  if (!t || !t->ring || !max)
    return 0;
  uintptr_t last_byte = 0;
  uint32_t at = hd_rt_thread_position(t);
  for (uint32_t i = 0; i + 1 < HD_RT_HISTORY_WORDS - MARGIN; i++)
  {
    uint64_t second = back(t, at, i), entry = back(t, at, i + 1);
    if (!(entry & HD_RT_ENTRY) || (second & HD_RT_ENTRY))
      continue;
    uintptr_t start = place(entry);
    unsigned code = second >> 13 & 7;
    i++;
    if (code == HD_RT_SIZE_LAST)
    {
      last_byte = start;
      continue;
    }
    uintptr_t n = sizes[code];
    if (code == HD_RT_SIZE_RANGE)
      n = last_byte >= start ? last_byte - start + 1 : 1;
    if (p - start < n && (entry & 0xffff) == (hd_rt_clock(word) & 0xffff))
    {
      *size = n;
      return stack_before(t, at, i + 1, second, pcs, max);
    }
  }
  return 0;
}
