/* rt_strings_more.c: the functions of <string.h> and <strings.h> that rt_strings.c has not: what they read and write is
 * recorded, then the real one does it, or the other way round where what they look at is known only then. */
#include "instrument/rt_strings.h"

#include <stdlib.h>
#include <strings.h>
#include <unistd.h>
#include <wchar.h>

HD_RT_DECLARE(memccpy);
HD_RT_DECLARE(memmem);
HD_RT_DECLARE(memrchr);
HD_RT_DECLARE(rawmemchr);
HD_RT_DECLARE(explicit_bzero);
HD_RT_DECLARE(bzero);
HD_RT_DECLARE(bcopy);
HD_RT_DECLARE(bcmp);
HD_RT_DECLARE(swab);
HD_RT_DECLARE(stpncpy);
HD_RT_DECLARE(strncat);
HD_RT_DECLARE(strndup);
HD_RT_DECLARE(strncasecmp);
HD_RT_DECLARE(strcoll);
HD_RT_DECLARE(strverscmp);
HD_RT_DECLARE(strcasestr);
HD_RT_DECLARE(strchrnul);
HD_RT_DECLARE(strspn);
HD_RT_DECLARE(strcspn);
HD_RT_DECLARE(strpbrk);
HD_RT_DECLARE(strsep);
HD_RT_DECLARE(strtok_r);
HD_RT_DECLARE(strxfrm);
HD_RT_DECLARE(wmemcpy);
HD_RT_DECLARE(wmemmove);
HD_RT_DECLARE(wmemset);
HD_RT_DECLARE(wcslen);
HD_RT_DECLARE(wcscpy);
HD_RT_DECLARE(wcsncpy);
HD_RT_DECLARE(wcscmp);
HD_RT_DECLARE(qsort);

static inline void
reads_string(const char *s, uintptr_t pc)
{
  hd_rt_reads(s, hd_rt_length(s) + 1, pc);
}

/* ---- memory ---- */

HD_RT_WRAP(void *, memccpy)(void *restrict to, const void *restrict from, int byte, size_t n)
{
  void *end = HD_RT_REAL(memccpy)(to, from, byte, n);
  if (hd_rt_on())
  {
    size_t copied = end ? (size_t) ((char *) end - (char *) to) : n;
    hd_rt_reads(from, copied, HD_RT_PLACE);
    hd_rt_writes(to, copied, HD_RT_PLACE);
  }
  return end;
}

HD_RT_WRAP(void *, memmem)(const void *p, size_t n, const void *part, size_t m)
{
  void *found = HD_RT_REAL(memmem)(p, n, part, m);
  if (hd_rt_on())
  {
    hd_rt_reads(p, found ? (size_t) ((const char *) found - (const char *) p) + m : n, HD_RT_PLACE);
    hd_rt_reads(part, m, HD_RT_PLACE);
  }
  return found;
}

HD_RT_WRAP(void *, memrchr)(const void *p, int byte, size_t n)
{
  void *found = HD_RT_REAL(memrchr)(p, byte, n);
  if (hd_rt_on())
  {
    const char *from = found ? found : p;
    hd_rt_reads(from, (size_t) ((const char *) p + n - from), HD_RT_PLACE);
  }
  return found;
}

HD_RT_WRAP(void *, rawmemchr)(const void *p, int byte)
{
  void *found = HD_RT_REAL(rawmemchr)(p, byte);
  if (hd_rt_on())
    hd_rt_reads(p, (size_t) ((const char *) found - (const char *) p) + 1, HD_RT_PLACE);
  return found;
}

HD_RT_WRAP(void, explicit_bzero)(void *p, size_t n)
{
  if (hd_rt_on())
    hd_rt_writes(p, n, HD_RT_PLACE);
  HD_RT_REAL(explicit_bzero)(p, n);
}

HD_RT_WRAP(void, bzero)(void *p, size_t n)
{
  if (hd_rt_on())
    hd_rt_writes(p, n, HD_RT_PLACE);
  HD_RT_REAL(bzero)(p, n);
}

HD_RT_WRAP(void, bcopy)(const void *from, void *to, size_t n)
{
  if (hd_rt_on())
  {
    hd_rt_reads(from, n, HD_RT_PLACE);
    hd_rt_writes(to, n, HD_RT_PLACE);
  }
  HD_RT_REAL(bcopy)(from, to, n);
}

HD_RT_WRAP(int, bcmp)(const void *a, const void *b, size_t n)
{
  if (hd_rt_on())
  {
    hd_rt_reads(a, n, HD_RT_PLACE);
    hd_rt_reads(b, n, HD_RT_PLACE);
  }
  return HD_RT_REAL(bcmp)(a, b, n);
}

