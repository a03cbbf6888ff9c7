/* json.c: the same answer for programs. docs/json.md says what each field means, docs/schema/check.schema.json what a
 * document looks like; a field that changes its meaning or goes away makes a new schema number. */
#include "report/parts.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define SCHEMA 1

/* A document under construction. FIRST: nothing stands yet in the innermost object or array. */
typedef struct json
{
  hd_string text;
  bool first;
  const hd_report *report;
} json;

static void
comma(json *j)
{
  if (!j->first)
    hd_string_add(&j->text, ",");
  j->first = false;
}

static void
name(json *j, const char *key)
{
  comma(j);
  hd_string_printf(&j->text, "\"%s\":", key);
}

static void
open_with(json *j, const char *bracket)
{
  hd_string_add(&j->text, bracket);
  j->first = true;
}

static void
close_with(json *j, const char *bracket)
{
  hd_string_add(&j->text, bracket);
  j->first = false;
}

static void
string(json *j, const char *s)
{
  if (s)
    hd_json_string(&j->text, s, strlen(s));
  else
    hd_string_add(&j->text, "null");
}

static void
put_string(json *j, const char *key, const char *s)
{
  name(j, key);
  string(j, s);
}

static void
put_uint(json *j, const char *key, uint64_t n)
{
  name(j, key);
  hd_string_printf(&j->text, "%" PRIu64, n);
}

static void
put_bool(json *j, const char *key, bool b)
{
  name(j, key);
  hd_string_add(&j->text, b ? "true" : "false");
}

static void
put_null(json *j, const char *key)
{
  name(j, key);
  hd_string_add(&j->text, "null");
}

static void
put_value(json *j, const char *key, hd_value v)
{
  name(j, key);
  hd_value_json(&j->text, v);
}

/* In milliseconds: printed with integers, so that no locale can put a comma there. */
static void
put_seconds(json *j, const char *key, double seconds)
{
  name(j, key);
  if (!isfinite(seconds) || seconds < 0 || seconds > 1e12)
    hd_string_add(&j->text, "null");
  else
  {
    uint64_t ms = (uint64_t) (seconds * 1000 + 0.5);
    hd_string_printf(&j->text, "%" PRIu64 ".%03" PRIu64, ms / 1000, ms % 1000);
  }
}

static void
put_position(json *j, const char *key, uint64_t position)
{
  name(j, key);
  hd_string_printf(&j->text, "{\"%s\":%" PRIu64 "}", hd_report_is_tick(position) ? "tick" : "look",
                   hd_report_stamp(position));
}

static void
put_source(json *j, const char *key, uint32_t place)
{
  hd_log_place p;
  if (!hd_report_place(j->report, place, &p))
  {
    put_null(j, key);
    return;
  }
  name(j, key);
  open_with(j, "{");
  put_string(j, "file", p.file);
  put_uint(j, "line", p.line);
  put_string(j, "function", p.function);
  close_with(j, "}");
}

static void
put_thread(json *j, uint32_t thread)
{
  const char *called = j->report->log ? hd_log_thread_name(j->report->log, thread) : NULL;
  name(j, "thread");
  open_with(j, "{");
  put_uint(j, "number", thread);
  put_string(j, "name", called ? called : "");
  close_with(j, "}");
}

/* A step of an operation: its position and its line, or null where the operation has no such step. */
static void
put_step(json *j, const char *key, bool has, uint64_t position, uint32_t place)
{
  if (!has)
  {
    put_null(j, key);
    return;
  }
  name(j, key);
  open_with(j, "{");
  put_position(j, "position", position);
  put_source(j, "source", place);
  close_with(j, "}");
}

