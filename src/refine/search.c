/* search.c: the set of configurations while the order of some operations is open.
 *
 * A configuration is a specification state, a bit per open operation (placed, or satisfied if it only observes) and,
 * where somebody wants it, the list of steps that led there. Operations are placed only when the end of a window (or a
 * tick that fixes an order) forces it: the just-in-time form of the Wing-Gong search. Observers are satisfied greedily:
 * as soon as a reached state accepts their return they are done, which is never worse than later (docs/rules.md 3.1).
 *
 * States are shared between configurations and copied before they change. */
#include "refine/internal.h"

#include <stdlib.h>
#include <string.h>

hd_op
op_view(const op *o)
{
  return (hd_op){.method = o->method,
                 .nargs = o->nargs,
                 .thread = o->thread,
                 .exceptional = (o->flags & OP_EXCEPTIONAL) != 0,
                 .args = o->args,
                 .ret = o->ret};
}

/* ---- states ---- */

static state *
state_new(void *taken)
{
  state *st = hd_alloc(sizeof *st);
  *st = (state){.s = taken, .refs = 1};
  return st;
}

static uint64_t
state_hash(const search *s, const state *st)
{
  return s->spec->hash ? s->spec->hash(st->s) : (uint64_t) (uintptr_t) st->s;
}

static void
state_drop(search *s, state *st)
{
  if (--st->refs)
    return;
  s->spec->destroy(st->s);
  free(st);
}

/* ---- configurations ---- */

static config *
config_new(const search *s, state *st_taken, const step *steps)
{
  config *c = hd_alloc(sizeof *c + s->words * sizeof(uint64_t));
  c->state = st_taken;
  c->steps = steps;
  c->hash = 0;
  memset(c->done, 0, s->words * sizeof(uint64_t));
  return c;
}

static void
config_free(search *s, config *c)
{
  state_drop(s, c->state);
  free(c);
}

static bool
config_has(const config *c, int32_t slot)
{
  return c->done[slot >> 6] >> (slot & 63) & 1;
}

static void
config_set(config *c, int32_t slot)
{
  c->done[slot >> 6] |= 1ull << (slot & 63);
}

static uint64_t
config_hash(const search *s, const config *c)
{
  uint64_t h = hd_mix(state_hash(s, c->state));
  for (size_t i = 0; i < s->words; i++)
    h = hd_mix(h ^ (c->done[i] & ~s->may[i]));
  if (s->keep_effects && c->steps)
    h = hd_mix(h ^ c->steps->effect);
  return h;
}

/* Whatever can come of B can come of A: the same state, the same operations done, except that A may still place
 * optional ones that B has placed. Nothing obliges A to place them, and nothing that B can do needs them unplaced. */
static bool
config_covers(const search *s, const config *a, const config *b)
{
  if (a->hash != b->hash)
    return false;
  for (size_t i = 0; i < s->words; i++)
    if (((a->done[i] ^ b->done[i]) & ~s->may[i]) || (a->done[i] & ~b->done[i] & s->may[i]))
      return false;
  if (s->keep_effects && !effects_equal(a->steps, b->steps))
    return false;
  return a->state == b->state || (s->spec->equal && s->spec->equal(a->state->s, b->state->s));
}

/* ---- the table of configurations seen in one closure ---- */

static void
table_clear(search *s, size_t expected)
{
  size_t size = 16;
  while (size < expected * 2)
    size *= 2;
  if (size > s->table_size)
  {
    free(s->table);
    s->table = hd_alloc_array(size, sizeof *s->table);
    s->table_size = size;
  }
  memset(s->table, 0, s->table_size * sizeof *s->table);
}

/* True if C is new: no configuration in the table covers it. The table is grown by the caller's rehash when it is half
 * full. */
static bool
table_insert(search *s, config *c)
{
  size_t mask = s->table_size - 1;
  for (size_t i = c->hash & mask;; i = (i + 1) & mask)
  {
    if (!s->table[i])
    {
      s->table[i] = c;
      return true;
    }
    if (config_covers(s, s->table[i], c))
      return false;
  }
}

