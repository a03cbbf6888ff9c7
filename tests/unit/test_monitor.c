/* test_monitor.c: races, predictions, atomic blocks and deadlocks: chosen traces with their verdicts, random ones
 * against judges that work by the definitions (monitored/), and, if it is there, a table of verdicts of other tools.
 *
 * HEDDLE_CASES=n   how many random traces (default 100000)
 * HEDDLE_SEED=n    only this one
 * HEDDLE_TRACES=d  a folder with traces.txt and expected.tsv */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "monitor/monitor.h"
#include "monitored/monitored.h"

static uint64_t
number(const char *name, uint64_t otherwise)
{
  const char *text = getenv(name);
  return text ? strtoull(text, NULL, 10) : otherwise;
}

/* ---- random traces ---- */

typedef struct found
{
  const small_trace *t;
  uint64_t racy;
  size_t unserial, deadlocks;
  hd_monitor_unserial blocks[MOST_EVENTS];
  const char *wrong;
} found;

static void
take_race(void *context, const hd_monitor_race *r)
{
  found *f = context;
  f->racy |= 1ull << (r->second.number - 1);
  if (!monitored_conflict(f->t, r->first.number - 1, r->second.number - 1))
    f->wrong = "the two accesses do not conflict";
  else if (r->predicted)
    f->wrong = monitored_validate(f->t, r->prefix, r->nthreads, r->first.number - 1, r->second.number - 1, r->put_off);
}

static void
take_unserial(void *context, const hd_monitor_unserial *u)
{
  found *f = context;
  f->blocks[f->unserial++] = *u;
}

static void
take_deadlock(void *context, const hd_monitor_wait *waits, size_t n)
{
  found *f = context;
  f->deadlocks++;
  for (size_t i = 0; i < n; i++)
    if (waits[i].held != waits[(i + n - 1) % n].wanted || waits[i].held_at.thread != waits[i].at.thread)
      f->wrong = "a thread of a deadlock does not hold what the one before it wants";
}

static void
fail_case(uint64_t seed, const small_trace *t, const char *what)
{
  hd_string s = {0};
  monitored_print(t, &s);
  fail_msg("HEDDLE_SEED=%" PRIu64 ": %s\n%s", seed, what, s.text);
}

/* A cycle must lead from event to event of the trace, and from block to block. */
static const char *
check_cycle(const small_trace *t, const hd_monitor_unserial *u)
{
  hd_monitor_step *steps;
  uint64_t begin = u->begin.number, window = u->window, at = u->at.number;
  size_t n = hd_monitor_cycle(t->events + window - 1, at - window + 1, begin, &steps);
  if (n == 0)
    n = hd_monitor_cycle(t->events + u->whole - 1, at - u->whole + 1, begin, &steps);
  const char *wrong = n < 2 ? "the cycle of a block was not found" : NULL;
  for (size_t i = 0; i < n && !wrong; i++)
  {
    const hd_monitor_step *s = &steps[i], *next = &steps[(i + 1) % n];
    if (s->from.number >= s->to.number)
      wrong = "a step of a cycle leads backwards";
    else if (s->to.thread != next->from.thread || (next->begin.number == 0 && s->to.number != next->from.number)
             || (next->begin.number > 0 && s->to.number < next->begin.number))
      wrong = "a step of a cycle does not begin where the one before it ended";
  }
  if (!wrong && steps[0].begin.number != begin)
    wrong = "a cycle does not begin with its block";
  free(steps);
  return wrong;
}

