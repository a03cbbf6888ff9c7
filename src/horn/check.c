/* check.c: asks about every answer of a result, compares, and says what came of it. */
#include <errno.h>
#include <string.h>
#include <time.h>

#include "horn/clauses.h"
#include "horn/horn.h"
#include "horn/solver.h"

typedef struct checking
{
  const hd_controller *c;
  hd_control_result *r;
  hd_horn_model m;
  hd_replay_scratch scratch;
  const char *path; /* of the question */
  const char *solver;
  double seconds;
  const char *trouble; /* why the first question that could not be asked could not */
  bool missing, stopped;
  bool failed, disagrees, broken; /* some question could not be asked; some answer, or an equality, is not shared */
} checking;

static const char *
keep(checking *x, hd_string *s)
{
  char *text = memcpy(hd_arena_alloc(x->r->arena, s->length + 1), s->text ? s->text : "", s->length + 1);
  hd_string_free(s);
  return text;
}

static double
now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double) t.tv_sec + (double) t.tv_nsec * 1e-9;
}

/* ---- asking ---- */

static hd_horn_reply
ask(checking *x, const hd_string *question, hd_string *why)
{
  hd_horn_reply reply = hd_horn_ask(&x->scratch, x->path, x->solver, question, x->seconds, why);
  x->missing = x->missing || reply == HD_HORN_MISSING;
  x->stopped = x->stopped || reply == HD_HORN_STOPPED;
  return reply;
}

/* Use the equalities of R if the solver proves them too. */
static void
adopt_equalities(checking *x)
{
  hd_string question = {0}, why = {0};
  x->m.nequalities = x->r->nequalities;
  x->m.equalities = x->r->equalities;
  if (x->m.nequalities == 0)
    return;
  hd_horn_kept(&question, &x->m);
  hd_horn_reply reply = ask(x, &question, &why);
  x->broken = reply == HD_HORN_SAT;
  if (reply != HD_HORN_UNSAT)
    x->m.nequalities = 0;
  hd_string_free(&question);
  hd_string_free(&why);
}

/* Ask QUESTION, which is "sat" if the claim holds; VERDICT is what the result says to it. */
static hd_control_second
compare(checking *x, const hd_string *question, hd_verdict verdict)
{
  hd_control_second second = {.limit = x->seconds};
  hd_string why = {0};
  double begin = now();
  hd_horn_reply reply = ask(x, question, &why);
  second.seconds = now() - begin;
  switch (reply)
  {
  case HD_HORN_SAT:
  case HD_HORN_UNSAT:
    second.holds = reply == HD_HORN_SAT;
    second.opinion = verdict == HD_INCOMPLETE                ? HD_CONTROL_ALONE
                     : second.holds == (verdict == HD_HOLDS) ? HD_CONTROL_AGREES
                                                             : HD_CONTROL_DISAGREES;
    break;
  case HD_HORN_UNKNOWN:
    second.opinion = HD_CONTROL_NO_ANSWER;
    break;
  case HD_HORN_MISSING:
    hd_string_clear(&why);
    hd_string_add(&why, "it is not installed");
    second.opinion = HD_CONTROL_FAILED;
    break;
  case HD_HORN_STOPPED:
    hd_string_add(&why, "a signal came");
    second.opinion = HD_CONTROL_FAILED;
    break;
  case HD_HORN_FAILED:
    second.opinion = HD_CONTROL_FAILED;
    break;
  }
  x->failed = x->failed || second.opinion == HD_CONTROL_FAILED;
  x->disagrees = x->disagrees || second.opinion == HD_CONTROL_DISAGREES;
  if (why.length)
    second.text = keep(x, &why);
  if (!x->trouble)
    x->trouble = second.text;
  return second;
}

static void
ask_property(checking *x, size_t i)
{
  const hd_control_spec *spec = &x->c->specs[i];
  hd_control_answer *a = &x->r->answers[i];
  const char *obstacle = hd_horn_obstacle(spec->formula);
  if (obstacle)
  {
    a->second = (hd_control_second){.opinion = HD_CONTROL_NOT_ASKED, .text = obstacle};
    return;
  }
  hd_string question = {0};
  x->m.first_rigid = spec->first_rigid;
  x->m.nrigid = spec->nrigid;
  hd_horn_property(&question, &x->m, spec->formula);
  x->m.nrigid = 0;
  a->second = compare(x, &question, a->verdict);
  hd_string_free(&question);
}

