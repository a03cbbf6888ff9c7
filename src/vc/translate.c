/* translate.c: expressions as terms. Inline functions are put in place, old() reads the values of the frame's start,
 * and a lambda becomes an application of a lifted function (lift.c). */
#include <stdlib.h>
#include <string.h>

#include "vc/internal.h"

typedef struct context
{
  condition *c;
  const frame *frame;
  const scope *scope;
  bool in_old;
  uint32_t level; /* of the next variables to be bound */
} context;

static const hd_smt_term *term(const context *x, const hd_boogie_expr *e);

enum
{
  MOST_EXPANSIONS = 500, /* inline functions inside each other */
  MOST_EXPONENT = 1000   /* of a real literal */
};

const hd_smt_term *
hd_vc_version(condition *c, uint32_t i)
{
  const instance *v = &c->instances[i];
  return hd_smt_constant(c->u, hd_vc_text(c, "%s@%u", v->name, c->versions[i]++),
                         hd_vc_sort(c, v->decl->type, v->decl->at));
}

const hd_smt_term *
hd_vc_initial(condition *c, uint32_t i)
{
  if (!c->initial[i])
  {
    const instance *v = &c->instances[i];
    c->initial[i] = hd_smt_constant(c->u, v->name, hd_vc_sort(c, v->decl->type, v->decl->at));
  }
  return c->initial[i];
}

const hd_smt_term *
hd_vc_now(condition *c, uint32_t i)
{
  return c->now[i] ? c->now[i] : hd_vc_initial(c, i);
}

static const hd_smt_term *
variable(const context *x, const hd_boogie_expr *e)
{
  const hd_boogie_var *v = e->u.id.var;
  for (const scope *s = x->scope; s; s = s->next)
    if (s->var == v)
      return s->term;
  if (v->kind == HD_BOOGIE_CONST)
    return hd_vc_constant(x->c, v);
  bool initial;
  uint32_t i = hd_vc_lookup(x->frame, v, x->in_old, &initial);
  if (i == NOT_AN_INSTANCE)
    hd_vc_unsupported(x->c, e->at, "the variable %s cannot be used here", v->name);
  return initial ? hd_vc_initial(x->c, i) : hd_vc_now(x->c, i);
}

/* ---- literals ---- */

/* 12.5, 3e-7, 1.5e3 as a plain decimal. */
static const hd_smt_term *
real_literal(condition *c, const hd_boogie_expr *e)
{
  const char *text = e->u.lit.text, *exp = strpbrk(text, "eE"), *dot = strchr(text, '.');
  long exponent = exp ? strtol(exp + 1, NULL, 10) : 0;
  if (exponent > MOST_EXPONENT || exponent < -MOST_EXPONENT)
    hd_vc_unsupported(c, e->at, "the exponent of this literal is too large");
  hd_string digits = {0}, out = {0};
  size_t end = exp ? (size_t) (exp - text) : strlen(text), whole = dot ? (size_t) (dot - text) : end;
  hd_string_add_n(&digits, text, whole);
  if (dot)
    hd_string_add_n(&digits, dot + 1, end - whole - 1);
  long point = (long) whole + exponent; /* digits before the point */
  for (long i = point; i < 1; i++)
    hd_string_add(&out, i == point ? "0." : "0");
  for (long i = 0; i < (long) digits.length; i++)
  {
    if (point > 0 && i == point)
      hd_string_add(&out, ".");
    hd_string_add_n(&out, digits.text + i, 1);
  }
  for (long i = (long) digits.length; i < point; i++)
    hd_string_add(&out, "0");
  if (!strchr(out.text, '.'))
    hd_string_add(&out, ".0");
  const char *start = out.text;
  while (start[0] == '0' && start[1] && start[1] != '.')
    start++;
  const hd_smt_term *t = hd_smt_number(c->u, start, hd_smt_basic(c->u, HD_SMT_REAL));
  hd_string_free(&digits);
  hd_string_free(&out);
  return t;
}

/* ---- maps ---- */

static const hd_smt_term *
read_map(const context *x, const hd_boogie_expr *e)
{
  const hd_smt_term *m = term(x, e->args.items[0]);
  for (size_t i = 1; i < e->args.n; i++)
    m = hd_vc_select(x->c, m, term(x, e->args.items[i]));
  return m;
}

