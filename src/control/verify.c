/* verify.c: judges every property for every number of threads and every choice of constants that was asked for, fewest
 * threads first, and notes what else is odd about the controller. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "control/explore.h"
#include "control/notes.h"

typedef struct verification
{
  const hd_controller *c;
  const hd_control_options *o;
  hd_control_result *r;
  hd_control_seen seen;
} verification;

static const char *
keep(hd_arena *arena, hd_string *s)
{
  char *text = memcpy(hd_arena_alloc(arena, s->length + 1), s->text ? s->text : "", s->length + 1);
  hd_string_free(s);
  return text;
}

/* Why the graph is not whole, in a sentence. */
static const char *
why_cut(const verification *x, const hd_control_graph *g)
{
  hd_string s = {0};
  int64_t reached;
  size_t growing = hd_control_graph_growing(g, &reached);
  hd_string_printf(&s, "with %" PRIu64 " %s", g->threads, g->threads == 1 ? "thread" : "threads");
  if (x->c->nconstants)
  {
    hd_string_add(&s, " and ");
    hd_control_print_constants(&s, x->c, g->constants);
  }
  if (g->cut == HD_CONTROL_CUT_RANGE)
    hd_string_printf(&s, ", '%s' leaves the range of int after %zu states", x->c->variables[growing].name, g->n);
  else
  {
    hd_string_printf(&s, " there are more than %zu states (--states)", g->n);
    if (growing != SIZE_MAX)
      hd_string_printf(&s,
                       "; '%s' has reached %" PRId64
                       " and was still growing: if nothing bounds it, no search of all states ends",
                       x->c->variables[growing].name, reached);
  }
  return keep(x->r->arena, &s);
}

static hd_control_finding
finding(const hd_control_graph *g, hd_control_trace trace)
{
  return (hd_control_finding){.found = true, .threads = g->threads, .constants = g->constants, .trace = trace};
}

static void
judge_spec(verification *x, hd_control_graph *g, size_t i, const char *cut)
{
  hd_control_answer *answer = &x->r->answers[i];
  const hd_control_spec *spec = &x->c->specs[i];
  if (answer->verdict == HD_VIOLATED)
    return;
  hd_control_judgement j;
  hd_control_judge(&j, g, spec, x->o->fair || spec->fair);
  for (size_t k = 0; k < spec->nodes; k++)
    x->seen.left_true[i][k] = x->seen.left_true[i][k] || j.left_true[k];
  if (!j.holds)
  {
    answer->verdict = HD_VIOLATED;
    answer->violation = finding(g, hd_control_explain(&j, g, x->r->arena));
    size_t bytes = (spec->nrigid + 1) * sizeof(int64_t);
    answer->violation.rigid = memcpy(hd_arena_alloc(x->r->arena, bytes), j.rigid, bytes);
    answer->incomplete = NULL;
  }
  else if (cut || j.doubt)
  {
    answer->verdict = HD_INCOMPLETE;
    if (!answer->incomplete)
      answer->incomplete = cut ? cut : j.doubt;
  }
  hd_control_judgement_free(&j);
}

static void
find_deadlocks(verification *x, hd_control_graph *g)
{
  for (size_t i = 0; i < g->expanded; i++)
  {
    if (!hd_control_graph_is_end(g, i) || !hd_control_graph_waits(g, i))
      continue;
    x->r->deadlocks++;
    if (!x->r->deadlock.found)
      x->r->deadlock = finding(g, hd_control_trace_to(g, i, x->r->arena));
  }
}

static void
judge_instance(verification *x, uint64_t threads, const int64_t *constants)
{
  hd_control_result *r = x->r;
  hd_control_graph *g = hd_control_graph_new(x->c, threads, constants, x->o->states ? x->o->states : HD_CONTROL_STATES,
                                             &x->seen, r->arena, x->o->progress, x->o->context);
  const char *cut = g->cut == HD_CONTROL_WHOLE ? NULL : why_cut(x, g);
  r->states += g->n;
  r->steps += g->ntargets;
  if (cut)
  {
    r->complete = false;
    r->incomplete = r->incomplete ? r->incomplete : cut;
  }
  for (size_t i = 0; i < x->c->nspecs; i++)
    judge_spec(x, g, i, cut);
  find_deadlocks(x, g);
  hd_control_graph_free(g);
}

