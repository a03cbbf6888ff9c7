/* test_reader.c: logs that are whole, cut, damaged, unfinished or nonsense; and the commands that show them.
 *
 * A reader must never crash and never take a log for whole that is not. */
#define _GNU_SOURCE
#include "cli/cli.h"
#include "log/build.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* What a reading produced. */
typedef struct seen
{
  uint64_t hash;
  size_t events;
  hd_event last[8]; /* by thread */
  size_t of_thread[8];
} seen;

static bool
see_event(void *context, const hd_event *e)
{
  seen *s = context;
  uint64_t fields[]
      = {s->hash, e->kind, e->ticked, e->stamped, e->thread, e->object, e->site, e->line, e->stamp, e->nvalues};
  s->hash = hd_hash_bytes(fields, sizeof fields);
  for (uint32_t i = 0; i < e->nvalues; i++)
    s->hash ^= hd_mix(hd_value_hash(e->values[i]) + i);
  s->events++;
  if (e->thread < 8)
  {
    s->last[e->thread] = *e;
    s->of_thread[e->thread]++;
  }
  return true;
}

static void
see_frontier(void *context, uint32_t object, uint64_t f)
{
  seen *s = context;
  if (f == UINT64_MAX)
    s->hash ^= hd_mix(object);
}

typedef struct outcome
{
  bool opened, whole; /* whole: closed, nothing lost, no damage */
  seen seen;
  char damage[200]; /* the first one */
  uint64_t ticks;   /* of object 1 */
} outcome;

static outcome
read_fd(int fd)
{
  outcome o = {0};
  char *error;
  hd_log *log = hd_log_open_fd(dup(fd), "test.hlog", &error);
  if (!log)
  {
    snprintf(o.damage, sizeof o.damage, "%s", error);
    free(error);
    return o;
  }
  hd_log_sink sink = {.context = &o.seen, .event = see_event, .frontier = see_frontier};
  assert_true(hd_log_read(log, &sink));
  const hd_log_damage *d;
  size_t n = hd_log_damages(log, &d);
  o.opened = true;
  o.whole = n == 0 && hd_log_closed(log) && !hd_log_lost(log) && !hd_log_dropped(log);
  if (n)
    snprintf(o.damage, sizeof o.damage, "%s", d[0].what);
  if (hd_log_objects(log) >= 1)
    o.ticks = hd_log_object_get(log, 1)->ticks;
  hd_log_free(log);
  return o;
}

/* ---- a small log ---- */

typedef struct maker
{
  char path[64];
  hd_log_build *b;
  uint32_t object, call, call_free, commit, give, write;
  uint64_t clock;
  uint32_t line; /* not 0: the next event's own */
} maker;

static maker
make(void)
{
  maker m = {0};
  char *error;
  snprintf(m.path, sizeof m.path, "/tmp/heddle-test-reader-%d.hlog", (int) getpid());
  m.b = hd_log_build_new(m.path, &error);
  assert_non_null(m.b);
  uint8_t string[] = {HD_STR}, number[] = {HD_INT}, var[] = {HD_UINT, HD_INT};
  m.object = hd_log_build_object(m.b, "multiset", "tree", NULL, 0);
  m.call = hd_log_build_site(m.b, HD_K_CALL, "insert", "set.c", "set_insert", 30, string, 1);
  m.call_free = hd_log_build_site(m.b, HD_K_CALL_NOCOMMIT, "remove", "set.c", "set_remove", 40, number, 1);
  m.commit = hd_log_build_site(m.b, HD_K_COMMIT, "", "set.c", "set_insert", 33, NULL, 0);
  m.give = hd_log_build_site(m.b, HD_K_RETURN, "", "set.c", "set_insert", 36, number, 1);
  m.write = hd_log_build_site(m.b, HD_K_WRITE, "", "set.c", "set_insert", 35, var, 2);
  return m;
}

static void
event(maker *m, uint32_t thread, uint8_t kind, uint32_t site, uint32_t nvalues, hd_value a, int how)
{
  hd_value v[2] = {a, hd_int(7)};
  hd_event e = {.thread = thread, .kind = kind, .site = site, .object = m->object, .values = v, .nvalues = nvalues};
  e.stamped = how >= 0;
  e.ticked = how == 1;
  e.stamp = how >= 0 ? m->clock : 0;
  e.line = m->line ? m->line++ : 0;
  m->clock += how == 1;
  hd_log_build_event(m->b, &e);
}

