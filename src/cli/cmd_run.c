/* cmd_run.c: heddle run: run a program and judge it meanwhile, from another process.
 *
 * The program logs into a file of ours; we read it in rounds while it is written and give consumed chunks back, so that
 * neither memory nor disk grows with the run. Whatever becomes of the program, the file and its clocks are still there.
 */
#include <errno.h>
#include <linux/membarrier.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/judge.h"
#include "cli/signals.h"

typedef struct run
{
  const hd_cli_options *o;
  const hd_cli_specs *specs;
  char folder[4096]; /* of the temporary log; "" if the log is kept */
  char path[4200];
  pid_t child;
  bool ended;
  int status; /* of the child, from waitpid */
  hd_log *log;
  hd_checks *checks;
  hd_cli_limits *limits;
  hd_log_sink inner;
} run;

static bool
barrier(void *context)
{
  (void) context;
  return syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL_EXPEDITED, 0, 0) == 0;
}

static void
pause_briefly(void)
{
  nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL); /* nothing to read: look again in a millisecond */
}

static bool
make_path(run *r)
{
  if (r->o->log)
  {
    snprintf(r->path, sizeof r->path, "%s", r->o->log);
    return true;
  }
  const char *folder = getenv("TMPDIR");
  snprintf(r->folder, sizeof r->folder, "%s/heddle-run-XXXXXX", folder && *folder ? folder : "/tmp");
  if (!mkdtemp(r->folder))
  {
    fprintf(stderr, "heddle run: no temporary folder can be made: %s\n", strerror(errno));
    r->folder[0] = 0;
    return false;
  }
  snprintf(r->path, sizeof r->path, "%s/run.hlog", r->folder);
  return true;
}

static void
remove_path(run *r)
{
  if (!r->folder[0])
    return;
  unlink(r->path);
  rmdir(r->folder);
}

static void
exec_program(run *r, pid_t parent)
{
  static const char *const policies[] = {"spill", "block", "drop"};
  char text[32];
  setenv("HEDDLE_LOG", r->path, 1);
  setenv("HEDDLE_POLICY", policies[r->o->policy], 1);
  if (!r->o->log)
  {
    snprintf(text, sizeof text, "%ld", (long) parent);
    setenv("HEDDLE_READER", text, 1); /* we give chunks back */
  }
  if (r->o->policy != HD_POLICY_SPILL && !getenv("HEDDLE_LIMIT"))
    setenv("HEDDLE_LIMIT", "67108864", 1);
  execvp(r->o->program[0], r->o->program);
  fprintf(stderr, "heddle run: %s cannot be run: %s\n", r->o->program[0], strerror(errno));
  _exit(127);
}

static bool
start_program(run *r)
{
  fflush(NULL);
  if (r->o->log)
    unlink(r->path); /* an old log must not be taken for the new one */
  pid_t parent = getpid();
  r->child = fork();
  if (r->child == 0)
    exec_program(r, parent);
  if (r->child < 0)
  {
    fprintf(stderr, "heddle run: no process can be started: %s\n", strerror(errno));
    return false;
  }
  hd_cli_pass_signals(r->child);
  return true;
}

static void
look_after_child(run *r)
{
  if (r->ended)
    return;
  pid_t done = waitpid(r->child, &r->status, WNOHANG);
  if (done == r->child || (done < 0 && errno == ECHILD))
  {
    r->ended = true;
    hd_cli_pass_signals(0);
  }
}

static void
tell(void *context, const hd_refine_result *result)
{
  const run *r = context;
  if (!r->o->quiet && !r->ended)
    fprintf(stderr, "heddle: violation: %s: %s (the program goes on; the whole report follows at its end)\n",
            result->object, result->finding.headline);
}

/* The log appears when the program's runtime starts. */
static void
open_log(run *r)
{
  struct stat s;
  if (r->log || stat(r->path, &s) != 0 || s.st_size == 0)
    return;
  char *error = NULL;
  r->log = hd_log_open(r->path, &error);
  free(error); /* not whole yet */
  if (!r->log)
    return;
  hd_refine_options options = hd_cli_refine_options(r->o, r->limits);
  r->checks = hd_checks_new(r->log, r->specs->specs, r->specs->n, &options, 1, r->o->objects.items, r->o->objects.n);
  hd_checks_tell(r->checks, tell, r);
}

/* Reads on when everything is judged: a program that waits for room must get it. */
static bool
event(void *context, const hd_event *e)
{
  run *r = context;
  r->inner.event(r->inner.context, e);
  return true;
}

