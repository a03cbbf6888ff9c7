/* A thread gets the address of a local variable; wrong: both use it. */
#include <pthread.h>

static void *
work(void *argument)
{
  *(int *) argument = 5;
  return argument;
}

int
main(void)
{
  pthread_t thread;
  int local = 0;
  pthread_create(&thread, NULL, work, &local);
#ifndef RIGHT
  local++;
#endif
  pthread_join(thread, NULL);
  return local < 1;
}
