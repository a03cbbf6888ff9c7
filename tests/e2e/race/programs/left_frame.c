/* A function starts a thread on a variable of its own and returns: the next function's variables lie there. Right: it
 * waits. */
#include <pthread.h>

#include "order.h"

typedef struct job
{
  int input, result;
} job;
static pthread_t thread;

static void *
work(void *argument)
{
  job *j = argument;
  after(1);
  j->result = 2;
  done();
  return NULL;
}

__attribute__((noinline)) static void
start(void)
{
  job j = {1, 0};
  pthread_create(&thread, NULL, work, &j);
#ifdef RIGHT
  done();
  pthread_join(thread, NULL);
#endif
}

__attribute__((noinline)) static void
fill(int *squares)
{
  for (int i = 0; i < 16; i++)
    squares[i] = i * i;
}

__attribute__((noinline)) static int
compute(void)
{
  int squares[16];
  fill(squares);
#ifndef RIGHT
  done();
  after(2);
  pthread_join(thread, NULL);
#endif
  return squares[3];
}

int
main(void)
{
  start();
  return compute() < 0;
}