static void
table_grow(search *s)
{
  size_t old_size = s->table_size;
  config **old = s->table;
  s->table_size *= 2;
  s->table = hd_alloc_array(s->table_size, sizeof *s->table);
  memset(s->table, 0, s->table_size * sizeof *s->table);
  for (size_t i = 0; i < old_size; i++)
    if (old[i])
      table_insert(s, old[i]);
  free(old);
}

/* ---- asking the specification ---- */

static hd_step
apply(search *s, void *st, const hd_op *view)
{
  s->applications++;
  if (s->cancel && __atomic_load_n(s->cancel, __ATOMIC_RELAXED))
  {
    s->stopped = "a limit was reached";
    return HD_REJECT;
  }
  if (s->budget != UINT64_MAX)
  {
    if (s->budget == 0)
    {
      s->stopped = "the budget of steps is used up";
      return HD_REJECT;
    }
    s->budget--;
  }
  return s->spec->apply(st, view, s->touched);
}

bool
search_doubts(search *s, const void *st, const op *o, const hd_op *view)
{
  if (s->bad_spec)
    return true;
  char *text = paranoid_step(s->spec, st, view, s->touched != NULL);
  if (!text)
    return false;
  s->bad_spec = s->bad_text = text;
  s->bad_op = o;
  return true;
}

hd_step
search_test(search *s, const void *st, op *o)
{
  hd_op view = op_view(o);
  if (HD_UNLIKELY(s->paranoid) && search_doubts(s, st, o, &view))
    return HD_REJECT;
  hd_keys *touched = s->touched;
  s->touched = NULL; /* nothing changes, so nothing is touched */
  hd_step answer;
  if (s->spec->test)
  {
    s->applications++;
    answer = s->spec->test(st, &view);
  }
  else if (o->flags & OP_OBSERVER)
    answer = apply(s, (void *) (uintptr_t) st, &view);
  else
  {
    if (!s->spec->copy)
    {
      s->touched = touched;
      s->bad_spec = "a mutator returned without a commit, and to judge it the specification needs test() or copy()";
      s->bad_op = o;
      return HD_REJECT;
    }
    void *copy = s->spec->copy(st);
    answer = apply(s, copy, &view);
    s->spec->destroy(copy);
  }
  s->touched = touched;
  if (answer == HD_CHANGED && !(o->flags & OP_OBSERVER))
    o->flags |= OP_WOULD_CHANGE;
  else if (answer == HD_CHANGED && !s->bad_spec)
  {
    s->bad_spec = "the specification changes the state for a method that is declared an observer";
    s->bad_op = o;
  }
  return answer;
}

bool
op_has_outcomes(const search *s, const op *o)
{
  char ret = s->spec->methods[o->method].ret;
  return (o->flags & OP_RET_KNOWN) || ret == 'n' || ret == 'b' || s->spec->outcomes || s->nextra;
}

size_t
search_outcomes(search *s, const void *st, const op *o, hd_value *out, size_t max)
{
  if (o->flags & OP_RET_KNOWN)
  {
    out[0] = o->ret;
    return 1;
  }
  switch (s->spec->methods[o->method].ret)
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
  if (s->spec->outcomes)
  {
    hd_op view = op_view(o);
    size_t n = s->spec->outcomes(st, &view, out, max);
    if (n > max)
    {
      s->stopped = "an operation that never returned has too many possible return values";
      n = max;
    }
    return n;
  }
  size_t n = s->nextra < max ? s->nextra : max;
  for (size_t i = 0; i < n; i++)
    out[i] = s->extra_returns[i];
  return n;
}

/* Of the same thread, and A had returned where O was called: only the thread's own order tells them apart. */
static bool
follows(const op *o, const op *a)
{
  return a->thread == o->thread && (a->flags & OP_RETURNED) && a->returned_at < o->number
         && op_end_position(a) == op_call_position(o);
}

/* Where stamps cannot tell, the operation that returned first must have its place first. */
static bool
too_early(const search *s, const config *c, const op *o)
{
  for (size_t i = 0; s->thread_order && i < s->nslots; i++)
    if (s->slots[i] && follows(o, s->slots[i]) && !config_has(c, (int32_t) i))
      return true;
  return false;
}