static void
judge_one(uint64_t case_seed, bool small, uint64_t counts[9])
{
  uint64_t seed = case_seed;
  small_trace t;
  make_options o = monitored_options(&seed, small);
  monitored_make(&t, &o, &seed);
  found hb = {.t = &t}, predicted = {.t = &t}, more = {.t = &t}, others = {.t = &t};
  hd_monitor_hb *h = hd_monitor_hb_new((hd_monitor_race_sink){&hb, take_race});
  hd_monitor_predict *p = hd_monitor_predict_new((hd_monitor_race_sink){&predicted, take_race}, false);
  hd_monitor_predict *q = hd_monitor_predict_new((hd_monitor_race_sink){&more, take_race}, true);
  hd_monitor_atomic *a = hd_monitor_atomic_new((hd_monitor_unserial_sink){&others, take_unserial});
  hd_monitor_deadlock *d = hd_monitor_deadlock_new((hd_monitor_deadlock_sink){&others, take_deadlock});
  for (size_t i = 0; i < t.n; i++)
  {
    hd_monitor_hb_event(h, &t.events[i]);
    hd_monitor_predict_event(p, &t.events[i]);
    hd_monitor_predict_event(q, &t.events[i]);
    hd_monitor_atomic_event(a, &t.events[i]);
    hd_monitor_deadlock_event(d, &t.events[i]);
  }
  hd_monitor_hb_finish(h);
  hd_monitor_predict_finish(p);
  hd_monitor_predict_finish(q);
  hd_monitor_atomic_finish(a);
  assert_true(hd_monitor_deadlock_finish(d));
  const found *all[] = {&hb, &predicted, &more, &others};
  for (int i = 0; i < 4; i++)
    if (all[i]->wrong)
      fail_case(case_seed, &t, all[i]->wrong);
  uint64_t racy = monitored_hb(&t, NULL);
  if (hb.racy != racy)
    fail_case(case_seed, &t, "the racy events differ");
  if (predicted.racy != monitored_closure(&t))
    fail_case(case_seed, &t, "the predicted racy events differ");
  if (small && predicted.racy != monitored_reorder(&t, false))
    fail_case(case_seed, &t, "the predicted racy events are not those of all reorderings");
  if (predicted.racy & ~more.racy)
    fail_case(case_seed, &t, "a predicted race is lost where threads are put off");
  uint64_t possible = small ? monitored_reorder(&t, true) : more.racy;
  if (more.racy & ~possible)
    fail_case(case_seed, &t, "no reordering has a race that is predicted where threads are put off");
  if ((others.unserial == 0) != monitored_serialisable(&t))
    fail_case(case_seed, &t, "serialisability differs");
  for (size_t i = 0; i < others.unserial; i++)
  {
    const char *wrong = check_cycle(&t, &others.blocks[i]);
    if (wrong)
      fail_case(case_seed, &t, wrong);
  }
  if ((others.deadlocks > 0) != monitored_deadlock(&t))
    fail_case(case_seed, &t, "deadlocks differ");
  counts[0]++;
  counts[1] += racy != 0;
  counts[2] += predicted.racy != 0;
  counts[3] += (predicted.racy & ~racy) != 0;
  counts[4] += others.unserial > 0;
  counts[5] += others.deadlocks > 0;
  counts[6] += (more.racy & ~predicted.racy) != 0;
  counts[7] += (uint64_t) __builtin_popcountll(possible & ~predicted.racy & -(uint64_t) small);
  counts[8] += (uint64_t) __builtin_popcountll(more.racy & ~predicted.racy & -(uint64_t) small);
}

/* ---- threads that are put off, with more events than are remembered ---- */

typedef struct feed
{
  hd_monitor_predict *m;
  uint64_t number;
  size_t races;
} feed;

static void
count_race(void *context, const hd_monitor_race *r)
{
  ((feed *) context)->races += r->put_off > 0;
}

static void
happen(feed *f, uint32_t thread, hd_trace_kind kind, uint64_t target)
{
  hd_trace_event e = {.number = ++f->number, .thread = thread, .kind = (uint8_t) kind, .target = target, .location = 1};
  hd_monitor_predict_event(f->m, &e);
}

static void
write_under_lock(feed *f, uint32_t thread)
{
  happen(f, thread, HD_TRACE_ACQUIRE, 0);
  happen(f, thread, HD_TRACE_WRITE, 0);
  happen(f, thread, HD_TRACE_RELEASE, 0);
}

