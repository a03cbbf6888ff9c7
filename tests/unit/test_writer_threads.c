/* test_writer_threads.c: threads that come and go, signal handlers that log, fork, exit while others log, SIGKILL. */
#define _GNU_SOURCE
#include "log_events.h"

#include <heddle/heddle.h>

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "log/writer.h"

static hd_object o, from_handler;

static int
clean(void **state)
{
  (void) state;
  hd_stop();
  hd_writer_first_tick = 0;
  unlink(test_path());
  return 0;
}

static void
begin(void)
{
  if (!hd_start(&(hd_options){.path = test_path()}))
    fail_msg("%s", hd_error());
  hd_object_init(&o, "type", "o");
  hd_object_init(&from_handler, "type", "from_handler");
}

/* ---- thousands of threads ---- */

static void *
short_thread(void *arg)
{
  HD_CALL(&o, "short", (intptr_t) arg);
  HD_COMMIT(&o);
  HD_RETURN(&o);
  return NULL;
}

static void
thousands_of_threads(void **state)
{
  (void) state;
  enum
  {
    N = 5000,
    AT_ONCE = 4
  };
  begin();
  for (intptr_t i = 0; i < N; i += AT_ONCE)
  {
    pthread_t t[AT_ONCE];
    for (intptr_t k = 0; k < AT_ONCE; k++)
      assert_int_equal(pthread_create(&t[k], NULL, short_thread, (void *) (i + k)), 0);
    for (int k = 0; k < AT_ONCE; k++)
      pthread_join(t[k], NULL);
  }
  hd_stop();
  struct stat st;
  assert_int_equal(stat(test_path(), &st), 0);
  /* 5000 threads with 40 bytes of events and 40 of begin and end each, and 48 in the table: some ten chunks. */
  assert_true(st.st_size <= 24 * HD_LOG_UNIT);
  seen_log l = read_log(test_path());
  assert_int_equal(l.damages, 0);
  assert_int_equal(l.n, 3 * N);
  assert_int_equal(hd_log_threads(l.log), N);
  bool *seen_tick = calloc(N, sizeof *seen_tick), *seen_value = calloc(N, sizeof *seen_value);
  for (size_t i = 0; i < l.n; i++)
    if (l.events[i].e.kind == HD_K_COMMIT)
      seen_tick[l.events[i].e.stamp] = true;
    else if (l.events[i].e.kind == HD_K_CALL)
      seen_value[l.events[i].v[0].i] = true;
  for (size_t i = 0; i < N; i++)
    assert_true(seen_tick[i] && seen_value[i]);
  free(seen_tick);
  free(seen_value);
  free_log(&l);
}

static void
expect_exit(pid_t pid, int wanted)
{
  int status;
  assert_int_equal(waitpid(pid, &status, 0), pid);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != wanted)
    fail_msg("the child ended with status 0x%x", status);
}

/* ---- signal handlers ---- */

static volatile sig_atomic_t handled;

static void
handler(int signal)
{
  (void) signal;
  int i = handled;
  HD_CALL(&from_handler, "signal", i);
  HD_COMMIT(&from_handler);
  HD_RETURN(&from_handler, i);
  handled = i + 1;
}

/* One whole operation, with every inline path and one that is out of line. */
static void
interrupted(int i)
{
  HD_CALL(&o, "loop", i);
  HD_WINDOW(&o);
  HD_BLOCK_BEGIN(&o);
  HD_WRITE(&o, 1, i);
  HD_COMMIT(&o);
  HD_BLOCK_END(&o);
  HD_WRITE(&o, 2, i);
  HD_RETURN(&o, "text");
}

#if defined(HD_TSAN)
#define STRIDE 0 /* the sanitizer holds signals back until it suits it: nothing to see here */
#elif defined(__SANITIZE_ADDRESS__)
#define STRIDE 41 /* more instructions, of no interest */
#else
#define STRIDE 2
#endif

enum
{
  EVENTS = 8
};

/* Shared with the process whose macros are interrupted. */
typedef struct stepping
{
  int done, operations, signals;
} stepping;

