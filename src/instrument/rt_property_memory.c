/* rt_property_memory.c: the memory that properties speak of: which accesses are events, and what variables are worth.
 *
 * Words of the planes W and R0 and of the planes of bytes that are not 0 say that something there is watched; the
 * hooks compare them with hd_rt_here.pair, which is 0 unless every access counts (all memory is watched, or a write is
 * pending): so an access to anything else costs a load and a comparison. In plane R1 a granule has the number of the
 * first variable that lies in it. In R2, if all memory is watched, 8 bytes have the number of what is known there.
 *
 * A variable has one location and one lock. If all is watched, 8 bytes have one location as long as they are accessed
 * in the same way, and then one for each byte; 64 bytes have one of 1024 locks, and an access is an event for each line
 * of 64 bytes that it touches. */
#include "instrument/rt_property.h"

#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

enum
{
  LOCKS = 1024,
  TEXTS = 1024,        /* chains of strings */
  LONGEST = 256,       /* of a string that is a value */
  WATCHED = 0xc0000000 /* any word but 0 that no path of the race detector takes for its own */
};

typedef struct spot
{
  uint8_t mask;             /* the bytes that accesses touch, while it is one */
  bool split;               /* each byte has its own */
  hd_mttl_location *places; /* by file; split: by byte, then by file */
} spot;

static hd_rt_pool spots = {.size = sizeof(spot), .max = 1u << 27};
static hd_rt_lock locks[LOCKS];

/* ---- strings ---- */

typedef struct text
{
  struct text *next;
  size_t n;
  char bytes[];
} text;
static text *texts[TEXTS];
static hd_rt_lock texts_lock;

const char *
hd_rt_text_keep(const char *bytes, size_t n)
{
  uint32_t hash = 2166136261u;
  for (size_t i = 0; i < n; i++)
    hash = (hash ^ (unsigned char) bytes[i]) * 16777619u;
  hd_rt_acquire(&texts_lock);
  text *t = texts[hash % TEXTS];
  while (t && (t->n != n || memcmp(t->bytes, bytes, n) != 0))
    t = t->next;
  if (!t)
  {
    t = hd_alloc(sizeof *t + n + 1);
    t->n = n;
    memcpy(t->bytes, bytes, n);
    t->bytes[n] = 0;
    t->next = texts[hash % TEXTS];
    texts[hash % TEXTS] = t;
  }
  hd_rt_release(&texts_lock);
  return t->bytes;
}

/* What P points to, which need not be memory. */
static hd_mttl_value
text_at(uintptr_t p)
{
  char bytes[LONGEST];
  struct iovec to = {bytes, sizeof bytes}, from = {(void *) p, sizeof bytes};
  ssize_t n = p ? process_vm_readv(getpid(), &to, 1, &from, 1, 0) : -1;
  if (n <= 0)
  {
    /* Up to the end of the page, if the next one is not there. */
    from.iov_len = to.iov_len = 4096 - p % 4096;
    n = p && from.iov_len < sizeof bytes ? process_vm_readv(getpid(), &to, 1, &from, 1, 0) : -1;
  }
  if (n <= 0)
    return (hd_mttl_value){.type = HD_MTTL_UNDEFINED};
  return (hd_mttl_value){.type = HD_MTTL_STRING, .text = hd_rt_text_keep(bytes, strnlen(bytes, (size_t) n))};
}

/* ---- values ---- */

static int64_t
integer_at(const hd_rt_watch *w)
{
  uint64_t value = 0;
  size_t n = w->area.high - w->area.low;
  memcpy(&value, (const void *) w->area.low, n < 8 ? n : 8);
  unsigned bits = w->bits ? w->bits : (unsigned) (n < 8 ? 8 * n : 64);
  value >>= w->from;
  if (bits < 64)
  {
    value &= (1ull << bits) - 1;
    if (w->kind == 'i' && value >> (bits - 1))
      value |= ~0ull << bits;
  }
  return (int64_t) value;
}

