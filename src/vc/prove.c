/* prove.c: asks solvers until there is an answer about an implementation.
 *
 * The first question has a way of searching that is fast on conditions of this kind and answers "unknown" where it is
 * not complete. What follows depends on the answer:
 *   unsat    proved
 *   unknown  asked again with model-based instantiation, which can say unsat or sat; if it does not know either, the
 *            counterexample of the first is a candidate
 *   timeout  asked again in other ways, then assertion by assertion
 *   sat      the assertion that fails is noted and excluded, and the rest is asked for the next
 * A failure with some axioms left out is not believed before it was asked with all of them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "vc/internal.h"

enum
{
  PLAIN,
  SPLIT_LESS,
  MODEL_BASED,
  OTHER_SEED,
  NTACTICS
};

static const hd_smt_tactic tactics[NTACTICS] = {
    [PLAIN] = {"plain", 3, false, 0},
    [SPLIT_LESS] = {"other case splits", 0, false, 0},
    [MODEL_BASED] = {"model-based instantiation", 3, true, 0},
    [OTHER_SEED] = {"another seed", 3, false, 17},
};

enum
{
  MOST_SOLVERS = 2,
  FIRST = 0,  /* sessions: of the first question, */
  SECOND = 1, /* and of those that check its answer, so that its model stays */
};

static const double quick = 3;  /* seconds for the first try */
static const double second = 2; /* seconds for a better answer than unknown, which comes soon if it comes */

struct hd_vc_prover
{
  const hd_vc_program *program;
  const hd_vc_options *options;
  size_t nsolvers;
  hd_smt_solver *solvers[MOST_SOLVERS][2]; /* by kind of solver and session */
  bool portable[MOST_SOLVERS];
};

/* One implementation's work. */
typedef struct work
{
  hd_vc_prover *x;
  hd_vc_result *r;
  const hd_boogie_impl *impl;
  condition *conditions[MOST_SOLVERS];
  hd_string texts[MOST_SOLVERS];
  uint8_t *excluded; /* by assertion */
  double limit;
  bool hopeless;        /* a better answer than unknown was looked for in vain */
  size_t winner;        /* kind of solver whose answer counts */
  hd_smt_solver *model; /* that has the counterexample */
  const char *tactic;
  hd_string notes;
} work;

hd_vc_prover *
hd_vc_prover_new(const hd_vc_program *p, const hd_vc_options *options)
{
  hd_vc_prover *x = hd_alloc_zero(sizeof *x);
  x->program = p;
  x->options = options;
  for (size_t session = 0; session < 2; session++)
  {
    x->nsolvers = 0;
    if (options->solvers != HD_VC_CVC5)
      x->solvers[x->nsolvers++][session] = hd_smt_solver_new(HD_SMT_Z3, options->z3);
    if (options->solvers != HD_VC_Z3)
    {
      x->portable[x->nsolvers] = true;
      x->solvers[x->nsolvers++][session] = hd_smt_solver_new(HD_SMT_CVC5, options->cvc5);
    }
  }
  return x;
}

void
hd_vc_prover_free(hd_vc_prover *x)
{
  if (!x)
    return;
  for (size_t i = 0; i < x->nsolvers; i++)
    for (size_t j = 0; j < 2; j++)
      hd_smt_solver_free(x->solvers[i][j]);
  free(x);
}

void
hd_vc_result_free(hd_vc_result *r)
{
  if (!r)
    return;
  hd_arena_free(r->arena);
  free(r);
}

static const char *
keep(hd_arena *arena, const char *text)
{
  size_t n = strlen(text) + 1;
  return memcpy(hd_arena_alloc(arena, n), text, n);
}

/* ---- texts ---- */

