/* inequalities.c: linear inequalities that hold in every reachable state and that every step keeps, such as
 * nR >= count(reading).
 *
 * A search backwards from nR == 0 and count(reading) == 1 never ends where such an inequality is what it lacks: it
 * finds nR == 0 and count(reading) == 2, and so on. So candidates are made up: what a variable has gained since the
 * start beside the threads that are in one state or two, two variables beside each other, and the conditions that
 * guards and properties are made of. Those that a small instance breaks are dropped at once. Of the others, one that a
 * step may break in a state where all of them hold is dropped, until there is none (Flanagan and Leino, "Houdini", FME
 * 2001). What is left is kept by every step, taken together. */
#include <stdlib.h>
#include <string.h>

#include "control/explore.h"
#include "symbolic/system.h"

enum
{
  STATES = 80, /* of an instance that is walked through */
  INSTANCES = 12,
  THREADS = 4,
  CANDIDATES = 200,
  LARGEST = 1000000 /* factor */
};

typedef struct candidates
{
  hd_symbolic_system *s;
  size_t width;    /* dimensions without rigid ones, and 1 */
  int64_t *points; /* reachable states, with the 1 */
  size_t npoints, points_cap;
  int64_t *rows; /* N of WIDTH: each is at least 0 in all points */
  size_t n;
  int64_t *scratch; /* a row */
} candidates;

/* ---- reachable states ---- */

static void
add_states(candidates *x, const hd_control_graph *g)
{
  const hd_controller *c = x->s->c;
  for (size_t k = 0; k < g->n; k++)
  {
    if ((x->npoints + 1) * x->width > x->points_cap)
    {
      x->points_cap = 2 * x->points_cap + 64 * x->width;
      x->points = hd_realloc(x->points, x->points_cap * sizeof *x->points);
    }
    int64_t *point = x->points + x->npoints++ * x->width;
    memcpy(point, g->constants, c->nconstants * sizeof *point);
    for (size_t v = 0; v < g->width; v++)
      point[c->nconstants + v] = hd_control_graph_state(g, k)[v];
    point[x->width - 1] = 1;
  }
}

static void
walk(candidates *x)
{
  hd_symbolic_system *s = x->s;
  hd_arena *arena = hd_arena_new();
  const int64_t *const *instances;
  size_t n;
  hd_string ignored = {0};
  hd_control_seen seen;
  hd_control_seen_init(&seen, s->c, arena);
  if (hd_control_instances(s->c, s->bindings, s->nbindings, arena, &instances, &n, &ignored))
    for (size_t i = 0; i < n && i < INSTANCES; i++)
      for (uint64_t t = s->least_threads; t < s->least_threads + THREADS && t <= s->most_threads; t++)
      {
        hd_control_graph *g = hd_control_graph_new(s->c, t, instances[i], STATES, &seen, arena, NULL, NULL);
        add_states(x, g);
        hd_control_graph_free(g);
      }
  hd_string_free(&ignored);
  hd_arena_free(arena);
}

/* ---- candidates ---- */

/* Add SCRATCH, unless a point breaks it, it says nothing, or it is known. */
static void
add(candidates *x)
{
  bool any = false;
  for (size_t d = 0; d + 1 < x->width; d++)
  {
    if (x->scratch[d] > LARGEST || x->scratch[d] < -LARGEST)
      return;
    any = any || x->scratch[d] != 0;
  }
  if (!any || x->n == CANDIDATES)
    return;
  for (size_t k = 0; k < x->npoints; k++)
  {
    __int128 sum = 0;
    for (size_t d = 0; d < x->width; d++)
      sum += (__int128) x->scratch[d] * x->points[k * x->width + d];
    if (sum < 0)
      return;
  }
  for (size_t i = 0; i < x->n; i++)
    if (memcmp(x->rows + i * x->width, x->scratch, x->width * sizeof *x->scratch) == 0)
      return;
  memcpy(x->rows + x->n++ * x->width, x->scratch, x->width * sizeof *x->scratch);
}

/* Add FACTOR times what VARIABLE has gained since the start. */
static void
gained(candidates *x, size_t variable, int64_t factor)
{
  const hd_control_linear *start = &x->s->c->variables[variable].start;
  x->scratch[hd_control_variable_dimension(x->s->c, variable)] += factor;
  for (size_t i = 0; i < start->n; i++)
    x->scratch[start->terms[i].dimension] -= factor * start->terms[i].factor;
  x->scratch[x->width - 1] -= factor * start->constant;
}