HD_RT_WRAP(void, swab)(const void *restrict from, void *restrict to, ssize_t n)
{
  if (hd_rt_on() && n > 1)
  {
    hd_rt_reads(from, (size_t) n & ~(size_t) 1, HD_RT_PLACE);
    hd_rt_writes(to, (size_t) n & ~(size_t) 1, HD_RT_PLACE);
  }
  HD_RT_REAL(swab)(from, to, n);
}

/* ---- strings that are copied ---- */

HD_RT_WRAP(char *, stpncpy)(char *restrict to, const char *restrict from, size_t n)
{
  if (hd_rt_on())
  {
    hd_rt_reads(from, hd_rt_length_seen(from, n), HD_RT_PLACE);
    hd_rt_writes(to, n, HD_RT_PLACE);
  }
  return HD_RT_REAL(stpncpy)(to, from, n);
}

HD_RT_WRAP(char *, strncat)(char *restrict to, const char *restrict from, size_t n)
{
  if (hd_rt_on())
  {
    size_t had = hd_rt_length(to), seen = hd_rt_length_seen(from, n);
    bool ended = seen && !from[seen - 1];
    hd_rt_reads(from, seen, HD_RT_PLACE);
    hd_rt_reads(to, had + 1, HD_RT_PLACE);
    hd_rt_writes(to + had, ended ? seen : seen + 1, HD_RT_PLACE);
  }
  return HD_RT_REAL(strncat)(to, from, n);
}

HD_RT_WRAP(char *, strndup)(const char *s, size_t n)
{
  if (hd_rt_on())
    hd_rt_reads(s, hd_rt_length_seen(s, n), HD_RT_PLACE);
  return HD_RT_REAL(strndup)(s, n);
}

HD_RT_WRAP(size_t, strxfrm)(char *restrict to, const char *restrict from, size_t n)
{
  size_t needed = HD_RT_REAL(strxfrm)(to, from, n);
  if (hd_rt_on())
  {
    reads_string(from, HD_RT_PLACE);
    hd_rt_writes(to, needed < n ? needed + 1 : n, HD_RT_PLACE);
  }
  return needed;
}

/* ---- strings that are looked at ---- */

HD_RT_WRAP(int, strncasecmp)(const char *a, const char *b, size_t n)
{
  if (hd_rt_on())
  {
    size_t one = hd_rt_length_seen(a, n), two = hd_rt_length_seen(b, n), both = one < two ? one : two;
    hd_rt_reads(a, both, HD_RT_PLACE);
    hd_rt_reads(b, both, HD_RT_PLACE);
  }
  return HD_RT_REAL(strncasecmp)(a, b, n);
}

/* Two strings that are read as a whole. */
#define BOTH(name, a, b)                                                                                               \
  if (hd_rt_on())                                                                                                      \
  {                                                                                                                    \
    reads_string(a, HD_RT_PLACE);                                                                                      \
    reads_string(b, HD_RT_PLACE);                                                                                      \
  }                                                                                                                    \
  return HD_RT_REAL(name)(a, b)

HD_RT_WRAP(int, strcoll)(const char *a, const char *b)
{
  BOTH(strcoll, a, b);
}

HD_RT_WRAP(int, strverscmp)(const char *a, const char *b)
{
  BOTH(strverscmp, a, b);
}

HD_RT_WRAP(char *, strcasestr)(const char *s, const char *part)
{
  BOTH(strcasestr, s, part);
}

HD_RT_WRAP(char *, strchrnul)(const char *s, int c)
{
  char *found = HD_RT_REAL(strchrnul)(s, c);
  if (hd_rt_on())
    hd_rt_reads(s, (size_t) (found - s) + 1, HD_RT_PLACE);
  return found;
}

HD_RT_WRAP(size_t, strspn)(const char *s, const char *set)
{
  size_t n = HD_RT_REAL(strspn)(s, set);
  if (hd_rt_on())
  {
    hd_rt_reads(s, n + 1, HD_RT_PLACE);
    reads_string(set, HD_RT_PLACE);
  }
  return n;
}

HD_RT_WRAP(size_t, strcspn)(const char *s, const char *set)
{
  size_t n = HD_RT_REAL(strcspn)(s, set);
  if (hd_rt_on())
  {
    hd_rt_reads(s, n + 1, HD_RT_PLACE);
    reads_string(set, HD_RT_PLACE);
  }
  return n;
}

HD_RT_WRAP(char *, strpbrk)(const char *s, const char *set)
{
  char *found = HD_RT_REAL(strpbrk)(s, set);
  if (hd_rt_on())
  {
    hd_rt_reads(s, found ? (size_t) (found - s) + 1 : hd_rt_length(s) + 1, HD_RT_PLACE);
    reads_string(set, HD_RT_PLACE);
  }
  return found;
}

/* ---- words of a string: the separator behind the word is overwritten ---- */

