/* test_history_convert.c: histories in other forms and as logs: nothing is lost. */
#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "histories/steps.h"
#include "history/history.h"
#include "specs/specs.h"

/* ---- random histories ---- */

typedef struct open_op
{
  bool open, windowed, committed, ended;
  uint64_t number;
  uint32_t method;
  hd_value args[4];
} open_op;

static hd_value
random_value(uint64_t *seed, char letter)
{
  static const char *const strings[]
      = {"",     "word",  "two words", "nil",   "true", "-1",      "\"quoted\" \\ back", "line\nend\ttab", "é😀",
         ":key", "[1 2]", "{",         "a;b,c", "#tag", "\x01\x7f"};
  uint64_t r = hd_random(seed);
  if (letter == 'i')
    return hd_int((int64_t) (r % 20) - 10);
  if (letter == 'b')
    return hd_bool(r & 1);
  switch (r % 8)
  {
  case 0:
    return hd_nil();
  case 1:
    return hd_bool(r >> 8 & 1);
  case 2:
    return hd_int((int64_t) hd_random(seed));
  case 3:
    return hd_uint(hd_random(seed) | 1ull << 63);
  case 4:
  case 5:
    return hd_str(strings[(r >> 8) % (sizeof strings / sizeof *strings)]);
  default:
    return hd_int((int64_t) (r >> 8) % 10);
  }
}

/* Write a random history of SPEC as JSON lines to OUT. */
static void
random_history(FILE *out, const hd_spec *spec, uint64_t *seed, bool keys)
{
  enum
  {
    PROCESSES = 5,
    STEPS = 60
  };
  open_op ops[PROCESSES] = {0};
  uint64_t calls = 0;
  char *error = NULL;
  hd_value initial = hd_int(4);
  bool starts = hd_random(seed) & 1 && strcmp(spec->name, "register") == 0;
  hd_history_printer *p = hd_history_printer_new(out, HD_HISTORY_JSONL, spec, starts ? &initial : NULL, &error);
  for (int i = 0; i < STEPS; i++)
  {
    uint32_t who = (uint32_t) (hd_random(seed) % PROCESSES);
    open_op *o = &ops[who];
    if (o->ended)
      continue;
    bool call = !o->open;
    if (call)
    {
      *o = (open_op){.open = true, .number = calls++, .method = (uint32_t) (hd_random(seed) % spec->nmethods)};
      for (size_t k = 0; spec->methods[o->method].args[k]; k++)
        o->args[k] = random_value(seed, spec->methods[o->method].args[k]);
    }
    const hd_method *m = &spec->methods[o->method];
    hd_history_rule rule = hd_history_rule_get(spec, o->method);
    hd_history_op op = {.step = HD_HISTORY_STEP_CALL,
                        .process = who,
                        .method = o->method,
                        .number = o->number,
                        .rule = rule,
                        .nargs = (uint32_t) strlen(m->args),
                        .args = o->args,
                        .ret = hd_nil()};
    op.has_object = keys && rule.args[0] != 'k';
    op.object = hd_int((int64_t) o->number % 3);
    uint64_t r = hd_random(seed) % 16;
    if (!call && r < 2 && !o->committed && !o->windowed)
    {
      op.step = HD_HISTORY_STEP_WINDOW;
      o->windowed = true;
    }
    else if (!call && r < 5 && !o->committed)
    {
      op.step = HD_HISTORY_STEP_COMMIT;
      o->committed = true;
    }
    else if (!call)
    {
      op.step = r == 15                    ? HD_HISTORY_STEP_NEVER
                : r == 14 && !o->committed ? HD_HISTORY_STEP_FAILED
                                           : HD_HISTORY_STEP_RETURN;
      o->open = false;
      o->ended = op.step == HD_HISTORY_STEP_NEVER;
      if (op.step == HD_HISTORY_STEP_RETURN)
      {
        op.has_ret = strchr("vbc", rule.ret) || (strchr("og", rule.ret) && (r & 1));
        if (op.has_ret)
          op.ret = random_value(seed, rule.ret == 'v' ? m->ret : rule.ret == 'g' ? 'i' : 'b');
        if (rule.ret == 'g' && op.has_ret)
          op.ret = hd_int(op.ret.i + 1000); /* what repeats the argument would be no result */
      }
    }
    assert_true(hd_history_printer_add(p, &op, &error));
  }
  hd_history_printer_free(p);
}

