/* A semaphore hands a buffer over; wrong: it is changed after it was handed over. */
#include <pthread.h>
#include <semaphore.h>

static sem_t full;
static char buffer[16];

static void *
work(void *argument)
{
  sem_wait(&full);
  return buffer[3] ? argument : NULL;
}

int
main(void)
{
  pthread_t thread;
  sem_init(&full, 0, 0);
  pthread_create(&thread, NULL, work, NULL);
  buffer[3] = 1;
  sem_post(&full);
#ifndef RIGHT
  buffer[3] = 2;
#endif
  pthread_join(thread, NULL);
  return 0;
}
