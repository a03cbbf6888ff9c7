/* special_pqueue.c: priority queues with unique values, from the smallest value to the greatest.
 *
 * The removal of v needs a gap in which no smaller value is certainly inside. So go through the values in ascending
 * order: test v's removal against the gaps that are covered so far, then cover v's core. Covering only ever adds, so
 * "the next gap that is not covered" is a union-find; over words of 64 gaps, so that most answers lie within one. */
#include "linear/special_parts.h"

#include <string.h>

/* ---- the order of values, as specs/pqueue.c has it: nil, numbers, strings, byte strings ---- */

static int
kind(hd_value v)
{
  return v.type == HD_NIL ? 0 : v.type < HD_STR ? 1 : v.type == HD_STR ? 2 : 3;
}

static int
compare(hd_value a, hd_value b)
{
  if (kind(a) != kind(b))
    return kind(a) - kind(b);
  if (kind(a) >= 2)
  {
    size_t n = a.length < b.length ? a.length : b.length;
    int c = n > 0 ? memcmp(a.p, b.p, n) : 0;
    return c != 0 ? c : (a.length > b.length) - (a.length < b.length);
  }
  bool a_negative = a.type == HD_INT && a.i < 0, b_negative = b.type == HD_INT && b.i < 0;
  if (a_negative != b_negative)
    return b_negative - a_negative;
  return (a.u > b.u) - (a.u < b.u);
}

/* Merge the sorted halves FROM .. MIDDLE-1 and MIDDLE .. TO-1 of ORDER into OTHER. */
static void
merge(const hd_value *values, const uint32_t *order, uint32_t from, uint32_t middle, uint32_t to, uint32_t *other)
{
  uint32_t a = from, b = middle;
  for (uint32_t i = from; i < to; i++)
    other[i] = b == to || (a < middle && compare(values[order[a]], values[order[b]]) <= 0) ? order[a++] : order[b++];
}

/* Sort ORDER by values; returns it or OTHER. If the caller cancels, it is not sorted. */
static uint32_t *
merge_sort(special_job *job, const hd_value *values, uint32_t *order, uint32_t *other, uint32_t n)
{
  uint32_t done = 0;
  for (uint64_t size = 1; size < n; size *= 2)
  {
    for (uint64_t from = 0; from < n; from += 2 * size)
    {
      uint64_t middle = from + size < n ? from + size : n, to = from + 2 * size < n ? from + 2 * size : n;
      merge(values, order, (uint32_t) from, (uint32_t) middle, (uint32_t) to, other);
      done += (uint32_t) (to - from);
      if (done >= 65536 && job_cancelled(job))
        return order;
      done = done >= 65536 ? 0 : done;
    }
    uint32_t *swap = order;
    order = other;
    other = swap;
    job->steps += n;
  }
  return order;
}

static uint32_t *
sort_numbers(special_job *job, const special_values *t, uint32_t *order)
{
  size_t mark = job->nblocks;
  special_keyed *a = hd_special_array(job, t->n, sizeof *a), *spare = hd_special_array(job, t->n, sizeof *a);
  uint64_t largest = 0;
  for (uint32_t i = 0; i < t->n; i++)
  {
    a[i] = (special_keyed){t->values[i].u - (uint64_t) t->low, i};
    largest = a[i].key > largest ? a[i].key : largest;
  }
  a = hd_special_sort(job, a, spare, t->n, largest);
  for (uint32_t i = 0; i < t->n; i++)
    order[i] = a[i].what;
  hd_special_release(job, mark);
  return order;
}

/* All values in ascending order. */
static uint32_t *
sorted(special_job *job, special_values *t)
{
  uint32_t *order = hd_special_array(job, t->n, sizeof *order), n = 0;
  if (t->dense) /* the table is in this order */
  {
    for (uint64_t i = 0; i < t->size; i++)
      if (t->table[i] != 0)
        order[n++] = t->table[i] - 1;
    job->steps += t->size;
    return order;
  }
  if (t->numbers)
    return sort_numbers(job, t, order);
  for (; n < t->n; n++)
    order[n] = n;
  return merge_sort(job, t->values, order, hd_special_array(job, n, sizeof *order), n);
}

