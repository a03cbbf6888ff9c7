/* Starts processes in the way that it is told to, while another thread is at work. */
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long counter;

static void *
work(void *argument)
{
  for (int i = 0; i < 100; i++)
  {
    pthread_mutex_lock(&lock);
    counter++;
    pthread_mutex_unlock(&lock);
  }
  return argument;
}

static void
work_together(void)
{
  pthread_t threads[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
}

static int *page;

static void
child(const char *how)
{
  if (strcmp(how, "alone") == 0)
    counter = 5;
  if (strcmp(how, "execute") == 0)
    execl("/bin/true", "true", (char *) NULL);
  if (strcmp(how, "itself") == 0)
    execl("./children", "./children", "nothing", (char *) NULL);
  if (strcmp(how, "nowhere") == 0)
    execl("./there-is-none", "none", (char *) NULL);
  if (strcmp(how, "threads") == 0)
    work_together();
  if (strcmp(how, "page") == 0)
    page[0]++;
  if (strcmp(how, "grandchild") == 0 && fork() == 0)
    execl("/bin/true", "true", (char *) NULL);
  while (wait(NULL) > 0)
    ;
  _exit(0);
}

int
main(int argc, char **argv)
{
  const char *how = argv[argc - 1];
  char line[64], *arguments[] = {"true", NULL};
  pid_t pid;
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  page = strcmp(how, "page") == 0 ? mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0) : NULL;
  if (strcmp(how, "vfork") == 0)
  {
    if (vfork() == 0)
    {
      execlp("true", "true", (char *) NULL);
      _exit(127);
    }
  }
  else if (strcmp(how, "spawn") == 0)
    posix_spawnp(&pid, "true", NULL, NULL, arguments, environ);
  else if (strcmp(how, "system") == 0)
  {
    if (system("echo in a shell") != 0)
      return 1;
  }
  else if (strcmp(how, "popen") == 0)
  {
    FILE *f = popen("echo through a pipe", "r");
    while (fgets(line, sizeof line, f))
      fputs(line, stdout);
    pclose(f);
  }
  else if (strcmp(how, "become") != 0)
    for (int i = 0; i < 2; i++)
      if (fork() == 0)
        child(how);
  while (wait(NULL) > 0)
    ;
  pthread_join(thread, NULL);
  if (strcmp(how, "become") == 0)
    execl("./there-is-none", "none", (char *) NULL), execl("/bin/true", "true", (char *) NULL);
  return 0;
}
