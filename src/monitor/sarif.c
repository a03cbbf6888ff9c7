/* sarif.c: findings as SARIF 2.1.0, which editors and code review tools show beside the source. A result is where the
 * finding became one: at the later access of a race, where a block that is not atomic begins, where a thread of a
 * deadlock acquires. The other places that belong to it are related locations; all have their stacks. */
#include "monitor/findings.h"

#include <inttypes.h>
#include <string.h>

enum rules
{
  RACE,
  PREDICTED,
  ATOMIC,
  DEADLOCK
};

static const struct
{
  const char *id, *says;
} rules[] = {
    [RACE] = {"race", "Two accesses to the same memory, one of them a write, that nothing orders"},
    [PREDICTED] = {"predicted-race", "Two accesses that this run ordered by chance, and another one can do at once"},
    [ATOMIC] = {"not-atomic", "A block whose effect no serial order of the blocks explains"},
    [DEADLOCK] = {"deadlock", "Threads that can wait for each other's locks for ever"},
};

static const hd_trace_names *
names(const hd_monitor_findings *f)
{
  return hd_trace_names_of(f->trace);
}

static void
put_text(hd_string *out, const char *text)
{
  hd_json_string(out, text, strlen(text));
}

/* ---- places ---- */

static void
put_location(hd_string *out, const hd_monitor_findings *f, uint32_t location, const char *message)
{
  hd_trace_location where = hd_trace_names_location(names(f), location);
  hd_sarif_location(out, message, where.file, (int) where.line, where.function);
}

/* "T1 writes x, event 7" */
static void
say_event(hd_string *out, const hd_monitor_findings *f, const hd_trace_event *e)
{
  const hd_trace_kind_info *kind = hd_trace_kind_get(e->kind);
  hd_trace_print_target(out, names(f), HD_TRACE_THREAD, e->thread, 0);
  hd_string_printf(out, " %s", kind->sentence);
  if (kind->class != HD_TRACE_NOTHING)
  {
    hd_string_add(out, " ");
    hd_trace_print_target(out, names(f), (hd_trace_class) kind->class, e->target, e->size);
  }
  hd_string_printf(out, ", event %" PRIu64, e->number);
}

/* A result as it is made: places come one after the other. */
typedef struct result
{
  const hd_monitor_findings *f;
  hd_string message, locations, related, stacks;
} result;

/* One of the places of the finding, the first of which is where it is. */
static void
add_place(result *r, const char *message, uint32_t location, uint32_t stack)
{
  size_t n;
  const uint32_t *callers = hd_trace_names_stack(names(r->f), stack, &n);
  hd_string *where = r->locations.length ? &r->related : &r->locations;
  hd_string_add(where, where->length ? ",\n          " : "");
  put_location(where, r->f, location, message);
  hd_string_printf(&r->stacks, "%s{\"message\": {\"text\": ", r->stacks.length ? ",\n          " : "");
  put_text(&r->stacks, message);
  hd_string_add(&r->stacks, "}, \"frames\": [{\"location\": ");
  put_location(&r->stacks, r->f, location, NULL);
  for (size_t i = 0; i < n; i++)
  {
    hd_string_add(&r->stacks, "}, {\"location\": ");
    put_location(&r->stacks, r->f, callers[i], NULL);
  }
  hd_string_add(&r->stacks, "}]}");
}

static void
add_event(result *r, const hd_trace_event *e)
{
  hd_string message = {0};
  say_event(&message, r->f, e);
  add_place(r, message.text, e->location, e->stack);
  hd_string_free(&message);
}

static void
put_result(hd_string *out, enum rules rule, result *r)
{
  hd_string_printf(out,
                   "%s{\"ruleId\": \"%s\", \"ruleIndex\": %d, \"level\": \"error\",\n        \"message\": {\"text\": ",
                   out->length ? ",\n    " : "\n    ", rules[rule].id, (int) rule);
  put_text(out, r->message.text);
  hd_string_printf(out,
                   "},\n        \"locations\": [%s],\n        \"relatedLocations\": [%s],\n        \"stacks\": [\n"
                   "          %s]}",
                   r->locations.text, r->related.length ? r->related.text : "", r->stacks.text);
  hd_string_free(&r->message);
  hd_string_free(&r->locations);
  hd_string_free(&r->related);
  hd_string_free(&r->stacks);
}

/* ---- findings ---- */

/* Only the first findings have their events. */
static hd_trace_event
access_of(const race_finding *x, const hd_monitor_place *p, const detail *d)
{
  if (d->held)
    return d->event;
  return (hd_trace_event){.number = p->number,
                          .target = x->race.target,
                          .thread = p->thread,
                          .location = p->location,
                          .stack = p->stack,
                          .size = x->race.size,
                          .kind = p->kind};
}

