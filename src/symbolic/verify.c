/* verify.c: judges every property: refutations by looking at small instances, proofs by sets of states.
 *
 * First the explicit engine walks through small instances. It finds traces for what is violated, for the fewest threads
 * first, and sees what does happen. Then every property that is not violated is tried in the order of the text, with
 * little work allowed; what could not be proved, with equalities case by case, with inequalities, with the exact set of
 * reachable states if it can be had, and then with much work: what was proved in the meantime helps. What is
 * still open then is looked for in larger instances, which also stand guard over the proofs: if one shows a violation
 * of what was proved, one of the two is wrong, and the answer says so. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "control/explore.h"
#include "symbolic/backward.h"
#include "symbolic/formula.h"
#include "symbolic/forward.h"
#include "symbolic/modes.h"
#include "symbolic/ranges.h"
#include "symbolic/symbolic.h"

enum
{
  FIRST_OPERATIONS = 1000000,   /* of isl, for one property at first */
  OPERATIONS = 20000000,        /* and then */
  MODES_OPERATIONS = 3000000,   /* for equalities case by case */
  FORWARD_OPERATIONS = 3000000, /* for the reachable states */
  FEW_OPERATIONS = 200000,      /* for what is nice to know */
  SECONDS = 60,                 /* for all proofs */
  THREADS = 3,                  /* more than the least: in the first look at small instances */
  STATES = 1500,                /* of each of them */
  MORE_THREADS = 8,             /* when something is neither proved nor refuted */
  MORE_STATES = 200000,
  MOST_STATES = 1000000 /* where the violation must be */
};

typedef struct judging
{
  const hd_controller *c;
  const hd_control_options *o;
  hd_symbolic_system *s;
  hd_arena *arena; /* of the proofs */
  const hd_control_proof **proofs;
  const char **reasons; /* why there is none */
  int64_t **starts;     /* a start that may lead to a violation, or NULL */
  const hd_control_proof *deadlock;
  const hd_control_conjunction *reached; /* proofs with this invariant rest on the exact set of reachable states */
  const hd_control_conjunction *modes;   /* and these on equalities case by case */
  uint64_t least, most;
} judging;

/* OPERATIONS of isl, or what the options say if that is less. */
static unsigned long
at_most(const judging *x, unsigned long operations)
{
  return x->o->operations && x->o->operations < operations ? x->o->operations : operations;
}

static void
allow(judging *x, unsigned long operations)
{
  hd_symbolic_allow(x->s, at_most(x, operations));
}

static void
prove_spec(judging *x, size_t i, unsigned long operations)
{
  const hd_control_spec *spec = &x->c->specs[i];
  int64_t *start = hd_arena_alloc(x->arena, (hd_control_dimensions(x->c) + 1) * sizeof *start);
  hd_symbolic_proving p
      = {.s = x->s, .arena = x->arena, .spec = spec, .fair = x->o->fair || spec->fair, .start = start};
  allow(x, operations);
  x->proofs[i] = hd_symbolic_prove(&p);
  x->reasons[i] = p.reason;
  x->starts[i] = p.suspect ? start : NULL;
}

/* Is property I, or the absence of deadlocks (NSPECS), neither proved nor refuted by small instances, R if there are
 * any? */
static bool
unproved(const judging *x, const hd_control_result *r, size_t i)
{
  if (i == x->c->nspecs)
    return !x->deadlock && !(r && r->deadlock.found);
  return !x->proofs[i] && !(r && r->answers[i].verdict == HD_VIOLATED);
}

/* Try to prove what is not; also, if AGAIN, what seems to be violated. True: more work, or another try, may help. */
static bool
prove_round(judging *x, const hd_control_result *r, unsigned long operations, bool again)
{
  size_t n = x->c->nspecs, left = 0, proved = 0;
  bool cut = false;
  for (size_t i = 0; i < n; i++)
    if (unproved(x, r, i) && (again || !x->starts[i]))
    {
      prove_spec(x, i, operations);
      cut = cut || x->s->failed;
      proved += x->proofs[i] != NULL;
      left += x->proofs[i] == NULL;
    }
  if (unproved(x, r, n))
  {
    allow(x, operations);
    x->deadlock = hd_symbolic_prove_no_deadlock(x->s, x->arena);
    cut = cut || x->s->failed;
  }
  return cut || (proved > 0 && left > 0);
}

