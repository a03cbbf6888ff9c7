/* refine.c: a procedure refines its action: of the fragments of each path exactly one does what the action does, all
 * others change nothing that is still there above the layer.
 *
 * Two variables remember the fragments that ended: PC, that one of them changed something; OK, that one of them was a
 * step of the action. With SAME (nothing changed since the snapshot) and BETA (the action leads from the snapshot to
 * here):
 *
 *   where a fragment ends   assert PC || SAME || BETA, and PC ==> SAME and the outputs are as they were
 *   then                    PC, OK := SAME ==> PC, OK || BETA
 *   where one begins        assume PC || the action's gate
 *   at a return             assert OK, too
 *
 * A procedure that refines nothing refines the action that does nothing. */
#include "civl/copies.h"
#include "civl/relation.h"

static const hd_boogie_place generated = {.file = ""};

struct refinement
{
  hd_boogie_var *pc, *ok;
  hd_boogie_vars old_outs;
  hd_boogie_vars head_pcs, head_oks; /* by number of the head: as they were before the loop */
  hd_boogie_expr *same, *same_outs, *alpha, *beta;
};

static hd_boogie_var *
new_local(body *b, const char *name, hd_boogie_type *type)
{
  hd_boogie_program *p = b->layer->c->program;
  hd_boogie_var *v = hd_boogie_new_var(p, HD_BOOGIE_LOCAL, generated, name, type);
  HD_BOOGIE_ADD(p, b->impl->locals, v);
  return v;
}

/* The globals that are there at the layer and still above it. */
static void
frame_of(const body *b, var_set *frame)
{
  const hd_civl *c = b->layer->c;
  for (size_t i = 0; i < c->globals.n; i++)
  {
    layer_range r = hd_civl_global_range(c, c->globals.items[i]);
    if (r.lower <= b->layer->layer && b->layer->layer < r.upper)
      hd_civl_set_add(c->program, frame, c->globals.items[i]);
  }
}

static hd_boogie_expr *
all_same(const body *b, const var_set *frame)
{
  hd_boogie_program *p = b->layer->c->program;
  const hd_boogie_vars *globals = &b->layer->c->globals;
  hd_boogie_exprs parts = {0};
  for (size_t i = 0; i < globals->n; i++)
    if (hd_civl_set_has(frame, globals->items[i]))
      HD_BOOGIE_ADD(p, parts,
                    hd_boogie_eq(p, hd_boogie_use(p, globals->items[i]), hd_boogie_use(p, b->snapshots.items[i])));
  return hd_boogie_and(p, &parts);
}

/* Gate and relation of the refined action, about our parameters and snapshots. */
static void
say_action(body *b, refinement *r, const var_set *frame)
{
  hd_civl *c = b->layer->c;
  hd_boogie_program *p = c->program;
  const action_copy *a = hd_civl_copy_at(c, b->yielding->refined, b->layer->layer + 1);
  HD_CHECK(a);
  hd_boogie_subst *s = hd_boogie_subst_new();
  for (size_t i = 0; i < a->impl->ins.n; i++)
    hd_boogie_subst_set_var(s, p, a->impl->ins.items[i], b->impl->ins.items[i]);
  for (size_t i = 0; i < a->impl->outs.n; i++)
    hd_boogie_subst_set_var(s, p, a->impl->outs.items[i], b->impl->outs.items[i]);
  hd_boogie_exprs gate = {0};
  for (size_t i = 0; i < a->gate.n; i++)
    HD_BOOGIE_ADD(p, gate, hd_boogie_substitute(p, s, a->gate.items[i]->expr));
  r->alpha = hd_boogie_and(p, &gate);
  for (size_t i = 0; i < c->globals.n; i++)
    hd_boogie_subst_set_old(s, c->globals.items[i], hd_boogie_use(p, b->snapshots.items[i]));
  hd_boogie_rewriter rewriter = {.program = p, .subst = s, .drop_old = true};
  r->beta = hd_boogie_rewrite_expr(&rewriter, hd_civl_relation_of(c, a, frame));
  hd_boogie_subst_free(s);
}

void
hd_civl_refine_begin(body *b)
{
  hd_boogie_program *p = b->layer->c->program;
  if (b->yielding->layer != b->layer->layer)
    return;
  refinement *r = hd_boogie_alloc(p, sizeof *r);
  var_set frame = {0};
  b->refinement = r;
  r->pc = new_local(b, "og_pc", p->bool_type);
  r->ok = new_local(b, "og_ok", p->bool_type);
  frame_of(b, &frame);
  r->same = all_same(b, &frame);
  r->alpha = hd_boogie_bool(p, true);
  r->beta = r->same;
  if (b->yielding->kind == YIELDING_ACTION)
    say_action(b, r, &frame);
  hd_boogie_exprs same = {0};
  HD_BOOGIE_ADD(p, same, r->same);
  for (size_t i = 0; i < b->impl->outs.n; i++)
  {
    hd_boogie_var *out = b->impl->outs.items[i];
    HD_BOOGIE_ADD(p, r->old_outs, new_local(b, hd_boogie_text(p, "og_old_%s", out->name), out->type));
    HD_BOOGIE_ADD(p, same, hd_boogie_eq(p, hd_boogie_use(p, out), hd_boogie_use(p, r->old_outs.items[i])));
  }
  r->same_outs = hd_boogie_and(p, &same);
  for (size_t i = 0; i < b->heads.n; i++)
  {
    const char *label = b->heads.items[i]->label;
    HD_BOOGIE_ADD(p, r->head_pcs, new_local(b, hd_boogie_text(p, "og_pc_%s", label), p->bool_type));
    HD_BOOGIE_ADD(p, r->head_oks, new_local(b, hd_boogie_text(p, "og_ok_%s", label), p->bool_type));
  }
}

