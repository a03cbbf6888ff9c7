/* writer_thread.c: the buffer of a thread: how it joins a log, takes room for records, goes on in another chunk, and
 * ends.
 *
 * A thread's chunk belongs to it alone. When the thread ends, its half-full chunk waits, with the thread's structure,
 * for the next new thread, so that thousands of short threads fill few chunks. Everything that changes the chunk is
 * done with signals blocked; hd_writer_reserve itself is not, see heddle/fast.h. */
#define _GNU_SOURCE
#include "log/writer.h"

#include <sys/mman.h>
#include <sys/prctl.h>

/* Fits no object: every macro leaves the fast path at once. */
hd_open hd_writer_off[2] = {{.object = (hd_object *) (void *) hd_writer_off, .log = UINT32_MAX},
                            {.object = (hd_object *) (void *) hd_writer_off, .log = UINT32_MAX}};

__thread hd_local hd_thread_local __attribute__((tls_model("initial-exec"), visibility("default")))
= {.top = hd_writer_off, .resume_top = hd_writer_off};

static pthread_key_t key;
static hd_thread *attached, *idle; /* under hd_writer_lock */

void
hd_writer_put(char *p, uint32_t header, uint64_t first, uint64_t second, size_t size)
{
  if (size > 8)
    hd_fast_word(p + 8, first);
  if (size > 16)
    hd_fast_word(p + 16, second);
  /* release: pairs with the reader's acquire; the words are there before */
  __atomic_store_n((uint64_t *) (void *) p, header | (uint64_t) HD_STAMP_NONE << 32, __ATOMIC_RELEASE);
}

/* The end of the chunk of PART. */
static char *
part_end(const hd_part *part)
{
  return part->limit + HD_CHUNK_SLACK;
}

static void
set_cur(hd_local *l, char *cur)
{
  *(char *volatile *) &l->cur = cur;
}

/* Is the log of T still running? */
static bool
alive(const hd_thread *t)
{
  /* seq_cst: with the store of END below and the stores in hd_stop: one of the two sees the other */
  return __atomic_load_n(&hd_writer_running, __ATOMIC_SEQ_CST) == t->log_number;
}

static void
set_end(hd_thread *t, char *end)
{
  __atomic_store_n(&t->local->end, end, __ATOMIC_SEQ_CST);
  if (!alive(t))
    __atomic_store_n(&t->local->end, NULL, __ATOMIC_SEQ_CST);
}

/* Begin a segment of T at P in PART. */
static void
begin_segment(hd_thread *t, hd_part part, char *p)
{
  hd_writer_put(p, HD_K_THREAD, t->number | (uint64_t) t->ordinal++ << 32, t->tid, 24);
  t->part = part;
  t->old = (hd_part){0};
  set_cur(t->local, p + 24);
}

/* Signals are blocked. */
static hd_take_result
next_chunk(hd_thread *t, size_t size)
{
  size_t units
      = (sizeof(hd_chunk_header) + 24 + size + HD_CHUNK_SLACK + 8 * (size_t) t->owed + HD_LOG_UNIT - 1) / HD_LOG_UNIT;
  if (units > HD_SEGMENT_UNITS)
    return HD_NO_ROOM;
  hd_chunk_header *c;
  uint32_t unit;
  hd_take_result r = hd_writer_take(t->log, HD_CHUNK_EVENTS, (uint32_t) units, &c, &unit);
  if (r != HD_TAKEN)
  {
    if (r == HD_NO_ROOM && units == 1 && t->part.begin)
    {
      t->old = t->part;
      t->tail = t->local->cur;
      t->part = (hd_part){0};
      set_cur(t->local, NULL);
      __atomic_store_n(&t->local->end, NULL, __ATOMIC_SEQ_CST);
    }
    return r;
  }
  char *link = t->local->cur;
  if (!t->part.begin && t->old.begin)
  {
    /* A macro that was interrupted just before the room ended may have written there once more. */
    link = hd_writer_skip(t->tail, part_end(&t->old), false);
    t->part = t->old;
  }
  if (t->part.begin)
  {
    hd_writer_put(link, HD_K_NEXT, c->seq, 0, 16);
    hd_writer_retire(t->log, t->part.unit);
    t->left = t->part;
  }
  begin_segment(
      t, (hd_part){.begin = (char *) c, .limit = (char *) c + units * HD_LOG_UNIT - HD_CHUNK_SLACK, .unit = unit},
      (char *) c + sizeof *c);
  for (; t->owed; t->owed--)
  {
    hd_writer_put(t->local->cur, HD_K_ABANDON, 0, 0, 8);
    set_cur(t->local, t->local->cur + 8);
  }
  set_end(t, t->part.limit);
  return HD_TAKEN;
}

