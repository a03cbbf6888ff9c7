/* parse.c: the parser's machinery, types, and lists of variables. Declarations are in parse_decl.c, statements in
 * parse_stmt.c, expressions in parse_expr.c. */
#include <stdlib.h>
#include <string.h>

#include "boogie/front.h"

enum
{
  QUIET = 2 /* an error needs this many good tokens since the last one to be worth saying */
};

void
hd_boogie_parse_error(hd_boogie_parser *p, hd_boogie_place at, const char *format, ...)
{
  if (p->stopped)
    return;
  va_list args;
  va_start(args, format);
  hd_boogie_message_vadd(p->messages, HD_BOOGIE_PHASE_PARSE, true, at, format, args);
  va_end(args);
  p->errors++;
}

void
hd_boogie_syntax(hd_boogie_parser *p, const char *text)
{
  if (p->distance >= QUIET)
    hd_boogie_parse_error(p, p->ahead.at, "%s", text);
  p->distance = 0;
}

void
hd_boogie_semantic(hd_boogie_parser *p, const char *text)
{
  if (p->distance >= QUIET)
    hd_boogie_parse_error(p, p->last.at, "%s", text);
  p->distance = 0;
}

void
hd_boogie_get(hd_boogie_parser *p)
{
  p->last = p->ahead;
  if (p->stopped)
    p->ahead = (hd_boogie_token){.kind = HD_BOOGIE_T_EOF, .at = p->last.at, .text = ""};
  else
    p->ahead = hd_boogie_lexer_next(&p->lexer);
  p->distance++;
}

void
hd_boogie_expect(hd_boogie_parser *p, hd_boogie_token_kind kind)
{
  if (p->ahead.kind == kind)
  {
    hd_boogie_get(p);
    return;
  }
  if (p->distance >= QUIET)
    hd_boogie_parse_error(p, p->ahead.at, "%s expected", hd_boogie_token_name(kind));
  p->distance = 0;
}

bool
hd_boogie_take(hd_boogie_parser *p, hd_boogie_token_kind kind)
{
  if (p->ahead.kind != kind)
    return false;
  hd_boogie_get(p);
  return true;
}

static void
stop(hd_boogie_parser *p, hd_boogie_place at)
{
  hd_boogie_parse_error(p, at, "nested too deeply: more than %d levels", HD_BOOGIE_NESTING);
  p->stopped = true;
  p->ahead = (hd_boogie_token){.kind = HD_BOOGIE_T_EOF, .at = at, .text = ""};
}

bool
hd_boogie_enter(hd_boogie_parser *p)
{
  if (p->depth >= HD_BOOGIE_NESTING)
  {
    if (!p->stopped)
      stop(p, p->ahead.at);
    return false;
  }
  p->depth++;
  return true;
}

void
hd_boogie_leave(hd_boogie_parser *p)
{
  p->depth--;
}

void
hd_boogie_check_depth(hd_boogie_parser *p, const hd_boogie_expr *e)
{
  if (e->depth <= HD_BOOGIE_DEPTH || p->stopped)
    return;
  hd_boogie_parse_error(p, e->at, "an expression of more than %d levels; use parentheses to make it flatter",
                        HD_BOOGIE_DEPTH);
  p->stopped = true;
  p->ahead = (hd_boogie_token){.kind = HD_BOOGIE_T_EOF, .at = e->at, .text = ""};
}

const char *
hd_boogie_ident(hd_boogie_parser *p)
{
  hd_boogie_expect(p, HD_BOOGIE_T_IDENT);
  const char *s = p->last.text;
  size_t n = p->last.length;
  if (n && *s == '\\') /* only a way to write a keyword as a name */
    s++, n--;
  return hd_boogie_copy_text(p->program, s, n);
}

/* ---- types ---- */
bool
hd_boogie_starts_type(hd_boogie_token_kind kind)
{
  switch (kind)
  {
  case HD_BOOGIE_T_IDENT:
  case HD_BOOGIE_T_LPAREN:
  case HD_BOOGIE_T_INT:
  case HD_BOOGIE_T_REAL:
  case HD_BOOGIE_T_BOOL:
  case HD_BOOGIE_T_LBRACKET:
  case HD_BOOGIE_T_LT:
    return true;
  default:
    return false;
  }
}

static hd_boogie_type *
new_type(hd_boogie_parser *p, hd_boogie_type_kind kind, hd_boogie_place at)
{
  hd_boogie_type *t = hd_boogie_alloc(p->program, sizeof *t);
  t->kind = kind;
  t->at = at;
  return t;
}

hd_boogie_types
hd_boogie_parse_type_params(hd_boogie_parser *p)
{
  hd_boogie_types params = {0};
  hd_boogie_expect(p, HD_BOOGIE_T_LT);
  do
  {
    const char *name = hd_boogie_ident(p);
    hd_boogie_type *v = new_type(p, HD_BOOGIE_TYPE_VAR, p->last.at);
    v->name = name;
    HD_BOOGIE_ADD(p->program, params, v);
  } while (hd_boogie_take(p, HD_BOOGIE_T_COMMA));
  hd_boogie_expect(p, HD_BOOGIE_T_GT);
  return params;
}

