/* special_counter.c: counters that go in steps of one size.
 *
 * All changes are by the same amount, so the counter passes through fixed positions 0, 1, 2, ... and each value that it
 * shows is a position. Two kinds:
 *
 *  - Changes that return nothing, with gets: the greedy of special_set.c. A change is placed when it returns, or when
 *    an unsatisfied get of a higher position returns, earliest end first; so the counter is as low as it can be at all
 *    times, and a get of a lower position that returns unsatisfied has missed it.
 *    (It is not enough that each get lies between the changes that were over and those that were begun.)
 *  - Changes that return the new value: the result is the place in the order. Walk the places in order; an operation
 *    that ends before one of an earlier place starts is a violation. A missing place is filled by a pending change, the
 *    earliest start to the lowest place: of two, exchanging them never hurts. Gets have their place between two
 * changes.
 *
 * A change by 0 is a get. Both kinds mixed, or amounts of different size or sign: not fit. */
#include "linear/special_parts.h"

/* With these no sum of 2^30 changes overflows. */
static const int64_t max_amount = (int64_t) 1 << 31, max_initial = (int64_t) 1 << 62;

typedef enum class
{
  CHANGE,
  LOOK,
  DROPPED,
} class;

typedef struct counter
{
  int64_t initial, amount; /* AMOUNT is 0 if nothing changes it */
  uint32_t nchanges;
  bool results; /* changes return the new value */
  uint8_t *class;
  uint32_t *place; /* of operations that show a value: the position; above NCHANGES: no position */
} counter;

/* By how much OP changes the counter; false: not a number. */
static bool
amount_of(const special_job *job, uint32_t op, int64_t *amount)
{
  switch (job_role(job, op))
  {
  case ROLE_INC:
    *amount = 1;
    return true;
  case ROLE_DEC:
    *amount = -1;
    return true;
  case ROLE_PLUS:
    return value_number(job->ops[op].args[0], amount) && *amount <= max_amount && *amount >= -max_amount;
  default:
    *amount = 0;
    return true;
  }
}

/* The position that shows V. */
static uint32_t
place_of(const counter *c, hd_value v)
{
  __int128 shown = v.type == HD_INT ? (__int128) v.i : (__int128) v.u, way = shown - c->initial;
  if (way == 0)
    return 0;
  if (c->amount == 0 || way % c->amount != 0 || way / c->amount < 0 || way / c->amount > c->nchanges)
    return NONE;
  return (uint32_t) (way / c->amount);
}

static bool
is_number(hd_value v)
{
  return v.type == HD_INT || v.type == HD_UINT || v.type == HD_BOOL;
}

static special_answer
open_counter(special_job *job, counter *c)
{
  uint32_t said = 0, silent = 0;
  *c = (counter){0};
  if (job->nconfig > 0
      && (!is_number(job->config[0]) || job->config[0].i > max_initial || job->config[0].i < -max_initial))
    return SPECIAL_NOT_FIT;
  c->initial = job->nconfig > 0 ? job->config[0].i : 0;
  c->class = hd_special_array(job, job->n, sizeof *c->class);
  for (uint32_t i = 0; i < job->n; i++)
  {
    const hd_linear_op *o = &job->ops[i];
    int64_t amount;
    if (job_stops(job, i))
      return SPECIAL_STOPPED;
    bool shows = !o->pending && o->ret.type != HD_NIL;
    if (!amount_of(job, i, &amount) || (shows && !is_number(o->ret)))
      return SPECIAL_NOT_FIT;
    if (job_role(job, i) == ROLE_GET && !o->pending && !shows)
      return SPECIAL_NOT_FIT;
    c->class[i] = amount != 0 ? CHANGE : shows ? LOOK : DROPPED;
    if (c->class[i] != CHANGE)
      continue;
    if (c->nchanges++ > 0 && amount != c->amount)
      return SPECIAL_NOT_FIT;
    c->amount = amount;
    said += shows;
    silent += !o->pending && !shows;
  }
  if (said > 0 && silent > 0)
    return SPECIAL_NOT_FIT;
  c->results = said > 0;
  c->place = hd_special_array(job, job->n, sizeof *c->place);
  for (uint32_t i = 0; i < job->n && !job_stops(job, i); i++)
    c->place[i] = job->ops[i].pending || job->ops[i].ret.type == HD_NIL ? NONE : place_of(c, job->ops[i].ret);
  job->steps += 2 * (uint64_t) job->n;
  return job_cancelled(job) ? SPECIAL_STOPPED : SPECIAL_HOLDS;
}

