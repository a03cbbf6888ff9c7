/* enabling.c: which command can make a guard of which blocking action true, exactly.
 *
 * A thread that executes command a and finds the wait bit of b set knows that no guard of b held before. So only this
 * matters: from the states of the invariant in which a's command is executed and no guard of b holds, the states after
 * it in which some thread is where b may be called (CONTEXT), and those of them in which a guard of b holds (WOKEN).
 * None: a never wakes b. All: always. Else what tells them apart, as far as variables can: the counters of threads are
 * projected away, and the guards of b are reduced to what CONTEXT does not say already. */
#include <string.h>

#include "generate/plan.h"
#include "symbolic/backward.h"

#include <isl/ilp.h>
#include <isl/map.h>

enum
{
  OPERATIONS = 20000000, /* of isl, for one lemma or one pair */
  SECONDS = 5,           /* for a lemma */
  MANY = 3               /* threads that go on one after the other: then all are woken at once */
};

/* ---- the invariant ---- */

bool
hd_generate_fails(const hd_symbolic_system *s, const hd_control_formula *f, isl_set **out)
{
  isl_set *left, *right;
  *out = NULL;
  switch (f->kind)
  {
  case HD_CONTROL_PREDICATE:
    *out = hd_symbolic_set(s, &f->fails);
    return true;
  case HD_CONTROL_IMPLIES:
    if (f->left->kind != HD_CONTROL_PREDICATE || !hd_generate_fails(s, f->right, &right))
      return false;
    *out = isl_set_intersect(hd_symbolic_set(s, &f->left->holds), right);
    return true;
  case HD_CONTROL_AND:
  case HD_CONTROL_OR:
    if (!hd_generate_fails(s, f->left, &left))
      return false;
    if (!hd_generate_fails(s, f->right, &right))
    {
      isl_set_free(left);
      return false;
    }
    *out = f->kind == HD_CONTROL_AND ? isl_set_union(left, right) : isl_set_intersect(left, right);
    return true;
  default:
    return false;
  }
}

bool
hd_generate_exclude(hd_symbolic_system *s, isl_set **invariant, __isl_take isl_set *bad)
{
  hd_symbolic_allow(s, OPERATIONS);
  s->deadline = hd_symbolic_now() + SECONDS;
  bad = isl_set_intersect(bad, isl_set_copy(s->inside));
  bool closed = isl_set_is_empty(bad) == isl_bool_true;
  if (!closed && hd_symbolic_exclude(s, isl_set_copy(bad)) == HD_SYMBOLIC_CLOSED)
  {
    closed = true;
    isl_set *rest = isl_set_coalesce(isl_set_subtract(isl_set_copy(*invariant), isl_set_copy(bad)));
    if (rest)
    {
      isl_set_free(*invariant);
      *invariant = rest;
      hd_symbolic_learn(s, isl_set_copy(rest));
    }
  }
  isl_set_free(bad);
  s->deadline = 0;
  hd_symbolic_allow(s, OPERATIONS);
  return closed;
}

/* FACTOR * VARIABLE + CONSTANT >= 0 */
static isl_set *
half(const hd_symbolic_system *s, size_t variable, int64_t factor, int64_t constant)
{
  hd_control_term term = {(uint32_t) hd_control_variable_dimension(s->c, variable), factor};
  return isl_set_from_basic_set(hd_symbolic_half(s, &(hd_control_linear){constant, 1, &term}));
}

isl_set *
hd_generate_invariant(hd_symbolic_system *s)
{
  const hd_controller *c = s->c;
  hd_symbolic_allow(s, OPERATIONS);
  hd_symbolic_find_equalities(s);
  isl_set *invariant = isl_set_copy(s->inside);
  for (size_t i = 0; i < c->nspecs; i++)
  {
    const hd_control_formula *f = c->specs[i].formula;
    isl_set *bad;
    if (c->specs[i].nrigid == 0 && f->kind == HD_CONTROL_AG && hd_generate_fails(s, f->left, &bad))
      hd_generate_exclude(s, &invariant, bad);
  }
  /* What properties often leave out because it goes without saying. */
  for (size_t v = 0; v < c->nvariables; v++)
    if (c->variables[v].type == HD_CONTROL_INT)
      hd_generate_exclude(s, &invariant, half(s, v, -1, -1));
  return invariant;
}

