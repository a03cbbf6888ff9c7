/* lines.c: the forms with one event a line, in words: Jepsen's log of etcd tests, and the synthetic form. */
#include "history/internal.h"

#include <stdlib.h>
#include <string.h>

static inline void
blanks(input *in)
{
  for (int c = peek(in); c == ' ' || c == '\t' || c == '\r'; c = peek(in))
    pass(in);
}

static void
rest_of_line(input *in)
{
  for (int c = peek(in); c >= 0 && c != '\n'; c = peek(in))
    pass(in);
}

static bool
at_end_of_line(input *in)
{
  return peek(in) < 0 || peek(in) == '\n';
}

/* A word up to the next blank, in OUT; longer ones are cut. Returns its length. */
static size_t
word(input *in, char *out, size_t size)
{
  size_t n = 0;
  for (int c = peek(in); c > ' '; pass(in), c = peek(in))
    if (n + 1 < size)
      out[n++] = (char) c;
  out[n] = 0;
  return n;
}

/* ---- etcd ---- */

/* As etcd_start, if what is wanted lies in the buffer as a whole, as nearly always; else nothing is passed. */
static bool
quick_start(input *in)
{
  static const char *const words[] = {"INFO", "jepsen.util", "-"};
  const char *s = in->buffer + in->at, *end = in->buffer + in->end;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
  {
    size_t n = strlen(words[i]);
    if ((size_t) (end - s) <= n || memcmp(s, words[i], n) != 0)
      return false;
    s += n;
    if (*s != ' ' && *s != '\t')
      return false;
    while (s < end && (*s == ' ' || *s == '\t'))
      s++;
  }
  if (s == end)
    return false;
  in->at = (size_t) (s - in->buffer);
  return true;
}

/* INFO  jepsen.util - : is it a line with an event? Others are other messages of the log. */
static bool
etcd_start(input *in)
{
  if (quick_start(in))
    return true;
  char level[16], logger[32], dash[4];
  blanks(in);
  word(in, level, sizeof level);
  blanks(in);
  word(in, logger, sizeof logger);
  blanks(in);
  if (strcmp(level, "INFO") != 0 || strcmp(logger, "jepsen.util") != 0 || peek(in) != '-')
    return false;
  word(in, dash, sizeof dash);
  blanks(in);
  return strcmp(dash, "-") == 0;
}

static bool
etcd_field(input *in, element *e, const char *what)
{
  blanks(in);
  if (at_end_of_line(in))
    return hd_history_fail(in, here(in),
                           "the %s is missing; a line is INFO jepsen.util - PROCESS :TYPE :OPERATION VALUE", what);
  return hd_history_read_edn(in, e, 0);
}

bool
hd_history_etcd(reader *r)
{
  input *in = r->in;
  fields f = {.has_process = true, .has_type = true, .has_f = true, .has_value = true};
  for (; peek(in) >= 0; rest_of_line(in))
  {
    while (peek(in) == '\n')
      pass(in);
    hd_arena_reset(in->arena);
    if (!etcd_start(in))
      continue;
    f.where = here(in);
    if (!etcd_field(in, &f.process, "process") || !etcd_field(in, &f.type, "type") || !etcd_field(in, &f.f, "operation")
        || !etcd_field(in, &f.value, "value"))
      return false;
    blanks(in);
    if (!at_end_of_line(in) && f.process.value.type == HD_INT)
      return hd_history_fail(in, here(in), "the line should end here, after one value");
    if (!hd_history_fields_done(r, &f))
      return false;
  }
  return !in->error;
}

/* ---- synthetic ---- */

