/* findings.c: runs the analyses over a trace and gathers what they find: one finding for each pair of places. */
#include "monitor/findings.h"

#include <stdlib.h>
#include <string.h>

enum
{
  PIECE = 4096 /* events that are read at a time */
};

static const hd_trace_names *
names(const hd_monitor_findings *f)
{
  return hd_trace_names_of(f->trace);
}

/* ---- races ---- */

/* Equal for races that a person would call the same: the places decide, or the variable where they are unknown. */
static uint64_t
race_key(const hd_monitor_race *r)
{
  uint32_t a = r->first.location, b = r->second.location;
  uint64_t key[] = {a < b ? a : b, a < b ? b : a, a == 0 || b == 0 ? r->target + 1 : 0};
  return hd_hash_bytes(key, sizeof key);
}

static void
add_race(hd_monitor_findings *f, race_findings *list, const hd_monitor_race *r)
{
  uint32_t i = hd_trace_ids_get(&list->keys, race_key(r));
  if (i == list->n)
  {
    hd_string variable = {0};
    hd_monitor_place places[] = {r->first, r->second};
    hd_trace_print_target(&variable, names(f), HD_TRACE_VARIABLE, r->target, r->size);
    race_finding new = {.race = *r};
    new.suppressed = hd_monitor_suppressed(f->options.suppressions, "race", names(f), places, 2, variable.text);
    if (r->predicted)
    {
      uint32_t *copy = hd_alloc_array(r->nthreads + 1, sizeof *copy);
      memcpy(copy, r->prefix, r->nthreads * sizeof *copy);
      new.race.prefix = copy;
    }
    HD_PUSH(list->items, list->n, list->cap, new);
    hd_string_free(&variable);
  }
  list->items[i].count++;
  if (list->items[i].suppressed || list->last == r->second.number)
    return;
  list->last = r->second.number;
  list->count++;
  if (f->options.keep_events)
    HD_PUSH(list->events, list->nevents, list->events_cap, r->second.number);
}

static void
take_race(void *context, const hd_monitor_race *r)
{
  hd_monitor_findings *f = context;
  uint64_t before = f->happened.last;
  add_race(f, &f->happened, r);
  if (f->happened.last == before && before != r->second.number)
    return; /* it is suppressed */
  if (hd_trace_ids_get(&f->variables, r->target * 2 + (r->size > 0)) == f->nracy)
  {
    hd_grow(&f->racy, &f->racy_cap, f->nracy + 1, sizeof *f->racy);
    f->racy[f->nracy].target = r->target;
    f->racy[f->nracy++].size = r->size;
  }
}

static void
take_prediction(void *context, const hd_monitor_race *r)
{
  hd_monitor_findings *f = context;
  add_race(f, &f->predicted, r);
}

/* Predictions of what happened are no news. */
static void
shadow(hd_monitor_findings *f)
{
  uint32_t i;
  for (size_t p = 0; p < f->predicted.n; p++)
    f->predicted.items[p].shadowed = hd_trace_ids_find(&f->happened.keys, race_key(&f->predicted.items[p].race), &i);
}

/* ---- the others ---- */

static void
take_unserial(void *context, const hd_monitor_unserial *u)
{
  hd_monitor_findings *f = context;
  uint64_t key[] = {u->begin.location, u->begin.location ? 0 : u->begin.number};
  uint32_t i = hd_trace_ids_get(&f->block_keys, hd_hash_bytes(key, sizeof key));
  if (i == f->nblocks)
  {
    block_finding new = {.first = *u};
    new.suppressed = hd_monitor_suppressed(f->options.suppressions, "atomic", names(f), &u->begin, 1, NULL);
    HD_PUSH(f->blocks, f->nblocks, f->blocks_cap, new);
  }
  f->blocks[i].count++;
  f->unserial += !f->blocks[i].suppressed;
}

/* The places, from the smallest on: the same cycle may be found from each of its threads. */
static uint64_t
deadlock_key(const hd_monitor_wait *waits, size_t n)
{
  size_t start = 0;
  uint64_t key = n;
  for (size_t i = 1; i < n; i++)
    if (waits[i].at.location < waits[start].at.location)
      start = i;
  for (size_t i = 0; i < n; i++)
  {
    const hd_monitor_wait *w = &waits[(start + i) % n];
    bool known = w->at.location && w->held_at.location;
    key = hd_mix(key ^ w->at.location) + w->held_at.location;
    key = known ? key : hd_mix(key ^ w->wanted) + w->held;
  }
  return key;
}

static void
take_deadlock(void *context, const hd_monitor_wait *waits, size_t n)
{
  hd_monitor_findings *f = context;
  uint32_t i = hd_trace_ids_get(&f->deadlock_keys, deadlock_key(waits, n));
  if (i == f->ndeadlocks)
  {
    deadlock_finding new = {.n = n, .waits = hd_alloc_array(n, sizeof *waits)};
    memcpy(new.waits, waits, n * sizeof *waits);
    for (size_t w = 0; w < n && !new.suppressed; w++)
    {
      hd_monitor_place places[] = {waits[w].at, waits[w].held_at};
      new.suppressed = hd_monitor_suppressed(f->options.suppressions, "deadlock", names(f), places, 2,
                                             hd_trace_names_get(names(f), HD_TRACE_LOCK, waits[w].wanted));
    }
    HD_PUSH(f->deadlocks, f->ndeadlocks, f->deadlocks_cap, new);
  }
  f->deadlocks[i].count++;
}

/* ---- the run ---- */

typedef struct monitors
{
  hd_monitor_hb *hb;
  hd_monitor_predict *predict;
  hd_monitor_atomic *atomic;
  hd_monitor_deadlock *deadlock;
} monitors;