static bool
anything_unproved(const judging *x, const hd_control_result *r)
{
  for (size_t i = 0; i <= x->c->nspecs; i++)
    if (unproved(x, r, i))
      return true;
  return false;
}

/* INSIDE is what can be reached. If a state in which property I fails, or a deadlock (NSPECS), is among it, remember
 * how it starts. */
static void
suspect_reached(judging *x, size_t i)
{
  allow(x, FIRST_OPERATIONS);
  isl_set *bad = i < x->c->nspecs ? hd_symbolic_violations(x->s, x->c->specs[i].formula)
                                  : hd_symbolic_ends(x->s, hd_symbolic_universe(x->s), true);
  int64_t *start = hd_arena_alloc(x->arena, (hd_control_dimensions(x->c) + 1) * sizeof *start);
  if (!bad || hd_symbolic_sample(x->s, bad, start) != 1)
    return;
  size_t first = hd_control_counter_dimension(x->c, 0);
  for (size_t k = 1; k < x->c->nstates; k++)
    start[first] += start[first + k];
  x->starts[i] = start;
  x->reasons[i] = "states in which it fails can be reached, but no trace to one was found that is short enough";
}

/* Try again with equalities that hold case by case, if there are any. */
static bool
prove_on_modes(judging *x, const hd_control_result *r, bool more)
{
  hd_symbolic_ground before;
  allow(x, MODES_OPERATIONS);
  isl_set *closed = hd_symbolic_modes(x->s);
  if (!closed || !hd_symbolic_stand_on(x->s, closed, &before))
    return more;
  x->modes = x->s->base_rows.conjunctions;
  more = prove_round(x, r, FIRST_OPERATIONS, true);
  hd_symbolic_step_back(x->s, &before, !anything_unproved(x, r));
  return more;
}

/* Try again with the reachable states, if they can be found. */
static bool
prove_on_reached(judging *x, const hd_control_result *r, bool more)
{
  hd_symbolic_ground before;
  allow(x, FORWARD_OPERATIONS);
  isl_set *reached = hd_symbolic_forward(x->s);
  bool one = reached && isl_set_n_basic_set(reached) == 1;
  if (!reached || !hd_symbolic_stand_on(x->s, reached, &before))
    return more;
  x->reached = x->s->base_rows.conjunctions;
  more = prove_round(x, r, FIRST_OPERATIONS, true);
  for (size_t i = 0; i <= x->c->nspecs; i++)
    if (unproved(x, r, i) && !x->starts[i])
      suspect_reached(x, i);
  /* A set of several parts is exact, but makes much work. */
  hd_symbolic_step_back(x->s, &before, one || !anything_unproved(x, r));
  return more;
}

static void
prove_all(judging *x, const hd_control_result *r)
{
  bool more = prove_round(x, r, FIRST_OPERATIONS, true);
  if (!anything_unproved(x, r))
    return;
  more = prove_on_modes(x, r, more);
  if (!anything_unproved(x, r))
    return;
  allow(x, OPERATIONS);
  if (hd_symbolic_find_inequalities(x->s))
    more = prove_round(x, r, FIRST_OPERATIONS, true);
  if (anything_unproved(x, r))
    more = prove_on_reached(x, r, more);
  if (more)
    prove_round(x, r, OPERATIONS, false);
}

/* ---- what small instances show ---- */

static bool
never(judging *x, __isl_take isl_set *set)
{
  allow(x, OPERATIONS);
  return hd_symbolic_exclude(x->s, set) == HD_SYMBOLIC_CLOSED;
}

static isl_set *
occupied(const judging *x, size_t state)
{
  return isl_set_lower_bound_si(hd_symbolic_universe(x->s), isl_dim_set, (unsigned) (x->c->nvariables + state), 1);
}

static isl_set *
callable(const judging *x, size_t action)
{
  isl_set *set = hd_symbolic_nothing(x->s);
  for (size_t e = 0; e < x->c->nedges; e++)
    if (x->c->edges[e].action == action)
      set = isl_set_union(set, occupied(x, x->c->edges[e].from));
  return set;
}

/* Left sides of F that small instances did not show to be true. */
static void
doubt_formula(judging *x, const hd_control_formula *f, bool *left_true)
{
  if (!f)
    return;
  if (f->kind == HD_CONTROL_IMPLIES && !left_true[f->number])
    left_true[f->number] = !never(x, hd_symbolic_set(x->s, &f->left->holds));
  doubt_formula(x, f->left, left_true);
  doubt_formula(x, f->right, left_true);
}