static void
assign_two(hd_boogie_program *p, hd_boogie_var *a, hd_boogie_expr *x, hd_boogie_var *b, hd_boogie_expr *y,
           hd_boogie_cmds *out)
{
  hd_boogie_vars targets = {0};
  hd_boogie_exprs values = {0};
  HD_BOOGIE_ADD(p, targets, a);
  HD_BOOGIE_ADD(p, targets, b);
  HD_BOOGIE_ADD(p, values, x);
  HD_BOOGIE_ADD(p, values, y);
  hd_civl_assign_all(p, &targets, &values, out);
}

static void
add_assert(hd_boogie_program *p, hd_boogie_place at, hd_boogie_expr *e, const char *message, hd_boogie_cmds *out)
{
  hd_boogie_cmd *cmd = hd_boogie_assert(p, at, e);
  cmd->message = message;
  HD_BOOGIE_ADD(p, *out, cmd);
}

void
hd_civl_refine_init(body *b, hd_boogie_cmds *out)
{
  hd_boogie_program *p = b->layer->c->program;
  const refinement *r = b->refinement;
  if (!r)
    return;
  assign_two(p, r->pc, hd_boogie_bool(p, false), r->ok, hd_boogie_bool(p, false), out);
  hd_civl_refine_snapshot(b, out);
}

void
hd_civl_refine_check(body *b, hd_boogie_cmds *out)
{
  hd_boogie_program *p = b->layer->c->program;
  const refinement *r = b->refinement;
  if (!r)
    return;
  hd_boogie_expr *pc = hd_boogie_use(p, r->pc);
  add_assert(p, generated, hd_boogie_or2(p, pc, hd_boogie_or2(p, r->same, r->beta)),
             "Transition invariant violated in initial state", out);
  add_assert(p, generated, hd_boogie_implies(p, pc, r->same_outs), "Transition invariant violated in final state", out);
}

void
hd_civl_refine_update(body *b, hd_boogie_cmds *out)
{
  hd_boogie_program *p = b->layer->c->program;
  const refinement *r = b->refinement;
  if (r)
    assign_two(p, r->pc, hd_boogie_implies(p, r->same, hd_boogie_use(p, r->pc)), r->ok,
               hd_boogie_or2(p, hd_boogie_use(p, r->ok), r->beta), out);
}

void
hd_civl_refine_assume(body *b, hd_boogie_cmds *out)
{
  hd_boogie_program *p = b->layer->c->program;
  const refinement *r = b->refinement;
  if (r)
    HD_BOOGIE_ADD(p, *out, hd_boogie_assume(p, generated, hd_boogie_or2(p, hd_boogie_use(p, r->pc), r->alpha)));
}

void
hd_civl_refine_snapshot(body *b, hd_boogie_cmds *out)
{
  hd_boogie_program *p = b->layer->c->program;
  hd_boogie_exprs now = {0};
  if (!b->refinement)
    return;
  for (size_t i = 0; i < b->impl->outs.n; i++)
    HD_BOOGIE_ADD(p, now, hd_boogie_use(p, b->impl->outs.items[i]));
  hd_civl_assign_all(p, &b->refinement->old_outs, &now, out);
}

void
hd_civl_refine_final(body *b, hd_boogie_cmds *out)
{
  hd_boogie_program *p = b->layer->c->program;
  if (!b->refinement)
    return;
  hd_civl_refine_check(b, out);
  add_assert(p, generated, hd_boogie_use(p, b->refinement->ok),
             "Failed to execute atomic action before procedure return", out);
}

void
hd_civl_refine_save(body *b, size_t head, hd_boogie_cmds *out)
{
  hd_boogie_program *p = b->layer->c->program;
  const refinement *r = b->refinement;
  if (r)
    assign_two(p, r->head_pcs.items[head], hd_boogie_use(p, r->pc), r->head_oks.items[head], hd_boogie_use(p, r->ok),
               out);
}

void
hd_civl_refine_head(body *b, size_t head, hd_boogie_cmds *out)
{
  static const char *const message = "Specification state must not change for transitions ending in loop headers";
  hd_boogie_program *p = b->layer->c->program;
  const refinement *r = b->refinement;
  if (!r)
    return;
  hd_boogie_place at = b->heads.items[head]->at;
  add_assert(p, at, hd_boogie_eq(p, hd_boogie_use(p, r->head_pcs.items[head]), hd_boogie_use(p, r->pc)), message, out);
  add_assert(p, at, hd_boogie_implies(p, hd_boogie_use(p, r->head_oks.items[head]), hd_boogie_use(p, r->ok)), message,
             out);
}
