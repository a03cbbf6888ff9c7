/* 1,500 detached threads, one after the other: nobody knows when one has ended. Wrong: one of the last forgets the lock. */
#include <pthread.h>
#include <semaphore.h>

enum
{
  THREADS = 1500
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t done;
static long total;

static void *
work(void *argument)
{
#ifdef RIGHT
  const int locks = 1;
#else
  const int locks = (long) argument != THREADS - 100;
#endif
  if (locks)
    pthread_mutex_lock(&lock);
  total += (long) argument;
  if (locks)
    pthread_mutex_unlock(&lock);
  sem_post(&done);
  return NULL;
}

int
main(void)
{
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  sem_init(&done, 0, 0);
  for (long i = 0; i < THREADS; i += 4)
  {
    pthread_t ids[4];
    for (long k = 0; k < 4; k++)
      pthread_create(&ids[k], &attributes, work, (void *) (i + k));
    for (int k = 0; k < 4; k++)
      sem_wait(&done);
  }
  return total == 0;
}
