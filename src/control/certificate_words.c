/* certificate_words.c: words, numbers and names in a line of a certificate (certificate_reader.h). */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "control/certificate_reader.h"

static hd_control_place
place_at(const hd_certificate_reader *r, size_t at)
{
  return (hd_control_place){r->line, (uint32_t) (at - r->line_start + 1)};
}

void
hd_certificate_fail(hd_certificate_reader *r, size_t at, const char *format, ...)
{
  hd_string text = {0};
  va_list args;
  va_start(args, format);
  hd_string_vprintf(&text, format, args);
  va_end(args);
  if (!r->broken)
    hd_control_error(&r->m, place_at(r, at), "%s", text.text);
  hd_string_free(&text);
  r->broken = true;
}

void
hd_certificate_skip_blanks(hd_certificate_reader *r)
{
  while (r->at < r->end && (r->text[r->at] == ' ' || r->text[r->at] == '\t' || r->text[r->at] == '\r'))
    r->at++;
}

bool
hd_certificate_line_over(hd_certificate_reader *r)
{
  hd_certificate_skip_blanks(r);
  return r->at == r->end;
}

static bool
word_character(char c)
{
  return isalnum((unsigned char) c) || c == '_';
}

/* The word (letters, digits, _) that stands here; false: none does. */
bool
hd_certificate_read_word(hd_certificate_reader *r, const char **word, size_t *n)
{
  hd_certificate_skip_blanks(r);
  size_t start = r->at;
  while (r->at < r->end && word_character(r->text[r->at]))
    r->at++;
  *word = r->text + start;
  *n = r->at - start;
  return *n > 0;
}

bool
hd_certificate_is(const char *word, size_t n, const char *name)
{
  return strlen(name) == n && memcmp(word, name, n) == 0;
}

/* Go past TEXT if it stands here. */
bool
hd_certificate_eat(hd_certificate_reader *r, const char *text)
{
  hd_certificate_skip_blanks(r);
  size_t n = strlen(text);
  if (r->end - r->at < n || memcmp(r->text + r->at, text, n) != 0)
    return false;
  r->at += n;
  return true;
}

/* A number without sign. */
bool
hd_certificate_read_number(hd_certificate_reader *r, uint64_t most, uint64_t *value)
{
  size_t start = (hd_certificate_skip_blanks(r), r->at);
  *value = 0;
  while (r->at < r->end && isdigit((unsigned char) r->text[r->at]))
  {
    unsigned digit = (unsigned) (r->text[r->at++] - '0');
    if (*value > (most - digit) / 10)
    {
      hd_certificate_fail(r, start, "this number is too large");
      return false;
    }
    *value = *value * 10 + digit;
  }
  if (r->at == start || (r->at < r->end && word_character(r->text[r->at])))
  {
    hd_certificate_fail(r, start, "a whole number should stand here");
    return false;
  }
  return true;
}

/* ---- names ---- */

/* The dimension that a bare name means, or the number (*NUMBER) if it is a value of an enumeration. */
bool
hd_certificate_find_name(const hd_certificate_reader *r, const char *word, size_t n, size_t *dimension, int64_t *number)
{
  const hd_controller *c = r->c;
  for (uint32_t i = 0; r->spec && i < r->spec->nrigid; i++)
    if (hd_certificate_is(word, n, c->rigid[r->spec->first_rigid + i]))
    {
      *dimension = hd_control_rigid_dimension(c, r->spec->first_rigid + i);
      return true;
    }
  for (size_t i = 0; i < c->nconstants; i++)
    if (hd_certificate_is(word, n, c->constants[i].name))
    {
      *dimension = i;
      return true;
    }
  for (size_t i = 0; i < c->nvariables; i++)
  {
    const hd_control_variable *v = &c->variables[i];
    if (hd_certificate_is(word, n, v->name))
    {
      *dimension = hd_control_variable_dimension(c, i);
      return true;
    }
    for (size_t k = 0; k < v->nvalues; k++)
      if (hd_certificate_is(word, n, v->values[k]))
      {
        *dimension = SIZE_MAX;
        *number = (int64_t) k;
        return true;
      }
  }
  *dimension = SIZE_MAX;
  *number = hd_certificate_is(word, n, "true");
  return *number || hd_certificate_is(word, n, "false");
}

/* An interface state. */
bool
hd_certificate_read_state(hd_certificate_reader *r, uint32_t *state)
{
  const char *word;
  size_t n, start = (hd_certificate_skip_blanks(r), r->at);
  if (!hd_certificate_read_word(r, &word, &n))
  {
    hd_certificate_fail(r, start, "the name of an interface state should stand here");
    return false;
  }
  for (*state = 0; *state < r->c->nstates; ++*state)
    if (hd_certificate_is(word, n, r->c->states[*state].name))
      return true;
  hd_certificate_fail(r, start, "'%.*s' is not an interface state of '%s'", (int) (n < 60 ? n : 60), word, r->c->name);
  return false;
}
