/* sim_small.c: register and counter (by lock or by compare-and-swap), the CAS stack and a locked queue, step by step.
 */
#include "sim.h"

/* The next value of the cell for a mutator, or false: it fails and changes nothing. Sets the return. */
static bool
next_value(sim *s, sim_thread *h, int now)
{
  const sim_op *o = sim_current(h);
  bool ok = true;
  if (s->t->kind == MODEL_COUNTER)
  {
    h->next = o->method == CTR_INC ? now + 1 : 0;
    sim_return(h, o->method == CTR_INC ? hd_int(h->next) : hd_nil());
  }
  else if (o->method == REG_CAS)
  {
    ok = now == o->args[0].i;
    h->next = (int) o->args[1].i;
    sim_return(h, hd_bool(ok));
  }
  else
  {
    h->next = (int) o->args[0].i;
    sim_return(h, o->method == REG_SWAP ? hd_int(now) : hd_nil());
  }
  return ok;
}

static bool
locked_mutator(sim *s, sim_thread *h)
{
  SIM_BEGIN
  STEP;
  sim_window(s, h);
  ACQUIRE(0);
  STEP;
  h->old = s->cell[0];
  if (next_value(s, h, h->old))
  {
    sim_block_begin(s, h);
    STEP;
    s->cell[0] = h->next;
    sim_write(s, h, 0, h->next, h->old);
    STEP;
    sim_commit(s, h);
    sim_block_end(s, h);
  }
  RELEASE(0);
  return true;
  SIM_END
  return true;
}

/* Compare-and-swap in a loop; the window is opened anew at each attempt. */
static bool
swap_mutator(sim *s, sim_thread *h)
{
  SIM_BEGIN
  for (;;)
  {
    STEP;
    h->old = s->cell[0];
    if (!next_value(s, h, h->old))
      return true; /* it has seen another value: no effect, no commit */
    STEP;
    if (s->flaw != FLAW_EXACT_STORE)
      sim_window(s, h);
    STEP;
    if (s->cell[0] == h->old || s->flaw == FLAW_LOST_UPDATE)
      break;
  }
  s->cell[0] = h->next; /* the same step as the comparison */
  if (s->flaw == FLAW_TWO_COPIES)
    STEP;
  s->cell[1] = h->next;
  sim_block_begin(s, h);
  STEP;
  sim_write(s, h, 0, h->next, h->old);
  STEP;
  sim_commit(s, h);
  sim_block_end(s, h);
  return true;
  SIM_END
  return true;
}

static bool
cell_observer(sim *s, sim_thread *h)
{
  SIM_BEGIN
  if (s->locked)
    ACQUIRE(0);
  STEP;
  h->i = s->flaw == FLAW_TWO_COPIES ? (int) (hd_random(&s->random) & 1) : 0;
  sim_return(h, hd_int(s->cell[h->i]));
  if (s->locked)
    RELEASE(0);
  return true;
  SIM_END
  return true;
}

bool
sim_cell(sim *s, sim_thread *h)
{
  if (s->t->model->methods[sim_current(h)->method].role == HD_OBSERVER)
    return cell_observer(s, h);
  return s->locked ? locked_mutator(s, h) : swap_mutator(s, h);
}

/* ---- the CAS stack; nodes are never used again ---- */

static bool
push(sim *s, sim_thread *h)
{
  SIM_BEGIN
  h->node = s->nodes++;
  s->value[h->node] = (int) sim_current(h)->args[0].i;
  sim_return(h, hd_nil());
  sim_block_begin(s, h);
  do
  {
    STEP;
    h->old = s->top;
    s->next[h->node] = h->old;
    STEP;
    sim_window(s, h);
    STEP;
  } while (s->top != h->old);
  s->top = h->node + 1; /* the same step as the comparison */
  STEP;
  sim_write(s, h, VAR_VALUE(h->node), s->value[h->node], 0);
  sim_write(s, h, VAR_NEXT(h->node), h->old, 0);
  STEP;
  sim_write(s, h, VAR_TOP, h->node + 1, h->old);
  STEP;
  sim_commit(s, h);
  sim_block_end(s, h);
  return true;
  SIM_END
  return true;
}

static bool
pop(sim *s, sim_thread *h)
{
  SIM_BEGIN
  do
  {
    STEP;
    sim_window(s, h);
    STEP;
    h->old = s->top;
    if (!h->old)
    {
      sim_return(h, hd_nil());
      return true;
    }
    STEP;
    h->next = s->next[h->old - 1];
    STEP;
  } while (s->top != h->old && s->flaw != FLAW_LOST_UPDATE);
  s->top = h->next; /* the same step as the comparison */
  sim_return(h, hd_int(s->value[h->old - 1]));
  sim_block_begin(s, h);
  STEP;
  sim_write(s, h, VAR_TOP, h->next, h->old);
  STEP;
  sim_commit(s, h);
  sim_block_end(s, h);
  return true;
  SIM_END
  return true;
}

static bool
top(sim *s, sim_thread *h)
{
  SIM_BEGIN
  STEP;
  h->old = s->top;
  STEP;
  sim_return(h, h->old ? hd_int(s->value[h->old - 1]) : hd_nil());
  return true;
  SIM_END
  return true;
}

bool
sim_stack(sim *s, sim_thread *h)
{
  switch (sim_current(h)->method)
  {
  case SEQ_PUT:
    return push(s, h);
  case SEQ_TAKE:
    return pop(s, h);
  default:
    return top(s, h);
  }
}

/* ---- the locked queue ---- */

bool
sim_queue(sim *s, sim_thread *h)
{
  unsigned method = sim_current(h)->method;
  SIM_BEGIN
  STEP;
  if (method != SEQ_LOOK)
    sim_window(s, h);
  if (s->flaw == FLAW_EARLY_PEEK)
  {
    STEP;
    h->i = s->head;
    h->j = s->tail;
  }
  ACQUIRE(0);
  if (s->flaw != FLAW_EARLY_PEEK)
  {
    h->i = s->head;
    h->j = s->tail;
  }
  STEP;
  sim_return(h, hd_nil());
  if (method == SEQ_PUT)
  {
    s->queue[s->tail++] = (int) sim_current(h)->args[0].i;
    STEP;
    sim_commit(s, h);
  }
  else if (h->i < h->j)
  {
    sim_return(h, hd_int(s->queue[h->i]));
    STEP;
    if (method == SEQ_TAKE)
    {
      s->head = h->i + 1;
      STEP;
      sim_commit(s, h);
    }
  }
  RELEASE(0);
  return true;
  SIM_END
  return true;
}
