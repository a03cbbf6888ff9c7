/* test_writer_limits.c: the policies at the limit of the log, readers that give room back, full disks, and what the
 * environment says. */
#define _GNU_SOURCE
#include "log_events.h"

#include <heddle/heddle.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "log/writer.h"

static hd_object o, other;

static int
clean(void **state)
{
  (void) state;
  hd_stop();
  unlink(test_path());
  return 0;
}

static void
operations(hd_object *object, int from, int n)
{
  for (int i = from; i < from + n; i++)
  {
    HD_CALL(object, "set", i);
    HD_COMMIT(object);
    HD_RETURN(object, i);
  }
}

/* Every tick of an object's clock is in the log, although operations are missing. */
static void
expect_all_ticks(const seen_log *l)
{
  uint64_t ticks[16] = {0};
  for (size_t i = 0; i < l->n; i++)
    ticks[l->events[i].e.object] += l->events[i].e.ticked;
  for (uint32_t id = 1; id <= hd_log_objects(l->log); id++)
    assert_int_equal(ticks[id], hd_log_object_get(l->log, id)->ticks);
}

static void
drop(void **state)
{
  (void) state;
  enum
  {
    N = 100000
  };
  assert_true(hd_start(&(hd_options){.path = test_path(), .policy = HD_POLICY_DROP, .limit = 16 * HD_LOG_UNIT}));
  hd_object_init(&o, "type", "o");
  hd_object_init(&other, "type", "other");
  HD_CALL(&other, "outer"); /* still open when the room ends */
  operations(&o, 0, N);
  HD_COMMIT(&other);
  HD_RETURN(&other);
  hd_stop();
  struct stat st;
  assert_int_equal(stat(test_path(), &st), 0);
  assert_true(st.st_size <= 18 * HD_LOG_UNIT);
  seen_log l = read_log(test_path());
  assert_int_equal(l.damages, 0);
  expect_all_ticks(&l);
  const hd_log_object *x = hd_log_object_get(l.log, 1), *y = hd_log_object_get(l.log, 2);
  assert_true(x->dropped > 0 && x->ticks + x->dropped >= N);
  assert_true(x->lost_at > 0 && x->lost_at <= x->ticks + 1);
  assert_int_equal(y->dropped, 1);
  assert_int_equal(y->lost_at, 1);
  assert_int_equal(hd_log_dropped(l.log), x->dropped + y->dropped);
  free_log(&l);
}

static bool
barrier(void *context)
{
  (void) context;
  return syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL_EXPEDITED, 0, 0) == 0;
}

typedef struct tally
{
  uint64_t events, next[3];
} tally;

static bool
count_event(void *context, const hd_event *e)
{
  tally *t = context;
  t->events++;
  if (e->kind == HD_K_COMMIT)
    t->next[e->object]++;
  return true;
}

static void *
worker(void *arg)
{
  operations(arg, 0, 300000);
  return NULL;
}

/* Threads of another process log 43 MB through a log of 2 MiB. */
static void
block(void **state)
{
  (void) state;
  int ready[2];
  char c;
  assert_int_equal(pipe(ready), 0);
  pid_t self = getpid(), pid = fork();
  if (pid == 0)
  {
    pthread_t t[3];
    if (!hd_start(&(hd_options){
            .path = test_path(), .policy = HD_POLICY_BLOCK, .limit = 32 * HD_LOG_UNIT, .reader = (uint32_t) self}))
      _exit(1);
    hd_object_init(&o, "type", "o");
    hd_object_init(&other, "type", "other");
    if (write(ready[1], "x", 1) != 1)
      _exit(1);
    for (int i = 0; i < 3; i++)
      pthread_create(&t[i], NULL, worker, i ? &o : &other);
    for (int i = 0; i < 3; i++)
      pthread_join(t[i], NULL);
    hd_stop();
    _exit(0);
  }
  assert_int_equal(read(ready[0], &c, 1), 1);
  char *error = NULL;
  hd_log *log = hd_log_open(test_path(), &error);
  if (!log)
    fail_msg("%s", error);
  tally t = {0};
  hd_log_sink sink = {.context = &t, .event = count_event, .frontier = seen_frontier};
  int status;
  while (waitpid(pid, &status, WNOHANG) == 0)
  {
    assert_true(hd_log_poll(log, &sink, barrier, NULL, true) >= 0);
    sched_yield();
  }
  assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  assert_true(hd_log_finish(log, &sink));
  const hd_log_damage *damages;
  size_t n = hd_log_damages(log, &damages);
  for (size_t i = 0; i < n; i++)
    print_message("damage at %llu: %s\n", (unsigned long long) damages[i].offset, damages[i].what);
  assert_int_equal(n, 0);
  assert_int_equal(t.events, 3 * 900000);
  assert_int_equal(t.next[1], 600000);
  assert_int_equal(t.next[2], 300000);
  assert_int_equal(hd_log_dropped(log), 0);
  struct stat st;
  assert_int_equal(stat(test_path(), &st), 0);
  assert_true(st.st_size <= 36 * HD_LOG_UNIT);
  hd_log_free(log);
  close(ready[0]);
  close(ready[1]);
}

/* Nobody reads: the log grows. */
static void
block_without_reader(void **state)
{
  (void) state;
  pid_t dead = fork();
  if (dead == 0)
    _exit(0);
  waitpid(dead, NULL, 0);
  assert_true(hd_start(&(hd_options){
      .path = test_path(), .policy = HD_POLICY_BLOCK, .limit = 8 * HD_LOG_UNIT, .reader = (uint32_t) dead}));
  hd_object_init(&o, "type", "o");
  operations(&o, 0, 50000);
  hd_stop();
  seen_log l = read_log(test_path());
  assert_int_equal(l.damages, 0);
  assert_int_equal(l.n, 150000);
  free_log(&l);
}

