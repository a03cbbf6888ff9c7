/* Random programs without loops over small integers: what the prover says about each assertion is compared with all
 * executions. Branches, choices, assumptions, parallel assignments, procedures that are put in and procedures that are
 * taken by their contract, old().
 *
 * HEDDLE_VC_CASES=n   how many programs (default 60)
 * HEDDLE_VC_SEED=n    only this one, with its text */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "vc/vc.h"

enum
{
  NVARS = 4,  /* a, b: parameters; c: local; g: global */
  MOST = 60,  /* statements */
  VALUES = 3, /* of what is chosen: 0, 1, 2 */
};

static const char *const names[NVARS] = {"a", "b", "c", "g"};

typedef enum kind
{
  ASSIGN,  /* v := x + y * k - m */
  SWAP,    /* v, w := w, v + k */
  CHOOSE,  /* havoc v; assume 0 <= v <= 2 */
  TEST,    /* if (x < k) FIRST else SECOND */
  BRANCH,  /* if (*) */
  ASSUME,  /* x <= y + k */
  ASSERT,  /* x <= y + k */
  BODY,    /* call v := Twice(x): {:inline 1}, changes g and returns old(g) + x */
  CONTRACT /* call v := Grow(x): any value from g to g + 1, and g becomes what it was plus x */
} kind;

typedef struct statement
{
  kind kind;
  int v, w, k, m;
  struct statement *first, *second, *next;
  int line;
  bool fails;
} statement;

typedef struct program
{
  statement all[MOST];
  int n;
  uint64_t seed;
} program;

static statement *
make(program *p, int depth, int length)
{
  statement *head = NULL, **end = &head;
  for (int i = 0; i < length && p->n < MOST; i++)
  {
    statement *s = &p->all[p->n++];
    uint64_t r = hd_random(&p->seed);
    *s = (statement){.kind = (kind) (r % 9),
                     .v = (int) (r >> 8) % NVARS,
                     .w = (int) (r >> 16) % NVARS,
                     .k = (int) ((r >> 24) % 5) - 1,
                     .m = (int) (r >> 32) % 3};
    s->v = s->v < 0 ? -s->v : s->v;
    s->w = s->w < 0 ? -s->w : s->w;
    /* Parameters stay as they are. */
    if (s->kind == ASSIGN || s->kind == SWAP || s->kind == CHOOSE || s->kind == BODY || s->kind == CONTRACT)
      s->v = 2 + s->v % 2;
    if (s->kind == SWAP)
      s->w = 5 - s->v;
    if ((s->kind == BODY || s->kind == CONTRACT) && s->v == 3)
      s->v = 2; /* g is changed by the call itself */
    if ((s->kind == TEST || s->kind == BRANCH) && depth < 3)
    {
      s->first = make(p, depth + 1, 1 + (int) (r >> 40) % 3);
      s->second = make(p, depth + 1, (int) (r >> 48) % 3);
    }
    *end = s;
    end = &s->next;
  }
  return head;
}

/* ---- its text ---- */

static void
print(hd_string *out, statement *s, int *line)
{
  for (; s; s = s->next)
  {
    const char *v = names[s->v], *w = names[s->w];
    s->line = (*line)++;
    switch (s->kind)
    {
    case ASSIGN:
      hd_string_printf(out, "%s := %s + %s * %d - (%d);\n", v, v, w, s->m, s->k);
      break;
    case SWAP:
      hd_string_printf(out, "%s, %s := %s, %s + %d;\n", v, w, w, v, s->m);
      break;
    case CHOOSE:
      hd_string_printf(out, "havoc %s; assume 0 <= %s && %s <= %d;\n", v, v, v, VALUES - 1);
      break;
    case TEST:
    case BRANCH:
      if (s->kind == TEST)
        hd_string_printf(out, "if (%s < %d) {\n", v, s->m);
      else
        hd_string_add(out, "if (*) {\n");
      print(out, s->first, line);
      hd_string_add(out, "} else {\n");
      ++*line;
      print(out, s->second, line);
      hd_string_add(out, "}\n");
      ++*line;
      break;
    case ASSUME:
    case ASSERT:
      hd_string_printf(out, "%s %s <= %s + %d;\n", s->kind == ASSERT ? "assert" : "assume", v, w, s->k);
      break;
    case BODY:
    case CONTRACT:
      hd_string_printf(out, "call %s := %s(%s);\n", v, s->kind == BODY ? "Twice" : "Grow", w);
      break;
    }
  }
}

static void
text_of(hd_string *out, statement *s)
{
  hd_string_printf(out,
                   "var g: int;\n"
                   "procedure {:inline 1} Twice(x: int) returns (r: int)\n  modifies g;\n{\n  var t: int;\n"
                   "  t := g + x;\n  g := t + x;\n  r := old(g) + x;\n}\n"
                   "procedure Grow(x: int) returns (r: int);\n  modifies g;\n  ensures g == old(g) + x;\n"
                   "  ensures old(g) <= r && r <= old(g) + 1;\n"
                   "procedure P(a: int, b: int)\n"
                   "  requires 0 <= a && a < %d && 0 <= b && b < %d && 0 <= g && g < %d;\n  modifies g;\n"
                   "{\n  var c: int; c := 0;\n",
                   VALUES, VALUES, VALUES);
  int line = 1;
  for (size_t i = 0; i < out->length; i++)
    line += out->text[i] == '\n';
  print(out, s, &line);
  hd_string_add(out, "}\n");
}

