/* format.h: the layout of an .htrace file, byte by byte. docs/monitor.md says the same in words.
 *
 * A file header, then blocks, each a header and its payload padded with zeros to a multiple of 8. All numbers are
 * little-endian. Events come in streams: the blocks of one stream, by their sequence numbers, are one sequence of
 * events. A program that is traced has a stream per thread and may write blocks of different streams from different
 * threads, each to a part of the file that it reserved; a converted trace has one stream.
 *
 * Order between streams: an event may carry an order number, from one counter for the whole trace: 1, 2, 3, ... without
 * gaps. Whoever writes the trace gives one to each event whose place among those of other threads matters:
 * synchronisation, and accesses to what is shared. The trace is the streams merged by these numbers; an event without
 * one stands right after its predecessor in the stream.
 *
 * A killed writer leaves blocks out (zeros, or the end of the file). What remains is a prefix of the trace: a stream
 * ends where its sequence of blocks does, and the merge ends at the first missing order number. */
#ifndef HD_TRACE_FORMAT_H
#define HD_TRACE_FORMAT_H

#include <stdint.h>

#define HD_TRACE_MAGIC "HEDDLETR"
#define HD_TRACE_VERSION 1u
#define HD_TRACE_BLOCK_MAGIC 0x4b425448u /* "HTBK" */
#define HD_TRACE_MAX_PAYLOAD (1u << 20)
#define HD_TRACE_MAX_STREAMS (1u << 16)

typedef struct hd_trace_file_header
{
  char magic[8];
  uint32_t version;
  uint32_t size;     /* of this header */
  uint64_t pid;      /* of the program that was traced, or 0 */
  uint64_t start_ns; /* CLOCK_REALTIME then, or 0 */
  uint64_t reserved[3];
  uint64_t checksum; /* XXH3_64bits of the 56 bytes before */
} hd_trace_file_header;

enum hd_trace_block_kind
{
  HD_TRACE_BLOCK_EVENTS = 1,
  HD_TRACE_BLOCK_TABLE = 2,
  HD_TRACE_BLOCK_END = 3, /* no payload. The writer came to its end; COUNT and ORDER are those of the whole trace */
};

typedef struct hd_trace_block_header
{
  uint32_t magic;
  uint32_t kind;     /* enum hd_trace_block_kind */
  uint32_t stream;   /* of events; else 0 */
  uint32_t sequence; /* of the blocks of the stream, from 0 */
  uint32_t thread;   /* of the first event */
  uint32_t length;   /* bytes of payload, without the padding */
  uint64_t count;    /* events in the block */
  uint64_t order;    /* the largest order number of the stream before this block */
  uint64_t checksum; /* XXH3_64bits of the 40 bytes before and the payload */
} hd_trace_block_header;

_Static_assert(sizeof(hd_trace_file_header) == 64, "file header");
_Static_assert(sizeof(hd_trace_block_header) == 48, "block header");

/* ---- events ----
 *
 * A byte: bits 0..4 the kind, 0x20: the location changes, 0x40: it has an order number, 0x80: a byte of flags follows.
 * Then, where they apply, in this order. varint: seven bits a byte, the lowest first, 0x80 on all but the last.
 * signed: a varint of the difference d to the value before in the block (0 at its start) as 2d or -2d-1.
 *   flags     1: tried, 2: a stack follows; other bits are 0
 *   order     varint: the order number minus the one before in the stream, minus 1
 *   location  signed
 *   stack     varint
 *   target    signed, to the last target of the same class
 *   size      varint
 *   memory order   a byte
 * Kind 31 is no event: a varint follows, the thread of the events from here on.
 *
 * ---- tables ----
 *
 * A byte, then:
 *   1  name      class (a byte), target (varint), text
 *   2  location  number (varint), line (varint), a byte: 1 text, 2 file, 4 function; these, as texts
 *   3  stack     number (varint), how many (varint), locations (varints), the innermost first
 *   4  loss      text: what happened and is not in the trace
 * A text is its length in bytes (varint) and its bytes, without zero bytes. */
enum hd_trace_code
{
  HD_TRACE_CODE_KIND = 0x1f,
  HD_TRACE_CODE_LOCATION = 0x20,
  HD_TRACE_CODE_ORDER = 0x40,
  HD_TRACE_CODE_FLAGS = 0x80,
  HD_TRACE_CODE_SWITCH = 31,
  HD_TRACE_FLAG_TRIED = 1,
  HD_TRACE_FLAG_STACK = 2,
  HD_TRACE_TABLE_NAME = 1,
  HD_TRACE_TABLE_LOCATION = 2,
  HD_TRACE_TABLE_STACK = 3,
  HD_TRACE_TABLE_LOSS = 4,
};

#endif
