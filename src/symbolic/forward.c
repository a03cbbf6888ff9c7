/* forward.c: forward search, accelerated: one jump is any number of repetitions of a step.
 *
 * With an unbounded number of threads, or of turns that one thread takes, plain steps never come to an end. But most
 * steps change every number by a fixed amount, and the transitive closure of such a relation is a relation of the same
 * kind. isl computes it and says whether it is exact; only exact ones are used, so that everything that is found can
 * be reached. Where repetitions of single steps are not enough, what grows is what a thread does in a round: enter and
 * leave. So the closures of two steps and then three along the interface are tried too.
 *
 * What is found is a list of convex sets. A set that lies within those that were found before is dropped; when nothing
 * is left to be followed, every step from the whole stays in it: it is an invariant, and no smaller one exists. */
#include <stdlib.h>

#include "symbolic/forward.h"

#include <isl/map.h>

enum
{
  LENGTH = 3,   /* steps that are repeated as a whole */
  JUMPS = 400,  /* relations that are followed */
  FEW = 60,     /* convex sets, before longer jumps are tried */
  PIECES = 300, /* and at all */
};

typedef struct jump
{
  isl_map *map;
  uint32_t from, to; /* states of the interface */
} jump;

typedef struct forward
{
  hd_symbolic_system *s;
  jump *steps; /* once */
  size_t nsteps;
  jump *jumps; /* any number of times: what is followed */
  size_t njumps, jumps_cap;
  isl_basic_set **pieces;
  size_t n, cap;
  isl_set *reached;
} forward;

/* ---- jumps ---- */

static void
add_jump(forward *x, jump j)
{
  if (!j.map || x->njumps >= JUMPS || isl_map_is_empty(j.map) != isl_bool_false)
    isl_map_free(j.map);
  else
    HD_PUSH(x->jumps, x->njumps, x->jumps_cap, j);
}

typedef struct parts
{
  forward *x;
  jump like;
} parts;

static isl_stat
add_part(__isl_take isl_basic_map *part, void *context)
{
  parts *p = context;
  isl_bool exact = isl_bool_false;
  isl_map *closure = isl_map_transitive_closure(isl_map_from_basic_map(part), &exact);
  if (exact == isl_bool_true)
    add_jump(p->x, (jump){closure, p->like.from, p->like.to});
  else
    isl_map_free(closure);
  return isl_stat_ok;
}

/* Repetitions of J; if they cannot be had exactly, of its convex parts. True: all of J is among them. */
static bool
add_closure(forward *x, const jump *j)
{
  isl_bool exact = isl_bool_false;
  isl_map *closure = isl_map_transitive_closure(isl_map_copy(j->map), &exact);
  if (exact == isl_bool_true)
  {
    add_jump(x, (jump){closure, j->from, j->to});
    return true;
  }
  isl_map_free(closure);
  parts p = {x, *j};
  if (isl_map_n_basic_map(j->map) > 1)
    isl_map_foreach_basic_map(j->map, add_part, &p);
  return false;
}

static void
make_steps(forward *x)
{
  hd_symbolic_system *s = x->s;
  x->steps = hd_alloc_array(s->nsteps + 1, sizeof *x->steps);
  for (size_t i = 0; i < s->nsteps && !hd_symbolic_over(s); i++)
  {
    const hd_control_edge *e = &s->c->edges[s->steps[i].edge];
    isl_set *guard = isl_set_intersect(isl_set_copy(s->steps[i].guard), isl_set_copy(s->base));
    isl_map *map = isl_map_from_multi_aff(isl_multi_aff_copy(s->steps[i].map));
    map = isl_map_coalesce(isl_map_intersect_domain(map, guard));
    jump j = {map, e->from, e->to};
    if (isl_map_is_empty(map) != isl_bool_false)
    {
      isl_map_free(map);
      continue;
    }
    x->steps[x->nsteps++] = j;
    if (!add_closure(x, &j))
      add_jump(x, (jump){isl_map_copy(map), e->from, e->to});
  }
}

/* Repetitions of all chains of LENGTH steps that begin with J, one after the other along the interface and back. */
static void
add_rounds(forward *x, const jump *j, int length)
{
  for (size_t i = 0; i < x->nsteps && x->njumps < JUMPS && !hd_symbolic_over(x->s); i++)
  {
    if (x->steps[i].from != j->to || (length == 2 && x->steps[i].to != j->from))
      continue;
    isl_map *map = isl_map_apply_range(isl_map_copy(j->map), isl_map_copy(x->steps[i].map));
    jump both = {isl_map_coalesce(map), j->from, x->steps[i].to};
    if (isl_map_is_empty(both.map) == isl_bool_false)
    {
      if (length == 2)
        add_closure(x, &both);
      else
        add_rounds(x, &both, length - 1);
    }
    isl_map_free(both.map);
  }
}

/* ---- following them ---- */

static isl_stat
add_piece(__isl_take isl_basic_set *piece, void *context)
{
  forward *x = context;
  isl_set *whole = isl_set_from_basic_set(isl_basic_set_copy(piece));
  isl_bool known = isl_set_is_subset(whole, x->reached);
  if (known == isl_bool_false)
  {
    x->reached = isl_set_union(x->reached, isl_set_copy(whole));
    HD_PUSH(x->pieces, x->n, x->cap, piece);
    piece = NULL;
  }
  isl_basic_set_free(piece);
  isl_set_free(whole);
  return known == isl_bool_error ? isl_stat_error : isl_stat_ok;
}

