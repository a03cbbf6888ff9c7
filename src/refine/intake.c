/* intake.c: events become operations, ticks and writes.
 *
 * Events of one thread come in its order, so each thread has a stack of the operations that it has open on this object.
 * A tick goes into the ring of ticks at its number; an observer is listed at the gap in which it starts as soon as its
 * return is known. Whatever the annotations did wrong becomes a finding that waits for its place in the order of ticks.
 */
#include "refine/internal.h"

#include <stdlib.h>
#include <string.h>

/* Ticks that may be ahead of the one in hand: bounds what a lying log can make us allocate. */
#define MAX_AHEAD (1ull << 24)

/* ---- ticks ---- */

tick *
tick_at(hd_refine *r, uint64_t n)
{
  if (n < r->base || n - r->base >= MAX_AHEAD)
    return NULL;
  if (n - r->base >= r->ticks_size)
  {
    size_t old_size = r->ticks_size, size = old_size ? old_size : 64;
    while (n - r->base >= size)
      size *= 2;
    tick *ticks = hd_alloc_zero(size * sizeof *ticks);
    for (uint64_t i = r->base; i < r->base + old_size; i++)
      ticks[i & (size - 1)] = r->ticks[i & (old_size - 1)];
    free(r->ticks);
    r->ticks = ticks;
    r->ticks_size = size;
  }
  return &r->ticks[n & (r->ticks_size - 1)];
}

/* E is more than MAX_AHEAD ticks ahead of what could be judged. If an operation holds the check up, say which. */
static bool
out_of_reach(hd_refine *r, const hd_event *e)
{
  const op *oldest = r->waiting;
  for (const op *o = r->waiting; o; o = o->waiting_next)
    if (o->call < oldest->call)
      oldest = o;
  if (!oldest)
    return refine_incomplete(r, hd_text("the log is damaged: tick %llu of object %s is out of place",
                                        (unsigned long long) e->stamp, r->result.object));
  char *what = describe_op(r, oldest), *where = describe_place(r, oldest->call_site);
  refine_incomplete(
      r, hd_text("%s of thread %u, called at %s, stayed open for more than %llu ticks, and nothing after its "
                 "call can be judged before it returns",
                 what, oldest->thread, where, (unsigned long long) MAX_AHEAD));
  free(what);
  free(where);
  return false;
}

static bool
set_tick(hd_refine *r, const hd_event *e, enum tick_kind kind, op *o, block *b)
{
  if (!e->stamped)
  {
    if (b)
      block_release(r, b);
    return true; /* torn: the program died here, the tick will be found missing */
  }
  tick *t = tick_at(r, e->stamp);
  if (!t || t->kind != TICK_MISSING)
  {
    if (b)
      block_release(r, b);
    if (!t)
      return out_of_reach(r, e);
    return refine_incomplete(r, hd_text("the log is damaged: tick %llu of object %s appears twice",
                                        (unsigned long long) e->stamp, r->result.object));
  }
  t->kind = kind;
  t->site = hd_event_place(e);
  t->op = o;
  t->block = b;
  if (e->stamp >= r->highest)
    r->highest = e->stamp + 1;
  return true;
}

/* ---- operations whose fate is not known ---- */

static void
waiting_add(hd_refine *r, op *o)
{
  o->waiting_prev = NULL;
  o->waiting_next = r->waiting;
  if (r->waiting)
    r->waiting->waiting_prev = o;
  r->waiting = o;
}

void
waiting_remove(hd_refine *r, op *o)
{
  if (o->waiting_prev)
    o->waiting_prev->waiting_next = o->waiting_next;
  else if (r->waiting == o)
    r->waiting = o->waiting_next;
  else
    return; /* not listed */
  if (o->waiting_next)
    o->waiting_next->waiting_prev = o->waiting_prev;
  o->waiting_next = o->waiting_prev = NULL;
}

/* ---- errors of annotation: they wait until the ticks before them are judged ---- */

