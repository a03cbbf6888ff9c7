/* oracle.c: the brute-force decision. Slow on purpose; written from the definitions, shares nothing with src/refine.
 *
 * Time is cut into slots by boundaries. By stamps the boundaries are the ticks and the slots the gaps: a look of n lies
 * in gap n, tick k between gap k and gap k+1. By real time every record is a boundary. An operation is one of
 *   exact:  takes effect at a boundary, its commit;
 *   span:   takes effect in a slot of its choice, from the begin of its window (or its unannotated call) to the end;
 *           one that never ended may take effect at any later place or not at all;
 *   looker: an observer or a mutator that returned uncommitted: some state between call and return allows its return
 *           without a change;
 *   free:   pending without a constraint.
 * The search walks the slots, tries every order of spans in every slot, and remembers the furthest slot that any
 * attempt reached: that is where the shortest unexplainable prefix ends. Visited nodes are remembered, nothing else is
 * clever. */
#include "oracle_private.h"

#include <stdlib.h>

static bool explore(search *s, uint32_t slot, model_state state, uint32_t placed, uint32_t satisfied);

static bool
fail(search *s, uint32_t slot, unsigned reason, uint32_t blamed, bool at_end)
{
  if (slot < s->furthest)
    return false;
  if (slot > s->furthest || !s->reasons)
  {
    s->reasons = 0;
    s->blamed = 0;
    s->at_end = true;
  }
  s->furthest = slot;
  s->reasons |= reason;
  s->blamed |= blamed;
  s->at_end = s->at_end && at_end;
  return false;
}

/* The returns that an operation may have: the one in the log, or any that the specification offers. */
static size_t
candidates(const search *s, unsigned o, const model_state *state, model_return *out)
{
  const parsed_op *op = &s->p.op[o];
  if (op->has_ret)
  {
    out[0] = op->ret;
    return 1;
  }
  if (s->at[o].unknown)
    return 0;
  hd_value values[MODEL_OUTCOMES];
  size_t n = s->p.log->model->outcomes(state, op->method, op->args, values);
  for (size_t i = 0; i < n; i++)
    out[i] = (model_return){values[i], false};
  return n;
}

/* Was this node explored before? Remembers it. */
static bool
seen(search *s, uint32_t slot, const model_state *state, uint32_t placed, uint32_t satisfied)
{
  visited v = {.run = s->run, .state = *state, .slot = slot, .placed = placed, .satisfied = satisfied};
  if (s->p.log->views && !oracle_replica(s, slot, false, &v.replica))
    return false; /* fails at the next boundary; not worth remembering */
  uint64_t h = hd_mix(slot * 0x9e3779b97f4a7c15ull + placed);
  h = hd_mix(h ^ satisfied);
  for (unsigned i = 0; i < sizeof *state; i++)
    h = (h ^ ((const uint8_t *) state)[i]) * 0x100000001b3ull;
  for (unsigned i = 0; i < s->p.log->model->nvars; i++)
    h = (h ^ (uint8_t) v.replica.var[i]) * 0x100000001b3ull;
  h = hd_mix(h);
  for (uint32_t i = (uint32_t) h;; i++)
  {
    visited *e = &s->table[i & (TABLE - 1)];
    if (e->run != s->run)
    {
      HD_CHECK(++s->used < TABLE - 1);
      *e = v;
      return false;
    }
    if (e->slot == v.slot && e->placed == v.placed && e->satisfied == v.satisfied
        && memcmp(&e->state, &v.state, sizeof v.state) == 0 && memcmp(&e->replica, &v.replica, sizeof v.replica) == 0)
      return true;
  }
}

/* The tick (or record) that ends SLOT has done its work on STATE; judge the replica there and go on. */
static bool
pass(search *s, uint32_t slot, model_state state, uint32_t placed, uint32_t satisfied)
{
  bool judge_writes = s->p.log->views && s->p.old_values && slot < s->views_until;
  if (s->compare[slot] || judge_writes)
  {
    model_replica r;
    if (!oracle_replica(s, slot, true, &r))
      return fail(s, slot, REASON_OLD_VALUE, 0, false);
    if (s->compare[slot] && !oracle_views_agree(s, &state, &r))
      return fail(s, slot, REASON_VIEW, 0, false);
  }
  return explore(s, slot + 1, state, placed, satisfied);
}

static bool
finish(search *s, uint32_t slot, const model_state *state)
{
  model_replica r;
  if (!s->compare_end)
    return true;
  if (!oracle_replica(s, slot, true, &r))
    return fail(s, slot, REASON_OLD_VALUE, 0, true);
  if (!oracle_views_agree(s, state, &r))
    return fail(s, slot, REASON_VIEW, 0, true);
  return true;
}

