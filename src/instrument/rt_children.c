/* rt_children.c: processes that the program starts. A child of a fork has memory of its own, so what it does is nothing
 * to its parent's threads; but somebody must say what was not looked at. So each child has an entry in memory that all
 * of them share, where it notes what it becomes: that it starts threads, that it has memory in common with others, that
 * another program takes its place, that it ends. When the program ends, its runtime tells the command:
 *
 *   child PID FLAGS COUNT TEXT      FLAGS: HD_RT_CHILD_; COUNT: how many of the kind; TEXT: what was executed, or "-"
 *   becomes TEXT                    the program itself is about to execute another one
 *   remains                         ... which could not be
 *
 * Entries are given back where nothing is left to tell. */
#include "instrument/rt_children.h"
#include "instrument/rt_runtime.h"

#include <alloca.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum
{
  CHILDREN = 256, /* that there is something to tell of */
  TEXT = 240
};

typedef struct child
{
  int pid; /* 0: the entry is free */
  uint32_t flags, count;
  char text[TEXT];
} child;

static struct children
{
  uint32_t overflow; /* there were more */
  uint32_t forks;    /* that the program made, less the children that came to know */
  uint32_t quiet;    /* those that ended, with one thread and memory of their own */
  child list[CHILDREN];
} * children;
static child *mine;   /* of a process that is a child; NULL as well if there was no room */
static child *merged; /* ... that is about to execute what this one did */
static pid_t owner;

/* ---- entries ---- */