/* MAP with VALUE at the indices I .. N-1. */
static const hd_smt_term *
written(condition *c, const hd_smt_term *map, const hd_smt_term *const *index, size_t n, const hd_smt_term *value)
{
  if (n > 1)
    value = written(c, hd_vc_select(c, map, index[0]), index + 1, n - 1, value);
  return hd_vc_store(c, map, index[0], value);
}

static const hd_smt_term *
write_map(const context *x, const hd_boogie_expr *e)
{
  size_t n = e->args.n;
  const hd_smt_term **args = hd_vc_alloc(x->c, n * sizeof *args);
  for (size_t i = 0; i < n; i++)
    args[i] = term(x, e->args.items[i]);
  return written(x->c, args[0], args + 1, n - 2, args[n - 1]);
}

static const hd_smt_term *
assigned(const context *x, const hd_boogie_expr *place, const hd_smt_term *value)
{
  while (place->kind == HD_BOOGIE_COERCE)
    place = place->args.items[0];
  if (place->kind == HD_BOOGIE_VAR)
    return value;
  size_t n = place->args.n - 1;
  const hd_smt_term **index = hd_vc_alloc(x->c, n * sizeof *index);
  for (size_t i = 0; i < n; i++)
    index[i] = term(x, place->args.items[i + 1]);
  return assigned(x, place->args.items[0], written(x->c, term(x, place->args.items[0]), index, n, value));
}

/* ---- applications ---- */

static const hd_smt_term *
apply(const context *x, const hd_boogie_expr *e)
{
  condition *c = x->c;
  const hd_boogie_function *f = e->u.call.function;
  size_t n = e->args.n;
  const hd_smt_term **args = hd_vc_alloc(c, n * sizeof *args);
  for (size_t i = 0; i < n; i++)
    args[i] = term(x, e->args.items[i]);
  if (f->builtin)
    return hd_vc_builtin(c, e, args);
  if (!f->is_inline || !f->body)
    return hd_smt_apply(c->u, hd_vc_function(c, f, e->at), n, args);
  if (f->type_params.n)
    hd_vc_unsupported(c, e->at, "the function %s has type parameters, which is not supported", f->name);
  if (c->expanding > MOST_EXPANSIONS)
    hd_vc_unsupported(c, e->at, "inline functions are too deep inside each other here; is %s recursive?", f->name);
  scope *params = hd_vc_alloc(c, n * sizeof *params);
  for (size_t i = 0; i < n; i++)
    params[i] = (scope){.var = f->ins.items[i], .term = args[i], .next = i ? &params[i - 1] : NULL};
  static const frame none;
  context inside = {.c = c, .frame = &none, .scope = n ? &params[n - 1] : NULL, .level = x->level};
  c->expanding++;
  const hd_smt_term *t = term(&inside, f->body);
  c->expanding--;
  return t;
}

/* ---- binders ---- */

static bool
occurs(const hd_smt_term *t, const hd_smt_symbol *v)
{
  if (!(t->levels >> v->level & 1))
    return false;
  if (t->symbol == v)
    return true;
  for (uint32_t i = 0; i < t->nargs; i++)
    if (occurs(t->args[i], v))
      return true;
  return false;
}

/* A solver takes it as part of a pattern. */
static bool
is_matchable(const hd_smt_term *t)
{
  if (t->op != HD_SMT_APPLY && t->op != HD_SMT_NUMBER && t->op < HD_SMT_ADD)
    return false;
  if (t->op == HD_SMT_FORALL || t->op == HD_SMT_EXISTS || (t->op >= HD_SMT_LT && t->op <= HD_SMT_GE))
    return false;
  for (uint32_t i = 0; i < t->nargs; i++)
    if (!is_matchable(t->args[i]))
      return false;
  return true;
}

static bool
is_pattern(const hd_smt_pattern *p, const hd_smt_symbol *const *vars, size_t n)
{
  if (p->negative)
    return p->n == 1;
  for (size_t i = 0; i < p->n; i++)
    if (!p->terms[i]->nargs || !is_matchable(p->terms[i]))
      return false;
  for (size_t i = 0; i < n; i++)
  {
    bool found = false;
    for (size_t j = 0; j < p->n; j++)
      found = found || occurs(p->terms[j], vars[i]);
    if (!found)
      return false;
  }
  return true;
}

