/* formula.c: formulas and expressions, with their types.
 *
 * Weakest first: <->, -> (to the right), ||, &&, since, then ! prev once always forall exists, comparisons, + -, * / %,
 * and what stands alone. Integers become reals where they meet them; everything else must fit as it is. */
#include <string.h>

#include "mttl/syntax.h"

const char *
hd_mttl_type_name(hd_mttl_type type)
{
  static const char *const names[] = {"bool", "int", "real", "string", "loc", "undefined"};
  return names[type];
}

static const hd_mttl_node *unary(hd_mttl_parser *p);

/* Is N true or false? If not, say so. */
static bool
needs_bool(hd_mttl_parser *p, const hd_mttl_node *n, const char *of)
{
  if (!n || n->type == HD_MTTL_BOOL)
    return n != NULL;
  hd_mttl_error(p, n->place, "%s takes a condition, and '%s' is of type %s", of, hd_mttl_quote(p, n),
                hd_mttl_type_name(n->type));
  return false;
}

static bool
is_number(hd_mttl_type t)
{
  return t == HD_MTTL_INT || t == HD_MTTL_REAL;
}

static const hd_mttl_node *
binary(hd_mttl_parser *p, hd_mttl_kind kind, const hd_mttl_token *from, const hd_mttl_node *a, const hd_mttl_node *b,
       const char *sign)
{
  if (!needs_bool(p, a, sign) || !needs_bool(p, b, sign))
    return NULL;
  hd_mttl_node *n = hd_mttl_make(p, kind, from, HD_MTTL_BOOL);
  n->a = a;
  n->b = b;
  return hd_mttl_done(p, n, from);
}

/* ---- arithmetic and comparisons ---- */

static const hd_mttl_node *
arithmetic(hd_mttl_parser *p, hd_mttl_kind kind, const hd_mttl_token *from, const hd_mttl_node *a,
           const hd_mttl_node *b, const char *sign)
{
  if (!a || !b)
    return NULL;
  const hd_mttl_node *wrong = !is_number(a->type) ? a : !is_number(b->type) ? b : NULL;
  if (wrong || (kind == HD_MTTL_REM && (a->type == HD_MTTL_REAL || b->type == HD_MTTL_REAL)))
  {
    wrong = wrong ? wrong : a->type == HD_MTTL_REAL ? a : b;
    hd_mttl_error(p, wrong->place, "'%s' takes %s, and '%s' is of type %s", sign,
                  kind == HD_MTTL_REM ? "integers" : "numbers", hd_mttl_quote(p, wrong),
                  hd_mttl_type_name(wrong->type));
    return NULL;
  }
  bool real = a->type == HD_MTTL_REAL || b->type == HD_MTTL_REAL;
  hd_mttl_node *n = hd_mttl_make(p, kind, from, real ? HD_MTTL_REAL : HD_MTTL_INT);
  n->a = a;
  n->b = b;
  return hd_mttl_done(p, n, from);
}

static const hd_mttl_node *
product(hd_mttl_parser *p)
{
  const hd_mttl_token *from = p->at;
  const hd_mttl_node *n = hd_mttl_primary(p);
  while (n && (hd_mttl_is(p, "*") || hd_mttl_is(p, "/") || hd_mttl_is(p, "%")))
  {
    char sign[2] = {*p->at->start, 0};
    hd_mttl_kind kind = *sign == '*' ? HD_MTTL_MUL : *sign == '/' ? HD_MTTL_DIV : HD_MTTL_REM;
    p->at++;
    n = arithmetic(p, kind, from, n, hd_mttl_primary(p), sign);
  }
  return n;
}

static const hd_mttl_node *
sum(hd_mttl_parser *p)
{
  const hd_mttl_token *from = p->at;
  const hd_mttl_node *n = product(p);
  while (n && (hd_mttl_is(p, "+") || hd_mttl_is(p, "-")))
  {
    char sign[2] = {*p->at->start, 0};
    p->at++;
    n = arithmetic(p, *sign == '+' ? HD_MTTL_ADD : HD_MTTL_SUB, from, n, product(p), sign);
  }
  return n;
}

