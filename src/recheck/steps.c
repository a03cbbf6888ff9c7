/* steps.c: the states and steps of a controller as questions to the solver (steps.h).
 *
 * That a guard is the first to hold is said with the guards as the file writes them: this one holds, and each
 * conjunction of those before it is excluded. */
#include <stdlib.h>
#include <string.h>

#include "recheck/steps.h"

/* ---- linear expressions ---- */

/* The sum that SUMS holds for each dimension, and CONSTANT. */
static hd_control_linear
gather(hd_question *q, const __int128 *sums, __int128 constant)
{
  size_t n = 0, ndimensions = q->problem.ndimensions;
  for (size_t d = 0; d < ndimensions; d++)
    n += sums[d] != 0;
  hd_control_term *terms = hd_arena_alloc(q->problem.arena, (n + 1) * sizeof *terms);
  hd_control_linear out = {.terms = terms};
  const __int128 most = INT64_MAX / 4;
  for (size_t d = 0; d < ndimensions; d++)
    if (sums[d] != 0)
    {
      q->problem.too_large |= sums[d] > most || sums[d] < -most;
      terms[out.n++] = (hd_control_term){(uint32_t) d, (int64_t) sums[d]};
    }
  q->problem.too_large |= constant > most || constant < -most;
  out.constant = (int64_t) constant;
  return out;
}

/* Add X * L to the sums; each product fits, and so does a sum of fewer than 2^30 of what gather lets through. */
static void
add(hd_question *q, __int128 *sums, __int128 *constant, int64_t x, const hd_control_linear *l)
{
  const __int128 most = (__int128) 1 << 90;
  *constant += (__int128) x * l->constant;
  q->problem.too_large |= *constant > most || *constant < -most;
  *constant = q->problem.too_large ? 0 : *constant;
  for (size_t i = 0; i < l->n; i++)
  {
    __int128 *sum = &sums[l->terms[i].dimension];
    *sum += (__int128) x * l->terms[i].factor;
    q->problem.too_large |= *sum > most || *sum < -most;
    *sum = q->problem.too_large ? 0 : *sum;
  }
}

static __int128 *
new_sums(hd_question *q)
{
  size_t size = (q->problem.ndimensions + 1) * sizeof(__int128);
  return memset(hd_arena_alloc(q->problem.arena, size), 0, size);
}

hd_control_linear
hd_question_combine(hd_question *q, int64_t x, const hd_control_linear *a, int64_t y, const hd_control_linear *b,
                    int64_t constant)
{
  __int128 *sums = new_sums(q), rest = constant;
  add(q, sums, &rest, x, a);
  add(q, sums, &rest, y, b);
  return gather(q, sums, rest);
}

hd_control_atom
hd_question_atom(hd_question *q, size_t dimension, int64_t factor, int64_t constant)
{
  hd_control_term *term = hd_arena_alloc(q->problem.arena, sizeof *term);
  *term = (hd_control_term){(uint32_t) dimension, factor};
  return (hd_control_atom){HD_CONTROL_NOT_NEGATIVE, {.constant = constant, .n = 1, .terms = term}};
}

static void
demand(hd_question *q, size_t dimension, int64_t factor, int64_t constant)
{
  hd_solver_add_atom(&q->problem, hd_question_atom(q, dimension, factor, constant));
}

/* ---- states ---- */

void
hd_question_init(hd_question *q, const hd_controller *c)
{
  *q = (hd_question){.c = c, .most_threads = UINT64_MAX};
  q->problem.arena = hd_arena_new();
  q->problem.ndimensions = hd_control_dimensions(c);
  q->empty = hd_arena_get_mark(q->problem.arena);
}

void
hd_question_free(hd_question *q)
{
  hd_solver_free(&q->problem);
  hd_arena_free(q->problem.arena);
}

/* The largest value of VARIABLE; -1: it has no range. */
static int64_t
largest(const hd_control_variable *v)
{
  return v->type == HD_CONTROL_INT ? -1 : v->type == HD_CONTROL_BOOL ? 1 : (int64_t) v->nvalues - 1;
}

/* The number of threads, times FACTOR, plus CONSTANT, is not negative. */
static void
demand_threads(hd_question *q, int64_t factor, uint64_t constant, int64_t sign)
{
  const hd_controller *c = q->c;
  hd_control_term *terms = hd_arena_alloc(q->problem.arena, (c->nstates + 1) * sizeof *terms);
  for (size_t i = 0; i < c->nstates; i++)
    terms[i] = (hd_control_term){(uint32_t) hd_control_counter_dimension(c, i), factor};
  q->problem.too_large |= constant > INT64_MAX / 4;
  hd_control_linear sum = {.constant = sign * (int64_t) (constant & INT64_MAX), .n = c->nstates, .terms = terms};
  hd_solver_add_atom(&q->problem, (hd_control_atom){HD_CONTROL_NOT_NEGATIVE, sum});
}

