/* check.c: the obligations of a certificate (control/certificate.h), one after the other; those of AF and AU are in
 * until.c. */
#include <stdlib.h>
#include <string.h>

#include "recheck/checker.h"

bool
hd_checker_refuted(const checker *x)
{
  return x->claim->status == HD_RECHECK_WRONG;
}

static const int64_t *
keep_point(checker *x, const int64_t *point)
{
  size_t size = (hd_control_dimensions(x->c) + 1) * sizeof *point;
  return memcpy(hd_arena_alloc(x->arena, size), point, size - sizeof *point);
}

static void
describe(checker *x, const char *format, va_list args)
{
  hd_string text = {0};
  hd_string_vprintf(&text, format, args);
  char *copy = hd_arena_alloc(x->arena, text.length + 1);
  memcpy(copy, text.text, text.length + 1);
  hd_string_free(&text);
  x->claim->obligation = copy;
}

void
hd_checker_prove(checker *x, const hd_way *way, const char *format, ...)
{
  hd_recheck_claim *claim = x->claim;
  hd_solver_answer answer = hd_solver_solve(&x->q.problem, x->work, x->point);
  if (answer == HD_SOLVER_NONE)
  {
    claim->obligations++;
    return;
  }
  va_list args;
  va_start(args, format);
  if (answer == HD_SOLVER_POINT)
  {
    int64_t *after = hd_alloc_array(hd_control_dimensions(x->c) + 1, sizeof *after);
    claim->status = HD_RECHECK_WRONG;
    claim->before = keep_point(x, x->point);
    if (way && hd_way_take(x->c, way, x->point, after))
      claim->after = keep_point(x, after);
    describe(x, format, args);
    free(after);
  }
  else if (claim->status != HD_RECHECK_UNDECIDED)
  {
    claim->status = HD_RECHECK_UNDECIDED;
    describe(x, format, args);
  }
  va_end(args);
}

/* ---- sentences ---- */

/* "the step r_enter (idle to reading, line 12)" */
phrase
hd_checker_step(const checker *x, const hd_way *way)
{
  const hd_control_edge *e = &x->c->edges[way->edge];
  phrase p;
  uint32_t line = way->one ? way->action->commands[way->command].place.line : way->action->place.line;
  snprintf(p.text, sizeof p.text, "the step %.60s (%.60s to %.60s, line %u%s)", way->action->name,
           x->c->states[e->from].name, x->c->states[e->to].name, line, way->one ? "" : ", no guard holds");
  return p;
}

/* "node 3, AF(!busy)" */
phrase
hd_checker_node_name(const hd_control_formula *f)
{
  phrase p;
  int n = snprintf(p.text, sizeof p.text, "node %u, ", f->number);
  snprintf(p.text + n, sizeof p.text - (size_t) n, strlen(f->text) > 120 ? "%.117s..." : "%.120s", f->text);
  return p;
}

/* ---- the invariant ---- */

/* A state of the invariant. */
void
hd_checker_begin_inside(checker *x)
{
  hd_question_begin(&x->q, true);
  hd_solver_add(&x->q.problem, x->proof->invariant);
  hd_solver_exclude(&x->q.problem, &x->proof->excluded);
}

static void
begin_start(checker *x)
{
  hd_question_begin(&x->q, true);
  hd_question_start(&x->q);
}

/* The state after WAY is not in SET. */
void
hd_checker_misses(checker *x, const hd_way *way, const hd_control_set *set)
{
  hd_control_set before = hd_way_set(&x->q, way, set);
  hd_solver_exclude(&x->q.problem, &before);
}

static void
check_start(checker *x)
{
  hd_question_begin(&x->q, false);
  hd_question_start(&x->q);
  if (hd_way_leaves_range(&x->q, NULL))
    hd_checker_prove(x, NULL, "every variable begins with one of its values");
  begin_start(x);
  hd_solver_exclude(&x->q.problem, &x->proof->invariant);
  if (!hd_checker_refuted(x))
    hd_checker_prove(x, NULL, "every start is in the invariant");
  begin_start(x);
  hd_solver_add(&x->q.problem, x->proof->excluded);
  if (!hd_checker_refuted(x) && x->proof->excluded.n)
    hd_checker_prove(x, NULL, "no start is among what is excluded from the invariant");
}

