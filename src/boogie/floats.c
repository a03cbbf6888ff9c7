/* floats.c: what a literal of a floating-point number means: [-]0x1.8e3f24e8 is the hexadecimal number 1.8, times 16 to
 * the power of 3, with 24 bits of significand (the hidden one included) and 8 of exponent. Numbers that these bits
 * cannot hold exactly are errors, with the reference's words. 0NaN24e8, 0+oo24e8 and 0-oo24e8 are the special ones. */
#include <stdlib.h>
#include <string.h>

#include "boogie/boogie.h"

enum
{
  MOST_EXPONENT = 60,        /* bits */
  MOST_SIGNIFICAND = 1 << 16 /* bits */
};

/* The number at S, if it is small. */
static bool
number(const char *s, int64_t *n)
{
  char *end;
  if (strspn(s, "-0123456789") > 17)
    return false;
  *n = strtoll(s, &end, 10);
  return end != s;
}

static void
add_bits(hd_string *out, uint64_t value, int64_t n)
{
  for (int64_t i = n; i-- > 0;)
    hd_string_add(out, value >> i & 1 ? "1" : "0");
}

/* The bits of the hexadecimal digits from S to END; *POINT: how many are before the point. */
static void
binary_digits(const char *s, const char *end, hd_string *bits, int64_t *point)
{
  *point = 0;
  for (; s < end; s++)
    if (*s == '.')
      *point = (int64_t) bits->length;
    else
      add_bits(bits, (uint64_t) strtoul((char[]){*s, 0}, NULL, 16), 4);
}

static const char *
finite_value(const char *text, int64_t width, int64_t exponent_width, hd_string *out)
{
  static const char too_large[] = "The given exponent cannot fit in the bit size";
  const char *digits = strchr(text, 'x') + 1, *f = strrchr(text, 'f'), *e = f;
  while (*e != 'e')
    e--;
  hd_string bits = {0};
  int64_t exponent, point, bias = ((int64_t) 1 << (exponent_width - 1)) - 1;
  if (!number(e + 1, &exponent))
    return too_large;
  binary_digits(digits, e, &bits, &point);
  size_t first = strcspn(bits.text, "1"), zeros = 0;
  const char *error = NULL;
  hd_string_printf(out, "(fp #b%c #b", *text == '-' ? '1' : '0');
  if (!bits.text[first])
  {
    add_bits(out, 0, exponent_width);
    hd_string_add(out, " #b");
    add_bits(out, 0, width - 1);
  }
  else
  {
    size_t last = (size_t) (strrchr(bits.text, '1') - bits.text), n = last - first + 1;
    exponent = 4 * exponent + bias + point - (int64_t) first - 1;
    if (exponent > 0)
    {
      first++; /* the hidden bit */
      n--;
    }
    else if (-exponent <= width - 1 - (int64_t) n)
    {
      zeros = (size_t) -exponent;
      exponent = 0;
    }
    if (exponent < 0 || exponent >= 2 * bias + 1)
      error = too_large;
    else if ((int64_t) (zeros + n) > width - 1)
      error = "The given significand cannot fit in the bit size";
    else
    {
      add_bits(out, (uint64_t) exponent, exponent_width);
      hd_string_add(out, " #b");
      add_bits(out, 0, (int64_t) zeros);
      hd_string_add_n(out, bits.text + first, n);
      add_bits(out, 0, width - 1 - (int64_t) (zeros + n));
    }
  }
  hd_string_add(out, ")");
  hd_string_free(&bits);
  return error;
}

bool
hd_boogie_float_value(const char *text, hd_string *out)
{
  const char *e = strrchr(text, 'e'), *f = strrchr(text, 'f');
  int64_t width, exponent;
  const char *error = NULL;
  hd_string value = {0};
  if (!number(e + 1, &exponent) || exponent > MOST_EXPONENT)
    error = "Exponents of more than 60 bits are not supported";
  else if (exponent <= 1)
    error = "Exponent size must be greater than 1";
  else if (!number(f ? f + 1 : text + 4, &width) || width > MOST_SIGNIFICAND)
    error = "Significands of more than 65536 bits are not supported";
  else if (width <= 1)
    error = "Significand size must be greater than 1";
  if (error)
  {
    hd_string_add(out, error);
    return false;
  }
  if (!f)
  {
    bool nan = text[1] == 'N' || text[1] == 'n';
    hd_string_printf(out, "(_ %.3s %d %d)", nan ? "NaN" : text + 1, (int) exponent, (int) width);
    return true;
  }
  error = finite_value(text, width, exponent, &value);
  if (error)
    hd_string_printf(out, "%s %d", error, (int) (strstr(error, "exponent") ? exponent : width - 1));
  else
    hd_string_add(out, value.text);
  hd_string_free(&value);
  return !error;
}
