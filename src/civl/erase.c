/* erase.c: attributes that mean something to layered programs only are taken away from the plain one, so that it is
 * plain when it is printed and read again. */
#include "civl/layers.h"

static const char *const keys[] = {"layer",  "yields",    "refines",    "atomic",  "left",     "right", "both",
                                   "linear", "linear_in", "linear_out", "witness", "backward", "owner", "module"};

static void
erase(hd_boogie_program *p, hd_boogie_attr **attrs)
{
  for (size_t i = 0; *attrs && i < sizeof keys / sizeof *keys; i++)
    if (hd_boogie_attr_find(*attrs, keys[i]))
      *attrs = hd_boogie_attr_without(p, *attrs, keys[i]);
}

static void
erase_vars(hd_boogie_program *p, const hd_boogie_vars *vars)
{
  for (size_t i = 0; i < vars->n; i++)
    erase(p, &vars->items[i]->attrs);
}

static void
erase_specs(hd_boogie_program *p, const hd_boogie_specs *specs)
{
  for (size_t i = 0; i < specs->n; i++)
    erase(p, &specs->items[i]->attrs);
}

static void
erase_proc(hd_boogie_program *p, hd_boogie_proc *proc)
{
  erase(p, &proc->attrs);
  erase_vars(p, &proc->ins);
  erase_vars(p, &proc->outs);
  erase_specs(p, &proc->requires);
  erase_specs(p, &proc->ensures);
}

static void
erase_impl(hd_boogie_program *p, hd_boogie_impl *impl)
{
  erase(p, &impl->attrs);
  erase_vars(p, &impl->ins);
  erase_vars(p, &impl->outs);
  erase_vars(p, &impl->locals);
  for (size_t i = 0; i < impl->blocks.n; i++)
    for (size_t j = 0; j < impl->blocks.items[i]->cmds.n; j++)
      erase(p, &impl->blocks.items[i]->cmds.items[j]->attrs);
}

void
hd_civl_erase(hd_civl *c)
{
  hd_boogie_program *p = c->program;
  for (size_t i = 0; i < p->decls.n; i++)
  {
    hd_boogie_decl *d = &p->decls.items[i];
    if (d->kind == HD_BOOGIE_DECL_TYPE)
      erase(p, &d->type->attrs);
    if (d->kind == HD_BOOGIE_DECL_VAR)
      erase(p, &d->var->attrs);
    if (d->kind == HD_BOOGIE_DECL_FUNCTION)
      erase(p, &d->function->attrs);
    if (d->kind == HD_BOOGIE_DECL_PROC)
      erase_proc(p, d->proc);
    if (d->kind == HD_BOOGIE_DECL_IMPL)
      erase_impl(p, d->impl);
  }
}