hd_mttl_value
hd_rt_watch_value(const hd_rt_watch *w)
{
  if (HD_RT_LIKELY(w->whole))
    return (hd_mttl_value){.type = HD_MTTL_INT, .number = *(const volatile int64_t *) w->area.low};
  const void *p = (const void *) w->area.low;
  size_t n = w->area.high - w->area.low;
  hd_mttl_type type = hd_rt_all.files[w->area.file].f->variables[w->area.index].type;
  hd_mttl_value v = {.type = type};
  uintptr_t pointer;
  float small;
  long double large;
  switch (w->kind)
  {
  case 'f':
    if (n == sizeof small)
    {
      memcpy(&small, p, sizeof small);
      v.real = small;
    }
    else if (n == sizeof v.real)
      memcpy(&v.real, p, sizeof v.real);
    else
    {
      memcpy(&large, p, sizeof large);
      v.real = (double) large;
    }
    return v;
  case 'c':
    v.text = hd_rt_text_keep(p, strnlen(p, n < LONGEST ? n : LONGEST));
    return v;
  case 's':
    memcpy(&pointer, p, sizeof pointer);
    return text_at(pointer);
  default:
    v.number = integer_at(w);
    if (type == HD_MTTL_BOOL)
      v.number = v.number != 0;
    if (type == HD_MTTL_REAL)
      v.real = w->kind == 'u' ? (double) (uint64_t) v.number : (double) v.number;
    return v;
  }
}

/* ---- which memory ---- */

static int
by_address(const void *a, const void *b)
{
  uintptr_t x = ((const hd_rt_watch *) a)->area.low, y = ((const hd_rt_watch *) b)->area.low;
  return x < y ? -1 : x > y;
}

static void
sort(hd_rt_watch *list, size_t n)
{
  for (size_t i = 1; i < n; i++)
    for (size_t k = i; k > 0 && by_address(&list[k - 1], &list[k]) > 0; k--)
    {
      hd_rt_watch w = list[k];
      list[k] = list[k - 1];
      list[k - 1] = w;
    }
}

/* Which of the variables, by address, share a granule with another one? */
static void
find_alone(void)
{
  uintptr_t end = 0; /* of the granules of those before */
  for (size_t i = 0; i < hd_rt_all.nwatches; i++)
  {
    hd_rt_watch *w = &hd_rt_all.watches[i];
    const uintptr_t from = w->area.low & ~3ull, to = (w->area.high + 3) & ~3ull;
    w->alone = from >= end;
    if (from < end)
      hd_rt_all.watches[i - 1].alone = false;
    end = to > end ? to : end;
  }
}

bool
hd_rt_memory_watch(void)
{
  sort(hd_rt_all.watches, hd_rt_all.nwatches);
  find_alone();
  for (size_t i = 0; i < hd_rt_all.nwatches; i++)
  {
    const hd_rt_area *a = &hd_rt_all.watches[i].area;
    hd_rt_watch *w = &hd_rt_all.watches[i];
    w->whole = (w->kind == 'i' || w->kind == 'u') && !w->bits && a->high - a->low == 8 && !(a->low & 7)
               && hd_rt_all.files[a->file].f->variables[a->index].type == HD_MTTL_INT;
    if (!hd_rt_inside_windows(a->low) || !hd_rt_inside_windows(a->high - 1))
      return false;
    for (uintptr_t g = a->low & ~3ull; g < a->high; g += 4)
    {
      *hd_rt_w(g) = *hd_rt_r(g, 0) = WATCHED;
      for (uintptr_t b = g; b < g + 4; b++)
        *hd_rt_wb(b) = *hd_rt_rb(b, 0) = WATCHED;
      if (!*hd_rt_r(g, 1))
        *hd_rt_r(g, 1) = (uint32_t) i + 1;
    }
  }
  if (hd_rt_all.everything)
    spots.base = hd_rt_map((size_t) spots.size * spots.max, 4096);
  return !hd_rt_all.everything || spots.base;
}