static special_answer
wrong_count(special_job *job, uint32_t op, uint32_t other, const char *how)
{
  hd_special_show(job, op);
  if (other != NONE)
    hd_special_show(job, other);
  return hd_special_violated(job, HD_LINEAR_WRONG_COUNT, false, "%s: %s%s%s", hd_special_op_text(job, op), how,
                             other != NONE ? " " : "", other != NONE ? hd_special_op_text(job, other) : "");
}

static const char no_such_value[] = "the counter cannot have this value, whatever the order";

/* ---- changes that return nothing ---- */

typedef struct greedy
{
  uint32_t count;
  uint32_t open; /* a heap */
  special_heap heap;
  uint32_t *wait; /* by position: open gets that are not satisfied: lists through heap.left, operation + 1 */
  bool *done;
  uint32_t passed; /* the operation whose return made the latest placement necessary, or NONE */
} greedy;

static bool
count_up(special_job *job, greedy *g, uint32_t because)
{
  if (g->open == 0)
    return false;
  g->done[hd_special_heap_pop(job, &g->heap, &g->open)] = true;
  g->count++;
  g->passed = because;
  for (uint32_t w = g->wait[g->count]; w != 0; w = g->heap.left[w - 1])
    g->done[w - 1] = true;
  g->wait[g->count] = 0;
  job->steps++;
  return true;
}

static void
call(special_job *job, const counter *c, greedy *g, uint32_t op)
{
  if (c->class[op] == CHANGE)
    hd_special_heap_push(job, &g->heap, &g->open, op);
  else if (c->class[op] == DROPPED || c->place[op] == g->count)
    g->done[op] = true;
  else
  {
    g->heap.left[op] = g->wait[c->place[op]];
    g->wait[c->place[op]] = op + 1;
  }
}

/* OP returns and is not done. */
static special_answer
force(special_job *job, const counter *c, greedy *g, uint32_t op)
{
  if (c->class[op] == CHANGE)
  {
    HD_CHECK(count_up(job, g, op)); /* it is open itself, and has the earliest end */
    return SPECIAL_HOLDS;
  }
  if (g->count > c->place[op])
    return wrong_count(job, op, g->passed, "the counter had to pass this value earlier, because of the return of");
  while (g->count < c->place[op])
    if (!count_up(job, g, op))
      return wrong_count(job, op, g->passed == op ? NONE : g->passed, "too few changes had begun");
  return SPECIAL_HOLDS;
}

static special_answer
count(special_job *job, const counter *c)
{
  greedy g = {.passed = NONE};
  g.wait = hd_special_zeroed(job, (size_t) c->nchanges + 1, sizeof *g.wait);
  g.done = hd_special_zeroed(job, job->n, sizeof *g.done);
  hd_special_heap_open(job, &g.heap);
  for (uint32_t i = 0; i < job->n; i++)
    if (c->class[i] == LOOK && c->place[i] == NONE)
      return wrong_count(job, i, NONE, no_such_value);
  for (uint32_t t = 1; t <= job->nevents; t++)
  {
    uint32_t op = job->events[t] >> 1;
    if (job_stops(job, t))
      return SPECIAL_STOPPED;
    if (!(job->events[t] & 1))
      call(job, c, &g, op);
    else if (!g.done[op])
    {
      special_answer answer = force(job, c, &g, op);
      if (answer != SPECIAL_HOLDS)
        return answer;
    }
  }
  job->steps += job->nevents;
  return SPECIAL_HOLDS;
}

