/* Random small controllers: what src/symbolic says of any number of threads, against the search of all states for few
 * of them, against an evaluator that takes the text at its word (little/), and against src/recheck.
 *
 * Nothing may contradict: what holds is violated nowhere, what is violated has a trace that the evaluator follows, what
 * is said never to happen does not, and no proof is wrong. How much is not known is printed.
 *
 * HEDDLE_SYMBOLIC_CASES=n   how many (default 500)
 * HEDDLE_SYMBOLIC_SEED=n    only this one, with its text */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "little/claims.h"
#include "recheck/recheck.h"
#include "settings.h"
#include "symbolic/formula.h"
#include "symbolic/symbolic.h"

enum
{
  MOST_THREADS = 4, /* that all states are looked at for */
  SEARCHED = 600,   /* states, at most */
  SECONDS = 5,
  OPERATIONS = 20000,
  STATES = 300,
  MOST_CONSTANT = 2,   /* that the evaluator is asked about */
  TRACE_THREADS = 1000 /* that a trace may have */
};

typedef struct tally
{
  uint64_t cases, holds, violated, unknown, fair_holds, fair;
  uint64_t no_deadlock, deadlock, deadlock_unknown;
  uint64_t proofs, undecided, obligations; /* of certificates */
  uint64_t graphs, notes;
} tally;

static hd_string text; /* of the controller that is looked at */
static uint64_t current;

/* cmocka cuts long messages. */
static void
show(void)
{
  fprintf(stderr, "%s\n", text.text);
}

