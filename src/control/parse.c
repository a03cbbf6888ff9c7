/* parse.c: the declarations of a controller file. After a mistake reading goes on with the next declaration. */
#include <stdlib.h>
#include <string.h>

#include "control/syntax.h"

static const char *const declaration_words[]
    = {"CONST", "ASSUME",    "THREADS",  "INT",         "BOOL", "ENUM", "STATE", "EDGE",
       "SPEC",  "SPEC_FAIR", "BLOCKING", "NONBLOCKING", "WHEN", "DO",   "END"};

enum
{
  NDECLARATION_WORDS = sizeof declaration_words / sizeof *declaration_words
};

/* Names that would not compile, or mean something else already. */
static const char *const reserved_words[] = {
    "AX",       "AF",     "AG",     "AU",       "IMPLIES", "RIGID",  "true",     "false",     "auto",      "break",
    "case",     "char",   "const",  "continue", "default", "do",     "double",   "else",      "enum",      "extern",
    "float",    "for",    "goto",   "if",       "inline",  "int",    "long",     "short",     "register",  "restrict",
    "return",   "signed", "sizeof", "static",   "struct",  "switch", "typedef",  "union",     "unsigned",  "void",
    "volatile", "while",  "bool",   "asm",      "typeof",  "class",  "template", "namespace", "constexpr", "operator",
    "private",  "public", "this",   "throw",    "try",     "new",    "delete",   "friend",    "protected", "using",
    "virtual",  "errno",  "NULL",   "linux",    "unix",    "i386",
};

bool
hd_control_is_declaration_word(const char *text)
{
  for (size_t i = 0; i < NDECLARATION_WORDS; i++)
    if (strcmp(text, declaration_words[i]) == 0)
      return true;
  return false;
}

static const hd_control_token *
token(const hd_control_parser *p)
{
  return &p->tokens[p->at];
}

bool
hd_control_at(const hd_control_parser *p, const char *text)
{
  return token(p)->kind == TOKEN_OPERATOR && strcmp(token(p)->text, text) == 0;
}

bool
hd_control_eat(hd_control_parser *p, const char *text)
{
  if (!hd_control_at(p, text))
    return false;
  p->at++;
  return true;
}

const char *
hd_control_show_token(const hd_control_parser *p)
{
  if (token(p)->kind == TOKEN_END)
    return "the end of the controller part";
  hd_string s = {0};
  hd_string_printf(&s, "'%s'", token(p)->text);
  const char *shown = hd_control_copy(p->arena, s.text, s.length);
  hd_string_free(&s);
  return shown;
}

bool
hd_control_parse_name(hd_control_parser *p, const char *what, hd_control_name *name)
{
  const hd_control_token *t = token(p);
  if (t->kind != TOKEN_NAME)
  {
    hd_control_error(p->messages, t->place, "expected %s before %s", what, hd_control_show_token(p));
    return false;
  }
  bool reserved = false;
  for (size_t i = 0; i < sizeof reserved_words / sizeof *reserved_words; i++)
    reserved = reserved || strcmp(t->text, reserved_words[i]) == 0;
  if (reserved || hd_control_is_declaration_word(t->text))
  {
    hd_control_error(p->messages, t->place, "expected %s, but '%s' is a keyword; choose another name", what, t->text);
    if (t[1].kind == TOKEN_OPERATOR && (strcmp(t[1].text, ",") == 0 || strcmp(t[1].text, ")") == 0))
      p->at++; /* it was meant as a name: what follows is read on from there */
    return false;
  }
  if (strncmp(t->text, "hd_", 3) == 0 || strncmp(t->text, "HD_", 3) == 0 || t->text[0] == '_')
  {
    hd_control_error(p->messages, t->place,
                     "the name '%s' is not free: names that begin with %s are taken; choose another", t->text,
                     t->text[0] == '_' ? "_" : "hd_ or HD_");
    return false;
  }
  *name = (hd_control_name){t->text, t->place};
  p->at++;
  return true;
}

/* ---- declarations ---- */

static hd_control_declaration *
add(hd_control_source *s, declaration_kind kind, hd_control_place place)
{
  HD_PUSH(s->items, s->n, s->cap, (hd_control_declaration){.kind = kind, .place = place});
  return &s->items[s->n - 1];
}

