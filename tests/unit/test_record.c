/* test_record.c: the recorder of traces (rt_record.c) with threads that run in parallel.
 *
 * Threads access words under locks, atomically, each its own, and, with something that the recorder does not see to
 * keep them apart, without any order; they tell the recorder as hooks would, and remember what they really read. The
 * trace is then replayed: a read must see the write that it really saw, and locks must be held by one thread at a
 * time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/base.h"
#include "instrument/rt_client.h"
#include "instrument/rt_core.h"
#include "instrument/rt_record.h"
#include "trace/trace.h"

enum
{
  THREADS = 4,
  STEPS = 6000,
  LOCKS = 3,
  WORDS = 8, /* of each lock */
  HIDDEN = LOCKS
};

/* What the runtime around the recorder has. */
void
hd_rt_deliver(void)
{
}

static uint32_t threads_told;

void
hd_rt_client_send(const char *bytes, size_t n)
{
  assert_true(n > 7 && memcmp(bytes, "thread ", 7) == 0);
  __atomic_fetch_add(&threads_told, 1, __ATOMIC_RELAXED);
}

static uint64_t words[LOCKS + 1][WORDS], own[THREADS + 1][4], flag;
static pthread_mutex_t locks[LOCKS] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static uint64_t seed;

/* What a thread really did: the value of each plain access, in its order. */
typedef struct thread
{
  pthread_t handle;
  hd_rt_thread *t;
  uint64_t seed;
  uint64_t *values;
  size_t n, cap;
} thread;
static thread threads[THREADS];
static hd_record_shared *shared;
static pthread_barrier_t all_there;

static void
read_word(thread *t, uint64_t *p)
{
  hd_rt_recorder.access((uintptr_t) p, 8, false, 1);
  HD_PUSH(t->values, t->n, t->cap, *p);
}

static void
write_word(thread *t, uint64_t *p)
{
  hd_rt_recorder.access((uintptr_t) p, 8, true, 2);
  uint64_t value = (uint64_t) (t - threads + 1) << 32 | t->n;
  *p = value;
  HD_PUSH(t->values, t->n, t->cap, value);
}

static void
some_accesses(thread *t, uint32_t l)
{
  for (unsigned k = 0; k < 4; k++)
    if (hd_random(&t->seed) % 2)
      read_word(t, &words[l][hd_random(&t->seed) % WORDS]);
    else
      write_word(t, &words[l][hd_random(&t->seed) % WORDS]);
}

/* Races, but never two at the same instant. */
static void
by_turns(thread *t)
{
  static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&turn);
  some_accesses(t, HIDDEN);
  pthread_mutex_unlock(&turn);
  if (hd_random(&t->seed) % 4 == 0)
    sched_yield();
}

static void
under_lock(thread *t, uint32_t l)
{
  pthread_mutex_lock(&locks[l]);
  hd_rt_recorder.sync(HD_RT_EV_LOCK, (uintptr_t) &locks[l], l + 1, 0, 3);
  some_accesses(t, l);
  hd_rt_recorder.sync(HD_RT_EV_UNLOCK, (uintptr_t) &locks[l], l + 1, 0, 4);
  pthread_mutex_unlock(&locks[l]);
}

/* As the hooks do it: the operation and its event under one lock. */
static void
atomically(void)
{
  hd_rt_acquire(hd_rt_stripe((uintptr_t) &flag));
  __atomic_fetch_add(&flag, 1, __ATOMIC_ACQ_REL);
  hd_rt_recorder.atomic(HD_RT_ATOMIC_MODIFY, (uintptr_t) &flag, 8, __ATOMIC_ACQ_REL, 5);
  hd_rt_release(hd_rt_stripe((uintptr_t) &flag));
}

static void *
run(void *argument)
{
  thread *t = argument;
  hd_rt_thread_attach(t->t);
  hd_rt_recorder.begin();
  pthread_barrier_wait(&all_there);
  for (unsigned i = 0; i < STEPS; i++)
    switch (hd_random(&t->seed) % 8)
    {
    case 0:
      atomically();
      break;
    case 1:
    case 2:
      read_word(t, &own[t - threads][hd_random(&t->seed) % 4]);
      write_word(t, &own[t - threads][hd_random(&t->seed) % 4]);
      break;
    case 3:
    case 4:
      by_turns(t);
      break;
    default:
      under_lock(t, (uint32_t) (hd_random(&t->seed) % LOCKS));
    }
  hd_rt_recorder.end();
  hd_rt_thread_leave();
  return NULL;
}

/* ---- the trace ---- */

static int
by_sequence(const void *a, const void *b)
{
  const hd_record_chunk *x = *(hd_record_chunk *const *) a, *y = *(hd_record_chunk *const *) b;
  return x->stream != y->stream ? (x->stream < y->stream ? -1 : 1) : x->sequence < y->sequence ? -1 : 1;
}

