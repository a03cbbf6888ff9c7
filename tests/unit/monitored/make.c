/* make.c: small random traces that a program can have made. */
#include "monitored/monitored.h"

#include <string.h>

typedef struct state
{
  small_trace *t;
  const make_options *o;
  uint64_t *seed;
  bool started[MOST_THREADS], ended[MOST_THREADS], joined[MOST_THREADS];
  uint8_t held[MOST_THREADS][8]; /* locks, in order: number, | 0x80: for reading */
  unsigned nheld[MOST_THREADS];
  bool block[MOST_THREADS];
  unsigned block_locks[MOST_THREADS]; /* held when it began */
  int arrived;                        /* threads at the barrier */
  bool at_barrier[MOST_THREADS], may_leave[MOST_THREADS];
  unsigned posts;
} state;

static unsigned
choose(state *s, unsigned n)
{
  return (unsigned) (hd_random(s->seed) % n);
}

static void
add(state *s, unsigned thread, uint8_t kind, uint64_t target)
{
  hd_trace_event *e = &s->t->events[s->t->n++];
  *e = (hd_trace_event){
      .number = s->t->n, .target = target, .thread = thread, .location = 1 + choose(s, 9), .kind = kind};
}

static hd_trace_event *
last(state *s)
{
  return &s->t->events[s->t->n - 1];
}

static bool
lock_is_free(const state *s, unsigned lock, bool shared)
{
  for (unsigned t = 0; t < s->o->threads; t++)
    for (unsigned i = 0; i < s->nheld[t]; i++)
      if ((s->held[t][i] & 0x7f) == lock && !(shared && (s->held[t][i] & 0x80)))
        return false;
  return true;
}

static bool
holds(const state *s, unsigned t, unsigned lock)
{
  for (unsigned i = 0; i < s->nheld[t]; i++)
    if ((s->held[t][i] & 0x7f) == lock)
      return true;
  return false;
}

static void
acquire(state *s, unsigned t)
{
  unsigned lock = choose(s, s->o->locks);
  bool shared = s->o->more && choose(s, 2);
  if (s->nheld[t] == 3 || holds(s, t, lock) || !lock_is_free(s, lock, shared))
    return;
  add(s, t, shared ? HD_TRACE_ACQUIRE_SHARED : HD_TRACE_ACQUIRE, lock);
  s->held[t][s->nheld[t]++] = (uint8_t) (lock | (shared ? 0x80 : 0));
}

static void
release(state *s, unsigned t)
{
  if (s->nheld[t] == 0 || (s->block[t] && s->nheld[t] <= s->block_locks[t]))
    return;
  uint8_t lock = s->held[t][--s->nheld[t]];
  add(s, t, lock & 0x80 ? HD_TRACE_RELEASE_SHARED : HD_TRACE_RELEASE, lock & 0x7f);
}

static void
access_something(state *s, unsigned t)
{
  unsigned kind = choose(s, 2) ? HD_TRACE_READ : HD_TRACE_WRITE;
  if (s->o->more && choose(s, 3) == 0)
    kind = HD_TRACE_ATOMIC_LOAD + choose(s, 3);
  if (s->o->memory && choose(s, 2))
  {
    bool whole = choose(s, 8) == 0 && kind <= HD_TRACE_WRITE;
    add(s, t, (uint8_t) (whole ? HD_TRACE_ALLOC + choose(s, 2) : kind), 0);
    unsigned size = 1u << choose(s, 4), from = choose(s, 24 - size + 1);
    if (hd_trace_kind_get(last(s)->kind)->ordered)
      from = from & ~(size = 4) & ~3u; /* atomics do not overlap in part */
    last(s)->target = MEMORY + from;
    last(s)->size = size;
  }
  else
    add(s, t, (uint8_t) kind, choose(s, s->o->variables));
  if (hd_trace_kind_get(last(s)->kind)->ordered)
    last(s)->order = (uint8_t) choose(s, HD_TRACE_ORDERS);
}

