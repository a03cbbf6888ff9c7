/* rt_range.c: accesses of many bytes: memcpy and the like, structures, free. Four granules at a time: mostly their
 * words are equal, so that one check does for all. */
#include "instrument/rt_client.h"
#include "instrument/rt_core.h"

enum
{
  TOUCH = 1024 /* bytes; less than a page, so that none is left out */
};

typedef uint32_t quad __attribute__((vector_size(16), aligned(4), may_alias));

static quad
load(const uint32_t *p)
{
  return *(const quad *) p;
}

static void
store(uint32_t *p, uint32_t word)
{
  *(quad *) p = (quad){word, word, word, word};
}

static bool
all_equal(quad q, uint32_t word)
{
  quad d = q ^ word;
  d |= __builtin_shufflevector(d, d, 2, 3, 0, 1);
  return (d[0] | d[1]) == 0;
}

static bool
try_read_quad(uintptr_t g)
{
  uint32_t e = hd_rt_here.epoch, *w_word = hd_rt_w(g), *r_word = hd_rt_home(g), w = *w_word, r = *r_word;
  if (!all_equal(load(r_word), r))
    return false;
  if (r == e)
    return true;
  if ((w & (HD_RT_A | HD_RT_B)) || (r & HD_RT_S) || !hd_rt_known(w) || !hd_rt_known(r) || hd_rt_shared_homes
      || !all_equal(load(w_word), w))
    return false;
  if (((w ^ e) & HD_RT_SLOT_MASK) && !(w & HD_RT_S))
    store(w_word, w |= HD_RT_S);
  store(r_word, e);
  return all_equal(load(w_word), w);
}

static bool
quad_reads_known(uintptr_t g, unsigned plane)
{
  uint32_t *r_word = hd_rt_r(g, plane), r = *r_word;
  return !(r & HD_RT_S) && hd_rt_known(r) && all_equal(load(r_word), r);
}

static bool
try_write_quad(uintptr_t g)
{
  uint32_t e = hd_rt_here.epoch, *w_word = hd_rt_w(g), w = *w_word;
  if (!all_equal(load(w_word), w))
    return false;
  if (w == e)
    return true;
  if ((w & (HD_RT_FLAGS | HD_RT_SLOT_MASK)) != (e & HD_RT_SLOT_MASK))
  {
    if ((w & (HD_RT_A | HD_RT_B)) || !hd_rt_known(w))
      return false;
    if (!(w & HD_RT_S))
    {
      if (!quad_reads_known(g, hd_rt_slot(w) % HD_RT_PLANES))
        return false;
    }
    else
      for (unsigned k = 0; k < HD_RT_PLANES; k++)
        if (!quad_reads_known(g, k))
          return false;
  }
  store(w_word, e);
  return true;
}

/* The first store to a page faults, which must not happen between a look and its store: see hd_rt_replace. */
static void
touch(uint32_t *word)
{
  __atomic_fetch_or(word, 0, __ATOMIC_RELAXED);
}

static void
touch_pages(uintptr_t g, bool read)
{
  touch(hd_rt_w(g));
  touch(hd_rt_w(g + 15));
  if (read)
  {
    touch(hd_rt_home(g));
    touch(hd_rt_home((g + 15) & ~3ull));
  }
}

static void
note(uintptr_t p, size_t n, uintptr_t pc)
{
  hd_rt_note(p, HD_RT_SIZE_RANGE, pc);
  hd_rt_note(p + n - 1, HD_RT_SIZE_LAST, pc);
}

void
hd_rt_range_read(uintptr_t p, size_t n, uintptr_t pc)
{
  if (HD_RT_TELL(access, p, n, false, pc))
    return;
  uintptr_t end = p + n, g = (p + 3) & ~3ull;
  if (n < 4 || g + 4 > end)
  {
    if (n)
      hd_rt_full_read(p, n, pc);
    return;
  }
  if (g > p)
    hd_rt_full_read(p, g - p, pc);
  for (uintptr_t fresh = g; g + 16 <= end; g += 16)
  {
    if (HD_RT_UNLIKELY(g >= fresh) && !*hd_rt_w(g))
    {
      touch_pages(g, true);
      fresh = g + TOUCH;
    }
    if (HD_RT_UNLIKELY(!try_read_quad(g)))
      for (unsigned i = 0; i < 16; i += 4)
        if (!hd_rt_same_read4(g + i) && !hd_rt_try_read(hd_rt_w(g + i), hd_rt_home(g + i)))
          hd_rt_full_read(g + i, 4, pc);
  }
  for (; g + 4 <= end; g += 4)
    if (!hd_rt_same_read4(g) && !hd_rt_try_read(hd_rt_w(g), hd_rt_home(g)))
      hd_rt_full_read(g, 4, pc);
  if (g < end)
    hd_rt_full_read(g, end - g, pc);
  note(p, n, pc);
}

void
hd_rt_range_write(uintptr_t p, size_t n, uintptr_t pc)
{
  if (HD_RT_TELL(access, p, n, true, pc))
    return;
  uintptr_t end = p + n, g = (p + 3) & ~3ull;
  if (n < 4 || g + 4 > end)
  {
    if (n)
      hd_rt_full_write(p, n, pc);
    return;
  }
  if (g > p)
    hd_rt_full_write(p, g - p, pc);
  for (uintptr_t fresh = g; g + 16 <= end; g += 16)
  {
    if (HD_RT_UNLIKELY(g >= fresh) && !*hd_rt_w(g))
    {
      touch_pages(g, false);
      fresh = g + TOUCH;
    }
    if (HD_RT_UNLIKELY(!try_write_quad(g)))
      for (unsigned i = 0; i < 16; i += 4)
        if (!hd_rt_same_write4(g + i) && !hd_rt_try_write_granule(g + i))
          hd_rt_full_write(g + i, 4, pc);
  }
  for (; g + 4 <= end; g += 4)
    if (!hd_rt_same_write4(g) && !hd_rt_try_write_granule(g))
      hd_rt_full_write(g, 4, pc);
  if (g < end)
    hd_rt_full_write(g, end - g, pc);
  note(p, n, pc);
}
