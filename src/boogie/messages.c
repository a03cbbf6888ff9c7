/* messages.c: what is wrong with a program, collected phase by phase and printed in our form or in the reference's. */
#include <stdlib.h>
#include <string.h>

#include "boogie/boogie.h"

void
hd_boogie_messages_free(hd_boogie_messages *m)
{
  hd_arena_free(m->arena);
  free(m->items);
  *m = (hd_boogie_messages){0};
}

void
hd_boogie_message_vadd(hd_boogie_messages *m, hd_boogie_phase phase, bool is_error, hd_boogie_place at,
                       const char *format, va_list args)
{
  if (!m->arena)
    m->arena = hd_arena_new();
  hd_string text = {0};
  hd_string_vprintf(&text, format, args);
  char *copy = hd_arena_alloc(m->arena, text.length + 1);
  memcpy(copy, text.text ? text.text : "", text.length + 1);
  hd_string_free(&text);
  size_t n = at.file ? strlen(at.file) : 0;
  char *file = hd_arena_alloc(m->arena, n + 1); /* messages outlive the program they speak of */
  memcpy(file, at.file ? at.file : "", n + 1);
  at.file = file;
  hd_boogie_message message = {.phase = phase, .at = at, .is_error = is_error, .text = copy};
  HD_PUSH(m->items, m->n, m->cap, message);
  m->errors += is_error;
}

void
hd_boogie_message_add(hd_boogie_messages *m, hd_boogie_phase phase, bool is_error, hd_boogie_place at,
                      const char *format, ...)
{
  va_list args;
  va_start(args, format);
  hd_boogie_message_vadd(m, phase, is_error, at, format, args);
  va_end(args);
}

void
hd_boogie_note_add(hd_boogie_messages *m, hd_boogie_place at, const char *format, ...)
{
  HD_CHECK(m->n);
  va_list args;
  va_start(args, format);
  hd_boogie_message_vadd(m, m->items[m->n - 1].phase, false, at, format, args);
  va_end(args);
  m->items[m->n - 1].is_note = true;
}

static bool
is_same(const hd_boogie_message *a, const hd_boogie_message *b)
{
  return a->at.line == b->at.line && a->at.column == b->at.column && !strcmp(a->text, b->text)
         && !strcmp(a->at.file, b->at.file);
}

/* A guard is checked where it holds and where it does not: the same error comes twice, or once more without a place. */
static bool
is_repeated(const hd_boogie_messages *m, size_t i)
{
  const hd_boogie_message *e = &m->items[i], *before = e;
  while (before > m->items && (--before)->is_note)
    ;
  return before < e && (e->is_echo || is_same(e, before));
}

/* It was told with an earlier message. */
static bool
is_told(const hd_boogie_messages *m, size_t i)
{
  for (size_t j = 0; j < i; j++)
    if (m->items[j].is_note && is_same(&m->items[i], &m->items[j]))
      return true;
  return false;
}

void
hd_boogie_messages_print(const hd_boogie_messages *m, hd_string *out)
{
  enum
  {
    SHOWN = 50 /* more than this help nobody */
  };
  size_t shown = 0;
  bool left_out = false; /* the message, and so the notes about it */
  for (size_t i = 0; i < m->n; i++)
  {
    const hd_boogie_message *e = &m->items[i];
    if (!e->is_note)
      left_out = is_repeated(m, i) || (e->is_error && shown++ >= SHOWN);
    if (left_out || (e->is_note && is_told(m, i)))
      continue;
    if (e->at.line || e->at.file[0]) /* else it is about the program as a whole */
      hd_string_printf(out, "%s:%u:%u: ", e->at.file, e->at.line ? e->at.line : 1, e->at.column ? e->at.column : 1);
    hd_string_printf(out, "%s: %s\n", e->is_note ? "note" : e->is_error ? "error" : "warning", e->text);
  }
  if (shown > SHOWN)
    hd_string_printf(out, "%zu more errors are not shown\n", shown - SHOWN);
}

void
hd_boogie_messages_reference(const hd_boogie_messages *m, const char *file, hd_string *out)
{
  hd_boogie_phase phase = HD_BOOGIE_PHASE_READ;
  size_t errors = 0;
  for (size_t i = 0; i < m->n; i++)
  {
    const hd_boogie_message *e = &m->items[i];
    if (e->is_note)
      continue;
    bool parsing = e->phase <= HD_BOOGIE_PHASE_PARSE;
    const char *word = e->is_error ? (parsing ? "error" : "Error") : (parsing ? "warning" : "Warning");
    hd_string_printf(out, "%s(%u,%d): %s: %s\n", e->at.file, e->at.line, (int) e->at.column - (parsing ? 0 : 1), word,
                     e->text);
    if (e->is_error)
    {
      phase = e->phase;
      errors++;
    }
  }
  static const char *const kinds[] = {"parse", "parse", "name resolution", "type checking", ""};
  if (errors)
    hd_string_printf(out, "%zu %s errors detected in %s\n", errors, kinds[phase], file);
}
