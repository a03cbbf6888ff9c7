/* cmd_check.c: heddle check: judge a recorded log. */
#include <stdlib.h>
#include <string.h>

#include "cli/judge.h"
#include "history/history.h"
#include "linear/linear.h"
#include "report/report.h"

typedef struct progress_sink
{
  hd_log_sink inner;
  hd_progress progress;
  uint64_t events;
} progress_sink;

static bool
event(void *context, const hd_event *e)
{
  progress_sink *p = context;
  if ((++p->events & 0xffff) == 0 && hd_progress_due(&p->progress, hd_terminal_now()))
    hd_progress_show(&p->progress, "%.1f million events", (double) p->events / 1e6);
  return p->inner.event(p->inner.context, e);
}

static void
frontier(void *context, uint32_t object, uint64_t f)
{
  progress_sink *p = context;
  p->inner.frontier(p->inner.context, object, f);
}

/* Configurations that are tried along the log before all operations are taken together (src/refine/again.c). */
#define FEW_CONFIGURATIONS 5000

/* May views be compared? That is done along the log alone. */
static bool
compares_views(const hd_cli_options *o, const hd_cli_specs *specs)
{
  for (size_t i = 0; i < specs->n; i++)
    if (specs->specs[i]->replica && specs->specs[i]->view && o->view != HD_VIEW_OFF && !o->history)
      return true;
  return false;
}

/* One log or history. */
typedef struct task
{
  const hd_cli_options *o;
  const hd_cli_specs *specs;
  const char *path;
  const hd_cli_limits *limits;
  hd_log *log;
  hd_checks *checks;
  char *why;
  hd_verdict verdict;
} task;

static void
task_clear(task *t)
{
  hd_checks_free(t->checks);
  hd_log_free(t->log);
  free(t->why);
  t->checks = NULL;
  t->log = NULL;
  t->why = NULL;
}

static bool
open_log(task *t, bool *uncommitted)
{
  char *error = NULL;
  t->log = hd_cli_open(t->o, t->specs, t->path, t->limits, uncommitted, &error);
  if (t->log)
    return true;
  const char *limit = hd_cli_limits_reason(t->limits);
  t->verdict = limit ? HD_INCOMPLETE : HD_BAD_INPUT;
  if (limit)
    printf("incomplete: %s: %s while it was read\n", t->path, limit);
  else
    fprintf(stderr, "heddle: %s\n", error);
  free(error);
  return false;
}

/* Read the log and judge it. */
static void
read_and_judge(task *t, const hd_refine_options *options)
{
  unsigned workers = (unsigned) t->o->jobs;
  if (workers > hd_log_objects(t->log))
    workers = hd_log_objects(t->log) ? hd_log_objects(t->log) : 1;
  t->checks
      = hd_checks_new(t->log, t->specs->specs, t->specs->n, options, workers, t->o->objects.items, t->o->objects.n);
  progress_sink sink = {.inner = hd_checks_sink(t->checks), .progress = hd_progress_start(t->o->quiet)};
  hd_log_read(t->log, &(hd_log_sink){.context = &sink, .event = event, .frontier = frontier});
  hd_progress_end(&sink.progress);
  t->why = hd_cli_log_problem(t->log, hd_cli_limits_reason(t->limits));
  t->verdict = hd_cli_finish(t->o, t->specs, t->log, t->checks, t->why);
}

/* Once more, with other options. */
static bool
judge_again(task *t, const hd_refine_options *options)
{
  task_clear(t);
  bool uncommitted;
  if (!open_log(t, &uncommitted))
    return false;
  read_and_judge(t, options);
  return true;
}

static int
judge(const hd_cli_options *o, const hd_cli_specs *specs, const hd_cli_limits *limits, const char *path)
{
  task t = {.o = o, .specs = specs, .path = path, .limits = limits};
  uint64_t start = hd_terminal_now();
  bool uncommitted = false;
  if (!open_log(&t, &uncommitted))
    return (int) t.verdict;
  hd_refine_options options = hd_cli_refine_options(o, limits);
  options.max_configurations = compares_views(o, specs) ? 0 : FEW_CONFIGURATIONS;
  options.whole = uncommitted && !o->paranoid;
  read_and_judge(&t, &options);
  bool good = true;
  if (options.whole && hd_checks_unfit(t.checks) && !hd_cli_limits_reason(limits))
  {
    options.whole = false;
    good = judge_again(&t, &options);
  }
  if (good && options.max_configurations && hd_checks_gave_up(t.checks) && !hd_cli_limits_reason(limits))
  {
    options.max_configurations = 0; /* search in earnest */
    good = judge_again(&t, &options);
  }
  if (!good)
    return (int) t.verdict;
  const char *limit = hd_cli_limits_reason(limits);
  double seconds = (double) (hd_terminal_now() - start) / 1e9;
  int status = hd_cli_answer(o, path, t.log, t.checks, t.verdict, t.why, seconds, &limit, limit ? 1 : 0);
  task_clear(&t);
  return status;
}

/* ---- a history without commits, straight from its text ---- */

