/* test_trace.c: the forms of traces: what is written is read again, streams are merged, cut files give a prefix, and
 * what is malformed is rejected with its place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "trace/encode.h"
#include "trace/trace.h"

enum
{
  EVENTS = 400
};

/* ---- events ---- */

static hd_trace_event
random_event(uint64_t *seed)
{
  hd_trace_event e = {.kind = (uint8_t) (1 + hd_random(seed) % (HD_TRACE_KINDS - 1)),
                      .thread = (uint32_t) (hd_random(seed) % 4),
                      .location = (uint32_t) (hd_random(seed) % 5)};
  const hd_trace_kind_info *kind = hd_trace_kind_get(e.kind);
  if (kind->class != HD_TRACE_NOTHING)
    e.target = hd_random(seed) % 6;
  if (kind->class == HD_TRACE_VARIABLE && (hd_random(seed) % 2 || e.kind >= HD_TRACE_ALLOC))
  {
    e.target = hd_random(seed) >> (hd_random(seed) % 60 + 2);
    e.size = 1 + (uint32_t) (hd_random(seed) % 64);
  }
  if (e.kind == HD_TRACE_ARRIVE)
    e.size = (uint32_t) (hd_random(seed) % 3);
  if (kind->ordered)
    e.order = (uint8_t) (hd_random(seed) % HD_TRACE_ORDERS);
  if (e.kind == HD_TRACE_ACQUIRE || e.kind == HD_TRACE_ACQUIRE_SHARED)
    e.flags = hd_random(seed) % 4 == 0 ? HD_TRACE_TRIED : 0;
  return e;
}

static bool
same_event(const hd_trace_event *a, const hd_trace_event *b)
{
  return a->target == b->target && a->thread == b->thread && a->location == b->location && a->stack == b->stack
         && a->size == b->size && a->kind == b->kind && a->order == b->order && a->flags == b->flags;
}

static hd_trace_names *
some_names(void)
{
  hd_trace_names *n = hd_trace_names_new();
  static const char *const texts[] = {"alpha", "beta", "alpha", "a|b", "c(d)", ""};
  for (int class = HD_TRACE_VARIABLE; class <= HD_TRACE_OBJECT; class ++)
    for (uint64_t i = 0; i < 6; i++)
      hd_trace_names_set(n, (hd_trace_class) class, i, texts[i], strlen(texts[i]));
  hd_trace_names_set_location(n, 1, (hd_trace_location){.file = "bank.c", .line = 12, .function = "deposit"});
  hd_trace_names_set_location(n, 2, (hd_trace_location){.file = "bank.c", .line = 30});
  hd_trace_names_set_location(n, 3, (hd_trace_location){.text = "17"});
  hd_trace_names_set_stack(n, 9, (uint32_t[]){1, 2}, 2);
  return n;
}

typedef struct text
{
  char *p;
  size_t n;
} text;

static text
write_all(const hd_trace_event *events, size_t n, hd_trace_form form, const hd_trace_names *names)
{
  text t;
  FILE *f = open_memstream(&t.p, &t.n);
  hd_trace_writer *w = hd_trace_writer_new(f, form, names);
  for (size_t i = 0; i < n; i++)
    hd_trace_writer_event(w, &events[i]);
  assert_true(hd_trace_writer_finish(w));
  fclose(f);
  return t;
}

/* ---- there and back ---- */

static void
test_binary(void **state)
{
  (void) state;
  for (uint64_t seed = 1; seed <= 50; seed++)
  {
    uint64_t s = seed;
    hd_trace_event events[EVENTS], got[7];
    hd_trace_names *names = some_names();
    for (int i = 0; i < EVENTS; i++)
    {
      events[i] = random_event(&s);
      events[i].stack = hd_random(&s) % 5 == 0 ? 9 : 0;
    }
    text t = write_all(events, EVENTS, HD_TRACE_BINARY, names);
    char *error = NULL;
    hd_trace *trace = hd_trace_open_memory(t.p, t.n, "x", HD_TRACE_AUTO, &error);
    assert_non_null(trace);
    for (int round = 0; round < 2; round++, hd_trace_rewind(trace))
    {
      size_t at = 0;
      for (size_t n; (n = hd_trace_read(trace, got, 7)) > 0;)
        for (size_t i = 0; i < n; i++, at++)
        {
          assert_true(same_event(&got[i], &events[at]));
          assert_int_equal(got[i].number, at + 1);
        }
      assert_int_equal(at, EVENTS);
      assert_null(hd_trace_error(trace));
      assert_null(hd_trace_cut(trace));
    }
    size_t count;
    assert_string_equal(hd_trace_names_get(hd_trace_names_of(trace), HD_TRACE_LOCK, 1), "beta");
    assert_string_equal(hd_trace_names_location(hd_trace_names_of(trace), 1).function, "deposit");
    assert_int_equal(hd_trace_names_stack(hd_trace_names_of(trace), 9, &count)[1], 2);
    assert_int_equal(count, 2);
    hd_trace_free(trace);
    hd_trace_names_free(names);
    free(t.p);
  }
}