static char *
steps_of(int fd, const hd_spec *spec, const history_dump *how)
{
  char *error;
  history_dump d = *how;
  hd_history *h = hd_history_new_fd(dup(fd), "h", HD_HISTORY_AUTO, &error);
  if (!h)
    fail_msg("%s", error);
  hd_value initial;
  if (hd_history_initial(h, &initial) && initial.type != HD_NIL)
    history_add_value(&d.text, initial);
  hd_string_add(&d.text, "\n");
  if (!hd_history_read(h, spec, history_dump_step, &d, &error))
    fail_msg("%s", error);
  hd_history_free(h);
  return d.text.text;
}

static int
converted(int fd, const hd_spec *spec, hd_history_form form)
{
  char *error;
  hd_history *h = hd_history_new_fd(dup(fd), "h", HD_HISTORY_AUTO, &error);
  int to = memfd_create("to", MFD_CLOEXEC);
  FILE *out = fdopen(dup(to), "w");
  if (!h || !hd_history_print(h, spec, form, NULL, out, &error))
    fail_msg("%s", error);
  assert_int_equal(fclose(out), 0);
  hd_history_free(h);
  return to;
}

static bool
note_failed(void *context, const hd_history_op *op)
{
  char *failed = context;
  if (op->step == HD_HISTORY_STEP_FAILED)
    failed[op->number] = 1;
  return true;
}

static void
round_trips(void **state)
{
  (void) state;
  const char *text = getenv("HEDDLE_CASES");
  int cases = text && atoi(text) < 100000 ? 300 : 3000;
  for (int i = 0; i < cases; i++)
  {
    uint64_t seed = (uint64_t) i;
    const hd_spec *spec = hd_specs_get((size_t) i % 9);
    bool keys = i % 4 == 3;
    int start = memfd_create("start", MFD_CLOEXEC);
    FILE *out = fdopen(dup(start), "w");
    random_history(out, spec, &seed, keys);
    assert_int_equal(fclose(out), 0);
    char failed[64] = {0}, *error;
    hd_history *h = hd_history_new_fd(dup(start), "h", HD_HISTORY_AUTO, &error);
    if (!h || !hd_history_read(h, spec, note_failed, failed, &error))
      fail_msg("seed %d: %s", i, error);
    hd_history_free(h);
    history_dump all = {0}, some = {.failed = failed, .nfailed = 64, .skip_never = true}, never = {.skip_never = true};
    char *want = steps_of(start, spec, &all), *fewer = steps_of(start, spec, &some);
    int as_edn = converted(start, spec, HD_HISTORY_EDN), as_json = converted(as_edn, spec, HD_HISTORY_JSONL);
    char *got_edn = steps_of(as_edn, spec, &all), *got_json = steps_of(as_json, spec, &all);
    if (strcmp(want, got_edn) != 0 || strcmp(want, got_json) != 0)
      fail_msg("seed %d: wanted\n%s\ngot by EDN\n%s\nand by JSON\n%s", i, want, got_edn, got_json);
    if (!keys || spec == hd_specs_find("map"))
    {
      int as_words = converted(as_json, spec, HD_HISTORY_SYNTHETIC);
      int back = converted(as_words, spec, HD_HISTORY_JSONL);
      char *got_words = steps_of(as_words, spec, &never), *got_back = steps_of(back, spec, &never);
      if (strcmp(fewer, got_words) != 0 || strcmp(fewer, got_back) != 0)
        fail_msg("seed %d: wanted\n%s\ngot by words\n%s\nand back\n%s", i, fewer, got_words, got_back);
      free(got_words);
      free(got_back);
      close(as_words);
      close(back);
    }
    free(want);
    free(fewer);
    free(got_edn);
    free(got_json);
    close(start);
    close(as_edn);
    close(as_json);
  }
}

/* ---- logs ---- */

typedef struct log_dump
{
  hd_string text;
  const hd_log *log;
} log_dump;

static bool
dump_event(void *context, const hd_event *e)
{
  static const char *const names[HD_K_COUNT]
      = {[HD_K_CALL] = "call",     [HD_K_CALL_NOCOMMIT] = "nocommit", [HD_K_RETURN] = "return",
         [HD_K_WINDOW] = "window", [HD_K_COMMIT] = "commit",          [HD_K_ABANDON] = "abandon"};
  log_dump *d = context;
  const hd_log_site *site = hd_log_site_get(d->log, e->site);
  hd_log_place place;
  hd_string_printf(&d->text, "%s T%" PRIu32, names[e->kind], e->thread);
  if (e->stamped)
    hd_string_printf(&d->text, "%s%" PRIu64, e->ticked ? " tick " : " look ", e->stamp);
  if (hd_log_place_get(d->log, hd_event_place(e), &place))
    hd_string_printf(&d->text, " %s:%" PRIu32, place.file, place.line);
  if (site)
    hd_string_printf(&d->text, "%s%s", *site->method ? " " : "", site->method);
  for (uint32_t i = 0; i < e->nvalues; i++)
    history_add_value(&d->text, e->values[i]);
  hd_string_add(&d->text, "\n");
  return true;
}

