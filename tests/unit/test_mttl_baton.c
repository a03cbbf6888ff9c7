/* test_mttl_baton.c: batons and the quiet ways of src/mttl against objects in a monitor without short cuts: random
 * executions of threads that take and give mutexes, write variables, set their own or follow rules, end and are
 * created, with everything that each property says, and with who is said to have brought it about, where and in which
 * order. Threads mostly stay with what they do and at the same place, as programs do: so that short cuts are taken.
 *
 * HEDDLE_SEED=n    only this one */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mttl/mttl.h"

enum
{
  THREADS = 3, /* at once */
  MUTEXES = 4,
  VARIABLES = 2,
  EVENTS = 600,
  CASES = 300,
  DEEP = 3,    /* calls that are open, at most */
  TEXTS = 100, /* with rules at random, */
  LOOPS = 60   /* of so many loops */
};

static const char text[]
    = "shared int x = 0, y = 0; local int v = 0; local bool w = false; local int n = 0; local int z = 0;\n"
      "on enter f: n = n + 1;\n"
      "on enter f: v = n;\n"
      "on exit f: v = 0;\n"
      "on enter g: w = true;\n"
      "on exit g: w = false;\n"
      "property near: forall i: @i( x <= y + 3 && y <= x + 3 && x >= 0 ) report each;\n"
      "property same: forall i: @i( v > 0 -> !(exists j != i: (v == @j(@i(v)))) ) report each;\n"
      "property alone: forall i: @i( w -> forall j != i: (!@j(w) || @j(v) < 5) ) report each;\n"
      "property last: forall i: @i( (prev (x <= 5)) || once (y > 4 && x > 4) ) report each;\n"
      "property never: @1( false ) report each;\n";
/* The same without what changes with each event: here plans can be followed, and so parcels be light. */
static const char calm[]
    = "shared int x = 0, y = 0; local int v = 0; local int w = 0; local int n = 0; local int z = 0;\n"
      "on enter f: n = n + 1;\n"
      "on enter f: v = n;\n"
      "on exit f: v = 0;\n"
      "on enter g: w = 1;\n"
      "on exit g: w = 0;\n"
      "property same: forall i: @i( v > 0 -> !(exists j != i: (v == @j(@i(v)))) ) report each;\n"
      "property alone: forall i: @i( w > 0 -> forall j != i: (@j(w) != w || @j(v) < 7) ) report each;\n"
      "property few: forall i: @i( forall j != i: (@j(v) != 9) ) report each;\n"
      "property odd: forall i: @i( forall j != i: (@j(z % 4 == 3) -> @j(v) != 6 && @j(w) != 5) ) report each;\n";

/* Two variables of a thread that are compared with each other. */
static const char two[]
    = "shared int x = 0, y = 0; local int v = 0; local int w = 0; local int n = 0; local int z = 0;\n"
      "on enter f: n = n + 1;\n"
      "on enter f: v = n;\n"
      "on exit f: v = 0;\n"
      "on enter g: w = 1;\n"
      "on exit g: w = 0;\n"
      "property apart: forall i: @i( v == 0 || v != z ) report each;\n"
      "property same: forall i: @i( v > 0 -> !(exists j != i: (v == @j(@i(v)))) ) report each;\n";

/* Of a function: what its beginning says, after what its end does; or its end alone. */
typedef struct order
{
  const hd_mttl_rule *rules[8];
  size_t n;
} order;

/* How a side does it. */
typedef enum way
{
  PLAIN,    /* without any short cut */
  QUIET,    /* with all but routines, and what else asks for nothing but the same again */
  ROUTINES, /* with all */
  WAYS
} way;

typedef struct side
{
  way way;
  hd_mttl_monitor *m;
  hd_mttl_thread *t[THREADS];
  hd_mttl_location places[VARIABLES];
  hd_mttl_object objects[MUTEXES], posts[MUTEXES];
  hd_mttl_baton batons[MUTEXES];
  uint64_t said;           /* a digest of what was reported, and where */
  const uintptr_t *frames; /* where the thread is whose event this is */
  uint32_t nframes;
  uint64_t place[THREADS];     /* where each was at its last call, */
  uint64_t set_at[THREADS][2]; /* ... and when it set a variable last, as two calls of the program's may do */
  uint64_t again;              /* how often a call was the next of a routine, */
  uint64_t touched_again;      /* ... an access was the same again, */
  uint64_t placed_again;       /* ... and a variable was set where it had been before */
} side;

