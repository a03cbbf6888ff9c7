/* std.c: RAPID's STD text: one event a line, `thread|operation|location`.
 *
 * Operations of RAPID: r(x) w(x) acq(l) rel(l) fork(t) join(t) begin end. The words of our other kinds are read too
 * (event.c), with a memory order after the name where there is one: aload(x,acquire); `try` before acq and racq. A
 * variable written as 0xADDRESS:SIZE is that piece of memory; any other name is itself. A location is a number, another
 * word, or file:line:function. Empty lines and lines that begin with # are left out. */
#include "trace/reader.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct std_reader
{
  const char *at;
  uint64_t line;                        /* of the line that was read last */
  hd_trace_ids texts[HD_TRACE_CLASSES]; /* hash of a name -> its number */
  hd_trace_ids locations;
  uint32_t last_location; /* what stood there is often what stands here */
  const char *last_text;
  size_t last_length;
};

typedef struct piece
{
  const char *p;
  size_t n;
} piece;

void
hd_trace_std_start(hd_trace *t)
{
  if (!t->std)
    t->std = hd_alloc_zero(sizeof *t->std);
  t->std->at = t->data;
  t->std->line = 0;
}

void
hd_trace_std_free(hd_trace *t)
{
  if (!t->std)
    return;
  for (int i = 0; i < HD_TRACE_CLASSES; i++)
    hd_trace_ids_free(&t->std->texts[i]);
  hd_trace_ids_free(&t->std->locations);
  free(t->std);
}

uint64_t
hd_trace_std_line(const hd_trace *t)
{
  return t->std->line;
}

static bool
fail(hd_trace *t, const char *line, const char *at, const char *text, piece shown)
{
  char place[64];
  snprintf(place, sizeof place, ":%" PRIu64 ":%zu", t->std->line, (size_t) (at - line) + 1);
  if (shown.n > 40)
    shown.n = 40;
  hd_string s = {0};
  for (size_t i = 0; i < shown.n; i++)
    hd_string_add_n(&s, shown.p[i] >= ' ' && shown.p[i] < 0x7f ? shown.p + i : "?", 1);
  hd_trace_fail(t, place, text, s.length ? s.text : "");
  hd_string_free(&s);
  return false;
}

/* The number of NAME. Names are kept apart by a 64-bit hash and by comparing the text. */
static uint32_t
intern(hd_trace *t, hd_trace_class class, piece name)
{
  hd_trace_ids *ids = &t->std->texts[class];
  for (uint64_t key = hd_hash_bytes(name.p, name.n);; key++)
  {
    uint32_t before = ids->n, id = hd_trace_ids_get(ids, key);
    if (id == before)
    {
      hd_trace_names_set(t->names, class, id, name.p, name.n);
      return id;
    }
    const char *text = hd_trace_names_get(t->names, class, id);
    if (strlen(text) == name.n && memcmp(text, name.p, name.n) == 0)
      return id;
  }
}

/* file:line or file:line:function, else the text as it is. */
static hd_trace_location
split_location(hd_arena *arena, piece text)
{
  char *copy = hd_arena_alloc(arena, text.n + 1);
  memcpy(copy, text.p, text.n);
  copy[text.n] = 0;
  for (char *colon = strchr(copy, ':'); colon && colon > copy; colon = strchr(colon + 1, ':'))
  {
    char *end;
    if (colon[1] < '1' || colon[1] > '9')
      continue;
    unsigned long line = strtoul(colon + 1, &end, 10);
    if (line > INT32_MAX || (*end && *end != ':'))
      continue;
    *colon = 0;
    return (hd_trace_location){.file = copy, .line = (uint32_t) line, .function = *end && end[1] ? end + 1 : NULL};
  }
  return (hd_trace_location){.text = copy};
}

static uint32_t
intern_location(hd_trace *t, piece text)
{
  struct std_reader *r = t->std;
  if (text.n == 0 || (text.n == 1 && text.p[0] == '0'))
    return 0;
  if (text.n == r->last_length && memcmp(text.p, r->last_text, text.n) == 0)
    return r->last_location;
  uint32_t before = r->locations.n, id = hd_trace_ids_get(&r->locations, hd_hash_bytes(text.p, text.n));
  if (id == before)
  {
    hd_arena *arena = hd_arena_new();
    hd_trace_names_set_location(t->names, id + 1, split_location(arena, text));
    hd_arena_free(arena);
  }
  r->last_location = id + 1;
  r->last_text = text.p;
  r->last_length = text.n;
  return id + 1;
}