/* One insert: call, commit, return. */
static void
insert(maker *m, uint32_t thread, const char *what)
{
  event(m, thread, HD_K_CALL, m->call, 1, hd_str(what), 0);
  event(m, thread, HD_K_COMMIT, m->commit, 0, hd_nil(), 1);
  event(m, thread, HD_K_RETURN, m->give, 1, hd_int(1), 0);
}

/* Close, and give the file as a descriptor without a name. */
static int
done(maker *m, bool clean)
{
  char *error;
  assert_true(hd_log_build_close(m->b, clean, &error));
  int fd = open(m->path, O_RDWR);
  assert_true(fd >= 0);
  unlink(m->path);
  return fd;
}

/* ---- cut and damaged files ---- */

static void
cut_everywhere(uint32_t line)
{
  maker m = make();
  m.line = line;
  for (int i = 0; i < 5; i++)
    insert(&m, 1, "some text");
  int fd = done(&m, true);
  struct stat st;
  fstat(fd, &st);
  assert_int_equal(st.st_size, 4 * HD_LOG_UNIT);
  /* A copy in memory, which shrinks byte by byte. */
  int copy = memfd_create("cut", 0);
  char *bytes = malloc((size_t) st.st_size);
  assert_int_equal(pread(fd, bytes, (size_t) st.st_size, 0), st.st_size);
  assert_int_equal(write(copy, bytes, (size_t) st.st_size), st.st_size);
  outcome whole = read_fd(copy);
  assert_true(whole.whole);
  assert_int_equal(whole.seen.events, 15);
  for (off_t n = st.st_size - 1; n >= 0; n--)
  {
    assert_int_equal(ftruncate(copy, n), 0);
    outcome o = read_fd(copy);
    if (o.opened && o.whole)
      fail_msg("a log cut at %lld looks whole", (long long) n);
    if (o.seen.events > 15)
      fail_msg("a log cut at %lld has more events than before", (long long) n);
  }
  free(bytes);
  close(copy);
  close(fd);
}

static void
cut_at_every_offset(void **state)
{
  (void) state;
  cut_everywhere(0);
  cut_everywhere(70000);
}

static void
flipped_bits(void **state)
{
  (void) state;
  maker m = make();
  for (int i = 0; i < 40; i++, m.line = i < 20 ? 0 : 70000)
    insert(&m, 1 + i % 3, "some text");
  int fd = done(&m, true);
  struct stat st;
  fstat(fd, &st);
  outcome whole = read_fd(fd);
  assert_true(whole.whole);
  uint64_t seed = 7;
  for (int i = 0; i < 6000; i++)
  {
    uint64_t unit = hd_random(&seed) % (uint64_t) (st.st_size / HD_LOG_UNIT);
    uint64_t at = unit * HD_LOG_UNIT + hd_random(&seed) % (i & 1 ? 256 : 2200);
    uint8_t bit = (uint8_t) (1u << hd_random(&seed) % 8), byte;
    assert_int_equal(pread(fd, &byte, 1, (off_t) at), 1);
    byte ^= bit;
    assert_int_equal(pwrite(fd, &byte, 1, (off_t) at), 1);
    outcome o = read_fd(fd);
    /* A flip may hit what nobody reads (padding, the ring); then nothing must have changed. */
    if (o.opened && o.whole && (o.seen.hash != whole.seen.hash || o.ticks != whole.ticks))
      fail_msg("a flipped bit at %llu (flip %d) was not noticed", (unsigned long long) at, i);
    byte ^= bit;
    assert_int_equal(pwrite(fd, &byte, 1, (off_t) at), 1);
  }
  assert_true(read_fd(fd).whole);
  close(fd);
}

static void
headers_say_what_is_wrong(void **state)
{
  (void) state;
  char *error;
  assert_null(hd_log_open("/nonexistent.hlog", &error));
  assert_non_null(strstr(error, "No such file"));
  free(error);
  assert_null(hd_log_open("/tmp", &error));
  assert_non_null(strstr(error, "not a regular file"));
  free(error);
  maker m = make();
  insert(&m, 1, "x");
  int fd = done(&m, true);
  uint32_t version = 3;
  assert_int_equal(pwrite(fd, &version, 4, offsetof(hd_log_header, version)), 4);
  outcome o = read_fd(fd);
  assert_false(o.opened);
  assert_non_null(strstr(o.damage, "this is a log of version 3; this heddle reads version 1"));
  version = 1;
  assert_int_equal(pwrite(fd, &version, 4, offsetof(hd_log_header, version)), 4);
  assert_int_equal(pwrite(fd, "x", 1, offsetof(hd_log_header, pid)), 1);
  o = read_fd(fd);
  assert_false(o.opened);
  assert_non_null(strstr(o.damage, "checksum"));
  assert_int_equal(pwrite(fd, "#!/bin/sh\n", 10, 0), 10);
  o = read_fd(fd);
  assert_non_null(strstr(o.damage, "not a Heddle log"));
  assert_int_equal(ftruncate(fd, 0), 0);
  o = read_fd(fd);
  assert_non_null(strstr(o.damage, "empty"));
  close(fd);
}

