/* text.c: findings for people, and the line of verdicts. */
#include "monitor/findings.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum
{
  MOST_SHOWN = 20 /* findings of a kind, without --verbose */
};

static const hd_trace_names *
names(const hd_monitor_findings *f)
{
  return hd_trace_names_of(f->trace);
}

static void
add_thread(hd_string *out, const hd_monitor_findings *f, uint32_t thread)
{
  hd_trace_print_target(out, names(f), HD_TRACE_THREAD, thread, 0);
}

/* "writes x" */
static void
add_operation(hd_string *out, const hd_monitor_findings *f, const hd_trace_event *e)
{
  const hd_trace_kind_info *kind = hd_trace_kind_get(e->kind);
  hd_string_add(out, kind->sentence);
  if (kind->class == HD_TRACE_NOTHING)
    return;
  hd_string_add(out, " ");
  hd_trace_print_target(out, names(f), (hd_trace_class) kind->class, e->target, e->size);
}

static void
add_stack(hd_string *out, const hd_monitor_findings *f, uint32_t stack)
{
  size_t n;
  const uint32_t *locations = hd_trace_names_stack(names(f), stack, &n);
  for (size_t i = 0; i < n; i++)
  {
    hd_string_printf(out, "      #%zu ", i);
    hd_trace_print_location(out, names(f), locations[i]);
    hd_string_add(out, "\n");
  }
}

/* "  T1 writes x at bank.c:12 (deposit), event 7, holding m" */
static void
add_access(hd_string *out, const hd_monitor_findings *f, const hd_monitor_place *place, const detail *d)
{
  hd_string_add(out, "  ");
  add_thread(out, f, place->thread);
  hd_string_add(out, " ");
  if (d->held)
    add_operation(out, f, &d->event);
  else
    hd_string_add(out, hd_trace_kind_get(place->kind)->sentence);
  hd_string_add(out, " at ");
  hd_trace_print_location(out, names(f), place->location);
  hd_string_printf(out, ", event %" PRIu64, place->number);
  if (d->held)
    hd_string_printf(out, ", holding %s", *d->held ? d->held : "no lock");
  hd_string_add(out, "\n");
  add_stack(out, f, place->stack);
}

static void
add_times(hd_string *out, uint64_t n)
{
  if (n > 1)
    hd_string_printf(out, " (%" PRIu64 " times)", n);
  hd_string_add(out, "\n");
}

/* ---- races ---- */

static void
add_missing(hd_string *out, const race_finding *r)
{
  if (!r->first.held || !r->second.held)
    hd_string_add(out, "  Nothing orders the first before the second.\n");
  else if (!*r->first.held && !*r->second.held)
    hd_string_add(out, "  Neither holds a lock, and nothing else orders the first before the second.\n");
  else if (!*r->first.held || !*r->second.held)
    hd_string_printf(out, "  Only the %s holds a lock, and nothing else orders the first before the second.\n",
                     *r->first.held ? "first" : "second");
  else
    hd_string_add(out,
                  "  They hold no lock that keeps them apart, and nothing else orders the first before the second.\n");
}

static void
add_row(hd_string *out, const hd_monitor_findings *f, const hd_trace_event *e, char mark)
{
  hd_string thread = {0}, operation = {0};
  add_thread(&thread, f, e->thread);
  add_operation(&operation, f, e);
  hd_string_printf(out, "  %c %8" PRIu64 "  %-6s %-24s ", mark, e->number, thread.text, operation.text);
  hd_trace_print_location(out, names(f), e->location);
  hd_string_add(out, "\n");
  hd_string_free(&thread);
  hd_string_free(&operation);
}

/* The last SHOWN of N that the ring ROWS has. */
static void
add_rows(hd_string *out, const hd_monitor_findings *f, const hd_trace_event *rows, uint64_t n, size_t shown)
{
  for (uint64_t i = n - shown; i < n; i++)
    add_row(out, f, &rows[i % SHOWN_ROWS], ' ');
}

