/* reorder.c: reorderings of a trace, executed step by step: is one possible, and which pairs can be made neighbours?
 *
 * A reordering executes prefixes of the threads. Each read sees the write that it saw in the trace, locks have one
 * holder, threads run from their start on and are joined after their end; and, where it is to preserve synchronisation,
 * the sections of a lock come in the order in which they stood in the trace. */
#include "monitored/monitored.h"

#include <string.h>

enum
{
  PLACES = 64 /* bits of a mask of judge.c */
};

typedef struct run
{
  const small_trace *t;
  bool any_order;            /* of the sections of a lock */
  size_t next[MOST_THREADS]; /* position in the thread */
  int writer[PLACES];        /* event + 1 that wrote a variable last */
  int holder[8], readers[8]; /* thread + 1; how many */
  int section[8];            /* the last event + 1 that acquired it */
  uint8_t log[MOST_EVENTS];  /* ANY_ORDER: what was executed, */
  size_t n;                  /* so much */
} run;

static bool
is_write(const hd_trace_event *e)
{
  return e->kind == HD_TRACE_WRITE || e->kind == HD_TRACE_ATOMIC_STORE || e->kind == HD_TRACE_ATOMIC_RMW
         || e->kind == HD_TRACE_FREE;
}

static bool
is_read(const hd_trace_event *e)
{
  return e->kind == HD_TRACE_READ || e->kind == HD_TRACE_ATOMIC_LOAD || e->kind == HD_TRACE_ATOMIC_RMW;
}

/* Places of an access: first and end. */
static unsigned
places(const hd_trace_event *e, unsigned *end)
{
  unsigned first = e->size > 0 ? (unsigned) (e->target - MEMORY) : (unsigned) (32 + e->target);
  *end = first + (e->size > 0 ? e->size : 1);
  return first;
}

/* Index of event number POSITION (from 0) of the thread, or -1. */
static int
find(const small_trace *t, unsigned thread, size_t position)
{
  for (size_t i = 0; i < t->n; i++)
    if (t->events[i].thread == thread && position-- == 0)
      return (int) i;
  return -1;
}

static size_t
length(const small_trace *t, uint64_t thread)
{
  size_t n = 0;
  for (size_t i = 0; i < t->n; i++)
    n += t->events[i].thread == thread;
  return n;
}

/* Was event I executed? */
static bool
done(const run *r, size_t i)
{
  size_t position = 0;
  for (size_t k = 0; k < i; k++)
    position += r->t->events[k].thread == r->t->events[i].thread;
  return r->next[r->t->events[i].thread] > position;
}

/* How often the memory at PLACE was allocated or freed before I in the trace: each time it becomes other memory. */
static unsigned
generation(const small_trace *t, size_t i, unsigned place)
{
  unsigned n = 0, end;
  for (size_t k = 0; k < i; k++)
    if (t->events[k].kind == HD_TRACE_ALLOC || t->events[k].kind == HD_TRACE_FREE)
      n += places(&t->events[k], &end) <= place && place < end;
  return n;
}

/* Is PLACE written by K, as I knows it? */
static bool
writes(const small_trace *t, size_t k, size_t i, unsigned place)
{
  unsigned end;
  return is_write(&t->events[k]) && t->events[k].kind != HD_TRACE_FREE && places(&t->events[k], &end) <= place
         && place < end && generation(t, k, place) == generation(t, i, place);
}

/* The last write of PLACE, as I knows it, before I in the trace, + 1. R: among what was executed, in the order of the
 * trace. */
static int
last_write(const small_trace *t, const run *r, size_t i, unsigned place)
{
  for (size_t k = i; k-- > 0;)
    if (writes(t, k, i, place) && (!r || done(r, k)))
      return (int) k + 1;
  return 0;
}

/* The same as last_write() in the order of execution. */
static int
last_executed(const run *r, size_t i, unsigned place)
{
  for (size_t k = r->n; k-- > 0;)
    if (writes(r->t, r->log[k], i, place))
      return r->log[k] + 1;
  return 0;
}

/* Why event I cannot come next, or NULL. */
static const char *
refuse(const run *r, size_t i)
{
  const hd_trace_event *e = &r->t->events[i];
  for (size_t k = 0; k < i; k++)
    if (r->t->events[k].kind == HD_TRACE_FORK && r->t->events[k].target == e->thread && !done(r, k))
      return "the thread has not started";
  if (is_read(e))
  {
    unsigned end;
    for (unsigned p = places(e, &end); p < end; p++)
      if (last_write(r->t, NULL, i, p)
          != (r->any_order  ? last_executed(r, i, p)
              : e->size > 0 ? last_write(r->t, r, i, p)
                            : r->writer[p]))
        return "a read sees another write";
  }
  switch (e->kind)
  {
  case HD_TRACE_ACQUIRE:
  case HD_TRACE_ACQUIRE_SHARED:
    if (r->holder[e->target] || (e->kind == HD_TRACE_ACQUIRE && r->readers[e->target]))
      return "the lock is held";
    if (!r->any_order && r->section[e->target] > (int) i
        && r->t->events[r->section[e->target] - 1].kind == HD_TRACE_ACQUIRE)
      return "sections of a lock change places";
    return NULL;
  case HD_TRACE_JOIN:
    for (size_t k = 0; k < i; k++)
      if (r->t->events[k].kind == HD_TRACE_FORK && r->t->events[k].target == e->target && !done(r, k))
        return "a thread is joined that has not started";
    return r->next[e->target] == length(r->t, e->target) ? NULL : "a thread is joined that has not ended";
  case HD_TRACE_PEND:
  {
    int left = 0;
    for (size_t k = 0; k < r->t->n; k++)
      if (done(r, k))
        left += (r->t->events[k].kind == HD_TRACE_POST) - (r->t->events[k].kind == HD_TRACE_PEND);
    return left > 0 ? NULL : "the semaphore is empty";
  }
  default:
    return NULL;
  }
}