/* The child: one operation for each place of the signal. */
static void
interrupted_child(uint64_t first, stepping *shared_state)
{
  hd_writer_first_tick = first;
  if (!hd_start(&(hd_options){.path = test_path()}))
    _exit(1);
  hd_object_init(&o, "type", "o");
  hd_object_init(&from_handler, "type", "from_handler");
  sigaction(SIGUSR1, &(struct sigaction){.sa_handler = handler}, NULL);
  handled = 0;
  interrupted(0); /* registers the sites */
  handler(SIGUSR1);
  ptrace(PTRACE_TRACEME, 0, NULL, NULL);
  int i = 1;
  for (;;)
  {
    raise(SIGTRAP);
    if (__atomic_load_n(&shared_state->done, __ATOMIC_ACQUIRE))
      break;
    interrupted(i++);
  }
  shared_state->operations = i;
  shared_state->signals = handled;
  hd_stop();
  _exit(0);
}

/* The next stop of the child. False: it is the child's own SIGTRAP, else a step. */
static bool
next_stop(pid_t pid)
{
  int status;
  siginfo_t info;
  assert_int_equal(waitpid(pid, &status, 0), pid);
  while (WIFSTOPPED(status) && WSTOPSIG(status) == SIGUSR1)
  {
    /* It was blocked when we sent it. */
    assert_int_equal(ptrace(PTRACE_CONT, pid, NULL, SIGUSR1), 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
  }
  if (!WIFSTOPPED(status) || WSTOPSIG(status) != SIGTRAP)
    fail_msg("the child's status is 0x%x", status);
  assert_int_equal(ptrace(PTRACE_GETSIGINFO, pid, NULL, &info), 0);
  return info.si_code != SI_TKILL;
}

/* A handler that logs comes after STRIDE instructions of an operation, after twice as many, and so on to its end. */
static void
handlers_log(uint64_t first)
{
  if (STRIDE == 0)
    skip();
  stepping *s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  assert_true(s != MAP_FAILED);
  pid_t pid = fork();
  if (pid == 0)
    interrupted_child(first, s);
  assert_false(next_stop(pid));
  for (int steps = STRIDE; !s->done; steps += STRIDE)
  {
    bool at_end = false;
    for (int i = 0; i < steps && !at_end; i++)
    {
      assert_int_equal(ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL), 0);
      at_end = !next_stop(pid);
    }
    if (at_end)
      __atomic_store_n(&s->done, 1, __ATOMIC_RELEASE);
    assert_int_equal(ptrace(PTRACE_CONT, pid, NULL, at_end ? 0 : SIGUSR1), 0);
    if (!at_end)
      assert_false(next_stop(pid));
  }
  expect_exit(pid, 0);
  print_message("%d operations interrupted\n", s->signals - 1);
  assert_int_equal(s->operations, s->signals + 1);
  seen_log l = read_log(test_path());
  assert_int_equal(l.damages, 0);
  assert_false(hd_log_lost(l.log));
  assert_int_equal(l.n, EVENTS * (size_t) s->operations + 3 * (size_t) s->signals);
  static const uint8_t kinds[3][EVENTS] = {[1] = {HD_K_CALL, HD_K_WINDOW, HD_K_BLOCK_BEGIN, HD_K_WRITE, HD_K_COMMIT,
                                                  HD_K_BLOCK_END, HD_K_WRITE, HD_K_RETURN},
                                           [2] = {HD_K_CALL, HD_K_COMMIT, HD_K_RETURN}};
  static const size_t phases[3] = {0, EVENTS, 3};
  uint64_t next[3] = {0}, phase[3] = {0}, ticks[3] = {0, first, first}, between[EVENTS] = {0};
  for (size_t i = 0; i < l.n; i++)
  {
    const seen *x = &l.events[i];
    uint32_t object = x->e.object;
    assert_int_equal(x->e.kind, kinds[object][phase[object]]);
    if (x->e.ticked)
      assert_true(x->e.stamp == ticks[object]++);
    else if (x->e.stamped)
      assert_true(x->e.stamp == ticks[object]);
    if (x->e.kind == HD_K_CALL)
    {
      assert_int_equal(x->v[0].i, next[object]++);
      between[phase[1]] += object == 2;
    }
    if (x->e.kind == HD_K_WRITE)
      assert_int_equal(x->v[1].i, next[object] - 1);
    phase[object] = (phase[object] + 1) % phases[object];
  }
  /* The handler's operations were found before every event of the operation. */
  for (int i = 0; i < EVENTS && STRIDE <= 2; i++)
    if (between[i] == 0)
      fail_msg("no signal came between event %d and the one before", i);
  munmap(s, sizeof *s);
  free_log(&l);
}

