/* solver.c: integers that lie in several unions of conjunctions at once (solver.h).
 *
 * A set of one conjunction is demanded from the beginning; the others are choices. The simplex method finds rational
 * values for what has been demanded so far. A choice that these values happen to fulfil needs no decision. Among the
 * others the one with the fewest conjunctions that are still possible is decided: each is tried in turn. When all
 * choices are fulfilled and a value is not an integer, inequalities that all integers fulfil are added (cuts.c), and
 * after some of them the decision is between its two neighbours.
 *
 * What cannot be has a reason, the set of decisions that it depends on. If the decision of the moment is not among
 * them, no other way of deciding it would help, and it is given up at once. Otherwise the alternative is excluded by
 * the rest of the reason, and while its neighbours are tried its opposite is demanded if that is one inequality. */
#include <stdlib.h>

#include "recheck/simplex.h"
#include "recheck/solver.h"

enum
{
  MOST_CUTS = 200,
  CUTS_IN_ROW = 8
};

/* ---- problems ---- */

void
hd_solver_clear(hd_solver_problem *p)
{
  p->n = 0;
  p->too_large = false;
}

void
hd_solver_free(hd_solver_problem *p)
{
  free(p->sets);
  p->sets = NULL;
  p->n = p->cap = 0;
}

void
hd_solver_add(hd_solver_problem *p, hd_control_set set)
{
  HD_PUSH(p->sets, p->n, p->cap, set);
}

void
hd_solver_add_atom(hd_solver_problem *p, hd_control_atom atom)
{
  hd_control_atom *copy = hd_arena_alloc(p->arena, sizeof *copy);
  hd_control_conjunction *k = hd_arena_alloc(p->arena, sizeof *k);
  *copy = atom;
  *k = (hd_control_conjunction){1, copy};
  hd_solver_add(p, (hd_control_set){1, k});
}

/* SIGN * L - 1: not negative where SIGN * L is at least 1. */
static hd_control_linear
beyond(hd_solver_problem *p, const hd_control_linear *l, int sign)
{
  hd_control_term *terms = hd_arena_alloc(p->arena, (l->n + 1) * sizeof *terms);
  hd_control_linear out = {.n = l->n, .terms = terms};
  for (size_t i = 0; i < l->n; i++)
  {
    terms[i].dimension = l->terms[i].dimension;
    p->too_large |= __builtin_mul_overflow(l->terms[i].factor, (int64_t) sign, &terms[i].factor);
  }
  p->too_large |= __builtin_mul_overflow(l->constant, (int64_t) sign, &out.constant);
  p->too_large |= __builtin_sub_overflow(out.constant, (int64_t) 1, &out.constant);
  return out;
}

void
hd_solver_exclude_or(hd_solver_problem *p, const hd_control_set *set, const hd_control_atom * or, size_t n)
{
  for (size_t i = 0; i < set->n; i++)
  {
    const hd_control_conjunction *k = &set->conjunctions[i];
    hd_control_atom *atoms = hd_arena_alloc(p->arena, (2 * k->n + n + 1) * sizeof *atoms);
    hd_control_conjunction *alternatives = hd_arena_alloc(p->arena, (2 * k->n + n + 1) * sizeof *alternatives);
    size_t m = 0;
    for (size_t j = 0; j < n; j++)
      atoms[m++] = or [j];
    for (size_t j = 0; j < k->n; j++)
    {
      const hd_control_linear *l = &k->atoms[j].linear;
      atoms[m++] = (hd_control_atom){HD_CONTROL_NOT_NEGATIVE, beyond(p, l, -1)};
      if (k->atoms[j].relation == HD_CONTROL_ZERO)
        atoms[m++] = (hd_control_atom){HD_CONTROL_NOT_NEGATIVE, beyond(p, l, 1)};
    }
    for (size_t j = 0; j < m; j++)
      alternatives[j] = (hd_control_conjunction){1, &atoms[j]};
    hd_solver_add(p, (hd_control_set){m, alternatives});
  }
}

