/* Certificates are believed only if they are right: the checker (src/recheck) against the rules taken at their word,
 * one state at a time (recheck/oracle.h).
 *
 * What the checker calls wrong, it calls wrong because of a state, and that state must break a rule. What it proves no
 * state of a box may break.
 *
 * HEDDLE_RECHECK_CASES=n   how many random controllers (default 400)
 * HEDDLE_RECHECK_SEED=n    only this one */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "little/fixture.h"
#include "little/little.h"
#include "recheck/mutants.h"
#include "recheck/oracle.h"
#include "recheck/recheck.h"
#include "settings.h"

typedef struct tally
{
  uint64_t proved, wrong, undecided, unreadable;
} tally;

/* Compare every claim of CERTIFICATE; TEXT is for messages. */
static void
compare(const hd_controller *c, const hd_control_certificate *certificate, oracle_box *box, const char *text, tally *n)
{
  hd_recheck_result *r = hd_recheck_run(c, certificate, 0);
  for (size_t i = 0; i < r->n; i++)
  {
    const hd_recheck_claim *claim = &r->claims[i];
    oracle_point p;
    memset(&p, 0, sizeof p);
    switch (claim->status)
    {
    case HD_RECHECK_ABSENT:
      break;
    case HD_RECHECK_PROVED:
      n->proved++;
      if (box && oracle_breaks_in(c, certificate, i, box))
        fail_msg("claim %zu is proved, but a state breaks it:\n%s", i, text);
      break;
    case HD_RECHECK_WRONG:
      n->wrong++;
      memcpy(p.at, claim->before, hd_control_dimensions(c) * sizeof *p.at);
      if (!oracle_breaks(c, certificate, i, &p))
        fail_msg("claim %zu is called wrong (%s), but that state breaks nothing:\n%s", i, claim->obligation, text);
      break;
    case HD_RECHECK_UNDECIDED:
      n->undecided++;
      break;
    }
  }
  hd_recheck_free(r);
}

/* ---- certificates that were written by hand ---- */

static const struct
{
  const char *name;
  uint64_t claims; /* that it proves */
  size_t every;    /* one in so many changes is looked at */
  oracle_box box;  /* of 0 threads: there would be too many states */
} written[] = {
    {"rw", 4, 1, {.low = -2, .high = 4, .threads = 4}},
    {"bb", 4, 1, {.low = -2, .high = 5, .threads = 2}},
    {"semaphore", 4, 1, {.low = -2, .high = 4, .threads = 4}},
    {"barrier_reusable", 4, 1, {.low = -1, .high = 3, .threads = 3}},
    {"rcu", 1, 1, {.low = -1, .high = 3, .threads = 3}},
    {"airport", 6, 37, {.threads = 0}},
};

static hd_string
read_text(const char *path)
{
  hd_string text = {0};
  char buffer[4096];
  size_t got;
  FILE *f = fopen(path, "rb");
  if (!f)
    fail_msg("cannot read %s", path);
  while ((got = fread(buffer, 1, sizeof buffer, f)) > 0)
    hd_string_add_n(&text, buffer, got);
  fclose(f);
  return text;
}

/* TEXT with the digest of C in place of the word MODEL. */
static hd_string
with_digest(const hd_controller *c, const char *text)
{
  hd_string out = {0};
  const char *model = strstr(text, "MODEL");
  assert_non_null(model);
  hd_string_add_n(&out, text, (size_t) (model - text));
  hd_string_printf(&out, "%016llx%s", (unsigned long long) hd_certificate_digest(c), model + strlen("MODEL"));
  return out;
}

static hd_controller *
read_example(const char *name)
{
  hd_string path = {0}, messages = {0};
  hd_string_printf(&path, TEST_SOURCE_ROOT "/examples/controllers/%s.h", name);
  hd_controller *c = hd_control_read(path.text, &messages);
  assert_non_null(c);
  hd_string_free(&path);
  hd_string_free(&messages);
  return c;
}

static hd_string
read_certificate(const hd_controller *c, const char *name)
{
  hd_string path = {0};
  hd_string_printf(&path, TEST_SOURCE_ROOT "/tests/unit/recheck/%s.certificate", name);
  hd_string text = read_text(path.text), out = with_digest(c, text.text);
  hd_string_free(&path);
  hd_string_free(&text);
  return out;
}

