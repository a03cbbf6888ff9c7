/* condition.c: one condition from beginning to end. */
#include <stdlib.h>

#include "vc/internal.h"

condition *
hd_vc_condition_new(const hd_vc_program *p, const hd_boogie_impl *impl, bool portable, bool no_arrays, bool all_axioms)
{
  hd_arena *arena = hd_arena_new();
  condition *c = hd_alloc_zero(sizeof *c);
  c->arena = arena;
  c->u = hd_smt_new();
  c->program = p;
  c->impl = impl;
  c->portable = portable;
  c->no_arrays = no_arrays;
  c->all_axioms = all_axioms;
  return c;
}

void
hd_vc_condition_free(condition *c)
{
  if (!c)
    return;
  hd_arena_free(c->arena);
  hd_smt_free(c->u);
  free(c);
}

bool
hd_vc_condition_make(condition *c)
{
  const hd_boogie_program *p = c->program->program;
  if (setjmp(c->unsupported))
    return false;
  c->inlined = hd_vc_alloc(c, p->n_procs * sizeof *c->inlined);
  c->depth = hd_vc_alloc(c, p->n_procs * sizeof *c->depth);
  c->functions = hd_vc_alloc(c, p->n_functions * sizeof *c->functions);
  c->constants = hd_vc_alloc(c, p->n_vars * sizeof *c->constants);
  hd_vc_flow(c);
  hd_vc_cut_loops(c);
  hd_vc_live(c);
  hd_vc_passify(c);
  if (!c->trivial)
    hd_vc_axioms(c);
  return true;
}

void
hd_vc_condition_text(const condition *c, hd_string *out)
{
  hd_smt_print(out, c->u, c->asserted, c->nasserted);
}
