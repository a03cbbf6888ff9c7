/* lexer.c: cuts a property file into tokens. Comments run from # or // to the end of the line. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "mttl/syntax.h"

typedef struct lexer
{
  const char *path, *text;
  size_t n, at;
  uint32_t line, column;
  hd_arena *arena;
  hd_mttl_token *tokens;
  size_t count, cap;
  hd_string *messages;
} lexer;

static int
peek(const lexer *l, size_t ahead)
{
  return l->at + ahead < l->n ? (unsigned char) l->text[l->at + ahead] : -1;
}

static void
advance(lexer *l)
{
  l->column++;
  if (l->text[l->at++] == '\n')
  {
    l->line++;
    l->column = 1;
  }
}

static void
skip_blanks(lexer *l)
{
  for (int c; (c = peek(l, 0)) != -1;)
  {
    if (c == '#' || (c == '/' && peek(l, 1) == '/'))
      while (peek(l, 0) != -1 && peek(l, 0) != '\n')
        advance(l);
    else if (isspace(c))
      advance(l);
    else
      return;
  }
}

static bool
wrong(lexer *l, const hd_mttl_token *t, const char *what)
{
  hd_string_printf(l->messages, "%s:%u:%u: error: %s\n", l->path, t->place.line, t->place.column, what);
  return false;
}

static bool
read_number(lexer *l, hd_mttl_token *t)
{
  bool real = false;
  size_t start = l->at;
  while (isalnum(peek(l, 0)) || peek(l, 0) == '.'
         || ((peek(l, 0) == '+' || peek(l, 0) == '-') && l->at > start
             && (l->text[l->at - 1] == 'e' || l->text[l->at - 1] == 'E')
             && !(l->n - start > 1 && l->text[start + 1] == 'x')))
  {
    int c = peek(l, 0);
    bool hex = l->at > start && l->text[start] == '0' && (l->text[start + 1] == 'x' || l->text[start + 1] == 'X');
    real = real || c == '.' || (!hex && (c == 'e' || c == 'E'));
    advance(l);
  }
  char *copy = hd_strndup(l->text + start, l->at - start), *end;
  errno = 0;
  t->kind = real ? HD_MTTL_REAL_NUMBER : HD_MTTL_INTEGER;
  if (real)
    t->value = (hd_mttl_value){.type = HD_MTTL_REAL, .real = strtod(copy, &end)};
  else
    t->value = (hd_mttl_value){.type = HD_MTTL_INT, .number = strtoll(copy, &end, 0)};
  bool good = !*end && errno == 0;
  free(copy);
  return good || wrong(l, t, "this is not a number, or it is too large");
}

static bool
read_string(lexer *l, hd_mttl_token *t)
{
  hd_string s = {0};
  hd_string_add(&s, "");
  advance(l);
  while (peek(l, 0) != '"')
  {
    int c = peek(l, 0);
    if (c == '\\' && (peek(l, 1) == '"' || peek(l, 1) == '\\'))
    {
      advance(l);
      c = peek(l, 0);
    }
    if (c == -1 || c == '\n' || c == 0)
    {
      hd_string_free(&s);
      return wrong(l, t, "this string does not end on its line");
    }
    hd_string_add_n(&s, &(char){(char) c}, 1);
    advance(l);
  }
  advance(l);
  char *text = memcpy(hd_arena_alloc(l->arena, s.length + 1), s.text, s.length + 1);
  t->kind = HD_MTTL_QUOTED;
  t->value = (hd_mttl_value){.type = HD_MTTL_STRING, .text = text};
  hd_string_free(&s);
  return true;
}

static bool
read_sign(lexer *l, hd_mttl_token *t)
{
  static const char *const signs[] = {"<->", "->", "&&", "||", "==", "!=", "<=", ">=", "<", ">", "!", "=", "(",
                                      ")",   "[",  "]",  ",",  ";",  ":",  ".",  "@",  "+", "-", "*", "/", "%"};
  t->kind = HD_MTTL_SIGN;
  for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
  {
    size_t length = strlen(signs[i]);
    if (length <= l->n - l->at && memcmp(l->text + l->at, signs[i], length) == 0)
    {
      for (size_t k = 0; k < length; k++)
        advance(l);
      return true;
    }
  }
  return wrong(l, t, "this character means nothing here");
}

static bool
read_token(lexer *l)
{
  skip_blanks(l);
  hd_mttl_token t = {.kind = HD_MTTL_END, .place = {l->line, l->column}, .start = l->text + l->at};
  int c = peek(l, 0);
  bool good = true;
  if (c == -1)
    ;
  else if (isdigit(c))
    good = read_number(l, &t);
  else if (isalpha(c) || c == '_')
  {
    t.kind = HD_MTTL_WORD;
    while (isalnum(peek(l, 0)) || peek(l, 0) == '_')
      advance(l);
  }
  else
    good = c == '"' ? read_string(l, &t) : read_sign(l, &t);
  t.length = (size_t) (l->text + l->at - t.start);
  HD_PUSH(l->tokens, l->count, l->cap, t);
  return good;
}

bool
hd_mttl_lex(const char *path, const char *text, size_t n, hd_arena *arena, hd_mttl_token **tokens, hd_string *messages)
{
  lexer l = {.path = path, .text = text, .n = n, .line = 1, .column = 1, .arena = arena, .messages = messages};
  bool good;
  do
    good = read_token(&l);
  while (good && l.tokens[l.count - 1].kind != HD_MTTL_END);
  *tokens = memcpy(hd_arena_alloc(arena, l.count * sizeof *l.tokens), l.tokens, l.count * sizeof *l.tokens);
  free(l.tokens);
  return good;
}
