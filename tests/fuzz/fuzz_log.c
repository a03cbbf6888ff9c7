/* fuzz_log.c: the log reader on anything at all.
 *
 * A log is made of units of 64 KiB, mostly empty, which would be slow to fuzz. So the input is a short description of
 * one: the live part of the header (64 bytes), then chunks, each with 8 bytes of description and its payload. Magic
 * numbers, checksums and lengths are made right unless the description says otherwise, so that fuzzing gets past them.
 * The log is then read as a whole, as a live log in two rounds, and printed through hd_value.
 *
 *   chunk: kind, flags, units, 0, sequence number (16 bits), length of the payload (16 bits); the payload
 *   flags: 1 not sealed, 2 wrong checksum, 4 wrong magic, 8 the unit after it stays empty */
#define _GNU_SOURCE
#include "log/log.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum
{
  MAX_CHUNKS = 24,
  LIVE_FROM = offsetof(hd_log_header, state),
  LIVE_BYTES = 64,
};

typedef struct observer
{
  uint64_t *frontier; /* by object */
  uint32_t objects;
  uint64_t events;
  const hd_log *log;
} observer;

/* What every reader of a log may rely on, whatever the log is. */
static bool
take_event(void *context, const hd_event *e)
{
  observer *o = context;
  if (e->kind < HD_K_CALL || e->kind >= HD_K_LINE || e->thread == 0 || e->nvalues > HD_SITE_VALUES)
    abort();
  if (e->object > hd_log_objects(o->log) || (e->site && !hd_log_site_get(o->log, e->site)))
    abort();
  hd_log_place place;
  if (e->line > HD_MAX_LINE || (hd_log_place_get(o->log, hd_event_place(e), &place) && !*place.file))
    abort();
  if (e->stamped && e->object && e->object < o->objects && e->stamp < o->frontier[e->object])
    abort();
  uint64_t hash = 0;
  for (uint32_t i = 0; i < e->nvalues; i++)
    hash ^= hd_value_hash(e->values[i]);
  o->events += 1 + (hash == 1);
  return o->events < 1000000;
}

static void
take_frontier(void *context, uint32_t object, uint64_t f)
{
  observer *o = context;
  if (object == 0 || object > hd_log_objects(o->log))
    abort();
  if (object >= o->objects)
    return;
  if (f < o->frontier[object])
    abort();
  o->frontier[object] = f;
}

static bool
barrier(void *context)
{
  (void) context;
  return true;
}

static void
observe(int fd, bool live)
{
  char *error;
  hd_log *log = hd_log_open_fd(dup(fd), "fuzz.hlog", &error);
  if (!log)
  {
    free(error);
    return;
  }
  observer o = {.objects = 1 << 17, .log = log};
  o.frontier = calloc(o.objects, sizeof *o.frontier);
  hd_log_sink sink = {.context = &o, .event = take_event, .frontier = take_frontier};
  if (live)
  {
    if (hd_log_poll(log, &sink, barrier, NULL, true) >= 0 && hd_log_poll(log, &sink, barrier, NULL, true) >= 0)
      hd_log_finish(log, &sink);
  }
  else
    hd_log_read(log, &sink);
  for (uint32_t i = 1; i <= hd_log_objects(log); i++)
    if (!hd_log_object_get(log, i)->type)
      abort();
  for (uint32_t i = 1; i <= hd_log_sites(log); i++)
    if (!hd_log_site_get(log, i)->file)
      abort();
  for (uint32_t i = 1; i <= hd_log_threads(log); i++)
    if (!hd_log_thread_name(log, i))
      abort();
  const hd_log_damage *d;
  size_t n = hd_log_damages(log, &d);
  for (size_t i = 0; i < n; i++)
    if (!d[i].what || !*d[i].what)
      abort();
  free(o.frontier);
  hd_log_free(log);
}

/* Write one chunk at UNIT; returns how many units it takes up in the file. */
static uint32_t
put_chunk(int fd, uint32_t unit, const uint8_t *description, const uint8_t *payload, size_t n)
{
  uint16_t seq;
  memcpy(&seq, description + 4, 2);
  uint8_t flags = description[1];
  hd_chunk_header h = {.magic = HD_CHUNK_MAGIC ^ (flags & 4),
                       .kind = description[0],
                       .seq = seq,
                       .units = description[2],
                       .sealed = !(flags & 1),
                       .used = (uint32_t) n,
                       .checksum = XXH3_64bits(payload, n) ^ (flags & 2)};
  off_t at = (off_t) unit * HD_LOG_UNIT;
  if (pwrite(fd, &h, sizeof h, at) != sizeof h || pwrite(fd, payload, n, at + (off_t) sizeof h) != (ssize_t) n)
    abort();
  uint32_t units = description[2] ? description[2] % 4 + (description[2] % 4 == 0) : 1;
  return units + (flags >> 3 & 1);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  hd_log_header h = {.version = HD_LOG_VERSION, .unit = HD_LOG_UNIT};
  memcpy(h.magic, HD_LOG_MAGIC, sizeof h.magic);
  h.checksum = XXH3_64bits(&h, offsetof(hd_log_header, checksum));
  if (size < LIVE_BYTES)
    return 0;
  memcpy((char *) &h + LIVE_FROM, data, LIVE_BYTES);
  int fd = memfd_create("fuzz", MFD_CLOEXEC);
  if (fd < 0)
    return 0;
  uint32_t unit = 1;
  size_t at = LIVE_BYTES;
  for (int i = 0; i < MAX_CHUNKS && size - at >= 8; i++)
  {
    const uint8_t *description = data + at;
    uint16_t length;
    memcpy(&length, description + 6, 2);
    at += 8;
    size_t n = length < size - at ? length : size - at;
    if (n > HD_LOG_UNIT - sizeof(hd_chunk_header))
      n = HD_LOG_UNIT - sizeof(hd_chunk_header);
    unit += put_chunk(fd, unit, description, data + at, n);
    at += n;
  }
  h.units = h.units % 4 ? unit : h.units % 4096;
  if (ftruncate(fd, (off_t) unit * HD_LOG_UNIT) != 0 || pwrite(fd, &h, sizeof h, 0) != sizeof h)
    abort();
  observe(fd, false);
  observe(fd, true);
  close(fd);
  return 0;
}