bool
refine_annotation_error(hd_refine *r, const hd_event *e, const op *o, HD_TAKE char *headline, HD_TAKE char *suggestion)
{
  uint64_t at = thread_get(r, e->thread)->last;
  if (e->stamped)
    at = e->stamp;
  if (r->annotation && at >= r->annotation_gap)
  {
    free(headline);
    free(suggestion);
    return true;
  }
  if (r->annotation)
    finding_clear(&r->annotation_finding);
  r->annotation = true;
  r->annotation_gap = at;
  hd_finding *f = &r->annotation_finding;
  *f = (hd_finding){.kind = HD_FOUND_ANNOTATION,
                    .blame = HD_BLAME_ANNOTATION,
                    .headline = headline,
                    .suggestion = suggestion,
                    .site = hd_event_place(e),
                    .position = e->ticked ? tick_position(at) : look_position(at)};
  if (o)
    finding_add_op(r, f, o, true, true);
  return true;
}

static const char *
misuse_text(uint64_t code)
{
  switch (code)
  {
  case HD_MISUSE_OTHER_OBJECT:
    return "the innermost open operation of the thread is not on this object, or the thread has none";
  case HD_MISUSE_NESTED_BLOCK:
    return "a commit block begins inside a commit block";
  case HD_MISUSE_NO_BLOCK:
    return "a commit block ends that was not begun";
  case HD_MISUSE_OPEN_BLOCK:
    return "the operation returns inside its commit block";
  case HD_MISUSE_SECOND_COMMIT:
    return "the operation commits a second time";
  case HD_MISUSE_WINDOW_AFTER_COMMIT:
    return "a commit window opens after the commit";
  case HD_MISUSE_INTERNAL:
    return "an internal task neither commits nor returns, and an operation is not ended by HD_INTERNAL_END";
  case HD_MISUSE_TOO_DEEP:
    return "too many operations are open in one thread";
  case HD_MISUSE_NOCOMMIT:
    return "a commit window inside an operation that was called with HD_CALL_NOCOMMIT";
  default:
    return "an annotation that makes no sense here";
  }
}

static bool
misuse(hd_refine *r, const hd_event *e)
{
  thread *t = thread_get(r, e->thread);
  char *where = describe_place(r, hd_event_place(e));
  char *op_text = t->top ? describe_op(r, t->top) : NULL;
  uint64_t code = e->nvalues ? e->values[0].u : 0;
  char *headline = hd_text("wrong annotation at %s: %s (thread %u%s%s)", where, misuse_text(code), e->thread,
                           op_text ? ", in " : ", in no operation", op_text ? op_text : "");
  refine_annotation_error(r, e, t->top, headline, NULL);
  thread_forget(r, t);
  free(where);
  free(op_text);
  return true;
}

/* ---- the kinds of events ---- */

static bool
damaged(hd_refine *r, const hd_event *e, const char *what)
{
  return refine_incomplete(r,
                           hd_text("the log is damaged: %s (thread %u, object %s)", what, e->thread, r->result.object));
}

static bool
call(hd_refine *r, const hd_event *e, thread *t)
{
  if (!e->stamped)
    return true; /* torn: it never started for anybody */
  uint32_t method = 0;
  if (!refine_find_method(r, e, &method))
    return false;
  tick *start = tick_at(r, e->stamp);
  if (!start)
    return out_of_reach(r, e);
  start->calls++;
  op *o = op_new(r);
  o->method = method;
  o->thread = e->thread;
  o->call = e->stamp;
  o->call_site = hd_event_place(e);
  o->number = ++r->next_number;
  if (r->spec->methods[method].role == HD_OBSERVER)
    o->flags |= OP_OBSERVER;
  tail_add(r, o);
  o->outer = t->top;
  t->top = o;
  r->result.stats.operations++;
  if (++r->open_count > r->result.stats.open_peak)
    r->result.stats.open_peak = r->open_count;
  if (!refine_take_args(r, e, o))
    return false;
  waiting_add(r, o);
  if (e->kind == HD_K_CALL_NOCOMMIT)
  {
    o->flags |= OP_NOCOMMIT | OP_WINDOW | OP_CALL_TICKED;
    o->window = e->stamp;
    o->window_site = hd_event_place(e);
    return set_tick(r, e, TICK_OPEN, o, NULL);
  }
  return true;
}

