/* rt_io_files.c: files: what the calls read from and write to memory is recorded; what is in a file orders nothing. */
#include "instrument/rt_strings.h"

#include <stdio.h>
#include <unistd.h>

ssize_t __pread_chk(int fd, void *p, size_t size, off_t offset, size_t room);
ssize_t __pread64_chk(int fd, void *p, size_t size, off64_t offset, size_t room);
size_t __fread_chk(void *restrict p, size_t room, size_t size, size_t count, FILE *restrict file);
char *__fgets_chk(char *restrict p, size_t room, int size, FILE *restrict file);

HD_RT_DECLARE(pread);
HD_RT_DECLARE(pwrite);
HD_RT_DECLARE(pread64);
HD_RT_DECLARE(pwrite64);
HD_RT_DECLARE(__pread_chk);
HD_RT_DECLARE(__pread64_chk);
HD_RT_DECLARE(fread);
HD_RT_DECLARE(__fread_chk);
HD_RT_DECLARE(fwrite);
HD_RT_DECLARE(fgets);
HD_RT_DECLARE(__fgets_chk);
HD_RT_DECLARE(fputs);

#define FILE_READ(call)                                                                                                \
  ssize_t n = call;                                                                                                    \
  if (hd_rt_on())                                                                                                      \
    hd_rt_writes(p, n > 0 ? (size_t) n : 0, HD_RT_PLACE);                                                              \
  return n
#define FILE_WRITE(call)                                                                                               \
  if (hd_rt_on())                                                                                                      \
    hd_rt_reads(p, size, HD_RT_PLACE);                                                                                 \
  return call

HD_RT_WRAP(ssize_t, pread)(int fd, void *p, size_t size, off_t offset)
{
  FILE_READ(HD_RT_REAL(pread)(fd, p, size, offset));
}

HD_RT_WRAP(ssize_t, pwrite)(int fd, const void *p, size_t size, off_t offset)
{
  FILE_WRITE(HD_RT_REAL(pwrite)(fd, p, size, offset));
}

HD_RT_WRAP(ssize_t, pread64)(int fd, void *p, size_t size, off64_t offset)
{
  FILE_READ(HD_RT_REAL(pread64)(fd, p, size, offset));
}

HD_RT_WRAP(ssize_t, pwrite64)(int fd, const void *p, size_t size, off64_t offset)
{
  FILE_WRITE(HD_RT_REAL(pwrite64)(fd, p, size, offset));
}

HD_RT_WRAP(size_t, fread)(void *restrict p, size_t size, size_t count, FILE *restrict file)
{
  size_t n = HD_RT_REAL(fread)(p, size, count, file);
  if (hd_rt_on())
    hd_rt_writes(p, n * size, HD_RT_PLACE);
  return n;
}

HD_RT_WRAP(size_t, fwrite)(const void *restrict p, size_t size, size_t count, FILE *restrict file)
{
  if (hd_rt_on())
    hd_rt_reads(p, size * count, HD_RT_PLACE);
  return HD_RT_REAL(fwrite)(p, size, count, file);
}

HD_RT_WRAP(char *, fgets)(char *restrict p, int size, FILE *restrict file)
{
  char *line = HD_RT_REAL(fgets)(p, size, file);
  if (line && hd_rt_on())
    hd_rt_writes(p, hd_rt_length(p) + 1, HD_RT_PLACE);
  return line;
}

HD_RT_WRAP(int, fputs)(const char *restrict p, FILE *restrict file)
{
  if (hd_rt_on())
    hd_rt_reads(p, hd_rt_length(p) + 1, HD_RT_PLACE);
  return HD_RT_REAL(fputs)(p, file);
}

/* ---- under _FORTIFY_SOURCE; ROOM is that of the buffer ---- */

HD_RT_WRAP(ssize_t, __pread_chk)(int fd, void *p, size_t size, off_t offset, size_t room)
{
  FILE_READ(HD_RT_REAL(__pread_chk)(fd, p, size, offset, room));
}

HD_RT_WRAP(ssize_t, __pread64_chk)(int fd, void *p, size_t size, off64_t offset, size_t room)
{
  FILE_READ(HD_RT_REAL(__pread64_chk)(fd, p, size, offset, room));
}

HD_RT_WRAP(size_t, __fread_chk)(void *restrict p, size_t room, size_t size, size_t count, FILE *restrict file)
{
  size_t n = HD_RT_REAL(__fread_chk)(p, room, size, count, file);
  if (hd_rt_on())
    hd_rt_writes(p, n * size, HD_RT_PLACE);
  return n;
}

HD_RT_WRAP(char *, __fgets_chk)(char *restrict p, size_t room, int size, FILE *restrict file)
{
  char *line = HD_RT_REAL(__fgets_chk)(p, room, size, file);
  if (line && hd_rt_on())
    hd_rt_writes(p, hd_rt_length(p) + 1, HD_RT_PLACE);
  return line;
}
