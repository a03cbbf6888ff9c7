/* rt_property_rules.c: what rules and formulas say of functions: calls that begin and end.
 *
 * The functions that are named cut the program's code into pieces. What each piece means is worked out at the start, so
 * that a call costs a search among a few numbers. A function is left when the next event comes at a smaller depth of
 * calls: what the rules say of its end is done before that. */
#include "instrument/rt_property.h"

static bool
lies_in(const hd_rt_area *a, uintptr_t p)
{
  return p >= a->low && p < a->high;
}

static const hd_mttl_rule *
rule_of(const hd_rt_area *a)
{
  return &hd_rt_all.files[a->file].f->rules[a->index];
}

/* ---- pieces of code ---- */

static bool
is_call(const hd_rt_area *a)
{
  hd_mttl_moment moment = rule_of(a)->moment;
  return moment == HD_MTTL_ENTER || moment == HD_MTTL_EXIT;
}

/* That of FILE in the list. */
static hd_rt_order *
order_of(hd_rt_order **list, size_t *n, size_t *cap, uint32_t file)
{
  for (size_t i = 0; i < *n; i++)
    if ((*list)[i].file == file)
      return &(*list)[i];
  HD_PUSH(*list, *n, *cap, (hd_rt_order){.file = file});
  return &(*list)[*n - 1];
}

/* What is named at P. */
static void
find_meaning(hd_rt_meaning *m, uintptr_t p)
{
  size_t entered_cap = 0, enter_cap = 0, leave_cap = 0;
  for (size_t i = 0; i < hd_rt_all.nfunctions; i++)
    if (lies_in(&hd_rt_all.functions[i], p))
      HD_PUSH(m->entered, m->nentered, entered_cap, (uint32_t) i);
  for (size_t i = 0; i < hd_rt_all.nrules; i++)
  {
    const hd_rt_area *a = &hd_rt_all.rules[i];
    if (!is_call(a) || !lies_in(a, p))
      continue;
    const hd_mttl_rule *rule = rule_of(a);
    hd_rt_order *order = rule->moment == HD_MTTL_ENTER ? order_of(&m->enter, &m->nenter, &enter_cap, a->file)
                                                       : order_of(&m->leave, &m->nleave, &leave_cap, a->file);
    HD_PUSH(order->rules, order->nrules, order->rules_cap, rule);
  }
  if (m->nentered || m->nenter > 1 || m->nleave > 1 || (m->nenter && m->nleave && m->enter->file != m->leave->file))
    return;
  m->again.file = m->nenter ? m->enter->file : m->nleave ? m->leave->file : 0;
  for (size_t i = 0; m->nleave && i < m->leave->nrules; i++)
    HD_PUSH(m->again.rules, m->again.nrules, m->again.rules_cap, m->leave->rules[i]);
  for (size_t i = 0; m->nenter && i < m->enter->nrules; i++)
    HD_PUSH(m->again.rules, m->again.nrules, m->again.rules_cap, m->enter->rules[i]);
}

/* There are few, and the C library's may take memory that is the program's. */
static void
sort(uintptr_t *p, size_t n)
{
  for (size_t i = 1; i < n; i++)
  {
    uintptr_t x = p[i];
    size_t at = i;
    for (; at > 0 && p[at - 1] > x; at--)
      p[at] = p[at - 1];
    p[at] = x;
  }
}

void
hd_rt_rules_watch(void)
{
  size_t bounds_cap = 0;
  for (size_t i = 0; i < hd_rt_all.nfunctions; i++)
  {
    HD_PUSH(hd_rt_all.bounds, hd_rt_all.nbounds, bounds_cap, hd_rt_all.functions[i].low);
    HD_PUSH(hd_rt_all.bounds, hd_rt_all.nbounds, bounds_cap, hd_rt_all.functions[i].high);
  }
  for (size_t i = 0; i < hd_rt_all.nrules; i++)
  {
    if (!is_call(&hd_rt_all.rules[i]))
    {
      hd_rt_all.lock_rules = true;
      continue;
    }
    HD_PUSH(hd_rt_all.bounds, hd_rt_all.nbounds, bounds_cap, hd_rt_all.rules[i].low);
    HD_PUSH(hd_rt_all.bounds, hd_rt_all.nbounds, bounds_cap, hd_rt_all.rules[i].high);
  }
  if (hd_rt_all.nbounds == 0)
    return;
  sort(hd_rt_all.bounds, hd_rt_all.nbounds);
  size_t n = 1;
  for (size_t i = 1; i < hd_rt_all.nbounds; i++)
    if (hd_rt_all.bounds[i] != hd_rt_all.bounds[n - 1])
      hd_rt_all.bounds[n++] = hd_rt_all.bounds[i];
  hd_rt_all.nbounds = n;
  hd_rt_all.meanings = hd_alloc_zero(n * sizeof *hd_rt_all.meanings);
  for (size_t i = 0; i + 1 < n; i++)
    find_meaning(&hd_rt_all.meanings[i], hd_rt_all.bounds[i]);
}

/* May P lie in a function that is named? */
static inline bool
is_named(uintptr_t p)
{
  size_t n = hd_rt_all.nbounds;
  return n && p - hd_rt_all.bounds[0] < hd_rt_all.bounds[n - 1] - hd_rt_all.bounds[0];
}

/* Of the code at P; NULL: nothing. */
static inline const hd_rt_meaning *
meaning_of(uintptr_t p)
{
  size_t low = 0, high = hd_rt_all.nbounds;
  if (HD_RT_LIKELY(!is_named(p)))
    return NULL;
  while (high - low > 1)
  {
    size_t middle = (low + high) / 2;
    *(hd_rt_all.bounds[middle] <= p ? &low : &high) = middle;
  }
  const hd_rt_meaning *m = &hd_rt_all.meanings[low];
  return m->nentered + m->nenter + m->nleave ? m : NULL;
}