static void
say(side *s, uint64_t what)
{
  s->said = (s->said ^ what) * 0x9e3779b97f4a7c15ull;
  s->said ^= s->said >> 29;
}

static void
report(void *context, hd_mttl_thread *t, const hd_mttl_property *property)
{
  side *s = context;
  hd_mttl_witness by[16];
  hd_string why = {0};
  say(s, property->place.line * 16 + hd_mttl_thread_number(t) + 1);
  hd_mttl_explain(&why, t, property);
  for (size_t i = 0; i < why.length; i++)
    say(s, (unsigned char) why.text[i]);
  hd_string_free(&why);
  size_t n = hd_mttl_witnesses(t, property, by, sizeof by / sizeof *by);
  for (size_t i = 0; i < n; i++)
  {
    const hd_mttl_origin *o = by[i].origin;
    say(s, by[i].thread);
    say(s, (uint64_t) o->event.set + 1);
    say(s, o->event.set >= 0 ? (uint64_t) o->event.value.number : o->event.op);
    for (uint32_t k = 0; k < o->nframes; k++)
      say(s, o->frames[k]);
  }
}

static bool
where(void *context, hd_mttl_thread *t, hd_mttl_stack *stack)
{
  const side *s = context;
  (void) t;
  if (s->nframes > 0)
    *stack = (hd_mttl_stack){s->frames[0], s->frames + 1, 1, s->nframes - 1};
  return s->nframes > 0;
}

static uint64_t
next_random(uint64_t *state)
{
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state;
}

static void
start(side *s, const hd_mttl_file *f, way way)
{
  memset(s, 0, sizeof *s);
  s->way = way;
  s->m = hd_mttl_monitor_new(f, report, s);
  if (way == PLAIN)
    hd_mttl_monitor_plain(s->m);
  hd_mttl_monitor_where(s->m, where);
  for (unsigned i = 0; i < THREADS; i++)
    s->t[i] = hd_mttl_thread_new(s->m, i ? s->t[0] : NULL, NULL);
}

static void
stop(side *s)
{
  for (unsigned i = 0; i < THREADS; i++)
    hd_mttl_thread_free(s->t[i]);
  for (unsigned i = 0; i < VARIABLES; i++)
    hd_mttl_location_clear(&s->places[i]);
  for (unsigned i = 0; i < MUTEXES; i++)
  {
    hd_mttl_object_clear(&s->objects[i]);
    hd_mttl_object_clear(&s->posts[i]);
    hd_mttl_baton_clear(&s->batons[i]);
  }
  hd_mttl_monitor_free(s->m);
}

static void
use_mutex(side *s, unsigned t, unsigned m, bool takes)
{
  hd_mttl_event e = HD_MTTL_NO_EVENT;
  hd_mttl_thread *thread = s->t[t];
  hd_mttl_baton *b = &s->batons[m];
  if (s->way == PLAIN && takes)
    hd_mttl_acquire(thread, &s->objects[m], &e);
  else if (s->way == PLAIN)
    hd_mttl_release(thread, &s->objects[m], &e);
  else if (takes && !hd_mttl_take_again(thread, b) && !hd_mttl_take_quietly(thread, b))
    hd_mttl_take(thread, b, &e);
  else if (!takes && !(hd_mttl_is_idle_at_once(thread) && hd_mttl_give_again(thread, b))
           && !hd_mttl_give_quietly(thread, b))
    hd_mttl_give(thread, b, &e);
}

/* A semaphore: what was known when somebody posted to it adds up. */
static void
use_post(side *s, unsigned t, unsigned m, bool waits)
{
  hd_mttl_event e = HD_MTTL_NO_EVENT;
  if (s->way == PLAIN || !hd_mttl_exchange_quietly(s->t[t], &s->posts[m], waits, !waits))
    hd_mttl_exchange(s->t[t], &s->posts[m], waits, !waits, &e);
}

