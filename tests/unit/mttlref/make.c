/* make.c: random executions and formulas. */
#include "mttlref/mttlref.h"

static uint32_t
upto(uint64_t *seed, uint32_t n)
{
  return (uint32_t) (hd_random(seed) >> 11) % n;
}

/* ---- executions ---- */

static void
add(ref_trace *t, ref_event e)
{
  t->events[t->n++] = e;
}

static ref_value
some_value(uint64_t *seed, bool boolean)
{
  ref_value v = {.number = upto(seed, boolean ? 2 : 3)};
  if (upto(seed, 25) == 0)
    v = (ref_value){.undefined = true};
  return v;
}

static void
add_random(ref_trace *t, uint32_t thread, bool *exited, uint32_t locations, uint64_t *seed)
{
  ref_event e = {.thread = thread};
  uint32_t choice = upto(seed, 100);
  if (choice < 14)
  {
    e.kind = REF_INTERNAL;
    e.target = upto(seed, REF_LOCALS);
    e.value = some_value(seed, e.target == 1);
  }
  else if (choice < 18)
  {
    e.kind = REF_ENTER;
    e.target = upto(seed, REF_FUNCTIONS);
  }
  else if (choice < 44)
  {
    e.kind = REF_READ;
    e.target = upto(seed, locations);
  }
  else if (choice < 74)
  {
    e.kind = REF_WRITE;
    e.target = upto(seed, locations);
    e.value = some_value(seed, e.target == 2);
  }
  else if (choice < 92)
  {
    uint32_t kind = upto(seed, 5);
    e.kind = kind < 2 ? REF_ACQUIRE : kind < 4 ? REF_RELEASE : REF_REPLACE;
    e.target = upto(seed, REF_OBJECTS);
  }
  else if (choice < 95)
  {
    e.kind = REF_EXIT;
    exited[thread] = true;
  }
  else
  {
    uint32_t other = upto(seed, t->nthreads);
    if (!exited[other])
      return;
    e.kind = REF_JOIN;
    e.target = other;
  }
  add(t, e);
}

void
ref_make_trace(ref_trace *t, uint64_t *seed)
{
  *t = (ref_trace){0};
  uint32_t most = 2 + upto(seed, 3), locations = 1 + upto(seed, REF_LOCATIONS);
  size_t length = 1 + upto(seed, 24);
  bool exited[REF_THREADS] = {0};
  t->from_start = t->nthreads = 1 + upto(seed, most);
  for (uint32_t i = 0; i < REF_LOCATIONS; i++)
  {
    t->shared[i] = upto(seed, i == 2 ? 2 : 3);
    t->size[i] = upto(seed, 4) ? 8 : 16;
  }
  for (uint32_t i = 0; i < REF_LOCALS; i++)
    t->local[i] = upto(seed, i == 1 ? 2 : 3);
  for (size_t tries = 0; t->n < length && tries < 100; tries++)
  {
    uint32_t thread = upto(seed, t->nthreads);
    if (exited[thread])
      continue;
    if (t->nthreads < most && upto(seed, 4) == 0 && t->n + 2 <= length)
    {
      uint32_t child = t->nthreads++;
      add(t, (ref_event){.kind = REF_CREATE, .thread = thread, .target = child});
      add(t, (ref_event){.kind = REF_START, .thread = child});
    }
    else
      add_random(t, thread, exited, locations, seed);
  }
}

/* ---- formulas ---- */

typedef struct maker
{
  ref_file *f;
  const ref_trace *t;
  uint64_t *seed;
  int variables; /* in scope */
  int used;      /* in the property */
  size_t nodes;  /* of the property */
  bool numbers;  /* threads by number, too */
} maker;

static ref_node *
node(maker *m, ref_op op)
{
  ref_node *n = &m->f->nodes[m->f->nnodes++];
  *n = (ref_node){.op = op, .who = -1};
  m->nodes++;
  return n;
}

static int
some_thread(maker *m)
{
  if (m->variables && (!m->numbers || upto(m->seed, 3)))
    return (int) upto(m->seed, (uint32_t) m->variables);
  return 100 + (int) upto(m->seed, m->t->nthreads + (upto(m->seed, 8) == 0 && m->t->nthreads < REF_THREADS));
}

static const ref_node *condition(maker *m, int depth);

static const ref_node *
location(maker *m, int depth)
{
  if (depth <= 0 || upto(m->seed, 2))
    return node(m, REF_LOC);
  ref_node *n = node(m, REF_AT_LOC);
  n->who = some_thread(m);
  n->a = location(m, depth - 1);
  return n;
}

