/* cmd_monitor.c: heddle monitor: races, atomic blocks and deadlocks of a trace. */
#include "cli/cli.h"
#include "monitor/monitor.h"

#include <inttypes.h>
#include <stdlib.h>

typedef struct run
{
  hd_progress progress;
  uint64_t start;
  double limit; /* seconds, or 0 */
} run;

static double
seconds_since(uint64_t start)
{
  return (double) (hd_terminal_now() - start) / 1e9;
}

static bool
go_on(void *context, uint64_t events)
{
  run *r = context;
  if (hd_progress_due(&r->progress, hd_terminal_now()))
    hd_progress_show(&r->progress, "%" PRIu64 " events", events);
  return r->limit == 0 || seconds_since(r->start) < r->limit;
}

static int
say(HD_TAKE char *error)
{
  fprintf(stderr, "%s\n", error);
  free(error);
  return HD_BAD_INPUT;
}

int
hd_monitor_judge(const hd_cli_options *o, hd_trace *trace, const char *shown, const char *notes)
{
  char *error = NULL;
  hd_suppressions *suppressions = NULL;
  if (o->suppressions && !(suppressions = hd_suppressions_read(o->suppressions, &error)))
    return say(error);
  run r = {.progress = hd_progress_start(o->quiet), .start = hd_terminal_now(), .limit = o->time};
  bool all = !o->race && !o->atomic && !o->deadlocks && !o->predict;
  hd_monitor_options options = {.race = all || o->race || o->predict || o->verdicts,
                                .predict = !o->no_predict || o->verdicts,
                                /* In STD traces the races are those that other tools for them know. */
                                .puts_off = !o->verdicts && hd_trace_form_get(trace) == HD_TRACE_BINARY,
                                .atomic = (all && !o->program) || o->atomic || o->verdicts,
                                .deadlock = (all && !o->verdicts) || o->deadlocks,
                                .suppressions = suppressions,
                                .keep_events = o->json,
                                .notes = notes,
                                .context = &r,
                                .go_on = go_on};
  hd_monitor_findings *f = hd_monitor_run(trace, &options);
  hd_progress_end(&r.progress);
  int status = hd_monitor_verdict(f);
  hd_string out = {0};
  if (hd_monitor_error(f))
    fprintf(stderr, "%s\n", hd_monitor_error(f));
  else if (o->json)
    hd_monitor_print_json(&out, f, shown, seconds_since(r.start));
  else if (o->sarif)
    hd_monitor_print_sarif(&out, f);
  else if (o->verdicts)
    hd_monitor_print_verdicts(&out, f);
  else
    hd_monitor_print_text(&out, f, o->verbose > 0, o->quiet);
  if (out.length > 0)
    fwrite(out.text, 1, out.length, stdout);
  hd_string_free(&out);
  hd_monitor_findings_free(f);
  hd_suppressions_free(suppressions);
  return status;
}

bool
hd_monitor_needs_recording(const hd_cli_options *o)
{
  return o->predict || o->atomic || o->deadlocks || o->schedules;
}

/* What a program cannot be asked for: nothing may be passed over in silence. NULL: all is well. */
static const char *
only_for_traces(const hd_cli_options *o)
{
  bool recorded = hd_monitor_needs_recording(o);
  return o->trace                   ? "--trace"
         : o->trace_format          ? "--format"
         : o->verdicts && !recorded ? "--verdicts"
         : o->time > 0 && !recorded ? "--time"
                                    : NULL;
}

static int
watch(const hd_cli_options *o)
{
  const char *option = only_for_traces(o);
  if (option)
    fprintf(
        stderr,
        "heddle monitor: '%s' is about traces; a program is watched for races that happen: heddle monitor --race -- "
        "%s\n",
        option, o->program[0]);
  else if (o->atomic && !*o->atomic)
    fprintf(stderr,
            "heddle monitor: '--atomic' needs the functions of the program that must be atomic: --atomic F,G -- %s\n",
            o->program[0]);
  else
    return hd_monitor_program(o);
  return HD_BAD_INPUT;
}

int
hd_cmd_monitor(int argc, char **argv)
{
  hd_cli_options o;
  int status = hd_options_parse("monitor", argc, argv, &o);
  if (status != HD_OPTIONS_GO_ON)
    return status;
  char *error = NULL;
  hd_trace *trace = NULL;
  const char *other = !o.sarif             ? NULL
                      : o.json             ? "--json"
                      : o.verdicts         ? "--verdicts"
                      : o.schedules        ? "--schedules"
                      : o.properties.n > 0 ? "--property"
                                           : NULL;
  if (other)
  {
    fprintf(stderr,
            "heddle monitor: '--sarif' does not go together with '%s': it is one log of races, atomic blocks and "
            "deadlocks\n",
            other);
    status = HD_BAD_INPUT;
  }
  else if (o.properties.n > 0)
    status = hd_monitor_properties(&o);
  else if (o.program)
    status = watch(&o);
  else if (!o.trace)
  {
    fputs("heddle monitor: neither a program nor a trace given; usage: heddle monitor [OPTION]... -- PROGRAM, "
          "or --trace FILE\n",
          stderr);
    status = HD_BAD_INPUT;
  }
  else if (o.schedules || o.predict)
  {
    fprintf(stderr, "heddle monitor: '%s' is about a program: heddle monitor %s -- PROG\n",
            o.schedules ? "--schedules" : "--predict", o.schedules ? "--schedules N" : "--predict");
    status = HD_BAD_INPUT;
  }
  else if (o.atomic && *o.atomic)
  {
    fprintf(stderr,
            "heddle monitor: '--atomic %s' is about a program; a trace has its blocks: heddle trace record --atomic %s "
            "-- PROG makes such a one\n",
            o.atomic, o.atomic);
    status = HD_BAD_INPUT;
  }
  else if (!(trace = hd_trace_open(o.trace, (hd_trace_form) o.trace_format, &error)))
    status = say(error);
  else
    status = hd_monitor_judge(&o, trace, o.trace, NULL);
  hd_trace_free(trace);
  hd_options_free(&o);
  return status;
}
