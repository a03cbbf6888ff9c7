/* text.c: the whole answer for people: objects, findings, facts about the log, figures, verdict.
 *
 * What is well stands first and is short; what is wrong stands last, above the verdict, where a terminal shows it. */
#include "report/parts.h"

#include <inttypes.h>

#define WIDTH 100
#define WIDTH_MIN 60
#define OBJECTS_LISTED 20 /* lines of one kind; the rest is counted */
#define WAITS_LISTED 5    /* objects whose states could not be compared everywhere */

static const char *
compared(const hd_refine_result *x)
{
  bool never = x->stats.views_skipped && !x->stats.view_comparisons;
  return x->views && !never ? "I/O and view" : "I/O only";
}

static bool
has_finding(const hd_refine_result *x)
{
  return x->finding.kind != HD_FOUND_NOTHING;
}

/* "812 operations, 300 commits" */
static void
work_done(hd_string *s, const hd_refine_result *x)
{
  hd_report_count(s, x->stats.operations, "operation", "operations");
  hd_string_add(s, ", ");
  hd_report_count(s, x->stats.commits, "commit", "commits");
  if (x->stats.internal)
  {
    hd_string_add(s, ", ");
    hd_report_count(s, x->stats.internal, "internal task", "internal tasks");
  }
}

static void
object_holds(hd_report_page *p, const hd_refine_result *x)
{
  hd_string s = {0};
  hd_report_object_text(&s, x);
  hd_string_add(&s, ": ");
  work_done(&s, x);
  hd_string_printf(&s, "; compared: %s", compared(x));
  hd_report_paragraph(p, 0, 0, HD_TONE_PLAIN, "", HD_TONE_PLAIN, s.text);
  hd_string_free(&s);
}

static void
object_incomplete(hd_report_page *p, const hd_report *r, const hd_refine_result *x)
{
  const hd_log_object *o = r->log ? hd_log_object_get(r->log, x->object_id) : NULL;
  uint64_t first = o ? o->first : 0;
  hd_string s = {0};
  hd_report_object_text(&s, x);
  hd_string_add(&s, ": incomplete");
  hd_report_paragraph(p, 0, 0, HD_TONE_PLAIN, "", HD_TONE_WARN, s.text);
  hd_report_paragraph(p, 2, 13, HD_TONE_DIM, "why", HD_TONE_PLAIN,
                      x->incomplete ? x->incomplete : "the check did not reach the end");
  hd_string_clear(&s);
  /* The figures count what was read; that is more than was judged if there are ticks left. */
  if (x->checked_to > first)
    hd_string_printf(&s, "up to tick %" PRIu64 "; ", x->checked_to - 1);
  if (!o || o->ticks > x->checked_to)
    hd_string_add(&s, "read: ");
  work_done(&s, x);
  hd_string_printf(&s, "; compared: %s; no violation there", compared(x));
  hd_report_paragraph(p, 2, 13, HD_TONE_DIM, "checked", HD_TONE_PLAIN, s.text);
  hd_string_clear(&s);

  if (o && o->ticks > x->checked_to)
    hd_string_printf(&s, "ticks %" PRIu64 " to %" PRIu64 ", and everything that happened during them", x->checked_to,
                     o->ticks - 1);
  else if (!o)
    hd_string_add(&s, "what came after that");
  if (x->stats.pending)
  {
    hd_string_add(&s, s.length ? "; the returns of " : "the returns of ");
    hd_report_count(&s, x->stats.pending, "operation that never returned", "operations that never returned");
  }
  if (o && o->dropped)
  {
    hd_string_add(&s, s.length ? "; " : "");
    hd_report_count(&s, o->dropped, "operation that was not logged", "operations that were not logged");
  }
  if (s.length)
    hd_report_paragraph(p, 2, 13, HD_TONE_DIM, "not checked", HD_TONE_PLAIN, s.text);
  hd_string_free(&s);
}

