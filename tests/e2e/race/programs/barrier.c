/* Two phases with a barrier between; wrong: the threads look at their neighbours without waiting for them. */
#include <pthread.h>

enum
{
  THREADS = 3
};
static pthread_barrier_t barrier;
static int cells[THREADS];

static void *
work(void *argument)
{
  int me = (int) (long) argument, sum = 0;
  for (int round = 0; round < 50; round++)
  {
    cells[me] = round;
#ifdef RIGHT
    pthread_barrier_wait(&barrier);
#endif
    for (int i = 0; i < THREADS; i++)
      sum += cells[i];
#ifdef RIGHT
    pthread_barrier_wait(&barrier);
#endif
  }
  return (void *) (long) sum;
}

int
main(void)
{
  pthread_t threads[THREADS];
  pthread_barrier_init(&barrier, NULL, THREADS);
  for (long i = 0; i < THREADS; i++)
    pthread_create(&threads[i], NULL, work, (void *) i);
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  pthread_barrier_destroy(&barrier);
  return 0;
}