static void
put_races(hd_string *out, const hd_monitor_findings *f, const race_findings *list)
{
  for (size_t i = 0; i < list->n; i++)
  {
    const race_finding *x = &list->items[i];
    if (x->suppressed || x->shadowed)
      continue;
    result r = {.f = f};
    hd_trace_event first = access_of(x, &x->race.first, &x->first);
    hd_trace_event second = access_of(x, &x->race.second, &x->second);
    hd_string_add(&r.message, x->race.predicted ? "Predicted race on " : "Race on ");
    hd_trace_print_target(&r.message, names(f), HD_TRACE_VARIABLE, x->race.target, x->race.size);
    hd_string_add(&r.message, ": ");
    say_event(&r.message, f, &second);
    hd_string_add(&r.message, "; ");
    say_event(&r.message, f, &first);
    hd_string_add(&r.message, x->race.predicted ? "; this run ordered them by chance, another one can do both at once."
                                                : "; nothing orders these two accesses.");
    add_event(&r, &second);
    add_event(&r, &first);
    if (hd_monitor_block_is_known(f, x))
    {
      hd_string said = {0};
      hd_monitor_say_block(&said, f, x);
      add_place(&r, said.text, x->block.location, x->block.stack);
      hd_string_free(&said);
    }
    put_result(out, x->race.predicted ? PREDICTED : RACE, &r);
  }
}

static void
put_block(hd_string *out, const hd_monitor_findings *f, const block_finding *b)
{
  result r = {.f = f};
  hd_string begins = {0};
  hd_string_add(&r.message, "Not atomic: the block of ");
  hd_trace_print_target(&r.message, names(f), HD_TRACE_THREAD, b->first.begin.thread, 0);
  hd_string_add(&r.message, " that begins at ");
  hd_trace_print_location(&r.message, names(f), b->first.begin.location);
  hd_string_add(&r.message, " comes before and after what another thread does; no serial order explains it.");
  hd_string_printf(&begins, "the block begins, event %" PRIu64, b->first.begin.number);
  add_place(&r, begins.text, b->first.begin.location, b->first.begin.stack);
  hd_string_free(&begins);
  for (size_t i = 0; i < b->nsteps; i++)
    if (b->steps[i].from.thread != b->steps[i].to.thread)
    {
      add_event(&r, &b->steps[i].from);
      add_event(&r, &b->steps[i].to);
    }
  if (b->nsteps == 0)
  {
    add_place(&r, "what the other thread does", b->first.other.location, b->first.other.stack);
    add_place(&r, "where this became known", b->first.at.location, b->first.at.stack);
  }
  put_result(out, ATOMIC, &r);
}

static void
put_deadlock(hd_string *out, const hd_monitor_findings *f, const deadlock_finding *d)
{
  result r = {.f = f};
  hd_string_printf(&r.message, "Possible deadlock of %zu threads: ", d->n);
  for (size_t i = 0; i < d->n; i++)
  {
    const hd_monitor_wait *w = &d->waits[i];
    hd_string at = {0}, held = {0};
    hd_trace_print_target(&at, names(f), HD_TRACE_THREAD, w->at.thread, 0);
    hd_string_add(&at, " acquires ");
    hd_trace_print_target(&at, names(f), HD_TRACE_LOCK, w->wanted, 0);
    hd_string_add(&at, " while it holds ");
    hd_trace_print_target(&at, names(f), HD_TRACE_LOCK, w->held, 0);
    hd_trace_print_target(&held, names(f), HD_TRACE_THREAD, w->held_at.thread, 0);
    hd_string_add(&held, " acquired ");
    hd_trace_print_target(&held, names(f), HD_TRACE_LOCK, w->held, 0);
    hd_string_printf(&r.message, "%s%s", i ? "; " : "", at.text);
    add_place(&r, at.text, w->at.location, w->at.stack);
    add_place(&r, held.text, w->held_at.location, w->held_at.stack);
    hd_string_free(&at);
    hd_string_free(&held);
  }
  hd_string_add(&r.message, ".");
  put_result(out, DEADLOCK, &r);
}

/* ---- the whole ---- */

void
hd_monitor_print_sarif(hd_string *out, const hd_monitor_findings *f)
{
  hd_string list = {0}, results = {0}, summary = {0};
  put_races(&results, f, &f->happened);
  put_races(&results, f, &f->predicted);
  for (size_t i = 0; i < f->nblocks; i++)
    if (!f->blocks[i].suppressed)
      put_block(&results, f, &f->blocks[i]);
  for (size_t i = 0; i < f->ndeadlocks; i++)
    if (!f->deadlocks[i].suppressed)
      put_deadlock(&results, f, &f->deadlocks[i]);
  for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
  {
    hd_string_printf(&list, "%s{\"id\": \"%s\", \"shortDescription\": {\"text\": ", i ? ",\n      " : "", rules[i].id);
    put_text(&list, rules[i].says);
    hd_string_add(&list, "}}");
  }
  hd_monitor_print_text_end(&summary, f, false);
  while (summary.length > 0 && summary.text[summary.length - 1] == '\n')
    summary.text[--summary.length] = 0;
  hd_sarif_log(out, list.text, results.length ? results.text : "", summary.text,
               hd_monitor_verdict(f) != HD_INCOMPLETE && !f->cut && !f->stopped && !f->not_all_cycles);
  hd_string_free(&list);
  hd_string_free(&results);
  hd_string_free(&summary);
}