/* Objects without a finding and with verdict V, at most OBJECTS_LISTED of them. */
static void
list_objects(hd_report_page *p, const hd_report *r, hd_verdict v)
{
  size_t listed = 0, more = 0;
  for (size_t i = 0; i < r->nresults; i++)
  {
    const hd_refine_result *x = r->results[i];
    if (has_finding(x) || x->verdict != v)
      continue;
    if (listed == OBJECTS_LISTED)
    {
      more++;
      continue;
    }
    listed++;
    if (v == HD_HOLDS)
      object_holds(p, x);
    else
      object_incomplete(p, r, x);
  }
  if (more)
  {
    hd_string s = {0};
    hd_string_add(&s, "and ");
    hd_report_count(&s, more, "more object", "more objects");
    hd_string_add(&s, v == HD_HOLDS ? ", on which nothing was found" : ", also incomplete");
    hd_report_paragraph(p, 0, 0, HD_TONE_PLAIN, "", HD_TONE_PLAIN, s.text);
    hd_string_free(&s);
  }
}

static void
note(hd_report_page *p, const char *text)
{
  hd_report_paragraph(p, 0, 6, HD_TONE_WARN, "note:", HD_TONE_PLAIN, text);
}

/* Where windows made comparisons of states wait: what is said of the object is said of the places that were compared.
 */
static void
waits(hd_report_page *p, const hd_report *r)
{
  size_t n = 0;
  hd_string s = {0};
  for (size_t i = 0; i < r->nresults; i++)
  {
    hd_string_clear(&s);
    if (hd_report_waits_text(&s, r, r->results[i]) && n++ < WAITS_LISTED)
      note(p, s.text);
  }
  if (n > WAITS_LISTED)
  {
    hd_string_clear(&s);
    hd_report_count(&s, n - WAITS_LISTED, "more object", "more objects");
    hd_string_add(&s, ", also with comparisons that had to wait");
    note(p, s.text);
  }
  hd_string_free(&s);
}

static void
facts(hd_report_page *p, const hd_report *r)
{
  hd_string s = {0};
  const hd_log_damage *damages = NULL;
  size_t n = r->log ? hd_log_damages(r->log, &damages) : 0;
  for (size_t i = 0; i < n && i < 5; i++)
  {
    hd_string_clear(&s);
    hd_string_printf(&s, "the log is damaged at byte %" PRIu64 ": %s", damages[i].offset, damages[i].what);
    note(p, s.text);
  }
  if (n > 5)
  {
    hd_string_clear(&s);
    hd_string_printf(&s, "the log is damaged in %zu more places", n - 5);
    note(p, s.text);
  }
  if (r->log && hd_log_dropped(r->log))
  {
    hd_string_clear(&s);
    hd_report_count(&s, hd_log_dropped(r->log), "operation was", "operations were");
    hd_string_add(&s, " not logged because there was no room");
    note(p, s.text);
  }
  if (r->log && hd_log_lost(r->log))
    note(p, "the program could not record everything (a table or the disk was full)");
  if (r->log && !hd_log_closed(r->log))
    note(p, "the program did not close the log: it is still running, was killed, or crashed");
  for (size_t i = 0; i < r->nnotes; i++)
    note(p, r->notes[i]);
  waits(p, r);
  hd_string_free(&s);
}

static void
figure(hd_report_page *p, const char *what, uint64_t n, const char *remark)
{
  hd_string s = {0};
  hd_report_number(&s, n);
  hd_report_putf(p, HD_TONE_PLAIN, "  %-30s %15s%s%s", what, s.text, *remark ? "  " : "", remark);
  hd_report_newline(p);
  hd_string_free(&s);
}