/* End SLOT in this state: everything that had to happen in it has happened, and its boundary is passed. */
static bool
close_slot(search *s, uint32_t slot, model_state state, uint32_t placed, uint32_t satisfied)
{
  uint32_t late = 0;
  unsigned reason = 0;
  if (s->missing && slot + 1 == s->nslots)
    return true; /* the tick that ends this gap is not known */
  for (unsigned o = 0; o < s->p.nops; o++)
  {
    const interval *at = &s->at[o];
    if (at->form == LOOKER && at->last == slot && !(satisfied & 1u << o))
    {
      late |= 1u << o;
      reason |= REASON_OBSERVER;
    }
    if (at->form == SPAN && at->required && at->last == slot && !(placed & 1u << o))
    {
      late |= 1u << o;
      reason |= REASON_ORDER;
    }
  }
  if (late)
    return fail(s, slot, reason, late, false);
  if (slot + 1 == s->nslots)
    return finish(s, slot, &state);
  int o = s->p.op_of[s->boundary[slot]];
  if (o < 0 || s->at[o].form != EXACT || s->p.op[o].commit != s->boundary[slot])
    return pass(s, slot, state, placed, satisfied);
  if (s->at[o].unknown)
  {
    s->stopped = true;
    return true;
  }
  model_return ret[MODEL_OUTCOMES];
  size_t n = candidates(s, (unsigned) o, &state, ret);
  bool accepted = false;
  for (size_t i = 0; i < n; i++)
  {
    model_state next = state;
    if (s->p.log->model->apply(&next, s->p.op[o].method, s->p.op[o].args, ret[i]) == HD_REJECT)
      continue;
    accepted = true;
    if (pass(s, slot, next, placed, satisfied))
      return true;
  }
  return accepted ? false : fail(s, slot, REASON_COMMIT, 1u << o, false);
}

static bool
explore(search *s, uint32_t slot, model_state state, uint32_t placed, uint32_t satisfied)
{
  const model *m = s->p.log->model;
  if (seen(s, slot, &state, placed, satisfied))
    return false;
  for (unsigned o = 0; o < s->p.nops; o++)
  {
    const interval *at = &s->at[o];
    if (at->form == LOOKER && at->first <= slot && slot <= at->last && !(satisfied & 1u << o)
        && model_same(m, &state, s->p.op[o].method, s->p.op[o].args, s->p.op[o].ret))
      satisfied |= 1u << o;
    if (at->form == SPAN && at->required && at->unknown && at->first <= slot)
    {
      s->stopped = true;
      return true;
    }
  }
  if (close_slot(s, slot, state, placed, satisfied))
    return true;
  for (unsigned o = 0; o < s->p.nops; o++)
  {
    const interval *at = &s->at[o];
    if (at->form != SPAN || slot < at->first || slot > at->last || placed & 1u << o)
      continue;
    model_return ret[MODEL_OUTCOMES];
    size_t n = candidates(s, o, &state, ret);
    for (size_t i = 0; i < n; i++)
    {
      model_state next = state;
      hd_step step = m->apply(&next, s->p.op[o].method, s->p.op[o].args, ret[i]);
      if (step == HD_REJECT)
        continue;
      s->path_op[s->npath] = (uint8_t) o;
      s->path_slot[s->npath++] = slot;
      bool found = explore(s, slot, next, placed | 1u << o, satisfied);
      s->npath--;
      if (found)
        return true;
    }
  }
  return false;
}

static void
count(const search *s, oracle_answer *a)
{
  for (unsigned o = 0; o < s->p.nops; o++)
  {
    a->nops += !s->p.op[o].internal;
    a->nspans += s->at[o].form == SPAN;
    a->nlookers += s->at[o].form == LOOKER;
    a->npending += s->p.op[o].end < 0 && !s->p.op[o].internal;
    a->busy_end = a->busy_end || s->p.op[o].end < 0;
  }
  for (uint32_t k = 0; k + 1 < s->nslots; k++)
    a->compared += s->compare[k];
  a->compared += s->compare_end;
}

static bool
run(search *s)
{
  s->run++;
  s->used = 0;
  s->npath = 0;
  s->stopped = false;
  s->furthest = 0;
  s->reasons = s->blamed = 0;
  s->at_end = false;
  return explore(s, 0, (model_state){0, {0}}, 0, 0);
}

oracle_answer
oracle_judge(const trace *t, oracle_time time)
{
  static search *s; /* large; zeroed once, told apart by RUN */
  if (!s)
    s = hd_alloc_zero(sizeof *s);
  s->time = time;
  s->lenient = false;
  oracle_parse(&s->p, t);
  oracle_find_boundaries(s);
  oracle_find_intervals(s);
  oracle_find_comparisons(s);
  bool explained = run(s);

  oracle_answer a = {.first_blamed = -1, .views_cut = s->views_until != UINT32_MAX};
  count(s, &a);
  a.violated = !explained && s->furthest < s->unknown_from;
  a.incomplete = explained ? s->stopped || s->missing : !a.violated;
  if (!explained)
  {
    a.reasons = s->reasons;
    a.gap = s->furthest;
    a.at_end = s->at_end;
    a.blamed = s->blamed;
    if (a.blamed && (a.blamed & (a.blamed - 1)) == 0 && (a.reasons & (a.reasons - 1)) == 0)
      a.first_blamed = s->p.op[__builtin_ctz(a.blamed)].call;
  }
  if (!explained && s->p.old_values && s->windows)
  {
    a.place_open = true;
    s->lenient = true;
    a.unsure = run(s);
  }
  if (t->views && oracle_overlap(&s->p, false))
  {
    bool certain = !s->missing && oracle_overlap(&s->p, true);
    a.unsure = !certain && (a.unsure || explained);
    a.violated = true;
    a.reasons |= REASON_OVERLAP;
  }
  if (s->p.misused)
  {
    a.violated = true;
    a.reasons |= REASON_ANNOTATION;
  }
  a.incomplete = a.incomplete && !a.violated;
  return a;
}