/* HOLDS or, with a reason, INCOMPLETE. */
static hd_verdict
say(const hd_cli_options *o, const char *path, const hd_history_ops *h, const hd_spec *spec,
    const hd_linear_result *found, char *incomplete, double seconds)
{
  hd_verdict verdict = incomplete ? HD_INCOMPLETE : HD_HOLDS;
  hd_refine_result result = {.verdict = verdict,
                             .object = h->object,
                             .type = spec->name,
                             .object_id = 1,
                             .incomplete = incomplete,
                             .checked_to = incomplete ? found->legal_until : h->events};
  result.stats = (hd_refine_stats){.events = h->events,
                                   .operations = h->n,
                                   .returned = h->returned,
                                   .pending = h->n - h->returned,
                                   .observers = h->observers,
                                   .uncommitted = h->n - h->observers,
                                   .ticks = result.checked_to,
                                   .applications = found->applications,
                                   .configurations_made = found->configurations_made,
                                   .configurations_peak = found->configurations_peak};
  const hd_refine_result *results[] = {&result};
  hd_cli_print(
      o, &(hd_report){.log_path = path, .results = results, .nresults = 1, .verdict = verdict, .seconds = seconds});
  return verdict;
}

/* The verdict, which was said; or -1: the history must go through a log, which explains violations and mistakes. */
static int
judge_directly(const hd_cli_options *o, const hd_cli_specs *specs, const hd_cli_limits *limits, const char *path)
{
  if (!o->history || o->paranoid || o->objects.n > 0 || strcmp(path, "-") == 0 || !specs->specs[0]->copy)
    return -1;
  uint64_t start = hd_terminal_now();
  const hd_spec *spec = specs->specs[0];
  hd_history_options options = {.ignore_commits = o->ignore_commits, .cancel = hd_cli_limits_flag(limits)};
  uint32_t rules = HD_LINEAR_ALL & ~(o->no_partition ? HD_LINEAR_PARTITION : 0u);
  hd_history_ops h;
  char *error = NULL;
  hd_history *history = hd_history_new(path, (hd_history_form) o->format, &error);
  bool holds = history && hd_history_holds(history, spec, &options, rules, &h);
  bool gathered = history && !holds && hd_history_gather(history, spec, &options, &h);
  free(error);
  hd_history_free(history);
  if (!holds && !gathered)
    return -1;
  hd_linear_options how = {.config = &h.initial,
                           .nconfig = h.has_initial,
                           .jobs = (unsigned) o->jobs,
                           .rules = rules,
                           .cancel = hd_cli_limits_flag(limits),
                           .leave = true};
  if (h.ops)
  {
    how.memory = h.ops + h.n;
    how.memory_size = (h.cap - h.n) * sizeof *h.ops;
  }
  hd_linear_result found = {.answer = HD_LINEAR_HOLDS};
  if (!holds)
    hd_linear_decide(spec, h.ops, h.n, &how, &found);
  int verdict = -1;
  if (found.answer != HD_LINEAR_VIOLATED)
  {
    char *incomplete = NULL;
    if (found.answer == HD_LINEAR_UNKNOWN)
    {
      if (hd_cli_limits_reason(limits))
        found.stopped = hd_cli_limits_reason(limits);
      incomplete = hd_linear_unknown_text(spec, h.ops, h.n, &found);
    }
    verdict = (int) say(o, path, &h, spec, &found, incomplete, (double) (hd_terminal_now() - start) / 1e9);
    free(incomplete);
  }
  hd_history_ops_free(&h);
  return verdict;
}

/* ---- several files ---- */

static bool
check_options(const hd_cli_options *o, const hd_cli_specs *specs)
{
  if (o->history && specs->n > 1)
    fputs("heddle check: a history has one specification; --spec was given more than once\n", stderr);
  else if (!o->history && (o->format || o->ignore_commits))
    fputs("heddle check: --format and --ignore-commits go with --history\n", stderr);
  else
    return true;
  return false;
}

/* The worst news first. */
static int
worse(int a, int b)
{
  static const int weight[] = {[HD_HOLDS] = 0, [HD_VIOLATED] = 3, [HD_BAD_INPUT] = 2, [HD_INCOMPLETE] = 1};
  return weight[a] >= weight[b] ? a : b;
}

static int
judge_all(const hd_cli_options *o, const hd_cli_specs *specs)
{
  if (!check_options(o, specs))
    return HD_BAD_INPUT;
  hd_cli_limits *limits = hd_cli_limits_start(o);
  int status = HD_HOLDS;
  size_t times[4] = {0};
  for (size_t i = 0; i < o->operands.n; i++)
  {
    const char *path = o->operands.items[i];
    int one = judge_directly(o, specs, limits, path);
    if (one < 0)
      one = judge(o, specs, limits, path);
    times[one]++;
    status = worse(status, one);
    fflush(stdout);
  }
  hd_cli_limits_stop(limits);
  if (o->operands.n > 1 && !o->json && !o->quiet)
    printf("%zu files: %zu hold, %zu violated, %zu incomplete, %zu not read\n", o->operands.n, times[HD_HOLDS],
           times[HD_VIOLATED], times[HD_INCOMPLETE], times[HD_BAD_INPUT]);
  return status;
}

int
hd_cmd_check(int argc, char **argv)
{
  hd_cli_options o;
  int status = hd_options_parse("check", argc, argv, &o);
  if (status != HD_OPTIONS_GO_ON)
    return status;
  hd_cli_specs specs;
  status = hd_cli_specs_load(&specs, &o) ? judge_all(&o, &specs) : HD_BAD_INPUT;
  hd_cli_specs_free(&specs);
  hd_options_free(&o);
  return status;
}
