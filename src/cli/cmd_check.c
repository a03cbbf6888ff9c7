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

/* Configurations that are tried before the algorithms that need no search get their turn (src/refine/special.h). */
#define FEW_CONFIGURATIONS 5000

static bool
all_standard(const hd_cli_specs *specs)
{
  for (size_t i = 0; i < specs->n; i++)
    if (!specs->specs[i]->standard)
      return false;
  return true;
}

/* Read LOG and judge it. */
static hd_checks *
read_and_judge(const hd_cli_options *o, const hd_cli_specs *specs, hd_log *log, const hd_refine_options *options)
{
  unsigned workers = (unsigned) o->jobs;
  if (workers > hd_log_objects(log))
    workers = hd_log_objects(log) ? hd_log_objects(log) : 1;
  hd_checks *checks = hd_checks_new(log, specs->specs, specs->n, options, workers, o->objects.items, o->objects.n);
  progress_sink sink = {.inner = hd_checks_sink(checks), .progress = hd_progress_start(o->quiet)};
  hd_log_read(log, &(hd_log_sink){.context = &sink, .event = event, .frontier = frontier});
  hd_progress_end(&sink.progress);
  return checks;
}

static int
judge(const hd_cli_options *o, const hd_cli_specs *specs, const char *path)
{
  if (o->history && specs->n > 1)
  {
    fputs("heddle check: a history has one specification; --spec was given more than once\n", stderr);
    return HD_BAD_INPUT;
  }
  if (!o->history && (o->format || o->ignore_commits))
  {
    fputs("heddle check: --format and --ignore-commits go with --history\n", stderr);
    return HD_BAD_INPUT;
  }
  char *error = NULL;
  hd_log *log = hd_cli_open(o, specs, path, &error);
  if (!log)
  {
    fprintf(stderr, "heddle: %s\n", error);
    free(error);
    return HD_BAD_INPUT;
  }
  uint64_t start = hd_terminal_now();
  hd_cli_limits *limits = hd_cli_limits_start(o);
  hd_refine_options options = hd_cli_refine_options(o, limits);
  options.max_configurations = all_standard(specs) ? FEW_CONFIGURATIONS : 0;
  hd_checks *checks = read_and_judge(o, specs, log, &options);
  char *why = hd_cli_log_problem(log, hd_cli_limits_reason(limits));
  hd_verdict verdict = hd_cli_finish(o, specs, log, checks, why);
  if (options.max_configurations && hd_checks_gave_up(checks) && !hd_cli_limits_reason(limits))
  {
    /* None of them fits: search in earnest. */
    hd_checks_free(checks);
    hd_log_free(log);
    free(why);
    log = hd_cli_open(o, specs, path, &error);
    if (!log)
    {
      fprintf(stderr, "heddle: %s\n", error);
      free(error);
      hd_cli_limits_stop(limits);
      return HD_INCOMPLETE;
    }
    options.max_configurations = 0;
    checks = read_and_judge(o, specs, log, &options);
    why = hd_cli_log_problem(log, hd_cli_limits_reason(limits));
    verdict = hd_cli_finish(o, specs, log, checks, why);
  }
  const char *limit = hd_cli_limits_reason(limits);
  int status = hd_cli_answer(o, path, log, checks, verdict, why, (double) (hd_terminal_now() - start) / 1e9, &limit,
                             limit ? 1 : 0);
  free(why);
  hd_checks_free(checks);
  hd_cli_limits_stop(limits);
  hd_log_free(log);
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
  status = hd_cli_specs_load(&specs, &o) ? judge(&o, &specs, o.operands.items[0]) : HD_BAD_INPUT;
  hd_cli_specs_free(&specs);
  hd_options_free(&o);
  return status;
}
