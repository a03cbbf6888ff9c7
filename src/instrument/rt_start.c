/* rt_start.c: the runtime starts with the program and looks whether a client is asked for.
 *
 *   HEDDLE_RACE=1        find races; heddle (in PATH, or HEDDLE_COMMAND) is started to print them
 *   HEDDLE_RACE_FD=N     the same; reports go to socket N: heddle monitor reads there
 *   HEDDLE_CLIENT_FD=N   the command at socket N says which client (rt_handshake.c)
 *
 * The planes need the program to lie in two windows, which it does unless addresses are randomised more than is usual;
 * then the program is executed again without. */
#include "instrument/rt_children.h"
#include "instrument/rt_runtime.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef HD_RT_STATIC
extern void *__libc_malloc(size_t n) __attribute__((weak));
extern void *__libc_calloc(size_t n, size_t size) __attribute__((weak));
extern void *__libc_realloc(void *p, size_t n) __attribute__((weak));
extern void __libc_free(void *p) __attribute__((weak));

static __thread bool resolving __attribute__((tls_model("initial-exec")));

/* What dlsym itself may need while it looks for them. */
static void *
of_libc(const char *name)
{
  switch (name[0])
  {
  case 'm':
    return (void *) __libc_malloc;
  case 'c':
    return (void *) __libc_calloc;
  case 'r':
    return (void *) __libc_realloc;
  default:
    return (void *) __libc_free;
  }
}

void *
hd_rt_resolve(const char *name, const char *version)
{
  if (resolving)
    return of_libc(name);
  resolving = true;
  void *p = version ? dlvsym(RTLD_NEXT, name, version) : NULL;
  if (!p)
    p = dlsym(RTLD_NEXT, name);
  resolving = false;
  return p;
}
#endif

bool hd_rt_running;

static void
complain(const char *what)
{
  static const char races[] = "heddle: races are not looked for: ", other[] = "heddle: the program is not watched: ";
  const char *head = getenv("HEDDLE_CLIENT_FD") ? other : races;
  if (write(2, head, strlen(head)) < 0 || write(2, what, strlen(what)) < 0 || write(2, "\n", 1) < 0)
    return;
}

/* ---- execute again, at usual addresses ---- */

static char *
read_list(const char *path, char **list, size_t max)
{
  size_t cap = 4 << 20, n = 0;
  char *all = mmap(NULL, cap, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (all == MAP_FAILED || fd < 0)
    return NULL;
  for (ssize_t got; n < cap - 1 && (got = read(fd, all + n, cap - 1 - n)) > 0;)
    n += (size_t) got;
  close(fd);
  size_t k = 0;
  for (char *p = all; p < all + n && k < max; p += strlen(p) + 1)
    list[k++] = p;
  list[k] = NULL;
  return all;
}

static bool
execute_again(void)
{
  enum
  {
    MAX = 65536
  };
  int old = personality(0xffffffff);
  if (old == -1 || (old & ADDR_NO_RANDOMIZE) || personality((unsigned long) old | ADDR_NO_RANDOMIZE) == -1)
    return false;
  char **arguments
      = mmap(NULL, 2 * (MAX + 1) * sizeof(char *), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (arguments == MAP_FAILED)
    return false;
  char **environment = arguments + MAX + 1;
  if (!read_list("/proc/self/cmdline", arguments, MAX) || !read_list("/proc/self/environ", environment, MAX))
    return false;
  execve("/proc/self/exe", arguments, environment);
  return false;
}

/* ---- the command that prints ---- */

static const char *
command(void)
{
  const char *given = getenv("HEDDLE_COMMAND");
  return given && *given ? given : "heddle";
}

/* Starts it as nobody's child, so that the program's wait() does not see it. */
static bool
start_command(int *report, int *done)
{
  int sockets[2], end[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0)
    return false;
  if (pipe2(end, O_CLOEXEC) != 0)
    return false;
  pid_t child = fork();
  if (child == 0)
  {
    if (fork() == 0)
    {
      setsid();
      dup2(sockets[0], 0);
      fcntl(end[1], F_SETFD, 0); /* closed when the command ends */
      unsetenv("HEDDLE_RACE");
      execlp(command(), "heddle", "race-reports", (char *) NULL);
      complain("the command 'heddle' is not in PATH; it prints them (HEDDLE_COMMAND=/path/to/heddle says where it is)");
      _exit(127);
    }
    _exit(0);
  }
  close(sockets[0]);
  close(end[1]);
  if (child < 0)
    return false;
  while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
    ;
  *report = sockets[1];
  *done = end[0];
  return true;
}

/* ---- start and end ---- */

static bool
wanted(const char *name)
{
  const char *value = getenv(name);
  return value && *value && strcmp(value, "0") != 0;
}

/* A socket that somebody left us. Of a program that another one started it may be closed, or something else by now. */
static int
socket_of(const char *name)
{
  const char *value = getenv(name);
  int fd = value && *value ? atoi(value) : -1, type;
  socklen_t length = sizeof type;
  if (fd < 0 || getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &length) != 0)
    return -1;
  fcntl(fd, F_SETFD, FD_CLOEXEC);
  return fd;
}

static void
start_client(void)
{
  int command = socket_of("HEDDLE_CLIENT_FD"), report = socket_of("HEDDLE_RACE_FD"), done = -1;
  bool other = command >= 0;
  if (!other && report < 0 && (getenv("HEDDLE_RACE_FD") || !wanted("HEDDLE_RACE")))
    return;
  if (!hd_rt_layout_fits())
  {
    if (!execute_again())
      complain("the program is not position-independent, or lies at unusual addresses; link it with heddle-cc");
    return;
  }
  if (!hd_rt_layout_map() || !hd_rt_threads_start() || !hd_rt_objects_start() || !hd_rt_sets_start()
      || !hd_rt_blocks_start() || !hd_rt_threads_key())
  {
    complain("there is not enough address space (see ulimit -v and vm.overcommit_memory)");
    return;
  }
  if (other && !hd_rt_handshake(command))
    return;
  if (!other && report < 0 && !start_command(&report, &done))
  {
    complain("no process can be started to print them");
    return;
  }
  if (!other)
    hd_rt_report_start(report, done);
  hd_rt_thread *t = hd_rt_thread_new();
  t->handle = pthread_self();
  t->kernel_id = (int) syscall(SYS_gettid);
  hd_rt_threads_know_stack(t);
  hd_rt_thread_attach(t);
  if (other && !hd_rt_handshake_start())
  {
    hd_rt_record_nothing();
    return;
  }
  hd_rt_children_start();
  hd_rt_process_start();
  atexit(other ? hd_rt_client_quit : hd_rt_report_end);
  if (hd_rt_client_now != &hd_rt_property)
    atexit(hd_rt_linger);
  atexit(hd_rt_children_end);
  hd_rt_running = true;
}

void
hd_rt_start(void)
{
  static bool started;
  if (started)
    return;
  started = true;
#ifndef HD_RT_STATIC
  /* A library may have been linked with the shared runtime though the program has its own: that one counts. */
  void *first = dlsym(RTLD_DEFAULT, "__tsan_init");
  extern void __tsan_init(void);
  if (first && first != (void *) __tsan_init)
    return;
#endif
  start_client();
}

__attribute__((constructor(101))) static void
at_start(void)
{
  hd_rt_start();
}

/* From the constructor of every instrumented object. */
HD_RT_EXPORT void
__tsan_init(void)
{
  hd_rt_start();
}
