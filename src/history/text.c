/* text.c: numbers, and strings in quotes, as EDN and JSON write them. */
#include "history/text.h"

#include <string.h>

bool
hd_history_number(const char *s, size_t n, hd_value *v)
{
  size_t i = n > 0 && (s[0] == '-' || s[0] == '+');
  uint64_t u = 0;
  if (i == n)
    return false;
  for (; i < n; i++)
    if (s[i] < '0' || s[i] > '9' || __builtin_mul_overflow(u, 10, &u)
        || __builtin_add_overflow(u, (uint64_t) (s[i] - '0'), &u))
      return false;
  if (s[0] == '-' ? u > (uint64_t) INT64_MAX + 1 : u > INT64_MAX)
  {
    *v = hd_uint(u);
    return s[0] != '-';
  }
  *v = hd_int(s[0] == '-' ? (int64_t) (0 - u) : (int64_t) u);
  return true;
}

/* ---- strings ---- */

static void
add_utf8(text *t, uint32_t code)
{
  if (code < 0x80)
    text_byte(t, (int) code);
  else if (code < 0x800)
  {
    text_byte(t, (int) (0xc0 | code >> 6));
    text_byte(t, (int) (0x80 | (code & 0x3f)));
  }
  else
  {
    if (code < 0x10000)
      text_byte(t, (int) (0xe0 | code >> 12));
    else
    {
      text_byte(t, (int) (0xf0 | code >> 18));
      text_byte(t, (int) (0x80 | (code >> 12 & 0x3f)));
    }
    text_byte(t, (int) (0x80 | (code >> 6 & 0x3f)));
    text_byte(t, (int) (0x80 | (code & 0x3f)));
  }
}

/* The four digits after \u. */
static bool
read_hex(input *in, uint32_t *code)
{
  *code = 0;
  for (int i = 0; i < 4; i++)
  {
    int c = peek(in);
    int digit = c >= '0' && c <= '9' ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : -1;
    if (c < 0 || digit < 0)
      return hd_history_fail(in, here(in), "\\u is followed by four hexadecimal digits");
    *code = *code << 4 | (uint32_t) digit;
    pass(in);
  }
  return true;
}

/* The first half of a pair, if one was read and its second half did not come. */
static void
end_pair(text *t, uint32_t *high)
{
  if (*high)
    add_utf8(t, 0xfffd);
  *high = 0;
}

/* A character beyond U+FFFF is written as two halves: HIGH is the first one while it waits for the second. */
static void
add_code(text *t, uint32_t code, uint32_t *high)
{
  if (code >= 0xdc00 && code < 0xe000 && *high)
  {
    add_utf8(t, 0x10000 + ((*high - 0xd800) << 10) + (code - 0xdc00));
    *high = 0;
    return;
  }
  end_pair(t, high);
  if (code >= 0xd800 && code < 0xdc00)
    *high = code;
  else
    add_utf8(t, code >= 0xdc00 && code < 0xe000 ? 0xfffd : code);
}

/* What follows the backslash. */
static bool
read_escape(input *in, bool json, text *t, uint32_t *high)
{
  static const char letters[] = "nrtbf\"\\/", meanings[] = "\n\r\t\b\f\"\\/";
  int c = peek(in);
  const char *found = c > 0 ? strchr(letters, c) : NULL;
  uint32_t code;
  if (c == 'u')
  {
    pass(in);
    if (!read_hex(in, &code))
      return false;
    add_code(t, code, high);
    return true;
  }
  if (!found || (!json && c == '/'))
    return hd_history_fail(in, here(in), "a string has no such escape; a backslash itself is written \\\\");
  end_pair(t, high);
  text_byte(t, meanings[found - letters]);
  pass(in);
  return true;
}

static bool
read_string_text(input *in, bool json, text *t)
{
  place start = here(in);
  uint32_t high = 0;
  pass(in);
  for (;;)
  {
    int c = peek(in);
    if (c < 0 || (json && c == '\n'))
      return hd_history_fail(in, start, "this string has no end: its closing quote is missing");
    if (t->n > HD_HISTORY_LONGEST)
      return hd_history_fail(in, start, "this string is longer than 16 MiB");
    pass(in);
    if (c == '\\')
    {
      if (!read_escape(in, json, t, &high))
        return false;
      continue;
    }
    end_pair(t, &high);
    if (c == '"')
      return true;
    text_byte(t, c);
  }
}

/* A string without escapes and line ends that lies in the buffer as a whole: nearly all of them. */
static bool
short_string(input *in, hd_value *v)
{
  const char *start = in->buffer + in->at + 1, *end = in->buffer + in->end, *s = start;
  while (s < end && *s != '"' && *s != '\\' && *s != '\n')
    s++;
  if (s >= end || *s != '"')
    return false;
  *v = text_value(in, start, (size_t) (s - start));
  in->at = (size_t) (s + 1 - in->buffer);
  return true;
}

bool
hd_history_read_string(input *in, bool json, hd_value *v)
{
  if (short_string(in, v))
    return true;
  text t;
  text_begin(&t);
  if (read_string_text(in, json, &t))
  {
    *v = text_end(&t, in);
    return true;
  }
  free(t.big);
  return false;
}
