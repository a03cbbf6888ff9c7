/* evaluate.c: the values of formulas at a thread's present state.
 *
 * Cells are computed from the inside to the outside, each for every choice of its parameters, without stopping early:
 * every temporal operator has to see every state. A choice names threads by number plus 1; 0 stands for all that are
 * not known yet, of which nothing but the initial values is known, and from which a thread that becomes known takes
 * over what was computed. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mttl/monitor.h"

static hd_mttl_value
boolean(bool b)
{
  return (hd_mttl_value){.type = HD_MTTL_BOOL, .number = b};
}

static const hd_mttl_value undefined = {.type = HD_MTTL_UNDEFINED};

bool
hd_mttl_same(hd_mttl_value a, hd_mttl_value b)
{
  if (a.type != b.type)
    return false;
  switch (a.type)
  {
  case HD_MTTL_REAL:
    return a.real == b.real || (isnan(a.real) && isnan(b.real));
  case HD_MTTL_STRING:
    return strcmp(a.text, b.text) == 0;
  case HD_MTTL_LOC:
    return a.number == b.number && a.size == b.size;
  case HD_MTTL_UNDEFINED:
    return true;
  case HD_MTTL_BOOL:
  case HD_MTTL_INT:
    break;
  }
  return a.number == b.number;
}

/* ---- arithmetic ---- */

static double
real_of(hd_mttl_value v)
{
  return v.type == HD_MTTL_REAL ? v.real : (double) v.number;
}

static bool
overlap(hd_mttl_value a, hd_mttl_value b)
{
  uint64_t x = (uint64_t) a.number, y = (uint64_t) b.number;
  return a.size > 0 && b.size > 0 && (x <= y ? y - x < a.size : x - y < b.size);
}

static bool
compare(hd_mttl_kind kind, hd_mttl_value a, hd_mttl_value b)
{
  if (a.type == HD_MTTL_UNDEFINED || b.type == HD_MTTL_UNDEFINED)
    return false;
  if (a.type == HD_MTTL_LOC)
    return overlap(a, b) == (kind == HD_MTTL_EQ);
  int order;
  if (a.type == HD_MTTL_STRING)
    order = strcmp(a.text, b.text);
  else if (a.type == HD_MTTL_REAL || b.type == HD_MTTL_REAL)
  {
    double x = real_of(a), y = real_of(b);
    if (isnan(x) || isnan(y))
      return kind == HD_MTTL_NE;
    order = x < y ? -1 : x > y;
  }
  else
    order = a.number < b.number ? -1 : a.number > b.number;
  switch (kind)
  {
  case HD_MTTL_EQ:
    return order == 0;
  case HD_MTTL_NE:
    return order != 0;
  case HD_MTTL_LT:
    return order < 0;
  case HD_MTTL_LE:
    return order <= 0;
  case HD_MTTL_GT:
    return order > 0;
  default:
    return order >= 0;
  }
}

/* Integers that do not fit, and divisions by zero, are undefined. */
static hd_mttl_value
calculate(hd_mttl_kind kind, hd_mttl_type type, hd_mttl_value a, hd_mttl_value b)
{
  if (a.type == HD_MTTL_UNDEFINED || b.type == HD_MTTL_UNDEFINED)
    return undefined;
  hd_mttl_value v = {.type = type};
  if (type == HD_MTTL_REAL)
  {
    double x = real_of(a), y = real_of(b);
    if (kind == HD_MTTL_DIV && y == 0)
      return undefined;
    v.real = kind == HD_MTTL_ADD ? x + y : kind == HD_MTTL_SUB ? x - y : kind == HD_MTTL_MUL ? x * y : x / y;
    return v;
  }
  bool bad = false;
  switch (kind)
  {
  case HD_MTTL_ADD:
    bad = __builtin_add_overflow(a.number, b.number, &v.number);
    break;
  case HD_MTTL_SUB:
    bad = __builtin_sub_overflow(a.number, b.number, &v.number);
    break;
  case HD_MTTL_MUL:
    bad = __builtin_mul_overflow(a.number, b.number, &v.number);
    break;
  default:
    bad = b.number == 0 || (a.number == INT64_MIN && b.number == -1);
    if (!bad)
      v.number = kind == HD_MTTL_DIV ? a.number / b.number : a.number % b.number;
    break;
  }
  return bad ? undefined : v;
}

/* ---- who and what ---- */

static uint32_t
thread_of(const hd_mttl_monitor *m, hd_mttl_tid tid, const uint32_t *slots)
{
  if (tid.kind == HD_MTTL_SLOT)
    return slots[tid.index];
  return tid.kind == HD_MTTL_NAMED ? atomic_load_explicit(&m->named[tid.index], memory_order_acquire) : 0;
}

