/* special_stack.c: last in, first out, with unique values, by peeling.
 *
 * A value can be the lowest one in the stack if its push covers a gap that lies in no other value's core and its pop
 * covers one, too: everything else then happens before, between or after these two. Peel such a value off (its core no
 * longer counts) and go on; a value without a core is peeled at once, push and pop side by side. There is an order iff
 * nothing remains. Peeling only removes cores, so a gap once free stays free and the order of peeling does not matter.
 * A value that is never taken needs a place for its push only, for the end of time is free; the same holds for one that
 * a pending pop takes.
 *
 * Gaps are compressed to the cells between the places where cores begin or end. One tree has the number of cores over
 * each cell (range add, find a zero), another one the operations by their first cell (find one that reaches a cell). */
#include "linear/special_parts.h"

#include <string.h>

/* ---- a tree of counts: each node holds the least count below it relative to its parent; of two siblings one is 0 ----
 */

typedef struct counts
{
  uint32_t size; /* leaves, a power of two */
  int32_t *node; /* 1 is the root */
} counts;

static const int32_t gone = INT32_MAX / 2; /* the count of a cell that is done with */

/* Restore the rule for the children of I. False: there was nothing to do. */
static bool
settle(counts *t, uint32_t i)
{
  int32_t *child = &t->node[2 * i], least = child[0] < child[1] ? child[0] : child[1];
  child[0] -= least;
  child[1] -= least;
  t->node[i] += least;
  return least != 0;
}

/* Add BY to the cells FROM .. TO-1. Above the nodes that cover them exactly it ends where nothing changes, so a short
 * range is cheap however long the tree. */
static void
add(special_job *job, counts *t, uint32_t from, uint32_t to, int32_t by)
{
  uint32_t l = from + t->size, r = to + t->size - 1, i = l, j = r;
  bool left = true, right = true;
  while (i <= j)
  {
    if (i & 1)
      t->node[i++] += by;
    if (!(j & 1))
      t->node[j--] += by;
    l /= 2;
    r /= 2;
    i /= 2;
    j /= 2;
    if (l == 0)
      return;
    settle(t, l);
    if (r != l)
      settle(t, r);
    job->steps++;
  }
  for (l /= 2, r /= 2; l >= 1 && (left || right); l /= 2, r /= 2)
  {
    bool same = l == r;
    left = (left || (same && right)) && settle(t, l);
    right = same ? left : right && settle(t, r);
    job->steps++;
  }
}

/* A cell with the least count. */
static uint32_t
least(const counts *t)
{
  uint32_t i = 1;
  while (i < t->size)
    i = t->node[2 * i] == 0 ? 2 * i : 2 * i + 1;
  return i - t->size;
}

/* ---- a tree of operations by their first cells: each node holds the greatest last cell below it, plus 1 ---- */

typedef struct reaches
{
  uint32_t size;
  uint32_t *node;
} reaches;

static void
set_reach(special_job *job, reaches *t, uint32_t i, uint32_t reach)
{
  for (t->node[i += t->size] = reach; i > 1; i /= 2)
  {
    uint32_t other = t->node[i ^ 1], here = t->node[i], most = here > other ? here : other;
    if (t->node[i / 2] == most)
      return;
    t->node[i / 2] = most;
    job->steps++;
  }
}

/* The first operation that reaches CELL, or NONE. */
static uint32_t
first_reaching(const reaches *t, uint32_t cell)
{
  uint32_t i = 1;
  if (t->node[1] <= cell)
    return NONE;
  while (i < t->size)
    i = t->node[2 * i] > cell ? 2 * i : 2 * i + 1;
  return i - t->size;
}

static uint32_t
power_of_two(uint32_t n)
{
  uint32_t size = 1;
  while (size < n)
    size *= 2;
  return size;
}

/* ---- peeling ---- */

typedef struct peeling
{
  const special_container *c;
  const uint32_t *list; /* the values that count */
  uint32_t n;
  uint32_t low; /* the earliest time */
  uint32_t ncells;
  uint32_t *cell;   /* by gap - low */
  uint8_t *missing; /* by place in LIST: how many of its operations have found no gap yet */
  counts counts;
  reaches reaches;
  uint32_t *first_op; /* by cell: the first operation that begins in it or later */
  uint32_t *of;       /* by operation: the place in LIST of its value */
} peeling;

static uint32_t
cell_at(const peeling *p, uint32_t gap)
{
  return p->cell[gap - p->low];
}

static uint32_t
core_end(const special_job *job, const peeling *p, uint32_t v)
{
  return p->c->spans[v].d1 == job_never(job) ? p->ncells : cell_at(p, p->c->spans[v].d1);
}

