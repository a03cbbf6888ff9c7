/* build.c: makes logs without a program: for converters, cutters and tests.
 *
 * The result is what a program would have written that ran through the events in the order in which they are given:
 * one chunk for each thread at a time, taken when it is needed, sealed when it is full or when the log is closed. A
 * chunk whose thread has ended serves the next new thread. Everything is written to PATH.part, which becomes PATH at
 * the end. */
#include "log/build.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#define PAYLOAD (HD_LOG_UNIT - sizeof(hd_chunk_header))
/* Kept free at the end of each chunk: HD_K_NEXT or HD_K_THREAD_END. */
#define RESERVE 16u
/* A chunk that a thread left with less than this is not worth passing on. */
#define WORTH_KEEPING 1024u
#define SLOTS_PER_UNIT (PAYLOAD / sizeof(hd_slot))

/* A chunk that is being filled. */
typedef struct chunk
{
  uint64_t seq;
  unsigned char *payload;
  size_t used, cap;
  uint32_t unit; /* 0: placed when it is written */
} chunk;

typedef struct thread
{
  chunk chunk; /* PAYLOAD NULL: none */
  uint32_t ordinal;
} thread;

struct hd_log_build
{
  int fd;
  char *part;  /* the file while it is written */
  char *path;  /* its name afterwards; NULL: it has none */
  char *error; /* the first one */
  hd_log_header header;
  uint32_t next_unit;
  size_t limit;

  thread *threads; /* by number */
  size_t nthreads, cap_threads;
  chunk *left; /* whose threads have ended */
  size_t nleft, cap_left;

  chunk table;
  hd_log_site *sites; /* by id; types and number of values only */
  size_t nsites, cap_sites;
  hd_slot *slots; /* by object */
  size_t nslots, cap_slots;
  uint32_t *clock_units; /* where slots i * SLOTS_PER_UNIT .. go */
  uint64_t *clock_seqs;
  size_t nclock_units, cap_clock_units, cap_clock_seqs;
};

static void
fail(hd_log_build *b, const char *what)
{
  if (b->error)
    return;
  hd_string s = {0};
  hd_string_printf(&s, "%s: cannot %s: %s", b->part, what, strerror(errno));
  b->error = s.text;
}

static void
write_at(hd_log_build *b, const void *data, size_t n, uint64_t offset)
{
  for (size_t done = 0; done < n && !b->error;)
  {
    ssize_t w = pwrite(b->fd, (const char *) data + done, n - done, (off_t) (offset + done));
    if (w < 0 && errno == EINTR)
      continue;
    if (w <= 0)
      fail(b, "write the log");
    else
      done += (size_t) w;
  }
}

/* ---- chunks ---- */

/* Room for N bytes more, all of which the caller writes. */
static void *
append(chunk *c, size_t n)
{
  hd_grow(&c->payload, &c->cap, c->used + n + 1, 1); /* never null: an empty chunk is one too */
  void *p = c->payload + c->used;
  c->used += n;
  return p;
}

static void
append_word(chunk *c, uint64_t word)
{
  memcpy(append(c, sizeof word), &word, sizeof word);
}

/* Write the chunk, sealed, and free it. */
static void
seal(hd_log_build *b, chunk *c, uint32_t kind)
{
  hd_chunk_header h = {.magic = HD_CHUNK_MAGIC,
                       .kind = kind,
                       .seq = c->seq,
                       .units = (uint32_t) ((sizeof h + c->used + HD_LOG_UNIT - 1) / HD_LOG_UNIT),
                       .sealed = 1,
                       .used = (uint32_t) c->used,
                       .checksum = XXH3_64bits(c->payload, c->used)};
  if (c->used > UINT32_MAX - HD_LOG_UNIT)
  {
    errno = EFBIG;
    fail(b, "write the log");
  }
  if (c->unit == 0)
  {
    c->unit = b->next_unit;
    b->next_unit += h.units;
  }
  uint64_t offset = (uint64_t) c->unit * HD_LOG_UNIT;
  write_at(b, &h, sizeof h, offset);
  write_at(b, c->payload, c->used, offset + sizeof h);
  free(c->payload);
  *c = (chunk){0};
}

static chunk
new_chunk(hd_log_build *b)
{
  chunk c = {.seq = ++b->header.chunk_seq};
  append(&c, 0);
  return c;
}

/* ---- tables ---- */

/* Make room for a table entry of N bytes and write its head. */
static unsigned char *
entry(hd_log_build *b, uint32_t kind, size_t n)
{
  n = (n + 7) & ~(size_t) 7;
  if (b->table.payload && b->table.used + n > PAYLOAD)
    seal(b, &b->table, HD_CHUNK_TABLE);
  if (!b->table.payload)
    b->table = new_chunk(b);
  unsigned char *p = append(&b->table, n);
  memset(p, 0, n);
  uint32_t head[2] = {(uint32_t) n, kind};
  memcpy(p, head, sizeof head);
  return p;
}