/* STD has its own numbers: the text of the second round is that of the first. */
static void
test_std(void **state)
{
  (void) state;
  uint64_t s = 5;
  hd_trace_event events[EVENTS], again[EVENTS];
  hd_trace_names *names = some_names();
  for (int i = 0; i < EVENTS; i++)
    events[i] = random_event(&s);
  text first = write_all(events, EVENTS, HD_TRACE_STD, names);
  char *error = NULL;
  hd_trace *trace = hd_trace_open_memory(first.p, first.n, "x", HD_TRACE_AUTO, &error);
  assert_non_null(trace);
  size_t n = 0;
  for (size_t got; (got = hd_trace_read(trace, again + n, EVENTS - n)) > 0;)
    n += got;
  if (hd_trace_error(trace))
    fail_msg("%s", hd_trace_error(trace));
  assert_int_equal(n, EVENTS);
  text second = write_all(again, n, HD_TRACE_STD, hd_trace_names_of(trace));
  assert_string_equal(first.p, second.p);
  hd_trace_free(trace);
  hd_trace_names_free(names);
  free(first.p);
  free(second.p);
}

/* ---- streams ---- */

static void
add_block(hd_string *file, hd_trace_encoder *c)
{
  hd_trace_block_header h;
  if (c->count == 0)
    return;
  hd_trace_encode_block(c, &h);
  hd_string_add_n(file, (const char *) &h, sizeof h);
  hd_string_add_n(file, (const char *) c->payload, h.length);
  hd_string_add_n(file, "\0\0\0\0\0\0\0", -h.length & 7);
}

static void
add_end(hd_string *file, uint64_t count)
{
  hd_trace_block_header h = {.kind = HD_TRACE_BLOCK_END, .count = count};
  hd_trace_seal_block(&h, "");
  hd_string_add_n(file, (const char *) &h, sizeof h);
}

static void
start_file(hd_string *file)
{
  hd_trace_file_header h;
  hd_trace_seal_file(&h, 1, 2);
  hd_string_add_n(file, (const char *) &h, sizeof h);
}

/* Three threads write their own streams, in blocks at random; BLOCKS gets the offsets of these. */
static void
make_streams(hd_string *file, hd_trace_event *events, uint64_t seed, size_t *blocks, size_t *nblocks)
{
  static hd_trace_encoder streams[3];
  memset(streams, 0, sizeof streams);
  start_file(file);
  uint64_t order = 0;
  *nblocks = 0;
  for (uint32_t i = 0; i < 3; i++)
    streams[i].stream = i * 7;
  bool begun[3] = {false};
  uint32_t last = 3;
  for (int i = 0; i < EVENTS; i++)
  {
    uint32_t thread = (uint32_t) (hd_random(&seed) % 3);
    events[i] = random_event(&seed);
    events[i].thread = thread;
    /* Without a number an event stands right after the one before it in its stream. */
    bool ordered = !begun[thread] || thread != last || hd_random(&seed) % 2;
    begun[thread] = true;
    last = thread;
    assert_true(hd_trace_encode(&streams[thread], &events[i], ordered ? ++order : 0));
    if (hd_random(&seed) % 8 == 0)
    {
      blocks[(*nblocks)++] = file->length;
      add_block(file, &streams[thread]);
    }
  }
  for (int i = 0; i < 3; i++)
    if (streams[i].count > 0)
    {
      blocks[(*nblocks)++] = file->length;
      add_block(file, &streams[i]);
    }
  blocks[*nblocks] = file->length;
  add_end(file, EVENTS);
}