/* Stand at the next word with which a declaration begins or goes on. */
static void
recover(hd_control_parser *p)
{
  while (token(p)->kind != TOKEN_END
         && !(token(p)->kind == TOKEN_NAME && hd_control_is_declaration_word(token(p)->text)))
    p->at++;
}

/* The closing bracket of a declaration. */
static bool
finish(hd_control_parser *p, const hd_control_token *word, const char *form)
{
  if (hd_control_eat(p, ")"))
    return true;
  if (hd_control_at(p, ","))
    hd_control_error(p->messages, token(p)->place, "this is one argument too many; the form is %s", form);
  else
    hd_control_error(p->messages, token(p)->place, "expected ')' before %s to close %s( of line %u",
                     hd_control_show_token(p), word->text, word->place.line);
  return false;
}

/* The comma before what FORM shows next. */
static bool
comma(hd_control_parser *p, const char *missing, const char *form)
{
  if (hd_control_eat(p, ",") && !hd_control_at(p, ")"))
    return true;
  if (hd_control_at(p, ")"))
    hd_control_error(p->messages, token(p)->place, "%s is missing; the form is %s", missing, form);
  else
    hd_control_error(p->messages, token(p)->place, "expected ',' before %s; the form is %s", hd_control_show_token(p),
                     form);
  return false;
}

static bool
name_and_expression(hd_control_parser *p, hd_control_declaration *d, const hd_control_token *word, const char *missing,
                    const char *form)
{
  return hd_control_parse_name(p, "a name", &d->name) && comma(p, missing, form)
         && (d->expr = hd_control_parse_expression(p)) != NULL && finish(p, word, form);
}

static bool
enumeration(hd_control_parser *p, hd_control_declaration *d, const hd_control_token *word)
{
  static const char form[] = "ENUM(name, start, (value, value, ...))";
  if (!hd_control_parse_name(p, "a name", &d->name) || !comma(p, "the initial value", form))
    return false;
  if (hd_control_at(p, "("))
  {
    hd_control_error(p->messages, token(p)->place, "the initial value is missing; the form is %s", form);
    return false;
  }
  d->expr = hd_control_parse_expression(p);
  if (!d->expr || !comma(p, "the list of values", form))
    return false;
  if (!hd_control_eat(p, "("))
  {
    hd_control_error(p->messages, token(p)->place, "the values stand in brackets of their own; the form is %s", form);
    return false;
  }
  do
  {
    hd_control_name value;
    if (!hd_control_parse_name(p, "a value's name", &value))
      return false;
    HD_PUSH(d->names, d->nnames, d->names_cap, value);
  } while (hd_control_eat(p, ","));
  return finish(p, word, form) && finish(p, word, form);
}

static bool
threads(hd_control_parser *p, hd_control_declaration *d, const hd_control_token *word)
{
  static const char *const relations[] = {">=", ">", "==", "<=", "<"};
  for (size_t i = 0; i < 5; i++)
    if (hd_control_at(p, relations[i]))
      d->relation = relations[i];
  if (d->relation)
    p->at++;
  if (!d->relation || token(p)->kind != TOKEN_NUMBER)
  {
    hd_control_error(p->messages, token(p)->place,
                     "expected %s before %s; the form is THREADS(>= 1), with a relation and a number",
                     d->relation ? "a number" : ">=, >, ==, <= or <", hd_control_show_token(p));
    return false;
  }
  d->number = token(p)->number;
  p->at++;
  return finish(p, word, "THREADS(>= 1)");
}

static bool
edge(hd_control_parser *p, hd_control_declaration *d, const hd_control_token *word)
{
  static const char form[] = "EDGE(from, action, to)";
  static const char *const parts[] = {"the state where it begins", "an action", "the state where it ends"};
  for (size_t i = 0; i < 3; i++)
  {
    hd_control_name name;
    if (i > 0 && !comma(p, parts[i], form))
      return false;
    if (!hd_control_parse_name(p, parts[i], &name))
      return false;
    HD_PUSH(d->names, d->nnames, d->names_cap, name);
  }
  return finish(p, word, form);
}