/* ---- gaps ---- */

typedef struct pqueue
{
  special_pending pending;
  uint32_t *order; /* values, ascending */
  uint64_t *free;  /* words of gaps: 1, it is not covered; the last gap, NEVER, is never covered */
  uint32_t *next;  /* by word: itself if it has a free gap, else a later one */
} pqueue;

static uint32_t
next_word(special_job *job, uint32_t *next, uint32_t w)
{
  while (next[w] != w)
  {
    next[w] = next[next[w]];
    w = next[w];
    job->steps++;
  }
  return w;
}

static uint32_t
next_free(special_job *job, const pqueue *q, uint32_t g)
{
  uint32_t w = g / 64;
  uint64_t free = q->free[w] & ~0ull << g % 64;
  if (!free)
  {
    w = next_word(job, q->next, w + 1);
    free = q->free[w];
  }
  return w * 64 + (uint32_t) __builtin_ctzll(free);
}

static void
cover_some(const pqueue *q, uint32_t w, uint64_t gaps)
{
  q->free[w] &= ~gaps;
  if (!q->free[w] && q->next[w] == w)
    q->next[w] = w + 1;
}

/* The gaps FROM .. TO-1; there are some. */
static void
cover(special_job *job, const pqueue *q, uint32_t from, uint32_t to)
{
  uint64_t first = ~0ull << from % 64, last = ~(~0ull << to % 64);
  if (from / 64 == to / 64)
  {
    cover_some(q, from / 64, first & last);
    return;
  }
  cover_some(q, from / 64, first);
  for (uint32_t w = next_word(job, q->next, from / 64 + 1); w < to / 64; w = next_word(job, q->next, w))
    cover_some(q, w, ~0ull);
  cover_some(q, to / 64, last);
}

static bool
check(special_job *job, special_pending *p, special_failure *f)
{
  const special_container *c = p->c;
  pqueue *q = (pqueue *) p;
  uint32_t never = job_never(job);
  *f = (special_failure){.empty = NONE, .value = NONE};
  job->steps += c->n + never / 64;
  for (uint32_t w = 0; w <= never / 64; w++)
  {
    q->free[w] = ~0ull;
    q->next[w] = w;
  }
  for (uint32_t i = 0; i < c->n; i++)
  {
    uint32_t v = q->order[i];
    if (job_stops(job, i))
      return false;
    if (c->spans[v].put == NONE)
      continue;
    bool tested = c->spans[v].take != NONE || c->spans[v].d2 == job_inf(job);
    if (tested && next_free(job, q, c->spans[v].d1) >= c->spans[v].d2)
    {
      f->value = v;
      return false;
    }
    if (has_core(c, v))
      cover(job, q, c->spans[v].e2, c->spans[v].d1);
  }
  /* Now everything that was certainly inside is covered. */
  for (uint32_t i = 0; i < c->nempty && f->empty == NONE && !job_stops(job, i); i++)
    if (next_free(job, q, job->start[c->empty[i]]) >= job->end[c->empty[i]])
      f->empty = c->empty[i];
  return f->empty == NONE;
}

/* If no completed operation took V, the pending one that started first might have. */
static void
show(special_job *job, const special_container *c, uint32_t v)
{
  hd_special_show_value(job, c, v);
  if (c->spans[v].take == NONE && c->npending > 0)
    hd_special_show(job, c->pending[0]);
}

