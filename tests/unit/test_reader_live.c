/* test_reader_live.c: reading a log while it is written, with units given back, against a simulated program.
 *
 * The program is simulated step by step under a random scheduler: taking room, announcing the record, moving the clock
 * and storing the stamp are steps of their own, and the reader polls between any two of them. So records are found in
 * every unfinished state. Checked: every thread's events arrive in order and once; no event comes below a frontier;
 * when nothing is unfinished the frontier is the clock; the program gets its units back; after its death in any state
 * everything that it had finished is there. */
#define _GNU_SOURCE
#include "log/log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum
{
  UNITS = 40,
  THREADS = 6,  /* at one time */
  NUMBERS = 60, /* over the run */
  OBJECTS = 3,
  CALL_SITE = 1,
  COMMIT_SITE = 2,
  RETURN_SITE = 3,
};

/* What a finished or announced record must look like when it arrives. */
typedef struct expected
{
  uint8_t kind;
  bool ticked, stamped;
  uint32_t line, object;
  uint64_t stamp, value;
} expected;

typedef struct thread
{
  uint32_t number, ordinal, unit; /* UNIT 0: none */
  uint32_t taken, taken_units;    /* handed out, the chunk is not begun yet */
  size_t pos;
  unsigned records; /* in this chunk */
  uint32_t line;    /* stands there, and its record does not yet; 0: none */
  uint32_t object;
  int next;            /* 0 call, 1 commit, 2 return */
  int stage;           /* of the record: 0 nothing, 1 announced, 2 clock read */
  unsigned char *open; /* the announced record */
  bool ticked;
  uint64_t stamp;
} thread;

typedef struct program
{
  uint64_t seed, random;
  int fd;
  unsigned char *map;
  hd_log_header *header;
  hd_slot *slots;
  uint32_t limit;
  thread threads[THREADS];
  uint32_t numbers;      /* given out */
  uint32_t spare[UNITS]; /* handed out in passing, to be used later */
  size_t nspare;
  uint32_t left[UNITS];
  size_t left_pos[UNITS], nleft;
  expected *expected[NUMBERS + 1];
  size_t n[NUMBERS + 1], cap[NUMBERS + 1], read[NUMBERS + 1];
  uint64_t frontier[OBJECTS + 1];
  bool final;
  uint64_t recycled, assigned, total;
} program;

static uint64_t
dice(program *p, uint64_t n)
{
  return hd_random(&p->random) % n;
}

/* UNITS units for a chunk, or 0: there are none now. */
static uint32_t
take_units(program *p, uint32_t units)
{
  hd_log_header *h = p->header;
  if (units == 1 && h->free_tail != h->free_head)
  {
    p->recycled++;
    return h->free_ring[h->free_tail++ % HD_LOG_RING];
  }
  if (units == 1 && p->nspare && dice(p, 2))
    return p->spare[--p->nspare];
  if (h->units + 1 < p->limit && dice(p, 4) == 0)
    p->spare[p->nspare++] = h->units++;
  if (h->units + units > p->limit)
    return 0;
  h->units += units;
  return h->units - units;
}

static void
begin_chunk(program *p, uint32_t unit, uint32_t units, uint32_t kind)
{
  hd_chunk_header *c = (hd_chunk_header *) (void *) (p->map + (size_t) unit * HD_LOG_UNIT);
  for (size_t i = 0; i < units * HD_LOG_UNIT; i++)
    if (((unsigned char *) c)[i])
      fail_msg("seed %llu: a unit was given back that is not clear", (unsigned long long) p->seed);
  c->magic = HD_CHUNK_MAGIC;
  c->kind = kind;
  c->units = units;
  c->seq = ++p->header->chunk_seq;
}

static uint64_t
seq_of(const program *p, uint32_t unit)
{
  return ((const hd_chunk_header *) (const void *) (p->map + (size_t) unit * HD_LOG_UNIT))->seq;
}

static void
put_words(program *p, thread *t, const uint64_t *words, size_t n)
{
  memcpy(p->map + (size_t) t->unit * HD_LOG_UNIT + t->pos, words, n * 8);
  t->pos += n * 8;
}

#define NONE ((uint64_t) HD_STAMP_NONE << 32)

static void
put_table(unsigned char *at, size_t *pos, const uint32_t *words, size_t n)
{
  memcpy(at + *pos, words, n * 4);
  *pos += n * 4;
}

