/* explore.c: the steps of a controller, and breadth-first search for all its states. */
#include <stdlib.h>
#include <string.h>

#include "control/explore.h"

/* ---- steps ---- */

void
hd_control_stepper_init(hd_control_stepper *s, const hd_controller *c, const int64_t *constants)
{
  *s = (hd_control_stepper){.c = c,
                            .point = hd_alloc_array(hd_control_dimensions(c) + 1, sizeof *s->point),
                            .chosen = hd_alloc_array(c->nactions + 1, sizeof *s->chosen),
                            .after = hd_alloc_array(c->nactions * c->nvariables + 1, sizeof *s->after)};
  memset(s->point, 0, (hd_control_dimensions(c) + 1) * sizeof *s->point);
  for (size_t i = 0; i < c->nconstants; i++)
    s->point[i] = constants[i];
}

void
hd_control_stepper_free(hd_control_stepper *s)
{
  free(s->point);
  free(s->chosen);
  free(s->after);
}

static bool
fits(__int128 value)
{
  return value >= INT32_MIN && value <= INT32_MAX;
}

void
hd_control_stepper_start(const hd_control_stepper *s, uint64_t threads, int32_t *state, bool *inside)
{
  *inside = true;
  for (size_t v = 0; v < s->c->nvariables; v++)
  {
    __int128 value = hd_control_value(&s->c->variables[v].start, s->point);
    *inside = *inside && fits(value);
    state[v] = fits(value) ? (int32_t) value : 0;
  }
  memset(state + s->c->nvariables, 0, s->c->nstates * sizeof *state);
  state[s->c->nvariables] = (int32_t) threads;
}

void
hd_control_stepper_load(hd_control_stepper *s, const int32_t *state)
{
  size_t n = s->c->nvariables + s->c->nstates;
  for (size_t i = 0; i < n; i++)
    s->point[s->c->nconstants + i] = state[i];
  for (size_t a = 0; a < s->c->nactions; a++)
    s->chosen[a] = HD_CONTROL_UNASKED;
}

bool
hd_control_stepper_execute(hd_control_stepper *s, size_t action, size_t command, int32_t *after)
{
  const hd_control_command *k = &s->c->actions[action].commands[command];
  const hd_control_case *one = NULL;
  for (size_t i = 0; i < k->ncases && !one; i++)
    if (hd_control_contains(&k->cases[i].when, s->point))
      one = &k->cases[i];
  HD_CHECK(one); /* the cases of an update leave nothing out */
  for (size_t v = 0; v < s->c->nvariables; v++)
  {
    __int128 value = hd_control_value(&one->map[v], s->point);
    if (!fits(value))
    {
      s->outside = v;
      return false;
    }
    after[v] = (int32_t) value;
  }
  return true;
}

int32_t
hd_control_stepper_ask(hd_control_stepper *s, size_t action)
{
  if (s->chosen[action] != HD_CONTROL_UNASKED)
    return s->chosen[action];
  const hd_control_action *a = &s->c->actions[action];
  int32_t *after = s->after + action * s->c->nvariables, chosen = a->blocking ? HD_CONTROL_WAITS : HD_CONTROL_IDLES;
  for (size_t k = 0; k < a->ncommands; k++)
    if (hd_control_contains(&a->commands[k].guard, s->point))
    {
      chosen = hd_control_stepper_execute(s, action, k, after) ? (int32_t) k : HD_CONTROL_OUTSIDE;
      break;
    }
  if (chosen == HD_CONTROL_IDLES)
    for (size_t v = 0; v < s->c->nvariables; v++)
      after[v] = (int32_t) s->point[hd_control_variable_dimension(s->c, v)];
  return s->chosen[action] = chosen;
}

bool
hd_control_stepper_take(hd_control_stepper *s, size_t edge, int32_t *command, int32_t *after)
{
  const hd_control_edge *e = &s->c->edges[edge];
  if (!hd_control_stepper_occupied(s, e->from))
    return false;
  *command = hd_control_stepper_ask(s, e->action);
  if (*command < HD_CONTROL_IDLES)
    return false;
  if (!after)
    return true;
  size_t n = s->c->nvariables;
  if (n)
    memcpy(after, s->after + e->action * n, n * sizeof *after);
  for (size_t i = 0; i < s->c->nstates; i++)
    after[n + i] = (int32_t) s->point[hd_control_counter_dimension(s->c, i)];
  after[n + e->from]--;
  after[n + e->to]++;
  return true;
}

/* ---- what has been seen ---- */

static void *
zeroed(hd_arena *arena, size_t n, size_t size)
{
  return memset(hd_arena_alloc(arena, (n + 1) * size), 0, (n + 1) * size);
}