/* What is bound: new variables of one level, and the context inside. */
static context
bind(const context *x, const hd_boogie_expr *e, uint32_t level, const hd_smt_symbol **vars)
{
  condition *c = x->c;
  const hd_boogie_vars *bound = &e->u.binder->bound;
  if (e->u.binder->type_params.n)
    hd_vc_unsupported(c, e->at, "quantifiers over types are not supported");
  if (level == PARAMETER_LEVEL || level >= HD_SMT_MOST_LEVELS)
    hd_vc_unsupported(c, e->at, "quantifiers are too deep inside each other here");
  scope *names = hd_vc_alloc(c, bound->n * sizeof *names);
  context inside = *x;
  inside.level = level + 1;
  for (size_t i = 0; i < bound->n; i++)
  {
    const hd_boogie_var *v = bound->items[i];
    vars[i] = hd_vc_bound(c, v->name, hd_vc_sort(c, v->type, e->at), level, (uint32_t) i);
    names[i] = (scope){.var = v, .term = hd_smt_apply(c->u, vars[i], 0, NULL), .next = inside.scope};
    inside.scope = &names[i];
  }
  return inside;
}

static const hd_smt_term *
quantifier(const context *x, const hd_boogie_expr *e)
{
  condition *c = x->c;
  size_t n = e->u.binder->bound.n, npatterns = 0;
  const hd_smt_symbol **vars = hd_vc_alloc(c, n * sizeof *vars);
  context inside = bind(x, e, x->level, vars);
  const hd_smt_term *body = term(&inside, e->args.items[0]);
  int64_t weight = -1;
  if (!c->portable)
    hd_boogie_attr_int(e->u.binder->attrs, "weight", &weight);
  for (const hd_boogie_trigger *t = e->u.binder->triggers; t; t = t->next)
    npatterns++;
  hd_smt_pattern *patterns = hd_vc_alloc(c, npatterns * sizeof *patterns);
  npatterns = 0;
  for (const hd_boogie_trigger *t = e->u.binder->triggers; t; t = t->next)
  {
    hd_smt_pattern p = {.n = t->exprs.n, .negative = !t->positive};
    p.terms = hd_vc_alloc(c, p.n * sizeof *p.terms);
    for (size_t i = 0; i < p.n; i++)
      p.terms[i] = term(&inside, t->exprs.items[i]);
    if (is_pattern(&p, vars, n))
      patterns[npatterns++] = p;
  }
  hd_smt_quantifier q
      = {.nvars = n, .vars = vars, .npatterns = npatterns, .patterns = patterns, .weight = (long) weight};
  return hd_smt_quantify(c->u, e->kind == HD_BOOGIE_FORALL ? HD_SMT_FORALL : HD_SMT_EXISTS, &q, body);
}

static const hd_smt_term *
lambda(const context *x, const hd_boogie_expr *e)
{
  size_t n = e->u.binder->bound.n;
  const hd_smt_symbol **vars = hd_vc_alloc(x->c, n * sizeof *vars);
  context inside = bind(x, e, x->level < LAMBDA_LEVEL ? LAMBDA_LEVEL : x->level, vars);
  return hd_vc_lift(x->c, hd_vc_sort(x->c, e->type, e->at), vars, n, term(&inside, e->args.items[0]));
}

static const hd_smt_term *
let(const context *x, const hd_boogie_expr *e)
{
  size_t n = e->u.binder->bound.n;
  scope *names = hd_vc_alloc(x->c, n * sizeof *names);
  context inside = *x;
  for (size_t i = 0; i < n; i++)
    names[i].term = term(x, e->args.items[i]);
  for (size_t i = 0; i < n; i++)
  {
    names[i].var = e->u.binder->bound.items[i];
    names[i].next = inside.scope;
    inside.scope = &names[i];
  }
  return term(&inside, e->args.items[n]);
}

/* ---- operators ---- */

