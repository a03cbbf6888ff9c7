/* rational.h: exact fractions. What no longer fits sets a flag and has no meaning: whoever computes looks at the flag
 * before believing anything. */
#ifndef HD_RECHECK_RATIONAL_H
#define HD_RECHECK_RATIONAL_H

#include <stdbool.h>
#include <stdint.h>

/* n / d in lowest terms, d > 0; both fit twice over, so that negation never fails. */
typedef struct rational
{
  int64_t n, d;
} rational;

static inline unsigned __int128
wide_gcd(unsigned __int128 a, unsigned __int128 b)
{
  while (b)
  {
    if (!(a >> 64) && !(b >> 64))
    {
      uint64_t x = (uint64_t) a, y = (uint64_t) b;
      while (y)
      {
        uint64_t r = x % y;
        x = y;
        y = r;
      }
      return x;
    }
    unsigned __int128 r = a % b;
    a = b;
    b = r;
  }
  return a;
}

static inline bool
rational_fits(__int128 x)
{
  return x <= INT64_MAX / 2 && x >= -(INT64_MAX / 2);
}

static inline rational
rational_make(__int128 n, __int128 d, bool *overflow)
{
  if (d != 1)
  {
    __int128 g = (__int128) wide_gcd((unsigned __int128) (n < 0 ? -n : n), (unsigned __int128) (d < 0 ? -d : d));
    g = d < 0 ? -g : g;
    n /= g;
    d /= g;
  }
  if (!rational_fits(n) || !rational_fits(d))
  {
    *overflow = true;
    return (rational){0, 1};
  }
  return (rational){(int64_t) n, (int64_t) d};
}

static inline rational
rational_of(int64_t n)
{
  return (rational){n, 1};
}

static inline rational
rational_negative(rational a)
{
  return (rational){-a.n, a.d};
}

static inline rational
rational_add(rational a, rational b, bool *overflow)
{
  if (a.d == b.d)
    return rational_make((__int128) a.n + b.n, a.d, overflow);
  return rational_make((__int128) a.n * b.d + (__int128) b.n * a.d, (__int128) a.d * b.d, overflow);
}

static inline rational
rational_times(rational a, rational b, bool *overflow)
{
  return rational_make((__int128) a.n * b.n, (__int128) a.d * b.d, overflow);
}

/* B is not 0. */
static inline rational
rational_divide(rational a, rational b, bool *overflow)
{
  return rational_make((__int128) a.n * b.d, (__int128) a.d * b.n, overflow);
}

/* Below 0: A < K; 0: equal; above 0: A > K. */
static inline int
rational_compare(rational a, int64_t k)
{
  __int128 left = a.n, right = (__int128) k * a.d;
  return (left > right) - (left < right);
}

static inline int64_t
rational_floor(rational a)
{
  return a.n / a.d - (a.n % a.d < 0);
}

#endif
