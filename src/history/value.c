/* value.c: values in the notation of EDN and of JSON.
 *
 * Numbers, strings, booleans and nil become values. Anything else (keywords, fractions, lists, maps) becomes a string:
 * its text, with single blanks, so that equal texts are equal values. Of a list the elements are kept as well. */
#include <stdlib.h>
#include <string.h>

#include "history/text.h"

enum
{
  SHORT_DIGITS = 18, /* surely fit into a number */
};

/* ---- words that are not strings ---- */

static bool
ends_word(int c)
{
  static const bool ends[256] = {[0 ... ' '] = true, [','] = true, [';'] = true, ['"'] = true, ['('] = true,
                                 [')'] = true,       ['['] = true, [']'] = true, ['{'] = true, ['}'] = true};
  return c < 0 || ends[c];
}

static bool
ends_json_word(int c)
{
  return ends_word(c) || c == ':';
}

/* The part of a word that lies in the buffer. */
static void
add_run(input *in, text *t, bool (*ends)(int c))
{
  size_t from = in->at;
  while (in->at < in->end && !ends((unsigned char) in->buffer[in->at]))
    in->at++;
  text_add(t, in->buffer + from, in->at - from);
}

/* A word up to the next blank, bracket, comma or quote; FIRST: bytes that belong to it whatever they are. */
static bool
read_word(input *in, text *t, size_t first)
{
  place start = here(in);
  for (int c = peek(in); c >= 0 && (t->n < first || !ends_word(c)); c = peek(in))
  {
    if (t->n > HD_HISTORY_LONGEST)
      return hd_history_fail(in, start, "this word is longer than 16 MiB");
    if (t->n < first)
    {
      text_byte(t, c);
      pass(in);
    }
    else
      add_run(in, t, ends_word);
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
add_int(text *t, int64_t i)
{
  char digits[24], *s = digits + sizeof digits;
  uint64_t u = i < 0 ? 0 - (uint64_t) i : (uint64_t) i;
  do
    *--s = (char) ('0' + u % 10);
  while ((u /= 10) > 0);
  if (i < 0)
    *--s = '-';
  text_add(t, s, (size_t) (digits + sizeof digits - s));
}

static void
add_element_text(text *t, const element *e)
{
  hd_string s = {0};
  if (e->is_list || e->nitems == UINT32_MAX) /* a text that is not a string */
    text_add(t, e->value.s, e->value.length);
  else if (e->value.type == HD_INT)
    add_int(t, e->value.i);
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
  text t;
  text_begin(&t);
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
  text tag;
  text_begin(&tag);
  bool good = read_word(in, &tag, 0) && (tag.n > 0 || hd_history_fail(in, e->where, "'#' is followed by a tag"));
  free(tag.big);
  if (!good || !hd_history_edn_blanks(in, depth + 1))
    return false;
  return hd_history_read_edn(in, e, depth + 1);
}

/* A whole number, a keyword or nil that lies in the buffer with what ends it: nearly every word. */
static bool
short_word(input *in, element *e)
{
  const char *start = in->buffer + in->at, *end = in->buffer + in->end, *s = start;
  uint64_t v = 0;
  if (*s == ':')
  {
    do
      s++;
    while (s < end && !ends_word((unsigned char) *s));
    if (s == end)
      return false;
    e->nitems = UINT32_MAX;
    e->value = text_value(in, start, (size_t) (s - start));
  }
  else if (*s == 'n')
  {
    if (end - s < 4 || memcmp(s, "nil", 3) != 0 || !ends_word((unsigned char) s[3]))
      return false;
    s += 3;
    e->value = hd_nil();
  }
  else
  {
    for (; s < end && (unsigned char) (*s - '0') < 10 && s - start < SHORT_DIGITS; s++)
      v = v * 10 + (uint64_t) (*s - '0');
    if (s == start || s == end || !ends_word((unsigned char) *s))
      return false;
    e->value = hd_int((int64_t) v);
  }
  in->at += (size_t) (s - start);
  return true;
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
  if (short_word(in, e))
    return true;
  text t;
  text_begin(&t);
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
  text t;
  text_begin(&t);
  bool good = true;
  for (c = peek(in); c >= 0 && !ends_json_word(c) && good; c = peek(in))
  {
    add_run(in, &t, ends_json_word);
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
      hd_history_fail(in, e->where,
                      "'%.*s' is not JSON: a value is a number, a string in \"quotes\", true, false, null "
                      "or a list",
                      (int) (t.n < 40 ? t.n : 40), s);
    good = false;
  }
  free(t.big);
  return good;
}
