/* Ways to end, while other threads run, after a race: the report is there. ./ends WAY */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "order.h"

static volatile int account;
static const char *way;

static void *
spins(void *argument)
{
  for (volatile long i = 0;; i++)
    ;
  return argument;
}

static void
leave(int sig)
{
  (void) sig;
  if (strcmp(way, "exit-in-handler") == 0)
    exit(3);
  _exit(4);
}

static void *
last(void *argument)
{
  account = 1;
  done();
  after(2);
  if (strcmp(way, "segv") == 0)
    *(volatile int *) 8 = 1;
  else if (strcmp(way, "abort") == 0)
    abort();
  else if (strcmp(way, "exit-of-thread") == 0)
    exit(5);
  else if (strcmp(way, "exec") == 0)
    execl("/bin/sh", "sh", "-c", "exit 6", (char *) NULL);
  else if (strcmp(way, "quick-exit") == 0)
    quick_exit(7);
  else
    raise(SIGUSR1);
  return argument;
}

int
main(int argc, char **argv)
{
  pthread_t thread, other;
  way = argc > 1 ? argv[1] : "segv";
  signal(SIGUSR1, leave);
  pthread_create(&other, NULL, spins, NULL);
  pthread_create(&thread, NULL, last, NULL);
  after(1);
  account = 2;
  if (strcmp(way, "end-of-main") == 0)
    return 8;
  if (strcmp(way, "end-of-main-thread") == 0)
  {
    way = "exit-of-thread";
    done();
    pthread_exit(NULL);
  }
  done();
  pthread_join(thread, NULL);
  return 0;
}
