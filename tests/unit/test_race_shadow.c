/* test_race_shadow.c: the race detector against an oracle.
 *
 * One real thread plays several: each has its own hd_rt_here, which is swapped in before its event. The events go
 * through the same fast, middle and full paths as those of a program. The oracle keeps every access of every byte with
 * vector clocks. Two things are compared after each event: an alarm names an access that the oracle too has as
 * unordered; the first race of a byte in its life has its alarm. The paths are then tampered with, and the comparison
 * must notice. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/base.h"
#include "instrument/rt_core.h"

enum
{
  BYTES = 64,
  THREADS = 8, /* at once */
  ALL = 24,    /* in a trace */
  MUTEXES = 4,
  ATOMICS = 6,
  MAX_ACCESSES = 4000,
  EVENTS = 220,
  OLD_SLOTS = 500
};

void
hd_rt_deliver(void)
{
}

/* ---- the oracle ---- */

typedef struct vector
{
  uint32_t of[ALL];
} vector;

typedef struct past
{
  uint32_t thread, clock;
  bool write, atomic;
} past;

typedef struct thread
{
  hd_rt_local here;
  hd_rt_thread *real;
  bool live;
  int holds, reads, writes; /* a mutex; a reader-writer lock, how */
  vector knows, seen, fenced;
} thread;

static struct
{
  uint64_t seed;
  past accesses[BYTES][MAX_ACCESSES];
  uint32_t n[BYTES];
  bool alarmed[BYTES]; /* already told */
  thread threads[ALL];
  uint32_t nthreads;
  vector mutex[MUTEXES], writers, readers, semaphore, release[ATOMICS];
  bool head[ATOMICS][ALL];
  int mutex_holder[MUTEXES], nreaders, writer;
  bool told[BYTES]; /* by this event */
  uint64_t events, alarms, wrong;
  char trouble[256];
} o;

static uint8_t memory[BYTES] __attribute__((aligned(64)));
static uint64_t mutexes[MUTEXES], rwlock, semaphore;
/* Where atomics are in MEMORY; plain accesses go there as well. */
static const struct
{
  uint32_t at, size;
} atomics[ATOMICS] = {{0, 8}, {8, 4}, {12, 1}, {13, 1}, {14, 2}, {16, 16}};

enum mutation
{
  NONE,
  NO_S_FLAG,
  NO_HOME_CHECK,
  NO_CLEAR
};
static enum mutation mutation;

static uint32_t
below(uint32_t n)
{
  return (uint32_t) (hd_random(&o.seed) >> 33) % n;
}

static void
join(vector *to, const vector *from)
{
  for (unsigned i = 0; i < ALL; i++)
    if (to->of[i] < from->of[i])
      to->of[i] = from->of[i];
}

static void
trouble(const char *what, uint32_t t, uint32_t byte)
{
  if (!o.wrong++)
    snprintf(o.trouble, sizeof o.trouble, "%s: event %llu, thread %u, byte %u", what, (unsigned long long) o.events, t,
             byte);
}

/* Compare what was told with the truth, and enter the access. */
static void
judge(uint32_t t, uint32_t at, uint32_t n, bool write, bool atomic)
{
  for (uint32_t b = at; b < at + n; b++)
  {
    bool race = false;
    for (uint32_t i = 0; i < o.n[b] && !race; i++)
    {
      const past *p = &o.accesses[b][i];
      race = (write || p->write) && !(atomic && p->atomic) && p->clock > o.threads[t].knows.of[p->thread];
    }
    if (o.told[b] && !race)
      trouble("a false alarm", t, b);
    if (race && !o.told[b] && !o.alarmed[b])
      trouble("a missed race", t, b);
    o.alarmed[b] |= race;
    if (o.n[b] < MAX_ACCESSES)
      o.accesses[b][o.n[b]++] = (past){t, o.threads[t].knows.of[t], write, atomic};
  }
  for (uint32_t b = 0; b < BYTES; b++)
  {
    if (o.told[b] && (b < at || b >= at + n))
      trouble("an alarm elsewhere", t, b);
    o.told[b] = false;
  }
}

