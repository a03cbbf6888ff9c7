/* hb.c: happens-before races, exactly: every access that has an earlier, conflicting, unordered one is reported.
 *
 * As FastTrack (Flanagan and Freund, PLDI 2009) a cell remembers epochs, (thread, clock), instead of vectors, but a
 * list of them for each kind of access: those that no later one of the list makes superfluous. An entry a may go when
 * an access b comes that is ordered after a and conflicts with all that a conflicts with: whatever comes later and is
 * not after a is not after b either, so it is reported because of b. (If it is of b's own thread, it is after b, and
 * after a.) Without races a list has one entry. Plain writes supersede all; plain reads supersede reads; atomic writes
 * supersede atomics, and atomic reads each other; atomics do not conflict among themselves. */
#include "monitor/cells.h"
#include "monitor/monitor.h"
#include "monitor/order.h"

#include <stdlib.h>
#include <string.h>

typedef struct entry
{
  uint32_t thread, clock;
  uint64_t number;
  uint32_t location, stack;
  uint8_t kind;
} entry;

typedef struct list
{
  entry *more; /* NULL: at most one */
  uint32_t n, cap;
  entry one;
} list;

enum lists
{
  WRITES,
  READS,
  ATOMIC_WRITES,
  ATOMIC_READS,
  LISTS
};

typedef struct cell
{
  list plain[2];
  list *atomic; /* two of them, once there were atomics */
} cell;

struct hd_monitor_hb
{
  hd_monitor_race_sink sink;
  order *order;
  cells *cells;
  cell *state;
  size_t state_cap;
};

static list *
get_list(cell *c, int which)
{
  return which < ATOMIC_WRITES ? &c->plain[which] : c->atomic ? &c->atomic[which - ATOMIC_WRITES] : NULL;
}

static entry *
entries(list *l)
{
  return l->more ? l->more : &l->one;
}

static void
push(list *l, entry e)
{
  if (l->n == 0)
    entries(l)[0] = e;
  else
  {
    if (!l->more || l->n == l->cap)
    {
      uint32_t cap = l->n < 2 ? 4 : l->n * 2;
      entry *more = hd_alloc_array(cap, sizeof *more);
      memcpy(more, entries(l), l->n * sizeof *more);
      free(l->more);
      l->more = more;
      l->cap = cap;
    }
    l->more[l->n] = e;
  }
  l->n++;
}

static void
clear_cell(void *context, uint32_t i)
{
  hd_monitor_hb *m = context;
  if (i >= m->state_cap)
    return;
  for (int which = 0; which < LISTS; which++)
    if (get_list(&m->state[i], which))
      free(get_list(&m->state[i], which)->more);
  free(m->state[i].atomic);
  m->state[i] = (cell){0};
}

static cell *
get_cell(hd_monitor_hb *m, uint32_t i)
{
  if (i >= m->state_cap)
    hd_grow_zero(&m->state, &m->state_cap, (size_t) i + 1, sizeof *m->state);
  return &m->state[i];
}

static list *
make_list(cell *c, int which)
{
  if (which >= ATOMIC_WRITES && !c->atomic)
    c->atomic = hd_alloc_zero(2 * sizeof *c->atomic);
  return get_list(c, which);
}

static void
copy_cell(void *context, uint32_t from, uint32_t to)
{
  hd_monitor_hb *m = context;
  get_cell(m, from > to ? from : to);
  for (int which = 0; which < LISTS; which++)
  {
    list *l = get_list(&m->state[from], which);
    for (uint32_t i = 0; l && i < l->n; i++)
      push(make_list(&m->state[to], which), entries(l)[i]);
  }
}

hd_monitor_hb *
hd_monitor_hb_new(hd_monitor_race_sink sink)
{
  hd_monitor_hb *m = hd_alloc_zero(sizeof *m);
  m->sink = sink;
  m->order = hd_monitor_order_new(ORDER_ALL);
  m->cells = hd_monitor_cells_new((cell_user){m, copy_cell, clear_cell});
  return m;
}

