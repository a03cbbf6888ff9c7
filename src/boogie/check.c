/* check.c: the types of declarations, and what is left to do when all is checked. */
#include <string.h>

#include "boogie/checker.h"

void
hd_boogie_check_error(hd_boogie_checker *c, hd_boogie_place at, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  hd_boogie_message_vadd(c->messages, HD_BOOGIE_PHASE_CHECK, true, at, format, args);
  va_end(args);
  c->messages->items[c->messages->n - 1].is_echo = !at.file || !*at.file; /* only negated guards have no place here */
  c->errors++;
}

void
hd_boogie_check_var(hd_boogie_checker *c, hd_boogie_var *v)
{
  hd_boogie_check_attrs(c, v->attrs);
  if (v->where)
  {
    hd_boogie_check_expr(c, v->where);
    if (!hd_boogie_unify(c, v->where->type, c->program->bool_type))
      hd_boogie_check_error(c, v->at, "where clauses must be of type bool");
  }
  if (hd_boogie_attr_flag(v->attrs, "assumption") && hd_boogie_expand(v->type)->kind != HD_BOOGIE_BOOL)
    hd_boogie_check_error(c, v->at, "assumption variable must be of type 'bool'");
}

static void
check_vars(hd_boogie_checker *c, const hd_boogie_vars *vars)
{
  for (size_t i = 0; i < vars->n; i++)
    hd_boogie_check_var(c, vars->items[i]);
}

static void
check_global(hd_boogie_checker *c, hd_boogie_var *v)
{
  hd_boogie_check_var(c, v);
  for (size_t i = 0; i < v->parents.n; i++)
  {
    hd_boogie_expr *e = v->parents.items[i].parent;
    hd_boogie_check_expr(c, e);
    if (!hd_boogie_unify(c, e->type, v->type))
      hd_boogie_check_error(c, e->at, "parent of constant has incompatible type (%s instead of %s)",
                            hd_boogie_show_type(c, e->type), hd_boogie_show_type(c, v->type));
  }
}

static void
check_function(hd_boogie_checker *c, hd_boogie_function *f)
{
  if (f->role == HD_BOOGIE_CONSTRUCTOR)
  {
    const hd_boogie_type *t = f->out->type; /* a synonym of a datatype is none, as in the reference */
    if (t->kind != HD_BOOGIE_CTOR || !t->decl->is_datatype)
      hd_boogie_check_error(c, f->at, "The output type of a constructor must be a datatype");
    else
    {
      f->datatype = f->tester->datatype = t->decl;
      for (size_t i = 0; i < f->selectors.n; i++)
        f->selectors.items[i]->datatype = t->decl;
      HD_BOOGIE_ADD(c->program, t->decl->constructors, f);
    }
  }
  hd_boogie_check_attrs(c, f->attrs);
  check_vars(c, &f->ins);
  hd_boogie_check_var(c, f->out);
  if (!f->body)
    return;
  hd_boogie_check_expr(c, f->body);
  if (!hd_boogie_unify(c, f->body->type, f->out->type))
    hd_boogie_check_error(c, f->body->at, "function body with invalid type: %s (expected: %s)",
                          hd_boogie_show_type(c, f->body->type), hd_boogie_show_type(c, f->out->type));
}

static void
check_specs(hd_boogie_checker *c, const hd_boogie_specs *specs, const char *what)
{
  for (size_t i = 0; i < specs->n; i++)
  {
    hd_boogie_check_expr(c, specs->items[i]->expr);
    if (!hd_boogie_unify(c, specs->items[i]->expr->type, c->program->bool_type))
      hd_boogie_check_error(c, specs->items[i]->at, "%s must be of type bool", what);
  }
}

