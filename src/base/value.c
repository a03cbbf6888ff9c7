/* value.c: values and strings as text for people and as JSON.
 *
 * What a log holds is untrusted: control characters and malformed UTF-8 never reach the terminal or a JSON reader. */
#include <inttypes.h>
#include <string.h>

#include "base/base.h"

const char *
hd_type_name(uint32_t type)
{
  switch (type)
  {
  case HD_NIL:
    return "nil";
  case HD_INT:
    return "int";
  case HD_UINT:
    return "uint";
  case HD_BOOL:
    return "bool";
  case HD_STR:
    return "string";
  case HD_BYTES:
    return "bytes";
  default:
    return "unknown type";
  }
}

static void
add_hex(hd_string *out, const unsigned char *p, size_t n)
{
  for (size_t i = 0; i < n; i++)
  {
    char digits[2] = {"0123456789abcdef"[p[i] >> 4], "0123456789abcdef"[p[i] & 15]};
    hd_string_add_n(out, digits, 2);
  }
}

/* The letter of C's escape for C, or 0. */
static char
escape_letter(uint32_t c)
{
  switch (c)
  {
  case '\n':
    return 'n';
  case '\t':
    return 't';
  case '\r':
    return 'r';
  case '"':
  case '\\':
    return (char) c;
  default:
    return 0;
  }
}

/* In quotes as C would write it, characters beyond ASCII as they are. Cut after at most MAX bytes of S, between two
 * characters; the mark stands after the quote, where no string can contain it. */
static void
print_string(hd_string *out, const char *s, size_t n, size_t max)
{
  size_t i = 0;
  hd_string_add(out, "\"");
  while (i < n)
  {
    uint32_t code;
    bool good;
    size_t length = hd_utf8_read(s + i, n - i, &code, &good);
    if (length > max - i)
      break;
    char letter = good ? escape_letter(code) : 0;
    if (letter)
      hd_string_printf(out, "\\%c", letter);
    else if (!good || code < 0x20 || (code >= 0x7f && code < 0xa0))
      for (size_t k = 0; k < length; k++)
      {
        hd_string_add(out, "\\x");
        add_hex(out, (const unsigned char *) s + i + k, 1);
      }
    else
      hd_string_add_n(out, s + i, length);
    i += length;
  }
  hd_string_add(out, i < n ? "\"…" : "\"");
}

void
hd_value_print(hd_string *out, hd_value v, size_t max)
{
  switch (v.type)
  {
  case HD_NIL:
    hd_string_add(out, "nil");
    break;
  case HD_INT:
    hd_string_printf(out, "%" PRId64, v.i);
    break;
  case HD_UINT:
    hd_string_printf(out, "%" PRIu64, v.u);
    break;
  case HD_BOOL:
    hd_string_add(out, v.u ? "true" : "false");
    break;
  case HD_STR:
    print_string(out, v.s, v.length, max);
    break;
  case HD_BYTES:
    hd_string_add(out, "0x");
    add_hex(out, v.p, v.length < max ? v.length : max);
    if (v.length > max)
      hd_string_add(out, "…");
    break;
  default:
    hd_string_printf(out, "<unknown type %" PRIu32 ">", v.type);
  }
}

void
hd_json_string(hd_string *out, const char *s, size_t n)
{
  hd_string_add(out, "\"");
  for (size_t i = 0; i < n;)
  {
    uint32_t code;
    bool good;
    size_t length = hd_utf8_read(s + i, n - i, &code, &good);
    char letter = good ? escape_letter(code) : 0;
    if (letter)
      hd_string_printf(out, "\\%c", letter);
    else if (!good)
      hd_string_add(out, "\xef\xbf\xbd");
    else if (code < 0x20 || code == 0x7f)
      hd_string_printf(out, "\\u%04" PRIx32, code);
    else
      hd_string_add_n(out, s + i, length);
    i += length;
  }
  hd_string_add(out, "\"");
}

void
hd_json_text(hd_string *out, const char *key, const char *text)
{
  hd_string_printf(out, "\"%s\":", key);
  if (text)
    hd_json_string(out, text, strlen(text));
  else
    hd_string_add(out, "null");
}

void
hd_value_json(hd_string *out, hd_value v)
{
  switch (v.type)
  {
  case HD_NIL:
    hd_string_add(out, "null");
    break;
  case HD_STR:
    hd_json_string(out, v.s, v.length);
    break;
  case HD_BYTES:
    hd_string_add(out, "{\"bytes\":\"");
    add_hex(out, v.p, v.length);
    hd_string_add(out, "\"}");
    break;
  case HD_INT:
  case HD_UINT:
  case HD_BOOL:
    hd_value_print(out, v, 0);
    break;
  default:
    hd_string_printf(out, "{\"type\":%" PRIu32 "}", v.type);
  }
}

bool
hd_value_convert(hd_value *v, char letter)
{
  switch (letter)
  {
  case '*':
    return true;
  case 'n':
    return v->type == HD_NIL;
  case 's':
    return v->type == HD_STR;
  case 'y':
    return v->type == HD_BYTES;
  case 'b':
    if (v->type < HD_INT || v->type > HD_BOOL || v->u > 1)
      return false;
    v->type = HD_BOOL;
    return true;
  case 'i':
    if (v->type < HD_INT || v->type > HD_BOOL || (v->type == HD_UINT && v->u > INT64_MAX))
      return false;
    v->type = HD_INT;
    return true;
  case 'u':
    if (v->type < HD_INT || v->type > HD_BOOL || (v->type == HD_INT && v->i < 0))
      return false;
    v->type = HD_UINT;
    return true;
  default:
    return false;
  }
}