/* ---- changes that return the new value ---- */

typedef struct places
{
  uint32_t n;       /* the highest place that somebody saw */
  uint32_t *change; /* by place: the change that made it, or NONE */
  uint32_t *least;  /* by place: of its gets the one with the least end, or NONE */
  uint32_t *latest; /* ... with the greatest start */
} places;

static special_answer
collect(special_job *job, const counter *c, places *p)
{
  uint32_t **arrays[] = {&p->change, &p->least, &p->latest};
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
  {
    *arrays[k] = hd_special_array(job, (size_t) c->nchanges + 1, sizeof(uint32_t));
    for (uint32_t i = 0; i <= c->nchanges; i++)
      (*arrays[k])[i] = NONE;
  }
  p->n = 0;
  for (uint32_t i = 0; i < job->n; i++)
  {
    uint32_t at = c->place[i];
    if (job_stops(job, i))
      return SPECIAL_STOPPED;
    if (c->class[i] == DROPPED || job->ops[i].pending)
      continue;
    if (at == NONE || (at == 0 && c->class[i] == CHANGE))
      return wrong_count(job, i, NONE, no_such_value);
    p->n = at > p->n ? at : p->n;
    if (c->class[i] == CHANGE)
    {
      if (p->change[at] != NONE)
        return wrong_count(job, i, p->change[at], "the same value as");
      p->change[at] = i;
      continue;
    }
    if (p->least[at] == NONE || job->end[i] < job->end[p->least[at]])
      p->least[at] = i;
    if (p->latest[at] == NONE || job->start[i] > job->start[p->latest[at]])
      p->latest[at] = i;
  }
  job->steps += job->n + c->nchanges;
  return SPECIAL_HOLDS;
}

/* Give the pending changes, in the order of their starts, to the places that are missing. NONE: done; else a place that
 * is still missing. */
static uint32_t
fill(special_job *job, const counter *c, places *p)
{
  uint32_t at = 1;
  for (uint32_t t = 1; t <= job->nevents; t++)
  {
    uint32_t op = job->events[t] >> 1;
    while (at <= p->n && p->change[at] != NONE)
      at++;
    if (at <= p->n && job->ops[op].pending && c->class[op] == CHANGE)
      p->change[at] = op;
  }
  while (at <= p->n && p->change[at] != NONE)
    at++;
  job->steps += job->nevents;
  return at <= p->n ? at : NONE;
}

static special_answer
walk(special_job *job, const counter *c)
{
  places p;
  special_answer answer = collect(job, c, &p);
  if (answer != SPECIAL_HOLDS)
    return answer;
  uint32_t missing = fill(job, c, &p), greatest = 0, who = NONE;
  for (uint32_t at = 0; at <= p.n && at < missing; at++)
  {
    if (job_stops(job, at))
      return SPECIAL_STOPPED;
    uint32_t stages[2][2] = {{p.change[at], p.change[at]}, {p.least[at], p.latest[at]}};
    for (int k = 0; k < 2; k++)
    {
      if (stages[k][0] == NONE)
        continue;
      if (job->end[stages[k][0]] < greatest)
        return wrong_count(job, stages[k][0], who, "this was over before one began that has to come earlier:");
      if (job->start[stages[k][1]] > greatest)
      {
        greatest = job->start[stages[k][1]];
        who = stages[k][1];
      }
    }
  }
  job->steps += p.n;
  if (missing == NONE)
    return SPECIAL_HOLDS;
  while (p.change[missing] == NONE && p.least[missing] == NONE)
    missing++;
  uint32_t seen = p.change[missing] != NONE ? p.change[missing] : p.least[missing];
  return wrong_count(job, seen, NONE, "too few changes were made");
}

special_answer
hd_special_counter(special_job *job)
{
  counter c;
  special_answer answer = open_counter(job, &c);
  if (answer != SPECIAL_HOLDS)
    return answer;
  return c.results ? walk(job, &c) : count(job, &c);
}
