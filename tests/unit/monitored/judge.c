/* judge.c: orders as matrices, by their definitions, and what follows from them. */
#include "monitored/monitored.h"

#include <string.h>

typedef bool matrix[MOST_EVENTS][MOST_EVENTS];

static bool
is_atomic(const hd_trace_event *e)
{
  return e->kind >= HD_TRACE_ATOMIC_LOAD && e->kind <= HD_TRACE_ATOMIC_RMW;
}

static bool
reads(const hd_trace_event *e)
{
  return e->kind == HD_TRACE_READ || e->kind == HD_TRACE_ATOMIC_LOAD || e->kind == HD_TRACE_ATOMIC_RMW;
}

static bool
writes(const hd_trace_event *e)
{
  return e->kind == HD_TRACE_WRITE || e->kind == HD_TRACE_ATOMIC_STORE || e->kind == HD_TRACE_ATOMIC_RMW
         || e->kind == HD_TRACE_FREE;
}

/* The bytes and variables that an event is about. */
static uint64_t
mask(const hd_trace_event *e)
{
  if (hd_trace_kind_get(e->kind)->class != HD_TRACE_VARIABLE)
    return 0;
  return e->size > 0 ? ((1ull << e->size) - 1) << (e->target - MEMORY) : 1ull << (32 + e->target);
}

/* What both are about, and is the same memory: nobody allocated or freed it between. */
static uint64_t
common(const small_trace *t, size_t i, size_t j)
{
  uint64_t m = mask(&t->events[i]) & mask(&t->events[j]);
  for (size_t k = i; k < j; k++)
    if ((t->events[k].kind == HD_TRACE_FREE && k >= i) || (t->events[k].kind == HD_TRACE_ALLOC && k > i))
      m &= ~mask(&t->events[k]);
  return t->events[i].kind == HD_TRACE_ALLOC || t->events[j].kind == HD_TRACE_ALLOC ? 0 : m;
}

static bool
same_place(const small_trace *t, size_t i, size_t j)
{
  return i < j ? common(t, i, j) != 0 : common(t, j, i) != 0;
}

bool
monitored_conflict(const small_trace *t, size_t i, size_t j)
{
  const hd_trace_event *a = &t->events[i], *b = &t->events[j];
  return a->thread != b->thread && same_place(t, i, j) && (writes(a) || writes(b)) && !(is_atomic(a) && is_atomic(b));
}

static void
close_over(matrix m, size_t n)
{
  for (size_t k = 0; k < n; k++)
    for (size_t i = 0; i < n; i++)
      for (size_t j = 0; m[i][k] && j < n; j++)
        m[i][j] = m[i][j] || m[k][j];
}

static bool
acquires_lock(const hd_trace_event *e)
{
  return e->kind == HD_TRACE_ACQUIRE || e->kind == HD_TRACE_ACQUIRE_SHARED;
}

static bool
releases_lock(const hd_trace_event *e)
{
  return e->kind == HD_TRACE_RELEASE || e->kind == HD_TRACE_RELEASE_SHARED;
}

/* In which generation of the barrier is this arrival or departure? Of two threads each. */
static unsigned
generation(const small_trace *t, size_t i)
{
  unsigned arrivals = 0, of_thread = 0, mine = 0;
  for (size_t k = 0; k <= i; k++)
    if (t->events[k].thread == t->events[i].thread)
      of_thread += t->events[k].kind == HD_TRACE_ARRIVE;
  for (size_t k = 0; k < t->n && mine < of_thread; k++)
    if (t->events[k].kind == HD_TRACE_ARRIVE)
    {
      arrivals++;
      mine += t->events[k].thread == t->events[i].thread;
    }
  return (arrivals + 1) / 2;
}

/* Start, join, semaphores, barriers, and the order of each thread. */
static bool
always_before(const small_trace *t, size_t i, size_t j)
{
  const hd_trace_event *a = &t->events[i], *b = &t->events[j];
  if (i >= j)
    return false;
  return a->thread == b->thread || (a->kind == HD_TRACE_FORK && a->target == b->thread)
         || (b->kind == HD_TRACE_JOIN && b->target == a->thread)
         || (a->kind == HD_TRACE_FORK && b->kind == HD_TRACE_JOIN && a->target == b->target)
         || (a->kind == HD_TRACE_POST && b->kind == HD_TRACE_PEND)
         || (a->kind == HD_TRACE_ARRIVE && b->kind == HD_TRACE_LEAVE && generation(t, i) == generation(t, j));
}

static bool
acquire_order(uint8_t o)
{
  return o == HD_TRACE_CONSUME || o == HD_TRACE_ACQUIRES || o == HD_TRACE_ACQ_REL || o == HD_TRACE_SEQ_CST;
}

static bool
release_order(uint8_t o)
{
  return o == HD_TRACE_RELEASES || o == HD_TRACE_ACQ_REL || o == HD_TRACE_SEQ_CST;
}