static void
clear(candidates *x)
{
  memset(x->scratch, 0, x->width * sizeof *x->scratch);
}

/* Both signs of what VARIABLE has gained, plus FACTOR times the threads in STATE and OTHER. */
static void
beside_states(candidates *x, size_t variable, size_t state, size_t other, int64_t factor)
{
  for (int64_t sign = -1; sign <= 1; sign += 2)
  {
    clear(x);
    gained(x, variable, sign);
    x->scratch[hd_control_counter_dimension(x->s->c, state)] += factor;
    if (other != state)
      x->scratch[hd_control_counter_dimension(x->s->c, other)] += factor;
    add(x);
  }
}

static void
make_up(candidates *x)
{
  const hd_controller *c = x->s->c;
  for (size_t v = 0; v < c->nvariables; v++)
    for (int64_t sign = -1; sign <= 1; sign += 2)
    {
      clear(x);
      gained(x, v, sign);
      add(x);
      for (size_t w = 0; w < v; w++)
        for (int64_t other = -1; other <= 1; other += 2)
        {
          clear(x);
          gained(x, v, sign);
          gained(x, w, other);
          add(x);
        }
    }
  for (size_t p = 1; p < c->nstates; p++) /* nobody is there at the start */
    for (size_t q = p; q < c->nstates; q++)
    {
      clear(x);
      x->scratch[hd_control_counter_dimension(c, p)] = -1;
      x->scratch[hd_control_counter_dimension(c, q)] = -1;
      x->scratch[x->width - 1] = 1;
      add(x);
      for (size_t v = 0; v < c->nvariables; v++)
        for (int64_t factor = -2; factor <= 2; factor++)
          if (factor != 0)
            beside_states(x, v, p, q, factor);
    }
}

/* The conditions of SET, and their opposites. */
static void
take_conditions(candidates *x, const hd_control_set *set)
{
  for (size_t i = 0; i < set->n; i++)
    for (size_t k = 0; k < set->conjunctions[i].n; k++)
    {
      const hd_control_atom *atom = &set->conjunctions[i].atoms[k];
      bool rigid = false;
      for (size_t t = 0; t < atom->linear.n; t++)
        rigid = rigid || atom->linear.terms[t].dimension >= x->width - 1;
      for (int64_t sign = -1; sign <= 1 && !rigid; sign += 2)
      {
        clear(x);
        for (size_t t = 0; t < atom->linear.n; t++)
          x->scratch[atom->linear.terms[t].dimension] = sign * atom->linear.terms[t].factor;
        x->scratch[x->width - 1] = sign * atom->linear.constant - (sign < 0 && atom->relation != HD_CONTROL_ZERO);
        add(x);
      }
    }
}

static void
take_formula(candidates *x, const hd_control_formula *f)
{
  if (!f)
    return;
  take_conditions(x, &f->holds);
  take_formula(x, f->left);
  take_formula(x, f->right);
}

/* ---- what is kept ---- */

/* Where SIGN times the candidate in SCRATCH is at least -PLUS. */
static isl_set *
half(const candidates *x, int64_t sign, int64_t plus)
{
  hd_control_linear l = {.constant = sign * x->scratch[x->width - 1] + plus};
  hd_control_term *terms = hd_alloc_array(x->width, sizeof *terms);
  for (size_t d = 0; d + 1 < x->width; d++)
    if (x->scratch[d] != 0)
      terms[l.n++] = (hd_control_term){(uint32_t) d, sign * x->scratch[d]};
  l.terms = terms;
  isl_set *set = isl_set_from_basic_set(hd_symbolic_half(x->s, &l));
  free(terms);
  return set;
}

static isl_set *
all_of_them(const candidates *x)
{
  isl_set *set = isl_set_copy(x->s->base);
  for (size_t i = 0; i < x->n; i++)
  {
    memcpy(x->scratch, x->rows + i * x->width, x->width * sizeof *x->scratch);
    set = isl_set_intersect(set, half(x, 1, 0));
  }
  return set;
}

/* SCRATCH := the candidate ROW after STEP. False: its numbers are too large. *GROWS: by a fixed amount, not negative.
 */
