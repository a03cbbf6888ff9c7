/* details.c: a second reading of the trace for what reports show: the events of a finding, what their threads held, the
 * end of a reordering, and the cycle of blocks. Only the first findings of each kind get them. */
#include "monitor/findings.h"

#include <stdlib.h>
#include <string.h>

enum
{
  PIECE = 4096,
  MOST_SOUGHT = 8 /* cycles for which the trace is read once more */
};

typedef struct held
{
  uint64_t lock;
  bool shared;
} held;

typedef struct reader
{
  held *held;
  size_t n, cap;
  uint32_t position; /* events so far */
} reader;

typedef struct pass
{
  hd_monitor_findings *f;
  hd_trace_ids wanted; /* numbers of events */
  detail **slots;      /* for these, several one after the other */
  uint64_t *numbers;
  size_t nslots, slots_cap, numbers_cap, nnumbers;
  uint64_t last;        /* nothing after this is of interest */
  block_finding *block; /* whose cycle is looked for */
  reader *threads;
  size_t nthreads, threads_cap;
} pass;

static reader *
get_thread(pass *p, uint32_t thread)
{
  while (p->nthreads <= thread)
    HD_PUSH(p->threads, p->nthreads, p->threads_cap, (reader){0});
  return &p->threads[thread];
}

static void
want(pass *p, uint64_t number, detail *slot)
{
  hd_trace_ids_get(&p->wanted, number);
  HD_PUSH(p->slots, p->nslots, p->slots_cap, slot);
  HD_PUSH(p->numbers, p->nnumbers, p->numbers_cap, number);
  p->last = number > p->last ? number : p->last;
}

static void
want_races(pass *p, race_findings *list)
{
  for (size_t i = 0, done = 0; i < list->n && done < MOST_DETAILED; i++)
    if (!list->items[i].suppressed && !list->items[i].shadowed)
    {
      want(p, list->items[i].race.first.number, &list->items[i].first);
      want(p, list->items[i].race.second.number, &list->items[i].second);
      done++;
    }
}

static char *
held_text(const pass *p, const reader *t)
{
  hd_string s = {0};
  hd_string_add(&s, "");
  for (size_t i = 0; i < t->n; i++)
  {
    hd_string_add(&s, i ? ", " : "");
    hd_trace_print_target(&s, hd_trace_names_of(p->f->trace), HD_TRACE_LOCK, t->held[i].lock, 0);
    hd_string_add(&s, t->held[i].shared ? " for reading" : "");
  }
  return s.text;
}

static void
fill_details(pass *p, const hd_trace_event *e, const reader *t)
{
  uint32_t id;
  if (!hd_trace_ids_find(&p->wanted, e->number, &id))
    return;
  for (size_t i = 0; i < p->nslots; i++)
    if (p->numbers[i] == e->number)
      *p->slots[i] = (detail){*e, held_text(p, t)};
}

static void
fill_rows(race_finding *r, const hd_trace_event *e, uint32_t position)
{
  if (r->suppressed || r->shadowed || e->thread >= r->race.nthreads || position > r->race.prefix[e->thread])
    return;
  if (r->race.put_off && e->thread == r->race.first.thread && position >= r->race.put_off)
    r->late[r->nlate++ % SHOWN_ROWS] = *e;
  else
    r->rows[r->before++ % SHOWN_ROWS] = *e;
}

static void
fill_window(block_finding *b, const hd_trace_event *e)
{
  if (b->suppressed || e->number < b->first.window || e->number > b->first.at.number)
    return;
  if (b->first.at.number - b->first.window >= LONGEST_WINDOW)
    return;
  HD_PUSH(b->window, b->nwindow, b->window_cap, *e);
  if (e->number != b->first.at.number)
    return;
  b->nsteps = hd_monitor_cycle(b->window, b->nwindow, b->first.begin.number, &b->steps);
  free(b->window);
  b->window = NULL;
  b->nwindow = b->window_cap = 0;
}