/* Prove what small instances, R, do not refute; and what they did not show is said to be impossible only if that is
 * proved. */
static void
doubt(void *context, const hd_control_result *r, hd_control_seen *seen)
{
  judging *x = context;
  const hd_controller *c = x->c;
  prove_all(x, r);
  for (size_t i = 0; i < c->nstates; i++)
    seen->states[i] = seen->states[i] || !never(x, occupied(x, i));
  for (size_t i = 0; i < c->nactions; i++)
  {
    const hd_control_action *a = &c->actions[i];
    seen->callable[i] = seen->callable[i] || !never(x, callable(x, i));
    isl_set *asked = callable(x, i); /* and no guard before it holds */
    for (size_t k = 0; k < a->ncommands; k++)
    {
      isl_set *fires = isl_set_intersect(isl_set_copy(asked), hd_symbolic_set(x->s, &a->commands[k].guard));
      asked = isl_set_intersect(asked, hd_symbolic_set(x->s, &a->commands[k].not_guard));
      seen->fired[i][k] = seen->fired[i][k] || !never(x, isl_set_copy(fires));
      seen->was_false[i][k] = seen->was_false[i][k] || !never(x, isl_set_copy(asked));
      isl_set_free(fires);
    }
    isl_set_free(asked);
  }
  for (size_t i = 0; i < c->nspecs; i++)
    if (x->proofs[i])
      doubt_formula(x, c->specs[i].formula, seen->left_true[i]);
}

/* The explicit engine with LEAST to MOST threads. NULL: it has no instance to look at. */
static hd_control_result *
look(judging *x, uint64_t least, uint64_t most, const hd_control_binding *bindings, size_t nbindings, uint64_t states,
     bool notes)
{
  hd_string ignored = {0};
  hd_control_options o = *x->o;
  o.least_threads = least;
  o.most_threads = most < HD_CONTROL_MOST_THREADS ? most : HD_CONTROL_MOST_THREADS;
  o.bindings = bindings;
  o.nbindings = nbindings;
  o.states = x->o->states && x->o->states < states ? x->o->states : states;
  o.doubt = notes ? doubt : NULL;
  o.doubt_context = x;
  hd_control_result *r = hd_control_verify(x->c, &o, &ignored);
  hd_string_free(&ignored);
  return r;
}

/* Take over what R found that IN has not. */
static void
adopt(judging *x, hd_control_result *in, HD_TAKE hd_control_result *r)
{
  if (!r)
    return;
  for (size_t i = 0; i < x->c->nspecs; i++)
    if (r->answers[i].verdict == HD_VIOLATED && in->answers[i].verdict != HD_VIOLATED)
      in->answers[i] = r->answers[i];
  if (r->deadlock.found && !in->deadlock.found)
  {
    in->deadlock = r->deadlock;
    in->deadlocks = r->deadlocks;
  }
  in->states += r->states;
  in->steps += r->steps;
  r->other = in->other;
  in->other = r;
}

/* Is property I, or the absence of deadlocks (NSPECS), still open? */
static bool
open_question(const judging *x, const hd_control_result *r, size_t i)
{
  return i < x->c->nspecs ? !x->proofs[i] && r->answers[i].verdict != HD_VIOLATED : !x->deadlock && !r->deadlock.found;
}

/* Look for the violation that the start of property I may lead to. */
static void
follow_suspect(judging *x, hd_control_result *r, size_t i)
{
  const hd_controller *c = x->c;
  hd_control_binding *bindings = hd_alloc_array(c->nconstants + 1, sizeof *bindings);
  for (size_t k = 0; k < c->nconstants; k++)
    bindings[k] = (hd_control_binding){c->constants[k].name, x->starts[i][k]};
  uint64_t threads = (uint64_t) x->starts[i][hd_control_counter_dimension(c, 0)];
  for (uint64_t t = x->least; t <= threads && threads <= HD_CONTROL_MOST_THREADS && open_question(x, r, i); t++)
    adopt(x, r,
          look(x, t, t, bindings, c->nconstants,
               t < threads    ? MORE_STATES
               : x->o->states ? x->o->states
                              : MOST_STATES,
               false));
  free(bindings);
}