static void
written_ones_are_proved(void **state)
{
  (void) state;
  for (size_t i = 0; i < sizeof written / sizeof *written; i++)
  {
    hd_controller *c = read_example(written[i].name);
    hd_string text = read_certificate(c, written[i].name), messages = {0};
    hd_arena *arena = hd_arena_new();
    oracle_box box = written[i].box;
    tally n = {0};
    const hd_control_certificate *x = hd_certificate_parse(c, "c", text.text, text.length, arena, &messages);
    if (!x)
      fail_msg("%s", messages.text);
    compare(c, x, box.threads ? &box : NULL, text.text, &n);
    assert_int_equal(n.proved, written[i].claims);
    assert_int_equal(n.wrong + n.undecided, 0);
    hd_arena_free(arena);
    hd_string_free(&text);
    hd_string_free(&messages);
    hd_control_free(c);
  }
}

/* Every change of one token, one part of a conjunction or one line, and some of two. */
static void
changed_ones_are_judged_rightly(void **state)
{
  (void) state;
  tally n = {0};
  for (size_t i = 0; i < sizeof written / sizeof *written; i++)
  {
    hd_controller *c = read_example(written[i].name);
    hd_string text = read_certificate(c, written[i].name), messages = {0};
    size_t single = mutants_count(c, text.text);
    for (size_t k = 0; k < single; k += written[i].every)
    {
      hd_string changed = mutants_make(c, text.text, k);
      if (k % 3 == 0)
      {
        size_t more = mutants_count(c, changed.text);
        hd_string twice = mutants_make(c, changed.text, more ? (k * 7919) % more : 0);
        hd_string_free(&changed);
        changed = twice;
      }
      hd_arena *arena = hd_arena_new();
      oracle_box box = written[i].box;
      const hd_control_certificate *x = hd_certificate_parse(c, "c", changed.text, changed.length, arena, &messages);
      if (x)
        compare(c, x, box.threads ? &box : NULL, changed.text, &n);
      else
        n.unreadable++;
      hd_arena_free(arena);
      hd_string_free(&changed);
      hd_string_clear(&messages);
    }
    hd_string_free(&text);
    hd_string_free(&messages);
    hd_control_free(c);
  }
  print_message("changed certificates: %llu claims wrong, %llu right all the same, %llu undecided, %llu unreadable\n",
                (unsigned long long) n.wrong, (unsigned long long) n.proved, (unsigned long long) n.undecided,
                (unsigned long long) n.unreadable);
  assert_int_equal(n.undecided, 0);
  assert_true(n.wrong > 500 && n.proved > 500);
}

/* ---- random controllers ---- */

/* The controller in TEXT with its constant fixed. */
static hd_controller *
with_constant(const char *text, int k)
{
  const char *free_constant = "CONST(k, k >= 0)", *at = strstr(text, free_constant);
  hd_string fixed = {0}, messages = {0};
  assert_non_null(at);
  hd_string_add_n(&fixed, text, (size_t) (at - text));
  hd_string_printf(&fixed, "CONST(k, k == %d)%s", k, at + strlen(free_constant));
  hd_controller *c = hd_control_parse("little.h", fixed.text, fixed.length, &messages);
  assert_non_null(c);
  hd_string_free(&fixed);
  hd_string_free(&messages);
  return c;
}

