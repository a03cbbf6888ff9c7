/* special_intervals.c: the common preparation of the special algorithms: time as small numbers, values as small
 * numbers, and a heap of operations by their ends. */
#include "linear/special_parts.h"

#include <string.h>

/* ---- sorting: 11 bits at a time, 6 if there are few ---- */

special_keyed *
hd_special_sort(special_job *job, special_keyed *a, special_keyed *spare, uint32_t n, uint64_t largest)
{
  enum
  {
    BITS = 11,
    FEW_BITS = 6,
    FEW = 1 << 10,
  };
  const unsigned bits = n < FEW ? FEW_BITS : BITS, size = 1u << bits;
  uint32_t first[1 << BITS];
  for (unsigned shift = 0; shift < 64 && largest >> shift != 0 && !job_cancelled(job); shift += bits)
  {
    memset(first, 0, size * sizeof *first);
    for (uint32_t i = 0; i < n; i++)
      first[a[i].key >> shift & (size - 1)]++;
    uint32_t sum = 0;
    for (unsigned k = 0; k < size; k++)
    {
      uint32_t here = first[k];
      first[k] = sum;
      sum += here;
    }
    for (uint32_t i = 0; i < n && !job_stops(job, i); i++)
      spare[first[a[i].key >> shift & (size - 1)]++] = a[i];
    special_keyed *swap = a;
    a = spare;
    spare = swap;
    job->steps += n;
  }
  return a;
}

/* ---- time ---- */

/* Number the events as they lie in EVENTS[1 .. nevents]. */
static void
number_events(special_job *job)
{
  job->start = hd_special_array(job, job->n, sizeof *job->start);
  job->end = hd_special_array(job, job->n, sizeof *job->end);
  for (uint32_t i = 0; i < job->n && !job_stops(job, i); i++)
    job->end[i] = job_inf(job);
  uint32_t *const times[] = {job->start, job->end}; /* no branch: which of them it is nobody can foresee */
  for (uint32_t t = 1; t <= job->nevents && !job_stops(job, t); t++)
    times[job->events[t] & 1][job->events[t] >> 1] = t;
}

/* Each moment has a place of its own from FIRST to FIRST + SIZE - 1: put it there, then close the gaps. False: two at
 * one time. */
static bool
place(special_job *job, uint64_t first, size_t size)
{
  uint32_t *at = hd_special_zeroed(job, size, sizeof *at); /* 2 * operation + (1 if it is the end) + 1 */
  bool different = true;
  for (uint32_t i = 0; i < job->n && different && !job_stops(job, i); i++)
  {
    const hd_linear_op *o = &job->ops[i];
    uint32_t *start = &at[o->start - first];
    different = *start == 0;
    *start = 2 * i + 1;
    if (o->pending)
      continue;
    uint32_t *end = &at[o->end - first];
    different = different && *end == 0;
    *end = 2 * i + 2;
  }
  uint32_t t = 0;
  for (size_t k = 0; k < size && different && !job_stops(job, (uint32_t) k); k++)
    if (at[k] != 0)
      job->events[++t] = at[k] - 1;
  hd_special_release(job, job->nblocks - 1);
  return different;
}

static uint64_t
time_of(const special_job *job, uint32_t op, bool end)
{
  return end ? job->ops[op].end : job->ops[op].start;
}