/* Add what is new in SET. */
static void
add_set(forward *x, __isl_take isl_set *set)
{
  set = isl_set_coalesce(hd_symbolic_tidy(x->s, set));
  if (set)
    isl_set_foreach_basic_set(set, add_piece, x);
  isl_set_free(set);
}

static void
forget(forward *x)
{
  for (size_t i = 0; i < x->n; i++)
    isl_basic_set_free(x->pieces[i]);
  x->n = 0;
  isl_set_free(x->reached);
  x->reached = NULL;
}

/* Follow all jumps from the start. True: nothing is left to be followed. */
static bool
follow(forward *x, size_t most)
{
  hd_symbolic_system *s = x->s;
  forget(x);
  x->reached = hd_symbolic_nothing(s);
  add_set(x, isl_set_copy(s->start));
  size_t i = 0, merged = 16;
  for (; i < x->n && x->n <= most && !hd_symbolic_over(s); i++)
  {
    for (size_t k = 0; k < x->njumps && x->n <= most && !hd_symbolic_over(s); k++)
    {
      isl_set *from = isl_set_from_basic_set(isl_basic_set_copy(x->pieces[i]));
      add_set(x, isl_set_apply(from, isl_map_copy(x->jumps[k].map)));
    }
    if (x->n > merged)
    {
      x->reached = isl_set_coalesce(x->reached);
      merged = 2 * x->n;
    }
  }
  return i == x->n && !hd_symbolic_over(s);
}

static void
free_jumps(jump *jumps, size_t n)
{
  for (size_t i = 0; i < n; i++)
    isl_map_free(jumps[i].map);
  free(jumps);
}

isl_set *
hd_symbolic_forward(hd_symbolic_system *s)
{
  forward x = {.s = s};
  isl_set *found = NULL;
  make_steps(&x);
  for (int length = 1; length <= LENGTH && !found && !hd_symbolic_over(s); length++)
  {
    size_t before = x.njumps;
    for (size_t i = 0; i < x.nsteps && length > 1; i++)
      add_rounds(&x, &x.steps[i], length);
    if (length > 1 && x.njumps == before)
      continue;
    if (follow(&x, length < LENGTH ? FEW : PIECES))
      found = isl_set_coalesce(isl_set_copy(x.reached));
  }
  forget(&x);
  free(x.pieces);
  free_jumps(x.steps, x.nsteps);
  free_jumps(x.jumps, x.njumps);
  return found;
}

static hd_symbolic_ground
take_ground(const hd_symbolic_system *s)
{
  return (hd_symbolic_ground){s->base,          s->inside,    s->excluded,    s->base_rows,
                              s->excluded_rows, s->nexcluded, s->excluded_cap};
}

static void
put_ground(hd_symbolic_system *s, const hd_symbolic_ground *g)
{
  s->base = g->base;
  s->inside = g->inside;
  s->excluded = g->excluded;
  s->base_rows = g->base_rows;
  s->excluded_rows = g->excluded_rows;
  s->nexcluded = g->nexcluded;
  s->excluded_cap = g->excluded_cap;
}

bool
hd_symbolic_stand_on(hd_symbolic_system *s, __isl_take isl_set *reached, hd_symbolic_ground *before)
{
  hd_control_set rows;
  if (!hd_symbolic_to_set(s, reached, s->arena, &rows))
  {
    isl_set_free(reached);
    return false;
  }
  *before = take_ground(s);
  put_ground(
      s, &(hd_symbolic_ground){
             .base = reached, .inside = isl_set_copy(reached), .excluded = hd_symbolic_nothing(s), .base_rows = rows});
  return true;
}

void
hd_symbolic_step_back(hd_symbolic_system *s, hd_symbolic_ground *before, bool stay)
{
  hd_symbolic_ground leave = *before;
  if (!stay)
  {
    leave = take_ground(s);
    put_ground(s, before);
  }
  isl_set_free(leave.base);
  isl_set_free(leave.inside);
  isl_set_free(leave.excluded);
  free(leave.excluded_rows);
}

/* Where F is false; NULL: it is temporal. */
static isl_set *
false_at(const hd_symbolic_system *s, const hd_control_formula *f)
{
  isl_set *left, *right;
  switch (f->kind)
  {
  case HD_CONTROL_PREDICATE:
    return hd_symbolic_set(s, &f->fails);
  case HD_CONTROL_IMPLIES:
    right = false_at(s, f->right);
    return right ? isl_set_intersect(hd_symbolic_set(s, &f->left->holds), right) : NULL;
  case HD_CONTROL_AND:
  case HD_CONTROL_OR:
    left = false_at(s, f->left);
    right = false_at(s, f->right);
    if (left && right)
      return f->kind == HD_CONTROL_AND ? isl_set_union(left, right) : isl_set_intersect(left, right);
    isl_set_free(left);
    isl_set_free(right);
    return NULL;
  default:
    return NULL;
  }
}

isl_set *
hd_symbolic_violations(const hd_symbolic_system *s, const hd_control_formula *f)
{
  isl_set *bad = f->kind == HD_CONTROL_AG ? false_at(s, f->left) : NULL;
  return bad ? isl_set_intersect(bad, isl_set_copy(s->inside)) : NULL;
}