static void
check_proc(hd_boogie_checker *c, hd_boogie_proc *proc)
{
  hd_boogie_check_attrs(c, proc->attrs);
  check_vars(c, &proc->ins);
  check_vars(c, &proc->outs);
  for (size_t i = 0; i < proc->modifies.n; i++)
  {
    hd_boogie_expr *e = proc->modifies.items[i];
    if (e->u.id.var->kind != HD_BOOGIE_GLOBAL)
      hd_boogie_check_error(c, proc->at, "modifies list contains constant: %s", e->u.id.name);
    hd_boogie_check_expr(c, e);
  }
  check_specs(c, &proc->requires, "preconditions");
  c->yields = hd_boogie_attr_flag(proc->attrs, "yields");
  check_specs(c, &proc->ensures, "postconditions");
  c->yields = false;
}

/* Formals may have other names in an implementation, but not other types. */
static void
match_formals(hd_boogie_checker *c, const hd_boogie_impl *impl, const hd_boogie_vars *mine,
              const hd_boogie_vars *theirs, const char *way)
{
  if (mine->n != theirs->n)
  {
    hd_boogie_check_error(c, impl->at, "mismatched number of %s-parameters in procedure implementation: %s", way,
                          impl->name);
    return;
  }
  for (size_t i = 0; i < mine->n; i++)
  {
    const hd_boogie_var *a = mine->items[i], *b = theirs->items[i];
    hd_boogie_type *t = hd_boogie_type_substitute(c->program, b->type, &impl->proc->type_params, &impl->type_params);
    if (hd_boogie_type_equal(a->type, t))
      continue;
    if (!strcmp(a->name, b->name))
      hd_boogie_check_error(c, impl->at, "mismatched type of %s-parameter in implementation %s: %s", way, impl->name,
                            a->name);
    else
      hd_boogie_check_error(c, impl->at,
                            "mismatched type of %s-parameter in implementation %s: %s (named %s in implementation)",
                            way, impl->name, b->name, a->name);
  }
}

static void
check_impl(hd_boogie_checker *c, hd_boogie_impl *impl)
{
  hd_boogie_check_attrs(c, impl->attrs);
  check_vars(c, &impl->ins);
  check_vars(c, &impl->outs);
  if (impl->type_params.n != impl->proc->type_params.n)
    hd_boogie_check_error(c, impl->at, "mismatched number of type parameters in procedure implementation: %s",
                          impl->name);
  else
  {
    match_formals(c, impl, &impl->ins, &impl->proc->ins, "in");
    match_formals(c, impl, &impl->outs, &impl->proc->outs, "out");
  }
  check_vars(c, &impl->locals);
  c->frame = impl->proc;
  c->yields = hd_boogie_attr_flag(impl->proc->attrs, "yields");
  hd_boogie_check_blocks(c, &impl->blocks);
  c->frame = NULL;
  c->yields = false;
}

static void
check_decl(hd_boogie_checker *c, const hd_boogie_decl *d)
{
  switch (d->kind)
  {
  case HD_BOOGIE_DECL_TYPE:
    hd_boogie_check_attrs(c, d->type->attrs);
    break;
  case HD_BOOGIE_DECL_VAR:
    check_global(c, d->var);
    break;
  case HD_BOOGIE_DECL_FUNCTION:
    check_function(c, d->function);
    break;
  case HD_BOOGIE_DECL_AXIOM:
    hd_boogie_check_attrs(c, d->axiom->attrs);
    hd_boogie_check_expr(c, d->axiom->expr);
    if (!hd_boogie_unify(c, d->axiom->expr->type, c->program->bool_type))
      hd_boogie_check_error(c, d->axiom->at, "axioms must be of type bool");
    break;
  case HD_BOOGIE_DECL_PROC:
    check_proc(c, d->proc);
    break;
  case HD_BOOGIE_DECL_IMPL:
    check_impl(c, d->impl);
    break;
  }
}

size_t
hd_boogie_check(hd_boogie_program *p, hd_boogie_messages *m, const hd_boogie_options *options)
{
  hd_boogie_checker c = {.program = p, .messages = m, .options = options};
  for (size_t i = 0; i < p->decls.n; i++)
    check_decl(&c, &p->decls.items[i]);
  if (!c.errors)
    hd_boogie_settle(&c);
  return c.errors;
}
