/* condition.c: one condition from beginning to end. */
#include <stdlib.h>

#include "vc/internal.h"

enum
{
  MOST_ROUNDS = 6 /* of making it with more and more instances of what has type parameters */
};

condition *
hd_vc_condition_new(const hd_vc_program *p, const hd_boogie_impl *impl, bool portable, bool no_arrays, bool all_axioms)
{
  hd_arena *arena = hd_arena_new();
  condition *c = hd_alloc_zero(sizeof *c);
  c->arena = arena;
  c->u = hd_smt_new();
  c->generics = hd_vc_generics_new();
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
  hd_vc_generics_free(c->generics);
  free(c);
}

static void
make(condition *c)
{
  const hd_boogie_program *p = c->program->program;
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
}

/* Forget everything but what has type parameters and how it was used. */
static void
start_again(condition *c)
{
  condition new = {.program = c->program,
                   .impl = c->impl,
                   .generics = c->generics,
                   .portable = c->portable,
                   .no_arrays = c->no_arrays,
                   .all_axioms = c->all_axioms};
  hd_arena_free(c->arena);
  hd_smt_free(c->u);
  *c = new;
  c->arena = hd_arena_new();
  c->u = hd_smt_new();
}

bool
hd_vc_condition_make(condition *c)
{
  for (;;)
  {
    if (setjmp(c->unsupported))
      return false;
    generics *g = c->generics;
    g->known = g->nuses;
    make(c);
    if (c->generics->nuses == c->generics->known)
      return true;
    if (++c->generics->rounds == MOST_ROUNDS)
    {
      /* What is known about the new ones is left out. */
      if (c->type_quantifiers)
        c->weaker = c->cut = true;
      return true;
    }
    start_again(c);
  }
}

void
hd_vc_condition_text(const condition *c, hd_string *out)
{
  hd_smt_print(out, c->u, c->asserted, c->nasserted);
}
