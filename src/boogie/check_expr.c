/* check_expr.c: the types of expressions. An expression that was checked is not checked again, so a guard that two
 * commands share is reported once. An expression with an error in it has an unknown type, which fits everywhere, so
 * that one mistake gives one message. */
#include <string.h>

#include "boogie/checker.h"

static const char *
operator_text(hd_boogie_expr_kind kind)
{
  static const char *const texts[] = {
      [HD_BOOGIE_NEG] = "-",      [HD_BOOGIE_NOT] = "!",    [HD_BOOGIE_IFF] = "<==>",   [HD_BOOGIE_IMPLIES] = "==>",
      [HD_BOOGIE_AND] = "&&",     [HD_BOOGIE_OR] = "||",    [HD_BOOGIE_EQ] = "==",      [HD_BOOGIE_NEQ] = "!=",
      [HD_BOOGIE_LT] = "<",       [HD_BOOGIE_LE] = "<=",    [HD_BOOGIE_GT] = ">",       [HD_BOOGIE_GE] = ">=",
      [HD_BOOGIE_SUBTYPE] = "<:", [HD_BOOGIE_ADD_OP] = "+", [HD_BOOGIE_SUB] = "-",      [HD_BOOGIE_MUL] = "*",
      [HD_BOOGIE_DIV] = "div",    [HD_BOOGIE_MOD] = "mod",  [HD_BOOGIE_REAL_DIV] = "/", [HD_BOOGIE_POW] = "**",
  };
  return texts[kind];
}

void
hd_boogie_check_attrs(hd_boogie_checker *c, hd_boogie_attr *attrs)
{
  for (hd_boogie_attr *a = attrs; a; a = a->next)
    for (size_t i = 0; i < a->args.n; i++)
    {
      hd_boogie_expr *e = a->args.items[i].expr;
      if (e)
        hd_boogie_check_expr(c, e);
      hd_boogie_type_kind kind = e ? hd_boogie_expand(e->type)->kind : HD_BOOGIE_TYPE_NAME;
      if ((!strcmp(a->key, "minimize") || !strcmp(a->key, "maximize")) && kind != HD_BOOGIE_INT
          && kind != HD_BOOGIE_REAL && kind != HD_BOOGIE_BV)
      {
        hd_boogie_check_error(c, a->at,
                              "attributes :minimize and :maximize accept only one argument of type int, real or bv");
        break;
      }
      if (!strcmp(a->key, "verified_under") && kind != HD_BOOGIE_BOOL)
      {
        hd_boogie_check_error(c, a->at, "attribute :verified_under accepts only one argument of type bool");
        break;
      }
    }
}

/* ---- operators ---- */
static bool
is(hd_boogie_checker *c, hd_boogie_expr *e, hd_boogie_type *t)
{
  return hd_boogie_unify(c, e->type, t);
}

static bool
both(hd_boogie_checker *c, const hd_boogie_expr *e, hd_boogie_type *t)
{
  return is(c, e->args.items[0], t) && is(c, e->args.items[1], t);
}

static bool
same_float(const hd_boogie_expr *e)
{
  const hd_boogie_type *a = hd_boogie_expand(e->args.items[0]->type), *b = hd_boogie_expand(e->args.items[1]->type);
  return a->kind == HD_BOOGIE_FLOAT && hd_boogie_type_equal(a, b);
}

static hd_boogie_type *
check_binary(hd_boogie_checker *c, hd_boogie_expr *e)
{
  hd_boogie_program *p = c->program;
  hd_boogie_type *i = p->int_type, *r = p->real_type, *b = p->bool_type;
  hd_boogie_expr *x = e->args.items[0], *y = e->args.items[1];
  switch (e->kind)
  {
  case HD_BOOGIE_ADD_OP:
  case HD_BOOGIE_SUB:
  case HD_BOOGIE_MUL:
    if (both(c, e, i))
      return i;
    if (both(c, e, r))
      return r;
    if (same_float(e))
      return x->type;
    break;
  case HD_BOOGIE_DIV:
  case HD_BOOGIE_MOD:
    if (both(c, e, i))
      return i;
    break;
  case HD_BOOGIE_REAL_DIV:
    if ((is(c, x, i) || is(c, x, r)) && (is(c, y, i) || is(c, y, r)))
      return r;
    if (same_float(e))
      return x->type;
    break;
  case HD_BOOGIE_POW:
    if (both(c, e, r))
      return r;
    break;
  case HD_BOOGIE_EQ:
  case HD_BOOGIE_NEQ:
    if (hd_boogie_comparable(c, x->type, y->type))
      return b;
    break;
  case HD_BOOGIE_LT:
  case HD_BOOGIE_LE:
  case HD_BOOGIE_GT:
  case HD_BOOGIE_GE:
    if (both(c, e, i) || both(c, e, r) || same_float(e))
      return b;
    break;
  case HD_BOOGIE_SUBTYPE:
    if (hd_boogie_unify(c, x->type, y->type))
      return b;
    break;
  default:
    if (both(c, e, b))
      return b;
    break;
  }
  hd_boogie_check_error(c, e->at, "invalid argument types (%s and %s) to binary operator %s",
                        hd_boogie_show_type(c, x->type), hd_boogie_show_type(c, y->type), operator_text(e->kind));
  return NULL;
}