static void
feed(const monitors *m, const hd_trace_event *e)
{
  if (m->hb)
    hd_monitor_hb_event(m->hb, e);
  if (m->predict)
    hd_monitor_predict_event(m->predict, e);
  if (m->atomic)
    hd_monitor_atomic_event(m->atomic, e);
  if (m->deadlock)
    hd_monitor_deadlock_event(m->deadlock, e);
}

static bool
feed_checked(hd_monitor_findings *f, hd_trace_check *check, const monitors *m, const hd_trace_event *e)
{
  hd_string why = {0};
  hd_trace_checked answer = hd_trace_check_event(check, names(f), e, &why);
  f->threads = e->thread >= f->threads ? e->thread + 1 : f->threads;
  f->events++;
  if (answer == HD_TRACE_TAKE)
    feed(m, e);
  if (answer != HD_TRACE_IMPOSSIBLE)
    return true;
  hd_string text = {0};
  hd_trace_print_place(&text, f->trace, e->number);
  hd_string_printf(&text, ": error: %s: this is not the trace of a program", why.text);
  f->error = text.text;
  hd_string_free(&why);
  return false;
}

static void
read_all(hd_monitor_findings *f, const monitors *m)
{
  hd_trace_check *check = hd_trace_check_new();
  hd_trace_event *events = hd_alloc_array(PIECE, sizeof *events);
  /* In STD the line of an event is known as long as it is the last that was read: read one by one where it is cheap. */
  size_t piece = hd_trace_form_get(f->trace) == HD_TRACE_STD ? 1 : PIECE;
  for (size_t n; !f->error && !f->stopped && (n = hd_trace_read(f->trace, events, piece)) > 0;)
  {
    for (size_t i = 0; i < n && feed_checked(f, check, m, &events[i]); i++)
      ;
    if (f->options.go_on && f->events % PIECE == 0)
      f->stopped = !f->options.go_on(f->options.context, f->events);
  }
  const char *error = hd_trace_error(f->trace), *cut = hd_trace_cut(f->trace);
  if (!f->error && error)
    f->error = hd_strndup(error, strlen(error));
  f->cut = cut ? hd_strndup(cut, strlen(cut)) : NULL;
  free(events);
  hd_trace_check_free(check);
}

hd_monitor_findings *
hd_monitor_run(hd_trace *t, const hd_monitor_options *options)
{
  hd_monitor_findings *f = hd_alloc_zero(sizeof *f);
  f->trace = t;
  f->options = *options;
  monitors m = {0};
  if (options->race)
    m.hb = hd_monitor_hb_new((hd_monitor_race_sink){f, take_race});
  if (options->race && options->predict)
    m.predict = hd_monitor_predict_new((hd_monitor_race_sink){f, take_prediction}, options->puts_off);
  if (options->atomic)
    m.atomic = hd_monitor_atomic_new((hd_monitor_unserial_sink){f, take_unserial});
  if (options->deadlock)
    m.deadlock = hd_monitor_deadlock_new((hd_monitor_deadlock_sink){f, take_deadlock});
  read_all(f, &m);
  if (m.hb)
    hd_monitor_hb_finish(m.hb);
  if (m.predict)
    hd_monitor_predict_finish(m.predict);
  if (m.atomic)
    hd_monitor_atomic_finish(m.atomic);
  if (m.deadlock)
    f->not_all_cycles = !hd_monitor_deadlock_finish(m.deadlock);
  shadow(f);
  for (size_t i = 0; i < f->happened.n; i++)
    f->suppressed += f->happened.items[i].suppressed;
  for (size_t i = 0; i < f->predicted.n; i++)
    f->suppressed += f->predicted.items[i].suppressed && !f->predicted.items[i].shadowed;
  for (size_t i = 0; i < f->nblocks; i++)
    f->suppressed += f->blocks[i].suppressed;
  for (size_t i = 0; i < f->ndeadlocks; i++)
    f->suppressed += f->deadlocks[i].suppressed;
  if (!f->error && f->happened.n + f->predicted.n + f->nblocks > 0)
    hd_monitor_details(f);
  return f;
}

static void
free_races(race_findings *list)
{
  for (size_t i = 0; i < list->n; i++)
  {
    free((void *) list->items[i].race.prefix);
    free(list->items[i].first.held);
    free(list->items[i].second.held);
  }
  free(list->items);
  free(list->events);
  hd_trace_ids_free(&list->keys);
}

void
hd_monitor_findings_free(hd_monitor_findings *f)
{
  free_races(&f->happened);
  free_races(&f->predicted);
  for (size_t i = 0; i < f->nblocks; i++)
  {
    free(f->blocks[i].window);
    free(f->blocks[i].steps);
  }
  for (size_t i = 0; i < f->ndeadlocks; i++)
    free(f->deadlocks[i].waits);
  free(f->blocks);
  free(f->deadlocks);
  free(f->racy);
  free(f->error);
  free(f->cut);
  hd_trace_ids_free(&f->variables);
  hd_trace_ids_free(&f->block_keys);
  hd_trace_ids_free(&f->deadlock_keys);
  free(f);
}

const char *
hd_monitor_error(const hd_monitor_findings *f)
{
  return f->error;
}

hd_verdict
hd_monitor_verdict(const hd_monitor_findings *f)
{
  bool deadlock = false;
  for (size_t i = 0; i < f->ndeadlocks; i++)
    deadlock = deadlock || !f->deadlocks[i].suppressed;
  if (f->error)
    return HD_BAD_INPUT;
  if (f->happened.count > 0 || f->predicted.count > 0 || f->unserial > 0 || deadlock)
    return HD_VIOLATED;
  return f->stopped || f->not_all_cycles || f->cut ? HD_INCOMPLETE : HD_HOLDS;
}
