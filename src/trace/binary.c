/* binary.c: reads .htrace files (format.h): finds the blocks of each stream, decodes them, and merges the streams by
 * their order numbers. The file is untrusted. What a killed writer leaves is read as far as it is whole (hd_trace_cut);
 * what no writer can have written is an error with its offset. */
#include "trace/encode.h"
#include "trace/reader.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct stream
{
  uint64_t *blocks; /* offsets */
  size_t nblocks, blocks_cap, block;
  /* Of the block that is being read. */
  bytes in;
  uint64_t left; /* events */
  uint64_t order;
  uint64_t targets[HD_TRACE_CLASSES];
  uint32_t location, thread;
  bool started, missing; /* an event was read; blocks after these were not found */
  /* The next event. */
  bool full;
  hd_trace_event head;
  uint64_t head_order; /* 0: none */
} stream;

struct binary_reader
{
  hd_trace_ids ids; /* number of a stream -> index */
  stream *streams;
  size_t nstreams, streams_cap;
  /* Streams whose next event waits for its turn: a heap, the smallest order number first. */
  uint32_t *heap;
  size_t nheap;
  size_t current;      /* the stream that is being read; nstreams: none */
  size_t unstarted;    /* streams from here on were not looked at yet */
  uint64_t next_order; /* the order number that comes next */
  uint64_t counted;    /* events that the blocks say they have */
  bool indexed, ended; /* the last block was found */
  char *index_cut;     /* what was found to be missing in the index */
};

static void
fail(hd_trace *t, uint64_t offset, const char *text)
{
  char place[48];
  snprintf(place, sizeof place, ": byte %" PRIu64, offset);
  hd_trace_fail(t, place, "%s", text);
}

static void
cut(hd_trace *t, char **where, uint64_t offset, const char *text)
{
  if (*where)
    return;
  hd_string s = {0};
  hd_string_printf(&s, "%s: byte %" PRIu64 ": %s", t->path, offset, text);
  *where = s.text;
}

/* ---- the index ---- */

static bool
read_header(hd_trace *t, uint64_t offset, hd_trace_block_header *h)
{
  if (t->size - offset < sizeof *h)
    return false;
  memcpy(h, t->data + offset, sizeof *h);
  return h->magic == HD_TRACE_BLOCK_MAGIC && h->length <= HD_TRACE_MAX_PAYLOAD
         && h->length <= t->size - offset - sizeof *h;
}

static bool
sound(const hd_trace *t, uint64_t offset, const hd_trace_block_header *h)
{
  return hd_trace_block_checksum(h, t->data + offset + sizeof *h) == h->checksum;
}

/* The first byte from OFFSET on that is not zero, rounded down to where a block may begin. */
static uint64_t
pass_zeros(const hd_trace *t, uint64_t offset)
{
  while (offset < t->size && t->data[offset] == 0)
    offset++;
  return offset < t->size ? offset & ~7ull : t->size;
}

static void
add_events(hd_trace *t, uint64_t offset, const hd_trace_block_header *h)
{
  struct binary_reader *r = t->binary;
  if (h->stream >= HD_TRACE_MAX_STREAMS)
  {
    /* A damaged header may say anything; one with a right checksum may not. */
    if (sound(t, offset, h))
      fail(t, offset, "the number of a stream is too large");
    else
      cut(t, &r->index_cut, offset, "the block is damaged");
    return;
  }
  uint32_t i = hd_trace_ids_get(&r->ids, h->stream);
  if (i == r->nstreams)
    HD_PUSH(r->streams, r->nstreams, r->streams_cap, (stream){0});
  stream *s = &r->streams[i];
  if (h->sequence != s->nblocks || s->missing)
    s->missing = true;
  else
    HD_PUSH(s->blocks, s->nblocks, s->blocks_cap, offset);
  if (s->missing)
    cut(t, &r->index_cut, offset, "blocks of this stream before this one are missing");
  r->counted += h->count;
}

static void
index_blocks(hd_trace *t)
{
  struct binary_reader *r = t->binary;
  for (uint64_t at = sizeof(hd_trace_file_header); at < t->size && !t->error;)
  {
    hd_trace_block_header h;
    if (!read_header(t, at, &h))
    {
      uint64_t next = pass_zeros(t, at);
      cut(t, &r->index_cut, at, next > at ? "a block was never written" : "the file ends, or is damaged, here");
      if (next == at)
        return;
      at = next;
      continue;
    }
    if (h.kind == HD_TRACE_BLOCK_EVENTS)
      add_events(t, at, &h);
    else if (!sound(t, at, &h))
      cut(t, &r->index_cut, at, "the block is damaged");
    else if (h.kind == HD_TRACE_BLOCK_TABLE)
      hd_trace_table_read(t, (const uint8_t *) t->data + at + sizeof h, h.length, at + sizeof h);
    else if (h.kind == HD_TRACE_BLOCK_END)
    {
      r->ended = true;
      if (h.count != r->counted)
        cut(t, &r->index_cut, at, "events are missing before the end");
    }
    else
      fail(t, at, "a block of a kind that this version of Heddle does not know");
    at += sizeof h + ((h.length + 7) & ~7ull);
  }
  if (!r->ended)
    cut(t, &r->index_cut, t->size, "the end is missing: the program was killed, or is still running");
}

