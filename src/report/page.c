/* page.c: text that is safe to show and known in width.
 *
 * A log may come from anywhere, so that no byte of it may steer a terminal: control characters, direction marks and
 * broken UTF-8 are replaced here, at the only door to the page. Widths are counted in terminal columns; the tables of
 * wide and combining characters are the coarse ones, since nothing but alignment depends on them. */
#include "report/parts.h"

#include <string.h>

/* Decode one character of S; returns how many bytes to go on, and whether it was well-formed. */
static size_t
decode(const char *s, uint32_t *code, bool *good)
{
  return hd_utf8_read(s, strnlen(s, 4), code, good);
}

/* Would it move the cursor, hide, or turn the direction of the text? */
static bool
steers(uint32_t c)
{
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0xad || (c >= 0x200b && c <= 0x200f)
         || (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) || c == 0xfeff || (c >= 0xfff0 && c <= 0xfffb)
         || c >= 0xe0000;
}

static size_t
columns_of(uint32_t c)
{
  if (c >= 0x300 && c <= 0x36f)
    return 0;
  bool wide = (c >= 0x1100 && c <= 0x115f) || (c >= 0x2e80 && c <= 0xa4cf) || (c >= 0xac00 && c <= 0xd7a3)
              || (c >= 0xf900 && c <= 0xfaff) || (c >= 0xfe30 && c <= 0xfe6f) || (c >= 0xff00 && c <= 0xff60)
              || (c >= 0x1f300 && c <= 0x1faff) || c >= 0x20000;
  return wide ? 2 : 1;
}

/* The ASCII form of the few characters that our own messages use. */
static const char *
ascii_of(uint32_t c)
{
  switch (c)
  {
  case 0x2192:
    return "->";
  case 0x2026:
    return "...";
  case 0x2013:
  case 0x2014:
    return "-";
  case 0x2018:
  case 0x2019:
    return "'";
  case 0x201c:
  case 0x201d:
    return "\"";
  case 0xb7:
    return ".";
  case 0x2260:
    return "!=";
  default:
    return "?";
  }
}

void
hd_report_clean(hd_string *out, const char *text, bool utf8)
{
  for (const char *s = text; *s;)
  {
    uint32_t c;
    bool good;
    size_t n = decode(s, &c, &good);
    if (good && (c == '\n' || c == '\t'))
      hd_string_add_n(out, " ", 1);
    else if (!good || steers(c))
      hd_string_add_n(out, "?", 1);
    else if (n > 1 && !utf8)
      hd_string_add(out, ascii_of(c));
    else
      hd_string_add_n(out, s, n);
    s += n;
  }
  hd_string_add_n(out, "", 0); /* zero-terminated also if TEXT was empty */
}

size_t
hd_report_columns(const char *text)
{
  size_t columns = 0;
  for (const char *s = text; *s;)
  {
    uint32_t c;
    bool good;
    s += decode(s, &c, &good);
    columns += good ? columns_of(c) : 1;
  }
  return columns;
}

bool
hd_report_cut(hd_string *s, size_t columns, bool utf8)
{
  if (s->length == 0 || hd_report_columns(s->text) <= columns)
    return false;
  size_t mark = utf8 ? 1 : 3, used = 0, i = 0;
  while (s->text[i])
  {
    uint32_t c;
    bool good;
    size_t n = decode(s->text + i, &c, &good), w = good ? columns_of(c) : 1;
    if (used + w + mark > columns)
      break;
    used += w;
    i += n;
  }
  s->text[i] = 0;
  s->length = i;
  const char *sign = utf8 ? "…" : "...";
  size_t length = strlen(sign);
  if (i < length || memcmp(s->text + i - length, sign, length) != 0) /* it may end in the mark of a cut value */
    hd_string_add(s, sign);
  return true;
}

static const char *
sgr(hd_tone tone)
{
  switch (tone)
  {
  case HD_TONE_BOLD:
    return "\033[1m";
  case HD_TONE_DIM:
    return "\033[2m";
  case HD_TONE_BAD:
    return "\033[1;31m";
  case HD_TONE_GOOD:
    return "\033[32m";
  case HD_TONE_WARN:
    return "\033[33m";
  case HD_TONE_PLAIN:
    break;
  }
  return "";
}

void
hd_report_put(hd_report_page *p, hd_tone tone, const char *text)
{
  bool painted = p->color && tone != HD_TONE_PLAIN && *text;
  if (painted)
    hd_string_add(&p->text, sgr(tone));
  hd_report_clean(&p->text, text, p->utf8);
  if (painted)
    hd_string_add(&p->text, "\033[0m");
}

void
hd_report_putf(hd_report_page *p, hd_tone tone, const char *format, ...)
{
  hd_string s = {0};
  va_list args;
  va_start(args, format);
  hd_string_vprintf(&s, format, args);
  va_end(args);
  hd_report_put(p, tone, s.length ? s.text : "");
  hd_string_free(&s);
}

void
hd_report_spaces(hd_report_page *p, size_t n)
{
  while (n--)
    hd_string_add_n(&p->text, " ", 1);
}

void
hd_report_newline(hd_report_page *p)
{
  while (p->text.length && p->text.text[p->text.length - 1] == ' ')
    p->text.text[--p->text.length] = 0;
  hd_string_add_n(&p->text, "\n", 1);
}

void
hd_report_paragraph(hd_report_page *p, size_t indent, size_t hang, hd_tone label_tone, const char *label, hd_tone tone,
                    const char *text)
{
  hd_string clean = {0};
  hd_report_clean(&clean, text, p->utf8);
  hd_report_spaces(p, indent);
  hd_report_put(p, label_tone, label);
  size_t taken = hd_report_columns(label), at = taken && taken >= hang ? taken + 1 : hang;
  hd_report_spaces(p, at - taken);
  at += indent;
  size_t start = indent + hang, column = at;
  for (char *word = clean.text; *word;)
  {
    size_t n = strcspn(word, " "), gap = strspn(word + n, " ");
    char *rest = word + n + gap;
    word[n] = 0;
    size_t w = hd_report_columns(word);
    if (column > at && column + 1 + w > p->width)
    {
      hd_report_newline(p);
      hd_report_spaces(p, start);
      column = at = start;
    }
    else if (column > at)
    {
      hd_report_spaces(p, 1);
      column++;
    }
    hd_report_put(p, tone, word);
    column += w;
    if (!gap)
      break;
    word = rest;
  }
  hd_report_newline(p);
  hd_string_free(&clean);
}
