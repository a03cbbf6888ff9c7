/* ask.c: asks solvers about a condition until there is an answer.
 *
 * The first question has a way of searching that is fast on conditions of this kind and answers "unknown" where it is
 * not complete. What follows depends on the answer:
 *   unsat    proved
 *   unknown  asked again with model-based instantiation, which can say unsat or sat; if it does not know either, the
 *            counterexample of the first is a candidate
 *   timeout  asked again in other ways, then assertion by assertion. If this does not help, a search that gives up
 *            early is asked for a candidate, so that there is something to look at
 *   sat      a counterexample
 * All ways together have the time that is allowed for a condition, each a share of it. On a machine that others keep
 * busy it is longer, by as much as the solver was kept waiting in the last question: what is proved should not depend
 * on who else is working. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "vc/prover.h"

enum
{
  PLAIN,
  SPLIT_LESS,
  MODEL_BASED,
  OTHER_SEED,
  GIVE_UP_EARLY,
  NTACTICS
};

static const hd_smt_tactic tactics[NTACTICS] = {
    [PLAIN] = {.name = "plain", .case_split = 3},
    [SPLIT_LESS] = {.name = "other case splits", .case_split = 0},
    [MODEL_BASED] = {.name = "model-based instantiation", .case_split = 3, .mbqi = true},
    [OTHER_SEED] = {.name = "another seed", .case_split = 3, .seed = 17},
    [GIVE_UP_EARLY] = {.name = "few instances", .case_split = 3, .instances = 200},
};

static const double quick = 3;   /* seconds for the first try */
static const double second = 2;  /* seconds for a better answer than unknown, which comes soon if it comes */
static const double brief = 0.5; /* seconds for the last try, at least */

static const double most_slow = 12; /* a machine is not believed to be busier than this */

/* Shares of the time. */
static const double first_share = 0.25; /* the first try, if this is less than QUICK */
static const double other_share = 0.2;  /* each other way; what is left is for the assertions one by one, */
static const double last_share = 0.05;  /* and for a candidate */

const char *
hd_vc_keep(hd_arena *arena, const char *text)
{
  size_t n = strlen(text) + 1;
  return memcpy(hd_arena_alloc(arena, n), text, n);
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

static double
worked(hd_smt_solver *const *solvers, size_t n)
{
  double sum = 0;
  for (size_t i = 0; i < n; i++)
    sum += hd_smt_solver_worked(solvers[i]);
  return sum;
}

/* How much longer than on an idle machine a question takes, as far as one tells that took ASKED seconds, WORKED of them
 * on processors. Where solvers did next to nothing it is not others who kept them from it; where the answer came soon
 * it does not matter. */
static double
slowness(const work *w, double asked, double worked)
{
  double wanted = asked * (double) w->x->nsolvers;
  if (asked < quick / 10 || worked * most_slow < wanted || worked > wanted)
    return 1;
  return wanted / worked;
}

/* Ask for at most SECONDS, and not more than are left. */
static hd_smt_reply
ask(work *w, size_t session, uint32_t only, int tactic, double seconds)
{
  hd_vc_prover *x = w->x;
  if (seconds > w->left)
    seconds = w->left;
  if (seconds < 0.001)
    return HD_SMT_TIMEOUT;
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
  double before = worked(solvers, x->nsolvers), start = now();
  hd_smt_reply reply = hd_smt_solver_race(solvers, x->nsolvers, plain, &tactics[tactic], seconds * w->slow, &winner);
  double asked = now() - start;
  w->slow = slowness(w, asked, worked(solvers, x->nsolvers) - before);
  w->left -= asked / w->slow;
  w->r->seconds += asked;
  w->r->questions++;
  for (size_t i = 0; i < x->nsolvers; i++)
    hd_string_free(&texts[i]);
  if (reply == HD_SMT_FAILED)
  {
    w->r->message = hd_vc_keep(w->r->arena, hd_smt_solver_error(solvers[winner]));
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
    if (c->steps[i].fail && !w->excluded[i])
    {
      w->stuck = i;
      n++;
    }
  for (uint32_t i = 0; n > 1 && i < c->nassertions; i++)
  {
    if (!c->steps[i].fail || w->excluded[i])
      continue;
    w->stuck = i;
    hd_smt_reply reply = ask(w, FIRST, i, SPLIT_LESS, w->left / 2);
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

/* When nothing helps: the candidate of a search that gives up early. It may also find a proof. */
static hd_smt_reply
ask_briefly(work *w)
{
  double seconds = w->limit * last_share;
  w->left = seconds < brief ? brief : seconds;
  hd_smt_reply reply = ask(w, SECOND, w->stuck, GIVE_UP_EARLY, w->limit);
  if (reply == HD_SMT_UNSAT && w->stuck != NOT_AN_INSTANCE)
  {
    w->stuck = NOT_AN_INSTANCE;
    reply = ask(w, SECOND, w->stuck, GIVE_UP_EARLY, w->limit);
  }
  w->late = reply == HD_SMT_UNKNOWN;
  return w->late ? HD_SMT_TIMEOUT : reply;
}

hd_smt_reply
hd_vc_decide(work *w)
{
  double least = w->limit * first_share;
  w->left = w->limit * (1 - last_share);
  w->stuck = NOT_AN_INSTANCE;
  hd_smt_reply reply = ask(w, FIRST, NOT_AN_INSTANCE, PLAIN, least < quick ? least : quick);
  static const int others[] = {SPLIT_LESS, MODEL_BASED, OTHER_SEED};
  for (size_t i = 0; reply == HD_SMT_TIMEOUT && i < sizeof others / sizeof *others; i++)
    reply = ask(w, FIRST, NOT_AN_INSTANCE, others[i], w->limit * other_share);
  if (reply == HD_SMT_TIMEOUT)
    reply = ask_apart(w);
  if (reply == HD_SMT_TIMEOUT)
    return ask_briefly(w);
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

bool
hd_vc_is_provable(work *w, uint32_t assertion)
{
  return ask(w, FIRST, assertion, PLAIN, second) == HD_SMT_UNSAT;
}
