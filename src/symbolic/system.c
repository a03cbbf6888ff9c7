/* system.c: builds the sets and maps of a controller. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "symbolic/system.h"

#include <isl/constraint.h>
#include <isl/local_space.h>
#include <isl/options.h>
#include <isl/space.h>

double
hd_symbolic_now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double) t.tv_sec + (double) t.tv_nsec * 1e-9;
}

bool
hd_symbolic_over(hd_symbolic_system *s)
{
  if (s->failed)
    return true;
  if (isl_ctx_last_error(s->ctx) == isl_error_quota)
    s->failed = "it took more operations than are allowed";
  else if (isl_ctx_last_error(s->ctx) != isl_error_none || !s->base || !s->inside || !s->excluded)
    s->failed = "the arithmetic of sets failed";
  else if (s->deadline > 0 && hd_symbolic_now() > s->deadline)
    s->failed = "the time was over";
  return s->failed != NULL;
}

void
hd_symbolic_allow(hd_symbolic_system *s, unsigned long operations)
{
  s->failed = NULL;
  isl_ctx_reset_error(s->ctx);
  isl_ctx_set_max_operations(s->ctx, operations);
  isl_ctx_reset_operations(s->ctx);
}

/* ---- the model's numbers in isl ---- */

typedef struct position
{
  enum isl_dim_type type;
  int at;
} position;

static position
position_of(const hd_controller *c, size_t dimension)
{
  size_t own = c->nvariables + c->nstates;
  if (dimension < c->nconstants)
    return (position){isl_dim_param, (int) dimension};
  if (dimension < c->nconstants + own)
    return (position){isl_dim_set, (int) (dimension - c->nconstants)};
  return (position){isl_dim_param, (int) (dimension - own)};
}

static isl_val *
value(const hd_symbolic_system *s, int64_t v)
{
  return isl_val_int_from_si(s->ctx, v);
}

static isl_basic_set *
add_atom(const hd_symbolic_system *s, __isl_take isl_basic_set *b, const hd_control_linear *l, bool equality)
{
  isl_local_space *space = isl_local_space_from_space(isl_space_copy(s->space));
  isl_constraint *k = equality ? isl_constraint_alloc_equality(space) : isl_constraint_alloc_inequality(space);
  for (size_t i = 0; i < l->n; i++)
  {
    position p = position_of(s->c, l->terms[i].dimension);
    k = isl_constraint_set_coefficient_val(k, p.type, p.at, value(s, l->terms[i].factor));
  }
  k = isl_constraint_set_constant_val(k, value(s, l->constant));
  return isl_basic_set_add_constraint(b, k);
}

isl_basic_set *
hd_symbolic_half(const hd_symbolic_system *s, const hd_control_linear *linear)
{
  return add_atom(s, isl_basic_set_universe(isl_space_copy(s->space)), linear, false);
}

isl_set *
hd_symbolic_set(const hd_symbolic_system *s, const hd_control_set *set)
{
  isl_set *out = hd_symbolic_nothing(s);
  for (size_t i = 0; i < set->n; i++)
  {
    isl_basic_set *b = isl_basic_set_universe(isl_space_copy(s->space));
    for (size_t k = 0; k < set->conjunctions[i].n; k++)
    {
      const hd_control_atom *atom = &set->conjunctions[i].atoms[k];
      b = add_atom(s, b, &atom->linear, atom->relation == HD_CONTROL_ZERO);
    }
    out = isl_set_union(out, isl_set_from_basic_set(b));
  }
  return out;
}

isl_aff *
hd_symbolic_aff(const hd_symbolic_system *s, const hd_control_linear *linear)
{
  isl_aff *a = isl_aff_zero_on_domain(isl_local_space_from_space(isl_space_copy(s->space)));
  for (size_t i = 0; i < linear->n; i++)
  {
    position p = position_of(s->c, linear->terms[i].dimension);
    a = isl_aff_set_coefficient_val(a, p.type == isl_dim_set ? isl_dim_in : p.type, p.at,
                                    value(s, linear->terms[i].factor));
  }
  return isl_aff_set_constant_val(a, value(s, linear->constant));
}

isl_set *
hd_symbolic_universe(const hd_symbolic_system *s)
{
  return isl_set_universe(isl_space_copy(s->space));
}

