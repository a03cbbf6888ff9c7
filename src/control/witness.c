/* witness.c: why a property does not hold: a path through the graph, as short as breadth-first search makes each part
 * of it, as steps of threads.
 *
 * AG needs a path to a bad state, AX one step; AF and AU a path that ends without what was promised, or goes round for
 * ever; under weak fairness round a loop that is fair. A formula with several reasons (an || of temporal formulas) is
 * shown by the first; the sentence at the end names the others. The path is turned into steps by executing it again
 * from the start, thread by thread: a trace that could not happen would stop here. */
#include <stdlib.h>
#include <string.h>

#include "control/explore.h"

enum
{
  LOOP_EFFORT = 1 << 24 /* steps of the search for a shortest loop; then any loop will do */
};

typedef struct path
{
  uint32_t *states; /* from the start */
  size_t n, cap;
  size_t *steps; /* of the loop, if it must be just these: numbers of targets; NULL: whichever lead there */
  hd_control_end end;
  size_t loop;
  hd_string reason;
} path;

typedef struct search
{
  hd_control_graph *g;
  const hd_control_judgement *j;
  path out;
  uint32_t *queue, *parent; /* of the last search; PARENT is UINT32_MAX where it has not been */
  size_t effort;
} search;

static const uint8_t *
set_of(const search *x, const hd_control_formula *f)
{
  return x->j->sets[f->number];
}

static uint32_t
last(const search *x)
{
  return x->out.states[x->out.n - 1];
}

/* ---- paths ---- */

typedef bool goal_test(const search *x, const hd_control_formula *f, uint32_t state);

/* Breadth-first from FROM through states that ALLOWED (or all, NULL) does not contain, to the first that passes TEST.
 * UINT32_MAX: there is none. Then x->parent leads back. With CYCLE the goal is FROM itself, after a step. */
static uint32_t
find(search *x, uint32_t from, const uint8_t *avoid, goal_test *test, const hd_control_formula *f, bool cycle)
{
  const hd_control_graph *g = x->g;
  size_t head = 0, n = 0;
  memset(x->parent, 0xff, g->n * sizeof *x->parent);
  x->parent[from] = from;
  x->queue[n++] = from;
  while (head < n)
  {
    uint32_t s = x->queue[head++];
    if (!cycle && test(x, f, s))
      return s;
    if (s >= g->expanded)
      continue;
    for (size_t k = g->first[s]; k < g->first[s + 1]; k++)
    {
      uint32_t t = g->targets[k];
      x->effort++;
      if (cycle && t == from)
        return s;
      if ((avoid && avoid[t]) || x->parent[t] != UINT32_MAX)
        continue;
      x->parent[t] = s;
      x->queue[n++] = t;
    }
  }
  return UINT32_MAX;
}

/* Steps from FROM to TO by x->parent. */
static size_t
length(const search *x, uint32_t from, uint32_t to)
{
  size_t n = 0;
  for (uint32_t s = to; s != from; s = x->parent[s])
    n++;
  return n;
}

/* Append what leads from FROM (which is the last state already) to TO. */
static void
append(search *x, uint32_t from, uint32_t to)
{
  size_t n = length(x, from, to);
  hd_grow(&x->out.states, &x->out.cap, x->out.n + n, sizeof *x->out.states);
  uint32_t s = to;
  for (size_t i = n; i-- > 0; s = x->parent[s])
    x->out.states[x->out.n + i] = s;
  x->out.n += n;
}

static void
push(search *x, uint32_t state)
{
  HD_PUSH(x->out.states, x->out.n, x->out.cap, state);
}

/* A state where FROM of a loop may be: with the shortest way there and round. All states outside AVOID that are no end
 * have a successor outside AVOID. */
