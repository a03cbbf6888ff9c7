/* formula.c: ACTL over sets of states.
 *
 * A formula is proved for a set of states FROM, and what that needs is passed down: AG at the top needs its operand in
 * every state of INSIDE, an implication needs its right side where the left one holds. Where a predicate does not hold
 * in all states of FROM, the rest must be unreachable, which a search backwards finds out; what it excludes helps with
 * everything that comes later. Below AX, AF, AU and nested AG the other direction is needed: the states in which an
 * operand may fail, as a set that is never too small. */
#include <stdlib.h>
#include <string.h>

#include "symbolic/backward.h"
#include "symbolic/eventually.h"
#include "symbolic/formula.h"

#include <isl/ilp.h>

static const char *const spoilt = "states in which it fails, or may fail, can be reached";

static isl_set *fails(hd_symbolic_proving *x, const hd_control_formula *f);

static void
give_up(hd_symbolic_proving *x, const char *reason)
{
  if (!x->reason)
    x->reason = x->s->failed ? x->s->failed : reason;
}

/* STATES is where F is claimed. */
static void
note(hd_symbolic_proving *x, const hd_control_formula *f, __isl_keep isl_set *states)
{
  isl_set *plain = isl_set_gist(isl_set_copy(states), isl_set_copy(x->s->base));
  if (!hd_symbolic_to_set(x->s, plain, x->arena, &x->nodes[f->number].states))
    give_up(x, "a set of the proof is too large to be written");
  isl_set_free(plain);
}

/* F is claimed in the states that are not in BAD. */
static void
note_without(hd_symbolic_proving *x, const hd_control_formula *f, __isl_keep isl_set *bad)
{
  isl_set *good = isl_set_subtract(isl_set_copy(x->s->base), isl_set_coalesce(isl_set_copy(bad)));
  good = isl_set_coalesce(good);
  note(x, f, good);
  isl_set_free(good);
}

/* ---- where a formula may fail ---- */

static isl_set *
fails_ag(hd_symbolic_proving *x, const hd_control_formula *f)
{
  hd_symbolic_search search;
  if (hd_symbolic_backward(&search, x->s, fails(x, f->left), NULL, false) == HD_SYMBOLIC_GAVE_UP)
    give_up(x, "the search backwards did not come to an end");
  isl_set *bad = hd_symbolic_found(&search);
  hd_symbolic_search_free(&search);
  return bad;
}

/* Find the stages of F, which is AF or AU, for the states of FROM; returns the states for which none was found. */
static isl_set *
find_stages(hd_symbolic_proving *x, const hd_control_formula *f, __isl_keep isl_set *from)
{
  bool until = f->kind == HD_CONTROL_AU;
  hd_symbolic_goal goal = {.from = from,
                           .not_yet = fails(x, until ? f->right : f->left),
                           .broken = until ? fails(x, f->left) : NULL,
                           .fair = x->fair};
  hd_symbolic_stages stages;
  hd_symbolic_eventually(x->s, &goal, x->arena, &stages);
  hd_control_stage *copy = hd_arena_alloc(x->arena, stages.n * sizeof *copy + 1);
  if (stages.n)
    memcpy(copy, stages.items, stages.n * sizeof *copy);
  x->nodes[f->number].nstages = stages.n;
  x->nodes[f->number].stages = copy;
  free(stages.items);
  isl_set_free(goal.not_yet);
  isl_set_free(goal.broken);
  return stages.left;
}

