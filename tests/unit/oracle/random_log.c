/* random_log.c: random logs without an implementation.
 *
 * A hidden truth (the model's state) moves along, and every operation takes effect on it at some moment that its
 * annotation covers. An honest operation returns and writes what the truth says, so a log of honest operations holds;
 * a dishonest one returns or writes something at random. What comes out holds often and fails often, in all shapes:
 * exact commits, windows (also replaced and cancelled), no annotation, mutators that return uncommitted, exceptions,
 * blocks with writes before and after the commit, two threads in blocks at once, blocks without a commit, internal
 * tasks, free writes, nested operations, abandoned ones, and logs cut at any record. */
#include "random_private.h"

static void
write_next(writer *w, unsigned thread, activity *a)
{
  unsigned i = a->written++;
  if (w->old && writer_chance(w, 80))
    record_write_old(w->t, thread, a->var[i], a->value[i],
                     a->honest || writer_chance(w, 50) ? a->old[i] : (int) writer_pick(w, VALUES));
  else
    record_write(w->t, thread, a->var[i], a->value[i]);
}

static void
start(writer *w, unsigned thread)
{
  const model *m = w->t->model;
  activity *a = &w->stack[thread][w->depth[thread]++];
  *a = (activity){.honest = writer_chance(w, w->honesty)};
  if (w->t->views && writer_chance(w, w->p_internal))
  {
    a->plan = PLAN_INTERNAL;
    a->blocked = w->careful || writer_chance(w, 80);
    record_internal_begin(w->t, thread);
    return;
  }
  a->method = writer_pick(w, (unsigned) m->nmethods);
  for (unsigned i = 0; i < MODEL_ARGS; i++)
    a->args[i] = hd_int(writer_pick(w, VALUES));
  bool mutator = m->methods[a->method].role == HD_MUTATOR;
  a->plan = writer_chance(w, w->p_nocommit) && (mutator || writer_chance(w, 10)) ? PLAN_NOCOMMIT
            : !mutator || writer_chance(w, w->p_uncommitted)                     ? PLAN_LOOK
            : writer_chance(w, w->p_window)                                      ? PLAN_WINDOW
                                                                                 : PLAN_EXACT;
  a->windowed = mutator && a->plan == PLAN_LOOK && writer_chance(w, w->p_window);
  a->blocked = a->plan == PLAN_LOOK ? writer_chance(w, 5) && mutator : mutator && writer_chance(w, w->p_block);
  record_call(w->t, thread, a->method, a->args, a->plan == PLAN_NOCOMMIT);
  w->left--;
}

static void
commit(writer *w, unsigned thread, activity *a)
{
  if (writer_chance(w, w->p_commit_return))
    record_commit_return(w->t, thread, a->ret);
  else
    record_commit(w->t, thread);
  a->committed = true;
}

static void
end(writer *w, unsigned thread, activity *a)
{
  writer_unlock(w, thread, a);
  w->depth[thread]--;
  if (a->plan == PLAN_INTERNAL)
    record_internal_end(w->t, thread);
  else if (writer_chance(w, w->p_return_tick))
    record_return_tick(w->t, thread, a->ret);
  else
    record_return(w->t, thread, a->ret);
}

static void
block_begin(writer *w, unsigned thread, activity *a)
{
  record_block_begin(w->t, thread);
  a->in_block = true;
}

static void
block_end(writer *w, unsigned thread, activity *a)
{
  record_block_end(w->t, thread);
  a->in_block = false;
  a->block_done = true;
}

/* A worker's task: a block that leaves every variable as it is, or does not. */
static void
step_internal(writer *w, unsigned thread, activity *a)
{
  if (!a->decided)
  {
    if (!writer_lock(w, thread, a))
      return;
    model_state same = w->truth;
    writer_decide_writes(w, a, &same);
    writer_decide_old_values(w, a);
    writer_narrow(w, thread, a);
    a->decided = true;
    if (a->blocked)
      block_begin(w, thread, a);
  }
  else if (a->written < a->nwrites)
    write_next(w, thread, a);
  else if (a->in_block)
    block_end(w, thread, a);
  else
    end(w, thread, a);
}