/* Thread 1 writes variable 0 under a lock, after it has read variable 2, which main wrote, and READS times variable 1;
 * then thread 2 does and writes variable 2 if it MEDDLES; thread 3, which nobody waits for, writes it WRITES times;
 * main has joined thread 2 and reads variable 0. */
static size_t
races_if_put_off(unsigned reads, bool meddles, unsigned writes)
{
  feed f = {0};
  f.m = hd_monitor_predict_new((hd_monitor_race_sink){&f, count_race}, true);
  happen(&f, 0, HD_TRACE_WRITE, 2);
  for (uint32_t t = 1; t <= 3; t++)
    happen(&f, 0, HD_TRACE_FORK, t);
  happen(&f, 1, HD_TRACE_READ, 2);
  for (unsigned i = 0; i < reads; i++)
    happen(&f, 1, HD_TRACE_READ, 1);
  write_under_lock(&f, 1);
  write_under_lock(&f, 2);
  if (meddles)
    happen(&f, 2, HD_TRACE_WRITE, 2);
  for (unsigned i = 0; i < writes; i++)
    happen(&f, 3, HD_TRACE_WRITE, 2);
  happen(&f, 0, HD_TRACE_JOIN, 2);
  f.races = 0; /* those of variable 2 */
  happen(&f, 0, HD_TRACE_READ, 0);
  hd_monitor_predict_finish(f.m);
  return f.races;
}

static void
test_put_off(void **state)
{
  (void) state;
  assert_int_equal(races_if_put_off(0, false, 0), 1);
  assert_int_equal(races_if_put_off(200, false, 0), 1);
  assert_int_equal(races_if_put_off(300, false, 0), 0); /* nobody knows what it did first */
  assert_int_equal(races_if_put_off(0, true, 0), 0);    /* it would read something else */
  assert_int_equal(races_if_put_off(0, true, 4), 0);
  assert_int_equal(races_if_put_off(0, false, 4), 1);
  assert_int_equal(races_if_put_off(0, true, 40), 0); /* as far as anybody knows, it would */
}

static void
test_random(void **state)
{
  (void) state;
  uint64_t cases = number("HEDDLE_CASES", 100000), only = number("HEDDLE_SEED", UINT64_MAX), counts[9] = {0};
  for (uint64_t i = 0; i < cases; i++)
    if (only == UINT64_MAX || only == i)
      judge_one(i, i % 2, counts);
  print_message("# %" PRIu64 " traces: %" PRIu64 " with a race, %" PRIu64 " with a predicted one (%" PRIu64
                " beyond happens-before), %" PRIu64 " not serialisable, %" PRIu64 " with a deadlock, %" PRIu64
                " with a race for which a thread must be put off; of the racy events of small ones that only another "
                "order of sections shows, %" PRIu64 " in all, %" PRIu64 " are found\n",
                counts[0], counts[1], counts[2], counts[3], counts[4], counts[5], counts[6], counts[7], counts[8]);
  for (int i = 1; i < 7 && cases >= 8000 && only == UINT64_MAX; i++)
    assert_true(counts[i] > cases / 500); /* there is something to find */
}

/* ---- chosen traces ---- */

/* What `--verdicts` would say, and the racy events. */
static char *
verdicts(const char *text, size_t length, hd_monitor_options options, hd_string *json)
{
  char *error = NULL;
  hd_trace *t = hd_trace_open_memory(text, length, "text", HD_TRACE_STD, &error);
  if (!t)
    fail_msg("%s", error);
  hd_monitor_findings *f = hd_monitor_run(t, &options);
  hd_string s = {0};
  if (hd_monitor_error(f))
    hd_string_add(&s, hd_monitor_error(f));
  else
    hd_monitor_print_verdicts(&s, f);
  if (json)
    hd_monitor_print_json(json, f, "text", 0);
  hd_monitor_findings_free(f);
  hd_trace_free(t);
  return s.text;
}

