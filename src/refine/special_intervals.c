/* special_intervals.c: the common preparation of the special algorithms: time as small numbers, values as small
 * numbers, and a heap of operations by their ends. */
#include "refine/special_parts.h"

#include <string.h>

/* ---- time ---- */

/* A start or end: TAG is 2 * operation + (1 if it is the end). */
typedef struct moment
{
  uint64_t time;
  uint32_t tag;
} moment;

/* Number the events as they lie in EVENTS[1 .. nevents]. */
static void
number_events(special_job *job)
{
  for (uint32_t i = 0; i < job->n; i++)
    job->end[i] = job_inf(job);
  for (uint32_t t = 1; t <= job->nevents; t++)
    *(job->events[t] & 1 ? &job->end[job->events[t] >> 1] : &job->start[job->events[t] >> 1]) = t;
}

/* Each moment has a place of its own below SIZE: put it there, then close the gaps. False: two at one time. */
static bool
place(special_job *job, size_t size)
{
  uint32_t *at = hd_special_zeroed(job, size, sizeof *at); /* tag + 1 */
  bool different = true;
  for (uint32_t i = 0; i < job->n && different; i++)
  {
    const special_op *o = &job->ops[i];
    different = at[o->start] == 0;
    at[o->start] = 2 * i + 1;
    if (o->pending)
      continue;
    different = different && at[o->end] == 0;
    at[o->end] = 2 * i + 2;
  }
  uint32_t t = 0;
  for (size_t k = 0; k < size && different; k++)
    if (at[k] != 0)
      job->events[++t] = at[k] - 1;
  hd_special_release(job, job->nblocks - 1);
  return different;
}

/* Sort M by time and starts before ends, 11 bits at a time. Returns the sorted one of M and SPARE. */
static moment *
sort_moments(special_job *job, moment *m, moment *spare, uint64_t largest)
{
  enum
  {
    BITS = 11,
    SIZE = 1 << BITS
  };
  uint32_t first[SIZE];
  for (unsigned shift = 0; shift == 0 || (shift < 64 && largest >> shift != 0); shift += BITS)
  {
    memset(first, 0, sizeof first);
    for (uint32_t i = 0; i < job->nevents; i++)
      first[m[i].time >> shift & (SIZE - 1)]++;
    uint32_t sum = 0;
    for (unsigned k = 0; k < SIZE; k++)
    {
      uint32_t here = first[k];
      first[k] = sum;
      sum += here;
    }
    for (uint32_t i = 0; i < job->nevents; i++)
      spare[first[m[i].time >> shift & (SIZE - 1)]++] = m[i];
    moment *swap = m;
    m = spare;
    spare = swap;
    job->steps += job->nevents;
  }
  return m;
}

static void
sort(special_job *job, uint64_t largest)
{
  size_t mark = job->nblocks;
  moment *m = hd_special_array(job, job->nevents, sizeof *m), *spare = hd_special_array(job, job->nevents, sizeof *m);
  uint32_t k = 0;
  /* The sort is stable: all starts come first, so they stay before the ends of the same time. */
  for (uint32_t i = 0; i < job->n; i++)
    m[k++] = (moment){job->ops[i].start, 2 * i};
  for (uint32_t i = 0; i < job->n; i++)
    if (!job->ops[i].pending)
      m[k++] = (moment){job->ops[i].end, 2 * i + 1};
  m = sort_moments(job, m, spare, largest);
  for (uint32_t i = 0; i < job->nevents; i++)
    job->events[i + 1] = m[i].tag;
  hd_special_release(job, mark);
}

void
hd_special_order(special_job *job)
{
  uint64_t largest = 0;
  for (uint32_t i = 0; i < job->n; i++)
  {
    const special_op *o = &job->ops[i];
    HD_CHECK(o->pending || o->start <= o->end);
    uint64_t last = o->pending ? o->start : o->end;
    largest = last > largest ? last : largest;
    job->nevents += 2 - o->pending;
  }
  job->events = hd_special_array(job, job->nevents + 1, sizeof *job->events);
  job->start = hd_special_array(job, job->n, sizeof *job->start);
  job->end = hd_special_array(job, job->n, sizeof *job->end);
  if (largest > 4 * (uint64_t) job->nevents + 1024 || !place(job, largest + 1))
    sort(job, largest);
  number_events(job);
  job->steps += job->n + job->nevents;
}

/* ---- values ---- */

void
hd_special_values_open(special_job *job, special_values *t, const special_range *range)
{
  uint64_t span = (uint64_t) range->high - (uint64_t) range->low;
  *t = (special_values){.low = range->low, .dense = !range->other && span <= 4 * range->n + 1024};
  if (t->dense)
    t->size = span + 1;
  else
    for (t->size = 16; t->size < 2 * range->n;)
      t->size *= 2;
  t->table = hd_special_zeroed(job, t->size, sizeof *t->table);
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
    t->values[t->n++] = v;
    *number = t->n;
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
