/* lexer.c: finds the controller part of a header and cuts it into tokens.
 *
 * The part is what lies between #else and #endif of the conditional that begins with #ifndef HD_CONTROLLER_PASS (or #if
 * !defined(HD_CONTROLLER_PASS)). Comments, strings and joined lines are understood everywhere, so that what looks like
 * a directive inside a comment is none. Outside the part only directives are read. */
#include <ctype.h>
#include <string.h>

#include "control/syntax.h"

typedef enum zone
{
  BEFORE, /* the conditional has not begun */
  FRONT,  /* between #ifndef and #else */
  PART,
  AFTER
} zone;

typedef struct lexer
{
  const char *text;
  size_t n, at;
  uint32_t line, column;
  bool line_start; /* nothing but blanks and comments on this line yet */
  zone zone;
  unsigned depth; /* conditionals that are open inside the one that matters */
  hd_control_place opened;
  hd_control_tokens *out;
  hd_arena *arena;
  hd_control_messages *m;
} lexer;

static hd_control_place
here(const lexer *l)
{
  return (hd_control_place){l->line, l->column};
}

/* How long a joint of lines (backslash, end of line) at AT is; 0: none is there. */
static size_t
joint(const lexer *l, size_t at)
{
  if (at + 1 >= l->n || l->text[at] != '\\')
    return 0;
  if (l->text[at + 1] == '\n')
    return 2;
  return at + 2 < l->n && l->text[at + 1] == '\r' && l->text[at + 2] == '\n' ? 3 : 0;
}

static void
skip_joints(lexer *l)
{
  for (size_t k; (k = joint(l, l->at)) > 0;)
  {
    l->at += k;
    l->line++;
    l->column = 1;
  }
}

/* The next character, joints skipped; 0 at the end (a zero byte in the text counts as a blank). */
static char
peek(lexer *l)
{
  skip_joints(l);
  if (l->at >= l->n)
    return 0;
  return l->text[l->at] ? l->text[l->at] : ' ';
}

static char
peek_second(const lexer *l)
{
  size_t at = l->at + 1;
  for (size_t k; (k = joint(l, at)) > 0;)
    at += k;
  return at < l->n ? l->text[at] : 0;
}

static void
advance(lexer *l)
{
  if (peek(l) == '\n')
  {
    l->line++;
    l->column = 1;
    l->line_start = true;
  }
  else
    l->column++;
  l->at++;
}

static bool
ended(lexer *l)
{
  skip_joints(l);
  return l->at >= l->n;
}

/* Skip a comment if one begins here. */
static bool
skip_comment(lexer *l)
{
  if (peek(l) != '/')
    return false;
  char second = peek_second(l);
  if (second == '/')
  {
    while (!ended(l) && peek(l) != '\n')
      advance(l);
    return true;
  }
  if (second != '*')
    return false;
  hd_control_place start = here(l);
  bool at_start = l->line_start;
  advance(l);
  advance(l);
  while (!ended(l))
  {
    if (peek(l) == '*' && peek_second(l) == '/')
    {
      advance(l);
      advance(l);
      l->line_start = at_start; /* a comment is a blank, also one of many lines */
      return true;
    }
    advance(l);
  }
  hd_control_error(l->m, start, "this comment has no end; close it with */");
  return true;
}

/* Skip a string or character; true: one was there. Not beyond the line: an apostrophe may also just be text. */
static bool
skip_string(lexer *l)
{
  char quote = peek(l);
  if (quote != '"' && quote != '\'')
    return false;
  advance(l);
  while (!ended(l) && peek(l) != '\n')
  {
    char c = peek(l);
    advance(l);
    if (c == quote)
      break;
    if (c == '\\' && !ended(l) && peek(l) != '\n')
      advance(l);
  }
  return true;
}

static void
push(lexer *l, token_kind kind, hd_control_place place, const char *text, int64_t number)
{
  HD_PUSH(l->out->items, l->out->n, l->out->cap,
          (hd_control_token){.kind = kind, .place = place, .text = text, .number = number});
}

/* ---- directives ---- */

