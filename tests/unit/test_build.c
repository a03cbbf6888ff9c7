/* test_build.c: what the builder writes, the reader reads back; and no event comes below a frontier.
 *
 * Random executions are simulated: threads that call, commit, write and return on several objects in a random order,
 * with the clocks of docs/rules.md, in chunks of a few hundred bytes so that threads have many segments. */
#include "log/build.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum
{
  MAX_THREADS = 9,
  MAX_OBJECTS = 5,
};

/* An event as it was given, with its values printed. */
typedef struct given
{
  hd_event event;
  char *text;
} given;

typedef struct simulation
{
  uint64_t seed, random;
  char path[64];
  uint32_t nthreads, nobjects;
  uint64_t clock[MAX_OBJECTS + 1];
  uint32_t stack[MAX_THREADS + 1][HD_MAX_DEPTH];
  uint32_t kind[MAX_THREADS + 1][HD_MAX_DEPTH];
  uint32_t depth[MAX_THREADS + 1];
  bool ended[MAX_THREADS + 1];
  given *given[MAX_THREADS + 1];
  size_t n[MAX_THREADS + 1], cap[MAX_THREADS + 1];
  size_t read[MAX_THREADS + 1];
  uint64_t frontier[MAX_OBJECTS + 1];
  uint64_t frontiers;
  size_t total;
} simulation;

static char *
print_values(const hd_event *e)
{
  hd_string s = {0};
  hd_string_add(&s, "");
  for (uint32_t i = 0; i < e->nvalues; i++)
  {
    hd_string_printf(&s, "%u:%u:", e->values[i].type, e->values[i].length);
    hd_value_json(&s, e->values[i]);
    hd_string_add(&s, " ");
  }
  return s.text;
}

static void
give(simulation *s, hd_log_build *b, hd_event e)
{
  hd_log_build_event(b, &e);
  given g = {.event = e, .text = print_values(&e)};
  HD_PUSH(s->given[e.thread], s->n[e.thread], s->cap[e.thread], g);
  s->total++;
}

static hd_value
random_value(uint64_t *r, char *space, size_t max)
{
  uint64_t x = hd_random(r);
  switch (hd_random(r) % 6)
  {
  case 0:
    return hd_nil();
  case 1:
    return hd_int((int64_t) x);
  case 2:
    return hd_uint(x);
  case 3:
    return hd_bool(x & 1);
  default:
  {
    size_t n = x % max;
    for (size_t i = 0; i < n; i++)
      space[i] = (char) ('a' + hd_random(r) % 26);
    return (hd_value){.type = x & 1024 ? HD_STR : HD_BYTES, .length = (uint32_t) n, .p = space};
  }
  }
}

enum
{
  CALL,
  CALL_NOCOMMIT,
  RETURN,
  RETURN_VALUE,
  COMMIT,
  WRITE,
  FREE_WRITE,
  BLOCK_BEGIN,
  BLOCK_END,
  TASK,
  TASK_END,
  SITES
};

static void
make_sites(hd_log_build *b, uint32_t *sites)
{
  uint8_t dynamic[] = {HD_TYPE_DYNAMIC, HD_TYPE_DYNAMIC}, number[] = {HD_UINT, HD_TYPE_DYNAMIC};
  sites[CALL] = hd_log_build_site(b, HD_K_CALL, "insert", "a.c", "f", 1, dynamic, 2);
  sites[CALL_NOCOMMIT] = hd_log_build_site(b, HD_K_CALL_NOCOMMIT, "remove", "a.c", "g", 2, dynamic, 1);
  sites[RETURN] = hd_log_build_site(b, HD_K_RETURN, "", "a.c", "f", 3, NULL, 0);
  sites[RETURN_VALUE] = hd_log_build_site(b, HD_K_RETURN, "", "a.c", "f", 4, dynamic, 1);
  sites[COMMIT] = hd_log_build_site(b, HD_K_COMMIT, "", "a.c", "f", 5, NULL, 0);
  sites[WRITE] = hd_log_build_site(b, HD_K_WRITE, "", "a.c", "f", 6, number, 2);
  sites[FREE_WRITE] = hd_log_build_site(b, HD_K_WRITE, "", "a.c", "f", 7, number, 2);
  sites[BLOCK_BEGIN] = hd_log_build_site(b, HD_K_BLOCK_BEGIN, "", "a.c", "f", 8, NULL, 0);
  sites[BLOCK_END] = hd_log_build_site(b, HD_K_BLOCK_END, "", "a.c", "f", 9, NULL, 0);
  sites[TASK] = hd_log_build_site(b, HD_K_INTERNAL_BEGIN, "compress", "a.c", "f", 10, NULL, 0);
  sites[TASK_END] = hd_log_build_site(b, HD_K_INTERNAL_END, "", "a.c", "f", 11, NULL, 0);
}