/* WAY leads from the invariant into it. */
static void
check_closed(checker *x, const hd_way *way)
{
  phrase step = hd_checker_step(x, way);
  hd_checker_begin_inside(x);
  hd_question_step(&x->q, way);
  hd_checker_misses(x, way, &x->proof->invariant);
  hd_checker_prove(x, way, "%s leads from the invariant into it", step.text);
  hd_checker_begin_inside(x);
  hd_question_step(&x->q, way);
  hd_solver_add(&x->q.problem, hd_way_set(&x->q, way, &x->proof->excluded));
  if (!hd_checker_refuted(x) && x->proof->excluded.n)
    hd_checker_prove(x, way, "%s leads from the invariant to nothing that is excluded from it", step.text);
  hd_checker_begin_inside(x);
  hd_question_step(&x->q, way);
  if (!hd_checker_refuted(x) && hd_way_leaves_range(&x->q, way))
    hd_checker_prove(x, way, "%s leaves every variable with one of its values", step.text);
}

static void
check_invariant(checker *x)
{
  check_start(x);
  for (size_t i = 0; i < x->nways && !hd_checker_refuted(x); i++)
    check_closed(x, &x->ways[i]);
}

static void
check_no_deadlock(checker *x)
{
  hd_checker_begin_inside(x);
  hd_question_end_of_path(&x->q);
  hd_question_someone_left(&x->q);
  hd_checker_prove(x, NULL, "in every state of the invariant a step is possible or no thread has anything left to do");
}

/* ---- the nodes of a formula ---- */

const hd_control_proof_node *
hd_checker_node(const checker *x, const hd_control_formula *f)
{
  return &x->proof->nodes[f->number];
}

/* A state of F's set. */
void
hd_checker_begin_node(checker *x, const hd_control_formula *f)
{
  hd_checker_begin_inside(x);
  hd_solver_add(&x->q.problem, hd_checker_node(x, f)->states);
}

static void
check_inside(checker *x, const hd_control_formula *f, const hd_control_set *a, const hd_control_set *b,
             const char *what)
{
  phrase node = hd_checker_node_name(f);
  hd_checker_begin_node(x, f);
  hd_solver_exclude(&x->q.problem, a);
  if (b)
    hd_solver_exclude(&x->q.problem, b);
  if (!hd_checker_refuted(x))
    hd_checker_prove(x, NULL, "%s: every state of its set %s", node.text, what);
}

/* Every step from F's set ends in SET. */
static void
check_steps(checker *x, const hd_control_formula *f, const hd_control_set *set, const char *what)
{
  phrase node = hd_checker_node_name(f);
  for (size_t i = 0; i < x->nways && !hd_checker_refuted(x); i++)
  {
    hd_checker_begin_node(x, f);
    hd_question_step(&x->q, &x->ways[i]);
    hd_checker_misses(x, &x->ways[i], set);
    hd_checker_prove(x, &x->ways[i], "%s: %s leads from its set into %s", node.text,
                     hd_checker_step(x, &x->ways[i]).text, what);
  }
}

static void
check_node(checker *x, const hd_control_formula *f)
{
  if (hd_checker_refuted(x))
    return;
  const hd_control_set *left = f->left ? &hd_checker_node(x, f->left)->states : NULL;
  const hd_control_set *right = f->right ? &hd_checker_node(x, f->right)->states : NULL;
  switch (f->kind)
  {
  case HD_CONTROL_PREDICATE:
    check_inside(x, f, &f->holds, NULL, "fulfils the predicate");
    break;
  case HD_CONTROL_AND:
    check_inside(x, f, left, NULL, "is in the set of the left side");
    check_inside(x, f, right, NULL, "is in the set of the right side");
    break;
  case HD_CONTROL_OR:
    check_inside(x, f, left, right, "is in the set of one side");
    break;
  case HD_CONTROL_IMPLIES:
    hd_checker_begin_node(x, f);
    hd_solver_add(&x->q.problem, f->left->holds);
    hd_solver_exclude(&x->q.problem, right);
    hd_checker_prove(x, NULL, "%s: every state of its set in which the left side holds is in the set of the right side",
                     hd_checker_node_name(f).text);
    break;
  case HD_CONTROL_AX:
    check_steps(x, f, left, "the set of what follows");
    break;
  case HD_CONTROL_AG:
    check_inside(x, f, left, NULL, "is in the set of what it is about");
    check_steps(x, f, &hd_checker_node(x, f)->states, "it");
    break;
  case HD_CONTROL_AF:
  case HD_CONTROL_AU:
    hd_checker_until(x, f);
    break;
  }
  if (f->left && f->kind != HD_CONTROL_IMPLIES) /* of IMPLIES, the left side is the predicate itself */
    check_node(x, f->left);
  if (f->right)
    check_node(x, f->right);
}