static bool
comparable(hd_mttl_kind kind, hd_mttl_type a, hd_mttl_type b)
{
  if (is_number(a) && is_number(b))
    return true;
  bool equality = kind == HD_MTTL_EQ || kind == HD_MTTL_NE;
  return a == b && (equality || a == HD_MTTL_STRING);
}

static const hd_mttl_node *
comparison(hd_mttl_parser *p)
{
  static const struct
  {
    const char *sign;
    hd_mttl_kind kind;
  } signs[] = {{"==", HD_MTTL_EQ}, {"!=", HD_MTTL_NE}, {"<=", HD_MTTL_LE},
               {">=", HD_MTTL_GE}, {"<", HD_MTTL_LT},  {">", HD_MTTL_GT}};
  const hd_mttl_token *from = p->at;
  const hd_mttl_node *a = sum(p);
  for (size_t i = 0; a && i < sizeof signs / sizeof *signs; i++)
    if (hd_mttl_accept(p, signs[i].sign))
    {
      const hd_mttl_node *b = sum(p);
      if (!b)
        return NULL;
      if (!comparable(signs[i].kind, a->type, b->type))
      {
        hd_mttl_error(p, from->place, "'%s' cannot compare '%s' of type %s with '%s' of type %s", signs[i].sign,
                      hd_mttl_quote(p, a), hd_mttl_type_name(a->type), hd_mttl_quote(p, b), hd_mttl_type_name(b->type));
        return NULL;
      }
      hd_mttl_node *n = hd_mttl_make(p, signs[i].kind, from, HD_MTTL_BOOL);
      n->a = a;
      n->b = b;
      return hd_mttl_done(p, n, from);
    }
  return a;
}

/* ---- operators before a formula ---- */

static const hd_mttl_node *
temporal(hd_mttl_parser *p, hd_mttl_role role, const hd_mttl_token *from, const hd_mttl_node *a, const hd_mttl_node *b,
         const char *word)
{
  if (!needs_bool(p, a, word) || (b && !needs_bool(p, b, word)))
    return NULL;
  hd_mttl_node *n = hd_mttl_make(p, HD_MTTL_TEMPORAL, from, HD_MTTL_BOOL);
  hd_mttl_contain(n, a);
  hd_mttl_contain(n, b);
  n->index = hd_mttl_add_cell(p, role, a, b);
  return hd_mttl_done(p, n, from);
}

static const hd_mttl_node *
quantifier(hd_mttl_parser *p, hd_mttl_kind kind)
{
  const hd_mttl_token *from = p->at++, *name = p->at;
  if (name->kind != HD_MTTL_WORD)
  {
    hd_mttl_error(p, name->place, "the name of a thread variable is missing, as in 'forall j != i:'");
    return NULL;
  }
  if (p->nbound == HD_MTTL_SLOTS)
  {
    hd_mttl_error(p, name->place, "a property can have at most %d thread variables", HD_MTTL_SLOTS);
    return NULL;
  }
  p->at++;
  hd_mttl_node *n = hd_mttl_make(p, kind, from, HD_MTTL_BOOL);
  if (hd_mttl_accept(p, "!="))
  {
    const hd_mttl_token *other = p->at;
    n->tid = hd_mttl_thread_reference(p);
    if (n->tid.kind == HD_MTTL_NAMED)
      hd_mttl_error(p, other->place, "a thread variable is left out by another one, as in 'forall j != i:'");
    if (n->tid.kind != HD_MTTL_SLOT)
      return NULL;
  }
  if (!hd_mttl_expect(p, ":", "after the thread variable"))
    return NULL;
  n->index = p->nbound;
  p->bound[p->nbound++] = (hd_mttl_bound){name->start, name->length};
  n->a = unary(p);
  p->bound[n->index].length = 0; /* out of scope; its slot is not used again in this property */
  if (!needs_bool(p, n->a, kind == HD_MTTL_FORALL ? "forall" : "exists"))
    return NULL;
  const hd_mttl_node *out = hd_mttl_done(p, n, from);
  n->slots &= ~(1u << n->index);
  if (n->tid.kind == HD_MTTL_SLOT)
    n->slots |= 1u << n->tid.index;
  return out;
}