/* An allocation: is it what a race lies in? */
static void
fill_blocks(race_findings *list, const hd_trace_event *e)
{
  for (size_t i = 0; i < list->n && i < MOST_DETAILED; i++)
  {
    race_finding *r = &list->items[i];
    if (e->number < r->race.second.number && r->race.size > 0 && r->race.target - e->target < e->size)
      r->block = *e;
  }
}

static void
follow(pass *p, const hd_trace_event *e)
{
  hd_monitor_findings *f = p->f;
  reader *t = get_thread(p, e->thread);
  t->position++;
  if (e->kind == HD_TRACE_ACQUIRE || e->kind == HD_TRACE_ACQUIRE_SHARED)
    HD_PUSH(t->held, t->n, t->cap, (held){e->target, e->kind == HD_TRACE_ACQUIRE_SHARED});
  if (e->kind == HD_TRACE_RELEASE || e->kind == HD_TRACE_RELEASE_SHARED)
    for (size_t i = t->n; i > 0; i--)
      if (t->held[i - 1].lock == e->target)
      {
        memmove(t->held + i - 1, t->held + i, (t->n - i) * sizeof *t->held);
        t->n--;
        break;
      }
  fill_details(p, e, t);
  if (e->kind == HD_TRACE_ALLOC)
  {
    fill_blocks(&f->happened, e);
    fill_blocks(&f->predicted, e);
  }
  for (size_t i = 0; i < f->predicted.n && i < MOST_DETAILED; i++)
    fill_rows(&f->predicted.items[i], e, t->position);
  for (size_t i = 0; i < f->nblocks && i < MOST_DETAILED; i++)
    fill_window(&f->blocks[i], e);
}

/* All events up to the last that is of interest. */
static void
read_again(pass *p, void (*take)(pass *p, const hd_trace_event *e))
{
  hd_monitor_findings *f = p->f;
  hd_trace_rewind(f->trace);
  hd_trace_check *check = hd_trace_check_new();
  hd_trace_event *events = hd_alloc_array(PIECE, sizeof *events);
  uint64_t now = 0;
  for (size_t n; now < p->last && (n = hd_trace_read(f->trace, events, PIECE)) > 0;)
    for (size_t i = 0; i < n && now < p->last; i++)
    {
      hd_string why = {0};
      now = events[i].number;
      if (hd_trace_check_event(check, hd_trace_names_of(f->trace), &events[i], &why) == HD_TRACE_TAKE)
        take(p, &events[i]);
      hd_string_free(&why);
    }
  free(events);
  hd_trace_check_free(check);
}

static void
find_cycle(pass *p, const hd_trace_event *e)
{
  fill_window(p->block, e);
}

/* Cycles that are not where they mostly are: one after the other, for their windows may be long. */
static void
find_cycles(pass *p)
{
  unsigned tried = 0;
  for (size_t i = 0; i < p->f->nblocks && i < MOST_DETAILED && tried < MOST_SOUGHT; i++)
  {
    block_finding *b = &p->f->blocks[i];
    if (b->suppressed || b->nsteps > 0 || b->first.whole >= b->first.window)
      continue;
    b->first.window = b->first.whole;
    p->block = b;
    p->last = b->first.at.number;
    read_again(p, find_cycle);
    tried++;
  }
}

void
hd_monitor_details(hd_monitor_findings *f)
{
  pass p = {.f = f};
  want_races(&p, &f->happened);
  want_races(&p, &f->predicted);
  for (size_t i = 0; i < f->nblocks && i < MOST_DETAILED; i++)
    p.last = f->blocks[i].first.at.number > p.last ? f->blocks[i].first.at.number : p.last;
  read_again(&p, follow);
  find_cycles(&p);
  for (size_t i = 0; i < p.nthreads; i++)
    free(p.threads[i].held);
  free(p.threads);
  free(p.slots);
  free(p.numbers);
  hd_trace_ids_free(&p.wanted);
}
