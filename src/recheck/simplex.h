/* simplex.h: whether linear forms can lie between bounds, over the rationals, exactly.
 *
 * The general simplex method for satisfiability: variables are the dimensions of the problem and, for each linear form
 * over them that has a bound, one more. Every variable may have a lower and an upper bound, both integers. A tableau
 * expresses some of them (basic) by the others, of which there are always as many as dimensions. Bounds come and go
 * with a trail; the tableau stays.
 *
 * Every bound has a reason: the set of the decisions that it depends on. What cannot be is answered with the union of
 * the reasons of the bounds that contradict each other, so that decisions without part in it are not tried again.
 *
 * Whenever OVERFLOW is set, numbers have become too large and no answer may be believed. */
#ifndef HD_RECHECK_SIMPLEX_H
#define HD_RECHECK_SIMPLEX_H

#include "control/control.h"
#include "recheck/rational.h"

enum
{
  SIMPLEX_DECISIONS = 512, /* at most, open at the same time */
  SIMPLEX_WORDS = SIMPLEX_DECISIONS / 64
};

typedef struct decisions
{
  uint64_t words[SIMPLEX_WORDS];
} decisions;

static inline void
decisions_unite(decisions *to, const decisions *from)
{
  for (int i = 0; i < SIMPLEX_WORDS; i++)
    to->words[i] |= from->words[i];
}

static inline bool
decisions_has(const decisions *d, size_t i)
{
  return d->words[i / 64] >> (i % 64) & 1;
}

static inline void
decisions_set(decisions *d, size_t i, bool on)
{
  uint64_t bit = 1ull << (i % 64);
  d->words[i / 64] = on ? d->words[i / 64] | bit : d->words[i / 64] & ~bit;
}

typedef struct bound
{
  bool given;
  int64_t value;
  decisions reason;
} bound;

enum
{
  LOWER,
  UPPER
};

typedef struct simplex_variable
{
  bound bounds[2];
  rational value;
  bool basic;
  size_t at;              /* its row or column; SIZE_MAX: the form has never had a bound, and has no row yet */
  hd_control_linear form; /* of a variable that stands for one; the constant is 0 */
} simplex_variable;

typedef struct simplex_undo
{
  size_t variable;
  int side;
  bound old;
} simplex_undo;

typedef struct simplex
{
  size_t ndimensions;
  simplex_variable *variables; /* the dimensions first */
  size_t n, cap;
  rational *cells; /* rows of NDIMENSIONS */
  size_t nrows, cells_cap;
  size_t *row_variable, row_cap; /* which is basic in a row */
  size_t *column_variable;
  size_t *table; /* of the forms: hash table of numbers + 1 */
  size_t table_size;
  simplex_undo *trail;
  size_t ntrail, trail_cap;
  uint64_t pivots;
  bool overflow;
} simplex;

void hd_simplex_init(simplex *s, size_t ndimensions);
void hd_simplex_free(simplex *s);

/* One inequality about one variable: variable >= VALUE or variable <= VALUE. */
typedef struct simplex_fact
{
  size_t variable;
  int side; /* LOWER: at least, UPPER: at most */
  int64_t value;
} simplex_fact;

/* What LINEAR >= 0 says, its factors divided by their common divisor and the bound rounded to an integer. The form gets
 * a variable if it has none. False: LINEAR has no terms. */
bool hd_simplex_fact_of(simplex *s, const hd_control_linear *linear, simplex_fact *fact);

/* Do the values that the last check found fulfil the fact? */
bool hd_simplex_true(simplex *s, simplex_fact fact);
/* Do the bounds of the variable exclude the fact? */
static inline bool
hd_simplex_excluded(const simplex *s, simplex_fact fact)
{
  const bound *b = &s->variables[fact.variable].bounds[!fact.side];
  return b->given && (fact.side == LOWER ? b->value < fact.value : b->value > fact.value);
}

/* Demand FACT because of REASON. False: another bound of this variable excludes it, and CONFLICT is why. */
bool hd_simplex_assert(simplex *s, simplex_fact fact, const decisions *reason, decisions *conflict);
/* Find values between all bounds. False: there are none (CONFLICT is why), or OVERFLOW. */
bool hd_simplex_check(simplex *s, decisions *conflict);
/* No integers fulfil one of the equations that the tableau and the fixed variables make, whatever the other bounds are.
 * CONFLICT is why. */
bool hd_simplex_indivisible(simplex *s, decisions *conflict);

/* An inequality that all integers within the bounds fulfil but the present values, of which some is no integer, do not,
 * and the reason of these bounds. False: none was found (cuts.c). */
bool hd_simplex_cut(simplex *s, simplex_fact *fact, decisions *reason);

static inline size_t
hd_simplex_mark(const simplex *s)
{
  return s->ntrail;
}
void hd_simplex_release(simplex *s, size_t mark);

#endif
