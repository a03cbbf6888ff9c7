/* test_property_client.c: the monitor of properties inside a program, driven directly.
 *
 * First single runs whose reports are known. Then real threads do random things at the same time, each under a lock of
 * the test's own for what it touches, which says in which order; afterwards one thread does the same again, in an order
 * that fits, with the engine alone (src/mttl, which test_mttl_random.c compares with the definition). Verdicts depend
 * on that order only, so both must count the same violations. */
#include "instrument/rt_property.h"

#include "instrument/rt_runtime.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum
{
  VARIABLES = 4,
  LOCKS = 3,
  OBJECTS = 3,
  ATOMICS = 2,
  THREADS = 6, /* and the one that creates them */
  EVENTS = 300,
  RUNS = 200
};

/* ---- what the runtime around the client does ---- */

bool hd_rt_running = true;
static char sent[1 << 16];
static size_t nsent;
static pthread_mutex_t sending = PTHREAD_MUTEX_INITIALIZER;

void
hd_rt_deliver(void)
{
  if (hd_rt_here.acting)
  {
    hd_rt_here.acting = 0;
    hd_rt_property.act();
  }
}

void
hd_rt_client_send(const char *bytes, size_t n)
{
  pthread_mutex_lock(&sending);
  for (size_t i = 0; i < n && nsent + 1 < sizeof sent; i++)
    sent[nsent++] = bytes[i];
  sent[nsent] = 0;
  pthread_mutex_unlock(&sending);
}

static bool
was_sent(const char *text)
{
  return strstr(sent, text) != NULL;
}

static void
tell(const char *format, ...)
{
  char line[1024];
  va_list args;
  va_start(args, format);
  vsnprintf(line, sizeof line, format, args);
  va_end(args);
  assert_true(hd_rt_property.setting(line));
}

/* ---- a program ---- */

static int a, b, c, d;
static int *const variables[VARIABLES] = {&a, &b, &c, &d};
static uint64_t locks[LOCKS], objects[OBJECTS], atomics[ATOMICS], barrier;
static int unwatched;

/* Each run is a program of its own. */
static void
forget(void *p, size_t n)
{
  hd_rt_objects_free((uintptr_t) p, n);
  for (uintptr_t g = (uintptr_t) p; g < (uintptr_t) p + n; g += 4)
  {
    hd_rt_object_drop(g);
    *hd_rt_w(g) = 0;
    for (unsigned i = 0; i < HD_RT_PLANES; i++)
      *hd_rt_r(g, i) = 0;
  }
}

/* The property file TEXT, whose shared variables are a, b, c and d, in that order, and whose lock is the first one. */
static void
begin(const char *text)
{
  memset(&hd_rt_all, 0, sizeof hd_rt_all);
  nsent = 0;
  sent[0] = 0;
  a = b = c = d = 0;
  tell("action file");
  tell("file test.mttl");
  tell("text %s", text);
  tell("parse");
  const hd_mttl_file *f = hd_rt_all.files[0].f;
  for (unsigned i = 0; i < f->nvariables; i++)
    if (f->variables[i].shared)
      tell("variable 0 %u %llu 4 i 0 0", i, (unsigned long long) (uintptr_t) variables[f->variables[i].name[0] - 'a']);
  for (unsigned i = 0; i < f->nlocks; i++)
    tell("lock 0 %u %llu 8", i, (unsigned long long) (uintptr_t) &locks[0]);
  assert_true(hd_rt_property.start());
  hd_rt_client_set(&hd_rt_property);
}

static void
end(void)
{
  hd_rt_property.quit();
  hd_rt_client_set(NULL);
  forget(locks, sizeof locks);
  forget(objects, sizeof objects);
  forget(atomics, sizeof atomics);
  forget(&barrier, sizeof barrier);
  for (unsigned i = 0; i < VARIABLES; i++)
    forget(variables[i], sizeof *variables[i]);
  hd_rt_me = NULL;
}

/* As the runtime calls the client. */
static void
touch_bytes(void *p, size_t n, bool write)
{
  hd_rt_enter();
  hd_rt_property.access((uintptr_t) p, n, write, 1);
  hd_rt_leave();
}

