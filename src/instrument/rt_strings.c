/* rt_strings.c: functions of <string.h>, which the compilers leave as they are: what they read and write is recorded,
 * then the real one does it. */
#include "instrument/rt_strings.h"

#include <string.h>
#include <strings.h>

HD_RT_DECLARE(memcpy);
HD_RT_DECLARE(mempcpy);
HD_RT_DECLARE(memmove);
HD_RT_DECLARE(memset);
HD_RT_DECLARE(memcmp);
HD_RT_DECLARE(memchr);
HD_RT_DECLARE(strlen);
HD_RT_DECLARE(strnlen);
HD_RT_DECLARE(strcmp);
HD_RT_DECLARE(strncmp);
HD_RT_DECLARE(strcasecmp);
HD_RT_DECLARE(strcpy);
HD_RT_DECLARE(stpcpy);
HD_RT_DECLARE(strncpy);
HD_RT_DECLARE(strcat);
HD_RT_DECLARE(strchr);
HD_RT_DECLARE(strrchr);
HD_RT_DECLARE(strstr);
HD_RT_DECLARE(strdup);

/* The library's functions are found by dlsym, which needs some of them itself. */
#ifdef HD_RT_STATIC
#define EARLY(name, slow) HD_RT_REAL(name)
#else
static void *
slow_copy(void *to, const void *from, size_t n)
{
  for (size_t i = 0; i < n; i++)
    ((volatile char *) to)[i] = ((const char *) from)[i];
  return to;
}

static void *
slow_move(void *to, const void *from, size_t n)
{
  if ((uintptr_t) to <= (uintptr_t) from)
    return slow_copy(to, from, n);
  while (n-- > 0)
    ((volatile char *) to)[n] = ((const char *) from)[n];
  return to;
}

static void *
slow_set(void *to, int byte, size_t n)
{
  for (size_t i = 0; i < n; i++)
    ((volatile char *) to)[i] = (char) byte;
  return to;
}

static int
slow_compare(const void *a, const void *b, size_t n)
{
  const unsigned char *x = a, *y = b;
  for (size_t i = 0; i < n; i++)
    if (x[i] != y[i])
      return x[i] < y[i] ? -1 : 1;
  return 0;
}

static size_t
slow_length(const char *s)
{
  size_t n = 0;
  while (((volatile const char *) s)[n])
    n++;
  return n;
}

static int
slow_order(const char *a, const char *b)
{
  while (*(volatile const char *) a && *a == *b)
    a++, b++;
  return (unsigned char) *a - (unsigned char) *b;
}

static char *
slow_find(const char *s, int c)
{
  for (;; s++)
    if (*(volatile const char *) s == (char) c)
      return (char *) s;
    else if (!*s)
      return NULL;
}

