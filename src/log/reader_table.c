/* reader_table.c: sites, objects, threads and clocks, as the tables of a log give them.
 *
 * Tables only grow. An entry that is known already is skipped, so that a table may be read again. Ids are dense in a
 * log that a program wrote; an id far beyond the number of entries is a lie and must not make us allocate. */
#include "log/reader.h"

#include <stdlib.h>
#include <string.h>

/* How far an id may be ahead of the number of entries. Entries of one table are written one after the other, so a
 * margin is needed only for logs whose tables have lost a part. */
#define ID_MARGIN 65536u

static uint32_t
u32_at(const unsigned char *p)
{
  uint32_t v;
  memcpy(&v, p, sizeof v);
  return v;
}

static uint64_t
u64_at(const unsigned char *p)
{
  uint64_t v;
  memcpy(&v, p, sizeof v);
  return v;
}

static void
grow_zeroed(void *array, size_t *cap, size_t n, size_t size)
{
  size_t old = *cap;
  if (n <= old)
    return;
  hd_grow(array, cap, n, size);
  memset(*(char **) array + old * size, 0, (*cap - old) * size);
}

bool
hd_reader_value(const unsigned char **p, const unsigned char *end, uint8_t type, hd_value *v)
{
  const unsigned char *at = *p;
  uint64_t length = 0;
  bool has_length = false;
  if (type == HD_TYPE_DYNAMIC)
  {
    if (end - at < 8)
      return false;
    uint64_t word = u64_at(at);
    at += 8;
    type = (uint8_t) word;
    length = word >> 8;
    has_length = true;
  }
  *v = (hd_value){.type = type};
  switch (type)
  {
  case HD_NIL:
    break;
  case HD_INT:
  case HD_UINT:
  case HD_BOOL:
    if (end - at < 8)
      return false;
    v->u = type == HD_BOOL ? u64_at(at) != 0 : u64_at(at);
    at += 8;
    break;
  case HD_STR:
  case HD_BYTES:
    if (!has_length)
    {
      if (end - at < 8)
        return false;
      length = u64_at(at);
      at += 8;
    }
    if (length > UINT32_MAX || ((length + 7) & ~7ull) > (uint64_t) (end - at))
      return false;
    v->length = (uint32_t) length;
    v->p = at;
    at += (length + 7) & ~7ull;
    break;
  default:
    return false;
  }
  *p = at;
  return true;
}

/* The string at *P, copied. */
static bool
get_string(hd_log *log, const unsigned char **p, const unsigned char *end, const char **out)
{
  if (end - *p < 4)
    return false;
  uint32_t n = u32_at(*p);
  *p += 4;
  if (n > (size_t) (end - *p))
    return false;
  char *s = hd_arena_alloc(log->arena, (size_t) n + 1);
  memcpy(s, *p, n);
  s[n] = 0;
  *p += n;
  *out = s;
  return true;
}

static bool
add_site(hd_log *log, const unsigned char *e, uint32_t length)
{
  if (length < 32)
    return false;
  uint32_t id = u32_at(e + 8);
  if (id == 0 || id >= HD_READER_MAX_SITES)
    return false;
  grow_zeroed(&log->sites, &log->cap_sites, (size_t) id + 1, sizeof *log->sites);
  if (log->sites[id])
    return true;
  hd_log_site s = {.id = id, .kind = u32_at(e + 12), .line = u32_at(e + 16), .nvalues = u32_at(e + 20)};
  if (s.kind == 0 || s.kind >= HD_K_COUNT || s.nvalues > HD_SITE_VALUES)
    return false;
  memcpy(s.types, e + 24, sizeof s.types);
  for (uint32_t i = 0; i < s.nvalues; i++)
    if (s.types[i] > HD_BYTES && s.types[i] != HD_TYPE_DYNAMIC)
      return false;
  const unsigned char *p = e + 32, *end = e + length;
  if (!get_string(log, &p, end, &s.file) || !get_string(log, &p, end, &s.function)
      || !get_string(log, &p, end, &s.method))
    return false;
  log->sites[id] = hd_arena_alloc(log->arena, sizeof s);
  *log->sites[id] = s;
  if (id > log->max_site)
    log->max_site = id;
  if (s.line == 0 && !log->lined_file)
    log->lined_file = s.file;
  return true;
}

