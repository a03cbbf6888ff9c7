/* parse_decl.c: declarations, and the parser's entry. */
#include <string.h>

#include "boogie/front.h"

/* ---- variables and constants ---- */
static void
globals(hd_boogie_parser *p)
{
  hd_boogie_vars vars = {0};
  hd_boogie_var_group group = {.kind = HD_BOOGIE_GLOBAL, .allow_where = true, .context = "global variables"};
  hd_boogie_get(p);
  hd_boogie_parse_attrs(p, &group.attrs);
  hd_boogie_parse_vars(p, &group, &vars);
  hd_boogie_expect(p, HD_BOOGIE_T_SEMICOLON);
  for (size_t i = 0; i < vars.n; i++)
    hd_boogie_declare_var(p->program, vars.items[i]);
}

static void
order_spec(hd_boogie_parser *p, hd_boogie_var *v)
{
  hd_boogie_get(p);
  v->extends = true;
  if (p->ahead.kind == HD_BOOGIE_T_IDENT || p->ahead.kind == HD_BOOGIE_T_UNIQUE)
    do
    {
      bool unique = hd_boogie_take(p, HD_BOOGIE_T_UNIQUE);
      const char *name = hd_boogie_ident(p);
      hd_boogie_expr *e = hd_boogie_new_expr(p->program, HD_BOOGIE_VAR, p->last.at);
      e->u.id.name = name;
      HD_BOOGIE_ADD(p->program, v->parents, (hd_boogie_parent){.parent = e, .unique = unique});
    } while (hd_boogie_take(p, HD_BOOGIE_T_COMMA));
  v->complete = hd_boogie_take(p, HD_BOOGIE_T_COMPLETE);
}

static void
constants(hd_boogie_parser *p)
{
  hd_boogie_vars vars = {0};
  hd_boogie_get(p);
  hd_boogie_var model = {.kind = HD_BOOGIE_CONST, .at = p->last.at};
  hd_boogie_parse_attrs(p, &model.attrs);
  model.unique = hd_boogie_take(p, HD_BOOGIE_T_UNIQUE);
  do
    HD_BOOGIE_ADD(p->program, vars, hd_boogie_new_var(p->program, HD_BOOGIE_CONST, model.at, hd_boogie_ident(p), NULL));
  while (hd_boogie_take(p, HD_BOOGIE_T_COMMA));
  hd_boogie_expect(p, HD_BOOGIE_T_COLON);
  model.type = hd_boogie_parse_type(p);
  if (p->ahead.kind == HD_BOOGIE_T_EXTENDS)
    order_spec(p, &model);
  for (size_t i = 0; i < vars.n; i++)
  {
    hd_boogie_var *v = vars.items[i];
    model.id = v->id;
    model.name = v->name;
    *v = model;
    v->parents.n = v->parents.cap = 0;
    v->parents.items = NULL;
    for (size_t j = 0; j < model.parents.n; j++) /* each constant resolves names of its own */
    {
      const hd_boogie_expr *written = model.parents.items[j].parent;
      hd_boogie_expr *e = hd_boogie_new_expr(p->program, HD_BOOGIE_VAR, written->at);
      e->u.id.name = written->u.id.name;
      HD_BOOGIE_ADD(p->program, v->parents, (hd_boogie_parent){.parent = e, .unique = model.parents.items[j].unique});
    }
    hd_boogie_declare_var(p->program, v);
  }
  hd_boogie_expect(p, HD_BOOGIE_T_SEMICOLON);
}

/* ---- functions ---- */
/* A type, or name : type. */
static hd_boogie_var *
var_or_type(hd_boogie_parser *p, hd_boogie_var_kind kind)
{
  hd_boogie_attr *attrs = NULL;
  hd_boogie_parse_attrs(p, &attrs);
  hd_boogie_type *t = hd_boogie_parse_type(p);
  hd_boogie_place at = t->at;
  const char *name = "";
  if (hd_boogie_take(p, HD_BOOGIE_T_COLON))
  {
    if (t->kind == HD_BOOGIE_TYPE_NAME && !t->args.n)
      name = t->name;
    else
      hd_boogie_semantic(p, "expected identifier before ':'");
    t = hd_boogie_parse_type(p);
  }
  hd_boogie_var *v = hd_boogie_new_var(p->program, kind, at, name, t);
  v->attrs = attrs;
  return v;
}

