/* string.c: a text buffer that grows. The zero byte at its end is not counted in its length. */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

/* Room for N more bytes and the zero byte. */
static void
reserve(hd_string *s, size_t n)
{
  HD_CHECK(n < SIZE_MAX - s->length);
  hd_grow(&s->text, &s->cap, s->length + n + 1, 1);
}

void
hd_string_add_n(hd_string *s, const char *text, size_t n)
{
  reserve(s, n);
  if (n)
    memcpy(s->text + s->length, text, n);
  s->length += n;
  s->text[s->length] = 0;
}

void
hd_string_add(hd_string *s, const char *text)
{
  hd_string_add_n(s, text, strlen(text));
}

void
hd_string_vprintf(hd_string *s, const char *format, va_list args)
{
  /* Most pieces are short: try with what is there, and again if that was not enough. */
  va_list again;
  va_copy(again, args);
  reserve(s, 63);
  size_t room = s->cap - s->length;
  int n = vsnprintf(s->text + s->length, room, format, args);
  HD_CHECK(n >= 0);
  if ((size_t) n >= room)
  {
    reserve(s, (size_t) n);
    vsnprintf(s->text + s->length, (size_t) n + 1, format, again);
  }
  va_end(again);
  s->length += (size_t) n;
}

void
hd_string_printf(hd_string *s, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  hd_string_vprintf(s, format, args);
  va_end(args);
}

char *
hd_text(const char *format, ...)
{
  hd_string s = {0};
  va_list args;
  va_start(args, format);
  hd_string_vprintf(&s, format, args);
  va_end(args);
  return s.text;
}

void
hd_string_clear(hd_string *s)
{
  s->length = 0;
  if (s->text)
    s->text[0] = 0;
}

void
hd_string_free(hd_string *s)
{
  free(s->text);
  *s = (hd_string){0};
}
