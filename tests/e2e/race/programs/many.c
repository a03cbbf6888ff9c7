/* 500 threads at once, then 2000 short ones; wrong: one of them forgets the lock. */
#include <pthread.h>
#include <stdlib.h>

enum
{
  THREADS = 500
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long total;

static void *
work(void *argument)
{
  long n = (long) argument;
#ifdef RIGHT
  pthread_mutex_lock(&lock);
  total += n;
  pthread_mutex_unlock(&lock);
#else
  if (n != 333)
    pthread_mutex_lock(&lock);
  total += n;
  if (n != 333)
    pthread_mutex_unlock(&lock);
#endif
  int *own = malloc(sizeof *own);
  *own = (int) n;
  free(own);
  return NULL;
}

int
main(void)
{
  static pthread_t threads[THREADS];
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 64 * 1024);
  for (long i = 0; i < THREADS; i++)
    pthread_create(&threads[i], &small, work, (void *) i);
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  for (long round = 0; round < 500; round++)
  {
    for (long i = 0; i < 4; i++)
      pthread_create(&threads[i], &small, work, (void *) i);
    for (int i = 0; i < 4; i++)
      pthread_join(threads[i], NULL);
  }
  return total == 0;
}
