/* Ends in the way that it is told to, while another thread is at work. */
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int going = 1;
static int counter;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void
count(void)
{
  pthread_mutex_lock(&lock);
  counter++;
  pthread_mutex_unlock(&lock);
}

static void *
work(void *argument)
{
  for (int i = 0; i < 1000; i++)
    count();
  return argument;
}

int
main(int argc, char **argv)
{
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  while (strcmp(argv[argc - 1], "fork") != 0 && going)
  {
    pthread_mutex_lock(&lock);
    going = counter < 500;
    pthread_mutex_unlock(&lock);
  }
  if (strcmp(argv[1], "crash") == 0)
    *(volatile int *) 8 = 1;
  if (strcmp(argv[1], "kill") == 0)
    kill(getpid(), SIGKILL);
  if (strcmp(argv[1], "leave") == 0)
    _exit(0);
  if (strcmp(argv[1], "exit") == 0)
    exit(3);
  pthread_join(thread, NULL);
  pid_t child = fork();
  if (child == 0)
  {
    count();
    exit(0);
  }
  waitpid(child, NULL, 0);
  return 0;
}