/* Number the cells: gap g lies in the cell "how many cores begin or end at g or before". */
static void
open_cells(special_job *job, peeling *p)
{
  const special_container *c = p->c;
  uint32_t high = 0;
  p->low = NONE;
  for (uint32_t i = 0; i < p->n; i++)
  {
    uint32_t v = p->list[i], last = c->spans[v].take != NONE           ? c->spans[v].d2
                                    : c->spans[v].d1 == job_never(job) ? c->spans[v].e2
                                                                       : c->spans[v].d1;
    p->low = c->spans[v].e1 < p->low ? c->spans[v].e1 : p->low;
    high = last > high ? last : high;
    high = c->spans[v].e2 > high ? c->spans[v].e2 : high;
  }
  size_t n = p->n > 0 ? (size_t) high - p->low + 1 : 0;
  p->cell = hd_special_zeroed(job, n, sizeof *p->cell);
  for (uint32_t i = 0; i < p->n; i++)
    if (has_core(c, p->list[i]))
    {
      p->cell[c->spans[p->list[i]].e2 - p->low] = 1;
      if (c->spans[p->list[i]].d1 != job_never(job))
        p->cell[c->spans[p->list[i]].d1 - p->low] = 1;
    }
  uint32_t sum = 0;
  for (size_t g = 0; g < n; g++)
    p->cell[g] = sum += p->cell[g];
  p->ncells = sum + 1;
  job->steps += n + p->n;
}

/* The operations of the value at place I that need a gap, as their first and last gap; returns how many. */
static unsigned
needs(const peeling *p, uint32_t i, uint32_t gaps[2][2])
{
  const special_container *c = p->c;
  uint32_t v = p->list[i];
  if (!has_core(c, v))
    return 0;
  gaps[0][0] = c->spans[v].e1;
  gaps[0][1] = c->spans[v].e2 - 1;
  gaps[1][0] = c->spans[v].d1;
  gaps[1][1] = c->spans[v].d2 - 1;
  return c->spans[v].take == NONE ? 1 : 2;
}

static void
open_operations(special_job *job, peeling *p)
{
  uint32_t gaps[2][2], nops = 0;
  p->missing = hd_special_zeroed(job, p->n, sizeof *p->missing);
  /* First how many operations begin in the cell before, then where the next one of the cell goes, which ends where the
   * first one of the following cell is. */
  uint32_t *next = hd_special_zeroed(job, (size_t) p->ncells + 2, sizeof *next);
  for (uint32_t i = 0; i < p->n && !job_stops(job, i); i++)
  {
    p->missing[i] = (uint8_t) needs(p, i, gaps);
    for (unsigned k = 0; k < p->missing[i]; k++, nops++)
      next[cell_at(p, gaps[k][0]) + 2]++;
  }
  for (uint32_t k = 2; k < p->ncells + 2; k++)
    next[k] += next[k - 1];
  p->first_op = next++;
  p->of = hd_special_array(job, nops, sizeof *p->of);
  p->reaches.size = power_of_two(nops > 2 ? nops : 2);
  p->reaches.node = hd_special_zeroed(job, 2 * (size_t) p->reaches.size, sizeof *p->reaches.node);
  for (uint32_t i = 0; i < p->n && !job_stops(job, i); i++)
    for (unsigned k = 0; k < needs(p, i, gaps); k++)
    {
      uint32_t place = next[cell_at(p, gaps[k][0])]++;
      p->of[place] = i;
      p->reaches.node[p->reaches.size + place] = cell_at(p, gaps[k][1]) + 1;
    }
  for (uint32_t i = p->reaches.size - 1; i >= 1; i--)
  {
    uint32_t a = p->reaches.node[2 * i], b = p->reaches.node[2 * i + 1];
    p->reaches.node[i] = a > b ? a : b;
  }
  job->steps += 2 * (uint64_t) p->n + p->ncells + 2 * (uint64_t) p->reaches.size;
}

static void
open_counts(special_job *job, peeling *p)
{
  counts *t = &p->counts;
  t->size = power_of_two(p->ncells > 2 ? p->ncells : 2);
  t->node = hd_special_zeroed(job, 2 * (size_t) t->size, sizeof *t->node);
  int32_t *leaf = t->node + t->size;
  for (uint32_t i = 0; i < p->n; i++)
    if (has_core(p->c, p->list[i]))
    {
      leaf[cell_at(p, p->c->spans[p->list[i]].e2)]++;
      uint32_t end = core_end(job, p, p->list[i]);
      if (end < p->ncells)
        leaf[end]--;
    }
  for (uint32_t k = 1; k < p->ncells; k++)
    leaf[k] += leaf[k - 1];
  for (uint32_t k = p->ncells; k < t->size; k++)
    leaf[k] = gone;
  for (uint32_t i = t->size - 1; i >= 1; i--)
    settle(t, i);
  job->steps += 2 * (uint64_t) t->size;
}