/* 0x1234:8 */
static bool
read_address(piece name, hd_trace_event *e)
{
  uint64_t address = 0, size = 0;
  size_t i = 2, digits = 0;
  if (name.n < 5 || name.p[0] != '0' || name.p[1] != 'x')
    return false;
  for (; i < name.n && digits < 17; i++, digits++)
  {
    char c = name.p[i];
    int d = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
    if (d < 0)
      break;
    address = address << 4 | (unsigned) d;
  }
  if (digits == 0 || digits > 16 || i + 1 >= name.n || name.p[i] != ':')
    return false;
  for (i++; i < name.n; i++)
  {
    if (name.p[i] < '0' || name.p[i] > '9' || size > UINT32_MAX)
      return false;
    size = size * 10 + (unsigned) (name.p[i] - '0');
  }
  if (size == 0 || size > UINT32_MAX || address + (size - 1) < address)
    return false;
  e->target = address;
  e->size = (uint32_t) size;
  return true;
}

static bool
equals(piece p, const char *word)
{
  return strlen(word) == p.n && memcmp(p.p, word, p.n) == 0;
}

static uint8_t
find_kind(piece word, uint8_t *flags)
{
  if (word.n == 1)
    return word.p[0] == 'r' ? HD_TRACE_READ : word.p[0] == 'w' ? HD_TRACE_WRITE : 0;
  for (uint8_t k = 1; k < HD_TRACE_KINDS; k++)
    if (equals(word, hd_trace_kind_get(k)->word))
      return k;
  if (equals(word, "tryacq") || equals(word, "tryracq"))
  {
    *flags = HD_TRACE_TRIED;
    return word.n == 6 ? HD_TRACE_ACQUIRE : HD_TRACE_ACQUIRE_SHARED;
  }
  return 0;
}

#define FORM "a line is thread|operation|location"

/* "b,2": a barrier of two. */
static void
read_count(piece *name, hd_trace_event *e)
{
  uint64_t count = 0;
  const char *comma = name->n ? memrchr(name->p, ',', name->n) : NULL, *at = comma ? comma + 1 : NULL;
  for (; at && at < name->p + name->n && *at >= '0' && *at <= '9' && count <= UINT32_MAX; at++)
    count = count * 10 + (unsigned) (*at - '0');
  if (!at || at == comma + 1 || at != name->p + name->n || count == 0 || count > UINT32_MAX)
    return;
  e->size = (uint32_t) count;
  name->n = (size_t) (comma - name->p);
}

/* What stands in the brackets: a name, an order, or both. */
static bool
read_argument(hd_trace *t, const char *line, piece argument, const hd_trace_kind_info *kind, hd_trace_event *e)
{
  piece name = argument;
  if (kind->ordered)
  {
    const char *comma = argument.n ? memrchr(argument.p, ',', argument.n) : NULL;
    if (kind->class != HD_TRACE_NOTHING && !comma)
      return fail(t, line, argument.p, "'%s' should be a variable, a comma and a memory order", argument);
    piece order = argument;
    if (kind->class != HD_TRACE_NOTHING)
    {
      name.n = (size_t) (comma - argument.p);
      order = (piece){comma + 1, argument.n - name.n - 1};
    }
    for (e->order = 0; e->order < HD_TRACE_ORDERS && !equals(order, hd_trace_order_words[e->order]);)
      e->order++;
    if (e->order == HD_TRACE_ORDERS)
      return fail(t, line, order.p, "'%s' is no memory order: relaxed, consume, acquire, release, acq_rel or seq_cst",
                  order);
  }
  if (e->kind == HD_TRACE_ARRIVE)
    read_count(&name, e);
  if (kind->class == HD_TRACE_NOTHING)
    return true;
  if (name.n == 0 || name.n > HD_TRACE_MAX_NAME)
    return fail(t, line, name.p, name.n == 0 ? "a name should stand here%.0s" : "this name is too long: %s...", name);
  if (kind->class == HD_TRACE_VARIABLE && read_address(name, e))
    return e->size <= HD_TRACE_MAX_ACCESS || e->kind >= HD_TRACE_ALLOC
           || fail(t, line, name.p, "an access has 65536 bytes at most, so '%s' must be several", name);
  e->target = intern(t, (hd_trace_class) kind->class, name);
  if (kind->class == HD_TRACE_THREAD && e->target >= HD_TRACE_MAX_THREADS)
    return fail(t, line, name.p, "there are too many threads%.0s", name);
  if ((e->kind == HD_TRACE_ALLOC || e->kind == HD_TRACE_FREE) && e->size == 0)
    return fail(t, line, name.p, "'%s' should be memory: 0xADDRESS:SIZE", name);
  return true;
}