static bool
has_follower(const search *s, const op *o)
{
  for (size_t i = 0; s->thread_order && i < s->nslots; i++)
    if (s->slots[i] && follows(s->slots[i], o))
      return true;
  return false;
}

/* ---- marking observers ---- */

static void
mark(search *s, config *c)
{
  bool again;
  do
  {
    again = false;
    for (size_t i = 0; i < s->nslots; i++)
    {
      op *o = s->slots[i];
      if (!o || o->mode != MODE_OBSERVE || config_has(c, (int32_t) i) || too_early(s, c, o)
          || search_test(s, c->state->s, o) != HD_SAME)
        continue;
      config_set(c, (int32_t) i);
      again = s->thread_order; /* one that follows it may be in a slot before it */
    }
  } while (again);
}

/* ---- life ---- */

void
search_init(search *s, const hd_spec *spec, void *state_taken)
{
  *s = (search){.spec = spec, .words = 1, .max_configs = UINT64_MAX, .budget = UINT64_MAX, .arena = hd_arena_new()};
  s->may = hd_alloc_zero(s->words * sizeof *s->may);
  config *c = config_new(s, state_new(state_taken), NULL);
  HD_PUSH(s->configs, s->nconfigs, s->configs_cap, c);
  s->made = s->peak = 1;
}

void
search_done(search *s)
{
  for (size_t i = 0; i < s->nconfigs; i++)
    config_free(s, s->configs[i]);
  free(s->configs);
  free(s->slots);
  free(s->may);
  free(s->table);
  free(s->work);
  free(s->bad_text);
  hd_arena_free(s->arena);
  *s = (search){0};
}

static void
add_words(search *s)
{
  size_t old = s->words;
  s->words *= 2;
  s->may = hd_realloc(s->may, s->words * sizeof *s->may);
  memset(s->may + old, 0, old * sizeof *s->may);
  for (size_t i = 0; i < s->nconfigs; i++)
  {
    config *c = hd_realloc(s->configs[i], sizeof *c + s->words * sizeof(uint64_t));
    memset(c->done + old, 0, (s->words - old) * sizeof(uint64_t));
    s->configs[i] = c;
  }
}

void
search_open(search *s, op *o, enum search_mode mode)
{
  size_t slot = 0;
  while (slot < s->nslots && s->slots[slot])
    slot++;
  if (slot == s->nslots)
    HD_PUSH(s->slots, s->nslots, s->slots_cap, NULL);
  if (slot >= s->words * 64)
    add_words(s);
  s->slots[slot] = o;
  s->nopen++;
  o->slot = (int32_t) slot;
  o->mode = mode;
  if (mode == MODE_MAY && !s->thread_order) /* else done may mean that it did not happen, which others wait for */
    s->may[slot >> 6] |= 1ull << (slot & 63);
  if (mode == MODE_OBSERVE)
    for (size_t i = 0; i < s->nconfigs; i++)
      if (!too_early(s, s->configs[i], o) && search_test(s, s->configs[i]->state->s, o) == HD_SAME)
        config_set(s->configs[i], o->slot);
}

static const step *
step_new(search *s, const step *before, op *o, block *b, uint64_t gap)
{
  if (!s->keep_steps)
    return NULL;
  step *st = hd_arena_alloc(s->arena, sizeof *st);
  *st = (step){.before = before,
               .op = o,
               .block = b,
               .gap = gap,
               .effect = before ? before->effect : 0,
               .replays = before && before->replays};
  if (b && s->keep_effects)
    effects_add(st, b);
  return st;
}

/* ---- the closure of a gap ---- */

static bool
meets(const config *c, op *const *need, size_t nneed)
{
  for (size_t i = 0; i < nneed; i++)
    if (!config_has(c, need[i]->slot))
      return false;
  return true;
}

/* C with ST_TAKEN and O done: pushed on the work list if it is new. */
static void
make(search *s, const config *c, op *o, state *st_taken, const step *steps)
{
  config *next = config_new(s, st_taken, steps);
  memcpy(next->done, c->done, s->words * sizeof(uint64_t));
  config_set(next, o->slot);
  mark(s, next);
  next->hash = config_hash(s, next);
  if (s->made * 2 > s->table_size)
    table_grow(s);
  if (!table_insert(s, next))
  {
    config_free(s, next);
    return;
  }
  s->made++;
  HD_PUSH(s->work, s->nwork, s->work_cap, next);
}