static const hd_monitor_options everything
    = {.race = true, .predict = true, .atomic = true, .deadlock = true, .keep_events = true};

static const struct
{
  const char *name, *text, *verdicts;
  int deadlocks;
} chosen[] = {
    {"two writes", "A|w(x)|1\nB|w(x)|2\n", "yes\tx\tyes\tyes\n", 0},
    {"two reads", "A|r(x)|1\nB|r(x)|2\n", "no\t-\tno\tyes\n", 0},
    {"a lock", "A|acq(m)|1\nA|w(x)|2\nA|rel(m)|3\nB|acq(m)|1\nB|w(x)|2\nB|rel(m)|3\n", "no\t-\tno\tyes\n", 0},
    {"hidden by a lock", "A|w(x)|1\nA|acq(m)|2\nA|rel(m)|3\nB|acq(m)|4\nB|rel(m)|5\nB|w(x)|6\n", "no\t-\tyes\tyes\n",
     0},
    {"fork and join", "A|w(x)|1\nA|fork(B)|2\nB|w(x)|3\nA|join(B)|4\nA|w(x)|5\n", "no\t-\tno\tyes\n", 0},
    {"read lock does not order", "A|racq(m)|1\nA|w(x)|2\nA|rrel(m)|3\nB|racq(m)|1\nB|w(x)|2\nB|rrel(m)|3\n",
     "yes\tx\tyes\tyes\n", 0},
    {"release and acquire", "A|w(x)|1\nA|astore(f,release)|2\nB|aload(f,acquire)|3\nB|r(x)|4\n", "no\t-\tno\tyes\n", 0},
    {"relaxed flag", "A|w(x)|1\nA|astore(f,relaxed)|2\nB|aload(f,relaxed)|3\nB|r(x)|4\n", "yes\tx\tno\tyes\n", 0},
    {"fences",
     "A|w(x)|1\nA|fence(release)|2\nA|astore(f,relaxed)|3\nB|aload(f,relaxed)|4\nB|fence(acquire)|5\nB|r(x)|6\n",
     "no\t-\tno\tyes\n", 0},
    {"a relaxed change continues a release sequence",
     "A|w(x)|1\nA|astore(f,release)|2\nC|armw(f,relaxed)|3\nB|aload(f,acquire)|4\nB|r(x)|5\n", "no\t-\tno\tyes\n", 0},
    {"a relaxed store breaks it",
     "A|w(x)|1\nA|astore(f,release)|2\nC|astore(f,relaxed)|3\nB|aload(f,acquire)|4\nB|r(x)|5\n", "yes\tx\tyes\tyes\n",
     0},
    {"plain against atomic", "A|w(x)|1\nB|aload(x,seq_cst)|2\n", "yes\tx\tyes\tyes\n", 0},
    {"semaphore", "A|w(x)|1\nA|post(s)|2\nB|pend(s)|3\nB|w(x)|4\n", "no\t-\tno\tyes\n", 0},
    {"barrier used twice",
     "A|w(x)|1\nA|arrive(b)|2\nB|arrive(b)|2\nA|leave(b)|3\nA|w(y)|4\nA|arrive(b)|2\nB|leave(b)|3\nB|r(x)|5\nB|r(y)|"
     "6\n",
     "yes\ty\tyes\tyes\n", 0},
    {"a signal is no order", "A|w(x)|1\nA|signal(c)|2\nB|wake(c)|3\nB|w(x)|4\n", "yes\tx\tno\tyes\n", 0},
    {"bytes overlap", "A|w(0x1000:4)|1\nB|w(0x1003:1)|2\n", "yes\t0x1003:1\tyes\tyes\n", 0},
    {"bytes beside each other", "A|w(0x1000:4)|1\nB|w(0x1004:4)|2\nC|w(0x1008:1)|3\n", "no\t-\tno\tyes\n", 0},
    {"memory that is used again", "A|w(0x1000:8)|1\nA|free(0x1000:8)|2\nB|alloc(0x1000:8)|3\nB|w(0x1000:8)|4\n",
     "no\t-\tno\tyes\n", 0},
    {"free against use", "A|w(0x1000:8)|1\nB|free(0x1000:64)|2\n", "yes\t0x1000:64\tyes\tyes\n", 0},
    {"a lock taken twice",
     "A|acq(m)|1\nA|acq(m)|2\nA|rel(m)|3\nA|w(x)|4\nA|rel(m)|5\nB|acq(m)|1\nB|w(x)|4\nB|rel(m)|5\n", "no\t-\tno\tyes\n",
     0},
    {"lost update", "A|begin|1\nA|r(x)|2\nB|w(x)|3\nA|w(x)|4\nA|end|5\n", "yes\tx\tyes\tno\n", 0},
    {"two blocks", "A|begin|1\nA|r(x)|2\nB|begin|3\nB|w(y)|4\nB|w(x)|5\nA|r(y)|6\nA|end|7\nB|end|8\n",
     "yes\tx,y\tyes\tno\n", 0},
    {"open at the end", "A|begin|1\nA|r(x)|2\nB|begin|3\nB|w(y)|4\nB|w(x)|5\nA|r(y)|6\n", "yes\tx,y\tyes\tno\n", 0},
    {"serial blocks", "A|begin|1\nA|r(x)|2\nA|w(x)|3\nA|end|4\nB|begin|1\nB|r(x)|2\nB|w(x)|3\nB|end|4\n",
     "yes\tx\tyes\tyes\n", 0},
    {"a lock given back inside",
     "A|begin|1\nA|acq(m)|2\nA|rel(m)|3\nB|acq(m)|4\nB|rel(m)|5\nA|acq(m)|6\nA|rel(m)|7\nA|end|8\n", "no\t-\tno\tno\n",
     0},
    {"lock order", "A|acq(m)|1\nA|acq(n)|2\nA|rel(n)|3\nA|rel(m)|4\nB|acq(n)|5\nB|acq(m)|6\nB|rel(m)|7\nB|rel(n)|8\n",
     "no\t-\tno\tyes\n", 1},
    {"a gate",
     "A|acq(g)|1\nA|acq(m)|1\nA|acq(n)|2\nA|rel(n)|3\nA|rel(m)|4\nA|rel(g)|4\n"
     "B|acq(g)|1\nB|acq(n)|5\nB|acq(m)|6\nB|rel(m)|7\nB|rel(n)|8\nB|rel(g)|8\n",
     "no\t-\tno\tyes\n", 0},
    {"ordered by fork",
     "A|acq(m)|1\nA|acq(n)|2\nA|rel(n)|3\nA|rel(m)|4\nA|fork(B)|5\nB|acq(n)|5\nB|acq(m)|6\nB|rel(m)|7\nB|rel(n)|8\n",
     "no\t-\tno\tyes\n", 0},
    {"tried", "A|acq(m)|1\nA|tryacq(n)|2\nA|rel(n)|3\nA|rel(m)|4\nB|acq(n)|5\nB|acq(m)|6\nB|rel(m)|7\nB|rel(n)|8\n",
     "no\t-\tno\tyes\n", 0},
    {"three philosophers",
     "A|acq(a)|1\nA|acq(b)|2\nA|rel(b)|3\nA|rel(a)|4\nB|acq(b)|5\nB|acq(c)|6\nB|rel(c)|7\nB|rel(b)|8\n"
     "C|acq(c)|5\nC|acq(a)|6\nC|rel(a)|7\nC|rel(c)|8\n",
     "no\t-\tno\tyes\n", 1},
    {"released by another", "A|acq(m)|1\nB|rel(m)|2\n",
     "text:2: error: B releases m, but does not hold it: this is not the trace of a program", -1},
    {"after its end", "A|fork(B)|1\nA|join(B)|2\nB|w(x)|3\n",
     "text:3: error: B writes x, but it was joined before: this is not the trace of a program", -1},
};