/* The words of a directive without comments, one blank between them: "ifndef HD_CONTROLLER_PASS". */
static void
read_directive(lexer *l, hd_string *words)
{
  bool blank = false;
  hd_string_add(words, "");
  while (!ended(l) && peek(l) != '\n')
  {
    char c = peek(l);
    size_t from = l->at;
    if (skip_comment(l) || isspace((unsigned char) c))
    {
      if (l->at == from)
        advance(l);
      blank = true;
      continue;
    }
    if (blank && words->length)
      hd_string_add(words, " ");
    blank = false;
    /* A string is taken as it is, so that what looks like a comment in it remains. */
    bool string = c == '"' || c == '\'';
    do
    {
      char next = peek(l);
      hd_string_add_n(words, &next, 1);
      advance(l);
      string = string && !ended(l) && peek(l) != '\n' && !(next == c && l->at - from > 1);
    } while (string);
  }
}

static bool
begins(const char *text, const char *with, const char **rest)
{
  size_t n = strlen(with);
  if (strncmp(text, with, n) != 0)
    return false;
  *rest = text + n;
  return true;
}

/* Without blanks: is it the condition that opens a controller file? */
static bool
opens(const char *words)
{
  char squeezed[64];
  size_t n = 0;
  for (const char *c = words; *c && n + 1 < sizeof squeezed; c++)
    if (*c != ' ')
      squeezed[n++] = *c;
  squeezed[n] = 0;
  return strcmp(squeezed, "ifndefHD_CONTROLLER_PASS") == 0 || strcmp(squeezed, "if!definedHD_CONTROLLER_PASS") == 0
         || strcmp(squeezed, "if!defined(HD_CONTROLLER_PASS)") == 0;
}

