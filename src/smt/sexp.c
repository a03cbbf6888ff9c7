/* sexp.c: what solvers print: expressions in brackets, and values of a model in the words of a program. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "smt/smt.h"

enum
{
  MOST_DEPTH = 2000 /* brackets inside each other */
};

static const char *
skip(const char *s)
{
  for (;;)
  {
    while (isspace((unsigned char) *s))
      s++;
    if (*s != ';')
      return s;
    s += strcspn(s, "\n");
  }
}

static bool parse(hd_arena *arena, const char **text, hd_smt_sexp *x, unsigned depth);

static bool
parse_list(hd_arena *arena, const char **text, hd_smt_sexp *x, unsigned depth)
{
  hd_smt_sexp *items = NULL;
  size_t n = 0, cap = 0;
  bool good = depth < MOST_DEPTH;
  for (*text = skip(*text + 1); good && **text != ')'; *text = skip(*text))
  {
    hd_smt_sexp item;
    good = **text && parse(arena, text, &item, depth + 1);
    if (good)
      HD_PUSH(items, n, cap, item);
  }
  if (good)
  {
    ++*text;
    *x = (hd_smt_sexp){.n = n,
                       .items = memcpy(hd_arena_alloc(arena, n * sizeof *items + 1), n ? items : x, n * sizeof *items)};
  }
  free(items);
  return good;
}

static bool
parse(hd_arena *arena, const char **text, hd_smt_sexp *x, unsigned depth)
{
  const char *s = *text = skip(*text);
  if (*s == '(')
    return parse_list(arena, text, x, depth);
  size_t n;
  bool quoted = *s == '|' || *s == '"';
  if (quoted)
  {
    const char *end = strchr(s + 1, *s);
    if (!end)
      return false;
    s++;
    n = (size_t) (end - s);
    *text = end + 1;
  }
  else
  {
    n = strcspn(s, "() \t\r\n;|\"");
    *text = s + n;
    if (!n)
      return false;
  }
  char *word = hd_arena_alloc(arena, n + 1);
  memcpy(word, s, n);
  word[n] = 0;
  *x = (hd_smt_sexp){.word = word};
  return true;
}

const hd_smt_sexp *
hd_smt_parse(hd_arena *arena, const char **text)
{
  hd_smt_sexp *x = hd_arena_alloc(arena, sizeof *x);
  return parse(arena, text, x, 0) ? x : NULL;
}

static bool
is_list(const hd_smt_sexp *x, const char *head, size_t n)
{
  return !x->word && x->n == n && n && x->items[0].word && strcmp(x->items[0].word, head) == 0;
}

/* ((as const S) value) */
static const hd_smt_sexp *
constant_array(const hd_smt_sexp *x)
{
  if (x->word || x->n != 2 || !is_list(&x->items[0], "as", 3))
    return NULL;
  const hd_smt_sexp *what = &x->items[0].items[1];
  return what->word && strcmp(what->word, "const") == 0 ? &x->items[1] : NULL;
}

/* Elements of a declared sort are called T!val!3 by z3 and @T_3 or (as @T_3 T) by cvc5. */
static void
show_word(hd_string *out, const char *word)
{
  const char *mark = strstr(word, "!val!");
  if (mark)
    hd_string_printf(out, "%.*s#%s", (int) (mark - word), word, mark + 5);
  else
    hd_string_add(out, word);
}

static void
show(hd_string *out, const hd_smt_sexp *x, size_t limit)
{
  const hd_smt_sexp *rest;
  if (out->length > limit)
    return;
  if (x->word)
    show_word(out, x->word);
  else if (is_list(x, "-", 2))
  {
    hd_string_add(out, "-");
    show(out, &x->items[1], limit);
  }
  else if (is_list(x, "as", 3))
    show(out, &x->items[1], limit);
  else if (is_list(x, "/", 3))
  {
    show(out, &x->items[1], limit);
    hd_string_add(out, "/");
    show(out, &x->items[2], limit);
  }
  else if (is_list(x, "store", 4) || constant_array(x))
  {
    hd_string_add(out, "[");
    for (; is_list(x, "store", 4); x = &x->items[1])
    {
      show(out, &x->items[2], limit);
      hd_string_add(out, " := ");
      show(out, &x->items[3], limit);
      hd_string_add(out, ", ");
    }
    if ((rest = constant_array(x)))
    {
      hd_string_add(out, "else ");
      show(out, rest, limit);
    }
    else
      hd_string_add(out, "else ...");
    hd_string_add(out, "]");
  }
  else if (x->n && x->items[0].word && strcmp(x->items[0].word, "lambda") != 0 && strcmp(x->items[0].word, "_") != 0
           && strcmp(x->items[0].word, "let") != 0)
  {
    /* A datatype's value. */
    show_word(out, x->items[0].word);
    hd_string_add(out, "(");
    for (size_t i = 1; i < x->n; i++)
    {
      hd_string_add(out, i > 1 ? ", " : "");
      show(out, &x->items[i], limit);
    }
    hd_string_add(out, ")");
  }
  else
    hd_string_add(out, "[...]");
}

void
hd_smt_show_value(hd_string *out, const hd_smt_sexp *x, size_t max)
{
  size_t limit = out->length + max;
  show(out, x, limit);
  if (out->length > limit)
  {
    out->length = limit;
    out->text[limit] = 0;
    hd_string_add(out, "...");
  }
}