static bool
check_file_header(hd_trace *t)
{
  hd_trace_file_header h;
  if (t->size < sizeof h)
    fail(t, t->size, "the file is too short for a trace");
  else
  {
    memcpy(&h, t->data, sizeof h);
    if (memcmp(h.magic, HD_TRACE_MAGIC, sizeof h.magic) != 0)
      fail(t, 0, "this is no .htrace file");
    else if (h.version != HD_TRACE_VERSION)
      fail(t, 8, "the trace was written by another version of Heddle");
    else if (h.size != sizeof h || hd_trace_file_checksum(&h) != h.checksum)
      fail(t, 12, "the header of the trace is damaged");
  }
  return !t->error;
}

void
hd_trace_binary_start(hd_trace *t)
{
  if (!t->binary)
    t->binary = hd_alloc_zero(sizeof *t->binary);
  struct binary_reader *r = t->binary;
  if (!r->indexed)
  {
    r->indexed = true;
    if (!check_file_header(t))
      return;
    index_blocks(t);
    r->heap = hd_alloc_array(r->nstreams + 1, sizeof *r->heap);
  }
  for (size_t i = 0; i < r->nstreams; i++)
  {
    stream old = r->streams[i];
    r->streams[i]
        = (stream){.blocks = old.blocks, .nblocks = old.nblocks, .blocks_cap = old.blocks_cap, .missing = old.missing};
  }
  r->nheap = 0;
  r->next_order = 1;
  r->current = r->nstreams;
  r->unstarted = 0;
}

void
hd_trace_binary_free(hd_trace *t)
{
  struct binary_reader *r = t->binary;
  if (!r)
    return;
  for (size_t i = 0; i < r->nstreams; i++)
    free(r->streams[i].blocks);
  free(r->streams);
  free(r->heap);
  free(r->index_cut);
  hd_trace_ids_free(&r->ids);
  free(r);
}

/* ---- decoding ---- */

static bool
open_block(hd_trace *t, stream *s)
{
  uint64_t offset = s->blocks[s->block++];
  hd_trace_block_header h;
  HD_CHECK(read_header(t, offset, &h));
  if (!sound(t, offset, &h))
  {
    cut(t, &t->cut, offset, "the block is damaged");
    s->block = s->nblocks;
    return false;
  }
  if (h.thread >= HD_TRACE_MAX_THREADS || h.order < s->order)
  {
    fail(t, offset, h.order < s->order ? "order numbers go backwards" : "the number of a thread is too large");
    return false;
  }
  s->in.at = (const uint8_t *) t->data + offset + sizeof h;
  s->in.end = s->in.at + h.length;
  s->left = h.count;
  s->order = h.order;
  s->thread = h.thread;
  s->location = 0;
  memset(s->targets, 0, sizeof s->targets);
  return true;
}

/* What is wrong with the event, or NULL. */
static const char *
decode(stream *s, hd_trace_event *e, uint64_t *order)
{
  bytes *in = &s->in;
  uint8_t code = take_byte(in);
  while (code == HD_TRACE_CODE_SWITCH && !in->bad)
  {
    uint64_t thread = take_varint(in);
    if (thread >= HD_TRACE_MAX_THREADS)
      return "the number of a thread is too large";
    s->thread = (uint32_t) thread;
    code = take_byte(in);
  }
  *e = (hd_trace_event){.thread = s->thread, .kind = code & HD_TRACE_CODE_KIND};
  const hd_trace_kind_info *kind = hd_trace_kind_get(e->kind);
  if (!kind)
    return "there is no such kind of event";
  uint8_t flags = code & HD_TRACE_CODE_FLAGS ? take_byte(in) : 0;
  if (flags & ~(HD_TRACE_FLAG_TRIED | HD_TRACE_FLAG_STACK))
    return "the event has unknown flags";
  if ((flags & HD_TRACE_FLAG_TRIED) && e->kind != HD_TRACE_ACQUIRE && e->kind != HD_TRACE_ACQUIRE_SHARED)
    return "only a lock can be tried";
  e->flags = flags & HD_TRACE_FLAG_TRIED ? HD_TRACE_TRIED : 0;
  *order = 0;
  if (code & HD_TRACE_CODE_ORDER)
  {
    uint64_t more = take_varint(in);
    if (more >= UINT64_MAX - s->order)
      return "an order number is too large";
    *order = s->order += more + 1;
  }
  if (code & HD_TRACE_CODE_LOCATION)
    s->location = (uint32_t) take_signed(in, s->location);
  e->location = s->location;
  uint64_t stack = flags & HD_TRACE_FLAG_STACK ? take_varint(in) : 0;
  if (stack > UINT32_MAX)
    return "the number of a stack is too large";
  e->stack = (uint32_t) stack;
  if (kind->class != HD_TRACE_NOTHING)
    e->target = s->targets[kind->class] = take_signed(in, s->targets[kind->class]);
  if (kind->class == HD_TRACE_THREAD && e->target >= HD_TRACE_MAX_THREADS)
    return "the number of a thread is too large";
  if (kind->sized)
  {
    uint64_t size = take_varint(in);
    if (size > (kind->class != HD_TRACE_VARIABLE || e->kind >= HD_TRACE_ALLOC ? UINT32_MAX : HD_TRACE_MAX_ACCESS)
        || (size > 0 && kind->class == HD_TRACE_VARIABLE && e->target + (size - 1) < e->target))
      return "the size of an access is too large";
    e->size = (uint32_t) size;
    if (size == 0 && (e->kind == HD_TRACE_ALLOC || e->kind == HD_TRACE_FREE))
      return "a block of memory has no size";
  }
  if (kind->ordered && (e->order = take_byte(in)) >= HD_TRACE_ORDERS)
    return "there is no such memory order";
  return in->bad ? "the block ends inside an event" : NULL;
}

