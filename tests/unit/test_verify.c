/* test_verify.c: the verification thread inside a program, on a counter that is right and on one that loses updates. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include <heddle/heddle.h>
#include <heddle/spec.h>
#include <heddle/verify.h>

/* ---- the specification: inc returns the new value, get the present one ---- */

static const hd_method methods[] = {{"inc", HD_MUTATOR, "", 'i'}, {"get", HD_OBSERVER, "", 'i'}};

static void *
create(const hd_value *config, size_t n)
{
  (void) config, (void) n;
  return calloc(1, sizeof(int64_t));
}

static hd_step
apply(void *s, const hd_op *op, hd_keys *touched)
{
  int64_t *count = s;
  (void) touched;
  if (op->method == 1)
    return op->ret.i == *count ? HD_SAME : HD_REJECT;
  if (op->ret.i != *count + 1)
    return HD_REJECT;
  ++*count;
  return HD_CHANGED;
}

static void *
copy(const void *s)
{
  int64_t *c = malloc(sizeof *c);
  *c = *(const int64_t *) s;
  return c;
}

static bool
equal(const void *a, const void *b)
{
  return *(const int64_t *) a == *(const int64_t *) b;
}

static uint64_t
hash(const void *s)
{
  return (uint64_t) * (const int64_t *) s;
}

static const hd_spec counter = {.abi = HD_SPEC_ABI,
                                .size = sizeof(hd_spec),
                                .name = "counter",
                                .methods = methods,
                                .nmethods = 2,
                                .create = create,
                                .destroy = free,
                                .apply = apply,
                                .copy = copy,
                                .equal = equal,
                                .hash = hash};
static const hd_spec *const specs[] = {&counter};

/* ---- the implementation ---- */

static hd_object object;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int64_t value;
static int64_t wrong_every; /* 0: never; else each time the value would reach a multiple, an update is lost */

static void
inc(void)
{
  HD_CALL(&object, "inc");
  pthread_mutex_lock(&mutex);
  int64_t mine = value + 1;
  if (!wrong_every || mine % wrong_every != 0)
    value = mine;
  HD_COMMIT(&object);
  pthread_mutex_unlock(&mutex);
  HD_RETURN(&object, mine);
}

static void
get(void)
{
  HD_CALL(&object, "get");
  pthread_mutex_lock(&mutex);
  int64_t mine = value;
  pthread_mutex_unlock(&mutex);
  HD_RETURN(&object, mine);
}

static int calls = 20000;

static void *
work(void *arg)
{
  (void) arg;
  for (int i = 0; i < calls; i++)
    if (i % 3 == 0)
      get();
    else
      inc();
  return NULL;
}

static void
run_threads(int n)
{
  pthread_t threads[8];
  for (int i = 0; i < n; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, work, NULL), 0);
  for (int i = 0; i < n; i++)
    pthread_join(threads[i], NULL);
}

static int told;
static char told_object[64], told_headline[512];

static void
say(void *context, const char *name, const char *headline, const char *text)
{
  assert_ptr_equal(context, &told);
  told++;
  snprintf(told_object, sizeof told_object, "%s", name);
  snprintf(told_headline, sizeof told_headline, "%s", headline);
  assert_non_null(strstr(text, "inc"));
}

static void
start(void)
{
  told = 0;
  value = 0;
  const char *why
      = hd_verify_start(&(hd_verify_options){.specs = specs, .nspecs = 1, .violation = say, .context = &told});
  if (why)
    fail_msg("%s", why);
  hd_object_init(&object, "counter", "hits");
}

static void
test_right_counter_holds(void **state)
{
  (void) state;
  wrong_every = 0;
  start();
  run_threads(4);
  assert_int_equal(hd_verify_stop(), 0);
  assert_int_equal(told, 0);
  assert_null(hd_path()); /* the log of its own is gone */
}

static void
test_lost_update_is_told_once(void **state)
{
  (void) state;
  wrong_every = 1000;
  start();
  run_threads(4);
  assert_int_equal(hd_verify_stop(), 1);
  assert_int_equal(told, 1);
  assert_string_equal(told_object, "hits");
  /* Another inc that also returned 1000, or a get that saw the old value. */
  assert_true(strstr(told_headline, "inc() = 1000") || strstr(told_headline, "get() = 999"));
  wrong_every = 0;
}

static void
test_several_runs_in_one_process(void **state)
{
  (void) state;
  wrong_every = 0;
  for (int i = 0; i < 5; i++)
  {
    start();
    run_threads(2);
    assert_int_equal(hd_verify_stop(), 0);
  }
}

/* A log that runs already is read and kept. */
static void
test_existing_log_is_kept(void **state)
{
  (void) state;
  char path[] = "/tmp/heddle-test-verify-XXXXXX";
  assert_non_null(mkdtemp(path));
  char file[64];
  snprintf(file, sizeof file, "%s/run.hlog", path);
  assert_true(hd_start(&(hd_options){.path = file}));
  start();
  run_threads(2);
  assert_int_equal(hd_verify_stop(), 0);
  assert_non_null(hd_path());
  hd_stop();
  struct stat s;
  assert_int_equal(stat(file, &s), 0);
  assert_int_equal(s.st_mode & 0777, 0600);
  unlink(file);
  rmdir(path);
}

static void
test_misuse(void **state)
{
  (void) state;
  assert_int_equal(hd_verify_stop(), -1);
  static hd_spec bad;
  bad = counter;
  bad.apply = NULL;
  const char *why = hd_verify_start(&(hd_verify_options){.specs = (const hd_spec *[]){&bad}, .nspecs = 1});
  assert_non_null(why);
  assert_non_null(strstr(why, "apply"));
  start();
  assert_non_null(hd_verify_start(&(hd_verify_options){.specs = specs, .nspecs = 1}));
  assert_int_equal(hd_verify_stop(), 0);
}

int
main(void)
{
  if (getenv("HEDDLE_CASES"))
    calls = 3000;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_right_counter_holds),
      cmocka_unit_test(test_lost_update_is_told_once),
      cmocka_unit_test(test_several_runs_in_one_process),
      cmocka_unit_test(test_existing_log_is_kept),
      cmocka_unit_test(test_misuse),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
