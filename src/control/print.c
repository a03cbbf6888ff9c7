/* print.c: a controller as a controller file again, and its model as text. */
#include <inttypes.h>
#include <string.h>

#include "control/syntax.h"

/* ---- expressions ---- */

/* How tightly an operator binds, and how it is written. */
static const struct
{
  const char *text;
  int level;
} operators[] = {
    [EXPR_CONDITIONAL] = {"?", 0},   [EXPR_OR] = {"||", 1},        [EXPR_AND] = {"&&", 2},
    [EXPR_EQUAL] = {"==", 3},        [EXPR_NOT_EQUAL] = {"!=", 3}, [EXPR_LESS] = {"<", 4},
    [EXPR_LESS_EQUAL] = {"<=", 4},   [EXPR_GREATER] = {">", 4},    [EXPR_GREATER_EQUAL] = {">=", 4},
    [EXPR_ADD] = {"+", 5},           [EXPR_SUBTRACT] = {"-", 5},   [EXPR_MULTIPLY] = {"*", 6},
    [EXPR_NEGATE] = {"-", 7},        [EXPR_NOT] = {"!", 7},        [EXPR_AX] = {"AX", 8},
    [EXPR_AF] = {"AF", 8},           [EXPR_AG] = {"AG", 8},        [EXPR_AU] = {"AU", 8},
    [EXPR_IMPLIES] = {"IMPLIES", 8}, [EXPR_RIGID] = {"RIGID", 8},
};

static int
level(const hd_control_expression *e)
{
  bool leaf = e->kind <= EXPR_COUNT;
  return leaf ? 9 : operators[e->kind].level;
}

static void
print_inner(hd_string *out, const hd_control_expression *e, int least)
{
  bool brackets = level(e) < least;
  if (brackets)
    hd_string_add(out, "(");
  hd_control_print_expression(out, e);
  if (brackets)
    hd_string_add(out, ")");
}

static void
print_binary(hd_string *out, const hd_control_expression *e)
{
  /* Left-associative; C compilers also ask for brackets around && under ||, and comparisons must not chain. */
  int own = level(e), left = own, right = own + 1;
  if (own == 3 || own == 4)
    left = right = 5;
  else if (e->kind == EXPR_OR)
  {
    left = e->a->kind == EXPR_OR ? 1 : 3;
    right = 3;
  }
  print_inner(out, e->a, left);
  hd_string_printf(out, " %s ", operators[e->kind].text);
  print_inner(out, e->b, right);
}

void
hd_control_print_expression(hd_string *out, const hd_control_expression *e)
{
  switch (e->kind)
  {
  case EXPR_NUMBER:
    hd_string_printf(out, "%" PRId64, e->number);
    break;
  case EXPR_TRUE:
    hd_string_add(out, "true");
    break;
  case EXPR_FALSE:
    hd_string_add(out, "false");
    break;
  case EXPR_NAME:
    hd_string_add(out, e->name);
    break;
  case EXPR_COUNT:
    hd_string_printf(out, "count(%s)", e->name);
    break;
  case EXPR_NEGATE:
  case EXPR_NOT:
    hd_string_add(out, operators[e->kind].text);
    print_inner(out, e->a, 8); /* also around a second minus: -- is another token */
    break;
  case EXPR_CONDITIONAL:
    print_inner(out, e->a, 1);
    hd_string_add(out, " ? ");
    print_inner(out, e->b, 1);
    hd_string_add(out, " : ");
    print_inner(out, e->c, 0);
    break;
  case EXPR_AX:
  case EXPR_AF:
  case EXPR_AG:
  case EXPR_AU:
  case EXPR_IMPLIES:
  case EXPR_RIGID:
    hd_string_printf(out, "%s(", operators[e->kind].text);
    if (e->kind == EXPR_RIGID)
      hd_string_printf(out, "%s, ", e->name);
    hd_control_print_expression(out, e->a);
    if (e->b)
    {
      hd_string_add(out, ", ");
      hd_control_print_expression(out, e->b);
    }
    hd_string_add(out, ")");
    break;
  default:
    print_binary(out, e);
  }
}

/* ---- declarations ---- */

static void
print_command(hd_string *out, const hd_control_guarded *g)
{
  hd_string_add(out, "\n  WHEN(");
  hd_control_print_expression(out, g->guard);
  hd_string_add(out, ") DO(");
  for (size_t i = 0; i < g->n; i++)
  {
    const hd_control_assignment *a = &g->assignments[i];
    hd_string_printf(out, "%s%s %s ", i ? ", " : "", a->target.text, a->op == '=' ? "=" : a->op == '+' ? "+=" : "-=");
    hd_control_print_expression(out, a->value);
  }
  hd_string_add(out, ")");
}

static void
print_declaration(hd_string *out, const hd_control_declaration *d)
{
  static const char *const words[] = {"CONST",    "ASSUME",      "THREADS", "INT",  "BOOL",      "ENUM", "STATE",
                                      "BLOCKING", "NONBLOCKING", "EDGE",    "SPEC", "SPEC_FAIR", ""};
  hd_string_printf(out, "%s(", words[d->kind]);
  if (d->name.text)
    hd_string_add(out, d->name.text);
  if (d->name.text && d->expr)
    hd_string_add(out, ", ");
  if (d->expr)
    hd_control_print_expression(out, d->expr);
  if (d->relation)
    hd_string_printf(out, "%s %" PRId64, d->relation, d->number);
  if (d->kind == DECL_ENUM)
    hd_string_add(out, ", (");
  for (size_t i = 0; i < d->nnames; i++)
    hd_string_printf(out, "%s%s", i ? ", " : "", d->names[i].text);
  hd_string_add(out, d->kind == DECL_ENUM ? "))" : ")");
  for (size_t i = 0; i < d->ncommands; i++)
    print_command(out, &d->commands[i]);
  hd_string_add(out, d->ncommands ? "\nEND\n" : "\n");
}

void
hd_control_print_source(hd_string *out, const hd_control_source *s)
{
  hd_string_printf(out, "#ifndef HD_CONTROLLER_PASS\n#define HD_CONTROLLER %s\n", s->name);
  if (s->file)
    hd_string_printf(out, "#define HD_CONTROLLER_FILE \"%s\"\n", s->file);
  hd_string_add(out, "#include <heddle/controller.h>\n#else\n");
  for (size_t i = 0; i < s->n; i++)
    print_declaration(out, &s->items[i]);
  hd_string_add(out, "#endif\n");
}

void
hd_control_print(hd_string *out, const hd_controller *c)
{
  hd_control_print_source(out, c->source);
}

void
hd_control_print_value(hd_string *out, const hd_control_variable *variable, int64_t value)
{
  if (variable->type == HD_CONTROL_BOOL)
    hd_string_add(out, value ? "true" : "false");
  else if (variable->type == HD_CONTROL_ENUM && value >= 0 && (uint64_t) value < variable->nvalues)
    hd_string_add(out, variable->values[value]);
  else
    hd_string_printf(out, "%" PRId64, value);
}
