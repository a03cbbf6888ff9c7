/* writer_event.c: what each macro logs, in every case that the inline path (heddle/fast.h) leaves to us: the table of
 * docs/rules.md 1.2 with its memory orders (1.3), misuse, and operations that cannot be logged for want of room.
 *
 * No case may crash the program or damage the log. What cannot be recorded never moves a clock: the object is marked
 * lost from that moment on, and the operation's entry on the stack swallows the rest of it. Signal handlers may log at
 * any point of this file: they leave the stack of open operations as they found it. */
#define _GNU_SOURCE
#include "log/writer.h"

#include <stddef.h>

#define SAME(name) _Static_assert((int) HD_M_##name == (int) HD_K_##name, "heddle/fast.h and format.h differ")
SAME(CALL);
SAME(CALL_NOCOMMIT);
SAME(RETURN);
SAME(RETURN_EXC);
SAME(COMMIT);
SAME(COMMIT_RET);
SAME(COMMIT_EXC);
SAME(WINDOW);
SAME(BLOCK_BEGIN);
SAME(BLOCK_END);
SAME(WRITE);
SAME(WRITE_OLD);
SAME(REPLAY);
SAME(INTERNAL_BEGIN);
SAME(INTERNAL_END);
SAME(ABANDON);
_Static_assert(HD_FAST_MAX < HD_STAMP_MAX_SHORT && HD_FAST_TICK == HD_STAMP_TICK && HD_FAST_WINDOW == HD_CLOCK_WINDOW
                   && HD_FAST_NO_STAMP == HD_STAMP_NONE && HD_OPEN_COMMITTED == 1,
               "heddle/fast.h and format.h differ");

/* ---- records ---- */

/* What is being logged. */
typedef struct event
{
  hd_thread *t;
  hd_object *o;
  hd_site *site;
  const hd_value *values;
  char *p; /* the record */
  size_t size;
} event;