/* ---- unfinished records ---- */

static void
one_torn_commit_gets_its_tick(void **state)
{
  (void) state;
  maker m = make();
  insert(&m, 1, "a");
  event(&m, 2, HD_K_CALL, m.call, 1, hd_str("torn"), 0);
  event(&m, 2, HD_K_COMMIT, m.commit, 0, hd_nil(), -1);
  m.clock++; /* tick 1 was made and its record not finished */
  insert(&m, 1, "b");
  int fd = done(&m, false);
  outcome o = read_fd(fd);
  assert_string_equal(o.damage, "");
  assert_int_equal(o.seen.events, 8);
  assert_int_equal(o.seen.last[2].kind, HD_K_COMMIT);
  assert_true(o.seen.last[2].stamped && o.seen.last[2].ticked);
  assert_int_equal(o.seen.last[2].stamp, 1);
  close(fd);
}

static void
two_torn_commits_stay_open(void **state)
{
  (void) state;
  maker m = make();
  for (uint32_t t = 1; t <= 2; t++)
  {
    event(&m, t, HD_K_CALL, m.call, 1, hd_str("torn"), 0);
    event(&m, t, HD_K_COMMIT, m.commit, 0, hd_nil(), -1);
  }
  hd_log_build_set_clock(m.b, 1, 1);
  int fd = done(&m, false);
  outcome o = read_fd(fd);
  assert_int_equal(o.seen.events, 4);
  assert_false(o.seen.last[1].stamped);
  assert_false(o.seen.last[2].stamped);
  close(fd);
}

static void
torn_returns_and_calls(void **state)
{
  (void) state;
  /* A return that ticked; a return that did not; a call, which never ticks. */
  for (int ticked = 0; ticked < 3; ticked++)
  {
    maker m = make();
    event(&m, 1, HD_K_CALL, m.call, 1, hd_str("x"), 0);
    if (ticked < 2)
      event(&m, 1, HD_K_RETURN, m.give, 1, hd_int(5), -1);
    else
      event(&m, 1, HD_K_CALL, m.call, 1, hd_str("y"), -1);
    hd_log_build_set_clock(m.b, 1, ticked > 0);
    int fd = done(&m, false);
    outcome o = read_fd(fd);
    assert_int_equal(o.seen.events, 2);
    assert_int_equal(o.seen.last[1].stamped, ticked == 1);
    assert_int_equal(o.seen.last[1].ticked, ticked == 1);
    close(fd);
  }
}

/* ---- nonsense ---- */

static void
nonsense_loses_only_its_thread(void **state)
{
  (void) state;
  for (int what = 0; what < 6; what++)
  {
    maker m = make();
    static const char *const expected[] = {"a return without a call", "outside any operation",    "tables do not have",
                                           "does not fit its place",  "more operations are open", "did not tick"};
    insert(&m, 1, "before");
    insert(&m, 2, "before");
    if (what == 0)
      event(&m, 1, HD_K_RETURN, m.give, 1, hd_int(1), 0);
    else if (what == 1)
      event(&m, 1, HD_K_COMMIT, m.commit, 0, hd_nil(), 1);
    else if (what == 2)
      event(&m, 1, HD_K_CALL, 999, 0, hd_nil(), 0);
    else if (what == 3)
      event(&m, 1, HD_K_CALL, m.commit, 0, hd_nil(), 0);
    else if (what == 4)
      for (int i = 0; i <= HD_MAX_DEPTH; i++)
        event(&m, 1, HD_K_CALL, m.call, 1, hd_str("deep"), 0);
    else
    {
      event(&m, 1, HD_K_CALL, m.call, 1, hd_str("x"), 0);
      event(&m, 1, HD_K_COMMIT, m.commit, 0, hd_nil(), 0);
    }
    insert(&m, 1, "after");
    insert(&m, 2, "after");
    int fd = done(&m, true);
    outcome o = read_fd(fd);
    assert_false(o.whole);
    if (!strstr(o.damage, expected[what]))
      fail_msg("case %d: '%s' does not say '%s'", what, o.damage, expected[what]);
    assert_int_equal(o.seen.of_thread[2], 6);
    assert_int_equal(o.seen.of_thread[1], what == 4 ? 3 + HD_MAX_DEPTH : what == 5 ? 4 : 3);
    close(fd);
  }
}

