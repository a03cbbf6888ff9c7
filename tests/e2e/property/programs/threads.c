/* threads.c: hundreds of threads that start late, by ones and by waves, and end: each adds to a sum under a lock. */
#include <heddle/monitor.h>
#include <pthread.h>
#include <stdio.h>

enum
{
  WAVES = 4,
  THREADS = 80
};

int sum;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *
add(void *p)
{
  pthread_mutex_lock(&m);
  hd_internal("inside", true);
  sum++;
  hd_internal("inside", false);
  pthread_mutex_unlock(&m);
  return p;
}

int
main(void)
{
  pthread_t t[THREADS];
  for (int w = 0; w < WAVES; w++)
  {
    for (int i = 0; i < THREADS; i++)
      pthread_create(&t[i], NULL, add, NULL);
    for (int i = 0; i < THREADS; i++)
      pthread_join(t[i], NULL);
  }
  printf("%d\n", sum);
  return 0;
}