static void
random_controllers(void **state)
{
  (void) state;
  static oracle_graph g;
  uint64_t only = setting("HEDDLE_RECHECK_SEED", 0), cases = setting("HEDDLE_RECHECK_CASES", 400);
  tally truth = {0}, pretence = {0};
  for (uint64_t seed = 1; seed <= cases; seed++)
  {
    if (only && seed != only)
      continue;
    uint64_t random = seed * 977;
    little made;
    hd_string text = {0};
    little_make(&made, &random);
    little_print(&text, &made, &random);
    hd_controller *c = with_constant(text.text, made.k);
    const uint64_t threads = hd_random(&random) % 3;
    const int64_t k = made.k;
    hd_arena *arena = hd_arena_new();
    const hd_control_proof *proofs[2][LITTLE_SPECS] = {{0}};
    oracle_explore(&g, c, &k, (int64_t) threads);
    for (size_t s = 0; s < c->nspecs && !g.too_large; s++)
      if (c->specs[s].nrigid == 0)
      {
        proofs[0][s] = oracle_prove(c, &g, &c->specs[s], arena);
        if (!proofs[0][s])
          proofs[1][s] = oracle_pretend(c, &g, &c->specs[s], &random, arena);
      }
    hd_control_certificate x = {.least_threads = threads, .most_threads = threads, .proofs = proofs[0]};
    x.deadlock = g.too_large ? NULL : oracle_prove_no_deadlock(c, &g, arena);
    uint64_t wrong = truth.wrong, proved = pretence.proved;
    compare(c, &x, NULL, text.text, &truth);
    x.deadlock = NULL;
    x.proofs = proofs[1];
    compare(c, &x, NULL, text.text, &pretence);
    if (truth.wrong > wrong)
      fail_msg("seed %llu: a proof is refused:\n%s", (unsigned long long) seed, text.text);
    if (pretence.proved > proved)
      fail_msg("seed %llu: a pretence is believed:\n%s", (unsigned long long) seed, text.text);
    hd_arena_free(arena);
    hd_control_free(c);
    hd_string_free(&text);
    little_free(&made);
  }
  print_message("%llu proofs by listing states, %llu pretences; undecided: %llu and %llu\n",
                (unsigned long long) truth.proved, (unsigned long long) pretence.wrong,
                (unsigned long long) truth.undecided, (unsigned long long) pretence.undecided);
  assert_true(only || truth.undecided + pretence.undecided == 0);
  assert_true(only || (truth.proved > cases / 2 && pretence.wrong > cases / 10));
}

/* ---- single rules ---- */

/* The answer to one claim: the property p, or the deadlock, of a small controller. */
static hd_recheck_status
judge(const char *controller, const char *threads, const char *proof, const char *expected_obligation)
{
  hd_string messages = {0}, text = {0};
  hd_controller *c = fixture_parse(controller, &messages);
  if (!c)
    fail_msg("%s", messages.text);
  hd_string_clear(&messages);
  hd_string_printf(&text, "heddle certificate 1\ncontroller t\nmodel %016llx\nthreads %s\n%send\n",
                   (unsigned long long) hd_certificate_digest(c), threads, proof);
  hd_arena *arena = hd_arena_new();
  const hd_control_certificate *x = hd_certificate_parse(c, "c", text.text, text.length, arena, &messages);
  if (!x)
    fail_msg("%s in\n%s", messages.text, text.text);
  hd_recheck_result *r = hd_recheck_run(c, x, 0);
  const hd_recheck_claim *claim = &r->claims[strstr(proof, "deadlock") ? c->nspecs : 0];
  hd_recheck_status status = claim->status;
  if (expected_obligation && (!claim->obligation || !strstr(claim->obligation, expected_obligation)))
    fail_msg("'%s' is not in '%s'", expected_obligation, claim->obligation ? claim->obligation : "nothing");
  assert_int_equal(r->verdict, status == HD_RECHECK_PROVED      ? HD_HOLDS
                               : status == HD_RECHECK_UNDECIDED ? HD_INCOMPLETE
                                                                : HD_VIOLATED);
  hd_recheck_free(r);
  hd_arena_free(arena);
  hd_control_free(c);
  hd_string_free(&text);
  hd_string_free(&messages);
  return status;
}

#define PROVED(...) assert_int_equal(judge(__VA_ARGS__, NULL), HD_RECHECK_PROVED)
#define WRONG(...) assert_int_equal(judge(__VA_ARGS__), HD_RECHECK_WRONG)

#define MUTEX                                                                                                          \
  "BOOL(busy, false) STATE(idle) STATE(cs)\n"                                                                          \
  "BLOCKING(acquire) WHEN(!busy) DO(busy = true) END NONBLOCKING(release) WHEN(true) DO(busy = false) END\n"           \
  "EDGE(idle, acquire, cs) EDGE(cs, release, idle)\n"
#define INV "invariant\n | busy == count(cs)\n"