static void
signal_handlers(void **state)
{
  (void) state;
  handlers_log(0);
}

static void
signal_handlers_long_stamps(void **state)
{
  (void) state;
  handlers_log(HD_STAMP_MAX_SHORT + 1);
}

/* ---- fork ---- */

static void
fork_without_own_log(void **state)
{
  (void) state;
  begin();
  HD_CALL(&o, "parent");
  pid_t pid = fork();
  if (pid == 0)
  {
    hd_object mine;
    HD_COMMIT(&o);
    HD_RETURN(&o);
    hd_object_init(&mine, "type", "mine");
    HD_CALL(&mine, "child");
    HD_RETURN(&mine);
    bool silent = mine.id == 0 && hd_error() && strstr(hd_error(), "forked");
    _exit(silent ? 0 : 1);
  }
  expect_exit(pid, 0);
  HD_COMMIT(&o);
  HD_RETURN(&o);
  hd_stop();
  seen_log l = read_log(test_path());
  assert_int_equal(l.damages, 0);
  assert_int_equal(l.n, 3);
  assert_int_equal(hd_log_object_get(l.log, 1)->ticks, 1);
  free_log(&l);
}

static void
fork_with_own_log(void **state)
{
  (void) state;
#ifdef HD_TSAN
  skip(); /* the sanitizer allows no threads in the child, and a log has one */
#endif
  char name[300], path[300];
  snprintf(name, sizeof name, "%s.%%p", test_path());
  assert_true(hd_start(&(hd_options){.path = name}));
  hd_object_init(&o, "type", "o");
  HD_CALL(&o, "parent");
  pid_t pid = fork();
  if (pid == 0)
  {
    hd_object mine;
    HD_COMMIT(&o);
    HD_RETURN(&o);
    hd_object_init(&mine, "type", "mine");
    HD_CALL(&mine, "child");
    HD_COMMIT(&mine);
    HD_RETURN(&mine);
    HD_CALL(&o, "not mine");
    HD_RETURN(&o);
    hd_stop();
    _exit(0);
  }
  expect_exit(pid, 0);
  HD_RETURN(&o);
  hd_stop();
  snprintf(path, sizeof path, "%s.%d", test_path(), (int) getpid());
  seen_log l = read_log(path);
  assert_int_equal(l.n, 2);
  assert_int_equal(l.damages, 0);
  free_log(&l);
  unlink(path);
  snprintf(path, sizeof path, "%s.%d", test_path(), (int) pid);
  l = read_log(path);
  assert_int_equal(l.n, 3);
  assert_int_equal(l.damages, 0);
  assert_true(hd_log_closed(l.log));
  assert_string_equal(hd_log_object_get(l.log, 1)->name, "mine");
  free_log(&l);
  unlink(path);
}