/* WORD( and what follows up to the ')'. */
static bool
in_brackets(hd_control_parser *p, hd_control_declaration *d, const hd_control_token *word)
{
  if (!hd_control_eat(p, "("))
  {
    hd_control_error(p->messages, token(p)->place, "expected '(' after %s", word->text);
    return false;
  }
  switch (d->kind)
  {
  case DECL_CONST:
    return name_and_expression(p, d, word, "the assumption", "CONST(size, size >= 1), or CONST(size, true) for none");
  case DECL_ASSUME:
    return (d->expr = hd_control_parse_expression(p)) != NULL && finish(p, word, "ASSUME(condition)");
  case DECL_THREADS:
    return threads(p, d, word);
  case DECL_INT:
    return name_and_expression(p, d, word, "the initial value", "INT(name, 0)");
  case DECL_BOOL:
    return name_and_expression(p, d, word, "the initial value", "BOOL(name, false)");
  case DECL_ENUM:
    return enumeration(p, d, word);
  case DECL_STATE:
    return hd_control_parse_name(p, "a state's name", &d->name) && finish(p, word, "STATE(name)");
  case DECL_EDGE:
    return edge(p, d, word);
  case DECL_SPEC:
    return name_and_expression(p, d, word, "the formula", "SPEC(name, AG(condition))");
  case DECL_SPEC_FAIR:
    return name_and_expression(p, d, word, "the formula", "SPEC_FAIR(name, AF(condition))");
  case DECL_BLOCKING:
  case DECL_NONBLOCKING:
    return hd_control_parse_name(p, "an action's name", &d->name)
           && finish(p, word, "BLOCKING(name) WHEN(guard) DO(update) END");
  case DECL_BROKEN:
    break;
  }
  HD_CHECK(!"declaration");
  return false;
}

/* ---- actions ---- */

static bool
at_word(const hd_control_parser *p, const char *text)
{
  return token(p)->kind == TOKEN_NAME && strcmp(token(p)->text, text) == 0;
}

/* WHEN(guard) */
static bool
guard(hd_control_parser *p, hd_control_guarded *g)
{
  const hd_control_token *word = token(p);
  p->at++;
  if (!hd_control_eat(p, "("))
  {
    hd_control_error(p->messages, token(p)->place, "expected '(' after WHEN");
    return false;
  }
  return (g->guard = hd_control_parse_expression(p)) != NULL && finish(p, word, "WHEN(guard)");
}

static bool
update(hd_control_parser *p, hd_control_guarded *g)
{
  const hd_control_token *word = token(p);
  p->at++;
  if (!hd_control_eat(p, "("))
  {
    hd_control_error(p->messages, token(p)->place, "expected '(' after DO");
    return false;
  }
  return hd_control_parse_assignments(p, g) && finish(p, word, "DO(update)");
}

/* The WHEN and DO of an action up to END. */
static void
commands(hd_control_parser *p, hd_control_declaration *d, const hd_control_token *word)
{
  bool expect_do = false;
  for (;;)
  {
    const hd_control_token *t = token(p);
    if (at_word(p, "WHEN"))
    {
      if (expect_do)
      {
        hd_control_error(p->messages, t->place, "the guard before this one has no DO; write DO() if nothing changes");
        d->broken = true;
      }
      HD_PUSH(d->commands, d->ncommands, d->commands_cap, (hd_control_guarded){.place = t->place});
      expect_do = true;
      if (!guard(p, &d->commands[d->ncommands - 1]))
      {
        d->broken = true;
        recover(p);
      }
    }
    else if (at_word(p, "DO"))
    {
      if (!expect_do)
      {
        hd_control_error(p->messages, t->place, "this DO has no guard; write WHEN(condition) before it, or WHEN(true)");
        d->broken = true;
        HD_PUSH(d->commands, d->ncommands, d->commands_cap, (hd_control_guarded){.place = t->place});
      }
      expect_do = false;
      if (!update(p, &d->commands[d->ncommands - 1]))
      {
        d->broken = true;
        recover(p);
      }
    }
    else if (t->kind != TOKEN_END && !(t->kind == TOKEN_NAME && hd_control_is_declaration_word(t->text)))
    {
      hd_control_error(p->messages, t->place, "expected WHEN, DO or END before %s", hd_control_show_token(p));
      d->broken = true;
      recover(p);
    }
    else
      break;
  }
  if (expect_do)
  {
    hd_control_error(p->messages, token(p)->place, "the last guard of '%s' has no DO; write DO() if nothing changes",
                     d->name.text ? d->name.text : "this action");
    d->broken = true;
  }
  if (d->ncommands == 0)
  {
    hd_control_error(p->messages, word->place, "action '%s' has no guard; write WHEN(condition) DO(update) before END",
                     d->name.text ? d->name.text : "?");
    d->broken = true;
  }
  if (at_word(p, "END"))
  {
    p->at++;
    return;
  }
  hd_control_error(p->messages, token(p)->place,
                   "expected WHEN, DO or END before %s; action '%s' of line %u has no END", hd_control_show_token(p),
                   d->name.text ? d->name.text : "?", word->place.line);
  d->broken = true;
}