/* How many events can be read. They must be those of EVENTS but for what follows a gap in a thread: where a block is
 * missing, its thread ends. */
static size_t
read_prefix(const char *p, size_t n, const hd_trace_event *events, bool *cut, bool *bad)
{
  char *error = NULL;
  hd_trace_event got[16];
  hd_trace *t = hd_trace_open_memory(p, n, "x", HD_TRACE_BINARY, &error);
  *cut = false;
  *bad = !t;
  if (!t)
  {
    assert_non_null(strstr(error, "x: byte "));
    free(error);
    return 0;
  }
  size_t at = 0, count = 0;
  bool ended[4] = {false};
  for (size_t m; (m = hd_trace_read(t, got, 16)) > 0;)
    for (size_t i = 0; i < m; i++, at++, count++)
    {
      for (; at < EVENTS && (ended[events[at].thread] || !same_event(&got[i], &events[at])); at++)
        ended[events[at].thread] = true;
      if (at == EVENTS)
        fail_msg("event %zu is not that of the trace", count + 1);
    }
  *cut = hd_trace_cut(t) != NULL;
  *bad = hd_trace_error(t) != NULL;
  if (hd_trace_error(t))
    assert_non_null(strstr(hd_trace_error(t), "x: byte "));
  hd_trace_free(t);
  return count;
}

static void
test_streams(void **state)
{
  (void) state;
  for (uint64_t seed = 1; seed <= 30; seed++)
  {
    hd_string file = {0};
    hd_trace_event events[EVENTS];
    size_t blocks[EVENTS + 8], nblocks;
    bool cut, bad;
    make_streams(&file, events, seed, blocks, &nblocks);
    assert_int_equal(read_prefix(file.text, file.length, events, &cut, &bad), EVENTS);
    assert_false(cut || bad);
    /* Blocks that were reserved and never written. */
    for (size_t b = 0; b < nblocks; b += 1 + seed % 3)
    {
      char *copy = hd_strndup(file.text, file.length);
      memset(copy + blocks[b], 0, blocks[b + 1] - blocks[b]);
      assert_true(read_prefix(copy, file.length, events, &cut, &bad) < EVENTS);
      assert_true(cut && !bad);
      free(copy);
    }
    hd_string_free(&file);
  }
}

/* A killed writer: whatever is there of the file is a prefix of the trace. */
static void
test_cut(void **state)
{
  (void) state;
  hd_string file = {0};
  hd_trace_event events[EVENTS];
  size_t blocks[EVENTS + 8], nblocks, before = 0;
  bool cut, bad;
  make_streams(&file, events, 99, blocks, &nblocks);
  for (size_t n = 0; n < file.length; n++)
  {
    size_t got = read_prefix(file.text, n, events, &cut, &bad);
    assert_true(n < sizeof(hd_trace_file_header) ? bad : cut && !bad);
    assert_true(got >= before);
    before = got;
  }
  assert_int_equal(before, EVENTS);
  hd_string_free(&file);
}

/* A byte that is wrong anywhere never makes other events. */
/* Blocks that a program made, in two streams; CUT: it was killed; LOSS: what it knows to be missing. */
static text
write_pieces(bool cut, const char *loss)
{
  text t;
  FILE *f = open_memstream(&t.p, &t.n);
  hd_trace_names *names = some_names();
  hd_trace_writer *w = hd_trace_writer_new(f, HD_TRACE_BINARY, names);
  hd_trace_encoder *c = hd_alloc_zero(2 * sizeof *c);
  for (uint32_t i = 0; i < 2; i++)
  {
    c[i].stream = i;
    for (uint64_t k = 0; k < 3; k++)
      assert_true(
          hd_trace_encode(&c[i], &(hd_trace_event){.kind = HD_TRACE_WRITE, .thread = i, .target = k}, 1 + i + 2 * k));
    hd_trace_writer_piece(
        w, &(hd_trace_piece){
               .stream = i, .thread = i, .count = c[i].count, .payload = c[i].payload, .length = c[i].length});
  }
  if (loss)
    hd_trace_writer_loss(w, loss);
  if (!cut)
    hd_trace_writer_whole(w, 6);
  assert_int_equal(hd_trace_writer_error(w), 0);
  assert_true(hd_trace_writer_finish(w));
  fclose(f);
  free(c);
  hd_trace_names_free(names);
  return t;
}

