/* lexer.c: a program's text as tokens.
 *
 * Columns count bytes from 1. A line that begins with # is a directive to the lexer, also inside comments and strings,
 * as in the reference: `#line n [file]` says where the next line comes from, anything else is an error. */
#include <stdlib.h>
#include <string.h>

#include "boogie/front.h"

enum
{
  END = -1
};

#define TOKEN_TEXT(name, text) text,
static const char *const names[] = {HD_BOOGIE_TOKENS(TOKEN_TEXT)};
#undef TOKEN_TEXT

typedef struct word
{
  const char *quoted;
  hd_boogie_token_kind kind;
} word;

#define TOKEN_WORD(name, text) {text, HD_BOOGIE_T_##name},
static const word keywords[] = {HD_BOOGIE_KEYWORDS(TOKEN_WORD)};
static const word signs[] = {HD_BOOGIE_SIGNS(TOKEN_WORD)};
#undef TOKEN_WORD

/* The same signs as single characters of Unicode. */
static const word unicode_signs[] = {
    {"\u21d4", HD_BOOGIE_T_EQUIV},  {"\u21d2", HD_BOOGIE_T_IMPLIES}, {"\u21d0", HD_BOOGIE_T_EXPLIES},
    {"\u2227", HD_BOOGIE_T_AND},    {"\u2228", HD_BOOGIE_T_OR},      {"\u2260", HD_BOOGIE_T_NEQ},
    {"\u2264", HD_BOOGIE_T_LE},     {"\u2265", HD_BOOGIE_T_GE},      {"\u00ac", HD_BOOGIE_T_NOT},
    {"\u2200", HD_BOOGIE_T_FORALL}, {"\u2203", HD_BOOGIE_T_EXISTS},  {"\u03bb", HD_BOOGIE_T_LAMBDA},
    {"\u2022", HD_BOOGIE_T_QSEP},
};

const char *
hd_boogie_token_name(hd_boogie_token_kind kind)
{
  return names[kind];
}

void
hd_boogie_lexer_start(hd_boogie_lexer *l, hd_boogie_program *p, hd_boogie_messages *m, const char *file,
                      const char *text, size_t length)
{
  *l = (hd_boogie_lexer){
      .text = text, .end = text + length, .next = text, .program = p, .messages = m, .file = file, .line = 1};
}

/* The rest of a line after its #, at S. */
static void
directive(hd_boogie_lexer *l, const char *s, size_t n)
{
  hd_boogie_place at = {.file = l->file, .line = l->line - 1, .column = 0};
  while (n && (s[n - 1] == ' ' || s[n - 1] == '\t'))
    n--;
  bool is_line = n >= 4 && !memcmp(s, "line", 4) && (n == 4 || s[4] == ' ');
  if (is_line)
  {
    size_t i = 4, start;
    while (i < n && s[i] == ' ')
      i++;
    bool negative = i < n && s[i] == '-';
    start = i += negative;
    uint64_t number = 0;
    while (i < n && s[i] >= '0' && s[i] <= '9' && number < 1000000000)
      number = number * 10 + (uint64_t) (s[i++] - '0');
    if (i > start && (i == n || s[i] == ' '))
    {
      while (i < n && s[i] == ' ')
        i++;
      l->line = negative ? 0 : (uint32_t) number; /* nothing can be before the first line */
      if (i < n)
        l->file = hd_boogie_copy_text(l->program, s + i, n - i);
      return;
    }
  }
  hd_boogie_message_add(l->messages, HD_BOOGIE_PHASE_PARSE, true, at, "%s: #%.*s",
                        is_line ? "Malformed (#line num [filename]) pragma" : "Unrecognized pragma",
                        (int) (n < 200 ? n : 200), s);
}

/* The byte at NEXT, after directives; it stays there. */
static int
peek(hd_boogie_lexer *l)
{
  while (l->next < l->end && *l->next == '#' && l->column == 0)
  {
    const char *s = l->next + 1, *stop = memchr(s, '\n', (size_t) (l->end - s));
    if (!stop)
      stop = l->end;
    l->next = stop < l->end ? stop + 1 : stop;
    l->line++;
    directive(l, s, (size_t) (stop - s));
  }
  return l->next < l->end ? (unsigned char) *l->next : END;
}

