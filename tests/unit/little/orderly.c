/* orderly.c: random small controllers like those that people write (little.h), and what they may have besides.
 *
 * Threads go from s0 to s1 and back, and to s2 and back, or round in a circle. Variable 0 counts, up or down, who is in
 * s1; variable 1 counts who is in s2, or says that somebody is; variable 2 is a switch. Every part may be wrong by a
 * little: these are the controllers for which both verdicts are likely. */
#include <string.h>

#include "little/maker.h"

static little_expr *
leaf(maker *m, char kind, int number)
{
  return node(m, kind, number, NULL, NULL);
}

static little_expr *
compare(maker *m, int variable, char relation, little_expr *with)
{
  return node(m, relation, 0, leaf(m, 'v', variable), with);
}

static little_expr *
truth(maker *m)
{
  return leaf(m, 't', 0);
}

/* Nobody is in s2, or few are. */
static little_expr *
nobody(maker *m)
{
  if (m->c->type[1] == 'b')
    return node(m, '!', 0, leaf(m, 'v', 1), NULL);
  return pick(m, 3) ? compare(m, 1, '=', leaf(m, 'n', 0)) : compare(m, 1, '<', leaf(m, pick(m, 2) ? 'k' : 'n', 0));
}

static little_expr *
room(maker *m, bool down)
{
  if (down)
    return compare(m, 0, '>', leaf(m, 'n', pick(m, 8) == 0));
  return pick(m, 4) ? compare(m, 0, pick(m, 6) ? '<' : 'l', pick(m, 3) ? leaf(m, 'k', 0) : leaf(m, 'n', 2)) : truth(m);
}

static little_expr *
both(maker *m, little_expr *a, little_expr *b)
{
  return a->kind == 't' ? b : b->kind == 't' ? a : node(m, '&', 0, a, b);
}

static little_assignment
add(maker *m, int variable, bool plus, int by)
{
  return (little_assignment){variable, plus ? '+' : '-', leaf(m, 'n', by)};
}

static little_assignment
set(maker *m, int variable, bool value)
{
  return (little_assignment){variable, '=', leaf(m, value ? 't' : 'f', 0)};
}

/* The switch says something, or there is nothing to say. */
static little_expr *
phase(maker *m)
{
  if (pick(m, 4))
    return truth(m);
  return m->c->type[2] == 'b' ? leaf(m, 'v', 2) : compare(m, 2, "=#"[pick(m, 2)], leaf(m, 'e', pick(m, 3)));
}

static void
turn(maker *m, little_command *k)
{
  if (pick(m, 3) || k->n == LITTLE_ASSIGNMENTS)
    return;
  little_expr *value = m->c->type[2] == 'b'
                           ? (pick(m, 2) ? node(m, '!', 0, leaf(m, 'v', 2), NULL) : leaf(m, "tf"[pick(m, 2)], 0))
                           : leaf(m, 'e', pick(m, 3));
  k->assignments[k->n++] = (little_assignment){2, '=', value};
}

/* Somebody enters or leaves s1 (0, 1), or s2 (2, 3). */
static void
make_action(maker *m, int a, bool down, int by)
{
  little_action *action = &m->c->actions[a];
  little_command *k = &action->commands[0];
  bool enters = a % 2 == 0;
  action->blocking = enters ? pick(m, 8) > 0 : pick(m, 6) == 0;
  action->n = 1;
  *k = (little_command){.guard = truth(m)};
  if (a < 2)
    k->assignments[k->n++] = add(m, 0, enters != down, by);
  else if (m->c->type[1] == 'b')
    k->assignments[k->n++] = set(m, 1, enters);
  else
    k->assignments[k->n++] = add(m, 1, enters, 1);
  if (enters && a == 0)
    k->guard = both(m, room(m, down), pick(m, 2) ? nobody(m) : truth(m));
  else if (enters)
    k->guard = both(m, pick(m, 5) ? nobody(m) : truth(m),
                    pick(m, 2) && !down ? compare(m, 0, '=', leaf(m, 'n', 0)) : truth(m));
  k->guard = both(m, k->guard, phase(m));
  turn(m, k);
  if (pick(m, 6) == 0)
  {
    action->commands[1] = *k;
    action->commands[1].guard = little_condition(m, 1);
    action->n = 2;
    turn(m, &action->commands[1]);
  }
  if (pick(m, 12) == 0)
    k->guard = little_condition(m, 1);
}

/* ---- properties ---- */

static little_expr *
somebody(maker *m)
{
  return m->c->type[1] == 'b' ? leaf(m, 'v', 1) : compare(m, 1, '>', leaf(m, 'n', 0));
}

