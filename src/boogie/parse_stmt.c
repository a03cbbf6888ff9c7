/* parse_stmt.c: statements, structured and simple. */
#include "boogie/front.h"

bool
hd_boogie_starts_cmd(hd_boogie_token_kind kind)
{
  switch (kind)
  {
  case HD_BOOGIE_T_IDENT:
  case HD_BOOGIE_T_ASSERT:
  case HD_BOOGIE_T_ASSUME:
  case HD_BOOGIE_T_HAVOC:
  case HD_BOOGIE_T_YIELD:
  case HD_BOOGIE_T_ASYNC:
  case HD_BOOGIE_T_FREE:
  case HD_BOOGIE_T_CALL:
  case HD_BOOGIE_T_PAR:
    return true;
  default:
    return false;
  }
}

static hd_boogie_expr *
variable(hd_boogie_parser *p)
{
  const char *name = hd_boogie_ident(p);
  hd_boogie_expr *e = hd_boogie_new_expr(p->program, HD_BOOGIE_VAR, p->last.at);
  e->u.id.name = name;
  return e;
}

static void
expressions(hd_boogie_parser *p, hd_boogie_exprs *out)
{
  do
    HD_BOOGIE_ADD(p->program, *out, hd_boogie_parse_expr(p));
  while (hd_boogie_take(p, HD_BOOGIE_T_COMMA));
}

/* ---- assignments ---- */
/* The indices after a target's name. */
static hd_boogie_expr *
target(hd_boogie_parser *p, hd_boogie_expr *e)
{
  while (hd_boogie_take(p, HD_BOOGIE_T_LBRACKET))
  {
    hd_boogie_expr *map = hd_boogie_new_expr(p->program, HD_BOOGIE_SELECT, p->last.at);
    hd_boogie_add_arg(p->program, map, e);
    if (hd_boogie_starts_expr(p->ahead.kind))
      do
        hd_boogie_add_arg(p->program, map, hd_boogie_parse_expr(p));
      while (hd_boogie_take(p, HD_BOOGIE_T_COMMA));
    hd_boogie_expect(p, HD_BOOGIE_T_RBRACKET);
    hd_boogie_check_depth(p, map);
    e = map;
  }
  return e;
}

static hd_boogie_cmd *
label_or_assignment(hd_boogie_parser *p, hd_boogie_token *label)
{
  hd_boogie_expr *first = variable(p);
  if (p->ahead.kind == HD_BOOGIE_T_COLON)
  {
    *label = p->last;
    hd_boogie_get(p);
    return NULL;
  }
  hd_boogie_cmd *c = hd_boogie_new_cmd(p->program, HD_BOOGIE_ASSIGN, p->last.at);
  if (p->ahead.kind != HD_BOOGIE_T_LBRACKET && p->ahead.kind != HD_BOOGIE_T_COMMA
      && p->ahead.kind != HD_BOOGIE_T_BECOMES)
  {
    hd_boogie_syntax(p, "invalid LabelOrAssign");
    return c;
  }
  HD_BOOGIE_ADD(p->program, c->targets, target(p, first));
  while (hd_boogie_take(p, HD_BOOGIE_T_COMMA))
  {
    hd_boogie_expr *v = variable(p);
    HD_BOOGIE_ADD(p->program, c->targets, target(p, v));
  }
  hd_boogie_expect(p, HD_BOOGIE_T_BECOMES);
  c->at = p->last.at;
  hd_boogie_parse_attrs(p, &c->attrs);
  expressions(p, &c->values);
  hd_boogie_expect(p, HD_BOOGIE_T_SEMICOLON);
  return c;
}

/* ---- calls ---- */
static void
actuals(hd_boogie_parser *p, hd_boogie_cmd *c)
{
  hd_boogie_expect(p, HD_BOOGIE_T_LPAREN);
  if (hd_boogie_starts_expr(p->ahead.kind))
    expressions(p, &c->values);
  hd_boogie_expect(p, HD_BOOGIE_T_RPAREN);
}

/* [x, y :=] name(e, ...) */
static hd_boogie_cmd *
call_params(hd_boogie_parser *p, hd_boogie_place at, hd_boogie_attr *attrs)
{
  hd_boogie_cmd *c = hd_boogie_new_cmd(p->program, HD_BOOGIE_CALL, at);
  c->attrs = attrs;
  hd_boogie_expr *first = variable(p);
  c->name = first->u.id.name;
  if (p->ahead.kind == HD_BOOGIE_T_LPAREN)
    actuals(p, c);
  else if (p->ahead.kind == HD_BOOGIE_T_COMMA || p->ahead.kind == HD_BOOGIE_T_BECOMES)
  {
    HD_BOOGIE_ADD(p->program, c->targets, first);
    while (hd_boogie_take(p, HD_BOOGIE_T_COMMA))
      HD_BOOGIE_ADD(p->program, c->targets, variable(p));
    hd_boogie_expect(p, HD_BOOGIE_T_BECOMES);
    c->name = hd_boogie_ident(p);
    actuals(p, c);
  }
  else
    hd_boogie_syntax(p, "invalid CallParams");
  return c;
}

