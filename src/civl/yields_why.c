/* yields_why.c: where a yield is missing.
 *
 * A shortest path is looked for on which the automaton is stuck, whatever it chose: a walk over pairs of a node and the
 * set of states in which it can be there. There need not be one: where the choice depends on what comes later there is
 * no simulation, and yet no single path is to blame. Then there is only advice. */
#include <stdlib.h>

#include "civl/yields.h"

enum
{
  SETS = 8 /* of the states of an automaton with three */
};

typedef struct visited
{
  uint32_t before; /* a pair of a node and a set, 1 + its number; 0: nobody was here */
  size_t edge;     /* from there */
} visited;

typedef struct walk
{
  const yields_graph *g;
  const simulation_edge *automaton;
  size_t n_automaton;
  const uint32_t *allowed;
  size_t *edges_of; /* by node: its edges begin here and end where those of the next node begin */
  visited *pairs;   /* by node and set */
  uint32_t *queue;  /* pairs */
  size_t head, tail;
} walk;

/* The end of a path. */
typedef struct way
{
  const simulation_edge *stuck; /* that the automaton cannot follow */
  uint32_t pair;                /* before it */
} way;

/* Edges are in the order of the nodes that they leave. */
static void
find_edges(walk *w)
{
  const yields_graph *g = w->g;
  for (size_t i = 0, node = 0; node <= g->n_nodes; node++)
  {
    while (i < g->n_edges && g->edges[i].from < node)
      i++;
    w->edges_of[node] = i;
  }
}

static uint32_t
step(const walk *w, uint32_t set, const simulation_edge *e)
{
  uint32_t next = 0;
  for (size_t i = 0; i < w->n_automaton; i++)
    if (w->automaton[i].label == e->label && (set & STATE(w->automaton[i].from)))
      next |= STATE(w->automaton[i].to);
  return next & w->allowed[e->to];
}

static bool
search(walk *w, way *out)
{
  const yields_graph *g = w->g;
  uint32_t start = g->first[0] * SETS + w->allowed[g->first[0]];
  w->pairs[start].before = start + 1;
  w->queue[w->tail++] = start;
  while (w->head < w->tail)
  {
    uint32_t pair = w->queue[w->head++], node = pair / SETS;
    for (size_t k = w->edges_of[node]; k < w->edges_of[node + 1]; k++)
    {
      const simulation_edge *e = &g->edges[k];
      uint32_t set = step(w, pair % SETS, e), next = e->to * SETS + set;
      if (!set)
      {
        *out = (way){e, pair};
        return true;
      }
      if (w->pairs[next].before)
        continue;
      w->pairs[next] = (visited){pair + 1, k};
      w->queue[w->tail++] = next;
    }
  }
  return false;
}

/* The last edge before *PAIR on the way to it, or null at the beginning; *PAIR moves in front of it. */
static const simulation_edge *
back(const walk *w, uint32_t *pair)
{
  const visited *v = &w->pairs[*pair];
  if (v->before == *pair + 1)
    return NULL;
  *pair = v->before - 1;
  return &w->g->edges[v->edge];
}

/* TELL about a way on which the automaton is stuck, if there is one. */
static bool
with_way(const yields_graph *g, const simulation_edge *automaton, size_t n, const uint32_t *allowed,
         void (*tell)(const walk *w, const way *p))
{
  walk w = {.g = g, .automaton = automaton, .n_automaton = n, .allowed = allowed};
  w.edges_of = hd_alloc_array((size_t) g->n_nodes + 1, sizeof *w.edges_of);
  w.pairs = hd_alloc_zero((size_t) g->n_nodes * SETS * sizeof *w.pairs);
  w.queue = hd_alloc_array((size_t) g->n_nodes * SETS, sizeof *w.queue);
  find_edges(&w);
  way p;
  bool found = search(&w, &p);
  if (found)
    tell(&w, &p);
  free(w.edges_of);
  free(w.pairs);
  free(w.queue);
  return found;
}

/* ---- words ---- */