hd_rt_watch *
hd_rt_watch_find(uintptr_t p, size_t n, hd_rt_watch *after)
{
  size_t i = hd_rt_all.nwatches;
  if (after)
    i = (size_t) (after - hd_rt_all.watches) + 1;
  else
    for (uintptr_t g = p & ~3ull; g < p + n && i == hd_rt_all.nwatches; g += 4)
      if (hd_rt_load(hd_rt_r(g, 1)))
        i = hd_rt_load(hd_rt_r(g, 1)) - 1;
  for (; i < hd_rt_all.nwatches && hd_rt_all.watches[i].area.low < p + n; i++)
    if (hd_rt_all.watches[i].area.high > p)
      return &hd_rt_all.watches[i];
  return NULL;
}

/* ---- events ---- */

/* Under the lock of W, or of its line. A value that nobody was seen to write is not taken for what is known, and it is
 * told in the end. */
static inline void
event_of(hd_mttl_event *e, uintptr_t p, size_t n, bool write, hd_rt_watch *w)
{
  hd_rt_event_of(e, NULL, p, (uint32_t) n);
  e->op = write ? HD_MTTL_W : HD_MTTL_R;
  if (!w)
    return;
  e->variable = (int32_t) w->area.index;
  if (!w->tracked)
    return;
  hd_mttl_value now = hd_rt_watch_value(w);
  if (write)
    e->value = w->last = now;
  else
    w->unseen += !hd_mttl_same(now, w->last);
}

/* An access to W, of which formulas see nothing. False: nothing was done, for it brings something. */
static inline bool
touch_quietly(hd_rt_watch *w, bool write)
{
  hd_mttl_thread *t = hd_rt_me->t[w->area.file];
  hd_rt_acquire(&w->lock);
  const bool quiet = write ? hd_mttl_writes_quietly(t, &w->place) : hd_mttl_reads_quietly(t, &w->place);
  hd_rt_release(&w->lock);
  return quiet;
}

static void
touch_variable(hd_rt_watch *w, uintptr_t p, size_t n, bool write)
{
  hd_mttl_thread *t = hd_rt_me->t[w->area.file];
  hd_mttl_location *place = &w->place;
  if (w->mute && touch_quietly(w, write))
    return;
  hd_mttl_event e;
  hd_rt_acquire(&w->lock);
  event_of(&e, p, n, write, w);
  if (write)
    hd_mttl_writes(t, &place, 1, &e);
  else
    hd_mttl_reads(t, &place, 1, &e);
  hd_rt_release(&w->lock);
}

/* From one location for the bytes of MASK to one for each. */
static void
split(spot *s)
{
  hd_mttl_location *old = s->places;
  s->places = hd_alloc_zero(8 * hd_rt_all.nfiles * sizeof *s->places);
  for (unsigned b = 0; b < 8; b++)
    for (uint32_t i = 0; i < hd_rt_all.nfiles && (s->mask >> b & 1); i++)
      hd_mttl_location_copy(&s->places[b * hd_rt_all.nfiles + i], &old[i]);
  for (uint32_t i = 0; i < hd_rt_all.nfiles; i++)
    hd_mttl_location_clear(&old[i]);
  hd_rt_heap_give(old);
  s->split = true;
}

/* The locations for FILE of N bytes from P on, which lie in one line; under its lock. Only with MAKE there are new
 * ones. */
static size_t
find_places(uintptr_t p, size_t n, uint32_t file, bool make, hd_mttl_location **out)
{
  size_t count = 0;
  for (uintptr_t g = p & ~7ull; g < p + n; g += 8)
  {
    uint32_t *word = hd_rt_r(g, 2);
    uint8_t mask = 0;
    for (unsigned b = 0; b < 8; b++)
      mask |= (uint8_t) ((g + b >= p && g + b < p + n) << b);
    if (!*word && make)
    {
      *word = hd_rt_pool_take(&spots);
      if (*word)
      {
        spot *s = hd_rt_pool_get(&spots, *word);
        s->mask = mask;
        s->places = hd_alloc_zero(hd_rt_all.nfiles * sizeof *s->places);
      }
      else
        hd_rt_lost[HD_RT_LOST_OBJECTS]++;
    }
    if (!*word)
      continue;
    spot *s = hd_rt_pool_get(&spots, *word);
    if (!s->split && s->mask != mask)
      split(s);
    if (!s->split)
      out[count++] = &s->places[file];
    for (unsigned b = 0; s->split && b < 8; b++)
      if (mask >> b & 1)
        out[count++] = &s->places[b * hd_rt_all.nfiles + file];
  }
  return count;
}