static unsigned char *
put(unsigned char *p, const void *data, size_t n)
{
  if (n)
    memcpy(p, data, n);
  return p + n;
}

static unsigned char *
put_word(unsigned char *p, uint64_t word)
{
  return put(p, &word, sizeof word);
}

static unsigned char *
put_string(unsigned char *p, const char *s)
{
  uint32_t n = (uint32_t) strlen(s);
  return put(put(p, &n, sizeof n), s, n);
}

static size_t
padded(size_t n)
{
  return (n + 7) & ~(size_t) 7;
}

uint32_t
hd_log_build_site(hd_log_build *b, uint32_t kind, const char *method, const char *file, const char *function,
                  uint32_t line, const uint8_t *types, uint32_t nvalues)
{
  HD_CHECK(nvalues <= HD_SITE_VALUES && b->nsites < 65536);
  hd_log_site s = {.id = (uint32_t) b->nsites, .kind = kind, .line = line, .nvalues = nvalues};
  if (nvalues)
    memcpy(s.types, types, nvalues);
  unsigned char *e = entry(b, HD_T_SITE, 32 + 12 + strlen(file) + strlen(function) + strlen(method));
  uint32_t fields[4] = {s.id, kind, line, nvalues};
  unsigned char *p = put(put(e + 8, fields, sizeof fields), s.types, sizeof s.types);
  put_string(put_string(put_string(p, file), function), method);
  HD_PUSH(b->sites, b->nsites, b->cap_sites, s);
  return s.id;
}

/* The bytes of a string, padded with zeros. */
static unsigned char *
put_bytes(unsigned char *p, hd_value v)
{
  size_t n = padded(v.length);
  memset(put(p, v.p, v.length), 0, n - v.length);
  return p + n;
}

/* A value that says its own type. */
static size_t
dynamic_size(hd_value v)
{
  return v.type >= HD_STR ? 8 + padded(v.length) : v.type == HD_NIL ? 8 : 16;
}

static unsigned char *
put_dynamic(unsigned char *p, hd_value v)
{
  uint64_t word = v.type | (uint64_t) v.length << 8;
  p = put(p, &word, sizeof word);
  if (v.type >= HD_STR)
    return put_bytes(p, v);
  return v.type == HD_NIL ? p : put(p, &v.u, sizeof v.u);
}

uint32_t
hd_log_build_object(hd_log_build *b, const char *type, const char *name, const hd_value *config, size_t n)
{
  return hd_log_build_object_from(b, type, name, config, n, 0);
}

uint32_t
hd_log_build_object_from(hd_log_build *b, const char *type, const char *name, const hd_value *config, size_t n,
                         uint64_t first)
{
  uint32_t id = (uint32_t) b->nslots;
  HD_PUSH(b->slots, b->nslots, b->cap_slots, (hd_slot){.object = id, .clock = first, .first = first});
  size_t chunk_index = id / SLOTS_PER_UNIT;
  if (chunk_index == b->nclock_units)
  {
    size_t nseqs = b->nclock_units;
    HD_PUSH(b->clock_units, b->nclock_units, b->cap_clock_units, b->next_unit++);
    HD_PUSH(b->clock_seqs, nseqs, b->cap_clock_seqs, ++b->header.chunk_seq);
  }
  size_t size = padded(32 + 8 + strlen(type) + strlen(name));
  for (size_t i = 0; i < n; i++)
    size += dynamic_size(config[i]);
  unsigned char *e = entry(b, HD_T_OBJECT, size);
  uint32_t fields[4] = {id, (uint32_t) n, b->clock_units[chunk_index], (uint32_t) (id % SLOTS_PER_UNIT)};
  unsigned char *p = put(put(e + 8, fields, sizeof fields), &first, sizeof first);
  p = put_string(put_string(p, type), name);
  p = e + padded((size_t) (p - e));
  for (size_t i = 0; i < n; i++)
    p = put_dynamic(p, config[i]);
  return id;
}

void
hd_log_build_set_thread_name(hd_log_build *b, uint32_t number, const char *name)
{
  unsigned char *e = entry(b, HD_T_THREAD, 24 + 4 + strlen(name));
  uint32_t fields[4] = {number, 0, number, 0};
  put_string(put(e + 8, fields, sizeof fields), name);
}

/* ---- events ---- */

static void
begin_segment(thread *t, uint32_t number)
{
  append_word(&t->chunk, HD_K_THREAD | (uint64_t) HD_STAMP_NONE << 32);
  append_word(&t->chunk, number | (uint64_t) t->ordinal++ << 32);
  append_word(&t->chunk, number);
}

