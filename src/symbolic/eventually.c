/* eventually.c: AF and AU by stages (control/certificate.h).
 *
 * The states that matter are those that can be reached from where the property is claimed before the goal is. They are
 * taken off in stages: a stage from which no step stays; one with a ranking; under fairness one with a helpful edge and
 * a ranking for the steps that it forces. What is left when no stage is found may still be unreachable. */
#include <stdlib.h>
#include <string.h>

#include "symbolic/backward.h"
#include "symbolic/eventually.h"

#include <isl/map.h>

enum
{
  CLOSING = 5, /* rounds in which the states that matter are looked for before all are taken */
  ROUNDS = 24, /* of taking off stages */
  PARTS = 400  /* convex sets in what is left */
};

/* Where STEP leads from SET. */
static isl_set *
after(hd_symbolic_system *s, const hd_symbolic_step *step, __isl_keep isl_set *set)
{
  isl_set *from = isl_set_intersect(isl_set_copy(set), isl_set_copy(step->guard));
  isl_set *to = isl_set_apply(from, isl_map_from_multi_aff(isl_multi_aff_copy(step->map)));
  return isl_set_intersect(to, isl_set_copy(s->inside));
}

/* A set that contains FROM and that no step leaves for another state of NOT_YET. */
static isl_set *
states_that_matter(hd_symbolic_system *s, const hd_symbolic_goal *goal)
{
  isl_set *all = isl_set_intersect(isl_set_copy(goal->not_yet), isl_set_copy(s->inside));
  isl_set *set = isl_set_intersect(isl_set_copy(goal->from), isl_set_copy(all));
  for (int round = 0; round < CLOSING && !hd_symbolic_over(s); round++)
  {
    isl_set *next = isl_set_copy(set);
    for (size_t t = 0; t < s->nsteps; t++)
      next = isl_set_union(next, isl_set_intersect(after(s, &s->steps[t], set), isl_set_copy(all)));
    bool closed = isl_set_is_subset(next, set) == isl_bool_true;
    if (closed || isl_set_n_basic_set(next) > PARTS)
    {
      isl_set_free(next);
      if (!closed)
        break;
      isl_set_free(all);
      return hd_symbolic_tidy(s, set);
    }
    isl_set_free(set);
    set = isl_set_coalesce(next);
  }
  isl_set_free(set);
  return hd_symbolic_tidy(s, all);
}

/* The largest part of SET that steps leave only for what is not in ALL. */
static isl_set *
keep_closed(hd_symbolic_system *s, __isl_take isl_set *set, __isl_keep isl_set *all)
{
  for (int round = 0; round < CLOSING && !hd_symbolic_over(s); round++)
  {
    isl_set *others = isl_set_subtract(isl_set_copy(all), isl_set_copy(set));
    isl_set *leaving = isl_set_intersect(hd_symbolic_before_any(s, others), isl_set_copy(set));
    isl_set_free(others);
    isl_bool none = isl_set_is_empty(leaving);
    if (none != isl_bool_false)
    {
      isl_set_free(leaving);
      return set;
    }
    set = isl_set_coalesce(isl_set_subtract(set, leaving));
  }
  isl_set_free(set);
  return hd_symbolic_nothing(s);
}

/* STATES become a stage and are taken off what is left. */
static void
take_off(hd_symbolic_system *s, hd_symbolic_stages *x, hd_arena *arena, hd_control_stage stage,
         __isl_take isl_set *states)
{
  if (!hd_symbolic_to_set(s, states, arena, &stage.states) && !s->failed)
    s->failed = "a set of the proof is too large to be written";
  HD_PUSH(x->items, x->n, x->cap, stage);
  x->left = hd_symbolic_tidy(s, isl_set_coalesce(isl_set_subtract(x->left, states)));
  if (isl_set_n_basic_set(x->left) > PARTS && !s->failed)
    s->failed = "the stages of the proof became too many";
}

static bool
has_states(__isl_keep isl_set *set)
{
  return isl_set_is_empty(set) == isl_bool_false;
}

/* ---- where to look for stages ---- */

typedef struct cells
{
  isl_set **items;
  size_t n, cap;
} cells;

static void
add_cell(cells *x, __isl_take isl_set *cell)
{
  for (size_t i = 0; i < x->n; i++)
    if (isl_set_plain_is_equal(x->items[i], cell) == isl_bool_true)
    {
      isl_set_free(cell);
      return;
    }
  HD_PUSH(x->items, x->n, x->cap, cell);
}

/* Where LINEAR is at least 0, and where it is not. */
static void
add_halves(hd_symbolic_system *s, cells *x, const hd_control_linear *linear)
{
  isl_set *half = isl_set_from_basic_set(hd_symbolic_half(s, linear));
  add_cell(x, isl_set_copy(half));
  add_cell(x, isl_set_complement(half));
}

/* What the guards tell apart, and whether someone is in a state: along these lines the behaviour changes. */
static cells
find_cells(hd_symbolic_system *s)
{
  const hd_controller *c = s->c;
  cells x = {0};
  for (size_t a = 0; a < c->nactions; a++)
    for (size_t k = 0; k < c->actions[a].ncommands; k++)
    {
      const hd_control_set *guard = &c->actions[a].commands[k].guard;
      for (size_t i = 0; i < guard->n; i++)
        for (size_t m = 0; m < guard->conjunctions[i].n; m++)
        {
          const hd_control_atom *atom = &guard->conjunctions[i].atoms[m];
          add_halves(s, &x, &atom->linear);
          if (atom->relation == HD_CONTROL_ZERO)
          {
            isl_set *zero = isl_set_from_basic_set(isl_aff_zero_basic_set(hd_symbolic_aff(s, &atom->linear)));
            add_cell(&x, isl_set_copy(zero));
            add_cell(&x, isl_set_complement(zero));
          }
        }
      add_cell(&x, hd_symbolic_set(s, guard));
      add_cell(&x, hd_symbolic_set(s, &c->actions[a].commands[k].not_guard));
    }
  for (size_t p = 0; p < c->nstates; p++)
  {
    hd_control_term term = {(uint32_t) hd_control_counter_dimension(c, p), 1};
    add_halves(s, &x, &(hd_control_linear){-1, 1, &term});
  }
  return x;
}

