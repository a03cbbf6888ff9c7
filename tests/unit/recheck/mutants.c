/* mutants.c: small changes of a certificate's text (mutants.h). */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "recheck/mutants.h"

/* Counts changes, and makes the one that is WANTED. */
typedef struct maker
{
  const hd_controller *c;
  const char *text;
  size_t n, wanted;
  hd_string out;
} maker;

/* One more change: the bytes FROM .. TO are replaced by WITH. */
static void
change(maker *m, size_t from, size_t to, const char *with)
{
  if (m->n++ != m->wanted)
    return;
  hd_string_add_n(&m->out, m->text, from);
  hd_string_add(&m->out, with);
  hd_string_add(&m->out, m->text + to);
}

static bool
is(const char *word, size_t n, const char *name)
{
  return strlen(name) == n && memcmp(word, name, n) == 0;
}

/* Replace a name by others of its kind. */
static void
change_name(maker *m, size_t from, size_t to)
{
  const hd_controller *c = m->c;
  const char *word = m->text + from;
  size_t n = to - from;
  bool variable = false, state = false;
  for (size_t i = 0; i < c->nvariables; i++)
    variable |= is(word, n, c->variables[i].name);
  for (size_t i = 0; i < c->nconstants; i++)
    variable |= is(word, n, c->constants[i].name);
  for (size_t i = 0; i < c->nstates; i++)
    state |= is(word, n, c->states[i].name);
  for (size_t i = 0; variable && m->text[to] != '(' && i < c->nvariables; i++)
    if (!is(word, n, c->variables[i].name))
      change(m, from, to, c->variables[i].name);
  for (size_t i = 0; state && i < c->nstates; i++)
    if (!is(word, n, c->states[i].name))
      change(m, from, to, c->states[i].name);
}

static void
change_token(maker *m, size_t from, size_t to)
{
  static const char *const relations[] = {"==", ">=", "<=", ">", "<"};
  const char *word = m->text + from;
  size_t n = to - from;
  if (isdigit((unsigned char) word[0]))
  {
    char number[32];
    long value = strtol(word, NULL, 10);
    snprintf(number, sizeof number, "%ld", value + 1);
    change(m, from, to, number);
    snprintf(number, sizeof number, "%ld", value > 0 ? value - 1 : 2);
    change(m, from, to, number);
  }
  else if (strchr("=<>", word[0]))
  {
    for (size_t i = 0; i < sizeof relations / sizeof *relations; i++)
      if (!is(word, n, relations[i]))
        change(m, from, to, relations[i]);
  }
  else if (is(word, n, "true") || is(word, n, "false"))
    change(m, from, to, is(word, n, "true") ? "false" : "true");
  else
    change_name(m, from, to);
}

static void
change_line(maker *m, size_t from, size_t to)
{
  size_t part = from + strspn(m->text + from, " |"); /* where this part of a conjunction begins */
  bool set = memchr(m->text + from, '|', part - from) != NULL;
  change(m, from, to, "");
  for (size_t i = part; i < to;)
  {
    size_t start = i;
    if (isalnum((unsigned char) m->text[i]) || m->text[i] == '_')
      while (isalnum((unsigned char) m->text[i]) || m->text[i] == '_')
        i++;
    else if (strchr("=<>", m->text[i]))
      while (strchr("=<>", m->text[i]))
        i++;
    else
    {
      if (set && strncmp(m->text + i, "&&", 2) == 0)
      {
        change(m, part, i + 2, "");
        part = ++i + 1;
      }
      i++;
      continue;
    }
    change_token(m, start, i);
  }
  if (set)
    change(m, part, to, "0 == 0");
}

static void
go_through(maker *m)
{
  const char *first = strstr(m->text, "\nthreads");
  size_t at = first ? (size_t) (first - m->text) + 1 : strlen(m->text);
  while (m->text[at])
  {
    size_t end = at + strcspn(m->text + at, "\n#");
    if (strncmp(m->text + at, "end", 3) != 0 && end > at)
      change_line(m, at, end);
    at += strcspn(m->text + at, "\n");
    at += m->text[at] == '\n';
  }
}

size_t
mutants_count(const hd_controller *c, const char *text)
{
  maker m = {.c = c, .text = text, .wanted = SIZE_MAX};
  go_through(&m);
  return m.n;
}

hd_string
mutants_make(const hd_controller *c, const char *text, size_t which)
{
  maker m = {.c = c, .text = text, .wanted = which};
  go_through(&m);
  if (!m.out.text)
    hd_string_add(&m.out, text);
  return m.out;
}
