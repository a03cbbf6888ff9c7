/* writer_table.c: the log's tables of sites, objects and threads, and how values are written.
 *
 * Sites are places in the source. They are copied when they are first used, for the library that contains them may be
 * closed, and written into every log of the process. Everything here but the values is under hd_writer_lock. */
#define _GNU_SOURCE
#include "log/writer.h"

#include <sys/mman.h>

#define MAX_SITES 65535u
#define MAX_TEXT 4096u /* of a name in a table; longer ones are cut */

/* A copy of a site. */
typedef struct site_copy
{
  uint32_t line;
  uint8_t kind, nvalues, types[HD_SITE_VALUES];
  const char *file, *function, *method;
} site_copy;

static site_copy *sites[MAX_SITES + 1]; /* atomic: the helper reads them */
static uint32_t nsites;
static char *pool; /* memory for copies: bump allocation, never freed */
static size_t pool_left;

static void *
pool_alloc(size_t n)
{
  n = (n + 7) / 8 * 8;
  if (n > pool_left)
  {
    size_t size = 64 * 1024;
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
      return NULL;
    pool = p;
    pool_left = size;
  }
  void *p = pool;
  pool += n;
  pool_left -= n;
  return p;
}

static const char *
pool_text(const char *text)
{
  size_t n = text ? strnlen(text, MAX_TEXT) : 0;
  char *copy = pool_alloc(n + 1);
  if (!copy)
    return "";
  if (n)
    memcpy(copy, text, n);
  copy[n] = 0;
  return copy;
}

/* ---- values ---- */

/* Nothing but the known types gets into a log. */
static hd_value
clean(hd_value v)
{
  return v.type > HD_BYTES ? hd_nil() : v;
}

size_t
hd_writer_values_size(const uint8_t *types, const hd_value *values, uint32_t n)
{
  size_t size = 0;
  for (uint32_t i = 0; i < n; i++)
  {
    uint32_t type = types[i];
    if (type == HD_TYPE_DYNAMIC)
    {
      size += 8;
      type = clean(values[i]).type;
    }
    else if (type >= HD_STR)
      size += 8;
    size += type >= HD_STR ? ((size_t) values[i].length + 7) / 8 * 8 : type == HD_NIL ? 0 : 8;
  }
  return size;
}

char *
hd_writer_put_values(char *p, const uint8_t *types, const hd_value *values, uint32_t n)
{
  for (uint32_t i = 0; i < n; i++)
  {
    hd_value v = types[i] == HD_TYPE_DYNAMIC ? clean(values[i]) : values[i];
    uint32_t type = types[i];
    if (type == HD_TYPE_DYNAMIC)
    {
      type = v.type;
      hd_fast_word(p, type | (type >= HD_STR ? (uint64_t) v.length << 8 : 0));
      p += 8;
    }
    else if (type >= HD_STR)
    {
      hd_fast_word(p, v.length);
      p += 8;
    }
    if (type >= HD_STR)
    {
      if (v.length) /* the padding is zero already */
        memcpy(p, v.p, v.length);
      p += ((size_t) v.length + 7) / 8 * 8;
    }
    else if (type != HD_NIL)
    {
      hd_fast_word(p, v.u);
      p += 8;
    }
  }
  return p;
}

/* ---- entries ---- */

static void
put_u32(char **p, uint32_t v)
{
  memcpy(*p, &v, 4);
  *p += 4;
}

static void
put_u64(char **p, uint64_t v)
{
  memcpy(*p, &v, 8);
  *p += 8;
}

static size_t
text_size(const char *text)
{
  return 4 + (text ? strnlen(text, MAX_TEXT) : 0);
}

static void
put_text(char **p, const char *text)
{
  uint32_t n = (uint32_t) text_size(text) - 4;
  put_u32(p, n);
  if (n)
    memcpy(*p, text, n);
  *p += n;
}