static char *
make_trace(size_t *n)
{
  char *data;
  hd_record_chunk *chunks[HD_RECORD_CHUNKS];
  size_t count = 0;
  FILE *out = open_memstream(&data, n);
  hd_trace_names *names = hd_trace_names_new();
  hd_trace_writer *w = hd_trace_writer_new(out, HD_TRACE_BINARY, names);
  for (size_t i = 0; i < HD_RECORD_CHUNKS; i++)
    if (shared->state[i] != HD_RECORD_FREE)
      chunks[count++] = &shared->chunks[i];
  qsort(chunks, count, sizeof *chunks, by_sequence);
  for (size_t i = 0; i < count; i++)
    if (chunks[i]->filled)
      hd_trace_writer_piece(w, &(hd_trace_piece){.stream = chunks[i]->stream,
                                                 .sequence = chunks[i]->sequence,
                                                 .thread = chunks[i]->stream,
                                                 .order = chunks[i]->order,
                                                 .count = chunks[i]->filled >> 32,
                                                 .payload = chunks[i]->payload,
                                                 .length = (uint32_t) chunks[i]->filled});
  hd_trace_writer_whole(w, shared->order);
  assert_true(hd_trace_writer_finish(w));
  fclose(out);
  hd_trace_names_free(names);
  return data;
}

static uint64_t *
simulated(uintptr_t p, uint64_t (*memory)[WORDS], uint64_t (*mine)[4])
{
  if (p - (uintptr_t) words < sizeof words)
    return &memory[0][(p - (uintptr_t) words) / 8];
  assert_true(p - (uintptr_t) own < sizeof own);
  return &mine[0][(p - (uintptr_t) own) / 8];
}

static void
replay(hd_trace *trace)
{
  static uint64_t memory[LOCKS + 1][WORDS], mine[THREADS + 1][4];
  size_t at[THREADS + 1] = {0};
  hd_trace_check *check = hd_trace_check_new();
  hd_trace_event e;
  uint64_t forks = 0, joins = 0;
  while (hd_trace_read(trace, &e, 1))
  {
    hd_string why = {0};
    if (hd_trace_check_event(check, hd_trace_names_of(trace), &e, &why) == HD_TRACE_IMPOSSIBLE)
      fail_msg("seed %lu: event %lu: %s", seed, e.number, why.text);
    hd_string_free(&why);
    forks += e.kind == HD_TRACE_FORK;
    joins += e.kind == HD_TRACE_JOIN;
    if (!hd_trace_is_access(&e))
      continue;
    assert_in_range(e.thread, 1, THREADS);
    thread *t = &threads[e.thread - 1];
    uint64_t *word = simulated(e.target, memory, mine), value = t->values[at[e.thread]++];
    if (e.kind == HD_TRACE_WRITE)
      *word = value;
    else if (*word != value)
      fail_msg("seed %lu: event %lu of thread %u reads %lx, but the trace has %lx there", seed, e.number, e.thread,
               value, *word);
  }
  assert_null(hd_trace_error(trace));
  assert_null(hd_trace_cut(trace));
  assert_int_equal(forks, THREADS);
  assert_int_equal(joins, THREADS);
  for (unsigned i = 0; i < THREADS; i++)
    assert_int_equal(at[i + 1], threads[i].n);
  hd_trace_check_free(check);
}

static void
test_record(void **state)
{
  (void) state;
  if (!hd_rt_layout_fits() || !hd_rt_layout_map() || !hd_rt_threads_start() || !hd_rt_objects_start())
  {
    print_message("the shadow does not fit here\n");
    skip();
  }
  seed = (uint64_t) getpid() * 2654435761u;
  int fd = memfd_create("test", 0);
  assert_return_code(ftruncate(fd, sizeof *shared), 0);
  shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  assert_ptr_not_equal(shared, MAP_FAILED);
  shared->version = HD_RECORD_VERSION;
  char line[32];
  snprintf(line, sizeof line, "memory %d", fd);
  assert_true(hd_rt_recorder.setting(line));
  assert_false(hd_rt_recorder.setting("memories 3"));
  hd_rt_client_set(&hd_rt_recorder);
  hd_rt_thread_attach(hd_rt_thread_new());
  assert_true(hd_rt_recorder.start());
  pthread_barrier_init(&all_there, NULL, THREADS);
  for (unsigned i = 0; i < THREADS; i++)
  {
    threads[i].seed = seed + i;
    threads[i].t = hd_rt_thread_new();
    hd_rt_recorder.create(threads[i].t, 6);
    assert_int_equal(pthread_create(&threads[i].handle, NULL, run, &threads[i]), 0);
  }
  for (unsigned i = 0; i < THREADS; i++)
  {
    pthread_join(threads[i].handle, NULL);
    hd_rt_recorder.join(threads[i].t, 7);
  }
  hd_rt_recorder.quit();
  assert_int_equal(threads_told, THREADS + 1);
  size_t n;
  char *data = make_trace(&n), *error = NULL;
  hd_trace *trace = hd_trace_open_memory(data, n, "test", HD_TRACE_BINARY, &error);
  assert_non_null(trace);
  replay(trace);
  hd_trace_free(trace);
  free(data);
  for (unsigned i = 0; i < THREADS; i++)
    free(threads[i].values);
  hd_rt_here = (hd_rt_local){0};
  hd_rt_client_set(NULL);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_record)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
