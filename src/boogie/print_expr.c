/* print_expr.c: types, expressions and attributes as text that reads back as the same tree. */
#include <string.h>

#include "boogie/printer.h"
#include "boogie/typing.h"

void
hd_boogie_print_name(const char *name, hd_string *out)
{
#define KEYWORD(id, text) text,
  static const char *const keywords[] = {HD_BOOGIE_KEYWORDS(KEYWORD)};
#undef KEYWORD
  size_t n = strlen(name);
  for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
    if (strlen(keywords[i]) == n + 2 && !memcmp(keywords[i] + 1, name, n))
    {
      hd_string_add(out, "\\");
      break;
    }
  hd_string_add_n(out, name, n);
}

/* ---- types ---- */
typedef enum position
{
  ALONE,
  LAST,  /* argument of a type constructor, where one with arguments needs parentheses */
  INSIDE /* an argument that is not the last: a map needs them, too */
} position;

static void
print_type(const hd_boogie_type *t, position where, hd_string *out)
{
  while (t->kind == HD_BOOGIE_TYPE_UNKNOWN && t->result)
    t = t->result;
  if (hd_boogie_print_base_type(t, out))
    return;
  bool map = t->kind == HD_BOOGIE_MAP, parens = where == INSIDE ? map || t->args.n : where == LAST && !map && t->args.n;
  if (parens)
    hd_string_add(out, "(");
  if (map)
  {
    hd_boogie_print_type_params(&t->params, out);
    hd_string_add(out, "[");
    for (size_t i = 0; i < t->args.n; i++)
    {
      hd_string_add(out, i ? "," : "");
      print_type(t->args.items[i], ALONE, out);
    }
    hd_string_add(out, "]");
    print_type(t->result, ALONE, out);
  }
  else
  {
    hd_boogie_print_name(t->name ? t->name : t->decl->name, out);
    for (size_t i = 0; i < t->args.n; i++)
    {
      hd_string_add(out, " ");
      print_type(t->args.items[i], i + 1 < t->args.n ? INSIDE : LAST, out);
    }
  }
  if (parens)
    hd_string_add(out, ")");
}

void
hd_boogie_print_type(const hd_boogie_type *t, hd_string *out)
{
  print_type(t, ALONE, out);
}

void
hd_boogie_print_type_params(const hd_boogie_types *params, hd_string *out)
{
  for (size_t i = 0; i < params->n; i++)
  {
    hd_string_add(out, i ? "," : "<");
    hd_boogie_print_name(params->items[i]->name, out);
  }
  if (params->n)
    hd_string_add(out, ">");
}

/* ---- attributes, variables ---- */
void
hd_boogie_print_attrs(const hd_boogie_attr *attrs, hd_string *out)
{
  for (; attrs; attrs = attrs->next)
  {
    hd_string_printf(out, "{:%s", attrs->key);
    for (size_t i = 0; i < attrs->args.n; i++)
    {
      hd_string_add(out, i ? ", " : " ");
      if (attrs->args.items[i].text)
        hd_string_printf(out, "\"%s\"", attrs->args.items[i].text);
      else
        hd_boogie_print_expr(attrs->args.items[i].expr, out);
    }
    hd_string_add(out, "} ");
  }
}

void
hd_boogie_print_var(const hd_boogie_var *v, bool with_attrs, hd_string *out)
{
  if (with_attrs)
    hd_boogie_print_attrs(v->attrs, out);
  if (*v->name)
  {
    hd_boogie_print_name(v->name, out);
    hd_string_add(out, ": ");
  }
  print_type(v->type, ALONE, out);
  if (v->where)
  {
    hd_string_add(out, " where ");
    hd_boogie_print_expr(v->where, out);
  }
}

void
hd_boogie_print_vars(const hd_boogie_vars *vars, bool with_attrs, hd_string *out)
{
  for (size_t i = 0; i < vars->n; i++)
  {
    hd_string_add(out, i ? ", " : "");
    hd_boogie_print_var(vars->items[i], with_attrs, out);
  }
}

/* ---- expressions ---- */
enum
{
  IFF,
  IMPLICATION,
  LOGIC,
  RELATION,
  CONCATENATION,
  SUM,
  PRODUCT,
  POWER,
  UNARY,
  POSTFIX,
  ATOM
};

