/* make.c: constructors of terms, which simplify where that is cheap: truth values, equal arguments, literals, and reads
 * of what was just written. None of it looks deeper than one level, and none of it makes a term larger. */
#include <errno.h>
#include <string.h>

#include "smt/term.h"

static const hd_smt_sort *
boolean(hd_smt *u)
{
  return &u->basic[HD_SMT_BOOL];
}

const hd_smt_term *
hd_smt_true(hd_smt *u)
{
  return hd_smt_intern(u, HD_SMT_TRUE, boolean(u), NULL, NULL, NULL, 0, NULL);
}

const hd_smt_term *
hd_smt_false(hd_smt *u)
{
  return hd_smt_intern(u, HD_SMT_FALSE, boolean(u), NULL, NULL, NULL, 0, NULL);
}

static const hd_smt_term *
truth(hd_smt *u, bool b)
{
  return b ? hd_smt_true(u) : hd_smt_false(u);
}

const hd_smt_term *
hd_smt_number(hd_smt *u, const char *digits, const hd_smt_sort *sort)
{
  size_t n = strlen(digits) + 1;
  return hd_smt_intern(u, HD_SMT_NUMBER, sort, NULL, memcpy(hd_arena_alloc(u->arena, n), digits, n), NULL, 0, NULL);
}

const hd_smt_term *
hd_smt_apply(hd_smt *u, const hd_smt_symbol *f, size_t n, const hd_smt_term *const *args)
{
  HD_CHECK(n == f->nargs);
  return hd_smt_intern(u, HD_SMT_APPLY, f->sort, f, NULL, NULL, n, args);
}

const hd_smt_term *
hd_smt_constant(hd_smt *u, const char *name, const hd_smt_sort *sort)
{
  return hd_smt_apply(u, hd_smt_function(u, name, sort, 0, NULL), 0, NULL);
}

/* The value of an integer literal, with its sign, if it is small. */
static bool
small(const hd_smt_term *t, long *value)
{
  bool minus = t->op == HD_SMT_MINUS;
  if (minus)
    t = t->args[0];
  if (t->op != HD_SMT_NUMBER || t->sort->kind != HD_SMT_INT || strlen(t->text) > 9)
    return false;
  *value = strtol(t->text, NULL, 10);
  if (minus)
    *value = -*value;
  return true;
}

/* Values that differ: two different literals of one sort. */
static bool
different(const hd_smt_term *a, const hd_smt_term *b)
{
  long x, y;
  if (small(a, &x) && small(b, &y))
    return x != y;
  return (a->op == HD_SMT_TRUE && b->op == HD_SMT_FALSE) || (a->op == HD_SMT_FALSE && b->op == HD_SMT_TRUE);
}

const hd_smt_term *
hd_smt_not(hd_smt *u, const hd_smt_term *a)
{
  if (a->op == HD_SMT_TRUE || a->op == HD_SMT_FALSE)
    return truth(u, a->op == HD_SMT_FALSE);
  if (a->op == HD_SMT_NOT)
    return a->args[0];
  return hd_smt_intern(u, HD_SMT_NOT, boolean(u), NULL, NULL, NULL, 1, &a);
}

/* A conjunction (AND) or disjunction of any number of terms; those of the same kind are spread out. */
static const hd_smt_term *
join(hd_smt *u, hd_smt_op op, size_t n, const hd_smt_term *const *args)
{
  hd_smt_op neutral = op == HD_SMT_AND ? HD_SMT_TRUE : HD_SMT_FALSE;
  hd_smt_op strong = op == HD_SMT_AND ? HD_SMT_FALSE : HD_SMT_TRUE;
  const hd_smt_term **all = NULL;
  size_t nall = 0, cap = 0;
  const hd_smt_term *result = NULL;
  for (size_t i = 0; i < n && !result; i++)
  {
    const hd_smt_term *a = args[i];
    if (a->op == strong)
      result = a;
    else if (a->op == op && n <= 16)
      for (uint32_t j = 0; j < a->nargs; j++)
        HD_PUSH(all, nall, cap, a->args[j]);
    else if (a->op != neutral && !(nall && all[nall - 1] == a))
      HD_PUSH(all, nall, cap, a);
  }
  if (!result)
    result = nall == 0   ? truth(u, op == HD_SMT_AND)
             : nall == 1 ? all[0]
                         : hd_smt_intern(u, op, boolean(u), NULL, NULL, NULL, nall, all);
  free(all);
  return result;
}

const hd_smt_term *
hd_smt_and(hd_smt *u, const hd_smt_term *a, const hd_smt_term *b)
{
  return join(u, HD_SMT_AND, 2, (const hd_smt_term *[]){a, b});
}

