/* finding.c: one finding for people: what is wrong, where, the picture, the state, whose fault it is. */
#include "report/parts.h"

#include <inttypes.h>
#include <string.h>

#define VALUE_BYTES 256 /* of one value in a sentence */
#define KEYS_MAX 8      /* differing keys that are shown */
#define PLACES_MAX 12   /* operations whose lines of code are listed */
#define INDENT 2
#define HANG 12

static const char *
text_of(const hd_string *s)
{
  return s->length ? s->text : "";
}

void
hd_report_object_text(hd_string *out, const hd_refine_result *result)
{
  const char *type = result->type && *result->type ? result->type : "object";
  if (result->object && *result->object)
    hd_string_printf(out, "%s \"%s\"", type, result->object);
  else
    hd_string_printf(out, "%s #%" PRIu32, type, result->object_id);
}

static void
section(hd_report_page *p, const char *label, hd_tone tone, const char *text)
{
  hd_report_paragraph(p, INDENT, HANG, HD_TONE_DIM, label, tone, text);
}

/* "#12 InsertPair(5, 7)". */
static void
name_op(hd_string *out, const hd_finding *f, uint64_t number, bool utf8)
{
  hd_string_printf(out, "#%" PRIu64, number);
  const hd_op_info *op = hd_report_find_op(f, number);
  if (op)
  {
    hd_string_add(out, " ");
    hd_report_op_text(out, op, 48, false, utf8);
  }
}

/* ---- where the operations are in the source ---- */

/* FILE is the one that was named last: paths are long, and mostly there is one, so it is not said again. */
static void
add_place(hd_string *out, const hd_report *r, const char *what, uint32_t place, const char **file)
{
  hd_log_place p;
  if (!hd_report_place(r, place, &p))
    return;
  hd_string_printf(out, "%s%s ", out->length ? ", " : "", what);
  if (*file && strcmp(*file, p.file) == 0)
    hd_string_printf(out, "line %" PRIu32, p.line);
  else
    hd_report_place_text(out, r, place);
  *file = p.file;
}

/* "call m.c:60, commit line 71, return line 75" */
static void
places(hd_string *out, const hd_report *r, const hd_op_info *op, const char **file)
{
  add_place(out, r, op->internal ? "begin" : "call", op->call_site, file);
  if (op->windowed && !op->nocommit)
    add_place(out, r, "window", op->window_site, file);
  if (op->committed)
    add_place(out, r, "commit", op->commit_site, file);
  if (op->returned)
    add_place(out, r, op->internal ? "end" : "return", op->return_site, file);
}

static void
failing_op(hd_report_page *p, const hd_report *r, const hd_finding *f, const hd_op_info *op, const char **file)
{
  hd_string s = {0};
  hd_string_printf(&s, "#%" PRIu64 " ", op->number);
  hd_report_op_text(&s, op, VALUE_BYTES, true, p->utf8);
  hd_string_add(&s, ", by ");
  hd_report_thread_text(&s, r, op->thread);
  if (!op->returned)
    hd_string_add(&s, op->internal ? ", did not end" : ", did not return");
  section(p, op->internal ? "task" : "operation", HD_TONE_BOLD, s.text);
  hd_string_clear(&s);
  places(&s, r, op, file);
  if (s.length)
    section(p, "", HD_TONE_PLAIN, s.text);
  hd_string_clear(&s);
  /* The annotation in question, if none of the operation's own lines is it. */
  if (f->site && f->site != op->call_site && f->site != op->commit_site && f->site != op->window_site
      && f->site != op->return_site && hd_report_place_text(&s, r, f->site))
    section(p, "at", HD_TONE_PLAIN, s.text);
  hd_string_free(&s);
}

static void
place_alone(hd_report_page *p, const hd_report *r, uint32_t place)
{
  hd_string s = {0};
  hd_log_place at;
  if (hd_report_place(r, place, &at))
  {
    hd_report_place_text(&s, r, place);
    if (*at.function)
      hd_string_printf(&s, ", in %s()", at.function);
    section(p, "at", HD_TONE_BOLD, s.text);
  }
  hd_string_free(&s);
}

/* ---- the picture and the lines of code beside it ---- */

