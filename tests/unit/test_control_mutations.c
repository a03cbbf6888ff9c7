/* Every small mistake in the paper's controllers (examples/controllers) is found, or makes no difference that the
 * properties could see: each token of a guard or an update is changed, one at a time, and each edge gets another
 * action. Then a property is violated, or a deadlock is reachable where there was none, and the controller's code
 * follows the trace (src/replay); or everything is proved as before, and the proofs are checked again (src/recheck).
 * What came of each is printed.
 *
 * HEDDLE_MUTATIONS=all    every one, every trace replayed; else those of the airport are a sample, and so are replays
 * HEDDLE_MUTATIONS=rw     those of one controller, every trace replayed */
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "recheck/recheck.h"
#include "replay/replay.h"
#include "symbolic/symbolic.h"

static const char *const controllers[] = {"mutex", "bb", "bb_mutex", "bb_rw", "rw", "barrier", "airport"};

enum
{
  SAMPLE = 20, /* of the airport's: one in so many; of all of them under sanitizers */
  REPLAYED = 16,
  OPERATIONS = 200000, /* and states, at first: one property that is violated is enough */
  STATES = 5000
};

/* ---- mutations of a text ---- */

typedef struct mutation
{
  size_t at, length; /* what is replaced */
  char with[32];
  char what[64]; /* in words */
} mutation;

typedef struct mutations
{
  const char *text;
  mutation *items;
  size_t n, cap;
} mutations;

typedef struct token
{
  size_t at, length;
} token;

typedef struct tokens
{
  token items[512];
  size_t n;
} tokens;

static void
add(mutations *x, token t, const char *with, const char *what)
{
  mutation m = {.at = t.at, .length = t.length};
  assert_true(strlen(with) < sizeof m.with);
  strcpy(m.with, with);
  if (what)
    snprintf(m.what, sizeof m.what, "%s '%.*s'", what, (int) t.length, x->text + t.at);
  else
    snprintf(m.what, sizeof m.what, "'%.*s' becomes '%s'", (int) t.length, x->text + t.at, with);
  HD_PUSH(x->items, x->n, x->cap, m);
}

static bool
is(const mutations *x, token t, const char *text)
{
  return strlen(text) == t.length && strncmp(x->text + t.at, text, t.length) == 0;
}

/* The tokens between FROM and TO. */
static void
cut(const mutations *x, size_t from, size_t to, tokens *out)
{
  out->n = 0;
  for (size_t i = from; i < to;)
  {
    const char *t = x->text + i;
    size_t n = 1;
    if (isspace((unsigned char) *t))
    {
      i++;
      continue;
    }
    if (isalnum((unsigned char) *t) || *t == '_')
      while (isalnum((unsigned char) t[n]) || t[n] == '_')
        n++;
    else if ((strchr("<>=!+-", *t) && t[1] == '=') || (strchr("&|+-", *t) && t[1] == *t))
      n = 2;
    assert_true(out->n < sizeof out->items / sizeof *out->items);
    out->items[out->n++] = (token){i, n};
    i += n;
  }
}

static bool
is_relation(const mutations *x, token t)
{
  return is(x, t, "<") || is(x, t, "<=") || is(x, t, ">") || is(x, t, ">=") || is(x, t, "==") || is(x, t, "!=");
}

/* One token for another. */
static void
change_tokens(mutations *x, const tokens *k)
{
  static const char *const changes[][2]
      = {{"<", "<="},  {"<", ">"},   {"<=", "<"},  {"<=", ">="}, {">", ">="},       {">", "<"},       {">=", ">"},
         {">=", "<="}, {"==", "!="}, {"==", "<="}, {"==", ">="}, {"!=", "=="},      {"&&", "||"},     {"||", "&&"},
         {"+", "-"},   {"-", "+"},   {"++", "--"}, {"--", "++"}, {"true", "false"}, {"false", "true"}};
  for (size_t i = 0; i < k->n; i++)
  {
    token t = k->items[i];
    for (size_t c = 0; c < sizeof changes / sizeof *changes; c++)
      if (is(x, t, changes[c][0]))
        add(x, t, changes[c][1], NULL);
    char number[32];
    for (int by = -1; by <= 1; by += 2)
      if (isdigit((unsigned char) x->text[t.at]))
      {
        snprintf(number, sizeof number, "%ld", strtol(x->text + t.at, NULL, 10) + by);
        add(x, t, number, NULL);
      }
      else if (i > 0 && is_relation(x, k->items[i - 1]))
      {
        snprintf(number, sizeof number, "%.*s %c 1", (int) t.length, x->text + t.at, by < 0 ? '-' : '+');
        add(x, t, number, NULL);
      }
    if (is(x, t, "!"))
      add(x, t, "", "without");
  }
}