static hd_boogie_type *
check_unary(hd_boogie_checker *c, hd_boogie_expr *e)
{
  hd_boogie_program *p = c->program;
  hd_boogie_expr *x = e->args.items[0];
  if (e->kind == HD_BOOGIE_NEG && is(c, x, p->int_type))
    return p->int_type;
  if (e->kind == HD_BOOGIE_NEG && is(c, x, p->real_type))
    return p->real_type;
  if (e->kind == HD_BOOGIE_NOT && is(c, x, p->bool_type))
    return p->bool_type;
  hd_boogie_check_error(c, e->at, "invalid argument type (%s) to unary operator %s", hd_boogie_show_type(c, x->type),
                        operator_text(e->kind));
  return NULL;
}

static hd_boogie_type *
check_conversion(hd_boogie_checker *c, hd_boogie_expr *e)
{
  bool to_int = e->kind == HD_BOOGIE_TO_INT;
  hd_boogie_type *from = to_int ? c->program->real_type : c->program->int_type;
  if (!is(c, e->args.items[0], from))
    hd_boogie_check_error(c, e->at, "argument type %s does not match expected type %s",
                          hd_boogie_show_type(c, e->args.items[0]->type), hd_boogie_show_type(c, from));
  return to_int ? c->program->int_type : c->program->real_type;
}

/* ---- applications, maps ---- */
/* Match the actual arguments with FORMALS, after TYPE_PARAMS became unknowns, which TYPE_ARGS has. */
static void
match(hd_boogie_checker *c, const hd_boogie_types *type_params, hd_boogie_types *type_args,
      const hd_boogie_types *formals, hd_boogie_expr **actuals, const char *what, const char *name)
{
  for (size_t i = 0; i < formals->n; i++)
  {
    hd_boogie_type *formal = formals->items[i];
    hd_boogie_type *t = hd_boogie_type_substitute(c->program, formal, type_params, type_args);
    if (!hd_boogie_unify(c, t, actuals[i]->type))
      hd_boogie_check_error(c, actuals[i]->at, "invalid type for argument %zu in %s%s: %s (expected: %s)", i, what,
                            name, hd_boogie_show_type(c, actuals[i]->type), hd_boogie_show_type(c, formal));
  }
}

static void
add_unknowns(hd_boogie_checker *c, const hd_boogie_types *type_params, hd_boogie_types *type_args)
{
  for (size_t i = 0; i < type_params->n; i++)
    HD_BOOGIE_ADD(c->program, *type_args, hd_boogie_unknown(c, type_params->items[i]->name));
}

static hd_boogie_type *
check_apply(hd_boogie_checker *c, hd_boogie_expr *e)
{
  const hd_boogie_function *f = e->u.call.function;
  hd_boogie_types formals = {0};
  add_unknowns(c, &f->type_params, &e->u.call.type_args);
  for (size_t i = 0; i < f->ins.n; i++)
    HD_BOOGIE_ADD(c->program, formals, f->ins.items[i]->type);
  match(c, &f->type_params, &e->u.call.type_args, &formals, e->args.items, "application of ", f->name);
  return hd_boogie_type_substitute(c->program, f->out->type, &f->type_params, &e->u.call.type_args);
}

