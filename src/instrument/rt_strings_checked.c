/* rt_strings_checked.c: what programs that are compiled with _FORTIFY_SOURCE call instead of the functions of
 * <string.h>: the same with the size of the destination, which the real ones check. */
#include "instrument/rt_strings.h"

#include <wchar.h>

void *__memcpy_chk(void *to, const void *from, size_t n, size_t room);
void *__mempcpy_chk(void *to, const void *from, size_t n, size_t room);
void *__memmove_chk(void *to, const void *from, size_t n, size_t room);
void *__memset_chk(void *to, int byte, size_t n, size_t room);
void __explicit_bzero_chk(void *to, size_t n, size_t room);
char *__strcpy_chk(char *to, const char *from, size_t room);
char *__stpcpy_chk(char *to, const char *from, size_t room);
char *__strncpy_chk(char *to, const char *from, size_t n, size_t room);
char *__stpncpy_chk(char *to, const char *from, size_t n, size_t room);
char *__strcat_chk(char *to, const char *from, size_t room);
char *__strncat_chk(char *to, const char *from, size_t n, size_t room);
wchar_t *__wmemcpy_chk(wchar_t *to, const wchar_t *from, size_t n, size_t room);
wchar_t *__wmemmove_chk(wchar_t *to, const wchar_t *from, size_t n, size_t room);
wchar_t *__wmemset_chk(wchar_t *to, wchar_t c, size_t n, size_t room);
wchar_t *__wcscpy_chk(wchar_t *to, const wchar_t *from, size_t room);
wchar_t *__wcsncpy_chk(wchar_t *to, const wchar_t *from, size_t n, size_t room);

HD_RT_DECLARE(__memcpy_chk);
HD_RT_DECLARE(__mempcpy_chk);
HD_RT_DECLARE(__memmove_chk);
HD_RT_DECLARE(__memset_chk);
HD_RT_DECLARE(__explicit_bzero_chk);
HD_RT_DECLARE(__strcpy_chk);
HD_RT_DECLARE(__stpcpy_chk);
HD_RT_DECLARE(__strncpy_chk);
HD_RT_DECLARE(__stpncpy_chk);
HD_RT_DECLARE(__strcat_chk);
HD_RT_DECLARE(__strncat_chk);
HD_RT_DECLARE(__wmemcpy_chk);
HD_RT_DECLARE(__wmemmove_chk);
HD_RT_DECLARE(__wmemset_chk);
HD_RT_DECLARE(__wcscpy_chk);
HD_RT_DECLARE(__wcsncpy_chk);

/* What does not fit is not written: the real one ends the program. */
#define COPIES(seen, written)                                                                                          \
  if (hd_rt_on())                                                                                                      \
  {                                                                                                                    \
    size_t read = (seen), wrote = (written);                                                                           \
    if (wrote <= room)                                                                                                 \
    {                                                                                                                  \
      hd_rt_reads(from, read, HD_RT_PLACE);                                                                            \
      hd_rt_writes(to, wrote, HD_RT_PLACE);                                                                            \
    }                                                                                                                  \
  }

HD_RT_WRAP(void *, __memcpy_chk)(void *to, const void *from, size_t n, size_t room)
{
  COPIES(n, n)
  return HD_RT_REAL(__memcpy_chk)(to, from, n, room);
}

HD_RT_WRAP(void *, __mempcpy_chk)(void *to, const void *from, size_t n, size_t room)
{
  COPIES(n, n)
  return HD_RT_REAL(__mempcpy_chk)(to, from, n, room);
}

HD_RT_WRAP(void *, __memmove_chk)(void *to, const void *from, size_t n, size_t room)
{
  COPIES(n, n)
  return HD_RT_REAL(__memmove_chk)(to, from, n, room);
}

HD_RT_WRAP(void *, __memset_chk)(void *to, int byte, size_t n, size_t room)
{
  if (hd_rt_on() && n <= room)
    hd_rt_writes(to, n, HD_RT_PLACE);
  return HD_RT_REAL(__memset_chk)(to, byte, n, room);
}

HD_RT_WRAP(void, __explicit_bzero_chk)(void *to, size_t n, size_t room)
{
  if (hd_rt_on() && n <= room)
    hd_rt_writes(to, n, HD_RT_PLACE);
  HD_RT_REAL(__explicit_bzero_chk)(to, n, room);
}