void
hd_question_begin(hd_question *q, bool ranges)
{
  const hd_controller *c = q->c;
  hd_solver_clear(&q->problem);
  hd_arena_release(q->problem.arena, q->empty);
  for (size_t v = 0; ranges && v < c->nvariables; v++)
    if (largest(&c->variables[v]) >= 0)
    {
      demand(q, hd_control_variable_dimension(c, v), 1, 0);
      demand(q, hd_control_variable_dimension(c, v), -1, largest(&c->variables[v]));
    }
  for (size_t i = 0; i < c->nstates; i++)
    demand(q, hd_control_counter_dimension(c, i), 1, 0);
  demand_threads(q, 1, q->least_threads, -1);
  if (q->most_threads != UINT64_MAX)
    demand_threads(q, -1, q->most_threads, 1);
  hd_solver_add(&q->problem, c->assumption);
  for (size_t i = 0; i < q->nbindings; i++)
  {
    size_t d = 0;
    while (d < c->nconstants && strcmp(c->constants[d].name, q->bindings[i].name) != 0)
      d++;
    HD_CHECK(d < c->nconstants);
    hd_control_atom atom = hd_question_atom(q, d, 1, -q->bindings[i].value);
    atom.relation = HD_CONTROL_ZERO;
    hd_solver_add_atom(&q->problem, atom);
  }
}

void
hd_question_start(hd_question *q)
{
  const hd_controller *c = q->c;
  for (size_t v = 0; v < c->nvariables; v++)
  {
    hd_control_linear self = hd_question_atom(q, hd_control_variable_dimension(c, v), 1, 0).linear;
    hd_control_linear difference = hd_question_combine(q, 1, &self, -1, &c->variables[v].start, 0);
    hd_solver_add_atom(&q->problem, (hd_control_atom){HD_CONTROL_ZERO, difference});
  }
  for (size_t i = 1; i < c->nstates; i++)
    demand(q, hd_control_counter_dimension(c, i), -1, 0);
}

void
hd_question_no_guard(hd_question *q, const hd_control_action *action)
{
  for (size_t k = 0; k < action->ncommands; k++)
    hd_solver_exclude(&q->problem, &action->commands[k].guard);
}

void
hd_question_end_of_path(hd_question *q)
{
  const hd_controller *c = q->c;
  for (size_t e = 0; e < c->nedges; e++)
  {
    const hd_control_action *a = &c->actions[c->edges[e].action];
    hd_control_atom nobody = hd_question_atom(q, hd_control_counter_dimension(c, c->edges[e].from), -1, 0);
    if (!a->blocking)
      hd_solver_add_atom(&q->problem, nobody);
    for (size_t k = 0; a->blocking && k < a->ncommands; k++)
      hd_solver_exclude_or(&q->problem, &a->commands[k].guard, &nobody, 1);
  }
}

void
hd_question_someone_left(hd_question *q)
{
  const hd_controller *c = q->c;
  hd_control_atom *atoms = hd_arena_alloc(q->problem.arena, (c->nedges + 1) * sizeof *atoms);
  hd_control_conjunction *ways = hd_arena_alloc(q->problem.arena, (c->nedges + 1) * sizeof *ways);
  for (size_t e = 0; e < c->nedges; e++)
  {
    atoms[e] = hd_question_atom(q, hd_control_counter_dimension(c, c->edges[e].from), 1, -1);
    ways[e] = (hd_control_conjunction){1, &atoms[e]};
  }
  hd_solver_add(&q->problem, (hd_control_set){c->nedges, ways});
}

/* ---- steps ---- */

hd_way *
hd_ways_of(const hd_controller *c, size_t *n)
{
  hd_way *ways = NULL;
  size_t cap = 0;
  *n = 0;
  for (uint32_t e = 0; e < c->nedges; e++)
  {
    const hd_control_action *a = &c->actions[c->edges[e].action];
    for (size_t k = 0; k < a->ncommands; k++)
      for (size_t i = 0; i < a->commands[k].ncases; i++)
        HD_PUSH(ways, *n, cap, (hd_way){e, a, k, &a->commands[k].cases[i]});
    if (!a->blocking)
      HD_PUSH(ways, *n, cap, (hd_way){e, a, a->ncommands, NULL});
  }
  return ways;
}