static void
read_front_define(lexer *l, const char *words, hd_control_place place)
{
  const char *rest;
  size_t n;
  if (begins(words, "define HD_CONTROLLER_FILE ", &rest))
  {
    n = strlen(rest);
    if (n < 2 || rest[0] != '"' || rest[n - 1] != '"')
      hd_control_error(l->m, place, "HD_CONTROLLER_FILE must be this file's name in quotes");
    else
      l->out->file = hd_control_copy(l->arena, rest + 1, n - 2);
    l->out->file_place = place;
  }
  else if (begins(words, "define HD_CONTROLLER ", &rest))
  {
    n = strspn(rest, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    if (n == 0 || rest[n] || isdigit((unsigned char) rest[0]))
      hd_control_error(l->m, place,
                       "HD_CONTROLLER must be the controller's name, one word: '#define HD_CONTROLLER rw'");
    l->out->name = hd_control_copy(l->arena, rest, strlen(rest));
  }
}

static void
directive(lexer *l)
{
  hd_control_place place = here(l);
  hd_string text = {0};
  const char *rest;
  advance(l);
  read_directive(l, &text);
  const char *words = text.text;
  bool opening = begins(words, "if", &rest), closing = begins(words, "endif", &rest);
  bool middle = begins(words, "else", &rest) || begins(words, "elif", &rest);
  switch (l->zone)
  {
  case BEFORE:
    if (opens(words))
    {
      l->zone = FRONT;
      l->opened = place;
    }
    break;
  case FRONT:
    if (opening)
      l->depth++;
    else if (closing && l->depth > 0)
      l->depth--;
    else if (closing)
      l->zone = AFTER;
    else if (middle && l->depth == 0)
    {
      l->zone = PART;
      l->out->found = true;
      if (!begins(words, "else", &rest))
        hd_control_error(l->m, place, "the controller part begins with #else, not with #elif");
    }
    else if (l->depth == 0)
      read_front_define(l, words, place);
    break;
  case PART:
    if (closing && l->depth == 0)
    {
      l->zone = AFTER;
      push(l, TOKEN_END, place, "", 0);
      break;
    }
    if (l->depth == 0 || !(closing || middle))
      hd_control_error(
          l->m, place,
          "the controller part has no preprocessor lines; move '#%s' before the #ifndef or after the #endif", words);
    l->depth += opening;
    l->depth -= closing;
    break;
  case AFTER:
    if (opens(words))
      hd_control_error(l->m, place, "a file holds one controller; put the second one into a file of its own");
    break;
  }
  hd_string_free(&text);
}

/* ---- tokens ---- */

static void
read_word(lexer *l)
{
  hd_control_place place = here(l);
  hd_string word = {0};
  for (char c; !ended(l) && ((c = peek(l)) == '_' || isalnum((unsigned char) c)); advance(l))
    hd_string_add_n(&word, &c, 1);
  const char *text = hd_control_copy(l->arena, word.text, word.length);
  hd_string_free(&word);
  if (!isdigit((unsigned char) text[0]))
  {
    push(l, TOKEN_NAME, place, text, 0);
    return;
  }
  int64_t value = 0;
  bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X') && text[2];
  for (const char *c = hex ? text + 2 : text; *c; c++)
  {
    if (hex ? !isxdigit((unsigned char) *c) : !isdigit((unsigned char) *c))
    {
      hd_control_error(l->m, place, "'%s' is no number here; allowed are whole numbers such as 12 or 0x1f", text);
      value = 0;
      break;
    }
    int digit = isdigit((unsigned char) *c) ? *c - '0' : tolower((unsigned char) *c) - 'a' + 10;
    value = value * (hex ? 16 : 10) + digit;
    if (value > INT32_MAX)
    {
      hd_control_error(l->m, place, "%s is too large for an int; the largest number is %d", text, INT32_MAX);
      value = 0;
      break;
    }
  }
  if (!hex && text[0] == '0' && text[1])
    hd_control_error(l->m, place, "%s has a zero in front, which makes it octal in C; leave the zero out", text);
  push(l, TOKEN_NUMBER, place, text, value);
}

static void
read_operator(lexer *l)
{
  /* The long ones first. What the grammar does not want is reported there, with what it does want. */
  static const char *const operators[]
      = {"<<=", ">>=", "==", "!=", "<=", ">=", "&&", "||", "++", "--", "+=", "-=", "*=", "/=", "%=",
         "&=",  "|=",  "^=", "<<", ">>", "->", "(",  ")",  ",",  ";",  "+",  "-",  "*",  "/",  "%",
         "&",   "|",   "^",  "~",  "!",  "<",  ">",  "=",  "?",  ":",  ".",  "[",  "]",  "{",  "}"};
  hd_control_place place = here(l);
  char text[4] = {peek(l), peek_second(l), 0, 0};
  if ((strcmp(text, "<<") == 0 || strcmp(text, ">>") == 0) && l->at + 2 < l->n && l->text[l->at + 2] == '=')
    text[2] = '=';
  for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
  {
    size_t n = strlen(operators[i]);
    if (strncmp(text, operators[i], n) != 0)
      continue;
    for (size_t k = 0; k < n; k++)
      advance(l);
    push(l, TOKEN_OPERATOR, place, operators[i], 0);
    return;
  }
  char c = peek(l);
  if (isprint((unsigned char) c))
    hd_control_error(l->m, place, "'%c' has no meaning in a controller", c);
  else
    hd_control_error(l->m, place, "the byte 0x%02x has no meaning in a controller", (unsigned char) c);
  /* One message for a run of such bytes: a character beyond ASCII has several. */
  do
    advance(l);
  while (!ended(l) && !isprint((unsigned char) peek(l)) && !isspace((unsigned char) peek(l)));
}

static void
part_token(lexer *l)
{
  char c = peek(l);
  hd_control_place place = here(l);
  if (c == '_' || isalnum((unsigned char) c))
    read_word(l);
  else if (skip_string(l))
    hd_control_error(l->m, place,
                     "a controller has no strings and no characters; allowed are int, bool and enum values");
  else
    read_operator(l);
}

void
hd_control_lex(hd_control_tokens *tokens, const char *text, size_t n, hd_arena *arena, hd_control_messages *m)
{
  lexer l = {.text = text, .n = n, .line = 1, .column = 1, .line_start = true, .out = tokens, .arena = arena, .m = m};
  *tokens = (hd_control_tokens){0};
  while (!ended(&l))
  {
    char c = peek(&l);
    if (isspace((unsigned char) c))
      advance(&l);
    else if (skip_comment(&l))
      ;
    else if (c == '#' && l.line_start)
      directive(&l);
    else
    {
      l.line_start = false;
      if (l.zone == PART)
        part_token(&l);
      else if (!skip_string(&l))
        advance(&l);
    }
  }
  if (l.zone == PART)
  {
    hd_control_error(m, here(&l), "the controller part has no #endif; its #ifndef is in line %u", l.opened.line);
    push(&l, TOKEN_END, here(&l), "", 0);
  }
  if (!tokens->found)
    hd_control_error(m, (hd_control_place){1, 1},
                     l.zone == BEFORE ? "this is no controller file: it has no '#ifndef HD_CONTROLLER_PASS'"
                                      : "there is no controller part: #else and the controller must follow #ifndef "
                                        "HD_CONTROLLER_PASS");
  else if (!tokens->name)
    hd_control_error(m, l.opened, "the controller has no name: write '#define HD_CONTROLLER name' after this line");
  if (!tokens->found)
    push(&l, TOKEN_END, (hd_control_place){1, 1}, "", 0);
}
