/* expression.c: expressions, formulas and assignments of a controller file: C's operators with C's precedence. */
#include <string.h>

#include "control/syntax.h"

enum
{
  DEEPEST = 250 /* operators and brackets inside each other: what recursion here and later must bear */
};

static hd_control_expression *conditional(hd_control_parser *p);

static const hd_control_token *
token(const hd_control_parser *p)
{
  return &p->tokens[p->at];
}

static hd_control_expression *
make(hd_control_parser *p, expression_kind kind, hd_control_place place, hd_control_expression *a,
     hd_control_expression *b)
{
  hd_control_expression *e = hd_arena_alloc(p->arena, sizeof *e);
  *e = (hd_control_expression){.kind = kind, .place = place, .start = a ? a->start : place, .a = a, .b = b};
  return e;
}

static hd_control_expression *
too_deep(hd_control_parser *p)
{
  hd_control_error(p->messages, token(p)->place, "more than %d operators and brackets inside each other", DEEPEST);
  return NULL;
}

/* ---- what begins with a word ---- */

static const struct
{
  const char *word;
  expression_kind kind;
  int arguments;
} functions[] = {
    {"AX", EXPR_AX, 1}, {"AF", EXPR_AF, 1}, {"AG", EXPR_AG, 1}, {"AU", EXPR_AU, 2}, {"IMPLIES", EXPR_IMPLIES, 2},
};

static hd_control_expression *
closed(hd_control_parser *p, hd_control_expression *e, const hd_control_token *open)
{
  if (!e)
    return NULL;
  if (hd_control_eat(p, ")"))
    return e;
  hd_control_error(p->messages, token(p)->place,
                   "expected ')' before %s; the bracket that it closes is in line %u, column %u",
                   hd_control_show_token(p), open->place.line, open->place.column);
  return NULL;
}

static hd_control_expression *
function(hd_control_parser *p, size_t i)
{
  const hd_control_token *word = token(p), *open = word + 1;
  p->at++;
  if (!hd_control_eat(p, "("))
  {
    hd_control_error(p->messages, word->place, "%s needs %s in brackets: %s", word->text,
                     functions[i].arguments == 1 ? "a formula" : "two formulas",
                     functions[i].arguments == 1 ? "AG(p)" : "AU(p, q), IMPLIES(p, q)");
    return NULL;
  }
  hd_control_expression *e = make(p, functions[i].kind, word->place, NULL, NULL);
  if (!(e->a = conditional(p)))
    return NULL;
  if (functions[i].arguments == 2)
  {
    if (!hd_control_eat(p, ","))
    {
      hd_control_error(p->messages, token(p)->place, "%s takes two formulas, so a ',' must stand before %s", word->text,
                       hd_control_show_token(p));
      return NULL;
    }
    if (!(e->b = conditional(p)))
      return NULL;
  }
  else if (hd_control_at(p, ","))
  {
    hd_control_error(p->messages, token(p)->place, "%s takes one formula", word->text);
    return NULL;
  }
  return closed(p, e, open);
}

/* count(state) and RIGID(x, formula) */
static hd_control_expression *
with_name(hd_control_parser *p, expression_kind kind)
{
  const hd_control_token *word = token(p), *open = word + 1;
  p->at++;
  if (!hd_control_eat(p, "("))
  {
    hd_control_error(p->messages, word->place, "RIGID needs a name and a formula: RIGID(x, AG(...))");
    return NULL;
  }
  hd_control_name name;
  if (!hd_control_parse_name(p, kind == EXPR_COUNT ? "an interface state" : "a name", &name))
    return NULL;
  hd_control_expression *e = make(p, kind, name.place, NULL, NULL);
  e->start = word->place;
  e->name = name.text;
  if (kind == EXPR_RIGID)
  {
    if (!hd_control_eat(p, ","))
    {
      hd_control_error(p->messages, token(p)->place, "RIGID takes a name and a formula, so a ',' must stand before %s",
                       hd_control_show_token(p));
      return NULL;
    }
    if (!(e->a = conditional(p)))
      return NULL;
  }
  return closed(p, e, open);
}