/* Peel the values of LIST. What remains goes to REST (not NULL: room for N); returns how many. If the caller cancels,
 * some may remain that need not. */
static uint32_t
peel(special_job *job, const special_container *c, const uint32_t *list, uint32_t n, uint32_t *rest)
{
  size_t mark = job->nblocks;
  peeling p = {.c = c, .list = list, .n = n};
  open_cells(job, &p);
  open_operations(job, &p);
  open_counts(job, &p);
  for (uint32_t turn = 1; p.counts.node[1] == 0; turn++)
  {
    if (turn % 65536 == 1 && job_cancelled(job))
      break;
    uint32_t cell = least(&p.counts), op;
    add(job, &p.counts, cell, cell + 1, gone);
    while ((op = first_reaching(&p.reaches, cell)) < p.first_op[cell + 1])
    {
      uint32_t i = p.of[op];
      set_reach(job, &p.reaches, op, 0);
      if (--p.missing[i] == 0)
        add(job, &p.counts, cell_at(&p, c->spans[list[i]].e2), core_end(job, &p, list[i]), -1);
    }
  }
  uint32_t nrest = 0;
  for (uint32_t i = 0; i < n; i++)
    if (p.missing[i] > 0)
    {
      if (rest)
        rest[nrest] = list[i];
      nrest++;
    }
  hd_special_release(job, mark);
  return nrest;
}

/* ---- the whole stack ---- */

typedef struct stack
{
  special_pending pending;
  uint32_t *all; /* values, in order of the starts of their pushes */
  uint32_t nall;
} stack;

static bool
check(special_job *job, special_pending *p, special_failure *f)
{
  stack *s = (stack *) p;
  *f = (special_failure){.empty = hd_special_container_empty(job, p->c), .value = NONE};
  if (f->empty != NONE)
    return false;
  f->rest = hd_special_array(job, s->nall, sizeof *f->rest);
  f->nrest = peel(job, p->c, s->all, s->nall, f->rest);
  return f->nrest == 0;
}

/* ---- what is shown ---- */

static void
show(special_job *job, const special_container *c, uint32_t v)
{
  hd_special_show_value(job, c, v);
  if (c->spans[v].take == NONE && c->npending > 0)
    hd_special_show(job, c->pending[0]);
}

/* How many values from the front of LIST, which cannot be put in order, are enough for that. */
static uint32_t
shortest(special_job *job, const special_container *c, const uint32_t *list, uint32_t n)
{
  uint32_t low = 1, high = n;
  while (low < high)
  {
    uint32_t middle = low + (high - low) / 2;
    if (peel(job, c, list, middle, NULL) > 0)
      high = middle;
    else
      low = middle + 1;
  }
  return high;
}

/* Make REST, which cannot be put in order, smaller while that stays so. In each round the last value of the shortest
 * front part is one that is needed: it moves to the front. When all that is left was moved, nothing can be left out. */
static uint32_t
shrink(special_job *job, const special_container *c, uint32_t *rest, uint32_t n, uint64_t steps)
{
  uint64_t limit = job->steps + steps;
  for (uint32_t needed = 0; needed < n && job->steps < limit && !job_cancelled(job);)
  {
    n = shortest(job, c, rest, n);
    if (n <= needed)
      break;
    uint32_t last = rest[n - 1];
    memmove(rest + 1, rest, (n - 1) * sizeof *rest);
    rest[0] = last;
    needed++;
  }
  return n;
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
  uint32_t n = shrink(job, c, f->rest, f->nrest, 1ull << 28);
  for (uint32_t i = 0; i < n; i++)
    show(job, c, f->rest[i]);
  return hd_special_violated(job, HD_LINEAR_ORDER_INVERTED, alone,
                             n == 2 ? "%s and %s were put in one after the other and left in the same order"
                                    : "%s and %s (with others) did not leave in the reverse of any order that they can "
                                      "have been put in",
                             hd_special_container_text(job, c, f->rest[0]),
                             hd_special_container_text(job, c, f->rest[n > 1]));
}

/* ---- removals of which no value is known ---- */

static uint32_t
distance(uint32_t a, uint32_t b)
{
  return a < b ? b - a : a - b;
}

