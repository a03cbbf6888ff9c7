/* print.c: commands, blocks and declarations as text. Bodies are printed as blocks, whatever they were written as. What
 * the reader made itself (axioms of function bodies, selectors, testers) is left out, since reading makes it again. */
#include "boogie/printer.h"

/* ---- commands ---- */
static void
indent(int level, hd_string *out)
{
  for (int i = 0; i < level; i++)
    hd_string_add(out, "  ");
}

static void
print_list(const hd_boogie_exprs *list, hd_string *out)
{
  for (size_t i = 0; i < list->n; i++)
  {
    hd_string_add(out, i ? ", " : "");
    hd_boogie_print_expr(list->items[i], out);
  }
}

static void
print_call(const hd_boogie_cmd *c, hd_string *out)
{
  print_list(&c->targets, out);
  hd_string_add(out, c->targets.n ? " := " : "");
  hd_boogie_print_name(c->proc ? c->proc->name : c->name, out);
  hd_string_add(out, "(");
  print_list(&c->values, out);
  hd_string_add(out, ")");
}

void
hd_boogie_print_cmd(const hd_boogie_cmd *c, int level, hd_string *out)
{
  indent(level, out);
  switch (c->kind)
  {
  case HD_BOOGIE_ASSERT:
  case HD_BOOGIE_ASSUME:
    hd_string_add(out, c->kind == HD_BOOGIE_ASSERT ? "assert " : "assume ");
    hd_boogie_print_attrs(c->attrs, out);
    hd_boogie_print_expr(c->expr, out);
    break;
  case HD_BOOGIE_HAVOC:
    hd_string_add(out, "havoc ");
    print_list(&c->targets, out);
    break;
  case HD_BOOGIE_ASSIGN:
    print_list(&c->targets, out);
    hd_string_add(out, " := ");
    hd_boogie_print_attrs(c->attrs, out);
    print_list(&c->values, out);
    break;
  case HD_BOOGIE_CALL:
    hd_string_printf(out, "%s%scall ", c->is_async ? "async " : "", c->is_free ? "free " : "");
    hd_boogie_print_attrs(c->attrs, out);
    print_call(c, out);
    break;
  case HD_BOOGIE_PAR:
    hd_string_add(out, "par ");
    hd_boogie_print_attrs(c->attrs, out);
    for (size_t i = 0; i < c->calls.n; i++)
    {
      hd_string_add(out, i ? " | " : "");
      print_call(c->calls.items[i], out);
    }
    break;
  case HD_BOOGIE_YIELD:
    hd_string_add(out, "yield");
    break;
  }
  hd_string_add(out, ";\n");
}

/* ---- blocks ---- */
static void
print_transfer(const hd_boogie_transfer *t, hd_string *out)
{
  indent(2, out);
  if (t->kind == HD_BOOGIE_GOTO)
  {
    hd_string_add(out, "goto ");
    for (size_t i = 0; i < t->targets.n; i++)
    {
      hd_string_add(out, i ? ", " : "");
      hd_boogie_print_name(t->targets.items[i]->label, out);
    }
  }
  else
    hd_string_add(out, "return");
  if (t->kind == HD_BOOGIE_RETURN_EXPR)
  {
    hd_string_add(out, " ");
    hd_boogie_print_expr(t->expr, out);
  }
  hd_string_add(out, ";\n");
}

void
hd_boogie_print_blocks(const hd_boogie_blocks *blocks, hd_string *out)
{
  for (size_t i = 0; i < blocks->n; i++)
  {
    const hd_boogie_block *b = blocks->items[i];
    indent(1, out);
    hd_boogie_print_name(b->label, out);
    hd_string_add(out, ":\n");
    for (size_t j = 0; j < b->cmds.n; j++)
      hd_boogie_print_cmd(b->cmds.items[j], 2, out);
    print_transfer(&b->transfer, out);
  }
}

void
hd_boogie_print_locals(const hd_boogie_vars *locals, hd_string *out)
{
  for (size_t i = 0; i < locals->n; i++)
  {
    hd_string_add(out, "  var ");
    hd_boogie_print_var(locals->items[i], true, out);
    hd_string_add(out, ";\n");
  }
}

/* ---- declarations ---- */
static void
print_type_decl(const hd_boogie_type_decl *d, hd_string *out)
{
  hd_string_add(out, "type ");
  hd_boogie_print_attrs(d->attrs, out);
  hd_boogie_print_name(d->name, out);
  for (size_t i = 0; i < d->params.n; i++)
  {
    hd_string_add(out, " ");
    hd_boogie_print_name(d->params.items[i]->name, out);
  }
  if (d->body)
  {
    hd_string_add(out, " = ");
    hd_boogie_print_type(d->body, out);
  }
  hd_string_add(out, ";\n");
}

static void
print_global(const hd_boogie_var *v, hd_string *out)
{
  hd_string_add(out, v->kind == HD_BOOGIE_CONST ? "const " : "var ");
  hd_boogie_print_attrs(v->attrs, out);
  hd_string_add(out, v->unique ? "unique " : "");
  hd_boogie_print_var(v, false, out);
  hd_string_add(out, v->extends ? " extends" : "");
  for (size_t i = 0; i < v->parents.n; i++)
  {
    hd_string_printf(out, "%s %s", i ? "," : "", v->parents.items[i].unique ? "unique " : "");
    hd_boogie_print_expr(v->parents.items[i].parent, out);
  }
  hd_string_add(out, v->complete ? " complete;\n" : ";\n");
}