/* Was every operation that explains F open together with the one that fails? */
static bool
explained_by_open(const hd_finding *f)
{
  const hd_op_info *failing = hd_report_failing_op(f);
  for (size_t i = 0; i < f->nops; i++)
    if (failing && f->ops[i].explains && f->ops[i].returned && f->ops[i].end < failing->call)
      return false;
  return true;
}

/* What the picture shows of such a finding: a pattern, which may have no order by itself, or what was open. */
static void
title_as_a_whole(hd_string *title, const hd_finding *f, size_t explain)
{
  if (f->explanation_minimal && explain > 1)
    hd_string_add(title, "Of these alone, all others left out, no order is legal");
  else if (f->explanation_minimal)
    hd_string_add(title, "This alone, all others left out, is not legal");
  else if (!explained_by_open(f))
    hd_string_add(title, "These show it, in the course of all others");
  else if (explain > 1 && f->nstates)
    hd_string_add(title, "From the states above, no order of what was open leads to one in which it returns this");
  else if (explain > 1)
    hd_string_add(title, "No order of what was open explains it");
  else
    hd_string_add(title, f->nstates ? "Nothing else was open, and in the states above it cannot return this"
                                    : "Nothing else was open");
  if (f->blame == HD_BLAME_ANNOTATION || f->blame == HD_BLAME_UNDECIDED)
    hd_string_add(title, ", with the commits where the annotations say");
}

static void
title_by_search(hd_string *title, const hd_finding *f, size_t explain)
{
  bool by_returns = f->kind == HD_FOUND_COMMIT || f->kind == HD_FOUND_OBSERVER || f->kind == HD_FOUND_ORDER;
  const char *these = explain > 1 ? "These cannot all" : "This cannot";
  char from[40] = "";
  if (f->explained_from)
    snprintf(from, sizeof from, " after tick %" PRIu64, f->explained_from);
  if (by_returns && (f->blame == HD_BLAME_ANNOTATION || (f->blame == HD_BLAME_UNDECIDED && f->explanation_minimal)))
    hd_string_printf(title, "%s be true%s if the commits are where the annotations say", these, from);
  else if (by_returns && f->explanation_minimal)
    hd_string_printf(title, "%s be true, whatever else happened%s", these, from);
  else if (by_returns)
    hd_string_printf(title, "What happened%s (not reduced to the fewest operations)", from);
  else
    hd_string_add(title, "What happened");
}

static void
explanation(hd_report_page *p, const hd_report *r, const hd_finding *f, const char **file)
{
  size_t explain = 0;
  for (size_t i = 0; i < f->nops; i++)
    explain += f->ops[i].explains;
  hd_string title = {0};
  if (hd_report_found_as_a_whole(f))
    title_as_a_whole(&title, f, explain);
  else
    title_by_search(&title, f, explain);
  hd_string_add(&title, ":");
  hd_report_newline(p);
  hd_report_paragraph(p, INDENT, 0, HD_TONE_PLAIN, "", HD_TONE_BOLD, title.text);
  hd_string_free(&title);
  hd_report_newline(p);
  hd_report_lanes(p, r, f);

  size_t listed = 0;
  for (size_t i = 0; i < f->nops && listed < PLACES_MAX; i++)
  {
    const hd_op_info *op = &f->ops[i];
    hd_string where = {0};
    if (op->explains && !op->failing)
      places(&where, r, op, file);
    if (where.length)
    {
      char number[32];
      snprintf(number, sizeof number, "#%" PRIu64, op->number);
      if (listed++ == 0)
        hd_report_newline(p);
      section(p, number, HD_TONE_PLAIN, where.text);
    }
    hd_string_free(&where);
  }
}

/* ---- how far the history is explained, and what the object could be there ---- */

