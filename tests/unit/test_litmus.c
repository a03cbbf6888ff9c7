/* test_litmus.c: the ordering argument of each macro, stressed on the real machine.
 *
 * Threads work on one word and log what they do. Afterwards the stamps say which values each operation may have seen or
 * in which order writes took effect (docs/rules.md 1.2), and memory has said what it did see. Placed as docs/logging.md
 * says, no operation contradicts its stamps. Each test is then run with one macro moved to where a weaker order would
 * put it: the same judge must find that, else it is blind. */
#define _GNU_SOURCE
#include "log_events.h"

#include <heddle/heddle.h>

#include <pthread.h>

enum
{
  OPERATIONS = 40000, /* of each thread in one round */
  ROUNDS = 5,
  BLIND_ROUNDS = 2000, /* at most, until a misplaced macro is found out */
  THREADS = 3
};

/* What is compared in a round. */
typedef struct litmus
{
  void (*writer)(struct litmus *, int me);
  void (*reader)(struct litmus *, int me);
  bool (*judge)(struct litmus *, hd_log *log);
  int weak; /* 0: right; else which way the macros are misplaced */
} litmus;

static hd_object o;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t word;                             /* what the threads work on */
static uint64_t read_values[THREADS][OPERATIONS]; /* what the readers saw, by operation */
static pthread_barrier_t start;

/* ---- the log of a round ---- */

typedef struct write_event
{
  uint64_t begin, end; /* ticks: of the window and of the commit, or twice the same */
} write_event;

typedef struct read_event
{
  uint64_t call, ret, value;
} read_event;

typedef struct history
{
  write_event *writes; /* by the value written, less one */
  size_t nwrites;
  read_event *reads;
  size_t nreads;
  uint64_t *order; /* values of writes outside blocks by their tick; 0 also where there is none */
  bool *is_write;
  struct
  {
    bool is_read;
    uint64_t index, call, window;
    bool has_window;
  } open[64];
} history;

enum
{
  MOST_EVENTS = 4 * THREADS * OPERATIONS + 100
};

static bool
collect(void *context, const hd_event *e)
{
  history *h = context;
  assert_true(e->thread < 64 && e->stamped && e->stamp < MOST_EVENTS);
  switch (e->kind)
  {
  case HD_K_CALL:
    h->open[e->thread].is_read = e->values[0].u != UINT64_MAX;
    h->open[e->thread].index = e->values[0].u;
    h->open[e->thread].call = e->stamp;
    h->open[e->thread].has_window = false;
    break;
  case HD_K_WINDOW:
    h->open[e->thread].window = e->stamp;
    h->open[e->thread].has_window = true;
    break;
  case HD_K_COMMIT_RET: /* the value says which write it is */
    h->writes[e->values[0].u - 1]
        = (write_event){.begin = h->open[e->thread].has_window ? h->open[e->thread].window : e->stamp, .end = e->stamp};
    h->nwrites++;
    break;
  case HD_K_RETURN:
    if (h->open[e->thread].is_read)
    {
      uint64_t me = h->open[e->thread].index / OPERATIONS, i = h->open[e->thread].index % OPERATIONS;
      h->reads[h->nreads++]
          = (read_event){.call = h->open[e->thread].call, .ret = e->stamp, .value = read_values[me][i]};
    }
    break;
  case HD_K_FREE_WRITE:
    h->order[e->stamp] = e->values[1].u;
    h->is_write[e->stamp] = true;
    break;
  }
  return true;
}

static history
gather(hd_log *log)
{
  history h = {.writes = calloc(THREADS * OPERATIONS, sizeof *h.writes),
               .reads = calloc(THREADS * OPERATIONS, sizeof *h.reads),
               .order = calloc(MOST_EVENTS, sizeof *h.order),
               .is_write = calloc(MOST_EVENTS, sizeof *h.is_write)};
  assert_true(h.writes && h.reads && h.order && h.is_write);
  hd_log_sink sink = {.context = &h, .event = collect, .frontier = seen_frontier};
  assert_true(hd_log_read(log, &sink));
  const hd_log_damage *damages;
  assert_int_equal(hd_log_damages(log, &damages), 0);
  return h;
}

static void
forget(history *h)
{
  free(h->writes);
  free(h->reads);
  free(h->order);
  free(h->is_write);
}

/* Value v was written by the v-th write. A read over gaps [call, ret] may return v if write v can have taken effect by
 * the end of gap ret (its begin is before), and the write after it need not have before gap call. */
