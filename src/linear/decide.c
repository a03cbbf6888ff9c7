/* decide.c: which way a history is judged: cut into parts, each by an algorithm without search or by the search, on as
 * many threads as wanted.
 *
 * The answer names the first end of an operation at which the history stops being explained. The search finds it by
 * itself; the algorithms without search say only yes or no, so it is found by asking about beginnings of the history,
 * each half as long or half as short as the one before: a longer beginning is never easier to explain. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "linear/growth.h"
#include "linear/partition.h"
#include "linear/search.h"
#include "linear/special_parts.h"

enum
{
  DEFAULT_CONFIGURATIONS = 1000000,
  MAX_JOBS = 256,
  AHEAD = 64, /* operations that are fetched before they are needed: those of one part lie far apart */
};

/* All that the threads share. */
typedef struct decision
{
  const hd_spec *spec;
  const hd_linear_op *ops;
  const hd_linear_options *options;
  const linear_parts *parts;
  linear_limits limits;
  uint64_t steps;
  uint64_t fails_at;   /* moment of the first failure; atomic */
  uint64_t unknown_at; /* moment up to which everything is known to be explained, if not all is known */
  uint32_t next;       /* part; atomic */
  pthread_mutex_t lock;
  hd_linear_result *result;
} decision;

/* ---- algorithms without search ---- */

static bool
special_wanted(const decision *d)
{
  return d->spec->standard && (d->limits.rules & HD_LINEAR_SPECIAL) && hd_special_knows(d->spec);
}

/* ALONE: the caller's memory is free for it. */
static special_answer
ask_special(const decision *d, const hd_linear_op *ops, uint32_t n, bool alone, hd_linear_violation *why)
{
  special_options options = {.config = d->options->config,
                             .nconfig = d->options->nconfig,
                             .cancel = d->limits.cancel,
                             .memory = alone ? d->options->memory : NULL,
                             .memory_size = d->options->memory_size};
  return hd_special_decide(d->spec, ops, n, &options, why);
}

/* The operations of PART with the numbers of its events as times, which the algorithms without search handle fastest.
 */
static HD_GIVE hd_linear_op *
copy_ops(const linear_part *part)
{
  hd_linear_op *ops = hd_alloc_array(part->n ? part->n : 1, sizeof *ops);
  for (uint32_t i = 0; i < part->n; i++)
  {
    if (i + AHEAD < part->n)
      part_fetch(part, i + AHEAD);
    ops[i] = *part_op(part, i);
  }
  for (uint32_t e = 0; e < part->nevents; e++)
    *(part->events[e] & 1 ? &ops[part->events[e] >> 1].end : &ops[part->events[e] >> 1].start) = e;
  return ops;
}

/* ---- where it fails first ---- */

/* Of OPS, N of them in the order of their starts, those up to event E (included): what has not ended there may or may
 * not have happened. */
static uint32_t
beginning(const hd_linear_op *ops, uint32_t n, uint32_t e, hd_linear_op *out)
{
  uint32_t i = 0;
  for (; i < n && ops[i].start <= e; i++)
  {
    out[i] = ops[i];
    out[i].pending |= out[i].end > e;
  }
  return i;
}

/* By search; if that takes too long, FOUND stays as it is. */
static void
search_failing(const decision *d, const linear_part *part, linear_found *found, hd_linear_violation *why)
{
  linear_found searched;
  linear_part copy = *part;
  linear_limits limits = d->limits;
  limits.give_up = NULL; /* it is known to fail, but not yet where */
  growth *g = hd_linear_growth_use(&copy);
  hd_linear_search(&copy, &limits, &searched);
  hd_linear_growth_free(g);
  found->applications += searched.applications;
  if (searched.answer != HD_LINEAR_VIOLATED)
    return;
  found->failing = searched.failing;
  found->explained = searched.explained;
  *why = (hd_linear_violation){.nids = 1, .ids[0] = part_op(part, searched.failing)->id};
}

/* PART is violated: where first? FOUND gets the end of the shortest beginning that is violated, WHY what is wrong with
 * it. */
static void
find_failing(const decision *d, const linear_part *part, linear_found *found, hd_linear_violation *why)
{
  hd_linear_op *all = copy_ops(part), *ops = hd_alloc_array(part->n ? part->n : 1, sizeof *ops);
  uint32_t good = 0, bad = part->nevents - 1; /* events */
  bool exact = true;
  while (bad - good > 1 && exact)
  {
    uint32_t middle = good + (bad - good) / 2;
    hd_linear_violation shown;
    switch (ask_special(d, ops, beginning(all, part->n, middle, ops), false, &shown))
    {
    case SPECIAL_HOLDS:
      good = middle;
      break;
    case SPECIAL_VIOLATED:
      bad = middle;
      *why = shown;
      break;
    default:
      exact = false;
      break;
    }
  }
  free(ops);
  free(all);
  found->explained = exact ? bad : good;
  found->failing = exact && (part->events[bad] & 1) ? part->events[bad] >> 1 : UINT32_MAX;
  if (found->failing == UINT32_MAX)
    search_failing(d, part, found, why);
}