/* ---- full disks: in a process of its own, which must live ---- */

static void
fill_disk(const char *path)
{
  if (!hd_start(&(hd_options){.path = path, .ahead = 1}))
    _exit(2);
  hd_object_init(&o, "type", "o");
  hd_object_init(&other, "type", "other");
  HD_CALL(&other, "outer");
  operations(&o, 0, 500000); /* 24 MB */
  HD_COMMIT(&other);
  HD_RETURN(&other);
  /* New objects and threads do not fit any more; nothing may happen. */
  for (int i = 0; i < 3000; i++)
  {
    hd_object x;
    hd_object_init(&x, "type", "x");
    operations(&x, 0, 1);
    hd_object_destroy(&x);
  }
  pthread_t t;
  pthread_create(&t, NULL, worker, &o);
  pthread_join(t, NULL);
  hd_stop();
}

static void
expect_full(const char *path)
{
  seen_log l = read_log(path);
  assert_int_equal(l.damages, 0);
  assert_true(hd_log_lost(l.log));
  assert_true(hd_log_closed(l.log));
  const hd_log_object *x = hd_log_object_get(l.log, 1);
  assert_true(x->dropped > 0);
  assert_true(x->ticks > 10000 && x->ticks < 500000);
  uint64_t ticks = 0;
  for (size_t i = 0; i < l.n; i++)
    ticks += l.events[i].e.ticked && l.events[i].e.object == 1;
  assert_int_equal(ticks, x->ticks);
  free_log(&l);
}

static void
file_size_limit(void **state)
{
  (void) state;
  pid_t pid = fork();
  if (pid == 0)
  {
    /* SIGXFSZ keeps its default action, which would end us. */
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){.rlim_cur = 9 << 20, .rlim_max = 9 << 20});
    fill_disk(test_path());
    _exit(0);
  }
  int status;
  waitpid(pid, &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    fail_msg("status 0x%x", status);
  expect_full(test_path());
}

static void
full_disk(void **state)
{
  (void) state;
  char dir[300], path[320];
  snprintf(dir, sizeof dir, "%s.d", test_path());
  snprintf(path, sizeof path, "%s/log", dir);
  mkdir(dir, 0700);
  if (mount("tmpfs", dir, "tmpfs", 0, "size=9m") != 0)
  {
    rmdir(dir);
    print_message("not allowed to mount a small file system: skipped\n");
    skip();
  }
  pid_t pid = fork();
  if (pid == 0)
  {
    fill_disk(path);
    _exit(0);
  }
  int status;
  waitpid(pid, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
    expect_full(path);
  umount2(dir, MNT_DETACH);
  rmdir(dir);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    fail_msg("status 0x%x", status);
}

/* ---- the environment: this program again, with --child ---- */

static int
run_child(const char *const *env, char *out, size_t size)
{
  int pipes[2];
  assert_int_equal(pipe(pipes), 0);
  pid_t pid = fork();
  if (pid == 0)
  {
    dup2(pipes[1], 1);
    dup2(pipes[1], 2);
    char *argv[] = {"test_writer_limits", "--child", NULL};
    execve("/proc/self/exe", argv, (char *const *) (uintptr_t) env);
    _exit(127);
  }
  close(pipes[1]);
  size_t n = 0;
  ssize_t r;
  while (n + 1 < size && (r = read(pipes[0], out + n, size - 1 - n)) > 0)
    n += (size_t) r;
  out[n] = 0;
  close(pipes[0]);
  int status;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int
child(void)
{
  hd_object_init(&o, "type", "o");
  operations(&o, 0, 10);
  printf("%s\n", hd_error() ? hd_error() : "logging");
  return hd_error() ? 1 : 0;
}

static void
environment(void **state)
{
  (void) state;
  char log[320], out[1024];
  snprintf(log, sizeof log, "HEDDLE_LOG=%s", test_path());
  assert_int_equal(run_child((const char *[]){log, "HEDDLE_POLICY=drop", "HEDDLE_LIMIT=1M", NULL}, out, sizeof out), 0);
  assert_string_equal(out, "logging\n");
  seen_log l = read_log(test_path());
  assert_int_equal(l.n, 30);
  assert_int_equal(l.damages, 0);
  assert_true(hd_log_closed(l.log)); /* closed at exit */
  free_log(&l);
  assert_int_equal(run_child((const char *[]){NULL}, out, sizeof out), 1);
  assert_non_null(strstr(out, "HEDDLE_LOG=file"));
  assert_int_equal(run_child((const char *[]){log, "HEDDLE_POLICY=never", NULL}, out, sizeof out), 1);
  assert_non_null(strstr(out, "block, spill or drop"));
  assert_null(strstr(out, "heddle:")); /* silent unless asked */
  assert_int_equal(run_child((const char *[]){log, "HEDDLE_LIMIT=12q", "HEDDLE_VERBOSE=1", NULL}, out, sizeof out), 1);
  assert_non_null(strstr(out, "heddle: not logging: HEDDLE_LIMIT=12q: not a number"));
}

int
main(int argc, char **argv)
{
  if (argc > 1 && strcmp(argv[1], "--child") == 0)
    return child();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(drop, clean),
      cmocka_unit_test_teardown(block, clean),
      cmocka_unit_test_teardown(block_without_reader, clean),
      cmocka_unit_test_teardown(file_size_limit, clean),
      cmocka_unit_test_teardown(full_disk, clean),
      cmocka_unit_test_teardown(environment, clean),
  };
  test_path();
  return cmocka_run_group_tests(tests, NULL, NULL);
}