static thread *
get_thread(hd_log_build *b, uint32_t number)
{
  HD_CHECK(number > 0);
  while (b->nthreads <= number)
    HD_PUSH(b->threads, b->nthreads, b->cap_threads, (thread){0});
  thread *t = &b->threads[number];
  if (t->chunk.payload)
    return t;
  if (b->nleft)
    t->chunk = b->left[--b->nleft];
  else
    t->chunk = new_chunk(b);
  begin_segment(t, number);
  return t;
}

static size_t
values_size(const hd_log_site *s, const hd_event *e)
{
  size_t n = 0;
  for (uint32_t i = 0; i < e->nvalues; i++)
  {
    hd_value v = e->values[i];
    if (s && s->types[i] == HD_TYPE_DYNAMIC)
      n += dynamic_size(v);
    else
      n += v.type >= HD_STR ? 8 + padded(v.length) : v.type == HD_NIL ? 0 : 8;
  }
  return n;
}

static unsigned char *
put_values(unsigned char *p, const hd_log_site *s, const hd_event *e)
{
  for (uint32_t i = 0; i < e->nvalues; i++)
  {
    hd_value v = e->values[i];
    if (s && s->types[i] == HD_TYPE_DYNAMIC)
      p = put_dynamic(p, v);
    else if (v.type >= HD_STR)
    {
      uint64_t length = v.length;
      p = put_bytes(put(p, &length, sizeof length), v);
    }
    else if (v.type != HD_NIL)
      p = put(p, &v.u, sizeof v.u);
  }
  return p;
}

static bool
names_object(uint32_t kind)
{
  switch (kind)
  {
  case HD_K_CALL:
  case HD_K_CALL_NOCOMMIT:
  case HD_K_FREE_WRITE:
  case HD_K_FREE_WRITE_OLD:
  case HD_K_FREE_REPLAY:
  case HD_K_INTERNAL_BEGIN:
  case HD_K_OBJECT_END:
  case HD_K_MISUSE:
    return true;
  default:
    return false;
  }
}

/* Kinds that never have a stamp; an unstamped record of another kind is one that was never finished. */
static bool
stampless(const hd_event *e)
{
  return e->kind == HD_K_BLOCK_BEGIN || e->kind == HD_K_MISUSE || e->kind == HD_K_ABANDON || e->kind == HD_K_BLOCK_END;
}

void
hd_log_build_event(hd_log_build *b, const hd_event *e)
{
  thread *t = get_thread(b, e->thread);
  const hd_log_site *s = e->site && e->site < b->nsites ? &b->sites[e->site] : NULL;
  bool named = names_object(e->kind);
  bool is_long = e->stamped && e->stamp > HD_STAMP_MAX_SHORT;
  size_t size = 8 * (e->line != 0) + 8 + 8 * named + values_size(e->kind == HD_K_MISUSE ? NULL : s, e) + 16 * is_long;
  if (t->chunk.used > 24 && t->chunk.used + size + RESERVE > b->limit)
  {
    chunk next = new_chunk(b);
    append_word(&t->chunk, HD_K_NEXT | (uint64_t) HD_STAMP_NONE << 32);
    append_word(&t->chunk, next.seq);
    seal(b, &t->chunk, HD_CHUNK_EVENTS);
    t->chunk = next;
    begin_segment(t, e->thread);
  }
  uint32_t field = is_long        ? HD_STAMP_LONG
                   : e->stamped   ? (uint32_t) (e->stamp + 1) | (e->ticked ? HD_STAMP_TICK : 0)
                   : stampless(e) ? HD_STAMP_NONE
                                  : 0;
  unsigned char *p = append(&t->chunk, size);
  if (e->line)
    p = put_word(p, HD_K_LINE | (uint64_t) e->line << 32);
  p = put_word(p, e->kind | e->nvalues << 8 | e->site << 16 | (uint64_t) field << 32);
  if (named)
    p = put_word(p, e->object);
  p = put_values(p, e->kind == HD_K_MISUSE ? NULL : s, e);
  if (is_long)
    put_word(put_word(p, HD_K_STAMP | (uint64_t) HD_STAMP_NONE << 32), e->stamp | (uint64_t) e->ticked << 63);
  if (e->ticked && e->object && e->object < b->nslots && e->stamp >= b->slots[e->object].clock)
    b->slots[e->object].clock = e->stamp + 1;
}

void
hd_log_build_thread_end(hd_log_build *b, uint32_t number)
{
  thread *t = get_thread(b, number);
  append_word(&t->chunk, HD_K_THREAD_END | (uint64_t) HD_STAMP_NONE << 32);
  append_word(&t->chunk, b->header.chunk_seq);
  if (t->chunk.used + WORTH_KEEPING < b->limit)
    HD_PUSH(b->left, b->nleft, b->cap_left, t->chunk);
  else
    seal(b, &t->chunk, HD_CHUNK_EVENTS);
  t->chunk = (chunk){0};
}

