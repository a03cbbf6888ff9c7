/* verify.c: the verification thread inside a program (section 4.2 of the VYRD paper).
 *
 * It reads the program's own log file, in rounds (docs/rules.md 5.1); membarrier makes the process-wide barrier that
 * lets the program's threads go without fences. The thread itself never logs. */
#include <errno.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <heddle/heddle.h>
#include <heddle/verify.h>

#include "log/log.h"
#include "refine/refine.h"
#include "report/report.h"

typedef struct verifier
{
  hd_verify_options options;
  hd_log *log;
  hd_checks *checks;
  pthread_t thread;
  bool own_log; /* started here: its chunks are given back */
  char folder[2048], path[2100];
  int stop; /* atomic */
  int verdict;
} verifier;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static verifier *running;
static char error_text[512];

static bool
barrier(void *context)
{
  (void) context;
  return syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0;
}

static void
pause_briefly(void)
{
  nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL); /* nothing to read: look again in a millisecond */
}

/* A violation is told as soon as it is known, once for each object. */
static void
tell(void *context, const hd_refine_result *result)
{
  const verifier *v = context;
  if (!v->options.violation)
    return;
  char *text = NULL;
  size_t n = 0;
  FILE *out = open_memstream(&text, &n);
  if (out)
  {
    hd_report_text(out, &(hd_report){.command = "verify",
                                     .log = v->log,
                                     .results = &result,
                                     .nresults = 1,
                                     .verdict = result->verdict,
                                     .seconds = -1});
    fclose(out);
  }
  v->options.violation(v->options.context, result->object, result->finding.headline, text ? text : "");
  free(text);
}

/* Out of memory ends the check, never the program. */
static __thread bool verifying;

static void
give_up_checking(void)
{
  if (verifying)
    pthread_exit(NULL);
}

static void *
verify(void *arg)
{
  verifier *v = arg;
  hd_pause();
  verifying = true;
  hd_memory_hook(give_up_checking);
  hd_log_sink sink = hd_checks_sink(v->checks);
  for (;;)
  {
    bool stopping = __atomic_load_n(&v->stop, __ATOMIC_ACQUIRE); /* acquire: pairs with the release in hd_verify_stop */
    int64_t n = hd_log_poll(v->log, &sink, barrier, NULL, v->own_log);
    if (n < 0 || (stopping && n == 0))
      break;
    if (n == 0)
      pause_briefly();
  }
  hd_log_finish(v->log, &sink);
  const char *why = NULL;
  if (hd_log_dropped(v->log))
    why = "operations were not logged because no room could be had";
  else if (hd_log_lost(v->log))
    why = "something could not be recorded";
  v->verdict = (int) hd_checks_finish(v->checks, why);
  return NULL;
}

static const char *
fail(const char *what, const char *detail)
{
  snprintf(error_text, sizeof error_text, "%s%s%s", what, detail ? ": " : "", detail ? detail : "");
  return error_text;
}

/* A log of our own: a temporary file that nobody else sees, gone from its folder once it is open. */
static const char *
start_log(verifier *v)
{
  const char *parent = getenv("TMPDIR");
  snprintf(v->folder, sizeof v->folder, "%s/heddle-verify-XXXXXX", parent && *parent ? parent : "/tmp");
  if (!mkdtemp(v->folder))
    return fail("no temporary folder can be made", strerror(errno));
  snprintf(v->path, sizeof v->path, "%s/log", v->folder);
  v->own_log = hd_start(&(hd_options){.path = v->path, .reader = (uint32_t) getpid()});
  return v->own_log ? NULL : fail("logging cannot start", hd_error());
}

static void
forget_files(const verifier *v)
{
  if (!v->folder[0])
    return;
  unlink(v->path);
  rmdir(v->folder);
}

/* What could not be started is taken down again. */
static const char *
give_up(HD_TAKE verifier *v)
{
  hd_checks_free(v->checks);
  hd_log_free(v->log);
  if (v->own_log)
    hd_stop();
  forget_files(v);
  free(v);
  return error_text;
}

static const char *
start(const hd_verify_options *options)
{
  if (running)
    return fail("a verification thread is running already", NULL);
  for (size_t i = 0; i < options->nspecs; i++)
  {
    char *problem = hd_spec_problem(options->specs[i]);
    if (problem)
    {
      fail("specification not usable", problem);
      free(problem);
      return error_text;
    }
  }
  if (syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) != 0)
    return fail("this kernel has no membarrier(2); check the log afterwards with heddle check", NULL);
  verifier *v = hd_alloc_zero(sizeof *v);
  v->options = *options;
  v->verdict = HD_INCOMPLETE; /* until the thread has come to its end */
  const char *path = hd_path();
  if (!path)
  {
    if (start_log(v))
      return give_up(v);
    path = v->path;
  }
  char *error = NULL;
  v->log = hd_log_open(path, &error);
  if (!v->log)
  {
    fail("the log cannot be read", error);
    free(error);
    return give_up(v);
  }
  forget_files(v);
  hd_refine_options refine = {.view = options->io_only ? HD_VIEW_OFF : HD_VIEW_TOUCHED, .paranoid = options->paranoid};
  v->checks = hd_checks_new(v->log, v->options.specs, v->options.nspecs, &refine, 1, NULL, 0);
  hd_checks_tell(v->checks, tell, v);
  if (pthread_create(&v->thread, NULL, verify, v) != 0)
  {
    fail("no thread can be started", NULL);
    return give_up(v);
  }
  running = v;
  return NULL;
}

const char *
hd_verify_start(const hd_verify_options *options)
{
  pthread_mutex_lock(&lock);
  const char *why = start(options);
  pthread_mutex_unlock(&lock);
  return why;
}

int
hd_verify_stop(void)
{
  pthread_mutex_lock(&lock);
  verifier *v = running;
  running = NULL;
  pthread_mutex_unlock(&lock);
  if (!v)
    return -1;
  __atomic_store_n(&v->stop, 1, __ATOMIC_RELEASE); /* release: what was logged before is read in the last round */
  pthread_join(v->thread, NULL);
  int verdict = v->verdict;
  hd_checks_free(v->checks);
  hd_log_free(v->log);
  if (v->own_log)
    hd_stop();
  free(v);
  return verdict;
}
