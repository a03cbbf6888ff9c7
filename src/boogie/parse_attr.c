/* parse_attr.c: attributes {:key args} and triggers {e, e}. */
#include <string.h>

#include "boogie/front.h"

static void
attr_arg(hd_boogie_parser *p, hd_boogie_attr *a)
{
  hd_boogie_attr_arg arg = {.text = "error"};
  if (hd_boogie_take(p, HD_BOOGIE_T_STRING))
    arg.text = hd_boogie_copy_text(p->program, p->last.text + 1, p->last.length - 2);
  else if (hd_boogie_starts_expr(p->ahead.kind))
    arg = (hd_boogie_attr_arg){.expr = hd_boogie_parse_expr(p)};
  else
    hd_boogie_syntax(p, "invalid AttributeParameter");
  HD_BOOGIE_ADD(p->program, a->args, arg);
}

static void
add_trigger(hd_boogie_parser *p, hd_boogie_trigger **triggers, hd_boogie_place at, bool positive, hd_boogie_exprs exprs)
{
  hd_boogie_trigger *t = hd_boogie_alloc(p->program, sizeof *t);
  *t = (hd_boogie_trigger){.at = at, .positive = positive, .exprs = exprs};
  *triggers = t;
}

void
hd_boogie_parse_attr_or_trigger(hd_boogie_parser *p, hd_boogie_attr **attrs, hd_boogie_trigger **triggers)
{
  hd_boogie_expect(p, HD_BOOGIE_T_LBRACE);
  hd_boogie_place at = p->last.at;
  if (hd_boogie_take(p, HD_BOOGIE_T_COLON))
  {
    hd_boogie_attr *a = hd_boogie_alloc(p->program, sizeof *a);
    hd_boogie_expect(p, HD_BOOGIE_T_IDENT);
    a->at = at;
    a->key = hd_boogie_copy_text(p->program, p->last.text, p->last.length);
    if (p->ahead.kind == HD_BOOGIE_T_STRING || hd_boogie_starts_expr(p->ahead.kind))
      do
        attr_arg(p, a);
      while (hd_boogie_take(p, HD_BOOGIE_T_COMMA));
    if (!strcmp(a->key, "nopats"))
    {
      hd_boogie_exprs exprs = {0};
      if (a->args.n == 1 && a->args.items[0].expr)
      {
        HD_BOOGIE_ADD(p->program, exprs, a->args.items[0].expr);
        add_trigger(p, triggers, at, false, exprs);
      }
      else
        hd_boogie_semantic(p, "the 'nopats' quantifier attribute expects a string-literal parameter");
    }
    else
      *attrs = a;
  }
  else if (hd_boogie_starts_expr(p->ahead.kind))
  {
    hd_boogie_exprs exprs = {0};
    do
      HD_BOOGIE_ADD(p->program, exprs, hd_boogie_parse_expr(p));
    while (hd_boogie_take(p, HD_BOOGIE_T_COMMA));
    add_trigger(p, triggers, at, true, exprs);
  }
  else
    hd_boogie_syntax(p, "invalid AttributeOrTrigger");
  hd_boogie_expect(p, HD_BOOGIE_T_RBRACE);
}

void
hd_boogie_parse_attrs(hd_boogie_parser *p, hd_boogie_attr **attrs)
{
  while (p->ahead.kind == HD_BOOGIE_T_LBRACE)
  {
    hd_boogie_trigger *triggers = NULL;
    hd_boogie_parse_attr_or_trigger(p, attrs, &triggers);
    if (triggers)
      hd_boogie_semantic(p, "only attributes, not triggers, allowed here");
    if (*attrs)
      attrs = &(*attrs)->next; /* the next one goes here: lists may be long */
  }
}
