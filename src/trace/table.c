/* table.c: the table blocks of an .htrace file: names, locations, stacks. */
#include "trace/format.h"
#include "trace/reader.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *
take_text(bytes *b, hd_arena *arena, size_t *length)
{
  uint64_t n = take_varint(b);
  if (b->bad || n > HD_TRACE_MAX_NAME || n > (uint64_t) (b->end - b->at) || memchr(b->at, 0, n))
  {
    b->bad = true;
    return "";
  }
  char *text = hd_arena_alloc(arena, n + 1);
  memcpy(text, b->at, n);
  text[n] = 0;
  b->at += n;
  *length = n;
  return text;
}

static uint32_t
take_number(bytes *b)
{
  uint64_t n = take_varint(b);
  b->bad = b->bad || n > UINT32_MAX;
  return (uint32_t) n;
}

static void
read_name(hd_trace *t, bytes *b, hd_arena *arena)
{
  size_t length = 0;
  uint8_t class = take_byte(b);
  uint64_t target = take_varint(b);
  const char *text = take_text(b, arena, &length);
  b->bad = b->bad || class >= HD_TRACE_CLASSES;
  if (!b->bad)
    hd_trace_names_set(t->names, (hd_trace_class) class, target, text, length);
}

static void
read_location(hd_trace *t, bytes *b, hd_arena *arena)
{
  size_t length = 0;
  hd_trace_location where = {0};
  uint32_t id = take_number(b);
  where.line = take_number(b);
  uint8_t has = take_byte(b);
  b->bad = b->bad || has > 7;
  if (has & 1)
    where.text = take_text(b, arena, &length);
  if (has & 2)
    where.file = take_text(b, arena, &length);
  if (has & 4)
    where.function = take_text(b, arena, &length);
  if (!b->bad && id != 0)
    hd_trace_names_set_location(t->names, id, where);
}

static void
read_stack(hd_trace *t, bytes *b, hd_arena *arena)
{
  uint32_t id = take_number(b), count = take_number(b);
  if (b->bad || count > (size_t) (b->end - b->at)) /* each takes a byte at least */
  {
    b->bad = true;
    return;
  }
  uint32_t *locations = hd_arena_alloc(arena, count * sizeof *locations + 1);
  for (uint32_t i = 0; i < count; i++)
    locations[i] = take_number(b);
  if (!b->bad && id != 0)
    hd_trace_names_set_stack(t->names, id, locations, count);
}

static void
read_loss(hd_trace *t, bytes *b, hd_arena *arena)
{
  size_t length;
  const char *text = take_text(b, arena, &length);
  if (b->bad)
    return;
  hd_string s = {0};
  hd_string_printf(&s, t->loss ? "%s; %s" : "%s: %s", t->loss ? t->loss : t->path, text);
  free(t->loss);
  t->loss = s.text;
}

void
hd_trace_table_read(hd_trace *t, const uint8_t *data, size_t n, uint64_t offset)
{
  bytes b = {data, data + n, false};
  hd_arena *arena = hd_arena_new();
  while (b.at < b.end && !t->error)
  {
    uint64_t start = offset + (uint64_t) (b.at - data);
    uint8_t kind = take_byte(&b);
    hd_arena_reset(arena);
    if (kind == HD_TRACE_TABLE_NAME)
      read_name(t, &b, arena);
    else if (kind == HD_TRACE_TABLE_LOCATION)
      read_location(t, &b, arena);
    else if (kind == HD_TRACE_TABLE_STACK)
      read_stack(t, &b, arena);
    else if (kind == HD_TRACE_TABLE_LOSS)
      read_loss(t, &b, arena);
    else
      b.bad = true;
    if (b.bad)
    {
      char place[48];
      snprintf(place, sizeof place, ": byte %" PRIu64, start);
      hd_trace_fail(t, place, "this entry of a table is malformed");
    }
  }
  hd_arena_free(arena);
}
