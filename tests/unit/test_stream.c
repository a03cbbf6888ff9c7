/* test_stream.c: hd_linear_stream, which judges while it reads, against all orders tried one by one, and on long
 * histories against hd_linear_decide.
 *
 * Clients use a register, a counter, or a few keys of a map or set; operations overlap, some never return, and in half
 * of the histories a result is changed. Short ones must be judged exactly. Of long ones the stream may give up some,
 * but must not accept what is wrong.
 *
 * HEDDLE_CASES=n   how many histories of each test (default 200000 short, 5000 long)
 * HEDDLE_SEED=n    print and judge only the history with this number */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/base.h"
#include "brute/enumerate.h"
#include "linear/linear.h"
#include "specs/specs.h"

enum
{
  MAX_OPS = 600,
  MAX_CLIENTS = 24,
};

/* ---- histories ---- */

typedef struct event
{
  uint32_t op;
  bool returns;
} event;

typedef struct story
{
  const hd_spec *spec;
  hd_value config[1];
  size_t nconfig, n, nevents;
  hd_linear_op ops[MAX_OPS];
  uint32_t process[MAX_OPS];
  event events[2 * MAX_OPS];
} story;

typedef struct plan
{
  size_t n;
  unsigned clients, keys, values;
} plan;

static uint64_t
below(uint64_t *random, uint64_t n)
{
  return hd_random(random) % n;
}

static bool
chance(uint64_t *random, unsigned percent)
{
  return below(random, 100) < percent;
}

static bool
is(const story *s, const char *name)
{
  return strcmp(s->spec->name, name) == 0;
}

static void
choose(story *s, const plan *p, hd_linear_op *o, uint64_t *random)
{
  do
    o->method = (uint32_t) below(random, s->spec->nmethods);
  while (strcmp(s->spec->methods[o->method].name, "append") == 0);
  o->nargs = (uint8_t) strlen(s->spec->methods[o->method].args);
  bool keyed = is(s, "map") || is(s, "set");
  for (size_t i = 0; i < o->nargs; i++)
    o->args[i] = hd_int((int64_t) below(random, keyed && i == 0 ? p->keys : p->values));
}

/* O takes effect in STATE: what it returns. */
static void
apply(const story *s, void *state, hd_linear_op *o, uint64_t *random)
{
  hd_op op = {.method = o->method, .nargs = o->nargs, .args = o->args};
  assert_int_equal(s->spec->outcomes(state, &op, &op.ret, 1), 1);
  assert_int_not_equal(s->spec->apply(state, &op, NULL), HD_REJECT);
  o->ret = op.ret;
  bool looks = s->spec->methods[o->method].role == HD_OBSERVER;
  bool is_add = is(s, "counter") && o->nargs == 1; /* with its result it is not for streams */
  if (is_add || (!looks && s->spec->methods[o->method].ret == '*' && chance(random, 20)))
    o->ret = hd_nil();
  else if (is(s, "map") && looks && o->ret.type == HD_NIL && chance(random, 50))
    o->ret = hd_int(-1);
}

static void
simulate(story *s, const plan *p, uint64_t *random)
{
  struct
  {
    size_t op; /* + 1 */
    bool done;
  } clients[MAX_CLIENTS] = {0};
  void *state = s->spec->create(s->config, s->nconfig);
  bool leave = chance(random, 40); /* some never return */
  for (;;)
  {
    unsigned c = (unsigned) below(random, p->clients);
    hd_linear_op *o = &s->ops[clients[c].op ? clients[c].op - 1 : s->n];
    if (!clients[c].op)
    {
      if (s->n == p->n)
        break;
      *o = (hd_linear_op){.thread = c, .pending = true, .start = s->nevents, .id = s->n};
      choose(s, p, o, random);
      s->process[s->n] = c;
      s->events[s->nevents++] = (event){(uint32_t) s->n, false};
      clients[c].op = ++s->n;
      clients[c].done = false;
    }
    else if (!clients[c].done)
    {
      apply(s, state, o, random);
      clients[c].done = true;
    }
    else
    {
      o->pending = false;
      o->end = s->nevents;
      s->events[s->nevents++] = (event){(uint32_t) clients[c].op - 1, true};
      clients[c].op = 0;
    }
  }
  for (unsigned c = 0; c < p->clients; c++)
    if (clients[c].op && !(leave && chance(random, 70)))
    {
      hd_linear_op *o = &s->ops[clients[c].op - 1];
      if (!clients[c].done)
        apply(s, state, o, random);
      o->pending = false;
      o->end = s->nevents;
      s->events[s->nevents++] = (event){(uint32_t) clients[c].op - 1, true};
    }
  s->spec->destroy(state);
}