void
hd_solver_exclude(hd_solver_problem *p, const hd_control_set *set)
{
  hd_solver_exclude_or(p, set, NULL, 0);
}

/* ---- the form that is searched ---- */

/* A conjunction: facts first .. end - 1. */
typedef struct alternative
{
  size_t first, end;
} alternative;

/* Alternatives first .. end - 1, of which one must be. */
typedef struct choice
{
  size_t first, end;
} choice;

typedef struct solver
{
  simplex s;
  simplex_fact *facts;
  size_t nfacts, facts_cap;
  alternative *alternatives;
  size_t nalternatives, alternatives_cap;
  choice *choices;
  size_t nchoices, choices_cap;
  size_t depth, splits; /* open decisions; those between integers among them */
  size_t cuts, in_row;  /* in all; since the last decision between integers */
  size_t most_splits;   /* open at the same time; what lies deeper is left out */
  uint64_t work, branches;
} solver;

/* False: the atom is never true. */
static bool
compile_atom(solver *s, const hd_control_atom *atom)
{
  const hd_control_linear *l = &atom->linear;
  bool zero = atom->relation == HD_CONTROL_ZERO;
  simplex_fact fact;
  if (!hd_simplex_fact_of(&s->s, l, &fact))
    return zero ? l->constant == 0 : l->constant >= 0;
  HD_PUSH(s->facts, s->nfacts, s->facts_cap, fact);
  if (zero)
  {
    /* l <= 0, as -l >= 0 */
    hd_control_term *terms = hd_alloc_array(l->n, sizeof *terms);
    hd_control_linear opposite = {.n = l->n, .terms = terms};
    s->s.overflow |= __builtin_sub_overflow((int64_t) 0, l->constant, &opposite.constant);
    for (size_t i = 0; i < l->n; i++)
    {
      terms[i].dimension = l->terms[i].dimension;
      s->s.overflow |= __builtin_sub_overflow((int64_t) 0, l->terms[i].factor, &terms[i].factor);
    }
    hd_simplex_fact_of(&s->s, &opposite, &fact);
    free(terms);
    HD_PUSH(s->facts, s->nfacts, s->facts_cap, fact);
  }
  return true;
}

static void
compile(solver *s, const hd_control_set *set)
{
  choice c = {.first = s->nalternatives};
  for (size_t i = 0; i < set->n; i++)
  {
    const hd_control_conjunction *k = &set->conjunctions[i];
    alternative a = {.first = s->nfacts};
    bool possible = true;
    for (size_t j = 0; possible && j < k->n; j++)
      possible = compile_atom(s, &k->atoms[j]);
    a.end = s->nfacts;
    if (possible)
      HD_PUSH(s->alternatives, s->nalternatives, s->alternatives_cap, a);
    else
      s->nfacts = a.first;
  }
  c.end = s->nalternatives;
  HD_PUSH(s->choices, s->nchoices, s->choices_cap, c);
}

/* ---- the search ---- */

static bool
fulfilled(solver *s, const alternative *a)
{
  for (size_t i = a->first; i < a->end; i++)
    if (!hd_simplex_true(&s->s, s->facts[i]))
      return false;
  return true;
}

static bool
excluded(const solver *s, const alternative *a)
{
  for (size_t i = a->first; i < a->end; i++)
    if (hd_simplex_excluded(&s->s, s->facts[i]))
      return true;
  return false;
}

/* The choice that the values do not fulfil and that has the fewest ways left; NULL: all are fulfilled. */
static const choice *
choose(solver *s)
{
  const choice *best = NULL;
  size_t least = SIZE_MAX;
  for (size_t i = 0; i < s->nchoices && least > 1; i++)
  {
    const choice *c = &s->choices[i];
    size_t left = 0;
    bool good = false;
    for (size_t k = c->first; !good && left < least && k < c->end; k++)
    {
      good = fulfilled(s, &s->alternatives[k]);
      left += !excluded(s, &s->alternatives[k]);
    }
    if (!good && left < least)
    {
      best = c;
      least = left;
    }
  }
  return best;
}