/* Where CELL's value for its parameters in SLOTS is, in tables of RADIX; who is beyond them is not known there. */
static size_t
place_of(const hd_mttl_cell *cell, const uint32_t *slots, uint32_t radix)
{
  size_t at = 0;
  for (uint32_t i = 0; i < cell->nparameters; i++)
  {
    uint32_t who = slots[cell->parameters[i]];
    at = at * radix + (who < radix ? who : 0);
  }
  return at;
}

static size_t
size_of(const hd_mttl_cell *cell, uint32_t radix)
{
  size_t n = 1;
  for (uint32_t i = 0; i < cell->nparameters; i++)
    n *= radix;
  return n;
}

/* What is known of cell INDEX of the thread that TID means. */
static hd_mttl_value
ask(const hd_mttl_monitor *m, hd_mttl_thread *t, const hd_mttl_node *n, const uint32_t *slots)
{
  const hd_mttl_cell *cell = &m->f->cells[n->index];
  uint32_t who = thread_of(m, n->tid, slots);
  if (!t || who == 0)
    return m->before[n->index];
  if (who == t->number + 1)
    return t->tables[n->index].now[place_of(cell, slots, t->radix)];
  const hd_mttl_entry *e = who <= t->k->nthreads ? t->k->entries[who - 1] : NULL;
  if (!e)
    return m->before[n->index];
  size_t at = 0;
  for (uint32_t i = 0; i < cell->item; i++)
    at += size_of(&m->f->cells[m->items[i]], e->radix);
  return e->values[at + place_of(cell, slots, e->radix)];
}

static hd_mttl_value
quantified(const hd_mttl_monitor *m, hd_mttl_thread *t, const hd_mttl_node *n, uint32_t *slots)
{
  bool forall = n->kind == HD_MTTL_FORALL, result = forall;
  uint32_t except = thread_of(m, n->tid, slots), before = slots[n->index];
  uint32_t last = t ? t->k->nthreads : 0;
  for (uint32_t who = 1; who <= last; who++)
  {
    if (who == except || !t->k->entries[who - 1])
      continue;
    slots[n->index] = who;
    bool b = hd_mttl_evaluate(m, t, n->a, slots).number != 0;
    result = forall ? result && b : result || b;
  }
  slots[n->index] = before;
  return boolean(result);
}

static hd_mttl_value
flag(const hd_mttl_thread *t, const hd_mttl_node *n)
{
  if (!t)
    return boolean(false);
  const hd_mttl_event *e = &t->event;
  int32_t index = (int32_t) n->index;
  switch (n->kind)
  {
  case HD_MTTL_READ:
    return boolean(e->op == HD_MTTL_R && e->variable == index);
  case HD_MTTL_WRITE:
    return boolean(e->op == HD_MTTL_W && e->variable == index);
  case HD_MTTL_LOCKED:
    return boolean(e->lock == index && e->taken);
  case HD_MTTL_UNLOCKED:
    return boolean(e->lock == index && !e->taken);
  default:
    return boolean(e->function == index);
  }
}

hd_mttl_value
hd_mttl_evaluate(const hd_mttl_monitor *m, hd_mttl_thread *t, const hd_mttl_node *n, uint32_t *slots)
{
  switch (n->kind)
  {
  case HD_MTTL_CONST:
    return n->value;
  case HD_MTTL_LOCAL_VALUE:
    return t ? t->locals[n->index] : m->start[n->index];
  case HD_MTTL_SHARED_VALUE:
    return t ? t->k->shared[m->shared_of[n->index]].value : m->start[n->index];
  case HD_MTTL_OP:
    return (hd_mttl_value){.type = HD_MTTL_INT, .number = t ? t->event.op : HD_MTTL_NONE};
  case HD_MTTL_LOC_VALUE:
    return (hd_mttl_value){.type = HD_MTTL_LOC,
                           .number = t && t->event.op != HD_MTTL_NONE ? (int64_t) t->event.loc : 0,
                           .size = t && t->event.op != HD_MTTL_NONE ? t->event.size : 0};
  case HD_MTTL_ALIVE:
    return boolean(!t || t->alive);
  case HD_MTTL_READ:
  case HD_MTTL_WRITE:
  case HD_MTTL_LOCKED:
  case HD_MTTL_UNLOCKED:
  case HD_MTTL_AT:
    return flag(t, n);
  case HD_MTTL_REMOTE:
    return ask(m, t, n, slots);
  case HD_MTTL_FORALL:
  case HD_MTTL_EXISTS:
    return quantified(m, t, n, slots);
  case HD_MTTL_TEMPORAL:
    return t ? t->tables[n->index].now[place_of(&m->f->cells[n->index], slots, t->radix)] : m->before[n->index];
  default:
    break;
  }
  hd_mttl_value a = hd_mttl_evaluate(m, t, n->a, slots);
  hd_mttl_value b = n->b ? hd_mttl_evaluate(m, t, n->b, slots) : undefined;
  switch (n->kind)
  {
  case HD_MTTL_NOT:
    return boolean(!a.number);
  case HD_MTTL_AND:
    return boolean(a.number && b.number);
  case HD_MTTL_OR:
    return boolean(a.number || b.number);
  case HD_MTTL_IMPLIES:
    return boolean(!a.number || b.number);
  case HD_MTTL_IFF:
    return boolean(!a.number == !b.number);
  case HD_MTTL_NEG:
    return calculate(HD_MTTL_SUB, n->type, (hd_mttl_value){.type = HD_MTTL_INT}, a);
  case HD_MTTL_ADD:
  case HD_MTTL_SUB:
  case HD_MTTL_MUL:
  case HD_MTTL_DIV:
  case HD_MTTL_REM:
    return calculate(n->kind, n->type, a, b);
  default:
    return boolean(compare(n->kind, a, b));
  }
}