static void
ask_deadlock(checking *x)
{
  hd_control_result *r = x->r;
  bool none = r->symbolic ? r->no_deadlock : r->complete && !r->deadlock.found;
  hd_string question = {0};
  hd_horn_no_deadlock(&question, &x->m);
  r->deadlock_second = compare(x, &question, r->deadlock.found ? HD_VIOLATED : none ? HD_HOLDS : HD_INCOMPLETE);
  hd_string_free(&question);
}

/* ---- what came of it ---- */

/* The result as a whole is incomplete because of TEXT too. */
static void
spoil(checking *x, const char *text)
{
  hd_control_result *r = x->r;
  hd_string all = {0};
  if (r->incomplete)
    hd_string_printf(&all, "%s; ", r->incomplete);
  hd_string_add(&all, text);
  r->incomplete = keep(x, &all);
  r->complete = false;
}

static void
conclude(checking *x)
{
  hd_control_result *r = x->r;
  bool violated = r->forbid_deadlock && r->deadlock.found && r->deadlock.replay != HD_CONTROL_REPLAY_DIFFERS
                  && r->deadlock_second.opinion != HD_CONTROL_DISAGREES;
  for (size_t i = 0; i < x->c->nspecs; i++)
  {
    hd_control_answer *a = &r->answers[i];
    if (a->second.opinion == HD_CONTROL_DISAGREES)
    {
      a->verdict = HD_INCOMPLETE;
      a->incomplete = a->second.holds ? "heddle says that it is violated, and z3 that it holds"
                                      : "heddle says that it holds, and z3 that it is violated";
    }
    violated = violated || a->verdict == HD_VIOLATED;
  }
  if (r->deadlock_second.opinion == HD_CONTROL_DISAGREES)
    r->no_deadlock = false;
  if (x->disagrees)
    spoil(x, "heddle and z3 disagree, so one of them is wrong; do not rely on either, and please report the file");
  if (x->broken)
    spoil(x, "z3 says that an equality that was proved does not hold, so one of the two proofs is wrong; please report "
             "the file");
  if (x->missing)
    spoil(x, "z3 is not installed, so nothing was cross-checked; the package is called z3");
  else if (x->failed)
  {
    hd_string text = {0};
    hd_string_printf(&text, "z3 could not be asked about everything: %s", x->trouble);
    spoil(x, keep(x, &text));
  }
  if (x->disagrees || x->broken || x->failed)
    r->verdict = violated ? HD_VIOLATED : HD_INCOMPLETE;
}

void
hd_horn_cross_check(const hd_controller *c, hd_control_result *r, const hd_horn_options *o)
{
  checking x = {.c = c, .r = r, .solver = o->solver ? o->solver : "z3"};
  x.seconds = o->seconds > 0 ? o->seconds : HD_HORN_SECONDS;
  x.m = (hd_horn_model){.c = c,
                        .least_threads = r->least_threads,
                        .most_threads = r->most_threads,
                        .nbindings = o->nbindings,
                        .bindings = o->bindings,
                        .ninstances = r->symbolic ? 0 : r->ninstances,
                        .instances = r->instances};
  if (!hd_replay_scratch_open(&x.scratch))
  {
    hd_string text = {0};
    hd_string_printf(&text, "there is no room for a question to z3: %s; TMPDIR names another folder", strerror(errno));
    spoil(&x, keep(&x, &text));
    r->verdict = r->verdict == HD_VIOLATED ? HD_VIOLATED : HD_INCOMPLETE;
    return;
  }
  x.path = hd_replay_scratch_file(&x.scratch, "question.smt2");
  adopt_equalities(&x);
  for (size_t i = 0; i < c->nspecs && !x.stopped; i++)
    ask_property(&x, i);
  if (!x.stopped)
    ask_deadlock(&x);
  hd_replay_scratch_close(&x.scratch);
  conclude(&x);
}