/* A line before a record is the record's; before anything else it is damage, unless the log ends there. */
static void
lines_need_a_record(void **state)
{
  (void) state;
  static const char *const expected[]
      = {"", "", "belongs to no record", "belongs to no record", "makes no sense", "makes no sense"};
  for (int what = 0; what < 6; what++)
  {
    maker m = make();
    insert(&m, 1, "before");
    m.line = 0x7ffffffb;
    insert(&m, 2, "with lines");
    m.line = 0;
    if (what == 1) /* it stands alone at the end */
      event(&m, 1, HD_K_LINE, 0, 0, hd_nil(), 0);
    else if (what == 2)
      hd_log_build_event(m.b, &(hd_event){.thread = 1, .kind = HD_K_LINE, .line = 5, .stamped = true});
    else if (what == 3)
    {
      event(&m, 1, HD_K_LINE, 0, 0, hd_nil(), 0);
      hd_log_build_thread_end(m.b, 1);
    }
    else if (what > 3)
    {
      m.line = what == 4 ? HD_MAX_LINE + 1 : 0;
      event(&m, 1, what == 4 ? HD_K_CALL : HD_K_LINE, m.call, what == 4, hd_str("x"), what == 4 ? 0 : -1);
    }
    int fd = done(&m, true);
    outcome o = read_fd(fd);
    if (!strstr(o.damage, expected[what]) || o.whole != !*expected[what])
      fail_msg("case %d: '%s' does not say '%s'", what, o.damage, expected[what]);
    assert_int_equal(o.seen.of_thread[1], 3);
    assert_int_equal(o.seen.last[1].line, 0);
    assert_int_equal(o.seen.of_thread[2], 3);
    assert_int_equal(o.seen.last[2].line, 0x7ffffffd);
    close(fd);
  }
}

/* The place of a record with a line of its own is in the file of the sites without a line. */
static void
places(void **state)
{
  (void) state;
  maker m = make();
  uint32_t lined = hd_log_build_site(m.b, HD_K_COMMIT, "", "h.txt", "", 0, NULL, 0);
  insert(&m, 1, "x");
  int fd = done(&m, true);
  char *error;
  hd_log *log = hd_log_open_fd(fd, "test.hlog", &error);
  assert_non_null(log);
  hd_log_place p;
  assert_true(hd_log_place_get(log, hd_event_place(&(hd_event){.site = m.commit}), &p));
  assert_string_equal(p.file, "set.c");
  assert_string_equal(p.function, "set_insert");
  assert_int_equal(p.line, 33);
  assert_true(hd_log_place_get(log, hd_event_place(&(hd_event){.site = lined, .line = HD_MAX_LINE}), &p));
  assert_string_equal(p.file, "h.txt");
  assert_string_equal(p.function, "");
  assert_int_equal(p.line, HD_MAX_LINE);
  assert_false(hd_log_place_get(log, hd_event_place(&(hd_event){.site = lined}), &p));
  assert_false(hd_log_place_get(log, 0, &p));
  assert_false(hd_log_place_get(log, 999, &p));
  hd_log_free(log);
}

static void
stamps_that_go_back_are_damage(void **state)
{
  (void) state;
  maker m = make();
  hd_log_build_set_limit(m.b, 300);
  for (int i = 0; i < 20; i++)
    insert(&m, 1, "x");
  hd_log_build_thread_end(m.b, 1);
  m.clock = 0; /* long past: thread 1 has gone through many chunks */
  for (int i = 0; i < 20; i++)
    insert(&m, 2, "x");
  int fd = done(&m, true);
  outcome o = read_fd(fd);
  assert_non_null(strstr(o.damage, "below what the rest of the log proves"));
  close(fd);
}

/* ---- the commands ---- */