static void
append_loop(search *x, const uint8_t *avoid, size_t shorter_than)
{
  const hd_control_graph *g = x->g;
  uint32_t start = last(x), best = UINT32_MAX;
  size_t least = shorter_than;
  /* The distance of every state, in the order of the search. */
  uint32_t *order = hd_alloc_array(g->n, sizeof *order), *distance = hd_alloc_array(g->n, sizeof *distance);
  size_t n = 0;
  memset(distance, 0xff, g->n * sizeof *distance);
  order[n++] = start;
  distance[start] = 0;
  for (size_t head = 0; head < n; head++)
  {
    uint32_t s = order[head];
    for (size_t k = s < g->expanded ? g->first[s] : 0; s < g->expanded && k < g->first[s + 1]; k++)
      if (!avoid[g->targets[k]] && distance[g->targets[k]] == UINT32_MAX)
      {
        distance[g->targets[k]] = distance[s] + 1;
        order[n++] = g->targets[k];
      }
  }
  x->effort = 0;
  for (size_t i = 0; i < n && distance[order[i]] + 1 < least && x->effort < LOOP_EFFORT; i++)
  {
    uint32_t end = find(x, order[i], avoid, NULL, NULL, true);
    if (end == UINT32_MAX)
      continue;
    size_t total = distance[order[i]] + length(x, order[i], end) + 1;
    if (total < least)
    {
      least = total;
      best = order[i];
    }
  }
  if (best != UINT32_MAX)
  {
    uint32_t entry = best;
    bool at_entry = entry == start;
    if (!at_entry)
    {
      /* The way to the entry: backwards over falling distances. */
      size_t steps = distance[entry], base = x->out.n;
      hd_grow(&x->out.states, &x->out.cap, base + steps, sizeof *x->out.states);
      uint32_t s = entry;
      for (size_t i = steps; i-- > 0;)
      {
        x->out.states[base + i] = s;
        uint32_t before = UINT32_MAX;
        for (size_t k = g->before_first[s]; k < g->before_first[s + 1] && before == UINT32_MAX; k++)
          if (distance[g->before[k]] != UINT32_MAX && distance[g->before[k]] + 1 == distance[s])
            before = g->before[k];
        s = before;
      }
      x->out.n += steps;
    }
    x->out.loop = x->out.n - 1;
    x->out.end = HD_CONTROL_END_LOOP;
    append(x, entry, find(x, entry, avoid, NULL, NULL, true));
    push(x, entry);
  }
  else if (shorter_than == SIZE_MAX)
  {
    /* Too large to look for the shortest: follow the first way until it repeats. */
    memset(distance, 0xff, g->n * sizeof *distance);
    for (uint32_t s = start; distance[s] == UINT32_MAX;)
    {
      distance[s] = (uint32_t) x->out.n - 1;
      size_t k = g->first[s];
      while (avoid[g->targets[k]])
        k++;
      s = g->targets[k];
      push(x, s);
    }
    x->out.end = HD_CONTROL_END_LOOP;
    x->out.loop = distance[last(x)];
  }
  free(order);
  free(distance);
}

/* The same under weak fairness, through states outside AVOID in which HOLD (or NULL) is true. The loop is as short as
 * the nearest tours make it. */
static void
append_fair_loop(search *x, const uint8_t *avoid, const uint8_t *hold, size_t shorter_than)
{
  hd_control_graph *g = x->g;
  uint32_t start = last(x), best = UINT32_MAX, *component = hd_alloc_array(g->n, sizeof *component);
  uint32_t *distance = hd_alloc_array(g->n, sizeof *distance);
  uint8_t *inside = hd_alloc_array(g->n, 1);
  size_t least = shorter_than, nsteps = 0, *steps = NULL, n = 0;
  for (size_t i = 0; i < g->n; i++)
    inside[i] = !avoid[i] && (!hold || hold[i]);
  hd_control_fair_parts(g, inside, component);
  memset(x->parent, 0xff, g->n * sizeof *x->parent);
  x->parent[start] = start;
  distance[start] = 0;
  if (inside[start])
    x->queue[n++] = start;
  x->effort = 0;
  for (size_t head = 0; head < n && distance[x->queue[head]] + 1 < least && (!steps || x->effort < LOOP_EFFORT); head++)
  {
    uint32_t s = x->queue[head];
    if (component[s])
    {
      size_t length, *tour = hd_control_fair_tour(g, component, s, &length);
      x->effort += g->n + length; /* each part of a tour may have looked at every state */
      bool shorter = distance[s] + length < least;
      if (shorter)
      {
        least = distance[s] + length;
        best = s;
        nsteps = length;
      }
      free(shorter ? steps : tour);
      steps = shorter ? tour : steps;
    }
    for (size_t k = s < g->expanded ? g->first[s] : 0; s < g->expanded && k < g->first[s + 1]; k++)
    {
      uint32_t t = g->targets[k];
      if (!inside[t] || x->parent[t] != UINT32_MAX)
        continue;
      x->parent[t] = s;
      distance[t] = distance[s] + 1;
      x->queue[n++] = t;
    }
  }
  if (best != UINT32_MAX)
  {
    append(x, start, best);
    x->out.loop = x->out.n - 1;
    x->out.end = HD_CONTROL_END_LOOP;
    x->out.steps = steps;
    for (size_t i = 0; i < nsteps; i++)
      push(x, g->targets[steps[i]]);
  }
  free(component);
  free(distance);
  free(inside);
}

