/* test_gather.c: histories straight into operations: the same as step by step, whatever the text.
 *
 * HEDDLE_CASES=n   how many random texts (default 60000)
 * HEDDLE_SEED=n    print and judge only the text with this number */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "histories/steps.h"
#include "history/history.h"
#include "settings.h"
#include "specs/specs.h"

/* ---- the same step by step ---- */

typedef struct reference
{
  const hd_spec *spec;
  hd_string text; /* one line for each operation, by number */
  char *lines[256];
  uint64_t events;
} reference;

static void
put_line(reference *r, uint64_t number, hd_string *line)
{
  assert_true(number < 256);
  free(r->lines[number]);
  r->lines[number] = line->text;
  *line = (hd_string){0};
}

static void
say_call(hd_string *s, const hd_spec *spec, uint32_t method, const hd_value *args, uint32_t n, uint64_t start)
{
  hd_string_printf(s, "%s", spec->methods[method].name);
  for (uint32_t i = 0; i < n; i++)
  {
    hd_value v = args[i];
    hd_value_convert(&v, spec->methods[method].args[i]);
    hd_string_add(s, " ");
    history_add_value(s, v);
    hd_string_printf(s, "/%u", v.type);
  }
  hd_string_printf(s, " from %llu", (unsigned long long) start);
}

static bool
reference_step(void *context, const hd_history_op *op)
{
  reference *r = context;
  hd_string line = {0};
  r->events++;
  if (op->has_object)
    return false;
  switch (op->step)
  {
  case HD_HISTORY_STEP_CALL:
    say_call(&line, r->spec, op->method, op->args, op->nargs, r->events);
    put_line(r, op->number, &line);
    return true;
  case HD_HISTORY_STEP_RETURN:
  {
    hd_value v = op->ret;
    hd_value_convert(&v, r->spec->methods[op->method].ret);
    hd_string_printf(&line, "%s to %llu: ", r->lines[op->number], (unsigned long long) r->events);
    history_add_value(&line, v);
    hd_string_printf(&line, "/%u", v.type);
    put_line(r, op->number, &line);
    return true;
  }
  case HD_HISTORY_STEP_FAILED:
    put_line(r, op->number, &line);
    return true;
  default:
    return true;
  }
}

static void
expect_same(const hd_history_ops *got, reference *r)
{
  size_t k = 0;
  for (size_t i = 0; i < 256; i++)
  {
    if (!r->lines[i])
      continue;
    assert_true(k < got->n);
    const hd_linear_op *o = &got->ops[k++];
    hd_string line = {0};
    say_call(&line, r->spec, o->method, hd_linear_args(o), o->nargs, o->start);
    if (!o->pending)
    {
      hd_string_printf(&line, " to %llu: ", (unsigned long long) o->end);
      history_add_value(&line, o->ret);
      hd_string_printf(&line, "/%u", o->ret.type);
    }
    assert_string_equal(line.text, r->lines[i]);
    assert_int_equal(o->id, k - 1);
    hd_string_free(&line);
  }
  assert_int_equal(k, got->n);
  assert_int_equal(got->events, r->events);
}

/* If the history is found to hold while it is read, it does; and what is counted is the same. */
static bool
expect_held(hd_history *h, const hd_spec *spec, const hd_history_ops *gathered)
{
  hd_history_ops held;
  hd_history_options options = {.ignore_commits = true};
  if (!hd_history_holds(h, spec, &options, HD_LINEAR_ALL, &held))
    return false;
  assert_non_null(gathered);
  assert_null(held.ops);
  assert_int_equal(held.n, gathered->n);
  assert_int_equal(held.events, gathered->events);
  assert_int_equal(held.returned, gathered->returned);
  assert_int_equal(held.observers, gathered->observers);
  assert_string_equal(held.object, gathered->object);
  hd_linear_result r;
  hd_linear_options how = {.config = &held.initial, .nconfig = held.has_initial, .rules = HD_LINEAR_ALL};
  hd_linear_decide(spec, gathered->ops, gathered->n, &how, &r);
  assert_int_equal(r.answer, HD_LINEAR_HOLDS);
  hd_history_ops_free(&held);
  return true;
}

static uint64_t nheld; /* histories that were found to hold while they were read */

/* Gathers TEXT both ways. True: it could be. A history that says nothing where a method returns something is left to
 * the check, which complains. */
static bool
compare(const char *text, const hd_spec *spec)
{
  char *error = NULL;
  hd_history *h = history_from_text(text, HD_HISTORY_AUTO, &error);
  if (!h)
  {
    free(error);
    return false;
  }
  reference r = {.spec = spec};
  bool good = hd_history_read(h, spec, reference_step, &r, &error);
  free(error);
  hd_history_ops ops;
  hd_history_options options = {.ignore_commits = true};
  bool gathered = hd_history_gather(h, spec, &options, &ops);
  assert_true(good || !gathered);
  nheld += expect_held(h, spec, gathered ? &ops : NULL);
  if (gathered)
  {
    expect_same(&ops, &r);
    hd_history_ops_free(&ops);
  }
  for (size_t i = 0; i < 256; i++)
    free(r.lines[i]);
  hd_history_free(h);
  return gathered;
}