static size_t
count_text(const char *text, const char *what)
{
  size_t n = 0;
  for (const char *p = text; (p = strstr(p, what)); p++)
    n++;
  return n;
}

static void
test_chosen(void **state)
{
  (void) state;
  for (size_t i = 0; i < sizeof chosen / sizeof *chosen; i++)
  {
    hd_string json = {0};
    char *got = verdicts(chosen[i].text, strlen(chosen[i].text), everything, &json);
    if (strcmp(got, chosen[i].verdicts) != 0)
      fail_msg("%s: %s instead of %s", chosen[i].name, got, chosen[i].verdicts);
    if (chosen[i].deadlocks >= 0 && count_text(json.text, "\"wants\":") / 2 != (size_t) chosen[i].deadlocks)
      fail_msg("%s: deadlocks: %s", chosen[i].name, json.text);
    free(got);
    hd_string_free(&json);
  }
}

/* ---- the table ---- */

static char *
read_file(const char *folder, const char *name)
{
  hd_string path = {0}, text = {0};
  hd_string_printf(&path, "%s/%s", folder, name);
  FILE *f = fopen(path.text, "r");
  if (!f)
    fail_msg("%s cannot be read", path.text);
  char piece[4096];
  for (size_t n; (n = fread(piece, 1, sizeof piece, f)) > 0;)
    hd_string_add_n(&text, piece, n);
  fclose(f);
  hd_string_free(&path);
  return text.text;
}