/* ---- why ---- */

static bool
is_temporal(const hd_control_formula *f)
{
  return f->kind >= HD_CONTROL_AX || (f->left && is_temporal(f->left)) || (f->right && is_temporal(f->right));
}

static bool
test_outside(const search *x, const hd_control_formula *f, uint32_t state)
{
  return !set_of(x, f)[state];
}

static bool
test_end(const search *x, const hd_control_formula *f, uint32_t state)
{
  return hd_control_graph_is_end(x->g, state) || (f && !set_of(x, f)[state]);
}

static void explain(search *x, const hd_control_formula *f);

/* The rest of a path on which F->right (AU) or F->left (AF) never comes true. */
static void
explain_until(search *x, const hd_control_formula *f)
{
  const uint8_t *avoid = set_of(x, f);
  const hd_control_formula *hold = f->kind == HD_CONTROL_AU ? f->left : NULL;
  const hd_control_formula *come = f->kind == HD_CONTROL_AU ? f->right : f->left;
  uint32_t from = last(x), end = find(x, from, avoid, test_end, hold, false);
  size_t direct = end == UINT32_MAX ? SIZE_MAX : length(x, from, end), before = x->out.n;
  if (x->j->fair)
    append_fair_loop(x, avoid, hold ? set_of(x, hold) : NULL, direct);
  else
    append_loop(x, avoid, direct);
  if (x->out.n != before)
  {
    hd_string_printf(&x->out.reason, "'%s' never becomes true%s", come->text,
                     x->j->fair ? ", although every thread that can always go on does" : "");
    return;
  }
  end = find(x, from, avoid, test_end, hold, false);
  append(x, from, end);
  if (hold && !set_of(x, hold)[end])
  {
    x->out.end = HD_CONTROL_END_STATE;
    if (is_temporal(hold))
    {
      explain(x, hold);
      hd_string_printf(&x->out.reason, ", and '%s' has not come true before", come->text);
    }
    else
      hd_string_printf(&x->out.reason, "'%s' is false before '%s' has become true", hold->text, come->text);
    return;
  }
  x->out.end = hd_control_graph_waits(x->g, end) ? HD_CONTROL_END_DEADLOCK : HD_CONTROL_END_FINISHED;
  hd_string_printf(&x->out.reason, "'%s' never becomes true", come->text);
}

/* F does not hold in the last state of the path: go on with what shows it. */
static void
explain(search *x, const hd_control_formula *f)
{
  uint32_t s = last(x);
  HD_CHECK(!set_of(x, f)[s]);
  switch (f->kind)
  {
  case HD_CONTROL_PREDICATE:
    x->out.end = HD_CONTROL_END_STATE;
    hd_string_printf(&x->out.reason, "'%s' is false", f->text);
    break;
  case HD_CONTROL_AND:
    explain(x, set_of(x, f->left)[s] ? f->right : f->left);
    break;
  case HD_CONTROL_OR:
  {
    const hd_control_formula *one = is_temporal(f->left) || !is_temporal(f->right) ? f->left : f->right;
    const hd_control_formula *other = one == f->left ? f->right : f->left;
    if (!is_temporal(one))
    {
      x->out.end = HD_CONTROL_END_STATE;
      hd_string_printf(&x->out.reason, "'%s' is false", f->text);
      break;
    }
    size_t at = x->out.n - 1;
    explain(x, one);
    hd_string_printf(&x->out.reason, ", and '%s' does not hold after step %zu either", other->text, at);
    break;
  }
  case HD_CONTROL_IMPLIES:
    if (is_temporal(f->right))
      explain(x, f->right);
    else
    {
      x->out.end = HD_CONTROL_END_STATE;
      hd_string_printf(&x->out.reason, "'%s' is true and '%s' is false", f->left->text, f->right->text);
    }
    break;
  case HD_CONTROL_AX:
  {
    size_t k = x->g->first[s];
    while (set_of(x, f->left)[x->g->targets[k]])
      k++;
    push(x, x->g->targets[k]);
    explain(x, f->left);
    break;
  }
  case HD_CONTROL_AG:
    append(x, s, find(x, s, NULL, test_outside, f->left, false));
    explain(x, f->left);
    break;
  case HD_CONTROL_AF:
  case HD_CONTROL_AU:
    explain_until(x, f);
    break;
  }
}

/* ---- steps ---- */

