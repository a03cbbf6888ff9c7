/* value.c: values in the notation of EDN and of JSON.
 *
 * Numbers, strings, booleans and nil become values. Anything else (keywords, fractions, lists, maps) becomes a string:
 * its text, with single blanks, so that equal texts are equal values. Of a list the elements are kept as well. */
#include "history/internal.h"

#include <stdlib.h>
#include <string.h>

/* ---- words ---- */

static hd_value
text_value(input *in, const char *s, size_t n)
{
  char *copy = hd_arena_alloc(in->arena, n + 1);
  if (n)
    memcpy(copy, s, n);
  copy[n] = 0;
  return (hd_value){.type = HD_STR, .length = (uint32_t) n, .s = copy};
}

/* Text that grows, for what has no known length. */
typedef struct text
{
  char small[256];
  char *big;
  size_t n, cap;
} text;

static char *
text_start(const text *t)
{
  return t->big ? t->big : (char *) t->small;
}

static void
text_add(text *t, const char *s, size_t n)
{
  if (!t->big && t->n + n <= sizeof t->small)
    memcpy(t->small + t->n, s, n);
  else
  {
    bool first = !t->big;
    hd_grow(&t->big, &t->cap, t->n + n, 1);
    if (first)
      memcpy(t->big, t->small, t->n);
    memcpy(t->big + t->n, s, n);
  }
  t->n += n;
}

static void
text_byte(text *t, int c)
{
  char byte = (char) c;
  text_add(t, &byte, 1);
}

static hd_value
text_end(text *t, input *in)
{
  hd_value v = text_value(in, text_start(t), t->n);
  free(t->big);
  return v;
}

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
    int digit = c >= '0' && c <= '9'                 ? c - '0'
                : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10
                                                     : -1;
    if (c < 0 || digit < 0)
      return hd_history_fail(in, here(in), "\\u is followed by four hexadecimal digits");
    *code = *code << 4 | (uint32_t) digit;
    pass(in);
  }
  return true;
}

/* What follows the backslash. */
static bool
read_escape(input *in, bool json, text *t, uint32_t *high)
{
  static const char letters[] = "nrtbf\"\\/", meanings[] = "\n\r\t\b\f\"\\/";
  place where = here(in);
  int c = peek(in);
  const char *found = c > 0 ? strchr(letters, c) : NULL;
  uint32_t code;
  if (c == 'u')
  {
    pass(in);
    if (!read_hex(in, &code))
      return false;
    if (code >= 0xd800 && code < 0xdc00)
    {
      *high = code; /* with the next one it makes a character */
      return true;
    }
    if (code >= 0xdc00 && code < 0xe000)
    {
      code = *high ? 0x10000 + ((*high - 0xd800) << 10) + (code - 0xdc00) : 0xfffd;
      *high = 0;
    }
    add_utf8(t, code);
    return true;
  }
  if (!found || (!json && c == '/'))
    return hd_history_fail(in, where, "a string has no such escape; a backslash itself is written \\\\");
  text_byte(t, meanings[found - letters]);
  pass(in);
  return true;
}

static bool
read_string_text(input *in, bool json, text *t)
{
  place start = here(in);
  uint32_t high = 0; /* the first half of a surrogate pair that was read */
  pass(in);
  for (;;)
  {
    int c = peek(in);
    if (c < 0 || (json && c == '\n'))
      return hd_history_fail(in, start, "this string has no end: its closing quote is missing");
    if (t->n > HD_HISTORY_LONGEST)
      return hd_history_fail(in, start, "this string is longer than 16 MiB");
    uint32_t before = high;
    if (c == '\\')
    {
      pass(in);
      if (!read_escape(in, json, t, &high))
        return false;
    }
    else
    {
      if (before)
        high = 0;
      if (c == '"')
      {
        if (before)
          add_utf8(t, 0xfffd);
        pass(in);
        return true;
      }
      if (before)
        add_utf8(t, 0xfffd);
      text_byte(t, c);
      pass(in);
    }
  }
}

bool
hd_history_read_string(input *in, bool json, hd_value *v)
{
  text t = {.n = 0};
  if (read_string_text(in, json, &t))
  {
    *v = text_end(&t, in);
    return true;
  }
  free(t.big);
  return false;
}

