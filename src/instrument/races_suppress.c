/* races_suppress.c: suppressions in ThreadSanitizer's format: lines KIND:PATTERN. race: the pattern occurs in a
 * function, a file or a module of one of the stacks, or in the name of the variable; race_top: of the places of the two
 * accesses alone. Lines of other kinds are about what is not reported here. In a pattern, * is anything, ^ the start
 * and $ the end. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "instrument/races.h"

struct hd_races_suppressions
{
  struct line
  {
    bool top;
    char *pattern;
  } * lines;
  size_t n, cap;
};

static const char *const kinds[]
    = {"race", "race_top", "deadlock", "atomic", "thread", "mutex", "signal", "called_from_lib"};

void
hd_races_suppressions_free(hd_races_suppressions *s)
{
  if (!s)
    return;
  for (size_t i = 0; i < s->n; i++)
    free(s->lines[i].pattern);
  free(s->lines);
  free(s);
}

static bool
add_line(hd_races_suppressions *s, const char *text)
{
  const char *colon = strchr(text, ':');
  if (!colon || !colon[1])
    return false;
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
    if (strlen(kinds[k]) == (size_t) (colon - text) && strncmp(kinds[k], text, (size_t) (colon - text)) == 0)
    {
      if (k < 2)
        HD_PUSH(s->lines, s->n, s->cap, (struct line){k == 1, hd_strndup(colon + 1, strlen(colon + 1))});
      return true;
    }
  return false;
}

hd_races_suppressions *
hd_races_suppressions_read(const char *path, char **error)
{
  hd_string message = {0};
  FILE *in = fopen(path, "r");
  if (!in)
  {
    hd_string_printf(&message, "heddle: %s: %s", path, strerror(errno));
    *error = message.text;
    return NULL;
  }
  hd_races_suppressions *s = hd_alloc_zero(sizeof *s);
  char *text = NULL;
  size_t cap = 0;
  ssize_t n;
  for (uint64_t number = 1; !message.text && (n = getline(&text, &cap, in)) >= 0; number++)
  {
    while (n > 0 && strchr(" \t\r\n", text[n - 1]))
      text[--n] = 0;
    char *start = text + strspn(text, " \t");
    if (*start && *start != '#' && !add_line(s, start))
      hd_string_printf(&message, "%s:%" PRIu64 ":%zu: error: a suppression is KIND:PATTERN, for example race:counter",
                       path, number, (size_t) (start - text) + 1);
  }
  free(text);
  fclose(in);
  if (!message.text)
    return s;
  *error = message.text;
  hd_races_suppressions_free(s);
  return NULL;
}

/* Does S, from here on, fit PATTERN, from here on? FREE: a star was before. */
static bool
fits(const char *pattern, const char *s, bool free_start)
{
  size_t n = strcspn(pattern, "*");
  bool last = !pattern[n], at_end = last && n > 0 && pattern[n - 1] == '$';
  size_t length = n - at_end;
  for (;; s++)
  {
    if (strncmp(pattern, s, length) == 0 && (!at_end || !s[length])
        && (last || fits(pattern + n + 1, s + length, true)))
      return true;
    if (!free_start || !*s)
      return false;
  }
}

static bool
match(const char *pattern, const char *s)
{
  return s && (*pattern == '^' ? fits(pattern + 1, s, false) : fits(pattern, s, true));
}

bool
hd_races_suppressed(const hd_races_suppressions *s, const hd_races_access *accesses, size_t n, const char *variable)
{
  for (size_t i = 0; s && i < s->n; i++)
  {
    const char *pattern = s->lines[i].pattern;
    if (!s->lines[i].top && match(pattern, variable))
      return true;
    for (size_t a = 0; a < n; a++)
      for (size_t f = 0; f < accesses[a].n && (f == 0 || !s->lines[i].top); f++)
      {
        const hd_symbols_frame *frame = &accesses[a].frames[f];
        if (match(pattern, frame->function) || match(pattern, frame->file) || match(pattern, frame->module))
          return true;
      }
  }
  return false;
}