isl_set *
hd_symbolic_nothing(const hd_symbolic_system *s)
{
  return isl_set_empty(isl_space_copy(s->space));
}

/* ---- building ---- */

static hd_control_linear
linear(hd_symbolic_system *s, int64_t constant, size_t n)
{
  hd_control_linear l = {constant, n, NULL};
  l.terms = memset(hd_arena_alloc(s->arena, (n + 1) * sizeof *l.terms), 0, (n + 1) * sizeof *l.terms);
  return l;
}

/* CONSTANT + FACTOR * DIMENSION */
static hd_control_linear
single(hd_symbolic_system *s, int64_t constant, int64_t factor, size_t dimension)
{
  hd_control_linear l = linear(s, constant, 1);
  *(hd_control_term *) l.terms = (hd_control_term){(uint32_t) dimension, factor};
  return l;
}

static isl_basic_set *
bound(hd_symbolic_system *s, isl_basic_set *b, int64_t constant, int64_t factor, size_t dimension)
{
  hd_control_linear l = single(s, constant, factor, dimension);
  return add_atom(s, b, &l, false);
}

/* CONSTANT + FACTOR * the number of threads is not negative. */
static isl_basic_set *
bound_threads(hd_symbolic_system *s, isl_basic_set *b, int64_t constant, int64_t factor)
{
  hd_control_linear l = linear(s, constant, s->c->nstates);
  for (size_t i = 0; i < s->c->nstates; i++)
    ((hd_control_term *) l.terms)[i] = (hd_control_term){(uint32_t) hd_control_counter_dimension(s->c, i), factor};
  return add_atom(s, b, &l, false);
}

static void
make_domain(hd_symbolic_system *s)
{
  const hd_controller *c = s->c;
  isl_basic_set *b = isl_basic_set_universe(isl_space_copy(s->space));
  for (size_t i = 0; i < c->nvariables; i++)
  {
    if (c->variables[i].type == HD_CONTROL_INT)
      continue;
    int64_t most = c->variables[i].type == HD_CONTROL_BOOL ? 1 : (int64_t) c->variables[i].nvalues - 1;
    b = bound(s, b, 0, 1, hd_control_variable_dimension(c, i));
    b = bound(s, b, most, -1, hd_control_variable_dimension(c, i));
  }
  for (size_t i = 0; i < c->nstates; i++)
    b = bound(s, b, 0, 1, hd_control_counter_dimension(c, i));
  if (s->least_threads > 0)
    b = bound_threads(s, b, -(int64_t) s->least_threads, 1);
  if (s->most_threads != UINT64_MAX)
    b = bound_threads(s, b, (int64_t) s->most_threads, -1);
  for (size_t i = 0; i < s->nbindings; i++)
    for (size_t k = 0; k < c->nconstants; k++)
      if (strcmp(c->constants[k].name, s->bindings[i].name) == 0)
      {
        hd_control_linear l = single(s, -s->bindings[i].value, 1, k);
        b = add_atom(s, b, &l, true);
      }
  s->domain = isl_set_intersect(isl_set_from_basic_set(b), hd_symbolic_set(s, &c->assumption));
}

static void
make_start(hd_symbolic_system *s)
{
  const hd_controller *c = s->c;
  isl_basic_set *b = isl_basic_set_universe(isl_space_copy(s->space));
  for (size_t i = 0; i < c->nvariables; i++)
  {
    const hd_control_linear *start = &c->variables[i].start;
    hd_control_linear l = linear(s, start->constant, start->n + 1);
    if (start->n)
      memcpy((hd_control_term *) l.terms, start->terms, start->n * sizeof *l.terms);
    ((hd_control_term *) l.terms)[start->n] = (hd_control_term){(uint32_t) hd_control_variable_dimension(c, i), -1};
    b = add_atom(s, b, &l, true);
  }
  for (size_t i = 1; i < c->nstates; i++)
  {
    hd_control_linear l = single(s, 0, 1, hd_control_counter_dimension(c, i));
    b = add_atom(s, b, &l, true);
  }
  s->start = isl_set_intersect(isl_set_from_basic_set(b), isl_set_copy(s->domain));
}

