/* parse.c: property files: declarations, rules and properties. The grammar is in docs/mttl.md. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "mttl/syntax.h"

/* ---- declarations ---- */

static bool
read_type(hd_mttl_parser *p, hd_mttl_type *type)
{
  for (hd_mttl_type t = HD_MTTL_BOOL; t <= HD_MTTL_STRING; t++)
    if (hd_mttl_accept(p, hd_mttl_type_name(t)))
    {
      *type = t;
      return true;
    }
  return false;
}

/* A constant of TYPE. */
static bool
read_constant(hd_mttl_parser *p, hd_mttl_type type, hd_mttl_value *out)
{
  const hd_mttl_token *from = p->at;
  bool negative = hd_mttl_accept(p, "-");
  const hd_mttl_token *t = p->at;
  *out = t->value;
  if (t->kind == HD_MTTL_WORD && !negative && (hd_mttl_is(p, "true") || hd_mttl_is(p, "false")))
    *out = (hd_mttl_value){.type = HD_MTTL_BOOL, .number = hd_mttl_is(p, "true")};
  else if (t->kind != HD_MTTL_INTEGER && t->kind != HD_MTTL_REAL_NUMBER && t->kind != HD_MTTL_QUOTED)
  {
    hd_mttl_error(p, from->place, "a constant is missing here");
    return false;
  }
  p->at++;
  if (out->type == HD_MTTL_INT && type == HD_MTTL_REAL)
    *out = (hd_mttl_value){.type = HD_MTTL_REAL, .real = (double) out->number};
  if (out->type == HD_MTTL_INT && type == HD_MTTL_BOOL && (out->number == 0 || out->number == 1))
    out->type = HD_MTTL_BOOL;
  if (out->type != type || (negative && type != HD_MTTL_INT && type != HD_MTTL_REAL))
  {
    hd_mttl_error(p, from->place, "this is no constant of type %s", hd_mttl_type_name(type));
    return false;
  }
  if (negative && type == HD_MTTL_INT)
    out->number = -out->number; /* what was read is not negative */
  else if (negative)
    out->real = -out->real;
  return true;
}

/* shared *;  shared [type] path [= constant], ...;  local type name = constant; */
static void
declare(hd_mttl_parser *p, bool shared)
{
  p->at++;
  if (shared && hd_mttl_accept(p, "*"))
  {
    p->everything = true;
    hd_mttl_expect(p, ";", "at the end of the declaration");
    return;
  }
  hd_mttl_variable v = {.shared = shared, .type = HD_MTTL_INT};
  if (!read_type(p, &v.type) && !shared)
  {
    hd_mttl_error(p, p->at->place, "the type is missing: bool, int, real or string");
    return;
  }
  do
  {
    v.place = p->at->place;
    v.name = hd_mttl_path(p);
    v.initial = (hd_mttl_value){.type = HD_MTTL_UNDEFINED};
    if (!v.name)
      return;
    if (hd_mttl_find_variable(p, v.name) >= 0)
    {
      hd_mttl_error(p, v.place, "'%s' is declared twice", v.name);
      return;
    }
    if (!shared && !hd_mttl_is(p, "="))
    {
      hd_mttl_error(p, p->at->place, "the initial value is missing: 'local %s %s = ...;'", hd_mttl_type_name(v.type),
                    v.name);
      return;
    }
    if (hd_mttl_accept(p, "=") && !read_constant(p, v.type, &v.initial))
      return;
    hd_mttl_add_variable(p, v);
  } while (hd_mttl_accept(p, ","));
  hd_mttl_expect(p, ";", "at the end of the declaration");
}