/* Make room for a record of SIZE bytes. False: there is none. */
static bool
refill(hd_thread *t, size_t size)
{
  sigset_t old;
  hd_take_result r;
  for (;;)
  {
    hd_writer_block(&old);
    hd_local *l = t->local;
    /* seq_cst: hd_stop clears hd_writer_running, then waits for MOVING; it sees us, or alive() sees it */
    __atomic_fetch_add(&t->log->moving, 1, __ATOMIC_SEQ_CST);
    if (!alive(t))
      r = HD_NO_ROOM;
    else if (t->part.begin && l->cur + size <= t->part.limit)
      r = HD_TAKEN; /* a handler did it */
    else
      r = next_chunk(t, size);
    __atomic_fetch_sub(&t->log->moving, 1, __ATOMIC_RELEASE); /* release: pairs with the acquire in hd_stop */
    hd_writer_unblock(&old);
    if (r != HD_WAIT)
      return r == HD_TAKEN;
    /* Handlers may run, and log, meanwhile. */
    hd_writer_wait_reader(t->log);
  }
}

char *
hd_writer_reserve(hd_thread *t, size_t size)
{
  for (;;)
  {
    hd_local *l = t->local;
    char *p = *(char *volatile *) &l->cur, *next = (char *) ((uintptr_t) p + size);
    if ((uintptr_t) next > (uintptr_t) __atomic_load_n(&l->end, __ATOMIC_RELAXED) || !p) /* as in hd_fast_take */
    {
      if (!refill(t, size))
        return NULL;
      continue;
    }
    set_cur(l, next);
    if (*(volatile uint32_t *) (void *) p == 0)
      return p;
    hd_untangle(p);
  }
}

void
hd_untangle(char *p)
{
  /* A handler logged between our load and our store of CUR, and the store has undone its advance. It has finished, so
   * what it wrote is whole: its records begin at P, or, if it went on in another chunk, at the begin of that. */
  hd_thread *t = hd_thread_local.thread;
  sigset_t old;
  hd_writer_block(&old);
  const hd_part *part = &t->part;
  if (!part->begin)
    set_cur(t->local, NULL);
  else if (p >= part->begin && p < part_end(part))
    set_cur(t->local, hd_writer_skip(p, part_end(part), false));
  else
    set_cur(t->local, hd_writer_skip(part->begin + sizeof(hd_chunk_header), part_end(part), false));
  hd_writer_unblock(&old);
}

/* ---- threads come and go; under the lock ---- */

static void
list_remove(hd_thread *t)
{
  *t->previous = t->next;
  if (t->next)
    t->next->previous = t->previous;
}

static void
list_add(hd_thread **list, hd_thread *t)
{
  t->next = *list;
  t->previous = list;
  if (t->next)
    t->next->previous = &t->next;
  *list = t;
}

/* A structure, from a thread that has ended if there is one. NULL: no memory. */
static hd_thread *
new_thread(void)
{
  if (!idle)
  {
    size_t size = 64 * 1024;
    char *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
      return NULL;
    size_t each = (sizeof(hd_thread) + 63) / 64 * 64;
    for (size_t i = 0; i < size / each; i++)
      list_add(&idle, (hd_thread *) (void *) (p + i * each));
  }
  hd_thread *t = idle;
  list_remove(t);
  list_add(&attached, t);
  return t;
}

