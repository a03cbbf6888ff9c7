/* messages.c: what is wrong with a controller file, collected and printed in the order of the text. */
#include <stdlib.h>
#include <string.h>

#include "control/syntax.h"

enum
{
  SHOWN = 20 /* more errors than this help nobody */
};

static void
add(hd_control_messages *m, hd_control_place place, bool error, const char *format, va_list args)
{
  hd_string text = {0};
  hd_string_vprintf(&text, format, args);
  hd_control_message message = {.place = place, .order = m->n, .error = error, .text = text.text};
  HD_PUSH(m->items, m->n, m->cap, message);
  m->errors += error;
}

void
hd_control_error(hd_control_messages *m, hd_control_place place, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  add(m, place, true, format, args);
  va_end(args);
}

void
hd_control_warning(hd_control_messages *m, hd_control_place place, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  add(m, place, false, format, args);
  va_end(args);
}

static int
by_place(const void *x, const void *y)
{
  const hd_control_message *a = x, *b = y;
  if (a->place.line != b->place.line)
    return a->place.line < b->place.line ? -1 : 1;
  if (a->place.column != b->place.column)
    return a->place.column < b->place.column ? -1 : 1;
  return a->order < b->order ? -1 : a->order > b->order;
}

void
hd_control_messages_flush(hd_control_messages *m, const char *path, hd_string *out)
{
  size_t shown = 0;
  if (m->n)
    qsort(m->items, m->n, sizeof *m->items, by_place);
  for (size_t i = 0; i < m->n; i++)
  {
    const hd_control_message *e = &m->items[i];
    if (!e->error || shown++ < SHOWN)
      hd_string_printf(out, "%s:%u:%u: %s: %s\n", path, e->place.line, e->place.column, e->error ? "error" : "warning",
                       e->text);
    free(e->text);
  }
  if (shown > SHOWN)
    hd_string_printf(out, "%s: %zu more errors are not shown\n", path, shown - SHOWN);
  free(m->items);
  *m = (hd_control_messages){0};
}

/* Edits from A to B, no more than a few matter. */
static size_t
distance(const char *a, const char *b)
{
  enum
  {
    LONGEST = 32
  };
  size_t n = strlen(a), m = strlen(b), row[LONGEST + 1];
  if (n > LONGEST || m > LONGEST)
    return LONGEST;
  for (size_t j = 0; j <= m; j++)
    row[j] = j;
  for (size_t i = 1; i <= n; i++)
  {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= m; j++)
    {
      size_t above = row[j], best = diagonal + (a[i - 1] != b[j - 1]);
      best = above + 1 < best ? above + 1 : best;
      best = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
      diagonal = above;
      row[j] = best;
    }
  }
  return row[m];
}

const char *
hd_control_suggest(const char *word, const char *const *words, size_t n)
{
  const char *best = NULL;
  size_t least = 0;
  for (size_t i = 0; i < n; i++)
  {
    size_t d = distance(word, words[i]), length = strlen(words[i]);
    if (d <= (length < 4 ? 1 : 2) && d < length && (!best || d < least))
    {
      best = words[i];
      least = d;
    }
  }
  return best;
}

const char *
hd_control_copy(hd_arena *arena, const char *text, size_t n)
{
  char *copy = hd_arena_alloc(arena, n + 1);
  memcpy(copy, text, n);
  copy[n] = 0;
  return copy;
}
