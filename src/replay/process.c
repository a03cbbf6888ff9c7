/* process.c: a temporary folder, and programs that run in it (process.h).
 *
 * Whatever ends heddle must not leave the folder or a running program behind, and a handler of signals would need
 * something global to know them by. So the signals that ask for an end are held back and read from a descriptor,
 * beside the program's output; each program has a process group of its own, which is killed as a whole. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "replay/process.h"

bool
hd_replay_scratch_open(hd_replay_scratch *x)
{
  static const int ends[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};
  const char *where = getenv("TMPDIR");
  hd_string name = {0};
  sigset_t set;
  *x = (hd_replay_scratch){.signals = -1};
  sigemptyset(&set);
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
  {
    struct sigaction now;
    /* One that is ignored stays so (nohup). */
    if (sigaction(ends[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
      sigaddset(&set, ends[i]);
  }
  hd_string_printf(&name, "%s/heddle-replay-XXXXXX", where && *where ? where : "/tmp");
  pthread_sigmask(SIG_BLOCK, &set, &x->before);
  if (!mkdtemp(name.text))
  {
    int error = errno;
    pthread_sigmask(SIG_SETMASK, &x->before, NULL);
    hd_string_free(&name);
    errno = error;
    return false;
  }
  x->folder = name.text;
  x->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  return true;
}

const char *
hd_replay_scratch_file(hd_replay_scratch *x, const char *name)
{
  hd_string path = {0};
  HD_CHECK(x->nfiles < HD_REPLAY_MOST_FILES);
  hd_string_printf(&path, "%s/%s", x->folder, name);
  return x->files[x->nfiles++] = path.text;
}

bool
hd_replay_scratch_write(const char *path, const char *text, size_t n)
{
  FILE *f = fopen(path, "wbe");
  bool good = f && fwrite(text, 1, n, f) == n;
  return f && fclose(f) == 0 && good;
}

void
hd_replay_scratch_close(hd_replay_scratch *x)
{
  for (size_t i = 0; i < x->nfiles; i++)
  {
    unlink(x->files[i]);
    free(x->files[i]);
  }
  rmdir(x->folder);
  free(x->folder);
  if (x->signals >= 0)
    close(x->signals);
  if (x->arrived)
    raise(x->arrived); /* takes effect when it is held back no more */
  pthread_sigmask(SIG_SETMASK, &x->before, NULL);
}

static int64_t
milliseconds(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t) now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Read what comes until the other side is closed. */
static hd_replay_ending
read_all(hd_replay_scratch *x, int from, int64_t deadline, hd_string *out)
{
  struct pollfd wait[2] = {{.fd = from, .events = POLLIN}, {.fd = x->signals, .events = POLLIN}};
  for (;;)
  {
    int64_t left = deadline - milliseconds();
    int ready = left <= 0 ? 0 : poll(wait, 2, left < 1000 ? (int) left : 1000);
    struct signalfd_siginfo info;
    char buffer[4096];
    if (left <= 0)
      return HD_REPLAY_TOO_LONG;
    if (ready <= 0)
      continue;
    if (wait[1].revents && read(x->signals, &info, sizeof info) == (ssize_t) sizeof info)
    {
      x->arrived = (int) info.ssi_signo;
      return HD_REPLAY_STOPPED;
    }
    if (!wait[0].revents)
      continue;
    ssize_t n = read(from, buffer, sizeof buffer);
    if (n == 0 || (n < 0 && errno != EINTR))
      return HD_REPLAY_DONE;
    if (n > 0)
      hd_string_add_n(out, buffer, (size_t) n);
  }
}

/* Start ARGV with OUTPUT as standard output; 0, or an error number. */
static int
start(const hd_replay_scratch *x, const char *const *argv, const char *input, int output, bool both, pid_t *child)
{
  extern char **environ;
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, input ? input : "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, output, 1);
  if (both)
    posix_spawn_file_actions_adddup2(&files, output, 2);
  else
    posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setsigmask(&attributes, &x->before);
  posix_spawnattr_setpgroup(&attributes, 0);
  int error = posix_spawnp(child, argv[0], &files, &attributes, (char *const *) argv, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return error;
}

hd_replay_ending
hd_replay_process(hd_replay_scratch *x, const char *const *argv, const char *input, unsigned seconds, bool both,
                  hd_string *out)
{
  int pipes[2], status = 0;
  pid_t child;
  if (pipe2(pipes, O_CLOEXEC) != 0)
    return HD_REPLAY_NO_PROGRAM;
  int error = start(x, argv, input, pipes[1], both, &child);
  close(pipes[1]);
  if (error)
  {
    close(pipes[0]);
    errno = error;
    return HD_REPLAY_NO_PROGRAM;
  }
  hd_replay_ending ending = read_all(x, pipes[0], milliseconds() + (int64_t) seconds * 1000, out);
  if (ending != HD_REPLAY_DONE)
    kill(-child, SIGKILL);
  close(pipes[0]);
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  if (ending == HD_REPLAY_DONE && !(WIFEXITED(status) && WEXITSTATUS(status) == 0))
    ending = HD_REPLAY_FAILED;
  return ending;
}