static bool
after(candidates *x, const int64_t *row, const hd_symbolic_step *step, bool *grows)
{
  const hd_controller *c = x->s->c;
  size_t own = c->nvariables + c->nstates;
  clear(x);
  x->scratch[x->width - 1] = row[x->width - 1];
  memcpy(x->scratch, row, c->nconstants * sizeof *row);
  for (size_t v = 0; v < own; v++)
  {
    const hd_control_linear *l = &step->after[v];
    int64_t factor = row[c->nconstants + v];
    if (factor == 0)
      continue;
    if (l->constant > LARGEST || l->constant < -LARGEST)
      return false;
    x->scratch[x->width - 1] += factor * l->constant;
    for (size_t t = 0; t < l->n; t++)
    {
      if (l->terms[t].factor > LARGEST || l->terms[t].factor < -LARGEST)
        return false;
      x->scratch[l->terms[t].dimension] += factor * l->terms[t].factor;
    }
  }
  *grows = memcmp(x->scratch, row, (x->width - 1) * sizeof *row) == 0 && x->scratch[x->width - 1] >= row[x->width - 1];
  return true;
}

/* Drop the candidates that a step may break where all hold. Returns how many. */
static size_t
drop_broken(candidates *x)
{
  hd_symbolic_system *s = x->s;
  size_t kept = 0, before = x->n;
  isl_set *here = all_of_them(x);
  for (size_t i = 0; i < before && !hd_symbolic_over(s); i++)
  {
    int64_t *row = x->rows + i * x->width;
    bool good = true, grows;
    for (size_t t = 0; t < s->nsteps && good && !hd_symbolic_over(s); t++)
    {
      good = after(x, row, &s->steps[t], &grows);
      if (!good || grows)
        continue;
      isl_set *broken = isl_set_intersect(half(x, -1, -1), isl_set_copy(s->steps[t].guard));
      broken = isl_set_intersect(broken, isl_set_copy(here));
      good = isl_set_is_empty(broken) == isl_bool_true;
      isl_set_free(broken);
    }
    if (good)
      memmove(x->rows + kept++ * x->width, row, x->width * sizeof *row);
  }
  isl_set_free(here);
  x->n = kept;
  return before - kept;
}

/* Those that do not hold in every start. Small instances know few constants. */
static void
drop_unstarted(candidates *x)
{
  size_t kept = 0;
  for (size_t i = 0; i < x->n; i++)
  {
    memcpy(x->scratch, x->rows + i * x->width, x->width * sizeof *x->scratch);
    isl_set *wrong = isl_set_intersect(half(x, -1, -1), isl_set_copy(x->s->start));
    if (isl_set_is_empty(wrong) == isl_bool_true)
      memmove(x->rows + kept++ * x->width, x->rows + i * x->width, x->width * sizeof *x->rows);
    isl_set_free(wrong);
  }
  x->n = kept;
}

/* The base and what is inside become smaller by what was found. */
static bool
use(candidates *x)
{
  hd_symbolic_system *s = x->s;
  hd_control_set rows;
  isl_set *base = isl_set_remove_redundancies(all_of_them(x));
  isl_set *inside = isl_set_intersect(isl_set_copy(s->inside), isl_set_copy(base));
  bool smaller = isl_set_is_subset(s->base, base) == isl_bool_false;
  if (hd_symbolic_over(s) || !smaller || !inside || !hd_symbolic_to_set(s, base, s->arena, &rows))
  {
    isl_set_free(base);
    isl_set_free(inside);
    return false;
  }
  isl_set_free(s->base);
  isl_set_free(s->inside);
  s->base = base;
  s->inside = inside;
  s->base_rows = rows;
  return true;
}

bool
hd_symbolic_find_inequalities(hd_symbolic_system *s)
{
  const hd_controller *c = s->c;
  candidates x = {.s = s, .width = hd_control_rigid_dimension(c, 0) + 1};
  x.rows = hd_alloc_array(CANDIDATES * x.width, sizeof *x.rows);
  x.scratch = hd_alloc_array(x.width, sizeof *x.scratch);
  walk(&x);
  for (size_t i = 0; i < c->nspecs; i++)
    take_formula(&x, c->specs[i].formula);
  for (size_t a = 0; a < c->nactions; a++)
    for (size_t k = 0; k < c->actions[a].ncommands; k++)
      take_conditions(&x, &c->actions[a].commands[k].guard);
  make_up(&x);
  drop_unstarted(&x);
  while (!hd_symbolic_over(s) && drop_broken(&x) > 0)
    ;
  bool found = !hd_symbolic_over(s) && x.n > 0 && use(&x);
  free(x.points);
  free(x.rows);
  free(x.scratch);
  return found;
}