/* Observers and mutators that return uncommitted. */
static void
step_look(writer *w, unsigned thread, activity *a)
{
  if (a->windowed && !a->window)
  {
    record_window(w->t, thread);
    a->window = true;
  }
  else if (!a->effective)
  {
    model_return ret;
    if (a->honest && !writer_truthful_return(w, a, true, &ret) && w->t->model->methods[a->method].role == HD_MUTATOR)
    {
      a->plan = a->window ? PLAN_WINDOW : PLAN_EXACT; /* it must change something: it commits after all */
      a->blocked = a->blocked || w->careful;
    }
    else
      writer_take_effect(w, a);
  }
  else if (a->blocked && !a->block_done)
  {
    if (!a->in_block)
      block_begin(w, thread, a);
    else
      block_end(w, thread, a);
  }
  else
    end(w, thread, a);
}

/* Exact: the variables are held from the decision to the end of the block, with the commit somewhere between. */
static void
step_exact(writer *w, unsigned thread, activity *a)
{
  if (!a->decided)
  {
    if (!writer_lock(w, thread, a))
      return;
    if (a->blocked && w->t->views)
    {
      writer_decide(w, a);
      writer_narrow(w, thread, a);
    }
    else
      a->decided = false;
    if (a->blocked)
      block_begin(w, thread, a);
    if (!a->decided)
    {
      writer_take_effect(w, a);
      commit(w, thread, a);
      writer_narrow(w, thread, a);
    }
  }
  else if (!a->committed && (a->written == a->nwrites || writer_chance(w, 40)))
  {
    writer_take_effect(w, a);
    commit(w, thread, a);
  }
  else if (a->written < a->nwrites)
    write_next(w, thread, a);
  else if (a->in_block)
    block_end(w, thread, a);
  else
    end(w, thread, a);
}

/* A window: the effect is one moment in it, at which no block holds the variables; what was written is logged later. */
static void
step_window(writer *w, unsigned thread, activity *a)
{
  if (!a->window || (!a->effective && writer_chance(w, 10)))
  {
    record_window(w->t, thread);
    a->window = true;
  }
  else if (a->blocked && !a->in_block && !a->block_done && writer_chance(w, 60))
    block_begin(w, thread, a);
  else if (!a->effective)
  {
    if (writer_can_lock(w, thread))
      writer_take_effect(w, a);
  }
  else if (a->blocked && !a->in_block && !a->block_done)
    block_begin(w, thread, a);
  else if (a->written < a->nwrites && (a->blocked || !a->committed))
    write_next(w, thread, a);
  else if (!a->committed)
    commit(w, thread, a);
  else if (a->in_block)
    block_end(w, thread, a);
  else
    end(w, thread, a);
}

static void
step_nocommit(writer *w, unsigned thread, activity *a)
{
  if (!a->effective)
  {
    if (!writer_lock(w, thread, a))
      return;
    writer_take_effect(w, a);
    writer_narrow(w, thread, a);
    if (a->blocked)
      block_begin(w, thread, a);
  }
  else if (a->written < a->nwrites)
    write_next(w, thread, a);
  else if (a->in_block)
    block_end(w, thread, a);
  else
    end(w, thread, a);
}