/* Add the step along EDGE in the states of WHEN with the variables' MAP (NULL: they stay), unless it is impossible. */
static void
add_step(hd_symbolic_system *s, uint32_t edge, int32_t command, __isl_take isl_set *when, const hd_control_linear *map)
{
  const hd_controller *c = s->c;
  size_t own = c->nvariables + c->nstates;
  hd_control_linear *after = hd_arena_alloc(s->arena, (own + 1) * sizeof *after);
  const hd_control_edge *e = &c->edges[edge];
  isl_aff_list *list = isl_aff_list_alloc(s->ctx, (int) own);
  for (size_t i = 0; i < own; i++)
  {
    size_t state = i - c->nvariables;
    int64_t change = i < c->nvariables ? 0 : (int64_t) (state == e->to) - (int64_t) (state == e->from);
    after[i] = i < c->nvariables && map ? map[i] : single(s, change, 1, c->nconstants + i);
    list = isl_aff_list_add(list, hd_symbolic_aff(s, &after[i]));
  }
  isl_space *space = isl_space_map_from_set(isl_space_copy(s->space));
  hd_control_linear there = single(s, -1, 1, hd_control_counter_dimension(c, e->from));
  isl_set *guard = isl_set_intersect(when, isl_set_from_basic_set(hd_symbolic_half(s, &there)));
  s->steps[s->nsteps++] = (hd_symbolic_step){edge, command, guard, isl_multi_aff_from_aff_list(space, list), after};
}

static void
make_steps(hd_symbolic_system *s)
{
  const hd_controller *c = s->c;
  size_t n = 0;
  for (size_t e = 0; e < c->nedges; e++)
  {
    const hd_control_action *a = &c->actions[c->edges[e].action];
    for (size_t i = 0; i < a->ncommands; i++)
      n += a->commands[i].ncases;
    n += !a->blocking;
  }
  s->steps = hd_arena_alloc(s->arena, (n + 1) * sizeof *s->steps);
  for (uint32_t e = 0; e < c->nedges; e++)
  {
    const hd_control_action *a = &c->actions[c->edges[e].action];
    for (size_t i = 0; i < a->ncommands; i++)
      for (size_t k = 0; k < a->commands[i].ncases; k++)
      {
        const hd_control_case *way = &a->commands[i].cases[k];
        isl_set *when = isl_set_intersect(hd_symbolic_set(s, &a->commands[i].first), hd_symbolic_set(s, &way->when));
        add_step(s, e, (int32_t) i, when, way->map);
      }
    if (!a->blocking && a->none.n > 0)
      add_step(s, e, -1, hd_symbolic_set(s, &a->none), NULL);
  }
}

hd_symbolic_system *
hd_symbolic_system_new(hd_arena *arena, const hd_controller *c, uint64_t least, uint64_t most,
                       const hd_control_binding *bindings, size_t nbindings)
{
  hd_symbolic_system *s = hd_arena_alloc(arena, sizeof *s);
  *s = (hd_symbolic_system){.c = c,
                            .arena = arena,
                            .least_threads = least,
                            .most_threads = most,
                            .nbindings = nbindings,
                            .bindings = bindings};
  s->ctx = isl_ctx_alloc();
  isl_options_set_on_error(s->ctx, ISL_ON_ERROR_CONTINUE);
  s->space
      = isl_space_set_alloc(s->ctx, (unsigned) (c->nconstants + c->nrigid), (unsigned) (c->nvariables + c->nstates));
  for (size_t i = 0; i < c->nconstants + c->nrigid; i++)
  {
    char name[24]; /* isl wants parameters to have names; the file's may be words of isl's own */
    snprintf(name, sizeof name, "p%zu", i);
    s->space = isl_space_set_dim_name(s->space, isl_dim_param, (unsigned) i, name);
  }
  make_domain(s);
  make_start(s);
  make_steps(s);
  s->base = isl_set_copy(s->domain);
  s->inside = isl_set_copy(s->domain);
  s->excluded = hd_symbolic_nothing(s);
  return s;
}

void
hd_symbolic_system_free(hd_symbolic_system *s)
{
  if (!s)
    return;
  hd_symbolic_unwatch(s);
  for (size_t i = 0; i < s->nsteps; i++)
  {
    isl_set_free(s->steps[i].guard);
    isl_multi_aff_free(s->steps[i].map);
  }
  isl_set_free(s->domain);
  isl_set_free(s->start);
  isl_set_free(s->base);
  isl_set_free(s->inside);
  isl_set_free(s->excluded);
  free(s->excluded_rows);
  isl_space_free(s->space);
  isl_ctx_free(s->ctx);
}