static const struct
{
  const char *text;
  unsigned level;
} operators[] = {
    [HD_BOOGIE_IFF] = {"<==>", IFF},
    [HD_BOOGIE_IMPLIES] = {"==>", IMPLICATION},
    [HD_BOOGIE_AND] = {"&&", LOGIC},
    [HD_BOOGIE_OR] = {"||", LOGIC},
    [HD_BOOGIE_EQ] = {"==", RELATION},
    [HD_BOOGIE_NEQ] = {"!=", RELATION},
    [HD_BOOGIE_LT] = {"<", RELATION},
    [HD_BOOGIE_LE] = {"<=", RELATION},
    [HD_BOOGIE_GT] = {">", RELATION},
    [HD_BOOGIE_GE] = {">=", RELATION},
    [HD_BOOGIE_SUBTYPE] = {"<:", RELATION},
    [HD_BOOGIE_ADD_OP] = {"+", SUM},
    [HD_BOOGIE_SUB] = {"-", SUM},
    [HD_BOOGIE_MUL] = {"*", PRODUCT},
    [HD_BOOGIE_DIV] = {"div", PRODUCT},
    [HD_BOOGIE_MOD] = {"mod", PRODUCT},
    [HD_BOOGIE_REAL_DIV] = {"/", PRODUCT},
    [HD_BOOGIE_POW] = {"**", POWER},
    [HD_BOOGIE_CONCAT] = {"++", CONCATENATION},
};

static unsigned
level_of(const hd_boogie_expr *e)
{
  if (e->kind >= HD_BOOGIE_IFF && e->kind <= HD_BOOGIE_CONCAT)
    return operators[e->kind].level;
  switch (e->kind)
  {
  case HD_BOOGIE_NEG:
  case HD_BOOGIE_NOT:
    return UNARY;
  case HD_BOOGIE_SELECT:
  case HD_BOOGIE_STORE:
  case HD_BOOGIE_EXTRACT:
    return POSTFIX;
  default:
    return ATOM;
  }
}

/* E where something that binds at least as tightly as LEAST must stand. */
static void
print_at(const hd_boogie_expr *e, unsigned least, hd_string *out)
{
  bool parens = level_of(e) < least;
  if (parens)
    hd_string_add(out, "(");
  hd_boogie_print_expr(e, out);
  if (parens)
    hd_string_add(out, ")");
}

static void
print_binary(const hd_boogie_expr *e, hd_string *out)
{
  unsigned level = operators[e->kind].level, left = level, right = level + 1;
  const hd_boogie_expr *a = e->args.items[0], *b = e->args.items[1];
  if (level == IMPLICATION || level == POWER) /* to the right */
    left = level + 1, right = level;
  if (level == RELATION || (level == LOGIC && a->kind != e->kind))
    left = level + 1;
  print_at(a, left, out);
  hd_string_printf(out, " %s ", operators[e->kind].text);
  print_at(b, right, out);
}

static void
print_list(const hd_boogie_exprs *list, size_t first, size_t end, hd_string *out)
{
  for (size_t i = first; i < end; i++)
  {
    hd_string_add(out, i > first ? ", " : "");
    hd_boogie_print_expr(list->items[i], out);
  }
}

static void
print_quantifier(const hd_boogie_expr *e, const char *word, hd_string *out)
{
  const hd_boogie_binder *b = e->u.binder;
  hd_string_printf(out, "(%s", word);
  hd_boogie_print_type_params(&b->type_params, out);
  hd_string_add(out, " ");
  hd_boogie_print_vars(&b->bound, true, out);
  hd_string_add(out, " :: ");
  hd_boogie_print_attrs(b->attrs, out);
  for (const hd_boogie_trigger *t = b->triggers; t; t = t->next)
  {
    hd_string_add(out, t->positive ? "{ " : "{:nopats ");
    print_list(&t->exprs, 0, t->exprs.n, out);
    hd_string_add(out, " } ");
  }
  hd_boogie_print_expr(e->args.items[0], out);
  hd_string_add(out, ")");
}

static void
print_let(const hd_boogie_expr *e, hd_string *out)
{
  const hd_boogie_binder *b = e->u.binder;
  hd_string_add(out, "(var ");
  for (size_t i = 0; i < b->bound.n; i++)
  {
    hd_string_add(out, i ? ", " : "");
    hd_boogie_print_attrs(b->bound.items[i]->attrs, out);
    hd_boogie_print_name(b->bound.items[i]->name, out);
  }
  hd_string_add(out, " := ");
  print_list(&e->args, 0, e->args.n - 1, out);
  hd_string_add(out, "; ");
  hd_boogie_print_attrs(b->attrs, out);
  hd_boogie_print_expr(e->args.items[e->args.n - 1], out);
  hd_string_add(out, ")");
}

