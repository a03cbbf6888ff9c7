/* monitor.c: monitors: what is the same for all threads, worked out once from the property file. */
#include <stdlib.h>
#include <string.h>

#include "mttl/monitor.h"

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

/* Where items lie in entries. */
static void
lay_out(hd_mttl_monitor *m)
{
  const hd_mttl_file *f = m->f;
  for (size_t i = 0; i < f->ncells; i++)
    if (f->cells[i].role == HD_MTTL_ITEM && f->cells[i].nparameters > m->degree)
      m->degree = f->cells[i].nparameters;
  size_t width = m->degree + 1;
  m->offsets = hd_alloc_zero((f->nitems + 1) * width * sizeof *m->offsets);
  for (size_t i = 0; i < f->nitems; i++)
  {
    memcpy(m->offsets + (i + 1) * width, m->offsets + i * width, width * sizeof *m->offsets);
    m->offsets[(i + 1) * width + f->cells[m->items[i]].nparameters]++;
  }
}

/* Is all that N depends on what is known of the thread that stands in SLOT? */
static bool
asks_only(const hd_mttl_node *n, uint32_t slot)
{
  switch (n->kind)
  {
  case HD_MTTL_CONST:
    return true;
  case HD_MTTL_REMOTE:
    return n->tid.kind == HD_MTTL_SLOT && n->tid.index == slot && !(n->slots & ~(1u << slot));
  case HD_MTTL_LOCAL_VALUE:
  case HD_MTTL_SHARED_VALUE:
  case HD_MTTL_OP:
  case HD_MTTL_LOC_VALUE:
  case HD_MTTL_ALIVE:
  case HD_MTTL_READ:
  case HD_MTTL_WRITE:
  case HD_MTTL_LOCKED:
  case HD_MTTL_UNLOCKED:
  case HD_MTTL_AT:
  case HD_MTTL_FORALL:
  case HD_MTTL_EXISTS:
  case HD_MTTL_TEMPORAL:
    return false;
  default:
    return asks_only(n->a, slot) && (!n->b || asks_only(n->b, slot));
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
  if (n->kind == HD_MTTL_LOCAL_VALUE)
    m->used[n->index] = true;
  note_uses(m, n->a);
  note_uses(m, n->b);
}

/* What the value of N depends on. */
static hd_mttl_changes
depends_on(const hd_mttl_monitor *m, const hd_mttl_node *n)
{
  if (!n)
    return 0;
  hd_mttl_changes inside = depends_on(m, n->a) | depends_on(m, n->b);
  switch (n->kind)
  {
  case HD_MTTL_LOCAL_VALUE:
    return HD_MTTL_CHANGED_LOCAL(n->index);
  case HD_MTTL_SHARED_VALUE:
    return HD_MTTL_CHANGED_SHARED(m->shared_of[n->index]);
  case HD_MTTL_OP:
  case HD_MTTL_LOC_VALUE:
  case HD_MTTL_READ:
  case HD_MTTL_WRITE:
  case HD_MTTL_LOCKED:
  case HD_MTTL_UNLOCKED:
  case HD_MTTL_AT:
    return HD_MTTL_CHANGED_EVENT;
  case HD_MTTL_REMOTE: /* who is asked may be the thread itself */
    return HD_MTTL_CHANGED_OTHERS | HD_MTTL_CHANGED_ITEMS;
  case HD_MTTL_ALIVE:
  case HD_MTTL_FORALL:
  case HD_MTTL_EXISTS:
    return HD_MTTL_CHANGED_OTHERS | inside;
  case HD_MTTL_TEMPORAL:
    return HD_MTTL_CHANGED_PAST;
  default:
    return inside;
  }
}

static size_t
count_parts(const hd_mttl_node *n)
{
  return n->kind == HD_MTTL_AND ? count_parts(n->a) + count_parts(n->b) : 1;
}

static hd_mttl_part *
add_parts(const hd_mttl_monitor *m, const hd_mttl_cell *cell, const hd_mttl_node *n, hd_mttl_part *to)
{
  if (n->kind == HD_MTTL_AND)
    return add_parts(m, cell, n->b, add_parts(m, cell, n->a, to));
  hd_mttl_changes depends = depends_on(m, n);
  *to = (hd_mttl_part){n, depends ? depends : HD_MTTL_CHANGED_OTHERS,
                       cell}; /* a constant is judged at the first step */
  return to + 1;
}

/* What has to be judged when. */
static void
find_dependences(hd_mttl_monitor *m)
{
  const hd_mttl_file *f = m->f;
  m->depends = hd_alloc_array(f->ncells + 1, sizeof *m->depends);
  m->first_part = hd_alloc_array(f->ncells + 1, sizeof *m->first_part);
  m->first_part[0] = 0;
  for (size_t i = 0; i < f->ncells; i++)
  {
    const hd_mttl_cell *cell = &f->cells[i];
    m->depends[i] = depends_on(m, cell->a) | depends_on(m, cell->b);
    m->first_part[i + 1] = m->first_part[i] + (cell->role == HD_MTTL_TOP ? count_parts(cell->a) : 0);
  }
  m->parts = hd_alloc_array(m->first_part[f->ncells] + 1, sizeof *m->parts);
  for (size_t i = 0; i < f->ncells; i++)
    if (f->cells[i].role == HD_MTTL_TOP)
      add_parts(m, &f->cells[i], f->cells[i].a, m->parts + m->first_part[i]);
}

/* Which variables of threads are copied to where. */
static void
find_sources(hd_mttl_monitor *m)
{
  const hd_mttl_file *f = m->f;
  m->source = hd_alloc_array(f->ncells + 1, sizeof *m->source);
  m->sources = hd_alloc_array(f->nvariables + 1, sizeof *m->sources);
  bool *listed = hd_alloc_zero(f->nvariables + 1);
  for (size_t i = 0; i < f->ncells; i++)
  {
    uint32_t from = f->cells[i].a->index;
    m->source[i] = m->shapes[i] == HD_MTTL_COPY_LOCAL  ? from
                   : m->shapes[i] == HD_MTTL_COPY_ITEM ? m->source[from]
                                                       : UINT32_MAX;
    if (m->source[i] == UINT32_MAX || listed[m->source[i]])
      continue;
    listed[m->source[i]] = true;
    m->sources[m->nsources++] = m->source[i];
  }
  free(listed);
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
  m->used = hd_alloc_zero(f->nvariables + 1);
  for (size_t i = 0; i < f->ncells; i++)
  {
    note_uses(m, f->cells[i].a);
    note_uses(m, f->cells[i].b);
  }
  prepare(m);
  lay_out(m);
  find_dependences(m);
  m->of_parameter = hd_alloc_zero(f->ncells + 1);
  m->shapes = hd_alloc_zero((f->ncells + 1) * sizeof *m->shapes);
  for (size_t i = 0; i < f->ncells; i++)
  {
    const hd_mttl_cell *cell = &f->cells[i];
    m->of_parameter[i]
        = cell->role == HD_MTTL_ITEM && cell->nparameters == 1 && asks_only(cell->a, cell->parameters[0]);
    if (cell->role == HD_MTTL_ITEM && cell->nparameters == 0 && cell->a->kind == HD_MTTL_LOCAL_VALUE)
      m->shapes[i] = HD_MTTL_COPY_LOCAL;
    if (m->of_parameter[i] && cell->a->kind == HD_MTTL_REMOTE && f->cells[cell->a->index].nparameters == 0)
      m->shapes[i] = HD_MTTL_COPY_ITEM;
  }
  find_sources(m);
  return m;
}

void
hd_mttl_monitor_locations(hd_mttl_monitor *m, hd_mttl_print_location *print)
{
  m->print_location = print;
}

void
hd_mttl_monitor_where(hd_mttl_monitor *m, hd_mttl_where *where)
{
  m->where = where;
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
  free(m->used);
  free(m->offsets);
  free(m->of_parameter);
  free(m->shapes);
  free(m->source);
  free(m->sources);
  free(m->depends);
  free(m->parts);
  free(m->first_part);
  free(m);
}
