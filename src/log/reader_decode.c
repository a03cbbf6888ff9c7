/* reader_decode.c: the records of one chunk, decoded, attributed to their objects and handed to the sink.
 *
 * This is the hot loop of every check: no allocation and no system call per record; values go into a fixed array,
 * strings stay where they are. A record is checked twice: for its shape (does it end before the chunk does, do site
 * and kind fit) and for its sense (is there an open operation, does the stamp fit). A bad shape loses the rest of the
 * chunk, for nobody knows where the next record starts; bad sense loses the rest of the thread.
 *
 * A live chunk is read while a thread writes it: header and stamp share one word, which is loaded with acquire; what
 * the header announces is read after that. */
#include "log/reader.h"

#include <stdlib.h>
#include <string.h>

#define HOT static inline __attribute__((always_inline))
#define COLD static __attribute__((noinline, cold))

enum
{
  NAMES = 1,  /* a word with the object's id follows */
  PUSH = 2,   /* opens an operation or task */
  POP = 4,    /* closes one */
  INSIDE = 8, /* belongs to the innermost open one */
  TICKS = 16, /* always */
  LOOKS = 32, /* has a stamp, and may tick too */
  VAR = 64,   /* the first value is a number: a variable or a kind */
};

/* What each kind is, and how many values it may have. */
static const struct
{
  uint8_t flags, min, max;
} kinds[HD_K_COUNT] = {
    [HD_K_CALL] = {NAMES | PUSH | LOOKS, 0, HD_SITE_VALUES},
    [HD_K_CALL_NOCOMMIT] = {NAMES | PUSH | TICKS, 0, HD_SITE_VALUES},
    [HD_K_RETURN] = {INSIDE | POP | LOOKS, 0, 1},
    [HD_K_RETURN_EXC] = {INSIDE | POP | LOOKS, 0, 1},
    [HD_K_COMMIT] = {INSIDE | TICKS, 0, 0},
    [HD_K_COMMIT_RET] = {INSIDE | TICKS, 1, 1},
    [HD_K_COMMIT_EXC] = {INSIDE | TICKS, 1, 1},
    [HD_K_WINDOW] = {INSIDE | TICKS, 0, 0},
    [HD_K_BLOCK_BEGIN] = {INSIDE, 0, 0},
    [HD_K_BLOCK_END] = {INSIDE, 0, 0},
    [HD_K_WRITE] = {INSIDE | LOOKS | VAR, 2, 2},
    [HD_K_WRITE_OLD] = {INSIDE | LOOKS | VAR, 3, 3},
    [HD_K_REPLAY] = {INSIDE | LOOKS | VAR, 2, 2},
    [HD_K_FREE_WRITE] = {NAMES | TICKS | VAR, 2, 2},
    [HD_K_FREE_WRITE_OLD] = {NAMES | TICKS | VAR, 3, 3},
    [HD_K_FREE_REPLAY] = {NAMES | TICKS | VAR, 2, 2},
    [HD_K_INTERNAL_BEGIN] = {NAMES | PUSH | LOOKS, 0, HD_SITE_VALUES},
    [HD_K_INTERNAL_END] = {INSIDE | POP | TICKS, 0, 0},
    [HD_K_OBJECT_END] = {NAMES | TICKS, 0, 0},
    [HD_K_MISUSE] = {NAMES, 1, 1},
    [HD_K_ABANDON] = {INSIDE | POP, 0, 0},
};

static const uint8_t misuse_types[HD_SITE_VALUES] = {HD_UINT};

/* The state of one call of hd_reader_decode. */
typedef struct decoder
{
  hd_log *log;
  hd_reader_chunk *c;
  const hd_log_sink *sink;
  hd_reader_mode mode;
  hd_event event;
  hd_reader_object *object; /* of the event; NULL: one that is not logged */
  hd_value values[HD_SITE_VALUES];
} decoder;

static uint64_t
word_at(const unsigned char *p)
{
  return __atomic_load_n((const uint64_t *) (const void *) p, __ATOMIC_ACQUIRE);
}