static void
skip(hd_boogie_lexer *l)
{
  if (*l->next++ == '\n')
  {
    l->line++;
    l->column = 0;
  }
  else
    l->column++;
}

/* After the opening slash and star. */
static void
skip_block_comment(hd_boogie_lexer *l, hd_boogie_place at)
{
  unsigned level = 1;
  while (peek(l) != END)
  {
    char c = *l->next;
    skip(l);
    int d = peek(l);
    if (c == '*' && d == '/')
    {
      skip(l);
      if (!--level)
        return;
    }
    else if (c == '/' && d == '*')
    {
      skip(l);
      level++;
    }
  }
  hd_boogie_message_add(l->messages, HD_BOOGIE_PHASE_PARSE, true, at, "this comment has no end");
}

static void
skip_space(hd_boogie_lexer *l)
{
  for (;;)
  {
    int c = peek(l);
    if (c == ' ' || c == '\t' || c == '\n')
      skip(l);
    else if (c == '/' && l->next + 1 < l->end && l->next[1] == '/')
    {
      while ((c = peek(l)) != END && c != '\n')
        skip(l);
    }
    else if (c == '/' && l->next + 1 < l->end && l->next[1] == '*')
    {
      hd_boogie_place at = {.file = l->file, .line = l->line, .column = l->column + 1};
      skip(l);
      skip(l);
      skip_block_comment(l, at);
    }
    else
      return;
  }
}

static bool
ident_start(int c)
{
  return (c >= 'A' && c <= 'Z') || (c >= '^' && c <= 'z') || c == '#' || c == '$' || c == '\'' || c == '.' || c == '?'
         || c == '~';
}

static bool
digit(int c)
{
  return c >= '0' && c <= '9';
}