/* Begin an entry of SIZE bytes, with the length and the kind. NULL: no room. */
static char *
begin_entry(hd_writer *w, size_t size)
{
  size = (size + 7) / 8 * 8;
  size_t room = w->table ? (size_t) w->table->units * HD_LOG_UNIT - sizeof(hd_chunk_header) - w->table_used : 0;
  /* A word of zeros always follows the last entry. */
  if (size + 8 > room)
  {
    size_t units = (size + 8 + sizeof(hd_chunk_header) + HD_LOG_UNIT - 1) / HD_LOG_UNIT;
    hd_chunk_header *fresh;
    uint32_t unit;
    if (units > HD_SEGMENT_UNITS || hd_writer_take(w, HD_CHUNK_TABLE, (uint32_t) units, &fresh, &unit) != HD_TAKEN)
    {
      __atomic_store_n(&w->header->lost, 1, __ATOMIC_RELAXED);
      return NULL;
    }
    if (w->table)
    {
      w->table->used = (uint32_t) w->table_used;
      hd_writer_retire(w, w->table_unit);
    }
    w->table = fresh;
    w->table_unit = unit;
    w->table_used = 0;
  }
  return (char *) w->table + sizeof(hd_chunk_header) + w->table_used;
}

static void
end_entry(hd_writer *w, char *entry, size_t size)
{
  size = (size + 7) / 8 * 8;
  w->table_used += size;
  /* release: pairs with the reader's acquire of the length; the entry is there before */
  __atomic_store_n((uint32_t *) (void *) entry, (uint32_t) size, __ATOMIC_RELEASE);
}

bool
hd_writer_table_site(hd_writer *w, uint32_t id)
{
  const site_copy *s = sites[id];
  size_t size = 8 + 16 + HD_SITE_VALUES + text_size(s->file) + text_size(s->function) + text_size(s->method);
  char *entry = begin_entry(w, size);
  if (!entry)
    return false;
  char *p = entry + 4;
  put_u32(&p, HD_T_SITE);
  put_u32(&p, id);
  put_u32(&p, s->kind);
  put_u32(&p, s->line);
  put_u32(&p, s->nvalues);
  memcpy(p, s->types, HD_SITE_VALUES);
  p += HD_SITE_VALUES;
  put_text(&p, s->file);
  put_text(&p, s->function);
  put_text(&p, s->method);
  end_entry(w, entry, size);
  return true;
}

bool
hd_writer_table_thread(hd_writer *w, const hd_thread *t, const char *name)
{
  size_t size = 8 + 16 + text_size(name);
  char *entry = begin_entry(w, size);
  if (!entry)
    return false;
  char *p = entry + 4;
  put_u32(&p, HD_T_THREAD);
  put_u32(&p, t->number);
  put_u32(&p, 0);
  put_u64(&p, t->tid);
  put_text(&p, name);
  end_entry(w, entry, size);
  return true;
}

/* ---- sites ---- */

uint32_t
hd_writer_site(hd_site *site)
{
  /* acquire: pairs with the release below */
  uint32_t header = __atomic_load_n(&site->header, __ATOMIC_ACQUIRE);
  if (header)
    return header;
  sigset_t old;
  hd_writer_lock(&old);
  hd_writer *w = hd_writer_current();
  header = __atomic_load_n(&site->header, __ATOMIC_RELAXED); /* relaxed: only changed under the lock */
  site_copy *copy = NULL;
  if (header == 0 && nsites < MAX_SITES && (copy = pool_alloc(sizeof *copy)) != NULL)
  {
    *copy = (site_copy){.line = site->line,
                        .kind = site->kind,
                        .nvalues = site->nvalues,
                        .file = pool_text(site->file),
                        .function = pool_text(site->function),
                        .method = pool_text(site->method)};
    memcpy(copy->types, site->types, sizeof copy->types);
    uint32_t id = nsites + 1;
    /* release: pairs with the acquire in hd_writer_site_types */
    __atomic_store_n(&sites[id], copy, __ATOMIC_RELEASE);
    if (!w || hd_writer_table_site(w, id))
    {
      nsites = id;
      header = (uint32_t) site->kind | (uint32_t) site->nvalues << 8 | id << 16;
      /* release: pairs with the acquire above and in hd_fast_header; the table has the site */
      __atomic_store_n(&site->header, header, __ATOMIC_RELEASE);
    }
  }
  if (header == 0 && w)
    __atomic_store_n(&w->header->lost, 1, __ATOMIC_RELAXED);
  hd_writer_unlock(&old);
  return header;
}