/* ---- words that are not strings ---- */

static bool
ends_word(int c)
{
  return c <= ' ' || strchr(",()[]{}\";", c);
}

/* A word up to the next blank, bracket, comma or quote; FIRST: bytes that belong to it whatever they are. */
static bool
read_word(input *in, text *t, size_t first)
{
  place start = here(in);
  for (int c = peek(in); c >= 0 && (t->n < first || !ends_word(c)); pass(in), c = peek(in))
  {
    if (t->n > HD_HISTORY_LONGEST)
      return hd_history_fail(in, start, "this word is longer than 16 MiB");
    text_byte(t, c);
  }
  return true;
}

static bool
is_word(const text *t, const char *word)
{
  return t->n == strlen(word) && memcmp(text_start(t), word, t->n) == 0;
}

/* ---- lists and maps: their text, and the elements of a list ---- */

typedef bool (*element_reader)(input *in, element *e, uint32_t depth);

static void
add_element_text(text *t, const element *e)
{
  hd_string s = {0};
  if (e->value.type == HD_STR && e->nitems == UINT32_MAX) /* a text that is not a string */
    text_add(t, e->value.s, e->value.length);
  else
  {
    hd_value_print(&s, e->value, SIZE_MAX);
    text_add(t, s.text, s.length);
    hd_string_free(&s);
  }
}

/* After the opening bracket, up to CLOSE. JSON: commas and colons between the elements are passed as blanks are. */
static bool
read_list(input *in, element *e, int open, int close, bool json, uint32_t depth)
{
  element_reader read = json ? hd_history_read_json : hd_history_read_edn;
  if (depth >= HD_HISTORY_DEEPEST)
    return hd_history_fail(in, e->where, "lists are nested too deeply here (more than %d)", HD_HISTORY_DEEPEST);
  text t = {.n = 0};
  text_byte(&t, open);
  hd_value *items = open == '[' || open == '(' ? hd_arena_alloc(in->arena, HD_SITE_VALUES * sizeof *items) : NULL;
  uint32_t n = 0;
  for (;;)
  {
    bool good = true;
    if (json)
    {
      hd_history_json_blanks(in);
      while (n > 0 && (peek(in) == ',' || (open == '{' && peek(in) == ':')))
      {
        pass(in);
        hd_history_json_blanks(in);
      }
    }
    else
      good = hd_history_edn_blanks(in, depth + 1);
    int c = good ? peek(in) : 0;
    element item = {.where = here(in)};
    if (good && c == close)
      break;
    if (good && c < 0)
      good = hd_history_fail(in, e->where, "this '%c' is never closed", open);
    if (!good || !read(in, &item, depth + 1))
    {
      free(t.big);
      return false;
    }
    if (n > 0)
      text_byte(&t, ' ');
    add_element_text(&t, &item);
    if (items && n < HD_SITE_VALUES)
      items[n] = item.value;
    n += n < UINT32_MAX - 1;
    if (t.n > HD_HISTORY_LONGEST)
    {
      free(t.big);
      return hd_history_fail(in, e->where, "this list is longer than 16 MiB");
    }
  }
  pass(in);
  text_byte(&t, close);
  e->value = text_end(&t, in);
  e->is_list = items;
  e->items = items;
  e->nitems = items ? n : UINT32_MAX;
  return true;
}

/* ---- EDN ---- */

bool
hd_history_edn_blanks(input *in, uint32_t depth)
{
  for (;;)
  {
    int c = peek(in);
    element discarded;
    if (c == ';')
      while ((c = peek(in)) >= 0 && c != '\n')
        pass(in);
    else if ((c >= 0 && c <= ' ') || c == ',')
      pass(in);
    else if (c == '#' && hd_history_input_second(in) == '_')
    {
      place where = here(in);
      pass(in);
      pass(in);
      if (depth >= HD_HISTORY_DEEPEST)
        return hd_history_fail(in, where, "forms are nested too deeply here (more than %d)", HD_HISTORY_DEEPEST);
      if (!hd_history_edn_blanks(in, depth + 1) || !hd_history_read_edn(in, &discarded, depth + 1))
        return false;
    }
    else
      return true;
  }
}

