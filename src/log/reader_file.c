/* reader_file.c: a whole file in one pass, in memory that depends on the number of threads and not on the length.
 *
 * First a walk over the chunk headers (24 bytes are kept of each 64 KiB), then the tables and the clocks, then the
 * events, chunk by chunk in the order in which the program took them, through one buffer. Nothing is mapped: a file
 * that shrinks meanwhile must not kill us, and a long one must not fill the memory.
 *
 * Frontiers. A thread takes room for a record before it looks at the clock, so everything that happened before chunk q
 * was taken lies in chunks below q. If a thread's segment ended because it went on in chunk q, its stamps are older
 * than q; so once all chunks below q have been read, nothing below the largest of them can come. The same holds for
 * the end of a thread, which names the newest chunk of that moment. These claims wait in a heap for their chunk. */
#include "log/reader.h"

#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* A record holds values of less than 4 GiB each, a chunk of more than this makes no sense. */
#define MAX_CHUNK_UNITS (HD_SITE_VALUES * 65536u + 1)

static bool
checksum_fits(const hd_chunk_header *h, const void *payload)
{
  return XXH3_64bits(payload, h->used) == h->checksum;
}

static int
by_seq(const void *a, const void *b)
{
  const hd_reader_place *x = a, *y = b;
  if (x->seq != y->seq)
    return x->seq < y->seq ? -1 : 1;
  return x->unit < y->unit ? -1 : x->unit > y->unit;
}

/* Walk over the chunk headers. Returns the number of units that belong to no chunk. */
static uint32_t
walk(hd_log *log)
{
  uint32_t empty = 0;
  uint32_t units = log->header.units;
  log->nplaces = 0;
  for (uint64_t u = 1; u < units;)
  {
    hd_chunk_header h;
    uint64_t offset = u * HD_LOG_UNIT;
    if (hd_reader_pread(log, &h, sizeof h, offset) != sizeof h)
      break; /* the missing rest of the file was reported already */
    if (h.seq == 0)
    {
      empty++;
      u++;
      continue;
    }
    if (h.magic != HD_CHUNK_MAGIC || h.units == 0 || h.units > MAX_CHUNK_UNITS || h.units > units - u)
    {
      hd_reader_damage(log, offset, h.magic != HD_CHUNK_MAGIC ? "no chunk begins here" : "a chunk's length is wrong");
      u++;
      continue;
    }
    if (h.kind != HD_CHUNK_EVENTS && h.kind != HD_CHUNK_TABLE && h.kind != HD_CHUNK_CLOCKS)
      hd_reader_damage(log, offset, "a chunk of unknown kind %u", h.kind);
    HD_PUSH(log->places, log->nplaces, log->cap_places,
            (hd_reader_place){.seq = h.seq, .unit = (uint32_t) u, .units = h.units, .kind = h.kind});
    u += h.units;
  }
  return empty;
}

/* Say which chunks are missing. EMPTY units may belong to chunks that a dying program had not yet begun. */
static void
find_gaps(hd_log *log, uint32_t empty)
{
  const hd_log_header *h = &log->header;
  uint64_t before = 0, missing = 0;
  size_t kept = 0;
  for (size_t i = 0; i < log->nplaces; i++)
  {
    hd_reader_place p = log->places[i];
    if (p.seq == before)
    {
      hd_reader_damage(log, (uint64_t) p.unit * HD_LOG_UNIT, "there are two chunks with the sequence number %llu",
                       (unsigned long long) p.seq);
      continue;
    }
    missing += p.seq - before - 1;
    before = p.seq;
    log->places[kept++] = p;
  }
  log->nplaces = kept;
  if (before < h->chunk_seq)
    missing += h->chunk_seq - before;
  bool closed = h->state == HD_LOG_CLOSED;
  if (closed && before > h->chunk_seq)
    hd_reader_damage(log, 0, "the header speaks of %llu chunks, but chunk %llu is there",
                     (unsigned long long) h->chunk_seq, (unsigned long long) before);
  if (h->free_head != 0)
    hd_reader_damage(log, 0,
                     "parts of this log were read while the program ran and given back to it; only what "
                     "remained can be read");
  else if (missing > (closed ? 0 : empty))
    hd_reader_damage(log, log->size, "%llu of %llu chunks are missing", (unsigned long long) missing,
                     (unsigned long long) (before > h->chunk_seq ? before : h->chunk_seq));
}