static void
no_frontier(void *context, uint32_t object, uint64_t f)
{
  (void) context, (void) object, (void) f;
}

/* The log of TEXT, as a file and a log. */
static hd_log *
log_of(const char *text, const hd_spec *spec, const hd_history_options *options, char **error)
{
  char path[] = "h-XXXXXX";
  int fd = mkstemp(path);
  assert_int_equal(write(fd, text, strlen(text)), strlen(text));
  close(fd);
  hd_log *log = hd_history_open(path, HD_HISTORY_AUTO, spec, options, error);
  unlink(path);
  return log;
}

static void
expect_log(const char *spec, const char *text, bool ignore_commits, const char *events)
{
  char *error;
  hd_history_options options = {.ignore_commits = ignore_commits};
  hd_log *log = log_of(text, hd_specs_find(spec), &options, &error);
  if (!log)
    fail_msg("%s", error);
  log_dump d = {.log = log};
  hd_log_read(log, &(hd_log_sink){.context = &d, .event = dump_event, .frontier = no_frontier});
  const hd_log_damage *damages;
  assert_int_equal(hd_log_damages(log, &damages), 0);
  assert_true(hd_log_closed(log));
  /* The file's name is made up; it stands before each line number. */
  hd_string plain = {0};
  for (const char *s = d.text.text; *s;)
    if (strncmp(s, hd_log_path(log), strlen(hd_log_path(log))) == 0)
      s += strlen(hd_log_path(log));
    else
      hd_string_add_n(&plain, s++, 1);
  assert_string_equal(plain.text, events);
  hd_string_free(&plain);
  hd_string_free(&d.text);
  hd_log_free(log);
}

static void
logs(void **state)
{
  (void) state;
  const char *with = "# object=register\nI 0 write 1\nI 1 read\nC 0\nR 0\nC 1\nR 1 1\n";
  expect_log("register", with, false,
             "call T1 look 0 :2 write 1\ncommit T1 tick 0 :4\nreturn T1 tick 1 :5\n"
             "call T2 look 0 :3 read\nreturn T2 tick 2 :7 1\n");
  expect_log("register", with, true,
             "nocommit T1 tick 0 :2 write 1\nreturn T1 tick 1 :5\n"
             "call T2 look 1 :3 read\nreturn T2 tick 2 :7 1\n");
  /* One operation has a commit, the other has not; one failed; a third never returned. */
  expect_log("queue", "# object=queue\nI 0 enq 1\nI 1 deq\nC 0\nR 0\nR 1 1\nI 2 enq 5\n", false,
             "call T1 look 0 :2 enq 1\ncommit T1 tick 1 :4\nreturn T1 tick 2 :5\n"
             "nocommit T2 tick 0 :3 deq\nreturn T2 tick 3 :6 1\nnocommit T3 tick 4 :7 enq 5\n");
  expect_log("queue",
             "{:process 4 :type :invoke :f :enq :value 1}\n{:process 5 :type :invoke :f :enq :value 2}\n"
             "{:process 4 :type :fail :f :enq :value 1}\n{:process 5 :type :info :f :enq :value 2}\n"
             "{:process 4 :type :invoke :f :deq}\n{:process 4 :type :ok :f :deq :value 2}\n",
             false, "nocommit T2 tick 0 :2 enq 2\nabandon T2 :4\nnocommit T1 tick 1 :5 deq\nreturn T1 tick 2 :6 2\n");
  /* A window and its commit tick; one without a commit ends at the return. Observers have no windows. */
  const char *windows = "I 0 write 1\nI 1 read\nW 0\nW 1\nR 1 1\nC 0\nR 0\nI 1 read\nR 1 1\n"
                        "I 0 write 2\nW 0\nR 0\nI 1 read\nR 1 1\n";
  expect_log("register", windows, false,
             "call T1 look 0 :1 write 1\nwindow T1 tick 0 :3\ncommit T1 tick 2 :6\nreturn T1 tick 3 :7\n"
             "call T1 look 5 :10 write 2\nwindow T1 tick 5 :11\nreturn T1 tick 6 :12\n"
             "call T2 look 0 :2 read\nreturn T2 tick 1 :5 1\ncall T2 look 4 :8 read\nreturn T2 tick 4 :9 1\n"
             "call T2 look 7 :13 read\nreturn T2 tick 7 :14 1\n");
  expect_log(
      "register", windows, true,
      "nocommit T1 tick 0 :1 write 1\nreturn T1 tick 2 :7\nnocommit T1 tick 4 :10 write 2\nreturn T1 tick 5 :12\n"
      "call T2 look 1 :2 read\nreturn T2 tick 1 :5 1\ncall T2 look 3 :8 read\nreturn T2 tick 3 :9 1\n"
      "call T2 look 6 :13 read\nreturn T2 tick 6 :14 1\n");
  /* What opened a window may fail, or never end; then the window stays open. */
  expect_log("queue",
             "{:process 0 :type :invoke :f :enq :value 1}\n{:process 0 :type :window}\n{:process 0 :type :fail}\n"
             "{:process 0 :type :invoke :f :enq :value 2}\n{:process 0 :type :window}\n{:process 0 :type :info}\n"
             "{:process 1 :type :invoke :f :enq :value 3}\n{:process 1 :type :commit}\n{:process 1 :type :ok}\n",
             false,
             "call T1 look 0 :4 enq 2\nwindow T1 tick 0 :5\nabandon T1 :6\n"
             "call T2 look 1 :7 enq 3\ncommit T2 tick 1 :8\nreturn T2 tick 2 :9\n");
  /* The returns of observers tick, whether something else is open or not. */
  expect_log("register", "I 0 read\nR 0 -1\nI 1 write 1\nI 0 read\nR 0 1\n", false,
             "call T1 look 0 :1 read\nreturn T1 tick 0 :2 -1\ncall T1 look 2 :4 read\nreturn T1 tick 2 :5 1\n"
             "nocommit T2 tick 1 :3 write 1\n");
}

