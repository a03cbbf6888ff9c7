/* names.c: operations, threads, places and enumerators in words. */
#include "report/parts.h"

#include <inttypes.h>
#include <sys/resource.h>

const char *
hd_report_verdict_name(hd_verdict v)
{
  switch (v)
  {
  case HD_HOLDS:
    return "holds";
  case HD_VIOLATED:
    return "violated";
  case HD_BAD_INPUT:
    return "bad-input";
  case HD_INCOMPLETE:
    return "incomplete";
  }
  return "incomplete";
}

const char *
hd_report_kind_name(hd_finding_kind kind)
{
  switch (kind)
  {
  case HD_FOUND_NOTHING:
    return "nothing";
  case HD_FOUND_COMMIT:
    return "commit";
  case HD_FOUND_OBSERVER:
    return "observer";
  case HD_FOUND_ORDER:
    return "order";
  case HD_FOUND_VIEW:
    return "view";
  case HD_FOUND_INVARIANT:
    return "invariant";
  case HD_FOUND_INTERNAL:
    return "internal";
  case HD_FOUND_OLD_VALUE:
    return "old-value";
  case HD_FOUND_OVERLAP:
    return "overlap";
  case HD_FOUND_ANNOTATION:
    return "annotation";
  case HD_FOUND_BAD_SPEC:
    return "bad-specification";
  }
  return "nothing";
}

const char *
hd_report_blame_name(hd_blame blame)
{
  switch (blame)
  {
  case HD_BLAME_NONE:
    return "none";
  case HD_BLAME_IMPLEMENTATION:
    return "implementation";
  case HD_BLAME_ANNOTATION:
    return "annotation";
  case HD_BLAME_UNDECIDED:
    return "undecided";
  }
  return "none";
}

bool
hd_report_place(const hd_report *r, uint32_t place, hd_log_place *p)
{
  return place && r->log && hd_log_place_get(r->log, place, p);
}

bool
hd_report_place_text(hd_string *out, const hd_report *r, uint32_t place)
{
  hd_log_place p;
  if (!hd_report_place(r, place, &p))
    return false;
  hd_string_printf(out, "%s:%" PRIu32, p.file, p.line);
  return true;
}

void
hd_report_thread_text(hd_string *out, const hd_report *r, uint32_t thread)
{
  hd_string_printf(out, "T%" PRIu32, thread);
  const char *name = r->log ? hd_log_thread_name(r->log, thread) : NULL;
  if (name && *name)
    hd_string_printf(out, " %s", name);
}

void
hd_report_op_text(hd_string *out, const hd_op_info *op, size_t max, bool with_return, bool utf8)
{
  if (op->internal)
    hd_string_add(out, "task ");
  hd_string_add(out, op->method ? op->method : "?");
  if (!op->internal || op->nargs)
  {
    hd_string_add(out, "(");
    for (uint32_t i = 0; i < op->nargs; i++)
    {
      if (i)
        hd_string_add(out, ", ");
      hd_value_print(out, op->args[i], max);
    }
    hd_string_add(out, ")");
  }
  if (!with_return || op->internal)
    return;
  if (!op->returned)
    hd_string_add(out, utf8 ? " → ?" : " -> ?");
  else
  {
    hd_string_add(out, op->exceptional ? " raised " : utf8 ? " → " : " -> ");
    hd_value_print(out, op->ret, max);
  }
}

void
hd_report_position_text(hd_string *out, uint64_t position)
{
  uint64_t n = hd_report_stamp(position);
  if (hd_report_is_tick(position))
    hd_string_printf(out, "tick %" PRIu64, n);
  else if (n)
    hd_string_printf(out, "after tick %" PRIu64, n - 1);
  else
    hd_string_add(out, "before tick 0");
}

const hd_op_info *
hd_report_find_op(const hd_finding *f, uint64_t number)
{
  for (size_t i = 0; number && i < f->nops; i++)
    if (f->ops[i].number == number)
      return &f->ops[i];
  return NULL;
}

const hd_op_info *
hd_report_failing_op(const hd_finding *f)
{
  for (size_t i = 0; i < f->nops; i++)
    if (f->ops[i].failing)
      return &f->ops[i];
  return NULL;
}

bool
hd_report_found_as_a_whole(const hd_finding *f)
{
  return f->kind == HD_FOUND_ORDER && f->states;
}

void
hd_report_number(hd_string *out, uint64_t n)
{
  char digits[32];
  size_t at = sizeof digits;
  digits[--at] = 0;
  for (int i = 0; n || i == 0; n /= 10, i++)
  {
    if (i && i % 3 == 0)
      digits[--at] = ',';
    digits[--at] = (char) ('0' + n % 10);
  }
  hd_string_add(out, digits + at);
}

void
hd_report_count(hd_string *out, uint64_t n, const char *one, const char *many)
{
  hd_report_number(out, n);
  hd_string_printf(out, " %s", n == 1 ? one : many);
}

bool
hd_report_waits_text(hd_string *out, const hd_report *r, const hd_refine_result *x)
{
  const hd_view_wait *w = &x->wait;
  if (!x->views || !x->stats.views_skipped)
    return false;
  hd_report_object_text(out, x);
  if (x->stats.view_comparisons > 1)
  {
    hd_string_add(out, ": states were compared ");
    hd_report_count(out, x->stats.view_comparisons, "time", "times");
  }
  else
    hd_string_add(out, x->stats.view_comparisons ? ": states were compared once" : ": no state was compared");
  hd_string_add(out, "; ");
  hd_report_count(out, x->stats.views_skipped, "comparison", "comparisons");
  hd_string_add(out, " had to wait because a commit window was open");
  if (!w->method)
    return true;
  hd_string_printf(out, ", longest from tick %" PRIu64 " to ", w->from);
  if (w->to_end)
    hd_string_add(out, "the end, because ");
  else
    hd_string_printf(out, "tick %" PRIu64 ", where ", w->to);
  hd_string_printf(out, "%s (#%" PRIu64 ", thread %" PRIu32 ")", w->method, w->number, w->thread);
  hd_string_add(out, w->to_end ? " never ended the window that it opened" : " had its window open longest");
  hd_string place = {0};
  if (hd_report_place_text(&place, r, w->site))
    hd_string_printf(out, w->to_end ? " at %s" : " (from %s)", place.text);
  hd_string_free(&place);
  return true;
}

uint64_t
hd_report_memory(const hd_report *r)
{
  struct rusage u;
  if (r->memory)
    return r->memory;
  return getrusage(RUSAGE_SELF, &u) == 0 ? (uint64_t) u.ru_maxrss * 1024 : 0;
}
