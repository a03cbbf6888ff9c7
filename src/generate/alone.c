/* alone.c: what a thread finds that has the controller for itself.
 *
 * To load a word right after a locked instruction takes as long as a third of that instruction. A compare-and-swap that
 * guesses what is in the word needs no load, and a wrong guess learns what is there. So where it is plain what an
 * action finds as long as nobody else is there, its code guesses that.
 *
 * It is plain if a thread alone always comes back to where it began (else, as at a barrier, being alone is not what the
 * controller is for) and finds the variables the same whenever it can execute the action. This is looked at for small
 * constants alone: a guess needs no proof, for the code looks at what is there. */
#include <stdlib.h>
#include <string.h>

#include "control/explore.h"
#include "generate/plan.h"

enum
{
  STATES = 256, /* of one thread */
  STEPS = 8     /* of it to the action: they become code */
};

static bool
comes_back(hd_control_graph *g)
{
  hd_control_graph_reverse(g);
  bool *back = hd_alloc_zero(g->n * sizeof *back);
  uint32_t *todo = hd_alloc_array(g->n, sizeof *todo);
  size_t found = 1;
  todo[0] = 0;
  back[0] = true;
  for (size_t i = 0; i < found; i++)
    for (size_t k = g->before_first[todo[i]]; k < g->before_first[todo[i] + 1]; k++)
      if (!back[g->before[k]])
      {
        back[g->before[k]] = true;
        todo[found++] = g->before[k];
      }
  bool all = found == g->n;
  free(todo);
  free(back);
  return all;
}

/* The first state in which the thread can execute a command of ACTION; SIZE_MAX: there is none, or there is another one
 * in which the variables differ. */
static size_t
where(hd_control_graph *g, size_t action)
{
  const hd_controller *c = g->c;
  size_t first = SIZE_MAX;
  for (size_t i = 0; i < g->n; i++)
  {
    bool can = false;
    int32_t command;
    hd_control_stepper_load(&g->stepper, hd_control_graph_state(g, i));
    for (size_t e = 0; e < c->nedges && !can; e++)
      can = c->edges[e].action == action && hd_control_stepper_take(&g->stepper, e, &command, NULL) && command >= 0;
    if (!can)
      continue;
    if (first == SIZE_MAX)
      first = i;
    else if (memcmp(hd_control_graph_state(g, first), hd_control_graph_state(g, i), c->nvariables * sizeof(int32_t)))
      return SIZE_MAX;
  }
  return first;
}

static void
look(hd_generate_plan *p, hd_control_graph *g)
{
  for (size_t a = 0; a < p->c->nactions; a++)
  {
    hd_generate_alone *found = &p->alone[a];
    const size_t state = found->plain ? where(g, a) : SIZE_MAX;
    found->plain = state != SIZE_MAX;
    if (!found->plain)
      continue;
    const hd_control_trace t = hd_control_trace_to(g, state, p->arena);
    uint32_t *actions = hd_arena_alloc(p->arena, t.n * sizeof *actions);
    found->n = t.n - 1; /* the first step is the start */
    for (size_t i = 1; i < t.n; i++)
      actions[i - 1] = p->c->edges[t.steps[i].edge].action;
    found->actions = actions;
    found->plain = found->n <= STEPS;
  }
}

void
hd_generate_find_alone(hd_generate_plan *p)
{
  const int64_t *const *instances;
  size_t n = 0;
  hd_string error = {0};
  bool plain = hd_control_instances(p->c, NULL, 0, p->arena, &instances, &n, &error);
  hd_string_free(&error);
  for (size_t a = 0; a < p->c->nactions; a++)
    p->alone[a].plain = plain && n > 0;
  for (size_t i = 0; i < n && plain; i++)
  {
    hd_control_graph *g = hd_control_graph_new(p->c, 1, instances[i], STATES, NULL, p->arena, NULL, NULL);
    plain = g->cut == HD_CONTROL_WHOLE && comes_back(g);
    if (plain)
      look(p, g);
    hd_control_graph_free(g);
  }
  for (size_t a = 0; a < p->c->nactions && !plain; a++)
    p->alone[a].plain = false;
}