/* The part of the log that a thread before us left, if it fits, else what it left is full. */
static void
inherit(hd_thread *t)
{
  hd_part old = t->old;
  char *p = t->tail;
  t->old = (hd_part){0};
  if (!old.begin)
    return;
  if (p + 24 + 16 > part_end(&old))
  {
    hd_writer_retire(t->log, old.unit);
    return;
  }
  begin_segment(t, old, p);
  set_end(t, t->part.limit);
}

hd_thread *
hd_writer_attach(void)
{
  hd_local *l = &hd_thread_local;
  char name[16] = "";
  prctl(PR_GET_NAME, name);
  name[sizeof name - 1] = 0;
  sigset_t old;
  hd_writer_lock(&old);
  hd_writer *w = hd_writer_current();
  hd_thread *t = l->thread;
  if (w && (!t || t->log_number != w->number))
  {
    bool is_new = !t;
    if (is_new)
      t = new_thread();
    if (t)
    {
      if (t->log_number != w->number)
        t->old = (hd_part){0};
      t->local = l;
      t->log = w;
      t->log_number = w->number;
      t->number = ++w->nthreads;
      t->tid = hd_writer_tid();
      t->ordinal = t->owed = t->deep = 0;
      t->part = t->left = (hd_part){0};
      t->stack[0] = hd_writer_off[0];
      for (uint32_t i = 1; i <= HD_MAX_DEPTH; i++)
        t->stack[i] = (hd_open){.log = w->number};
      t->stack[HD_MAX_DEPTH + 1] = hd_writer_off[1];
      l->cur = NULL;
      __atomic_store_n(&l->end, NULL, __ATOMIC_SEQ_CST);
      l->top = l->resume_top = t->stack;
      l->thread = t;
      if (!hd_writer_table_thread(w, t, name))
        __atomic_store_n(&w->header->lost, 1, __ATOMIC_RELAXED);
      inherit(t);
      if (is_new)
        pthread_setspecific(key, t);
    }
  }
  hd_writer_unlock(&old);
  return w ? t : NULL;
}

/* The thread ends. */
static void
end_thread(void *arg)
{
  hd_thread *t = arg;
  sigset_t old;
  hd_writer_lock(&old);
  hd_local *l = t->local;
  char *p = l->cur;
  if (!t->part.begin && t->old.begin)
    p = hd_writer_skip(t->tail, part_end(&t->old), false);
  else
    t->old = t->part;
  if (alive(t) && t->old.begin && p + 16 + 16 <= part_end(&t->old))
  {
    uint64_t seq
        = __atomic_load_n(&t->log->header->chunk_seq, __ATOMIC_ACQUIRE); /* acquire: pairs with hd_writer_take */
    hd_writer_put(p, HD_K_THREAD_END, seq, 0, 16);
    t->tail = p + 16;
  }
  else
    t->old = (hd_part){0};
  t->part = (hd_part){0};
  t->local = NULL;
  *l = (hd_local){.top = hd_writer_off, .resume_top = hd_writer_off, .paused = l->paused};
  list_remove(t);
  list_add(&idle, t);
  hd_writer_unlock(&old);
}

void
hd_writer_threads_init(void)
{
  pthread_key_create(&key, end_thread);
}

void
hd_writer_threads_stop(hd_writer *w)
{
  for (hd_thread *t = attached; t; t = t->next)
    __atomic_store_n(&t->local->end, NULL, __ATOMIC_SEQ_CST);
  for (hd_thread *t = idle; t; t = t->next)
  {
    if (t->old.begin && t->log == w)
      hd_writer_retire(w, t->old.unit);
    t->old = (hd_part){0};
  }
}

void
hd_writer_threads_fork(void)
{
  /* Only this thread exists here. The structures of the others are given up. */
  hd_local *l = &hd_thread_local;
  attached = idle = NULL;
  if (l->thread)
    pthread_setspecific(key, NULL);
  *l = (hd_local){.top = hd_writer_off, .resume_top = hd_writer_off, .paused = l->paused};
}
