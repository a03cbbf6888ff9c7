/* sim.c: the random scheduler, what the threads do, and the annotations of simulated implementations. */
#include "sim.h"

static unsigned
pick(sim *s, unsigned n)
{
  return (unsigned) (hd_random(&s->random) % n);
}

static bool
chance(sim *s, unsigned percent)
{
  return pick(s, 100) < percent;
}

void
sim_return(sim_thread *h, hd_value v)
{
  h->ret = (model_return){v, false};
}

void
sim_window(sim *s, sim_thread *h)
{
  if (sim_current(h)->annotation == ANNOTATE_WINDOW)
    record_window(s->t, h->id);
}

void
sim_commit(sim *s, sim_thread *h)
{
  h->committed = true;
  if (sim_current(h)->annotation == ANNOTATE_NOCOMMIT)
    return;
  if (s->commit_return)
    record_commit_return(s->t, h->id, h->ret);
  else
    record_commit(s->t, h->id);
}

void
sim_block_begin(sim *s, sim_thread *h)
{
  if (s->t->views && s->flaw != FLAW_NO_BLOCK)
    record_block_begin(s->t, h->id);
}

void
sim_block_end(sim *s, sim_thread *h)
{
  if (s->t->views && s->flaw != FLAW_NO_BLOCK)
    record_block_end(s->t, h->id);
}

void
sim_write(sim *s, sim_thread *h, unsigned var, int value, int old)
{
  if (!s->t->views)
    return;
  if (s->old_values)
    record_write_old(s->t, h->id, var, value, old);
  else
    record_write(s->t, h->id, var, value);
}

/* One step of a thread: the next step of its method, or a call, or a return. False: it has nothing left to do. */
static bool
thread_step(sim *s, sim_thread *h)
{
  enum
  {
    IDLE,
    INSIDE,
    RETURNING,
    RETURNING_TICK
  };
  const sim_op *o = sim_current(h);
  const trace_frame *f;
  switch (h->main_line)
  {
  case IDLE:
    if (h->at == h->nops)
      return false;
    if (o->internal)
      record_internal_begin(s->t, h->id);
    else
      record_call(s->t, h->id, o->method, o->args, o->annotation == ANNOTATE_NOCOMMIT);
    h->line = 0;
    h->committed = false;
    h->main_line = INSIDE;
    return true;
  case INSIDE:
    if (s->method(s, h))
      h->main_line = RETURNING;
    return true;
  case RETURNING:
    f = trace_top(s->t, h->id);
    if (!o->internal && !f->committed && !f->window && !f->nocommit && s->t->open > 0)
    {
      h->main_line = RETURNING_TICK; /* the look found an open window: tick, which is another step */
      return true;
    }
    if (o->internal)
      record_internal_end(s->t, h->id);
    else
      record_return(s->t, h->id, h->ret);
    break;
  case RETURNING_TICK:
    record_return_tick(s->t, h->id, h->ret);
    break;
  }
  h->main_line = IDLE;
  h->at++;
  return true;
}

static void
run(sim *s)
{
  unsigned idle = 0, burst = 0, thread = 0;
  /* The bound on steps: a flawed implementation may wait for ever, which is as good as a cut. */
  for (unsigned steps = 0; steps < 20000 && idle < 10 * s->nthreads && s->t->n < TRACE_RECORDS - 8; steps++)
  {
    if (burst-- == 0)
    {
      thread = pick(s, s->nthreads);
      burst = chance(s, 30) ? pick(s, 8) : 0;
    }
    if (!thread_step(s, &s->thread[thread]))
    {
      burst = 0;
      idle++;
    }
    else
      idle = 0;
  }
}

static bool
must_window(const sim *s)
{
  return s->t->kind == MODEL_STACK || ((s->t->kind == MODEL_REGISTER || s->t->kind == MODEL_COUNTER) && !s->locked);
}

