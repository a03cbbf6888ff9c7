/* evaluate.c: the values of formulas at a thread's present state. */
#include <math.h>
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

bool
hd_mttl_compare(hd_mttl_kind kind, const hd_mttl_value *a, const hd_mttl_value *b)
{
  int order;
  if (a->type == HD_MTTL_INT && b->type == HD_MTTL_INT)
    order = a->number < b->number ? -1 : a->number > b->number;
  else if (a->type == HD_MTTL_UNDEFINED || b->type == HD_MTTL_UNDEFINED)
    return false;
  else if (a->type == HD_MTTL_LOC)
    return overlap(*a, *b) == (kind == HD_MTTL_EQ);
  else if (a->type == HD_MTTL_STRING)
    order = strcmp(a->text, b->text);
  else if (a->type == HD_MTTL_REAL || b->type == HD_MTTL_REAL)
  {
    double x = real_of(*a), y = real_of(*b);
    if (isnan(x) || isnan(y))
      return kind == HD_MTTL_NE;
    order = x < y ? -1 : x > y;
  }
  else
    order = a->number < b->number ? -1 : a->number > b->number;
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

uint32_t
hd_mttl_thread_of(const hd_mttl_monitor *m, hd_mttl_tid tid, const uint32_t *slots)
{
  if (tid.kind == HD_MTTL_SLOT)
    return slots[tid.index];
  return tid.kind == HD_MTTL_NAMED ? atomic_load_explicit(&m->named[tid.index], memory_order_acquire) : 0;
}

/* Where CELL's value for its parameters in SLOTS is, in tables of RADIX; who is beyond them is not known there. */
static inline size_t
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

/* What is known of cell INDEX of the thread that TID means. */
static const hd_mttl_value *
ask(const hd_mttl_monitor *m, const hd_mttl_thread *t, const hd_mttl_node *n, const uint32_t *slots)
{
  const hd_mttl_cell *cell = &m->f->cells[n->index];
  uint32_t who = hd_mttl_thread_of(m, n->tid, slots);
  if (!t || who == 0)
    return &m->before[n->index];
  if (who == t->number + 1)
    return &t->tables[n->index].now[place_of(cell, slots, t->radix)];
  const hd_mttl_entry *e = hd_mttl_entry_of(t->k, who - 1);
  if (!e)
    return &m->before[n->index];
  return &e->values[hd_mttl_item_offset(m, cell->item, e->radix) + place_of(cell, slots, e->radix)];
}

static bool
quantified(const hd_mttl_monitor *m, hd_mttl_thread *t, const hd_mttl_node *n, uint32_t *slots)
{
  bool forall = n->kind == HD_MTTL_FORALL, result = forall;
  uint32_t except = hd_mttl_thread_of(m, n->tid, slots), before = slots[n->index];
  uint32_t last = t ? t->k->nthreads : 0;
  for (uint32_t who = 1; who <= last; who++)
  {
    if (who == except || !hd_mttl_entry_of(t->k, who - 1))
      continue;
    slots[n->index] = who;
    result = hd_mttl_truth(m, t, n->a, slots);
    if (result != forall)
      break;
  }
  slots[n->index] = before;
  return result;
}

static bool
flag(const hd_mttl_thread *t, const hd_mttl_node *n)
{
  if (!t)
    return false;
  const hd_mttl_event *e = &t->event;
  int32_t index = (int32_t) n->index;
  switch (n->kind)
  {
  case HD_MTTL_READ:
    return e->op == HD_MTTL_R && e->variable == index;
  case HD_MTTL_WRITE:
    return e->op == HD_MTTL_W && e->variable == index;
  case HD_MTTL_LOCKED:
    return e->lock == index && e->taken;
  case HD_MTTL_UNLOCKED:
    return e->lock == index && !e->taken;
  default:
    return e->function == index;
  }
}

const hd_mttl_value *
hd_mttl_kept(const hd_mttl_monitor *m, const hd_mttl_thread *t, const hd_mttl_node *n, const uint32_t *slots)
{
  if (n->kind == HD_MTTL_REMOTE)
    return ask(m, t, n, slots);
  return t ? &t->tables[n->index].now[place_of(&m->f->cells[n->index], slots, t->radix)] : &m->before[n->index];
}

/* Where the value of N is, if it is somewhere; else it is computed into *SPACE. */
static const hd_mttl_value *
value_of(const hd_mttl_monitor *m, hd_mttl_thread *t, const hd_mttl_node *n, uint32_t *slots, hd_mttl_value *space)
{
  switch (n->kind)
  {
  case HD_MTTL_CONST:
    return &n->value;
  case HD_MTTL_LOCAL_VALUE:
    return t ? &t->locals[n->index] : &m->start[n->index];
  case HD_MTTL_SHARED_VALUE:
    return t ? &t->k->shared[m->shared_of[n->index]].value : &m->start[n->index];
  case HD_MTTL_REMOTE:
  case HD_MTTL_TEMPORAL:
    return hd_mttl_kept(m, t, n, slots);
  default:
    *space = hd_mttl_evaluate(m, t, n, slots);
    return space;
  }
}

/* N, a condition. Whatever has to see every state is a cell of its own, so that what decides nothing is left out. */
bool
hd_mttl_truth(const hd_mttl_monitor *m, hd_mttl_thread *t, const hd_mttl_node *n, uint32_t *slots)
{
  hd_mttl_value a, b;
  if (n->access && (!t || t->event.op == HD_MTTL_NONE))
    return false;
  switch (n->kind)
  {
  case HD_MTTL_ALIVE:
    return !t || t->alive;
  case HD_MTTL_READ:
  case HD_MTTL_WRITE:
  case HD_MTTL_LOCKED:
  case HD_MTTL_UNLOCKED:
  case HD_MTTL_AT:
    return flag(t, n);
  case HD_MTTL_FORALL:
  case HD_MTTL_EXISTS:
    return quantified(m, t, n, slots);
  case HD_MTTL_NOT:
    return !hd_mttl_truth(m, t, n->a, slots);
  case HD_MTTL_AND:
    return hd_mttl_truth(m, t, n->a, slots) && hd_mttl_truth(m, t, n->b, slots);
  case HD_MTTL_OR:
    return hd_mttl_truth(m, t, n->a, slots) || hd_mttl_truth(m, t, n->b, slots);
  case HD_MTTL_IMPLIES:
    return !hd_mttl_truth(m, t, n->a, slots) || hd_mttl_truth(m, t, n->b, slots);
  case HD_MTTL_IFF:
    return hd_mttl_truth(m, t, n->a, slots) == hd_mttl_truth(m, t, n->b, slots);
  case HD_MTTL_EQ:
  case HD_MTTL_NE:
  case HD_MTTL_LT:
  case HD_MTTL_LE:
  case HD_MTTL_GT:
  case HD_MTTL_GE:
    return hd_mttl_compare(n->kind, value_of(m, t, n->a, slots, &a), value_of(m, t, n->b, slots, &b));
  default:
    return value_of(m, t, n, slots, &a)->number != 0;
  }
}

hd_mttl_value
hd_mttl_evaluate(const hd_mttl_monitor *m, hd_mttl_thread *t, const hd_mttl_node *n, uint32_t *slots)
{
  hd_mttl_value a, b;
  switch (n->kind)
  {
  case HD_MTTL_CONST:
  case HD_MTTL_LOCAL_VALUE:
  case HD_MTTL_SHARED_VALUE:
  case HD_MTTL_REMOTE:
  case HD_MTTL_TEMPORAL:
    return *value_of(m, t, n, slots, &a);
  case HD_MTTL_OP:
    return (hd_mttl_value){.type = HD_MTTL_INT, .number = t ? t->event.op : HD_MTTL_NONE};
  case HD_MTTL_LOC_VALUE:
    return (hd_mttl_value){.type = HD_MTTL_LOC,
                           .number = t && t->event.op != HD_MTTL_NONE ? (int64_t) t->event.loc : 0,
                           .size = t && t->event.op != HD_MTTL_NONE ? t->event.size : 0};
  case HD_MTTL_NEG:
    return calculate(HD_MTTL_SUB, n->type, (hd_mttl_value){.type = HD_MTTL_INT}, *value_of(m, t, n->a, slots, &a));
  case HD_MTTL_ADD:
  case HD_MTTL_SUB:
  case HD_MTTL_MUL:
  case HD_MTTL_DIV:
  case HD_MTTL_REM:
    return calculate(n->kind, n->type, *value_of(m, t, n->a, slots, &a), *value_of(m, t, n->b, slots, &b));
  default:
    return boolean(hd_mttl_truth(m, t, n, slots));
  }
}