static void
dump(work *w, size_t kind, bool all_axioms)
{
  hd_string path = {0};
  hd_string_printf(&path, "%s/", w->x->options->dump);
  for (const char *s = w->impl->name; *s; s++)
    hd_string_printf(&path, strchr("/\\ \t|\"'", *s) ? "_" : "%c", *s);
  hd_string_printf(&path, "%s%s.smt2", w->x->portable[kind] ? ".portable" : "", all_axioms ? ".all" : "");
  FILE *f = fopen(path.text, "w");
  bool good = f && fputs(w->texts[kind].text ? w->texts[kind].text : "", f) >= 0 && fputs("(check-sat)\n", f) >= 0;
  if (f)
    good = fclose(f) == 0 && good;
  w->r->dump_failed = w->r->dump_failed || !good;
  if (!good)
    hd_string_printf(&w->notes, "%s: it cannot be written: %s\n", path.text, strerror(errno));
  hd_string_free(&path);
}

static void
count_messages(work *w)
{
  const condition *c = w->conditions[0];
  hd_vc_result *r = w->r;
  HD_CHECK(c);
  r->ncounts = 0;
  r->counts = hd_arena_alloc(r->arena, (c->nassertions + 1) * sizeof *r->counts);
  for (size_t i = 0; i < c->nassertions; i++)
  {
    const char *message = c->assertions[i].message;
    size_t k = 0;
    while (k < r->ncounts && r->counts[k].message != message)
      k++;
    if (k == r->ncounts)
      r->counts[r->ncounts++] = (hd_vc_count){.message = message};
    r->counts[k].n++;
  }
}

/* Make the condition for each kind of solver. False: it is not supported. */
static bool
make_conditions(work *w, bool all_axioms)
{
  hd_vc_prover *x = w->x;
  for (size_t i = 0; i < x->nsolvers; i++)
  {
    hd_vc_condition_free(w->conditions[i]);
    condition *c = w->conditions[i]
        = hd_vc_condition_new(x->program, w->impl, x->portable[i], x->options->no_array_theory, all_axioms);
    if (!hd_vc_condition_make(c))
    {
      w->r->outcome = HD_VC_UNSUPPORTED;
      w->r->at = c->at;
      w->r->message = keep(w->r->arena, c->message);
      return false;
    }
    hd_string_clear(&w->texts[i]);
    if (c->trivial)
      continue;
    hd_vc_condition_text(c, &w->texts[i]);
    if (x->options->dump)
      dump(w, i, all_axioms);
  }
  w->r->assertions = w->conditions[0]->nassertions;
  count_messages(w);
  w->r->bytes = w->texts[0].length;
  return true;
}

/* The text of a condition, with what is excluded; ONLY: all assertions but this one are. */
static void
compose(const work *w, size_t kind, uint32_t only, hd_string *out)
{
  const condition *c = w->conditions[kind];
  hd_string_add_n(out, w->texts[kind].text, w->texts[kind].length);
  uint8_t *used = hd_smt_used(c->u, c->asserted, c->nasserted);
  for (uint32_t i = 0; i < c->nassertions; i++)
  {
    const hd_smt_term *fail = c->steps[i].fail;
    if (!fail || !used[fail->symbol->id] || !(w->excluded[i] || (only != NOT_AN_INSTANCE && only != i)))
      continue;
    hd_string_add(out, "(assert (not ");
    hd_smt_print_name(out, fail->symbol->name);
    hd_string_add(out, "))\n");
  }
  free(used);
}

/* ---- questions ---- */

static double
now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double) t.tv_sec + (double) t.tv_nsec / 1e9;
}