/* The operations in the order of their starts, or those that ended in the order of their ends. */
static uint32_t *
sorted(special_job *job, bool ends, uint64_t smallest, uint64_t largest, uint32_t *n)
{
  uint32_t *order = hd_special_array(job, job->n, sizeof *order);
  uint64_t last = 0;
  bool in_order = true;
  *n = 0;
  for (uint32_t i = 0; i < job->n && !job_stops(job, i); i++)
  {
    if (ends && job->ops[i].pending)
      continue;
    in_order = in_order && time_of(job, i, ends) >= last;
    last = time_of(job, i, ends);
    order[(*n)++] = i;
  }
  job->steps += *n;
  if (in_order)
    return order;
  size_t mark = job->nblocks;
  special_keyed *m = hd_special_array(job, *n, sizeof *m), *spare = hd_special_array(job, *n, sizeof *m);
  for (uint32_t i = 0; i < *n; i++)
    m[i] = (special_keyed){time_of(job, order[i], ends) - smallest, order[i]};
  m = hd_special_sort(job, m, spare, *n, largest - smallest);
  for (uint32_t i = 0; i < *n; i++)
    order[i] = m[i].what;
  hd_special_release(job, mark);
  return order;
}

/* Merge starts and ends; at one time the starts come first. */
static void
sort(special_job *job, uint64_t smallest, uint64_t largest)
{
  size_t mark = job->nblocks;
  uint32_t nstarts, nends, s = 0, e = 0;
  const uint32_t *starts = sorted(job, false, smallest, largest, &nstarts);
  const uint32_t *ends = sorted(job, true, smallest, largest, &nends);
  for (uint32_t t = 1; t <= job->nevents && !job_cancelled(job);)
    for (uint32_t until = job->nevents - t < 65536 ? job->nevents : t + 65536; t <= until; t++)
      if (s < nstarts && (e == nends || job->ops[starts[s]].start <= job->ops[ends[e]].end))
        job->events[t] = 2 * starts[s++];
      else
        job->events[t] = 2 * ends[e++] + 1;
  hd_special_release(job, mark);
}

/* The events of a history lie one after the other, and its operations in the order of their starts: each goes to its
 * place at once. False: it is not so. */
static bool
place_at_once(special_job *job)
{
  uint32_t *at = job->events + 1, most = 2 * job->n, pending = 0;
  uint64_t first = job->n > 0 ? job->ops[0].start : 0, before = 0, largest = 0;
  bool good = true;
  memset(at, 0xff, most * sizeof *at);
  for (uint32_t i = 0; i < job->n && good && !job_stops(job, i); i++)
  {
    const hd_linear_op *o = &job->ops[i];
    /* From FIRST on, in numbers that are huge for what lies before it. */
    uint64_t start = o->start - first, end = o->pending ? start : o->end - first;
    good = start >= before && end >= start && end < most;
    before = start + 1;
    largest = end > largest ? end : largest;
    if (!good)
      break;
    at[end] = 2 * i + 1; /* overwritten if it is pending */
    at[start] = 2 * i;
    pending += o->pending;
  }
  job->nevents = most - pending;
  good = good && largest + 1 == job->nevents;
  for (uint32_t t = 0; t < job->nevents && good; t++) /* two at one time leave an empty place */
    good = at[t] != NONE;
  return good;
}

/* Any events. False: the caller wants us to stop. */
static bool
place_or_sort(special_job *job)
{
  uint64_t smallest = UINT64_MAX, largest = 0;
  job->nevents = 0;
  for (uint32_t i = 0; i < job->n; i++)
  {
    const hd_linear_op *o = &job->ops[i];
    if (job_stops(job, i))
      return false;
    HD_CHECK(o->pending || o->start <= o->end);
    uint64_t last = o->pending ? o->start : o->end;
    smallest = o->start < smallest ? o->start : smallest;
    largest = last > largest ? last : largest;
    job->nevents += 2 - o->pending;
  }
  uint64_t span = job->n > 0 ? largest - smallest : 0;
  if (job->n > 0 && (span > 4 * (uint64_t) job->nevents + 1024 || !place(job, smallest, span + 1)))
    sort(job, smallest, largest);
  uint32_t next = 0;
  job->in_order = true;
  for (uint32_t e = 1; e <= job->nevents && !job_stops(job, e); e++)
  {
    /* No branch: which of them is a start nobody can foresee. */
    job->in_order &= (job->events[e] & 1) | (job->events[e] == 2 * next);
    next += !(job->events[e] & 1);
  }
  return !job_cancelled(job);
}

