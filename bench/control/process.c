/* process.c: runs a program several times, and says what one run cost.
 *
 *   process REPEAT PROGRAM [ARGUMENT]...
 *
 * prints "MILLISECONDS KILOBYTES STATUS": the time on the processor, of the program and of the system for it, as the
 * median of all runs; the most memory that was resident in one of them; and the exit status of the last. The program's
 * own output goes to /dev/null. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static int
by_size(const void *p, const void *q)
{
  double a = *(const double *) p, b = *(const double *) q;
  return (a > b) - (a < b);
}

static void
become(char **argv)
{
  int nowhere = open("/dev/null", O_WRONLY);
  if (nowhere < 0 || dup2(nowhere, 1) < 0)
    _exit(127);
  execvp(argv[0], argv);
  perror(argv[0]);
  _exit(127);
}

static double
milliseconds(struct timeval t)
{
  return (double) t.tv_sec * 1e3 + (double) t.tv_usec * 1e-3;
}

int
main(int argc, char **argv)
{
  int repeat = argc > 2 ? atoi(argv[1]) : 0;
  if (repeat < 1 || repeat > 10000)
  {
    fputs("usage: process REPEAT PROGRAM [ARGUMENT]...\n", stderr);
    return 2;
  }
  double *costs = calloc((size_t) repeat, sizeof *costs);
  long most = 0;
  int status = 0;
  for (int i = 0; costs && i < repeat; i++)
  {
    struct rusage usage;
    pid_t pid = fork();
    if (pid == 0)
      become(argv + 2);
    if (pid < 0 || wait4(pid, &status, 0, &usage) != pid)
    {
      perror("process");
      return 2;
    }
    costs[i] = milliseconds(usage.ru_utime) + milliseconds(usage.ru_stime);
    most = usage.ru_maxrss > most ? usage.ru_maxrss : most;
  }
  if (!costs)
    return 2;
  qsort(costs, (size_t) repeat, sizeof *costs, by_size);
  printf("%.3f %ld %d\n", costs[repeat / 2], most, WIFEXITED(status) ? WEXITSTATUS(status) : -1);
  free(costs);
  return 0;
}
