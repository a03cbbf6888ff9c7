/* special_queue_unknown.c: queues with unique values and removals that took effect, but whose value nobody knows: they
 * committed, or their window ended, and never returned.
 *
 * Such a removal u in [p,q] took one of the values that no other operation took (left), or found nothing. What the
 * known removals ask of a left value a is static (special_queue.c has why pairs are enough): it leaves before the
 * deadline D(a), the least d2(b) of the known values b that were put in after a; not before the release R(a), the
 * greatest d1(b) of the known values b that were put in before a, or e1(a). u can take a iff some gap lies in both
 * [p,q) and [R(a),D(a)). Of two left values a is never taken too late because of the other one: exchange who takes
 * them. To find the queue empty at a gap g, no known value may be certainly inside, and every left value with e2 before
 * g must have been taken by then: a *flush* at g. So it is a schedule: pairs of a left value and a removal at gaps.
 * Three exchanges leave little to choose:
 *   - of the values that are released the one with the least e2 goes first: D grows with e2, and a flush asks for the
 *     values with the least e2;
 *   - of removals that must still be explained the one that ends first goes first, and so of those that need not;
 *   - nothing happens before it must: a pair at a deadline, at the end of a removal, or in a flush; a flush just before
 *     the gap is covered, or another value has to go, or someone ends who needs it. A flush that costs nothing is made.
 * A removal that was open at a flush may have found nothing there, or may still take something: it is optional, as one
 * is from its call that never returned and did not commit. What remains to choose is tried, in configurations: a set of
 * removals used, a set of values taken, and the last flush. Mostly there are one or two, and they meet again where the
 * known removals have forced the left values out.
 *
 * What was put in by an operation that never returned, and was not seen, may serve as a value, too: without a deadline,
 * never asked for by a flush, and one as good as the other once it is released. */
#include "linear/special_queue_unknown.h"

#include <stdlib.h>

enum
{
  MAX_SHOWN = 8, /* of the unknown removals, and of the pending ones */
};

/* ---- preparation ---- */

/* Releases and deadlines, by one walk forward and one back. */
static bool
open_times(sweep *s)
{
  special_job *job = s->job;
  const special_container *c = s->c;
  uint32_t *place = hd_special_array(job, c->n, sizeof *place); /* of left values, in LEFT */
  for (uint32_t i = 0; i < c->nleft; i++)
    place[c->left[i]] = i;
  uint32_t latest = 0, maybe = 0, earliest = job_never(job);
  for (uint32_t t = 1; t <= job->nevents && !job_stops(job, t); t++)
  {
    uint32_t v = c->value[job->events[t] >> 1];
    if (maybe < c->nmaybe && c->spans[c->maybe[maybe]].e1 == t)
      s->maybe[maybe++] = latest > t ? latest : t;
    if (v == NONE)
      continue;
    const special_span *span = &c->spans[v];
    if (span->take == NONE && span->e1 == t)
      s->left[place[v]].release = latest > t ? latest : t;
    else if (span->take != NONE && span->e2 == t && span->d1 > latest)
      latest = span->d1;
  }
  for (uint32_t t = job->nevents; t >= 1 && !job_stops(job, t); t--)
  {
    uint32_t v = c->value[job->events[t] >> 1];
    if (v == NONE)
      continue;
    const special_span *span = &c->spans[v];
    if (span->take == NONE && span->e2 == t)
      s->left[place[v]].deadline = earliest;
    else if (span->take != NONE && span->e1 == t && span->d2 < earliest)
      earliest = span->d2;
  }
  if (job_cancelled(job))
    return false;
  for (uint32_t i = 0; i < c->nleft; i++)
  {
    s->left[i].value = c->left[i];
    s->next[i] = s->released_at[s->left[i].release];
    s->released_at[s->left[i].release] = i + 1;
  }
  job->steps += 2 * (uint64_t) job->nevents + 2 * (uint64_t) c->nleft;
  return true;
}

/* ---- events ---- */

/* Is something open that only an empty queue, now or later, explains, or a value? */
static bool
wants_flush(const sweep *s, const config *c)
{
  for (uint32_t i = 0; i < s->nempty; i++)
    if (s->empty[i] > c->flush)
      return true;
  for (unsigned i = 0, seen = 0; seen < s->nopen; i++)
  {
    seen += s->open[i] != NONE;
    if (s->open[i] != NONE && needs_flush(s, c, i))
      return true;
  }
  return false;
}

