/* search.c: the search over configurations, just in time (docs/linear.md 6).
 *
 * A configuration is a state and the status of each open operation. Nothing is placed before it must be: at the end of
 * an operation the configurations that have it placed go on; from the others chains of open operations are tried that
 * end with it. The rules that keep the number of configurations small without losing an order are switched by bits of
 * enum hd_linear_rules; search_slots.c prepares what they need to know of each operation. */
#include "linear/search_slots.h"

#include <stdlib.h>
#include <string.h>

typedef struct search
{
  const linear_part *part;
  const linear_limits *limits;
  linear_found *found;
  linear_pool pool;
  linear_slots slots;
  linear_configs now, kept, work;
  uint64_t *chain;           /* slots that a chain may place */
  bool flash;                /* the flash rule holds in this chain */
  const uint64_t *unobliged; /* slots of operations that never have to be placed; none of them without dominance */
  bool unsure;       /* an operation that never returned could not be tried: it may explain what nothing else does */
  uint64_t reported; /* applications that were taken from the common budget */
} search;

static bool
rule(const search *s, uint32_t bit)
{
  return (s->limits->rules & bit) != 0;
}

/* ---- limits ---- */

static bool
stopped(search *s)
{
  if (s->found->stopped)
    return true;
  if (s->limits->cancel && __atomic_load_n(s->limits->cancel, __ATOMIC_RELAXED))
    s->found->stopped = "a limit was reached";
  return s->found->stopped != NULL;
}

/* Now and then: take the applications from the budget that all parts share. */
static void
account(search *s)
{
  uint64_t used = s->found->applications - s->reported;
  s->reported = s->found->applications;
  if (!s->limits->steps)
    return;
  uint64_t left = __atomic_load_n(s->limits->steps, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(s->limits->steps, &left, left > used ? left - used : 0, true, __ATOMIC_RELAXED,
                                      __ATOMIC_RELAXED))
    ;
  if (left <= used)
    s->found->stopped = "the budget of steps is used up";
}

enum
{
  ACCOUNT_EVERY = 1024, /* applications */
};

static void
count_application(search *s)
{
  if (++s->found->applications - s->reported >= ACCOUNT_EVERY)
  {
    account(s);
    stopped(s);
  }
}

/* ---- asking the specification ---- */

static bool
accepts_unchanged(search *s, const void *state, const hd_linear_op *o)
{
  const hd_spec *spec = s->part->spec;
  hd_op view = linear_view(o);
  count_application(s);
  if (spec->test)
    return spec->test(state, &view) == HD_SAME;
  if (spec->methods[o->method].role == HD_OBSERVER)
    return spec->apply((void *) (uintptr_t) state, &view, NULL) == HD_SAME;
  void *copy = spec->copy(state);
  hd_step step = spec->apply(copy, &view, NULL);
  spec->destroy(copy);
  return step == HD_SAME;
}

enum
{
  MAX_OUTCOMES = 64,
};

/* What O may return in STATE. */
static size_t
returns(search *s, const void *state, const hd_linear_op *o, hd_value *out)
{
  if (!o->pending && !o->any_ret)
  {
    out[0] = o->ret;
    return 1;
  }
  switch (s->part->spec->methods[o->method].ret)
  {
  case 'n':
    out[0] = hd_nil();
    return 1;
  case 'b':
    out[0] = hd_bool(false);
    out[1] = hd_bool(true);
    return 2;
  default:
    break;
  }
  hd_op view = linear_view(o);
  size_t n = s->part->spec->outcomes(state, &view, out, MAX_OUTCOMES);
  if (n <= MAX_OUTCOMES)
    return n;
  s->found->stopped = "an operation that never returned has too many possible return values";
  return 0;
}

/* ---- looks ---- */