/* A number, nil, true, false, a string in quotes, or a plain word, which is a string. */
static bool
synthetic_value(input *in, hd_value *v)
{
  place where = here(in);
  if (peek(in) == '"')
    return hd_history_read_string(in, true, v);
  size_t n = 0, cap = 64;
  char *s = hd_arena_alloc(in->arena, cap);
  for (int c = peek(in); c > ' '; pass(in), c = peek(in))
  {
    if (n + 1 == cap)
    {
      if (n > HD_HISTORY_LONGEST)
        return hd_history_fail(in, where, "this word is longer than 16 MiB");
      char *more = hd_arena_alloc(in->arena, cap * 2);
      memcpy(more, s, n);
      s = more;
      cap *= 2;
    }
    s[n++] = (char) c;
  }
  s[n] = 0;
  if (n == 0)
    return hd_history_fail(in, where, "a byte stands here that belongs to no word");
  if (strcmp(s, "nil") == 0)
    *v = hd_nil();
  else if (strcmp(s, "true") == 0 || strcmp(s, "false") == 0)
    *v = hd_bool(s[0] == 't');
  else if (!hd_history_number(s, n, v))
    *v = (hd_value){.type = HD_STR, .length = (uint32_t) n, .s = s};
  return true;
}

#define SYNTHETIC_LINES "a line is 'I PROCESS OPERATION [ARGUMENTS]', 'W PROCESS', 'C PROCESS' or 'R PROCESS [RESULT]'"

static bool
synthetic_event(reader *r, int letter, place where)
{
  input *in = r->in;
  char number[32], f[64];
  hd_value process, items[HD_SITE_VALUES];
  hd_history_event e = {.line = where.line, .column = where.column, .items = items};
  e.type = letter == 'I'   ? HD_HISTORY_INVOKE
           : letter == 'W' ? HD_HISTORY_WINDOW
           : letter == 'C' ? HD_HISTORY_COMMIT
                           : HD_HISTORY_OK;
  pass(in);
  blanks(in);
  place at = here(in);
  size_t n = word(in, number, sizeof number);
  if (n + 1 == sizeof number || !hd_history_number(number, n, &process) || process.type != HD_INT)
    return hd_history_fail(in, at, "a process, which is a whole number, should stand here: " SYNTHETIC_LINES);
  e.process = process.i;
  blanks(in);
  if (letter == 'I')
  {
    at = here(in);
    n = word(in, f, sizeof f);
    if (n == 0 || n + 1 == sizeof f)
      return hd_history_fail(in, at, "the name of an operation should stand here: " SYNTHETIC_LINES);
    e.f = f;
    blanks(in);
  }
  for (; !at_end_of_line(in); blanks(in))
  {
    at = here(in);
    if (letter == 'W' || letter == 'C' || (letter == 'R' && e.nitems == 1) || e.nitems == HD_SITE_VALUES)
      return hd_history_fail(in, at, "the line should end here: " SYNTHETIC_LINES);
    if (!synthetic_value(in, &items[e.nitems++]))
      return false;
  }
  e.has_value = e.nitems > 0;
  e.value = e.nitems > 0 ? items[0] : hd_nil();
  return r->sink(r->context, &e);
}

bool
hd_history_synthetic(reader *r)
{
  input *in = r->in;
  char line[512];
  for (bool first = true;; first = false)
  {
    blanks(in);
    int c = peek(in);
    place where = here(in);
    hd_arena_reset(in->arena);
    if (c < 0)
      return !in->error;
    if (c == '#')
    {
      pass(in);
      size_t n = 0;
      for (c = peek(in); c >= 0 && c != '\n'; pass(in), c = peek(in))
        if (n + 1 < sizeof line)
          line[n++] = (char) c;
      line[n] = 0;
      if (first && !hd_history_head_words(r, line, n, where))
        return false;
    }
    else if (c == 'I' || c == 'W' || c == 'C' || c == 'R')
    {
      int next = hd_history_input_second(in);
      if (next > ' ')
        return hd_history_fail(in, where, SYNTHETIC_LINES);
      if (!synthetic_event(r, c, where))
        return false;
    }
    else if (c != '\n')
      return hd_history_fail(in, where, SYNTHETIC_LINES);
    if (peek(in) == '\n')
      pass(in);
  }
}