static const hd_smt_op operators[] = {
    [HD_BOOGIE_NEG] = HD_SMT_MINUS,       [HD_BOOGIE_NOT] = HD_SMT_NOT,         [HD_BOOGIE_IFF] = HD_SMT_EQUAL,
    [HD_BOOGIE_IMPLIES] = HD_SMT_IMPLIES, [HD_BOOGIE_AND] = HD_SMT_AND,         [HD_BOOGIE_OR] = HD_SMT_OR,
    [HD_BOOGIE_EQ] = HD_SMT_EQUAL,        [HD_BOOGIE_LT] = HD_SMT_LT,           [HD_BOOGIE_LE] = HD_SMT_LE,
    [HD_BOOGIE_GT] = HD_SMT_GT,           [HD_BOOGIE_GE] = HD_SMT_GE,           [HD_BOOGIE_ADD_OP] = HD_SMT_ADD,
    [HD_BOOGIE_SUB] = HD_SMT_SUB,         [HD_BOOGIE_MUL] = HD_SMT_MUL,         [HD_BOOGIE_DIV] = HD_SMT_DIV,
    [HD_BOOGIE_MOD] = HD_SMT_MOD,         [HD_BOOGIE_REAL_DIV] = HD_SMT_DIVIDE, [HD_BOOGIE_ITE] = HD_SMT_ITE,
    [HD_BOOGIE_TO_INT] = HD_SMT_TO_INT,   [HD_BOOGIE_TO_REAL] = HD_SMT_TO_REAL,
};

static const hd_smt_term *
operation(const context *x, const hd_boogie_expr *e)
{
  const hd_smt_term *args[3];
  HD_CHECK(e->args.n <= 3);
  for (size_t i = 0; i < e->args.n; i++)
    args[i] = term(x, e->args.items[i]);
  /* The operands of / are made real. */
  if (e->kind == HD_BOOGIE_REAL_DIV)
    for (size_t i = 0; i < 2; i++)
      if (args[i]->sort->kind == HD_SMT_INT)
        args[i] = hd_smt_make(x->c->u, HD_SMT_TO_REAL, 1, &args[i]);
  return hd_smt_make(x->c->u, operators[e->kind], e->args.n, args);
}

static const hd_smt_term *
term(const context *x, const hd_boogie_expr *e)
{
  condition *c = x->c;
  context old;
  switch (e->kind)
  {
  case HD_BOOGIE_LIT_BOOL:
    return e->u.truth ? hd_smt_true(c->u) : hd_smt_false(c->u);
  case HD_BOOGIE_LIT_INT:
    return hd_smt_number(c->u, e->u.lit.text, hd_smt_basic(c->u, HD_SMT_INT));
  case HD_BOOGIE_LIT_REAL:
    return real_literal(c, e);
  case HD_BOOGIE_VAR:
    return variable(x, e);
  case HD_BOOGIE_NEQ:
    return hd_smt_not(c->u, hd_smt_equal(c->u, term(x, e->args.items[0]), term(x, e->args.items[1])));
  case HD_BOOGIE_SELECT:
    return read_map(x, e);
  case HD_BOOGIE_STORE:
    return write_map(x, e);
  case HD_BOOGIE_APPLY:
    return apply(x, e);
  case HD_BOOGIE_COERCE:
    return term(x, e->args.items[0]);
  case HD_BOOGIE_OLD:
    old = *x;
    old.in_old = true;
    return term(&old, e->args.items[0]);
  case HD_BOOGIE_FORALL:
  case HD_BOOGIE_EXISTS:
    return quantifier(x, e);
  case HD_BOOGIE_LAMBDA:
    return lambda(x, e);
  case HD_BOOGIE_LET:
    return let(x, e);
  case HD_BOOGIE_SUBTYPE:
    hd_vc_unsupported(c, e->at, "the order of constants <: is not supported");
  case HD_BOOGIE_POW:
    hd_vc_unsupported(c, e->at, "powers ** are not supported");
  case HD_BOOGIE_CODE:
    hd_vc_unsupported(c, e->at, "code expressions are not supported");
  case HD_BOOGIE_LIT_BV:
  case HD_BOOGIE_CONCAT:
  case HD_BOOGIE_EXTRACT:
    hd_vc_unsupported(c, e->at, "bit vectors are not supported");
  case HD_BOOGIE_LIT_FLOAT:
  case HD_BOOGIE_LIT_RMODE:
    hd_vc_unsupported(c, e->at, "floating-point numbers are not supported");
  case HD_BOOGIE_BOUNDS:
    HD_CHECK(!"bounds outside the parser");
    break;
  default:
    break;
  }
  return operation(x, e);
}

const hd_smt_term *
hd_vc_term(condition *c, const frame *f, const hd_boogie_expr *e)
{
  context x = {.c = c, .frame = f};
  return term(&x, e);
}

const hd_smt_term *
hd_vc_assigned(condition *c, const frame *f, const hd_boogie_expr *place, const hd_smt_term *value)
{
  context x = {.c = c, .frame = f};
  return assigned(&x, place, value);
}