static void
until_and_its_sides(void **state)
{
  (void) state;
  const char *c = MUTEX "SPEC(p, AG(IMPLIES(busy, AU(count(cs) == 1, !busy))))";
  PROVED(c, "0..",
         "property p\n" INV "node 0\n|true\nnode 1\n|true\nnode 3\n|true\nstage\n|busy == true\n"
         "node 4\n|count(cs) == 1\nnode 5\n|busy == false\n");
  WRONG(c, "0..",
        "property p\n" INV "node 0\n|true\nnode 1\n|true\nnode 3\n|true\nstage\n|busy == true\n"
        "node 4\n|count(cs) == 1 && count(idle) >= 3\nnode 5\n|busy == false\n",
        "the left side holds in it");
  WRONG(c, "0..",
        "property p\n" INV "node 0\n|true\nnode 1\n|true\nnode 3\n|true\n"
        "node 4\n|count(cs) == 1\nnode 5\n|busy == false\n",
        "in the goal or a stage");
}

static void
and_or_and_next(void **state)
{
  (void) state;
  const char *c = MUTEX "SPEC(p, AG(AX(count(cs) >= 0) && (busy || AX(busy))))";
  /* AG AND AX pred OR pred AX pred */
  const char *good = "property p\n" INV "node 0\n|true\nnode 1\n|true\nnode 2\n|true\nnode 3\n|true\nnode 4\n|true\n"
                     "node 5\n|busy == true\nnode 6\n|busy == false\nnode 7\n|busy == true\n";
  PROVED(c, "0..", good);
  WRONG(c, "0..",
        "property p\n" INV "node 0\n|true\nnode 1\n|true\nnode 2\n|true\nnode 3\n|true\nnode 4\n|true\n"
        "node 5\n|busy == true\nnode 6\n|true\nnode 7\n|busy == true\n",
        "leads from its set into the set of what follows");
  WRONG(c, "0..",
        "property p\n" INV "node 0\n|true\nnode 1\n|true\nnode 2\n|true\nnode 3\n|true\nnode 4\n|true\n"
        "node 6\n|busy == false\nnode 7\n|busy == true\n",
        "is in the set of one side");
}

/* A counter that only falls; the rank must not be negative before it falls. */
static void
ranks(void **state)
{
  (void) state;
  const char *down = "INT(n, 5) STATE(a)\nNONBLOCKING(go) WHEN(true) DO(n = n - 1) END\nEDGE(a, go, a)\n"
                     "SPEC(p, AF(n == 0))";
  const char *start = "invariant\n|true\nnode 0\n|n >= 0\nstage\n|n >= 1\n";
  hd_string text = {0};
  hd_string_printf(&text, "property p\n%srank n\nnode 1\n|n == 0\n", start);
  PROVED(down, "1..", text.text);
  WRONG(down, "0..", text.text, "no path ends in it");
  WRONG(down, "1..", "property p\ninvariant\n|true\nnode 0\n|true\nstage\n|true\nrank n\nnode 1\n|n == 0\n",
        "smaller rank");
  /* Two ranks: the second may grow while the first falls. */
  const char *nested = "INT(n, 3) INT(m, 0) STATE(a)\n"
                       "NONBLOCKING(go) WHEN(m > 0) DO(m = m - 1) WHEN(n > 0) DO(n = n - 1; m = 7) END\n"
                       "EDGE(a, go, a)\nSPEC(p, AF(n == 0 && m == 0))";
  const char *proof = "property p\ninvariant\n|n >= 0 && m >= 0\nnode 0\n|true\nstage\n|true\nrank %s\nrank %s\n"
                      "node 1\n|n == 0 && m == 0\n";
  hd_string_clear(&text);
  hd_string_printf(&text, proof, "n", "m");
  PROVED(nested, "1..", text.text);
  hd_string_clear(&text);
  hd_string_printf(&text, proof, "m", "n");
  WRONG(nested, "1..", text.text, "smaller rank");
  hd_string_free(&text);
}