static void
print_code(const hd_boogie_expr *e, hd_string *out)
{
  hd_string_add(out, "|{\n");
  hd_boogie_print_locals(&e->u.binder->bound, out);
  hd_boogie_print_blocks(&e->u.binder->blocks, out);
  hd_string_add(out, "}|");
}

/* Brackets after a map or bit vector. */
static void
print_postfix(const hd_boogie_expr *e, hd_string *out)
{
  print_at(e->args.items[0], POSTFIX, out);
  if (e->kind == HD_BOOGIE_EXTRACT)
  {
    hd_string_printf(out, "[%u:%u]", e->u.bits.high, e->u.bits.low);
    return;
  }
  size_t end = e->args.n - (e->kind == HD_BOOGIE_STORE);
  hd_string_add(out, "[");
  print_list(&e->args, 1, end, out);
  if (e->kind == HD_BOOGIE_STORE)
  {
    hd_string_add(out, " := ");
    hd_boogie_print_expr(e->args.items[end], out);
  }
  hd_string_add(out, "]");
}

static void
print_wrapped(const hd_boogie_expr *e, const char *word, hd_string *out)
{
  hd_string_printf(out, "%s(", word);
  print_list(&e->args, 0, e->args.n, out);
  hd_string_add(out, ")");
}

void
hd_boogie_print_expr(const hd_boogie_expr *e, hd_string *out)
{
  switch (e->kind)
  {
  case HD_BOOGIE_LIT_BOOL:
    hd_string_add(out, e->u.truth ? "true" : "false");
    break;
  case HD_BOOGIE_LIT_INT:
  case HD_BOOGIE_LIT_REAL:
  case HD_BOOGIE_LIT_FLOAT:
  case HD_BOOGIE_LIT_RMODE:
    hd_string_add(out, e->u.lit.text);
    break;
  case HD_BOOGIE_LIT_BV:
    hd_string_printf(out, "%sbv%u", e->u.lit.text, e->u.lit.width);
    break;
  case HD_BOOGIE_VAR:
    hd_boogie_print_name(e->u.id.var ? e->u.id.var->name : e->u.id.name, out);
    break;
  case HD_BOOGIE_NEG:
  case HD_BOOGIE_NOT:
    hd_string_add(out, e->kind == HD_BOOGIE_NEG ? "-" : "!");
    if (e->args.items[0]->kind == HD_BOOGIE_LIT_FLOAT)
      hd_string_add(out, " ");
    print_at(e->args.items[0], UNARY, out);
    break;
  case HD_BOOGIE_SELECT:
  case HD_BOOGIE_STORE:
  case HD_BOOGIE_EXTRACT:
    print_postfix(e, out);
    break;
  case HD_BOOGIE_ITE:
    hd_string_add(out, "(if ");
    hd_boogie_print_expr(e->args.items[0], out);
    hd_string_add(out, " then ");
    hd_boogie_print_expr(e->args.items[1], out);
    hd_string_add(out, " else ");
    hd_boogie_print_expr(e->args.items[2], out);
    hd_string_add(out, ")");
    break;
  case HD_BOOGIE_APPLY:
    hd_boogie_print_name(e->u.call.function ? e->u.call.function->name : e->u.call.name, out);
    print_wrapped(e, "", out);
    break;
  case HD_BOOGIE_TO_INT:
    print_wrapped(e, "int", out);
    break;
  case HD_BOOGIE_TO_REAL:
    print_wrapped(e, "real", out);
    break;
  case HD_BOOGIE_OLD:
    print_wrapped(e, "old", out);
    break;
  case HD_BOOGIE_COERCE: /* a type takes what follows it, hence always in parentheses */
    hd_string_add(out, "(");
    print_at(e->args.items[0], POSTFIX, out);
    hd_string_add(out, " : ");
    print_type(e->u.coerced.type, ALONE, out);
    hd_string_add(out, ")");
    break;
  case HD_BOOGIE_FORALL:
    print_quantifier(e, "forall", out);
    break;
  case HD_BOOGIE_EXISTS:
    print_quantifier(e, "exists", out);
    break;
  case HD_BOOGIE_LAMBDA:
    print_quantifier(e, "lambda", out);
    break;
  case HD_BOOGIE_LET:
    print_let(e, out);
    break;
  case HD_BOOGIE_CODE:
    print_code(e, out);
    break;
  case HD_BOOGIE_BOUNDS:
    hd_string_printf(out, "%u:%u", e->u.bits.high, e->u.bits.low);
    break;
  default:
    print_binary(e, out);
    break;
  }
}