special_answer
hd_special_events(special_job *job)
{
  job->events = hd_special_array(job, 2 * (size_t) job->n + 1, sizeof *job->events);
  job->in_order = place_at_once(job);
  if (!job->in_order && !place_or_sort(job))
    return SPECIAL_STOPPED;
  job->steps += job->n + job->nevents;
  return job_cancelled(job) ? SPECIAL_STOPPED : SPECIAL_HOLDS;
}

special_answer
hd_special_order(special_job *job)
{
  special_answer answer = hd_special_events(job);
  if (answer != SPECIAL_HOLDS)
    return answer;
  number_events(job);
  return job_cancelled(job) ? SPECIAL_STOPPED : SPECIAL_HOLDS;
}

/* ---- values ---- */

void
hd_special_values_open(special_job *job, special_values *t, const special_range *range)
{
  uint64_t span = (uint64_t) range->high - (uint64_t) range->low;
  *t = (special_values){.low = range->low, .numbers = !range->other};
  t->dense = t->numbers && span <= 4 * range->n + 1024;
  if (t->dense)
    t->size = span + 1;
  else
    for (t->size = 16; t->size < 2 * range->n;)
      t->size *= 2;
  t->table = hd_special_zeroed(job, t->size, sizeof *t->table);
  if (!t->dense)
    t->values = hd_special_array(job, range->n, sizeof *t->values);
}

/* Where the number of V stands or would stand, or NULL: V lies outside the range. */
static uint32_t *
slot(const special_values *t, hd_value v)
{
  if (t->dense)
  {
    int64_t i;
    uint64_t place = value_number(v, &i) ? (uint64_t) i - (uint64_t) t->low : UINT64_MAX;
    return place < t->size ? &t->table[place] : NULL;
  }
  uint64_t i = hd_value_hash(v) & (t->size - 1);
  while (t->table[i] != 0 && !hd_value_equal(t->values[t->table[i] - 1], v))
    i = (i + 1) & (t->size - 1);
  return &t->table[i];
}

uint32_t
hd_special_values_add(special_values *t, hd_value v, bool *fresh)
{
  uint32_t *number = slot(t, v);
  *fresh = *number == 0;
  if (*fresh)
  {
    if (!t->dense)
      t->values[t->n] = v;
    *number = ++t->n;
  }
  return *number - 1;
}

uint32_t
hd_special_values_find(const special_values *t, hd_value v)
{
  const uint32_t *number = slot(t, v);
  return number && *number != 0 ? *number - 1 : NONE;
}

/* ---- the heap ---- */

void
hd_special_heap_open(special_job *job, special_heap *h)
{
  h->end = job->end;
  h->left = hd_special_zeroed(job, job->n, sizeof *h->left);
  h->right = hd_special_zeroed(job, job->n, sizeof *h->right);
}

/* Merge the heaps A and B into *ROOT: along the right edges, whose sides are exchanged. */
static void
merge(special_job *job, special_heap *h, uint32_t *root, uint32_t a, uint32_t b)
{
  while (a != 0 && b != 0)
  {
    if (h->end[b - 1] < h->end[a - 1])
    {
      uint32_t swap = a;
      a = b;
      b = swap;
    }
    *root = a;
    uint32_t rest = h->right[a - 1];
    h->right[a - 1] = h->left[a - 1];
    root = &h->left[a - 1];
    a = rest;
    job->steps++;
  }
  *root = a != 0 ? a : b;
}

void
hd_special_heap_push(special_job *job, special_heap *h, uint32_t *root, uint32_t op)
{
  h->left[op] = h->right[op] = 0;
  merge(job, h, root, *root, op + 1);
}

uint32_t
hd_special_heap_pop(special_job *job, special_heap *h, uint32_t *root)
{
  uint32_t op = *root - 1;
  merge(job, h, root, h->left[op], h->right[op]);
  return op;
}