/* Somebody may spin for ever unless the other thread gets its turn. */
static void
helpful_edges(void **state)
{
  (void) state;
  const char *c = "INT(n, 3) STATE(a) STATE(b)\nNONBLOCKING(spin) WHEN(true) DO() END\n"
                  "BLOCKING(work) WHEN(n > 0) DO(n = n - 1) END NONBLOCKING(turn) WHEN(true) DO() END\n"
                  "EDGE(a, spin, a) EDGE(a, turn, b) EDGE(b, work, b)\nSPEC(p, AG(IMPLIES(count(b) > 0, AF(n == 0))))";
  const char *proof = "property p\ninvariant\n|n >= 0\nnode 0\n|true\nnode 1\n|true\nnode 3\n|count(b) >= 1\nstage\n"
                      "|count(b) >= 1\nrank n\n%s\nnode 4\n|n == 0\n";
  hd_string text = {0};
  hd_string_printf(&text, proof, "helpful b work b");
  PROVED(c, "0..\nfair", text.text);
  hd_string_clear(&text);
  hd_string_printf(&text, proof, "");
  WRONG(c, "0..\nfair", text.text, "the step spin");
  hd_string_clear(&text);
  hd_string_printf(&text, proof, "helpful a spin a");
  WRONG(c, "0..\nfair", text.text, "a thread is in a");
  hd_string_clear(&text);
  hd_string_printf(&text, "property p\ninvariant\n|true\nnode 0\n|true\nnode 1\n|true\nnode 3\n|true\nstage\n"
                          "|count(b) >= 1\nrank n\nhelpful b work b\nstage\n|count(b) <= 0\nnode 4\n|n == 0\n");
  WRONG(c, "0..\nfair", text.text, "can be taken");
  /* Every step from b must make the rank smaller, not only that of the helpful edge. */
  const char *rest
      = "INT(n, 3) STATE(a) STATE(b)\nNONBLOCKING(rest) WHEN(true) DO() END\n"
        "NONBLOCKING(work) WHEN(true) DO(n = n - 1) END NONBLOCKING(turn) WHEN(true) DO() END\n"
        "EDGE(a, turn, b) EDGE(b, rest, b) EDGE(b, work, b)\nSPEC(p, AG(IMPLIES(count(b) > 0, AF(n <= 0))))";
  WRONG(rest, "0..\nfair",
        "property p\ninvariant\n|true\nnode 0\n|true\nnode 1\n|true\nnode 3\n|count(b) >= 1\nstage\n"
        "|count(b) >= 1\nrank n\nhelpful b work b\nnode 4\n|n <= 0\n",
        "the step rest");
  hd_string_free(&text);
}

/* An AG that does not begin at the start: its set must be closed. */
static void
globally_inside(void **state)
{
  (void) state;
  const char *c = "INT(n, 3) STATE(a)\nNONBLOCKING(down) WHEN(n > 0) DO(n = n - 1) END\nEDGE(a, down, a)\n"
                  "SPEC(p, AG(IMPLIES(n <= 1, AG(n <= 2))))";
  const char *proof = "property p\ninvariant\n|true\nnode 0\n|true\nnode 1\n|true\nnode 3\n%s\nnode 4\n|n <= 2\n";
  hd_string text = {0};
  hd_string_printf(&text, proof, "|n <= 1");
  PROVED(c, "0..", text.text);
  hd_string_clear(&text);
  hd_string_printf(&text, proof, "|n <= 1 && n >= 1\n|n <= -1\n|n == 0");
  PROVED(c, "0..", text.text);
  hd_string_clear(&text);
  hd_string_printf(&text, proof, "|n <= 3");
  WRONG(c, "0..", text.text, "is in the set of what it is about");
  hd_string_clear(&text);
  const char *up = "INT(n, 0) STATE(a)\nNONBLOCKING(up) WHEN(n < 2) DO(n = n + 1) END\nEDGE(a, up, a)\n"
                   "SPEC(p, AG(IMPLIES(n <= 1, AG(n <= 2))))";
  hd_string_printf(&text, proof, "|n <= 1");
  WRONG(up, "0..", text.text, "the step up (a to a, line 7) leads from its set into it");
  hd_string_free(&text);
}

