/* backward.c: backward search by a worklist of convex sets.
 *
 * One convex set at a time is taken back over one step, cut with INSIDE, dropped if what was found already covers it,
 * and reduced to what INSIDE does not say by itself. Sets of sets are never subtracted or joined, which is what is
 * expensive. The list is worked off in the order of its making, so it is sorted by the distance to BAD.
 *
 * A set is covered by one that was found before, hardly ever by several together. A point of the new set shows at once
 * which sets cannot cover it: the ones that the point is not in. */
#include <stdlib.h>
#include <string.h>

#include "symbolic/backward.h"

#include <isl/point.h>

typedef struct parts
{
  isl_basic_set **items;
  size_t n, cap;
} parts;

static isl_stat
add_part(__isl_take isl_basic_set *b, void *context)
{
  parts *x = context;
  HD_PUSH(x->items, x->n, x->cap, b);
  return isl_stat_ok;
}

/* 1: the union of the pieces that contain POINT covers FULL; 0: it does not; -1: unknown. */
static int
covered(hd_symbolic_search *x, __isl_keep isl_basic_set *full)
{
  isl_set *several = NULL;
  size_t candidates = 0;
  for (size_t i = 0; i < x->n; i++)
  {
    hd_control_set one = {1, &x->pieces[i].rows};
    if (!hd_control_contains(&one, x->point))
      continue;
    isl_bool inside = isl_basic_set_is_subset(full, x->pieces[i].gist);
    if (inside != isl_bool_false)
    {
      isl_set_free(several);
      return inside == isl_bool_true ? 1 : -1;
    }
    candidates++;
  }
  if (candidates == 0)
    return 0;
  several = hd_symbolic_nothing(x->s);
  for (size_t i = 0; i < x->n; i++)
    if (isl_basic_set_is_disjoint(full, x->pieces[i].gist) == isl_bool_false)
      several = isl_set_union(several, isl_set_from_basic_set(isl_basic_set_copy(x->pieces[i].gist)));
  isl_set *whole = isl_set_from_basic_set(isl_basic_set_copy(full));
  isl_bool inside = isl_set_is_subset(whole, several);
  isl_set_free(whole);
  isl_set_free(several);
  return inside == isl_bool_error ? -1 : inside == isl_bool_true;
}

/* Add FULL to the list unless it is empty, known to be unreachable, or covered. */
static void
add_piece(hd_symbolic_search *x, __isl_take isl_basic_set *full)
{
  hd_symbolic_system *s = x->s;
  isl_set *whole = isl_set_from_basic_set(isl_basic_set_copy(full));
  int any = hd_symbolic_sample(s, isl_set_copy(whole), x->point);
  if (any == 1 && isl_set_is_subset(whole, s->excluded) == isl_bool_false && covered(x, full) == 0)
  {
    hd_symbolic_piece piece = {.full = full};
    hd_control_set rows;
    isl_set *context = isl_set_copy(s->inside);
    piece.gist = isl_basic_set_gist(isl_basic_set_copy(full), isl_set_simple_hull(context));
    isl_set *gist = isl_set_from_basic_set(isl_basic_set_copy(piece.gist));
    if (hd_symbolic_to_set(s, gist, s->arena, &rows) && rows.n == 1)
      piece.rows = rows.conjunctions[0];
    else if (!hd_symbolic_over(s))
      s->failed = "a set of the search is too large to be written";
    isl_set_free(gist);
    full = NULL;
    HD_PUSH(x->pieces, x->n, x->cap, piece);
  }
  isl_basic_set_free(full);
  isl_set_free(whole);
}

/* Add every part of SET. */
static void
add_all(hd_symbolic_search *x, __isl_take isl_set *set)
{
  parts p = {0};
  if (set)
    isl_set_foreach_basic_set(set, add_part, &p);
  else if (!hd_symbolic_over(x->s))
    x->s->failed = "the arithmetic of sets failed";
  isl_set_free(set);
  for (size_t i = 0; i < p.n; i++)
  {
    if (hd_symbolic_over(x->s))
      isl_basic_set_free(p.items[i]);
    else
      add_piece(x, p.items[i]);
  }
  free(p.items);
}

/* Does STEP lead into the piece with ROWS only from within it, as far as its rows show? Each of them must be as large
 * before as after: true of most steps, which touch nothing that the piece speaks of. */
