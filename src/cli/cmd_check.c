/* cmd_check.c: heddle check: judge a recorded log. */
#include <stdlib.h>

#include "cli/judge.h"

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
    int one = judge(o, specs, limits, o->operands.items[i]);
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