static void
print_function(const hd_boogie_function *f, hd_string *out)
{
  if (f->role == HD_BOOGIE_SELECTOR || f->role == HD_BOOGIE_TESTER)
    return;
  hd_string_add(out, "function ");
  hd_boogie_print_attrs(f->attrs, out);
  hd_boogie_print_name(f->name, out);
  hd_boogie_print_type_params(&f->type_params, out);
  hd_string_add(out, "(");
  hd_boogie_print_vars(&f->ins, true, out);
  hd_string_add(out, ") returns (");
  hd_boogie_print_var(f->out, true, out);
  hd_string_add(out, ")");
  const hd_boogie_expr *body = f->body;
  if (f->definition)
  {
    const hd_boogie_expr *e = f->definition->expr;
    if (e->kind == HD_BOOGIE_FORALL)
      e = e->args.items[0];
    body = e->args.items[1];
  }
  if (body)
  {
    hd_string_add(out, "\n{\n  ");
    hd_boogie_print_expr(body, out);
    hd_string_add(out, "\n}\n");
  }
  else
    hd_string_add(out, ";\n");
}

static void
print_signature(const char *name, const hd_boogie_attr *attrs, const hd_boogie_types *type_params,
                const hd_boogie_vars *ins, const hd_boogie_vars *outs, bool with_attrs, hd_string *out)
{
  hd_boogie_print_attrs(attrs, out);
  hd_boogie_print_name(name, out);
  hd_boogie_print_type_params(type_params, out);
  hd_string_add(out, "(");
  hd_boogie_print_vars(ins, with_attrs, out);
  hd_string_add(out, ")");
  if (outs->n)
  {
    hd_string_add(out, " returns (");
    hd_boogie_print_vars(outs, with_attrs, out);
    hd_string_add(out, ")");
  }
}

static void
print_specs(const hd_boogie_specs *specs, const char *word, hd_string *out)
{
  for (size_t i = 0; i < specs->n; i++)
  {
    hd_string_printf(out, "%s%s ", specs->items[i]->is_free ? "  free " : "  ", word);
    hd_boogie_print_attrs(specs->items[i]->attrs, out);
    hd_boogie_print_expr(specs->items[i]->expr, out);
    hd_string_add(out, ";\n");
  }
}

static void
print_proc(const hd_boogie_proc *proc, bool with_body, hd_string *out)
{
  hd_string_add(out, "procedure ");
  print_signature(proc->name, proc->attrs, &proc->type_params, &proc->ins, &proc->outs, true, out);
  hd_string_add(out, with_body ? "\n" : ";\n");
  print_specs(&proc->requires, "requires", out);
  if (proc->modifies.n)
  {
    hd_string_add(out, "  modifies ");
    print_list(&proc->modifies, out);
    hd_string_add(out, ";\n");
  }
  print_specs(&proc->ensures, "ensures", out);
}

static void
print_body(const hd_boogie_impl *impl, hd_string *out)
{
  hd_string_add(out, "{\n");
  hd_boogie_print_locals(&impl->locals, out);
  hd_boogie_print_blocks(&impl->blocks, out);
  hd_string_add(out, "}\n");
}

void
hd_boogie_print_impl(const hd_boogie_impl *impl, hd_string *out)
{
  hd_string_add(out, "implementation ");
  print_signature(impl->name, impl->attrs, &impl->type_params, &impl->ins, &impl->outs, false, out);
  hd_string_add(out, "\n");
  print_body(impl, out);
}

void
hd_boogie_print_decl(const hd_boogie_decl *d, hd_string *out)
{
  switch (d->kind)
  {
  case HD_BOOGIE_DECL_TYPE:
    print_type_decl(d->type, out);
    break;
  case HD_BOOGIE_DECL_VAR:
    print_global(d->var, out);
    break;
  case HD_BOOGIE_DECL_FUNCTION:
    print_function(d->function, out);
    break;
  case HD_BOOGIE_DECL_AXIOM:
    if (d->axiom->defines)
      break;
    hd_string_add(out, "axiom ");
    hd_boogie_print_attrs(d->axiom->attrs, out);
    hd_boogie_print_expr(d->axiom->expr, out);
    hd_string_add(out, ";\n");
    break;
  case HD_BOOGIE_DECL_PROC:
    print_proc(d->proc, false, out);
    break;
  case HD_BOOGIE_DECL_IMPL:
    hd_boogie_print_impl(d->impl, out);
    break;
  }
}

void
hd_boogie_print_program(const hd_boogie_program *p, hd_string *out)
{
  for (size_t i = 0; i < p->decls.n; i++)
  {
    const hd_boogie_decl *d = &p->decls.items[i], *next = i + 1 < p->decls.n ? d + 1 : NULL;
    if (d->kind == HD_BOOGIE_DECL_PROC && next && next->kind == HD_BOOGIE_DECL_IMPL && next->joined
        && next->impl->proc == d->proc)
    {
      print_proc(d->proc, true, out);
      print_body(next->impl, out);
      i++;
    }
    else
      hd_boogie_print_decl(d, out);
  }
}