/* After '#': a set, or a tag, which says of what kind the next form is and is left out. */
static bool
read_dispatch(input *in, element *e, uint32_t depth)
{
  int c = peek(in);
  if (c == '{')
  {
    pass(in);
    return read_list(in, e, '{', '}', false, depth);
  }
  if (depth >= HD_HISTORY_DEEPEST)
    return hd_history_fail(in, e->where, "forms are nested too deeply here (more than %d)", HD_HISTORY_DEEPEST);
  text tag = {.n = 0};
  bool good = read_word(in, &tag, 0) && (tag.n > 0 || hd_history_fail(in, e->where, "'#' is followed by a tag"));
  free(tag.big);
  if (!good || !hd_history_edn_blanks(in, depth + 1))
    return false;
  return hd_history_read_edn(in, e, depth + 1);
}

static void
edn_word(input *in, element *e, text *t)
{
  char *s = text_start(t);
  if (is_word(t, "nil"))
    e->value = hd_nil();
  else if (is_word(t, "true") || is_word(t, "false"))
    e->value = hd_bool(s[0] == 't');
  else if (hd_history_number(s, t->n, &e->value)
           || (t->n > 1 && s[t->n - 1] == 'N' && hd_history_number(s, t->n - 1, &e->value)))
    ;
  else
  {
    e->nitems = UINT32_MAX;
    e->value = text_end(t, in);
    return;
  }
  free(t->big);
}

bool
hd_history_read_edn(input *in, element *e, uint32_t depth)
{
  *e = (element){.where = here(in)};
  int c = peek(in);
  switch (c)
  {
  case '"':
    return hd_history_read_string(in, false, &e->value);
  case '[':
  case '(':
  case '{':
    pass(in);
    return read_list(in, e, c, c == '[' ? ']' : c == '(' ? ')' : '}', false, depth);
  case ']':
  case ')':
  case '}':
    return hd_history_fail(in, e->where, "'%c' closes nothing here", c);
  case '#':
    pass(in);
    return read_dispatch(in, e, depth);
  case -1:
    return hd_history_fail(in, e->where, "the file ends where a value should stand");
  }
  text t = {.n = 0};
  if (!read_word(in, &t, c == '\\' ? 2 : 1))
  {
    free(t.big);
    return false;
  }
  edn_word(in, e, &t);
  return true;
}

/* ---- JSON ---- */

void
hd_history_json_blanks(input *in)
{
  for (int c = peek(in); c == ' ' || c == '\t' || c == '\r' || c == '\n'; c = peek(in))
    pass(in);
}

bool
hd_history_read_json(input *in, element *e, uint32_t depth)
{
  *e = (element){.where = here(in)};
  int c = peek(in);
  if (c == '"')
    return hd_history_read_string(in, true, &e->value);
  if (c == '[' || c == '{')
  {
    pass(in);
    return read_list(in, e, c, c == '[' ? ']' : '}', true, depth);
  }
  text t = {.n = 0};
  bool good = true;
  for (c = peek(in); c > ' ' && !strchr(",[]{}:\"", c) && good; pass(in), c = peek(in))
  {
    text_byte(&t, c);
    good = t.n <= HD_HISTORY_LONGEST;
  }
  char *s = text_start(&t);
  if (is_word(&t, "null"))
    e->value = hd_nil();
  else if (is_word(&t, "true") || is_word(&t, "false"))
    e->value = hd_bool(s[0] == 't');
  else if (good && t.n > 0 && (s[0] == '-' || (s[0] >= '0' && s[0] <= '9')))
  {
    if (!hd_history_number(s, t.n, &e->value))
    {
      e->nitems = UINT32_MAX;
      e->value = text_value(in, s, t.n);
    }
  }
  else
  {
    if (t.n == 0)
      hd_history_fail(in, e->where, c < 0 ? "the file ends where a value should stand" : "a value should stand here");
    else
      hd_history_fail(in, e->where, "'%.*s' is not JSON: a value is a number, a string in \"quotes\", true, false, null "
                      "or a list", (int) (t.n < 40 ? t.n : 40), s);
    good = false;
  }
  free(t.big);
  return good;
}
