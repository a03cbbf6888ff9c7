/* test_report.c: the text against expected output, the JSON against its schema, and both against hostile input.
 *
 * Expected output stands in tests/unit/report. After a wanted change of the layout, run this test with
 * HD_REPORT_UPDATE=1, look at the difference and keep it if it is right. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "report/report.h"
#include "report/fixtures.h"

#ifndef TEST_SOURCE_ROOT
#define TEST_SOURCE_ROOT "."
#endif

/* ---- the stand-in for a log ---- */

bool
hd_log_place_get(const hd_log *log, uint32_t place, hd_log_place *p)
{
  const hd_log_site *s = place && place <= log->nsites ? &log->sites[place] : NULL;
  if (!s || !s->line || !s->file || !*s->file)
    return false;
  *p = (hd_log_place){.file = s->file, .function = s->function ? s->function : "", .line = s->line};
  return true;
}

const char *
hd_log_thread_name(const hd_log *log, uint32_t number)
{
  return number && number <= log->nthreads && log->threads[number] ? log->threads[number] : "";
}

const hd_log_object *
hd_log_object_get(const hd_log *log, uint32_t id)
{
  return id == log->object.id ? &log->object : NULL;
}

const char *
hd_log_path(const hd_log *log)
{
  (void) log;
  return "run.hlog";
}

bool
hd_log_closed(const hd_log *log)
{
  return !log->open;
}

uint64_t
hd_log_dropped(const hd_log *log)
{
  return log->dropped;
}

bool
hd_log_lost(const hd_log *log)
{
  return log->lost;
}

size_t
hd_log_damages(const hd_log *log, const hd_log_damage **damages)
{
  *damages = log->damages;
  return log->ndamages;
}

/* ---- helpers ---- */

static char *
print(const hd_report *r, bool json)
{
  char *text = NULL;
  size_t n = 0;
  FILE *out = open_memstream(&text, &n);
  assert_non_null(out);
  if (json)
    hd_report_json(out, r);
  else
    hd_report_text(out, r);
  fclose(out);
  return text;
}

static char *
print_fixture(const fixture *f, hd_report options, bool json)
{
  const hd_refine_result *results[] = {&f->result};
  const char *notes[] = {f->note};
  options.command = "check";
  options.log = &f->log;
  options.results = results;
  options.nresults = 1;
  options.verdict = f->verdict;
  options.seconds = 0.02;
  options.memory = 8 << 20;
  options.notes = notes;
  options.nnotes = f->note ? 1 : 0;
  return print(&options, json);
}

static char *
read_all(const char *path)
{
  FILE *in = fopen(path, "r");
  if (!in)
    return NULL;
  char *text = NULL;
  size_t n = 0;
  ssize_t got = getdelim(&text, &n, 0, in);
  fclose(in);
  return got < 0 ? strdup("") : text;
}

static void
expect(const char *name, const char *got)
{
  char path[512];
  snprintf(path, sizeof path, "%s/tests/unit/report/%s", TEST_SOURCE_ROOT, name);
  if (getenv("HD_REPORT_UPDATE"))
  {
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fputs(got, out);
    fclose(out);
    return;
  }
  char *want = read_all(path);
  if (!want)
    fail_msg("%s is missing", path);
  if (strcmp(want, got) != 0)
    fail_msg("%s differs. Expected:\n%s\nGot:\n%s", path, want, got);
  free(want);
}

/* The widest line in characters; SGR sequences count nothing. */
static size_t
widest_line(const char *text)
{
  size_t widest = 0, n = 0;
  for (; *text; text++)
  {
    if (*text == '\033')
      text = strchr(text, 'm');
    else if (*text == '\n')
      n = 0;
    else if (((unsigned char) *text & 0xc0) != 0x80)
      n++;
    widest = n > widest ? n : widest;
  }
  return widest;
}

/* ---- text ---- */

