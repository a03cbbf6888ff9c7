/* parse_expr.c: operators of expressions, and what follows an atom. Atoms are in parse_atom.c.
 *
 * Where an error is said and what is skipped follows the reference's grammar step by step: a missing token is reported
 * and nothing is taken, so that the same text gives the same messages. */
#include <string.h>

#include "boogie/front.h"

bool
hd_boogie_starts_expr(hd_boogie_token_kind kind)
{
  switch (kind)
  {
  case HD_BOOGIE_T_IDENT:
  case HD_BOOGIE_T_BVLIT:
  case HD_BOOGIE_T_DIGITS:
  case HD_BOOGIE_T_DECIMAL:
  case HD_BOOGIE_T_DEC_FLOAT:
  case HD_BOOGIE_T_FLOAT:
  case HD_BOOGIE_T_LPAREN:
  case HD_BOOGIE_T_INT:
  case HD_BOOGIE_T_REAL:
  case HD_BOOGIE_T_IF:
  case HD_BOOGIE_T_MINUS:
  case HD_BOOGIE_T_NOT:
  case HD_BOOGIE_T_FALSE:
  case HD_BOOGIE_T_TRUE:
  case HD_BOOGIE_T_OLD:
  case HD_BOOGIE_T_LCODE:
    return true;
  default:
    return kind >= HD_BOOGIE_T_RNE_LONG && kind <= HD_BOOGIE_T_RTZ;
  }
}

hd_boogie_expr *
hd_boogie_parse_node(hd_boogie_parser *p, hd_boogie_expr_kind kind, hd_boogie_place at, hd_boogie_expr *a,
                     hd_boogie_expr *b)
{
  hd_boogie_expr *e = hd_boogie_new_expr(p->program, kind, at);
  if (a)
    hd_boogie_add_arg(p->program, e, a);
  if (b)
    hd_boogie_add_arg(p->program, e, b);
  hd_boogie_check_depth(p, e);
  return e;
}

hd_boogie_expr *
hd_boogie_parse_dummy(hd_boogie_parser *p)
{
  return hd_boogie_parse_node(p, HD_BOOGIE_LIT_BOOL, p->last.at, NULL, NULL);
}

/* ---- what follows an atom ---- */
/* [i, j], [i := e], [high:low] after E. */
static hd_boogie_expr *
bracket(hd_boogie_parser *p, hd_boogie_expr *map)
{
  hd_boogie_get(p);
  hd_boogie_expr *e = hd_boogie_parse_node(p, HD_BOOGIE_SELECT, p->last.at, map, NULL), *bounds = NULL;
  if (hd_boogie_starts_expr(p->ahead.kind))
  {
    hd_boogie_expr *index = hd_boogie_parse_expr(p);
    if (index->kind == HD_BOOGIE_BOUNDS)
      bounds = index;
    else
      hd_boogie_add_arg(p->program, e, index);
    while (hd_boogie_take(p, HD_BOOGIE_T_COMMA))
    {
      index = hd_boogie_parse_expr(p);
      if (bounds || index->kind == HD_BOOGIE_BOUNDS)
        hd_boogie_semantic(p, "bitvectors only have one dimension");
      hd_boogie_add_arg(p->program, e, index);
    }
    if (hd_boogie_take(p, HD_BOOGIE_T_BECOMES))
    {
      hd_boogie_expr *value = hd_boogie_parse_expr(p);
      if (bounds || value->kind == HD_BOOGIE_BOUNDS)
        hd_boogie_semantic(p, "assignment to bitvectors is not possible");
      hd_boogie_add_arg(p->program, e, value);
      e->kind = HD_BOOGIE_STORE;
    }
  }
  else if (hd_boogie_take(p, HD_BOOGIE_T_BECOMES))
  {
    hd_boogie_add_arg(p->program, e, hd_boogie_parse_expr(p));
    e->kind = HD_BOOGIE_STORE;
  }
  hd_boogie_expect(p, HD_BOOGIE_T_RBRACKET);
  if (bounds && e->kind == HD_BOOGIE_SELECT)
  {
    e->kind = HD_BOOGIE_EXTRACT;
    e->args.n = 1;
    e->u.bits.high = bounds->u.bits.high;
    e->u.bits.low = bounds->u.bits.low;
  }
  hd_boogie_check_depth(p, e);
  return e;
}

