/* encode.h: making the blocks of an .htrace file in memory. Needs libc and xxHash alone and allocates nothing, so that
 * a runtime inside a traced program can do it on its threads. Private to src/trace and the tests. */
#ifndef HD_TRACE_ENCODE_H
#define HD_TRACE_ENCODE_H

#include "trace/format.h"
#include "trace/trace.h"

enum
{
  HD_TRACE_BLOCK_BYTES = 1 << 16, /* payload of one block as we make them */
  HD_TRACE_LONGEST_EVENT = 80     /* bytes that one event can need, with a switch of threads before it */
};

/* One stream on its way. Zero but for STREAM and THREAD at the start. */
typedef struct hd_trace_encoder
{
  uint32_t stream, sequence;
  uint32_t first_thread, thread; /* of the block, of the last event */
  uint64_t order, first_order;   /* of the last event that had one, before the block */
  uint64_t count;                /* of events in the block */
  uint64_t targets[HD_TRACE_CLASSES];
  uint32_t location;
  uint32_t length;
  uint8_t payload[HD_TRACE_BLOCK_BYTES];
} hd_trace_encoder;

/* ORDER: the event's number, above the last of this stream; 0: it has none. False: the block is full: take it first. */
bool hd_trace_encode(hd_trace_encoder *c, const hd_trace_event *e, uint64_t order);
/* The header of the block; the payload follows it in the file, padded to 8 bytes. The next block begins. */
void hd_trace_encode_block(hd_trace_encoder *c, hd_trace_block_header *header);
/* Fill in the rest of a header: magic and checksum. */
void hd_trace_seal_block(hd_trace_block_header *header, const void *payload);
void hd_trace_seal_file(hd_trace_file_header *header, uint64_t pid, uint64_t start_ns);
uint64_t hd_trace_block_checksum(const hd_trace_block_header *header, const void *payload);
uint64_t hd_trace_file_checksum(const hd_trace_file_header *header);

static inline uint8_t *
hd_trace_put_varint(uint8_t *p, uint64_t v)
{
  for (; v >= 0x80; v >>= 7)
    *p++ = (uint8_t) (v | 0x80);
  *p++ = (uint8_t) v;
  return p;
}

#endif