/* The first IMPLIES of F whose left side was never true, or NULL. */
static const hd_control_formula *
never_true(const hd_control_formula *f, const bool *left_true)
{
  if (!f)
    return NULL;
  if (f->kind == HD_CONTROL_IMPLIES && !left_true[f->number])
    return f->left;
  const hd_control_formula *left = never_true(f->left, left_true);
  return left ? left : never_true(f->right, left_true);
}

static bool
all_violated(const hd_control_result *r, size_t n)
{
  for (size_t i = 0; i < n; i++)
    if (r->answers[i].verdict != HD_VIOLATED)
      return false;
  return n > 0;
}

/* The whole verdict, and what is vacuous. */
static void
conclude(verification *x)
{
  hd_control_result *r = x->r;
  r->verdict = r->complete ? HD_HOLDS : HD_INCOMPLETE;
  bool violated = r->forbid_deadlock && r->deadlock.found;
  for (size_t i = 0; i < x->c->nspecs; i++)
  {
    hd_control_answer *a = &r->answers[i];
    violated = violated || a->verdict == HD_VIOLATED;
    if (a->verdict == HD_INCOMPLETE)
      r->verdict = HD_INCOMPLETE;
    if (a->verdict == HD_HOLDS && (a->never = never_true(x->c->specs[i].formula, x->seen.left_true[i])))
      a->vacuous = true;
  }
  if (violated)
    r->verdict = HD_VIOLATED;
}

static bool
check_options(const hd_controller *c, const hd_control_options *o, hd_string *error)
{
  if (o->least_threads < c->least_threads)
    hd_string_printf(error, "the file says that there are at least %" PRIu64 " threads (THREADS)", c->least_threads);
  else if (o->most_threads > c->most_threads)
    hd_string_printf(error, "the file says that there are at most %" PRIu64 " threads (THREADS)", c->most_threads);
  else if (o->most_threads > HD_CONTROL_MOST_THREADS)
    hd_string_printf(error, "at most %d threads can be looked at one by one", HD_CONTROL_MOST_THREADS);
  else if (o->least_threads > o->most_threads)
    hd_string_printf(error, "the range of threads is empty");
  return error->length == 0;
}

hd_control_result *
hd_control_verify(const hd_controller *c, const hd_control_options *options, hd_string *error)
{
  hd_arena *arena = hd_arena_new();
  hd_control_result *r = hd_arena_alloc(arena, sizeof *r);
  *r = (hd_control_result){.arena = arena,
                           .complete = true,
                           .least_threads = options->least_threads,
                           .forbid_deadlock = options->forbid_deadlock,
                           .fair = options->fair};
  size_t answers = (c->nspecs + 1) * sizeof *r->answers;
  r->answers = memset(hd_arena_alloc(arena, answers), 0, answers);
  if (!check_options(c, options, error)
      || !hd_control_instances(c, options->bindings, options->nbindings, arena, &r->instances, &r->ninstances, error))
  {
    hd_arena_free(arena);
    return NULL;
  }
  verification x = {.c = c, .o = options, .r = r};
  hd_control_seen_init(&x.seen, c, arena);
  x.seen.left_true = hd_arena_alloc(arena, (c->nspecs + 1) * sizeof *x.seen.left_true);
  for (size_t i = 0; i < c->nspecs; i++)
    x.seen.left_true[i] = memset(hd_arena_alloc(arena, c->specs[i].nodes), 0, c->specs[i].nodes);
  bool stopped = false;
  for (uint64_t n = options->least_threads; n <= options->most_threads && !stopped; n++)
  {
    r->most_threads = n;
    for (size_t i = 0; i < r->ninstances; i++)
      judge_instance(&x, n, r->instances[i]);
    stopped = all_violated(r, c->nspecs) && n < options->most_threads;
  }
  if (options->doubt)
    options->doubt(options->doubt_context, r, &x.seen);
  conclude(&x);
  hd_control_notes_make(c, r, &x.seen, options->doubt || (!stopped && r->complete));
  return r;
}

void
hd_control_result_free(hd_control_result *r)
{
  while (r)
  {
    hd_control_result *other = r->other;
    if (r->proofs)
      hd_arena_free(r->proofs);
    hd_arena_free(r->arena); /* R is in it */
    r = other;
  }
}
