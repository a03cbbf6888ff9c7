/* process.c: starts a solver and talks with it.
 *
 * Its standard input is a socket, because sending into a closed one can be told to fail without a signal. Sending and
 * receiving go on at the same time, so that neither side can wait for the other with full pipes. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "smt/process.h"

enum
{
  MOST_HEARD = 64 << 20 /* bytes of an answer; a solver that prints more is taken for dead */
};

double
hd_smt_process_now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double) t.tv_sec + (double) t.tv_nsec / 1e9;
}

/* In the child: nothing that is not safe between fork and exec. */
static void
become(const char *const *argv, int in, int out, int failure, pid_t parent)
{
  /* Nobody is left to ask it anything: it ends with us, and also if we have ended already. */
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent)
    _exit(126);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  if (dup2(in, 0) >= 0 && dup2(out, 1) >= 0 && dup2(out, 2) >= 0)
    execvp(argv[0], (char *const *) (uintptr_t) argv);
  int error = errno;
  ssize_t n = write(failure, &error, sizeof error);
  _exit(n < 0 ? 126 : 127);
}

bool
hd_smt_process_start(hd_smt_process *p, const char *const *argv, int *error)
{
  int in[2], out[2] = {-1, -1}, failure[2] = {-1, -1};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, in) != 0)
  {
    *error = errno;
    return false;
  }
  *error = 0;
  pid_t pid = -1, parent = getpid();
  if (pipe2(out, O_CLOEXEC) != 0 || pipe2(failure, O_CLOEXEC) != 0 || (pid = fork()) < 0)
    *error = errno;
  if (pid == 0)
    become(argv, in[0], out[1], failure[1], parent);
  close(in[0]);
  if (out[1] >= 0)
    close(out[1]);
  if (failure[1] >= 0)
    close(failure[1]);
  /* The pipe closes without a word when exec has succeeded. */
  int why = 0;
  if (pid > 0)
    while (read(failure[0], &why, sizeof why) < 0 && errno == EINTR)
      ;
  if (failure[0] >= 0)
    close(failure[0]);
  if (why)
    *error = why;
  if (*error)
  {
    if (pid > 0)
      waitpid(pid, NULL, 0);
    close(in[1]);
    if (out[0] >= 0)
      close(out[0]);
    return false;
  }
  fcntl(in[1], F_SETFL, O_NONBLOCK);
  fcntl(out[0], F_SETFL, O_NONBLOCK);
  p->pid = pid;
  p->input = in[1];
  p->output = out[0];
  return true;
}

void
hd_smt_process_kill(hd_smt_process *p)
{
  if (p->pid)
  {
    close(p->input);
    close(p->output);
    kill(p->pid, SIGKILL);
    struct rusage use = {0};
    while (wait4(p->pid, NULL, 0, &use) < 0 && errno == EINTR)
      ;
    p->worked += (double) (use.ru_utime.tv_sec + use.ru_stime.tv_sec)
                 + (double) (use.ru_utime.tv_usec + use.ru_stime.tv_usec) / 1e6;
  }
  hd_string_free(&p->heard);
  hd_string_free(&p->to_say);
  *p = (hd_smt_process){.worked = p->worked};
}

double
hd_smt_process_worked(const hd_smt_process *p)
{
  clockid_t clock;
  struct timespec t;
  if (!p->pid || clock_getcpuclockid(p->pid, &clock) != 0 || clock_gettime(clock, &t) != 0)
    return p->worked;
  return p->worked + (double) t.tv_sec + (double) t.tv_nsec / 1e9;
}

void
hd_smt_process_say(hd_smt_process *p, const char *text)
{
  if (p->said == p->to_say.length)
  {
    hd_string_clear(&p->to_say);
    p->said = 0;
  }
  hd_string_add(&p->to_say, text);
}

/* Send what there is room for. False: nobody reads any more. */
static bool
push(hd_smt_process *p)
{
  while (p->said < p->to_say.length)
  {
    ssize_t n = send(p->input, p->to_say.text + p->said, p->to_say.length - p->said, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n >= 0)
      p->said += (size_t) n;
    else if (errno != EINTR)
      return errno == EAGAIN || errno == EWOULDBLOCK;
  }
  return true;
}

/* The line MARK, with or without quotes, in what was heard from byte FROM on. */
static char *
find_mark(hd_smt_process *p, const char *mark, size_t from)
{
  if (!p->heard.text)
    return NULL;
  size_t n = strlen(mark);
  for (char *s = p->heard.text + from; (s = strstr(s, mark)); s += n)
    if (s[n] == '\n' || s[n] == '\r' || s[n] == '"')
      return s;
  return NULL;
}

static hd_smt_hearing
pull(hd_smt_process *p, const char *mark)
{
  char buffer[65536];
  for (;;)
  {
    ssize_t n = read(p->output, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
      return HD_SMT_WAITS;
    if (n <= 0 || p->heard.length > MOST_HEARD)
      return HD_SMT_DIED;
    size_t before = p->heard.length, overlap = strlen(mark) + 1;
    for (ssize_t i = 0; i < n; i++)
      if (!buffer[i])
        buffer[i] = ' ';
    hd_string_add_n(&p->heard, buffer, (size_t) n);
    char *found = find_mark(p, mark, before > overlap ? before - overlap : 0);
    if (found)
    {
      if (found > p->heard.text && found[-1] == '"')
        found--;
      *found = 0;
      p->heard.length = (size_t) (found - p->heard.text);
      return HD_SMT_HEARD;
    }
  }
}

void
hd_smt_process_wait(hd_smt_process **p, size_t n, const char *mark, double deadline, hd_smt_hearing *results)
{
  for (;;)
  {
    struct pollfd fds[8];
    bool any = false;
    HD_CHECK(2 * n <= sizeof fds / sizeof *fds);
    for (size_t i = 0; i < n; i++)
    {
      results[i] = push(p[i]) ? HD_SMT_WAITS : HD_SMT_DIED;
      /* A solver that died may have said why. */
      hd_smt_hearing heard = pull(p[i], mark);
      if (heard != HD_SMT_WAITS)
        results[i] = heard;
      any = any || results[i] != HD_SMT_WAITS;
      fds[2 * i] = (struct pollfd){.fd = p[i]->output, .events = POLLIN};
      fds[2 * i + 1] = (struct pollfd){.fd = p[i]->said < p[i]->to_say.length ? p[i]->input : -1, .events = POLLOUT};
    }
    double left = deadline - hd_smt_process_now();
    if (any || left <= 0)
      return;
    poll(fds, 2 * n, left > 3600 ? 3600000 : (int) (left * 1000) + 1);
  }
}
