/* rt_layout.c: maps the planes, if the program lies where the distances between them hold. All are mapped without
 * reservation: a page costs memory once something is stored in it. */
#define _GNU_SOURCE
#include "instrument/rt_core.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

enum
{
  PAGE = 4096
};

static bool
map(uintptr_t from, uintptr_t to)
{
  void *p = mmap((void *) from, to - from, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (p != (void *) from)
  {
    if (p != MAP_FAILED)
      munmap(p, to - from);
    return false;
  }
  madvise(p, to - from, MADV_NOHUGEPAGE); /* sparse: a huge page would be mostly empty */
  madvise(p, to - from, MADV_DONTDUMP);
  return true;
}

bool
hd_rt_layout_map(void)
{
  for (unsigned k = 1; k <= 6; k++)
    if (!map(HD_RT_EXE_LOW - k * HD_RT_STEP, HD_RT_EXE_HIGH - k * HD_RT_STEP + HD_RT_SKEWED)
        || !map(HD_RT_MAP_LOW - k * HD_RT_STEP, HD_RT_MAP_HIGH - k * HD_RT_STEP + HD_RT_SKEWED))
      return false;
  for (unsigned k = 0; k <= HD_RT_PLANES; k++)
    if (!map(HD_RT_TIB + k * HD_RT_BYTE_PLANE, HD_RT_TIB + (k + 1) * HD_RT_BYTE_PLANE))
      return false;
  return true;
}

/* A digit of a hexadecimal number, or -1. */
static int
digit(char c)
{
  if (c >= '0' && c <= '9')
    return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool
hd_rt_layout_fits(void)
{
  int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return false;
  char buffer[4096];
  ssize_t n;
  uintptr_t address = 0;
  bool fits = true, at_start = true;
  while ((n = read(fd, buffer, sizeof buffer)) > 0)
    for (ssize_t i = 0; i < n; i++)
    {
      if (buffer[i] == '\n')
      {
        at_start = true;
        address = 0;
      }
      else if (at_start && digit(buffer[i]) >= 0)
        address = address << 4 | (unsigned) digit(buffer[i]);
      else if (at_start)
      {
        at_start = false;
        if (address < HD_RT_MAP_HIGH && !hd_rt_inside_windows(address)) /* beyond: the kernel's page */
          fits = false;
      }
    }
  close(fd);
  return fits;
}
