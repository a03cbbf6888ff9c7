/* utf8.c: reading UTF-8 by table 3-7 of the Unicode standard (well-formed byte sequences). */
#include "base/base.h"

size_t
hd_utf8_read(const char *s, size_t n, uint32_t *code, bool *good)
{
  const unsigned char *u = (const unsigned char *) s;
  unsigned char first = u[0];
  size_t length;
  /* The second byte's range is what excludes overlong forms, surrogates and numbers above 0x10ffff. */
  unsigned char low = 0x80, high = 0xbf;

  *good = true;
  *code = first;
  if (first < 0x80)
    return 1;
  if (first >= 0xc2 && first <= 0xdf)
  {
    length = 2;
    *code = first & 0x1f;
  }
  else if (first >= 0xe0 && first <= 0xef)
  {
    length = 3;
    *code = first & 0x0f;
    if (first == 0xe0)
      low = 0xa0;
    if (first == 0xed)
      high = 0x9f;
  }
  else if (first >= 0xf0 && first <= 0xf4)
  {
    length = 4;
    *code = first & 0x07;
    if (first == 0xf0)
      low = 0x90;
    if (first == 0xf4)
      high = 0x8f;
  }
  else
  {
    *good = false;
    return 1;
  }

  for (size_t i = 1; i < length; i++)
  {
    if (i >= n || u[i] < low || u[i] > high)
    {
      *good = false;
      return i;
    }
    *code = *code << 6 | (u[i] & 0x3f);
    low = 0x80;
    high = 0xbf;
  }
  return length;
}