static void
touch(side *s, unsigned t, unsigned x, bool writes, int64_t value)
{
  hd_mttl_location *place = &s->places[x];
  hd_mttl_event e = HD_MTTL_NO_EVENT;
  e.op = writes ? HD_MTTL_W : HD_MTTL_R;
  e.variable = (int32_t) x;
  e.value = (hd_mttl_value){.type = HD_MTTL_INT, .number = value};
  bool quiet = !hd_mttl_asks_for(s->m, x);
  if (s->way == ROUTINES && quiet && hd_mttl_is_idle_at_once(s->t[t])
      && (writes ? hd_mttl_writes_again(s->t[t], place) : hd_mttl_reads_again(s->t[t], place)))
  {
    s->touched_again++;
    return;
  }
  if (quiet && (writes ? hd_mttl_writes_quietly(s->t[t], place) : hd_mttl_reads_quietly(s->t[t], place)))
    return;
  if (writes)
    hd_mttl_writes(s->t[t], &place, 1, &e);
  else
    hd_mttl_reads(s->t[t], &place, 1, &e);
}

static order orders[2][2]; /* of f and g; with a beginning, without */

static void
add_rules(order *o, const hd_mttl_file *f, const char *name, hd_mttl_moment moment)
{
  for (size_t i = 0; i < f->nrules; i++)
    if (f->rules[i].moment == moment && strcmp(f->rules[i].name, name) == 0)
      o->rules[o->n++] = &f->rules[i];
}

static void
find_orders(const hd_mttl_file *f)
{
  memset(orders, 0, sizeof orders);
  for (unsigned i = 0; i < 4; i++)
  {
    add_rules(&orders[i / 2][i % 2], f, i / 2 ? "g" : "f", HD_MTTL_EXIT);
    if (i % 2 == 0)
      add_rules(&orders[i / 2][i % 2], f, i / 2 ? "g" : "f", HD_MTTL_ENTER);
  }
}

/* A call begins or ends, at the same place as the last one or not. */
static void
call(side *s, unsigned t, const order *o, bool same)
{
  uint64_t place = same ? s->place[t] : 0;
  if (s->way == ROUTINES && place && hd_mttl_follow_again(s->t[t], o->rules, place))
    s->again++;
  else
    s->place[t] = hd_mttl_follow(s->t[t], o->rules, o->n, place);
}

/* PLACE: of the call of the program's that does this. */
static void
set(side *s, const hd_mttl_file *f, unsigned t, unsigned variable, int64_t value, uint64_t *place)
{
  hd_mttl_type type = f->variables[VARIABLES + variable].type;
  hd_mttl_value v = {.type = type, .number = type == HD_MTTL_BOOL ? value & 1 : value};
  if (s->way != ROUTINES)
  {
    hd_mttl_internal(s->t[t], VARIABLES + variable, v);
    return;
  }
  uint64_t before = *place;
  *place = hd_mttl_internal_again(s->t[t], VARIABLES + variable, v, before);
  s->placed_again += before && *place == before;
}

/* Many in a row. */
static void
set_often(side *s, const hd_mttl_file *f, unsigned t, unsigned variable, uint64_t random)
{
  for (unsigned i = 0; i < 20; i++)
    set(s, f, t, variable, (int64_t) (next_random(&random) >> 40 & 7), &s->set_at[t][0]);
}

/* Thread T ends, another one that it has made takes its place and joins it, or not. */
static void
succeed(side *s, unsigned t, bool joins)
{
  hd_mttl_object token = {0};
  hd_mttl_event e = HD_MTTL_NO_EVENT;
  hd_mttl_thread *next = hd_mttl_thread_new(s->m, s->t[t], NULL);
  hd_mttl_exits(s->t[t], &token);
  hd_mttl_thread_free(s->t[t]);
  if (joins)
    hd_mttl_acquire(next, &token, &e);
  hd_mttl_object_clear(&token);
  s->t[t] = next;
  s->place[t] = s->set_at[t][0] = s->set_at[t][1] = 0;
}

static const unsigned settable[] = {0, 1, 3}; /* N is what a rule counts */

/* Have all said the same? And do those with batons pass on the same, counted in the same way? */
static bool
agree(const side *sides)
{
  bool same = sides[PLAIN].said == sides[QUIET].said && sides[PLAIN].said == sides[ROUTINES].said;
  for (unsigned i = 0; i < MUTEXES; i++)
  {
    const hd_mttl_baton *a = &sides[QUIET].batons[i], *b = &sides[ROUTINES].batons[i];
    same = same && a->stamp == b->stamp && a->number == b->number;
  }
  for (unsigned i = 0; i < VARIABLES; i++)
  {
    const hd_mttl_location *a = &sides[QUIET].places[i], *b = &sides[ROUTINES].places[i];
    same = same && a->written.stamp == b->written.stamp && a->written.number == b->written.number
           && a->nreaders == b->nreaders;
  }
  return same;
}