/* The edge and command that lead from the state that is loaded to TARGET; ONLY: by this edge, SIZE_MAX: by the first.
 */
static void
find_step(hd_control_stepper *s, const int32_t *target, int32_t *scratch, size_t only, hd_control_step *out)
{
  size_t width = s->c->nvariables + s->c->nstates;
  for (size_t e = 0; e < s->c->nedges; e++)
  {
    int32_t command;
    if ((only == SIZE_MAX || e == only) && hd_control_stepper_take(s, e, &command, scratch)
        && memcmp(scratch, target, width * sizeof *scratch) == 0)
    {
      out->edge = (uint32_t) e;
      out->command = command;
      return;
    }
  }
  HD_CHECK(!"step of a trace");
}

/* Execute the path again from the start; every thread has an interface state of its own here. If the path has a loop
 * that must be fair, whoever has been in a state for longest leaves it first (fair.c). */
static hd_control_trace
make_trace(hd_control_graph *g, const path *p, hd_arena *arena)
{
  hd_control_step *steps = hd_arena_alloc(arena, p->n * sizeof *steps);
  uint32_t *at = hd_alloc_zero((g->threads + 1) * sizeof *at);     /* by thread: its interface state */
  size_t *since = hd_alloc_zero((g->threads + 1) * sizeof *since); /* and the step that led it there */
  int32_t *scratch = hd_alloc_array(g->width, sizeof *scratch);
  for (size_t i = 0; i < p->n; i++)
  {
    const int32_t *row = hd_control_graph_state(g, p->states[i]);
    int32_t *values = hd_arena_alloc(arena, g->width * sizeof *values);
    memcpy(values, row, g->width * sizeof *values);
    steps[i] = (hd_control_step){.values = values};
    if (i == 0)
      continue;
    hd_control_stepper_load(&g->stepper, steps[i - 1].values);
    size_t only = p->steps && i > p->loop ? g->edges[p->steps[i - p->loop - 1]] : SIZE_MAX;
    find_step(&g->stepper, row, scratch, only, &steps[i]);
    const hd_control_edge *e = &g->c->edges[steps[i].edge];
    size_t thread = g->threads;
    for (size_t k = 0; k < g->threads; k++)
      if (at[k] == e->from && (thread == g->threads || (p->steps && since[k] < since[thread])))
        thread = k;
    HD_CHECK(thread < g->threads);
    at[thread] = e->to;
    since[thread] = i;
    steps[i].thread = (uint32_t) thread + 1;
  }
  free(at);
  free(since);
  free(scratch);
  hd_control_trace t = {.n = p->n, .steps = steps, .end = p->end, .loop = p->loop};
  const char *reason = p->reason.text ? p->reason.text : "";
  t.reason = memcpy(hd_arena_alloc(arena, strlen(reason) + 1), reason, strlen(reason) + 1);
  return t;
}

static search
new_search(hd_control_graph *g, const hd_control_judgement *j)
{
  search x = {
      .g = g, .j = j, .queue = hd_alloc_array(g->n, sizeof *x.queue), .parent = hd_alloc_array(g->n, sizeof *x.parent)};
  push(&x, 0);
  return x;
}

static void
end_search(search *x)
{
  free(x->queue);
  free(x->parent);
  free(x->out.states);
  free(x->out.steps);
  hd_string_free(&x->out.reason);
}

hd_control_trace
hd_control_explain(const hd_control_judgement *j, hd_control_graph *g, hd_arena *arena)
{
  search x = new_search(g, j);
  explain(&x, j->spec->formula);
  hd_control_trace t = make_trace(g, &x.out, arena);
  end_search(&x);
  return t;
}

hd_control_trace
hd_control_trace_to(hd_control_graph *g, size_t state, hd_arena *arena)
{
  search x = new_search(g, NULL);
  /* States are numbered in the order of the search, so the first predecessor lies on a shortest path. */
  hd_control_graph_reverse(g);
  size_t n = 0;
  for (size_t s = state; s != 0; n++)
    s = g->before[g->before_first[s]];
  hd_grow(&x.out.states, &x.out.cap, n + 1, sizeof *x.out.states);
  x.out.n = n + 1;
  for (size_t s = state, i = n; i > 0; i--)
  {
    x.out.states[i] = (uint32_t) s;
    s = g->before[g->before_first[s]];
  }
  x.out.end = hd_control_graph_waits(g, state) ? HD_CONTROL_END_DEADLOCK : HD_CONTROL_END_FINISHED;
  hd_control_trace t = make_trace(g, &x.out, arena);
  end_search(&x);
  return t;
}