/* One step of a random thread. */
static void
step(simulation *s, hd_log_build *b, const uint32_t *sites, char *space, size_t longest)
{
  uint64_t *r = &s->random;
  uint32_t t = 1 + (uint32_t) (hd_random(r) % s->nthreads);
  if (s->ended[t])
    return;
  uint32_t *depth = &s->depth[t];
  hd_value v[2];
  hd_event e = {.thread = t, .values = v, .stamped = true};
  uint32_t object = *depth ? s->stack[t][*depth - 1] : 1 + (uint32_t) (hd_random(r) % s->nobjects);
  bool task = *depth && s->kind[t][*depth - 1] == HD_K_INTERNAL_BEGIN;
  v[0] = random_value(r, space, longest);
  v[1] = random_value(r, space + longest, longest);
  unsigned choice = (unsigned) (hd_random(r) % 10);
  if (*depth == 0 && hd_random(r) % 200 == 0)
  {
    s->ended[t] = true;
    hd_log_build_thread_end(b, t);
    return;
  }
  if (*depth == 0 && choice == 9)
  {
    v[0] = hd_uint(hd_random(r));
    e.kind = HD_K_FREE_WRITE, e.site = sites[FREE_WRITE], e.nvalues = 2, e.ticked = true;
  }
  else if (*depth == 0 || (choice == 0 && *depth < 5))
  {
    object = 1 + (uint32_t) (hd_random(r) % s->nobjects);
    unsigned how = (unsigned) (hd_random(r) % 3);
    e.kind = how == 0 ? HD_K_CALL : how == 1 ? HD_K_CALL_NOCOMMIT : HD_K_INTERNAL_BEGIN;
    e.site = sites[how == 0 ? CALL : how == 1 ? CALL_NOCOMMIT : TASK];
    e.nvalues = 2 - how;
    e.ticked = how == 1;
    s->stack[t][*depth] = object;
    s->kind[t][(*depth)++] = e.kind;
  }
  else if (choice < 4)
  {
    e.kind = task ? HD_K_INTERNAL_END : HD_K_RETURN;
    e.nvalues = task ? 0 : hd_random(r) & 1;
    e.site = sites[task ? TASK_END : e.nvalues ? RETURN_VALUE : RETURN];
    e.ticked = task || hd_random(r) & 1;
    --*depth;
  }
  else if (choice < 6 && !task)
    e.kind = HD_K_COMMIT, e.site = sites[COMMIT], e.ticked = true;
  else if (choice < 8)
  {
    v[0] = hd_uint(hd_random(r));
    e.kind = HD_K_WRITE, e.site = sites[WRITE], e.nvalues = 2, e.ticked = hd_random(r) & 1;
  }
  else
  {
    e.kind = choice == 8 ? HD_K_BLOCK_BEGIN : HD_K_BLOCK_END, e.site = sites[choice == 8 ? BLOCK_BEGIN : BLOCK_END];
    e.ticked = choice == 9 && hd_random(r) & 1;
    e.stamped = e.ticked;
  }
  e.object = object;
  e.line = hd_random(r) % 3 ? 0 : 1 + (uint32_t) (hd_random(r) % HD_MAX_LINE);
  if (e.stamped)
  {
    e.stamp = s->clock[object];
    s->clock[object] += e.ticked;
  }
  give(s, b, e);
}