/* ---- a step ---- */

/* SLOTS for place AT in the table of CELL. */
static void
choose(hd_mttl_thread *t, const hd_mttl_cell *cell, size_t at, uint32_t radix)
{
  memset(t->slots, 0, sizeof t->slots);
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
  for (size_t i = 0; i < f->ncells && radix > old; i++)
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
    t->tables[i] = (hd_mttl_table){now, bits};
  }
  t->radix = radix > old ? radix : old;
}

static hd_mttl_value
evaluate_cell(hd_mttl_thread *t, const hd_mttl_cell *cell, uint8_t *bit)
{
  bool a, b, was = *bit;
  hd_mttl_value v = hd_mttl_evaluate(t->m, t, cell->a, t->slots);
  a = v.number != 0;
  switch (cell->role)
  {
  case HD_MTTL_ITEM:
  case HD_MTTL_TOP:
    return v;
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
    b = hd_mttl_evaluate(t->m, t, cell->b, t->slots).number != 0;
    *bit = b || (a && was);
    break;
  }
  return boolean(*bit);
}

/* Has an item another value than in T's entry? */
static bool
items_changed(const hd_mttl_thread *t, const hd_mttl_entry *e)
{
  const hd_mttl_monitor *m = t->m;
  size_t at = 0;
  if (e->radix != t->radix)
    return true;
  for (size_t i = 0; i < m->f->nitems; i++)
  {
    size_t n = size_of(&m->f->cells[m->items[i]], t->radix);
    for (size_t k = 0; k < n; k++)
      if (!hd_mttl_same(t->tables[m->items[i]].now[k], e->values[at + k]))
        return true;
    at += n;
  }
  return false;
}

static void
renew_entry(hd_mttl_thread *t)
{
  const hd_mttl_monitor *m = t->m;
  hd_mttl_entry *old = t->k->entries[t->number];
  if (!items_changed(t, old))
    return;
  size_t n = 0;
  for (size_t i = 0; i < m->f->nitems; i++)
    n += size_of(&m->f->cells[m->items[i]], t->radix);
  hd_mttl_entry *e = hd_alloc(sizeof *e + n * sizeof *e->values);
  atomic_init(&e->references, 1);
  e->version = old->version + 1;
  e->radix = t->radix;
  size_t at = 0;
  for (size_t i = 0; i < m->f->nitems; i++)
  {
    size_t size = size_of(&m->f->cells[m->items[i]], t->radix);
    memcpy(e->values + at, t->tables[m->items[i]].now, size * sizeof *e->values);
    at += size;
  }
  hd_mttl_own(t);
  hd_mttl_entry_drop(t->k->entries[t->number]);
  t->k->entries[t->number] = e;
}

void
hd_mttl_step(hd_mttl_thread *t)
{
  const hd_mttl_file *f = t->m->f;
  t->names = atomic_load_explicit(&t->m->nnamed, memory_order_acquire);
  t->quiet = true;
  t->news = false;
  grow(t, t->k->nthreads + 1);
  for (size_t i = 0; i < f->ncells; i++)
  {
    const hd_mttl_cell *cell = &f->cells[i];
    size_t n = size_of(cell, t->radix);
    for (size_t at = 0; at < n; at++)
    {
      uint8_t bit = t->tables[i].bits[at];
      choose(t, cell, at, t->radix);
      t->tables[i].now[at] = evaluate_cell(t, cell, &t->tables[i].bits[at]);
      t->quiet = t->quiet && t->tables[i].bits[at] == bit;
    }
  }
  renew_entry(t);
  for (size_t i = 0; i < f->nproperties; i++)
  {
    const hd_mttl_cell *cell = &f->cells[f->properties[i].cell];
    bool mine = cell->owner.kind == HD_MTTL_SLOT
                || atomic_load_explicit(&t->m->named[cell->owner.index], memory_order_acquire) == t->number + 1;
    if (!mine || t->tables[f->properties[i].cell].now[0].number)
      continue;
    t->quiet = false;
    t->m->report(t->m->context, t, &f->properties[i]);
  }
}