static const struct
{
  const char *word;
  declaration_kind kind;
} kinds[] = {
    {"CONST", DECL_CONST},       {"ASSUME", DECL_ASSUME},
    {"THREADS", DECL_THREADS},   {"INT", DECL_INT},
    {"BOOL", DECL_BOOL},         {"ENUM", DECL_ENUM},
    {"STATE", DECL_STATE},       {"EDGE", DECL_EDGE},
    {"SPEC", DECL_SPEC},         {"SPEC_FAIR", DECL_SPEC_FAIR},
    {"BLOCKING", DECL_BLOCKING}, {"NONBLOCKING", DECL_NONBLOCKING},
};

/* What does not begin with a word of ours. */
static void
unknown(hd_control_parser *p, hd_control_source *s)
{
  const hd_control_token *t = token(p);
  if (t->kind != TOKEN_NAME)
    hd_control_error(p->messages, t->place,
                     "expected a declaration before %s, such as INT(n, 0), STATE(idle) or EDGE(...)",
                     hd_control_show_token(p));
  else if (strcmp(t->text, "WHEN") == 0 || strcmp(t->text, "DO") == 0 || strcmp(t->text, "END") == 0)
    hd_control_error(p->messages, t->place,
                     "%s stands outside an action; it belongs after BLOCKING(name) or "
                     "NONBLOCKING(name)",
                     t->text);
  else
  {
    const char *meant = hd_control_suggest(t->text, declaration_words, NDECLARATION_WORDS);
    hd_control_error(p->messages, t->place,
                     meant
                         ? "there is no declaration '%s'; did you mean '%s'?"
                         : "there is no declaration '%s'; allowed are CONST, ASSUME, THREADS, INT, BOOL, ENUM, STATE, "
                           "BLOCKING, NONBLOCKING, EDGE, SPEC and SPEC_FAIR",
                     t->text, meant);
    /* What it would have declared is not reported again wherever it is used. */
    if (t[1].kind == TOKEN_OPERATOR && strcmp(t[1].text, "(") == 0 && t[2].kind == TOKEN_NAME)
    {
      hd_control_declaration *d = add(s, DECL_BROKEN, t->place);
      d->name = (hd_control_name){t[2].text, t[2].place};
    }
  }
  p->at++;
  recover(p); /* one message for one mess */
}

void
hd_control_parse_tokens(hd_control_source *out, const hd_control_tokens *tokens, hd_arena *arena,
                        hd_control_messages *m)
{
  hd_control_parser p = {.tokens = tokens->items, .arena = arena, .messages = m};
  *out = (hd_control_source){.name = tokens->name, .file = tokens->file};
  while (token(&p)->kind != TOKEN_END)
  {
    const hd_control_token *word = token(&p);
    size_t i = 0, n = sizeof kinds / sizeof *kinds;
    while (i < n && !(word->kind == TOKEN_NAME && strcmp(kinds[i].word, word->text) == 0))
      i++;
    if (i == n)
    {
      unknown(&p, out);
      continue;
    }
    hd_control_declaration *d = add(out, kinds[i].kind, word->place);
    p.at++;
    if (!in_brackets(&p, d, word))
    {
      d->broken = true;
      recover(&p);
    }
    if (d->kind == DECL_BLOCKING || d->kind == DECL_NONBLOCKING)
      commands(&p, d, word);
  }
}

void
hd_control_source_free(hd_control_source *s)
{
  for (size_t i = 0; i < s->n; i++)
  {
    hd_control_declaration *d = &s->items[i];
    for (size_t k = 0; k < d->ncommands; k++)
      free(d->commands[k].assignments);
    free(d->commands);
    free(d->names);
  }
  free(s->items);
  *s = (hd_control_source){0};
}
