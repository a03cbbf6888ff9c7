/* claims.c: notes, vacuity and ranges, against all states for a few threads (claims.h). */
#include <stdlib.h>
#include <string.h>

#include "little/claims.h"

static bool
same_place(hd_control_place a, hd_control_place b)
{
  return a.line == b.line && a.column == b.column;
}

/* Somewhere a thread calls action A and the first guard that holds satisfies: command K, or, NEVER_FALSE, one after it,
 * or, K below 0, any. */
static bool
happens(const little_graph *g, bool never_false, int a, int k)
{
  const little *c = g->c;
  for (int i = 0; i < g->n; i++)
    for (int t = 0; t < g->threads; t++)
      for (int e = 0; e < c->nedges; e++)
      {
        if (c->edges[e][0] != g->states[i].threads[t] || c->edges[e][1] != a)
          continue;
        int first = 0;
        while (first < c->actions[a].n && !little_true(c, c->actions[a].commands[first].guard, &g->states[i], 0, 0))
          first++;
        if (never_false ? first > k : k < 0 ? first < c->actions[a].n : first == k)
          return true;
      }
  return false;
}

static const char *
check_note(const little_graph *g, const hd_controller *m, const hd_control_note *note)
{
  bool never_false = strcmp(note->kind, "guard-never-false") == 0;
  for (int a = 0; a < LITTLE_ACTIONS; a++)
  {
    const hd_control_action *action = &m->actions[a];
    if (same_place(action->place, note->place) && strcmp(note->kind, "dead-action") == 0 && happens(g, false, a, -1))
      return "a dead action is executed";
    for (size_t k = 0; k < action->ncommands; k++)
      if (same_place(action->commands[k].place, note->place) && (never_false || strcmp(note->kind, "dead-command") == 0)
          && happens(g, never_false, a, (int) k))
        return never_false ? "a guard that is never false is false" : "a dead command is executed";
  }
  for (int s = 0; s < LITTLE_STATES && strcmp(note->kind, "unreachable-state") == 0; s++)
    for (int i = 0; i < g->n && same_place(m->states[s].place, note->place); i++)
      for (int t = 0; t < g->threads; t++)
        if (g->states[i].threads[t] == s)
          return "a state that nobody enters is entered";
  return NULL;
}

/* AG(IMPLIES(left, ...)) is called vacuous, and LEFT is true somewhere. */
static bool
happens_although_vacuous(const little_graph *g, const hd_controller *m, const hd_control_result *r, int spec)
{
  const little_expr *e = g->c->specs[spec];
  const hd_control_answer *a = &r->answers[spec];
  if (a->verdict != HD_HOLDS || !a->vacuous || g->c->rigid[spec] || e->kind != 'G' || e->a->kind != 'I'
      || m->specs[spec].formula->left->left != a->never)
    return false;
  for (int i = 0; i < g->n; i++)
    if (little_true(g->c, e->a->a, &g->states[i], g->threads, 0))
      return true;
  return false;
}

static long
value_of(const little_graph *g, const char *bound)
{
  return strcmp(bound, "threads") == 0 ? g->threads
         : strcmp(bound, "k") == 0     ? g->c->k
         : strcmp(bound, "m") == 0     ? g->c->m
                                       : strtol(bound, NULL, 10);
}

static bool
in_range(const little_graph *g, const hd_control_range *range, int variable)
{
  for (int i = 0; i < g->n; i++)
  {
    long value = g->states[i].variables[variable];
    if ((range->least && value < value_of(g, range->least)) || (range->most && value > value_of(g, range->most)))
      return false;
  }
  return true;
}

const char *
little_contradicts(const little_graph *g, const hd_controller *m, const hd_control_result *r)
{
  const char *wrong = NULL;
  for (size_t i = 0; i < r->nnotes && !wrong; i++)
    wrong = check_note(g, m, &r->notes[i]);
  for (int s = 0; s < LITTLE_SPECS && !wrong; s++)
    if (happens_although_vacuous(g, m, r, s))
      wrong = "what is vacuous happens";
  for (int v = 0; v < LITTLE_VARIABLES && !wrong && r->ranges; v++)
    if (!in_range(g, &r->ranges[v], v))
      wrong = "a variable leaves its range";
  return wrong;
}
