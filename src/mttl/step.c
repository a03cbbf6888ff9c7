/* step.c: a thread's next state: its cells, what it passes on, and what is reported.
 *
 * Cells are computed from the inside to the outside, each for every choice of its parameters, without stopping early:
 * every temporal operator has to see every state. A choice names threads by number plus 1; 0 stands for all that are
 * not known yet, of which nothing but the initial values is known, and from which a thread that becomes known takes
 * over what was computed.
 *
 * A cell is passed over if nothing that it depends on has changed since the last step, and, being a temporal operator,
 * its bits did not change at that step: then it would be the same again, bits included. Of a property that was true,
 * only those parts are judged that depend on what has changed. */
#include <stdlib.h>
#include <string.h>

#include "mttl/monitor.h"

static hd_mttl_value
boolean(bool b)
{
  return (hd_mttl_value){.type = HD_MTTL_BOOL, .number = b};
}

static size_t
size_of(const hd_mttl_cell *cell, uint32_t radix)
{
  size_t n = 1;
  for (uint32_t i = 0; i < cell->nparameters; i++)
    n *= radix;
  return n;
}

/* SLOTS for place AT in the table of CELL: whoever is free in it is a parameter, or the thread itself. */
static void
choose(hd_mttl_thread *t, const hd_mttl_cell *cell, size_t at, uint32_t radix)
{
  for (uint32_t k = cell->nparameters; k-- > 0; at /= radix)
    t->slots[cell->parameters[k]] = (uint32_t) (at % radix);
  if (cell->self >= 0)
    t->slots[cell->self] = t->number + 1;
}

/* Tables for RADIX: what was not known before takes over from the unknown. */
static void
grow(hd_mttl_thread *t, uint32_t radix)
{
  const hd_mttl_file *f = t->m->f;
  uint32_t old = t->radix;
  for (size_t i = 0; i < f->ncells; i++)
  {
    const hd_mttl_cell *cell = &f->cells[i];
    size_t n = size_of(cell, radix);
    if (cell->nparameters == 0 && old > 0)
      continue;
    hd_mttl_value *now = hd_alloc_array(n, sizeof *now);
    uint8_t *bits = hd_alloc_array(n, 1);
    for (size_t at = 0; at < n; at++)
    {
      size_t from = 0, scale = 1, rest = at;
      for (uint32_t k = 0; k < cell->nparameters; k++, rest /= radix, scale *= old)
        from += (rest % radix < old ? rest % radix : 0) * scale;
      now[at] = old ? t->tables[i].now[from] : t->m->before[i];
      bits[at] = old ? t->tables[i].bits[from] : now[at].number != 0;
    }
    free(t->tables[i].now);
    free(t->tables[i].bits);
    t->tables[i].now = now;
    t->tables[i].bits = bits;
  }
  t->radix = radix;
  t->changed = HD_MTTL_CHANGED_ALL;
}

/* ---- cells ---- */

static hd_mttl_value
evaluate_cell(hd_mttl_thread *t, const hd_mttl_cell *cell, uint8_t *bit)
{
  bool a, b, was = *bit;
  if (cell->role == HD_MTTL_ITEM)
    return hd_mttl_evaluate(t->m, t, cell->a, t->slots);
  a = hd_mttl_truth(t->m, t, cell->a, t->slots);
  switch (cell->role)
  {
  case HD_MTTL_ITEM:
  case HD_MTTL_TOP:
    return boolean(a);
  case HD_MTTL_PREV:
    *bit = a;
    return boolean(was);
  case HD_MTTL_PAST_ONCE:
    *bit = a || was;
    break;
  case HD_MTTL_PAST_ALWAYS:
    *bit = a && was;
    break;
  case HD_MTTL_SINCE:
    b = hd_mttl_truth(t->m, t, cell->b, t->slots);
    *bit = b || (a && was);
    break;
  }
  return boolean(*bit);
}