#define MUST(e)                                                                                                        \
  do                                                                                                                   \
  {                                                                                                                    \
    if (!(e))                                                                                                          \
    {                                                                                                                  \
      show();                                                                                                          \
      fail_msg("seed %llu: %s does not hold for the controller above", (unsigned long long) current, #e);              \
    }                                                                                                                  \
  } while (0)

/* One controller and what was said of it. */
typedef struct judged
{
  little c;
  hd_controller *m;
  hd_control_options options;
  hd_control_binding binding;
  hd_control_result *r;
} judged;

/* ---- what is violated ---- */

static void
check_start(const little *c, const hd_control_step *start, uint64_t threads)
{
  for (int v = 0; v < LITTLE_VARIABLES; v++)
    MUST(start->values[v] == c->start[v] + (c->starts_at_k[v] ? c->k : 0));
  MUST(start->thread == 0 && (uint64_t) start->values[LITTLE_VARIABLES] == threads);
}

/* Every step of T is one that the evaluator would take too; COUNTS gets the threads in each state at its end, and LAST
 * the variables. */
static void
follow(const little *c, const hd_control_trace *t, uint64_t threads, long *counts, little_state *last)
{
  static int at[TRACE_THREADS];
  MUST(threads <= TRACE_THREADS);
  memset(at, 0, sizeof at);
  memset(counts, 0, LITTLE_STATES * sizeof *counts);
  memset(last, 0, sizeof *last);
  counts[0] = (long) threads;
  check_start(c, &t->steps[0], threads);
  for (int v = 0; v < LITTLE_VARIABLES; v++)
    last->variables[v] = t->steps[0].values[v];
  for (size_t i = 1; i < t->n; i++)
  {
    const hd_control_step *step = &t->steps[i];
    little_state after;
    MUST(step->thread >= 1 && step->thread <= threads && (int) step->edge < c->nedges);
    last->threads[0] = at[step->thread - 1]; /* alone with the variables: guards see nobody else */
    MUST(little_step(c, last, 0, (int) step->edge, &after));
    counts[last->threads[0]]--;
    counts[after.threads[0]]++;
    at[step->thread - 1] = after.threads[0];
    *last = after;
    for (int v = 0; v < LITTLE_VARIABLES; v++)
      MUST(step->values[v] == after.variables[v]);
    for (int k = 0; k < LITTLE_STATES; k++)
      MUST(step->values[LITTLE_VARIABLES + k] == counts[k]);
  }
}

/* The constants of F, which the file and the options allow. */
static void
take_constants(judged *j, const hd_control_finding *f)
{
  j->c.k = (int) f->constants[0];
  j->c.m = j->c.two ? (int) f->constants[1] : 0;
  MUST(little_assumed(&j->c));
  MUST(j->options.nbindings == 0 || j->c.k == j->binding.value);
  MUST(f->threads >= j->r->least_threads && f->threads <= j->r->most_threads);
}

static void
check_end(const little *c, const hd_control_trace *t, const long *counts, little_state *last)
{
  size_t width = (LITTLE_VARIABLES + LITTLE_STATES) * sizeof(int32_t);
  if (t->end == HD_CONTROL_END_LOOP)
  {
    MUST(t->loop + 1 < t->n);
    MUST(memcmp(t->steps[t->loop].values, t->steps[t->n - 1].values, width) == 0);
  }
  else if (t->end != HD_CONTROL_END_STATE)
    for (int k = 0; k < LITTLE_STATES; k++)
      for (int e = 0; e < c->nedges && counts[k] > 0; e++)
      {
        little_state after;
        last->threads[0] = k;
        MUST(!little_step(c, last, 0, e, &after));
      }
}

static void
check_violation(judged *j, int spec)
{
  static little_graph g;
  const hd_control_finding *f = &j->r->answers[spec].violation;
  little_state last;
  long counts[LITTLE_STATES];
  MUST(f->found && f->trace.n >= 1);
  take_constants(j, f);
  follow(&j->c, &f->trace, f->threads, counts, &last);
  check_end(&j->c, &f->trace, counts, &last);
  if (spec == 0) /* AG(predicate) */
    MUST(f->trace.end == HD_CONTROL_END_STATE && !little_true_at(&j->c, j->c.specs[0]->a, last.variables, counts, 0));
  if (f->threads > LITTLE_THREADS)
    return;
  little_explore(&g, &j->c, (int) f->threads);
  long x = j->c.rigid[spec] ? (long) f->rigid[0] : 0;
  if (!g.too_large)
    MUST(!(j->c.fair[spec] ? little_holds_fairly(&g, spec, x) : little_holds_at(&g, spec, x)));
  little_graph_free(&g);
}

/* ---- what holds ---- */

/* The evaluator's word for few threads and small constants. */
static void
check_claims(judged *j, const little_graph *g)
{
  for (int s = 0; s < LITTLE_SPECS; s++)
  {
    if (j->r->answers[s].verdict != HD_HOLDS)
      continue;
    for (long x = j->c.rigid[s] ? -4 : 0; x <= (j->c.rigid[s] ? 4 : 0); x++)
      MUST(j->c.fair[s] ? little_holds_fairly(g, s, x) : little_holds_at(g, s, x));
  }
  MUST(!j->r->no_deadlock || !little_deadlocks(g));
}

static void
ask_evaluator(judged *j, tally *n)
{
  static little_graph g;
  for (int threads = 0; threads <= LITTLE_THREADS; threads++)
    for (int k = 0; k <= MOST_CONSTANT; k++)
      for (int m = 0; m <= (j->c.two ? MOST_CONSTANT : 0); m++)
      {
        j->c.k = k;
        j->c.m = m;
        if ((uint64_t) threads < j->r->least_threads || (uint64_t) threads > j->r->most_threads
            || !little_assumed(&j->c) || (j->options.nbindings && k != j->binding.value))
          continue;
        little_explore(&g, &j->c, threads);
        if (!g.too_large)
        {
          check_claims(j, &g);
          const char *wrong = little_contradicts(&g, j->m, j->r);
          if (wrong)
          {
            show();
            fail_msg("seed %llu: %s, with %d threads, k = %d", (unsigned long long) current, wrong, threads, k);
          }
          n->graphs++;
        }
        little_graph_free(&g);
      }
}

/* The search of all states for few threads and small constants. */
static void
compare_search(judged *j)
{
  hd_control_options o = j->options;
  hd_string error = {0};
  o.least_threads = j->r->least_threads;
  o.most_threads = j->r->most_threads < MOST_THREADS ? j->r->most_threads : MOST_THREADS;
  o.states = SEARCHED;
  hd_control_result *r = o.least_threads <= o.most_threads ? hd_control_verify(j->m, &o, &error) : NULL;
  for (int s = 0; s < LITTLE_SPECS && r; s++)
    if (r->answers[s].verdict == HD_VIOLATED)
    {
      MUST(j->r->answers[s].verdict != HD_HOLDS);
      if (j->r->answers[s].verdict == HD_VIOLATED)
        MUST(j->r->answers[s].violation.threads <= r->answers[s].violation.threads);
    }
  MUST(!r || !r->deadlock.found || !j->r->no_deadlock);
  hd_control_result_free(r);
  hd_string_free(&error);
}

/* ---- proofs ---- */

static void
check_proofs(const judged *j, tally *n)
{
  for (int s = 0; s < LITTLE_SPECS; s++)
    MUST((j->r->answers[s].verdict == HD_HOLDS) == (j->r->certificate->proofs[s] != NULL));
  hd_recheck_result *checked = hd_recheck_run(j->m, j->r->certificate, 0);
  if (checked->verdict == HD_VIOLATED)
  {
    hd_string said = {0};
    hd_recheck_text(&said, j->m, checked, true);
    hd_certificate_write(&said, j->m, j->r->certificate);
    fprintf(stderr, "%s\n%s\n", text.text, said.text);
    fail_msg("seed %llu: a proof is wrong", (unsigned long long) current);
  }
  for (size_t i = 0; i < checked->n; i++)
  {
    bool claimed = i < LITTLE_SPECS ? j->r->answers[i].verdict == HD_HOLDS : j->r->no_deadlock;
    MUST(claimed == (checked->claims[i].status != HD_RECHECK_ABSENT));
    n->proofs += checked->claims[i].status == HD_RECHECK_PROVED;
    n->undecided += checked->claims[i].status == HD_RECHECK_UNDECIDED;
    n->obligations += checked->claims[i].obligations;
  }
  hd_recheck_free(checked);
}

/* What small instances refute nobody tries to prove; it must not be possible. */
static void
try_to_prove(const judged *j)
{
  hd_arena *arena = hd_arena_new();
  hd_symbolic_system *s = hd_symbolic_system_new(arena, j->m, j->r->least_threads, j->r->most_threads,
                                                 j->options.bindings, j->options.nbindings);
  int64_t *start = hd_arena_alloc(arena, (hd_control_dimensions(j->m) + 1) * sizeof *start);
  s->deadline = hd_symbolic_now() + SECONDS;
  hd_symbolic_allow(s, OPERATIONS);
  hd_symbolic_find_equalities(s);
  for (int i = 0; i < LITTLE_SPECS; i++)
    if (j->r->answers[i].verdict == HD_VIOLATED)
    {
      hd_symbolic_proving p = {.s = s, .arena = arena, .spec = &j->m->specs[i], .fair = j->c.fair[i], .start = start};
      hd_symbolic_allow(s, OPERATIONS / 4);
      MUST(hd_symbolic_prove(&p) == NULL);
    }
  hd_symbolic_allow(s, OPERATIONS / 4);
  MUST(!j->r->deadlock.found || hd_symbolic_prove_no_deadlock(s, arena) == NULL);
  hd_symbolic_system_free(s);
  hd_arena_free(arena);
}

/* ---- one after the other ---- */

static void
make(judged *j, uint64_t seed)
{
  uint64_t random = seed * 77 + 5;
  if (hd_random(&random) % 3)
    little_make_orderly(&j->c, &random);
  else
  {
    little_make(&j->c, &random);
    if (hd_random(&random) % 3 == 0)
      little_ask_for_progress(&j->c, &random);
  }
  little_vary(&j->c, &random);
  hd_string_clear(&text);
  little_print(&text, &j->c, &random);
  j->options = (hd_control_options){
      .most_threads = UINT64_MAX, .seconds = SECONDS, .operations = OPERATIONS, .states = STATES};
  uint64_t few = hd_random(&random) % 8;
  if (few < 2)
  {
    j->options.least_threads = hd_random(&random) % 3;
    j->options.most_threads = few ? UINT64_MAX : j->options.least_threads + 2;
  }
  if (few == 2)
  {
    j->binding = (hd_control_binding){"k", 1 + (int64_t) (hd_random(&random) % 2)};
    j->options.nbindings = 1;
    j->options.bindings = &j->binding;
  }
}

static void
count(const judged *j, tally *n)
{
  for (int s = 0; s < LITTLE_SPECS; s++)
  {
    hd_verdict v = j->r->answers[s].verdict;
    n->holds += v == HD_HOLDS;
    n->violated += v == HD_VIOLATED;
    n->unknown += v == HD_INCOMPLETE;
    n->fair += j->c.fair[s];
    n->fair_holds += j->c.fair[s] && v == HD_HOLDS;
  }
  n->no_deadlock += j->r->no_deadlock;
  n->deadlock += j->r->deadlock.found;
  n->deadlock_unknown += !j->r->no_deadlock && !j->r->deadlock.found;
  n->notes += j->r->nnotes;
  n->cases++;
}

static void
check(judged *j, tally *n)
{
  for (int s = 0; s < LITTLE_SPECS; s++)
  {
    const hd_control_answer *a = &j->r->answers[s];
    MUST(a->verdict == HD_HOLDS || a->verdict == HD_VIOLATED || (a->verdict == HD_INCOMPLETE && a->incomplete));
    MUST(a->verdict != HD_INCOMPLETE || !strstr(a->incomplete, "mistake of heddle"));
    if (a->verdict == HD_VIOLATED)
      check_violation(j, s);
  }
  if (j->r->deadlock.found)
  {
    little_state last;
    long counts[LITTLE_STATES];
    take_constants(j, &j->r->deadlock);
    MUST(!j->r->no_deadlock && j->r->deadlock.trace.end == HD_CONTROL_END_DEADLOCK);
    follow(&j->c, &j->r->deadlock.trace, j->r->deadlock.threads, counts, &last);
    check_end(&j->c, &j->r->deadlock.trace, counts, &last);
  }
  compare_search(j);
  ask_evaluator(j, n);
  check_proofs(j, n);
  try_to_prove(j);
}

static void
one(uint64_t seed, tally *n)
{
  judged j = {0};
  hd_string messages = {0};
  current = seed;
  make(&j, seed);
  j.m = hd_control_parse("little.h", text.text, text.length, &messages);
  if (!j.m && !strstr(messages.text, "too many cases"))
  {
    show();
    fail_msg("seed %llu: %s", (unsigned long long) seed, messages.text);
  }
  hd_string_clear(&messages);
  /* Bindings that break an assumption are refused. */
  j.r = j.m ? hd_symbolic_verify(j.m, &j.options, &messages) : NULL;
  if (j.r)
  {
    check(&j, n);
    count(&j, n);
  }
  hd_control_result_free(j.r);
  hd_control_free(j.m);
  hd_string_free(&messages);
  little_free(&j.c);
}

static double
percent(uint64_t n, uint64_t of)
{
  return of ? 100.0 * (double) n / (double) of : 0;
}

static void
nothing_contradicts(void **state)
{
  (void) state;
  tally n = {0};
  uint64_t only = setting("HEDDLE_SYMBOLIC_SEED", UINT64_MAX);
  uint64_t cases = setting("HEDDLE_SYMBOLIC_CASES", getenv("HEDDLE_TEST_SANITIZED") ? 60 : 500);
  if (only != UINT64_MAX)
  {
    one(only, &n);
    fprintf(stderr, "%s\n", text.text); /* print_message cuts it */
  }
  for (uint64_t seed = 0; only == UINT64_MAX && n.cases < cases; seed++)
    one(seed, &n);
  uint64_t all = n.holds + n.violated + n.unknown;
  print_message("# %llu controllers, %llu properties: %.1f %% hold, %.1f %% violated, %.1f %% unknown\n",
                (unsigned long long) n.cases, (unsigned long long) all, percent(n.holds, all), percent(n.violated, all),
                percent(n.unknown, all));
  print_message("# of them under weak fairness: %llu, %llu hold\n", (unsigned long long) n.fair,
                (unsigned long long) n.fair_holds);
  print_message("# deadlock: %.1f %% reachable, %.1f %% not, %.1f %% unknown\n", percent(n.deadlock, n.cases),
                percent(n.no_deadlock, n.cases), percent(n.deadlock_unknown, n.cases));
  print_message("# %llu proofs checked again, %llu obligations; %llu proofs undecided\n", (unsigned long long) n.proofs,
                (unsigned long long) n.obligations, (unsigned long long) n.undecided);
  print_message("# compared with %llu graphs of few threads; %llu notes\n", (unsigned long long) n.graphs,
                (unsigned long long) n.notes);
  /* A generator that makes nothing interesting would test nothing. */
  assert_true(only != UINT64_MAX || (n.holds > all / 6 && n.violated > all / 4 && n.fair_holds > 0));
  hd_string_free(&text);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nothing_contradicts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