static void
step(writer *w, unsigned thread)
{
  activity *a = w->depth[thread] ? &w->stack[thread][w->depth[thread] - 1] : NULL;
  if (!a)
  {
    if (w->t->views && w->protect && writer_chance(w, 2)
        && writer_can_lock(w, thread)) /* a write that changes nothing */
    {
      unsigned var = writer_pick(w, w->t->model->nvars);
      record_write(w->t, thread, var, w->honesty == 100 ? w->truth.cell[var] : (int) writer_pick(w, VALUES));
    }
    else if (w->left)
      start(w, thread);
    return;
  }
  if (w->left && w->depth[thread] < TRACE_DEPTH - 1 && !a->in_block && !a->locked && a->plan != PLAN_INTERNAL
      && writer_chance(w, w->p_nested))
  {
    start(w, thread);
    return;
  }
  if (!a->in_block && !a->locked && a->plan != PLAN_INTERNAL && writer_chance(w, w->p_abandon))
  {
    record_abandon(w->t, thread);
    w->depth[thread]--;
    return;
  }
  switch (a->plan)
  {
  case PLAN_LOOK:
    step_look(w, thread, a);
    break;
  case PLAN_EXACT:
    step_exact(w, thread, a);
    break;
  case PLAN_WINDOW:
    step_window(w, thread, a);
    break;
  case PLAN_NOCOMMIT:
    step_nocommit(w, thread, a);
    break;
  case PLAN_INTERNAL:
    step_internal(w, thread, a);
    break;
  }
}

static bool
busy(const writer *w)
{
  for (unsigned i = 1; i <= w->nthreads; i++)
    if (w->depth[i])
      return true;
  return w->left > 0;
}

static void
run(writer *w)
{
  unsigned burst = 0, thread = 1; /* some threads run for a while, as they do */
  while (busy(w) && w->t->n < TRACE_RECORDS - 8)
  {
    if (burst == 0)
    {
      thread = 1 + writer_pick(w, w->nthreads);
      burst = writer_pick(w, 4);
    }
    else
      burst--;
    step(w, thread);
  }
}

static const unsigned levels[] = {0, 0, 15, 50, 100};

static unsigned
level(writer *w)
{
  return levels[writer_pick(w, sizeof levels / sizeof *levels)];
}

static void
generate(trace *t, uint64_t seed, bool unprotected)
{
  static const model_kind kinds[] = {MODEL_MULTISET, MODEL_REGISTER, MODEL_COUNTER, MODEL_STACK, MODEL_QUEUE};
  static const model_kind viewed[] = {MODEL_MULTISET, MODEL_MULTISET, MODEL_REGISTER, MODEL_COUNTER};
  writer w = {.t = t, .random = seed};
  hd_random(&w.random);
  bool views = unprotected || writer_chance(&w, 50);
  trace_start(t, views ? viewed[writer_pick(&w, 4)] : kinds[writer_pick(&w, 5)], views);
  t->seed = seed;
  t->outcomes = views || writer_chance(&w, 80);
  w.protect = !unprotected;
  w.old = writer_chance(&w, unprotected ? 60 : 30);
  w.nthreads = 3 + writer_pick(&w, 2);
  w.left = 3 + writer_pick(&w, 6);
  w.honesty = (const unsigned[]){100, 100, 95, 85, 60}[writer_pick(&w, 5)];
  w.p_window = level(&w);
  w.p_nocommit = level(&w) / 2;
  w.p_uncommitted = level(&w) / 2;
  w.careful = writer_chance(&w, 50);
  w.p_block = !views ? 20 : w.careful ? 100 : 60 + writer_pick(&w, 40);
  w.p_internal = views && writer_chance(&w, 40) ? 25 : 0;
  w.p_nested = writer_chance(&w, 15) ? 10 : 0;
  w.p_abandon = writer_chance(&w, 15) ? 4 : 0;
  w.p_commit_return = level(&w);
  w.p_exception = writer_chance(&w, 30) ? 20 : 0;
  w.p_return_tick = writer_chance(&w, 25) ? 100 : 3;
  t->right = w.honesty == 100 && w.protect && (!views || w.careful);
  run(&w);
  if (writer_chance(&w, 30))
    trace_cut(t, writer_pick(&w, (unsigned) t->n + 1));
  else if (writer_chance(&w, 10))
    record_object_end(t, 1);
}

void
random_log(trace *t, uint64_t seed)
{
  generate(t, seed, false);
  t->family = "random";
}

void
random_unprotected(trace *t, uint64_t seed)
{
  generate(t, seed, true);
  t->family = "unprotected";
}