static void
run_case(const hd_mttl_file *f, uint64_t seed, uint64_t *said)
{
  side sides[WAYS];
  uint64_t state = seed * 0x9e3779b97f4a7c15ull + 1;
  int holder[MUTEXES];
  uintptr_t frames[THREADS][DEEP] = {{0}};                                        /* now; */
  uintptr_t called[THREADS][DEEP + 1] = {{0}}, set_at[THREADS][DEEP + 1] = {{0}}; /* at the last call, and how many */
  unsigned depth[THREADS] = {0}, t = 0;
  for (way w = PLAIN; w < WAYS; w++)
    start(&sides[w], f, w);
  for (unsigned i = 0; i < MUTEXES; i++)
    holder[i] = -1;
  for (unsigned i = 0; i < EVENTS; i++)
  {
    uint64_t r = next_random(&state);
    if (i % (1u << seed % 6) == 0)
      t = r % THREADS;
    unsigned m = r >> 8 & (MUTEXES - 1), x = r >> 16 & (VARIABLES - 1), what = r >> 32 & 15;
    int64_t value = (int64_t) (r >> 24 & 7);
    bool free = holder[m] < 0;
    if ((r >> 40 & 15) == 0) /* calls that nobody names */
      depth[t] = (unsigned) (r >> 44) % (DEEP + 1);
    for (unsigned k = 0; k < depth[t]; k++)
      frames[t][k] = frames[t][k] && (r >> (48 + 3 * k) & 7) ? frames[t][k] : (r >> (58 + k) & 1) + 1;
    uintptr_t *last = what < 3 ? called[t] : set_at[t];
    bool same = last[DEEP] == depth[t] && memcmp(last, frames[t], depth[t] * sizeof *frames[t]) == 0;
    if (what < 5)
    {
      memcpy(last, frames[t], sizeof frames[t]);
      last[DEEP] = depth[t];
    }
    for (way w = PLAIN; w < WAYS; w++)
    {
      side *s = &sides[w];
      s->frames = frames[t];
      s->nframes = depth[t];
      if ((what == 3 || what == 4) && !same)
        s->set_at[t][0] = 0;
      if (what < 3)
        call(s, t, &orders[x == 0][r >> 48 & 1], same);
      else if (what == 3)
        set(s, f, t, settable[(r >> 20) % 3], value, &s->set_at[t][0]);
      else if (what == 4 && (r >> 36 & 7) < 4 && (r >> 36 & 7) > 0)
        set_often(s, f, t, settable[(r >> 20) % 3], r);
      else if (what == 4 && (r >> 36 & 7) == 0)
        succeed(s, t, r >> 48 & 1);
      else if (what == 5 || (!free && holder[m] != (int) t))
        touch(s, t, x, r >> 33 & 1, value);
      if (what > 5 && (free || holder[m] == (int) t))
        use_mutex(s, t, m, free);
    }
    if (what > 5 && (free || holder[m] == (int) t))
      holder[m] = free ? (int) t : -1;
    if (!agree(sides))
      fail_msg("HEDDLE_SEED=%" PRIu64 ": at event %u of thread %u, with\n%s", seed, i, t, f->text);
  }
  *said ^= sides[QUIET].said;
  for (way w = PLAIN; w < WAYS; w++)
    stop(&sides[w]);
}

static void
run_all(const char *properties)
{
  hd_string messages = {0};
  hd_mttl_file *f = hd_mttl_parse("batons", properties, strlen(properties), &messages);
  const char *only = getenv("HEDDLE_SEED");
  uint64_t said = 0;
  if (!f)
    fail_msg("%s", messages.text);
  find_orders(f);
  for (uint64_t seed = only ? strtoull(only, NULL, 10) : 1, n = only ? 1 : CASES; n > 0; n--, seed++)
    run_case(f, seed, &said);
  assert_true(said != 0);
  hd_mttl_free(f);
}

static void
test_batons(void **unused)
{
  (void) unused;
  run_all(text);
}

static void
test_light(void **unused)
{
  (void) unused;
  run_all(calm);
}

static void
test_two(void **unused)
{
  (void) unused;
  run_all(two);
}

/* Rules at random, with numbers that make properties false now and then. What is passed on is one variable, V; the
 * others have values for rules. */
