/* parse_atom.c: literals, names, applications, quantifiers and the other expressions that need no parentheses around.
 */
#include <string.h>

#include "boogie/front.h"

/* ---- literals ---- */
/* N digits at S without leading zeros. */
static const char *
digits(hd_boogie_parser *p, const char *s, size_t n)
{
  while (n > 1 && *s == '0')
    s++, n--;
  return hd_boogie_copy_text(p->program, s, n);
}

uint32_t
hd_boogie_small_number(const char *s, size_t n)
{
  uint64_t x = 0;
  for (size_t i = 0; i < n; i++)
  {
    x = x * 10 + (uint64_t) (s[i] - '0');
    if (x > INT32_MAX)
      return INT32_MAX;
  }
  return (uint32_t) x;
}

static hd_boogie_expr *
literal(hd_boogie_parser *p)
{
  static const char *const modes[] = {"RNE", "RNA", "RTP", "RTN", "RTZ"};
  hd_boogie_get(p);
  const hd_boogie_token *t = &p->last;
  hd_boogie_expr *e = hd_boogie_new_expr(p->program, HD_BOOGIE_LIT_BOOL, t->at);
  hd_string value = {0};
  switch (t->kind)
  {
  case HD_BOOGIE_T_TRUE:
  case HD_BOOGIE_T_FALSE:
    e->u.truth = t->kind == HD_BOOGIE_T_TRUE;
    break;
  case HD_BOOGIE_T_DIGITS:
    e->kind = HD_BOOGIE_LIT_INT;
    e->u.lit.text = digits(p, t->text, t->length);
    break;
  case HD_BOOGIE_T_DECIMAL:
  case HD_BOOGIE_T_DEC_FLOAT:
    e->kind = HD_BOOGIE_LIT_REAL;
    e->u.lit.text = hd_boogie_copy_text(p->program, t->text, t->length);
    break;
  case HD_BOOGIE_T_FLOAT:
    e->kind = HD_BOOGIE_LIT_FLOAT;
    e->u.lit.text = hd_boogie_copy_text(p->program, t->text, t->length);
    if (!hd_boogie_float_value(e->u.lit.text, &value))
      hd_boogie_parse_error(p, t->at, "incorrectly formatted floating point, %s", value.text);
    hd_string_free(&value);
    break;
  case HD_BOOGIE_T_BVLIT:
  {
    const char *b = memchr(t->text, 'b', t->length);
    size_t n = (size_t) (b - t->text);
    e->kind = HD_BOOGIE_LIT_BV;
    e->u.lit.text = digits(p, t->text, n);
    e->u.lit.width = hd_boogie_small_number(b + 2, t->length - n - 2);
    break;
  }
  default:
    e->kind = HD_BOOGIE_LIT_RMODE;
    e->u.lit.text = modes[(t->kind - HD_BOOGIE_T_RNE_LONG) / 2];
    break;
  }
  return e;
}

/* ---- atoms ---- */
static void
arguments(hd_boogie_parser *p, hd_boogie_expr *e)
{
  do
    hd_boogie_add_arg(p->program, e, hd_boogie_parse_expr(p));
  while (hd_boogie_take(p, HD_BOOGIE_T_COMMA));
}

static hd_boogie_expr *
name_or_application(hd_boogie_parser *p)
{
  const char *name = hd_boogie_ident(p);
  hd_boogie_place at = p->last.at;
  if (!hd_boogie_take(p, HD_BOOGIE_T_LPAREN))
  {
    hd_boogie_expr *e = hd_boogie_new_expr(p->program, HD_BOOGIE_VAR, at);
    e->u.id.name = name;
    return e;
  }
  hd_boogie_expr *e = hd_boogie_new_expr(p->program, HD_BOOGIE_APPLY, at);
  e->u.call.name = name;
  if (hd_boogie_starts_expr(p->ahead.kind))
    arguments(p, e);
  else if (p->ahead.kind != HD_BOOGIE_T_RPAREN)
    hd_boogie_syntax(p, "invalid AtomExpression");
  hd_boogie_expect(p, HD_BOOGIE_T_RPAREN);
  hd_boogie_check_depth(p, e);
  return e;
}