static bool
stays(const hd_symbolic_search *x, const hd_control_conjunction *rows, const hd_symbolic_step *step)
{
  const hd_controller *c = x->s->c;
  size_t first = c->nconstants, own = c->nvariables + c->nstates;
  for (size_t i = 0; i < rows->n; i++)
  {
    const hd_control_linear *l = &rows->atoms[i].linear;
    int64_t change = 0;
    for (size_t k = 0; k < l->n; k++)
    {
      size_t d = l->terms[k].dimension;
      if (d < first || d >= first + own)
        continue;
      const hd_control_linear *after = &step->after[d - first];
      if (after->n != 1 || after->terms[0].dimension != d || after->terms[0].factor != 1)
        return false;
      change += l->terms[k].factor * after->constant;
    }
    if (rows->atoms[i].relation == HD_CONTROL_ZERO ? change != 0 : change > 0)
      return false;
  }
  return rows->n > 0;
}

static bool
has_start(const hd_symbolic_search *x, size_t piece)
{
  isl_set *whole = isl_set_from_basic_set(isl_basic_set_copy(x->pieces[piece].full));
  isl_bool disjoint = isl_set_is_disjoint(whole, x->s->start);
  isl_set_free(whole);
  return disjoint != isl_bool_true;
}

hd_symbolic_outcome
hd_symbolic_backward(hd_symbolic_search *x, hd_symbolic_system *s, __isl_take isl_set *bad, __isl_keep isl_set *through,
                     bool stop)
{
  *x = (hd_symbolic_search){.s = s};
  x->point = calloc(hd_control_dimensions(s->c) + 1, sizeof *x->point);
  HD_CHECK(x->point);
  add_all(x, isl_set_intersect(bad, isl_set_copy(s->inside)));
  bool reached = false;
  for (size_t i = 0; i < x->n && !hd_symbolic_over(s); i++)
  {
    if (has_start(x, i) && !hd_symbolic_over(s))
    {
      reached = true;
      if (stop)
        return HD_SYMBOLIC_REACHED;
    }
    isl_set *target = isl_set_from_basic_set(isl_basic_set_copy(x->pieces[i].gist));
    for (size_t k = 0; k < s->nsteps && !hd_symbolic_over(s); k++)
    {
      if (stays(x, &x->pieces[i].rows, &s->steps[k]))
        continue;
      isl_set *before = hd_symbolic_before(s, &s->steps[k], target);
      add_all(x, through ? isl_set_intersect(before, isl_set_copy(through)) : before);
    }
    isl_set_free(target);
    if (x->n > HD_SYMBOLIC_PIECES && !s->failed)
      s->failed = "the search backwards did not come to an end";
  }
  return hd_symbolic_over(s) ? HD_SYMBOLIC_GAVE_UP : reached ? HD_SYMBOLIC_REACHED : HD_SYMBOLIC_CLOSED;
}

isl_set *
hd_symbolic_found(const hd_symbolic_search *x)
{
  isl_set *all = hd_symbolic_nothing(x->s);
  for (size_t i = 0; i < x->n; i++)
    all = isl_set_union(all, isl_set_from_basic_set(isl_basic_set_copy(x->pieces[i].full)));
  return all;
}

void
hd_symbolic_search_free(hd_symbolic_search *x)
{
  for (size_t i = 0; i < x->n; i++)
  {
    isl_basic_set_free(x->pieces[i].full);
    isl_basic_set_free(x->pieces[i].gist);
  }
  free(x->pieces);
  free(x->point);
}

void
hd_symbolic_rule_out(const hd_symbolic_search *x)
{
  hd_symbolic_system *s = x->s;
  for (size_t i = 0; i < x->n; i++)
  {
    isl_set *piece = isl_set_from_basic_set(isl_basic_set_copy(x->pieces[i].gist));
    isl_set *more = isl_set_union(isl_set_copy(s->excluded), piece);
    if (!more)
      return; /* what is known stays as it is */
    isl_set_free(s->excluded);
    s->excluded = more;
    HD_PUSH(s->excluded_rows, s->nexcluded, s->excluded_cap, x->pieces[i].rows);
  }
}

hd_symbolic_outcome
hd_symbolic_exclude(hd_symbolic_system *s, __isl_take isl_set *bad)
{
  hd_symbolic_search x;
  hd_symbolic_outcome outcome = hd_symbolic_backward(&x, s, bad, NULL, true);
  if (outcome == HD_SYMBOLIC_CLOSED)
    hd_symbolic_rule_out(&x);
  hd_symbolic_search_free(&x);
  return outcome;
}

void
hd_symbolic_learn(hd_symbolic_system *s, __isl_take isl_set *lemma)
{
  lemma = isl_set_coalesce(lemma);
  isl_set *smaller = NULL;
  if (lemma && isl_set_n_basic_set(lemma) == 1)
    smaller = isl_set_intersect(isl_set_copy(s->inside), isl_set_copy(lemma));
  isl_set_free(lemma);
  if (!smaller)
    return;
  isl_set_free(s->inside);
  s->inside = smaller;
}