static annotation
choose_annotation(sim *s, unsigned method, unsigned style)
{
  annotation any = (annotation[]){ANNOTATE_EXACT, ANNOTATE_WINDOW, ANNOTATE_NOCOMMIT}[pick(s, 3)];
  annotation a = style < 3 ? (annotation[]){ANNOTATE_EXACT, ANNOTATE_EXACT, ANNOTATE_WINDOW}[style] : any;
  bool effect_without_lock = must_window(s);
  if (s->t->model->methods[method].role == HD_OBSERVER)
    return ANNOTATE_EXACT;
  if (s->flaw == FLAW_EXACT_STORE || s->flaw == FLAW_EXACT_DELETE)
    return ANNOTATE_EXACT;
  if (s->t->kind == MODEL_MULTISET_SLOTS && method == MS_DELETE && !s->scan_lock)
    effect_without_lock = true;
  /* The writes of an unannotated operation take effect where its block ends, which must be under its lock. */
  if (effect_without_lock && (a == ANNOTATE_EXACT || s->t->views))
    return ANNOTATE_WINDOW;
  return a;
}

static void
plan(sim *s, unsigned total)
{
  const model *m = s->t->model;
  unsigned style = pick(s, 4);
  for (unsigned i = 0; i < s->nthreads; i++)
    s->thread[i].id = i + 1;
  while (total--)
  {
    sim_thread *h = &s->thread[pick(s, s->nthreads)];
    if (h->nops == SIM_OPS)
      continue;
    sim_op *o = &h->op[h->nops++];
    o->method = pick(s, (unsigned) m->nmethods);
    for (unsigned a = 0; a < MODEL_ARGS; a++)
      o->args[a] = hd_int(pick(s, 3));
    o->annotation = choose_annotation(s, o->method, style);
  }
  if (s->t->kind == MODEL_MULTISET_SLOTS && s->scan_lock && (chance(s, 60) || s->flaw == FLAW_LOST_MOVE))
  {
    sim_thread *h = &s->thread[s->nthreads - 1];
    if (h->nops == SIM_OPS)
      h->nops--;
    memmove(&h->op[1], &h->op[0], (SIM_OPS - 1) * sizeof h->op[0]);
    unsigned at = pick(s, h->nops + 1);
    for (unsigned i = 0; i < at; i++)
      h->op[i] = h->op[i + 1];
    h->op[at] = (sim_op){.internal = true};
    h->nops++;
  }
}

static const struct
{
  model_kind kind;
  bool (*method)(sim *, sim_thread *);
} programs[] = {
    {MODEL_MULTISET_SLOTS, sim_multiset},
    {MODEL_REGISTER, sim_cell},
    {MODEL_COUNTER, sim_cell},
    {MODEL_STACK, sim_stack},
    {MODEL_QUEUE, sim_queue},
};

static unsigned
program_of(sim *s, flaw f)
{
  switch (f)
  {
  case FLAW_NONE:
    return chance(s, 40) ? 0 : pick(s, 5);
  case FLAW_EXACT_STORE:
    return 1 + pick(s, 2);
  case FLAW_TWO_COPIES:
    return 1;
  case FLAW_LOST_UPDATE:
    return 2 + pick(s, 2);
  case FLAW_EARLY_PEEK:
    return 4;
  default:
    return 0;
  }
}

static void
simulate(trace *t, uint64_t seed, flaw f)
{
  sim s = {.t = t, .random = seed ^ 0x5eed, .flaw = f};
  hd_random(&s.random);
  unsigned program = program_of(&s, f);
  bool views = f == FLAW_NO_BLOCK || f == FLAW_LATE_UNDO || chance(&s, 60);
  trace_start(t, programs[program].kind, views);
  t->seed = seed;
  t->right = f == FLAW_NONE;
  s.method = programs[program].method;
  s.locked = f == FLAW_NONE && chance(&s, 50);
  s.scan_lock = f == FLAW_LOST_MOVE || (f != FLAW_EXACT_DELETE && chance(&s, 50));
  s.old_values = chance(&s, 30);
  s.commit_return = chance(&s, 30);
  s.nthreads = 3 + pick(&s, 2);
  plan(&s, 4 + pick(&s, 5));
  run(&s);
}

void
simulate_right(trace *t, uint64_t seed)
{
  simulate(t, seed, FLAW_NONE);
  t->family = "simulated, right";
}

void
simulate_flaw(trace *t, uint64_t seed, flaw f)
{
  simulate(t, seed, f);
  t->family = "simulated, flawed";
}

void
simulate_wrong(trace *t, uint64_t seed)
{
  simulate_flaw(t, seed, FLAW_NONE + 1 + seed % (FLAW_COUNT - 1));
}