/* In f(x, y: T) the x was read as a type: it is a name, and its type stands further right. */
static void
name_arguments(hd_boogie_parser *p, hd_boogie_vars *ins)
{
  bool named = false;
  for (size_t i = 0; i < ins->n; i++)
    named |= *ins->items[i]->name != 0;
  hd_boogie_type *type = NULL;
  for (size_t i = ins->n; named && i-- > 0;)
  {
    hd_boogie_var *v = ins->items[i];
    if (*v->name)
      type = v->type;
    else if (!type)
    {
      hd_boogie_parse_error(p, v->at, "the type of the last parameter is unspecified");
      return;
    }
    else if (v->type->kind == HD_BOOGIE_TYPE_NAME && !v->type->args.n)
    {
      v->name = v->type->name;
      v->type = type;
    }
    else
      hd_boogie_parse_error(p, v->at, "expecting an identifier as parameter name");
  }
}

/* The axiom (forall ins :: {f(ins) : T} (f(ins) : T) == body), with variables of its own. */
static hd_boogie_axiom *
definition_axiom(hd_boogie_parser *p, hd_boogie_function *f, hd_boogie_expr *body)
{
  hd_boogie_program *program = p->program;
  hd_boogie_axiom *axiom = hd_boogie_alloc(program, sizeof *axiom);
  hd_boogie_expr *all = hd_boogie_new_expr(program, HD_BOOGIE_FORALL, f->at);
  hd_boogie_expr *call = hd_boogie_new_expr(program, HD_BOOGIE_APPLY, f->at);
  call->u.call.name = f->name;
  for (size_t i = 0; i < f->ins.n; i++)
  {
    const hd_boogie_var *in = f->ins.items[i];
    const char *name = *in->name ? in->name : hd_boogie_text(program, "_%zu", i);
    hd_boogie_expr *use = hd_boogie_new_expr(program, HD_BOOGIE_VAR, in->at);
    use->u.id.name = name;
    hd_boogie_add_arg(program, call, use);
    HD_BOOGIE_ADD(program, all->u.binder->bound, hd_boogie_new_var(program, HD_BOOGIE_BOUND, in->at, name, in->type));
  }
  for (size_t i = 0; i < f->type_params.n; i++)
  {
    hd_boogie_type *v = hd_boogie_alloc(program, sizeof *v);
    *v = (hd_boogie_type){.kind = HD_BOOGIE_TYPE_VAR, .at = f->at, .name = f->type_params.items[i]->name};
    HD_BOOGIE_ADD(program, all->u.binder->type_params, v);
  }
  /* The type says what type parameters are that occur in the result alone. */
  hd_boogie_expr *typed = hd_boogie_new_expr(program, HD_BOOGIE_COERCE, f->at);
  typed->u.coerced.type = f->out->type;
  hd_boogie_add_arg(program, typed, call);
  hd_boogie_expr *equal = hd_boogie_new_expr(program, HD_BOOGIE_EQ, f->at);
  hd_boogie_add_arg(program, equal, typed);
  hd_boogie_add_arg(program, equal, body);
  hd_boogie_check_depth(p, equal);
  *axiom = (hd_boogie_axiom){.at = f->at, .expr = equal, .defines = f};
  if (f->ins.n || f->type_params.n)
  {
    hd_boogie_trigger *t = hd_boogie_alloc(program, sizeof *t);
    t->at = f->at;
    t->positive = true;
    HD_BOOGIE_ADD(program, t->exprs, typed);
    all->u.binder->triggers = t;
    all->u.binder->attrs = f->attrs;
    hd_boogie_add_arg(program, all, equal);
    axiom->expr = all;
  }
  return axiom;
}