/* A result that another operation had, or a small number. */
static void
spoil(story *s, uint64_t *random)
{
  hd_linear_op *o = &s->ops[below(random, s->n)], *other = &s->ops[below(random, s->n)];
  if (o->pending)
    return;
  char letter = s->spec->methods[o->method].ret;
  if (letter == 'b')
    o->ret = hd_bool(below(random, 2));
  else if (other->method == o->method && !other->pending)
    o->ret = other->ret;
  else if (s->spec->methods[o->method].role == HD_OBSERVER)
    o->ret = hd_int((int64_t) below(random, 4));
}

static void
make(story *s, const plan *p, uint64_t *random)
{
  static const char *const names[] = {"register", "map", "set", "counter"};
  *s = (story){.spec = hd_specs_find(names[below(random, 4)])};
  if ((is(s, "register") || is(s, "counter")) && chance(random, 50))
  {
    s->nconfig = 1;
    s->config[0] = hd_int((int64_t) below(random, 3) - 1);
  }
  simulate(s, p, random);
  for (uint64_t n = chance(random, 40) ? 0 : 2 + below(random, 4); n > 0 && s->n > 0; n--)
    spoil(s, random);
}

static void
show(const story *s)
{
  hd_string text = {0};
  for (size_t i = 0; i < s->nevents; i++)
  {
    const hd_linear_op *o = &s->ops[s->events[i].op];
    hd_string_printf(&text, "# %c %u", s->events[i].returns ? 'R' : 'I', s->process[s->events[i].op]);
    if (!s->events[i].returns)
      hd_string_printf(&text, " %s", s->spec->methods[o->method].name);
    for (size_t k = 0; k < (s->events[i].returns ? 1u : o->nargs); k++)
    {
      hd_string_add(&text, " ");
      hd_value_print(&text, s->events[i].returns ? o->ret : o->args[k], 20);
    }
    hd_string_add(&text, "\n");
  }
  print_message("# %s, initially %s%" PRId64 "\n%s", s->spec->name, s->nconfig ? "" : "its own, not ", s->config[0].i,
                text.text ? text.text : "");
  hd_string_free(&text);
}

/* ---- asking ---- */

static bool
stream_holds(const story *s, uint32_t rules)
{
  hd_linear_stream *stream
      = hd_linear_stream_new(s->spec, &(hd_linear_options){.config = s->config, .nconfig = s->nconfig, .rules = rules});
  assert_non_null(stream);
  bool good = true;
  for (size_t i = 0; i < s->nevents && good; i++)
  {
    const hd_linear_op *o = &s->ops[s->events[i].op];
    uint32_t process = s->process[s->events[i].op];
    const int64_t args[2] = {o->args[0].i, o->args[1].i};
    good = s->events[i].returns ? hd_linear_stream_return(stream, process, o->ret.type != HD_NIL, o->ret.i)
                                : hd_linear_stream_call(stream, process, o->method, args);
  }
  good = good && hd_linear_stream_end(stream);
  hd_linear_stream_free(stream);
  return good;
}