static hd_control_expression *
word(hd_control_parser *p)
{
  const hd_control_token *t = token(p);
  if (strcmp(t->text, "true") == 0 || strcmp(t->text, "false") == 0)
  {
    p->at++;
    return make(p, t->text[0] == 't' ? EXPR_TRUE : EXPR_FALSE, t->place, NULL, NULL);
  }
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
    if (strcmp(t->text, functions[i].word) == 0)
      return function(p, i);
  if (strcmp(t->text, "RIGID") == 0)
    return with_name(p, EXPR_RIGID);
  bool call = strcmp(t[1].text, "(") == 0 && t[1].kind == TOKEN_OPERATOR;
  if (call && strcmp(t->text, "count") == 0)
    return with_name(p, EXPR_COUNT);
  hd_control_name name;
  if (!hd_control_parse_name(p, "a value", &name))
    return NULL;
  if (call)
  {
    hd_control_error(p->messages, name.place,
                     "'%s' cannot be called: a controller has no functions but count(state), and AX, AF, AG, AU, "
                     "IMPLIES and RIGID in a SPEC",
                     name.text);
    return NULL;
  }
  hd_control_expression *e = make(p, EXPR_NAME, name.place, NULL, NULL);
  e->name = name.text;
  return e;
}

/* ---- operators ---- */

static hd_control_expression *
primary(hd_control_parser *p)
{
  const hd_control_token *t = token(p);
  if (t->kind == TOKEN_NUMBER)
  {
    p->at++;
    hd_control_expression *e = make(p, EXPR_NUMBER, t->place, NULL, NULL);
    e->number = t->number;
    return e;
  }
  if (t->kind == TOKEN_NAME)
    return word(p);
  if (hd_control_eat(p, "("))
  {
    hd_control_expression *e = closed(p, conditional(p), t);
    if (e)
      e->start = t->place;
    return e;
  }
  if (hd_control_at(p, "++") || hd_control_at(p, "--"))
    hd_control_error(p->messages, t->place, "'%s' changes a variable; that is allowed as a step of its own in DO(...)",
                     t->text);
  else
    hd_control_error(p->messages, t->place, "expected a value before %s: a number, a name, true, false or '('",
                     hd_control_show_token(p));
  return NULL;
}

static hd_control_expression *
unary(hd_control_parser *p)
{
  const hd_control_token *t = token(p);
  if (++p->depth > DEEPEST)
    return too_deep(p);
  hd_control_expression *e;
  bool minus = hd_control_at(p, "-"), not = hd_control_at(p, "!");
  if (minus || not || hd_control_at(p, "+"))
  {
    p->at++;
    e = unary(p);
    if (e && (minus || not ))
    {
      e = make(p, minus ? EXPR_NEGATE : EXPR_NOT, t->place, e, NULL);
      e->start = t->place;
    }
  }
  else
    e = primary(p);
  p->depth--;
  return e;
}

typedef struct operator
{
  const char *text;
  expression_kind kind;
  int level;
}
operator;

static const operator operators[] = {
    {"*", EXPR_MULTIPLY, 5},       {"+", EXPR_ADD, 4},         {"-", EXPR_SUBTRACT, 4},
    {"<", EXPR_LESS, 3},           {"<=", EXPR_LESS_EQUAL, 3}, {">", EXPR_GREATER, 3},
    {">=", EXPR_GREATER_EQUAL, 3}, {"==", EXPR_EQUAL, 2},      {"!=", EXPR_NOT_EQUAL, 2},
    {"&&", EXPR_AND, 1},           {"||", EXPR_OR, 0},
};

static const operator* at_operator(const hd_control_parser *p, int level)
{
  if (token(p)->kind != TOKEN_OPERATOR)
    return NULL;
  for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
    if (operators[i].level == level && strcmp(operators[i].text, token(p)->text) == 0)
      return &operators[i];
  return NULL;
}

/* Left-associative operators of LEVEL and of those that bind more tightly. */
static hd_control_expression *
binary(hd_control_parser *p, int level)
{
  hd_control_expression *e = level > 5 ? unary(p) : binary(p, level + 1);
  if (level > 5)
    return e;
  for (const operator* o; e && (o = at_operator(p, level));)
  {
    const hd_control_token *t = token(p);
    if (++p->depth > DEEPEST) /* a chain is a deep tree too */
      return too_deep(p);
    p->at++;
    hd_control_expression *right = level == 5 ? unary(p) : binary(p, level + 1);
    e = right ? make(p, o->kind, t->place, e, right) : NULL;
  }
  return e;
}

/* What stands after a complete expression and is no operator here. */
static bool
refuse_operator(hd_control_parser *p)
{
  static const char *const foreign[] = {"/", "%", "&", "|", "^", "~", "<<", ">>", ".", "->", "[", "{"};
  const hd_control_token *t = token(p);
  for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
    if (hd_control_at(p, foreign[i]))
    {
      const char *meant = strcmp(t->text, "&") == 0   ? " (did you mean '&&'?)"
                          : strcmp(t->text, "|") == 0 ? " (did you mean '||'?)"
                                                      : "";
      hd_control_error(p->messages, t->place,
                       "'%s' is not allowed%s; allowed are + - * with a number, comparisons, && || ! and ?:", t->text,
                       meant);
      return true;
    }
  return false;
}