static void
start(program *p, uint64_t seed)
{
  memset(p, 0, sizeof *p);
  p->seed = p->random = seed;
  p->fd = memfd_create("live", 0);
  assert_int_equal(ftruncate(p->fd, (off_t) UNITS * HD_LOG_UNIT), 0);
  p->map = mmap(NULL, (size_t) UNITS * HD_LOG_UNIT, PROT_READ | PROT_WRITE, MAP_SHARED, p->fd, 0);
  assert_true(p->map != MAP_FAILED);
  hd_log_header *h = p->header = (hd_log_header *) (void *) p->map;
  memcpy(h->magic, HD_LOG_MAGIC, 8);
  h->version = HD_LOG_VERSION;
  h->unit = HD_LOG_UNIT;
  h->checksum = XXH3_64bits(h, offsetof(hd_log_header, checksum));
  h->file_size = (uint64_t) UNITS * HD_LOG_UNIT;
  h->units = 1;
  p->limit = 3 + THREADS + (uint32_t) dice(p, UNITS - THREADS - 3);
  uint32_t clocks = take_units(p, 1), table = take_units(p, 1);
  begin_chunk(p, clocks, 1, HD_CHUNK_CLOCKS);
  p->slots = (hd_slot *) (void *) (p->map + (size_t) clocks * HD_LOG_UNIT + sizeof(hd_chunk_header));
  begin_chunk(p, table, 1, HD_CHUNK_TABLE);
  unsigned char *at = p->map + (size_t) table * HD_LOG_UNIT;
  size_t pos = sizeof(hd_chunk_header);
  static const uint32_t kinds[] = {HD_K_CALL, HD_K_COMMIT, HD_K_RETURN};
  for (uint32_t i = 0; i < 3; i++)
  {
    uint32_t values = i != 1, types = values ? HD_UINT : 0;
    uint32_t site[] = {48, HD_T_SITE, i + 1, kinds[i], 10 + i, values, types, 0, 0, 0, 0, 0};
    put_table(at, &pos, site, 12);
  }
  for (uint32_t i = 1; i <= OBJECTS; i++)
  {
    uint32_t object[] = {40, HD_T_OBJECT, i, 0, clocks, i, 0, 0, 0, 0};
    p->slots[i].object = i;
    put_table(at, &pos, object, 10);
  }
}

/* Does the thread need a chunk, and can it have one? */
static bool
need_chunk(program *p, thread *t)
{
  bool first = t->unit == 0;
  if (!first && t->records < 12 + dice(p, 8))
    return true;
  uint64_t words[3], start = 0;
  if (first && !t->taken && p->nleft && dice(p, 2))
  {
    t->unit = p->left[--p->nleft];
    t->pos = p->left_pos[p->nleft];
  }
  else
  {
    if (!t->taken)
    {
      t->taken_units = 1 + (dice(p, 6) == 0);
      t->taken = take_units(p, t->taken_units);
      return false;
    }
    uint32_t unit = t->taken;
    t->taken = 0;
    begin_chunk(p, unit, t->taken_units, HD_CHUNK_EVENTS);
    start = t->taken_units > 1 ? HD_LOG_UNIT - 200 : 0;
    if (!first)
    {
      words[0] = HD_K_NEXT | NONE;
      words[1] = seq_of(p, unit);
      put_words(p, t, words, 2);
    }
    t->unit = unit;
    t->pos = sizeof(hd_chunk_header);
  }
  t->records = 0;
  words[0] = HD_K_THREAD | NONE;
  words[1] = t->number | (uint64_t) t->ordinal++ << 32;
  words[2] = t->number;
  put_words(p, t, words, 3);
  /* A chunk of two units: misplaced macros (24 bytes each) up to the end of the first, so that the second is used. */
  for (words[0] = HD_K_MISUSE | 1 << 8 | NONE, words[1] = words[2] = 1; t->pos < start;)
    put_words(p, t, words, 3);
  return true;
}

static void
end_thread(program *p, thread *t)
{
  uint64_t words[] = {HD_K_THREAD_END | NONE, p->header->chunk_seq};
  put_words(p, t, words, 2);
  p->left[p->nleft] = t->unit;
  p->left_pos[p->nleft++] = t->pos;
  memset(t, 0, sizeof *t);
}