static hd_smt_reply
ask(work *w, size_t session, uint32_t only, int tactic, double seconds)
{
  hd_vc_prover *x = w->x;
  hd_smt_solver *solvers[MOST_SOLVERS];
  hd_string texts[MOST_SOLVERS] = {{0}};
  const char *plain[MOST_SOLVERS];
  size_t winner;
  for (size_t i = 0; i < x->nsolvers; i++)
  {
    solvers[i] = x->solvers[i][session];
    compose(w, i, only, &texts[i]);
    plain[i] = texts[i].text ? texts[i].text : "";
  }
  double start = now();
  hd_smt_reply reply = hd_smt_solver_race(solvers, x->nsolvers, plain, &tactics[tactic],
                                          seconds < w->limit ? seconds : w->limit, &winner);
  w->r->seconds += now() - start;
  w->r->questions++;
  for (size_t i = 0; i < x->nsolvers; i++)
    hd_string_free(&texts[i]);
  if (reply == HD_SMT_FAILED)
  {
    w->r->message = keep(w->r->arena, hd_smt_solver_error(solvers[winner]));
    return reply;
  }
  if (reply != HD_SMT_TIMEOUT)
  {
    w->winner = winner;
    w->model = solvers[winner];
    w->tactic = tactics[tactic].name;
  }
  return reply;
}

/* Each assertion on its own. */
static hd_smt_reply
ask_apart(work *w)
{
  const condition *c = w->conditions[0];
  size_t n = 0;
  for (uint32_t i = 0; i < c->nassertions; i++)
    n += c->steps[i].fail && !w->excluded[i];
  for (uint32_t i = 0; n > 1 && i < c->nassertions; i++)
  {
    if (!c->steps[i].fail || w->excluded[i])
      continue;
    hd_smt_reply reply = ask(w, FIRST, i, SPLIT_LESS, w->limit);
    if (reply == HD_SMT_TIMEOUT || reply == HD_SMT_UNKNOWN)
    {
      hd_smt_reply again = ask(w, FIRST, i, PLAIN, w->limit);
      reply = again == HD_SMT_TIMEOUT ? reply : again;
    }
    if (reply != HD_SMT_UNSAT)
      return reply;
  }
  w->tactic = "assertion by assertion";
  return n > 1 ? HD_SMT_UNSAT : HD_SMT_TIMEOUT;
}

/* The answer about what is not excluded, after all that may help. UNKNOWN: there is a candidate. */
static hd_smt_reply
decide(work *w)
{
  hd_smt_reply reply = ask(w, FIRST, NOT_AN_INSTANCE, PLAIN, quick);
  static const int others[] = {SPLIT_LESS, MODEL_BASED, OTHER_SEED};
  for (size_t i = 0; reply == HD_SMT_TIMEOUT && i < sizeof others / sizeof *others; i++)
    reply = ask(w, FIRST, NOT_AN_INSTANCE, others[i], w->limit);
  if (reply == HD_SMT_TIMEOUT)
    reply = ask_apart(w);
  if (reply != HD_SMT_UNKNOWN || w->hopeless)
    return reply;
  hd_smt_solver *model = w->model;
  size_t winner = w->winner;
  const char *tactic = w->tactic;
  hd_smt_reply better = ask(w, SECOND, NOT_AN_INSTANCE, MODEL_BASED, second);
  if (better == HD_SMT_UNSAT || better == HD_SMT_SAT || better == HD_SMT_FAILED)
    return better;
  w->hopeless = true;
  w->model = model;
  w->winner = winner;
  w->tactic = tactic;
  return HD_SMT_UNKNOWN;
}

/* ---- the whole ---- */

static bool
is_cached(work *w)
{
  hd_vc_prover *x = w->x;
  for (size_t i = 0; x->options->cache && i < x->nsolvers; i++)
  {
    const char *version = hd_smt_solver_version(x->solvers[i][FIRST]);
    if (version
        && hd_smt_cache_has(x->options->cache, w->texts[i].text, hd_smt_solver_name(x->solvers[i][FIRST]), version,
                            &w->notes))
      return true;
  }
  return false;
}

static void
remember(work *w)
{
  hd_vc_prover *x = w->x;
  hd_smt_solver *s = x->solvers[w->winner][FIRST];
  const char *version = x->options->cache ? hd_smt_solver_version(s) : NULL;
  if (version)
    hd_smt_cache_add(x->options->cache, w->texts[w->winner].text, hd_smt_solver_name(s), version, &w->notes);
}