static hd_control_expression *
conditional(hd_control_parser *p)
{
  unsigned depth = p->depth;
  if (++p->depth > DEEPEST)
    return too_deep(p);
  unsigned inside = p->depth;
  hd_control_expression *e = binary(p, 0);
  p->depth = inside; /* the operators of a chain have been counted too */
  if (e && refuse_operator(p))
    e = NULL;
  const hd_control_token *t = token(p);
  if (e && hd_control_eat(p, "?"))
  {
    hd_control_expression *yes = conditional(p), *no = NULL;
    if (yes && !hd_control_eat(p, ":"))
      hd_control_error(p->messages, token(p)->place, "expected ':' before %s; write condition ? value : value",
                       hd_control_show_token(p));
    else if (yes)
      no = conditional(p);
    hd_control_expression *whole = no ? make(p, EXPR_CONDITIONAL, t->place, e, yes) : NULL;
    if (whole)
      whole->c = no;
    e = whole;
  }
  p->depth = depth;
  return e;
}

hd_control_expression *
hd_control_parse_expression(hd_control_parser *p)
{
  p->depth = 0;
  hd_control_expression *e = conditional(p);
  if (!e)
    return NULL;
  const hd_control_token *t = token(p);
  if (hd_control_at(p, "="))
    hd_control_error(p->messages, t->place, "'=' assigns, which is allowed in DO(...) alone; '==' compares");
  else if (hd_control_at(p, "+=") || hd_control_at(p, "-=") || hd_control_at(p, "++") || hd_control_at(p, "--"))
    hd_control_error(p->messages, t->place, "'%s' changes a variable, which is allowed in DO(...) alone", t->text);
  else
    return e;
  return NULL;
}

/* ---- assignments ---- */

static hd_control_expression *
one(hd_control_parser *p, hd_control_place place)
{
  hd_control_expression *e = make(p, EXPR_NUMBER, place, NULL, NULL);
  e->number = 1;
  return e;
}

static bool
assignment(hd_control_parser *p, hd_control_assignment *out)
{
  const hd_control_token *t = token(p);
  *out = (hd_control_assignment){.place = t->place};
  if (hd_control_eat(p, "++") || hd_control_eat(p, "--"))
  {
    out->op = t->text[0];
    out->value = one(p, t->place);
    return hd_control_parse_name(p, "a variable", &out->target);
  }
  if (!hd_control_parse_name(p, "a variable to assign to", &out->target))
    return false;
  t = token(p);
  out->place = t->place;
  if (hd_control_eat(p, "++") || hd_control_eat(p, "--"))
  {
    out->op = t->text[0];
    out->value = one(p, t->place);
    return true;
  }
  if (hd_control_eat(p, "=") || hd_control_eat(p, "+=") || hd_control_eat(p, "-="))
  {
    out->op = t->text[0];
    p->depth = 0;
    out->value = conditional(p);
    if (out->value && (hd_control_at(p, "=") || hd_control_at(p, "++") || hd_control_at(p, "--")))
    {
      hd_control_error(p->messages, token(p)->place,
                       "one assignment at a time: 'a = 0, b = 0' instead of 'a = b = 0', 'a = b, b++' instead of "
                       "'a = b++'");
      return false;
    }
    return out->value != NULL;
  }
  if (t->kind == TOKEN_OPERATOR && t->text[strlen(t->text) - 1] == '=' && !hd_control_at(p, "==")
      && !hd_control_at(p, "!=") && !hd_control_at(p, "<=") && !hd_control_at(p, ">="))
    hd_control_error(p->messages, t->place, "'%s' is not linear; allowed are =, +=, -=, ++ and --", t->text);
  else
    hd_control_error(p->messages, t->place,
                     "expected an assignment to '%s' before %s; allowed are =, +=, -=, ++ and --", out->target.text,
                     hd_control_show_token(p));
  return false;
}

bool
hd_control_parse_assignments(hd_control_parser *p, hd_control_guarded *command)
{
  for (;;)
  {
    while (hd_control_eat(p, ";"))
      ;
    if (hd_control_at(p, ")"))
      return true;
    hd_control_assignment a;
    if (!assignment(p, &a))
      return false;
    HD_PUSH(command->assignments, command->n, command->cap, a);
    if (hd_control_at(p, ")"))
      return true;
    if (!hd_control_eat(p, ",") && !hd_control_eat(p, ";"))
    {
      hd_control_error(p->messages, token(p)->place, "expected ',' or ';' or the ')' of DO before %s",
                       hd_control_show_token(p));
      return false;
    }
  }
}