static void
function(hd_boogie_parser *p)
{
  hd_boogie_attr *attrs = NULL;
  hd_boogie_get(p);
  hd_boogie_parse_attrs(p, &attrs);
  const char *name = hd_boogie_ident(p);
  hd_boogie_function *f = hd_boogie_new_function(p->program, p->last.at, name);
  f->attrs = attrs;
  f->builtin = hd_boogie_attr_text(attrs, "bvbuiltin");
  if (!f->builtin)
    f->builtin = hd_boogie_attr_text(attrs, "builtin");
  if (p->ahead.kind == HD_BOOGIE_T_LT)
    f->type_params = hd_boogie_parse_type_params(p);
  hd_boogie_expect(p, HD_BOOGIE_T_LPAREN);
  if (hd_boogie_starts_type(p->ahead.kind) || p->ahead.kind == HD_BOOGIE_T_LBRACE)
    do
      HD_BOOGIE_ADD(p->program, f->ins, var_or_type(p, HD_BOOGIE_IN));
    while (hd_boogie_take(p, HD_BOOGIE_T_COMMA));
  hd_boogie_expect(p, HD_BOOGIE_T_RPAREN);
  if (hd_boogie_take(p, HD_BOOGIE_T_RETURNS))
  {
    hd_boogie_expect(p, HD_BOOGIE_T_LPAREN);
    f->out = var_or_type(p, HD_BOOGIE_OUT);
    hd_boogie_expect(p, HD_BOOGIE_T_RPAREN);
  }
  else if (hd_boogie_take(p, HD_BOOGIE_T_COLON))
  {
    hd_boogie_type *t = hd_boogie_parse_type(p);
    f->out = hd_boogie_new_var(p->program, HD_BOOGIE_OUT, t->at, "", t);
  }
  else
  {
    hd_boogie_syntax(p, "invalid Function");
    f->out = hd_boogie_new_var(p->program, HD_BOOGIE_OUT, p->last.at, "", p->program->int_type);
  }
  hd_boogie_expr *body = NULL;
  if (hd_boogie_take(p, HD_BOOGIE_T_LBRACE))
  {
    body = hd_boogie_parse_expr(p);
    hd_boogie_expect(p, HD_BOOGIE_T_RBRACE);
  }
  else if (!hd_boogie_take(p, HD_BOOGIE_T_SEMICOLON))
    hd_boogie_syntax(p, "invalid Function");
  name_arguments(p, &f->ins);
  hd_boogie_declare_function(p->program, f);
  f->is_inline = hd_boogie_attr_flag(attrs, "inline");
  if (body && f->is_inline)
    f->body = body;
  else if (body)
  {
    f->definition = definition_axiom(p, f, body);
    hd_boogie_declare_axiom(p->program, f->definition);
  }
}

static void
axiom(hd_boogie_parser *p)
{
  hd_boogie_axiom *a = hd_boogie_alloc(p->program, sizeof *a);
  hd_boogie_get(p);
  hd_boogie_parse_attrs(p, &a->attrs);
  a->at = p->last.at;
  a->expr = hd_boogie_parse_expr(p);
  hd_boogie_expect(p, HD_BOOGIE_T_SEMICOLON);
  hd_boogie_declare_axiom(p->program, a);
}

/* ---- types ---- */
static void
types(hd_boogie_parser *p)
{
  hd_boogie_attr *attrs = NULL;
  hd_boogie_get(p);
  hd_boogie_parse_attrs(p, &attrs);
  do
  {
    hd_boogie_type_decl *d = hd_boogie_alloc(p->program, sizeof *d);
    d->attrs = attrs;
    d->name = hd_boogie_ident(p);
    d->at = p->last.at;
    while (p->ahead.kind == HD_BOOGIE_T_IDENT)
    {
      hd_boogie_type *v = hd_boogie_alloc(p->program, sizeof *v);
      v->kind = HD_BOOGIE_TYPE_VAR;
      v->name = hd_boogie_ident(p);
      v->at = p->last.at;
      HD_BOOGIE_ADD(p->program, d->params, v);
    }
    if (hd_boogie_take(p, HD_BOOGIE_T_IS))
      d->body = hd_boogie_parse_type(p);
    hd_boogie_declare_type(p->program, d);
  } while (hd_boogie_take(p, HD_BOOGIE_T_COMMA));
  hd_boogie_expect(p, HD_BOOGIE_T_SEMICOLON);
}