/* Values that begin or end to be inside near T come first; then few of them, from the front, are enough. */
static void
narrow(special_job *job, special_pending *p, special_failure *f, uint32_t t)
{
  const special_container *c = p->c;
  size_t mark = job->nblocks;
  special_keyed *a = hd_special_array(job, f->nrest, sizeof *a), *spare = hd_special_array(job, f->nrest, sizeof *a);
  for (uint32_t i = 0; i < f->nrest; i++)
  {
    uint32_t in = distance(c->spans[f->rest[i]].e2, t), out = distance(c->spans[f->rest[i]].d1, t);
    a[i] = (special_keyed){in < out ? in : out, f->rest[i]};
  }
  a = hd_special_sort(job, a, spare, f->nrest, job_never(job));
  for (uint32_t i = 0; i < f->nrest; i++)
    f->rest[i] = a[i].what;
  hd_special_release(job, mark);
  uint32_t n = f->nrest < 4 ? f->nrest : 4;
  while (n < f->nrest && peel(job, c, f->rest, n, NULL) == 0)
    n = f->nrest - n < n ? f->nrest : 2 * n;
  f->nrest = shrink(job, c, f->rest, n, 1ull << 22);
}

/* A value a of LEFT that is put in while a known value b is surely inside has to be out when b leaves, or b could not.
 * A removal u during which a known value b is surely inside cannot take what was put in before b. */
static void
prepare_unknown(special_job *job, stack *s)
{
  special_container *c = s->pending.c;
  uint32_t *order = hd_special_array(job, c->nleft, sizeof *order);
  uint32_t *allowed = hd_special_array(job, c->nunknown, sizeof *allowed), nunknown = 0;
  uint32_t *deadline = hd_special_array(job, c->n, sizeof *deadline);
  special_least out, in; /* by d1: least d2, and greatest e1 */
  hd_special_least_open(job, &out, job_never(job) + 1);
  hd_special_least_open(job, &in, job_never(job) + 1);
  for (uint32_t i = 0; i < c->nleft; i++)
    order[i] = c->left[c->nleft - 1 - i];
  for (uint32_t t = 1; t <= job->nevents && !job_stops(job, t); t++)
  {
    uint32_t op = job->events[t] >> 1, v = core_begins(job, c, t);
    if (v != NONE && c->spans[v].take != NONE)
    {
      hd_special_least_add(job, &out, c->spans[v].d1, c->spans[v].d2);
      hd_special_least_add(job, &in, c->spans[v].d1, job_never(job) - c->spans[v].e1);
    }
    v = c->value[op];
    if (v != NONE && c->spans[v].take == NONE && c->spans[v].e1 == t)
    {
      uint32_t least = hd_special_least_from(job, &out, c->spans[v].e2);
      deadline[v] = least == NONE ? job_never(job) : least;
    }
    if (nunknown == c->nunknown || c->unknown[nunknown] != op)
      continue;
    uint32_t least = hd_special_least_from(job, &in, job->end[op]), low = 0, high = c->nleft;
    while (low < high && least != NONE) /* how many have an e2 after the greatest e1 */
    {
      uint32_t middle = low + (high - low) / 2;
      if (c->spans[order[middle]].e2 > job_never(job) - least)
        low = middle + 1;
      else
        high = middle;
    }
    allowed[nunknown++] = high;
  }
  s->pending.order = order;
  s->pending.allowed = allowed;
  s->pending.deadline = deadline;
  s->pending.narrow = narrow;
  for (uint32_t i = 0; i < c->nmaybe; i++)
    s->all[s->nall++] = c->maybe[i];
}

special_answer
hd_special_stack(special_job *job)
{
  special_container c;
  special_answer answer = hd_special_container_open(job, &c);
  if (answer != SPECIAL_HOLDS)
    return answer;
  stack s = {.pending = {.c = &c, .check = check, .explain = explain}};
  s.all = hd_special_array(job, c.n, sizeof *s.all);
  for (uint32_t t = 1; t <= job->nevents; t++)
  {
    uint32_t v = c.value[job->events[t] >> 1];
    if (job_stops(job, t))
      return SPECIAL_STOPPED;
    if (v != NONE && c.spans[v].e1 == t)
      s.all[s.nall++] = v;
  }
  job->steps += job->nevents;
  if (c.nunknown == 0)
    return hd_special_pending_decide(job, &s.pending);
  prepare_unknown(job, &s);
  return job_cancelled(job) ? SPECIAL_STOPPED : hd_special_pending_unknown(job, &s.pending);
}
