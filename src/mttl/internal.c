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
        hd_mttl_note_origin(t, 1);
      return;
    }
  }
  set_by_step(t, variable, value, same);
}

/* Sets in a row, each an event of its own that is judged, of which only the last one leaves a trace: EVENT and the
 * origin of what is passed on are those of the last one. */
typedef struct row
{
  uint64_t n; /* of those that changed what is passed on */
  uint32_t variable;
  halves value;
} row;

/* VARIABLE gets VALUE, at the end of ROW. False: that must end, and this be done otherwise. What is mostly so. */
static inline bool
set_next(hd_mttl_thread *t, uint32_t variable, halves value, row *row)
{
  hd_mttl_plan *plan = &t->plans[variable];
  hd_mttl_value *local = &t->locals[variable];
  halves was = load(local);
  if (__builtin_expect(was.head != value.head, 0))
    return false;
  if (plan->unused)
  {
    local->number = value.number;
    return true;
  }
  const hd_mttl_range *r = plan->ranges;
  bool fine = (value.number >= r[0].low && value.number <= r[0].high)
              || (value.number >= r[1].low && value.number <= r[1].high);
  if (was.number == value.number)
    return true;
  if (__builtin_expect(plan->swift != t->planned || !fine, 0))
    return false;
  local->number = value.number;
  for (uint32_t i = 0; i < plan->ncopies; i++)
    plan->copies[i]->number = value.number;
  row->n++;
  row->variable = variable;
  row->value = value;
  return true;
}

static inline void
end_row(hd_mttl_thread *t, const row *row)
{
  if (row->n == 0)
    return;
  internal_event(t, row->variable, row->value);
  hd_mttl_note_origin(t, row->n);
}

/* T, of which others were told all, sets the VARIABLE of a variant at the PLACE of that. False: nothing was done. Its
 * present event stays another one, of which formulas see as little. */
static inline bool
set_at(hd_mttl_thread *t, uint32_t variable, halves value, uint64_t place)
{
  const hd_mttl_variant *v = &t->variants[place % HD_MTTL_VARIANTS];
  row row = {0};
  if (!place || v->place != place || v->era != t->era || t->m->nsources != 1 || !t->front.idle || !t->front.ready
      || t->front.routine.rules || !set_next(t, variable, value, &row))
    return false;
  if (row.n == 0)
    return true; /* it was that already, or formulas do not ask for it */
  t->light = true;
  t->c++;
  t->clock++;
  hd_mttl_repack_as(t, v->k, t->c, value.number);
  return true;
}

/* What T would pass on is settled, and no variant. If that happens again before it learns anything, it will happen
 * often, and others need never be told of it: it becomes one where that costs no other its place. */
static __attribute__((noinline)) void
make_variant(hd_mttl_thread *t)
{
  if (t->missed == t->era && t->variants[(t->nplaces + 1) % HD_MTTL_VARIANTS].era != t->era)
    hd_mttl_pack(t);
  t->missed = t->era;
}

/* The same in all cases. */
static __attribute__((noinline)) uint64_t
set_anywhere(hd_mttl_thread *t, uint32_t variable, hd_mttl_value value, uint64_t place)
{
  row row = {0};
  hd_mttl_routine_leave(t);
  if (t->front.idle && set_next(t, variable, load(&value), &row))
    end_row(t, &row);
  else
    set_otherwise(t, variable, load(&value));
  if (!t->unplaced)
    return place;
  hd_mttl_settle_all(t);
  if (!t->place)
    make_variant(t);
  return t->place;
}

uint64_t
hd_mttl_internal_again(hd_mttl_thread *t, uint32_t variable, hd_mttl_value value, uint64_t place)
{
  if (__builtin_expect(set_at(t, variable, load(&value), place), 1))
    return place;
  return set_anywhere(t, variable, value, place);
}

void
hd_mttl_internal(hd_mttl_thread *t, uint32_t variable, hd_mttl_value value)
{
  set_anywhere(t, variable, value, 0);
}

static __attribute__((noinline)) halves
compute(hd_mttl_thread *t, const hd_mttl_node *n)
{
  memset(t->slots, 0, sizeof t->slots);
  hd_mttl_value value = hd_mttl_evaluate(t->m, t, n, t->slots);
  return load(&value);
}

/* What RULE sets its variable to, if that is simple. */
static inline bool
is_simple(const hd_mttl_thread *t, const hd_mttl_rule *rule, halves *value)
{
  if (rule->how == HD_MTTL_SET_CONSTANT)
  {
    *value = load(&rule->constant);
    return true;
  }
  *value = load(&t->locals[rule->from]);
  if (rule->how == HD_MTTL_SET_COPY)
    return true;
  return rule->how == HD_MTTL_SET_SUM && value->head == of_type(HD_MTTL_INT, 0).head
         && !__builtin_add_overflow(value->number, rule->constant.number, &value->number);
}

static halves
value_of(hd_mttl_thread *t, const hd_mttl_rule *rule)
{
  halves value;
  return is_simple(t, rule, &value) ? value : compute(t, rule->value);
}

/* The same in all cases. */
static __attribute__((noinline)) uint64_t
follow_otherwise(hd_mttl_thread *t, const hd_mttl_rule *const *rules, size_t n, uint64_t place)
{
  for (size_t i = 0; i < n; i++)
  {
    row row = {0};
    halves value = value_of(t, rules[i]);
    if (t->front.idle && set_next(t, rules[i]->variable, value, &row))
      end_row(t, &row);
    else
      set_otherwise(t, rules[i]->variable, value);
  }
  const hd_mttl_variant *v = &t->variants[place % HD_MTTL_VARIANTS];
  if (!t->unplaced)
    return place;
  if (place && v->place == place && hd_mttl_variant_fits(t, v, &t->event) && t->at_present)
  {
    hd_mttl_pack_light(t, v, t->event.value.number);
    return place;
  }
  hd_mttl_settle_all(t);
  return t->place;
}

/* What is mostly so needs no other function. */
uint64_t
hd_mttl_follow(hd_mttl_thread *t, const hd_mttl_rule *const *rules, size_t n, uint64_t place)
{
  row row = {0};
  const hd_mttl_rule *const *rule = rules, *const *end = rules + n;
  halves value;
  hd_mttl_routine_leave(t);
  if (!t->front.idle)
    return follow_otherwise(t, rules, n, place);
  for (; rule < end; rule++)
    if (!is_simple(t, *rule, &value) || !set_next(t, (*rule)->variable, value, &row))
      break;
  end_row(t, &row);
  const hd_mttl_variant *v = &t->variants[place % HD_MTTL_VARIANTS];
  if (__builtin_expect(rule < end || !row.n || v->place != place || !place || t->m->nsources != 1
                           || !hd_mttl_variant_fits(t, v, &t->event) || v->k != t->front.parcel.knowledge,
                       0))
    return follow_otherwise(t, rule, (size_t) (end - rule), place);
  hd_mttl_pack_light(t, v, row.value.number);
  hd_mttl_routine_enter(t, v, rules, n);
  return place;
}