/* Slots are used again after an object's end and their clocks go on: a new owner's first tick is the old one's last. */
void
hd_reader_take_slot(hd_log *log, hd_reader_object *o)
{
  hd_reader_clocks *c = hd_reader_clocks_find(log, o->slot_unit);
  if (!c || o->slot_index >= c->nslots || o->handed_on)
    return;
  hd_reader_object *other = hd_reader_object_find(log, c->owner[o->slot_index]);
  hd_reader_object *old = o;
  if (!other || other == o || other->info.first <= o->info.first)
  {
    old = other;
    c->owner[o->slot_index] = o->info.id;
    o->slot = c->slots ? c->slots + o->slot_index : NULL;
  }
  if (other && other != o)
  {
    old->info.ticks = (old == o ? other : o)->info.first;
    old->handed_on = true;
    old->slot = NULL;
  }
}

static bool
add_object(hd_log *log, const unsigned char *e, uint32_t length)
{
  if (length < 32)
    return false;
  uint32_t id = u32_at(e + 8), n = u32_at(e + 12);
  if (id == 0 || id > log->nobjects + ID_MARGIN || n > length / 8)
    return false;
  grow_zeroed(&log->objects, &log->cap_objects, (size_t) id + 1, sizeof *log->objects);
  if (log->objects[id])
    return true;
  hd_reader_object o = {
      .info = {.id = id, .nconfig = n}, .slot_unit = u32_at(e + 16), .slot_index = u32_at(e + 20), .cap = UINT64_MAX};
  o.info.first = o.info.ticks = u64_at(e + 24) & HD_CLOCK_TICKS;
  const unsigned char *p = e + 32, *end = e + length;
  if (!get_string(log, &p, end, &o.info.type) || !get_string(log, &p, end, &o.info.name))
    return false;
  p = e + ((size_t) (p - e + 7) & ~(size_t) 7);
  if (n)
  {
    hd_value *config = hd_arena_alloc(log->arena, n * sizeof *config);
    for (uint32_t i = 0; i < n; i++)
    {
      if (p > end || !hd_reader_value(&p, end, HD_TYPE_DYNAMIC, &config[i]))
        return false;
      if (config[i].type >= HD_STR)
      {
        char *copy = hd_arena_alloc(log->arena, (size_t) config[i].length + 1);
        memcpy(copy, config[i].p, config[i].length);
        copy[config[i].length] = 0;
        config[i].p = copy;
      }
    }
    o.info.config = config;
  }
  hd_reader_object *kept = hd_arena_alloc(log->arena, sizeof *kept);
  *kept = o;
  log->objects[id] = kept;
  log->nobjects++;
  kept->next_new = log->new_objects;
  log->new_objects = kept;
  if (id > log->max_object)
    log->max_object = id;
  hd_reader_take_slot(log, kept);
  return true;
}

static bool
add_thread(hd_log *log, const unsigned char *e, uint32_t length)
{
  if (length < 28)
    return false;
  uint32_t number = u32_at(e + 8);
  const unsigned char *p = e + 24;
  const char *name;
  if (!hd_reader_thread_get(log, number))
    return false;
  if (number < log->cap_names && log->names[number])
    return true;
  if (!get_string(log, &p, e + length, &name))
    return false;
  grow_zeroed(&log->names, &log->cap_names, (size_t) number + 1, sizeof *log->names);
  log->names[number] = name;
  return true;
}