static void
look_further(judging *x, hd_control_result *r)
{
  size_t n = x->c->nspecs;
  for (size_t i = 0; i <= n; i++)
    if (open_question(x, r, i) && x->starts[i])
      follow_suspect(x, r, i);
  for (uint64_t t = x->least; t <= x->least + MORE_THREADS && t <= x->most; t++)
  {
    bool any = false;
    for (size_t i = 0; i < n; i++)
      any = any || open_question(x, r, i);
    if (!any || (x->s->deadline > 0 && hd_symbolic_now() > x->s->deadline))
      return;
    adopt(x, r, look(x, t, t, x->o->bindings, x->o->nbindings, MORE_STATES, false));
  }
}

/* ---- the answer ---- */

static const char *
describe(judging *x, hd_arena *arena, const hd_control_proof *proof, const hd_control_spec *spec)
{
  hd_string s = {0};
  size_t stages = 0, ranks = 0;
  for (uint32_t k = 0; k < spec->nodes; k++)
  {
    stages += proof->nodes[k].nstages;
    for (size_t i = 0; i < proof->nodes[k].nstages; i++)
      ranks += proof->nodes[k].stages[i].nranks;
  }
  if (x->reached && proof->invariant.conjunctions == x->reached)
    hd_string_printf(&s, "the reachable states, %zu set%s", proof->invariant.n, proof->invariant.n == 1 ? "" : "s");
  else if (x->modes && proof->invariant.conjunctions == x->modes)
    hd_string_printf(&s, "invariant of equalities in %zu case%s and %zu excluded set%s", proof->invariant.n,
                     proof->invariant.n == 1 ? "" : "s", proof->excluded.n, proof->excluded.n == 1 ? "" : "s");
  else
    hd_string_printf(&s, "invariant of %zu equalit%s and %zu excluded set%s", x->s->nequalities,
                     x->s->nequalities == 1 ? "y" : "ies", proof->excluded.n, proof->excluded.n == 1 ? "" : "s");
  if (stages)
    hd_string_printf(&s, ", %zu stage%s with %zu rank%s", stages, stages == 1 ? "" : "s", ranks, ranks == 1 ? "" : "s");
  char *text = memcpy(hd_arena_alloc(arena, s.length + 1), s.text, s.length + 1);
  hd_string_free(&s);
  return text;
}

static void
conclude(judging *x, hd_control_result *r)
{
  const hd_controller *c = x->c;
  bool contradiction = false, all = true, violated = r->forbid_deadlock && r->deadlock.found;
  for (size_t i = 0; i < c->nspecs; i++)
  {
    hd_control_answer *a = &r->answers[i];
    if (x->proofs[i] && a->verdict == HD_VIOLATED)
    {
      contradiction = true;
      a->verdict = HD_INCOMPLETE;
      a->incomplete
          = "it was proved, and yet a small instance violates it: this is a mistake of heddle, please report it";
    }
    else if (x->proofs[i])
    {
      a->verdict = HD_HOLDS;
      a->incomplete = NULL;
      a->how = describe(x, r->arena, x->proofs[i], &c->specs[i]);
    }
    else if (a->verdict != HD_VIOLATED)
    {
      a->verdict = HD_INCOMPLETE;
      a->vacuous = false;
      a->incomplete = x->reasons[i] ? x->reasons[i] : "it was neither proved nor refuted";
    }
    violated = violated || a->verdict == HD_VIOLATED;
    all = all && a->verdict != HD_INCOMPLETE;
  }
  if (r->forbid_deadlock && !r->deadlock.found && !x->deadlock)
    all = false;
  r->symbolic = true;
  r->no_deadlock = x->deadlock != NULL && !r->deadlock.found;
  r->nequalities = x->s->nequalities;
  r->equalities = x->s->equalities;
  r->least_threads = x->least;
  r->most_threads = x->most;
  r->complete = all;
  r->incomplete = all ? NULL : "not every property was proved or refuted for all numbers of threads";
  r->verdict = violated ? HD_VIOLATED : all && !contradiction ? HD_HOLDS : HD_INCOMPLETE;
  hd_control_binding *bindings = hd_arena_alloc(r->arena, (x->o->nbindings + 1) * sizeof *bindings);
  for (size_t i = 0; i < x->o->nbindings; i++)
    for (size_t k = 0; k < c->nconstants; k++)
      if (strcmp(c->constants[k].name, x->o->bindings[i].name) == 0)
        bindings[i] = (hd_control_binding){c->constants[k].name, x->o->bindings[i].value};
  hd_control_certificate *certificate = hd_arena_alloc(r->arena, sizeof *certificate);
  *certificate = (hd_control_certificate){.least_threads = x->least,
                                          .most_threads = x->most,
                                          .fair = x->o->fair,
                                          .proofs = x->proofs,
                                          .deadlock = x->deadlock,
                                          .nbindings = x->o->nbindings,
                                          .bindings = bindings};
  r->certificate = certificate;
}