/* After gap G it will be dearer to find the queue empty, or impossible. CANDIDATE not NONE: because of this one. */
static void
flush_before(sweep *s, uint32_t g, uint32_t value)
{
  bool any = false;
  for (size_t i = 0; i < s->now.n && s->cover == 0 && !any; i++)
    any = wants_flush(s, &s->now.list[i]);
  if (!any)
    return;
  for (size_t i = 0; i < s->now.n; i++)
  {
    const config *c = &s->now.list[i];
    if (c->first < s->ninside && wants_flush(s, c) && !(value != NONE && hd_special_queue_is_taken(c, value)))
      hd_special_queue_take_all(s, *c, s->ninside, g);
    hd_special_queue_keep(s, c);
  }
  hd_special_queue_turn(s);
}

/* The deadline of the candidates below NDUE. */
static void
due(sweep *s)
{
  for (size_t i = 0; i < s->now.n; i++)
    hd_special_queue_take_all(s, s->now.list[i], s->ndue, 0);
  hd_special_queue_turn(s);
}

/* Someone who found nothing and began at START ends after gap G. */
static void
empty_ends(sweep *s, uint32_t start, uint32_t g)
{
  for (size_t i = 0; i < s->now.n; i++)
  {
    const config *c = &s->now.list[i];
    if (c->flush >= start)
      hd_special_queue_keep(s, c);
    else if (s->cover == 0)
      hd_special_queue_take_all(s, *c, s->ninside, g);
  }
  for (uint32_t i = 0; i < s->nempty; i++)
    if (s->empty[i] == start)
    {
      s->empty[i] = s->empty[--s->nempty];
      break;
    }
  hd_special_queue_turn(s);
}

/* The unknown removal in SLOT ends after gap G. */
static void
unknown_ends(sweep *s, unsigned slot, uint32_t g)
{
  for (size_t i = 0; i < s->now.n; i++)
  {
    const config *c = &s->now.list[i];
    if (needs_flush(s, c, slot) && s->cover == 0)
      hd_special_queue_take_all(s, *c, s->ninside, g);
    hd_special_queue_keep(s, c);
  }
  hd_special_queue_turn(s);
  for (size_t i = 0; i < s->now.n; i++)
  {
    config c = s->now.list[i];
    bool used = c.used >> slot & 1, needs = needs_flush(s, &c, slot);
    if (used || !needs)
    {
      c.used &= ~(1ull << slot);
      hd_special_queue_keep(s, &c);
    }
    if (!used && hd_special_queue_take_best(s, &c))
      hd_special_queue_keep(s, &c);
  }
  s->open[slot] = NONE;
  s->nopen--;
  hd_special_queue_turn(s);
}

static unsigned
slot_of(const sweep *s, uint32_t op)
{
  unsigned i = 0;
  while (i < MAX_OPEN && s->open[i] != op)
    i++;
  return i;
}

static void
release(sweep *s, uint32_t t)
{
  for (uint32_t i = s->released_at[t]; i != 0; i = s->next[i - 1])
  {
    uint32_t k = s->nreleased++;
    for (; k > 0 && s->released[k - 1] > i - 1; k--)
      s->released[k] = s->released[k - 1];
    s->released[k] = i - 1;
  }
  while (s->nmaybe < s->c->nmaybe && s->maybe[s->nmaybe] <= t)
    s->nmaybe++;
}

static void
begins(sweep *s, uint32_t op, uint32_t t)
{
  const hd_linear_op *o = &s->job->ops[op];
  uint32_t v = s->c->value[op];
  if (v != NONE)
    s->cover -= s->c->spans[v].take == op && has_core(s->c, v);
  else if (job_role(s->job, op) != ROLE_TAKE)
    return;
  else if (o->pending)
    s->npending++;
  else if (o->any_ret)
  {
    unsigned slot = slot_of(s, NONE);
    s->full |= slot == MAX_OPEN;
    if (slot < MAX_OPEN)
    {
      s->open[slot] = op;
      s->nopen++;
    }
  }
  else
    s->empty[s->nempty++] = t;
}