static void
touch_line(uint32_t file, uintptr_t p, size_t n, bool write, hd_rt_watch *w)
{
  hd_mttl_location *places[HD_RT_LINE];
  hd_mttl_thread *t = hd_rt_me->t[file];
  hd_rt_lock *lock = &locks[p / HD_RT_LINE % LOCKS];
  hd_rt_acquire(lock);
  hd_mttl_event e;
  event_of(&e, p, n, write, w);
  size_t count = find_places(p, n, file, true, places);
  if (write)
    hd_mttl_writes(t, places, count, &e);
  else
    hd_mttl_reads(t, places, count, &e);
  hd_rt_release(lock);
}

static void
put_off(hd_rt_watch *w, uintptr_t p, size_t n)
{
  hd_rt_knower *me = hd_rt_me;
  size_t cap = me->pending_cap;
  if (me->npending == cap)
    hd_grow(&me->pending, &cap, me->npending + 1, sizeof *me->pending);
  me->pending_cap = (uint32_t) cap;
  hd_rt_pending *d = &me->pending[me->npending++];
  d->watch = w;
  d->p = p;
  d->n = (uint32_t) n;
  d->nframes = (uint32_t) hd_rt_history_stack(me->pc, d->frames, HD_MTTL_FRAMES);
}

void
hd_rt_memory_settle(void)
{
  hd_rt_knower *me = hd_rt_me;
  uint32_t n = me->npending;
  me->npending = 0;
  for (uint32_t i = 0; i < n; i++)
  {
    const hd_rt_pending *d = me->saved = &me->pending[i];
    if (hd_rt_all.files[d->watch->area.file].f->everything)
      touch_line(d->watch->area.file, d->p, d->n, true, d->watch);
    else
      touch_variable(d->watch, d->p, d->n, true);
  }
  me->saved = NULL;
}

/* The part of the memory that lies in one line. */
static void
access_line(uintptr_t p, size_t n, bool write)
{
  for (uint32_t i = 0; i < hd_rt_all.nfiles; i++)
  {
    hd_rt_watch *w = NULL;
    if (!hd_rt_all.files[i].f->everything)
      continue;
    do
      w = hd_rt_watch_find(p, n, w);
    while (w && w->area.file != i);
    if (w && write && w->tracked)
      put_off(w, p, n);
    else
      touch_line(i, p, n, write, w);
  }
}

static void
touch(uintptr_t p, size_t n, bool write)
{
  for (hd_rt_watch *w = hd_rt_watch_find(p, n, NULL); w; w = hd_rt_watch_find(p, n, w))
    if (hd_rt_all.files[w->area.file].f->everything)
      continue;
    else if (write && w->tracked)
      put_off(w, p, n);
    else
      touch_variable(w, p, n, write);
  if (!hd_rt_all.everything)
    return;
  for (uintptr_t end = p + n, next; p < end; p = next)
  {
    next = (p / HD_RT_LINE + 1) * HD_RT_LINE;
    access_line(p, (next < end ? next : end) - p, write);
  }
}

/* One variable, of which formulas see nothing; NULL: it may be something else. */
static inline hd_rt_watch *
find_simple(uintptr_t p, size_t n)
{
  const uint32_t first = hd_rt_load(hd_rt_r(p, 1));
  if (HD_RT_UNLIKELY(!first))
    return NULL;
  hd_rt_watch *w = &hd_rt_all.watches[first - 1];
  return w->simple && p >= w->area.low && p + n <= w->area.high ? w : NULL;
}

