/* cmd_monitor_property.c: heddle monitor --property FILE: properties of threads, over a trace or a running program. */
#include "cli/cli.h"
#include "cli/property_trace.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct judging
{
  const hd_cli_options *o;
  hd_trace *trace;
  hd_mttl_file **files;
  hd_property_run *runs; /* one for each file */
  size_t n;
  hd_progress progress;
  uint64_t start;
} judging;

static double
seconds_since(uint64_t start)
{
  return (double) (hd_terminal_now() - start) / 1e9;
}

static bool
go_on(void *context, uint64_t events)
{
  judging *j = context;
  if (hd_progress_due(&j->progress, hd_terminal_now()))
    hd_progress_show(&j->progress, "%" PRIu64 " events", events);
  return j->o->time == 0 || seconds_since(j->start) < j->o->time;
}

static bool
read_files(judging *j)
{
  hd_string messages = {0};
  for (size_t i = 0; i < j->n; i++)
    j->files[i] = hd_mttl_read(j->o->properties.items[i], &messages);
  bool good = messages.length == 0;
  if (!good)
    fputs(messages.text, stderr);
  hd_string_free(&messages);
  return good;
}

/* Names may come after the events that have them: read all of it once. */
static bool
open_trace(judging *j)
{
  char *error = NULL;
  hd_trace_event events[64];
  j->trace = hd_trace_open(j->o->trace, (hd_trace_form) j->o->trace_format, &error);
  if (!j->trace)
    fprintf(stderr, "%s\n", error);
  free(error);
  while (j->trace && hd_trace_form_get(j->trace) == HD_TRACE_BINARY && hd_trace_read(j->trace, events, 64) > 0)
    ;
  return j->trace != NULL;
}

static bool
judge(judging *j)
{
  hd_string error = {0};
  bool good = true;
  for (size_t i = 0; i < j->n && good; i++)
    good = hd_property_trace(&j->runs[i], j->files[i], j->trace, go_on, j, &error);
  hd_progress_end(&j->progress);
  if (!good)
    fputs(error.text, stderr);
  hd_string_free(&error);
  return good;
}

static hd_verdict
verdict_of(const judging *j)
{
  bool violated = false, incomplete = hd_trace_cut(j->trace) != NULL;
  for (size_t i = 0; i < j->n; i++)
  {
    violated = violated || j->runs[i].nviolations > 0;
    incomplete = incomplete || j->runs[i].late || j->runs[i].notes.length > 0;
  }
  return violated ? HD_VIOLATED : incomplete ? HD_INCOMPLETE : HD_HOLDS;
}

/* ---- text ---- */

/* "reads x at a.c:3 (f), event 7" */
static void
add_event(hd_string *out, const hd_trace_names *names, const hd_trace_event *e)
{
  const hd_trace_kind_info *kind = hd_trace_kind_get(e->kind);
  hd_string_add(out, kind->sentence);
  if (kind->class != HD_TRACE_NOTHING)
  {
    hd_string_add(out, " ");
    hd_trace_print_target(out, names, (hd_trace_class) kind->class, e->target, e->size);
  }
  if (e->location)
  {
    hd_string_add(out, " at ");
    hd_trace_print_location(out, names, e->location);
  }
  hd_string_printf(out, ", event %" PRIu64, e->number);
}

static void
add_violation(hd_string *out, const judging *j, size_t file, const hd_violation *v)
{
  const hd_mttl_property *p = &j->files[file]->properties[v->property];
  const hd_trace_names *names = hd_trace_names_of(j->trace);
  hd_string_printf(out, "property %s is violated\n  ", p->name);
  hd_trace_print_target(out, names, HD_TRACE_THREAD, v->thread, 0);
  hd_string_printf(out, " (thread %u) ", v->number);
  if (v->thread == v->event.thread)
    add_event(out, names, &v->event);
  else
    hd_string_printf(out, "%s, event %" PRIu64, v->event.kind == HD_TRACE_JOIN ? "ends" : "starts", v->event.number);
  hd_string_printf(out, "\n  %s\n", p->text);
  for (const char *line = v->why; *line;)
  {
    int length = (int) strcspn(line, "\n");
    hd_string_printf(out, "    %.*s\n", length, line);
    line += length + 1;
  }
  if (p->action == HD_MTTL_EACH || j->runs[file].count[v->property] == 1)
    hd_string_add(out, "\n");
  else
    hd_string_printf(out, "  It is the first of %" PRIu64 " times.\n\n", j->runs[file].count[v->property]);
}