static void
test_expected_text(void **state)
{
  (void) state;
  for (size_t i = 0; i < NFIXTURES; i++)
  {
    char name[128];
    bool stats = fixtures[i]->verdict == HD_HOLDS;
    char *text = print_fixture(fixtures[i], (hd_report){.utf8 = true, .stats = stats}, false);
    snprintf(name, sizeof name, "%s.txt", fixtures[i]->name);
    expect(name, text);
    assert_true(widest_line(text) <= 100);
    free(text);

    text = print_fixture(fixtures[i], (hd_report){.width = 80}, false);
    snprintf(name, sizeof name, "%s.ascii.txt", fixtures[i]->name);
    expect(name, text);
    assert_true(widest_line(text) <= 80);
    for (const char *s = text; *s; s++)
      assert_true(*s == '\n' || (*s >= ' ' && *s < 127));
    free(text);
  }
}

static void
test_color(void **state)
{
  (void) state;
  char *text = print_fixture(&lookup, (hd_report){.utf8 = true, .color = true}, false);
  assert_non_null(strstr(text, "\033[2m")); /* what stands beside the explanation is dim */
  assert_non_null(strstr(text, "\033[1;31m"));
  assert_null(strstr(text, "(#13"));
  assert_true(widest_line(text) <= 100);
  free(text);
  text = print_fixture(&lookup, (hd_report){.utf8 = true}, false);
  assert_null(strchr(text, '\033'));
  assert_non_null(strstr(text, "(#13"));
  free(text);
}

static void
test_quiet(void **state)
{
  (void) state;
  char *text = print_fixture(&holds, (hd_report){.quiet = true}, false);
  assert_string_equal(text, "");
  free(text);
  text = print_fixture(&lookup, (hd_report){.quiet = true}, false);
  expect("quiet.ascii.txt", text);
  free(text);
}

/* Several objects: what holds is short and stands first, what is wrong stands last, and long lists are counted. */
static void
test_many_objects(void **state)
{
  (void) state;
  const hd_refine_result *results[30];
  for (size_t i = 0; i < 30; i++)
    results[i] = i == 7 ? &lookup.result : i == 9 ? &cut.result : &holds.result;
  hd_report r = {.command = "check", .results = results, .nresults = 30, .verdict = HD_VIOLATED, .seconds = -1};
  char *text = print(&r, false);
  expect("many.ascii.txt", text);
  free(text);
}

/* Twelve threads, long labels: the picture stays within the page and readable. */
static void
test_twelve_threads(void **state)
{
  (void) state;
  static hd_op_info ops[60];
  static const hd_value args[] = {STR("a key of a length that no column of labels will hold"), INT(5)};
  uint64_t tick = 1000000;
  for (uint32_t i = 0; i < 60; i++)
  {
    bool mutator = i % 3 != 2;
    ops[i] = (hd_op_info){.number = 2000000 + i,
                          .thread = 1 + i * 7 % 12,
                          .method = mutator ? "put" : "get",
                          .nargs = mutator ? 2 : 1,
                          .args = args,
                          .ret = INT(i),
                          .returned = i % 11 != 0,
                          .observer = !mutator,
                          .windowed = i % 4 == 0 && mutator,
                          .window = TICK(tick + 3 * i + 1),
                          .committed = mutator,
                          .commit = TICK(tick + 3 * i + 4),
                          .witness = mutator ? 900000 + i : 0,
                          .call = LOOK(tick + 3 * i),
                          .end = LOOK(tick + 3 * i + 9),
                          .explains = i % 5 == 4,
                          .failing = i == 59};
  }
  hd_refine_result x = lookup.result;
  x.finding.ops = ops;
  x.finding.nops = 14;
  ops[13].failing = true;
  const hd_refine_result *results[] = {&x};
  hd_report r = {.results = results, .nresults = 1, .verdict = HD_VIOLATED, .seconds = -1, .utf8 = true};
  char *text = print(&r, false);
  expect("threads.txt", text);
  assert_true(widest_line(text) <= 100);
  free(text);
  ops[13].failing = false;
  x.finding.nops = 60;
  text = print(&r, false);
  assert_non_null(strstr(text, "20 more operations are not drawn"));
  assert_true(widest_line(text) <= 100);
  free(text);
}

/* ---- JSON ---- */

