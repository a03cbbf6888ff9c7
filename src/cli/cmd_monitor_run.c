/* cmd_monitor_run.c: heddle monitor -- PROG: runs a program that was built with heddle-cc, with the race detector on,
 * and prints what it finds. And heddle race-reports, which a program that was started with HEDDLE_RACE=1 starts itself.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"
#include "instrument/instrument.h"

static volatile sig_atomic_t child_to_stop;

static void
pass_on(int sig)
{
  if (child_to_stop)
    kill(child_to_stop, sig);
}

static void
handle_signals(pid_t child)
{
  child_to_stop = child;
  struct sigaction action = {.sa_handler = pass_on, .sa_flags = SA_RESTART};
  sigaction(SIGTERM, &action, NULL);
  sigaction(SIGHUP, &action, NULL);
  signal(SIGINT, SIG_IGN); /* it reaches the program too; we stay to tell */
  signal(SIGQUIT, SIG_IGN);
}

static void
exec_program(const hd_cli_options *o, int socket)
{
  char text[32];
  snprintf(text, sizeof text, "%d", socket);
  setenv("HEDDLE_RACE_FD", text, 1);
  /* The detector's memory lies at fixed distances; without randomisation they always fit. */
  int old = personality(0xffffffff);
  if (old != -1)
    personality((unsigned long) old | ADDR_NO_RANDOMIZE);
  execvp(o->program[0], o->program);
  fprintf(stderr, "heddle monitor: %s cannot be run: %s\n", o->program[0], strerror(errno));
  _exit(127);
}

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

/* Until the program ended and all that it wrote is read. Its children may hold the socket longer; we do not wait. */
static int
follow(int fd, pid_t child, hd_races *races, bool *spoke)
{
  int status = 0;
  bool open = true, ended = false;
  while (open)
  {
    struct pollfd p = {.fd = fd, .events = POLLIN};
    int ready = poll(&p, 1, ended ? 0 : 20);
    bool any = false;
    if (ready > 0)
      open = read_some(fd, races, &any);
    *spoke = *spoke || any;
    if (!ended)
      ended = waitpid(child, &status, WNOHANG) == child;
    else if (ready <= 0)
      break;
  }
  while (!ended && waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  child_to_stop = 0;
  return status;
}

static HD_GIVE char *
how_it_ended(int status)
{
  hd_string s = {0};
  if (WIFSIGNALED(status))
    hd_string_printf(&s, "the program was ended by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
  else if (WEXITSTATUS(status))
    hd_string_printf(&s, "the program ended with status %d", WEXITSTATUS(status));
  return s.text;
}

int
hd_monitor_program(const hd_cli_options *o)
{
  char *error = NULL;
  hd_races_options options = {.suppressions = o->suppressions, .json = o->json, .quiet = o->quiet, .out = stdout};
  hd_races *races = hd_races_new(&options, &error);
  int sockets[2];
  if (!races)
  {
    fprintf(stderr, "%s\n", error);
    free(error);
    return HD_BAD_INPUT;
  }
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) != 0)
  {
    fprintf(stderr, "heddle monitor: no socket can be made: %s\n", strerror(errno));
    hd_races_free(races);
    return HD_INCOMPLETE;
  }
  fflush(NULL);
  fcntl(sockets[0], F_SETFD, FD_CLOEXEC);
  pid_t child = fork();
  if (child == 0)
    exec_program(o, sockets[1]);
  close(sockets[1]);
  int answer = HD_INCOMPLETE;
  if (child < 0)
    fprintf(stderr, "heddle monitor: no process can be started: %s\n", strerror(errno));
  else
  {
    handle_signals(child);
    bool spoke = false;
    int status = follow(sockets[0], child, races, &spoke);
    char *note = how_it_ended(status);
    if (!spoke && WIFEXITED(status) && WEXITSTATUS(status) == 127)
      answer = HD_BAD_INPUT;
    else if (!spoke && WIFEXITED(status))
      fprintf(
          stderr,
          "heddle monitor: %s was not built with heddle-cc, or its runtime could not start: nothing was watched%s%s\n",
          o->program[0], note ? "; " : "", note ? note : "");
    else
    {
      answer = hd_races_finish(races, note);
      if (answer == HD_HOLDS && WIFSIGNALED(status))
        answer = HD_INCOMPLETE;
    }
    free(note);
  }
  close(sockets[0]);
  hd_races_free(races);
  return answer;
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
  int answer = hd_races_finish(races, NULL);
  hd_races_free(races);
  return answer;
}