/* old(e), int(e), real(e) */
static hd_boogie_expr *
wrapped(hd_boogie_parser *p, hd_boogie_expr_kind kind)
{
  hd_boogie_get(p);
  hd_boogie_place at = p->last.at;
  hd_boogie_expect(p, HD_BOOGIE_T_LPAREN);
  hd_boogie_expr *e = hd_boogie_parse_expr(p);
  hd_boogie_expect(p, HD_BOOGIE_T_RPAREN);
  return hd_boogie_parse_node(p, kind, at, e, NULL);
}

static void
bound_vars(hd_boogie_parser *p, hd_boogie_vars *out)
{
  hd_boogie_var_group group
      = {.kind = HD_BOOGIE_BOUND, .with_attrs = true, .allow_attrs = true, .context = "bound variables"};
  hd_boogie_parse_vars(p, &group, out);
}

static hd_boogie_expr *
quantifier(hd_boogie_parser *p, hd_boogie_expr_kind kind)
{
  hd_boogie_get(p);
  hd_boogie_expr *e = hd_boogie_new_expr(p->program, kind, p->last.at);
  hd_boogie_binder *b = e->u.binder;
  bool starts = p->ahead.kind == HD_BOOGIE_T_IDENT || p->ahead.kind == HD_BOOGIE_T_LBRACE;
  if (p->ahead.kind == HD_BOOGIE_T_LT)
  {
    b->type_params = hd_boogie_parse_type_params(p);
    if (p->ahead.kind == HD_BOOGIE_T_IDENT || p->ahead.kind == HD_BOOGIE_T_LBRACE)
      bound_vars(p, &b->bound);
  }
  else if (starts)
    bound_vars(p, &b->bound);
  else
    hd_boogie_syntax(p, "invalid QuantifierBody");
  if (!hd_boogie_take(p, HD_BOOGIE_T_QSEP))
    hd_boogie_syntax(p, "invalid QSep");
  hd_boogie_attr **attrs_end = &b->attrs;
  hd_boogie_trigger **triggers_end = &b->triggers;
  while (p->ahead.kind == HD_BOOGIE_T_LBRACE)
  {
    hd_boogie_parse_attr_or_trigger(p, attrs_end, triggers_end);
    if (*attrs_end)
      attrs_end = &(*attrs_end)->next;
    if (*triggers_end)
      triggers_end = &(*triggers_end)->next;
  }
  hd_boogie_expr *body = hd_boogie_parse_expr(p);
  if (kind == HD_BOOGIE_LAMBDA && b->triggers)
    hd_boogie_semantic(p, "triggers not allowed in lambda expressions");
  if (!b->type_params.n && !b->bound.n)
    return body;
  hd_boogie_add_arg(p->program, e, body);
  hd_boogie_check_depth(p, e);
  return e;
}

static hd_boogie_expr *
let(hd_boogie_parser *p)
{
  hd_boogie_get(p);
  hd_boogie_expr *e = hd_boogie_new_expr(p->program, HD_BOOGIE_LET, p->last.at);
  do
  {
    hd_boogie_attr *attrs = NULL;
    hd_boogie_parse_attrs(p, &attrs);
    const char *name = hd_boogie_ident(p);
    hd_boogie_var *v = hd_boogie_new_var(p->program, HD_BOOGIE_BOUND, p->last.at, name, NULL);
    v->attrs = attrs;
    HD_BOOGIE_ADD(p->program, e->u.binder->bound, v);
  } while (hd_boogie_take(p, HD_BOOGIE_T_COMMA));
  hd_boogie_expect(p, HD_BOOGIE_T_BECOMES);
  arguments(p, e);
  hd_boogie_expect(p, HD_BOOGIE_T_SEMICOLON);
  hd_boogie_parse_attrs(p, &e->u.binder->attrs);
  hd_boogie_add_arg(p->program, e, hd_boogie_parse_expr(p));
  hd_boogie_check_depth(p, e);
  return e;
}

static hd_boogie_expr *
parenthesised(hd_boogie_parser *p)
{
  hd_boogie_expr *e;
  hd_boogie_get(p);
  switch (p->ahead.kind)
  {
  case HD_BOOGIE_T_FORALL:
    e = quantifier(p, HD_BOOGIE_FORALL);
    break;
  case HD_BOOGIE_T_EXISTS:
    e = quantifier(p, HD_BOOGIE_EXISTS);
    break;
  case HD_BOOGIE_T_LAMBDA:
    e = quantifier(p, HD_BOOGIE_LAMBDA);
    break;
  case HD_BOOGIE_T_VAR:
    e = let(p);
    break;
  default:
    if (hd_boogie_starts_expr(p->ahead.kind))
    {
      e = hd_boogie_parse_expr(p);
      if (e->kind == HD_BOOGIE_BOUNDS)
        hd_boogie_semantic(p, "parentheses around bitvector bounds are not allowed");
    }
    else
    {
      hd_boogie_syntax(p, "invalid AtomExpression");
      e = hd_boogie_parse_dummy(p);
    }
  }
  hd_boogie_expect(p, HD_BOOGIE_T_RPAREN);
  return e;
}

