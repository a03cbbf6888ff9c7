/* reader.h: what the readers of the two forms share. Private to src/trace. */
#ifndef HD_TRACE_READER_H
#define HD_TRACE_READER_H

#include "trace/trace.h"

struct hd_trace
{
  const char *data;
  size_t size;
  bool mapped;
  char *path;
  hd_trace_form form;
  hd_trace_names *names;
  uint64_t count; /* of events so far */
  char *error, *cut;
  char *loss; /* what the writer knows to be missing; NULL: nothing */
  struct std_reader *std;
  struct binary_reader *binary;
};

/* Remember what is wrong, the first time. ": error: " follows the place. */
void hd_trace_fail(hd_trace *t, const char *place, const char *format, ...) __attribute__((format(printf, 3, 4)));

void hd_trace_std_start(hd_trace *t);
size_t hd_trace_std_read(hd_trace *t, hd_trace_event *events, size_t n);
uint64_t hd_trace_std_line(const hd_trace *t);
void hd_trace_std_free(hd_trace *t);

/* Errors are remembered. */
void hd_trace_binary_start(hd_trace *t);
size_t hd_trace_binary_read(hd_trace *t, hd_trace_event *events, size_t n);
void hd_trace_binary_free(hd_trace *t);
/* Entries of a table block whose payload is DATA, at OFFSET in the file. */
void hd_trace_table_read(hd_trace *t, const uint8_t *data, size_t n, uint64_t offset);

/* Bytes that are read one after the other. BAD is set when they end too early or a varint is too long. */
typedef struct bytes
{
  const uint8_t *at, *end;
  bool bad;
} bytes;

static inline uint8_t
take_byte(bytes *b)
{
  if (b->at == b->end)
  {
    b->bad = true;
    return 0;
  }
  return *b->at++;
}

static inline uint64_t
take_varint(bytes *b)
{
  uint64_t v = 0;
  for (unsigned shift = 0; shift < 64; shift += 7)
  {
    uint8_t byte = take_byte(b);
    if (shift == 63 && byte > 1)
      b->bad = true;
    v |= (uint64_t) (byte & 0x7f) << shift;
    if (byte < 0x80)
      return v;
  }
  b->bad = true;
  return v;
}

static inline uint64_t
take_signed(bytes *b, uint64_t before)
{
  uint64_t v = take_varint(b);
  return before + ((v >> 1) ^ (0 - (v & 1)));
}

#endif