static void
operation(json *j, const hd_op_info *op)
{
  comma(j);
  open_with(j, "{");
  put_uint(j, "number", op->number);
  put_thread(j, op->thread);
  put_string(j, "method", op->method ? op->method : "");
  name(j, "arguments");
  open_with(j, "[");
  for (uint32_t i = 0; i < op->nargs; i++)
  {
    comma(j);
    hd_value_json(&j->text, op->args[i]);
  }
  close_with(j, "]");
  put_bool(j, "returned", op->returned);
  put_bool(j, "exceptional", op->exceptional);
  put_value(j, "value", op->returned ? op->ret : hd_nil());
  put_bool(j, "internal", op->internal);
  put_bool(j, "observer", op->observer);
  put_bool(j, "nocommit", op->nocommit);
  put_bool(j, "windowed", op->windowed);
  put_bool(j, "committed", op->committed);
  put_step(j, "call", true, op->call, op->call_site);
  put_step(j, "window", op->windowed, op->window, op->window_site);
  put_step(j, "commit", op->committed, op->commit, op->commit_site);
  put_step(j, "return", op->returned, op->end, op->return_site);
  put_bool(j, "failing", op->failing);
  put_bool(j, "explains", op->explains);
  if (op->witness)
    put_uint(j, "witness", op->witness);
  else
    put_null(j, "witness");
  close_with(j, "}");
}

static void
put_side(json *j, const char *key, bool present, hd_value v)
{
  name(j, key);
  open_with(j, "{");
  put_bool(j, "present", present);
  put_value(j, "value", present ? v : hd_nil());
  close_with(j, "}");
}

static void
difference(json *j, const hd_key_difference *d)
{
  comma(j);
  open_with(j, "{");
  put_value(j, "key", d->key);
  put_side(j, "specification", d->spec_has, d->spec_value);
  put_side(j, "replica", d->replica_has, d->replica_value);
  name(j, "writers");
  open_with(j, "[");
  for (size_t i = 0; i < d->nwriters; i++)
  {
    const hd_writer_info *w = &d->writers[i];
    comma(j);
    open_with(j, "{");
    put_thread(j, w->thread);
    put_string(j, "variable", w->variable ? w->variable : "");
    put_value(j, "value", w->value);
    put_position(j, "position", w->position);
    put_source(j, "source", w->site);
    if (w->op)
      put_uint(j, "operation", w->op);
    else
      put_null(j, "operation");
    close_with(j, "}");
  }
  close_with(j, "]");
  close_with(j, "}");
}

static void
states(json *j, const hd_finding *f)
{
  bool whole = hd_report_found_as_a_whole(f), known = whole && f->nstates;
  if (whole)
    put_uint(j, "legal_operations", f->legal_operations);
  else
    put_null(j, "legal_operations");
  if (known)
    put_uint(j, "states_total", f->states_total);
  else
    put_null(j, "states_total");
  name(j, "states");
  open_with(j, "[");
  for (size_t i = 0; known && i < f->nstates; i++)
  {
    comma(j);
    string(j, f->states[i]);
  }
  close_with(j, "]");
}

static void
finding(json *j, const hd_finding *f)
{
  open_with(j, "{");
  put_string(j, "kind", hd_report_kind_name(f->kind));
  put_string(j, "blame", hd_report_blame_name(f->blame));
  put_string(j, "headline", f->headline ? f->headline : "");
  put_string(j, "expected", f->expected);
  put_string(j, "actual", f->actual);
  put_string(j, "why", f->why);
  put_string(j, "suggestion", f->suggestion);
  put_source(j, "source", f->site);
  put_position(j, "position", f->position);
  put_bool(j, "explanation_minimal", f->explanation_minimal);
  put_uint(j, "explanation_from", f->explained_from);
  states(j, f);
  name(j, "operations");
  open_with(j, "[");
  for (size_t i = 0; i < f->nops; i++)
    operation(j, &f->ops[i]);
  close_with(j, "]");
  name(j, "differences");
  open_with(j, "[");
  for (size_t i = 0; i < f->ndifferences; i++)
    difference(j, &f->differences[i]);
  close_with(j, "]");
  name(j, "repairs");
  open_with(j, "[");
  for (size_t i = 0; i < f->nrepairs; i++)
  {
    comma(j);
    hd_string_printf(&j->text, "%" PRIu64, f->repairs[i]);
  }
  close_with(j, "]");
  close_with(j, "}");
}