static void
free_cells(cells *x)
{
  for (size_t i = 0; i < x->n; i++)
    isl_set_free(x->items[i]);
  free(x->items);
}

/* Take off the part of what is left in CELL (NULL: all) that steps do not leave, if it has a ranking; with a HELPFUL
 * edge (-1: none), where that is possible. */
static bool
take_part(hd_symbolic_system *s, hd_symbolic_stages *x, hd_arena *arena, __isl_keep isl_set *cell, int32_t helpful)
{
  hd_control_stage stage;
  isl_set *part = isl_set_copy(x->left);
  if (helpful >= 0)
    part = isl_set_intersect(part, hd_symbolic_possible(s, (uint32_t) helpful));
  if (cell)
    part = isl_set_intersect(part, isl_set_copy(cell));
  part = hd_symbolic_tidy(s, part);
  if (has_states(part))
    part = hd_symbolic_tidy(s, keep_closed(s, part, x->left));
  bool taken = has_states(part) && hd_symbolic_rank(s, part, helpful, arena, &stage);
  if (taken)
    take_off(s, x, arena, stage, part);
  else
    isl_set_free(part);
  return taken;
}

/* Whole regions first, then along the lines of the guards. */
static bool
take_helpful(hd_symbolic_system *s, hd_symbolic_stages *x, hd_arena *arena, const cells *where)
{
  bool progress = false;
  for (uint32_t e = 0; e < s->c->nedges && has_states(x->left) && !hd_symbolic_over(s); e++)
    progress = take_part(s, x, arena, NULL, (int32_t) e) || progress;
  for (uint32_t e = 0; e < s->c->nedges && !progress && !hd_symbolic_over(s); e++)
    for (size_t i = 0; i < where->n && !progress && !hd_symbolic_over(s); i++)
      progress = take_part(s, x, arena, where->items[i], (int32_t) e);
  return progress;
}

static bool
take_cell(hd_symbolic_system *s, hd_symbolic_stages *x, hd_arena *arena, const cells *where)
{
  bool progress = false;
  for (size_t i = 0; i < where->n && !progress && !hd_symbolic_over(s); i++)
    progress = take_part(s, x, arena, where->items[i], -1);
  return progress;
}

/* The states whose every step leaves what is left. */
static bool
take_layer(hd_symbolic_system *s, hd_symbolic_stages *x, hd_arena *arena)
{
  isl_set *staying = hd_symbolic_before_any(s, x->left);
  isl_set *layer = isl_set_coalesce(isl_set_subtract(isl_set_copy(x->left), staying));
  bool progress = has_states(layer);
  if (progress)
    take_off(s, x, arena, (hd_control_stage){.helpful = -1}, layer);
  else
    isl_set_free(layer);
  return progress;
}

static void
take_stages(hd_symbolic_system *s, hd_symbolic_stages *x, bool fair, hd_arena *arena)
{
  cells where = {0};
  for (int round = 0; round < ROUNDS && has_states(x->left) && !hd_symbolic_over(s); round++)
  {
    hd_control_stage stage;
    if (hd_symbolic_rank(s, x->left, -1, arena, &stage))
    {
      take_off(s, x, arena, stage, isl_set_copy(x->left));
      break;
    }
    if (where.n == 0)
      where = find_cells(s);
    if (!take_cell(s, x, arena, &where) && !(fair && take_helpful(s, x, arena, &where)) && !take_layer(s, x, arena))
      break;
  }
  free_cells(&where);
}

/* Take what can meet BAD before the goal off the states that matter; it is returned. Nothing, if BAD cannot be
 * reached. */
static isl_set *
take_lost(hd_symbolic_system *s, hd_symbolic_stages *x, __isl_take isl_set *bad, __isl_keep isl_set *not_yet)
{
  isl_set *lost = NULL;
  if (!has_states(bad) || hd_symbolic_exclude(s, isl_set_copy(bad)) == HD_SYMBOLIC_CLOSED)
  {
    isl_set_free(bad);
    x->left = hd_symbolic_tidy(s, isl_set_subtract(x->left, isl_set_copy(s->excluded)));
    return hd_symbolic_nothing(s);
  }
  hd_symbolic_search search;
  hd_symbolic_backward(&search, s, bad, not_yet, false);
  lost = hd_symbolic_found(&search);
  hd_symbolic_search_free(&search);
  x->left = hd_symbolic_tidy(s, isl_set_coalesce(isl_set_subtract(x->left, isl_set_copy(lost))));
  return lost;
}

void
hd_symbolic_eventually(hd_symbolic_system *s, const hd_symbolic_goal *goal, hd_arena *arena, hd_symbolic_stages *out)
{
  *out = (hd_symbolic_stages){.left = states_that_matter(s, goal)};
  out->left = hd_symbolic_tidy(s, isl_set_subtract(out->left, isl_set_copy(s->excluded)));
  isl_set *bad = hd_symbolic_ends(s, isl_set_copy(out->left), false);
  if (goal->broken)
    bad = isl_set_union(bad, isl_set_intersect(isl_set_copy(out->left), isl_set_copy(goal->broken)));
  isl_set *lost = take_lost(s, out, bad, goal->not_yet);
  take_stages(s, out, goal->fair, arena);
  out->left = isl_set_union(out->left, lost);
}