/* The numbers in the list "events" of PART, comma separated; "-": none. */
static void
events_of(const char *json, const char *part, hd_string *out)
{
  hd_string key = {0};
  hd_string_printf(&key, "\"%s\":{\"events\":[", part);
  const char *start = strstr(json, key.text);
  assert_non_null(start);
  start += key.length;
  size_t n = strcspn(start, "]");
  hd_string_add_n(out, n ? start : "-", n ? n : 1);
  hd_string_free(&key);
}

static void
test_table(void **state)
{
  (void) state;
  const char *folder = getenv("HEDDLE_TRACES");
  if (!folder)
  {
    print_message("# HEDDLE_TRACES is not set: no table of verdicts\n");
    skip();
  }
  char *traces = read_file(folder, "traces.txt"), *table = read_file(folder, "expected.tsv"), *line = table;
  size_t judged = 0;
  for (char *at = traces; *at; judged++)
  {
    char *text = strchr(at, '\n') + 1, *end = strstr(text, "\n= ");
    end = end ? end + 1 : text + strlen(text);
    line = strchr(line, '\n') + 1;
    char *columns[16], *row = strndup(line, strcspn(line, "\n")), *rest = row;
    for (int i = 0; i < 16; i++)
      assert_non_null(columns[i] = strsep(&rest, "\t"));
    assert_int_equal(strncmp(at + 2, columns[0], strlen(columns[0])), 0);
    hd_string want = {0}, got = {0}, json = {0};
    char *v = verdicts(text, (size_t) (end - text), everything, &json);
    hd_string_printf(&want, "%s\t%s\t%s\t%s\n %s %s", columns[1], columns[2], columns[5], columns[6], columns[7],
                     columns[10]);
    hd_string_printf(&got, "%s ", v);
    events_of(json.text, "race", &got);
    hd_string_add(&got, " ");
    events_of(json.text, "predicted", &got);
    if (strcmp(want.text, got.text) != 0)
      fail_msg("trace %s:\n%s\ninstead of\n%s", columns[0], got.text, want.text);
    hd_string_free(&want);
    hd_string_free(&got);
    hd_string_free(&json);
    free(v);
    free(row);
    at = end;
  }
  print_message("# %zu traces as in the table\n", judged);
  free(traces);
  free(table);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_chosen),
      cmocka_unit_test(test_put_off),
      cmocka_unit_test(test_random),
      cmocka_unit_test(test_table),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