static void
test_pieces(void **state)
{
  (void) state;
  static const struct
  {
    bool cut;
    const char *loss, *said;
  } table[] = {{false, NULL, NULL},
               {true, NULL, "the end is missing"},
               {false, "the program forked", "x: the program forked"},
               {true, "it was killed", "x: it was killed"}};
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
  {
    char *error = NULL;
    hd_trace_event events[8];
    text t = write_pieces(table[i].cut, table[i].loss);
    hd_trace *trace = hd_trace_open_memory(t.p, t.n, "x", HD_TRACE_AUTO, &error);
    assert_non_null(trace);
    for (int again = 0; again < 2; again++)
    {
      assert_int_equal(hd_trace_read(trace, events, 8), 6);
      assert_int_equal(hd_trace_read(trace, events + 6, 1), 0);
      for (uint32_t k = 0; k < 6; k++)
        assert_true(events[k].thread == k % 2 && events[k].target == k / 2);
      assert_null(hd_trace_error(trace));
      if (table[i].said)
        assert_non_null(strstr(hd_trace_cut(trace), table[i].said));
      else
        assert_null(hd_trace_cut(trace));
      hd_trace_rewind(trace);
    }
    hd_trace_free(trace);
    free(t.p);
  }
}

static void
test_damage(void **state)
{
  (void) state;
  hd_string file = {0};
  hd_trace_event events[EVENTS];
  size_t blocks[EVENTS + 8], nblocks;
  make_streams(&file, events, 7, blocks, &nblocks);
  uint64_t seed = 3;
  for (size_t i = 0; i < file.length; i++)
  {
    bool cut, bad;
    char old = file.text[i];
    file.text[i] = (char) (old ^ (1 << hd_random(&seed) % 8));
    size_t got = read_prefix(file.text, file.length, events, &cut, &bad);
    /* Padding alone is not covered. */
    assert_true(cut || bad || (got == EVENTS && old == 0));
    file.text[i] = old;
  }
  hd_string_free(&file);
}

/* ---- what is wrong ---- */

static const struct
{
  const char *text, *error;
} wrong_lines[] = {
    {"hello\n", "x.std:1:1: error: a line is thread|operation|location, not 'hello'"},
    {"T|w(x)|1\n\n# a remark\nT|w(x)\n",
     "x.std:4:7: error: the location is missing: a line is thread|operation|location"},
    {"|w(x)|1\n", "x.std:1:1: error: the name of a thread should stand here: a line is thread|operation|location"},
    {"T|jump(x)|1\n",
     "x.std:1:3: error: 'jump' is no operation: r, w, acq, rel, fork, join, begin or end, or see the manual"},
    {"T|w|1\n", "x.std:1:4: error: 'w' takes something in brackets: r(x)"},
    {"T|w(x|1\n", "x.std:1:4: error: 'w' takes something in brackets: r(x)"},
    {"T|w()|1\n", "x.std:1:5: error: a name should stand here"},
    {"T|begin(x)|1\n", "x.std:1:8: error: 'begin' takes nothing in brackets"},
    {"T|w(x)|1|2\n", "x.std:1:9: error: the line should end here: a line is thread|operation|location"},
    {"T|aload(x)|1\n", "x.std:1:9: error: 'x' should be a variable, a comma and a memory order"},
    {"T|aload(x,strong)|1\n",
     "x.std:1:11: error: 'strong' is no memory order: relaxed, consume, acquire, release, acq_rel or seq_cst"},
    {"T|fence(tall)|1\n",
     "x.std:1:9: error: 'tall' is no memory order: relaxed, consume, acquire, release, acq_rel or seq_cst"},
    {"T|free(x)|1\n", "x.std:1:8: error: 'x' should be memory: 0xADDRESS:SIZE"},
};