/* ---- random texts ---- */

static void
random_line(hd_string *s, uint64_t *random)
{
  static const char *const names[] = {"get", "put", "del", "append", "add", "remove", "contains", "enq", "deq"};
  unsigned process = (unsigned) (hd_random(random) % 4);
  switch (hd_random(random) % 8)
  {
  case 0:
  case 1:
  case 2:
    hd_string_printf(s, "I %u %s", process, names[hd_random(random) % (sizeof names / sizeof *names)]);
    for (uint64_t n = hd_random(random) % 3; n > 0; n--)
      hd_string_printf(s, " %d", (int) (hd_random(random) % 12) - 2);
    break;
  case 3:
  case 4:
  case 5:
    hd_string_printf(s, "R %u", process);
    if (hd_random(random) % 2)
      hd_string_printf(s, " %d", (int) (hd_random(random) % 12) - 2);
    break;
  case 6:
    hd_string_printf(s, "%c %u", "CW"[hd_random(random) % 2], process);
    break;
  default:
    hd_string_add(s, hd_random(random) % 2 ? "# a remark" : "");
    break;
  }
  hd_string_add(s, "\n");
}

/* Calls and returns that fit each other, so that most texts are histories. */
static void
random_pairs(hd_string *s, const hd_spec *spec, uint64_t *random)
{
  int open[4] = {0};
  for (uint64_t n = 4 + hd_random(random) % 40; n > 0; n--)
  {
    unsigned process = (unsigned) (hd_random(random) % 4);
    if (open[process]++ % 2 == 0)
    {
      const hd_method *m = &spec->methods[hd_random(random) % spec->nmethods];
      hd_string_printf(s, "I %u %s", process, m->name);
      for (size_t i = 0; m->args[i]; i++)
        hd_string_printf(s, " %lld", (long long) (hd_random(random) % 9) - 3);
    }
    else
    {
      if (hd_random(random) % 3 == 0)
        hd_string_printf(s, "%c %u\n", "CW"[hd_random(random) % 2], process);
      hd_string_printf(s, "R %u", process);
      if (hd_random(random) % 2)
        hd_string_printf(s, " %u", (unsigned) (hd_random(random) % 2));
    }
    hd_string_add(s, "\n");
  }
}

static void
make_text(hd_string *s, const hd_spec *spec, uint64_t *random)
{
  if (hd_random(random) % 8 == 0)
    for (uint64_t n = hd_random(random) % 16; n > 0; n--)
      random_line(s, random);
  else
    random_pairs(s, spec, random);
  /* Something else here and there. */
  static const char strange[] = " \t\r\n-+0123456789IRCWnil\"#tx";
  for (uint64_t n = hd_random(random) % 4 ? 0 : 1 + hd_random(random) % 3; n > 0 && s->length > 0; n--)
    s->text[hd_random(random) % s->length] = strange[hd_random(random) % (sizeof strange - 1)];
  if (hd_random(random) % 16 == 0 && s->length > 0)
    s->text[--s->length] = '\0';
}

static void
test_random(void **state)
{
  (void) state;
  uint64_t only = setting("HEDDLE_SEED", UINT64_MAX), cases = setting("HEDDLE_CASES", 60000), gathered = 0;
  for (uint64_t seed = only == UINT64_MAX ? 0 : only; seed < (only == UINT64_MAX ? cases : only + 1); seed++)
  {
    uint64_t random = hd_mix(seed + 1);
    hd_string text = {0};
    const hd_spec *spec = hd_specs_get(hd_random(&random) % 9);
    make_text(&text, spec, &random);
    if (only != UINT64_MAX)
      printf("%s:\n%s", spec->name, text.text ? text.text : "");
    gathered += text.text && compare(text.text, spec);
    hd_string_free(&text);
  }
  printf("# %llu of %llu texts were histories; %llu were found to hold while they were read\n",
         (unsigned long long) gathered, (unsigned long long) cases, (unsigned long long) nheld);
  assert_true(only != UINT64_MAX || (gathered > cases / 5 && nheld > cases / 200));
}

/* ---- by hand ---- */

