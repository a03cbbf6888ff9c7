/* write.c: traces to files, in either form. */
#include "trace/encode.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct hd_trace_writer
{
  FILE *out;
  hd_trace_form form;
  const hd_trace_names *names;
  hd_string line;
  uint64_t foreign, count;
  hd_trace_encoder *encoder; /* of our own form */
  hd_string table;           /* a table block on its way */
  uint32_t tables;
  bool pieces, whole; /* blocks come from elsewhere; all of them did */
  uint64_t order;     /* the last of them */
  int error;
};

/* ---- STD ---- */

/* What would end a name in STD becomes '_'. */
static void
add_word(hd_string *out, const char *word, const char *special)
{
  for (; *word; word++)
    hd_string_add_n(out, (unsigned char) *word < ' ' || strchr(special, *word) ? "_" : word, 1);
}

/* So that it can be read again as the same: addresses as such, names that are not unique with a number. */
static void
add_name(hd_string *out, const hd_trace_names *n, hd_trace_class class, uint64_t target, uint32_t size)
{
  bool plain = true, address = class == HD_TRACE_VARIABLE && size > 0;
  const char *name = address ? NULL : hd_trace_names_plain(n, class, target, &plain);
  if (!name)
    hd_string_printf(out, class == HD_TRACE_THREAD ? "T%" PRIu64 : "0x%" PRIx64, target);
  else if (plain)
    hd_string_add(out, name);
  else
  {
    add_word(out, name, "|(),");
    hd_string_printf(out, "#%" PRIu64, target);
  }
  if (address)
    hd_string_printf(out, ":%" PRIu32, size);
}

static void
add_location(hd_string *out, const hd_trace_names *n, uint32_t id)
{
  hd_trace_location where = hd_trace_names_location(n, id);
  if (where.text && *where.text)
    add_word(out, where.text, "|");
  else if (where.file && *where.file && where.line > 0)
  {
    add_word(out, where.file, "|");
    hd_string_printf(out, ":%" PRIu32 "%s", where.line, where.function ? ":" : "");
    if (where.function)
      add_word(out, where.function, "|");
  }
  else
    hd_string_printf(out, "%" PRIu32, id);
}

void
hd_trace_print_std(hd_string *out, const hd_trace_names *n, const hd_trace_event *e)
{
  const hd_trace_kind_info *kind = hd_trace_kind_get(e->kind);
  HD_CHECK(kind);
  add_name(out, n, HD_TRACE_THREAD, e->thread, 0);
  hd_string_printf(out, "|%s%s", e->flags & HD_TRACE_TRIED ? "try" : "", kind->word);
  if (kind->class != HD_TRACE_NOTHING || kind->ordered)
  {
    hd_string_add(out, "(");
    if (kind->class != HD_TRACE_NOTHING)
      add_name(out, n, (hd_trace_class) kind->class, e->target, e->size);
    if (e->kind == HD_TRACE_ARRIVE && e->size > 0)
      hd_string_printf(out, ",%" PRIu32, e->size);
    if (kind->ordered)
      hd_string_printf(out, "%s%s", kind->class != HD_TRACE_NOTHING ? "," : "", hd_trace_order_words[e->order]);
    hd_string_add(out, ")");
  }
  hd_string_add(out, "|");
  add_location(out, n, e->location);
  hd_string_add(out, "\n");
}

/* ---- our own form ---- */

static void
put(hd_trace_writer *w, const void *p, size_t n)
{
  if (n > 0 && fwrite(p, 1, n, w->out) != n && w->error == 0)
    w->error = errno ? errno : EIO;
}

static void
put_block(hd_trace_writer *w, const hd_trace_block_header *header, const void *payload)
{
  static const uint8_t zeros[8];
  put(w, header, sizeof *header);
  put(w, payload, header->length);
  put(w, zeros, -header->length & 7);
}

static void
put_events(hd_trace_writer *w)
{
  hd_trace_block_header header;
  if (w->encoder->count == 0)
    return;
  hd_trace_encode_block(w->encoder, &header);
  put_block(w, &header, w->encoder->payload);
}

static void
put_table(hd_trace_writer *w)
{
  hd_trace_block_header header
      = {.kind = HD_TRACE_BLOCK_TABLE, .sequence = w->tables++, .length = (uint32_t) w->table.length};
  if (w->table.length == 0)
    return;
  hd_trace_seal_block(&header, w->table.text);
  put_block(w, &header, w->table.text);
  hd_string_clear(&w->table);
}

static void
add_byte(hd_trace_writer *w, uint8_t byte)
{
  hd_string_add_n(&w->table, (const char *) &byte, 1);
}

static void
add_varint(hd_trace_writer *w, uint64_t v)
{
  uint8_t bytes[10];
  hd_string_add_n(&w->table, (const char *) bytes, (size_t) (hd_trace_put_varint(bytes, v) - bytes));
}