static bool
check_options(judging *x, hd_string *error)
{
  const hd_controller *c = x->c;
  x->least = x->o->least_threads > c->least_threads ? x->o->least_threads : c->least_threads;
  x->most = x->o->most_threads < c->most_threads ? x->o->most_threads : c->most_threads;
  if (x->least > x->most)
    hd_string_printf(error, "the range of threads is empty: the file allows %" PRIu64 " to %" PRIu64 " (THREADS)",
                     c->least_threads, c->most_threads);
  for (size_t i = 0; i < x->o->nbindings; i++)
  {
    size_t k = 0;
    while (k < c->nconstants && strcmp(c->constants[k].name, x->o->bindings[i].name) != 0)
      k++;
    if (k == c->nconstants && !error->length)
      hd_string_printf(error, "%s has no constant '%s'", c->path, x->o->bindings[i].name);
  }
  return error->length == 0;
}

/* A result for a controller of which no small instance can be looked at. */
static hd_control_result *
empty_result(const judging *x)
{
  hd_arena *arena = hd_arena_new();
  hd_control_result *r = hd_arena_alloc(arena, sizeof *r);
  *r = (hd_control_result){.arena = arena, .forbid_deadlock = x->o->forbid_deadlock, .fair = x->o->fair};
  size_t bytes = (x->c->nspecs + 1) * sizeof *r->answers;
  r->answers = memset(hd_arena_alloc(arena, bytes), 0, bytes);
  return r;
}

hd_control_result *
hd_symbolic_verify(const hd_controller *c, const hd_control_options *options, hd_string *error)
{
  judging x = {.c = c, .o = options};
  if (!check_options(&x, error))
    return NULL;
  x.arena = hd_arena_new();
  x.proofs = hd_arena_alloc(x.arena, (c->nspecs + 1) * sizeof *x.proofs);
  x.reasons = hd_arena_alloc(x.arena, (c->nspecs + 1) * sizeof *x.reasons);
  x.starts = hd_arena_alloc(x.arena, (c->nspecs + 1) * sizeof *x.starts);
  memset(x.proofs, 0, (c->nspecs + 1) * sizeof *x.proofs);
  memset(x.starts, 0, (c->nspecs + 1) * sizeof *x.starts);
  x.s = hd_symbolic_system_new(x.arena, c, x.least, x.most, options->bindings, options->nbindings);
  hd_symbolic_limit(x.s, options->seconds > 0 ? options->seconds : SECONDS);
  hd_symbolic_find_equalities(x.s);
  hd_control_result *r = look(&x, x.least, x.most - x.least < THREADS ? x.most : x.least + THREADS, options->bindings,
                              options->nbindings, STATES, true);
  if (!r)
  {
    prove_all(&x, NULL);
    r = empty_result(&x);
  }
  look_further(&x, r);
  conclude(&x, r);
  r->ranges = hd_symbolic_ranges(x.s, r->arena, at_most(&x, FEW_OPERATIONS));
  hd_symbolic_system_free(x.s);
  r->proofs = x.arena;
  return r;
}

void
hd_symbolic_add_equalities(const hd_controller *c, const hd_control_options *options, hd_control_result *r)
{
  hd_arena *arena = r->proofs ? r->proofs : hd_arena_new();
  hd_symbolic_system *s
      = hd_symbolic_system_new(arena, c, r->least_threads, r->most_threads, options->bindings, options->nbindings);
  hd_symbolic_limit(s, options->seconds > 0 ? options->seconds : SECONDS);
  hd_symbolic_allow(s, OPERATIONS);
  hd_symbolic_find_equalities(s);
  r->nequalities = s->nequalities;
  r->equalities = s->equalities;
  r->proofs = arena;
  hd_symbolic_system_free(s);
}