/* ---- claims ---- */

static void
check_claim(checker *x)
{
  x->claim->status = HD_RECHECK_PROVED;
  check_invariant(x);
  if (hd_checker_refuted(x))
    return;
  if (!x->spec)
  {
    check_no_deadlock(x);
    return;
  }
  const hd_control_formula *root = x->spec->formula;
  begin_start(x);
  hd_solver_exclude(&x->q.problem, &hd_checker_node(x, root)->states);
  hd_checker_prove(x, NULL, "%s: every start is in its set", hd_checker_node_name(root).text);
  check_node(x, root);
}

/* A stage that names a helpful edge speaks of fair paths. */
static bool
needs_fairness(const hd_control_spec *spec, const hd_control_proof *proof)
{
  for (uint32_t i = 0; i < spec->nodes; i++)
    for (size_t k = 0; k < proof->nodes[i].nstages; k++)
      if (proof->nodes[i].stages[k].helpful >= 0)
        return true;
  return false;
}

hd_recheck_result *
hd_recheck_run(const hd_controller *c, const hd_control_certificate *certificate, uint64_t work)
{
  hd_arena *arena = hd_arena_new();
  hd_recheck_result *r = hd_arena_alloc(arena, sizeof *r);
  uint64_t least = certificate->least_threads, most = certificate->most_threads;
  least = least > c->least_threads ? least : c->least_threads;
  most = most < c->most_threads ? most : c->most_threads;
  *r = (hd_recheck_result){.arena = arena,
                           .least_threads = least,
                           .most_threads = most,
                           .nbindings = certificate->nbindings,
                           .bindings = certificate->bindings,
                           .n = c->nspecs + 1};
  r->claims = hd_arena_alloc(arena, r->n * sizeof *r->claims);
  checker x = {.c = c, .arena = arena, .work = work};
  hd_question_init(&x.q, c);
  x.q.least_threads = least;
  x.q.most_threads = most;
  x.q.nbindings = certificate->nbindings;
  x.q.bindings = certificate->bindings;
  x.ways = hd_ways_of(c, &x.nways);
  x.point = hd_alloc_array(hd_control_dimensions(c) + 1, sizeof *x.point);
  bool undecided = false;
  r->verdict = HD_HOLDS;
  for (size_t i = 0; i < r->n; i++)
  {
    x.claim = &r->claims[i];
    x.spec = i < c->nspecs ? &c->specs[i] : NULL;
    x.proof = x.spec ? certificate->proofs[i] : certificate->deadlock;
    *x.claim = (hd_recheck_claim){.name = x.spec ? x.spec->name : NULL, .status = HD_RECHECK_ABSENT};
    if (!x.proof)
      continue;
    HD_CHECK(!x.spec || x.proof->nodes);
    x.claim->fair = x.spec && needs_fairness(x.spec, x.proof);
    HD_CHECK(!x.claim->fair || certificate->fair || x.spec->fair);
    check_claim(&x);
    if (x.claim->status == HD_RECHECK_WRONG)
      r->verdict = HD_VIOLATED;
    undecided |= x.claim->status == HD_RECHECK_UNDECIDED;
  }
  if (undecided && r->verdict == HD_HOLDS)
    r->verdict = HD_INCOMPLETE;
  hd_question_free(&x.q);
  free(x.ways);
  free(x.point);
  return r;
}

void
hd_recheck_free(hd_recheck_result *r)
{
  if (r)
    hd_arena_free(r->arena);
}
