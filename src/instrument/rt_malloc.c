/* rt_malloc.c: malloc and its family, and mmap: where memory begins and ends its life.
 *
 * Giving memory back is a write to all of it, so that a use that is not ordered before is found. What is cleared is the
 * usable size, which is what free looks at, not the size that was asked for. */
#include "instrument/rt_runtime.h"

#include <errno.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>

HD_RT_DECLARE(malloc);
HD_RT_DECLARE(free);
HD_RT_DECLARE(calloc);
HD_RT_DECLARE(realloc);
HD_RT_DECLARE(reallocarray);
HD_RT_DECLARE(memalign);
HD_RT_DECLARE(aligned_alloc);
HD_RT_DECLARE(posix_memalign);
HD_RT_DECLARE(valloc);
HD_RT_DECLARE(pvalloc);
HD_RT_DECLARE(mmap);
HD_RT_DECLARE(munmap);
HD_RT_DECLARE(mremap);

enum
{
  BIG = 256 * 1024 /* beyond: the shadow is dropped by the page */
};

static void *
begins(void *p, size_t n, uintptr_t pc)
{
  if (p && hd_rt_on())
  {
    hd_rt_memory_new((uintptr_t) p, malloc_usable_size(p), pc, true);
    hd_rt_block_new((uintptr_t) p, n, pc);
  }
  return p;
}

static void
ends(void *p, uintptr_t pc, const char *doing)
{
  if (!p || !hd_rt_on())
    return;
  size_t n = malloc_usable_size(p);
  if (HD_RT_TELL(memory, (uintptr_t) p, n, false, pc))
  {
    hd_rt_block_freed((uintptr_t) p);
    return;
  }
  hd_rt_here.doing = doing;
  if (n < BIG)
    hd_rt_range_write((uintptr_t) p, n, pc);
  else
    hd_rt_memory_forget((uintptr_t) p, n);
  hd_rt_here.doing = NULL;
  hd_rt_block_freed((uintptr_t) p);
}

HD_RT_WRAP(void *, malloc)(size_t n)
{
  return begins(HD_RT_REAL(malloc)(n), n, HD_RT_PLACE);
}

HD_RT_WRAP(void, free)(void *p)
{
  ends(p, HD_RT_PLACE, "free");
  HD_RT_REAL(free)(p);
}

HD_RT_WRAP(void *, calloc)(size_t n, size_t size)
{
  return begins(HD_RT_REAL(calloc)(n, size), n * size, HD_RT_PLACE);
}

/* The old block may grow in place or be given back; which, is known too late to look at it. So the new one is taken
 * first. */
static void *
again(void *old, size_t n, uintptr_t pc)
{
  if (!old)
    return begins(HD_RT_REAL(malloc)(n), n, pc);
  if (n == 0)
  {
    ends(old, pc, "realloc");
    return HD_RT_REAL(realloc)(old, 0);
  }
  size_t had = malloc_usable_size(old);
  if (n <= had && n > had / 2)
  {
    hd_rt_block_new((uintptr_t) old, n, pc);
    return old; /* it fits, and little is lost */
  }
  char *new = HD_RT_REAL(malloc)(n);
  if (!new)
    return NULL;
  size_t keep = n < had ? n : had;
  hd_rt_range_read((uintptr_t) old, keep, pc);
  hd_rt_enter(); /* the copy is ours, not the program's */
  __builtin_memcpy(new, old, keep);
  hd_rt_leave();
  begins(new, n, pc);
  ends(old, pc, "realloc");
  HD_RT_REAL(free)(old);
  return new;
}

HD_RT_WRAP(void *, realloc)(void *p, size_t n)
{
  return hd_rt_on() ? again(p, n, HD_RT_PLACE) : HD_RT_REAL(realloc)(p, n);
}

HD_RT_WRAP(void *, reallocarray)(void *p, size_t n, size_t size)
{
  size_t all;
  if (!hd_rt_on())
    return HD_RT_REAL(reallocarray)(p, n, size);
  if (__builtin_mul_overflow(n, size, &all))
  {
    errno = ENOMEM;
    return NULL;
  }
  return again(p, all, HD_RT_PLACE);
}

HD_RT_WRAP(void *, memalign)(size_t align, size_t n)
{
  return begins(HD_RT_REAL(memalign)(align, n), n, HD_RT_PLACE);
}

HD_RT_WRAP(void *, aligned_alloc)(size_t align, size_t n)
{
  return begins(HD_RT_REAL(aligned_alloc)(align, n), n, HD_RT_PLACE);
}

HD_RT_WRAP(int, posix_memalign)(void **p, size_t align, size_t n)
{
  int error = HD_RT_REAL(posix_memalign)(p, align, n);
  if (!error)
    begins(*p, n, HD_RT_PLACE);
  return error;
}

HD_RT_WRAP(void *, valloc)(size_t n)
{
  return begins(HD_RT_REAL(valloc)(n), n, HD_RT_PLACE);
}

HD_RT_WRAP(void *, pvalloc)(size_t n)
{
  return begins(HD_RT_REAL(pvalloc)(n), n, HD_RT_PLACE);
}

/* ---- mappings ---- */

/* A hint that lies outside the windows would give memory without a shadow. */
static void *
hint(void *p, int *flags)
{
  if (!hd_rt_on() || (*flags & (MAP_FIXED | 0x100000 /* MAP_FIXED_NOREPLACE */)))
    return p;
  *flags &= ~MAP_32BIT;
  return hd_rt_inside_windows((uintptr_t) p) ? p : NULL;
}

static void *
mapped(void *p, size_t n)
{
  if (p != MAP_FAILED && hd_rt_on() && hd_rt_inside_windows((uintptr_t) p))
    hd_rt_memory_forget((uintptr_t) p, n);
  return p;
}

HD_RT_WRAP(void *, mmap)(void *p, size_t n, int protection, int flags, int fd, off_t offset)
{
  p = hint(p, &flags);
  return mapped(HD_RT_REAL(mmap)(p, n, protection, flags, fd, offset), n);
}

#ifndef HD_RT_STATIC
HD_RT_WRAP(void *, mmap64)(void *p, size_t n, int protection, int flags, int fd, off_t offset)
{
  p = hint(p, &flags);
  return mapped(HD_RT_REAL(mmap)(p, n, protection, flags, fd, offset), n);
}
#endif

HD_RT_WRAP(int, munmap)(void *p, size_t n)
{
  if (hd_rt_on() && n)
    hd_rt_memory_forget((uintptr_t) p, n);
  return HD_RT_REAL(munmap)(p, n);
}

HD_RT_WRAP(void *, mremap)(void *p, size_t old, size_t new, int flags, ...)
{
  va_list more;
  va_start(more, flags);
  void *to = flags & MREMAP_FIXED ? va_arg(more, void *) : NULL;
  va_end(more);
  void *q = HD_RT_REAL(mremap)(p, old, new, flags, to);
  if (q != MAP_FAILED && hd_rt_on())
  {
    hd_rt_memory_forget((uintptr_t) p, old);
    hd_rt_memory_forget((uintptr_t) q, new);
  }
  return q;
}
