/* print.c: a small controller as text (little.h). */
#include "little/little.h"

static const char *
operator_text(char kind)
{
  switch (kind)
  {
  case 'l':
    return "<=";
  case 'g':
    return ">=";
  case '=':
    return "==";
  case '#':
    return "!=";
  case '&':
    return "&&";
  case '|':
    return "||";
  case '+':
    return "+";
  case '-':
    return "-";
  case '*':
    return "*";
  case '<':
    return "<";
  default:
    return ">";
  }
}

/* As C's table of precedence has it. */
static int
tightness(char kind)
{
  switch (kind)
  {
  case '?':
    return 1;
  case '|':
    return 2;
  case '&':
    return 3;
  case '=':
  case '#':
    return 4;
  case '<':
  case 'l':
  case '>':
  case 'g':
    return 5;
  case '+':
  case '-':
    return 6;
  case '*':
    return 7;
  case '~':
  case '!':
    return 8;
  default:
    return 9;
  }
}

typedef struct printer
{
  hd_string *out;
  uint64_t *random;
} printer;

/* Blanks, comments and ends of lines where C allows them. */
static void
gap(printer *p)
{
  static const char *const gaps[] = {"", " ", "  ", " /* , ) */ ", " // x (\n ", "\\\n", "\n", "", "", ""};
  hd_string_add(p->out, gaps[hd_random(p->random) % 10]);
}

static void print_expr(printer *p, const little_expr *e);

static void
print_inside(printer *p, const little_expr *e, int least)
{
  bool brackets = tightness(e->kind) < least || hd_random(p->random) % 8 == 0;
  if (brackets)
    hd_string_add(p->out, "(");
  print_expr(p, e);
  if (brackets)
    hd_string_add(p->out, ")");
}

static void
print_expr(printer *p, const little_expr *e)
{
  int own = tightness(e->kind);
  gap(p);
  switch (e->kind)
  {
  case 'n':
    hd_string_printf(p->out, "%d", e->number);
    break;
  case 'k':
    hd_string_add(p->out, e->number ? "m" : "k");
    break;
  case 'x':
    hd_string_add(p->out, "x");
    break;
  case 'v':
    hd_string_printf(p->out, "v%d", e->number);
    break;
  case 'e':
    hd_string_printf(p->out, "e%d", e->number);
    break;
  case 'c':
    hd_string_printf(p->out, "count(s%d)", e->number);
    break;
  case 't':
  case 'f':
    hd_string_add(p->out, e->kind == 't' ? "true" : "false");
    break;
  case '~':
  case '!':
    hd_string_add(p->out, e->kind == '~' ? "-" : "!");
    print_inside(p, e->a, 9);
    break;
  case '?':
    print_inside(p, e->a, 2);
    hd_string_add(p->out, " ? ");
    print_inside(p, e->b, 1);
    hd_string_add(p->out, " : ");
    print_inside(p, e->c, 1);
    break;
  case 'X':
  case 'F':
  case 'G':
    hd_string_printf(p->out, "A%c(", e->kind);
    print_expr(p, e->a);
    hd_string_add(p->out, ")");
    break;
  case 'U':
  case 'I':
    hd_string_add(p->out, e->kind == 'U' ? "AU(" : "IMPLIES(");
    print_expr(p, e->a);
    hd_string_add(p->out, ",");
    print_expr(p, e->b);
    hd_string_add(p->out, ")");
    break;
  default:
    /* A comparison of comparisons is legal between booleans, but only with brackets. */
    print_inside(p, e->a, own == 4 || own == 5 ? 6 : own);
    hd_string_printf(p->out, " %s ", operator_text(e->kind));
    print_inside(p, e->b, own == 4 || own == 5 ? 6 : own + 1);
  }
  gap(p);
}

static void
print_assignment(printer *p, const little_assignment *a)
{
  bool one = a->value->kind == 'n' && a->value->number == 1;
  if (a->op != '=' && one && hd_random(p->random) % 2)
  {
    bool before = hd_random(p->random) % 2;
    const char *text = a->op == '+' ? "++" : "--";
    hd_string_printf(p->out, "%sv%d%s", before ? text : "", a->variable, before ? "" : text);
    return;
  }
  hd_string_printf(p->out, "v%d %s ", a->variable, a->op == '=' ? "=" : a->op == '+' ? "+=" : "-=");
  print_expr(p, a->value);
}

/* Of k; by the number in little. */
static const char *const assumptions[LITTLE_ASSUMPTIONS]
    = {"k >= 0", "k >= 1", "true", "k >= 1 && k <= 2", "k >= 0 && k != 1"};

bool
little_assumed(const little *c)
{
  const bool k[LITTLE_ASSUMPTIONS] = {c->k >= 0, c->k >= 1, true, c->k >= 1 && c->k <= 2, c->k >= 0 && c->k != 1};
  return k[c->assumption] && (!c->two || c->m >= c->k);
}

void
little_print(hd_string *out, const little *c, uint64_t *random)
{
  printer p = {out, random};
  hd_string_add(out, "/* #else */\n#ifndef HD_CONTROLLER_PASS\n# define HD_CONTROLLER little\n"
                     "# define HD_CONTROLLER_FILE \"little.h\"\n# include <heddle/controller.h>\n#else // here\n");
  hd_string_printf(out, "CONST(k, %s)\n", assumptions[c->assumption]);
  if (c->two)
    hd_string_add(out, "CONST(m, true) ASSUME(m >= k)\n");
  if (c->least)
    hd_string_printf(out, "THREADS(>= %d)\n", c->least);
  for (int v = 0; v < LITTLE_VARIABLES; v++)
    if (c->type[v] == 'i')
      hd_string_printf(out, "INT(v%d, %s%d)\n", v, c->starts_at_k[v] ? "k + " : "", c->start[v]);
    else if (c->type[v] == 'b')
      hd_string_printf(out, "BOOL(v%d, %s)\n", v, c->start[v] ? "true" : "false");
    else
      hd_string_printf(out, "ENUM(v%d, e%d, (e0, e1, e2))\n", v, c->start[v]);
  for (int s = 0; s < LITTLE_STATES; s++)
    hd_string_printf(out, "STATE(s%d) ", s);
  for (int a = 0; a < LITTLE_ACTIONS; a++)
  {
    hd_string_printf(out, "\n%s(a%d)", c->actions[a].blocking ? "BLOCKING" : "NONBLOCKING", a);
    for (int k = 0; k < c->actions[a].n; k++)
    {
      const little_command *command = &c->actions[a].commands[k];
      hd_string_add(out, "\n  WHEN(");
      print_expr(&p, command->guard);
      hd_string_add(out, ") DO(");
      for (int i = 0; i < command->n; i++)
      {
        if (i)
          hd_string_add(out, hd_random(random) % 2 ? ", " : "; ");
        print_assignment(&p, &command->assignments[i]);
      }
      hd_string_add(out, ")");
    }
    hd_string_add(out, " END");
  }
  for (int e = 0; e < c->nedges; e++)
    hd_string_printf(out, "\nEDGE(s%d, a%d, s%d)", c->edges[e][0], c->edges[e][1], c->edges[e][2]);
  for (int s = 0; s < LITTLE_SPECS; s++)
  {
    hd_string_printf(out, "\nSPEC%s(p%d, %s", c->fair[s] ? "_FAIR" : "", s, c->rigid[s] ? "RIGID(x, " : "");
    print_expr(&p, c->specs[s]);
    hd_string_add(out, c->rigid[s] ? "))" : ")");
  }
  hd_string_add(out, "\n#endif\n");
}
