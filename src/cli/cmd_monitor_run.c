/* cmd_monitor_run.c: heddle monitor -- PROG: runs a program that was built with heddle-cc, with the race detector on,
 * and prints what it finds. And heddle race-reports, which a program that was started with HEDDLE_RACE=1 starts itself.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/recorded.h"
#include "cli/watched.h"
#include "instrument/instrument.h"

/* Reads what is there. False: there is nothing more to come. */
static bool
read_some(int fd, hd_races *races, bool *any)
{
  char buffer[65536];
  ssize_t n = read(fd, buffer, sizeof buffer);
  *any = n > 0;
  if (n > 0)
    hd_races_feed(races, buffer, (size_t) n);
  return n > 0 || (n < 0 && (errno == EINTR || errno == EAGAIN));
}

static void
take(void *context, const char *bytes, size_t n)
{
  hd_races_feed(context, bytes, n);
}

static int
watch(const hd_cli_options *o)
{
  char *error = NULL;
  hd_races_options options
      = {.suppressions = o->suppressions, .json = o->json, .sarif = o->sarif, .quiet = o->quiet, .out = stdout};
  hd_races *races = hd_races_new(&options, &error);
  if (!races)
  {
    fprintf(stderr, "%s\n", error);
    free(error);
    return HD_BAD_INPUT;
  }
  hd_watched w = {
      .command = "heddle monitor", .program = o->program, .variable = "HEDDLE_RACE_FD", .context = races, .take = take};
  int answer = HD_INCOMPLETE;
  if (hd_watched_run(&w) && !w.spoke && WIFEXITED(w.status))
    answer = hd_watched_silent(&w);
  else if (w.spoke || w.status)
  {
    char *note = hd_watched_end(&w);
    answer = hd_races_finish(races, note, WIFSIGNALED(w.status));
    if (answer == HD_HOLDS && WIFSIGNALED(w.status))
      answer = HD_INCOMPLETE;
    free(note);
  }
  hd_races_free(races);
  return answer;
}

int
hd_monitor_program(const hd_cli_options *o)
{
  return hd_monitor_needs_recording(o) ? hd_monitor_recorded(o) : watch(o);
}

int
hd_cmd_race_reports(int argc, char **argv)
{
  (void) argc, (void) argv;
  char *error = NULL;
  hd_races_options options
      = {.suppressions = getenv("HEDDLE_SUPPRESSIONS"), .live = true, .quiet = true, .out = stderr};
  signal(SIGINT, SIG_IGN); /* the program has them */
  signal(SIGHUP, SIG_IGN);
  hd_races *races = hd_races_new(&options, &error);
  if (!races)
  {
    fprintf(stderr, "%s\n", error);
    free(error);
    return HD_BAD_INPUT;
  }
  bool any, open = true;
  while (open && !hd_races_ended(races))
    open = read_some(0, races, &any);
  int answer = hd_races_finish(races, NULL, true);
  hd_races_free(races);
  return answer;
}
