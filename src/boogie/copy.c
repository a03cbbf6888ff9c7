/* copy.c: procedures and implementations with variables of their own. */
#include "boogie/boogie.h"

static hd_boogie_vars
copy_vars(hd_boogie_rewriter *r, const hd_boogie_vars *vars, hd_boogie_subst *s)
{
  hd_boogie_vars out = {0};
  for (size_t i = 0; i < vars->n; i++)
  {
    hd_boogie_var *v = hd_boogie_copy_var(r->program, vars->items[i], vars->items[i]->name);
    if (r->type_params)
      v->type = hd_boogie_type_substitute(r->program, v->type, r->type_params, r->type_args);
    hd_boogie_subst_set_var(s, r->program, vars->items[i], v);
    HD_BOOGIE_ADD(r->program, out, v);
  }
  return out;
}

/* Where clauses and attributes, once all variables are in the map. */
static void
finish_vars(hd_boogie_rewriter *r, const hd_boogie_vars *vars)
{
  for (size_t i = 0; i < vars->n; i++)
  {
    hd_boogie_var *v = vars->items[i];
    v->attrs = hd_boogie_rewrite_attrs(r, v->attrs);
    if (v->where)
      v->where = hd_boogie_rewrite_expr(r, v->where);
  }
}

static hd_boogie_specs
copy_specs(hd_boogie_rewriter *r, const hd_boogie_specs *specs)
{
  hd_boogie_specs out = {0};
  for (size_t i = 0; i < specs->n; i++)
  {
    hd_boogie_spec *s = hd_boogie_alloc(r->program, sizeof *s);
    *s = *specs->items[i];
    s->expr = hd_boogie_rewrite_expr(r, s->expr);
    s->attrs = hd_boogie_rewrite_attrs(r, s->attrs);
    HD_BOOGIE_ADD(r->program, out, s);
  }
  return out;
}

hd_boogie_proc *
hd_boogie_copy_proc(hd_boogie_program *p, const hd_boogie_proc *proc, const char *name, hd_boogie_subst *s)
{
  hd_boogie_rewriter r = {.program = p, .subst = s};
  hd_boogie_proc *copy = hd_boogie_new_proc(p, proc->at, name);
  copy->type_params = proc->type_params;
  copy->ins = copy_vars(&r, &proc->ins, s);
  copy->outs = copy_vars(&r, &proc->outs, s);
  finish_vars(&r, &copy->ins);
  finish_vars(&r, &copy->outs);
  copy->attrs = hd_boogie_rewrite_attrs(&r, proc->attrs);
  copy->requires = copy_specs(&r, &proc->requires);
  copy->ensures = copy_specs(&r, &proc->ensures);
  for (size_t i = 0; i < proc->modifies.n; i++)
    HD_BOOGIE_ADD(p, copy->modifies, hd_boogie_rewrite_expr(&r, proc->modifies.items[i]));
  return copy;
}

hd_boogie_impl *
hd_boogie_copy_impl(hd_boogie_program *p, const hd_boogie_impl *impl, const char *name, hd_boogie_proc *proc,
                    hd_boogie_rewriter *r, hd_boogie_subst *s)
{
  hd_boogie_rewriter plain = {.program = p};
  if (!r)
    r = &plain;
  r->subst = s;
  hd_boogie_impl *copy = hd_boogie_new_impl(p, impl->at, name, proc);
  copy->type_params = impl->type_params;
  copy->ins = copy_vars(r, &impl->ins, s);
  copy->outs = copy_vars(r, &impl->outs, s);
  copy->locals = copy_vars(r, &impl->locals, s);
  finish_vars(r, &copy->ins);
  finish_vars(r, &copy->outs);
  finish_vars(r, &copy->locals);
  copy->attrs = hd_boogie_rewrite_attrs(r, impl->attrs);
  copy->blocks = hd_boogie_rewrite_blocks(r, &impl->blocks);
  return copy;
}

void
hd_boogie_subst_formals(hd_boogie_subst *s, hd_boogie_program *p, const hd_boogie_impl *impl)
{
  const hd_boogie_proc *proc = impl->proc;
  for (size_t i = 0; i < proc->ins.n; i++)
    hd_boogie_subst_set_var(s, p, proc->ins.items[i], impl->ins.items[i]);
  for (size_t i = 0; i < proc->outs.n; i++)
    hd_boogie_subst_set_var(s, p, proc->outs.items[i], impl->outs.items[i]);
}