/* Place the looks among MASK that the state of C accepts. True: there was one. */
static bool
mark(search *s, linear_config *c, const uint64_t *mask)
{
  bool any = false;
  uint64_t *placed = config_placed(c);
  for (size_t w = 0; w < s->pool.words; w++)
    for (uint64_t rest = mask[w] & s->slots.looks[w] & ~placed[w]; rest; rest &= rest - 1)
    {
      uint32_t slot = (uint32_t) (w * 64) + (uint32_t) __builtin_ctzll(rest);
      if (!accepts_unchanged(s, c->state->s, part_op(s->part, s->slots.op[slot])))
        continue;
      bit_set(placed, slot);
      any = true;
    }
  return any;
}

/* ---- chains ---- */

static bool
watched(const search *s, uint32_t op)
{
  return HD_UNLIKELY(s->limits->watcher != NULL) && s->limits->watcher->op == op;
}

static bool
is_lost(const search *s, const linear_config *c)
{
  return s->part->lost && rule(s, HD_LINEAR_ABSORPTION) && s->part->lost(c->state->s);
}

/* The state of C is lost, and nobody can tell which total operations made it so: they may have happened, or may yet
 * happen after something blind has come. That is true of SLOT, too, which was placed last, unless it must be. */
static void
lose(search *s, linear_config *c, uint32_t slot, uint32_t end)
{
  uint64_t *placed = config_placed(c), *optional = config_optional(&s->pool, c);
  if (slot != end && bit_get(s->slots.total, slot) && !bit_get(s->slots.blind, slot))
    bit_clear(placed, slot);
  for (size_t w = 0; w < s->pool.words; w++)
    optional[w] |= s->slots.total[w] & ~placed[w];
  c->flash = false;
}

/* C with the operation of SLOT placed, in STATE_TAKEN. END: the slot with which the chain ends. */
static void
step_to(search *s, const linear_config *c, uint32_t slot, uint32_t end, linear_state *state_taken)
{
  linear_config *next = hd_linear_config_new(&s->pool, state_taken, c->bits);
  uint64_t *placed = config_placed(next), *optional = config_optional(&s->pool, next);
  const linear_slots *t = &s->slots;
  size_t words = s->pool.words;
  bool blind = bit_get(t->blind, slot), unobliged = bit_get(optional, slot);
  bit_set(placed, slot);
  bit_clear(optional, slot);
  if (blind && rule(s, HD_LINEAR_ABSORPTION))
    for (size_t w = 0; w < words; w++)
      optional[w] |= t->hides[slot * words + w] & ~placed[w];
  bool seen
      = state_taken != c->state && mark(s, next, rule(s, HD_LINEAR_COMPONENTS) ? t->touches + slot * words : t->looks);
  next->flash = s->flash && (bit_get(t->total, slot) || unobliged) && slot != end && !seen;
  if (is_lost(s, next))
    lose(s, next, slot, end);
  if (bit_get(placed, end))
    HD_PUSH(s->kept.list, s->kept.n, s->kept.cap, next);
  else if (hd_linear_table_add(&s->pool, next, s->unobliged))
    HD_PUSH(s->work.list, s->work.n, s->work.cap, next);
  else
    hd_linear_config_free(&s->pool, next);
}

/* The state that VIEW leads to from ST, NULL: it is rejected. */
static HD_GIVE linear_state *
successor(search *s, linear_state *st, const hd_op *view)
{
  const hd_spec *spec = s->part->spec;
  /* Cheaper than a copy that is thrown away. */
  hd_step step = spec->test ? spec->test(st->s, view) : HD_CHANGED;
  if (step == HD_CHANGED)
  {
    void *copy = spec->copy(st->s);
    step = spec->apply(copy, view, NULL);
    if (step == HD_CHANGED)
      return hd_linear_state_new(&s->pool, copy);
    spec->destroy(copy);
  }
  if (step == HD_REJECT)
    return NULL;
  st->refs++;
  return st;
}