void
hd_rt_children_start(void)
{
  owner = getpid();
  void *p = mmap(NULL, sizeof *children, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  children = p == MAP_FAILED ? NULL : p;
}

static child *
entry_new(int pid)
{
  for (child *c = children->list; c < children->list + CHILDREN; c++)
  {
    int nobody = 0;
    if (__atomic_compare_exchange_n(&c->pid, &nobody, pid, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    {
      c->flags = 0;
      c->count = 1;
      c->text[0] = 0;
      return c;
    }
  }
  __atomic_store_n(&children->overflow, 1, __ATOMIC_RELAXED);
  return NULL;
}

static void
entry_free(child *c)
{
  __atomic_store_n(&c->flags, 0, __ATOMIC_RELAXED);
  __atomic_store_n(&c->pid, 0, __ATOMIC_RELEASE);
}

static void
entry_flag(child *c, uint32_t flags)
{
  if (c)
    __atomic_fetch_or(&c->flags, flags, __ATOMIC_RELAXED);
}

/* What is executed; a line is a line. Returns another entry that says the same, which counts this one as well. */
static child *
entry_name(child *c, const char *text, uint32_t flags)
{
  size_t n = 0;
  for (; text[n] && n + 1 < TEXT; n++)
    c->text[n] = (unsigned char) text[n] < ' ' ? ' ' : text[n];
  c->text[n] = 0;
  entry_flag(c, flags);
  for (child *d = children->list; d < children->list + CHILDREN; d++)
    if (d != c && d->pid && d->flags == flags && c->flags == flags && strcmp(d->text, c->text) == 0)
    {
      __atomic_fetch_add(&d->count, 1, __ATOMIC_RELAXED);
      entry_free(c);
      return d;
    }
  return NULL;
}

/* ---- what a child does ---- */

/* Is there memory that is written and that others have too, but for the runtime's own? */
static bool
shares_memory(void)
{
  static const char record[] = "heddle-record";
  char buffer[4096], line[256];
  size_t length = 0;
  bool found = false;
  int fd = open("/proc/thread-self/maps", O_RDONLY | O_CLOEXEC);
  for (ssize_t n; fd >= 0 && (n = read(fd, buffer, sizeof buffer)) > 0;)
    for (ssize_t i = 0; i < n; i++)
    {
      if (buffer[i] != '\n')
      {
        if (length + 1 < sizeof line)
          line[length++] = buffer[i];
        continue;
      }
      line[length] = 0;
      length = 0;
      const char *rights = strchr(line, ' ');
      if (rights && strncmp(rights, " rw-s", 5) == 0 && !strstr(line, record)
          && strtoull(line, NULL, 16) != (uintptr_t) children)
        found = true;
    }
  if (fd >= 0)
    close(fd);
  return found;
}

static void
look_for_shared(void)
{
  if (mine && shares_memory())
    entry_flag(mine, HD_RT_CHILD_SHARES);
}

void
hd_rt_children_forked(void)
{
  if (!children)
    return;
  mine = entry_new(getpid());
  look_for_shared();
}

void
hd_rt_children_count(int forks)
{
  if (children)
    __atomic_fetch_add(&children->forks, (uint32_t) forks, __ATOMIC_RELAXED);
}

void
hd_rt_children_thread(void)
{
  entry_flag(mine, HD_RT_CHILD_THREADS);
}

void
hd_rt_children_end(void)
{
  if (!mine || mine->pid != getpid())
    return;
  entry_flag(mine, HD_RT_CHILD_ENDED);
  if (mine->flags == HD_RT_CHILD_ENDED)
  {
    __atomic_fetch_add(&children->quiet, 1, __ATOMIC_RELAXED);
    entry_free(mine);
  }
  mine = NULL;
}

/* ---- the end of the program ---- */

static void
put_number(char *line, size_t *n, uint64_t number)
{
  char digits[24];
  size_t k = 0;
  line[(*n)++] = ' ';
  do
    digits[k++] = (char) ('0' + number % 10);
  while (number /= 10);
  while (k)
    line[(*n)++] = digits[--k];
}

static void
put_text(char *line, size_t *n, const char *text)
{
  for (size_t i = 0; text[i] && i < TEXT; i++)
    line[(*n)++] = (unsigned char) text[i] < ' ' ? ' ' : text[i];
}

static void
tell(const child *c, void (*send)(const char *bytes, size_t n))
{
  char line[TEXT + 128];
  size_t n = 0;
  put_text(line, &n, "child");
  put_number(line, &n, (uint64_t) c->pid);
  put_number(line, &n, c->flags);
  put_number(line, &n, c->count);
  put_text(line, &n, " ");
  put_text(line, &n, c->text[0] ? c->text : "-");
  line[n++] = '\n';
  send(line, n);
}

void
hd_rt_children_tell(void (*send)(const char *bytes, size_t n))
{
  if (!children)
    return;
  for (const child *c = children->list; c < children->list + CHILDREN; c++)
    if (__atomic_load_n(&c->pid, __ATOMIC_ACQUIRE)) /* acquire: pairs with entry_free */
      tell(c, send);
  if (children->quiet)
    tell(&(child){.flags = HD_RT_CHILD_ENDED, .count = children->quiet}, send);
  if ((int32_t) children->forks > 0)
    tell(&(child){.flags = HD_RT_CHILD_BEGINS, .count = children->forks}, send);
  if (children->overflow)
    tell(&(child){.flags = HD_RT_CHILD_MANY, .count = 1}, send);
}

/* ---- another program takes the place of this one ---- */

static void
say(const char *word, const char *text)
{
  char line[TEXT + 32];
  size_t n = 0;
  put_text(line, &n, word);
  put_text(line, &n, text);
  line[n++] = '\n';
  if (hd_rt_client_now)
    hd_rt_client_send(line, n);
  else
    hd_rt_report_send(line, n);
}

static void
exec_begin(const char *path)
{
  if (!children || hd_rt_here.inside)
    return;
  hd_rt_enter();
  if (mine)
  {
    __atomic_fetch_and(&mine->flags, ~(uint32_t) HD_RT_CHILD_SHARES, __ATOMIC_RELAXED); /* the other has none of it */
    merged = entry_name(mine, path, HD_RT_CHILD_EXECS);
  }
  else if (getpid() == owner)
  {
    if (hd_rt_client_now)
      hd_rt_client_send_maps();
    hd_rt_children_tell(hd_rt_client_now ? hd_rt_client_send : hd_rt_report_send);
    say("becomes ", path);
  }
  hd_rt_leave();
}

static int
exec_failed(void)
{
  int saved = errno;
  if (!children || hd_rt_here.inside)
    return -1;
  hd_rt_enter();
  if (merged)
  {
    __atomic_fetch_sub(&merged->count, 1, __ATOMIC_RELAXED);
    mine = entry_new(getpid()); /* it cannot have started threads */
    merged = NULL;
    look_for_shared();
  }
  else if (mine)
  {
    __atomic_fetch_and(&mine->flags, ~(uint32_t) HD_RT_CHILD_EXECS, __ATOMIC_RELAXED);
    mine->text[0] = 0;
    look_for_shared();
  }
  else if (getpid() == owner)
    say("remains", "");
  hd_rt_leave();
  errno = saved;
  return -1;
}

HD_RT_DECLARE(execve);
HD_RT_DECLARE(execvpe);
HD_RT_DECLARE(fexecve);
HD_RT_DECLARE(posix_spawn);
HD_RT_DECLARE(posix_spawnp);
HD_RT_DECLARE(system);
HD_RT_DECLARE(popen);

extern char **environ;

static int
execute(const char *path, char *const *arguments, char *const *environment)
{
  exec_begin(path);
  HD_RT_REAL(execve)(path, arguments, environment);
  return exec_failed();
}

static int
execute_found(const char *file, char *const *arguments, char *const *environment)
{
  exec_begin(file);
  HD_RT_REAL(execvpe)(file, arguments, environment);
  return exec_failed();
}

HD_RT_WRAP(int, execve)(const char *path, char *const arguments[], char *const environment[])
{
  return execute(path, arguments, environment);
}

HD_RT_WRAP(int, execv)(const char *path, char *const arguments[])
{
  return execute(path, arguments, environ);
}

HD_RT_WRAP(int, execvp)(const char *file, char *const arguments[])
{
  return execute_found(file, arguments, environ);
}

HD_RT_WRAP(int, execvpe)(const char *file, char *const arguments[], char *const environment[])
{
  return execute_found(file, arguments, environment);
}

HD_RT_WRAP(int, fexecve)(int fd, char *const arguments[], char *const environment[])
{
  exec_begin(arguments[0] ? arguments[0] : "a program");
  HD_RT_REAL(fexecve)(fd, arguments, environment);
  return exec_failed();
}

/* The arguments after FIRST, which is one of them, as an array; what is behind them stays in REST. */
#define GATHER(list, first, rest)                                                                                      \
  size_t count_ = 1;                                                                                                   \
  va_list rest, counting_;                                                                                             \
  va_start(counting_, first);                                                                                          \
  while (va_arg(counting_, char *))                                                                                    \
    count_++;                                                                                                          \
  va_end(counting_);                                                                                                   \
  char **list = alloca((count_ + 1) * sizeof *list);                                                                   \
  va_start(rest, first);                                                                                               \
  list[0] = (char *) (uintptr_t) first;                                                                                \
  for (size_t i_ = 1; i_ <= count_; i_++)                                                                              \
  list[i_] = va_arg(rest, char *)

HD_RT_WRAP(int, execl)(const char *path, const char *first, ...)
{
  GATHER(list, first, rest);
  va_end(rest);
  return execute(path, list, environ);
}

HD_RT_WRAP(int, execlp)(const char *file, const char *first, ...)
{
  GATHER(list, first, rest);
  va_end(rest);
  return execute_found(file, list, environ);
}

HD_RT_WRAP(int, execle)(const char *path, const char *first, ...)
{
  GATHER(list, first, rest);
  char **environment = va_arg(rest, char **);
  va_end(rest);
  return execute(path, list, environment);
}

/* ---- processes that run nothing of ours: the C library starts them ---- */

static void
started(int pid, const char *text, uint32_t flags)
{
  if (!children || hd_rt_here.inside)
    return;
  int saved = errno;
  hd_rt_enter();
  child *c = entry_new(pid ? pid : -1);
  if (c)
    entry_name(c, text, flags);
  hd_rt_leave();
  errno = saved;
}

HD_RT_WRAP(int, posix_spawn)
(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes,
 char *const arguments[], char *const environment[])
{
  int error = HD_RT_REAL(posix_spawn)(pid, path, actions, attributes, arguments, environment);
  if (!error)
    started(pid ? *pid : 0, path, HD_RT_CHILD_EXECS);
  return error;
}

HD_RT_WRAP(int, posix_spawnp)
(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes,
 char *const arguments[], char *const environment[])
{
  int error = HD_RT_REAL(posix_spawnp)(pid, file, actions, attributes, arguments, environment);
  if (!error)
    started(pid ? *pid : 0, file, HD_RT_CHILD_EXECS);
  return error;
}

HD_RT_WRAP(int, system)(const char *command)
{
  if (command)
    started(0, command, HD_RT_CHILD_EXECS | HD_RT_CHILD_SHELL);
  return HD_RT_REAL(system)(command);
}

HD_RT_WRAP(FILE *, popen)(const char *command, const char *type)
{
  FILE *f = HD_RT_REAL(popen)(command, type);
  if (f)
    started(0, command, HD_RT_CHILD_EXECS | HD_RT_CHILD_SHELL);
  return f;
}