static void
execute(run *r, size_t i)
{
  const hd_trace_event *e = &r->t->events[i];
  r->next[e->thread]++;
  unsigned end;
  for (unsigned p = is_write(e) && e->size == 0 ? places(e, &end) : (end = 0); p < end; p++)
    r->writer[p] = (int) i + 1;
  if (r->any_order)
    r->log[r->n++] = (uint8_t) i;
  switch (e->kind)
  {
  case HD_TRACE_ACQUIRE:
    r->holder[e->target] = (int) e->thread + 1;
    r->section[e->target] = (int) i + 1;
    break;
  case HD_TRACE_ACQUIRE_SHARED:
    r->readers[e->target]++;
    r->section[e->target] = (int) i + 1;
    break;
  case HD_TRACE_RELEASE:
    r->holder[e->target] = 0;
    break;
  case HD_TRACE_RELEASE_SHARED:
    r->readers[e->target]--;
    break;
  default:
    break;
  }
}

const char *
monitored_validate(const small_trace *t, const uint32_t *prefix, size_t nthreads, size_t first, size_t second,
                   uint32_t put_off)
{
  run r = {.t = t, .any_order = put_off > 0};
  for (int late = 0; late < 2; late++)
  {
    size_t position[MOST_THREADS] = {0};
    for (size_t i = 0; i < t->n; i++)
    {
      uint32_t thread = t->events[i].thread;
      if (position[thread]++ >= (thread < nthreads ? prefix[thread] : 0)
          || (put_off && thread == t->events[first].thread && position[thread] >= put_off) != late)
        continue;
      const char *why = refuse(&r, i);
      if (why)
        return why;
      execute(&r, i);
    }
  }
  size_t pair[] = {first, second};
  for (int k = 0; k < 2; k++)
    if (find(t, t->events[pair[k]].thread, r.next[t->events[pair[k]].thread]) != (int) pair[k])
      return "an access of the pair is not the next event of its thread";
    else
      for (size_t i = 0; i < pair[k]; i++)
        if (t->events[i].kind == HD_TRACE_FORK && t->events[i].target == t->events[pair[k]].thread && !done(&r, i))
          return "the thread of an access has not started";
  return NULL;
}

/* ---- all of them ---- */

typedef struct search
{
  uint64_t racy;
  run *states; /* that were seen */
  size_t n;
} search;

enum
{
  MOST_STATES = 20000
};

static bool
known_state(search *s, const run *r)
{
  for (size_t i = s->n; i-- > 0;)
    if (memcmp(s->states[i].next, r->next, sizeof r->next) == 0
        && memcmp(s->states[i].writer, r->writer, sizeof r->writer) == 0
        && memcmp(s->states[i].section, r->section, sizeof r->section) == 0)
      return true;
  HD_CHECK(s->n < MOST_STATES);
  s->states[s->n++] = *r;
  return false;
}

static bool
has_started(const run *r, size_t i)
{
  for (size_t k = 0; k < i; k++)
    if (r->t->events[k].kind == HD_TRACE_FORK && r->t->events[k].target == r->t->events[i].thread && !done(r, k))
      return false;
  return true;
}

static void
visit(search *s, const run *r)
{
  int head[MOST_THREADS];
  if (known_state(s, r))
    return;
  for (unsigned u = 0; u < MOST_THREADS; u++)
    head[u] = find(r->t, u, r->next[u]);
  for (unsigned u = 0; u < MOST_THREADS; u++)
    for (unsigned v = 0; v < MOST_THREADS; v++)
      if (head[u] >= 0 && head[v] > head[u] && monitored_conflict(r->t, (size_t) head[u], (size_t) head[v])
          && has_started(r, (size_t) head[u]) && has_started(r, (size_t) head[v]))
        s->racy |= 1ull << head[v];
  for (unsigned u = 0; u < MOST_THREADS; u++)
    if (head[u] >= 0 && !refuse(r, (size_t) head[u]))
    {
      run next = *r;
      execute(&next, (size_t) head[u]);
      visit(s, &next);
    }
}

uint64_t
monitored_reorder(const small_trace *t, bool any_order)
{
  static run states[MOST_STATES];
  search s = {.states = states};
  run r = {.t = t, .any_order = any_order};
  visit(&s, &r);
  return s.racy;
}