static hd_boogie_cmd *
call(hd_boogie_parser *p)
{
  bool is_async = hd_boogie_take(p, HD_BOOGIE_T_ASYNC), is_free = hd_boogie_take(p, HD_BOOGIE_T_FREE);
  hd_boogie_expect(p, HD_BOOGIE_T_CALL);
  hd_boogie_place at = p->last.at;
  hd_boogie_attr *attrs = NULL;
  hd_boogie_parse_attrs(p, &attrs);
  hd_boogie_cmd *c = call_params(p, at, attrs);
  c->is_async = is_async;
  c->is_free = is_free;
  hd_boogie_expect(p, HD_BOOGIE_T_SEMICOLON);
  return c;
}

static hd_boogie_cmd *
par_call(hd_boogie_parser *p)
{
  hd_boogie_get(p);
  hd_boogie_cmd *c = hd_boogie_new_cmd(p->program, HD_BOOGIE_PAR, p->last.at);
  hd_boogie_parse_attrs(p, &c->attrs);
  do
    HD_BOOGIE_ADD(p->program, c->calls, call_params(p, c->at, c->attrs));
  while (hd_boogie_take(p, HD_BOOGIE_T_BAR));
  hd_boogie_expect(p, HD_BOOGIE_T_SEMICOLON);
  return c;
}

hd_boogie_cmd *
hd_boogie_parse_label_or_cmd(hd_boogie_parser *p, hd_boogie_token *label)
{
  hd_boogie_cmd *c;
  switch (p->ahead.kind)
  {
  case HD_BOOGIE_T_IDENT:
    return label_or_assignment(p, label);
  case HD_BOOGIE_T_ASSERT:
  case HD_BOOGIE_T_ASSUME:
    hd_boogie_get(p);
    c = hd_boogie_new_cmd(p->program, p->last.kind == HD_BOOGIE_T_ASSERT ? HD_BOOGIE_ASSERT : HD_BOOGIE_ASSUME,
                          p->last.at);
    hd_boogie_parse_attrs(p, &c->attrs);
    c->expr = hd_boogie_parse_expr(p);
    break;
  case HD_BOOGIE_T_HAVOC:
    hd_boogie_get(p);
    c = hd_boogie_new_cmd(p->program, HD_BOOGIE_HAVOC, p->last.at);
    do
      HD_BOOGIE_ADD(p->program, c->targets, variable(p));
    while (hd_boogie_take(p, HD_BOOGIE_T_COMMA));
    break;
  case HD_BOOGIE_T_PAR:
    return par_call(p);
  case HD_BOOGIE_T_YIELD:
    hd_boogie_get(p);
    c = hd_boogie_new_cmd(p->program, HD_BOOGIE_YIELD, p->last.at);
    break;
  default:
    return call(p);
  }
  hd_boogie_expect(p, HD_BOOGIE_T_SEMICOLON);
  return c;
}

/* ---- structured statements ---- */
static hd_boogie_structured *
new_structured(hd_boogie_parser *p, hd_boogie_structured_kind kind)
{
  hd_boogie_get(p);
  hd_boogie_structured *s = hd_boogie_alloc(p->program, sizeof *s);
  s->kind = kind;
  s->at = p->last.at;
  return s;
}

static hd_boogie_expr *
guard(hd_boogie_parser *p)
{
  hd_boogie_expr *e = NULL;
  hd_boogie_expect(p, HD_BOOGIE_T_LPAREN);
  if (!hd_boogie_take(p, HD_BOOGIE_T_STAR))
  {
    if (hd_boogie_starts_expr(p->ahead.kind))
      e = hd_boogie_parse_expr(p);
    else
      hd_boogie_syntax(p, "invalid Guard");
  }
  hd_boogie_expect(p, HD_BOOGIE_T_RPAREN);
  return e;
}

static hd_boogie_structured *
if_statement(hd_boogie_parser *p)
{
  hd_boogie_structured *first = NULL, **place = &first;
  for (;;)
  {
    hd_boogie_structured *s = *place = new_structured(p, HD_BOOGIE_IF);
    s->guard = guard(p);
    hd_boogie_expect(p, HD_BOOGIE_T_LBRACE);
    s->body = hd_boogie_parse_stmts(p);
    if (!hd_boogie_take(p, HD_BOOGIE_T_ELSE))
      return first;
    if (p->ahead.kind == HD_BOOGIE_T_IF)
    {
      place = &s->else_if;
      continue;
    }
    if (hd_boogie_take(p, HD_BOOGIE_T_LBRACE))
      s->else_body = hd_boogie_parse_stmts(p);
    else
      hd_boogie_syntax(p, "invalid IfCmd");
    return first;
  }
}

