/* make.c: random small controllers (little.h). */
#include <string.h>

#include "little/maker.h"

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
    return three(m, little_condition(m, depth - 1), number(m, depth - 1), number(m, depth - 1));
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
    return three(m, little_condition(m, depth - 1), value_of_enum(m, depth - 1), value_of_enum(m, depth - 1));
  return pick(m, 3) ? node(m, 'e', pick(m, 3), NULL, NULL) : node(m, 'v', 2, NULL, NULL);
}

little_expr *
little_condition(maker *m, int depth)
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
    return node(m, '!', 0, little_condition(m, depth - 1), NULL);
  case 4:
  case 5:
    return node(m, '&', 0, little_condition(m, depth - 1), little_condition(m, depth - 1));
  case 6:
    return node(m, '|', 0, little_condition(m, depth - 1), little_condition(m, depth - 1));
  case 7:
    return node(m, pick(m, 2) ? '=' : '#', 0, little_condition(m, depth - 1), little_condition(m, depth - 1));
  case 8:
    return three(m, little_condition(m, depth - 1), little_condition(m, depth - 1), little_condition(m, depth - 1));
  default:
    return comparison(m, depth);
  }
}

little_expr *
little_formula(maker *m, int depth)
{
  switch (depth <= 0 ? 0 : pick(m, 9))
  {
  case 0:
    return little_condition(m, 2);
  case 1:
    return node(m, 'X', 0, little_formula(m, depth - 1), NULL);
  case 2:
  case 3:
    return node(m, 'F', 0, little_formula(m, depth - 1), NULL);
  case 4:
    return node(m, 'G', 0, little_formula(m, depth - 1), NULL);
  case 5:
    return node(m, 'U', 0, little_formula(m, depth - 1), little_formula(m, depth - 1));
  case 6:
    return node(m, '&', 0, little_formula(m, depth - 1), little_formula(m, depth - 1));
  case 7:
    return node(m, '|', 0, little_formula(m, depth - 1), little_formula(m, depth - 1));
  default:
    return node(m, 'I', 0, little_condition(m, 2), little_formula(m, depth - 1));
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
  *k = (little_command){.guard = little_condition(m, 2)};
  int n = pick(m, 3);
  for (int i = 0; i < n; i++)
  {
    int v = pick(m, LITTLE_VARIABLES);
    char type = m->c->type[v], op = type == 'i' && pick(m, 2) ? (pick(m, 2) ? '+' : '-') : '=';
    little_expr *value = type == 'i'   ? number(m, op == '=' ? 2 : pick(m, 2))
                           : type == 'b' ? little_condition(m, 2)
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
    c->specs[s] = s == 0 ? node(&m, 'G', 0, little_condition(&m, 2), NULL) : little_formula(&m, 3);
  }
}

/* count(state) < n or count(state) > n */
static little_expr *
crowd(maker *m)
{
  little_expr *count = node(m, 'c', pick(m, LITTLE_STATES), NULL, NULL);
  return node(m, "<>"[pick(m, 2)], 0, count, node(m, 'n', pick(m, 3), NULL, NULL));
}

void
little_ask_for_progress(little *c, uint64_t *random)
{
  maker m = {.c = c, .random = random, .spec = true};
  for (int s = 1; s < LITTLE_SPECS; s++)
  {
    little_expr *goal = crowd(&m);
    if (pick(&m, 3) == 0)
      goal = node(&m, '&', 0, goal, little_condition(&m, 1));
    if (pick(&m, 4) == 0)
      goal = node(&m, 'F', 0, node(&m, "XG"[pick(&m, 2)], 0, goal, NULL), NULL);
    little_expr *e
        = pick(&m, 4) ? node(&m, 'F', 0, goal, NULL) : node(&m, 'U', 0, little_formula(&m, pick(&m, 2)), goal);
    if (pick(&m, 2))
      e = node(&m, 'G', 0, node(&m, 'I', 0, crowd(&m), e), NULL);
    c->specs[s] = e;
    c->rigid[s] = false;
  }
}

void
little_free(little *c)
{
  hd_arena_free(c->arena);
}
