/* translate.c: expressions as terms. Inline functions are put in place, and old() reads the values of the frame's
 * start. */
#include <stdlib.h>
#include <string.h>

#include "vc/internal.h"

static const hd_smt_term *term(const context *x, const hd_boogie_expr *e);

enum
{
  MOST_EXPANSIONS = 500, /* inline functions inside each other */
  MOST_EXPONENT = 1000   /* of a real literal */
};

const hd_smt_sort *
hd_vc_instance_sort(condition *c, const instance *v)
{
  return hd_vc_sort(c, v->frame->types, v->decl->type, v->decl->at);
}

const hd_smt_term *
hd_vc_version(condition *c, uint32_t i)
{
  const instance *v = &c->instances[i];
  return hd_smt_constant(c->u, hd_vc_text(c, "%s@%u", v->name, c->versions[i]++), hd_vc_instance_sort(c, v));
}

const hd_smt_term *
hd_vc_initial(condition *c, uint32_t i)
{
  if (!c->initial[i])
  {
    const instance *v = &c->instances[i];
    c->initial[i] = hd_smt_constant(c->u, v->name, hd_vc_instance_sort(c, v));
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

const hd_smt_term *
hd_vc_plain(const context *x, const hd_boogie_expr *e)
{
  context inside = *x;
  inside.mixed = true;
  return term(&inside, e);
}

static const hd_smt_term **
all_plain(const context *x, const hd_boogie_exprs *list)
{
  const hd_smt_term **terms = hd_vc_alloc(x->c, (list->n + 1) * sizeof *terms);
  for (size_t i = 0; i < list->n; i++)
    terms[i] = hd_vc_plain(x, list->items[i]);
  return terms;
}

static const hd_smt_term *
read_map(const context *x, const hd_boogie_expr *e)
{
  const hd_smt_term **args = all_plain(x, &e->args), *m = args[0];
  if (hd_vc_is_generic(e->args.items[0]))
    return hd_vc_generic_read(x, e, e->args.n - 1, args);
  for (size_t i = 1; i < e->args.n; i++)
    m = hd_vc_select(x->c, m, args[i]);
  return m;
}

/* MAP with VALUE at the indices I .. N-1. */
static const hd_smt_term *
written(condition *c, const hd_smt_term *map, const hd_smt_term *const *index, size_t n, const hd_smt_term *value)
{
  if (n == 0)
    return value;
  if (n > 1)
    value = written(c, hd_vc_select(c, map, index[0]), index + 1, n - 1, value);
  return hd_vc_store(c, map, index[0], value);
}

static const hd_smt_term *
write_map(const context *x, const hd_boogie_expr *e)
{
  size_t n = e->args.n;
  const hd_smt_term **args = all_plain(x, &e->args);
  if (hd_vc_is_generic(e->args.items[0]))
    return hd_vc_generic_write(x, e, n - 2, args);
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
  const hd_smt_term **args = all_plain(x, &place->args);
  args[n + 1] = value;
  if (hd_vc_is_generic(place->args.items[0]))
    value = hd_vc_generic_write(x, place, n, args);
  else
    value = written(x->c, args[0], args + 1, n, value);
  return assigned(x, place->args.items[0], value);
}

/* ---- applications ---- */

static const hd_smt_term *
apply(const context *x, const hd_boogie_expr *e)
{
  condition *c = x->c;
  const hd_boogie_function *f = e->u.call.function;
  size_t n = e->args.n;
  const hd_smt_term **args = all_plain(x, &e->args);
  if (f->builtin)
    return hd_vc_builtin(x, e, args);
  const type **type_args = hd_vc_type_args(c, x->types, &e->u.call.type_args);
  if (!f->is_inline || !f->body)
    return hd_smt_apply(c->u, hd_vc_function(c, f, type_args, e->at), n, args);
  if (f->type_params.n)
    hd_vc_use(c, f, type_args, f->type_params.n);
  if (c->expanding > MOST_EXPANSIONS)
    hd_vc_unsupported(c, e->at, "inline functions are too deep inside each other here; is %s recursive?", f->name);
  scope *params = hd_vc_alloc(c, n * sizeof *params);
  for (size_t i = 0; i < n; i++)
    params[i] = (scope){.var = f->ins.items[i], .term = args[i], .next = i ? &params[i - 1] : NULL};
  static const frame none;
  context inside = *x;
  inside.frame = &none;
  inside.scope = n ? &params[n - 1] : NULL;
  inside.in_old = false;
  inside.types = hd_vc_types(c, NULL, &f->type_params, type_args);
  c->expanding++;
  const hd_smt_term *t = term(&inside, f->body);
  c->expanding--;
  return t;
}

/* ---- operators ---- */

static const hd_smt_op operators[] = {
    [HD_BOOGIE_NEG] = HD_SMT_MINUS,  [HD_BOOGIE_NOT] = HD_SMT_NOT,       [HD_BOOGIE_IMPLIES] = HD_SMT_IMPLIES,
    [HD_BOOGIE_AND] = HD_SMT_AND,    [HD_BOOGIE_OR] = HD_SMT_OR,         [HD_BOOGIE_LT] = HD_SMT_LT,
    [HD_BOOGIE_LE] = HD_SMT_LE,      [HD_BOOGIE_GT] = HD_SMT_GT,         [HD_BOOGIE_GE] = HD_SMT_GE,
    [HD_BOOGIE_ADD_OP] = HD_SMT_ADD, [HD_BOOGIE_SUB] = HD_SMT_SUB,       [HD_BOOGIE_MUL] = HD_SMT_MUL,
    [HD_BOOGIE_DIV] = HD_SMT_DIV,    [HD_BOOGIE_MOD] = HD_SMT_MOD,       [HD_BOOGIE_REAL_DIV] = HD_SMT_DIVIDE,
    [HD_BOOGIE_ITE] = HD_SMT_ITE,    [HD_BOOGIE_TO_INT] = HD_SMT_TO_INT, [HD_BOOGIE_TO_REAL] = HD_SMT_TO_REAL,
};

/* E where the opposite is assumed or must be proved. */
static const hd_smt_term *
opposite(const context *x, const hd_boogie_expr *e)
{
  context flipped = *x;
  flipped.assumed = !x->assumed;
  return term(&flipped, e);
}

/* a == b. A code expression, and a quantifier over types, is another term on each side of an implication. */
static const hd_smt_term *
equality(const context *x, const hd_boogie_expr *e)
{
  condition *c = x->c;
  hd_smt *u = c->u;
  size_t before = c->code + c->type_quantifiers;
  const hd_smt_term *a = term(x, e->args.items[0]), *b = term(x, e->args.items[1]);
  if (a->sort != b->sort)
  {
    /* Of types that may be the same, or not. */
    const hd_smt_term *args[] = {a, b};
    if (!hd_vc_may_be_equal(hd_vc_type(c, x->types, e->args.items[0]->type),
                            hd_vc_type(c, x->types, e->args.items[1]->type)))
      return hd_smt_false(u);
    c->weaker = true;
    return hd_vc_opaque(c, "same", hd_smt_basic(u, HD_SMT_BOOL), 2, args);
  }
  if (c->code + c->type_quantifiers == before || a->sort->kind != HD_SMT_BOOL)
    return hd_smt_equal(u, a, b);
  return hd_smt_and(u, hd_smt_implies(u, opposite(x, e->args.items[0]), b),
                    hd_smt_implies(u, opposite(x, e->args.items[1]), a));
}

static const hd_smt_term *
operation(const context *x, const hd_boogie_expr *e)
{
  const hd_smt_term *args[3];
  HD_CHECK(e->args.n <= 3);
  for (size_t i = 0; i < e->args.n; i++)
    args[i] = i == 0 && (e->kind == HD_BOOGIE_NOT || e->kind == HD_BOOGIE_IMPLIES) ? opposite(x, e->args.items[i])
              : i == 0 && e->kind == HD_BOOGIE_ITE                                 ? hd_vc_plain(x, e->args.items[i])
                                                                                   : term(x, e->args.items[i]);
  if (e->kind != HD_BOOGIE_ITE && hd_vc_is_float(args[0]->sort))
    return hd_vc_float_operation(x->c, e, args);
  /* The operands of / are made real. */
  if (e->kind == HD_BOOGIE_REAL_DIV)
    for (size_t i = 0; i < 2; i++)
      if (args[i]->sort->kind == HD_SMT_INT)
        args[i] = hd_smt_make(x->c->u, HD_SMT_TO_REAL, 1, &args[i]);
  return hd_smt_make(x->c->u, operators[e->kind], e->args.n, args);
}

/* Nothing is known about powers of reals but that equal ones are equal. */
static const hd_smt_term *
power(const context *x, const hd_boogie_expr *e)
{
  condition *c = x->c;
  const hd_smt_sort *real = hd_smt_basic(c->u, HD_SMT_REAL);
  const hd_smt_term *args[] = {term(x, e->args.items[0]), term(x, e->args.items[1])};
  if (!c->power)
    c->power = hd_smt_function(c->u, "**", real, 2, (const hd_smt_sort *[]){real, real});
  return hd_smt_apply(c->u, c->power, 2, args);
}

static const hd_smt_term *
term(const context *x, const hd_boogie_expr *e)
{
  condition *c = x->c;
  context old, flipped;
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
  case HD_BOOGIE_EQ:
  case HD_BOOGIE_IFF:
    return equality(x, e);
  case HD_BOOGIE_NEQ:
    flipped = *x;
    flipped.assumed = !x->assumed;
    return hd_smt_not(c->u, equality(&flipped, e));
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
    return hd_vc_quantifier(x, e);
  case HD_BOOGIE_LAMBDA:
    return hd_vc_lambda(x, e);
  case HD_BOOGIE_LET:
    return hd_vc_let(x, e);
  case HD_BOOGIE_SUBTYPE:
    return hd_vc_below(c, term(x, e->args.items[0]), term(x, e->args.items[1]));
  case HD_BOOGIE_POW:
    return power(x, e);
  case HD_BOOGIE_CODE:
    return hd_vc_code(x, e);
  case HD_BOOGIE_LIT_BV:
    return hd_vc_bits_literal(c, e);
  case HD_BOOGIE_CONCAT:
    return hd_vc_concat(c, e, term(x, e->args.items[0]), term(x, e->args.items[1]));
  case HD_BOOGIE_EXTRACT:
    return hd_vc_extract(c, e, term(x, e->args.items[0]));
  case HD_BOOGIE_LIT_FLOAT:
    return hd_vc_float_literal(c, e);
  case HD_BOOGIE_LIT_RMODE:
    return hd_vc_mode_literal(c, e);
  case HD_BOOGIE_BOUNDS:
    HD_CHECK(!"bounds outside the parser");
    break;
  default:
    break;
  }
  return operation(x, e);
}

const hd_smt_term *
hd_vc_term_in(const context *x, const hd_boogie_expr *e)
{
  return term(x, e);
}

const hd_smt_term *
hd_vc_term(condition *c, const frame *f, const hd_boogie_expr *e)
{
  context x = {.c = c, .frame = f, .types = f->types, .assumed = true};
  return term(&x, e);
}

const hd_smt_term *
hd_vc_assigned_value(condition *c, const frame *f, const hd_boogie_expr *e)
{
  context x = {.c = c, .frame = f, .types = f->types, .assumed = true, .mixed = true};
  return term(&x, e);
}

const hd_smt_term *
hd_vc_obligation(condition *c, const frame *f, const hd_boogie_expr *e)
{
  context x = {.c = c, .frame = f, .types = f->types};
  return term(&x, e);
}

const hd_smt_term *
hd_vc_assigned_in(const context *x, const hd_boogie_expr *place, const hd_smt_term *value)
{
  return assigned(x, place, value);
}

const hd_smt_term *
hd_vc_assigned(condition *c, const frame *f, const hd_boogie_expr *place, const hd_smt_term *value)
{
  context x = {.c = c, .frame = f, .types = f->types, .assumed = true, .mixed = true};
  return assigned(&x, place, value);
}
