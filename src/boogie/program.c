/* program.c: a program's memory, its lists, its declarations, and the objects that they are made of. */
#include <stdlib.h>
#include <string.h>

#include "boogie/program.h"

void *
hd_boogie_alloc(hd_boogie_program *p, size_t n)
{
  return memset(hd_arena_alloc(p->arena, n), 0, n);
}

void
hd_boogie_list_grow(hd_boogie_program *p, void *items, size_t n, size_t *cap, size_t size)
{
  size_t larger = *cap ? 2 * *cap : 2;
  HD_CHECK(larger <= SIZE_MAX / size);
  void *fresh = hd_arena_alloc(p->arena, larger * size), **list = items;
  if (n)
    memcpy(fresh, *list, n * size);
  *list = fresh;
  *cap = larger;
}

const char *
hd_boogie_text(hd_boogie_program *p, const char *format, ...)
{
  hd_string s = {0};
  va_list args;
  va_start(args, format);
  hd_string_vprintf(&s, format, args);
  va_end(args);
  const char *copy = hd_boogie_copy_text(p, s.text ? s.text : "", s.length);
  hd_string_free(&s);
  return copy;
}

static hd_boogie_type *
basic_type(hd_boogie_program *p, hd_boogie_type_kind kind)
{
  hd_boogie_type *t = hd_boogie_alloc(p, sizeof *t);
  t->kind = kind;
  return t;
}

hd_boogie_program *
hd_boogie_program_new(void)
{
  hd_boogie_program *p = hd_alloc_zero(sizeof *p);
  p->arena = hd_arena_new();
  p->names = hd_boogie_names_new();
  p->bool_type = basic_type(p, HD_BOOGIE_BOOL);
  p->int_type = basic_type(p, HD_BOOGIE_INT);
  p->real_type = basic_type(p, HD_BOOGIE_REAL);
  p->rmode_type = basic_type(p, HD_BOOGIE_RMODE);
  return p;
}

void
hd_boogie_program_free(hd_boogie_program *p)
{
  if (!p)
    return;
  hd_boogie_names_free(p->names);
  hd_arena_free(p->arena);
  free(p);
}

/* ---- declarations ---- */
static void
declare(hd_boogie_program *p, hd_boogie_decl d)
{
  HD_BOOGIE_ADD(p, p->decls, d);
  hd_boogie_names_add(p, &d);
}

void
hd_boogie_declare_type(hd_boogie_program *p, hd_boogie_type_decl *d)
{
  d->id = p->n_type_decls++;
  declare(p, (hd_boogie_decl){.kind = HD_BOOGIE_DECL_TYPE, .type = d});
}

void
hd_boogie_declare_var(hd_boogie_program *p, hd_boogie_var *v)
{
  declare(p, (hd_boogie_decl){.kind = HD_BOOGIE_DECL_VAR, .var = v});
}

void
hd_boogie_declare_function(hd_boogie_program *p, hd_boogie_function *f)
{
  declare(p, (hd_boogie_decl){.kind = HD_BOOGIE_DECL_FUNCTION, .function = f});
}

void
hd_boogie_declare_axiom(hd_boogie_program *p, hd_boogie_axiom *a)
{
  declare(p, (hd_boogie_decl){.kind = HD_BOOGIE_DECL_AXIOM, .axiom = a});
}

void
hd_boogie_declare_proc(hd_boogie_program *p, hd_boogie_proc *proc)
{
  declare(p, (hd_boogie_decl){.kind = HD_BOOGIE_DECL_PROC, .proc = proc});
}

void
hd_boogie_declare_impl(hd_boogie_program *p, hd_boogie_impl *impl)
{
  declare(p, (hd_boogie_decl){.kind = HD_BOOGIE_DECL_IMPL, .impl = impl});
}