static void
touch(int *p, bool write)
{
  touch_bytes(p, sizeof *p, write);
}

static void
happens(hd_rt_event event, void *p)
{
  hd_rt_enter();
  hd_rt_property.sync(event, (uintptr_t) p, 0, 2, 1);
  hd_rt_leave();
}

static void
write_to(int *p, int value)
{
  touch(p, true);
  *p = value;
}

static void
set(const char *name, int64_t value)
{
  hd_rt_enter();
  hd_rt_internal_number(name, value, 1);
  hd_rt_leave();
}

/* One real thread plays another one for a while. */
typedef struct player
{
  hd_rt_local here;
  hd_rt_knower *me;
} player;

static void
play(player *from, player *to)
{
  from->here = hd_rt_here;
  from->me = hd_rt_me;
  hd_rt_here = to->here;
  hd_rt_me = to->me;
}

static hd_rt_thread *
create(void)
{
  hd_rt_thread *t = hd_rt_thread_new();
  assert_non_null(t);
  hd_rt_enter();
  hd_rt_property.create(t, 1);
  hd_rt_leave();
  return t;
}

static void
create_player(player *first, player *out)
{
  hd_rt_thread *t = create();
  player now;
  first->here = hd_rt_here;
  first->me = hd_rt_me;
  hd_rt_thread_attach(t);
  hd_rt_property.begin();
  now = (player){hd_rt_here, hd_rt_me};
  hd_rt_here = first->here;
  hd_rt_me = first->me;
  *out = now;
}

/* ---- values ---- */

/* A write counts at the thread's next event, with the value that the memory has then. */
static void
test_pending(void **state)
{
  (void) state;
  begin("shared a; property p: forall i: @i( a < 3 ) report each;");
  touch(&a, true);
  assert_int_equal(hd_rt_me->npending, 1);
  assert_true(hd_rt_here.pair != 0); /* every access comes through */
  a = 5;
  assert_false(was_sent("violation"));
  touch(&unwatched, false);
  assert_true(was_sent("violation 0 0 0\nwhy a < 3: false\nwhy   a: 5\nstep 0 writes a = 5\n"));
  assert_true(hd_rt_here.pair == 0); /* nothing but what is watched */
  end();
  assert_true(was_sent("count 0 0 1\n"));
}

/* Who has not heard of a write believes in the old value; who takes the lock after it hears of it. */
static void
test_knowledge(void **state)
{
  (void) state;
  player first, second;
  begin("shared a, b; property old: @1( write(b) -> a == 0 ) report each; property new: @1( read(b) -> a == 7 ) report "
        "each;");
  create_player(&first, &second);
  happens(HD_RT_EV_LOCK, &locks[0]);
  write_to(&a, 7);
  happens(HD_RT_EV_UNLOCK, &locks[0]);
  play(&first, &second);
  write_to(&b, 1);
  happens(HD_RT_EV_LOCK, &locks[0]);
  touch(&b, false);
  happens(HD_RT_EV_UNLOCK, &locks[0]);
  play(&second, &first);
  end();
  assert_true(was_sent("count 0 0 0\ncount 0 1 0\n"));
}

/* A value that nobody was seen to write is told. */
static void
test_unseen(void **state)
{
  (void) state;
  begin("shared a; property p: forall i: @i( a < 3 ) report each;");
  touch(&a, false);
  a = 9; /* without a hook */
  touch(&a, false);
  end();
  assert_true(was_sent("unseen 0 0 1\n"));
  assert_true(was_sent("count 0 0 0\n"));
}

