/* again_explain.c: a violation that was found with all operations at hand, as a finding.
 *
 * What is shown: the operation at whose end nothing explains the history any more, those that were open with it, the
 * states that the object could be in there and what the operation could have returned; or, if there is one, the
 * pattern that is violated with the operations that show it. If commits were given, the history is judged once more
 * without them: is it the order that the commits claim, or is there none at all? */
#include "refine/again.h"

#include <stdlib.h>
#include <string.h>

/* The operation in the form that findings are made of. */
static op
make_op(const again *a, size_t i)
{
  const hd_linear_op *l = &a->ops[i];
  const gathered *g = &a->more[i];
  op o = {.number = l->id + 1,
          .thread = l->thread,
          .method = l->method,
          .nargs = l->nargs,
          .args = (hd_value *) (uintptr_t) hd_linear_args(l),
          .ret = l->ret,
          .slot = -1,
          .call = g->call / 2,
          .end = g->finish / 2,
          .window = l->start / 2,
          .commit = l->end / 2,
          .call_site = g->call_site,
          .window_site = g->window_site,
          .commit_site = g->commit_site,
          .return_site = g->return_site};
  o.flags = (g->call % 2 ? OP_CALL_TICKED : 0) | (g->finish % 2 ? OP_END_TICKED : 0);
  o.flags |= (g->returned ? OP_RETURNED : 0) | (g->ret_known ? OP_RET_KNOWN : 0) | (g->nocommit ? OP_NOCOMMIT : 0);
  o.flags
      |= (g->observer ? OP_OBSERVER : 0) | (g->committed ? OP_COMMITTED : 0) | (l->exceptional ? OP_EXCEPTIONAL : 0);
  o.flags |= g->windowed && !g->nocommit ? OP_WINDOW : 0;
  return o;
}

HD_GIVE char *
again_describe(const again *a, uint64_t id)
{
  op o = make_op(a, id);
  return describe_op(a->r, &o);
}

static void
show(again *a, uint64_t id, bool failing, bool explains)
{
  hd_finding *f = &a->r->result.finding;
  for (size_t i = 0; i < f->nops; i++)
    if (f->ops[i].number == id + 1)
      return;
  op o = make_op(a, id);
  finding_add_op(a->r, f, &o, failing, explains);
}

/* ---- with and without commits ---- */

/* Whether an order exists over calls and returns, up to where FAILING returned. */
static hd_linear_answer
without_commits(const again *a, uint64_t failing, bool strict)
{
  const gathered *g = &a->more[failing];
  size_t n;
  hd_linear_op *ops = again_whole(a, g->returned ? g->finish : UINT64_MAX, strict, &n);
  hd_linear_options options = again_options(a);
  hd_linear_result result;
  hd_linear_decide(a->r->spec, ops, n, &options, &result);
  free(ops);
  return result.answer;
}

static bool
has_commits(const again *a)
{
  for (size_t i = 0; i < a->n; i++)
    if (!a->more[i].observer && !a->more[i].nocommit)
      return true;
  return false;
}

void
again_blame(const again *a, uint64_t failing)
{
  hd_finding *f = &a->r->result.finding;
  bool commits = has_commits(a);
  hd_linear_answer lenient = commits ? without_commits(a, failing, false) : HD_LINEAR_VIOLATED;
  hd_linear_answer strict = lenient == HD_LINEAR_HOLDS ? without_commits(a, failing, true) : lenient;
  f->blame = lenient == HD_LINEAR_VIOLATED ? HD_BLAME_IMPLEMENTATION
             : strict == HD_LINEAR_HOLDS   ? HD_BLAME_ANNOTATION
                                           : HD_BLAME_UNDECIDED;
  free(f->why);
  /* An order exists, but only one that inverts two looks of equal number. */
  bool ties = lenient == HD_LINEAR_HOLDS && strict == HD_LINEAR_VIOLATED;
  f->why = ties ? ties_text() : blame_text(f->blame, commits, false);
}

/* ---- what is shown ---- */