static uint64_t
number(const char *variable, uint64_t otherwise)
{
  const char *text = getenv(variable);
  return text && *text ? strtoull(text, NULL, 10) : otherwise;
}

/* For each history: is the stream's answer right? */
static void
run(uint64_t cases, void (*prepare)(plan *p, uint64_t *random), bool (*judge)(const story *s, bool holds))
{
  uint64_t only = number("HEDDLE_SEED", UINT64_MAX), held = 0;
  cases = number("HEDDLE_CASES", cases);
  story *s = hd_alloc(sizeof *s);
  for (uint64_t seed = only == UINT64_MAX ? 0 : only; seed < (only == UINT64_MAX ? cases : only + 1); seed++)
  {
    uint64_t random = hd_mix(seed + 1);
    plan p;
    prepare(&p, &random);
    make(s, &p, &random);
    bool holds = stream_holds(s, HD_LINEAR_ALL);
    held += holds;
    bool right = judge(s, holds);
    if (!right || only != UINT64_MAX)
    {
      show(s);
      print_message("# HEDDLE_SEED=%" PRIu64 ": the stream %s\n", seed, holds ? "accepts" : "gives up");
    }
    assert_true(right);
  }
  free(s);
  print_message("# %" PRIu64 " of %" PRIu64 " hold\n", held, cases);
  assert_true(only != UINT64_MAX || (held > cases / 4 && held < cases));
}

static void
prepare_short(plan *p, uint64_t *random)
{
  *p = (plan){.n = 1 + below(random, 9),
              .clients = 1 + (unsigned) below(random, 5),
              .keys = 1 + (unsigned) below(random, 3),
              .values = 1 + (unsigned) below(random, 4)};
}

static bool
judge_short(const story *s, bool holds)
{
  enumerated all = enumerate_orders(s->spec, s->config, s->nconfig, s->ops, s->n);
  assert_int_not_equal(all, ENUMERATED_TOO_MANY);
  return holds == (all == ENUMERATED_SOME);
}

static void
test_short(void **state)
{
  (void) state;
  run(200000, prepare_short, judge_short);
}

static void
prepare_long(plan *p, uint64_t *random)
{
  *p = (plan){.n = 20 + below(random, MAX_OPS - 20),
              .clients = 2 + (unsigned) below(random, 7),
              .keys = 1 + (unsigned) below(random, 40),
              .values = 1 + (unsigned) below(random, 60)};
}

static bool
judge_long(const story *s, bool holds)
{
  hd_linear_result r;
  hd_linear_decide(s->spec, s->ops, s->n,
                   &(hd_linear_options){.config = s->config, .nconfig = s->nconfig, .rules = HD_LINEAR_ALL}, &r);
  return !holds || r.answer == HD_LINEAR_HOLDS;
}

static void
test_long(void **state)
{
  (void) state;
  run(5000, prepare_long, judge_long);
}

/* ---- by hand ---- */

static hd_linear_stream *
new_stream(const char *spec, uint32_t rules)
{
  return hd_linear_stream_new(hd_specs_find(spec), &(hd_linear_options){.rules = rules});
}

/* Which specifications and rules it is for. */
static void
test_kinds(void **state)
{
  (void) state;
  static const char *const other[] = {"queue", "stack", "pqueue", "multiset", "lock"};
  for (size_t i = 0; i < sizeof other / sizeof *other; i++)
    assert_null(new_stream(other[i], HD_LINEAR_ALL));
  assert_null(new_stream("map", HD_LINEAR_ALL & ~HD_LINEAR_PARTITION));
  assert_null(new_stream("set", HD_LINEAR_ALL & ~HD_LINEAR_SPECIAL));
  hd_linear_stream *s = new_stream("set", HD_LINEAR_ALL & ~HD_LINEAR_PARTITION); /* its algorithm takes it as a whole */
  assert_non_null(s);
  assert_true(hd_linear_stream_end(s));
  hd_linear_stream_free(s);
  hd_linear_options texts = {.config = (hd_value[]){hd_str("a")}, .nconfig = 1, .rules = HD_LINEAR_ALL};
  assert_null(hd_linear_stream_new(hd_specs_find("register"), &texts));
}

