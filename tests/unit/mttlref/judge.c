/* judge.c: the order of the events, closed by brute force, and formulas by the definition. */
#include <string.h>

#include "mttlref/mttlref.h"

/* ---- the order ---- */

static bool
is_access(const ref_event *e)
{
  return e->kind == REF_READ || e->kind == REF_WRITE;
}

/* Does B, which comes later, follow A directly? */
static bool
follows(const ref_trace *t, size_t a, size_t b)
{
  const ref_event *x = &t->events[a], *y = &t->events[b];
  if (x->thread == y->thread)
    return true;
  if (is_access(x) && is_access(y) && x->target == y->target)
    return x->kind == REF_WRITE || y->kind == REF_WRITE;
  if (x->kind == REF_CREATE && y->kind == REF_START)
    return x->target == y->thread;
  if (x->kind == REF_EXIT && y->kind == REF_JOIN)
    return x->thread == y->target;
  if (y->kind != REF_ACQUIRE || (x->kind != REF_RELEASE && x->kind != REF_REPLACE) || x->target != y->target)
    return false;
  for (size_t i = a + 1; i < b; i++)
    if (t->events[i].kind == REF_REPLACE && t->events[i].target == x->target)
      return false; /* it was stored over */
  return true;
}

void
ref_make_order(ref_order *o, const ref_trace *t)
{
  *o = (ref_order){0};
  for (size_t b = 0; b < t->n; b++)
  {
    o->past[b] = 1u << b;
    for (size_t a = 0; a < b; a++)
      if (follows(t, a, b))
        o->past[b] |= 1u << a;
    o->event[t->events[b].thread][o->count[t->events[b].thread]++] = (uint32_t) b;
  }
  /* Until nothing changes: what comes before something that comes before. */
  for (bool changed = true; changed;)
  {
    changed = false;
    for (size_t c = 0; c < t->n; c++)
      for (size_t b = 0; b < c; b++)
        if ((o->past[c] & 1u << b) && (o->past[b] & ~o->past[c]))
        {
          o->past[c] |= o->past[b];
          changed = true;
        }
  }
}

static bool
is_of_object(const ref_event *e)
{
  return e->kind == REF_RELEASE || e->kind == REF_REPLACE || e->kind == REF_ACQUIRE;
}

/* Can E come next? What happens to one object keeps its order: whoever acquires it must find the same there. */
static bool
is_next(const ref_trace *t, const ref_order *o, size_t e, uint32_t done)
{
  if ((done & 1u << e) || (o->past[e] & ~done) != 1u << e || t->events[e].kind == REF_START)
    return false;
  for (size_t i = 0; i < e && is_of_object(&t->events[e]); i++)
    if (!(done & 1u << i) && is_of_object(&t->events[i]) && t->events[i].target == t->events[e].target)
      return false;
  return true;
}

void
ref_reorder(ref_trace *out, const ref_trace *t, const ref_order *o, uint64_t *seed)
{
  uint32_t done = 0;
  *out = *t;
  out->n = 0;
  while (out->n < t->n)
  {
    size_t e = hd_random(seed) % t->n;
    while (!is_next(t, o, e, done))
      e = (e + 1) % t->n;
    done |= 1u << e;
    out->events[out->n++] = t->events[e];
    if (t->events[e].kind == REF_CREATE)
    {
      /* The start stands right behind it. */
      done |= 1u << (e + 1);
      out->events[out->n++] = t->events[e + 1];
    }
  }
}

/* ---- states ---- */

typedef struct state
{
  const ref_trace *t;
  const ref_order *o;
  uint32_t *who;
} state;

/* What comes before the state of THREAD after K events. */
static uint32_t
past_of(const state *s, uint32_t thread, uint32_t k)
{
  return k ? s->o->past[s->o->event[thread][k - 1]] : 0;
}

/* The latest state of OTHER that is known there. */
static uint32_t
known_state(const state *s, uint32_t thread, uint32_t k, uint32_t other)
{
  uint32_t past = past_of(s, thread, k), m = 0;
  if (other == thread)
    return k;
  for (size_t e = 0; e < s->t->n; e++)
    if ((past & 1u << e) && s->t->events[e].thread == other)
      m++;
  return m;
}

