/* dot.c: the interface and the graph of states in the language of dot. */
#include <inttypes.h>
#include <stdlib.h>

#include "control/explore.h"

void
hd_control_interface_dot(hd_string *out, const hd_controller *c)
{
  hd_string_printf(out, "digraph \"%s\" {\n  rankdir=LR;\n  node [shape=ellipse];\n  start [shape=point];\n", c->name);
  for (size_t i = 0; i < c->nstates; i++)
    hd_string_printf(out, "  s%zu [label=\"%s\"];\n", i, c->states[i].name);
  hd_string_add(out, "  start -> s0;\n");
  for (size_t i = 0; i < c->nedges; i++)
  {
    const hd_control_edge *e = &c->edges[i];
    /* A dashed edge is one on which a thread never waits. */
    hd_string_printf(out, "  s%u -> s%u [label=\"%s\"%s];\n", e->from, e->to, c->actions[e->action].name,
                     c->actions[e->action].blocking ? "" : ", style=dashed");
  }
  hd_string_add(out, "}\n");
}

static void
state_label(hd_string *out, const hd_controller *c, const int32_t *values)
{
  for (size_t v = 0; v < c->nvariables; v++)
  {
    hd_string_printf(out, "%s%s = ", v ? "\\n" : "", c->variables[v].name);
    hd_control_print_value(out, &c->variables[v], values[v]);
  }
  for (size_t i = 0; i < c->nstates; i++)
    if (values[c->nvariables + i])
      hd_string_printf(out, "%s%" PRId32 " %s", i || c->nvariables ? "\\n" : "", values[c->nvariables + i],
                       c->states[i].name);
}

static void
draw(hd_string *out, hd_control_graph *g)
{
  const hd_controller *c = g->c;
  int32_t *after = hd_alloc_array(g->width, sizeof *after);
  hd_string_printf(out, "digraph \"%s\" {\n  node [shape=box];\n", c->name);
  for (size_t i = 0; i < g->n; i++)
  {
    hd_string_printf(out, "  n%zu [label=\"", i);
    state_label(out, c, hd_control_graph_state(g, i));
    const char *style = i == 0 ? ", penwidth=2" : "";
    if (hd_control_graph_is_end(g, i))
      style = hd_control_graph_waits(g, i) ? ", color=red" : ", peripheries=2";
    else if (i >= g->expanded)
      style = ", style=dotted";
    hd_string_printf(out, "\"%s];\n", style);
  }
  for (size_t i = 0; i < g->expanded; i++)
  {
    /* The steps in the order in which the search took them, so the targets match. */
    size_t at = g->first[i];
    hd_control_stepper_load(&g->stepper, hd_control_graph_state(g, i));
    for (size_t e = 0; e < c->nedges; e++)
    {
      int32_t command;
      if (hd_control_stepper_take(&g->stepper, e, &command, after))
        hd_string_printf(out, "  n%zu -> n%u [label=\"%s\"];\n", i, g->targets[at++],
                         c->actions[c->edges[e].action].name);
    }
  }
  hd_string_add(out, "}\n");
  free(after);
}

hd_verdict
hd_control_states_dot(hd_string *out, const hd_controller *c, const hd_control_play *play, hd_string *error)
{
  hd_arena *arena = hd_arena_new();
  const int64_t *const *instances;
  size_t n;
  hd_verdict verdict = HD_BAD_INPUT;
  if (play->threads > HD_CONTROL_MOST_THREADS)
    hd_string_printf(error, "at most %d threads can be drawn", HD_CONTROL_MOST_THREADS);
  else if (hd_control_instances(c, play->bindings, play->nbindings, arena, &instances, &n, error))
  {
    hd_control_graph *g = hd_control_graph_new(c, play->threads, instances[0], play->states, NULL, NULL, NULL, NULL);
    draw(out, g);
    verdict = g->cut == HD_CONTROL_WHOLE ? HD_HOLDS : HD_INCOMPLETE;
    if (verdict == HD_INCOMPLETE)
      hd_string_printf(error, "only %zu states are drawn; --states draws more", g->n);
    hd_control_graph_free(g);
  }
  hd_arena_free(arena);
  return verdict;
}