/* The rest of the chunk cannot be read. */
COLD hd_reader_status
bad_shape(decoder *d, const char *what)
{
  hd_reader_chunk *c = d->c;
  if (c->thread)
  {
    hd_reader_damage(d->log, c->offset + c->pos, "%s; the rest of thread %u from here on is not used", what,
                     c->thread->number);
    c->thread->skip = true;
    c->thread->active = false;
    c->thread = NULL;
  }
  else
    hd_reader_damage(d->log, c->offset + c->pos, "%s; the rest of this chunk is not used", what);
  c->pos = c->size;
  return HD_READER_DAMAGED;
}

/* The record is well-formed but cannot be true. */
COLD void
bad_sense(decoder *d, const char *what)
{
  hd_reader_damage(d->log, d->c->offset + d->c->pos, "%s; the rest of thread %u from here on is not used", what,
                   d->c->thread->number);
  d->c->thread->skip = true;
}

/* The stamps of this segment on O will prove the frontier F: collected per segment. */
HOT void
touch(hd_log *log, hd_reader_object *o, uint64_t f)
{
  if (HD_UNLIKELY(o->segment != log->segment))
  {
    o->segment = log->segment;
    o->claim = 0;
    HD_PUSH(log->touched, log->ntouched, log->cap_touched, o);
  }
  if (f > o->claim)
    o->claim = f;
}

typedef enum step
{
  GO_ON,
  WAIT, /* live: not there yet */
  FAILED,
} step;

/* HD_K_THREAD at POS: a segment begins. */
COLD step
begin_segment(decoder *d, const unsigned char *p, const unsigned char *end)
{
  hd_reader_chunk *c = d->c;
  hd_log *log = d->log;
  if (end - p < 16)
    return bad_shape(d, "the begin of a thread's segment is cut"), FAILED;
  uint64_t word = word_at(p);
  uint32_t number = (uint32_t) word, ordinal = (uint32_t) (word >> 32);
  if (c->thread)
    return bad_shape(d, "a thread's segment begins inside another one"), FAILED;
  hd_reader_thread *t = hd_reader_thread_get(log, number);
  if (!t)
    return bad_shape(d, "a thread's number makes no sense"), FAILED;
  if (t->active && !t->skip)
  {
    /* Its chunk was read before it wrote there that it goes on here. */
    if (d->mode == HD_READER_LIVE)
      return WAIT;
    bad_shape(d, "a thread is in two chunks at once");
    t->skip = true;
    return FAILED;
  }
  c->thread = t;
  if (!t->skip && (ordinal != t->ordinal || t->ended || (ordinal > 0 && t->next != c->seq)))
  {
    hd_reader_damage(log, c->offset + c->pos,
                     "segment %u of thread %u is here, segment %u is missing; the rest of the thread is not used",
                     ordinal, number, t->ordinal);
    t->skip = true;
  }
  t->active = true;
  t->ordinal = ordinal + 1;
  t->next = 0;
  log->segment++;
  log->ntouched = 0;
  c->pos += 24;
  return GO_ON;
}

/* The thread has ended: the operations that it left open will never return, and nobody need wait for them. */
COLD void
abandon_open(decoder *d, hd_reader_thread *t)
{
  for (; t->depth && !t->skip; t->depth--)
  {
    const hd_reader_object *o = t->frames[t->depth - 1].object;
    hd_event e = {.kind = HD_K_ABANDON, .thread = t->number, .object = o ? o->info.id : 0};
    d->log->events++;
    if (!d->sink->event(d->sink->context, &e))
      return; /* it will say so again at the next record */
  }
}