/* The end of the reordering, a row for each event. */
static void
add_reordering(hd_string *out, const hd_monitor_findings *f, const race_finding *r)
{
  size_t late = r->nlate < SHOWN_ROWS ? (size_t) r->nlate : SHOWN_ROWS;
  size_t shown = r->before < SHOWN_ROWS - late ? (size_t) r->before : SHOWN_ROWS - late;
  uint64_t all = r->before + r->nlate;
  hd_string_printf(
      out, "  This run ordered them by chance. Another one can do these %" PRIu64 " of its events in their order", all);
  if (r->nlate > 0)
  {
    hd_string_add(out, ", but ");
    add_thread(out, f, r->race.first.thread);
    hd_string_printf(out, "'s last %" PRIu64 " after the others,", r->nlate);
  }
  hd_string_add(out, " and then both at once:\n");
  if (shown + late < all)
    hd_string_printf(out, "    %8s  (%" PRIu64 " events before)\n", "", all - shown - late);
  add_rows(out, f, r->rows, r->before, shown);
  add_rows(out, f, r->late, r->nlate, late);
  add_row(out, f, &r->first.event, '>');
  add_row(out, f, &r->second.event, '>');
}

bool
hd_monitor_block_is_known(const hd_monitor_findings *f, const race_finding *r)
{
  hd_trace_location where = hd_trace_names_location(names(f), r->block.location);
  return r->block.kind && (where.file || where.function);
}

void
hd_monitor_say_block(hd_string *out, const hd_monitor_findings *f, const race_finding *r)
{
  const hd_trace_event *b = &r->block;
  hd_string_printf(out, "It is %" PRIu64 " bytes into a block of %" PRIu32 " that ", r->race.target - b->target,
                   b->size);
  add_thread(out, f, b->thread);
  hd_string_add(out, " allocated at ");
  hd_trace_print_location(out, names(f), b->location);
}

static void
add_allocation(hd_string *out, const hd_monitor_findings *f, const race_finding *r)
{
  if (!hd_monitor_block_is_known(f, r) || hd_trace_names_get(names(f), HD_TRACE_ADDRESS, r->race.target))
    return;
  hd_string_add(out, "  ");
  hd_monitor_say_block(out, f, r);
  hd_string_add(out, ".\n");
}

static void
add_races(hd_string *out, const hd_monitor_findings *f, const race_findings *list, bool verbose)
{
  size_t shown = 0, left = 0;
  for (size_t i = 0; i < list->n; i++)
  {
    const race_finding *r = &list->items[i];
    if (r->suppressed || r->shadowed)
      continue;
    if (shown == MOST_SHOWN && !verbose)
    {
      left++;
      continue;
    }
    shown++;
    hd_string_add(out, r->race.predicted ? "predicted race on " : "race on ");
    hd_trace_print_target(out, names(f), HD_TRACE_VARIABLE, r->race.target, r->race.size);
    add_times(out, r->count);
    add_allocation(out, f, r);
    add_access(out, f, &r->race.first, &r->first);
    add_access(out, f, &r->race.second, &r->second);
    if (!r->race.predicted)
      add_missing(out, r);
    else if (r->second.held)
      add_reordering(out, f, r);
    else
      hd_string_add(out, "  This run ordered them by chance. Another one can do both at once.\n");
    hd_string_add(out, "\n");
  }
  if (left > 0)
    hd_string_printf(out, "... and %zu more pairs of places; --verbose shows them all\n\n", left);
}

/* ---- blocks ---- */

/* "T1 reads x at bank.c:12 (audit), event 11, in this block"; BEGIN is where the block of E began, FIRST the finding's.
 */
static void
add_step(hd_string *out, const hd_monitor_findings *f, const hd_trace_event *e, const hd_trace_event *begin,
         uint64_t first)
{
  add_thread(out, f, e->thread);
  hd_string_add(out, " ");
  add_operation(out, f, e);
  hd_string_add(out, " at ");
  hd_trace_print_location(out, names(f), e->location);
  hd_string_printf(out, ", event %" PRIu64, e->number);
  if (begin->number == first)
    hd_string_add(out, ", in this block");
  else if (begin->number > 0)
  {
    hd_string_add(out, ", in the block that begins at ");
    hd_trace_print_location(out, names(f), begin->location);
    hd_string_printf(out, ", event %" PRIu64, begin->number);
  }
}