static bool
read_line(hd_trace *t, const char *line, const char *end, hd_trace_event *e)
{
  *e = (hd_trace_event){0};
  const char *bar = memchr(line, '|', (size_t) (end - line));
  if (!bar)
    return fail(t, line, line, FORM ", not '%s'", (piece){line, (size_t) (end - line)});
  if (bar == line || bar - line > HD_TRACE_MAX_NAME)
    return fail(t, line, line, "the name of a thread should stand here: " FORM "%.0s", (piece){line, 0});
  if (memchr(line, 0, (size_t) (end - line)))
    return fail(t, line, memchr(line, 0, (size_t) (end - line)), "this is no text: a zero byte%.0s", (piece){line, 0});
  uint32_t thread = intern(t, HD_TRACE_THREAD, (piece){line, (size_t) (bar - line)});
  if (thread >= HD_TRACE_MAX_THREADS)
    return fail(t, line, line, "there are too many threads%.0s", (piece){line, 0});
  e->thread = thread;
  const char *op = bar + 1, *op_end = memchr(op, '|', (size_t) (end - op));
  if (!op_end)
    return fail(t, line, end, "the location is missing: " FORM "%.0s", (piece){line, 0});
  const char *open = memchr(op, '(', (size_t) (op_end - op));
  piece word = {op, (size_t) ((open ? open : op_end) - op)};
  e->kind = find_kind(word, &e->flags);
  const hd_trace_kind_info *kind = hd_trace_kind_get(e->kind);
  if (!kind)
    return fail(t, line, op, "'%s' is no operation: r, w, acq, rel, fork, join, begin or end, or see the manual", word);
  bool takes = kind->class != HD_TRACE_NOTHING || kind->ordered;
  if (!takes && open)
    return fail(t, line, open, "'%s' takes nothing in brackets", word);
  if (takes && (!open || op_end[-1] != ')' || op_end - open < 2))
    return fail(t, line, open ? open : op_end, "'%s' takes something in brackets: r(x)", word);
  if (takes && !read_argument(t, line, (piece){open + 1, (size_t) (op_end - open) - 2}, kind, e))
    return false;
  piece location = {op_end + 1, (size_t) (end - op_end - 1)};
  if (memchr(location.p, '|', location.n))
    return fail(t, line, memchr(location.p, '|', location.n), "the line should end here: " FORM "%.0s", location);
  if (location.n > HD_TRACE_MAX_NAME)
    return fail(t, line, location.p, "this location is too long: %s...", location);
  e->location = intern_location(t, location);
  return true;
}

size_t
hd_trace_std_read(hd_trace *t, hd_trace_event *events, size_t n)
{
  struct std_reader *r = t->std;
  const char *end = t->data + t->size;
  size_t got = 0;
  while (got < n && r->at < end && !t->error)
  {
    const char *line = r->at, *stop = memchr(line, '\n', (size_t) (end - line));
    r->line++;
    r->at = stop ? stop + 1 : end;
    if (!stop)
      stop = end;
    if (stop > line && stop[-1] == '\r')
      stop--;
    if (stop == line || *line == '#')
      continue;
    if (!read_line(t, line, stop, &events[got]))
      break;
    got++;
  }
  return got;
}
