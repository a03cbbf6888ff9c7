/* monitor.c: threads, locations and objects, and how knowledge moves between them (the algorithm KNOWLEDGEVECTOR of the
 * paper, section 2.3, with versions that count changes).
 *
 * A location keeps the knowledge of its last writer, and that of everybody who has read it since. A reader learns what
 * the writer knew; a writer also learns what the readers knew, who then count no more. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "mttl/monitor.h"

/* ---- monitors ---- */

static hd_mttl_value
zero(hd_mttl_type type)
{
  hd_mttl_value v = {.type = type};
  if (type == HD_MTTL_REAL)
    v.real = 0;
  if (type == HD_MTTL_STRING)
    v.text = "";
  return v;
}

/* What the cells are before anything happened. */
static void
prepare(hd_mttl_monitor *m)
{
  const hd_mttl_file *f = m->f;
  uint32_t slots[HD_MTTL_SLOTS] = {0};
  for (size_t i = 0; i < f->ncells; i++)
  {
    const hd_mttl_cell *cell = &f->cells[i];
    if (cell->role == HD_MTTL_ITEM)
      m->items[cell->item] = (uint32_t) i;
    m->before[i] = hd_mttl_evaluate(m, NULL, cell->role == HD_MTTL_SINCE ? cell->b : cell->a, slots);
  }
}

/* What formulas see of an event. */
static void
note_uses(hd_mttl_monitor *m, const hd_mttl_node *n)
{
  if (!n)
    return;
  m->uses_op = m->uses_op || n->kind == HD_MTTL_OP;
  m->uses_loc = m->uses_loc || n->kind == HD_MTTL_LOC_VALUE;
  if (n->kind == HD_MTTL_READ || n->kind == HD_MTTL_WRITE)
    m->flagged[n->index] = true;
  note_uses(m, n->a);
  note_uses(m, n->b);
}

hd_mttl_monitor *
hd_mttl_monitor_new(const hd_mttl_file *f, hd_mttl_report *report, void *context)
{
  hd_mttl_monitor *m = hd_alloc_zero(sizeof *m);
  m->f = f;
  m->report = report;
  m->context = context;
  m->start = hd_alloc_array(f->nvariables + 1, sizeof *m->start);
  m->shared_of = hd_alloc_array(f->nvariables + 1, sizeof *m->shared_of);
  m->before = hd_alloc_array(f->ncells + 1, sizeof *m->before);
  m->items = hd_alloc_array(f->nitems + 1, sizeof *m->items);
  m->named = hd_alloc_array(f->nnames + 1, sizeof *m->named);
  for (size_t i = 0; i < f->nnames; i++)
    atomic_init(&m->named[i], 0);
  for (size_t i = 0; i < f->nvariables; i++)
  {
    const hd_mttl_variable *v = &f->variables[i];
    m->start[i] = v->initial.type == HD_MTTL_UNDEFINED ? zero(v->type) : v->initial;
    m->shared_of[i] = v->tracked ? (uint32_t) m->nshared++ : UINT32_MAX;
  }
  m->flagged = hd_alloc_zero(f->nvariables + 1);
  for (size_t i = 0; i < f->ncells; i++)
  {
    note_uses(m, f->cells[i].a);
    note_uses(m, f->cells[i].b);
  }
  prepare(m);
  return m;
}

void
hd_mttl_monitor_locations(hd_mttl_monitor *m, hd_mttl_print_location *print)
{
  m->print_location = print;
}

void
hd_mttl_monitor_plain(hd_mttl_monitor *m)
{
  m->plain = true;
}

void
hd_mttl_monitor_start(hd_mttl_monitor *m, uint32_t variable, hd_mttl_value value)
{
  m->start[variable] = value;
  prepare(m);
}

void
hd_mttl_monitor_free(hd_mttl_monitor *m)
{
  if (!m)
    return;
  free(m->start);
  free(m->shared_of);
  free(m->before);
  free(m->items);
  free(m->named);
  free(m->flagged);
  free(m);
}

/* ---- threads ---- */

/* An entry of somebody who has done nothing yet. */
static hd_mttl_entry *
first_entry(const hd_mttl_monitor *m)
{
  hd_mttl_entry *e = hd_alloc(sizeof *e + m->f->nitems * sizeof *e->values);
  atomic_init(&e->references, 1);
  e->version = 0;
  e->radix = 1;
  for (size_t i = 0; i < m->f->nitems; i++)
    e->values[i] = m->before[m->items[i]];
  return e;
}

void
hd_mttl_own(hd_mttl_thread *t)
{
  if (t->fresh)
    return;
  hd_mttl_knowledge *k = hd_mttl_knowledge_copy(t->k, t->k->nthreads, t->m->nshared);
  hd_mttl_drop(t->k);
  t->k = k;
  t->k->c++;
  t->fresh = true;
}