/* The second execution of the bank: the report names both sides. */
static void
test_bank(void **state)
{
  (void) state;
  player first, other;
  begin("shared a, b; local int n = 0; property p: forall i: @i( n > 0 -> !(exists j != i: (n == @j(@i(n)))) ) report "
        "each;");
  create_player(&first, &other);
  set("n", 1);
  write_to(&a, 1);
  set("m", 1); /* nobody knows it: an event of no file */
  play(&first, &other);
  touch(&a, false);
  touch(&b, false);
  play(&other, &first);
  assert_false(was_sent("violation"));
  touch(&b, true);
  touch(&unwatched, false);
  end();
  assert_true(was_sent("violation 0 0 0\n"));
  assert_true(was_sent("step 0 sets n = 1\n"));
  assert_true(was_sent("step 1 reads a\n"));
  assert_true(was_sent("step 0 writes b\n"));
  assert_true(strstr(sent, "step 0 sets") < strstr(sent, "step 1 reads")
              && strstr(sent, "step 1 reads") < strstr(sent, "step 0 writes b"));
}

/* Barriers: who leaves knows what all did before they came, in this generation. */
static void
test_barrier(void **state)
{
  (void) state;
  player first, second;
  begin("local int n = 0; property p: @0( n == 9 -> @1(n) == 2 ) report each; property q: @0( n == 8 -> @1(n) < 2 ) "
        "report each;");
  create_player(&first, &second);
  for (int generation = 1; generation <= 2; generation++)
  {
    set("n", 0);
    happens(HD_RT_EV_ARRIVE, &barrier);
    play(&first, &second);
    set("n", generation);
    happens(HD_RT_EV_ARRIVE, &barrier);
    happens(HD_RT_EV_LEAVE, &barrier);
    if (generation == 1)
      set("n", 2); /* after it: not known to the first */
    play(&second, &first);
    happens(HD_RT_EV_LEAVE, &barrier);
    set("n", generation == 1 ? 8 : 9);
  }
  end();
  assert_true(was_sent("count 0 0 0\ncount 0 1 0\n"));
}

/* All memory: bytes that lie beside each other are not confused, and freed memory is forgotten. */
static void
test_everything(void **state)
{
  (void) state;
  static _Alignas(64) char memory[128];
  player first, second;
  begin("shared *; local int n = 0; property p: @1( n == 0 || @0(n) == 0 ) report each;");
  create_player(&first, &second);
  set("n", 1);
  touch_bytes(&memory[3], 1, true);
  touch_bytes(&memory[60], 8, true);
  hd_rt_property.memory((uintptr_t) &memory[64], 8, true, 1); /* used again */
  play(&first, &second);
  set("n", 1);
  touch_bytes(&memory[2], 1, false);
  touch_bytes(&memory[4], 8, false);
  touch_bytes(&memory[64], 4, false);
  assert_false(was_sent("violation"));
  touch_bytes(&memory[0], 4, false);
  assert_true(was_sent("violation 0 0 1\n"));
  play(&second, &first);
  end();
}

/* ---- at random, many at once ---- */

typedef enum kind
{
  READ,
  WRITE,
  LOCK,
  UNLOCK,
  POST,
  PEND,
  LOAD,
  STORE,
  MODIFY,
  SET,
  KINDS
} kind;

typedef struct event
{
  uint8_t kind, object, order;
  int32_t value;
  uint32_t place; /* among the events of its object */
} event;

/* What events touch, in one list. */
enum
{
  FIRST_LOCK = VARIABLES,
  FIRST_OBJECT = FIRST_LOCK + LOCKS,
  FIRST_ATOMIC = FIRST_OBJECT + OBJECTS,
  ALL = FIRST_ATOMIC + ATOMICS
};

static struct
{
  uint64_t seed;
  pthread_mutex_t order[ALL], holds[LOCKS];
  uint32_t place[ALL];
  event events[THREADS][EVENTS];
  uint32_t n[THREADS];
  hd_rt_thread *threads[THREADS];
} run;

/* Of C they see nothing but what it passes on. */
static const char formulas[]
    = "shared a, b, c, d; local int n = 0; "
      "property p1: forall i: @i( write(a) -> forall j != i: (!@j(prev write(a))) ) report each; "
      "property p2: forall i: @i( n > 2 -> exists j != i: (@j(n) < n || @j(once read(b))) ) report each; "
      "property p3: forall i: @i( read(b) -> @1(once n == 3) ) report each; "
      "property p4: forall i: @i( forall j != i: (@j(@i(n)) <= 4) ) report each; "
      "property p5: @2( !(lock(m) since write(a)) ) report each; "
      "property p6: forall i: @i( (read(d) -> forall j != i: (!@j(write(d)))) "
      "&& (write(d) -> forall j != i: (!@j(read(d) || write(d)))) ) report each; "
      "property p7: forall i: @i( exists j: (@j(prev n == 2 && !unlock(m))) -> always n < 5 ) report each;";

