/* prepare.c: what happens to a source text before it is cut into tokens: line ends become newlines, a missing last one
 * is added, and lines that #if, #elsif, #else and #endif leave out become empty, so that the numbers of lines stay. The
 * only name that is defined is FILE_n in the n-th file, from 0. A directive that does not fit becomes a line that the
 * lexer refuses. */
#include <stdlib.h>
#include <string.h>

#include "boogie/front.h"

typedef struct level
{
  bool seen_else, may_include;
} level;

typedef struct conditions
{
  level *levels;
  size_t n, cap;
  size_t ignoring; /* the level whose branch is left out, or SIZE_MAX */
  char defined[32];
} conditions;

static bool
blank(char c)
{
  return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}

/* The condition at S (N bytes): a name, with any number of ! before it. */
static bool
condition_holds(const conditions *c, const char *s, size_t n)
{
  bool sense = true;
  size_t i = 0;
  while (i < n && blank(s[i]))
    i++;
  while (i < n && s[i] == '!')
  {
    sense = !sense;
    i++;
    while (i < n && blank(s[i]))
      i++;
  }
  bool defined = n - i == strlen(c->defined) && !memcmp(s + i, c->defined, n - i);
  return defined == sense;
}

static bool
starts(const char *s, size_t n, const char *word)
{
  size_t k = strlen(word);
  return n >= k && !memcmp(s, word, k);
}

static bool
is_word(const char *s, size_t n, const char *word)
{
  return n == strlen(word) && !memcmp(s, word, n);
}

static void
open_level(conditions *c, const char *s, size_t n)
{
  level l = {0};
  if (c->ignoring == SIZE_MAX && !condition_holds(c, s, n))
  {
    c->ignoring = c->n;
    l.may_include = true;
  }
  HD_PUSH(c->levels, c->n, c->cap, l);
}

/* An #elsif with the condition at S, or an #else (S null). */
static void
other_branch(conditions *c, const char *s, size_t n)
{
  level *l = &c->levels[c->n - 1];
  if (c->ignoring == SIZE_MAX)
    c->ignoring = c->n - 1;
  else if (l->may_include && (!s || condition_holds(c, s, n)))
  {
    c->ignoring = SIZE_MAX;
    l->may_include = false;
  }
  l->seen_else |= !s;
}

/* A line of N bytes at S, trimmed to M bytes at T. False: a directive in the wrong place, nothing more is read. */
static bool
add_line(conditions *c, const char *s, size_t n, const char *t, size_t m, hd_string *out)
{
  bool misplaced = !c->n || c->levels[c->n - 1].seen_else;
  if (starts(t, m, "#if"))
    open_level(c, t + 3, m - 3);
  else if (starts(t, m, "#elsif") || is_word(t, m, "#else"))
  {
    bool is_else = is_word(t, m, "#else");
    if (misplaced)
    {
      hd_string_printf(out, "#MalformedInput: misplaced %s\n", is_else ? "#else" : "#elsif");
      return false;
    }
    other_branch(c, is_else ? NULL : t + 6, is_else ? 0 : m - 6);
  }
  else if (is_word(t, m, "#endif"))
  {
    if (!c->n)
    {
      hd_string_add(out, "#MalformedInput: misplaced #endif\n");
      return false;
    }
    if (c->ignoring == --c->n)
      c->ignoring = SIZE_MAX;
  }
  else if (c->ignoring == SIZE_MAX)
    hd_string_add_n(out, s, n);
  hd_string_add_n(out, "\n", 1);
  return true;
}

void
hd_boogie_prepare(const char *text, size_t length, size_t number, hd_string *out)
{
  conditions c = {.ignoring = SIZE_MAX};
  (void) snprintf(c.defined, sizeof c.defined, "FILE_%zu", number);
  bool good = true;
  size_t i = length >= 3 && !memcmp(text, "\xef\xbb\xbf", 3) ? 3 : 0;
  while (good && i < length)
  {
    size_t end = i;
    while (end < length && text[end] != '\n' && text[end] != '\r')
      end++;
    size_t a = i, b = end;
    while (a < b && blank(text[a]))
      a++;
    while (a < b && blank(text[b - 1]))
      b--;
    good = add_line(&c, text + i, end - i, text + a, b - a, out);
    i = end + 1;
    if (end + 1 < length && text[end] == '\r' && text[end + 1] == '\n')
      i++;
  }
  if (good && c.n)
    hd_string_add(out, "#MalformedInput: missing #endif\n");
  if (!out->length)
    hd_string_add_n(out, "\n", 1);
  free(c.levels);
}