/* Cell I, an item or temporal operator, for all its parameters. */
static void
compute(hd_mttl_thread *t, size_t i)
{
  const hd_mttl_cell *cell = &t->m->f->cells[i];
  hd_mttl_table *table = &t->tables[i];
  /* If what is known of others is as it was, what asks one thread can only change where that is T itself. */
  bool own = t->m->of_parameter[i] && !(t->changed & HD_MTTL_CHANGED_OTHERS);
  size_t n = own ? t->number + 2 : size_of(cell, t->radix);
  bool same = true;
  table->settled = true;
  for (size_t at = own ? t->number + 1 : 0; at < n; at++)
  {
    uint8_t bit = table->bits[at];
    choose(t, cell, at, t->radix);
    hd_mttl_value value = evaluate_cell(t, cell, &table->bits[at]);
    same = same && hd_mttl_same(value, table->now[at]);
    table->now[at] = value;
    table->settled = table->settled && table->bits[at] == bit;
  }
  if (same)
    return;
  t->changed |= cell->role == HD_MTTL_ITEM ? HD_MTTL_CHANGED_ITEMS : HD_MTTL_CHANGED_PAST;
  t->renew = t->renew || cell->role == HD_MTTL_ITEM;
}

/* Cell I, a property. */
static void
judge(hd_mttl_thread *t, size_t i)
{
  const hd_mttl_cell *cell = &t->m->f->cells[i];
  const hd_mttl_part *p = &t->m->parts[t->m->first_part[i]], *end = &t->m->parts[t->m->first_part[i + 1]];
  hd_mttl_value *now = &t->tables[i].now[0];
  hd_mttl_changes changed = now->number ? t->changed : HD_MTTL_CHANGED_ALL;
  choose(t, cell, 0, t->radix);
  t->tables[i].settled = true;
  for (*now = boolean(true); p < end && now->number; p++)
    if (p->depends & changed)
      now->number = hd_mttl_truth(t->m, t, p->node, t->slots);
}

/* ---- what is passed on ---- */

/* What T passes on about itself. As long as nobody else has it, it is changed where it is. */
static void
renew_entry(hd_mttl_thread *t)
{
  const hd_mttl_monitor *m = t->m;
  hd_mttl_entry *e = t->k->mine;
  t->before = e->origin;
  t->replaced = true;
  t->renew = false;
  uint32_t version = e->version + 1;
  /* acquire: pairs with the release in hd_mttl_entry_drop: who had it has read it */
  if (!t->fresh || e->radix != t->radix || atomic_load_explicit(&e->references, memory_order_acquire) != 1)
  {
    hd_mttl_own(t);
    hd_mttl_entry_drop(e);
    e = hd_alloc(sizeof *e + hd_mttl_item_offset(m, m->f->nitems, t->radix) * sizeof *e->values);
    atomic_init(&e->references, 1);
    t->k->mine = e;
  }
  e->version = version;
  e->radix = t->radix;
  size_t at = 0;
  for (size_t i = 0; i < m->f->nitems; i++)
  {
    size_t size = size_of(&m->f->cells[m->items[i]], t->radix);
    memcpy(e->values + at, t->tables[m->items[i]].now, size * sizeof *e->values);
    at += size;
  }
  e->origin.clock = ++t->k->clock;
  e->origin.event = t->event;
  e->origin.nframes = t->m->where ? t->m->where(t->m->context, t, e->origin.frames, HD_MTTL_FRAMES) : 0;
}

void
hd_mttl_step(hd_mttl_thread *t)
{
  const hd_mttl_monitor *m = t->m;
  const hd_mttl_file *f = m->f;
  uint32_t names = atomic_load_explicit(&m->nnamed, memory_order_acquire);
  if (m->plain || names != t->names)
    t->changed = HD_MTTL_CHANGED_ALL;
  t->names = names;
  if (t->k->nthreads + 1 > t->radix)
    grow(t, t->k->nthreads + 1);
  t->quiet = true;
  for (size_t i = 0; i < f->ncells; i++)
  {
    if (!(m->depends[i] & t->changed) && t->tables[i].settled)
      continue;
    if (f->cells[i].role == HD_MTTL_TOP)
      judge(t, i);
    else
      compute(t, i);
    t->quiet = t->quiet && t->tables[i].settled;
  }
  if (t->renew || t->k->mine->radix != t->radix)
    renew_entry(t);
  t->changed = 0;
  for (size_t i = 0; i < f->nproperties; i++)
  {
    uint32_t number = f->properties[i].cell;
    if (t->tables[number].now[0].number)
      continue;
    const hd_mttl_tid owner = f->cells[number].owner;
    if (owner.kind != HD_MTTL_SLOT
        && atomic_load_explicit(&m->named[owner.index], memory_order_acquire) != t->number + 1)
      continue;
    t->quiet = false;
    m->report(m->context, t, &f->properties[i]);
  }
}