/* The lock on a log is gone when its process is, also if a child lives on. */
static void
lock_ends_with_the_process(void **state)
{
  (void) state;
  int ready[2], quit[2];
  char c;
  assert_int_equal(pipe(ready), 0);
  assert_int_equal(pipe(quit), 0);
  pid_t pid = fork();
  if (pid == 0)
  {
    if (!hd_start(&(hd_options){.path = test_path()}))
      _exit(1);
    if (fork() == 0)
    {
      close(quit[1]);
      if (write(ready[1], "x", 1) != 1 || read(quit[0], &c, 1) != 0)
        _exit(1);
      _exit(0);
    }
    if (write(ready[1], "x", 1) != 1)
      _exit(1);
    close(quit[1]);
    if (read(quit[0], &c, 1) < 0) /* until killed */
      _exit(1);
    _exit(0);
  }
  assert_int_equal(read(ready[0], &c, 1), 1);
  assert_int_equal(read(ready[0], &c, 1), 1);
  assert_false(hd_start(&(hd_options){.path = test_path()}));
  assert_non_null(strstr(hd_error(), "another running process"));
  kill(pid, SIGKILL);
  int status;
  waitpid(pid, &status, 0);
  assert_true(hd_start(&(hd_options){.path = test_path()}));
  hd_stop();
  close(quit[0]);
  close(quit[1]);
  close(ready[0]);
  close(ready[1]);
}

/* ---- the end, while others log ---- */

static void *
log_forever(void *arg)
{
  for (intptr_t i = 0;; i++)
  {
    HD_CALL(&o, "forever", i);
    HD_COMMIT(&o);
    HD_RETURN(&o, i);
  }
  return arg;
}

static void
exit_while_others_log(void **state)
{
  (void) state;
  for (int round = 0; round < 10; round++)
  {
    pid_t pid = fork();
    if (pid == 0)
    {
      alarm(60);
      if (!hd_start(&(hd_options){.path = test_path()}))
        _exit(1);
      hd_object_init(&o, "type", "o");
      pthread_t t;
      for (int i = 0; i < 4; i++)
        pthread_create(&t, NULL, log_forever, NULL);
      while (__atomic_load_n(o.clock, __ATOMIC_ACQUIRE) < 100000)
        ;
      hd_stop(); /* as at exit, without what the test harness does there */
      struct timespec some = {.tv_nsec = 1000000};
      nanosleep(&some, NULL);
      _exit(0);
    }
    expect_exit(pid, 0);
    seen_log l = read_log(test_path());
    assert_true(hd_log_closed(l.log));
    assert_true(l.n >= 100000);
    free_log(&l);
    unlink(test_path());
  }
}

static void *
restart_worker(void *arg)
{
  int *stop = arg;
  while (!__atomic_load_n(stop, __ATOMIC_ACQUIRE))
  {
    hd_object mine;
    hd_object_init(&mine, "type", "mine");
    for (int i = 0; i < 2000; i++)
    {
      HD_CALL(&mine, "f", i);
      HD_COMMIT(&mine);
      HD_RETURN(&mine);
    }
    hd_object_destroy(&mine);
  }
  return NULL;
}

/* Logs begin and end while threads log. */
static void
restart_while_others_log(void **state)
{
  (void) state;
  int stop = 0;
  pthread_t t[3];
  for (int i = 0; i < 3; i++)
    pthread_create(&t[i], NULL, restart_worker, &stop);
  for (int round = 0; round < 30; round++)
  {
    assert_true(hd_start(&(hd_options){.path = test_path()}));
    hd_writer *w = NULL;
    sigset_t old;
    hd_writer_lock(&old);
    w = hd_writer_current();
    hd_writer_unlock(&old);
    while (__atomic_load_n(&w->header->chunk_seq, __ATOMIC_ACQUIRE) < 8)
      sched_yield();
    hd_stop();
    seen_log l = read_log(test_path());
    assert_true(hd_log_closed(l.log));
    assert_int_equal(l.damages, 0);
    free_log(&l);
  }
  __atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
  for (int i = 0; i < 3; i++)
    pthread_join(t[i], NULL);
}

/* ---- SIGKILL ---- */

enum
{
  KILL_THREADS = 8
};

/* Shared with the process that is killed: events appended so far, by each thread. */
typedef struct counts
{
  uint64_t appended[KILL_THREADS][8];
} counts;

static counts *shared;