static bool
check_event(void *context, const hd_event *e)
{
  simulation *s = context;
  assert_in_range(e->thread, 1, s->nthreads);
  size_t i = s->read[e->thread]++;
  if (i >= s->n[e->thread])
    fail_msg("seed %llu: thread %u has more events than were given", (unsigned long long) s->seed, e->thread);
  const given *g = &s->given[e->thread][i];
  char *text = print_values(e);
  if (e->kind != g->event.kind || e->object != g->event.object || e->site != g->event.site || e->line != g->event.line
      || e->stamped != g->event.stamped || e->ticked != g->event.ticked || (e->stamped && e->stamp != g->event.stamp)
      || strcmp(text, g->text) != 0)
    fail_msg("seed %llu: event %zu of thread %u differs: kind %u/%u, object %u/%u, stamp %llu/%llu, values %s/%s",
             (unsigned long long) s->seed, i, e->thread, e->kind, g->event.kind, e->object, g->event.object,
             (unsigned long long) e->stamp, (unsigned long long) g->event.stamp, text, g->text);
  free(text);
  if (e->stamped && e->stamp < s->frontier[e->object])
    fail_msg("seed %llu: an event at %llu came after the frontier %llu", (unsigned long long) s->seed,
             (unsigned long long) e->stamp, (unsigned long long) s->frontier[e->object]);
  return true;
}

static void
check_frontier(void *context, uint32_t object, uint64_t f)
{
  simulation *s = context;
  assert_in_range(object, 1, s->nobjects);
  if (f <= s->frontier[object])
    fail_msg("seed %llu: the frontier went from %llu to %llu", (unsigned long long) s->seed,
             (unsigned long long) s->frontier[object], (unsigned long long) f);
  s->frontier[object] = f;
  s->frontiers += f != UINT64_MAX;
}

static void
build(simulation *s, uint64_t seed, size_t limit, size_t steps, size_t longest, uint64_t first)
{
  memset(s, 0, sizeof *s);
  s->seed = s->random = seed;
  snprintf(s->path, sizeof s->path, "/tmp/heddle-test-build-%d.hlog", (int) getpid());
  s->nthreads = 1 + (uint32_t) (hd_random(&s->random) % MAX_THREADS);
  s->nobjects = 1 + (uint32_t) (hd_random(&s->random) % MAX_OBJECTS);
  char *error;
  hd_log_build *b = hd_log_build_new(s->path, &error);
  assert_non_null(b);
  if (limit)
    hd_log_build_set_limit(b, limit);
  for (uint32_t i = 1; i <= s->nobjects; i++)
  {
    hd_value config[] = {hd_int(-3), hd_str("configured"), hd_nil(), hd_bytes("\0\1", 2)};
    assert_int_equal(hd_log_build_object_from(b, "map", "m", config, i - 1, first), i);
    s->clock[i] = first;
  }
  uint32_t sites[SITES];
  make_sites(b, sites);
  hd_log_build_set_thread_name(b, 1, "main");
  char *space = malloc(2 * longest);
  for (size_t i = 0; i < steps; i++)
    step(s, b, sites, space, longest);
  free(space);
  assert_true(hd_log_build_close(b, true, &error));
}

static void
check(simulation *s)
{
  char *error;
  hd_log *log = hd_log_open(s->path, &error);
  assert_non_null(log);
  hd_log_sink sink = {.context = s, .event = check_event, .frontier = check_frontier};
  for (int pass = 0; pass < 2; pass++)
  {
    memset(s->read, 0, sizeof s->read);
    memset(s->frontier, 0, sizeof s->frontier);
    assert_true(hd_log_read(log, &sink));
    const hd_log_damage *d;
    if (hd_log_damages(log, &d) != 0)
      fail_msg("seed %llu: damage at %llu: %s", (unsigned long long) s->seed, (unsigned long long) d->offset, d->what);
    for (uint32_t t = 1; t <= s->nthreads; t++)
      if (s->read[t] != s->n[t])
        fail_msg("seed %llu: thread %u has %zu events, not %zu", (unsigned long long) s->seed, t, s->n[t], s->read[t]);
    for (uint32_t i = 1; i <= s->nobjects; i++)
    {
      const hd_log_object *o = hd_log_object_get(log, i);
      assert_int_equal(o->ticks, s->clock[i]);
      assert_int_equal(o->nconfig, i - 1);
      assert_string_equal(o->type, "map");
      assert_true(s->frontier[i] == UINT64_MAX);
    }
  }
  assert_true(hd_log_closed(log));
  assert_false(hd_log_lost(log));
  assert_string_equal(hd_log_thread_name(log, 1), "main");
  assert_string_equal(hd_log_site_get(log, 1)->method, "insert");
  assert_string_equal(hd_log_path(log), s->path);
  hd_log_free(log);
}