static void
place(search *s, const linear_config *c, uint32_t slot, uint32_t end)
{
  const hd_linear_op *o = part_op(s->part, s->slots.op[slot]);
  hd_value possible[MAX_OUTCOMES];
  size_t n = returns(s, c->state->s, o, possible);
  hd_op view = linear_view(o);
  for (size_t i = 0; i < n && !s->found->stopped; i++)
  {
    view.ret = possible[i];
    count_application(s);
    linear_state *next = successor(s, c->state, &view);
    if (!next)
      continue;
    if (watched(s, s->slots.op[slot]))
      s->limits->watcher->returned(s->limits->watcher, possible[i]);
    step_to(s, c, slot, end, next);
  }
}

/* May SLOT be placed in C? Of equal operations the one that ends first goes first; after a blind write that nobody saw
 * comes something that depends on the state. */
static bool
may_place(const search *s, linear_config *c, uint32_t slot, uint32_t end)
{
  bool blind = bit_get(s->slots.blind, slot);
  if ((c->flash && blind) || (!blind && slot != end && is_lost(s, c)))
    return false;
  size_t words = s->pool.words;
  const uint64_t *placed = config_placed(c);
  for (size_t w = 0; w < words; w++)
    if (s->slots.before[slot * words + w] & ~placed[w])
      return false;
  return true;
}

/* All chains from the configurations in WORK that end with END; what they lead to is in KEPT. */
static void
follow_chains(search *s, uint32_t end)
{
  for (size_t i = 0; i < s->work.n && !s->found->stopped; i++)
  {
    linear_config *c = s->work.list[i];
    for (size_t w = 0; w < s->pool.words; w++)
      for (uint64_t rest = s->chain[w] & ~config_placed(c)[w]; rest; rest &= rest - 1)
      {
        uint32_t slot = (uint32_t) (w * 64) + (uint32_t) __builtin_ctzll(rest);
        if (may_place(s, c, slot, end))
          place(s, c, slot, end);
      }
    if (s->work.n + s->kept.n > s->limits->max_configurations)
      s->found->stopped = "too many configurations";
  }
  uint64_t made = s->work.n + s->kept.n;
  s->found->made += made;
  if (made > s->found->peak)
    s->found->peak = made;
}

/* Nothing but the operation of SLOT can be placed in C: no chain, and a state that nobody shares is changed where it
 * is. Can that be done? */
static bool
goes_alone(const search *s, const linear_config *c, uint32_t slot)
{
  return c->state->refs == 1 && !part_op(s->part, s->slots.op[slot])->any_ret;
}

/* Do it. False: it is rejected, and C is gone. */
static bool
place_alone(search *s, linear_config *c, uint32_t slot)
{
  const hd_spec *spec = s->part->spec;
  const hd_linear_op *o = part_op(s->part, s->slots.op[slot]);
  hd_op view = linear_view(o);
  count_application(s);
  hd_step step = spec->apply(c->state->s, &view, NULL);
  if (step == HD_REJECT)
  {
    hd_linear_config_free(&s->pool, c);
    return false;
  }
  bit_set(config_placed(c), slot);
  bit_clear(config_optional(&s->pool, c), slot);
  if (is_lost(s, c))
    lose(s, c, slot, slot);
  if (step == HD_CHANGED)
  {
    hd_linear_state_rehash(&s->pool, c->state);
    mark(s, c, rule(s, HD_LINEAR_COMPONENTS) ? s->slots.touches + slot * s->pool.words : s->slots.looks);
  }
  return true;
}

/* ---- events ---- */

#define NO_SLOT UINT32_MAX

/* Let the state of C be its own. */
static void
own_state(search *s, linear_config *c)
{
  if (c->state->refs == 1)
    return;
  c->state->refs--;
  c->state = hd_linear_state_new(&s->pool, s->part->spec->copy(c->state->s));
}

