/* Random small controllers: src/control against an evaluator that takes the text at its word (little/).
 *
 * HEDDLE_CONTROL_CASES=n   how many are compared (default 2500), and as many under weak fairness
 * HEDDLE_CONTROL_SEED=n    only this one, with its text */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "control/control.h"
#include "little/little.h"
#include "settings.h"

typedef struct tally
{
  uint64_t compared, too_large, violated, deadlocks, loops;
  uint64_t fair, fair_loops, saved; /* SAVED: violated, but not under fairness */
} tally;

static hd_string text; /* of the controller that is looked at */
static uint64_t current;

#define MUST(e)                                                                                                        \
  do                                                                                                                   \
  {                                                                                                                    \
    if (!(e))                                                                                                          \
      fail_msg("seed %llu: %s does not hold for\n%s", (unsigned long long) current, #e, text.text);                    \
  } while (0)

/* The state that a row of a trace shows, if thread T is in AT[T]. */
static little_state
state_of(const int32_t *values, const int *at, int threads)
{
  little_state s;
  memset(&s, 0, sizeof s);
  for (int v = 0; v < LITTLE_VARIABLES; v++)
    s.variables[v] = values[v];
  for (int t = 0; t < threads; t++)
    s.threads[t] = at[t];
  return s;
}

/* Every step of a trace is one that the evaluator would take too. Returns the last state. */
static little_state
replay(const little *c, const hd_control_trace *t, int threads)
{
  int at[LITTLE_THREADS] = {0};
  little_state s = state_of(t->steps[0].values, at, threads);
  for (int v = 0; v < LITTLE_VARIABLES; v++)
    MUST(s.variables[v] == c->start[v]);
  for (size_t i = 1; i < t->n; i++)
  {
    const hd_control_step *step = &t->steps[i];
    little_state after;
    int thread = (int) step->thread - 1;
    MUST(thread >= 0 && thread < threads && (int) step->edge < c->nedges);
    MUST(little_step(c, &s, thread, (int) step->edge, &after));
    at[thread] = c->edges[step->edge][2];
    little_state shown = state_of(step->values, at, threads);
    MUST(memcmp(&shown, &after, sizeof after) == 0);
    int counts[LITTLE_STATES] = {0};
    for (int k = 0; k < threads; k++)
      counts[at[k]]++;
    for (int k = 0; k < LITTLE_STATES; k++)
      MUST(step->values[LITTLE_VARIABLES + k] == counts[k]);
    s = after;
  }
  return s;
}

static void
check_violation(const little_graph *g, const hd_control_finding *f, int spec, tally *n)
{
  const little *c = g->c;
  const hd_control_trace *t = &f->trace;
  const little_expr *e = c->specs[spec];
  long x = c->rigid[spec] ? (long) f->rigid[0] : 0;
  MUST(!little_holds_at(g, spec, x));
  little_state last = replay(c, t, g->threads);
  n->violated++;
  if (t->end == HD_CONTROL_END_LOOP)
  {
    n->loops++;
    MUST(t->loop + 1 < t->n);
    MUST(memcmp(t->steps[t->loop].values, t->steps[t->n - 1].values, sizeof(int32_t) * 6) == 0);
  }
  else if (t->end != HD_CONTROL_END_STATE)
    for (int k = 0; k < g->threads; k++)
      for (int edge = 0; edge < c->nedges; edge++)
      {
        little_state after;
        MUST(!little_step(c, &last, k, edge, &after));
      }
  if (spec != 0)
    return;
  /* AG(predicate): the trace is a shortest one to a state without it. */
  MUST(t->end == HD_CONTROL_END_STATE && !little_true(c, e->a, &last, g->threads, 0));
  int least = LITTLE_MOST;
  for (int i = 0; i < g->n; i++)
    if (!little_true(c, e->a, &g->states[i], g->threads, 0) && g->depth[i] < least)
      least = g->depth[i];
  MUST(t->n == (size_t) least + 1);
}

/* Every edge is impossible somewhere in the loop of T, or somebody leaves the state where it begins; and whoever has
 * been there for longest is the first to leave. */
static void
check_fairness(const little *c, const hd_control_trace *t, int threads)
{
  bool fair[LITTLE_EDGES] = {0};
  int at[LITTLE_THREADS] = {0}, since[LITTLE_THREADS] = {0};
  for (size_t i = 0; i < t->n; i++)
  {
    const hd_control_step *step = &t->steps[i];
    if (i > 0)
    {
      int thread = (int) step->thread - 1;
      for (int k = 0; k < threads; k++)
        MUST(at[k] != at[thread] || since[k] >= since[thread]);
      for (int e = 0; e < c->nedges && i > t->loop; e++)
        fair[e] = fair[e] || c->edges[e][0] == at[thread];
      at[thread] = c->edges[step->edge][2];
      since[thread] = (int) i;
    }
    little_state now = state_of(step->values, at, threads), after;
    for (int e = 0; e < c->nedges && i >= t->loop; e++)
    {
      bool possible = false;
      for (int k = 0; k < threads; k++)
        possible = possible || little_step(c, &now, k, e, &after);
      fair[e] = fair[e] || !possible;
    }
  }
  for (int e = 0; e < c->nedges; e++)
    MUST(fair[e]);
}

static void
compare_fairly(const little_graph *g, const hd_control_result *plain, const hd_control_result *r, tally *n)
{
  for (int s = 0; s < LITTLE_SPECS; s++)
  {
    const hd_control_finding *f = &r->answers[s].violation;
    MUST(s != 0 || r->answers[0].verdict == plain->answers[0].verdict); /* AG is the same */
    if (r->answers[s].verdict == HD_VIOLATED)
    {
      MUST(plain->answers[s].verdict == HD_VIOLATED);
      MUST(!little_holds_fairly(g, s, g->c->rigid[s] ? (long) f->rigid[0] : 0));
      replay(g->c, &f->trace, g->threads);
      if (f->trace.end == HD_CONTROL_END_LOOP)
      {
        check_fairness(g->c, &f->trace, g->threads);
        n->fair_loops++;
      }
      continue;
    }
    MUST(r->answers[s].verdict == HD_HOLDS);
    for (long x = g->c->rigid[s] ? -6 : 0; x <= (g->c->rigid[s] ? 6 : 0); x++)
      MUST(little_holds_fairly(g, s, x));
    n->saved += plain->answers[s].verdict == HD_VIOLATED;
  }
  n->fair++;
}

/* The conditions that a solver will be given agree with the order in which guards are tried. */
static void
check_model(const hd_controller *m, const little_graph *g)
{
  int64_t point[16] = {g->c->k};
  for (int i = 0; i < g->n; i++)
  {
    for (int v = 0; v < LITTLE_VARIABLES; v++)
      point[1 + v] = g->states[i].variables[v];
    for (size_t a = 0; a < m->nactions; a++)
    {
      const hd_control_action *action = &m->actions[a];
      int first = -1, holding = 0;
      for (size_t k = 0; k < action->ncommands; k++)
      {
        const hd_control_command *command = &action->commands[k];
        bool wanted = little_true(g->c, g->c->actions[a].commands[k].guard, &g->states[i], 0, 0);
        MUST(hd_control_contains(&command->guard, point) == wanted);
        MUST(hd_control_contains(&command->not_guard, point) == !wanted);
        if (wanted && first < 0)
          first = (int) k;
        MUST(hd_control_contains(&command->first, point) == (first == (int) k));
        size_t cases = 0;
        for (size_t j = 0; j < command->ncases; j++)
          cases += hd_control_contains(&command->cases[j].when, point);
        MUST(cases == 1);
        holding += wanted;
      }
      MUST(hd_control_contains(&action->none, point) == (holding == 0));
    }
  }
}

static void
compare(const little *c, const hd_controller *m, int threads, bool fairly, tally *n)
{
  static little_graph g;
  little_explore(&g, c, threads);
  if (g.too_large)
  {
    n->too_large++;
    little_graph_free(&g);
    return;
  }
  check_model(m, &g);
  hd_string error = {0};
  hd_control_binding k = {"k", c->k};
  hd_control_options options
      = {.least_threads = (uint64_t) threads, .most_threads = (uint64_t) threads, .nbindings = 1, .bindings = &k};
  hd_control_result *r = hd_control_verify(m, &options, &error);
  MUST(r != NULL && r->complete);
  MUST(r->states == (uint64_t) little_count(&g));
  MUST(r->deadlock.found == little_deadlocks(&g));
  if (r->deadlock.found)
  {
    n->deadlocks++;
    replay(c, &r->deadlock.trace, threads);
  }
  for (int s = 0; s < LITTLE_SPECS; s++)
  {
    MUST(r->answers[s].verdict == HD_HOLDS || r->answers[s].verdict == HD_VIOLATED);
    if (r->answers[s].verdict == HD_VIOLATED)
      check_violation(&g, &r->answers[s].violation, s, n);
    else
      MUST(little_holds(&g, s));
  }
  if (fairly)
  {
    options.fair = true;
    hd_control_result *fair = hd_control_verify(m, &options, &error);
    MUST(fair != NULL && fair->complete && fair->states == r->states);
    compare_fairly(&g, r, fair, n);
    hd_control_result_free(fair);
  }
  hd_control_result_free(r);
  hd_string_free(&error);
  little_graph_free(&g);
  n->compared++;
}

/* Printed and read again it is the same model. */
static void
check_printing(const hd_controller *m)
{
  hd_string printed = {0}, again = {0}, first = {0}, second = {0}, messages = {0};
  hd_control_print(&printed, m);
  hd_controller *copy = hd_control_parse("little.h", printed.text, printed.length, &messages);
  MUST(copy != NULL);
  hd_control_print(&again, copy);
  hd_control_dump(&first, m);
  hd_control_dump(&second, copy);
  MUST(strcmp(printed.text, again.text) == 0);
  MUST(strcmp(first.text, second.text) == 0);
  hd_control_free(copy);
  hd_string_free(&printed);
  hd_string_free(&again);
  hd_string_free(&first);
  hd_string_free(&second);
  hd_string_free(&messages);
}

static void
one(uint64_t seed, bool fairly, tally *n)
{
  little c;
  uint64_t random = seed * 77 + 1;
  hd_string messages = {0};
  current = seed;
  little_make(&c, &random);
  if (fairly)
    little_ask_for_progress(&c, &random);
  hd_string_clear(&text);
  little_print(&text, &c, &random);
  hd_controller *m = hd_control_parse("little.h", text.text, text.length, &messages);
  if (!m && !strstr(messages.text, "too many cases"))
    fail_msg("seed %llu: %s for\n%s", (unsigned long long) seed, messages.text, text.text);
  if (m)
  {
    check_printing(m);
    for (int threads = 1; threads <= LITTLE_THREADS; threads++)
      compare(&c, m, threads, fairly, n);
  }
  hd_control_free(m);
  hd_string_free(&messages);
  little_free(&c);
}

static tally
many(bool fairly, uint64_t *cases)
{
  tally n = {0};
  uint64_t only = setting("HEDDLE_CONTROL_SEED", UINT64_MAX);
  *cases = setting("HEDDLE_CONTROL_CASES", getenv("HEDDLE_TEST_SANITIZED") ? 400 : 2500);
  if (only != UINT64_MAX)
    one(only, fairly, &n);
  for (uint64_t seed = 0; only == UINT64_MAX && n.compared < *cases; seed++)
    one(seed, fairly, &n);
  if (only != UINT64_MAX)
    *cases = 0;
  hd_string_free(&text);
  return n;
}

/* A generator that makes nothing interesting would test nothing; so both ask for a share of what they are about. */
static void
explicit_search_agrees(void **state)
{
  (void) state;
  uint64_t cases;
  tally n = many(false, &cases);
  print_message("# %llu compared, %llu too large, %llu violated, %llu loops, %llu deadlocks\n",
                (unsigned long long) n.compared, (unsigned long long) n.too_large, (unsigned long long) n.violated,
                (unsigned long long) n.loops, (unsigned long long) n.deadlocks);
  assert_true(!cases || (n.violated > cases / 4 && n.loops > cases / 50 && n.deadlocks > cases / 50));
}

static void
explicit_search_agrees_under_fairness(void **state)
{
  (void) state;
  uint64_t cases;
  tally n = many(true, &cases);
  print_message("# %llu compared, %llu loops without fairness, %llu with it, %llu hold because of it\n",
                (unsigned long long) n.fair, (unsigned long long) n.loops, (unsigned long long) n.fair_loops,
                (unsigned long long) n.saved);
  assert_true(!cases || (n.fair_loops > cases / 50 && n.saved > cases / 200));
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(explicit_search_agrees),
      cmocka_unit_test(explicit_search_agrees_under_fairness),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