static void
add_text(hd_trace_writer *w, const char *text)
{
  size_t n = strlen(text);
  add_varint(w, n);
  hd_string_add_n(&w->table, text, n);
}

/* An entry of at most some 200 KiB comes: is there room for it? */
static void
make_room(hd_trace_writer *w)
{
  if (w->table.length > HD_TRACE_MAX_PAYLOAD / 2)
    put_table(w);
}

static void
take_name(void *context, hd_trace_class class, uint64_t target, const char *text)
{
  hd_trace_writer *w = context;
  make_room(w);
  add_byte(w, HD_TRACE_TABLE_NAME);
  add_byte(w, (uint8_t) class);
  add_varint(w, target);
  add_text(w, text);
}

static void
take_location(void *context, uint32_t id, hd_trace_location where)
{
  hd_trace_writer *w = context;
  make_room(w);
  add_byte(w, HD_TRACE_TABLE_LOCATION);
  add_varint(w, id);
  add_varint(w, where.line);
  add_byte(w, (uint8_t) ((where.text ? 1 : 0) | (where.file ? 2 : 0) | (where.function ? 4 : 0)));
  if (where.text)
    add_text(w, where.text);
  if (where.file)
    add_text(w, where.file);
  if (where.function)
    add_text(w, where.function);
}

static void
take_stack(void *context, uint32_t id, const uint32_t *locations, size_t count)
{
  hd_trace_writer *w = context;
  make_room(w);
  add_byte(w, HD_TRACE_TABLE_STACK);
  add_varint(w, id);
  add_varint(w, count);
  for (size_t i = 0; i < count; i++)
    add_varint(w, locations[i]);
}

static void
put_end(hd_trace_writer *w)
{
  put_events(w);
  hd_trace_names_visit(w->names, &(hd_trace_name_visitor){w, take_name, take_location, take_stack});
  put_table(w);
  if (w->pieces && !w->whole)
    return;
  hd_trace_block_header header = {.kind = HD_TRACE_BLOCK_END, .count = w->count, .order = w->order};
  hd_trace_seal_block(&header, "");
  put_block(w, &header, "");
}

/* ---- both ---- */

hd_trace_writer *
hd_trace_writer_new(FILE *out, hd_trace_form form, const hd_trace_names *names)
{
  HD_CHECK(form != HD_TRACE_AUTO);
  hd_trace_writer *w = hd_alloc_zero(sizeof *w);
  w->out = out;
  w->form = form;
  w->names = names;
  if (form == HD_TRACE_BINARY)
  {
    hd_trace_file_header header;
    w->encoder = hd_alloc_zero(sizeof *w->encoder);
    hd_trace_seal_file(&header, 0, 0);
    put(w, &header, sizeof header);
  }
  return w;
}

void
hd_trace_writer_event(hd_trace_writer *w, const hd_trace_event *e)
{
  w->count++;
  if (w->form == HD_TRACE_BINARY)
  {
    if (!hd_trace_encode(w->encoder, e, 0))
    {
      put_events(w);
      HD_CHECK(hd_trace_encode(w->encoder, e, 0));
    }
    return;
  }
  hd_string_clear(&w->line);
  hd_trace_print_std(&w->line, w->names, e);
  w->foreign += (e->kind > HD_TRACE_RELEASE && e->kind < HD_TRACE_FORK) || e->kind > HD_TRACE_END || e->flags != 0;
  put(w, w->line.text, w->line.length);
}

void
hd_trace_writer_piece(hd_trace_writer *w, const hd_trace_piece *p)
{
  hd_trace_block_header header = {.kind = HD_TRACE_BLOCK_EVENTS,
                                  .stream = p->stream,
                                  .sequence = p->sequence,
                                  .thread = p->thread,
                                  .length = p->length,
                                  .count = p->count,
                                  .order = p->order};
  HD_CHECK(w->form == HD_TRACE_BINARY && p->length <= HD_TRACE_MAX_PAYLOAD);
  w->pieces = true;
  w->count += p->count;
  hd_trace_seal_block(&header, p->payload);
  put_block(w, &header, p->payload);
}

void
hd_trace_writer_loss(hd_trace_writer *w, const char *text)
{
  make_room(w);
  add_byte(w, HD_TRACE_TABLE_LOSS);
  add_text(w, text);
}

void
hd_trace_writer_whole(hd_trace_writer *w, uint64_t order)
{
  w->whole = true;
  w->order = order;
}

int
hd_trace_writer_error(const hd_trace_writer *w)
{
  return w->error;
}

uint64_t
hd_trace_writer_foreign(const hd_trace_writer *w)
{
  return w->foreign;
}

bool
hd_trace_writer_finish(hd_trace_writer *w)
{
  if (w->form == HD_TRACE_BINARY)
    put_end(w);
  int error = w->error;
  if (fflush(w->out) != 0 && error == 0)
    error = errno;
  free(w->encoder);
  hd_string_free(&w->line);
  hd_string_free(&w->table);
  free(w);
  errno = error;
  return error == 0;
}
