/* resolve.c: names of declarations. Types come first, synonyms in the order of their dependencies, then everything else
 * in the order of the text; where clauses of constants and globals come last. A declaration marked {:extern} gives way
 * to another one of its name; what is marked {:ignore} is taken out. */
#include <stdlib.h>
#include <string.h>

#include "boogie/typing.h"

void
hd_boogie_resolve_error(hd_boogie_resolver *r, hd_boogie_place at, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  hd_boogie_message_vadd(r->messages, HD_BOOGIE_PHASE_RESOLVE, true, at, format, args);
  va_end(args);
  r->errors++;
}

/* ---- scopes ---- */
size_t
hd_boogie_scope_open(hd_boogie_resolver *r)
{
  return r->hidden.n;
}

void
hd_boogie_scope_add(hd_boogie_resolver *r, hd_boogie_var *v)
{
  size_t n = strlen(v->name);
  hd_boogie_var *outside = hd_boogie_table_get(r->locals, v->name, n);
  if (outside)
  {
    hd_boogie_resolve_error(r, v->at, "more than one declaration of variable name: %s", v->name);
    return;
  }
  HD_BOOGIE_ADD(r->program, r->hidden, (hd_boogie_hidden){.name = v->name, .var = outside});
  hd_boogie_table_set(r->locals, v->name, n, v);
}

void
hd_boogie_scope_close(hd_boogie_resolver *r, size_t mark)
{
  while (r->hidden.n > mark)
  {
    const hd_boogie_hidden *h = &r->hidden.items[--r->hidden.n];
    hd_boogie_table_set(r->locals, h->name, strlen(h->name), h->var);
  }
}

hd_boogie_callable *
hd_boogie_find_callable(hd_boogie_resolver *r, const char *name)
{
  return hd_boogie_table_get(r->callables, name, strlen(name));
}

/* ---- registering ---- */
static hd_boogie_attr **
attrs_of(const hd_boogie_decl *d)
{
  switch (d->kind)
  {
  case HD_BOOGIE_DECL_TYPE:
    return &d->type->attrs;
  case HD_BOOGIE_DECL_VAR:
    return &d->var->attrs;
  case HD_BOOGIE_DECL_FUNCTION:
    return &d->function->attrs;
  case HD_BOOGIE_DECL_AXIOM:
    return &d->axiom->attrs;
  case HD_BOOGIE_DECL_PROC:
    return &d->proc->attrs;
  default:
    return &d->impl->attrs;
  }
}

bool
hd_boogie_is_ignored(void *context, const hd_boogie_decl *d)
{
  (void) context;
  return hd_boogie_attr_flag(*attrs_of(d), "ignore");
}

/* D has the name of a declaration with attributes *OTHER. True: D takes its place. */
static bool
replaces(hd_boogie_resolver *r, const hd_boogie_decl *d, hd_boogie_attr **other, hd_boogie_place at, const char *what,
         const char *name)
{
  hd_boogie_attr **mine = attrs_of(d);
  if (hd_boogie_attr_flag(*mine, "extern"))
    *mine = hd_boogie_attr_add(r->program, *mine, "ignore");
  else if (hd_boogie_attr_flag(*other, "extern"))
  {
    *other = hd_boogie_attr_add(r->program, *other, "ignore");
    return true;
  }
  else
    hd_boogie_resolve_error(r, at, "more than one declaration of %s name: %s", what, name);
  return false;
}

static void
register_type(hd_boogie_resolver *r, const hd_boogie_decl *d)
{
  hd_boogie_type_decl *t = d->type;
  size_t n = strlen(t->name);
  if (n > 2 && !strncmp(t->name, "bv", 2) && strspn(t->name + 2, "0123456789") == n - 2)
  {
    hd_boogie_resolve_error(r, t->at, "type name: %s is registered for bitvectors", t->name);
    return;
  }
  hd_boogie_type_decl *before = hd_boogie_table_get(r->types, t->name, n);
  if (!before || replaces(r, d, &before->attrs, t->at, "type", t->name))
    hd_boogie_table_set(r->types, t->name, n, t);
}

static void
register_callable(hd_boogie_resolver *r, const hd_boogie_decl *d)
{
  bool is_function = d->kind == HD_BOOGIE_DECL_FUNCTION;
  const char *name = is_function ? d->function->name : d->proc->name;
  hd_boogie_place at = is_function ? d->function->at : d->proc->at;
  hd_boogie_callable *before = hd_boogie_find_callable(r, name);
  if (before
      && !replaces(r, d, before->function ? &before->function->attrs : &before->proc->attrs, at, "function/procedure",
                   name))
    return;
  hd_boogie_callable *c = hd_boogie_alloc(r->program, sizeof *c);
  if (is_function)
    c->function = d->function;
  else
    c->proc = d->proc;
  hd_boogie_table_set(r->callables, name, strlen(name), c);
}