/* thread boss = "main"; */
static void
declare_thread(hd_mttl_parser *p)
{
  p->at++;
  const hd_mttl_token *name = p->at;
  if (name->kind != HD_MTTL_WORD)
  {
    hd_mttl_error(p, name->place, "the name of a thread is missing, as in 'thread boss = \"main\";'");
    return;
  }
  p->at++;
  if (!hd_mttl_expect(p, "=", "after the thread's name"))
    return;
  hd_mttl_name n = {.name = hd_mttl_copy(p, name->start, name->length)};
  for (size_t i = 0; i < p->nnames; i++)
    if (strcmp(p->names[i].name, n.name) == 0)
      hd_mttl_error(p, name->place, "the thread '%s' is declared twice", n.name);
  if (p->at->kind == HD_MTTL_QUOTED)
    n.means = p->at->value.text;
  else if (p->at->kind == HD_MTTL_INTEGER && p->at->value.number >= 0 && p->at->value.number < UINT32_MAX)
    n.number = (uint32_t) p->at->value.number;
  else if (p->at->kind == HD_MTTL_WORD)
    n.means = hd_mttl_copy(p, p->at->start, p->at->length);
  else
  {
    hd_mttl_error(p, p->at->place, "a thread is named by a string, a function or a number");
    return;
  }
  p->at++;
  hd_mttl_add_name(p, n);
  hd_mttl_expect(p, ";", "at the end of the declaration");
}

/* What is simple in a rule is noted there: rules are followed often. */
static void
simplify(hd_mttl_rule *rule)
{
  const hd_mttl_node *n = rule->value;
  if (n->kind == HD_MTTL_CONST)
  {
    rule->how = HD_MTTL_SET_CONSTANT;
    rule->constant = n->value;
  }
  else if (n->kind == HD_MTTL_LOCAL_VALUE)
  {
    rule->how = HD_MTTL_SET_COPY;
    rule->from = n->index;
  }
  else if (n->kind == HD_MTTL_ADD && n->type == HD_MTTL_INT && n->a->kind == HD_MTTL_LOCAL_VALUE
           && n->b->kind == HD_MTTL_CONST && n->b->value.type == HD_MTTL_INT)
  {
    rule->how = HD_MTTL_SET_SUM;
    rule->from = n->a->index;
    rule->constant = n->b->value;
  }
}

/* on enter f: busy = true; */
static bool
read_rule(hd_mttl_parser *p, hd_mttl_rule *rule)
{
  static const char *const moments[] = {"enter", "exit", "lock", "unlock"};
  *rule = (hd_mttl_rule){.place = p->at->place};
  p->at++;
  size_t m = 0;
  while (m < 4 && !hd_mttl_accept(p, moments[m]))
    m++;
  if (m == 4)
  {
    hd_mttl_error(p, p->at->place, "'on' is followed by enter, exit, lock or unlock");
    return false;
  }
  rule->moment = (hd_mttl_moment) m;
  rule->name = hd_mttl_path(p);
  if (!rule->name || !hd_mttl_expect(p, ":", "after the name"))
    return false;
  hd_mttl_place place = p->at->place;
  const char *variable = hd_mttl_path(p);
  int64_t found = variable ? hd_mttl_find_variable(p, variable) : -1;
  if (variable && (found < 0 || p->variables[found].shared))
    hd_mttl_error(p, place, "'%s' is no thread's own variable; declare it with 'local'", variable);
  if (p->bad || !hd_mttl_expect(p, "=", "after the variable"))
    return false;
  size_t cells = p->ncells;
  rule->variable = (uint32_t) found;
  rule->value = hd_mttl_formula(p);
  if (!rule->value)
    return false;
  if (p->ncells != cells)
    hd_mttl_error(p, rule->value->place, "a value that is set can have no @ and no past in it");
  else if (rule->value->type != p->variables[found].type)
    hd_mttl_error(p, rule->value->place, "'%s' is of type %s, and '%s' of type %s", variable,
                  hd_mttl_type_name(p->variables[found].type), hd_mttl_quote(p, rule->value),
                  hd_mttl_type_name(rule->value->type));
  simplify(rule);
  return hd_mttl_expect(p, ";", "at the end of the rule") && !p->bad;
}