/* ---- lines ---- */

/* What the log says of each line of the history: position and kind. */
typedef struct log_lines
{
  const hd_log *log;
  uint64_t *positions; /* by line */
  uint8_t *kinds;
  uint32_t n;
} log_lines;

static bool
note_line(void *context, const hd_event *e)
{
  log_lines *l = context;
  hd_log_place place;
  assert_true(hd_log_place_get(l->log, hd_event_place(e), &place));
  assert_string_equal(place.file, hd_log_path(l->log));
  assert_in_range(place.line, 1, l->n);
  assert_int_equal(l->kinds[place.line], HD_K_NONE);
  l->kinds[place.line] = e->kind;
  l->positions[place.line] = 2 * e->stamp + e->ticked;
  return true;
}

static bool
is_call(uint8_t kind)
{
  return kind == HD_K_CALL || kind == HD_K_CALL_NOCOMMIT;
}

/* A random history of a register with some commits and windows, with at least N lines. */
static char *
random_lines(uint64_t *seed, uint32_t n, uint32_t *lines)
{
  enum
  {
    PROCESSES = 6
  };
  hd_string s = {0};
  struct
  {
    bool open, reads, window, commit;
  } p[PROCESSES] = {0};
  *lines = 0;
  for (bool open = true; open; (*lines)++)
  {
    unsigned i = (unsigned) (hd_random(seed) % PROCESSES), how = (unsigned) (hd_random(seed) % 4);
    if (!p[i].open)
    {
      p[i].reads = hd_random(seed) & 1;
      p[i].open = true;
      p[i].window = p[i].commit = false;
      hd_string_printf(&s, p[i].reads ? "I %u read\n" : "I %u write 1\n", i);
    }
    else if (how == 0 && !p[i].reads && !p[i].window && !p[i].commit)
    {
      p[i].window = true;
      hd_string_printf(&s, "W %u\n", i);
    }
    else if (how == 1 && !p[i].reads && !p[i].commit)
    {
      p[i].commit = true;
      hd_string_printf(&s, "C %u\n", i);
    }
    else
    {
      p[i].open = false;
      hd_string_printf(&s, p[i].reads ? "R %u 1\n" : "R %u\n", i);
    }
    open = *lines < n;
    for (unsigned k = 0; k < PROCESSES && !open; k++)
      open = p[k].open;
  }
  return s.text;
}