static void
test_texts(void **state)
{
  (void) state;
  static const char *const texts[] = {
      "I 0 enq 1\nR 0\nI 1 deq\nR 1 1\n",
      "I 0 enq 999999999999999999\nI 1 enq -999999999999999999\nR 0\nR 1 1\n",
      "I 0 enq 1234567890123456789\nR 0\n",        /* too long for the fast loop */
      "I 0 enq 99999999999999999999999999\nR 0\n", /* too large for a number */
      "I 0 enq -\nR 0\n",
      "I 0 enq 1 \nR 0 \n",
      "I 0  enq 1\nR 0\n",
      "I 0 enq 1\nR 0",
      "I 0 enq 1\n",
      "# object=queue initial=3\nI 0 enq 1\nC 0\nR 0\n",
      "I 4095 enq 1\nR 4095\nI 4096 enq 1\nR 4096\nI -1 deq\n",
      "I 0 enq 1\nC 0\nC 0\nR 0\n",
      "I 0 enq 1\nC 0\nW 0\nR 0\n",
      "C 0\n",
      "I 0 enqueueenqueue 1\n",
      "I 0 enq\n",
      "I 0 enq 1 2\n",
      "I 0 enq 1\nI 0 enq 2\n",
      "R 0\n",
      "I 0 enq \"a\"\nR 0\nI 0 deq\nR 0 \"a\"\n",
      "I 0 enq nil\nR 0 nil\n",
      "I 0 enq 12345678\nI 10 enq -12345678\nI 007 enq 123456789\nR 0\nR 10\nR 7\n",
      "I 1: enq 1\nR 1:\n",
      "I A1 enq 1\nR A1\n",
      "I -0 enq 1\nR -0\n",
      "I 0 enq 1A\nR 0\n",
      "I 0 enq A1\nR 0\n",
      "I 0 enq 1:\nR 0\n",
      "I 0 enq +1\nR 0\n",
      "I  enq 1\n",
      "I 0\n",
      "I\n",
      " I 0 enq 1\n",
      "\n",
      "II 0 enq 1\n",
      ("I 0 enq 1\nR 0\n#\n# more than sixty-four bytes of a comment, which is passed whatever there is in it\nI 1 "
       "deq\nR 1 1\n"),
      "I 000000000000000001 enq -000000000000000001\nR 000000000000000001\n",
      "I 000000000000000000000000000000000000000000000000000000000000000001 enq 1\nR 1\n", /* too long a line */
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    compare(texts[i], hd_specs_find("queue"));
  compare("{\"process\":1,\"type\":\"invoke\",\"f\":\"add\",\"value\":\"x\"}\n"
          "{\"process\":1,\"type\":\"fail\",\"f\":\"add\",\"value\":\"x\"}\n"
          "{\"process\":1,\"type\":\"invoke\",\"f\":\"add\",\"value\":\"y\"}\n"
          "{\"process\":2,\"type\":\"invoke\",\"f\":\"contains\",\"value\":\"y\"}\n"
          "{\"process\":2,\"type\":\"ok\",\"f\":\"contains\",\"value\":true}\n"
          "{\"process\":1,\"type\":\"info\",\"f\":\"add\",\"value\":\"y\"}\n",
          hd_specs_find("set"));
}

/* ---- texts that end with a page ---- */

/* A hole of one page with a page behind it that cannot be read: there the next file of one page is mapped. */
static void *
make_hole(size_t page)
{
  char *pages = mmap(NULL, 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert_ptr_not_equal(pages, MAP_FAILED);
  assert_int_equal(munmap(pages, page), 0);
  return pages + page;
}

/* Nothing is read behind the text, however long the last lines are. */
static void
test_pages(void **state)
{
  (void) state;
  size_t page = (size_t) sysconf(_SC_PAGESIZE);
  static const char *const lasts[] = {"R 0\n",
                                      "I 1 get 7\n",
                                      "R 0 %.*s\n",
                                      "I 1 put 7 %.*s\n",
                                      "I 12 put %.*s 1\n",
                                      "R 0\n# %.*s\n",
                                      "R 0\n#\n",
                                      "R 0\nI 1 get %.*s\nR 1\nI 3 del 1\nC 3\nR 3 0\n"};
  for (size_t i = 0; i < sizeof lasts / sizeof *lasts; i++)
    for (int digits = 1; digits <= 20; digits++)
    {
      hd_string last = {0}, text = {0};
      hd_string_printf(&last, lasts[i], digits, "98765432109876543210");
      hd_string_add(&text, "# ");
      while (text.length + strlen("\nI 0 get 7\n") + last.length < page)
        hd_string_add(&text, text.length % 61 ? "." : "\n# ");
      while (text.length + strlen("\nI 0 get 7\n") + last.length > page)
        text.text[--text.length] = '\0';
      hd_string_printf(&text, "\nI 0 get 7\n%s", last.text);
      assert_int_equal(text.length, page);
      void *behind = make_hole(page);
      compare(text.text, hd_specs_find("map"));
      munmap(behind, page);
      hd_string_free(&last);
      hd_string_free(&text);
    }
}

int
main(void)
{
  const struct CMUnitTest tests[]
      = {cmocka_unit_test(test_texts), cmocka_unit_test(test_pages), cmocka_unit_test(test_random)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
