/* reader_live.c: a log that a program is still writing, in this process or in another one.
 *
 * One round (docs/rules.md, 5.1): load the clock of every live object; barrier; then find the new chunks and read every
 * complete record. A record that is announced but has no stamp yet bounds its object; every other look or tick that is
 * not yet visible comes from a record that was announced after the barrier and is not below the clock that was loaded
 * before it. The same holds for a chunk whose header is not yet there.
 *
 * Chunks are mapped one by one while they are being read, because words must be loaded as words. A chunk that ended
 * with HD_K_NEXT is never written again: it may be cleared and given back. New chunks are found at the end of the file
 * (units that were not handed out before) and among the units that were given back and taken again. */
#define _GNU_SOURCE
#include "log/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

struct hd_reader_live
{
  hd_log_header *header; /* mapped */
  bool writable;         /* HEADER may be written, WRITE_FD is open for writing */
  int write_fd;

  uint32_t next_unit; /* units below this were looked at */
  uint32_t tail;      /* ring entries below this were taken and are in AWAITED or known */
  uint32_t head;      /* ring entries that we have filled */
  uint32_t ring[HD_LOG_RING];
  uint32_t *awaited; /* units that were handed out and have no chunk header yet, in ascending order */
  size_t nawaited, cap_awaited;
  uint32_t *backlog; /* units for which the ring had no room */
  size_t nbacklog, cap_backlog;

  hd_reader_chunk *chunks; /* events, not finished, in order of SEQ */
  size_t nchunks, cap_chunks;
  hd_reader_chunk *new_chunks; /* found, not yet among CHUNKS: the list may be in use */
  size_t nnew, cap_new;
  hd_reader_chunk *tables;
  size_t ntables, cap_tables;
  hd_reader_object **objects; /* live: their clocks are loaded in every round */
  size_t nobjects, cap_objects;
  uint64_t found;   /* chunks */
  bool cannot_give; /* and that was said */
};

/* ---- start and end ---- */

static hd_reader_live *
start(hd_log *log)
{
  if (log->live)
    return log->live;
  hd_reader_reset(log);
  hd_reader_live *l = hd_alloc_zero(sizeof *l);
  int flags = fcntl(log->fd, F_GETFL);
  l->write_fd = -1;
  if ((flags & O_ACCMODE) == O_RDWR)
    l->write_fd = log->fd;
  else
  {
    char self[64];
    snprintf(self, sizeof self, "/proc/self/fd/%d", log->fd);
    l->write_fd = open(self, O_RDWR | O_CLOEXEC);
  }
  l->writable = l->write_fd >= 0;
  void *p = mmap(NULL, HD_LOG_UNIT, l->writable ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED,
                 l->writable ? l->write_fd : log->fd, 0);
  if (p == MAP_FAILED)
  {
    hd_reader_damage(log, 0, "the log cannot be mapped: %s", strerror(errno));
    if (l->writable && l->write_fd != log->fd)
      close(l->write_fd);
    free(l);
    return NULL;
  }
  l->header = p;
  l->next_unit = 1;
  if (l->header->free_head != 0)
    hd_reader_damage(log, 0, "another reader has given parts of this log back to the program; they cannot be read");
  l->head = l->tail = l->header->free_head;
  log->live = l;
  log->fresh = false;
  return l;
}

static void
unmap(hd_reader_chunk *c)
{
  munmap((void *) c->data, c->mapped);
}

void
hd_reader_live_free(hd_log *log)
{
  hd_reader_live *l = log->live;
  if (!l)
    return;
  for (size_t i = 0; i < l->nchunks; i++)
    unmap(&l->chunks[i]);
  for (size_t i = 0; i < l->nnew; i++)
    unmap(&l->new_chunks[i]);
  for (size_t i = 0; i < l->ntables; i++)
    unmap(&l->tables[i]);
  for (size_t i = 0; i < log->nclocks; i++)
    if (log->clocks[i].slots)
      munmap((char *) log->clocks[i].slots - sizeof(hd_chunk_header), log->clocks[i].mapped);
  munmap(l->header, HD_LOG_UNIT);
  if (l->writable && l->write_fd != log->fd)
    close(l->write_fd);
  free(l->awaited);
  free(l->backlog);
  free(l->chunks);
  free(l->new_chunks);
  free(l->tables);
  free(l->objects);
  free(l);
  log->live = NULL;
}