/* Read the chunk at P into the buffer. False: nothing of it can be used. */
static bool
load(hd_log *log, const hd_reader_place *p, hd_reader_chunk *c)
{
  uint64_t offset = (uint64_t) p->unit * HD_LOG_UNIT;
  uint64_t length = (uint64_t) p->units * HD_LOG_UNIT;
  uint64_t there = offset < log->size ? log->size - offset : 0;
  hd_chunk_header h;
  if (there < sizeof h || hd_reader_pread(log, &h, sizeof h, offset) != sizeof h)
    return false;
  if (h.seq != p->seq)
  {
    hd_reader_damage(log, offset, "the chunk changed while it was read");
    return false;
  }
  bool sealed = h.sealed != 0;
  if (sealed && h.used > length - sizeof h)
  {
    hd_reader_damage(log, offset, "a chunk says that it uses more bytes than it has");
    return false;
  }
  uint64_t want = sealed ? sizeof h + h.used : length;
  bool cut = want > there;
  if (cut)
    hd_reader_damage(log, log->size, "the file ends inside the chunk at byte %llu", (unsigned long long) offset);
  size_t size = (size_t) (cut ? there : want);
  hd_grow(&log->buffer, &log->cap_buffer, size, 1);
  size = hd_reader_pread(log, log->buffer, size, offset);
  if (size < sizeof h)
    return false;
  if (sealed && !cut && (size != want || !checksum_fits(&h, log->buffer + sizeof h)))
  {
    hd_reader_damage(log, offset, "the checksum of a chunk does not fit; the chunk is not used");
    return false;
  }
  *c = (hd_reader_chunk){.data = log->buffer,
                         .size = size & ~(size_t) 7,
                         .pos = sizeof h,
                         .seq = p->seq,
                         .offset = offset,
                         .unit = p->unit,
                         .units = p->units};
  return true;
}

/* Without its clock nobody can tell which ticks of an object are missing. A dying program may have been about to
 * write the slot of a new object, but not its chunk. */
static void
find_lost_clocks(hd_log *log)
{
  for (uint32_t i = 1; i <= log->max_object; i++)
  {
    const hd_reader_object *o = log->objects[i];
    if (!o)
      hd_reader_damage(log, 0, "the tables lack object %u", i);
    else if (!o->clocked && !o->handed_on && (hd_log_closed(log) || !hd_reader_clocks_find(log, o->slot_unit)))
      hd_reader_damage(log, (uint64_t) o->slot_unit * HD_LOG_UNIT, "the clock of object %u is missing", i);
  }
}

void
hd_reader_index(hd_log *log)
{
  const hd_log_header *h = &log->header;
  uint64_t need = (uint64_t) h->units * HD_LOG_UNIT;
  if (need < h->file_size)
    need = h->file_size;
  if (need < HD_LOG_UNIT)
    need = HD_LOG_UNIT;
  if (log->size < need)
    hd_reader_damage(log, log->size, "the file is cut: it has %llu bytes and should have %llu",
                     (unsigned long long) log->size, (unsigned long long) need);
  if (h->state > HD_LOG_CLOSED)
    hd_reader_damage(log, offsetof(hd_log_header, state), "the state of the log makes no sense: %u", h->state);
  uint32_t empty = walk(log);
  if (log->nplaces)
    qsort(log->places, log->nplaces, sizeof *log->places, by_seq);
  find_gaps(log, empty);
  hd_reader_chunk c;
  for (size_t i = 0; i < log->nplaces; i++)
  {
    const hd_reader_place *p = &log->places[i];
    uint64_t bytes = (uint64_t) p->units * HD_LOG_UNIT, offset = (uint64_t) p->unit * HD_LOG_UNIT;
    if (p->kind != HD_CHUNK_CLOCKS || log->size < offset + sizeof(hd_chunk_header))
      continue;
    if (bytes > log->size - offset)
      bytes = log->size - offset;
    hd_reader_clocks_add(log, p->unit, (uint32_t) ((bytes - sizeof(hd_chunk_header)) / sizeof(hd_slot)));
  }
  for (size_t i = 0; i < log->nplaces; i++)
    if (log->places[i].kind == HD_CHUNK_TABLE && load(log, &log->places[i], &c))
      hd_reader_table(log, c.data, c.size, c.pos, c.offset);
  for (size_t i = 0; i < log->nplaces; i++)
    if (log->places[i].kind == HD_CHUNK_CLOCKS && load(log, &log->places[i], &c))
    {
      const hd_reader_clocks *known = hd_reader_clocks_find(log, c.unit);
      hd_reader_clocks found = known ? *known : (hd_reader_clocks){0};
      uint32_t n = (uint32_t) ((c.size - c.pos) / sizeof(hd_slot));
      if (n < found.nslots)
        found.nslots = n;
      hd_reader_slots(log, &found, (const hd_slot *) (const void *) (c.data + c.pos));
    }
  find_lost_clocks(log);
}