/* What a cell cannot hold, and misuse, makes it give up. */
static void
test_unfit(void **state)
{
  (void) state;
  enum
  {
    GET,
    PUT,
    APPEND
  };
  hd_linear_stream *s = new_stream("map", HD_LINEAR_ALL);
  assert_false(hd_linear_stream_call(s, 0, PUT, (int64_t[]){1, -1}));
  assert_false(hd_linear_stream_call(s, 0, PUT, (int64_t[]){1, INT64_MIN}));
  assert_false(hd_linear_stream_call(s, 0, APPEND, (int64_t[]){1, 1}));
  assert_false(hd_linear_stream_return(s, 0, false, 0));
  assert_false(hd_linear_stream_return(s, 7, false, 0));
  assert_true(hd_linear_stream_call(s, 0, PUT, (int64_t[]){1, 1}));
  assert_false(hd_linear_stream_call(s, 0, PUT, (int64_t[]){1, 1}));
  assert_false(hd_linear_stream_return(s, 0, true, 0));
  hd_linear_stream_free(s);
}

/* Two writes overlap: both values are possible until somebody looks, and not both after that. */
static void
test_several_values(void **state)
{
  (void) state;
  enum
  {
    READ,
    WRITE,
    CAS
  };
  for (int64_t seen = 1; seen <= 3; seen++)
    for (int64_t then = 1; then <= 3; then++)
    {
      hd_linear_stream *s = new_stream("register", HD_LINEAR_ALL);
      assert_true(hd_linear_stream_call(s, 1, WRITE, (int64_t[]){1, 0}));
      assert_true(hd_linear_stream_call(s, 2, WRITE, (int64_t[]){2, 0}));
      assert_true(hd_linear_stream_return(s, 1, false, 0));
      assert_true(hd_linear_stream_return(s, 2, false, 0));
      assert_true(hd_linear_stream_call(s, 1, CAS, (int64_t[]){3, 4}));
      assert_true(hd_linear_stream_return(s, 1, true, 0));
      assert_true(hd_linear_stream_call(s, 1, READ, (int64_t[]){0, 0}));
      bool good = hd_linear_stream_return(s, 1, true, seen);
      assert_int_equal(good, seen < 3);
      good = good && hd_linear_stream_call(s, 1, READ, (int64_t[]){0, 0}) && hd_linear_stream_return(s, 1, true, then);
      assert_int_equal(good, seen < 3 && seen == then);
      hd_linear_stream_free(s);
    }
}

/* A key on which something is always open is given up, and so are too many values. */
static void
test_limits(void **state)
{
  (void) state;
  hd_linear_stream *s = new_stream("register", HD_LINEAR_ALL);
  assert_true(hd_linear_stream_call(s, 0, 1, (int64_t[]){1, 0}));
  bool good = true;
  for (int64_t i = 0; i < 5000 && good; i++)
    good = hd_linear_stream_call(s, 1, 1, (int64_t[]){i, 0}) && hd_linear_stream_return(s, 1, false, 0);
  assert_false(good);
  hd_linear_stream_free(s);
  s = new_stream("register", HD_LINEAR_ALL);
  for (uint32_t i = 0; i < 70; i++)
    assert_true(hd_linear_stream_call(s, i, 1, (int64_t[]){i, 0}));
  for (uint32_t i = 0; i < 69; i++)
    assert_true(hd_linear_stream_return(s, i, false, 0));
  assert_false(hd_linear_stream_return(s, 69, false, 0));
  hd_linear_stream_free(s);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_kinds),  cmocka_unit_test(test_unfit), cmocka_unit_test(test_several_values),
      cmocka_unit_test(test_limits), cmocka_unit_test(test_short), cmocka_unit_test(test_long),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