static void
prefix(hd_report_page *p, const hd_finding *f)
{
  hd_string s = {0};
  if (f->legal_operations > 1)
  {
    hd_string_add(&s, "the first ");
    hd_report_count(&s, f->legal_operations, "", "operations that returned have a legal order");
  }
  else if (f->legal_operations)
    hd_string_add(&s, "the one operation that returned before has a legal order");
  else
    hd_string_add(&s, "nothing returned before");
  hd_string_add(&s, f->legal_operations ? " (the longest legal prefix); with this one there is none"
                                        : ": the longest legal prefix is empty");
  section(p, "explained", HD_TONE_PLAIN, s.text);
  hd_string_clear(&s);
  if (f->nstates)
  {
    hd_string_add(&s, "just before, the object could be in ");
    hd_report_count(&s, f->states_total, "state:", "states:");
    if (f->states_total == 1)
      hd_string_printf(&s, " %s", f->states[0]);
    section(p, "states", HD_TONE_PLAIN, s.text);
    for (size_t i = 0; f->states_total > 1 && i < f->nstates; i++)
      section(p, "", HD_TONE_PLAIN, f->states[i]);
    hd_string_clear(&s);
    if (f->states_total > f->nstates)
    {
      hd_string_add(&s, "and ");
      hd_report_number(&s, f->states_total - f->nstates);
      hd_string_add(&s, " more");
      section(p, "", HD_TONE_PLAIN, s.text);
    }
  }
  hd_string_free(&s);
}

/* ---- the state ---- */

static void
writer(hd_report_page *p, const hd_report *r, const hd_finding *f, const hd_writer_info *w, size_t hang)
{
  hd_string label = {0}, clean = {0}, s = {0};
  hd_string_printf(&label, "%s = ", w->variable ? w->variable : "?");
  hd_value_print(&label, w->value, 48);
  hd_report_clean(&clean, label.text, p->utf8);
  hd_report_position_text(&s, w->position);
  hd_string_add(&s, ": ");
  hd_report_thread_text(&s, r, w->thread);
  hd_string place = {0};
  if (hd_report_place_text(&place, r, w->site))
    hd_string_printf(&s, " at %s", place.text);
  hd_string_add(&s, w->op ? ", in " : ", outside any operation");
  if (w->op)
    name_op(&s, f, w->op, p->utf8);
  hd_report_paragraph(p, INDENT + HANG, hang, HD_TONE_BOLD, clean.text, HD_TONE_PLAIN, s.text);
  hd_string_free(&place);
  hd_string_free(&label);
  hd_string_free(&clean);
  hd_string_free(&s);
}

static size_t
widest_writer(const hd_key_difference *d)
{
  size_t widest = 0;
  for (size_t i = 0; i < d->nwriters; i++)
  {
    hd_string s = {0}, clean = {0};
    hd_string_printf(&s, "%s = ", d->writers[i].variable ? d->writers[i].variable : "?");
    hd_value_print(&s, d->writers[i].value, 48);
    hd_report_clean(&clean, s.text, true);
    size_t n = hd_report_columns(clean.text);
    widest = n > widest ? n : widest;
    hd_string_free(&s);
    hd_string_free(&clean);
  }
  return widest < 40 ? widest : 40;
}

/* For views both sides are known; for variables and overlaps there is nothing but the writers. */
static void
difference(hd_report_page *p, const hd_report *r, const hd_finding *f, const hd_key_difference *d)
{
  hd_string s = {0};
  hd_report_newline(p);
  if (f->kind == HD_FOUND_VIEW || f->kind == HD_FOUND_INTERNAL || d->spec_has || d->replica_has)
  {
    hd_string_add(&s, "specification ");
    if (d->spec_has)
      hd_value_print(&s, d->spec_value, VALUE_BYTES);
    else
      hd_string_add(&s, "absent");
    hd_string_add(&s, ", replica ");
    if (d->replica_has)
      hd_value_print(&s, d->replica_value, VALUE_BYTES);
    else
      hd_string_add(&s, "absent");
  }
  hd_string label = {0}, clean = {0};
  hd_string_add(&label, "key ");
  hd_value_print(&label, d->key, 48);
  hd_string_add(&label, ":");
  hd_report_clean(&clean, label.text, p->utf8);
  hd_report_paragraph(p, INDENT, HANG, HD_TONE_BOLD, clean.text, HD_TONE_BAD, text_of(&s));
  if (d->nwriters)
  {
    section(p, "", HD_TONE_DIM, d->nwriters == 1 ? "last write:" : "last writes, newest first:");
    size_t hang = widest_writer(d) + 3;
    for (size_t i = 0; i < d->nwriters; i++)
      writer(p, r, f, &d->writers[i], hang);
  }
  hd_string_free(&s);
  hd_string_free(&label);
  hd_string_free(&clean);
}