bool
hd_reader_place_find(const hd_log *log, uint64_t seq)
{
  size_t low = 0, high = log->nplaces;
  while (low < high)
  {
    size_t middle = low + (high - low) / 2;
    if (log->places[middle].seq < seq)
      low = middle + 1;
    else
      high = middle;
  }
  return low < log->nplaces && log->places[low].seq == seq;
}

/* ---- claims ---- */

static void
prove(hd_log *log, hd_reader_object *o, uint64_t f)
{
  if (f > o->proved)
    o->proved = f;
  if (!o->dirty)
  {
    o->dirty = true;
    HD_PUSH(log->dirty, log->ndirty, log->cap_dirty, o);
  }
}

static void
heap_push(hd_log *log, hd_reader_claim claim)
{
  HD_PUSH(log->heap, log->nheap, log->cap_heap, claim);
  size_t i = log->nheap - 1;
  while (i > 0 && log->heap[(i - 1) / 2].need > claim.need)
  {
    log->heap[i] = log->heap[(i - 1) / 2];
    i = (i - 1) / 2;
  }
  log->heap[i] = claim;
}

static hd_reader_claim
heap_pop(hd_log *log)
{
  hd_reader_claim top = log->heap[0], last = log->heap[--log->nheap];
  size_t i = 0;
  for (;;)
  {
    size_t child = 2 * i + 1;
    if (child + 1 < log->nheap && log->heap[child + 1].need < log->heap[child].need)
      child++;
    if (child >= log->nheap || log->heap[child].need >= last.need)
      break;
    log->heap[i] = log->heap[child];
    i = child;
  }
  log->heap[i] = last;
  return top;
}

void
hd_reader_claim_segment(hd_log *log, uint64_t need)
{
  /* What needs the last chunk is settled by the end of the log. */
  bool useless = need >= log->places[log->nplaces - 1].seq;
  for (size_t i = 0; i < log->ntouched && !useless; i++)
  {
    hd_reader_object *o = log->touched[i];
    hd_reader_claim claim = {.need = need, .f = o->claim, .object = o};
    if (need <= log->all_read)
      prove(log, claim.object, claim.f);
    else
      heap_push(log, claim);
  }
  log->ntouched = 0;
}

/* Deliver what holds now, once per object. */
static void
deliver_claims(hd_log *log, const hd_log_sink *sink)
{
  while (log->nheap && log->heap[0].need <= log->all_read)
  {
    hd_reader_claim claim = heap_pop(log);
    prove(log, claim.object, claim.f);
  }
  for (size_t i = 0; i < log->ndirty; i++)
  {
    hd_reader_object *o = log->dirty[i];
    uint64_t f = o->proved < o->cap ? o->proved : o->cap;
    o->dirty = false;
    if (f > o->frontier)
    {
      o->frontier = f;
      sink->frontier(sink->context, o->info.id, f);
    }
  }
  log->ndirty = 0;
}

/* Threads that said they go on somewhere where nothing is. */
static void
find_lost_threads(hd_log *log)
{
  for (uint32_t i = 1; i <= log->max_thread; i++)
  {
    const hd_reader_thread *t = log->threads[i];
    if (t && t->next && !t->skip && !hd_reader_place_find(log, t->next))
      hd_reader_damage(log, t->next_from, "thread %u goes on in chunk %llu, which is missing", t->number,
                       (unsigned long long) t->next);
  }
}

bool
hd_log_read(hd_log *log, const hd_log_sink *sink)
{
  if (!log->fresh || !hd_log_closed(log))
  {
    hd_reader_reset(log);
    if (hd_reader_refresh_header(log))
      hd_reader_index(log);
    else
      hd_reader_damage(log, 0, "the file can no longer be read");
  }
  log->fresh = false;
  log->events = 0;
  for (size_t i = 0; i < log->nplaces; i++)
  {
    hd_reader_chunk c;
    log->all_read = i + 1 < log->nplaces ? log->places[i + 1].seq - 1 : UINT64_MAX;
    if (log->places[i].kind == HD_CHUNK_EVENTS && load(log, &log->places[i], &c)
        && hd_reader_decode(log, &c, sink, HD_READER_FILE) == HD_READER_STOPPED)
      return false;
    if (i + 1 < log->nplaces)
      deliver_claims(log, sink);
  }
  find_lost_threads(log);
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
