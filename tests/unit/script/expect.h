/* expect.h: what a script's check must answer, with cmocka. */
#ifndef SCRIPT_EXPECT_H
#define SCRIPT_EXPECT_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "oracle/specs.h"
#include "script/script.h"

/* A specification and how to check with it. */
typedef struct subject
{
  const hd_spec *spec;
  hd_value config;
  hd_refine_options options;
} subject;

static inline subject
subject_of(model_kind kind, unsigned variant)
{
  return (subject){.spec = specs_get(kind, variant), .config = hd_int(kind)};
}

/* For the groups of cmocka: what a test that failed left behind does not count; what this one leaves does. */
static inline void
subjects_begin(void **state)
{
  (void) state;
  specs_alive = 0;
}

static inline int
subjects_end(void **state)
{
  (void) state;
  assert_int_equal(specs_alive, 0);
  return 0;
}

static inline script_answer
judge(const subject *s, const char *text)
{
  return script_check(
      text, &(script_setup){.specs = &s->spec, .nspecs = 1, .config = &s->config, .nconfig = 1, .options = s->options});
}

/* Says what came; for the message of a failed expectation. */
static inline void
show_answer(const script_answer *a, const char *text)
{
  static const char *const verdicts[] = {"holds", "violated", "bad input", "incomplete"};
  print_message("%s\nanswer: %s", text, verdicts[a->verdict]);
  if (a->finding && a->finding->headline)
  {
    print_message(", kind %d, blame %d: %s\n", (int) a->finding->kind, (int) a->finding->blame, a->finding->headline);
    if (a->finding->why)
      print_message("why: %s\n", a->finding->why);
    if (a->finding->suggestion)
      print_message("suggestion: %s\n", a->finding->suggestion);
    for (size_t i = 0; i < a->finding->nops; i++)
      print_message("  line %u: %s, thread %u%s%s\n", script_line(a, a->finding->ops[i].call_site),
                    a->finding->ops[i].method, a->finding->ops[i].thread, a->finding->ops[i].failing ? ", failing" : "",
                    a->finding->ops[i].explains ? ", explains" : "");
  }
  if (a->result && a->result->incomplete)
    print_message(", %s", a->result->incomplete);
  print_message("\n");
}

/* Each of PARTS (separated by '|') is in WHERE. */
static inline bool
has_parts(const char *where, const char *parts)
{
  while (parts && *parts)
  {
    const char *end = strchrnul(parts, '|');
    char *part = hd_strndup(parts, (size_t) (end - parts));
    bool found = where && strstr(where, part);
    if (!found)
      print_message("'%s' is not in '%s'\n", part, where ? where : "nothing");
    free(part);
    if (!found)
      return false;
    parts = *end ? end + 1 : end;
  }
  return true;
}

static inline void
expect(script_answer *a, const char *text, bool good)
{
  if (!good)
    show_answer(a, text);
  assert_true(good);
}

static inline void
holds(const subject *s, const char *text)
{
  script_answer a = judge(s, text);
  expect(&a, text, a.verdict == HD_HOLDS && a.finding->kind == HD_FOUND_NOTHING);
  script_done(&a);
}

/* FAILING: the line of the call of the operation that the headline names; 0: none. Returns the answer for more. */
static inline script_answer
violation(const subject *s, const char *text, hd_finding_kind kind, unsigned failing, const char *headline)
{
  script_answer a = judge(s, text);
  expect(&a, text, a.verdict == HD_VIOLATED && a.finding->kind == kind);
  const hd_op_info *o = script_failing(&a);
  expect(&a, text, failing ? o && script_line(&a, o->call_site) == failing : !o);
  expect(&a, text, has_parts(a.finding->headline, headline));
  return a;
}

static inline void
violated(const subject *s, const char *text, hd_finding_kind kind, unsigned failing, const char *headline)
{
  script_answer a = violation(s, text, kind, failing, headline);
  script_done(&a);
}

static inline void
incomplete(const subject *s, const char *text, const char *why)
{
  script_answer a = judge(s, text);
  expect(&a, text, a.verdict == HD_INCOMPLETE && a.finding->kind == HD_FOUND_NOTHING);
  expect(&a, text, has_parts(a.result->incomplete, why));
  script_done(&a);
}

/* The specification or the log does not fit: bad input. */
static inline void
refused(const subject *s, const char *text, const char *headline)
{
  script_answer a = judge(s, text);
  expect(&a, text, a.verdict == HD_BAD_INPUT && a.finding->kind == HD_FOUND_BAD_SPEC);
  expect(&a, text, has_parts(a.finding->headline, headline));
  script_done(&a);
}

#endif