/* The conflicts of the cycle; that a thread goes on from one of its events to the next needs no words. */
static void
add_cycle(hd_string *out, const hd_monitor_findings *f, const block_finding *b)
{
  const char *before = "    ";
  for (size_t i = 0; i < b->nsteps; i++)
  {
    const hd_monitor_step *s = &b->steps[i];
    if (s->from.thread == s->to.thread)
      continue;
    hd_string_add(out, before);
    before = ";\n    then ";
    add_step(out, f, &s->from, &s->begin, b->first.begin.number);
    hd_string_add(out, ",\n      before ");
    add_step(out, f, &s->to, &b->steps[(i + 1) % b->nsteps].begin, b->first.begin.number);
  }
  hd_string_add(out, "\n\n");
}

static void
add_block(hd_string *out, const hd_monitor_findings *f, const block_finding *b)
{
  hd_string_add(out, "not atomic: the block of ");
  add_thread(out, f, b->first.begin.thread);
  hd_string_add(out, " that begins at ");
  hd_trace_print_location(out, names(f), b->first.begin.location);
  hd_string_printf(out, ", event %" PRIu64, b->first.begin.number);
  add_times(out, b->count);
  add_stack(out, f, b->first.begin.stack);
  if (b->nsteps == 0)
  {
    hd_string_add(out, "  It comes before and after what ");
    add_thread(out, f, b->first.other.thread);
    hd_string_add(out, " does at ");
    hd_trace_print_location(out, names(f), b->first.other.location);
    hd_string_printf(out, ", event %" PRIu64 "; known at event %" PRIu64 ".\n\n", b->first.other.number,
                     b->first.at.number);
    return;
  }
  hd_string_add(out, "  No serial order explains it:\n");
  add_cycle(out, f, b);
}

static void
add_blocks(hd_string *out, const hd_monitor_findings *f, bool verbose)
{
  size_t shown = 0, left = 0;
  for (size_t i = 0; i < f->nblocks; i++)
  {
    if (f->blocks[i].suppressed)
      continue;
    if (shown++ < MOST_SHOWN || verbose)
      add_block(out, f, &f->blocks[i]);
    else
      left++;
  }
  if (left > 0)
    hd_string_printf(out, "... and %zu more blocks; --verbose shows them all\n\n", left);
}

/* ---- deadlocks ---- */

static void
add_deadlocks(hd_string *out, const hd_monitor_findings *f, bool verbose)
{
  size_t shown = 0;
  for (size_t i = 0; i < f->ndeadlocks; i++)
  {
    const deadlock_finding *d = &f->deadlocks[i];
    if (d->suppressed || (shown++ >= MOST_SHOWN && !verbose))
      continue;
    hd_string_printf(out, "possible deadlock of %zu threads", d->n);
    add_times(out, d->count);
    for (size_t w = 0; w < d->n; w++)
    {
      const hd_monitor_wait *x = &d->waits[w];
      hd_string_add(out, "  ");
      add_thread(out, f, x->at.thread);
      hd_string_add(out, " acquires ");
      hd_trace_print_target(out, names(f), HD_TRACE_LOCK, x->wanted, 0);
      hd_string_add(out, " at ");
      hd_trace_print_location(out, names(f), x->at.location);
      hd_string_printf(out, ", event %" PRIu64 ", while it holds ", x->at.number);
      hd_trace_print_target(out, names(f), HD_TRACE_LOCK, x->held, 0);
      hd_string_add(out, ", taken at ");
      hd_trace_print_location(out, names(f), x->held_at.location);
      hd_string_printf(out, ", event %" PRIu64 "\n", x->held_at.number);
      add_stack(out, f, x->at.stack);
    }
    hd_string_add(
        out, "  Each holds what the one before it wants; no common lock and no order between them prevents it.\n\n");
  }
  if (shown > MOST_SHOWN && !verbose)
    hd_string_printf(out, "... and %zu more cycles; --verbose shows them all\n\n", shown - MOST_SHOWN);
}

