/* brute.c: walks through the states of a controller as the model of src/control defines them, one by one. */
#include <stdlib.h>
#include <string.h>

#include "generate/brute.h"

enum
{
  MOST_STATES = 1500
};

typedef struct walk
{
  brute_tally *t;
  const hd_generate_plan *p;
  const hd_controller *c;
  size_t width; /* of a state: a value for every dimension */
  int64_t *states;
  size_t n;
} walk;

static bool
add(walk *x, const int64_t *state)
{
  for (size_t i = 0; i < x->n; i++)
    if (memcmp(x->states + i * x->width, state, x->width * sizeof *state) == 0)
      return true;
  if (x->n == MOST_STATES)
    return false;
  memcpy(x->states + x->n++ * x->width, state, x->width * sizeof *state);
  return true;
}

static bool
open_at(const hd_controller *c, size_t action, const int64_t *state)
{
  for (size_t i = 0; i < c->actions[action].ncommands; i++)
    if (hd_control_contains(&c->actions[action].commands[i].guard, state))
      return true;
  return false;
}

static bool
called_at(const hd_controller *c, size_t action, const int64_t *state)
{
  for (size_t e = 0; e < c->nedges; e++)
    if (c->edges[e].action == action && state[hd_control_counter_dimension(c, c->edges[e].from)] > 0)
      return true;
  return false;
}

static void
compare(walk *x, size_t action, size_t command, const int64_t *before, const int64_t *after)
{
  const hd_generate_plan *p = x->p;
  for (size_t q = 0; q < p->nqueues; q++)
  {
    size_t b = p->queues[q].action;
    if (open_at(x->c, b, before) || !called_at(x->c, b, after))
      continue;
    bool open = open_at(x->c, b, after);
    bool wakes = hd_control_contains(&p->wakes[(p->first_command[action] + command) * p->nqueues + q].where, after);
    x->t->woken += open;
    x->t->forgotten += open && !wakes;
    x->t->needless += wakes && !open;
    if (open != wakes && (x->t->what[0] == '\0' || (open && x->t->forgotten == 1)))
      snprintf(x->t->what, sizeof x->t->what, "%s of %s, command %zu, %s %s", wakes ? "needless" : "forgotten",
               x->c->actions[action].name, command, wakes ? "wakes" : "should wake", x->c->actions[b].name);
  }
}

/* Take EDGE from STATE: *COMMAND is what was executed, or SIZE_MAX. False: not possible. */
static bool
step(const walk *x, size_t edge, const int64_t *state, int64_t *after, size_t *command)
{
  const hd_controller *c = x->c;
  const hd_control_edge *e = &c->edges[edge];
  const hd_control_action *a = &c->actions[e->action];
  if (state[hd_control_counter_dimension(c, e->from)] == 0)
    return false;
  memcpy(after, state, x->width * sizeof *state);
  *command = SIZE_MAX;
  for (size_t i = 0; i < a->ncommands && *command == SIZE_MAX; i++)
    if (hd_control_contains(&a->commands[i].guard, state))
      *command = i;
  if (*command == SIZE_MAX && a->blocking)
    return false;
  for (size_t k = 0; *command != SIZE_MAX && k < a->commands[*command].ncases; k++)
    if (hd_control_contains(&a->commands[*command].cases[k].when, state))
      for (size_t v = 0; v < c->nvariables; v++)
        after[hd_control_variable_dimension(c, v)]
            = (int64_t) hd_control_value(&a->commands[*command].cases[k].map[v], state);
  after[hd_control_counter_dimension(c, e->from)]--;
  after[hd_control_counter_dimension(c, e->to)]++;
  return true;
}

void
brute_try(brute_tally *t, const hd_generate_plan *p, int threads, const int64_t *constants)
{
  const hd_controller *c = p->c;
  walk x = {.t = t, .p = p, .c = c, .width = hd_control_dimensions(c)};
  x.states = calloc(MOST_STATES + 2, x.width * sizeof *x.states);
  int64_t *state = x.states + MOST_STATES * x.width, *after = state + x.width;
  memcpy(state, constants, c->nconstants * sizeof *state);
  for (size_t v = 0; v < c->nvariables; v++)
    state[hd_control_variable_dimension(c, v)] = (int64_t) hd_control_value(&c->variables[v].start, state);
  state[hd_control_counter_dimension(c, 0)] = threads;
  bool room = add(&x, state);
  for (size_t i = 0; i < x.n && room; i++)
    for (size_t e = 0; e < c->nedges && room; e++)
    {
      size_t command;
      if (!step(&x, e, x.states + i * x.width, after, &command))
        continue;
      if (command != SIZE_MAX)
        compare(&x, c->edges[e].action, command, x.states + i * x.width, after);
      room = add(&x, after);
    }
  t->states += x.n;
  free(x.states);
}