/* An operation on the object is not logged, or not to its end. */
static void
lose(event *e)
{
  hd_writer *w = e->t->log;
  if (__atomic_load_n(&hd_writer_running, __ATOMIC_RELAXED) != w->number)
    return;
  hd_slot *slot = (hd_slot *) (void *) ((char *) e->o->clock - offsetof(hd_slot, clock));
  uint64_t at = 1 + (__atomic_load_n(&slot->clock, __ATOMIC_ACQUIRE) & HD_CLOCK_TICKS); /* acquire: as a call's look */
  uint64_t old = __atomic_load_n(&slot->lost_at, __ATOMIC_RELAXED);
  while ((old == 0 || at < old)
         /* release: pairs with the reader's acquire; what was logged before is before */
         && !__atomic_compare_exchange_n(&slot->lost_at, &old, at, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
    ;
  __atomic_fetch_add(&slot->dropped, 1, __ATOMIC_RELAXED); /* relaxed: counts only */
  __atomic_fetch_add(&w->header->dropped, 1, __ATOMIC_RELAXED);
}

/* The innermost operation is in the log, but its rest will not be. */
static void
lose_rest(event *e, hd_open *top)
{
  lose(e);
  top->flags |= HD_OPEN_DROPPED | HD_OPEN_HALF_LOGGED;
}

/* Take a record of KIND and fill it; NAMED: with the object. *HEADER is then to be announced. False: no room. */
static bool
fill(event *e, uint32_t kind, bool named, uint32_t *header)
{
  *header = hd_writer_site(e->site);
  if (*header == 0)
    return false;
  *header = (*header & ~0xffu) | kind;
  uint32_t n = e->site->nvalues;
  e->size = 8 + (named ? 8 : 0) + hd_writer_values_size(e->site->types, e->values, n);
  e->p = hd_writer_reserve(e->t, e->size);
  if (!e->p)
    return false;
  char *p = e->p + 8;
  if (named)
  {
    hd_fast_word(p, e->o->id);
    p += 8;
  }
  hd_writer_put_values(p, e->site->types, e->values, n);
  return true;
}

static bool
announce(event *e, uint32_t kind, bool named)
{
  uint32_t header;
  if (!fill(e, kind, named, &header))
    return false;
  hd_fast_announce(e->p, header);
  return true;
}

/* A record without a stamp or values. */
static bool
plain(event *e, uint32_t kind)
{
  uint32_t header;
  if (!fill(e, kind, false, &header))
    return false;
  hd_writer_put(e->p, header, 0, 0, 8);
  return true;
}

static void
look(event *e)
{
  /* acquire fence: pairs with the release fence after the begin of a window (docs/rules.md 1.3, return look) */
  HD_FENCE_ACQUIRE();
  hd_late(e->p, e->size, e->o->clock, __atomic_load_n(e->o->clock, HD_AFTER_FENCE), HD_LATE_LOOK);
}

/* DELTA: change of the number of open windows. */
static void
tick(event *e, int delta)
{
  uint64_t add = 1 + (delta > 0 ? HD_CLOCK_WINDOW : 0) - (delta < 0 ? HD_CLOCK_WINDOW : 0);
  /* acq_rel: pairs with the acquire of a call's look and with the other ticks (docs/rules.md 1.3) */
  uint64_t seen = __atomic_fetch_add(e->o->clock, add, __ATOMIC_ACQ_REL);
  hd_late(e->p, e->size, e->o->clock, seen, HD_LATE_TICK);
}

static void
misuse(event *e, enum hd_misuse what)
{
  uint32_t header = hd_writer_site(e->site);
  char *p = header ? hd_writer_reserve(e->t, 24) : NULL;
  if (p)
    hd_writer_put(p, HD_K_MISUSE | 1u << 8 | (header & 0xffff0000u), e->o->id, what, 24);
  else
    __atomic_store_n(&e->t->log->header->lost, 1, __ATOMIC_RELAXED);
}

/* ---- the stack of open operations ---- */

static hd_open *
get_top(void)
{
  return *(hd_open *volatile *) &hd_thread_local.top;
}

static void
set_top(hd_open *top)
{
  *(hd_open *volatile *) &hd_thread_local.top = top;
}

static void
push(event *e, uint32_t flags)
{
  hd_open *top = get_top() + 1;
  set_top(top); /* first: a handler then pushes above it */
  top->object = e->o;
  top->flags = flags;
}

static void
pop(hd_open *top)
{
  top->flags = 0;
  set_top(top - 1);
}

/* The innermost operation ends and is not to be logged further. */
static void
pop_dropped(event *e, hd_open *top)
{
  if (top->flags & HD_OPEN_HALF_LOGGED)
  {
    /* The reader must not take the next return for this one's. */
    char *p = hd_writer_reserve(e->t, 8);
    if (p)
      hd_writer_put(p, HD_K_ABANDON, 0, 0, 8);
    else
      e->t->owed++;
  }
  pop(top);
}

/* ---- the macros ---- */

static bool
opens(uint32_t kind)
{
  return kind == HD_K_CALL || kind == HD_K_CALL_NOCOMMIT || kind == HD_K_INTERNAL_BEGIN;
}

static bool
closes(uint32_t kind)
{
  return kind == HD_K_RETURN || kind == HD_K_RETURN_EXC || kind == HD_K_INTERNAL_END || kind == HD_K_ABANDON;
}

/* More than HD_MAX_DEPTH operations are open: only their number is kept. */
static void
too_deep(event *e)
{
  hd_thread *t = e->t;
  if (opens(e->site->kind))
  {
    if (t->deep++ == 0)
    {
      misuse(e, HD_MISUSE_TOO_DEEP);
      set_top(hd_writer_off);
    }
  }
  else if (closes(e->site->kind) && --t->deep == 0)
    set_top(&t->stack[HD_MAX_DEPTH]);
}

static void
log_call(event *e)
{
  uint32_t kind = e->site->kind;
  if (get_top() == &e->t->stack[HD_MAX_DEPTH])
  {
    too_deep(e);
    return;
  }
  if (!announce(e, kind, true))
  {
    lose(e);
    push(e, HD_OPEN_DROPPED);
    return;
  }
  switch (kind)
  {
  case HD_K_CALL_NOCOMMIT:
    push(e, HD_OPEN_NOCOMMIT);
    tick(e, 1);
    HD_FENCE_RELEASE(); /* pairs with the acquire fence of a return's look: an effect is seen after this tick */
    break;
  default:
    push(e, kind == HD_K_INTERNAL_BEGIN ? HD_OPEN_INTERNAL : 0);
    /* acquire: pairs with the release of the tick that made this number */
    hd_late(e->p, e->size, e->o->clock, __atomic_load_n(e->o->clock, __ATOMIC_ACQUIRE), HD_LATE_LOOK);
  }
}

static void
log_return(event *e, hd_open *top)
{
  if (top->flags & HD_OPEN_BLOCK)
  {
    misuse(e, HD_MISUSE_OPEN_BLOCK);
    top->flags &= ~(uint32_t) (HD_OPEN_BLOCK | HD_OPEN_BLOCK_AFTER);
  }
  if (!announce(e, e->site->kind, false))
  {
    lose_rest(e, top);
    pop_dropped(e, top);
    return;
  }
  uint32_t flags = top->flags;
  if (flags & (HD_OPEN_NOCOMMIT | HD_OPEN_WINDOW))
    tick(e, -1);
  else if (flags & HD_OPEN_INTERNAL)
    tick(e, 0);
  else if (flags & HD_OPEN_COMMITTED)
    look(e);
  else
  {
    HD_FENCE_ACQUIRE(); /* as in look() */
    hd_late(e->p, e->size, e->o->clock, __atomic_load_n(e->o->clock, HD_AFTER_FENCE), HD_LATE_RETURN);
  }
  pop(top);
}

static void
log_commit(event *e, hd_open *top)
{
  if (top->flags & HD_OPEN_NOCOMMIT)
    misuse(e, HD_MISUSE_NOCOMMIT);
  else if (top->flags & HD_OPEN_COMMITTED)
    misuse(e, HD_MISUSE_SECOND_COMMIT);
  else if (!announce(e, e->site->kind, false))
    lose_rest(e, top);
  else
  {
    bool window = top->flags & HD_OPEN_WINDOW;
    top->flags = (top->flags & ~(uint32_t) HD_OPEN_WINDOW) | HD_OPEN_COMMITTED;
    tick(e, window ? -1 : 0);
  }
}

static void
log_window(event *e, hd_open *top)
{
  if (top->flags & HD_OPEN_NOCOMMIT)
    misuse(e, HD_MISUSE_NOCOMMIT);
  else if (top->flags & HD_OPEN_COMMITTED)
    misuse(e, HD_MISUSE_WINDOW_AFTER_COMMIT);
  else if (!announce(e, HD_K_WINDOW, false))
    lose_rest(e, top);
  else
  {
    bool again = top->flags & HD_OPEN_WINDOW;
    top->flags |= HD_OPEN_WINDOW;
    tick(e, again ? 0 : 1);
    HD_FENCE_RELEASE(); /* pairs with the acquire fence of a return's look: the effect is seen after this tick */
  }
}

static void
log_block(event *e, hd_open *top)
{
  bool begin = e->site->kind == HD_K_BLOCK_BEGIN, open = top->flags & HD_OPEN_BLOCK;
  if (begin == open)
  {
    misuse(e, begin ? HD_MISUSE_NESTED_BLOCK : HD_MISUSE_NO_BLOCK);
    return;
  }
  if (begin)
  {
    if (!plain(e, HD_K_BLOCK_BEGIN))
      lose_rest(e, top);
    else
      top->flags |= HD_OPEN_BLOCK | (top->flags & HD_OPEN_COMMITTED ? HD_OPEN_BLOCK_AFTER : 0);
    return;
  }
  bool committed_inside = (top->flags & (HD_OPEN_COMMITTED | HD_OPEN_BLOCK_AFTER)) == HD_OPEN_COMMITTED;
  bool room = committed_inside ? plain(e, HD_K_BLOCK_END) : announce(e, HD_K_BLOCK_END, false);
  top->flags &= ~(uint32_t) (HD_OPEN_BLOCK | HD_OPEN_BLOCK_AFTER);
  if (!room)
    lose_rest(e, top);
  else if (!committed_inside)
    tick(e, 0);
}

/* Writes and replay entries; TOP may be on another object. */
static void
log_write(event *e, hd_open *top)
{
  uint32_t kind = e->site->kind;
  if (top->object == e->o)
  {
    if (top->flags & HD_OPEN_DROPPED)
      return;
    if (!announce(e, kind, false))
      lose_rest(e, top);
    else if (top->flags & HD_OPEN_BLOCK)
      look(e);
    else
      tick(e, 0);
    return;
  }
  for (hd_open *open = top; open > e->t->stack; open--)
    if (open->object == e->o && (open->flags & (HD_OPEN_BLOCK | HD_OPEN_DROPPED)) == HD_OPEN_BLOCK)
    {
      misuse(e, HD_MISUSE_OTHER_OBJECT);
      return;
    }
  if (announce(e, kind - HD_K_WRITE + HD_K_FREE_WRITE, true))
    tick(e, 0);
  else
    lose(e);
}

static void
log_abandon(event *e, hd_open *top)
{
  if (!plain(e, HD_K_ABANDON))
    e->t->owed++;
  pop(top);
}

/* Everything that belongs to the innermost operation. */
static void
log_inner(event *e)
{
  hd_open *top = get_top();
  uint32_t kind = e->site->kind;
  bool internal = top->flags & HD_OPEN_INTERNAL;
  if (top->object != e->o || top == e->t->stack)
    misuse(e, HD_MISUSE_OTHER_OBJECT);
  else if (kind != HD_K_ABANDON && kind != HD_K_BLOCK_BEGIN && kind != HD_K_BLOCK_END
           && internal != (kind == HD_K_INTERNAL_END))
    misuse(e, HD_MISUSE_INTERNAL);
  else if (top->flags & HD_OPEN_DROPPED)
  {
    if (closes(kind))
      pop_dropped(e, top);
  }
  else
    switch (kind)
    {
    case HD_K_RETURN:
    case HD_K_RETURN_EXC:
    case HD_K_INTERNAL_END:
      log_return(e, top);
      break;
    case HD_K_COMMIT:
    case HD_K_COMMIT_RET:
    case HD_K_COMMIT_EXC:
      log_commit(e, top);
      break;
    case HD_K_WINDOW:
      log_window(e, top);
      break;
    case HD_K_BLOCK_BEGIN:
    case HD_K_BLOCK_END:
      log_block(e, top);
      break;
    case HD_K_ABANDON:
      log_abandon(e, top);
      break;
    }
}

/* This thread in the running log, for an event on O; NULL: there is nothing to log. */
static hd_thread *
enter(const hd_object *o)
{
  /* acquire: pairs with the release in hd_start */
  uint32_t running = __atomic_load_n(&hd_writer_running, __ATOMIC_ACQUIRE);
  if (running == 0 || o->log != running || hd_thread_local.paused)
    return NULL;
  hd_thread *t = hd_thread_local.thread;
  return t && t->log_number == running ? t : hd_writer_attach();
}

/* Apart, so that hd_log_event costs nothing to enter while no log is running. */
static __attribute__((noinline)) void
log_event(hd_object *o, hd_site *site, const hd_value *values)
{
  hd_thread *t = enter(o);
  if (!t)
    return;
  event e = {.t = t, .o = o, .site = site, .values = values};
  if (HD_UNLIKELY_(t->deep))
    too_deep(&e);
  else if (opens(site->kind))
    log_call(&e);
  else if (site->kind >= HD_K_WRITE && site->kind <= HD_K_REPLAY)
    log_write(&e, get_top());
  else
    log_inner(&e);
}

void
hd_log_event(hd_object *o, hd_site *site, const hd_value *values)
{
  if (__atomic_load_n(&hd_writer_running, __ATOMIC_RELAXED)) /* relaxed: enter() looks again */
    log_event(o, site, values);
}

/* ---- what is not a macro's event ---- */

void
hd_object_destroy(hd_object *o)
{
  static hd_site site = {.file = __FILE__, .function = "hd_object_destroy", .line = __LINE__, .kind = HD_K_ABANDON};
  hd_thread *t = enter(o);
  if (t)
  {
    event e = {.t = t, .o = o, .site = &site};
    /* Operations of this thread on it will never return. */
    while (!t->deep && get_top() > t->stack && get_top()->object == o)
      log_inner(&e);
    for (hd_open *open = get_top(); !t->deep && open > t->stack; open--)
      if (open->object == o)
        open->object = hd_writer_off[0].object;
    e.size = 16;
    e.p = hd_writer_reserve(t, 16);
    if (e.p)
    {
      hd_fast_word(e.p + 8, o->id);
      hd_fast_announce(e.p, HD_K_OBJECT_END);
      tick(&e, 0);
    }
    else
      lose(&e);
    hd_slot *slot = (hd_slot *) (void *) ((char *) o->clock - offsetof(hd_slot, clock));
    /* release: pairs with the reader's acquire; its last event is there before */
    __atomic_store_n(&slot->ended, 1, __ATOMIC_RELEASE);
  }
  *o = (hd_object){0};
}

/* A macro of this thread leaves at its first test while TOP is hd_writer_off, and hd_log_event sees PAUSED. */
void
hd_pause(void)
{
  hd_local *l = &hd_thread_local;
  if (l->paused++ == 0)
  {
    l->resume_top = l->top;
    set_top(hd_writer_off);
  }
}

void
hd_resume(void)
{
  hd_local *l = &hd_thread_local;
  if (l->paused > 0 && --l->paused == 0)
    set_top(l->resume_top);
}

hd_guard
hd_guard_begin(hd_object *o, hd_site *site)
{
  hd_open *top = get_top();
  return top->object == o ? (hd_guard){.object = o, .open = top, .site = site} : (hd_guard){0};
}

void
hd_guard_end(hd_guard *guard)
{
  hd_thread *t = guard->object ? enter(guard->object) : NULL;
  if (!t || guard->open <= t->stack || guard->open > &t->stack[HD_MAX_DEPTH])
    return;
  if (t->deep)
  {
    t->deep = 0;
    set_top(&t->stack[HD_MAX_DEPTH]);
  }
  if (guard->open->object != guard->object)
    return;
  /* What it called in turn does not return either. */
  for (hd_open *top; (top = get_top()) >= guard->open;)
  {
    event e = {.t = t, .o = top->object, .site = guard->site};
    if (top->flags & HD_OPEN_DROPPED)
      pop_dropped(&e, top);
    else
      log_abandon(&e, top);
  }
}