/* ---- the whole ---- */

static size_t
count_shown(const race_findings *list)
{
  size_t n = 0;
  for (size_t i = 0; i < list->n; i++)
    n += !list->items[i].suppressed && !list->items[i].shadowed;
  return n;
}

static void
add_count(hd_string *out, const char *before, size_t n, const char *one, const char *many)
{
  hd_string_printf(out, "%s%zu %s", before, n, n == 1 ? one : many);
}

static void
add_summary(hd_string *out, const hd_monitor_findings *f)
{
  size_t blocks = 0, deadlocks = 0;
  for (size_t i = 0; i < f->nblocks; i++)
    blocks += !f->blocks[i].suppressed;
  for (size_t i = 0; i < f->ndeadlocks; i++)
    deadlocks += !f->deadlocks[i].suppressed;
  hd_string_printf(out, "%" PRIu64 " events of %" PRIu64 " %s: ", f->events, f->threads,
                   f->threads == 1 ? "thread" : "threads");
  const char *comma = "";
  if (f->options.race)
  {
    add_count(out, comma, count_shown(&f->happened), "race", "races");
    comma = ", ";
  }
  if (f->options.race && f->options.predict)
    add_count(out, comma, count_shown(&f->predicted), "predicted race", "predicted races");
  if (f->options.atomic)
  {
    add_count(out, comma, blocks, "block that is not atomic", "blocks that are not atomic");
    comma = ", ";
  }
  if (f->options.deadlock)
    add_count(out, comma, deadlocks, "possible deadlock", "possible deadlocks");
  if (f->suppressed > 0)
    hd_string_printf(out, "; %" PRIu64 " suppressed", f->suppressed);
  hd_string_add(out, "\n");
}

void
hd_monitor_print_text_end(hd_string *out, const hd_monitor_findings *f, bool quiet)
{
  if (!quiet)
    add_summary(out, f);
  if (f->cut)
    hd_string_printf(out, "incomplete: %s; what is there was judged\n", f->cut);
  if (f->stopped)
    hd_string_add(out, "incomplete: the time is up; what comes before was judged\n");
  if (f->not_all_cycles)
    hd_string_add(out, "incomplete: there are too many cycles of locks to try all\n");
  if (f->options.notes && !quiet)
    hd_string_add(out, f->options.notes);
}

void
hd_monitor_print_text(hd_string *out, const hd_monitor_findings *f, bool verbose, bool quiet)
{
  add_races(out, f, &f->happened, verbose);
  add_races(out, f, &f->predicted, verbose);
  add_blocks(out, f, verbose);
  add_deadlocks(out, f, verbose);
  hd_monitor_print_text_end(out, f, quiet);
}

static int
compare_names(const void *a, const void *b)
{
  return strcmp(*(char *const *) a, *(char *const *) b);
}

void
hd_monitor_print_verdicts(hd_string *out, const hd_monitor_findings *f)
{
  char **variables = hd_alloc_zero((f->nracy + 1) * sizeof *variables);
  for (size_t i = 0; i < f->nracy; i++)
  {
    hd_string s = {0};
    hd_trace_print_target(&s, names(f), HD_TRACE_VARIABLE, f->racy[i].target, f->racy[i].size);
    variables[i] = s.text;
  }
  qsort(variables, f->nracy, sizeof *variables, compare_names);
  hd_string_printf(out, "%s\t%s", f->happened.count > 0 ? "yes" : "no", f->nracy == 0 ? "-" : "");
  for (size_t i = 0; i < f->nracy; i++)
  {
    hd_string_printf(out, "%s%s", i > 0 ? "," : "", variables[i]);
    free(variables[i]);
  }
  hd_string_printf(out, "\t%s\t%s\n", f->predicted.count > 0 ? "yes" : "no", f->unserial > 0 ? "no" : "yes");
  free(variables);
}