static hd_boogie_structured *
while_statement(hd_boogie_parser *p)
{
  hd_boogie_structured *s = new_structured(p, HD_BOOGIE_WHILE);
  s->guard = guard(p);
  while (p->ahead.kind == HD_BOOGIE_T_FREE || p->ahead.kind == HD_BOOGIE_T_INVARIANT)
  {
    hd_boogie_place at = p->ahead.at;
    bool is_free = hd_boogie_take(p, HD_BOOGIE_T_FREE);
    hd_boogie_expect(p, HD_BOOGIE_T_INVARIANT);
    hd_boogie_cmd *c = hd_boogie_new_cmd(p->program, is_free ? HD_BOOGIE_ASSUME : HD_BOOGIE_ASSERT, at);
    c->is_invariant = true;
    hd_boogie_parse_attrs(p, &c->attrs);
    c->expr = hd_boogie_parse_expr(p);
    hd_boogie_expect(p, HD_BOOGIE_T_SEMICOLON);
    HD_BOOGIE_ADD(p->program, s->invariants, c);
  }
  hd_boogie_expect(p, HD_BOOGIE_T_LBRACE);
  s->body = hd_boogie_parse_stmts(p);
  return s;
}

static hd_boogie_structured *
structured(hd_boogie_parser *p)
{
  if (p->ahead.kind == HD_BOOGIE_T_IF)
    return if_statement(p);
  if (p->ahead.kind == HD_BOOGIE_T_WHILE)
    return while_statement(p);
  hd_boogie_structured *s = new_structured(p, HD_BOOGIE_BREAK);
  if (p->ahead.kind == HD_BOOGIE_T_IDENT)
    s->label = hd_boogie_ident(p);
  hd_boogie_expect(p, HD_BOOGIE_T_SEMICOLON);
  return s;
}

static hd_boogie_transfer *
transfer(hd_boogie_parser *p)
{
  hd_boogie_transfer *t = hd_boogie_alloc(p->program, sizeof *t);
  hd_boogie_get(p);
  t->at = p->last.at;
  t->kind = p->last.kind == HD_BOOGIE_T_GOTO ? HD_BOOGIE_GOTO : HD_BOOGIE_RETURN;
  if (t->kind == HD_BOOGIE_GOTO)
    do
      HD_BOOGIE_ADD(p->program, t->labels, hd_boogie_ident(p));
    while (hd_boogie_take(p, HD_BOOGIE_T_COMMA));
  hd_boogie_expect(p, HD_BOOGIE_T_SEMICOLON);
  return t;
}

/* The big block that statements are being added to: *CURRENT, made if there is none. */
static hd_boogie_big_block *
current_block(hd_boogie_parser *p, hd_boogie_stmts *stmts, hd_boogie_big_block **current, hd_boogie_place at)
{
  if (!*current)
  {
    *current = hd_boogie_alloc(p->program, sizeof **current);
    (*current)->at = at;
    HD_BOOGIE_ADD(p->program, stmts->blocks, *current);
  }
  return *current;
}

static void
statements(hd_boogie_parser *p, hd_boogie_stmts *stmts)
{
  hd_boogie_big_block *current = NULL;
  for (;;)
  {
    hd_boogie_token_kind kind = p->ahead.kind;
    hd_boogie_place at = p->ahead.at;
    if (hd_boogie_starts_cmd(kind))
    {
      hd_boogie_token label;
      hd_boogie_cmd *c = hd_boogie_parse_label_or_cmd(p, &label);
      if (!c)
      {
        current = NULL;
        size_t skip = label.length && *label.text == '\\';
        current_block(p, stmts, &current, label.at)->label
            = hd_boogie_copy_text(p->program, label.text + skip, label.length - skip);
      }
      else
        HD_BOOGIE_ADD(p->program, current_block(p, stmts, &current, c->at)->cmds, c);
    }
    else if (kind == HD_BOOGIE_T_IF || kind == HD_BOOGIE_T_WHILE || kind == HD_BOOGIE_T_BREAK)
    {
      hd_boogie_structured *s = structured(p);
      current_block(p, stmts, &current, at)->structured = s;
      current = NULL;
    }
    else if (kind == HD_BOOGIE_T_GOTO || kind == HD_BOOGIE_T_RETURN)
    {
      hd_boogie_transfer *t = transfer(p);
      current_block(p, stmts, &current, at)->transfer = t;
      current = NULL;
    }
    else
      return;
  }
}

hd_boogie_stmts *
hd_boogie_parse_stmts(hd_boogie_parser *p)
{
  hd_boogie_stmts *stmts = hd_boogie_alloc(p->program, sizeof *stmts);
  if (hd_boogie_enter(p))
  {
    statements(p, stmts);
    hd_boogie_leave(p);
  }
  hd_boogie_expect(p, HD_BOOGIE_T_RBRACE);
  stmts->end = p->last.at;
  if (!stmts->blocks.n)
  {
    hd_boogie_big_block *none = NULL;
    current_block(p, stmts, &none, stmts->end);
  }
  return stmts;
}