static void
random_properties(hd_string *out, uint64_t *state)
{
  static const char *const moments[] = {"enter f", "exit f", "enter g", "exit g"};
  hd_string_add(out, "shared int x = 0, y = 0; local int v = 0; local int w = 0; local int n = 0; local int z = 0;\n");
  for (unsigned i = 0; i < 4; i++)
    for (unsigned k = 1 + next_random(state) % 3; k > 0; k--)
    {
      uint64_t r = next_random(state);
      hd_string_printf(out, "on %s: %c = ", moments[i], "vwnz"[k == 2 - (i & 1) ? 0 : r & 3]);
      if (r >> 8 & 3)
        hd_string_printf(out, "%c%s", "vwnz"[r >> 16 & 3], r >> 10 & 1 ? " + " : ";\n");
      if (!(r >> 8 & 3) || r >> 10 & 1)
        hd_string_printf(out, "%d;\n", (int) (r >> 20 & (r >> 8 & 3 ? 3 : 31)));
    }
  if (next_random(state) & 1)
    hd_string_add(out, "property seen: forall i: @i( write(x) -> y < 3 ) report each;\n");
  hd_string_add(out, "property same: forall i: @i( v > 0 -> !(exists j != i: (v == @j(@i(v)))) ) report each;\n"
                     "property few: forall i: @i( forall j != i: (@j(v) != 9) ) report each;\n"
                     "property own: forall i: @i( v != 21 && v != 30 ) report each;\n");
}

/* T does nothing but calling a function again and again where it is, and using what is shared, and mostly takes and
 * gives mutex M meanwhile. */
static void
call_often(side *s, unsigned t, const order *o, unsigned m, uint64_t random)
{
  for (unsigned i = random >> 50 & 63; i > 0; i--)
  {
    bool locks = random >> i & 7;
    if (locks)
      use_mutex(s, t, m, true);
    call(s, t, o, true);
    for (unsigned k = random & 3; k > 0; k--)
      touch(s, t, k & random >> 2 & 1, k > 1, 0);
    if (locks)
      use_mutex(s, t, m, false);
  }
}

/* The same of one that marks by itself where something begins and ends. */
static void
mark_often(side *s, const hd_mttl_file *f, unsigned t, unsigned m, uint64_t random)
{
  const uintptr_t begins = 10 + t, ends = 20 + t, *before = s->frames;
  uint64_t other = 0;
  int64_t value = random >> 44 & 31;
  for (unsigned i = random >> 50 & 31; i > 0; i--, value += random >> 8 & 1)
  {
    bool locks = random >> i & 7;
    s->frames = &begins;
    set(s, f, t, 0, value, &s->set_at[t][0]);
    if (random >> 40 & 1)
      set(s, f, t, 1, value + (random >> 41 & 1), &other);
    if (locks)
      use_mutex(s, t, m, true);
    for (unsigned k = random & 3; k > 0; k--)
      touch(s, t, k & random >> 2 & 1, k > 1, 0);
    if (locks)
      use_mutex(s, t, m, false);
    s->frames = &ends;
    set(s, f, t, 0, 0, &s->set_at[t][1]);
  }
  s->frames = before;
}

/* Something else. */
static void
interrupt(side *s, const hd_mttl_file *f, unsigned t, uint64_t r)
{
  unsigned m = r >> 8 & (MUTEXES - 1);
  int64_t value = r >> 16 & 15 ? (int64_t) (r >> 24 & 7) : INT64_MAX - (int64_t) (r >> 24 & 63);
  uint64_t place = 0;
  switch (r >> 32 & 7)
  {
  case 0:
  case 1:
    set(s, f, t, settable[(r >> 20) % 3], value, &place);
    break;
  case 2:
  case 3:
    use_post(s, t, m, r >> 48 & 1);
    break;
  case 4:
    touch(s, t, r >> 40 & 1, r >> 33 & 1, value);
    break;
  case 5:
    use_mutex(s, t, m, true);
    use_mutex(s, t, m, false);
    break;
  case 6:
    call(s, t, &orders[r >> 40 & 1][r >> 48 & 1], true);
    break;
  default:
    if ((r >> 36 & 7) == 0)
      succeed(s, t, r >> 48 & 1);
    break;
  }
}

/* Threads that call functions in loops, or mark what they do, and are seldom interrupted. COUNTS: how often a call was
 * the next one of a routine, an access the same again, a variable set where it was before. */
