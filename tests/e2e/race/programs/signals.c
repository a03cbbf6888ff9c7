/* Signals arrive all the time; the handler posts a semaphore and counts atomically. Wrong: it counts plainly. */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/time.h>

#ifdef RIGHT
static atomic_int ticks;
#else
static int ticks;
#endif
static sem_t posted;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long total;

static void
on_tick(int sig)
{
  (void) sig;
  ticks++;
  sem_post(&posted);
}

static void *
work(void *argument)
{
  for (int i = 0; i < 50000; i++)
  {
    long *p = malloc(24);
    *p = i;
    pthread_mutex_lock(&lock);
    total += *p;
    pthread_mutex_unlock(&lock);
    free(p);
  }
  return argument;
}

int
main(void)
{
  struct itimerval often = {{0, 500}, {0, 500}}, never = {{0, 0}, {0, 0}};
  pthread_t one, two;
  sem_init(&posted, 0, 0);
  signal(SIGALRM, on_tick);
  pthread_create(&one, NULL, work, NULL);
  pthread_create(&two, NULL, work, NULL);
  setitimer(ITIMER_REAL, &often, NULL);
  for (int i = 0; i < 20; i++)
    while (sem_wait(&posted) != 0)
      ;
#ifndef RIGHT
  pthread_kill(one, SIGALRM);
  pthread_kill(two, SIGALRM);
#endif
  pthread_join(one, NULL);
  pthread_join(two, NULL);
  setitimer(ITIMER_REAL, &never, NULL);
  return ticks < 20;
}