static void
frontier(void *context, uint32_t object, uint64_t f)
{
  run *r = context;
  r->inner.frontier(r->inner.context, object, f);
}

static void
end_program(run *r)
{
  kill(r->child, SIGTERM);
  for (int i = 0; i < 2000 && !r->ended; i++)
  {
    pause_briefly();
    look_after_child(r);
  }
  if (!r->ended)
    kill(r->child, SIGKILL);
  while (!r->ended)
    look_after_child(r);
}

static void
follow(run *r)
{
  hd_progress progress = hd_progress_start(r->o->quiet);
  for (;;)
  {
    look_after_child(r);
    bool ended = r->ended; /* before the round: then the round sees all that it wrote */
    open_log(r);
    int64_t n = 0;
    if (r->log)
    {
      r->inner = hd_checks_sink(r->checks);
      hd_log_sink sink = {.context = r, .event = event, .frontier = frontier};
      n = hd_log_poll(r->log, &sink, barrier, NULL, !r->o->log);
      if (hd_progress_due(&progress, hd_terminal_now()))
        hd_progress_show(&progress, "%.1f million events", (double) hd_checks_events(r->checks) / 1e6);
    }
    if (hd_cli_limits_reason(r->limits))
    {
      end_program(r);
      break;
    }
    if (n == 0 && ended)
      break;
    if (n == 0)
      pause_briefly();
  }
  hd_progress_end(&progress);
}

static char *
how_it_ended(const run *r, bool *crashed)
{
  hd_string s = {0};
  *crashed = false;
  if (WIFSIGNALED(r->status))
  {
    int sig = WTERMSIG(r->status);
    *crashed = true;
    hd_string_printf(&s, "the program was ended by signal %d (%s)", sig, strsignal(sig));
  }
  else if (WEXITSTATUS(r->status))
    hd_string_printf(&s, "the program ended with status %d", WEXITSTATUS(r->status));
  return s.text;
}

static int
conclude(run *r, uint64_t start)
{
  bool crashed;
  char *note = how_it_ended(r, &crashed);
  int status;
  if (!r->log)
  {
    if (r->ended && WIFEXITED(r->status) && WEXITSTATUS(r->status) == 127)
      status = HD_BAD_INPUT;
    else
    {
      fprintf(stderr,
              "heddle run: the program logged nothing, so nothing was checked%s%s; is it linked with libheddle and "
              "does it call hd_object_init?\n",
              note ? "; " : "", note ? note : "");
      status = HD_INCOMPLETE;
    }
    free(note);
    return status;
  }
  hd_log_sink sink = hd_checks_sink(r->checks);
  hd_log_finish(r->log, &sink);
  char *why = hd_cli_log_problem(r->log, hd_cli_limits_reason(r->limits));
  if (!why && crashed)
  {
    hd_string s = {0};
    hd_string_printf(&s, "%s; everything that it logged was judged", note);
    why = s.text;
  }
  const char *limit = hd_cli_limits_reason(r->limits), *notes[2];
  size_t n = 0;
  if (limit)
    notes[n++] = limit;
  if (note)
    notes[n++] = note;
  const char *what = r->o->log ? r->o->log : r->o->program[0];
  hd_verdict verdict = hd_cli_finish(r->o, r->specs, r->log, r->checks, why);
  status = hd_cli_answer(r->o, what, r->log, r->checks, verdict, why, (double) (hd_terminal_now() - start) / 1e9, notes,
                         n);
  free(why);
  free(note);
  return status;
}

int
hd_cmd_run(int argc, char **argv)
{
  hd_cli_options o;
  int status = hd_options_parse("run", argc, argv, &o);
  if (status != HD_OPTIONS_GO_ON)
    return status;
  hd_cli_specs specs;
  run r = {.o = &o, .specs = &specs};
  status = HD_BAD_INPUT;
  if (hd_cli_specs_load(&specs, &o) && make_path(&r))
  {
    uint64_t start = hd_terminal_now();
    r.limits = hd_cli_limits_start(&o);
    if (start_program(&r))
    {
      follow(&r);
      status = conclude(&r, start);
    }
    hd_checks_free(r.checks);
    hd_log_free(r.log);
    hd_cli_limits_stop(r.limits);
  }
  remove_path(&r);
  hd_cli_specs_free(&specs);
  hd_options_free(&o);
  return status;
}