/* Each event has its line, however many there are, and of a return and a call the log says which came first. */
static void
order_is_exact(void **state)
{
  (void) state;
  for (unsigned round = 0; round < 40; round++)
  {
    uint64_t seed = round + 1;
    uint32_t n = 0;
    char *text = random_lines(&seed, round ? 200 : 150000, &n), *error;
    hd_log *log = log_of(text, hd_specs_find("register"), NULL, &error);
    if (!log)
      fail_msg("round %u: %s", round, error);
    log_lines l = {.log = log,
                   .positions = hd_alloc_zero(((size_t) n + 1) * sizeof *l.positions),
                   .kinds = hd_alloc_zero((size_t) n + 1),
                   .n = n};
    hd_log_read(log, &(hd_log_sink){.context = &l, .event = note_line, .frontier = no_frontier});
    uint64_t last_return = 0, last_call = 0;
    for (uint32_t i = 1; i <= n; i++)
    {
      bool call = is_call(l.kinds[i]), ret = l.kinds[i] == HD_K_RETURN;
      if (l.kinds[i] == HD_K_NONE || (call && l.positions[i] <= last_return && last_return)
          || (ret && l.positions[i] <= last_call && last_call))
        fail_msg("round %u: line %" PRIu32 " is out of order", round, i);
      last_call = call ? l.positions[i] : last_call;
      last_return = ret ? l.positions[i] : last_return;
    }
    free(l.positions);
    free(l.kinds);
    hd_log_free(log);
    free(text);
  }
}

static void
objects_by_key(void **state)
{
  (void) state;
  char *error;
  hd_log *log = log_of("{\"object\":\"register\",\"initial\":5}\n"
                       "{\"process\":0,\"type\":\"invoke\",\"f\":\"write\",\"key\":\"a\",\"value\":1}\n"
                       "{\"process\":1,\"type\":\"invoke\",\"f\":\"write\",\"key\":7,\"value\":1}\n"
                       "{\"process\":0,\"type\":\"ok\",\"f\":\"write\",\"key\":\"a\",\"value\":1}\n",
                       hd_specs_find("register"), NULL, &error);
  if (!log)
    fail_msg("%s", error);
  assert_int_equal(hd_log_objects(log), 2);
  assert_string_equal(hd_log_object_get(log, 1)->name, "a");
  assert_string_equal(hd_log_object_get(log, 2)->name, "7");
  assert_int_equal(hd_log_object_get(log, 1)->ticks, 2);
  assert_int_equal(hd_log_object_get(log, 2)->ticks, 1);
  assert_int_equal(hd_log_object_get(log, 2)->config[0].i, 5);
  assert_string_equal(hd_log_thread_name(log, 2), "process 1");
  hd_log_free(log);
  assert_null(log_of("; object=counter initial=x\n[]", hd_specs_find("counter"), NULL, &error));
  assert_non_null(strstr(error, ":1:1: error: a counter starts with a whole number"));
  free(error);
}

static bool
count_event(void *context, const hd_event *e)
{
  size_t *counts = context;
  counts[e->kind]++;
  return true;
}

/* Far more processes than threads are kept, and they come back. */
static void
many_processes(void **state)
{
  (void) state;
  enum
  {
    PROCESSES = 3000
  };
  hd_string s = {0};
  for (int round = 0; round < 2; round++)
    for (int i = 0; i < PROCESSES; i++)
      hd_string_printf(&s, "I %d push %d\nR %d\n", i, i, i);
  char *error;
  hd_log *log = log_of(s.text, hd_specs_find("stack"), NULL, &error);
  if (!log)
    fail_msg("%s", error);
  size_t counts[HD_K_COUNT] = {0};
  hd_log_read(log, &(hd_log_sink){.context = counts, .event = count_event, .frontier = no_frontier});
  const hd_log_damage *damages;
  assert_int_equal(hd_log_damages(log, &damages), 0);
  assert_int_equal(counts[HD_K_CALL_NOCOMMIT], 2 * PROCESSES);
  assert_int_equal(counts[HD_K_RETURN], 2 * PROCESSES);
  assert_true(hd_log_get_facts(log).size < 2000ull * HD_LOG_UNIT);
  hd_log_free(log);
  hd_string_free(&s);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(round_trips),    cmocka_unit_test(logs),           cmocka_unit_test(order_is_exact),
      cmocka_unit_test(objects_by_key), cmocka_unit_test(many_processes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