/* ---- procedures and implementations ---- */
typedef struct signature
{
  hd_boogie_place at;
  const char *name;
  hd_boogie_attr *attrs;
  hd_boogie_types type_params;
  hd_boogie_vars ins, outs;
} signature;

static void
formals(hd_boogie_parser *p, hd_boogie_var_kind kind, bool of_procedure, hd_boogie_vars *out)
{
  hd_boogie_var_group group
      = {.kind = kind,
         .with_attrs = true,
         .allow_attrs = of_procedure,
         .allow_where = of_procedure,
         .context = of_procedure ? "procedure formals" : "the 'implementation' copies of formals"};
  hd_boogie_expect(p, HD_BOOGIE_T_LPAREN);
  if (p->ahead.kind == HD_BOOGIE_T_IDENT || p->ahead.kind == HD_BOOGIE_T_LBRACE)
    hd_boogie_parse_vars(p, &group, out);
  hd_boogie_expect(p, HD_BOOGIE_T_RPAREN);
}

static signature
parse_signature(hd_boogie_parser *p, bool of_procedure)
{
  signature s = {0};
  hd_boogie_get(p);
  hd_boogie_parse_attrs(p, &s.attrs);
  s.name = hd_boogie_ident(p);
  s.at = p->last.at;
  if (p->ahead.kind == HD_BOOGIE_T_LT)
    s.type_params = hd_boogie_parse_type_params(p);
  formals(p, HD_BOOGIE_IN, of_procedure, &s.ins);
  if (hd_boogie_take(p, HD_BOOGIE_T_RETURNS))
    formals(p, HD_BOOGIE_OUT, of_procedure, &s.outs);
  return s;
}

static bool
starts_spec(hd_boogie_token_kind kind)
{
  return kind == HD_BOOGIE_T_MODIFIES || kind == HD_BOOGIE_T_FREE || kind == HD_BOOGIE_T_REQUIRES
         || kind == HD_BOOGIE_T_ENSURES;
}

static void
spec(hd_boogie_parser *p, hd_boogie_proc *proc)
{
  if (hd_boogie_take(p, HD_BOOGIE_T_MODIFIES))
  {
    if (p->ahead.kind == HD_BOOGIE_T_IDENT)
      do
      {
        const char *name = hd_boogie_ident(p);
        hd_boogie_expr *e = hd_boogie_new_expr(p->program, HD_BOOGIE_VAR, p->last.at);
        e->u.id.name = name;
        HD_BOOGIE_ADD(p->program, proc->modifies, e);
      } while (hd_boogie_take(p, HD_BOOGIE_T_COMMA));
    hd_boogie_expect(p, HD_BOOGIE_T_SEMICOLON);
    return;
  }
  hd_boogie_spec *s = hd_boogie_alloc(p->program, sizeof *s);
  s->is_free = hd_boogie_take(p, HD_BOOGIE_T_FREE);
  bool pre = p->ahead.kind == HD_BOOGIE_T_REQUIRES;
  if (!pre && p->ahead.kind != HD_BOOGIE_T_ENSURES)
  {
    hd_boogie_syntax(p, "invalid SpecPrePost");
    return;
  }
  hd_boogie_get(p);
  s->at = p->last.at;
  hd_boogie_parse_attrs(p, &s->attrs);
  s->expr = hd_boogie_parse_expr(p);
  hd_boogie_expect(p, HD_BOOGIE_T_SEMICOLON);
  if (pre)
    HD_BOOGIE_ADD(p->program, proc->requires, s);
  else
    HD_BOOGIE_ADD(p->program, proc->ensures, s);
}