/* HD_K_THREAD_END or HD_K_NEXT at POS: a segment ends. */
COLD step
end_segment(decoder *d, uint8_t kind, const unsigned char *p, const unsigned char *end)
{
  hd_reader_chunk *c = d->c;
  hd_reader_thread *t = c->thread;
  if (!t || end - p < 8)
    return bad_shape(d, t ? "the end of a thread's segment is cut" : "a thread's segment ends that did not begin"),
           FAILED;
  uint64_t q = word_at(p);
  if (kind == HD_K_NEXT && q <= c->seq)
    return bad_shape(d, "a thread goes on in a chunk that is older than the one it left"), FAILED;
  if (d->mode == HD_READER_FILE && !t->skip)
    hd_reader_claim_segment(d->log, kind == HD_K_NEXT ? q - 1 : q);
  t->active = false;
  if (kind == HD_K_NEXT)
  {
    t->next = q;
    t->next_from = c->offset + c->pos;
    c->finished = true;
  }
  else
  {
    abandon_open(d, t);
    /* Thousands of threads may come and go: an ended one keeps nothing. */
    free(t->frames);
    t->frames = NULL;
    t->depth = t->cap = 0;
    t->ended = true;
  }
  c->thread = NULL;
  c->pos += 16;
  return GO_ON;
}

/* Live: a record on O was announced; its stamp will not be below FLOOR. */
COLD void
bound(decoder *d, hd_reader_object *o, uint64_t floor)
{
  if (floor < o->frontier)
    floor = o->frontier;
  if (o->round == d->log->round && floor < o->clock)
    o->clock = floor;
}

/* The values, one after the other. NULL: they do not fit. */
HOT const unsigned char *
get_values(decoder *d, const unsigned char *p, const unsigned char *end, const uint8_t *types, uint32_t n)
{
  for (uint32_t i = 0; i < n; i++)
  {
    hd_value *v = &d->values[i];
    if (HD_LIKELY((types[i] == HD_INT || types[i] == HD_UINT) && end - p >= 8))
    {
      uint64_t u;
      memcpy(&u, p, sizeof u);
      *v = (hd_value){.type = types[i], .u = u};
      p += 8;
    }
    else if (!hd_reader_value(&p, end, types[i], v))
      return NULL;
  }
  return p;
}

/* May a record of KIND stand at a place in the source that was registered as SITE_KIND? */
HOT bool
kind_fits(uint32_t kind, uint32_t site_kind)
{
  if (kind == site_kind || kind == HD_K_MISUSE || kind == HD_K_ABANDON)
    return true;
  return kind >= HD_K_FREE_WRITE && kind <= HD_K_FREE_REPLAY && kind - HD_K_FREE_WRITE + HD_K_WRITE == site_kind;
}

/* Push what E opens. False: it makes no sense. */
HOT bool
push(decoder *d, hd_reader_thread *t, const hd_event *e, uint64_t floor)
{
  if (t->depth == t->cap)
  {
    if (t->depth == HD_MAX_DEPTH)
    {
      bad_sense(d, "more operations are open than a thread can have");
      return false;
    }
    t->cap = t->cap ? t->cap * 2 : 4;
    t->frames = hd_realloc(t->frames, t->cap * sizeof *t->frames);
  }
  t->frames[t->depth++]
      = (hd_reader_frame){.object = d->object, .internal = e->kind == HD_K_INTERNAL_BEGIN, .floor = floor};
  return true;
}

/* The innermost open operation for a record of KIND that is about it, or NULL: there is none that fits. */
HOT hd_reader_frame *
innermost(decoder *d, hd_reader_thread *t, uint8_t kind)
{
  if (HD_UNLIKELY(t->depth == 0))
  {
    bad_sense(d, kind == HD_K_RETURN || kind == HD_K_RETURN_EXC ? "a return without a call"
                                                                : "a record outside any operation");
    return NULL;
  }
  hd_reader_frame *f = &t->frames[t->depth - 1];
  bool of_operation = kind >= HD_K_RETURN && kind <= HD_K_WINDOW;
  if (HD_UNLIKELY((of_operation && f->internal) || (kind == HD_K_INTERNAL_END && !f->internal)))
  {
    bad_sense(d, of_operation ? "a commit, window or return inside an internal task"
                              : "the end of an internal task inside an operation");
    return NULL;
  }
  return f;
}