static void
run_loops(const hd_mttl_file *f, uint64_t seed, uint64_t counts[3])
{
  static const uintptr_t frames[THREADS] = {1, 2, 3};
  side sides[WAYS];
  unsigned t = 0;
  uint64_t state = seed;
  for (way w = PLAIN; w < WAYS; w++)
    start(&sides[w], f, w);
  for (unsigned i = 0; i < LOOPS; i++)
  {
    uint64_t r = next_random(&state), random = next_random(&state);
    if ((r & 3) == 0)
      t = (unsigned) (r >> 2) % THREADS;
    for (way w = PLAIN; w < WAYS; w++)
    {
      side *s = &sides[w];
      s->frames = &frames[t];
      s->nframes = 1;
      if (r >> 6 & 1)
        mark_often(s, f, t, t % MUTEXES, r);
      else
        call_often(s, t, &orders[r >> 4 & 1][r >> 5 & 1], t % MUTEXES, r);
      interrupt(s, f, t, random);
    }
    if (!agree(sides))
      fail_msg("state %" PRIu64 ": at loop %u of thread %u, with\n%s", seed, i, t, f->text);
  }
  for (way w = PLAIN; w < WAYS; w++)
    stop(&sides[w]);
  counts[0] += sides[ROUTINES].again;
  counts[1] += sides[ROUTINES].touched_again;
  counts[2] += sides[ROUTINES].placed_again;
}

/* The same with properties of more variables. */
static void
test_marks(void **unused)
{
  (void) unused;
  static const char *const texts[] = {text, calm, two};
  uint64_t counts[3] = {0};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
  {
    hd_string messages = {0};
    hd_mttl_file *f = hd_mttl_parse("marks", texts[i], strlen(texts[i]), &messages);
    if (!f)
      fail_msg("%s", messages.text);
    find_orders(f);
    for (uint64_t seed = 1; seed <= TEXTS / 4; seed++)
      run_loops(f, seed * 0x9e3779b97f4a7c15ull, counts);
    hd_mttl_free(f);
  }
  assert_true(counts[2] > TEXTS / 4 * LOOPS);
}

static void
test_routines(void **unused)
{
  (void) unused;
  uint64_t state = 88172645463325252ull, counts[3] = {0};
  for (unsigned i = 0; i < TEXTS; i++)
  {
    hd_string properties = {0}, messages = {0};
    random_properties(&properties, &state);
    hd_mttl_file *f = hd_mttl_parse("loops", properties.text, properties.length, &messages);
    if (!f)
      fail_msg("%s", messages.text);
    find_orders(f);
    run_loops(f, state, counts);
    hd_mttl_free(f);
    hd_string_free(&properties);
  }
  assert_true(counts[0] > TEXTS * LOOPS);
  assert_true(counts[1] > TEXTS * LOOPS || !HD_MTTL_AT_ONCE);
  assert_true(counts[2] > TEXTS * LOOPS);
}

/* A thread sets a variable at more places than it remembers, then at the first one again. */
static void
test_places(void **unused)
{
  (void) unused;
  static const uintptr_t frames[] = {1, 1, 1, 1, 2, 3, 4, 5, 1};
  hd_string messages = {0};
  hd_mttl_file *f = hd_mttl_parse("places", calm, strlen(calm), &messages);
  find_orders(f);
  side both[2];
  uint64_t first[2] = {0};
  start(&both[0], f, PLAIN);
  start(&both[1], f, QUIET);
  for (size_t i = 0; i < sizeof frames / sizeof *frames; i++)
  {
    for (unsigned k = 0; k < 2; k++)
    {
      use_mutex(&both[k], 0, 0, true);
      both[k].frames = &frames[i];
      both[k].nframes = 1;
      both[k].place[0] = first[k];
      call(&both[k], 0, &orders[0][0], frames[i] == 1);
      first[k] = frames[i] == 1 ? both[k].place[0] : first[k];
      use_mutex(&both[k], 0, 0, false);
    }
    assert_true(i != 3 || first[1] != 0); /* by then it is known again */
  }
  for (unsigned k = 0; k < 2; k++)
    use_mutex(&both[k], 1, 0, true);
  assert_true(both[0].said != 0);
  assert_true(both[0].said == both[1].said);
  stop(&both[0]);
  stop(&both[1]);
  hd_mttl_free(f);
}

int
main(void)
{
  const struct CMUnitTest tests[]
      = {cmocka_unit_test(test_batons),   cmocka_unit_test(test_light), cmocka_unit_test(test_two),
         cmocka_unit_test(test_routines), cmocka_unit_test(test_marks), cmocka_unit_test(test_places)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
