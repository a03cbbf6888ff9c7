/* measure.c: runs a program on one core, and says how long it took and how much memory it had.
 *
 *   measure SECONDS MEGABYTES PROGRAM [ARGUMENT]...
 *
 * prints to its standard output "SECONDS KILOBYTES OUTCOME": the processor time of the whole program and of what it
 * started and waited for, in user and system mode, the most memory that one of them had at one time, and its exit
 * status, "time" or "memory" if it was stopped because it went over a limit, or "signal". The limit is for the time on
 * the wall. The program's own standard output goes to /dev/null. The core is the last one that we may run on.
 *
 * Memory is what is resident, looked at every 20 ms: programs that reserve much and touch little are not punished. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double
now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double) t.tv_sec + (double) t.tv_nsec * 1e-9;
}

/* Resident memory of PID in megabytes; 0 if it is gone. */
static double
resident(pid_t pid)
{
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/statm", (int) pid);
  FILE *f = fopen(path, "r");
  unsigned long all = 0, pages = 0;
  if (f && fscanf(f, "%lu %lu", &all, &pages) != 2)
    pages = 0;
  if (f)
    fclose(f);
  return (double) pages * (double) sysconf(_SC_PAGESIZE) / 1e6;
}

static void
pin(void)
{
  cpu_set_t may, one;
  CPU_ZERO(&one);
  if (sched_getaffinity(0, sizeof may, &may) != 0)
    return;
  for (int i = CPU_SETSIZE - 1; i >= 0; i--)
    if (CPU_ISSET(i, &may))
    {
      CPU_SET(i, &one);
      sched_setaffinity(0, sizeof one, &one);
      return;
    }
}

static double
seconds_of(struct timeval t)
{
  return (double) t.tv_sec + (double) t.tv_usec * 1e-6;
}

/* Not by fork: its copy of our memory would count as the program's time. 0: failed. */
static pid_t
start_program(char **argv, const sigset_t *signals)
{
  pid_t pid = 0;
  posix_spawn_file_actions_t files;
  posix_spawnattr_t how;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawnattr_init(&how);
  posix_spawnattr_setsigmask(&how, signals);
  posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK);
  int problem = posix_spawnp(&pid, argv[0], &files, &how, argv, environ);
  if (problem)
    fprintf(stderr, "measure: %s: %s\n", argv[0], strerror(problem));
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&how);
  return problem ? 0 : pid;
}

int
main(int argc, char **argv)
{
  if (argc < 4)
  {
    fputs("usage: measure SECONDS MEGABYTES PROGRAM [ARGUMENT]...\n", stderr);
    return 2;
  }
  double seconds = strtod(argv[1], NULL), megabytes = strtod(argv[2], NULL);
  sigset_t child, before;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  sigprocmask(SIG_BLOCK, &child, &before);
  pin(); /* before there is a child, which then begins where it stays */
  double start = now();
  pid_t pid = start_program(argv + 3, &before);
  if (pid == 0)
    return 2;
  const char *over = NULL;
  while (sigtimedwait(&child, NULL, &(struct timespec){.tv_nsec = 20000000}) < 0)
  {
    over = now() - start > seconds ? "time" : resident(pid) > megabytes ? "memory" : NULL;
    if (over)
    {
      kill(pid, SIGKILL);
      break;
    }
  }
  int status;
  struct rusage usage;
  if (wait4(pid, &status, 0, &usage) != pid)
  {
    perror("measure");
    return 2;
  }
  printf("%.6f %ld ", seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime), usage.ru_maxrss);
  if (over || WIFSIGNALED(status))
    puts(over ? over : "signal");
  else
    printf("%d\n", WEXITSTATUS(status));
  return 0;
}
