/* certificate_sets.c: linear expressions, comparisons and conjunctions in a line of a certificate
 * (certificate_reader.h). */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "control/certificate_reader.h"

/* Add SIGN * a term to the sums. */
static bool
read_term(hd_certificate_reader *r, int sign)
{
  const char *word;
  size_t n, dimension = SIZE_MAX, start = (hd_certificate_skip_blanks(r), r->at);
  uint64_t factor = 1;
  int64_t number = 1;
  bool is_number = r->at < r->end && isdigit((unsigned char) r->text[r->at]), named = true;
  if (is_number)
  {
    if (!hd_certificate_read_number(r, INT64_MAX / 4, &factor))
      return false;
    named = hd_certificate_eat(r, "*");
  }
  if (named)
  {
    start = (hd_certificate_skip_blanks(r), r->at);
    if (!hd_certificate_read_word(r, &word, &n) || isdigit((unsigned char) word[0]))
    {
      hd_certificate_fail(r, start, "a number, a name or count(state) should stand here");
      return false;
    }
    if (hd_certificate_is(word, n, "count") && hd_certificate_eat(r, "("))
    {
      uint32_t state;
      if (!hd_certificate_read_state(r, &state))
        return false;
      if (!hd_certificate_eat(r, ")"))
      {
        hd_certificate_fail(r, r->at, "a ) should stand here");
        return false;
      }
      dimension = hd_control_counter_dimension(r->c, state);
    }
    else if (!hd_certificate_find_name(r, word, n, &dimension, &number))
    {
      hd_certificate_fail(r, start, "'%.*s' is no constant, variable or value of '%s'%s", (int) (n < 60 ? n : 60), word,
                          r->c->name, r->spec && r->spec->nrigid ? ", and no rigid variable of this property" : "");
      return false;
    }
  }
  __int128 *sum = &r->sums[dimension == SIZE_MAX ? hd_control_dimensions(r->c) : dimension];
  *sum += sign * (__int128) factor * (dimension == SIZE_MAX ? number : 1);
  if (*sum > INT64_MAX / 4 || *sum < -(INT64_MAX / 4))
  {
    hd_certificate_fail(r, start, "the numbers here become too large");
    return false;
  }
  return true;
}

/* Add SIGN * a sum of terms to the sums. */
bool
hd_certificate_read_sum(hd_certificate_reader *r, int sign)
{
  int one = hd_certificate_eat(r, "-") ? -1 : 1;
  if (!read_term(r, one * sign))
    return false;
  for (;;)
  {
    if (hd_certificate_eat(r, "+"))
      one = 1;
    else if (hd_certificate_eat(r, "-"))
      one = -1;
    else
      return true;
    if (!read_term(r, one * sign))
      return false;
  }
}

void
hd_certificate_clear_sums(hd_certificate_reader *r)
{
  memset(r->sums, 0, (hd_control_dimensions(r->c) + 1) * sizeof *r->sums);
}

hd_control_linear
hd_certificate_take_sums(hd_certificate_reader *r)
{
  size_t n = 0, dimensions = hd_control_dimensions(r->c);
  for (size_t d = 0; d < dimensions; d++)
    n += r->sums[d] != 0;
  hd_control_term *terms = hd_arena_alloc(r->arena, (n + 1) * sizeof *terms);
  hd_control_linear l = {.constant = (int64_t) r->sums[dimensions], .terms = terms};
  for (size_t d = 0; d < dimensions; d++)
    if (r->sums[d] != 0)
      terms[l.n++] = (hd_control_term){(uint32_t) d, (int64_t) r->sums[d]};
  return l;
}

/* "nR - count(reading) >= 2" */
static bool
read_atom(hd_certificate_reader *r, hd_control_atom *atom)
{
  static const struct
  {
    const char *text;
    hd_control_relation relation;
    int sign, constant; /* sign * (left - right) + constant */
  } relations[] = {{"==", HD_CONTROL_ZERO, 1, 0},
                   {">=", HD_CONTROL_NOT_NEGATIVE, 1, 0},
                   {"<=", HD_CONTROL_NOT_NEGATIVE, -1, 0},
                   {">", HD_CONTROL_NOT_NEGATIVE, 1, -1},
                   {"<", HD_CONTROL_NOT_NEGATIVE, -1, -1}};
  hd_certificate_clear_sums(r);
  if (!hd_certificate_read_sum(r, 1))
    return false;
  for (size_t i = 0; i < sizeof relations / sizeof *relations; i++)
    if (hd_certificate_eat(r, relations[i].text))
    {
      if (!hd_certificate_read_sum(r, -1))
        return false;
      size_t dimensions = hd_control_dimensions(r->c);
      for (size_t d = 0; d <= dimensions; d++)
        r->sums[d] *= relations[i].sign;
      r->sums[dimensions] += relations[i].constant;
      *atom = (hd_control_atom){relations[i].relation, hd_certificate_take_sums(r)};
      return true;
    }
  hd_certificate_fail(r, r->at, "a comparison (==, >=, <=, >, <) should stand here");
  return false;
}

/* What comes after |. */
void
hd_certificate_read_conjunction(hd_certificate_reader *r)
{
  hd_control_atom *atoms = NULL;
  size_t n = 0, cap = 0, start = r->at - 1, begin;
  bool good = true;
  begin = (hd_certificate_skip_blanks(r), r->at);
  if (!r->target)
    hd_certificate_fail(r, start, "nothing that has states stands above this line: invariant, without, node or stage");
  else if (hd_certificate_eat(r, "true") && hd_certificate_line_over(r))
    ;
  else
  {
    r->at = begin;
    do
    {
      hd_control_atom atom;
      good = read_atom(r, &atom);
      if (good)
        HD_PUSH(atoms, n, cap, atom);
    } while (good && hd_certificate_eat(r, "&&"));
    if (good && !hd_certificate_line_over(r))
      hd_certificate_fail(r, r->at, "the line should end here, or go on with &&");
  }
  if (!r->broken)
  {
    hd_control_atom *kept = hd_arena_alloc(r->arena, (n + 1) * sizeof *kept);
    if (n)
      memcpy(kept, atoms, n * sizeof *kept);
    hd_control_conjunction k = {n, kept};
    HD_PUSH(r->conjunctions.items, r->conjunctions.n, r->conjunctions.cap, k);
  }
  free(atoms);
}