/* ---- pairs ---- */

typedef struct finding
{
  hd_generate_plan *p;
  hd_symbolic_system *s;
  isl_set *invariant;
} finding;

static isl_set *
guards_of(const finding *x, size_t action)
{
  isl_set *set = hd_symbolic_nothing(x->s);
  const hd_control_action *a = &x->p->c->actions[action];
  for (size_t i = 0; i < a->ncommands; i++)
    set = isl_set_union(set, hd_symbolic_set(x->s, &a->commands[i].guard));
  return set;
}

/* Some thread is where ACTION may be called. */
static isl_set *
callers_of(const finding *x, size_t action)
{
  const hd_controller *c = x->p->c;
  isl_set *set = hd_symbolic_nothing(x->s);
  for (size_t e = 0; e < c->nedges; e++)
    if (c->edges[e].action == action)
      set = isl_set_union(set, isl_set_lower_bound_si(hd_symbolic_universe(x->s), isl_dim_set,
                                                      (unsigned) (c->nvariables + c->edges[e].from), 1));
  return set;
}

/* The states after COMMAND of ACTION (-1: any) from those states of the invariant that are in FROM. */
static isl_set *
after(const finding *x, size_t action, int32_t command, __isl_keep isl_set *from)
{
  isl_set *all = hd_symbolic_nothing(x->s);
  for (size_t i = 0; i < x->s->nsteps; i++)
  {
    const hd_symbolic_step *step = &x->s->steps[i];
    if (x->p->c->edges[step->edge].action != action || step->command < 0 || (command >= 0 && step->command != command))
      continue;
    isl_set *before = isl_set_intersect(isl_set_copy(step->guard), isl_set_copy(x->invariant));
    before = isl_set_intersect(before, isl_set_copy(from));
    all = isl_set_union(all, isl_set_apply(before, isl_map_from_multi_aff(isl_multi_aff_copy(step->map))));
  }
  return isl_set_intersect(all, isl_set_copy(x->invariant));
}

/* What SET says about variables. The space stays. */
static isl_set *
about_variables(const finding *x, __isl_take isl_set *set)
{
  return isl_set_coalesce(
      isl_set_eliminate(set, isl_dim_set, (unsigned) x->p->c->nvariables, (unsigned) x->p->c->nstates));
}

/* WAKE is tested for by the guards of ACTION themselves. */
static void
test_guards(const finding *x, size_t action, hd_generate_wake *wake)
{
  const hd_control_action *a = &x->p->c->actions[action];
  hd_string text = {0};
  hd_generate_print_guards(&text, x->p, action);
  wake->test = hd_generate_copy(x->p, text.text, text.length);
  hd_string_free(&text);
  size_t n = 0;
  for (size_t i = 0; i < a->ncommands; i++)
    n += a->commands[i].guard.n;
  hd_control_conjunction *all = hd_arena_alloc(x->p->arena, (n + 1) * sizeof *all);
  n = 0;
  for (size_t i = 0; i < a->ncommands; i++)
    for (size_t k = 0; k < a->commands[i].guard.n; k++)
      all[n++] = a->commands[i].guard.conjunctions[k];
  wake->where = (hd_control_set){n, all};
}

/* WAKE is tested for by what tells WOKEN from the rest of CONTEXT; by the guards if that is not simpler. */
static void
test_difference(const finding *x, size_t action, __isl_keep isl_set *woken, __isl_keep isl_set *context,
                hd_generate_wake *wake)
{
  hd_string text = {0};
  hd_control_set set;
  size_t atoms = 0;
  test_guards(x, action, wake);
  isl_set *gist = isl_set_coalesce(isl_set_gist(isl_set_copy(woken), isl_set_copy(context)));
  bool good = gist && hd_symbolic_to_set(x->s, gist, x->p->arena, &set) && hd_generate_print_set(&text, x->p->c, &set);
  for (size_t i = 0; good && i < set.n; i++)
    atoms += set.conjunctions[i].n;
  if (good && (atoms == 1 || text.length <= strlen(wake->test)))
  {
    wake->test = hd_generate_copy(x->p, text.text, text.length);
    wake->where = set;
  }
  isl_set_free(gist);
  hd_string_free(&text);
}