/* Where F may fail, within INSIDE: never too small. */
static isl_set *
may_fail(hd_symbolic_proving *x, const hd_control_formula *f)
{
  isl_set *bad = NULL;
  switch (f->kind)
  {
  case HD_CONTROL_PREDICATE:
    bad = isl_set_intersect(hd_symbolic_set(x->s, &f->fails), isl_set_copy(x->s->inside));
    break;
  case HD_CONTROL_AND:
    bad = isl_set_union(fails(x, f->left), fails(x, f->right));
    break;
  case HD_CONTROL_OR:
    bad = isl_set_intersect(fails(x, f->left), fails(x, f->right));
    break;
  case HD_CONTROL_IMPLIES:
    x->nodes[f->left->number].states = f->left->holds;
    bad = isl_set_intersect(hd_symbolic_set(x->s, &f->left->holds), fails(x, f->right));
    break;
  case HD_CONTROL_AX:
  {
    isl_set *target = fails(x, f->left);
    bad = hd_symbolic_before_any(x->s, target);
    isl_set_free(target);
    break;
  }
  case HD_CONTROL_AG:
    bad = fails_ag(x, f);
    break;
  case HD_CONTROL_AF:
  case HD_CONTROL_AU:
  {
    isl_set *all = hd_symbolic_universe(x->s);
    bad = find_stages(x, f, all);
    isl_set_free(all);
    break;
  }
  }
  return hd_symbolic_tidy(x->s, bad);
}

/* The same, and F is claimed everywhere else. */
static isl_set *
fails(hd_symbolic_proving *x, const hd_control_formula *f)
{
  isl_set *bad = may_fail(x, f);
  if (f->kind == HD_CONTROL_PREDICATE)
    x->nodes[f->number].states = f->holds;
  else
    note_without(x, f, bad);
  return bad;
}

/* ---- proving ---- */

/* A start of STARTS with the fewest threads, and then with the smallest constants as far as they have smallest ones. */
static bool
smallest_start(hd_symbolic_system *s, __isl_take isl_set *starts, int64_t *point)
{
  for (size_t i = 0; i <= s->c->nconstants; i++)
  {
    hd_control_term term = {(uint32_t) (i == 0 ? hd_control_counter_dimension(s->c, 0) : i - 1), 1};
    hd_control_linear l = {0, 1, &term};
    isl_aff *aff = hd_symbolic_aff(s, &l);
    isl_val *least = isl_set_min_val(starts, aff);
    if (least && isl_val_is_int(least) == isl_bool_true)
    {
      aff = isl_aff_add_constant_val(aff, isl_val_neg(isl_val_copy(least)));
      starts = isl_set_intersect(starts, isl_set_from_basic_set(isl_aff_zero_basic_set(isl_aff_copy(aff))));
    }
    isl_val_free(least);
    isl_aff_free(aff);
  }
  return hd_symbolic_sample(s, starts, point) == 1;
}

/* No state of BAD may be reachable; else OTHERWISE says what that means. */
static bool
exclude(hd_symbolic_proving *x, __isl_take isl_set *bad, const char *otherwise)
{
  hd_symbolic_system *s = x->s;
  hd_symbolic_search search;
  hd_symbolic_outcome outcome = hd_symbolic_backward(&search, s, bad, NULL, true);
  if (outcome == HD_SYMBOLIC_CLOSED)
    hd_symbolic_rule_out(&search);
  else if (outcome == HD_SYMBOLIC_GAVE_UP)
    give_up(x, "the search backwards did not come to an end");
  else
  {
    isl_set *starts = isl_set_intersect(hd_symbolic_found(&search), isl_set_copy(s->start));
    x->suspect = smallest_start(s, starts, x->start);
    give_up(x, otherwise);
  }
  hd_symbolic_search_free(&search);
  return outcome == HD_SYMBOLIC_CLOSED;
}

/* Which states FROM is. */
typedef enum claim
{
  AT_START,
  EVERYWHERE,
  SOMEWHERE
} claim;

static bool
prove_predicate(hd_symbolic_proving *x, const hd_control_formula *f, __isl_keep isl_set *from, claim where)
{
  x->nodes[f->number].states = f->holds;
  isl_set *bad = isl_set_intersect(hd_symbolic_set(x->s, &f->fails), isl_set_copy(from));
  bool proved = exclude(x, bad, spoilt);
  if (proved && where == EVERYWHERE)
    hd_symbolic_learn(x->s, hd_symbolic_set(x->s, &f->holds));
  return proved;
}