/* Synchronisation through atomics, as C11 words it: X, or a release fence before it, with Y, or an acquire fence after
 * it, when Y reads from the release sequence of X. */
static void
add_atomics(const small_trace *t, matrix m)
{
  for (size_t y = 0; y < t->n; y++)
  {
    if (!is_atomic(&t->events[y]) || !reads(&t->events[y]))
      continue;
    for (size_t x = y; x-- > 0;)
    {
      const hd_trace_event *w = &t->events[x], *r = &t->events[y];
      if (!is_atomic(w) || !writes(w) || w->target != r->target || w->size != r->size)
        continue;
      for (size_t from = 0; from <= x; from++)
        for (size_t to = y; to < t->n; to++)
        {
          const hd_trace_event *f = &t->events[from], *g = &t->events[to];
          bool gives = from == x ? release_order(w->order)
                                 : f->kind == HD_TRACE_FENCE && f->thread == w->thread && release_order(f->order);
          bool takes = to == y ? acquire_order(r->order)
                               : g->kind == HD_TRACE_FENCE && g->thread == r->thread && acquire_order(g->order);
          m[from][to] = m[from][to] || (gives && takes);
        }
      if (w->kind != HD_TRACE_ATOMIC_RMW)
        break; /* it begins the sequence */
    }
  }
}

uint64_t
monitored_hb(const small_trace *t, matrix *ordered)
{
  matrix own;
  uint64_t racy = 0;
  if (!ordered)
    ordered = &own;
  memset(*ordered, 0, sizeof *ordered);
  for (size_t i = 0; i < t->n; i++)
    for (size_t j = i + 1; j < t->n; j++)
    {
      const hd_trace_event *a = &t->events[i], *b = &t->events[j];
      bool lock = releases_lock(a) && acquires_lock(b) && a->target == b->target
                  && !(a->kind == HD_TRACE_RELEASE_SHARED && b->kind == HD_TRACE_ACQUIRE_SHARED);
      (*ordered)[i][j] = always_before(t, i, j) || lock;
    }
  add_atomics(t, *ordered);
  close_over(*ordered, t->n);
  for (size_t i = 0; i < t->n; i++)
    for (size_t j = i + 1; j < t->n; j++)
      if (monitored_conflict(t, i, j) && !(*ordered)[i][j])
        racy |= 1ull << j;
  return racy;
}

/* ---- sync-preserving races, by closure ---- */

static size_t
match(const small_trace *t, size_t acquire)
{
  for (size_t k = acquire + 1; k < t->n; k++)
    if (t->events[k].thread == t->events[acquire].thread && t->events[k].target == t->events[acquire].target
        && releases_lock(&t->events[k]))
      return k;
  return t->n;
}

/* What must be there if J is. */
static bool
brings_in(const small_trace *t, size_t i, size_t j)
{
  const hd_trace_event *a = &t->events[i], *b = &t->events[j];
  if (always_before(t, i, j))
    return true;
  if (i < j && (a->kind == HD_TRACE_SIGNAL || a->kind == HD_TRACE_BROADCAST) && b->kind == HD_TRACE_WAKE)
    return true;
  if (i >= j || !reads(b) || !writes(a))
    return false;
  /* The last write of some byte that it reads. */
  uint64_t m = common(t, i, j);
  for (size_t k = i + 1; k < j; k++)
    if (writes(&t->events[k]))
      m &= ~mask(&t->events[k]);
  return m != 0;
}

/* Must the section of J be over if that of K is there too? */
static bool
excluded(const small_trace *t, size_t j, size_t k)
{
  const hd_trace_event *a = &t->events[j], *b = &t->events[k];
  return j < k && acquires_lock(a) && acquires_lock(b) && a->target == b->target
         && (a->kind == HD_TRACE_ACQUIRE || b->kind == HD_TRACE_ACQUIRE);
}

uint64_t
monitored_closure(const small_trace *t)
{
  uint64_t racy = 0, needs[MOST_EVENTS] = {0}, sections[MOST_EVENTS] = {0};
  for (size_t j = 0; j < t->n; j++)
    for (size_t i = 0; i < t->n; i++)
    {
      needs[j] |= (uint64_t) brings_in(t, i, j) << i;
      sections[j] |= (uint64_t) excluded(t, j, i) << i;
    }
  for (size_t second = 0; second < t->n; second++)
    for (size_t first = 0; first < second; first++)
    {
      if (!monitored_conflict(t, first, second))
        continue;
      uint64_t in = 0, before;
      for (size_t k = 0; k < second; k++)
      {
        const hd_trace_event *e = &t->events[k];
        uint32_t a = t->events[first].thread, b = t->events[second].thread;
        if ((k < first && e->thread == a) || e->thread == b
            || (e->kind == HD_TRACE_FORK && (e->target == a || e->target == b)))
          in |= 1ull << k;
      }
      do
      {
        before = in;
        for (size_t j = 0; j < t->n; j++)
          if (in >> j & 1)
            in |= needs[j] | (in & sections[j] ? 1ull << match(t, j) : 0);
      } while (in != before);
      if (!(in >> first & 1) && !(in >> second & 1))
        racy |= 1ull << second;
    }
  return racy;
}