static bool
read_report(hd_mttl_parser *p, hd_mttl_property *out)
{
  static const char *const actions[] = {"each", "once", "stop", "abort", "call"};
  size_t a = 0;
  while (a < 5 && !hd_mttl_accept(p, actions[a]))
    a++;
  if (a == 5)
  {
    hd_mttl_error(p, p->at->place, "'report' is followed by each, once, stop, abort or call");
    return false;
  }
  out->action = (hd_mttl_action) a;
  if (out->action == HD_MTTL_CALL)
    out->function = hd_mttl_path(p);
  return !p->bad;
}

/* property race: forall i: @i( ... ) report once; */
static bool
read_property(hd_mttl_parser *p, hd_mttl_property *out)
{
  p->at++;
  *out = (hd_mttl_property){.place = p->at->place, .action = HD_MTTL_ONCE};
  p->nbound = 0;
  out->name = hd_mttl_path(p);
  if (!out->name || !hd_mttl_expect(p, ":", "after the property's name"))
    return false;
  const hd_mttl_token *from = p->at;
  if (hd_mttl_accept(p, "forall"))
  {
    if (p->at->kind != HD_MTTL_WORD)
    {
      hd_mttl_error(p, p->at->place, "the name of a thread variable is missing after 'forall'");
      return false;
    }
    p->bound[p->nbound++] = (hd_mttl_bound){p->at->start, p->at->length};
    p->at++;
    if (!hd_mttl_expect(p, ":", "after the thread variable"))
      return false;
  }
  if (!hd_mttl_expect(p, "@", "before the thread whose property it is"))
    return false;
  hd_mttl_tid owner = hd_mttl_thread_reference(p);
  if (owner.kind == HD_MTTL_NOBODY || !hd_mttl_expect(p, "(", "after the thread"))
    return false;
  p->self = owner.kind == HD_MTTL_SLOT ? (int32_t) owner.index : -1;
  const hd_mttl_node *body = hd_mttl_formula(p);
  if (body && body->type != HD_MTTL_BOOL)
    hd_mttl_error(p, body->place, "a property is a condition, and '%s' is of type %s", hd_mttl_quote(p, body),
                  hd_mttl_type_name(body->type));
  if (!body || p->bad || !hd_mttl_expect(p, ")", "at the end of the property"))
    return false;
  hd_string text = {0};
  hd_mttl_print_source(&text, from->start, (size_t) (p->at[-1].start + p->at[-1].length - from->start));
  out->text = hd_mttl_copy(p, text.text, text.length);
  hd_string_free(&text);
  out->cell = hd_mttl_add_cell(p, HD_MTTL_TOP, body, NULL);
  p->cells[out->cell].owner = owner;
  p->self = -1;
  if (hd_mttl_accept(p, "report") && !read_report(p, out))
    return false;
  return hd_mttl_expect(p, ";", "at the end of the property");
}

/* ---- the file ---- */

typedef struct lists
{
  hd_mttl_property *properties;
  size_t nproperties, properties_cap;
  hd_mttl_rule *rules;
  size_t nrules, rules_cap;
} lists;

static void
read_declaration(hd_mttl_parser *p, lists *l)
{
  hd_mttl_property property;
  hd_mttl_rule rule;
  if (hd_mttl_is(p, "shared") || hd_mttl_is(p, "local"))
    declare(p, hd_mttl_is(p, "shared"));
  else if (hd_mttl_is(p, "thread"))
    declare_thread(p);
  else if (hd_mttl_is(p, "on"))
  {
    if (read_rule(p, &rule))
      HD_PUSH(l->rules, l->nrules, l->rules_cap, rule);
  }
  else if (hd_mttl_is(p, "property"))
  {
    if (!read_property(p, &property))
      return;
    for (size_t i = 0; i < l->nproperties; i++)
      if (strcmp(l->properties[i].name, property.name) == 0)
        hd_mttl_error(p, property.place, "there are two properties '%s'", property.name);
    HD_PUSH(l->properties, l->nproperties, l->properties_cap, property);
  }
  else
    hd_mttl_error(p, p->at->place, "a declaration begins with shared, local, thread, on or property, not with '%.*s'",
                  (int) p->at->length, p->at->start);
}