static void
print_text(hd_string *out, const judging *j)
{
  size_t properties = 0, broken = 0;
  for (size_t i = 0; i < j->n; i++)
  {
    for (size_t k = 0; k < j->runs[i].nviolations; k++)
      add_violation(out, j, i, &j->runs[i].violations[k]);
    properties += j->files[i]->nproperties;
    for (size_t k = 0; k < j->files[i]->nproperties; k++)
      broken += j->runs[i].count[k] > 0;
  }
  if (!j->o->quiet)
    hd_string_printf(out, "%" PRIu64 " events of %u thread%s: %zu of %zu %s violated\n", j->runs[0].events,
                     j->runs[0].threads, j->runs[0].threads == 1 ? "" : "s", broken, properties,
                     properties == 1 ? "property" : "properties");
  for (size_t i = 0; i < j->n; i++)
  {
    const hd_property_run *r = &j->runs[i];
    for (const char *line = r->notes.length ? r->notes.text : ""; *line;)
    {
      int length = (int) strcspn(line, "\n");
      hd_string_printf(out, "incomplete: %s: %.*s\n", j->files[i]->path, length, line);
      line += length + 1;
    }
    if (r->late)
      hd_string_add(out, "incomplete: the time is up; what comes before was judged\n");
    if (r->stopped)
      hd_string_printf(out, "%s: a property asks to stop there; what comes after was not judged\n", j->files[i]->path);
  }
  if (hd_trace_cut(j->trace))
    hd_string_printf(out, "incomplete: %s; what is there was judged\n", hd_trace_cut(j->trace));
}

/* ---- JSON ---- */

/* The lines of TEXT as an array. */
static void
json_lines(hd_string *out, const char *key, const char *text)
{
  hd_string_printf(out, "\"%s\":[", key);
  for (const char *line = text ? text : ""; *line;)
  {
    size_t length = strcspn(line, "\n");
    hd_string_add(out, line == text ? "" : ",");
    hd_json_string(out, line, length);
    line += length + 1;
  }
  hd_string_add(out, "]");
}

static void
json_violation(hd_string *out, const judging *j, const hd_violation *v)
{
  const hd_trace_names *names = hd_trace_names_of(j->trace);
  hd_string s = {0};
  hd_string_printf(out, "{\"event\":%" PRIu64 ",\"number\":%u,", v->event.number, v->number);
  hd_trace_print_target(&s, names, HD_TRACE_THREAD, v->thread, 0);
  hd_json_text(out, "thread", s.text);
  hd_string_clear(&s);
  add_event(&s, names, &v->event);
  hd_string_add(out, ",");
  hd_json_text(out, "does", s.text);
  hd_string_add(out, ",");
  json_lines(out, "because", v->why);
  hd_string_add(out, "}");
  hd_string_free(&s);
}

static void
json_property(hd_string *out, const judging *j, size_t file, uint32_t index)
{
  const hd_mttl_property *p = &j->files[file]->properties[index];
  const hd_property_run *r = &j->runs[file];
  hd_string_add(out, "{");
  hd_json_text(out, "file", j->files[file]->path);
  hd_string_printf(out, ",\"line\":%u,\"column\":%u,", p->place.line, p->place.column);
  hd_json_text(out, "name", p->name);
  hd_string_add(out, ",");
  hd_json_text(out, "formula", p->text);
  hd_string_printf(out, ",\"violated\":%" PRIu64 ",\"reports\":[", r->count[index]);
  bool first = true;
  for (size_t k = 0; k < r->nviolations; k++)
    if (r->violations[k].property == index)
    {
      hd_string_add(out, first ? "" : ",");
      json_violation(out, j, &r->violations[k]);
      first = false;
    }
  hd_string_add(out, "]}");
}