static void
step(program *p, thread *t)
{
  if (t->number == 0)
  {
    if (p->numbers == NUMBERS)
      return;
    t->number = ++p->numbers;
  }
  if (t->stage == 0)
  {
    if (t->next == 0 && t->unit && !t->line && dice(p, 30) == 0 && p->numbers < NUMBERS && p->nleft < UNITS)
    {
      end_thread(p, t);
      return;
    }
    if (!t->line && !need_chunk(p, t))
      return;
    if (!t->line && dice(p, 4) == 0)
    {
      /* A line of its own stands before the record. */
      t->line = 1 + (uint32_t) dice(p, HD_MAX_LINE);
      put_words(p, t, (uint64_t[]){HD_K_LINE | (uint64_t) t->line << 32}, 1);
      return;
    }
    if (t->next == 0)
      t->object = 1 + (uint32_t) dice(p, OBJECTS);
    uint64_t value = hd_random(&p->random);
    static const uint8_t kinds[] = {HD_K_CALL, HD_K_COMMIT, HD_K_RETURN};
    uint64_t words[3] = {kinds[t->next] | (uint64_t) (t->next != 1) << 8 | (uint64_t) (t->next + 1) << 16};
    size_t n = 1;
    if (t->next == 0)
      words[n++] = t->object;
    if (t->next != 1)
      words[n++] = value;
    t->open = p->map + (size_t) t->unit * HD_LOG_UNIT + t->pos;
    put_words(p, t, words, n);
    t->records++;
    t->stage = 1;
    expected e = {.kind = kinds[t->next], .line = t->line, .object = t->object, .value = t->next == 1 ? 0 : value};
    HD_PUSH(p->expected[t->number], p->n[t->number], p->cap[t->number], e);
    t->line = 0;
    p->total++;
  }
  else if (t->stage == 1)
  {
    uint64_t *clock = &p->slots[t->object].clock;
    t->ticked = t->next == 1 || (t->next == 2 && dice(p, 4) == 0);
    t->stamp = *clock;
    *clock += t->ticked;
    t->stage = 2;
  }
  else
  {
    uint32_t field = (uint32_t) (t->stamp + 1) | (t->ticked ? HD_STAMP_TICK : 0);
    memcpy(t->open + 4, &field, 4);
    expected *e = &p->expected[t->number][p->n[t->number] - 1];
    e->stamped = true;
    e->ticked = t->ticked;
    e->stamp = t->stamp;
    t->stage = 0;
    t->next = (t->next + 1) % 3;
  }
}

static bool
take_event(void *context, const hd_event *e)
{
  program *p = context;
  assert_in_range(e->thread, 1, NUMBERS);
  if (e->kind == HD_K_MISUSE)
    return true;
  size_t i = p->read[e->thread]++;
  if (i >= p->n[e->thread])
    fail_msg("seed %llu: an event that was never written", (unsigned long long) p->seed);
  expected *x = &p->expected[e->thread][i];
  if (e->kind != x->kind || e->line != x->line || e->object != x->object || (e->nvalues && e->values[0].u != x->value)
      || (x->stamped && (!e->stamped || e->stamp != x->stamp || e->ticked != x->ticked)))
    fail_msg("seed %llu: event %zu of thread %u differs", (unsigned long long) p->seed, i, e->thread);
  if (!x->stamped && !p->final)
    fail_msg("seed %llu: an unfinished record was delivered", (unsigned long long) p->seed);
  if (!x->stamped && e->stamped)
  {
    /* Assigned at the end: it must be the stamp that the record was about to get. */
    p->assigned++;
    for (int k = 0; k < THREADS; k++)
      if (p->threads[k].number == e->thread)
        if (p->threads[k].stage != 2 || !p->threads[k].ticked || p->threads[k].stamp != e->stamp)
          fail_msg("seed %llu: a wrong stamp was assigned", (unsigned long long) p->seed);
  }
  if (e->stamped && e->stamp < p->frontier[e->object])
    fail_msg("seed %llu: an event at %llu came after the frontier %llu of object %u", (unsigned long long) p->seed,
             (unsigned long long) e->stamp, (unsigned long long) p->frontier[e->object], e->object);
  return true;
}

static void
take_frontier(void *context, uint32_t object, uint64_t f)
{
  program *p = context;
  if (f <= p->frontier[object])
    fail_msg("seed %llu: a frontier went back", (unsigned long long) p->seed);
  p->frontier[object] = f;
}

static bool
barrier(void *context)
{
  /* The simulated program has no store buffers. Sometimes there is no barrier. */
  return dice(context, 10) != 0;
}

static bool
sure_barrier(void *context)
{
  (void) context;
  return true;
}