/* Take over what the header says now. */
static void
copy_header(hd_log *log)
{
  const hd_log_header *h = log->live->header;
  /* acquire: pairs with the release stores of the program; units after the chunks' headers are looked at */
  log->header.state = __atomic_load_n(&h->state, __ATOMIC_ACQUIRE);
  log->header.units = __atomic_load_n(&h->units, __ATOMIC_ACQUIRE);
  log->header.file_size = __atomic_load_n(&h->file_size, __ATOMIC_ACQUIRE);
  log->header.chunk_seq = __atomic_load_n(&h->chunk_seq, __ATOMIC_ACQUIRE);
  log->header.dropped = __atomic_load_n(&h->dropped, __ATOMIC_RELAXED);
  log->header.lost = __atomic_load_n(&h->lost, __ATOMIC_RELAXED);
  struct stat st;
  if (fstat(log->fd, &st) == 0)
    log->size = (uint64_t) st.st_size;
}

/* ---- finding chunks ---- */

static void
add_clocks(hd_log *log, const hd_reader_chunk *c)
{
  hd_reader_clocks *k
      = hd_reader_clocks_add(log, c->unit, (uint32_t) ((c->size - sizeof(hd_chunk_header)) / sizeof(hd_slot)));
  if (k->slots || (size_t) k->nslots * sizeof(hd_slot) > c->size - sizeof(hd_chunk_header))
  {
    munmap((void *) c->data, c->mapped);
    return;
  }
  k->slots = (const hd_slot *) (const void *) (c->data + sizeof(hd_chunk_header));
  k->mapped = c->mapped;
}

/* Take the chunks that were found into the list, in order. */
static void
merge_new(hd_reader_live *l)
{
  for (size_t k = 0; k < l->nnew; k++)
  {
    hd_grow(&l->chunks, &l->cap_chunks, l->nchunks + 1, sizeof *l->chunks);
    size_t i = l->nchunks++;
    for (; i > 0 && l->chunks[i - 1].seq > l->new_chunks[k].seq; i--)
      l->chunks[i] = l->chunks[i - 1];
    l->chunks[i] = l->new_chunks[k];
  }
  l->nnew = 0;
}

/* Does a chunk begin at UNIT by now? */
static bool
begun(hd_log *log, uint32_t unit)
{
  uint64_t seq = 0;
  uint64_t at = (uint64_t) unit * HD_LOG_UNIT + offsetof(hd_chunk_header, seq);
  return hd_reader_pread(log, &seq, sizeof seq, at) == sizeof seq && seq != 0;
}

/* Take over the chunk at UNIT. Returns its length; 0: it is not there yet. A header that makes no sense counts as one
 * unit. */
static uint32_t
look_at(hd_log *log, uint32_t unit)
{
  hd_reader_live *l = log->live;
  uint64_t offset = (uint64_t) unit * HD_LOG_UNIT;
  if (offset + HD_LOG_UNIT > log->size || !begun(log, unit))
    return 0;
  const unsigned char *data = mmap(NULL, HD_LOG_UNIT, PROT_READ, MAP_SHARED, log->fd, (off_t) offset);
  if (data == MAP_FAILED)
  {
    hd_reader_damage(log, offset, "a chunk cannot be mapped: %s", strerror(errno));
    return 1;
  }
  const hd_chunk_header *h = (const hd_chunk_header *) (const void *) data;
  /* acquire: pairs with the release store of SEQ when the chunk is handed out */
  uint64_t seq = __atomic_load_n(&h->seq, __ATOMIC_ACQUIRE);
  uint32_t magic = h->magic, units = h->units, kind = h->kind;
  size_t mapped = HD_LOG_UNIT;
  bool good = seq != 0 && magic == HD_CHUNK_MAGIC && units > 0 && offset + (uint64_t) units * HD_LOG_UNIT <= log->size
              && kind >= HD_CHUNK_EVENTS && kind <= HD_CHUNK_CLOCKS;
  if (good && units > 1)
  {
    munmap((void *) data, mapped);
    mapped = (size_t) units * HD_LOG_UNIT;
    data = mmap(NULL, mapped, PROT_READ, MAP_SHARED, log->fd, (off_t) offset);
    good = data != MAP_FAILED;
  }
  if (!good)
  {
    hd_reader_damage(log, offset, "no chunk begins here, or it cannot be mapped");
    if (data != MAP_FAILED)
      munmap((void *) data, mapped);
    return 1;
  }
  l->found++;
  hd_reader_chunk c = {.data = data,
                       .size = mapped,
                       .mapped = mapped,
                       .pos = sizeof(hd_chunk_header),
                       .seq = seq,
                       .offset = offset,
                       .unit = unit,
                       .units = units};
  if (kind == HD_CHUNK_EVENTS)
    HD_PUSH(l->new_chunks, l->nnew, l->cap_new, c);
  else if (kind == HD_CHUNK_TABLE)
    HD_PUSH(l->tables, l->ntables, l->cap_tables, c);
  else
    add_clocks(log, &c);
  return units;
}