/* Could an unfinished record of KIND have moved the clock? */
COLD bool
may_tick(uint8_t kind, const hd_reader_frame *f)
{
  switch (kind)
  {
  case HD_K_CALL:
  case HD_K_INTERNAL_BEGIN:
  case HD_K_BLOCK_BEGIN:
  case HD_K_MISUSE:
  case HD_K_ABANDON:
    return false;
  case HD_K_BLOCK_END:
    return f && !f->committed;
  case HD_K_WRITE:
  case HD_K_WRITE_OLD:
  case HD_K_REPLAY:
    return f && !f->block;
  default:
    return true;
  }
}

/* Attribute the event to its object, keep the thread's state, deliver. False: the sink stopped it. */
HOT bool
apply(decoder *d)
{
  hd_event *e = &d->event;
  hd_log *log = d->log;
  hd_reader_thread *t = d->c->thread;
  uint8_t flags = kinds[e->kind].flags;
  hd_reader_frame *f = NULL;
  if (flags & INSIDE)
  {
    f = innermost(d, t, e->kind);
    if (HD_UNLIKELY(!f))
      return true;
    d->object = f->object;
    e->object = f->object ? f->object->info.id : 0;
  }
  uint64_t floor = e->stamp + e->ticked;
  hd_reader_object *o = d->object;
  if (HD_LIKELY(o != NULL))
  {
    if (e->stamped)
    {
      if (HD_UNLIKELY(e->stamp < o->frontier))
      {
        bad_sense(d, "a stamp is below what the rest of the log proves to be past");
        return true;
      }
      if (e->ticked)
      {
        o->seen++;
        o->sum += e->stamp;
      }
      if (d->mode == HD_READER_FILE)
        touch(log, o, floor);
      if (f && f->floor < floor)
        f->floor = floor;
    }
  }
  if (flags & PUSH)
  {
    if (HD_UNLIKELY(!push(d, t, e, floor)))
      return true;
  }
  else if (flags & POP)
    t->depth--;
  else if (f)
  {
    if (e->kind == HD_K_BLOCK_BEGIN)
      f->block = true, f->committed = false;
    else if (e->kind == HD_K_BLOCK_END)
      f->block = false;
    else if (e->kind >= HD_K_COMMIT && e->kind <= HD_K_COMMIT_EXC)
      f->committed = true;
  }
  log->events++;
  return d->sink->event(d->sink->context, e);
}

/* The record at POS has no stamp yet, and everything else is in d->event. */
COLD step
unfinished(decoder *d, const unsigned char *after, const unsigned char *end)
{
  hd_event *e = &d->event;
  hd_log *log = d->log;
  hd_reader_thread *t = d->c->thread;
  if (t->skip)
    return WAIT;
  hd_reader_frame *f = NULL;
  if (kinds[e->kind].flags & INSIDE)
  {
    f = innermost(d, t, e->kind);
    if (!f)
      return WAIT;
    d->object = f->object;
    e->object = f->object ? f->object->info.id : 0;
  }
  hd_reader_object *o = d->object;
  uint64_t floor = f ? f->floor : o ? o->info.first : 0;
  if (d->mode == HD_READER_LIVE)
  {
    if (o)
      bound(d, o, floor);
    return WAIT;
  }
  e->stamped = e->ticked = false;
  e->stamp = 0;
  bool ticks = may_tick(e->kind, f);
  /* A segment that touched the object says more than its creation does. */
  if (o && d->mode == HD_READER_FILE && o->segment == log->segment && o->claim > floor)
    floor = o->claim;
  if (o && floor < o->frontier)
    floor = o->frontier;
  if (o && ticks && floor < o->cap)
    o->cap = floor;
  hd_reader_torn_add(log, e, ticks && o, floor);
  t->skip = true;
  if (end - after >= 8 && (word_at(after) & 0xff) != HD_K_NONE)
    hd_reader_damage(log, d->c->offset + d->c->pos,
                     "thread %u has records after one that it never finished; they are "
                     "not used",
                     t->number);
  return WAIT;
}

