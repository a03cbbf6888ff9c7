/* movers_checks.c: commutativity, gate preservation, failure preservation and non-blocking as plain procedures.
 *
 * The two actions of a pair run on different parameters: first_x and second_x. Both threads hold their permissions at
 * once, so their linear parameters are disjoint from each other and from the linear globals of the frame: before both
 * actions without those that only come out (linear_out), afterwards without those that were consumed (linear_in). */
#include "civl/movers_checks.h"
#include "civl/relation.h"

static void
add_vars(const hd_civl *c, hd_boogie_vars *out, const hd_boogie_vars *vars, linear_kind but)
{
  for (size_t i = 0; i < vars->n; i++)
    if (but == LINEAR_NOT || hd_civl_linear_kind(c, vars->items[i]) != but)
      HD_BOOGIE_ADD(c->program, *out, vars->items[i]);
}

/* The parameters A (without kind BUT_A) and B (without kind BUT_B) and the frame are disjoint. */
static hd_boogie_expr *
disjoint(const hd_civl *c, const hd_boogie_vars *a, linear_kind but_a, const hd_boogie_vars *b, linear_kind but_b,
         const var_set *frame)
{
  hd_boogie_vars all = {0};
  add_vars(c, &all, a, but_a);
  add_vars(c, &all, b, but_b);
  add_vars(c, &all, &frame->list, LINEAR_NOT);
  return hd_civl_all_disjoint(c, &all);
}

static checker
pair_checker(hd_civl *c, const char *kind, const action_copy *a, const action_copy *b, const var_set *frame)
{
  checker k = hd_civl_checker_new(c, hd_boogie_text(c->program, "%s_%s_%s", kind, a->proc->name, b->proc->name), "init",
                                  hd_civl_nowhere);
  hd_civl_checker_params(&k, &a->first.ins, &a->first.outs);
  hd_civl_checker_params(&k, &b->second.ins, &b->second.outs);
  hd_civl_checker_modifies(&k, &c->globals);
  hd_civl_checker_requires(&k, disjoint(c, &a->first.ins, LINEAR_OUT, &b->second.ins, LINEAR_OUT, frame));
  return k;
}

void
hd_civl_check_commutativity(hd_civl *c, const action_copy *a, const action_copy *b)
{
  hd_boogie_program *p = c->program;
  var_set frame = {0};
  hd_civl_set_add_all(p, &frame, &a->gate_globals);
  hd_civl_set_add_all(p, &frame, &a->body_globals);
  hd_civl_set_add_all(p, &frame, &b->gate_globals);
  hd_civl_set_add_all(p, &frame, &b->body_globals);

  checker k = pair_checker(c, "CommutativityChecker", a, b, &frame);
  hd_civl_checker_requires_gate(&k, &a->first.gate);
  hd_civl_checker_requires_gate(&k, &b->second.gate);
  hd_civl_checker_call(&k, a, &a->first.ins, &a->first.outs);
  hd_civl_checker_call(&k, b, &b->second.ins, &b->second.outs);
  hd_boogie_expr *linear = hd_boogie_and2(p, disjoint(c, &a->first.outs, LINEAR_NOT, &b->second.ins, LINEAR_IN, &frame),
                                          disjoint(c, &a->first.outs, LINEAR_NOT, &b->second.outs, LINEAR_NOT, &frame));
  hd_boogie_expr *relation = hd_civl_relation_swapped(c, a, b, &frame);
  hd_civl_checker_ensures(
      &k, a->proc->at, hd_civl_is_true(linear) ? relation : hd_boogie_implies(p, linear, relation),
      hd_boogie_text(p, "Commutativity check between %s and %s failed", a->proc->name, b->proc->name));
  hd_civl_checker_done(&k, HD_CIVL_COMMUTATIVITY, a, b->action->proc->name);
}

