/* yield_assert.c: {:yield_assert} on a procedure means {:yields}, and that its preconditions are postconditions, too.
 */
#include "boogie/front.h"

static void
desugar(hd_boogie_program *p, hd_boogie_proc *proc)
{
  proc->attrs = hd_boogie_attr_add(p, hd_boogie_attr_without(p, proc->attrs, "yield_assert"), "yields");
  for (size_t i = 0; i < proc->requires.n; i++)
  {
    hd_boogie_spec *s = hd_boogie_alloc(p, sizeof *s);
    s->at.file = proc->at.file;
    s->expr = proc->requires.items[i]->expr;
    s->attrs = proc->requires.items[i]->attrs;
    HD_BOOGIE_ADD(p, proc->ensures, s);
  }
}

void
hd_boogie_desugar_yield_assert(hd_boogie_program *p)
{
  for (size_t i = 0; i < p->decls.n; i++)
  {
    hd_boogie_decl *d = &p->decls.items[i];
    if (d->kind == HD_BOOGIE_DECL_PROC && hd_boogie_attr_find(d->proc->attrs, "yield_assert"))
      desugar(p, d->proc);
    if (d->kind == HD_BOOGIE_DECL_IMPL)
      d->impl->attrs = hd_boogie_attr_without(p, d->impl->attrs, "yield_assert");
  }
}
