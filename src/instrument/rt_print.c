/* rt_print.c: sprintf and its family: what they write is recorded. And functions of the C library that answer in memory
 * of their own, which the next call overwrites: two threads that call one of them race, though neither sees where. */
#include "instrument/rt_strings.h"

#include <stdarg.h>
#include <stdio.h>
#include <time.h>

int __vsprintf_chk(char *to, int flag, size_t room, const char *format, va_list arguments);
int __vsnprintf_chk(char *to, size_t n, int flag, size_t room, const char *format, va_list arguments);
int __sprintf_chk(char *to, int flag, size_t room, const char *format, ...);
int __snprintf_chk(char *to, size_t n, int flag, size_t room, const char *format, ...);

HD_RT_DECLARE(vsprintf);
HD_RT_DECLARE(vsnprintf);
HD_RT_DECLARE(__vsprintf_chk);
HD_RT_DECLARE(__vsnprintf_chk);

/* Of N bytes of room; RESULT is the length without its end. */
#define PRINTED(n)                                                                                                     \
  if (result >= 0 && hd_rt_on())                                                                                       \
    hd_rt_writes(to, (size_t) result < (n) ? (size_t) result + 1 : (n), HD_RT_PLACE);                                  \
  return result
#define WITH_ARGUMENTS(call)                                                                                           \
  va_list arguments;                                                                                                   \
  va_start(arguments, format);                                                                                         \
  int result = call;                                                                                                   \
  va_end(arguments)

HD_RT_WRAP(int, vsprintf)(char *restrict to, const char *restrict format, va_list arguments)
{
  int result = HD_RT_REAL(vsprintf)(to, format, arguments);
  PRINTED(SIZE_MAX);
}

HD_RT_WRAP(int, vsnprintf)(char *restrict to, size_t n, const char *restrict format, va_list arguments)
{
  int result = HD_RT_REAL(vsnprintf)(to, n, format, arguments);
  PRINTED(n);
}

HD_RT_WRAP(int, sprintf)(char *restrict to, const char *restrict format, ...)
{
  WITH_ARGUMENTS(HD_RT_REAL(vsprintf)(to, format, arguments));
  PRINTED(SIZE_MAX);
}

HD_RT_WRAP(int, snprintf)(char *restrict to, size_t n, const char *restrict format, ...)
{
  WITH_ARGUMENTS(HD_RT_REAL(vsnprintf)(to, n, format, arguments));
  PRINTED(n);
}

HD_RT_WRAP(int, __vsprintf_chk)(char *to, int flag, size_t room, const char *format, va_list arguments)
{
  int result = HD_RT_REAL(__vsprintf_chk)(to, flag, room, format, arguments);
  PRINTED(SIZE_MAX);
}

HD_RT_WRAP(int, __vsnprintf_chk)(char *to, size_t n, int flag, size_t room, const char *format, va_list arguments)
{
  int result = HD_RT_REAL(__vsnprintf_chk)(to, n, flag, room, format, arguments);
  PRINTED(n);
}

HD_RT_WRAP(int, __sprintf_chk)(char *to, int flag, size_t room, const char *format, ...)
{
  WITH_ARGUMENTS(HD_RT_REAL(__vsprintf_chk)(to, flag, room, format, arguments));
  PRINTED(SIZE_MAX);
}

HD_RT_WRAP(int, __snprintf_chk)(char *to, size_t n, int flag, size_t room, const char *format, ...)
{
  WITH_ARGUMENTS(HD_RT_REAL(__vsnprintf_chk)(to, n, flag, room, format, arguments));
  PRINTED(n);
}

/* ---- answers in memory of the library: ours, which has names ---- */

typedef struct tm calendar;          /* the build looks for the names of functions after one word */
static calendar buffer_of_localtime; /* and of gmtime: they share it */
static char buffer_of_ctime[26 * 4]; /* and of asctime */
static char *place_of_strtok;

/* The library has a lock for what it knows about time zones, which nobody sees: what it does there is left out. */
#define of_zone(call)                                                                                                  \
  ({                                                                                                                   \
    bool on_ = hd_rt_on();                                                                                             \
    if (on_)                                                                                                           \
      hd_rt_pause();                                                                                                   \
    tzset();                                                                                                           \
    __typeof__(call) answer_ = call;                                                                                   \
    if (on_)                                                                                                           \
      hd_rt_resume();                                                                                                  \
    answer_;                                                                                                           \
  })

HD_RT_WRAP(calendar *, localtime)(const time_t *time)
{
  if (hd_rt_on())
    hd_rt_writes(&buffer_of_localtime, sizeof buffer_of_localtime, HD_RT_PLACE);
  return of_zone(localtime_r(time, &buffer_of_localtime));
}

HD_RT_WRAP(calendar *, gmtime)(const time_t *time)
{
  if (hd_rt_on())
    hd_rt_writes(&buffer_of_localtime, sizeof buffer_of_localtime, HD_RT_PLACE);
  return gmtime_r(time, &buffer_of_localtime);
}

HD_RT_WRAP(char *, ctime)(const time_t *time)
{
  if (hd_rt_on())
    hd_rt_writes(buffer_of_ctime, 26, HD_RT_PLACE);
  return of_zone(ctime_r(time, buffer_of_ctime));
}

HD_RT_WRAP(char *, asctime)(const struct tm *time)
{
  if (hd_rt_on())
    hd_rt_writes(buffer_of_ctime, 26, HD_RT_PLACE);
  return asctime_r(time, buffer_of_ctime);
}

HD_RT_WRAP(char *, strtok)(char *restrict s, const char *restrict set)
{
  if (hd_rt_on())
    hd_rt_writes(&place_of_strtok, sizeof place_of_strtok, HD_RT_PLACE);
  char *word = strtok_r(s, set, &place_of_strtok);
  if (word && hd_rt_on())
  {
    size_t n = hd_rt_length(word);
    hd_rt_reads(word, n, HD_RT_PLACE);
    hd_rt_writes(word + n, 1, HD_RT_PLACE);
  }
  return word;
}