static hd_generate_wake
find_pair(const finding *x, size_t action, int32_t command, size_t woken_action)
{
  static const hd_control_conjunction everywhere = {0, NULL};
  hd_generate_wake wake = {.when = HD_GENERATE_IF};
  hd_symbolic_allow(x->s, OPERATIONS);
  isl_set *closed = hd_symbolic_set(x->s, &x->p->c->actions[woken_action].none);
  isl_set *context = isl_set_intersect(after(x, action, command, closed), callers_of(x, woken_action));
  isl_set *woken = isl_set_intersect(isl_set_copy(context), guards_of(x, woken_action));
  context = about_variables(x, context);
  woken = about_variables(x, woken);
  isl_bool never = isl_set_is_empty(woken), always = isl_set_is_subset(context, woken);
  if (hd_symbolic_over(x->s) || never == isl_bool_error || always == isl_bool_error)
    test_guards(x, woken_action, &wake);
  else if (never == isl_bool_true)
    wake.when = HD_GENERATE_NEVER;
  else if (always == isl_bool_true)
    wake = (hd_generate_wake){.when = HD_GENERATE_ALWAYS, .where = {1, &everywhere}};
  else
    test_difference(x, woken_action, woken, context, &wake);
  isl_set_free(closed);
  isl_set_free(context);
  isl_set_free(woken);
  return wake;
}

/* Where somebody has just made a guard of ACTION true. */
static isl_set *
made_true(const finding *x, size_t action)
{
  isl_set *closed = hd_symbolic_set(x->s, &x->p->c->actions[action].none), *all = hd_symbolic_nothing(x->s);
  for (size_t a = 0; a < x->p->c->nactions; a++)
    all = isl_set_union(all, after(x, a, -1, closed));
  isl_set_free(closed);
  return isl_set_coalesce(isl_set_intersect(all, guards_of(x, action)));
}

/* Can MANY threads execute the action one after the other when a guard has become true? */
static bool
lets_many(const finding *x, size_t action)
{
  isl_set *open = made_true(x, action);
  for (int i = 0; i < MANY; i++)
  {
    isl_set *next = isl_set_coalesce(isl_set_intersect(after(x, action, -1, open), guards_of(x, action)));
    isl_set_free(open);
    open = next;
  }
  isl_bool none = isl_set_is_empty(open);
  isl_set_free(open);
  return none == isl_bool_false && !hd_symbolic_over(x->s);
}

/* If executing the action makes its guards false, one is woken; if many can go on, all; else one wakes the next. */
static void
choose_rule(const finding *x, hd_generate_queue *q)
{
  hd_symbolic_allow(x->s, OPERATIONS);
  isl_set *all = hd_symbolic_universe(x->s);
  isl_set *again = isl_set_intersect(after(x, q->action, -1, all), guards_of(x, q->action));
  isl_bool never = isl_set_is_empty(again);
  isl_set_free(all);
  isl_set_free(again);
  if (!hd_symbolic_over(x->s) && never == isl_bool_true)
    q->rule = HD_GENERATE_ONE;
  else
    q->rule = lets_many(x, q->action) ? HD_GENERATE_ALL : HD_GENERATE_CHAIN;
}

/* Who may keep the queue Q: a guard of the action that it waits for holds whenever one of Q's does, so that it goes on
 * itself when the sleepers could. */