void
hd_monitor_hb_finish(hd_monitor_hb *m)
{
  for (size_t i = 0; i < m->state_cap; i++)
    clear_cell(m, (uint32_t) i);
  free(m->state);
  hd_monitor_cells_free(m->cells);
  hd_monitor_order_free(m->order);
  free(m);
}

/* Report the entries of L that are not ordered before E; drop those that are, if they are superseded. */
static void
look(hd_monitor_hb *m, const hd_trace_event *e, const order_thread *t, list *l, bool conflicts, bool supersedes)
{
  entry *all = entries(l);
  uint32_t kept = 0;
  for (uint32_t i = 0; i < l->n; i++)
  {
    entry *x = &all[i];
    bool ordered = order_knows(t, e->thread, x->thread, x->clock);
    if (!ordered && conflicts)
      m->sink.race(m->sink.context, &(hd_monitor_race){.first = {x->number, x->thread, x->location, x->stack, x->kind},
                                                       .second = hd_monitor_place_of(e),
                                                       .target = e->target,
                                                       .size = e->size});
    if (!ordered || !supersedes)
      all[kept++] = *x;
  }
  l->n = kept;
}

/* conflicts[a] has bit b: accesses of list a conflict with those of list b; supersedes likewise. */
static const uint8_t conflicts[LISTS] = {
    [WRITES] = 1 << WRITES | 1 << READS | 1 << ATOMIC_WRITES | 1 << ATOMIC_READS,
    [READS] = 1 << WRITES | 1 << ATOMIC_WRITES,
    [ATOMIC_WRITES] = 1 << WRITES | 1 << READS,
    [ATOMIC_READS] = 1 << WRITES,
};
static const uint8_t supersedes[LISTS] = {
    [WRITES] = 1 << WRITES | 1 << READS | 1 << ATOMIC_WRITES | 1 << ATOMIC_READS,
    [READS] = 1 << READS | 1 << ATOMIC_READS,
    [ATOMIC_WRITES] = 1 << ATOMIC_WRITES | 1 << ATOMIC_READS,
    [ATOMIC_READS] = 1 << ATOMIC_READS,
};

static void
access_cells(hd_monitor_hb *m, const hd_trace_event *e, int which, bool create)
{
  const order_thread *t = hd_monitor_order_thread(m->order, e->thread);
  const uint32_t *list_of_cells;
  size_t n = hd_monitor_cells_get(m->cells, e->target, e->size, create, &list_of_cells);
  for (size_t i = 0; i < n; i++)
  {
    cell *c = get_cell(m, list_of_cells[i]);
    list *own = make_list(c, which);
    for (int other = 0; other < LISTS; other++)
    {
      list *l = get_list(c, other);
      if (l && l->n > 0)
        look(m, e, t, l, conflicts[which] >> other & 1, supersedes[which] >> other & 1);
    }
    push(own, (entry){e->thread, t->clock, e->number, e->location, e->stack, e->kind});
  }
}

void
hd_monitor_hb_event(hd_monitor_hb *m, const hd_trace_event *e)
{
  hd_monitor_order_before(m->order, e);
  switch (e->kind)
  {
  case HD_TRACE_READ:
    access_cells(m, e, READS, true);
    break;
  case HD_TRACE_WRITE:
    access_cells(m, e, WRITES, true);
    break;
  case HD_TRACE_ATOMIC_LOAD:
    access_cells(m, e, ATOMIC_READS, true);
    break;
  case HD_TRACE_ATOMIC_STORE:
  case HD_TRACE_ATOMIC_RMW:
    access_cells(m, e, ATOMIC_WRITES, true);
    break;
  case HD_TRACE_FREE: /* a write of all that somebody used */
    access_cells(m, e, WRITES, false);
    hd_monitor_cells_renew(m->cells, e->target, e->size);
    break;
  case HD_TRACE_ALLOC:
    hd_monitor_cells_renew(m->cells, e->target, e->size);
    break;
  default:
    break;
  }
  hd_monitor_order_after(m->order, e);
}