static const hd_mttl_node *
unary(hd_mttl_parser *p)
{
  static const struct
  {
    const char *word;
    hd_mttl_role role;
  } words[] = {{"prev", HD_MTTL_PREV},
               {"once", HD_MTTL_PAST_ONCE},
               {"always", HD_MTTL_PAST_ALWAYS},
               {"hist", HD_MTTL_PAST_ALWAYS}};
  const hd_mttl_token *from = p->at;
  if (hd_mttl_too_deep(p))
    return NULL;
  p->depth++;
  const hd_mttl_node *out = NULL;
  bool found = false;
  for (size_t i = 0; i < sizeof words / sizeof *words && !found; i++)
    if ((found = hd_mttl_accept(p, words[i].word)))
      out = temporal(p, words[i].role, from, unary(p), NULL, words[i].word);
  if (found)
    ;
  else if (hd_mttl_accept(p, "!"))
  {
    hd_mttl_node *n = hd_mttl_make(p, HD_MTTL_NOT, from, HD_MTTL_BOOL);
    n->a = unary(p);
    if (needs_bool(p, n->a, "'!'"))
      out = hd_mttl_done(p, n, from);
  }
  else if (hd_mttl_is(p, "forall") || hd_mttl_is(p, "exists"))
    out = quantifier(p, hd_mttl_is(p, "forall") ? HD_MTTL_FORALL : HD_MTTL_EXISTS);
  else
    out = comparison(p);
  p->depth--;
  return out;
}

/* ---- operators between formulas ---- */

static const hd_mttl_node *
since(hd_mttl_parser *p)
{
  const hd_mttl_token *from = p->at;
  const hd_mttl_node *n = unary(p);
  while (n && hd_mttl_accept(p, "since"))
  {
    const hd_mttl_node *b = unary(p);
    n = b ? temporal(p, HD_MTTL_SINCE, from, n, b, "since") : NULL;
  }
  return n;
}

static const hd_mttl_node *
conjunction(hd_mttl_parser *p)
{
  const hd_mttl_token *from = p->at;
  const hd_mttl_node *n = since(p);
  while (n && hd_mttl_accept(p, "&&"))
    n = binary(p, HD_MTTL_AND, from, n, since(p), "'&&'");
  return n;
}

static const hd_mttl_node *
disjunction(hd_mttl_parser *p)
{
  const hd_mttl_token *from = p->at;
  const hd_mttl_node *n = conjunction(p);
  while (n && hd_mttl_accept(p, "||"))
    n = binary(p, HD_MTTL_OR, from, n, conjunction(p), "'||'");
  return n;
}

static const hd_mttl_node *
implication(hd_mttl_parser *p)
{
  const hd_mttl_token *from = p->at;
  if (hd_mttl_too_deep(p))
    return NULL;
  p->depth++;
  const hd_mttl_node *n = disjunction(p);
  if (n && hd_mttl_accept(p, "->"))
    n = binary(p, HD_MTTL_IMPLIES, from, n, implication(p), "'->'");
  p->depth--;
  return n;
}

const hd_mttl_node *
hd_mttl_inner(hd_mttl_parser *p)
{
  const hd_mttl_token *from = p->at;
  const hd_mttl_node *n = implication(p);
  while (n && hd_mttl_accept(p, "<->"))
    n = binary(p, HD_MTTL_IFF, from, n, implication(p), "'<->'");
  return n;
}

const hd_mttl_node *
hd_mttl_formula(hd_mttl_parser *p)
{
  p->depth = 0;
  return hd_mttl_inner(p);
}
