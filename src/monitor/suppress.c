/* suppress.c: suppressions in ThreadSanitizer's format. */
#include "monitor/findings.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct line
{
  const char *kind, *pattern;
} line;

struct hd_monitor_suppressions
{
  hd_arena *texts;
  line *lines;
  size_t n, cap;
};

/* Those of ThreadSanitizer (the last ones are about what is not reported here) and ours. */
static const char *const known_kinds[]
    = {"race", "race_top", "deadlock", "atomic", "thread", "mutex", "signal", "called_from_lib"};

void
hd_monitor_suppressions_free(hd_monitor_suppressions *s)
{
  if (!s)
    return;
  hd_arena_free(s->texts);
  free(s->lines);
  free(s);
}

static bool
add_line(hd_monitor_suppressions *s, char *text)
{
  char *colon = strchr(text, ':');
  if (!colon)
    return false;
  *colon = 0;
  size_t k = 0;
  while (k < sizeof known_kinds / sizeof *known_kinds && strcmp(known_kinds[k], text) != 0)
    k++;
  if (k == sizeof known_kinds / sizeof *known_kinds || !colon[1])
    return false;
  size_t n = strlen(colon + 1);
  char *pattern = hd_arena_alloc(s->texts, n + 1);
  memcpy(pattern, colon + 1, n + 1);
  HD_PUSH(s->lines, s->n, s->cap, (line){known_kinds[k], pattern});
  return true;
}

hd_monitor_suppressions *
hd_monitor_suppressions_read(const char *path, char **error)
{
  hd_string message = {0};
  FILE *in = fopen(path, "r");
  if (!in)
  {
    hd_string_printf(&message, "heddle: %s: %s", path, strerror(errno));
    *error = message.text;
    return NULL;
  }
  hd_monitor_suppressions *s = hd_alloc_zero(sizeof *s);
  s->texts = hd_arena_new();
  char *text = NULL;
  size_t cap = 0;
  ssize_t n;
  for (uint64_t number = 1; !message.text && (n = getline(&text, &cap, in)) >= 0; number++)
  {
    while (n > 0 && strchr(" \t\r\n", text[n - 1]))
      text[--n] = 0;
    char *start = text + strspn(text, " \t");
    if (*start && *start != '#' && !add_line(s, start))
      hd_string_printf(&message,
                       "%s:%" PRIu64 ":%zu: error: a suppression is KIND:PATTERN, for example race:counter or "
                       "deadlock:lock_both; kinds are race, race_top, deadlock and atomic",
                       path, number, (size_t) (start - text) + 1);
  }
  free(text);
  fclose(in);
  if (!message.text)
    return s;
  *error = message.text;
  hd_monitor_suppressions_free(s);
  return NULL;
}

/* Does the piece of a pattern between two stars, N characters of P, begin at S? */
static bool
piece_here(const char *p, size_t n, const char *s)
{
  return strncmp(p, s, n) == 0;
}

/* PATTERN somewhere in S; ^ is its start, $ its end, * anything. */
static bool
match(const char *pattern, const char *s)
{
  bool fixed = *pattern == '^';
  pattern += fixed;
  for (;;)
  {
    size_t n = strcspn(pattern, "*");
    bool last = pattern[n] == 0, at_end = last && n > 0 && pattern[n - 1] == '$';
    size_t length = n - at_end;
    if (at_end)
    {
      size_t left = strlen(s);
      return left >= length && (!fixed || left == length) && piece_here(pattern, length, s + left - length);
    }
    while (!piece_here(pattern, length, s))
      if (fixed || !*s++)
        return false;
    s += length;
    if (last)
      return true;
    pattern += n + 1;
    fixed = false;
  }
}

static bool
match_location(const char *pattern, const hd_trace_names *n, uint32_t id)
{
  hd_trace_location where = hd_trace_names_location(n, id);
  return (where.function && match(pattern, where.function)) || (where.file && match(pattern, where.file))
         || (where.text && match(pattern, where.text));
}

static bool
match_place(const char *pattern, const hd_trace_names *n, const hd_monitor_place *place, bool top)
{
  size_t count;
  const uint32_t *stack = hd_trace_names_stack(n, place->stack, &count);
  if (match_location(pattern, n, place->location))
    return true;
  for (size_t i = 0; i < count && !top; i++)
    if (match_location(pattern, n, stack[i]))
      return true;
  return false;
}

bool
hd_monitor_suppressed(const hd_monitor_suppressions *s, const char *kind, const hd_trace_names *n,
                      const hd_monitor_place *places, size_t nplaces, const char *variable)
{
  for (size_t i = 0; s && i < s->n; i++)
  {
    bool top = strcmp(kind, "race") == 0 && strcmp(s->lines[i].kind, "race_top") == 0;
    if (strcmp(s->lines[i].kind, kind) != 0 && !top)
      continue;
    if (variable && !top && match(s->lines[i].pattern, variable))
      return true;
    for (size_t p = 0; p < nplaces; p++)
      if (match_place(s->lines[i].pattern, n, &places[p], top))
        return true;
  }
  return false;
}
