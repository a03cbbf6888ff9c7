/* tail.c: the latest operations, and a specification state before them, for the diagnosis.
 *
 * Every operation is kept from its call until a checkpoint has passed its end. A checkpoint is a copy of the state,
 * best at a gap in which no operation is open: then nothing before it can matter for the order after it. Two are kept,
 * so that at least one interval of operations lies before any failure. The interval grows with the cost of a copy, so
 * that checkpoints take a tenth of the time at most; without copy() operations are released as soon as they are
 * judged. */
#include "refine/internal.h"

#include <time.h>
#include <stdlib.h>

#define MIN_INTERVAL 1024
#define MAX_INTERVAL 16384 /* and more only where a copy is dear, in proportion to it */
#define PATIENCE 4         /* intervals that a quiescent gap is waited for */

void
tail_add(hd_refine *r, op *o)
{
  HD_PUSH(r->tail.ops, r->tail.n, r->tail.cap, o);
}

static uint64_t
now_ns(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t) t.tv_sec * 1000000000ull + (uint64_t) t.tv_nsec;
}

static void
drop_checkpoint(hd_refine *r, checkpoint *c)
{
  if (c->valid)
    r->spec->destroy(c->state);
  c->valid = false;
}

/* Release what ended before gap G and was judged. */
static void
release_before(hd_refine *r, uint64_t g)
{
  tail *t = &r->tail;
  size_t n = 0;
  for (size_t i = 0; i < t->n; i++)
  {
    op *o = t->ops[i];
    bool gone = (o->flags & OP_ENDED) && (o->flags & OP_JUDGED) && ((o->flags & OP_GONE) || o->end < g);
    if (gone)
      op_release(r, o);
    else
      t->ops[n++] = o;
  }
  t->n = n;
  t->released = n;
}

void
tail_step(hd_refine *r, bool quiescent)
{
  tail *t = &r->tail;
  bool overdue = t->n - t->released >= PATIENCE * t->interval;
  if (r->search.nconfigs > 1 || r->nheld || r->search.configs[0]->steps)
  {
    /* Several states are possible here, and may be for long: no checkpoint can be made. In the end what is judged is
     * let go. */
    if (overdue && views_compactable(r) && views_compact(r, true))
    {
      drop_checkpoint(r, &t->old);
      drop_checkpoint(r, &t->fresh);
      release_before(r, r->base);
    }
    return;
  }
  if (r->options.no_diagnosis || !r->spec->copy)
  {
    release_before(r, r->base);
    return;
  }
  if (!quiescent && !overdue)
    return;
  uint64_t start = now_ns();
  drop_checkpoint(r, &t->old);
  t->old = t->fresh;
  t->fresh = (checkpoint){
      .valid = true, .quiescent = quiescent, .gap = r->base, .state = r->spec->copy(search_state(&r->search))};
  uint64_t end = now_ns(), cost = end - start, since = end - t->last_ns;
  if (cost * 10 > since && t->interval < MAX_INTERVAL + cost / 50)
    t->interval *= 2;
  else if (cost * 40 < since && t->interval > MIN_INTERVAL)
    t->interval /= 2;
  t->last_ns = end;
  if (t->old.valid)
    release_before(r, t->old.gap);
  else
    t->released = t->n;
}

void
tail_init(hd_refine *r)
{
  tail *t = &r->tail;
  t->interval = MIN_INTERVAL;
  t->last_ns = now_ns();
  if (!r->options.no_diagnosis && r->spec->copy)
    t->fresh = (checkpoint){
        .valid = true, .quiescent = true, .gap = r->base, .state = r->spec->copy(search_state(&r->search))};
}

void
tail_done(hd_refine *r)
{
  tail *t = &r->tail;
  drop_checkpoint(r, &t->old);
  drop_checkpoint(r, &t->fresh);
  for (size_t i = 0; i < t->n; i++)
    op_release(r, t->ops[i]);
  free(t->ops);
  *t = (tail){0};
}