/* The word that was found, up to its end, where a zero is now. */
static void
cut(char *word, const char *rest, uintptr_t pc)
{
  size_t n = hd_rt_length(word);
  hd_rt_reads(word, n + 1, pc);
  if (rest && rest > word)
    hd_rt_writes(word + n, 1, pc);
}

HD_RT_WRAP(char *, strsep)(char **restrict place, const char *restrict set)
{
  bool on = hd_rt_on();
  if (on)
    reads_string(set, HD_RT_PLACE);
  char *word = HD_RT_REAL(strsep)(place, set);
  if (on)
  {
    hd_rt_writes(place, sizeof *place, HD_RT_PLACE);
    if (word)
      cut(word, *place, HD_RT_PLACE);
  }
  return word;
}

HD_RT_WRAP(char *, strtok_r)(char *restrict s, const char *restrict set, char **restrict place)
{
  bool on = hd_rt_on();
  if (on)
  {
    reads_string(set, HD_RT_PLACE);
    if (!s)
      hd_rt_reads(place, sizeof *place, HD_RT_PLACE);
  }
  char *word = HD_RT_REAL(strtok_r)(s, set, place);
  if (on)
  {
    hd_rt_writes(place, sizeof *place, HD_RT_PLACE);
    if (word)
      cut(word, *place, HD_RT_PLACE);
  }
  return word;
}

/* ---- wide characters ---- */

static size_t
wide_length(const wchar_t *s)
{
  size_t n = 0;
  while (((volatile const wchar_t *) s)[n])
    n++;
  return n;
}

#define WIDE sizeof(wchar_t)

HD_RT_WRAP(wchar_t *, wmemcpy)(wchar_t *restrict to, const wchar_t *restrict from, size_t n)
{
  if (hd_rt_on())
  {
    hd_rt_reads(from, n * WIDE, HD_RT_PLACE);
    hd_rt_writes(to, n * WIDE, HD_RT_PLACE);
  }
  return HD_RT_REAL(wmemcpy)(to, from, n);
}

HD_RT_WRAP(wchar_t *, wmemmove)(wchar_t *to, const wchar_t *from, size_t n)
{
  if (hd_rt_on())
  {
    hd_rt_reads(from, n * WIDE, HD_RT_PLACE);
    hd_rt_writes(to, n * WIDE, HD_RT_PLACE);
  }
  return HD_RT_REAL(wmemmove)(to, from, n);
}

HD_RT_WRAP(wchar_t *, wmemset)(wchar_t *to, wchar_t c, size_t n)
{
  if (hd_rt_on())
    hd_rt_writes(to, n * WIDE, HD_RT_PLACE);
  return HD_RT_REAL(wmemset)(to, c, n);
}

HD_RT_WRAP(size_t, wcslen)(const wchar_t *s)
{
  size_t n = HD_RT_REAL(wcslen)(s);
  if (hd_rt_on())
    hd_rt_reads(s, (n + 1) * WIDE, HD_RT_PLACE);
  return n;
}

HD_RT_WRAP(wchar_t *, wcscpy)(wchar_t *restrict to, const wchar_t *restrict from)
{
  if (hd_rt_on())
  {
    size_t n = wide_length(from) + 1;
    hd_rt_reads(from, n * WIDE, HD_RT_PLACE);
    hd_rt_writes(to, n * WIDE, HD_RT_PLACE);
  }
  return HD_RT_REAL(wcscpy)(to, from);
}

HD_RT_WRAP(wchar_t *, wcsncpy)(wchar_t *restrict to, const wchar_t *restrict from, size_t n)
{
  if (hd_rt_on())
  {
    size_t had = wide_length(from) + 1;
    hd_rt_reads(from, (had < n ? had : n) * WIDE, HD_RT_PLACE);
    hd_rt_writes(to, n * WIDE, HD_RT_PLACE);
  }
  return HD_RT_REAL(wcsncpy)(to, from, n);
}

HD_RT_WRAP(int, wcscmp)(const wchar_t *a, const wchar_t *b)
{
  if (hd_rt_on())
  {
    size_t n = 0;
    while (a[n] && a[n] == b[n])
      n++;
    hd_rt_reads(a, (n + 1) * WIDE, HD_RT_PLACE);
    hd_rt_reads(b, (n + 1) * WIDE, HD_RT_PLACE);
  }
  return HD_RT_REAL(wcscmp)(a, b);
}

/* ---- sorting: the program compares, the library moves ---- */

HD_RT_WRAP(void, qsort)(void *p, size_t n, size_t size, int (*compare)(const void *, const void *))
{
  if (hd_rt_on())
    hd_rt_writes(p, n * size, HD_RT_PLACE);
  HD_RT_REAL(qsort)(p, n, size, compare);
}