/* The stamp of a record whose stamp field is FIELD; AFTER is what follows it and is moved past a long stamp. */
HOT step
get_stamp(decoder *d, uint32_t field, const unsigned char **after, const unsigned char *end)
{
  hd_event *e = &d->event;
  uint8_t flags = kinds[e->kind].flags;
  if (field == HD_STAMP_NONE)
  {
    if (flags & (TICKS | LOOKS))
      return bad_shape(d, "a record lacks its stamp"), FAILED;
    e->stamped = e->ticked = false;
    e->stamp = 0;
    return GO_ON;
  }
  if (field == HD_STAMP_LONG)
  {
    const unsigned char *p = *after;
    if (end - p < 16 || (word_at(p) & 0xff) != HD_K_STAMP)
      return bad_shape(d, "a long stamp is missing"), FAILED;
    uint64_t word = word_at(p + 8);
    e->ticked = word >> 63;
    e->stamp = word & ~(1ull << 63);
    *after = p + 16;
  }
  else
  {
    e->ticked = (field & HD_STAMP_TICK) != 0;
    e->stamp = (uint64_t) (field & ~HD_STAMP_TICK) - 1;
  }
  e->stamped = true;
  if (HD_UNLIKELY(e->stamp > HD_CLOCK_TICKS))
    return bad_shape(d, "a stamp makes no sense"), FAILED;
  if (HD_UNLIKELY((flags & TICKS) && !e->ticked))
    return bad_shape(d, "a record that always ticks did not tick"), FAILED;
  if (HD_UNLIKELY(!(flags & (TICKS | LOOKS)) && e->kind != HD_K_BLOCK_END))
    return bad_shape(d, "a record has a stamp and should have none"), FAILED;
  return GO_ON;
}

/* The object and the site that the event names. False: the tables lack one of them. */
HOT bool
look_up(decoder *d, const hd_log_site **site)
{
  const hd_event *e = &d->event;
  const hd_log *log = d->log;
  d->object = hd_reader_object_find(log, e->object);
  *site = e->site <= log->max_site && e->site ? log->sites[e->site] : NULL;
  return (d->object || e->object == 0) && (*site || e->site == 0);
}

/* The same again: a live log's tables may have grown since. */
COLD bool
look_up_again(decoder *d, const hd_log_site **site)
{
  if (d->mode == HD_READER_FILE)
    return false;
  hd_reader_live_tables(d->log);
  return look_up(d, site);
}

/* One ordinary record: decode it into d->event. */
HOT step
get_record(decoder *d, uint64_t word, const unsigned char *p, const unsigned char *end)
{
  hd_reader_chunk *c = d->c;
  hd_event *e = &d->event;
  e->kind = (uint8_t) word;
  e->nvalues = (uint8_t) (word >> 8);
  e->site = (uint16_t) (word >> 16);
  uint8_t flags = kinds[e->kind].flags;
  if (HD_UNLIKELY(!c->thread))
    return bad_shape(d, "a record before the begin of a thread's segment"), FAILED;
  e->thread = c->thread->number;
  e->object = 0;
  if (flags & NAMES)
  {
    if (HD_UNLIKELY(end - p < 8))
      return bad_shape(d, "a record is cut"), FAILED;
    uint64_t object = word_at(p);
    if (HD_UNLIKELY(object > UINT32_MAX))
      return bad_shape(d, "an object's number makes no sense"), FAILED;
    e->object = (uint32_t) object;
    p += 8;
  }
  const hd_log_site *s;
  if (HD_UNLIKELY(!look_up(d, &s)) && !look_up_again(d, &s))
    return bad_shape(d, "a record names an object or a place in the source that the tables do not have"), FAILED;
  const uint8_t *types = s ? s->types : misuse_types;
  if (HD_UNLIKELY(e->kind == HD_K_MISUSE))
    types = misuse_types;
  else if (HD_UNLIKELY(s ? e->nvalues != s->nvalues || !kind_fits(e->kind, s->kind) : e->nvalues != 0))
    return bad_shape(d, "a record does not fit its place in the source"), FAILED;
  if (HD_UNLIKELY(e->nvalues < kinds[e->kind].min || e->nvalues > kinds[e->kind].max))
    return bad_shape(d, "a record has a wrong number of values"), FAILED;
  p = get_values(d, p, end, types, e->nvalues);
  if (HD_UNLIKELY(!p))
    return bad_shape(d, "a value does not fit into its chunk"), FAILED;
  if (HD_UNLIKELY((flags & VAR) && d->values[0].type != HD_UINT && d->values[0].type != HD_INT))
    return bad_shape(d, "a variable is not a number"), FAILED;
  uint32_t field = (uint32_t) (word >> 32);
  if (HD_UNLIKELY(field == 0))
  {
    /* Killed between writing the long stamp and saying so: the stamp is there. */
    if (d->mode == HD_READER_LIVE || end - p < 16 || word_at(p) != (HD_K_STAMP | (uint64_t) HD_STAMP_NONE << 32))
      return unfinished(d, p, end);
    field = HD_STAMP_LONG;
  }
  step s2 = get_stamp(d, field, &p, end);
  if (HD_LIKELY(s2 == GO_ON))
    c->pos = (size_t) (p - c->data);
  return s2;
}

