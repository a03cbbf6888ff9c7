/* read.c: files to programs, through all phases. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "boogie/front.h"

enum
{
  LARGEST = 8 << 20 /* bytes of a file, unless the caller says otherwise */
};

/* All of PATH into OUT. False: said. */
static bool
read_file(const char *path, size_t largest, hd_string *out, hd_boogie_messages *m)
{
  hd_boogie_place at = {.file = path, .line = 1, .column = 1};
  FILE *f = fopen(path, "rb");
  if (!f)
  {
    hd_boogie_message_add(m, HD_BOOGIE_PHASE_READ, true, at, "cannot be opened: %s", strerror(errno));
    return false;
  }
  char piece[1 << 16];
  size_t n;
  bool good = true;
  while (good && (n = fread(piece, 1, sizeof piece, f)) > 0)
  {
    good = out->length + n <= largest;
    if (good)
      hd_string_add_n(out, piece, n);
    else
      hd_boogie_message_add(m, HD_BOOGIE_PHASE_READ, true, at, "the file is larger than %zu MiB, which is not read",
                            largest >> 20);
  }
  if (good && ferror(f))
  {
    hd_boogie_message_add(m, HD_BOOGIE_PHASE_READ, true, at, "cannot be read: %s", strerror(errno));
    good = false;
  }
  (void) fclose(f);
  return good;
}

static void
parse_text(hd_boogie_program *p, const char *name, size_t number, const char *text, size_t length,
           hd_boogie_messages *m)
{
  hd_boogie_place at = {.file = name, .line = 1, .column = 1};
  for (size_t i = 0; i < length; i++)
  {
    if (!text[i])
    {
      hd_boogie_message_add(m, HD_BOOGIE_PHASE_PARSE, true, at, "a byte that is zero: this is no program text");
      return;
    }
    at.column = text[i] == '\n' ? 1 : at.column + 1;
    at.line += text[i] == '\n';
  }
  hd_string prepared = {0};
  hd_boogie_prepare(text, length, number, &prepared);
  hd_boogie_parse(p, m, hd_boogie_copy_text(p, name, strlen(name)), prepared.text, prepared.length);
  hd_string_free(&prepared);
}

/* What follows parsing. Takes P; returns it if there was no error. */
static hd_boogie_program *
finish(hd_boogie_program *p, const hd_boogie_options *options, hd_boogie_messages *m)
{
  if (!m->errors)
    hd_boogie_make_datatypes(p, m);
  if (!m->errors)
  {
    hd_boogie_desugar_yield_assert(p);
    hd_boogie_resolve(p, m);
  }
  if (!m->errors)
    hd_boogie_check(p, m, options);
  if (!m->errors)
  {
    if (options->infer_modifies)
      hd_boogie_infer_modifies(p);
    return p;
  }
  hd_boogie_program_free(p);
  return NULL;
}

hd_boogie_program *
hd_boogie_read(const char *const *files, size_t n, const hd_boogie_options *options, hd_boogie_messages *m)
{
  hd_boogie_program *p = hd_boogie_program_new();
  size_t largest = options->largest_file ? options->largest_file : LARGEST;
  for (size_t i = 0; i < n; i++)
  {
    hd_string text = {0};
    const char *base = strrchr(files[i], '/');
    if (read_file(files[i], largest, &text, m))
      parse_text(p, options->base_names && base ? base + 1 : files[i], i, text.text ? text.text : "", text.length, m);
    hd_string_free(&text);
  }
  return finish(p, options, m);
}

hd_boogie_program *
hd_boogie_read_text(const char *name, const char *text, size_t length, const hd_boogie_options *options,
                    hd_boogie_messages *m)
{
  hd_boogie_program *p = hd_boogie_program_new();
  parse_text(p, name, 0, text, length, m);
  return finish(p, options, m);
}