static void
stop(program *p, hd_log *log)
{
  const hd_log_damage *d;
  if (hd_log_damages(log, &d))
    fail_msg("seed %llu: damage at %llu: %s", (unsigned long long) p->seed, (unsigned long long) d->offset, d->what);
  hd_log_free(log);
  munmap(p->map, (size_t) UNITS * HD_LOG_UNIT);
  close(p->fd);
  for (int i = 0; i <= NUMBERS; i++)
    free(p->expected[i]);
}

/* Run a program under the scheduler and let it die somewhere. */
static void
run(program *p, uint64_t seed, bool give_back)
{
  start(p, seed);
  char *error;
  hd_log *log = hd_log_open_fd(dup(p->fd), "live.hlog", &error);
  assert_non_null(log);
  hd_log_sink sink = {.context = p, .event = take_event, .frontier = take_frontier};
  size_t steps = 500 + dice(p, 6000);
  for (size_t i = 0; i < steps; i++)
  {
    step(p, &p->threads[dice(p, THREADS)]);
    if (dice(p, 40) == 0)
      assert_true(hd_log_poll(log, &sink, barrier, p, give_back) >= 0);
  }
  if (dice(p, 2))
  {
    /* Bring every record to its end: then one round knows everything. */
    for (int i = 0; i < THREADS; i++)
      while (p->threads[i].stage)
        step(p, &p->threads[i]);
    assert_true(hd_log_poll(log, &sink, sure_barrier, NULL, give_back) >= 0);
    for (uint32_t o = 1; o <= OBJECTS; o++)
      if (p->slots[o].clock && p->frontier[o] != p->slots[o].clock)
        fail_msg("seed %llu: the frontier of object %u is %llu, its clock %llu", (unsigned long long) seed, o,
                 (unsigned long long) p->frontier[o], (unsigned long long) p->slots[o].clock);
  }
  p->final = true;
  assert_true(hd_log_finish(log, &sink));
  for (int t = 1; t <= NUMBERS; t++)
    if (p->read[t] != p->n[t])
      fail_msg("seed %llu: thread %d: %zu of %zu events arrived", (unsigned long long) seed, t, p->read[t], p->n[t]);
  for (uint32_t o = 1; o <= OBJECTS; o++)
  {
    assert_true(p->frontier[o] == UINT64_MAX);
    assert_int_equal(hd_log_object_get(log, o)->ticks, p->slots[o].clock);
  }
  stop(p, log);
}

static void
random_programs(void **state)
{
  (void) state;
  uint64_t recycled = 0;
  program *p = malloc(sizeof *p);
  for (uint64_t seed = 1; seed <= 400; seed++)
  {
    run(p, seed, true);
    recycled += p->recycled;
  }
  assert_true(recycled > 1000);
  free(p);
}

static void
without_giving_back(void **state)
{
  (void) state;
  program *p = malloc(sizeof *p);
  for (uint64_t seed = 1001; seed <= 1100; seed++)
    run(p, seed, false);
  free(p);
}

/* A program that died is read the same way from its file. */
static void
dead_programs_from_the_file(void **state)
{
  (void) state;
  uint64_t assigned = 0;
  program *p = malloc(sizeof *p);
  for (uint64_t seed = 2001; seed <= 2200; seed++)
  {
    start(p, seed);
    /* In half of the runs one thread stops for good between its tick and its stamp, while the others go on. */
    thread *stuck = NULL;
    size_t steps = dice(p, 3000);
    for (size_t i = 0; i < steps; i++)
    {
      thread *t = &p->threads[dice(p, THREADS)];
      if (t != stuck)
        step(p, t);
      if (!stuck && seed % 2 && i > 200 && t->stage == 2 && t->ticked)
        stuck = t;
    }
    p->final = true;
    char *error;
    hd_log *log = hd_log_open_fd(dup(p->fd), "dead.hlog", &error);
    hd_log_sink sink = {.context = p, .event = take_event, .frontier = take_frontier};
    assert_true(hd_log_read(log, &sink));
    assert_false(hd_log_closed(log));
    assigned += p->assigned;
    for (int t = 1; t <= NUMBERS; t++)
      if (p->read[t] != p->n[t])
        fail_msg("seed %llu: thread %d: %zu of %zu events arrived", (unsigned long long) seed, t, p->read[t], p->n[t]);
    stop(p, log);
  }
  assert_true(assigned > 20);
  free(p);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_programs),
      cmocka_unit_test(without_giving_back),
      cmocka_unit_test(dead_programs_from_the_file),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