static hd_boogie_type *
map_type(hd_boogie_parser *p)
{
  hd_boogie_types params = {0};
  hd_boogie_place at = p->ahead.at;
  if (p->ahead.kind == HD_BOOGIE_T_LT)
    params = hd_boogie_parse_type_params(p);
  hd_boogie_expect(p, HD_BOOGIE_T_LBRACKET);
  hd_boogie_type *t = new_type(p, HD_BOOGIE_MAP, at);
  t->params = params;
  if (hd_boogie_starts_type(p->ahead.kind))
    do
      HD_BOOGIE_ADD(p->program, t->args, hd_boogie_parse_type(p));
    while (hd_boogie_take(p, HD_BOOGIE_T_COMMA));
  hd_boogie_expect(p, HD_BOOGIE_T_RBRACKET);
  t->result = hd_boogie_parse_type(p);
  return t;
}

static bool
starts_type_atom(hd_boogie_token_kind kind)
{
  return kind == HD_BOOGIE_T_INT || kind == HD_BOOGIE_T_REAL || kind == HD_BOOGIE_T_BOOL || kind == HD_BOOGIE_T_LPAREN;
}

static hd_boogie_type *
type_atom(hd_boogie_parser *p)
{
  hd_boogie_type_kind kind = HD_BOOGIE_BOOL;
  hd_boogie_get(p);
  switch (p->last.kind)
  {
  case HD_BOOGIE_T_LPAREN:
  {
    hd_boogie_type *t = hd_boogie_parse_type(p);
    hd_boogie_expect(p, HD_BOOGIE_T_RPAREN);
    return t;
  }
  case HD_BOOGIE_T_INT:
    kind = HD_BOOGIE_INT;
    break;
  case HD_BOOGIE_T_REAL:
    kind = HD_BOOGIE_REAL;
    break;
  default:
    break;
  }
  return new_type(p, kind, p->last.at);
}

static hd_boogie_type *
named_type(hd_boogie_parser *p)
{
  const char *name = hd_boogie_ident(p);
  hd_boogie_type *t = new_type(p, HD_BOOGIE_TYPE_NAME, p->last.at);
  t->name = name;
  return t;
}

/* What stands after a type's name; a map type can only be the last. */
static void
type_args(hd_boogie_parser *p, hd_boogie_types *args)
{
  while (hd_boogie_starts_type(p->ahead.kind))
  {
    if (starts_type_atom(p->ahead.kind))
      HD_BOOGIE_ADD(p->program, *args, type_atom(p));
    else if (p->ahead.kind == HD_BOOGIE_T_IDENT)
      HD_BOOGIE_ADD(p->program, *args, named_type(p));
    else
    {
      HD_BOOGIE_ADD(p->program, *args, map_type(p));
      return;
    }
  }
}

hd_boogie_type *
hd_boogie_parse_type(hd_boogie_parser *p)
{
  hd_boogie_type *t = NULL;
  if (hd_boogie_enter(p))
  {
    hd_boogie_token_kind kind = p->ahead.kind;
    if (starts_type_atom(kind))
      t = type_atom(p);
    else if (kind == HD_BOOGIE_T_IDENT)
    {
      t = named_type(p);
      type_args(p, &t->args);
    }
    else if (kind == HD_BOOGIE_T_LBRACKET || kind == HD_BOOGIE_T_LT)
      t = map_type(p);
    else
      hd_boogie_syntax(p, "invalid Type");
    hd_boogie_leave(p);
  }
  return t ? t : new_type(p, HD_BOOGIE_BOOL, p->last.at);
}

/* ---- variables ---- */
static void
var_group(hd_boogie_parser *p, const hd_boogie_var_group *group, hd_boogie_vars *out)
{
  hd_boogie_attr *attrs = group->attrs;
  size_t first = out->n;
  if (group->with_attrs)
  {
    bool some = p->ahead.kind == HD_BOOGIE_T_LBRACE;
    attrs = NULL;
    hd_boogie_parse_attrs(p, &attrs);
    if (some && !group->allow_attrs)
    {
      attrs = NULL;
      hd_boogie_semantic(p, hd_boogie_text(p->program, "attributes are not allowed on %s", group->context));
    }
  }
  do
  {
    const char *name = hd_boogie_ident(p);
    hd_boogie_var *v = hd_boogie_new_var(p->program, group->kind, p->last.at, name, NULL);
    v->attrs = attrs;
    HD_BOOGIE_ADD(p->program, *out, v);
  } while (hd_boogie_take(p, HD_BOOGIE_T_COMMA));
  hd_boogie_expect(p, HD_BOOGIE_T_COLON);
  hd_boogie_type *type = hd_boogie_parse_type(p);
  hd_boogie_expr *where = NULL;
  if (hd_boogie_take(p, HD_BOOGIE_T_WHERE))
  {
    where = hd_boogie_parse_expr(p);
    if (!group->allow_where)
    {
      where = NULL;
      hd_boogie_semantic(p, hd_boogie_text(p->program, "where clause not allowed on %s", group->context));
    }
  }
  for (size_t i = first; i < out->n; i++)
  {
    out->items[i]->type = type;
    out->items[i]->where = where;
  }
}

void
hd_boogie_parse_vars(hd_boogie_parser *p, const hd_boogie_var_group *group, hd_boogie_vars *out)
{
  do
    var_group(p, group, out);
  while (hd_boogie_take(p, HD_BOOGIE_T_COMMA));
}

void
hd_boogie_parse_locals(hd_boogie_parser *p, hd_boogie_vars *out)
{
  hd_boogie_var_group group = {.kind = HD_BOOGIE_LOCAL, .allow_where = true, .context = "local variables"};
  hd_boogie_expect(p, HD_BOOGIE_T_VAR);
  hd_boogie_parse_attrs(p, &group.attrs);
  hd_boogie_parse_vars(p, &group, out);
  hd_boogie_expect(p, HD_BOOGIE_T_SEMICOLON);
}
