/* threads.c: threads, what they know, and their events (the algorithm KNOWLEDGEVECTOR of the paper, section 2.3, with
 * versions that count changes). */
#include <stdlib.h>
#include <string.h>

#include "mttl/monitor.h"

/* ---- threads ---- */

/* An entry of somebody who has done nothing yet. */
static hd_mttl_entry *
first_entry(const hd_mttl_monitor *m)
{
  hd_mttl_entry *e = hd_alloc(sizeof *e + m->f->nitems * sizeof *e->values);
  atomic_init(&e->references, 1);
  e->version = 0;
  e->origin = (hd_mttl_origin){.event = HD_MTTL_NO_EVENT};
  e->radix = 1;
  for (size_t i = 0; i < m->f->nitems; i++)
    e->values[i] = m->before[m->items[i]];
  return e;
}

void
hd_mttl_replace_own(hd_mttl_thread *t, uint32_t n, bool renewing)
{
  hd_mttl_knowledge *k = hd_mttl_retired_copy(&t->retired, t->k, n, t->m->nshared, renewing);
  hd_mttl_retire(&t->retired, t->k);
  t->k = k;
  for (uint32_t i = 0; i < k->nthreads; i++)
    k->seen[i] = i < t->nseen ? t->seen[i] : 0;
}

/* The same, with room for N threads. */
static void
own_for(hd_mttl_thread *t, uint32_t n, bool renewing)
{
  hd_mttl_routine_leave(t);
  t->front.ready = false;
  if (t->light)
    hd_mttl_catch_up(t, n);
  else if (!t->fresh || n > t->k->nthreads)
    hd_mttl_replace_own(t, n, renewing);
  if (!t->fresh && t->k->c == t->c)
    t->c++;
  t->k->c = t->c;
  t->fresh = true;
}

void
hd_mttl_own(hd_mttl_thread *t, bool renewing)
{
  own_for(t, 0, renewing);
}

static void
know_thread(hd_mttl_thread *t, uint32_t number, hd_mttl_entry *e)
{
  own_for(t, number + 1, false);
  hd_mttl_change(t, HD_MTTL_CHANGED_ALL);
  hd_mttl_know(t->k, number, e);
}

/* K is in what T knows. */
static void
see(hd_mttl_thread *t, const hd_mttl_knowledge *k)
{
  size_t cap = t->nseen;
  if (k->nthreads > cap)
    hd_grow_zero(&t->seen, &cap, k->nthreads, sizeof *t->seen);
  t->nseen = (uint32_t) cap;
  for (uint32_t i = 0; i < k->nthreads; i++)
    if (k->seen[i] > t->seen[i])
      t->seen[i] = k->seen[i];
  if (k->own != HD_MTTL_OF_NOBODY && k->c > t->seen[k->own])
    t->seen[k->own] = k->c;
}

void
hd_mttl_learn(hd_mttl_thread *t, const hd_mttl_knowledge *k)
{
  if (hd_mttl_has_seen(t, k))
    return;
  see(t, k);
  /* What brings nothing new leaves T's knowledge as it is: else two threads that hear of each other again and again
   * would copy theirs each time. */
  if (!hd_mttl_knowledge_newer(k, t->k, t->m->nshared, t->number))
    return;
  own_for(t, k->nthreads, false);
  hd_mttl_change(t, hd_mttl_knowledge_merge(t->k, k, t->m->nshared, t->number));
  t->clock = t->k->clock > t->clock ? t->k->clock : t->clock;
}

static void
happens(hd_mttl_thread *t, const char *what)
{
  hd_mttl_event e = HD_MTTL_NO_EVENT;
  e.doing = what;
  hd_mttl_local(t, &e);
}

hd_mttl_thread *
hd_mttl_thread_new(hd_mttl_monitor *m, hd_mttl_thread *parent, const char *name)
{
  hd_mttl_thread *t = hd_alloc_zero(sizeof *t);
  t->m = m;
  t->number = atomic_fetch_add(&m->nthreads, 1);
  HD_CHECK(t->number < 1u << (64 - HD_MTTL_STAMP_THREAD));
  t->alive = true;
  t->event = HD_MTTL_NO_EVENT;
  t->unseen = true;
  t->locals = hd_alloc_array(m->f->nvariables + 1, sizeof *t->locals);
  memcpy(t->locals, m->start, m->f->nvariables * sizeof *t->locals);
  t->plans = hd_alloc_zero(m->f->nvariables * sizeof *t->plans + 1);
  for (size_t i = 0; i < m->f->nvariables; i++)
    t->plans[i].unused = !m->used[i];
  t->planned = 1;
  t->tables = hd_alloc_array(m->f->ncells + 1, sizeof *t->tables);
  memset(t->tables, 0, m->f->ncells * sizeof *t->tables);
  for (uint32_t i = 0; i < m->f->nnames; i++)
    if (!m->f->names[i].means && m->f->names[i].number == t->number)
    {
      atomic_store_explicit(&m->named[i], t->number + 1, memory_order_release);
      atomic_fetch_add_explicit(&m->nnamed, 1, memory_order_release); /* pairs with the acquire in hd_mttl_step() */
    }
  if (name)
    hd_mttl_thread_name(t, name);
  hd_mttl_entry *e = first_entry(m);
  if (parent)
  {
    know_thread(parent, t->number, hd_mttl_entry_keep(e));
    happens(parent, "creates a thread");
    hd_mttl_publish(parent);
    hd_mttl_knowledge *theirs = hd_mttl_pass_on(parent);
    t->k = hd_mttl_knowledge_copy(theirs, t->number, t->number + 1, m->nshared);
    t->k->seen[parent->number] = theirs->c;
    t->k->c = 0; /* not the parent's */
    see(t, t->k);
    hd_mttl_give_back(parent, theirs);
  }
  else
  {
    t->k = hd_mttl_knowledge_new(t->number, t->number + 1, m->nshared);
    for (size_t i = 0; i < m->f->nvariables; i++)
      if (m->shared_of[i] != UINT32_MAX)
        t->k->shared[m->shared_of[i]].value = m->start[i];
  }
  t->k->mine = e;
  t->k->c = t->c = t->era = 1;
  t->clock = t->k->clock;
  t->fresh = true;
  hd_mttl_change(t, HD_MTTL_CHANGED_ALL);
  if (parent)
    happens(t, "starts");
  return t;
}