const hd_smt_term *
hd_smt_or(hd_smt *u, const hd_smt_term *a, const hd_smt_term *b)
{
  return join(u, HD_SMT_OR, 2, (const hd_smt_term *[]){a, b});
}

const hd_smt_term *
hd_smt_implies(hd_smt *u, const hd_smt_term *a, const hd_smt_term *b)
{
  if (a->op == HD_SMT_TRUE || b->op == HD_SMT_TRUE)
    return b;
  if (a->op == HD_SMT_FALSE || a == b)
    return hd_smt_true(u);
  if (b->op == HD_SMT_FALSE)
    return hd_smt_not(u, a);
  return hd_smt_intern(u, HD_SMT_IMPLIES, boolean(u), NULL, NULL, NULL, 2, (const hd_smt_term *[]){a, b});
}

const hd_smt_term *
hd_smt_equal(hd_smt *u, const hd_smt_term *a, const hd_smt_term *b)
{
  HD_CHECK(a->sort == b->sort);
  if (a == b)
    return hd_smt_true(u);
  if (different(a, b))
    return hd_smt_false(u);
  if (a->op == HD_SMT_TRUE || b->op == HD_SMT_TRUE)
    return a->op == HD_SMT_TRUE ? b : a;
  if (a->op == HD_SMT_FALSE || b->op == HD_SMT_FALSE)
    return hd_smt_not(u, a->op == HD_SMT_FALSE ? b : a);
  return hd_smt_intern(u, HD_SMT_EQUAL, boolean(u), NULL, NULL, NULL, 2, (const hd_smt_term *[]){a, b});
}

static const hd_smt_term *
choose(hd_smt *u, const hd_smt_term *const *args)
{
  if (args[0]->op == HD_SMT_TRUE || args[1] == args[2])
    return args[1];
  if (args[0]->op == HD_SMT_FALSE)
    return args[2];
  return hd_smt_intern(u, HD_SMT_ITE, args[1]->sort, NULL, NULL, NULL, 3, args);
}

const hd_smt_term *
hd_smt_select(hd_smt *u, const hd_smt_term *a, const hd_smt_term *i)
{
  HD_CHECK(a->sort->kind == HD_SMT_ARRAY && a->sort->index == i->sort);
  while (a->op == HD_SMT_STORE)
  {
    if (a->args[1] == i)
      return a->args[2];
    if (!different(a->args[1], i))
      break;
    a = a->args[0];
  }
  if (a->op == HD_SMT_CONST)
    return a->args[0];
  return hd_smt_intern(u, HD_SMT_SELECT, a->sort->value, NULL, NULL, NULL, 2, (const hd_smt_term *[]){a, i});
}

const hd_smt_term *
hd_smt_const_array(hd_smt *u, const hd_smt_sort *array, const hd_smt_term *value)
{
  HD_CHECK(array->kind == HD_SMT_ARRAY && array->value == value->sort);
  return hd_smt_intern(u, HD_SMT_CONST, array, NULL, NULL, NULL, 1, &value);
}

/* A comparison of two literals, or of a term with itself. */
static const hd_smt_term *
compare(hd_smt *u, hd_smt_op op, const hd_smt_term *const *args)
{
  long a, b;
  bool known = args[0] == args[1];
  if (known)
    a = b = 0;
  else
    known = small(args[0], &a) && small(args[1], &b);
  if (known)
    return truth(u, op == HD_SMT_LT ? a < b : op == HD_SMT_LE ? a <= b : op == HD_SMT_GT ? a > b : a >= b);
  return hd_smt_intern(u, op, boolean(u), NULL, NULL, NULL, 2, args);
}

static const hd_smt_term *
calculate(hd_smt *u, hd_smt_op op, const hd_smt_term *const *args)
{
  long a, b;
  if (small(args[0], &a) && small(args[1], &b))
  {
    long value = op == HD_SMT_ADD ? a + b : op == HD_SMT_SUB ? a - b : a * b;
    char digits[24];
    snprintf(digits, sizeof digits, "%ld", value < 0 ? -value : value);
    const hd_smt_term *t = hd_smt_number(u, digits, args[0]->sort);
    return value < 0 ? hd_smt_intern(u, HD_SMT_MINUS, t->sort, NULL, NULL, NULL, 1, &t) : t;
  }
  if (op != HD_SMT_MUL && small(args[1], &b) && b == 0)
    return args[0];
  if (op == HD_SMT_ADD && small(args[0], &a) && a == 0)
    return args[1];
  return hd_smt_intern(u, op, args[0]->sort, NULL, NULL, NULL, 2, args);
}