/* ---- the whole ---- */

void
hd_log_build_set_limit(hd_log_build *b, size_t bytes)
{
  b->limit = bytes < PAYLOAD ? bytes : PAYLOAD;
}

void
hd_log_build_set_program(hd_log_build *b, const char *program, uint64_t pid, uint64_t start_ns)
{
  hd_log_header *h = &b->header;
  memset(h->program, 0, sizeof h->program);
  memcpy(h->program, program, strnlen(program, sizeof h->program - 1));
  h->pid = pid;
  h->start_ns = start_ns;
}

void
hd_log_build_set_lost(hd_log_build *b, uint64_t dropped, bool lost)
{
  b->header.dropped = dropped;
  b->header.lost = lost;
}

void
hd_log_build_set_dropped(hd_log_build *b, uint32_t object, uint64_t lost_at, uint64_t dropped)
{
  b->slots[object].lost_at = lost_at;
  b->slots[object].dropped = dropped;
}

void
hd_log_build_set_clock(hd_log_build *b, uint32_t object, uint64_t ticks)
{
  b->slots[object].clock = ticks;
}

hd_log_build *
hd_log_build_new_fd(int fd, const char *name)
{
  hd_log_build *b = hd_alloc_zero(sizeof *b);
  b->part = hd_strndup(name, strlen(name));
  b->fd = fd;
  memcpy(b->header.magic, HD_LOG_MAGIC, sizeof b->header.magic);
  b->header.version = HD_LOG_VERSION;
  b->header.unit = HD_LOG_UNIT;
  b->next_unit = 1;
  b->limit = PAYLOAD;
  HD_PUSH(b->sites, b->nsites, b->cap_sites, (hd_log_site){0}); /* ids start at 1 */
  HD_PUSH(b->slots, b->nslots, b->cap_slots, (hd_slot){0});
  return b;
}

hd_log_build *
hd_log_build_new(const char *path, char **error)
{
  hd_string part = {0};
  hd_string_printf(&part, "%s.part", path);
  int fd = open(part.text, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  hd_log_build *b = NULL;
  *error = NULL;
  if (fd >= 0)
  {
    b = hd_log_build_new_fd(fd, part.text);
    b->path = hd_strndup(path, strlen(path));
  }
  else
  {
    hd_string s = {0};
    hd_string_printf(&s, "%s: cannot create the log: %s", part.text, strerror(errno));
    *error = s.text;
  }
  hd_string_free(&part);
  return b;
}

static void
write_clocks(hd_log_build *b)
{
  for (size_t i = 0; i < b->nclock_units; i++)
  {
    size_t from = i * SLOTS_PER_UNIT, n = b->nslots - from;
    if (n > SLOTS_PER_UNIT)
      n = SLOTS_PER_UNIT;
    chunk c = {.seq = b->clock_seqs[i], .unit = b->clock_units[i]};
    memcpy(append(&c, n * sizeof(hd_slot)), b->slots + from, n * sizeof(hd_slot));
    seal(b, &c, HD_CHUNK_CLOCKS);
  }
}

bool
hd_log_build_close(hd_log_build *b, bool clean, char **error)
{
  for (size_t i = 0; i < b->nthreads; i++)
    if (b->threads[i].chunk.payload)
      seal(b, &b->threads[i].chunk, HD_CHUNK_EVENTS);
  for (size_t i = 0; i < b->nleft; i++)
    seal(b, &b->left[i], HD_CHUNK_EVENTS);
  if (b->table.payload)
    seal(b, &b->table, HD_CHUNK_TABLE);
  write_clocks(b);
  hd_log_header *h = &b->header;
  h->checksum = XXH3_64bits(h, offsetof(hd_log_header, checksum));
  h->state = clean ? HD_LOG_CLOSED : HD_LOG_OPEN;
  h->units = b->next_unit;
  h->file_size = (uint64_t) b->next_unit * HD_LOG_UNIT;
  write_at(b, h, sizeof *h, 0);
  if (!b->error && ftruncate(b->fd, (off_t) h->file_size) != 0)
    fail(b, "write the log");
  if (close(b->fd) != 0)
    fail(b, "write the log");
  if (!b->error && b->path && rename(b->part, b->path) != 0)
    fail(b, "give the log its name");
  if (b->error && b->path)
    unlink(b->part);
  *error = b->error;
  bool good = !b->error;
  free(b->threads);
  free(b->left);
  free(b->sites);
  free(b->slots);
  free(b->clock_units);
  free(b->clock_seqs);
  free(b->path);
  free(b->part);
  free(b);
  return good;
}

void
hd_log_build_discard(hd_log_build *b)
{
  char *error;
  if (!b->error)
    b->error = hd_strndup("discarded", 9);
  hd_log_build_close(b, false, &error);
  free(error);
}