static void
on_race(const hd_rt_race *race)
{
  o.alarms++;
  for (uintptr_t p = race->p; p < race->p + race->bytes; p++)
    if (p - (uintptr_t) memory < BYTES)
      o.told[p - (uintptr_t) memory] = true;
}

/* ---- events: of the logical thread that is swapped in ---- */

static uint32_t current, old_slots;

static void
swap_in(uint32_t t)
{
  o.threads[current].here = hd_rt_here;
  current = t;
  hd_rt_here = o.threads[t].here;
}

static void
tick(uint32_t t)
{
  o.threads[t].knows.of[t]++;
}

static void
tamper(uint32_t at, uint32_t n, bool write)
{
  uintptr_t p = (uintptr_t) memory + at;
  for (uintptr_t g = p & ~3ull; g < p + n; g += 4)
    if (mutation == NO_S_FLAG)
    {
      *hd_rt_w(g) &= ~HD_RT_S;
      for (unsigned b = 0; b < 4; b++)
        *hd_rt_wb(g + b) &= ~HD_RT_S;
    }
    else if (mutation == NO_HOME_CHECK && !write)
      *hd_rt_home(g) = 0; /* who else read there is forgotten */
}

#define HOOK(size)                                                                                                     \
  if (n == (size) && at % (size) == 0)                                                                                 \
  {                                                                                                                    \
    if (write && !hd_rt_same_write##size(p))                                                                           \
      hd_rt_middle_write##size(p, 1);                                                                                  \
    else if (!write && !hd_rt_same_read##size(p))                                                                      \
      hd_rt_middle_read##size(p, 1);                                                                                   \
    return;                                                                                                            \
  }

static void
hook(uint32_t at, uint32_t n, bool write)
{
  uintptr_t p = (uintptr_t) memory + at;
  HOOK(1)
  HOOK(2)
  HOOK(4)
  HOOK(8)
  if (n > 8 || below(2))
    (write ? hd_rt_range_write : hd_rt_range_read)(p, n, 1);
  else
    (write ? hd_rt_full_write : hd_rt_full_read)(p, n, 1);
}

static void
plain(uint32_t t, uint32_t at, uint32_t n, bool write)
{
  tamper(at, n, write);
  hook(at, n, write);
  judge(t, at, n, write, false);
}

static void
do_atomic(uint32_t t)
{
  static const int orders[]
      = {__ATOMIC_RELAXED, __ATOMIC_ACQUIRE, __ATOMIC_RELEASE, __ATOMIC_ACQ_REL, __ATOMIC_SEQ_CST};
  uint32_t x = below(ATOMICS), kind = below(3);
  int order = orders[below(5)];
  if (kind == 0 && (order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL))
    order = __ATOMIC_ACQUIRE;
  if (kind == 1 && (order == __ATOMIC_ACQUIRE || order == __ATOMIC_ACQ_REL))
    order = __ATOMIC_RELEASE;
  bool acquire = order != __ATOMIC_RELAXED && order != __ATOMIC_RELEASE, release = order >= __ATOMIC_RELEASE;
  thread *me = &o.threads[t];
  uintptr_t p = (uintptr_t) memory + atomics[x].at;
  hd_rt_atomic a;
  hd_rt_object *object;
  uint32_t version;
  if (kind == 0 && hd_rt_atomic_peek(p, atomics[x].size, order, &object, &version))
    assert_true(hd_rt_atomic_peeked(object, version));
  else
  {
    hd_rt_atomic_begin(&a, p, atomics[x].size, 1);
    (kind == 0 ? hd_rt_atomic_load : kind == 1 ? hd_rt_atomic_store : hd_rt_atomic_modify)(&a, order);
  }
  judge(t, atomics[x].at, atomics[x].size, kind != 0, true);
  if (kind != 1) /* reads */
    join(acquire ? &me->knows : &me->seen, &o.release[x]);
  if (kind == 1 && (release || !o.head[x][t]))
  {
    memset(&o.release[x], 0, sizeof(vector));
    memset(o.head[x], 0, sizeof o.head[x]);
  }
  if (kind != 0)
    join(&o.release[x], release ? &me->knows : &me->fenced);
  if (kind != 0 && release)
  {
    o.head[x][t] = true;
    tick(t);
  }
}

static void
do_fence(uint32_t t)
{
  static const int orders[] = {__ATOMIC_ACQUIRE, __ATOMIC_RELEASE, __ATOMIC_SEQ_CST};
  int order = orders[below(3)];
  thread *me = &o.threads[t];
  hd_rt_fence(order);
  if (order != __ATOMIC_RELEASE)
    join(&me->knows, &me->seen);
  if (order != __ATOMIC_ACQUIRE)
  {
    me->fenced = me->knows;
    tick(t);
  }
}

static void
do_mutex(uint32_t t, int m)
{
  thread *me = &o.threads[t];
  if (me->holds >= 0)
  {
    m = me->holds;
    hd_rt_mutex_unlock((uintptr_t) &mutexes[m]);
    o.mutex[m] = me->knows;
    o.mutex_holder[m] = me->holds = -1;
    tick(t);
  }
  else if (o.mutex_holder[m] < 0)
  {
    hd_rt_mutex_locked((uintptr_t) &mutexes[m]);
    join(&me->knows, &o.mutex[m]);
    o.mutex_holder[m] = (int) t;
    me->holds = m;
  }
}

static void
do_rwlock(uint32_t t)
{
  thread *me = &o.threads[t];
  if (me->reads || me->writes)
  {
    hd_rt_rwlock_unlock((uintptr_t) &rwlock);
    if (me->writes)
    {
      o.writers = me->knows;
      memset(&o.readers, 0, sizeof o.readers);
      o.writer = 0;
    }
    else
    {
      join(&o.readers, &me->knows);
      o.nreaders--;
    }
    me->reads = me->writes = 0;
    tick(t);
  }
  else if (!o.writer && below(2))
  {
    hd_rt_rwlock_read_locked((uintptr_t) &rwlock);
    join(&me->knows, &o.writers);
    me->reads = 1;
    o.nreaders++;
  }
  else if (!o.writer && !o.nreaders)
  {
    hd_rt_rwlock_write_locked((uintptr_t) &rwlock);
    join(&me->knows, &o.writers);
    join(&me->knows, &o.readers);
    me->writes = o.writer = 1;
  }
}

static void
do_semaphore(uint32_t t)
{
  if (below(2))
  {
    hd_rt_post((uintptr_t) &semaphore);
    join(&o.semaphore, &o.threads[t].knows);
    tick(t);
  }
  else
  {
    hd_rt_pend((uintptr_t) &semaphore);
    join(&o.threads[t].knows, &o.semaphore);
  }
}

/* free by one thread, malloc by another: nothing orders them. */
static void
do_memory(uint32_t t)
{
  uint32_t at = below(BYTES / 16) * 16, n = 16 + below(2) * 16, other = below(o.nthreads);
  if (at + n > BYTES)
    n = BYTES - at;
  plain(t, at, n, true);
  if (o.threads[other].live)
    swap_in(other);
  uint8_t saved[BYTES * 5];
  uintptr_t p = (uintptr_t) memory + at;
  for (unsigned k = 0; k < 5; k++)
    memcpy(saved + k * n, (void *) (p - HD_RT_DOWN(k + 1)), n);
  hd_rt_memory_new(p, n, 1, true);
  if (mutation == NO_CLEAR)
    for (unsigned k = 0; k < 5; k++)
      for (unsigned i = 0; i < n; i += 4)
      {
        uint32_t word;
        memcpy(&word, saved + k * n + i, 4);
        if (!(word & HD_RT_FLAGS))
          *(uint32_t *) (p + i - HD_RT_DOWN(k + 1)) = word;
      }
  for (uint32_t b = at; b < at + n; b++)
  {
    o.n[b] = 0;
    o.alarmed[b] = false;
  }
  for (uint32_t x = 0; x < ATOMICS; x++)
    if (atomics[x].at / 8 * 8 >= at && atomics[x].at / 8 * 8 < at + n)
    {
      memset(&o.release[x], 0, sizeof(vector));
      memset(o.head[x], 0, sizeof o.head[x]);
    }
  judge(current, at, n, true, false);
}

static void
do_create(uint32_t t)
{
  uint32_t live = 0;
  for (uint32_t i = 0; i < o.nthreads; i++)
    live += o.threads[i].live;
  if (o.nthreads == ALL || live == THREADS)
    return;
  uint32_t u = o.nthreads++;
  thread *new = &o.threads[u], *me = &o.threads[t];
  *new = (thread){.live = true, .holds = -1, .real = hd_rt_thread_new()};
  assert_non_null(new->real);
  new->knows = me->knows;
  new->knows.of[u] = 1;
  tick(t);
  swap_in(u);
  memset(&hd_rt_here, 0, sizeof hd_rt_here);
  hd_rt_thread_attach(new->real);
  if (below(50) == 0 && old_slots < OLD_SLOTS && new->real->known[new->real->slot] < HD_RT_CLOCK_MAX / 2)
  {
    /* Soon at the end of its slot, which cannot be used again. */
    old_slots++;
    new->real->known[new->real->slot] = HD_RT_CLOCK_MAX - 2 - below(8);
    hd_rt_thread_load();
  }
}

/* A thread ends; another may join it. */
static void
do_end(uint32_t t, uint32_t joiner)
{
  thread *me = &o.threads[t];
  if (t == 0 || me->holds >= 0 || me->reads || me->writes || !me->live)
    return;
  hd_rt_thread_leave();
  me->live = false;
  swap_in(joiner);
  hd_rt_thread_join(me->real);
  join(&o.threads[joiner].knows, &me->knows);
}

/* ---- traces ---- */

static void
access_event(uint32_t t, bool orderly)
{
  static const uint32_t sizes[] = {1, 2, 4, 8, 16, 3, 7, 1, 4, 8, 24, 2};
  uint32_t n = sizes[below(12)], low = 0, high = BYTES;
  bool write = below(3) == 0;
  thread *me = &o.threads[t];
  if (orderly && below(60))
  {
    /* Only what its lock protects, so that false alarms have a chance. */
    if (me->holds >= 0)
      low = (uint32_t) me->holds * 8 + 32, high = low + 8;
    else if (me->reads || me->writes)
      low = 24, high = 32, write = write && me->writes;
    else
      return;
    while (n > 8)
      n /= 2;
  }
  uint32_t at = low + below(high - low);
  if (below(4))
    at -= at % (n & -n);
  if (at >= low && at + n <= high)
    plain(t, at, n, write);
}

static void
one_trace(uint64_t seed)
{
  uint64_t events = o.events, alarms = o.alarms, wrong = o.wrong;
  hd_rt_thread *first = o.threads[0].real;
  hd_rt_local here = current == 0 ? hd_rt_here : o.threads[0].here;
  memset(&o.n, 0, sizeof o - offsetof(__typeof__(o), n));
  o.events = events;
  o.alarms = alarms;
  o.wrong = wrong;
  o.seed = seed;
  current = 0;
  hd_rt_here = here;
  o.threads[0] = (thread){.live = true, .real = first, .holds = -1};
  o.threads[0].knows.of[0] = 1;
  o.nthreads = 1;
  for (unsigned m = 0; m < MUTEXES; m++)
    o.mutex_holder[m] = -1;
  hd_rt_memory_new((uintptr_t) memory, BYTES, 1, false);
  for (unsigned m = 0; m < MUTEXES; m++)
    hd_rt_forget((uintptr_t) &mutexes[m]);
  hd_rt_forget((uintptr_t) &rwlock);
  hd_rt_forget((uintptr_t) &semaphore);
  bool orderly = seed & 1;
  for (unsigned n = 1 + below(THREADS - 1); n > 0; n--)
    do_create(current);
  for (unsigned i = 0; i < EVENTS; i++)
  {
    uint32_t t = below(o.nthreads), kind = below(100);
    if (!o.threads[t].live)
      continue;
    swap_in(t);
    o.events++;
    if (kind < 60)
      access_event(t, orderly);
    else if (kind < 74)
      do_mutex(t, (int) below(MUTEXES));
    else if (kind < 80)
      do_rwlock(t);
    else if (kind < 92)
    {
      if (!orderly || below(4) == 0)
        do_atomic(t);
    }
    else if (kind < 94)
      do_fence(t);
    else if (kind < 95)
      do_semaphore(t);
    else if (kind < 97)
      do_memory(t);
    else if (kind < 99)
      do_create(t);
    else
    {
      uint32_t joiner = below(o.nthreads);
      if (joiner != t && o.threads[joiner].live)
        do_end(t, joiner);
    }
  }
  for (uint32_t t = 1; t < o.nthreads; t++)
    if (o.threads[t].live)
    {
      swap_in(t);
      o.threads[t].holds = -1;
      o.threads[t].reads = o.threads[t].writes = 0;
      do_end(t, 0);
    }
  swap_in(0);
}

static void
run(unsigned traces, uint64_t seed)
{
  o.wrong = o.alarms = o.events = 0;
  for (unsigned i = 0; i < traces; i++)
  {
    one_trace(seed + i);
    if (o.wrong)
    {
      if (mutation == NONE)
        fail_msg("seed %llu: %s", (unsigned long long) (seed + i), o.trouble);
      return;
    }
  }
}

static unsigned
cases(unsigned usual)
{
  const char *text = getenv("HEDDLE_CASES");
  return text ? (unsigned) strtoul(text, NULL, 10) / 4 : usual;
}

static void
test_against_oracle(void **state)
{
  (void) state;
  run(cases(15000), 1);
  print_message("%llu events, %llu alarms\n", (unsigned long long) o.events, (unsigned long long) o.alarms);
  assert_true(o.alarms > 0);
}

static void
expect_noticed(enum mutation m)
{
  mutation = m;
  run(2000, 1000000);
  mutation = NONE;
  assert_true(o.wrong > 0);
}

static void
test_without_s_flag(void **state)
{
  (void) state;
  expect_noticed(NO_S_FLAG);
}

static void
test_without_home_check(void **state)
{
  (void) state;
  expect_noticed(NO_HOME_CHECK);
}

static void
test_without_clear(void **state)
{
  (void) state;
  expect_noticed(NO_CLEAR);
}

static int
set_up(void **state)
{
  (void) state;
  if (!hd_rt_layout_map() || !hd_rt_threads_start() || !hd_rt_objects_start() || !hd_rt_sets_start())
    return -1;
  hd_rt_on_race = on_race;
  o.threads[0].real = hd_rt_thread_new();
  hd_rt_thread_attach(o.threads[0].real);
  return 0;
}

int
main(void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  print_message("the shadow of the sanitizer is where ours would be\n");
  return 0;
#endif
  if (!hd_rt_layout_fits())
  {
    print_message("the program does not lie in the windows\n");
    return 0;
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_against_oracle),
      cmocka_unit_test(test_without_s_flag),
      cmocka_unit_test(test_without_home_check),
      cmocka_unit_test(test_without_clear),
  };
  return cmocka_run_group_tests(tests, set_up, NULL);
}