void
hd_control_seen_init(hd_control_seen *seen, const hd_controller *c, hd_arena *arena)
{
  *seen = (hd_control_seen){.states = zeroed(arena, c->nstates, sizeof(bool)),
                            .callable = zeroed(arena, c->nactions, sizeof(bool)),
                            .fired = zeroed(arena, c->nactions, sizeof(bool *)),
                            .was_false = zeroed(arena, c->nactions, sizeof(bool *)),
                            .overlap = zeroed(arena, c->nactions, sizeof(char *)),
                            .overlap_at = zeroed(arena, c->nactions, sizeof(size_t))};
  for (size_t a = 0; a < c->nactions; a++)
  {
    seen->fired[a] = zeroed(arena, c->actions[a].ncommands, sizeof(bool));
    seen->was_false[a] = zeroed(arena, c->actions[a].ncommands, sizeof(bool));
  }
}

/* Does a command after CHOSEN hold too, and would it do something else? A last WHEN(true) means "else", and is none. */
static void
look_for_overlap(hd_control_seen *seen, hd_control_stepper *s, size_t action, size_t chosen, hd_arena *arena)
{
  const hd_control_action *a = &s->c->actions[action];
  size_t n = s->c->nvariables;
  if (seen->overlap[action])
    return;
  for (size_t k = chosen + 1; k < a->ncommands; k++)
  {
    bool otherwise = k + 1 == a->ncommands && strcmp(a->commands[k].guard_text, "true") == 0;
    if (otherwise || !hd_control_contains(&a->commands[k].guard, s->point))
      continue;
    int32_t *other = hd_alloc_array(n + 1, sizeof *other);
    bool differs = !hd_control_stepper_execute(s, action, k, other)
                   || (n && memcmp(other, s->after + action * n, n * sizeof *other) != 0);
    free(other);
    if (!differs)
      continue;
    hd_string text = {0};
    hd_string_printf(&text, "this guard and the one of line %u both hold", a->commands[chosen].place.line);
    for (size_t v = 0; v < n; v++)
    {
      hd_string_printf(&text, "%s%s = ", v ? ", " : " when ", s->c->variables[v].name);
      hd_control_print_value(&text, &s->c->variables[v], s->point[hd_control_variable_dimension(s->c, v)]);
    }
    hd_string_add(&text, ", and their updates differ; the code takes the first");
    seen->overlap[action] = memcpy(hd_arena_alloc(arena, text.length + 1), text.text, text.length + 1);
    seen->overlap_at[action] = k;
    hd_string_free(&text);
    return;
  }
}

void
hd_control_seen_look(hd_control_seen *seen, hd_control_stepper *s, hd_arena *arena)
{
  const hd_controller *c = s->c;
  for (size_t i = 0; i < c->nstates; i++)
    seen->states[i] = seen->states[i] || hd_control_stepper_occupied(s, i);
  for (size_t i = 0; i < c->nedges; i++)
  {
    size_t action = c->edges[i].action;
    if (!hd_control_stepper_occupied(s, c->edges[i].from))
      continue;
    int32_t chosen = hd_control_stepper_ask(s, action);
    if (chosen == HD_CONTROL_OUTSIDE)
      continue;
    size_t asked = chosen >= 0 ? (size_t) chosen : c->actions[action].ncommands;
    seen->callable[action] = true;
    for (size_t k = 0; k < asked; k++)
      seen->was_false[action][k] = true;
    if (chosen >= 0)
    {
      seen->fired[action][chosen] = true;
      look_for_overlap(seen, s, action, (size_t) chosen, arena);
    }
  }
}

/* ---- the graph ---- */

static void
grow_table(hd_control_graph *g)
{
  size_t size = g->table_size ? g->table_size * 2 : 1024;
  uint32_t *table = hd_alloc_zero(size * sizeof *table);
  for (size_t i = 0; i < g->n; i++)
  {
    size_t at = hd_hash_bytes(hd_control_graph_state(g, i), g->width * sizeof *g->data) & (size - 1);
    while (table[at])
      at = (at + 1) & (size - 1);
    table[at] = (uint32_t) i + 1;
  }
  free(g->table);
  g->table = table;
  g->table_size = size;
}

/* The number of STATE, which is added if it is new and there is room for it; UINT32_MAX: there is none. */
static uint32_t
number_of(hd_control_graph *g, const int32_t *state, uint64_t bound)
{
  if (g->n * 2 >= g->table_size)
    grow_table(g);
  size_t bytes = g->width * sizeof *state, at = hd_hash_bytes(state, bytes) & (g->table_size - 1);
  for (; g->table[at]; at = (at + 1) & (g->table_size - 1))
    if (memcmp(hd_control_graph_state(g, g->table[at] - 1), state, bytes) == 0)
      return g->table[at] - 1;
  if (g->n >= bound)
    return UINT32_MAX;
  hd_grow(&g->data, &g->data_cap, (g->n + 1) * g->width, sizeof *g->data);
  memcpy(g->data + g->n * g->width, state, bytes);
  g->table[at] = (uint32_t) ++g->n;
  return (uint32_t) g->n - 1;
}