static bool
is_known(const state *s, uint32_t thread, uint32_t k, uint32_t other)
{
  uint32_t past = past_of(s, thread, k);
  for (size_t e = 0; e < s->t->n; e++)
    if ((past & 1u << e)
        && (s->t->events[e].thread == other || (s->t->events[e].kind == REF_CREATE && s->t->events[e].target == other)))
      return true;
  return false;
}

static ref_value
number(int64_t n)
{
  return (ref_value){.number = n};
}

static ref_value
shared_value(const state *s, uint32_t thread, uint32_t k, int x)
{
  uint32_t past = past_of(s, thread, k);
  ref_value v = number(s->t->shared[x]);
  for (size_t e = 0; e < s->t->n; e++)
    if ((past & 1u << e) && s->t->events[e].kind == REF_WRITE && s->t->events[e].target == (uint32_t) x)
      v = s->t->events[e].value;
  return v;
}

static ref_value
local_value(const state *s, uint32_t thread, uint32_t k, uint32_t l)
{
  ref_value v = number(s->t->local[l]);
  for (uint32_t q = 0; q < k; q++)
  {
    const ref_event *e = &s->t->events[s->o->event[thread][q]];
    if (e->kind == REF_INTERNAL && e->target == l)
      v = e->value;
  }
  return v;
}

static bool
is_alive(const state *s, uint32_t thread, uint32_t k)
{
  for (uint32_t q = 0; q < k; q++)
    if (s->t->events[s->o->event[thread][q]].kind == REF_EXIT)
      return false;
  return true;
}

static bool
happens(const state *s, uint32_t thread, uint32_t k, ref_kind kind, int target)
{
  if (k == 0)
    return false;
  const ref_event *e = &s->t->events[s->o->event[thread][k - 1]];
  return e->kind == kind && e->target == (uint32_t) target;
}

static const ref_event *
present(const state *s, uint32_t thread, uint32_t k)
{
  return k ? &s->t->events[s->o->event[thread][k - 1]] : NULL;
}

static bool
overlap(const state *s, int64_t a, int64_t b)
{
  if (a < 0 || b < 0)
    return false;
  return a * 8 < b * 8 + s->t->size[b] && b * 8 < a * 8 + s->t->size[a];
}

/* ---- formulas ---- */

static ref_value judge(const state *s, const ref_node *n, uint32_t thread, uint32_t k);

static bool
holds(const state *s, const ref_node *n, uint32_t thread, uint32_t k)
{
  ref_value v = judge(s, n, thread, k);
  return !v.undefined && v.number;
}

static bool
past_formula(const state *s, const ref_node *n, uint32_t thread, uint32_t k)
{
  switch (n->op)
  {
  case REF_PREV:
    return holds(s, n->a, thread, k ? k - 1 : 0);
  case REF_ONCE:
    for (uint32_t q = 0; q <= k; q++)
      if (holds(s, n->a, thread, q))
        return true;
    return false;
  case REF_ALWAYS:
    for (uint32_t q = 0; q <= k; q++)
      if (!holds(s, n->a, thread, q))
        return false;
    return true;
  default:
    for (uint32_t q = k + 1; q-- > 0;)
    {
      if (holds(s, n->b, thread, q))
        return true;
      if (!holds(s, n->a, thread, q))
        return false;
    }
    return false;
  }
}

static bool
quantified(const state *s, const ref_node *n, uint32_t thread, uint32_t k)
{
  bool all = true, some = false;
  uint32_t before = s->who[n->index];
  for (uint32_t j = 0; j < s->t->nthreads; j++)
    if (is_known(s, thread, k, j) && (n->who < 0 || s->who[n->who] != j))
    {
      s->who[n->index] = j;
      bool b = holds(s, n->a, thread, k);
      all = all && b;
      some = some || b;
    }
  s->who[n->index] = before;
  return n->op == REF_FORALL ? all : some;
}

static bool
compared(ref_op op, int64_t a, int64_t b)
{
  switch (op)
  {
  case REF_EQ:
  case REF_BOOL_EQ:
    return a == b;
  case REF_NE:
  case REF_BOOL_NE:
    return a != b;
  case REF_LT:
    return a < b;
  case REF_LE:
    return a <= b;
  case REF_GT:
    return a > b;
  default:
    return a >= b;
  }
}