/* T's knowledge, for others: it is not changed any more. */
static hd_mttl_knowledge *
pass_on(hd_mttl_thread *t)
{
  t->fresh = false;
  return hd_mttl_keep(t->k);
}

static void
know_thread(hd_mttl_thread *t, uint32_t number, hd_mttl_entry *e)
{
  hd_mttl_own(t);
  t->news = true;
  if (number >= t->k->nthreads)
  {
    hd_mttl_knowledge *k = hd_mttl_knowledge_copy(t->k, number + 1, t->m->nshared);
    hd_mttl_drop(t->k);
    t->k = k;
  }
  hd_mttl_entry_drop(t->k->entries[number]);
  t->k->entries[number] = e;
}

static bool
has_seen(const hd_mttl_thread *t, const hd_mttl_knowledge *k)
{
  if (!k || k == t->k || k->own == t->number)
    return true;
  return k->own != HD_MTTL_OF_NOBODY && k->own < t->k->nthreads && t->k->seen[k->own] >= k->c;
}

static void
learn(hd_mttl_thread *t, const hd_mttl_knowledge *k)
{
  if (has_seen(t, k))
    return;
  hd_mttl_own(t);
  if (hd_mttl_knowledge_merge(&t->k, k, t->m->nshared, t->number))
    t->news = true;
}

hd_mttl_thread *
hd_mttl_thread_new(hd_mttl_monitor *m, hd_mttl_thread *parent, const char *name)
{
  hd_mttl_thread *t = hd_alloc_zero(sizeof *t);
  t->m = m;
  t->number = atomic_fetch_add(&m->nthreads, 1);
  t->alive = true;
  t->event = HD_MTTL_NO_EVENT;
  t->locals = hd_alloc_array(m->f->nvariables + 1, sizeof *t->locals);
  memcpy(t->locals, m->start, m->f->nvariables * sizeof *t->locals);
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
    hd_mttl_local(parent, &HD_MTTL_NO_EVENT);
    hd_mttl_knowledge *theirs = pass_on(parent);
    t->k = hd_mttl_knowledge_copy(theirs, t->number + 1, m->nshared);
    t->k->seen[parent->number] = theirs->c;
    hd_mttl_drop(theirs);
  }
  else
  {
    t->k = hd_mttl_knowledge_new(t->number + 1, m->nshared);
    for (size_t i = 0; i < m->f->nvariables; i++)
      if (m->shared_of[i] != UINT32_MAX)
        t->k->shared[m->shared_of[i]].value = m->start[i];
  }
  t->k->own = t->number;
  t->k->c = 1;
  t->fresh = true;
  know_thread(t, t->number, e);
  if (parent)
    hd_mttl_local(t, &HD_MTTL_NO_EVENT); /* it starts */
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
  free(t->locals);
  hd_mttl_drop(t->k);
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

/* The judgement depends on the bits, on what is known, on the thread's variables and on what is seen of the event. If
 * they are as they were at the last one, and that one left the bits alone, this one would say the same again. */
void
hd_mttl_local(hd_mttl_thread *t, const hd_mttl_event *e)
{
  const hd_mttl_monitor *m = t->m;
  bool same = t->quiet && !t->news && !m->plain && !differs(m, &t->event, e)
              && t->names == atomic_load_explicit(&m->nnamed, memory_order_acquire);
  t->event = *e;
  if (!same)
    hd_mttl_step(t);
}

void
hd_mttl_internal(hd_mttl_thread *t, uint32_t variable, hd_mttl_value value)
{
  t->news = t->news || !hd_mttl_same(t->locals[variable], value);
  t->locals[variable] = value;
  hd_mttl_local(t, &HD_MTTL_NO_EVENT);
}

/* X has been read by T, who knows what it knows now. */
static void
enter_reader(hd_mttl_thread *t, hd_mttl_location *x)
{
  uint32_t at = 0;
  while (at < x->nreaders && x->readers[at]->own != t->number)
    at++;
  if (at < x->nreaders && x->readers[at] == t->k)
    return; /* and it was passed on already */
  hd_mttl_knowledge *mine = pass_on(t);
  if (at < x->nreaders)
  {
    hd_mttl_drop(x->readers[at]);
    x->readers[at] = mine;
    return;
  }
  size_t cap = x->readers_cap;
  if (x->nreaders == cap)
    hd_grow(&x->readers, &cap, x->nreaders + 1, sizeof *x->readers);
  x->readers_cap = (uint32_t) cap;
  x->readers[x->nreaders++] = mine;
}

void
hd_mttl_reads(hd_mttl_thread *t, hd_mttl_location *const *x, size_t n, const hd_mttl_event *e)
{
  for (size_t i = 0; i < n; i++)
    learn(t, x[i]->written);
  hd_mttl_local(t, e);
  for (size_t i = 0; i < n; i++)
    enter_reader(t, x[i]);
}