HD_RT_WRAP(char *, __strcpy_chk)(char *to, const char *from, size_t room)
{
  COPIES(hd_rt_length(from) + 1, read)
  return HD_RT_REAL(__strcpy_chk)(to, from, room);
}

HD_RT_WRAP(char *, __stpcpy_chk)(char *to, const char *from, size_t room)
{
  COPIES(hd_rt_length(from) + 1, read)
  return HD_RT_REAL(__stpcpy_chk)(to, from, room);
}

HD_RT_WRAP(char *, __strncpy_chk)(char *to, const char *from, size_t n, size_t room)
{
  COPIES(hd_rt_length_seen(from, n), n)
  return HD_RT_REAL(__strncpy_chk)(to, from, n, room);
}

HD_RT_WRAP(char *, __stpncpy_chk)(char *to, const char *from, size_t n, size_t room)
{
  COPIES(hd_rt_length_seen(from, n), n)
  return HD_RT_REAL(__stpncpy_chk)(to, from, n, room);
}

/* Behind what is there already. */
#define APPENDS(seen, end)                                                                                             \
  if (hd_rt_on())                                                                                                      \
  {                                                                                                                    \
    size_t had = hd_rt_length(to), read = (seen), wrote = read + (end);                                                \
    if (had + wrote <= room)                                                                                           \
    {                                                                                                                  \
      hd_rt_reads(from, read, HD_RT_PLACE);                                                                            \
      hd_rt_reads(to, had + 1, HD_RT_PLACE);                                                                           \
      hd_rt_writes(to + had, wrote, HD_RT_PLACE);                                                                      \
    }                                                                                                                  \
  }

HD_RT_WRAP(char *, __strcat_chk)(char *to, const char *from, size_t room)
{
  APPENDS(hd_rt_length(from) + 1, 0)
  return HD_RT_REAL(__strcat_chk)(to, from, room);
}

HD_RT_WRAP(char *, __strncat_chk)(char *to, const char *from, size_t n, size_t room)
{
  APPENDS(hd_rt_length_seen(from, n), read == 0 || from[read - 1] != 0)
  return HD_RT_REAL(__strncat_chk)(to, from, n, room);
}

/* ---- wide characters: N and ROOM count these ---- */

static size_t
wide_length(const wchar_t *s, size_t max)
{
  size_t n = 0;
  while (n < max && ((volatile const wchar_t *) s)[n])
    n++;
  return n < max ? n + 1 : n;
}

#define WIDE_COPIES(seen, written)                                                                                     \
  if (hd_rt_on())                                                                                                      \
  {                                                                                                                    \
    size_t read = (seen), wrote = (written);                                                                           \
    if (wrote <= room)                                                                                                 \
    {                                                                                                                  \
      hd_rt_reads(from, read * sizeof *from, HD_RT_PLACE);                                                             \
      hd_rt_writes(to, wrote * sizeof *to, HD_RT_PLACE);                                                               \
    }                                                                                                                  \
  }

HD_RT_WRAP(wchar_t *, __wmemcpy_chk)(wchar_t *to, const wchar_t *from, size_t n, size_t room)
{
  WIDE_COPIES(n, n)
  return HD_RT_REAL(__wmemcpy_chk)(to, from, n, room);
}

HD_RT_WRAP(wchar_t *, __wmemmove_chk)(wchar_t *to, const wchar_t *from, size_t n, size_t room)
{
  WIDE_COPIES(n, n)
  return HD_RT_REAL(__wmemmove_chk)(to, from, n, room);
}

HD_RT_WRAP(wchar_t *, __wmemset_chk)(wchar_t *to, wchar_t c, size_t n, size_t room)
{
  if (hd_rt_on() && n <= room)
    hd_rt_writes(to, n * sizeof *to, HD_RT_PLACE);
  return HD_RT_REAL(__wmemset_chk)(to, c, n, room);
}

HD_RT_WRAP(wchar_t *, __wcscpy_chk)(wchar_t *to, const wchar_t *from, size_t room)
{
  WIDE_COPIES(wide_length(from, SIZE_MAX), read)
  return HD_RT_REAL(__wcscpy_chk)(to, from, room);
}

HD_RT_WRAP(wchar_t *, __wcsncpy_chk)(wchar_t *to, const wchar_t *from, size_t n, size_t room)
{
  WIDE_COPIES(wide_length(from, n), n)
  return HD_RT_REAL(__wcsncpy_chk)(to, from, n, room);
}