static ref_value
calculated(ref_op op, ref_value a, ref_value b)
{
  if (a.undefined || b.undefined || ((op == REF_DIV || op == REF_REM) && b.number == 0))
    return (ref_value){.undefined = true};
  switch (op)
  {
  case REF_ADD:
    return number(a.number + b.number);
  case REF_SUB:
    return number(a.number - b.number);
  case REF_MUL:
    return number(a.number * b.number);
  case REF_DIV:
    return number(a.number / b.number);
  case REF_REM:
    return number(a.number % b.number);
  default:
    return number(-a.number);
  }
}

static ref_value
judge(const state *s, const ref_node *n, uint32_t thread, uint32_t k)
{
  const ref_event *e = present(s, thread, k);
  uint32_t other = n->who >= 100 ? (uint32_t) n->who - 100 : n->who >= 0 ? s->who[n->who] : 0;
  ref_value a, b;
  switch (n->op)
  {
  case REF_TRUE:
  case REF_FALSE:
    return number(n->op == REF_TRUE);
  case REF_NOT:
    return number(!holds(s, n->a, thread, k));
  case REF_AND:
    return number(holds(s, n->a, thread, k) && holds(s, n->b, thread, k));
  case REF_OR:
    return number(holds(s, n->a, thread, k) || holds(s, n->b, thread, k));
  case REF_IMPLIES:
    return number(!holds(s, n->a, thread, k) || holds(s, n->b, thread, k));
  case REF_IFF:
    return number(holds(s, n->a, thread, k) == holds(s, n->b, thread, k));
  case REF_PREV:
  case REF_ONCE:
  case REF_ALWAYS:
  case REF_SINCE:
    return number(past_formula(s, n, thread, k));
  case REF_FORALL:
  case REF_EXISTS:
    return number(quantified(s, n, thread, k));
  case REF_AT_FORMULA:
  case REF_AT_NUMBER:
  case REF_AT_LOC:
    return judge(s, n->a, other, known_state(s, thread, k, other));
  case REF_READS:
    return number(happens(s, thread, k, REF_READ, n->index));
  case REF_WRITES:
    return number(happens(s, thread, k, REF_WRITE, n->index));
  case REF_LOCKS:
    return number(happens(s, thread, k, REF_ACQUIRE, n->index));
  case REF_UNLOCKS:
    return number(happens(s, thread, k, REF_RELEASE, n->index) || happens(s, thread, k, REF_REPLACE, n->index));
  case REF_ENTERS:
    return number(happens(s, thread, k, REF_ENTER, n->index));
  case REF_LIVES:
    return number(is_alive(s, thread, k));
  case REF_LOCAL_BOOL:
    return local_value(s, thread, k, 1);
  case REF_LOCAL_INT:
    return local_value(s, thread, k, 0);
  case REF_SHARED_BOOL:
  case REF_SHARED_INT:
    return shared_value(s, thread, k, n->index);
  case REF_NUMBER:
    return number(n->index);
  case REF_EVENT_OP:
    return number(e && e->kind == REF_READ ? 1 : e && e->kind == REF_WRITE ? 2 : 0);
  case REF_LOC:
    return number(e && is_access(e) ? (int64_t) e->target : -1);
  default:
    break;
  }
  a = judge(s, n->a, thread, k);
  b = n->b ? judge(s, n->b, thread, k) : number(0);
  if (n->op >= REF_ADD && n->op <= REF_NEG)
    return calculated(n->op, a, b);
  if (n->op == REF_LOC_EQ || n->op == REF_LOC_NE)
    return number(overlap(s, a.number, b.number) == (n->op == REF_LOC_EQ));
  return number(!a.undefined && !b.undefined && compared(n->op, a.number, b.number));
}

ref_value
ref_judge(const ref_trace *t, const ref_order *o, const ref_node *formula, uint32_t thread, uint32_t k, uint32_t *who)
{
  state s = {t, o, who};
  return judge(&s, formula, thread, k);
}