static bool
hex(int c)
{
  return digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* How many bytes from S on fit. */
static size_t
run(const hd_boogie_lexer *l, const char *s, bool (*fits)(int))
{
  size_t n = 0;
  while (s + n < l->end && fits((unsigned char) s[n]))
    n++;
  return n;
}

static bool
at(const hd_boogie_lexer *l, const char *s, const char *word)
{
  size_t n = strlen(word);
  return (size_t) (l->end - s) >= n && !memcmp(s, word, n);
}

/* digits e digits: the sizes that end a special floating-point literal. Returns the end or null. */
static const char *
float_sizes(const hd_boogie_lexer *l, const char *s)
{
  size_t n = run(l, s, digit);
  if (!n || !at(l, s + n, "e"))
    return NULL;
  s += n + 1;
  n = run(l, s, digit);
  return n ? s + n : NULL;
}

/* The end of a floating-point literal at S, or null. Hexadecimal digits may be e and f, too: the longest reading
 * counts. */
static const char *
float_literal(const hd_boogie_lexer *l, const char *s)
{
  static const char *const special[] = {"0NaN", "0nan", "0+oo", "0-oo"};
  for (size_t i = 0; i < sizeof special / sizeof *special; i++)
    if (at(l, s, special[i]))
      return float_sizes(l, s + 4);
  if (at(l, s, "-"))
    s++;
  if (!at(l, s, "0x"))
    return NULL;
  s += 2;
  size_t n = run(l, s, hex);
  if (!n || !at(l, s + n, "."))
    return NULL;
  s += n + 1;
  size_t fraction = run(l, s, hex);
  for (size_t i = fraction; i >= 1; i--)
  {
    const char *e = s + i;
    if (e >= l->end || *e != 'e')
      continue;
    e++;
    if (at(l, e, "-"))
      e++;
    size_t digits = run(l, e, digit);
    if (digits && at(l, e + digits, "f"))
    {
      const char *stop = float_sizes(l, e + digits + 1);
      if (stop)
        return stop;
    }
  }
  return NULL;
}

/* A number at S: its kind, and its end in *STOP. */
static hd_boogie_token_kind
number(const hd_boogie_lexer *l, const char *s, const char **stop)
{
  size_t n = run(l, s, digit);
  const char *e = s + n, *f = float_literal(l, s);
  hd_boogie_token_kind kind = HD_BOOGIE_T_DIGITS;
  *stop = e;
  if (at(l, e, "bv") && run(l, e + 2, digit))
  {
    kind = HD_BOOGIE_T_BVLIT;
    *stop = e + 2 + run(l, e + 2, digit);
  }
  else
  {
    const char *x = e;
    if (at(l, e, ".") && run(l, e + 1, digit))
    {
      kind = HD_BOOGIE_T_DEC_FLOAT;
      x = e + 1 + run(l, e + 1, digit);
      *stop = x;
    }
    if (at(l, x, "e"))
    {
      const char *y = x + 1 + (at(l, x + 1, "-") ? 1 : 0);
      size_t m = run(l, y, digit);
      if (m)
      {
        if (kind == HD_BOOGIE_T_DIGITS)
          kind = HD_BOOGIE_T_DECIMAL;
        *stop = y + m;
      }
    }
  }
  if (f && f > *stop)
  {
    *stop = f;
    kind = HD_BOOGIE_T_FLOAT;
  }
  return kind;
}

/* The end of a string literal whose opening quote is at S, or null. \" is inside; a backslash alone is nothing special.
 */
static const char *
string_end(const hd_boogie_lexer *l, const char *s)
{
  const char *found = NULL;
  for (s++; s < l->end && *s != '\n'; s++)
  {
    if (*s == '\\' && s + 1 < l->end && s[1] == '"')
    {
      s++;
      found = s + 1; /* it may also be the end, if no quote follows */
    }
    else if (*s == '"')
      return s + 1;
  }
  return found;
}

static bool
ident_part(int c)
{
  return ident_start(c) || digit(c);
}

static hd_boogie_token_kind
keyword(const char *s, size_t n)
{
  for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
    if (keywords[i].quoted[1] == *s && strlen(keywords[i].quoted) == n + 2 && !memcmp(keywords[i].quoted + 1, s, n))
      return keywords[i].kind;
  return HD_BOOGIE_T_IDENT;
}

/* A sign at S: its kind, and its end in *STOP. */
static hd_boogie_token_kind
sign(const hd_boogie_lexer *l, const char *s, const char **stop)
{
  for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
  {
    size_t n = strlen(signs[i].quoted) - 2;
    if ((size_t) (l->end - s) >= n && !memcmp(signs[i].quoted + 1, s, n))
    {
      *stop = s + n;
      return signs[i].kind;
    }
  }
  for (size_t i = 0; i < sizeof unicode_signs / sizeof *unicode_signs; i++)
    if (at(l, s, unicode_signs[i].quoted))
    {
      *stop = s + strlen(unicode_signs[i].quoted);
      return unicode_signs[i].kind;
    }
  *stop = s + 1;
  return HD_BOOGIE_T_NONE;
}

hd_boogie_token
hd_boogie_lexer_next(hd_boogie_lexer *l)
{
  skip_space(l);
  hd_boogie_token t
      = {.at = {.file = l->file, .line = l->line, .column = l->column + 1}, .text = l->next, .kind = HD_BOOGIE_T_EOF};
  int c = peek(l);
  if (c == END)
    return t;
  const char *s = l->next, *stop = NULL;
  if (ident_start(c) || (c == '\\' && s + 1 < l->end && ident_start((unsigned char) s[1])))
  {
    stop = s + 1 + run(l, s + 1, ident_part);
    t.kind = keyword(s, (size_t) (stop - s));
  }
  else if (digit(c))
    t.kind = number(l, s, &stop);
  else if (c == '-' && (stop = float_literal(l, s)))
    t.kind = HD_BOOGIE_T_FLOAT;
  else if (c == '"' && (stop = string_end(l, s)))
    t.kind = HD_BOOGIE_T_STRING;
  else
    t.kind = sign(l, s, &stop);
  t.length = (uint32_t) (stop - s);
  l->next = stop;
  l->column += t.length;
  return t;
}