static __thread bool resolving __attribute__((tls_model("initial-exec")));
#define EARLY(name, slow)                                                                                              \
  ({                                                                                                                   \
    static void *real_;                                                                                                \
    void *f_ = __atomic_load_n(&real_, __ATOMIC_RELAXED);                                                              \
    if (HD_RT_UNLIKELY(!f_))                                                                                           \
    {                                                                                                                  \
      if (resolving)                                                                                                   \
        f_ = (void *) (slow);                                                                                          \
      else                                                                                                             \
      {                                                                                                                \
        resolving = true;                                                                                              \
        __atomic_store_n(&real_, f_ = hd_rt_resolve(#name, NULL), __ATOMIC_RELAXED);                                   \
        resolving = false;                                                                                             \
      }                                                                                                                \
    }                                                                                                                  \
    (__typeof__(&name)) f_;                                                                                            \
  })
#endif

/* ---- memory ---- */

#define COPY(real)                                                                                                     \
  if (hd_rt_on())                                                                                                      \
  {                                                                                                                    \
    hd_rt_reads(from, n, HD_RT_PLACE);                                                                                 \
    hd_rt_writes(to, n, HD_RT_PLACE);                                                                                  \
  }                                                                                                                    \
  return real
#define SET(real)                                                                                                      \
  if (hd_rt_on())                                                                                                      \
    hd_rt_writes(to, n, HD_RT_PLACE);                                                                                  \
  return real

HD_RT_WRAP(void *, memcpy)(void *restrict to, const void *restrict from, size_t n)
{
  COPY(EARLY(memcpy, slow_copy)(to, from, n));
}

HD_RT_WRAP(void *, mempcpy)(void *restrict to, const void *restrict from, size_t n)
{
  COPY((char *) EARLY(memcpy, slow_copy)(to, from, n) + n);
}

HD_RT_WRAP(void *, memmove)(void *to, const void *from, size_t n)
{
  COPY(EARLY(memmove, slow_move)(to, from, n));
}

HD_RT_WRAP(void *, memset)(void *to, int byte, size_t n)
{
  SET(EARLY(memset, slow_set)(to, byte, n));
}

/* Later versions of clang call these. */
HD_RT_EXPORT void *
__tsan_memcpy(void *to, const void *from, size_t n)
{
  COPY(EARLY(memcpy, slow_copy)(to, from, n));
}

HD_RT_EXPORT void *
__tsan_memmove(void *to, const void *from, size_t n)
{
  COPY(EARLY(memmove, slow_move)(to, from, n));
}

HD_RT_EXPORT void *
__tsan_memset(void *to, int byte, size_t n)
{
  SET(EARLY(memset, slow_set)(to, byte, n));
}

/* What is read up to the first difference, and one more. */
static size_t
same_bytes(const unsigned char *a, const unsigned char *b, size_t n)
{
  size_t i = 0;
  while (i < n && a[i] == b[i])
    i++;
  return i < n ? i + 1 : n;
}

HD_RT_WRAP(int, memcmp)(const void *a, const void *b, size_t n)
{
  if (hd_rt_on())
  {
    size_t seen = same_bytes(a, b, n);
    hd_rt_reads(a, seen, HD_RT_PLACE);
    hd_rt_reads(b, seen, HD_RT_PLACE);
  }
  return EARLY(memcmp, slow_compare)(a, b, n);
}

HD_RT_WRAP(void *, memchr)(const void *p, int byte, size_t n)
{
  void *found = HD_RT_REAL(memchr)(p, byte, n);
  if (hd_rt_on())
    hd_rt_reads(p, found ? (size_t) ((char *) found - (const char *) p) + 1 : n, HD_RT_PLACE);
  return found;
}

/* ---- strings ---- */

static size_t
length(const char *s)
{
  return EARLY(strlen, slow_length)(s);
}

HD_RT_WRAP(size_t, strlen)(const char *s)
{
  size_t n = length(s);
  if (hd_rt_on())
    hd_rt_reads(s, n + 1, HD_RT_PLACE);
  return n;
}

HD_RT_WRAP(size_t, strnlen)(const char *s, size_t max)
{
  size_t n = HD_RT_REAL(strnlen)(s, max);
  if (hd_rt_on())
    hd_rt_reads(s, n < max ? n + 1 : n, HD_RT_PLACE);
  return n;
}

static size_t
same_letters(const char *a, const char *b, size_t max)
{
  size_t i = 0;
  while (i < max && a[i] && a[i] == b[i])
    i++;
  return i < max ? i + 1 : max;
}

HD_RT_WRAP(int, strcmp)(const char *a, const char *b)
{
  if (hd_rt_on())
  {
    size_t n = same_letters(a, b, SIZE_MAX);
    hd_rt_reads(a, n, HD_RT_PLACE);
    hd_rt_reads(b, n, HD_RT_PLACE);
  }
  return EARLY(strcmp, slow_order)(a, b);
}

HD_RT_WRAP(int, strncmp)(const char *a, const char *b, size_t max)
{
  if (hd_rt_on())
  {
    size_t n = same_letters(a, b, max);
    hd_rt_reads(a, n, HD_RT_PLACE);
    hd_rt_reads(b, n, HD_RT_PLACE);
  }
  return HD_RT_REAL(strncmp)(a, b, max);
}

HD_RT_WRAP(int, strcasecmp)(const char *a, const char *b)
{
  if (hd_rt_on())
  {
    size_t n = length(a) + 1, m = length(b) + 1;
    hd_rt_reads(a, n < m ? n : m, HD_RT_PLACE);
    hd_rt_reads(b, n < m ? n : m, HD_RT_PLACE);
  }
  return HD_RT_REAL(strcasecmp)(a, b);
}

HD_RT_WRAP(char *, strcpy)(char *restrict to, const char *restrict from)
{
  if (hd_rt_on())
  {
    size_t n = length(from) + 1;
    hd_rt_reads(from, n, HD_RT_PLACE);
    hd_rt_writes(to, n, HD_RT_PLACE);
  }
  return HD_RT_REAL(strcpy)(to, from);
}

HD_RT_WRAP(char *, stpcpy)(char *restrict to, const char *restrict from)
{
  if (hd_rt_on())
  {
    size_t n = length(from) + 1;
    hd_rt_reads(from, n, HD_RT_PLACE);
    hd_rt_writes(to, n, HD_RT_PLACE);
  }
  return HD_RT_REAL(stpcpy)(to, from);
}

HD_RT_WRAP(char *, strncpy)(char *restrict to, const char *restrict from, size_t max)
{
  if (hd_rt_on())
  {
    size_t n = HD_RT_REAL(strnlen)(from, max);
    hd_rt_reads(from, n < max ? n + 1 : n, HD_RT_PLACE);
    hd_rt_writes(to, max, HD_RT_PLACE);
  }
  return HD_RT_REAL(strncpy)(to, from, max);
}

HD_RT_WRAP(char *, strcat)(char *restrict to, const char *restrict from)
{
  if (hd_rt_on())
  {
    size_t n = length(from) + 1, had = length(to);
    hd_rt_reads(from, n, HD_RT_PLACE);
    hd_rt_reads(to, had + 1, HD_RT_PLACE);
    hd_rt_writes(to + had, n, HD_RT_PLACE);
  }
  return HD_RT_REAL(strcat)(to, from);
}

HD_RT_WRAP(char *, strchr)(const char *s, int c)
{
  char *found = EARLY(strchr, slow_find)(s, c);
  if (hd_rt_on())
    hd_rt_reads(s, found ? (size_t) (found - s) + 1 : length(s) + 1, HD_RT_PLACE);
  return found;
}

HD_RT_WRAP(char *, strrchr)(const char *s, int c)
{
  if (hd_rt_on())
    hd_rt_reads(s, length(s) + 1, HD_RT_PLACE);
  return HD_RT_REAL(strrchr)(s, c);
}

HD_RT_WRAP(char *, strstr)(const char *s, const char *part)
{
  if (hd_rt_on())
  {
    hd_rt_reads(part, length(part) + 1, HD_RT_PLACE);
    hd_rt_reads(s, length(s) + 1, HD_RT_PLACE);
  }
  return HD_RT_REAL(strstr)(s, part);
}

HD_RT_WRAP(char *, strdup)(const char *s)
{
  if (hd_rt_on())
    hd_rt_reads(s, length(s) + 1, HD_RT_PLACE);
  return HD_RT_REAL(strdup)(s);
}