static bool
judge_reads(litmus *l, hd_log *log)
{
  (void) l;
  history h = gather(log);
  bool good = true;
  for (size_t i = 0; i < h.nreads && good; i++)
  {
    const read_event *r = &h.reads[i];
    if (r->value > 0 && h.writes[r->value - 1].begin >= r->ret)
      good = false; /* from the future */
    if (r->value < h.nwrites && h.writes[r->value].end < r->call)
      good = false; /* overwritten before the call */
  }
  assert_int_equal(h.nreads + h.nwrites, THREADS * OPERATIONS);
  forget(&h);
  return good;
}

/* ---- exact commit, under the lock ---- */

static void
locked_writer(litmus *l, int me)
{
  (void) me;
  for (int i = 0; i < OPERATIONS; i++)
  {
    HD_CALL(&o, "set", UINT64_MAX);
    pthread_mutex_lock(&lock);
    uint64_t v = ++word;
    if (!l->weak)
      HD_COMMIT_RET(&o, v);
    pthread_mutex_unlock(&lock);
    if (l->weak)
      HD_COMMIT_RET(&o, v); /* too late */
    HD_RETURN(&o);
  }
}

static void
locked_reader(litmus *l, int me)
{
  (void) l;
  for (uint64_t i = 0; i < OPERATIONS; i++)
  {
    HD_CALL(&o, "get", (uint64_t) me * OPERATIONS + i);
    pthread_mutex_lock(&lock);
    read_values[me][i] = word;
    pthread_mutex_unlock(&lock);
    HD_RETURN(&o);
  }
}

/* ---- window, with readers that take no lock; looks of calls and returns ---- */

enum
{
  NO_WINDOW_AFTER = 1, /* exact commit after the store */
  NO_WINDOW_BEFORE,    /* exact commit before the store */
  LATE_READ,           /* the return's look is made before the read */
  EARLY_READ           /* the call's look is made after the read */
};

static void
window_writer(litmus *l, int me)
{
  (void) me;
  for (uint64_t i = 1; i <= OPERATIONS; i++)
  {
    HD_CALL(&o, "set", UINT64_MAX);
    if (l->weak == NO_WINDOW_BEFORE)
      HD_COMMIT_RET(&o, i);
    else if (l->weak != NO_WINDOW_AFTER)
      HD_WINDOW(&o);
    __atomic_store_n(&word, i, __ATOMIC_RELAXED); /* relaxed: the macros must order it */
    if (l->weak != NO_WINDOW_BEFORE)
      HD_COMMIT_RET(&o, i);
    HD_RETURN(&o);
  }
}

static void
lock_free_reader(litmus *l, int me)
{
  for (uint64_t i = 0; i < OPERATIONS; i++)
  {
    uint64_t v = __atomic_load_n(&word, __ATOMIC_RELAXED);
    HD_CALL(&o, "get", (uint64_t) me * OPERATIONS + i);
    if (l->weak != EARLY_READ && l->weak != LATE_READ)
      v = __atomic_load_n(&word, __ATOMIC_RELAXED);
    HD_RETURN(&o);
    if (l->weak == LATE_READ)
      v = __atomic_load_n(&word, __ATOMIC_RELAXED);
    read_values[me][i] = v;
  }
}

/* ---- writes outside blocks ---- */

/* Under the lock each write replaces the one before: values must be in the order of the ticks. */
static void
write_locked(litmus *l, int me)
{
  (void) me;
  for (int i = 0; i < OPERATIONS; i++)
  {
    pthread_mutex_lock(&lock);
    uint64_t v = ++word;
    if (!l->weak)
      HD_WRITE(&o, 1, v);
    pthread_mutex_unlock(&lock);
    if (l->weak)
      HD_WRITE(&o, 1, v);
  }
}

static bool
judge_increasing(litmus *l, hd_log *log)
{
  (void) l;
  history h = gather(log);
  uint64_t last = 0, n = 0;
  bool good = true;
  for (size_t t = 0; t < MOST_EVENTS; t++)
    if (h.is_write[t])
    {
      good = good && h.order[t] == last + 1;
      last = h.order[t];
      n++;
    }
  assert_int_equal(n, THREADS * OPERATIONS);
  forget(&h);
  return good;
}