const hd_smt_term *
hd_smt_make(hd_smt *u, hd_smt_op op, size_t n, const hd_smt_term *const *args)
{
  switch (op)
  {
  case HD_SMT_NOT:
    return hd_smt_not(u, args[0]);
  case HD_SMT_AND:
  case HD_SMT_OR:
    return join(u, op, n, args);
  case HD_SMT_IMPLIES:
    return hd_smt_implies(u, args[0], args[1]);
  case HD_SMT_EQUAL:
    return hd_smt_equal(u, args[0], args[1]);
  case HD_SMT_ITE:
    return choose(u, args);
  case HD_SMT_DISTINCT:
    return n < 2 ? hd_smt_true(u) : hd_smt_intern(u, op, boolean(u), NULL, NULL, NULL, n, args);
  case HD_SMT_ADD:
  case HD_SMT_SUB:
  case HD_SMT_MUL:
    return calculate(u, op, args);
  case HD_SMT_LT:
  case HD_SMT_LE:
  case HD_SMT_GT:
  case HD_SMT_GE:
    return compare(u, op, args);
  case HD_SMT_SELECT:
    return hd_smt_select(u, args[0], args[1]);
  case HD_SMT_TO_REAL:
    return hd_smt_intern(u, op, &u->basic[HD_SMT_REAL], NULL, NULL, NULL, n, args);
  case HD_SMT_TO_INT:
    return hd_smt_intern(u, op, &u->basic[HD_SMT_INT], NULL, NULL, NULL, n, args);
  case HD_SMT_MINUS:
    if (args[0]->op == HD_SMT_MINUS)
      return args[0]->args[0];
    break;
  case HD_SMT_DIV:
  case HD_SMT_MOD:
  case HD_SMT_DIVIDE:
  case HD_SMT_STORE:
    break;
  default:
    HD_CHECK(!"an operator with a constructor of its own");
  }
  return hd_smt_intern(u, op, args[0]->sort, NULL, NULL, NULL, n, args);
}

/* Records of quantifiers are compared part by part, so that equal quantifiers are one term. */
static bool
same_quantifier(const hd_smt_quantifier *a, const hd_smt_quantifier *b)
{
  if (a->nvars != b->nvars || a->npatterns != b->npatterns || a->weight != b->weight
      || memcmp(a->vars, b->vars, a->nvars * sizeof *a->vars) != 0)
    return false;
  for (size_t i = 0; i < a->npatterns; i++)
  {
    const hd_smt_pattern *p = &a->patterns[i], *q = &b->patterns[i];
    if (p->n != q->n || p->negative != q->negative || memcmp(p->terms, q->terms, p->n * sizeof *p->terms) != 0)
      return false;
  }
  return true;
}

static const hd_smt_quantifier *
intern_quantifier(hd_smt *u, const hd_smt_quantifier *q)
{
  for (size_t i = 0; i < u->nquantifiers; i++)
    if (same_quantifier(u->quantifiers[i], q))
      return u->quantifiers[i];
  hd_smt_quantifier *copy = hd_arena_alloc(u->arena, sizeof *copy);
  *copy = *q;
  copy->vars = memcpy(hd_arena_alloc(u->arena, q->nvars * sizeof *q->vars + 1), q->vars, q->nvars * sizeof *q->vars);
  copy->patterns = hd_arena_alloc(u->arena, q->npatterns * sizeof *q->patterns + 1);
  for (size_t i = 0; i < q->npatterns; i++)
  {
    hd_smt_pattern p = q->patterns[i];
    p.terms = memcpy(hd_arena_alloc(u->arena, p.n * sizeof *p.terms + 1), p.terms, p.n * sizeof *p.terms);
    copy->patterns[i] = p;
  }
  HD_PUSH(u->quantifiers, u->nquantifiers, u->quantifiers_cap, copy);
  return copy;
}

const hd_smt_term *
hd_smt_quantify(hd_smt *u, hd_smt_op op, const hd_smt_quantifier *q, const hd_smt_term *body)
{
  if (!q->nvars || body->op == HD_SMT_TRUE || body->op == HD_SMT_FALSE)
    return body; /* sorts have elements */
  return hd_smt_intern(u, op, boolean(u), NULL, NULL, intern_quantifier(u, q), 1, &body);
}

const hd_smt_term *
hd_smt_rebuild(hd_smt *u, const hd_smt_term *t, const hd_smt_quantifier *q, const hd_smt_term *const *args)
{
  switch (t->op)
  {
  case HD_SMT_TRUE:
  case HD_SMT_FALSE:
  case HD_SMT_NUMBER:
    return t;
  case HD_SMT_APPLY:
    return hd_smt_apply(u, t->symbol, t->nargs, args);
  case HD_SMT_CONST:
    return hd_smt_const_array(u, t->sort, args[0]);
  case HD_SMT_FORALL:
  case HD_SMT_EXISTS:
    return hd_smt_quantify(u, t->op, q, args[0]);
  default:
    return hd_smt_make(u, t->op, t->nargs, args);
  }
}