static void
synchronise(state *s, unsigned t)
{
  switch (choose(s, 6))
  {
  case 0:
    add(s, t, HD_TRACE_POST, 0);
    s->posts++;
    break;
  case 1:
    if (s->posts > 0)
    {
      add(s, t, HD_TRACE_PEND, 0);
      s->posts--;
    }
    break;
  case 2:
    add(s, t, HD_TRACE_FENCE, 0);
    last(s)->order = (uint8_t) choose(s, HD_TRACE_ORDERS);
    break;
  case 3:
    add(s, t, choose(s, 2) ? HD_TRACE_SIGNAL : HD_TRACE_WAKE, 1);
    break;
  default: /* a barrier of two */
    add(s, t, HD_TRACE_ARRIVE, 2);
    last(s)->size = 2;
    s->at_barrier[t] = true;
    if (++s->arrived == 2)
    {
      s->arrived = 0;
      for (unsigned u = 0; u < s->o->threads; u++)
        if (s->at_barrier[u])
        {
          s->at_barrier[u] = false;
          s->may_leave[u] = true;
        }
    }
    break;
  }
}

static void
start_or_join(state *s, unsigned t)
{
  unsigned u = choose(s, s->o->threads);
  if (u == t)
    return;
  if (!s->started[u])
  {
    add(s, t, HD_TRACE_FORK, u);
    s->started[u] = true;
  }
  else if (s->ended[u] && !s->joined[u])
  {
    add(s, t, HD_TRACE_JOIN, u);
    s->joined[u] = true;
  }
}

static void
step(state *s, unsigned t)
{
  if (s->at_barrier[t])
    return;
  if (s->may_leave[t])
  {
    add(s, t, HD_TRACE_LEAVE, 2);
    s->may_leave[t] = false;
    return;
  }
  unsigned what = choose(s, 20);
  bool lock_first = s->o->careful && s->o->locks > 0 && s->nheld[t] < 1 + choose(s, 2) && choose(s, 8) > 0;
  if (what < 9 && lock_first)
    acquire(s, t);
  else if (what < 9)
    access_something(s, t);
  else if (what < 12 && s->o->locks > 0)
    acquire(s, t);
  else if (what < 15)
    release(s, t);
  else if (what == 15)
    start_or_join(s, t);
  else if (what == 16 && choose(s, 4) == 0 && s->nheld[t] == 0 && !s->block[t])
    s->ended[t] = true;
  else if (what == 17 && s->o->more)
    synchronise(s, t);
  else if (what >= 18 && s->o->blocks && !s->block[t])
  {
    add(s, t, HD_TRACE_BEGIN, 0);
    s->block[t] = true;
    s->block_locks[t] = s->nheld[t];
  }
  else if (what >= 18 && s->block[t] && s->nheld[t] == s->block_locks[t])
  {
    add(s, t, HD_TRACE_END, 0);
    s->block[t] = false;
  }
}

void
monitored_make(small_trace *t, const make_options *o, uint64_t *seed)
{
  state s = {.t = t, .o = o, .seed = seed};
  t->n = 0;
  for (unsigned u = 0; u < o->threads; u++)
    s.started[u] = u == 0 || choose(&s, 3) > 0;
  for (unsigned i = 0; i < o->length * 4 && t->n < o->length; i++)
  {
    unsigned u = choose(&s, o->threads);
    if (s.started[u] && !s.ended[u])
      step(&s, u);
  }
}

make_options
monitored_options(uint64_t *seed, bool small)
{
  unsigned r = (unsigned) (hd_random(seed) >> 20);
  return (make_options){.threads = 2 + r % (small ? 2 : 4),
                        .variables = 1 + (r >> 4) % 3,
                        .locks = (r >> 8) % 4,
                        .length = small ? 6 + (r >> 12) % 9 : 8 + (r >> 12) % (MOST_EVENTS - 8),
                        .careful = (r >> 24) & 1,
                        .blocks = (r >> 18) & 1,
                        .more = !small && ((r >> 20) & 1),
                        .memory = !small && ((r >> 22) & 1)};
}

void
monitored_print(const small_trace *t, hd_string *out)
{
  hd_trace_names *names = hd_trace_names_new();
  for (size_t i = 0; i < t->n; i++)
    hd_trace_print_std(out, names, &t->events[i]);
  hd_trace_names_free(names);
}