static int
by_number(const void *a, const void *b)
{
  uint32_t x = *(const uint32_t *) a, y = *(const uint32_t *) b;
  return x < y ? -1 : x > y;
}

/* Add the units that were handed out since to those in which a chunk may begin. */
static void
await_units(hd_log *log)
{
  hd_reader_live *l = log->live;
  size_t before = l->nawaited;
  bool sorted = true;
  /* acquire: pairs with the compare-and-swap by which a thread takes a unit */
  uint32_t tail = __atomic_load_n(&l->header->free_tail, __ATOMIC_ACQUIRE);
  if (tail - l->tail > l->head - l->tail)
  {
    hd_reader_damage(log, offsetof(hd_log_header, free_tail), "the ring of free units makes no sense");
    tail = l->head;
  }
  for (; l->tail != tail; l->tail++, sorted = false)
    HD_PUSH(l->awaited, l->nawaited, l->cap_awaited, l->ring[l->tail % HD_LOG_RING]);
  copy_header(log);
  uint64_t there = log->size / HD_LOG_UNIT;
  for (; l->next_unit < log->header.units && l->next_unit < there; l->next_unit++)
    HD_PUSH(l->awaited, l->nawaited, l->cap_awaited, l->next_unit);
  if (!sorted || (before && l->nawaited > before))
    qsort(l->awaited, l->nawaited, sizeof *l->awaited, by_number);
}

/* Find the chunks that have begun. A unit without a chunk header may be free for later use, or a thread is about to
 * begin a chunk there, of one unit or more. What follows is then payload, all zero until after the header was stored:
 * whoever sees something there looks at the units before it again, and finds the header. */
static void
find_chunks(hd_log *log)
{
  hd_reader_live *l = log->live;
  await_units(log);
  size_t kept = 0, run = 0; /* kept units from RUN on are the ones directly before the current one */
  for (size_t i = 0; i < l->nawaited; i++)
  {
    uint32_t unit = l->awaited[i];
    if (kept == 0 || l->awaited[kept - 1] + 1 != unit)
      run = kept;
    if (!begun(log, unit))
    {
      l->awaited[kept++] = unit;
      continue;
    }
    uint64_t covered = 0; /* units below this belong to a chunk */
    size_t again = run;
    for (size_t k = run; k < kept; k++)
    {
      uint32_t n = l->awaited[k] < covered ? 0 : look_at(log, l->awaited[k]);
      if (n)
        covered = (uint64_t) l->awaited[k] + n;
      else if (l->awaited[k] >= covered)
        l->awaited[again++] = l->awaited[k];
    }
    kept = again;
    if (unit >= covered)
      covered = (uint64_t) unit + look_at(log, unit);
    while (i + 1 < l->nawaited && l->awaited[i + 1] < covered)
      i++;
  }
  l->nawaited = kept;
}

void
hd_reader_live_tables(hd_log *log)
{
  hd_reader_live *l = log->live;
  find_chunks(log);
  for (size_t i = 0; i < l->ntables; i++)
  {
    hd_reader_chunk *c = &l->tables[i];
    c->pos = hd_reader_table(log, c->data, c->size, c->pos, c->offset);
  }
}