/* E : T, or the bounds E : n of a part of a bit vector. */
static hd_boogie_expr *
coercion(hd_boogie_parser *p, hd_boogie_expr *e)
{
  hd_boogie_get(p);
  hd_boogie_place at = p->last.at;
  if (hd_boogie_starts_type(p->ahead.kind))
  {
    hd_boogie_expr *c = hd_boogie_parse_node(p, HD_BOOGIE_COERCE, at, e, NULL);
    c->u.coerced.type = hd_boogie_parse_type(p);
    return c;
  }
  if (!hd_boogie_take(p, HD_BOOGIE_T_DIGITS))
  {
    hd_boogie_syntax(p, "invalid CoercionExpression");
    return e;
  }
  hd_boogie_expr *b = hd_boogie_parse_node(p, HD_BOOGIE_BOUNDS, at, NULL, NULL);
  b->u.bits.low = hd_boogie_small_number(p->last.text, p->last.length);
  if (e->kind == HD_BOOGIE_LIT_INT)
    b->u.bits.high = hd_boogie_small_number(e->u.lit.text, strlen(e->u.lit.text));
  else
    hd_boogie_semantic(p, "arguments of extract need to be integer literals");
  return b;
}

static hd_boogie_expr *
unary(hd_boogie_parser *p)
{
  hd_boogie_token_kind kind = p->ahead.kind;
  if (kind == HD_BOOGIE_T_MINUS || kind == HD_BOOGIE_T_NOT)
  {
    hd_boogie_get(p);
    hd_boogie_place at = p->last.at;
    if (!hd_boogie_enter(p))
      return hd_boogie_parse_dummy(p);
    hd_boogie_expr *e = unary(p);
    hd_boogie_leave(p);
    return hd_boogie_parse_node(p, kind == HD_BOOGIE_T_MINUS ? HD_BOOGIE_NEG : HD_BOOGIE_NOT, at, e, NULL);
  }
  if (!hd_boogie_starts_expr(kind))
  {
    hd_boogie_syntax(p, "invalid UnaryExpression");
    return hd_boogie_parse_dummy(p);
  }
  hd_boogie_expr *e = hd_boogie_parse_atom(p);
  while (p->ahead.kind == HD_BOOGIE_T_LBRACKET)
    e = bracket(p, e);
  while (p->ahead.kind == HD_BOOGIE_T_COLON)
    e = coercion(p, e);
  return e;
}

/* ---- operators ---- */
enum
{
  RELATION = 1,
  CONCATENATION,
  SUM,
  PRODUCT,
  POWER
};

static unsigned
operator(hd_boogie_token_kind kind, hd_boogie_expr_kind *made)
{
  switch (kind)
  {
  case HD_BOOGIE_T_EQ:
    return *made = HD_BOOGIE_EQ, RELATION;
  case HD_BOOGIE_T_NEQ:
    return *made = HD_BOOGIE_NEQ, RELATION;
  case HD_BOOGIE_T_LT:
    return *made = HD_BOOGIE_LT, RELATION;
  case HD_BOOGIE_T_LE:
    return *made = HD_BOOGIE_LE, RELATION;
  case HD_BOOGIE_T_GT:
    return *made = HD_BOOGIE_GT, RELATION;
  case HD_BOOGIE_T_GE:
    return *made = HD_BOOGIE_GE, RELATION;
  case HD_BOOGIE_T_SUBTYPE:
    return *made = HD_BOOGIE_SUBTYPE, RELATION;
  case HD_BOOGIE_T_CONCAT:
    return *made = HD_BOOGIE_CONCAT, CONCATENATION;
  case HD_BOOGIE_T_PLUS:
    return *made = HD_BOOGIE_ADD_OP, SUM;
  case HD_BOOGIE_T_MINUS:
    return *made = HD_BOOGIE_SUB, SUM;
  case HD_BOOGIE_T_STAR:
    return *made = HD_BOOGIE_MUL, PRODUCT;
  case HD_BOOGIE_T_DIV:
    return *made = HD_BOOGIE_DIV, PRODUCT;
  case HD_BOOGIE_T_MOD:
    return *made = HD_BOOGIE_MOD, PRODUCT;
  case HD_BOOGIE_T_SLASH:
    return *made = HD_BOOGIE_REAL_DIV, PRODUCT;
  case HD_BOOGIE_T_POW:
    return *made = HD_BOOGIE_POW, POWER;
  default:
    return 0;
  }
}