/* The configurations that one placement of O leads to from C. */
static void
place(search *s, const config *c, op *o, uint64_t gap)
{
  hd_value returns[MAX_OUTCOMES];
  size_t n = search_outcomes(s, c->state->s, o, returns, MAX_OUTCOMES);
  hd_op view = op_view(o);
  for (size_t i = 0; i < n && !s->stopped; i++)
  {
    view.ret = returns[i];
    if (HD_UNLIKELY(s->paranoid) && search_doubts(s, c->state->s, o, &view))
      return;
    void *copy = s->spec->copy(c->state->s);
    hd_step answer = apply(s, copy, &view);
    if (answer == HD_REJECT)
    {
      s->spec->destroy(copy);
      continue;
    }
    state *st;
    if (answer == HD_SAME)
    {
      s->spec->destroy(copy);
      st = c->state;
      st->refs++;
    }
    else
      st = state_new(copy);
    make(s, c, o, st, step_new(s, c->steps, o, o->commit_block, gap));
  }
  /* It did not happen: whoever waits for it in its thread must know. */
  if (o->mode == MODE_MAY && has_follower(s, o))
  {
    c->state->refs++;
    make(s, c, o, c->state, c->steps);
  }
}

bool
search_close(search *s, op *const *need, size_t nneed, bool all, uint64_t gap)
{
  all |= s->eager;
  bool met = true;
  for (size_t i = 0; i < s->nconfigs && met; i++)
    met = meets(s->configs[i], need, nneed);
  if (met && !all)
    return true;

  uint64_t made_before = s->made;
  s->made = s->nconfigs;
  table_clear(s, s->nconfigs + 16);
  s->nwork = 0;
  for (size_t i = 0; i < s->nconfigs; i++)
  {
    config *c = s->configs[i];
    c->hash = config_hash(s, c);
    table_insert(s, c);
    HD_PUSH(s->work, s->nwork, s->work_cap, c);
  }
  /* The work list is never popped, only walked: it owns what was made. */
  config **kept = NULL;
  size_t nkept = 0, kept_cap = 0;
  for (size_t next = 0; next < s->nwork && !s->stopped && !s->bad_spec; next++)
  {
    config *c = s->work[next];
    bool good = meets(c, need, nneed);
    if (good)
      HD_PUSH(kept, nkept, kept_cap, c);
    if (good && !all)
      continue;
    for (size_t i = 0; i < s->nslots; i++)
      if (s->slots[i] && s->slots[i]->mode != MODE_OBSERVE && !config_has(c, (int32_t) i)
          && !too_early(s, c, s->slots[i]))
        place(s, c, s->slots[i], gap);
    if (s->nwork > s->max_configs)
      s->stopped = "too many configurations";
  }
  if (s->nwork > s->peak)
    s->peak = s->nwork;
  s->made = made_before + s->nwork - s->nconfigs;

  bool success = nkept > 0 && !s->stopped && !s->bad_spec;
  if (success)
  {
    /* Mark what is kept by its hash table position: free the others. */
    size_t k = 0;
    for (size_t i = 0; i < s->nwork; i++)
    {
      if (k < nkept && kept[k] == s->work[i])
        k++; /* KEPT is in the order of WORK */
      else
        config_free(s, s->work[i]);
    }
    hd_grow(&s->configs, &s->configs_cap, nkept, sizeof *s->configs);
    memcpy(s->configs, kept, nkept * sizeof *kept);
    s->nconfigs = nkept;
  }
  else
    for (size_t i = s->nconfigs; i < s->nwork; i++)
      config_free(s, s->work[i]);
  s->nwork = 0;
  free(kept);
  return success;
}

/* ---- steps that are not a matter of choice ---- */