/* ---- all its executions ---- */

typedef struct rest /* what follows a block */
{
  statement *s;
  const struct rest *next;
} rest;

static void
run(const int *before, statement *s, const rest *after)
{
  int x[NVARS];
  memcpy(x, before, sizeof x);
  while (!s && after)
  {
    s = after->s;
    after = after->next;
  }
  if (!s)
    return;
  int old = x[3], k;
  rest here = {.s = s->next, .next = after};
  switch (s->kind)
  {
  case ASSIGN:
    x[s->v] = x[s->v] + x[s->w] * s->m - s->k;
    break;
  case SWAP:
    k = x[s->v];
    x[s->v] = x[s->w];
    x[s->w] = k + s->m;
    break;
  case CHOOSE:
    for (k = 0; k < VALUES; k++)
    {
      x[s->v] = k;
      run(x, s->next, after);
    }
    return;
  case TEST:
    run(x, x[s->v] < s->m ? s->first : s->second, &here);
    return;
  case BRANCH:
    run(x, s->first, &here);
    run(x, s->second, &here);
    return;
  case ASSUME:
    if (x[s->v] > x[s->w] + s->k)
      return;
    break;
  case ASSERT:
    if (x[s->v] > x[s->w] + s->k)
    {
      s->fails = true;
      return;
    }
    break;
  case BODY:
    k = x[s->w];
    x[3] = old + 2 * k;
    x[s->v] = old + k;
    break;
  case CONTRACT:
    k = x[s->w];
    x[3] = old + k;
    for (int r = old; r <= old + 1; r++)
    {
      x[s->v] = r;
      run(x, s->next, after);
    }
    return;
  }
  run(x, s->next, after);
}

/* ---- both together ---- */

static void
compare(uint64_t seed, bool show)
{
  program *p = hd_alloc_zero(sizeof *p);
  p->seed = seed * 7919 + 1;
  statement *s = make(p, 0, 4 + (int) (hd_random(&p->seed) % 6));
  hd_string text = {0}, expected = {0}, got = {0};
  text_of(&text, s);
  if (show)
    print_message("%s", text.text);
  for (int a = 0; a < VALUES; a++)
    for (int b = 0; b < VALUES; b++)
      for (int g = 0; g < VALUES; g++)
        run((int[NVARS]){a, b, 0, g}, s, NULL);
  for (int line = 0; line < 400; line++)
    for (int i = 0; i < p->n; i++)
      if (p->all[i].line == line && p->all[i].fails)
        hd_string_printf(&expected, " %d", line);
  hd_boogie_messages m = {0};
  hd_boogie_options reading = {0};
  hd_vc_options options = {.seconds = 30, .errors = MOST};
  hd_boogie_program *program = hd_boogie_read_text("random.bpl", text.text, text.length, &reading, &m);
  if (!program)
    fail_msg("seed %llu: the program cannot be read:\n%s", (unsigned long long) seed, text.text);
  hd_vc_program *prepared = hd_vc_program_new(program);
  hd_vc_prover *prover = hd_vc_prover_new(prepared, &options);
  for (size_t i = 0; i < program->decls.n; i++)
  {
    const hd_boogie_decl *d = &program->decls.items[i];
    if (d->kind != HD_BOOGIE_DECL_IMPL || !hd_vc_wanted(d->impl))
      continue;
    hd_vc_result *r = hd_vc_prove(prover, d->impl);
    if (r->outcome != HD_VC_PROVED && r->outcome != HD_VC_FAILS)
      hd_string_add(&got, " no answer");
    for (size_t j = 0; j < r->nfailures; j++)
      hd_string_printf(&got, " %u%s", r->failures[j].at.line, r->failures[j].candidate ? "?" : "");
    hd_vc_result_free(r);
  }
  hd_string_add(&expected, ".");
  hd_string_add(&got, ".");
  if (strcmp(expected.text, got.text) != 0)
    fail_msg("HEDDLE_VC_SEED=%llu: assertions in lines%s can fail, the prover says%s\n%s", (unsigned long long) seed,
             expected.text, got.text, text.text);
  hd_vc_prover_free(prover);
  hd_vc_program_free(prepared);
  hd_boogie_program_free(program);
  hd_boogie_messages_free(&m);
  hd_string_free(&text);
  hd_string_free(&expected);
  hd_string_free(&got);
  free(p);
}

static void
test_random_programs(void **state)
{
  (void) state;
  const char *one = getenv("HEDDLE_VC_SEED"), *many = getenv("HEDDLE_VC_CASES");
  if (one)
  {
    compare(strtoull(one, NULL, 10), true);
    return;
  }
  uint64_t n = many ? strtoull(many, NULL, 10) : 60;
  for (uint64_t i = 0; i < n; i++)
    compare(i, false);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_programs)};
  return cmocka_run_group_tests_name("vc_random", tests, NULL, NULL);
}