/* If it brings nothing new either, no look at the rest is needed. */
static inline bool
touch_one(uintptr_t p, size_t n, bool write, uintptr_t pc)
{
  hd_rt_knower *me = hd_rt_me;
  hd_rt_watch *w = find_simple(p, n);
  if (HD_RT_UNLIKELY(!w || !me || hd_rt_event_is_behind(me)))
    return false;
  me->pc = pc;
  return touch_quietly(w, write);
}

void
hd_rt_memory_access(uintptr_t p, size_t n, bool write, uintptr_t pc)
{
  if (HD_RT_LIKELY(touch_one(p, n, write, pc)))
    return; /* the event has changed nothing that its end would look at */
  if (hd_rt_event_begin(pc))
    touch(p, n, write);
  hd_rt_event_end();
}

static __attribute__((noinline)) void
touch_otherwise(uintptr_t p, size_t n, bool write, uintptr_t pc)
{
  hd_rt_leave();
  hd_rt_client_tell_access(p, n, write, pc);
}

/* What is mostly so: a thread that has nothing else to do finds what it left there itself. Who has a lock has it to
 * keep others away, mostly from this. All calls are the last thing that is done, so that no stack frame is needed. */
void
hd_rt_memory_touch(uintptr_t p, size_t n, bool write, uintptr_t pc)
{
  hd_rt_watch *w = find_simple(p, n);
  if (HD_RT_UNLIKELY(!w || !hd_rt_client_is_swift() || !hd_rt_here.held || hd_rt_here.inside))
  {
    hd_rt_client_tell_access(p, n, write, pc);
    return;
  }
  hd_rt_enter();
  const hd_mttl_thread *t = hd_rt_me->t[w->area.file];
  if (HD_RT_LIKELY(write ? hd_mttl_writes_again(t, &w->place) : hd_mttl_reads_again(t, &w->place)))
    hd_rt_leave();
  else
    touch_otherwise(p, n, write, pc);
}

/* ---- the life of memory ---- */

static void
forget(uintptr_t p, size_t n)
{
  for (uintptr_t g = p & ~7ull; g < p + n; g += 8)
  {
    uint32_t *word = hd_rt_r(g, 2);
    if (!*word)
      continue;
    spot *s = hd_rt_pool_get(&spots, *word);
    for (uint32_t i = 0; i < (s->split ? 8 : 1) * hd_rt_all.nfiles; i++)
      hd_mttl_location_clear(&s->places[i]);
    hd_rt_heap_give(s->places);
    hd_rt_pool_give(&spots, *word);
    *word = 0;
  }
}

/* What is known there, if it was touched: the end of the memory is a write of it. */
static void
end_line(uintptr_t p, size_t n)
{
  hd_mttl_location *places[HD_RT_LINE];
  for (uint32_t i = 0; i < hd_rt_all.nfiles; i++)
  {
    size_t count = hd_rt_all.files[i].f->everything ? find_places(p, n, i, false, places) : 0;
    hd_mttl_event e;
    event_of(&e, p, n, true, NULL);
    if (count)
      hd_mttl_writes(hd_rt_me->t[i], places, count, &e);
  }
}

void
hd_rt_memory_life(uintptr_t p, size_t n, bool begins)
{
  for (uintptr_t end = p + n, next; p < end; p = next)
  {
    next = (p / HD_RT_LINE + 1) * HD_RT_LINE;
    size_t size = (next < end ? next : end) - p;
    uint64_t any = 0;
    for (uintptr_t g = p & ~7ull; g < p + size; g += 8)
      any |= hd_rt_load(hd_rt_r(g, 2));
    if (!any)
      continue;
    hd_rt_lock *lock = &locks[p / HD_RT_LINE % LOCKS];
    hd_rt_acquire(lock);
    if (!begins)
      end_line(p, size);
    forget(p, size);
    hd_rt_release(lock);
  }
}
