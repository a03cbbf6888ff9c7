/* watched.c: runs a program with a socket to the runtime inside it, until it ends and all that it sent is read. */
#include "cli/watched.h"
#include "cli/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static void
exec_program(const hd_watched *w, int socket, pid_t parent)
{
  char text[32];
  /* If we are killed the program must not go on with nobody watching. We may be gone already. */
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent)
    _exit(127);
  snprintf(text, sizeof text, "%d", socket);
  setenv(w->variable, text, 1);
  /* The runtime's memory lies at fixed distances; without randomisation they always fit. */
  int old = personality(0xffffffff);
  if (old != -1)
    personality((unsigned long) old | ADDR_NO_RANDOMIZE);
  execvp(w->program[0], w->program);
  fprintf(stderr, "%s: %s cannot be run: %s\n", w->command, w->program[0], strerror(errno));
  _exit(127);
}

/* Reads what is there. False: there is nothing more to come. */
static bool
read_some(int fd, hd_watched *w)
{
  char buffer[65536];
  ssize_t n = read(fd, buffer, sizeof buffer);
  if (n > 0)
  {
    w->spoke = true;
    w->take(w->context, buffer, (size_t) n);
  }
  return n > 0 || (n < 0 && (errno == EINTR || errno == EAGAIN));
}

/* Until the program ended and all that it wrote is read. Its children may hold the socket longer; we do not wait. */
static void
follow(int fd, pid_t child, hd_watched *w)
{
  bool open = true, ended = false;
  while (open)
  {
    struct pollfd p = {.fd = fd, .events = POLLIN};
    int ready = poll(&p, 1, ended ? 0 : w->idle ? 2 : 20);
    if (ready > 0)
      open = read_some(fd, w);
    if (w->idle)
      w->idle(w->context);
    if (!ended)
      ended = waitpid(child, &w->status, WNOHANG) == child;
    else if (ready <= 0)
      break;
  }
  /* The runtime closed its end, or nobody has it any more; the program may go on without us. */
  while (!ended && waitpid(child, &w->status, w->idle ? WNOHANG : 0) != child)
    if (w->idle)
    {
      w->idle(w->context);
      poll(NULL, 0, 2);
    }
  hd_cli_pass_signals(0);
}

bool
hd_watched_run(hd_watched *w)
{
  int sockets[2];
  w->status = 0;
  w->spoke = false;
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) != 0)
  {
    fprintf(stderr, "%s: no socket can be made: %s\n", w->command, strerror(errno));
    return false;
  }
  fflush(NULL);
  fcntl(sockets[0], F_SETFD, FD_CLOEXEC);
  pid_t own = getpid(), child = fork();
  if (child == 0)
    exec_program(w, sockets[1], own);
  close(sockets[1]);
  if (child < 0)
    fprintf(stderr, "%s: no process can be started: %s\n", w->command, strerror(errno));
  else
  {
    hd_cli_pass_signals(child);
    if (w->start)
      w->start(w->context, sockets[0]);
    follow(sockets[0], child, w);
  }
  close(sockets[0]);
  return child > 0;
}

char *
hd_watched_end(const hd_watched *w)
{
  hd_string s = {0};
  if (WIFSIGNALED(w->status))
    hd_string_printf(&s, "the program was ended by signal %d (%s)", WTERMSIG(w->status),
                     strsignal(WTERMSIG(w->status)));
  else if (WEXITSTATUS(w->status))
    hd_string_printf(&s, "the program ended with status %d", WEXITSTATUS(w->status));
  return s.text;
}

int
hd_watched_silent(const hd_watched *w)
{
  if (WIFEXITED(w->status) && WEXITSTATUS(w->status) == 127)
    return HD_BAD_INPUT; /* it said so itself */
  char *note = hd_watched_end(w);
  fprintf(stderr, "%s: %s was not built with heddle-cc, or its runtime could not start: nothing was watched%s%s\n",
          w->command, w->program[0], note ? "; " : "", note ? note : "");
  free(note);
  return HD_INCOMPLETE;
}