/* A slot that its owner gives away with a store: taken and given must alternate in the order of the ticks. */
static void
write_release(litmus *l, int me)
{
  for (int i = 0; i < OPERATIONS / 2; i++)
  {
    uint64_t nobody = 0;
    while (!__atomic_compare_exchange_n(&word, &nobody, (uint64_t) me + 1, true, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
    {
      nobody = 0;
      if (i % 16 == 0)
        sched_yield();
    }
    HD_WRITE(&o, 1, (uint64_t) me + 1); /* ours alone: nobody else writes it */
    if (!l->weak)
      HD_WRITE_RELEASE(&o, 1, 0u);
    __atomic_store_n(&word, 0, __ATOMIC_RELAXED); /* relaxed: the macro must order it */
    if (l->weak)
      HD_WRITE(&o, 1, 0u); /* too late: the next owner may have logged already */
  }
}

static bool
judge_alternating(litmus *l, hd_log *log)
{
  (void) l;
  history h = gather(log);
  uint64_t n = 0;
  bool good = true;
  for (size_t t = 0; t < MOST_EVENTS; t++)
    if (h.is_write[t])
    {
      good = good && (h.order[t] == 0) == (n % 2 == 1);
      n++;
    }
  assert_int_equal(n, THREADS * OPERATIONS);
  forget(&h);
  return good;
}

/* ---- running ---- */

typedef struct job
{
  litmus *l;
  int me;
} job;

static void *
run_thread(void *arg)
{
  job *j = arg;
  pthread_barrier_wait(&start);
  (j->me == 0 ? j->l->writer : j->l->reader)(j->l, j->me);
  return NULL;
}

/* One round: does every operation agree with its stamps? */
static bool
run_round(litmus *l)
{
  if (!hd_start(&(hd_options){.path = test_path()}))
    fail_msg("%s", hd_error());
  hd_object_init(&o, "word", "word");
  word = 0;
  pthread_barrier_init(&start, NULL, THREADS);
  pthread_t t[THREADS];
  job jobs[THREADS];
  for (int i = 0; i < THREADS; i++)
  {
    jobs[i] = (job){.l = l, .me = i};
    assert_int_equal(pthread_create(&t[i], NULL, run_thread, &jobs[i]), 0);
  }
  for (int i = 0; i < THREADS; i++)
    pthread_join(t[i], NULL);
  pthread_barrier_destroy(&start);
  hd_stop();
  char *error = NULL;
  hd_log *log = hd_log_open(test_path(), &error);
  if (!log)
    fail_msg("%s", error);
  bool good = l->judge(l, log);
  hd_log_free(log);
  unlink(test_path());
  return good;
}

static void
expect_right(litmus l)
{
  for (int i = 0; i < ROUNDS; i++)
    if (!run_round(&l))
      fail_msg("an operation contradicts its stamps");
}

static void
expect_found(litmus l, int weak)
{
  l.weak = weak;
  for (int i = 0; i < BLIND_ROUNDS; i++)
    if (!run_round(&l))
    {
      print_message("# weaker order %d found in round %d\n", weak, i + 1);
      return;
    }
  fail_msg("%d rounds with a misplaced macro (%d) were judged right: the test is blind", BLIND_ROUNDS, weak);
}

static void
exact_commit(void **state)
{
  (void) state;
  litmus l = {.writer = locked_writer, .reader = locked_reader, .judge = judge_reads};
  expect_right(l);
  expect_found(l, 1);
}

static void
window_and_looks(void **state)
{
  (void) state;
  litmus l = {.writer = window_writer, .reader = lock_free_reader, .judge = judge_reads};
  expect_right(l);
  expect_found(l, NO_WINDOW_AFTER);
  expect_found(l, NO_WINDOW_BEFORE);
  expect_found(l, LATE_READ);
  expect_found(l, EARLY_READ);
}

static void
write_under_lock(void **state)
{
  (void) state;
  litmus l = {.writer = write_locked, .reader = write_locked, .judge = judge_increasing};
  expect_right(l);
  expect_found(l, 1);
}

static void
write_that_gives_away(void **state)
{
  (void) state;
  litmus l = {.writer = write_release, .reader = write_release, .judge = judge_alternating};
  expect_right(l);
  expect_found(l, 1);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(exact_commit),
      cmocka_unit_test(window_and_looks),
      cmocka_unit_test(write_under_lock),
      cmocka_unit_test(write_that_gives_away),
  };
  test_path();
  return cmocka_run_group_tests(tests, NULL, NULL);
}