static int
validate(const char *json, const char *output)
{
  char path[] = "/tmp/heddle-report-XXXXXX", command[1024];
  int fd = mkstemp(path);
  assert_true(fd >= 0);
  FILE *out = fdopen(fd, "w");
  fputs(json, out);
  fclose(out);
  snprintf(command, sizeof command,
           "python3 '%s/tests/unit/report/validate.py' '%s/docs/schema/check.schema.json' %s%s", TEST_SOURCE_ROOT,
           TEST_SOURCE_ROOT, path, output);
  int status = system(command);
  unlink(path);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void
test_json_follows_the_schema(void **state)
{
  (void) state;
  for (size_t i = 0; i < NFIXTURES; i++)
  {
    char *json = print_fixture(fixtures[i], (hd_report){0}, true);
    assert_string_equal(strchr(json, '\n'), "\n"); /* one document on one line */
    if (validate(json, "") != 0)
      fail_msg("%s: %s", fixtures[i]->name, json);
    free(json);
  }
  hd_report nothing = {.verdict = HD_BAD_INPUT, .seconds = -1};
  char *json = print(&nothing, true);
  assert_int_equal(validate(json, ""), 0);
  free(json);
}

/* A validator that accepts everything would prove nothing: spoilt documents must fail. */
static void
test_the_validator_is_not_blind(void **state)
{
  (void) state;
  static const char *const spoil[][2] = {
      {"\"schema\":1", "\"schema\":2"},
      {"\"kind\":\"view\"", "\"kind\":\"views\""},
      {"{\"tick\":7}", "{\"tock\":7}"},
      {"{\"tick\":7}", "{}"},
      {"\"witness\":3", "\"witness\":0"},
      {"\"number\":12", "\"number\":\"12\""},
      {"\"explains\":true,", ""},
      {"\"objects\":[", "\"objects\":[null,"},
      {"\"line\":71", "\"line\":71,\"line\":71"},
      {"\"exit_status\":1", "\"exit_status\":true"},
      {"\"present\":false", "\"present\":null"},
  };
  char *json = print_fixture(&view, (hd_report){0}, true);
  for (size_t i = 0; i < sizeof spoil / sizeof *spoil; i++)
  {
    char *at = strstr(json, spoil[i][0]);
    if (!at)
      fail_msg("%s is not in the document", spoil[i][0]);
    char *spoilt = NULL;
    assert_true(asprintf(&spoilt, "%.*s%s%s", (int) (at - json), json, spoil[i][1], at + strlen(spoil[i][0])) > 0);
    if (validate(spoilt, " >/dev/null 2>&1") == 0)
      fail_msg("validate.py accepts %s in place of %s", spoil[i][1], spoil[i][0]);
    free(spoilt);
  }
  free(json);
}

static void
test_json_carries_everything(void **state)
{
  (void) state;
  char *json = print_fixture(&view, (hd_report){0}, true);
  static const char *const parts[] = {
      "\"verdict\":\"violated\",\"exit_status\":1",
      "\"key\":5,\"specification\":{\"present\":true,\"value\":1},\"replica\":{\"present\":false,\"value\":null}",
      "\"variable\":\"A[0].elt\",\"value\":6,\"position\":{\"tick\":5}",
      "\"commit\":{\"position\":{\"tick\":7},",
      "\"source\":{\"file\":\"multiset.c\",\"line\":71,\"function\":\"insert_pair\"}",
      "\"call\":{\"position\":{\"look\":3}",
      "\"seconds\":0.020,\"peak_memory\":8388608",
  };
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    if (!strstr(json, parts[i]))
      fail_msg("%s is missing in %s", parts[i], json);
  free(json);
  json = print_fixture(&suspect, (hd_report){0}, true);
  assert_non_null(strstr(json, "\"repairs\":[2]"));
  assert_non_null(strstr(json, "\"legal_operations\":null,\"states_total\":null,\"states\":[]"));
  assert_non_null(strstr(json, "\"view_wait\":null"));
  free(json);
  json = print_fixture(&history, (hd_report){0}, true);
  assert_non_null(strstr(json, "\"legal_operations\":8237,\"states_total\":10,\"states\":[\"5\",\"7\"]"));
  free(json);
  json = print_fixture(&waits, (hd_report){0}, true);
  assert_non_null(strstr(json, "\"view_wait\":{\"from\":3,\"to\":8,\"to_end\":true,\"operation\":15,"));
  assert_non_null(strstr(json, "3 comparisons had to wait"));
  free(json);
}

/* ---- hostile input ---- */

static const char *const nasty[]
    = {"",
       "\033[2J\033[1;1H",
       "\xff\xfe",
       "a\nb\tc",
       "\xe2\x80\xae"
       "abc",
       "\xc2\x9b"
       "31m",
       "日本語の名前",
       "\xf0\x9f\x92\xa5",
       "\"quoted\\\"",
       "a very long name, a very long name, a very "
       "long name, a very long name, a very long name, a very long name, a very long name"};
#define NNASTY (sizeof nasty / sizeof *nasty)

static hd_value
any_value(uint64_t *seed)
{
  const char *text = nasty[hd_random(seed) % NNASTY];
  switch (hd_random(seed) % 6)
  {
  case 0:
    return hd_nil();
  case 1:
    return hd_int((int64_t) hd_random(seed));
  case 2:
    return hd_uint(hd_random(seed));
  case 3:
    return hd_bool(hd_random(seed) & 1);
  case 4:
    return hd_str(text);
  default:
    return hd_bytes(text, strlen(text));
  }
}

/* Findings that no checker would make: positions in any order, flags that contradict each other, names that try to
 * steer the terminal. The report must stay whole, clean and valid. */
static void
test_hostile_findings(void **state)
{
  (void) state;
  uint64_t seed = 20240817;
  for (int round = 0; round < 3000; round++)
  {
    uint64_t start = seed;
    hd_op_info ops[50];
    hd_value args[3];
    size_t nops = hd_random(&seed) % 50;
    uint64_t span = round % 3 == 0 ? UINT64_MAX : 60;
    for (size_t i = 0; i < 3; i++)
      args[i] = any_value(&seed);
    for (size_t i = 0; i < nops; i++)
    {
      uint64_t bits = hd_random(&seed);
      ops[i] = (hd_op_info){.number = hd_random(&seed) % (round % 2 ? 100 : UINT64_MAX),
                            .thread = (uint32_t) (hd_random(&seed) % 20),
                            .method = bits & 1 ? nasty[hd_random(&seed) % NNASTY] : NULL,
                            .nargs = (uint32_t) (hd_random(&seed) % 4),
                            .args = args,
                            .ret = any_value(&seed),
                            .returned = bits & 2,
                            .exceptional = bits & 4,
                            .internal = bits & 8,
                            .observer = bits & 16,
                            .nocommit = bits & 32,
                            .windowed = bits & 64,
                            .committed = bits & 128,
                            .call = hd_random(&seed) % span,
                            .window = hd_random(&seed) % span,
                            .commit = hd_random(&seed) % span,
                            .end = hd_random(&seed) % span,
                            .call_site = (uint32_t) (hd_random(&seed) % 20),
                            .commit_site = (uint32_t) (hd_random(&seed) % 20),
                            .failing = bits & 256,
                            .explains = bits & 512,
                            .witness = bits & 1024 ? hd_random(&seed) : 0};
    }
    hd_writer_info writers[2] = {{1, 6, hd_random(&seed) % span, nops ? ops[0].number : 0,
                                  (char *) nasty[hd_random(&seed) % NNASTY], any_value(&seed)},
                                 {9, 99, hd_random(&seed) % span, 0, NULL, any_value(&seed)}};
    char *states[2] = {(char *) nasty[hd_random(&seed) % NNASTY], (char *) nasty[hd_random(&seed) % NNASTY]};
    hd_key_difference differences[] = {{.key = any_value(&seed), .nwriters = 2, .writers = writers}};
    hd_refine_result x = {.verdict = HD_VIOLATED,
                          .views = round & 2,
                          .stats.views_skipped = hd_random(&seed) % 3,
                          .wait = {.from = hd_random(&seed) % span,
                                   .to = hd_random(&seed) % span,
                                   .to_end = round & 4,
                                   .method = round & 8 ? nasty[hd_random(&seed) % NNASTY] : NULL,
                                   .site = (uint32_t) (hd_random(&seed) % 20)},
                          .object = nasty[hd_random(&seed) % NNASTY],
                          .type = nasty[hd_random(&seed) % NNASTY],
                          .finding = {.kind = (hd_finding_kind) (1 + hd_random(&seed) % HD_FOUND_BAD_SPEC),
                                      .blame = (hd_blame) (hd_random(&seed) % 4),
                                      .headline = (char *) nasty[hd_random(&seed) % NNASTY],
                                      .why = (char *) nasty[hd_random(&seed) % NNASTY],
                                      .position = hd_random(&seed) % span,
                                      .ops = ops,
                                      .nops = nops,
                                      .legal_operations = hd_random(&seed) % span,
                                      .states_total = 2 + hd_random(&seed) % 3,
                                      .nstates = round % 4 ? 2 : 0,
                                      .states = round % 5 ? states : NULL,
                                      .differences = differences,
                                      .ndifferences = 1}};
    struct hd_log log = {MULTISET_LOG};
    log.threads[2] = nasty[hd_random(&seed) % NNASTY];
    log.sites[1].file = nasty[hd_random(&seed) % NNASTY];
    const hd_refine_result *results[] = {&x};
    hd_report r = {.log = &log,
                   .results = results,
                   .nresults = 1,
                   .verdict = HD_VIOLATED,
                   .utf8 = round & 1,
                   .width = (int) (hd_random(&seed) % 200),
                   .stats = true};
    char *text = print(&r, false);
    for (const unsigned char *s = (const unsigned char *) text; *s; s++)
      if (*s != '\n' && (*s < ' ' || *s == 127 || (*s >= 0x80 && !r.utf8) || (s[0] == 0xc2 && s[1] < 0xa0)))
        fail_msg("seed %llu: byte %d in the text", (unsigned long long) start, *s);
    free(text);
    char *json = print(&r, true);
    for (const char *s = json; s[1]; s++)
      if ((unsigned char) *s < ' ')
        fail_msg("seed %llu: byte %d in the JSON", (unsigned long long) start, *s);
    if (round % 300 == 0 && validate(json, "") != 0)
      fail_msg("seed %llu: %s", (unsigned long long) start, json);
    free(json);
  }
}

/* Every name in a document is explained in docs/json.md. */
static void
test_every_field_is_documented(void **state)
{
  (void) state;
  char *page = read_all(TEST_SOURCE_ROOT "/docs/json.md");
  assert_non_null(page);
  for (size_t i = 0; i < NFIXTURES; i++)
  {
    char *json = print_fixture(fixtures[i], (hd_report){0}, true);
    for (char *colon = json; (colon = strstr(colon, "\":")); colon++)
    {
      char *begin = colon;
      if (colon[-1] == '\\') /* a quote inside a sentence */
        continue;
      while (begin[-1] != '"')
        begin--;
      char ticked[128], quoted[128];
      snprintf(ticked, sizeof ticked, "`%.*s`", (int) (colon - begin), begin);
      snprintf(quoted, sizeof quoted, "\"%.*s\":", (int) (colon - begin), begin);
      if (!strstr(page, ticked) && !strstr(page, quoted))
        fail_msg("docs/json.md says nothing of %s", ticked);
    }
    free(json);
  }
  free(page);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_expected_text),
      cmocka_unit_test(test_color),
      cmocka_unit_test(test_quiet),
      cmocka_unit_test(test_many_objects),
      cmocka_unit_test(test_twelve_threads),
      cmocka_unit_test(test_json_follows_the_schema),
      cmocka_unit_test(test_the_validator_is_not_blind),
      cmocka_unit_test(test_json_carries_everything),
      cmocka_unit_test(test_every_field_is_documented),
      cmocka_unit_test(test_hostile_findings),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
