/* source.c: the guards and updates of a controller as its file has them, for code that looks like it.
 *
 * The file was parsed without mistakes, so what is looked for is there. Comments become spaces; lines stay lines, so
 * that #line can point to them. */
#include <ctype.h>
#include <string.h>

#include "generate/plan.h"

const char *
hd_generate_copy(const hd_generate_plan *p, const char *text, size_t n)
{
  char *copy = hd_arena_alloc(p->arena, n + 1);
  memcpy(copy, text, n);
  copy[n] = '\0';
  return copy;
}

bool
hd_generate_mentions(const char *text, const char *name)
{
  size_t n = strlen(name);
  for (const char *at = text; *at;)
  {
    size_t length = 0;
    while (isalnum((unsigned char) at[length]) || at[length] == '_')
      length++;
    if (length == n && strncmp(at, name, n) == 0)
      return true;
    at += length ? length : 1;
  }
  return false;
}

/* TEXT with spaces in place of comments; the line breaks in them stay, and those after a backslash go. */
static char *
without_comments(const hd_generate_plan *p, const char *text, size_t n)
{
  char *out = hd_arena_alloc(p->arena, n + 1);
  memcpy(out, text, n);
  out[n] = '\0';
  for (size_t i = 0; i < n; i++)
  {
    if (out[i] == '\\' && i + 1 < n && out[i + 1] == '\n')
      out[i] = ' ';
    bool block = out[i] == '/' && out[i + 1] == '*', line = out[i] == '/' && out[i + 1] == '/';
    if (!block && !line)
      continue;
    size_t end = i + 2;
    while (end < n && (block ? !(out[end] == '*' && out[end + 1] == '/') : out[end] != '\n'))
      end++;
    end += block ? 2 : 0;
    for (; i < end && i < n; i++)
      if (out[i] != '\n')
        out[i] = ' ';
    i--;
  }
  return out;
}

typedef struct cursor
{
  const char *text;
  size_t at;
  uint32_t line;
} cursor;

static void
advance(cursor *x)
{
  if (x->text[x->at++] == '\n')
    x->line++;
}

static bool
go_to(cursor *x, hd_control_place place)
{
  *x = (cursor){x->text, 0, 1};
  while (x->text[x->at] && x->line < place.line)
    advance(x);
  for (uint32_t column = 1; x->text[x->at] && column < place.column; column++)
    x->at++;
  return x->text[x->at] != '\0';
}

/* What stands in brackets after WORD, which comes next, and the line on which that begins. NULL: it does not. */
static const char *
argument(const hd_generate_plan *p, cursor *x, const char *word, uint32_t *line)
{
  while (isspace((unsigned char) x->text[x->at]))
    advance(x);
  if (strncmp(x->text + x->at, word, strlen(word)) != 0)
    return NULL;
  x->at += strlen(word);
  while (isspace((unsigned char) x->text[x->at]))
    advance(x);
  if (x->text[x->at] != '(')
    return NULL;
  x->at++;
  while (isspace((unsigned char) x->text[x->at]))
    advance(x);
  *line = x->line;
  size_t start = x->at, end;
  int depth = 1;
  for (; x->text[x->at]; advance(x))
  {
    depth += (x->text[x->at] == '(') - (x->text[x->at] == ')');
    if (depth == 0)
      break;
  }
  end = x->at;
  while (end > start && isspace((unsigned char) x->text[end - 1]))
    end--;
  if (depth)
    return NULL;
  x->at++;
  return hd_generate_copy(p, x->text + start, end - start);
}

/* Where the first declaration begins. */
static void
go_to_first(cursor *x, const hd_controller *c)
{
  hd_control_place first = c->actions[0].place;
#define EARLIER(list, n)                                                                                               \
  if (n > 0                                                                                                            \
      && (list[0].place.line < first.line                                                                              \
          || (list[0].place.line == first.line && list[0].place.column < first.column)))                               \
  first = list[0].place
  EARLIER(c->constants, c->nconstants);
  EARLIER(c->variables, c->nvariables);
  EARLIER(c->states, c->nstates);
#undef EARLIER
  go_to(x, first);
  while (x->at > 0 && x->text[x->at] != '(')
    x->at--;
  while (x->at > 0 && !isalpha((unsigned char) x->text[x->at]))
    x->at--;
  while (x->at > 0 && isalpha((unsigned char) x->text[x->at - 1]))
    x->at--;
}

/* The declarations in the order of the file as HD_CC_PASS_TEXT of controller_pass.h makes one string of them: it has
 * arguments as the preprocessor shows them (one space for any), and nothing of what stands between declarations. */
static void
add_declarations(const hd_generate_plan *p, hd_string *out, cursor *x)
{
  static const char *const words[]
      = {"CONST", "ASSUME", "INT", "BOOL", "ENUM", "STATE", "BLOCKING", "NONBLOCKING", "WHEN", "DO", "EDGE"};
  go_to_first(x, p->c);
  while (x->text[x->at] && x->text[x->at] != '#')
  {
    size_t length = 0;
    while (isalnum((unsigned char) x->text[x->at + length]) || x->text[x->at + length] == '_')
      length++;
    const char *word = NULL;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
      if (strlen(words[i]) == length && strncmp(x->text + x->at, words[i], length) == 0)
        word = words[i];
    uint32_t line;
    const char *inside = word ? argument(p, x, word, &line) : NULL;
    if (!inside)
    {
      x->at += length ? length : 1;
      continue;
    }
    hd_string_printf(out, "%s(", word);
    for (const char *s = inside; *s; s++)
      if (!isspace((unsigned char) *s))
        hd_string_add_n(out, s, 1);
      else if (!isspace((unsigned char) s[1]))
        hd_string_add(out, " ");
    hd_string_add(out, ")\n");
  }
}

/* TEXT without semicolons at its end. */
static const char *
without_end(const hd_generate_plan *p, const char *text)
{
  size_t n = text ? strlen(text) : 0;
  while (n > 0 && (isspace((unsigned char) text[n - 1]) || text[n - 1] == ';'))
    n--;
  return text ? hd_generate_copy(p, text, n) : NULL;
}

bool
hd_generate_read_source(hd_generate_plan *p, const char *text, size_t n, hd_string *error)
{
  const hd_controller *c = p->c;
  cursor x = {without_comments(p, text, n), 0, 1};
  for (size_t a = 0; a < c->nactions; a++)
    for (size_t i = 0; i < c->actions[a].ncommands; i++)
    {
      hd_generate_command *command = &p->commands[p->first_command[a] + i];
      bool found = go_to(&x, c->actions[a].commands[i].place);
      command->guard = found ? argument(p, &x, "WHEN", &command->line) : NULL;
      command->update = without_end(p, command->guard ? argument(p, &x, "DO", &command->do_line) : NULL);
      if (!command->update)
      {
        hd_string_printf(error, "the text of action '%s' was not found at line %u", c->actions[a].name,
                         c->actions[a].commands[i].place.line);
        return false;
      }
    }
  hd_string declarations = {0};
  add_declarations(p, &declarations, &x);
  p->text = hd_generate_copy(p, declarations.text ? declarations.text : "", declarations.length);
  hd_string_free(&declarations);
  return true;
}
