/* modifies.c: modifies clauses computed from the code: what a body assigns, and what its callees modify, to a fixpoint.
 * A procedure without a body keeps its clause. A procedure that yields, runs calls in parallel, or is called
 * asynchronously or in parallel gets {:yields}, as the reference's option does. */
#include <stdlib.h>

#include "boogie/front.h"

typedef struct inference
{
  hd_boogie_program *program;
  hd_boogie_vars *sets; /* by procedure */
  bool *has_body, *yields;
  bool changed;
} inference;

static void
add(inference *f, const hd_boogie_proc *proc, hd_boogie_var *v)
{
  hd_boogie_vars *set = &f->sets[proc->id];
  if (!v || v->kind != HD_BOOGIE_GLOBAL)
    return;
  for (size_t i = 0; i < set->n; i++)
    if (set->items[i] == v)
      return;
  HD_BOOGIE_ADD(f->program, *set, v);
  f->changed = true;
}

static void
set_yields(inference *f, const hd_boogie_proc *proc)
{
  f->changed |= !f->yields[proc->id];
  f->yields[proc->id] = true;
}

static void
visit(inference *f, const hd_boogie_proc *proc, const hd_boogie_cmd *c)
{
  for (size_t i = 0; i < c->calls.n; i++)
    visit(f, proc, c->calls.items[i]);
  for (size_t i = 0; i < c->targets.n; i++)
    add(f, proc, hd_boogie_target_var(c->targets.items[i]));
  if (c->kind == HD_BOOGIE_CALL)
  {
    for (size_t i = 0; i < f->sets[c->proc->id].n; i++)
      add(f, proc, f->sets[c->proc->id].items[i]);
    if (c->is_async)
      set_yields(f, c->proc);
    if (f->yields[c->proc->id])
      set_yields(f, proc);
  }
  if (c->kind == HD_BOOGIE_PAR || c->kind == HD_BOOGIE_YIELD)
    set_yields(f, proc);
  for (size_t i = 0; i < c->calls.n; i++)
    set_yields(f, c->calls.items[i]->proc);
}

static void
write_back(inference *f, hd_boogie_proc *proc)
{
  hd_boogie_program *p = f->program;
  hd_boogie_exprs modifies = {0};
  for (size_t i = 0; i < f->sets[proc->id].n; i++)
  {
    hd_boogie_expr *e = hd_boogie_use(p, f->sets[proc->id].items[i]);
    e->at = f->sets[proc->id].items[i]->at;
    HD_BOOGIE_ADD(p, modifies, e);
  }
  proc->modifies = modifies;
  if (f->yields[proc->id] && !hd_boogie_attr_flag(proc->attrs, "yields"))
    proc->attrs = hd_boogie_attr_add(p, proc->attrs, "yields");
}

void
hd_boogie_infer_modifies(hd_boogie_program *p)
{
  inference f = {.program = p, .changed = true};
  f.sets = hd_alloc_zero((p->n_procs + 1) * sizeof *f.sets);
  f.has_body = hd_alloc_zero((p->n_procs + 1) * sizeof(bool));
  f.yields = hd_alloc_zero((p->n_procs + 1) * sizeof(bool));
  for (size_t i = 0; i < p->decls.n; i++)
    if (p->decls.items[i].kind == HD_BOOGIE_DECL_IMPL)
      f.has_body[p->decls.items[i].impl->proc->id] = true;
  for (size_t i = 0; i < p->decls.n; i++)
  {
    const hd_boogie_decl *d = &p->decls.items[i];
    for (size_t j = 0; d->kind == HD_BOOGIE_DECL_PROC && !f.has_body[d->proc->id] && j < d->proc->modifies.n; j++)
      add(&f, d->proc, d->proc->modifies.items[j]->u.id.var);
  }
  while (f.changed)
  {
    f.changed = false;
    for (size_t i = 0; i < p->decls.n; i++)
    {
      const hd_boogie_decl *d = &p->decls.items[i];
      for (size_t j = 0; d->kind == HD_BOOGIE_DECL_IMPL && j < d->impl->blocks.n; j++)
        for (size_t k = 0; k < d->impl->blocks.items[j]->cmds.n; k++)
          visit(&f, d->impl->proc, d->impl->blocks.items[j]->cmds.items[k]);
    }
  }
  for (size_t i = 0; i < p->decls.n; i++)
    if (p->decls.items[i].kind == HD_BOOGIE_DECL_PROC)
      write_back(&f, p->decls.items[i].proc);
  free(f.sets);
  free(f.has_body);
  free(f.yields);
}
