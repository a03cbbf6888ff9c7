/* json.c: findings for programs; docs/schema/monitor.schema.json has the form. */
#include "monitor/findings.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const hd_trace_names *
names(const hd_monitor_findings *f)
{
  return hd_trace_names_of(f->trace);
}

static void
add_string(hd_string *out, const char *text)
{
  hd_json_string(out, text, strlen(text));
}

static void
add_target(hd_string *out, const hd_monitor_findings *f, hd_trace_class class, uint64_t target, uint32_t size)
{
  hd_string s = {0};
  hd_trace_print_target(&s, names(f), class, target, size);
  add_string(out, s.text);
  hd_string_free(&s);
}

static void
add_location(hd_string *out, const hd_monitor_findings *f, uint32_t id)
{
  hd_trace_location where = hd_trace_names_location(names(f), id);
  if (!where.text && !where.file && !where.function)
  {
    hd_string_add(out, "null");
    return;
  }
  hd_string_add(out, "{");
  const char *comma = "";
  const char *const keys[] = {"text", "file", "function"}, *const values[] = {where.text, where.file, where.function};
  for (int i = 0; i < 3; i++)
    if (values[i])
    {
      hd_string_printf(out, "%s\"%s\":", comma, keys[i]);
      add_string(out, values[i]);
      comma = ",";
    }
  if (where.line > 0)
    hd_string_printf(out, "%s\"line\":%" PRIu32, comma, where.line);
  hd_string_add(out, "}");
}

static void
add_place(hd_string *out, const hd_monitor_findings *f, const hd_monitor_place *p)
{
  size_t n;
  const uint32_t *stack = hd_trace_names_stack(names(f), p->stack, &n);
  hd_string_printf(out, "{\"event\":%" PRIu64 ",\"thread\":", p->number);
  add_target(out, f, HD_TRACE_THREAD, p->thread, 0);
  hd_string_printf(out, ",\"operation\":\"%s\",\"location\":", hd_trace_kind_get(p->kind)->word);
  add_location(out, f, p->location);
  hd_string_add(out, ",\"stack\":[");
  for (size_t i = 0; i < n; i++)
  {
    hd_string_add(out, i ? "," : "");
    add_location(out, f, stack[i]);
  }
  hd_string_add(out, "]}");
}

static void
add_numbers(hd_string *out, const uint64_t *numbers, size_t n)
{
  hd_string_add(out, "[");
  for (size_t i = 0; i < n; i++)
    hd_string_printf(out, "%s%" PRIu64, i ? "," : "", numbers[i]);
  hd_string_add(out, "]");
}

/* ---- races ---- */

static void
add_held(hd_string *out, const char *key, const detail *d)
{
  if (!d->held)
    return;
  hd_string_printf(out, ",\"%s\":", key);
  add_string(out, d->held);
}

/* Of memory that was allocated: which block, how large, by whom and where. */
static void
add_allocation(hd_string *out, const hd_monitor_findings *f, const race_finding *r)
{
  const hd_trace_event *b = &r->block;
  if (!b->kind)
    return;
  hd_string_printf(out,
                   ",\"block\":{\"offset\":%" PRIu64 ",\"size\":%" PRIu32 ",\"allocated\":", r->race.target - b->target,
                   b->size);
  hd_monitor_place p = hd_monitor_place_of(b);
  add_place(out, f, &p);
  hd_string_add(out, "}");
}

static void
add_races(hd_string *out, const hd_monitor_findings *f, const race_findings *list)
{
  const char *comma = "";
  hd_string_add(out, "{\"events\":");
  add_numbers(out, list->events, list->nevents);
  hd_string_add(out, ",\"pairs\":[");
  for (size_t i = 0; i < list->n; i++)
  {
    const race_finding *r = &list->items[i];
    if (r->suppressed)
      continue;
    hd_string_printf(out, "%s{\"variable\":", comma);
    comma = ",";
    add_target(out, f, HD_TRACE_VARIABLE, r->race.target, r->race.size);
    hd_string_printf(out, ",\"count\":%" PRIu64 ",\"first\":", r->count);
    add_place(out, f, &r->race.first);
    hd_string_add(out, ",\"second\":");
    add_place(out, f, &r->race.second);
    add_held(out, "first_holds", &r->first);
    add_held(out, "second_holds", &r->second);
    add_allocation(out, f, r);
    if (r->race.predicted)
    {
      const char *between = "";
      hd_string_printf(out, ",\"also_happened\":%s,\"reordering\":{", r->shadowed ? "true" : "false");
      for (uint32_t t = 0; t < r->race.nthreads; t++)
        if (r->race.prefix[t] > 0)
        {
          hd_string_add(out, between);
          between = ",";
          add_target(out, f, HD_TRACE_THREAD, t, 0);
          hd_string_printf(out, ":%" PRIu32, r->race.prefix[t]);
        }
      hd_string_add(out, "}");
      if (r->race.put_off)
        hd_string_printf(out, ",\"put_off\":%" PRIu32, r->race.put_off);
    }
    hd_string_add(out, "}");
  }
  hd_string_add(out, "]");
}