static void
finish(simulation *s)
{
  for (uint32_t t = 1; t <= MAX_THREADS; t++)
  {
    for (size_t i = 0; i < s->n[t]; i++)
      free(s->given[t][i].text);
    free(s->given[t]);
  }
  unlink(s->path);
}

static void
round_trips(void **state)
{
  (void) state;
  uint64_t frontiers = 0, events = 0;
  for (uint64_t seed = 1; seed <= 300; seed++)
  {
    simulation s;
    build(&s, seed, 200 + seed % 7 * 300, 300, 40, seed % 3 ? 0 : 1000);
    check(&s);
    frontiers += s.frontiers, events += s.total;
    finish(&s);
  }
  /* The property would be empty if no frontier ever came before the end. */
  assert_true(frontiers > events / 50);
}

static void
whole_chunks(void **state)
{
  (void) state;
  for (uint64_t seed = 1; seed <= 5; seed++)
  {
    simulation s;
    build(&s, seed, 0, 20000, 60, 0);
    check(&s);
    finish(&s);
  }
}

static void
long_strings(void **state)
{
  (void) state;
  for (uint64_t seed = 1; seed <= 4; seed++)
  {
    simulation s;
    build(&s, seed, 0, 60, 300000, 0);
    check(&s);
    finish(&s);
  }
}

static void
long_stamps(void **state)
{
  (void) state;
  /* Around 2^31 - 2, where stamps stop fitting into the record's header, and far beyond. */
  static const uint64_t firsts[] = {0x7ffffff0ull, 0x7ffffffdull, 0xfffffff0ull, 1ull << 40};
  for (size_t i = 0; i < 4; i++)
  {
    simulation s;
    build(&s, i + 1, 1000, 400, 20, firsts[i]);
    check(&s);
    finish(&s);
  }
}

static void
many_threads_share_chunks(void **state)
{
  (void) state;
  char path[64], *error;
  snprintf(path, sizeof path, "/tmp/heddle-test-build-%d.hlog", (int) getpid());
  hd_log_build *b = hd_log_build_new(path, &error);
  uint32_t object = hd_log_build_object(b, "counter", "c", NULL, 0);
  uint32_t site = hd_log_build_site(b, HD_K_CALL, "get", "a.c", "f", 1, NULL, 0);
  for (uint32_t t = 1; t <= 5000; t++)
  {
    hd_event e = {.thread = t, .object = object, .kind = HD_K_CALL, .site = site, .stamped = true};
    hd_log_build_event(b, &e);
    hd_log_build_thread_end(b, t);
  }
  assert_true(hd_log_build_close(b, true, &error));
  struct stat st;
  assert_int_equal(stat(path, &st), 0);
  assert_int_equal(st.st_mode & 0777, 0600);
  assert_true(st.st_size < 12 * (off_t) HD_LOG_UNIT);
  unlink(path);
}

static void
errors_are_told(void **state)
{
  (void) state;
  char *error;
  assert_null(hd_log_build_new("/nonexistent/directory/x.hlog", &error));
  assert_non_null(strstr(error, "cannot create"));
  free(error);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(round_trips),
      cmocka_unit_test(whole_chunks),
      cmocka_unit_test(long_strings),
      cmocka_unit_test(long_stamps),
      cmocka_unit_test(many_threads_share_chunks),
      cmocka_unit_test(errors_are_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