hd_boogie_type *
hd_boogie_check_select(hd_boogie_checker *c, hd_boogie_expr *e, size_t indices, const char *what)
{
  hd_boogie_expr *map = e->args.items[0];
  hd_boogie_type *t = hd_boogie_expand(map->type);
  if (t->kind == HD_BOOGIE_MAP && t->args.n != indices)
  {
    hd_boogie_check_error(c, e->at, "wrong number of arguments in %s: %zu instead of %zu", what, indices, t->args.n);
    return NULL;
  }
  if (t->kind == HD_BOOGIE_TYPE_UNKNOWN)
  {
    hd_boogie_types args = {0};
    for (size_t i = 0; i < indices; i++)
      HD_BOOGIE_ADD(c->program, args, hd_boogie_unknown(c, "arg"));
    hd_boogie_type *m = hd_boogie_map_type(c->program, args, hd_boogie_unknown(c, "res"));
    hd_boogie_unify(c, t, m);
    t = m;
  }
  if (t->kind != HD_BOOGIE_MAP)
  {
    hd_string s = {0};
    hd_boogie_print_expr(map, &s);
    hd_boogie_check_error(c, map->at, "%s applied to a non-map: %s", what, s.text);
    hd_string_free(&s);
    return NULL;
  }
  add_unknowns(c, &t->params, &e->u.call.type_args);
  match(c, &t->params, &e->u.call.type_args, &t->args, e->args.items + 1, what, "");
  return hd_boogie_type_substitute(c->program, t->result, &t->params, &e->u.call.type_args);
}

static hd_boogie_type *
check_store(hd_boogie_checker *c, hd_boogie_expr *e)
{
  hd_boogie_type *t = hd_boogie_check_select(c, e, e->args.n - 2, "map store");
  hd_boogie_expr *value = e->args.items[e->args.n - 1];
  if (!t)
    return NULL;
  if (!hd_boogie_unify(c, t, value->type))
  {
    hd_boogie_check_error(c, value->at, "right-hand side in map store with wrong type: %s (expected: %s)",
                          hd_boogie_show_type(c, value->type), hd_boogie_show_type(c, t));
    return NULL;
  }
  return e->args.items[0]->type;
}

static hd_boogie_type *
check_ite(hd_boogie_checker *c, hd_boogie_expr *e)
{
  hd_boogie_expr **x = e->args.items;
  if (!is(c, x[0], c->program->bool_type))
    hd_boogie_check_error(c, e->at, "the first argument to if-then-else should be bool, not %s",
                          hd_boogie_show_type(c, x[0]->type));
  else if (!hd_boogie_unify(c, x[1]->type, x[2]->type))
    hd_boogie_check_error(c, e->at, "branches of if-then-else have incompatible types %s and %s",
                          hd_boogie_show_type(c, x[1]->type), hd_boogie_show_type(c, x[2]->type));
  else
    return x[1]->type;
  return NULL;
}

/* ---- bit vectors ---- */
static hd_boogie_type *
check_extract(hd_boogie_checker *c, hd_boogie_expr *e)
{
  uint32_t high = e->u.bits.high, low = e->u.bits.low;
  const hd_boogie_type *t = hd_boogie_expand(e->args.items[0]->type);
  if (high < low)
  {
    hd_boogie_check_error(c, e->at, "start index in extract must be no bigger than the end index");
    return NULL;
  }
  if (t->kind == HD_BOOGIE_TYPE_UNKNOWN)
  {
    hd_boogie_check_error(c, e->at, "the width of the bit vector is not known here; write it as (e: bvN)");
    return NULL;
  }
  if (t->kind != HD_BOOGIE_BV || t->width < high - low)
  {
    hd_boogie_check_error(c, e->at, "extract operand must be a bitvector of at least %u bits (got %s)", high - low,
                          hd_boogie_show_type(c, e->args.items[0]->type));
    return NULL;
  }
  if (high > t->width)
  {
    hd_boogie_check_error(c, e->at, "bits up to %u of a vector of %u bits", high, t->width);
    return NULL;
  }
  return hd_boogie_bv_type(c->program, high - low);
}

static hd_boogie_type *
check_concat(hd_boogie_checker *c, hd_boogie_expr *e)
{
  const hd_boogie_type *a = hd_boogie_expand(e->args.items[0]->type), *b = hd_boogie_expand(e->args.items[1]->type);
  if (a->kind == HD_BOOGIE_BV && b->kind == HD_BOOGIE_BV && (uint64_t) a->width + b->width <= INT32_MAX)
    return hd_boogie_bv_type(c->program, a->width + b->width);
  if (a->kind == HD_BOOGIE_TYPE_UNKNOWN || b->kind == HD_BOOGIE_TYPE_UNKNOWN)
    hd_boogie_check_error(c, e->at, "the width of a bit vector is not known here; write it as (e: bvN)");
  else
    hd_boogie_check_error(c, e->at, "++ operands need to be bitvectors (got %s, %s)",
                          hd_boogie_show_type(c, e->args.items[0]->type),
                          hd_boogie_show_type(c, e->args.items[1]->type));
  return NULL;
}

