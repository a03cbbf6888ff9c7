/* simulate.c: stepping through a controller by hand or at random. Reads lines, so a pipe does as well as a terminal. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "control/explore.h"

enum
{
  MOST_CHOICES = 4096 /* edges that are listed */
};

typedef struct game
{
  const hd_controller *c;
  hd_control_stepper stepper;
  int32_t *state, *after;
  size_t width;
  uint32_t *at; /* by thread: its interface state */
  uint64_t threads;
  FILE *out;
} game;

static void
show_state(const game *g, uint64_t step)
{
  hd_string s = {0};
  hd_string_printf(&s, "state %" PRIu64 ":", step);
  for (size_t v = 0; v < g->c->nvariables; v++)
  {
    hd_string_printf(&s, " %s = ", g->c->variables[v].name);
    hd_control_print_value(&s, &g->c->variables[v], g->state[v]);
  }
  hd_string_add(&s, g->c->nvariables ? " |" : "");
  for (size_t i = 0; i < g->c->nstates; i++)
    hd_string_printf(&s, " %s %" PRId32, g->c->states[i].name, g->state[g->c->nvariables + i]);
  fprintf(g->out, "%s\n", s.text);
  hd_string_free(&s);
}

/* The edges that can be taken, into EDGES. */
static size_t
choices(game *g, size_t *edges)
{
  size_t n = 0;
  hd_control_stepper_load(&g->stepper, g->state);
  for (size_t e = 0; e < g->c->nedges && n < MOST_CHOICES; e++)
  {
    int32_t command;
    if (hd_control_stepper_take(&g->stepper, e, &command, NULL))
      edges[n++] = e;
  }
  return n;
}

static void
describe(game *g, size_t edge)
{
  const hd_control_edge *e = &g->c->edges[edge];
  const hd_control_action *a = &g->c->actions[e->action];
  hd_string s = {0};
  int32_t command;
  hd_control_stepper_take(&g->stepper, edge, &command, g->after);
  hd_string_printf(&s, "%s: %s -> %s, line %u", a->name, g->c->states[e->from].name, g->c->states[e->to].name,
                   (command >= 0 ? a->commands[command].place : a->place).line);
  if (command < 0)
    hd_string_add(&s, " (no guard holds)");
  for (size_t v = 0; v < g->c->nvariables; v++)
    if (g->after[v] != g->state[v])
    {
      hd_string_printf(&s, ", %s = ", g->c->variables[v].name);
      hd_control_print_value(&s, &g->c->variables[v], g->after[v]);
    }
  fputs(s.text, g->out);
  hd_string_free(&s);
}

static void
take(game *g, size_t edge)
{
  const hd_control_edge *e = &g->c->edges[edge];
  uint64_t thread = 0;
  int32_t command;
  while (thread < g->threads && g->at[thread] != e->from)
    thread++;
  HD_CHECK(thread < g->threads);
  fprintf(g->out, "thread %" PRIu64 ": ", thread + 1);
  describe(g, edge);
  fputc('\n', g->out);
  hd_control_stepper_take(&g->stepper, edge, &command, g->after);
  memcpy(g->state, g->after, g->width * sizeof *g->state);
  g->at[thread] = e->to;
}

/* Read the number of a choice below N; SIZE_MAX: no more input, or quit. */
static size_t
read_choice(const game *g, FILE *in, size_t n)
{
  char line[64];
  for (;;)
  {
    fprintf(g->out, "choice (1 to %zu, q to end): ", n);
    fflush(g->out);
    if (!fgets(line, sizeof line, in))
    {
      fputc('\n', g->out);
      return SIZE_MAX;
    }
    line[strcspn(line, "\r\n")] = 0;
    if (strcmp(line, "q") == 0)
      return SIZE_MAX;
    char *end;
    unsigned long number = strtoul(line, &end, 10);
    if (end != line && !*end && number >= 1 && number <= n)
      return number - 1;
    fprintf(g->out, "'%s' is none of the choices\n", line);
  }
}

static void
play_game(game *g, const hd_control_play *play, FILE *in)
{
  size_t *edges = hd_alloc_array(MOST_CHOICES, sizeof *edges);
  uint64_t random = play->seed;
  for (uint64_t step = 0;; step++)
  {
    show_state(g, step);
    size_t n = choices(g, edges), chosen;
    if (n == 0)
    {
      bool waits = false;
      for (size_t e = 0; e < g->c->nedges; e++)
        waits = waits || hd_control_stepper_occupied(&g->stepper, g->c->edges[e].from);
      fputs(waits ? "no step is possible: deadlock\n" : "no step is possible: every thread has finished\n", g->out);
      break;
    }
    if (play->random)
    {
      if (step == play->steps)
        break;
      chosen = (size_t) (hd_random(&random) % n);
    }
    else
    {
      for (size_t i = 0; i < n; i++)
      {
        fprintf(g->out, "  %zu  ", i + 1);
        describe(g, edges[i]);
        fputc('\n', g->out);
      }
      chosen = read_choice(g, in, n);
      if (chosen == SIZE_MAX)
        break;
    }
    take(g, edges[chosen]);
  }
  free(edges);
}

hd_verdict
hd_control_simulate(const hd_controller *c, const hd_control_play *play, FILE *in, FILE *out, hd_string *error)
{
  hd_arena *arena = hd_arena_new();
  const int64_t *const *instances;
  size_t n;
  bool inside = false;
  if (play->threads > HD_CONTROL_MOST_THREADS)
    hd_string_printf(error, "at most %d threads can be played", HD_CONTROL_MOST_THREADS);
  else if (hd_control_instances(c, play->bindings, play->nbindings, arena, &instances, &n, error))
  {
    game g = {.c = c,
              .width = c->nvariables + c->nstates,
              .threads = play->threads,
              .out = out,
              .at = hd_alloc_zero((play->threads + 1) * sizeof *g.at)};
    g.state = hd_alloc_array(g.width, sizeof *g.state);
    g.after = hd_alloc_array(g.width, sizeof *g.after);
    hd_control_stepper_init(&g.stepper, c, instances[0]);
    hd_control_stepper_start(&g.stepper, play->threads, g.state, &inside);
    if (c->nconstants)
    {
      hd_string s = {0};
      hd_control_print_constants(&s, c, instances[0]);
      fprintf(out, "constants: %s\n", s.text);
      hd_string_free(&s);
    }
    if (inside)
      play_game(&g, play, in);
    else
      hd_string_add(error, "an initial value does not fit an int");
    hd_control_stepper_free(&g.stepper);
    free(g.state);
    free(g.after);
    free(g.at);
  }
  hd_arena_free(arena);
  return inside ? HD_HOLDS : HD_BAD_INPUT;
}