void
hd_mttl_thread_name(hd_mttl_thread *t, const char *name)
{
  const hd_mttl_file *f = t->m->f;
  for (uint32_t i = 0; i < f->nnames; i++)
  {
    unsigned nobody = 0;
    if (f->names[i].means && strcmp(f->names[i].means, name) == 0
        && atomic_compare_exchange_strong(&t->m->named[i], &nobody, t->number + 1))
      atomic_fetch_add_explicit(&t->m->nnamed, 1, memory_order_release); /* pairs with that in hd_mttl_step() */
  }
}

uint32_t
hd_mttl_thread_number(const hd_mttl_thread *t)
{
  return t->number;
}

void
hd_mttl_thread_free(hd_mttl_thread *t)
{
  if (!t)
    return;
  for (size_t i = 0; i < t->m->f->ncells; i++)
  {
    free(t->tables[i].now);
    free(t->tables[i].bits);
  }
  free(t->tables);
  hd_mttl_program_free(t);
  free(t->locals);
  free(t->seen);
  hd_mttl_variants_free(t);
  hd_mttl_retire(&t->retired, t->k);
  hd_mttl_retired_leave(&t->retired);
  free(t);
}

/* ---- events ---- */

/* Do formulas see a difference between the events A and B? */
static bool
differs(const hd_mttl_monitor *m, const hd_mttl_event *a, const hd_mttl_event *b)
{
  bool access_a = a->variable >= 0 && m->flagged[a->variable], access_b = b->variable >= 0 && m->flagged[b->variable];
  if (access_a != access_b || (access_a && (a->variable != b->variable || a->op != b->op)))
    return true;
  if (m->uses_op && a->op != b->op)
    return true;
  if (m->uses_loc && (a->op != HD_MTTL_NONE || b->op != HD_MTTL_NONE)
      && (a->op == HD_MTTL_NONE || b->op == HD_MTTL_NONE || a->loc != b->loc || a->size != b->size))
    return true;
  return a->lock != b->lock || (a->lock >= 0 && a->taken != b->taken) || a->function != b->function;
}

static const hd_mttl_event nothing = {.variable = -1, .lock = -1, .function = -1, .set = -1};

void
hd_mttl_local(hd_mttl_thread *t, const hd_mttl_event *e)
{
  const hd_mttl_monitor *m = t->m;
  bool other = differs(m, &t->event, e);
  if (t->quiet && !other && !m->plain && hd_mttl_is_same(t))
    return; /* nor does it matter to later ones which of the two this event was */
  hd_mttl_routine_leave(t);
  if (other)
    t->changed |= HD_MTTL_CHANGED_EVENT;
  hd_mttl_leave_event(t);
  t->event = *e;
  t->internal = false;
  t->unseen = !differs(m, &t->event, &nothing);
  hd_mttl_step(t);
  hd_mttl_judged(t);
}

const hd_mttl_event *
hd_mttl_present(const hd_mttl_thread *t)
{
  return &t->event;
}

bool
hd_mttl_asks_for(const hd_mttl_monitor *m, uint32_t variable)
{
  return m->uses_op || m->uses_loc || m->flagged[variable] || m->shared_of[variable] != UINT32_MAX;
}

void
hd_mttl_assume(hd_mttl_thread *t, uint32_t variable, hd_mttl_value value)
{
  uint32_t shared = t->m->shared_of[variable];
  if (shared == UINT32_MAX || hd_mttl_same(t->k->shared[shared].value, value))
    return;
  hd_mttl_own(t, false);
  hd_mttl_change(t, HD_MTTL_CHANGED_SHARED(shared));
  t->k->shared[shared].version++;
  t->k->shared[shared].value = value;
}

void
hd_mttl_coherent(hd_mttl_thread *t, uint32_t variable, uint32_t *version, hd_mttl_value value, bool writes)
{
  uint32_t number = t->m->shared_of[variable];
  if (number == UINT32_MAX)
    return;
  hd_mttl_shared *s = &t->k->shared[number];
  bool same = hd_mttl_same(s->value, value);
  if (*version < s->version)
    *version = s->version;
  if (writes && (!same || *version > s->version))
    ++*version;
  if (*version == s->version && same)
    return;
  hd_mttl_own(t, false);
  hd_mttl_change(t, same ? 0 : HD_MTTL_CHANGED_SHARED(number));
  t->k->shared[number] = (hd_mttl_shared){*version, value};
}

void
hd_mttl_exits(hd_mttl_thread *t, hd_mttl_object *token)
{
  hd_mttl_event e = HD_MTTL_NO_EVENT;
  e.doing = "ends";
  t->alive = false;
  hd_mttl_change(t, HD_MTTL_CHANGED_ALL);
  if (token)
    hd_mttl_release(t, token, &e);
  else
    hd_mttl_local(t, &e);
}