static void *
keep(hd_arena *arena, void *list, size_t n, size_t size)
{
  void *copy = hd_arena_alloc(arena, n * size + 1);
  if (n)
    memcpy(copy, list, n * size);
  free(list);
  return copy;
}

static hd_mttl_file *
finish(hd_mttl_parser *p, lists *l)
{
  hd_mttl_file *f = hd_arena_alloc(p->arena, sizeof *f);
  *f = (hd_mttl_file){.arena = p->arena,
                      .path = p->path,
                      .everything = p->everything,
                      .nvariables = p->nvariables,
                      .nnames = p->nnames,
                      .nproperties = l->nproperties,
                      .nrules = l->nrules,
                      .nfunctions = p->nfunctions,
                      .nlocks = p->nlocks,
                      .ncells = p->ncells,
                      .nitems = p->nitems};
  f->variables = keep(p->arena, p->variables, p->nvariables, sizeof *p->variables);
  f->names = keep(p->arena, p->names, p->nnames, sizeof *p->names);
  f->properties = keep(p->arena, l->properties, l->nproperties, sizeof *l->properties);
  f->rules = keep(p->arena, l->rules, l->nrules, sizeof *l->rules);
  f->functions = keep(p->arena, p->functions, p->nfunctions, sizeof *p->functions);
  f->locks = keep(p->arena, p->locks, p->nlocks, sizeof *p->locks);
  f->function_places = keep(p->arena, p->function_places, p->nfunction_places, sizeof *p->function_places);
  f->lock_places = keep(p->arena, p->lock_places, p->nlock_places, sizeof *p->lock_places);
  f->cells = keep(p->arena, p->cells, p->ncells, sizeof *p->cells);
  return f;
}

hd_mttl_file *
hd_mttl_parse(const char *path, const char *text, size_t n, hd_string *messages)
{
  hd_arena *arena = hd_arena_new();
  hd_mttl_parser p = {.arena = arena, .messages = messages, .self = -1};
  lists l = {0};
  hd_mttl_token *tokens;
  p.path = hd_mttl_copy(&p, path, strlen(path));
  text = hd_mttl_copy(&p, text, n); /* formulas point into it */
  bool good = hd_mttl_lex(path, text, n, arena, &tokens, messages);
  for (p.at = tokens; good && p.at->kind != HD_MTTL_END;)
  {
    p.bad = false;
    const hd_mttl_token *from = p.at;
    read_declaration(&p, &l);
    if (p.bad)
    {
      /* Go on behind the next semicolon. */
      p.at = p.at > from ? p.at - 1 : p.at;
      while (p.at->kind != HD_MTTL_END && !hd_mttl_is(&p, ";"))
        p.at++;
      p.at += p.at->kind != HD_MTTL_END;
      p.self = -1;
    }
  }
  if (good && messages->length == 0 && l.nproperties == 0)
    hd_string_printf(messages, "%s:1:1: error: there is no property in this file\n", path);
  hd_mttl_file *f = finish(&p, &l);
  f->text = text;
  f->length = n;
  if (messages->length == 0)
    return f;
  hd_mttl_free(f);
  return NULL;
}

hd_mttl_file *
hd_mttl_read(const char *path, hd_string *messages)
{
  FILE *file = fopen(path, "rb");
  hd_string text = {0};
  char block[4096];
  size_t n = 0;
  while (file && (n = fread(block, 1, sizeof block, file)) > 0)
    hd_string_add_n(&text, block, n);
  hd_mttl_file *f = NULL;
  if (!file || ferror(file))
    hd_string_printf(messages, "%s: error: cannot read it: %s\n", path, strerror(errno));
  else
    f = hd_mttl_parse(path, text.text ? text.text : "", text.length, messages);
  if (file)
    fclose(file);
  hd_string_free(&text);
  return f;
}

void
hd_mttl_free(hd_mttl_file *f)
{
  if (f)
    hd_arena_free(f->arena); /* F is in it */
}