static void
deadlocks_and_threads(void **state)
{
  (void) state;
  const char *pair = "INT(n, 0) STATE(a) STATE(b) STATE(z)\nBLOCKING(come) WHEN(n < 2) DO(n = n + 1) END\n"
                     "BLOCKING(go) WHEN(n == 2) DO() END\nEDGE(a, come, b) EDGE(b, go, z)\nSPEC(p, AG(n <= 2))";
  const char *proof = "deadlock\ninvariant\n|n == count(b) + count(z) && n >= 0 && n <= 2\n";
  PROVED(pair, "2..2", proof);
  PROVED(pair, "0..0", proof); /* nobody is there to wait */
  WRONG(pair, "1..2", proof, "a step is possible");
  WRONG(pair, "2..3", proof, "a step is possible"); /* the third is too late */
  WRONG(pair, "2..2", "deadlock\ninvariant\n|n == count(b) && n <= 2\n", "the step go");
  /* What the file itself says about threads counts as well. */
  hd_string text = {0};
  hd_string_printf(&text, "THREADS(== 2)\n%s", pair);
  PROVED(text.text, "0..", proof);
  hd_string_free(&text);
}

/* A certificate for one value of a constant. */
static void
constants_with_one_value(void **state)
{
  (void) state;
  const char *c = "CONST(k, k >= 0) CONST(m, true) INT(n, 0) STATE(a)\n"
                  "BLOCKING(go) WHEN(n < k) DO(n = n + 1) END\nEDGE(a, go, a)\nSPEC(p, AG(n <= 3))";
  const char *proof = "property p\ninvariant\n|n <= 3\nnode 0\n|true\nnode 1\n|true\n";
  PROVED(c, "0..\nconstant k 3", proof);
  PROVED(c, "0..\nconstant m -7\nconstant k 3", proof);
  WRONG(c, "0..\nconstant k 4", proof, "the step go");
  WRONG(c, "0..\nconstant m 3", proof, "the step go");
  PROVED(c, "0..\nconstant k -1", proof); /* no such instance is assumed to exist */
}

/* The first guard that holds is the one: the second command is only taken where the first is not. */
static void
order_of_guards(void **state)
{
  (void) state;
  const char *c = "INT(n, 0) STATE(a)\nBLOCKING(go) WHEN(n >= 3) DO(n = 0) WHEN(true) DO(n = n + 1) END\n"
                  "EDGE(a, go, a)\nSPEC(p, AG(n <= 3))";
  PROVED(c, "0..", "property p\ninvariant\n|n <= 3\nnode 0\n|true\nnode 1\n|true\n");
  WRONG(c, "0..", "property p\ninvariant\n|n <= 4\nnode 0\n|true\nnode 1\n|true\n", "fulfils the predicate");
  WRONG(c, "0..", "property p\ninvariant\n|n <= 2\nnode 0\n|true\nnode 1\n|true\n", "leads from the invariant");
  WRONG(c, "0..", "property p\ninvariant\n|n >= 1\nnode 0\n|true\nnode 1\n|true\n", "every start is in the invariant");
  WRONG(c, "0..", "property p\ninvariant\n|n <= 3\nwithout\n|n == 0\nnode 0\n|true\nnode 1\n|true\n", "no start is");
}

/* Numbers that cannot be handled exactly leave the claim open. */
static void
too_large_is_undecided(void **state)
{
  (void) state;
  const char *c = "INT(n, 0) INT(m, 0) STATE(a)\nBLOCKING(go) WHEN(true) DO(n = 3 * n + m, m = n - m) END\n"
                  "EDGE(a, go, a)\nSPEC(p, AG(n >= 0))";
  assert_int_equal(judge(c, "0..",
                         "property p\ninvariant\n|1000000000000000003*n - 1000000000000000007*m >= 0"
                         " && 1000000000000000033*m - 7*n <= 1\nnode 0\n|true\nnode 1\n|true\n",
                         "the step go"),
                   HD_RECHECK_UNDECIDED);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(written_ones_are_proved),
      cmocka_unit_test(changed_ones_are_judged_rightly),
      cmocka_unit_test(random_controllers),
      cmocka_unit_test(until_and_its_sides),
      cmocka_unit_test(and_or_and_next),
      cmocka_unit_test(ranks),
      cmocka_unit_test(helpful_edges),
      cmocka_unit_test(globally_inside),
      cmocka_unit_test(constants_with_one_value),
      cmocka_unit_test(deadlocks_and_threads),
      cmocka_unit_test(order_of_guards),
      cmocka_unit_test(too_large_is_undecided),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