/* ---- steps ---- */

typedef struct tidying
{
  isl_set *kept;
} tidying;

static isl_stat
keep_if_any(__isl_take isl_basic_set *b, void *context)
{
  tidying *x = context;
  isl_bool empty = isl_basic_set_is_empty(b);
  if (empty == isl_bool_false)
    x->kept = isl_set_union(x->kept, isl_set_from_basic_set(b));
  else
    isl_basic_set_free(b);
  return empty == isl_bool_error ? isl_stat_error : isl_stat_ok;
}

isl_set *
hd_symbolic_tidy(const hd_symbolic_system *s, __isl_take isl_set *set)
{
  tidying x = {hd_symbolic_nothing(s)};
  if (!set || isl_set_foreach_basic_set(set, keep_if_any, &x) != isl_stat_ok)
    x.kept = isl_set_free(x.kept);
  isl_set_free(set);
  return x.kept;
}

isl_set *
hd_symbolic_before(const hd_symbolic_system *s, const hd_symbolic_step *step, __isl_keep isl_set *target)
{
  isl_set *before = isl_set_preimage_multi_aff(isl_set_copy(target), isl_multi_aff_copy(step->map));
  before = isl_set_intersect(before, isl_set_copy(step->guard));
  return isl_set_intersect(before, isl_set_copy(s->inside));
}

isl_set *
hd_symbolic_before_any(hd_symbolic_system *s, __isl_keep isl_set *target)
{
  isl_set *all = hd_symbolic_nothing(s);
  for (size_t i = 0; i < s->nsteps && !hd_symbolic_over(s); i++)
    all = isl_set_union(all, hd_symbolic_before(s, &s->steps[i], target));
  return all;
}

isl_set *
hd_symbolic_possible(const hd_symbolic_system *s, uint32_t edge)
{
  const hd_controller *c = s->c;
  const hd_control_action *a = &c->actions[c->edges[edge].action];
  isl_set *possible = a->blocking ? hd_symbolic_nothing(s) : hd_symbolic_universe(s);
  for (size_t i = 0; i < a->ncommands && a->blocking; i++)
    possible = isl_set_union(possible, hd_symbolic_set(s, &a->commands[i].guard));
  isl_set *there = isl_set_universe(isl_space_copy(s->space));
  there = isl_set_lower_bound_si(there, isl_dim_set, (unsigned) (c->nvariables + c->edges[edge].from), 1);
  return isl_set_intersect(possible, there);
}

isl_set *
hd_symbolic_ends(hd_symbolic_system *s, __isl_take isl_set *from, bool waits)
{
  const hd_controller *c = s->c;
  isl_set *ends = isl_set_intersect(from, isl_set_copy(s->inside));
  isl_set *someone = hd_symbolic_nothing(s);
  /* States that a thread can always leave come first: most of what is left is then empty. */
  for (int round = 0; round < 2; round++)
    for (size_t p = 0; p < c->nstates && !hd_symbolic_over(s); p++)
    {
      isl_set *blocked = hd_symbolic_universe(s);
      bool leaves = false, always = false;
      for (size_t e = 0; e < c->nedges; e++)
      {
        const hd_control_action *a = &c->actions[c->edges[e].action];
        if (c->edges[e].from != p)
          continue;
        leaves = true;
        always = always || !a->blocking;
        if (round == 1 && !always)
          blocked = isl_set_intersect(blocked, hd_symbolic_set(s, &a->none));
      }
      unsigned at = (unsigned) (c->nvariables + p);
      if (leaves && always == (round == 0))
      {
        isl_set *nobody = isl_set_fix_si(hd_symbolic_universe(s), isl_dim_set, at, 0);
        blocked = isl_set_lower_bound_si(blocked, isl_dim_set, at, 1);
        ends = isl_set_intersect(ends, always ? nobody : isl_set_union(nobody, isl_set_copy(blocked)));
        ends = hd_symbolic_tidy(s, ends);
        if (!always)
          someone = isl_set_union(someone, isl_set_lower_bound_si(hd_symbolic_universe(s), isl_dim_set, at, 1));
      }
      isl_set_free(blocked);
    }
  if (waits)
    return isl_set_intersect(ends, someone);
  isl_set_free(someone);
  return ends;
}