static void
list_arrival(hd_refine *r, op *o)
{
  tick *t = tick_at(r, o->call);
  HD_CHECK(t != NULL);
  o->next = t->arrivals;
  t->arrivals = o;
}

static void
end_block(hd_refine *r, op *o)
{
  if (o->block && o->block != o->commit_block)
    block_release(r, o->block);
  o->block = NULL;
  o->flags &= ~OP_BLOCK_OPEN;
}

static bool
returned(hd_refine *r, const hd_event *e, thread *t)
{
  op *o = t->top;
  if (!o || (o->flags & OP_INTERNAL))
    return damaged(r, e, "a return without a call");
  if (!e->stamped)
    return true; /* torn: as if it had not returned */
  if (!refine_take_return(r, e, o, e->kind == HD_K_RETURN_EXC))
    return false;
  t->top = o->outer;
  o->end = e->stamp;
  o->returned_at = r->next_number;
  o->return_site = hd_event_place(e);
  o->flags |= OP_RETURNED | OP_ENDED | (e->ticked ? OP_END_TICKED : 0);
  end_block(r, o);
  r->result.stats.returned++;
  r->open_count--;
  tick *last = tick_at(r, e->stamp);
  if (!last)
    return out_of_reach(r, e);
  last->returns++;
  waiting_remove(r, o);
  if (o->flags & OP_NOCOMMIT)
  {
    if (!(o->flags & OP_COMMITTED))
      return e->ticked ? set_tick(r, e, TICK_CLOSE, o, NULL) : damaged(r, e, "a return did not end its window");
  }
  else if (op_observes(o) && !(o->flags & OP_COMMITTED))
  {
    if (o->call < r->base)
      return damaged(r, e, "a call lies below the frontier");
    list_arrival(r, o);
  }
  return !e->ticked || set_tick(r, e, TICK_NOTHING, o, NULL);
}

static bool
commit(hd_refine *r, const hd_event *e, thread *t)
{
  op *o = t->top;
  if (!o || (o->flags & OP_INTERNAL))
    return damaged(r, e, "a commit outside any operation");
  if (o->flags & OP_COMMITTED)
  {
    char *where = describe_place(r, hd_event_place(e)), *first = describe_place(r, o->commit_site),
         *what = describe_op(r, o);
    refine_annotation_error(
        r, e, o,
        hd_text("wrong annotation at %s: %s (thread %u) commits a second time; it had committed at %s", where, what,
                o->thread, first),
        hd_text("mark one commit on each path (HD_COMMIT_IF tells them apart)"));
    free(where);
    free(first);
    free(what);
    return set_tick(r, e, TICK_NOTHING, o, NULL);
  }
  if (!e->stamped)
    return true;
  if (o->flags & OP_OBSERVER)
  {
    /* Harmless: an observer changes nothing, so its commit only says where it looked. */
    return set_tick(r, e, TICK_NOTHING, o, NULL);
  }
  o->flags |= OP_COMMITTED;
  o->commit = e->stamp;
  o->commit_site = hd_event_place(e);
  if (o->flags & OP_BLOCK_OPEN)
    o->commit_block = o->block;
  if (e->kind != HD_K_COMMIT && !refine_take_return(r, e, o, e->kind == HD_K_COMMIT_EXC))
    return false;
  if ((o->flags & OP_RET_KNOWN) && !(o->flags & OP_BLOCK_OPEN))
    waiting_remove(r, o);
  r->result.stats.commits++;
  return set_tick(r, e, TICK_COMMIT, o, NULL);
}

