/* reverse.c: see reverse.h. Each thread's last events are kept, and each variable's last writes; so a trace of any
 * length can be judged, and what would need older ones is given up. Attempts are limited: to TRIES for a pair of
 * places, and in all to a number that grows with the trace, so that time stays linear in it. */
#include "monitor/reverse.h"

#include <stdlib.h>
#include <string.h>

enum
{
  TAIL = 256,  /* events of a thread that are kept */
  WRITES = 16, /* of a cell, at most */
  TRIES = 8,
  FREE_WORK = 1 << 20, /* what attempts may cost in all, in sections and events that are looked at, */
  WORK_PER_EVENT = 4   /* and as much more for each event */
};

typedef enum kind
{
  READ,
  WRITE,
  ACQUIRE,
  ACQUIRE_SHARED,
  RELEASE,
  RELEASE_SHARED,
  BAR
} kind;

/* A write; number 0: there was none. */
typedef struct written
{
  uint64_t number;
  uint32_t thread, position;
} written;

typedef struct done
{
  kind kind;
  uint32_t position;
  uint32_t what, generation; /* lock, or cell with its generation */
  written source;            /* READ: the write that it sees */
} done;

/* The last N of a thread. */
typedef struct tail
{
  done *ring;
  uint64_t n;
  uint32_t lost; /* the position of the last that is not there any more */
} tail;

typedef struct history
{
  written *ring; /* of CAP, a power of two */
  uint64_t n;    /* how many there were */
  uint32_t cap, generation;
} history;

struct reverse
{
  tail *tails;
  size_t ntails, tails_cap;
  history *cells;
  size_t ncells;
  hd_trace_ids pairs;
  uint8_t *tries; /* by pair */
  size_t npairs, tries_cap;
  uint64_t work, allowed;
};

reverse *
hd_monitor_reverse_new(void)
{
  reverse *r = hd_alloc_zero(sizeof *r);
  r->allowed = FREE_WORK;
  return r;
}

void
hd_monitor_reverse_free(reverse *r)
{
  if (!r)
    return;
  for (size_t i = 0; i < r->ntails; i++)
    free(r->tails[i].ring);
  for (size_t i = 0; i < r->ncells; i++)
    free(r->cells[i].ring);
  free(r->tails);
  free(r->cells);
  free(r->tries);
  hd_trace_ids_free(&r->pairs);
  free(r);
}

/* ---- what happens ---- */

static void
add(reverse *r, uint32_t thread, done d)
{
  while (r->ntails <= thread)
    HD_PUSH(r->tails, r->ntails, r->tails_cap, (tail){0});
  tail *t = &r->tails[thread];
  if (!t->ring)
    t->ring = hd_alloc_array(TAIL, sizeof *t->ring);
  done *place = &t->ring[t->n % TAIL];
  if (t->n >= TAIL)
    t->lost = place->position;
  *place = d;
  t->n++;
  r->allowed += WORK_PER_EVENT;
}

static history *
get_history(reverse *r, uint32_t cell)
{
  if (cell >= r->ncells)
    hd_grow_zero(&r->cells, &r->ncells, (size_t) cell + 1, sizeof *r->cells);
  return &r->cells[cell];
}

void
hd_monitor_reverse_read(reverse *r, uint32_t thread, uint32_t position, uint32_t cell)
{
  const history *h = get_history(r, cell);
  written last = h->n ? h->ring[(h->n - 1) % h->cap] : (written){0};
  add(r, thread, (done){.kind = READ, .position = position, .what = cell, .generation = h->generation, .source = last});
}

void
hd_monitor_reverse_write(reverse *r, uint32_t thread, uint32_t position, uint32_t cell, uint64_t number)
{
  history *h = get_history(r, cell);
  if (h->n == h->cap && h->cap < WRITES)
  {
    h->cap = h->cap ? 2 * h->cap : 1;
    h->ring = hd_realloc(h->ring, h->cap * sizeof *h->ring); /* in order so far */
  }
  h->ring[h->n++ % h->cap] = (written){number, thread, position};
  add(r, thread, (done){.kind = WRITE, .position = position, .what = cell, .generation = h->generation});
}

void
hd_monitor_reverse_acquire(reverse *r, uint32_t thread, uint32_t position, uint32_t lock, bool shared)
{
  add(r, thread, (done){.kind = shared ? ACQUIRE_SHARED : ACQUIRE, .position = position, .what = lock});
}

void
hd_monitor_reverse_release(reverse *r, uint32_t thread, uint32_t position, uint32_t lock, bool shared)
{
  add(r, thread, (done){.kind = shared ? RELEASE_SHARED : RELEASE, .position = position, .what = lock});
}

void
hd_monitor_reverse_bar(reverse *r, uint32_t thread, uint32_t position)
{
  add(r, thread, (done){.kind = BAR, .position = position});
}

void
hd_monitor_reverse_forget(reverse *r, uint32_t cell)
{
  history *h = get_history(r, cell);
  h->n = 0;
  h->generation++;
}

/* ---- attempts ---- */