/* ---- atomic blocks ---- */

bool
monitored_serialisable(const small_trace *t)
{
  size_t transaction[MOST_EVENTS], open[MOST_THREADS], n = 0;
  for (size_t i = 0; i < MOST_THREADS; i++)
    open[i] = MOST_EVENTS;
  for (size_t i = 0; i < t->n; i++)
  {
    const hd_trace_event *e = &t->events[i];
    if (e->kind == HD_TRACE_BEGIN)
      open[e->thread] = n++;
    transaction[i] = open[e->thread] < MOST_EVENTS ? open[e->thread] : n++;
    if (e->kind == HD_TRACE_END)
      open[e->thread] = MOST_EVENTS;
  }
  static matrix m;
  memset(m, 0, sizeof m);
  for (size_t i = 0; i < t->n; i++)
    for (size_t j = i + 1; j < t->n; j++)
    {
      const hd_trace_event *a = &t->events[i], *b = &t->events[j];
      bool la = acquires_lock(a) || releases_lock(a), lb = acquires_lock(b) || releases_lock(b);
      bool shared = (a->kind == HD_TRACE_ACQUIRE_SHARED || a->kind == HD_TRACE_RELEASE_SHARED)
                    && (b->kind == HD_TRACE_ACQUIRE_SHARED || b->kind == HD_TRACE_RELEASE_SHARED);
      bool conflict = same_place(t, i, j) && (writes(a) || writes(b));
      if (always_before(t, i, j) || conflict || (la && lb && a->target == b->target && !shared))
        m[transaction[i]][transaction[j]] = transaction[i] != transaction[j] || m[transaction[i]][transaction[j]];
    }
  close_over(m, n);
  for (size_t i = 0; i < n; i++)
    if (m[i][i])
      return false;
  return true;
}

/* ---- deadlocks: all pairs and triples of acquisitions ---- */

static bool
holds(const small_trace *t, size_t at, uint64_t lock, bool *shared)
{
  for (size_t k = at; k-- > 0;)
    if (t->events[k].thread == t->events[at].thread && t->events[k].target == lock)
    {
      if (releases_lock(&t->events[k]))
        return false;
      *shared = t->events[k].kind == HD_TRACE_ACQUIRE_SHARED;
      if (acquires_lock(&t->events[k]))
        return true;
    }
  return false;
}

/* May I and J be in one cycle? */
static bool
together(const small_trace *t, size_t i, size_t j, matrix ordered)
{
  bool a, b;
  if (t->events[i].thread == t->events[j].thread || ordered[i][j] || ordered[j][i])
    return false;
  for (uint64_t lock = 0; lock < 8; lock++)
    if (holds(t, i, lock, &a) && holds(t, j, lock, &b) && !(a && b))
      return false;
  return true;
}

static bool
waits_for(const small_trace *t, size_t i, size_t j)
{
  bool shared;
  return holds(t, j, t->events[i].target, &shared) && !(shared && t->events[i].kind == HD_TRACE_ACQUIRE_SHARED);
}

static bool
round_trip(const small_trace *t, matrix ordered, const size_t *deps, size_t n, size_t *path, size_t depth)
{
  if (depth > 1 && waits_for(t, path[depth - 1], path[0]))
    return true;
  for (size_t d = 0; d < n && depth < MOST_THREADS; d++)
  {
    bool fits = waits_for(t, path[depth - 1], deps[d]);
    for (size_t k = 0; k < depth; k++)
      fits = fits && together(t, path[k], deps[d], ordered);
    path[depth] = deps[d];
    if (fits && round_trip(t, ordered, deps, n, path, depth + 1))
      return true;
  }
  return false;
}

bool
monitored_deadlock(const small_trace *t)
{
  static matrix ordered;
  size_t deps[MOST_EVENTS], n = 0, path[MOST_THREADS + 1];
  bool shared;
  for (size_t i = 0; i < t->n; i++)
    for (size_t j = 0; j < t->n; j++)
      ordered[i][j] = always_before(t, i, j);
  close_over(ordered, t->n);
  for (size_t i = 0; i < t->n; i++)
    for (uint64_t lock = 0; lock < 8 && acquires_lock(&t->events[i]); lock++)
      if (holds(t, i, lock, &shared))
      {
        deps[n++] = i;
        break;
      }
  for (size_t d = 0; d < n; d++)
  {
    path[0] = deps[d];
    if (round_trip(t, ordered, deps, n, path, 1))
      return true;
  }
  return false;
}