/* Of these, nothing but N: for what needs no look at formulas. */
static const char calm[]
    = "shared a, b, c, d; local int n = 0; "
      "property p1: forall i: @i( n > 2 -> !(exists j != i: (n == @j(@i(n)) && @j(n) == n)) ) report each; "
      "property p2: forall i: @i( forall j != i: (@j(n) != 5 || n != 3) ) report each;";

static void
do_now(event *e, bool *holds)
{
  static const int orders[] = {__ATOMIC_RELAXED, __ATOMIC_ACQUIRE, __ATOMIC_RELEASE, __ATOMIC_ACQ_REL};
  unsigned i = e->object;
  if (e->kind == LOCK)
    pthread_mutex_lock(&run.holds[i]);
  unsigned at = e->kind <= WRITE    ? i
                : e->kind <= UNLOCK ? FIRST_LOCK + i
                : e->kind <= PEND   ? FIRST_OBJECT + i
                                    : FIRST_ATOMIC + i;
  if (e->kind != SET)
    pthread_mutex_lock(&run.order[at]);
  hd_rt_enter();
  switch ((kind) e->kind)
  {
  case READ:
  case WRITE:
    hd_rt_leave();
    hd_rt_property.touch((uintptr_t) variables[i], 4, e->kind == WRITE, 1);
    hd_rt_enter();
    break;
  case LOCK: /* with the quick ways of rt_client.c */
    hd_rt_mutex_locked((uintptr_t) &locks[i]);
    break;
  case UNLOCK:
    hd_rt_mutex_unlock((uintptr_t) &locks[i]);
    break;
  case POST:
  case PEND:
    hd_rt_property.sync(e->kind == POST ? HD_RT_EV_POST : HD_RT_EV_PEND, (uintptr_t) &objects[i], 0, 0, 1);
    break;
  case LOAD:
  case STORE:
  case MODIFY:
    hd_rt_property.atomic((hd_rt_atomic_kind) (e->kind - LOAD), (uintptr_t) &atomics[i], 8, orders[e->order], 1);
    break;
  default:
    hd_rt_internal_number("n", e->value, 1);
    break;
  }
  hd_rt_leave();
  if (e->kind != SET)
  {
    e->place = run.place[at]++;
    pthread_mutex_unlock(&run.order[at]);
  }
  if (e->kind == UNLOCK)
    pthread_mutex_unlock(&run.holds[i]);
  if (e->kind == LOCK || e->kind == UNLOCK)
    holds[i] = e->kind == LOCK;
}

static void *
work(void *argument)
{
  unsigned t = (unsigned) (uintptr_t) argument;
  static const uint8_t sizes[KINDS]
      = {VARIABLES, VARIABLES, LOCKS, LOCKS, OBJECTS, OBJECTS, ATOMICS, ATOMICS, ATOMICS, 1};
  uint64_t seed = run.seed + t * 7919;
  bool holds[LOCKS] = {false};
  hd_rt_thread_attach(run.threads[t]);
  hd_rt_enter();
  hd_rt_property.begin();
  hd_rt_leave();
  for (unsigned i = 0; i < EVENTS; i++)
  {
    event e = {.kind = (uint8_t) (hd_random(&seed) >> 33) % KINDS};
    e.object = (uint8_t) ((hd_random(&seed) >> 33) % sizes[e.kind]);
    e.order = (uint8_t) (hd_random(&seed) >> 33) % 4;
    e.value = (int32_t) ((hd_random(&seed) >> 33) % 6);
    bool one = holds[0] || holds[1] || holds[2];
    if ((e.kind == LOCK && one) || (e.kind == UNLOCK && !holds[e.object]))
      continue; /* one lock at a time: they cannot wait for each other */
    do_now(&e, holds);
    run.events[t][run.n[t]++] = e;
  }
  for (unsigned i = 0; i < LOCKS; i++)
    if (holds[i])
    {
      event e = {.kind = UNLOCK, .object = (uint8_t) i};
      if (run.n[t] < EVENTS)
      {
        do_now(&e, holds);
        run.events[t][run.n[t]++] = e;
      }
    }
  hd_rt_enter();
  hd_rt_property.end();
  hd_rt_leave();
  return NULL;
}