/* Is the cell written in the set after the write W (none: at all), as far as that is known? */
static bool
is_written_after(const history *h, const ideal *set, written w)
{
  uint64_t kept = h->n < h->cap ? h->n : h->cap;
  for (uint64_t i = 0; i < kept; i++)
  {
    const written *x = &h->ring[(h->n - 1 - i) % h->cap];
    if (x->number <= w.number)
      return false; /* all before it are older */
    if (x->position <= ideal_position(set, x->thread))
      return true;
  }
  return kept < h->n; /* there were more */
}

/* Is LOCK held when the set is done, by another thread than THREAD, so that it cannot be acquired? */
static bool
is_held(reverse *r, const section_table *all, const ideal *set, uint32_t thread, uint32_t lock, bool shared)
{
  for (uint32_t t = 0; t < all->n; t++)
  {
    uint32_t reached = ideal_position(set, t);
    if (t == thread || reached == 0)
      continue;
    /* Those that are open in the set began before its end, and have not ended there: the last of the lock. */
    for (size_t i = all->threads[t].n; i-- > 0;)
    {
      const section *s = &all->threads[t].items[i];
      r->work++;
      if (s->position > reached || s->lock != lock)
        continue;
      if ((s->released == 0 || s->released > reached) && !(shared && s->shared))
        return true;
      break;
    }
  }
  return false;
}

/* Does the thread write CELL from FROM on before the event D of its tail? */
static bool
writes_before(const tail *t, uint64_t d, uint32_t from, uint32_t cell)
{
  for (uint64_t i = d; i-- > 0 && t->n - i <= TAIL && t->ring[i % TAIL].position >= from;)
    if (t->ring[i % TAIL].kind == WRITE && t->ring[i % TAIL].what == cell)
      return true;
  return false;
}

/* Is what D accesses still the same variable? */
static bool
is_current(const reverse *r, const done *d)
{
  return r->cells[d->what].generation == d->generation;
}

/* Can the events of FIRST's thread from FROM on, up to FIRST, come after SET? */
static bool
can_be_put_off(reverse *r, const section_table *all, const ideal *set, reverse_side first, uint32_t from)
{
  if (first.thread >= r->ntails)
    return true; /* it has done nothing that counts */
  const tail *t = &r->tails[first.thread];
  if (t->lost >= from)
    return false;
  uint64_t begin = t->n;
  while (begin > 0 && t->n - begin < TAIL && t->ring[(begin - 1) % TAIL].position >= from)
    begin--;
  for (uint64_t i = begin; i < t->n && t->ring[i % TAIL].position < first.position; i++)
  {
    const done *d = &t->ring[i % TAIL];
    r->work += 1 + (i - begin);
    switch (d->kind)
    {
    case BAR:
      return false;
    case ACQUIRE:
    case ACQUIRE_SHARED:
      if (is_held(r, all, set, first.thread, d->what, d->kind == ACQUIRE_SHARED))
        return false;
      break;
    case READ:
      if (!is_current(r, d))
        return false;
      if (d->source.number && d->source.thread == first.thread && d->source.position >= from)
        break; /* its own, and nobody else writes meanwhile */
      if (writes_before(t, i, from, d->what) || is_written_after(&r->cells[d->what], set, d->source))
        return false;
      break;
    case WRITE:
      if (!is_current(r, d))
        return false;
      break;
    case RELEASE:
    case RELEASE_SHARED:
      break;
    }
  }
  return true;
}

/* Is everything that FIRST has brought in from other threads in SET? */
static bool
has_brought(const ideal *set, reverse_side first)
{
  for (uint32_t i = 0; first.v && i < first.v->n; i++)
    if (i != first.thread && first.v->clock[i] > ideal_position(set, i))
      return false;
  return true;
}

static bool
may_try(reverse *r, reverse_side first, reverse_side second)
{
  uint32_t key[] = {first.location, second.location, first.thread, second.thread};
  uint32_t i = hd_trace_ids_get(&r->pairs, hd_hash_bytes(key, sizeof key));
  if (i == r->npairs)
    HD_PUSH(r->tries, r->npairs, r->tries_cap, 0);
  return r->tries[i] < TRIES && r->work < r->allowed && ++r->tries[i];
}

ideal *
hd_monitor_reverse_try(reverse *r, const section_table *all, reverse_side first, reverse_side second, uint32_t *from)
{
  if (!may_try(r, first, second))
    return NULL;
  ideal *set = hd_monitor_ideal_new();
  hd_monitor_ideal_add(set, second.v, second.thread, second.position - 1);
  hd_monitor_ideal_close(set, all);
  r->work += hd_monitor_ideal_looked(set);
  uint32_t reached = ideal_position(set, first.thread);
  *from = reached + 1;
  if (reached >= first.position || !has_brought(set, first) || !can_be_put_off(r, all, set, first, *from))
  {
    hd_monitor_ideal_free(set);
    return NULL;
  }
  hd_monitor_ideal_add(set, NULL, first.thread, first.position - 1);
  return set;
}