static bool
window(hd_refine *r, const hd_event *e, thread *t)
{
  op *o = t->top;
  if (!o || (o->flags & (OP_INTERNAL | OP_NOCOMMIT)))
    return damaged(r, e, "a commit window outside any operation");
  if (!e->stamped)
    return true;
  if (o->flags & OP_COMMITTED)
  {
    char *where = describe_place(r, hd_event_place(e)), *what = describe_op(r, o);
    refine_annotation_error(r, e, o,
                            hd_text("wrong annotation at %s: a commit window opens after the commit of %s (thread %u)",
                                    where, what, o->thread),
                            NULL);
    free(where);
    free(what);
    return set_tick(r, e, TICK_NOTHING, o, NULL);
  }
  o->flags |= OP_WINDOW;
  o->window = e->stamp;
  o->window_site = hd_event_place(e);
  r->result.stats.windows++;
  return set_tick(r, e, TICK_WINDOW, o, NULL);
}

static bool
block_begin(hd_refine *r, const hd_event *e, thread *t)
{
  op *o = t->top;
  if (!o || (o->flags & OP_BLOCK_OPEN))
    return damaged(r, e, "a commit block begins where none can");
  o->flags |= OP_BLOCK_OPEN;
  if (r->views)
    o->block = block_new(r, o, e->thread, hd_event_place(e));
  return true;
}

static bool
block_end(hd_refine *r, const hd_event *e, thread *t)
{
  op *o = t->top;
  if (!o || !(o->flags & OP_BLOCK_OPEN))
    return damaged(r, e, "a commit block ends that was not begun");
  block *b = o->block;
  if (e->ticked && b && b == o->commit_block)
    return damaged(r, e, "a commit block with a commit ticks at its end");
  o->flags &= ~OP_BLOCK_OPEN;
  o->block = NULL;
  if ((o->flags & OP_COMMITTED) && (o->flags & OP_RET_KNOWN))
    waiting_remove(r, o);
  if (e->ticked)
    return set_tick(r, e, TICK_BLOCK, o, b); /* no commit in it: it takes effect here */
  if (b && b != o->commit_block)
    block_release(r, b);
  return true;
}

static bool
wrote(hd_refine *r, const hd_event *e, thread *t)
{
  op *o = t->top;
  bool outside = e->kind >= HD_K_FREE_WRITE && e->kind <= HD_K_FREE_REPLAY;
  if (!outside && !o)
    return damaged(r, e, "a write outside any operation");
  if (e->nvalues < 2)
    return damaged(r, e, "a write without a value");
  r->result.stats.writes++;
  if (!r->views)
    return !e->ticked || set_tick(r, e, TICK_NOTHING, o, NULL);
  logged_write w = {.var = e->values[0].u,
                    .value = e->values[1],
                    .site = hd_event_place(e),
                    .replay = e->kind == HD_K_REPLAY || e->kind == HD_K_FREE_REPLAY,
                    .has_old = (e->kind == HD_K_WRITE_OLD || e->kind == HD_K_FREE_WRITE_OLD) && e->nvalues > 2,
                    .position = e->ticked ? tick_position(e->stamp) : look_position(e->stamp)};
  bool in_block = !outside && (o->flags & OP_BLOCK_OPEN) && !e->ticked;
  if (!in_block && !e->ticked)
    return e->stamped ? damaged(r, e, "a write outside a block did not tick") : true;
  block *b = in_block ? o->block : block_new(r, outside ? NULL : o, e->thread, hd_event_place(e));
  w.value = value_own(w.value);
  if (w.has_old)
    w.old = value_own(e->values[2]);
  HD_PUSH(b->writes, b->nwrites, b->cap, w);
  return in_block || set_tick(r, e, TICK_WRITE, outside ? NULL : o, b);
}

static bool
internal_begin(hd_refine *r, const hd_event *e, thread *t)
{
  if (!e->stamped)
    return true;
  op *o = op_new(r);
  const hd_log_site *site = hd_log_site_get(r->log, e->site);
  o->task = site ? site->method : "task";
  o->thread = e->thread;
  o->call = e->stamp;
  o->call_site = hd_event_place(e);
  o->number = ++r->next_number;
  o->flags |= OP_INTERNAL;
  tail_add(r, o);
  o->outer = t->top;
  t->top = o;
  r->result.stats.internal++;
  r->open_count++;
  return true;
}