static void
ends(sweep *s, uint32_t op, uint32_t t)
{
  uint32_t v = s->c->value[op];
  if (v == NONE && s->job->ops[op].any_ret)
    unknown_ends(s, slot_of(s, op), t - 1);
  else if (v == NONE)
    empty_ends(s, s->job->start[op], t - 1);
  else if (s->c->spans[v].take == NONE)
  {
    flush_before(s, t - 1, s->ninside);
    s->ninside++;
  }
  else if (s->c->spans[v].e2 == t && has_core(s->c, v))
  {
    flush_before(s, t - 1, NONE);
    s->cover++;
  }
  else if (s->ndue < s->c->nleft && s->left[s->ndue].deadline == t)
  {
    while (s->ndue < s->c->nleft && s->left[s->ndue].deadline == t)
      s->ndue++;
    due(s);
  }
}

/* ---- the answer ---- */

/* Nothing explains the end of OP at T. */
static special_answer
violated(sweep *s, uint32_t op, uint32_t t)
{
  special_job *job = s->job;
  const special_container *c = s->c;
  uint32_t v = c->value[op];
  if (!job->why)
    return SPECIAL_VIOLATED;
  hd_special_show(job, op);
  if (v != NONE)
  {
    hd_special_show_value(job, c, v);
    hd_special_show_value(job, c, s->left[s->blamed].value);
  }
  for (uint32_t i = c->nunknown, shown = 0; i-- > 0 && shown < MAX_SHOWN;)
    if (job->start[c->unknown[i]] < t)
    {
      hd_special_show(job, c->unknown[i]);
      shown++;
    }
  for (uint32_t i = 0; i < c->npending && i < MAX_SHOWN && job->start[c->pending[i]] < t; i++)
    hd_special_show(job, c->pending[i]);
  const char *name = hd_special_op_text(job, op);
  if (v != NONE)
  {
    const char *first = hd_special_container_text(job, c, s->left[s->blamed].value);
    const char *second = hd_special_container_text(job, c, v);
    return hd_special_violated(job, HD_LINEAR_ORDER_INVERTED, false,
                               "%s was put in before %s, but %s was taken while %s was inside, whatever the removals "
                               "took of which no value is known",
                               first, second, second, first);
  }
  if (job->ops[op].any_ret)
    return hd_special_violated(job, HD_LINEAR_ORDER_INVERTED, false,
                               "%s took effect, but there is no value that it can have taken, and the queue was never "
                               "empty meanwhile",
                               name);
  return hd_special_violated(job, HD_LINEAR_EMPTY_WHILE_FULL, false,
                             "%s, but something was inside all the time, whatever the removals took of which no value "
                             "is known",
                             name);
}

static special_answer
walk(sweep *s)
{
  special_job *job = s->job;
  config *first;
  HD_PUSH(s->now.list, s->now.n, s->now.cap, (config){0});
  for (uint32_t t = 1; t <= job->nevents; t++)
  {
    uint32_t op = job->events[t] >> 1;
    s->work += s->now.n;
    if (s->work >= 65536)
    {
      job->steps += s->work;
      s->work = 0;
      if (job_cancelled(job) || job->steps > job->max_steps)
        return SPECIAL_STOPPED;
    }
    if (job->events[t] & 1)
      ends(s, op, t);
    else
      begins(s, op, t);
    if (s->full)
      return SPECIAL_STOPPED;
    if (s->now.n == 0)
      return violated(s, op, t);
    release(s, t);
    first = s->now.list;
    for (config *c = first; s->cover == 0 && s->nopen + s->nempty > 0 && c < first + s->now.n; c++)
      if (c->first >= s->ninside)
        c->flush = t;
  }
  return SPECIAL_HOLDS;
}

special_answer
hd_special_queue_unknown(special_job *job, const special_container *c)
{
  sweep s = {.job = job, .c = c};
  s.left = hd_special_array(job, c->nleft, sizeof *s.left);
  s.maybe = hd_special_array(job, c->nmaybe, sizeof *s.maybe);
  s.released_at = hd_special_zeroed(job, (size_t) job->nevents + 1, sizeof *s.released_at);
  s.next = hd_special_array(job, c->nleft, sizeof *s.next);
  s.released = hd_special_array(job, c->nleft, sizeof *s.released);
  s.empty = hd_special_array(job, c->nempty, sizeof *s.empty);
  for (unsigned i = 0; i < MAX_OPEN; i++)
    s.open[i] = NONE;
  special_answer answer = SPECIAL_STOPPED;
  job->max_steps += job->steps;
  if (open_times(&s))
    answer = walk(&s);
  job->steps += s.work;
  free(s.now.list);
  free(s.then.list);
  return answer;
}