/* Get the next event of S into its head. False: there is none, or an error. */
static bool
fill(hd_trace *t, stream *s)
{
  while (s->left == 0)
  {
    if (s->in.at != s->in.end)
    {
      fail(t, (uint64_t) ((const char *) s->in.at - t->data), "the block has more bytes than events");
      return false;
    }
    if (s->block == s->nblocks || !open_block(t, s))
      return false;
  }
  uint64_t offset = (uint64_t) ((const char *) s->in.at - t->data);
  const char *wrong = decode(s, &s->head, &s->head_order);
  if (!wrong && !s->started && s->head_order == 0 && t->binary->nstreams > 1)
    wrong = "the first event of a stream needs an order number where there are several streams";
  if (wrong)
  {
    fail(t, offset, wrong);
    return false;
  }
  s->left--;
  s->started = true;
  return true;
}

/* ---- the merge ---- */

static uint64_t
heap_key(const struct binary_reader *r, size_t i)
{
  return r->streams[r->heap[i]].head_order;
}

static void
heap_swap(struct binary_reader *r, size_t i, size_t j)
{
  uint32_t x = r->heap[i];
  r->heap[i] = r->heap[j];
  r->heap[j] = x;
}

static void
park(struct binary_reader *r, size_t index)
{
  size_t i = r->nheap++;
  r->heap[i] = (uint32_t) index;
  for (; i > 0 && heap_key(r, i) < heap_key(r, (i - 1) / 2); i = (i - 1) / 2)
    heap_swap(r, i, (i - 1) / 2);
}

static size_t
unpark(struct binary_reader *r)
{
  size_t top = r->heap[0];
  r->heap[0] = r->heap[--r->nheap];
  for (size_t i = 0, child; (child = 2 * i + 1) < r->nheap; i = child)
  {
    if (child + 1 < r->nheap && heap_key(r, child + 1) < heap_key(r, child))
      child++;
    if (heap_key(r, i) <= heap_key(r, child))
      break;
    heap_swap(r, i, child);
  }
  return top;
}

/* The stream whose head comes next, or NULL. */
static stream *
next_stream(hd_trace *t)
{
  struct binary_reader *r = t->binary;
  for (; r->unstarted < r->nstreams && r->nstreams > 1; r->unstarted++)
    if (fill(t, &r->streams[r->unstarted]))
      park(r, r->unstarted);
    else if (t->error)
      return NULL;
  if (r->nstreams == 1 && r->current == 1)
    r->current = 0;
  if (r->current < r->nstreams)
  {
    stream *s = &r->streams[r->current];
    if (fill(t, s))
    {
      if (s->head_order == 0 || s->head_order == r->next_order)
        return s;
      park(r, r->current);
    }
    else if (t->error)
      return NULL;
    r->current = r->nstreams;
  }
  if (r->nheap == 0)
    return NULL;
  uint64_t order = heap_key(r, 0);
  if (order != r->next_order)
  {
    hd_string s = {0};
    hd_string_printf(&s, "the event with order number %" PRIu64 " is %s", order < r->next_order ? order : r->next_order,
                     order < r->next_order ? "there twice" : "missing");
    if (order < r->next_order)
      fail(t, t->size, s.text);
    else
      cut(t, &t->cut, t->size, s.text);
    hd_string_free(&s);
    return NULL;
  }
  r->current = unpark(r);
  return &r->streams[r->current];
}

size_t
hd_trace_binary_read(hd_trace *t, hd_trace_event *events, size_t n)
{
  struct binary_reader *r = t->binary;
  size_t got = 0;
  for (; got < n && !t->cut; got++)
  {
    stream *s = next_stream(t);
    if (!s)
      break;
    if (s->head_order != 0)
      r->next_order++;
    events[got] = s->head;
  }
  if (got < n && !t->error && (t->loss || (!t->cut && r->index_cut)))
  {
    const char *text = t->loss ? t->loss : r->index_cut;
    free(t->cut);
    t->cut = hd_strndup(text, strlen(text));
  }
  return got;
}