/* ---- the same again, alone ---- */

typedef struct again
{
  uint64_t count[16];
  const hd_mttl_file *f;
  hd_mttl_monitor *m;
  hd_mttl_thread *t[THREADS + 1];
  hd_mttl_object token[THREADS], lock[LOCKS], object[OBJECTS], atomic[ATOMICS], fenced[THREADS], loaded[THREADS];
  hd_mttl_location place[VARIABLES];
  uint32_t next[ALL], at[THREADS];
} again;

static void
count(void *context, hd_mttl_thread *t, const hd_mttl_property *property)
{
  again *x = context;
  (void) t;
  x->count[property - x->f->properties]++;
}

static void
redo_atomic(again *x, unsigned t, const event *e)
{
  bool acquires = e->order == 1 || e->order == 3, releases = e->order >= 2;
  hd_mttl_object *o = &x->atomic[e->object];
  hd_mttl_thread *me = x->t[t + 1];
  if (e->kind != STORE && !acquires)
    hd_mttl_object_join(x->m, &x->loaded[t], o);
  if (e->kind == LOAD)
    hd_mttl_exchange(me, o, acquires, false, &HD_MTTL_NO_EVENT);
  else if (e->kind == MODIFY)
    hd_mttl_exchange(me, o, acquires, releases, &HD_MTTL_NO_EVENT);
  else if (releases)
    hd_mttl_replace(me, o, &HD_MTTL_NO_EVENT);
  else
  {
    hd_mttl_local(me, &HD_MTTL_NO_EVENT);
    hd_mttl_object_copy(o, &x->fenced[t]);
  }
  if (e->kind == MODIFY && !releases)
    hd_mttl_object_join(x->m, o, &x->fenced[t]);
}

static void
redo(again *x, unsigned t, const event *e, bool reads)
{
  hd_mttl_event event = HD_MTTL_NO_EVENT;
  hd_mttl_thread *me = x->t[t + 1];
  hd_mttl_location *place = &x->place[e->object];
  switch ((kind) e->kind)
  {
  case READ:
  case WRITE:
    event.op = e->kind == READ ? HD_MTTL_R : HD_MTTL_W;
    event.variable = e->object;
    event.loc = 8 * (1 + e->object);
    event.size = 4;
    if (e->kind == WRITE)
      hd_mttl_writes(me, &place, 1, &event);
    else
      hd_mttl_reads(me, &place, reads, &event);
    break;
  case LOCK:
  case UNLOCK:
    event.lock = e->object == 0 ? 0 : -1;
    event.taken = e->kind == LOCK;
    hd_mttl_exchange(me, &x->lock[e->object], e->kind == LOCK, e->kind == UNLOCK, &event);
    break;
  case POST:
  case PEND:
    hd_mttl_exchange(me, &x->object[e->object], e->kind == PEND, e->kind == POST, &event);
    break;
  case SET:
    hd_mttl_internal(me, VARIABLES, (hd_mttl_value){.type = HD_MTTL_INT, .number = e->value});
    break;
  default:
    redo_atomic(x, t, e);
    break;
  }
}

static unsigned
object_of(const event *e)
{
  return e->kind <= WRITE    ? e->object
         : e->kind <= UNLOCK ? FIRST_LOCK + e->object
         : e->kind <= PEND   ? FIRST_OBJECT + e->object
                             : FIRST_ATOMIC + e->object;
}