static void
statistics(json *j, const hd_refine_stats *s)
{
  name(j, "stats");
  open_with(j, "{");
  put_uint(j, "events", s->events);
  put_uint(j, "operations", s->operations);
  put_uint(j, "returned", s->returned);
  put_uint(j, "pending", s->pending);
  put_uint(j, "commits", s->commits);
  put_uint(j, "windows", s->windows);
  put_uint(j, "observers", s->observers);
  put_uint(j, "uncommitted", s->uncommitted);
  put_uint(j, "internal", s->internal);
  put_uint(j, "writes", s->writes);
  put_uint(j, "ticks", s->ticks);
  put_uint(j, "view_comparisons", s->view_comparisons);
  put_uint(j, "views_skipped", s->views_skipped);
  put_uint(j, "keys_compared", s->keys_compared);
  put_uint(j, "applications", s->applications);
  put_uint(j, "configurations_made", s->configurations_made);
  put_uint(j, "configurations_peak", s->configurations_peak);
  put_uint(j, "open_peak", s->open_peak);
  close_with(j, "}");
}

/* The longest stretch without a comparison of states. */
static void
view_wait(json *j, const hd_view_wait *w)
{
  if (!w->method)
  {
    put_null(j, "view_wait");
    return;
  }
  name(j, "view_wait");
  open_with(j, "{");
  put_uint(j, "from", w->from);
  put_uint(j, "to", w->to);
  put_bool(j, "to_end", w->to_end);
  put_uint(j, "operation", w->number);
  put_string(j, "method", w->method);
  put_thread(j, w->thread);
  put_source(j, "source", w->site);
  close_with(j, "}");
}

static void
object(json *j, const hd_refine_result *x)
{
  comma(j);
  open_with(j, "{");
  put_uint(j, "id", x->object_id);
  put_string(j, "type", x->type ? x->type : "");
  put_string(j, "name", x->object ? x->object : "");
  put_string(j, "verdict", hd_report_verdict_name(x->verdict));
  put_bool(j, "views", x->views);
  put_string(j, "incomplete", x->incomplete);
  view_wait(j, &x->wait);
  put_uint(j, "checked_to", x->checked_to);
  name(j, "finding");
  if (x->finding.kind == HD_FOUND_NOTHING)
    hd_string_add(&j->text, "null");
  else
    finding(j, &x->finding);
  statistics(j, &x->stats);
  close_with(j, "}");
}

static void
log_facts(json *j, const hd_report *r)
{
  if (!r->log && !r->log_path)
  {
    put_null(j, "log");
    return;
  }
  const hd_log_damage *damages = NULL;
  size_t n = r->log ? hd_log_damages(r->log, &damages) : 0;
  name(j, "log");
  open_with(j, "{");
  put_string(j, "path", r->log_path ? r->log_path : hd_log_path(r->log));
  put_bool(j, "closed", r->log && hd_log_closed(r->log));
  put_uint(j, "dropped", r->log ? hd_log_dropped(r->log) : 0);
  put_bool(j, "lost", r->log && hd_log_lost(r->log));
  name(j, "damage");
  open_with(j, "[");
  for (size_t i = 0; i < n; i++)
  {
    comma(j);
    open_with(j, "{");
    put_uint(j, "offset", damages[i].offset);
    put_string(j, "what", damages[i].what ? damages[i].what : "");
    close_with(j, "}");
  }
  close_with(j, "]");
  close_with(j, "}");
}

void
hd_report_json(FILE *out, const hd_report *r)
{
  json j = {.first = true, .report = r};
  open_with(&j, "{");
  put_uint(&j, "schema", SCHEMA);
  put_string(&j, "command", r->command ? r->command : "");
  put_string(&j, "verdict", hd_report_verdict_name(r->verdict));
  put_uint(&j, "exit_status", (uint64_t) r->verdict);
  put_seconds(&j, "seconds", r->seconds);
  put_uint(&j, "peak_memory", hd_report_memory(r));
  log_facts(&j, r);
  name(&j, "notes");
  open_with(&j, "[");
  for (size_t i = 0; i < r->nnotes; i++)
  {
    comma(&j);
    string(&j, r->notes[i]);
  }
  for (size_t i = 0; i < r->nresults; i++)
  {
    hd_string s = {0};
    if (hd_report_waits_text(&s, r, r->results[i]))
    {
      comma(&j);
      string(&j, s.text);
    }
    hd_string_free(&s);
  }
  close_with(&j, "]");
  name(&j, "objects");
  open_with(&j, "[");
  for (size_t i = 0; i < r->nresults; i++)
    object(&j, r->results[i]);
  close_with(&j, "]");
  close_with(&j, "}");
  hd_string_add(&j.text, "\n");
  fwrite(j.text.text, 1, j.text.length, out);
  hd_string_free(&j.text);
}
