/* suppressions.c: what not to report, in ThreadSanitizer's format: lines KIND:PATTERN; # begins a comment. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

/* Those of ThreadSanitizer (the last ones are about what is not reported here) and ours. */
static const char *const known_kinds[]
    = {"race", "race_top", "deadlock", "atomic", "thread", "mutex", "signal", "called_from_lib"};

void
hd_suppressions_free(hd_suppressions *s)
{
  if (!s)
    return;
  hd_arena_free(s->texts);
  free(s->lines);
  free(s);
}

static bool
add_line(hd_suppressions *s, char *text)
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
  HD_PUSH(s->lines, s->n, s->cap, (hd_suppression){known_kinds[k], pattern});
  return true;
}

hd_suppressions *
hd_suppressions_read(const char *path, char **error)
{
  hd_string message = {0};
  FILE *in = fopen(path, "r");
  if (!in)
  {
    hd_string_printf(&message, "heddle: %s: %s", path, strerror(errno));
    *error = message.text;
    return NULL;
  }
  hd_suppressions *s = hd_alloc_zero(sizeof *s);
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
  if (!message.text && ferror(in))
    hd_string_printf(&message, "heddle: %s: %s", path, strerror(errno));
  free(text);
  fclose(in);
  if (!message.text)
    return s;
  *error = message.text;
  hd_suppressions_free(s);
  return NULL;
}

/* Pieces between stars are found one after the other, each as early as it can be: no way back is needed. */
bool
hd_suppression_fits(const char *pattern, const char *text)
{
  if (!text)
    return false;
  bool fixed = *pattern == '^';
  pattern += fixed;
  for (;;)
  {
    size_t n = strcspn(pattern, "*");
    bool last = pattern[n] == 0, at_end = last && n > 0 && pattern[n - 1] == '$';
    size_t length = n - at_end;
    if (at_end)
    {
      size_t left = strlen(text);
      return left >= length && (!fixed || left == length) && strncmp(pattern, text + left - length, length) == 0;
    }
    while (strncmp(pattern, text, length) != 0)
      if (fixed || !*text++)
        return false;
    text += length;
    if (last)
      return true;
    pattern += n + 1;
    fixed = false;
  }
}