static void
test_wrong_lines(void **state)
{
  (void) state;
  for (size_t i = 0; i < sizeof wrong_lines / sizeof *wrong_lines; i++)
  {
    char *error = NULL;
    hd_trace_event e[4];
    hd_trace *t
        = hd_trace_open_memory(wrong_lines[i].text, strlen(wrong_lines[i].text), "x.std", HD_TRACE_AUTO, &error);
    assert_non_null(t);
    while (hd_trace_read(t, e, 4) > 0)
      ;
    assert_string_equal(hd_trace_error(t), wrong_lines[i].error);
    hd_trace_free(t);
  }
}

/* Blocks with a right checksum and wrong contents. */
static void
test_wrong_blocks(void **state)
{
  (void) state;
  static const struct
  {
    const char *bytes;
    size_t n;
    uint64_t count;
    const char *error;
  } cases[] = {
      {"\x00", 1, 1, "there is no such kind of event"},
      {"\x1e", 1, 1, "there is no such kind of event"},
      {"\x01\x02", 2, 1, "the block ends inside an event"},
      {"\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f\x00", 12, 1, "the block ends inside an event"},
      {"\x01\x02\x00\x01", 4, 1, "the block has more bytes than events"},
      {"\x89\x80", 2, 1, "the event has unknown flags"},
      {"\x89\x01", 2, 1, "only a lock can be tried"},
      {"\x1f\x80\x80\x08\x09", 5, 1, "the number of a thread is too large"},
      {"\x0e\x09", 2, 1, "there is no such memory order"},
      {"\x17\x02\x00", 3, 1, "a block of memory has no size"},
      {"\x07\x80\x80\x20", 4, 1, "the number of a thread is too large"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
  {
    hd_string file = {0}, want = {0};
    hd_trace_block_header h = {.kind = HD_TRACE_BLOCK_EVENTS, .length = (uint32_t) cases[i].n, .count = cases[i].count};
    start_file(&file);
    hd_trace_seal_block(&h, cases[i].bytes);
    hd_string_add_n(&file, (const char *) &h, sizeof h);
    hd_string_add_n(&file, cases[i].bytes, cases[i].n);
    hd_string_add_n(&file, "\0\0\0\0\0\0\0", -cases[i].n & 7);
    add_end(&file, cases[i].count);
    char *error = NULL;
    hd_trace_event e[4];
    hd_trace *t = hd_trace_open_memory(file.text, file.length, "x", HD_TRACE_AUTO, &error);
    assert_non_null(t);
    while (hd_trace_read(t, e, 4) > 0)
      ;
    hd_string_printf(&want, ": error: %s", cases[i].error);
    if (!hd_trace_error(t) || !strstr(hd_trace_error(t), want.text))
      fail_msg("case %zu: %s", i, hd_trace_error(t) ? hd_trace_error(t) : "no error");
    hd_trace_free(t);
    hd_string_free(&file);
    hd_string_free(&want);
  }
}

/* ---- order ---- */

static void
test_check(void **state)
{
  (void) state;
  static const char lines[] = "A|acq(m)|1\nA|acq(m)|1\nA|begin|1\nA|begin|1\nA|end|1\nA|rel(m)|1\nA|rel(m)|1\nA|end|1\n"
                              "A|racq(m)|1\nB|racq(m)|1\nB|racq(m)|1\nB|rrel(m)|1\nB|rrel(m)|1\nB|acq(m)|1\n";
  static const char want[] = "TLTLLLTTTTLLTI";
  char *error = NULL;
  hd_trace *t = hd_trace_open_memory(lines, strlen(lines), "x", HD_TRACE_AUTO, &error);
  hd_trace_check *c = hd_trace_check_new();
  hd_trace_event e;
  hd_string got = {0}, why = {0};
  while (hd_trace_read(t, &e, 1) > 0)
    hd_string_add_n(&got, &"TLI"[hd_trace_check_event(c, hd_trace_names_of(t), &e, &why)], 1);
  assert_string_equal(got.text, want);
  assert_string_equal(why.text, "B acquires m, but it is held for reading");
  hd_string_free(&got);
  hd_string_free(&why);
  hd_trace_check_free(c);
  hd_trace_free(t);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pieces),      cmocka_unit_test(test_binary),       cmocka_unit_test(test_std),
      cmocka_unit_test(test_streams),     cmocka_unit_test(test_cut),          cmocka_unit_test(test_damage),
      cmocka_unit_test(test_wrong_lines), cmocka_unit_test(test_wrong_blocks), cmocka_unit_test(test_check),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