static little_expr *
fact(maker *m, bool down)
{
  little_expr *in = leaf(m, 'c', 1), *other = leaf(m, 'c', 2);
  switch (pick(m, 7))
  {
  case 0:
    return down ? node(m, '=', 0, node(m, '+', 0, leaf(m, 'v', 0), in), leaf(m, 'k', 0)) : compare(m, 0, '=', in);
  case 1:
    return compare(m, 0, 'l', pick(m, 3) ? leaf(m, 'k', 0) : leaf(m, 'n', 2 * pick(m, 2)));
  case 2:
    return compare(m, 0, 'g', leaf(m, 'n', 0));
  case 3:
    return node(m, 'l', 0, pick(m, 2) ? in : other, leaf(m, 'n', 1));
  case 4:
    return node(m, '|', 0, nobody(m), node(m, '=', 0, in, leaf(m, 'n', 0)));
  case 5:
    return node(m, '|', 0, node(m, '!', 0, somebody(m), NULL), node(m, '>', 0, other, leaf(m, 'n', 0)));
  default:
    return little_condition(m, 1);
  }
}

/* What lasts for a while. */
static little_expr *
busy(maker *m)
{
  switch (pick(m, 4))
  {
  case 0:
    return compare(m, 0, '=', leaf(m, pick(m, 2) ? 'k' : 'n', 0));
  case 1:
    return compare(m, 0, '>', leaf(m, 'n', 0));
  case 2:
    return node(m, '>', 0, leaf(m, 'c', 1 + pick(m, 2)), leaf(m, 'n', 0));
  default:
    return somebody(m);
  }
}

static little_expr *
liveness(maker *m)
{
  little_expr *p = busy(m), *ends = node(m, '!', 0, p, NULL);
  little_expr *e = pick(m, 4) ? node(m, 'F', 0, ends, NULL) : node(m, 'U', 0, fact(m, false), ends);
  if (pick(m, 5) == 0)
    e = node(m, "&|"[pick(m, 2)], 0, e, little_formula(m, 1));
  return pick(m, 6) ? node(m, 'G', 0, node(m, 'I', 0, p, e), NULL) : e;
}

/* While something is so, the variable stays, or changes by one. */
static little_expr *
step(maker *m)
{
  little_expr *same = compare(m, 0, '=', leaf(m, 'x', 0));
  little_expr *bound = node(m, "-+"[pick(m, 2)], 0, leaf(m, 'x', 0), leaf(m, 'n', pick(m, 2)));
  little_expr *next = node(m, 'X', 0, compare(m, 0, "=gl"[pick(m, 3)], bound), NULL);
  return node(m, 'G', 0, node(m, 'I', 0, pick(m, 2) ? node(m, '&', 0, same, busy(m)) : same, next), NULL);
}

void
little_make_orderly(little *c, uint64_t *random)
{
  static const int apart[4][3] = {{0, 0, 1}, {1, 1, 0}, {0, 2, 2}, {2, 3, 0}};
  static const int round[4][3] = {{0, 0, 1}, {1, 2, 2}, {2, 3, 0}, {1, 1, 0}};
  maker m = {.c = c, .random = random};
  *c = (little){.arena = hd_arena_new(), .type = {'i', "ib"[pick(&m, 2)], "be"[pick(&m, 2)]}, .nedges = 4};
  bool down = pick(&m, 3) == 0;
  int by = pick(&m, 6) ? 1 : 2;
  c->starts_at_k[0] = down;
  for (int a = 0; a < LITTLE_ACTIONS; a++)
    make_action(&m, a, down, by);
  memcpy(c->edges, pick(&m, 3) ? apart : round, sizeof apart);
  if (pick(&m, 5) == 0)
  {
    int edge[3] = {pick(&m, LITTLE_STATES), pick(&m, LITTLE_ACTIONS), pick(&m, LITTLE_STATES)};
    bool known = false;
    for (int k = 0; k < c->nedges; k++)
      known = known || memcmp(c->edges[k], edge, sizeof edge) == 0;
    if (!known)
      memcpy(c->edges[c->nedges++], edge, sizeof edge);
  }
  m.spec = true;
  c->specs[0] = node(&m, 'G', 0, fact(&m, down), NULL);
  c->specs[1] = liveness(&m);
  c->rigid[2] = m.rigid = pick(&m, 2);
  c->specs[2] = m.rigid ? step(&m) : little_formula(&m, 2);
}

/* Some of the ks in E become ms. */
static void
replace(maker *m, little_expr *e)
{
  if (!e)
    return;
  if (e->kind == 'k')
    e->number = pick(m, 2);
  replace(m, e->a);
  replace(m, e->b);
  replace(m, e->c);
}

void
little_vary(little *c, uint64_t *random)
{
  maker m = {.c = c, .random = random};
  c->assumption = pick(&m, 2) ? 1 : pick(&m, LITTLE_ASSUMPTIONS);
  c->two = pick(&m, 4) == 0;
  c->least = pick(&m, 3) ? 0 : pick(&m, 3);
  if (pick(&m, 6) == 0)
    c->starts_at_k[0] = true;
  for (int s = 1; s < LITTLE_SPECS; s++)
    c->fair[s] = pick(&m, 4) == 0;
  if (!c->two)
    return;
  for (int a = 0; a < LITTLE_ACTIONS; a++)
    for (int k = 0; k < c->actions[a].n; k++)
    {
      replace(&m, c->actions[a].commands[k].guard);
      for (int i = 0; i < c->actions[a].commands[k].n; i++)
        replace(&m, c->actions[a].commands[k].assignments[i].value);
    }
  for (int s = 0; s < LITTLE_SPECS; s++)
    replace(&m, c->specs[s]);
}