/* What gate and failure preservation share: the checker before anything is ensured, and what is linear after BY. */
static checker
gate_checker(hd_civl *c, const char *kind, const action_copy *a, const action_copy *by, hd_boogie_expr **linear)
{
  hd_boogie_program *p = c->program;
  var_set frame = {0};
  hd_civl_set_add_all(p, &frame, &a->gate_globals);
  hd_civl_set_add_all(p, &frame, &by->gate_globals);
  hd_civl_set_add_all(p, &frame, &by->body_globals);
  checker k = pair_checker(c, kind, a, by, &frame);
  hd_civl_checker_call(&k, by, &by->second.ins, &by->second.outs);
  *linear = disjoint(c, &a->first.ins, LINEAR_NOT, &by->second.outs, LINEAR_NOT, &frame);
  return k;
}

void
hd_civl_check_gate(hd_civl *c, const action_copy *a, const action_copy *by)
{
  hd_boogie_program *p = c->program;
  hd_boogie_expr *linear;
  checker k = gate_checker(c, "GatePreservationChecker", a, by, &linear);
  hd_civl_checker_requires_gate(&k, &by->second.gate);
  hd_civl_checker_requires_gate(&k, &a->first.gate);
  for (size_t i = 0; i < a->first.gate.n; i++)
  {
    hd_boogie_expr *e = a->first.gate.items[i]->expr;
    hd_civl_checker_ensures(&k, a->gate.items[i]->at, hd_civl_is_true(linear) ? e : hd_boogie_implies(p, linear, e),
                            hd_boogie_text(p, "Gate of %s not preserved by %s", a->proc->name, by->proc->name));
  }
  hd_civl_checker_done(&k, HD_CIVL_GATE_PRESERVATION, a, by->action->proc->name);
}

void
hd_civl_check_failure(hd_civl *c, const action_copy *a, const action_copy *by)
{
  hd_boogie_program *p = c->program;
  hd_boogie_expr *linear;
  checker k = gate_checker(c, "FailurePreservationChecker", a, by, &linear);
  hd_boogie_exprs gate = {0};
  for (size_t i = 0; i < a->first.gate.n; i++)
    HD_BOOGIE_ADD(p, gate, a->first.gate.items[i]->expr);
  hd_boogie_expr *fails = hd_boogie_not(p, hd_boogie_and(p, &gate));
  hd_civl_checker_requires(&k, fails);
  hd_civl_checker_requires_gate(&k, &by->second.gate);
  hd_civl_checker_ensures(&k, a->proc->at, hd_civl_is_true(linear) ? fails : hd_boogie_implies(p, linear, fails),
                          hd_boogie_text(p, "Gate failure of %s not preserved by %s", a->proc->name, by->proc->name));
  hd_civl_checker_done(&k, HD_CIVL_FAILURE_PRESERVATION, a, by->action->proc->name);
}

void
hd_civl_check_non_blocking(hd_civl *c, const action_copy *a)
{
  hd_boogie_program *p = c->program;
  var_set frame = {0};
  hd_civl_set_add_all(p, &frame, &a->gate_globals);
  hd_civl_set_add_all(p, &frame, &a->body_globals);
  checker k
      = hd_civl_checker_new(c, hd_boogie_text(p, "NonBlockingChecker_%s", a->proc->name), "L", a->action->proc->at);
  hd_boogie_vars none = {0};
  hd_civl_checker_params(&k, &a->impl->ins, &none);
  hd_civl_checker_modifies(&k, &c->globals);
  hd_civl_checker_requires(&k, disjoint(c, &a->impl->ins, LINEAR_OUT, &none, LINEAR_NOT, &frame));
  hd_civl_checker_requires_gate(&k, &a->gate);
  hd_civl_checker_assert(&k, a->proc->at, hd_civl_relation_enabled(c, a, &frame),
                         hd_boogie_text(p, "Non-blocking check for %s failed", a->proc->name));
  hd_civl_checker_done(&k, HD_CIVL_NON_BLOCKING, a, NULL);
}
