/* check.c: can a program have done this? Locks have one holder, who releases them; a thread is started before its first
 * event and does nothing after it was joined; blocks end where they began. The analyses rely on it. */
#include "trace/trace.h"

#include <stdlib.h>

typedef struct thread
{
  bool seen, forked, joined;
  uint32_t depth; /* of blocks */
} thread;

typedef struct lock
{
  uint32_t depth; /* of the holder: 0: nobody holds it alone */
  uint32_t holder;
  uint32_t *readers; /* threads, one entry for each level */
  size_t nreaders, readers_cap;
} lock;

struct hd_trace_check
{
  thread *threads;
  size_t nthreads, threads_cap;
  hd_trace_ids lock_ids;
  lock *locks;
  size_t nlocks, locks_cap;
};

hd_trace_check *
hd_trace_check_new(void)
{
  return hd_alloc_zero(sizeof(hd_trace_check));
}

void
hd_trace_check_free(hd_trace_check *c)
{
  if (!c)
    return;
  for (size_t i = 0; i < c->nlocks; i++)
    free(c->locks[i].readers);
  free(c->locks);
  free(c->threads);
  hd_trace_ids_free(&c->lock_ids);
  free(c);
}

static thread *
get_thread(hd_trace_check *c, uint64_t id)
{
  HD_CHECK(id < HD_TRACE_MAX_THREADS);
  while (c->nthreads <= id)
    HD_PUSH(c->threads, c->nthreads, c->threads_cap, (thread){0});
  return &c->threads[id];
}

static lock *
get_lock(hd_trace_check *c, uint64_t target)
{
  uint32_t id = hd_trace_ids_get(&c->lock_ids, target);
  if (id == c->nlocks)
    HD_PUSH(c->locks, c->nlocks, c->locks_cap, (lock){0});
  return &c->locks[id];
}

/* "T1 releases m, but ..." */
static hd_trace_checked
impossible(const hd_trace_names *n, const hd_trace_event *e, hd_string *why, const char *but)
{
  const hd_trace_kind_info *kind = hd_trace_kind_get(e->kind);
  hd_trace_print_target(why, n, HD_TRACE_THREAD, e->thread, 0);
  hd_string_printf(why, " %s", kind->sentence);
  if (kind->class != HD_TRACE_NOTHING)
  {
    hd_string_add(why, " ");
    hd_trace_print_target(why, n, (hd_trace_class) kind->class, e->target, e->size);
  }
  hd_string_printf(why, ", but %s", but);
  return HD_TRACE_IMPOSSIBLE;
}

/* How often THREAD holds L for reading. */
static size_t
count_reader(const lock *l, uint32_t thread)
{
  size_t n = 0;
  for (size_t i = 0; i < l->nreaders; i++)
    n += l->readers[i] == thread;
  return n;
}

static hd_trace_checked
check_lock(hd_trace_check *c, const hd_trace_names *n, const hd_trace_event *e, hd_string *why)
{
  lock *l = get_lock(c, e->target);
  bool mine = l->depth > 0 && l->holder == e->thread;
  switch (e->kind)
  {
  case HD_TRACE_ACQUIRE:
    if (l->depth > 0 && !mine)
      return impossible(n, e, why, "another thread holds it");
    if (l->nreaders > 0)
      return impossible(n, e, why, "it is held for reading");
    l->holder = e->thread;
    return l->depth++ == 0 ? HD_TRACE_TAKE : HD_TRACE_LEAVE_OUT;
  case HD_TRACE_RELEASE:
    if (!mine)
      return impossible(n, e, why, "does not hold it");
    return --l->depth == 0 ? HD_TRACE_TAKE : HD_TRACE_LEAVE_OUT;
  case HD_TRACE_ACQUIRE_SHARED:
    if (l->depth > 0)
      return impossible(n, e, why, mine ? "holds it already, for writing" : "another thread holds it for writing");
    HD_PUSH(l->readers, l->nreaders, l->readers_cap, e->thread);
    return count_reader(l, e->thread) == 1 ? HD_TRACE_TAKE : HD_TRACE_LEAVE_OUT;
  default:
    for (size_t i = 0; i < l->nreaders; i++)
      if (l->readers[i] == e->thread)
      {
        l->readers[i] = l->readers[--l->nreaders];
        return count_reader(l, e->thread) == 0 ? HD_TRACE_TAKE : HD_TRACE_LEAVE_OUT;
      }
    return impossible(n, e, why, "does not hold it for reading");
  }
}

hd_trace_checked
hd_trace_check_event(hd_trace_check *c, const hd_trace_names *n, const hd_trace_event *e, hd_string *why)
{
  thread *t = get_thread(c, e->thread);
  if (t->joined)
    return impossible(n, e, why, "it was joined before");
  t->seen = true;
  switch (e->kind)
  {
  case HD_TRACE_ACQUIRE:
  case HD_TRACE_RELEASE:
  case HD_TRACE_ACQUIRE_SHARED:
  case HD_TRACE_RELEASE_SHARED:
    return check_lock(c, n, e, why);
  case HD_TRACE_FORK:
    if (e->target == e->thread)
      return impossible(n, e, why, "that is itself");
    t = get_thread(c, e->target);
    if (t->seen || t->forked || t->joined)
      return impossible(n, e, why, "that thread was there before");
    t->forked = true;
    return HD_TRACE_TAKE;
  case HD_TRACE_JOIN:
    if (e->target == e->thread)
      return impossible(n, e, why, "that is itself");
    t = get_thread(c, e->target);
    if (t->joined)
      return impossible(n, e, why, "that thread was joined before");
    t->joined = true;
    return HD_TRACE_TAKE;
  case HD_TRACE_BEGIN:
    return t->depth++ == 0 ? HD_TRACE_TAKE : HD_TRACE_LEAVE_OUT;
  case HD_TRACE_END:
    if (t->depth == 0)
      return impossible(n, e, why, "there is none that it began");
    return --t->depth == 0 ? HD_TRACE_TAKE : HD_TRACE_LEAVE_OUT;
  default:
    return HD_TRACE_TAKE;
  }
}