/* ---- one part ---- */

/* The operations that are open after the first N events. */
static void
show_open(const linear_part *part, uint32_t n, hd_linear_violation *why)
{
  *why = (hd_linear_violation){.pattern = HD_LINEAR_NO_PATTERN};
  bool *ended = hd_alloc_zero((size_t) part->n + 1);
  for (uint32_t e = 0; e < n; e++)
    if (part->events[e] & 1)
      ended[part->events[e] >> 1] = true;
  for (uint32_t e = 0; e < n && why->nids < HD_LINEAR_SHOWN; e++)
    if (!(part->events[e] & 1) && !ended[part->events[e] >> 1])
      why->ids[why->nids++] = part_op(part, part->events[e] >> 1)->id;
  free(ended);
}

static void
add_result(decision *d, const linear_part *part, const linear_found *found, bool special, hd_linear_violation *why)
{
  hd_linear_result *r = d->result;
  pthread_mutex_lock(&d->lock);
  r->special_parts += special;
  r->applications += found->applications;
  r->configurations_made += found->made;
  if (found->peak > r->configurations_peak)
    r->configurations_peak = found->peak;
  uint64_t moment = found->answer == HD_LINEAR_HOLDS ? UINT64_MAX : part_moment(part, found->explained);
  if ((found->answer == HD_LINEAR_UNKNOWN || found->failing == UINT32_MAX) && moment < d->unknown_at)
    d->unknown_at = moment;
  /* A violation stands, whatever is unknown elsewhere; of two of a kind the first counts. */
  bool worse = found->answer == HD_LINEAR_VIOLATED
                   ? r->answer != HD_LINEAR_VIOLATED || moment < r->legal_until
                   : found->answer == HD_LINEAR_UNKNOWN && r->answer != HD_LINEAR_VIOLATED
                         && (r->answer == HD_LINEAR_HOLDS || moment < r->legal_until);
  if (worse)
  {
    r->answer = found->answer;
    r->stopped = found->stopped;
    r->failing = found->failing == UINT32_MAX ? UINT64_MAX : part_op(part, found->failing)->id;
    r->why = *why;
    if (found->answer == HD_LINEAR_VIOLATED)
      __atomic_store_n(&d->fails_at, moment, __ATOMIC_RELAXED);
    r->legal_until = moment;
  }
  pthread_mutex_unlock(&d->lock);
}

/* By an algorithm without search, if there is one. */
static special_answer
judge_special(const decision *d, const linear_part *part, hd_linear_violation *why)
{
  if (!special_wanted(d) || (part->nkeys > 1 && !hd_special_takes_all(d->spec)))
    return SPECIAL_NOT_FIT;
  for (uint32_t i = 0; i < part->n; i++)
    if (!hd_special_may_fit(d->spec, part_op(part, i)))
      return SPECIAL_NOT_FIT;
  if (d->parts->nparts == 1)
    return ask_special(d, d->ops, part->n, false, why);
  hd_linear_op *ops = copy_ops(part);
  special_answer answer = ask_special(d, ops, part->n, false, why);
  free(ops);
  return answer;
}

static void
judge_search(const decision *d, const linear_part *part, linear_found *found, hd_linear_violation *why)
{
  linear_part copy = *part;
  growth *g = d->limits.rules & HD_LINEAR_LOOKAHEAD ? hd_linear_growth_use(&copy) : NULL;
  hd_linear_search(&copy, &d->limits, found);
  hd_linear_growth_free(g);
  if (found->answer == HD_LINEAR_UNKNOWN)
    show_open(part, found->explained, why);
  else if (found->answer == HD_LINEAR_VIOLATED)
    *why = (hd_linear_violation){.nids = 1, .ids[0] = part_op(part, found->failing)->id};
}