/* HD_K_LINE at *P: the line of the record behind it, which becomes *P and *WORD. It stays unread until that record is
 * there, so nothing need be remembered of it. */
HOT step
get_line(decoder *d, const unsigned char **p, uint64_t *word, const unsigned char *end)
{
  uint32_t line = (uint32_t) (*word >> 32);
  if (HD_UNLIKELY(line == 0 || line > HD_MAX_LINE || (uint32_t) *word != HD_K_LINE))
    return bad_shape(d, "a line makes no sense"), FAILED;
  if (end - *p < 16 || word_at(*p + 8) == 0)
    return WAIT;
  *p += 8;
  *word = word_at(*p);
  uint8_t kind = (uint8_t) *word;
  if (HD_UNLIKELY(kind < HD_K_CALL || kind >= HD_K_LINE))
    return bad_shape(d, "a line that belongs to no record"), FAILED;
  d->event.line = line;
  return GO_ON;
}

hd_reader_status
hd_reader_decode(hd_log *log, hd_reader_chunk *c, const hd_log_sink *sink, hd_reader_mode mode)
{
  decoder d = {.log = log, .c = c, .sink = sink, .mode = mode};
  d.event.values = d.values;
  const unsigned char *end = c->data + c->size;
  while (!c->finished && c->size - c->pos >= 8)
  {
    const unsigned char *p = c->data + c->pos;
    uint64_t word = word_at(p);
    uint8_t kind = (uint8_t) word;
    step s = GO_ON;
    if (kind == HD_K_NONE && word == 0)
      break;
    if (HD_LIKELY(kind >= HD_K_CALL && kind < HD_K_COUNT))
    {
      size_t at = c->pos;
      d.event.line = 0;
      if (kind == HD_K_LINE)
        s = get_line(&d, &p, &word, end);
      if (HD_LIKELY(s == GO_ON))
        s = get_record(&d, word, p + 8, end);
      if (HD_LIKELY(s == GO_ON) && HD_LIKELY(!c->thread->skip))
      {
        size_t next = c->pos;
        c->pos = at; /* damage is reported at the record's begin */
        bool go_on = apply(&d);
        c->pos = next;
        if (HD_UNLIKELY(!go_on))
          return HD_READER_STOPPED;
      }
    }
    else if (kind < HD_K_STAMP && kind != HD_K_NONE && word >> 32 == 0)
      break; /* announced, not yet written */
    else if (kind == HD_K_THREAD)
      s = begin_segment(&d, p + 8, end);
    else if (kind == HD_K_THREAD_END || kind == HD_K_NEXT)
      s = end_segment(&d, kind, p + 8, end);
    else
      return bad_shape(&d, kind == HD_K_STAMP ? "a stamp that belongs to no record" : "a record of an unknown kind");
    if (s == FAILED)
      return HD_READER_DAMAGED;
    if (s == WAIT)
      break;
  }
  return HD_READER_END;
}
