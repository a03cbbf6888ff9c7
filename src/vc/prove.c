/* prove.c: finds out about an implementation: makes its condition, has it decided (ask.c), and notes each assertion
 * that fails, excludes it and goes on with the rest. A failure with some axioms left out is not believed before it was
 * asked with all of them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vc/prover.h"

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
      w->r->message = hd_vc_keep(w->r->arena, c->message);
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
      if (!hd_vc_is_provable(w, i))
        return true;
      w->excluded[i] = 1;
    }
  return false;
}

/* A failure of ASSERTION without a way to it. */
static hd_vc_failure
blame(work *w, uint32_t assertion)
{
  hd_vc_assertion *copy = hd_arena_alloc(w->r->arena, sizeof *copy);
  *copy = w->conditions[w->winner]->assertions[assertion];
  if (copy->inlined)
    copy->inlined = hd_vc_keep(w->r->arena, copy->inlined);
  return (hd_vc_failure){.assertion = copy, .at = copy->at};
}

/* Note what there was no answer about in time. CANDIDATE: there is one. */
static void
note_suspect(work *w, bool candidate)
{
  hd_vc_failure f;
  uint32_t assertion;
  if (!candidate || !hd_vc_trace(w->conditions[w->winner], w->model, w->r->arena, &f, &assertion))
  {
    if (w->stuck == NOT_AN_INSTANCE)
      return;
    f = blame(w, w->stuck);
  }
  f.candidate = true;
  w->r->suspect = hd_arena_alloc(w->r->arena, sizeof f);
  *w->r->suspect = f;
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
    f = blame(w, assertion);
    candidate = true;
  }
  /* With fewer types than there are, what looks like a counterexample may be none. */
  f.candidate = candidate || c->weaker;
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
    hd_smt_reply reply = hd_vc_decide(w);
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
      if (reply == HD_SMT_TIMEOUT)
        note_suspect(w, w->late);
      return;
    }
    if (!all_axioms && w->conditions[w->winner]->left_out)
    {
      all_axioms = true;
      if (!make_conditions(w, true))
        return;
      continue;
    }
    if (!r->nfailures && w->conditions[w->winner]->cut)
      hd_string_printf(
          &w->notes,
          "%s: more types than are looked at would be needed; what could not be proved may hold all the same\n",
          w->impl->name);
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

/* Find out what is the case, unless this is known of the same text. */
static void
find_once(work *w)
{
  hd_vc_prover *x = w->x;
  if (!x->options->proved)
  {
    find_failures(w);
    return;
  }
  hd_string all = {0};
  for (size_t i = 0; i < x->nsolvers; i++)
    hd_string_add_n(&all, w->texts[i].text, w->texts[i].length);
  w->r->repeated = hd_smt_proved_before(x->options->proved, all.text, all.length);
  if (!w->r->repeated)
  {
    find_failures(w);
    hd_smt_proved_settle(x->options->proved, all.text, all.length, w->r->outcome == HD_VC_PROVED);
  }
  hd_string_free(&all);
}

hd_vc_result *
hd_vc_prove(hd_vc_prover *x, const hd_boogie_impl *impl)
{
  hd_vc_result *r = hd_alloc_zero(sizeof *r);
  r->arena = hd_arena_new();
  work w = {.x = x, .r = r, .impl = impl, .limit = x->options->seconds > 0 ? x->options->seconds : 30, .slow = 1};
  if (make_conditions(&w, false))
  {
    w.excluded = hd_alloc_zero(w.conditions[0]->nassertions + 1);
    if (w.conditions[0]->trivial)
      r->tactic = "nothing to prove";
    else if (is_cached(&w))
      r->cached = true;
    else
      find_once(&w);
    hd_vc_sort_failures(r->failures, r->nfailures);
  }
  if (w.notes.length)
    r->notes = hd_vc_keep(r->arena, w.notes.text);
  for (size_t i = 0; i < x->nsolvers; i++)
  {
    hd_vc_condition_free(w.conditions[i]);
    hd_string_free(&w.texts[i]);
  }
  free(w.excluded);
  hd_string_free(&w.notes);
  return r;
}
