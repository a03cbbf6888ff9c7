/* A counter that two threads increment; right: under a lock. */
#include <pthread.h>

static int counter;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *
work(void *argument)
{
  for (int i = 0; i < 1000; i++)
  {
#ifdef RIGHT
    pthread_mutex_lock(&lock);
#endif
    counter++;
#ifdef RIGHT
    pthread_mutex_unlock(&lock);
#endif
  }
  return argument;
}

int
main(void)
{
  pthread_t one, two;
  pthread_create(&one, NULL, work, &lock);
  pthread_create(&two, NULL, work, &lock);
  pthread_join(one, NULL);
  pthread_join(two, NULL);
  return counter == 0;
}