/* ---- binders ---- */
typedef struct type_vars
{
  hd_boogie_program *program;
  hd_boogie_types found;
} type_vars;

/* The type variables in the types of variables and in the type arguments of an expression. */
static bool
collect_type_vars(void *context, hd_boogie_expr *e, bool in_old)
{
  type_vars *v = context;
  (void) in_old;
  if (e->kind == HD_BOOGIE_APPLY || e->kind == HD_BOOGIE_SELECT || e->kind == HD_BOOGIE_STORE)
    for (size_t i = 0; i < e->u.call.type_args.n; i++)
      hd_boogie_free_type_vars(v->program, e->u.call.type_args.items[i], &v->found);
  return true;
}

/* The type parameters of B that are not in the types of its variables. */
static hd_boogie_types
unmentioned(hd_boogie_checker *c, const hd_boogie_binder *b)
{
  hd_boogie_types used = {0}, out = {0};
  for (size_t i = 0; i < b->bound.n; i++)
    hd_boogie_free_type_vars(c->program, b->bound.items[i]->type, &used);
  for (size_t i = 0; i < b->type_params.n; i++)
    if (!hd_boogie_type_listed(&used, b->type_params.items[i]))
      HD_BOOGIE_ADD(c->program, out, b->type_params.items[i]);
  return out;
}

static hd_boogie_type *
check_quantifier(hd_boogie_checker *c, hd_boogie_expr *e)
{
  hd_boogie_binder *b = e->u.binder;
  hd_boogie_expr *body = e->args.items[0];
  hd_boogie_check_attrs(c, b->attrs);
  for (hd_boogie_trigger *t = b->triggers; t; t = t->next)
    for (size_t i = 0; i < t->exprs.n; i++)
      hd_boogie_check_expr(c, t->exprs.items[i]);
  hd_boogie_check_expr(c, body);
  if (!is(c, body, c->program->bool_type))
    hd_boogie_check_error(c, e->at, "quantifier body must be of type bool");
  hd_boogie_types rest = unmentioned(c, b);
  for (hd_boogie_trigger *t = b->triggers; rest.n && t; t = t->next)
  {
    type_vars v = {.program = c->program};
    for (size_t i = 0; i < t->exprs.n; i++)
      hd_boogie_walk_expr(t->exprs.items[i], collect_type_vars, &v);
    for (size_t i = 0; t->positive && i < rest.n; i++)
      if (!hd_boogie_type_listed(&v.found, rest.items[i]))
        hd_boogie_check_error(c, t->at, "trigger does not mention %s, which does not occur in variables types either",
                              rest.items[i]->name);
  }
  return c->program->bool_type;
}

static hd_boogie_type *
check_lambda(hd_boogie_checker *c, hd_boogie_expr *e)
{
  hd_boogie_binder *b = e->u.binder;
  hd_boogie_types args = {0};
  hd_boogie_check_attrs(c, b->attrs);
  hd_boogie_check_expr(c, e->args.items[0]);
  for (size_t i = 0; i < b->bound.n; i++)
    HD_BOOGIE_ADD(c->program, args, b->bound.items[i]->type);
  hd_boogie_type *t = hd_boogie_map_type(c->program, args, e->args.items[0]->type);
  t->params = b->type_params;
  hd_boogie_types rest = unmentioned(c, b);
  if (rest.n)
    hd_boogie_check_error(c, e->at, "the type variable %s does not occur in types of the lambda parameters",
                          rest.items[0]->name);
  return t;
}

static hd_boogie_type *
check_let(hd_boogie_checker *c, hd_boogie_expr *e)
{
  hd_boogie_binder *b = e->u.binder;
  size_t values = e->args.n - 1;
  for (size_t i = 0; i < values; i++)
  {
    hd_boogie_check_expr(c, e->args.items[i]);
    b->bound.items[i]->type = e->args.items[i]->type;
  }
  hd_boogie_check_attrs(c, b->attrs);
  hd_boogie_check_expr(c, e->args.items[values]);
  return e->args.items[values]->type;
}