/* Leave out each of the parts that SEPARATORS, two of them, part; the only one becomes OTHERWISE. */
static void
drop_parts(mutations *x, const tokens *k, const char *const *separators, const char *otherwise)
{
  size_t from = 0;
  for (size_t i = 0; i <= k->n; i++)
  {
    bool last = i == k->n;
    if (k->n == 0 || (!last && !is(x, k->items[i], separators[0]) && !is(x, k->items[i], separators[1])))
      continue;
    /* With the separator after it, or, of the last one, before it. */
    bool only = from == 0 && last;
    size_t first = last && !only ? from - 1 : from, end = last ? i - 1 : i;
    size_t at = k->items[first].at, stop = k->items[end].at + k->items[end].length;
    if (!only || !is(x, k->items[0], otherwise))
      add(x, (token){at, stop - at}, only ? otherwise : "", "without");
    from = i + 1;
  }
}

static size_t
closing(const char *text, size_t open)
{
  int depth = 0;
  for (size_t i = open;; i++)
  {
    depth += (text[i] == '(') - (text[i] == ')');
    if (depth == 0)
      return i;
  }
}

/* Another action for the edge with the tokens K. */
static void
swap_action(mutations *x, const tokens *k, const hd_controller *c)
{
  for (size_t a = 0; a < c->nactions; a++)
    if (!is(x, k->items[2], c->actions[a].name))
      add(x, k->items[2], c->actions[a].name, NULL);
}

/* All mutations of TEXT, the file of C. */
static mutations
find_mutations(const char *text, const hd_controller *c)
{
  static const char *const conjunction[] = {"&&", "&&"}, *const sequence[] = {";", ","};
  mutations x = {.text = text};
  static tokens k;
  for (size_t i = (size_t) (strstr(text, "#else") - text); text[i]; i++)
  {
    if (strncmp(text + i, "//", 2) == 0)
      i += strcspn(text + i, "\n");
    bool guard = strncmp(text + i, "WHEN(", 5) == 0, update = strncmp(text + i, "DO(", 3) == 0;
    bool edge = strncmp(text + i, "EDGE(", 5) == 0;
    if (!guard && !update && !edge)
      continue;
    size_t open = i + strcspn(text + i, "("), close = closing(text, open);
    cut(&x, open + 1, close, &k);
    if (edge)
      swap_action(&x, &k, c);
    else
    {
      change_tokens(&x, &k);
      drop_parts(&x, &k, guard ? conjunction : sequence, guard ? "true" : "");
    }
    i = close;
  }
  return x;
}

/* ---- one mutant ---- */

typedef struct tally
{
  size_t refused, refuted, replayed, proved, unknown;
} tally;

typedef struct place
{
  size_t line, column;
} place;

static place
place_of(const char *text, size_t at)
{
  place p = {1, 1};
  for (size_t i = 0; i < at; i++)
  {
    p.line += text[i] == '\n';
    p.column = text[i] == '\n' ? 1 : p.column + 1;
  }
  return p;
}

static void
write_file(const char *path, const char *text, const mutation *m)
{
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  fprintf(f, "%.*s%s%s", (int) m->at, text, m->with, text + m->at + m->length);
  assert_int_equal(fclose(f), 0);
}

/* Every claim of R's certificate is proved again. */
static bool
proved_again(const hd_controller *c, const hd_control_result *r)
{
  hd_recheck_result *again = hd_recheck_run(c, r->certificate, 0);
  bool good = again->verdict == HD_HOLDS;
  for (size_t i = 0; i < c->nspecs; i++)
    good = good && again->claims[i].status == HD_RECHECK_PROVED;
  good = good && (!r->forbid_deadlock || again->claims[c->nspecs].status == HD_RECHECK_PROVED);
  hd_recheck_free(again);
  return good;
}

/* What was violated, how, and whether the code agrees. Returns the number of traces that it followed. */
static size_t
describe(hd_string *out, const hd_controller *c, const hd_control_result *r, bool *differs)
{
  size_t same = 0;
  const char *between = "refuted: ";
  for (size_t i = 0; i <= c->nspecs; i++)
  {
    const hd_control_finding *f = i < c->nspecs ? &r->answers[i].violation : &r->deadlock;
    if (!f->found || (i == c->nspecs && !r->forbid_deadlock))
      continue;
    hd_string_printf(out, "%s%s, %llu %s, %zu steps", between, i < c->nspecs ? c->specs[i].name : "deadlock",
                     (unsigned long long) f->threads, f->threads == 1 ? "thread" : "threads", f->trace.n - 1);
    if (f->replay == HD_CONTROL_REPLAY_SAME)
      hd_string_add(out, ", replayed");
    else if (f->replay_text)
      hd_string_printf(out, ", %s", f->replay_text);
    same += f->replay == HD_CONTROL_REPLAY_SAME;
    *differs = *differs || f->replay == HD_CONTROL_REPLAY_DIFFERS;
    between = "; ";
  }
  return same;
}