static hd_solver_answer search(solver *s, decisions *conflict);

/* Demand the facts because of a new decision and go on. NONE: CONFLICT is why. */
static hd_solver_answer
try(solver *s, const simplex_fact *facts, size_t n, decisions *conflict)
{
  size_t mark = hd_simplex_mark(&s->s), level = s->depth;
  if (level == SIMPLEX_DECISIONS)
    return HD_SOLVER_UNKNOWN;
  decisions reason = {0};
  decisions_set(&reason, level, true);
  s->depth++;
  s->branches++;
  hd_solver_answer answer = HD_SOLVER_POINT;
  for (size_t i = 0; answer != HD_SOLVER_NONE && i < n; i++)
    if (!hd_simplex_assert(&s->s, facts[i], &reason, conflict))
      answer = HD_SOLVER_NONE;
  if (answer != HD_SOLVER_NONE)
    answer = search(s, conflict);
  s->depth--;
  if (answer != HD_SOLVER_POINT)
    hd_simplex_release(&s->s, mark);
  return answer;
}

static simplex_fact
opposite(simplex_fact f)
{
  return (simplex_fact){f.variable, !f.side, f.side == LOWER ? f.value - 1 : f.value + 1};
}

/* Nothing more can be found out. */
static bool
given_up(const solver *s)
{
  return s->s.overflow || s->s.pivots + s->branches > s->work;
}

/* One of N lists of FACTS must be. Where one of them is not known, the others may still have a point, or show that this
 * decision has no part in what is impossible. */
static hd_solver_answer
decide(solver *s, const simplex_fact *facts, const alternative *alternatives, size_t n, decisions *conflict)
{
  size_t mark = hd_simplex_mark(&s->s), level = s->depth;
  decisions all = {0}, why;
  bool unknown = false;
  for (size_t i = 0; i < n; i++)
  {
    const alternative *a = &alternatives[i];
    hd_solver_answer answer = try(s, facts + a->first, a->end - a->first, &why);
    if (answer == HD_SOLVER_POINT)
      return answer;
    if (given_up(s))
      return HD_SOLVER_UNKNOWN; /* also if this alternative is impossible: it is only one of them */
    if (answer == HD_SOLVER_UNKNOWN)
    {
      unknown = true;
      continue;
    }
    bool needed = decisions_has(&why, level);
    decisions_set(&why, level, false);
    if (!needed)
    {
      all = why;
      unknown = false;
      break;
    }
    decisions_unite(&all, &why);
    decisions clash;
    if (a->end - a->first == 1 && i + 1 < n && !hd_simplex_assert(&s->s, opposite(facts[a->first]), &why, &clash))
    {
      all = clash;
      unknown = false;
      break;
    }
  }
  hd_simplex_release(&s->s, mark);
  *conflict = all;
  return unknown ? HD_SOLVER_UNKNOWN : HD_SOLVER_NONE;
}

static hd_solver_answer
split(solver *s, size_t dimension, decisions *conflict)
{
  if (s->splits == s->most_splits)
    return HD_SOLVER_UNKNOWN;
  int64_t down = rational_floor(s->s.variables[dimension].value);
  const simplex_fact facts[2] = {{dimension, UPPER, down}, {dimension, LOWER, down + 1}};
  const alternative towards_zero[2] = {{down < 0, 1 + (down < 0)}, {down >= 0, 1 + (down >= 0)}};
  s->splits++;
  s->in_row = 0;
  hd_solver_answer answer = decide(s, facts, towards_zero, 2, conflict);
  s->splits--;
  return answer;
}