void
hd_boogie_remove(hd_boogie_program *p, bool (*gone)(void *context, const hd_boogie_decl *d), void *context)
{
  size_t kept = 0;
  for (size_t i = 0; i < p->decls.n; i++)
    if (!gone(context, &p->decls.items[i]))
      p->decls.items[kept++] = p->decls.items[i];
  p->decls.n = kept;
  hd_boogie_program_names *names = p->names, *fresh = hd_boogie_names_new();
  hd_boogie_table *texts = names->texts;
  names->texts = fresh->texts;
  fresh->texts = texts;
  hd_boogie_names_free(names);
  p->names = fresh;
  for (size_t i = 0; i < kept; i++)
    hd_boogie_names_add(p, &p->decls.items[i]);
}

/* ---- objects ---- */
hd_boogie_var *
hd_boogie_new_var(hd_boogie_program *p, hd_boogie_var_kind kind, hd_boogie_place at, const char *name,
                  hd_boogie_type *type)
{
  hd_boogie_var *v = hd_boogie_alloc(p, sizeof *v);
  v->kind = kind;
  v->id = p->n_vars++;
  v->at = at;
  v->name = name;
  v->type = type;
  return v;
}

hd_boogie_var *
hd_boogie_copy_var(hd_boogie_program *p, const hd_boogie_var *v, const char *name)
{
  hd_boogie_var *copy = hd_boogie_new_var(p, v->kind, v->at, name, v->type);
  uint32_t id = copy->id;
  *copy = *v;
  copy->id = id;
  copy->name = name;
  return copy;
}

hd_boogie_function *
hd_boogie_new_function(hd_boogie_program *p, hd_boogie_place at, const char *name)
{
  hd_boogie_function *f = hd_boogie_alloc(p, sizeof *f);
  f->at = at;
  f->name = name;
  f->id = p->n_functions++;
  return f;
}

hd_boogie_proc *
hd_boogie_new_proc(hd_boogie_program *p, hd_boogie_place at, const char *name)
{
  hd_boogie_proc *proc = hd_boogie_alloc(p, sizeof *proc);
  proc->at = at;
  proc->name = name;
  proc->id = p->n_procs++;
  return proc;
}

hd_boogie_impl *
hd_boogie_new_impl(hd_boogie_program *p, hd_boogie_place at, const char *name, hd_boogie_proc *proc)
{
  hd_boogie_impl *impl = hd_boogie_alloc(p, sizeof *impl);
  impl->at = at;
  impl->name = name;
  impl->id = p->n_impls++;
  impl->proc = proc;
  return impl;
}

hd_boogie_block *
hd_boogie_new_block(hd_boogie_program *p, hd_boogie_place at, const char *label)
{
  hd_boogie_block *b = hd_boogie_alloc(p, sizeof *b);
  b->at = at;
  b->label = label;
  b->id = p->n_blocks++;
  return b;
}

hd_boogie_cmd *
hd_boogie_new_cmd(hd_boogie_program *p, hd_boogie_cmd_kind kind, hd_boogie_place at)
{
  hd_boogie_cmd *c = hd_boogie_alloc(p, sizeof *c);
  c->kind = kind;
  c->at = at;
  return c;
}

hd_boogie_expr *
hd_boogie_new_expr(hd_boogie_program *p, hd_boogie_expr_kind kind, hd_boogie_place at)
{
  hd_boogie_expr *e = hd_boogie_alloc(p, sizeof *e);
  e->kind = kind;
  e->at = at;
  e->depth = 1;
  switch (kind)
  {
  case HD_BOOGIE_FORALL:
  case HD_BOOGIE_EXISTS:
  case HD_BOOGIE_LAMBDA:
  case HD_BOOGIE_LET:
  case HD_BOOGIE_CODE:
    e->u.binder = hd_boogie_alloc(p, sizeof *e->u.binder);
    break;
  default:
    break;
  }
  return e;
}

void
hd_boogie_add_arg(hd_boogie_program *p, hd_boogie_expr *e, hd_boogie_expr *arg)
{
  HD_BOOGIE_ADD(p, e->args, arg);
  if (arg->depth >= e->depth)
    e->depth = arg->depth + 1;
}