static const ref_node *
expression(maker *m, int depth)
{
  ref_node *n;
  uint32_t choice = upto(m->seed, depth <= 0 ? 7 : 14);
  switch (choice)
  {
  case 0:
  case 1:
    n = node(m, REF_NUMBER);
    n->index = (int) upto(m->seed, 3);
    return n;
  case 2:
  case 3:
    return node(m, REF_LOCAL_INT);
  case 4:
  case 5:
    n = node(m, REF_SHARED_INT);
    n->index = (int) upto(m->seed, 2);
    return n;
  case 6:
    return node(m, REF_EVENT_OP);
  case 7:
    n = node(m, (ref_op) (REF_ADD + upto(m->seed, 5)));
    n->a = expression(m, depth - 1);
    n->b = expression(m, depth - 1);
    return n;
  case 8:
    n = node(m, REF_NEG);
    n->a = expression(m, depth - 1);
    return n;
  default:
    n = node(m, REF_AT_NUMBER);
    n->who = some_thread(m);
    n->a = expression(m, depth - 1);
    return n;
  }
}

static const ref_node *
atom(maker *m, int depth)
{
  ref_node *n;
  switch (upto(m->seed, 12))
  {
  case 0:
    return node(m, upto(m->seed, 2) ? REF_TRUE : REF_FALSE);
  case 1:
  case 2:
    n = node(m, upto(m->seed, 2) ? REF_READS : REF_WRITES);
    n->index = (int) upto(m->seed, REF_LOCATIONS);
    return n;
  case 3:
    n = node(m, upto(m->seed, 2) ? REF_LOCKS : REF_UNLOCKS);
    n->index = (int) upto(m->seed, REF_OBJECTS);
    return n;
  case 4:
    n = node(m, REF_ENTERS);
    n->index = (int) upto(m->seed, REF_FUNCTIONS);
    return n;
  case 5:
    return node(m, REF_LIVES);
  case 6:
    return node(m, REF_LOCAL_BOOL);
  case 7:
    n = node(m, REF_SHARED_BOOL);
    n->index = 2;
    return n;
  case 8:
    n = node(m, upto(m->seed, 2) ? REF_LOC_EQ : REF_LOC_NE);
    n->a = location(m, depth - 1);
    n->b = location(m, depth - 1);
    return n;
  default:
    n = node(m, (ref_op) (REF_EQ + upto(m->seed, 6)));
    n->a = expression(m, depth - 1);
    n->b = expression(m, depth - 1);
    return n;
  }
}

static const ref_node *
quantifier(maker *m, int depth)
{
  ref_node *n = node(m, upto(m->seed, 2) ? REF_FORALL : REF_EXISTS);
  if (m->variables && upto(m->seed, 2))
    n->who = (int) upto(m->seed, (uint32_t) m->variables);
  n->index = m->variables++;
  m->used++;
  n->a = condition(m, depth - 1);
  m->variables--;
  return n;
}

static const ref_node *
condition(maker *m, int depth)
{
  ref_node *n;
  uint32_t choice = upto(m->seed, 20);
  if (depth <= 0 || m->nodes > REF_NODES / 2)
    return atom(m, depth);
  if (choice < 2)
    return atom(m, depth);
  if (choice < 3)
  {
    n = node(m, REF_NOT);
    n->a = condition(m, depth - 1);
    return n;
  }
  if (choice < 7)
  {
    n = node(m, upto(m->seed, 6) == 0 ? REF_BOOL_EQ + upto(m->seed, 2) : (ref_op) (REF_AND + upto(m->seed, 4)));
    n->a = condition(m, depth - 1);
    n->b = condition(m, depth - 1);
    return n;
  }
  if (choice < 11)
  {
    n = node(m, (ref_op) (REF_PREV + upto(m->seed, 4)));
    n->a = condition(m, depth - 1);
    if (n->op == REF_SINCE)
      n->b = condition(m, depth - 1);
    return n;
  }
  if (choice < 13 && m->variables < REF_VARIABLES && m->used < 6)
    return quantifier(m, depth);
  n = node(m, REF_AT_FORMULA);
  n->who = some_thread(m);
  n->a = condition(m, depth - 1);
  return n;
}

void
ref_make_file(ref_file *f, const ref_trace *t, uint64_t *seed)
{
  f->nnodes = 0;
  f->nproperties = REF_PROPERTIES;
  f->names = upto(seed, 2);
  for (size_t i = 0; i < f->nproperties; i++)
  {
    maker m = {.f = f, .t = t, .seed = seed, .numbers = upto(seed, 2)};
    f->owner[i] = upto(seed, 5) ? 0 : 100 + (int) upto(seed, t->nthreads);
    m.variables = m.used = f->owner[i] == 0;
    if (!m.variables)
      m.numbers = true;
    f->body[i] = condition(&m, 1 + (int) upto(seed, 5));
  }
}