/* The command that begins at NODE, or null: a block begins or ends there. *BLOCK is where it is. */
static const hd_boogie_cmd *
command_at(const yields_graph *g, uint32_t node, const hd_boogie_block **block)
{
  size_t i = g->impl->blocks.n - 1;
  while (i > 0 && g->first[i] > node)
    i--;
  *block = g->impl->blocks.items[i];
  uint32_t k = node - g->first[i];
  return k >= 1 && k <= (*block)->cmds.n ? (*block)->cmds.items[k - 1] : NULL;
}

static hd_boogie_place
place_of(const yields_graph *g, uint32_t node)
{
  const hd_boogie_block *b;
  const hd_boogie_cmd *cmd = command_at(g, node, &b);
  return cmd ? cmd->at : b->at;
}

static const char *
name_of(const yields_graph *g, uint32_t node)
{
  const hd_boogie_block *b;
  const hd_boogie_cmd *cmd = command_at(g, node, &b);
  if (!cmd || cmd->kind == HD_BOOGIE_PAR)
    return "this parallel call";
  return cmd->proc ? hd_boogie_text(g->c->program, "the call of %s", cmd->proc->name) : "this";
}

static const char *
kind_of(uint8_t label)
{
  static const char *const kinds[]
      = {[B] = "a both mover", [L] = "a left mover", [R] = "a right mover", [A] = "no mover", [I] = "an introduction"};
  return kinds[label];
}

/* ---- bracket ---- */

static void
tell_bracket(const walk *w, const way *p)
{
  const yields_graph *g = w->g;
  const simulation_edge *e = p->stuck;
  uint32_t pair = p->pair;
  if (e->label != P && e->label != Y && (pair % SETS) == STATE(BEFORE))
  {
    hd_boogie_note_add(g->c->messages, place_of(g, e->from),
                       "%s uses shared variables, and there is no yield between the beginning of %s and it",
                       name_of(g, e->from), g->impl->name);
    return;
  }
  if (e->to == g->first[0])
  {
    hd_boogie_note_add(g->c->messages, place_of(g, g->first[0]),
                       "%s begins with the head of a loop: a yield is needed before the loop", g->impl->name);
    return;
  }
  const simulation_edge *b = e;
  while (b && (b->label == P || b->label == Y))
    b = back(w, &pair);
  if (b)
    hd_boogie_note_add(g->c->messages, place_of(g, b->from),
                       "%s uses shared variables, and there is no yield between it and the return of %s",
                       name_of(g, b->from), g->impl->name);
  else
    hd_boogie_note_add(g->c->messages, g->impl->at, "%s can return without having been at a yield", g->impl->name);
}

void
hd_civl_why_bracket(const yields_graph *g, const simulation_edge *automaton, size_t n, const uint32_t *allowed)
{
  if (!with_way(g, automaton, n, allowed, tell_bracket))
    hd_boogie_note_add(
        g->c->messages, g->impl->at,
        "one yield cannot be the last on one path and be followed by more on another: put a yield at the "
        "end of %s, even if it is never reached",
        g->impl->name);
}

/* ---- atomicity ---- */

static void
tell_atomicity(const walk *w, const way *p)
{
  const yields_graph *g = w->g;
  const simulation_edge *e = p->stuck, *b;
  uint32_t pair = p->pair;
  while ((b = back(w, &pair)) && b->label != L && b->label != A)
    ;
  if (!b)
    return;
  const char *before = name_of(g, b->from);
  if (e->label == P)
    hd_boogie_note_add(
        g->c->messages, place_of(g, e->to),
        "this loop need not end, and it begins after %s in line %u, which is %s, without a yield between "
        "them",
        before, place_of(g, b->from).line, kind_of(b->label));
  else
    hd_boogie_note_add(g->c->messages, place_of(g, e->from),
                       "%s is %s, and it comes after %s in line %u, which is %s, without a yield between them",
                       name_of(g, e->from), kind_of(e->label), before, place_of(g, b->from).line, kind_of(b->label));
}

void
hd_civl_why_atomicity(const yields_graph *g, const simulation_edge *automaton, size_t n, const uint32_t *allowed)
{
  with_way(g, automaton, n, allowed, tell_atomicity);
}
