/* A semaphore as a mutex that lets two in; right: it lets in one. */
#include <pthread.h>
#include <semaphore.h>

#include "order.h"

static sem_t entrance;
static int inside;

static void *
visit(void *argument)
{
  sem_wait(&entrance);
  inside++;
  done();
#ifndef RIGHT
  after(2);
#endif
  sem_post(&entrance);
  return argument;
}

int
main(void)
{
  pthread_t thread;
#ifdef RIGHT
  sem_init(&entrance, 0, 1);
#else
  sem_init(&entrance, 0, 2);
#endif
  pthread_create(&thread, NULL, visit, NULL);
  after(1);
  sem_wait(&entrance);
  inside++;
  done();
  sem_post(&entrance);
  pthread_join(thread, NULL);
  return 0;
}