static void
register_decl(hd_boogie_resolver *r, const hd_boogie_decl *d)
{
  switch (d->kind)
  {
  case HD_BOOGIE_DECL_TYPE:
    register_type(r, d);
    break;
  case HD_BOOGIE_DECL_VAR:
  {
    size_t n = strlen(d->var->name);
    hd_boogie_var *before = hd_boogie_table_get(r->globals, d->var->name, n);
    if (!before || replaces(r, d, &before->attrs, d->var->at, "variable", d->var->name))
      hd_boogie_table_set(r->globals, d->var->name, n, d->var);
    break;
  }
  case HD_BOOGIE_DECL_FUNCTION:
  case HD_BOOGIE_DECL_PROC:
    register_callable(r, d);
    break;
  case HD_BOOGIE_DECL_AXIOM:
  {
    const char *name = hd_boogie_attr_text(d->axiom->attrs, "name");
    if (!name)
      break;
    hd_boogie_axiom *before = hd_boogie_table_get(r->axioms, name, strlen(name));
    if (!before || replaces(r, d, &before->attrs, d->axiom->at, "axiom", name))
      hd_boogie_table_set(r->axioms, name, strlen(name), d->axiom);
    break;
  }
  case HD_BOOGIE_DECL_IMPL:
    break;
  }
}

/* ---- the rest ---- */
void
hd_boogie_resolve_where(hd_boogie_resolver *r, hd_boogie_var *v)
{
  if (v->where)
  {
    if (hd_boogie_attr_flag(v->attrs, "assumption"))
      hd_boogie_resolve_error(r, v->at, "assumption variable may not be declared with a where clause");
    hd_boogie_resolve_expr(r, v->where);
  }
  hd_boogie_resolve_attrs(r, v->attrs);
}

void
hd_boogie_resolve_locals(hd_boogie_resolver *r, const hd_boogie_vars *vars)
{
  for (size_t i = 0; i < vars->n; i++)
  {
    hd_boogie_scope_add(r, vars->items[i]);
    vars->items[i]->type = hd_boogie_resolve_type(r, vars->items[i]->type);
  }
  for (size_t i = 0; i < vars->n; i++)
    hd_boogie_resolve_where(r, vars->items[i]);
}

static void
register_formals(hd_boogie_resolver *r, const hd_boogie_vars *vars)
{
  for (size_t i = 0; i < vars->n; i++)
  {
    hd_boogie_var *v = vars->items[i];
    if (*v->name)
      hd_boogie_scope_add(r, v);
    v->type = hd_boogie_resolve_type(r, v->type);
  }
}

static void
resolve_formals(hd_boogie_resolver *r, const hd_boogie_vars *vars)
{
  for (size_t i = 0; i < vars->n; i++)
    hd_boogie_resolve_where(r, vars->items[i]);
}

/* After the formals of a declaration: all of its type parameters are used; they get their canonical order. */
static void
finish_type_params(hd_boogie_resolver *r, hd_boogie_types *params, const hd_boogie_vars *ins,
                   const hd_boogie_vars *outs, hd_boogie_place at, const char *where)
{
  hd_boogie_types types = {0};
  for (size_t i = 0; i < ins->n; i++)
    HD_BOOGIE_ADD(r->program, types, ins->items[i]->type);
  for (size_t i = 0; i < outs->n; i++)
    HD_BOOGIE_ADD(r->program, types, outs->items[i]->type);
  hd_boogie_check_occurrences(r, params, &types, NULL, at, where);
  hd_boogie_sort_type_params(r->program, params, &types);
}

static void
resolve_constructor(hd_boogie_resolver *r, const hd_boogie_function *f)
{
  for (size_t i = 0; i < f->selectors.n; i++)
  {
    const hd_boogie_function *s = f->selectors.items[i];
    if (*s->name == '#')
      hd_boogie_resolve_error(r, s->at, "The selector must be a non-empty string");
    for (size_t j = 0; *s->name != '#' && j < i; j++)
      if (!strcmp(f->selectors.items[j]->name, s->name))
      {
        hd_boogie_resolve_error(r, f->at, "The selectors for a constructor must be distinct strings");
        break;
      }
  }
}

static void
resolve_function(hd_boogie_resolver *r, hd_boogie_function *f)
{
  hd_boogie_vars outs = {.items = &f->out, .n = 1, .cap = 1};
  if (f->role == HD_BOOGIE_CONSTRUCTOR)
    resolve_constructor(r, f);
  size_t binders = r->binders.n, scope = hd_boogie_scope_open(r);
  hd_boogie_add_binders(r, &f->type_params);
  register_formals(r, &f->ins);
  register_formals(r, &outs);
  hd_boogie_resolve_attrs(r, f->attrs);
  if (f->body)
  {
    r->state = HD_BOOGIE_STATELESS;
    hd_boogie_resolve_expr(r, f->body);
    r->state = HD_BOOGIE_SINGLE;
  }
  hd_boogie_scope_close(r, scope);
  finish_type_params(r, &f->type_params, &f->ins, &outs, f->at, "function arguments");
  r->binders.n = binders;
}