/* A look that all states accept where it starts is done: it needs no slot. */
static void
look_starts(search *s, uint32_t op)
{
  const hd_linear_op *o = part_op(s->part, op);
  size_t first = 0; /* so many configurations accept it, then one that does not */
  while (first < s->now.n && accepts_unchanged(s, s->now.list[first]->state->s, o))
    first++;
  s->slots.slot[op] = NO_SLOT;
  if (first == s->now.n && !watched(s, op))
    return;
  uint32_t slot = hd_linear_slot_open(&s->slots, s->part, op);
  for (size_t i = 0; i < s->now.n; i++)
    if (i < first || (i > first && accepts_unchanged(s, s->now.list[i]->state->s, o)))
      bit_set(config_placed(s->now.list[i]), slot);
}

static void
op_starts(search *s, uint32_t op)
{
  const hd_linear_op *o = part_op(s->part, op);
  uint8_t kind = hd_linear_kind(&s->slots, s->part, op);
  if (kind & LINEAR_SKIPPED)
    return;
  if (kind & LINEAR_UNKNOWABLE)
  {
    s->unsure |= o->pending;
    if (!o->pending)
      s->found->stopped = "an operation took effect and never returned, and the specification has no outcomes() that "
                          "would say what it may have returned";
    return;
  }
  if (kind & LINEAR_LOOKS)
  {
    look_starts(s, op);
    return;
  }
  uint32_t slot = hd_linear_slot_open(&s->slots, s->part, op);
  for (size_t i = 0; i < s->now.n; i++)
  {
    linear_config *c = s->now.list[i];
    if (o->pending || ((kind & LINEAR_TOTAL) && is_lost(s, c)))
      bit_set(config_optional(&s->pool, c), slot);
  }
}

static void
forget_slot(search *s, uint32_t slot)
{
  for (size_t i = 0; i < s->now.n; i++)
  {
    bit_clear(config_placed(s->now.list[i]), slot);
    bit_clear(config_optional(&s->pool, s->now.list[i]), slot);
  }
  hd_linear_slot_close(&s->slots, slot);
}

/* The chains of END may use what is connected with it through shared keys; the flash rule is about one key. True:
 * nothing but END itself. */
static bool
plan_chain(search *s, uint32_t end)
{
  size_t words = s->pool.words;
  bool several = hd_linear_slot_component(&s->slots, end, rule(s, HD_LINEAR_COMPONENTS), s->chain);
  uint32_t all = HD_LINEAR_FLASH | HD_LINEAR_ABSORPTION | HD_LINEAR_DOMINANCE;
  s->flash = !several && (s->limits->rules & all) == all;
  bool alone = !bit_get(s->slots.looks, end);
  for (size_t w = 0; w < words; w++)
  {
    s->chain[w] &= ~s->slots.looks[w];
    alone = alone && (s->chain[w] & ~(end >> 6 == w ? 1ull << (end & 63) : 0)) == 0;
  }
  return alone;
}

