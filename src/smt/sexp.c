/* sexp.c: what solvers print: expressions in brackets, and values of a model in the words of a program. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "smt/smt.h"

enum
{
  MOST_DEPTH = 2000, /* brackets inside each other */
  MOST_BITS = 10000  /* of a vector that is shown bit by bit */
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

/* The number with these DIGITS of BASE (2 or 16) in decimal. */
static void
show_decimal(hd_string *out, const char *digits, unsigned base)
{
  size_t n = 2 * strlen(digits) + 1, first;
  uint8_t *decimal = hd_alloc_zero(n); /* the last digit last */
  for (; *digits; digits++)
  {
    unsigned carry = isdigit((unsigned char) *digits) ? (unsigned) (*digits - '0')
                                                      : (unsigned) (tolower((unsigned char) *digits) - 'a' + 10);
    for (size_t i = n; i-- > 0;)
    {
      carry += decimal[i] * base;
      decimal[i] = (uint8_t) (carry % 10);
      carry /= 10;
    }
  }
  for (first = 0; first + 1 < n && !decimal[first];)
    first++;
  for (; first < n; first++)
    hd_string_printf(out, "%u", decimal[first]);
  free(decimal);
}

/* #x0f, #b101, (_ bv5 8): a bit vector. */
static bool
show_bits(hd_string *out, const hd_smt_sexp *x)
{
  if (x->word && x->word[0] == '#' && (x->word[1] == 'x' || x->word[1] == 'b'))
  {
    bool hex = x->word[1] == 'x';
    if (strspn(x->word + 2, hex ? "0123456789abcdefABCDEF" : "01") != strlen(x->word + 2))
      return false;
    show_decimal(out, x->word + 2, hex ? 16 : 2);
    hd_string_printf(out, "bv%zu", strlen(x->word + 2) * (hex ? 4 : 1));
    return true;
  }
  if (!is_list(x, "_", 3) || !x->items[1].word || strncmp(x->items[1].word, "bv", 2) != 0 || !x->items[2].word)
    return false;
  hd_string_printf(out, "%sbv%s", x->items[1].word + 2, x->items[2].word);
  return true;
}

/* The N lowest bits of a number in decimal DIGITS. */
static void
add_binary(hd_string *out, const char *digits, size_t n)
{
  hd_string rest = {0};
  hd_string_add(&rest, digits);
  size_t first = out->length;
  for (size_t i = 0; i < n; i++)
    hd_string_add(out, "0");
  for (size_t i = n; i-- > 0;)
  {
    int carry = 0;
    for (char *p = rest.text; *p; p++)
    {
      int value = 10 * carry + (*p - '0');
      *p = (char) ('0' + value / 2);
      carry = value % 2;
    }
    out->text[first + i] = carry ? '1' : '0';
  }
  hd_string_free(&rest);
}

/* The bits of #x0f, #b101 or (_ bv5 8), or false. */
static bool
add_bits(hd_string *out, const hd_smt_sexp *x)
{
  if (is_list(x, "_", 3) && x->items[1].word && strncmp(x->items[1].word, "bv", 2) == 0 && x->items[2].word)
  {
    const char *digits = x->items[1].word + 2;
    unsigned long n = strtoul(x->items[2].word, NULL, 10);
    if (!*digits || strspn(digits, "0123456789") != strlen(digits) || n > MOST_BITS)
      return false;
    add_binary(out, digits, n);
    return n;
  }
  if (!x->word || x->word[0] != '#' || (x->word[1] != 'x' && x->word[1] != 'b'))
    return false;
  for (const char *p = x->word + 2; *p; p++)
    if (x->word[1] == 'b')
      hd_string_add_n(out, p, 1);
    else
      for (int i = 3; i >= 0; i--)
        hd_string_add(out, strtoul((char[]){*p, 0}, NULL, 16) >> i & 1 ? "1" : "0");
  return out->length;
}

/* SIGNIFICAND, times 2 to the power of EXPONENT if there is a point after its first bit, as 0x1.8e3: the power is
 * of 16.
 */
static void
show_hexadecimal(hd_string *out, const hd_string *significand, int64_t exponent)
{
  int64_t power = exponent >= 0 ? exponent / 4 : -((3 - exponent) / 4);
  size_t whole = (size_t) (exponent - 4 * power) + 1, last = significand->length;
  unsigned digit = 0;
  while (last > 0 && significand->text[last - 1] == '0')
    last--;
  hd_string_add(out, "0x");
  for (size_t i = 0; i < last || i < whole || (i - whole) % 4 || i == whole; i++)
  {
    digit = 2 * digit + (i < significand->length && significand->text[i] == '1');
    bool ends = i + 1 == whole || (i >= whole && (i - whole) % 4 == 3);
    if (ends)
    {
      hd_string_printf(out, i + 1 == whole ? "%x." : "%x", digit);
      digit = 0;
    }
  }
  hd_string_printf(out, "e%lld", (long long) power);
}

/* (fp #b0 #x7f #b000...), (_ NaN 8 24): a floating-point number. */
static bool
show_float(hd_string *out, const hd_smt_sexp *x)
{
  if (is_list(x, "_", 4) && x->items[1].word && x->items[2].word && x->items[3].word)
  {
    const char *name = x->items[1].word;
    if (strcmp(name, "+zero") == 0 || strcmp(name, "-zero") == 0)
      hd_string_printf(out, "%s0x0.0e0f%se%s", *name == '-' ? "-" : "", x->items[3].word, x->items[2].word);
    else
      hd_string_printf(out, "0%s%se%s", name, x->items[3].word, x->items[2].word);
    return true;
  }
  hd_string sign = {0}, exponent = {0}, bits = {0};
  bool good = is_list(x, "fp", 4) && add_bits(&sign, &x->items[1]) && add_bits(&exponent, &x->items[2])
              && exponent.length < 62;
  int64_t power = good ? strtoll(exponent.text, NULL, 2) : 0;
  hd_string_add(&bits, power ? "1" : "0");
  good = good && add_bits(&bits, &x->items[3]);
  if (good)
  {
    power = (power ? power : 1) - (((int64_t) 1 << (exponent.length - 1)) - 1);
    hd_string_add(out, sign.text[0] == '1' ? "-" : "");
    show_hexadecimal(out, &bits, strchr(bits.text, '1') ? power : 0);
    hd_string_printf(out, "f%zue%zu", bits.length, exponent.length);
  }
  hd_string_free(&sign);
  hd_string_free(&exponent);
  hd_string_free(&bits);
  return good;
}

static void
show(hd_string *out, const hd_smt_sexp *x, size_t limit)
{
  const hd_smt_sexp *rest;
  if (out->length > limit)
    return;
  if (show_bits(out, x) || show_float(out, x))
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
