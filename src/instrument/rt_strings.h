/* rt_strings.h: what the files share that take over functions of <string.h> and the like: what these read and write.
 *
 *   rt_strings.c           the most used, some of which the runtime itself needs early
 *   rt_strings_more.c      the others
 *   rt_strings_checked.c   what programs call that are compiled with _FORTIFY_SOURCE
 *   rt_print.c             sprintf and its family; functions that answer in memory of their own */
#ifndef HD_RT_STRINGS_H
#define HD_RT_STRINGS_H

#include "instrument/rt_runtime.h"

#include <string.h>

static inline void
hd_rt_reads(const void *p, size_t n, uintptr_t pc)
{
  if (n)
    hd_rt_range_read((uintptr_t) p, n, pc);
}

static inline void
hd_rt_writes(void *p, size_t n, uintptr_t pc)
{
  if (n)
    hd_rt_range_write((uintptr_t) p, n, pc);
}

/* The calls among these functions are ours, not the program's. */
static inline size_t
hd_rt_length(const char *s)
{
  size_t n = 0;
  while (((volatile const char *) s)[n])
    n++;
  return n;
}

/* ... of at most MAX characters; what is read: with the end, if that is among them. */
static inline size_t
hd_rt_length_seen(const char *s, size_t max)
{
  size_t n = 0;
  while (n < max && ((volatile const char *) s)[n])
    n++;
  return n < max ? n + 1 : n;
}

#endif