/* Without READS: reads leave nothing behind, which must make a difference. */
static void
redo_all(again *x, bool reads)
{
  memset(x, 0, sizeof *x);
  x->f = hd_rt_all.files[0].f;
  x->m = hd_mttl_monitor_new(x->f, count, x);
  x->t[0] = hd_mttl_thread_new(x->m, NULL, "main");
  for (unsigned t = 0; t < THREADS; t++)
    x->t[t + 1] = hd_mttl_thread_new(x->m, x->t[0], NULL);
  for (bool more = true; more;)
  {
    more = false;
    for (unsigned t = 0; t < THREADS; t++)
      while (x->at[t] < run.n[t])
      {
        const event *e = &run.events[t][x->at[t]];
        if (e->kind != SET && e->place != x->next[object_of(e)])
          break;
        if (e->kind != SET)
          x->next[object_of(e)]++;
        redo(x, t, e, reads);
        x->at[t]++;
        more = true;
      }
  }
  for (unsigned t = 0; t < THREADS; t++)
  {
    assert_int_equal(x->at[t], run.n[t]);
    hd_mttl_exits(x->t[t + 1], &x->token[t]);
    hd_mttl_acquire(x->t[0], &x->token[t], &HD_MTTL_NO_EVENT);
  }
}

static void
run_once(uint64_t seed, const char *properties)
{
  pthread_t real[THREADS];
  begin(properties);
  memset(&run, 0, sizeof run);
  run.seed = seed;
  for (unsigned i = 0; i < ALL; i++)
    pthread_mutex_init(&run.order[i], NULL);
  for (unsigned i = 0; i < LOCKS; i++)
    pthread_mutex_init(&run.holds[i], NULL);
  for (unsigned i = 0; i < THREADS; i++)
    run.threads[i] = create();
  for (uintptr_t i = 0; i < THREADS; i++)
    assert_int_equal(pthread_create(&real[i], NULL, work, (void *) i), 0);
  for (unsigned i = 0; i < THREADS; i++)
    pthread_join(real[i], NULL);
  for (unsigned i = 0; i < THREADS; i++)
  {
    hd_rt_enter();
    hd_rt_property.join(run.threads[i], 1);
    hd_rt_leave();
  }
}

static void
test_random(void **state)
{
  (void) state;
  uint64_t violations = 0, different = 0;
  for (uint64_t seed = 1; seed <= RUNS; seed++)
  {
    static again x;
    run_once(seed, seed % 2 ? formulas : calm);
    redo_all(&x, true);
    const hd_rt_file *file = &hd_rt_all.files[0];
    for (size_t i = 0; i < file->f->nproperties; i++)
    {
      violations += file->count[i];
      if (file->count[i] != x.count[i])
        fail_msg("seed %llu, property %s: %llu violations by threads at once, %llu by one after the other",
                 (unsigned long long) seed, file->f->properties[i].name, (unsigned long long) file->count[i],
                 (unsigned long long) x.count[i]);
    }
    redo_all(&x, false);
    for (size_t i = 0; i < file->f->nproperties; i++)
      different += file->count[i] != x.count[i];
    end();
  }
  print_message("%llu violations, the same both ways; %llu differences if reads leave nothing\n",
                (unsigned long long) violations, (unsigned long long) different);
  assert_true(violations > 1000);
  assert_true(different > 0);
}

static int
set_up(void **state)
{
  (void) state;
  hd_rt_client_set(&hd_rt_property);
  if (!hd_rt_layout_map() || !hd_rt_threads_start() || !hd_rt_objects_start())
    return -1;
  hd_rt_thread_attach(hd_rt_thread_new());
  return 0;
}

int
main(void)
{
  if (!hd_rt_layout_fits())
  {
    print_message("the program does not lie in the windows\n");
    return 0;
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pending), cmocka_unit_test(test_knowledge), cmocka_unit_test(test_unseen),
      cmocka_unit_test(test_bank),    cmocka_unit_test(test_barrier),   cmocka_unit_test(test_everything),
      cmocka_unit_test(test_random),
  };
  return cmocka_run_group_tests(tests, set_up, NULL);
}
