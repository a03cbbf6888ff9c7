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
  t->renew = true;
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

/* Value AT of an item is the one at FROM now. */
static inline void
copy(hd_mttl_thread *t, hd_mttl_table *table, size_t at, const hd_mttl_value *from)
{
  table->settled = true;
  if (hd_mttl_equal(&table->now[at], from))
    return;
  hd_mttl_put(&table->now[at], from);
  t->changed |= HD_MTTL_CHANGED_ITEMS;
  t->renew = true;
}

/* Cell I, an item or temporal operator, for all its parameters. */
static void
compute(hd_mttl_thread *t, size_t i)
{
  const hd_mttl_cell *cell = &t->m->f->cells[i];
  hd_mttl_table *table = &t->tables[i];
  hd_mttl_shape shape = t->m->shapes[i];
  if (shape == HD_MTTL_COPY_LOCAL)
  {
    copy(t, table, 0, &t->locals[cell->a->index]);
    return;
  }
  /* If what is known of others is as it was, what asks one thread can only change where that is T itself. */
  bool own = t->m->of_parameter[i] && !(t->changed & HD_MTTL_CHANGED_OTHERS);
  if (own && shape == HD_MTTL_COPY_ITEM)
  {
    copy(t, table, t->number + 1, &t->tables[cell->a->index].now[0]);
    return;
  }
  size_t n = own ? t->number + 2 : size_of(cell, t->radix);
  bool same = true;
  table->settled = true;
  for (size_t at = own ? t->number + 1 : 0; at < n; at++)
  {
    uint8_t bit = table->bits[at];
    choose(t, cell, at, t->radix);
    hd_mttl_value value = evaluate_cell(t, cell, &table->bits[at]);
    same = same && hd_mttl_equal(&value, &table->now[at]);
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
  hd_mttl_value *now = &t->tables[i].now[0];
  hd_mttl_changes changed = now->number ? t->changed : HD_MTTL_CHANGED_ALL;
  bool programs = t->unchanged > 1;
  t->tables[i].settled = true;
  *now = boolean(true);
  if (!programs)
    choose(t, cell, 0, t->radix);
  for (size_t p = t->m->first_part[i]; p < t->m->first_part[i + 1] && now->number; p++)
  {
    const hd_mttl_part *part = &t->m->parts[p];
    if (!(part->depends & changed))
      continue;
    if (programs && !t->programs[p].never)
    {
      now->number = hd_mttl_program_run(&t->programs[p], t->k->shared);
      continue;
    }
    if (programs)
      choose(t, cell, 0, t->radix);
    now->number = hd_mttl_truth(t->m, t, part->node, t->slots);
  }
}

/* ---- what is passed on ---- */

hd_mttl_entry *
hd_mttl_own_entry(hd_mttl_thread *t, uint32_t radix)
{
  hd_mttl_entry *e = t->k->mine;
  /* acquire: pairs with the release in hd_mttl_entry_drop: who had it has read it */
  if (e->radix == radix && atomic_load_explicit(&e->references, memory_order_acquire) == 1)
    return e;
  hd_mttl_entry_drop(e);
  e = hd_alloc(sizeof *e + hd_mttl_item_offset(t->m, t->m->f->nitems, radix) * sizeof *e->values);
  atomic_init(&e->references, 1);
  e->radix = radix;
  return t->k->mine = e;
}

/* As long as nobody else has it, it is changed where it is. */
void
hd_mttl_publish_all(hd_mttl_thread *t)
{
  const hd_mttl_monitor *m = t->m;
  hd_mttl_settle(t);
  if (t->light && !t->unpublished)
  {
    hd_mttl_catch_up(t, 0);
    return;
  }
  t->unpublished = false;
  hd_mttl_own(t, true);
  hd_mttl_entry *e = hd_mttl_own_entry(t, t->radix);
  e->version = t->k->c;
  hd_mttl_value *to = e->values;
  for (size_t i = 0; i < m->f->nitems; i++)
  {
    const hd_mttl_value *from = t->tables[m->items[i]].now;
    const hd_mttl_cell *cell = &m->f->cells[m->items[i]];
    for (size_t n = cell->nparameters ? size_of(cell, t->radix) : 1; n > 0; n--)
      hd_mttl_put(to++, from++);
  }
  t->k->clock = t->clock;
  e->origin.clock = t->origin.clock;
  hd_mttl_put_event(&e->origin.event, t->at_present ? &t->event : &t->origin.event);
  t->at_present = false;
  e->origin.nframes = t->origin.nframes;
  for (uint32_t i = 0; i < t->origin.nframes; i++)
    e->origin.frames[i] = t->origin.frames[i];
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
  bool news = t->changed & HD_MTTL_CHANGED_OTHERS;
  t->planned += news;
  t->unchanged = news ? 0 : t->unchanged + (t->unchanged < 3);
  if (t->unchanged == 2)
    hd_mttl_program_make(t);
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
  if (t->renew) /* last: the explanation of a report speaks of what T passed on before */
  {
    t->era++;
    hd_mttl_note_origin(t, 1);
    hd_mttl_settle(t);
  }
}
