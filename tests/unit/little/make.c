/* make.c: random small controllers and their text (little.h). */
#include <string.h>

#include "little/little.h"

typedef struct maker
{
  little *c;
  uint64_t *random;
  bool spec; /* count(state) may stand here */
  bool rigid;
} maker;

static int
pick(maker *m, int n)
{
  return (int) (hd_random(m->random) % (uint64_t) n);
}

static little_expr *
node(maker *m, char kind, int number, little_expr *a, little_expr *b)
{
  little_expr *e = hd_arena_alloc(m->c->arena, sizeof *e);
  *e = (little_expr){.kind = kind, .number = number, .a = a, .b = b};
  return e;
}

static little_expr *condition(maker *m, int depth);

static int
variable_of(maker *m, char type)
{
  for (int tries = 0; tries < 8; tries++)
  {
    int v = pick(m, LITTLE_VARIABLES);
    if (m->c->type[v] == type)
      return v;
  }
  return -1;
}

static little_expr *
three(maker *m, little_expr *a, little_expr *b, little_expr *c)
{
  little_expr *e = node(m, '?', 0, a, b);
  e->c = c;
  return e;
}

static little_expr *
number(maker *m, int depth)
{
  int v;
  switch (depth <= 0 ? pick(m, 4) : pick(m, 10))
  {
  case 0:
    return node(m, 'n', pick(m, 4), NULL, NULL);
  case 1:
    return m->rigid && pick(m, 2) ? node(m, 'x', 0, NULL, NULL) : node(m, 'k', 0, NULL, NULL);
  case 2:
    if (m->spec)
      return node(m, 'c', pick(m, LITTLE_STATES), NULL, NULL);
    /* fall through */
  case 3:
    v = variable_of(m, 'i');
    return node(m, 'v', v < 0 ? 0 : v, NULL, NULL);
  case 4:
    return node(m, '~', 0, number(m, depth - 1), NULL);
  case 5:
    return node(m, '*', 0, node(m, 'n', pick(m, 3), NULL, NULL), number(m, depth - 1));
  case 6:
    return three(m, condition(m, depth - 1), number(m, depth - 1), number(m, depth - 1));
  case 7:
    return node(m, '-', 0, number(m, depth - 1), number(m, depth - 1));
  default:
    return node(m, '+', 0, number(m, depth - 1), number(m, depth - 1));
  }
}

static little_expr *
comparison(maker *m, int depth)
{
  static const char relations[] = "<l>g=#";
  return node(m, relations[pick(m, 6)], 0, number(m, depth - 1), number(m, depth - 1));
}

static little_expr *
value_of_enum(maker *m, int depth)
{
  if (depth > 0 && pick(m, 4) == 0)
    return three(m, condition(m, depth - 1), value_of_enum(m, depth - 1), value_of_enum(m, depth - 1));
  return pick(m, 3) ? node(m, 'e', pick(m, 3), NULL, NULL) : node(m, 'v', 2, NULL, NULL);
}

static little_expr *
condition(maker *m, int depth)
{
  int v = variable_of(m, 'b');
  switch (depth <= 0 ? pick(m, 3) : pick(m, 11))
  {
  case 0:
    if (v >= 0)
      return node(m, 'v', v, NULL, NULL);
    return comparison(m, depth);
  case 1:
    if (m->c->type[2] == 'e')
      return node(m, pick(m, 2) ? '=' : '#', 0, node(m, 'v', 2, NULL, NULL), value_of_enum(m, depth));
    return comparison(m, depth);
  case 2:
    return pick(m, 6) ? comparison(m, depth) : node(m, pick(m, 2) ? 't' : 'f', 0, NULL, NULL);
  case 3:
    return node(m, '!', 0, condition(m, depth - 1), NULL);
  case 4:
  case 5:
    return node(m, '&', 0, condition(m, depth - 1), condition(m, depth - 1));
  case 6:
    return node(m, '|', 0, condition(m, depth - 1), condition(m, depth - 1));
  case 7:
    return node(m, pick(m, 2) ? '=' : '#', 0, condition(m, depth - 1), condition(m, depth - 1));
  case 8:
    return three(m, condition(m, depth - 1), condition(m, depth - 1), condition(m, depth - 1));
  default:
    return comparison(m, depth);
  }
}

static little_expr *
formula(maker *m, int depth)
{
  switch (depth <= 0 ? 0 : pick(m, 9))
  {
  case 0:
    return condition(m, 2);
  case 1:
    return node(m, 'X', 0, formula(m, depth - 1), NULL);
  case 2:
  case 3:
    return node(m, 'F', 0, formula(m, depth - 1), NULL);
  case 4:
    return node(m, 'G', 0, formula(m, depth - 1), NULL);
  case 5:
    return node(m, 'U', 0, formula(m, depth - 1), formula(m, depth - 1));
  case 6:
    return node(m, '&', 0, formula(m, depth - 1), formula(m, depth - 1));
  case 7:
    return node(m, '|', 0, formula(m, depth - 1), formula(m, depth - 1));
  default:
    return node(m, 'I', 0, condition(m, 2), formula(m, depth - 1));
  }
}