static void
judge(const char *name, const char *path, const char *text, const mutation *m, bool deadlock_free, bool all, tally *n)
{
  hd_string out = {0}, messages = {0};
  place p = place_of(text, m->at);
  write_file(path, text, m);
  hd_controller *c = hd_control_read(path, &messages);
  if (!c)
  {
    const char *error = strstr(messages.text, "error: ");
    assert_non_null(error);
    print_message("# %s.h:%zu:%zu: %s: refused: %.*s\n", name, p.line, p.column, m->what,
                  (int) strcspn(error + strlen("error: "), "\n"), error + strlen("error: "));
    n->refused++;
    hd_string_free(&messages);
    return;
  }
  hd_string_clear(&messages);
  hd_control_options options
      = {.most_threads = UINT64_MAX, .forbid_deadlock = deadlock_free, .operations = OPERATIONS, .states = STATES};
  hd_control_result *r = hd_symbolic_verify(c, &options, &messages);
  assert_non_null(r);
  if (r->verdict == HD_INCOMPLETE)
  {
    hd_control_result_free(r);
    options.operations = options.states = 0;
    r = hd_symbolic_verify(c, &options, &messages);
    assert_non_null(r);
  }
  bool replay = r->verdict == HD_VIOLATED && (all || n->refuted % REPLAYED == 0), differs = false;
  if (replay)
    hd_replay_run(c, r, &(hd_replay_options){.include = TEST_SOURCE_ROOT "/include"});
  if (r->verdict == HD_VIOLATED)
  {
    size_t same = describe(&out, c, r, &differs);
    n->refuted++;
    n->replayed += same > 0;
    if (replay && (same == 0 || differs))
      fail_msg("%s:%zu:%zu: %s: not replayed: %s", name, p.line, p.column, m->what, out.text);
  }
  else if (r->verdict == HD_HOLDS)
  {
    n->proved++;
    if (!proved_again(c, r))
      fail_msg("%s:%zu:%zu: %s: a proof is wrong", name, p.line, p.column, m->what);
    hd_string_add(&out, "every property holds, proved again");
  }
  else
  {
    n->unknown++;
    hd_string_add(&out, "UNKNOWN");
    for (size_t i = 0; i < c->nspecs; i++)
      if (r->answers[i].verdict == HD_INCOMPLETE)
        hd_string_printf(&out, ": %s: %s", c->specs[i].name, r->answers[i].incomplete);
  }
  print_message("# %s.h:%zu:%zu: %s: %s\n", name, p.line, p.column, m->what, out.text);
  hd_control_result_free(r);
  hd_control_free(c);
  hd_string_free(&out);
  hd_string_free(&messages);
}

/* ---- all of them ---- */

static char *
read_text(const char *path)
{
  FILE *f = fopen(path, "r");
  assert_non_null(f);
  char *text = calloc(1, 1 << 16);
  assert_non_null(text);
  assert_true(fread(text, 1, (1 << 16) - 1, f) > 0);
  fclose(f);
  return text;
}

static void
mutate(const char *name, const char *folder, bool all, tally *n)
{
  hd_string path = {0}, copy = {0}, messages = {0};
  hd_string_printf(&path, TEST_SOURCE_ROOT "/examples/controllers/%s.h", name);
  hd_string_printf(&copy, "%s/%s.h", folder, name);
  hd_controller *c = hd_control_read(path.text, &messages);
  assert_non_null(c);
  hd_control_result *r = hd_symbolic_verify(c, &(hd_control_options){.most_threads = UINT64_MAX}, &messages);
  assert_non_null(r);
  assert_int_equal(r->verdict, HD_HOLDS);
  char *text = read_text(path.text);
  mutations x = find_mutations(text, c);
  size_t step = !all && (getenv("HEDDLE_TEST_SANITIZED") || strcmp(name, "airport") == 0) ? SAMPLE : 1;
  for (size_t i = 0; i < x.n; i += step)
    judge(name, copy.text, text, &x.items[i], r->no_deadlock, all, n);
  print_message("# %s.h: %zu mutations, %zu of them judged\n", name, x.n, (x.n + step - 1) / step);
  unlink(copy.text);
  free(x.items);
  free(text);
  hd_control_result_free(r);
  hd_control_free(c);
  hd_string_free(&path);
  hd_string_free(&copy);
  hd_string_free(&messages);
}

static void
mistakes_are_found_or_make_no_difference(void **state)
{
  (void) state;
  const char *wanted = getenv("HEDDLE_MUTATIONS");
  bool all = wanted && *wanted, every = !all || strcmp(wanted, "all") == 0;
  char folder[] = "/tmp/heddle-mutations-XXXXXX";
  assert_non_null(mkdtemp(folder));
  tally n = {0};
  for (size_t i = 0; i < sizeof controllers / sizeof *controllers; i++)
    if (every || strcmp(wanted, controllers[i]) == 0)
      mutate(controllers[i], folder, all, &n);
  rmdir(folder);
  print_message("# %zu mutants refuted, %zu with a replayed trace; %zu proved; %zu unknown; %zu are no controllers\n",
                n.refuted, n.replayed, n.proved, n.unknown, n.refused);
  assert_int_equal(n.unknown, 0);
  assert_true(n.refuted > 0 && n.replayed > 0);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(mistakes_are_found_or_make_no_difference),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
