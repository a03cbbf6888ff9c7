/* encode.c: events into blocks (format.h). */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <string.h>

#include "trace/encode.h"

static uint8_t *
put_signed(uint8_t *p, uint64_t now, uint64_t before)
{
  int64_t d = (int64_t) (now - before);
  return hd_trace_put_varint(p, ((uint64_t) d << 1) ^ (uint64_t) (d >> 63));
}

bool
hd_trace_encode(hd_trace_encoder *c, const hd_trace_event *e, uint64_t order)
{
  if (c->length + HD_TRACE_LONGEST_EVENT > HD_TRACE_BLOCK_BYTES)
    return false;
  const hd_trace_kind_info *kind = hd_trace_kind_get(e->kind);
  HD_CHECK(kind);
  if (c->count == 0)
    c->first_thread = c->thread = e->thread;
  uint8_t *p = c->payload + c->length;
  if (e->thread != c->thread)
  {
    *p++ = HD_TRACE_CODE_SWITCH;
    p = hd_trace_put_varint(p, e->thread);
    c->thread = e->thread;
  }
  uint8_t flags
      = (uint8_t) ((e->flags & HD_TRACE_TRIED ? HD_TRACE_FLAG_TRIED : 0) | (e->stack != 0 ? HD_TRACE_FLAG_STACK : 0));
  *p++ = (uint8_t) (e->kind | (e->location != c->location ? HD_TRACE_CODE_LOCATION : 0)
                    | (order != 0 ? HD_TRACE_CODE_ORDER : 0) | (flags ? HD_TRACE_CODE_FLAGS : 0));
  if (flags)
    *p++ = flags;
  if (order != 0)
  {
    HD_CHECK(order > c->order);
    p = hd_trace_put_varint(p, order - c->order - 1);
    c->order = order;
  }
  if (e->location != c->location)
  {
    p = put_signed(p, e->location, c->location);
    c->location = e->location;
  }
  if (e->stack != 0)
    p = hd_trace_put_varint(p, e->stack);
  if (kind->class != HD_TRACE_NOTHING)
  {
    p = put_signed(p, e->target, c->targets[kind->class]);
    c->targets[kind->class] = e->target;
  }
  if (kind->sized)
    p = hd_trace_put_varint(p, e->size);
  if (kind->ordered)
    *p++ = e->order;
  c->length = (uint32_t) (p - c->payload);
  c->count++;
  return true;
}

uint64_t
hd_trace_block_checksum(const hd_trace_block_header *header, const void *payload)
{
  XXH3_state_t state;
  XXH3_64bits_reset(&state);
  XXH3_64bits_update(&state, header, offsetof(hd_trace_block_header, checksum));
  XXH3_64bits_update(&state, payload, header->length);
  return XXH3_64bits_digest(&state);
}

uint64_t
hd_trace_file_checksum(const hd_trace_file_header *header)
{
  return XXH3_64bits(header, offsetof(hd_trace_file_header, checksum));
}

void
hd_trace_seal_block(hd_trace_block_header *header, const void *payload)
{
  header->magic = HD_TRACE_BLOCK_MAGIC;
  header->checksum = hd_trace_block_checksum(header, payload);
}

void
hd_trace_seal_file(hd_trace_file_header *header, uint64_t pid, uint64_t start_ns)
{
  *header
      = (hd_trace_file_header){.version = HD_TRACE_VERSION, .size = sizeof *header, .pid = pid, .start_ns = start_ns};
  memcpy(header->magic, HD_TRACE_MAGIC, sizeof header->magic);
  header->checksum = hd_trace_file_checksum(header);
}

void
hd_trace_encode_block(hd_trace_encoder *c, hd_trace_block_header *header)
{
  *header = (hd_trace_block_header){.kind = HD_TRACE_BLOCK_EVENTS,
                                    .stream = c->stream,
                                    .sequence = c->sequence++,
                                    .thread = c->first_thread,
                                    .length = c->length,
                                    .count = c->count,
                                    .order = c->first_order};
  hd_trace_seal_block(header, c->payload);
  c->first_order = c->order;
  c->count = 0;
  c->length = 0;
  c->location = 0;
  memset(c->targets, 0, sizeof c->targets);
}
