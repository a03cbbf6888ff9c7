/* internal.c: internal events: a variable of a thread gets a value, by a rule or because the program says so.
 *
 * There are many of them, in programs that mark where something begins and ends. Mostly there is a plan (program.c),
 * and then all that happens is in set(). */
#include <string.h>

#include "mttl/monitor.h"

/* Values here are in two halves, which go through registers (hd_mttl_put). */
typedef struct halves
{
  uint64_t head; /* type and size */
  int64_t number;
} halves;

static inline halves
load(const hd_mttl_value *v)
{
  halves h = {.number = v->number};
  memcpy(&h.head, v, sizeof h.head);
  return h;
}

static inline void
store(hd_mttl_value *v, halves h)
{
  memcpy(v, &h.head, sizeof h.head);
  v->number = h.number;
}

static inline hd_mttl_value
whole(halves h)
{
  hd_mttl_value v;
  store(&v, h);
  return v;
}

static inline halves
of_type(hd_mttl_type type, int64_t number)
{
  return load(&(hd_mttl_value){.type = type, .number = number});
}

/* The present event of T, of which formulas see nothing, sets VARIABLE to VALUE. */
static inline void
internal_event(hd_mttl_thread *t, uint32_t variable, halves value)
{
  hd_mttl_event *e = &t->event;
  store(&e->value, value);
  if (t->internal && e->set == (int32_t) variable)
    return;
  e->set = (int32_t) variable;
  e->op = HD_MTTL_NONE;
  e->loc = 0;
  e->size = 0;
  e->variable = e->lock = e->function = -1;
  e->taken = false;
  e->doing = NULL;
  t->internal = t->unseen = true;
}

/* The whole of it. SAME: formulas see no difference in the value. */
static __attribute__((noinline)) void
set_by_step(hd_mttl_thread *t, uint32_t variable, halves value, bool same)
{
  t->changed |= (same ? 0 : HD_MTTL_CHANGED_LOCAL(variable)) | (t->unseen ? 0 : HD_MTTL_CHANGED_EVENT);
  t->changed |= t->renew ? HD_MTTL_CHANGED_ITEMS : 0; /* a plan has begun */
  hd_mttl_leave_event(t);
  internal_event(t, variable, value);
  hd_mttl_step(t);
  hd_mttl_judged(t);
}

/* Is all true with NUMBER, which PLAN's variable is now and the copies have? */
static inline bool
is_fine(const hd_mttl_thread *t, hd_mttl_plan *plan, uint32_t variable, int64_t number)
{
  const hd_mttl_range *r = plan->ranges;
  bool known = (number >= r[0].low && number <= r[0].high) || (number >= r[1].low && number <= r[1].high);
  return __builtin_expect(known, 1) || hd_mttl_plan_run(t, plan, variable);
}

/* The same in all cases. */
static __attribute__((noinline)) void
set_otherwise(hd_mttl_thread *t, uint32_t variable, halves value)
{
  hd_mttl_plan *plan = &t->plans[variable];
  hd_mttl_value *local = &t->locals[variable];
  bool idle = hd_mttl_is_idle(t), same = plan->unused || hd_mttl_same(*local, whole(value));
  store(local, value);
  if (local->type != plan->type)
    plan->swift = 0;
  if (idle && same)
    return;
  if (plan->made != t->planned && t->unchanged > 1)
    hd_mttl_plan_make(t, variable);
  if (idle && plan->made == t->planned && plan->possible)
  {
    t->renew = plan->ncopies > 0;
    for (uint32_t i = 0; i < plan->ncopies; i++)
      store(plan->copies[i], value);
    if (hd_mttl_plan_run(t, plan, variable))
    {
      if (!t->renew)
        hd_mttl_leave_event(t);
      internal_event(t, variable, value);
      if (t->renew)
        hd_mttl_note_origin(t);
      return;
    }
  }
  set_by_step(t, variable, value, same);
}

/* VARIABLE gets VALUE. What is mostly so is done here. */
static inline __attribute__((always_inline)) void
set(hd_mttl_thread *t, uint32_t variable, halves value)
{
  hd_mttl_plan *plan = &t->plans[variable];
  hd_mttl_value *local = &t->locals[variable];
  halves was = load(local);
  bool usual = t->front.idle && was.head == value.head && (plan->unused || plan->swift == t->planned);
  if (__builtin_expect(!usual, 0))
  {
    set_otherwise(t, variable, value);
    return;
  }
  local->number = value.number;
  if (plan->unused || was.number == value.number)
    return;
  for (uint32_t i = 0; i < plan->ncopies; i++)
    plan->copies[i]->number = value.number;
  t->renew = true;
  if (__builtin_expect(!is_fine(t, plan, variable, value.number), 0))
  {
    set_by_step(t, variable, value, false);
    return;
  }
  internal_event(t, variable, value);
  hd_mttl_note_origin(t);
}

void
hd_mttl_internal(hd_mttl_thread *t, uint32_t variable, hd_mttl_value value)
{
  set(t, variable, load(&value));
  hd_mttl_settle(t);
}

static __attribute__((noinline)) halves
compute(hd_mttl_thread *t, const hd_mttl_node *n)
{
  memset(t->slots, 0, sizeof t->slots);
  hd_mttl_value value = hd_mttl_evaluate(t->m, t, n, t->slots);
  return load(&value);
}

/* What RULE sets its variable to. */
static inline halves
value_of(hd_mttl_thread *t, const hd_mttl_rule *rule)
{
  halves integer = of_type(HD_MTTL_INT, 0), from;
  switch (rule->how)
  {
  case HD_MTTL_SET_CONSTANT:
    return load(&rule->constant);
  case HD_MTTL_SET_COPY:
    return load(&t->locals[rule->from]);
  case HD_MTTL_SET_SUM:
    from = load(&t->locals[rule->from]);
    if (from.head == integer.head && !__builtin_add_overflow(from.number, rule->constant.number, &from.number))
      return from;
    break;
  case HD_MTTL_SET_COMPUTED:
    break;
  }
  return compute(t, rule->value);
}

void
hd_mttl_follow(hd_mttl_thread *t, const hd_mttl_rule *const *rules, size_t n)
{
  for (size_t i = 0; i < n; i++)
    set(t, rules[i]->variable, value_of(t, rules[i]));
}

uint64_t
hd_mttl_followed(hd_mttl_thread *t, uint64_t place)
{
  const hd_mttl_variant *v = &t->variants[place % HD_MTTL_VARIANTS];
  if (!t->unplaced)
    return place;
  if (place && v->place == place && t->at_present && hd_mttl_variant_fits(t, v, &t->event))
  {
    hd_mttl_pack_light(t, v, t->event.value.number);
    return place;
  }
  hd_mttl_settle_all(t);
  return t->place;
}