/* ---- events ---- */

void
hd_rt_follow(hd_mttl_moment moment, uintptr_t p)
{
  for (size_t i = 0; i < hd_rt_all.nrules; i++)
  {
    const hd_rt_area *a = &hd_rt_all.rules[i];
    if (rule_of(a)->moment != moment || !lies_in(a, p))
      continue;
    const hd_mttl_rule *rule = rule_of(a);
    hd_mttl_follow(hd_rt_me->t[a->file], &rule, 1, 0);
  }
}

static inline void
follow_all(const hd_rt_knower *me, const hd_rt_order *orders, size_t n)
{
  for (size_t i = 0; i < n; i++)
    hd_mttl_follow(me->t[orders[i].file], orders[i].rules, orders[i].nrules, 0);
}

void
hd_rt_rules_leave(hd_rt_knower *me, uint32_t depth)
{
  while (me->innermost > depth)
  {
    const hd_rt_meaning *m = me->open[--me->nopen].meaning;
    me->innermost = me->nopen ? me->open[me->nopen - 1].depth : 0;
    follow_all(me, m->leave, m->nleave);
  }
}

/* A function that is named begins. */
static inline void
begin_call(hd_rt_knower *me, const hd_rt_meaning *m, uint32_t depth, uintptr_t pc, uintptr_t from)
{
  for (size_t i = 0; i < m->nentered; i++)
  {
    const hd_rt_area *a = &hd_rt_all.functions[m->entered[i]];
    hd_mttl_event e = HD_MTTL_NO_EVENT;
    e.function = (int32_t) a->index;
    hd_mttl_local(me->t[a->file], &e);
    hd_rt_all.entered[m->entered[i]] = true;
  }
  if (m->nenter + m->nleave == 0)
    return;
  if (HD_RT_LIKELY(me->nopen < HD_RT_OPEN))
  {
    me->open[me->nopen++] = (hd_rt_open){depth, m, pc, from, 0};
    me->innermost = depth;
  }
  else
    hd_rt_all.too_deep = true;
  follow_all(me, m->enter, m->nenter);
}

void
hd_rt_rules_enter(uintptr_t pc, uintptr_t from)
{
  hd_rt_knower *me = hd_rt_me;
  if (HD_RT_UNLIKELY(!me))
    return;
  uint32_t depth = hd_rt_client_depth();
  const hd_rt_meaning *m = meaning_of(pc);
  bool leaves = me->innermost >= depth;
  if (!m && !leaves)
    return;
  hd_rt_event_begin(pc);
  if (leaves)
    hd_rt_rules_leave(me, depth - 1);
  if (m)
    begin_call(me, m, depth, pc, from);
  hd_rt_event_end();
}

/* Is the function that was entered at PC the one whose call was the last to begin, which has ended then? Of a swift
 * thread, which has nothing else to catch up with. */
static inline hd_rt_open *
called_again(hd_rt_knower *me, uint32_t depth, uintptr_t pc)
{
  if (HD_RT_UNLIKELY(!hd_rt_here.swift || me->innermost != depth))
    return NULL;
  hd_rt_open *last = &me->open[me->nopen - 1];
  return HD_RT_LIKELY(last->pc == pc && last->meaning->again.nrules) ? last : NULL;
}

/* Then it begins again, called at FROM: as in a loop. Had another one begun meanwhile that it lies in, that would have
 * been the end of it: so if it is called at the same place, the whole stack is the same. */
static void
call_again(hd_rt_knower *me, hd_rt_open *last, uintptr_t from)
{
  const hd_rt_order *again = &last->meaning->again;
  hd_mttl_thread *t = me->t[again->file];
  me->pc = last->pc;
  last->place = hd_mttl_follow(t, again->rules, again->nrules, last->from == from ? last->place : 0);
  last->from = from;
  if (HD_RT_UNLIKELY(!hd_mttl_is_idle_at_once(t)))
    hd_rt_event_end();
}

/* Any call, or one that is not over as soon. */
static __attribute__((noinline)) void
call_otherwise(hd_rt_knower *me, uint32_t depth, const hd_rt_frame *f)
{
  hd_rt_enter();
  hd_rt_open *last = called_again(me, depth, hd_rt_client_entered(f));
  if (HD_RT_LIKELY(last != NULL))
    call_again(me, last, f->pc);
  hd_rt_leave();
  if (HD_RT_UNLIKELY(!last))
    hd_rt_client_call();
}

/* What is mostly so is found here: a function of which nothing is said, or one that is called again where it was. */
void
hd_rt_rules_call(void)
{
  hd_rt_knower *me = hd_rt_me;
  uint32_t depth = hd_rt_client_depth();
  const hd_rt_frame *f = &hd_rt_here.frames[depth];
  uintptr_t pc = hd_rt_client_entered(f);
  if (HD_RT_LIKELY(hd_rt_here.swift) && me->innermost < depth && !is_named(pc))
    return;
  hd_rt_enter(); /* before what a signal's handler may change is looked at */
  const hd_rt_open *last = called_again(me, depth, pc);
  bool done = HD_RT_LIKELY(last != NULL) && HD_RT_LIKELY(last->from == f->pc)
              && hd_mttl_follow_again(me->t[last->meaning->again.file], last->meaning->again.rules, last->place);
  if (HD_RT_LIKELY(done))
    me->pc = pc;
  hd_rt_leave();
  if (HD_RT_UNLIKELY(!done))
    call_otherwise(me, depth, f);
}