/* All successors of the state that comes next; false: the search is cut here. */
static bool
expand(hd_control_graph *g, uint64_t bound, int32_t *after, hd_control_seen *seen, hd_arena *arena)
{
  hd_control_stepper *s = &g->stepper;
  size_t begin = g->ntargets;
  hd_control_stepper_load(s, hd_control_graph_state(g, g->expanded));
  if (seen)
    hd_control_seen_look(seen, s, arena);
  for (size_t e = 0; e < g->c->nedges; e++)
  {
    int32_t command;
    if (!hd_control_stepper_take(s, e, &command, after))
    {
      if (hd_control_stepper_occupied(s, g->c->edges[e].from) && s->chosen[g->c->edges[e].action] == HD_CONTROL_OUTSIDE)
      {
        g->cut = HD_CONTROL_CUT_RANGE;
        g->ntargets = begin;
        return false;
      }
      continue;
    }
    uint32_t target = number_of(g, after, bound);
    if (target == UINT32_MAX)
    {
      g->cut = HD_CONTROL_CUT_STATES;
      g->ntargets = begin;
      return false;
    }
    HD_PUSH(g->targets, g->ntargets, g->targets_cap, target);
  }
  g->expanded++;
  hd_grow(&g->first, &g->first_cap, g->expanded + 1, sizeof *g->first);
  g->first[g->expanded] = g->ntargets;
  return true;
}

hd_control_graph *
hd_control_graph_new(const hd_controller *c, uint64_t threads, const int64_t *constants, uint64_t bound,
                     hd_control_seen *seen, hd_arena *arena, hd_control_progress *progress, void *context)
{
  hd_control_graph *g = hd_alloc_zero(sizeof *g);
  *g = (hd_control_graph){.c = c, .threads = threads, .constants = constants, .width = c->nvariables + c->nstates};
  bound = bound < UINT32_MAX - 1 ? bound : UINT32_MAX - 1;
  hd_control_stepper_init(&g->stepper, c, constants);
  int32_t *after = hd_alloc_array(g->width + 1, sizeof *after);
  bool inside;
  hd_control_stepper_start(&g->stepper, threads, after, &inside);
  number_of(g, after, bound ? bound : 1);
  hd_grow(&g->first, &g->first_cap, 1, sizeof *g->first);
  g->first[0] = 0;
  if (!inside)
    g->cut = HD_CONTROL_CUT_RANGE;
  while (inside && g->expanded < g->n && expand(g, bound ? bound : 1, after, seen, arena))
    if (progress && g->expanded % 4096 == 0)
      progress(context, threads, g->n);
  free(after);
  return g;
}

void
hd_control_graph_free(hd_control_graph *g)
{
  if (!g)
    return;
  hd_control_stepper_free(&g->stepper);
  free(g->data);
  free(g->table);
  free(g->first);
  free(g->targets);
  free(g->edges);
  free(g->before_first);
  free(g->before);
  free(g);
}

void
hd_control_graph_reverse(hd_control_graph *g)
{
  if (g->before_first)
    return;
  g->before_first = hd_alloc_zero((g->n + 2) * sizeof *g->before_first);
  g->before = hd_alloc_array(g->ntargets + 1, sizeof *g->before);
  for (size_t i = 0; i < g->ntargets; i++)
    g->before_first[g->targets[i] + 2]++;
  for (size_t i = 2; i < g->n + 2; i++)
    g->before_first[i] += g->before_first[i - 1];
  for (size_t s = 0; s < g->expanded; s++)
    for (size_t i = g->first[s]; i < g->first[s + 1]; i++)
      g->before[g->before_first[g->targets[i] + 1]++] = (uint32_t) s;
}

bool
hd_control_graph_waits(const hd_control_graph *g, size_t i)
{
  const int32_t *counters = hd_control_graph_state(g, i) + g->c->nvariables;
  for (size_t e = 0; e < g->c->nedges; e++)
    if (counters[g->c->edges[e].from] > 0)
      return true;
  return false;
}

size_t
hd_control_graph_growing(const hd_control_graph *g, int64_t *reached)
{
  size_t best = SIZE_MAX;
  *reached = 0;
  if (g->cut == HD_CONTROL_CUT_RANGE)
    return g->stepper.outside;
  for (size_t v = 0; g->cut == HD_CONTROL_CUT_STATES && v < g->c->nvariables; v++)
  {
    int64_t early = 0, late = 0, value = 0;
    for (size_t i = 0; i < g->n; i++)
    {
      int64_t x = hd_control_graph_state(g, i)[v], size = x < 0 ? -x : x;
      if (i < g->n / 2)
        early = size > early ? size : early;
      else if (size > late)
      {
        late = size;
        value = x;
      }
    }
    int64_t most = *reached < 0 ? -*reached : *reached;
    if (g->c->variables[v].type == HD_CONTROL_INT && late > early && late > most)
    {
      best = v;
      *reached = value;
    }
  }
  return best;
}