static void
body(hd_boogie_parser *p, hd_boogie_impl *impl)
{
  hd_boogie_expect(p, HD_BOOGIE_T_LBRACE);
  while (p->ahead.kind == HD_BOOGIE_T_VAR)
    hd_boogie_parse_locals(p, &impl->locals);
  impl->structured = hd_boogie_parse_stmts(p);
  if (!p->stopped)
    hd_boogie_make_blocks(p, impl);
}

static hd_boogie_vars
without_where(hd_boogie_parser *p, const hd_boogie_vars *vars)
{
  hd_boogie_vars copies = {0};
  for (size_t i = 0; i < vars->n; i++)
  {
    hd_boogie_var *v = hd_boogie_copy_var(p->program, vars->items[i], vars->items[i]->name);
    v->where = NULL;
    HD_BOOGIE_ADD(p->program, copies, v);
  }
  return copies;
}

static void
procedure(hd_boogie_parser *p)
{
  signature s = parse_signature(p, true);
  hd_boogie_proc *proc = hd_boogie_new_proc(p->program, s.at, s.name);
  hd_boogie_impl *impl = NULL;
  proc->attrs = s.attrs;
  proc->type_params = s.type_params;
  proc->ins = s.ins;
  proc->outs = s.outs;
  if (hd_boogie_take(p, HD_BOOGIE_T_SEMICOLON))
    while (starts_spec(p->ahead.kind))
      spec(p, proc);
  else if (starts_spec(p->ahead.kind) || p->ahead.kind == HD_BOOGIE_T_LBRACE)
  {
    while (starts_spec(p->ahead.kind))
      spec(p, proc);
    impl = hd_boogie_new_impl(p->program, s.at, s.name, NULL);
    impl->attrs = s.attrs;
    impl->type_params = s.type_params;
    impl->ins = without_where(p, &s.ins);
    impl->outs = without_where(p, &s.outs);
    body(p, impl);
  }
  else
    hd_boogie_syntax(p, "invalid Procedure");
  hd_boogie_declare_proc(p->program, proc);
  if (impl)
  {
    hd_boogie_declare_impl(p->program, impl);
    p->program->decls.items[p->program->decls.n - 1].joined = true;
  }
}

static void
implementation(hd_boogie_parser *p)
{
  signature s = parse_signature(p, false);
  hd_boogie_impl *impl = hd_boogie_new_impl(p->program, s.at, s.name, NULL);
  impl->attrs = s.attrs;
  impl->type_params = s.type_params;
  impl->ins = s.ins;
  impl->outs = s.outs;
  body(p, impl);
  hd_boogie_declare_impl(p->program, impl);
}

void
hd_boogie_parse(hd_boogie_program *program, hd_boogie_messages *m, const char *file, const char *text, size_t length)
{
  hd_boogie_parser p = {.program = program, .messages = m, .distance = 2};
  hd_boogie_lexer_start(&p.lexer, program, m, file, text, length);
  hd_boogie_get(&p);
  p.last.at = p.ahead.at;
  for (;;)
    switch (p.ahead.kind)
    {
    case HD_BOOGIE_T_CONST:
      constants(&p);
      break;
    case HD_BOOGIE_T_FUNCTION:
      function(&p);
      break;
    case HD_BOOGIE_T_AXIOM:
      axiom(&p);
      break;
    case HD_BOOGIE_T_TYPE:
      types(&p);
      break;
    case HD_BOOGIE_T_VAR:
      globals(&p);
      break;
    case HD_BOOGIE_T_PROCEDURE:
      procedure(&p);
      break;
    case HD_BOOGIE_T_IMPLEMENTATION:
      implementation(&p);
      break;
    default:
      hd_boogie_expect(&p, HD_BOOGIE_T_EOF);
      return;
    }
}