static void
print_json(hd_string *out, const judging *j, hd_verdict verdict)
{
  static const char *const words[] = {"holds", "violated", "", "incomplete"};
  hd_string_printf(
      out, "{\"schema\":1,\"command\":\"monitor\",\"verdict\":\"%s\",\"exit_status\":%d,\"seconds\":%.3f,\"trace\":{",
      words[verdict], verdict, seconds_since(j->start));
  hd_json_text(out, "path", j->o->trace);
  hd_string_printf(out, ",\"events\":%" PRIu64 ",\"threads\":%u,", j->runs[0].events, j->runs[0].threads);
  hd_json_text(out, "cut", hd_trace_cut(j->trace));
  hd_string notes = {0};
  for (size_t i = 0; i < j->n; i++)
  {
    if (j->runs[i].notes.length)
      hd_string_add(&notes, j->runs[i].notes.text);
    if (j->runs[i].late)
      hd_string_add(&notes, "the time is up; what comes before was judged\n");
    if (j->runs[i].stopped)
      hd_string_add(&notes, "a property asks to stop there; what comes after was not judged\n");
  }
  hd_string_add(out, "},");
  json_lines(out, "notes", notes.text);
  hd_string_add(out, ",\"properties\":[");
  hd_string_free(&notes);
  for (size_t i = 0; i < j->n; i++)
    for (uint32_t k = 0; k < j->files[i]->nproperties; k++)
    {
      hd_string_add(out, i || k ? "," : "");
      json_property(out, j, i, k);
    }
  hd_string_add(out, "]}\n");
}

/* ---- the command ---- */

/* What does not go together; NULL: all is well. */
static const char *
refusal(const hd_cli_options *o)
{
  if (o->race || o->atomic || o->deadlocks || o->verdicts)
    return "--property is judged alone, without --race, --atomic, --deadlock and --verdicts";
  if (!o->trace && !o->program)
    return "--property needs a program or a trace: -- PROGRAM, or --trace FILE";
  if (o->trace && o->program)
    return "--property judges a program or a trace, not both";
  if (o->trace && o->on_violation)
    return "--on-violation is about a program; a trace has happened already";
  if (o->program && (o->time > 0 || o->trace_format))
    return o->time > 0 ? "--time is about traces; a program runs as long as it runs" : "--format is about traces";
  if (o->properties.n > 16)
    return "there are more than 16 files with properties";
  return NULL;
}

int
hd_monitor_properties(const hd_cli_options *o)
{
  const char *wrong = refusal(o);
  if (wrong)
  {
    fprintf(stderr, "heddle monitor: %s\n", wrong);
    return HD_BAD_INPUT;
  }
  judging j = {.o = o,
               .n = o->properties.n,
               .files = hd_alloc_zero(o->properties.n * sizeof *j.files),
               .runs = hd_alloc_zero(o->properties.n * sizeof *j.runs),
               .start = hd_terminal_now()};
  int status = HD_BAD_INPUT;
  if (!read_files(&j))
    status = HD_BAD_INPUT;
  else if (o->program)
    status = hd_monitor_watched_properties(o, j.files);
  else if (open_trace(&j))
  {
    j.progress = hd_progress_start(o->quiet);
    if (judge(&j))
    {
      hd_string out = {0};
      status = verdict_of(&j);
      if (o->json)
        print_json(&out, &j, (hd_verdict) status);
      else
        print_text(&out, &j);
      if (out.length)
        fwrite(out.text, 1, out.length, stdout);
      hd_string_free(&out);
    }
  }
  for (size_t i = 0; i < j.n; i++)
  {
    hd_property_run_free(&j.runs[i]);
    hd_mttl_free(j.files[i]);
  }
  free(j.files);
  free(j.runs);
  hd_trace_free(j.trace);
  return status;
}