static void
find_keepers(const finding *x, hd_generate_queue *q)
{
  bool *keepers = hd_arena_alloc(x->p->arena, (x->p->nqueues + 1) * sizeof *keepers);
  isl_set *open = isl_set_intersect(guards_of(x, q->action), isl_set_copy(x->invariant));
  for (size_t i = 0; i < x->p->nqueues; i++)
  {
    hd_symbolic_allow(x->s, OPERATIONS);
    isl_set *guards = guards_of(x, x->p->queues[i].action);
    keepers[i] = x->p->queues[i].action == q->action || isl_set_is_subset(open, guards) == isl_bool_true;
    isl_set_free(guards);
  }
  q->keepers = keepers;
  isl_set_free(open);
}

/* May several threads have the controller at the same time: may one execute a blocking action after another one? */
static bool
is_shared(const finding *x)
{
  const hd_generate_plan *p = x->p;
  isl_set *all = hd_symbolic_universe(x->s), *done = hd_symbolic_nothing(x->s), *open = hd_symbolic_nothing(x->s);
  hd_symbolic_allow(x->s, OPERATIONS);
  for (size_t q = 0; q < p->nqueues; q++)
  {
    done = isl_set_union(done, after(x, p->queues[q].action, -1, all));
    open = isl_set_union(open, guards_of(x, p->queues[q].action));
  }
  isl_bool none = isl_set_is_disjoint(done, open);
  isl_set_free(all);
  isl_set_free(done);
  isl_set_free(open);
  return none == isl_bool_false;
}

/* ---- ranges ---- */

static bool
bound(__isl_take isl_val *v, int64_t *out)
{
  bool fits = v && isl_val_is_int(v) == isl_bool_true && isl_val_n_abs_num_chunks(v, 4) <= 1;
  *out = fits ? (int64_t) isl_val_get_num_si(v) : 0;
  isl_val_free(v);
  return fits;
}

static void
find_range(const finding *x, size_t variable, hd_generate_range *range)
{
  const hd_controller *c = x->p->c;
  hd_symbolic_allow(x->s, OPERATIONS);
  isl_set *set = isl_set_copy(x->invariant);
  set = isl_set_project_out(set, isl_dim_param, 0, (unsigned) isl_set_dim(set, isl_dim_param));
  range->has_least = bound(isl_set_dim_min_val(isl_set_copy(set), (int) variable), &range->least);
  range->has_most = bound(isl_set_dim_max_val(set, (int) variable), &range->most);

  hd_control_term *terms = hd_arena_alloc(x->p->arena, (c->nstates + 1) * sizeof *terms);
  terms[0] = (hd_control_term){(uint32_t) hd_control_variable_dimension(c, variable), -1};
  for (size_t i = 0; i < c->nstates; i++)
    terms[1 + i] = (hd_control_term){(uint32_t) hd_control_counter_dimension(c, i), 1};
  hd_control_linear threads = {1, c->nstates + 1, terms};
  isl_set *few = isl_set_from_basic_set(hd_symbolic_half(x->s, &threads));
  range->by_threads = isl_set_is_subset(x->invariant, few) == isl_bool_true;
  isl_set_free(few);
}

void
hd_generate_find_wakes(hd_generate_plan *p)
{
  const hd_controller *c = p->c;
  finding x = {p, hd_symbolic_system_new(p->arena, c, 0, UINT64_MAX, NULL, 0), NULL};
  x.invariant = hd_generate_invariant(x.s);
  hd_symbolic_allow(x.s, OPERATIONS);
  if (!hd_symbolic_to_set(x.s, x.s->excluded, p->arena, &p->unreachable))
    p->unreachable = (hd_control_set){0};
  for (size_t v = 0; v < c->nvariables; v++)
    find_range(&x, v, &p->ranges[v]);
  for (size_t q = 0; q < p->nqueues; q++)
  {
    choose_rule(&x, &p->queues[q]);
    find_keepers(&x, &p->queues[q]);
  }
  p->shares = is_shared(&x);
  for (size_t a = 0; a < c->nactions; a++)
    for (size_t i = 0; i < c->actions[a].ncommands; i++)
      for (size_t q = 0; q < p->nqueues; q++)
        p->wakes[(p->first_command[a] + i) * p->nqueues + q] = find_pair(&x, a, (int32_t) i, p->queues[q].action);
  isl_set_free(x.invariant);
  hd_symbolic_system_free(x.s);
}