void
hd_question_step(hd_question *q, const hd_way *way)
{
  const hd_control_edge *e = &q->c->edges[way->edge];
  demand(q, hd_control_counter_dimension(q->c, e->from), 1, -1);
  for (size_t k = 0; k < way->command; k++)
    hd_solver_exclude(&q->problem, &way->action->commands[k].guard);
  if (way->one)
  {
    hd_solver_add(&q->problem, way->action->commands[way->command].guard);
    hd_solver_add(&q->problem, way->one->when);
  }
}

/* How much WAY adds to the counter of STATE. */
static int
moves(const hd_controller *c, const hd_way *way, size_t state)
{
  const hd_control_edge *e = &c->edges[way->edge];
  return (e->to == state) - (e->from == state);
}

hd_control_linear
hd_way_linear(hd_question *q, const hd_way *way, const hd_control_linear *l)
{
  const hd_controller *c = q->c;
  __int128 *sums = new_sums(q), constant = l->constant;
  for (size_t i = 0; i < l->n; i++)
  {
    size_t d = l->terms[i].dimension, first = c->nconstants, counters = first + c->nvariables;
    int64_t factor = l->terms[i].factor;
    if (way->one && d >= first && d < counters)
      add(q, sums, &constant, factor, &way->one->map[d - first]);
    else
    {
      hd_control_term self = {(uint32_t) d, 1};
      bool counter = d >= counters && d < counters + c->nstates;
      hd_control_linear after = {.constant = counter ? moves(c, way, d - counters) : 0, .n = 1, .terms = &self};
      add(q, sums, &constant, factor, &after);
    }
  }
  return gather(q, sums, constant);
}

hd_control_set
hd_way_set(hd_question *q, const hd_way *way, const hd_control_set *set)
{
  hd_arena *arena = q->problem.arena;
  hd_control_conjunction *out = hd_arena_alloc(arena, (set->n + 1) * sizeof *out);
  for (size_t i = 0; i < set->n; i++)
  {
    const hd_control_conjunction *k = &set->conjunctions[i];
    hd_control_atom *atoms = hd_arena_alloc(arena, (k->n + 1) * sizeof *atoms);
    for (size_t j = 0; j < k->n; j++)
      atoms[j] = (hd_control_atom){k->atoms[j].relation, hd_way_linear(q, way, &k->atoms[j].linear)};
    out[i] = (hd_control_conjunction){k->n, atoms};
  }
  return (hd_control_set){set->n, out};
}

/* L keeps VARIABLE in its range whatever the state is: a constant of the range, or the value that it has. */
static bool
stays(const hd_controller *c, size_t variable, const hd_control_linear *l)
{
  if (l->n == 0)
    return l->constant >= 0 && l->constant <= largest(&c->variables[variable]);
  return l->n == 1 && l->constant == 0 && l->terms[0].factor == 1
         && l->terms[0].dimension == hd_control_variable_dimension(c, variable);
}

bool
hd_way_leaves_range(hd_question *q, const hd_way *way)
{
  const hd_controller *c = q->c;
  hd_control_atom *atoms = hd_arena_alloc(q->problem.arena, (2 * c->nvariables + 1) * sizeof *atoms);
  hd_control_conjunction *ways = hd_arena_alloc(q->problem.arena, (2 * c->nvariables + 1) * sizeof *ways);
  const hd_control_linear zero = {0};
  size_t n = 0;
  for (size_t v = 0; v < c->nvariables && !(way && !way->one); v++)
  {
    int64_t most = largest(&c->variables[v]);
    const hd_control_linear *l = way ? &way->one->map[v] : &c->variables[v].start;
    if (most < 0 || stays(c, v, l))
      continue;
    atoms[n++] = (hd_control_atom){HD_CONTROL_NOT_NEGATIVE, hd_question_combine(q, -1, l, 0, &zero, -1)};
    atoms[n++] = (hd_control_atom){HD_CONTROL_NOT_NEGATIVE, hd_question_combine(q, 1, l, 0, &zero, -most - 1)};
  }
  for (size_t i = 0; i < n; i++)
    ways[i] = (hd_control_conjunction){1, &atoms[i]};
  hd_solver_add(&q->problem, (hd_control_set){n, ways});
  return n > 0;
}

bool
hd_way_take(const hd_controller *c, const hd_way *way, const int64_t *before, int64_t *after)
{
  memcpy(after, before, hd_control_dimensions(c) * sizeof *after);
  for (size_t v = 0; way->one && v < c->nvariables; v++)
  {
    __int128 value = hd_control_value(&way->one->map[v], before);
    if (value > INT64_MAX || value < INT64_MIN)
      return false;
    after[hd_control_variable_dimension(c, v)] = (int64_t) value;
  }
  for (size_t i = 0; i < c->nstates; i++)
    after[hd_control_counter_dimension(c, i)] += moves(c, way, i);
  return true;
}
