/* prove_source.c: reads a file again for the lines that an answer shows. Only regular files: what came through a pipe
 * is gone. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/prove_source.h"

enum
{
  MOST_BYTES = 64 << 20, /* of a file; of longer ones no lines are shown */
  MOST_SHOWN = 100       /* bytes of a line */
};

struct hd_prove_source
{
  const char *file; /* whose text it is */
  char *text;       /* null: it cannot be read */
  size_t length;
};

hd_prove_source *
hd_prove_source_new(void)
{
  return hd_alloc_zero(sizeof(hd_prove_source));
}

void
hd_prove_source_free(hd_prove_source *s)
{
  if (s)
    free(s->text);
  free(s);
}

/* The text of FILE, or null. */
static char *
load(const char *file, size_t *length)
{
  struct stat info;
  *length = 0;
  if (stat(file, &info) != 0 || !S_ISREG(info.st_mode) || info.st_size > MOST_BYTES)
    return NULL;
  FILE *in = fopen(file, "rb");
  if (!in)
    return NULL;
  char *text = hd_alloc((size_t) info.st_size + 1);
  *length = fread(text, 1, (size_t) info.st_size, in);
  fclose(in);
  return text;
}

static bool
is_space(char c)
{
  return c == ' ' || c == '\t' || c == '\r';
}

const char *
hd_prove_source_line(hd_prove_source *s, hd_arena *arena, hd_boogie_place at)
{
  if (!s->file || strcmp(s->file, at.file) != 0)
  {
    free(s->text);
    s->file = at.file;
    s->text = load(at.file, &s->length);
  }
  if (!s->text)
    return NULL;
  const char *line = s->text, *stop = s->text + s->length;
  for (uint32_t n = 1; n < at.line; n++)
  {
    line = memchr(line, '\n', (size_t) (stop - line));
    if (!line++)
      return NULL;
  }
  const char *end = memchr(line, '\n', (size_t) (stop - line));
  if (!end)
    end = stop;
  for (const char *c = line; c + 1 < end; c++)
    if (c[0] == '/' && c[1] == '/')
      end = c;
  /* Of a line that is too long, the statement is worth more than the beginning. */
  if (end - line > MOST_SHOWN && at.column > 1 && line + at.column - 1 < end)
  {
    const char *start = line + at.column - 1;
    while (start > line && !strchr(";{}", start[-1]))
      start--;
    line = start;
  }
  while (line < end && is_space(*line))
    line++;
  while (end > line && is_space(end[-1]))
    end--;
  if (line == end)
    return NULL;
  size_t n = (size_t) (end - line) > MOST_SHOWN ? MOST_SHOWN : (size_t) (end - line);
  while (n < (size_t) (end - line) && n > 0 && ((unsigned char) line[n] & 0xc0) == 0x80)
    n--; /* not inside a character */
  char *copy = hd_arena_alloc(arena, n + 4);
  for (size_t i = 0; i < n; i++)
    copy[i] = (unsigned char) line[i] < ' ' ? ' ' : line[i];
  memcpy(copy + n, n < (size_t) (end - line) ? "..." : "", n < (size_t) (end - line) ? 4 : 1);
  return copy;
}
