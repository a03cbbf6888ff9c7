/* program.c: what conditions of one program share: which axioms mention what, and which body a call may be replaced by.
 */
#include <stdlib.h>
#include <string.h>

#include "vc/internal.h"

typedef struct collector
{
  hd_vc_program *p;
  axiom *a;
  uint8_t *seen_function, *seen_constant;
} collector;

static bool
collect(void *context, hd_boogie_expr *e, bool in_old)
{
  collector *x = context;
  (void) in_old;
  if (e->kind == HD_BOOGIE_VAR && e->u.id.var->kind == HD_BOOGIE_CONST)
  {
    uint32_t id = e->u.id.var->id;
    if (!x->seen_constant[id])
    {
      x->seen_constant[id] = 1;
      HD_PUSH(x->a->constants, x->a->nconstants, x->a->constants_cap, id);
    }
  }
  else if (e->kind == HD_BOOGIE_APPLY)
  {
    hd_boogie_function *f = e->u.call.function;
    if (x->seen_function[f->id])
      return true;
    x->seen_function[f->id] = 1;
    if (f->is_inline && f->body)
      hd_boogie_walk_expr(f->body, collect, x);
    else if (!f->builtin && f->role == HD_BOOGIE_ORDINARY)
      HD_PUSH(x->a->functions, x->a->nfunctions, x->a->functions_cap, f->id);
  }
  return true;
}

static void
add_axiom(hd_vc_program *p, const hd_boogie_axiom *source, collector *x)
{
  HD_PUSH(p->axioms, p->naxioms, p->axioms_cap, (axiom){.axiom = source});
  uint32_t number = (uint32_t) p->naxioms - 1;
  axiom *a = x->a = &p->axioms[number];
  memset(x->seen_function, 0, p->program->n_functions);
  memset(x->seen_constant, 0, p->program->n_vars);
  hd_boogie_walk_expr(source->expr, collect, x);
  /* A definition is of use to who uses what it defines. */
  if (source->defines)
  {
    users *u = &p->of_function[source->defines->id];
    HD_PUSH(u->axioms, u->n, u->cap, number);
    return;
  }
  for (size_t i = 0; i < a->nfunctions; i++)
  {
    users *u = &p->of_function[a->functions[i]];
    HD_PUSH(u->axioms, u->n, u->cap, number);
  }
  for (size_t i = 0; i < a->nconstants; i++)
  {
    users *u = &p->of_constant[a->constants[i]];
    HD_PUSH(u->axioms, u->n, u->cap, number);
  }
}

hd_vc_program *
hd_vc_program_new(const hd_boogie_program *program)
{
  hd_vc_program *p = hd_alloc_zero(sizeof *p);
  p->program = program;
  p->of_function = hd_alloc_zero((program->n_functions + 1) * sizeof *p->of_function);
  p->of_constant = hd_alloc_zero((program->n_vars + 1) * sizeof *p->of_constant);
  p->body = hd_alloc_zero((program->n_procs + 1) * sizeof *p->body);
  collector x = {.p = p};
  x.seen_function = hd_alloc_zero(program->n_functions + 1);
  x.seen_constant = hd_alloc_zero(program->n_vars + 1);
  for (size_t i = 0; i < program->decls.n; i++)
  {
    const hd_boogie_decl *d = &program->decls.items[i];
    if (d->kind == HD_BOOGIE_DECL_AXIOM)
      add_axiom(p, d->axiom, &x);
    else if (d->kind == HD_BOOGIE_DECL_VAR && d->var->kind == HD_BOOGIE_GLOBAL)
      HD_PUSH(p->globals, p->nglobals, p->globals_cap, d->var);
    else if (d->kind == HD_BOOGIE_DECL_IMPL && d->impl->proc && !p->body[d->impl->proc->id])
      p->body[d->impl->proc->id] = d->impl;
  }
  free(x.seen_function);
  free(x.seen_constant);
  return p;
}

void
hd_vc_program_free(hd_vc_program *p)
{
  if (!p)
    return;
  for (size_t i = 0; i < p->naxioms; i++)
  {
    free(p->axioms[i].functions);
    free(p->axioms[i].constants);
  }
  for (size_t i = 0; i < p->program->n_functions; i++)
    free(p->of_function[i].axioms);
  for (size_t i = 0; i < p->program->n_vars; i++)
    free(p->of_constant[i].axioms);
  free(p->axioms);
  free(p->of_function);
  free(p->of_constant);
  free(p->body);
  free(p->globals);
  free(p);
}

bool
hd_vc_wanted(const hd_boogie_impl *impl)
{
  const hd_boogie_attr *lists[] = {impl->attrs, impl->proc->attrs};
  for (size_t i = 0; i < 2; i++)
  {
    const hd_boogie_attr *verify = hd_boogie_attr_find(lists[i], "verify");
    if (verify && !hd_boogie_attr_flag(verify, "verify"))
      return false;
    const hd_boogie_attr *put_in = hd_boogie_attr_find(lists[i], "inline");
    if (put_in && put_in->args.n && put_in->args.items[0].expr)
      return false;
  }
  return true;
}