static void
statistics(hd_report_page *p, const hd_report *r)
{
  hd_refine_stats t = {0};
  for (size_t i = 0; i < r->nresults; i++)
  {
    const hd_refine_stats *s = &r->results[i]->stats;
    t.events += s->events, t.operations += s->operations, t.returned += s->returned, t.commits += s->commits;
    t.windows += s->windows, t.observers += s->observers, t.uncommitted += s->uncommitted;
    t.internal += s->internal, t.writes += s->writes, t.ticks += s->ticks, t.pending += s->pending;
    t.view_comparisons += s->view_comparisons, t.keys_compared += s->keys_compared;
    t.views_skipped += s->views_skipped, t.applications += s->applications;
    t.configurations_made += s->configurations_made;
    if (s->configurations_peak > t.configurations_peak)
      t.configurations_peak = s->configurations_peak;
    if (s->open_peak > t.open_peak)
      t.open_peak = s->open_peak;
  }
  hd_string speed = {0};
  hd_string_add(&speed, "");
  if (r->seconds > 0)
  {
    hd_report_number(&speed, (uint64_t) ((double) t.events / r->seconds));
    hd_string_add(&speed, " per second");
  }
  hd_report_newline(p);
  hd_report_put(p, HD_TONE_BOLD, "statistics");
  hd_report_newline(p);
  figure(p, "objects", r->nresults, "");
  figure(p, "events", t.events, speed.text);
  figure(p, "operations", t.operations, "");
  figure(p, "  never returned", t.pending, "");
  figure(p, "  observers", t.observers, "");
  figure(p, "  returned without a commit", t.uncommitted, "");
  figure(p, "commits", t.commits, "");
  figure(p, "commit windows opened", t.windows, "");
  figure(p, "internal tasks", t.internal, "");
  figure(p, "writes", t.writes, "");
  figure(p, "ticks judged", t.ticks, "");
  figure(p, "view comparisons", t.view_comparisons, "");
  figure(p, "  put off, a window was open", t.views_skipped, "");
  figure(p, "  keys compared", t.keys_compared, "");
  figure(p, "specification steps", t.applications, "");
  figure(p, "configurations", t.configurations_made, "");
  figure(p, "  at one time, one object", t.configurations_peak, "");
  figure(p, "open operations at one time", t.open_peak, "");
  figure(p, "peak memory, KiB", hd_report_memory(r) / 1024, "");
  hd_string_free(&speed);
}

static void
verdict_line(hd_report_page *p, const hd_report *r)
{
  size_t findings = 0, incomplete = 0;
  for (size_t i = 0; i < r->nresults; i++)
  {
    findings += has_finding(r->results[i]);
    incomplete += !has_finding(r->results[i]) && r->results[i]->verdict == HD_INCOMPLETE;
  }
  static const char *const words[] = {"holds", "violated", "bad input", "incomplete"};
  static const hd_tone tones[] = {HD_TONE_GOOD, HD_TONE_BAD, HD_TONE_BAD, HD_TONE_WARN};
  unsigned v = (unsigned) r->verdict <= HD_INCOMPLETE ? (unsigned) r->verdict : HD_INCOMPLETE;
  hd_report_put(p, tones[v], words[v]);

  hd_string s = {0};
  size_t concerned = findings ? findings : incomplete;
  if (concerned && concerned < r->nresults)
    hd_string_printf(&s, "%zu of ", concerned);
  hd_report_count(&s, r->nresults, "object", "objects");
  const char *path = r->log_path ? r->log_path : r->log ? hd_log_path(r->log) : NULL;
  if (path)
    hd_string_printf(&s, " in %s", path);
  if (r->seconds >= 0)
    hd_string_printf(&s, ", %.2f s", r->seconds);
  hd_report_putf(p, HD_TONE_PLAIN, ": %s", s.text);
  hd_report_newline(p);
  hd_string_free(&s);
}

void
hd_report_text(FILE *out, const hd_report *r)
{
  int width = r->width ? r->width : WIDTH;
  hd_report_page page = {.color = r->color, .utf8 = r->utf8, .width = (size_t) (width < WIDTH_MIN ? WIDTH_MIN : width)};
  hd_report_page *p = &page;
  if (!r->quiet)
    list_objects(p, r, HD_HOLDS);
  list_objects(p, r, HD_INCOMPLETE);
  for (size_t i = 0; i < r->nresults; i++)
    if (has_finding(r->results[i]))
    {
      if (p->text.length && !r->quiet)
        hd_report_newline(p);
      hd_report_finding(p, r, r->results[i]);
    }
  if (!r->quiet || r->verdict != HD_HOLDS)
  {
    if (p->text.length && !r->quiet && r->verdict != HD_HOLDS)
      hd_report_newline(p);
    facts(p, r);
  }
  if (r->stats)
    statistics(p, r);
  if (r->stats)
    hd_report_newline(p);
  if (!r->quiet || r->verdict != HD_HOLDS)
    verdict_line(p, r);
  if (page.text.length)
    fwrite(page.text.text, 1, page.text.length, out);
  hd_string_free(&page.text);
}