/* The operation of SLOT ends. False: no configuration explains it. */
static bool
op_ends(search *s, uint32_t slot, uint32_t op, uint32_t event)
{
  int useful = -1; /* to place it now where it is optional; not asked yet */
  for (size_t i = 0; i < s->now.n && watched(s, op); i++)
    s->limits->watcher->state(s->limits->watcher, s->now.list[i]->state->s);
  bool all = true;
  for (size_t i = 0; i < s->now.n && all; i++)
    all = bit_get(config_placed(s->now.list[i]), slot);
  if (all)
  {
    forget_slot(s, slot);
    return true;
  }
  bool alone = plan_chain(s, slot);
  if (alone && s->now.n == 1 && goes_alone(s, s->now.list[0], slot)
      && !bit_get(config_optional(&s->pool, s->now.list[0]), slot))
  {
    s->now.n = place_alone(s, s->now.list[0], slot); /* the usual case */
    s->found->made += s->now.n;
    forget_slot(s, slot);
    return s->now.n > 0;
  }
  s->kept.n = s->work.n = 0;
  hd_linear_table_clear(&s->pool);
  for (size_t i = 0; i < s->now.n; i++)
  {
    linear_config *c = s->now.list[i];
    if (bit_get(config_placed(c), slot))
    {
      HD_PUSH(s->kept.list, s->kept.n, s->kept.cap, c);
      continue;
    }
    if (bit_get(config_optional(&s->pool, c), slot))
    {
      /* It has happened already, or it happens now; the latter only if somebody may still see it. */
      bool blind = bit_get(s->slots.blind, slot);
      if (useful < 0)
        useful = !(blind && rule(s, HD_LINEAR_LOOKAHEAD) && hd_linear_unread(&s->slots, s->part, op, event));
      if (useful)
      {
        c->state->refs++;
        linear_config *twin = hd_linear_config_new(&s->pool, c->state, c->bits);
        HD_PUSH(s->kept.list, s->kept.n, s->kept.cap, twin);
      }
      else
      {
        HD_PUSH(s->kept.list, s->kept.n, s->kept.cap, c);
        continue;
      }
    }
    if (alone && goes_alone(s, c, slot))
    {
      if (place_alone(s, c, slot))
        HD_PUSH(s->kept.list, s->kept.n, s->kept.cap, c);
      continue;
    }
    if (hd_linear_table_add(&s->pool, c, s->unobliged))
      HD_PUSH(s->work.list, s->work.n, s->work.cap, c);
    else
      hd_linear_config_free(&s->pool, c);
  }
  s->now.n = 0;
  follow_chains(s, slot);
  if (s->found->stopped)
    return true; /* nothing is claimed any more */
  hd_linear_configs_clear(&s->pool, &s->work);
  linear_configs swap = s->now;
  s->now = s->kept;
  s->kept = swap;
  forget_slot(s, slot);
  hd_linear_configs_reduce(&s->pool, &s->now, rule(s, HD_LINEAR_DOMINANCE), s->slots.looks, s->unobliged);
  return s->now.n > 0;
}

static bool
irrelevant(const search *s, uint32_t event)
{
  return s->limits->give_up && part_moment(s->part, event) >= __atomic_load_n(s->limits->give_up, __ATOMIC_RELAXED);
}

/* An operation during which nothing else is open, or nothing else on its only key: every configuration makes its step.
 * False: none can. */
static bool
op_alone(search *s, uint32_t op)
{
  const hd_spec *spec = s->part->spec;
  const hd_linear_op *o = part_op(s->part, op);
  hd_op view = linear_view(o);
  size_t n = 0;
  bool changed = false, changes = spec->methods[o->method].role != HD_OBSERVER && !o->unchanged;
  for (size_t i = 0; i < s->now.n; i++)
  {
    linear_config *c = s->now.list[i];
    count_application(s);
    /* A state that nobody shares need not be asked first: a rejection leaves it as it is. */
    bool at_once = !spec->test || (changes && c->state->refs == 1);
    hd_step step = at_once ? HD_CHANGED : spec->test(c->state->s, &view);
    if (step == HD_CHANGED && o->unchanged && spec->test)
      step = HD_REJECT;
    else if (step == HD_CHANGED)
    {
      own_state(s, c);
      step = spec->apply(c->state->s, &view, NULL);
      if (step == HD_CHANGED)
        hd_linear_state_rehash(&s->pool, c->state);
      changed |= step == HD_CHANGED;
      step = step == HD_CHANGED && o->unchanged ? HD_REJECT : step;
    }
    if (step != HD_REJECT)
      s->now.list[n++] = c;
    else
      hd_linear_config_free(&s->pool, c);
  }
  s->now.n = n;
  if (changed && n > 1)
    hd_linear_configs_reduce(&s->pool, &s->now, rule(s, HD_LINEAR_DOMINANCE), s->slots.looks, s->unobliged);
  return n > 0;
}

enum
{
  AHEAD = 64, /* events whose operations are fetched before they are needed: those of one part lie far apart */
};

