/* parser.c: what reading declarations (parse.c) and formulas (formula.c) share: messages, tokens, names and cells. */
#include <stdlib.h>
#include <string.h>

#include "mttl/syntax.h"

enum
{
  QUOTED = 60 /* bytes of a formula in a message */
};

void
hd_mttl_error(hd_mttl_parser *p, hd_mttl_place place, const char *format, ...)
{
  if (p->bad)
    return; /* one for each declaration: the others follow from it */
  p->bad = true;
  hd_string_printf(p->messages, "%s:%u:%u: error: ", p->path, place.line, place.column);
  va_list args;
  va_start(args, format);
  hd_string_vprintf(p->messages, format, args);
  va_end(args);
  hd_string_add(p->messages, "\n");
}

bool
hd_mttl_is(const hd_mttl_parser *p, const char *text)
{
  return p->at->kind != HD_MTTL_END && p->at->kind != HD_MTTL_QUOTED && p->at->length == strlen(text)
         && memcmp(p->at->start, text, p->at->length) == 0;
}

bool
hd_mttl_accept(hd_mttl_parser *p, const char *text)
{
  bool is = hd_mttl_is(p, text);
  p->at += is;
  return is;
}

bool
hd_mttl_expect(hd_mttl_parser *p, const char *text, const char *where)
{
  if (hd_mttl_accept(p, text))
    return true;
  if (p->at->kind == HD_MTTL_END)
    hd_mttl_error(p, p->at->place, "the file ends, and '%s' is missing %s", text, where);
  else
    hd_mttl_error(p, p->at->place, "'%s' is missing %s; here is '%.*s'", text, where, (int) p->at->length,
                  p->at->start);
  return false;
}

const char *
hd_mttl_copy(hd_mttl_parser *p, const char *start, size_t length)
{
  char *copy = hd_arena_alloc(p->arena, length + 1);
  memcpy(copy, start, length);
  copy[length] = 0;
  return copy;
}

const char *
hd_mttl_quote(hd_mttl_parser *p, const hd_mttl_node *n)
{
  hd_string s = {0};
  hd_mttl_print_source(&s, n->text, n->length);
  size_t length = s.length;
  if (length > QUOTED)
    for (length = QUOTED; length > 0 && (s.text[length] & 0xc0) == 0x80;)
      length--; /* not inside a character */
  bool cut = length < s.length;
  char *copy = hd_arena_alloc(p->arena, length + 4);
  memcpy(copy, s.text, length);
  memcpy(copy + length, cut ? "..." : "", cut ? 4 : 1);
  hd_string_free(&s);
  return copy;
}

const char *
hd_mttl_path(hd_mttl_parser *p)
{
  hd_string s = {0};
  if (p->at->kind != HD_MTTL_WORD)
  {
    hd_mttl_error(p, p->at->place, "a name is missing here");
    return NULL;
  }
  hd_string_add_n(&s, p->at->start, p->at->length);
  p->at++;
  bool good = true;
  while (good && (hd_mttl_is(p, ".") || hd_mttl_is(p, "[")))
  {
    bool field = hd_mttl_accept(p, ".");
    if (!field)
      p->at++;
    good = p->at->kind == (field ? HD_MTTL_WORD : HD_MTTL_INTEGER);
    if (!good)
      hd_mttl_error(p, p->at->place,
                    field ? "the name of a field is missing after '.'" : "a number is missing after '['");
    else
    {
      hd_string_add(&s, field ? "." : "[");
      hd_string_add_n(&s, p->at->start, p->at->length);
      hd_string_add(&s, field ? "" : "]");
      p->at++;
      good = field || hd_mttl_expect(p, "]", "after the index");
    }
  }
  const char *path = good ? hd_mttl_copy(p, s.text, s.length) : NULL;
  hd_string_free(&s);
  return path;
}

uint32_t
hd_mttl_add_name(hd_mttl_parser *p, hd_mttl_name name)
{
  HD_PUSH(p->names, p->nnames, p->names_cap, name);
  return (uint32_t) p->nnames - 1;
}

hd_mttl_tid
hd_mttl_thread_reference(hd_mttl_parser *p)
{
  const hd_mttl_token *t = p->at;
  if (t->kind == HD_MTTL_INTEGER && t->value.number >= 0 && t->value.number < UINT32_MAX)
  {
    p->at++;
    for (uint32_t i = 0; i < p->nnames; i++)
      if (!p->names[i].means && p->names[i].number == t->value.number)
        return (hd_mttl_tid){HD_MTTL_NAMED, i};
    hd_mttl_name name = {hd_mttl_copy(p, t->start, t->length), NULL, (uint32_t) t->value.number};
    return (hd_mttl_tid){HD_MTTL_NAMED, hd_mttl_add_name(p, name)};
  }
  if (t->kind != HD_MTTL_WORD)
  {
    hd_mttl_error(p, t->place, "a thread is missing here: a variable, a name or a number");
    return (hd_mttl_tid){HD_MTTL_NOBODY, 0};
  }
  p->at++;
  for (uint32_t i = p->nbound; i-- > 0;)
    if (p->bound[i].length == t->length && memcmp(p->bound[i].name, t->start, t->length) == 0)
      return (hd_mttl_tid){HD_MTTL_SLOT, i};
  for (uint32_t i = 0; i < p->nnames; i++)
    if (strlen(p->names[i].name) == t->length && memcmp(p->names[i].name, t->start, t->length) == 0)
      return (hd_mttl_tid){HD_MTTL_NAMED, i};
  hd_mttl_error(p, t->place,
                "there is no thread '%.*s' (bind it with 'forall %.*s:', or declare 'thread %.*s = \"name\";')",
                (int) t->length, t->start, (int) t->length, t->start, (int) t->length, t->start);
  return (hd_mttl_tid){HD_MTTL_NOBODY, 0};
}

int64_t
hd_mttl_find_variable(const hd_mttl_parser *p, const char *name)
{
  for (size_t i = 0; i < p->nvariables; i++)
    if (strcmp(p->variables[i].name, name) == 0)
      return (int64_t) i;
  return -1;
}

uint32_t
hd_mttl_add_variable(hd_mttl_parser *p, hd_mttl_variable v)
{
  HD_PUSH(p->variables, p->nvariables, p->variables_cap, v);
  return (uint32_t) p->nvariables - 1;
}

uint32_t
hd_mttl_intern(hd_mttl_parser *p, const char ***list, size_t *n, size_t *cap, const char *name)
{
  (void) p;
  for (size_t i = 0; i < *n; i++)
    if (strcmp((*list)[i], name) == 0)
      return (uint32_t) i;
  HD_PUSH(*list, *n, *cap, name);
  return (uint32_t) *n - 1;
}

uint32_t
hd_mttl_add_cell(hd_mttl_parser *p, hd_mttl_role role, const hd_mttl_node *a, const hd_mttl_node *b)
{
  hd_mttl_cell cell = {.role = role, .a = a, .b = b, .self = p->self};
  uint32_t slots = a->slots | (b ? b->slots : 0);
  for (uint32_t i = 0; i < HD_MTTL_SLOTS; i++)
    if ((slots & 1u << i) && (int32_t) i != p->self)
      cell.parameters[cell.nparameters++] = i;
  if (role == HD_MTTL_ITEM)
    cell.item = p->nitems++;
  HD_PUSH(p->cells, p->ncells, p->cells_cap, cell);
  return (uint32_t) p->ncells - 1;
}