static void
add_race_part(hd_string *out, const hd_monitor_findings *f)
{
  hd_string_add(out, ",\"race\":");
  if (!f->options.race)
  {
    hd_string_add(out, "null,\"predicted\":null");
    return;
  }
  add_races(out, f, &f->happened);
  hd_string_add(out, ",\"variables\":[");
  for (size_t i = 0; i < f->nracy; i++)
  {
    hd_string_add(out, i ? "," : "");
    add_target(out, f, HD_TRACE_VARIABLE, f->racy[i].target, f->racy[i].size);
  }
  hd_string_add(out, "]},\"predicted\":");
  if (f->options.predict)
  {
    add_races(out, f, &f->predicted);
    hd_string_add(out, "}");
  }
  else
    hd_string_add(out, "null");
}

/* ---- the others ---- */

static void
add_event(hd_string *out, const hd_monitor_findings *f, const hd_trace_event *e)
{
  hd_monitor_place p = hd_monitor_place_of(e);
  add_place(out, f, &p);
}

static void
add_block(hd_string *out, const hd_monitor_findings *f, const block_finding *b)
{
  hd_string_printf(out, "{\"count\":%" PRIu64 ",\"begin\":", b->count);
  add_place(out, f, &b->first.begin);
  hd_string_add(out, ",\"at\":");
  add_place(out, f, &b->first.at);
  hd_string_add(out, ",\"cycle\":[");
  for (size_t i = 0; i < b->nsteps; i++)
  {
    hd_string_add(out, i ? ",{\"block\":" : "{\"block\":");
    if (b->steps[i].begin.number > 0)
      hd_string_printf(out, "%" PRIu64, b->steps[i].begin.number);
    else
      hd_string_add(out, "null");
    hd_string_add(out, ",\"from\":");
    add_event(out, f, &b->steps[i].from);
    hd_string_add(out, ",\"to\":");
    add_event(out, f, &b->steps[i].to);
    hd_string_add(out, "}");
  }
  hd_string_add(out, "]}");
}

static void
add_atomic_part(hd_string *out, const hd_monitor_findings *f)
{
  const char *comma = "";
  hd_string_add(out, ",\"atomic\":");
  if (!f->options.atomic)
  {
    hd_string_add(out, "null");
    return;
  }
  hd_string_printf(out, "{\"serialisable\":%s,\"blocks\":[", f->unserial > 0 ? "false" : "true");
  for (size_t i = 0; i < f->nblocks; i++)
    if (!f->blocks[i].suppressed)
    {
      hd_string_add(out, comma);
      comma = ",";
      add_block(out, f, &f->blocks[i]);
    }
  hd_string_add(out, "]}");
}

static void
add_deadlock_part(hd_string *out, const hd_monitor_findings *f)
{
  const char *comma = "";
  hd_string_add(out, ",\"deadlock\":");
  if (!f->options.deadlock)
  {
    hd_string_add(out, "null");
    return;
  }
  hd_string_add(out, "{\"cycles\":[");
  for (size_t i = 0; i < f->ndeadlocks; i++)
  {
    const deadlock_finding *d = &f->deadlocks[i];
    if (d->suppressed)
      continue;
    hd_string_printf(out, "%s{\"count\":%" PRIu64 ",\"threads\":[", comma, d->count);
    comma = ",";
    for (size_t w = 0; w < d->n; w++)
    {
      hd_string_add(out, w ? ",{\"wants\":" : "{\"wants\":");
      add_target(out, f, HD_TRACE_LOCK, d->waits[w].wanted, 0);
      hd_string_add(out, ",\"at\":");
      add_place(out, f, &d->waits[w].at);
      hd_string_add(out, ",\"holds\":");
      add_target(out, f, HD_TRACE_LOCK, d->waits[w].held, 0);
      hd_string_add(out, ",\"since\":");
      add_place(out, f, &d->waits[w].held_at);
      hd_string_add(out, "}");
    }
    hd_string_add(out, "]}");
  }
  hd_string_add(out, "]}");
}

void
hd_monitor_print_json(hd_string *out, const hd_monitor_findings *f, const char *path, double seconds)
{
  static const char *const verdicts[] = {"holds", "violated", "bad-input", "incomplete"};
  hd_verdict verdict = hd_monitor_verdict(f);
  hd_string_printf(out, "{\"schema\":1,\"command\":\"monitor\",\"verdict\":\"%s\",\"exit_status\":%d,\"seconds\":%.3f",
                   verdicts[verdict], (int) verdict, seconds);
  hd_string_add(out, ",\"trace\":{\"path\":");
  add_string(out, path);
  hd_string_printf(out, ",\"events\":%" PRIu64 ",\"threads\":%" PRIu64 ",\"cut\":", f->events, f->threads);
  if (f->cut)
    add_string(out, f->cut);
  else
    hd_string_add(out, "null");
  hd_string_printf(out, "},\"suppressed\":%" PRIu64, f->suppressed);
  hd_string_add(out, ",\"notes\":[");
  if (f->stopped)
    hd_string_add(out, "\"the time is up\"");
  if (f->not_all_cycles)
    hd_string_printf(out, "%s\"there are too many cycles of locks to try all\"", f->stopped ? "," : "");
  const char *comma = f->stopped || f->not_all_cycles ? "," : "";
  for (const char *line = f->options.notes ? f->options.notes : ""; *line; comma = ",")
  {
    size_t length = strcspn(line, "\n");
    hd_string_add(out, comma);
    hd_json_string(out, line, length);
    line += length + (line[length] != 0);
  }
  hd_string_add(out, "]");
  add_race_part(out, f);
  add_atomic_part(out, f);
  add_deadlock_part(out, f);
  hd_string_add(out, "}\n");
}