/* Event E is the start of an operation that ends before anything else happens, and nothing is open. */
static bool
stands_alone(const search *s, uint32_t e)
{
  const linear_part *part = s->part;
  return s->slots.nopen == 0 && !(part->events[e] & 1) && e + 1 < part->nevents
         && part->events[e + 1] == part->events[e] + 1 && !part_op(part, part->events[e] >> 1)->any_ret
         && !s->limits->watcher;
}

/* What becomes of the search where OP cannot be explained. */
static hd_linear_answer
fails(search *s, uint32_t op)
{
  s->found->failing = op;
  if (!s->unsure)
    return HD_LINEAR_VIOLATED;
  s->found->stopped = "something cannot be explained, but an operation that never returned may explain it, and "
                      "without outcomes() in the specification its effect is unknown";
  return HD_LINEAR_UNKNOWN;
}

static hd_linear_answer
walk(search *s)
{
  const linear_part *part = s->part;
  for (uint32_t e = 0; e < part->nevents; e++)
  {
    uint32_t op = part->events[e] >> 1;
    bool explained = true, alone = stands_alone(s, e);
    e += alone; /* both events at once */
    s->found->explained = e;
    if (((e & 255) < 2 && stopped(s)) || s->found->stopped)
      return HD_LINEAR_UNKNOWN;
    if (e + AHEAD < part->nevents && !(part->events[e + AHEAD] & 1))
      part_fetch(part, part->events[e + AHEAD] >> 1);
    if ((part->events[e] & 1) && irrelevant(s, e))
      return HD_LINEAR_HOLDS;
    if (alone)
      explained = op_alone(s, op);
    else if (s->slots.kind[op] & LINEAR_ALONE)
      explained = !(part->events[e] & 1) || op_alone(s, op);
    else if (!(part->events[e] & 1))
      op_starts(s, op);
    else if (!(s->slots.kind[op] & (LINEAR_SKIPPED | LINEAR_UNKNOWABLE)) && s->slots.slot[op] != NO_SLOT)
      explained = op_ends(s, s->slots.slot[op], op, e);
    if (s->found->stopped)
      return HD_LINEAR_UNKNOWN;
    if (!explained)
      return fails(s, op);
  }
  s->found->explained = part->nevents;
  return HD_LINEAR_HOLDS;
}

void
hd_linear_search(const linear_part *part, const linear_limits *limits, linear_found *found)
{
  *found = (linear_found){.answer = HD_LINEAR_UNKNOWN, .failing = UINT32_MAX};
  if (!part->spec->copy)
  {
    found->stopped = "the specification has no copy(): it is needed where more than one order is possible";
    return;
  }
  search s = {.part = part, .limits = limits, .found = found};
  hd_linear_slots_init(&s.slots, part, limits->rules);
  if ((limits->rules & HD_LINEAR_COMPONENTS) && !limits->watcher)
    hd_linear_slots_find_alone(&s.slots, part);
  s.pool = (linear_pool){.spec = part->spec, .words = s.slots.words, .cancel = limits->cancel};
  s.chain = hd_alloc_zero(2 * s.slots.words * sizeof *s.chain);
  s.unobliged = limits->rules & HD_LINEAR_DOMINANCE ? s.slots.pending : s.chain + s.slots.words;
  linear_state *first = hd_linear_state_new(&s.pool, part->spec->create(part->config, part->nconfig));
  HD_PUSH(s.now.list, s.now.n, s.now.cap, hd_linear_config_new(&s.pool, first, NULL));
  found->peak = found->made = 1;
  found->answer = walk(&s);
  account(&s);
  if (limits->leave && limits->cancel && __atomic_load_n(limits->cancel, __ATOMIC_RELAXED))
    return; /* to destroy millions of states takes seconds */
  hd_linear_configs_clear(&s.pool, &s.now);
  hd_linear_configs_clear(&s.pool, &s.kept);
  hd_linear_configs_clear(&s.pool, &s.work);
  free(s.now.list);
  free(s.kept.list);
  free(s.work.list);
  free(s.chain);
  hd_linear_pool_done(&s.pool);
  hd_linear_slots_done(&s.slots);
}