static void
judge_part(decision *d, uint32_t k)
{
  const linear_parts *p = d->parts;
  linear_part part = {.spec = d->spec,
                      .config = d->options->config,
                      .nconfig = d->options->nconfig,
                      .ops = d->ops,
                      .index = p->ops ? p->ops + p->first[k] : NULL,
                      .n = p->first[k + 1] - p->first[k],
                      .events = p->events + p->event_first[k],
                      .nevents = p->event_first[k + 1] - p->event_first[k],
                      .moments = p->moments ? p->moments + p->event_first[k] : NULL};
  if (p->keys && p->nkeys[k] > 1)
  {
    part.key_first = p->key_first + p->first[k];
    part.keys = p->keys;
    part.nkeys = p->nkeys[k];
  }
  linear_found found = {.failing = UINT32_MAX};
  hd_linear_violation why = {0};
  special_answer special = judge_special(d, &part, &why);
  if (special == SPECIAL_HOLDS)
    found.answer = HD_LINEAR_HOLDS;
  else if (special == SPECIAL_VIOLATED)
  {
    found.answer = HD_LINEAR_VIOLATED;
    find_failing(d, &part, &found, &why);
  }
  else
    judge_search(d, &part, &found, &why);
  add_result(d, &part, &found, special == SPECIAL_HOLDS || special == SPECIAL_VIOLATED, &why);
}

static void *
judge_parts(void *context)
{
  decision *d = context;
  for (;;)
  {
    uint32_t k = __atomic_fetch_add(&d->next, 1, __ATOMIC_RELAXED);
    if (k >= d->parts->nparts)
      return NULL;
    judge_part(d, k);
  }
}

/* ---- all parts ---- */

static void
judge_all(decision *d)
{
  unsigned jobs = d->options->jobs;
  if (jobs > d->parts->nparts)
    jobs = d->parts->nparts;
  pthread_t threads[MAX_JOBS];
  unsigned started = 0;
  while (started + 1 < jobs && started < MAX_JOBS
         && pthread_create(&threads[started], NULL, judge_parts, d) == 0) /* fewer threads are no error */
    started++;
  judge_parts(d);
  for (unsigned i = 0; i < started; i++)
    pthread_join(threads[i], NULL);
}

/* Moments become the caller's positions. */
static void
translate(hd_linear_result *r, const special_job *order)
{
  if (r->answer == HD_LINEAR_HOLDS)
    return;
  const hd_linear_op *o = &order->ops[order->events[r->legal_until] >> 1];
  r->legal_until = order->events[r->legal_until] & 1 ? o->end : o->start;
}

void
hd_linear_decide(const hd_spec *spec, const hd_linear_op *ops, size_t n, const hd_linear_options *options,
                 hd_linear_result *result)
{
  *result = (hd_linear_result){.answer = HD_LINEAR_HOLDS, .failing = UINT64_MAX};
  if (n == 0)
    return;
  if (n > UINT32_MAX / 4) /* times and 2 * operation + 1 are 32-bit numbers */
  {
    *result = (hd_linear_result){.answer = HD_LINEAR_UNKNOWN, .stopped = "too many operations", .failing = UINT64_MAX};
    return;
  }
  decision d = {.spec = spec,
                .ops = ops,
                .options = options,
                .steps = options->max_steps,
                .fails_at = UINT64_MAX,
                .unknown_at = UINT64_MAX};
  d.limits = (linear_limits){.rules = options->rules,
                             .max_configurations
                             = options->max_configurations ? options->max_configurations : DEFAULT_CONFIGURATIONS,
                             .steps = options->max_steps ? &d.steps : NULL,
                             .cancel = options->cancel,
                             .leave = options->leave,
                             .give_up = &d.fails_at};
  d.result = result;
  /* No preparation is needed if an algorithm without search accepts the object as a whole. */
  if (special_wanted(&d) && hd_special_takes_all(spec)
      && ask_special(&d, ops, (uint32_t) n, true, &result->why) == SPECIAL_HOLDS)
  {
    result->parts = result->special_parts = 1;
    return;
  }
  special_job order = {.ops = ops,
                       .n = (uint32_t) n,
                       .cancel = options->cancel,
                       .memory = options->memory,
                       .memory_size = options->memory_size};
  linear_parts parts;
  if (hd_special_events(&order) != SPECIAL_HOLDS
      || !hd_linear_parts_init(&parts, spec, &order, (options->rules & HD_LINEAR_PARTITION) != 0))
  {
    *result = (hd_linear_result){.answer = HD_LINEAR_UNKNOWN, .stopped = "a limit was reached", .failing = UINT64_MAX};
    hd_special_end(&order);
    return;
  }
  d.parts = &parts;
  result->parts = parts.nparts;
  pthread_mutex_init(&d.lock, NULL);
  judge_all(&d);
  pthread_mutex_destroy(&d.lock);
  if (result->answer == HD_LINEAR_VIOLATED && d.unknown_at < result->legal_until)
  {
    /* It is wrong there, but perhaps earlier, too, in a part that was too much. */
    result->legal_until = d.unknown_at;
    result->failing = UINT64_MAX;
  }
  translate(result, &order);
  hd_linear_parts_done(&parts);
  hd_special_end(&order);
}
