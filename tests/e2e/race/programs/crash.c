/* A program that is ended by a signal after its race: the report is there. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

static volatile int account[4];

static void *
work(void *argument)
{
  account[1] = 5;
  return argument;
}

int
main(int argc, char **argv)
{
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  account[1] = 6;
  pthread_join(thread, NULL);
  raise(argc > 1 ? atoi(argv[1]) : SIGSEGV);
  return 0;
}