static void *
log_and_count(void *arg)
{
  uint64_t me = (uint64_t) (uintptr_t) arg;
  uint64_t *appended = shared->appended[me];
  for (uint64_t i = 0;; i++)
  {
    HD_CALL(&o, "op", me, i);
    __atomic_store_n(appended, 3 * i + 1, __ATOMIC_RELEASE);
    HD_COMMIT(&o);
    __atomic_store_n(appended, 3 * i + 2, __ATOMIC_RELEASE);
    HD_RETURN(&o, i);
    __atomic_store_n(appended, 3 * i + 3, __ATOMIC_RELEASE);
  }
  return NULL;
}

static void
killed(void **state)
{
  (void) state;
  uint64_t seed = (uint64_t) time(NULL), random = seed;
  const char *rounds_text = getenv("HEDDLE_TEST_KILLS");
  int rounds = rounds_text ? atoi(rounds_text) : 100;
  shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  assert_true(shared != MAP_FAILED);
  uint64_t total = 0, torn = 0;
  for (int round = 0; round < rounds; round++)
  {
    memset(shared, 0, sizeof *shared);
    pid_t pid = fork();
    if (pid == 0)
    {
      pthread_t t;
      if (!hd_start(&(hd_options){.path = test_path()}))
        _exit(1);
      hd_object_init(&o, "type", "o");
      for (uintptr_t i = 0; i < KILL_THREADS; i++)
        pthread_create(&t, NULL, log_and_count, (void *) i);
      for (;;)
        pause();
    }
    /* Until a random number of events is logged. */
    uint64_t wait_for = 1 + hd_random(&random) % 300000, sum;
    int status;
    do
    {
      if (waitpid(pid, &status, WNOHANG) != 0)
        fail_msg("the child ended with status 0x%x (seed %llu, round %d)", status, (unsigned long long) seed, round);
      sum = 0;
      for (int i = 0; i < KILL_THREADS; i++)
        sum += __atomic_load_n(shared->appended[i], __ATOMIC_ACQUIRE);
    } while (sum < wait_for);
    kill(pid, SIGKILL);
    waitpid(pid, &status, 0);
    seen_log l = read_log(test_path());
    if (l.damages)
      fail_msg("damage (seed %llu, round %d)", (unsigned long long) seed, round);
    assert_false(hd_log_closed(l.log));
    uint64_t found[KILL_THREADS] = {0}, owner[64] = {0};
    for (size_t i = 0; i < l.n; i++)
    {
      const seen *s = &l.events[i];
      if (!s->e.stamped)
      {
        torn++;
        continue;
      }
      assert_true(s->e.thread < 64);
      if (s->e.kind == HD_K_CALL)
      {
        owner[s->e.thread] = s->v[0].u;
        assert_true(s->v[1].u == found[s->v[0].u] / 3);
      }
      found[owner[s->e.thread]]++;
    }
    for (int i = 0; i < KILL_THREADS; i++)
    {
      uint64_t appended = shared->appended[i][0];
      /* All that was counted, and at most one event that was finished and not yet counted. */
      if (found[i] < appended || found[i] > appended + 1)
        fail_msg("thread %d: %llu events appended, %llu in the log (seed %llu, round %d)", i,
                 (unsigned long long) appended, (unsigned long long) found[i], (unsigned long long) seed, round);
      total += appended;
    }
    free_log(&l);
    unlink(test_path());
  }
  print_message("%d kills, %llu events, none lost, %llu torn\n", rounds, (unsigned long long) total,
                (unsigned long long) torn);
  munmap(shared, sizeof *shared);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(thousands_of_threads, clean),
      cmocka_unit_test_teardown(signal_handlers, clean),
      cmocka_unit_test_teardown(signal_handlers_long_stamps, clean),
      cmocka_unit_test_teardown(fork_without_own_log, clean),
      cmocka_unit_test_teardown(fork_with_own_log, clean),
      cmocka_unit_test_teardown(lock_ends_with_the_process, clean),
      cmocka_unit_test_teardown(exit_while_others_log, clean),
      cmocka_unit_test_teardown(restart_while_others_log, clean),
      cmocka_unit_test_teardown(killed, clean),
  };
  test_path();
  return cmocka_run_group_tests(tests, NULL, NULL);
}