/* An assertion that cannot be proved on its own: the counterexample does not say which one it is. */
static bool
find_suspect(work *w, uint32_t *assertion)
{
  const condition *c = w->conditions[w->winner];
  for (uint32_t i = 0; i < c->nassertions; i++)
    if (c->steps[i].fail && !w->excluded[i])
    {
      *assertion = i;
      if (ask(w, FIRST, i, PLAIN, second) != HD_SMT_UNSAT)
        return true;
      w->excluded[i] = 1;
    }
  return false;
}

/* Note what fails. False: no assertion is to blame. */
static bool
note_failure(work *w, bool candidate)
{
  condition *c = w->conditions[w->winner];
  hd_vc_failure f;
  uint32_t assertion;
  if (!hd_vc_trace(c, w->model, w->r->arena, &f, &assertion))
  {
    /* Some solvers' candidates are no models at all. */
    if (!find_suspect(w, &assertion))
      return false;
    hd_vc_assertion *copy = hd_arena_alloc(w->r->arena, sizeof *copy);
    *copy = c->assertions[assertion];
    if (copy->inlined)
      copy->inlined = keep(w->r->arena, copy->inlined);
    f = (hd_vc_failure){.assertion = copy, .at = copy->at};
    candidate = true;
  }
  f.candidate = candidate;
  w->excluded[assertion] = 1;
  hd_vc_failure *all = hd_arena_alloc(w->r->arena, (w->r->nfailures + 1) * sizeof *all);
  if (w->r->nfailures)
    memcpy(all, w->r->failures, w->r->nfailures * sizeof *all);
  all[w->r->nfailures++] = f;
  w->r->failures = all;
  return true;
}

static void
find_failures(work *w)
{
  hd_vc_result *r = w->r;
  size_t most = w->x->options->errors ? w->x->options->errors : 5;
  bool all_axioms = false;
  for (;;)
  {
    hd_smt_reply reply = decide(w);
    if (reply == HD_SMT_UNSAT)
    {
      r->outcome = r->nfailures ? HD_VC_FAILS : HD_VC_PROVED;
      r->tactic = w->tactic;
      if (!r->nfailures)
        remember(w);
      return;
    }
    if (reply == HD_SMT_TIMEOUT || reply == HD_SMT_FAILED)
    {
      r->outcome = reply == HD_SMT_FAILED ? HD_VC_NO_ANSWER : HD_VC_OUT_OF_TIME;
      return;
    }
    if (!all_axioms && w->conditions[w->winner]->left_out)
    {
      all_axioms = true;
      if (!make_conditions(w, true))
        return;
      continue;
    }
    if (!note_failure(w, reply == HD_SMT_UNKNOWN))
    {
      /* Every assertion that was left has been proved on its own. */
      r->outcome = r->nfailures ? HD_VC_FAILS : HD_VC_PROVED;
      r->tactic = "assertion by assertion";
      return;
    }
    if (r->nfailures >= most)
    {
      r->outcome = HD_VC_FAILS;
      return;
    }
  }
}

hd_vc_result *
hd_vc_prove(hd_vc_prover *x, const hd_boogie_impl *impl)
{
  hd_vc_result *r = hd_alloc_zero(sizeof *r);
  r->arena = hd_arena_new();
  work w = {.x = x, .r = r, .impl = impl, .limit = x->options->seconds > 0 ? x->options->seconds : 15};
  if (make_conditions(&w, false))
  {
    w.excluded = hd_alloc_zero(w.conditions[0]->nassertions + 1);
    if (w.conditions[0]->trivial)
      r->tactic = "nothing to prove";
    else if (is_cached(&w))
      r->cached = true;
    else
      find_failures(&w);
    hd_vc_sort_failures(r->failures, r->nfailures);
  }
  if (w.notes.length)
    r->notes = keep(r->arena, w.notes.text);
  for (size_t i = 0; i < x->nsolvers; i++)
  {
    hd_vc_condition_free(w.conditions[i]);
    hd_string_free(&w.texts[i]);
  }
  free(w.excluded);
  hd_string_free(&w.notes);
  return r;
}