static void
forget_readers(hd_mttl_location *x)
{
  for (uint32_t i = 0; i < x->nreaders; i++)
    hd_mttl_drop(x->readers[i]);
  x->nreaders = 0;
}

void
hd_mttl_assume(hd_mttl_thread *t, uint32_t variable, hd_mttl_value value)
{
  uint32_t shared = t->m->shared_of[variable];
  if (shared == UINT32_MAX || hd_mttl_same(t->k->shared[shared].value, value))
    return;
  hd_mttl_own(t);
  t->news = true;
  t->k->shared[shared].version++;
  t->k->shared[shared].value = value;
}

void
hd_mttl_writes(hd_mttl_thread *t, hd_mttl_location *const *x, size_t n, const hd_mttl_event *e)
{
  for (size_t i = 0; i < n; i++)
  {
    learn(t, x[i]->written);
    for (uint32_t k = 0; k < x[i]->nreaders; k++)
      learn(t, x[i]->readers[k]);
  }
  if (e->variable >= 0)
    hd_mttl_assume(t, (uint32_t) e->variable, e->value);
  hd_mttl_local(t, e);
  for (size_t i = 0; i < n; i++)
  {
    forget_readers(x[i]);
    if (x[i]->written == t->k)
      continue;
    hd_mttl_drop(x[i]->written);
    x[i]->written = pass_on(t);
  }
}

void
hd_mttl_replace(hd_mttl_thread *t, hd_mttl_object *o, const hd_mttl_event *e)
{
  hd_mttl_local(t, e);
  hd_mttl_drop(o->knowledge);
  o->knowledge = pass_on(t);
}

/* O has what it had and what K has. */
static void
join(const hd_mttl_monitor *m, hd_mttl_object *o, const hd_mttl_knowledge *k)
{
  hd_mttl_knowledge *joined = hd_mttl_knowledge_copy(o->knowledge, k->nthreads, m->nshared);
  hd_mttl_knowledge_merge(&joined, k, m->nshared, HD_MTTL_OF_NOBODY);
  joined->own = HD_MTTL_OF_NOBODY;
  hd_mttl_drop(o->knowledge);
  o->knowledge = joined;
}

void
hd_mttl_exchange(hd_mttl_thread *t, hd_mttl_object *o, bool acquires, bool releases, const hd_mttl_event *e)
{
  if (acquires)
    learn(t, o->knowledge);
  hd_mttl_local(t, e);
  if (releases && has_seen(t, o->knowledge))
  {
    hd_mttl_drop(o->knowledge);
    o->knowledge = pass_on(t);
  }
  else if (releases)
  {
    t->fresh = false; /* what T knows now counts as passed on */
    join(t->m, o, t->k);
  }
}

void
hd_mttl_release(hd_mttl_thread *t, hd_mttl_object *o, const hd_mttl_event *e)
{
  hd_mttl_exchange(t, o, false, true, e);
}

void
hd_mttl_acquire(hd_mttl_thread *t, hd_mttl_object *o, const hd_mttl_event *e)
{
  hd_mttl_exchange(t, o, true, false, e);
}

void
hd_mttl_object_copy(hd_mttl_object *o, const hd_mttl_object *from)
{
  hd_mttl_knowledge *k = hd_mttl_keep(from->knowledge);
  hd_mttl_drop(o->knowledge);
  o->knowledge = k;
}

void
hd_mttl_object_join(const hd_mttl_monitor *m, hd_mttl_object *o, const hd_mttl_object *from)
{
  if (!o->knowledge || o->knowledge == from->knowledge)
    hd_mttl_object_copy(o, from);
  else if (from->knowledge)
    join(m, o, from->knowledge);
}

void
hd_mttl_follow(hd_mttl_thread *t, const hd_mttl_rule *rule)
{
  memset(t->slots, 0, sizeof t->slots);
  hd_mttl_internal(t, rule->variable, hd_mttl_evaluate(t->m, t, rule->value, t->slots));
}

void
hd_mttl_exits(hd_mttl_thread *t, hd_mttl_object *token)
{
  t->alive = false;
  t->news = true;
  if (token)
    hd_mttl_release(t, token, &HD_MTTL_NO_EVENT);
  else
    hd_mttl_local(t, &HD_MTTL_NO_EVENT);
}

void
hd_mttl_location_clear(hd_mttl_location *x)
{
  forget_readers(x);
  free(x->readers);
  hd_mttl_drop(x->written);
  *x = (hd_mttl_location){0};
}

void
hd_mttl_object_clear(hd_mttl_object *o)
{
  hd_mttl_drop(o->knowledge);
  o->knowledge = NULL;
}