const uint8_t *
hd_writer_site_types(uint32_t id)
{
  /* acquire: pairs with the release in hd_writer_site */
  const site_copy *s = __atomic_load_n(&sites[id], __ATOMIC_ACQUIRE);
  return s ? s->types : NULL;
}

/* ---- objects ---- */

/* A slot for a new object. NULL: no room. */
static hd_slot *
new_slot(hd_writer *w)
{
  const uint32_t slots = (HD_LOG_UNIT - sizeof(hd_chunk_header)) / sizeof(hd_slot);
  if (!w->clocks || w->clocks_used == slots)
  {
    hd_chunk_header *fresh;
    uint32_t unit;
    if (hd_writer_take(w, HD_CHUNK_CLOCKS, 1, &fresh, &unit) != HD_TAKEN)
      return NULL;
    w->clocks = fresh;
    w->clocks_unit = unit;
    w->clocks_used = 0;
  }
  return (hd_slot *) (void *) ((char *) w->clocks + sizeof(hd_chunk_header)) + w->clocks_used;
}

bool
hd_writer_tables_begin(hd_writer *w)
{
  if (!new_slot(w))
    return false;
  w->clocks_used = 1;
  for (uint32_t id = 1; id <= nsites; id++)
    if (!hd_writer_table_site(w, id))
      return false;
  return true;
}

static bool
add_object(hd_writer *w, hd_object *o, const char *type, const char *name, const hd_value *config, size_t n)
{
  hd_slot *slot = new_slot(w);
  if (!slot)
    return false;
  const uint8_t dynamic = HD_TYPE_DYNAMIC;
  size_t head = 8 + 16 + 8 + text_size(type) + text_size(name), size = (head + 7) / 8 * 8;
  for (size_t i = 0; i < n; i++)
    size += hd_writer_values_size(&dynamic, &config[i], 1);
  char *entry = size < HD_SEGMENT_SIZE ? begin_entry(w, size) : NULL;
  if (!entry)
    return false;
  char *p = entry + 4;
  uint32_t id = ++w->nobjects;
  uint64_t first = hd_writer_first_tick;
  slot->first = first;
  __atomic_store_n(&slot->clock, first, __ATOMIC_RELAXED);
  /* release: pairs with the reader's acquire; the slot is filled */
  __atomic_store_n(&slot->object, id, __ATOMIC_RELEASE);
  put_u32(&p, HD_T_OBJECT);
  put_u32(&p, id);
  put_u32(&p, (uint32_t) n);
  put_u32(&p, w->clocks_unit);
  put_u32(&p, w->clocks_used);
  put_u64(&p, first);
  put_text(&p, type);
  put_text(&p, name);
  p = entry + (head + 7) / 8 * 8;
  for (size_t i = 0; i < n; i++)
    p = hd_writer_put_values(p, &dynamic, &config[i], 1);
  end_entry(w, entry, size);
  w->clocks_used++;
  *o = (hd_object){.clock = &slot->clock, .id = id, .log = w->number};
  return true;
}

void
hd_object_init_config(hd_object *o, const char *type, const char *name, const hd_value *config, size_t n)
{
  *o = (hd_object){0};
  hd_writer_start_pending();
  if (hd_thread_local.paused)
    return;
  sigset_t old;
  hd_writer_lock(&old);
  hd_writer *w = hd_writer_current();
  if (w && !add_object(w, o, type, name, config, n))
    __atomic_store_n(&w->header->lost, 1, __ATOMIC_RELAXED);
  hd_writer_unlock(&old);
}

void
hd_object_init(hd_object *o, const char *type, const char *name)
{
  hd_object_init_config(o, type, name, NULL, 0);
}