/* ---- all ---- */
/* An operator on checked arguments. Null: said. */
static hd_boogie_type *
check_operator(hd_boogie_checker *c, hd_boogie_expr *e)
{
  switch (e->kind)
  {
  case HD_BOOGIE_NEG:
  case HD_BOOGIE_NOT:
    return check_unary(c, e);
  case HD_BOOGIE_TO_INT:
  case HD_BOOGIE_TO_REAL:
    return check_conversion(c, e);
  case HD_BOOGIE_APPLY:
    return check_apply(c, e);
  case HD_BOOGIE_SELECT:
    return hd_boogie_check_select(c, e, e->args.n - 1, "map select");
  case HD_BOOGIE_STORE:
    return check_store(c, e);
  case HD_BOOGIE_ITE:
    return check_ite(c, e);
  case HD_BOOGIE_COERCE:
    if (!hd_boogie_unify(c, e->u.coerced.type, e->args.items[0]->type))
      hd_boogie_check_error(c, e->at, "%s cannot be coerced to %s", hd_boogie_show_type(c, e->args.items[0]->type),
                            hd_boogie_show_type(c, e->u.coerced.type));
    return e->u.coerced.type;
  default:
    return check_binary(c, e);
  }
}

/* The type of a floating-point literal is in its text: ...f24e8 or 0NaN24e8. */
static hd_boogie_type *
float_type(hd_boogie_checker *c, const char *text)
{
  hd_boogie_type *t = hd_boogie_new_type(c->program, HD_BOOGIE_FLOAT, (hd_boogie_place){.file = ""});
  const char *exponent = strrchr(text, 'e'), *s = exponent;
  while (s > text && s[-1] >= '0' && s[-1] <= '9')
    s--;
  for (; s < exponent && t->width < 1000000; s++)
    t->width = t->width * 10 + (uint32_t) (*s - '0');
  for (s = exponent + 1; *s && t->exponent < 1000000; s++)
    t->exponent = t->exponent * 10 + (uint32_t) (*s - '0');
  return t;
}

/* Expressions that are not operators on their arguments. False: E is one. */
static bool
check_special(hd_boogie_checker *c, hd_boogie_expr *e)
{
  hd_boogie_program *p = c->program;
  switch (e->kind)
  {
  case HD_BOOGIE_LIT_BOOL:
    e->type = p->bool_type;
    return true;
  case HD_BOOGIE_LIT_INT:
    e->type = p->int_type;
    return true;
  case HD_BOOGIE_LIT_REAL:
    e->type = p->real_type;
    return true;
  case HD_BOOGIE_LIT_RMODE:
    e->type = p->rmode_type;
    return true;
  case HD_BOOGIE_LIT_BV:
    e->type = hd_boogie_bv_type(p, e->u.lit.width);
    return true;
  case HD_BOOGIE_LIT_FLOAT:
    e->type = float_type(c, e->u.lit.text);
    return true;
  case HD_BOOGIE_VAR:
    e->type = e->u.id.var->type;
    return true;
  case HD_BOOGIE_OLD:
    hd_boogie_check_expr(c, e->args.items[0]);
    e->type = e->args.items[0]->type;
    return true;
  case HD_BOOGIE_FORALL:
  case HD_BOOGIE_EXISTS:
    e->type = check_quantifier(c, e);
    return true;
  case HD_BOOGIE_LAMBDA:
    e->type = check_lambda(c, e);
    return true;
  case HD_BOOGIE_LET:
    e->type = check_let(c, e);
    return true;
  case HD_BOOGIE_CODE:
    for (size_t i = 0; i < e->u.binder->bound.n; i++)
      hd_boogie_check_var(c, e->u.binder->bound.items[i]);
    hd_boogie_check_blocks(c, &e->u.binder->blocks);
    e->type = p->bool_type;
    return true;
  case HD_BOOGIE_EXTRACT:
    hd_boogie_check_expr(c, e->args.items[0]);
    e->type = check_extract(c, e);
    return true;
  case HD_BOOGIE_CONCAT:
    hd_boogie_check_expr(c, e->args.items[0]);
    hd_boogie_check_expr(c, e->args.items[1]);
    e->type = check_concat(c, e);
    return true;
  default:
    return false;
  }
}

void
hd_boogie_check_expr(hd_boogie_checker *c, hd_boogie_expr *e)
{
  if (e->type)
    return;
  if (!check_special(c, e))
  {
    size_t before = c->errors;
    for (size_t i = 0; i < e->args.n; i++)
      hd_boogie_check_expr(c, e->args.items[i]);
    if (e->kind == HD_BOOGIE_APPLY && e->args.n != e->u.call.function->ins.n)
      hd_boogie_check_error(c, e->at, "wrong number of arguments to function: %s (%zu instead of %zu)", e->u.call.name,
                            e->args.n, e->u.call.function->ins.n);
    else if (c->errors == before)
      e->type = check_operator(c, e);
  }
  if (!e->type)
    e->type = hd_boogie_unknown(c, "type_checking_error");
}