/* A value is no integer, but everything is fulfilled. */
static hd_solver_answer
search_integers(solver *s, size_t dimension, decisions *conflict)
{
  simplex_fact fact;
  decisions reason;
  if (hd_simplex_indivisible(&s->s, conflict))
    return HD_SOLVER_NONE;
  if (s->cuts == MOST_CUTS || s->in_row == CUTS_IN_ROW || !hd_simplex_cut(&s->s, &fact, &reason))
    return s->s.overflow ? HD_SOLVER_UNKNOWN : split(s, dimension, conflict);
  s->cuts++;
  s->in_row++;
  return hd_simplex_assert(&s->s, fact, &reason, conflict) ? search(s, conflict) : HD_SOLVER_NONE;
}

static hd_solver_answer
search(solver *s, decisions *conflict)
{
  bool possible = hd_simplex_check(&s->s, conflict);
  if (given_up(s))
    return HD_SOLVER_UNKNOWN;
  if (!possible)
    return HD_SOLVER_NONE;
  const choice *c = choose(s);
  if (s->s.overflow)
    return HD_SOLVER_UNKNOWN;
  if (c)
    return decide(s, s->facts, s->alternatives + c->first, c->end - c->first, conflict);
  for (size_t d = 0; d < s->s.ndimensions; d++)
    if (s->s.variables[d].value.d != 1)
      return search_integers(s, d, conflict);
  return HD_SOLVER_POINT;
}

/* Choices with one way are none: demand it. NONE: that is impossible already. */
static hd_solver_answer
demand_certain(solver *s)
{
  decisions nothing = {0}, conflict;
  size_t keep = 0;
  for (size_t i = 0; i < s->nchoices; i++)
  {
    const choice c = s->choices[i];
    if (c.end == c.first)
      return HD_SOLVER_NONE;
    if (c.end - c.first > 1)
    {
      s->choices[keep++] = c;
      continue;
    }
    const alternative *a = &s->alternatives[c.first];
    for (size_t k = a->first; k < a->end; k++)
      if (!hd_simplex_assert(&s->s, s->facts[k], &nothing, &conflict))
        return HD_SOLVER_NONE;
  }
  s->nchoices = keep;
  return HD_SOLVER_POINT;
}

hd_solver_answer
hd_solver_solve(const hd_solver_problem *p, uint64_t work, int64_t *point)
{
  solver s = {.work = work ? work : HD_SOLVER_WORK};
  hd_solver_answer answer = HD_SOLVER_UNKNOWN;
  decisions conflict;
  hd_simplex_init(&s.s, p->ndimensions);
  for (size_t i = 0; i < p->n; i++)
    compile(&s, &p->sets[i]);
  if (!p->too_large && !s.s.overflow)
    answer = demand_certain(&s);
  if (s.s.overflow)
    answer = HD_SOLVER_UNKNOWN;
  else if (answer == HD_SOLVER_POINT)
  {
    /* Points are mostly near; far away the integers may go on without one for ever. */
    answer = HD_SOLVER_UNKNOWN;
    for (s.most_splits = 4; answer == HD_SOLVER_UNKNOWN && s.most_splits <= HD_SOLVER_SPLITS && !given_up(&s);
         s.most_splits *= 5)
    {
      size_t mark = hd_simplex_mark(&s.s);
      answer = search(&s, &conflict);
      if (answer == HD_SOLVER_UNKNOWN)
        hd_simplex_release(&s.s, mark);
    }
  }
  if (s.s.overflow)
    answer = HD_SOLVER_UNKNOWN;
  if (answer == HD_SOLVER_POINT)
  {
    for (size_t d = 0; d < p->ndimensions; d++)
      point[d] = s.s.variables[d].value.n;
    for (size_t i = 0; i < p->n; i++)
      HD_CHECK(hd_control_contains(&p->sets[i], point));
  }
  hd_simplex_free(&s.s);
  free(s.facts);
  free(s.alternatives);
  free(s.choices);
  return answer;
}