/* ---- giving chunks back ---- */

static bool
clear(hd_reader_live *l, const hd_reader_chunk *c)
{
  static const unsigned char zeros[HD_LOG_UNIT];
  uint64_t none = 0;
  if (pwrite(l->write_fd, &none, sizeof none, (off_t) (c->offset + offsetof(hd_chunk_header, seq))) != sizeof none)
    return false;
  for (uint32_t i = 0; i < c->units; i++)
  {
    uint64_t at = c->offset + (uint64_t) i * HD_LOG_UNIT;
    for (size_t done = 0; done < HD_LOG_UNIT;)
    {
      ssize_t n = pwrite(l->write_fd, zeros + done, HD_LOG_UNIT - done, (off_t) (at + done));
      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        return false;
      done += (size_t) n;
    }
  }
  return true;
}

/* Put what waits into the ring, as far as there is room, and wake whoever waits for it. */
static void
fill_ring(hd_reader_live *l)
{
  uint32_t head = l->head;
  /* acquire: pairs with the compare-and-swap of the taker, which has read its entry by then */
  uint32_t tail = __atomic_load_n(&l->header->free_tail, __ATOMIC_ACQUIRE);
  while (l->nbacklog && head - tail < HD_LOG_RING && head - l->tail < HD_LOG_RING)
  {
    uint32_t unit = l->backlog[--l->nbacklog];
    l->ring[head % HD_LOG_RING] = unit;
    __atomic_store_n(&l->header->free_ring[head % HD_LOG_RING], unit, __ATOMIC_RELAXED);
    head++;
  }
  if (head == l->head)
    return;
  l->head = head;
  /* release: the cleared units and the entries before HEAD; pairs with the acquire load of the taker */
  __atomic_store_n(&l->header->free_head, head, __ATOMIC_RELEASE);
  __atomic_fetch_add(&l->header->reader_wake, 1, __ATOMIC_SEQ_CST);
  syscall(SYS_futex, &l->header->reader_wake, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static void
give_back_chunk(hd_log *log, const hd_reader_chunk *c)
{
  hd_reader_live *l = log->live;
  if (!l->writable || !clear(l, c))
  {
    if (!l->cannot_give)
      hd_reader_damage(log, c->offset, "units cannot be given back to the program: the log cannot be written");
    l->cannot_give = true;
    return;
  }
  for (uint32_t i = c->units; i > 0; i--)
    HD_PUSH(l->backlog, l->nbacklog, l->cap_backlog, c->unit + i - 1);
  fill_ring(l);
}

/* ---- reading ---- */

/* Read all chunks, in order; drop those that are finished. False: the sink stopped it. */
static bool
read_chunks(hd_log *log, const hd_log_sink *sink, hd_reader_mode mode, bool give_back)
{
  hd_reader_live *l = log->live;
  size_t kept = 0;
  bool go_on = true;
  merge_new(l);
  for (size_t i = 0; i < l->nchunks; i++)
  {
    hd_reader_chunk c = l->chunks[i];
    if (go_on)
      go_on = hd_reader_decode(log, &c, sink, mode) != HD_READER_STOPPED;
    if (c.finished)
    {
      unmap(&c);
      if (give_back)
        give_back_chunk(log, &c);
    }
    else
      l->chunks[kept++] = c;
  }
  l->nchunks = kept;
  return go_on;
}

/* Load the clock of O. False: its slot belongs to someone else by now. */
static bool
load_clock(hd_reader_object *o, uint64_t *ticks)
{
  const hd_slot *s = o->slot;
  /* acquire: the owner is compared after the clock was read; a new owner writes its id before it ticks.
   * A freed slot (0) still has the final clock. */
  *ticks = __atomic_load_n(&s->clock, __ATOMIC_ACQUIRE) & HD_CLOCK_TICKS;
  uint64_t lost_at = __atomic_load_n(&s->lost_at, __ATOMIC_ACQUIRE);
  uint64_t dropped = __atomic_load_n(&s->dropped, __ATOMIC_ACQUIRE);
  uint32_t owner = __atomic_load_n(&s->object, __ATOMIC_ACQUIRE);
  if (owner != o->info.id && owner != 0)
    return false;
  o->info.ticks = *ticks;
  o->info.lost_at = lost_at;
  o->info.dropped = dropped;
  return true;
}

/* Load the clocks of all live objects, before the barrier. */
static void
load_clocks(hd_log *log)
{
  hd_reader_live *l = log->live;
  log->round++;
  for (; log->new_objects; log->new_objects = log->new_objects->next_new)
    HD_PUSH(l->objects, l->nobjects, l->cap_objects, log->new_objects);
  for (size_t i = 0; i < l->nobjects; i++)
  {
    hd_reader_object *o = l->objects[i];
    if (!o->slot && !o->handed_on)
      hd_reader_take_slot(log, o);
    uint64_t ticks = o->info.ticks;
    if (!o->handed_on && (!o->slot || !load_clock(o, &ticks)))
      continue;
    o->clock = ticks;
    o->round = log->round;
  }
}

/* Deliver the frontiers of this round, and forget objects of which nothing more can come. */
static void
deliver_frontiers(hd_log *log, const hd_log_sink *sink)
{
  hd_reader_live *l = log->live;
  size_t kept = 0;
  for (size_t i = 0; i < l->nobjects; i++)
  {
    hd_reader_object *o = l->objects[i];
    if (o->round == log->round && o->clock > o->frontier)
    {
      o->frontier = o->clock;
      sink->frontier(sink->context, o->info.id, o->frontier);
    }
    if (!o->handed_on || o->frontier < o->info.ticks)
      l->objects[kept++] = o;
  }
  l->nobjects = kept;
}

int64_t
hd_log_poll(hd_log *log, const hd_log_sink *sink, hd_log_barrier barrier, void *context, bool give_back)
{
  hd_reader_live *l = start(log);
  log->events = 0;
  if (!l)
    return 0;
  /* Chunks and tables that are there already, so that clocks can be loaded; then the round proper. */
  hd_reader_live_tables(log);
  load_clocks(log);
  bool ordered = barrier(context);
  hd_reader_live_tables(log);
  if (!read_chunks(log, sink, HD_READER_LIVE, give_back))
    return -1;
  if (l->nbacklog)
    fill_ring(l);
  if (ordered)
    deliver_frontiers(log, sink);
  return (int64_t) log->events;
}

/* What a log that nobody writes any more lacks. */
static void
find_missing(hd_log *log)
{
  hd_reader_live *l = log->live;
  if (log->header.units * (uint64_t) HD_LOG_UNIT > log->size || log->header.file_size > log->size)
    hd_reader_damage(log, log->size, "the file is cut: it has %llu bytes", (unsigned long long) log->size);
  if (log->header.state == HD_LOG_CLOSED && l->found != log->header.chunk_seq)
    hd_reader_damage(log, 0, "%llu chunks were found and the header speaks of %llu", (unsigned long long) l->found,
                     (unsigned long long) log->header.chunk_seq);
  for (uint32_t i = 1; i <= log->max_thread; i++)
  {
    const hd_reader_thread *t = log->threads[i];
    if (!t || !t->next || t->skip)
      continue;
    size_t low = 0, high = l->nchunks;
    while (low < high)
    {
      size_t middle = low + (high - low) / 2;
      if (l->chunks[middle].seq < t->next)
        low = middle + 1;
      else
        high = middle;
    }
    if (low == l->nchunks || l->chunks[low].seq != t->next)
      hd_reader_damage(log, t->next_from, "thread %u goes on in chunk %llu, which is missing", t->number,
                       (unsigned long long) t->next);
  }
}

bool
hd_log_finish(hd_log *log, const hd_log_sink *sink)
{
  hd_reader_live *l = start(log);
  log->events = 0;
  if (!l)
    return true;
  hd_reader_live_tables(log);
  load_clocks(log);
  if (!read_chunks(log, sink, HD_READER_FINAL, false))
    return false;
  find_missing(log);
  if (!hd_reader_torn_deliver(log, sink))
    return false;
  for (uint32_t i = 1; i <= log->max_object; i++)
    if (log->objects[i])
    {
      log->objects[i]->frontier = UINT64_MAX;
      sink->frontier(sink->context, i, UINT64_MAX);
    }
  return true;
}