void
search_merge(search *s)
{
  if (s->nconfigs < 2)
    return;
  table_clear(s, s->nconfigs);
  size_t n = 0;
  for (size_t i = 0; i < s->nconfigs; i++)
  {
    config *c = s->configs[i];
    c->hash = config_hash(s, c);
    if (table_insert(s, c))
      s->configs[n++] = c;
    else
      config_free(s, c);
  }
  s->nconfigs = n;
}

static bool
point_doubts(search *s, const op *o)
{
  hd_op view = op_view(o);
  hd_value returns[MAX_OUTCOMES];
  for (size_t i = 0; i < s->nconfigs; i++)
  {
    const void *st = s->configs[i]->state->s;
    size_t n = search_outcomes(s, st, o, returns, MAX_OUTCOMES);
    for (size_t k = 0; k < n; k++)
    {
      view.ret = returns[k];
      if (search_doubts(s, st, o, &view))
        return true;
    }
  }
  return false;
}

bool
search_point(search *s, op *o, uint64_t gap)
{
  if (HD_UNLIKELY(s->paranoid) && point_doubts(s, o))
    return false;
  config **next = NULL;
  size_t nnext = 0, next_cap = 0;
  hd_op view = op_view(o);
  for (size_t i = 0; i < s->nconfigs && !s->stopped; i++)
  {
    config *c = s->configs[i];
    hd_value returns[MAX_OUTCOMES];
    size_t n = search_outcomes(s, c->state->s, o, returns, MAX_OUTCOMES);
    if (n == 1 && c->state->refs == 1)
    {
      view.ret = returns[0];
      if (apply(s, c->state->s, &view) == HD_REJECT)
        continue;
      c->steps = step_new(s, c->steps, o, o->commit_block, gap);
      HD_PUSH(next, nnext, next_cap, c);
      s->configs[i] = NULL;
      continue;
    }
    for (size_t k = 0; k < n && !s->stopped; k++)
    {
      view.ret = returns[k];
      void *copy = s->spec->copy(c->state->s);
      if (apply(s, copy, &view) == HD_REJECT)
      {
        s->spec->destroy(copy);
        continue;
      }
      config *made = config_new(s, state_new(copy), step_new(s, c->steps, o, o->commit_block, gap));
      memcpy(made->done, c->done, s->words * sizeof(uint64_t));
      s->made++;
      HD_PUSH(next, nnext, next_cap, made);
    }
  }
  if (!nnext)
  {
    free(next);
    return false;
  }
  for (size_t i = 0; i < s->nconfigs; i++)
    if (s->configs[i])
      config_free(s, s->configs[i]);
  hd_grow(&s->configs, &s->configs_cap, nnext, sizeof *s->configs);
  memcpy(s->configs, next, nnext * sizeof *next);
  s->nconfigs = nnext;
  free(next);
  for (size_t i = 0; i < s->nconfigs; i++)
    mark(s, s->configs[i]);
  search_merge(s);
  if (s->nconfigs > s->peak)
    s->peak = s->nconfigs;
  return !s->stopped;
}

void
search_note_one(search *s, size_t config, block *b, uint64_t gap)
{
  s->configs[config]->steps = step_new(s, s->configs[config]->steps, NULL, b, gap);
}

void
search_note(search *s, block *b, uint64_t gap)
{
  for (size_t i = 0; i < s->nconfigs; i++)
    search_note_one(s, i, b, gap);
}

void
search_drop(search *s, op *const *ops, size_t n)
{
  for (size_t i = 0; i < n; i++)
  {
    int32_t slot = ops[i]->slot;
    for (size_t k = 0; k < s->nconfigs; k++)
      s->configs[k]->done[slot >> 6] &= ~(1ull << (slot & 63));
    s->may[slot >> 6] &= ~(1ull << (slot & 63));
    s->slots[slot] = NULL;
    ops[i]->slot = -1;
    s->nopen--;
  }
  while (s->nslots && !s->slots[s->nslots - 1])
    s->nslots--;
  search_merge(s);
}

void
search_remove(search *s, size_t i)
{
  config_free(s, s->configs[i]);
  s->configs[i] = s->configs[--s->nconfigs];
}

void
search_forget_steps(search *s)
{
  for (size_t i = 0; i < s->nconfigs; i++)
    s->configs[i]->steps = NULL;
  hd_arena_reset(s->arena);
}