/* Operators that bind at least as tightly as LEAST. All associate to the left, but ** to the right and relations not at
 * all: what follows one of them binds less tightly. */
static hd_boogie_expr *
operators(hd_boogie_parser *p, unsigned least)
{
  hd_boogie_expr *e = unary(p);
  unsigned most = POWER;
  for (;;)
  {
    hd_boogie_expr_kind kind;
    unsigned level = operator(p->ahead.kind, &kind);
    if (!level || level < least || level > most)
      return e;
    hd_boogie_get(p);
    hd_boogie_place at = p->last.at;
    if (!hd_boogie_enter(p))
      return e;
    hd_boogie_expr *right = operators(p, level == POWER ? POWER : level + 1);
    hd_boogie_leave(p);
    e = hd_boogie_parse_node(p, kind, at, e, right);
    most = level == RELATION || level == POWER ? level - 1 : level;
  }
}

static hd_boogie_expr *
logical(hd_boogie_parser *p)
{
  hd_boogie_expr *e = operators(p, RELATION);
  hd_boogie_token_kind kind = p->ahead.kind;
  if (kind == HD_BOOGIE_T_AND || kind == HD_BOOGIE_T_OR)
    while (hd_boogie_take(p, kind))
    {
      hd_boogie_place at = p->last.at;
      e = hd_boogie_parse_node(p, kind == HD_BOOGIE_T_AND ? HD_BOOGIE_AND : HD_BOOGIE_OR, at, e,
                               operators(p, RELATION));
    }
  return e;
}

/* RIGHT: of an ==>, which may not be mixed with <==. */
static hd_boogie_expr *
implication(hd_boogie_parser *p, bool right)
{
  hd_boogie_expr *e = logical(p);
  if (hd_boogie_take(p, HD_BOOGIE_T_IMPLIES))
  {
    hd_boogie_place at = p->last.at;
    if (!hd_boogie_enter(p))
      return e;
    hd_boogie_expr *then = implication(p, true);
    hd_boogie_leave(p);
    return hd_boogie_parse_node(p, HD_BOOGIE_IMPLIES, at, e, then);
  }
  bool first = true;
  while (hd_boogie_take(p, HD_BOOGIE_T_EXPLIES))
  {
    if (right && first)
      hd_boogie_semantic(p, "illegal mixture of ==> and <==, use parentheses to disambiguate");
    first = false;
    hd_boogie_place at = p->last.at;
    e = hd_boogie_parse_node(p, HD_BOOGIE_IMPLIES, at, logical(p), e);
  }
  return e;
}

hd_boogie_expr *
hd_boogie_parse_expr(hd_boogie_parser *p)
{
  if (!hd_boogie_enter(p))
    return hd_boogie_parse_dummy(p);
  hd_boogie_expr *e = implication(p, false);
  while (hd_boogie_take(p, HD_BOOGIE_T_EQUIV))
  {
    hd_boogie_place at = p->last.at;
    e = hd_boogie_parse_node(p, HD_BOOGIE_IFF, at, e, implication(p, false));
  }
  hd_boogie_leave(p);
  return e;
}