/* Run heddle log with ARGS, what it prints goes to OUT. */
static int
command(char *out, size_t size, const char *const *args)
{
  char *argv[12] = {"log"};
  int argc = 1;
  for (; args[argc - 1]; argc++)
    argv[argc] = (char *) args[argc - 1];
  fflush(stdout);
  int keep = dup(1), to = memfd_create("out", 0);
  dup2(to, 1);
  int status = hd_cmd_log(argc, argv);
  fflush(stdout);
  dup2(keep, 1);
  ssize_t n = pread(to, out, size - 1, 0);
  out[n > 0 ? n : 0] = 0;
  close(keep);
  close(to);
  return status;
}
#define COMMAND(...) command(out, sizeof out, (const char *const[]){__VA_ARGS__, NULL})

static void
print_stats_cut(void **state)
{
  (void) state;
  char out[8192], cut[80], *error;
  maker m = make();
  uint32_t other = hd_log_build_object(m.b, "lock", "", NULL, 0);
  hd_log_build_set_thread_name(m.b, 1, "main");
  for (int i = 0; i < 3; i++)
    insert(&m, 1 + i % 2, "five");
  event(&m, 2, HD_K_CALL, m.call, 1, hd_str("open"), 0);
  hd_event e = {.thread = 1, .kind = HD_K_OBJECT_END, .object = other, .stamped = true, .ticked = true};
  hd_log_build_event(m.b, &e);
  assert_true(hd_log_build_close(m.b, true, &error));
  snprintf(cut, sizeof cut, "%s.cut", m.path);

  assert_int_equal(COMMAND("print", m.path), 0);
  assert_non_null(strstr(out, "look        0  T1 main   tree#1          call            insert(\"five\")"));
  assert_non_null(strstr(out, "tick        1  T2        tree#1          commit          insert"));
  assert_non_null(strstr(out, "insert -> 1"));
  assert_non_null(strstr(out, "set.c:33"));
  assert_int_equal(COMMAND("print", m.path, "--object", "lock"), 0);
  assert_string_equal(out, "tick        0  T1 main   lock#2          object-end      \n");
  assert_int_equal(COMMAND("print", m.path, "--json", "--object", "tree", "--from", "3"), 0);
  assert_string_equal(out,
                      "{\"object\":1,\"thread\":1,\"kind\":\"return\",\"look\":3,\"method\":\"insert\",\"values\":[1],"
                      "\"file\":\"set.c\",\"line\":36,\"function\":\"set_insert\"}\n"
                      "{\"object\":1,\"thread\":2,\"kind\":\"call\",\"look\":3,\"method\":\"insert\","
                      "\"values\":[\"open\"],\"file\":\"set.c\",\"line\":30,\"function\":\"set_insert\"}\n");
  assert_int_equal(COMMAND("stats", m.path), 0);
  assert_non_null(strstr(out, "events     11\n"));
  assert_non_null(strstr(out, "     1  multiset         tree                        4            3            0\n"));
  assert_int_equal(COMMAND("stats", m.path, "--json"), 0);
  assert_non_null(strstr(out, "\"kinds\":{\"call\":4,\"return\":3,\"commit\":3,\"object-end\":1},\"damage\":[]}"));

  assert_int_equal(COMMAND("cut", m.path, "-o", cut), 2); /* which object? */
  assert_int_equal(COMMAND("cut", m.path, "--object", "tree", "--to", "2", "-o", cut), 0);
  assert_int_equal(COMMAND("stats", cut, "--json"), 0);
  assert_non_null(strstr(out, "\"operations\":2,\"ticks\":2,"));
  assert_non_null(strstr(out, "\"kinds\":{\"call\":2,\"return\":1,\"commit\":2}"));
  assert_int_equal(COMMAND("print", m.path, "--object", "nobody"), 2);
  assert_int_equal(COMMAND("show", m.path), 2);
  assert_int_equal(truncate(cut, 3 * HD_LOG_UNIT + 200), 0);
  assert_int_equal(COMMAND("print", cut), 3);
  unlink(cut);
  unlink(m.path);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cut_at_every_offset),
      cmocka_unit_test(flipped_bits),
      cmocka_unit_test(headers_say_what_is_wrong),
      cmocka_unit_test(one_torn_commit_gets_its_tick),
      cmocka_unit_test(two_torn_commits_stay_open),
      cmocka_unit_test(torn_returns_and_calls),
      cmocka_unit_test(nonsense_loses_only_its_thread),
      cmocka_unit_test(lines_need_a_record),
      cmocka_unit_test(places),
      cmocka_unit_test(stamps_that_go_back_are_damage),
      cmocka_unit_test(print_stats_cut),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