static bool
internal_end(hd_refine *r, const hd_event *e, thread *t)
{
  op *o = t->top;
  if (!o || !(o->flags & OP_INTERNAL))
    return damaged(r, e, "an internal task ends that was not begun");
  if (!e->stamped)
    return true;
  t->top = o->outer;
  o->end = e->stamp;
  o->return_site = hd_event_place(e);
  o->flags |= OP_RETURNED | OP_ENDED | OP_END_TICKED;
  end_block(r, o);
  r->open_count--;
  return set_tick(r, e, TICK_TASK, o, NULL);
}

/* O ends here. If it has a window, what it wrote in its open block goes with it wherever it is placed. */
void
op_cut(op *o)
{
  if ((o->flags & OP_WINDOW) && !(o->flags & OP_COMMITTED) && o->block)
    o->commit_block = o->block;
}

/* The operation will never return: its end is as unknown as that of one that the log cuts off. It stays in the waiting
 * list (nobody else will give it a fate), marked, so that the engine takes it for what it is. */
static bool
abandoned(hd_refine *r, const hd_event *e, thread *t)
{
  op *o = t->top;
  if (!o)
    return damaged(r, e, "an operation is abandoned where none is open");
  t->top = o->outer;
  o->flags |= OP_GONE | OP_ENDED;
  if (!(o->flags & OP_INTERNAL))
    waiting_remove(r, o);
  if (!(o->flags & (OP_COMMITTED | OP_WINDOW)) || (o->flags & OP_INTERNAL))
    o->flags |= OP_JUDGED; /* nobody can have seen it */
  op_cut(o);
  return true;
}

bool
hd_refine_event(hd_refine *r, const hd_event *e)
{
  if (r->decided)
    return false;
  r->result.stats.events++;
  thread *t = thread_get(r, e->thread);
  if (e->stamped)
  {
    if (HD_UNLIKELY(e->stamp < t->last || e->stamp < r->base))
      return damaged(r, e, "stamps run backwards");
    t->last = e->stamp;
    if (e->stamp + e->ticked > r->shown)
      r->shown = e->stamp + e->ticked;
  }
  bool ok = true;
  switch (e->kind)
  {
  case HD_K_CALL:
  case HD_K_CALL_NOCOMMIT:
    ok = call(r, e, t);
    break;
  case HD_K_RETURN:
  case HD_K_RETURN_EXC:
    ok = returned(r, e, t);
    break;
  case HD_K_COMMIT:
  case HD_K_COMMIT_RET:
  case HD_K_COMMIT_EXC:
    ok = commit(r, e, t);
    break;
  case HD_K_WINDOW:
    ok = window(r, e, t);
    break;
  case HD_K_BLOCK_BEGIN:
    ok = block_begin(r, e, t);
    break;
  case HD_K_BLOCK_END:
    ok = block_end(r, e, t);
    break;
  case HD_K_WRITE:
  case HD_K_WRITE_OLD:
  case HD_K_REPLAY:
  case HD_K_FREE_WRITE:
  case HD_K_FREE_WRITE_OLD:
  case HD_K_FREE_REPLAY:
    ok = wrote(r, e, t);
    break;
  case HD_K_INTERNAL_BEGIN:
    ok = internal_begin(r, e, t);
    break;
  case HD_K_INTERNAL_END:
    ok = internal_end(r, e, t);
    break;
  case HD_K_ABANDON:
    ok = abandoned(r, e, t);
    break;
  case HD_K_MISUSE:
    return misuse(r, e);
  case HD_K_OBJECT_END:
    ok = set_tick(r, e, TICK_NOTHING, NULL, NULL);
    break;
  default:
    ok = damaged(r, e, "a record of unknown kind");
    break;
  }
  if (e->thread >= DIRECT_THREADS)
    thread_forget(r, thread_get(r, e->thread));
  return ok;
}
