/* dot.c: drawings of the interface and of the graph of states, and their form in the language of dot. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "control/drawing.h"
#include "control/explore.h"

/* ---- what is drawn ---- */

static const char *
keep(hd_control_drawing *d, hd_string *s)
{
  char *text = memcpy(hd_arena_alloc(d->arena, s->length + 1), s->text ? s->text : "", s->length + 1);
  hd_string_free(s);
  return text;
}

static void
add_node(hd_control_drawing *d, const char *label, hd_control_look look)
{
  HD_PUSH(d->nodes, d->n, d->nodes_cap, (hd_control_node){label, look});
}

static void
add_arc(hd_control_drawing *d, size_t from, size_t to, const hd_control_action *action, bool dashed)
{
  HD_PUSH(d->arcs, d->narcs, d->arcs_cap,
          (hd_control_arc){(uint32_t) from, (uint32_t) to, action->name, dashed && !action->blocking});
}

static void
take_interface(hd_control_drawing *d, const hd_controller *c)
{
  d->interface = true;
  for (size_t i = 0; i < c->nstates; i++)
    add_node(d, c->states[i].name, i ? HD_CONTROL_LOOK_PLAIN : HD_CONTROL_LOOK_START);
  for (size_t i = 0; i < c->nedges; i++)
    add_arc(d, c->edges[i].from, c->edges[i].to, &c->actions[c->edges[i].action], true);
}

static const char *
state_label(hd_control_drawing *d, const hd_controller *c, const int32_t *values)
{
  hd_string s = {0};
  for (size_t v = 0; v < c->nvariables; v++)
  {
    hd_string_printf(&s, "%s%s = ", v ? "\n" : "", c->variables[v].name);
    hd_control_print_value(&s, &c->variables[v], values[v]);
  }
  for (size_t i = 0; i < c->nstates; i++)
    if (values[c->nvariables + i])
      hd_string_printf(&s, "%s%" PRId32 " %s", s.length ? "\n" : "", values[c->nvariables + i], c->states[i].name);
  return keep(d, &s);
}

static void
take_states(hd_control_drawing *d, hd_control_graph *g)
{
  for (size_t i = 0; i < g->n; i++)
  {
    hd_control_look look = i == 0 ? HD_CONTROL_LOOK_START : HD_CONTROL_LOOK_PLAIN;
    if (hd_control_graph_is_end(g, i))
      look = hd_control_graph_waits(g, i) ? HD_CONTROL_LOOK_DEADLOCK : HD_CONTROL_LOOK_FINISHED;
    else if (i >= g->expanded)
      look = HD_CONTROL_LOOK_OPEN;
    add_node(d, state_label(d, g->c, hd_control_graph_state(g, i)), look);
  }
  hd_control_graph_label(g);
  for (size_t i = 0; i < g->expanded; i++)
    for (size_t k = g->first[i]; k < g->first[i + 1]; k++)
      add_arc(d, i, g->targets[k], &g->c->actions[g->c->edges[g->edges[k]].action], false);
}

/* ---- in the language of dot ---- */

static void
print_dot(hd_string *out, const hd_control_drawing *d)
{
  static const char *const looks[] = {[HD_CONTROL_LOOK_PLAIN] = "",
                                      [HD_CONTROL_LOOK_START] = ", penwidth=2",
                                      [HD_CONTROL_LOOK_DEADLOCK] = ", color=red",
                                      [HD_CONTROL_LOOK_FINISHED] = ", peripheries=2",
                                      [HD_CONTROL_LOOK_OPEN] = ", style=dotted"};
  char letter = d->interface ? 's' : 'n';
  hd_string_printf(out, "digraph \"%s\" {\n%s", d->name,
                   d->interface ? "  rankdir=LR;\n  node [shape=ellipse];\n  start [shape=point];\n"
                                : "  node [shape=box];\n");
  for (size_t i = 0; i < d->n; i++)
  {
    hd_string_printf(out, "  %c%zu [label=\"", letter, i);
    for (const char *p = d->nodes[i].label; *p; p++)
      hd_string_add_n(out, *p == '\n' ? "\\n" : p, *p == '\n' ? 2 : 1);
    hd_string_printf(out, "\"%s];\n", d->interface ? "" : looks[d->nodes[i].look]);
  }
  if (d->interface)
    hd_string_add(out, "  start -> s0;\n");
  for (size_t i = 0; i < d->narcs; i++)
    /* A dashed edge is one on which a thread never waits. */
    hd_string_printf(out, "  %c%u -> %c%u [label=\"%s\"%s];\n", letter, d->arcs[i].from, letter, d->arcs[i].to,
                     d->arcs[i].label, d->arcs[i].dashed ? ", style=dashed" : "");
  hd_string_add(out, "}\n");
}

static void
print(hd_string *out, hd_control_drawing *d, hd_control_form form)
{
  if (form == HD_CONTROL_SVG)
    hd_control_drawing_svg(out, d);
  else
    print_dot(out, d);
  free(d->nodes);
  free(d->arcs);
}

void
hd_control_draw_interface(hd_string *out, const hd_controller *c, hd_control_form form)
{
  hd_control_drawing d = {.name = c->name};
  take_interface(&d, c);
  print(out, &d, form);
}

hd_verdict
hd_control_draw_states(hd_string *out, const hd_controller *c, const hd_control_play *play, hd_control_form form,
                       hd_string *error)
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
    hd_control_drawing d = {.arena = arena, .name = c->name};
    take_states(&d, g);
    print(out, &d, form);
    verdict = g->cut == HD_CONTROL_WHOLE ? HD_HOLDS : HD_INCOMPLETE;
    if (verdict == HD_INCOMPLETE)
      hd_string_printf(error, "only %zu states are drawn; --states draws more", g->n);
    hd_control_graph_free(g);
  }
  hd_arena_free(arena);
  return verdict;
}