static void
resolve_constant(hd_boogie_resolver *r, hd_boogie_var *v)
{
  v->type = hd_boogie_resolve_type(r, v->type);
  for (size_t i = 0; i < v->parents.n; i++)
  {
    hd_boogie_expr *e = v->parents.items[i].parent;
    hd_boogie_resolve_expr(r, e);
    if (e->u.id.var && e->u.id.var->kind != HD_BOOGIE_CONST)
      hd_boogie_resolve_error(r, e->at, "the parent of a constant has to be a constant");
    if (e->u.id.var == v)
      hd_boogie_resolve_error(r, e->at, "constant cannot be its own parent");
  }
  for (size_t i = 0; i < v->parents.n; i++)
    for (size_t j = i + 1; j < v->parents.n; j++)
    {
      const hd_boogie_expr *a = v->parents.items[i].parent, *b = v->parents.items[j].parent;
      if (a->u.id.var && a->u.id.var == b->u.id.var)
        hd_boogie_resolve_error(r, b->at, "%s occurs more than once as parent", b->u.id.name);
    }
}

static void
resolve_proc(hd_boogie_resolver *r, hd_boogie_proc *proc)
{
  size_t binders = r->binders.n, scope = hd_boogie_scope_open(r);
  for (size_t i = 0; i < proc->modifies.n; i++)
    hd_boogie_resolve_expr(r, proc->modifies.items[i]);
  hd_boogie_add_binders(r, &proc->type_params);
  register_formals(r, &proc->ins);
  resolve_formals(r, &proc->ins);
  for (size_t i = 0; i < proc->requires.n; i++)
    hd_boogie_resolve_expr(r, proc->requires.items[i]->expr);
  register_formals(r, &proc->outs);
  resolve_formals(r, &proc->outs);
  r->state = HD_BOOGIE_TWO;
  for (size_t i = 0; i < proc->ensures.n; i++)
    hd_boogie_resolve_expr(r, proc->ensures.items[i]->expr);
  r->state = HD_BOOGIE_SINGLE;
  hd_boogie_resolve_attrs(r, proc->attrs);
  finish_type_params(r, &proc->type_params, &proc->ins, &proc->outs, proc->at, "procedure arguments");
  hd_boogie_scope_close(r, scope);
  r->binders.n = binders;
}

static void
resolve_impl(hd_boogie_resolver *r, hd_boogie_impl *impl)
{
  const hd_boogie_callable *c = hd_boogie_find_callable(r, impl->name);
  impl->proc = c ? c->proc : NULL;
  if (!c)
    hd_boogie_resolve_error(r, impl->at, "implementation given for undeclared procedure: %s", impl->name);
  else if (!c->proc)
    hd_boogie_resolve_error(r, impl->at, "implementations given for function, not procedure: %s", impl->name);
  size_t binders = r->binders.n, scope = hd_boogie_scope_open(r);
  hd_boogie_add_binders(r, &impl->type_params);
  register_formals(r, &impl->ins);
  register_formals(r, &impl->outs);
  hd_boogie_resolve_locals(r, &impl->locals);
  hd_boogie_resolve_blocks(r, &impl->blocks, impl->attrs, HD_BOOGIE_TWO);
  hd_boogie_scope_close(r, scope);
  finish_type_params(r, &impl->type_params, &impl->ins, &impl->outs, impl->at, "implementation arguments");
  r->binders.n = binders;
}

static void
resolve_decl(hd_boogie_resolver *r, const hd_boogie_decl *d)
{
  switch (d->kind)
  {
  case HD_BOOGIE_DECL_TYPE:
    break;
  case HD_BOOGIE_DECL_VAR:
    resolve_constant(r, d->var);
    break;
  case HD_BOOGIE_DECL_FUNCTION:
    resolve_function(r, d->function);
    break;
  case HD_BOOGIE_DECL_AXIOM:
    hd_boogie_resolve_attrs(r, d->axiom->attrs);
    r->state = HD_BOOGIE_STATELESS;
    hd_boogie_resolve_expr(r, d->axiom->expr);
    r->state = HD_BOOGIE_SINGLE;
    break;
  case HD_BOOGIE_DECL_PROC:
    resolve_proc(r, d->proc);
    break;
  case HD_BOOGIE_DECL_IMPL:
    resolve_impl(r, d->impl);
    break;
  }
}

size_t
hd_boogie_resolve(hd_boogie_program *p, hd_boogie_messages *m)
{
  hd_boogie_resolver r = {.program = p, .messages = m};
  hd_boogie_table **tables[] = {&r.types, &r.globals, &r.callables, &r.locals, &r.ids, &r.axioms};
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
    *tables[i] = hd_boogie_table_new();
  for (size_t i = 0; i < p->decls.n; i++)
    register_decl(&r, &p->decls.items[i]);
  hd_boogie_resolve_type_decls(&r);
  for (size_t i = 0; i < p->decls.n; i++)
    if (!hd_boogie_is_ignored(NULL, &p->decls.items[i]))
      resolve_decl(&r, &p->decls.items[i]);
  hd_boogie_remove(p, hd_boogie_is_ignored, NULL);
  for (size_t i = 0; i < p->decls.n; i++)
    if (p->decls.items[i].kind == HD_BOOGIE_DECL_VAR)
      hd_boogie_resolve_where(&r, p->decls.items[i].var);
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
    hd_boogie_table_free(*tables[i]);
  return r.errors;
}