static special_answer
explain(special_job *job, special_pending *p, const special_failure *f, bool alone)
{
  const special_container *c = p->c;
  if (!job->why)
    return SPECIAL_VIOLATED;
  for (uint32_t i = 0; i < c->npending && !alone; i++)
    hd_special_show(job, c->pending[i]);
  if (f->empty != NONE)
    return hd_special_empty_violated(job, c, f->empty, alone, show);
  show(job, c, f->value);
  uint32_t n
      = hd_special_show_cover(job, c, c->spans[f->value].d1, c->spans[f->value].d2, p->rank, p->rank[f->value], show);
  return hd_special_violated(job, HD_LINEAR_ORDER_INVERTED, alone,
                             n == 1 ? "%s was taken while a smaller value was inside"
                                    : "%s was taken while one or another smaller value was inside",
                             hd_special_container_text(job, c, f->value));
}

/* ---- removals of which no value is known ---- */

/* A value a of LEFT has to be out before the removal of a greater value ends that begins when a is surely inside. A
 * removal during which a known value is surely inside takes a smaller one. */
static void
prepare_unknown(special_job *job, pqueue *q)
{
  special_container *c = q->pending.c;
  const uint32_t *rank = q->pending.rank;
  uint32_t *order = hd_special_array(job, c->nleft, sizeof *order), n = 0, nunknown = 0;
  uint32_t *allowed = hd_special_array(job, c->nunknown, sizeof *allowed);
  uint32_t *deadline = hd_special_array(job, c->n, sizeof *deadline);
  special_least out, ranks; /* by d1: least d2, and least rank */
  hd_special_least_open(job, &out, job_never(job) + 1);
  hd_special_least_open(job, &ranks, job_never(job) + 1);
  for (uint32_t i = c->n; i-- > 0 && !job_stops(job, i);)
  {
    uint32_t v = q->order[i];
    if (c->spans[v].take != NONE)
      hd_special_least_add(job, &out, c->spans[v].d1, c->spans[v].d2);
    else if (c->spans[v].put != NONE)
    {
      uint32_t least = hd_special_least_from(job, &out, c->spans[v].e2);
      deadline[v] = least == NONE ? job_never(job) : least;
      order[c->nleft - ++n] = v;
    }
  }
  for (uint32_t t = 1; t <= job->nevents && !job_stops(job, t); t++)
  {
    uint32_t op = job->events[t] >> 1, v = core_begins(job, c, t);
    if (v != NONE && c->spans[v].take != NONE)
      hd_special_least_add(job, &ranks, c->spans[v].d1, rank[v]);
    if (nunknown == c->nunknown || c->unknown[nunknown] != op)
      continue;
    uint32_t least = hd_special_least_from(job, &ranks, job->end[op]), low = 0, high = c->nleft;
    while (low < high)
    {
      uint32_t middle = low + (high - low) / 2;
      if (rank[order[middle]] < least)
        low = middle + 1;
      else
        high = middle;
    }
    allowed[nunknown++] = high;
  }
  q->pending.order = order;
  q->pending.allowed = allowed;
  q->pending.deadline = deadline;
}

special_answer
hd_special_pqueue(special_job *job)
{
  special_container c;
  special_answer answer = hd_special_container_open(job, &c);
  if (answer != SPECIAL_HOLDS)
    return answer;
  pqueue q = {.pending = {.c = &c, .check = check, .explain = explain}};
  q.order = sorted(job, &c.values);
  q.free = hd_special_array(job, (size_t) job_never(job) / 64 + 1, sizeof *q.free);
  q.next = hd_special_array(job, (size_t) job_never(job) / 64 + 1, sizeof *q.next);
  uint32_t *rank = hd_special_array(job, c.n, sizeof *rank);
  for (uint32_t i = 0; i < c.n; i++)
    rank[q.order[i]] = i;
  q.pending.rank = rank;
  if (c.nunknown == 0)
    return hd_special_pending_decide(job, &q.pending);
  prepare_unknown(job, &q);
  return job_cancelled(job) ? SPECIAL_STOPPED : hd_special_pending_unknown(job, &q.pending);
}