/* x > 3 ? 0 : x, or x < -3 ? 1 : x: keeps most controllers small. */
static little_assignment
clamp(maker *m, int v, bool above)
{
  little_expr *x = node(m, 'v', v, NULL, NULL), *three_ = node(m, 'n', 3, NULL, NULL);
  little_expr *limit = above ? three_ : node(m, '~', 0, three_, NULL);
  little_expr *value = three(m, node(m, above ? '>' : '<', 0, x, limit), node(m, 'n', !above, NULL, NULL), x);
  return (little_assignment){v, '=', value};
}

static void
make_command(maker *m, little_command *k)
{
  *k = (little_command){.guard = condition(m, 2)};
  int n = pick(m, 3);
  for (int i = 0; i < n; i++)
  {
    int v = pick(m, LITTLE_VARIABLES);
    char type = m->c->type[v], op = type == 'i' && pick(m, 2) ? (pick(m, 2) ? '+' : '-') : '=';
    little_expr *value = type == 'i'   ? number(m, op == '=' ? 2 : pick(m, 2))
                           : type == 'b' ? condition(m, 2)
                                       : value_of_enum(m, 2);
    k->assignments[k->n++] = (little_assignment){v, op, value};
    if (type == 'i' && k->n + 2 <= LITTLE_ASSIGNMENTS && pick(m, 8))
    {
      k->assignments[k->n++] = clamp(m, v, true);
      k->assignments[k->n++] = clamp(m, v, false);
    }
    if (k->n + 3 > LITTLE_ASSIGNMENTS)
      break;
  }
}

void
little_make(little *c, uint64_t *random)
{
  maker m = {.c = c, .random = random};
  *c = (little){.arena = hd_arena_new()};
  c->type[0] = 'i';
  c->type[1] = "ib"[pick(&m, 2)];
  c->type[2] = "be"[pick(&m, 2)];
  for (int v = 0; v < LITTLE_VARIABLES; v++)
    c->start[v] = c->type[v] == 'b' ? pick(&m, 2) : pick(&m, 3);
  c->k = pick(&m, 4);
  for (int a = 0; a < LITTLE_ACTIONS; a++)
  {
    c->actions[a].blocking = pick(&m, 3) > 0;
    c->actions[a].n = 1 + pick(&m, pick(&m, 2) ? LITTLE_COMMANDS : 1);
    for (int k = 0; k < c->actions[a].n; k++)
      make_command(&m, &c->actions[a].commands[k]);
  }
  int wanted = 3 + pick(&m, LITTLE_EDGES - 2);
  for (int i = 0; i < wanted; i++)
  {
    int edge[3] = {pick(&m, LITTLE_STATES), pick(&m, LITTLE_ACTIONS), pick(&m, LITTLE_STATES)};
    bool known = false;
    if (i == 0)
      edge[0] = 0;
    for (int k = 0; k < c->nedges; k++)
      known = known || memcmp(c->edges[k], edge, sizeof edge) == 0;
    if (!known)
      memcpy(c->edges[c->nedges++], edge, sizeof edge);
  }
  m.spec = true;
  for (int s = 0; s < LITTLE_SPECS; s++)
  {
    c->rigid[s] = m.rigid = s == 2 && pick(&m, 2);
    c->specs[s] = s == 0 ? node(&m, 'G', 0, condition(&m, 2), NULL) : formula(&m, 3);
  }
}

void
little_free(little *c)
{
  hd_arena_free(c->arena);
}

/* ---- text ---- */

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
    hd_string_add(p->out, "k");
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

void
little_print(hd_string *out, const little *c, uint64_t *random)
{
  printer p = {out, random};
  hd_string_add(out, "/* #else */\n#ifndef HD_CONTROLLER_PASS\n# define HD_CONTROLLER little\n"
                     "# define HD_CONTROLLER_FILE \"little.h\"\n# include <heddle/controller.h>\n#else // here\n"
                     "CONST(k, k >= 0)\n");
  for (int v = 0; v < LITTLE_VARIABLES; v++)
    if (c->type[v] == 'i')
      hd_string_printf(out, "INT(v%d, %d)\n", v, c->start[v]);
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
    hd_string_printf(out, "\nSPEC(p%d, %s", s, c->rigid[s] ? "RIGID(x, " : "");
    print_expr(&p, c->specs[s]);
    hd_string_add(out, c->rigid[s] ? "))" : ")");
  }
  hd_string_add(out, "\n#endif\n");
}