/* ---- whose fault ---- */

static const char *
verdict_of(const hd_finding *f, hd_tone *tone)
{
  *tone = HD_TONE_WARN;
  if (f->kind == HD_FOUND_BAD_SPEC)
    return "the specification does not fit; nothing was judged";
  if (f->kind == HD_FOUND_ANNOTATION)
    return "annotation is wrong";
  switch (f->blame)
  {
  case HD_BLAME_IMPLEMENTATION:
    *tone = HD_TONE_BAD;
    return "implementation is wrong";
  case HD_BLAME_ANNOTATION:
    return "commit annotation suspect";
  case HD_BLAME_UNDECIDED:
    return "undecided";
  case HD_BLAME_NONE:
    break;
  }
  return "not diagnosed";
}

static void
blame(hd_report_page *p, const hd_report *r, const hd_finding *f)
{
  hd_tone tone;
  const char *verdict = verdict_of(f, &tone);
  hd_report_newline(p);
  section(p, "verdict", tone, verdict);
  if (f->why)
    section(p, "because", HD_TONE_PLAIN, f->why);
  for (size_t i = 0; i < f->nrepairs; i++)
  {
    hd_string s = {0}, place = {0};
    const hd_op_info *op = hd_report_find_op(f, f->repairs[i]);
    hd_string_add(&s, "the commit of ");
    name_op(&s, f, f->repairs[i], p->utf8);
    if (op && hd_report_place_text(&place, r, op->commit_site))
      hd_string_printf(&s, " at %s", place.text);
    hd_string_add(&s, f->nrepairs == 1 ? "; as a window from call to return it would fit" : "");
    section(p, i == 0 ? "suspect" : "", HD_TONE_PLAIN, s.text);
    hd_string_free(&s);
    hd_string_free(&place);
  }
  if (f->nrepairs > 1)
    section(p, "", HD_TONE_PLAIN, "as windows from call to return they would fit");
  if (f->suggestion)
    section(p, "try", HD_TONE_BOLD, f->suggestion);
}

void
hd_report_finding(hd_report_page *p, const hd_report *r, const hd_refine_result *result)
{
  const hd_finding *f = &result->finding;
  hd_string name = {0}, line = {0};
  hd_report_object_text(&name, result);
  hd_string_printf(&line, "%s: %s", name.text, f->headline ? f->headline : hd_report_kind_name(f->kind));
  hd_report_paragraph(p, 0, 0, HD_TONE_PLAIN, "", HD_TONE_BAD, line.text);
  hd_string_free(&line);
  hd_string_free(&name);

  const char *file = NULL;
  const hd_op_info *failing = hd_report_failing_op(f);
  if (r->quiet)
  {
    hd_tone tone;
    if (!failing || !failing->return_site)
      place_alone(p, r, f->site ? f->site : failing ? failing->call_site : 0);
    else
      failing_op(p, r, f, failing, &file);
    section(p, "verdict", HD_TONE_PLAIN, verdict_of(f, &tone));
    return;
  }
  hd_report_newline(p);
  if (failing)
    failing_op(p, r, f, failing, &file);
  else
    place_alone(p, r, f->site);
  if (f->expected)
    section(p, "expected", HD_TONE_GOOD, f->expected);
  if (f->actual)
    section(p, "came", HD_TONE_BAD, f->actual);
  if (hd_report_found_as_a_whole(f))
    prefix(p, f);
  if (f->nops)
    explanation(p, r, f, &file);
  for (size_t i = 0; i < f->ndifferences && i < KEYS_MAX; i++)
    difference(p, r, f, &f->differences[i]);
  if (f->ndifferences > KEYS_MAX)
  {
    hd_string more = {0};
    hd_report_count(&more, f->ndifferences - KEYS_MAX, "more key differs", "more keys differ");
    hd_string_add(&more, "; --json lists them");
    hd_report_newline(p);
    section(p, "", HD_TONE_PLAIN, more.text);
    hd_string_free(&more);
  }
  blame(p, r, f);
  if (result->incomplete)
    section(p, "besides", HD_TONE_WARN, result->incomplete);
}