static hd_boogie_expr *
if_then_else(hd_boogie_parser *p)
{
  hd_boogie_get(p);
  hd_boogie_place at = p->last.at;
  hd_boogie_expr *c = hd_boogie_parse_expr(p);
  hd_boogie_expect(p, HD_BOOGIE_T_THEN);
  hd_boogie_expr *a = hd_boogie_parse_expr(p);
  hd_boogie_expect(p, HD_BOOGIE_T_ELSE);
  hd_boogie_expr *b = hd_boogie_parse_expr(p);
  hd_boogie_expr *e = hd_boogie_parse_node(p, HD_BOOGIE_ITE, at, c, a);
  hd_boogie_add_arg(p->program, e, b);
  hd_boogie_check_depth(p, e);
  return e;
}

/* One block of a code expression: label: commands goto or return e; */
static void
code_block(hd_boogie_parser *p, hd_boogie_expr *code)
{
  const char *name = hd_boogie_ident(p);
  hd_boogie_block *b = hd_boogie_new_block(p->program, p->last.at, name);
  hd_boogie_expect(p, HD_BOOGIE_T_COLON);
  while (hd_boogie_starts_cmd(p->ahead.kind))
  {
    hd_boogie_token label;
    hd_boogie_cmd *c = hd_boogie_parse_label_or_cmd(p, &label);
    if (c)
      HD_BOOGIE_ADD(p->program, b->cmds, c);
    else
      hd_boogie_semantic(p, "SpecBlock's can only have one label");
  }
  hd_boogie_transfer *t = &b->transfer;
  if (hd_boogie_take(p, HD_BOOGIE_T_GOTO))
  {
    t->kind = HD_BOOGIE_GOTO;
    t->at = p->last.at;
    do
      HD_BOOGIE_ADD(p->program, t->labels, hd_boogie_ident(p));
    while (hd_boogie_take(p, HD_BOOGIE_T_COMMA));
  }
  else if (hd_boogie_take(p, HD_BOOGIE_T_RETURN))
  {
    t->kind = HD_BOOGIE_RETURN_EXPR;
    t->expr = hd_boogie_parse_expr(p);
    t->at = p->last.at; /* the last token of the expression, as in the reference */
    if (t->expr->depth >= code->depth)
      code->depth = t->expr->depth + 1;
  }
  else
    hd_boogie_syntax(p, "invalid SpecBlock");
  hd_boogie_expect(p, HD_BOOGIE_T_SEMICOLON);
  HD_BOOGIE_ADD(p->program, code->u.binder->blocks, b);
}

static hd_boogie_expr *
code(hd_boogie_parser *p)
{
  hd_boogie_get(p);
  hd_boogie_expr *e = hd_boogie_new_expr(p->program, HD_BOOGIE_CODE, p->last.at);
  while (p->ahead.kind == HD_BOOGIE_T_VAR)
    hd_boogie_parse_locals(p, &e->u.binder->bound);
  do
    code_block(p, e);
  while (p->ahead.kind == HD_BOOGIE_T_IDENT);
  hd_boogie_expect(p, HD_BOOGIE_T_RCODE);
  hd_boogie_check_depth(p, e);
  return e;
}

hd_boogie_expr *
hd_boogie_parse_atom(hd_boogie_parser *p)
{
  switch (p->ahead.kind)
  {
  case HD_BOOGIE_T_IDENT:
    return name_or_application(p);
  case HD_BOOGIE_T_OLD:
    return wrapped(p, HD_BOOGIE_OLD);
  case HD_BOOGIE_T_INT:
    return wrapped(p, HD_BOOGIE_TO_INT);
  case HD_BOOGIE_T_REAL:
    return wrapped(p, HD_BOOGIE_TO_REAL);
  case HD_BOOGIE_T_LPAREN:
    return parenthesised(p);
  case HD_BOOGIE_T_IF:
    return if_then_else(p);
  case HD_BOOGIE_T_LCODE:
    return code(p);
  default:
    return literal(p);
  }
}