static void
show_scene(again *a, const hd_linear_scene *scene)
{
  hd_finding *f = &a->r->result.finding;
  hd_string expected = {0};
  for (size_t i = 0; i < scene->nreturns && i < 8; i++)
  {
    hd_string_add(&expected, i ? " or " : "");
    hd_value_print(&expected, scene->returns[i], 60);
  }
  if (scene->nreturns > 8 || (scene->nreturns && scene->more_returns))
    hd_string_add(&expected, " or others");
  f->expected = expected.text;
  f->states_total = scene->known ? scene->nstates : 0;
  f->states = hd_alloc_array(HD_LINEAR_STATES, sizeof *f->states);
  for (size_t i = 0; scene->known && i < HD_LINEAR_STATES && scene->states[i]; i++)
    f->states[f->nstates++] = hd_strndup(scene->states[i], strlen(scene->states[i]));
  bool explains = f->nops <= 1; /* else a pattern does */
  for (size_t i = 0; i < scene->nopen; i++)
    show(a, scene->open[i], false, explains);
  for (size_t i = 0; i < scene->nbefore && explains; i++)
    show(a, scene->before[i], false, false);
}

/* Who called it: a history's process, or a thread. */
static char *
describe_caller(const again *a, uint64_t id)
{
  const char *name = hd_log_thread_name(a->r->log, a->ops[id].thread);
  return strncmp(name, "process ", 8) == 0 ? hd_text("%s", name) : hd_text("thread %u", a->ops[id].thread);
}

static char *
headline(const again *a, uint64_t failing, const char *sentence)
{
  const hd_finding *f = &a->r->result.finding;
  /* Many sentences begin with the operation, which stands there already. */
  const char *name = a->r->spec->methods[a->ops[failing].method].name, *but = strstr(sentence, ", but ");
  if (but && strncmp(sentence, name, strlen(name)) == 0 && sentence[strlen(name)] == '(')
    sentence = but + strlen(", but ");
  char *what = again_describe(a, failing), *at = describe_place(a->r, f->site), *who = describe_caller(a, failing);
  char *text;
  if (sentence[0])
    text = hd_text("%s (%s, %s): %s", what, who, at, sentence);
  else if (f->expected)
    text = hd_text("%s (%s, %s): no order of the operations explains it; %s would be explained", what, who, at,
                   f->expected);
  else
    text = hd_text("%s (%s, %s): no order of the operations explains it", what, who, at);
  free(what);
  free(at);
  free(who);
  return text;
}

static int
by_call(const void *x, const void *y)
{
  const hd_op_info *a = x, *b = y;
  return a->call != b->call ? (a->call < b->call ? -1 : 1) : a->number < b->number ? -1 : a->number > b->number;
}

void
again_explain(again *a, const hd_linear_op *ops, size_t n, const hd_linear_options *options,
              const hd_linear_result *result)
{
  hd_refine *r = a->r;
  const hd_linear_violation *why = &result->why;
  uint64_t failing = result->failing != UINT64_MAX ? result->failing : why->ids[why->nids - 1];
  const gathered *g = &a->more[failing];
  hd_finding *f = &r->result.finding;
  *f = (hd_finding){.kind = HD_FOUND_ORDER,
                    .position = result->legal_until,
                    .site = g->return_site ? g->return_site : g->commit_site,
                    .explanation_minimal = why->alone};
  for (size_t i = 0; i < a->n; i++)
    f->legal_operations += a->more[i].returned && a->more[i].finish < g->finish;
  for (size_t i = 0; i < why->nids; i++)
    show(a, why->ids[i], why->ids[i] == failing, true);
  show(a, failing, true, true);
  hd_string actual = {0};
  hd_value_print(&actual, a->ops[failing].ret, 60);
  f->actual = actual.text;
  hd_linear_scene scene;
  hd_linear_explain(r->spec, ops, n, options, failing, &scene);
  show_scene(a, &scene);
  hd_linear_scene_clear(&scene);
  if (f->ops)
    qsort(f->ops, f->nops, sizeof *f->ops, by_call);
  f->headline = headline(a, failing, why->sentence);
  if (!r->options.no_diagnosis)
    again_blame(a, failing);
}