/* Prove F for the reachable states of FROM. */
static bool
prove(hd_symbolic_proving *x, const hd_control_formula *f, __isl_keep isl_set *from, claim where)
{
  bool proved = false;
  if (hd_symbolic_over(x->s))
  {
    give_up(x, "");
    return false;
  }
  switch (f->kind)
  {
  case HD_CONTROL_PREDICATE:
    return prove_predicate(x, f, from, where);
  case HD_CONTROL_AND:
    proved = prove(x, f->left, from, where) && prove(x, f->right, from, where);
    note(x, f, from);
    return proved;
  case HD_CONTROL_IMPLIES:
  {
    x->nodes[f->left->number].states = f->left->holds;
    isl_set *part = isl_set_intersect(isl_set_copy(from), hd_symbolic_set(x->s, &f->left->holds));
    proved = prove(x, f->right, part, SOMEWHERE);
    isl_set_free(part);
    note(x, f, from);
    return proved;
  }
  case HD_CONTROL_OR:
  {
    /* The side that may fail somewhere is given; there, the other one has to hold. */
    bool left = f->left->kind == HD_CONTROL_PREDICATE || f->right->kind != HD_CONTROL_PREDICATE;
    isl_set *part = isl_set_intersect(isl_set_copy(from), fails(x, left ? f->left : f->right));
    proved = prove(x, left ? f->right : f->left, part, SOMEWHERE);
    isl_set_free(part);
    note(x, f, from);
    return proved;
  }
  case HD_CONTROL_AG:
    if (where != SOMEWHERE)
    {
      isl_set *all = hd_symbolic_universe(x->s);
      proved = prove(x, f->left, all, EVERYWHERE);
      note(x, f, all);
      isl_set_free(all);
      return proved;
    }
    break;
  case HD_CONTROL_AF:
  case HD_CONTROL_AU:
    proved = exclude(x, isl_set_intersect(find_stages(x, f, from), isl_set_copy(from)),
                     "no ranking was found that shows that it happens at last");
    note(x, f, from);
    return proved;
  case HD_CONTROL_AX:
    break;
  }

  /* A nested AG is claimed where it holds, which is closed under steps; AX only where it is asked for. */
  isl_set *bad = isl_set_intersect(f->kind == HD_CONTROL_AG ? fails(x, f) : may_fail(x, f), isl_set_copy(from));
  if (f->kind == HD_CONTROL_AX)
    note(x, f, from);
  if (!x->reason)
    return exclude(x, bad, spoilt);
  isl_set_free(bad);
  return false;
}

/* The invariant that everything so far rests on. */
static const hd_control_proof *
finish(hd_symbolic_system *s, hd_arena *arena, const hd_control_proof_node *nodes)
{
  hd_control_proof *proof = hd_arena_alloc(arena, sizeof *proof);
  hd_control_conjunction *excluded = hd_arena_alloc(arena, (s->nexcluded + 1) * sizeof *excluded);
  if (s->nexcluded)
    memcpy(excluded, s->excluded_rows, s->nexcluded * sizeof *excluded);
  *proof = (hd_control_proof){.invariant = s->base_rows, .excluded = {s->nexcluded, excluded}, .nodes = nodes};
  return proof;
}

const hd_control_proof *
hd_symbolic_prove(hd_symbolic_proving *x)
{
  hd_symbolic_system *s = x->s;
  const hd_control_formula *f = x->spec->formula;
  x->nodes = hd_arena_alloc(x->arena, (x->spec->nodes + 1) * sizeof *x->nodes);
  memset(x->nodes, 0, (x->spec->nodes + 1) * sizeof *x->nodes);
  x->suspect = false;
  x->reason = NULL;
  bool proved = prove(x, f, s->start, AT_START);
  if (!proved || x->reason || hd_symbolic_over(s))
  {
    give_up(x, "the proof could not be finished");
    return NULL;
  }
  return finish(s, x->arena, x->nodes);
}

const hd_control_proof *
hd_symbolic_prove_no_deadlock(hd_symbolic_system *s, hd_arena *arena)
{
  isl_set *bad = hd_symbolic_ends(s, hd_symbolic_universe(s), true);
  return hd_symbolic_exclude(s, bad) == HD_SYMBOLIC_CLOSED && !hd_symbolic_over(s) ? finish(s, arena, NULL) : NULL;
}