size_t
hd_reader_table(hd_log *log, const unsigned char *data, size_t size, size_t pos, uint64_t offset)
{
  while (size - pos >= 8)
  {
    const unsigned char *e = data + pos;
    /* acquire: pairs with the release store of the length, after the entry */
    uint32_t length = __atomic_load_n((const uint32_t *) (const void *) e, __ATOMIC_ACQUIRE);
    if (length == 0)
      return pos;
    if (length % 8 || length > size - pos)
    {
      hd_reader_damage(log, offset + pos, "a table entry of %u bytes does not fit; the rest of this table is lost",
                       length);
      return size;
    }
    uint32_t kind = length >= 8 ? u32_at(e + 4) : 0;
    bool good = kind == HD_T_SITE     ? add_site(log, e, length)
                : kind == HD_T_OBJECT ? add_object(log, e, length)
                : kind == HD_T_THREAD ? add_thread(log, e, length)
                                      : false;
    if (!good)
      hd_reader_damage(log, offset + pos, "a table entry of kind %u makes no sense; it is left out", kind);
    pos += length;
  }
  return size;
}

/* The place of the clocks chunk at UNIT in the sorted array, or where it belongs. */
static size_t
clocks_place(const hd_log *log, uint32_t unit)
{
  size_t low = 0, high = log->nclocks;
  while (low < high)
  {
    size_t middle = low + (high - low) / 2;
    if (log->clocks[middle].unit < unit)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

hd_reader_clocks *
hd_reader_clocks_find(const hd_log *log, uint32_t unit)
{
  size_t i = clocks_place(log, unit);
  return i < log->nclocks && log->clocks[i].unit == unit ? &log->clocks[i] : NULL;
}

hd_reader_clocks *
hd_reader_clocks_add(hd_log *log, uint32_t unit, uint32_t nslots)
{
  size_t i = clocks_place(log, unit);
  if (i < log->nclocks && log->clocks[i].unit == unit)
    return &log->clocks[i];
  hd_grow(&log->clocks, &log->cap_clocks, log->nclocks + 1, sizeof *log->clocks);
  memmove(log->clocks + i + 1, log->clocks + i, (log->nclocks - i) * sizeof *log->clocks);
  log->nclocks++;
  log->clocks[i] = (hd_reader_clocks){
      .unit = unit, .nslots = nslots, .owner = hd_alloc_zero((size_t) nslots * sizeof(uint32_t) + 1)};
  return &log->clocks[i];
}

void
hd_reader_slots(hd_log *log, const hd_reader_clocks *c, const hd_slot *slots)
{
  for (uint32_t i = 0; i < c->nslots; i++)
  {
    /* A slot that was freed still has the final clock of its last owner. */
    hd_reader_object *o = hd_reader_object_find(log, slots[i].object ? slots[i].object : c->owner[i]);
    if (!o || o->slot_unit != c->unit || o->slot_index != i || o->handed_on)
    {
      if (slots[i].object && hd_log_closed(log))
        hd_reader_damage(log, (uint64_t) c->unit * HD_LOG_UNIT + sizeof(hd_chunk_header) + i * sizeof(hd_slot),
                         "a clock belongs to no object that the tables have");
      continue;
    }
    o->info.ticks = slots[i].clock & HD_CLOCK_TICKS;
    o->info.lost_at = slots[i].lost_at;
    o->info.dropped = slots[i].dropped;
    o->clocked = true;
  }
}

hd_reader_thread *
hd_reader_thread_get(hd_log *log, uint32_t number)
{
  if (number == 0 || number > log->nthreads + ID_MARGIN)
    return NULL;
  grow_zeroed(&log->threads, &log->cap_threads, (size_t) number + 1, sizeof *log->threads);
  hd_reader_thread *t = log->threads[number];
  if (!t)
  {
    t = hd_alloc_zero(sizeof *t);
    t->number = number;
    log->threads[number] = t;
    log->nthreads++;
    if (number > log->max_thread)
      log->max_thread = number;
  }
  return t;
}

void
hd_reader_thread_free(hd_reader_thread *t)
{
  if (!t)
    return;
  free(t->frames);
  free(t);
}
